//! What an instance takes next: events of its queue, and timers that are due (EVT-2 to EVT-9).

pub(crate) mod queue;
pub(crate) mod time;
pub(crate) mod timers;
