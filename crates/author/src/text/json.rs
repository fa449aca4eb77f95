//! JSON with spans, for readers of other formats that are JSON, too.

use jsonc_parser::ast::Value;

use crate::diagnostic::Diagnostics;

pub use super::parse::{json as kind, span, string_span, to_json};

/// The tree of a text, or what is wrong with it: the same limits, extensions and words as for a
/// machine file.
pub fn parse(text: &str) -> Result<Value<'_>, Diagnostics> {
    let mut out = Diagnostics::default();
    if !super::scan::scan(text, &mut out) || out.has_errors() {
        return Err(out);
    }
    super::parse::parse(text).map_err(|problem| {
        out.push(*problem);
        out
    })
}
