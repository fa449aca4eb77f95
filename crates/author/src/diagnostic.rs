//! Problems found in a machine: what, where, why, and what to write instead.
//!
//! A [`Diagnostic`] is plain data; [`render`](crate::render) turns it into text like rustc's or
//! into JSON.

use crate::codes::DiagnosticCode;
use crate::limits::MAX_DIAGNOSTICS;
use crate::span::Span;

pub use crate::similar::{closest, is_slip};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Shown in strict mode only, as a warning.
    Hint,
    /// The machine compiles; an error in strict mode.
    Warning,
    /// The machine does not compile.
    Error,
}

impl Severity {
    /// The word shown.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Hint => "hint",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A further span that belongs to a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is there.
    pub text: String,
}

/// A change of the file that would mend a problem, as data: editors offer it by its title.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What it does, in a few words.
    pub title: String,
    /// What it changes.
    pub change: Change,
}

/// What a [`Fix`] changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Another name or word where one stands. Quotes around it stay.
    Name(Span, String),
    /// Other text where something stands, as the file has it; an empty span is a place between two
    /// bytes.
    Replace(Span, String),
    /// A declaration at the top of the machine, in the field of this name. The entry is `"name"` or
    /// `"name": value`, as the file would have it.
    Declare {
        /// The field.
        field: &'static str,
        /// The entry.
        entry: String,
    },
    /// A field that an object lacks; the span is its opening bracket.
    AddField {
        /// The object.
        object: Span,
        /// The field.
        key: &'static str,
    },
}

impl Fix {
    /// Another name or word where one stands.
    pub fn name(span: Span, name: impl Into<String>) -> Self {
        let name = name.into();
        Self {
            title: format!("Write `{name}`"),
            change: Change::Name(span, name),
        }
    }

    /// Other text where something stands.
    pub fn replace(title: impl Into<String>, span: Span, text: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            change: Change::Replace(span, text.into()),
        }
    }
}

/// One problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Its code.
    pub code: DiagnosticCode,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, in one sentence.
    pub message: String,
    /// Where.
    pub span: Span,
    /// What stands there, in a few words; empty for nothing.
    pub label: String,
    /// Further spans.
    pub related: Vec<Label>,
    /// Why, or more facts.
    pub notes: Vec<String>,
    /// What to write instead.
    pub help: Option<String>,
    /// The same as changes that a program can make, the likeliest first.
    pub fixes: Vec<Fix>,
}

impl Diagnostic {
    /// A problem with the severity of its code.
    pub fn new(code: DiagnosticCode, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.info().severity,
            message: message.into(),
            span,
            label: String::new(),
            related: Vec::new(),
            notes: Vec::new(),
            help: None,
            fixes: Vec::new(),
        }
    }

    /// Says what the span shows.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.label = text.into();
        self
    }

    /// Adds a further span.
    #[must_use]
    pub fn related(mut self, span: Span, text: impl Into<String>) -> Self {
        self.related.push(Label {
            span,
            text: text.into(),
        });
        self
    }

    /// Adds a fact.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Says what to write instead.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Offers a change that would mend it.
    #[must_use]
    pub fn fix(mut self, fix: Fix) -> Self {
        self.fixes.push(fix);
        self
    }

    /// Whether both say the same about the same places; what they advise may differ, as names that are
    /// looked up from different states do.
    fn says_the_same(&self, other: &Self) -> bool {
        let Self {
            code,
            severity,
            message,
            span,
            label,
            related,
            notes: _,
            help: _,
            fixes: _,
        } = self;
        let other_says = (other.span, other.code, other.severity);
        (*span, *code, *severity) == other_says
            && (message, label) == (&other.message, &other.label)
            && *related == other.related
    }

    /// Adds "did you mean" if a name is close to one that exists. The name stands at the end of the
    /// problem's span: it may be the last part of a path.
    #[must_use]
    pub fn suggest<'a>(self, wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        match closest(wrong, known) {
            Some(name) => {
                let fix = self.span.last_bytes(wrong.len());
                let mut problem = self.help(format!("did you mean `{name}`?"));
                problem.fixes.extend(fix.map(|span| Fix::name(span, name)));
                problem
            }
            None => self,
        }
    }
}

/// All problems of one machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    errors: usize,
    warnings: usize,
    omitted: usize,
}

impl Diagnostics {
    /// Takes one; past the limit they are only counted, and errors push out warnings. What was said
    /// already is not said again: code that several states share has its mistakes once.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if self
            .list
            .iter()
            .any(|known| known.says_the_same(&diagnostic))
        {
            return;
        }
        match diagnostic.severity {
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
            Severity::Hint => {}
        }
        if self.list.len() < MAX_DIAGNOSTICS {
            self.list.push(diagnostic);
            return;
        }
        self.omitted += 1;
        if diagnostic.severity == Severity::Error
            && let Some(weak) = self
                .list
                .iter()
                .rposition(|d| d.severity != Severity::Error)
        {
            self.list[weak] = diagnostic;
        }
    }

    /// Whether one more is shown; if not, it needs no help that takes long to find.
    pub fn has_room(&self) -> bool {
        self.list.len() < MAX_DIAGNOSTICS
    }

    /// Takes all of another list.
    pub fn append(&mut self, other: Self) {
        for diagnostic in other.list {
            self.push(diagnostic);
        }
        self.omitted += other.omitted;
    }

    /// In strict mode warnings are errors and hints are warnings.
    pub fn make_strict(&mut self) {
        for diagnostic in &mut self.list {
            diagnostic.severity = match diagnostic.severity {
                Severity::Hint => Severity::Warning,
                _ => Severity::Error,
            };
        }
        self.errors += self.warnings;
        self.warnings = self
            .list
            .iter()
            .filter(|d| d.severity == Severity::Warning)
            .count();
    }

    /// Drops hints, which only strict mode shows.
    pub fn drop_hints(&mut self) {
        self.list.retain(|d| d.severity != Severity::Hint);
    }

    /// Whether the machine must not be used.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// How many errors, shown or not.
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// How many warnings, shown or not.
    pub fn warnings(&self) -> usize {
        self.warnings
    }

    /// How many are not in the list.
    pub fn omitted(&self) -> usize {
        self.omitted
    }

    /// Sorts by span, then code.
    pub fn sort(&mut self) {
        self.list
            .sort_by_key(|problem| (problem.span, problem.code));
    }

    /// Keeps those that it says; the others are not counted either.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&Diagnostic) -> bool) {
        let Self {
            list,
            errors,
            warnings,
            ..
        } = self;
        list.retain(|problem| {
            let kept = keep(problem);
            match problem.severity {
                Severity::Error if !kept => *errors -= 1,
                Severity::Warning if !kept => *warnings -= 1,
                _ => {}
            }
            kept
        });
    }

    /// The problems to change; how bad each is stays as it is.
    pub(crate) fn iter_mut(&mut self) -> std::slice::IterMut<'_, Diagnostic> {
        self.list.iter_mut()
    }

    /// The problems.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }

    /// How many are in the list.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_said_is_not_said_again() {
        let mut all = Diagnostics::default();
        let problem = |text: &str| {
            let code = DiagnosticCode::UnknownState;
            Diagnostic::new(code, Span::default(), text.to_owned())
        };
        all.push(problem("no state named `a`").help("did you mean `b`?"));
        all.push(problem("no state named `a`").help("did you mean `c`?"));
        assert_eq!((all.len(), all.errors()), (1, 1));
        all.push(problem("no state named `a`").related(Span { start: 3, end: 4 }, "used here"));
        all.push(problem("no state named `d`"));
        assert_eq!((all.len(), all.errors(), all.omitted()), (3, 3, 0));
    }

    #[test]
    fn errors_are_never_lost_to_the_limit() {
        let mut all = Diagnostics::default();
        for number in 0..MAX_DIAGNOSTICS + 10 {
            all.push(Diagnostic::new(
                DiagnosticCode::Unreachable,
                Span::default(),
                format!("w {number}"),
            ));
        }
        all.push(Diagnostic::new(
            DiagnosticCode::UnknownState,
            Span::default(),
            "e",
        ));
        assert_eq!(
            (all.len(), all.omitted(), all.errors()),
            (MAX_DIAGNOSTICS, 11, 1)
        );
        assert!(all.iter().any(|d| d.severity == Severity::Error));
    }
}
