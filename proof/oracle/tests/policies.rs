//! `internal_first`, observers, commands, parameters: EVT-8, EVT-10, CODE-3, CMD-4, TICK-1.

use crate::common::{Bench, Notes, read};
use statewright_oracle::{Oracle, Outcome, Quarantine, Tier};

#[test]
fn evt_10_timers_by_deadline_between_internal_and_external_events() {
    let mut bench = Bench::new(
        r#"{ "machine": "M", "events": ["A", "B", "C"], "policies": { "internal_first": true }, "timers": ["t", "u"],
          "states": { "s": { "entry": [{ "start": "t", "after": "3t" }, { "start": "u", "after": "2t" }], "transitions": [
            { "timer": "t", "do": ["T", { "raise": "C" }] }, { "timer": "u", "do": "U" },
            { "on": "A", "do": "DoA" }, { "on": "B", "do": "DoB" }, { "on": "C", "do": "DoC" } ] } } }"#,
    );
    bench.tick();
    bench.skip(9);
    let inbox = [bench.inbox("B")];
    bench.post("A");
    assert_eq!(bench.tick_with(&inbox), "U T DoC DoA DoB");
}

#[test]
fn evt_10_timer_overflow_and_the_microstep_cap_quarantine() {
    let mut bench = Bench::new(
        r#"{ "machine": "M", "events": ["A"], "policies": { "internal_first": true }, "timers": ["t"],
          "states": { "s": { "transitions": [{ "on": "A", "do": [{ "start": "t", "after": "3t" }, { "start": "t", "after": "3t" }] }, { "timer": "t", "do": "T" }] } } }"#,
    );
    bench.tick();
    bench.send(&["A"]);
    assert_eq!(bench.last.quarantine, Some(Quarantine::TimerOverflow));
    assert_eq!(bench.oracle.snapshot().timers, []);
    let mut bench = Bench::new(
        r#"{ "machine": "M", "events": ["A"], "policies": { "internal_first": true },
          "states": { "s": { "activity": "Act", "transitions": [{ "on": "A", "do": { "raise": "A" } }] } } }"#,
    );
    bench.tick();
    bench.tick();
    // The event cap comes first: the rest waits for the next tick.
    bench.send(&["A"]);
    assert!(!bench.last.clamped && bench.last.quarantine.is_none());
    assert_eq!(bench.oracle.snapshot().queue.len(), 1);
    let mut bench = Bench::new(
        r#"{ "machine": "M", "policies": { "internal_first": true }, "blackboard": { "n": "i32" },
          "states": { "s": { "transitions": [{ "when": "always", "if": "n >= 0", "do": "n += 1" }] } } }"#,
    );
    bench.tick();
    assert_eq!(
        (bench.last.microsteps, bench.last.quarantine),
        (256, Some(Quarantine::MicrostepCap))
    );
    assert_eq!(bench.notes.keys[0][0], 256);
}

#[test]
fn evt_8_observers_run_after_selection_and_before_the_commit() {
    let mut bench = Bench::new(
        r#"{ "machine": "M", "events": ["A", "B"], "initial": "s", "observers": [{ "on": "A", "do": ["Obs", { "raise": "B" }] }, { "on": "*", "do": "Any" }],
          "states": { "s": { "transitions": [{ "on": "A", "if": "G", "to": "t" }] }, "t": {} } }"#,
    );
    bench.tick();
    assert_eq!(bench.send(&["A"]), "?G Obs Any -s +t Any");
    bench.notes.causes.clear();
    assert_eq!(
        bench.send(&["A"]),
        "Obs Any Any",
        "also when nobody handles it"
    );
    assert_eq!(bench.oracle.counters().unhandled, 3);
    assert!(
        bench
            .notes
            .causes
            .iter()
            .all(|(_, _, transition)| transition.is_none())
    );
}

#[test]
fn code_3_variants_and_arguments() {
    let machine = read(
        r#"{ "machine": "M", "events": ["E"], "parameters": { "limit": 5 }, "variants": { "hard": { "limit": 9 } }, "blackboard": { "out": "i32" },
          "states": { "s": { "transitions": [{ "on": "E", "do": "out = limit" }] } } }"#,
    );
    for (variant, value) in [(0, 5), (1, 9)] {
        let mut oracle = Oracle::new(&machine, Tier::Crowd, 1, 1);
        let mut notes = Notes::default();
        oracle.post(0, 0, None, [0; 4]);
        oracle.tick(&mut notes, 0, variant, &[]);
        assert_eq!(notes.keys[0][0], value);
    }
}

#[test]
fn cmd_4_send_to_another_agent_is_a_command() {
    let mut bench = Bench::new(
        r#"{ "machine": "M", "events": { "Help": { "payload": "f32" }, "E": {} }, "blackboard": { "leader": "entity" },
          "states": { "s": { "transitions": [{ "on": "E", "do": { "send": "Help", "payload": 1, "to": "leader" } }, { "on": "Help", "do": "Mine" }] } } }"#,
    );
    bench.notes.keys = vec![[3, 4, 0]];
    bench.tick();
    assert_eq!(bench.send(&["E"]), "send:0[1065353216, 0, 0, 0]to[3, 4]");
}

#[test]
fn tick_1_eventless_rounds_come_before_and_after_each_event() {
    let mut bench = Bench::new(
        r#"{ "machine": "M", "events": ["A", "B"], "initial": "s", "blackboard": { "n": "i32" }, "states": {
          "s": { "transitions": [{ "on": "A", "do": "n = 1" }, { "when": "always", "if": "n == 1", "to": "t" }, { "on": "B", "do": "Wrong" }] },
          "t": { "transitions": [{ "on": "B", "do": "Right" }] } } }"#,
    );
    bench.tick();
    assert_eq!(bench.send(&["A", "B"]), "-s +t Right");
    // Rounds: before A, A, after A, after the move, B, after B.
    let causes: Vec<bool> = bench
        .last
        .selections
        .iter()
        .map(|selection| selection.cause == statewright_oracle::Cause::None)
        .collect();
    assert_eq!(causes, [true, false, true, true, false, true]);
    assert_eq!(bench.outcome(0, 1), Some(Outcome::GuardFalse(0)));
}

#[test]
fn sel_6_a_push_asks_what_it_suspends() {
    let mut bench = Bench::new(
        r#"{ "machine": "M", "events": ["P"], "stack": 1, "initial": "a", "states": {
          "a": { "exit_ready": "Ready", "transitions": [{ "on": "P", "to": "p", "stack": "push" }] }, "p": {} } }"#,
    );
    bench.tick();
    bench.notes.no.insert("Ready".into(), 0);
    assert_eq!(bench.send(&["P"]), "?Ready");
    assert_eq!(bench.outcome(1, 0), Some(Outcome::ExitNotReady));
}

#[test]
fn scratch_is_zeroed_on_entry_and_seen_while_active() {
    let mut bench = Bench::new(
        r#"{ "machine": "M", "events": ["E"], "initial": "a", "states": {
          "a": { "scratch": { "count": 2 }, "entry": "Write", "transitions": [{ "on": "E", "to": "b", "do": "Late" }] },
          "b": { "transitions": [{ "on": "E", "to": "a" }] } } }"#,
    );
    bench
        .notes
        .hooks
        .insert("Write".into(), |actor| actor.set_scratch(0, 1, 7));
    bench
        .notes
        .hooks
        .insert("Late".into(), |actor| actor.set_scratch(0, 1, 9));
    bench.tick();
    assert_eq!(bench.oracle.snapshot().scratch, [(0, vec![0, 7])]);
    bench.send(&["E"]);
    assert!(bench.oracle.snapshot().scratch.is_empty());
    bench.notes.hooks.clear();
    bench.send(&["E"]);
    assert_eq!(bench.oracle.snapshot().scratch, [(0, vec![0, 0])]);
}
