//! What traces of crowds tell beyond transitions: events that never arrived, draws of random
//! numbers, values of functions (SYS-3, SYS-8, CODE-6, LANG-11).

use statewright::prelude::*;
use statewright::trace::{Kind, Level, Loss, Record, Settings};
use statewright::{Type, Value};

const DICE: &str = r#"{ "machine": "Dice", "events": ["Roll", "Stop"],
  "functions": { "Throw": { "kind": "action" }, "IsLucky": { "kind": "guard", "rng": true } },
  "initial": "idle",
  "states": {
    "idle": { "transitions": [
      { "on": "Roll", "if": "IsLucky", "do": "Throw" }, { "on": "Stop", "to": "over" }] },
    "over": { "final": true } } }"#;

/// A crowd whose agents draw once to be asked and twice more when they throw.
fn dice(agents: usize, level: Option<Level>) -> (Crowd<(), ()>, Vec<AgentId>) {
    let machine = Machine::from_text("dice.sw.json", DICE).unwrap();
    let functions = Functions::new()
        .guard("IsLucky", |(): &(), (): &(), cx| {
            let draw = cx.rng().map(|mut rng| rng.next_u32());
            Verdict::from(draw.is_some())
        })
        .action("Throw", |(), (), cx| {
            _ = cx.rng().below(6);
            _ = cx.rng().below(6);
        });
    let mut crowd = Crowd::new(machine.bind(functions).unwrap(), 7);
    let ids = (0..agents).map(|_| crowd.spawn(())).collect();
    crowd.set_trace(level.map(Settings::new)).unwrap();
    crowd.tick(&());
    (crowd, ids)
}

fn kinds(crowd: &Crowd<(), ()>, kind: Kind) -> Vec<Record> {
    let records = crowd.trace().filter(|record| record.kind() == Some(kind));
    records.copied().collect()
}

#[test]
fn code_6_draws_are_counted_per_call_and_per_agent() {
    let (mut crowd, agents) = dice(2, Some(Level::All));
    let roll = crowd.machine().event("Roll").unwrap();
    for _ in 0..3 {
        crowd.send(agents[1], roll, ()).unwrap();
        crowd.tick(&());
        let drew = kinds(&crowd, Kind::Drew);
        let legend = crowd.legend();
        let words: Vec<String> = drew.iter().map(|record| legend.words(record)).collect();
        assert_eq!(
            words,
            [
                "IsLucky drew 1 random number",
                "Throw drew 2 random numbers"
            ]
        );
    }
    assert_eq!(crowd.draws(agents[1]), Some(9));
    assert_eq!(crowd.draws(agents[0]), Some(0));
}

#[test]
fn code_6_counting_draws_changes_no_byte() {
    let run = |level: Option<Level>| {
        let (mut crowd, agents) = dice(5, level);
        let roll = crowd.machine().event("Roll").unwrap();
        for tick in 0..20 {
            crowd.send(agents[tick % 5], roll, ()).unwrap();
            crowd.tick(&());
        }
        (crowd.snapshot(), crowd.draws(agents[0]))
    };
    let (plain, outline, all) = (run(None), run(Some(Level::Outline)), run(Some(Level::All)));
    assert_eq!(plain.0, all.0);
    assert_eq!(plain.0, outline.0);
    assert_eq!((plain.1, outline.1, all.1), (None, None, Some(12)));
}

#[test]
fn evt_4_events_for_the_ended_and_surplus_are_told_with_the_reason() {
    let (mut crowd, agents) = dice(3, Some(Level::Steps));
    let [roll, stop] = ["Roll", "Stop"].map(|name| crowd.machine().event(name).unwrap());
    crowd.send(agents[0], stop, ()).unwrap();
    crowd.send(agents[0], roll, ()).unwrap();
    crowd.tick(&());
    let lost = kinds(&crowd, Kind::EventLost);
    assert_eq!(lost.len(), 1, "the rest of its inbox");
    assert_eq!(
        (lost[0].agent.get(), lost[0].loss()),
        (0, Some(Loss::Ended))
    );
    assert_eq!(lost[0].subject.get(), roll.id().raw());
    crowd.send(agents[0], roll, ()).unwrap();
    crowd.tick(&());
    assert_eq!(
        kinds(&crowd, Kind::EventLost).len(),
        1,
        "and what comes later"
    );

    let cap = usize::from(crowd.machine().rom().header().events_per_tick.get());
    crowd.pause(agents[2]).unwrap();
    for _ in 0..cap + 2 {
        crowd.send(agents[2], roll, ()).unwrap();
    }
    crowd.tick(&());
    assert_eq!(crowd.counters().dropped_surplus, 2);
    crowd.tick(&());
    let lost = kinds(&crowd, Kind::EventLost);
    let told: Vec<_> = lost.iter().map(|r| (r.agent.get(), r.loss())).collect();
    assert_eq!(told, [(2, Some(Loss::Surplus)); 2], "before the next tick");
    crowd.tick(&());
    assert!(kinds(&crowd, Kind::EventLost).is_empty(), "once");
}

#[test]
fn sys_3_level_1_tells_none_of_it() {
    let (mut crowd, agents) = dice(1, Some(Level::Outline));
    let [roll, stop] = ["Roll", "Stop"].map(|name| crowd.machine().event(name).unwrap());
    for event in [roll, stop, roll] {
        crowd.send(agents[0], event, ()).unwrap();
    }
    crowd.tick(&());
    assert_eq!(crowd.counters().dropped_ended, 1);
    let higher = |record: &&Record| record.kind().is_some_and(|k| k.level() > Level::Outline);
    assert_eq!(crowd.trace().filter(higher).count(), 0);
}

const BELL: &str = r#"{ "machine": "Bell", "events": ["Ring"],
  "functions": { "Strike": { "kind": "action" } }, "initial": "hangs",
  "states": { "hangs": { "transitions": [
    { "on": "Ring", "do": ["Strike", { "emit": "gong", "lane": "audio", "payload": 3 }] } ] } } }"#;

/// What a game plays, typed.
#[cfg(feature = "macros")]
#[derive(Clone, Copy, Debug, PartialEq, statewright::Command)]
#[command(lane = AUDIO)]
struct Clang {
    loud: u32,
}

#[cfg(feature = "macros")]
#[test]
fn sys_3_commands_of_files_and_functions_are_told() {
    let machine = Machine::from_text("bell.sw.json", BELL).unwrap();
    let functions = Functions::new().action("Strike", |(): &mut (), (): &(), cx| {
        assert!(cx.emit(Clang { loud: 9 }));
    });
    let mut crowd = Crowd::new(machine.bind(functions).unwrap(), 7);
    let agent = crowd.spawn(());
    crowd.set_trace(Some(Settings::new(Level::Steps))).unwrap();
    crowd.tick(&());
    crowd
        .send(agent, machine.event("Ring").unwrap(), ())
        .unwrap();
    crowd.tick(&());
    let legend = crowd.legend();
    let told = crowd.trace().filter(|record| {
        let kind = record.kind();
        matches!(kind, Some(Kind::Command | Kind::More))
    });
    let words: Vec<String> = told.map(|record| legend.words(record)).collect();
    assert_eq!(words.len(), 4, "{words:?}");
    assert_eq!(words[0], "emits audio Clang");
    assert!(words[1].starts_with("Strike wrote "), "{words:?}");
    assert_eq!(words[2..], ["emits audio gong", "and 3"]);
}

#[cfg(feature = "macros")]
#[test]
fn sys_3_a_file_that_was_begun_early_has_the_names_of_typed_commands() {
    use statewright::trace::{Reading, Writer};
    let machine = Machine::from_text("bell.sw.json", BELL).unwrap();
    let functions = Functions::new().action(
        "Strike",
        |(): &mut (), (): &(), cx| {
            while cx.emit(Clang { loud: 9 }) {}
        },
    );
    let mut crowd = Crowd::new(machine.bind(functions).unwrap(), 7);
    let agent = crowd.spawn(());
    crowd.set_trace(Some(Settings::new(Level::Steps))).unwrap();
    let early = crowd.legend();
    let mut writer = Writer::new(Vec::new(), &early).unwrap();
    for _ in 0..3 {
        crowd.tick(&());
        crowd.write_trace(&mut writer).unwrap();
        crowd
            .send(agent, machine.event("Ring").unwrap(), ())
            .unwrap();
    }
    let bytes = writer.close().unwrap();
    let reading = Reading::new(&bytes).unwrap();
    let in_words = |legend: &statewright::trace::Legend| -> Vec<String> {
        let records = reading.records().map(|(_, record)| legend.words(record));
        records
            .filter(|words| {
                words.starts_with("emits audio C") || words.starts_with("emits audio c")
            })
            .collect()
    };
    let told = in_words(&reading.legend);
    // 768 bytes for everybody, 28 each, in two of the ticks; the one too many is told as well.
    assert_eq!(told.len(), 2 * (768 / 28 + 1));
    assert_eq!(told[0], "emits audio Clang");
    assert_eq!(told[27], "emits audio Clang: no room, dropped");
    assert_eq!(reading.legend.commands, crowd.legend().commands);
    // Who does not know the name says its number.
    assert!(in_words(&early)[0].starts_with("emits audio command "));
}

/// A function that writes some keys, one of them with what it held already.
const SMITH: &str = r#"{ "machine": "Smith", "events": ["Work"],
  "blackboard": { "heat": { "type": "i32", "default": 5 }, "at": "vec2", "idle": "bool" },
  "functions": { "Strike": { "kind": "action" } }, "initial": "forge",
  "states": { "forge": { "transitions": [{ "on": "Work", "do": ["Strike", "heat += 1"] }] } } }"#;

/// What a tick with `Work` writes, in words.
fn writes<B: Board>(mut crowd: Crowd<B, ()>, board: B, level: Level) -> Vec<String> {
    let agent = crowd.spawn(board);
    crowd.set_trace(Some(Settings::new(level))).unwrap();
    crowd.tick(&());
    let work = crowd.machine().event("Work").unwrap();
    crowd.send(agent, work, ()).unwrap();
    crowd.tick(&());
    let legend = crowd.legend();
    let wrote = |record: &&Record| matches!(record.kind(), Some(Kind::Wrote | Kind::More));
    crowd
        .trace()
        .filter(wrote)
        .map(|record| legend.words(record))
        .collect()
}

#[test]
fn sys_3_writes_of_functions_to_the_schema_blackboard_are_told() {
    use statewright::Blackboard;
    let machine = Machine::from_text("smith.sw.json", SMITH).unwrap();
    let run = |strict: bool, level: Level| {
        let [heat, at] = ["heat", "at"].map(|name| machine.key(name).unwrap());
        HEAT.get_or_init(|| (heat, at));
        let functions = Functions::new().action("Strike", |board: &mut Blackboard, (): &(), _| {
            let (heat, at) = *HEAT.get().unwrap();
            board.set(heat, 5).unwrap();
            board.set(at, [1.5_f32, -2.0]).unwrap();
        });
        let mut crowd = Crowd::new(machine.bind(functions).unwrap(), 1);
        crowd.set_strict(strict).unwrap();
        writes(crowd, Blackboard::new(&machine), level)
    };
    static HEAT: std::sync::OnceLock<(statewright::KeyHandle, statewright::KeyHandle)> =
        std::sync::OnceLock::new();
    // The same value again is a write all the same: the blackboard knows.
    let told = ["heat = 5", "at = 1.5", "and -2", "heat = 6"];
    assert_eq!(run(false, Level::Steps), told);
    assert_eq!(run(true, Level::Steps), told);
    assert_eq!(run(false, Level::Outline), [""; 0]);
}

#[cfg(feature = "macros")]
#[derive(Board)]
struct Anvil {
    heat: i32,
    at: [f32; 2],
    idle: bool,
    /// No key of the machine.
    strikes: i32,
}

#[cfg(feature = "macros")]
#[test]
fn sys_3_writes_of_functions_to_own_types_are_found_by_comparison() {
    let machine = Machine::from_text("smith.sw.json", SMITH).unwrap();
    let run = |strict: bool, level: Level| {
        let functions = Functions::new().action("Strike", |anvil: &mut Anvil, (): &(), _| {
            (anvil.heat, anvil.idle) = (5, true);
            anvil.strikes += 1;
        });
        let mut crowd = Crowd::new(machine.bind(functions).unwrap(), 1);
        crowd.set_strict(strict).unwrap();
        let anvil = Anvil {
            heat: 5,
            at: [0.0; 2],
            idle: false,
            strikes: 0,
        };
        writes(crowd, anvil, level)
    };
    assert_eq!(run(false, Level::Steps), ["idle = true", "heat = 6"]);
    assert_eq!(run(true, Level::All), ["idle = true", "heat = 6"]);
    assert_eq!(run(false, Level::Outline), [""; 0]);
}

#[test]
fn sys_3_looking_at_writes_leaves_the_dirty_set_as_it_is() {
    use statewright::Blackboard;
    let machine = Machine::from_text("smith.sw.json", SMITH).unwrap();
    let dirty = |level: Option<Level>| {
        let functions = Functions::new().action("Strike", |_: &mut Blackboard, (): &(), _| {});
        let mut crowd = Crowd::new(machine.bind(functions).unwrap(), 1);
        let board = Blackboard::new(&machine).with(&machine, "idle", true);
        let agent = crowd.spawn(board.unwrap());
        crowd.set_trace(level.map(Settings::new)).unwrap();
        crowd.tick(&());
        crowd
            .send(agent, machine.event("Work").unwrap(), ())
            .unwrap();
        crowd.tick(&());
        let keys = crowd.edit_board(agent, |board| board.take_dirty().collect::<Vec<_>>());
        (keys.unwrap(), crowd.board(agent).unwrap().revision())
    };
    let (keys, revision) = dirty(None);
    assert_eq!((keys.len(), revision), (2, 2));
    assert_eq!(dirty(Some(Level::All)), (keys, revision));
}

#[test]
fn lang_11_a_trace_tells_what_value_functions_gave() {
    let text = r#"{ "machine": "Ear", "functions": { "loudness": { "kind": "value", "returns": "f32" },
        "source": { "kind": "value", "returns": "vec2" } },
      "initial": "asleep", "states": {
        "asleep": { "transitions": [{ "when": "always", "if": "loudness > 0.5 && source.x > 1.0", "to": "awake" }] },
        "awake": {} } }"#;
    let machine = Machine::from_text("ear.sw.json", text).unwrap();
    let functions = Functions::new()
        .value("loudness", Type::F32, |(): &(), (): &(), _| {
            0.75_f32.to_words()
        })
        .value("source", Type::Vec2, |(): &(), (): &(), _| {
            [2.0_f32, 3.0].to_words()
        });
    let mut crowd = Crowd::new(machine.bind(functions).unwrap(), 7);
    crowd.spawn(());
    crowd.set_trace(Some(Settings::new(Level::All))).unwrap();
    crowd.tick(&());
    let legend = crowd.legend();
    let records = crowd
        .trace()
        .skip_while(|record| record.kind() != Some(Kind::Gave));
    let words: Vec<String> = records.take(3).map(|record| legend.words(record)).collect();
    assert_eq!(words, ["loudness gives 0.75", "source gives 2", "and 3"]);
}
