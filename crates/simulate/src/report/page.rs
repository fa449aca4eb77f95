//! The report of a run as one page: plots, the picture of the machine colored by use, tables.
//! Nothing is loaded, nothing runs.

use std::fmt::Write;

use statewright_draw::xml;

use super::{bytes, number, plot, put, rough};
use crate::cost::PerCore;
use crate::outcome::Outcome;

const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#17202e;--soft:#5b687c;--paper:#fff;--line:#d5dce6;--bar:#7fa6cc}
@media (prefers-color-scheme: dark){:root{--ink:#e6ebf3;--soft:#a0adc0;--paper:#0d1117;--line:#2b3544;--bar:#3f6ea0}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:1200px;margin:2rem auto;padding:0 1rem}
h1{margin-bottom:0}p.lead{color:var(--soft);margin-top:.2rem}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(200px,1fr));gap:.8rem;margin:1.2rem 0}
.facts div{border:1px solid var(--line);border-radius:8px;padding:.6rem .9rem}
.facts b{display:block;font-size:1.35rem}.facts span{color:var(--soft)}
svg{max-width:100%;height:auto}
.picture{overflow:auto;max-height:88vh;resize:vertical;border:1px solid var(--line);border-radius:8px;padding:.5rem;margin-top:.5rem}
.zoom input{position:absolute;opacity:0}.zoom label{display:inline-block;border:1px solid var(--line);border-radius:6px;padding:.1rem .7rem;margin-right:.3rem;cursor:pointer}
.zoom input:checked+label{background:var(--bar);color:#fff}.zoom input:focus-visible+label{outline:2px solid var(--ink)}
.zoom input:not(#fit):checked~.picture svg{max-width:none}#half:checked~.picture svg{zoom:.5}#double:checked~.picture svg{zoom:2}
.picture g[data-state]:hover>.box{stroke-width:3}.picture g[data-transitions]:hover .line{stroke-width:4}
table{border-collapse:collapse;width:100%}td,th{padding:.25rem .6rem;border-bottom:1px solid var(--line);text-align:left}
td.n{text-align:right;font-variant-numeric:tabular-nums}td.b{width:30%}
td.b i{display:block;height:.8em;border-radius:3px;background:var(--bar)}
";

/// The page. `picture` is the machine, colored by use.
pub fn page(outcome: &Outcome, picture: &str) -> String {
    let mut out = String::new();
    let name = xml(&outcome.legend.symbols.machine);
    put!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">"
    );
    put!(
        out,
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
    );
    put!(
        out,
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
    );
    put!(
        out,
        "<title>{name}: a run</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{name}</h1>"
    );
    let early = if outcome
        .wanted_ticks
        .is_some_and(|wanted| outcome.ticks < wanted)
    {
        ", stopped early"
    } else {
        ""
    };
    put!(
        out,
        "<p class=\"lead\">{} agents, {} ticks{early}, seed {}</p>",
        number(outcome.agents.into()),
        number(outcome.ticks),
        outcome.seed
    );
    put!(out, "<p>{}</p>", xml(&at_the_end(outcome)));
    facts(&mut out, outcome);
    put!(out, "<h2>Where agents are</h2>\n{}", plot(outcome));
    if outcome.groups().iter().any(|group| group.region.is_some()) {
        put!(
            out,
            "<p class=\"lead\">A state with several regions is one of the states of the machine; each region has the shares of those who are in it.</p>"
        );
    }
    machine(&mut out, picture);
    tables(&mut out, outcome);
    put!(out, "</body>\n</html>");
    out
}

/// Where most agents are at last, in a sentence.
fn at_the_end(outcome: &Outcome) -> String {
    let groups = outcome.groups();
    let whole = groups.iter().filter(|group| group.region.is_none());
    let mut most: Vec<(&str, u64)> = whole
        .flat_map(|group| &group.series)
        .map(|series| (series.name, series.last()))
        .chain([("(ended)", outcome.ended)])
        .filter(|&(_, count)| count != 0)
        .collect();
    most.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    let words: Vec<String> = most
        .iter()
        .take(4)
        .map(|&(name, count)| format!("{:.1} % {name}", outcome.percent(count)))
        .collect();
    let rest = if most.len() > words.len() {
        " …"
    } else {
        "."
    };
    match words.is_empty() {
        true => String::new(),
        false => format!("At the end: {}{rest}", words.join(", ")),
    }
}

/// The picture of the machine, to be zoomed without a script; counts are shown under the pointer.
fn machine(out: &mut String, picture: &str) {
    if picture.is_empty() {
        return;
    }
    put!(
        out,
        "<h2>The machine, colored by use</h2>\n<p class=\"lead\">Counts are shown under the pointer.</p>\n<div class=\"zoom\">"
    );
    let sizes = [
        ("fit", "Fit", " checked"),
        ("half", "50 %", ""),
        ("full", "100 %", ""),
        ("double", "200 %", ""),
    ];
    for (id, words, checked) in sizes {
        put!(
            out,
            "<input type=\"radio\" name=\"zoom\" id=\"{id}\"{checked}><label for=\"{id}\">{words}</label>"
        );
    }
    put!(out, "<div class=\"picture\">\n{picture}</div>\n</div>");
}

fn facts(out: &mut String, outcome: &Outcome) {
    let seconds = outcome.ticking.as_secs_f64().max(1e-9);
    let peak = outcome
        .peak_bytes
        .map_or_else(|| "unknown".to_owned(), bytes);
    let mut facts = vec![
        (
            number(outcome.counters.transitions),
            "transitions".to_owned(),
        ),
        (
            number(outcome.sent),
            format!(
                "events sent, {} that nobody handles",
                number(outcome.counters.unhandled)
            ),
        ),
        (
            format!("{:.1} ns", outcome.nanoseconds()),
            "per agent and tick".to_owned(),
        ),
        (
            number((outcome.ticks as f64 / seconds) as u64),
            "ticks per second".to_owned(),
        ),
        (
            bytes((outcome.instance_bytes + outcome.board_bytes) as u64),
            format!("agents and blackboards; {peak} at most in all"),
        ),
    ];
    if let PerCore::Agents(agents) = outcome.agents_per_core() {
        let rate = outcome.legend.tick_rate;
        let what = format!("agents that one core could carry at {rate} ticks per second");
        facts.push((rough(agents), what));
    }
    put!(out, "<div class=\"facts\">");
    facts
        .iter()
        .for_each(|(figure, what)| put!(out, "<div><b>{figure}</b><span>{what}</span></div>"));
    put!(out, "</div>");
}

fn tables(out: &mut String, outcome: &Outcome) {
    let hottest = outcome.hottest();
    let rows = hottest
        .iter()
        .map(|&(transition, count)| (outcome.transition(transition), count));
    table(out, "Transitions", rows);
    list(
        out,
        "Never taken",
        outcome
            .never_taken()
            .into_iter()
            .map(|number| outcome.transition(number)),
    );
    list(
        out,
        "Never visited",
        outcome.never_visited().into_iter().map(str::to_owned),
    );
    let functions = outcome.functions.iter().map(|function| {
        (
            format!("{} {}", function.kind, function.name),
            function.calls,
        )
    });
    table(
        out,
        &format!(
            "Functions of the game, for which something stood in (guards: {})",
            outcome.stub_guards.word()
        ),
        functions,
    );
    let troubles = outcome.troubles();
    table(
        out,
        "Worth a look",
        troubles
            .iter()
            .map(|(what, count)| ((*what).to_owned(), *count)),
    );
}

/// Counts with bars; nothing without rows.
fn table(out: &mut String, title: &str, rows: impl Iterator<Item = (String, u64)>) {
    let rows: Vec<(String, u64)> = rows.collect();
    let most = rows
        .iter()
        .map(|(_, count)| *count)
        .max()
        .unwrap_or(0)
        .max(1);
    if rows.is_empty() {
        return;
    }
    put!(out, "<h2>{}</h2>\n<table>", xml(title));
    for (what, count) in rows {
        let share = 100.0 * count as f64 / most as f64;
        put!(
            out,
            "<tr><td class=\"n\">{}</td><td class=\"b\"><i style=\"width:{share:.1}%\"></i></td><td>{}</td></tr>",
            number(count),
            xml(&what)
        );
    }
    put!(out, "</table>");
}

fn list(out: &mut String, title: &str, items: impl Iterator<Item = String>) {
    let items: Vec<String> = items
        .map(|item| format!("<li>{}</li>", xml(&item)))
        .collect();
    if !items.is_empty() {
        put!(out, "<h2>{title}</h2>\n<ul>{}</ul>", items.join("\n"));
    }
}
