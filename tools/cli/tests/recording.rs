//! From a run to its trace, and from the trace to pictures: `run --trace`, `trace`, `draw --heat`.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{Folder, LAMP};

/// A run of the lamp that writes a trace.
fn record(folder: &Folder, more: &[&str]) -> crate::common::Ran {
    let args = [
        "run",
        "lamp.sw.json",
        "--agents=100",
        "--ticks=60",
        "--rate=0.2",
        "--trace=lamp.swtrace",
    ];
    folder.run(&[&args[..], more].concat())
}

fn traced(more: &[&str]) -> Folder {
    let folder = Folder::with_lamp();
    record(&folder, more).code(0);
    folder
}

/// The agents in a trace.
fn agents(folder: &Folder) -> Vec<u64> {
    let json = folder
        .run(&["trace", "lamp.swtrace", "--json"])
        .code(0)
        .json();
    let records = json["records"].as_array().unwrap();
    let mut agents: Vec<u64> = records
        .iter()
        .map(|record| record["agent"].as_u64().unwrap())
        .collect();
    agents.sort_unstable();
    agents.dedup();
    agents
}

#[test]
fn a_run_its_trace_and_its_picture_tell_the_same_story() {
    let folder = traced(&["--trace-level=3", "--trace-agents=0-99", "--json"]);
    let report = record(
        &folder,
        &["--trace-level=3", "--trace-agents=0-99", "--json"],
    )
    .code(0)
    .says("records to")
    .json();
    let taken = |report: &serde_json::Value| -> Vec<u64> {
        report["transitions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|found| found["taken"].as_u64().unwrap())
            .collect()
    };
    let json = folder
        .run(&["trace", "lamp.swtrace", "--json", "--level=1"])
        .code(0)
        .json();
    let records = json["records"].as_array().unwrap();
    let transitions = records
        .iter()
        .filter(|record| record["kind"] == "transition")
        .count() as u64;
    assert_eq!(
        transitions,
        taken(&report).iter().sum::<u64>(),
        "everybody was recorded"
    );
    assert!(transitions > 100, "{transitions}");
    let text = folder
        .run(&["trace", "lamp.swtrace", "--agent=7", "--level=1"])
        .code(0)
        .prints("     7  starts");
    assert_eq!(text.err, "");
    folder
        .run(&["trace", "lamp.swtrace", "--event=Press", "--level=1"])
        .code(0)
        .prints("Press: off -> on");
    folder
        .run(&["trace", "lamp.swtrace", "--why", "7", "0"])
        .code(0)
        .prints("agent 7 of Lamp, tick 0");
    let picture = folder
        .run(&["draw", "lamp.sw.json", "--heat=lamp.swtrace"])
        .code(0)
        .out;
    let leaves = report["states"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|state| state["leaf"] == true);
    let visits: Vec<u64> = leaves
        .map(|state| state["visits"].as_u64().unwrap())
        .collect();
    let (least, most) = (visits.iter().min().unwrap(), visits.iter().max().unwrap());
    assert!(
        picture.contains(&format!("entered {least} times"))
            && picture.contains(&format!("{most} times;")),
        "{picture}"
    );
    assert!(
        picture.contains("warm5") && picture.contains("class=\"box heat"),
        "{picture}"
    );
    // Recording changes nothing.
    let plain = folder
        .run(&[
            "run",
            "lamp.sw.json",
            "--agents=100",
            "--ticks=60",
            "--rate=0.2",
            "--json",
        ])
        .code(0)
        .json();
    assert_eq!(
        (taken(&plain), &plain["counters"]),
        (taken(&report), &report["counters"])
    );
}

#[test]
fn a_trace_has_the_agents_and_the_level_that_were_asked_for() {
    let folder = traced(&[]);
    assert_eq!(
        agents(&folder),
        (0..16).collect::<Vec<u64>>(),
        "the first 16 unless told"
    );
    let small = folder.read("lamp.swtrace").len();
    folder
        .run(&["trace", "lamp.swtrace", "--why", "3", "2"])
        .code(2)
        .says("level 3");
    let folder = traced(&["--trace-agents=7,90-92,91", "--trace-level=2"]);
    assert_eq!(agents(&folder), [7, 90, 91, 92]);
    folder
        .run(&["trace", "lamp.swtrace"])
        .code(0)
        .prints("enters on")
        .prints("timer fuse runs until");
    assert!(small < 40_000, "{small} bytes");
    // The same run gives the same bytes on any number of threads.
    let one = folder.read("lamp.swtrace");
    record(
        &folder,
        &[
            "--trace-agents=7,90-92,91",
            "--trace-level=2",
            "--threads=3",
        ],
    )
    .code(0);
    assert_eq!(folder.read("lamp.swtrace"), one);
}

/// A program that does not outlive its test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

#[test]
fn a_run_that_is_killed_leaves_a_readable_trace() {
    let folder = Folder::with_lamp();
    folder.write("press.txt", "every 1 send Press 5 to 50%");
    let args = [
        "run",
        "lamp.sw.json",
        "--ticks=1000000000",
        "--script=press.txt",
        "--agents=50",
        "--trace=lamp.swtrace",
    ];
    let child = Command::new(env!("CARGO_BIN_EXE_statewright"))
        .args(args)
        .current_dir(&folder.path)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut running = Running(child);
    let begun = Instant::now();
    while std::fs::metadata(folder.path.join("lamp.swtrace")).map_or(0, |file| file.len()) < 20_000
    {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "the trace does not grow"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    running.0.kill().unwrap();
    drop(running);
    let ran = folder
        .run(&["trace", "lamp.swtrace", "--agent=3"])
        .code(0)
        .prints("Press: off -> on");
    assert!(
        ran.err.contains("was not closed") || ran.err.contains("is cut off"),
        "{}",
        ran.err
    );
    folder
        .run(&[
            "draw",
            "lamp.sw.json",
            "--heat=lamp.swtrace",
            "-o",
            "hot.svg",
        ])
        .code(0);
}

#[test]
fn wrong_traces_of_a_run_are_refused_before_it_begins() {
    let folder = Folder::with_lamp();
    let before = folder.names();
    record(&folder, &["--trace-agents=99-100"])
        .code(2)
        .says("there is no agent 100")
        .says("from 0 to 99");
    record(&folder, &["--trace-agents=9-3"])
        .code(2)
        .says("such as 7 or 0-15");
    record(&folder, &["--trace-agents=few"])
        .code(2)
        .says("such as 7 or 0-15");
    record(&folder, &["--trace-level=4"])
        .code(2)
        .says("4 is not in 1..=3");
    folder
        .run(&["run", "lamp.sw.json", "--trace-level=2"])
        .code(2)
        .says("--trace <FILE>");
    for (option, path, text) in [
        ("--trace", "lamp.sw.json", "its own source"),
        ("--html", "lamp.sw.json", "its own source"),
        ("--trace", "-", "needs the name of a file"),
        ("--svg", "-", "needs the name of a file"),
        ("--trace", ".", "it is a folder"),
        ("--trace", "lamp.sw.json/t.swtrace", "cannot write"),
        ("--html", "lamp.sw.json/p.html", "cannot write"),
    ] {
        // So many ticks would take for ever.
        let ran = folder
            .run(&["run", "lamp.sw.json", "--ticks=1000000000", option, path])
            .code(2)
            .says(text);
        assert_eq!(ran.out, "");
    }
    assert_eq!(folder.names(), before, "nothing was written");
    assert_eq!(folder.text("lamp.sw.json"), LAMP);
    if std::path::Path::new("/dev/full").exists() {
        folder
            .run(&["run", "lamp.sw.json", "--trace=/dev/full"])
            .code(2)
            .says("the disk is full");
    }
}

#[test]
fn only_traces_of_the_same_machine_color_a_picture() {
    let folder = traced(&[]);
    let hot = folder
        .run(&[
            "draw",
            "lamp.sw.json",
            "--heat",
            "lamp.swtrace",
            "--theme=dark",
        ])
        .code(0)
        .prints("dotted: never");
    assert_ne!(
        hot.out,
        folder.run(&["draw", "lamp.sw.json", "--theme=dark"]).out
    );
    // Other numbers are the same machine; other states or transitions are not.
    folder.write(
        "tuned.sw.json",
        LAMP.replace("count > 2", "count > 3").replace("2s", "3s"),
    );
    folder
        .run(&["draw", "tuned.sw.json", "--heat", "lamp.swtrace"])
        .code(0)
        .prints("dotted: never");
    let more_states = LAMP.replace("\"broken\": {", "\"lost\": {}, \"broken\": {");
    for changed in [
        more_states,
        LAMP.replace("\"on\": \"Break\"", "\"on\": \"Press\""),
    ] {
        assert_ne!(changed, LAMP);
        folder.write("other.sw.json", changed);
        let refused = folder
            .run(&[
                "draw",
                "other.sw.json",
                "--heat",
                "lamp.swtrace",
                "-o",
                "x.svg",
            ])
            .code(2);
        refused
            .says("is a trace of machine `Lamp`, not of `other.sw.json` as it is now")
            .says("record it again");
    }
    folder
        .run(&["draw", "lamp.sw.json", "--heat", "none.swtrace"])
        .code(2)
        .says("no such file")
        .says("run --trace");
    folder
        .run(&["draw", "lamp.sw.json", "--heat", "lamp.sw.json"])
        .code(1)
        .says("this is not a trace");
    folder
        .run(&["draw", "lamp.sw.json", "--heat", "."])
        .code(2)
        .says("it is a folder");
    folder
        .run(&[
            "draw",
            "lamp.sw.json",
            "--heat",
            "lamp.swtrace",
            "--format=dot",
        ])
        .code(2)
        .says("are for SVG");
    assert!(!folder.has("x.svg"));
    // What is whole of a damaged one is drawn, and the exit code says that something is missing.
    let mut bytes = folder.read("lamp.swtrace");
    let at = bytes.len() - 60;
    bytes[at] ^= 1;
    folder.write("cut.swtrace", &bytes);
    folder
        .run(&["draw", "lamp.sw.json", "--heat", "cut.swtrace"])
        .code(1)
        .says("damaged at byte")
        .prints("dotted: never");
}

#[test]
fn a_trace_is_not_taken_for_a_machine() {
    let folder = traced(&[]);
    for command in [
        "run", "step", "draw", "docs", "dump", "check", "build", "fmt",
    ] {
        folder
            .run(&[command, "lamp.swtrace"])
            .code(2)
            .says("is a trace, not a machine")
            .says("`statewright trace`");
    }
}
