//! What keeps a machine and its functions apart, in words.

use std::fmt;

use crate::board::NotStrict;
use crate::functions::Kind;
use crate::value::Type;

/// Something that keeps a machine and its functions apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BindProblem {
    /// The machine calls a function that nobody wrote.
    Missing {
        /// Its name.
        name: String,
        /// What it should be.
        kind: Kind,
        /// A function that was perhaps meant.
        closest: Option<String>,
        /// Hash of its name, where that is all that is known of it.
        hash: Option<u32>,
        /// Every place of the machine that calls it.
        uses: Vec<String>,
    },
    /// A function of this name is something else.
    WrongKind {
        /// Its name.
        name: String,
        /// What the machine wants.
        wanted: Kind,
        /// What it is.
        found: Kind,
    },
    /// Two functions answer to one name.
    Twice {
        /// The name.
        name: String,
    },
    /// A call in the machine has other arguments than the function takes.
    Arguments {
        /// Name of the function.
        name: String,
        /// Types that it takes.
        takes: Vec<Type>,
        /// Types of the call.
        given: Vec<Type>,
        /// Every place of the machine that calls it.
        uses: Vec<String>,
    },
    /// A value function gives another type than the machine declares (LANG-11).
    Returns {
        /// Its name.
        name: String,
        /// What the machine declares.
        wanted: Type,
        /// What it gives.
        found: Type,
    },
    /// It draws random numbers, but the machine does not say so (SEL-5).
    UsesRng {
        /// Its name.
        name: String,
    },
    /// Codes are explained of a guard that is not among the functions.
    NoGuard {
        /// Its name.
        name: String,
    },
    /// The blackboard has no field for a key that the machine declares.
    NoField {
        /// Name of the key.
        key: String,
        /// Its type.
        ty: Type,
        /// There is such a field, but it is left out by `#[board(skip)]`.
        skipped: bool,
    },
    /// A field has another type than the key.
    FieldType {
        /// Name of the key.
        key: String,
        /// Type of the key.
        wanted: Type,
        /// Type of the field.
        found: Type,
    },
    /// The machine has strict writes, and functions write to what cannot be held back (CODE-5).
    NotStrict(NotStrict),
}

impl fmt::Display for BindProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |types: &[Type]| {
            types
                .iter()
                .map(|ty| ty.name())
                .collect::<Vec<_>>()
                .join(", ")
        };
        match self {
            Self::Missing {
                name,
                kind,
                closest,
                hash,
                uses,
            } => {
                write!(f, "{kind} `{name}` is missing")?;
                if let Some(closest) = closest {
                    write!(f, "; did you mean `{closest}`?")?;
                }
                if let Some(hash) = hash {
                    write!(f, "\n    hash {hash:08x}")?;
                }
                used_by(uses, f)
            }
            Self::WrongKind {
                name,
                wanted,
                found,
            } => {
                let (wanted, found) = (with_article(*wanted), with_article(*found));
                write!(
                    f,
                    "`{name}` must be {wanted} (it takes that place in the machine), but it is {found}"
                )
            }
            Self::Twice { name } => write!(f, "two functions answer to `{name}`"),
            Self::Arguments {
                name,
                takes,
                given,
                uses,
            } => {
                let (takes, given) = (list(takes), list(given));
                write!(
                    f,
                    "`{name}` takes ({takes}), but the machine calls it with ({given})"
                )?;
                used_by(uses, f)
            }
            Self::Returns {
                name,
                wanted,
                found,
            } => write!(
                f,
                "the machine declares that `{name}` gives {wanted}, but it gives {found}"
            ),
            Self::UsesRng { name } => write!(
                f,
                "`{name}` draws random numbers: write `\"rng\": true` for it under \"functions\" in the machine file"
            ),
            Self::NoGuard { name } => write!(
                f,
                "codes of `{name}` are explained, but there is no such guard"
            ),
            Self::NoField {
                key,
                ty,
                skipped: true,
            } => write!(
                f,
                "the machine declares `{key}` as {ty}, but `#[board(skip)]` hides the blackboard's field from it: remove that"
            ),
            Self::NoField { key, ty, .. } => {
                write!(
                    f,
                    "the blackboard has no field `{key}` of type {ty}, which the machine declares"
                )
            }
            Self::NotStrict(error) => error.fmt(f),
            Self::FieldType { key, wanted, found } => {
                write!(
                    f,
                    "the machine declares `{key}` as {wanted}, but the blackboard's field is {found}"
                )
            }
        }
    }
}

fn used_by(uses: &[String], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    uses.iter()
        .try_for_each(|one| write!(f, "\n    used by {one}"))
}

fn with_article(kind: Kind) -> String {
    let article = if matches!(kind, Kind::Action | Kind::Activity) {
        "an"
    } else {
        "a"
    };
    format!("{article} {kind}")
}

/// Why a machine could not be bound: everything at once.
#[derive(Clone, PartialEq, Eq)]
pub struct BindError {
    /// Name of the machine.
    pub machine: String,
    /// What does not fit.
    pub problems: Vec<BindProblem>,
}

impl fmt::Display for BindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "machine `{}` does not fit its functions:", self.machine)?;
        self.problems
            .iter()
            .try_for_each(|problem| write!(f, "\n  {problem}"))
    }
}

/// The same text: a `main` that ends with this error shows it so.
impl fmt::Debug for BindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for BindError {}
