//! Which text a span lies in, and where: a machine may be made of several files (LANG-5).

use std::cell::OnceCell;

use super::index::{LineIndex, Position};
use crate::span::{Source, SourceText, Span};

/// The texts of a source with their line indices, each made when it is first needed.
pub struct Locator<'a> {
    source: &'a Source,
    /// The file itself, then one per use of a part.
    texts: Vec<OnceCell<LineIndex<'a>>>,
}

/// A span in its text.
#[derive(Clone, Copy)]
pub struct Located<'l, 'a> {
    /// The name shown in messages.
    pub name: &'a str,
    /// The lines of the text.
    pub lines: &'l LineIndex<'a>,
    /// The span, counted from the start of the text.
    pub span: Span,
}

impl Located<'_, '_> {
    /// Line and column of its first byte.
    pub fn position(&self) -> Position {
        self.lines.position(self.span.start as usize)
    }

    /// `guard.sw.json:3:12`.
    pub fn shown(&self) -> String {
        let at = self.position();
        format!("{}:{}:{}", self.name, at.line, at.column)
    }
}

impl<'a> Locator<'a> {
    /// For the spans of a source.
    pub fn new(source: &'a Source) -> Self {
        let count = 1 + source.parts().len();
        Self {
            source,
            texts: (0..count).map(|_| OnceCell::new()).collect(),
        }
    }

    /// The text of a span; `None` for a step of a builder. A step in a file is its beginning.
    pub fn locate(&self, span: Span) -> Option<Located<'_, 'a>> {
        let is_file = matches!(self.source, Source::File { .. });
        let span = if span.is_step() && is_file {
            Span::default()
        } else {
            span
        };
        let SourceText { name, text, start } = self.source.text_at(span)?;
        let cell = &self.texts[self.source.part_at(span).map_or(0, |part| part + 1)];
        Some(Located {
            name,
            lines: cell.get_or_init(|| LineIndex::new(text)),
            span: Span {
                start: span.start - start,
                end: span.end.saturating_sub(start),
            },
        })
    }
}
