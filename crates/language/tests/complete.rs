//! Completion, at places that are being typed.

use crate::common::{GUARD, assert_offered, at_cursor, edited, in_guard, labels};
use statewright_language::{Analysis, NoFiles};

/// What is offered in the machine of the tests after a part of it was typed anew.
#[track_caller]
fn check(old: &str, typed: &str, wanted: &[&str], unwanted: &[&str]) {
    check_in(GUARD, old, typed, wanted, unwanted);
}

/// The same in any text.
#[track_caller]
fn check_in(text: &str, old: &str, typed: &str, wanted: &[&str], unwanted: &[&str]) {
    assert!(text.contains(old), "{old}");
    let (analysis, place) = at_cursor(&text.replacen(old, typed, 1));
    assert_offered(&analysis.complete(place, &NoFiles), wanted, unwanted);
}

#[test]
fn names_are_offered_where_they_fit() {
    check(
        r#""to": "fight", "cool"#,
        r#""to": "$0", "cool"#,
        &["patrol", "fight", "flee", "swing"],
        &["Hit"],
    );
    check(
        r#""to": "fight", "cool"#,
        r#""to": $0, "cool"#,
        &["patrol", "fight"],
        &["health"],
    );
    check(
        r#"{ "on": "Calm""#,
        r#"{ "on": "$0""#,
        &["Hit", "Calm", "*"],
        &["patrol"],
    );
    check(
        r#""use": ["hurt"]"#,
        r#""use": [$0]"#,
        &["hurt"],
        &["patrol"],
    );
    check(
        r#""owns": ["weapon"]"#,
        r#""owns": ["$0"]"#,
        &["weapon"],
        &["hurt"],
    );
    check(
        r#""lane": "speech""#,
        r#""lane": "$0""#,
        &["speech", "animation"],
        &["weapon"],
    );
    check(
        r#""timer": "bored""#,
        r#""timer": "$0""#,
        &["bored"],
        &["Hit"],
    );
    check(
        r#""coward": { "brave": 80.0 }"#,
        r#""coward": { $0 }"#,
        &["brave", "$doc"],
        &["health"],
    );
    check(
        r#""emit": "say", "lane": "speech""#,
        r#""set": "$0""#,
        &["health", "anger"],
        &["brave"],
    );
    check(r#""type": "f32""#, r#""type": "$0""#, &["f32", "vec3"], &[]);
    check(
        r#""when": "always""#,
        r#""when": "$0""#,
        &["always", "done", "failed"],
        &["Hit"],
    );
    check(
        r#""emit": "say", "lane": "speech""#,
        r#""call": "Shout", "with": { $0 }"#,
        &["volume"],
        &["health"],
    );
}

#[test]
fn conditions_and_actions_know_what_the_machine_has() {
    check(
        r#""health < brave""#,
        r#""health < b$0""#,
        &["brave"],
        &["health", "Shout(", "flee"],
    );
    check(
        r#""health < brave""#,
        r#""$0""#,
        &["brave", "health", "SeesThief", "min", "event"],
        &["flee"],
    );
    check(r#"in(patrol)"#, r#"in(fi$0)"#, &["fight"], &["health"]);
    check(
        r#""anger += 1""#,
        r#""$0""#,
        &["anger", "Shout"],
        &["flee", "min"],
    );
    check(
        r#""anger += 1""#,
        r#""anger += $0""#,
        &["anger", "brave", "min"],
        &["flee"],
    );
}

#[test]
fn fields_are_offered_that_are_not_there_yet() {
    check(
        r#"{ "on": "Calm", "to""#,
        r#"{ $0, "on": "Calm", "to""#,
        &["if", "priority", "cooldown"],
        &["on", "after", "when", "timer", "to", "sync", "states"],
    );
    check(
        r#""doc": "Walks around.","#,
        r#"$0"#,
        &["doc", "entry", "states"],
        &["activity", "to", "machine"],
    );
    check(
        r#""doc": "Walks around.","#,
        r#"en$0"#,
        &["entry"],
        &["exit"],
    );
    check(
        r#""anger += 1""#,
        r#"{ $0 }"#,
        &["call", "set", "raise", "if"],
        &["to"],
    );
}

/// What is left of a text after the completion of a label.
#[track_caller]
fn check_accept(typed: &str, label: &str, accepted: &str) {
    let (analysis, place) = at_cursor(typed);
    let offered = analysis.complete(place, &NoFiles);
    let item = offered.items.iter().find(|item| item.label == label);
    let item = item.unwrap_or_else(|| panic!("{:?}", labels(&offered)));
    assert_eq!(
        edited(&analysis, std::slice::from_ref(&item.edit)),
        accepted
    );
}

#[test]
fn what_is_written_fits_into_what_is_there() {
    let around = |inside: &str| {
        format!(
            r#"{{ "machine": "M", "initial": "a", "states": {{ "a": {{ {inside} }}, "far away": {{}} }} }}"#
        )
    };
    let check = |typed: &str, label: &str, accepted: &str| {
        check_accept(&around(typed), label, &around(accepted));
    };
    check(r#"ent$0"#, "entry", r#""entry": "$0""#);
    check(r#""ent$0""#, "entry", r#""entry": "$0""#);
    check(r#""ent$0": []"#, "entry", r#""entry": []"#);
    check(
        r#""transitions": [{ "to": "f$0" }]"#,
        "far away",
        r#""transitions": [{ "to": "far away" }]"#,
    );
    check(
        r#""transitions": [{ "to": f$0 }]"#,
        "far away",
        r#""transitions": [{ "to": "far away" }]"#,
    );
    check(r#""final": $0"#, "true", r#""final": true"#);
    check(
        r#""exit_ready": "1 < m$0""#,
        "max",
        r#""exit_ready": "1 < max""#,
    );
}

#[test]
fn nothing_is_offered_in_comments_and_free_text() {
    for typed in [
        r#"{ // $0"#,
        r#"{ /* a $0 */ }"#,
        r#"{ "doc": "he$0" }"#,
        r#"{ "no such field": $0 }"#,
    ] {
        let (analysis, place) = at_cursor(typed);
        assert_eq!(
            labels(&analysis.complete(place, &NoFiles)),
            [""; 0],
            "{typed}"
        );
    }
}

#[test]
fn a_path_is_offered_where_the_name_alone_means_something_else() {
    let text = r#"{ "machine": "M", "initial": "a", "states": {
        "a": { "initial": "x", "states": { "x": {}, "y": { "transitions": [{ "when": "done", "to": "$0" }] } } },
        "b": { "initial": "x", "states": { "x": {} } } } }"#;
    let (analysis, place) = at_cursor(text);
    let offered = analysis.complete(place, &NoFiles);
    assert_eq!(labels(&offered), ["a", "x", "y", "b", "b/x"]);
}

#[test]
fn thousands_of_names_come_in_parts() {
    let states: Vec<String> = (0..1000).map(|at| format!("\"s{at}\": {{}}")).collect();
    let text = format!(
        r#"{{ "machine": "M", "initial": "$0", "states": {{ {} }} }}"#,
        states.join(", ")
    );
    let (analysis, place) = at_cursor(&text);
    let offered = analysis.complete(place, &NoFiles);
    assert!(offered.is_incomplete);
    let (analysis, place) = at_cursor(&text.replacen("$0", "s99$0", 1));
    let offered = analysis.complete(place, &NoFiles);
    assert_eq!((offered.items.len(), offered.is_incomplete), (11, false));
}

#[test]
fn any_place_of_any_beginning_can_be_asked() {
    for end in (0..GUARD.len()).step_by(17) {
        let analysis = Analysis::new("m", &GUARD[..end]);
        _ = analysis.complete(end, &NoFiles);
        _ = analysis.complete(end / 2, &NoFiles);
    }
    let (analysis, place) = in_guard(r#""to": "fi$0ght", "cool"#);
    assert!(!analysis.complete(place, &NoFiles).items.is_empty());
}

/// A machine with the means of the designers' language that GUARD lacks.
const WAITER: &str = r#"{
  "machine": "Waiter",
  "blackboard": { "thirst": "f32" },
  "parameters": { "patience": "3s", "greed": 2.0 },
  "functions": {
    "Serve": { "kind": "action", "parameters": { "cups": "f32" } },
    "queue": { "kind": "value", "returns": "f32" }
  },
  "initial": "wait",
  "states": {
    "wait": {
      "scratch": { "rounds": "u16" },
      "entry": "rounds += 1",
      "transitions": [
        { "every": "400ms..900ms", "do": "Serve(thirst * greed)" },
        { "after": "2 * patience", "to": "serve", "if": "queue > 1" }
      ]
    },
    "serve": { "min_active": "patience", "transitions": [{ "when": "always", "to": "wait" }] }
  }
}
"#;

#[track_caller]
fn check_waiter(old: &str, typed: &str, wanted: &[&str], unwanted: &[&str]) {
    check_in(WAITER, old, typed, wanted, unwanted);
}

#[test]
fn durations_arguments_and_values_are_offered() {
    assert_eq!(crate::common::messages(WAITER), [""; 0]);
    check_waiter(
        r#""after": "2 * patience""#,
        r#""after": "2 * $0""#,
        &[
            "patience", "greed", "queue", "random", "curve", "lerp", "rounds",
        ],
        &["Serve", "wait"],
    );
    check_waiter(
        r#""Serve(thirst * greed)""#,
        r#""Serve($0)""#,
        &["thirst", "greed", "queue", "clamp", "rounds"],
        &["Serve"],
    );
    check_waiter(
        r#""min_active": "patience""#,
        r#""min_active": "$0""#,
        &["patience"],
        &["greed", "thirst"],
    );
    check_waiter(
        r#""when": "always", "to": "wait""#,
        r#""when": "always", "if": "$0", "to": "wait""#,
        &["queue", "thirst", "abs"],
        &["rounds"],
    );
    check_waiter(
        r#""entry": "rounds += 1""#,
        r#""entry": "$0""#,
        &["rounds", "thirst", "Serve"],
        &["greed"],
    );
    check_waiter(
        r#"{ "every": "400ms..900ms", "do""#,
        r#"{ "$0", "do""#,
        &["every", "after"],
        &["do"],
    );
}

#[test]
fn names_in_arguments_and_durations_are_found() {
    for (around, declared) in [
        ("Serve(th$0irst", r#"thirst": "f32""#),
        ("thirst * gr$0eed", r#"greed": 2.0"#),
        ("2 * pat$0ience", r#"patience": "3s""#),
        (r#""min_active": "pat$0ience""#, r#"patience": "3s""#),
        ("que$0ue > 1", r#"queue": {"#),
        ("rou$0nds += 1", r#"rounds": "u16""#),
    ] {
        let plain = around.replacen("$0", "", 1);
        let place = WAITER.find(&plain).expect(around) + around.find("$0").unwrap();
        let analysis = Analysis::new("m", WAITER);
        let targets = analysis.definition(place, &NoFiles);
        let target = targets.first().expect(around);
        assert!(
            WAITER[target.range.start..].starts_with(declared),
            "{around}"
        );
    }
    let analysis = Analysis::new("m", WAITER);
    let hints = analysis.hints(0..WAITER.len()).into_iter();
    let hints: Vec<String> = hints.map(|hint| hint.text).collect();
    assert_eq!(hints, ["180 ticks", "24 to 54 ticks"]);
    let text = WAITER.replacen("queue > 1", "lerp(0, 1, thirst) > 1", 1);
    let analysis = Analysis::new("m", &text);
    let hover = analysis.hover(text.find("lerp").unwrap(), &NoFiles);
    let hover = hover.unwrap();
    assert!(
        hover.text.starts_with("`lerp(a, b, t) -> f32`"),
        "{}",
        hover.text
    );
}
