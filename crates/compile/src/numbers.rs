//! The author's words as numbers of the ROM: the one place where both vocabularies meet.
//!
//! `author` does not know the ROM, so each has its own enums. Every function here is one exhaustive
//! match: whoever adds a word on one side is led here by the compiler and then to the other side.
//! That both sides write the same names is held by the tests below.

use statewright_author::graph::{Payload, StateKind as AuthorStateKind};
use statewright_author::value as author;
use statewright_rom::layout::{
    EventClass, FunctionKind, LaneKey, LaneScope, MergeRule, PayloadKind, ScratchType, StateKind,
    Tier, ValueType,
};

/// Type of a value.
pub const fn value_type(ty: author::ValueType) -> ValueType {
    match ty {
        author::ValueType::I32 => ValueType::I32,
        author::ValueType::F32 => ValueType::F32,
        author::ValueType::Bool => ValueType::Bool,
        author::ValueType::Entity => ValueType::Entity,
        author::ValueType::Vec2 => ValueType::Vec2,
        author::ValueType::Vec3 => ValueType::Vec3,
        author::ValueType::Symbol => ValueType::Symbol,
    }
}

/// The author's word for the type of a value.
pub const fn author_type(ty: ValueType) -> author::ValueType {
    match ty {
        ValueType::I32 => author::ValueType::I32,
        ValueType::F32 => author::ValueType::F32,
        ValueType::Bool => author::ValueType::Bool,
        ValueType::Entity => author::ValueType::Entity,
        ValueType::Vec2 => author::ValueType::Vec2,
        ValueType::Vec3 => author::ValueType::Vec3,
        ValueType::Symbol => author::ValueType::Symbol,
    }
}

/// What an event carries.
pub const fn payload_kind(payload: Option<Payload>) -> PayloadKind {
    match payload {
        None => PayloadKind::Empty,
        Some(Payload::Value(ty)) => PayloadKind::of_value(value_type(ty)),
        Some(Payload::U32) => PayloadKind::U32,
        Some(Payload::U64) => PayloadKind::U64,
        Some(Payload::Vec4) => PayloadKind::Vec4,
        Some(Payload::Bytes(_)) => PayloadKind::Bytes,
    }
}

/// Class of an event or a timer.
pub const fn event_class(class: author::Class) -> EventClass {
    match class {
        author::Class::Low => EventClass::Low,
        author::Class::Normal => EventClass::Normal,
        author::Class::Interrupt => EventClass::Interrupt,
        author::Class::Critical => EventClass::Critical,
    }
}

/// What a user function is.
pub const fn function_kind(kind: author::FunctionKind) -> FunctionKind {
    match kind {
        author::FunctionKind::Guard => FunctionKind::Guard,
        author::FunctionKind::Action => FunctionKind::Action,
        author::FunctionKind::Activity => FunctionKind::Activity,
        author::FunctionKind::Scorer => FunctionKind::Scorer,
        author::FunctionKind::Value => FunctionKind::Value,
    }
}

/// What expressions read in scratch; nothing in scratch without a type.
pub const fn scratch_type(ty: Option<author::ScratchType>) -> ScratchType {
    match ty {
        None => ScratchType::Raw,
        Some(author::ScratchType::U16) => ScratchType::U16,
        Some(author::ScratchType::I16) => ScratchType::I16,
        Some(author::ScratchType::Bool) => ScratchType::Bool,
    }
}

/// What becomes of several commands.
pub const fn merge_rule(rule: author::MergeRule) -> MergeRule {
    match rule {
        author::MergeRule::LastWriterWins => MergeRule::LastWriterWins,
        author::MergeRule::Accumulate => MergeRule::Accumulate,
        author::MergeRule::StrictOrder => MergeRule::StrictOrder,
        author::MergeRule::Deduplicate => MergeRule::Deduplicate,
    }
}

/// What the last writer wins.
pub const fn lane_key(key: author::LaneKey) -> LaneKey {
    match key {
        author::LaneKey::Lane => LaneKey::Lane,
        author::LaneKey::Name => LaneKey::Name,
    }
}

/// Among whose commands equal ones are told.
pub const fn lane_scope(scope: author::LaneScope) -> LaneScope {
    match scope {
        author::LaneScope::Agent => LaneScope::Agent,
        author::LaneScope::Crowd => LaneScope::Crowd,
    }
}

/// What a state is.
pub const fn state_kind(kind: AuthorStateKind) -> StateKind {
    match kind {
        AuthorStateKind::Atomic => StateKind::Atomic,
        AuthorStateKind::Compound => StateKind::Compound,
        AuthorStateKind::Orthogonal => StateKind::Orthogonal,
        AuthorStateKind::Final => StateKind::Final,
        AuthorStateKind::Choice => StateKind::Choice,
    }
}

/// Size of an instance.
pub const fn tier(tier: author::Tier) -> Tier {
    match tier {
        author::Tier::Crowd => Tier::Crowd,
        author::Tier::Standard => Tier::Standard,
        author::Tier::Hero => Tier::Hero,
    }
}

#[cfg(test)]
mod tests {
    use statewright_author::codes::DiagnosticCode;
    use statewright_rom::layout::BuiltInLane;

    use super::*;

    /// Words of the author in the order of their numbers.
    macro_rules! same_words {
        ($author:ident, $rom:ident, $number:ident) => {
            assert_eq!(author::$author::WORDS, $rom::NAMES, stringify!($rom));
            for word in author::$author::WORDS {
                let meant = author::$author::parse(word).unwrap();
                assert_eq!($number(meant).name(), *word);
            }
        };
    }

    #[test]
    fn both_vocabularies_have_the_same_words() {
        same_words!(ValueType, ValueType, value_type);
        same_words!(Class, EventClass, event_class);
        same_words!(FunctionKind, FunctionKind, function_kind);
        same_words!(MergeRule, MergeRule, merge_rule);
        same_words!(LaneKey, LaneKey, lane_key);
        same_words!(LaneScope, LaneScope, lane_scope);
        assert_eq!(author::BuiltInLane::WORDS, BuiltInLane::NAMES);
        same_words!(Tier, Tier, tier);
    }

    #[test]
    fn types_are_the_same_both_ways_and_equally_long() {
        for ty in ValueType::ALL {
            assert_eq!(value_type(author_type(ty)), ty);
            assert_eq!(author_type(ty).words(), u32::from(ty.words()));
            assert_eq!(author_type(ty).as_str(), ty.name());
        }
    }

    /// A file may say the bytes of an instance instead of the word.
    #[test]
    fn every_tier_is_read_by_its_bytes() {
        for meant in author::Tier::ALL {
            let bytes = tier(meant).capacity().bytes;
            let text = format!(
                "{{ \"machine\": \"M\", \"tier\": {bytes}, \"states\": {{ \"a\": {{}} }} }}"
            );
            let (machine, problems) = statewright_author::text::read("m.sw.json", &text);
            assert_eq!(machine.tier.map(|found| found.value), Some(meant));
            assert!(!problems.has_errors(), "{bytes}: {problems:?}");
        }
    }

    /// Pages that say what there is name all of it.
    #[test]
    fn pages_about_mistakes_list_every_word() {
        let lists = |code: DiagnosticCode, words: &[&str]| {
            for word in words {
                let named = code.info().page.contains(&format!("`{word}`"));
                assert!(named, "{} does not name `{word}`", code.info().id);
            }
        };
        lists(DiagnosticCode::BadValue, &Tier::NAMES);
        lists(DiagnosticCode::UnknownLane, &BuiltInLane::NAMES);
    }

    #[test]
    fn every_kind_of_state_comes_from_one_of_the_author() {
        use AuthorStateKind::{Atomic, Choice, Compound, Final, Orthogonal};
        let meant = [Atomic, Compound, Orthogonal, Final, Choice].map(state_kind);
        assert_eq!(meant, StateKind::ALL);
    }

    #[test]
    fn every_payload_can_be_written() {
        for kind in PayloadKind::ALL {
            let payload = match kind {
                PayloadKind::Empty => None,
                PayloadKind::U32 => Some(Payload::U32),
                PayloadKind::U64 => Some(Payload::U64),
                PayloadKind::Vec4 => Some(Payload::Vec4),
                PayloadKind::Bytes => Some(Payload::Bytes(1)),
                PayloadKind::I32
                | PayloadKind::F32
                | PayloadKind::Bool
                | PayloadKind::Entity
                | PayloadKind::Vec2
                | PayloadKind::Vec3
                | PayloadKind::Symbol => kind.value_type().map(author_type).map(Payload::Value),
            };
            assert_eq!(payload_kind(payload), kind);
            let word = match kind {
                PayloadKind::Empty => "null".to_owned(),
                PayloadKind::Bytes => "{ \"bytes\": 1 }".to_owned(),
                named => format!("\"{named}\""),
            };
            let text = format!(
                "{{ \"machine\": \"M\", \"events\": {{ \"E\": {{ \"payload\": {word} }} }}, \"states\": {{}} }}"
            );
            let (machine, _) = statewright_author::text::read("m.sw.json", &text);
            assert_eq!(
                machine.events[0].payload.as_ref().map(|found| found.value),
                payload,
                "{word}"
            );
        }
    }
}
