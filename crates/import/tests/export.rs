//! Machines as SCXML. What is refused, and how that is said, is in `diagnostics/sw0806_*`; random
//! documents that go there and back are in `proof/charts`.

use std::collections::HashMap;

use crate::common::runs;
use statewright_author::diagnostic::Diagnostics;
use statewright_author::parts;
use statewright_author::render::{Style, render_text};
use statewright_author::text::read;
use statewright_import::{export, scxml};

/// The document of a machine file.
#[track_caller]
fn exported(text: &str) -> String {
    let (machine, problems) = read("test.sw.json", text);
    let shown = |problems: &Diagnostics| render_text(problems, &machine.source, Style::default());
    assert!(!problems.has_errors(), "{}", shown(&problems));
    export::scxml(&machine).unwrap_or_else(|problems| panic!("{}", shown(&problems)))
}

/// What stands in the way of a machine file.
#[track_caller]
fn refused(text: &str) -> Vec<String> {
    let (machine, problems) = read("test.sw.json", text);
    assert!(
        !problems.has_errors(),
        "{}",
        render_text(&problems, &machine.source, Style::default())
    );
    let problems = export::scxml(&machine).expect_err("something stands in the way");
    problems
        .iter()
        .map(|problem| problem.message.replace("SCXML cannot say this: ", ""))
        .collect()
}

const POLICIES: &str = r#""policies": { "exit_order": "reverse", "internal_first": true, "done_events": true, "scxml_details": true }"#;

fn player() -> String {
    let rest = r#"
      "tick_rate": 100, "tier": "hero",
      "events": ["play", "stop", "late", "done.state.deck", "power", "a", "a.b"],
      "blackboard": { "count": { "type": "i32", "default": -3 }, "default": "bool", "word": { "type": "symbol", "default": "red" } },
      "lanes": { "log": { "merge": "strict_order" } },
      "timers": { "the bell": { "event": "late" } },
      "initial": "deck",
      "states": {
        "deck": {
          "doc": "Both -- at once.",
          "history": { "before": { "deep": true, "default": ["off", "quiet"], "do": "count = 0" } },
          "transitions": [
            { "on": "done.state.deck", "to": "end" },
            { "on": "a", "to": "before", "kind": "external" },
            { "on": "a.b", "to": "before", "kind": "external" },
            { "on": "power", "do": { "stop": "the bell" } },
          ],
          "regions": {
            "motor": { "states": { "motor": {
              "initial": { "to": "off", "do": { "emit": "spins", "lane": "log", "payload": "count + 1" } },
              "states": {
                "off": { "transitions": [{ "on": "play", "to": "on", "if": "!default && word != 'blue' || in(deck/sound/quiet)" }] },
                "on": { "entry": [{ "start": "the bell", "after": "3t" }, { "raise": "power" }, { "send": "stop" }], "transitions": [{ "on": "stop", "to": "ended" }] },
                "ended": { "final": true },
              },
              "transitions": [{ "on": "late", "to": "off" }, { "on": "power", "to": "off", "kind": "external", "if": "false" }],
            } } },
            "sound": { "states": { "sound": {
              "initial": "quiet",
              "states": {
                "quiet": { "transitions": [{ "when": "always", "if": "count == 7", "to": "loud" }] },
                "loud": { "final": true },
              },
              "transitions": [{ "on": "play", "do": {
                "if": "count > 0", "then": "count -= 1", "else": { "if": "count < -1", "then": { "add": "count", "by": 10 }, "else": "default = true" },
              } }],
            } } },
          },
        },
        "end": { "final": true },
      },
    }"#;
    format!("{{ \"machine\": \"Player one\", {POLICIES}, {rest}")
}

const PLAYER: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel="ecmascript" initial="deck">
  <datamodel>
    <data id="count" expr="-3"/>
    <data id="default_" expr="false"/>
    <data id="word" expr="'red'"/>
  </datamodel>
  <!-- Both - - at once. -->
  <parallel id="deck">
    <transition event="done.state.deck" target="end"/>
    <transition event="a" target="before"/>
    <transition event="power">
      <cancel sendid="the_bell"/>
    </transition>
    <history id="before" type="deep">
      <transition target="off quiet">
        <assign location="count" expr="0"/>
      </transition>
    </history>
    <state id="motor">
      <initial>
        <transition target="off">
          <log label="spins" expr="count + 1"/>
        </transition>
      </initial>
      <transition event="late" target="off" type="internal"/>
      <transition event="power" cond="false" target="off"/>
      <state id="off">
        <transition event="play" cond="!default_ &amp;&amp; word != 'blue' || In('quiet')" target="on"/>
      </state>
      <state id="on">
        <onentry>
          <send event="late" delay="30ms" id="the_bell"/>
          <raise event="power"/>
          <send event="stop"/>
        </onentry>
        <transition event="stop" target="ended"/>
      </state>
      <final id="ended"/>
    </state>
    <state id="sound" initial="quiet">
      <transition event="play">
        <if cond="count &gt; 0">
          <assign location="count" expr="count - 1"/>
          <elseif cond="count &lt; -1"/>
          <assign location="count" expr="count + 10"/>
          <else/>
          <assign location="default_" expr="true"/>
        </if>
      </transition>
      <state id="quiet">
        <transition cond="count == 7" target="loud"/>
      </state>
      <final id="loud"/>
    </state>
  </parallel>
  <final id="end"/>
</scxml>
"#;

#[test]
fn everything_that_both_sides_know_is_written() {
    assert_eq!(exported(&player()), PLAYER);
}

#[test]
fn the_document_does_what_the_machine_does() {
    let begin: &[&str] = &["deck/motor/off", "deck/sound/quiet"];
    // `stop`, sent to itself, ends the motor; the sound has ended by then, so the whole deck is
    // complete.
    let script: [(&str, &[&str]); 4] = [
        ("", begin),
        ("send a.b", begin),
        ("after 100", begin),
        ("send play", &["end"]),
    ];
    let native = runs(read, &player(), &script);
    let back = runs(scxml::read, PLAYER, &script);
    // Triggers are told as they are written, timers in ticks: 3 of 10 ms, 30 of 1 ms.
    let plain = |lines: &[String]| {
        let told = lines.iter().filter(|line| !line.contains("taken"));
        told.map(|line| {
            line.replace("the_bell 30t", "the bell 3t")
                .replace("the_bell", "the bell")
        })
        .collect::<Vec<_>>()
    };
    assert_eq!(plain(&native), plain(&back));
    assert!(
        native.iter().any(|line| line.contains("start the bell")),
        "{native:#?}"
    );
}

#[test]
fn sugar_is_written_out_and_muted_parts_are_left_out() {
    let text = exported(
        r#"{
          "machine": "Sugar", "events": ["go", "stop", "look"], "blackboard": { "brave": "bool" }, "initial": "idle",
          "transition_sets": { "halting": [{ "on": "stop", "to": "idle" }] },
          "any_state": [{ "on": "look", "do": "brave = true", "exclude": ["idle"] }],
          "states": {
            "idle": { "decisions": [{ "on": "go", "if": "brave", "then": "run", "else": "hide" }] },
            "run": { "use": ["halting"], "transitions": [{ "on": "go", "to": "hide", "muted": true }] },
            "hide": { "use": ["halting"] },
            "fly": { "muted": true },
          },
        }"#,
    );
    let body: Vec<&str> = text.lines().skip(5).map(str::trim).collect();
    assert_eq!(
        body,
        [
            "<state id=\"idle\">",
            "<transition event=\"go\" cond=\"brave\" target=\"run\"/>",
            "<transition event=\"go\" cond=\"!brave\" target=\"hide\"/>",
            "</state>",
            "<state id=\"run\">",
            "<transition event=\"stop\" target=\"idle\"/>",
            "<transition event=\"look\">",
            "<assign location=\"brave\" expr=\"true\"/>",
            "</transition>",
            "</state>",
            "<state id=\"hide\">",
            "<transition event=\"stop\" target=\"idle\"/>",
            "<transition event=\"look\">",
            "<assign location=\"brave\" expr=\"true\"/>",
            "</transition>",
            "</state>",
            "</scxml>"
        ]
    );
}

#[test]
fn a_descriptor_hears_no_more_than_the_transition() {
    let machine = |events: &str, transitions: &str| {
        format!(
            r#"{{ "machine": "M", {POLICIES}, "events": [{events}], "initial": "a", "states": {{ "a": {{ "transitions": [{transitions}] }} }} }}"#
        )
    };
    let both = r#"{ "on": "x", "to": "a" }, { "on": "x.y", "to": "a" }"#;
    assert!(
        exported(&machine(r#""x", "x.y", "xy""#, both))
            .contains("<transition event=\"x\" target=\"a\"/>")
    );
    let one = r#"{ "on": "x", "to": "a" }"#;
    assert_eq!(
        refused(&machine(r#""x", "x.y""#, one)),
        ["the event `x` without `x.y`"]
    );
    assert!(exported(&machine(r#""x", "xy""#, one)).contains("event=\"x\""));
    let apart = r#"{ "on": "x", "to": "a" }, { "on": "x.y", "to": "a", "if": "in(a)" }"#;
    assert_eq!(
        refused(&machine(r#""x", "x.y""#, apart)),
        ["the event `x` without `x.y`"]
    );
    let all = r#"{ "on": "x", "to": "a" }, { "on": "(other)", "to": "a" }"#;
    assert!(
        exported(&machine(r#""x", "(other)""#, all))
            .contains("<transition event=\"*\" target=\"a\"/>")
    );
    assert_eq!(
        refused(&machine(r#""x", "y", "(other)""#, all)),
        ["all unknown events (`(other)`), but not all known ones"]
    );
}

#[test]
fn names_become_ids_or_are_refused() {
    let unused = exported(
        r#"{ "machine": "M", "events": ["e"], "initial": "a", "states": { "a": { "transitions": [{ "on": "e", "to": "b" }] }, "b": { "states": { "the one": {} } } } }"#,
    );
    assert!(
        unused.contains("<state/>"),
        "nobody needs its name: {unused}"
    );
    let used = r#"{ "machine": "M", "initial": "the one", "states": { "a": {}, "the one": {} } }"#;
    assert_eq!(refused(used), ["the name `the one`"]);
    let twice = r#"{ "machine": "M", "initial": "a", "states": { "a": { "states": { "b": {} } }, "b": {} } }"#;
    assert_eq!(
        refused(twice),
        ["a second state or history point named `b`"]
    );
}

#[test]
fn documents_without_ids_and_with_odd_ones_come_back() {
    let text = r#"<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel="ecmascript">
      <datamodel><data id="said" expr="'say &quot;hi&quot;'"/></datamodel>
      <state>
        <history type="deep"><transition target="in.side"/></history>
        <transition event="done.state" cond="In('in.side') &amp;&amp; said == 'say &quot;hi&quot;'" target="ü&lt;1>"/>
        <state id="in.side"><transition event="go" target="over"/></state>
        <final id="over"/>
      </state>
      <state id="ü&lt;1>"/>
    </scxml>"#;
    let (machine, problems) = scxml::read("odd.scxml", text);
    assert!(problems.is_empty(), "{problems:?}");
    let back = export::scxml(&machine).unwrap();
    assert!(
        back.contains("<state initial=\"in.side\">") && back.contains("<history type=\"deep\">"),
        "{back}"
    );
    let (again, problems) = scxml::read("odd.scxml", &back);
    assert!(problems.is_empty(), "{problems:?}");
    assert_eq!(export::scxml(&again).unwrap(), back);
}

#[test]
fn functions_stand_in_a_table_and_come_back() {
    let text = exported(
        r#"{
          "machine": "Gate", "events": ["open"], "blackboard": { "ring": "i32" },
          "initial": "closed",
          "states": {
            "closed": { "exit": "ring(2, 'loud')", "transitions": [{ "on": "open", "to": "ajar", "if": "!gate::Locked(-1) && Near" }] },
            "ajar": { "entry": [{ "if": "Near()", "then": "gate::Creak(1.5, true)" }] },
          },
        }"#,
    );
    for part in [
        r#"xmlns:sw="urn:statewright""#,
        r#"sw:functions="Near gate_Creak=gate::Creak gate_Locked=gate::Locked ring_=ring""#,
        r#"cond="!gate_Locked(-1) &amp;&amp; Near()""#,
        "<script>ring_(2, 'loud')</script>",
        "<script>gate_Creak(1.5, true)</script>",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let (machine, problems) = scxml::read("test.scxml", &text);
    assert!(
        problems.iter().next().is_none(),
        "{}",
        render_text(&problems, &machine.source, Style::default())
    );
    assert_eq!(export::scxml(&machine).ok(), Some(text), "the same again");
}

#[test]
fn calls_that_a_document_cannot_say() {
    let machine = r#"{
      "machine": "Gate", "events": ["open"], "initial": "closed",
      "states": { "closed": { "transitions": [
        { "on": "open", "if": "Near(distance: 2)", "do": ["Ring(times: 2)", "Look(vec2(1, 2))", "Say('it\\\\s')"] },
        { "on": "open", "if": "min(1, 2) == 1" },
      ] } },
    }"#;
    let expected = [
        "the argument `distance` by name",
        "the argument `times` by name",
        "this argument",
        "this text",
        "the function `min`",
    ];
    assert_eq!(refused(machine), expected);
}

/// LANG-3: what SCXML puts together as a text is a duration in seconds here.
#[test]
fn lang_3_a_computed_delay_is_a_number_with_its_unit() {
    let text = r#"<scxml datamodel="ecmascript">
      <datamodel><data id="wait" expr="1"/></datamodel>
      <state id="a"><onentry><send event="t" delayexpr="wait + 's'"/></onentry><transition event="t" target="b"/></state>
      <state id="b"><onentry><send event="u" delayexpr="'100ms'"/></onentry><transition event="u" target="c"/></state>
      <state id="c"><onentry><send event="v" delayexpr="(wait * 20) + 'ms'"/></onentry><transition event="v" target="d"/></state>
      <state id="d"/></scxml>"#;
    runs(
        scxml::read,
        text,
        &[
            ("", &["a"]),
            ("after 999", &["a"]),
            ("after 1", &["b"]),
            ("after 99", &["b"]),
            ("after 1", &["c"]),
            ("after 19", &["c"]),
            ("after 1", &["d"]),
        ],
    );
}

#[test]
fn lang_3_what_is_drawn_or_computed_has_no_counterpart() {
    let text = format!(
        r#"{{ "machine": "m", {POLICIES}, "events": ["late"], "timers": {{ "bell": {{ "event": "late" }} }},
          "initial": "a", "states": {{ "a": {{ "entry": {{ "start": "bell", "after": "1s..2s" }},
            "transitions": [{{ "every": "1s", "do": {{ "raise": "late" }} }}, {{ "on": "late", "do": {{ "stop": "bell" }} }}] }} }} }}"#
    );
    assert_eq!(refused(&text), ["the duration `1s..2s`", "`every`"]);
}

#[test]
fn what_a_part_that_is_used_twice_cannot_say_is_told_once() {
    let part = r#"{
      "machine": "Nap", "events": ["Wake"], "initial": "light",
      "states": {
        "light": { "transitions": [{ "on": "Wake", "to": "deep", "latch": true }] },
        "deep": {},
      },
    }"#;
    let text = r#"{
      "machine": "Day", "events": ["Wake"], "initial": "morning",
      "states": {
        "morning": { "use": "nap.sw.json" },
        "noon": { "use": "nap.sw.json" },
      },
    }"#;
    let files = HashMap::from([("nap.sw.json", part)]);
    let (machine, problems) = parts::read("day.sw.json", text, &files);
    assert!(!problems.has_errors());
    let problems = export::scxml(&machine).expect_err("a latch stands in the way");
    let text = render_text(&problems, &machine.source, Style::default());
    let latches = text.matches("SCXML cannot say this: a latch").count();
    assert_eq!(latches, 1, "{text}");
    let shown = text.matches("\"light\": {").count();
    assert_eq!(shown, 2, "each problem shows its place once:\n{text}");
    for words in [
        "nap.sw.json:4:75",
        "and 1 more use of this part",
        "a second state or history point named `light`",
        "----------- the first one",
        "a part can be used once there",
    ] {
        assert!(text.contains(words), "{words} is missing in\n{text}");
    }
}
