//! The border to fused machines: Rust that was generated for one machine, with its functions called
//! directly and its conditions as Rust expressions.
//!
//! Fused code does what the tables of the ROM say, to the same bytes; what it does not know it leaves
//! to them, and an agent may go the one way in this tick and the other in the next:
//!
//! ```text
//!   one agent ─▶ Poll ─┬─ Done                     all of a quiet tick
//!                      ├─ Halted ─▶ Take ─▶ Ask ─┐ eventless transitions, round by round
//!                      └─ Settled ◀──────────────┘
//!                            └─▶ Event, Timer ─▶ Ask … ─▶ End       (`drive`)
//!
//!   Tables, at any of them: nothing of it is done, and the tables go on from there
//! ```
//!
//! A host that has code for the machine is asked first ([`Host::fused`]). `crates/fuse` writes the code, with
//! nothing but what is public here; [`Linkage`] is how it gets from the numbers of the machine to
//! functions and fields. Not for people: the shape follows the generator.

mod call;
pub(crate) mod drive;
mod linkage;
mod moves;
mod score;

pub use call::CallSite;
pub use linkage::{ByNumber, Linkage};
pub use statewright_rom::code::arith;
pub use statewright_rom::layout::feature;

pub use crate::host::{Host, Mode, Status};
pub use crate::instance::event::Event;
pub use crate::instance::{Instance64, Instance128, Instance256};
pub use crate::poll::{Halt, Polled};
pub use score::{Scored, best};

use statewright_rom::ids::*;
use statewright_rom::layout::NONE;

use crate::code::activity::bits_at;
use crate::code::eval::evaluate;
use crate::code::truth::test_any;
use crate::context::{Context, TakenFor};
use crate::events::time::is_due;
use crate::host::cx::{ActionCx, GuardCx, scratch_slots};
use crate::instance::leaves::Rank;
use crate::instance::rng::Rng;
use crate::instance::{Instance, flag};
use crate::poll::has_only_deferred;
use crate::tick::Tick;

/// A part of a tick.
#[derive(Clone, Copy, Debug)]
pub enum Phase<'e> {
    /// A tick of an agent that only polls: `Polled`. With `has_events` it ends before they are taken.
    Poll {
        /// Whether something is to be taken.
        has_events: bool,
    },
    /// Are the active leaves a configuration? `Done` if they are.
    Check,
    /// A transition without event that may be taken: `Took`, or `Polled` with another one if a later leaf
    /// has found that.
    Take(Halt),
    /// An event of the inbox: `Took`.
    Event(&'e Event),
    /// One of the timers of these slots, and there is no other event: `Took`.
    Timer(u8),
    /// One more round of transitions without event: `Polled`.
    Ask,
    /// Update actions and activities of what was not entered in this tick: `Done`.
    Run,
}

/// What came of a part of a tick.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// Nothing is done: the tables have to do it.
    Tables,
    /// What polling came to.
    Polled(Polled),
    /// It is done.
    Done,
    /// What something was taken to.
    Took(Taking),
}

/// What came of an event, a timer or a transition without event. Small, so that it comes back in a
/// register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taking {
    /// Nothing is done: the tables have to do it.
    Tables,
    /// None of the timers fires.
    Done,
    /// One transition was carried out.
    Taken,
    /// The same, and no state that it has entered polls.
    Rests,
    /// One transition was carried out by the tables, which have counted it.
    Carried,
    /// The event is taken or kept for later, and nothing is carried out.
    Handled,
    /// Whoever might handle it does not.
    Ignored,
    /// Nobody might handle it.
    Nobody,
}

impl Taking {
    /// Was a transition carried out?
    #[inline]
    pub const fn is_taken(self) -> bool {
        matches!(self, Self::Taken | Self::Rests | Self::Carried)
    }
}

impl Step {
    /// What polling came to, if that is it.
    #[inline(always)]
    pub(crate) fn polled(self) -> Option<Polled> {
        match self {
            Self::Polled(polled) => Some(polled),
            Self::Tables | Self::Done | Self::Took(_) => None,
        }
    }

    /// What something was taken to; nothing if it is something else.
    #[inline(always)]
    pub(crate) fn taking(self) -> Taking {
        match self {
            Self::Took(taking) => taking,
            Self::Tables | Self::Done | Self::Polled(_) => Taking::Tables,
        }
    }

    /// Is it done?
    #[inline(always)]
    pub(crate) fn is_done(self) -> bool {
        matches!(self, Self::Done)
    }
}

/// What asking and running came to. Small, so that it comes back in a register; the context has the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quiet {
    /// All of a quiet tick is done.
    Done,
    /// Nobody may be taken.
    Settled,
    /// Somebody may.
    Halted,
    /// Nothing is done: the tables have to look closer.
    Slow,
    /// The agent has to end.
    Failed,
}

/// Who is asked.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// The how manyth leaf, in the order of the tree.
    pub rank: u8,
    /// Whether for its interrupts.
    pub interrupts: bool,
}

impl Asked {
    /// The leaf behind one that has found a transition.
    #[inline]
    #[must_use]
    pub fn behind(halt: &Halt) -> Self {
        Self {
            rank: halt.rank.next().index() as u8,
            interrupts: false,
        }
    }

    /// The leaf behind.
    #[inline(always)]
    #[must_use]
    pub const fn next(self) -> Self {
        Self {
            rank: self.rank.saturating_add(1),
            ..self
        }
    }
}

/// What fused code works on: the agent whose turn it is.
#[derive(Debug)]
pub struct Fuse<'r, 'a> {
    cx: &'r mut Context<'a>,
}

impl<'r, 'a> Fuse<'r, 'a> {
    #[inline(always)]
    pub(crate) fn new(cx: &'r mut Context<'a>) -> Self {
        Self { cx }
    }

    /// The same once more, for a function that is called.
    #[inline(always)]
    pub fn again(&mut self) -> Fuse<'_, 'a> {
        Fuse { cx: self.cx }
    }
}

/// The configuration.
impl Fuse<'_, '_> {
    /// A leaf as it lies in the bytes.
    #[inline(always)]
    pub fn leaf<I: Instance, const N: usize>(&self) -> u16 {
        let leaves = I::view(&self.cx.ram).map(Instance::raw_leaves);
        let leaf = leaves.and_then(|leaves| leaves.get(N));
        leaf.map_or(NONE, |leaf| leaf.get())
    }

    /// Is nothing to be done but to poll, as far as the queue can tell?
    #[inline(always)]
    pub fn is_quiet<I: Instance>(&self) -> bool {
        let rom = self.cx.rom;
        I::view(&self.cx.ram).is_some_and(|instance| {
            instance.header().event_count == 0 || has_only_deferred(rom, instance)
        })
    }

    /// Are the frames of stacks what they should be? Only machines with stacks have to ask.
    #[inline]
    pub fn are_frames(&self) -> bool {
        self.cx.are_frames()
    }

    /// Are there no other leaves than those of a mask?
    #[inline(always)]
    pub fn is_whole<I: Instance>(&self, used: u8) -> bool {
        let leaves = I::view(&self.cx.ram).map_or(&[][..], Instance::raw_leaves);
        // All at once: one branch.
        let others = (0_u32..).zip(leaves).fold(NONE, |all, (number, leaf)| {
            let own = used & 1_u8.checked_shl(number).unwrap_or(0) != 0;
            all & if own { NONE } else { leaf.get() }
        });
        others == NONE
    }

    /// Is the leaf of a number one of the states from one on, up to another?
    #[inline(always)]
    pub fn is_in<I: Instance, const N: usize>(&self, first: u16, end: u16) -> bool {
        (first..end).contains(&self.leaf::<I, N>())
    }

    /// What a slot holds.
    #[inline(always)]
    pub fn slot<I: Instance>(&self, slot: u8) -> u16 {
        let slots = I::view(&self.cx.ram).map_or(&[][..], Instance::raw_slots);
        slots.get(usize::from(slot)).map_or(0, |slot| slot.get())
    }

    /// The result of an activity: 0 while it runs, 1 for success, else failure.
    #[inline(always)]
    pub fn result<I: Instance>(&self, slot: u8, bit: u8) -> u16 {
        let slots = I::view(&self.cx.ram).map_or(&[][..], Instance::raw_slots);
        bits_at(slots, (slot, bit))
    }
}

/// The course of a tick.
impl<'a> Fuse<'_, 'a> {
    /// User code may run from now on.
    #[inline(always)]
    pub fn begin(&mut self) {
        self.cx.running = true;
    }

    /// A candidate may be taken (`enabled`), or there is more to ask it than fused code knows.
    #[inline]
    pub fn halt(&mut self, at: Asked, transition: u16, enabled: bool) -> Quiet {
        self.cx.halt = Halt {
            rank: Rank::of_bit(at.rank.into()),
            interrupts: at.interrupts,
            transition,
            enabled,
            before: NONE,
            before_rank: Rank::FIRST,
        };
        Quiet::Halted
    }

    /// A later leaf has found a transition, too.
    #[inline]
    pub fn halted_after(&mut self, first: Halt) -> Step {
        Step::Polled(Polled::Halted(self.cx.halt.after(first)))
    }

    /// What polling came to, with the rest.
    #[inline(always)]
    pub fn polled(&self, quiet: Quiet) -> Step {
        Step::Polled(match quiet {
            Quiet::Done => Polled::Done,
            Quiet::Settled => Polled::Settled,
            Quiet::Halted => Polled::Halted(self.cx.halt),
            Quiet::Slow => Polled::Slow,
            Quiet::Failed => match self.cx.check_fault() {
                Err(fault) => Polled::Failed(fault),
                Ok(()) => Polled::Settled,
            },
        })
    }

    /// Did something go wrong so far? Otherwise nobody may be taken.
    #[inline(always)]
    pub fn failure(&self) -> Quiet {
        match self.cx.check_fault() {
            Ok(()) => Quiet::Settled,
            Err(_) => Quiet::Failed,
        }
    }

    /// Everything is done.
    #[inline]
    pub fn finish(&mut self) -> Quiet {
        if let Quiet::Failed = self.failure() {
            return Quiet::Failed;
        }
        if self.cx.ram.has(flag::WORK) {
            self.cx.show_posted();
        }
        self.cx.running = false;
        Quiet::Done
    }
}

/// Calls.
impl<'a> Fuse<'_, 'a> {
    /// For a guard, a scorer or a value function.
    #[inline(always)]
    pub fn look(&mut self, call: &'static CallSite) -> GuardCx<'_, 'a> {
        self.cx.fixed_call = Some(call);
        GuardCx::new(self.cx)
    }

    /// For an action or an activity.
    #[inline(always)]
    pub fn act(&mut self, call: &'static CallSite) -> ActionCx<'_, 'a> {
        self.cx.fixed_call = Some(call);
        ActionCx::new(self.cx)
    }

    /// Keeps what an activity says.
    #[inline(always)]
    pub fn keep(&mut self, state: u16, status: Status) {
        if status != Status::Running
            && let Some(state) = self.cx.proved(StateId::new(state))
        {
            self.cx.set_result(state, status);
        }
    }
}

/// What expressions read.
impl Fuse<'_, '_> {
    /// A word of the parameters in the agent's variant, of so many words each.
    #[inline]
    pub fn parameter(&self, word: usize, words: usize) -> u32 {
        let row = self.cx.variant().index().wrapping_mul(words);
        let value = self.cx.rom.parameter_values().get(row.wrapping_add(word));
        value.map_or(0, |value| value.word.get())
    }

    /// Words of the event that is taken; 0 without one.
    #[inline]
    pub fn payload(&self) -> [u32; 3] {
        match self.cx.fixed_cause {
            TakenFor::Event(event) => {
                let [x, y, z, _] = event.words();
                [x, y, z]
            }
            TakenFor::Nothing | TakenFor::Timer(_) => [0; 3],
        }
    }

    /// Ticks since a state was entered whose clock is in a timer slot; 0 while it is not active.
    #[inline]
    pub fn ticks_since<I: Instance>(&self, slot: u8, is_active: bool) -> i32 {
        let timers = I::view(&self.cx.ram).map_or(&[][..], Instance::raw_timers);
        match timers.get(usize::from(slot)) {
            Some(time) if is_active => {
                let ticks = self.cx.now.wrapping_sub(time.get());
                ticks.min(i32::MAX as u32) as i32
            }
            _ => 0,
        }
    }

    /// The word of scratch that expressions see; 0 while its owner is not active.
    #[inline]
    pub fn scratch(&self, scratch: u16) -> u16 {
        let scratch = self.cx.proved(ScratchId::new(scratch));
        let slot = scratch.and_then(|scratch| scratch_slots(self.cx, scratch).next());
        slot.map_or(0, |slot| self.cx.slot(slot))
    }

    /// The agent's random numbers.
    #[inline]
    pub fn rng(&mut self) -> Rng<'_> {
        Rng::new(&mut self.cx.ram.header_mut().rng)
    }
}

/// Transitions that wait.
impl Fuse<'_, '_> {
    /// Has a stack room for a push, or a frame to pop?
    #[inline]
    pub fn stack_allows(&self, transition: u16) -> bool {
        let id = TransitionId::new(transition);
        let candidate = id.and_then(|id| self.cx.candidate(id));
        candidate.is_some_and(|candidate| self.cx.stack_reason(&candidate).is_none())
    }

    /// Are there fewer frames than so many, on all stacks together?
    #[inline]
    pub fn has_room_for_frames(&self, depth: u8) -> bool {
        self.cx.ram.header().stack_depth < depth
    }

    /// Is a frame on any stack?
    #[inline]
    pub fn has_frames(&self) -> bool {
        self.cx.ram.header().stack_depth != 0
    }

    /// Is a state complete (EXEC-6)?
    #[inline]
    pub fn is_complete(&self, state: u16) -> bool {
        StateId::new(state).is_some_and(|state| self.cx.is_complete(state))
    }

    /// Is a cooldown over whose ready tick is in two slots?
    #[inline]
    pub fn has_cooled<I: Instance>(&self, slot: u8) -> bool {
        let slot = self.cx.proved(SlotId::new(slot));
        let ready = slot.map_or(0, |slot| self.cx.wide_slot(slot));
        ready == 0 || is_due(ready, self.cx.now)
    }

    /// Its guard holds: does it have to wait still? Only the plans know what comes after waiting.
    #[inline]
    pub fn waits<I: Instance>(&self, timer: u8) -> bool {
        I::view(&self.cx.ram).is_some_and(|instance| {
            let bit = 1_u8.checked_shl(timer.into()).unwrap_or(0);
            let time = instance.raw_timers().get(usize::from(timer));
            let armed = instance.header().armed & bit != 0;
            armed && time.is_some_and(|time| !is_due(time.get(), self.cx.now))
        })
    }

    /// Starts, goes on or ends the wait of a candidate whose guard was asked; whether it is over.
    #[inline]
    pub fn debounce<I: Instance>(&mut self, timer: u8, ticks: u32, holds: bool) -> bool {
        let bit = 1_u8.checked_shl(timer.into()).unwrap_or(0);
        if !holds {
            self.disarm::<I>(bit);
            return false;
        }
        let armed = I::view(&self.cx.ram).map_or(0, |instance| instance.header().armed);
        if armed & bit == 0 {
            self.arm::<I>(timer, ticks);
        }
        !self.waits::<I>(timer)
    }

    /// Was a state entered less than so many ticks ago whose clock is in a timer slot?
    #[inline(always)]
    pub fn is_young<I: Instance>(&self, clock: u8, ticks: u32) -> bool {
        let timers = I::view(&self.cx.ram).map_or(&[][..], Instance::raw_timers);
        let entered = timers.get(usize::from(clock));
        entered.is_some_and(|entered| self.cx.now.wrapping_sub(entered.get()) < ticks)
    }

    /// Keeps a transition in the slot of its source, unless another one waits there (SEL-6); whether it
    /// does.
    #[inline]
    pub fn latch<I: Instance>(&mut self, slot: u8, transition: u16) -> bool {
        if self.slot::<I>(slot) != 0 {
            return false;
        }
        self.put_slot::<I>(slot, transition.saturating_add(1));
        true
    }
}

/// What is left to the tables.
impl Fuse<'_, '_> {
    /// The guard of a candidate holds: may it be taken?
    #[inline(never)]
    pub fn may_be_taken(&mut self, host: &mut dyn Host, transition: u16) -> bool {
        Tick::new(self.cx, host, None).may_be_taken(transition)
    }

    /// Whether an expression holds.
    #[inline(never)]
    pub fn test(&mut self, host: &dyn Host, expression: u16, call: &'static CallSite) -> bool {
        let expression = self.cx.proved(ExpressionId::new(expression));
        let site = self.cx.fixed_site(call);
        expression.is_some_and(|expression| test_any(self.cx, host, expression, &site))
    }

    /// Words of an expression.
    #[inline(never)]
    pub fn evaluate(
        &mut self,
        host: &dyn Host,
        expression: u16,
        call: &'static CallSite,
    ) -> [u32; 3] {
        let expression = self.cx.proved(ExpressionId::new(expression));
        let site = self.cx.fixed_site(call);
        expression.map_or([0; 3], |expression| {
            evaluate(self.cx, host, expression, &site, None)
        })
    }

    /// Computes the arguments of a call.
    #[inline(never)]
    pub fn compute_arguments(&mut self, host: &mut dyn Host, op: u16, call: &'static CallSite) {
        let op = OpId::new(op).and_then(|op| self.cx.op(op));
        let site = self.cx.fixed_site(call);
        if let Some(op) = self.cx.proved(op) {
            Tick::new(self.cx, host, None).compute_arguments(op, &site);
        }
    }

    /// Carries out one action.
    #[inline(never)]
    pub fn run_op(&mut self, host: &mut dyn Host, op: u16, call: &'static CallSite) {
        let op = OpId::new(op).and_then(|op| self.cx.op(op));
        let site = self.cx.fixed_site(call);
        if let Some(op) = self.cx.proved(op) {
            Tick::new(self.cx, host, None).run_op(op, &site);
        }
    }

    /// Carries out a list of actions.
    #[inline(never)]
    pub fn run_list(&mut self, host: &mut dyn Host, list: u16, call: &'static CallSite) {
        let site = self.cx.fixed_site(call);
        Tick::new(self.cx, host, None).run_list(ListId::new(list), &site);
    }
}
