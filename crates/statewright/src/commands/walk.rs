//! Walks over the records of one writer, in order.

use super::record::{CommandRef, Head};
use super::writer::Filled;

/// All commands of one chunk. Cheap to clone: looking ahead is walking on with a clone.
#[derive(Clone, Debug)]
pub(crate) struct Walk<'a> {
    /// Of the page that is walked.
    rest: &'a [u8],
    /// Pages behind it, and the used bytes of the last one.
    later: std::slice::Iter<'a, Filled>,
    last: &'a [u8],
    tick: u64,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(filled: &'a [Filled], last: &'a [u8], tick: u64) -> Self {
        Self {
            rest: &[],
            later: filled.iter(),
            last,
            tick,
        }
    }
}

impl<'a> Iterator for Walk<'a> {
    type Item = CommandRef<'a>;

    #[inline]
    fn next(&mut self) -> Option<CommandRef<'a>> {
        if self.rest.is_empty() {
            self.rest = self
                .later
                .next()
                .map_or_else(|| std::mem::take(&mut self.last), Filled::bytes);
        }
        let (head, behind) = self.rest.split_first_chunk()?;
        let payload = behind.get(..usize::from(Head::get(head).length))?;
        self.rest = behind.get(payload.len().next_multiple_of(4)..)?;
        Some(CommandRef {
            head,
            payload,
            tick: self.tick,
        })
    }
}
