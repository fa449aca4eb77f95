//! `run --save`, `run --load` and `save`: agents that go on, in the same machine or in a patched one, and
//! files that are no saves.

use std::process::Command;
use std::time::Duration;

use crate::common::Folder;

const GUARD: &str = r#"{ "machine": "Guard", "tick_rate": 10,
  "events": { "Noise": { "payload": "i32" }, "Calm": {} },
  "blackboard": { "heard": { "type": "i32", "default": 3 } },
  "initial": "idle",
  "states": {
    "idle": { "transitions": [{ "on": "Noise", "to": "look", "do": "heard += 1" }, { "after": "7t", "to": "look" }] },
    "look": { "transitions": [{ "after": "4t", "to": "idle" }, { "on": "Calm", "to": "idle" }] } } }"#;

/// The patched one: `look` has states inside it, guards have a mood, and are less patient.
fn patched() -> String {
    GUARD
        .replace(r#""heard""#, r#""mood": { "type": "vec3" }, "heard""#)
        .replace(
            r#""look": {"#,
            r#""look": { "states": { "left": {}, "right": {} }, "initial": "left","#,
        )
        .replace("7t", "5t")
}

/// A folder with both machines and a save of the first.
fn saved() -> Folder {
    let folder = Folder::new();
    folder.write("guard.sw.json", GUARD);
    folder.write("patched.sw.json", patched());
    let run = [
        "run",
        "guard.sw.json",
        "--agents=20",
        "--ticks=30",
        "--rate=0.2",
        "--save=monday.swsave",
    ];
    folder
        .run(&run)
        .code(0)
        .says("saved 20 agents to monday.swsave");
    folder
}

#[test]
fn save_5_a_run_goes_on_where_it_was_saved() {
    let folder = Folder::new();
    folder.write("guard.sw.json", GUARD);
    let run = |more: &[&str]| {
        folder.run(&[&["run", "--rate=0"], more].concat()).code(0);
    };
    run(&[
        "guard.sw.json",
        "--agents=30",
        "--ticks=45",
        "--save=whole.swsave",
    ]);
    run(&[
        "guard.sw.json",
        "--agents=30",
        "--ticks=20",
        "--save=half.swsave",
    ]);
    // The save brings its machine along, and may be replaced by what comes of it.
    run(&[
        "--load=half.swsave",
        "--ticks=25",
        "--save=half.swsave",
        "--threads=1",
    ]);
    assert_eq!(folder.read("half.swsave"), folder.read("whole.swsave"));
    assert_eq!(
        folder.names(),
        ["guard.sw.json", "half.swsave", "whole.swsave"]
    );
}

#[test]
fn save_5_a_save_says_who_is_in_it() {
    let folder = saved();
    let json = folder
        .run(&["save", "inspect", "monday.swsave", "--json"])
        .code(0)
        .json();
    assert_eq!(
        (&json["program"], &json["world"]),
        (&"statewright run".into(), &false.into())
    );
    let crowd = &json["crowds"][0];
    assert_eq!(
        (&crowd["machine"], &crowd["agents"]),
        (&"Guard".into(), &20.into())
    );
    assert_eq!(
        (&crowd["next_tick"], &crowd["damaged_agents"]),
        (&30.into(), &0.into())
    );
    let text = folder.run(&["save", "inspect", "monday.swsave"]).code(0);
    text.prints("crowds, saved by statewright run (library ")
        .prints("agents: 20 agents of Guard before tick 30")
        .prints("blackboards: the keys of the machine");
    folder
        .run(&["save", "verify", "monday.swsave"])
        .code(0)
        .prints("whole: 1 crowds, 20 agents");
    let json = folder
        .run(&["save", "verify", "monday.swsave", "--json"])
        .code(0)
        .json();
    assert_eq!(
        (&json["whole"], &json["agents"]),
        (&true.into(), &20.into())
    );
}

#[test]
fn save_5_a_migrated_save_is_what_loading_it_gives() {
    let folder = saved();
    let migrate = [
        "save",
        "migrate",
        "monday.swsave",
        "patched.sw.json",
        "-o",
        "tuesday.swsave",
    ];
    let json = folder
        .run(&[&migrate[..], &["--json"]].concat())
        .code(0)
        .json();
    let crowd = &json["crowds"][0];
    assert_eq!(
        (&crowd["crowd"], &crowd["extent"]),
        (&"agents".into(), &"structure".into())
    );
    let count = |name: &str| crowd[name].as_u64().unwrap();
    assert_eq!(count("kept") + count("completed"), 20);
    assert!(
        count("completed") > 0 && count("on_old_deadlines") > 0,
        "{json}"
    );
    folder
        .run(&migrate)
        .code(2)
        .says("`tuesday.swsave` exists already");
    folder.run(&["save", "verify", "tuesday.swsave"]).code(0);
    for (from, to) in [("monday", "one"), ("tuesday", "two")] {
        let (load, save) = (
            format!("--load={from}.swsave"),
            format!("--save={to}.swsave"),
        );
        let run = [
            "run",
            "patched.sw.json",
            &load,
            &save,
            "--ticks=20",
            "--rate=0.3",
        ];
        let extent = if from == "monday" {
            "structure"
        } else {
            "nothing changed"
        };
        folder
            .run(&run)
            .code(0)
            .says(&format!("loaded: {extent}; "));
    }
    assert_eq!(folder.read("one.swsave"), folder.read("two.swsave"));
}

#[test]
fn save_5_what_cannot_be_is_said_and_nothing_is_written() {
    let folder = saved();
    folder.write(
        "other.sw.json",
        r#"{ "machine": "Other", "states": { "a": {} } }"#,
    );
    let before = folder.names();
    let migrate = |more: &[&str]| {
        let first = [
            "save",
            "migrate",
            "monday.swsave",
            "other.sw.json",
            "-o",
            "out.swsave",
        ];
        folder.run(&[&first[..], more].concat())
    };
    migrate(&[])
        .code(2)
        .says("`monday.swsave` has no agents of an earlier version of Other")
        .says("it has `agents` of Guard");
    migrate(&["--crowd=ghosts"])
        .code(2)
        .says("has no crowd `ghosts`");
    let run = |more: &[&str]| folder.run(&[&["run", "guard.sw.json"], more].concat());
    run(&["--load=nothing.swsave"])
        .code(2)
        .says("there is no such file");
    run(&["--load=guard.sw.json"])
        .code(1)
        .says("this is not a save");
    run(&["--load=monday.swsave", "--crowd=ghosts"])
        .code(2)
        .says("it has `agents`");
    run(&["--load=monday.swsave", "--agents=5"])
        .code(2)
        .says("cannot be used with");
    run(&["--save=-"])
        .code(2)
        .says("`--save` needs the name of a file");
    run(&["--save=guard.sw.json"])
        .code(2)
        .says("would replace its own source");
    run(&["--save=missing/x.swsave"])
        .code(2)
        .says("there is no folder `missing`");
    assert_eq!(folder.names(), before);
}

#[test]
fn save_5_damaged_saves_give_one_error_soon() {
    let folder = saved();
    let whole = folder.read("monday.swsave");
    let mut hostile: Vec<Vec<u8>> = vec![Vec::new(), b"SWSV".to_vec(), vec![0; 1 << 20]];
    hostile.extend([40, 100, whole.len() / 2, whole.len() - 1].map(|end| whole[..end].to_vec()));
    hostile.extend([5, 30, 60, 200, whole.len() - 60].map(|at| {
        let mut flipped = whole.clone();
        flipped[at] ^= 4;
        flipped
    }));
    // A head that is right, and 100 MB of nothing.
    hostile.push([&whole[..64], &vec![0; 100 << 20]].concat());
    for (number, bytes) in hostile.iter().enumerate() {
        folder.write("hostile.swsave", bytes);
        for command in ["inspect", "verify"] {
            let ran = folder.run_bounded(&["save", command, "hostile.swsave"]);
            let code = if bytes.len() > 40 << 20 { 2 } else { 1 };
            let ran = ran.code(code).says("error: `hostile.swsave`");
            assert_eq!(ran.err.matches("error").count(), 1, "{number}: {}", ran.err);
        }
    }
}

/// The disk is full, as a limit on the size of files makes it: the old save is there, and nothing else.
#[test]
#[cfg(unix)]
fn save_3_a_full_disk_leaves_the_old_save() {
    let folder = saved();
    let old = folder.read("monday.swsave");
    let before = folder.names();
    let line = format!(
        "trap '' XFSZ; ulimit -f 8; exec '{}' run guard.sw.json --agents 2000 --ticks 3 --save monday.swsave",
        env!("CARGO_BIN_EXE_statewright")
    );
    let mut sh = Command::new("sh");
    let ran = sh
        .args(["-c", &line])
        .current_dir(&folder.path)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert_eq!(ran.status.code(), Some(2), "{said}");
    assert!(said.contains("cannot write `monday.swsave`"), "{said}");
    assert_eq!(folder.read("monday.swsave"), old);
    assert_eq!(folder.names(), before);
}

/// Killed at any moment: the old save, or the new one.
#[test]
#[cfg(unix)]
fn save_3_a_killed_process_leaves_the_old_save_or_the_new_one() {
    let folder = saved();
    let mut replaced = 0;
    for wait in 0..12_u64 {
        let mut child = Command::new(env!("CARGO_BIN_EXE_statewright"))
            .args([
                "run",
                "guard.sw.json",
                "--agents=30000",
                "--ticks=2",
                "--save=monday.swsave",
            ])
            .current_dir(&folder.path)
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(wait * 40));
        _ = child.kill();
        child.wait().unwrap();
        let json = folder
            .run(&["save", "verify", "monday.swsave", "--json"])
            .code(0)
            .json();
        let agents = json["agents"].as_u64().unwrap();
        assert!([20, 30_000].contains(&agents), "{json}");
        replaced += u64::from(agents == 30_000);
    }
    assert!(replaced < 12, "the first was killed at once");
}

#[test]
fn save_5_agents_of_a_save_are_shown_by_name() {
    let folder = saved();
    let inspect =
        |more: &[&str]| folder.run(&[&["save", "inspect", "monday.swsave"], more].concat());
    inspect(&["--agent=0,3-4"])
        .code(0)
        .prints("before tick 30")
        .prints("active")
        .prints("blackboard");
    let json = inspect(&["--agent=3", "--json"]).code(0).json();
    let shown = &json["crowds"][0]["shown_agents"];
    assert_eq!(shown[0]["agent"], 3);
    assert!(shown[0]["leaves"][0].is_string(), "{shown}");
    assert!(shown[0]["blackboard"]["heard"].is_string(), "{shown}");
    inspect(&["--agent=77"])
        .code(2)
        .says("no agent of this number");
    inspect(&["--crowd=nobody"])
        .code(2)
        .says("no crowd `nobody`");
}

#[test]
fn save_5_a_report_is_about_its_run_and_tells_the_load() {
    let folder = saved();
    let json = folder
        .run(&[
            "run",
            "--load=monday.swsave",
            "--ticks=1",
            "--rate=0",
            "--json",
        ])
        .code(0)
        .json();
    assert_eq!(json["loaded"]["kept"], 20);
    let all = folder
        .run(&[
            "run",
            "guard.sw.json",
            "--agents=20",
            "--ticks=31",
            "--rate=0.2",
            "--json",
        ])
        .code(0)
        .json();
    assert!(all["loaded"].is_null());
    let count = |json: &serde_json::Value| json["counters"]["events"].as_u64().unwrap();
    assert!(
        count(&json) < count(&all),
        "{} {}",
        count(&json),
        count(&all)
    );
}

#[test]
fn save_5_quiet_says_nothing_if_all_is_well() {
    let folder = saved();
    let ran = folder
        .run(&["save", "verify", "monday.swsave", "-q"])
        .code(0);
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("", ""));
}

#[test]
fn a_save_is_no_machine_and_the_command_that_takes_it_is_named() {
    let folder = saved();
    folder
        .run(&["check", "monday.swsave"])
        .code(2)
        .says("is a save, not a machine")
        .says("statewright save inspect");
}
