//! A first program: a machine, two guards, two actions, a thousand agents, a hundred ticks.

use statewright::prelude::*;
use watchman::{events, states};

machine!(mod watchman = "../../machines/watchman.sw.json", functions = Watchman);

/// What each watchman remembers. The machine file sees `stamina`, too.
#[derive(Board)]
struct Watchman {
    courage: i32,
    stamina: i32,
}

struct Town {
    danger: i32,
}

#[derive(Clone, Copy, Command)]
#[command(lane = AUDIO)]
struct Shout(i32);

#[functions(context = Town)]
impl Watchman {
    #[guard]
    fn is_brave(&self, town: &Town) -> bool {
        self.courage > town.danger
    }

    #[guard]
    fn is_tired(&self) -> bool {
        self.stamina < 10
    }

    #[action]
    fn shout(&self, cx: &mut ActionCx, loudness: i32) {
        cx.emit(Shout(loudness));
    }

    #[action]
    fn run(&mut self) {
        self.stamina -= 7;
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut crowd = Crowd::new(watchman::machine().bind(Watchman::functions())?, 42);
    let mut men = Vec::new();
    for courage in (0..10).cycle().take(1000) {
        let stamina = 20;
        men.push(crowd.spawn(Watchman { courage, stamina }));
    }
    let mut noise = 0;
    for tick in 0..100 {
        let event = [events::SEES_THIEF, events::LOST_THIEF][tick / 7 % 2];
        for &man in men.iter().skip(tick % 7).step_by(7) {
            crowd.send(man, event, ())?;
        }
        crowd.tick(&Town { danger: 4 });
        for Shout(loudness) in crowd.commands().filter_map(|command| command.get()) {
            noise += loudness;
        }
    }
    let chasing = crowd.all_in(states::CHASE)?.len();
    println!("{chasing} are after a thief, {noise} of noise");
    Ok(())
}
