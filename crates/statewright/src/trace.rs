//! Traces: what agents did, and why (SYS-3). [`Crowd::set_trace`](crate::Crowd::set_trace) turns
//! them on.

pub use statewright_trace::file::{Ending, Frame, Reading, Refused, Reload, WriteError, Writer};
pub use statewright_trace::{
    Cause, Guard, Kind, Legend, Level, Loss, Record, Settings, State, Totals, Transition, Trigger,
    UnknownNumber,
};
