//! Every problem of form: its code, what is said, where, and that it is said once.

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::{Diagnostic, Diagnostics};
use statewright_author::graph::{Machine, Trigger};
use statewright_author::span::Span;
use statewright_author::text::read;

fn at(text: &str, span: Span) -> &str {
    &text[span.start as usize..span.end as usize]
}

/// Everything that a report says.
fn said(d: &Diagnostic) -> String {
    let related: Vec<_> = d.related.iter().map(|label| label.text.clone()).collect();
    let help = d.help.clone().unwrap_or_default();
    [
        d.message.clone(),
        d.label.clone(),
        related.join(" "),
        d.notes.join(" "),
        help,
    ]
    .join(" | ")
}

/// Reads a file that has exactly one problem, which is at `span` and says all of `words`.
#[track_caller]
fn one(text: &str, code: DiagnosticCode, span: &str, words: &[&str]) -> Machine {
    let (machine, problems) = read("m.sw.json", text);
    let all: Vec<_> = problems.iter().collect();
    let [only] = all[..] else { panic!("{all:#?}") };
    assert_eq!(
        (only.code, at(text, only.span)),
        (code, span),
        "{}",
        said(only)
    );
    for word in words {
        assert!(
            said(only).contains(word),
            "{word:?} is not in: {}",
            said(only)
        );
    }
    machine
}

/// The same in a machine that has these fields besides.
#[track_caller]
fn field(fields: &str, code: DiagnosticCode, span: &str, words: &[&str]) -> Machine {
    one(
        &format!(r#"{{ "machine": "M", "initial": "a", "states": {{ "a": {{}} }}, {fields} }}"#),
        code,
        span,
        words,
    )
}

/// The same in the state `a`.
#[track_caller]
fn state(fields: &str, code: DiagnosticCode, span: &str, words: &[&str]) -> Machine {
    one(
        &format!(r#"{{ "machine": "M", "initial": "a", "states": {{ "a": {{ {fields} }} }} }}"#),
        code,
        span,
        words,
    )
}

#[test]
fn sw0003_given_twice() {
    state(
        r#""doc": "x", "doc": "y""#,
        DiagnosticCode::DuplicateField,
        "\"doc\"",
        &["`doc` is given twice", "first given here"],
    );
    let machine = one(
        r#"{ "machine": "M", "initial": "a", "states": { "a": { "doc": "1" }, "a": { "doc": "2" } } }"#,
        DiagnosticCode::DuplicateField,
        "\"a\"",
        &["`a` is given twice"],
    );
    let states = &machine.root.regions[0].states;
    assert_eq!(
        (states.len(), states[0].doc.as_deref()),
        (1, Some("1")),
        "the first counts"
    );
    let many: Vec<_> = (0..20)
        .map(|n| format!(r#""k{}": "bool""#, n % 19))
        .collect();
    field(
        &format!(r#""blackboard": {{ {} }}"#, many.join(",")),
        DiagnosticCode::DuplicateField,
        "\"k0\"",
        &[],
    );
    field(
        r#""meta": { "x": { "y": 1, "y": 2 } }"#,
        DiagnosticCode::DuplicateField,
        "\"y\"",
        &[],
    );
}

#[test]
fn sw0004_unknown_field() {
    let words = [
        "a transition has no field `prioritty`",
        "did you mean `priority`?",
        "`on`, `after`, `every`, `timer`",
    ];
    state(
        r#""transitions": [{ "on": "E", "prioritty": 1 }]"#,
        DiagnosticCode::UnknownField,
        "\"prioritty\"",
        &words,
    );
    field(
        r#""zzz": 1"#,
        DiagnosticCode::UnknownField,
        "\"zzz\"",
        &["the machine has no field `zzz`", "`tick_rate`"],
    );
    field(
        r#""final": true"#,
        DiagnosticCode::UnknownField,
        "\"final\"",
        &[],
    );
    state(
        r#""entry": { "call": "F", "wiht": [] }"#,
        DiagnosticCode::UnknownField,
        "\"wiht\"",
        &["did you mean `with`?"],
    );
}

#[test]
fn sw0005_wrong_type() {
    field(
        r#""tick_rate": "60""#,
        DiagnosticCode::WrongType,
        "\"60\"",
        &["`tick_rate` must be a whole number from 1 to 10000, found text"],
    );
    field(
        r#""doc": null"#,
        DiagnosticCode::WrongType,
        "null",
        &["found null"],
    );
    field(
        r#""channels": "w""#,
        DiagnosticCode::WrongType,
        "\"w\"",
        &["`channels` must be a list of names, or an object"],
    );
    state(
        r#""defer": "E""#,
        DiagnosticCode::WrongType,
        "\"E\"",
        &["found text", "write `[\"E\"]`"],
    );
    state(
        r#""use": [1]"#,
        DiagnosticCode::WrongType,
        "1",
        &["an item of `use`", "found a number"],
    );
    state(
        r#""entry": 5"#,
        DiagnosticCode::WrongType,
        "5",
        &["`entry` must be text such as"],
    );
    state(
        r#""min_active": 5"#,
        DiagnosticCode::WrongType,
        "5",
        &["a duration such as \"200ms\", or a parameter"],
    );
    let machine = one(
        r#"{ "machine": "M", "initial": "a", "states": { "a": 5 } }"#,
        DiagnosticCode::WrongType,
        "5",
        &["`a` must be"],
    );
    assert_eq!(
        machine.root.regions[0].states[0].name.as_str(),
        "a",
        "the name stays known"
    );
    one(
        "[]",
        DiagnosticCode::WrongType,
        "[]",
        &["a machine must be an object, found a list"],
    );
}

#[test]
fn sw0006_missing_field() {
    one(
        r#"{ "states": {} }"#,
        DiagnosticCode::MissingField,
        "{",
        &["the machine needs the field `machine`", "a name"],
    );
    state(
        r#""entry": { "start": "t" }"#,
        DiagnosticCode::MissingField,
        "{",
        &["a `start` action needs the field `after`", "\"1.5s\""],
    );
    let words = [
        "needs one of the fields `on`, `after`, `every`, `timer` or `when`",
        "`after`: Fires so long",
    ];
    let machine = state(
        r#""transitions": [{ "to": "a" }]"#,
        DiagnosticCode::MissingField,
        "{",
        &words,
    );
    assert!(machine.root.regions[0].states[0].transitions.is_empty());
    state(
        r#""decisions": [{ "if": "x" }]"#,
        DiagnosticCode::MissingField,
        "{",
        &["`then` or `else`"],
    );
    state(
        r#""entry": { "cal": "F" }"#,
        DiagnosticCode::MissingField,
        "{",
        &["`call`, `set`", "did you mean `call`?"],
    );
    state(
        r#""entry": {}"#,
        DiagnosticCode::MissingField,
        "{",
        &["an action needs one of"],
    );
    field(
        r#""functions": { "q": {} }"#,
        DiagnosticCode::MissingField,
        "{",
        &["a function needs the field `kind`"],
    );
}

#[test]
fn sw0007_bad_value() {
    state(
        r#""transitions": [{ "on": "E", "priority": 16 }]"#,
        DiagnosticCode::BadValue,
        "16",
        &["from 0 to 15, found `16`"],
    );
    state(
        r#""transitions": [{ "on": "E", "priority": -1 }]"#,
        DiagnosticCode::BadValue,
        "-1",
        &[],
    );
    state(
        r#""transitions": [{ "on": "E", "priority": 1.5 }]"#,
        DiagnosticCode::BadValue,
        "1.5",
        &[],
    );
    field(
        r#""tier": 100"#,
        DiagnosticCode::BadValue,
        "100",
        &["64, 128 or 256"],
    );
    field(
        r#""tier": "heroo""#,
        DiagnosticCode::BadValue,
        "heroo",
        &["`crowd`, `standard` or `hero`", "did you mean `hero`?"],
    );
    field(
        r#""budgets": { "command_bytes": 63 }"#,
        DiagnosticCode::BadValue,
        "63",
        &["from 64 to 4096"],
    );
    field(
        r#""budgets": { "command_bytes": 4097 }"#,
        DiagnosticCode::BadValue,
        "4097",
        &["from 64 to 4096"],
    );
    field(
        r#""blackboard": { "x": { "type": "f32", "default": 1e999 } }"#,
        DiagnosticCode::BadValue,
        "1e999",
        &["too large"],
    );
    field(
        r#""meta": [1e999]"#,
        DiagnosticCode::BadValue,
        "1e999",
        &["too large"],
    );
    field(
        r#""blackboard": { "x": { "type": "i32", "default": 99999999999999999999 } }"#,
        DiagnosticCode::BadValue,
        "99999999999999999999",
        &["too large"],
    );
    field(
        r#""blackboard": { "x": { "type": "vec2", "default": [1, true] } }"#,
        DiagnosticCode::BadValue,
        "[1, true]",
        &["two or three numbers"],
    );
    state(
        r#""regions": {}"#,
        DiagnosticCode::BadValue,
        "{}",
        &["`regions` must not be empty"],
    );
}

#[test]
fn sw0008_bad_name() {
    field(
        r#""events": [""]"#,
        DiagnosticCode::BadName,
        "\"\"",
        &["must not be empty"],
    );
    field(
        r#""events": ["*"]"#,
        DiagnosticCode::BadName,
        "\"*\"",
        &["any event"],
    );
    field(
        r#""blackboard": { "9x": "i32" }"#,
        DiagnosticCode::BadName,
        "\"9x\"",
        &["letters, digits"],
    );
    field(
        r#""functions": { "a::": "guard" }"#,
        DiagnosticCode::BadName,
        "\"a::\"",
        &[],
    );
    let long = format!("\"{}\"", "n".repeat(129));
    field(
        &format!(r#""timers": [{long}]"#),
        DiagnosticCode::BadName,
        &long,
        &["128 bytes"],
    );
    for name in ["a/b", " a", "a\\u0000b", "a\\nb"] {
        let text = format!(
            r#"{{ "machine": "M", "initial": "x", "states": {{ "x": {{}}, "{name}": {{}} }} }}"#
        );
        one(&text, DiagnosticCode::BadName, &format!("\"{name}\""), &[]);
    }
    one(
        r#"{ "machine": "", "states": {} }"#,
        DiagnosticCode::BadName,
        "\"\"",
        &[],
    );
}

#[test]
fn sw0010_and_sw0011_durations_and_ids() {
    let machine = state(
        r#""transitions": [{ "after": "1m" }]"#,
        DiagnosticCode::BadDuration,
        "1m",
        &["\"1.5s\""],
    );
    let transitions = &machine.root.regions[0].states[0].transitions;
    assert!(
        matches!(transitions[0].trigger, Trigger::After(_)),
        "the rest of it is looked at as well"
    );
    state(
        r#""min_active": "1.5t""#,
        DiagnosticCode::BadDuration,
        "1.5t",
        &["ticks are whole"],
    );
    for id in [
        "",
        "0x",
        "xyz",
        "12345678901234567",
        "0x12345678901234567",
        "+1",
        "-1",
    ] {
        state(
            &format!(r#""id": "{id}""#),
            DiagnosticCode::BadStableId,
            id,
            &["1 to 16 hexadecimal digits"],
        );
    }
}

#[test]
fn sw0012_fields_exclude() {
    let two = r#""transitions": [{ "on": "E", "after": "1s" }]"#;
    state(
        two,
        DiagnosticCode::FieldsExclude,
        "\"after\"",
        &["`on` and `after` exclude each other", "keep one of them"],
    );
    state(
        r#""states": {}, "regions": { "r": { "states": {} } }"#,
        DiagnosticCode::FieldsExclude,
        "\"regions\"",
        &[],
    );
    state(
        r#""transitions": [{ "on": "E", "to": "x", "sync": {} }]"#,
        DiagnosticCode::FieldsExclude,
        "\"sync\"",
        &[],
    );
    state(
        r#""entry": { "set": "k", "to": 1, "stop": "t" }"#,
        DiagnosticCode::FieldsExclude,
        "\"stop\"",
        &[],
    );
}

#[test]
fn all_problems_come_at_once_and_the_rest_is_read() {
    let text = r#"{
        "machine": "M", "tier": "big", "zzz": 1, "initial": "a",
        "events": { "E": { "class": "high", "doc": "kept" }, "F": 5 },
        "states": {
            "a": { "min_active": "5m", "transitions": [{ "on": "E", "to": "b", "priority": 99 }, { "to": "a" }] },
            "b": { "entry": ["A", 5, { "raise": "E" }] },
        },
    }"#;
    let (machine, problems) = read("m", text);
    let codes: Vec<_> = problems.iter().map(|d| d.code).collect();
    use DiagnosticCode::*;
    let expected = [
        BadValue,
        UnknownField,
        BadValue,
        WrongType,
        BadDuration,
        BadValue,
        MissingField,
        WrongType,
    ];
    assert_eq!(codes, expected, "sorted by place");
    assert_eq!(
        machine
            .events
            .iter()
            .map(|e| e.name.as_str())
            .collect::<Vec<_>>(),
        ["E", "F"]
    );
    assert_eq!(machine.events[0].doc.as_deref(), Some("kept"));
    let [a, b] = &machine.root.regions[0].states[..] else {
        panic!()
    };
    assert_eq!(
        (
            a.transitions.len(),
            &a.transitions[0].priority,
            b.entry.len()
        ),
        (1, &None, 2)
    );
}

#[test]
fn many_problems_are_counted() {
    let fields: Vec<_> = (0..1000).map(|n| format!(r#""unknown{n}": 1"#)).collect();
    let (_, problems): (_, Diagnostics) = read(
        "m",
        &format!(r#"{{ "machine": "M", {} }}"#, fields.join(",")),
    );
    assert_eq!(
        (problems.errors(), problems.len()),
        (1000, statewright_author::limits::MAX_DIAGNOSTICS)
    );
}

#[test]
fn spans_of_code_are_of_the_content_unless_escaped() {
    let text = r#"{ "machine": "M", "initial": "a", "states": { "a": { "entry": ["x = 1", "x = \u0032", "é()"] } } }"#;
    let (machine, problems) = read("m", text);
    assert!(problems.is_empty());
    let entry = &machine.root.regions[0].states[0].entry;
    let code = |n: usize| match &entry[n] {
        statewright_author::graph::Action {
            kind: statewright_author::graph::ActionKind::Text(code),
            ..
        } => code,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        (at(text, code(0).span), at(text, entry[0].span)),
        ("x = 1", "\"x = 1\"")
    );
    assert_eq!(
        (code(1).as_str(), at(text, code(1).span)),
        ("x = 2", "\"x = \\u0032\"")
    );
    assert_eq!(at(text, code(2).span), "é()");
}

/// What people write who bring another picture along: the help says what to write here.
#[test]
fn fields_in_the_wrong_place_say_where_they_belong() {
    state(
        r#""transitions": [{ "on": "E", "if": "x", "then": "s" }]"#,
        DiagnosticCode::UnknownField,
        "\"then\"",
        &["write `\"to\"`", "belong to a decision"],
    );
    state(
        r#""cooldown": "2s""#,
        DiagnosticCode::UnknownField,
        "\"cooldown\"",
        &["it belongs to a transition"],
    );
    state(
        r#""Walk": { "entry": "F" }"#,
        DiagnosticCode::UnknownField,
        "\"Walk\"",
        &["states inside stand under `\"states\"`: `\"states\": { \"Walk\": { … } }`"],
    );
    state(
        r#""on_update": "F""#,
        DiagnosticCode::UnknownField,
        "\"on_update\"",
        &["`\"activity\"`", "`\"update\"`: actions of every tick"],
    );
}

#[test]
fn there_is_no_half_of_a_tick() {
    let half = r#""transitions": [{ "after": 0.5, "to": "s" }]"#;
    let words = ["write \"0.5s\" for seconds or \"0.5ms\" for milliseconds"];
    state(half, DiagnosticCode::WrongType, "0.5", &words);
}
