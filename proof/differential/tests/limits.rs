//! Legal machines that go to the limits of the kernel's buffers: they run as the oracle says, none
//! is quarantined.

use std::collections::BTreeMap;

use statewright_compile::tables::Tables;
use statewright_differential::fixture::{Case, Line, run};
use statewright_differential::kernel_side::KernelHost;
use statewright_differential::machine::CompiledCase;
use statewright_differential::scripted_user_code::ScriptedUserCode;
use statewright_kernel::{Counters, Fault, Input, Instance, Instance128, flag, tick};
use statewright_rom::Rom;
use statewright_rom::layout::NONE;

/// A chain of choices, each with or without an effect.
fn chain(prefix: &str, count: usize, last: &str, effect: bool) -> String {
    let one = |i: usize| {
        let next = if i + 1 < count {
            format!("{prefix}{}", i + 1)
        } else {
            last.to_owned()
        };
        let effect = if effect { r#", "do": "Branch""# } else { "" };
        format!(r#""{prefix}{i}": {{ "choice": [{{ "to": "{next}"{effect} }}] }}"#)
    };
    (0..count).map(one).collect::<Vec<_>>().join(", ")
}

/// Runs a machine on all engines; the last lines of all of them are the same and name no fault.
fn agree(machine: String, script: &[String]) -> Vec<Vec<String>> {
    let line = |command: &String| Line {
        command: command.clone(),
        expected: Vec::new(),
    };
    let case = Case {
        title: "limit".to_owned(),
        machine,
        versions: Vec::new(),
        problems: None,
        host: Vec::new(),
        script: script.iter().map(line).collect(),
    };
    let outcomes = run(&case).unwrap();
    assert!(outcomes.len() >= 2);
    for outcome in &outcomes {
        assert_eq!(outcome.lines, outcomes[0].lines, "{}", outcome.engine);
    }
    let lines = outcomes[0].lines.clone();
    assert!(
        !lines
            .iter()
            .flatten()
            .any(|line| line.starts_with("fault") || line.contains("quarantined")),
        "{lines:?}"
    );
    lines
}

fn count(lines: &[Vec<String>], what: &str) -> usize {
    lines
        .iter()
        .flatten()
        .filter(|line| line.starts_with(what))
        .count()
}

#[test]
fn exec_7_a_default_and_sixteen_choices_have_their_effects() {
    let choices = chain("c", 16, "b", true);
    let machine = format!(
        r#"{{ "machine": "M", "events": ["Go"], "initial": "idle", "states": {{
            "idle": {{ "transitions": [{{ "on": "Go", "to": "x/h" }}] }},
            "x": {{ "initial": "a", "history": {{ "h": {{ "default": "c0", "do": "Default" }} }},
                   "states": {{ "a": {{}}, "b": {{}}, {choices} }} }} }} }}"#
    );
    let lines = agree(machine, &["tick Go".to_owned()]);
    assert_eq!(
        (
            count(&lines, "action Default"),
            count(&lines, "action Branch")
        ),
        (1, 16)
    );
}

#[test]
fn exec_4_six_defaults_of_five_effects_each() {
    let lines = agree(deep_defaults(4), &["tick Go".to_owned()]);
    assert_eq!(
        (
            count(&lines, "action Default"),
            count(&lines, "action Branch")
        ),
        (6, 24)
    );
}

/// Six regions with a history point each, and so many choices behind it.
fn deep_defaults(choices: usize) -> String {
    let region = |r: &str| {
        let choices = chain(&format!("{r}c"), choices, &format!("{r}b"), true);
        format!(
            r#""{r}": {{ "initial": "{r}x", "states": {{ "{r}x": {{ "initial": "{r}a",
                "history": {{ "{r}h": {{ "default": "{r}c0", "do": "Default" }} }},
                "states": {{ "{r}a": {{}}, "{r}b": {{}}, {choices} }} }} }} }}"#
        )
    };
    let regions = ["p", "q", "r", "s", "t", "u"];
    let to = regions.map(|r| format!(r#""o/{r}x/{r}h""#)).join(", ");
    let regions = regions.map(region).join(", ");
    format!(
        r#"{{ "machine": "M", "events": ["Go"], "initial": "idle", "states": {{
            "idle": {{ "transitions": [{{ "on": "Go", "to": [{to}] }}] }},
            "o": {{ "regions": {{ {regions} }} }} }} }}"#
    )
}

#[test]
fn exec_7_choices_and_history_lead_to_each_other() {
    fn level(number: usize) -> String {
        let (inner, last) = match number {
            2 => (
                r#", "leaf": { "entry": "EnterLeaf" }"#.to_owned(),
                "leaf".to_owned(),
            ),
            _ => {
                let next = number + 1;
                let inner = format!(
                    r#", "x{next}": {{ "initial": "plain{next}", "history": {{ "h{next}": {{ "default": "c{next}_0" }} }},
                        "states": {{ {} }} }}"#,
                    level(next)
                );
                (inner, format!("x{next}/h{next}"))
            }
        };
        let go = if number == 0 {
            r#""transitions": [{ "on": "Go", "to": "c0_0" }]"#
        } else {
            ""
        };
        format!(
            r#"{}, "plain{number}": {{ {go} }}{inner}"#,
            chain(&format!("c{number}_"), 5, &last, false)
        )
    }
    let machine = format!(
        r#"{{ "machine": "M", "events": ["Go"], "initial": "plain0", "states": {{ {} }} }}"#,
        level(0)
    );
    let lines = agree(machine, &["tick Go".to_owned()]);
    assert_eq!(count(&lines, "action EnterLeaf"), 1);
}

#[test]
fn exec_3_three_regions_of_eleven_levels_with_five_choices_each() {
    let lines = agree(deep_choices(5, true), &["tick".to_owned()]);
    assert_eq!(
        (count(&lines, "action In "), count(&lines, "action Branch")),
        (36, 165)
    );
}

/// A machine that compiles has room for its steps.
#[test]
fn exec_3_steps_are_counted_by_the_compiler() {
    let runs = |machine: String, script: &[String]| {
        let (graph, _) = statewright_author::text::read("test.sw.json", &machine);
        match CompiledCase::new(graph) {
            Ok(_) => agree(machine, script).len(),
            Err(problem) => {
                assert!(problem.starts_with("SW0505 entering may take"), "{problem}");
                0
            }
        }
    };
    let start: Vec<bool> = (4..=6)
        .map(|choices| runs(deep_choices(choices, true), &["tick".to_owned()]) > 0)
        .collect();
    assert_eq!(
        start,
        [true, true, false],
        "236 steps with five choices each, 269 with six"
    );
    let defaults: Vec<bool> = (10..=16)
        .map(|choices| runs(deep_defaults(choices), &["tick Go".to_owned()]) > 0)
        .collect();
    assert_eq!(defaults, [true, true, true, false, false, false, false]);
}

/// Only a ROM that no compiler made has them: here the branches got their effects afterwards.
#[test]
fn exec_3_more_steps_than_the_kernel_holds_are_a_quarantine() {
    let (graph, _) = statewright_author::text::read("test.sw.json", &deep_choices(16, false));
    let compiled = CompiledCase::new(graph).unwrap();
    let mut tables = Tables::from_rom(&compiled.output.rom.as_rom());
    let effect = tables
        .initials
        .iter()
        .map(|initial| initial.effect)
        .find(|list| list.get() != NONE)
        .unwrap();
    tables
        .branches
        .iter_mut()
        .for_each(|branch| branch.effect = effect);
    let bytes = tables.to_bytes();
    let rom = Rom::from_bytes(&bytes).unwrap();
    let mut host = KernelHost::new(
        &compiled,
        ScriptedUserCode::given(BTreeMap::new(), Vec::new()),
    );
    let mut instance = Instance128::new(&rom, 1, 1).unwrap();
    let mut counters = Counters::default();
    let report = tick(
        &rom,
        &mut instance,
        &mut host,
        &Input::new(1, 0),
        &mut counters,
    );
    assert_eq!(
        (report.fault, counters.quarantines),
        (Some(Fault::TooManySteps), 1)
    );
    assert!(instance.header().has(flag::QUARANTINED));
    assert!(
        host.user_code.get_mut().take_log().is_empty(),
        "nothing has run"
    );
}

/// Three regions of eleven levels, with so many choices on the way to each.
fn deep_choices(choices: usize, effects: bool) -> String {
    fn level(region: &str, number: usize, choices: usize, effects: bool) -> String {
        if number == 14 {
            return format!(r#""{region}14": {{ "entry": "In" }}"#);
        }
        let chain = chain(
            &format!("{region}{number}c"),
            choices,
            &format!("{region}{}", number + 1),
            effects,
        );
        format!(
            r#""{region}{number}": {{ "entry": "In", "initial": {{ "to": "{region}{number}c0", "do": "Init" }},
                "states": {{ {}, {chain} }} }}"#,
            level(region, number + 1, choices, effects)
        )
    }
    let region = |r: &str| {
        format!(
            r#""{r}": {{ "initial": "{r}3", "states": {{ {} }} }}"#,
            level(r, 3, choices, effects)
        )
    };
    let regions = ["p", "q", "r"].map(region).join(", ");
    format!(
        r#"{{ "machine": "M", "events": ["Go"], "initial": "o", "states": {{ "o": {{ "regions": {{ {regions} }} }} }} }}"#
    )
}

#[test]
fn exec_8_twelve_stacks_inside_each_other() {
    const STACKS: usize = 12;
    fn states(k: usize) -> String {
        let push = format!(
            r#""exit": "ExitA", "transitions": [{{ "on": "Push{k}", "to": "p{k}", "stack": "push" }}]"#
        );
        let a = match k {
            STACKS => format!("{{ {push} }}"),
            _ => format!(
                r#"{{ "initial": "a{}", "stack": 1, "states": {{ {} }}, {push} }}"#,
                k + 1,
                states(k + 1)
            ),
        };
        format!(
            r#""a{k}": {a}, "p{k}": {{ "exit": "ExitP", "transitions": [{{ "on": "Pop{k}", "stack": "pop" }}] }}"#
        )
    }
    let names = (1..=STACKS).flat_map(|k| [format!(r#""Push{k}""#), format!(r#""Pop{k}""#)]);
    let events = names.collect::<Vec<_>>().join(", ");
    let machine = format!(
        r#"{{ "machine": "M", "events": [{events}], "initial": "a1", "stack": 1, "states": {{ {} }} }}"#,
        states(1)
    );
    let pushes = (1..=STACKS).rev().map(|k| format!("tick Push{k}"));
    let script: Vec<String> = ["tick".to_owned()]
        .into_iter()
        .chain(pushes)
        .chain(["stop".to_owned()])
        .collect();
    let lines = agree(machine, &script);
    assert_eq!(
        (count(&lines, "action ExitA"), count(&lines, "action ExitP")),
        (STACKS, STACKS)
    );
}
