//! Cuts out the few lines of a file that a problem is about, so that drawing them costs the same in
//! any file.
//!
//! A label that lies near another one shares its excerpt. A label in a very long line gets the part
//! of the line around it. A label over several lines is cut to its first: files have whole states
//! as ranges.

use super::index::LineIndex;
use super::locate::{Located, Locator};
use crate::diagnostic::Diagnostic;

/// Longest part of a file that is shown as whole lines.
const MAX_WHOLE_BYTES: usize = 4096;
/// Farthest apart, in lines, that two labels may be to share an excerpt.
const MAX_GAP_LINES: usize = 6;
/// Most related spans shown.
pub(super) const MAX_RELATED: usize = 10;

/// A label and what it covers of the file.
pub(super) struct Mark<'a> {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) label: &'a str,
    pub(super) primary: bool,
}

/// Some lines of a file, or a part of one, and the labels in it.
pub(super) struct Excerpt<'l, 'a> {
    /// The name of the file.
    pub(super) name: &'a str,
    /// Its lines.
    pub(super) lines: &'l LineIndex<'a>,
    /// First byte of the file that is shown.
    pub(super) start: usize,
    /// What is shown.
    pub(super) text: &'a str,
    /// The labels; the first one names the excerpt's position.
    pub(super) marks: Vec<Mark<'a>>,
}

/// The excerpts of a problem, first the one with its own span.
pub(super) fn excerpts<'l, 'a>(
    diagnostic: &'a Diagnostic,
    locator: &'l Locator<'a>,
    width: usize,
) -> Vec<Excerpt<'l, 'a>> {
    let mut related: Vec<_> = diagnostic
        .related
        .iter()
        .take(MAX_RELATED)
        .filter_map(|l| Some((locator.locate(l.span)?, l)))
        .collect();
    // In the order of the files, and of each file's lines.
    related.sort_by_key(|(_, label)| label.span);
    let Some(own) = locator.locate(diagnostic.span) else {
        return Vec::new();
    };
    let primary = Mark {
        primary: true,
        ..mark(own, &diagnostic.label)
    };
    let mut groups = vec![(own, vec![primary])];
    for (located, label) in related {
        let mark = mark(located, &label.text);
        let near = |(file, group): &(Located<'_, '_>, Vec<Mark<'_>>)| {
            std::ptr::eq(file.lines, located.lines) && fits(group, &mark, file.lines)
        };
        match groups.iter().position(near) {
            Some(group) => groups[group].1.push(mark),
            None => groups.push((located, vec![mark])),
        }
    }
    groups
        .into_iter()
        .map(|(file, marks)| cut(marks, file, width))
        .collect()
}

/// A span as a range of one line, whatever it was.
fn mark<'a>(located: Located<'_, 'a>, label: &'a str) -> Mark<'a> {
    let index = located.lines;
    let text = index.text();
    let (start, end) = (located.span.start as usize, located.span.end as usize);
    let start = text.floor_char_boundary(start.min(text.len()));
    let line = index.line_range(index.line_of(start));
    let end = text
        .ceil_char_boundary(end.min(text.len()))
        .min(line.end)
        .max(start);
    Mark {
        start,
        end,
        label,
        primary: false,
    }
}

/// Whether a label is near enough to a group, and the lines are short enough, to be shown together.
fn fits(group: &[Mark<'_>], mark: &Mark<'_>, index: &LineIndex<'_>) -> bool {
    let (first, last) = line_span(group.iter().chain([mark]), index);
    last - first <= MAX_GAP_LINES && whole(first, last, index).is_some()
}

/// The first and last line of some labels.
fn line_span<'m>(
    marks: impl Iterator<Item = &'m Mark<'m>>,
    index: &LineIndex<'_>,
) -> (usize, usize) {
    let fold = |(first, last): (usize, usize), line| (first.min(line), last.max(line));
    marks
        .map(|mark| index.line_of(mark.start))
        .fold((usize::MAX, 0), fold)
}

/// The bytes of whole lines, unless they are too many.
fn whole(first: usize, last: usize, index: &LineIndex<'_>) -> Option<std::ops::Range<usize>> {
    let range = index.line_range(first).start..index.line_range(last).end;
    (range.len() <= MAX_WHOLE_BYTES).then_some(range)
}

fn cut<'l, 'a>(mut marks: Vec<Mark<'a>>, file: Located<'l, 'a>, width: usize) -> Excerpt<'l, 'a> {
    let index = file.lines;
    let (first, last) = line_span(marks.iter(), index);
    let range = whole(first, last, index).unwrap_or_else(|| window(&mut marks[0], index, width));
    Excerpt {
        name: file.name,
        lines: index,
        start: range.start,
        text: &index.text()[range],
        marks,
    }
}

/// The part of a long line around a label. Wider than what is shown, so that the cuts become
/// visible as `...`.
fn window(mark: &mut Mark<'_>, index: &LineIndex<'_>, width: usize) -> std::ops::Range<usize> {
    let text = index.text();
    let line = index.line_range(index.line_of(mark.start));
    mark.end = text.floor_char_boundary(mark.end.min(mark.start + width / 2));
    let start = text
        .floor_char_boundary(mark.start.saturating_sub(2 * width))
        .max(line.start);
    let end = text
        .ceil_char_boundary((mark.end + 2 * width).min(text.len()))
        .min(line.end);
    start..end.max(mark.end)
}
