//! Which transitions are taken, and what they leave and enter.

use crate::common::{check, check_start, scxml};

/// Two regions of two states each, with these transitions in the first state of the first region.
fn two_regions(transitions: &str) -> String {
    scxml(&format!(
        r#"<parallel id="p"><state id="r1"><state id="a">{transitions}</state><state id="b"/></state>
        <state id="r2"><state id="c"/><state id="d"/></state></parallel>"#
    ))
}

#[test]
fn the_first_in_document_order_wins_inside_a_state() {
    let text = scxml(
        r#"<state id="a"><transition event="*" target="b"/><transition event="e" target="c"/></state>
        <state id="b"/><state id="c"/>"#,
    );
    check(&text, &["e"], &["a | +a", "b | -a +b"]);
}

#[test]
fn the_inner_state_wins_unless_its_condition_fails() {
    let text = scxml(
        r#"<datamodel><data id="x" expr="1"/></datamodel>
        <state id="o"><transition event="e f" target="z"/><state id="a">
        <transition event="e" cond="x == 2" target="b"/><transition event="f" target="b"/></state>
        <state id="b"/></state><state id="z"/>"#,
    );
    check(&text, &["f"], &["a | +o +a", "b | -a +b"]);
    check(&text, &["e"], &["a | +o +a", "z | -a -o +z"]);
}

#[test]
fn external_from_a_composite_into_itself_leaves_it_and_internal_does_not() {
    let text = scxml(
        r#"<state id="o"><transition event="ext" target="b"/><transition event="int" target="b" type="internal"/>
        <state id="a"/><state id="b"/></state>"#,
    );
    check(&text, &["ext"], &["a | +o +a", "b | -a -o +o +b"]);
    check(&text, &["int"], &["a | +o +a", "b | -a +b"]);
}

#[test]
fn internal_from_a_parallel_is_external() {
    let text = scxml(
        r#"<parallel id="p"><transition event="e" target="b" type="internal"/>
        <state id="r1"><state id="a"/><state id="b"/></state><state id="r2"/></parallel>"#,
    );
    check(
        &text,
        &["e"],
        &["a r2 | +p +r1 +a +r2", "b r2 | -r2 -a -r1 -p +p +r1 +b +r2"],
    );
}

#[test]
fn internal_to_oneself_or_to_a_sibling_is_external() {
    let text = scxml(
        r#"<state id="o"><transition event="self" target="o" type="internal"/>
        <state id="a"><transition event="side" target="b" type="internal"/></state><state id="b"/></state>"#,
    );
    check(
        &text,
        &["self", "side"],
        &["a | +o +a", "a | -a -o +o +a", "b | -a +b"],
    );
}

#[test]
fn a_transition_to_an_enclosing_state_leaves_and_enters_it() {
    let text = scxml(
        r#"<state id="o"><state id="a"/><state id="b"><transition event="e" target="o"/></state>
        <transition event="f" target="b" type="internal"/></state>"#,
    );
    check(
        &text,
        &["f", "e"],
        &["a | +o +a", "b | -a +b", "a | -b -o +o +a"],
    );
}

#[test]
fn the_domain_is_never_a_parallel() {
    let all = "-c -r2 -a -r1 -p";
    let between = two_regions(r#"<transition event="e" target="d"/>"#);
    check(
        &between,
        &["e"],
        &[
            "a c | +p +r1 +a +r2 +c",
            &format!("a d | {all} +p +r1 +a +r2 +d"),
        ],
    );
    let root = two_regions(r#"<transition event="e" target="r1"/>"#);
    check(
        &root,
        &["e"],
        &[
            "a c | +p +r1 +a +r2 +c",
            &format!("a c | {all} +p +r1 +a +r2 +c"),
        ],
    );
}

#[test]
fn several_targets_lead_into_several_regions() {
    let text = two_regions(r#"<transition event="e" target="d b"/>"#);
    check(
        &text,
        &["e"],
        &[
            "a c | +p +r1 +a +r2 +c",
            "b d | -c -r2 -a -r1 -p +p +r1 +b +r2 +d",
        ],
    );
}

#[test]
fn a_transition_without_target_leaves_nothing() {
    let text = scxml(
        r#"<state id="o"><transition event="e"><log label="here"/></transition><state id="a"/></state>"#,
    );
    check(&text, &["e"], &["a | +o +a", "a | here"]);
}

#[test]
fn all_exits_come_before_all_contents_and_those_before_all_entries() {
    let text = scxml(
        r#"<parallel id="p">
        <state id="r1"><state id="a"><transition event="e" target="b"><log label="t1"/></transition></state><state id="b"/></state>
        <state id="r2"><state id="c"><transition event="e" target="d"><log label="t2"/></transition></state><state id="d"/></state>
        </parallel>"#,
    );
    check(
        &text,
        &["e"],
        &["a c | +p +r1 +a +r2 +c", "b d | -c -a t1 t2 +b +d"],
    );
}

#[test]
fn of_two_in_conflict_the_earlier_wins_unless_the_later_is_inside() {
    let text = scxml(
        r#"<parallel id="p"><transition event="f" target="z"/>
        <state id="r1"><state id="a"><transition event="e" target="y"/></state></state>
        <state id="r2"><state id="c"><transition event="e" target="z"/><transition event="f" target="d"/></state><state id="d"/></state>
        </parallel><state id="y"/><state id="z"/>"#,
    );
    check(
        &text,
        &["e"],
        &["a c | +p +r1 +a +r2 +c", "y | -c -r2 -a -r1 -p +y"],
    );
    check(&text, &["f"], &["a c | +p +r1 +a +r2 +c", "a d | -c +d"]);
}

#[test]
fn a_transition_found_by_two_leaves_is_taken_once() {
    let text = scxml(
        r#"<parallel id="p"><transition event="e"><log label="once"/></transition><state id="a"/><state id="b"/></parallel>"#,
    );
    check(&text, &["e"], &["a b | +p +a +b", "a b | once"]);
}

#[test]
fn a_transition_without_target_conflicts_with_none() {
    let text = scxml(
        r#"<parallel id="p"><state id="a"><transition event="e"><log label="t1"/></transition></state>
        <state id="b"><transition event="e" target="z"><log label="t2"/></transition></state></parallel><state id="z"/>"#,
    );
    check(&text, &["e"], &["a b | +p +a +b", "z | -b -a -p t1 t2 +z"]);
}

#[test]
fn conditions_see_the_configuration_before_the_microstep() {
    let text = scxml(
        r#"<parallel id="p">
        <state id="r1"><state id="a"><transition event="e" target="b"/></state><state id="b"/></state>
        <state id="r2"><state id="c"><transition event="e" cond="In('b')" target="d"/></state><state id="d"/></state>
        </parallel>"#,
    );
    check(
        &text,
        &["e", "e"],
        &["a c | +p +r1 +a +r2 +c", "b c | -a +b", "b d | -c +d"],
    );
}

#[test]
fn eventless_transitions_follow_at_once_also_on_composites() {
    let text = scxml(
        r#"<state id="o"><transition cond="In('b')" target="z"/><state id="a"><transition target="b"/></state>
        <state id="b"/></state><state id="z"/>"#,
    );
    check_start(&text, "z | +o +a -a +b -b -o +z");
}

#[test]
fn eventless_come_before_internal_and_internal_before_external_events() {
    let text = scxml(
        r#"<datamodel><data id="x" expr="0"/></datamodel>
        <state id="a"><onentry><send event="out"/><raise event="in"/></onentry>
        <transition cond="x == 0"><assign location="x" expr="1"/><log label="none"/></transition>
        <transition event="in"><log label="in"/></transition><transition event="out"><log label="out"/></transition></state>"#,
    );
    check_start(&text, "a | +a >out ^in none in out");
}

#[test]
fn a_macrostep_without_end_is_reported() {
    check_start(
        &scxml(
            r#"<state id="a"><transition target="b"/></state><state id="b"><transition target="a"/></state>"#,
        ),
        "endless",
    );
    let forever = r#"<state id="a"><transition event="e" target="a"/><onentry><send event="e"/></onentry></state>"#;
    check_start(&scxml(forever), "endless");
    let long = r#"<datamodel><data id="x" expr="0"/></datamodel>
        <state id="a"><transition cond="x &lt; 256"><assign location="x" expr="x + 1"/></transition></state>"#;
    check_start(&scxml(long), "a | +a");
    check_start(&scxml(&long.replace("256", "257")), "endless");
}
