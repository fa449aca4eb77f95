//! Selection and its conditions: SEL-1 to SEL-7.

use crate::common::Bench;
use statewright_oracle::{Cause, Outcome};

#[test]
fn sel_3_priority_then_declaration_and_numbers_follow() {
    let mut bench = Bench::new(
        r#"{ "machine": "M", "events": ["E"], "states": { "a": { "transitions": [
          { "on": "E", "if": "G0", "do": "A0" }, { "on": "E", "if": "G1", "do": "A1", "priority": 2 },
          { "on": "*", "if": "G2", "do": "A2", "priority": 2 }, { "on": "E", "if": "G3", "do": "A3" } ] } } }"#,
    );
    bench.tick();
    for guard in ["G1", "G2"] {
        bench.notes.no.insert(guard.into(), 4);
    }
    assert_eq!(bench.send(&["E"]), "?G1 ?G2 ?G0 A0");
    let outcomes: Vec<Outcome> = bench.last.selections[1]
        .outcomes
        .values()
        .copied()
        .collect();
    assert_eq!(
        outcomes,
        [
            Outcome::GuardFalse(4),
            Outcome::GuardFalse(4),
            Outcome::Taken,
            Outcome::NotReached
        ],
        "0 is A1, 1 is A2, 2 is A0, 3 is A3"
    );
}

#[test]
fn sel_3_scores_guards_first_then_scores_then_the_best() {
    let mut bench = Bench::new(
        r#"{ "machine": "M", "events": ["E"], "states": { "a": { "transitions": [
          { "on": "E", "if": "G0", "score": "S0", "do": "A0" }, { "on": "E", "if": "G1", "score": "S1", "do": "A1" },
          { "on": "E", "if": "G2", "score": "S2", "threshold": 2.0, "do": "A2" }, { "on": "E", "score": "S3", "do": "A3" } ] } } }"#,
    );
    bench.tick();
    bench.notes.no.insert("G0".into(), 1);
    bench.notes.scores = [("S1", 1.0), ("S2", 1.5), ("S3", 1.0)]
        .map(|(name, score)| (name.into(), score))
        .into();
    assert_eq!(bench.send(&["E"]), "?G0 ?G1 ?G2 #S1 #S2 #S3 A1");
    let outcomes: Vec<Outcome> = bench.last.selections[1]
        .outcomes
        .values()
        .copied()
        .collect();
    assert_eq!(
        outcomes,
        [
            Outcome::GuardFalse(1),
            Outcome::Taken,
            Outcome::BelowThreshold,
            Outcome::NotReached
        ]
    );
    bench.notes.scores.insert("S1".into(), f32::NAN);
    assert_eq!(bench.send(&["E"]), "?G0 ?G1 ?G2 #S1 #S2 #S3 A3");
}

#[test]
fn sel_3_a_state_is_asked_once_for_two_leaves() {
    let mut bench = Bench::new(
        r#"{ "machine": "M", "events": ["E"], "states": { "o": {
          "transitions": [{ "on": "E", "if": "Gate", "do": "Up" }],
          "regions": { "x": { "states": { "x1": { "transitions": [{ "on": "E", "if": "Gx", "do": "X" }] } } },
                       "y": { "states": { "y1": {} } } } } } }"#,
    );
    bench.tick();
    assert_eq!(bench.send(&["E"]), "?Gx ?Gate X Up");
    bench.notes.no.insert("Gx".into(), 0);
    assert_eq!(bench.send(&["E"]), "?Gx ?Gate Up", "one candidate");
}

#[test]
fn sel_2_the_first_interrupt_in_pre_order_stands_alone() {
    let mut bench = Bench::new(
        r#"{ "machine": "M", "events": ["E"], "initial": "a",
          "transitions": [{ "on": "E", "if": "Root", "do": "Global", "interrupt": true }],
          "states": { "a": { "defer": ["E"], "min_active": "99t", "transitions": [
            { "on": "E", "do": "Plain" }, { "on": "E", "if": "Mid", "to": "b", "interrupt": true }] }, "b": {} } }"#,
    );
    bench.tick();
    bench.notes.no.insert("Root".into(), 2);
    assert_eq!(bench.send(&["E"]), "?Root ?Mid -a +b");
    let outcomes: Vec<Outcome> = bench.last.selections[1]
        .outcomes
        .values()
        .copied()
        .collect();
    assert_eq!(
        outcomes,
        [Outcome::GuardFalse(2), Outcome::Outranked, Outcome::Taken]
    );
}

#[test]
fn sel_6_cooldown_survives_leaving() {
    let mut bench = Bench::new(
        r#"{ "machine": "M", "events": ["E"], "initial": "a", "states": {
          "a": { "transitions": [{ "on": "E", "to": "b", "cooldown": "10t", "if": "G" }] },
          "b": { "transitions": [{ "on": "E", "to": "a" }] } } }"#,
    );
    bench.tick();
    assert_eq!(bench.send(&["E"]), "?G -a +b");
    assert_eq!(bench.oracle.snapshot().cooldowns, [(0, 111)]);
    bench.send(&["E"]);
    assert_eq!(bench.send(&["E"]), "", "the guard is not asked");
    assert_eq!(bench.outcome(1, 0), Some(Outcome::Cooldown));
    bench.skip(7);
    assert_eq!(bench.now, 111);
    assert_eq!(bench.send(&["E"]), "?G -a +b");
}

#[test]
fn sel_6_debounce() {
    let mut bench = Bench::new(
        r#"{ "machine": "M", "initial": "a", "states": {
          "a": { "transitions": [{ "when": "always", "if": "G", "debounce": "2t", "to": "b" }] }, "b": {} } }"#,
    );
    bench.notes.no.insert("G".into(), 0);
    bench.tick();
    assert!(bench.oracle.snapshot().debounces.is_empty());
    bench.notes.no.clear();
    assert_eq!(bench.tick(), "?G");
    assert_eq!(bench.oracle.snapshot().debounces, [(0, 103)]);
    assert_eq!(bench.outcome(0, 0), Some(Outcome::Debounce));
    bench.notes.no.insert("G".into(), 0);
    bench.tick();
    assert!(
        bench.oracle.snapshot().debounces.is_empty(),
        "cleared when seen false"
    );
    bench.notes.no.clear();
    bench.tick();
    bench.tick();
    assert_eq!(bench.tick(), "?G -a +b");
    assert!(bench.oracle.snapshot().debounces.is_empty());
}

const LATCH: &str = r#"{ "machine": "M", "events": { "E": { "payload": "i32" }, "F": {} }, "initial": "a", "states": {
  "a": { "min_active": "3t", "exit_ready": "Ready", "transitions": [
    { "on": "E", "if": "G", "to": "b", "latch": true, "do": "Eff" }, { "on": "F", "to": "c", "latch": true },
    { "on": "E", "do": "Other" } ] },
  "b": {}, "c": {} } }"#;

#[test]
fn sel_6_min_active_exit_ready_and_latch() {
    let mut bench = Bench::new(LATCH);
    bench.tick();
    let event = bench.event("E");
    bench.oracle.post(101, event, None, [5, 0, 0, 0]);
    assert_eq!(bench.tick(), "?G", "stored, and the event is taken");
    assert_eq!(bench.oracle.snapshot().latched, [(1, 0)]);
    assert_eq!(bench.outcome(1, 0), Some(Outcome::MinActive));
    assert_eq!(bench.send(&["F"]), "", "the first stored stays");
    assert_eq!(bench.oracle.snapshot().latched, [(1, 0)]);
    bench.notes.no.insert("Ready".into(), 0);
    assert_eq!(bench.tick(), "?Ready", "the guard is not asked again");
    assert_eq!(bench.outcome(0, 0), Some(Outcome::ExitNotReady));
    bench.notes.no.clear();
    bench.notes.causes.clear();
    assert_eq!(bench.tick(), "?Ready -a Eff +b");
    let cause = Cause::Event {
        id: event,
        payload: [0; 4],
    };
    assert!(
        bench
            .notes
            .causes
            .iter()
            .all(|(_, seen, transition)| *seen == cause && *transition == Some(0))
    );
    assert!(bench.oracle.snapshot().latched.is_empty());
}

#[test]
fn sel_1_any_does_not_see_timers_and_competes_by_priority() {
    let mut bench = Bench::new(
        r#"{ "machine": "M", "events": ["E"], "states": { "a": { "transitions": [
          { "after": "1t", "if": "T", "do": "Time" }, { "on": "*", "do": "Any", "priority": 1 }, { "on": "E", "do": "E" } ] } } }"#,
    );
    bench.tick();
    assert_eq!(bench.send(&["E"]), "?T Time Any");
}

#[test]
fn code_8_order_of_sugar() {
    let mut bench = Bench::new(
        r#"{ "machine": "M", "events": ["E"], "initial": "a",
          "transition_sets": { "s": [{ "on": "E", "if": "Set", "do": "A" }, { "on": "E", "muted": true }] },
          "any_state": [{ "on": "E", "if": "AnyList", "to": "b", "exclude": ["b"] }],
          "states": { "a": { "use": ["s"], "decisions": [{ "on": "E", "if": "Dec", "then": "b", "else": "c" }],
              "transitions": [{ "on": "E", "if": "Own", "do": "A" }] }, "b": {}, "c": {} } }"#,
    );
    bench.tick();
    for guard in ["Set", "AnyList", "Own"] {
        bench.notes.no.insert(guard.into(), 0);
    }
    assert_eq!(bench.send(&["E"]), "?Own ?Dec -a +b");
    let mut bench2 = Bench::new(
        r#"{ "machine": "M", "events": ["E"], "initial": "a",
          "transition_sets": { "s": [{ "on": "E", "if": "Set", "do": "A" }] },
          "any_state": [{ "on": "E", "if": "AnyList", "to": "b", "exclude": ["b"] }],
          "states": { "a": { "use": ["s"], "decisions": [{ "on": "E", "if": "Dec", "then": "b" }],
              "transitions": [{ "on": "E", "if": "Own", "do": "A" }] }, "b": {} } }"#,
    );
    bench2.tick();
    for guard in ["Set", "Dec", "Own"] {
        bench2.notes.no.insert(guard.into(), 0);
    }
    assert_eq!(bench2.send(&["E"]), "?Own ?Dec ?Set ?AnyList -a +b");
    assert_eq!(bench2.send(&["E"]), "", "b is excluded");
}

#[test]
fn code_1_guards_see_cause_transition_and_clock() {
    let mut bench = Bench::new(
        r#"{ "machine": "M", "events": ["E"], "initial": "a", "states": {
          "a": { "clock": true, "transitions": [{ "on": "E", "if": "G", "to": "b", "do": "Eff" }] },
          "b": { "transitions": [{ "on": "E", "if": "H", "do": "X" }] } } }"#,
    );
    bench.tick();
    bench.skip(4);
    bench.notes.clocks.clear();
    bench.send(&["E"]);
    let clock = |name: &str| {
        bench
            .notes
            .clocks
            .iter()
            .find(|(seen, _)| seen == name)
            .unwrap()
            .1
    };
    assert_eq!(
        (clock("G"), clock("-a"), clock("Eff"), clock("+b")),
        (Some(5), Some(5), Some(0), None)
    );
}
