//! Owns how problems of imported files are begun: one function per code.

use statewright_author::codes::Code;
use statewright_author::diagnostic::Diagnostic;
use statewright_author::place::Place;

/// The text is not in its own format (SW0801).
pub(crate) fn syntax(place: Place, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(Code::ImportSyntax, place, message)
}

/// There is no counterpart (SW0802).
pub(crate) fn refused(place: Place, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(Code::ImportRefused, place, message)
}

/// The format itself does not allow it (SW0803).
pub(crate) fn illegal(place: Place, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(Code::ImportIllegal, place, message)
}

/// Too large (SW0804).
pub(crate) fn limit(place: Place, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(Code::ImportLimit, place, message)
}

/// Left out (SW0805).
pub(crate) fn ignored(place: Place, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(Code::ImportIgnored, place, message)
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
