//! Places as the protocol has them: lines and characters of the encoding that was agreed on.

use std::ops::Range;

use lsp_types::{Position, PositionEncodingKind, Range as LspRange};

/// What a character of a place counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// Bytes.
    Utf8,
    /// Units of UTF-16, which every client knows.
    Utf16,
}

impl Encoding {
    /// Its name in the protocol.
    pub(super) fn name(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
        }
    }

    fn units(self, text: &str) -> usize {
        match self {
            Self::Utf8 => text.len(),
            Self::Utf16 => text.chars().map(char::len_utf16).sum(),
        }
    }
}

/// Where the lines of a text begin. A line ends with `\n`, `\r\n` or `\r`.
#[derive(Clone, Debug)]
pub(super) struct Lines {
    starts: Vec<usize>,
    /// Then all encodings count alike, also in a line that is very long.
    is_ascii: bool,
}

impl Lines {
    pub(super) fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let ends = bytes.iter().enumerate().filter(|&(at, &byte)| {
            byte == b'\n' || (byte == b'\r' && bytes.get(at + 1) != Some(&b'\n'))
        });
        Self {
            starts: std::iter::once(0)
                .chain(ends.map(|(at, _)| at + 1))
                .collect(),
            is_ascii: text.is_ascii(),
        }
    }

    /// The byte of a place. What lies behind a line is its end, what lies behind the text its end.
    pub(super) fn byte(&self, text: &str, place: Position, encoding: Encoding) -> usize {
        let line = place.line as usize;
        let Some(&start) = self.starts.get(line) else {
            return text.len();
        };
        let end = self.starts.get(line + 1).copied().unwrap_or(text.len());
        let line = text[start..end].trim_end_matches(['\n', '\r']);
        let wanted = place.character as usize;
        let mut units = 0;
        for (at, character) in line.char_indices() {
            if units >= wanted {
                return start + at;
            }
            units += match encoding {
                Encoding::Utf8 => character.len_utf8(),
                Encoding::Utf16 => character.len_utf16(),
            };
        }
        start + line.len()
    }

    pub(super) fn bytes(&self, text: &str, range: LspRange, encoding: Encoding) -> Range<usize> {
        let start = self.byte(text, range.start, encoding);
        start..self.byte(text, range.end, encoding).max(start)
    }

    /// The place of a byte.
    pub(super) fn place(&self, text: &str, byte: usize, encoding: Encoding) -> Position {
        let byte = text.floor_char_boundary(byte.min(text.len()));
        let line = self.starts.partition_point(|&start| start <= byte) - 1;
        let before = &text[self.starts[line]..byte];
        let units = match self.is_ascii {
            true => before.len(),
            false => encoding.units(before),
        };
        Position::new(narrow(line), narrow(units))
    }

    pub(super) fn range(&self, text: &str, range: Range<usize>, encoding: Encoding) -> LspRange {
        LspRange::new(
            self.place(text, range.start, encoding),
            self.place(text, range.end, encoding),
        )
    }
}

/// The reader takes no text that is longer than this can count.
fn narrow(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_bytes_go_both_ways_in_each_encoding() {
        let text = "aé\u{1F600}b\r\n\rc\n";
        let lines = Lines::new(text);
        for encoding in [Encoding::Utf8, Encoding::Utf16] {
            for (byte, _) in text
                .char_indices()
                .filter(|(_, c)| !matches!(c, '\n' | '\r'))
            {
                let place = lines.place(text, byte, encoding);
                assert_eq!(lines.byte(text, place, encoding), byte, "{place:?}");
            }
        }
        let b = text.find('b').unwrap();
        assert_eq!(lines.place(text, b, Encoding::Utf16), Position::new(0, 4));
        assert_eq!(lines.place(text, b, Encoding::Utf8), Position::new(0, 7));
        assert_eq!(
            lines.place(text, text.find('c').unwrap(), Encoding::Utf16),
            Position::new(2, 0)
        );
    }

    #[test]
    fn what_lies_outside_is_the_nearest_end() {
        let lines = Lines::new("ab\ncd");
        let byte =
            |line, character| lines.byte("ab\ncd", Position::new(line, character), Encoding::Utf16);
        assert_eq!((byte(0, 9), byte(7, 0), byte(1, 1)), (2, 5, 4));
        assert_eq!(
            Lines::new("").place("", 5, Encoding::Utf8),
            Position::new(0, 0)
        );
    }
}
