//! The same figures for programs.

use serde_json::{Map, Value, json};

use crate::instructions::Counted;
use crate::row::Row;
use crate::targets::{instruction_target, judge};

/// Times, ratios and targets.
pub fn times(rows: &[Row]) -> Value {
    let targets = judge(rows).into_iter().map(|judged| {
        json!({
            "workload": judged.target.workload.name(), "agents": judged.target.agents,
            "of": judged.target.of.name(), "to": judged.target.to.name(),
            "ratio": judged.ratio, "at_most": judged.target.at_most, "met": judged.is_met(),
        })
    });
    json!({ "version": 1, "rows": rows.iter().map(row).collect::<Vec<_>>(), "targets": targets.collect::<Vec<_>>() })
}

fn row(row: &Row) -> Value {
    let cell = |(kind, cell): &(crate::contenders::Kind, crate::row::Cell)| {
        let value = json!({ "min": cell.min, "median": cell.median, "bytes_per_agent": cell.bytes_per_agent });
        (kind.name().to_owned(), value)
    };
    json!({
        "workload": row.workload.name(), "agents": row.agents, "unit": row.unit(), "events": row.events,
        "contenders": row.cells.iter().map(cell).collect::<Map<_, _>>(),
    })
}

/// Instructions per agent and tick.
pub fn instructions(counted: &[Counted]) -> Value {
    let row = |counted: &Counted| {
        let counts = counted
            .counts
            .iter()
            .map(|(kind, count)| (kind.name().to_owned(), json!(count)));
        json!({
            "workload": counted.workload.name(), "agents": counted.agents,
            "instructions": counts.collect::<Map<_, _>>(), "at_most": instruction_target(counted.workload),
        })
    };
    json!({ "version": 1, "rows": counted.iter().map(row).collect::<Vec<_>>() })
}
