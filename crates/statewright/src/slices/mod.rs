//! One tick over slices that the host owns, such as the tables of an ECS (SYS-1).
//!
//! The same pipeline as that of a crowd, with the host in the crowd's place: it keeps instances,
//! blackboards and ids, decides who is awake, and brings events and messages to their receivers.
//!
//! A host whose agents lie in several places, such as tables, gives each as a [`Segment`].
//!
//! - `check` what is refused before anybody runs
//! - `output` what a tick leaves for the host, `by_id` in the order of ids
//! - `instance` what the host does to one agent between ticks

mod by_id;
mod check;
mod instance;
mod output;

use statewright_kernel::{InboxEvent, Instance};
use statewright_rom::Rom;
use statewright_rom::ids::VariantId;
use statewright_trace::Filter;

use crate::agent_id::{AgentId, CrowdNumber};
use crate::board::Board;
use crate::commands::CommandLimits;
use crate::context::Context;
use crate::crowd::Roster;
use crate::parameters::{self, Parameters};
use crate::pipeline::{
    AgentIds, AgentSlices, Here, Runner, Segment, Spread, TickEnv, TickSettings, Workers,
    pages_needed,
};
use crate::program::Program;
use crate::sealed::Sealed;

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
    /// Of whom there is a trace, if it is [of some alone](crate::trace::Settings::agents): their indices,
    /// ascending. All others then go as if there were none. `None`: everybody is asked.
    pub traced: Option<&'s [u32]>,
    /// Whose user code is [written down](SlicesOutput::sealed_calls), by index.
    pub sealed: Option<&'s Sealed>,
    /// Whether agents whose bytes change are [listed](SlicesOutput::changed).
    pub lists_changed: bool,
    /// Whether commands and messages come in the order of ids, by their indices, instead of that of
    /// slices: for hosts whose agents lie in any order. All else that is listed, [lost
    /// commands](SlicesOutput::lost_commands) and traces among it, stays in the order of slices.
    pub by_id: bool,
    /// How the tick is carried out.
    pub settings: TickSettings,
}

impl<'s> Slices<'s> {
    /// Who agents are whose host gave no ids.
    fn indices() -> AgentIds<'s> {
        AgentIds::Crowd(Roster::new(CrowdNumber::NONE, &[]))
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
        let agents = slices.agents;
        let segment = Segment {
            instances,
            boards,
            agents,
        };
        let slices = Slices {
            agents: &[],
            ..slices
        };
        let is_numbered = agents.is_empty();
        self.run_segments(
            (&mut [segment], slices, is_numbered),
            context,
            output,
            &Here,
        )
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
        let agents = slices.agents;
        let segment = Segment {
            instances,
            boards,
            agents,
        };
        let slices = Slices {
            agents: &[],
            ..slices
        };
        let is_numbered = agents.is_empty();
        let runner = Spread(workers);
        self.run_segments(
            (&mut [segment], slices, is_numbered),
            context,
            output,
            &runner,
        )
    }

    /// One tick over agents that lie in several places, such as the tables of an ECS. Indices count
    /// through all of them; `Slices::agents` is empty, because each segment has its own.
    ///
    /// ```
    /// use statewright::prelude::*;
    /// use statewright::{Instance, Instance64, Segment, Slices, SlicesOutput};
    ///
    /// let machine = Machine::build("Ant", |m| {
    ///     m.state("walk", |_| {});
    /// })?;
    /// let ants = machine.bind(Functions::<(), ()>::new())?;
    /// let new = |number| Instance64::new(&machine.rom(), 1, number).expect("the smallest tier");
    /// let (mut here, mut there) = ([new(4), new(2)], [new(7)]);
    /// let mut segments = [
    ///     Segment { instances: &mut here, boards: &mut [(), ()], agents: &[4, 2].map(|n| AgentId::new(n, 1)) },
    ///     Segment { instances: &mut there, boards: &mut [()], agents: &[AgentId::new(7, 1)] },
    /// ];
    /// let mut output = SlicesOutput::default();
    /// ants.tick_segments(&mut segments, &(), Slices::default(), &mut output)?;
    /// assert_eq!(output.turns(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn tick_segments<I: Instance + Send>(
        &self,
        segments: &mut [Segment<'_, I, B>],
        context: &C::Of<'_>,
        slices: Slices<'_>,
        output: &mut SlicesOutput,
    ) -> Result<(), SlicesError> {
        self.run_segments((segments, slices, false), context, output, &Here)
    }

    /// The same on the threads of a pool of the host's choice. No chunk reaches over the end of a
    /// segment.
    pub fn tick_segments_on<'w, I: Instance + Send>(
        &self,
        workers: &impl Workers,
        segments: &mut [Segment<'_, I, B>],
        context: &C::Of<'w>,
        slices: Slices<'_>,
        output: &mut SlicesOutput,
    ) -> Result<(), SlicesError>
    where
        B: Send,
        C::Of<'w>: Sync,
    {
        let runner = Spread(workers);
        self.run_segments((segments, slices, false), context, output, &runner)
    }

    fn run_segments<'w, I: Instance + Send, R: Runner<B, C::Of<'w>>>(
        &self,
        (segments, slices, is_numbered): (&mut [Segment<'_, I, B>], Slices<'_>, bool),
        context: &C::Of<'w>,
        output: &mut SlicesOutput,
        runner: &R,
    ) -> Result<(), SlicesError> {
        let parameters = slices.parameters.and_then(Parameters::values);
        let rom = parameters::view(self.machine(), parameters.map(|values| &**values))
            .quarantining_overflow(slices.settings.quarantine_overflow);
        self.check_slices(segments, &slices, is_numbered, &rom)?;
        let cut = Cut::new(segments, R::chunk_size(&slices.settings));
        let promised = promise_pages(output, (segments, &cut), &slices, &rom)?;
        // From here on the tick takes place.
        let ids = is_numbered.then(Slices::indices);
        output.begin(segments, ids, slices.tick as u32, cut.chunks);
        let SlicesOutput {
            pages,
            tracing,
            measured,
            last,
            ..
        } = output;
        let (settings, now) = (slices.settings, slices.tick as u32);
        let filter = tracing.filter().cloned();
        // Who is called by its index is so in traces, too.
        let numbered = filter.as_deref().filter(|_| is_numbered);
        let traced = slices.traced.or(numbered.and_then(Filter::chosen));
        let env = TickEnv {
            table: self.table.for_tick(),
            sleepers: &self.sleepers,
            machine: self.machine(),
            rom: &rom,
            context,
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
            sealed: slices.sealed,
            traced,
            lists_changed: slices.lists_changed,
        };
        let all_ids = segments.iter().flat_map(|segment| {
            let ids = segment.agents.iter().copied();
            let numbers = 0..segment.instances.len() * usize::from(is_numbered);
            ids.chain(numbers.map(|index| Slices::indices().at(index)))
        });
        let reasons = tracing.begin(last, all_ids, (cut.agents, traced), now);
        let agents = AgentSlices {
            segments,
            ids,
            inbox: slices.inbox,
            awake: slices.awake,
            stops: slices.stopping,
            reasons,
        };
        agents.run(cut.size, &env, last, runner);
        pages.keep(promised, last);
        output.finish(self, &rom, &slices);
        Ok(())
    }
}

/// Pages for all that may run are set aside. How many.
fn promise_pages<I, B>(
    output: &mut SlicesOutput,
    (segments, cut): (&[Segment<'_, I, B>], &Cut),
    slices: &Slices<'_>,
    rom: &Rom<'_>,
) -> Result<usize, SlicesError> {
    let budget = slices.settings.budget_for(rom);
    let most = (slices.most_turns(cut.agents), cut.chunks);
    let SlicesOutput { pages, last, .. } = output;
    let promised = pages.promise(last, budget, most, |per_page| match slices.awake {
        // Whoever stops may be in neither list; at worst each is alone in a page.
        Some(awake) => {
            pages_needed(awake, slices.inbox, cut.chunks_of(segments), per_page)
                + slices.stopping.len()
        }
        None => cut.pages(per_page),
    });
    Ok(promised?)
}

/// How segments are cut into chunks.
struct Cut {
    agents: usize,
    chunks: usize,
    /// Most agents of a chunk.
    size: usize,
}

impl Cut {
    fn new<I, B>(segments: &[Segment<'_, I, B>], size: Option<usize>) -> Self {
        let lengths = segments.iter().map(|segment| segment.instances.len());
        let size = size.or(lengths.clone().max()).unwrap_or(1).max(1);
        Self {
            agents: lengths.clone().sum(),
            chunks: lengths.map(|length| length.div_ceil(size)).sum(),
            size,
        }
    }

    /// The chunk that an agent is in, by its index. Seldom asked for.
    fn chunks_of<I, B>(&self, segments: &[Segment<'_, I, B>]) -> impl Fn(u32) -> usize {
        let (mut agents, mut chunks) = (0, 0);
        let starts = segments.iter().map(|segment| {
            let start = (agents, chunks);
            agents += segment.instances.len();
            chunks += segment.instances.len().div_ceil(self.size);
            start
        });
        let (starts, size): (Vec<_>, _) = (starts.collect(), self.size);
        move |index| {
            let index = index as usize;
            let behind = starts.partition_point(|&(agents, _)| agents <= index);
            let (agents, chunks) = starts
                .get(behind.wrapping_sub(1))
                .copied()
                .unwrap_or_default();
            chunks + (index - agents) / size
        }
    }

    /// Pages that all agents can fill.
    fn pages(&self, per_page: usize) -> usize {
        self.chunks * self.size.min(self.agents).div_ceil(per_page)
    }
}
