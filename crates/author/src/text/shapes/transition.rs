//! Owns the shapes of transitions, any-state transitions and decisions.

use super::{
    ACTIONS, EVENTS_OR_ANY, NAME, PRIORITY, STATE, STATES, TIMER, TRIGGERS, at_most_one, doc, id,
    map, meta, muted, words,
};
use crate::text::name::{Item, NameKind};
use crate::text::shape::{Field, Group, ObjectKind, Rule, Shape, Type};

/// What starts it, apart from events.
pub(crate) const OTHER_TRIGGERS: &[Field] = &[
    Field::new(
        "after",
        Type::AnyDuration,
        "Fires so long after the state was entered.",
    ),
    Field::new(
        "every",
        Type::AnyDuration,
        "Fires so long after the state was entered, and again and again; without `to` the state stays.",
    ),
    Field::new(
        "timer",
        TIMER,
        "Fires when this timer of the state, of one around it, or of the machine runs out.",
    ),
    Field::new(
        "when",
        words!("always", "done", "failed"),
        "`always`: whenever `if` holds; `done`, `failed`: when the state is complete or its activity ends so.",
    ),
];

const EVENT_TRIGGER: &[Field] = &[Field::new(
    "on",
    EVENTS_OR_ANY,
    "Event that starts it, or a list of events; `*` is any event.",
)];

const TARGETS: &[Field] = &[
    Field::new("if", Type::Expression, "Guard that must hold."),
    Field::or(
        "to",
        STATES,
        "internal: no state is left",
        "Where it goes: one state, or several in different regions.",
    ),
    sync(),
    Field::new("do", ACTIONS, "Actions between exits and entries."),
    Field::or(
        "kind",
        words!("internal", "local", "external"),
        "local into a descendant, else external",
        "Whether the source stays active.",
    ),
];

/// Sync group (EXEC-5).
pub(crate) const fn sync() -> Field {
    Field::new(
        "sync",
        map!(Reference(Region) => STATE),
        "Sync group of an orthogonal state: one target for each region.",
    )
}

/// Stack operation (EXEC-8).
pub(crate) const fn stack() -> Field {
    Field::new(
        "stack",
        words!("push", "pop"),
        "Suspends what is active here, or resumes it.",
    )
}

/// Priority (SEL-3).
pub(crate) const fn priority() -> Field {
    Field::or(
        "priority",
        PRIORITY,
        "0",
        "0 to 15; higher ones are tried first.",
    )
}

/// When it may be taken, shared by the nested and the flat shape.
pub(crate) const CONDITIONS: &[Field] = &[
    Field::new(
        "score",
        Type::Expression,
        "Score for utility selection: among enabled ones the highest wins.",
    ),
    Field::or(
        "threshold",
        Type::Expression,
        "0",
        "Least score that counts: a number, or an expression over parameters.",
    ),
    Field::or(
        "stay",
        Type::Bool,
        "false",
        "A scored candidate without target: if it wins, nothing happens.",
    ),
    Field::new(
        "cooldown",
        Type::AnyDuration,
        "Time before it may be taken again.",
    ),
    Field::new(
        "debounce",
        Type::AskedDuration,
        "Time that `if` must stay true; only with `when: always`.",
    ),
    Field::or(
        "latch",
        Type::Bool,
        "false",
        "Waits until the source may be left.",
    ),
    muted(),
];

const INTERRUPT: &[Field] = &[Field::or(
    "interrupt",
    Type::Bool,
    "false",
    "Stands alone before all transitions that are no interrupts.",
)];

const NAMES: &[Field] = &[
    Field::new("name", NAME, "Name shown in traces."),
    id(),
    doc(),
];

const GROUPS: &[Group] = &[
    Group {
        keys: TRIGGERS,
        rule: Rule::One,
    },
    at_most_one(&["to", "sync"]),
];

pub(crate) static TRANSITION: Shape = Shape {
    name: "transition",
    title: "a transition",
    doc: "A transition: exactly one of `on`, `after`, `every`, `timer` and `when` says what starts it.",
    parts: &[
        NAMES,
        EVENT_TRIGGER,
        OTHER_TRIGGERS,
        TARGETS,
        &[stack(), priority()],
        INTERRUPT,
        CONDITIONS,
        &[meta()],
    ],
    groups: GROUPS,
};

pub(crate) static ANY_TRANSITION: Shape = Shape {
    name: "any_transition",
    title: "an any-state transition",
    doc: "A transition that the children of a state have in common.",
    parts: &[
        NAMES,
        EVENT_TRIGGER,
        OTHER_TRIGGERS,
        TARGETS,
        &[
            stack(),
            Field::or(
                "include",
                Type::List(&STATE),
                "all children",
                "Only these children.",
            ),
            Field::or("exclude", Type::List(&STATE), "[]", "Not these children."),
            priority(),
        ],
        INTERRUPT,
        CONDITIONS,
        &[meta()],
    ],
    groups: GROUPS,
};

/// A state alone, or with fields.
const DECISION_WAY: Type = Type::OneOf(&[STATE, Type::Object(ObjectKind::DecisionBranch)]);

pub(crate) static DECISION_BRANCH: Shape = Shape {
    name: "decision_branch",
    title: "a branch of a decision",
    doc: "One way of a decision.",
    parts: &[&[
        Field::required("to", STATE, "Where to go; its own state means to stay."),
        Field::or(
            "reenter",
            Type::Bool,
            "false",
            "Makes it external: its own state is left and entered again.",
        ),
    ]],
    groups: &[],
};

pub(crate) static TRANSITION_SET: Shape = Shape {
    name: "transition_set",
    title: "a transition set",
    doc: "A transition set that uses others.",
    parts: &[&[
        Field::or(
            "use",
            Type::List(&Type::Name(NameKind::Reference(Item::TransitionSet))),
            "[]",
            "Transition sets used, after its own transitions.",
        ),
        Field::new(
            "transitions",
            super::TRANSITION_LIST,
            "Its own transitions.",
        ),
    ]],
    groups: &[],
};

pub(crate) static DECISION: Shape = Shape {
    name: "decision",
    title: "a decision",
    doc: "Two transitions on one condition.",
    parts: &[
        EVENT_TRIGGER,
        OTHER_TRIGGERS,
        &[
            Field::required("if", Type::Expression, "The condition."),
            Field::new(
                "then",
                DECISION_WAY,
                "Where to go if it holds; its own state means to stay.",
            ),
            Field::new(
                "else",
                DECISION_WAY,
                "Where to go if it does not; its own state means to stay.",
            ),
            Field::new("do", ACTIONS, "Actions of both ways."),
            priority(),
            muted(),
        ],
    ],
    groups: &[
        at_most_one(TRIGGERS),
        Group {
            keys: &["then", "else"],
            rule: Rule::AtLeastOne,
        },
    ],
};
