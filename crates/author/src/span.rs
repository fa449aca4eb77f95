//! Where something was written: a byte range of a machine file, or a step of a Rust builder.
//!
//! A [`Span`] is two numbers, so that every name and number of a graph can carry one. What the
//! numbers mean is kept once, in the [`Source`] that belongs to the graph. A [`Spanned`] is a value
//! that was written as such, with its span; a [`Name`] is a spanned text. Objects of a file (a
//! state, a transition) have a field `span` instead.
//!
//! A machine may be made of several files (parts, LANG-5). Their texts lie one behind the other in
//! one range of numbers, a part once per use, so that a span also says which use it belongs to:
//!
//! ```text
//!   0            812 813         1290 1291        1768
//!   | soldier      | | parts/fight  | | parts/fight  |
//!                    used by `fight`   used by `brawl`
//! ```

use std::ops::{Deref, Range};
use std::sync::Arc;

/// Where something stands in a [`Source`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// First byte, or the index of a builder step.
    pub start: u32,
    /// One past the last byte, or [`Span::STEP`].
    pub end: u32,
}

impl Span {
    /// Marks a span as a builder step instead of a byte range.
    pub const STEP: u32 = u32::MAX;

    /// A byte range of the file. Files are at most [`crate::limits::MAX_TEXT_BYTES`] long, so it
    /// fits.
    pub fn bytes(range: Range<usize>) -> Self {
        let clamp = |n: usize| u32::try_from(n).unwrap_or(Self::STEP - 1);
        Self {
            start: clamp(range.start),
            end: clamp(range.end),
        }
    }

    /// A step of a builder, by its number in the steps of a [`Source::Builder`].
    pub fn step(index: u32) -> Self {
        Self {
            start: index,
            end: Self::STEP,
        }
    }

    /// The same so many bytes further on; a builder step stays what it is.
    #[must_use]
    pub fn moved_by(self, bytes: u32) -> Self {
        if self.is_step() {
            return self;
        }
        Self {
            start: self.start.saturating_add(bytes),
            end: self.end.saturating_add(bytes),
        }
    }

    /// One byte more on both sides: the quotes around a text.
    pub(crate) fn with_quotes(self) -> Self {
        Self {
            start: self.start.saturating_sub(1),
            end: self.end.saturating_add(1),
        }
    }

    /// Whether this is a builder step.
    pub fn is_step(self) -> bool {
        self.end == Self::STEP
    }

    /// The last bytes of a longer text, such as the last part of a path; the whole one if it only
    /// has quotes around them. `None` for a builder step and if there are not so many.
    pub fn last_bytes(self, bytes: usize) -> Option<Self> {
        let whole = self.end.saturating_sub(self.start) as usize;
        if self.is_step() || bytes > whole {
            return None;
        }
        let has_only_quotes = bytes + 2 == whole;
        Some(Self {
            start: if has_only_quotes {
                self.start
            } else {
                self.end - bytes as u32
            },
            end: self.end,
        })
    }

    /// The part `range` of the text that this span covers; a builder step stays what it is.
    pub fn within(self, range: Range<usize>) -> Self {
        if self.is_step() {
            return self;
        }
        let at = |n: usize| {
            self.start
                .saturating_add(u32::try_from(n).unwrap_or(u32::MAX))
                .min(self.end)
        };
        Self {
            start: at(range.start),
            end: at(range.end),
        }
    }
}

/// A value together with where it was written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spanned<T> {
    /// What was written.
    pub value: T,
    /// Where.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// Joins a value and its span.
    pub fn new(value: T, span: Span) -> Self {
        Self { value, span }
    }
}

impl<T> Deref for Spanned<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.value
    }
}

/// A name and where it stands.
pub type Name = Spanned<String>;

/// The text of a part in one of its uses (LANG-5).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartText {
    /// The name shown in messages.
    pub name: String,
    /// The whole text.
    pub text: Arc<str>,
    /// The number of its first byte in spans.
    pub start: u32,
    /// Where the part is used: in the file itself, or in a part before this one.
    pub used_at: Span,
}

impl PartText {
    fn end(&self) -> u32 {
        self.start + self.text.len() as u32
    }
}

/// One text of a [`Source`], as spans see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceText<'a> {
    /// The name shown in messages.
    pub name: &'a str,
    /// The whole text.
    pub text: &'a str,
    /// The number of its first byte in spans.
    pub start: u32,
}

/// Most bytes of all texts of a machine together: spans are 32 bits wide.
const MAX_SOURCE_BYTES: u32 = 1 << 30;

/// What the spans of a graph refer to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A machine file.
    File {
        /// The name shown in messages, as the user gave it.
        name: String,
        /// The whole text.
        text: String,
        /// The uses of parts, in the order of their spans.
        parts: Vec<PartText>,
    },
    /// A machine built in Rust: one readable path per step, such as `state combat > transition 2`.
    Builder {
        /// The machine's name.
        machine: String,
        /// The paths, indexed by [`Span::start`].
        steps: Vec<String>,
        /// The uses of parts, in the order of their spans.
        parts: Vec<PartText>,
    },
}

impl Default for Source {
    fn default() -> Self {
        Self::Builder {
            machine: String::new(),
            steps: Vec::new(),
            parts: Vec::new(),
        }
    }
}

impl Source {
    /// A file's text under the name shown in messages.
    pub fn file(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self::File {
            name: name.into(),
            text: text.into(),
            parts: Vec::new(),
        }
    }

    /// The name shown in messages.
    pub fn name(&self) -> &str {
        match self {
            Self::File { name, .. } => name,
            Self::Builder { machine, .. } => machine,
        }
    }

    /// The path of a builder step.
    pub fn step(&self, span: Span) -> Option<&str> {
        match self {
            Self::Builder { steps, .. } if span.is_step() => {
                steps.get(span.start as usize).map(String::as_str)
            }
            _ => None,
        }
    }

    /// The uses of parts.
    pub fn parts(&self) -> &[PartText] {
        match self {
            Self::File { parts, .. } | Self::Builder { parts, .. } => parts,
        }
    }

    fn parts_mut(&mut self) -> &mut Vec<PartText> {
        match self {
            Self::File { parts, .. } | Self::Builder { parts, .. } => parts,
        }
    }

    /// Takes in one more use of a part and gives its place in [`Self::parts`]; `None` if all texts
    /// together are too long.
    pub fn add_part(&mut self, name: &str, text: Arc<str>, used_at: Span) -> Option<usize> {
        let before = match self {
            Self::File { text, .. } => text.len() as u32,
            Self::Builder { .. } => 0,
        };
        // One number between two texts: the end of one is not the start of the next.
        let start = self.parts().last().map_or(before, PartText::end) + 1;
        let length = u32::try_from(text.len()).ok()?;
        start
            .checked_add(length)
            .filter(|&end| end < MAX_SOURCE_BYTES)?;
        let part = PartText {
            name: name.to_owned(),
            text,
            start,
            used_at,
        };
        self.parts_mut().push(part);
        Some(self.parts().len() - 1)
    }

    /// The use of a part that a span lies in.
    pub fn part_at(&self, span: Span) -> Option<usize> {
        if span.is_step() {
            return None;
        }
        let parts = self.parts();
        parts
            .partition_point(|part| part.start <= span.start)
            .checked_sub(1)
    }

    /// The text that a span lies in; `None` for a step of a builder.
    pub fn text_at(&self, span: Span) -> Option<SourceText<'_>> {
        if let Some(part) = self.part_at(span) {
            let PartText {
                name, text, start, ..
            } = &self.parts()[part];
            return Some(SourceText {
                name,
                text,
                start: *start,
            });
        }
        match self {
            Self::File { name, text, .. } => Some(SourceText {
                name,
                text,
                start: 0,
            }),
            Self::Builder { .. } => None,
        }
    }

    /// Where the part is used that a span lies in.
    pub fn used_at(&self, span: Span) -> Option<Span> {
        Some(self.parts()[self.part_at(span)?].used_at)
    }

    /// Whether two spans show the same text: a part that is used twice is two texts of one file.
    pub fn show_the_same(&self, one: Span, other: Span) -> bool {
        let place = self.place_in_part(one);
        one == other || place.is_some() && place == self.place_in_part(other)
    }

    /// Of two spans that show the same text: where the part of the first is used, as far out as it
    /// takes to show something else. `None` if both are one, or a step of a builder says `use`.
    pub fn use_apart(&self, mut one: Span, mut other: Span) -> Option<Span> {
        // Bound: parts use others that were read before them.
        while one != other && self.show_the_same(one, other) {
            (one, other) = (self.used_at(one)?, self.used_at(other)?);
        }
        Some(one).filter(|use_of_one| *use_of_one != other && !use_of_one.is_step())
    }

    /// The file of the part that a span lies in, and its bytes there, whoever uses the part.
    pub(crate) fn place_in_part(&self, span: Span) -> Option<(&str, u32, u32)> {
        let part = &self.parts()[self.part_at(span)?];
        let local = |byte: u32| byte.saturating_sub(part.start);
        Some((&part.name, local(span.start), local(span.end)))
    }

    /// One-based line and column (in characters) of a byte offset, in the text that it lies in.
    pub fn line_column(&self, offset: u32) -> Option<(u32, u32)> {
        let SourceText { text, start, .. } = self.text_at(Span {
            start: offset,
            end: offset,
        })?;
        let mut end = ((offset - start) as usize).min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let before = &text[..end];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.bytes().filter(|&b| b == b'\n').count() + 1;
        let column = before[line_start..].chars().count() + 1;
        Some((line as u32, column as u32))
    }
}
