//! What an agent did, kept on its entity (SYS-3): a bounded trace, switched on and off at any time.
//!
//! ```text
//!  entity ── AgentTrace (level) ──▶ tick: who is to be traced ──▶ records ──▶ keep ──▶ AgentTrace (records)
//! ```
//!
//! Who is traced runs by itself in its chunk; all others go as if nobody were.

use std::collections::VecDeque;
use std::sync::Arc;

use bevy_ecs::change_detection::DetectChangesMut;
use bevy_ecs::component::Component;
use bevy_ecs::system::{Query, Res};
use statewright::trace::{Kind, Legend, Level, Record, Settings};

use crate::outputs::Outputs;
use crate::roster::Agents;
use crate::state::AgentState;

/// So many records are kept unless told otherwise.
const KEPT: usize = 256;

/// While an entity has this, what its agent does is kept on it: the last records, 16 bytes each. Put it on and
/// take it off at any time; it changes nothing of what anybody does.
///
/// ```
/// use bevy_ecs::prelude::*;
/// use bevy_statewright::prelude::*;
/// use bevy_statewright::statewright::trace::Level;
///
/// fn look_at(suspect: Entity, commands: &mut Commands) {
///     commands.entity(suspect).insert(AgentTrace::new(Level::All));
/// }
///
/// fn print(traces: Query<&AgentTrace, Changed<AgentTrace>>) {
///     for trace in &traces {
///         trace.lines().for_each(|line| println!("{line}"));
///     }
/// }
/// # bevy_ecs::system::assert_is_system(print);
/// ```
///
/// - It begins with the states that the agent is in when somebody of its machine has a turn next.
/// - It ends with the machine: after a reload, and with another machine, it begins anew.
/// - It is no part of rollback. Ticks that are run again take the place of those that they were.
/// - Agents of one machine are recorded at two levels, the lowest and the highest that anybody asks for; what a trace did not
///   ask for is left out of it. At [`Level::All`] a rejection is recorded again when its reason is another one, or
///   the entity has moved in its table.
#[derive(Component, Clone, Debug)]
pub struct AgentTrace {
    level: Level,
    capacity: usize,
    records: VecDeque<Record>,
    overwritten: u64,
    /// The names behind the numbers, and the version of the machine whose they are.
    legend: Option<(Arc<Legend>, [u64; 2])>,
}

impl AgentTrace {
    /// The last 256 records of a level.
    pub fn new(level: Level) -> Self {
        Self::with_capacity(level, KEPT)
    }

    /// The last so many records of a level; at least one.
    pub fn with_capacity(level: Level, records: usize) -> Self {
        let capacity = records.max(1);
        Self {
            level,
            capacity,
            records: VecDeque::with_capacity(capacity),
            overwritten: 0,
            legend: None,
        }
    }

    /// How much is recorded.
    pub fn level(&self) -> Level {
        self.level
    }

    /// How much is recorded from the next tick on.
    pub fn set_level(&mut self, level: Level) {
        self.level = level;
    }

    /// What was recorded, the oldest first.
    pub fn records(&self) -> impl DoubleEndedIterator<Item = &Record> + ExactSizeIterator {
        self.records.iter()
    }

    /// How many records there are.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// How many records had to make room for later ones.
    pub fn overwritten(&self) -> u64 {
        self.overwritten
    }

    /// What was recorded, in words, the oldest first: `tick 12: Noise: patrol -> chase`.
    pub fn lines(&self) -> impl DoubleEndedIterator<Item = String> {
        let legend = self.legend.as_ref().map(|(legend, _)| legend);
        let words = move |record: &Record| legend.map_or_else(String::new, |own| own.words(record));
        let all = self.records.iter();
        all.map(move |record| format!("tick {}: {}", record.tick, words(record)))
    }

    /// The names behind the numbers of records; nothing as long as there are none.
    pub fn legend(&self) -> Option<&Legend> {
        self.legend.as_ref().map(|(legend, _)| &**legend)
    }

    /// Forgets all records.
    pub fn clear(&mut self) {
        self.records.clear();
        self.overwritten = 0;
    }

    /// What was recorded of a tick, and of later ones, is of a time that did not come.
    fn forget_from(&mut self, tick: u32) {
        let is_later = |record: &Record| record.tick.get().wrapping_sub(tick) < u32::MAX / 2;
        while self.records.back().is_some_and(is_later) {
            self.records.pop_back();
        }
    }

    /// Records are of this version of a machine from now on.
    fn follow(&mut self, legend: &Arc<Legend>, hashes: [u64; 2]) {
        match &self.legend {
            Some((own, _)) if Arc::ptr_eq(own, legend) => return,
            // Another name of a command is known.
            Some((_, own)) if *own == hashes => {}
            Some(_) | None => self.clear(),
        }
        self.legend = Some((Arc::clone(legend), hashes));
    }

    fn push(&mut self, record: Record) {
        if self.records.len() >= self.capacity {
            self.records.pop_front();
            self.overwritten += 1;
        }
        self.records.push_back(record);
    }
}

/// What is to be recorded of a program: for those who are told of states, and of agents with a trace, by index and
/// level.
pub(crate) fn settings(telling: Option<&Settings>, agents: &[(u32, Level)]) -> Option<Settings> {
    let levels = || agents.iter().map(|(_, level)| *level);
    let (lowest, highest) = (levels().min(), levels().max());
    let base = match (telling, lowest) {
        (Some(telling), _) => telling.clone(),
        (None, Some(lowest)) => {
            Settings::new(lowest).agents(agents.iter().map(|(agent, _)| *agent))
        }
        (None, None) => return None,
    };
    let closer = highest.filter(|highest| *highest > base.level);
    Some(match closer {
        None => base,
        Some(highest) => {
            let above = agents.iter().filter(|(_, level)| *level > base.level);
            let above: Vec<u32> = above.map(|(agent, _)| *agent).collect();
            base.closer(highest, above)
        }
    })
}

/// Records go to the entities of their agents.
pub(crate) fn keep(
    outputs: Res<'_, Outputs>,
    agents: Res<'_, Agents>,
    state: Res<'_, AgentState>,
    mut traces: Query<'_, '_, &mut AgentTrace>,
) {
    // The tick that is over.
    let tick = state.now().wrapping_sub(1) as u32;
    for mut trace in &mut traces {
        trace.bypass_change_detection().forget_from(tick);
    }
    for (output, legend, hashes) in outputs.traced() {
        // Whether the record before was kept, on whose value the next one goes on.
        let mut was_kept = false;
        for record in output.trace() {
            let entity = state
                .at(record.agent.get() as usize)
                .and_then(|id| agents.entity(id));
            let Some(mut trace) = entity.and_then(|entity| traces.get_mut(entity).ok()) else {
                was_kept = false;
                continue;
            };
            let is_asked = |kind: Kind| match kind {
                Kind::More => was_kept,
                other => other.level() <= trace.level,
            };
            was_kept = record.kind().is_some_and(is_asked);
            if was_kept {
                trace.follow(legend, hashes);
                trace.push(*record);
            }
        }
    }
}
