//! SAVE-1: agents live on in the machine of today, with the report of a reload.

use statewright::prelude::*;
use statewright::{Blackboard, Completed, Extent, Reload};
use statewright_save::{LoadFailed, Save, Writer};

/// A guard whose pause, place of rest and keys are the version's own.
pub fn guard(pause: &str, rest: &str, keys: &str) -> Machine {
    let text = format!(
        r#"{{ "machine": "Guard", "events": ["Tired", "Bell"], "blackboard": {{ {keys} }}, "initial": "patrol",
  "states": {{
    "patrol": {{ "transitions": [{{ "on": "Tired", "to": "rest" }}] }},
    "rest": {{ "initial": "{rest}", "states": {{ "{rest}": {{ "transitions": [{{ "after": "{pause}", "to": "patrol" }}] }} }},
      "transitions": [{{ "on": "Bell", "to": "patrol" }}] }} }} }}"#
    );
    Machine::from_text("guard.sw.json", &text).unwrap()
}

pub const KEYS: &str = r#""hunger": { "type": "f32", "default": 0.5 }, "coins": "i32""#;

pub type Guards = Crowd<Blackboard, ()>;

pub fn crowd(machine: &Machine) -> Guards {
    Crowd::new(machine.bind(Functions::new()).unwrap(), 7)
}

/// Three guards, the second of which rests; a letter is under way to the third.
pub fn guards(machine: &Machine) -> (Guards, [AgentId; 3]) {
    let mut guards = crowd(machine);
    let all = [1, 2, 3].map(|coins| {
        let board = Blackboard::new(machine);
        guards.spawn(board.with(machine, "coins", coins).unwrap())
    });
    guards.tick(&());
    let tired = machine.event("Tired").unwrap();
    guards.send(all[1], tired, ()).unwrap();
    guards.tick(&());
    guards.send(all[2], tired, ()).unwrap();
    (guards, all)
}

pub fn save(guards: &Guards) -> Vec<u8> {
    let writer = Writer::new("tests").crowd("guards", &guards.to_saved());
    writer.unwrap().finish()
}

#[test]
fn save_1_equal_machines_are_a_plain_restore() {
    let machine = guard("2s", "doze", KEYS);
    let (mut old, _) = guards(&machine);
    let bytes = save(&old);
    assert_eq!(save(&old), bytes, "the same crowd, the same bytes");
    let mut new = crowd(&machine);
    let report = Save::read(&bytes)
        .unwrap()
        .load("guards", &mut new)
        .unwrap();
    assert_eq!((report.extent, report.kept), (Extent::Nothing, 3));
    assert_eq!(new.snapshot(), old.snapshot());
    for _ in 0..200 {
        old.tick(&());
        new.tick(&());
        assert_eq!(new.digest(), old.digest());
    }
}

#[test]
fn save_1_a_patched_machine_takes_agents_over_as_a_reload_does() {
    let (v1, v2) = (guard("2s", "doze", KEYS), guard("3s", "snore", KEYS));
    let (mut reloaded, all) = guards(&v1);
    let bytes = save(&reloaded);
    let plan = Reload::plan(&v1, &v2);
    let program = v2.bind(Functions::new()).unwrap();
    let expected = reloaded.reload(program, plan.clone()).unwrap();
    let mut loaded = crowd(&v2);
    let before = loaded.snapshot();
    let read = Save::read(&bytes).unwrap();
    let saved = read.crowd("guards").unwrap();
    assert_eq!(loaded.preview_saved(saved, &plan).unwrap(), expected);
    assert_eq!(loaded.snapshot(), before, "a preview changes nothing");
    let report = read.load("guards", &mut loaded).unwrap();
    assert_eq!(report, expected);
    assert_eq!(report.completed[0].why, Completed::StateGone);
    assert_eq!(report.completed[0].examples, [all[1]]);
    for _ in 0..300 {
        assert_eq!(loaded.snapshot(), reloaded.snapshot());
        loaded.tick(&());
        reloaded.tick(&());
    }
    let coins = v2.key("coins").unwrap();
    assert_eq!(loaded.board(all[2]).unwrap().get(coins), Ok(3));
}

#[test]
fn save_1_a_changed_parameter_gives_everybody_a_turn() {
    let text = |limit: &str| {
        format!(
            r#"{{ "machine": "Wait", "blackboard": {{ "coins": "i32" }}, "initial": "wait", "states": {{
            "wait": {{ "transitions": [{{ "when": "always", "if": "coins < {limit}", "to": "go" }}] }}, "go": {{}} }} }}"#
        )
    };
    let [v1, v2] = ["0", "1"].map(|limit| Machine::from_text("wait", &text(limit)).unwrap());
    let mut old: Crowd<Blackboard, ()> = crowd(&v1);
    let agent = old.spawn(Blackboard::new(&v1));
    old.tick(&());
    old.tick(&());
    let bytes = save(&old);
    let mut new: Crowd<Blackboard, ()> = crowd(&v2);
    let report = Save::read(&bytes)
        .unwrap()
        .load("guards", &mut new)
        .unwrap();
    assert_eq!(report.extent, Extent::Parameters);
    new.tick(&());
    assert_eq!(new.path(agent).unwrap(), "go");
}

#[test]
fn save_1_keys_go_by_name_and_type() {
    let v1 = guard("2s", "doze", KEYS);
    let (old, all) = guards(&v1);
    let bytes = save(&old);
    let keys = r#""anger": { "type": "i32", "default": 4 }, "coins": "i32", "hunger": { "type": "bool", "default": true }"#;
    let v2 = guard("2s", "doze", keys);
    let mut new = crowd(&v2);
    Save::read(&bytes)
        .unwrap()
        .load("guards", &mut new)
        .unwrap();
    let board = new.board(all[1]).unwrap();
    let [anger, coins, hunger] = ["anger", "coins", "hunger"].map(|name| v2.key(name).unwrap());
    assert_eq!((board.get(anger), board.get(coins)), (Ok(4), Ok(2)));
    assert_eq!(board.get(hunger), Ok(true), "another type: the default");
}

#[test]
fn save_1_another_machine_and_a_missing_crowd_change_nothing() {
    let v1 = guard("2s", "doze", KEYS);
    let bytes = save(&guards(&v1).0);
    let (mut other, _) = guards(&v1);
    other.tick(&());
    let before = other.snapshot();
    let read = Save::read(&bytes).unwrap();
    let error = read.load("ghosts", &mut other).unwrap_err();
    assert_eq!(error, LoadFailed::NoCrowd("ghosts".to_owned()));
    let plain = guard("2s", "doze", "");
    let mut wrong: Crowd<(), ()> = Crowd::new(plain.bind(Functions::new()).unwrap(), 1);
    let error = read.load("guards", &mut wrong).unwrap_err().to_string();
    assert_eq!(
        error,
        "crowd `guards`: agent 0: the blackboard was the keys of the machine and is nothing now: give it another name, or write `#[saved(default)]` before it"
    );
    assert_eq!(wrong.agents().count(), 0);
    assert_eq!(other.snapshot(), before);
}

/// Pending stops, pauses, the events of those who are paused, and agents that are gone.
#[test]
fn save_1_pauses_stops_and_gaps_survive_a_patch() {
    let (v1, v2) = (guard("2s", "doze", KEYS), guard("2s", "snore", KEYS));
    let (mut old, all) = guards(&v1);
    old.pause(all[1]).unwrap();
    old.stop(all[2]).unwrap();
    old.despawn(all[0]).unwrap();
    let bytes = save(&old);
    let mut new = crowd(&v2);
    let report = Save::read(&bytes)
        .unwrap()
        .load("guards", &mut new)
        .unwrap();
    assert_eq!((report.kept, report.completed_agents()), (1, 1));
    assert_eq!(new.agents().collect::<Vec<_>>(), [all[1], all[2]]);
    new.tick(&());
    assert_eq!(new.path(all[1]).unwrap(), "rest", "it is paused");
    assert_eq!(new.has_ended(all[2]), Ok(true), "it was stopped");
    new.resume(all[1]).unwrap();
    new.tick(&());
    assert_eq!(new.path(all[1]).unwrap(), "rest/snore");
}

/// The turns that a reload owes are in what is saved right after it (LOAD-2).
#[test]
fn load_2_a_snapshot_right_after_a_reload_does_not_forget_the_turns_that_are_owed() {
    let text = |limit: &str| {
        format!(
            r#"{{ "machine": "Wait", "events": ["Never"], "blackboard": {{ "coins": "i32" }}, "initial": "wait", "states": {{
            "wait": {{ "transitions": [{{ "on": "Never", "if": "coins < {limit}", "to": "go" }}], "defer": ["Never"] }}, "go": {{}} }} }}"#
        )
    };
    let [v1, v2] = ["0", "1"].map(|limit| Machine::from_text("wait", &text(limit)).unwrap());
    let mut live: Crowd<Blackboard, ()> = crowd(&v1);
    let agents = [(); 4].map(|()| live.spawn(Blackboard::new(&v1)));
    let [agent, paused_before, paused_after, gone] = agents;
    live.tick(&());
    for one in agents {
        live.send(one, v1.event("Never").unwrap(), ()).unwrap();
    }
    live.tick(&());
    live.tick(&());
    live.pause(paused_before).unwrap();
    live.keep_digest(true);
    let plan = Reload::plan(&v1, &v2);
    assert_eq!(plan.extent(), Extent::Parameters);
    live.reload(v2.bind(Functions::new()).unwrap(), plan)
        .unwrap();
    live.pause(paused_after).unwrap();
    live.despawn(gone).unwrap();
    let mut restored: Crowd<Blackboard, ()> = crowd(&v2);
    restored.restore(&live.snapshot()).unwrap();
    // Also before the tick in which everybody has its turn, kept from tick to tick or found anew.
    assert_eq!(restored.digest(), live.digest());
    for one in [agent, paused_before, paused_after] {
        assert_eq!(restored.agent_digest(one), live.agent_digest(one));
    }
    for resumed in [false, true] {
        for crowd in [&mut live, &mut restored] {
            crowd.tick(&());
            let went = |one: AgentId| crowd.path(one).unwrap() == "go";
            let expected = [true, resumed, resumed];
            assert_eq!([agent, paused_before, paused_after].map(went), expected);
            for one in [paused_before, paused_after] {
                crowd.resume(one).unwrap();
            }
        }
        // In every byte, whoever is paused: peers of whom one was restored compare digests.
        assert_eq!(restored.digest(), live.digest());
        assert_eq!(restored.snapshot(), live.snapshot());
    }
}

/// EVT-1: what means something for a moment only is left out of queues and of what is under way.
#[test]
fn evt_1_saves_leave_ephemeral_events_out() {
    let text = r#"{ "machine": "Ear", "tier": "hero", "events": { "Step": { "ephemeral": true }, "Call": {} }, "initial": "asleep",
      "states": { "asleep": { "defer": ["Step", "Call"] } } }"#;
    let machine = Machine::from_text("ear.sw.json", text).unwrap();
    let mut ears = crowd(&machine);
    let ear = ears.spawn(Blackboard::new(&machine));
    ears.tick(&());
    let [step, call] = ["Step", "Call"].map(|name| machine.event(name).unwrap());
    for event in [step, call, step] {
        ears.send(ear, event, ()).unwrap();
    }
    ears.tick(&());
    assert_eq!(ears.inspect(ear).unwrap().queue.len(), 3);
    for event in [step, call] {
        ears.send(ear, event, ()).unwrap();
    }
    let saved = ears.to_saved();
    assert_eq!(saved.summary().unwrap().letters, 1);
    let [seen] = &saved.inspect(&[0]).unwrap()[..] else {
        panic!("one agent is there")
    };
    let queue: Vec<&str> = seen.queue.iter().map(|one| one.event.as_str()).collect();
    assert_eq!(queue, ["Call"]);
    let mut loaded = crowd(&machine);
    let plan = Reload::plan(&machine, &machine);
    loaded.load_saved(&saved, &plan).unwrap();
    loaded.tick(&());
    assert_eq!(loaded.inspect(ear).unwrap().queue.len(), 2);
}
