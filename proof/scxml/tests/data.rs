//! Data, expressions, `if`, and what is refused.

use crate::common::{check, check_start, scxml};
use statewright_scxml_oracle::{Document, Interpreter, Value};

/// What an integer, boolean or string expression is worth.
#[track_caller]
fn worth(expr: &str, expected: &str) {
    let expr = expr.replace('&', "&amp;").replace('<', "&lt;");
    let text = scxml(&format!(
        r#"<datamodel><data id="x" expr="7"/><data id="big" expr="2147483647"/><data id="least" expr="-2147483648"/>
        <data id="yes" expr="true"/><data id="word">'red'</data></datamodel>
        <state id="a"><onentry><log label="=" expr="{expr}"/></onentry></state><state id="b"/>"#
    ));
    check_start(&text, &format!("a | +a =={expected}"));
}

#[test]
fn arithmetic_binds_like_ecmascript_and_wraps() {
    worth("1 + 2 * 3 - 4", "3");
    worth("(1 + 2) * -3", "-9");
    worth("10 - 3 - 2", "5");
    worth("-x - -1", "-6");
    worth("big + 1", "-2147483648");
    worth("-least", "-2147483648");
    worth("big * 2", "-2");
}

#[test]
fn comparisons_and_logic_bind_like_ecmascript() {
    worth("1 < 2 == true", "true");
    worth("x >= 7 && x <= 7 && !(x != 7)", "true");
    worth("true || false && false", "true");
    worth("x === 7 && x !== 8", "true");
    worth("word == 'red'", "true");
    worth("word != 'red' || !yes", "false");
    worth("In('a') && !In('b')", "true");
    worth("word", "'red'");
}

#[test]
fn assignments_are_seen_at_once_and_the_first_part_that_holds_runs() {
    let text = scxml(
        r#"<datamodel><data id="x" expr="0"/></datamodel><state id="a"><transition event="e">
        <assign location="x" expr="x + 1"/>
        <if cond="x == 1"><log label="one"/><elseif cond="x &lt;= 2"/><log label="two" expr="x"/><else/>
        <if cond="x == 3"><log label="three"/></if><log label="more"/></if></transition></state>"#,
    );
    check(
        &text,
        &["e", "e", "e", "e"],
        &[
            "a | +a",
            "a | one",
            "a | two=2",
            "a | three more",
            "a | more",
        ],
    );
}

#[test]
fn data_of_states_exist_from_the_start_and_can_be_read() {
    let text = scxml(
        r#"<state id="a"/><state id="b"><datamodel><data id="x" expr="2 * 3"/></datamodel></state>"#,
    );
    let document = Document::parse(&text).unwrap();
    let mut run = Interpreter::new(&document);
    run.start();
    assert_eq!(run.value("x"), Some(&Value::Integer(6)));
    assert_eq!(run.value("y"), None);
}

#[test]
fn what_is_not_understood_is_refused_with_its_place() {
    let cases = [
        (
            r#"<state id="a"/><state id="a"/>"#,
            "the id `a` is used twice",
        ),
        (
            r#"<state id="a"><transition event="e" target="b"/></state>"#,
            "no state has the id `b`",
        ),
        (
            r#"<state id="a"><transition/></state>"#,
            "needs an event, a condition or a target",
        ),
        (
            r#"<state id="a"><history id="h"/><state id="b"/></state>"#,
            "a history needs one transition",
        ),
        (
            r#"<state id="a" initial="b"><state id="c"/></state><state id="b"/>"#,
            "must name states inside",
        ),
        (
            r#"<state id="a"><transition event="e" target="b c"/></state><state id="b"/><state id="c"/>"#,
            "entered together",
        ),
        (
            r#"<state id="a"><transition event="e" target="a b"/><state id="b"/></state>"#,
            "entered together",
        ),
        (
            r#"<parallel id="p"><final id="f"/></parallel>"#,
            "cannot stand here",
        ),
        (
            r#"<state id="a"><onentry><script>x()</script></onentry></state>"#,
            "no function that can be called",
        ),
        (r#"<state id="a"><invoke/></state>"#, "not supported here"),
        (
            r#"<state id="a"><transition cond="x" target="a"/></state>"#,
            "no data has the id `x`",
        ),
        (
            r#"<state id="a"><transition cond="1 + 1" target="a"/></state>"#,
            "must be a boolean, not an integer",
        ),
        (
            r#"<state id="a"><transition cond="1 == 'x'" target="a"/></state>"#,
            "takes an integer, not a string",
        ),
        (
            r#"<state id="a"><transition cond="In('q')" target="a"/></state>"#,
            "no state has the id `q`",
        ),
        (
            r#"<state id="a"><transition cond="(true" target="a"/></state>"#,
            "`)` is missing",
        ),
        (
            r#"<state id="a"><transition cond="true true" target="a"/></state>"#,
            "is too much",
        ),
        (
            r#"<state id="a"><transition event="a..b" target="a"/></state>"#,
            "is no event descriptor",
        ),
        (
            r#"<state id="a"><onentry><send event="e" delay="0.5ms"/></onentry></state>"#,
            "no delay",
        ),
        (
            r#"<state id="a"><onentry><send event="e" target="x"/></onentry></state>"#,
            "`target` is not supported",
        ),
        (
            r#"<datamodel><data id="x" expr="2147483648"/></datamodel><state id="a"/>"#,
            "too large",
        ),
        (
            r#"<datamodel><data id="x"/></datamodel><state id="a"/>"#,
            "something is missing",
        ),
        ("", "there are no states"),
        ("<state>", "expected 'state' tag"),
    ];
    for (inside, expected) in cases {
        let error = Document::parse(&scxml(inside)).expect_err(inside);
        assert!(
            error.contains(expected),
            "{inside}\n  gave {error}\n  not {expected}"
        );
    }
    let error =
        Document::parse("<scxml>\n  <state id='a'>\n    <invoke/></state></scxml>").unwrap_err();
    assert_eq!(error, "3:5: <invoke>: this element is not supported here");
}

#[test]
fn deep_nesting_is_refused_not_a_crash() {
    let states = "<state>".repeat(5000) + &"</state>".repeat(5000);
    assert!(Document::parse(&scxml(&states)).is_err());
    let ifs = "<if cond='true'>".repeat(2000) + &"</if>".repeat(2000);
    assert!(Document::parse(&scxml(&format!("<state><onentry>{ifs}</onentry></state>"))).is_err());
    let brackets = format!(
        "<state id='a'><transition cond='{}true' target='a'/></state>",
        "(".repeat(100_000)
    );
    assert!(Document::parse(&scxml(&brackets)).is_err());
}
