//! The table for people.

use statewright_measure::text::{aligned, short_number};

use crate::contenders::Kind;
use crate::row::{Row, short_count};
use crate::targets::judge;

/// Contenders that have a column of their own, in order.
const TIMES: [Kind; 10] = [
    Kind::Inbox,
    Kind::Scan,
    Kind::Queue,
    Kind::Typed,
    Kind::Fused,
    Kind::Hand64,
    Kind::HandCall,
    Kind::Statig,
    Kind::Touch,
    Kind::Sweep,
];
/// Whom the inbox is compared with.
const RATIOS: [Kind; 4] = [Kind::Hand64, Kind::HandCall, Kind::Statig, Kind::Sweep];

fn header() -> Vec<String> {
    let times = TIMES.iter().map(|kind| kind.name().to_owned());
    let ratios = RATIOS.iter().map(|kind| format!("x {}", kind.name()));
    ["workload", "agents"]
        .map(str::to_owned)
        .into_iter()
        .chain(times)
        .chain(ratios)
        .collect()
}

fn line(row: &Row) -> Vec<String> {
    let times = TIMES.iter().map(|&kind| match row.cell(kind) {
        Some(cell) => format!("{}/{}", short_number(cell.min), short_number(cell.median)),
        None => "-".to_owned(),
    });
    let ratios = RATIOS.iter().map(|&kind| {
        row.ratio(Kind::Inbox, kind)
            .map_or("-".to_owned(), short_number)
    });
    [row.workload.to_string(), short_count(row.agents)]
        .into_iter()
        .chain(times)
        .chain(ratios)
        .collect()
}

/// The whole table, what it means, and the targets.
pub fn table(rows: &[Row]) -> String {
    let mut text = aligned(
        &std::iter::once(header())
            .chain(rows.iter().map(line))
            .collect::<Vec<_>>(),
    );
    text.push_str(
        "\nmin/median of CPU time: ns per agent and tick, for W5 us per tick. `x …`: median of the inbox over median of the other.\n",
    );
    let mut workloads: Vec<_> = rows.iter().map(|row| row.workload).collect();
    workloads.dedup();
    workloads
        .iter()
        .for_each(|workload| text.push_str(&format!("  {workload:<11} {}\n", workload.meaning())));
    let bytes = |kind: Kind| {
        Some((
            kind,
            rows.iter().find_map(|row| row.cell(kind))?.bytes_per_agent,
        ))
    };
    let bytes = TIMES
        .iter()
        .filter_map(|&kind| bytes(kind))
        .map(|(kind, bytes)| format!("{} {bytes}", kind.name()));
    text.push_str(&format!(
        "Bytes per agent: {}\n",
        bytes.collect::<Vec<_>>().join(", ")
    ));
    let judged = judge(rows);
    if !judged.is_empty() {
        text.push_str("\nTargets\n");
        judged
            .iter()
            .for_each(|judged| text.push_str(&format!("  {}\n", judged.line())));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::Cell;
    use crate::workload::Workload;

    fn row(workload: Workload, inbox: f64, hand_call: f64) -> Row {
        let cell = |median: f64| Cell {
            min: median,
            median,
            bytes_per_agent: 64,
        };
        let cells = vec![
            (Kind::Inbox, cell(inbox)),
            (Kind::HandCall, cell(hand_call)),
        ];
        Row {
            workload,
            agents: 1_000,
            events: 1,
            cells,
        }
    }

    #[test]
    fn a_row_shows_times_ratios_and_what_is_missing() {
        let line = line(&row(Workload::W2, 14.0, 7.0));
        assert_eq!(line[..3], ["W2", "1k", "14.0/14.0"]);
        assert_eq!(line[3], "-", "no scan in W2");
        assert_eq!(line[2 + TIMES.len() + 1], "2.00", "twice hand-call");
    }

    #[test]
    fn targets_say_whether_they_are_met() {
        assert!(
            table(&[row(Workload::W2, 14.0, 7.0)])
                .contains("W2   1k: inbox is 2.00 x hand-call, at most 1.5: missed")
        );
        assert!(
            table(&[row(Workload::W2, 7.0, 7.0)])
                .contains("W2   1k: inbox is 1.00 x hand-call, at most 1.5: met")
        );
    }
}
