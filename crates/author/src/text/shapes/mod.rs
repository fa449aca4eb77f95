//! Owns the description of the file format, as data: one table per group of objects.
//!
//! Order inside a table is the canonical key order. Types that several tables use stand here.

pub(crate) mod action;
pub(crate) mod declare;
pub(crate) mod flat;
pub(crate) mod machine;
pub(crate) mod state;
pub(crate) mod transition;

use super::name::{Item, NameKind};
use super::shape::{Field, Group, ObjectKind, Rule, Type, Words};
use crate::value::{Class, ParameterType, ValueType};

/// A name that nothing refers to.
pub(crate) const NAME: Type = Type::Name(NameKind::Plain);
/// A blackboard key that is referred to.
pub(crate) const KEY: Type = Type::Name(NameKind::KeyReference);
/// A user function that is referred to.
pub(crate) const FUNCTION: Type = Type::Name(NameKind::FunctionReference);
/// An event that is referred to, or `*`.
pub(crate) const EVENT_OR_ANY: Type = Type::Name(NameKind::EventOrAny);
/// An event that is referred to, `*`, or a list of events (LANG-1).
pub(crate) const EVENTS_OR_ANY: Type = Type::OneOf(&[EVENT_OR_ANY, Type::List(&EVENT)]);
/// An event that is referred to.
pub(crate) const EVENT: Type = Type::Name(NameKind::EventReference);
/// A timer that is referred to.
pub(crate) const TIMER: Type = Type::Name(NameKind::Reference(Item::Timer));
/// A lane that is referred to.
pub(crate) const LANE: Type = Type::Name(NameKind::Reference(Item::Lane));
/// A state that is referred to.
pub(crate) const STATE: Type = Type::Name(NameKind::StateReference);
/// One state or several.
pub(crate) const STATES: Type = Type::OneOf(&[STATE, Type::List(&STATE)]);
/// One action.
pub(crate) const ACTION: Type = Type::OneOf(&[Type::Code, Type::Tagged(action::TAGS)]);
/// One action or several.
pub(crate) const ACTIONS: Type =
    Type::OneOf(&[Type::Code, Type::Tagged(action::TAGS), Type::List(&ACTION)]);
/// Event classes.
pub(crate) const CLASS: Type = Type::Word(&Words {
    words: Class::WORDS,
    aliases: &[],
});
/// Types of keys and arguments.
pub(crate) const VALUE_TYPE: Type = Type::Word(&Words {
    words: ValueType::WORDS,
    aliases: &[],
});
/// Types of parameters.
pub(crate) const PARAMETER_TYPE: Type = Type::Word(&Words {
    words: ParameterType::WORDS,
    aliases: &[],
});
/// Priority of a transition (SEL-3).
pub(crate) const PRIORITY: Type = Type::Int { min: 0, max: 15 };

/// Stable id (ROM-6).
pub(crate) const fn id() -> Field {
    Field::or(
        "id",
        Type::StableId,
        "from the names",
        "Stable id that survives renaming: 1 to 16 hexadecimal digits.",
    )
}

/// Documentation.
pub(crate) const fn doc() -> Field {
    Field::new("doc", Type::Text, "What it is for.")
}

/// Editor data.
pub(crate) const fn meta() -> Field {
    Field::new(
        "meta",
        Type::Any,
        "Data of editors and tools; kept and never looked at.",
    )
}

/// Left out of the compiled machine (CODE-8).
pub(crate) const fn muted() -> Field {
    Field::or(
        "muted",
        Type::Bool,
        "false",
        "Left out of the compiled machine, as if it were commented out.",
    )
}

/// The fields that say what starts a transition.
pub(crate) const TRIGGERS: &[&str] = &["on", "after", "every", "timer", "when"];

/// At most one of the fields.
pub(crate) const fn at_most_one(keys: &'static [&'static str]) -> Group {
    Group {
        keys,
        rule: Rule::AtMostOne,
    }
}

/// What a state says of its part needs the part; a list in `use` is transition sets.
pub(crate) const OF_PART: Group = Group {
    keys: &["use", "with", "map"],
    rule: Rule::BesideText,
};

/// Words without other spellings.
macro_rules! words {
    ($($word:literal),+ $(,)?) => {
        $crate::text::shape::Type::Word(&$crate::text::shape::Words { words: &[$($word),+], aliases: &[] })
    };
}
pub(crate) use words;

/// An object with names as keys.
macro_rules! map {
    ($keys:ident $(($item:ident))? => $value:expr) => {
        $crate::text::shape::Type::Map(&$crate::text::shape::Map {
            keys: $crate::text::name::NameKind::$keys $(($crate::text::name::Item::$item))?,
            value: $value,
            fields: &[],
            may_be_empty: true,
        })
    };
}
pub(crate) use map;

/// A list of objects.
pub(crate) const TRANSITION_LIST: Type = Type::List(&Type::Object(ObjectKind::Transition));
/// Timers, by name only or with fields.
pub(crate) const TIMERS: Type = Type::OneOf(&[
    Type::List(&Type::Name(NameKind::Declared(Item::Timer))),
    map!(Declared(Timer) => Type::Object(ObjectKind::Timer)),
]);
