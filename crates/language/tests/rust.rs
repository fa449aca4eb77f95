//! From the names of functions to their code in Rust, which sidecars know.

use crate::common::{Folder, GUARD};
use statewright_language::Target;

const FIGHT: &str = r#"{
  "machine": "Fight",
  "initial": "aim",
  "states": { "aim": { "entry": "Shoot", "exit": "Breathe" } }
}
"#;

/// Calls what its part calls `Shoot` by another name, and uses functions in every place.
const SOLDIER: &str = r#"{
  "machine": "Soldier",
  "events": ["Seen"],
  "functions": { "Fire": "action", "Breathe": "action", "IsBrave": "guard",
    "Fear": "scorer", "danger": { "kind": "value", "returns": "f32" }, "Walk": "activity" },
  "initial": "stand",
  "states": {
    "stand": { "activity": "Walk", "transitions": [
      { "on": "Seen", "to": "fight", "if": "IsBrave && danger < 3.0", "score": "Fear", "do": "Fire" }] },
    "fight": { "use": "parts/fight.sw.json", "map": { "Shoot": "Fire" } }
  }
}
"#;

const CODE: &str = "\
impl Soldier {
\t#[action]
    fn fire(&mut self) {}
    fn is_brave(&self) -> bool { true }
    /* ü */ fn fear(&self) -> f32 { 0.0 }
\tfn danger(&self) -> f32 { 0.0 }
    fn walk(&mut self) -> Status { Status::Running }
}
";

const PART: &str = "/w/game/machines/parts/fight.sw.json";
const USER: &str = "/w/game/machines/soldier.sw.json";
const SIDECAR: &str = "/w/game/machines/soldier.swdbg";
const RUST: &str = "/w/game/src/soldier.rs";

/// A sidecar that knows nothing but places: lines and columns of functions in a file.
fn sidecar(machine: &str, file: &str, places: &[(&str, u32, u32)]) -> String {
    let lists = "states regions events timers transitions history scratch functions keys parameters variants lanes channels";
    let lists: Vec<String> = lists
        .split(' ')
        .map(|list| format!("\"{list}\": []"))
        .collect();
    let places: Vec<String> = places
        .iter()
        .map(|(function, line, column)| {
            format!(
                r#"{{ "function": "{function}", "file": "{file}", "line": {line}, "column": {column} }}"#
            )
        })
        .collect();
    format!(
        r#"{{ "version": 1, "machine": "{machine}", "file": "m.sw.json", "structure_hash": "0", "parameter_hash": "0",
          {}, "rust_places": [{}] }}"#,
        lists.join(", "),
        places.join(", ")
    )
}

fn soldiers(file: &str) -> String {
    let places = [
        ("fire", 3, 8),
        ("is_brave", 4, 8),
        ("fear", 5, 16),
        // A tab is four columns.
        ("danger", 6, 8),
        ("walk", 7, 8),
    ];
    sidecar("Soldier", file, &places)
}

fn folder() -> Folder {
    let sidecar = soldiers("game/src/soldier.rs");
    Folder::with(&[
        (PART, FIGHT),
        (USER, SOLDIER),
        (SIDECAR, &sidecar),
        (RUST, CODE),
    ])
}

/// Where the code of the function at a place is: the file, and what stands there.
fn code(folder: &Folder, file: &str, around: &str) -> Vec<(String, String)> {
    let (analysis, place) = folder.at(file, around);
    let targets = analysis.definition(place, folder).into_iter();
    let rust = targets.filter_map(|Target { file, range, .. }| {
        let file = file.filter(|file| file.ends_with(".rs"))?;
        let name = folder.0[&file][range].to_owned();
        Some((file, name))
    });
    rust.collect()
}

#[track_caller]
fn check(folder: &Folder, file: &str, around: &str, wanted: &[(&str, &str)]) {
    let found = code(folder, file, around);
    let found: Vec<(&str, &str)> = found
        .iter()
        .map(|(a, b)| (a.as_str(), b.as_str()))
        .collect();
    assert_eq!(found, wanted, "{around}");
}

#[test]
fn functions_lead_to_rust_from_wherever_they_are_named() {
    let folder = folder();
    for (around, name) in [
        (r#""do": "Fi$0re""#, "fire"),
        (r#""if": "IsBr$0ave"#, "is_brave"),
        ("dan$0ger < 3.0", "danger"),
        (r#""score": "Fe$0ar""#, "fear"),
        (r#""activity": "Wa$0lk""#, "walk"),
        (r#""functions": { "Fi$0re""#, "fire"),
        (r#""Shoot": "Fi$0re""#, "fire"),
        (r#""Sho$0ot": "Fire""#, "fire"),
    ] {
        check(&folder, USER, around, &[(RUST, name)]);
    }
    check(&folder, USER, r#""Bre$0athe": "action""#, &[]);
    check(&folder, USER, r#""on": "Se$0en""#, &[]);
    check(&folder, USER, r#""to": "fi$0ght""#, &[]);
}

#[test]
fn a_declaration_comes_before_the_code() {
    let folder = folder();
    let (analysis, place) = folder.at(USER, r#""do": "Fi$0re""#);
    let targets = analysis.definition(place, &folder);
    let files: Vec<Option<&str>> = targets.iter().map(|one| one.file.as_deref()).collect();
    assert_eq!(files, [None, Some(RUST)]);
    assert_eq!(targets[0].range.start, SOLDIER.find("Fire").unwrap());
}

#[test]
fn hover_says_where_a_function_is_written() {
    let folder = folder();
    let hover = |file, around| {
        let (analysis, place) = folder.at(file, around);
        analysis.hover(place, &folder).unwrap().text
    };
    assert_eq!(
        hover(USER, r#""do": "Fi$0re""#),
        "function `Fire: action()`\n\nWritten in `game/src/soldier.rs:3`."
    );
    assert_eq!(
        hover(PART, "Sh$0oot"),
        "function `Shoot`\n\nProvided by the game.\n\nWritten in `game/src/soldier.rs:3`."
    );
    assert_eq!(
        hover(PART, "Br$0eathe"),
        "function `Breathe`\n\nProvided by the game."
    );
}

/// A part is bound by its users, each with code of its own, and under names of its own.
#[test]
fn a_part_asks_those_who_use_it() {
    let mut folder = folder();
    check(&folder, PART, "Sh$0oot", &[(RUST, "fire")]);
    let nested = r#"{ "machine": "Squad", "states": { "first": { "use": "../machines/soldier.sw.json",
      "map": { "Fire": "Volley" } } } }"#;
    let militia =
        r#"{ "machine": "Militia", "states": { "fight": { "use": "parts/fight.sw.json" } } }"#;
    let other = "/w/game/src/squad.rs";
    let places = sidecar("Squad", "game/src/squad.rs", &[("volley", 1, 4)]);
    let own = sidecar("Fight", "game/src/squad.rs", &[("Shoot", 2, 4)]);
    let rust = "fn volley() {}\nfn shoot() {}\n";
    let more = Folder::with(&[
        ("/w/game/machines/squad.sw.json", nested),
        ("/w/game/machines/squad.swdbg", &places),
        ("/w/game/machines/militia.sw.json", militia),
        ("/w/game/machines/parts/fight.swdbg", &own),
        (other, rust),
    ]);
    folder.0.extend(more.0);
    let wanted = [(other, "shoot"), (RUST, "fire"), (other, "volley")];
    check(&folder, PART, "Sh$0oot", &wanted);
    check(&folder, USER, r#""do": "Fi$0re""#, &wanted[1..]);
    // Two machines that say the same say it once.
    let same = soldiers("game/src/soldier.rs").replace("Soldier", "Militia");
    let same = same.replace("\"fire\"", "\"shoot\"");
    folder
        .0
        .insert("/w/game/machines/militia.swdbg".to_owned(), same.into());
    assert_eq!(code(&folder, PART, "Sh$0oot").len(), 3);
}

#[test]
fn paths_begin_at_a_folder_around_the_machine() {
    let with = |file: &str, more: &[(&str, &str)]| {
        let mut folder = folder();
        folder.0.insert(SIDECAR.to_owned(), soldiers(file).into());
        folder.0.extend(Folder::with(more).0);
        let found = code(&folder, USER, r#""do": "Fi$0re""#);
        found.into_iter().map(|(file, _)| file).collect::<Vec<_>>()
    };
    assert_eq!(with("game/src/soldier.rs", &[]), [RUST]);
    assert_eq!(with("src/soldier.rs", &[]), [RUST]);
    assert_eq!(with("src/../src/soldier.rs", &[]), [RUST]);
    assert_eq!(with(RUST, &[]), [RUST], "of a package from elsewhere");
    for missing in ["soldier.rs", "other/src/soldier.rs", "/src/soldier.rs", ""] {
        assert_eq!(with(missing, &[]), [""; 0], "{missing}");
    }
    // The folder of Cargo's workspace counts before a nearer one.
    let further = ("/w/src/soldier.rs", CODE);
    assert_eq!(with("src/soldier.rs", &[further]), [RUST]);
    let found = with("src/soldier.rs", &[further, ("/w/Cargo.lock", "")]);
    assert_eq!(found, [further.0]);
    // Sidecars may come from anybody: they lead to Rust only.
    let secret = ("/etc/passwd", "root\n\n\n\n");
    assert_eq!(with("etc/passwd", &[secret]), [""; 0]);
    assert_eq!(with("/etc/passwd", &[secret]), [""; 0]);
}

#[test]
fn sidecars_that_are_of_no_use_are_no_harm() {
    let with = |text: &str| {
        let mut folder = folder();
        folder.0.insert(SIDECAR.to_owned(), text.into());
        let (analysis, place) = folder.at(USER, r#""do": "Fi$0re""#);
        assert_eq!(
            analysis.definition(place, &folder).len(),
            1,
            "its declaration"
        );
        let hover = analysis.hover(place, &folder).unwrap().text;
        assert_eq!(hover, "function `Fire: action()`");
    };
    let good = soldiers("game/src/soldier.rs");
    with("");
    with("{}");
    with("\u{0}\u{ffff}");
    with(&"[".repeat(100_000));
    with(&good[..good.len() / 2]);
    with(&good.replace("\"line\": 3", "\"line\": -3"));
    with(&good.replace("\"version\": 1", "\"version\": 2"));
    with(&good.replace("Soldier", "Ogre"));
    with(&sidecar("Soldier", "game/src/soldier.rs", &[]));
}

/// Lines move while people type: a place that is gone is still in the right file.
#[test]
fn a_file_that_was_changed_since_is_found_all_the_same() {
    for (line, column) in [
        (0, 0),
        (0, 9),
        (3, 0),
        (3, 999),
        (999, 8),
        (u32::MAX, u32::MAX),
    ] {
        let mut folder = folder();
        let places = sidecar("Soldier", "game/src/soldier.rs", &[("fire", line, column)]);
        folder.0.insert(SIDECAR.to_owned(), places.into());
        assert_eq!(code(&folder, USER, r#""do": "Fi$0re""#).len(), 1);
        folder.0.insert(RUST.to_owned(), "".into());
        check(&folder, USER, r#""do": "Fi$0re""#, &[(RUST, "")]);
    }
}

#[test]
fn a_text_that_stands_alone_asks_nobody() {
    let analysis = statewright_language::Analysis::new("guard.sw.json", GUARD);
    let place = GUARD.find("Shout(1.5)").unwrap();
    let targets = analysis.definition(place, &statewright_language::NoFiles);
    assert_eq!(targets.len(), 1);
}
