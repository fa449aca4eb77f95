//! A crowd: many agents of one machine, with their blackboards (SYS-1, SYS-2).
//!
//! - `input` everything that enters from outside: one enum, one door
//! - `life`, `send`, `edit`, `parameters`, `configure` the methods that hosts call, thin wraps around inputs;
//!   `inspect` and `output` what they read
//! - `agents` (with `instances`), `schedule` (with `wake`, which is an `agent_set` and `deadlines`),
//!   `mailbox` the parts of a crowd
//! - `tick` one tick: the parts become slices for the `pipeline`, and its outcome comes back
//! - `reload` another version of the machine in the place of the one that runs
//! - `frames` earlier ticks to go back to
//! - `snapshot` a crowd as bytes, `part` some of its agents, `saving` for other versions of the game, `digest` as one number, `observe` who hears of inputs and ticks,
//!   `trace` what its agents did, `timing` how long their
//!   functions took

mod agent_set;
mod agents;
mod configure;
mod deadlines;
mod digest;
mod edit;
mod frames;
mod input;
mod inspect;
mod inspection;
mod instance_bytes;
mod instances;
mod life;
mod mailbox;
mod observe;
mod output;
mod parameters;
mod part;
mod reload;
mod saving;
mod schedule;
mod send;
mod snapshot;
mod tick;
mod timing;
mod trace;
mod wake;

use std::fmt;
use std::sync::Arc;

use statewright_kernel::Counters;

use crate::board::Board;
use crate::context::Context;
use crate::parameters::Parameters;
use crate::pipeline::{Measured, PageSupply, Panics, TickOutput, TickSettings, Tracing};
use crate::program::Program;
use agent_set::AgentSet;
use agents::Agents;
pub(crate) use agents::Roster;
use mailbox::Mailbox;
use observe::Watch;
use schedule::Schedule;

pub use agents::{LookError, Missing, SpawnError, VariantError};
pub use edit::BoardMut;
pub use frames::RewindError;
pub use input::{Input, InputError};
pub use inspection::{Inspection, QueuedEvent, RunningTimer};
pub use instance_bytes::InstanceError;
pub(crate) use mailbox::Message;
pub use mailbox::{Envelope, Sent};
pub use observe::Observer;
pub use part::{FORMAT as PART_FORMAT, PartAgent, agents_of_part, part_of};
pub use reload::Reloaded;
pub(crate) use reload::letter;
pub use saving::{LoadError, SavedCrowd, SavedSummary};
pub use snapshot::{FORMAT as SNAPSHOT_FORMAT, Restored, SnapshotError};
pub use tick::Tick;
pub use wake::WakeSet;

/// Many agents of one machine. Those that have nothing to do cost nothing.
pub struct Crowd<B, C: Context + ?Sized> {
    program: Arc<Program<B, C>>,
    /// Who there is: instances, blackboards, ids, variants.
    agents: Agents<B>,
    /// Which tick comes, who is awake in it and who stops.
    schedule: Schedule,
    /// Events under way.
    mailbox: Mailbox,
    /// Where the memory of commands comes from.
    pages: PageSupply,
    /// Parameters that were changed.
    parameters: Parameters,
    /// What the host chose.
    settings: TickSettings,
    /// Bytes for commands of each agent, unless the host chose: those of the machine.
    command_bytes: usize,
    /// What is recorded of agents.
    tracing: Tracing,
    /// How long user functions took.
    measured: Measured,
    /// What the last tick left: commands, faults, a trace.
    last: TickOutput,
    /// What happened since the crowd began.
    totals: Totals,
    /// How often agents went: whoever keeps their ids looks again after it rose.
    pub(crate) departures: u64,
    /// Why user code ended agents.
    panics: Panics,
    /// What was before the last restore: memory for the next one.
    spare: Option<Box<Restored<B>>>,
    /// Who hears of inputs and ticks, if anybody does.
    watch: Option<Box<Watch<B, C>>>,
    /// The program of a reload that is about to enter.
    incoming: Option<Arc<Program<B, C>>>,
    /// Who finds out anew what it has to do when it has its next turn (LOAD-2).
    owed: AgentSet,
    /// How often the machine changed: whoever keeps its numbers looks again after it rose.
    pub(crate) reloads: u64,
    /// Messages of its agents are delivered by somebody else.
    is_apart: bool,
    /// Those of its last tick were.
    ticked_apart: bool,
}

/// What happened since a crowd began, or since the host counts anew.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    counters: Counters,
    /// Events for agents that were gone when they should have arrived.
    lost_messages: u64,
}

impl<B, C: Context + ?Sized> fmt::Debug for Crowd<B, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Crowd")
            .field("machine", &self.program.machine().name())
            .field("agents", &self.agents.len())
            .field("awake", &self.schedule.awake())
            .field("tick", &self.schedule.now)
            .finish_non_exhaustive()
    }
}

impl<B: Board, C: Context + ?Sized> Crowd<B, C> {
    /// An empty crowd. All randomness comes from the seed.
    pub fn new(program: impl Into<Arc<Program<B, C>>>, seed: u64) -> Self {
        let program = program.into();
        let agents = Agents::new(program.machine(), seed);
        let command_bytes = TickSettings::default().budget_for(&program.machine().rom());
        Self {
            program,
            agents,
            schedule: Schedule::default(),
            mailbox: Mailbox::default(),
            pages: PageSupply::default(),
            parameters: Parameters::default(),
            settings: TickSettings::default(),
            command_bytes,
            tracing: Tracing::default(),
            measured: Measured::default(),
            last: TickOutput::default(),
            totals: Totals::default(),
            departures: 0,
            panics: Panics::default(),
            spare: None,
            watch: None,
            incoming: None,
            owed: AgentSet::default(),
            reloads: 0,
            is_apart: false,
            ticked_apart: false,
        }
    }

    /// Makes room for more agents at once.
    pub fn reserve(&mut self, more: usize) {
        self.agents.reserve(more);
    }
}
