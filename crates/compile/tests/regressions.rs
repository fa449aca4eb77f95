//! Mistakes that were once made by the compiler; each stays mended.

use std::collections::HashMap;

use statewright_author::parts;
use statewright_compile::{Options, compile_text, compile_with};
use statewright_rom::layout::TargetKind;

/// Codes reported for a text, each once.
fn codes(text: &str) -> Vec<&'static str> {
    let (_, diagnostics) = compile_text("case.sw.json", text, &Options::default());
    let mut codes: Vec<_> = diagnostics
        .iter()
        .map(|problem| problem.code.info().id)
        .collect();
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
    for more in [
        r#""clock": true,"#,
        r#""suspend": "A","#,
        r#""resume": "A","#,
        r#""history_reset": "on_done","#,
    ] {
        assert_eq!(codes(&choice_with(more, "Ready")), ["SW0216"], "{more}");
    }
    assert_eq!(codes(&choice_with("", "time_in_state() > 1.0")), ["SW0602"]);
    assert_eq!(codes(&choice_with("", "ticks_in_state(c) > 1")), ["SW0602"]);
    assert_eq!(
        codes(&choice_with("", "ticks_in_state(a) > 1")),
        Vec::<&str>::new()
    );
}

#[test]
fn rom_3_lists_that_multiply_are_counted_not_built() {
    let transitions = vec![r#"{ "on": "E", "to": "s1" }"#; 2_000].join(",");
    let states: Vec<String> = (0..2_000)
        .map(|state| format!("\"s{state}\": {{}}"))
        .collect();
    let text = format!(
        r#"{{ "machine": "M", "events": ["E"], "initial": "s0", "any_state": [{transitions}], "states": {{ {} }} }}"#,
        states.join(",")
    );
    assert!(codes(&text).contains(&"SW0504"));
}

/// Messages for a text.
fn messages(text: &str) -> Vec<String> {
    let (_, diagnostics) = compile_text("case.sw.json", text, &Options::default());
    diagnostics
        .iter()
        .map(|problem| problem.message.clone())
        .collect()
}

#[test]
fn rom_3_transitions_on_any_event_are_counted_not_listed() {
    let machine = |count: usize| {
        let events: Vec<String> = (0..count).map(|event| format!("\"e{event}\"")).collect();
        let transitions = vec![r#"{ "on": "*", "if": "F", "to": "a" }"#; count].join(",");
        format!(
            r#"{{ "machine": "M", "events": [{}], "initial": "a", "states": {{ "a": {{ "transitions": [{transitions}] }} }} }}"#,
            events.join(",")
        )
    };
    assert!(!codes(&machine(100)).contains(&"SW0504"));
    let told = messages(&machine(20_000));
    assert!(
        told.iter()
            .any(|text| text.contains("need 400020000 places")),
        "{:?}",
        told.first()
    );
}

#[test]
fn rom_3_a_list_of_actions_has_a_limit() {
    let machine = |count: usize| {
        let actions = vec!["\"F()\""; count].join(",");
        format!(r#"{{ "machine": "M", "states": {{ "a": {{ "entry": [{actions}] }} }} }}"#)
    };
    assert_eq!(codes(&machine(1_000)), Vec::<&str>::new());
    assert_eq!(
        messages(&machine(70_000)),
        ["70000 actions in one list, but at most 65535 fit"]
    );
}

#[test]
fn rom_3_the_limit_that_is_named_is_the_one_that_holds() {
    let machine = |count: usize| {
        let keys: Vec<String> = (0..count)
            .map(|key| format!(r#""k{key}": "i32""#))
            .collect();
        format!(
            r#"{{ "machine": "M", "blackboard": {{ {} }}, "states": {{ "a": {{}} }} }}"#,
            keys.join(",")
        )
    };
    let full = |count: usize| {
        messages(&machine(count))
            .into_iter()
            .find(|text| text.contains("but at most"))
    };
    assert_eq!(
        (full(21_844), full(21_845)),
        (
            None,
            Some("21845 blackboard keys, but at most 21844 fit".to_owned())
        )
    );
}

#[test]
fn exec_3_targets_are_no_more_than_leaves() {
    let regions: Vec<String> = (0..9)
        .map(|r| format!(r#""r{r}": {{ "states": {{ "x{r}": {{}} }} }}"#))
        .collect();
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
        r#"{{ "machine": "M", "blackboard": {{ "j": {{ "type": "bool", "host": true }} }}, "initial": "a", "states": {{
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
        assert_eq!(
            codes(&ring(state, transition)),
            Vec::<&str>::new(),
            "{state} {transition}"
        );
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

/// A machine whose state `a` has these transitions.
fn waiting(transitions: &str) -> String {
    format!(
        r#"{{ "machine": "M", "blackboard": {{ "j": {{ "type": "bool", "host": true }}, "n": {{ "type": "f32", "host": true }} }}, "initial": "a", "states": {{
            "a": {{ "transitions": [{transitions}] }},
            "b": {{ "transitions": [{{ "after": "1t", "to": "a" }}] }},
            "c": {{ "transitions": [{{ "after": "1t", "to": "a" }}] }} }} }}"#
    )
}

#[test]
fn sel_3_equal_durations_share_a_timer() {
    let text = waiting(
        r#"{ "after": "1s", "if": "j", "to": "b" }, { "after": "60t", "if": "n > 1.0", "priority": 3, "to": "c" },
           { "after": "2s", "to": "b" }"#,
    );
    let (output, _) = compile_text("case.sw.json", &text, &Options::default());
    let output = output.expect("compiles");
    assert_eq!(codes(&text), Vec::<&str>::new());
    let rom = output.rom.as_rom();
    let of_a: Vec<(u32, u16)> = rom
        .timers()
        .iter()
        .filter(|timer| timer.owner.get() == 1)
        .map(|timer| (timer.duration.raw(), timer.transition.get()))
        .collect();
    // The one declared first has the second place: the other has a higher priority.
    assert_eq!(of_a, [(60, 1), (120, 2)]);
    let triggers: Vec<u16> = rom.transitions()[..3]
        .iter()
        .map(|transition| transition.trigger.get())
        .collect();
    assert_eq!(
        (triggers[0], triggers[1] == triggers[2]),
        (triggers[1], false)
    );
    let shown = output.report.to_string();
    assert!(shown.contains("after 1s to `b` or `c`"), "{shown}");
}

#[test]
fn sel_3_equal_durations_compete() {
    let shadowed = waiting(
        r#"{ "after": "1s", "to": "b" }, { "after": "1000ms", "if": "j && n > 1.0", "to": "c" }"#,
    );
    assert_eq!(codes(&shadowed), ["SW0301"]);
    let mixed = waiting(
        r#"{ "after": "1s", "score": "n", "to": "b" }, { "after": "1s", "if": "j", "to": "c" }"#,
    );
    assert_eq!(codes(&mixed), ["SW0302"]);
}

/// A machine in which `Ping` and `Pong` raise each other; one way has something more.
fn ping_pong(more: &str) -> String {
    format!(
        r#"{{ "machine": "M", "events": ["Ping", "Pong", "Other"], "blackboard": {{ "j": {{ "type": "bool", "host": true }} }}, "initial": "a", "states": {{
            "a": {{ "transitions": [{{ "on": "Ping", "to": "b", "do": {{ "raise": "Pong" }} }}, {{ "on": "Other", "to": "b" }}] }},
            "b": {{ "transitions": [{{ "on": "Pong", "to": "a", "do": {{ "raise": "Ping" }}{more} }}] }} }} }}"#
    )
}

#[test]
fn tick_4_events_that_raise_each_other() {
    let (_, problems) = compile_text("case.sw.json", &ping_pong(""), &Options::default());
    let texts: Vec<&str> = problems
        .iter()
        .map(|problem| problem.message.as_str())
        .collect();
    assert_eq!(
        texts,
        ["events raise each other in a circle, without a guard: `Ping` → `Pong` → `Ping`"]
    );
    for more in [r#", "if": "j""#, r#", "cooldown": "1s""#] {
        assert_eq!(codes(&ping_pong(more)), Vec::<&str>::new(), "{more}");
    }
}

/// Codes of a machine with two regions that raise each other's events; the second has these states.
fn across(second: &str) -> Vec<&'static str> {
    codes(&format!(
        r#"{{ "machine": "M", "events": ["Ping", "Pong"], "blackboard": {{ "j": {{ "type": "bool", "host": true }} }}, "initial": "o", "states": {{ "o": {{ "regions": {{
            "l": {{ "states": {{ "x": {{ "transitions": [{{ "on": "Ping", "do": {{ "raise": "Pong" }} }}] }} }} }},
            "r": {{ "initial": "y", "states": {{ {second} }} }} }} }} }} }}"#
    ))
}

#[test]
fn tick_4_circles_across_regions_and_through_entries() {
    let ping = r#""do": { "raise": "Ping" }"#;
    assert_eq!(
        across(&format!(
            r#""y": {{ "transitions": [{{ "on": "Pong", {ping} }}] }}"#
        )),
        ["SW0311"]
    );
    let entry =
        r#""y": { "transitions": [{ "on": "Pong", "to": "y" }], "entry": { "raise": "Ping" } }"#;
    assert_eq!(across(entry), ["SW0311"]);
    // It comes to rest in `z`.
    let rests =
        format!(r#""y": {{ "transitions": [{{ "on": "Pong", "to": "z", {ping} }}] }}, "z": {{}}"#);
    assert_eq!(across(&rests), Vec::<&str>::new());
    // A state inside answers first.
    let inside = format!(
        r#""y": {{ "transitions": [{{ "on": "Pong", {ping} }}], "initial": "w", "states": {{
            "w": {{ "transitions": [{{ "on": "Pong", "if": "j", "kind": "internal" }}] }} }} }}"#
    );
    assert_eq!(across(&inside), Vec::<&str>::new());
}

/// Codes of a machine whose root and state `a` have these transitions; `a` has the leaves `x` and
/// `y`.
fn levels(root: &str, a: &str, x: &str, y: &str, more: &str) -> Vec<&'static str> {
    codes(&format!(
        r#"{{ "machine": "M", "events": ["E", "F"], "blackboard": {{ "j": {{ "type": "bool", "host": true }} }}, "initial": "a", {more}
            "transitions": [{root}], "states": {{
                "a": {{ "transitions": [{a}, {{ "on": "F", "if": "j", "to": "b" }}], "initial": "x", "states": {{
                    "x": {{ "transitions": [{x}] }}, "y": {{ "transitions": [{y}] }} }} }},
                "b": {{ "transitions": [{{ "on": "F", "if": "j", "to": "a/y" }}] }} }} }}"#
    ))
}

#[test]
fn sel_2_an_interrupt_around_is_always_first() {
    let none = Vec::<&str>::new();
    let (stop, plain) = (
        r#"{ "on": "E", "to": "b", "interrupt": true }"#,
        r#"{ "on": "E", "to": "b" }"#,
    );
    let own = r#"{ "on": "E", "do": "A" }"#;
    let idle = r#"{ "on": "F", "if": "j", "do": "A" }"#;
    assert_eq!(levels(stop, own, idle, idle, ""), ["SW0301"]);
    assert_eq!(levels(stop, idle, own, idle, ""), ["SW0301"]);
    assert_eq!(levels(idle, stop, own, idle, ""), ["SW0301"]);
    assert_eq!(levels(plain, own, idle, idle, ""), none);
    for held in [r#", "if": "j""#, r#", "cooldown": "1s""#] {
        let stop = format!(r#"{{ "on": "E", "to": "b", "interrupt": true{held} }}"#);
        assert_eq!(levels(&stop, own, idle, idle, ""), none, "{held}");
    }
    // `any` is no timer, and a timer may stand for the event.
    let any = r#"{ "on": "*", "do": "A", "interrupt": true }"#;
    let timer = r#""timers": { "t": { "event": "E" } },"#;
    let any_levels = |more| {
        codes(&format!(
            r#"{{ "machine": "M", "events": ["E"], "initial": "b", {more} "transitions": [{any}],
                "states": {{ "b": {{ "transitions": [{own}] }} }} }}"#
        ))
    };
    assert_eq!((any_levels(""), any_levels(timer)), (vec!["SW0301"], none));
}

#[test]
fn sel_2_what_every_state_inside_takes_is_never_left_over() {
    let none = Vec::<&str>::new();
    let (out, own) = (r#"{ "on": "E", "to": "b" }"#, r#"{ "on": "E", "do": "A" }"#);
    let guarded = r#"{ "on": "E", "if": "j", "do": "A" }"#;
    let idle = r#"{ "on": "F", "if": "j", "do": "A" }"#;
    assert_eq!(levels(idle, out, own, own, ""), ["SW0301"]);
    assert_eq!(levels(idle, out, own, guarded, ""), none);
    assert_eq!(levels(idle, out, own, idle, ""), none);
    // `b` has none.
    assert_eq!(levels(own, idle, own, own, ""), none);
    let interrupt = r#"{ "on": "E", "to": "b", "interrupt": true, "if": "j" }"#;
    assert_eq!(levels(idle, interrupt, own, own, ""), none);
}

#[test]
fn a_flag_that_is_off_excludes_nothing() {
    assert_eq!(
        codes(&choice_with(r#""final": false,"#, "Ready")),
        Vec::<&str>::new()
    );
    assert!(codes(&choice_with(r#""final": true,"#, "Ready")).contains(&"SW0012"));
    let regions = r#"{ "machine": "M", "states": { "o": { "final": false, "regions": {
        "l": { "states": { "x": {} } }, "r": { "states": { "y": {} } } } } } }"#;
    assert_eq!(codes(regions), Vec::<&str>::new());
}

#[test]
fn a_raw_control_character_is_one_problem() {
    assert_eq!(
        codes("{ \"machine\": \"M\", \"states\": { \"a\tb\": {} } }"),
        ["SW0001"]
    );
    assert_eq!(
        codes("{ \"machine\": \"M\\u0007\", \"states\": { \"a\": {} } }"),
        ["SW0008"]
    );
}

#[test]
fn code_4_a_call_may_stand_in_parentheses() {
    let machine = |code: &str| {
        format!(
            r#"{{ "machine": "M", "events": ["E"], "initial": "a", "states": {{ "a": {{ "transitions": [{{ "on": "E", {code}, "do": "A" }}] }} }} }}"#
        )
    };
    let bytes = |code: &str| {
        let (output, problems) = compile_text("case.sw.json", &machine(code), &Options::default());
        assert!(problems.is_empty(), "{code}: {:?}", problems.iter().next());
        output.expect("compiles").rom.as_bytes().to_vec()
    };
    assert_eq!(
        bytes(r#""score": "((Need(1)))""#),
        bytes(r#""score": "Need(1)""#)
    );
    assert_eq!(bytes(r#""score": "(Need)""#), bytes(r#""score": "Need""#));
    assert_eq!(bytes(r#""if": "(Near(1))""#), bytes(r#""if": "Near(1)""#));
    assert_eq!(codes(&machine(r#""score": "(Need(1)""#)), ["SW0601"]);
}

#[test]
fn tick_4_a_fail_safe_may_be_a_choice_or_a_history_point() {
    let machine = |entry: &str| {
        format!(
            r#"{{ "machine": "M", "events": ["E"], "fail_safe": "{entry}", "reload_entry": "{entry}", "initial": "a", "states": {{
                "a": {{ "transitions": [{{ "on": "E", "to": "w" }}] }},
                "pick": {{ "choice": [{{ "if": "Ready", "to": "a" }}, {{ "to": "w" }}] }},
                "w": {{ "initial": "x", "history": {{ "last": {{}} }}, "states": {{
                    "x": {{ "transitions": [{{ "on": "E", "to": "y" }}] }}, "y": {{ "final": true }} }} }} }} }}"#
        )
    };
    for (entry, kind) in [
        ("w", TargetKind::State),
        ("w/last", TargetKind::History),
        ("pick", TargetKind::Choice),
        ("w/y", TargetKind::State),
    ] {
        let (output, problems) = compile_text("case.sw.json", &machine(entry), &Options::default());
        assert!(
            problems
                .iter()
                .all(|problem| problem.code.info().id == "SW0214"),
            "{entry}"
        );
        let output = output.expect("compiles");
        let rom = output.rom.as_rom();
        assert_eq!(rom.fail_safe(), rom.reload_entry());
        let targets = rom.targets_of(rom.fail_safe().expect("a fail-safe"));
        let kinds: Vec<_> = targets.iter().map(|target| target.kind.get()).collect();
        assert_eq!(kinds, [kind], "{entry}");
    }
    assert!(codes(&machine("root")).contains(&"SW0316"));
}

/// What is suggested for a text, one entry per problem that has help.
fn suggestions(text: &str) -> Vec<String> {
    let (_, diagnostics) = compile_text("case.sw.json", text, &Options::default());
    let helps = diagnostics
        .iter()
        .filter_map(|problem| problem.help.clone());
    helps
        .filter(|help| help.starts_with("did you mean"))
        .collect()
}

/// A file full of unknown names that are close to thousands of others: names of states, events,
/// keys, functions and children of a state.
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
    assert!(
        (1..=statewright_author::limits::MAX_DIAGNOSTICS).contains(&many),
        "{many}"
    );
}

#[test]
fn one_suggestion_takes_a_bounded_number_of_steps() {
    use statewright_author::similar::{MOST_STEPS, search};
    let names: Vec<String> = (0..7_000)
        .map(|i| format!("{}{i}", "n".repeat(40)))
        .collect();
    let found = search(
        &format!("{}x1", "n".repeat(40)),
        names.iter().map(String::as_str),
    );
    assert_eq!(found.found, Some(names[1].as_str()));
    assert!(found.steps < MOST_STEPS + 10_000, "{}", found.steps);
}

#[test]
fn suggestions_look_at_case() {
    let text = r#"{ "machine": "M", "initial": "idel", "states": { "Idle": {}, "idle": {} } }"#;
    assert_eq!(suggestions(text), ["did you mean `idle`?"]);
}

#[test]
fn sel_3_the_kernel_compares_a_bounded_number_of_scores() {
    let scored = |count: usize| {
        let transitions = vec![r#"{ "on": "E", "to": "b", "score": "Need" }"#; count].join(", ");
        let text = format!(
            r#"{{ "machine": "M", "initial": "a", "events": ["E"], "states": {{ "a": {{ "transitions": [{transitions}] }}, "b": {{}} }} }}"#
        );
        codes(&text).contains(&"SW0504")
    };
    assert!(!scored(64));
    assert!(scored(65));
}

#[test]
fn exec_7_choices_lead_in_no_circle_through_history() {
    let machine = |last: &str| {
        format!(
            r#"{{ "machine": "M", "initial": "a", "events": ["Go"], "states": {{
                "a": {{ "transitions": [{{ "on": "Go", "to": "o/c" }}] }},
                "o": {{ "initial": "x", "history": {{ "h": {{ "default": "c" }} }}, "states": {{
                    "c": {{ "choice": [{{ "if": "Ready", "to": "x" }}, {{ "to": "{last}" }}] }}, "x": {{}} }} }} }} }}"#
        )
    };
    assert!(
        codes(&machine("o/h")).contains(&"SW0208"),
        "{:?}",
        codes(&machine("o/h"))
    );
    assert!(!codes(&machine("x")).contains(&"SW0208"));
}

#[test]
fn every_mistake_of_a_transition_is_reported_at_once() {
    let machine = |transition: &str| {
        format!(
            r#"{{ "machine": "M", "events": {{ "E": {{}}, "Hit": {{ "payload": "i32" }} }}, "blackboard": {{ "hp": "i32" }},
                "initial": "a", "states": {{ "a": {{ "transitions": [{transition}] }} }} }}"#
        )
    };
    let errors = |transition: &str| {
        let text = machine(transition);
        let (_, diagnostics) = compile_text("case.sw.json", &text, &Options::default());
        diagnostics.errors()
    };
    assert_eq!(
        errors(r#"{ "after": "5", "to": "c" }"#),
        2,
        "the duration and the state"
    );
    assert_eq!(
        errors(r#"{ "on": "F", "to": "c" }"#),
        2,
        "the event and the state"
    );
    assert_eq!(
        errors(r#"{ "on": "E", "do": { "send": "Hit", "payload": 2.5, "to": "hp" } }"#),
        2,
        "what it carries and who gets it"
    );
    assert_eq!(
        errors(r#"{ "on": "E", "do": { "start": "t", "after": "5" } }"#),
        2,
        "the duration and the timer"
    );
}

#[test]
fn the_report_has_no_back_quotes_inside_back_quotes() {
    let part = r#"{ "machine": "Dice", "events": ["Roll"], "parameters": { "luck": 0.5 }, "initial": "a",
      "states": { "a": { "transitions": [{ "on": "Roll", "if": "random() < luck", "to": "b" }] }, "b": {} } }"#;
    let text = r#"{ "machine": "M", "events": ["Roll"], "states": { "game": { "use": "dice.sw.json" } } }"#;
    let files = HashMap::from([("dice.sw.json", part)]);
    let (machine, problems) = parts::read("m.sw.json", text, &files);
    let (output, _) = compile_with(&machine, problems, &Options::default());
    let report = output.expect("a machine").report;
    assert_eq!(report.rng_functions, ["`` random() < `game/luck` ``"]);
}
