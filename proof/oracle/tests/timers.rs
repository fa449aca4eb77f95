//! Timers: EVT-2, EVT-7, EVT-9, SEL-1.

use crate::common::Bench;

#[test]
fn sel_1_after_fires_once_per_entry_and_is_spent_if_its_guard_is_false() {
    let mut bench = Bench::new(
        r#"{ "machine": "M", "events": ["Go"], "initial": "a", "states": {
          "a": { "transitions": [{ "after": "2t", "if": "Ready", "to": "b" }, { "on": "Go", "to": "a" }] }, "b": {} } }"#,
    );
    bench.tick();
    assert_eq!(bench.oracle.snapshot().timers, [(0, 102)]);
    assert_eq!(bench.tick(), "");
    bench.notes.no.insert("Ready".into(), 9);
    assert_eq!(bench.tick(), "?Ready");
    assert_eq!(bench.tick(), "", "spent");
    assert_eq!(bench.send(&["Go"]), "-a +a");
    bench.notes.no.clear();
    bench.tick();
    assert_eq!(bench.tick(), "?Ready -a +b");
    assert_eq!(bench.oracle.snapshot().timers, []);
}

#[test]
fn equal_after_times_share_a_timer_and_numbers_follow_declaration() {
    let mut bench = Bench::new(
        r#"{ "machine": "M", "events": ["E"], "timers": ["m"], "initial": "a", "states": {
          "a": { "timers": ["n"], "entry": [{ "start": "n", "after": "9t" }, { "start": "m", "after": "8t" }],
            "transitions": [
              { "after": "5t", "do": "Five" }, { "after": "3t", "do": "Three", "priority": 3 },
              { "after": "5t", "if": "No", "do": "Other", "priority": 5 },
              { "timer": "n", "do": "N" }, { "timer": "m", "do": "M" } ] } } }"#,
    );
    bench.notes.no.insert("No".into(), 0);
    bench.tick();
    // 0 m, 1 n, 2 after 5t, 3 after 3t.
    assert_eq!(
        bench.oracle.snapshot().timers,
        [(0, 108), (1, 109), (2, 105), (3, 103)]
    );
    bench.skip(20);
    assert_eq!(
        bench.tick(),
        "M N ?No Five Three",
        "due timers in declaration order, whatever their deadlines"
    );
}

#[test]
fn evt_7_leaving_a_state_disarms_its_timers() {
    let mut bench = Bench::new(
        r#"{ "machine": "M", "events": ["Go", "Back"], "initial": "a", "states": {
          "a": { "timers": ["t"], "entry": { "start": "t", "after": "2t" },
            "transitions": [{ "on": "Go", "to": "b", "do": { "start": "t", "after": "1t" } }, { "timer": "t", "do": "Ring" }] },
          "b": { "transitions": [{ "on": "Back", "to": "a" }] } } }"#,
    );
    bench.tick();
    bench.send(&["Go"]);
    assert_eq!(
        bench.oracle.snapshot().timers,
        [],
        "also not by an effect after the exit"
    );
    bench.send(&["Back"]);
    bench.tick();
    assert_eq!(bench.tick(), "Ring");
}

#[test]
fn evt_9_machine_timers_run_in_start_order_and_the_oldest_is_restarted() {
    let mut bench = Bench::new(
        r#"{ "machine": "M", "events": ["Start", "Long", "Stop"], "timers": { "t": { "instances": 2 } },
          "states": { "a": { "transitions": [
            { "on": "Start", "do": { "start": "t", "after": "5t" } }, { "on": "Long", "do": { "start": "t", "after": "50t" } },
            { "on": "Stop", "do": { "stop": "t" } }, { "timer": "t", "do": "Ring" } ] } } }"#,
    );
    bench.tick();
    bench.send(&["Long"]);
    bench.send(&["Start"]);
    assert_eq!(bench.oracle.snapshot().timers, [(0, 107), (0, 151)]);
    bench.send(&["Start"]);
    assert_eq!(
        bench.oracle.snapshot().timers,
        [(0, 107), (0, 108)],
        "the first started went"
    );
    bench.skip(10);
    assert_eq!(bench.tick(), "Ring Ring");
    bench.send(&["Start"]);
    bench.send(&["Stop"]);
    assert_eq!(bench.oracle.snapshot().timers, []);
}

#[test]
fn evt_2_a_timer_may_stand_for_an_event_and_have_a_class() {
    let mut bench = Bench::new(
        r#"{ "machine": "M", "events": { "Boom": {}, "C": {} }, "timers": { "fuse": { "class": "interrupt", "event": "Boom" } },
          "observers": [{ "on": "*", "do": "Obs" }],
          "states": { "a": { "entry": { "start": "fuse", "after": "1t" }, "defer": ["Boom"],
            "transitions": [{ "on": "*", "do": "Any" }, { "timer": "fuse", "do": "Own" }],
            "states": { "b": { "transitions": [{ "on": "Boom", "if": "Yes", "do": "Bang" }] } } } } }"#,
    );
    bench.tick();
    assert_eq!(bench.send(&["C"]), "?Yes Bang Obs Any");
    let mut bench2 = Bench::new(
        r#"{ "machine": "M", "events": { "Boom": {} }, "timers": { "fuse": { "event": "Boom" } },
          "states": { "a": { "entry": { "start": "fuse", "after": "1t" }, "defer": ["Boom"],
            "transitions": [{ "on": "*", "do": "Any" }] } } }"#,
    );
    bench2.tick();
    assert_eq!(bench2.tick(), "", "never deferred, not seen by any");
    assert_eq!(bench2.queue(), "");
}

#[test]
fn deadlines_compare_with_wrap_around() {
    let mut bench = Bench::new(
        r#"{ "machine": "M", "states": { "a": { "transitions": [{ "after": "3t", "do": "Ring" }] } } }"#,
    );
    bench.now = u32::MAX - 1;
    bench.tick();
    assert_eq!(bench.oracle.snapshot().timers, [(0, 1)]);
    assert_eq!(bench.tick(), "");
    assert_eq!(bench.tick(), "");
    assert_eq!(bench.tick(), "Ring");
}
