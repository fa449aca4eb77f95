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
//! In a batch most of it is first tried on the bytes of the agent alone ([`Work`], [`Bare`]), which is enough for
//! functions that look at nothing but their blackboard. Agents of machines that poll with others are attached for
//! each call of these ([`Calling`]).
//!
//! A host that has code for the machine is asked first ([`Host::fused`]). `crates/fuse` writes the code, with
//! nothing but what is public here; [`Linkage`] is how it gets from the numbers of the machine to
//! functions and fields. Not for people: the shape follows the generator.

mod alone;
pub(crate) mod bare;
mod call;
pub(crate) mod calling;
pub(crate) mod drive;
mod linkage;
mod moves;
mod score;
mod work;

pub use alone::{OneEvent, take_alone};
pub use bare::{AnyBare, Bare, Needs};
pub use call::CallSite;
pub use calling::{AnyCalling, Calling};
pub use linkage::{ByNumber, Linkage};
pub use statewright_rom::code::arith;
pub use statewright_rom::layout::feature;

pub use crate::host::{Host, Mode, Status};
pub use crate::instance::event::Event;
pub use crate::instance::{Instance64, Instance128, Instance256};
pub use crate::poll::{Halt, Polled};
pub use score::{Scored, best};
pub use work::{Leaving, Work};

use statewright_rom::ids::*;

use crate::code::eval::evaluate;
use crate::code::truth::test_any;
use crate::context::Context;
use crate::host::cx::{ActionCx, GuardCx, scratch_slots};
use crate::tick::Tick;

/// A part of a tick.
#[derive(Clone, Copy, Debug)]
pub enum Phase<'e> {
    /// A tick of an agent that only polls: `Polled`. With `has_events` it ends before they are taken. On bytes alone
    /// nothing is queued.
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
    /// The same of an agent that is ticked by itself, on bytes alone.
    OneEvent(&'e Event),
    /// One of the timers of these slots, and there is no other event: `Took`.
    Timer(u8),
    /// One more round of transitions without event: `Polled`.
    Ask,
    /// Update actions and activities of what was not entered in this tick: `Done`.
    Run,
    /// All update actions and activities of an agent that only polls, after it has asked: `Polled`.
    RunAll,
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
    /// Two transitions were carried out together, and no state that they have entered polls.
    Both,
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
        matches!(self, Self::Taken | Self::Rests | Self::Both | Self::Carried)
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
    pub fn taking(self) -> Taking {
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

/// Who may handle an event while a state alone is the innermost one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// Nobody.
    ByNobody,
    /// Somebody, or that is not known.
    BySomebody,
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
    /// Are the frames of stacks what they should be? Only machines with stacks have to ask.
    #[inline]
    pub fn are_frames(&self) -> bool {
        self.cx.are_frames()
    }

    /// Was a state at this place of the tree entered in this tick?
    #[inline(always)]
    pub fn is_fresh(&self, line: u8, depth: u8) -> bool {
        self.cx.is_fresh(line, depth)
    }
}

/// The course of a tick.
impl Fuse<'_, '_> {
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
}

/// What expressions read.
impl Fuse<'_, '_> {
    /// The word of scratch that expressions see; 0 while its owner is not active.
    #[inline]
    pub fn scratch(&self, scratch: u16) -> u16 {
        let scratch = self.cx.proved(ScratchId::new(scratch));
        let slot = scratch.and_then(|scratch| scratch_slots(self.cx, scratch).next());
        slot.map_or(0, |slot| self.cx.slot(slot))
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

    /// Is a state complete (EXEC-6)?
    #[inline]
    pub fn is_complete(&self, state: u16) -> bool {
        StateId::new(state).is_some_and(|state| self.cx.is_complete(state))
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
