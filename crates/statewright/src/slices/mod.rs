//! One tick over slices that the host owns, such as the tables of an ECS (SYS-1).
//!
//! The same pipeline as that of a crowd, with the host in the crowd's place: it keeps instances,
//! blackboards and ids, decides who is awake, and brings events and messages to their receivers.
//!
//! - `check` what is refused before anybody runs
//! - `output` what a tick leaves for the host
//! - `instance` what the host does to one agent between ticks

mod check;
mod instance;
mod output;

use statewright_kernel::{InboxEvent, Instance};
use statewright_rom::Rom;
use statewright_rom::ids::VariantId;

use crate::agent_id::{AgentId, CrowdNumber};
use crate::board::Board;
use crate::commands::CommandLimits;
use crate::context::Context;
use crate::crowd::Roster;
use crate::parameters::{self, Parameters};
use crate::pipeline::{
    AgentIds, AgentSlices, Here, Runner, Spread, TickEnv, TickSettings, Workers, pages_needed,
};
use crate::program::Program;

pub use check::SlicesError;
pub(crate) use instance::channels;
pub use output::SlicesOutput;

/// What a tick over slices is given besides them. Agents are named by their index in the slices.
#[derive(Clone, Copy, Debug, Default)]
pub struct Slices<'s> {
    /// The tick. Agents see its low half.
    pub tick: u64,
    /// One id per agent, each its own: what its functions, commands, messages and the trace call
    /// it. Without ids an agent is called by its index.
    pub agents: &'s [AgentId],
    /// One variant per agent, or none for the plain parameters.
    pub variants: &'s [VariantId],
    /// Changed parameters; `None` for those of the machine file.
    pub parameters: Option<&'s Parameters>,
    /// Events, sorted by index; those of one agent in order.
    pub inbox: &'s [InboxEvent],
    /// Agents that are to be ticked besides those with events, ascending; `None` for all.
    pub awake: Option<&'s [u32]>,
    /// Agents that are stopped at their turn (SYS-10), ascending.
    pub stopping: &'s [u32],
    /// How the tick is carried out.
    pub settings: TickSettings,
}

impl<'s> Slices<'s> {
    fn ids(&self) -> AgentIds<'s> {
        if self.agents.is_empty() {
            AgentIds::Crowd(Roster::new(CrowdNumber::NONE, &[]))
        } else {
            AgentIds::Given(self.agents)
        }
    }

    /// A bound for agents that may run, of so many.
    fn most_turns(&self, agents: usize) -> usize {
        self.awake.map_or(agents, |awake| {
            agents.min(awake.len() + self.inbox.len() + self.stopping.len())
        })
    }
}

/// Slices of the host's own.
impl<B: Board, C: Context + ?Sized> Program<B, C> {
    /// Runs one tick over slices that the host owns. A refused call has changed nothing.
    ///
    /// Everything that a tick of a crowd does happens here, too: commands by lane, messages, stops,
    /// traces, staged writes. What a crowd does between ticks is the host's: it offers
    /// [left](SlicesOutput::left) events again, first, then delivers
    /// [messages](SlicesOutput::messages), and wakes whoever is
    /// [awake next](SlicesOutput::awake_next).
    pub fn tick_slices<I: Instance + Send>(
        &self,
        instances: &mut [I],
        boards: &mut [B],
        context: &C::Of<'_>,
        slices: Slices<'_>,
        output: &mut SlicesOutput,
    ) -> Result<(), SlicesError> {
        let size = instances.len();
        self.run_slices((instances, boards, slices), size, context, output, &Here)
    }

    /// The same on the threads of a pool of the host's choice, in
    /// [chunks](TickSettings::chunk_size). Every byte and every command is that of
    /// [`Self::tick_slices`].
    pub fn tick_slices_on<'w, I: Instance + Send>(
        &self,
        workers: &impl Workers,
        instances: &mut [I],
        boards: &mut [B],
        context: &C::Of<'w>,
        slices: Slices<'_>,
        output: &mut SlicesOutput,
    ) -> Result<(), SlicesError>
    where
        B: Send,
        C::Of<'w>: Sync,
    {
        let (size, runner) = (slices.settings.chunk_size, Spread(workers));
        self.run_slices((instances, boards, slices), size, context, output, &runner)
    }

    fn run_slices<'w, I: Instance + Send>(
        &self,
        (instances, boards, slices): (&mut [I], &mut [B], Slices<'_>),
        size: usize,
        context: &C::Of<'w>,
        output: &mut SlicesOutput,
        runner: &impl Runner<B, C::Of<'w>>,
    ) -> Result<(), SlicesError> {
        let parameters = slices.parameters.and_then(Parameters::values);
        let rom = parameters::view(self.machine(), parameters.map(|values| &**values))
            .quarantining_overflow(slices.settings.quarantine_overflow);
        self.check_slices(instances, boards, &slices, &rom)?;
        let size = size.max(1);
        let promised = promise_pages(output, &slices, instances.len(), size, &rom)?;
        // From here on the tick takes place.
        output.begin(instances, &slices, size);
        let SlicesOutput {
            pages,
            tracing,
            measured,
            last,
            ..
        } = output;
        let (ids, settings, now) = (slices.ids(), slices.settings, slices.tick as u32);
        let env = TickEnv {
            table: self.table.for_tick(),
            sleepers: &self.sleepers,
            machine: self.machine(),
            rom: &rom,
            context,
            ids,
            variants: slices.variants,
            now,
            mismatch: settings.mismatch,
            limits: CommandLimits {
                pool: pages.pool(),
                rules: &self.rules,
                budget: settings.budget_for(&rom),
                tick: slices.tick,
                forgets: settings.forgets_commands,
            },
            strict: settings.is_strict_for(&rom),
            sleeping: settings.sleeping,
            timing: measured.timing.as_ref(),
            sealed: None,
        };
        let reasons = tracing.begin(last, ids, instances.len(), now);
        let agents = AgentSlices {
            instances,
            boards,
            inbox: slices.inbox,
            awake: slices.awake,
            stops: slices.stopping,
            reasons,
        };
        agents.run(size, &env, last, runner);
        pages.keep(promised, last);
        output.finish(self, &rom);
        Ok(())
    }
}

/// Pages for all that may run are set aside. How many.
fn promise_pages(
    output: &mut SlicesOutput,
    slices: &Slices<'_>,
    agents: usize,
    size: usize,
    rom: &Rom<'_>,
) -> Result<usize, SlicesError> {
    let (budget, chunks) = (slices.settings.budget_for(rom), agents.div_ceil(size));
    let most = (slices.most_turns(agents), chunks);
    let SlicesOutput { pages, last, .. } = output;
    let promised = pages.promise(last, budget, most, |per_page| match slices.awake {
        // Whoever stops may be in neither list; at worst each is alone in a page.
        Some(awake) => pages_needed(awake, slices.inbox, size, per_page) + slices.stopping.len(),
        None => chunks * size.min(agents).div_ceil(per_page),
    });
    Ok(promised?)
}
