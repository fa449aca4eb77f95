//! The states of a description as an indented tree with their transitions.

use std::fmt::Write;

use statewright_rom::ids::StateId;

use crate::action::{Action, list};
use crate::kinds::StateKind;
use crate::model::Model;
use crate::refer::{Named, joined};
use crate::state::{History, State, Transition, TransitionKind};

/// Where a state stands in the text.
#[derive(Clone, Copy, Default)]
struct Place<'m> {
    depth: usize,
    /// The region whose first child it is.
    first_of: Option<&'m str>,
}

/// The tree of states.
pub(crate) fn states(out: &mut String, model: &Model) {
    let mut places = vec![Place::default(); model.states.len()];
    for state in &model.states {
        let at = |id: StateId| id.index();
        let Place { depth, first_of } = places.get(at(state.id)).copied().unwrap_or_default();
        for region in &state.regions {
            let inside = depth + 1 + usize::from(region.name.is_some());
            for (number, child) in region.children.iter().enumerate() {
                if let Some(place) = places.get_mut(at(child.id)) {
                    place.depth = inside;
                    place.first_of = region.name.as_deref().filter(|_| number == 0);
                }
            }
        }
        if let Some(region) = first_of {
            let _ = writeln!(out, "{}region {region}", indent(depth - 1));
        }
        self::state(out, state, depth);
    }
}

fn indent(depth: usize) -> String {
    "  ".repeat(depth + 1)
}

fn state(out: &mut String, state: &State, depth: usize) {
    let kind = match state.kind.0 {
        StateKind::Atomic => String::new(),
        StateKind::Compound | StateKind::Orthogonal | StateKind::Final | StateKind::Choice => {
            format!(" ({})", state.kind)
        }
    };
    let _ = writeln!(out, "{}{}{kind}", indent(depth), state.name());
    let space = format!("{}  ", indent(depth));
    for region in &state.regions {
        let of = region.name.as_ref();
        let of = of.map_or(String::new(), |name| format!(" of {name}"));
        let _ = write!(out, "{space}initial{of} {}", joined(&region.initial.to));
        effect(out, &region.initial.actions);
        if let Some(frames) = region.stack {
            let _ = writeln!(out, "{space}stack{of} {frames}");
        }
    }
    parts(out, state, &space);
    for point in &state.history {
        history(out, point, &space);
    }
    for list in state.written() {
        transition(out, list, &space);
    }
    for branch in &state.branches {
        let guard = branch.guard.as_ref();
        let condition = guard.map_or("else".to_owned(), |guard| format!("if {guard}"));
        let _ = write!(out, "{space}{condition} -> {}", joined(&branch.to));
        effect(out, &branch.actions);
    }
}

fn history(out: &mut String, point: &History, space: &str) {
    let depth = if point.deep { "deep" } else { "shallow" };
    let _ = write!(out, "{space}{depth} history {}", point.name);
    if !point.default.is_empty() {
        let _ = write!(out, ", else {}", joined(&point.default));
    }
    if point.restore_on_entry {
        let _ = write!(out, ", restored on entry");
    }
    effect(out, &point.actions);
}

/// Actions after what they belong to, and the end of the line.
fn effect(out: &mut String, actions: &[Action]) {
    if !actions.is_empty() {
        let _ = write!(out, "  do {}", list(actions));
    }
    out.push('\n');
}

/// Names with commas between them.
fn commas<I>(names: &[Named<I>]) -> String {
    let names: Vec<&str> = names.iter().map(|named| named.name.as_str()).collect();
    names.join(", ")
}

/// Everything of a state that fits on a line each.
fn parts(out: &mut String, state: &State, space: &str) {
    let lists = [
        ("entry", list(&state.entry)),
        ("exit", list(&state.exit)),
        ("suspend", list(&state.suspend)),
        ("resume", list(&state.resume)),
        ("update", list(&state.update)),
        ("activity", state.activity.clone().unwrap_or_default()),
        (
            "exit ready if",
            state.exit_ready.clone().unwrap_or_default(),
        ),
    ];
    for (word, text) in lists.iter().filter(|(_, text)| !text.is_empty()) {
        let _ = writeln!(out, "{space}{word} {text}");
    }
    if let Some(length) = &state.min_active {
        let _ = writeln!(out, "{space}active at least {length}");
    }
    let names = [
        ("defers", commas(&state.defer)),
        ("owns", commas(&state.owns)),
    ];
    for (word, names) in names.iter().filter(|(_, names)| !names.is_empty()) {
        let _ = writeln!(out, "{space}{word} {names}");
    }
    for timer in &state.timers {
        let fires = timer.event.as_ref();
        let fires = fires.map_or(String::new(), |event| format!(", fires as {event}"));
        let _ = writeln!(
            out,
            "{space}has timer {} ({}{fires})",
            timer.name, timer.class
        );
    }
    for scratch in &state.scratch {
        let plural = if scratch.slots == 1 { "" } else { "s" };
        let what = match &scratch.ty {
            Some(ty) => ty.to_string(),
            None => format!("{} slot{plural}", scratch.slots),
        };
        let _ = writeln!(out, "{space}has scratch {} ({what})", scratch.name);
    }
    if state.clock {
        let _ = writeln!(out, "{space}keeps its time");
    }
    if state.history_reset_on_done {
        let _ = writeln!(out, "{space}forgets history when done");
    }
}

/// A transition, or those of one list of events.
fn transition(out: &mut String, list: &[Transition], space: &str) {
    let Some((transition, rest)) = list.split_first() else {
        return;
    };
    let _ = write!(out, "{space}{}", transition.trigger);
    for more in rest {
        let trigger = more.trigger.to_string();
        let _ = write!(out, ", {}", trigger.strip_prefix("on ").unwrap_or(&trigger));
    }
    if let Some(guard) = &transition.guard {
        let _ = write!(out, " if {guard}");
    }
    if !transition.to.is_empty() {
        let _ = write!(out, " -> {}", joined(&transition.to));
    }
    let facts = facts(transition);
    if !facts.is_empty() {
        let _ = write!(out, "  [{}]", facts.join(", "));
    }
    effect(out, &transition.actions);
}

/// What is not usual about a transition.
fn facts(transition: &Transition) -> Vec<String> {
    let word = |is_set: bool, word: &str| is_set.then(|| word.to_owned());
    let score = |score: &String| {
        let threshold = transition.threshold.as_ref();
        let least = threshold.map_or("null".to_owned(), |value| value.to_string());
        format!("score {score} at least {least}")
    };
    let facts = [
        transition.name.as_ref().map(|name| format!("named {name}")),
        word(transition.kind == TransitionKind::Local, "local"),
        transition.stack.map(|stack| stack.name().to_owned()),
        (transition.priority > 0).then(|| format!("priority {}", transition.priority)),
        word(transition.interrupt, "interrupt"),
        word(transition.latch, "latch"),
        transition.score.as_ref().map(score),
        word(transition.stay, "stay"),
        transition
            .cooldown
            .as_ref()
            .map(|length| format!("cooldown {length}")),
        transition
            .debounce
            .as_ref()
            .map(|length| format!("debounce {length}")),
    ];
    facts.into_iter().flatten().collect()
}
