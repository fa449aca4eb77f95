//! Tests of reading and printing: fixed cases here, random ones in `random`.

mod random;

use super::*;
use crate::graph::{Argument, ArgumentValue, ExprSource};
use crate::limits::{MAX_EXPRESSION_BYTES, MAX_EXPRESSION_DEPTH};
use crate::span::{Name, Span};
use crate::value::Literal;

/// Reads a text and prints it with the parentheses that grouping needs.
#[track_caller]
fn reads_as(text: &str, canonical: &str) {
    let parsed = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(parsed.to_string(), canonical);
    assert_eq!(parse(canonical).unwrap(), parsed, "{canonical}");
}

/// A text is refused at these bytes, and the message or the help contains this.
#[track_caller]
fn refused(text: &str, range: Range<usize>, words: &str) {
    let error = parse(text).unwrap_err();
    assert!(error.to_string().contains(words), "{text}: {error}");
    assert_eq!(error.range, range, "{text}: {error}");
}

#[test]
fn operators_bind_as_in_rust() {
    reads_as("a||b&&c", "a || b && c");
    reads_as("(a||b)&&c", "(a || b) && c");
    reads_as("a + b * c - d", "a + b * c - d");
    reads_as("a-(b-c)", "a - (b - c)");
    reads_as("(a - b) - c", "a - b - c");
    reads_as("(a * b) % c / d", "a * b % c / d");
    reads_as("a * (b % c)", "a * (b % c)");
    reads_as("!a == b", "!a == b");
    reads_as("!(a == b)", "!(a == b)");
    reads_as("-a.x * -b", "-a.x * -b");
    reads_as("(-a).x", "(-a).x");
    reads_as("- - -1", "---1");
    reads_as("(a < b) == (c < d)", "(a < b) == (c < d)");
    reads_as("a + 1 < b * 2 && !c", "a + 1 < b * 2 && !c");
    reads_as("a && (b && c)", "a && (b && c)");
    reads_as("((((a))))", "a");
}

#[test]
fn literals_and_names_have_their_forms() {
    reads_as("0xFF + 1_000", "255 + 1000");
    reads_as("2e3 + 1.50", "2000.0 + 1.5");
    reads_as("1e20", "1e20");
    reads_as("true != false", "true != false");
    reads_as("kind == \"orc\"", "kind == 'orc'");
    reads_as(r#"kind == 'it\'s \\ "x"'"#, r#"kind == 'it\'s \\ "x"'"#);
    reads_as(
        "ai::Near(5, far: -1.5, who: 'x', at: vec2(1, 2),)",
        "ai::Near(5, far: -1.5, who: 'x', at: vec2(1, 2))",
    );
    reads_as("in( combat / attack )", "in(combat/attack)");
    reads_as("in('combat/attack')", "in(combat/attack)");
    reads_as(
        "in('my state') && ticks_in_state() > 3",
        "in('my state') && ticks_in_state() > 3",
    );
    reads_as("time_in_state(a) < 1.5", "time_in_state(a) < 1.5");
    reads_as("event.x + min", "event.x + min");
}

#[test]
fn ranges_are_bytes_of_the_text() {
    let parsed = parse(" health + (ärger)").unwrap_err();
    assert_eq!(parsed.range, 11..13);
    let parsed = parse(" (a) + b.x ").unwrap();
    assert_eq!(parsed.range, 1..10);
    let ExprKind::Binary { right, .. } = parsed.kind else {
        panic!()
    };
    let ExprKind::Field { base, field } = right.kind else {
        panic!()
    };
    assert_eq!((base.range, field.span), (7..8, Span::bytes(9..10)));
}

#[test]
fn slips_are_explained() {
    refused("a < b < c", 4..7, "comparisons do not chain");
    refused("a == b != c", 5..9, "a < b && b < c");
    refused("a and b", 2..5, "write `&&`");
    refused("a or b", 2..4, "write `||`");
    refused("not a", 0..3, "write `!`");
    refused("not(a)", 0..3, "write `!`");
    refused("a && not b", 5..8, "write `!`");
    refused("a = 5", 2..3, "write `==`");
    refused("a === 5", 2..5, "write `==`");
    refused("a & b", 2..3, "write `&&`");
    refused("a | b", 2..3, "write `||`");
    refused("a ? 1 : 2", 2..3, "select");
    refused("a += 1", 2..4, "only an action");
    refused(".5 < a", 0..1, "write `0.5`");
    refused("1. < a", 1..2, "`1.0`");
    refused("5s", 0..2, "not a number");
    refused("in", 0..2, "in(State)");
    refused("in()", 0..4, "needs a state");
    refused("in(3)", 3..4, "name of a state");
    refused("in(a/3)", 5..6, "name of a state");
}

#[test]
fn what_is_missing_or_too_much_is_named() {
    refused("", 0..0, "ends where a value is needed");
    refused("a +", 3..3, "ends where a value is needed");
    refused("(a", 0..1, "not closed");
    refused("f(a, b", 1..2, "not closed");
    refused("a)", 1..2, "too much");
    refused("a b", 2..3, "`b` has no place after the expression");
    refused("a 'x'", 2..5, "a text has no place after the expression");
    refused("f(a b)", 4..5, "`)` or an operator");
    refused("a.", 1..2, "name of a field");
    refused("* a", 0..1, "where a value is needed");
    refused("a # b", 2..3, "no meaning");
    refused("'abc", 0..4, "closing");
}

#[test]
fn size_is_bounded_and_no_depth_overflows_the_stack() {
    for open in ["(", "!", "-", "min(", "(-", "!(", "a+(", "a&&("] {
        let error = parse(&open.repeat(MAX_EXPRESSION_BYTES / open.len())).unwrap_err();
        assert!(
            error.too_large || error.message.contains("ends"),
            "{open}: {error}"
        );
    }
    let sum = |terms: usize| vec!["1"; terms].join("+");
    assert!(parse(&sum(MAX_EXPRESSION_DEPTH)).is_ok());
    assert!(parse(&sum(MAX_EXPRESSION_DEPTH + 1)).unwrap_err().too_large);
    assert!(
        parse(&format!("a{}", ".x".repeat(2000)))
            .unwrap_err()
            .too_large
    );
    assert!(
        parse(&vec!["a"; 1000].join("&&")).is_ok(),
        "chains of conditions are flat"
    );
    assert!(
        parse(&" ".repeat(MAX_EXPRESSION_BYTES + 1))
            .unwrap_err()
            .too_large
    );
    let nested = format!(
        "{}a{}",
        "(".repeat(MAX_EXPRESSION_DEPTH),
        ")".repeat(MAX_EXPRESSION_DEPTH)
    );
    assert!(parse(&nested).is_ok());
    assert!(parse(&format!("({nested})")).unwrap_err().too_large);
}

fn name(text: &str, range: Range<usize>) -> Name {
    Name::new(text.to_owned(), Span::bytes(range))
}

#[test]
fn calls_take_literals_and_expressions() {
    let call = parse_call("Shout(3, 'hey', power: -1.5, vec2(1, -2.5), true)").unwrap();
    assert_eq!(call.name, name("Shout", 0..5));
    let values: Vec<_> = call
        .arguments
        .iter()
        .map(|argument| argument.value.literal().unwrap().value.clone())
        .collect();
    let expected = [
        Literal::Int(3),
        Literal::Text("hey".into()),
        Literal::Float(-1.5),
        Literal::Vector(vec![1.0, -2.5]),
        Literal::Bool(true),
    ];
    assert_eq!(values, expected);
    assert_eq!(call.arguments[2].name, Some(name("power", 16..21)));
    assert_eq!(call.arguments[2].value.span(), Span::bytes(23..27));
    let computed = parse_call("Shout(3, power: ammo * 2)").unwrap();
    assert_eq!(
        computed.arguments[1].value,
        ArgumentValue::Code(ExprSource::new("ammo * 2".into(), Span::bytes(16..24)))
    );
    assert!(parse_call("Patrol").unwrap().arguments.is_empty());
    assert!(parse_call("Patrol()").unwrap().arguments.is_empty());
    for bad in ["", "3", "Shout(3", "Shout(3) 4", "a = 3", "-x"] {
        assert!(parse_call(bad).is_err(), "{bad}");
    }
}

#[test]
fn actions_call_or_write() {
    assert!(
        matches!(parse_action("ai::Shout(3)").unwrap(), ActionText::Call(call) if call.name.value == "ai::Shout")
    );
    let ActionText::Set { key, value } = parse_action("health = max + 1").unwrap() else {
        panic!()
    };
    assert_eq!(
        (key, value.to_string(), value.range),
        (name("health", 0..6), "max + 1".into(), 9..16)
    );
    let ActionText::Add { key, value } = parse_action("ammo+=-1").unwrap() else {
        panic!()
    };
    assert_eq!(
        (key.value.as_str(), value.to_string()),
        ("ammo", "-1".into())
    );
    let ActionText::Add { value, .. } = parse_action("health -= a + b").unwrap() else {
        panic!()
    };
    assert_eq!(
        (value.to_string(), value.range),
        ("-(a + b)".into(), 10..15)
    );
    let ActionText::Set { value, .. } = parse_action("flag=!flag").unwrap() else {
        panic!()
    };
    assert_eq!(value.to_string(), "!flag");
    let tall = format!("a -= {}", vec!["1"; MAX_EXPRESSION_DEPTH].join("+"));
    assert!(parse_action(&tall).unwrap_err().too_large);
    let part = parse_action("foo.bar = 3").unwrap_err();
    assert_eq!(
        part.message,
        "only the whole of `foo` can be written, not a part of it"
    );
    assert!(part.help.is_some_and(|help| help.contains("`foo = vec2(")));
    for (bad, words) in [
        ("health == 3", "write `=`"),
        ("health =", "value is needed"),
        ("health = 3 4", "after the expression"),
        ("health * 2", "after the call"),
        ("", "an action is needed"),
        ("3 = 4", "starts with a name"),
        ("Shout(health +)", "where a value is needed"),
    ] {
        let error = parse_action(bad).unwrap_err();
        assert!(error.to_string().contains(words), "{bad}: {error}");
    }
}

#[test]
fn spans_follow_the_code_unless_it_was_escaped() {
    let code = ExprSource::new("Shout(3)".into(), Span::bytes(100..108));
    let (function, arguments) = parse_call(&code.value).unwrap().spanned(&code);
    assert_eq!(function.span, Span::bytes(100..105));
    assert!(
        matches!(arguments.as_slice(), [Argument { value, .. }] if value.span() == Span::bytes(106..107))
    );
    let escaped = ExprSource::new(code.value.clone(), Span::bytes(100..110));
    assert_eq!(
        parse_call(&code.value).unwrap().spanned(&escaped).0.span,
        Span::bytes(100..110)
    );
    let step = ExprSource::new(code.value.clone(), Span::step(3));
    assert_eq!(code_span(&step, 0..5), Span::step(3));
}
