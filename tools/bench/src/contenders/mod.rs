//! Who does the work: one trait, one file for each contender.

mod alone;
mod fused;
mod hand;
mod hand64;
mod hand_call;
mod memory;
mod peer_statig;
mod statewright;
mod traced;
mod typed;

pub use statewright::machine as statewright_machine;

use clap::ValueEnum;

use crate::board::Totals;
use crate::script::Script;
use crate::workload::Workload;

/// Agents that are all alike, and a way to run them.
pub trait Contender {
    /// Bytes that one agent takes, blackboard included.
    fn bytes_per_agent(&self) -> usize;

    /// Takes the events of the next round in the form it likes best; not timed.
    fn load(&mut self, script: &Script);

    /// Runs so many ticks of the loaded script, in circles; timed.
    fn run(&mut self, ticks: usize);

    /// What has happened so far; `None` for those that run no machine.
    fn totals(&self) -> Option<Totals>;
}

/// All contenders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Kind {
    /// Statewright, events through the inbox; only those who get one are run where that is
    /// possible.
    Inbox,
    /// Statewright, events through the inbox, everybody is run.
    Scan,
    /// Statewright, events posted into the instances, then everybody is run.
    Queue,
    /// Statewright through its typed API: functions bound by name, slices of the host's own.
    Typed,
    /// The same with the machine as code.
    Fused,
    /// Statewright, events through the inbox, with a trace of level 1 of all agents.
    Traced,
    /// Hand-written `match`, callbacks inlined, 64 bytes per agent.
    Hand64,
    /// The same with callbacks that are real calls.
    HandCall,
    /// The crate `statig`.
    Statig,
    /// Plain memory: one word of every 64 bytes is read and written.
    Touch,
    /// Plain memory: 16 of every 64 bytes are read and decide a branch.
    Sweep,
}

impl Kind {
    /// Its name as people write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Inbox => "inbox",
            Self::Scan => "scan",
            Self::Queue => "queue",
            Self::Typed => "typed",
            Self::Fused => "fused",
            Self::Traced => "traced",
            Self::Hand64 => "hand64",
            Self::HandCall => "hand-call",
            Self::Statig => "statig",
            Self::Touch => "touch",
            Self::Sweep => "sweep",
        }
    }

    /// Whether it can do a workload. `statig` has no tick, no timers and no regions; a queue needs
    /// events; a scan differs only where few get events.
    pub fn can(self, workload: Workload) -> bool {
        match self {
            Self::Inbox | Self::Hand64 | Self::HandCall => true,
            Self::Queue => workload.has_events(),
            Self::Statig => workload.has_events() && workload != Workload::W2Regions,
            Self::Scan => workload == Workload::W5,
            Self::Fused => matches!(
                workload,
                Workload::W2
                    | Workload::W3
                    | Workload::W4
                    | Workload::W6
                    | Workload::W1Activity
                    | Workload::W2Regions
            ),
            Self::Typed | Self::Traced => {
                matches!(workload, Workload::W2 | Workload::W3 | Workload::W6)
            }
            Self::Touch | Self::Sweep => workload != Workload::W4,
        }
    }

    /// Makes agents for a workload, not yet warmed up.
    pub fn make(self, workload: Workload, agents: usize) -> Result<Box<dyn Contender>, String> {
        Ok(match self {
            Self::Inbox | Self::Scan | Self::Queue => {
                return statewright::machine("benchmark", workload.machine(), self, agents);
            }
            Self::Typed => Box::new(typed::Typed::new(workload.machine(), agents)?),
            Self::Fused => fused::agents(workload, agents)?,
            Self::Traced => Box::new(traced::Traced::new(workload.machine(), agents)?),
            Self::Hand64 => hand64::agents(agents, workload),
            Self::HandCall => hand_call::agents(agents, workload),
            Self::Statig => Box::new(peer_statig::Fighters::new(agents)),
            Self::Touch => Box::new(memory::Touch::new(agents)),
            Self::Sweep => Box::new(memory::Sweep::new(agents)),
        })
    }
}
