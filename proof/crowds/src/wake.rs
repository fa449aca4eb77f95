//! Sleeping changes no byte (SYS-2), nor do chunks and threads: random machines, as crowds that must
//! stay the same.

use statewright::commands::CommandRef;
use statewright::ids::VariantId;
use statewright::prelude::*;
use statewright::{Blackboard, Counters, Fault, VariantHandle};
use statewright_differential::machine::{CompiledCase, of_seed};
use statewright_generator::Rng;

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
    /// Panics of user code.
    pub panics: u64,
    /// Agents that ended by another fault.
    pub faults: u64,
    /// Agents with other parameters than the plain ones.
    pub variants: u64,
    /// Machines whose clock went beyond 32 bits.
    pub past_the_end: u64,
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
        self.panics += other.panics;
        self.faults += other.faults;
        self.variants += other.variants;
        self.past_the_end += other.past_the_end;
    }
}

const AGENTS: u32 = 12;

/// A machine of a seed, ready for crowds.
pub fn machine_of(seed: u64) -> Result<Machine, String> {
    Ok(Machine::from(CompiledCase::new(of_seed(seed))?.output))
}

/// A crowd of a machine.
pub fn crowd_of(machine: &Machine, seed: u64) -> Result<Crowd, String> {
    crowd_at(machine, seed, first_tick(seed))
}

/// The same with another first tick.
pub fn crowd_at(machine: &Machine, seed: u64, tick: u64) -> Result<Crowd, String> {
    let program = machine
        .bind(functions(machine))
        .map_err(|error| error.to_string())?;
    let mut crowd = Crowd::new(program, seed).starting_at(tick);
    // Every other machine stages its writes; every fifth has hardly room for commands.
    crowd.set_strict(seed.is_multiple_of(2)).unwrap();
    if seed.is_multiple_of(5) {
        crowd.set_budget(120).map_err(|error| error.to_string())?;
    }
    for number in 0..AGENTS {
        crowd.spawn_as(Blackboard::new(machine), variant(machine, number));
    }
    Ok(crowd)
}

/// Time begins anywhere: clocks of agents have 32 bits and run around (EVT-7).
pub fn first_tick(seed: u64) -> u64 {
    match seed % 6 {
        0 => 0,
        1 => u64::from(u32::MAX) - 40,
        2 => u64::from(u32::MAX) * 3 - 1,
        3 => u64::from(u32::MAX / 2) - 40,
        _ => seed,
    }
}

/// Agents take turns with the variants of a machine.
pub fn variant(machine: &Machine, number: u32) -> VariantHandle {
    let variants = machine.rom().variants().len().max(1);
    let variant = VariantId::from_index(number as usize % variants);
    let known = variant.and_then(|variant| machine.handle(variant));
    known.unwrap_or(VariantHandle::PLAIN)
}

/// Runs the machine of a seed as three crowds: nobody sleeps; who may, sleeps; in chunks on several
/// threads.
pub fn run(seed: u64, ticks: u64) -> Result<Total, String> {
    let machine = machine_of(seed)?;
    let world = World::new(&machine, seed, AGENTS);
    let mut crowds = [
        crowd_of(&machine, seed)?,
        crowd_of(&machine, seed)?,
        crowd_of(&machine, seed)?,
    ];
    crowds[0].set_sleeping(false);
    // One looks at all agents for its digest, the others keep it from tick to tick.
    crowds[1].keep_digest(true);
    crowds[2].keep_digest(true);
    let mut outside = Outside::new(seed);
    outside.know(crowds[0].agents().collect::<Vec<_>>());
    let (mut sizes, mut total) = (
        Rng::new(seed),
        Total {
            machines: 1,
            ..Total::default()
        },
    );
    total.variants = (0..AGENTS)
        .filter(|&number| variant(&machine, number) != VariantHandle::PLAIN)
        .count() as u64;
    total.past_the_end = u64::from(first_tick(seed) >> 32 != (first_tick(seed) + ticks) >> 32);
    for tick in 0..ticks {
        outside.happen(&mut crowds);
        let [wakeful, sleepy, split] = &mut crowds;
        total.wakeful += wakeful.tick(&world).ran as u64;
        total.ran += sleepy.tick(&world).ran as u64;
        split.set_chunk_size(1 + sizes.below(5) as usize);
        split.tick_parallel(&world);
        total.ticks += 1;
        let expected = Outcome::of(wakeful);
        total.commands += expected.commands.len() as u64;
        total.panics += expected.panicked.len() as u64;
        total.faults += expected.faults.len() as u64;
        for (crowd, what) in [(sleepy, "sleeping"), (split, "chunks and threads")] {
            if let Some(difference) = expected.difference(&Outcome::of(crowd)) {
                return Err(format!(
                    "seed {seed}, tick {tick}: {what} changed {difference}"
                ));
            }
        }
    }
    total.transitions = crowds[0].counters().transitions;
    Ok(total)
}

/// Everything that must be the same.
struct Outcome {
    snapshot: Vec<u8>,
    /// Of the crowd, its blackboards and its commands (TAPE-3).
    digests: [u64; 3],
    commands: Vec<Vec<u8>>,
    /// The same after their merge rules.
    merged: Vec<Vec<u8>>,
    counters: Counters,
    panicked: Vec<AgentId>,
    faults: Vec<(AgentId, Fault)>,
}

/// All of a command.
fn bytes(command: CommandRef<'_>) -> Vec<u8> {
    let (agent, lane) = (command.agent(), command.lane().number());
    [
        &agent.index().to_le_bytes()[..],
        &agent.generation().to_le_bytes(),
        &[lane],
        command.bytes(),
    ]
    .concat()
}

impl Outcome {
    fn of(crowd: &Crowd) -> Self {
        Self {
            snapshot: crowd.snapshot(),
            digests: [
                crowd.digest(),
                crowd.boards_digest(),
                crowd.commands_digest(),
            ],
            commands: crowd.commands().map(bytes).collect(),
            merged: crowd
                .lanes()
                .flat_map(|lane| crowd.lane(lane))
                .map(bytes)
                .collect(),
            counters: *crowd.counters(),
            panicked: crowd.panicked().map(|one| one.agent).collect(),
            faults: crowd.faults().collect(),
        }
    }

    fn difference(&self, other: &Self) -> Option<String> {
        if self.counters != other.counters {
            return Some(format!(
                "the counters\n  from {:?}\n  to   {:?}",
                self.counters, other.counters
            ));
        }
        if self.commands != other.commands {
            return Some(format!(
                "the commands\n  from {:?}\n  to   {:?}",
                self.commands, other.commands
            ));
        }
        if (&self.merged, &self.panicked, &self.faults)
            != (&other.merged, &other.panicked, &other.faults)
        {
            return Some("lanes, panics or faults".to_owned());
        }
        if self.digests != other.digests {
            return Some("the digests".to_owned());
        }
        (self.snapshot != other.snapshot).then(|| "the agents".to_owned())
    }
}
