//! Going back by frames: what was is again, byte for byte, whatever entered since.

use statewright::prelude::*;
use statewright::{Blackboard, GroupId, Input, Reload, RewindError, World};

const DOG: &str = r#"{ "machine": "Dog", "events": { "Call": { "payload": "i32" } },
  "parameters": { "brave": false }, "variants": { "hero": { "brave": true } },
  "blackboard": { "bones": { "type": "i32" } },
  "initial": "sit",
  "states": {
    "sit": { "transitions": [{ "when": "always", "if": "brave && bones > 0", "to": "bark" },
                             { "on": "Call", "to": "walk", "do": "bones += 1" }] },
    "bark": {}, "walk": { "transitions": [{ "after": "3t", "to": "sit" }] } } }"#;

/// Whom criers call: everybody in a group.
struct Pack(Option<GroupId>);

const NOBODY: Pack = Pack(None);

type Dogs = Crowd<Blackboard, Pack>;

fn machine() -> Machine {
    Machine::from_text("dog.sw.json", DOG).unwrap()
}

/// Four dogs after their first tick, one of them gone.
fn dogs() -> (Dogs, AgentId) {
    let machine = machine();
    let mut dogs = Crowd::new(machine.bind(Functions::new()).unwrap(), 1);
    let agents = [(); 4].map(|()| dogs.spawn(Blackboard::new(&machine)));
    dogs.despawn(agents[2]).unwrap();
    dogs.tick(&NOBODY);
    (dogs, agents[1])
}

/// Lets something enter.
type Step = fn(&mut Dogs, AgentId);

/// What enters, by name.
const STEPS: [(&str, Step); 17] = [
    ("nothing", |_, _| {}),
    ("spawn", |dogs, _| {
        let board = Blackboard::new(dogs.machine());
        dogs.spawn(board);
    }),
    ("spawn twice", |dogs, _| {
        for _ in 0..2 {
            let board = Blackboard::new(dogs.machine());
            dogs.spawn(board);
        }
    }),
    ("despawn", |dogs, dog| dogs.despawn(dog).unwrap()),
    ("another one in its place", |dogs, dog| {
        dogs.despawn(dog).unwrap();
        let board = Blackboard::new(dogs.machine());
        let hero = dogs.machine().variant("hero").unwrap();
        dogs.spawn_as(board, hero);
    }),
    ("reset", |dogs, dog| dogs.reset(dog).unwrap()),
    ("stop", |dogs, dog| dogs.stop(dog).unwrap()),
    ("pause", |dogs, dog| dogs.pause(dog).unwrap()),
    ("pause and resume", |dogs, dog| {
        dogs.pause(dog).unwrap();
        dogs.resume(dog).unwrap();
    }),
    ("send", |dogs, dog| {
        let call = dogs.machine().event("Call").unwrap();
        dogs.send(dog, call, 5).unwrap();
    }),
    ("broadcast", |dogs, _| {
        let call = dogs.machine().event("Call").unwrap();
        dogs.broadcast(call, 5).unwrap();
    }),
    ("variant", |dogs, dog| {
        let hero = dogs.machine().variant("hero").unwrap();
        dogs.set_variant(dog, hero).unwrap();
    }),
    ("parameter", |dogs, _| {
        let brave = dogs.machine().parameter("brave").unwrap();
        dogs.set_parameter(brave, true).unwrap();
    }),
    ("one blackboard", |dogs, dog| {
        let bones = dogs.machine().key("bones").unwrap();
        dogs.edit_board(dog, |board| board.set(bones, 3).unwrap())
            .unwrap();
    }),
    ("all blackboards", |dogs, _| {
        let bones = dogs.machine().key("bones").unwrap();
        dogs.edit_boards(|_, board| board.set(bones, 3).unwrap());
    }),
    ("bytes", |dogs, dog| {
        let bytes = dogs.instance_bytes(dog).unwrap().to_vec();
        dogs.despawn(dog).unwrap();
        let board = Blackboard::new(dogs.machine());
        let other = dogs.spawn(board);
        dogs.apply(Input::Instance(other, bytes.into())).unwrap();
    }),
    ("counters", |dogs, _| dogs.reset_counters()),
];

#[test]
fn whatever_entered_is_undone() {
    for (name, step) in STEPS {
        for ticks in 0..5 {
            let (mut crowd, dog) = dogs();
            let (mut other, _) = dogs();
            crowd.keep_digest(true);
            crowd.keep_frames(5);
            let (before, awake) = (crowd.snapshot(), crowd.awake());
            step(&mut crowd, dog);
            for _ in 0..ticks {
                crowd.tick(&NOBODY);
                if let Some(last) = crowd.agents().last() {
                    step(&mut crowd, last);
                }
            }
            crowd.rewind(1).unwrap();
            assert_eq!(crowd.snapshot(), before, "{name}, {ticks} ticks");
            assert_eq!(crowd.awake(), awake, "{name}, {ticks} ticks");
            assert_eq!(crowd.digest(), other.digest(), "{name}, {ticks} ticks");
            // It goes on as one that never did anything else.
            for tick in 0..6 {
                step(&mut crowd, dog);
                step(&mut other, dog);
                crowd.tick(&NOBODY);
                other.tick(&NOBODY);
                let differs = crowd.snapshot() != other.snapshot();
                assert!(!differs, "{name}, {ticks} ticks, {tick} after it");
                assert_eq!(crowd.digest(), other.digest());
                if name == "despawn" || name == "another one in its place" || name == "bytes" {
                    break;
                }
            }
        }
    }
}

#[test]
fn so_many_ticks_are_kept_and_no_more() {
    let (mut crowd, _) = dogs();
    assert_eq!(crowd.frames(), None);
    let refused = crowd.rewind(0).unwrap_err();
    assert_eq!((refused.tick, refused.kept), (0, None));
    crowd.keep_frames(3);
    assert_eq!(crowd.frames(), Some(1..=1));
    for _ in 0..7 {
        crowd.tick(&NOBODY);
    }
    assert_eq!(crowd.frames(), Some(5..=8));
    let before = crowd.snapshot();
    for tick in [0, 4, 9, u64::MAX] {
        let kept = Some(5..=8);
        assert_eq!(crowd.rewind(tick), Err(RewindError { tick, kept }));
        assert_eq!(crowd.snapshot(), before);
    }
    crowd.rewind(6).unwrap();
    assert_eq!((crowd.now(), crowd.frames()), (6, Some(5..=6)));
    crowd.rewind(5).unwrap();
    assert_eq!((crowd.now(), crowd.frames()), (5, Some(5..=5)));
    crowd.keep_frames(0);
    assert_eq!(crowd.frames(), None);
}

#[test]
fn restores_and_reloads_begin_anew() {
    let (mut crowd, _) = dogs();
    let saved = crowd.snapshot();
    crowd.keep_frames(8);
    crowd.tick(&NOBODY);
    crowd.restore(&saved).unwrap();
    assert_eq!(crowd.frames(), None);
    crowd.tick(&NOBODY);
    assert_eq!(crowd.frames(), Some(2..=2));

    let edited = DOG.replace(r#""bark": {},"#, r#""bark": {}, "sleep": {},"#);
    let edited = Machine::from_text("dog.sw.json", &edited).unwrap();
    let plan = Reload::plan(crowd.machine(), &edited);
    let program = edited.bind(Functions::new()).unwrap();
    crowd.reload(program, plan).unwrap();
    assert_eq!(crowd.frames(), None);
    crowd.tick(&NOBODY);
    let (tick, before) = (crowd.now(), crowd.snapshot());
    crowd.tick(&NOBODY);
    crowd.rewind(tick).unwrap();
    assert_eq!(crowd.snapshot(), before);
}

#[test]
fn sleepers_stay_asleep() {
    let machine = machine();
    let mut crowd: Dogs = Crowd::new(machine.bind(Functions::new()).unwrap(), 1);
    let agents: Vec<AgentId> = (0..1000)
        .map(|_| crowd.spawn(Blackboard::new(&machine)))
        .collect();
    let call = machine.event("Call").unwrap();
    crowd.keep_frames(8);
    for _ in 0..4 {
        crowd.tick(&NOBODY);
    }
    let from = crowd.now();
    for _ in 0..4 {
        crowd.send(agents[500], call, 1).unwrap();
        crowd.tick(&NOBODY);
    }
    crowd.rewind(from).unwrap();
    assert_eq!(crowd.tick(&NOBODY).ran, 0, "who slept then sleeps now");
    assert_eq!(crowd.path(agents[500]).unwrap(), "sit");
}

const SENDER: &str = r#"{ "machine": "Crier", "events": { "Call": { "payload": "i32" } }, "initial": "wait",
  "states": { "wait": { "transitions": [{ "on": "Call", "do": "Shout" }] } } }"#;

/// Dogs, and a crier who calls all of their group.
fn town() -> (World<Pack>, [AgentId; 2], Pack) {
    let machine = Machine::from_text("crier.sw.json", SENDER).unwrap();
    let mut world: World<Pack> = World::new();
    let group = world.new_group().unwrap();
    let shout = Functions::new().action("Shout", |(): &mut (), pack: &Pack, cx| {
        if let (Some(event), Some(group)) = (cx.event(), pack.0) {
            cx.send(group.into(), event, 7);
        }
    });
    let crier = Crowd::new(machine.bind(shout).unwrap(), 1);
    let criers = world.join("criers", crier).unwrap();
    let (crowd, dog) = dogs();
    world.tick(&NOBODY);
    let pack = world.join("dogs", crowd).unwrap();
    world.join_group(group, dog).unwrap();
    let crier = world[criers].spawn(());
    world.keep_frames(6);
    world[criers].keep_frames(6);
    world[pack].keep_frames(6);
    world.tick(&NOBODY);
    (world, [crier, dog], Pack(Some(group)))
}

#[test]
fn a_world_goes_back_as_a_whole() {
    let (mut world, [crier, dog], pack) = town();
    let call = Machine::from_text("crier.sw.json", SENDER).unwrap();
    let call = call.event("Call").unwrap();
    let (from, before) = (world.now(), world.snapshot().unwrap());
    let mut seen = Vec::new();
    for round in 0..2 {
        // The crier hears it in one tick, the dog in the next.
        world.send(crier, call, 1).unwrap();
        let mut run = Vec::new();
        for _ in 0..3 {
            world.tick(&pack);
            run.push((world.path(dog).unwrap(), world.snapshot().unwrap()));
        }
        assert_eq!([&*run[0].0, &*run[1].0], ["sit", "walk"], "round {round}");
        seen.push(run);
        // To between the two as well: the message is under way there.
        world.rewind(from + 1).unwrap();
        assert!(world.snapshot().unwrap() == seen[0][0].1, "round {round}");
        world.tick(&pack);
        assert!(world.snapshot().unwrap() == seen[0][1].1, "round {round}");
        world.rewind(from).unwrap();
        assert!(world.snapshot().unwrap() == before, "round {round}");
    }
    assert!(seen[0] == seen[1]);
}

#[test]
fn what_changed_in_groups_is_undone() {
    let (mut world, [crier, dog], pack) = town();
    let group = pack.0.unwrap();
    let (from, before) = (world.now(), world.snapshot().unwrap());
    world.leave_group(group, dog).unwrap();
    world.join_group(group, crier).unwrap();
    world.new_group().unwrap();
    world.tick(&pack);
    world.dissolve_group(group).unwrap();
    world.tick(&pack);
    world.rewind(from).unwrap();
    assert!(world.snapshot().unwrap() == before);
    let refused = world.rewind(from + 1).unwrap_err().to_string();
    assert_eq!(
        refused,
        format!(
            "the world: there is no way back to before tick {}: ticks 1 to {from} are kept",
            from + 1
        )
    );
}

/// LOAD-2: turns that are owed since a reload are owed again where the crowd is again what it was right behind it.
#[test]
fn load_2_going_back_to_right_after_a_reload_owes_the_turns_again() {
    let text = |limit: &str| {
        format!(
            r#"{{ "machine": "Wait", "events": ["Never"], "blackboard": {{ "coins": "i32" }}, "initial": "wait", "states": {{
            "wait": {{ "transitions": [{{ "on": "Never", "if": "coins < {limit}", "to": "go" }}], "defer": ["Never"] }}, "go": {{}} }} }}"#
        )
    };
    let [v1, v2] = ["0", "1"].map(|limit| Machine::from_text("wait", &text(limit)).unwrap());
    let bind = |machine: &Machine| machine.bind(Functions::<Blackboard, ()>::new()).unwrap();
    let mut crowd = Crowd::new(bind(&v1), 1);
    let [free, paused] = [(); 2].map(|()| crowd.spawn(Blackboard::new(&v1)));
    crowd.tick(&());
    for agent in [free, paused] {
        crowd.send(agent, v1.event("Never").unwrap(), ()).unwrap();
    }
    crowd.tick(&());
    crowd.tick(&());
    crowd.pause(paused).unwrap();
    crowd.keep_digest(true);
    crowd.reload(bind(&v2), Reload::plan(&v1, &v2)).unwrap();
    crowd.keep_frames(4);
    let first = crowd.now();
    let seen = |crowd: &Crowd<Blackboard, ()>| {
        let bytes = [free, paused].map(|agent| crowd.instance_bytes(agent).unwrap().to_vec());
        (crowd.snapshot(), crowd.digest(), bytes)
    };
    let before = seen(&crowd);
    crowd.tick(&());
    let after = seen(&crowd);
    assert_eq!(crowd.path(free).unwrap(), "go");
    assert_ne!(before.2[1], after.2[1], "a pause does not keep marks");
    for _ in 0..2 {
        crowd.rewind(first).unwrap();
        assert_eq!(seen(&crowd), before);
        crowd.tick(&());
        assert_eq!(seen(&crowd), after);
    }
    // Behind the next tick nobody is owed one.
    crowd.rewind(first + 1).unwrap();
    assert_eq!(seen(&crowd), after);
}
