//! Help, usage errors, and the commands without machine files: `new`, `schema`, `explain`,
//! `completions`, `man`.

use crate::common::Folder;

#[test]
fn help_has_examples_and_exit_codes() {
    let folder = Folder::new();
    folder
        .run(&["--help"])
        .code(0)
        .prints("Exit codes: 0")
        .prints("statewright new Guard");
    let commands = [
        "new",
        "check",
        "build",
        "run",
        "step",
        "dump",
        "draw",
        "docs",
        "diff",
        "fmt",
        "trace",
        "schema",
        "explain",
        "completions",
        "man",
    ];
    for command in commands {
        let ran = folder.run(&[command, "--help"]).code(0).prints("Examples:");
        assert!(
            ran.out.contains(&format!("statewright {command}")),
            "{}",
            ran.out
        );
    }
    folder.run(&["--version"]).code(0).prints("statewright ");
}

#[test]
fn wrong_usage_is_exit_code_2() {
    let folder = Folder::with_lamp();
    folder.run(&[]).code(2).says("Usage:");
    folder.run(&["chekc"]).code(2).says("'check'");
    folder.run(&["check"]).code(2).says("required");
    folder
        .run(&["check", "lamp.sw.json", "--fast"])
        .code(2)
        .says("--fast");
    folder
        .run(&["check", "lamp.sw.json", "--message-format", "xml"])
        .code(2)
        .says("json");
    folder.run(&["diff", "lamp.sw.json"]).code(2).says("<NEW>");
    folder
        .run(&["dump", "lamp.sw.json", "--json", "--tables"])
        .code(2);
    folder
        .run(&["build", "lamp.sw.json", "-o", "x", "--out-dir", "y"])
        .code(2);
    folder
        .run(&["schema", "--draft", "04"])
        .code(2)
        .says("2020-12");
    folder.run(&["completions", "cmd"]).code(2).says("bash");
    assert_eq!(folder.names(), ["lamp.sw.json"], "nothing was written");
}

#[test]
fn new_compiles_in_strict_mode_without_a_warning() {
    let folder = Folder::new();
    folder.run(&["new"]).code(0).says("wrote guard.sw.json");
    folder
        .run(&["new", "TrafficLight"])
        .code(0)
        .says("traffic_light.sw.json");
    folder.write("ai/other", "");
    folder
        .run(&["new", "Guard \"2\"", "-o", "ai/second.sw.json", "-q"])
        .code(0);
    assert_eq!(
        folder.names(),
        ["ai", "guard.sw.json", "traffic_light.sw.json"]
    );
    folder
        .run(&["check", ".", "--strict", "--deep"])
        .code(0)
        .says("checked 3 files: no problems");
    folder.run(&["fmt", "--check", "."]).code(0);
    let text = folder.text("traffic_light.sw.json");
    assert!(
        text.contains("\"machine\": \"TrafficLight\"") && text.contains("// "),
        "{text}"
    );
    assert!(!text.contains('@'), "{text}");
}

#[test]
fn new_never_overwrites_by_itself() {
    let folder = Folder::new();
    folder.write("guard.sw.json", "mine");
    folder
        .run(&["new", "Guard"])
        .code(2)
        .says("`guard.sw.json` exists already")
        .says("--force");
    assert_eq!(folder.text("guard.sw.json"), "mine");
    folder.run(&["new", "Guard", "--force"]).code(0);
    assert!(
        folder
            .text("guard.sw.json")
            .contains("\"machine\": \"Guard\"")
    );
    folder
        .run(&["new", "Guard", "-o", "."])
        .code(2)
        .says("is a folder");
    folder
        .run(&["new", "ai/Guard"])
        .code(2)
        .says("give the place with `-o`");
    folder.run(&["new", ""]).code(2).says("must not be empty");
    assert_eq!(folder.names(), ["guard.sw.json"]);
}

#[test]
fn new_to_standard_output_can_be_checked_at_once() {
    let folder = Folder::new();
    let made = folder.run(&["new", "Piped", "-o", "-"]).code(0);
    folder
        .run_with(&["check", "-", "--strict"], made.out.as_bytes())
        .code(0)
        .says("no problems");
    assert!(folder.names().is_empty());
}

#[test]
fn schema_has_both_drafts() {
    let folder = Folder::new();
    let current = folder.run(&["schema"]).code(0).json();
    assert_eq!(
        current["$schema"],
        "https://json-schema.org/draft/2020-12/schema"
    );
    assert_eq!(
        folder.run(&["schema", "--draft", "2020-12"]).json(),
        current
    );
    assert_eq!(
        folder.run(&["schema", "--draft", "07"]).json()["$schema"],
        "http://json-schema.org/draft-07/schema#"
    );
}

#[test]
fn explain_knows_every_code() {
    let folder = Folder::new();
    let list = folder.run(&["explain"]).code(0).out;
    let codes = statewright_author::codes::DiagnosticCode::ALL;
    assert_eq!(list.lines().count(), codes.len());
    let ids: Vec<&str> = codes.iter().map(|code| code.info().id).collect();
    let pages = folder.run(&[&["explain"][..], &ids].concat()).code(0).out;
    for code in codes {
        let info = code.info();
        assert!(
            list.contains(info.id) && pages.contains(info.title),
            "{}",
            info.id
        );
    }
    let page = folder
        .run(&["explain", "SW0101"])
        .code(0)
        .prints("SW0101 (error): no such state")
        .out;
    assert_eq!(folder.run(&["explain", "101"]).out, page);
    assert_eq!(folder.run(&["explain", "sw0101"]).out, page);
}

#[test]
fn explain_helps_with_unknown_codes() {
    let folder = Folder::new();
    folder
        .run(&["explain", "SW1011"])
        .code(2)
        .says("there is no code `SW1011`")
        .says("statewright explain");
    folder
        .run(&["explain", "SX0101"])
        .code(2)
        .says("did you mean `SW0101`?");
    folder
        .run(&["explain", "shadowed"])
        .code(2)
        .says("lists all codes");
}

#[test]
fn completions_for_every_shell() {
    let folder = Folder::new();
    folder
        .run(&["completions", "bash"])
        .code(0)
        .prints("_statewright")
        .prints("--message-format");
    folder
        .run(&["completions", "zsh"])
        .code(0)
        .prints("#compdef statewright");
    folder
        .run(&["completions", "fish"])
        .code(0)
        .prints("complete -c statewright");
    folder
        .run(&["completions", "powershell"])
        .code(0)
        .prints("Register-ArgumentCompleter");
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = Folder::new();
    let main = folder
        .run(&["man"])
        .code(0)
        .prints(".TH statewright 1")
        .prints("statewright\\-run");
    folder
        .run(&["man", "share/man1"])
        .code(0)
        .says("wrote 22 pages to share/man1");
    assert_eq!(folder.text("share/man1/statewright.1"), main.out);
    let help = folder.run(&["--help"]).code(0).out;
    let commands = help
        .split("Commands:")
        .nth(1)
        .unwrap()
        .split("Options:")
        .next()
        .unwrap();
    let commands: Vec<&str> = commands
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(commands.len() > 10, "{commands:?}");
    for command in commands.iter().filter(|command| **command != "help") {
        let page = folder.text(&format!("share/man1/statewright-{command}.1"));
        let page = page
            .replace("\\-", "-")
            .replace("\\fB", "")
            .replace("\\fR", "");
        let help = folder.run(&[command, "--help"]).code(0).out;
        let options = help
            .split_whitespace()
            .filter(|word| word.starts_with("--") && word.len() > 2);
        for option in options.map(|word| word.trim_matches(|c: char| !c.is_ascii_alphanumeric())) {
            let option = option.split(['=', '`']).next().unwrap();
            assert!(
                page.contains(option),
                "no `{option}` in the page of {command}"
            );
        }
        assert!(
            page.contains(&format!("statewright-{command}")) && page.contains("Examples:"),
            "{page}"
        );
    }
    folder.write("file", "");
    folder
        .run(&["man", "file"])
        .code(2)
        .says("cannot write `file/statewright.1`");
}

#[test]
fn reports_are_json_where_that_is_asked_for() {
    let folder = Folder::with_lamp();
    let codes = folder.run(&["explain", "--json"]).code(0).json();
    assert_eq!(
        codes.as_array().unwrap().len(),
        statewright_author::codes::DiagnosticCode::ALL.len()
    );
    let one = folder.run(&["explain", "101", "--json"]).code(0).json();
    assert_eq!(
        (&one[0]["code"], &one[0]["severity"]),
        (&"SW0101".into(), &"error".into())
    );
    assert!(
        one[0]["page"].as_str().unwrap().contains("# SW0101") && one.as_array().unwrap().len() == 1
    );
    folder
        .run(&["explain", "SX0101", "--json"])
        .code(2)
        .says("did you mean");
    let asked = folder.run(&["check", "lamp.sw.json", "--json"]).code(0);
    assert_eq!(
        asked.out,
        folder
            .run(&["check", "lamp.sw.json", "--message-format=json"])
            .out
    );
    assert_eq!(asked.json()["summary"]["fine"], 1);
    folder
        .run(&["check", "lamp.sw.json", "--json", "--message-format=json"])
        .code(2);
    let built = folder
        .run(&["build", "lamp.sw.json", "--json"])
        .code(0)
        .json();
    assert_eq!(built["files"][0]["written"][0], "lamp.swrom");
}
