//! Rolled back every frame, the battle is the same each time; and where it is not, we are told who and
//! what.

use std::sync::atomic::{AtomicU32, Ordering};

use bevy_statewright::{AgentState, Agents, Problems, WorldBrains};
use bevy_statewright_games::battle::{AGENTS, Cheat, Tally, Weather};
use bevy_statewright_games::rollback::{Seen, Work, sync_test};

const FRAMES: u64 = 3_000;
const DISTANCE: usize = 7;

#[test]
fn two_hundred_agents_are_rolled_back_every_frame_for_3000_frames_without_a_mismatch() {
    let mut app = sync_test(DISTANCE, false);
    // No time has passed in the first update.
    for _ in 0..=FRAMES {
        app.update();
    }
    let world = app.world();
    let (work, tally) = (world.resource::<Work>(), world.resource::<Tally>());
    let agents = world.resource::<Agents>();
    let problems = world.resource::<Problems>();
    eprintln!(
        "{tally:?} {work:?} agents {} {:?}",
        agents.len(),
        agents.counters()
    );
    assert!(
        work.mismatches.is_empty(),
        "not the same again: {:?}",
        work.mismatches
    );
    assert_eq!(problems.iter().next(), None);
    // The first frames of a session have nothing to go back to; each later one sends time back first.
    let rollbacks = FRAMES - DISTANCE as u64 - 1;
    assert_eq!(work.rollbacks, rollbacks);
    assert_eq!(work.frames, FRAMES + rollbacks * DISTANCE as u64);
    // Agents were busy, in the battle as it stands in the end.
    assert!(tally.shots > 1_000, "{tally:?}");
    assert!(tally.fallen > 100 && tally.came > 100, "{tally:?}");
    assert!(tally.promoted > 10, "{tally:?}");
    assert!(work.messages > 10_000, "{work:?}");
    assert!(
        agents.counters().transitions > 50_000,
        "{:?}",
        agents.counters()
    );
    assert!(agents.len() > AGENTS as usize - 40, "{}", agents.len());
}

#[test]
fn a_fighter_that_is_not_deterministic_is_seen_and_named_with_its_key() {
    static ASKED: AtomicU32 = AtomicU32::new(0);
    let mut app = sync_test(DISTANCE, true);
    for _ in 0..100 {
        app.update();
    }
    assert!(app.world().resource::<Work>().mismatches.is_empty());
    assert!(app.world().resource::<Seen>().parted.is_none());
    let agent = app.world().resource::<AgentState>().at(23);
    let agent = agent.expect("somebody is number 23");
    let cheat = Cheat {
        agent,
        asked: &ASKED,
    };
    app.world_mut().resource_mut::<Weather>().cheat = Some(cheat);
    for _ in 0..600 {
        app.update();
    }
    assert!(ASKED.load(Ordering::Relaxed) > 1, "it drew more than once");
    assert!(
        !app.world().resource::<Work>().mismatches.is_empty(),
        "ggrs sees it"
    );
    let (frame, first, again) = app
        .world_mut()
        .resource_mut::<Seen>()
        .parted
        .take()
        .expect("and so does the snapshot");
    let mismatches = &app.world().resource::<Work>().mismatches;
    assert_eq!(
        mismatches.first(),
        Some(&frame),
        "both see it in the same frame"
    );
    let found = app.world().compare_brains(&first, &again).unwrap();
    let found = found.expect("they differ");
    assert_eq!(found.agent, Some(agent), "{found}");
    let keys: Vec<&str> = found.fields.iter().map(|field| &*field.name).collect();
    assert_eq!(keys, ["key shots"], "{found}");
}
