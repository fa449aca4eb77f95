//! Owns the shapes of what a machine declares: events, keys, parameters, channels, lanes,
//! functions, observers.

use super::{
    ACTIONS, CLASS, EVENT_OR_ANY, LANE as LANE_NAME, NAME, PARAMETER_TYPE, VALUE_TYPE, doc, id,
    map, meta, words,
};
use crate::text::shape::{Field, ObjectKind, Shape, Type, Words};
use crate::value::{FunctionKind, LaneKey, LaneScope, MergeRule};

/// What an event may carry.
const PAYLOAD: Type = Type::OneOf(&[
    words!(
        "i32", "f32", "bool", "entity", "vec2", "vec3", "symbol", "u32", "u64", "vec4"
    ),
    Type::Object(ObjectKind::Bytes),
]);

pub(crate) static EVENT: Shape = Shape {
    name: "event",
    title: "an event",
    doc: "An event type.",
    parts: &[&[
        id(),
        doc(),
        Field::or(
            "payload",
            PAYLOAD,
            "nothing",
            "Type of what the event carries.",
        ),
        Field::or(
            "class",
            CLASS,
            "\"normal\"",
            "Class used unless the sender gives one; higher ones are taken first.",
        ),
        Field::or(
            "coalesce",
            Type::Bool,
            "false",
            "A newer event replaces a queued one.",
        ),
        Field::or(
            "ttl",
            Type::Duration,
            "no end",
            "How long a deferred event stays good.",
        ),
        Field::or(
            "indirect",
            Type::Bool,
            "false",
            "The payload is an index into the blackboard.",
        ),
        Field::or(
            "ephemeral",
            Type::Bool,
            "false",
            "It means something for a moment only: saved games leave it out.",
        ),
        Field::or(
            "sent",
            Type::Bool,
            "false",
            "Posted by user code or only sent on to others: nobody here needs to handle it.",
        ),
        meta(),
    ]],
    groups: &[],
};

pub(crate) static BYTES: Shape = Shape {
    name: "bytes",
    title: "a payload of raw bytes",
    doc: "A payload of raw bytes; more than 16 must be `indirect`.",
    parts: &[&[Field::required(
        "bytes",
        Type::Int {
            min: 1,
            max: 65_535,
        },
        "How many bytes.",
    )]],
    groups: &[],
};

pub(crate) static KEY: Shape = Shape {
    name: "key",
    title: "a blackboard key",
    doc: "A blackboard key.",
    parts: &[&[
        doc(),
        Field::required("type", VALUE_TYPE, "Type of the value."),
        Field::or(
            "default",
            Type::Literal,
            "zero",
            "Value before the first tick.",
        ),
        Field::or(
            "host",
            Type::Bool,
            "false",
            "For user code: nothing in the file needs to use it.",
        ),
        meta(),
    ]],
    groups: &[],
};

pub(crate) static PARAMETER: Shape = Shape {
    name: "parameter",
    title: "a parameter",
    doc: "A machine-wide parameter.",
    parts: &[&[
        doc(),
        Field::or(
            "type",
            PARAMETER_TYPE,
            "from the value",
            "Type of the value.",
        ),
        Field::required(
            "value",
            Type::Literal,
            "Value where no variant says otherwise.",
        ),
        Field::or(
            "host",
            Type::Bool,
            "false",
            "For user code: nothing in the file needs to use it.",
        ),
        meta(),
    ]],
    groups: &[],
};

pub(crate) static CHANNEL: Shape = Shape {
    name: "channel",
    title: "a channel",
    doc: "Something that one state at a time may own, such as the weapon.",
    parts: &[&[
        doc(),
        Field::or(
            "lane",
            LANE_NAME,
            "\"gameplay\"",
            "Lane of the release command.",
        ),
        Field::or(
            "release",
            NAME,
            "\"release\"",
            "Command emitted when the owner is left.",
        ),
    ]],
    groups: &[],
};

pub(crate) static LANE: Shape = Shape {
    name: "lane",
    title: "a lane",
    doc: "A command lane: one of the machine's own, or a built-in one by its name.",
    parts: &[&[
        doc(),
        Field::or(
            "merge",
            MERGE,
            "\"strict_order\"; of a built-in lane its own",
            "How commands of one agent and tick merge.",
        ),
        Field::or(
            "critical",
            Type::Bool,
            "false; true of navigation and gameplay",
            "May use the reserved quarter of the command budget.",
        ),
        Field::or(
            "key",
            Type::Word(&Words {
                words: LaneKey::WORDS,
                aliases: &[],
            }),
            "\"lane\"",
            "With `last_writer_wins`: whether one command of an agent remains, or one of each name.",
        ),
        Field::or(
            "scope",
            Type::Word(&Words {
                words: LaneScope::WORDS,
                aliases: &[],
            }),
            "\"agent\"",
            "With `deduplicate`: whether equal commands of one agent count once, or of all agents.",
        ),
        Field::or(
            "cap",
            Type::Int {
                min: 1,
                max: 65_535,
            },
            "no limit",
            "Most commands of one agent and tick; more are dropped.",
        ),
    ]],
    groups: &[],
};

const MERGE: Type = Type::Word(&Words {
    words: MergeRule::WORDS,
    aliases: &[],
});

/// What a function is.
pub(crate) const FUNCTION_KIND: Type = Type::Word(&Words {
    words: FunctionKind::WORDS,
    aliases: &[],
});

pub(crate) static FUNCTION: Shape = Shape {
    name: "function",
    title: "a function",
    doc: "A function that the game's code provides.",
    parts: &[&[
        doc(),
        Field::required("kind", FUNCTION_KIND, "What the function is."),
        Field::or(
            "rng",
            Type::Bool,
            "false",
            "It uses the random number generator.",
        ),
        Field::new(
            "returns",
            VALUE_TYPE,
            "What it gives; only for the kind `value`, which needs it.",
        ),
        Field::new(
            "parameters",
            map!(Identifier => VALUE_TYPE),
            "Its parameters and their types, in order.",
        ),
    ]],
    groups: &[],
};

pub(crate) static OBSERVER: Shape = Shape {
    name: "observer",
    title: "an observer",
    doc: "Runs for every event of a type, handled or not.",
    parts: &[&[
        Field::required("on", EVENT_OR_ANY, "The event; `*` is any."),
        Field::required(
            "do",
            ACTIONS,
            "What to do; writing the blackboard is not allowed.",
        ),
    ]],
    groups: &[],
};
