//! History and choices: EXEC-4, EXEC-7, EXEC-2 "History targets".

use crate::common::Bench;

const POINTS: &str = r#"{ "machine": "M", "events": ["Out", "Flat", "Deep", "Next", "Plain", "Clear"], "initial": "out", "states": {
  "out": { "transitions": [ { "on": "Flat", "to": "flat" }, { "on": "Deep", "to": "p/deep" }, { "on": "Plain", "to": "p" },
      { "on": "Clear", "do": { "clear_history": "p" } } ] },
  "p": { "initial": { "to": "p1", "do": "Init" },
    "history": { "flat": { "default": "p2", "do": "DefFlat" }, "deep": { "deep": true } },
    "transitions": [{ "on": "Out", "to": "out" }],
    "states": { "p1": {},
      "p2": { "initial": "q1", "states": { "q1": { "transitions": [{ "on": "Next", "to": "q2" }] }, "q2": {} } } } } } }"#;

#[test]
fn exec_4_defaults_shallow_and_deep() {
    let mut bench = Bench::new(POINTS);
    bench.tick();
    assert_eq!(
        bench.send(&["Deep"]),
        "-out +p Init +p1",
        "an empty default is the initial"
    );
    assert_eq!(bench.send(&["Out"]), "-p1 -p +out");
    assert_eq!(
        bench.oracle.snapshot().history,
        [Some(vec![3]), Some(vec![3])]
    );
    bench.send(&["Clear"]);
    assert_eq!(bench.send(&["Flat"]), "-out +p DefFlat +p2 +q1");
    bench.send(&["Next"]);
    bench.send(&["Out"]);
    assert_eq!(
        bench.oracle.snapshot().history,
        [Some(vec![4]), Some(vec![6])]
    );
    assert_eq!(bench.send(&["Flat"]), "-out +p +p2 +q1");
    bench.send(&["Next"]);
    bench.send(&["Out"]);
    assert_eq!(bench.send(&["Deep"]), "-out +p +p2 +q2");
    bench.send(&["Out"]);
    assert_eq!(
        bench.send(&["Plain"]),
        "-out +p Init +p1",
        "only transitions that target it"
    );
}

#[test]
fn exec_4_restore_on_entry_and_reset_on_done() {
    let mut bench = Bench::new(
        r#"{ "machine": "M", "events": ["Out", "In", "Next", "End"], "initial": "out", "states": {
          "out": { "transitions": [{ "on": "In", "to": "p" }] },
          "p": { "initial": "p1", "history": { "h": { "restore": "on_entry", "default": "p2", "do": "Def" } },
            "history_reset": "on_done", "transitions": [{ "on": "Out", "to": "out" }],
            "states": { "p1": { "transitions": [{ "on": "End", "to": "fin" }] },
              "p2": { "transitions": [{ "on": "Next", "to": "p1" }] }, "fin": { "final": true } } } } }"#,
    );
    bench.tick();
    assert_eq!(bench.send(&["In"]), "-out +p Def +p2");
    bench.send(&["Next"]);
    bench.send(&["Out"]);
    assert_eq!(bench.oracle.snapshot().history, [Some(vec![3])]);
    assert_eq!(bench.send(&["In"]), "-out +p +p1");
    bench.send(&["End"]);
    assert_eq!(
        bench.oracle.snapshot().history,
        [None],
        "at the end of the microstep that completes it"
    );
    bench.send(&["Out"]);
    assert_eq!(bench.oracle.snapshot().history, [None]);
    assert_eq!(bench.send(&["In"]), "-out +p Def +p2");
}

#[test]
fn exec_2_the_domain_follows_from_what_is_remembered() {
    let mut bench = Bench::new(
        r#"{ "machine": "M", "events": ["E", "H", "Out", "Back"], "initial": "o", "states": {
          "o": { "history": { "h": { "default": "x1", "do": "Def" } }, "transitions": [{ "on": "H", "to": "h" }, { "on": "Out", "to": "z" }],
            "regions": { "x": { "initial": "x1", "states": { "x1": { "transitions": [{ "on": "E", "to": "x2" }] }, "x2": {} } },
                         "y": { "initial": "y1", "states": { "y1": { "transitions": [{ "on": "E", "to": "y2" }] }, "y2": {} } } } },
          "z": { "transitions": [{ "on": "Back", "to": "o" }] } } }"#,
    );
    bench.tick();
    bench.send(&["E"]);
    assert_eq!(
        bench.send(&["H"]),
        "-x2 Def +x1",
        "the default touches one region"
    );
    bench.send(&["Out"]);
    bench.send(&["Back"]);
    assert_eq!(
        bench.send(&["H"]),
        "-x1 -y1 +x1 +y2",
        "what is remembered touches both"
    );
}

#[test]
fn exec_7_choices_are_resolved_before_the_first_exit() {
    let mut bench = Bench::new(
        r#"{ "machine": "M", "events": ["E"], "initial": "a", "states": {
          "a": { "transitions": [{ "on": "E", "to": "c", "do": "Eff" }] },
          "c": { "choice": [{ "if": "C1", "to": "b", "do": "B1" }, { "to": "d", "do": "B2" }] },
          "d": { "choice": [{ "if": "D1", "to": "b", "do": "D1do" }, { "to": "p", "do": "D2do" }] },
          "b": {},
          "p": { "initial": { "to": "pc", "do": "Init" }, "states": {
            "pc": { "choice": [{ "if": "P1", "to": "p1" }, { "to": "p2", "do": "P2do" }] }, "p1": {}, "p2": {} } } } }"#,
    );
    bench.tick();
    for guard in ["C1", "D1", "P1"] {
        bench.notes.no.insert(guard.into(), 0);
    }
    assert_eq!(
        bench.send(&["E"]),
        "?C1 ?D1 ?P1 -a Eff B2 D2do +p Init P2do +p2"
    );
}

#[test]
fn exec_4_entries_use_what_was_just_recorded() {
    let mut bench = Bench::new(
        r#"{ "machine": "M", "events": ["E", "H"], "initial": "a", "transitions": [{ "on": "H", "to": "h" }], "states": {
          "a": { "history": { "h": {} }, "initial": "a1", "states": { "a1": { "transitions": [{ "on": "E", "to": "a2" }] }, "a2": {} } } } }"#,
    );
    bench.tick();
    bench.send(&["E"]);
    assert_eq!(bench.send(&["H"]), "-a2 -a +a +a2");
}

#[test]
fn exec_2_the_domain_may_lie_inside_the_owner_of_the_point() {
    let mut bench = Bench::new(
        r#"{ "machine": "M", "events": ["H", "E"], "initial": "o", "states": { "o": { "history": { "h": { "default": "q2", "do": "Def" } },
          "initial": "p", "states": { "p": { "initial": "q1", "states": {
            "q1": { "transitions": [{ "on": "H", "to": "h", "do": "Eff" }] }, "q2": {} } } } } } }"#,
    );
    bench.tick();
    assert_eq!(bench.send(&["H"]), "-q1 Eff Def +q2");
}

#[test]
fn exec_4_a_sync_group_may_use_history() {
    let mut bench = Bench::new(
        r#"{ "machine": "M", "events": ["S", "N"], "initial": "o", "states": { "o": {
          "transitions": [{ "on": "S", "sync": { "y": "y2", "x": "x1/h" }, "do": "Eff" }],
          "regions": {
            "x": { "initial": "x1", "states": { "x1": { "history": { "h": {} }, "initial": "a",
              "states": { "a": { "transitions": [{ "on": "N", "to": "b" }] }, "b": {} } } } },
            "y": { "initial": "y1", "states": { "y1": {}, "y2": {} } },
            "w": { "states": { "w1": {} } } } } } }"#,
    );
    bench.tick();
    bench.send(&["N"]);
    assert_eq!(bench.send(&["S"]), "-b -x1 -y1 Eff +x1 +b +y2");
}

#[test]
fn exec_3_a_default_effect_comes_before_the_initials_of_other_regions() {
    let mut bench = Bench::new(
        r#"{ "machine": "M", "initial": "o", "states": { "o": { "history": { "h": { "default": "y2", "do": "Def", "restore": "on_entry" } },
          "regions": {
            "x": { "initial": { "to": "x1", "do": "InitX" }, "states": { "x1": {}, "x2": {} } },
            "y": { "initial": { "to": "y1", "do": "InitY" }, "states": { "y1": {}, "y2": {} } } } } } }"#,
    );
    assert_eq!(bench.tick(), "+root +o Def InitX +x1 +y2");
}
