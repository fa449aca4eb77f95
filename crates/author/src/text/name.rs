//! Owns what the text form asks of names (SW0008): the rules of [`names`](crate::names), by what a
//! name names.

use crate::limits::MAX_NAME_BYTES;
use crate::names::{check_function, check_identifier, check_key, check_name, check_shown};

/// Something that a machine file gives a name to, so that the rest of the file can refer to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Item {
    /// A state.
    State,
    /// A region of an orthogonal state.
    Region,
    /// A history point.
    History,
    /// A timer of the machine or of a state.
    Timer,
    /// Scratch slots.
    Scratch,
    /// A lane.
    Lane,
    /// A channel.
    Channel,
    /// A transition set.
    TransitionSet,
    /// A variant.
    Variant,
    /// An event.
    Event,
    /// A blackboard key.
    Key,
    /// A parameter.
    Parameter,
    /// A function of the game.
    Function,
}

impl Item {
    /// What messages call it.
    pub fn word(self) -> &'static str {
        match self {
            Self::State => "state",
            Self::Region => "region",
            Self::History => "history point",
            Self::Timer => "timer",
            Self::Scratch => "scratch",
            Self::Lane => "lane",
            Self::Channel => "channel",
            Self::TransitionSet => "transition set",
            Self::Variant => "variant",
            Self::Event => "event",
            Self::Key => "blackboard key",
            Self::Parameter => "parameter",
            Self::Function => "function",
        }
    }
}

/// Whether a name brings something into being or means something that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It is declared here.
    Declares,
    /// It is declared elsewhere.
    Refers,
}

/// What a name names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameKind {
    /// A machine, a transition, a command: nothing else refers to it.
    Plain,
    /// Something of a plain name, where it is declared.
    Declared(Item),
    /// Something of a plain name that is referred to.
    Reference(Item),
    /// An event where it is declared; `*` is not one.
    Event,
    /// An event that is referred to; `*` is not one.
    EventReference,
    /// An event that is referred to, or `*` for any.
    EventOrAny,
    /// A state that is referred to, by name or by a path of names with `/`.
    StateReference,
    /// A blackboard key where it is declared: a word that expressions can read.
    Key,
    /// A parameter where it is declared: likewise.
    Parameter,
    /// A key that is referred to.
    KeyReference,
    /// A parameter that is referred to; one of a part begins with the path of its state:
    /// `fight/rage` (LANG-5).
    ParameterReference,
    /// An argument.
    Identifier,
    /// A function where it is declared: identifiers joined by `::`.
    Function,
    /// A function that is referred to.
    FunctionReference,
    /// A parameter of a part, where it is set (LANG-5): that of the part's own file.
    PartParameter,
    /// An event, key, channel or function of a part, where it gets another name.
    PartName,
    /// The name that it gets: one of this file.
    NameOfPart,
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
    /// What it declares or refers to.
    pub fn role(self) -> Option<(Role, Item)> {
        Some(match self {
            Self::Plain | Self::Identifier => return None,
            // Names of two files: what they mean is found where both files are at hand.
            Self::PartParameter | Self::PartName | Self::NameOfPart => return None,
            Self::Declared(item) => (Role::Declares, item),
            Self::Reference(item) => (Role::Refers, item),
            Self::Event => (Role::Declares, Item::Event),
            Self::EventReference | Self::EventOrAny => (Role::Refers, Item::Event),
            Self::StateReference => (Role::Refers, Item::State),
            Self::Key => (Role::Declares, Item::Key),
            Self::KeyReference => (Role::Refers, Item::Key),
            Self::Parameter => (Role::Declares, Item::Parameter),
            Self::ParameterReference => (Role::Refers, Item::Parameter),
            Self::Function => (Role::Declares, Item::Function),
            Self::FunctionReference => (Role::Refers, Item::Function),
        })
    }

    /// What a message expects.
    pub fn expected(self) -> &'static str {
        match self {
            Self::Plain | Self::Declared(_) | Self::PartName | Self::NameOfPart => "a name",
            Self::Reference(item) => match item {
                Item::Timer => "the name of a timer",
                Item::Lane => "the name of a lane",
                Item::Channel => "the name of a channel",
                Item::TransitionSet => "the name of a transition set",
                Item::Region => "the name of a region",
                Item::State => "the name of a state",
                Item::History
                | Item::Scratch
                | Item::Variant
                | Item::Event
                | Item::Key
                | Item::Parameter
                | Item::Function => "a name",
            },
            Self::Event | Self::EventReference => "the name of an event",
            Self::EventOrAny => "the name of an event or \"*\"",
            Self::StateReference => "the name of a state",
            Self::Key
            | Self::Parameter
            | Self::KeyReference
            | Self::ParameterReference
            | Self::PartParameter
            | Self::Identifier => "a name such as \"health\"",
            Self::Function | Self::FunctionReference => "the name of a function",
        }
    }

    /// The rule as a regular expression for the schema.
    pub fn pattern(self) -> &'static str {
        match self {
            Self::Plain
            | Self::Declared(_)
            | Self::Reference(_)
            | Self::EventOrAny
            | Self::PartName
            | Self::NameOfPart => concat!("^", name_pattern!()),
            Self::Event | Self::EventReference => {
                concat!(r"^(?!\*$)", name_pattern!())
            }
            Self::StateReference => concat!("^[^", unseen!(), "]+$"),
            Self::ParameterReference | Self::PartParameter => {
                concat!("^([^", unseen!(), "]+/)?[A-Za-z_][A-Za-z0-9_]*$")
            }
            Self::Key | Self::Parameter => concat!(
                "^(?!(true|false|event|in|time_in_state|ticks_in_state|[Aa][Nn][Dd]|[Oo][Rr]|[Nn][Oo][Tt])$)",
                "[A-Za-z_][A-Za-z0-9_]*$"
            ),
            Self::KeyReference | Self::Identifier => "^[A-Za-z_][A-Za-z0-9_]*$",
            Self::Function | Self::FunctionReference => {
                "^[A-Za-z_][A-Za-z0-9_]*(::[A-Za-z_][A-Za-z0-9_]*)*$"
            }
        }
    }

    /// Longest name, in bytes.
    pub fn max_bytes(self) -> usize {
        match self {
            Self::StateReference | Self::ParameterReference | Self::PartParameter => MAX_PATH_BYTES,
            _ => MAX_NAME_BYTES,
        }
    }

    /// Says what is wrong with a name.
    pub fn check(self, name: &str) -> Result<(), String> {
        match self {
            Self::Plain
            | Self::Declared(_)
            | Self::Reference(_)
            | Self::EventOrAny
            | Self::PartName
            | Self::NameOfPart => check_name(name),
            Self::Event | Self::EventReference if name == "*" => {
                Err("`*` stands for any event and cannot be the name of one".into())
            }
            Self::Event | Self::EventReference => check_name(name),
            Self::StateReference => check_path(name),
            Self::Key | Self::Parameter => check_key(name),
            Self::ParameterReference | Self::PartParameter => check_parameter(name),
            Self::KeyReference | Self::Identifier => check_identifier(name),
            Self::Function | Self::FunctionReference => check_function(name),
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
