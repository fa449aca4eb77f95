//! TAPE-8, TAPE-9: forks and the smallest tapes of sealed runs.

use std::path::PathBuf;

use statewright_tape::{Fork, SealedProgram, Tape, TapeInput, diverge, guessed, shrink};

fn kept(name: &str) -> Vec<u8> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/tapes");
    std::fs::read(folder.join(name)).unwrap()
}

/// Runs a tape without its game.
fn check(bytes: &[u8]) -> u64 {
    let tape = Tape::read(bytes).unwrap();
    let sealed = SealedProgram::of(&tape).unwrap();
    let mut replay = sealed.replay(&tape, 0).unwrap();
    let verified = replay.run(|crowd| sealed.tick(crowd));
    verified.unwrap_or_else(|error| panic!("{error}")).ticks
}

#[test]
fn tape_8_a_fork_in_which_nothing_is_other_is_the_same_run() {
    for name in [
        "town-bosses.swtape",
        "town-guards.swtape",
        "town-villagers.swtape",
    ] {
        let bytes = kept(name);
        let tape = Tape::read(&bytes).unwrap();
        for at in [0, 100] {
            let fork = Fork {
                at,
                to: None,
                machine: None,
                prepare: &mut |_| (),
                keep: &mut |_, input| Some(input),
                before: &mut |_| (),
                ticked: &mut |_| (),
            };
            let forked = fork.run(&tape).unwrap();
            assert!(forked.guessed.is_empty());
            assert_eq!(check(&forked.tape), 240 - at);
            let other = Tape::read(&forked.tape).unwrap();
            let divergence = diverge(&tape, &other, |_| ()).unwrap();
            assert!(divergence.differing.is_empty() && divergence.moved.is_empty());
            assert_eq!(divergence.ticks, 240 - at);
        }
    }
}

#[test]
fn tape_8_other_inputs_are_followed_and_other_questions_are_guesses() {
    let bytes = kept("town-guards.swtape");
    let tape = Tape::read(&bytes).unwrap();
    // Without its call for help, guard 242 does not fight, and does not ask what it asked.
    let fork = Fork {
        at: 5,
        to: Some(100),
        machine: None,
        prepare: &mut |_| (),
        keep: &mut |tick, input| match &input {
            TapeInput::Message { to, .. } if tick == 5 && to.index == 242 => None,
            _ => Some(input),
        },
        before: &mut |_| (),
        ticked: &mut |_| (),
    };
    let forked = fork.run(&tape).unwrap();
    assert_eq!(check(&forked.tape), 96);
    let other = Tape::read(&forked.tape).unwrap();
    assert_eq!(guessed(&other).unwrap(), forked.guessed);
    let divergence = diverge(&tape, &other, |_| ()).unwrap();
    let first = &divergence.differing[0];
    assert_eq!((first.agent.index, first.tick), (242, 5));
    assert_eq!(
        first.leaves,
        [Some("fight".to_owned()), Some("patrol".to_owned())]
    );
    let moved = &divergence.moved[0];
    assert_eq!((moved.tick, moved.agent.index), (5, 242));
    assert_eq!(moved.to, [Some("fight".to_owned()), None]);
    // Nobody else hears of it: guards do not speak to each other.
    assert!(
        divergence
            .differing
            .iter()
            .all(|one| one.agent.index == 242)
    );
}

#[test]
fn tape_8_a_blackboard_that_is_written_changes_what_follows() {
    let bytes = kept("town-bosses.swtape");
    let tape = Tape::read(&bytes).unwrap();
    let machine = tape.machine().unwrap();
    let health = machine.key("health").unwrap();
    let fork = Fork {
        at: 20,
        to: Some(60),
        machine: None,
        prepare: &mut |_| (),
        keep: &mut |_, input| Some(input),
        before: &mut |crowd| {
            if crowd.now() == 20 {
                let boss = crowd.agent_at(1).unwrap();
                crowd
                    .edit_board(boss, |board| board.set(health, 10).unwrap())
                    .unwrap();
            }
        },
        ticked: &mut |_| (),
    };
    let forked = fork.run(&tape).unwrap();
    check(&forked.tape);
    // It is in rage at once, which the tape was not asked about.
    assert_eq!(forked.guessed.keys().copied().collect::<Vec<u32>>(), [1]);
    let other = Tape::read(&forked.tape).unwrap();
    let divergence = diverge(&tape, &other, |_| ()).unwrap();
    assert_eq!(divergence.moved[0].to, [None, Some("rage".to_owned())]);
}

#[test]
fn tape_9_what_is_left_of_a_tape_still_shows_it_and_no_more() {
    let bytes = kept("town-guards.swtape");
    let tape = Tape::read(&bytes).unwrap();
    let machine = tape.machine().unwrap();
    let fight = machine.state("fight").unwrap();
    let mut runs = 0;
    let shrunk = shrink(
        &tape,
        &mut |crowd, _| {
            let all = crowd.all_in(fight).unwrap();
            all.first().map(|&agent| Some(agent))
        },
        3,
        |count| runs = count,
    );
    let shrunk = shrunk.unwrap().unwrap();
    assert_eq!((shrunk.agents, shrunk.ticks), ([1000, 1], [240, 4]));
    // The payload is part of what `Strike` was asked, so that it stays.
    assert_eq!((shrunk.tick, shrunk.inputs[1], shrunk.payloads), (5, 1, 0));
    assert!(shrunk.tape.len() < bytes.len() / 10 && runs < 200, "{runs}");
    assert_eq!(check(&shrunk.tape), 4);
    let small = Tape::read(&shrunk.tape).unwrap();
    let sealed = SealedProgram::of(&small).unwrap();
    let mut replay = sealed.replay(&small, 0).unwrap();
    replay.run(|crowd| sealed.tick(crowd)).unwrap();
    assert!(replay.crowd().is_in(shrunk.agent.unwrap(), fight).unwrap());
    assert_eq!(replay.crowd().len(), 1);
}

#[test]
fn tape_9_what_is_never_so_gives_nothing() {
    let bytes = kept("town-bosses.swtape");
    let tape = Tape::read(&bytes).unwrap();
    assert_eq!(shrink(&tape, &mut |_, _| None, 0, |_| ()).unwrap(), None);
}
