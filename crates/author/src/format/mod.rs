//! Formats machine files, and writes stable ids into them (ROM-6).
//!
//! Comes in: the text of a file, or a machine read from one. Goes out: text with the same meaning.
//! Formatting keeps the author's order, every comment and single blank lines; what is not JSON is
//! refused like by the reader. Writing ids inserts members, spells out
//! short forms that have no room for one, and touches nothing else.

mod ids;
mod print;
mod short;
mod tokens;
mod write;

pub use ids::{ItemKind, MissingId, PathSegment, missing_ids};
pub use write::{Written, write_ids};

use crate::diagnostic::Diagnostics;

/// Formats a machine file: two spaces per level, one member per line, `\n` at line ends. A list or
/// object that the author wrote on one line stays there if it has no comments and fits. Formatting
/// again changes nothing.
pub fn format(text: &str) -> Result<String, Diagnostics> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    Ok(print::print(text, &tokens::tokens(text)?))
}
