//! What traces of crowds tell beyond transitions: events that never arrived, draws of random
//! numbers (SYS-3, SYS-8, CODE-6).

use statewright::prelude::*;
use statewright::trace::{Kind, Level, Loss, Record, Settings};

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
    assert_eq!(words.len(), 3, "{words:?}");
    assert!(words[0].starts_with("Strike wrote "), "{words:?}");
    assert_eq!(words[1..], ["emits audio gong", "and 3"]);
}
