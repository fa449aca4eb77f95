//! `statewright step` by script: words, JSON, mistakes, files; and what the guide says about it.

use crate::common::{Folder, LAMP, Ran, WRONG};
use jsonschema::Validator;
use serde_json::Value;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn sample(name: &str) -> String {
    format!("{ROOT}/machines/{name}.sw.json")
}

fn script(folder: &Folder, args: &[&str], lines: &str) -> Ran {
    let args: Vec<&str> = ["step"].into_iter().chain(args.iter().copied()).collect();
    folder.run_with(&args, lines.as_bytes())
}

#[test]
fn a_script_is_told_what_happens() {
    let folder = Folder::with_lamp();
    let ran = script(
        &folder,
        &["lamp.sw.json"],
        "# light\nsend Press 3\n\nafter 2s\nsend Break # dark for ever\n",
    )
    .code(0);
    let expected = "\
step 0, tick 0: start
  entered   root
  entered   off
  now in    off
step 1, tick 1 (0.02s): send Press 3
  taken     off: on Press -> on
  left      off
  action    count = 3
  entered   on
  action    start fuse 120t
  now in    on
  waits     fuse: in 120 ticks (2s)
step 2, tick 121 (2.02s): after
  timer     fuse
  taken     on: timer fuse -> off
  left      on
  entered   off
  now in    off
step 3, tick 122 (2.03s): send Break
  taken     root: on Break -> broken
  left      off
  action    stop fuse
  entered   broken
  left      broken
  left      root
  end       the agent has ended
  ended in  broken
";
    assert_eq!(ran.out, expected);
    assert_eq!(ran.err, "");
}

#[test]
fn the_first_mistake_ends_a_script() {
    let folder = Folder::with_lamp();
    let ran = script(
        &folder,
        &["lamp.sw.json"],
        "send Press\n\n# here\nsend Pres\ntick\n",
    )
    .code(1);
    let ran = ran
        .says("error: line 4: there is no event `Pres`")
        .says("did you mean `Press`?");
    assert!(
        ran.out.ends_with("fuse: in 120 ticks (2s)\n"),
        "nothing after the mistake: {}",
        ran.out
    );
    script(&folder, &["lamp.sw.json"], "in offf\n")
        .code(1)
        .says("line 1")
        .says("did you mean `off`?");
    script(&folder, &["lamp.sw.json"], "set cuont 3\n")
        .code(1)
        .says("line 1")
        .says("did you mean `count`?");
    script(&folder, &["lamp.sw.json"], "quit\nnonsense\n").code(0);
    folder
        .run(&["step", "lamp.sw.json", "--events", "Press 1,Brake"])
        .code(1)
        .says("event 2 of `--events`")
        .says("there are: Press, Break");
}

#[test]
fn files_that_cannot_be_stepped_are_explained() {
    let folder = Folder::with_lamp();
    folder.write("wrong.sw.json", WRONG);
    folder
        .run(&["step", "wrong.sw.json"])
        .code(1)
        .says("SW0")
        .says("wrong.sw.json:")
        .says("`wrong.sw.json` does not compile");
    folder
        .run(&["step", "missing.sw.json"])
        .code(2)
        .says("there is no such file or folder");
    folder.write("bad.swrom", b"SWRMnothing");
    folder
        .run(&["step", "bad.swrom"])
        .code(1)
        .says("`bad.swrom` cannot be used");
    folder
        .run(&["step", "-"])
        .code(2)
        .says("cannot both come from standard input");
    folder
        .run(&["step", "lamp.sw.json", "--variant", "none"])
        .code(2)
        .says("there is no variant `none`");
    folder
        .run(&["step", "lamp.sw.json", "--stub-guards", "maybe"])
        .code(2)
        .says("random");
    let piped = folder
        .run_with(&["step", "-", "--events", "Press 1"], LAMP.as_bytes())
        .code(0);
    assert!(piped.out.contains("now in    on"), "{}", piped.out);
}

#[test]
fn roms_are_stepped_with_their_names_or_by_number() {
    let folder = Folder::with_lamp();
    folder.run(&["build", "lamp.sw.json"]).code(0);
    folder
        .run(&["step", "lamp.swrom", "--events", "Press 1"])
        .code(0)
        .prints("now in    on");
    std::fs::remove_file(folder.path.join("lamp.swdbg")).unwrap();
    let ran = folder
        .run(&["step", "lamp.swrom", "--events", "event_0 1"])
        .code(0)
        .prints("now in    state_2");
    assert!(
        ran.err.contains("things are called by number"),
        "{}",
        ran.err
    );
}

#[test]
fn snapshots_go_to_files_and_come_back() {
    let folder = Folder::with_lamp();
    let lines = "send Press 3\nsnapshot on.snap\nsend Break\nrestore on.snap\nin on\n";
    let ran = script(&folder, &["lamp.sw.json"], lines)
        .code(0)
        .says("kept step 1 in on.snap");
    assert!(
        ran.out.ends_with("  yes       on is active\n"),
        "{}",
        ran.out
    );
    let kept = folder.read("on.snap");
    script(&folder, &["lamp.sw.json"], "restore on.snap\nin on\n")
        .code(0)
        .prints("yes");
    folder.write("broken.snap", &kept[..kept.len() - 1]);
    script(&folder, &["lamp.sw.json"], "restore broken.snap\n")
        .code(1)
        .says("the snapshot is damaged");
    script(&folder, &["lamp.sw.json"], "restore none.snap\n")
        .code(1)
        .says("there is no such file");
    script(&folder, &["lamp.sw.json"], "snapshot nowhere/\n")
        .code(1)
        .says("line 1");
    script(&folder, &[&sample("watchman")], "restore on.snap\n")
        .code(1)
        .says("belongs to another machine");
    assert_eq!(folder.read("on.snap"), kept);
    let names = folder.names();
    assert!(
        !names.iter().any(|name| name.ends_with(".tmp")),
        "{names:?}"
    );
}

#[test]
fn colors_only_where_they_are_wanted() {
    let folder = Folder::with_lamp();
    let plain = folder
        .run(&["step", "lamp.sw.json", "--events", "Press 1"])
        .code(0);
    assert!(!plain.out.contains('\x1b'));
    let painted = folder
        .run(&[
            "step",
            "lamp.sw.json",
            "--events",
            "Press 1",
            "--color",
            "always",
        ])
        .code(0);
    assert!(painted.out.contains("\x1b[32m"), "{}", painted.out);
}

fn schema() -> Validator {
    let text = std::fs::read_to_string(format!("{ROOT}/schemas/step.schema.json")).unwrap();
    jsonschema::validator_for(&serde_json::from_str(&text).unwrap()).unwrap()
}

#[test]
fn the_schema_has_every_reason() {
    let text = std::fs::read_to_string(format!("{ROOT}/schemas/step.schema.json")).unwrap();
    let schema: Value = serde_json::from_str(&text).unwrap();
    let reasons = statewright_trace::ReasonNumber::NAMES.to_vec();
    let listed = &schema["$defs"]["rejected"]["properties"]["reason"]["enum"];
    assert_eq!(*listed, Value::from(reasons));
}

/// Lines of a run that follow the schema.
#[track_caller]
fn lines(schema: &Validator, ran: &Ran) -> Vec<Value> {
    let lines: Vec<Value> = ran
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for line in &lines {
        if let Err(error) = schema.validate(line) {
            panic!("{error} at {} of {line:#}", error.instance_path());
        }
    }
    lines
}

#[test]
fn json_follows_its_schema_from_start_to_end() {
    let (folder, schema) = (Folder::with_lamp(), schema());
    let commands = "send Press 3\npost Press 2\ntick\nset count 7\nundo\nredo\nwhy\nshow\nevents\nin off\nsend Press\n\
                    snapshot\nafter 2s\nrestore\nsend Break\n";
    let ran = script(&folder, &["lamp.sw.json", "--json"], commands).code(0);
    let lines = lines(&schema, &ran);
    let what: Vec<&str> = lines
        .iter()
        .filter_map(|line| line["what"].as_str().or(line["query"].as_str()))
        .collect();
    assert_eq!(
        what[..11],
        [
            "start", "send", "post", "tick", "set", "undo", "redo", "why", "show", "events", "in"
        ]
    );
    let start = &lines[0];
    assert_eq!(
        (&start["step"], &start["event"], &start["terminated"]),
        (&0.into(), &Value::Null, &false.into())
    );
    assert_eq!(
        (&start["configuration"], &start["entered"]),
        (
            &serde_json::json!(["off"]),
            &serde_json::json!(["root", "off"])
        )
    );
    let press = &lines[1];
    assert_eq!(
        (&press["step"], &press["event"], &press["payload"]),
        (&1.into(), &"Press".into(), &3.into())
    );
    assert_eq!(
        (&press["entered"], &press["exited"]),
        (&serde_json::json!(["on"]), &serde_json::json!(["off"]))
    );
    assert_eq!(
        press["actions"],
        serde_json::json!(["count = 3", "start fuse 120t"])
    );
    assert_eq!(
        press["timers"],
        serde_json::json!([{ "timer": "fuse", "ticks": 120 }])
    );
    assert_eq!(
        lines[2]["queue"],
        serde_json::json!([{ "event": "Press", "payload": 2, "deferred": false }])
    );
    let fired = lines
        .iter()
        .find(|line| line["fired"] == serde_json::json!(["fuse"]));
    assert!(
        fired.is_some_and(|line| line["what"] == "after"),
        "a timer fired while time passed, as one step"
    );
    let end = lines.last().unwrap();
    assert_eq!(
        (&end["event"], &end["terminated"]),
        (&"Break".into(), &true.into())
    );
    assert_eq!(
        end["configuration"],
        serde_json::json!(["broken"]),
        "where it ended"
    );
}

#[test]
fn json_of_every_sample_and_of_every_reason_follows_the_schema() {
    let (folder, schema) = (Folder::new(), schema());
    for file in crate::common::samples() {
        let events = folder.run(&["step", file.to_str().unwrap(), "--json"]);
        lines(&schema, &events.code(0));
        let commands: String = {
            let listed = folder
                .run_with(&["step", file.to_str().unwrap(), "--json"], b"events\n")
                .code(0);
            let listed: Value = serde_json::from_str(listed.out.lines().last().unwrap()).unwrap();
            let names = listed["events"]
                .as_array()
                .unwrap()
                .iter()
                .map(|event| event["event"].as_str().unwrap().to_owned());
            // An agent that has ended hears no events, so that each is tried in a life of its own.
            names
                .map(|name| format!("send {name}\ntick 3\nwhy\nshow\nundo 2\n"))
                .collect()
        };
        let ran = folder
            .run_with(
                &["step", file.to_str().unwrap(), "--json"],
                commands.as_bytes(),
            )
            .code(0);
        assert!(lines(&schema, &ran).len() > 4);
    }
    let reasons = format!("{ROOT}/crates/step/tests/reasons.sw.json");
    let commands = "send Go\nsend Cool\nsend Cool\nsend Pop\nsend Weak\nsend Rank\nsend Alarm\nwhy\nsend Push\nsend Push\n";
    let ran = folder
        .run_with(
            &["step", &reasons, "--json", "--stub-guards", "false"],
            commands.as_bytes(),
        )
        .code(0);
    let rejected: usize = lines(&schema, &ran)
        .iter()
        .filter_map(|line| line["rejected"].as_array())
        .map(Vec::len)
        .sum();
    assert!(rejected > 10, "{rejected}");
}

#[test]
fn the_schema_refuses_what_is_no_step() {
    let schema = schema();
    let folder = Folder::with_lamp();
    let ran = folder
        .run(&["step", "lamp.sw.json", "--json", "--events", "Press 1"])
        .code(0);
    let good = lines(&schema, &ran).pop().unwrap();
    for key in good.as_object().unwrap().keys() {
        let mut less = good.clone();
        less.as_object_mut().unwrap().remove(key);
        assert!(!schema.is_valid(&less), "without `{key}`");
    }
    let mut more = good.clone();
    more["surprise"] = true.into();
    assert!(!schema.is_valid(&more));
}

#[test]
fn the_description_of_the_json_names_every_field() {
    let page = std::fs::read_to_string(format!("{ROOT}/docs/step-json.md")).unwrap();
    let folder = Folder::with_lamp();
    let ran = folder
        .run(&["step", "lamp.sw.json", "--json", "--events", "Press 1"])
        .code(0);
    let line: Value = serde_json::from_str(ran.out.lines().last().unwrap()).unwrap();
    for key in line.as_object().unwrap().keys() {
        assert!(
            page.contains(&format!("| `{key}` |")),
            "docs/step-json.md says nothing about `{key}`"
        );
    }
}

/// Every block of a page that begins with `$` is a session: the commands and what they print.
fn check_sessions(page_path: &str, least: usize) {
    let path = format!("{ROOT}/{page_path}");
    let page = std::fs::read_to_string(&path)
        .unwrap()
        .replace("\r\n", "\n");
    let mut shown = page.clone();
    let mut sessions = 0;
    for block in page
        .split("```")
        .skip(1)
        .step_by(2)
        .filter_map(|block| block.strip_prefix("text\n$ "))
    {
        let (command, _) = block.split_once('\n').unwrap();
        shown = shown.replace(
            &format!("```text\n$ {block}```"),
            &format!("```text\n$ {command}\n{}```", printed_by(command)),
        );
        sessions += 1;
    }
    assert!(sessions >= least, "{sessions} sessions in {page_path}");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &shown).unwrap();
    }
    let kept = std::fs::read_to_string(&path)
        .unwrap()
        .replace("\r\n", "\n");
    assert_eq!(kept, shown, "{page_path} is old: run `cargo xtask bless`");
}

/// What `statewright ARGS`, or `printf 'LINES' | statewright ARGS`, prints.
fn printed_by(command: &str) -> String {
    let args: Vec<&str> = command
        .split(" | ")
        .last()
        .unwrap()
        .split(' ')
        .skip(1)
        .collect();
    let input = command
        .strip_prefix("printf '")
        .and_then(|rest| rest.split_once('\''))
        .map(|(input, _)| input);
    let input = input.unwrap_or_default().replace("\\n", "\n");
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_statewright"));
    child
        .args(args)
        .current_dir(ROOT)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped());
    child.stderr(std::process::Stdio::piped());
    let mut child = child.spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap()
}

#[test]
fn the_guide_shows_what_the_command_prints() {
    check_sessions("docs/guide/stepping.md", 4);
}

#[test]
fn recipes_show_what_the_command_prints() {
    check_sessions("docs/guide/recipes.md", 14);
}

/// The machines of the recipes stand on the page as they are in their files, and have no warnings.
#[test]
fn recipes_are_the_files_they_name() {
    let page = std::fs::read_to_string(format!("{ROOT}/docs/guide/recipes.md")).unwrap();
    let page = page.replace("\r\n", "\n");
    let mut files: Vec<_> = std::fs::read_dir(format!("{ROOT}/machines/recipes"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    for file in &files {
        let path = format!("machines/recipes/{file}");
        let text = std::fs::read_to_string(format!("{ROOT}/{path}")).unwrap();
        let block = format!("```jsonc\n// {path}\n{}```", text.replace("\r\n", "\n"));
        assert!(
            page.contains(&block),
            "docs/guide/recipes.md shows another {path}"
        );
    }
    assert_eq!(page.matches("// machines/recipes/").count(), files.len());
    let checked = printed_by("statewright check machines/recipes");
    assert!(checked.ends_with("no problems\n"), "{checked}");
}
