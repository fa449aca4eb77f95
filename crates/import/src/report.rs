//! Owns how problems of imported files are begun: one function per code.

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::Diagnostic;
use statewright_author::span::Span;

/// The text is not in its own format (SW0801).
pub(crate) fn syntax(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(DiagnosticCode::ImportSyntax, span, message)
}

/// There is no counterpart (SW0802).
pub(crate) fn refused(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(DiagnosticCode::ImportRefused, span, message)
}

/// The format itself does not allow it (SW0803).
pub(crate) fn illegal(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(DiagnosticCode::ImportIllegal, span, message)
}

/// Too large (SW0804).
pub(crate) fn limit(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(DiagnosticCode::ImportLimit, span, message)
}

/// Left out (SW0805).
pub(crate) fn ignored(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(DiagnosticCode::ImportIgnored, span, message)
}

/// A text as messages show it: not too long, nothing hidden.
pub(crate) fn shown(text: &str) -> String {
    const LONGEST: usize = 40;
    let visible = |c: char| {
        if statewright_author::names::is_hidden(c) {
            '\u{fffd}'
        } else {
            c
        }
    };
    let mut out: String = text.chars().take(LONGEST).map(visible).collect();
    if text.chars().nth(LONGEST).is_some() {
        out.push('…');
    }
    out
}
