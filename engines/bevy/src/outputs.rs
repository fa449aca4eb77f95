//! What agents want done, and what became of them: read by systems in
//! [`Commit`](crate::StatewrightSystems::Commit), in the order of agents whatever kinds, machines and
//! tables there are.

use bevy_ecs::entity::Entity;
use bevy_ecs::resource::Resource;
use bevy_ecs::system::{Res, SystemParam};
use statewright::commands::{Command, CommandRef, Lane};
use statewright::trace::Settings;
use statewright::{AgentId, Board, Context, Machine, Program, SlicesOutput};

use crate::merge::Merged;
use crate::roster::{Agents, NO_PROGRAM};

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
    /// Structure hash of the machine that is traced.
    traced: Option<u64>,
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

    /// Where a program leaves what comes of its tick.
    pub(crate) fn begin<B: Board, C: Context + ?Sized>(
        &mut self,
        program: u16,
        bound: &Program<B, C>,
        telling: &Option<Settings>,
    ) -> &mut SlicesOutput {
        debug_assert_ne!(program, NO_PROGRAM, "only machines that are there run");
        let place = usize::from(program);
        if self.list.len() <= place {
            self.list.resize_with(place + 1, Output::default);
        }
        let own = &mut self.list[place];
        own.ran = true;
        let hash = bound.machine().structure_hash();
        if telling.is_some() && own.traced != Some(hash) {
            let begun = own.output.set_trace(bound.machine(), telling.clone());
            debug_assert!(begun.is_ok(), "nothing is named in the settings");
            own.traced = Some(hash);
        }
        &mut own.output
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
