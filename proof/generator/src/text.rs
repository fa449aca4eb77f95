//! Values without a span: what the generator writes stands nowhere.

use statewright_author::graph::ExprSource;
use statewright_author::span::{Name, Span, Spanned};

/// A value that stands nowhere.
pub fn spanned<T>(value: T) -> Spanned<T> {
    Spanned::new(value, Span::default())
}

/// A name that stands nowhere.
pub fn name(text: impl Into<String>) -> Name {
    spanned(text.into())
}

/// Source text that stands nowhere.
pub fn code(text: impl Into<String>) -> ExprSource {
    spanned(text.into())
}
