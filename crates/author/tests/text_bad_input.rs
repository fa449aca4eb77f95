//! Whatever the text is: an end, a report, no panic, no overflow of the stack.

use statewright_author::codes::DiagnosticCode;
use statewright_author::graph::Machine;
use statewright_author::span::{Source, Span};
use statewright_author::text::{read, read_bytes};

#[track_caller]
fn only(text: &str, code: DiagnosticCode, words: &str) -> Span {
    let (_, problems) = read("m", text);
    let first = problems
        .iter()
        .next()
        .unwrap_or_else(|| panic!("no problem in {:.60}", text));
    assert_eq!((first.code, problems.len()), (code, 1), "{first:?}");
    assert!(first.message.contains(words), "{}", first.message);
    first.span
}

fn shown(text: &str, span: Span) -> &str {
    &text[span.start as usize..span.end as usize]
}

#[test]
fn loose_json_is_refused() {
    for (text, words) in [
        ("", "the file is empty"),
        ("  // nothing", "the file is empty"),
        ("{ machine: 1 }", "double quotes"),
        ("{ 'machine': 1 }", "double quotes"),
        (r#"{ "a": 0x10 }"#, "decimal"),
        (r#"{ "a": +1 }"#, "plus sign"),
        (r#"{ "a": .5 }"#, "both sides"),
        (r#"{ "a": 5. }"#, "both sides"),
        (r#"{ "a": Infinity }"#, "`Infinity` has no place here"),
        (r#"{ "a": 1 "b": 2 }"#, "a comma is missing"),
        (r#"{ "a" 1 }"#, "a colon is missing"),
        (r#"{ "a": - }"#, "a digit is missing"),
        (r#"{ "a": 1e }"#, "the exponent of this number is missing"),
        (r#"{ "a": [1 : 2] }"#, "a `:` has no place here"),
        (r#"{ [] }"#, "`[` has no place here"),
        (r#"{ "a": }"#, "`}` closes nothing here"),
        (r#"{ "a": 1"#, "`{` is never closed"),
        ("[1, 2", "`[` is never closed"),
        ("{} {}", "something follows"),
        ("{ \"a\": 1 /* ", "never closed"),
        (r#"{ "a": "\x41" }"#, "escape"),
        (r#"{ "a": "\uD800" }"#, "escape"),
        (r#"{ "a": "\uDC00" }"#, "escape"),
        (r#"{ "a": "\uD800\u0041" }"#, "escape"),
        ("{ \"a\": \0 }", "U+0000"),
        ("{ \"a\": \"x\ny\" }", "not closed on its line"),
        ("{ \"a\": \"x", "not closed on its line"),
        ("{ \"a\": \"x\\", "not closed on its line"),
        ("{ \"a\": \"x\\\n\" }", "not closed on its line"),
    ] {
        only(text, DiagnosticCode::Syntax, words);
    }
}

#[test]
fn comments_commas_and_a_bom_are_fine() {
    let text = "\u{feff}// a\n{ /* b */ \"machine\": \"M\", \"initial\": \"a\", \"states\": { \"a\": {}, }, } // c";
    let (machine, problems) = read("m", text);
    assert!(problems.is_empty());
    assert!(
        matches!(&machine.source, Source::File { text, .. } if text.starts_with("// a")),
        "places count without it"
    );
    let (machine, problems) = read_bytes("m", text.as_bytes());
    assert_eq!((machine.name.as_str(), problems.is_empty()), ("M", true));
}

#[test]
fn raw_control_characters_are_all_reported() {
    let (machine, problems) = read(
        "m",
        "{ \"machine\": \"M\", \"doc\": \"a\tb\u{1}\", \"states\": {} }",
    );
    assert_eq!(
        problems.iter().map(|d| d.code).collect::<Vec<_>>(),
        [DiagnosticCode::Syntax, DiagnosticCode::Syntax]
    );
    assert_eq!(machine.name.as_str(), "M");
}

#[test]
fn bytes_that_are_not_text() {
    let (machine, problems) = read_bytes("m", b"{ \"machine\": \"\xff\" }");
    let first = problems.iter().next().unwrap();
    assert_eq!((first.code, first.span.start), (DiagnosticCode::Syntax, 14));
    assert!(first.message.contains("byte 14"), "{}", first.message);
    let Source::File { text, .. } = &machine.source else {
        panic!()
    };
    assert_eq!(shown(text, first.span), "\u{fffd}");
    let (_, problems) = read_bytes("m", b"\xff\xfe{\0}\0");
    assert!(
        problems
            .iter()
            .next()
            .unwrap()
            .help
            .as_ref()
            .unwrap()
            .contains("UTF-16")
    );
    for bytes in [&b"\xc3"[..], b"\xed\xa0\x80", b"\x80", b"{\"\xf0\x9f\"}"] {
        assert!(read_bytes("m", bytes).1.has_errors());
    }
}

#[test]
fn deep_nesting_is_refused_before_anything_recurses() {
    for open in ["[", "{\"a\":", "[{\"a\":", "{\"states\":{\"a\":"] {
        let text = open.repeat(100_000);
        let span = only(&text, DiagnosticCode::NestedTooDeeply, "more than 128 deep");
        assert!(matches!(shown(&text, span), "[" | "{"));
    }
    let brackets_in_text = format!(
        r#"{{ "machine": "M", "doc": "{}", "states": {{}} }} // {}"#,
        "[".repeat(1000),
        "{".repeat(1000)
    );
    assert!(read("m", &brackets_in_text).1.is_empty());
    let legal = format!(
        "{{ \"machine\": \"M\", \"states\": {{}}, \"meta\": {}{} }}",
        "[".repeat(127),
        "]".repeat(127)
    );
    assert!(read("m", &legal).1.is_empty());
}

#[test]
fn states_nested_to_the_limit_are_read() {
    let deep = 62;
    let text = format!(
        "{{ \"machine\": \"M\", \"states\": {}{{}}{} }}",
        "{ \"a\": { \"states\": ".repeat(deep),
        "} }".repeat(deep)
    );
    assert!(!read("m", &text).1.has_errors());
}

#[test]
fn a_file_over_the_limit() {
    let text = " ".repeat(statewright_author::limits::MAX_TEXT_BYTES + 1);
    only(&text, DiagnosticCode::FileTooLarge, "bytes");
    let mut bytes = text.into_bytes();
    bytes[0] = 0xff;
    assert_eq!(
        read_bytes("m", &bytes).1.iter().next().unwrap().code,
        DiagnosticCode::FileTooLarge
    );
}

/// Each of these takes a small part of a second; a quadratic step would take minutes.
#[test]
fn large_files_end() {
    let list = |count: usize, item: &dyn Fn(usize) -> String| {
        (0..count).map(item).collect::<Vec<_>>().join(",")
    };
    let machine = |fields: String| format!(r#"{{ "machine": "M", {fields} }}"#);
    let states = machine(format!(
        r#""states": {{ {} }}"#,
        list(70_000, &|n| format!(r#""s{n}":{{}}"#))
    ));
    let (read_states, problems) = read("m", &states);
    assert_eq!(
        (
            read_states.root.regions[0].states.len(),
            problems.is_empty()
        ),
        (70_000, true)
    );

    let errors = |text: String| read("m", &text).1.errors();
    assert_eq!(
        errors(machine(format!(
            r#""states": {{ {} }}"#,
            list(70_000, &|_| r#""s":{}"#.into())
        ))),
        69_999
    );
    assert_eq!(
        errors(machine(list(70_000, &|n| format!(r#""f{n}":0"#)))),
        70_000
    );
    assert_eq!(
        errors(machine(format!(
            r#""events": [{}]"#,
            list(200_000, &|_| "{}".into())
        ))),
        200_000
    );
    assert_eq!(
        errors(machine(format!(
            r#""transitions": [{}]"#,
            list(100_000, &|_| "{}".into())
        ))),
        100_000
    );
    let flat =
        |item: &dyn Fn(usize) -> String| machine(format!(r#""states": [{}]"#, list(40_000, item)));
    assert_eq!(errors(flat(&|n| format!(r#"{{"id":"s{n}"}}"#))), 1);
    assert_eq!(
        errors(flat(&|n| format!(r#"{{"id":"s{n}","children":["s{n}"]}}"#))),
        40_001
    );
    assert_eq!(
        errors(flat(&|n| format!(r#"{{"id":"s{n}","children":["x{n}"]}}"#))),
        40_001
    );
    let sources = list(20_000, &|n| format!(r#"{{"source":"q{n}","trigger":"E"}}"#));
    let many = list(20_000, &|n| format!(r#"{{"id":"s{n}"}}"#));
    assert_eq!(
        errors(machine(format!(
            r#""initial": "s0", "states": [{many}], "transitions": [{sources}]"#
        ))),
        20_000
    );
    assert!(errors("[".repeat(127) + &"\\".repeat(1 << 20)) > 0);
    assert!(errors(format!("\"{}", "\\\"".repeat(1 << 19))) > 0);
    assert!(errors("/*".repeat(1 << 19)) > 0);
    assert!(errors("/".repeat(1 << 20)) > 0);
}

#[test]
fn nothing_is_left_of_a_broken_file_but_its_text() {
    let (machine, _) = read("m.sw.json", "{ oops");
    assert_eq!(
        machine,
        Machine {
            source: Source::file("m.sw.json", "{ oops"),
            ..Machine::default()
        }
    );
}
