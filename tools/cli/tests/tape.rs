//! `run --record`, `replay` and `tape`: the same run once more, where tapes part, and files that are no
//! tapes.

use std::time::{Duration, Instant};

use crate::common::Folder;

const GUARD: &str = r#"{ "machine": "Guard", "tick_rate": 10,
  "events": { "Noise": { "payload": "i32" }, "Calm": {} },
  "blackboard": { "heard": { "type": "i32" } },
  "initial": "idle",
  "states": {
    "idle": { "transitions": [{ "on": "Noise", "if": "Hears", "to": "look", "do": "heard += 1" }] },
    "look": { "transitions": [{ "after": "4t", "to": "idle" }, { "on": "Calm", "to": "idle" }] } } }"#;

/// A folder with a machine and a tape of it.
fn recorded(more: &[&str]) -> Folder {
    let folder = Folder::new();
    folder.write("guard.sw.json", GUARD);
    record(&folder, "guard.swtape", more);
    folder
}

fn record(folder: &Folder, tape: &str, more: &[&str]) {
    let record = format!("--record={tape}");
    let args = [
        "run",
        "guard.sw.json",
        "--agents=20",
        "--ticks=45",
        "--rate=0.2",
        &record,
    ];
    let ran = folder.run(&[&args[..], more].concat()).code(0);
    ran.says("wrote a tape of 45 ticks and ");
}

#[test]
fn a_recorded_run_is_run_again_on_any_threads_and_from_anywhere() {
    for proof in ["none", "ticks", "bytes"] {
        let folder = recorded(&["--record-proof", proof]);
        folder
            .run(&["replay", "guard.swtape"])
            .code(0)
            .prints("the same: 45 ticks with ");
        let json = folder
            .run(&[
                "replay",
                "guard.swtape",
                "--threads=2",
                "--from=25",
                "--json",
            ])
            .code(0)
            .json();
        assert_eq!(json["same"], true);
        assert_eq!(json["ticks"], 25, "from the checkpoint before tick 20");
        assert_eq!(json["checkpoints"], 2);
        assert_eq!(json["digests"], if proof == "none" { 0 } else { 25 });
    }
}

#[test]
fn a_tape_says_what_it_has() {
    let folder = recorded(&[]);
    let json = folder
        .run(&["tape", "info", "guard.swtape", "--json"])
        .code(0)
        .json();
    assert_eq!(
        (&json["machine"], &json["program"]),
        (&"Guard".into(), &"statewright run".into())
    );
    assert_eq!(
        (&json["ticks"], &json["complete"]),
        (&45.into(), &true.into())
    );
    assert_eq!(json["checkpoints"], serde_json::json!([0, 10, 20, 30, 40]));
    let text = folder.run(&["tape", "info", "guard.swtape"]).code(0);
    text.prints("Guard, recorded by statewright run (library ")
        .prints("45 ticks from tick 0 on");
}

#[test]
fn tapes_of_different_runs_say_where_they_part() {
    let folder = recorded(&[]);
    folder
        .run(&["tape", "diff", "guard.swtape", "guard.swtape"])
        .code(0)
        .says("the tapes tell the same");
    record(&folder, "again.swtape", &["--threads=2"]);
    folder
        .run(&["tape", "diff", "guard.swtape", "again.swtape"])
        .code(0);
    folder.write("loud.txt", "Noise 5\n");
    record(&folder, "stubs.swtape", &["--stub-guards=true"]);
    let parted = folder
        .run(&["tape", "diff", "guard.swtape", "stubs.swtape"])
        .code(1);
    parted
        .prints("equal inputs, but")
        .prints("tick 3: the crowd is another one");
    record(&folder, "louder.swtape", &["--weights=loud.txt"]);
    let json = folder
        .run(&["tape", "diff", "guard.swtape", "louder.swtape", "--json"])
        .code(1)
        .json();
    assert_eq!(
        (&json["same"], &json["kind"]),
        (&false.into(), &"input".into())
    );
}

#[test]
fn a_part_of_a_tape_is_a_tape() {
    let folder = recorded(&[]);
    let cut = [
        "tape",
        "cut",
        "guard.swtape",
        "--from=12",
        "--to=25",
        "-o",
        "part.swtape",
    ];
    folder.run(&cut).code(0).says("wrote part.swtape");
    folder
        .run(&["replay", "part.swtape"])
        .code(0)
        .prints("the same: 16 ticks with ");
    folder.run(&cut).code(2).says("part.swtape");
    folder.run(&[&cut[..], &["--force"]].concat()).code(0);
    let nothing = [
        "tape",
        "cut",
        "guard.swtape",
        "--from=99",
        "-o",
        "none.swtape",
    ];
    folder.run(&nothing).code(2).says("has none of these ticks");
}

#[test]
fn damaged_files_give_one_clear_error_soon() {
    let folder = recorded(&["--record-proof=bytes"]);
    let bytes = folder.read("guard.swtape");
    let whole = bytes.len();
    let mut seen = [0; 2];
    // Cut off, or with one bit changed, all over the file.
    for place in (0..whole).step_by(whole / 40) {
        let mut changed = bytes.clone();
        changed[place] ^= 1 << (place % 8);
        for (damage, bytes) in [&bytes[..place], &changed].into_iter().enumerate() {
            folder.write("bad.swtape", bytes);
            for command in [&["replay"][..], &["tape", "info"]] {
                let begun = Instant::now();
                let ran = folder.run(&[command, &["bad.swtape"]].concat());
                assert!(begun.elapsed() < Duration::from_secs(2), "place {place}");
                assert!(ran.code < 2, "place {place}: {}", ran.err);
                assert!(!ran.err.contains("panicked"), "{}", ran.err);
                assert!(ran.err.lines().count() <= 3, "{}", ran.err);
                assert!(
                    ran.code == 1 || damage == 0,
                    "place {place}: a changed bit is noticed"
                );
                seen[damage] += 1;
            }
        }
    }
    assert!(seen.iter().all(|&count| count > 60), "{seen:?}");
    for (name, content) in [("empty.swtape", ""), ("machine.swtape", GUARD)] {
        folder.write(name, content);
        let refused = folder.run(&["replay", name]).code(1);
        refused
            .says("is not a tape that can be read, at byte 0")
            .says("tapes are written by");
    }
    folder
        .run(&["replay", "missing.swtape"])
        .code(2)
        .says("missing.swtape");
}
