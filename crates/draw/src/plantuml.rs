//! PlantUML: a state diagram.

use std::fmt::Write;

use crate::chart::{Chart, Kind};
use crate::escape::plantuml as escaped;
use crate::outline::{Tip, all_lines, arrows, id};

/// The machine as a PlantUML state diagram.
pub fn plantuml(chart: &Chart) -> String {
    let mut out = String::from("@startuml\nhide empty description\n");
    _ = writeln!(out, "title {}", escaped(&chart.name));
    let (lines, arrows) = (all_lines(chart), arrows(chart));
    let mut starts: Vec<Vec<(String, String)>> = vec![Vec::new(); chart.regions.len()];
    for arrow in &arrows {
        if let Tip::Start(region) = arrow.from {
            starts[region].push((id(arrow.to), arrow.words.clone()));
        }
    }
    state(chart, &lines, &starts, 0, 0, &mut out);
    for arrow in &arrows {
        if !matches!(arrow.from, Tip::Start(_)) {
            line(&mut out, 0, &joined(&id(arrow.from), &id(arrow.to), &arrow.words));
        }
    }
    out + "@enduml\n"
}

fn line(out: &mut String, depth: usize, text: &str) {
    _ = writeln!(out, "{:1$}{text}", "", depth * 2);
}

fn joined(from: &str, to: &str, words: &str) -> String {
    match words {
        "" => format!("{from} --> {to}"),
        words => format!("{from} --> {to} : {}", escaped(words)),
    }
}

/// A state and what is inside. The depth of a machine is limited, so this is, too.
fn state(
    chart: &Chart,
    lines: &[Vec<String>],
    starts: &[Vec<(String, String)>],
    number: usize,
    depth: usize,
    out: &mut String,
) {
    let found = &chart.states[number];
    let name = escaped(if number == 0 { &chart.name } else { &found.name });
    if found.kind == Kind::Choice {
        line(out, depth, &format!("state s{number} <<choice>>"));
    } else if found.regions.is_empty() && found.histories.is_empty() {
        line(out, depth, &format!("state \"{name}\" as s{number}"));
    } else {
        line(out, depth, &format!("state \"{name}\" as s{number} {{"));
        for &history in &found.histories {
            let kind = if chart.histories[history].deep { "history*" } else { "history" };
            line(out, depth + 1, &format!("state h{history} <<{kind}>>"));
        }
        for (place, &region) in found.regions.iter().enumerate() {
            if place > 0 {
                line(out, depth + 1, "||");
            }
            for (to, words) in &starts[region] {
                line(out, depth + 1, &joined("[*]", to, words));
            }
            for &child in &chart.regions[region].children {
                state(chart, lines, starts, child, depth + 1, out);
            }
        }
        line(out, depth, "}");
    }
    for text in &lines[number] {
        line(out, depth, &format!("s{number} : {}", escaped(text)));
    }
    if found.kind == Kind::Final {
        line(out, depth, &format!("s{number} --> [*]"));
    }
}
