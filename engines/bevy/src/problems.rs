//! What went wrong and harmed nobody else: kept for whoever asks, said once in the log.

use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

use bevy_ecs::entity::Entity;
use bevy_ecs::resource::Resource;
use statewright::{AgentId, Counters};

/// So many are kept.
const KEPT: usize = 256;

/// So many are said in the log, each once, until they are mended. A thousand agents whose file is missing
/// need not be named one by one in each frame.
const SAID: usize = 1024;

/// Something that went wrong. Everybody else goes on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Problem {
    /// A machine file does not load, or has mistakes: all of them, as the compiler shows them. Agents that
    /// run an earlier version go on with it.
    Asset {
        /// Path of the file.
        path: String,
        /// What is wrong.
        report: String,
    },
    /// A machine and the functions of its kind do not fit. Agents that run an earlier version go on with
    /// it; new ones wait.
    Bind {
        /// Name of the machine.
        machine: String,
        /// Everything that does not fit.
        report: String,
    },
    /// A new version of a machine was refused. Agents go on with the earlier one.
    Reload {
        /// Name of the machine.
        machine: String,
        /// Why.
        report: String,
    },
    /// An `Agent<B>` was spawned, but nobody said what its functions are.
    NoKind(Entity),
    /// Functions read what the tick of their own kind changes: the kind was not added.
    Context {
        /// The type of the blackboard.
        kind: &'static str,
        /// Components and resources that they read.
        what: String,
    },
    /// An entity has two machines: the first goes on alone.
    Twice(Entity),
    /// The number is taken, used up or too high: the agent has another one.
    Number {
        /// The entity.
        entity: Entity,
        /// The number that it asked for.
        number: u32,
    },
    /// An id from elsewhere that nobody gave, or that another entity has: the agent has another one.
    UnknownId(Entity),
    /// The machine has no variant of this name: the agent is a plain one.
    Variant {
        /// The entity.
        entity: Entity,
        /// The name.
        variant: String,
    },
    /// The machine has no such key, or one of another type: the agent begins with what its file says.
    Key {
        /// The entity.
        entity: Entity,
        /// Name of the key.
        key: String,
    },
    /// There are as many agents as there may be: this one waits.
    TooMany(Entity),
    /// An agent with a turn could not be reached: its blackboard or instance was taken off, or the
    /// entity is disabled.
    Unreachable(AgentId),
    /// An agent cannot think: its blackboard was made for another machine.
    Board(AgentId),
    /// Changed parameters ([`Config::parameters`](crate::Config::parameters)) are those of another machine, or
    /// of another version of this one, which goes on with what its file says.
    Parameters(String),
    /// User code panicked, or a fault ended an agent. The others go on.
    Ended {
        /// The agent.
        agent: AgentId,
        /// Why.
        reason: String,
    },
    /// An event is none of the receiver's machine, or cannot carry what it was sent with.
    Event(String),
    /// The plugin, a kind or a marker of a state was added a second time: the first holds.
    AddedTwice(&'static str),
    /// Agents think in `FixedUpdate`, which nobody runs: there is no `TimePlugin`.
    NoTime,
    /// The asset server was added after machines had been put in by hand: it loads none.
    LateAssets,
    /// A tick of a kind was refused; it is tried again.
    Tick(String),
    /// A machine came while reloads are held: its agents begin when they are let go.
    Held(String),
    /// An agent came back from a snapshot when its machine was there, and not all of it could be read.
    Restore {
        /// The agent.
        agent: AgentId,
        /// What of it.
        what: &'static str,
    },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Asset { path, report } => write!(f, "{path} cannot be used:\n{report}"),
            Self::Bind { machine, report } => write!(f, "machine `{machine}`: {report}"),
            Self::Reload { machine, report } => {
                write!(f, "machine `{machine}` was not reloaded: {report}")
            }
            Self::NoKind(entity) => write!(
                f,
                "entity {entity} has an Agent, but its kind is unknown: call `app.add_agents(…::functions)`"
            ),
            Self::Context { kind, what } => write!(
                f,
                "functions of {kind} read {what}, which the tick of their own agents changes: the kind was not added. Let them read markers of states instead"
            ),
            Self::Twice(entity) => write!(
                f,
                "entity {entity} has Agents of two kinds: only the first thinks; give each an entity of its own"
            ),
            Self::Number { entity, number } => write!(
                f,
                "entity {entity} asks for number {number}, which another one has, or which is not below `most_agents` of the plugin: it has another number"
            ),
            Self::UnknownId(entity) => write!(
                f,
                "entity {entity} came with an id that nobody gave, or that another one has: it has a new one"
            ),
            Self::Variant { entity, variant } => write!(
                f,
                "the machine of entity {entity} has no variant `{variant}`: it has the plain parameters"
            ),
            Self::Key { entity, key } => write!(
                f,
                "the machine of entity {entity} has no key `{key}` of the type that it was to begin with"
            ),
            Self::TooMany(entity) => write!(
                f,
                "there are as many agents as `most_agents` of the plugin allows: entity {entity} waits"
            ),
            Self::Unreachable(agent) => write!(
                f,
                "{agent} cannot think: its blackboard or its instance was taken off, or its entity is disabled"
            ),
            Self::Board(agent) => write!(
                f,
                "{agent} cannot think: its blackboard was made for another machine, with other keys"
            ),
            Self::Parameters(machine) => write!(
                f,
                "machine `{machine}` runs with what its file says: the changed parameters are those of another machine, or of another version of it"
            ),
            Self::Ended { agent, reason } => write!(f, "{agent} has ended: {reason}"),
            Self::Event(report) => f.write_str(report),
            Self::AddedTwice(what) => write!(f, "{what} was added twice: the first one holds"),
            Self::NoTime => f.write_str(
                "agents think in FixedUpdate, which nobody runs: add the TimePlugin, or give StatewrightPlugin another schedule",
            ),
            Self::LateAssets => f.write_str(
                "machines were added before the AssetPlugin, which loads none now: add StatewrightPlugin after AssetPlugin",
            ),
            Self::Tick(report) => write!(f, "a tick was refused: {report}"),
            Self::Restore { agent, what } => {
                write!(f, "{agent} came back from a snapshot: {what}")
            }
            Self::Held(machine) => write!(
                f,
                "machine `{machine}` came while `Config::holds_reloads` is set: its agents wait until it is not; load machines before"
            ),
        }
    }
}

/// What went wrong, and how often events were lost.
#[derive(Resource, Debug, Default)]
pub struct Problems {
    list: VecDeque<Problem>,
    /// Hashes of those that were said in the log.
    said: HashSet<u64>,
    /// How often each was told.
    counts: HashMap<std::mem::Discriminant<Problem>, u64>,
    /// Events for agents that were gone, or never there.
    pub lost_to_nobody: u64,
    /// Events for agents whose machine was not loaded yet.
    pub lost_not_ready: u64,
    /// Events for agents that have ended.
    pub lost_to_ended: u64,
    /// Events that the receiver's machine does not know, and those for everybody that nobody knows.
    pub lost_unknown: u64,
    /// Events that found no room in an inbox or a queue, were pushed out of one, or waited there for too
    /// long.
    pub lost_surplus: u64,
    /// [`Signal`](crate::Signal)s that were gone before a tick read them: messages last for two frames, and
    /// the schedule did not run in them.
    pub lost_signals: u64,
    /// Commands that found no room.
    pub lost_commands: u64,
}

impl Problems {
    /// The last of them, oldest first. The same one is kept once.
    pub fn iter(&self) -> impl Iterator<Item = &Problem> {
        self.list.iter()
    }

    /// How many were told, also those that are not kept any more.
    pub fn count(&self) -> u64 {
        self.counts.values().sum()
    }

    /// Forgets those that were kept; the counts go on, and what was said in the log is not said again.
    pub fn clear(&mut self) {
        self.list.clear();
    }

    /// Something went wrong. The same is said once.
    pub(crate) fn tell(&mut self, problem: Problem) {
        *self
            .counts
            .entry(std::mem::discriminant(&problem))
            .or_default() += 1;
        if self.is_news(&problem) {
            log::warn!("{problem}");
            if self.said.len() == SAID {
                log::warn!("so many problems were said that further ones are only counted");
            }
        } else if self.list.contains(&problem) {
            return;
        }
        if self.list.len() == KEPT {
            self.list.pop_front();
        }
        self.list.push_back(problem);
    }

    /// Whether it is to be said: it was not, and there is room.
    fn is_news(&mut self, problem: &Problem) -> bool {
        self.said.len() < SAID && self.said.insert(hash_of(problem))
    }

    /// It is no longer so: if it comes again, it is said again.
    pub(crate) fn mend(&mut self, mended: impl Fn(&Problem) -> bool) {
        let Self { list, said, .. } = self;
        list.retain(|problem| {
            let is_mended = mended(problem);
            if is_mended {
                said.remove(&hash_of(problem));
            }
            !is_mended
        });
    }

    /// Events and commands that were lost, whatever the reason.
    pub fn lost(&self) -> u64 {
        let Self {
            list: _,
            said: _,
            counts: _,
            lost_to_nobody,
            lost_not_ready,
            lost_to_ended,
            lost_unknown,
            lost_surplus,
            lost_signals,
            lost_commands,
        } = self;
        [
            lost_to_nobody,
            lost_not_ready,
            lost_to_ended,
            lost_unknown,
            lost_surplus,
            lost_signals,
            lost_commands,
        ]
        .into_iter()
        .sum()
    }

    /// What a tick lost.
    pub(crate) fn lost_in_tick(&mut self, counters: &Counters) {
        self.lost_commands += counters.commands_dropped;
        self.lost_to_ended += counters.dropped_ended;
        self.lost_unknown += counters.dropped_unknown;
        let by_class = [counters.dropped_overflow, counters.evicted];
        let by_class: u64 = by_class.as_flattened().iter().sum();
        let others = [
            counters.dropped_surplus,
            counters.expired,
            counters.deferrals_refused,
        ];
        self.lost_surplus += by_class + others.iter().sum::<u64>();
    }
}

fn hash_of(problem: &Problem) -> u64 {
    let mut hasher = DefaultHasher::new();
    problem.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variant(number: u32) -> Problem {
        Problem::Variant {
            entity: Entity::from_raw_u32(number).expect("not the last one"),
            variant: String::new(),
        }
    }

    #[test]
    fn whatever_a_tick_loses_is_counted() {
        let mut problems = Problems::default();
        let lost = [
            "deferrals_refused",
            "expired",
            "dropped_ended",
            "dropped_surplus",
            "dropped_unknown",
            "dropped_overflow_low",
            "dropped_overflow_normal",
            "dropped_overflow_interrupt",
            "dropped_overflow_critical",
            "evicted_low",
            "evicted_normal",
            "evicted_interrupt",
            "evicted_critical",
            "commands_dropped",
        ];
        let values = Counters::NAMES.map(|name| u64::from(lost.contains(&name)));
        assert_eq!(
            values.iter().sum::<u64>(),
            lost.len() as u64,
            "names of counters"
        );
        problems.lost_in_tick(&Counters::from_values(values));
        assert_eq!(problems.lost(), lost.len() as u64, "{problems:?}");
    }

    #[test]
    fn each_is_said_once_however_many_there_are() {
        let mut problems = Problems::default();
        let mut said = 0;
        for _ in 0..3 {
            for number in 0..600 {
                said += usize::from(problems.is_news(&variant(number)));
                problems.tell(variant(number));
            }
        }
        assert_eq!((said, problems.said.len()), (600, 600));
        assert_eq!((problems.count(), problems.iter().count()), (1800, KEPT));
        problems.clear();
        assert!(!problems.is_news(&variant(3)), "it was said");
        problems.tell(variant(3));
        problems.mend(|known| *known == variant(3));
        assert!(problems.is_news(&variant(3)), "it came again");
        (0..5000).for_each(|number| problems.tell(variant(number)));
        assert_eq!(problems.said.len(), SAID);
    }
}
