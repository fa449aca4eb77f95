//! Timers: a guard walks his round, looks around, chases what he hears, and gives up after a while.

use statewright::prelude::*;

#[derive(Board)]
struct Guard {
    post: i32,
}

#[functions]
impl Guard {
    #[action]
    fn walk_on(&mut self) {
        self.post = (self.post + 1) % 4;
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let machine = Machine::build("Patrol", |m| {
        m.tick_rate(10);
        m.event("Noise");
        m.initial("patrol");
        m.state("patrol", |s| {
            s.initial("walk");
            s.on("Noise").go("chase");
            s.state("walk", |s| {
                s.entry("WalkOn");
                s.after("3s").go("look");
            });
            s.state("look", |s| {
                s.after("1s").go("walk");
            });
        });
        m.state("chase", |s| {
            // Every noise starts the time anew.
            s.on("Noise").go("chase");
            s.after("2.5s").go("patrol");
        });
    })?;
    let noise = machine.event("Noise")?;
    let mut crowd = Crowd::new(machine.bind(Guard::functions())?, 1);
    let guard = crowd.spawn(Guard { post: 0 });
    let (mut last, mut turns) = (String::new(), 0);
    for tick in 0..150 {
        if [52, 70].contains(&tick) {
            crowd.send(guard, noise, ())?;
        }
        turns += crowd.tick(&()).ran;
        let now = crowd.path(guard)?;
        if now != last {
            println!(
                "{:>4.1} s  post {}  {now}",
                f64::from(tick) / 10.0,
                crowd.board(guard)?.post
            );
            last = now;
        }
    }
    println!("the guard was looked at in {turns} of 150 ticks: he sleeps while his timers run");
    Ok(())
}
