//! Mermaid: a `stateDiagram-v2`.
//!
//! Mermaid has no history points and no text in states with others inside: the first become states
//! of their own, the second comments.

use std::fmt::Write;

use crate::chart::{Chart, Kind};
use crate::escape::mermaid as escaped;
use crate::outline::{Arrow, all_lines, arrows, id};
use crate::scene::End;

/// The machine as a Mermaid state diagram.
pub fn mermaid(chart: &Chart) -> String {
    let (starts, others): (Vec<Arrow>, Vec<Arrow>) = arrows(chart)
        .into_iter()
        .partition(|arrow| matches!(arrow.from, End::Dot(_)));
    let mut starts_of: Vec<Vec<&Arrow>> = vec![Vec::new(); chart.regions.len()];
    for arrow in &starts {
        if let End::Dot(region) = arrow.from {
            starts_of[region].push(arrow);
        }
    }
    let mut writer = Writer {
        chart,
        starts: starts_of,
        lines: all_lines(chart),
        out: String::new(),
    };
    _ = writeln!(
        writer.out,
        "stateDiagram-v2\n    %% {}",
        escaped(&chart.name)
    );
    writer.inside(0, 1);
    for arrow in others {
        // The root has no box that a line could start from.
        let from = if arrow.from == End::State(0) {
            "[*]".to_owned()
        } else {
            id(arrow.from)
        };
        writer.arrow(&from, &id(arrow.to), &arrow.words, 1);
    }
    writer.out
}

struct Writer<'a> {
    chart: &'a Chart,
    starts: Vec<Vec<&'a Arrow>>,
    lines: Vec<Vec<String>>,
    out: String,
}

/// Adds an indented line; writing to a string cannot fail.
macro_rules! line {
    ($writer:expr, $depth:expr, $($part:tt)*) => {{
        _ = write!($writer.out, "{:1$}", "", $depth * 4);
        _ = writeln!($writer.out, $($part)*);
    }};
}

impl Writer<'_> {
    /// Everything in the box of a state. The depth of a machine is limited, so this is, too.
    fn inside(&mut self, state: usize, depth: usize) {
        let chart = self.chart;
        for &history in &chart.states[state].histories {
            let found = &chart.histories[history];
            let symbol = if found.deep { "H*" } else { "H" };
            line!(
                self,
                depth,
                "state \"{}\" as h{history}",
                escaped(&format!("{symbol} {}", found.name))
            );
        }
        for (place, &region) in chart.states[state].regions.iter().enumerate() {
            if place > 0 {
                line!(self, depth, "--");
            }
            if let Some(name) = &chart.regions[region].name {
                line!(self, depth, "%% region {}", escaped(name));
            }
            for arrow in self.starts[region].clone() {
                self.arrow("[*]", &id(arrow.to), &arrow.words, depth);
            }
            for &child in &chart.regions[region].children {
                self.state(child, depth);
            }
        }
    }

    fn state(&mut self, state: usize, depth: usize) {
        let found = &self.chart.states[state];
        let (name, lines) = (escaped(&found.name), std::mem::take(&mut self.lines[state]));
        if found.kind == Kind::Choice {
            line!(self, depth, "state s{state} <<choice>>");
            return;
        }
        if found.regions.is_empty() && found.histories.is_empty() {
            line!(self, depth, "state \"{name}\" as s{state}");
            for text in lines {
                line!(self, depth, "s{state} : {}", escaped(&text));
            }
        } else {
            for text in lines {
                line!(self, depth, "%% {name}: {}", escaped(&text));
            }
            line!(self, depth, "state \"{name}\" as s{state} {{");
            self.inside(state, depth + 1);
            line!(self, depth, "}}");
        }
        if found.kind == Kind::Final {
            line!(self, depth, "s{state} --> [*]");
        }
    }

    fn arrow(&mut self, from: &str, to: &str, words: &str, depth: usize) {
        match words {
            "" => line!(self, depth, "{from} --> {to}"),
            words => line!(self, depth, "{from} --> {to} : {}", escaped(words)),
        }
    }
}
