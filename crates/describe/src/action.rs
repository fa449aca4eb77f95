//! Actions as typed values, and as the text that machine files have (CODE-3, CODE-4).

use std::fmt;

use serde::{Serialize, Serializer};

use crate::length::Length;
use crate::refer::{EventRef, Named, Rename, StateRef};
use statewright_rom::ids::{KeyId, ScratchId, TimerId};

/// Something that is done. Expressions and calls are texts: what they mean is in the ROM.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// `Shout(3, far: true)`: a user function. A call always has parentheses.
    Call(String),
    /// `health = 100`
    Set {
        /// The key.
        key: Named<KeyId>,
        /// What it becomes.
        value: String,
    },
    /// `health += 10`
    Add {
        /// The key.
        key: Named<KeyId>,
        /// What is added.
        value: String,
    },
    /// `health -= 10`
    Take {
        /// The key.
        key: Named<KeyId>,
        /// What is taken away.
        value: String,
    },
    /// `count = 3`
    SetScratch {
        /// The scratch.
        scratch: Named<ScratchId>,
        /// What it becomes.
        value: String,
    },
    /// `count += 1`
    AddScratch {
        /// The scratch.
        scratch: Named<ScratchId>,
        /// What is added.
        value: String,
    },
    /// `count -= 1`
    TakeScratch {
        /// The scratch.
        scratch: Named<ScratchId>,
        /// What is taken away.
        value: String,
    },
    /// `raise Boom(expr)`
    Raise {
        /// The event.
        event: EventRef,
        /// What it carries.
        payload: Option<String>,
    },
    /// `send Boom(expr) to expr`
    Send {
        /// The event.
        event: EventRef,
        /// What it carries.
        payload: Option<String>,
        /// Who gets it; the agent itself if nobody is named.
        to: Option<String>,
    },
    /// `emit lane Command(expr)`
    Emit {
        /// The lane.
        lane: String,
        /// The command.
        command: String,
        /// What it carries.
        payload: Option<String>,
    },
    /// `start timer 30t`
    StartTimer {
        /// The timer.
        timer: Named<TimerId>,
        /// How long it runs.
        after: Length,
    },
    /// `stop timer`
    StopTimer {
        /// The timer.
        timer: Named<TimerId>,
    },
    /// `clear_history path`
    ClearHistory {
        /// The state whose points forget.
        state: StateRef,
    },
    /// `if expr { …; … } else { … }`
    If {
        /// The condition.
        condition: String,
        /// What is done if it holds.
        then: Vec<Action>,
        /// What is done if it does not.
        otherwise: Vec<Action>,
    },
}

fn payload(f: &mut fmt::Formatter<'_>, payload: &Option<String>) -> fmt::Result {
    match payload {
        Some(value) => write!(f, "({value})"),
        None => Ok(()),
    }
}

/// Texts of a list, with `; ` between them.
pub(crate) fn list(actions: &[Action]) -> String {
    let texts: Vec<String> = actions.iter().map(Action::to_string).collect();
    texts.join("; ")
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(call) => f.write_str(call),
            Self::Set { key, value } => write!(f, "{key} = {value}"),
            Self::Add { key, value } => write!(f, "{key} += {value}"),
            Self::Take { key, value } => write!(f, "{key} -= {value}"),
            Self::SetScratch { scratch, value } => write!(f, "{scratch} = {value}"),
            Self::AddScratch { scratch, value } => write!(f, "{scratch} += {value}"),
            Self::TakeScratch { scratch, value } => write!(f, "{scratch} -= {value}"),
            Self::Raise { event, payload: p } => {
                write!(f, "raise {event}")?;
                payload(f, p)
            }
            Self::Send {
                event,
                payload: p,
                to,
            } => {
                write!(f, "send {event}")?;
                payload(f, p)?;
                to.as_ref().map_or(Ok(()), |to| write!(f, " to {to}"))
            }
            Self::Emit {
                lane,
                command,
                payload: p,
            } => {
                write!(f, "emit {lane} {command}")?;
                payload(f, p)
            }
            Self::StartTimer { timer, after } => write!(f, "start {timer} {after}"),
            Self::StopTimer { timer } => write!(f, "stop {timer}"),
            Self::ClearHistory { state } => write!(f, "clear_history {state}"),
            Self::If {
                condition,
                then,
                otherwise,
            } => {
                write!(f, "if {condition} {{ {} }}", list(then))?;
                if otherwise.is_empty() {
                    return Ok(());
                }
                write!(f, " else {{ {} }}", list(otherwise))
            }
        }
    }
}

impl Serialize for Action {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl Action {
    /// Calls what it refers to by other names.
    // Bound: lists of a ROM nest as deep as the loader allows.
    pub(crate) fn rename(&mut self, rename: &dyn Rename) {
        match self {
            Self::Raise { event, .. } | Self::Send { event, .. } => rename.event(event),
            Self::ClearHistory { state } => rename.state(state),
            Self::If {
                then, otherwise, ..
            } => {
                let all = then.iter_mut().chain(otherwise);
                all.for_each(|action| action.rename(rename));
            }
            Self::Call(_)
            | Self::Set { .. }
            | Self::Add { .. }
            | Self::Take { .. }
            | Self::SetScratch { .. }
            | Self::AddScratch { .. }
            | Self::TakeScratch { .. }
            | Self::Emit { .. }
            | Self::StartTimer { .. }
            | Self::StopTimer { .. } => {}
        }
    }
}
