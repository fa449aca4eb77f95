//! Shows problems: as text in the look of rustc, or as JSON for tools.
//!
//! Comes in: [`Diagnostics`](crate::diagnostic::Diagnostics) and the
//! [`Source`](crate::span::Source) their spans refer to. Goes out: a string or a JSON value. Any
//! span is accepted, also one that lies outside the source or inside a character, and the work per
//! problem does not grow with the size of the file.

mod excerpt;
mod index;
mod json;
mod locate;
mod text;
mod warnings;

pub use index::{LineIndex, Position};
pub use json::render_json;
pub use locate::{Located, Locator};
pub use text::{Style, render_text};
pub use warnings::warning_lines;
