//! One line per record: tick, agent, what happened.

use std::fmt::Write;

use statewright_trace::Kind;
use statewright_trace::file::Reload;

use super::Shown;

/// The lines. Those of one agent and tick belong together: only the first has its number.
pub(super) fn lines(shown: &Shown<'_>, paints: bool) -> String {
    let ticks = shown
        .entries
        .iter()
        .map(|entry| entry.tick)
        .max()
        .unwrap_or(0)
        .to_string()
        .len()
        .max(4);
    let agents = shown
        .entries
        .iter()
        .map(|entry| entry.record.agent.get())
        .max()
        .unwrap_or(0)
        .to_string()
        .len()
        .max(5);
    let mut out = String::new();
    if shown.entries.is_empty() {
        return out;
    }
    // Nothing can go wrong: this writes to memory.
    let tell = |out: &mut String, reload: &Reload| {
        _ = writeln!(out, "{:>ticks$}  {:>agents$}  {reload}", reload.tick, "");
    };
    _ = writeln!(
        out,
        "{:>ticks$}  {:>agents$}  what happened",
        "tick", "agent"
    );
    for (reloads, entry) in shown.with_reloads() {
        reloads.iter().for_each(|reload| tell(&mut out, reload));
        let words = shown.legend(entry).words(&entry.record);
        let words = if paints {
            painted(&words, entry.record.kind())
        } else {
            words
        };
        _ = writeln!(
            out,
            "{:>ticks$}  {:>agents$}  {words}",
            entry.tick,
            entry.record.agent.get()
        );
    }
    let last = shown.last_reloads().iter();
    last.for_each(|reload| tell(&mut out, reload));
    out
}

/// Transitions stand out, what went wrong is red, details step back.
fn painted(words: &str, kind: Option<Kind>) -> String {
    let code = match kind {
        Some(Kind::Transition) => "1",
        Some(
            Kind::Faulted
            | Kind::Panicked
            | Kind::Lost
            | Kind::EventLost
            | Kind::Clamped
            | Kind::FailSafe,
        ) => "91",
        Some(Kind::Rejected | Kind::Unhandled | Kind::Deferred | Kind::Latched) => "33",
        Some(Kind::Leaf | Kind::Present | Kind::Started) => "36",
        Some(
            Kind::Terminated
            | Kind::Despawned
            | Kind::Timer
            | Kind::Entered
            | Kind::Exited
            | Kind::Suspended
            | Kind::Resumed
            | Kind::TimerSet
            | Kind::TimerStopped
            | Kind::Event
            | Kind::Guard
            | Kind::Activity
            | Kind::Wrote
            | Kind::Command
            | Kind::More
            | Kind::Read
            | Kind::Asked
            | Kind::Score
            | Kind::Gave
            | Kind::Drew,
        )
        | None => "2",
    };
    format!("\x1b[{code}m{words}\x1b[0m")
}
