//! What a value of a type looks like before anything is in it.

use statewright_author::text::shape::Type;

/// How a value is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `true`.
    Truth,
    /// Between quotes.
    Text,
    /// A number, or anything.
    Number,
    /// `{ … }`.
    Object,
    /// `[{ … }]`.
    Objects,
    /// `[…]`.
    List,
}

impl Form {
    /// That of a type; of several the first.
    pub(crate) fn of(ty: &Type) -> Self {
        match ty {
            Type::Bool => Self::Truth,
            Type::Text
            | Type::Name(_)
            | Type::PartFile
            | Type::Duration
            | Type::AnyDuration
            | Type::AskedDuration
            | Type::StableId
            | Type::Code
            | Type::Expression
            | Type::Word(_) => Self::Text,
            Type::Int { .. } | Type::OneInt(_) | Type::Number | Type::Literal | Type::Any => {
                Self::Number
            }
            Type::Object(_) | Type::Tagged(_) | Type::Map(_) => Self::Object,
            Type::List(Type::Object(_)) => Self::Objects,
            Type::List(_) | Type::Vector => Self::List,
            Type::OneOf(types) => types.first().map_or(Self::Object, Self::of),
        }
    }

    /// With the cursor where it is filled in.
    pub(crate) fn with_cursor(self) -> &'static str {
        match self {
            Self::Truth => "true$0",
            Self::Text => "\"$0\"",
            Self::Number => "$0",
            Self::Object => "{ $0 }",
            Self::Objects => "[{ $0 }]",
            Self::List => "[$0]",
        }
    }

    /// The least that can stand there.
    pub(crate) fn empty(self) -> &'static str {
        match self {
            Self::Truth => "true",
            Self::Text => "\"\"",
            Self::Number => "0",
            Self::Object => "{}",
            Self::Objects | Self::List => "[]",
        }
    }
}
