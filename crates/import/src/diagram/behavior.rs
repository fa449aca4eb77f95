//! Owns what the words of a diagram mean: triggers, guards, actions, lines in boxes.

use statewright_author::diagnostic::Diagnostics;
use statewright_author::duration::DurationSource;
use statewright_author::expr::{parse, parse_action};
use statewright_author::graph::{
    Action, ActionKind, ExprSource, State, Timer, Transition, TransitionKind, Trigger,
};
use statewright_author::names::{check_event, check_name};
use statewright_author::span::{Name, Span, Spanned};
use statewright_author::value::Duration;

use super::label::{Label, label, split};
use super::part;
use crate::graphs::Events;
use crate::report::{ignored, refused, shown, syntax};

/// What the words of a diagram declare on the way.
#[derive(Default)]
pub(super) struct Words {
    pub(super) events: Events,
    pub(super) timers: Vec<Timer>,
}

/// What is known of the source of a transition.
#[derive(Clone, Copy, Default)]
pub(super) struct Source {
    /// It can be complete: it has states inside.
    pub(super) completes: bool,
    /// It has an activity, which can end.
    pub(super) acts: bool,
}

impl Words {
    /// The transitions of a label, without targets: one for each event that it names.
    pub(super) fn transitions(
        &mut self,
        text: Option<&Name>,
        source: Source,
        span: Span,
        out: &mut Diagnostics,
    ) -> Vec<Transition> {
        let parts = text.map(label).unwrap_or_default();
        let guard = parts
            .guard
            .as_ref()
            .and_then(|guard| self.guard(guard, out));
        let effect = self.actions(&parts.effects, out);
        let mut made = Transition {
            guard,
            effect,
            span,
            ..Transition::default()
        };
        marks(&parts, &mut made, out);
        let Some(trigger) = &parts.trigger else {
            // Without an event it is taken on completion, as in UML: at once if there is nothing to
            // complete.
            let done = source.completes && parts.guard.is_none();
            made.trigger = if done {
                Trigger::Done(span)
            } else {
                Trigger::Always(span)
            };
            return vec![made];
        };
        let several = split(trigger, ',');
        let triggers = several
            .iter()
            .filter_map(|each| self.trigger(each, source, out));
        triggers
            .map(|trigger| Transition {
                trigger,
                ..made.clone()
            })
            .collect()
    }

    fn trigger(&mut self, text: &Name, source: Source, out: &mut Diagnostics) -> Option<Trigger> {
        let words = text.value.as_str();
        if let Some(time) = time_after(words, "after") {
            return Some(Trigger::After(Spanned::new(time, text.span)));
        }
        if let Some(time) = time_after(words, "every") {
            return Some(Trigger::Every(Spanned::new(time, text.span)));
        }
        match words {
            "*" | "any event" => return Some(Trigger::Any(text.span)),
            "always" => return Some(Trigger::Always(text.span)),
            "done" if source.completes || source.acts => return Some(Trigger::Done(text.span)),
            "failed" if source.acts => return Some(Trigger::Failed(text.span)),
            _ => {}
        }
        if let Some(timer) = words
            .strip_prefix("timer ")
            .filter(|timer| check_name(timer.trim()).is_ok())
        {
            let name = Name::new(timer.trim().to_owned(), text.span);
            self.timer(&name);
            return Some(Trigger::Timer(name));
        }
        if words.contains(['[', ']']) {
            let problem = syntax(text.span, "a bracket of this label has no partner")
                .label("`[` or `]` alone");
            out.push(problem.help("a guard stands between both: `event [guard] / action`"));
            return None;
        }
        if let Err(reason) = check_event(words) {
            let message = format!(
                "`{}` cannot be the name of an event: {reason}",
                shown(words)
            );
            out.push(
                refused(text.span, message)
                    .label("not an event")
                    .help("name it in a few plain words"),
            );
            return None;
        }
        self.events.add(text);
        Some(Trigger::Event(text.clone()))
    }

    fn timer(&mut self, name: &Name) {
        if !self
            .timers
            .iter()
            .any(|timer| timer.name.value == name.value)
        {
            self.timers.push(Timer {
                name: name.clone(),
                ..Timer::default()
            });
        }
    }

    /// A guard: an expression as it is, other words as the name of a function.
    pub(super) fn guard(&mut self, text: &Name, out: &mut Diagnostics) -> Option<ExprSource> {
        if parse(&text.value).is_ok() {
            return Some(text.clone());
        }
        function(text, "guard", out)
    }

    /// Actions: those of the machine file as they are, other words as the name of a function.
    pub(super) fn actions(&mut self, list: &[Name], out: &mut Diagnostics) -> Vec<Action> {
        let made = list.iter().filter_map(|text| {
            let kind = match self.built_in(text) {
                Some(kind) => kind,
                None if parse_action(&text.value).is_ok() => ActionKind::Text(text.clone()),
                None => ActionKind::Text(function(text, "action", out)?),
            };
            Some(Action {
                kind,
                muted: false,
                span: text.span,
            })
        });
        made.collect()
    }

    /// Built-in actions as pictures show them.
    fn built_in(&mut self, text: &Name) -> Option<ActionKind> {
        let (verb, _) = text.value.split_once(' ')?;
        let rest = part(text, verb.len() + 1..text.value.len());
        let plain = |name: &str| check_name(name).is_ok() && !name.contains(['(', ')']);
        match verb {
            "raise" | "send" if plain(&rest.value) && !rest.value.contains(" to ") => {
                self.events.add(&rest);
                let (event, payload) = (rest, None);
                Some(if verb == "raise" {
                    ActionKind::Raise { event, payload }
                } else {
                    ActionKind::Send {
                        event,
                        payload,
                        to: None,
                    }
                })
            }
            "start" => {
                let (timer, time) = rest.value.rsplit_once(' ')?;
                let after = Spanned::new(plain_time(time)?, rest.span);
                let timer =
                    Some(part(&rest, 0..timer.len())).filter(|timer| plain(&timer.value))?;
                self.timer(&timer);
                Some(ActionKind::StartTimer { timer, after })
            }
            "stop"
                if self
                    .timers
                    .iter()
                    .any(|timer| timer.name.value == rest.value) =>
            {
                Some(ActionKind::StopTimer { timer: rest })
            }
            "emit" => {
                let (lane, command) = rest
                    .value
                    .split_once(' ')
                    .filter(|(_, command)| plain(command))?;
                let (lane_end, end) = (lane.len(), lane.len() + 1 + command.len());
                let (lane, command) = (part(&rest, 0..lane_end), part(&rest, lane_end + 1..end));
                Some(ActionKind::Emit {
                    command,
                    lane,
                    payload: None,
                })
            }
            _ => None,
        }
    }

    /// A line in a box: `entry / …`, `exit / …`, `do / …`, a transition that stays, or a
    /// description.
    pub(super) fn line(
        &mut self,
        text: &Name,
        state: &mut State,
        source: Source,
        out: &mut Diagnostics,
    ) {
        let words = text.value.as_str();
        let after = |start: usize| part(text, start..words.len());
        if let Some(start) = keyword(words, "entry") {
            state
                .entry
                .extend(self.actions(&split(&after(start), ';'), out));
        } else if let Some(start) = keyword(words, "exit") {
            state
                .exit
                .extend(self.actions(&split(&after(start), ';'), out));
        } else if let Some(start) = keyword(words, "suspend") {
            state
                .suspend
                .extend(self.actions(&split(&after(start), ';'), out));
        } else if let Some(start) = keyword(words, "resume") {
            state
                .resume
                .extend(self.actions(&split(&after(start), ';'), out));
        } else if let Some(start) = keyword(words, "update") {
            state
                .update
                .extend(self.actions(&split(&after(start), ';'), out));
        } else if let Some(start) = keyword(words, "do") {
            let activity = after(start);
            let called = statewright_author::expr::parse_call(&activity.value).is_ok();
            state.activity = if called {
                Some(activity)
            } else {
                function(&activity, "activity", out)
            };
        } else if let Some(word) = ["defers ", "owns "]
            .iter()
            .find(|word| words.starts_with(**word))
        {
            let message = format!("`{}` is left out: a diagram does not carry it", word.trim());
            out.push(
                ignored(text.span, message)
                    .label("has no effect")
                    .help("write it in the machine file"),
            );
        } else if let Some(time) = words
            .strip_prefix("stays ")
            .and_then(|time| Duration::parse(time).ok())
        {
            state.min_active = Some(Spanned::new(time.into(), text.span));
        } else if words.starts_with("leaves if ") {
            state.exit_ready = self.guard(&after("leaves if ".len()), out);
        } else if words.contains(" / ") || words.contains('[') && words.contains(']') {
            state
                .transitions
                .extend(self.transitions(Some(text), source, text.span, out));
        } else {
            let doc = state.doc.get_or_insert_default();
            if !doc.is_empty() {
                doc.push('\n');
            }
            doc.push_str(words);
        }
    }
}

/// Where the rest begins after `entry /` or `entry:`.
fn keyword(words: &str, wanted: &str) -> Option<usize> {
    let rest = words.strip_prefix(wanted)?;
    let trimmed = rest.trim_start();
    (trimmed.starts_with('/') || trimmed.starts_with(':')).then(|| words.len() - trimmed.len() + 1)
}

/// Words that are no code as the name of a function, and a warning about it.
fn function(text: &Name, what: &str, out: &mut Diagnostics) -> Option<ExprSource> {
    let mut name = String::new();
    for c in text.value.chars() {
        match c {
            c if c.is_ascii_alphanumeric() => name.push(c),
            _ if !name.is_empty() && !name.ends_with('_') => name.push('_'),
            _ => {}
        }
    }
    let mut name = name.trim_end_matches('_').to_owned();
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, '_');
    }
    if statewright_author::names::check_key(&name).is_err() {
        let message = format!(
            "`{}` can be neither code nor the name of a function",
            shown(&text.value)
        );
        out.push(
            refused(text.span, message)
                .label(format!("not a {what}"))
                .help("name it in a few plain words"),
        );
        return None;
    }
    let message = format!(
        "`{}` is no code: it is read as the {what} function `{}`",
        shown(&text.value),
        shown(&name)
    );
    out.push(
        ignored(text.span, message)
            .label("words")
            .help(format!("write `{}`", shown(&name))),
    );
    Some(ExprSource::new(name, text.span))
}

/// Marks of a transition, as `draw` writes them.
fn marks(parts: &Label, made: &mut Transition, out: &mut Diagnostics) {
    for mark in &parts.marks {
        let number = mark
            .value
            .strip_prefix("priority ")
            .and_then(|number| number.parse().ok());
        match (mark.value.as_str(), number) {
            ("interrupt", _) => made.interrupt = Some(mark.span),
            ("latch", _) => made.latch = Some(mark.span),
            ("external", _) => made.kind = Some(Spanned::new(TransitionKind::External, mark.span)),
            (_, Some(number)) => made.priority = Some(Spanned::new(number, mark.span)),
            _ => {
                let message = format!(
                    "the mark `{}` is left out: a diagram does not carry it",
                    shown(&mark.value)
                );
                out.push(
                    ignored(mark.span, message)
                        .label("has no effect")
                        .help("write it in the machine file"),
                );
            }
        }
    }
}

/// A literal or a range: a diagram has no parameters.
fn plain_time(text: &str) -> Option<DurationSource> {
    let source = DurationSource::parse(&text.replace(' ', "")).ok()?;
    match source {
        DurationSource::Literal(_) | DurationSource::Range(..) => Some(source),
        DurationSource::Code(_) => None,
    }
}

/// The time behind a word: `after 2s`, `every (5 s)`.
fn time_after(words: &str, word: &str) -> Option<DurationSource> {
    let rest = words.strip_prefix(word)?.trim();
    plain_time(rest.trim_start_matches('(').trim_end_matches(')'))
}
