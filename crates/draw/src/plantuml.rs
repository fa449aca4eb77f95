//! PlantUML: a state diagram.
//!
//! PlantUML draws no line into one of several regions from outside: such a transition is written in
//! its source instead.

use std::fmt::Write;

use crate::chart::{Chart, Kind};
use crate::escape::plantuml as escaped;
use crate::outline::{Arrow, all_lines, arrows, home, id, is_behind_lane};
use crate::scene::{End, holder};

/// The machine as a PlantUML state diagram.
pub fn plantuml(chart: &Chart) -> String {
    let mut writer = Writer::new(chart);
    _ = writeln!(
        writer.out,
        "@startuml\nhide empty description\ntitle {}",
        escaped(&chart.name)
    );
    writer.state(0, 0);
    writer.arrows(None, 0);
    writer.out + "@enduml\n"
}

struct Writer<'a> {
    chart: &'a Chart,
    /// Arrows of each region; the last list is for those of the root.
    arrows: Vec<Vec<Arrow>>,
    lines: Vec<Vec<String>>,
    out: String,
}

fn line(out: &mut String, depth: usize, text: &str) {
    _ = writeln!(out, "{:1$}{text}", "", depth * 2);
}

impl<'a> Writer<'a> {
    fn new(chart: &'a Chart) -> Self {
        let count = chart.regions.len();
        let mut made = Self {
            chart,
            arrows: vec![Vec::new(); count + 1],
            lines: all_lines(chart),
            out: String::new(),
        };
        for arrow in arrows(chart) {
            let home = home(chart, &arrow);
            if is_behind_lane(chart, arrow.from, home) || is_behind_lane(chart, arrow.to, home) {
                made.write(&arrow);
            } else {
                made.arrows[home.unwrap_or(count)].push(arrow);
            }
        }
        made
    }

    /// Writes an arrow in its source.
    fn write(&mut self, arrow: &Arrow) {
        let Some(source) = holder(self.chart, arrow.from) else {
            return;
        };
        let name = |end: End| match end {
            End::State(state) => self.chart.states[state].path.clone(),
            End::History(history) => self.chart.histories[history].name.clone(),
            End::Dot(_) | End::Shared(_) => String::new(),
        };
        let from = if matches!(arrow.from, End::History(_)) {
            format!("{} ", name(arrow.from))
        } else {
            String::new()
        };
        let text = format!("{from}{} → {}", arrow.words, name(arrow.to));
        self.lines[source].push(text);
    }

    /// The arrows of a region.
    fn arrows(&mut self, region: Option<usize>, depth: usize) {
        let place = region.unwrap_or(self.arrows.len() - 1);
        for arrow in std::mem::take(&mut self.arrows[place]) {
            let (from, to) = (self.id(arrow.from), self.id(arrow.to));
            let words = if arrow.words.is_empty() {
                String::new()
            } else {
                format!(" : {}", escaped(&arrow.words))
            };
            line(&mut self.out, depth, &format!("{from} --> {to}{words}"));
        }
    }

    fn id(&self, end: End) -> String {
        match end {
            End::Dot(_) => "[*]".to_owned(),
            End::History(history) if self.is_side_by_side(self.chart.histories[history].owner) => {
                let found = &self.chart.histories[history];
                format!("s{}[{}]", found.owner, if found.deep { "H*" } else { "H" })
            }
            other => id(other),
        }
    }

    fn is_side_by_side(&self, state: usize) -> bool {
        self.chart.states[state].regions.len() > 1
    }

    /// A state and what is inside. The depth of a machine is limited, so this is, too.
    fn state(&mut self, number: usize, depth: usize) {
        let found = &self.chart.states[number];
        let name = escaped(if number == 0 {
            &self.chart.name
        } else {
            &found.name
        });
        if found.kind == Kind::Choice {
            line(&mut self.out, depth, &format!("state s{number} <<choice>>"));
        } else if found.regions.is_empty() && found.histories.is_empty() {
            line(
                &mut self.out,
                depth,
                &format!("state \"{name}\" as s{number}"),
            );
        } else {
            line(
                &mut self.out,
                depth,
                &format!("state \"{name}\" as s{number} {{"),
            );
            let is_named = !self.is_side_by_side(number);
            for &history in found.histories.iter().filter(|_| is_named) {
                let kind = if self.chart.histories[history].deep {
                    "history*"
                } else {
                    "history"
                };
                line(
                    &mut self.out,
                    depth + 1,
                    &format!("state h{history} <<{kind}>>"),
                );
            }
            for (place, &region) in found.regions.iter().enumerate() {
                if place > 0 {
                    line(&mut self.out, depth + 1, "||");
                }
                for &child in &self.chart.regions[region].children {
                    self.state(child, depth + 1);
                }
                self.arrows(Some(region), depth + 1);
            }
            line(&mut self.out, depth, "}");
        }
        for text in std::mem::take(&mut self.lines[number]) {
            line(
                &mut self.out,
                depth,
                &format!("s{number} : {}", escaped(&text)),
            );
        }
        if found.kind == Kind::Final {
            line(&mut self.out, depth, &format!("s{number} --> [*]"));
        }
    }
}
