//! Problems of a document, each with its element, its reason and a way out.

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::Diagnostic;
use statewright_author::span::Span;

/// Something that this engine has no counterpart for, named in a few words.
pub(super) fn refused(span: Span, what: impl Into<String>, why: &str, instead: &str) -> Diagnostic {
    unlike(
        span,
        format!("{} cannot be imported", what.into()),
        why,
        instead,
    )
}

/// The same in a sentence of its own.
pub(super) fn unlike(
    span: Span,
    message: impl Into<String>,
    why: &str,
    instead: &str,
) -> Diagnostic {
    let problem = Diagnostic::new(DiagnosticCode::ImportRefused, span, message)
        .label("not imported")
        .note(why);
    if instead.is_empty() {
        problem
    } else {
        problem.help(instead)
    }
}

/// Something that the recommendation does not allow.
pub(super) fn illegal(span: Span, what: impl Into<String>) -> Diagnostic {
    Diagnostic::new(DiagnosticCode::ImportIllegal, span, what).label("not legal in SCXML")
}

/// Something that is left out without harm.
pub(super) fn ignored(span: Span, what: impl Into<String>) -> Diagnostic {
    Diagnostic::new(DiagnosticCode::ImportIgnored, span, what).label("left out")
}

/// Something that is too large.
pub(super) fn too_large(span: Span, what: impl Into<String>) -> Diagnostic {
    Diagnostic::new(DiagnosticCode::ImportLimit, span, what).label("too large")
}
