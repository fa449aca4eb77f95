//! `statewright dump` and `statewright diff`.

use crate::common::{Folder, LAMP, WRONG, samples};

/// A folder with `lamp.swrom` and its sidecar.
fn built() -> Folder {
    let folder = Folder::with_lamp();
    folder.run(&["build", "lamp.sw.json", "-q"]).code(0);
    folder
}

#[test]
fn dump_shows_names_from_the_sidecar() {
    let folder = built();
    let ran = folder.run(&["dump", "lamp.swrom"]).code(0);
    let ran = ran
        .prints("machine     Lamp")
        .prints("on Press -> on  [named press]  do count += event");
    let ran = ran
        .prints("on Press if count > 2 -> off")
        .prints("timer fuse -> off")
        .prints("broken (final)");
    let ran = ran
        .prints("structure   ")
        .prints("placement: ")
        .prints("  states   ");
    assert_eq!(ran.err, "");
    assert_eq!(
        folder.run(&["dump", "lamp.sw.json"]).code(0).out,
        ran.out,
        "a machine file is compiled first"
    );
}

#[test]
fn dump_without_a_sidecar_uses_numbers() {
    let folder = built();
    std::fs::remove_file(folder.path.join("lamp.swdbg")).unwrap();
    let ran = folder
        .run(&["dump", "lamp.swrom"])
        .code(0)
        .says("no sidecar `lamp.swdbg`");
    ran.prints("on event_0 -> state_2  do key_0 += event")
        .prints("timer timer_0 -> state_1");
    let quiet = folder.run(&["dump", "lamp.swrom", "--quiet"]).code(0);
    assert_eq!(quiet.err, "");
}

#[test]
fn dump_refuses_a_foreign_or_damaged_sidecar() {
    let folder = built();
    folder.write("other.sw.json", LAMP.replace("2s", "3s"));
    folder.run(&["build", "other.sw.json", "-q"]).code(0);
    folder.write("lamp.swdbg", folder.read("other.swdbg"));
    folder
        .run(&["dump", "lamp.swrom"])
        .code(0)
        .says("belongs to another build")
        .prints("state_2");
    folder.write("lamp.swdbg", "{");
    folder
        .run(&["dump", "lamp.swrom"])
        .code(0)
        .says("not a debug sidecar")
        .prints("state_2");
    folder.write("lamp.swdbg", b"\xff\xff");
    folder
        .run(&["dump", "lamp.swrom"])
        .code(0)
        .says("not a debug sidecar");
}

#[test]
fn dump_as_json_and_with_tables() {
    let folder = built();
    let json = folder.run(&["dump", "lamp.swrom", "--json"]).code(0).json();
    assert_eq!(json["model"]["machine"], "Lamp");
    assert_eq!(json["layout"]["format_version"], 6);
    let states: Vec<&str> = json["model"]["states"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| s["path"].as_str().unwrap())
        .collect();
    assert_eq!(states, ["root", "off", "on", "broken"]);
    let both = folder
        .run(&["dump", "lamp.swrom", "lamp.sw.json", "--json"])
        .code(0)
        .json();
    assert_eq!(both.as_array().map(Vec::len), Some(2));
    assert_eq!(both[0]["model"], both[1]["model"]);
    let tables = folder
        .run(&["dump", "lamp.swrom", "--tables"])
        .code(0)
        .prints("transitions (")
        .out;
    assert!(
        tables.contains("subtree_end: 4") && !tables.contains("U16("),
        "{tables}"
    );
}

#[test]
fn dump_of_what_cannot_be_shown() {
    let folder = built();
    folder.write("wrong.sw.json", WRONG);
    folder
        .run(&["dump", "wrong.sw.json"])
        .code(1)
        .says("error[SW0101]")
        .says("does not compile");
    folder.write("cut.swrom", &folder.read("lamp.swrom")[..70]);
    let ran = folder
        .run(&["dump", "cut.swrom", "--json"])
        .code(1)
        .says("cannot be used: header: ");
    assert_eq!(ran.out, "");
    let ran = folder
        .run(&["dump", "none.swrom", "--json"])
        .code(2)
        .says("no such file");
    assert_eq!(ran.out, "");
    folder
        .run(&["dump", "lamp.swdbg"])
        .code(2)
        .says("name the `*.swrom` beside it");
    let all = folder.run(&["dump", "wrong.sw.json", "lamp.swrom"]).code(1);
    assert!(
        all.out.contains("machine     Lamp"),
        "the other one is shown"
    );
}

#[test]
fn every_sample_can_be_shown_in_every_way() {
    let folder = Folder::new();
    for sample in samples() {
        let path = sample.display().to_string();
        folder
            .run(&["dump", &path])
            .code(0)
            .prints("states\n  root");
        folder.run(&["dump", &path, "--tables"]).code(0);
        assert!(
            folder.run(&["dump", &path, "--json"]).code(0).json()["model"]["states"].is_array()
        );
        folder
            .run(&["diff", &path, &path])
            .code(0)
            .prints("the machines are the same");
    }
}

#[test]
fn diff_of_equal_machines_is_exit_code_0() {
    let folder = built();
    folder
        .run(&["diff", "lamp.swrom", "lamp.sw.json"])
        .code(0)
        .prints("the same")
        .prints("nothing to do");
    let quiet = folder
        .run(&["diff", "lamp.swrom", "lamp.sw.json", "-q"])
        .code(0);
    assert_eq!((quiet.out.as_str(), quiet.err.as_str()), ("", ""));
    folder
        .run_with(&["diff", "-", "lamp.swrom"], LAMP.as_bytes())
        .code(0);
    folder
        .run(&["diff", "-", "-"])
        .code(2)
        .says("only one side");
}

#[test]
fn diff_of_parameters_keeps_every_agent() {
    let folder = built();
    folder.write(
        "new.sw.json",
        LAMP.replace("2s", "3s").replace("count > 2", "count > 5"),
    );
    let ran = folder.run(&["diff", "lamp.swrom", "new.sw.json"]).code(1);
    ran.prints("entry: start fuse 120t -> start fuse 180t")
        .prints("if: count > 2 -> count > 5")
        .prints("parameters changed, the structure is the same")
        .prints("in a reload every agent would go on where it is");
    let json = folder
        .run(&["diff", "lamp.swrom", "new.sw.json", "--json"])
        .code(1)
        .json();
    assert_eq!(
        (&json["structure_changed"], &json["parameters_changed"]),
        (&false.into(), &true.into())
    );
    assert_eq!(json["reload"]["kind"], "parameters");
}

#[test]
fn diff_of_structure_names_what_is_gone() {
    let folder = built();
    let new = LAMP
        .replace("\"off\"", "\"dark\"")
        .replace("\"Break\": {} }", "\"Break\": {}, \"Fix\": {} }")
        .replace(
            "{ \"final\": true }",
            "{ \"transitions\": [{ \"on\": \"Fix\", \"to\": \"dark\" }] }",
        );
    folder.write("new.sw.json", new);
    let ran = folder.run(&["diff", "lamp.swrom", "new.sw.json"]).code(1);
    ran.prints("- state off")
        .prints("+ state dark")
        .prints("+ event Fix")
        .prints("+ transition broken: on Fix -> dark")
        .prints("the structure changed")
        .prints("gone: state off");
    let json = folder
        .run(&["diff", "lamp.swrom", "new.sw.json", "--json"])
        .code(1)
        .json();
    assert_eq!(json["reload"]["states_gone"], serde_json::json!(["off"]));
}

#[test]
fn a_renamed_state_with_an_id_changes_nothing_but_its_name() {
    let folder = Folder::with_lamp();
    folder.run(&["fmt", "--ids", "-q", "lamp.sw.json"]).code(0);
    let renamed = folder.text("lamp.sw.json").replace("\"off\"", "\"dark\"");
    folder.write("new.sw.json", renamed);
    let ran = folder.run(&["diff", "lamp.sw.json", "new.sw.json"]).code(1);
    let ran = ran
        .prints("path: off -> dark")
        .prints("only names differ")
        .prints("nothing to do");
    assert_eq!(
        ran.out.matches('~').count(),
        1,
        "transitions to it are no changes:\n{}",
        ran.out
    );
}

#[test]
fn a_machine_that_does_not_compile_cannot_be_compared() {
    let folder = Folder::with_lamp();
    folder.write("wrong.sw.json", WRONG);
    folder
        .run(&["diff", "lamp.sw.json", "wrong.sw.json"])
        .code(2)
        .says("does not compile");
    folder
        .run(&["diff", "lamp.sw.json", "."])
        .code(2)
        .says("it is a folder");
}

#[test]
fn a_closed_pipe_is_no_panic() {
    use std::process::{Command, Stdio};
    let folder = built();
    let mut child = Command::new(env!("CARGO_BIN_EXE_statewright"))
        .args(["dump", "lamp.swrom", "--tables", "--json"][..3].iter())
        .current_dir(&folder.path)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        (output.status.code(), output.stderr.as_slice()),
        (Some(0), &b""[..])
    );
}

#[test]
fn nothing_of_a_sidecar_reaches_the_terminal_as_it_is() {
    let folder = built();
    folder.write("other.sw.json", LAMP.replace("2s", "3s"));
    let hostile = "\\u001b]0;owned\\u0007\\u009b31m\\u202eneko\\nrb\\u007f\\udb40\\udc41";
    let sidecar = folder
        .text("lamp.swdbg")
        .replace("\"broken\"", &format!("\"{hostile}\""))
        .replace("\"Press\"", &format!("\"Pr{hostile}\""));
    folder.write("lamp.swdbg", sidecar);
    for args in [
        &["dump", "lamp.swrom"][..],
        &["dump", "lamp.swrom", "--tables"],
        &["dump", "lamp.swrom", "--json"],
        &["diff", "lamp.swrom", "other.sw.json"],
        &["diff", "lamp.swrom", "other.sw.json", "--json"],
        &["check", "lamp.swrom", "--report", "--deep"],
        &[
            "run",
            "lamp.swrom",
            "--agents=50",
            "--ticks=20",
            "--rate=0.5",
        ],
        &[
            "run",
            "lamp.swrom",
            "--agents=50",
            "--ticks=20",
            "--rate=0.5",
            "--json",
        ],
        &[
            "run",
            "lamp.swrom",
            "--agents=50",
            "--ticks=20",
            "--trace=t.swtrace",
            "--html=p.html",
            "-q",
        ],
        &["trace", "t.swtrace"],
        &["trace", "t.swtrace", "--json"],
        &["step", "lamp.swrom", "--events", "Break"],
        &["step", "lamp.swrom", "--events", "Break", "--json"],
        &["step", "lamp.swrom", "--events", "Pres"],
        &["draw", "lamp.swrom", "--active", "brokn"],
    ] {
        let ran = folder.run(args);
        let all = format!("{}{}", ran.out, ran.err);
        let raw = all
            .chars()
            .find(|&c| c != '\n' && statewright_author::names::is_hidden(c));
        assert_eq!(raw, None, "{args:?}: {all:?}");
        assert!(
            ran.code == 0 || matches!(args[0], "diff" | "draw" | "step"),
            "{args:?}: {all}"
        );
        assert!(
            args[0] == "check"
                || args[0] == "draw"
                || all.contains("neko")
                || !all.contains("owned"),
            "{args:?}: {all}"
        );
    }
    let json = folder.run(&["dump", "lamp.swrom", "--json"]).code(0).json();
    let broken = json["model"]["states"][3]["path"].as_str().unwrap();
    assert_eq!(
        broken, "\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}neko\nrb\u{7f}\u{e0041}",
        "JSON loses nothing"
    );
    folder
        .run(&["dump", "lamp.swrom"])
        .prints("\\u{1b}]0;owned\\u{7}\\u{9b}31m\\u{202e}neko\\u{a}rb\\u{7f}\\u{e0041}");
    assert!(!folder.text("p.html").contains('\u{202e}'));
}

#[test]
fn names_of_files_cannot_do_harm_either() {
    let folder = built();
    let name = "\u{1b}[31mred\u{202e}.sw.json";
    folder.write(name, WRONG);
    for args in [
        &["check", name][..],
        &["dump", name],
        &["run", name],
        &["draw", name],
        &["step", name],
        &["fmt", "--check", "x\u{1b}.sw.json"],
    ] {
        let ran = folder.run(args);
        assert!(
            ran.code != 0 && !ran.err.contains('\u{1b}') && !ran.err.contains('\u{202e}'),
            "{args:?}: {:?}",
            ran.err
        );
    }
}
