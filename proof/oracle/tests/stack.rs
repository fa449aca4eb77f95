//! Push and pop: EXEC-8.

use crate::common::Bench;
use statewright_oracle::Outcome;

const STACK: &str = r#"{ "machine": "M", "events": ["Push", "Pop", "More", "Out", "Next", "Back", "Stay"], "initial": "w", "channels": ["legs"], "states": {
  "w": { "stack": 2, "initial": "a", "history": { "h": { "deep": true } },
    "transitions": [{ "on": "Out", "to": "z", "do": "Eff" }],
    "states": {
      "a": { "owns": ["legs"], "initial": "a1", "activity": "Walk",
        "transitions": [{ "on": "Push", "to": "p", "stack": "push", "do": "DoPush" }],
        "states": { "a1": { "transitions": [{ "after": "5t", "to": "a2" }, { "on": "Next", "to": "a2" }] }, "a2": {} } },
      "p": { "transitions": [{ "on": "Pop", "stack": "pop", "do": "DoPop" }, { "on": "More", "to": "q", "stack": "push" }, { "on": "Stay", "to": "p2" }] },
      "p2": { "transitions": [{ "on": "Pop", "stack": "pop" }] },
      "q": { "transitions": [{ "on": "Pop", "stack": "pop" }, { "on": "More", "to": "r", "stack": "push" }] },
      "r": {} } },
  "z": { "transitions": [{ "on": "Back", "to": "h" }] } } }"#;

#[test]
fn exec_8_push_suspends_and_pop_resumes() {
    let mut bench = Bench::new(STACK);
    bench.tick();
    bench.tick();
    assert_eq!(bench.send(&["Push"]), "~a1 ~a release:0 DoPush +p");
    assert_eq!(bench.leaves(), "p");
    let snapshot = bench.oracle.snapshot();
    assert_eq!(snapshot.timers, [], "its timers stand still");
    let frame = &snapshot.frames.values().next().unwrap()[0];
    assert_eq!(frame.leaves, [3]);
    bench.skip(100);
    assert_eq!(
        bench.send(&["Pop"]),
        "-p DoPop ^a ^a1",
        "resumed counts as entered"
    );
    assert!(bench.oracle.snapshot().frames.is_empty());
    // Armed at 100 for 105, suspended at 102 with 3 ticks left.
    assert_eq!(bench.oracle.snapshot().timers, [(0, 206)]);
    assert_eq!(bench.tick(), "run:Walk");
}

#[test]
fn exec_8_leaving_the_region_unwinds_and_remembers_the_bottom() {
    let mut bench = Bench::new(STACK);
    bench.tick();
    bench.send(&["Next"]);
    bench.send(&["Push"]);
    assert_eq!(bench.send(&["More"]), "~p +q");
    assert_eq!(bench.send(&["More"]), "");
    assert_eq!(
        bench.last.selections[1]
            .outcomes
            .values()
            .copied()
            .collect::<Vec<_>>(),
        [Outcome::StackFull]
    );
    assert_eq!(bench.send(&["Out"]), "-q -p -a2 cancel:Walk -a -w Eff +z");
    assert!(bench.oracle.snapshot().frames.is_empty());
    assert_eq!(bench.send(&["Back"]), "-z +w +a +a2");
}

#[test]
fn exec_8_staying_in_the_region_leaves_frames_alone() {
    let mut bench = Bench::new(STACK);
    bench.tick();
    bench.send(&["Push"]);
    assert_eq!(bench.send(&["Stay"]), "-p +p2");
    assert_eq!(bench.oracle.snapshot().frames.len(), 1);
    assert_eq!(bench.send(&["Pop"]), "-p2 ^a ^a1");
}

#[test]
fn exec_8_a_pop_without_a_frame_is_refused() {
    let mut bench = Bench::new(
        r#"{ "machine": "M", "events": ["Pop"], "stack": 1, "states": { "a": { "transitions": [{ "on": "Pop", "stack": "pop" }] } } }"#,
    );
    bench.tick();
    bench.send(&["Pop"]);
    assert_eq!(bench.outcome(1, 0), Some(Outcome::StackEmpty));
}

#[test]
fn exec_8_stop_exits_suspended_states_too() {
    let mut bench = Bench::new(STACK);
    bench.tick();
    bench.send(&["Push"]);
    bench.notes.log.clear();
    bench.oracle.stop(&mut bench.notes, bench.now, 0);
    assert_eq!(
        bench.notes.log.join(" "),
        "-p -a1 cancel:Walk -a -w -root",
        "no second release"
    );
}

const NESTED: &str = r#"{ "machine": "M", "events": ["In", "Push", "Pop", "Out", "Back"], "initial": "w", "states": {
  "w": { "stack": 1, "initial": "a", "history": { "h": { "deep": true }, "s": {} },
    "transitions": [{ "on": "Out", "to": "z" }],
    "states": {
      "a": { "stack": 1, "initial": "a1", "history": { "ha": {} },
        "transitions": [{ "on": "Push", "to": "p", "stack": "push" }],
        "states": { "a1": { "clock": true, "transitions": [{ "on": "In", "to": "a2", "stack": "push" }] },
          "a2": { "transitions": [{ "on": "Pop", "stack": "pop" }] } } },
      "p": { "transitions": [{ "on": "Pop", "stack": "pop" }] } } },
  "z": { "transitions": [{ "on": "Back", "to": "w/h" }] } } }"#;

#[test]
fn exec_8_frames_inside_a_frame() {
    let mut bench = Bench::new(NESTED);
    bench.tick();
    assert_eq!(bench.send(&["In"]), "~a1 +a2");
    assert_eq!(bench.send(&["Push"]), "~a2 ~a +p");
    assert_eq!(bench.oracle.snapshot().frames.len(), 2);
    assert_eq!(bench.send(&["Pop"]), "-p ^a ^a2");
    assert_eq!(bench.oracle.snapshot().frames.len(), 1);
    bench.send(&["Push"]);
    assert_eq!(bench.send(&["Out"]), "-p -a2 -a1 -a -w +z");
    assert!(bench.oracle.snapshot().frames.is_empty());
    // h and s of w; ha of a, which was suspended and so is not recorded.
    assert_eq!(
        bench.oracle.snapshot().history,
        [Some(vec![3]), Some(vec![2]), None]
    );
    assert_eq!(bench.send(&["Back"]), "-z +w +a +a1");
}

#[test]
fn exec_8_clocks_of_suspended_states_stand_still() {
    let mut bench = Bench::new(NESTED);
    bench.tick();
    bench.send(&["In"]);
    assert_eq!(bench.oracle.snapshot().clocks, []);
    bench.skip(50);
    bench.send(&["Pop"]);
    // Entered at 100, suspended at 101, resumed at 152.
    assert_eq!(bench.oracle.snapshot().clocks, [(3, 151)]);
}

#[test]
fn sys_9_a_pause_leaves_frames_alone() {
    let mut bench = Bench::new(NESTED);
    bench.tick();
    bench.send(&["In"]);
    let before = bench.oracle.snapshot().frames;
    bench.oracle.pause(110);
    bench.oracle.resume(500);
    assert_eq!(bench.oracle.snapshot().frames, before);
    bench.now = 501;
    bench.send(&["Pop"]);
    assert_eq!(bench.oracle.snapshot().clocks, [(3, 500)]);
}

#[test]
fn exec_8_a_history_point_of_the_owner_unwinds() {
    let mut bench = Bench::new(
        r#"{ "machine": "M", "events": ["Push", "H", "Out", "Back"], "initial": "w", "states": {
          "w": { "stack": 1, "initial": "a", "history": { "h": {} }, "transitions": [{ "on": "Out", "to": "z" }], "states": {
            "a": { "transitions": [{ "on": "Push", "to": "p", "stack": "push" }] },
            "p": { "transitions": [{ "on": "H", "to": "h" }] } } },
          "z": { "transitions": [{ "on": "Back", "to": "w" }] } } }"#,
    );
    bench.tick();
    bench.send(&["Out"]);
    bench.send(&["Back"]);
    bench.send(&["Push"]);
    assert_eq!(bench.send(&["H"]), "-p -a +a");
}
