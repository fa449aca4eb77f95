//! Expressions and action texts as they are written: source text to syntax tree and back (CODE-4).
//!
//! Comes in: the text of a guard, a score, an action or a call. Goes out: an [`Expr`], an
//! [`ActionText`] or a [`CallText`], or one [`SyntaxError`]; ranges are bytes of the text. Nothing
//! is resolved or typed here: that is the compiler's. Any text is safe to give: length and nesting
//! are bounded by [`crate::limits`].

mod action;
mod lexer;
mod parser;
mod print;
mod rename;
mod syntax;
#[cfg(test)]
mod tests;

use std::fmt;
use std::ops::Range;

pub use action::{ActionText, CallText, code_span, parse_action, parse_call};
pub use parser::parse;
pub use rename::{NameUse, rename};
pub use syntax::{BinaryOp, CallArgument, Expr, ExprKind, LogicOp, StateQuery, UnaryOp};

/// Why a text cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// Bytes of the text.
    pub range: Range<usize>,
    /// What is wrong, in one sentence.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
    /// The same as text in place of the range, where it can be said so.
    pub instead: Option<String>,
    /// The text is too long or nested too deeply, not wrong.
    pub too_large: bool,
}

impl SyntaxError {
    fn new(range: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            range,
            message: message.into(),
            help: None,
            instead: None,
            too_large: false,
        }
    }

    fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    fn too_large(range: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            too_large: true,
            ..Self::new(range, message)
        }
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        self.help
            .as_ref()
            .map_or(Ok(()), |help| write!(f, " ({help})"))
    }
}

impl std::error::Error for SyntaxError {}
