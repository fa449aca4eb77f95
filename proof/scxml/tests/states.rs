//! Entering and leaving states: initial, order, onentry and onexit, ends.

use crate::common::{check, check_start, scxml, with};

#[test]
fn the_first_child_is_initial_if_nothing_is_said() {
    check_start(
        &scxml(r#"<state id="a"><state id="a1"/><state id="a2"/></state><state id="b"/>"#),
        "a1 | +a +a1",
    );
}

#[test]
fn an_initial_attribute_names_a_deep_state() {
    let text = with(
        r#"initial="b2""#,
        r#"<state id="a"/><state id="b"><state id="b1"/><state id="b2"/></state>"#,
    );
    check_start(&text, "b2 | +b +b2");
}

#[test]
fn an_initial_attribute_names_several_states_and_the_rest_is_default() {
    let inside = r#"<state id="a"/><parallel id="p">
        <state id="r1"><state id="r1a"/><state id="r1b"/></state>
        <state id="r2"><state id="r2a"/><state id="r2b"/></state>
        <state id="r3"><state id="r3a"/><state id="r3b"/></state></parallel>"#;
    check_start(
        &with(r#"initial="r3b r1b""#, inside),
        "r1b r2a r3b | +p +r1 +r1b +r2 +r2a +r3 +r3b",
    );
}

#[test]
fn initial_content_runs_after_onentry_and_before_the_children() {
    let text = scxml(
        r#"<state id="a"><onentry><log label="enter"/></onentry>
        <initial><transition target="deep"><log label="initial"/></transition></initial>
        <state id="a1"><onentry><log label="a1"/></onentry><state id="deep"/></state></state>"#,
    );
    check_start(&text, "deep | +a enter initial +a1 a1 +deep");
}

#[test]
fn initial_content_is_skipped_when_a_child_is_the_target() {
    let text = scxml(
        r#"<state id="z"><transition event="e" target="a2"/></state><state id="a">
        <initial><transition target="a1"><log label="initial"/></transition></initial>
        <state id="a1"/><state id="a2"/></state>"#,
    );
    check(&text, &["e"], &["z | +z", "a2 | -z +a +a2"]);
}

#[test]
fn blocks_run_in_document_order_and_states_from_the_outside_in_and_back() {
    let text = scxml(
        r#"<state id="a"><transition event="e" target="b"/>
        <onentry><log label="1"/></onentry><onentry><log label="2"/><log label="3"/></onentry>
        <onexit><log label="4"/></onexit><onexit><log label="5"/></onexit>
        <state id="a1"><onexit><log label="6"/></onexit></state></state><state id="b"/>"#,
    );
    check(&text, &["e"], &["a1 | +a 1 2 3 +a1", "b | 6 -a1 4 5 -a +b"]);
}

#[test]
fn regions_are_left_in_reverse_document_order() {
    let text = scxml(
        r#"<parallel id="p"><transition event="e" target="z"/>
        <state id="r1"><state id="r1a"/></state><state id="r2"><state id="r2a"/></state></parallel><state id="z"/>"#,
    );
    check(
        &text,
        &["e"],
        &[
            "r1a r2a | +p +r1 +r1a +r2 +r2a",
            "z | -r2a -r2 -r1a -r1 -p +z",
        ],
    );
}

#[test]
fn a_top_level_final_ends_everything_and_its_exit_runs() {
    let text = scxml(
        r#"<state id="a"><onexit><log label="bye"/></onexit>
        <transition event="e" target="f"><raise event="late"/></transition></state>
        <final id="f"><onentry><log label="in"/></onentry><onexit><log label="out"/></onexit></final>"#,
    );
    check(
        &text,
        &["e", "e"],
        &[
            "a | +a",
            "ended f | bye -a ^late +f in out -f",
            "ended f | ",
        ],
    );
}

#[test]
fn states_without_ids_are_counted_in_document_order() {
    check_start(
        &scxml("<state><state/><state/></state>"),
        "(state 2) | +(state 1) +(state 2)",
    );
}

#[test]
fn in_holds_from_before_onentry_until_after_onexit() {
    let look = r#"<if cond="In('a')"><log label="in"/><else/><log label="out"/></if>"#;
    let text = scxml(&format!(
        r#"<state id="o"><state id="a"><onentry>{look}</onentry><onexit>{look}</onexit>
        <transition event="e" target="b">{look}</transition></state>
        <state id="b"><onentry>{look}</onentry></state><onexit>{look}</onexit></state>"#
    ));
    check(&text, &["e"], &["a | +o +a in", "b | in -a out +b out"]);
}

#[test]
fn a_parent_is_still_active_while_its_child_leaves() {
    let text = scxml(
        r#"<state id="o"><transition event="e" target="z"/>
        <state id="a"><onexit><if cond="In('o') &amp;&amp; In('a')"><log label="both"/></if></onexit></state>
        <onexit><if cond="!In('a')"><log label="alone"/></if></onexit></state><state id="z"/>"#,
    );
    check(&text, &["e"], &["a | +o +a", "z | both -a alone -o +z"]);
}
