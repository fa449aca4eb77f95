//! One record: 16 plain bytes.

use statewright_kernel::{Fault, Loss, Reason};
use statewright_rom::layout::PayloadKind;
use zerocopy::byteorder::little_endian::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::filter::Level;

/// One thing that happened to one agent.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    FromBytes,
    IntoBytes,
    Immutable,
    KnownLayout,
    Unaligned,
)]
#[repr(C)]
pub struct Record {
    /// Low half of the tick.
    pub tick: U32,
    /// Place of the agent.
    pub agent: U32,
    /// [`Kind`].
    pub kind: u8,
    /// Depends on the kind.
    pub detail: u8,
    /// State, transition, event or timer.
    pub subject: U16,
    /// Depends on the kind.
    pub value: U32,
}

const _: () = assert!(size_of::<Record>() == 16);

/// In [`Record::subject`] of a guard: it belongs to no transition.
pub const NO_TRANSITION: u16 = 0xFFFF;

/// In [`Record::subject`] of a draw: an expression asked several.
pub const NO_FUNCTION: u16 = 0xFFFF;

/// In [`Record::detail`] of a command: there was no room for it.
pub const NO_ROOM: u8 = 0x80;

/// In [`Record::detail`] of a transition: the leaf that it leads to is in the record.
pub const LEADS: u8 = 0x80;

macro_rules! kinds {
    ($($(#[$meta:meta])* $name:ident = $number:literal at $level:ident,)+) => {
        /// What a record says.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Kind {
            $($(#[$meta])* $name = $number,)+
        }

        impl Kind {
            /// All kinds.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// The kind with a number.
            pub fn new(number: u8) -> Option<Self> {
                match number {
                    $($number => Some(Self::$name),)+
                    _ => None,
                }
            }

            /// The level that records it (SYS-3).
            pub const fn level(self) -> Level {
                match self {
                    $(Self::$name => Level::$level,)+
                }
            }
        }
    };
}

kinds! {
    /// An agent was in a leaf when the trace began: `subject` is the leaf.
    Present = 1 at Outline,
    /// An agent entered its machine: `value` is how often its place was used.
    Started = 2 at Outline,
    /// The transition `subject` waits until it may leave; for what, as in [`Kind::Transition`].
    Latched = 3 at Outline,
    /// Nobody handled the event `subject`.
    Unhandled = 5 at Outline,
    /// The event `subject` waits for another configuration.
    Deferred = 6 at Outline,
    /// The transition `subject` was taken: `detail` says for what ([`Record::cause`]), the lower half of `value` for which one. With
    /// [`LEADS`] in `detail` the upper half of `value` is a leaf that is active afterwards.
    Transition = 7 at Outline,
    /// The leaf `subject` is active now.
    Leaf = 8 at Outline,
    /// The agent came to its end.
    Terminated = 9 at Outline,
    /// A fault ended the agent: `detail` is its number.
    Faulted = 10 at Outline,
    /// A panic in user code ended the agent.
    Panicked = 11 at Outline,
    /// A cap was reached (TICK-4).
    Clamped = 12 at Outline,
    /// The fail-safe was entered (TICK-4).
    FailSafe = 13 at Outline,
    /// `value` records of this agent and tick had no room.
    Lost = 14 at Outline,
    /// The host took the agent away.
    Despawned = 15 at Outline,
    /// The timer `subject` was taken.
    Timer = 19 at Steps,
    /// The state `subject` was entered.
    Entered = 20 at Steps,
    /// The state `subject` was left.
    Exited = 21 at Steps,
    /// A push suspended the state `subject`.
    Suspended = 22 at Steps,
    /// A pop brought the state `subject` back.
    Resumed = 23 at Steps,
    /// The timer `subject` runs until tick `value`.
    TimerSet = 24 at Steps,
    /// The timer `subject` was stopped.
    TimerStopped = 25 at Steps,
    /// The event `subject` was lost on its way: `detail` is why ([`Loss`]).
    EventLost = 26 at Steps,
    /// The blackboard key `subject` was written by the machine file: `detail` is its type, `value` the first word.
    Wrote = 27 at Steps,
    /// A command: [`Record::command`].
    Command = 28 at Steps,
    /// The search for transitions begins for the event `subject`; what follows belongs to it. `detail` is the type of its payload,
    /// `value` the first word.
    Event = 29 at All,
    /// A guard was asked: `subject` is the transition it judges or [`NO_TRANSITION`], `detail` whether it holds, `value` its state and
    /// in the upper half its code.
    Guard = 30 at All,
    /// The activity of the state `subject` was called; `detail`: 0 goes on, 1 succeeded, 2 failed, 3 canceled.
    Activity = 31 at All,
    /// The transition `subject` was not taken: `detail` is the reason, `value` the code of its guard.
    Rejected = 32 at All,
    /// One more word of a value or payload: `detail` is its type, `subject` which word, `value` the word.
    More = 33 at Steps,
    /// The expression of a guard or score read the key `subject`: `detail` is its type, `value` the first word. The guard follows.
    Read = 34 at All,
    /// The expression of a guard or score asked the guard function `subject`: `detail` whether it holds, `value` its code. The guard
    /// follows.
    Asked = 35 at All,
    /// The transition `subject` scored `value`, an f32.
    Score = 36 at All,
    /// The function `subject`, or those of an expression ([`NO_FUNCTION`]), drew `value` random numbers (CODE-6).
    Drew = 37 at All,
    /// The expression of a guard or score got a value from the function `subject`: `detail` is its type, `value` the first word. The
    /// guard follows.
    Gave = 38 at All,
}

impl Record {
    /// From tick and agent, and everything else.
    #[inline(always)]
    pub(crate) fn from_halves(head: u64, rest: u64) -> Self {
        zerocopy::transmute!([U64::new(head), U64::new(rest)])
    }

    /// Its kind; `None` if it has none that is known here.
    pub fn kind(&self) -> Option<Kind> {
        Kind::new(self.kind)
    }

    /// Why the transition of a [`Kind::Rejected`] was not taken.
    pub fn reason(&self) -> Option<Reason> {
        let number = ReasonNumber::from_number(self.detail)?;
        Some(number.reason(self.value.get() as u16))
    }

    /// What the transition of a [`Kind::Transition`] or [`Kind::Latched`] was taken for.
    pub fn cause(&self) -> Option<Cause> {
        let number = self.value.get() as u16;
        match self.detail & !LEADS {
            0 => Some(Cause::None),
            1 => Some(Cause::Event(number)),
            2 => Some(Cause::Timer(number)),
            _ => None,
        }
    }

    /// The leaf that a [`Kind::Transition`] leads to, if it is in the record.
    pub fn leaf(&self) -> Option<u16> {
        let leads = self.kind == Kind::Transition as u8 && self.detail & LEADS != 0;
        leads.then_some((self.value.get() >> 16) as u16)
    }

    /// Is it a transition of this turn that leads nowhere yet?
    pub(crate) fn leads_nowhere(&self, head: u64) -> bool {
        let own = u64::from(self.tick.get()) | u64::from(self.agent.get()) << 32 == head;
        own && self.kind == Kind::Transition as u8 && self.detail & LEADS == 0
    }

    pub(crate) fn lead_to(&mut self, leaf: u16) {
        self.detail |= LEADS;
        self.value.set(self.value.get() | u32::from(leaf) << 16);
    }

    /// What ended the agent of a [`Kind::Faulted`].
    pub fn fault(&self) -> Option<Fault> {
        Fault::from_number(self.detail)
    }

    /// Why the event of a [`Kind::EventLost`] was lost.
    pub fn loss(&self) -> Option<Loss> {
        Loss::from_number(self.detail)
    }

    /// The type of what is in `value`, for kinds that have one.
    pub fn value_kind(&self) -> Option<PayloadKind> {
        PayloadKind::from_number(self.detail)
    }

    /// What a [`Kind::Command`] says, and whether there was room for it.
    pub fn command(&self) -> Option<(CommandSaid, bool)> {
        let (subject, value) = (self.subject.get(), self.value.get());
        let said = match self.detail & !NO_ROOM {
            0 => CommandSaid::Emit {
                lane: subject,
                name: value as u16,
            },
            1 => CommandSaid::Release {
                lane: subject,
                channel: value as u8,
            },
            2 => CommandSaid::Send {
                event: value as u16,
            },
            3 => CommandSaid::ByFunction {
                function: subject,
                bytes: value,
            },
            4 => CommandSaid::Typed {
                lane: subject,
                name: value,
            },
            _ => return None,
        };
        Some((said, self.detail & NO_ROOM == 0))
    }

    /// The state and the code of a [`Kind::Guard`].
    pub fn guard(&self) -> (u16, u16) {
        (self.value.get() as u16, (self.value.get() >> 16) as u16)
    }
}

/// What a command says, as far as a record has room; words of its payload follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandSaid {
    /// `emit` of the machine file: detail 0.
    Emit {
        /// The lane.
        lane: u16,
        /// Text of its name.
        name: u16,
    },
    /// A channel is free: detail 1.
    Release {
        /// The lane.
        lane: u16,
        /// The channel.
        channel: u8,
    },
    /// An event for another agent, whose id follows: detail 2.
    Send {
        /// The event.
        event: u16,
    },
    /// A function wrote commands of its own: detail 3.
    ByFunction {
        /// The function.
        function: u16,
        /// How many bytes.
        bytes: u32,
    },
    /// A function emitted a command of a type of its own: detail 4.
    Typed {
        /// The lane.
        lane: u16,
        /// Number of its name: the low half of its xxh3-64.
        name: u32,
    },
}

/// What a transition was taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// Nothing: it is eventless.
    None,
    /// An event.
    Event(u16),
    /// A timer.
    Timer(u16),
}

statewright_rom::numbers! {
    /// Reasons by their number in [`Record::detail`].
    ReasonNumber: u8 {
        /// [`Reason::Cooldown`].
        Cooldown = 1 "cooldown",
        /// [`Reason::StackFull`].
        StackFull = 2 "stack_full",
        /// [`Reason::StackEmpty`].
        StackEmpty = 3 "stack_empty",
        /// [`Reason::GuardFalse`].
        GuardFalse = 4 "guard_false",
        /// [`Reason::Debounce`].
        Debounce = 5 "debounce",
        /// [`Reason::BelowThreshold`].
        BelowThreshold = 6 "below_threshold",
        /// [`Reason::MinActive`].
        MinActive = 7 "min_active",
        /// [`Reason::ExitNotReady`].
        ExitNotReady = 8 "exit_not_ready",
        /// [`Reason::NotReached`].
        NotReached = 9 "not_reached",
        /// [`Reason::LostConflict`].
        LostConflict = 10 "lost_conflict",
        /// [`Reason::Outranked`].
        Outranked = 11 "outranked",
        /// [`Reason::Stays`].
        Stays = 12 "stays",
    }
}

impl ReasonNumber {
    /// The reason, with the code that a guard gave.
    pub const fn reason(self, code: u16) -> Reason {
        match self {
            Self::Cooldown => Reason::Cooldown,
            Self::StackFull => Reason::StackFull,
            Self::StackEmpty => Reason::StackEmpty,
            Self::GuardFalse => Reason::GuardFalse(code),
            Self::Debounce => Reason::Debounce,
            Self::BelowThreshold => Reason::BelowThreshold,
            Self::MinActive => Reason::MinActive,
            Self::ExitNotReady => Reason::ExitNotReady,
            Self::NotReached => Reason::NotReached,
            Self::LostConflict => Reason::LostConflict,
            Self::Outranked => Reason::Outranked,
            Self::Stays => Reason::Stays,
        }
    }
}

/// The number of a reason in [`Record::detail`], and the code of a guard.
pub fn reason_number(reason: Reason) -> (u8, u16) {
    let (number, code) = match reason {
        Reason::Cooldown => (ReasonNumber::Cooldown, 0),
        Reason::StackFull => (ReasonNumber::StackFull, 0),
        Reason::StackEmpty => (ReasonNumber::StackEmpty, 0),
        Reason::GuardFalse(code) => (ReasonNumber::GuardFalse, code),
        Reason::Debounce => (ReasonNumber::Debounce, 0),
        Reason::BelowThreshold => (ReasonNumber::BelowThreshold, 0),
        Reason::MinActive => (ReasonNumber::MinActive, 0),
        Reason::ExitNotReady => (ReasonNumber::ExitNotReady, 0),
        Reason::NotReached => (ReasonNumber::NotReached, 0),
        Reason::LostConflict => (ReasonNumber::LostConflict, 0),
        Reason::Outranked => (ReasonNumber::Outranked, 0),
        Reason::Stays => (ReasonNumber::Stays, 0),
    };
    (number.number(), code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_and_reasons_are_found_by_their_numbers() {
        for &kind in Kind::ALL {
            assert_eq!(Kind::new(kind as u8), Some(kind));
        }
        assert_eq!(Kind::new(0), None);
        for number in ReasonNumber::ALL {
            assert_eq!(reason_number(number.reason(7)).0, number.number());
            assert_eq!(crate::reason_name(number.reason(7)), number.name());
        }
        assert_eq!(
            Record {
                detail: 4,
                value: U32::new(7),
                ..Record::default()
            }
            .reason(),
            Some(Reason::GuardFalse(7))
        );
        assert_eq!(Record::default().reason(), None);
    }
}
