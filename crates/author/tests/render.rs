//! Rendering of problems: the exact look, and the promise that any span in any text renders
//! quickly.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::{Diagnostic, Diagnostics};
use statewright_author::limits::MAX_DIAGNOSTICS;
use statewright_author::render::{LineIndex, Style, render_json, render_text};
use statewright_author::span::{Source, Span};

fn diagnostics(list: impl IntoIterator<Item = Diagnostic>) -> Diagnostics {
    let mut all = Diagnostics::default();
    list.into_iter().for_each(|diagnostic| all.push(diagnostic));
    all
}

/// The span of the only occurrence of `part`.
fn at(text: &str, part: &str) -> Span {
    let start = text.find(part).expect("part of the text");
    Span::bytes(start..start + part.len())
}

fn render(text: &str, list: impl IntoIterator<Item = Diagnostic>) -> String {
    render_text(
        &diagnostics(list),
        &Source::file("soldier.sw.json", text),
        Style::default(),
    )
}

const SOLDIER: &str = r#"{
  "machine": "Soldier",
  "states": {
    "idle": { "on": { "Sight": "combta" } },
    "combat": {},
    "combat": {}
  }
}
"#;

#[test]
fn a_problem_looks_like_one_of_rustc() {
    let wrong = Diagnostic::new(
        DiagnosticCode::UnknownState,
        at(SOLDIER, "\"combta\""),
        "no state named `combta`",
    )
    .label("not found in this machine")
    .note("states are found by their name")
    .suggest("combta", ["idle", "combat"]);
    let expected = "\
error[SW0101]: no state named `combta`
 --> soldier.sw.json:4:32
  |
4 |     \"idle\": { \"on\": { \"Sight\": \"combta\" } },
  |                                ^^^^^^^^ not found in this machine
  |
  = note: states are found by their name
  = help: did you mean `combat`?

1 error
";
    assert_eq!(render(SOLDIER, [wrong]), expected);
}

#[test]
fn related_spans_share_the_snippet_if_they_are_near() {
    let first = SOLDIER.find("\"combat\"").unwrap();
    let second = SOLDIER.rfind("\"combat\"").unwrap();
    let twice = Diagnostic::new(
        DiagnosticCode::DuplicateName,
        Span::bytes(second..second + 8),
        "two states are named `combat`",
    )
    .label("declared again")
    .related(Span::bytes(first..first + 8), "first declared here");
    let expected = "\
error[SW0109]: two states are named `combat`
 --> soldier.sw.json:6:5
  |
5 |     \"combat\": {},
  |     -------- first declared here
6 |     \"combat\": {}
  |     ^^^^^^^^ declared again

1 error
";
    assert_eq!(render(SOLDIER, [twice]), expected);
}

#[test]
fn related_spans_far_away_have_their_own_position() {
    let text = format!("{{ \"a\": 1,\n{}\"b\": 2 }}", "\n".repeat(50));
    let far = Diagnostic::new(
        DiagnosticCode::FieldsExclude,
        at(&text, "\"b\""),
        "`a` and `b` exclude each other",
    )
    .related(at(&text, "\"a\""), "the other one");
    let expected = "\
error[SW0012]: `a` and `b` exclude each other
  --> soldier.sw.json:52:1
   |
52 | \"b\": 2 }
   | ^^^
   |
  ::: soldier.sw.json:1:3
   |
 1 | { \"a\": 1,
   |   --- the other one

1 error
";
    assert_eq!(render(&text, [far]), expected);
}

#[test]
fn a_range_of_many_lines_is_cut_to_the_first() {
    let whole = Diagnostic::new(
        DiagnosticCode::Unreachable,
        Span::bytes(0..SOLDIER.len()),
        "never entered",
    );
    let expected = "\
warning[SW0214]: never entered
 --> soldier.sw.json:1:1
  |
1 | {
  | ^

1 warning
";
    assert_eq!(render(SOLDIER, [whole]), expected);
}

#[test]
fn builder_spans_show_the_path() {
    let source = Source::Builder {
        parts: Vec::new(),
        machine: "Soldier".into(),
        steps: vec!["state idle".into(), "state combat > transition 2".into()],
    };
    let wrong = Diagnostic::new(
        DiagnosticCode::UnknownState,
        Span::step(1),
        "no state named `combta`",
    )
    .related(Span::step(0), "similar")
    .help("did you mean `combat`?");
    let nowhere = Diagnostic::new(DiagnosticCode::Unreachable, Span::step(77), "odd");
    let expected = "\
error[SW0101]: no state named `combta`
--> machine `Soldier`: state combat > transition 2
 = note: similar: state idle
 = help: did you mean `combat`?

warning[SW0214]: odd
--> machine `Soldier`

1 error and 1 warning
";
    assert_eq!(
        render_text(&diagnostics([wrong, nowhere]), &source, Style::default()),
        expected
    );
}

#[test]
fn the_summary_counts_what_is_not_shown() {
    let problem = |number: usize| {
        let text = format!("x {number}");
        Diagnostic::new(DiagnosticCode::UnknownState, Span::bytes(0..1), text)
    };
    let warning = Diagnostic::new(DiagnosticCode::Unreachable, Span::bytes(0..1), "y");
    let many = std::iter::once(warning).chain((0..MAX_DIAGNOSTICS + 1).map(problem));
    let text = render(SOLDIER, many);
    assert!(
        text.ends_with("\n201 errors and 1 warning (+2 more not shown)\n"),
        "{}",
        &text[text.len() - 100..]
    );
    assert_eq!(render(SOLDIER, []), "");
}

#[test]
fn tabs_and_wide_characters_keep_the_underline_in_place() {
    let text = "{\n\t\"é漢\": \"x\"\n}";
    let out = render(
        text,
        [Diagnostic::new(
            DiagnosticCode::UnknownState,
            at(text, "\"x\""),
            "no",
        )],
    );
    let expected = "\
error[SW0101]: no
 --> soldier.sw.json:2:8
  |
2 |     \"é漢\": \"x\"
  |            ^^^

1 error
";
    assert_eq!(out, expected);
}

#[test]
fn windows_line_ends_are_no_part_of_a_line() {
    let text = "{\r\n  \"a\": 1\r\n}\r\n";
    let out = render(
        text,
        [Diagnostic::new(
            DiagnosticCode::UnknownField,
            Span::bytes(5..text.len()),
            "no",
        )],
    );
    assert!(out.contains(" --> soldier.sw.json:2:3\n"), "{out}");
    assert!(out.contains("2 |   \"a\": 1\n  |   ^^^^^^\n"), "{out}");
}

#[test]
fn colors_are_used_only_on_request() {
    let all = diagnostics([Diagnostic::new(
        DiagnosticCode::UnknownState,
        Span::bytes(0..1),
        "x",
    )]);
    let source = Source::file("a", SOLDIER);
    let plain = render_text(
        &all,
        &source,
        Style {
            color: false,
            width: 80,
        },
    );
    let colored = render_text(
        &all,
        &source,
        Style {
            color: true,
            width: 80,
        },
    );
    assert!(!plain.contains('\u{1b}'));
    assert!(
        colored.contains("\u{1b}[") && colored.contains("a:1:1"),
        "{colored}"
    );
}

#[test]
fn quoted_text_cannot_drive_the_terminal_or_grow_the_output() {
    let text = "{ \"a\u{1b}[31m\": 1 }";
    let nasty = Diagnostic::new(
        DiagnosticCode::UnknownField,
        Span::bytes(2..11),
        "no \u{1b}[0m\u{E000}0\u{E000} x",
    )
    .label("\u{1b}[1m")
    .note("\u{1b}[2m")
    .help("n".repeat(1 << 20));
    let out = render(text, [nasty]);
    assert!(!out.contains('\u{1b}'), "{out}");
    assert!(
        out.contains(" --> soldier.sw.json:1:3\n") && !out.contains('\u{E000}'),
        "{out}"
    );
    assert!(out.len() < 3000);
}

#[test]
fn a_mebibyte_on_one_line_renders_fast_and_short() {
    let item = r#"{ "kéy": "value" }, "#;
    let text = format!("[{}0]", item.repeat((1 << 20) / item.len()));
    let offsets: Vec<usize> = text
        .match_indices("\"value\"")
        .map(|(start, _)| start)
        .collect();
    let step = offsets.len() / MAX_DIAGNOSTICS;
    let problems = offsets.iter().step_by(step).map(|&start| {
        Diagnostic::new(
            DiagnosticCode::BadValue,
            Span::bytes(start..start + 7),
            "bad",
        )
        .label("here")
        .related(Span::bytes(text.len() - 2..text.len() - 1), "the end")
        .related(Span::bytes(0..text.len()), "all of it")
    });
    let all = diagnostics(problems);
    let source = Source::file("long.sw.json", text.clone());
    let start = Instant::now();
    let out = render_text(&all, &source, Style::default());
    render_json(&all, &source);
    assert!(
        start.elapsed() < Duration::from_secs(2),
        "took {:?}",
        start.elapsed()
    );
    assert_eq!(all.len(), MAX_DIAGNOSTICS);
    assert!(out.len() < MAX_DIAGNOSTICS * 2000, "{}", out.len());
    let widest = out.lines().map(|line| line.chars().count()).max().unwrap();
    assert!(widest <= 130, "{widest}");
    let column = text[..offsets[step]].chars().count() + 1;
    assert!(
        out.contains(&format!(" --> long.sw.json:1:{column}\n")),
        "{column}"
    );
    assert!(out.contains("..."), "cuts are visible");
}

#[test]
fn two_hundred_problems_in_a_long_file_render_fast() {
    let line = "  \"state\": { \"on\": { \"Go\": \"nowhere\" } },\n";
    let text = line.repeat((1 << 20) / line.len());
    let lines = text.lines().count();
    let problems = (0..MAX_DIAGNOSTICS).map(|n| {
        let start = n * (lines / MAX_DIAGNOSTICS) * line.len() + 2;
        Diagnostic::new(
            DiagnosticCode::UnknownState,
            Span::bytes(start..text.len()),
            "x",
        )
        .related(Span::bytes(text.len() - 5..text.len()), "last line")
    });
    let all = diagnostics(problems);
    let source = Source::file("tall.sw.json", text.clone());
    let start = Instant::now();
    let out = render_text(&all, &source, Style::default());
    assert!(
        start.elapsed() < Duration::from_secs(2),
        "took {:?}",
        start.elapsed()
    );
    assert!(out.len() < MAX_DIAGNOSTICS * 1000);
}

#[test]
fn json_has_everything() {
    let wrong = Diagnostic::new(
        DiagnosticCode::UnknownState,
        at(SOLDIER, "\"combta\""),
        "no state named `combta`",
    )
    .label("here")
    .related(at(SOLDIER, "\"idle\""), "in this state")
    .note("a fact")
    .help("do this");
    let bare = Diagnostic::new(DiagnosticCode::Unreachable, Span::step(3), "bare");
    let json = render_json(
        &diagnostics([wrong, bare]),
        &Source::file("a.sw.json", SOLDIER),
    );
    let range = |line, start: u32, end: u32, byte: u32| {
        serde_json::json!({
            "start": { "line": line, "column": start, "byte": byte },
            "end": { "line": line, "column": end, "byte": byte + end - start },
        })
    };
    let wrong_byte = at(SOLDIER, "\"combta\"").start;
    let expected = serde_json::json!([
        {
            "code": "SW0101", "severity": "error", "message": "no state named `combta`", "file": "a.sw.json",
            "range": range(4, 32, 40, wrong_byte), "label": "here",
            "related": [{ "label": "in this state", "file": "a.sw.json", "range": range(4, 5, 11, at(SOLDIER, "\"idle\"").start) }],
            "notes": ["a fact"], "help": "do this",
        },
        { "code": "SW0214", "severity": "warning", "message": "bare", "file": "a.sw.json" },
    ]);
    assert_eq!(json, expected);
    let source = Source::Builder {
        parts: Vec::new(),
        machine: "M".into(),
        steps: vec!["state a".into()],
    };
    let built = render_json(
        &diagnostics([Diagnostic::new(
            DiagnosticCode::Unreachable,
            Span::step(0),
            "x",
        )]),
        &source,
    );
    assert_eq!(built[0]["machine"], "M");
    assert_eq!(built[0]["path"], "state a");
}

proptest! {
    #[test]
    fn any_span_in_any_text_renders(
        text in "[a\n\r\t é漢\u{200d}\u{301}🏳\u{1b}\u{7f}\u{2028}]{0,60}",
        spans in prop::collection::vec((0u32..200, 0u32..200), 1..5),
        odd in prop::option::of((any::<u32>(), any::<u32>())),
        width in 0usize..200,
        color in any::<bool>(),
    ) {
        let span = |&(start, end): &(u32, u32)| Span { start, end };
        let mut problem = Diagnostic::new(DiagnosticCode::Syntax, span(&spans[0]), "message").label("label");
        for other in spans[1..].iter().chain(&odd) {
            problem = problem.related(span(other), "related");
        }
        let all = diagnostics([problem]);
        let source = Source::file("file", text);
        let out = render_text(&all, &source, Style { color, width });
        prop_assert!(out.contains("file:"));
        render_json(&all, &source);
    }

    #[test]
    fn any_span_in_a_long_line_renders(
        part in "[a\t é漢\u{301}]{1,12}", before in 0usize..3000, length in 0usize..3000, width in 0usize..200,
    ) {
        let text = part.repeat(1 + 9000 / part.len());
        let span = Span::bytes(before..before + length);
        let all = diagnostics([Diagnostic::new(DiagnosticCode::Syntax, span, "message").related(span, "same")]);
        let out = render_text(&all, &Source::file("file", text), Style { color: false, width });
        prop_assert!(out.len() < 8000, "{}", out.len());
    }

    #[test]
    fn the_index_agrees_with_the_plain_count(text in "[a\né漢\r]{0,1200}", offset in 0u32..4000) {
        let position = LineIndex::new(&text).position(offset as usize);
        let plain = Source::file("f", text.clone()).line_column(offset).unwrap();
        prop_assert_eq!((position.line, position.column), plain);
    }
}
