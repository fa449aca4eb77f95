//! What we want to reach, and whether we do.

use crate::contenders::Kind;
use crate::row::{Row, short_count};
use crate::workload::Workload;

/// A ratio of two contenders in one row that should not be exceeded.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// What happens.
    pub workload: Workload,
    /// How many agents.
    pub agents: usize,
    /// Who is judged.
    pub of: Kind,
    /// By whom.
    pub to: Kind,
    /// Most times the other's median.
    pub at_most: f64,
}

const fn target(workload: Workload, agents: usize, to: Kind, at_most: f64) -> Target {
    Target {
        workload,
        agents,
        of: Kind::Inbox,
        to,
        at_most,
    }
}

/// The ratios that we want to reach.
pub const TARGETS: [Target; 7] = [
    target(Workload::W1, 1_000_000, Kind::Sweep, 1.3),
    target(Workload::W2, 1_000, Kind::HandCall, 1.5),
    target(Workload::W2, 1_000, Kind::Statig, 1.4),
    target(Workload::W3, 1_000, Kind::Hand64, 1.5),
    target(Workload::W6, 1_000, Kind::Hand64, 1.3),
    target(Workload::W5, 1_000_000, Kind::Scan, 0.1),
    // A trace of level 1 of all agents, beside the same work without one.
    Target {
        workload: Workload::W2,
        agents: 1_000,
        of: Kind::Traced,
        to: Kind::Inbox,
        at_most: 1.5,
    },
];

/// Most instructions per agent and tick that we want.
pub fn instruction_target(workload: Workload) -> Option<f64> {
    match workload {
        Workload::W1 => Some(20.0),
        Workload::W2 => Some(110.0),
        Workload::W3 => Some(40.0),
        _ => None,
    }
}

/// A target beside what was measured.
#[derive(Clone, Copy, Debug)]
pub struct Judged {
    /// What was wanted.
    pub target: Target,
    /// What was found.
    pub ratio: f64,
}

impl Judged {
    /// Whether the target is reached.
    pub fn is_met(&self) -> bool {
        self.ratio <= self.target.at_most
    }

    /// One line for people.
    pub fn line(&self) -> String {
        let Target {
            workload,
            agents,
            of,
            to,
            at_most,
        } = self.target;
        let verdict = if self.is_met() { "met" } else { "missed" };
        let (agents, of, to) = (short_count(agents), of.name(), to.name());
        format!(
            "{workload} {agents:>4}: {of} is {:.2} x {to}, at most {at_most}: {verdict}",
            self.ratio
        )
    }
}

/// The targets that these rows can answer.
pub fn judge(rows: &[Row]) -> Vec<Judged> {
    let judge = |target: Target| {
        let row = rows
            .iter()
            .find(|row| row.workload == target.workload && row.agents == target.agents)?;
        Some(Judged {
            target,
            ratio: row.ratio(target.of, target.to)?,
        })
    };
    TARGETS.iter().filter_map(|&target| judge(target)).collect()
}
