//! Limits on instruction counts, so that nobody makes the kernel slower without noticing.

use std::path::PathBuf;

use serde_json::{Map, Value, json};
use statewright_measure::Gated;

use crate::contenders::Kind;
use crate::instructions::Counted;

/// How far a count may be from what was committed.
const SLACK: f64 = 0.05;

/// The committed counts.
pub fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("gates.json")
}

/// Text of the file for these counts.
pub fn to_text(counted: &[Gated]) -> String {
    let gates = counted
        .iter()
        .map(|(name, count)| (name.clone(), json!(rounded(*count))));
    let value = json!({
        "about": "Instructions per agent and tick: W of the kernel (inbox unless said), R of real machines over slices, the rest of one feature each. Rewritten by `cargo xtask bench --bless`.",
        "slack": SLACK,
        "instructions": gates.collect::<Map<_, _>>(),
    });
    format!("{value:#}\n")
}

/// Workloads with their names in the file.
pub fn workloads(counted: &[Counted]) -> impl Iterator<Item = Gated> {
    let of_row = |row: &Counted| {
        let workload = row.workload.name();
        row.counts
            .clone()
            .into_iter()
            .map(move |(kind, count)| match kind {
                Kind::Inbox => (workload.to_owned(), count),
                kind => (format!("{workload} {}", kind.name()), count),
            })
    };
    counted.iter().flat_map(of_row)
}

fn rounded(count: f64) -> f64 {
    (count * 10.0).round() / 10.0
}

/// Compares counts with the text of the file: one line per count, or one line per problem.
pub fn compare(text: &str, counted: &[Gated]) -> Result<String, String> {
    let file: Value = serde_json::from_str(text).map_err(|error| format!("gates.json: {error}"))?;
    let limit = |name: &str| file.get("instructions")?.get(name)?.as_f64();
    let (mut lines, mut problems) = (String::new(), String::new());
    for &(ref name, found) in counted {
        match limit(name) {
            None => problems.push_str(&format!(
                "{name}: no committed count; run `cargo xtask bench --bless`\n"
            )),
            Some(limit) => match judge(limit, found) {
                Ok(()) => lines.push_str(&format!(
                    "{name}: {found:.1} instructions, committed {limit:.1}: ok\n"
                )),
                Err(problem) => problems.push_str(&format!("{name}: {problem}\n")),
            },
        }
    }
    if problems.is_empty() {
        Ok(lines)
    } else {
        Err(problems.trim_end().to_owned())
    }
}

fn judge(limit: f64, found: f64) -> Result<(), String> {
    let change = (found / limit - 1.0) * 100.0;
    if found > limit * (1.0 + SLACK) {
        return Err(format!(
            "slower: {found:.1} instructions per agent and tick, committed are {limit:.1} ({change:+.1} %); if that is the \
             price of something worth it, run `cargo xtask bench --bless` and say so in the commit"
        ));
    }
    if found < limit * (1.0 - SLACK) {
        return Err(format!(
            "faster: {found:.1} instructions per agent and tick, committed are {limit:.1} ({change:+.1} %); keep it that \
             way: lower the gate with `cargo xtask bench --bless`"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::Workload;

    fn counted(count: f64) -> Vec<Gated> {
        let row = Counted {
            workload: Workload::W2,
            agents: 1_000,
            counts: vec![(Kind::Inbox, count), (Kind::Traced, 2.0 * count)],
        };
        workloads(&[row]).collect()
    }

    #[test]
    fn what_was_blessed_passes_with_slack_both_ways() {
        let text = to_text(&counted(100.0));
        for count in [95.1, 100.0, 104.9] {
            assert!(compare(&text, &counted(count)).is_ok(), "{count}");
        }
    }

    #[test]
    fn slower_and_faster_are_named() {
        let text = to_text(&counted(100.0));
        let slower = compare(&text, &counted(106.0)).unwrap_err();
        assert!(
            slower.starts_with("W2: slower: 106.0") && slower.contains("W2 traced: slower: 212.0"),
            "{slower}"
        );
        assert!(
            compare(&text, &counted(90.0))
                .unwrap_err()
                .contains("lower the gate")
        );
    }

    #[test]
    fn ten_percent_more_for_one_real_machine_are_seen() {
        let row = |soldier: f64| {
            vec![
                ("R1 soldier 1 %".to_owned(), soldier),
                ("R3 pedestrian 1 %".to_owned(), 60.0),
            ]
        };
        let text = to_text(&row(4_000.0));
        assert!(compare(&text, &row(4_000.0)).is_ok());
        let problems = compare(&text, &row(4_400.0)).unwrap_err();
        assert!(problems.contains("R1 soldier 1 %: slower"), "{problems}");
        assert!(!problems.contains("pedestrian"), "{problems}");
    }

    /// What has to have a limit: all workloads of the kernel (W5 is one of crowds: `crowd-bench --gate` holds it), all
    /// real machines, all features, by tables and by code.
    fn demanded() -> Vec<String> {
        let workloads = ["W1", "W2", "W3", "W4", "W6", "W1 activity", "W2 regions"];
        let machines = [
            "R1 soldier",
            "R2 boss",
            "R3 pedestrian",
            "R4 villager",
            "R5 trap",
        ];
        let features = [
            "event",
            "guard in the file",
            "guard in Rust",
            "history",
            "choice",
            "two regions at once",
            "score of three",
            "after",
            "update",
        ];
        let rates = machines.iter().flat_map(|machine| {
            let of = move |percent| format!("{machine} {percent} %");
            [1, 10].map(of)
        });
        let one = workloads.iter().chain(&features).map(ToString::to_string);
        let both = one
            .chain(rates)
            .flat_map(|name| [format!("{name} fused"), name]);
        // Nothing happens in W1, by code as by tables.
        both.filter(|name| name != "W1 fused").collect()
    }

    #[test]
    fn every_row_has_a_limit_that_ten_percent_more_break_and_less_than_five_do_not() {
        let committed = include_str!("../gates.json");
        let file: Value = serde_json::from_str(committed).unwrap();
        let all = |change: f64| -> Vec<Gated> {
            let rows = file["instructions"].as_object().unwrap().iter();
            rows.map(|(name, count)| (name.clone(), count.as_f64().unwrap() * change))
                .collect()
        };
        let names: Vec<String> = all(1.0).into_iter().map(|(name, _)| name).collect();
        for name in demanded() {
            assert!(names.contains(&name), "{name} has no limit");
        }
        for change in [0.951, 1.0, 1.049] {
            compare(committed, &all(change)).unwrap();
        }
        // All rows at once, and each of them alone.
        let problems = compare(committed, &all(1.1)).unwrap_err();
        assert_eq!(problems.matches(": slower: ").count(), names.len());
        for (place, name) in names.iter().enumerate() {
            let mut rows = all(1.0);
            rows[place].1 *= 1.1;
            let problem = compare(committed, &rows).unwrap_err();
            assert!(
                problem.starts_with(&format!("{name}: slower: ")),
                "{problem}"
            );
            assert_eq!(problem.lines().count(), 1);
        }
    }

    #[test]
    fn a_missing_count_and_a_broken_file_are_problems() {
        assert!(
            compare("{}", &counted(1.0))
                .unwrap_err()
                .contains("no committed count")
        );
        assert!(
            compare("{", &counted(1.0))
                .unwrap_err()
                .starts_with("gates.json")
        );
    }
}
