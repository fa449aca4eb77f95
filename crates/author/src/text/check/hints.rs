//! Owns what the reports on a file's form suggest: the field that was meant, a name that is legal.

use crate::names::{is_invisible, is_reserved};
use crate::text::name::NameKind;
use crate::text::shape::ObjectKind;
use crate::text::shapes::TRIGGERS;

const TRANSITIONS: &[ObjectKind] = &[
    ObjectKind::Transition,
    ObjectKind::AnyTransition,
    ObjectKind::Decision,
    ObjectKind::DecisionBranch,
    ObjectKind::Branch,
];
const STATES: &[ObjectKind] = &[ObjectKind::State, ObjectKind::Machine, ObjectKind::Region];
const MACHINES: &[ObjectKind] = &[ObjectKind::Machine, ObjectKind::FlatMachine];

/// What other tools, and our own flat shape, call a field; and what to write here.
const OTHER_NAMES: &[(&[ObjectKind], &[&str], &str)] = &[
    (
        &[ObjectKind::Decision],
        &["to", "target", "goto", "next", "state"],
        "write `\"then\"`: where it goes if the condition holds",
    ),
    (
        &[ObjectKind::DecisionBranch],
        &["do", "action", "actions", "effect", "effects"],
        "a decision has actions for both ways: put `\"do\"` beside its `\"if\"`; for different ones write two transitions",
    ),
    (
        TRANSITIONS,
        &["target", "goto", "next", "state"],
        "write `\"to\"`: where it goes",
    ),
    (
        TRANSITIONS,
        &["event", "trigger", "signal"],
        "write `\"on\"`: the event that starts it",
    ),
    (
        TRANSITIONS,
        &["guard", "cond", "condition"],
        "write `\"if\"`: the guard that must hold",
    ),
    (
        TRANSITIONS,
        &["action", "actions", "effect", "effects"],
        "write `\"do\"`: its actions",
    ),
    (
        TRANSITIONS,
        &["delay", "timeout", "wait"],
        "write `\"after\": \"2s\"`",
    ),
    (TRANSITIONS, &["always"], "write `\"when\": \"always\"`"),
    (
        &[ObjectKind::Transition, ObjectKind::AnyTransition],
        &["then", "else"],
        "write `\"to\"`: where it goes; `then` and `else` belong to a decision: `\"decisions\": [{ \"if\": …, \"then\": …, \"else\": … }]`",
    ),
    (
        STATES,
        &["cooldown", "debounce", "latch", "priority", "score"],
        "it belongs to a transition: put it into one of `\"transitions\"`",
    ),
    (
        TRANSITIONS,
        &["done", "onDone"],
        "write `\"when\": \"done\"`",
    ),
    (
        TRANSITIONS,
        &["failed", "onError"],
        "write `\"when\": \"failed\"`",
    ),
    (
        STATES,
        &["onEntry", "on_entry", "onEnter", "on_enter", "enter"],
        "write `\"entry\"`: actions on entry",
    ),
    (
        STATES,
        &["onExit", "on_exit", "onLeave", "on_leave", "leave"],
        "write `\"exit\"`: actions on exit",
    ),
    (
        STATES,
        &["onUpdate", "on_update", "tick", "invoke", "do"],
        "write `\"activity\"`: a function that runs every tick; or `\"update\"`: actions of every tick",
    ),
    (
        STATES,
        &["on"],
        "write `\"transitions\": [{ \"on\": …, \"to\": … }]`",
    ),
    (
        STATES,
        &["after"],
        "write `\"transitions\": [{ \"after\": …, \"to\": … }]`",
    ),
    (
        STATES,
        &["every"],
        "write `\"transitions\": [{ \"every\": …, \"do\": … }]`",
    ),
    (
        STATES,
        &["always"],
        "write `\"transitions\": [{ \"when\": \"always\", \"if\": …, \"to\": … }]`",
    ),
    (
        STATES,
        &["children", "substates"],
        "write `\"states\"`: the states inside",
    ),
    (
        STATES,
        &["parallel", "type"],
        "an orthogonal state has `\"regions\"`, a final one `\"final\": true`",
    ),
    (
        &[ObjectKind::Parameter],
        &["default", "initial", "init"],
        "write `\"value\"`: its value where no variant says otherwise",
    ),
    (
        &[ObjectKind::Key],
        &["value", "initial", "init"],
        "write `\"default\"`: its value before the first tick",
    ),
    (
        MACHINES,
        &["name"],
        "write `\"machine\"`: the name of the machine",
    ),
    (
        MACHINES,
        &["variables", "context", "data"],
        "write `\"blackboard\"`: values that the machine reads and writes",
    ),
    (
        STATES,
        &["name"],
        "the name of a state is its key: `\"Idle\": { … }`",
    ),
];

/// What to write instead of a field that does not exist here, if it is one that people bring along.
pub(super) fn other_name(kind: ObjectKind, key: &str) -> Option<&'static str> {
    let fits = |(kinds, keys, _): &&(&[ObjectKind], &[&str], &str)| {
        kinds.contains(&kind) && keys.contains(&key)
    };
    OTHER_NAMES.iter().find(fits).map(|&(_, _, help)| help)
}

/// What to do about two fields that exclude each other.
pub(super) fn keep_one(first: &str, second: &str) -> String {
    let is_trigger = |key: &str| TRIGGERS.contains(&key) || key == "trigger";
    match (first, second) {
        ("states", "regions") | ("regions", "states") => {
            "move the states into a region, or remove `regions`".into()
        }
        ("initial" | "stack", "regions") => {
            format!("each region has its own `{first}`: move it there")
        }
        ("regions", "initial" | "stack") => {
            format!("each region has its own `{second}`: move it there")
        }
        _ if is_trigger(first) && is_trigger(second) => {
            "keep one of them, or write two transitions".into()
        }
        _ => "keep one of them".into(),
    }
}

/// What to do about a word that a field does not know, if people bring it along for a reason.
pub(super) fn other_word(field: &str, word: &str) -> Option<String> {
    let is_code = |c: char| !(c.is_alphanumeric() || c == '_');
    match field {
        "when" if word.trim().contains(is_code) => {
            let code: String = word.trim().chars().take(60).collect();
            Some(format!(
                "a condition stands in `if`: write `\"when\": \"always\", \"if\": \"{code}\"`"
            ))
        }
        "type" if word == "entity" => Some(
            "an entity is known only at run time: declare a key of the blackboard instead".into(),
        ),
        _ => None,
    }
}

/// The name with `_` for everything that is not legal, if that makes it legal.
pub(super) fn legal_name(name: &str, kind: NameKind) -> Option<String> {
    if matches!(kind, NameKind::Key | NameKind::Parameter) && is_reserved(name) {
        return Some(format!("{name}_value"));
    }
    let shown: String = name.chars().filter(|&c| !is_invisible(c)).collect();
    if kind.check(&shown).is_ok() {
        return Some(shown);
    }
    let plain = |c: char| {
        if c.is_alphanumeric() || c == '_' {
            c
        } else {
            '_'
        }
    };
    let mut legal: String = name.trim().chars().map(plain).collect();
    if legal.starts_with(|c: char| c.is_ascii_digit()) {
        legal.insert(0, '_');
    }
    (name.len() == name.trim().len() && kind.check(&legal).is_ok()).then_some(legal)
}

/// What to do about an object where a state has no such field: it is a state inside.
pub(super) fn inner_state(kind: ObjectKind, key: &str, is_object: bool) -> Option<String> {
    let holds_states = STATES.contains(&kind);
    (holds_states && is_object).then(|| {
        format!("states inside stand under `\"states\"`: `\"states\": {{ \"{key}\": {{ … }} }}`")
    })
}

/// Words with commas, in lines that fit a terminal.
pub(super) fn in_lines(words: &[String]) -> String {
    const WIDTH: usize = 90;
    let mut lines: Vec<String> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let comma = if at + 1 < words.len() { "," } else { "" };
        match lines.last_mut() {
            Some(line) if line.len() + word.len() < WIDTH => {
                *line = format!("{line} {word}{comma}")
            }
            _ => lines.push(format!("{word}{comma}")),
        }
    }
    lines.join("\n")
}
