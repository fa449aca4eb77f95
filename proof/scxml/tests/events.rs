//! Event names, the queues, time.

use crate::common::{check, check_start, scxml};

/// A state that says which of two transitions a name takes: `hit`, or `miss` for all others.
fn listen(descriptors: &str) -> String {
    scxml(&format!(
        r#"<state id="a"><transition event="{descriptors}"><log label="hit"/></transition>
        <transition event="*"><log label="miss"/></transition></state>"#
    ))
}

#[track_caller]
fn matches(descriptors: &str, event: &str, expected: bool) {
    check(
        &listen(descriptors),
        &[event],
        &["a | +a", if expected { "a | hit" } else { "a | miss" }],
    );
}

#[test]
fn a_descriptor_is_a_beginning_of_whole_tokens() {
    matches("foo", "foo", true);
    matches("foo", "foo.bar.baz", true);
    matches("foo", "foobar", false);
    matches("foo.bar", "foo", false);
    matches("foo.bar", "foo.barn", false);
    matches("foo", "Foo", false);
}

#[test]
fn wildcards_at_the_end_add_nothing_and_lists_are_alternatives() {
    matches("foo.*", "foo", true);
    matches("foo.*", "foo.bar", true);
    matches("foo.*", "food", false);
    matches("foo.", "foo.bar", true);
    matches("x foo.bar y", "foo.bar.z", true);
    matches("x y", "z", false);
    matches("*", "any.thing", true);
}

#[test]
fn raised_events_keep_their_order() {
    let text = scxml(
        r#"<state id="a"><transition event="go"><raise event="one"/><raise event="two"/><log label="go"/></transition>
        <transition event="one"><raise event="three"/><log label="one"/></transition>
        <transition event="two"><log label="two"/></transition><transition event="three"><log label="three"/></transition></state>"#,
    );
    check(
        &text,
        &["go"],
        &["a | +a", "a | ^one ^two go ^three one two three"],
    );
}

#[test]
fn what_nobody_listens_to_is_dropped() {
    check(&scxml(r#"<state id="a"/>"#), &["zzz"], &["a | +a", "a | "]);
}

#[test]
fn a_send_without_delay_is_external() {
    let text = scxml(
        r#"<state id="a"><transition event="go"><send event="late"/><raise event="early"/></transition>
        <transition event="early"><log label="early"/></transition><transition event="late"><log label="late"/></transition></state>"#,
    );
    check(&text, &["go"], &["a | +a", "a | >late ^early early late"]);
}

#[test]
fn a_delayed_send_outlives_its_state_and_fires_when_due() {
    let text = scxml(
        r#"<state id="a"><onentry><send event="t" delay="10ms"/></onentry><transition event="go" target="b"/></state>
        <state id="b"><transition event="t"><log label="fired"/></transition></state>"#,
    );
    check(
        &text,
        &["go", "+9", "+1", "+100"],
        &["a | +a >t", "b | -a +b", "b | ", "b | fired", "b | "],
    );
}

#[test]
fn delayed_sends_fire_by_time_and_then_in_the_order_they_were_sent() {
    let hear =
        |name: &str| format!(r#"<transition event="{name}"><log label="{name}"/></transition>"#);
    let text = scxml(&format!(
        r#"<state id="a"><onentry><send event="x" delay="0.02s"/><send event="y" delay="10ms"/><send event="z" delay="20ms"/></onentry>
        {}{}{}</state>"#,
        hear("x"),
        hear("y"),
        hear("z")
    ));
    check(&text, &["+30"], &["a | +a >x >y >z", "a | y x z"]);
}

#[test]
fn time_stands_at_the_due_time_while_a_send_is_handled() {
    let text = scxml(
        r#"<state id="a"><onentry><send event="t" delay="10ms"/></onentry>
        <transition event="t"><log label="t"/><send event="t" delay="10ms"/></transition></state>"#,
    );
    check(
        &text,
        &["+25", "+4", "+1"],
        &["a | +a >t", "a | t >t t >t", "a | ", "a | t >t"],
    );
}

#[test]
fn cancel_drops_what_waits_under_an_id_and_nothing_else() {
    let text = scxml(
        r#"<state id="a"><onentry><send event="x" delay="1s" id="i"/><send event="x" delay="2s" id="i"/>
        <send event="y" delay="1s" id="j"/></onentry><transition event="stop"><cancel sendid="i"/></transition>
        <transition event="x"><log label="x"/></transition><transition event="y"><log label="y"/></transition></state>"#,
    );
    check(
        &text,
        &["stop", "+5000"],
        &["a | +a >x >x >y", "a | ~i", "a | y"],
    );
    check(
        &text,
        &["+1500", "stop", "+5000"],
        &["a | +a >x >x >y", "a | x y", "a | ~i", "a | "],
    );
}

#[test]
fn the_start_is_complete_before_the_first_event() {
    let text = scxml(
        r#"<state id="a"><onentry><raise event="r"/></onentry><transition event="r" target="b"/></state>
        <state id="b"><transition target="c"/></state><state id="c"/>"#,
    );
    check_start(&text, "c | +a ^r -a +b -b +c");
}

#[test]
fn nothing_waits_after_the_end() {
    let text = scxml(
        r#"<state id="a"><onentry><send event="t" delay="5ms"/></onentry><transition event="go" target="f"/></state><final id="f"/>"#,
    );
    check(
        &text,
        &["go", "+10"],
        &["a | +a >t", "ended f | -a +f -f", "ended f | "],
    );
}
