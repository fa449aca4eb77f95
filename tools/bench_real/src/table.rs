//! The tables for people.

use statewright_kernel::Path;
use statewright_measure::text::{aligned, short_number};

use super::count::Counted;
use super::machine::Drive;
use super::measure::Times;
use super::paths::Paths;
use super::{ALL, DRIVE, PERCENTS};

/// One machine at one rate.
#[derive(Clone, Debug)]
pub struct Row {
    /// Name of the machine.
    pub name: &'static str,
    /// Of a hundred agents so many get an event in a tick.
    pub percent: u32,
    /// Best rounds and transitions.
    pub times: Times,
    /// Agent-ticks by path.
    pub paths: Paths,
}

/// Contenders that have columns, in order.
pub const COLUMNS: [&str; 5] = ["slices", "fused", "crowd", "hand", "statig"];
const HAND: &str = "hand";

/// Measures all rows; `step` hears of each.
pub fn measure(quick: bool, step: &mut dyn FnMut(&str)) -> Result<Vec<Row>, String> {
    let rounds = if quick { 11 } else { 101 };
    let mut rows = Vec::new();
    for real in ALL {
        for percent in PERCENTS {
            step(real.name());
            let drive = Drive { percent, ..DRIVE };
            rows.push(Row {
                name: real.name(),
                percent,
                times: real.measure(&drive, rounds)?,
                paths: real.paths(&drive)?,
            });
        }
    }
    Ok(rows)
}

/// Times of all rows.
pub fn times(rows: &[Row]) -> String {
    let lines = rows.iter().map(|row| {
        let of = |name: &str| row.times.of(name);
        let mut line = head(row.name, row.percent);
        line.push(format!("{:.4}", row.times.transitions));
        line.extend(cells(of, short_number));
        line
    });
    let text = "ns of CPU time per agent and tick, best round of interleaved ones; transitions likewise; 500 agents.\n";
    shown(&["transitions"], lines, text)
}

/// Paths of all rows.
pub fn paths(rows: &[Row]) -> String {
    let names = Path::NAMES.iter().map(|&name| name.to_owned());
    let header = ["machine", "events"].map(str::to_owned).into_iter();
    let line = |row: &Row| {
        let all: u64 = row.paths.iter().sum();
        let share = |&count: &u64| format!("{:.1} %", 100.0 * count as f64 / all.max(1) as f64);
        let mut line = head(row.name, row.percent);
        line.extend(row.paths.iter().map(share));
        line
    };
    let lines: Vec<_> = std::iter::once(header.chain(names).collect())
        .chain(rows.iter().map(line))
        .collect();
    format!(
        "{}\nShare of agent-ticks by the path of the kernel that they begin on, over slices.\n",
        aligned(&lines)
    )
}

/// Instructions of all rows.
pub fn instructions(counted: &[Counted]) -> String {
    let mut rows: Vec<(&'static str, u32)> =
        counted.iter().map(|row| (row.name, row.percent)).collect();
    rows.sort_unstable();
    rows.dedup();
    let lines = rows.into_iter().map(|row| {
        let is_it = |other: &&Counted, name: &str| {
            (other.name, other.percent) == row && other.contender == name
        };
        let of = |name: &str| {
            let found = counted.iter().find(|other| is_it(other, name));
            found.map(|found| found.count)
        };
        let mut line = head(row.0, row.1);
        line.extend(cells(of, short_number));
        line
    });
    let text =
        "Instructions per agent and tick (callgrind), user functions included; 500 agents.\n";
    shown(&[], lines, text)
}

fn head(name: &str, percent: u32) -> Vec<String> {
    vec![name.to_owned(), format!("{percent} %")]
}

/// A figure for each contender, then each of Statewright beside the hand.
fn cells(of: impl Fn(&str) -> Option<f64>, show: fn(f64) -> String) -> Vec<String> {
    let cell = |figure: Option<f64>| figure.map_or("-".to_owned(), show);
    let ratio = |name: &&str| Some(of(name)? / of(HAND)?);
    let ratios = COLUMNS.iter().filter(|name| **name != HAND).map(ratio);
    COLUMNS
        .iter()
        .map(|name| of(name))
        .chain(ratios)
        .map(cell)
        .collect()
}

fn shown(more: &[&str], lines: impl Iterator<Item = Vec<String>>, text: &str) -> String {
    let mut header = vec!["machine".to_owned(), "events".to_owned()];
    header.extend(more.iter().map(|&name| name.to_owned()));
    header.extend(COLUMNS.map(str::to_owned));
    let others = COLUMNS.iter().filter(|name| **name != HAND);
    header.extend(others.map(|name| format!("{name} x hand")));
    let all: Vec<_> = std::iter::once(header).chain(lines).collect();
    format!("{}\n{text}", aligned(&all))
}
