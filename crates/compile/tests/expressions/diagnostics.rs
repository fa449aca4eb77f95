//! What is said about expressions that are wrong: code, span, words.

use statewright_author::diagnostic::Diagnostics;
use statewright_author::graph::{ExprSource, Payload};
use statewright_author::span::Span;
use statewright_author::value::ValueType;
use statewright_compile::expr::{Expected, compile_code};

use crate::scope::TestScope;

/// One line per problem: code, bytes of the text, message, help.
fn summary(diagnostics: &Diagnostics) -> Vec<String> {
    let line = |d: &statewright_author::diagnostic::Diagnostic| {
        let text = &d.message;
        let help = d
            .help
            .as_ref()
            .map_or(String::new(), |help| format!(" ({help})"));
        format!(
            "{} {}..{} {text}{help}",
            d.code.info().id,
            d.span.start - 100,
            d.span.end - 100
        )
    };
    diagnostics.iter().map(line).collect()
}

#[track_caller]
fn says(source: &str, expected: Expected, lines: &[&str]) {
    let (compiled, diagnostics) = TestScope::default().compile(source, expected);
    assert_eq!(summary(&diagnostics), lines, "{source}");
    assert_eq!(compiled.is_none(), diagnostics.has_errors());
}

#[track_caller]
fn guard(source: &str, lines: &[&str]) {
    says(source, Expected::Bool, lines);
}

#[test]
fn sw0601_and_sw0604_come_from_the_reader() {
    guard(
        "health and fleeing",
        &["SW0601 7..10 `and` is not an operator (write `&&`)"],
    );
    let deep = "(".repeat(100);
    let help = "split it: use several guards, or compute a part into a blackboard key";
    guard(
        &deep,
        &[&format!(
            "SW0604 64..65 the expression is nested more than 64 deep ({help})"
        )],
    );
}

#[test]
fn sw0602_names_both_types_and_all_problems_at_once() {
    guard(
        "health + fleeing > 3 && target < leader && kind == 3",
        &[
            "SW0602 0..16 `+` does not take i32 and bool (write `select(flag, 1, 0)` for a number)",
            "SW0602 24..39 `<` does not take entity and entity (only `==` and `!=` compare these)",
            "SW0602 43..52 `==` does not take symbol and i32 (a symbol is compared with a quoted text: `kind == 'orc'`)",
        ],
    );
    let (_, diagnostics) = TestScope::default().compile("aim * position", Expected::AnyType);
    let only = diagnostics.iter().next().unwrap();
    assert_eq!(
        only.related
            .iter()
            .map(|label| label.text.as_str())
            .collect::<Vec<_>>(),
        ["this is vec2", "this is vec3"]
    );
    assert_eq!(only.related[1].span, Span::bytes(106..114));
}

#[test]
fn sw0602_suggests_what_to_write() {
    guard(
        "health",
        &[
            "SW0602 0..6 a condition must be bool, not i32 (compare it: write `health != 0` or `health > 0`)",
        ],
    );
    guard(
        "!ammo && fleeing",
        &[
            "SW0602 1..5 the operand of `!` must be bool, not i32 (compare it: write `ammo != 0` or `ammo > 0`)",
        ],
    );
    guard(
        "fleeing == 1",
        &[
            "SW0602 0..12 `==` does not take bool and i32 (a truth value stands alone: write `flag` or `!flag`)",
        ],
    );
    guard(
        "aim < offset",
        &[
            "SW0602 0..12 `<` does not take vec2 and vec2 (compare `length_squared(v)` or a component such as `v.x`)",
        ],
    );
    guard(
        "health < 3000000000",
        &["SW0602 9..19 3000000000 does not fit i32 (write `3000000000.0` for an f32)"],
    );
    guard("aim.z > 0", &["SW0602 4..5 vec2 has no field `z`"]);
    guard("health.x > 0", &["SW0602 7..8 i32 has no field `x`"]);
    guard(
        "select(fleeing, kind, aim) == kind",
        &["SW0602 0..26 `select` needs one type, not symbol and vec2"],
    );
    guard(
        "dot(aim, home) > -kind",
        &[
            "SW0602 0..14 `dot` needs one type, not vec2 and vec3",
            "SW0602 18..22 the operand of `-` must be a number or a vector, not symbol",
        ],
    );
    says(
        "speed",
        Expected::Type(ValueType::I32),
        &[
            "SW0602 0..5 the value must be i32, not f32 (write `i32(speed)`, which rounds toward zero)",
        ],
    );
    says("health + 1", Expected::Type(ValueType::F32), &[]);
    says("health", Expected::F32, &[]);
    says(
        "fleeing",
        Expected::F32,
        &["SW0602 0..7 the value must be f32, not bool (write `select(flag, 1, 0)`)"],
    );
}

#[test]
fn sw0603_suggests_names() {
    guard(
        "helth < 30",
        &["SW0603 0..5 `helth` is not a blackboard key or a parameter (did you mean `health`?)"],
    );
    let help = "add `\"xyzzy\": \"i32\"` to `\"blackboard\"`, or a value to `\"parameters\"`; a text needs quotes: `'xyzzy'`";
    guard(
        "xyzzy < 30",
        &[&format!(
            "SW0603 0..5 `xyzzy` is not a blackboard key or a parameter ({help})"
        )],
    );
    guard(
        "mni(health, 3) < 2",
        &["SW0603 0..3 there is no function `mni` that gives a value (did you mean `min`?)"],
    );
    guard("in(comabt)", &["SW0101 3..9 no such state"]);
    guard("HasAmmo", &[]);
}

#[test]
fn sw0604_too_large_for_a_rom() {
    let wide = |depth: usize| format!("{}1{}", "health+(".repeat(depth), ")".repeat(depth));
    assert!(
        TestScope::default()
            .compile(&wide(31), Expected::AnyType)
            .0
            .is_some()
    );
    says(
        &wide(32),
        Expected::AnyType,
        &[
            "SW0604 0..289 the expression needs 33 stack words, at most 32 fit (split it: use several guards, or compute a part into a blackboard key)",
        ],
    );
    let long = vec!["health<9"; 400].join("||");
    let (compiled, diagnostics) = TestScope::default().compile(&long, Expected::Bool);
    assert!(
        compiled.is_none() && summary(&diagnostics)[0].contains("1599 instructions"),
        "{diagnostics:?}"
    );
    let nested = |depth: usize| format!("{}C{}", "A||(B&&!(".repeat(depth), "))".repeat(depth));
    let (compiled, diagnostics) = TestScope::default().compile(&nested(17), Expected::Bool);
    assert!(
        compiled.is_none() && summary(&diagnostics)[0].contains("nested 34 deep"),
        "{diagnostics:?}"
    );
    assert!(
        TestScope::default()
            .compile(&nested(16), Expected::Bool)
            .0
            .is_some()
    );
}

#[test]
fn sw0605_constant_conditions() {
    guard(
        "true",
        &["SW0605 0..4 this condition is always true (leave the condition out)"],
    );
    guard(
        "fleeing && 1 > 2",
        &["SW0605 0..16 this condition is always false (leave out what depends on it)"],
    );
    guard("HasAmmo && false", &[]);
    says("true", Expected::Type(ValueType::Bool), &[]);
}

#[test]
fn sw0606_and_sw0602_about_payloads() {
    let help = "read it in the `if` or `do` of a transition on an event that declares a `payload`";
    for source in ["event > 3", "event.x > 3"] {
        guard(
            source,
            &[&format!("SW0606 0..5 `event` cannot be read here ({help})")],
        );
    }
    for (payload, source, words) in [
        (Payload::U64, "event > 3", "no type"),
        (Payload::Bytes(12), "event > 3", "no type"),
        (Payload::Vec4, "event == aim", "no type"),
        (Payload::Vec4, "event.q > 1", "vec4 has no field `q`"),
        (Payload::U32, "event.x > 1", "i32 has no field `x`"),
    ] {
        let (compiled, diagnostics) =
            TestScope::with_payload(payload).compile(source, Expected::Bool);
        assert!(compiled.is_none());
        let lines = summary(&diagnostics);
        assert!(
            lines.len() == 1 && lines[0].starts_with("SW0602") && lines[0].contains(words),
            "{lines:?}"
        );
    }
}

#[test]
fn sw0607_division_by_a_literal_zero() {
    guard(
        "health / 0 > 1",
        &["SW0607 9..10 a division by zero (divide by another number)"],
    );
    guard(
        "speed % (1 - 1) > 1",
        &["SW0607 8..15 a division by zero (divide by another number)"],
    );
    says(
        "aim / 0.0",
        Expected::AnyType,
        &["SW0607 6..9 a division by zero (divide by another number)"],
    );
}

#[test]
fn sw0608_arguments() {
    guard(
        "min(health) < 3",
        &["SW0608 0..11 `min` takes 2 arguments, 1 given (write `min(a, b)`)"],
    );
    guard(
        "min(a: health, 2) < 3",
        &["SW0608 4..5 the arguments of `min` have no names"],
    );
    guard(
        "random(1) > 0",
        &["SW0608 0..9 `random` takes no arguments or 2, 1 given (write `random(a, b)`)"],
    );
    guard(
        "curve(speed, 4) > 0",
        &[
            "SW0608 0..15 `curve` takes a number and 1 to 15 points, 2 given (write `curve(x, x0, y0, x1, y1)`)",
        ],
    );
    guard(
        "curve(speed, 4, 1, 4, 2) > 1",
        &[
            "SW0608 19..20 the points of a curve must stand from left to right (sort the points by their first number: `curve(x, 0, 1, 10, 0)`)",
        ],
    );
}

#[test]
fn escaped_text_is_marked_as_a_whole() {
    let code = ExprSource::new("kind == \"orc".into(), Span::bytes(100..114));
    let mut diagnostics = Diagnostics::default();
    assert!(
        compile_code(
            &code,
            Expected::Bool,
            &mut TestScope::default(),
            &mut diagnostics
        )
        .is_none()
    );
    assert_eq!(diagnostics.iter().next().unwrap().span, code.span);
}
