//! Records as a table (RFC 4180): one line each, the same fields as JSON.

use super::Shown;
use super::json::{COLUMNS, object, plain};

/// The table with its heading.
pub(super) fn text(shown: &Shown<'_>) -> String {
    let mut out = COLUMNS.join(",") + "\r\n";
    for entry in &shown.entries {
        let fields = object(entry, shown.legend(entry));
        let cells: Vec<String> = COLUMNS
            .iter()
            .map(|column| quoted(&plain(fields.get(*column))))
            .collect();
        out.push_str(&cells.join(","));
        out.push_str("\r\n");
    }
    out
}

fn quoted(cell: &str) -> String {
    match cell.contains([',', '"', '\r', '\n']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.to_owned(),
    }
}
