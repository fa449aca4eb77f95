//! Why an agent did what it did in a tick: every candidate, taken or with the reason why not
//! (SEL-7).
//!
//! A reason is recorded when it changes, so those that still hold come from earlier ticks. Which
//! transitions were candidates follows from the machine: those of active states that wait for what
//! came.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use serde_json::{Value, json};
use statewright_text::quoted;
use statewright_trace::file::Reading;
use statewright_trace::{
    Cause, Kind, Legend, Level, Reason, Record, Transition, Trigger, reason_name,
};

use super::conditions::Conditions;
use super::configuration::Configuration;
use super::filter::check_agent;
use crate::error::CliError;

/// What became of a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Fate {
    Taken,
    /// With the tick that recorded the reason.
    Rejected(Reason, u64),
    /// Nothing was ever recorded about it.
    Unknown,
}

/// A search for transitions, with everyone who could have been found.
struct Search {
    /// What came, in words.
    cause: String,
    /// What became of it.
    outcome: String,
    candidates: Vec<(u16, Fate)>,
    /// What was scored in it.
    scores: BTreeMap<u16, f32>,
}

/// The answer.
pub(super) struct Answer<'t> {
    legend: &'t Legend,
    conditions: Conditions,
    agent: u32,
    tick: u64,
    /// The leaves before and after.
    before: Configuration,
    after: Configuration,
    searches: Vec<Search>,
    /// Events that never got to a search, in words.
    lost: Vec<String>,
    values: BTreeMap<u16, String>,
    scores: BTreeMap<u16, f32>,
    is_quiet: bool,
}

/// The version of the machine that ran in a tick.
pub(super) fn version_at(reading: &Reading<'_>, tick: u64) -> usize {
    let reloads = (1..).zip(&reading.reloads);
    let before = reloads.filter(|(_, reload)| reload.tick <= tick);
    before.map(|(version, _)| version).max().unwrap_or(0)
}

/// Looks an agent and a tick up.
pub(super) fn explain<'t>(
    reading: &'t Reading<'_>,
    conditions: Conditions,
    agent: u64,
    tick: u64,
) -> Result<Answer<'t>, CliError> {
    let known: BTreeSet<u32> = reading
        .records()
        .map(|(_, record)| record.agent.get())
        .collect();
    let Ok(agent) = u32::try_from(agent) else {
        return Err(CliError::new(format!("the trace has no agent {agent}")));
    };
    check_agent(agent, &known)?;
    let version = version_at(reading, tick);
    let legend = reading.legend_of(version);
    let structures = structures(reading);
    let is_like = |of: usize| structures.get(of) == structures.get(version);
    let own = || {
        let told = reading.told();
        told.filter(|(_, _, record)| record.agent.get() == agent)
            .map(|(of, tick, record)| (is_like(of), tick, record))
    };
    if !own().any(|(_, _, record)| record.kind().is_some_and(|kind| kind.level() == Level::All)) {
        let text =
            format!("the trace has no reasons of agent {agent}: it was recorded at level 1 or 2");
        return Err(CliError::new(text).help("record at level 3: `Settings::new(Level::All)`"));
    }
    let ends = (own().next(), own().last());
    if let (Some((_, first, _)), Some((_, last, _))) = ends
        && !(first..=last).contains(&tick)
    {
        let text = format!("the trace has nothing of agent {agent} in tick {tick}");
        return Err(CliError::new(text).help(format!("it has ticks {first} to {last} of it")));
    }
    let mut story = Story::new(legend);
    own()
        .filter(|(is_like, at, _)| *is_like && *at < tick)
        .for_each(|(_, at, record)| story.follow(at, record));
    let before = story.configuration.clone();
    let now: Vec<&Record> = own()
        .filter(|(is_like, at, _)| *is_like && *at == tick)
        .map(|(_, _, record)| record)
        .collect();
    let searches = story.searches(tick, &now);
    let is_quiet = now.is_empty();
    let lost = now
        .iter()
        .filter(|record| record.kind() == Some(Kind::EventLost))
        .map(|record| legend.words(record))
        .collect();
    Ok(Answer {
        legend,
        conditions,
        agent,
        tick,
        before,
        after: story.configuration,
        searches,
        lost,
        values: story.values,
        scores: story.scores,
        is_quiet,
    })
}

/// The first version of each one's structure: where it is the same, numbers mean the same, and one goes on where the
/// other was. Whoever came between had other numbers.
fn structures(reading: &Reading<'_>) -> Vec<usize> {
    let structure = |version: usize| reading.legend_of(version).symbols.structure_hash;
    let mut first = 0;
    let all = (0..=reading.reloads.len()).map(|version| {
        if structure(version) != structure(first) {
            first = version;
        }
        first
    });
    all.collect()
}

/// What is known of an agent up to a record.
struct Story<'t> {
    legend: &'t Legend,
    configuration: Configuration,
    reasons: BTreeMap<u16, (Reason, u64)>,
    /// What an expression has read and asked so far; its guard or score comes next.
    read: Vec<String>,
    /// What each transition's condition read when it was asked last.
    values: BTreeMap<u16, String>,
    scores: BTreeMap<u16, f32>,
}

impl<'t> Story<'t> {
    fn new(legend: &'t Legend) -> Self {
        Self {
            legend,
            configuration: Configuration::default(),
            reasons: BTreeMap::new(),
            read: Vec::new(),
            values: BTreeMap::new(),
            scores: BTreeMap::new(),
        }
    }

    fn follow(&mut self, tick: u64, record: &Record) {
        self.configuration.follow(record, self.legend);
        let subject = record.subject.get();
        match record.kind() {
            Some(Kind::Read | Kind::Gave) => self.read.push(self.legend.words(record)),
            Some(Kind::More) => {
                if let Some(last) = self.read.last_mut() {
                    last.push(' ');
                    last.push_str(&self.legend.value(record));
                }
            }
            Some(Kind::Asked) if record.detail == 0 => self.read.push(self.legend.words(record)),
            Some(Kind::Guard) => {
                let read = std::mem::take(&mut self.read);
                self.values.insert(subject, read.join(", "));
            }
            Some(Kind::Score) => {
                self.read.clear();
                self.scores
                    .insert(subject, f32::from_bits(record.value.get()));
            }
            Some(Kind::Event) => self.read.clear(),
            Some(Kind::Started) => self.reasons.clear(),
            Some(Kind::Transition) => _ = self.reasons.remove(&subject),
            Some(Kind::Rejected) => {
                if let Some(reason) = record.reason() {
                    self.reasons.insert(subject, (reason, tick));
                }
            }
            _ => {}
        }
    }

    /// Follows the records of a tick and gathers what was looked for.
    fn searches(&mut self, tick: u64, now: &[&Record]) -> Vec<Search> {
        let mut searches = Vec::new();
        let mut at = 0;
        while let Some(record) = now.get(at) {
            let cause = match record.kind() {
                Some(Kind::Event) => Some(Cause::Event(record.subject.get())),
                // A timer that stands for an event is followed by that.
                Some(Kind::Timer) if !next_is_event(now, at) => {
                    Some(Cause::Timer(record.subject.get()))
                }
                _ => None,
            };
            match cause {
                None => self.follow(tick, record),
                Some(cause) => {
                    let end = (at + 1..now.len())
                        .find(|&place| begins_search(now[place]))
                        .unwrap_or(now.len());
                    searches.push(self.search(tick, cause, &now[at..end]));
                    at = end;
                    continue;
                }
            }
            at += 1;
        }
        searches.extend(self.eventless(now));
        searches
    }

    /// One search for an event or a timer.
    fn search(&mut self, tick: u64, cause: Cause, records: &[&Record]) -> Search {
        let candidates = self.candidates(|trigger| match (trigger, cause) {
            (Trigger::Event(event), Cause::Event(came)) => event == came,
            (Trigger::Any, Cause::Event(_)) => true,
            (Trigger::Timer(timer), Cause::Timer(came)) => timer == came,
            _ => false,
        });
        let words = match cause {
            Cause::Event(event) => self.legend.event(event).to_owned(),
            Cause::Timer(timer) => self.legend.timer_words(timer),
            Cause::None => String::new(),
        };
        let taken: Vec<u16> = records
            .iter()
            .filter(|record| is_taken(record, cause))
            .map(|r| r.subject.get())
            .collect();
        records.iter().for_each(|record| self.follow(tick, record));
        let is = |kind: Kind| records.iter().any(|record| record.kind() == Some(kind));
        let stays = |record: &&Record| {
            record.kind() == Some(Kind::Rejected) && record.reason() == Some(Reason::Stays)
        };
        let outcome = match taken.len() {
            0 if is(Kind::Deferred) => "it waits for another state",
            0 if is(Kind::Latched) => "it waits until its state may be left",
            0 if records.iter().any(stays) => "the winner says to stay",
            0 => "nobody took it",
            1 => "one transition took it",
            _ => "several transitions took it together",
        };
        let fate = |id: u16| {
            if taken.contains(&id) {
                Fate::Taken
            } else {
                self.fate(id)
            }
        };
        let candidates = candidates.into_iter().map(|id| (id, fate(id))).collect();
        Search {
            cause: words,
            outcome: outcome.to_owned(),
            candidates,
            scores: scores_in(records),
        }
    }

    /// Transitions that wait for no event.
    fn eventless(&self, now: &[&Record]) -> Option<Search> {
        let taken = now
            .iter()
            .filter(|record| is_taken(record, Cause::None))
            .map(|record| record.subject.get());
        let mut candidates: Vec<(u16, Fate)> = taken.map(|id| (id, Fate::Taken)).collect();
        let outcome = if candidates.is_empty() {
            "none of them was taken"
        } else {
            "one was taken"
        };
        let waiting =
            self.candidates(|t| matches!(t, Trigger::Always | Trigger::Done | Trigger::Failed));
        for id in waiting {
            if !candidates.iter().any(|(other, _)| *other == id) {
                candidates.push((id, self.fate(id)));
            }
        }
        let cause = "without an event".to_owned();
        (!candidates.is_empty()).then(|| Search {
            cause,
            outcome: outcome.to_owned(),
            candidates,
            scores: scores_in(now),
        })
    }

    /// Transitions of active states with such a trigger, inner states first.
    fn candidates(&self, wants: impl Fn(Trigger) -> bool) -> Vec<u16> {
        let is_candidate = |transition: &Transition| {
            wants(transition.trigger)
                && self.configuration.is_active(transition.source, self.legend)
        };
        let all = (0_u16..).zip(&self.legend.transitions);
        let mut found: Vec<(u16, u16)> = all
            .filter(|(_, t)| is_candidate(t))
            .map(|(id, transition)| (transition.source, id))
            .collect();
        found.sort_by_key(|&(source, id)| (std::cmp::Reverse(source), id));
        found.into_iter().map(|(_, id)| id).collect()
    }

    fn fate(&self, transition: u16) -> Fate {
        self.reasons
            .get(&transition)
            .map_or(Fate::Unknown, |&(reason, tick)| {
                Fate::Rejected(reason, tick)
            })
    }
}

/// What candidates scored, each the last time.
fn scores_in(records: &[&Record]) -> BTreeMap<u16, f32> {
    let scores = records
        .iter()
        .filter(|record| record.kind() == Some(Kind::Score));
    scores
        .map(|record| (record.subject.get(), f32::from_bits(record.value.get())))
        .collect()
}

fn next_is_event(now: &[&Record], at: usize) -> bool {
    now.get(at + 1)
        .is_some_and(|record| record.kind() == Some(Kind::Event))
}

/// Something new is looked for: what follows does not belong to what came before.
fn begins_search(record: &Record) -> bool {
    let eventless = record.kind() == Some(Kind::Transition) && record.cause() == Some(Cause::None);
    eventless || matches!(record.kind(), Some(Kind::Event | Kind::Timer))
}

fn is_taken(record: &Record, cause: Cause) -> bool {
    record.kind() == Some(Kind::Transition) && record.cause() == Some(cause)
}

impl Answer<'_> {
    /// For people.
    pub(super) fn to_text(&self, paints: bool) -> String {
        let legend = self.legend;
        let paint = |code: &str, text: &str| match paints {
            true => format!("\x1b[{code}m{text}\x1b[0m"),
            false => text.to_owned(),
        };
        let mut out = String::new();
        // Nothing can go wrong: this writes to memory.
        _ = write!(
            out,
            "agent {} of {}, tick {}: ",
            self.agent, legend.symbols.machine, self.tick
        );
        _ = match self.before == self.after {
            true => writeln!(out, "in {}", self.after.words(legend)),
            false => writeln!(
                out,
                "from {} to {}",
                self.before.words(legend),
                self.after.words(legend)
            ),
        };
        if self.is_quiet {
            _ = writeln!(out, "nothing was recorded in this tick");
        }
        for search in &self.searches {
            _ = writeln!(out, "\n{}: {}", paint("1", &search.cause), search.outcome);
            let width = search
                .candidates
                .iter()
                .map(|(id, _)| self.candidate(*id).chars().count())
                .max()
                .unwrap_or(0);
            for (id, fate) in &search.candidates {
                let name = self.candidate(*id);
                let padded = format!("{name}{}", " ".repeat(width - name.chars().count()));
                let fate = match fate {
                    Fate::Taken => paint("32", &format!("taken{}", self.score_words(*id))),
                    other => paint("33", &self.fate_words(search, *id, other)),
                };
                _ = writeln!(out, "  {padded}  {fate}");
            }
            if search.candidates.is_empty() {
                _ = writeln!(out, "  no active state has a transition for it");
            }
        }
        for lost in &self.lost {
            _ = writeln!(out, "\n{}", paint("91", lost));
        }
        if self.searches.is_empty() && self.lost.is_empty() {
            _ = writeln!(
                out,
                "\nno event came, and no active state has a transition without one"
            );
        }
        out
    }

    /// A transition with its trigger where that is not the one that came.
    fn candidate(&self, id: u16) -> String {
        let trigger = self
            .legend
            .transitions
            .get(usize::from(id))
            .map(|transition| transition.trigger);
        match trigger {
            Some(trigger @ (Trigger::Any | Trigger::Always | Trigger::Done | Trigger::Failed)) => {
                format!("{} ({})", self.legend.way(id), self.legend.trigger(trigger))
            }
            _ => self.legend.way(id),
        }
    }

    fn fate_words(&self, search: &Search, id: u16, fate: &Fate) -> String {
        match fate {
            Fate::Taken => "taken".to_owned(),
            Fate::Rejected(reason, since) => {
                let words = match reason {
                    Reason::NotReached => self.outscored(search, id),
                    Reason::BelowThreshold => self.too_low(id),
                    _ => None,
                };
                let words = words.unwrap_or_else(|| self.reason_words(id, *reason));
                // A reason is recorded when it changes: until now it was the same.
                let same = match self.tick.saturating_sub(*since) {
                    0 => String::new(),
                    1 => ", the same for 1 tick".to_owned(),
                    ticks => format!(", the same for {ticks} ticks"),
                };
                format!("{words}{same}")
            }
            Fate::Unknown => match self
                .legend
                .transitions
                .get(usize::from(id))
                .map(|transition| transition.trigger)
            {
                Some(Trigger::Done) => "its state is not done".to_owned(),
                Some(Trigger::Failed) => "its activity has not failed".to_owned(),
                _ => "no reason was recorded".to_owned(),
            },
        }
    }

    /// A reason, and what was read or scored for it.
    fn reason_words(&self, id: u16, reason: Reason) -> String {
        let text = self.condition(id, reason);
        let words = self.legend.reason_about(id, reason, text);
        match (reason, self.values.get(&id)) {
            (Reason::GuardFalse(_), Some(values)) if !values.is_empty() => {
                format!("{words}: {values}")
            }
            _ => format!("{words}{}", self.score_words(id)),
        }
    }

    /// Who scored better, if that decided: a competitor of the same state in the same search.
    fn outscored(&self, search: &Search, id: u16) -> Option<String> {
        let source = |id: u16| Some(self.legend.transitions.get(usize::from(id))?.source);
        let has_won = |fate: &Fate| matches!(fate, Fate::Taken | Fate::Rejected(Reason::Stays, _));
        let rivals = search.candidates.iter();
        let mut rivals =
            rivals.filter(|(other, fate)| has_won(fate) && source(*other) == source(id));
        let own = search.scores.get(&id)?;
        let (rival, best) =
            rivals.find_map(|(rival, _)| Some((*rival, search.scores.get(rival)?)))?;
        let rival = quoted(&self.legend.way(rival));
        Some(format!(
            "its score {own} is not higher than {best} of {rival}"
        ))
    }

    /// A score that does not count, with what would; without the machine that is not known.
    fn too_low(&self, id: u16) -> Option<String> {
        let least = self.conditions.threshold(id)?;
        let least = match least.parse::<f64>() {
            Ok(_) => least.to_owned(),
            Err(_) => quoted(least),
        };
        let text = self.conditions.score(id).map(quoted);
        let text = text.map_or_else(String::new, |text| format!(" {text}"));
        let score = self.scores.get(&id);
        let score = score.map_or_else(String::new, |score| format!(" of {score}"));
        Some(format!(
            "its score{text}{score} is below its threshold of {least}"
        ))
    }

    /// What a reason is about: the text of the guard or score.
    fn condition(&self, id: u16, reason: Reason) -> Option<&str> {
        match reason {
            Reason::GuardFalse(_) | Reason::Debounce => self.conditions.guard(id),
            Reason::BelowThreshold => self.conditions.score(id),
            Reason::Cooldown
            | Reason::StackFull
            | Reason::StackEmpty
            | Reason::MinActive
            | Reason::ExitNotReady
            | Reason::NotReached
            | Reason::LostConflict
            | Reason::Outranked
            | Reason::Stays => None,
        }
    }

    /// What a transition scored, if it is one that does.
    fn score_words(&self, id: u16) -> String {
        let score = self.scores.get(&id);
        score.map_or_else(String::new, |score| format!(", scored {score}"))
    }

    /// For tools.
    pub(super) fn to_json(&self) -> Value {
        let legend = self.legend;
        let leaves = |configuration: &Configuration| -> Vec<&str> {
            configuration
                .leaves
                .iter()
                .map(|&leaf| legend.state(leaf))
                .collect()
        };
        let candidate = |search: &Search, (id, fate): &(u16, Fate)| {
            let mut object =
                json!({ "transition": legend.way(*id), "taken": *fate == Fate::Taken });
            if let Fate::Rejected(reason, since) = fate {
                object["reason"] = reason_name(*reason).into();
                object["since"] = (*since).into();
                if let Reason::GuardFalse(code) = reason {
                    object["code"] = (*code).into();
                }
            }
            if let Some(guard) = self.conditions.guard(*id) {
                object["guard"] = guard.into();
            }
            if let Some(score) = self.scores.get(id) {
                object["score"] = json!(score);
            }
            object["text"] = self.fate_words(search, *id, fate).into();
            object
        };
        let search = |search: &Search| {
            let candidates = search.candidates.iter();
            let candidates: Vec<Value> = candidates.map(|one| candidate(search, one)).collect();
            json!({ "cause": search.cause, "outcome": search.outcome, "candidates": candidates })
        };
        json!({
            "machine": legend.symbols.machine,
            "agent": self.agent,
            "tick": self.tick,
            "before": leaves(&self.before),
            "after": leaves(&self.after),
            "lost": self.lost,
            "searches": self.searches.iter().map(search).collect::<Vec<Value>>(),
        })
    }
}
