//! `replay` and `tape why|fork|shrink|export`: sealed tapes of a game, without the game.

use std::path::Path;

use crate::common::Folder;

/// A folder with the tapes of the town.
fn town() -> Folder {
    let folder = Folder::new();
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tapes");
    for name in ["guards", "villagers", "bosses"] {
        let file = format!("town-{name}.swtape");
        std::fs::copy(kept.join(&file), folder.path.join(&file)).unwrap();
    }
    folder
}

/// The words of a command line; quotes hold some together.
fn words(line: &str) -> Vec<String> {
    let parts = line.split('\'').enumerate();
    let words = parts.flat_map(|(place, part)| match place % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect(),
        _ => vec![part.to_owned()],
    });
    words.collect()
}

#[test]
fn the_transcript_of_the_guide_is_what_the_commands_say() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/recording.md");
    let page = std::fs::read_to_string(page).unwrap();
    let transcript = page.split("```console\n").nth(1).unwrap();
    let transcript = transcript.split("```").next().unwrap();
    let folder = town();
    let mut commands = 0;
    for part in transcript.split("$ statewright ").skip(1) {
        let (line, expected) = part.split_once('\n').unwrap();
        let words = words(line);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let ran = folder.run(&words).code(0);
        assert_eq!(ran.out, expected, "{line}");
        commands += 1;
    }
    assert_eq!(commands, 6);
}

#[test]
fn answers_are_there_as_json() {
    let folder = town();
    let why = [
        "tape",
        "why",
        "town-guards.swtape",
        "--agent=242",
        "--tick=5",
        "--json",
    ];
    let why = folder.run(&why).code(0).json();
    assert_eq!(
        (&why["before"][0], &why["after"][0]),
        (&"patrol".into(), &"fight".into())
    );
    assert_eq!(why["guessed_since"], serde_json::Value::Null);
    let fork = [
        "tape",
        "fork",
        "town-bosses.swtape",
        "--at=100",
        "--do=at 100 set health 10 to agent 1",
        "-ofork.swtape",
        "--json",
    ];
    let fork = folder.run(&fork).code(0).json();
    assert_eq!(fork["ticks"], 140);
    assert_eq!(fork["differing"][0]["guessed_since"], 100);
    assert_eq!(fork["moves"][0]["fork"], "rage");
    let small = [
        "tape",
        "shrink",
        "town-guards.swtape",
        "--until=agent 242 in fight",
        "--before=3",
        "-osmall.swtape",
        "--json",
    ];
    let small = folder.run(&small).code(0).json();
    assert_eq!(
        (&small["agents"][1], &small["ticks"][1]),
        (&1.into(), &4.into())
    );
    let info = folder
        .run(&["tape", "info", "small.swtape", "--json"])
        .code(0)
        .json();
    assert_eq!((&info["sealed"], &info["ticks"]), (&true.into(), &4.into()));
    let same = folder
        .run(&["replay", "small.swtape", "--threads=2", "--json"])
        .code(0)
        .json();
    assert_eq!(same["same"], true);
}

#[test]
fn a_tape_is_exported_for_other_tools_and_as_a_picture() {
    let folder = town();
    let export = |format: &str, more: &[&str]| {
        let format = format!("--format={format}");
        let args = [
            "tape",
            "export",
            "town-bosses.swtape",
            "--from=60",
            "--to=90",
            &format,
        ];
        folder.run(&[&args[..], more].concat()).code(0)
    };
    export("trace", &["-otown.swtrace"]).says("wrote town.swtrace");
    folder
        .run(&["trace", "town.swtrace", "--agent=1"])
        .code(0)
        .prints("roam");
    let json = export("json", &["--agents=1"]).json();
    assert!(
        json["records"]
            .as_array()
            .is_some_and(|records| !records.is_empty()),
        "{json}"
    );
    export("perfetto", &["-otown.perfetto"]);
    assert!(
        std::fs::metadata(folder.path.join("town.perfetto"))
            .unwrap()
            .len()
            > 100
    );
    let fork = [
        "tape",
        "fork",
        "town-bosses.swtape",
        "--at=70",
        "--do=at 70 set health 10 to all",
        "-ofork.swtape",
    ];
    folder.run(&fork).code(0).prints("4 of 4 agents differ");
    let svg = export("svg", &["--fork=fork.swtape", "--theme=light"]).out;
    assert!(svg.starts_with("<svg") && svg.contains("guessed since tick 70"));
    assert!(svg.matches(">fork</text>").count() == 4, "{svg}");
    // A file that is there is not replaced unasked.
    let again = [
        "tape",
        "export",
        "town-bosses.swtape",
        "--format=svg",
        "-otown.swtrace",
    ];
    folder.run(&again).code(2);
}

#[test]
fn a_run_is_asked_without_being_sealed() {
    let folder = Folder::with_lamp();
    let run = [
        "run",
        "lamp.sw.json",
        "--agents=20",
        "--ticks=60",
        "--rate=0.3",
        "--record=lamp.swtape",
    ];
    folder.run(&run).code(0);
    let why = ["tape", "why", "lamp.swtape", "--agent=3", "--tick=0"];
    folder.run(&why).code(0).prints("agent 3.1 before tick 0");
    let small = [
        "tape",
        "shrink",
        "lamp.swtape",
        "--until=state on",
        "-osmall.swtape",
    ];
    folder
        .run(&small)
        .code(0)
        .prints("1 of 20 agents, 1 of 60 ticks, 1 of ");
    folder
        .run(&["replay", "small.swtape"])
        .code(0)
        .prints("the same: 1 ticks");
}

#[test]
fn wrong_questions_are_refused_with_what_to_ask() {
    let folder = town();
    let ask = |args: &[&str]| folder.run(&[&["tape"], args].concat());
    let (guards, out) = ("town-guards.swtape", "-oout.swtape");
    ask(&["why", guards, "--agent=5000", "--tick=5"])
        .code(2)
        .says("there is no agent 5000");
    ask(&["why", guards, "--agent=5", "--tick=240"])
        .code(2)
        .says("ends before tick 240");
    ask(&["why", guards, "--agent=5", "--tick=9000"])
        .code(2)
        .says("ends before tick 240");
    ask(&["fork", guards, "--at=9000", out])
        .code(2)
        .says("ends before tick 240");
    ask(&["fork", guards, "--at=5", "--drop=x", out])
        .code(2)
        .says("neither `TICK` nor `TICK:AGENT`");
    ask(&["fork", guards, "--at=5", "--do=at 5 send Hepl to all", out])
        .code(2)
        .says("Hepl");
    ask(&["fork", guards, "--at=5", "--do=at 5 send Roar to 5%", out])
        .code(2)
        .says("draws no lots");
    ask(&["shrink", guards, "--until=joy", out])
        .code(2)
        .says("is no condition");
    ask(&["shrink", guards, "--until=state joy", out])
        .code(2)
        .says("joy");
    ask(&["shrink", guards, "--until=fault", out])
        .code(1)
        .says("is never so");
    ask(&["shrink", guards, "--until=difference", out])
        .code(1)
        .says("is never so");
    assert!(!folder.path.join("out.swtape").exists());
}

#[test]
fn the_picture_of_the_guide_is_what_export_draws() {
    let folder = town();
    let fork = [
        "tape",
        "fork",
        "town-bosses.swtape",
        "--at=100",
        "--do=at 100 set health 10 to agent 1",
        "-ofork.swtape",
    ];
    folder.run(&fork).code(0);
    let export = [
        "tape",
        "export",
        "town-bosses.swtape",
        "--format=svg",
        "--fork=fork.swtape",
    ];
    let drawn = folder.run(&export).code(0).out;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/pictures/town-fork.svg");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &drawn).unwrap();
    }
    assert!(
        drawn.contains("(none)"),
        "before its first tick nobody is anywhere"
    );
    assert_eq!(drawn, std::fs::read_to_string(path).unwrap());
}
