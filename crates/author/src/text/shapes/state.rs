//! Owns the shapes of states and of what stands in them, transitions aside.

use super::{
    ACTIONS, CLASS, EVENT, OF_PART, STATES, TIMERS, TRANSITION_LIST, at_most_one, doc, id, map,
    meta, muted, words,
};
use crate::text::name::{Item, NameKind};
use crate::text::shape::{Field, Group, Map, ObjectKind, Rule, Shape, Type, Words};
use crate::value::ScratchType;

/// Frames of a stack, slots of a scratch, timers of one name.
const COUNT: Type = Type::Int { min: 1, max: 255 };

/// Where default entry goes.
pub(crate) const INITIAL_TYPE: Type = Type::OneOf(&[
    super::STATE,
    Type::List(&super::STATE),
    Type::Object(ObjectKind::Initial),
]);

const BRANCHES: Type = Type::List(&Type::Object(ObjectKind::Branch));
const HISTORIES: Type = map!(Declared(History) => Type::Object(ObjectKind::History));
const DECISIONS: Type = Type::List(&Type::Object(ObjectKind::Decision));
const ANY_STATE: Type = Type::List(&Type::Object(ObjectKind::AnyTransition));
const SCRATCH_TYPE: Type = Type::Word(&Words {
    words: ScratchType::WORDS,
    aliases: &[],
});
const SCRATCHES: Type = map!(Declared(Scratch) => Type::OneOf(&[COUNT, SCRATCH_TYPE, Type::Object(ObjectKind::Scratch)]));
const STATE_MAP: Type = map!(Declared(State) => Type::Object(ObjectKind::State));
const REGION_MAP: Type = Type::Map(&Map {
    keys: NameKind::Declared(Item::Region),
    value: Type::Object(ObjectKind::Region),
    fields: &[],
    may_be_empty: false,
});

pub(crate) const fn timers() -> Field {
    Field::new(
        "timers",
        TIMERS,
        "Named timers, stopped when the state is left.",
    )
}
pub(crate) const fn choice() -> Field {
    Field::new(
        "choice",
        BRANCHES,
        "Makes it a choice: the first branch whose `if` holds; the last one has none.",
    )
}
pub(crate) const fn stack() -> Field {
    Field::or(
        "stack",
        COUNT,
        "no stack",
        "How many frames `push` may save here.",
    )
}
pub(crate) const fn history() -> Field {
    Field::new(
        "history",
        HISTORIES,
        "History points by name; each is a target like a child.",
    )
}
pub(crate) const fn history_reset() -> Field {
    Field::or(
        "history_reset",
        words!("on_done", "never"),
        "\"never\"",
        "When the state forgets its history.",
    )
}
pub(crate) const fn suspend() -> Field {
    Field::new(
        "suspend",
        ACTIONS,
        "Actions when a push suspends the state.",
    )
}
pub(crate) const fn resume() -> Field {
    Field::new("resume", ACTIONS, "Actions when a pop resumes the state.")
}
pub(crate) const fn update() -> Field {
    Field::new(
        "update",
        ACTIONS,
        "Actions of every tick, before the activity, from the tick after entry on.",
    )
}
pub(crate) const fn initial() -> Field {
    Field::new(
        "initial",
        INITIAL_TYPE,
        "Where default entry goes: one or several states inside, or with actions.",
    )
}

/// Rules of leaving and small declarations, shared by the nested and the flat shape.
pub(crate) const LIMITS: &[Field] = &[
    Field::new(
        "defer",
        Type::List(&EVENT),
        "Events kept for later while the state is active.",
    ),
    Field::new(
        "owns",
        Type::List(&Type::Name(NameKind::Reference(Item::Channel))),
        "Channels that the state holds while it is active.",
    ),
    Field::new(
        "scratch",
        SCRATCHES,
        "Memory zeroed on entry: a type that expressions use, how many slots, or fields.",
    ),
    Field::new(
        "exit_ready",
        Type::Expression,
        "Must hold before the state may be left.",
    ),
    Field::new(
        "min_active",
        Type::AskedDuration,
        "Time before the state may be left.",
    ),
    Field::or(
        "clock",
        Type::Bool,
        "false",
        "Keeps its time in state even if no expression reads it.",
    ),
];

const fn decisions() -> Field {
    Field::new(
        "decisions",
        DECISIONS,
        "Two transitions on one condition each.",
    )
}
const fn any_state() -> Field {
    Field::new(
        "any_state",
        ANY_STATE,
        "Transitions that the children have in common.",
    )
}

/// Transitions of the root in other forms, shared by the nested and the flat shape.
pub(crate) const MORE_OF_ROOT: &[Field] = &[
    decisions(),
    Field::new(
        "use",
        Type::List(&Type::Name(NameKind::Reference(Item::TransitionSet))),
        "Transition sets, after the state's own transitions.",
    ),
    any_state(),
];

/// Transitions in other forms and the use of a part, shared by the nested and the flat shape.
pub(crate) const MORE_TRANSITIONS: &[Field] = &[
    decisions(),
    Field::new(
        "use",
        Type::OneOf(&[
            Type::PartFile,
            Type::List(&Type::Name(NameKind::Reference(Item::TransitionSet))),
        ]),
        "A part: another machine file whose root becomes this state. Or a list of transition sets, after the state's own transitions.",
    ),
    Field::new(
        "with",
        map!(PartParameter => Type::Literal),
        "Parameters of the part: a constant, or the name of a parameter of this machine.",
    ),
    Field::new(
        "map",
        map!(PartName => Type::Name(NameKind::NameOfPart)),
        "Other names for events, keys, channels and functions of the part.",
    ),
    any_state(),
];

/// Actions, under the names of the nested shape.
pub(crate) const ACTION_FIELDS: &[Field] = &[
    Field::new("entry", ACTIONS, "Actions on entry."),
    Field::new("exit", ACTIONS, "Actions on exit."),
    suspend(),
    resume(),
    update(),
    Field::new(
        "activity",
        Type::Code,
        "Function that runs every tick, such as `Patrol` or `Patrol(3)`.",
    ),
];

/// Transitions of a state of the nested shape.
pub(crate) const TRANSITIONS: &[Field] = &[Field::new(
    "transitions",
    TRANSITION_LIST,
    "Transitions, in order.",
)];

/// What is inside, last because it is long.
pub(crate) const CHILDREN: &[Field] = &[
    history(),
    history_reset(),
    stack(),
    initial(),
    Field::new("states", STATE_MAP, "States inside, in order."),
    Field::new(
        "regions",
        REGION_MAP,
        "Regions of an orthogonal state, in order; instead of `states`.",
    ),
];

/// Regions take the place of what a compound says about its only one.
pub(crate) const REGION_GROUPS: &[Group] = &[
    at_most_one(&["states", "regions"]),
    at_most_one(&["initial", "regions"]),
    at_most_one(&["stack", "regions"]),
];

pub(crate) static STATE: Shape = Shape {
    name: "state",
    title: "a state",
    doc: "A state: atomic, compound (`states`), orthogonal (`regions`), final or a choice.",
    parts: &[
        &[
            id(),
            doc(),
            muted(),
            Field::or(
                "final",
                Type::Bool,
                "false",
                "Completes the state around it.",
            ),
            choice(),
        ],
        ACTION_FIELDS,
        LIMITS,
        &[timers()],
        TRANSITIONS,
        MORE_TRANSITIONS,
        CHILDREN,
        &[meta()],
    ],
    groups: &[
        at_most_one(&["states", "regions"]),
        at_most_one(&["initial", "regions"]),
        at_most_one(&["stack", "regions"]),
        at_most_one(&["final", "choice"]),
        OF_PART,
    ],
};

pub(crate) static REGION: Shape = Shape {
    name: "region",
    title: "a region",
    doc: "A region of an orthogonal state.",
    parts: &[&[
        id(),
        stack(),
        initial(),
        Field::required("states", STATE_MAP, "States of the region, in order."),
    ]],
    groups: &[],
};

pub(crate) static INITIAL: Shape = Shape {
    name: "initial",
    title: "an initial transition",
    doc: "Where default entry goes, and what it does on the way.",
    parts: &[&[
        Field::required(
            "to",
            STATES,
            "One state inside, or several in different regions.",
        ),
        Field::new(
            "do",
            ACTIONS,
            "Actions between the entry of the parent and of the child.",
        ),
    ]],
    groups: &[],
};

pub(crate) static BRANCH: Shape = Shape {
    name: "branch",
    title: "a branch",
    doc: "A branch of a choice.",
    parts: &[&[
        Field::or(
            "if",
            Type::Expression,
            "always",
            "Guard; the last branch has none.",
        ),
        Field::required("to", STATES, "Where it goes."),
        Field::new("do", ACTIONS, "Actions on the way."),
    ]],
    groups: &[],
};

pub(crate) static HISTORY: Shape = Shape {
    name: "history",
    title: "a history point",
    doc: "Remembers what was active inside the state.",
    parts: &[&[
        id(),
        Field::or(
            "deep",
            Type::Bool,
            "false",
            "Remembers leaves instead of direct children.",
        ),
        Field::or(
            "default",
            STATES,
            "the state's initial",
            "Where to go while nothing is remembered.",
        ),
        Field::new("do", ACTIONS, "Actions of the default."),
        Field::or(
            "restore",
            words!("on_entry", "on_target"),
            "\"on_target\"",
            "Whether every default entry uses it.",
        ),
    ]],
    groups: &[],
};

pub(crate) static TIMER: Shape = Shape {
    name: "timer",
    title: "a timer",
    doc: "A named timer.",
    parts: &[&[
        id(),
        doc(),
        Field::or(
            "instances",
            COUNT,
            "1",
            "How many may run at once; only for timers of the machine.",
        ),
        Field::or("class", CLASS, "\"normal\"", "Class it fires with."),
        Field::or("event", EVENT, "its own trigger", "Fires as this event."),
    ]],
    groups: &[],
};

pub(crate) static SCRATCH: Shape = Shape {
    name: "scratch",
    title: "a scratch",
    doc: "16-bit slots, zeroed when their owner is entered.",
    parts: &[&[
        id(),
        Field::new(
            "type",
            SCRATCH_TYPE,
            "One slot that expressions read and write.",
        ),
        Field::new("slots", COUNT, "How many slots, for functions in Rust."),
    ]],
    groups: &[Group {
        keys: &["type", "slots"],
        rule: Rule::One,
    }],
};
