//! Why an instance was quarantined.

use core::fmt;

/// Why an instance was quarantined (TICK-3, RAM-6, EVT-10, SYS-10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A callback panicked (TICK-3); for hosts that catch it and report.
    Panic,
    /// The machine id is not that of the ROM (RAM-6).
    WrongMachine,
    /// The leaves are no configuration of the machine (SYS-10).
    BadConfiguration,
    /// The frames of a stack are no configuration of their region (SYS-10).
    BadFrames,
    /// A queued event does not exist, or there are more than places (SYS-10).
    BadQueue,
    /// The tables lead where nothing is: a ROM that loads but was not made by the compiler.
    BadPlan,
    /// One microstep has more entries and effects on the way than the kernel holds: hundreds of
    /// choices in one entry.
    TooManySteps,
    /// The queue is full and the machine must not lose events (EVT-10).
    QueueOverflow,
    /// More timers of one name than declared, and the machine must not lose any (EVT-10).
    TimerOverflow,
    /// The microstep cap, where it ends the machine (EVT-10).
    MicrostepCap,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Panic => "a callback panicked",
            Self::WrongMachine => "the instance belongs to another machine",
            Self::BadConfiguration => "the active leaves are no configuration of this machine",
            Self::BadFrames => "the suspended states are no configuration of their region",
            Self::BadQueue => "the event queue holds what this machine cannot have queued",
            Self::BadPlan => "the tables of the ROM contradict each other",
            Self::TooManySteps => "one transition takes more steps than the kernel holds",
            Self::QueueOverflow => {
                "the event queue overflowed in a machine that must not lose events"
            }
            Self::TimerOverflow => {
                "too many timers of one name in a machine that must not lose any"
            }
            Self::MicrostepCap => {
                "the microstep cap was reached in a machine that must run to completion"
            }
        })
    }
}
