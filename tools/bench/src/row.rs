//! One row of the table: what one workload cost each contender, with so many agents.

use crate::contenders::Kind;
use crate::workload::Workload;

/// Times of one contender in one row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// Best round.
    pub min: f64,
    /// Middle round.
    pub median: f64,
    /// Bytes of one agent.
    pub bytes_per_agent: usize,
}

impl Cell {
    /// From the times of all rounds; at least one.
    pub fn new(mut times: Vec<f64>, bytes_per_agent: usize) -> Self {
        times.sort_by(f64::total_cmp);
        Self {
            min: times[0],
            median: times[times.len() / 2],
            bytes_per_agent,
        }
    }
}

/// A measured row. Times are ns per agent and tick, for W5 us per tick.
#[derive(Clone, Debug)]
pub struct Row {
    /// What happened.
    pub workload: Workload,
    /// How many agents there were.
    pub agents: usize,
    /// Events that each contender took.
    pub events: u64,
    /// Times, in the order of [`Kind`].
    pub cells: Vec<(Kind, Cell)>,
}

impl Row {
    /// Times of a contender.
    pub fn cell(&self, kind: Kind) -> Option<&Cell> {
        self.cells
            .iter()
            .find(|(found, _)| *found == kind)
            .map(|(_, cell)| cell)
    }

    /// Median of one contender over the median of another.
    pub fn ratio(&self, of: Kind, to: Kind) -> Option<f64> {
        Some(self.cell(of)?.median / self.cell(to)?.median)
    }

    /// Unit of the times.
    pub fn unit(&self) -> &'static str {
        if self.workload == Workload::W5 {
            "us/tick"
        } else {
            "ns"
        }
    }
}

/// 1, 1k, 100k, 1M.
pub fn short_count(count: usize) -> String {
    match count {
        1_000_000.. if count.is_multiple_of(1_000_000) => format!("{}M", count / 1_000_000),
        1_000.. if count.is_multiple_of(1_000) => format!("{}k", count / 1_000),
        _ => count.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_has_the_best_and_the_middle_round() {
        let cell = Cell::new(vec![5.0, 1.0, 9.0, 3.0, 4.0], 64);
        assert_eq!((cell.min, cell.median), (1.0, 4.0));
    }

    #[test]
    fn counts_are_short() {
        assert_eq!(
            ["1", "999", "1k", "1024", "100k", "1M"],
            [1, 999, 1000, 1024, 100_000, 1_000_000].map(short_count)[..]
        );
    }
}
