//! Hierarchy and regions: EXEC-1, EXEC-2, EXEC-3, SEL-2, SEL-4.

use crate::common::Bench;

const NESTED: &str = r#"{
  "machine": "M", "events": ["Go", "In", "Self", "Ext", "Up"], "initial": "a",
  "states": {
    "a": {
      "initial": "a1",
      "states": {
        "a1": { "transitions": [{ "on": "In", "to": "a2" }, { "on": "Go", "to": "b2" }, { "on": "Up", "to": "a" }] },
        "a2": { }
      },
      "transitions": [
        { "on": "Go", "to": "b", "do": "Eff" },
        { "on": "Self", "to": "a", "do": "Eff" },
        { "on": "In", "to": "a1", "do": "Loc" },
        { "on": "Ext", "to": "a1", "kind": "external" }
      ]
    },
    "b": { "initial": { "to": "b1", "do": "Init" }, "states": { "b1": {}, "b2": {} } }
  }
}"#;

#[test]
fn exec_1_start_enters_in_pre_order() {
    let mut bench = Bench::new(NESTED);
    assert_eq!(bench.tick(), "+root +a +a1");
    assert_eq!(bench.leaves(), "a1");
    assert_eq!(bench.tick(), "");
}

#[test]
fn sel_2_the_leaf_is_asked_first_and_a_deep_target_skips_the_initial() {
    let mut bench = Bench::new(NESTED);
    bench.tick();
    assert_eq!(bench.send(&["Go"]), "-a1 -a +b +b2");
}

#[test]
fn exec_3_an_initial_effect_runs_between_parent_and_child() {
    let mut bench = Bench::new(NESTED);
    bench.tick();
    assert_eq!(bench.send(&["In"]), "-a1 +a2");
    assert_eq!(bench.send(&["Go"]), "-a2 -a Eff +b Init +b1");
}

#[test]
fn exec_2_local_external_and_self() {
    let mut bench = Bench::new(NESTED);
    bench.tick();
    assert_eq!(bench.send(&["Self"]), "-a1 -a Eff +a +a1");
    assert_eq!(bench.send(&["In"]), "-a1 +a2");
    assert_eq!(
        bench.send(&["In"]),
        "-a2 Loc +a1",
        "local: the source stays"
    );
    assert_eq!(bench.send(&["Ext"]), "-a1 -a +a +a1");
    assert_eq!(
        bench.send(&["Up"]),
        "-a1 -a +a +a1",
        "to an enclosing state is external"
    );
}

const REGIONS: &str = r#"{
  "machine": "M", "events": ["E", "F", "G", "Cross", "Local", "Sync", "Deep"], "initial": "o",
  "states": {
    "o": {
      "transitions": [
        { "on": "Local", "to": "x2" },
        { "on": "Sync", "sync": { "x": "x2", "y": "y2" }, "do": "S" },
        { "on": "G", "to": "z", "do": "G1" }
      ],
      "regions": {
        "x": { "initial": "x1", "states": {
          "x1": { "transitions": [{ "on": "E", "to": "x2", "do": "Ex" }, { "on": "Cross", "to": "y2" }, { "on": "F", "to": "z" }] },
          "x2": { "transitions": [{ "on": "E", "to": "x1" }] } } },
        "y": { "initial": { "to": "y1", "do": "InitY" }, "states": {
          "y1": { "transitions": [{ "on": "E", "to": "y2", "do": "Ey" }, { "on": "F", "to": "y2", "priority": 1 }] },
          "y2": {} } }
      }
    },
    "z": { "transitions": [{ "on": "Deep", "to": "y2" }, { "on": "E", "to": ["x2", "y2"] }] }
  }
}"#;

#[test]
fn exec_1_two_regions_commit_together() {
    let mut bench = Bench::new(REGIONS);
    assert_eq!(bench.tick(), "+root +o +x1 InitY +y1");
    assert_eq!(bench.send(&["E"]), "-x1 -y1 Ex Ey +x2 +y2");
    assert_eq!(bench.leaves(), "x2 y2");
}

#[test]
fn exec_1_reverse_exit_order_is_reverse_pre_order() {
    let mut bench = Bench::new(&REGIONS.replacen(
        "\"machine\"",
        "\"policies\": { \"exit_order\": \"reverse\" }, \"machine\"",
        1,
    ));
    bench.tick();
    assert_eq!(bench.send(&["E"]), "-y1 -x1 Ex Ey +x2 +y2");
    assert_eq!(bench.send(&["G"]), "-y2 -x2 -o G1 +z");
}

#[test]
fn exec_2_crossing_regions_leaves_the_orthogonal_state() {
    let mut bench = Bench::new(REGIONS);
    bench.tick();
    assert_eq!(bench.send(&["Cross"]), "-x1 -y1 -o +o +x1 +y2");
}

#[test]
fn exec_2_local_of_an_orthogonal_state_touches_targeted_regions_only() {
    let mut bench = Bench::new(REGIONS);
    bench.tick();
    assert_eq!(bench.send(&["Local"]), "-x1 +x2");
    assert_eq!(bench.send(&["Sync"]), "-x2 -y1 S +x2 +y2");
}

#[test]
fn exec_3_several_targets_and_other_regions() {
    let mut bench = Bench::new(REGIONS);
    bench.tick();
    assert_eq!(bench.send(&["G"]), "-x1 -y1 -o G1 +z");
    assert_eq!(bench.send(&["Deep"]), "-z +o +x1 +y2");
    bench.send(&["G"]);
    assert_eq!(bench.send(&["E"]), "-z +o +x2 +y2");
}

#[test]
fn sel_4_the_higher_priority_wins_a_conflict() {
    use statewright_oracle::Outcome;
    let mut bench = Bench::new(REGIONS);
    bench.tick();
    // x1: F to z exits everything, priority 0; y1: F with priority 1.
    assert_eq!(bench.send(&["F"]), "-y1 +y2");
    let outcomes: Vec<Outcome> = bench.last.selections[1]
        .outcomes
        .values()
        .copied()
        .collect();
    assert_eq!(outcomes, [Outcome::LostConflict, Outcome::Taken]);
}

#[test]
fn exec_2_an_orthogonal_root_is_never_left() {
    let mut bench = Bench::new(
        r#"{ "machine": "M", "events": ["E"], "regions": {
            "x": { "states": { "x1": { "transitions": [{ "on": "E", "to": "y2" }] } } },
            "y": { "initial": "y1", "states": { "y1": {}, "y2": {} } } } }"#,
    );
    assert_eq!(bench.tick(), "+root +x1 +y1");
    assert_eq!(bench.send(&["E"]), "-x1 -y1 +x1 +y2");
}
