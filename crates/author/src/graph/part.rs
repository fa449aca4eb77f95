//! The use of a part by a state, and what each file must declare for itself.

use super::{Function, Machine, StableId};
use crate::span::{Name, Span, Spanned};
use crate::value::{FunctionKind, Literal};

/// The use of a part: the root of another file becomes this state (LANG-5).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PartUse {
    /// The file, as a path from the file that says so.
    pub file: Name,
    /// Parameters of the part and their values: a constant, or the name of a parameter here.
    pub with: Vec<(Name, Spanned<Literal>)>,
    /// Events, keys, channels and functions of the part, and what they are called here.
    pub map: Vec<(Name, Name)>,
    /// What it brought; `None` until the part has been joined in ([`crate::parts`]).
    pub joined: Option<JoinedPart>,
}

/// A part that has been joined in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JoinedPart {
    /// The place of its text in [`crate::span::Source::parts`].
    pub text: usize,
    /// The name of the machine that it is on its own.
    pub machine: String,
    /// Its stable id there.
    pub id: StableId,
}

/// Which functions must be declared.
impl Machine {
    /// Does it declare functions, so that all must be? Not by value functions alone, which need their
    /// type.
    pub fn declares_functions(&self) -> bool {
        let other = |function: &Function| function.kind.value != FunctionKind::Value;
        self.functions.iter().any(other)
    }

    /// Must a function be declared that is used there?
    pub fn must_declare(&self, used_at: Span) -> bool {
        let text = self.source.part_at(used_at);
        self.declares_functions() && !self.undeclared_functions.contains(&text)
    }
}
