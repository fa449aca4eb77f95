//! The flat shape of machine files becomes the same graph, and is refused where it is no
//! tree.

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::Diagnostics;
use statewright_author::graph::*;
use statewright_author::span::Name;
use statewright_author::text::read;
use statewright_author::value::{Duration, Tier};

const FLAT: &str = include_str!("text_data/flat.sw.json");

fn flat() -> Machine {
    let (machine, problems) = read("flat.sw.json", FLAT);
    assert_eq!(
        problems
            .iter()
            .map(|d| (d.code, d.message.clone()))
            .collect::<Vec<_>>(),
        []
    );
    machine
}

fn names(list: &[Name]) -> Vec<&str> {
    list.iter().map(|name| name.value.as_str()).collect()
}

fn states(list: &[State]) -> Vec<&str> {
    list.iter().map(|state| state.name.value.as_str()).collect()
}

fn child<'s>(parent: &'s State, name: &str) -> &'s State {
    parent
        .regions
        .iter()
        .flat_map(|region| &region.states)
        .find(|state| state.name.value == name)
        .unwrap()
}

/// Reads a machine with these states and other fields; gives codes and, joined, what is said.
fn problems(states: &str, rest: &str) -> (Machine, Vec<DiagnosticCode>, String) {
    let (machine, out) = read(
        "m",
        &format!(r#"{{ "machine": "M", "states": [{states}] {rest} }}"#),
    );
    let said = |out: &Diagnostics| {
        let one = |d: &statewright_author::diagnostic::Diagnostic| {
            format!("{} | {}\n", d.message, d.help.clone().unwrap_or_default())
        };
        out.iter().map(one).collect::<String>()
    };
    let codes = out.iter().map(|d| d.code).collect();
    (machine, codes, said(&out))
}

#[test]
fn the_tree() {
    let m = flat();
    assert_eq!(m.tier.as_ref().map(|tier| tier.value), Some(Tier::Standard));
    assert_eq!(m.root.name.value, "root");
    assert_eq!(
        states(&m.root.regions[0].states),
        ["idle", "combat", "pick", "gone", "sub"]
    );
    assert_eq!(
        names(&m.root.regions[0].initial.as_ref().unwrap().targets),
        ["idle"]
    );
    let combat = child(&m.root, "combat");
    assert_eq!(combat.kind(), StateKind::Orthogonal);
    let [movement, weapon] = &combat.regions[..] else {
        panic!()
    };
    assert_eq!(
        (
            movement.name.as_ref().unwrap().as_str(),
            states(&movement.states)
        ),
        ("Movement", vec!["approach"])
    );
    assert_eq!(movement.id.as_ref().map(|id| id.value), Some(0xc1));
    assert_eq!(
        movement.stack_depth.as_ref().map(|depth| depth.value),
        Some(2)
    );
    assert_eq!(states(&weapon.states), ["ready", "firing"]);
    assert_eq!(weapon.initial.as_ref().unwrap().effect.len(), 1);
    assert!(combat.history[0].deep && combat.history_reset_on_done);
    let sub = child(&m.root, "sub");
    assert_eq!(
        (
            sub.kind(),
            sub.regions[0].stack_depth.as_ref().map(|d| d.value)
        ),
        (StateKind::Compound, Some(1))
    );
    assert_eq!(child(&m.root, "gone").kind(), StateKind::Final);
}

#[test]
fn a_state_with_everything() {
    let m = flat();
    let idle = child(&m.root, "idle");
    assert_eq!(
        (idle.id.as_ref().map(|id| id.value), idle.doc.as_deref()),
        (Some(0x51), Some("Waits."))
    );
    assert_eq!((idle.entry.len(), idle.exit.len()), (1, 2));
    assert_eq!(
        idle.activity.as_ref().map(|code| code.as_str()),
        Some("PatrolActivity")
    );
    assert_eq!(
        (
            idle.suspend.len(),
            idle.resume.len() + idle.update.len(),
            names(&idle.defers)
        ),
        (1, 2, vec!["NoEnemies"])
    );
    assert_eq!(
        (names(&idle.owns), idle.scratch.len(), idle.timers.len()),
        (vec!["legs"], 1, 1)
    );
    assert_eq!(
        idle.exit_ready.as_ref().map(|code| code.as_str()),
        Some("ready")
    );
    assert_eq!(
        idle.min_active.as_ref().map(|d| d.value.clone()),
        Some(Duration::Nanos(1_000_000_000).into())
    );
    assert!(
        idle.clock && idle.meta.is_some() && idle.decisions.len() == 1 && idle.any_state.len() == 1
    );
    assert_eq!(names(&idle.uses), ["set"]);
}

#[test]
fn transitions_go_to_their_sources() {
    let m = flat();
    let idle = child(&m.root, "idle");
    let [fight, any, timer, done] = &idle.transitions[..] else {
        panic!("{}", idle.transitions.len())
    };
    assert!(matches!(&fight.trigger, Trigger::Event(name) if name.as_str() == "EnemySighted"));
    assert_eq!(
        (names(&fight.targets), fight.effect.len()),
        (vec!["combat"], 2)
    );
    assert_eq!(
        fight.guard.as_ref().map(|code| code.as_str()),
        Some("HasAmmo")
    );
    assert_eq!(fight.priority.as_ref().map(|p| p.value), Some(3));
    assert_eq!(
        fight.kind.as_ref().map(|k| k.value),
        Some(TransitionKind::External)
    );
    assert!(
        fight.interrupt.is_none()
            && fight.latch.is_some()
            && fight.stay.is_some()
            && fight.muted
            && fight.score.is_some()
    );
    assert_eq!(
        any.kind.as_ref().map(|k| k.value),
        Some(TransitionKind::Internal)
    );
    assert!(matches!(any.trigger, Trigger::Any(_)) && matches!(timer.trigger, Trigger::Timer(_)));
    assert!(matches!(done.trigger, Trigger::Done(_)));
    let combat = child(&m.root, "combat");
    assert!(combat.transitions[0].interrupt.is_some() && combat.transitions[0].effect.len() == 1);
    assert_eq!(combat.transitions[1].sync.len(), 1);
    assert!(matches!(combat.transitions[2].trigger, Trigger::Every(_)));
    let branches = child(&m.root, "pick").choice.as_ref().unwrap();
    assert_eq!(
        (
            branches.len(),
            names(&branches[0].targets),
            &branches[1].guard
        ),
        (2, vec!["gone"], &None)
    );
    assert_eq!(
        child(child(&m.root, "sub"), "branching")
            .choice
            .as_ref()
            .map(Vec::len),
        Some(1)
    );
}

#[test]
fn triggers_declare_events_in_file_order() {
    let m = flat();
    let events: Vec<_> = m.events.iter().map(|event| event.name.as_str()).collect();
    assert_eq!(
        events,
        ["Bored", "Tired", "EnemySighted", "NoEnemies", "Shared"]
    );
    let (m, codes, _) = problems(
        r#"{ "id": "a" }"#,
        r#", "events": [], "transitions": [{ "source": "a", "trigger": "E" }]"#,
    );
    assert!(
        codes.is_empty() && m.events.is_empty(),
        "with a list, triggers declare nothing"
    );
}

#[test]
fn a_child_must_say_its_region() {
    let parent = r#"{ "id": "r", "regions": [{ "name": "A", "initial": "x" }, { "name": "B", "initial": "y" }], "children": ["x", "y", "z"] }"#;
    let (m, codes, said) = problems(
        &format!(r#"{parent}, {{ "id": "x" }}, {{ "id": "y" }}, {{ "id": "z" }}"#),
        "",
    );
    assert_eq!(codes, [DiagnosticCode::RegionNotStated]);
    assert!(
        said.contains("the state `z` does not say which region of `r` it is in"),
        "{said}"
    );
    assert!(
        said.contains(r#"add `"region": "A"` or `"region": "B"` to the state `z`"#),
        "{said}"
    );
    assert_eq!(states(&m.root.regions[0].states), ["x", "z"]);

    let (_, codes, said) = problems(
        &format!(r#"{parent}, {{ "id": "x" }}, {{ "id": "y" }}, {{ "id": "z", "region": "Bb" }}"#),
        "",
    );
    assert_eq!(
        (codes, said.contains("did you mean `B`")),
        (vec![DiagnosticCode::UnknownRegion], true),
        "{said}"
    );
    let (_, codes, said) = problems(
        r#"{ "id": "r", "children": ["x"] }, { "id": "x", "region": "A" }"#,
        "",
    );
    assert_eq!(
        (codes, said.contains("`r` has no `regions`")),
        (vec![DiagnosticCode::UnknownRegion], true),
        "{said}"
    );
}

#[test]
fn children_must_exist_once() {
    let (_, codes, said) = problems(r#"{ "id": "r", "children": ["gone"] }"#, "");
    assert_eq!(codes, [DiagnosticCode::UnknownState]);
    assert!(
        said.contains(r#"add `{ "id": "gone" }` to `states`"#),
        "{said}"
    );
    let (_, codes, said) = problems(
        r#"{ "id": "r", "children": ["a", "b"] }, { "id": "a", "children": ["b"] }, { "id": "b" }"#,
        "",
    );
    assert_eq!(
        (codes, said.contains("`b` is a child of `r` and of `a`")),
        (vec![DiagnosticCode::FlatTree], true),
        "{said}"
    );
    let (_, codes, said) = problems(
        r#"{ "id": "r", "children": ["a", "a"] }, { "id": "a" }"#,
        "",
    );
    assert_eq!(
        (codes, said.contains("twice a child of `r`")),
        (vec![DiagnosticCode::FlatTree], true),
        "{said}"
    );
    let (_, codes, said) = problems(
        r#"{ "id": "r", "children": ["a"] }, { "id": "a" }, { "id": "a" }"#,
        "",
    );
    assert_eq!(
        (codes, said.contains("two states have the id `a`")),
        (vec![DiagnosticCode::DuplicateName], true),
        "{said}"
    );
}

#[test]
fn circles_are_cut() {
    let (m, codes, said) = problems(
        r#"{ "id": "r" , "children": ["x"] }, { "id": "x" }, { "id": "a", "children": ["b"] }, { "id": "b", "children": ["a", "c"] }, { "id": "c" }"#,
        "",
    );
    assert_eq!(codes, [DiagnosticCode::FlatTree]);
    assert!(said.contains("`a` in `b` in `a`"), "{said}");
    assert_eq!(
        states(&m.root.regions[0].states),
        ["x", "a"],
        "nothing is lost"
    );
    let (_, codes, said) = problems(r#"{ "id": "a", "children": ["a"] }"#, "");
    assert_eq!(codes, [DiagnosticCode::FlatTree, DiagnosticCode::FlatTree]);
    assert!(
        said.contains("`a` in `a`") && said.contains("no state is the root"),
        "{said}"
    );
}

#[test]
fn the_root_is_found_or_implied() {
    let (m, codes, _) = problems(r#"{ "id": "a" }, { "id": "b" }"#, r#", "initial": "a""#);
    assert_eq!(
        (codes, states(&m.root.regions[0].states)),
        (vec![], vec!["a", "b"])
    );
    assert_eq!(
        names(&m.root.regions[0].initial.as_ref().unwrap().targets),
        ["a"]
    );
    let (m, codes, _) = problems(r#"{ "id": "a" }"#, r#", "initial": "a""#);
    assert_eq!(
        (codes, states(&m.root.regions[0].states)),
        (vec![], vec!["a"])
    );
    let (m, codes, _) = problems(
        r#"{ "id": "r", "children": ["a"] }, { "id": "a" }"#,
        r#", "initial": "a""#,
    );
    assert_eq!((codes, m.root.name.as_str()), (vec![], "r"));
    assert_eq!(
        names(&m.root.regions[0].initial.as_ref().unwrap().targets),
        ["a"]
    );

    let (_, codes, said) = problems(r#"{ "id": "a" }, { "id": "b" }"#, "");
    assert_eq!(codes, [DiagnosticCode::FlatTree]);
    assert!(
        said.contains("several states are nobody's child: `a`, `b`")
            && said.contains(r#"`"initial": "a"`"#),
        "{said}"
    );
    let (m, codes, said) = problems(
        r#"{ "id": "r", "children": ["a"] }, { "id": "a" }, { "id": "b" }"#,
        "",
    );
    assert_eq!(
        (codes, states(&m.root.regions[0].states)),
        (vec![DiagnosticCode::FlatTree], vec!["a", "b"])
    );
    assert!(
        said.contains("the state `b` is nobody's child | add `\"b\"` to the `children` of `r`"),
        "{said}"
    );
    let (_, codes, _) = problems(
        r#"{ "id": "r", "initial": "a", "children": ["a"] }, { "id": "a" }"#,
        r#", "initial": "a""#,
    );
    assert_eq!(codes, [DiagnosticCode::FieldsExclude]);
    let (_, codes, said) = problems("", "");
    assert_eq!(
        (codes, said.contains("no state is the root")),
        (vec![DiagnosticCode::FlatTree], true)
    );
}

#[test]
fn types_must_fit() {
    let (_, codes, said) = problems(
        r#"{ "id": "r", "type": "leaf", "children": ["a"] }, { "id": "a" }"#,
        "",
    );
    assert_eq!(
        (codes, said.contains("a leaf has no `children`")),
        (vec![DiagnosticCode::BadValue], true)
    );
    let (_, codes, said) = problems(
        r#"{ "id": "r", "type": "parallel", "children": ["a"] }, { "id": "a" }"#,
        "",
    );
    assert_eq!(
        (codes, said.contains("needs the field `regions`")),
        (vec![DiagnosticCode::MissingField], true)
    );
    let (_, codes, _) = problems(r#"{ "id": "r", "type": "composit" }"#, "");
    assert_eq!(codes, [DiagnosticCode::BadValue]);
}

#[test]
fn transitions_need_source_and_trigger() {
    let (_, codes, said) = problems(
        r#"{ "id": "idle" }"#,
        r#", "transitions": [{ "source": "idel", "trigger": "E" }]"#,
    );
    assert_eq!(
        (codes, said.contains("did you mean `idle`")),
        (vec![DiagnosticCode::UnknownState], true)
    );
    let (_, codes, said) = problems(
        r#"{ "id": "a" }"#,
        r#", "transitions": [{ "source": "a" }]"#,
    );
    assert_eq!(
        (
            codes,
            said.contains("`trigger`, `after`, `timer` or `when`")
        ),
        (vec![DiagnosticCode::MissingField], true)
    );
    let (_, codes, _) = problems(
        r#"{ "id": "a" }"#,
        r#", "transitions": [{ "source": "a", "trigger": "E", "effect": "A", "action": "B" }]"#,
    );
    assert_eq!(codes, [DiagnosticCode::FieldsExclude]);
}

#[test]
fn a_deep_chain_is_cut_and_not_recursed() {
    let states: Vec<_> = (0..20_000)
        .map(|n| format!(r#"{{ "id": "s{n}", "children": ["s{}"] }}"#, n + 1))
        .collect();
    let (_, codes, _) = problems(
        &format!(r#"{}, {{ "id": "s20000" }}"#, states.join(",")),
        "",
    );
    assert_eq!(codes, [DiagnosticCode::TooDeep]);
}
