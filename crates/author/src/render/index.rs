//! Finds lines and columns of byte offsets quickly: one pass over the text, then a few hundred
//! bytes per question.

use std::ops::Range;

/// Characters are counted per block, so that a column in a very long line is found without reading
/// the line.
const BLOCK_BYTES: usize = 512;

/// A byte offset as people count it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// One-based.
    pub line: u32,
    /// One-based, in characters.
    pub column: u32,
    /// The offset itself, moved to the text and to the start of a character.
    pub byte: u32,
}

/// Line starts and character counts of a text.
#[derive(Debug)]
pub struct LineIndex<'a> {
    text: &'a str,
    line_starts: Vec<usize>,
    characters_before: Vec<usize>,
}

impl<'a> LineIndex<'a> {
    /// Reads the text once.
    pub fn new(text: &'a str) -> Self {
        let after_newline = text
            .bytes()
            .enumerate()
            .filter(|&(_, byte)| byte == b'\n')
            .map(|(at, _)| at + 1);
        let line_starts = std::iter::once(0).chain(after_newline).collect();
        let mut characters = 0;
        let count_block = |block: &[u8]| {
            let before = characters;
            characters += count_characters(block);
            before
        };
        let characters_before = text
            .as_bytes()
            .chunks(BLOCK_BYTES)
            .map(count_block)
            .collect();
        Self {
            text,
            line_starts,
            characters_before,
        }
    }

    /// The text.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Line and column of a byte offset; one past the end is the end.
    pub fn position(&self, offset: usize) -> Position {
        let byte = self.text.floor_char_boundary(offset.min(self.text.len()));
        let line = self.line_of(byte);
        let column = self.characters_to(byte) - self.characters_to(self.line_starts[line]);
        Position {
            line: to_u32(line + 1),
            column: to_u32(column + 1),
            byte: to_u32(byte),
        }
    }

    /// The bytes of a zero-based line, without its line end.
    pub(crate) fn line_range(&self, line: usize) -> Range<usize> {
        let start = self
            .line_starts
            .get(line)
            .copied()
            .unwrap_or(self.text.len());
        let next = self.line_starts.get(line + 1).copied();
        let end = next.map_or(self.text.len(), |next| next - 1);
        let has_return = end > start && next.is_some() && self.text.as_bytes()[end - 1] == b'\r';
        start..end - usize::from(has_return)
    }

    /// The zero-based line of an offset that lies in the text.
    pub(crate) fn line_of(&self, byte: usize) -> usize {
        self.line_starts.partition_point(|&start| start <= byte) - 1
    }

    /// How many characters start before an offset.
    fn characters_to(&self, byte: usize) -> usize {
        let block = byte / BLOCK_BYTES;
        match self.characters_before.get(block) {
            Some(before) => {
                before + count_characters(&self.text.as_bytes()[block * BLOCK_BYTES..byte])
            }
            // The end of a text whose last block is full, or of an empty text.
            None => self.characters_before.last().map_or(0, |before| {
                before + count_characters(&self.text.as_bytes()[(block - 1) * BLOCK_BYTES..])
            }),
        }
    }
}

/// How many characters start in these bytes of a text.
fn count_characters(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .filter(|&&byte| byte & 0b1100_0000 != 0b1000_0000)
        .count()
}

fn to_u32(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
