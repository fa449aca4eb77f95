//! Two peers who should have had the same run: tick, agent, field and cause of what differs.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use statewright::prelude::*;
use statewright::{Blackboard, Program};
use statewright_tape::{
    Cause, Desync, Peer, Proof, Recording, RecordingOptions, Tape, WhatDiffers, localize,
};

use crate::common::{DOG, Dogs, WORLD, World, program, recorded};

/// Lets something happen before a tick.
type Step = fn(&mut Dogs, u64);

/// A run of four dogs, in a world, with something else than usual; its tape.
fn tape(
    program: Arc<Program<Blackboard, World>>,
    world: &World,
    proof: Proof,
    step: Step,
) -> Vec<u8> {
    let mut dogs: Dogs = Crowd::new(program, 3);
    let options = RecordingOptions {
        proof,
        ..RecordingOptions::default()
    };
    let recording = Recording::begin(&mut dogs, Vec::new(), options).unwrap();
    let machine = dogs.machine().clone();
    let call = machine.event("Call").unwrap();
    let agents = [(); 4].map(|()| dogs.spawn(Blackboard::new(&machine)));
    for tick in 0..30_u64 {
        dogs.send(agents[tick as usize % 4], call, tick as i32 % 9)
            .unwrap();
        step(&mut dogs, tick);
        dogs.tick(world);
    }
    recording.finish(&mut dogs).unwrap().0
}

fn usual(proof: Proof) -> Vec<u8> {
    tape(program(), &WORLD, proof, |_, _| {})
}

fn ask(tapes: [&[u8]; 2]) -> Option<Desync> {
    let [one, two] = tapes.map(|bytes| Tape::read(bytes).unwrap());
    localize([&one, &two], program(), |dogs| {
        dogs.tick(&WORLD);
        None
    })
    .unwrap()
}

#[test]
fn equal_runs_have_no_difference() {
    for proof in [Proof::None, Proof::Ticks, Proof::Bytes] {
        assert_eq!(ask([&usual(proof), &usual(proof)]), None);
    }
    let (bytes, _) = recorded(Proof::Bytes);
    let [one, two] = [&bytes, &bytes].map(|bytes| Tape::read(bytes).unwrap());
    let found = localize([&one, &two], program(), |dogs: &mut Dogs| {
        dogs.tick(&WORLD);
        None
    });
    assert_eq!(found.unwrap(), None, "with every kind of input, too");
}

#[test]
fn an_input_that_only_one_had_is_the_cause() {
    let cheat: Step = |dogs, tick| {
        if tick == 12 {
            let bones = dogs.machine().key("bones").unwrap();
            let dog = dogs.agents().nth(2).unwrap();
            dogs.edit_board(dog, |board| board.set(bones, 77).unwrap())
                .unwrap();
        }
    };
    for proof in [Proof::None, Proof::Ticks, Proof::Bytes] {
        let cheated = tape(program(), &WORLD, proof, cheat);
        let found = ask([&usual(proof), &cheated]).unwrap();
        assert_eq!(
            found.to_string(),
            "tick 12: agent 2.1 differs\n  key bones: 1 with the first, 77 with the second\n\
             because something else entered before tick 12:\n  the first: nothing more\n  \
             the second: write the blackboard of agent 2.1, 20 bytes"
        );
        let turned = ask([&cheated, &usual(proof)]).unwrap();
        let Cause::Input { tick: 12, inputs } = turned.cause else {
            panic!("{turned}");
        };
        assert!(inputs[0].is_some() && inputs[1].is_none());
    }
}

/// What a function of one peer looks at besides what it is given.
static OUTSIDE: AtomicI32 = AtomicI32::new(0);

#[test]
fn a_run_that_its_own_inputs_do_not_make_is_named() {
    let machine = Machine::from_text("dog.sw.json", DOG).unwrap();
    let odd = Functions::new()
        .guard("Hears", |_: &Blackboard, _: &World, _| {
            Verdict::from(OUTSIDE.fetch_add(1, Ordering::Relaxed) % 2 == 0)
        })
        .action("Chew", |_: &mut Blackboard, _: &World, _| {});
    let odd = Arc::new(machine.bind(odd).unwrap());
    let strange = tape(odd, &WORLD, Proof::Bytes, |_, _| {});
    for (tapes, peer) in [
        ([&strange, &usual(Proof::Bytes)], Peer::First),
        ([&usual(Proof::Bytes), &strange], Peer::Second),
    ] {
        let found = ask(tapes.map(|tape| &tape[..])).unwrap();
        assert_eq!(found.cause, Cause::NotRepeated(peer), "{found}");
        assert!(matches!(found.what, WhatDiffers::Agent { .. }), "{found}");
    }
}

#[test]
fn another_beginning_is_told() {
    let mut dogs: Dogs = Crowd::new(program(), 4);
    let recording = Recording::begin(&mut dogs, Vec::new(), RecordingOptions::default()).unwrap();
    dogs.tick(&WORLD);
    let other = recording.finish(&mut dogs).unwrap().0;
    let found = ask([&usual(Proof::Ticks), &other]).unwrap();
    assert_eq!(
        (found.tick, &found.cause),
        (0, &Cause::Beginning),
        "{found}"
    );
}

#[test]
fn two_processes_find_out_who_cheats() {
    let own = std::env::current_exe().unwrap();
    let built = own.ancestors().nth(2).unwrap().join("examples/lockstep");
    let built = built.with_extension(std::env::consts::EXE_EXTENSION);
    let output = Command::new(&built).output().unwrap_or_else(|error| {
        panic!(
            "{}: {error}; `cargo build -p statewright-tape --examples` builds it",
            built.display()
        )
    });
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let told = String::from_utf8_lossy(&output.stdout);
    let expected = "after tick 33 the two are not the same any more\n\
        tick 33: agent 4.1 differs\n";
    assert!(told.starts_with(expected), "{told}");
    assert!(told.contains("key gold: "), "{told}");
    assert!(
        told.contains("the second: write the blackboard of agent 4.1"),
        "{told}"
    );
}
