//! What Mermaid and PlantUML have in common: boxes with ids, arrows with labels, and what they mean
//! as a machine.
//!
//! The two readers go through the lines of their files and tell a [`Diagram`] what they find;
//! `lower` makes the graph of it. `label` reads `event [guard] / action`, `lines` the lines that
//! both formats write alike.

mod behavior;
mod label;
mod lines;
mod lower;

use std::collections::HashMap;

use statewright_author::diagnostic::Diagnostics;
use statewright_author::span::{Name, Span, Spanned};

use crate::limits::MAX_DEPTH;
use crate::report::{illegal, limit, shown, syntax};

pub(crate) use lines::{Arrow, Dialect, colon};
pub(crate) use lower::lower;

/// What a box is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BoxKind {
    State,
    Choice,
    History { deep: bool },
    Final,
}

/// Where a line stands: in which box, and in which of its regions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Scope {
    pub(crate) owner: Option<usize>,
    pub(crate) region: usize,
}

/// A box.
#[derive(Debug)]
pub(crate) struct DiagramBox {
    pub(crate) id: Name,
    pub(crate) label: Option<Name>,
    pub(crate) scope: Scope,
    pub(crate) depth: usize,
    pub(crate) kind: BoxKind,
    /// It was declared, not only mentioned.
    pub(crate) declared: bool,
    /// What stands in it, line by line.
    pub(crate) lines: Vec<Name>,
}

/// One end of an arrow.
#[derive(Clone, Copy, Debug)]
pub(crate) enum End {
    /// `[*]`.
    Star(Span),
    /// A box.
    Node(usize, Span),
    /// What was active in a box, or in the one around the line.
    Past {
        owner: Option<usize>,
        deep: bool,
        span: Span,
    },
}

/// An arrow.
#[derive(Debug)]
pub(crate) struct Edge {
    pub(crate) from: End,
    pub(crate) to: End,
    pub(crate) label: Option<Name>,
    pub(crate) scope: Scope,
    pub(crate) span: Span,
}

/// A whole diagram.
#[derive(Default)]
pub(crate) struct Diagram {
    pub(crate) name: Option<Name>,
    pub(crate) nodes: Vec<DiagramBox>,
    pub(crate) edges: Vec<Edge>,
    ids: HashMap<String, usize>,
    /// Boxes that are open, with the span of their bracket and the region that is current.
    open: Vec<(Option<usize>, Span, usize)>,
    region: usize,
    /// Boxes were nested too deeply: what lies deeper is lost, so there is no machine.
    pub(crate) too_deep: bool,
    /// Regions of each box so far; the diagram itself is `None`.
    regions: HashMap<Option<usize>, usize>,
}

impl Diagram {
    /// Where the next line stands.
    pub(crate) fn scope(&self) -> Scope {
        Scope {
            owner: self.open.last().and_then(|open| open.0),
            region: self.region,
        }
    }

    /// The box of an id, made here if it is new. One that was only mentioned moves inward to where
    /// it is mentioned again.
    pub(crate) fn mention(&mut self, id: &Name) -> usize {
        let scope = self.scope();
        let Some(&at) = self.ids.get(&id.value) else {
            return self.add(id, scope);
        };
        if !self.nodes[at].declared
            && scope.owner != Some(at)
            && self.is_within(scope.owner, self.nodes[at].scope.owner)
        {
            self.put(at, scope);
        }
        at
    }

    /// The box of an id, declared here.
    pub(crate) fn declare(&mut self, id: &Name) -> usize {
        let scope = self.scope();
        let at = match self.ids.get(&id.value) {
            Some(&at) => at,
            None => self.add(id, scope),
        };
        if !self.nodes[at].declared
            && scope.owner != Some(at)
            && !self.is_within(scope.owner, Some(at))
        {
            self.put(at, scope);
        }
        if !self.nodes[at].declared {
            self.nodes[at].declared = true;
            self.nodes[at].id.span = id.span;
        }
        at
    }

    fn add(&mut self, id: &Name, scope: Scope) -> usize {
        let at = self.nodes.len();
        let depth = scope.owner.map_or(1, |owner| self.nodes[owner].depth + 1);
        let (label, kind, lines) = (None, BoxKind::State, Vec::new());
        self.nodes.push(DiagramBox {
            id: id.clone(),
            label,
            scope,
            depth,
            kind,
            declared: false,
            lines,
        });
        self.ids.insert(id.value.clone(), at);
        at
    }

    /// Only boxes without anything inside are moved, so no depth but theirs changes.
    fn put(&mut self, at: usize, scope: Scope) {
        self.nodes[at].depth = scope.owner.map_or(1, |owner| self.nodes[owner].depth + 1);
        self.nodes[at].scope = scope;
    }

    /// Whether one box is another, or lies in it; everything lies in the diagram.
    fn is_within(&self, inner: Option<usize>, outer: Option<usize>) -> bool {
        let mut at = inner;
        loop {
            if at == outer {
                return true;
            }
            match at {
                Some(node) => at = self.nodes[node].scope.owner,
                None => return false,
            }
        }
    }

    /// Opens a box.
    pub(crate) fn begin(&mut self, at: usize, span: Span, out: &mut Diagnostics) {
        if self.nodes[at].depth >= MAX_DEPTH || self.open.len() >= MAX_DEPTH {
            if !std::mem::replace(&mut self.too_deep, true) {
                out.push(
                    limit(
                        span,
                        format!("states are nested more than {MAX_DEPTH} deep"),
                    )
                    .label("too deep"),
                );
            }
            let around = self.scope().owner;
            self.open.push((around, span, self.region));
            return;
        }
        if self.is_within(self.scope().owner, Some(at)) {
            let message = format!(
                "`{}` would lie inside itself",
                shown(&self.nodes[at].id.value)
            );
            out.push(illegal(span, message).label("opened again"));
        }
        if self.nodes[at].kind != BoxKind::State {
            out.push(illegal(span, "nothing can stand inside of this").label("opened here"));
            self.nodes[at].kind = BoxKind::State;
        }
        self.open.push((Some(at), span, self.region));
        let first = self.regions.get(&Some(at)).map_or(0, |last| last + 1);
        self.enter(first);
    }

    /// Closes a box.
    pub(crate) fn end(&mut self, span: Span, out: &mut Diagnostics) {
        match self.open.pop() {
            Some((_, _, region)) => self.region = region,
            None => out.push(syntax(span, "`}` closes nothing here").label("one too many")),
        }
    }

    /// Begins the next region of the box.
    pub(crate) fn separate(&mut self) {
        self.enter(self.region + 1);
    }

    fn enter(&mut self, region: usize) {
        self.region = region;
        self.regions.insert(self.scope().owner, region);
    }

    /// Everything must be closed at the end of the file.
    pub(crate) fn finish(&mut self, end: usize, out: &mut Diagnostics) {
        for (_, span, _) in std::mem::take(&mut self.open).into_iter().take(MAX_DEPTH) {
            let problem = syntax(span, "`{` is never closed").label("opened here");
            out.push(
                problem
                    .related(Span::bytes(end..end), "the file ends here")
                    .help("add `}`"),
            );
        }
    }
}

/// A part of a line as text with its span.
pub(crate) fn part(line: &Name, range: std::ops::Range<usize>) -> Name {
    let raw = &line.value[range.clone()];
    let start = range.start + (raw.len() - raw.trim_start().len());
    let text = raw.trim();
    let from = line.span.start as usize + start;
    Spanned::new(text.to_owned(), Span::bytes(from..from + text.len()))
}

/// The lines of a text with their spans, without space around them.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = Name> + '_ {
    let mut at = 0;
    text.split_inclusive('\n').map(move |raw| {
        let line = Spanned::new(raw.to_owned(), Span::bytes(at..at + raw.len()));
        at += raw.len();
        part(&line, 0..raw.len())
    })
}
