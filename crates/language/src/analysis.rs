//! One text of a machine file and everything that is known about it. It never changes: another text
//! is another analysis.

use std::ops::Range;
use std::sync::OnceLock;

use jsonc_parser::ast::Value;
use statewright_author::diagnostic::{Diagnostic, Diagnostics};
use statewright_author::graph::Machine;
use statewright_author::span::Span;
use statewright_author::text::{json, read};
use statewright_compile::{Options, Output, compile_with};

use crate::names::Names;
use crate::repair::{Repaired, repair};

/// The byte order mark, which the reader leaves out.
const MARK: char = '\u{feff}';

/// A text and what is known about it.
#[derive(Debug)]
pub struct Analysis {
    pub(crate) name: String,
    pub(crate) text: String,
    /// The text as JSON: the same, unless it is broken.
    pub(crate) repaired: Repaired,
    /// The machine of the repaired text.
    pub(crate) machine: Machine,
    pub(crate) names: Names,
    /// What the reader found in the text as it is.
    found: Diagnostics,
    is_broken: bool,
    compiled: OnceLock<Compiled>,
}

/// What the compiler says about a text.
#[derive(Debug)]
pub struct Compiled {
    /// All problems.
    pub diagnostics: Diagnostics,
    /// The compiled machine, if there is no error.
    pub output: Option<Output>,
}

impl Analysis {
    /// Reads a text. `name` is the file's name as messages show it. Compiling waits until somebody
    /// asks for it.
    pub fn new(name: &str, text: &str) -> Self {
        let json_text = text.strip_prefix(MARK).unwrap_or(text);
        let before = text.len() - json_text.len();
        let (mut machine, found) = read(name, text);
        let is_broken = json::parse(json_text).is_err();
        let repaired = match is_broken {
            true => repair(json_text, before),
            false => Repaired::intact(json_text, before),
        };
        if is_broken {
            machine = read(name, &repaired.text).0;
        }
        let names = Names::new(&repaired, &machine);
        Self {
            name: name.to_owned(),
            text: text.to_owned(),
            repaired,
            machine,
            names,
            found,
            is_broken,
            compiled: OnceLock::new(),
        }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the text is not JSON.
    pub(crate) fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// What the compiler says; it runs once.
    pub fn compiled(&self) -> &Compiled {
        self.compiled.get_or_init(|| {
            let found = self.found.clone();
            // Of a text that is not JSON nothing more can be said than that.
            if self.is_broken {
                return Compiled {
                    diagnostics: found,
                    output: None,
                };
            }
            let (output, diagnostics) = compile_with(&self.machine, found, &Options::default());
            Compiled {
                diagnostics,
                output,
            }
        })
    }

    /// The problems of the text, and where each stands.
    pub fn problems(&self) -> impl Iterator<Item = (Range<usize>, &Diagnostic)> {
        let list = self.compiled().diagnostics.iter();
        list.map(|problem| (self.range(problem.span), problem))
    }

    /// The bytes of the text that a span of a problem covers.
    pub fn range(&self, span: Span) -> Range<usize> {
        let before = self.text.len() - self.text.strip_prefix(MARK).unwrap_or(&self.text).len();
        let place = |at: u32| {
            self.text
                .floor_char_boundary((at as usize + before).min(self.text.len()))
        };
        let start = place(span.start);
        start..place(span.end).max(start)
    }

    /// The JSON tree of the repaired text, if its brackets are not nested beyond all limits.
    pub(crate) fn tree(&self) -> Option<Value<'_>> {
        json::parse(&self.repaired.text).ok()
    }
}
