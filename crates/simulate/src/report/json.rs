//! The report of a run for tools.

use serde_json::{Value, json};
use statewright::Counters;

use crate::cost::PerCore;
use crate::outcome::Outcome;

/// `null` where a figure would mean nothing.
fn agents_per_core(outcome: &Outcome) -> Option<u64> {
    match outcome.agents_per_core() {
        PerCore::Agents(agents) => Some(agents),
        PerCore::TooLittle | PerCore::Unmeasured => None,
    }
}

/// Everything that the report shows, and all of it.
pub fn json(outcome: &Outcome) -> Value {
    let legend = &outcome.legend;
    let counters: serde_json::Map<String, Value> = Counters::NAMES
        .iter()
        .zip(outcome.counters.values())
        .map(|(name, value)| ((*name).to_owned(), value.into()))
        .collect();
    let transitions: Vec<Value> = outcome
        .written()
        .into_iter()
        .map(|(number, taken)| json!({ "transition": number, "way": legend.way(number), "text": outcome.transition(number), "taken": taken }))
        .collect();
    let states: Vec<Value> = (0_u16..)
        .zip(&legend.states)
        .zip(&outcome.visits)
        .map(|((number, state), visits)| json!({ "name": legend.state(number), "leaf": state.is_leaf, "visits": visits }))
        .collect();
    let population: Vec<Value> = outcome
        .series()
        .iter()
        .map(|series| json!({ "state": series.name, "counts": series.counts }))
        .collect();
    let ticks: Vec<u64> = outcome.samples.iter().map(|sample| sample.tick).collect();
    let functions: Vec<Value> = outcome
        .functions
        .iter()
        .map(
            |function| json!({ "name": function.name, "kind": function.kind.to_string(), "calls": function.calls }),
        )
        .collect();
    json!({
        "machine": legend.symbols.machine,
        "agents": outcome.agents,
        "ticks": outcome.ticks,
        "wanted_ticks": outcome.wanted_ticks,
        "counted_since_tick": outcome.reloaded_after.unwrap_or(0),
        "seed": outcome.seed,
        "events_sent": outcome.sent,
        "turns": outcome.turns,
        "ended": outcome.ended,
        "counters": counters,
        "time": {
            "ticking_seconds": outcome.ticking.as_secs_f64(),
            "elapsed_seconds": outcome.elapsed.as_secs_f64(),
            "nanoseconds_per_agent_tick": outcome.nanoseconds(),
            "processor_seconds": outcome.processor.map(|time| time.as_secs_f64()),
            "agents_per_core": agents_per_core(outcome),
        },
        "memory": {
            "instance_bytes": outcome.instance_bytes,
            "blackboard_bytes": outcome.board_bytes,
            "peak_bytes": outcome.peak_bytes,
        },
        "population": { "ticks": ticks, "leaves": population, "ended": outcome.ended_series() },
        "states": states,
        "transitions": transitions,
        "functions": functions,
        "stub_guards": outcome.stub_guards.word(),
    })
}
