//! The shape of a described machine: its declarations. What each field means stands at the top of
//! the crate; the order of fields is that of the JSON.

use std::fmt;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use statewright_rom::ids::*;

use crate::action::Action;
use crate::kinds::{
    EventClass, FunctionKind, LaneKey, LaneScope, MergeRule, ParameterType, PayloadKind, Tier,
    ValueType, Word,
};
use crate::length::Length;
use crate::refer::{Entrance, EventRef, Named};
use crate::state::State;
use crate::value::Value;

/// The decompiled machine: everything that decides behavior, nothing that only says where bytes
/// lie.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Model {
    /// Its name; none without symbols.
    pub machine: Option<String>,
    /// The tier that was chosen.
    pub tier: Word<Tier>,
    /// Ticks per second.
    pub tick_rate: u16,
    /// Deviations from the rules that hold without them.
    pub policies: Policies,
    /// Caps of a tick.
    pub budgets: Budgets,
    /// Where the fail-safe leads; none is the initial state.
    pub fail_safe: Option<Entrance>,
    /// Where a reload leads; none is the initial state.
    pub reload_entry: Option<Entrance>,
    /// Events, by number.
    pub events: Vec<Event>,
    /// Blackboard keys, by number.
    pub blackboard: Vec<Key>,
    /// Parameters, by number.
    pub parameters: Vec<Parameter>,
    /// Variants without the plain one, whose values stand at the parameters.
    pub variants: Vec<Variant>,
    /// Channels, by number.
    pub channels: Vec<Channel>,
    /// User lanes.
    pub lanes: Vec<Lane>,
    /// Timers of the machine.
    pub timers: Vec<MachineTimer>,
    /// Observers with actions.
    pub observers: Vec<Observer>,
    /// Functions by kind, then name: the linker table is sorted by a hash.
    pub functions: Vec<Function>,
    /// States, by number: in pre-order, the root first.
    pub states: Vec<State>,
}

/// Defines the switches of a machine.
macro_rules! policies {
    ($($(#[$meta:meta])* $field:ident $bit:ident,)+) => {
        /// Which policies are on.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
        pub struct Policies { $($(#[$meta])* pub $field: bool,)+ }

        impl Policies {
            pub(crate) fn read(bits: u8) -> Self {
                use statewright_rom::layout::policy;
                // Every bit has a field.
                const _: () = assert!(policy::ALL == $(policy::$bit)|+);
                Self { $($field: bits & policy::$bit != 0,)+ }
            }

            /// Names of those that are on.
            pub fn on(&self) -> impl Iterator<Item = &'static str> {
                let all = [$((stringify!($field), self.$field),)+];
                all.into_iter().filter(|(_, on)| *on).map(|(name, _)| name)
            }
        }
    };
}

policies! {
    /// States are exited in the order of entry, backwards.
    reverse_exit_order REVERSE_EXIT_ORDER,
    /// Writes of one microstep are seen by the next call already.
    immediate_update IMMEDIATE_UPDATE,
    /// Posted events wait for the next tick.
    posted_next_tick POSTED_NEXT_TICK,
    /// Internal events come before all others.
    internal_first INTERNAL_FIRST,
    /// Completed states raise events.
    done_events DONE_EVENTS,
    /// Writes that nobody may do are refused.
    strict_writes STRICT_WRITES,
    /// Details as SCXML has them.
    scxml_details SCXML_DETAILS,
    /// Agents begin anew in a reload to this machine.
    reload_resets RELOAD_RESETS,
}

/// Caps of a tick, as they hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Budgets {
    /// Events taken.
    pub events_per_tick: u16,
    /// Microsteps run.
    pub microsteps_per_tick: u16,
    /// Clamped ticks before the fail-safe.
    pub clamp_limit: u8,
    /// Bytes of commands.
    pub command_bytes: u16,
}

/// An event.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Event {
    /// Its number.
    #[serde(skip)]
    pub id: EventId,
    /// Its name.
    pub name: String,
    /// How urgent it is.
    pub class: Word<EventClass>,
    /// What it carries.
    pub payload: Option<Word<PayloadKind>>,
    /// As carried: 4 if it is indirect.
    pub payload_bytes: u8,
    /// A newer one replaces a queued one.
    pub coalesce: bool,
    /// Ticks that it is good for.
    pub ttl: Option<u32>,
    /// What it carries lies elsewhere.
    pub indirect: bool,
    /// Saved games are to leave it out.
    pub ephemeral: bool,
}

/// A blackboard key.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Key {
    /// Its name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub ty: Word<ValueType>,
    /// What it is at the start.
    pub default: Value,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub ty: Word<ParameterType>,
    /// Its plain value; of a duration its seconds.
    pub value: Value,
}

/// A variant.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Variant {
    /// Its name.
    pub name: String,
    /// One value per parameter, in their order, those of the plain one filled in.
    #[serde(serialize_with = "as_object")]
    pub values: Vec<(String, Value)>,
}

fn as_object<S: Serializer>(values: &[(String, Value)], to: S) -> Result<S::Ok, S::Error> {
    let mut object = to.serialize_map(Some(values.len()))?;
    for (name, value) in values {
        object.serialize_entry(name, value)?;
    }
    object.end()
}

/// A channel.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Channel {
    /// Its name.
    pub name: String,
    /// The command that frees it.
    pub release: String,
    /// The lane of that command.
    pub lane: String,
}

/// A lane of the machine's own, or a built-in one that it declares anew.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Lane {
    /// Its number.
    #[serde(skip)]
    pub id: LaneId,
    /// Its name.
    pub name: String,
    /// What becomes of several commands.
    pub merge: Word<MergeRule>,
    /// Its commands may use the reserved part of the budget.
    pub critical: bool,
    /// What the last writer wins.
    pub key: Word<LaneKey>,
    /// Among whose commands equal ones are told.
    pub scope: Word<LaneScope>,
    /// Most commands of one agent and tick.
    pub cap: Option<u16>,
}

/// A timer of the machine.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MachineTimer {
    /// Its number.
    #[serde(skip)]
    pub id: TimerId,
    /// Its name.
    pub name: String,
    /// How many may run at once.
    pub instances: u8,
    /// How urgent it is.
    pub class: Word<EventClass>,
    /// What it fires as, if that is an event.
    pub event: Option<EventRef>,
}

/// An observer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Observer {
    /// What it waits for; none is any event.
    pub event: Option<EventRef>,
    /// What it does.
    #[serde(rename = "do")]
    pub actions: Vec<Action>,
}

impl Observer {
    /// What it waits for: `on Hit`, `on *`.
    pub fn shown(&self) -> String {
        format!(
            "on {}",
            self.event.as_ref().map_or("*", |event| &event.name)
        )
    }
}

/// A user function.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Function {
    /// Its number in the linker table.
    #[serde(skip)]
    pub id: FunctionId,
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: Word<FunctionKind>,
    /// What a value function gives (LANG-11).
    pub returns: Option<Word<ValueType>>,
    /// Whether it may use the random generator.
    pub rng: bool,
}

/// What a transition waits for. As text `on Event`, `on *`, `after 30t`, `every 30t`, `timer name`, `always`,
/// `done`, `failed`.
#[derive(Clone, Debug, PartialEq)]
pub enum Trigger {
    /// An event, or a timer that fires as one.
    Event(EventRef),
    /// Any event.
    Any,
    /// Time.
    After {
        /// The timer that counts it.
        timer: TimerId,
        /// How long.
        length: Length,
    },
    /// Time, again and again.
    Every {
        /// The timer that counts it.
        timer: TimerId,
        /// How long.
        length: Length,
    },
    /// A named timer.
    Timer(Named<TimerId>),
    /// Nothing.
    Always,
    /// The completion of its source.
    Done,
    /// The failure of its source.
    Failed,
}

impl fmt::Display for Trigger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Event(event) => write!(f, "on {event}"),
            Self::Any => f.write_str("on *"),
            Self::After { length, .. } => write!(f, "after {length}"),
            Self::Every { length, .. } => write!(f, "every {length}"),
            Self::Timer(timer) => write!(f, "timer {timer}"),
            Self::Always => f.write_str("always"),
            Self::Done => f.write_str("done"),
            Self::Failed => f.write_str("failed"),
        }
    }
}

impl Serialize for Trigger {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}
