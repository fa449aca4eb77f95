//! Counters for people and programs (SYS-8): per crowd, and per machine over all its crowds.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

use statewright_kernel::Counters;

/// As lines of `name value`, those that are not zero.
///
/// ```
/// let counters = statewright::Counters { events: 3, transitions: 2, ..Default::default() };
/// assert_eq!(statewright::counters::to_text(&counters), "events 3\ntransitions 2\n");
/// assert!(statewright::counters::to_json(&counters).starts_with(r#"{"events":3,"unhandled":0,"#));
/// ```
pub fn to_text(counters: &Counters) -> String {
    let mut text = String::new();
    for (name, value) in Counters::NAMES
        .iter()
        .zip(counters.values())
        .filter(|(_, value)| *value != 0)
    {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name} {value}");
    }
    text
}

/// As one JSON object with all of them.
pub fn to_json(counters: &Counters) -> String {
    let fields: Vec<String> = Counters::NAMES
        .iter()
        .zip(counters.values())
        .map(|(n, v)| format!("\"{n}\":{v}"))
        .collect();
    format!("{{{}}}", fields.join(","))
}

/// Counters that several crowds add to, and that anybody may read meanwhile.
#[derive(Debug, Default)]
pub(crate) struct SharedCounters {
    cells: [AtomicU64; Counters::NAMES.len()],
}

impl SharedCounters {
    /// Adds what happened in a tick.
    pub(crate) fn add(&self, counters: &Counters) {
        for (cell, value) in self
            .cells
            .iter()
            .zip(counters.values())
            .filter(|(_, value)| *value != 0)
        {
            cell.fetch_add(value, Ordering::Relaxed);
        }
    }

    /// What they are now; while a crowd adds to them, some may be of its tick and others not yet.
    pub(crate) fn read(&self) -> Counters {
        let mut values = Counters::default().values();
        for (value, cell) in values.iter_mut().zip(&self.cells) {
            *value = cell.load(Ordering::Relaxed);
        }
        Counters::from_values(values)
    }

    /// From zero again.
    pub(crate) fn reset(&self) {
        self.cells
            .iter()
            .for_each(|cell| cell.store(0, Ordering::Relaxed));
    }
}
