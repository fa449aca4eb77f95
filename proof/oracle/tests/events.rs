//! Queue, classes, admission, deferral, age, inbox, observers: EVT-1 to EVT-8, TICK-2, TICK-4,
//! TICK-7.

use crate::common::Bench;
use statewright_oracle::{Class, Posted, Tier};

const PLAIN: &str = r#"{
  "machine": "M",
  "events": { "A": {}, "B": {}, "L": { "class": "low" }, "I": { "class": "interrupt" }, "C": { "class": "critical" },
    "Co": { "payload": "i32", "coalesce": true }, "T": { "ttl": "3t" } },
  "states": { "s": { "transitions": [
    { "on": "A", "do": "DoA" }, { "on": "B", "do": "DoB" }, { "on": "L", "do": "DoL" }, { "on": "I", "do": "DoI" },
    { "on": "C", "do": "DoC" }, { "on": "Co", "do": "DoCo" }, { "on": "T", "do": "DoT" } ] } }
}"#;

#[test]
fn evt_2_highest_class_first_then_arrival() {
    let mut bench = Bench::with_tier(PLAIN, Tier::Hero);
    bench.tick();
    assert_eq!(
        bench.send(&["L", "A", "I", "B", "C"]),
        "DoC DoI DoA DoB DoL"
    );
}

#[test]
fn evt_3_places_of_the_standard_tier() {
    let mut bench = Bench::new(PLAIN);
    bench.tick();
    let admitted = Posted::Admitted { evicted: None };
    assert_eq!(bench.post("A"), admitted);
    assert_eq!(bench.post("B"), admitted);
    assert_eq!(bench.post("L"), Posted::Dropped, "two general places");
    assert!(bench.oracle.snapshot().flags.queue_overflow);
    assert_eq!(bench.oracle.counters().dropped_overflow, [1, 0, 0, 0]);
    assert_eq!(bench.post("I"), admitted);
    let Posted::Admitted {
        evicted: Some(gone),
    } = bench.post("I")
    else {
        panic!()
    };
    assert_eq!(gone.id, bench.event("A"), "the oldest of the lowest class");
    let Posted::Admitted {
        evicted: Some(gone),
    } = bench.post("C")
    else {
        panic!()
    };
    assert_eq!(gone.id, bench.event("B"));
    let Posted::Admitted {
        evicted: Some(gone),
    } = bench.post("C")
    else {
        panic!()
    };
    assert_eq!(gone.class, Class::Interrupt);
    assert_eq!(bench.post("I"), Posted::Dropped, "nothing below");
    assert_eq!(bench.queue(), "I C C");
    assert_eq!(bench.oracle.counters().evicted, [0, 2, 1, 0]);
}

#[test]
fn evt_3_the_single_place_of_the_crowd_tier() {
    let mut bench = Bench::with_tier(PLAIN, Tier::Crowd);
    bench.tick();
    assert_eq!(bench.post("A"), Posted::Admitted { evicted: None });
    assert_eq!(bench.post("B"), Posted::Dropped);
    assert!(matches!(
        bench.post("I"),
        Posted::Admitted { evicted: Some(_) }
    ));
}

#[test]
fn evt_3_coalescing_replaces_payload_and_stamp() {
    let mut bench = Bench::new(PLAIN);
    bench.tick();
    let event = bench.event("Co");
    bench.oracle.post(7, event, None, [1, 0, 0, 0]);
    bench.post("A");
    assert_eq!(
        bench
            .oracle
            .post(9, event, Some(Class::Critical), [2, 0, 0, 0]),
        Posted::Coalesced
    );
    let queue = bench.oracle.snapshot().queue;
    assert_eq!(
        (queue[0].payload[0], queue[0].stamp, queue[0].class),
        (2, 9, Class::Normal)
    );
    assert_eq!(bench.oracle.counters().coalesced, 1);
}

#[test]
fn evt_5_an_old_event_is_removed_when_it_would_be_taken_or_a_place_is_needed() {
    let mut bench = Bench::new(PLAIN);
    bench.tick();
    bench.post("T");
    bench.skip(2);
    assert_eq!(bench.tick(), "DoT", "2 ticks old");
    bench.post("T");
    bench.skip(3);
    assert_eq!(bench.tick(), "");
    assert_eq!(bench.oracle.counters().expired, 1);
    bench.post("T");
    bench.post("T");
    bench.skip(3);
    assert_eq!(bench.post("A"), Posted::Admitted { evicted: None });
    assert_eq!(bench.queue(), "A");
}

const DEFERS: &str = r#"{
  "machine": "M", "events": { "A": {}, "B": {}, "Go": {}, "In": {}, "I": {} }, "initial": "s",
  "observers": [{ "on": "*", "do": "Any" }, { "on": "A", "do": "SeeA" }],
  "states": {
    "s": { "defer": ["A", "B"], "transitions": [{ "on": "Go", "to": "t" }, { "on": "In", "do": "Internal" }],
      "states": { "s1": { "transitions": [{ "on": "B", "if": "WantB", "do": "TakeB" }] } } },
    "t": { "transitions": [{ "on": "A", "do": "DoA" }, { "on": "B", "do": "DoB" }] }
  }
}"#;

#[test]
fn evt_5_deferred_until_a_state_is_exited() {
    let mut bench = Bench::with_tier(DEFERS, Tier::Hero);
    bench.notes.no.insert("WantB".into(), 3);
    assert_eq!(bench.send(&["A", "B"]), "+root +s +s1 ?WantB");
    assert_eq!(bench.queue(), "A* B*");
    assert_eq!(
        bench.send(&["In"]),
        "Any Internal",
        "an internal transition clears no marks"
    );
    assert_eq!(bench.queue(), "A* B*");
    assert_eq!(bench.send(&["Go"]), "Any -s1 -s +t Any SeeA DoA Any DoB");
    assert_eq!(bench.oracle.counters().deferred, 2);
}

#[test]
fn evt_5_the_first_of_transition_and_deferral_decides() {
    let mut bench = Bench::with_tier(DEFERS, Tier::Hero);
    bench.tick();
    assert_eq!(bench.send(&["B"]), "?WantB Any TakeB");
}

#[test]
fn evt_5_deferral_may_not_take_the_last_general_place() {
    let mut bench = Bench::new(DEFERS);
    bench.tick();
    bench.send(&["A"]);
    assert_eq!(bench.queue(), "A*");
    bench.send(&["A"]);
    assert_eq!(bench.queue(), "A*");
    let counters = bench.oracle.counters();
    assert_eq!(
        (counters.deferral_refused, counters.dropped_overflow),
        (1, [0; 4])
    );
}

#[test]
fn evt_4_the_inbox_is_a_tail_and_what_is_left_comes_back() {
    let mut bench = Bench::new(PLAIN);
    bench.tick();
    let inbox: Vec<_> = (0..10).map(|_| bench.inbox("A")).collect();
    bench.post("B");
    let log = bench.tick_with(&inbox);
    assert!(log.starts_with("DoB DoA DoA"));
    assert_eq!(
        (
            bench.last.events,
            bench.last.inbox_taken,
            bench.last.clamped
        ),
        (8, 7, false)
    );
    bench.post("B");
    bench.post("A");
    bench.tick_with(&inbox);
    assert!(!bench.last.clamped);
}

#[test]
fn evt_4_a_deferred_inbox_event_is_queued() {
    let mut bench = Bench::new(DEFERS);
    let inbox = [bench.inbox("A")];
    bench.tick_with(&inbox);
    assert_eq!((bench.queue().as_str(), bench.last.inbox_taken), ("A*", 1));
    assert_eq!(bench.oracle.snapshot().queue[0].stamp, 100);
}

const POSTS: &str = r#"{
  "machine": "M", "events": ["A", "B"], "states": { "s": { "transitions": [
    { "on": "A", "do": [{ "raise": "B" }, "DoA"] }, { "on": "B", "do": "DoB" } ] } } }"#;

#[test]
fn tick_2_a_posted_event_is_taken_after_the_microstep() {
    let mut bench = Bench::new(POSTS);
    bench.tick();
    assert_eq!(bench.send(&["A"]), "DoA DoB");
}

#[test]
fn tick_7_posted_next_tick() {
    let mut bench = Bench::new(&POSTS.replacen(
        "\"machine\"",
        "\"policies\": { \"posted\": \"next_tick\" }, \"machine\"",
        1,
    ));
    bench.tick();
    assert_eq!(bench.send(&["A"]), "DoA");
    assert!(!bench.oracle.snapshot().queue[0].hidden);
    assert_eq!(bench.tick(), "DoB");
}

#[test]
fn tick_4_clamps_and_the_fail_safe() {
    let mut bench = Bench::new(
        r#"{ "machine": "M", "events": ["E", "Loop"], "initial": "a", "fail_safe": "safe",
        "budgets": { "clamp_limit": 1, "microsteps_per_tick": 3 },
        "timers": ["t"],
        "states": {
          "a": { "transitions": [{ "on": "Loop", "do": { "raise": "Loop" } }], "exit": { "raise": "E" } },
          "safe": { "activity": "Act", "transitions": [{ "on": "E", "do": "DoE" }] } } }"#,
    );
    bench.tick();
    bench.send(&["Loop"]);
    assert!(bench.last.clamped && bench.last.microsteps == 3);
    assert_eq!(bench.oracle.snapshot().clamped, 1);
    assert_eq!(bench.tick(), "-a +safe");
    assert!(bench.last.fail_safe);
    let snapshot = bench.oracle.snapshot();
    assert_eq!((snapshot.clamped, snapshot.queue.len()), (0, 0));
    assert!(snapshot.flags.budget_exceeded);
    assert_eq!(bench.tick(), "run:Act");
    assert!(!bench.last.clamped);
}

#[test]
fn evt_10_internal_events_first_and_overflow_quarantines() {
    let mut bench = Bench::new(
        r#"{ "machine": "M", "events": ["A", "B", "C", "Q"], "policies": { "internal_first": true },
        "states": { "s": { "transitions": [
          { "on": "A", "do": [{ "send": "B" }, { "raise": "C" }, "DoA"] }, { "on": "B", "do": "DoB" }, { "on": "C", "do": "DoC" },
          { "on": "Q", "do": [{ "raise": "A" }, { "raise": "A" }, { "raise": "A" }, { "raise": "A" }, "End"] } ] } } }"#,
    );
    bench.tick();
    assert_eq!(bench.send(&["A"]), "DoA DoC DoB");
    assert_eq!(bench.send(&["Q"]), "End", "the microstep ends first");
    assert!(bench.oracle.snapshot().flags.quarantined);
    assert_eq!(
        bench.last.quarantine,
        Some(statewright_oracle::Quarantine::QueueOverflow)
    );
    assert_eq!(bench.post("A"), Posted::Dropped);
}
