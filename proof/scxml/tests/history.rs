//! Histories: what they record, when, and what they lead to.

use crate::common::{check, check_start, scxml};

/// A composite with two levels and this history, left by `out` and entered by `back`.
fn nested(history: &str) -> String {
    scxml(&format!(
        r#"<state id="o"><transition event="out" target="z"/>{history}
        <state id="a"/><state id="b"><state id="b1"/><state id="b2"/></state>
        <transition event="go" target="b2" type="internal"/></state>
        <state id="z"><transition event="back" target="h"/></state>"#
    ))
}

#[test]
fn a_shallow_history_restores_the_child_and_a_deep_one_the_leaves() {
    let shallow = nested(r#"<history id="h"><transition target="a"/></history>"#);
    let deep = nested(r#"<history id="h" type="deep"><transition target="a"/></history>"#);
    let begin = ["a | +o +a", "b2 | -a +b +b2", "z | -b2 -b -o +z"];
    check(
        &shallow,
        &["go", "out", "back"],
        &[begin[0], begin[1], begin[2], "b1 | -z +o +b +b1"],
    );
    check(
        &deep,
        &["go", "out", "back"],
        &[begin[0], begin[1], begin[2], "b2 | -z +o +b +b2"],
    );
}

#[test]
fn the_default_applies_before_anything_is_recorded_and_its_content_runs_after_onentry() {
    let text = scxml(
        r#"<state id="z"><transition event="back" target="h"><log label="t"/></transition></state>
        <state id="o"><onentry><log label="enter"/></onentry>
        <initial><transition target="a"><log label="initial"/></transition></initial>
        <history id="h" type="deep"><transition target="b"><log label="default"/></transition></history>
        <state id="a"/><state id="b"><transition event="out" target="z"/></state></state>"#,
    );
    let first = "b | -z t +o enter default +b";
    check(
        &text,
        &["back", "out", "back"],
        &["z | +z", first, "z | -b -o +z", "b | -z t +o enter +b"],
    );
}

#[test]
fn an_initial_that_leads_to_a_history_runs_both_contents() {
    let text = scxml(
        r#"<state id="o"><initial><transition target="h"><log label="initial"/></transition></initial>
        <history id="h"><transition target="b"><log label="default"/></transition></history>
        <state id="a"/><state id="b"/></state>"#,
    );
    check_start(&text, "b | +o initial default +b");
}

#[test]
fn default_content_is_not_run_if_the_parent_is_not_entered() {
    let text = scxml(
        r#"<state id="o"><history id="h"><transition target="b"><log label="default"/></transition></history>
        <state id="a"><transition event="e" target="h"/></state><state id="b"/></state>"#,
    );
    check(&text, &["e"], &["a | +o +a", "b | -a +b"]);
}

#[test]
fn it_is_recorded_before_any_exit_and_kept_until_overwritten() {
    let text = scxml(
        r#"<parallel id="p"><transition event="out" target="z"/>
        <history id="h" type="deep"><transition target="r1"/></history>
        <state id="r1"><state id="a"><transition event="e" target="b"/></state><state id="b"/></state>
        <state id="r2"><state id="c"><transition event="f" target="d"/></state><state id="d"/></state></parallel>
        <state id="z"><transition event="back" target="h"/><transition event="fresh" target="p"/></state>"#,
    );
    let start = "a c | +p +r1 +a +r2 +c";
    let restored = "b c | -z +p +r1 +b +r2 +c";
    check(
        &text,
        &["e", "out", "back", "out", "back"],
        &[
            start,
            "b c | -a +b",
            "z | -c -r2 -b -r1 -p +z",
            restored,
            "z | -c -r2 -b -r1 -p +z",
            restored,
        ],
    );
    check(
        &text,
        &["e", "out", "fresh", "f", "out", "back"],
        &[
            start,
            "b c | -a +b",
            "z | -c -r2 -b -r1 -p +z",
            "a c | -z +p +r1 +a +r2 +c",
            "a d | -c +d",
            "z | -d -r2 -a -r1 -p +z",
            "a d | -z +p +r1 +a +r2 +d",
        ],
    );
}

#[test]
fn a_state_that_leaves_itself_to_its_history_comes_back_to_what_it_just_left() {
    let text = scxml(
        r#"<state id="o"><transition event="again" target="h"/><history id="h"><transition target="a"/></history>
        <state id="a"><transition event="e" target="b"/></state><state id="b"/></state>"#,
    );
    check(
        &text,
        &["e", "again"],
        &["a | +o +a", "b | -a +b", "b | -b -o +o +b"],
    );
}

#[test]
fn several_histories_of_a_state_record_each_in_its_way() {
    let both = r#"<history id="h"><transition target="a"/></history><history id="g" type="deep"><transition target="a"/></history>"#;
    let text = nested(both).replace(
        r#"target="h"/>"#,
        r#"target="h"/><transition event="deep" target="g"/>"#,
    );
    check(
        &text,
        &["go", "out", "deep"],
        &[
            "a | +o +a",
            "b2 | -a +b +b2",
            "z | -b2 -b -o +z",
            "b2 | -z +o +b +b2",
        ],
    );
}

#[test]
fn joint_histories_of_regions_are_restored_together() {
    let text = scxml(
        r#"<parallel id="p"><transition event="out" target="z"/>
        <state id="r1"><history id="h1"><transition target="a"/></history>
            <state id="a"><transition event="e" target="b"/></state><state id="b"/></state>
        <state id="r2"><history id="h2"><transition target="d"><log label="default"/></transition></history>
            <state id="c"/><state id="d"/></state></parallel>
        <state id="z"><transition event="back" target="h2 h1"/></state>"#,
    );
    let left = "z | -c -r2 -b -r1 -p +z";
    check(
        &text,
        &["e", "out", "back"],
        &[
            "a c | +p +r1 +a +r2 +c",
            "b c | -a +b",
            left,
            "b c | -z +p +r1 +b +r2 +c",
        ],
    );
    let fresh = text.replace(
        "<parallel",
        r#"<state id="y"><transition event="back" target="h2 h1"/></state><parallel"#,
    );
    check(
        &fresh,
        &["back"],
        &["y | +y", "a d | -y +p +r1 +a +r2 default +d"],
    );
}

#[test]
fn a_final_child_is_recorded_like_any_other() {
    let text = scxml(
        r#"<state id="o"><transition event="out" target="z"/><history id="h"><transition target="a"/></history>
        <state id="a"><transition event="e" target="f"/></state><final id="f"/></state>
        <state id="z"><transition event="back" target="h"/></state>"#,
    );
    let done = "^done.state.o";
    check(
        &text,
        &["e", "out", "back"],
        &[
            "a | +o +a",
            &format!("f | -a +f {done}"),
            "z | -f -o +z",
            &format!("f | -z +o +f {done}"),
        ],
    );
}

#[test]
fn a_recorded_history_decides_the_domain() {
    let text = scxml(
        r#"<state id="o"><transition event="out" target="z"/>
        <history id="h" type="deep"><transition target="c"/></history>
        <state id="m"><state id="a"><transition event="e" target="h"/></state><state id="b"/></state>
        <state id="c"><transition event="e" target="a"/></state></state>
        <state id="z"><transition event="back" target="o"/></state>"#,
    );
    check(&text, &["e"], &["a | +o +m +a", "c | -a -m +c"]);
    check(
        &text,
        &["out", "back", "e"],
        &[
            "a | +o +m +a",
            "z | -a -m -o +z",
            "a | -z +o +m +a",
            "a | -a +a",
        ],
    );
    let beside = scxml(
        r#"<state id="o"><history id="h" type="deep"><transition target="b"/></history>
        <parallel id="p"><state id="r1"><state id="a"><transition event="e" target="h"/></state><state id="b"/></state>
        <state id="r2"><state id="c"><transition event="f" target="d"/></state><state id="d"/></state></parallel></state>"#,
    );
    check(
        &beside,
        &["f", "e"],
        &["a c | +o +p +r1 +a +r2 +c", "a d | -c +d", "b d | -a +b"],
    );
}
