//! One agent at a time, without a crowd and without slices: for a hero, a boss, a menu.

use std::any::Any;
use std::cell::Cell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::slice::from_ref;

use statewright_kernel::fused::{OneEvent, take_alone};
use statewright_kernel::{Counters, Event, Fault, Instance, Sleep};
use statewright_rom::Rom;
use statewright_rom::ids::{FunctionId, VariantId};

use crate::agent_id::AgentId;
use crate::board::Board;
use crate::commands::{CommandLimits, CommandRef, Lane, LostCommand};
use crate::context::Context;
use crate::crowd::Envelope;
use crate::fused::{AnyAlone, PlainHost};
use crate::parameters::{self, Parameters};
use crate::pipeline::{
    AgentIds, Alone, CallPlace, Chunk, LaneCommands, PageSupply, Panicked, TickEnv, TickOutput,
    TickSettings, WrongSettings,
};
use crate::program::Program;
use crate::slices::SlicesError;

/// Ticks agents one by one, each for itself. What ticks have in common is made ready once, so that a
/// tick costs little more than what the kernel does; a crowd, or slices, of one agent do the same for
/// ten times as much.
///
/// The host keeps instances and blackboards, says which tick it is, and brings events and messages to
/// their receivers. Traces and times of functions are for crowds and slices.
///
/// ```
/// use statewright::prelude::*;
/// use statewright::{Instance, Instance64, Turn};
///
/// let machine = Machine::build("Door", |m| {
///     m.event("Push");
///     m.initial("shut");
///     m.state("shut", |s| {
///         s.on("Push").go("open");
///     });
///     m.state("open", |s| {
///         s.after("2t").go("shut");
///     });
/// })?;
/// let program = machine.bind(Functions::<(), ()>::new())?;
/// let mut solo = program.solo();
/// let mut door = Instance64::new(&machine.rom(), 1, 0).expect("a small machine");
/// let push = machine.make_event(machine.event("Push")?, ())?;
/// for tick in 0..3 {
///     let events = if tick == 1 { &[push][..] } else { &[] };
///     let done = solo.tick(&mut door, &mut (), &(), Turn { tick, events, ..Turn::default() })?;
///     assert!(done.left.is_empty() && done.fault.is_none());
///     assert_eq!(machine.is_in(&door, machine.state("open")?)?, tick > 0);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Solo<'p, B, C: Context + ?Sized> {
    program: &'p Program<B, C>,
    rom: Rom<'p>,
    settings: TickSettings,
    pages: PageSupply,
    /// One chunk.
    last: TickOutput,
    /// The machine as code, unless writes have to wait.
    alone: Option<AnyAlone<B, C>>,
}

impl<B, C: Context + ?Sized> fmt::Debug for Solo<'_, B, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Solo")
            .field("program", self.program)
            .finish_non_exhaustive()
    }
}

/// What one agent is given for its tick.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'t> {
    /// The tick. The agent sees its low half.
    pub tick: u64,
    /// What its functions, commands and messages call it.
    pub agent: AgentId,
    /// The variant of its parameters.
    pub variant: VariantId,
    /// Its events, in order.
    pub events: &'t [Event],
}

impl Default for Turn<'_> {
    fn default() -> Self {
        Self {
            tick: 0,
            agent: AgentId::default(),
            variant: VariantId::PLAIN,
            events: &[],
        }
    }
}

/// What a tick of one agent came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TurnDone<'t> {
    /// Events that were not taken: to be offered again, first (EVT-4).
    pub left: &'t [Event],
    /// A cap was reached (TICK-4).
    pub clamped: bool,
    /// There was no room in the queue for an event (EVT-3).
    pub overflowed: bool,
    /// Why the agent was ended in this tick.
    pub fault: Option<Fault>,
    /// User code unwound and the agent has ended: [`Solo::panicked`] and [`Solo::unbound_call`] tell
    /// where.
    pub unwound: bool,
}

impl<B: Board, C: Context + ?Sized> Program<B, C> {
    /// What ticks single agents.
    pub fn solo(&self) -> Solo<'_, B, C> {
        let mut solo = Solo {
            program: self,
            rom: self.machine().rom(),
            settings: TickSettings::default(),
            pages: PageSupply::default(),
            last: TickOutput::default(),
            alone: None,
        };
        solo.begin();
        solo
    }
}

/// Beginning.
impl<'p, B: Board, C: Context + ?Sized> Solo<'p, B, C> {
    /// By other settings. Chunks and sleep mean nothing here.
    pub fn with_settings(mut self, settings: TickSettings) -> Result<Self, WrongSettings> {
        settings.check(self.program.strict)?;
        self.settings = settings;
        self.begin();
        Ok(self)
    }

    /// With changed parameters.
    pub fn with_parameters(mut self, parameters: &'p Parameters) -> Result<Self, SlicesError> {
        let machine = self.program.machine();
        if !parameters.fit(machine) {
            return Err(SlicesError::Parameters);
        }
        let values = parameters.values().map(|values| &**values);
        self.rom = parameters::view(machine, values);
        self.begin();
        Ok(self)
    }

    /// Everything that no tick changes.
    fn begin(&mut self) {
        let overflow = self.settings.quarantine_overflow;
        self.rom = self.rom.quarantining_overflow(overflow);
        let strict = self.settings.is_strict_for(&self.rom);
        self.alone = self.program.table.alone().filter(|_| !strict);
        let budget = self.settings.budget_for(&self.rom);
        self.last.clear();
        self.last.resize(1);
        // An agent fills one page at most. It is never given back: the pool is its own.
        let promised = self.pages.promise(&mut self.last, budget, (1, 1), |_| 1);
        debug_assert!(promised.is_ok(), "a pool of its own grows");
        let limits = limits(self.program, &self.rom, &self.settings, &self.pages, 0);
        for chunk in self.last.chunks_mut() {
            chunk.begin(&limits);
        }
    }
}

/// What holds for its writer.
#[inline]
fn limits<'t, B: Board, C: Context + ?Sized>(
    program: &'t Program<B, C>,
    rom: &Rom<'_>,
    settings: &TickSettings,
    pages: &'t PageSupply,
    tick: u64,
) -> CommandLimits<'t> {
    CommandLimits {
        pool: pages.pool(),
        rules: &program.rules,
        budget: settings.budget_for(rom),
        tick,
        forgets: settings.forgets_commands,
    }
}

/// Ticks.
impl<B: Board, C: Context + ?Sized> Solo<'_, B, C> {
    /// Runs one tick of one agent. A refused call has changed nothing; commands of the last tick end
    /// with the next that is not refused.
    pub fn tick<'t, I: Instance>(
        &mut self,
        instance: &mut I,
        board: &mut B,
        context: &C::Of<'_>,
        turn: Turn<'t>,
    ) -> Result<TurnDone<'t>, SlicesError> {
        self.check::<I>(board, turn.variant)?;
        if let (Some(code), [event]) = (self.alone, turn.events)
            && let Some(done) = self.take_alone(code, (instance, board), context, &turn, event)
        {
            return Ok(done);
        }
        Ok(self.tick_by_tables((instance, board), context, &turn))
    }

    /// One event of an agent that is at rest, by code; `None` if nothing is done.
    #[inline]
    fn take_alone<'t, I: Instance>(
        &mut self,
        code: AnyAlone<B, C>,
        (instance, board): (&mut I, &mut B),
        context: &C::Of<'_>,
        turn: &Turn<'t>,
        event: &Event,
    ) -> Option<TurnDone<'t>> {
        let chunk = self.last.chunks_mut().first_mut()?;
        chunk.go_on(turn.tick);
        chunk.writer.begin();
        let unwound = Cell::new(None);
        let one = OneEvent {
            tick: turn.tick as u32,
            variant: &turn.variant,
            event,
        };
        let (rom, counters) = (&self.rom, &mut chunk.counters);
        let run = AssertUnwindSafe(|| {
            take_alone(rom, instance, one, counters, |bare| {
                let host = PlainHost {
                    board,
                    context,
                    unwound: &unwound,
                };
                code(bare, host, event)
            })
        });
        match catch_unwind(run) {
            Ok(true) => Some(TurnDone::of_nothing(&[])),
            Ok(false) => None,
            Err(panic) => self.unwind((instance, board), context, turn, (unwound.take(), panic)),
        }
    }

    /// User code of such an agent unwound.
    #[cold]
    #[inline(never)]
    fn unwind<'t, I: Instance>(
        &mut self,
        (instance, board): (&mut I, &mut B),
        context: &C::Of<'_>,
        turn: &Turn<'t>,
        unwound: (Option<CallPlace>, Box<dyn Any + Send>),
    ) -> Option<TurnDone<'t>> {
        let (env, chunk) = self.env(context, turn);
        let alone = Alone {
            ids: own_id(turn),
            instance,
            board,
            chunk: chunk?,
        };
        alone.unwind(&env, unwound, turn.events);
        Some(TurnDone {
            unwound: true,
            ..TurnDone::of_nothing(&[])
        })
    }

    /// What a tick is given, and where it leaves what comes of it.
    fn env<'e, 'w>(
        &'e mut self,
        context: &'e C::Of<'w>,
        turn: &'e Turn<'_>,
    ) -> (TickEnv<'e, B, C::Of<'w>>, Option<&'e mut Chunk>) {
        let Self {
            program,
            rom,
            settings,
            pages,
            last,
            ..
        } = self;
        let env = TickEnv {
            table: program.table.for_tick(),
            sleepers: &program.sleepers,
            machine: program.machine(),
            rom,
            context,
            variants: from_ref(&turn.variant),
            now: turn.tick as u32,
            mismatch: settings.mismatch,
            limits: limits(program, rom, settings, pages, turn.tick),
            strict: settings.is_strict_for(rom),
            sleeping: false,
            timing: None,
            sealed: None,
            traced: None,
            lists_changed: false,
        };
        (env, last.chunks_mut().first_mut())
    }

    /// Whatever else a tick is.
    #[inline(never)]
    fn tick_by_tables<'t, I: Instance>(
        &mut self,
        (instance, board): (&mut I, &mut B),
        context: &C::Of<'_>,
        turn: &Turn<'t>,
    ) -> TurnDone<'t> {
        let (env, Some(chunk)) = self.env(context, turn) else {
            return TurnDone::of_nothing(turn.events);
        };
        let alone = Alone {
            ids: own_id(turn),
            instance,
            board,
            chunk,
        };
        let report = alone.run(&env, turn.events);
        let cap = usize::from(env.rom.header().events_per_tick.get());
        match report {
            Some(report) => {
                let left = turn.events.get(report.inbox_taken..).unwrap_or(&[]);
                TurnDone {
                    left: left.get(..cap).unwrap_or(left),
                    clamped: report.clamped,
                    overflowed: report.overflowed,
                    fault: report.fault,
                    unwound: false,
                }
            }
            None => TurnDone {
                unwound: true,
                ..TurnDone::of_nothing(&[])
            },
        }
    }

    #[inline]
    fn check<I: Instance>(&self, board: &B, variant: VariantId) -> Result<(), SlicesError> {
        if self.rom.header().tier != I::TIER {
            return Err(SlicesError::Tier);
        }
        if variant.index() >= self.rom.variants().len().max(1) {
            return Err(SlicesError::UnknownVariant { index: 0 });
        }
        if !board.fits(self.program.machine()) {
            return Err(SlicesError::BoardDoesNotFit { index: 0 });
        }
        Ok(())
    }

    /// May the agent that was ticked last sleep, until the host does something to it (SYS-2)? Its tick
    /// would change nothing then.
    pub fn sleep<I: Instance>(&self, instance: &I, tick: u64) -> Sleep {
        // A write that waited for the end of the tick: a condition may hold now.
        if self.last.awake_next().next().is_some() {
            return Sleep::Awake;
        }
        self.program
            .sleepers
            .sleep(&self.rom, instance, tick as u32)
    }
}

impl<'t> TurnDone<'t> {
    fn of_nothing(left: &'t [Event]) -> Self {
        Self {
            left,
            clamped: false,
            overflowed: false,
            fault: None,
            unwound: false,
        }
    }
}

/// What the last tick left, of whichever agent it was.
impl<B: Board, C: Context + ?Sized> Solo<'_, B, C> {
    /// Commands, in the order of emission.
    pub fn commands(&self) -> impl Iterator<Item = CommandRef<'_>> {
        self.last.commands()
    }

    /// Lanes with commands, by number.
    pub fn lanes(&self) -> impl Iterator<Item = Lane> + use<B, C> {
        self.last.lanes()
    }

    /// What the merge rule leaves of one lane (CMD-1).
    pub fn lane(&self, lane: impl Into<Lane>) -> LaneCommands<'_> {
        self.last.lane(lane.into(), &self.program.rules)
    }

    /// Events for other agents, in the order of emission (CMD-4).
    pub fn messages(&self) -> impl Iterator<Item = Envelope> + '_ {
        let messages = self.last.messages(self.program.machine(), &self.rom);
        messages.map(|message| message.envelope)
    }

    /// Commands that the agent lost, and why (CMD-2).
    pub fn lost_commands(&self) -> impl Iterator<Item = LostCommand> {
        self.last.lost_commands()
    }

    /// The panic in user code that ended the agent.
    pub fn panicked(&self) -> Option<&Panicked> {
        self.last.panicked().next()
    }

    /// The missing function whose call ended the agent
    /// ([`Machine::bind_for_development`](crate::Machine::bind_for_development)).
    pub fn unbound_call(&self) -> Option<FunctionId> {
        self.last
            .unbound_calls()
            .next()
            .map(|(_, function)| function)
    }

    /// What happened in all ticks so far.
    pub fn counters(&self) -> Counters {
        self.last.counters()
    }
}

/// The one agent, as a tick calls it.
fn own_id<'t>(turn: &'t Turn<'_>) -> AgentIds<'t> {
    AgentIds::Given {
        first: 0,
        ids: from_ref(&turn.agent),
    }
}
