//! `statewright run`.

use crate::common::{Folder, LAMP, WRONG, samples};
use serde_json::Value;

/// A small run of the lamp.
const SMALL: [&str; 5] = [
    "run",
    "lamp.sw.json",
    "--agents=500",
    "--ticks=60",
    "--rate=0.2",
];

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("the report is JSON")
}

/// The report without what depends on the machine that it runs on.
fn same_everywhere(text: &str) -> Value {
    let mut report = json(text);
    for key in ["time", "memory"] {
        report
            .as_object_mut()
            .unwrap()
            .remove(key)
            .expect("the report has it");
    }
    report
}

#[test]
fn without_a_file_a_sample_runs() {
    let folder = Folder::new();
    let ran = folder
        .run(&["run", "--agents", "200", "--ticks", "30"])
        .code(0);
    let ran =
        ran.prints("SoldierCombat: 200 agents, 30 ticks (0.5 s at 60 ticks per second), seed 1");
    let ran = ran
        .prints("where agents are")
        .prints("alive/idle/patrol")
        .prints("transitions, most often first");
    let ran = ran
        .prints("calls of activity PatrolActivity")
        .prints("ns per agent and tick")
        .prints("of blackboards");
    assert_eq!(ran.err, "");
}

#[test]
fn a_run_that_is_too_short_says_so_instead_of_a_figure() {
    let folder = Folder::new();
    let ran = folder.run(&["run", "--agents", "200", "--ticks", "30"]);
    ran.code(0)
        .prints("  one core  unknown: too few agents or ticks to tell how many it could carry");
}

#[test]
fn reports_follow_their_schema() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../schemas/run.schema.json");
    let schema = json(&std::fs::read_to_string(path).unwrap());
    let schema = jsonschema::validator_for(&schema).unwrap();
    let folder = Folder::with_lamp();
    for file in ["lamp.sw.json", &samples()[0].display().to_string()] {
        for threads in ["--threads=1", "--threads=2"] {
            let args = ["run", file, threads, "--agents=150", "--ticks=90", "--json"];
            let report = json(&folder.run(&args).code(0).out);
            if let Err(error) = schema.validate(&report) {
                panic!("{error} at {} of {report:#}", error.instance_path());
            }
            let counters = report["counters"].as_object().unwrap();
            assert!(!counters.is_empty());
            assert!(report["time"]["processor_seconds"].is_number() || !cfg!(unix));
        }
    }
}

#[test]
fn events_that_were_taken_add_up() {
    let folder = Folder::new();
    let ran = folder
        .run(&["run", "--agents", "200", "--ticks", "300"])
        .code(0);
    let line = ran.out.lines().find(|line| line.starts_with("  events"));
    let line = line.expect("a line about events").replace(',', "");
    let words = line.split(|c: char| !c.is_ascii_digit());
    let numbers: Vec<u64> = words.filter_map(|word| word.parse().ok()).collect();
    let [sent, taken, handled, unhandled] = numbers[..] else {
        panic!("{line}");
    };
    assert_eq!(taken, handled + unhandled, "{line}");
    assert!(sent != taken, "timers count as well: {line}");
}

#[test]
fn every_sample_runs_with_every_answer_of_guards() {
    let folder = Folder::new();
    for sample in samples() {
        for answer in ["true", "false", "random"] {
            let sample = sample.display().to_string();
            let args = [
                "run",
                &sample,
                "--agents=50",
                "--ticks=120",
                "--rate=0.1",
                "--stub-guards",
                answer,
                "--json",
            ];
            let report = json(&folder.run(&args).code(0).out);
            // A machine may do nothing at all if no guard holds.
            assert!(
                answer == "false" || report["counters"]["transitions"].as_u64().unwrap() > 0,
                "{sample} {answer}"
            );
            assert_eq!(report["stub_guards"], answer);
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_run_on_any_number_of_threads() {
    let folder = Folder::with_lamp();
    let run = |more: &[&str]| {
        same_everywhere(
            &folder
                .run(&[&SMALL[..], &["--json"], more].concat())
                .code(0)
                .out,
        )
    };
    let one = run(&["--threads=1"]);
    assert_eq!(one, run(&["--threads=4"]));
    assert_eq!(one, run(&[]));
    let other = run(&["--seed=2"]);
    assert_ne!(one["counters"], other["counters"]);
    assert!(one["events_sent"].as_u64().unwrap() > 5_000, "{one}");
}

#[test]
fn the_report_adds_up() {
    let folder = Folder::with_lamp();
    let report = json(&folder.run(&[&SMALL[..], &["--json"]].concat()).code(0).out);
    let taken: u64 = report["transitions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|t| t["taken"].as_u64().unwrap())
        .sum();
    assert_eq!(taken, report["counters"]["transitions"].as_u64().unwrap());
    let ticks = report["population"]["ticks"].as_array().unwrap();
    assert_eq!(
        (ticks.first().unwrap(), ticks.last().unwrap()),
        (&Value::from(0), &Value::from(59))
    );
    for (at, _) in ticks.iter().enumerate() {
        let leaves = report["population"]["leaves"].as_array().unwrap();
        let agents: u64 = leaves
            .iter()
            .map(|leaf| leaf["counts"][at].as_u64().unwrap())
            .sum();
        assert!(agents <= 500, "{agents} agents at sample {at}");
    }
    assert_eq!(report["memory"]["instance_bytes"], 500 * 64);
}

#[test]
fn a_script_says_what_happens() {
    let folder = Folder::with_lamp();
    folder.write("press.txt", "# all lamps on, one breaks\nat 1 send Press 5 to all\nat 3 send Break to agent 7\n\nevery 10 from 20 send Press to 50%\n");
    let run = |ticks: &str| {
        let args = [
            "run",
            "lamp.sw.json",
            "--agents=100",
            "--script=press.txt",
            "--json",
            "--ticks",
            ticks,
        ];
        json(&folder.run(&args).code(0).out)
    };
    let report = run("3");
    assert_eq!(report["events_sent"], 100);
    let on = report["population"]["leaves"]
        .as_array()
        .unwrap()
        .iter()
        .find(|leaf| leaf["state"] == "on")
        .unwrap();
    assert_eq!(on["counts"], serde_json::json!([0, 100, 100]));
    let report = run("5");
    assert_eq!(
        (&report["events_sent"], &report["ended"]),
        (&Value::from(101), &Value::from(1))
    );
    let sent = run("21")["events_sent"].as_u64().unwrap() - 101;
    assert!((20..80).contains(&sent), "about half of them: {sent}");
}

#[test]
fn keys_can_be_set() {
    let folder = Folder::with_lamp();
    // Without it `count > 2` never holds, because the event carries nothing.
    folder.write(
        "set.txt",
        "at 1 set count 3\nat 2 send Press\nat 4 send Press\n",
    );
    let args = [
        "run",
        "lamp.sw.json",
        "--agents=10",
        "--ticks=6",
        "--script=set.txt",
        "--json",
    ];
    assert_eq!(
        json(&folder.run(&args).code(0).out)["counters"]["transitions"],
        20
    );
}

#[test]
fn wrong_scripts_are_refused_line_by_line() {
    let folder = Folder::with_lamp();
    folder.write("wrong.txt", "at 1 send Pres\nat x send Press\nat 1 send Press 1.5\nat 1 send Break 3\nsoon send Press\nat 1 sing\n\
        at 1 set cont 3\nat 1 set count yes\nat 1 send Press to agent 10\nat 1 send Press to nobody\nevery 0 send Press\nat 1 send Press to 300%\n");
    let ran = folder
        .run(&[
            "run",
            "lamp.sw.json",
            "--agents=10",
            "--ticks=3",
            "--script=wrong.txt",
        ])
        .code(1);
    let expected = [
        "`wrong.txt`, line 1: the machine has no event `Pres`; did you mean `Press`?",
        "line 2: `x` is no tick",
        "line 3: `1.5` is no i32; write something like `-3`",
        "line 4: `Break` has no payload, but `3` was given; write `send Break`",
        "line 5: `soon` is no time",
        "line 6: `sing` is nothing that can be done",
        "line 7: the machine has no blackboard key `cont`; did you mean `count`?",
        "line 8: `yes` is no i32",
        "line 9: there is no agent 10: they are numbered from 0 to 9",
        "line 10: `to nobody` names nobody",
        "line 11: `every 0` would never end",
        "line 12: `300%` is no share",
    ];
    let ran = expected.into_iter().fold(ran, |ran, text| ran.says(text));
    assert_eq!(ran.out, "");
    folder
        .run(&["run", "lamp.sw.json", "--script=none.txt"])
        .code(2)
        .says("none.txt");
}

#[test]
fn plots_and_pages_are_whole_files() {
    let folder = Folder::with_lamp();
    folder
        .run(&[&SMALL[..], &["--svg=plot.svg", "--html=page.html", "-q"]].concat())
        .code(0);
    let (plot, page) = (folder.text("plot.svg"), folder.text("page.html"));
    assert!(
        plot.starts_with("<svg ") && plot.trim_end().ends_with("</svg>"),
        "{plot}"
    );
    assert!(
        plot.contains("where agents are over time") && plot.contains("<path class=\"band\" d=\"M")
    );
    for part in [
        "<!DOCTYPE html>",
        "Where agents are",
        "colored by use",
        "off -&gt; on on Press",
        "default-src 'none'",
        "</html>",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(
        !page.contains("<script") && !page.contains("http://www.w3.org/1999/xhtml"),
        "nothing runs"
    );
    // One that cannot be written leaves none behind.
    let ran = folder
        .run(
            &[
                &SMALL[..],
                &["--svg=new.svg", "--html=lamp.sw.json/page.html"],
            ]
            .concat(),
        )
        .code(2);
    assert!(ran.err.contains("lamp.sw.json"), "{}", ran.err);
    assert!(!folder.path.join("new.svg").exists());
}

#[test]
fn wrong_arguments_and_machines_are_refused() {
    let folder = Folder::with_lamp();
    for (args, text) in [
        (
            &["run", "--agents=0"][..],
            "a whole number from 1 to 100000000 is wanted",
        ),
        (
            &["run", "--agents", "-5"],
            "a whole number from 1 to 100000000 is wanted",
        ),
        (
            &["run", "--agents=1e6"],
            "a whole number from 1 to 100000000 is wanted",
        ),
        (&["run", "--seed=abc"], "a whole number from 0 on is wanted"),
        (
            &["run", "--threads=0"],
            "a whole number from 1 to 1024 is wanted",
        ),
        (&["run", "--ticks=0"], "a whole number from 1 on is wanted"),
        (
            &["run", "--ticks=99999999999999999999"],
            "a whole number from 1 on is wanted",
        ),
        (&["run", "--rate=99"], "a number from 0 to 16 is wanted"),
        (
            &["run", "--stub-guards=maybe"],
            "possible values: true, false, random",
        ),
        (&["run", "none.sw.json"], "none.sw.json"),
    ] {
        folder.run(args).code(2).says(text);
    }
    folder.write("wrong.sw.json", WRONG);
    folder
        .run(&["run", "wrong.sw.json"])
        .code(1)
        .says("does not compile");
    folder.run(&["build", "lamp.sw.json", "-q"]).code(0);
    folder
        .run(&["run", "lamp.swrom", "--agents=10", "--ticks=5"])
        .code(0)
        .prints("Lamp: 10 agents");
    std::fs::remove_file(folder.path.join("lamp.swdbg")).unwrap();
    folder
        .run(&["run", "lamp.swrom", "--agents=10", "--ticks=5"])
        .code(0)
        .prints("state_1");
}

#[test]
fn hostile_names_never_reach_terminal_or_page() {
    let folder = Folder::new();
    folder.write(
        "evil.sw.json",
        LAMP.replace("\"off\"", "\"<script>\u{202e}\""),
    );
    let ran = folder.run(&[
        "run",
        "evil.sw.json",
        "--agents=10",
        "--ticks=5",
        "--html=page.html",
    ]);
    if ran.code == 0 {
        assert!(!ran.out.contains('\u{202e}') && !folder.text("page.html").contains("<script>"));
    } else {
        // Such names are refused by the compiler, and not shown as they are.
        assert!(!ran.err.contains('\u{202e}'), "{}", ran.err);
    }
}

#[test]
fn weights_come_from_a_file_or_from_the_machine() {
    let folder = Folder::with_lamp();
    folder.write("never.txt", "# nobody touches it\n* 1\nPress 0\n");
    folder.write(
        "other.sw.json",
        LAMP.replacen(
            '{',
            "{ \"meta\": { \"run\": { \"weights\": { \"Press\": 0 } } },",
            1,
        ),
    );
    let pressed = |args: &[&str]| {
        let ran = folder.run(
            &[
                &["run", "--agents=200", "--ticks=60", "--rate=0.2", "--json"],
                args,
            ]
            .concat(),
        );
        let report = json(&ran.code(0).out);
        let taken = report["transitions"].as_array().unwrap().iter();
        taken
            .filter(|one| one["text"].as_str().unwrap().ends_with("on Press"))
            .map(|one| one["taken"].as_u64().unwrap())
            .sum::<u64>()
    };
    assert!(pressed(&["lamp.sw.json"]) > 0);
    assert_eq!(pressed(&["lamp.sw.json", "--weights=never.txt"]), 0);
    assert_eq!(pressed(&["other.sw.json"]), 0);
    folder.write("often.txt", "Press 5\n");
    assert!(
        pressed(&["other.sw.json", "--weights=often.txt"]) > 0,
        "the file goes first"
    );
}

#[test]
fn wrong_weights_are_refused_before_anything_runs() {
    let folder = Folder::with_lamp();
    for (text, problem) in [
        (
            "Pres 1",
            "`w.txt`, line 1: the machine has no event `Pres`; did you mean `Press`?",
        ),
        ("\nPress -2", "`w.txt`, line 2: `Press`: `-2` is negative"),
        (
            "Press lots",
            "`w.txt`, line 1: `Press`: `lots` is no number",
        ),
        ("", "`w.txt`: no event has a weight"),
        ("* 0", "`w.txt`: every event has weight 0"),
    ] {
        folder.write("w.txt", text);
        let args = ["run", "lamp.sw.json", "--weights=w.txt", "--html=page.html"];
        let ran = folder.run(&args).code(1).says(problem);
        assert_eq!(ran.out, "");
    }
    folder.write("w.txt", [0xff_u8, 0xfe]);
    let args = ["run", "lamp.sw.json", "--weights=w.txt"];
    folder.run(&args).code(2).says("is not UTF-8 text");
    let args = ["run", "lamp.sw.json", "--weights=none.txt"];
    folder.run(&args).code(2).says("none.txt");
    folder.write("w.txt", "Press 1");
    let args = ["run", "lamp.sw.json", "--weights=w.txt", "--html=w.txt"];
    folder.run(&args).code(2).says("its own source");
    assert!(!folder.path.join("page.html").exists());
    let bad = LAMP.replacen(
        '{',
        "{ \"meta\": { \"run\": { \"weights\": { \"Pres\": 1 } } },",
        1,
    );
    folder.write("bad.sw.json", bad);
    let ran = folder.run(&["run", "bad.sw.json"]).code(1);
    ran.says("`bad.sw.json`, `meta.run.weights`: the machine has no event `Pres`");
}

/// A large crowd takes less than 1.5 times what its agents and blackboards take.
#[test]
fn a_large_crowd_takes_little_more_than_its_agents() {
    let folder = Folder::new();
    let sample = samples()
        .into_iter()
        .find(|path| path.ends_with("pedestrian.sw.json"))
        .unwrap()
        .display()
        .to_string();
    let memory = |agents: &str| {
        let ran = folder
            .run(&[
                "run",
                &sample,
                "--ticks=5",
                "--threads=2",
                "--json",
                "--agents",
                agents,
            ])
            .code(0);
        let memory = json(&ran.out)["memory"].clone();
        let own = memory["instance_bytes"].as_u64().unwrap()
            + memory["blackboard_bytes"].as_u64().unwrap();
        // Systems that do not tell have nothing to compare.
        memory["peak_bytes"]
            .as_u64()
            .map(|peak| (own as f64, peak as f64))
    };
    let (Some((few, small)), Some((many, large))) = (memory("1000"), memory("401000")) else {
        return;
    };
    assert_eq!(many - few, 400_000.0 * (64.0 + 16.0));
    let ratio = (large - small) / (many - few);
    assert!(
        ratio < 1.5,
        "{ratio:.2} times what agents and blackboards take"
    );
}

#[test]
fn quiet_runs_say_only_what_went_wrong() {
    let folder = Folder::with_lamp();
    let ran = folder
        .run(&["run", "lamp.sw.json", "--agents=50", "--rate=0", "-q"])
        .code(0);
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("", ""));
    // Two states that always lead to each other.
    folder.write(
        "restless.sw.json",
        r#"{ "machine": "Restless", "initial": "a", "states": {
          "a": { "transitions": [{ "when": "always", "if": "A", "to": "b" }] },
          "b": { "transitions": [{ "when": "always", "if": "A", "to": "a" }] } } }"#,
    );
    let ran = folder
        .run(&[
            "run",
            "restless.sw.json",
            "-q",
            "--agents=3",
            "--ticks=5",
            "--stub-guards=true",
        ])
        .code(0)
        .prints("worth a look")
        .prints("ticks were cut short by a cap");
    assert!(!ran.out.contains("agents,"), "{}", ran.out);
}

#[test]
fn roms_run_without_their_names() {
    let folder = Folder::new();
    let rom = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../machines/golden/soldier.swrom"
    );
    folder.write("soldier.swrom", std::fs::read(rom).unwrap());
    folder
        .run(&["run", "soldier.swrom", "--agents=50", "--ticks=50"])
        .code(0)
        .prints("state_1")
        .prints("calls of activity function 5");
}

/// The plot in the README is what the command draws today.
#[test]
fn the_plot_of_the_documentation_is_that_of_today() {
    let folder = Folder::new();
    folder
        .run(&["run", "--agents=2000", "--svg=run.svg", "-q"])
        .code(0);
    let (drawn, path) = (
        folder.text("run.svg"),
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/pictures/run.svg"),
    );
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path, &drawn).unwrap();
    }
    let kept = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        kept == drawn,
        "docs/pictures/run.svg is old: run `cargo xtask bless` and look at it"
    );
}
