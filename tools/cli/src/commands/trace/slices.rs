//! Agents as time lines: each active state is a slice on the track of its region, everything else
//! an instant on the agent's own track.

use std::collections::{BTreeMap, BTreeSet};

use statewright_trace::file::Reload;
use statewright_trace::{Kind, Legend};

use super::Shown;
use super::configuration::Configuration;

/// Where something stands: an agent, and one of its regions or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Track {
    pub(super) agent: u32,
    pub(super) region: Option<u16>,
    /// The version of the machine that has this region.
    pub(super) version: usize,
}

impl Track {
    /// The track of an agent itself.
    pub(super) fn of_agent(agent: u32) -> Self {
        Self {
            agent,
            region: None,
            version: 0,
        }
    }
}

/// What stands there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// A state begins to be active.
    Begin(u16),
    /// It ends.
    End(u16),
    /// Something happened, in words.
    Instant(&'static str, String),
}

/// A mark in time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Event {
    pub(super) nanoseconds: u64,
    pub(super) track: Track,
    pub(super) mark: Mark,
}

/// All events in order, and all tracks.
pub(super) fn events(shown: &Shown<'_>) -> (BTreeSet<Track>, Vec<Event>) {
    let mut lines = Lines {
        legend: &shown.reading.legend,
        version: 0,
        events: Vec::new(),
        agents: BTreeMap::new(),
    };
    for (reloads, entry) in shown.with_reloads() {
        let before = entry.version - reloads.len();
        for (version, reload) in (before + 1..).zip(reloads) {
            lines.reload(reload, version);
            lines.legend = shown.reading.legend_of(version);
        }
        let legend = lines.legend;
        let time = nanoseconds(entry.tick, legend.tick_rate);
        let agent = entry.record.agent.get();
        let kind = entry.record.kind();
        if let Some(kind) = kind.filter(|kind| {
            !matches!(
                kind,
                Kind::Leaf | Kind::Present | Kind::Entered | Kind::Exited
            )
        }) {
            let mark = Mark::Instant(kind.name(), legend.words(&entry.record));
            lines.put(time, Track::of_agent(agent), mark);
        }
        lines.follow(time, agent, &entry.record);
    }
    let end = shown.entries.last().map_or(0, |entry| {
        nanoseconds(entry.tick + 1, lines.legend.tick_rate)
    });
    lines.finish(end);
    let tracks = lines
        .events
        .iter()
        .flat_map(|event| [event.track, Track::of_agent(event.track.agent)]);
    (tracks.collect(), lines.events)
}

/// The name of a track: a region is called after the state that has it, and by its first child if
/// that has several.
pub(super) fn track_name(track: Track, shown: &Shown<'_>) -> String {
    let legend = shown.reading.legend_of(track.version);
    let Some(region) = track.region else {
        return format!("agent {}", track.agent);
    };
    let owner = legend
        .regions
        .get(usize::from(region))
        .copied()
        .unwrap_or(0);
    let siblings = legend
        .regions
        .iter()
        .filter(|other| **other == owner)
        .count();
    let first = (0_u16..)
        .zip(&legend.states)
        .find(|(_, state)| state.region == Some(region))
        .map_or("?", |(number, _)| legend.state(number));
    match siblings {
        1 => legend.state(owner).to_owned(),
        _ => format!("{} ({} …)", legend.state(owner), first),
    }
}

fn nanoseconds(tick: u64, rate: u16) -> u64 {
    let nanoseconds = u128::from(tick) * 1_000_000_000 / u128::from(rate.max(1));
    u64::try_from(nanoseconds).unwrap_or(u64::MAX)
}

struct Lines<'t> {
    legend: &'t Legend,
    /// The one since which regions have these numbers.
    version: usize,
    events: Vec<Event>,
    agents: BTreeMap<u32, Configuration>,
}

impl Lines<'_> {
    /// Another version of the machine: who was recorded is told so. If its states have other numbers, records
    /// say anew where agents are.
    fn reload(&mut self, reload: &Reload, version: usize) {
        let time = nanoseconds(reload.tick, reload.legend.tick_rate);
        let agents: Vec<u32> = self.agents.keys().copied().collect();
        for agent in agents {
            let mark = Mark::Instant("reloaded", reload.to_string());
            self.put(time, Track::of_agent(agent), mark);
        }
        let [[old, _], [new, _]] = reload.hashes;
        if old != new {
            self.finish(time);
            self.version = version;
        }
    }

    fn put(&mut self, nanoseconds: u64, track: Track, mark: Mark) {
        self.events.push(Event {
            nanoseconds,
            track,
            mark,
        });
    }

    fn track(&self, agent: u32, state: u16) -> Track {
        Track {
            agent,
            region: self
                .legend
                .states
                .get(usize::from(state))
                .and_then(|state| state.region),
            version: self.version,
        }
    }

    /// What begins and ends with a record.
    fn follow(&mut self, time: u64, agent: u32, record: &statewright_trace::Record) {
        let configuration = self.agents.entry(agent).or_default();
        let before = configuration.states(self.legend);
        let entered = configuration.follow(record, self.legend);
        let after = configuration.states(self.legend);
        // A leaf that is entered again ends and begins.
        let again = |state: &u16| entered == Some(*state);
        let ended: Vec<u16> = before
            .iter()
            .copied()
            .filter(|s| !after.contains(s) || again(s))
            .collect();
        let begun: Vec<u16> = after
            .iter()
            .copied()
            .filter(|s| !before.contains(s) || again(s))
            .collect();
        for state in ended.into_iter().rev() {
            self.put(time, self.track(agent, state), Mark::End(state));
        }
        for state in begun {
            self.put(time, self.track(agent, state), Mark::Begin(state));
        }
    }

    /// Whatever is still active ends with the trace.
    fn finish(&mut self, time: u64) {
        for (agent, configuration) in std::mem::take(&mut self.agents) {
            for state in configuration.states(self.legend).into_iter().rev() {
                self.put(time, self.track(agent, state), Mark::End(state));
            }
        }
    }
}
