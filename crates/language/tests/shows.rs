//! Hover, outline, hints, formatting and fixes.

use crate::common::{GUARD, at_cursor, edited, in_guard, messages};
use statewright_author::text::shape::Item;
use statewright_language::{Analysis, NoFiles, Symbol};

#[track_caller]
fn check_hover(around: &str, wanted: &[&str]) {
    let (analysis, place) = in_guard(around);
    let hover = analysis.hover(place, &NoFiles).expect("something to say");
    assert!(hover.range.contains(&place) || hover.range.end == place);
    for text in wanted {
        assert!(hover.text.contains(text), "no {text} in\n{}", hover.text);
    }
}

#[test]
fn hover_says_what_it_is_and_who_pays() {
    check_hover(
        r#""hea$0lth < brave""#,
        &["blackboard key `health: f32`", "Dies at 0."],
    );
    check_hover(r#""health < br$0ave""#, &["parameter `brave: f32`"]);
    check_hover(
        r#"{ "on": "Hi$0t""#,
        &["event `Hit: i32`", "Somebody hit it."],
    );
    check_hover(
        r#""Sh$0out(1.5)""#,
        &["function `Shout: action(volume: f32)`", "Shouts."],
    );
    check_hover(
        r#"in(pat$0rol)"#,
        &["state `patrol`", "Walks around.", "never sleep"],
    );
    check_hover(
        r#""sw$0ing": {"#,
        &["state `fight/swing`", "pays 1 of the timers"],
    );
    check_hover(r#""fig$0ht": {"#, &["state with states inside `fight`"]);
    check_hover(
        r#""cool$0down""#,
        &["a duration", "before it may be taken again"],
    );
    check_hover(r#""mach$0ine""#, &["Must be given", "who pays for what"]);
    check_hover(r#""cooldown": "500$0ms""#, &["30 ticks at 60"]);
}

#[test]
fn nothing_is_said_where_nothing_is() {
    let (analysis, place) = at_cursor("{ $0 }");
    assert_eq!(analysis.hover(place, &NoFiles), None);
}

fn lines(symbols: &[Symbol], depth: usize, out: &mut String) {
    for symbol in symbols {
        let indent = "  ".repeat(depth);
        *out += &format!("{indent}{} {}\n", symbol.item.word(), symbol.name);
        lines(&symbol.children, depth + 1, out);
    }
}

#[test]
fn the_outline_is_the_tree_of_declarations() {
    let mut out = String::new();
    lines(&Analysis::new("m", GUARD).outline(), 0, &mut out);
    assert_eq!(
        out,
        "event Hit\nevent Calm\nblackboard key health\nblackboard key anger\nparameter brave\nvariant coward\n\
         channel weapon\nlane speech\nfunction SeesThief\nfunction Shout\nfunction Patrol\ntimer bored\n\
         transition set hurt\nstate patrol\nstate fight\n  state swing\n  state rest\nstate flee\n"
    );
}

#[test]
fn the_outline_of_a_flat_file_has_its_states() {
    let text = r#"{ "machine": "M", "states": [{ "id": "root", "type": "composite", "children": ["a"], "initial": "a" }, { "id": "a" }], "transitions": [] }"#;
    let outline = Analysis::new("m", text).outline();
    let names: Vec<_> = outline
        .iter()
        .map(|symbol| (symbol.item, symbol.name.as_str()))
        .collect();
    assert_eq!(names, [(Item::State, "root"), (Item::State, "a")]);
    let analysis = Analysis::new("m", text);
    assert_eq!(
        analysis
            .references(text.find("\"a\"").unwrap() + 1, &NoFiles)
            .len(),
        3
    );
}

#[test]
fn durations_show_their_ticks() {
    let analysis = Analysis::new("m", GUARD);
    let hints: Vec<_> = analysis
        .hints(0..GUARD.len())
        .into_iter()
        .map(|hint| hint.text)
        .collect();
    assert_eq!(hints, ["30 ticks", "120 ticks", "60 ticks", "300 ticks"]);
    let slow = Analysis::new(
        "m",
        &GUARD.replacen("\"events\"", "\"tick_rate\": 1, \"events\"", 1),
    );
    assert_eq!(slow.hints(0..GUARD.len())[0].text, "1 tick");
    assert!(analysis.hints(0..10).is_empty());
}

#[test]
fn formatting_is_one_edit() {
    let analysis = Analysis::new("m", r#"{"machine":"M",   "initial":"a","states":{"a":{}}}"#);
    let edit = analysis.format().expect("an edit");
    let formatted = edited(&analysis, &[edit]);
    assert_eq!(
        formatted,
        statewright_author::format::format(analysis.text()).unwrap()
    );
    assert_eq!(Analysis::new("m", &formatted).format(), None);
    assert_eq!(Analysis::new("m", "{").format(), None);
}

/// Breaks the machine of the tests, takes the fix of a title, and compares. All problems must be gone
/// if the fix leads back.
#[track_caller]
fn check_fix(good: &str, bad: &str, title: &str, mended: &str) {
    assert!(GUARD.contains(good), "{good}");
    let text = GUARD.replacen(good, bad, 1);
    let analysis = Analysis::new("m", &text);
    let fixes = analysis.fixes(0..text.len());
    let titles: Vec<&str> = fixes.iter().map(|fix| fix.title).collect();
    let fix = fixes.iter().find(|fix| fix.title == title);
    let fix = fix.unwrap_or_else(|| panic!("{titles:?} {:?}", messages(&text)));
    let after = edited(&analysis, &fix.edits);
    assert_eq!(after, GUARD.replacen(good, mended, 1));
    let code = fix.problem.code;
    let left = Analysis::new("m", &after);
    assert!(
        !left
            .problems()
            .any(|(_, problem)| problem.code == code && problem.message == fix.problem.message),
        "still there: {}",
        fix.problem.message
    );
}

#[test]
fn remedies_are_fixes() {
    let to = r#""to": "fight", "cool"#;
    check_fix(to, r#""to": "figth", "cool"#, "Write `fight`", to);
    check_fix(
        r#""fight/rest""#,
        r#""fight/rset""#,
        "Write `rest`",
        r#""fight/rest""#,
    );
    check_fix(
        r#"{ "on": "Calm""#,
        r#"{ "on": "Clam""#,
        "Write `Calm`",
        r#"{ "on": "Calm""#,
    );
    check_fix(
        r#""activity": "#,
        r#""actvity": "#,
        "Write `activity`",
        r#""activity": "#,
    );
    check_fix(
        r#""use": ["hurt"]"#,
        r#""use": "hurt""#,
        "Write `[\"hurt\"]`",
        r#""use": ["hurt"]"#,
    );
    check_fix(
        r#""cooldown": "500ms""#,
        r#""cooldown": 500"#,
        "Write `\"500ms\"`",
        r#""cooldown": "500ms""#,
    );
    check_fix(
        r#""cooldown": "500ms""#,
        r#""cooldown": "500""#,
        "Write `\"500ms\"`",
        r#""cooldown": "500ms""#,
    );
    check_fix(
        r#""type": "f32""#,
        r#""type": "float""#,
        "Write `f32`",
        r#""type": "f32""#,
    );
    check_fix(to, r#""target": "fight", "cool"#, "Write `to`", to);
    check_fix(
        r#""health < brave""#,
        r#""helth < brave""#,
        "Write `health`",
        r#""health < brave""#,
    );
    check_fix(
        r#"SeesThief && in"#,
        r#"SeesThief & in"#,
        "Write `&&`",
        r#"SeesThief && in"#,
    );
    check_fix(r#""Guard","#, r#""Guard""#, "Add `,`", r#""Guard","#);
    check_fix(
        r#""machine": "Guard""#,
        r#""machine" "Guard""#,
        "Add `:`",
        r#""machine": "Guard""#,
    );
}

#[test]
fn what_is_missing_is_declared_where_its_kind_is() {
    let on = r#"{ "on": "Calm", "to""#;
    let text = GUARD.replacen(on, r#"{ "on": "Alarmed", "to""#, 1);
    let analysis = Analysis::new("m", &text);
    let fixes = analysis.fixes(0..text.len());
    let fix = fixes
        .iter()
        .find(|fix| fix.title == "Declare the event `Alarmed`")
        .unwrap();
    let after = edited(&analysis, &fix.edits);
    assert!(after.contains(r#""Calm": {}, "Alarmed": {} },"#), "{after}");
    let text = GUARD.replacen(r#""owns": ["weapon"]"#, r#""owns": ["weapon", "legs"]"#, 1);
    let analysis = Analysis::new("m", &text);
    let fixes = analysis.fixes(0..text.len());
    let fix = fixes
        .iter()
        .find(|fix| fix.title == "Declare the channel `legs`")
        .unwrap();
    assert!(edited(&analysis, &fix.edits).contains(r#""channels": ["weapon", "legs"]"#));
    let text = GUARD.replacen("  \"channels\": [\"weapon\"],\n", "", 1);
    let analysis = Analysis::new("m", &text);
    let fixes = analysis.fixes(0..text.len());
    let fix = fixes
        .iter()
        .find(|fix| fix.title == "Declare the channel `weapon`")
        .unwrap();
    assert_eq!(edited(&analysis, &fix.edits), GUARD);
}

#[test]
fn a_field_that_is_missing_is_added() {
    let text = GUARD.replacen(r#""kind": "action", "#, "", 1);
    let analysis = Analysis::new("m", &text);
    let fixes = analysis.fixes(0..text.len());
    let fix = fixes.iter().find(|fix| fix.title == "Add `kind`").unwrap();
    let after = edited(&analysis, &fix.edits);
    assert!(
        after.contains(r#""doc": "Shouts.", "kind": "" }"#),
        "{after}"
    );
}

#[test]
fn fixes_belong_to_the_part_that_is_asked_for() {
    let text = GUARD.replacen(r#""to": "fight", "cool"#, r#""to": "figth", "cool"#, 1);
    let analysis = Analysis::new("m", &text);
    let place = text.find("figth").unwrap();
    assert!(!analysis.fixes(place..place).is_empty());
    assert!(analysis.fixes(0..10).is_empty());
}
