//! Definition, references and renaming.

use crate::common::{GUARD, edited, in_guard, messages};
use statewright_compile::{Options, compile_text};
use statewright_generator::{Size, machine, to_text};
use statewright_language::{Analysis, NoFiles, Symbol};

#[test]
fn the_machine_of_these_tests_has_no_problem() {
    assert_eq!(messages(GUARD), [""; 0]);
}

/// Where something is declared, as the text from there on.
#[track_caller]
fn check_definition(around: &str, declared: &str) {
    let (analysis, place) = in_guard(around);
    let mut targets = analysis.definition(place, &NoFiles);
    let target = targets.pop().expect("a definition");
    let text = &analysis.text()[target.range.start..];
    assert!(text.starts_with(declared), "{}", &text[..30]);
    assert!(analysis.text()[target.whole].starts_with(&declared[..1]) || target.range.start > 0);
}

#[test]
fn a_name_leads_to_its_declaration() {
    check_definition(r#""to": "fi$0ght", "cool"#, r#"fight": {"#);
    check_definition(r#""to": "fight/re$0st""#, r#"rest": {"#);
    check_definition(r#""to": "fi$0ght/rest""#, r#"fight": {"#);
    check_definition(r#"{ "on": "Hi$0t""#, r#"Hit": {"#);
    check_definition(r#""hea$0lth < brave""#, r#"health": {"#);
    check_definition(r#""health < br$0ave""#, r#"brave": 30"#);
    check_definition(r#""coward": { "br$0ave""#, r#"brave": 30"#);
    check_definition(r#"["ang$0er = 0""#, r#"anger": "i32""#);
    check_definition(r#""Sh$0out(1.5)""#, r#"Shout": {"#);
    check_definition(r#""Sees$0Thief &&"#, r#"SeesThief": "guard""#);
    check_definition(r#"in(pat$0rol)"#, r#"patrol": {"#);
    check_definition(r#""activity": "Pat$0rol""#, r#"Patrol": "activity""#);
    check_definition(r#""use": ["hu$0rt"]"#, r#"hurt": ["#);
    check_definition(r#""owns": ["wea$0pon"]"#, r#"weapon"],"#);
    check_definition(r#""lane": "spee$0ch""#, r#"speech": {}"#);
    check_definition(r#""timer": "bo$0red""#, r#"bored": {}"#);
    check_definition(r#""start": "bo$0red""#, r#"bored": {}"#);
    check_definition(r#"initial": "sw$0ing""#, r#"swing": {"#);
    check_definition(r#""flee$0": {"#, r#"flee": {"#);
}

#[track_caller]
fn check_references(around: &str, count: usize) {
    let (analysis, place) = in_guard(around);
    let found = analysis.references(place, &NoFiles);
    assert_eq!(found.len(), count, "{found:?}");
    assert!(
        found
            .iter()
            .all(|one| analysis.references(one.start, &NoFiles) == found)
    );
}

#[test]
fn references_are_the_same_from_each_of_them() {
    check_references(r#""fig$0ht": {"#, 3);
    check_references(r#""initial": "pat$0rol""#, 5);
    check_references(r#""to": "re$0st""#, 3);
    check_references(r#""bored$0": {}"#, 3);
    check_references(r#""br$0ave": 30"#, 3);
    check_references(r#""mach$0ine""#, 0);
}

/// Renames and compares the whole text; the new machine must be the old one.
#[track_caller]
fn check_rename(around: &str, new: &str, changes: &[(&str, &str)]) {
    let (analysis, place) = in_guard(around);
    let renaming = analysis.rename(place, new, &NoFiles).unwrap();
    let expected = changes.iter().fold(GUARD.to_owned(), |text, (old, new)| {
        assert!(text.contains(old), "{old}");
        text.replace(old, new)
    });
    assert_eq!(edited(&analysis, renaming.edits(analysis.name())), expected);
}

#[test]
fn renaming_writes_the_id_that_the_old_name_gave() {
    let id = |analysis: &Analysis, name: &str| {
        let machine = statewright_author::text::read("m", analysis.text()).0;
        let missing = statewright_author::format::missing_ids(&machine);
        let this = missing
            .iter()
            .find(|missing| missing.name.value == name)
            .unwrap();
        format!(
            "{:016x}",
            statewright_compile::derived_id(&machine, this).unwrap()
        )
    };
    let guard = Analysis::new("guard.sw.json", GUARD);
    check_rename(
        r#""fight$0": {"#,
        "brawl",
        &[
            ("\"to\": \"fight\"", "\"to\": \"brawl\""),
            ("\"fight/rest\"", "\"brawl/rest\""),
            (
                "\"fight\": {\n      ",
                &format!(
                    "\"brawl\": {{\n      \"id\": \"{}\",\n      ",
                    id(&guard, "fight")
                ),
            ),
        ],
    );
    check_rename(
        r#"{ "on": "Ca$0lm""#,
        "Peace",
        &[
            (
                "\"Calm\": {}",
                &format!("\"Peace\": {{ \"id\": \"{}\" }}", id(&guard, "Calm")),
            ),
            ("\"on\": \"Calm\"", "\"on\": \"Peace\""),
        ],
    );
}

#[test]
fn what_is_known_by_its_name_gets_no_id() {
    check_rename(
        r#""br$0ave": 30"#,
        "bold",
        &[("\"brave\"", "\"bold\""), ("< brave\"", "< bold\"")],
    );
    check_rename(
        r#""ang$0er": "i32""#,
        "rage",
        &[
            ("\"anger\"", "\"rage\""),
            ("\"anger +", "\"rage +"),
            ("\"anger =", "\"rage ="),
        ],
    );
    check_rename(
        r#"Sh$0out(1.5)"#,
        "talk::Loud",
        &[
            ("\"Shout\"", "\"talk::Loud\""),
            ("Shout(1.5)", "talk::Loud(1.5)"),
        ],
    );
}

#[test]
fn a_short_form_becomes_an_object_with_its_id() {
    let text = r#"{ "machine": "M", "events": ["A", "B"], "timers": ["t"], "initial": "a",
        "states": { "a": { "scratch": { "s": 2, "hits": "u16" }, "update": ["hits += 1"], "transitions": [{ "on": "B", "to": "a", "do": { "start": "t", "after": "1s" } }, { "timer": "t", "to": "a" }] } } }"#;
    let before = hashes(text).expect("it compiles");
    for (name, new) in [("B", "Bee"), ("t", "tea"), ("s", "sand"), ("hits", "blows")] {
        let analysis = Analysis::new("m.sw.json", text);
        let place = text.find(&format!("\"{name}\"")).unwrap() + 1;
        let renaming = analysis.rename(place, new, &NoFiles).unwrap();
        let renamed = edited(&analysis, renaming.edits(analysis.name()));
        let [id] = renaming.ids.as_slice() else {
            panic!("one id: {:?}", renaming.ids);
        };
        assert!(
            renamed.contains(&format!("\"{new}\": {{ \"id\": \"{id}\"")),
            "{renamed}"
        );
        assert_eq!(hashes(&renamed), Some(before), "{renamed}");
    }
}

/// Renames the name at `$0`, which must change no hash, and tells how many ids that took.
#[track_caller]
fn ids_to_rename(text: &str, around: &str, new: &str) -> usize {
    let analysis = Analysis::new("m.sw.json", text);
    let place = text.find(&around.replace("$0", "")).unwrap() + around.find("$0").unwrap();
    let renaming = analysis.rename(place, new, &NoFiles).unwrap();
    let renamed = edited(&analysis, renaming.edits(analysis.name()));
    assert_eq!(hashes(&renamed), hashes(text), "{renamed}");
    renaming.ids.len()
}

#[test]
fn namesakes_in_other_regions_keep_their_ids() {
    let text = r#"{ "machine": "M", "events": ["Go"], "states": { "a": { "regions": {
        "l": { "initial": "idle", "states": { "idle": { "transitions": [{ "on": "Go", "to": "l/walk" }] }, "walk": {} } },
        "m": { "initial": "idle", "states": { "idle": { "initial": "in", "states": { "in": {} } }, "run": {} } },
        "n": { "initial": "idle", "states": { "idle": {} } } } } } }"#;
    hashes(text).expect("it compiles");
    // The first one has its id by its name alone, so another one would be the first.
    assert_eq!(ids_to_rename(text, r#""$0idle": { "tr"#, "rest"), 2);
    assert_eq!(ids_to_rename(text, r#""$0idle": { "in"#, "rest"), 1);
    // Those that come later have theirs by the region.
    assert_eq!(ids_to_rename(text, r#""$0l": {"#, "left"), 1);
    assert_eq!(ids_to_rename(text, r#""$0m": {"#, "middle"), 2);
    assert_eq!(ids_to_rename(text, r#""$0n": {"#, "right"), 2);
    // A new namesake makes one that comes later another.
    assert_eq!(ids_to_rename(text, r#""$0walk": {"#, "run"), 2);
}

#[track_caller]
fn check_refusal(around: &str, new: &str, why: &str) {
    let (analysis, place) = in_guard(around);
    let refusal = analysis.rename(place, new, &NoFiles).unwrap_err();
    assert!(refusal.0.contains(why), "{}", refusal.0);
}

#[test]
fn a_name_that_would_make_another_machine_is_refused() {
    check_refusal(r#""fight$0": {"#, "patrol", "patrol");
    check_refusal(r#""fight$0": {"#, "a/b", "must not contain `/`");
    check_refusal(r#""Hi$0t": {"#, "*", "any event");
    check_refusal(r#""anger$0": "i32""#, "true", "means something else");
    check_refusal(r#""anger$0": "i32""#, "health", "");
    check_refusal(r#""ma$0chine""#, "x", "no name here");
    let broken = Analysis::new("m", &GUARD.replacen(",", "", 1));
    let place = broken.text().find("patrol").unwrap();
    assert!(
        broken
            .rename(place, "x", &NoFiles)
            .unwrap_err()
            .0
            .contains("not JSON")
    );
}

fn hashes(text: &str) -> Option<(u64, u64)> {
    let (output, _) = compile_text("m.sw.json", text, &Options::default());
    let output = output?;
    let rom = output.rom.as_rom();
    Some((rom.structure_hash(), rom.parameter_hash()))
}

/// Everything that is declared.
fn declared(symbols: &[Symbol], out: &mut Vec<(usize, String)>) {
    for symbol in symbols {
        out.push((symbol.range.start, symbol.name.clone()));
        declared(&symbol.children, out);
    }
}

/// Renames everything in a text that compiles, each for itself: how often that went well, and why not.
fn rename_everything(name: &str, text: &str) -> (usize, Vec<String>) {
    let Some(before) = hashes(text) else {
        return (0, Vec::new());
    };
    let mut names = Vec::new();
    let analysis = Analysis::new(name, text);
    declared(&analysis.outline(), &mut names);
    let (mut renamed, mut refused) = (0, Vec::new());
    for (place, old) in names {
        let new = format!("{old}_x");
        match analysis.rename(place, &new, &NoFiles) {
            Ok(renaming) => {
                let text = edited(&analysis, renaming.edits(analysis.name()));
                let after = hashes(&text).unwrap_or_else(|| panic!("{old} of {name}\n{text}"));
                assert!(
                    renaming.ids.is_empty() || after == before,
                    "{old} of {name}\n{text}"
                );
                renamed += 1;
            }
            Err(why) => refused.push(format!("{old}: {}", why.0)),
        }
    }
    (renamed, refused)
}

#[test]
fn everything_in_the_samples_can_be_renamed_and_stays_what_it_is() {
    for sample in statewright_samples::ALL {
        let (renamed, refused) = rename_everything(sample.file, sample.text);
        assert!(renamed > 3, "{}", sample.file);
        assert_eq!(refused, [""; 0], "{}", sample.file);
    }
}

#[test]
fn almost_everything_in_random_machines_can_be_renamed() {
    let (mut renamed, mut refused) = (0, Vec::new());
    for seed in 0..40 {
        let text = to_text(&machine(seed, Size::SMALL));
        let (count, why) = rename_everything(&format!("seed {seed}"), &text);
        renamed += count;
        refused.extend(why);
    }
    // Names with escapes, and short names that several states have.
    assert!(renamed > 300, "{renamed}");
    assert!(
        refused.len() * 10 < renamed,
        "{renamed}\n{}",
        refused.join("\n")
    );
}
