//! What an edit does to the two hashes (ROM-5), and who has stable ids (ROM-6): one test per
//! scenario.
//!
//! The structure hash covers what instance bytes refer to, the parameter hash everything else that
//! changes behavior.

use crate::common::tree::Tree;
use crate::common::{compiled, for_each_seed, machines, random};
use statewright_author::format::{MissingId, PathSegment, write_ids};
use statewright_author::graph::{Machine, State};
use statewright_author::text;
use statewright_compile::{Options, compile_text};
use statewright_generator::to_text;
use statewright_rom::{Rom, StableGroup};

/// A machine with a bit of everything. Every state has an id.
const BASE: &str = r#"{
  "machine": "Hashed",
  "id": "aa",
  "tick_rate": 30,
  "events": { "Hit": { "payload": "i32" }, "Calm": { "class": "low" } },
  "blackboard": { "health": { "type": "i32", "default": 100 }, "speed": "f32" },
  "parameters": { "limit": 30 },
  "variants": { "weak": { "limit": 10 } },
  "timers": { "breath": {} },
  "initial": "idle",
  "states": {
    "idle": {
      "id": "1",
      "entry": "Stand",
      "transitions": [
        { "on": "Hit", "if": "event > limit", "to": "combat", "do": "health -= 1" },
        { "on": "Hit", "to": "alert" },
        { "timer": "breath", "do": "Breathe(2)" },
      ],
    },
    "alert": {
      "id": "2",
      "min_active": "1s",
      "transitions": [{ "after": "3s", "to": "idle" }, { "on": "Calm", "to": "idle", "cooldown": "2s" }],
    },
    "combat": {
      "id": "3",
      "history": { "last": { "id": "4" } },
      "initial": "aim",
      "transitions": [{ "on": "Calm", "to": "idle" }],
      "states": {
        "aim": { "id": "5", "transitions": [{ "when": "always", "if": "speed < 1.5", "to": "fire" }] },
        "fire": { "id": "6", "entry": { "start": "breath", "after": "1s" }, "transitions": [{ "on": "Hit", "to": "combat/last" }] },
      },
    },
  },
}"#;

/// Structure and parameter hash.
fn hashes(text: &str) -> (u64, u64) {
    let (output, diagnostics) = compile_text("hashed.sw.json", text, &Options::default());
    let problems: Vec<&str> = diagnostics.iter().map(|d| d.message.as_str()).collect();
    let output = output.unwrap_or_else(|| panic!("{problems:?}\n{text}"));
    (
        output.rom.as_rom().structure_hash(),
        output.rom.as_rom().parameter_hash(),
    )
}

/// The base with some text replaced, each part exactly once.
fn edited(edits: &[(&str, &str)]) -> String {
    edits.iter().fold(BASE.to_owned(), |text, (from, to)| {
        assert_eq!(text.matches(from).count(), 1, "`{from}` must be there once");
        text.replace(from, to)
    })
}

#[track_caller]
fn changes_nothing(edits: &[(&str, &str)]) {
    assert_eq!(hashes(BASE), hashes(&edited(edits)), "{edits:?}");
}

#[track_caller]
fn changes_parameters_only(edits: &[(&str, &str)]) {
    let (before, after) = (hashes(BASE), hashes(&edited(edits)));
    assert_eq!(before.0, after.0, "the structure hash must stay: {edits:?}");
    assert_ne!(
        before.1, after.1,
        "the parameter hash must change: {edits:?}"
    );
}

#[track_caller]
fn changes_structure(edits: &[(&str, &str)]) {
    assert_ne!(hashes(BASE).0, hashes(&edited(edits)).0, "{edits:?}");
}

#[test]
fn rename_of_a_state_with_an_id_changes_nothing() {
    changes_nothing(&[
        ("\"alert\": {", "\"wary\": {"),
        ("\"to\": \"alert\"", "\"to\": \"wary\""),
    ]);
}

#[test]
fn rename_of_a_compound_with_an_id_changes_nothing() {
    changes_nothing(&[
        ("\"combat\": {", "\"battle\": {"),
        ("\"to\": \"combat\"", "\"to\": \"battle\""),
        ("\"combat/last\"", "\"battle/last\""),
    ]);
}

#[test]
fn rename_of_a_history_point_with_an_id_changes_nothing() {
    changes_nothing(&[
        ("\"last\": {", "\"before\": {"),
        ("\"combat/last\"", "\"combat/before\""),
    ]);
}

#[test]
fn rename_of_the_machine_with_an_id_changes_nothing() {
    changes_nothing(&[("\"Hashed\"", "\"Other\"")]);
}

#[test]
fn rename_of_a_state_without_an_id_changes_the_structure() {
    let without = edited(&[("\"id\": \"2\",", "")]);
    let renamed = without.replace("\"alert\"", "\"wary\"");
    assert_ne!(hashes(&without).0, hashes(&renamed).0);
}

#[test]
fn comments_documentation_layout_and_editor_data_change_nothing() {
    changes_nothing(&[
        (
            "\"tick_rate\": 30,",
            "// ticks\n\"doc\": \"A machine.\", \"tick_rate\":30, \"meta\": { \"x\": 1 },",
        ),
        (
            "\"entry\": \"Stand\",",
            "\"doc\": \"Stands.\", \"entry\": [\"Stand\"],",
        ),
    ]);
}

#[test]
fn the_way_names_are_written_changes_nothing() {
    changes_nothing(&[
        ("\"to\": \"combat\"", "\"to\": \"/combat\""),
        ("\"combat/last\"", "\"last\""),
    ]);
}

#[test]
fn what_is_muted_changes_nothing() {
    changes_nothing(&[
        (
            "{ \"on\": \"Hit\", \"to\": \"alert\" },",
            "{ \"on\": \"Hit\", \"to\": \"alert\" }, { \"on\": \"Hit\", \"to\": \"x\", \"muted\": true },",
        ),
        ("\"alert\": {", "\"off\": { \"muted\": true }, \"alert\": {"),
    ]);
}

#[test]
fn retarget_changes_parameters_only() {
    changes_parameters_only(&[("\"to\": \"alert\"", "\"to\": \"combat\"")]);
}

#[test]
fn priority_changes_parameters_only() {
    changes_parameters_only(&[(
        "\"to\": \"alert\" }",
        "\"to\": \"alert\", \"priority\": 3 }",
    )]);
}

#[test]
fn priority_of_a_transition_with_a_cooldown_changes_parameters_only() {
    changes_parameters_only(&[(
        "\"cooldown\": \"2s\"",
        "\"cooldown\": \"2s\", \"priority\": 5",
    )]);
}

#[test]
fn guard_changes_parameters_only() {
    changes_parameters_only(&[("\"if\": \"event > limit\"", "\"if\": \"event >= limit\"")]);
    changes_parameters_only(&[("\"if\": \"event > limit\", ", "")]);
}

#[test]
fn effect_changes_parameters_only() {
    changes_parameters_only(&[("\"do\": \"health -= 1\"", "\"do\": \"health -= 2\"")]);
    changes_parameters_only(&[("\"entry\": \"Stand\"", "\"entry\": [\"Stand\", \"Look\"]")]);
}

#[test]
fn lang_3_form_of_a_duration_changes_parameters_only() {
    changes_parameters_only(&[("\"after\": \"3s\"", "\"after\": \"3s..4s\"")]);
    changes_parameters_only(&[("\"after\": \"3s\"", "\"after\": \"speed\"")]);
    changes_parameters_only(&[("\"cooldown\": \"2s\"", "\"cooldown\": \"speed * 2\"")]);
    changes_parameters_only(&[(
        "\"breath\", \"after\": \"1s\"",
        "\"breath\", \"after\": \"1s..2s\"",
    )]);
}

#[test]
fn lang_2_every_instead_of_after_changes_the_structure() {
    changes_structure(&[("\"after\": \"3s\"", "\"every\": \"3s\"")]);
}

#[test]
fn duration_changes_parameters_only() {
    changes_parameters_only(&[("\"after\": \"3s\"", "\"after\": \"4s\"")]);
    changes_parameters_only(&[("\"min_active\": \"1s\"", "\"min_active\": \"2s\"")]);
    changes_parameters_only(&[("\"cooldown\": \"2s\"", "\"cooldown\": \"9s\"")]);
    changes_parameters_only(&[(
        "\"breath\", \"after\": \"1s\"",
        "\"breath\", \"after\": \"2s\"",
    )]);
}

#[test]
fn literal_changes_parameters_only() {
    changes_parameters_only(&[("\"Breathe(2)\"", "\"Breathe(3)\"")]);
    changes_parameters_only(&[("\"speed < 1.5\"", "\"speed < 2.5\"")]);
}

#[test]
fn parameter_value_and_variant_change_parameters_only() {
    changes_parameters_only(&[("{ \"limit\": 30 }", "{ \"limit\": 31 }")]);
    changes_parameters_only(&[("{ \"limit\": 10 }", "{ \"limit\": 11 }")]);
}

#[test]
fn default_of_a_key_changes_parameters_only() {
    changes_parameters_only(&[("\"default\": 100", "\"default\": 99")]);
}

#[test]
fn policies_and_budgets_change_parameters_only() {
    changes_parameters_only(&[(
        "\"tick_rate\": 30",
        "\"tick_rate\": 30, \"policies\": { \"posted\": \"next_tick\" }",
    )]);
    changes_parameters_only(&[(
        "\"tick_rate\": 30",
        "\"tick_rate\": 30, \"budgets\": { \"clamp_limit\": 9 }",
    )]);
}

#[test]
fn initial_class_and_trigger_change_parameters_only() {
    changes_parameters_only(&[("\"initial\": \"aim\"", "\"initial\": \"fire\"")]);
    changes_parameters_only(&[("\"class\": \"low\"", "\"class\": \"critical\"")]);
    changes_parameters_only(&[(
        "{ \"on\": \"Calm\", \"to\": \"idle\" }",
        "{ \"on\": \"Hit\", \"to\": \"idle\" }",
    )]);
}

#[test]
fn a_new_transition_changes_parameters_only() {
    changes_parameters_only(&[(
        "{ \"on\": \"Hit\", \"to\": \"alert\" },",
        "{ \"on\": \"Hit\", \"to\": \"alert\" }, { \"on\": \"Calm\", \"do\": \"Sigh\" },",
    )]);
}

#[test]
fn adding_a_state_changes_the_structure() {
    changes_structure(&[("\"alert\": {", "\"new\": { \"id\": \"9\" }, \"alert\": {")]);
}

#[test]
fn removing_a_state_changes_the_structure() {
    changes_structure(&[
        (
            "\"aim\": { \"id\": \"5\", \"transitions\": [{ \"when\": \"always\", \"if\": \"speed < 1.5\", \"to\": \"fire\" }] },",
            "",
        ),
        ("\"initial\": \"aim\"", "\"initial\": \"fire\""),
    ]);
}

#[test]
fn reparenting_a_state_changes_the_structure() {
    let fire = "\"fire\": { \"id\": \"6\", \"entry\": { \"start\": \"breath\", \"after\": \"1s\" }, \"transitions\": [{ \"on\": \"Hit\", \"to\": \"combat/last\" }] },";
    changes_structure(&[
        (fire, ""),
        ("\"combat\": {\n", &format!("{fire} \"combat\": {{\n")),
    ]);
}

#[test]
fn reordering_states_changes_the_structure() {
    let aim = "\"aim\": { \"id\": \"5\", \"transitions\": [{ \"when\": \"always\", \"if\": \"speed < 1.5\", \"to\": \"fire\" }] },";
    let fire = "\"fire\": { \"id\": \"6\", \"entry\": { \"start\": \"breath\", \"after\": \"1s\" }, \"transitions\": [{ \"on\": \"Hit\", \"to\": \"combat/last\" }] },";
    changes_structure(&[(aim, "@"), (fire, aim), ("@", fire)]);
}

#[test]
fn adding_a_region_changes_the_structure() {
    let two = "\"regions\": { \"a\": { \"states\": { \"x\": { \"id\": \"7\" } } }, \"b\": { \"states\": { \"y\": { \"id\": \"8\" } } } }";
    let three = two.replace(
        "\"b\": {",
        "\"c\": { \"states\": { \"z\": { \"id\": \"9\" } } }, \"b\": {",
    );
    let with = |regions: &str| {
        edited(&[(
            "\"entry\": \"Stand\",",
            &format!("\"entry\": \"Stand\", {regions},"),
        )])
    };
    assert_ne!(hashes(&with(two)).0, hashes(&with(&three)).0);
    assert_ne!(hashes(BASE).0, hashes(&with(two)).0);
}

#[test]
fn changing_history_changes_the_structure() {
    // One leaf below: deep and shallow need the same slot and still mean different bytes.
    changes_structure(&[("{ \"id\": \"4\" }", "{ \"id\": \"4\", \"deep\": true }")]);
    changes_structure(&[(
        "{ \"id\": \"4\" }",
        "{ \"id\": \"4\" }, \"second\": { \"id\": \"a\" }",
    )]);
}

#[test]
fn default_of_a_history_point_changes_parameters_only() {
    changes_parameters_only(&[(
        "{ \"id\": \"4\" }",
        "{ \"id\": \"4\", \"default\": \"fire\" }",
    )]);
}

/// Deadlines are ticks.
#[test]
fn hash_1_the_tick_rate_changes_the_structure() {
    changes_structure(&[("\"tick_rate\": 30", "\"tick_rate\": 60")]);
}

/// A latch holds the number of a transition, and numbers follow priorities.
#[test]
fn hash_1_the_order_of_transitions_that_a_latch_can_hold_changes_the_structure() {
    let latched = |first: &str, second: &str| {
        edited(&[(
            "{ \"on\": \"Calm\", \"to\": \"idle\", \"cooldown\": \"2s\" }",
            &format!(
                "{{ \"on\": \"Calm\", \"to\": \"idle\", \"latch\": true{first} }},\
                 {{ \"on\": \"Hit\", \"to\": \"combat\", \"latch\": true{second} }}"
            ),
        )])
    };
    let before = hashes(&latched("", ""));
    let after = hashes(&latched("", ", \"priority\": 5"));
    assert_ne!(before.0, after.0);
    // The order of the others does not matter, unless it moves the numbers of these.
    let later = "\"transitions\": [{ \"on\": \"Calm\", \"to\": \"idle\" }]";
    let other = latched("", "").replace(
        later,
        "\"transitions\": [{ \"on\": \"Calm\", \"to\": \"idle\", \"priority\": 4 }]",
    );
    assert_eq!(before.0, hashes(&other).0);
    assert_ne!(before.1, hashes(&other).1);
}

/// Crowds hold the numbers of variants.
#[test]
fn hash_1_names_and_order_of_variants_change_the_structure() {
    let weak = "{ \"weak\": { \"limit\": 10 } }";
    changes_structure(&[(weak, "{ \"frail\": { \"limit\": 10 } }")]);
    let with = |variants: &str| hashes(&edited(&[(weak, variants)]));
    let (strong, brief) = (
        with("{ \"weak\": { \"limit\": 10 }, \"strong\": { \"limit\": 50 } }"),
        with("{ \"strong\": { \"limit\": 50 }, \"weak\": { \"limit\": 10 } }"),
    );
    assert_ne!(strong.0, brief.0);
}

/// Queues hold payloads.
#[test]
fn hash_1_payloads_change_the_structure() {
    changes_structure(&[
        ("\"payload\": \"i32\"", "\"payload\": \"f32\""),
        ("\"if\": \"event > limit\", ", ""),
    ]);
}

/// Who holds a channel has to give it back.
#[test]
fn hash_1_who_owns_which_channel_changes_the_structure() {
    let with = |channels: &str, owns: &str| {
        hashes(&edited(&[
            (
                "\"tick_rate\": 30,",
                &format!("\"tick_rate\": 30, \"channels\": {channels},"),
            ),
            (
                "\"min_active\": \"1s\",",
                &format!("\"min_active\": \"1s\", {owns}"),
            ),
        ]))
    };
    let legs = with("[\"legs\", \"arms\"]", "\"owns\": [\"legs\"],");
    for (channels, owns) in [
        ("[\"legs\", \"arms\"]", ""),
        ("[\"legs\", \"arms\"]", "\"owns\": [\"arms\"],"),
        ("[\"feet\", \"arms\"]", "\"owns\": [\"feet\"],"),
    ] {
        assert_ne!(legs.0, with(channels, owns).0, "{channels} {owns}");
    }
}

/// An agent in a state that is final now has something to do.
#[test]
fn hash_1_the_kind_of_a_state_changes_the_structure() {
    let fire = "\"entry\": { \"start\": \"breath\", \"after\": \"1s\" }, \"transitions\": [{ \"on\": \"Hit\", \"to\": \"combat/last\" }]";
    let plain = edited(&[(fire, "\"doc\": \"x\"")]);
    let last = edited(&[(fire, "\"final\": true")]);
    assert_ne!(hashes(&plain).0, hashes(&last).0);
}

/// A result that is kept is that of a function.
#[test]
fn hash_1_another_activity_changes_the_structure() {
    let with = |activity: &str| {
        hashes(&edited(&[
            (
                "\"min_active\": \"1s\",",
                &format!("\"min_active\": \"1s\", \"activity\": \"{activity}\","),
            ),
            (
                "{ \"after\": \"3s\", \"to\": \"idle\" }",
                "{ \"after\": \"3s\", \"to\": \"idle\" }, { \"when\": \"done\", \"to\": \"idle\" }",
            ),
        ]))
    };
    assert_ne!(with("Look").0, with("Listen").0);
    assert_eq!(with("Look(1)").0, with("Look(2)").0);
    assert_ne!(with("Look(1)").1, with("Look(2)").1);
}

/// Who cannot push any more leaves nothing suspended behind; where a push goes, and how many there are, touches nobody.
#[test]
fn hash_1_who_pushes_changes_the_structure() {
    let with = |idle: &str, alert: &str| {
        hashes(&format!(
            r#"{{ "machine": "M", "events": ["Go", "Back"], "stack": 1, "initial": "idle", "states": {{
                "idle": {{ "transitions": [{idle}{{ "on": "Back", "to": "alert" }}] }},
                "alert": {{ "transitions": [{alert}{{ "on": "Back", "to": "idle" }}] }},
                "talk": {{ "transitions": [{{ "on": "Back", "stack": "pop" }}] }},
                "walk": {{ "transitions": [{{ "on": "Back", "stack": "pop" }}] }} }} }}"#
        ))
    };
    let talk = r#"{ "on": "Go", "to": "talk", "stack": "push" }, "#;
    let walk = r#"{ "on": "Go", "to": "walk", "stack": "push" }, "#;
    let both = r#"{ "on": "Go", "to": "talk", "stack": "push", "if": "Ready" }, { "on": "Go", "to": "talk", "stack": "push" }, "#;
    let before = with(talk, walk);
    for (idle, alert) in [(walk, walk), (both, walk)] {
        let after = with(idle, alert);
        assert_eq!(before.0, after.0, "{idle}");
        assert_ne!(before.1, after.1, "{idle}");
    }
    for (idle, alert) in [("", walk), (talk, "")] {
        assert_ne!(before.0, with(idle, alert).0, "{idle}");
    }
}

#[test]
fn changing_the_tier_changes_the_structure() {
    changes_structure(&[("\"tick_rate\": 30", "\"tick_rate\": 30, \"tier\": \"hero\"")]);
}

#[test]
fn changing_the_blackboard_schema_changes_the_structure() {
    changes_structure(&[(
        "\"speed\": \"f32\"",
        "\"speed\": \"f32\", \"ammo\": \"i32\"",
    )]);
    changes_structure(&[
        ("\"speed\": \"f32\"", "\"speed\": \"i32\""),
        ("\"speed < 1.5\"", "\"speed < 1\""),
    ]);
    changes_structure(&[
        ("\"speed\": \"f32\"", "\"pace\": \"f32\""),
        ("\"speed < 1.5\"", "\"pace < 1.5\""),
    ]);
    changes_structure(&[(
        "\"health\": { \"type\": \"i32\", \"default\": 100 }, \"speed\": \"f32\"",
        "\"speed\": \"f32\", \"health\": { \"type\": \"i32\", \"default\": 100 }",
    )]);
}

#[test]
fn changing_events_or_timers_changes_the_structure() {
    changes_structure(&[(
        "\"Calm\": { \"class\": \"low\" }",
        "\"Calm\": { \"class\": \"low\" }, \"New\": {}",
    )]);
    changes_structure(&[(
        "\"timers\": { \"breath\": {} }",
        "\"timers\": { \"breath\": { \"instances\": 2 } }",
    )]);
    changes_structure(&[("{ \"after\": \"3s\", \"to\": \"idle\" }, ", "")]);
}

#[test]
fn what_needs_a_place_changes_the_structure() {
    changes_structure(&[("\"cooldown\": \"2s\"", "\"latch\": true")]);
    changes_structure(&[("\"min_active\": \"1s\",", "")]);
    changes_structure(&[(
        "\"entry\": \"Stand\"",
        "\"scratch\": { \"steps\": 1 }, \"entry\": \"Stand\"",
    )]);
}

#[test]
fn changing_the_id_of_a_state_or_of_the_machine_changes_the_structure() {
    changes_structure(&[("\"id\": \"2\"", "\"id\": \"22\"")]);
    changes_structure(&[("\"id\": \"aa\"", "\"id\": \"ab\"")]);
}

/// The id that a thing has in the ROM, although the file does not say it.
fn id_in_rom(rom: &Rom<'_>, tree: &Tree<'_>, missing: &MissingId) -> Option<u64> {
    let id = |group: StableGroup, index: usize| {
        rom.stable_ids_of(group)
            .get(index)
            .map(|record| record.id.get())
    };
    let mut state: &State = &tree.machine.root;
    let mut rest = &missing.path[..];
    while let [
        PathSegment::Region(region),
        PathSegment::State(child),
        deeper @ ..,
    ] = rest
    {
        state = &state.regions[*region].states[*child];
        rest = deeper;
    }
    let at = tree
        .states
        .iter()
        .position(|node| std::ptr::eq(node.authored, state));
    match *rest {
        [] if missing.path.is_empty() => id(StableGroup::Machine, 0),
        [] => id(StableGroup::States, at?),
        [PathSegment::Event(event)] => id(StableGroup::Events, event),
        [PathSegment::Region(region)] => id(StableGroup::Regions, tree.states[at?].regions[region]),
        [PathSegment::History(point)] => id(StableGroup::History, tree.states[at?].points[point]),
        [PathSegment::Scratch(place)] => {
            let before: usize = tree.states[..at?]
                .iter()
                .map(|node| node.authored.scratch.len())
                .sum();
            id(StableGroup::Scratch, before + place)
        }
        _ => None,
    }
}

/// What `fmt --ids` does: writing down the ids that things have anyway changes no hash, and then
/// nothing is missing.
fn writing_ids_changes_nothing(text: &str) -> Result<(), String> {
    let read = |text: &str| -> Result<Machine, String> {
        let (machine, problems) = text::read("ids.sw.json", text);
        if problems.is_empty() {
            Ok(machine)
        } else {
            Err(format!("{problems:?}"))
        }
    };
    let machine = read(text)?;
    let before = compiled(&machine)?;
    let (rom, tree) = (before.rom.as_rom(), Tree::new(&machine));
    let written = write_ids(&machine, |missing| id_in_rom(&rom, &tree, missing))
        .map_err(|p| format!("{p:?}"))?;
    let after = compiled(&read(&written.text)?)?;
    let (a, b) = (before.rom.as_rom(), after.rom.as_rom());
    if (a.structure_hash(), a.parameter_hash()) != (b.structure_hash(), b.parameter_hash()) {
        return Err(format!("other hashes with ids:\n{}", written.text));
    }
    if before.rom.as_bytes() == after.rom.as_bytes() {
        Ok(())
    } else {
        Err("other bytes with ids".to_owned())
    }
}

#[test]
fn writing_derived_ids_into_the_file_changes_nothing() {
    let without = BASE
        .lines()
        .map(|line| line.replace("\"id\": \"", "\"doc\": \""))
        .collect::<Vec<_>>()
        .join("\n");
    let without = without.replace("\"last\": { \"doc\": \"4\" }", "\"last\": {}");
    writing_ids_changes_nothing(&without).unwrap();
    for_each_seed(machines(300), |seed| {
        writing_ids_changes_nothing(&to_text(&random(seed)))
    });
}
