//! The description of a machine that uses everything, with and without names, and what changes
//! between two.

use serde_json::{Value, json};

use statewright_compile::{Options, Output, compile_text};
use statewright_describe::{
    Comparison, Description, EventField, MatchedBy, ReloadKind, StateField, diff, tables, to_text,
};
use statewright_rom::layout::{PayloadKind, StateKind, Tier, policy};

const FULL: &str = include_str!("describe/full.sw.json");

fn compiled(text: &str) -> Output {
    let (output, problems) = compile_text("full.sw.json", text, &Options::default());
    output.unwrap_or_else(|| panic!("{problems:#?}"))
}

fn description(text: &str) -> Description {
    let output = compiled(text);
    Description::new(&output.rom.as_rom(), Some(&output.symbols))
}

fn described(text: &str) -> Value {
    description(text).to_json()
}

fn state<'v>(model: &'v Value, path: &str) -> &'v Value {
    model["states"]
        .as_array()
        .unwrap()
        .iter()
        .find(|state| state["path"] == path)
        .unwrap()
}

#[test]
fn declarations_are_complete() {
    let model = &described(FULL)["model"];
    assert_eq!(model["machine"], "Full");
    assert_eq!(
        (&model["tier"], &model["tick_rate"]),
        (&json!("hero"), &json!(30))
    );
    assert_eq!(model["policies"]["immediate_update"], true);
    assert_eq!(model["policies"]["strict_writes"], false);
    let budgets = json!({ "events_per_tick": 7, "microsteps_per_tick": 32, "clamp_limit": 5, "command_bytes": 1024 });
    assert_eq!(model["budgets"], budgets);
    assert_eq!(
        (&model["fail_safe"], &model["reload_entry"]),
        (&json!("rest"), &Value::Null)
    );
    assert_eq!(
        model["events"][0],
        json!({ "name": "Hit", "class": "interrupt", "payload": "i32", "payload_bytes": 4, "coalesce": true, "ttl": 60, "indirect": false, "ephemeral": true })
    );
    assert_eq!(
        model["events"][2],
        json!({ "name": "Blob", "class": "normal", "payload": "bytes", "payload_bytes": 4, "coalesce": false, "ttl": null, "indirect": true, "ephemeral": false })
    );
    assert_eq!(
        model["blackboard"],
        json!([
            { "name": "health", "type": "i32", "default": 100 },
            { "name": "speed", "type": "f32", "default": 0.1 },
            { "name": "home", "type": "vec3", "default": [1.0, 2.5, -3.0] },
            { "name": "mood", "type": "symbol", "default": "calm" },
            { "name": "friend", "type": "entity", "default": 0 },
        ])
    );
    assert_eq!(
        model["parameters"][0],
        json!({ "name": "limit", "type": "i32", "value": 3 })
    );
    assert_eq!(
        model["variants"],
        json!([{ "name": "elite", "values": { "limit": 9, "brave": true } }])
    );
    assert_eq!(
        model["channels"],
        json!([{ "name": "legs", "release": "Halt", "lane": "quest" }])
    );
    assert_eq!(
        model["lanes"],
        json!([
            { "name": "quest", "merge": "deduplicate", "critical": true, "key": "lane", "scope": "agent", "cap": null },
            { "name": "audio", "merge": "deduplicate", "critical": false, "key": "lane", "scope": "crowd", "cap": 4 }
        ])
    );
    assert_eq!(
        model["timers"],
        json!([{ "name": "fuse", "instances": 2, "class": "low", "event": "Go" }])
    );
    assert_eq!(
        model["observers"],
        json!([{ "event": null, "do": ["Log(3)"] }, { "event": "Hit", "do": ["raise Go"] }])
    );
    assert_eq!(
        model["functions"][0],
        json!({ "name": "Ready", "kind": "guard", "returns": null, "rng": false })
    );
}

#[test]
fn states_and_transitions_are_complete() {
    let described = described(FULL);
    let model = &described["model"];
    let paths: Vec<&str> = model["states"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| s["path"].as_str().unwrap())
        .collect();
    assert_eq!(
        paths,
        [
            "root",
            "work",
            "work/walk",
            "work/sit",
            "work/aim",
            "work/fire",
            "rest",
            "pick",
            "help",
            "end"
        ]
    );
    let work = state(model, "work");
    assert_eq!(work["kind"], "orthogonal");
    assert_eq!(
        work["regions"][1],
        json!({ "name": "arms", "initial": { "to": ["work/aim"], "do": ["speed = 0.5"] }, "stack": null, "children": ["work/aim", "work/fire"] })
    );
    assert_eq!(
        work["history"],
        json!([{ "name": "last", "deep": true, "default": ["work/sit", "work/fire"], "do": ["Log(1)"], "restore_on_entry": true }])
    );
    assert_eq!(
        (&work["defer"], &work["owns"]),
        (&json!(["Go", "Blob"]), &json!(["legs"]))
    );
    assert_eq!(
        (&work["min_active"], &work["clock"], &work["exit_ready"]),
        (&json!(15), &json!(true), &json!("Ready()"))
    );
    assert_eq!(
        work["timers"],
        json!([{ "name": "nap", "class": "normal", "event": null }])
    );
    assert_eq!(
        work["scratch"],
        json!([{ "name": "notes", "slots": 2, "type": null }])
    );
    assert_eq!(
        work["entry"],
        json!([
            "health = 100",
            "health -= 10",
            "raise Go",
            "send Hit(health) to friend",
            "emit quest Done(home.x)",
            "start nap 3t",
            "stop fuse",
            "clear_history work",
            "if health > limit { Log(3); if in(work/sit) { Log(4) } else { raise Go } } else { health = 1 }",
            "if in(work/sit) {  } else { health = 2 }"
        ])
    );
    let triggers: Vec<_> = work["transitions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|t| &t["trigger"])
        .collect();
    assert_eq!(
        triggers,
        ["on *", "on Hit", "timer nap", "after 45t", "always"],
        "priority first, then declaration"
    );
    let hit = json!({
        "name": "ouch", "trigger": "on Hit", "if": "event > limit && in(work/sit)", "to": ["work/walk", "work/aim"],
        "do": ["Log(2)"], "kind": "local", "stack": null, "priority": 2, "interrupt": false, "score": null,
        "threshold": null, "cooldown": 30, "debounce": null, "stay": false, "latch": false, "listed": false,
    });
    assert_eq!(work["transitions"][1], hit);
    let always = &work["transitions"][4];
    assert_eq!(
        (&always["debounce"], &always["latch"], &always["to"]),
        (&json!(6), &json!(true), &json!(["pick"]))
    );
    let rest = &state(model, "rest")["transitions"];
    assert_eq!(
        (&rest[0]["score"], &rest[0]["threshold"]),
        (&json!("Need(1)"), &json!(0.5))
    );
    assert_eq!(
        (&rest[1]["score"], &rest[1]["threshold"]),
        (&json!("speed * 2.0"), &json!(0.0))
    );
    assert_eq!(
        (&rest[2]["stack"], &rest[2]["to"]),
        (&json!("push"), &json!(["help"]))
    );
    assert_eq!(state(model, "help")["transitions"][0]["stack"], "pop");
    assert_eq!(
        state(model, "pick")["branches"],
        json!([{ "if": "!Ready()", "to": ["work/last"], "do": ["Log(4)"] }, { "if": null, "to": ["rest"], "do": [] }])
    );
    assert_eq!(state(model, "root")["regions"][0]["stack"], 1);
}

#[test]
fn names_are_numbers_without_symbols() {
    let output = compiled(FULL);
    let rom = output.rom.as_rom();
    let model = Description::new(&rom, None).to_json()["model"].take();
    assert_eq!(model["machine"], Value::Null);
    let work = state(&model, "state_1");
    assert_eq!(
        work["transitions"][1]["if"],
        "event > parameter_0 && in(state_3)"
    );
    assert_eq!(work["entry"][3], "send event_0(key_0) to key_4");
    assert_eq!(work["regions"][1]["name"], "region_2");
    // All texts of expressions can be read again.
    for state in model["states"].as_array().unwrap() {
        for transition in state["transitions"].as_array().unwrap() {
            if let Some(guard) = transition["if"].as_str() {
                assert!(statewright_author::expr::parse(guard).is_ok(), "{guard}");
            }
        }
    }
}

#[test]
fn layout_says_where_everything_lies() {
    let output = compiled(FULL);
    let rom = output.rom.as_rom();
    let layout = &Description::new(&rom, Some(&output.symbols)).to_json()["layout"];
    assert_eq!(layout["bytes"], rom.bytes().len());
    assert_eq!(
        (&layout["instance_bytes"], &layout["dispatch"]),
        (&json!(256), &json!("dense"))
    );
    assert_eq!(
        layout["hashes"]["structure"],
        format!("{:016x}", rom.structure_hash())
    );
    for section in layout["sections"].as_array().unwrap() {
        let number = |key: &str| section[key].as_u64().unwrap() as usize;
        assert!(
            number("offset") + number("record_size") * number("count") <= rom.bytes().len(),
            "{section}"
        );
    }
    for (key, resource) in [("leaves", "leaf"), ("timers", "place"), ("slots", "slot")] {
        let used = layout["used"][key].as_u64().unwrap();
        let reported = output
            .report
            .resources
            .iter()
            .find(|r| r.resource == key)
            .unwrap();
        assert_eq!(
            used,
            u64::from(reported.used),
            "{key}: the same as in the report"
        );
        assert!(
            layout[key]
                .as_array()
                .unwrap()
                .iter()
                .all(|item| item[resource].as_u64().unwrap() < used)
        );
    }
    assert_eq!(layout["stable_ids"]["states"].as_array().unwrap().len(), 10);
    assert_eq!(
        layout["costs"].as_array().unwrap().len(),
        rom.transitions().len()
    );
}

#[test]
fn text_and_tables_show_every_state_and_section() {
    let output = compiled(FULL);
    let rom = output.rom.as_rom();
    let text = to_text(&rom, Some(&output.symbols));
    for part in [
        "walk",
        "region arms",
        "pick (choice)",
        "end (final)",
        "deep history last",
        "[push]",
        "has scratch notes",
    ] {
        assert!(text.contains(part), "no `{part}` in\n{text}");
    }
    assert_eq!(
        text.lines().find(|line| line.ends_with(' ')),
        None,
        "no space at the end of lines"
    );
    let raw = tables(&rom);
    for &section in statewright_rom::layout::Section::ALL {
        let is_there = raw
            .lines()
            .any(|line| line.starts_with(&format!("{} (", section.name())));
        assert_eq!(is_there, rom.count(section) > 0, "{}", section.name());
    }
}

#[test]
fn compare_finds_what_changed() {
    let old = description(FULL);
    let compare = Comparison::new;
    assert!(compare(&old, &old).same);
    let change = |from: &str, to: &str| {
        assert!(FULL.contains(from), "{from}");
        compare(&old, &description(&FULL.replace(from, to)))
    };
    let shown = |comparison: &Comparison| comparison.to_string();

    let duration = change("\"1.5s\"", "\"2s\"");
    assert!(!duration.structure_changed && duration.parameters_changed);
    assert_eq!(duration.changes.len(), 1, "{}", shown(&duration));
    assert!(
        shown(&duration).contains("trigger: after 45t -> after 60t"),
        "{}",
        shown(&duration)
    );

    let parameter = change("\"limit\": 3", "\"limit\": 4");
    assert!(
        shown(&parameter).contains("~ parameter limit\n    value: 3 -> 4"),
        "{}",
        shown(&parameter)
    );

    let policy = change("\"immediate_update\": true", "\"immediate_update\": false");
    assert!(
        shown(&policy).contains("immediate_update: true -> false"),
        "{}",
        shown(&policy)
    );

    let key = change(
        "\"health\": { \"type\": \"i32\", \"default\": 100 }",
        "\"health\": { \"type\": \"i32\", \"default\": 9 }",
    );
    assert!(
        !key.structure_changed && shown(&key).contains("default: 100 -> 9"),
        "{}",
        shown(&key)
    );

    let order = change("\"walk\": {}, \"sit\": {}", "\"sit\": {}, \"walk\": {}");
    assert!(
        order.structure_changed && shown(&order).contains("^ states: in another order"),
        "{}",
        shown(&order)
    );
    assert!(order.reload.states_gone.is_empty(), "{}", shown(&order));

    let renamed = change("\"walk\"", "\"run\"");
    assert_eq!(renamed.reload.states_gone, ["work/walk"]);

    let named = |event: &str| {
        let file = r#"{ "machine": "M", "events": { "E": { "id": "e1" }, "F": {} }, "initial": "a", "observers": [{ "on": "E", "do": "See" }],
            "timers": { "t": { "event": "E" } }, "states": { "a": {
                "entry": { "raise": "E" }, "defer": ["F"], "transitions": [{ "on": "E", "do": { "send": "E" }, "to": "b" }] },
                "b": { "defer": ["E"], "transitions": [{ "on": "F", "to": "a" }] } } }"#;
        description(&file.replace("\"E\"", &format!("\"{event}\"")))
    };
    let event = compare(&named("E"), &named("E now"));
    assert_eq!(
        shown(&event).lines().next(),
        Some("~ event E"),
        "{}",
        shown(&event)
    );
    assert_eq!(event.changes.len(), 1, "{}", shown(&event));

    let machine = change("\"machine\": \"Full\"", "\"machine\": \"Other\"");
    assert!(
        shown(&machine).contains("every agent would start anew"),
        "{}",
        shown(&machine)
    );
}

#[test]
fn load_1_the_plan_says_what_became_of_everything() {
    let file = |text: &str| {
        let head =
            r#""machine": "M", "id": "aa", "events": { "E": { "id": "e1" }, "F": { "id": "f1" } }"#;
        description(&format!("{{ {head}, {text} }}"))
    };
    let old = file(
        r#""initial": "a", "states": {
            "a": { "id": "1", "transitions": [{ "id": "71", "on": "E", "to": "b" }, { "id": "72", "on": "F", "to": "c" }] },
            "b": { "id": "2" }, "c": { "id": "3" } }"#,
    );
    let plan = diff(&old, &old);
    assert_eq!(plan.kind, ReloadKind::Nothing);
    assert!(
        plan.states
            .old
            .iter()
            .all(|(id, fate)| fate.by_stable_id() == Some(*id))
    );
    assert!(plan.states.new.is_empty() && plan.transitions.new.is_empty());
    // `a` is called `home`, `b` is gone, `d` is new, and the transition to `c` belongs to `c` itself.
    let new = file(
        r#""initial": "home", "states": {
            "d": {},
            "home": { "id": "1", "entry": "Log", "transitions": [{ "id": "71", "on": "E", "to": "d" }] },
            "c": { "id": "3", "transitions": [{ "id": "72", "on": "F", "to": "c" }] } }"#,
    );
    let plan = diff(&old, &new);
    assert_eq!(
        (plan.kind, plan.is_another_machine),
        (ReloadKind::Structure, false)
    );
    let state = |path: &str| old.model.states.iter().find(|s| s.path == path).unwrap().id;
    let found = |path: &str| new.model.states.iter().find(|s| s.path == path).unwrap().id;
    let home = plan.states.fate(state("a")).unwrap().kept().unwrap();
    assert_eq!(
        (home.to, home.by, home.moved),
        (found("home"), MatchedBy::StableId, true)
    );
    assert_eq!(home.changed, [StateField::Path, StateField::Entry]);
    assert_eq!(plan.states.lost().collect::<Vec<_>>(), [state("b")]);
    assert_eq!(plan.states.new, [found("d")]);
    let moved = &plan.transitions.old[1].1.kept().unwrap();
    assert!(moved.moved && moved.by == MatchedBy::StableId, "{moved:?}");
    assert!(plan.events.old.iter().all(|(_, fate)| {
        fate.kept()
            .is_some_and(|kept| kept.changed == [] as [EventField; 0] && !kept.moved)
    }));
}

/// The description of the JSON lists the words that may stand there.
#[test]
fn the_documentation_lists_every_word() {
    let page = include_str!("../../describe/src/lib.rs");
    let row = |key: &str| {
        let start = format!("//! | `{key}` |");
        page.lines().find(|line| line.starts_with(&start)).unwrap()
    };
    let payloads = PayloadKind::ALL.into_iter();
    let payloads =
        payloads.filter(|&kind| kind != PayloadKind::Empty && kind.value_type().is_none());
    let lists = [
        ("tier", Tier::NAMES.to_vec()),
        ("policies", policy::TABLE.map(|(_, name)| name).to_vec()),
        ("kind", StateKind::NAMES.to_vec()),
        ("events", payloads.map(PayloadKind::name).collect()),
    ];
    for (key, words) in lists {
        for word in words {
            assert!(row(key).contains(&format!("`{word}`")), "`{key}`: `{word}`");
        }
    }
}

/// Actions read as they are mostly written, and mean the same when they are compiled again.
#[test]
fn what_takes_away_is_shown_as_it_is_written() {
    let machine = |action: &str| {
        format!(
            r#"{{ "machine": "M", "blackboard": {{ "ammo": "i32", "mood": "f32", "at": "vec2" }},
                "parameters": {{ "cost": 3 }}, "states": {{ "s": {{ "entry": "{action}" }} }} }}"#
        )
    };
    let shown = |action: &str| {
        let model = &described(&machine(action))["model"];
        state(model, "s")["entry"][0].as_str().unwrap().to_owned()
    };
    for written in [
        "ammo -= 1",
        "ammo += 1",
        "ammo -= cost",
        "ammo -= ammo + cost",
        "ammo -= ammo - cost",
        "mood -= 0.25",
        "mood -= 0.0",
        "mood += 0.0",
        "at -= at * 2.0",
        "ammo = -1",
        "ammo += -2147483648",
        "ammo += 3 - cost",
    ] {
        assert_eq!(shown(written), written);
    }
    for (written, canonical) in [
        ("ammo += -1", "ammo -= 1"),
        ("ammo -= -1", "ammo += 1"),
        ("mood += -mood", "mood -= mood"),
    ] {
        assert_eq!(shown(written), canonical);
        let [before, after] = [written, canonical].map(|text| compiled(&machine(text)).rom);
        assert_eq!(before.as_bytes(), after.as_bytes(), "{written}");
    }
}
