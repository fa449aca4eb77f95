//! A first program: a machine, two guards, two actions, a thousand agents, a hundred ticks.

use statewright::prelude::*;

/// What each watchman remembers.
#[derive(Board)]
struct Watchman {
    courage: i32,
    stamina: i32,
}

/// What all of them see.
struct Town {
    danger: i32,
}

#[derive(Clone, Copy, Command)]
#[command(lane = AUDIO)]
struct Shout {
    loudness: i32,
}

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
    fn shout(&self, act: &mut Act, loudness: i32) {
        act.emit(Shout { loudness });
    }

    #[action]
    fn run(&mut self) {
        self.stamina -= 7;
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let machine = Machine::from_file(concat!(env!("CARGO_MANIFEST_DIR"), "/../../machines/watchman.sw.json"))?;
    let (seen, lost) = (machine.event("SeesThief")?, machine.event("LostThief")?);

    let mut crowd = Crowd::new(machine.bind(Watchman::functions())?, 42);
    let men: Vec<AgentId> = (0..1000).map(|man| crowd.spawn(Watchman { courage: man % 10, stamina: 20 })).collect();
    let town = Town { danger: 4 };
    let mut loudness = 0;
    for tick in 0..100 {
        for &man in men.iter().skip(tick % 7).step_by(7) {
            crowd.send(man, if tick % 14 < 7 { seen } else { lost }, ())?;
        }
        crowd.tick(&town);
        loudness +=
            crowd.commands().filter_map(|command| command.get::<Shout>()).map(|shout| shout.loudness).sum::<i32>();
    }
    println!(
        "{} watch, {} chase, {} rest",
        in_state(&crowd, "watch")?,
        in_state(&crowd, "chase")?,
        in_state(&crowd, "rest")?
    );
    println!("{loudness} of noise, {} transitions", crowd.counters().transitions);
    Ok(())
}

fn in_state(crowd: &Crowd<Watchman, Town>, state: &str) -> Result<usize, statewright::UnknownName> {
    Ok(crowd.all_in(crowd.machine().state(state)?).len())
}
