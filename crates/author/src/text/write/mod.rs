//! Owns the way back: from a [`Machine`] to the text of a machine file, nested shape.
//!
//! In comes any graph, out goes text that reads as the same graph, spans aside: short forms where
//! there are some, members in the order of [`key_order`](super::key_order), nothing that holds
//! anyway, printed by the formatter. What the nested shape has no words for is named by
//! [`left_out`].

mod action;
mod declare;
mod machine;
mod missing;
mod node;
mod state;
mod transition;

use crate::graph::Machine;
use crate::names::is_hidden;

pub(crate) use declare::Fields;
pub use missing::left_out;

/// The text of a machine file.
pub fn write(machine: &Machine) -> String {
    write_with(machine, &[])
}

/// The same with comment lines on top, given without `//`.
pub fn write_with(machine: &Machine, header: &[String]) -> String {
    let mut text = String::new();
    for line in header.iter().flat_map(|paragraph| paragraph.lines()) {
        let shown: String = line
            .chars()
            .map(|c| if is_hidden(c) { ' ' } else { c })
            .collect();
        text.push_str(format!("// {shown}").trim_end());
        text.push('\n');
    }
    machine::machine(machine).print(&mut text);
    text.push('\n');
    // Only what the reader refuses as well cannot be formatted: brackets nested too deeply.
    crate::format::format(&text).unwrap_or(text)
}
