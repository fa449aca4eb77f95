//! Completion, activities, pause and life cycle: EXEC-6, TICK-5, TICK-6, EVT-10, SYS-9, SYS-10.

use crate::common::Bench;
use statewright_oracle::{Posted, Status, Tier};

#[test]
fn exec_6_a_final_child_of_the_root_terminates() {
    let mut bench = Bench::new(
        r#"{ "machine": "M", "events": ["E", "F"], "initial": "a", "channels": ["c"], "owns": ["c"], "activity": "Root", "states": {
          "a": { "transitions": [{ "on": "E", "to": "end" }] }, "end": { "final": true } } }"#,
    );
    bench.tick();
    bench.post("E");
    bench.post("F");
    assert_eq!(bench.tick(), "-a +end -end cancel:Root -root release:0");
    let snapshot = bench.oracle.snapshot();
    assert!(snapshot.flags.terminated && snapshot.queue.is_empty() && snapshot.leaves.is_empty());
    assert_eq!(
        bench.oracle.counters().dropped_ended,
        0,
        "an emptied queue is not counted"
    );
    assert_eq!(bench.post("F"), Posted::Dropped);
    assert_eq!(bench.tick(), "");
    let inbox = [bench.inbox("F")];
    bench.tick_with(&inbox);
    assert_eq!(
        (
            bench.last.inbox_taken,
            bench.oracle.counters().dropped_ended
        ),
        (1, 2)
    );
    let rng = bench.oracle.snapshot().rng;
    bench.oracle.reset();
    let snapshot = bench.oracle.snapshot();
    assert_eq!(
        (snapshot.generation, snapshot.rng, snapshot.flags.terminated),
        (1, rng, false)
    );
    assert_eq!(bench.tick(), "+root +a");
}

const DONE: &str = r#"{ "machine": "M", "events": ["E", "done.state.o", "done.state.p"], "initial": "o",
  "policies": { "done_events": true }, "observers": [{ "on": "*", "do": "Obs" }], "states": {
  "o": { "transitions": [{ "on": "done.state.o", "do": "OEvent" }, { "when": "done", "if": "G", "to": "z" }],
    "regions": {
      "x": { "initial": "x1", "states": { "x1": { "transitions": [{ "on": "E", "to": "xf" }] }, "xf": { "final": true } } },
      "y": { "states": { "p": { "initial": "p1", "transitions": [{ "on": "done.state.p", "do": "PEvent" }],
        "states": { "p1": { "transitions": [{ "on": "E", "to": "pf" }] }, "pf": { "final": true } } } } } } },
  "z": {} } }"#;

#[test]
fn exec_6_done_is_a_condition_and_done_events_tell_of_it() {
    let mut bench = Bench::new(DONE);
    bench.notes.no.insert("G".into(), 0);
    bench.tick();
    assert_eq!(
        bench.send(&["E"]),
        "Obs -x1 -p1 +xf +pf ?G Obs PEvent ?G Obs OEvent ?G",
        "innermost first"
    );
    assert_eq!(bench.tick(), "?G", "tried again");
    bench.notes.no.clear();
    assert_eq!(bench.tick(), "?G -xf -pf -p -o +z");
}

const ACTIVE: &str = r#"{ "machine": "M", "events": ["E", "F"], "initial": "a", "states": {
  "a": { "activity": "Outer", "initial": "a1",
    "states": {
      "a1": { "activity": "Work", "transitions": [{ "when": "done", "if": "G", "to": "a2", "do": "Won" }, { "when": "failed", "to": "a1" },
         { "on": "E", "to": "a2" }] },
      "a2": { "activity": "Rest", "transitions": [{ "on": "E", "to": "a1" }] } } } } }"#;

#[test]
fn tick_6_activities_run_leaf_to_root_from_the_next_tick_on() {
    let mut bench = Bench::new(ACTIVE);
    assert_eq!(bench.tick(), "+root +a +a1");
    assert_eq!(bench.tick(), "run:Work run:Outer");
    assert_eq!(bench.send(&["E"]), "cancel:Work -a1 +a2 run:Outer");
    bench
        .notes
        .statuses
        .insert("Rest".into(), Status::Succeeded);
    assert_eq!(bench.tick(), "run:Rest run:Outer");
    assert_eq!(
        bench.tick(),
        "run:Rest run:Outer",
        "nobody waits for the result"
    );
    assert_eq!(bench.send(&["E"]), "cancel:Rest -a2 +a1 run:Outer");
}

#[test]
fn tick_6_a_result_waits_to_be_taken() {
    let mut bench = Bench::new(ACTIVE);
    bench.notes.no.insert("G".into(), 0);
    bench
        .notes
        .statuses
        .insert("Work".into(), Status::Succeeded);
    bench.tick();
    assert_eq!(bench.tick(), "run:Work run:Outer");
    assert_eq!(bench.oracle.snapshot().results, [(2, Status::Succeeded)]);
    assert_eq!(bench.tick(), "?G run:Outer");
    bench.notes.no.clear();
    assert_eq!(
        bench.tick(),
        "?G -a1 Won +a2 run:Outer",
        "no cancel: it has a result"
    );
    assert!(bench.oracle.snapshot().results.is_empty());
    bench.send(&["E"]);
    bench.notes.statuses.insert("Work".into(), Status::Failed);
    bench.tick();
    assert_eq!(bench.tick(), "-a1 +a1 run:Outer");
}

#[test]
fn tick_5_immediate_update() {
    let mut bench = Bench::new(&ACTIVE.replacen(
        "\"machine\"",
        "\"policies\": { \"immediate_update\": true }, \"machine\"",
        1,
    ));
    assert_eq!(bench.tick(), "+root +a +a1 run:Work run:Outer");
}

#[test]
fn sys_9_pause_shifts_every_time() {
    let mut bench = Bench::with_tier(
        r#"{ "machine": "M", "events": { "E": { "ttl": "4t" }, "F": {} }, "initial": "a", "states": {
          "a": { "clock": true, "defer": ["E"], "transitions": [{ "after": "5t", "do": "Ring" }, { "on": "F", "do": "Eff", "cooldown": "6t" }] } } }"#,
        Tier::Hero,
    );
    bench.tick();
    bench.post("E");
    bench.send(&["F"]);
    bench.oracle.pause(102);
    let inbox = [bench.inbox("F")];
    bench.now = 150;
    bench.post("F");
    assert_eq!(bench.tick_with(&inbox), "");
    assert_eq!(bench.last.inbox_taken, 0);
    bench.oracle.resume(202);
    let snapshot = bench.oracle.snapshot();
    assert_eq!(
        (snapshot.timers, snapshot.clocks, snapshot.cooldowns),
        (vec![(0, 205)], vec![(1, 200)], vec![(1, 207)])
    );
    assert_eq!(
        snapshot
            .queue
            .iter()
            .map(|event| event.stamp)
            .collect::<Vec<_>>(),
        [201, 202]
    );
    bench.now = 204;
    assert_eq!(bench.tick(), "");
    assert_eq!(bench.tick(), "Ring");
}

#[test]
fn sys_10_stop_runs_all_exits() {
    let mut bench = Bench::new(ACTIVE);
    bench.oracle.stop(&mut bench.notes, 1, 0);
    assert!(bench.notes.log.is_empty(), "nothing before the start");
    bench.oracle.reset();
    bench.tick();
    bench.oracle.pause(bench.now);
    bench.notes.log.clear();
    bench.oracle.stop(&mut bench.notes, bench.now, 0);
    assert_eq!(
        bench.notes.log.join(" "),
        "cancel:Work -a1 cancel:Outer -a -root"
    );
    let flags = bench.oracle.snapshot().flags;
    assert!(flags.terminated && !flags.paused && flags.started);
}

#[test]
fn cmd_2_dropped_commands_set_flags() {
    let mut bench = Bench::new(
        r#"{ "machine": "M", "events": ["E"], "lanes": { "q": { "merge": "strict_order", "critical": true } }, "states": { "a": {
          "entry": { "emit": "One", "lane": "audio", "payload": 7 },
          "transitions": [{ "on": "E", "do": { "emit": "Two", "lane": "q", "payload": "1.5" } }] } } }"#,
    );
    bench.notes.budget = Some(0);
    assert_eq!(bench.tick(), "+root +a emit:One[7]");
    let flags = bench.oracle.snapshot().flags;
    assert!(flags.command_dropped && !flags.critical_dropped);
    assert_eq!(bench.send(&["E"]), "emit:Two[1069547520]");
    assert!(bench.oracle.snapshot().flags.critical_dropped);
    assert_eq!(bench.oracle.counters().command_drops, 2);
}
