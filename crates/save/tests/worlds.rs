//! SAVE-1: worlds of several crowds, as a whole or not at all.

use statewright::prelude::*;
use statewright::{Blackboard, CrowdKey, World, WorldSnapshotError};
use statewright_save::{LoadFailed, Save, Writer};

use super::patches::{Guards, KEYS, guard, guards};

const CRIER: &str = r#"{ "machine": "Crier", "events": [EVENTS], "blackboard": { "whom": { "type": "entity" } },
  "initial": "cry", "states": { "cry": { "entry": { "send": "Call", "to": "whom" } } } }"#;

fn crier(events: &str) -> Machine {
    Machine::from_text("crier", &CRIER.replace("EVENTS", events)).unwrap()
}

fn empty(machine: &Machine) -> Guards {
    super::patches::crowd(machine)
}

fn world(guards: Guards, crier: &Machine) -> (World<()>, CrowdKey<Blackboard>) {
    let mut world = World::new().starting_at(guards.now());
    let guards = world.join("guards", guards).unwrap();
    let criers: Guards = Crowd::new(crier.bind(Functions::new()).unwrap(), 9);
    let criers = world.join("criers", criers).unwrap();
    let board = Blackboard::new(crier);
    world[criers].spawn(board);
    (world, guards)
}

/// A world that has run, with a group and a message that nobody got.
fn played(v1: &Machine, crier: &Machine) -> (World<()>, [AgentId; 3]) {
    let (crowd, all) = guards(v1);
    let (mut world, _) = world(crowd, crier);
    let group = world.new_group().unwrap();
    world.join_group(group, all[1]).unwrap();
    world.tick(&());
    assert_eq!(world.undelivered().count(), 1);
    (world, all)
}

fn bytes(world: &World<()>) -> Vec<u8> {
    let writer = Writer::new("tests").world(&world.to_saved().unwrap());
    writer.unwrap().finish()
}

#[test]
fn save_1_a_world_of_equal_machines_is_a_plain_restore() {
    let (v1, crier) = (guard("2s", "doze", KEYS), crier(r#""Call""#));
    let (mut old, _) = played(&v1, &crier);
    let bytes = bytes(&old);
    let (mut new, _) = world(empty(&v1), &crier);
    let reports = Save::read(&bytes).unwrap().load_world(&mut new).unwrap();
    assert_eq!(reports.len(), 2);
    for _ in 0..100 {
        assert_eq!(new.snapshot().unwrap(), old.snapshot().unwrap());
        new.tick(&());
        old.tick(&());
    }
}

#[test]
fn save_1_a_world_goes_on_in_patched_machines() {
    let v1 = guard("2s", "doze", KEYS);
    let (old, all) = played(&v1, &crier(r#""Call""#));
    let bytes = bytes(&old);
    let (mut new, guards) = world(
        empty(&guard("2s", "snore", KEYS)),
        &crier(r#""Other", "Call""#),
    );
    let reports = Save::read(&bytes).unwrap().load_world(&mut new).unwrap();
    let lines: Vec<String> = reports
        .iter()
        .map(|(name, report)| format!("{name}: {report}"))
        .collect();
    assert_eq!(
        lines,
        [
            "guards: structure; 1 kept, 2 completed, 0 anew; lost: 2 timers",
            "criers: structure; 1 kept, 0 completed, 0 anew"
        ]
    );
    assert_eq!(new.now(), old.now());
    let lost: Vec<_> = new
        .undelivered()
        .map(|one| (one.from, one.event, one.count))
        .collect();
    assert_eq!(
        lost,
        [("criers".to_owned(), "Call".to_owned(), 1)],
        "by its new number"
    );
    new.tick(&());
    assert_eq!(new[guards].path(all[1]).unwrap(), "rest/snore");
}

#[test]
fn save_1_a_missing_crowd_changes_nothing() {
    let v1 = guard("2s", "doze", KEYS);
    let (old, _) = played(&v1, &crier(r#""Call""#));
    let bytes = bytes(&old);
    let read = Save::read(&bytes).unwrap();
    let mut alone: World<()> = World::new();
    alone.join("guards", empty(&v1)).unwrap();
    let before = alone.snapshot().unwrap();
    let missing = LoadFailed::World(WorldSnapshotError::MissingCrowd("criers".to_owned()));
    assert_eq!(read.load_world(&mut alone).unwrap_err(), missing);
    assert_eq!(alone.snapshot().unwrap(), before);
    // One more than the save has.
    let (mut more, _) = world(empty(&v1), &crier(r#""Call""#));
    more.join(
        "ghosts",
        empty(&v1).numbered(statewright::CrowdNumber::new(77).unwrap()),
    )
    .unwrap();
    let new = LoadFailed::World(WorldSnapshotError::NewCrowd("ghosts".to_owned()));
    assert_eq!(read.load_world(&mut more).unwrap_err(), new);
    // The second crowd is refused: the first is as it was, too.
    let mut other: World<()> = World::new();
    other.join("guards", empty(&v1)).unwrap();
    let silent = r#"{ "machine": "Crier", "states": { "cry": {} } }"#;
    let silent = Machine::from_text("crier", silent).unwrap();
    let crowd: Crowd<(), ()> = Crowd::new(silent.bind(Functions::new()).unwrap(), 3);
    other.join("criers", crowd).unwrap();
    let before = other.snapshot().unwrap();
    assert!(read.load_world(&mut other).is_err());
    assert_eq!(other.snapshot().unwrap(), before);
    other.tick(&());
}

#[test]
fn save_1_crowds_alone_are_no_world() {
    let v1 = guard("2s", "doze", KEYS);
    let bytes = super::patches::save(&guards(&v1).0);
    let (mut new, _) = world(empty(&v1), &crier(r#""Call""#));
    let error = Save::read(&bytes)
        .unwrap()
        .load_world(&mut new)
        .unwrap_err();
    assert_eq!(error, LoadFailed::NoWorld);
}
