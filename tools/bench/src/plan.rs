//! Which rows a run has, and how many rounds each.

use clap::ValueEnum;

use crate::contenders::Kind;
use crate::measure::Order;
use crate::workload::Workload;

/// Sizes that a workload is measured with.
fn sizes(workload: Workload) -> &'static [usize] {
    match workload {
        Workload::W4 => &[1],
        Workload::W5 => &[1_000_000],
        Workload::W1Timer | Workload::W1Activity | Workload::W2Regions => &[1_000, 1_000_000],
        _ => &[1, 1_000, 100_000, 1_000_000],
    }
}

/// All rows of the table, in the order in which they are shown. A quick run has a million agents
/// only where they are cheap or the point.
pub fn rows(quick: bool) -> Vec<Order> {
    let mut rows: Vec<(Workload, usize)> = Vec::new();
    for &workload in Workload::value_variants() {
        rows.extend(sizes(workload).iter().map(|&agents| (workload, agents)));
    }
    let cheap = |w: Workload| !w.has_events() || w == Workload::W5;
    rows.retain(|&(workload, agents)| !quick || agents < 1_000_000 || cheap(workload));
    let order = |(workload, agents)| Order {
        workload,
        agents,
        rounds: rounds(agents, quick),
        kinds: Kind::value_variants().to_vec(),
    };
    rows.into_iter().map(order).collect()
}

/// Small rows are cheap and get many rounds.
fn rounds(agents: usize, quick: bool) -> usize {
    match (agents, quick) {
        (1_000_000.., true) => 5,
        (1_000_000.., false) => 15,
        (100_000.., true) => 5,
        (100_000.., false) => 25,
        (_, true) => 15,
        (_, false) => 101,
    }
}
