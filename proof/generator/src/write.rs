//! A machine as text: of a machine file, and for comparing two of them.

use statewright_author::graph::Machine;
use statewright_author::place::Source;

/// The text of a machine file. Reading it gives the same graph, places aside.
pub fn to_text(machine: &Machine) -> String {
    statewright_author::text::write(machine)
}

/// A machine without its places, as text: two of them are equal exactly if the graphs are, wherever
/// they stand.
pub fn without_places(machine: &Machine) -> String {
    let machine = Machine {
        source: Source::default(),
        ..machine.clone()
    };
    let shown = format!("{machine:?}");
    let mut parts = shown.split("Place { start: ");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text.push_str("Place");
        text.push_str(part.split_once('}').map_or("", |(_, rest)| rest));
    }
    text
}
