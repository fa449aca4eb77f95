//! Parts (LANG-5): what a joined machine looks like, and what is refused.

use std::collections::HashMap;

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::Diagnostics;
use statewright_author::graph::{ActionKind, Machine, State, Trigger};
use statewright_author::parts;
use statewright_author::render::{Style, render_text};
use statewright_author::span::Span;
use statewright_author::value::Literal;

const FIGHT: &str = r#"{
  "machine": "Fight",
  "events": { "Hit": { "payload": "i32" }, "Gone": {} },
  "blackboard": { "health": "i32" },
  "parameters": { "rage": 25, "calm": 3 },
  "timers": ["breath"],
  "functions": { "Swing": "action", "Near": { "kind": "guard", "parameters": { "of": "i32" } } },
  "transition_sets": { "ways_out": [{ "on": "Gone", "to": "over" }] },
  "initial": "aim",
  "states": {
    "aim": {
      "id": "17",
      "entry": { "start": "breath", "after": "1s" },
      "use": ["ways_out"],
      "transitions": [{ "timer": "breath", "to": "strike", "if": "Near(of: 3) && health > rage && !in(over)" }]
    },
    "strike": {
      "timers": ["breath"],
      "entry": ["Swing", { "start": "breath", "after": "2s" }],
      "transitions": [{ "on": "Hit", "do": "health -= event" }]
    },
    "over": { "final": true }
  }
}"#;

fn join(text: &str, more: &[(&'static str, &'static str)]) -> (Machine, Diagnostics) {
    let mut files = HashMap::from([("m/parts/fight.sw.json", FIGHT)]);
    files.extend(more.iter().copied());
    parts::read("m/soldier.sw.json", text, &files)
}

fn child<'m>(state: &'m State, name: &str) -> &'m State {
    let mut children = state.regions.iter().flat_map(|region| &region.states);
    children
        .find(|child| child.name.value == name)
        .unwrap_or_else(|| panic!("no child `{name}`"))
}

fn only_code(problems: &Diagnostics) -> DiagnosticCode {
    let codes: Vec<_> = problems.iter().map(|problem| problem.code).collect();
    let [code] = codes[..] else {
        panic!("one problem was expected: {problems:?}");
    };
    code
}

const USED_TWICE: &str = r#"{
  "machine": "Soldier",
  "events": { "Struck": { "payload": "i32" } },
  "parameters": { "courage": 7 },
  "states": {
    "fight": { "use": "parts/fight.sw.json", "with": { "rage": 40 }, "map": { "Hit": "Struck", "Swing": "Stab" },
               "transitions": [{ "when": "done", "to": "brawl" }] },
    "brawl": { "use": "parts/fight.sw.json", "with": { "rage": "courage" } }
  }
}"#;

#[test]
fn names_of_a_part_become_those_of_the_machine() {
    let (machine, problems) = join(USED_TWICE, &[]);
    assert!(problems.is_empty(), "{problems:?}");
    let fight = child(&machine.root, "fight");
    let aim = child(fight, "aim");
    let ActionKind::StartTimer { timer, .. } = &aim.entry[0].kind else {
        panic!("a timer is started");
    };
    assert_eq!(
        timer.value, "fight/breath",
        "a timer of the part as a whole"
    );
    let leave = &aim.transitions[0];
    assert!(matches!(&leave.trigger, Trigger::Timer(timer) if timer.value == "fight/breath"));
    assert_eq!(leave.targets[0].value, "/fight/strike");
    assert_eq!(
        leave.guard.as_ref().unwrap().value,
        "Near(of: 3) && health > `fight/rage` && !in('/fight/over')"
    );
    let strike = child(fight, "strike");
    let ActionKind::StartTimer { timer, .. } = &strike.entry[1].kind else {
        panic!("a timer is started");
    };
    assert_eq!(timer.value, "breath", "a timer of the state stays one");
    assert!(matches!(&strike.entry[0].kind, ActionKind::Text(text) if text.value == "Stab"));
    assert!(
        matches!(&strike.transitions[0].trigger, Trigger::Event(event) if event.value == "Struck")
    );
    let brawl = child(&machine.root, "brawl");
    let guard = &child(brawl, "aim").transitions[0].guard;
    assert!(guard.as_ref().unwrap().value.contains("health > courage"));
    assert_eq!(child(brawl, "aim").uses[0].value, "brawl/ways_out");
}

#[test]
fn declarations_are_added_once_and_parameters_per_use() {
    let (machine, _) = join(USED_TWICE, &[]);
    fn names<'n, T>(list: &'n [T], name: impl Fn(&'n T) -> &'n str) -> Vec<&'n str> {
        list.iter().map(name).collect()
    }
    assert_eq!(
        names(&machine.events, |e| &e.name.value),
        ["Struck", "Gone", "Hit"]
    );
    assert_eq!(names(&machine.blackboard, |k| &k.name.value), ["health"]);
    assert_eq!(
        names(&machine.parameters, |p| &p.name.value),
        ["courage", "fight/rage", "fight/calm", "brawl/calm"]
    );
    assert_eq!(
        names(&machine.timers, |t| &t.name.value),
        ["fight/breath", "brawl/breath"]
    );
    assert_eq!(
        names(&machine.functions, |f| &f.name.value),
        ["Stab", "Near", "Swing"]
    );
    // The soldier declares no functions and may use any; its parts must declare theirs.
    let uses = machine.source.parts().iter().map(|part| part.start);
    assert!(!machine.must_declare(machine.name.span));
    for start in uses {
        let end = start + 1;
        assert!(machine.must_declare(Span { start, end }));
    }
    let sets = names(&machine.transition_sets, |s| &s.name.value);
    assert_eq!(sets, ["fight/ways_out", "brawl/ways_out"]);
    assert_eq!(
        machine.transition_sets[1].transitions[0].targets[0].value,
        "/brawl/over"
    );
}

#[test]
fn spans_say_which_use_they_belong_to() {
    let (machine, _) = join(USED_TWICE, &[]);
    let uses: Vec<Option<usize>> = ["fight", "brawl"]
        .map(|name| {
            let aim = child(child(&machine.root, name), "aim");
            machine.source.part_at(aim.name.span)
        })
        .to_vec();
    assert_eq!(uses, [Some(0), Some(1)]);
    let aim = child(child(&machine.root, "brawl"), "aim").name.span;
    let text = machine.source.text_at(aim).unwrap();
    let local = (aim.start - text.start) as usize..(aim.end - text.start) as usize;
    assert_eq!(
        (text.name, &text.text[local]),
        ("m/parts/fight.sw.json", "aim")
    );
    assert_eq!(machine.source.line_column(aim.start), Some((11, 6)));
}

#[test]
fn a_part_may_use_parts_and_is_put_together_first() {
    let day = r#"{ "machine": "Day", "parameters": { "long": 3 },
        "states": { "duel": { "use": "fight.sw.json", "with": { "rage": "long" } }, "nap": {} } }"#;
    let user = r#"{ "machine": "M", "states": { "day": { "use": "parts/day.sw.json", "with": { "long": 9 } } } }"#;
    let (machine, problems) = join(user, &[("m/parts/day.sw.json", day)]);
    assert!(problems.is_empty(), "{problems:?}");
    let duel = child(child(&machine.root, "day"), "duel");
    let guard = &child(duel, "aim").transitions[0]
        .guard
        .as_ref()
        .unwrap()
        .value;
    assert!(guard.contains("health > `day/long`"), "{guard}");
    assert!(guard.contains("in('/day/duel/over')"), "{guard}");
    let parameters: Vec<&str> = machine.parameters.iter().map(|p| &*p.name.value).collect();
    assert_eq!(parameters, ["day/long", "day/duel/calm"]);
}

#[test]
fn what_is_around_a_part_comes_first_and_leaves_last() {
    let part = r#"{ "machine": "P", "entry": "InnerIn", "exit": "InnerOut",
        "transitions": [{ "on": "E", "do": "Inner" }], "events": ["E"], "states": { "s": {} } }"#;
    let user = r#"{ "machine": "M", "events": ["E"], "states": { "a": { "use": "p.sw.json",
        "entry": "OuterIn", "exit": "OuterOut", "transitions": [{ "on": "E", "do": "Outer" }] } } }"#;
    let (machine, problems) = join(user, &[("m/p.sw.json", part)]);
    assert!(problems.is_empty(), "{problems:?}");
    let a = child(&machine.root, "a");
    let texts = |list: &[statewright_author::graph::Action]| -> Vec<String> {
        list.iter()
            .map(|action| match &action.kind {
                ActionKind::Text(text) => text.value.clone(),
                other => panic!("{other:?}"),
            })
            .collect()
    };
    assert_eq!(texts(&a.entry), ["OuterIn", "InnerIn"]);
    assert_eq!(texts(&a.exit), ["InnerOut", "OuterOut"]);
    assert_eq!(texts(&a.transitions[0].effect), ["Outer"]);
    assert_eq!(texts(&a.transitions[1].effect), ["Inner"]);
}

#[test]
fn a_part_sees_its_own_states_only() {
    let part = r#"{ "machine": "P", "events": ["E"],
        "states": { "s": { "transitions": [{ "on": "E", "to": "outside" }] } } }"#;
    let user = r#"{ "machine": "M", "states": { "a": { "use": "p.sw.json" }, "outside": {} } }"#;
    let (machine, mut problems) = join(user, &[("m/p.sw.json", part)]);
    assert_eq!(only_code(&problems), DiagnosticCode::UnknownState);
    parts::note_uses(&machine.source, &mut problems);
    let text = render_text(&problems, &machine.source, Style::default());
    assert!(text.contains("--> m/p.sw.json:2:"), "{text}");
    assert!(text.contains("m/soldier.sw.json:1:"), "{text}");
    assert!(text.contains("used here"), "{text}");
}

#[test]
fn what_cannot_be_a_part_is_refused_with_its_reason() {
    let circle = r#"{ "machine": "C", "states": { "s": { "use": "c.sw.json" } } }"#;
    let watcher = r#"{ "machine": "W", "events": ["E"], "observers": [{ "on": "E", "do": "X" }], "states": { "s": {} } }"#;
    let slow = r#"{ "machine": "S", "tick_rate": 30, "states": { "s": {} } }"#;
    let files = [
        ("m/c.sw.json", circle),
        ("m/w.sw.json", watcher),
        ("m/s.sw.json", slow),
        ("m/bad.sw.json", "{"),
    ];
    use DiagnosticCode::*;
    for (state, expected) in [
        (r#"{ "use": "nowhere.sw.json" }"#, PartUnreadable),
        (r#"{ "use": "/etc/x.sw.json" }"#, PartUnreadable),
        (r#"{ "use": "..\\x.sw.json" }"#, PartUnreadable),
        (r#"{ "use": "" }"#, PartUnreadable),
        (r#"{ "use": "bad.sw.json" }"#, Syntax),
        (r#"{ "use": "c.sw.json" }"#, PartCircle),
        (r#"{ "use": "soldier.sw.json" }"#, PartCircle),
        (r#"{ "use": "w.sw.json" }"#, PartObserver),
        (r#"{ "use": "s.sw.json" }"#, PartConflict),
        (
            r#"{ "use": "parts/fight.sw.json", "states": { "x": {} } }"#,
            FieldsExclude,
        ),
        (
            r#"{ "use": "parts/fight.sw.json", "with": { "rag": 1 } }"#,
            UnknownInPart,
        ),
        (
            r#"{ "use": "parts/fight.sw.json", "with": { "rage": "loud" } }"#,
            PartConflict,
        ),
        (
            r#"{ "use": "parts/fight.sw.json", "map": { "Hti": "Struck" } }"#,
            UnknownInPart,
        ),
        (
            r#"{ "use": "parts/fight.sw.json", "map": { "Gone": "Hit" } }"#,
            PartConflict,
        ),
    ] {
        let text = format!(
            r#"{{ "machine": "M", "parameters": {{ "loud": true }}, "states": {{ "a": {state} }} }}"#
        );
        let (_, problems) = join(&text, &files);
        assert_eq!(only_code(&problems), expected, "{state}: {problems:?}");
    }
}

#[test]
fn only_what_a_part_has_can_be_renamed() {
    let part = r#"{ "machine": "P", "events": ["Hit"], "parameters": { "rage": 3 }, "states": {
        "s": { "activity": "Aim", "entry": [{ "call": "Shout" }, "Swing", "Stab(rage)"],
               "transitions": [{ "on": "Hit", "if": "Near && !Far(3)", "to": "s" }] } } }"#;
    let map = |name: &str| {
        let user = format!(
            r#"{{ "machine": "M", "states": {{ "a": {{ "use": "p.sw.json", "map": {{ "{name}": "New" }} }} }} }}"#
        );
        join(&user, &[("m/p.sw.json", part)]).1
    };
    for name in ["Hit", "Aim", "Shout", "Swing", "Stab", "Near", "Far"] {
        assert!(map(name).is_empty(), "{name}: {:?}", map(name));
    }
    for (name, help) in [
        ("Hti", "did you mean `Hit`?"),
        ("rage", "set it with `\"with\": { \"rage\": … }`"),
        ("s", "it has `Aim`, `Far`, `Hit`, `Near`"),
    ] {
        let problems = map(name);
        assert_eq!(only_code(&problems), DiagnosticCode::UnknownInPart);
        let found = problems.iter().next().and_then(|each| each.help.clone());
        assert!(found.as_ref().unwrap().contains(help), "{name}: {found:?}");
    }
}

/// What a part seems to lack may stand where it could not be read.
#[test]
fn a_broken_part_lacks_nothing() {
    let user = r#"{ "machine": "M", "states": { "a": { "use": "bad.sw.json", "with": { "rage": 1 }, "map": { "Hit": "Hurt" } } } }"#;
    let (_, problems) = join(user, &[("m/bad.sw.json", "{")]);
    assert_eq!(only_code(&problems), DiagnosticCode::Syntax);
}

#[test]
fn few_files_cannot_fill_the_memory() {
    // Each uses the next twice: 2^20 uses without a limit.
    let texts: Vec<(String, String)> = (0..20)
        .map(|at| {
            let next = at + 1;
            let text = format!(
                r#"{{ "machine": "P{at}", "states": {{ "a": {{ "use": "p{next}.sw.json" }}, "b": {{ "use": "p{next}.sw.json" }} }} }}"#
            );
            (format!("p{at}.sw.json"), text)
        })
        .collect();
    let mut files: HashMap<&str, &str> = texts.iter().map(|(n, t)| (&**n, &**t)).collect();
    files.insert(
        "p20.sw.json",
        r#"{ "machine": "End", "states": { "s": {} } }"#,
    );
    let (_, problems) = parts::read("p0.sw.json", &texts[0].1, &files);
    assert!(problems.has_errors());
    assert!(
        problems
            .iter()
            .all(|problem| problem.code == DiagnosticCode::PartUnreadable)
    );
}

#[test]
fn muted_states_read_no_part() {
    let text = r#"{ "machine": "M", "states": { "a": { "muted": true, "use": "nowhere.sw.json" }, "b": {} } }"#;
    let (machine, problems) = join(text, &[]);
    assert!(problems.is_empty(), "{problems:?}");
    assert!(machine.source.parts().is_empty());
}

/// The use of a part that the test of builders has made.
pub fn check_part(part: &statewright_author::graph::PartUse) {
    assert_eq!(part.file.value, "parts/fight.sw.json");
    let (rage, forty) = &part.with[0];
    assert_eq!((&*rage.value, &forty.value), ("rage", &Literal::Int(40)));
    let (hit, struck) = &part.map[0];
    assert_eq!((&*hit.value, &*struck.value), ("Hit", "Struck"));
}
