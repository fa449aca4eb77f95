//! Plain memory, no machine: what the hardware asks for going through so many agents.

use std::hint::black_box;

use crate::board::Totals;
use crate::contenders::Contender;
use crate::script::Script;

/// A cache line.
#[derive(Clone, Copy, Default)]
#[repr(C, align(64))]
struct Line {
    words: [u32; 16],
}

/// Reads and writes one word of every line.
pub struct Touch(Vec<Line>);

impl Touch {
    /// So many lines.
    pub fn new(lines: usize) -> Self {
        Self(vec![Line::default(); lines])
    }
}

impl Contender for Touch {
    fn bytes_per_agent(&self) -> usize {
        size_of::<Line>()
    }

    fn load(&mut self, _: &Script) {}

    fn run(&mut self, ticks: usize) {
        for _ in 0..ticks {
            for line in black_box(&mut self.0) {
                line.words[0] = line.words[0].wrapping_add(1);
            }
        }
    }

    fn totals(&self) -> Option<Totals> {
        None
    }
}

/// Reads 16 bytes of every line, as a look at a header does, and branches.
pub struct Sweep {
    lines: Vec<Line>,
    found: u64,
}

impl Sweep {
    /// So many lines.
    pub fn new(lines: usize) -> Self {
        Self {
            lines: vec![Line::default(); lines],
            found: 0,
        }
    }
}

impl Contender for Sweep {
    fn bytes_per_agent(&self) -> usize {
        size_of::<Line>()
    }

    fn load(&mut self, _: &Script) {}

    fn run(&mut self, ticks: usize) {
        for _ in 0..ticks {
            for line in black_box(&mut self.lines) {
                let [a, b, c, d, ..] = line.words;
                if (a | b) != 0 || (c & d) != 0 {
                    // A write that cannot be left out keeps the branch a branch.
                    line.words[4] = black_box(1);
                    self.found += 1;
                }
            }
        }
        assert_eq!(self.found, 0, "the lines of the sweep are zero");
    }

    fn totals(&self) -> Option<Totals> {
        None
    }
}
