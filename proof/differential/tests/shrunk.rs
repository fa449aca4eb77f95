//! TAPE-9: what a tape is made smaller to is a fixture that shows the same on the oracle and on the kernel.

use statewright::prelude::*;
use statewright::{Blackboard, Board, Tick};
use statewright_differential::fixture::{Case, parse, run};
use statewright_tape::{FixtureError, Proof, Recording, RecordingOptions, Tape, fixture, shrink};

/// Guards whose functions answer, post, set timers and write.
const GUARD: &str = r#"{
  "machine": "Guard", "tick_rate": 10,
  "events": { "Noise": { "payload": "i32" }, "Calm": {}, "Shout": { "payload": "f32" }, "Tired": {}, "Order": {} },
  "blackboard": { "heard": { "type": "i32" }, "mood": { "type": "f32", "default": 0.5 } },
  "variants": { "elite": { "limit": 1 } }, "parameters": { "limit": 2 },
  "timers": { "watch": { "event": "Tired" } },
  "functions": { "Hears": "guard", "Look": "action", "Search": "activity", "Need": "scorer", "Near": { "kind": "value", "returns": "f32" } },
  "initial": "post",
  "states": {
    "post": { "transitions": [
      { "on": "Noise", "if": "Hears && heard >= limit", "to": "search" },
      { "on": "Noise", "do": ["heard += 1", "Look"] },
      { "on": "Tired", "if": "mood > 0.25", "to": "rest" } ] },
    "search": { "activity": "Search", "transitions": [
      { "when": "done", "if": "Near() > 1.0", "to": "fight" },
      { "when": "done", "to": "post" },
      { "when": "failed", "to": "post" } ] },
    "rest": { "transitions": [{ "after": "6t", "to": "post" }, { "on": "Shout", "to": "search" }] },
    "fight": { "transitions": [
      { "every": "2t", "score": "Need", "to": "post" },
      { "every": "2t", "score": "0.5", "to": "fight" } ] } }
}"#;

#[derive(Default)]
struct Night {
    tick: u64,
}

fn functions() -> Functions<Blackboard, Night> {
    Functions::new()
        .guard("Hears", |_: &Blackboard, night: &Night, cx| Verdict {
            holds: !(night.tick + cx.agent().index() as u64).is_multiple_of(3),
            code: night.tick as u16,
        })
        .action("Look", |board: &mut Blackboard, night: &Night, cx| {
            let words = board.read(1);
            board.write(1, [(f32::from_bits(words[0]) + 0.25).to_bits(), 0, 0]);
            if night.tick.is_multiple_of(2) {
                let watch = cx.machine().timer("watch").unwrap();
                cx.start_timer(watch, 4);
            }
        })
        .activity("Search", |_, night: &Night, _, _| match night.tick % 5 {
            0 => Status::Succeeded,
            3 => Status::Failed,
            _ => Status::Running,
        })
        .scorer("Need", |_, night: &Night, _| (night.tick % 4) as f32 / 4.0)
        .value("Near", statewright::Type::F32, |_, night: &Night, _| {
            [((night.tick % 7) as f32 / 2.0).to_bits(), 0, 0]
        })
}

/// A sealed tape of five guards, who are spawned in it.
fn recorded() -> (Vec<u8>, Machine) {
    let machine = Machine::from_text("guard.sw.json", GUARD).unwrap();
    let mut guards = Crowd::new(machine.bind(functions()).unwrap(), 3);
    let options = RecordingOptions {
        proof: Proof::Ticks,
        sealed: true,
        ..RecordingOptions::default()
    };
    let recording = Recording::begin(&mut guards, Vec::new(), options).unwrap();
    let [noise, calm, shout] = ["Noise", "Calm", "Shout"].map(|name| machine.event(name).unwrap());
    let elite = machine.variant("elite").unwrap();
    let mut agents = Vec::new();
    for _ in 0..4 {
        agents.push(guards.spawn(Blackboard::new(&machine)));
    }
    let board = Blackboard::new(&machine)
        .with(&machine, "heard", 1)
        .unwrap();
    agents.push(guards.spawn_as(board, elite));
    let heard = machine.key("heard").unwrap();
    for tick in 0..60_u64 {
        let agent = agents[tick as usize % agents.len()];
        guards.send(agent, noise, tick as i32 % 4).unwrap();
        match tick % 9 {
            2 => guards.broadcast(shout, tick as f32 * 0.5).unwrap(),
            4 => guards.send(agent, calm, ()).unwrap(),
            7 => guards
                .edit_board(agents[1], |board| board.set(heard, 2).unwrap())
                .unwrap(),
            _ => {}
        }
        match tick {
            20 => guards.pause(agents[3]).unwrap(),
            30 => guards.resume(agents[3]).unwrap(),
            _ => {}
        }
        guards.tick(&Night { tick });
    }
    (recording.finish(&mut guards).unwrap().0, machine)
}

/// Runs a case on both engines; the first command of which something else came.
fn wrong(case: &Case) -> Option<String> {
    let outcomes = run(case).unwrap();
    assert!(outcomes.len() >= 4, "oracle and kernel");
    outcomes.iter().find_map(|outcome| {
        let number = outcome.first_wrong(case)?;
        let (line, said) = (&case.script[number], &outcome.lines[number]);
        Some(format!(
            "{}: command {number} `{}`: {:?}, {said:?}",
            outcome.engine, line.command, line.expected
        ))
    })
}

#[test]
fn tape_9_what_is_made_smaller_is_a_fixture_that_shows_it_on_oracle_and_kernel() {
    let (bytes, machine) = recorded();
    let tape = Tape::read(&bytes).unwrap();
    let mut shown = 0;
    for name in ["search", "rest", "fight"] {
        for index in 0..5 {
            let state = machine.state(name).unwrap();
            let mut is_so = |crowd: &Crowd<Blackboard, statewright_tape::Answers>, _: &Tick| {
                let agent = crowd.agent_at(index)?;
                crowd.is_in(agent, state).unwrap().then_some(Some(agent))
            };
            let shrunk = shrink(&tape, &mut is_so, u64::MAX, |_| ()).unwrap();
            let Some(shrunk) = shrunk else { continue };
            assert_eq!(shrunk.agents[0], 0, "they are spawned in the tape");
            let small = Tape::read(&shrunk.tape).unwrap();
            let title = format!("agent {index} in {name}");
            let text = fixture(&small, shrunk.agent.unwrap(), &title, GUARD).unwrap();
            let file = parse(&text).unwrap_or_else(|problem| panic!("{problem}\n{text}"));
            let [case] = &file.cases[..] else {
                panic!("{text}");
            };
            assert_eq!(wrong(case), None, "{text}");
            // The last tick shows it, and a case that says something else fails.
            let mut other = case.clone();
            let last = other.script.last_mut().unwrap();
            assert_eq!(last.expected, ["...", &format!("= {name}..."), "..."]);
            last.expected[1] = "= post...".to_owned();
            assert!(wrong(&other).is_some(), "{text}");
            shown += 1;
        }
    }
    assert!(shown >= 8, "{shown} of 15 are shown");
}

#[test]
fn tape_9_what_fixtures_have_no_words_for_is_refused_by_name() {
    let (bytes, machine) = recorded();
    let tape = Tape::read(&bytes).unwrap();
    let missing = fixture(&tape, AgentId::new(77, 1), "nobody", GUARD);
    assert!(matches!(missing, Err(FixtureError::Missing)), "{missing:?}");
    // From tick 30 on everybody runs.
    let part = statewright_tape::cut(&tape, 30..=40).unwrap().unwrap();
    let part = Tape::read(&part).unwrap();
    let runs = fixture(&part, AgentId::new(0, 1), "late", GUARD);
    assert!(matches!(runs, Err(FixtureError::Runs)), "{runs:?}");
    let mut guards = Crowd::new(machine.bind(functions()).unwrap(), 3);
    let options = RecordingOptions {
        sealed: true,
        ..RecordingOptions::default()
    };
    let recording = Recording::begin(&mut guards, Vec::new(), options).unwrap();
    let guard = guards.spawn(Blackboard::new(&machine));
    guards.tick(&Night::default());
    let limit = machine.parameter("limit").unwrap();
    guards.set_parameter(limit, 7).unwrap();
    guards.tick(&Night::default());
    let (bytes, _) = recording.finish(&mut guards).unwrap();
    let refused = fixture(&Tape::read(&bytes).unwrap(), guard, "tuned", GUARD).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "fixtures have no words for this: a parameter that is changed"
    );
}
