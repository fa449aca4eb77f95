//! Problems of a document, each with its element, its reason and a way out.

use statewright_author::codes::Code;
use statewright_author::diagnostic::Diagnostic;
use statewright_author::place::Place;

/// Something that this engine has no counterpart for, named in a few words.
pub(super) fn refused(
    place: Place,
    what: impl Into<String>,
    why: &str,
    instead: &str,
) -> Diagnostic {
    unlike(
        place,
        format!("{} cannot be imported", what.into()),
        why,
        instead,
    )
}

/// The same in a sentence of its own.
pub(super) fn unlike(
    place: Place,
    message: impl Into<String>,
    why: &str,
    instead: &str,
) -> Diagnostic {
    let problem = Diagnostic::new(Code::ImportRefused, place, message)
        .label("not imported")
        .note(why);
    if instead.is_empty() {
        problem
    } else {
        problem.help(instead)
    }
}

/// Something that the recommendation does not allow.
pub(super) fn illegal(place: Place, what: impl Into<String>) -> Diagnostic {
    Diagnostic::new(Code::ImportIllegal, place, what).label("not legal in SCXML")
}

/// Something that is left out without harm.
pub(super) fn ignored(place: Place, what: impl Into<String>) -> Diagnostic {
    Diagnostic::new(Code::ImportIgnored, place, what).label("left out")
}

/// Something that is too large.
pub(super) fn too_large(place: Place, what: impl Into<String>) -> Diagnostic {
    Diagnostic::new(Code::ImportLimit, place, what).label("too large")
}
