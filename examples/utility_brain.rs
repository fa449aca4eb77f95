//! A utility step inside one state, without any crate: in each tick the shopkeeper does what is
//! most urgent.

use statewright::prelude::*;
use statewright::{Brain, think};

/// Something to do, with how urgent it is and what doing it changes.
struct Task {
    name: &'static str,
    urgency: fn(&Shop) -> f32,
    work: fn(&mut Shop),
}

#[derive(Default)]
struct Shop {
    customers: f32,
    dust: f32,
    coins: u32,
}

const TASKS: [Task; 3] = [
    Task {
        name: "serve",
        urgency: |shop| shop.customers,
        work: |shop| {
            shop.customers -= 1.0;
            shop.coins += 1;
        },
    },
    Task {
        name: "sweep",
        urgency: |shop| shop.dust / 2.0,
        work: |shop| shop.dust = 0.0,
    },
    Task {
        name: "doze",
        urgency: |_| 0.5,
        work: |_| {},
    },
];

#[derive(Default)]
struct Keeper {
    shop: Shop,
    doing: &'static str,
}

impl Brain<()> for Keeper {
    fn step(&mut self, _: &(), cx: &mut ActionCx) -> Status {
        self.shop.dust += 0.4;
        self.shop.customers += if cx.rng().below(2) == 0 { 1.0 } else { 0.0 };
        let best = TASKS
            .iter()
            .max_by(|a, b| (a.urgency)(&self.shop).total_cmp(&(b.urgency)(&self.shop)));
        if let Some(task) = best {
            self.doing = task.name;
            (task.work)(&mut self.shop);
        }
        if self.shop.coins == 4 {
            Status::Succeeded
        } else {
            Status::Running
        }
    }
}

struct Person {
    keeper: Keeper,
}

impl Board for Person {}

#[functions]
impl Person {
    #[activity]
    fn keep_shop(&mut self, mode: Mode, cx: &mut ActionCx) -> Status {
        think(&mut self.keeper, mode, &(), cx)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let machine = Machine::build("Shopkeeper", |m| {
        m.initial("open");
        m.state("open", |s| {
            s.activity("KeepShop");
            s.on_done().go("closed");
        });
        m.state("closed", |_| {});
    })?;
    let mut crowd = Crowd::new(machine.bind(Person::functions())?, 11);
    let person = crowd.spawn(Person {
        keeper: Keeper::default(),
    });
    crowd.tick(&()); // opens the shop
    for hour in 1..=20 {
        crowd.tick(&());
        if crowd.path(person)? == "closed" {
            println!(
                "hour {hour:>2}: closed, {} coins",
                crowd.board(person)?.keeper.shop.coins
            );
            break;
        }
        println!("hour {hour:>2}: {}", crowd.board(person)?.keeper.doing);
    }
    Ok(())
}
