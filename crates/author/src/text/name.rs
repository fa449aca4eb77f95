//! Owns what the text form asks of names (SW0008): the rules of [`names`](crate::names), by what a
//! name names.

use crate::limits::MAX_NAME_BYTES;
use crate::names::{check_function, check_identifier, check_key, check_name, check_shown};

/// What a name names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameKind {
    /// A machine, a state, a region, a timer and the like.
    Plain,
    /// An event; `*` is not one.
    Event,
    /// An event, or `*` for any.
    EventOrAny,
    /// A state that is referred to, by name or by a path of names with `/`.
    StateReference,
    /// A blackboard key or a parameter where it is declared: a word that expressions can read.
    Key,
    /// A key or parameter that is referred to, or an argument.
    Identifier,
    /// A parameter that is referred to; one of a part begins with the path of its state:
    /// `fight/rage` (LANG-5).
    Parameter,
    /// A function: identifiers joined by `::`.
    Function,
}

/// Longest path of names: one for each level that a tree may have.
const MAX_PATH_BYTES: usize = 16 * (MAX_NAME_BYTES + 1);

/// Characters that cannot be seen, as far as a schema can say it: some lie beyond four digits.
macro_rules! unseen {
    () => {
        r"\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    };
}

/// A plain name, from its first character on.
macro_rules! name_pattern {
    () => {
        concat!(
            r"[^\s/",
            unseen!(),
            "]([^/",
            unseen!(),
            r"]*[^\s/",
            unseen!(),
            "])?$"
        )
    };
}

impl NameKind {
    /// What a message expects.
    pub fn expected(self) -> &'static str {
        match self {
            Self::Plain => "a name",
            Self::Event => "the name of an event",
            Self::EventOrAny => "the name of an event or \"*\"",
            Self::StateReference => "the name of a state",
            Self::Key | Self::Identifier | Self::Parameter => "a name such as \"health\"",
            Self::Function => "the name of a function",
        }
    }

    /// The rule as a regular expression for the schema.
    pub fn pattern(self) -> &'static str {
        match self {
            Self::Plain | Self::EventOrAny => {
                concat!("^", name_pattern!())
            }
            Self::Event => {
                concat!(r"^(?!\*$)", name_pattern!())
            }
            Self::StateReference => concat!("^[^", unseen!(), "]+$"),
            Self::Parameter => concat!("^([^", unseen!(), "]+/)?[A-Za-z_][A-Za-z0-9_]*$"),
            Self::Key => concat!(
                "^(?!(true|false|event|in|time_in_state|ticks_in_state|[Aa][Nn][Dd]|[Oo][Rr]|[Nn][Oo][Tt])$)",
                "[A-Za-z_][A-Za-z0-9_]*$"
            ),
            Self::Identifier => "^[A-Za-z_][A-Za-z0-9_]*$",
            Self::Function => "^[A-Za-z_][A-Za-z0-9_]*(::[A-Za-z_][A-Za-z0-9_]*)*$",
        }
    }

    /// Longest name, in bytes.
    pub fn max_bytes(self) -> usize {
        if matches!(self, Self::StateReference | Self::Parameter) {
            MAX_PATH_BYTES
        } else {
            MAX_NAME_BYTES
        }
    }

    /// Says what is wrong with a name.
    pub fn check(self, name: &str) -> Result<(), String> {
        match self {
            Self::Plain | Self::EventOrAny => check_name(name),
            Self::Event if name == "*" => {
                Err("`*` stands for any event and cannot be the name of one".into())
            }
            Self::Event => check_name(name),
            Self::StateReference => check_path(name),
            Self::Parameter => check_parameter(name),
            Self::Key => check_key(name),
            Self::Identifier => check_identifier(name),
            Self::Function => check_function(name),
        }
    }
}

/// A path is looked up, not declared: only what cannot be shown in a message is refused here.
fn check_path(path: &str) -> Result<(), String> {
    if path.is_empty() {
        return Err("a name must not be empty".into());
    }
    if path.len() > MAX_PATH_BYTES {
        return Err(format!(
            "a path must not be longer than {MAX_PATH_BYTES} bytes, this one has {}",
            path.len()
        ));
    }
    check_shown(path)
}

/// An identifier, of a part after the path of its state.
fn check_parameter(name: &str) -> Result<(), String> {
    match name.rsplit_once('/') {
        Some((path, own)) => check_path(path).and_then(|()| check_identifier(own)),
        None => check_identifier(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_references_may_be_any_event_or_a_path() {
        assert!(NameKind::Event.check("*").is_err());
        assert_eq!(NameKind::EventOrAny.check("*"), Ok(()));
        assert_eq!(NameKind::StateReference.check("combat/fire"), Ok(()));
        assert!(NameKind::Plain.check("combat/fire").is_err());
        for bad in ["", "a\nb", "a/\u{200b}"] {
            assert!(NameKind::StateReference.check(bad).is_err(), "{bad:?}");
        }
    }
}
