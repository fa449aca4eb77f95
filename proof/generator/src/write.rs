//! A machine as text: of a machine file, and for comparing two of them.

use statewright_author::graph::Machine;
use statewright_author::span::Source;

/// The text of a machine file. Reading it gives the same graph, spans aside.
pub fn to_text(machine: &Machine) -> String {
    statewright_author::text::write(machine)
}

/// A machine without its spans, as text: two of them are equal exactly if the graphs are, wherever
/// they stand.
pub fn without_spans(machine: &Machine) -> String {
    let machine = Machine {
        source: Source::default(),
        ..machine.clone()
    };
    let shown = format!("{machine:?}");
    let mut parts = shown.split("Span { start: ");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text.push_str("Span");
        text.push_str(part.split_once('}').map_or("", |(_, rest)| rest));
    }
    text
}
