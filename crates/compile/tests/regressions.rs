//! Mistakes that were once made by the compiler; each stays mended.

use statewright_compile::{Options, compile_text};

/// Codes reported for a text, each once.
fn codes(text: &str) -> Vec<&'static str> {
    let (_, diagnostics) = compile_text("case.sw.json", text, &Options::default());
    let mut codes: Vec<_> = diagnostics.iter().map(|problem| problem.code.info().id).collect();
    codes.dedup();
    codes
}

/// A machine whose state `c` is a choice with something more.
fn choice_with(more: &str, guard: &str) -> String {
    format!(
        r#"{{ "machine": "M", "events": ["E"], "initial": "a", "states": {{
            "a": {{ "transitions": [{{ "on": "E", "to": "c" }}] }},
            "c": {{ {more} "choice": [{{ "if": "{guard}", "to": "b" }}, {{ "to": "a" }}] }},
            "b": {{ "transitions": [{{ "on": "E", "to": "a" }}] }} }} }}"#
    )
}

#[test]
fn exec_7_a_choice_has_branches_only() {
    for more in [r#""clock": true,"#, r#""suspend": "A","#, r#""resume": "A","#, r#""history_reset": "on_done","#] {
        assert_eq!(codes(&choice_with(more, "Ready")), ["SW0216"], "{more}");
    }
    assert_eq!(codes(&choice_with("", "time_in_state() > 1.0")), ["SW0602"]);
    assert_eq!(codes(&choice_with("", "ticks_in_state(c) > 1")), ["SW0602"]);
    assert_eq!(codes(&choice_with("", "ticks_in_state(a) > 1")), Vec::<&str>::new());
}

#[test]
fn rom_3_lists_that_multiply_are_counted_not_built() {
    let transitions = vec![r#"{ "on": "E", "to": "s1" }"#; 2_000].join(",");
    let states: Vec<String> = (0..2_000).map(|state| format!("\"s{state}\": {{}}")).collect();
    let text = format!(
        r#"{{ "machine": "M", "events": ["E"], "initial": "s0", "any_state": [{transitions}], "states": {{ {} }} }}"#,
        states.join(",")
    );
    assert!(codes(&text).contains(&"SW0504"));
}

#[test]
fn exec_3_targets_are_no_more_than_leaves() {
    let regions: Vec<String> = (0..9).map(|r| format!(r#""r{r}": {{ "states": {{ "x{r}": {{}} }} }}"#)).collect();
    let targets: Vec<String> = (0..9).map(|r| format!("\"x{r}\"")).collect();
    let text = format!(
        r#"{{ "machine": "M", "events": ["E"], "initial": "o", "states": {{ "o": {{ "regions": {{ {} }},
            "transitions": [{{ "on": "E", "to": [{}] }}] }} }} }}"#,
        regions.join(","),
        targets.join(",")
    );
    assert!(codes(&text).contains(&"SW0210"));
}

/// Two states that lead to each other by `always`.
fn ring(state: &str, transition: &str) -> String {
    format!(
        r#"{{ "machine": "M", "blackboard": {{ "j": "bool" }}, "initial": "a", "states": {{
            "a": {{ {state} "transitions": [{{ "when": "always", {transition} "to": "b" }}] }},
            "b": {{ {state} "transitions": [{{ "when": "always", {transition} "to": "a" }}] }} }} }}"#
    )
}

#[test]
fn sel_6_waiting_ends_a_circle_within_the_tick() {
    assert_eq!(codes(&ring("", "")), ["SW0310"]);
    assert_eq!(codes(&ring("", r#""if": "j","#)), ["SW0311"]);
    for (state, transition) in [
        (r#""min_active": "1s","#, ""),
        ("", r#""if": "j", "debounce": "1s","#),
        ("", r#""if": "j", "cooldown": "1s","#),
        ("", r#""cooldown": "1s","#),
    ] {
        assert_eq!(codes(&ring(state, transition)), Vec::<&str>::new(), "{state} {transition}");
    }
}

#[test]
fn code_8_a_state_may_answer_before_what_it_shares() {
    let text = r#"{ "machine": "M", "events": ["E"], "initial": "a", "any_state": [{ "on": "E", "to": "a" }], "states": {
        "a": { "transitions": [{ "on": "E", "to": "c" }] }, "c": {} } }"#;
    assert_eq!(codes(text), Vec::<&str>::new());
}

#[test]
fn exec_8_a_push_across_regions_is_one_problem() {
    let text = r#"{ "machine": "M", "events": ["E"], "initial": "o", "states": { "o": { "regions": {
        "l": { "states": { "x": { "transitions": [{ "on": "E", "to": "y", "stack": "push" }] } } },
        "r": { "states": { "y": {} } } } } } }"#;
    assert_eq!(codes(text), ["SW0307"]);
}

#[test]
fn exec_8_many_pushes_are_refused_in_time() {
    let states: Vec<String> = (0..3_000)
        .map(|n| {
            let to = (n + 1) % 3_000;
            format!(
                r#""s{n}": {{ "transitions": [{{ "on": "E", "to": "t{n}", "stack": "push" }}] }},
                   "t{n}": {{ "transitions": [{{ "on": "E", "to": "t{to}" }}] }}"#
            )
        })
        .collect();
    let text = format!(
        r#"{{ "machine": "M", "events": ["E"], "initial": "s0", "stack": 1, "states": {{ {} }} }}"#,
        states.join(",")
    );
    assert_eq!(codes(&text), ["SW0504"]);
}

/// What is suggested for a text, one entry per problem that has help.
fn suggestions(text: &str) -> Vec<String> {
    let (_, diagnostics) = compile_text("case.sw.json", text, &Options::default());
    let helps = diagnostics.iter().filter_map(|problem| problem.help.clone());
    helps.filter(|help| help.starts_with("did you mean")).collect()
}

/// A file full of unknown names that are close to thousands of others: names of states, events, keys, functions
/// and children of a state.
fn full_of_slips(count: usize) -> String {
    let stem = "n".repeat(40);
    let list = |item: &dyn Fn(usize) -> String| (0..count).map(item).collect::<Vec<_>>().join(",");
    let events = list(&|i| format!(r#""{stem}{i}""#));
    let keys = list(&|i| format!(r#""{stem}{i}": "i32""#));
    let functions = list(&|i| format!(r#""{stem}f{i}": "action""#));
    let children = list(&|i| format!(r#""{stem}x{i}""#));
    let states = list(&|i| {
        format!(
            r#""{stem}{i}": {{ "entry": "{stem}g{i}", "transitions": [
                {{ "on": "{stem}y{i}", "to": "{stem}x{i}", "if": "{stem}z{i} > 1" }} ] }}"#
        )
    });
    format!(
        r#"{{ "machine": "M", "initial": "{stem}0", "events": [{events}], "blackboard": {{ {keys} }},
            "functions": {{ {functions} }}, "any_state": [{{ "on": "{stem}1", "to": "{stem}1", "include": [{children}] }}],
            "states": {{ {states} }} }}"#
    )
}

#[test]
fn files_full_of_slips_have_some_suggestions() {
    let few = suggestions(&full_of_slips(5));
    assert!(few.iter().any(|help| help.contains("n0`")), "{few:?}");
    // Each kind of name is looked up only so often, and nothing that is not shown.
    let many = suggestions(&full_of_slips(1_000)).len();
    assert!((1..=statewright_author::limits::MAX_DIAGNOSTICS).contains(&many), "{many}");
}

#[test]
fn one_suggestion_takes_a_bounded_number_of_steps() {
    use statewright_author::similar::{MOST_STEPS, search};
    let names: Vec<String> = (0..7_000).map(|i| format!("{}{i}", "n".repeat(40))).collect();
    let found = search(&format!("{}x1", "n".repeat(40)), names.iter().map(String::as_str));
    assert_eq!(found.found, Some(names[1].as_str()));
    assert!(found.steps < MOST_STEPS + 10_000, "{}", found.steps);
}

#[test]
fn suggestions_look_at_case() {
    let text = r#"{ "machine": "M", "initial": "idel", "states": { "Idle": {}, "idle": {} } }"#;
    assert_eq!(suggestions(text), ["did you mean `idle`?"]);
}
