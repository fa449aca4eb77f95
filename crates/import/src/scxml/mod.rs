//! SCXML, the W3C's state charts, into the author graph.
//!
//! Comes in: the text of a document. Goes out: a [`Machine`] that behaves as the recommendation
//! prescribes (policies `internal_first`, `done_events`, `scxml_details` and `reverse_exit_order`,
//! one tick per millisecond), and everything that is wrong with the document or has no counterpart
//! here. The stages are the files: `xml` (well-formed, bounded), `chart` (states, transitions and
//! their attributes), `events` (descriptors become classes of events), `data` and `expression`
//! (types, conditions and values), `sends` (delayed events become timers), `functions` and `script`
//! (what of the game may be called), `content` (actions), `build` (the graph). What each
//! part of the recommendation becomes is in `docs/scxml.md`.

mod build;
mod chart;
mod content;
mod data;
mod events;
mod expression;
mod functions;
mod problem;
mod script;
mod sends;
mod xml;

use statewright_author::diagnostic::Diagnostics;
use statewright_author::graph::Machine;
use statewright_author::span::Source;

use crate::limits::MAX_BYTES;
pub use functions::{ATTRIBUTE as FUNCTIONS_ATTRIBUTE, Functions, OWN_NAMESPACE};

/// The namespace of SCXML.
pub const NAMESPACE: &str = "http://www.w3.org/2005/07/scxml";

/// The lane that `<log>` writes to.
pub const LOG_LANE: &str = "log";

/// Ticks per second of an imported machine: delays of SCXML count milliseconds.
pub const TICK_RATE: u32 = 1000;

/// Reads an SCXML document. `name` is the file's name as messages show it.
pub fn read(name: &str, text: &str) -> (Machine, Diagnostics) {
    read_with(name, text, &Functions::default())
}

/// The same with functions of the game that the document may call.
pub fn read_with(name: &str, text: &str, functions: &Functions) -> (Machine, Diagnostics) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut out = Diagnostics::default();
    let mut machine = Machine::default();
    if let Some(document) = xml::parse(text, &mut out)
        && let Some(chart) = chart::read(&document, &mut out)
    {
        machine = build::machine(name, &chart, functions, &mut out);
    }
    let kept = if text.len() > MAX_BYTES { "" } else { text };
    machine.source = Source::file(name, kept);
    out.sort();
    (machine, out)
}
