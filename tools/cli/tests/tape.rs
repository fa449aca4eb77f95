//! `run --record`, `replay` and `tape`: the same run once more, where tapes part, and files that are no
//! tapes.

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
                let ran = folder.run_bounded(&[command, &["bad.swtape"]].concat());
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
    // A beginning that is right, and 100 MB of nothing.
    folder.write("long.swtape", [&bytes[..64], &vec![0; 100 << 20]].concat());
    for command in [&["replay"][..], &["tape", "info"]] {
        let refused = folder.run_bounded(&[command, &["long.swtape"]].concat());
        assert_eq!(refused.err.matches("error").count(), 1, "{}", refused.err);
        refused.code(1);
    }
    for (name, content) in [("empty.swtape", ""), ("machine.swtape", GUARD)] {
        folder.write(name, content);
        let refused = folder.run_bounded(&["replay", name]).code(1);
        refused
            .says("is not a tape that can be read, at byte 0")
            .says("tapes are written by");
    }
    folder
        .run(&["replay", "missing.swtape"])
        .code(2)
        .says("missing.swtape");
}

#[test]
fn with_quiet_nothing_is_said_when_all_is_well() {
    let folder = recorded(&[]);
    let quiet = folder.run(&["-q", "replay", "guard.swtape"]).code(0);
    assert_eq!((quiet.out.as_str(), quiet.err.as_str()), ("", ""));
    let shrink = [
        "-q",
        "tape",
        "shrink",
        "guard.swtape",
        "--until=state look",
        "-osmall.swtape",
    ];
    let quiet = folder.run(&shrink).code(0);
    assert_eq!((quiet.out.as_str(), quiet.err.as_str()), ("", ""));
    // What differs is told all the same.
    record(&folder, "stubs.swtape", &["--stub-guards=true"]);
    let parted = folder
        .run(&["-q", "tape", "diff", "guard.swtape", "stubs.swtape"])
        .code(1);
    parted.prints("the crowd is another one; the tapes do not say of whom");
}

#[test]
fn a_tape_of_another_machine_parts_at_once_and_two_tapes_are_called_first_and_second() {
    let folder = recorded(&["--record-proof=bytes"]);
    record(
        &folder,
        "stubs.swtape",
        &["--stub-guards=true", "--record-proof=bytes"],
    );
    let parted = folder
        .run(&["tape", "diff", "guard.swtape", "stubs.swtape"])
        .code(1);
    let parted = parted.prints(" on the first, ").prints(" on the second");
    assert!(!parted.out.contains(" now"), "{}", parted.out);
    folder.write("guard.sw.json", GUARD.replace("4t", "5t"));
    record(&folder, "other.swtape", &[]);
    folder
        .run(&["tape", "diff", "guard.swtape", "other.swtape"])
        .code(1)
        .prints("the tapes are of different machines or versions");
}

#[test]
fn tape_8_a_fork_goes_on_in_another_version_of_the_machine() {
    let folder = recorded(&[]);
    folder.write("longer.sw.json", GUARD.replace("4t", "20t"));
    folder.write(
        "nap.sw.json",
        GUARD.replace("\"look\": {", "\"nap\": {}, \"look\": {"),
    );
    let fork = |machine: &str| {
        let machine = format!("--machine={machine}");
        let args = [
            "tape",
            "fork",
            "guard.swtape",
            "--at=10",
            &machine,
            "-ffork",
            "-ofork.swtape",
            "--json",
        ];
        let args = args.map(|arg| if arg == "-ffork" { "--force" } else { arg });
        let json = folder.run(&args).code(0).json();
        let replayed = folder
            .run(&["replay", "fork.swtape", "--json"])
            .code(0)
            .json();
        assert_eq!(replayed["ticks"], 35);
        json
    };
    // The same machine makes the same of it, and so does a state that nobody enters.
    assert_eq!(fork("guard.sw.json")["differing"], serde_json::json!([]));
    assert_eq!(fork("nap.sw.json")["differing"], serde_json::json!([]));
    let longer = fork("longer.sw.json");
    let differing = longer["differing"].as_array().unwrap();
    assert!(!differing.is_empty(), "who looks, looks longer");
    folder
        .run(&[
            "tape",
            "fork",
            "guard.swtape",
            "--at=10",
            "--machine=none.sw.json",
            "-onone.swtape",
        ])
        .code(2)
        .says("none.sw.json");
}

#[test]
fn tape_9_a_smaller_tape_is_a_fixture_too() {
    let folder = recorded(&[]);
    let shrink = |machine: &str| {
        let machine = format!("--machine={machine}");
        let args = [
            "tape",
            "shrink",
            "guard.swtape",
            "--until=state look",
            "--fixture=look.txt",
            &machine,
            "-osmall.swtape",
            "--force",
        ];
        folder.run(&args)
    };
    shrink("guard.sw.json").code(0).says("wrote look.txt");
    let text = String::from_utf8(folder.read("look.txt")).unwrap();
    assert!(
        text.contains("== state look\n{ \"machine\": \"Guard\""),
        "{text}"
    );
    assert!(text.contains("-- host\nguard Hears "), "{text}");
    assert!(text.ends_with("\n  ...\n  = look...\n  ...\n"), "{text}");
    folder.write("other.sw.json", GUARD.replace("4t", "5t"));
    shrink("other.sw.json")
        .code(2)
        .says("another machine or version than that of the tape");
}

#[test]
fn tape_1_a_tape_of_a_world_has_a_tape_of_each_crowd() {
    let folder = Folder::new();
    let kept = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tapes");
    std::fs::copy(kept.join("town.swtape"), folder.path.join("town.swtape")).unwrap();
    let mut all = folder.run(&["replay", "town.swtape"]).code(0);
    for name in ["villagers", "guards", "bosses"] {
        all = all.prints(&format!("crowd `{name}`: the same: 30 ticks with "));
    }
    let one = folder
        .run(&["replay", "town.swtape", "--crowd=bosses", "--json"])
        .code(0)
        .json();
    assert_eq!(one["crowds"][0]["crowd"], "bosses");
    assert_eq!(one["crowds"][0]["ticks"], 30);
    let info = folder
        .run(&["tape", "info", "town.swtape", "--json"])
        .code(0)
        .json();
    assert_eq!(info["crowds"].as_array().map(Vec::len), Some(3));
    let why = ["tape", "why", "town.swtape", "--agent=1", "--tick=9"];
    folder
        .run(&why)
        .code(1)
        .says("is a tape of a world with `villagers`, `guards`, `bosses`")
        .says("--crowd");
    folder
        .run(&[&why[..], &["--crowd=guards"]].concat())
        .code(0)
        .prints("agent 1.1 before tick 9: ");
    folder
        .run(&[&why[..], &["--crowd=cows"]].concat())
        .code(1)
        .says("has no crowd `cows`");
    let cut = [
        "tape",
        "cut",
        "town.swtape",
        "--crowd=bosses",
        "--to=10",
        "-opart.swtape",
    ];
    folder.run(&cut).code(0);
    folder
        .run(&["replay", "part.swtape"])
        .code(0)
        .prints("the same: 11 ticks with ");
}

#[test]
fn tape_2_chosen_agents_and_lanes_are_recorded_and_run_again_alone() {
    let folder = recorded(&["--seal=3,7-8", "--outputs=gameplay,message"]);
    let json = folder
        .run(&["tape", "info", "guard.swtape", "--json"])
        .code(0)
        .json();
    let indices: Vec<u64> = json["agents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|agent| agent["index"].as_u64().unwrap())
        .collect();
    assert_eq!((indices, &json["sealed"]), (vec![3, 7, 8], &true.into()));
    assert_eq!(json["outputs"], serde_json::json!(["gameplay", "message"]));
    let text = folder.run(&["tape", "info", "guard.swtape"]).code(0);
    text.prints("  of 3 chosen agents alone: 3.1, 7.1, 8.1; anybody can run them again\n")
        .prints("  with the commands of gameplay, message\n");
    // Without the machine file, and what any tape is asked.
    std::fs::remove_file(folder.path.join("guard.sw.json")).unwrap();
    for threads in ["1", "2"] {
        let ran = folder
            .run(&["replay", "guard.swtape", "--threads", threads])
            .code(0);
        ran.prints("the same: 45 ticks with ");
    }
    let why = ["tape", "why", "guard.swtape", "--agent=7", "--tick=20"];
    folder.run(&why).code(0).prints("after it: ");
    let json = folder
        .run(&["tape", "export", "guard.swtape", "--format=json"])
        .code(0)
        .json();
    let agents = json["records"].as_array().unwrap().iter();
    assert!(agents.clone().count() > 3);
    assert!(
        agents
            .map(|record| record["agent"].as_u64().unwrap())
            .all(|agent| [3, 7, 8].contains(&agent))
    );

    let everybody = recorded(&["--seal=all"]);
    let json = everybody
        .run(&["tape", "info", "guard.swtape", "--json"])
        .code(0)
        .json();
    assert_eq!(
        (&json["sealed"], &json["agents"]),
        (&true.into(), &serde_json::Value::Null)
    );
    everybody.run(&["replay", "guard.swtape"]).code(0);
}

#[test]
fn tape_2_agents_and_lanes_that_are_not_there_are_refused_with_a_remedy() {
    let folder = Folder::new();
    folder.write("guard.sw.json", GUARD);
    let run = |more: &[&str]| {
        let args = [
            "run",
            "guard.sw.json",
            "--agents=5",
            "--ticks=3",
            "--record=g.swtape",
        ];
        folder.run(&[&args[..], more].concat()).code(2)
    };
    run(&["--seal=5"])
        .says("`--seal`: there is no agent 5")
        .says("numbered from 0 to 4");
    run(&["--seal=some"]).says("or `all`");
    run(&["--outputs=gamepaly"])
        .says("`--outputs`: there is no lane `gamepaly`")
        .says("did you mean `gameplay`?");
    folder
        .run(&["run", "guard.sw.json", "--seal=all"])
        .code(2)
        .says("--record");
}
