//! Parts (LANG-5): what is asked in one file and answered by another.

use crate::common::{Folder, assert_offered};
use statewright_language::{Refusal, Renaming, apply};

const FIGHT: &str = r#"{
  "machine": "Fight",
  "doc": "Blow after blow.",
  "events": { "Hit": { "payload": "i32", "doc": "A blow." }, "Gone": {} },
  "blackboard": { "health": "i32" },
  "parameters": { "rage": { "type": "i32", "value": 25, "doc": "Above this it strikes." }, "pause": "2s" },
  "initial": "aim",
  "states": {
    "aim": { "transitions": [{ "on": "Hit", "to": "strike", "if": "health > rage" }] },
    "strike": { "entry": "Swing", "transitions": [{ "after": "pause", "to": "aim" }, { "on": "Gone", "to": "over" }] },
    "over": { "final": true }
  }
}
"#;

const SOLDIER: &str = r#"{
  "machine": "Soldier",
  "events": { "Hurt": { "payload": "i32" }, "Gone": {} },
  "blackboard": { "health": "i32" },
  "parameters": { "temper": 40 },
  "variants": { "veteran": { "fight/pause": "1s" } },
  "initial": "stand",
  "states": {
    "stand": { "transitions": [{ "on": "Hurt", "to": "fight/strike", "if": "health > 3" }] },
    "fight": {
      "use": "parts/fight.sw.json",
      "with": { "rage": "temper" },
      "map": { "Hit": "Hurt" },
      "transitions": [{ "when": "done", "to": "stand", "if": "!in(fight/aim)" }]
    }
  }
}
"#;

const MILITIA: &str = r#"{
  "machine": "Militia",
  "events": { "Gone": {} },
  "initial": "fight",
  "states": { "fight": { "use": "parts/fight.sw.json", "transitions": [{ "on": "Gone", "to": "rest" }] }, "rest": {} }
}
"#;

const PART: &str = "/w/parts/fight.sw.json";
const USER: &str = "/w/soldier.sw.json";
const OTHER: &str = "/w/militia.sw.json";

impl Folder {
    fn new() -> Self {
        Self::with(&[(PART, FIGHT), (USER, SOLDIER), (OTHER, MILITIA)])
    }

    fn renamed(&self, renaming: &Renaming) -> Self {
        let mut all = self.clone();
        for (name, edits) in &renaming.files {
            let text = apply(&self.0[name], edits);
            all.0.insert(name.clone(), text.into());
        }
        all
    }

    fn hashes(&self) -> Vec<(u64, u64)> {
        let hashes = |name| {
            let analysis = self.analysis(name);
            let output = analysis.compiled().output.as_ref();
            let rom = output
                .unwrap_or_else(|| panic!("{name} does not compile"))
                .rom
                .as_rom();
            (rom.structure_hash(), rom.parameter_hash())
        };
        [PART, USER, OTHER].map(hashes).to_vec()
    }
}

#[test]
fn the_files_of_these_tests_have_no_problem() {
    let folder = Folder::new();
    for name in [PART, USER, OTHER] {
        let analysis = folder.analysis(name);
        let all: Vec<_> = analysis
            .all_problems()
            .map(|(_, one)| &one.message)
            .collect();
        assert!(all.is_empty(), "{all:?}");
    }
    assert_eq!(
        folder.analysis(USER).part_files().collect::<Vec<_>>(),
        [PART]
    );
}

/// Where something is declared: the file, and the text from there on.
#[track_caller]
fn check_definition(around: &str, file: Option<&str>, declared: &str) {
    let folder = Folder::new();
    let (analysis, place) = folder.at(USER, around);
    let mut targets = analysis.definition(place, &folder);
    let target = targets.pop().expect("a definition");
    assert_eq!(target.file.as_deref(), file);
    let text = &folder.0[file.unwrap_or(USER)][target.range.start..];
    assert!(text.starts_with(declared), "{}", &text[..30]);
}

#[test]
fn names_lead_into_the_part() {
    check_definition(r#""use": "parts/$0fight"#, Some(PART), "Fight");
    check_definition(r#""ra$0ge": "temper""#, Some(PART), "rage\": {");
    check_definition(r#""rage": "tem$0per""#, None, "temper\": 40");
    check_definition(r#"{ "Hi$0t": "Hurt" }"#, Some(PART), "Hit\": {");
    check_definition(r#"{ "Hit": "Hu$0rt" }"#, None, "Hurt\": {");
    check_definition(r#""to": "fi$0ght/strike""#, None, "fight\": {");
    check_definition(r#""to": "fight/st$0rike""#, Some(PART), "strike\": {");
    check_definition("in(fight/a$0im)", Some(PART), "aim\": {");
    check_definition(r#""fight/pa$0use": "1s""#, Some(PART), "pause\": \"2s\"");
    check_definition(r#""fig$0ht/pause": "1s""#, None, "fight\": {");
}

#[track_caller]
fn check_references(file: &str, around: &str, expected: &[(&str, &str)]) {
    let folder = Folder::new();
    let (analysis, place) = folder.at(file, around);
    let found = analysis.references(place, &folder);
    let shown: Vec<(String, String)> = found
        .iter()
        .map(|one| {
            let text = &folder.0[&one.file];
            let around = &text[one.start.saturating_sub(1)..(one.end + 2).min(text.len())];
            (one.file.clone(), around.to_owned())
        })
        .collect();
    let shown: Vec<(&str, &str)> = shown
        .iter()
        .map(|(a, b)| (a.as_str(), b.as_str()))
        .collect();
    assert_eq!(shown, expected);
    for one in &found {
        let other = folder.analysis(&one.file);
        let targets = other.definition(one.start, &folder);
        if targets
            .first()
            .is_some_and(|target| target.range.len() == one.range().len())
        {
            assert_eq!(
                other.references(one.start, &folder),
                found,
                "from each of them"
            );
        }
    }
}

#[test]
fn references_go_from_a_part_to_its_uses() {
    let path = "\"parts/fight.sw.json\",";
    check_references(
        PART,
        r#""machine": "Fi$0ght""#,
        &[(OTHER, path), (USER, path)],
    );
    check_references(
        PART,
        r#""ra$0ge": {"#,
        &[(PART, "\"rage\":"), (PART, " rage\" "), (USER, "\"rage\":")],
    );
    check_references(
        PART,
        r#""stri$0ke": {"#,
        &[
            (PART, "\"strike\","),
            (PART, "\"strike\":"),
            (USER, "/strike\","),
        ],
    );
    // One event in all files, for nobody gives it another name.
    check_references(
        OTHER,
        r#""on": "Go$0ne""#,
        &[
            (OTHER, "\"Gone\":"),
            (OTHER, "\"Gone\","),
            (PART, "\"Gone\":"),
            (PART, "\"Gone\","),
            (USER, "\"Gone\":"),
        ],
    );
    check_references(
        PART,
        r#""on": "Hi$0t""#,
        &[(PART, "\"Hit\":"), (PART, "\"Hit\","), (USER, "\"Hit\":")],
    );
    check_references(
        USER,
        r#""on": "Hu$0rt""#,
        &[
            (USER, "\"Hurt\":"),
            (USER, "\"Hurt\","),
            (USER, "\"Hurt\" "),
        ],
    );
}

#[track_caller]
fn rename(file: &str, around: &str, new: &str) -> (Folder, Result<Renaming, Refusal>) {
    let folder = Folder::new();
    let (analysis, place) = folder.at(file, around);
    let renaming = analysis.rename(place, new, &folder);
    (folder, renaming)
}

/// Renames: these files change, everything compiles and is the same.
#[track_caller]
fn check_rename(file: &str, around: &str, new: &str, changed: &[&str], left: &[(&str, &str)]) {
    let (folder, renaming) = rename(file, around, new);
    let renaming = renaming.unwrap();
    let mut files: Vec<&str> = renaming
        .files
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    files.sort_unstable();
    assert_eq!(files, changed);
    let after = folder.renamed(&renaming);
    for (file, text) in left {
        assert!(
            after.0[*file].contains(text),
            "no {text} in {}",
            after.0[*file]
        );
    }
    if !renaming.ids.is_empty() {
        let (old, new) = (folder.hashes(), after.hashes());
        // Parameters of a part are named after its state, and the game knows them by name.
        let is_named_after = left.iter().any(|(_, text)| text.ends_with("/pause"));
        for (old, new) in old.iter().zip(&new) {
            assert_eq!(old.0, new.0, "structure");
            assert!(old.1 == new.1 || is_named_after, "parameters");
        }
    } else {
        after.hashes();
    }
}

#[test]
fn renaming_goes_over_all_files_and_keeps_what_things_are() {
    check_rename(
        USER,
        r#""to": "fight/st$0rike""#,
        "lunge",
        &[PART, USER],
        &[
            (PART, "\"lunge\": { \"id\""),
            (USER, "fight/lunge"),
            (PART, r#""to": "lunge""#),
        ],
    );
    check_rename(
        USER,
        r#""fi$0ght": {"#,
        "brawl",
        &[USER],
        &[
            (USER, "brawl/strike"),
            (USER, "in(brawl/aim)"),
            (USER, "brawl/pause"),
        ],
    );
    check_rename(
        PART,
        r#""ra$0ge": {"#,
        "wrath",
        &[PART, USER],
        &[(USER, r#""wrath": "temper""#), (PART, "health > wrath")],
    );
    check_rename(
        USER,
        r#""rage": "tem$0per""#,
        "mood",
        &[USER],
        &[(USER, r#""rage": "mood""#), (USER, r#""mood": 40"#)],
    );
    check_rename(
        USER,
        r#""blackboard": { "hea$0lth""#,
        "life",
        &[PART, USER],
        &[
            (PART, "life > rage"),
            (USER, "life > 3"),
            (PART, r#""life": "i32""#),
        ],
    );
    check_rename(
        PART,
        r#""entry": "Swi$0ng""#,
        "Slash",
        &[PART],
        &[(PART, r#""entry": "Slash""#)],
    );
    check_rename(
        USER,
        r#""on": "Hu$0rt""#,
        "Struck",
        &[USER],
        &[(USER, r#""Hit": "Struck""#), (USER, r#""on": "Struck""#)],
    );
}

#[test]
fn a_renaming_that_breaks_another_file_is_refused() {
    let (_, refused) = rename(PART, r#""blackboard": { "hea$0lth""#, "temper");
    let Refusal(why) = refused.unwrap_err();
    assert!(why.contains("`soldier.sw.json`"), "{why}");
    let (_, refused) = rename(PART, r#""stri$0ke": {"#, "aim");
    assert!(refused.is_err());
    // The militia does not declare it: its id comes from the militia's name until the part has one.
    let (_, refused) = rename(PART, r#""Hi$0t": {"#, "Blow");
    let Refusal(why) = refused.unwrap_err();
    assert!(why.contains("`militia.sw.json`"), "{why}");
    assert!(why.contains("declare it there, too"), "{why}");
}

#[test]
fn problems_lie_in_the_part_that_has_them() {
    let folder = Folder::new().replaced(PART, r#""to": "aim""#, r#""to": "amble""#);
    let analysis = folder.analysis(USER);
    assert_eq!(analysis.problems().count(), 0, "none in the file itself");
    let all: Vec<_> = analysis.all_problems().collect();
    let (place, problem) = &all[0];
    assert_eq!((all.len(), place.file), (1, Some(PART)));
    assert_eq!(&place.text[place.range.clone()], "amble");
    let used = analysis.place(problem.related[0].span);
    assert_eq!(
        (used.file, &used.text[used.range]),
        (None, "parts/fight.sw.json")
    );
    // A part that does not exist is asked for again when it does.
    let gone = Folder::new().replaced(USER, "parts/fight", "parts/flight");
    let analysis = gone.analysis(USER);
    assert!(analysis.problems().next().is_some());
    assert_eq!(
        analysis.part_files().collect::<Vec<_>>(),
        ["/w/parts/flight.sw.json"]
    );
}

#[track_caller]
fn check_complete(old: &str, typed: &str, wanted: &[&str], unwanted: &[&str]) {
    let folder = Folder::new().replaced(USER, old, &typed.replacen("$0", "", 1));
    let (analysis, place) = folder.at(USER, typed);
    assert_offered(&analysis.complete(place, &folder), wanted, unwanted);
}

#[test]
fn what_a_part_has_is_offered() {
    check_complete(
        r#""use": "parts/fight.sw.json""#,
        r#""use": "$0""#,
        &["parts/fight.sw.json", "militia.sw.json"],
        &["soldier.sw.json"],
    );
    check_complete(
        r#"{ "rage": "temper" }"#,
        r#"{ "$0": "temper" }"#,
        &["rage", "pause"],
        &["temper", "health"],
    );
    check_complete(
        r#""rage": "temper""#,
        r#""rage": "$0""#,
        &["temper"],
        &["health"],
    );
    check_complete(
        r#"{ "Hit": "Hurt" }"#,
        r#"{ "$0": "Hurt" }"#,
        &["Hit", "Gone", "health"],
        &["Hurt", "rage"],
    );
    check_complete(
        r#""Hit": "Hurt""#,
        r#""Hit": "$0""#,
        &["Hurt", "Gone"],
        &["health"],
    );
    check_complete(
        r#""to": "fight/strike""#,
        r#""to": "$0""#,
        &["fight", "strike"],
        &["Hit"],
    );
    check_complete(
        r#"{ "fight/pause": "1s" }"#,
        r#"{ "$0": "1s" }"#,
        &["temper", "fight/pause"],
        &["rage"],
    );
}

#[test]
fn hover_says_what_the_part_says() {
    let folder = Folder::new();
    for (around, said) in [
        (r#""use": "parts/$0fight"#, "Blow after blow."),
        (
            r#""use": "parts/$0fight"#,
            "parameter `rage: i32`: Above this it strikes.",
        ),
        (r#""ra$0ge": "temper""#, "parameter `rage: i32`"),
        (
            r#""ra$0ge": "temper""#,
            "Declared in the part `fight.sw.json`.",
        ),
        (r#"{ "Hi$0t": "Hurt" }"#, "A blow."),
    ] {
        let (analysis, place) = folder.at(USER, around);
        let hover = analysis.hover(place, &folder).expect(around);
        assert!(hover.text.contains(said), "no {said} in {}", hover.text);
    }
}
