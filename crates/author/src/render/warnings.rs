//! Warnings as single lines, for those who keep or show them after the compiler is done.

use super::locate::Locator;
use crate::diagnostic::{Diagnostics, Severity};
use crate::names::visible;
use crate::span::Source;

/// Each warning in one line: `guard.sw.json:3:12: event `Seen` is never used [SW0402]`.
pub fn warning_lines(diagnostics: &Diagnostics, source: &Source) -> Vec<String> {
    let locator = Locator::new(source);
    let warnings = diagnostics
        .iter()
        .filter(|problem| problem.severity == Severity::Warning);
    warnings
        .map(|problem| {
            let at = match locator.locate(problem.span) {
                Some(located) => located.shown(),
                None => source
                    .step(problem.span)
                    .unwrap_or(source.name())
                    .to_owned(),
            };
            let code = problem.code.info().id;
            visible(&format!("{at}: {} [{code}]", problem.message))
        })
        .collect()
}
