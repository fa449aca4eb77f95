//! What agents want done, and what became of them: read by systems in
//! [`Commit`](crate::StatewrightSystems::Commit), in the order of agents whatever kinds, machines and
//! tables there are.

use std::sync::Arc;

use bevy_ecs::entity::Entity;
use bevy_ecs::resource::Resource;
use bevy_ecs::system::{Res, SystemParam};
use statewright::commands::{Command, CommandRef, Lane};
use statewright::trace::{Legend, Level, Settings};
use statewright::{AgentId, Board, Context, Machine, Program, SlicesOutput};

use crate::kind::hashes;
use crate::merge::Merged;
use crate::roster::{Agents, NO_PROGRAM};
use crate::trace::settings;

/// What the last tick left, by number of the program.
#[derive(Resource, Debug, Default)]
pub(crate) struct Outputs {
    list: Vec<Output>,
}

#[derive(Debug, Default)]
struct Output {
    output: SlicesOutput,
    /// There is something of the last tick in it.
    ran: bool,
    /// What is traced, if anything is.
    traced: Option<Traced>,
}

/// What is traced of the agents of a program.
#[derive(Debug, Default)]
struct Traced {
    /// Of this version of the machine.
    hashes: [u64; 2],
    /// Agents that have a trace, by index.
    agents: Vec<(u32, Level)>,
    /// For them: the names of the machine, with those of commands as far as they are known.
    legend: Option<Arc<Legend>>,
}

impl Outputs {
    /// What a program left is forgotten.
    pub(crate) fn clear(&mut self, program: u16) {
        if let Some(own) = self.list.get_mut(usize::from(program))
            && own.ran
        {
            own.output.clear();
            own.ran = false;
        }
    }

    /// Where a program leaves what comes of its tick; what is traced of it, and of whom at which level.
    pub(crate) fn begin<B: Board, C: Context + ?Sized>(
        &mut self,
        program: u16,
        bound: &Program<B, C>,
        (telling, agents): (Option<&Settings>, &[(u32, Level)]),
    ) -> &mut SlicesOutput {
        debug_assert_ne!(program, NO_PROGRAM, "only machines that are there run");
        let place = usize::from(program);
        if self.list.len() <= place {
            self.list.resize_with(place + 1, Output::default);
        }
        let own = &mut self.list[place];
        own.ran = true;
        own.trace(bound, (telling, agents));
        &mut own.output
    }

    /// Those that left records of agents that have a trace, with names and version of their machines.
    pub(crate) fn traced(&self) -> impl Iterator<Item = (&SlicesOutput, &Arc<Legend>, [u64; 2])> {
        self.list.iter().filter(|own| own.ran).filter_map(|own| {
            let traced = own.traced.as_ref()?;
            Some((&own.output, traced.legend.as_ref()?, traced.hashes))
        })
    }

    /// A program has ticked: names of commands that were said for the first time are known from now on.
    pub(crate) fn learn_names(&mut self, program: u16) {
        let own = &mut self.list[usize::from(program)];
        if let Some(legend) = own
            .traced
            .as_mut()
            .and_then(|traced| traced.legend.as_mut())
        {
            for (number, name) in own.output.command_names() {
                if !legend.commands.contains_key(&number) {
                    let commands = &mut Arc::make_mut(legend).commands;
                    Arc::make_mut(commands).insert(number, name.to_owned());
                }
            }
        }
    }

    /// What a program left.
    pub(crate) fn of(&self, program: u16) -> &SlicesOutput {
        &self.list[usize::from(program)].output
    }

    /// Those of programs that ran, with their numbers.
    pub(crate) fn ran(&self) -> impl Iterator<Item = (u16, &SlicesOutput)> {
        let all = (0..).zip(&self.list);
        all.filter(|(_, own)| own.ran)
            .map(|(number, own)| (number, &own.output))
    }
}

impl Output {
    /// Others may be traced than in the tick before, or another version of the machine.
    fn trace<B: Board, C: Context + ?Sized>(
        &mut self,
        bound: &Program<B, C>,
        (telling, agents): (Option<&Settings>, &[(u32, Level)]),
    ) {
        let is_wanted = telling.is_some() || !agents.is_empty();
        let hashes = hashes(bound.machine());
        let is_same = |traced: &Traced| traced.hashes == hashes && traced.agents == agents;
        if self
            .traced
            .as_ref()
            .map_or(!is_wanted, |traced| is_wanted && is_same(traced))
        {
            return;
        }
        let begun = self
            .output
            .set_trace(bound.machine(), settings(telling, agents));
        debug_assert!(begun.is_ok(), "nothing is named in the settings");
        let before = self.traced.take().filter(|before| before.hashes == hashes);
        let known = before.and_then(|before| before.legend);
        self.traced = is_wanted.then(|| Traced {
            hashes,
            agents: agents.to_vec(),
            legend: (!agents.is_empty()).then(|| known.unwrap_or_else(|| Arc::new(bound.legend()))),
        });
    }
}

/// One command of an agent.
#[derive(Clone, Copy, Debug)]
pub struct AgentCommand<'a> {
    /// The entity that the agent lives on.
    pub entity: Entity,
    /// The agent.
    pub agent: AgentId,
    /// Its machine, which knows names and channels of the command.
    pub machine: &'a Machine,
    /// The command.
    pub command: CommandRef<'a>,
}

/// What agents want done in this tick: a parameter of systems in
/// [`Commit`](crate::StatewrightSystems::Commit) or later. In the order of agents and of emission.
///
/// ```
/// use bevy_ecs::prelude::*;
/// use bevy_statewright::prelude::*;
/// use statewright::Command;
///
/// #[derive(Component)]
/// struct Position(f32);
///
/// #[derive(Clone, Copy, Command)]
/// #[command(lane = NAVIGATION)]
/// struct Step { by: f32 }
///
/// fn walk(wishes: AgentCommands, mut positions: Query<&mut Position>) {
///     for (entity, step) in wishes.of::<Step>() {
///         if let Ok(mut position) = positions.get_mut(entity) {
///             position.0 += step.by;
///         }
///     }
/// }
/// # bevy_ecs::system::assert_is_system(walk);
/// ```
#[derive(SystemParam)]
pub struct AgentCommands<'w> {
    outputs: Res<'w, Outputs>,
    agents: Res<'w, Agents>,
}

impl AgentCommands<'_> {
    /// All as they were written.
    pub fn iter(&self) -> impl Iterator<Item = AgentCommand<'_>> {
        let all = self.outputs.ran();
        self.merge(all.map(|(program, output)| (program, output.commands())))
    }

    /// What the merge rule leaves of one lane.
    pub fn lane(&self, lane: impl Into<Lane>) -> impl Iterator<Item = AgentCommand<'_>> {
        let (all, lane) = (self.outputs.ran(), lane.into());
        self.merge(all.map(move |(program, output)| (program, output.lane(lane))))
    }

    /// Typed commands, after the merge rule of their lane.
    pub fn of<T: Command>(&self) -> impl Iterator<Item = (Entity, T)> {
        let all = self.lane(T::LANE);
        all.filter_map(|one| Some((one.entity, one.command.get::<T>()?)))
    }

    /// Of several lists that are in order each, one that is.
    fn merge<'a, I: Iterator<Item = CommandRef<'a>>>(
        &'a self,
        lists: impl Iterator<Item = (u16, I)>,
    ) -> impl Iterator<Item = AgentCommand<'a>> {
        let commands = Merged::new(lists, |command| command.agent().index());
        commands.filter_map(|(program, command)| {
            let agent = command.agent();
            Some(AgentCommand {
                entity: self.agents.entity(agent)?,
                agent,
                machine: &self.agents.machines.get(usize::from(program))?.machine,
                command,
            })
        })
    }
}
