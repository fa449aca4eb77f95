//! Why candidates were not taken, in plain words (SEL-7).

use std::collections::BTreeSet;

use statewright_kernel::{Cause, Reason};
use statewright_rom::Rom;
use statewright_rom::ids::*;
use statewright_rom::layout::transition_flag;
use statewright_rom::priority;
use statewright_text::quoted;

use crate::checkpoint::Checkpoint;
use crate::names::{Names, duration};
use crate::record::{Candidate, StepEvent};
use crate::value::parameter_words;

/// One search: who was taken, everything that happened in it, active states when it began.
type Search<'l> = (&'l [TransitionId], &'l [StepEvent], &'l BTreeSet<StateId>);

/// What is known about a tick that is over.
pub(crate) struct Judge<'s> {
    pub(crate) rom: &'s Rom<'s>,
    pub(crate) names: &'s Names,
    /// The agent's variant.
    pub(crate) variant: VariantId,
    /// The agent after it.
    pub(crate) checkpoint: &'s Checkpoint,
    /// Leaves before it.
    pub(crate) before: &'s [StateId],
    /// What happened.
    pub(crate) log: &'s [StepEvent],
}

impl Judge<'_> {
    /// Every candidate of every search, those that were taken included.
    pub(crate) fn candidates(&self) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        let starts = self
            .log
            .iter()
            .enumerate()
            .filter(|(_, h)| matches!(h, StepEvent::Select(_)))
            .map(|(at, _)| at);
        let starts: Vec<usize> = starts.collect();
        for (search, &start) in starts.iter().enumerate() {
            let end = starts.get(search + 1).copied().unwrap_or(self.log.len());
            let active = self.active_at(start);
            self.judge_search(search, &self.log[start..end], &active, &mut candidates);
        }
        candidates
    }

    /// Active states when a search began.
    fn active_at(&self, start: usize) -> BTreeSet<StateId> {
        let mut active: BTreeSet<StateId> = self
            .before
            .iter()
            .flat_map(|&leaf| self.rom.path_up(leaf))
            .collect();
        for seen in &self.log[..start] {
            match *seen {
                StepEvent::Entered(state) => _ = active.insert(state),
                StepEvent::Exited(state) => _ = active.remove(&state),
                _ => {}
            }
        }
        active
    }

    fn judge_search(
        &self,
        search: usize,
        log: &[StepEvent],
        active: &BTreeSet<StateId>,
        candidates: &mut Vec<Candidate>,
    ) {
        let Some(StepEvent::Select(cause)) = log.first() else {
            return;
        };
        let cause = self.cause_words(*cause);
        let taken: Vec<TransitionId> = log
            .iter()
            .filter_map(|h| {
                if let StepEvent::Taken(id) = h {
                    Some(*id)
                } else {
                    None
                }
            })
            .collect();
        for (at, seen) in log.iter().enumerate() {
            let (transition, reason, words) = match *seen {
                StepEvent::Taken(id) => (id, None, "taken".to_owned()),
                StepEvent::Rejected(id, reason) => (
                    id,
                    Some(reason),
                    self.words(id, reason, (&taken, log, active), &log[..at]),
                ),
                _ => continue,
            };
            candidates.push(Candidate {
                search,
                cause: cause.clone(),
                transition,
                reason,
                words,
            });
        }
    }

    /// What a search was for.
    pub(crate) fn cause_words(&self, cause: Cause) -> String {
        match cause {
            Cause::None => "without an event".to_owned(),
            Cause::Event(event, _) => format!("event {}", self.names.event(event)),
            Cause::Timer(timer) => format!("timer {}", self.names.timer(timer)),
        }
    }

    fn words(
        &self,
        id: TransitionId,
        reason: Reason,
        (taken, log, active): Search<'_>,
        before: &[StepEvent],
    ) -> String {
        let beside =
            |text: Option<&String>| text.map_or(String::new(), |text| format!(" {}", quoted(text)));
        let words = self.names.transition(id);
        match reason {
            Reason::Cooldown => format!(
                "its cooldown runs{}",
                self.left(self.checkpoint.agent.ready_tick(self.rom, id))
            ),
            Reason::StackFull => {
                "the stack of its region is full: nothing more can be pushed".to_owned()
            }
            Reason::StackEmpty => {
                "the stack of its region is empty: there is nothing to go back to".to_owned()
            }
            Reason::GuardFalse(code) => {
                let guard = words.and_then(|words| words.guard.as_ref());
                let rest = seen_by(guard.map(String::as_str), before);
                let code = match code {
                    0 => String::new(),
                    code => format!(", with code {code}"),
                };
                format!("its guard{} said no{code}{rest}", beside(guard))
            }
            Reason::Debounce => {
                let left = self.left(self.checkpoint.agent.debounce_deadline(self.rom, id));
                format!("its guard holds, but not for long enough (debounce){left}")
            }
            Reason::BelowThreshold => {
                let least = words
                    .and_then(|words| words.threshold.clone())
                    .unwrap_or_else(|| "0".to_owned());
                let known = self.parameters_in(&least);
                format!(
                    "its score{}{} is below its threshold of {least}{known}",
                    beside(words.and_then(|w| w.score.as_ref())),
                    score_of(log, id).map_or(String::new(), |score| format!(" of {score}"))
                )
            }
            Reason::MinActive => {
                format!(
                    "{}{}",
                    self.holding(id, active, |state| self.is_held_by_time(state)),
                    self.latched(id)
                )
            }
            Reason::ExitNotReady => {
                format!(
                    "{}{}",
                    self.holding(id, active, |state| self.is_held_by_guard(state)),
                    self.latched(id)
                )
            }
            Reason::NotReached => self.not_reached(id, taken, log),
            Reason::LostConflict => {
                let other = taken.iter().find_map(|&other| self.names.transition(other));
                let other =
                    other.map_or(String::new(), |other| format!(" ({})", quoted(&other.line)));
                format!("another transition that goes first leaves the same states{other}")
            }
            Reason::Outranked => {
                "an interrupt stands alone: everybody else is passed over".to_owned()
            }
            Reason::Stays => {
                "it won, and it says to stay: the search ends and nothing happens".to_owned()
            }
        }
    }

    /// What the parameters are that stand in some code: ` (courage is 0.5)`.
    fn parameters_in(&self, code: &str) -> String {
        let all = (0..self.rom.parameters().len()).filter_map(ParameterId::from_index);
        let used = all.filter(|&parameter| names(code, self.names.parameter(parameter)));
        let values = used.map(|parameter| {
            let value = parameter_words(self.rom, self.variant, parameter);
            format!("{} is {value}", self.names.parameter(parameter))
        });
        match Vec::from_iter(values) {
            none if none.is_empty() => String::new(),
            values => format!(" ({})", values.join(", ")),
        }
    }

    /// How long until a tick.
    fn left(&self, until: Option<u32>) -> String {
        let rate = u32::from(self.rom.header().tick_rate.get());
        let left = until
            .map(|until| until.wrapping_sub(self.checkpoint.tick))
            .filter(|&left| left > 0 && left < 1 << 31);
        left.map_or(String::new(), |left| {
            format!(": {} left", ticks_words(left, rate))
        })
    }

    fn latched(&self, id: TransitionId) -> &'static str {
        let latches = self
            .rom
            .transition(id)
            .is_some_and(|t| t.flags.get() & transition_flag::LATCH != 0);
        if latches {
            "; it is kept and tried again (latch)"
        } else {
            ""
        }
    }

    /// Which state holds a transition back: the innermost that it would leave and that has such a
    /// condition.
    fn holding(
        &self,
        id: TransitionId,
        active: &BTreeSet<StateId>,
        why: impl Fn(StateId) -> Option<&'static str>,
    ) -> String {
        let Some(record) = self.rom.transition(id) else {
            return String::new();
        };
        let ids = StateId::read(record.source).zip(StateId::read(record.domain));
        let is_left = |state: StateId| {
            ids.is_some_and(|(source, domain)| {
                let near = self.rom.is_ancestor_or_self(source, state)
                    || self.rom.is_ancestor_or_self(state, source);
                near && self.rom.is_inside(state, domain)
            })
        };
        let mut left = active.iter().rev().copied().filter(|&state| is_left(state));
        match left.find_map(|state| Some((state, why(state)?))) {
            Some((state, why)) => format!("`{}` {why}", self.names.state(state)),
            None => "a state that it would leave may not be left yet".to_owned(),
        }
    }

    fn is_held_by_time(&self, state: StateId) -> Option<&'static str> {
        let least = self.rom.state_extra(state).map_or(0, |extra| {
            self.rom.ticks_asked(extra.min_active, self.variant)
        });
        let ticks = self
            .checkpoint
            .agent
            .ticks_in_state(self.rom, state, self.checkpoint.tick)
            .unwrap_or(0);
        (ticks < least).then_some("has not been active long enough (min_active)")
    }

    fn is_held_by_guard(&self, state: StateId) -> Option<&'static str> {
        let guard = self
            .rom
            .state_extra(state)
            .and_then(|extra| OpId::read(extra.exit_ready));
        guard.map(|_| "is not ready to be left (exit_ready)")
    }

    fn not_reached(&self, id: TransitionId, taken: &[TransitionId], log: &[StepEvent]) -> String {
        let rom = self.rom;
        let source = |id: TransitionId| rom.transition(id).and_then(|t| StateId::read(t.source));
        let Some(own) = source(id) else {
            return "another one was found first".to_owned();
        };
        let stayed = log.iter().filter_map(|seen| match seen {
            StepEvent::Rejected(id, Reason::Stays) => Some(*id),
            _ => None,
        });
        let mut winners = taken.iter().copied().chain(stayed.clone());
        let rival =
            winners.find(|&other| source(other).is_some_and(|s| rom.is_ancestor_or_self(own, s)));
        let took = if stayed.clone().any(|id| Some(id) == rival) {
            ("says to stay", "which says to stay")
        } else {
            ("took it", "which was taken")
        };
        let Some(rival) = rival else {
            let deferred = log.iter().any(|h| matches!(h, StepEvent::Deferred(_)));
            return match (deferred, taken.is_empty()) {
                (true, _) => "a state inside defers the event".to_owned(),
                (_, true) => {
                    "another one was found first and waits until it may leave (latch)".to_owned()
                }
                _ => "another one was found first".to_owned(),
            };
        };
        let line = self
            .names
            .transition(rival)
            .map_or(String::new(), |words| quoted(&words.line));
        if source(rival) != Some(own) {
            return format!("a state inside was asked first and {}: {line}", took.0);
        }
        let rank = |id: TransitionId| rom.transition(id).map_or(0, |t| priority(t.flags));
        let scored = |id: TransitionId| {
            rom.transition(id)
                .is_some_and(|t| t.flags.get() & transition_flag::SCORED != 0)
        };
        match (rank(id), rank(rival)) {
            (low, high) if low < high => {
                format!("its priority {low} is lower than {high} of {line}")
            }
            _ if scored(id) && scored(rival) => match (score_of(log, id), score_of(log, rival)) {
                (Some(own), Some(best)) => {
                    format!("its score {own} is not higher than {best} of {line}")
                }
                _ => format!("its score is not higher than that of {line}"),
            },
            _ => format!("it comes after {line}, {}", took.1),
        }
    }
}

/// What a candidate scored in a search.
fn score_of(log: &[StepEvent], id: TransitionId) -> Option<f32> {
    log.iter().find_map(|seen| match seen {
        StepEvent::Score(of, score) if *of == id => Some(*score),
        _ => None,
    })
}

/// What a guard that said no has read and asked: `: ammo is 0, IsReady() said no`. The log holds
/// what guards before it looked at, too, if those held: only what stands in this one counts.
fn seen_by(guard: Option<&str>, log: &[StepEvent]) -> String {
    let Some(guard) = guard else {
        return String::new();
    };
    let mut own: Vec<&StepEvent> = log.iter().rev().take_while(|seen| is_look(seen)).collect();
    own.reverse();
    let mut parts: Vec<String> = Vec::new();
    for seen in own {
        let part = seen_words(guard, seen);
        parts.extend(part.filter(|part| !parts.contains(part)));
    }
    match parts.is_empty() {
        true => String::new(),
        false => format!(": {}", parts.join(", ")),
    }
}

fn is_look(seen: &StepEvent) -> bool {
    matches!(
        seen,
        StepEvent::Read { .. }
            | StepEvent::Asked { .. }
            | StepEvent::Gave { .. }
            | StepEvent::Drew(..)
    )
}

fn seen_words(guard: &str, seen: &StepEvent) -> Option<String> {
    match seen {
        StepEvent::Read { name, value } => names(guard, name).then(|| format!("{name} is {value}")),
        // A guard that is one function is named already.
        StepEvent::Asked { call, .. } if call == guard => None,
        StepEvent::Asked {
            call,
            holds: false,
            code,
        } => {
            let function = call.split('(').next().unwrap_or(call);
            let code = match code {
                0 => String::new(),
                code => format!(", code {code}"),
            };
            names(guard, function).then(|| format!("{call} said no{code}"))
        }
        StepEvent::Gave { call, value } => {
            let function = call.split('(').next().unwrap_or(call);
            names(guard, function).then(|| format!("{call} is {value}"))
        }
        _ => None,
    }
}

/// Does a name stand in an expression, as a word of its own: `spot` in `spot.x > 0`, but neither in
/// `spotted` nor in `my.spot`?
fn names(expression: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    expression.match_indices(name).any(|(at, _)| {
        let before = expression[..at].chars().next_back();
        let after = expression[at + name.len()..].chars().next();
        !before.is_some_and(|c| is_part(c) || c == '.') && !after.is_some_and(is_part)
    })
}

/// Ticks in words: `3 ticks (50ms)`.
pub(crate) fn ticks_words(ticks: u32, rate: u32) -> String {
    let plural = if ticks == 1 { "" } else { "s" };
    format!("{ticks} tick{plural} ({})", time_words(ticks, rate))
}

/// Ticks as time; where no round number means them, as seconds with two places.
pub(crate) fn time_words(ticks: u32, rate: u32) -> String {
    let exact = duration(ticks, rate);
    if exact.ends_with('t') {
        format!("{:.2}s", f64::from(ticks) / f64::from(rate.max(1)))
    } else {
        exact
    }
}
