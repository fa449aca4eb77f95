//! Warnings as single lines, for those who keep or show them after the compiler is done.

use super::index::LineIndex;
use crate::diagnostic::{Diagnostics, Severity};
use crate::names::visible;
use crate::span::Source;

/// Each warning in one line: `guard.sw.json:3:12: event `Seen` is never used [SW0402]`.
pub fn warning_lines(diagnostics: &Diagnostics, source: &Source) -> Vec<String> {
    let index = match source {
        Source::File { text, .. } => Some(LineIndex::new(text)),
        Source::Builder { .. } => None,
    };
    let warnings = diagnostics
        .iter()
        .filter(|problem| problem.severity == Severity::Warning);
    warnings
        .map(|problem| {
            let at = match (&index, source) {
                (Some(index), _) => {
                    let at = index.position(problem.span.start as usize);
                    format!("{}:{}:{}", source.name(), at.line, at.column)
                }
                (None, Source::Builder { steps, .. }) => {
                    let step = steps.get(problem.span.start as usize);
                    step.map_or(source.name(), String::as_str).to_owned()
                }
                (None, Source::File { name, .. }) => name.clone(),
            };
            let code = problem.code.info().id;
            visible(&format!("{at}: {} [{code}]", problem.message))
        })
        .collect()
}
