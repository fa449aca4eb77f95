//! Which typed commands a function emits, with their names, for traces (SYS-3). A name is known where
//! its command is emitted and nowhere else: pages hold a number in its place.

use super::record::{Command, name_number};

/// A typed command that was emitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Said {
    /// Number of its lane.
    pub(crate) lane: u8,
    /// Number of its name.
    pub(crate) name: u32,
    /// Whether it found room.
    pub(crate) had_room: bool,
}

/// What is noted of a call while it is traced.
#[derive(Debug, Default)]
pub(crate) struct Naming {
    is_on: bool,
    /// What the call emitted, in order.
    pub(crate) said: Vec<Said>,
    /// Names by number, in the order in which they were first seen.
    names: Vec<(u32, &'static str)>,
}

impl Naming {
    /// A call begins, or ends.
    pub(super) fn set(&mut self, is_on: bool) {
        self.is_on = is_on;
        if is_on {
            self.said.clear();
        }
    }

    /// Whether a call is traced.
    pub(crate) fn is_on(&self) -> bool {
        self.is_on
    }

    /// The call emitted a command.
    pub(crate) fn note<T: Command>(&mut self, had_room: bool) {
        let (lane, name) = const { (T::LANE.number(), name_number(T::NAME)) };
        self.said.push(Said {
            lane,
            name,
            had_room,
        });
        if !self.names.iter().any(|&(known, _)| known == name) {
            self.names.push((name, T::NAME));
        }
    }

    /// Names by number, of all calls so far.
    pub(crate) fn names(&self) -> impl Iterator<Item = (u32, &'static str)> {
        self.names.iter().copied()
    }
}
