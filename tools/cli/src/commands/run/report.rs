//! The report of a run for people, in a terminal.

use std::fmt::Write;

use statewright_draw::visible;
use statewright_simulate::report::{bytes, number, rough};
use statewright_simulate::{Group, Outcome, PerCore};

/// Columns of the little charts.
const CHART: usize = 40;
/// Most lines of a list.
const MOST: usize = 12;
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Adds a line; writing to a string cannot fail.
macro_rules! line {
    ($out:expr, $($part:tt)*) => { _ = writeln!($out, $($part)*) };
}

/// The whole report.
pub(super) fn report(outcome: &Outcome) -> String {
    let mut out = String::new();
    head(&mut out, outcome);
    if let Some(before) = outcome.reloaded_after {
        line!(
            out,
            "\nstates, transitions and functions are counted since the last reload, in {} ticks; all else since the beginning",
            number(outcome.ticks - before)
        );
    }
    population(&mut out, outcome);
    transitions(&mut out, outcome);
    never(&mut out, outcome);
    functions(&mut out, outcome);
    out.push('\n');
    let troubles = troubles(outcome);
    if troubles.is_empty() {
        line!(
            out,
            "no tick was cut short, nothing was dropped, nobody failed"
        );
    }
    out + &troubles
}

fn head(out: &mut String, outcome: &Outcome) {
    let rate = f64::from(outcome.legend.tick_rate.max(1));
    line!(
        out,
        "{}: {} agents, {} ticks ({:.1} s at {rate} ticks per second), seed {}",
        visible(&outcome.legend.symbols.machine),
        number(outcome.agents.into()),
        number(outcome.ticks),
        outcome.ticks as f64 / rate,
        outcome.seed
    );
    if let Some(wanted) = outcome
        .wanted_ticks
        .filter(|&wanted| outcome.ticks < wanted)
    {
        line!(
            out,
            "  stopped early: {} ticks were asked for",
            number(wanted)
        );
    }
    let counters = &outcome.counters;
    line!(
        out,
        "  events    {} sent; with those of timers and of agents themselves {} were taken: {} handled, {} that nobody handles",
        number(outcome.sent),
        number(counters.events),
        number(counters.events.saturating_sub(counters.unhandled)),
        number(counters.unhandled)
    );
    let ended = if outcome.ended == 0 {
        String::new()
    } else {
        format!("; {} agents have ended", number(outcome.ended))
    };
    line!(
        out,
        "  changes   {} transitions{ended}",
        number(counters.transitions)
    );
    let seconds = outcome.ticking.as_secs_f64().max(1e-9);
    line!(
        out,
        "  time      {seconds:.2} s in ticks: {} ticks/s, {} million agents/s, {:.1} ns per agent and tick; {:.1} % of the agents had a turn",
        number((outcome.ticks as f64 / seconds) as u64),
        compact(outcome.agent_ticks() as f64 / seconds / 1e6),
        outcome.nanoseconds(),
        100.0 * outcome.turns as f64 / outcome.agent_ticks().max(1) as f64
    );
    one_core(out, outcome);
    let peak = outcome.peak_bytes.map_or_else(String::new, |peak| {
        format!(", {} at most in all", bytes(peak))
    });
    line!(
        out,
        "  memory    {} of agents, {} of blackboards{peak}",
        bytes(outcome.instance_bytes as u64),
        bytes(outcome.board_bytes as u64)
    );
}

/// How many agents one core could carry, if this run can tell.
fn one_core(out: &mut String, outcome: &Outcome) {
    let rate = outcome.legend.tick_rate;
    match outcome.agents_per_core() {
        PerCore::Agents(agents) => line!(
            out,
            "  one core  could carry about {} agents at {rate} ticks per second, with functions as cheap as those that stood in",
            rough(agents)
        ),
        PerCore::TooLittle => line!(
            out,
            "  one core  unknown: too few agents or ticks to tell how many it could carry"
        ),
        PerCore::Unmeasured => line!(
            out,
            "  one core  unknown on several threads here: `--threads 1` tells how many agents it could carry"
        ),
    }
}

/// How many agents are where: at the end, and over time; each of several regions by itself.
fn population(out: &mut String, outcome: &Outcome) {
    line!(
        out,
        "\nwhere agents are                 at the end         over time, each row up to its      most"
    );
    for group in outcome.groups() {
        if let Some(region) = &group.region {
            let inside = group.whole.last().copied().unwrap_or(0);
            line!(out, "  {}, of {} agents", visible(region), number(inside));
        }
        let series = &group.series;
        let shown = if group.region.is_none() {
            MOST * 2
        } else {
            MOST
        };
        for series in series.iter().take(shown) {
            row(out, &group, group.short_name(series.name), &series.counts);
        }
        rest(out, series.len(), shown, "states");
        if group.region.is_none() && outcome.ended != 0 {
            row(out, &group, "(ended)", &outcome.ended_series());
        }
    }
}

/// One line: at the end, over time, at most.
fn row(out: &mut String, group: &Group<'_>, name: &str, counts: &[u64]) {
    let last = counts.last().copied().unwrap_or(0);
    let most = counts.iter().copied().max().unwrap_or(0);
    let chart: String = shrink(counts, CHART)
        .into_iter()
        .map(|count| level(count, most))
        .collect();
    line!(
        out,
        "  {:<28} {:>10} {:>5.1} %  {chart:<CHART$} {:>10}",
        short(name, 28),
        number(last),
        group.percent(last),
        number(most)
    );
}

fn transitions(out: &mut String, outcome: &Outcome) {
    let hottest = outcome.hottest();
    let most = hottest.first().map_or(0, |(_, count)| *count);
    line!(out, "\ntransitions, most often first");
    for &(transition, count) in hottest.iter().take(MOST) {
        let bar = "█".repeat(((count as f64 / most as f64) * 12.0).ceil() as usize);
        line!(
            out,
            "  {:>12} {bar:<12} {}",
            number(count),
            visible(&outcome.transition(transition))
        );
    }
    rest(out, hottest.len(), MOST, "transitions");
    if hottest.is_empty() {
        line!(out, "  none was taken");
    }
}

fn never(out: &mut String, outcome: &Outcome) {
    let (states, transitions) = (outcome.never_visited(), outcome.never_taken());
    if !states.is_empty() {
        line!(out, "\nstates where nobody ever was");
        states
            .iter()
            .take(MOST)
            .for_each(|name| line!(out, "  {}", visible(name)));
        rest(out, states.len(), MOST, "states");
    }
    if !transitions.is_empty() {
        line!(out, "\ntransitions that were never taken");
        transitions
            .iter()
            .take(MOST)
            .for_each(|&number| line!(out, "  {}", visible(&outcome.transition(number))));
        rest(out, transitions.len(), MOST, "transitions");
        line!(
            out,
            "  (what depends on the blackboard needs somebody who writes it: `--script` with `set`)"
        );
    }
    if states.is_empty() && transitions.is_empty() {
        line!(out, "\nall states were visited and all transitions taken");
    }
}

/// Functions that the game would provide.
fn functions(out: &mut String, outcome: &Outcome) {
    if outcome.functions.is_empty() {
        return;
    }
    line!(
        out,
        "\nfunctions of the game, for which something stood in (guards: {})",
        outcome.stub_guards.word()
    );
    let mut functions: Vec<_> = outcome.functions.iter().collect();
    functions.sort_by_key(|function| (std::cmp::Reverse(function.calls), function.name.clone()));
    for function in functions.iter().take(MOST) {
        line!(
            out,
            "  {:>12} calls of {} {}",
            number(function.calls),
            function.kind,
            visible(&function.name)
        );
    }
    rest(out, functions.len(), MOST, "functions");
}

/// What went wrong, and nothing else.
pub(super) fn troubles(outcome: &Outcome) -> String {
    let mut out = String::new();
    let troubles = outcome.troubles();
    if !troubles.is_empty() {
        line!(out, "worth a look");
    }
    for (what, count) in troubles {
        line!(out, "  {:>12} {what}", number(count));
    }
    out
}

fn rest(out: &mut String, count: usize, shown: usize, what: &str) {
    if count > shown {
        line!(
            out,
            "  … and {} {what} more (`--json` has all)",
            count - shown
        );
    }
}

/// So many points at most: each stands for the largest of those that it replaces.
fn shrink(counts: &[u64], columns: usize) -> Vec<u64> {
    let columns = columns.min(counts.len());
    let bounds = (0..columns).map(|column| {
        (
            column * counts.len() / columns,
            (column + 1) * counts.len() / columns,
        )
    });
    bounds
        .map(|(from, to)| counts[from..to].iter().copied().max().unwrap_or(0))
        .collect()
}

fn level(count: u64, most: u64) -> char {
    match count {
        0 => ' ',
        _ => LEVELS[((count as f64 / most as f64 * 8.0).ceil() as usize).clamp(1, 8) - 1],
    }
}

/// A name that fits: the front makes room, since paths differ at their end.
fn short(name: &str, columns: usize) -> String {
    let name = visible(name);
    let length = name.chars().count();
    if length <= columns {
        return name;
    }
    std::iter::once('…')
        .chain(name.chars().skip(length - columns + 1))
        .collect()
}

fn compact(number: f64) -> String {
    if number >= 100.0 {
        format!("{number:.0}")
    } else {
        format!("{number:.1}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charts_and_names_are_readable() {
        assert_eq!(shrink(&[1, 5, 2, 9, 0, 3], 3), [5, 9, 3]);
        assert_eq!(shrink(&[4], 40), [4]);
        assert_eq!(
            [0, 1, 50, 100].map(|count| level(count, 100)),
            [' ', '▁', '▄', '█']
        );
        assert_eq!(short("alive/combat/approach", 10), "…/approach");
        assert_eq!(short("\x1b[31mred", 30), visible("\x1b[31mred"));
    }
}
