//! Owns the flat shape of a machine file: `states` is a list, and parents name their
//! children.

use super::{
    ACTIONS, EVENTS_OR_ANY, NAME, OF_PART, STATES, at_most_one, doc, id, machine, meta, muted,
    state, transition, words,
};
use crate::text::name::{Item, NameKind};
use crate::text::shape::{Field, ObjectKind, Shape, Type};

/// A state of the list, by its name alone.
const STATE_NAME: Type = Type::Name(NameKind::Reference(Item::State));

pub(crate) static MACHINE: Shape = Shape {
    name: "flat_machine",
    title: "the machine",
    doc: "A machine in the flat shape: a list of states, each naming its children, and a list of transitions.",
    parts: &[
        machine::HEAD,
        &[
            Field::new(
                "initial",
                state::INITIAL_TYPE,
                "Where the implied root starts, if no state is the root.",
            ),
            Field::required(
                "states",
                Type::List(&Type::Object(ObjectKind::FlatState)),
                "All states.",
            ),
            Field::new(
                "transitions",
                Type::List(&Type::Object(ObjectKind::FlatTransition)),
                "All transitions, in order.",
            ),
            meta(),
        ],
    ],
    groups: &[],
};

pub(crate) static STATE: Shape = Shape {
    name: "flat_state",
    title: "a state",
    doc: "A state of the flat shape.",
    parts: &[
        &[
            Field::required(
                "id",
                Type::Name(NameKind::Declared(Item::State)),
                "Name of the state.",
            ),
            Field::or(
                "stable_id",
                Type::StableId,
                "from the names",
                "Stable id that survives renaming.",
            ),
            Field::or(
                "type",
                words!("composite", "leaf", "final", "choice", "parallel"),
                "by what the state has",
                "What the state is.",
            ),
            doc(),
            muted(),
            Field::new(
                "region",
                Type::Name(NameKind::Reference(Item::Region)),
                "Region of the parent that the state belongs to.",
            ),
            Field::new("onEntry", ACTIONS, "Actions on entry."),
            Field::new("onUpdate", Type::Code, "Function that runs every tick."),
            Field::new("onExit", ACTIONS, "Actions on exit."),
            state::suspend(),
            state::resume(),
            state::update(),
        ],
        state::LIMITS,
        &[state::timers()],
        state::MORE_TRANSITIONS,
        &[
            state::choice(),
            state::history(),
            state::history_reset(),
            state::stack(),
            state::initial(),
            Field::new(
                "regions",
                Type::List(&Type::Object(ObjectKind::FlatRegion)),
                "Regions of an orthogonal state.",
            ),
            Field::new(
                "children",
                Type::List(&STATE_NAME),
                "States inside, in order.",
            ),
            meta(),
        ],
    ],
    groups: &[
        at_most_one(&["initial", "regions"]),
        at_most_one(&["stack", "regions"]),
        OF_PART,
    ],
};

pub(crate) static REGION: Shape = Shape {
    name: "flat_region",
    title: "a region",
    doc: "A region of an orthogonal state; its states say `region`.",
    parts: &[&[
        Field::required(
            "name",
            Type::Name(NameKind::Declared(Item::Region)),
            "Name of the region.",
        ),
        id(),
        state::stack(),
        state::initial(),
    ]],
    groups: &[],
};

pub(crate) static TRANSITION: Shape = Shape {
    name: "flat_transition",
    title: "a transition",
    doc: "A transition of the flat shape.",
    parts: &[
        &[
            Field::new("name", NAME, "Name shown in traces."),
            id(),
            doc(),
            Field::required("source", STATE_NAME, "State that has the transition."),
            Field::or(
                "target",
                STATES,
                "internal: no state is left",
                "Where it goes.",
            ),
            transition::sync(),
            Field::new(
                "trigger",
                EVENTS_OR_ANY,
                "Event that starts it, or a list of events; `*` is any event.",
            ),
        ],
        transition::OTHER_TRIGGERS,
        &[
            Field::new("guard", Type::Expression, "Guard that must hold."),
            Field::new("effect", ACTIONS, "Actions between exits and entries."),
            Field::new("action", ACTIONS, "The same as `effect`."),
            Field::or(
                "isInternal",
                Type::Bool,
                "false",
                "No state is left; actions only.",
            ),
            Field::or(
                "kind",
                words!("internal", "local", "external"),
                "by the target",
                "Whether the source stays active.",
            ),
            transition::stack(),
            transition::priority(),
            Field::or(
                "isInterrupt",
                Type::Bool,
                "false",
                "Stands alone before all that are no interrupts.",
            ),
        ],
        transition::CONDITIONS,
        &[meta()],
    ],
    groups: &[
        at_most_one(&["trigger", "after", "every", "timer", "when"]),
        at_most_one(&["target", "sync"]),
        at_most_one(&["effect", "action"]),
        at_most_one(&["isInternal", "kind"]),
    ],
};
