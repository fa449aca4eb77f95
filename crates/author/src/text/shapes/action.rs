//! Owns the shapes of actions that are written as objects.

use super::{ACTIONS, EVENT, FUNCTION, KEY, LANE, NAME, STATE, TIMER, map, muted};
use crate::text::shape::{Field, ObjectKind, Shape, Type};

/// The key that says which action it is.
pub(crate) const TAGS: &[(&str, ObjectKind)] = &[
    ("call", ObjectKind::Call),
    ("set", ObjectKind::Set),
    ("add", ObjectKind::Add),
    ("raise", ObjectKind::Raise),
    ("send", ObjectKind::Send),
    ("emit", ObjectKind::Emit),
    ("start", ObjectKind::Start),
    ("stop", ObjectKind::Stop),
    ("clear_history", ObjectKind::ClearHistory),
    ("if", ObjectKind::If),
];

const ARGUMENT: Type = Type::OneOf(&[Type::Literal, Type::Object(ObjectKind::Computed)]);

const ARGUMENTS: Type = Type::OneOf(&[Type::List(&ARGUMENT), map!(Identifier => ARGUMENT)]);

pub(crate) static COMPUTED: Shape = Shape {
    name: "computed",
    title: "a computed argument",
    doc: "An argument that is computed before each call.",
    parts: &[&[Field::required(
        "value",
        Type::Expression,
        "The expression.",
    )]],
    groups: &[],
};

/// Declares the shape of one action.
macro_rules! action {
    ($shape:ident, $name:literal, $title:literal, $doc:literal, [$($field:expr),+ $(,)?]) => {
        pub(crate) static $shape: Shape =
            Shape { name: $name, title: $title, doc: $doc, parts: &[&[$($field,)+ muted()]], groups: &[] };
    };
}

const fn payload() -> Field {
    Field::new("payload", Type::Expression, "What it carries.")
}

action!(
    CALL,
    "call",
    "a call",
    "Calls a function of the game.",
    [
        Field::required("call", FUNCTION, "The function."),
        Field::new(
            "with",
            ARGUMENTS,
            "Its arguments, in order or by name: literals, or objects with an expression."
        ),
    ]
);
action!(
    SET,
    "set",
    "a `set` action",
    "Writes a blackboard key.",
    [
        Field::required("set", KEY, "The key."),
        Field::required("to", Type::Expression, "Its new value."),
    ]
);
action!(
    ADD,
    "add",
    "an `add` action",
    "Adds to a blackboard key.",
    [
        Field::required("add", KEY, "The key."),
        Field::required("by", Type::Expression, "What to add."),
    ]
);
action!(
    RAISE,
    "raise",
    "a `raise` action",
    "Posts an internal event to the agent itself.",
    [Field::required("raise", EVENT, "The event."), payload()]
);
action!(
    SEND,
    "send",
    "a `send` action",
    "Posts an event to the agent itself or to another one.",
    [
        Field::required("send", EVENT, "The event."),
        payload(),
        Field::or(
            "to",
            Type::Expression,
            "the agent itself",
            "The receiver, an entity."
        ),
    ]
);
action!(
    EMIT,
    "emit",
    "an `emit` action",
    "Emits a command.",
    [
        Field::required("emit", NAME, "Name of the command."),
        Field::required("lane", LANE, "Its lane, such as `animation`."),
        payload(),
    ]
);
action!(
    START,
    "start",
    "a `start` action",
    "Starts a named timer.",
    [
        Field::required("start", TIMER, "The timer."),
        Field::required("after", Type::AnyDuration, "When it fires."),
    ]
);
action!(
    STOP,
    "stop",
    "a `stop` action",
    "Stops a named timer.",
    [Field::required("stop", TIMER, "The timer.")]
);
action!(
    CLEAR_HISTORY,
    "clear_history",
    "a `clear_history` action",
    "Forgets what the history points of a state remember.",
    [Field::required("clear_history", STATE, "The state.")]
);
action!(
    IF,
    "if",
    "an `if` action",
    "Runs one of two lists of actions.",
    [
        Field::required("if", Type::Expression, "The condition."),
        Field::new("then", ACTIONS, "Runs if it holds."),
        Field::new("else", ACTIONS, "Runs if it does not."),
    ]
);
