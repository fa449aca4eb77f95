//! What a run leaves behind: what happened in which order, how a call ended, what the run needed.

use crate::expression::Value;

/// Something that happened, in the order of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Happening {
    /// An event was taken from the internal or external queue.
    Event {
        /// Its name.
        name: String,
        /// It came from the internal queue.
        internal: bool,
    },
    /// A transition of this state runs its content, after all exits of the microstep.
    Take(String),
    /// A state became active; its onentry blocks follow.
    Enter(String),
    /// A state is no longer active; its onexit blocks came before.
    Exit(String),
    /// A history is entered by what it recorded. Noted while the states to enter are computed,
    /// before any is entered.
    Restore(String),
    /// A log element was executed.
    Log {
        /// Its label; empty if there is none.
        label: String,
        /// The value of its expression.
        value: Option<Value>,
    },
    /// A variable got a value.
    Assign {
        /// The id of the data.
        name: String,
        /// What it is now.
        value: Value,
    },
    /// A function outside of the document was called: `name(1, 'text')`.
    Call(String),
    /// An event was put into the internal queue; done events, too.
    Raise(String),
    /// An event was sent to the session itself.
    Send {
        /// Its name.
        name: String,
        /// How long it waits; 0 for the external queue at once.
        delay_ms: u64,
    },
    /// The waiting sends with this id were dropped.
    Cancel(String),
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Everything is done until the next event.
    Stable,
    /// A top-level final was reached, now or before. Nothing happens any more.
    Ended,
    /// A macrostep went on after 256 microsteps, one call began more than 256 macrosteps, or more
    /// than 1,024 sends were waiting. The run stops where it is, and nothing happens any more.
    Endless,
}

/// The most that a run needed so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Peaks {
    /// Events in the internal queue.
    pub internal: usize,
    /// Events in both queues.
    pub queued: usize,
    /// Delayed sends that wait.
    pub pending: usize,
    /// Delayed sends that wait under one event name.
    pub pending_of_one_name: usize,
    /// Microsteps of a macrostep.
    pub microsteps: usize,
    /// How often sends of different event names came due in the same millisecond.
    pub ties: usize,
}
