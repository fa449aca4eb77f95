//! Owns the shape of the whole file, its policies and its budgets.

use super::{NAME, STATE, TIMERS, TRANSITION_LIST, doc, id, map, meta, state, words};
use crate::text::name::{Item, NameKind};
use crate::text::shape::{Field, Map, ObjectKind, Shape, Type, Words};
use crate::value::Tier;

/// The tier: by name, by size, or by both as in `Standard_128B`.
pub(crate) const TIER: Type = Type::OneOf(&[
    Type::Word(&Words {
        words: Tier::WORDS,
        aliases: &["Crowd_64B", "Standard_128B", "Hero_256B"],
    }),
    Type::OneInt(&[64, 128, 256]),
]);

/// What belongs to the machine and not to its root, up to the declarations.
pub(crate) const HEAD: &[Field] = &[
    Field::new(
        "$schema",
        Type::Text,
        "Where editors find the schema of this file.",
    ),
    Field::required("machine", NAME, "Name of the machine."),
    id(),
    doc(),
    Field::or(
        "tier",
        TIER,
        "the smallest that fits",
        "Bytes per instance: crowd 64, standard 128, hero 256.",
    ),
    Field::or(
        "tick_rate",
        Type::Int {
            min: 1,
            max: 10_000,
        },
        "60",
        "Ticks per second; durations become ticks by it.",
    ),
    Field::new(
        "policies",
        Type::Object(ObjectKind::Policies),
        "How the machine departs from the default rules.",
    ),
    Field::new(
        "budgets",
        Type::Object(ObjectKind::Budgets),
        "Caps per tick.",
    ),
    Field::or(
        "fail_safe",
        STATE,
        "the initial state",
        "State entered when the machine is clamped too often.",
    ),
    Field::or(
        "reload_entry",
        STATE,
        "the initial state",
        "State to be entered when a reload cannot keep an agent.",
    ),
    Field::new(
        "events",
        EVENTS,
        "Event types: a list of names, or names with their fields.",
    ),
    Field::new(
        "blackboard",
        BLACKBOARD,
        "Blackboard keys: a type, or fields.",
    ),
    Field::new(
        "parameters",
        PARAMETERS,
        "Machine-wide parameters: a value, or fields.",
    ),
    Field::new("variants", VARIANTS, "Named sets of parameter values."),
    Field::new("channels", CHANNELS, "Channels that states may own."),
    Field::new(
        "lanes",
        map!(Declared(Lane) => Type::Object(ObjectKind::Lane)),
        "Command lanes beyond the built-in ones, and built-in ones with other rules.",
    ),
    Field::new(
        "functions",
        FUNCTIONS,
        "User functions; if any is declared, all that are used must be.",
    ),
    Field::new(
        "observers",
        Type::List(&Type::Object(ObjectKind::Observer)),
        "Actions that run for every event.",
    ),
    Field::new("timers", TIMERS, "Timers that outlive states."),
    Field::new(
        "transition_sets",
        map!(Declared(TransitionSet) => Type::OneOf(&[TRANSITION_LIST, Type::Object(ObjectKind::TransitionSet)])),
        "Lists of transitions that states can `use`.",
    ),
];

const EVENTS: Type = Type::OneOf(&[
    Type::List(&Type::Name(NameKind::Event)),
    map!(Event => Type::Object(ObjectKind::Event)),
]);
const BLACKBOARD: Type =
    map!(Key => Type::OneOf(&[super::VALUE_TYPE, Type::Object(ObjectKind::Key)]));
const PARAMETERS: Type = map!(Parameter => Type::OneOf(&[Type::Bool, Type::Number, Type::Duration, Type::Object(ObjectKind::Parameter)]));
const VARIANTS: Type = map!(Declared(Variant) => Type::Map(&VARIANT));
const CHANNELS: Type = Type::OneOf(&[
    Type::List(&Type::Name(NameKind::Declared(Item::Channel))),
    map!(Declared(Channel) => Type::Object(ObjectKind::Channel)),
]);
const FUNCTIONS: Type = map!(Function => Type::OneOf(&[super::declare::FUNCTION_KIND, Type::Object(ObjectKind::Function)]));

/// One variant. Its documentation has a `$`, because a parameter may be called `doc`.
const VARIANT: Map = Map {
    keys: NameKind::ParameterReference,
    value: Type::Literal,
    fields: &[Field::new("$doc", Type::Text, "What the variant is for.")],
    may_be_empty: true,
};

/// What stands last.
const TAIL: &[Field] = &[super::muted(), meta()];

pub(crate) static MACHINE: Shape = Shape {
    name: "machine",
    title: "the machine",
    doc: "A Statewright machine. The file is the machine and at the same time its root state.",
    parts: &[
        HEAD,
        state::ACTION_FIELDS,
        state::LIMITS,
        state::TRANSITIONS,
        state::MORE_OF_ROOT,
        state::CHILDREN,
        TAIL,
    ],
    groups: state::REGION_GROUPS,
};

pub(crate) static POLICIES: Shape = Shape {
    name: "policies",
    title: "the policies",
    doc: "How the machine departs from the default rules.",
    parts: &[&[
        Field::or(
            "exit_order",
            words!("post_order", "reverse"),
            "\"post_order\"",
            "Order of exits in a microstep.",
        ),
        Field::or(
            "immediate_update",
            Type::Bool,
            "false",
            "A state entered in this tick runs its activity in it.",
        ),
        Field::or(
            "posted",
            words!("same_tick", "next_tick"),
            "\"same_tick\"",
            "When posted events become visible.",
        ),
        Field::or(
            "internal_first",
            Type::Bool,
            "false",
            "Internal events are taken first, as in SCXML.",
        ),
        Field::or(
            "done_events",
            Type::Bool,
            "false",
            "Completion posts `done.state.X` events, as in SCXML.",
        ),
        Field::or(
            "strict_writes",
            Type::Bool,
            "false",
            "Blackboard writes take effect at commit.",
        ),
        Field::or(
            "scxml_details",
            Type::Bool,
            "false",
            "Domains and history defaults as in SCXML.",
        ),
        Field::or(
            "reload",
            words!("keep", "reset"),
            "\"keep\"",
            "What a reload to this machine does with running agents.",
        ),
    ]],
    groups: &[],
};

pub(crate) static BUDGETS: Shape = Shape {
    name: "budgets",
    title: "the budgets",
    doc: "Caps per tick.",
    parts: &[&[
        Field::or(
            "events_per_tick",
            PER_TICK,
            "by tier: 4, 8, 16",
            "Events handled in one tick.",
        ),
        Field::or(
            "microsteps_per_tick",
            PER_TICK,
            "by tier: 8, 16, 32",
            "Microsteps in one tick.",
        ),
        Field::or(
            "clamp_limit",
            Type::Int { min: 1, max: 255 },
            "5",
            "Clamped ticks in a row before the fail-safe.",
        ),
        Field::or(
            "command_bytes",
            Type::Int { min: 64, max: 4096 },
            "1024",
            "Command bytes per agent and tick.",
        ),
    ]],
    groups: &[],
};

const PER_TICK: Type = Type::Int { min: 1, max: 4096 };
