//! Sleeping changes no byte (SYS-2), nor do parts and threads: random machines, as crowds that must stay the same.

use statewright::prelude::*;
use statewright::{Blackboard, Counters};
use statewright_forge::Rng;
use statewright_trial::machine::{Subject, of_seed};

use crate::outside::Outside;
use crate::user::{Crowd, World, functions};

/// What was compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct Total {
    /// Machines.
    pub machines: u64,
    /// Ticks of a crowd.
    pub ticks: u64,
    /// Ticks of agents, had nobody slept.
    pub wakeful: u64,
    /// Ticks of agents that really ran.
    pub ran: u64,
    /// Transitions.
    pub transitions: u64,
    /// Commands.
    pub commands: u64,
}

impl Total {
    /// Adds another.
    pub fn add(&mut self, other: &Self) {
        self.machines += other.machines;
        self.ticks += other.ticks;
        self.wakeful += other.wakeful;
        self.ran += other.ran;
        self.transitions += other.transitions;
        self.commands += other.commands;
    }
}

const AGENTS: u32 = 12;

/// A machine of a seed, ready for crowds.
pub fn machine_of(seed: u64) -> Result<Machine, String> {
    Ok(Machine::from(Subject::new(of_seed(seed))?.output))
}

/// A crowd of a machine.
pub fn crowd_of(machine: &Machine, seed: u64) -> Result<Crowd, String> {
    let program = machine.bind(functions(machine)).map_err(|error| error.to_string())?;
    let mut crowd = Crowd::new(program, seed);
    // Every other machine stages its writes; every fifth has hardly room for commands.
    crowd.set_strict(seed.is_multiple_of(2));
    if seed.is_multiple_of(5) {
        crowd.set_budget(120).map_err(|error| error.to_string())?;
    }
    for _ in 0..AGENTS {
        crowd.spawn(Blackboard::new(machine));
    }
    Ok(crowd)
}

/// Runs the machine of a seed as three crowds: nobody sleeps; who may, sleeps; in parts on several threads.
pub fn run(seed: u64, ticks: u64) -> Result<Total, String> {
    let machine = machine_of(seed)?;
    let world = World::new(&machine, seed, AGENTS);
    let mut crowds = [crowd_of(&machine, seed)?, crowd_of(&machine, seed)?, crowd_of(&machine, seed)?];
    crowds[0].set_sleeping(false);
    let mut outside = Outside::new(seed);
    outside.know(crowds[0].agents().collect::<Vec<_>>());
    let (mut parts, mut total) = (Rng::new(seed), Total { machines: 1, ..Total::default() });
    for tick in 0..ticks {
        outside.happen(&mut crowds);
        let [wakeful, sleepy, split] = &mut crowds;
        total.wakeful += wakeful.tick(&world).ran as u64;
        total.ran += sleepy.tick(&world).ran as u64;
        split.set_part_size(1 + parts.below(5) as usize);
        split.tick_parallel(&world);
        total.ticks += 1;
        let expected = Outcome::of(wakeful);
        total.commands += expected.commands.len() as u64;
        for (crowd, what) in [(sleepy, "sleeping"), (split, "parts and threads")] {
            if let Some(difference) = expected.difference(&Outcome::of(crowd)) {
                return Err(format!("seed {seed}, tick {tick}: {what} changed {difference}"));
            }
        }
    }
    total.transitions = crowds[0].counters().transitions;
    Ok(total)
}

/// Everything that must be the same.
struct Outcome {
    snapshot: Vec<u8>,
    commands: Vec<Vec<u8>>,
    counters: Counters,
}

impl Outcome {
    fn of(crowd: &Crowd) -> Self {
        let commands = crowd.commands().map(|command| {
            let (agent, lane) = (command.agent(), command.lane().number());
            [&agent.index().to_le_bytes()[..], &agent.generation().to_le_bytes(), &[lane], command.bytes()].concat()
        });
        Self { snapshot: crowd.snapshot(), commands: commands.collect(), counters: *crowd.counters() }
    }

    fn difference(&self, other: &Self) -> Option<String> {
        if self.counters != other.counters {
            return Some(format!("the counters\n  from {:?}\n  to   {:?}", self.counters, other.counters));
        }
        if self.commands != other.commands {
            return Some(format!("the commands\n  from {:?}\n  to   {:?}", self.commands, other.commands));
        }
        (self.snapshot != other.snapshot).then(|| "the agents".to_owned())
    }
}
