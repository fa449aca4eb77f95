//! `Crowd::stop`: all exits run at the agent's turn in the next tick, and it ends (SYS-10); what is
//! held until then (CODE-7).

use std::sync::Arc;

use statewright::commands::{Pool, What};
use statewright::prelude::*;
use statewright::{Blackboard, Missing};

const SINGER: &str = r#"{ "machine": "Singer", "events": ["Sing", "Tick"],
  "blackboard": { "songs": { "type": "i32" } },
  "channels": { "voice": { "lane": "audio" } },
  "initial": "stage",
  "states": { "stage": { "owns": ["voice"], "exit": { "emit": "Bow", "lane": "gameplay" },
    "transitions": [{ "on": "Sing", "do": { "emit": "Song", "lane": "gameplay" } }],
    "initial": "quiet",
    "states": { "quiet": { "exit": ["Leave", "songs = -1"], "transitions": [{ "on": "Tick", "to": "loud" }] },
                "loud": { "transitions": [{ "after": "5t", "to": "quiet" }] } } } } }"#;

struct World {
    panics: bool,
}

const CALM: World = World { panics: false };

fn singers(count: usize) -> (Crowd<Blackboard, World>, Vec<AgentId>) {
    let machine = Machine::from_text("singer.sw.json", SINGER).unwrap();
    let leave = Functions::new().action("Leave", |_: &mut Blackboard, world: &World, _| {
        assert!(!world.panics, "a singer falls off the stage");
    });
    let mut crowd = Crowd::new(machine.bind(leave).unwrap(), 1);
    let agents = (0..count)
        .map(|_| crowd.spawn(Blackboard::new(&machine)))
        .collect();
    crowd.tick(&CALM);
    (crowd, agents)
}

/// Commands as text: who and what.
fn commands(crowd: &Crowd<Blackboard, World>) -> Vec<String> {
    let rom = crowd.machine().rom();
    let what = |command: statewright::commands::CommandRef<'_>| match command.what(&rom) {
        What::Emit { name, .. } => format!("{} {name}", command.agent().index()),
        What::Release { .. } => format!("{} release", command.agent().index()),
        _ => format!("{} other", command.agent().index()),
    };
    crowd.commands().map(what).collect()
}

fn songs(crowd: &Crowd<Blackboard, World>, agent: AgentId) -> i32 {
    let key = crowd.machine().key("songs").unwrap();
    crowd.board(agent).unwrap().get(key).unwrap()
}

#[test]
fn sys_10_exits_run_at_the_agents_turn_and_it_ends() {
    for parallel in [false, true] {
        let (mut crowd, agents) = singers(5);
        let sing = crowd.machine().event("Sing").unwrap();
        crowd.set_chunk_size(2);
        crowd.broadcast(sing, ()).unwrap();
        crowd.stop(agents[3]).unwrap();
        crowd.stop(agents[1]).unwrap();
        crowd.stop(agents[1]).unwrap();
        assert_eq!(crowd.has_ended(agents[1]), Ok(false), "not before its turn");
        let tick = if parallel {
            crowd.tick_parallel(&CALM)
        } else {
            crowd.tick(&CALM)
        };
        assert_eq!(tick.ran, 5);
        let expected = [
            "0 Song",
            "1 Bow",
            "1 release",
            "2 Song",
            "3 Bow",
            "3 release",
            "4 Song",
        ];
        assert_eq!(
            commands(&crowd),
            expected,
            "CMD-3: by agent, then as emitted"
        );
        assert_eq!(
            (
                crowd.has_ended(agents[1]),
                crowd.path(agents[1]).unwrap().as_str()
            ),
            (Ok(true), "")
        );
        assert_eq!(
            (songs(&crowd, agents[1]), songs(&crowd, agents[2])),
            (-1, 0)
        );
        let counters = crowd.counters();
        assert_eq!(
            (counters.terminations, counters.dropped_ended),
            (2, 2),
            "their songs are not heard"
        );
        assert_eq!(crowd.tick(&CALM).ran, 0, "once");
        assert_eq!((crowd.awake(), crowd.len()), (0, 5));
    }
}

#[test]
fn sys_10_strict_writes_of_exits_are_done_at_the_end_of_the_tick() {
    let (mut crowd, agents) = singers(1);
    crowd.set_strict(true).unwrap();
    crowd.stop(agents[0]).unwrap();
    crowd.tick(&CALM);
    assert_eq!(
        (songs(&crowd, agents[0]), crowd.has_ended(agents[0])),
        (-1, Ok(true))
    );
}

#[test]
fn sys_10_a_stop_survives_a_snapshot_and_a_refused_tick() {
    let (crowd, agents) = singers(3);
    let mut crowd = crowd.with_pool(Arc::new(Pool::new(0)));
    crowd.stop(agents[2]).unwrap();
    assert!(crowd.try_tick(&CALM).is_err());
    let saved = crowd.snapshot();
    let (mut other, _) = singers(0);
    other.restore(&saved).unwrap();
    assert_eq!((other.awake(), other.snapshot()), (1, saved));
    other.tick(&CALM);
    assert_eq!(commands(&other), ["2 Bow", "2 release"]);
    let mut crowd = crowd.with_pool(Arc::new(Pool::new(9)));
    crowd.tick(&CALM);
    assert_eq!(crowd.snapshot(), other.snapshot());
}

#[test]
fn sys_10_pause_does_not_put_a_stop_off_but_reset_and_despawn_come_instead() {
    let (mut crowd, agents) = singers(4);
    crowd.pause(agents[0]).unwrap();
    crowd.stop(agents[0]).unwrap();
    crowd.stop(agents[1]).unwrap();
    crowd.pause(agents[1]).unwrap();
    crowd.stop(agents[2]).unwrap();
    crowd.reset(agents[2]).unwrap();
    crowd.stop(agents[3]).unwrap();
    crowd.despawn(agents[3]).unwrap();
    assert_eq!(crowd.stop(agents[3]), Err(Missing::Gone(agents[3])));
    let machine = crowd.machine().clone();
    let successor = crowd.spawn(Blackboard::new(&machine));
    assert_eq!(successor.index(), agents[3].index());
    crowd.tick(&CALM);
    assert_eq!(
        commands(&crowd),
        ["0 Bow", "0 release", "1 Bow", "1 release"]
    );
    let ended = |agent| crowd.has_ended(agent).unwrap();
    assert_eq!(
        [agents[0], agents[1], agents[2], successor].map(ended),
        [true, true, false, false]
    );
}

#[test]
fn sys_10_who_has_not_started_runs_nothing_and_reset_starts_anew() {
    let (mut crowd, _) = singers(0);
    let machine = crowd.machine().clone();
    let agent = crowd.spawn(Blackboard::new(&machine));
    crowd.stop(agent).unwrap();
    crowd.tick(&CALM);
    assert_eq!(
        (
            crowd.has_ended(agent),
            commands(&crowd).len(),
            songs(&crowd, agent)
        ),
        (Ok(true), 0, 0)
    );
    crowd.stop(agent).unwrap();
    crowd.tick(&CALM);
    assert_eq!(
        crowd.counters().terminations,
        1,
        "who has ended stays as it is"
    );
    crowd.reset(agent).unwrap();
    crowd.tick(&CALM);
    assert_eq!(crowd.path(agent).unwrap(), "stage/quiet");
}

#[test]
fn tick_3_a_panic_in_an_exit_ends_its_agent_alone() {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let (mut crowd, agents) = singers(4);
    let sing = crowd.machine().event("Sing").unwrap();
    crowd.broadcast(sing, ()).unwrap();
    crowd.stop(agents[1]).unwrap();
    crowd.stop(agents[2]).unwrap();
    let tick = crowd.tick(&World { panics: true });
    std::panic::set_hook(hook);
    assert_eq!(
        (
            tick.panicked,
            crowd.panicked().map(|one| one.agent).collect::<Vec<_>>()
        ),
        (2, vec![agents[1], agents[2]])
    );
    assert_eq!(commands(&crowd), ["0 Song", "3 Song"]);
    let counters = crowd.counters();
    assert_eq!(
        (
            counters.quarantines,
            counters.terminations,
            counters.dropped_ended
        ),
        (2, 0, 2)
    );
}

#[test]
fn code_7_the_host_asks_what_an_agent_holds_before_it_is_gone() {
    let (mut crowd, agents) = singers(3);
    let machine = crowd.machine().clone();
    let voice = machine.channel("voice").unwrap();
    let held = |crowd: &Crowd<Blackboard, World>, agent| {
        crowd.held_channels(agent).unwrap().collect::<Vec<_>>()
    };
    assert_eq!(
        (held(&crowd, agents[0]), machine.channel_name(voice)),
        (vec![voice], "voice")
    );
    crowd.pause(agents[1]).unwrap();
    assert_eq!(held(&crowd, agents[1]), [voice], "a pause releases nothing");
    crowd.stop(agents[0]).unwrap();
    assert_eq!(held(&crowd, agents[0]), [voice], "not before its turn");
    crowd.tick(&CALM);
    assert_eq!(held(&crowd, agents[0]), [], "the release was a command");
    crowd.reset(agents[1]).unwrap();
    assert_eq!(
        held(&crowd, agents[1]),
        [],
        "after a reset it is too late to ask"
    );
    crowd.despawn(agents[2]).unwrap();
    assert_eq!(
        crowd.held_channels(agents[2]).map(Iterator::count),
        Err(Missing::Gone(agents[2]))
    );
}
