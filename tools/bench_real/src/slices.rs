//! Statewright over slices of the host's own, every agent visited.

use statewright::{
    InboxEvent, Instance, Machine, Program, Slices, SlicesOutput, TickSettings,
    commands::CommandRef,
};

use super::contender::{Contender, Outcome, sorted};
use super::machine::{Real, SEED};

/// Agents in slices.
pub struct InSlices<R: Real> {
    name: &'static str,
    program: Program<R::Board, ()>,
    instances: Vec<R::Instance>,
    boards: Vec<R::Board>,
    output: SlicesOutput,
    transitions: u64,
    now: u64,
    kept: (Vec<R::Instance>, Vec<R::Board>, u64, u64),
}

impl<R: Real> InSlices<R> {
    /// So many agents by the tables of their machine.
    pub fn new(agents: usize) -> Result<Self, String> {
        Self::with("slices", bind::<R>()?.interpreted(), agents)
    }

    /// So many agents by the code of their machine, if it has any.
    pub fn fused(agents: usize) -> Result<Option<Self>, String> {
        let program = bind::<R>()?;
        let fused = program.is_fused();
        fused
            .then(|| Self::with("fused", program, agents))
            .transpose()
    }

    fn with(
        name: &'static str,
        program: Program<R::Board, ()>,
        agents: usize,
    ) -> Result<Self, String> {
        let machine = program.machine().clone();
        let rom = machine.rom();
        let new = |place| R::Instance::new(&rom, SEED, place as u64).ok_or("not of this tier");
        let mut all = Self {
            name,
            program,
            instances: (0..agents).map(new).collect::<Result<_, _>>()?,
            boards: (0..agents).map(R::board).collect(),
            output: SlicesOutput::default(),
            transitions: 0,
            now: 0,
            kept: (Vec::new(), Vec::new(), 0, 0),
        };
        all.tick(&[]);
        all.keep();
        Ok(all)
    }

    /// The machine that runs.
    pub fn machine(&self) -> &Machine {
        self.program.machine()
    }

    /// The agents as they are.
    pub fn instances(&self) -> &[R::Instance] {
        &self.instances
    }

    /// The tick that comes next.
    pub fn now(&self) -> u32 {
        self.now as u32
    }
}

fn bind<R: Real>() -> Result<Program<R::Board, ()>, String> {
    let bound = R::machine().bind(R::functions());
    bound.map_err(|error| error.to_string())
}

/// The commands of a tick, as agents written by hand would have said them.
pub fn read_commands<'c, R: Real>(
    commands: impl Iterator<Item = CommandRef<'c>>,
    machine: &Machine,
) -> Vec<(u32, R::Command)> {
    let read = |command: CommandRef<'_>| {
        let known = R::command(&command, machine);
        let known = known.unwrap_or_else(|| panic!("{}: not by hand: {command:?}", R::NAME));
        (command.agent().index(), known)
    };
    commands.map(read).collect()
}

impl<R: Real> Contender<R> for InSlices<R> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn tick(&mut self, inbox: &[InboxEvent]) {
        let slices = Slices {
            tick: self.now,
            inbox,
            // Everybody is visited, so nobody needs to know who could have slept.
            settings: TickSettings {
                sleeping: false,
                ..TickSettings::default()
            },
            ..Slices::default()
        };
        let (instances, boards) = (&mut self.instances, &mut self.boards);
        let done = self
            .program
            .tick_slices(instances, boards, &(), slices, &mut self.output);
        done.expect("events are sorted");
        self.transitions += self.output.counters().transitions;
        self.now += 1;
    }

    fn keep(&mut self) {
        let (instances, boards) = (self.instances.clone(), self.boards.clone());
        self.kept = (instances, boards, self.transitions, self.now);
    }

    fn go_back(&mut self) {
        self.instances.copy_from_slice(&self.kept.0);
        self.boards.clone_from(&self.kept.1);
        (self.transitions, self.now) = (self.kept.2, self.kept.3);
    }

    fn outcome(&self) -> Outcome<R> {
        let machine = self.program.machine();
        let agents = self.instances.iter();
        Outcome {
            leaves: agents
                .clone()
                .map(|agent| sorted(machine.leaves_of(agent)))
                .collect(),
            boards: self.boards.clone(),
            chances: agents.map(|agent| agent.header().rng.get()).collect(),
            commands: read_commands::<R>(self.output.commands(), machine),
            transitions: self.transitions,
        }
    }
}
