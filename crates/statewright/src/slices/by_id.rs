//! Commands in the order of ids, whatever order agents lie in.
//!
//! A table of an ECS has its rows in the order in which entities came and went, which no other computer
//! has to share. What agents want done must not depend on it (CMD-3).

use super::Slices;
use crate::commands::{CommandRef, Walk};
use crate::pipeline::TickOutput;

/// All commands of a tick once more, sorted. Nothing where they lie in order anyway.
#[derive(Debug, Default)]
pub(super) struct ById {
    /// Records one after the other, as a page has them.
    bytes: Vec<u8>,
    /// Where each lies in `unsorted`, by agent; kept for its memory.
    records: Vec<Record>,
    unsorted: Vec<u8>,
    tick: u64,
    is_on: bool,
}

/// One record of `unsorted`. Two of one agent keep their order, because its place is part of the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Record {
    index: u32,
    agent: u64,
    start: u32,
    length: u32,
}

impl ById {
    /// Whether commands are read here.
    pub(super) fn is_on(&self) -> bool {
        self.is_on
    }

    /// Sorted commands; none if they lie in order.
    pub(super) fn commands(&self) -> Walk<'_> {
        Walk::new(&[], &self.bytes, self.tick)
    }

    /// There are none any more.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
    }

    /// Sorts what a tick left, if the host wants it so and it is not.
    pub(super) fn sort(&mut self, last: &TickOutput, slices: &Slices<'_>) {
        self.bytes.clear();
        self.tick = slices.tick;
        let key = |command: CommandRef<'_>| (command.agent().index(), command.agent().bits());
        self.is_on = slices.by_id && !last.commands().map(key).is_sorted();
        if !self.is_on {
            return;
        }
        self.unsorted.clear();
        self.records.clear();
        for command in last.commands() {
            let start = self.unsorted.len() as u32;
            self.unsorted.extend_from_slice(command.head);
            self.unsorted.extend_from_slice(command.payload);
            let padded = self.unsorted.len().next_multiple_of(4);
            self.unsorted.resize(padded, 0);
            self.records.push(Record {
                index: command.agent().index(),
                agent: command.agent().bits(),
                start,
                length: padded as u32 - start,
            });
        }
        self.records.sort_unstable();
        for record in &self.records {
            let range = record.start as usize..(record.start + record.length) as usize;
            self.bytes.extend_from_slice(&self.unsorted[range]);
        }
    }
}
