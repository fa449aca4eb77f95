//! What came of many files: counts, the line that ends a command, and the JSON of each file.

use serde_json::{Map, Value, json};
use statewright_author::diagnostic::Diagnostics;
use statewright_author::render::render_json;
use statewright_author::span::Source;

use crate::args::MessageFormat;
use crate::console::Console;
use crate::error::{CliError, Outcome};

/// Collects what came of each file.
pub(crate) struct Summary<'c> {
    console: &'c Console,
    format: MessageFormat,
    files: Vec<Value>,
    fine: usize,
    with_problems: usize,
    unreadable: usize,
    errors: usize,
    warnings: usize,
    omitted: usize,
}

impl<'c> Summary<'c> {
    pub(crate) fn new(console: &'c Console, format: MessageFormat) -> Self {
        let (fine, with_problems, unreadable, errors, warnings, omitted) = (0, 0, 0, 0, 0, 0);
        Self {
            console,
            format,
            files: Vec::new(),
            fine,
            with_problems,
            unreadable,
            errors,
            warnings,
            omitted,
        }
    }

    pub(crate) fn is_json(&self) -> bool {
        self.format == MessageFormat::Json
    }

    /// A file that could not be read or written.
    pub(crate) fn unreadable(&mut self, name: Option<&str>, error: &CliError) {
        self.console.error(error);
        self.unreadable += 1;
        self.files.push(json!({ "file": name, "ok": false, "error": error.message(), "help": error.help_text() }));
    }

    /// A file that is no machine at all, or a ROM that was refused.
    pub(crate) fn refused(&mut self, name: &str, error: &CliError, facts: Value) {
        if !self.is_json() {
            self.console.error(error);
        }
        self.with_problems += 1;
        self.errors += 1;
        let said = [
            ("error", error.message().into()),
            ("help", error.help_text().into()),
        ];
        self.push(name, false, said, facts);
    }

    /// A machine with what the compiler found.
    pub(crate) fn machine(
        &mut self,
        diagnostics: &Diagnostics,
        source: &Source,
        is_fine: bool,
        facts: Value,
    ) {
        if !self.is_json() {
            self.console.problems(diagnostics, source);
        }
        self.errors += diagnostics.errors();
        self.warnings += diagnostics.warnings();
        self.omitted += diagnostics.omitted();
        self.count(is_fine);
        let list = self
            .is_json()
            .then(|| ("diagnostics", render_json(diagnostics, source)));
        self.push(source.name(), is_fine, list, facts);
    }

    /// A file without anything to say about it.
    pub(crate) fn fine(&mut self, name: &str, facts: Value) {
        self.count(true);
        self.push(name, true, None, facts);
    }

    fn count(&mut self, is_fine: bool) {
        if is_fine {
            self.fine += 1;
        } else {
            self.with_problems += 1;
        }
    }

    fn push<'k>(
        &mut self,
        name: &str,
        ok: bool,
        more: impl IntoIterator<Item = (&'k str, Value)>,
        facts: Value,
    ) {
        if !self.is_json() {
            return;
        }
        let mut file = Map::new();
        file.insert("file".to_owned(), name.into());
        file.insert("ok".to_owned(), ok.into());
        file.extend(more.into_iter().map(|(key, value)| (key.to_owned(), value)));
        if let Value::Object(facts) = facts {
            file.extend(facts);
        }
        self.files.push(Value::Object(file));
    }

    /// Ends the command: the line for people, or the document for tools. `verb` is `checked` or
    /// `built`.
    pub(crate) fn finish(self, verb: &str) -> Outcome {
        if self.is_json() {
            self.console.json(&json!({ "files": self.files, "summary": {
                "files": self.fine + self.with_problems + self.unreadable,
                "fine": self.fine,
                "with_problems": self.with_problems,
                "unreadable": self.unreadable,
                "errors": self.errors,
                "warnings": self.warnings,
                "not_shown": self.omitted,
            }}));
        } else {
            self.console.note(self.line(verb));
        }
        match (self.unreadable, self.with_problems) {
            (0, 0) => Outcome::Fine,
            (0, _) => Outcome::Problems,
            _ => Outcome::Failed,
        }
    }

    fn line(&self, verb: &str) -> String {
        let total = count(self.fine + self.with_problems, "file");
        let mut line = match (self.with_problems, verb) {
            (0, _) | (_, "checked") => format!("{verb} {total}"),
            _ => format!("{verb} {} of {total}", self.fine),
        };
        let mut facts = Vec::new();
        facts.extend((self.errors > 0).then(|| count(self.errors, "error")));
        facts.extend((self.warnings > 0).then(|| count(self.warnings, "warning")));
        facts.extend((self.omitted > 0).then(|| format!("{} not shown", self.omitted)));
        facts.extend((self.unreadable > 0).then(|| {
            format!(
                "{} could not be read or written",
                count(self.unreadable, "file")
            )
        }));
        line.push_str(if facts.is_empty() {
            ": no problems"
        } else {
            ": "
        });
        line + &facts.join(", ")
    }
}

/// `1 file`, `2 files`.
pub(crate) fn count(number: usize, word: &str) -> String {
    format!("{number} {word}{}", if number == 1 { "" } else { "s" })
}
