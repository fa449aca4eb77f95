//! SEL-7: `why` says of every candidate that was not taken why not, and says it right.

mod common;

use std::collections::{BTreeSet, HashMap};

use common::{all, session};
use serde_json::Value;
use statewright_author::parts;
use statewright_compile::{Options, compile_with};
use statewright_step::text::{self, Line};
use statewright_step::{Answer, Command, Session, Settings, json};

fn start() -> Session {
    session(
        include_str!("reasons.sw.json"),
        Settings {
            guards: Answer::False,
            ..Settings::default()
        },
    )
}

/// Reason, code and words of a named candidate after some commands, as `why` gives them.
#[track_caller]
fn why(commands: &[&str], name: &str) -> (String, Value, String) {
    let mut session = start();
    all(&mut session, commands);
    let answer = json::answer(&session, &Command::Why).unwrap();
    let candidates = answer["candidates"].as_array().unwrap();
    let found = candidates
        .iter()
        .find(|candidate| candidate["name"] == name);
    let found = found.unwrap_or_else(|| panic!("no `{name}` in {answer:#}"));
    let text = |key: &str| {
        found[key]
            .as_str()
            .unwrap_or_else(|| panic!("`{name}` was taken"))
            .to_owned()
    };
    (text("reason"), found["code"].clone(), text("because"))
}

#[test]
fn every_reason_is_told_in_plain_words() {
    let mut seen = BTreeSet::new();
    let mut check = |commands: &[&str], name: &str, reason: &str, words: &str| {
        let found = why(commands, name);
        assert_eq!(
            (found.0.as_str(), found.2.as_str()),
            (reason, words),
            "`{name}` after {commands:?}"
        );
        seen.insert(found.0);
    };
    check(
        &["guard Brave false 7", "send Go"],
        "guard",
        "guard_false",
        "its guard `Brave` said no, with code 7",
    );
    check(
        &["send Go"],
        "expression",
        "guard_false",
        "its guard `ammo > 5` said no: ammo is 0",
    );
    check(
        &["send Cool", "send Cool"],
        "cool",
        "cooldown",
        "its cooldown runs: 8 ticks (800ms) left",
    );
    let empty = "the stack of its region is empty: there is nothing to go back to";
    check(&["send Pop"], "pop", "stack_empty", empty);
    let full = "the stack of its region is full: nothing more can be pushed";
    check(
        &["send Push", "send Push"],
        "push again",
        "stack_full",
        full,
    );
    let early = "its guard holds, but not for long enough (debounce): 2 ticks (200ms) left";
    check(&["set seen true", "tick 2"], "notice", "debounce", early);
    let weak = "its score `Low` of 0.25 is below its threshold of 0.5";
    check(
        &["score Low 0.25", "send Weak"],
        "weak",
        "below_threshold",
        weak,
    );
    let held =
        "`slow` has not been active long enough (min_active); it is kept and tried again (latch)";
    check(&["send Slow", "send Leave"], "hurry", "min_active", held);
    let busy = "`busy` is not ready to be left (exit_ready)";
    check(
        &["send Busy", "send Leave"],
        "stuck",
        "exit_not_ready",
        busy,
    );
    let conflict =
        "another transition that goes first leaves the same states (`pair/l: on Both -> work`)";
    check(
        &["send Pair", "send Both"],
        "two",
        "lost_conflict",
        conflict,
    );
    let outranked = "an interrupt stands alone: everybody else is passed over";
    check(&["send Alarm"], "ordinary", "outranked", outranked);

    let inside = "a state inside was asked first and took it: `work: on Go (internal)`";
    check(&["send Go"], "around", "not_reached", inside);
    check(
        &["send Go"],
        "late",
        "not_reached",
        "it comes after `work: on Go (internal)`, which was taken",
    );
    let first =
        "its priority 1 is lower than 3 of `work: on Order if ammo > 5 || ammo < 6 (internal)`";
    check(&["send Order"], "lower", "not_reached", first);
    let better = "its score 0.5 is not higher than 0.75 of `work: on Rank (internal)`";
    check(
        &["score Low 0.5", "score High 0.75", "send Rank"],
        "second",
        "not_reached",
        better,
    );
    check(
        &["send Patient", "send Go"],
        "around",
        "not_reached",
        "a state inside defers the event",
    );

    let reasons = [
        "below_threshold",
        "cooldown",
        "debounce",
        "exit_not_ready",
        "guard_false",
        "lost_conflict",
        "min_active",
    ];
    let reasons =
        reasons
            .into_iter()
            .chain(["not_reached", "outranked", "stack_empty", "stack_full"]);
    assert_eq!(seen, reasons.map(str::to_owned).collect(), "all of SEL-7");
}

#[test]
fn codes_come_with_false_guards_only() {
    assert_eq!(why(&["guard Brave false 513", "send Go"], "guard").1, 513);
    assert_eq!(why(&["send Go"], "expression").1, 0);
    assert_eq!(why(&["send Pop"], "pop").1, Value::Null);
}

#[test]
fn what_was_taken_is_among_the_candidates() {
    let mut session = start();
    all(&mut session, &["send Go"]);
    let answer = json::answer(&session, &Command::Why).unwrap();
    let taken: Vec<&Value> = answer["candidates"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|c| c.get("reason").is_none())
        .collect();
    assert_eq!(taken.len(), 1);
    assert_eq!(taken[0]["name"], "winner");
}

#[test]
fn after_an_undo_the_step_before_is_explained() {
    let mut session = start();
    all(&mut session, &["send Pop", "send Go", "undo"]);
    let answer = json::answer(&session, &Command::Why).unwrap();
    assert_eq!(
        (&answer["step"], &answer["candidates"][0]["name"]),
        (&Value::from(1), &Value::from("notice"))
    );
    let text: Vec<String> = statewright_step::text::why(&session)
        .iter()
        .map(|line| line.plain())
        .collect();
    assert!(
        text.iter()
            .any(|line| line.contains("because the stack of its region is empty")),
        "{text:#?}"
    );
}

/// `why` about five seconds is not fifty times the same.
#[test]
fn sel_7_the_same_reason_again_is_said_once() {
    let mut session = start();
    all(
        &mut session,
        &["set seen true", "tick 1", "set seen false", "after 5s"],
    );
    let lines = statewright_step::text::why(&session);
    let lines: Vec<String> = lines.iter().map(|line| format!("{line:?}")).collect();
    let about = lines
        .iter()
        .filter(|line| line.contains("seen is false"))
        .count();
    assert_eq!(about, 1, "{lines:#?}");
    assert!(
        lines
            .iter()
            .any(|line| line.contains("the same for 49 ticks")),
        "{lines:#?}"
    );
}

#[test]
fn a_guard_is_told_with_what_it_read_itself_and_nothing_else() {
    let text = r#"{ "machine": "Two", "events": ["E"], "blackboard": { "a": "i32", "ab": "i32" }, "states": {
      "s": { "regions": {
        "x": { "initial": "x1", "states": {
          "x1": { "transitions": [{ "on": "E", "if": "a > 0", "to": "x2" }] }, "x2": {} } },
        "y": { "initial": "y1", "states": {
          "y1": { "transitions": [{ "on": "E", "if": "in(x2)", "to": "y2" }, { "on": "E", "if": "ab > 5 && a > 0", "to": "y2" }] },
          "y2": {} } } } } } }"#;
    let mut session = session(text, Settings::default());
    all(&mut session, &["set a 1", "send E"]);
    let answer = json::answer(&session, &Command::Why).unwrap();
    let words: Vec<&str> = answer["candidates"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|candidate| candidate["because"].as_str())
        .filter(|words| words.contains("guard"))
        .collect();
    assert_eq!(
        words,
        [
            "its guard `in(s/x2)` said no",
            "its guard `ab > 5 && a > 0` said no: ab is 0",
        ]
    );
}

/// Parameters of parts stand in back quotes themselves.
#[test]
fn sel_7_thresholds_and_guards_over_parameters_say_what_these_are() {
    let part = r#"{
      "machine": "Fight", "events": ["Look"], "parameters": { "rage": 0.75, "calm": 3 },
      "initial": "stand",
      "states": {
        "stand": { "transitions": [
          { "name": "weak", "on": "Look", "score": "0.5", "threshold": "rage - 0.1", "to": "hit" },
          { "name": "rest", "on": "Look", "score": "0", "stay": true },
          { "name": "no", "on": "Look", "priority": 1, "if": "calm > 3", "to": "hit" },
        ] },
        "hit": {},
      },
    }"#;
    let text = r#"{
      "machine": "Soldier", "events": ["Look"], "initial": "fight",
      "states": { "fight": { "use": "fight.sw.json" } },
    }"#;
    let files = HashMap::from([("fight.sw.json", part)]);
    let (machine, problems) = parts::read("soldier.sw.json", text, &files);
    let (output, _) = compile_with(&machine, problems, &Options::default());
    let output = output.expect("a machine");
    let mut session = Session::new(output.rom, Some(output.symbols), Settings::default()).unwrap();
    all(&mut session, &["send Look"]);
    let lines: Vec<String> = text::why(&session).iter().map(Line::plain).collect();
    let lines = lines.join("\n");
    for words in [
        "because its score `0.5` of 0.5 is below its threshold of `` `fight/rage` - 0.1 `` (fight/rage is 0.75)",
        "fight/stand: on Look (stays)",
        "because its guard `` `fight/calm` > 3 `` said no",
    ] {
        assert!(lines.contains(words), "{words} is missing in\n{lines}");
    }
}
