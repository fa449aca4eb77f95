//! One HTML page about a machine: picture, states, events, transitions, data, budgets, warnings.
//! Nothing is loaded from anywhere, nothing runs, and the page forbids both.

mod tables;

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::Value;
use statewright_author::graph;
use statewright_compile::report::Report;

use crate::chart::Chart;
use crate::escape::xml;
use crate::svg::{Options, svg};

/// What is known of a machine besides its chart.
#[derive(Clone, Copy, Debug, Default)]
pub struct Facts<'a> {
    /// As its author wrote it: has the texts that say what things are for.
    pub machine: Option<&'a graph::Machine>,
    /// What the compiler says about its cost.
    pub report: Option<&'a Report>,
    /// Problems as `render_json` of the author crate gives them.
    pub problems: Option<&'a Value>,
}

/// The page.
pub fn page(chart: &Chart, facts: &Facts<'_>, options: &Options) -> String {
    let docs = Docs::new(facts.machine);
    let mut out = Html::default();
    let name = xml(&chart.name);
    out.raw(HEAD);
    put(
        &mut out,
        format_args!(
            "<title>{name}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{name}</h1>\n"
        ),
    );
    if let Some(doc) = facts.machine.and_then(|machine| machine.doc.as_deref()) {
        out.paragraph("lead", doc);
    }
    out.paragraph("", &summary(chart));
    out.raw(CONTENTS);
    problems(&mut out, facts.problems);
    out.heading("picture", "Picture");
    let drawing = svg(chart, options);
    put(
        &mut out,
        format_args!("<div class=\"picture\">\n{}</div>\n", drawing.svg),
    );
    out.paragraph("lead small", KEY);
    tables::all(&mut out, chart, &docs);
    budgets(&mut out, chart, facts.report);
    out.raw("</body>\n</html>\n");
    out.text
}

fn put(out: &mut Html, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    _ = out.text.write_fmt(text);
}

fn summary(chart: &Chart) -> String {
    let model = &chart.model;
    format!(
        "{}, {}, {}. Tier {}, {} ticks per second.",
        counted(chart.states.len(), "state"),
        counted(chart.drawn().count(), "transition"),
        counted(model.events.len(), "event"),
        model.tier,
        model.tick_rate
    )
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn counted(count: usize, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}

/// What things are for, by what they are and their name or path.
pub(crate) struct Docs(BTreeMap<(&'static str, String), String>);

impl Docs {
    fn new(machine: Option<&graph::Machine>) -> Self {
        let mut docs = BTreeMap::new();
        let Some(machine) = machine else {
            return Self(docs);
        };
        let mut add = |kind, name: &str, doc: &Option<String>| {
            if let Some(doc) = doc {
                docs.insert((kind, name.to_owned()), doc.clone());
            }
        };
        machine
            .events
            .iter()
            .for_each(|one| add("event", &one.name.value, &one.doc));
        machine
            .blackboard
            .iter()
            .for_each(|one| add("key", &one.name.value, &one.doc));
        machine
            .parameters
            .iter()
            .for_each(|one| add("parameter", &one.name.value, &one.doc));
        machine
            .variants
            .iter()
            .for_each(|one| add("variant", &one.name.value, &one.doc));
        machine
            .channels
            .iter()
            .for_each(|one| add("channel", &one.name.value, &one.doc));
        machine
            .lanes
            .iter()
            .for_each(|one| add("lane", &one.name.value, &one.doc));
        machine
            .timers
            .iter()
            .for_each(|one| add("timer", &one.name.value, &one.doc));
        machine
            .functions
            .iter()
            .for_each(|one| add("function", &one.name.value, &one.doc));
        let mut waiting: Vec<(String, &graph::State)> = vec![(String::new(), &machine.root)];
        while let Some((path, state)) = waiting.pop() {
            add(
                "state",
                if path.is_empty() { "root" } else { &path },
                &state.doc,
            );
            for child in state.regions.iter().flat_map(|region| &region.states) {
                let name = &child.name.value;
                waiting.push((
                    if path.is_empty() {
                        name.clone()
                    } else {
                        format!("{path}/{name}")
                    },
                    child,
                ));
            }
        }
        Self(docs)
    }

    pub(crate) fn get(&self, kind: &'static str, name: &str) -> String {
        self.0
            .get(&(kind, name.to_owned()))
            .cloned()
            .unwrap_or_default()
    }
}

/// A page under construction. Only `raw` takes markup.
#[derive(Default)]
pub(crate) struct Html {
    text: String,
}

impl Html {
    fn raw(&mut self, markup: &str) {
        self.text.push_str(markup);
    }

    fn paragraph(&mut self, class: &str, text: &str) {
        let class = if class.is_empty() {
            String::new()
        } else {
            format!(" class=\"{class}\"")
        };
        put(self, format_args!("<p{class}>{}</p>\n", xml(text)));
    }

    pub(crate) fn heading(&mut self, id: &str, text: &str) {
        put(self, format_args!("<h2 id=\"{id}\">{}</h2>\n", xml(text)));
    }

    /// A table; columns that are empty in every row are left out. A cell may have several lines.
    pub(crate) fn table(&mut self, columns: &[&str], rows: &[Vec<String>]) {
        let is_shown: Vec<bool> = (0..columns.len())
            .map(|column| {
                rows.iter()
                    .any(|row| row.get(column).is_some_and(|cell| !cell.is_empty()))
            })
            .collect();
        let shown = |cells: &mut dyn Iterator<Item = String>, tag: &str| -> String {
            let kept = cells.zip(&is_shown).filter(|(_, is_shown)| **is_shown);
            let lines = |cell: &str| cell.split('\n').map(xml).collect::<Vec<_>>().join("<br/>");
            kept.map(|(cell, _)| format!("<{tag}>{}</{tag}>", lines(&cell)))
                .collect()
        };
        let head = shown(&mut columns.iter().map(|&column| column.to_owned()), "th");
        put(
            self,
            format_args!("<div class=\"wide\"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n"),
        );
        for row in rows {
            put(
                self,
                format_args!("<tr>{}</tr>\n", shown(&mut row.iter().cloned(), "td")),
            );
        }
        self.raw("</tbody>\n</table></div>\n");
    }
}

fn problems(out: &mut Html, problems: Option<&Value>) {
    let found = problems.map_or(&[][..], list);
    if problems.is_none() {
        return;
    }
    out.heading("warnings", "Warnings");
    if found.is_empty() {
        return out.paragraph(
            "",
            "None: the compiler has nothing to say against this machine.",
        );
    }
    let rows: Vec<Vec<String>> = found
        .iter()
        .map(|problem| {
            let start = &problem["range"]["start"];
            let place = if start.is_null() {
                text(&problem["path"])
            } else {
                format!("line {}", start["line"])
            };
            vec![
                text(&problem["code"]),
                place,
                text(&problem["message"]),
                text(&problem["help"]),
            ]
        })
        .collect();
    out.table(&["Code", "Where", "What", "What to do"], &rows);
}

fn budgets(out: &mut Html, chart: &Chart, report: Option<&Report>) {
    let model = &chart.model;
    out.heading("budgets", "Budgets and tier");
    let caps = &model.budgets;
    let mut rows = vec![vec!["Tier".to_owned(), model.tier.to_string()]];
    let row = |what: &str, value: String| vec![what.to_owned(), value];
    if let Some(report) = report {
        rows.push(row("Bytes per agent", report.instance_bytes.to_string()));
        rows.push(row("Bytes of the ROM", report.rom_bytes.to_string()));
        for resource in &report.resources {
            rows.push(row(
                &capital(resource.resource),
                format!("{} of {}", resource.used, resource.capacity),
            ));
        }
        let (cost, limit) = report.highest_cost;
        rows.push(row(
            "States in the largest transition",
            format!("{cost} of {limit}"),
        ));
        rows.push(row(
            "Chain of eventless transitions",
            report.eventless_chain.clone(),
        ));
        rows.push(row(
            "Functions that use the random generator",
            report.rng_functions.join(", "),
        ));
    }
    rows.push(row("Events per tick", caps.events_per_tick.to_string()));
    rows.push(row(
        "Microsteps per tick",
        caps.microsteps_per_tick.to_string(),
    ));
    rows.push(row(
        "Clamped ticks before the fail-safe",
        caps.clamp_limit.to_string(),
    ));
    rows.push(row(
        "Bytes of commands per agent and tick",
        caps.command_bytes.to_string(),
    ));
    rows.push(row(
        "Fail-safe state",
        model
            .fail_safe
            .as_ref()
            .map_or_else(|| "the initial state".to_owned(), ToString::to_string),
    ));
    let policies: Vec<&str> = model.policies.on().collect();
    rows.push(row("Policies", policies.join(", ")));
    rows.retain(|row| !row[1].is_empty());
    out.table(&["What", "Value"], &rows);
    let Some(report) = report else { return };
    if !report.payments.is_empty() {
        out.heading("payments", "Who pays for what");
        let rows: Vec<Vec<String>> = report
            .payments
            .iter()
            .map(|payment| {
                let last = payment.first + payment.count.max(1) - 1;
                let places = if payment.count == 1 {
                    payment.first.to_string()
                } else {
                    format!("{}–{last}", payment.first)
                };
                let kept = if payment.shared {
                    ""
                } else {
                    ", kept for the life of the machine"
                };
                vec![
                    payment.state.clone(),
                    payment.resource.to_owned(),
                    places,
                    format!("{}{kept}", payment.why),
                ]
            })
            .collect();
        out.table(&["State", "Resource", "Places", "Why"], &rows);
    }
    if !report.polling_states.is_empty() {
        out.heading("awake", "States that never sleep");
        let rows: Vec<Vec<String>> = report
            .polling_states
            .iter()
            .map(|line| {
                let (state, why) = line.split_once(": ").unwrap_or((line, ""));
                vec![state.to_owned(), why.to_owned()]
            })
            .collect();
        out.table(&["State", "Why"], &rows);
    }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

const HEAD: &str = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n";

const KEY: &str = "A dot is where a region starts, a ring with a dot a final state, a diamond a choice, H a history point (H* a deep one). \
Dashed lines separate regions that are active together. A line says: trigger [guard] / effects {what else decides}. Red lines \
are interrupts.";

const CONTENTS: &str = "<nav><a href=\"#picture\">Picture</a> <a href=\"#states\">States</a> <a href=\"#events\">Events</a> \
<a href=\"#transitions\">Transitions</a> <a href=\"#data\">Data</a> <a href=\"#budgets\">Budgets</a></nav>\n";

const STYLE: &str = ":root{color-scheme:light dark;--ink:#17202e;--soft:#57647a;--paper:#fff;--band:#f3f6fa;--edge:#d5dce6;--link:#1d5fb8}
@media (prefers-color-scheme:dark){:root{--ink:#e6ecf3;--soft:#9fadc0;--paper:#0d1117;--band:#171e28;--edge:#2d3746;--link:#79b4ff}}
body{margin:0 auto;padding:1.5rem clamp(1rem,4vw,3rem);max-width:80rem;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif}
h1{margin:.2em 0}h2{margin:2em 0 .5em;font-size:1.25rem}
.lead{font-size:1.1rem;color:var(--soft)}.small{font-size:.875rem}
nav{display:flex;flex-wrap:wrap;gap:1rem}a{color:var(--link)}
.picture,.wide{overflow-x:auto}.picture svg{display:block;border:1px solid var(--edge);border-radius:8px}
table{border-collapse:collapse;font-size:.875rem;min-width:40%}
th,td{text-align:left;vertical-align:top;padding:.35rem .75rem;border-bottom:1px solid var(--edge)}
th{background:var(--band);white-space:nowrap}tbody tr:hover{background:var(--band)}
td:first-child{font-weight:600}
@media print{nav{display:none}}
";
