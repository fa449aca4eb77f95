//! What stands in the way, each with its reason and a way out.

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::Diagnostic;
use statewright_author::span::Span;

/// Something that SCXML cannot say.
pub(super) fn refused(span: Span, what: impl AsRef<str>, why: &str, instead: &str) -> Diagnostic {
    let message = format!("SCXML cannot say this: {}", what.as_ref());
    let problem = Diagnostic::new(DiagnosticCode::ExportRefused, span, message)
        .label("not exported")
        .note(why);
    if instead.is_empty() {
        problem
    } else {
        problem.help(instead)
    }
}
