//! `statewright check`.

use crate::common::{Folder, LAMP, WRONG, samples};

#[test]
fn a_good_machine_is_one_line() {
    let folder = Folder::with_lamp();
    let ran = folder.run(&["check", "lamp.sw.json"]).code(0);
    assert_eq!(
        (ran.out.as_str(), ran.err.as_str()),
        ("", "checked 1 file: no problems\n")
    );
    let ran = folder.run(&["check", "lamp.sw.json", "--quiet"]).code(0);
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("", ""));
}

#[test]
fn a_mistake_is_shown_with_its_remedy() {
    let folder = Folder::new();
    folder.write("wrong.sw.json", WRONG);
    let ran = folder.run(&["check", "wrong.sw.json"]).code(1);
    let ran = ran
        .says("error[SW0101]")
        .says("wrong.sw.json:5:")
        .says("did you mean `b`?");
    assert!(
        ran.err.ends_with("checked 1 file: 1 error\n"),
        "{}",
        ran.err
    );
    assert!(!ran.err.contains('\x1b'), "no colors outside a terminal");
    folder
        .run(&["check", "wrong.sw.json", "-q"])
        .code(1)
        .says("error[SW0101]");
    folder
        .run(&["check", "wrong.sw.json", "--color", "always"])
        .code(1)
        .says("\x1b[");
}

#[test]
fn strict_mode_turns_warnings_into_errors() {
    let folder = Folder::new();
    folder.write(
        "spare.sw.json",
        LAMP.replace("\"Break\": {}", "\"Break\": {}, \"Spare\": {}"),
    );
    folder
        .run(&["check", "spare.sw.json"])
        .code(0)
        .says("warning[SW0402]")
        .says("1 warning");
    folder
        .run(&["check", "spare.sw.json", "--strict"])
        .code(1)
        .says("error[SW0402]")
        .says("SW0117");
}

#[test]
fn dev_mode_raises_the_tier() {
    let folder = Folder::new();
    let small = LAMP.replace(
        "\"initial\": \"off\"",
        "\"tier\": \"crowd\", \"scratch\": { \"s\": 7 }, \"initial\": \"off\"",
    );
    folder.write("small.sw.json", small);
    folder
        .run(&["check", "small.sw.json"])
        .code(1)
        .says("SW0501");
    folder
        .run(&["check", "small.sw.json", "--dev"])
        .code(0)
        .says("warning[SW0502]");
}

#[test]
fn folders_are_searched_in_order_and_files_are_taken_once() {
    let folder = Folder::with_lamp();
    folder.write("sub/z.sw.json", LAMP);
    folder.write("sub/deep/a.sw.json", WRONG);
    folder.write("sub/other.json", "not looked at");
    folder.write(".hidden/h.sw.json", WRONG);
    let ran = folder
        .run(&["check", ".", "./lamp.sw.json", "--message-format", "json"])
        .code(1);
    let json = ran.json();
    let files: Vec<&str> = json["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| f["file"].as_str().unwrap())
        .collect();
    assert_eq!(
        files,
        ["./lamp.sw.json", "./sub/deep/a.sw.json", "./sub/z.sw.json"]
    );
    assert_eq!(
        (&json["summary"]["fine"], &json["summary"]["with_problems"]),
        (&2.into(), &1.into())
    );
}

#[test]
fn roms_in_a_folder_are_checked_too() {
    let folder = Folder::with_lamp();
    folder.run(&["build", "lamp.sw.json", "-q"]).code(0);
    folder.write("sub/broken.swrom", "no ROM");
    let json = folder
        .run(&["check", ".", "--message-format", "json"])
        .code(1)
        .json();
    let files: Vec<(&str, &str)> = json["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| {
            (
                file["file"].as_str().unwrap(),
                file["kind"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        files,
        [
            ("./lamp.sw.json", "machine"),
            ("./lamp.swrom", "rom"),
            ("./sub/broken.swrom", "rom")
        ]
    );
    // The other commands work on machine files.
    folder
        .run(&["dump", "sub"])
        .code(2)
        .says("there are no `*.sw.json` files in folder `sub`");
}

#[test]
fn a_missing_file_does_not_stop_the_others() {
    let folder = Folder::with_lamp();
    folder.write("empty/readme.txt", "");
    let ran = folder
        .run(&["check", "none.sw.json", "lamp.sw.json", "empty"])
        .code(2);
    ran.says("cannot read `none.sw.json`: there is no such file or folder")
        .says("there are no `*.sw.json`, `*.scxml` or `*.swrom` files in folder `empty`")
        .says("checked 1 file: 2 files could not be read");
}

#[test]
fn standard_input_works_for_text_and_roms() {
    let folder = Folder::with_lamp();
    folder
        .run_with(&["check", "-"], LAMP.as_bytes())
        .code(0)
        .says("no problems");
    folder
        .run_with(&["check", "-"], WRONG.as_bytes())
        .code(1)
        .says("<stdin>:5:");
    folder
        .run_with(&["check", "-"], b"")
        .code(1)
        .says("error[SW0001]");
    folder.run(&["build", "lamp.sw.json", "-q"]).code(0);
    folder
        .run_with(&["check", "-", "--deep"], &folder.read("lamp.swrom"))
        .code(0)
        .says("no problems");
}

#[test]
fn bad_bytes_are_explained() {
    let folder = Folder::new();
    folder.write("latin.sw.json", b"{ \"machine\": \"L\xe4mp\" }");
    folder
        .run(&["check", "latin.sw.json"])
        .code(1)
        .says("not UTF-8")
        .says("save it as UTF-8");
    folder.write("utf16.sw.json", b"\xff\xfe{\0}\0");
    folder
        .run(&["check", "utf16.sw.json"])
        .code(1)
        .says("UTF-16");
    folder.write("deep.sw.json", "[".repeat(100_000));
    folder
        .run(&["check", "deep.sw.json"])
        .code(1)
        .says("SW0002");
    folder.write("side.swdbg", "{}");
    folder
        .run(&["check", "side.swdbg"])
        .code(2)
        .says("is a debug sidecar");
}

#[test]
fn a_file_that_is_too_large_is_not_read_whole() {
    let folder = Folder::new();
    let file = std::fs::File::create(folder.path.join("large.sw.json")).unwrap();
    file.set_len(80 << 20).unwrap();
    folder
        .run(&["check", "large.sw.json"])
        .code(2)
        .says("it is larger than 64 MiB");
}

#[test]
fn json_has_diagnostics_reports_and_counts() {
    let folder = Folder::with_lamp();
    folder.write("wrong.sw.json", WRONG);
    let args = [
        "check",
        "lamp.sw.json",
        "wrong.sw.json",
        "none.sw.json",
        "--message-format",
        "json",
        "--report",
        "--deep",
    ];
    let ran = folder.run(&args).code(2);
    let json = ran.json();
    // What could not be found comes first; it has no place in the order of files.
    let [none, lamp, wrong] = json["files"].as_array().unwrap().as_slice() else {
        panic!("{json:#}")
    };
    assert_eq!(
        (&none["ok"], &lamp["ok"], &wrong["ok"]),
        (&false.into(), &true.into(), &false.into())
    );
    assert!(none["error"].as_str().unwrap().contains("none.sw.json"));
    assert_eq!(
        (&lamp["report"]["machine"], &lamp["deep"]),
        (&"Lamp".into(), &serde_json::json!([]))
    );
    assert_eq!(wrong["diagnostics"][0]["code"], "SW0101");
    assert_eq!(wrong["diagnostics"][0]["range"]["start"]["line"], 5);
    assert_eq!(json["summary"]["files"], 3);
}

#[test]
fn reports_go_to_standard_output() {
    let folder = Folder::with_lamp();
    folder
        .run(&["check", "lamp.sw.json", "--report"])
        .code(0)
        .prints("machine Lamp: tier crowd")
        .prints("who pays");
    folder.run(&["build", "lamp.sw.json", "-q"]).code(0);
    folder
        .run(&["check", "lamp.swrom", "--report", "--deep"])
        .code(0)
        .prints("structure ")
        .says("no problems");
}

#[test]
fn a_damaged_rom_gives_table_record_and_reason() {
    let folder = Folder::with_lamp();
    folder.run(&["build", "lamp.sw.json", "-q"]).code(0);
    let good = folder.read("lamp.swrom");
    folder.write("cut.swrom", &good[..100]);
    folder
        .run(&["check", "cut.swrom"])
        .code(1)
        .says("header: 100 bytes where")
        .says("build it again");
    let mut flipped = good.clone();
    flipped[500] ^= 4;
    folder.write("flip.swrom", &flipped);
    folder
        .run(&["check", "flip.swrom"])
        .code(1)
        .says("the bytes are damaged");
    folder.write("text.swrom", LAMP);
    folder
        .run(&["check", "text.swrom"])
        .code(1)
        .says("not a ROM");

    // With a fresh checksum the damage is found where it is: the parent of state 1.
    let states = {
        let dumped = folder.run(&["dump", "lamp.swrom", "--json"]).json();
        let sections = dumped["layout"]["sections"].as_array().unwrap().clone();
        sections.iter().find(|s| s["name"] == "states").unwrap()["offset"]
            .as_u64()
            .unwrap() as usize
    };
    let mut wrong = good;
    wrong[states + 32] = 9;
    statewright_rom::seal(&mut wrong);
    folder.write("wrong.swrom", &wrong);
    folder
        .run(&["check", "wrong.swrom"])
        .code(1)
        .says("states[1]: ");
    let json = folder
        .run(&["check", "wrong.swrom", "--message-format", "json"])
        .code(1)
        .json();
    let file = &json["files"][0];
    assert_eq!(
        (&file["table"], &file["record"]),
        (&"states".into(), &1.into()),
        "{json:#}"
    );
    assert!(
        file["reason"]
            .as_str()
            .is_some_and(|reason| !reason.is_empty())
    );
}

#[test]
fn deep_finds_a_plan_that_is_safe_but_wrong() {
    let folder = Folder::with_lamp();
    folder.run(&["build", "lamp.sw.json", "-q"]).code(0);
    let mut bytes = folder.read("lamp.swrom");
    // The parameter hash is not checked on load: it follows from the tables.
    bytes[16] ^= 1;
    statewright_rom::seal(&mut bytes);
    folder.write("odd.swrom", &bytes);
    folder.run(&["check", "odd.swrom"]).code(0);
    folder
        .run(&["check", "odd.swrom", "--deep"])
        .code(1)
        .says("does not equal its derivation");
}

#[test]
fn the_samples_are_fine() {
    let folder = Folder::new();
    let files: Vec<String> = samples()
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let mut args = vec!["check", "--deep", "--strict"];
    args.extend(files.iter().map(String::as_str));
    folder.run(&args).code(0);
}
