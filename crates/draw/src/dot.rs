//! DOT, the language of Graphviz: clusters for states with others inside, dashed ones for regions.

use std::fmt::Write;

use crate::chart::{Chart, Kind};
use crate::escape::{dot as quoted, visible};
use crate::outline::{all_lines, arrows, id};
use crate::scene::End;

/// The machine as a directed graph.
pub fn dot(chart: &Chart) -> String {
    let mut writer = Writer {
        chart,
        lines: all_lines(chart),
        out: String::new(),
    };
    _ = writeln!(writer.out, "digraph {} {{", quoted(&chart.name));
    // The older ranking gives up on some clusters inside clusters ("trouble in init_rank").
    line(
        &mut writer.out,
        1,
        "compound=true; newrank=true; fontname=\"Helvetica\"; fontsize=12;",
    );
    line(
        &mut writer.out,
        1,
        "node [shape=box, style=rounded, fontname=\"Helvetica\", fontsize=11];",
    );
    line(
        &mut writer.out,
        1,
        "edge [fontname=\"Helvetica\", fontsize=10];",
    );
    writer.cluster(0, 1);
    for arrow in arrows(chart) {
        let (from, to) = (writer.end(arrow.from), writer.end(arrow.to));
        let mut attributes = Vec::new();
        attributes
            .extend((!arrow.words.is_empty()).then(|| format!("label={}", quoted(&arrow.words))));
        // Graphviz joins nodes only: what starts or ends at a cluster is cut at its border, unless
        // the other end lies in it.
        let cuts = [
            ("ltail", arrow.from, arrow.to),
            ("lhead", arrow.to, arrow.from),
        ];
        for (field, tip, other) in cuts {
            if let End::State(state) = tip
                && writer.is_cluster(state)
                && !writer.is_inside(other, state)
            {
                attributes.push(format!("{field}=\"cluster_s{state}\""));
            }
        }
        let attributes = if attributes.is_empty() {
            String::new()
        } else {
            format!(" [{}]", attributes.join(", "))
        };
        line(&mut writer.out, 1, &format!("{from} -> {to}{attributes};"));
    }
    writer.out.push_str("}\n");
    writer.out
}

struct Writer<'a> {
    chart: &'a Chart,
    lines: Vec<Vec<String>>,
    out: String,
}

fn line(out: &mut String, depth: usize, text: &str) {
    _ = writeln!(out, "{:1$}{text}", "", depth * 4);
}

impl Writer<'_> {
    /// The node that stands for an end: one without a shape for a state with others inside.
    fn end(&self, tip: End) -> String {
        match tip {
            End::State(state) if self.is_cluster(state) => format!("a{state}"),
            other => id(other),
        }
    }

    fn is_cluster(&self, state: usize) -> bool {
        let found = &self.chart.states[state];
        state == 0 || !found.regions.is_empty() || !found.histories.is_empty()
    }

    fn is_inside(&self, tip: End, around: usize) -> bool {
        match tip {
            End::State(state) => state == around || self.chart.is_inside(state, around),
            End::History(history) => {
                let owner = self.chart.histories[history].owner;
                owner == around || self.chart.is_inside(owner, around)
            }
            End::Dot(region) => {
                let owner = self.chart.regions[region].owner;
                owner == around || self.chart.is_inside(owner, around)
            }
            // Other tools draw what each state has.
            End::Shared(_) => false,
        }
    }

    /// A state with others inside. The depth of a machine is limited, so this is, too.
    fn cluster(&mut self, state: usize, depth: usize) {
        let chart = self.chart;
        let found = &chart.states[state];
        let name = if state == 0 { &chart.name } else { &found.name };
        line(
            &mut self.out,
            depth,
            &format!("subgraph cluster_s{state} {{"),
        );
        let label = label(name, &self.lines[state], "\\l");
        line(
            &mut self.out,
            depth + 1,
            &format!("label={label}; labeljust=l; style=rounded;"),
        );
        line(
            &mut self.out,
            depth + 1,
            &format!("a{state} [shape=none, width=0, height=0, label=\"\"];"),
        );
        for &history in &found.histories {
            let symbol = if chart.histories[history].deep {
                "H*"
            } else {
                "H"
            };
            let name = quoted(&chart.histories[history].name);
            line(
                &mut self.out,
                depth + 1,
                &format!(
                    "h{history} [shape=circle, style=solid, label=\"{symbol}\", xlabel={name}];"
                ),
            );
        }
        for &region in &found.regions {
            let is_lane = found.kind == Kind::Orthogonal;
            if is_lane {
                let name = quoted(chart.regions[region].name.as_deref().unwrap_or_default());
                line(
                    &mut self.out,
                    depth + 1,
                    &format!("subgraph cluster_r{region} {{"),
                );
                line(
                    &mut self.out,
                    depth + 2,
                    &format!("label={name}; style=dashed;"),
                );
            }
            let inner = depth + 1 + usize::from(is_lane);
            line(
                &mut self.out,
                inner,
                &format!("i{region} [shape=point, width=0.12, label=\"\"];"),
            );
            for &child in &chart.regions[region].children {
                self.state(child, inner);
            }
            if is_lane {
                line(&mut self.out, depth + 1, "}");
            }
        }
        line(&mut self.out, depth, "}");
    }

    fn state(&mut self, state: usize, depth: usize) {
        let found = &self.chart.states[state];
        if self.is_cluster(state) {
            return self.cluster(state, depth);
        }
        let label = label(&found.name, &self.lines[state], "\\n");
        let shape = match found.kind {
            Kind::Choice => ", shape=diamond, style=solid",
            Kind::Final => ", peripheries=2",
            Kind::Atomic | Kind::Compound | Kind::Orthogonal => "",
        };
        line(
            &mut self.out,
            depth,
            &format!("s{state} [label={label}{shape}];"),
        );
    }
}

/// A quoted label of several lines. DOT reads backslashes in labels once more than in other
/// strings.
fn label(name: &str, lines: &[String], end: &str) -> String {
    let mut out = String::from("\"");
    let all = std::iter::once(name).chain(lines.iter().map(String::as_str));
    for (place, text) in all.enumerate() {
        out.push_str(if place == 0 { "" } else { end });
        out.push_str(&visible(text).replace('\\', "\\\\").replace('"', "\\\""));
    }
    if !lines.is_empty() && end == "\\l" {
        out.push_str(end);
    }
    out + "\""
}
