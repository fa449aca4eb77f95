//! One text of a machine file and everything that is known about it. It never changes: another text
//! is another analysis.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::OnceLock;

use jsonc_parser::ast::Value;
use statewright_author::diagnostic::{Diagnostic, Diagnostics};
use statewright_author::graph::Machine;
use statewright_author::parts::join;
use statewright_author::span::Span;
use statewright_author::text::{json, read};
use statewright_compile::{Options, Output, compile_with};

use crate::files::{Asked, Files, NoFiles};
use crate::names::Names;
use crate::parts::Parts;
use crate::repair::{Repaired, repair};
use crate::resolve::Whole;

/// The byte order mark, which the reader leaves out.
const MARK: char = '\u{feff}';

/// A text and what is known about it.
#[derive(Debug)]
pub struct Analysis {
    pub(crate) name: String,
    pub(crate) text: String,
    /// The text as JSON: the same, unless it is broken.
    pub(crate) repaired: Repaired,
    /// The machine of the repaired text, without what parts bring.
    pub(crate) machine: Machine,
    /// The machine with its parts, if it has any.
    joined: Option<Machine>,
    pub(crate) parts: Parts,
    /// Every file that was asked for because of a part.
    asked: BTreeSet<String>,
    pub(crate) names: Names,
    /// What the readers found in the text as it is, and in its parts.
    found: Diagnostics,
    is_broken: bool,
    compiled: OnceLock<Compiled>,
}

/// Where a problem lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place<'a> {
    /// The file, if it is that of a part.
    pub file: Option<&'a str>,
    /// Its text, as it was when it was read.
    pub text: &'a str,
    /// The bytes.
    pub range: Range<usize>,
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
    /// Reads a text that stands alone. Compiling waits until somebody asks for it.
    pub fn new(name: &str, text: &str) -> Self {
        Self::with(name, text, &NoFiles)
    }

    /// Reads a text and the parts that it uses (LANG-5). `name` is the path of the file: the paths of
    /// parts begin at its folder.
    pub fn with(name: &str, text: &str, files: &dyn Files) -> Self {
        let json_text = text.strip_prefix(MARK).unwrap_or(text);
        let before = text.len() - json_text.len();
        let (mut machine, mut found) = read(name, text);
        let is_broken = json::parse(json_text).is_err();
        let repaired = match is_broken {
            true => repair(json_text, before),
            false => Repaired::intact(json_text, before),
        };
        if is_broken {
            machine = read(name, &repaired.text).0;
        }
        let asked = Asked::new(files);
        let parts = Parts::new(name, &machine, &asked);
        let joined = (!parts.uses.is_empty()).then(|| {
            let mut whole = machine.clone();
            let mut all = match is_broken {
                true => Diagnostics::default(),
                false => std::mem::take(&mut found),
            };
            join(&mut whole, &asked, &mut all);
            if !is_broken {
                found = all;
            }
            whole
        });
        let whole = Whole {
            name,
            machine: joined.as_ref().unwrap_or(&machine),
            parts: &parts,
        };
        let names = Names::new(&repaired, &whole);
        Self {
            name: name.to_owned(),
            text: text.to_owned(),
            repaired,
            machine,
            joined,
            parts,
            asked: asked.names.into_inner(),
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

    /// The path of the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The files of its parts, and of theirs; also those that do not exist.
    pub fn part_files(&self) -> impl Iterator<Item = &str> {
        self.asked.iter().map(String::as_str)
    }

    /// The machine, parts joined in.
    pub(crate) fn whole(&self) -> &Machine {
        self.joined.as_ref().unwrap_or(&self.machine)
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
            let (output, diagnostics) = compile_with(self.whole(), found, &Options::default());
            Compiled {
                diagnostics,
                output,
            }
        })
    }

    /// The problems of the text itself, and where each stands.
    pub fn problems(&self) -> impl Iterator<Item = (Range<usize>, &Diagnostic)> {
        self.all_problems()
            .filter(|(place, _)| place.file.is_none())
            .map(|(place, problem)| (place.range, problem))
    }

    /// All problems, those that lie in parts as well.
    pub fn all_problems(&self) -> impl Iterator<Item = (Place<'_>, &Diagnostic)> {
        let list = self.compiled().diagnostics.iter();
        list.map(|problem| (self.place(problem.span), problem))
    }

    /// Where a span of a problem lies: in the text, or in that of a part.
    pub fn place(&self, span: Span) -> Place<'_> {
        let source = &self.whole().source;
        let Some(part) = source.part_at(span).map(|at| &source.parts()[at]) else {
            return Place {
                file: None,
                text: &self.text,
                range: self.range(span),
            };
        };
        let byte = |at: u32| {
            let at = (at.saturating_sub(part.start) as usize).min(part.text.len());
            part.text.floor_char_boundary(at)
        };
        let start = byte(span.start);
        Place {
            file: Some(&part.name),
            text: &part.text,
            range: start..byte(span.end).max(start),
        }
    }

    /// The bytes of the text that a span covers that lies in it.
    pub(crate) fn range(&self, span: Span) -> Range<usize> {
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
