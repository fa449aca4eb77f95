//! What commands do to the agent, and that they can be taken back.

mod common;

use common::{all, give, refused, sample, session};
use statewright_author::names::visible;
use statewright_step::{Answer, Command, CommandKind, Session, Settings, StepEvent, json, text};

#[test]
fn every_command_can_be_taken_back_and_done_again() {
    let mut session = sample("soldier");
    let commands = [
        "send EnemySighted 7",
        "post InRange",
        "tick 3",
        "set suppressed true",
        "guard BraveEnough false",
        "send Damaged 90",
        "activity FleeActivity failed",
        "after 500",
        "send Died",
    ];
    let mut seen = vec![session.to_bytes()];
    for command in commands {
        all(&mut session, &[command]);
        seen.push(session.to_bytes());
    }
    for place in (0..commands.len()).rev() {
        all(&mut session, &["undo"]);
        assert_eq!(
            session.to_bytes(),
            seen[place],
            "before `{}`",
            commands[place]
        );
    }
    for (place, command) in commands.iter().enumerate() {
        all(&mut session, &["redo"]);
        assert_eq!(session.to_bytes(), seen[place + 1], "after `{command}`");
    }
    all(&mut session, &["undo 9", "redo 9"]);
    assert_eq!(session.to_bytes(), seen[commands.len()]);
    assert_eq!(
        refused(&mut session, "undo 10"),
        "there are only 9 commands to undo"
    );
    assert_eq!(refused(&mut session, "redo"), "there is nothing to redo");
    // Whoever has ended hears nothing, and says so.
    let before = session.look();
    let heard = all(&mut session, &["send Noise", "post Noise"]);
    assert!(heard.iter().all(
        |step| step.notes == ["the agent has ended: nobody takes the event"] && step.log.is_empty()
    ));
    assert_eq!((heard.len(), session.look()), (2, before));
}

#[test]
fn a_new_command_ends_what_could_be_done_again() {
    let mut session = sample("watchman");
    all(&mut session, &["send SeesThief", "undo", "tick"]);
    assert_eq!(session.depths(), (1, 0));
    assert_eq!(refused(&mut session, "redo"), "there is nothing to redo");
}

#[test]
fn callbacks_are_recorded_in_order() {
    let mut session = sample("soldier");
    let steps = all(&mut session, &["send EnemySighted 7"]);
    let words: Vec<String> = text::step_events(&session, &steps[0])
        .iter()
        .map(|line| line.plain())
        .collect();
    assert_eq!(
        words,
        [
            "  taken     alive/idle: on EnemySighted if ammo > 0 -> alive/combat",
            "  activity  PatrolActivity: canceled",
            "  command   emit navigation StopMoving (channel free)",
            "  left      alive/idle/patrol",
            "  left      alive/idle",
            "  action    target = 7",
            "  action    Shout(line: 'contact')",
            "  entered   alive/combat",
            "  entered   alive/combat/approach",
            "  entered   alive/combat/ready",
        ]
    );
}

#[test]
fn built_in_actions_that_call_nobody_are_recorded_too() {
    let text = r#"{ "machine": "M", "events": ["Go", "Then"], "timers": { "fuse": {} }, "initial": "a",
        "states": {
            "a": { "exit": ["First", { "start": "fuse", "after": "5t" }, "Second"],
                   "transitions": [{ "on": "Go", "to": "b", "do": [{ "raise": "Then" }, "Third", { "stop": "fuse" }] }] },
            "b": { "entry": { "send": "Go" } } } }"#;
    let mut session = session(text, Settings::default());
    let steps = all(&mut session, &["send Go"]);
    let deeds: Vec<&str> = steps[0]
        .log
        .iter()
        .filter_map(|event| {
            if let StepEvent::Did { words, .. } = event {
                Some(words.as_str())
            } else {
                None
            }
        })
        .collect();
    assert_eq!(
        deeds,
        [
            "First",
            "start fuse 5t",
            "Second",
            "raise Then",
            "Third",
            "stop fuse",
            "send Go"
        ]
    );
}

#[test]
fn time_passes_by_the_tick_rate_of_the_machine() {
    let mut session = sample("watchman");
    assert_eq!(Command::parse("after 100", &session), Ok(Command::After(1)));
    assert_eq!(Command::parse("after 101", &session), Ok(Command::After(2)));
    assert_eq!(
        Command::parse("after 1.5s", &session),
        Ok(Command::After(15))
    );
    assert_eq!(
        Command::parse("after 30t", &session),
        Ok(Command::After(30))
    );
    assert_eq!(Command::parse("after 0", &session), Ok(Command::After(1)));
    all(&mut session, &["send SeesThief", "send LostThief"]);
    assert_eq!(session.configuration(), ["rest"]);
    let before = session.tick();
    let steps = all(&mut session, &["after 1400"]);
    assert_eq!(
        (steps.len(), steps[0].kind, steps[0].tick - before),
        (1, CommandKind::After, 14),
        "one step of 14 ticks"
    );
    assert_eq!(session.configuration(), ["rest"]);
    let steps = all(&mut session, &["after 100"]);
    assert_eq!(session.configuration(), ["watch"]);
    assert!(
        steps[0]
            .log
            .iter()
            .any(|event| matches!(event, StepEvent::Fired(_)))
    );
    for line in ["after", "after -1", "after soon", "after 1h"] {
        assert!(refused(&mut session, line).contains("is no time"), "{line}");
    }
    assert!(refused(&mut session, "after 999999s").contains("more than the 100000"));
    assert!(refused(&mut session, "tick 100001").contains("more than the 100000"));
}

#[test]
fn mistakes_are_explained_and_change_nothing() {
    let mut session = sample("soldier");
    let check = |session: &mut Session, line: &str, words: &str| {
        let found = refused(session, line);
        assert!(found.contains(words), "`{line}`: {found}");
    };
    check(
        &mut session,
        "send Dammaged 3",
        "there is no event `Dammaged`; did you mean `Damaged`?",
    );
    check(
        &mut session,
        "send Damaged much",
        "`much` is no i32; write something like `-3`",
    );
    check(
        &mut session,
        "send Died 3",
        "`Died` has no payload, but `3` was given; write `send Died`",
    );
    check(&mut session, "send Noise 1 2", "`1 2` is no vec3");
    check(&mut session, "send", "write `send EVENT [PAYLOAD]`");
    check(&mut session, "Died", "to send the event write `send Died`");
    check(&mut session, "tik", "did you mean `tick`?");
    check(&mut session, "tick 0", "is no number of times");
    check(
        &mut session,
        "set helth 3",
        "there is no blackboard key `helth`; did you mean `health`?",
    );
    check(&mut session, "set health", "there is no value for `health`");
    check(
        &mut session,
        "set suppressed maybe",
        "write something like `true` or `false`",
    );
    check(
        &mut session,
        "guard Brave false",
        "there is no guard function `Brave`",
    );
    check(
        &mut session,
        "guard BraveEnough perhaps",
        "a guard answers `true`, `false` or `random`, but found `perhaps`",
    );
    check(
        &mut session,
        "guard BraveEnough false 70000",
        "is no code of a guard",
    );
    check(&mut session, "activity TakeCover", "an activity says");
    check(
        &mut session,
        "score BraveEnough 1",
        "there is no scorer function `BraveEnough`; this machine has no scorer functions",
    );
    check(&mut session, "in flying", "there is no state `flying`");
    check(&mut session, "in coverr", "did you mean `cover`?");
    check(&mut session, "restore", "there is no snapshot yet");
    check(&mut session, "why not", "`why` takes nothing after it");
    check(
        &mut session,
        "\u{1b}[2J",
        "there is no command `\\u{1b}[2J`",
    );
    assert_eq!(
        give(&mut session, "in approach").map(|steps| steps.len()),
        Ok(0)
    );
}

#[test]
fn payloads_are_read_by_their_types() {
    let text = r#"{ "machine": "M", "events": {
        "I": { "payload": "i32" }, "F": { "payload": "f32" }, "B": { "payload": "bool" }, "E": { "payload": "entity" },
        "V2": { "payload": "vec2" }, "V3": { "payload": "vec3" }, "S": { "payload": "symbol" }, "U": { "payload": "u32" },
        "L": { "payload": "u64" }, "V4": { "payload": "vec4" }, "Raw": { "payload": { "bytes": 3 } }, "Far": { "payload": { "bytes": 40 }, "indirect": true } },
        "blackboard": { "mood": { "type": "symbol", "default": "calm" } },
        "states": { "a": { "transitions": [{ "on": "*", "do": "Note" }] } } }"#;
    let mut session = session(text, Settings::default());
    let cases = [
        ("I -3", "I -3"),
        ("F 0.5", "F 0.5"),
        ("B true", "B true"),
        ("E 4294967298", "E 4294967298"),
        ("V2 [1, 2.5]", "V2 1.0 2.5"),
        ("V3 1,2,3", "V3 1.0 2.0 3.0"),
        ("S calm", "S calm"),
        ("S 'calm'", "S calm"),
        ("U 4000000000", "U 4000000000"),
        ("L 18446744073709551615", "L 18446744073709551615"),
        ("V4 1 0 0 0.5", "V4 1.0 0.0 0.0 0.5"),
        ("Raw 0aff", "Raw 0aff00"),
        ("Far 12", "Far 12"),
        ("I", "I 0"),
    ];
    for (given, shown) in cases {
        let steps = all(&mut session, &[&format!("send {given}")]);
        let (event, payload) = steps[0].event.unwrap();
        assert_eq!(text::event_words(&session, event, payload), shown);
    }
    assert!(refused(&mut session, "send S clam").contains("did you mean `calm`?"));
    // HASH-2: any other text is one as well, and so is a slip in quotes.
    for (given, text) in [("tea", "tea"), ("'clam'", "clam")] {
        let steps = all(&mut session, &[&format!("send S {given}")]);
        let words = steps[0].event.unwrap().1;
        assert_eq!(words[0], statewright_rom::symbol_number(text), "{given}");
    }
    all(&mut session, &["set mood tea"]);
    for line in [
        "send I 1.5",
        "send B 1",
        "send V2 1 2 3",
        "send Raw abc",
        "send Raw 00112233",
        "send Far 0a",
        "send U -1",
        "send L x",
        "send V4 1",
    ] {
        assert!(refused(&mut session, line).contains(" is no "), "{line}");
    }
}

#[test]
fn guards_answer_what_they_are_told() {
    let watchman = std::fs::read_to_string(format!(
        "{}/../../machines/watchman.sw.json",
        env!("CARGO_MANIFEST_DIR")
    ))
    .unwrap();
    let run = |guards: Answer, seed: u64| {
        let mut session = session(
            &watchman,
            Settings {
                guards,
                seed,
                variant: None,
            },
        );
        let falls: Vec<String> = (0..20)
            .map(|_| {
                all(&mut session, &["send SeesThief"]);
                let place = session.configuration().join(" ");
                all(&mut session, &["undo", "tick"]);
                place
            })
            .collect();
        falls
    };
    assert!(run(Answer::True, 1).iter().all(|place| place == "chase"));
    assert!(run(Answer::False, 1).iter().all(|place| place == "watch"));
    let mut session = session(
        &watchman,
        Settings {
            guards: Answer::Random,
            ..Settings::default()
        },
    );
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..64 {
        all(
            &mut session,
            &["send SeesThief", "send LostThief", "tick 20"],
        );
        seen.insert(session.last().unwrap().number);
        all(&mut session, &["guards random"]);
    }
    let told = |session: &mut Session, line: &str| {
        all(session, &[line, "send SeesThief"]);
        session.configuration().join(" ")
    };
    all(&mut session, &["guards true"]);
    while session.configuration() != ["watch"] {
        all(&mut session, &["send LostThief", "tick 20"]);
    }
    assert_eq!(told(&mut session, "guard IsBrave false"), "watch");
    assert_eq!(told(&mut session, "guard IsBrave true"), "chase");
}

#[test]
fn chance_depends_on_the_seed_alone() {
    let coin = r#"{ "machine": "Coin", "events": ["Toss"], "blackboard": { "heads": "i32", "tails": "i32" },
        "functions": { "Heads": "guard" }, "states": { "a": { "transitions": [
            { "on": "Toss", "if": "Heads", "do": "heads += 1" }, { "on": "Toss", "do": "tails += 1" }] } } }"#;
    let toss = |seed: u64| {
        let mut session = session(
            coin,
            Settings {
                guards: Answer::Random,
                seed,
                variant: None,
            },
        );
        let falls: Vec<u32> = (0..64)
            .map(|_| all(&mut session, &["send Toss"])[0].after.board[0][0])
            .collect();
        falls
    };
    assert_eq!(toss(1), toss(1));
    assert_ne!(toss(1), toss(2));
    let heads = *toss(3).last().unwrap();
    assert!((10..55).contains(&heads), "{heads} heads of 64");
}

#[test]
fn snapshots_are_checked_before_they_are_used() {
    let mut session = sample("boss");
    all(&mut session, &["send PlayerNear 7", "set anger 0.5"]);
    let bytes = session.to_bytes();
    all(&mut session, &["send Staggered", "tick 5"]);
    let step = session.restore_bytes(&bytes).unwrap();
    assert_eq!(
        (step.kind, session.to_bytes()),
        (CommandKind::Restore, bytes.clone())
    );
    all(&mut session, &["undo"]);
    assert_ne!(session.to_bytes(), bytes, "restoring can be taken back");

    let before = session.to_bytes();
    let words = |session: &mut Session, bytes: &[u8]| {
        session
            .restore_bytes(bytes)
            .expect_err("refused")
            .to_string()
    };
    assert!(words(&mut session, b"hello").contains("no snapshot"));
    for length in 0..bytes.len() {
        words(&mut session, &bytes[..length]);
    }
    for bit in 0..bytes.len() * 8 {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        words(&mut session, &damaged);
    }
    let other = sample("soldier").to_bytes();
    assert!(words(&mut session, &other).contains("belongs to another machine"));
    assert_eq!(session.to_bytes(), before, "nothing has changed");
}

#[test]
fn what_snapshot_keeps_restore_brings_back() {
    let mut session = sample("watchman");
    all(
        &mut session,
        &[
            "send SeesThief",
            "snapshot",
            "send LostThief",
            "tick 3",
            "restore",
        ],
    );
    assert_eq!(
        (session.configuration(), session.tick()),
        (vec!["chase"], 1)
    );
}

#[test]
fn queues_drops_and_strict_writes_are_shown() {
    let mut session = sample("watchman");
    let steps = all(&mut session, &["post SeesThief", "post SeesThief"]);
    assert_eq!(
        session.look().queue.len(),
        1,
        "the crowd tier has one place"
    );
    assert_eq!(
        steps[1].notes,
        [
            "the queue had no room for it",
            "1 event dropped: no room in the queue"
        ]
    );
    assert_eq!(session.configuration(), ["watch"], "posting runs no tick");
    all(&mut session, &["tick"]);
    assert_eq!(session.configuration(), ["chase"]);

    let strict = r#"{ "machine": "M", "policies": { "strict_writes": true }, "events": ["Go"], "blackboard": { "a": "i32", "b": "i32" },
        "states": { "s": { "transitions": [{ "on": "Go", "do": ["a = 1", "b = a + 1"] }] } } }"#;
    let mut session = self::session(strict, Settings::default());
    let after = all(&mut session, &["send Go"])[0].after.board.clone();
    assert_eq!(
        (after[0][0], after[1][0]),
        (1, 1),
        "reads see the value from before the tick (CODE-5)"
    );
}

#[test]
fn suspended_states_are_shown_and_come_back() {
    let mut session = sample("boss");
    all(&mut session, &["send PlayerNear 7"]);
    let before = session.look().leaves;
    let steps = all(&mut session, &["send Staggered"]);
    assert_eq!(session.configuration(), ["awake/stunned"]);
    let mut suspended = steps[0].after.suspended.clone();
    suspended.sort_unstable();
    assert_eq!(suspended, before, "EXEC-8");
    let words: Vec<String> = text::step_lines(&session, &steps[0])
        .iter()
        .map(|line| line.plain())
        .collect();
    assert!(
        words
            .iter()
            .any(|line| line.starts_with("  suspended awake/fighting/")),
        "{words:#?}"
    );
    all(&mut session, &["after 5s"]);
    assert_eq!(
        (session.look().leaves, session.look().suspended),
        (before, Vec::new())
    );
}

#[test]
fn variants_change_parameters() {
    let soldier = std::fs::read_to_string(format!(
        "{}/../../machines/soldier.sw.json",
        env!("CARGO_MANIFEST_DIR")
    ))
    .unwrap();
    let flees = |variant: Option<&str>| {
        let settings = Settings {
            guards: Answer::False,
            seed: 1,
            variant: variant.map(str::to_owned),
        };
        let mut session = session(&soldier, settings);
        all(&mut session, &["send EnemySighted 7", "send Damaged 80"]);
        session.configuration() == ["alive/fleeing"]
    };
    assert!(flees(None) && !flees(Some("veteran")) && flees(Some("militia")));
    let (output, _) =
        statewright_compile::compile_text("s", &soldier, &statewright_compile::Options::default());
    let output = output.unwrap();
    let settings = Settings {
        variant: Some("veteren".to_owned()),
        ..Settings::default()
    };
    let error = Session::new(output.rom, Some(output.symbols), settings).unwrap_err();
    assert_eq!(
        error.to_string(),
        "there is no variant `veteren`; did you mean `veteran`?"
    );
}

#[test]
fn show_has_the_scratch_of_active_states_and_the_parameters() {
    let machine = r#"{
      "machine": "Guard", "events": ["Hit", "Rest"],
      "parameters": { "courage": 0.5, "friends": 3 }, "variants": { "coward": { "courage": 0.25 } },
      "scratch": { "seen": 2 },
      "initial": "calm",
      "states": {
        "calm": {
          "scratch": { "hits": "i16", "sore": "bool" },
          "transitions": [
            { "on": "Hit", "do": ["hits -= 2", "sore = courage < 1"] },
            { "on": "Rest", "if": "hits < friends && sore", "to": "asleep" },
          ],
        },
        "asleep": { "scratch": { "dreams": "u16" }, "entry": "dreams = 7" },
      },
    }"#;
    let settings = Settings {
        variant: Some("coward".to_owned()),
        ..Settings::default()
    };
    let mut session = session(machine, settings);
    all(&mut session, &["send Hit"]);
    let shown = |session: &Session| {
        let lines = text::show(session);
        let labels = ["scratch", "variant", "parameter"];
        let lines = lines.iter().filter(|line| labels.contains(&line.label));
        lines.map(text::Line::plain).collect::<Vec<_>>()
    };
    let expected = [
        "  scratch   root: seen = 0 0",
        "  scratch   calm: hits = -2",
        "  scratch   calm: sore = true",
        "  variant   coward",
        "  parameter courage = 0.25",
        "  parameter friends = 3",
    ];
    assert_eq!(shown(&session), expected);
    let answer = json::answer(&session, &Command::Show).unwrap();
    let hits = serde_json::json!({ "state": "calm", "scratch": "hits", "value": -2 });
    assert_eq!(answer["scratch"][1], hits);
    let parameters = serde_json::json!({ "courage": 0.25, "friends": 3 });
    assert_eq!(
        (&answer["parameters"], &answer["variant"]),
        (&parameters, &"coward".into())
    );
    all(&mut session, &["send Rest"]);
    assert_eq!(shown(&session)[1], "  scratch   asleep: dreams = 7");
}

#[test]
fn a_rom_without_names_is_called_by_number() {
    let watchman = std::fs::read_to_string(format!(
        "{}/../../machines/watchman.sw.json",
        env!("CARGO_MANIFEST_DIR")
    ))
    .unwrap();
    let (output, _) =
        statewright_compile::compile_text("w", &watchman, &statewright_compile::Options::default());
    let mut session = Session::new(output.unwrap().rom, None, Settings::default()).unwrap();
    assert_eq!(session.configuration(), ["state_1"]);
    all(&mut session, &["send event_0", "set key_0 5"]);
    assert_eq!(session.configuration(), ["state_2"]);
}

#[test]
fn clean_text_moves_no_cursor() {
    assert_eq!(
        visible("a\u{1b}[31mb\u{7}\n\u{202e}c\u{9b}é"),
        "a\\u{1b}[31mb\\u{7}\\u{a}\\u{202e}c\\u{9b}é"
    );
}

#[test]
fn clamps_and_the_fail_safe_are_told() {
    let circle = r#"{ "machine": "Circle", "tier": "crowd", "events": ["Go"], "initial": "rest", "states": {
        "rest": { "transitions": [{ "on": "Go", "to": "a" }] },
        "a": { "transitions": [{ "when": "always", "if": "Turn", "to": "b" }] },
        "b": { "transitions": [{ "when": "always", "if": "Turn", "to": "a" }] } } }"#;
    let mut session = session(circle, Settings::default());
    let first = all(&mut session, &["send Go"]);
    assert!(
        first[0].log.contains(&StepEvent::Clamped),
        "{:?}",
        first[0].log
    );
    let later = all(&mut session, &["tick 6"]);
    assert!(
        later
            .iter()
            .any(|step| step.log.contains(&StepEvent::FailSafe))
    );
}
