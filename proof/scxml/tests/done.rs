//! Done events: of which states, when, in which order.

use crate::common::{check, check_start, scxml};

#[test]
fn entering_a_final_raises_the_done_event_of_its_parent_after_its_onentry() {
    let text = scxml(
        r#"<state id="o"><transition event="done.state.o" target="z"/><state id="a"><transition event="e" target="f"/></state>
        <final id="f"><onentry><raise event="mine"/></onentry></final></state><state id="z"/>"#,
    );
    check(
        &text,
        &["e"],
        &["a | +o +a", "z | -a +f ^mine ^done.state.o -f -o +z"],
    );
}

#[test]
fn done_events_match_by_beginning_and_are_heard_by_any_active_state() {
    let text = scxml(
        r#"<parallel id="p"><state id="r1"><final id="f"/></state>
        <state id="r2"><state id="a"><transition event="done.state" target="b"/></state><state id="b"/></state></parallel>"#,
    );
    check_start(&text, "f b | +p +r1 +f ^done.state.r1 +r2 +a -a +b");
}

#[test]
fn a_parallel_is_done_when_all_its_children_are() {
    let text = scxml(
        r#"<parallel id="p"><transition event="done.state.p" target="z"/>
        <state id="r1"><state id="a"><transition event="e" target="f1"/></state><final id="f1"/></state>
        <state id="r2"><state id="b"><transition event="g" target="f2"/></state><final id="f2"/></state></parallel><state id="z"/>"#,
    );
    check(
        &text,
        &["e", "g"],
        &[
            "a b | +p +r1 +a +r2 +b",
            "f1 b | -a +f1 ^done.state.r1",
            "z | -b +f2 ^done.state.r2 ^done.state.p -f2 -r2 -f1 -r1 -p +z",
        ],
    );
}

#[test]
fn two_regions_done_in_one_microstep_make_the_parallel_done_once() {
    let text = scxml(
        r#"<parallel id="p">
        <state id="r1"><state id="a"><transition event="e" target="f1"/></state><final id="f1"/></state>
        <state id="r2"><state id="b"><transition event="e" target="f2"/></state><final id="f2"/></state></parallel>"#,
    );
    let together = "f1 f2 | -b -a +f1 ^done.state.r1 +f2 ^done.state.r2 ^done.state.p";
    check(&text, &["e"], &["a b | +p +r1 +a +r2 +b", together]);
}

#[test]
fn done_goes_up_through_nested_parallels() {
    let text = scxml(
        r#"<parallel id="p"><parallel id="q"><state id="r1"><final id="f1"/></state><state id="r2"><final id="f2"/></state></parallel>
        <state id="r3"><state id="a"><transition event="e" target="f3"/></state><final id="f3"/></state></parallel>"#,
    );
    let start =
        "f1 f2 a | +p +q +r1 +f1 ^done.state.r1 +r2 +f2 ^done.state.r2 ^done.state.q +r3 +a";
    check(
        &text,
        &["e"],
        &[start, "f1 f2 f3 | -a +f3 ^done.state.r3 ^done.state.p"],
    );
    let inner_last = scxml(
        r#"<parallel id="p"><state id="r3"><final id="f3"/></state>
        <parallel id="q"><state id="r1"><final id="f1"/></state><state id="r2"><final id="f2"/></state></parallel></parallel>"#,
    );
    let start = "+p +r3 +f3 ^done.state.r3 +q +r1 +f1 ^done.state.r1 +r2 +f2 ^done.state.r2 ^done.state.q ^done.state.p";
    check_start(&inner_last, &format!("f3 f1 f2 | {start}"));
}

#[test]
fn a_compound_around_a_done_parallel_is_not_done() {
    let text = scxml(
        r#"<state id="o"><parallel id="p"><state id="r1"><final id="f1"/></state><state id="r2"><final id="f2"/></state></parallel></state>"#,
    );
    check_start(
        &text,
        "f1 f2 | +o +p +r1 +f1 ^done.state.r1 +r2 +f2 ^done.state.r2 ^done.state.p",
    );
}

#[test]
fn a_parallel_with_an_atomic_child_is_never_done() {
    let text = scxml(
        r#"<parallel id="p"><state id="r1"><final id="f1"/></state><state id="r2"/></parallel>"#,
    );
    check_start(&text, "f1 r2 | +p +r1 +f1 ^done.state.r1 +r2");
}

#[test]
fn states_around_a_final_still_listen() {
    let text = scxml(
        r#"<state id="o"><transition event="e" target="a"/><final id="f"/><state id="a"/></state>"#,
    );
    check(
        &text,
        &["e"],
        &["f | +o +f ^done.state.o", "a | -f -o +o +a"],
    );
}
