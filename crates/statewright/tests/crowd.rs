//! Crowds: handles, bad input, panics, pauses, sleeping by blackboard.

use statewright::prelude::*;
use statewright::{Blackboard, Missing, SpawnError, counters};

const DOOR: &str = r#"{ "machine": "Door", "events": ["Knock", "Break"],
  "blackboard": { "strength": { "type": "i32", "default": 3 } },
  "initial": "closed",
  "states": {
    "closed": { "transitions": [
      { "on": "Knock", "to": "open" }, { "on": "Break", "do": "Burst" }, { "when": "always", "if": "strength < 1", "to": "gone" } ] },
    "open": { "transitions": [{ "after": "3t", "to": "closed" }] },
    "gone": {} } }"#;

fn door() -> Machine {
    Machine::from_text("door.sw.json", DOOR).unwrap()
}

fn doors() -> Crowd<Blackboard, ()> {
    let burst = Functions::new().action("Burst", |_: &mut Blackboard, _: &(), _| {
        panic!("a door bursts")
    });
    Crowd::new(door().bind(burst).unwrap(), 1)
}

fn board() -> Blackboard {
    Blackboard::new(&door())
}

#[test]
fn handles_of_the_gone_mean_nobody() {
    let mut crowd = doors();
    let knock = crowd.machine().event("Knock").unwrap();
    let first = crowd.spawn(board());
    crowd.tick(&());
    crowd.send(first, knock, ()).unwrap();
    crowd.despawn(first).unwrap();
    assert_eq!(crowd.despawn(first), Err(Missing::Gone(first)));
    let second = crowd.spawn(board());
    assert_eq!(second.index(), first.index(), "the place is used again");
    assert_ne!(second, first);
    crowd.tick(&());
    assert_eq!(
        crowd.lost_messages(),
        1,
        "the event for the first one is lost, and counted"
    );
    assert_eq!(
        crowd.path(second).unwrap(),
        "closed",
        "its successor did not get it"
    );
    assert_eq!(
        crowd.send(first, knock, ()).unwrap_err().to_string(),
        format!("{first} is not in the crowd: it was despawned, or never there")
    );
    assert_eq!(
        (crowd.len(), crowd.contains(first), crowd.contains(second)),
        (1, false, true)
    );
}

#[test]
fn tick_3_a_panic_ends_its_agent_alone() {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    for parallel in [false, true] {
        let mut crowd = doors();
        let [knock, smash] = ["Knock", "Break"].map(|name| crowd.machine().event(name).unwrap());
        let agents: Vec<AgentId> = (0..100).map(|_| crowd.spawn(board())).collect();
        crowd.set_chunk_size(7);
        crowd.tick(&());
        for (number, &agent) in agents.iter().enumerate() {
            crowd
                .send(agent, if number % 10 == 4 { smash } else { knock }, ())
                .unwrap();
        }
        let tick = if parallel {
            crowd.tick_parallel(&())
        } else {
            crowd.tick(&())
        };
        assert_eq!((tick.panicked, tick.ran), (10, 100));
        let open = crowd.machine().state("open").unwrap();
        assert_eq!(crowd.all_in(open).unwrap().len(), 90, "all others went on");
        let panicked: Vec<AgentId> = crowd.panicked().map(|one| one.agent).collect();
        assert_eq!(
            panicked,
            agents
                .iter()
                .copied()
                .skip(4)
                .step_by(10)
                .collect::<Vec<_>>()
        );
        assert!(
            panicked
                .iter()
                .all(|&agent| crowd.has_ended(agent) == Ok(true))
        );
        assert_eq!(crowd.counters().quarantines, 10);
    }
    std::panic::set_hook(hook);
}

#[test]
fn sys_2_a_write_from_outside_wakes() {
    let mut crowd = doors();
    let strength = crowd.machine().key("strength").unwrap();
    let agents: Vec<AgentId> = (0..5).map(|_| crowd.spawn(board())).collect();
    crowd.tick(&());
    assert_eq!(
        crowd.awake(),
        0,
        "the `always` transition only looks at the blackboard"
    );
    crowd
        .board_mut(agents[2])
        .unwrap()
        .set(strength, 0)
        .unwrap();
    assert_eq!(crowd.tick(&()).ran, 1);
    assert_eq!(crowd.path(agents[2]).unwrap(), "gone");
}

#[test]
fn sys_9_a_pause_stops_time() {
    let mut crowd = doors();
    let knock = crowd.machine().event("Knock").unwrap();
    let agent = crowd.spawn(board());
    crowd.tick(&());
    crowd.send(agent, knock, ()).unwrap();
    crowd.tick(&());
    crowd.pause(agent).unwrap();
    for _ in 0..10 {
        crowd.tick(&());
        assert_eq!(crowd.path(agent).unwrap(), "open");
    }
    crowd.resume(agent).unwrap();
    for _ in 0..2 {
        crowd.tick(&());
        assert_eq!(crowd.path(agent).unwrap(), "open");
    }
    crowd.tick(&());
    assert_eq!(crowd.path(agent).unwrap(), "closed");
}

#[test]
fn sys_8_counters_per_crowd_and_per_machine() {
    let machine = door();
    let burst = || Functions::new().action("Burst", |_: &mut Blackboard, _: &(), _| {});
    let [mut one, mut two] = [1, 2].map(|seed| Crowd::new(machine.bind(burst()).unwrap(), seed));
    let knock = machine.event("Knock").unwrap();
    for crowd in [&mut one, &mut two] {
        crowd.spawn(board());
        crowd.tick(&());
        crowd.broadcast(knock, ()).unwrap();
        crowd.tick(&());
        assert_eq!(
            counters::to_text(crowd.counters()),
            "events 1\nmicrosteps 1\ntransitions 1\n"
        );
    }
    assert_eq!(machine.counters().transitions, 2);
    machine.reset_counters();
    one.reset_counters();
    assert_eq!(
        (
            machine.counters().transitions,
            one.counters().transitions,
            two.counters().transitions
        ),
        (0, 0, 1)
    );
}

#[test]
fn code_3_variants() {
    let machine = Machine::build("Walker", |m| {
        m.event("Go");
        m.parameter("speed", 1);
        m.variant("fast").set("speed", 5);
        m.initial("walk");
        m.state("walk", |s| {
            s.on("Go").run("Walk");
        });
    })
    .unwrap();
    let (speed, fast, go) = (
        machine.parameter("speed").unwrap(),
        machine.variant("fast").unwrap(),
        machine.event("Go").unwrap(),
    );
    struct Walker(i32);
    impl Board for Walker {}
    let walk = Functions::new().action(
        "Walk",
        |me: &mut Walker, speed: &statewright::ParameterHandle, cx| {
            me.0 += cx.parameter::<i32>(*speed);
        },
    );
    let mut crowd = Crowd::new(machine.bind(walk).unwrap(), 1);
    let (slow, quick) = (crowd.spawn(Walker(0)), crowd.spawn_as(Walker(0), fast));
    crowd.tick(&speed);
    crowd.broadcast(go, ()).unwrap();
    crowd.tick(&speed);
    assert_eq!(
        (crowd.board(slow).unwrap().0, crowd.board(quick).unwrap().0),
        (1, 5)
    );
}

#[test]
fn sys_1_slices_of_the_hosts_own() {
    use statewright::{InboxEvent, Instance, Instance64, Slices, SlicesError, SlicesOutput};
    let machine = door();
    let burst = Functions::new().action("Burst", |_: &mut Blackboard, _: &(), _| {});
    let program = machine.bind(burst).unwrap();
    let rom = machine.rom();
    let mut doors: Vec<Instance64> = (0..4)
        .map(|agent| Instance64::new(&rom, 1, agent).unwrap())
        .collect();
    let mut boards = vec![board(); 4];
    let mut output = SlicesOutput::default();
    let mut tick = |doors: &mut [Instance64], boards: &mut [Blackboard], slices: Slices<'_>| {
        program
            .tick_slices(doors, boards, &(), slices, &mut output)
            .map(|()| *output.counters())
    };
    tick(&mut doors, &mut boards, Slices::default()).unwrap();
    let knock = machine.event("Knock").unwrap();
    let knock = machine.make_event(knock, ()).unwrap();
    let inbox = [1, 3].map(|place| InboxEvent {
        place,
        event: knock,
    });
    let awake: &[u32] = &[];
    let some = Slices {
        tick: 1,
        inbox: &inbox,
        awake: Some(awake),
        ..Slices::default()
    };
    assert_eq!(tick(&mut doors, &mut boards, some).unwrap().transitions, 2);
    let before = doors.clone();
    let refused = [
        (
            tick(&mut doors, &mut boards[..3], Slices::default()),
            SlicesError::Boards {
                found: 3,
                instances: 4,
            },
        ),
        (
            tick(
                &mut doors,
                &mut boards,
                Slices {
                    inbox: &[inbox[1], inbox[0]],
                    ..Slices::default()
                },
            ),
            SlicesError::Order {
                list: "inbox",
                index: 1,
            },
        ),
        (
            tick(
                &mut doors,
                &mut boards,
                Slices {
                    awake: Some(&[4]),
                    ..Slices::default()
                },
            ),
            SlicesError::Order {
                list: "awake",
                index: 0,
            },
        ),
    ];
    for (found, expected) in refused {
        assert_eq!(found.unwrap_err(), expected);
    }
    assert_eq!(doors, before);
}

#[test]
fn sys_2_a_write_before_a_snapshot_wakes_after_it() {
    let mut crowd = doors();
    let strength = crowd.machine().key("strength").unwrap();
    let agent = crowd.spawn(board());
    crowd.tick(&());
    crowd.board_mut(agent).unwrap().set(strength, 0).unwrap();
    let saved = crowd.snapshot();
    crowd.restore(&saved).unwrap();
    crowd.tick(&());
    assert_eq!(crowd.path(agent).unwrap(), "gone");
}

#[test]
fn evt_4_what_is_left_over_is_one_caps_worth() {
    let mut crowd = doors();
    let knock = crowd.machine().event("Knock").unwrap();
    let cap = u64::from(crowd.machine().rom().header().events_per_tick.get());
    let agent = crowd.spawn(board());
    crowd.tick(&());
    crowd.pause(agent).unwrap();
    for _ in 0..cap + 5 {
        crowd.send(agent, knock, ()).unwrap();
    }
    crowd.tick(&());
    assert_eq!(crowd.counters().dropped_surplus, 5);
    crowd.tick(&());
    assert_eq!(
        (crowd.counters().dropped_surplus, crowd.counters().dropped()),
        (5, 5),
        "and what is kept stays"
    );
}

#[test]
fn tick_3_a_panic_drops_the_rest_of_the_inbox_and_names_its_agent() {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let mut crowd = doors();
    let [knock, smash] = ["Knock", "Break"].map(|name| crowd.machine().event(name).unwrap());
    let agent = crowd.spawn(board());
    crowd.tick(&());
    for event in [smash, knock, knock] {
        crowd.send(agent, event, ()).unwrap();
    }
    crowd.tick(&());
    std::panic::set_hook(hook);
    assert_eq!(crowd.counters().dropped_ended, 2);
    crowd.despawn(agent).unwrap();
    crowd.spawn(board());
    assert_eq!(
        crowd.panicked().map(|one| one.agent).collect::<Vec<_>>(),
        [agent],
        "not its successor"
    );
}

#[test]
fn sys_2_marks_stay_until_they_are_cleared() {
    use statewright::flag;
    let machine = Machine::build("Echo", |m| {
        m.event("Cry");
        m.state("cave", |s| {
            s.on("Cry").run("Echo");
        });
    })
    .unwrap();
    let cry = machine.event("Cry").unwrap();
    // Each cry makes another one until the cap is reached; the last tick is quiet.
    let echo = Functions::new().action("Echo", |_: &mut (), loud: &bool, cx| {
        if *loud {
            cx.post(cx.event().unwrap(), ());
        }
    });
    let mut crowd = Crowd::new(machine.bind(echo).unwrap(), 1);
    let agent = crowd.spawn(());
    crowd.tick(&true);
    crowd.send(agent, cry, ()).unwrap();
    assert_eq!(crowd.tick(&true).clamped, 1);
    for _ in 0..3 {
        crowd.tick(&false);
    }
    assert_eq!(
        (
            crowd.flags(agent).unwrap() & flag::BUDGET_EXCEEDED,
            crowd.awake()
        ),
        (flag::BUDGET_EXCEEDED, 1)
    );
    crowd.clear_flags(agent).unwrap();
    crowd.tick(&false);
    assert_eq!(
        (crowd.flags(agent).unwrap() & flag::STICKY, crowd.awake()),
        (0, 0)
    );
}

#[test]
fn code_5_a_blackboard_of_another_machine_is_refused() {
    let other =
        |from: &str, to: &str| Machine::from_text("door.sw.json", &DOOR.replace(from, to)).unwrap();
    let mut crowd = doors();
    let agent = crowd.spawn(board());
    crowd.despawn(agent).unwrap();
    let before = crowd.snapshot();
    let wrong = Err(SpawnError::BoardDoesNotFit {
        machine: "Door".to_owned(),
    });
    let more = r#""strength": { "type": "i32" }, "color": { "type": "i32" }"#;
    for machine in [
        other("strength", "weakness"),
        other(
            r#""type": "i32", "default": 3"#,
            r#""type": "f32", "default": 3"#,
        ),
        other(r#""strength": { "type": "i32", "default": 3 }"#, more),
    ] {
        assert_eq!(crowd.try_spawn(Blackboard::new(&machine)), wrong);
        assert_eq!(
            crowd.try_spawn_as(Blackboard::new(&machine), statewright::VariantHandle::PLAIN),
            wrong
        );
        assert_eq!(
            crowd.snapshot(),
            before,
            "nothing changed, and the free place is still free"
        );
    }
    // Other start values and other behavior are no other keys.
    for machine in [
        other("\"default\": 3", "\"default\": 4"),
        other("3t", "4t"),
        door(),
    ] {
        assert!(crowd.try_spawn(Blackboard::new(&machine)).is_ok());
    }
    let gate = other(
        r#""machine": "Door""#,
        r#""machine": "Gate", "variants": { "wide": {} }"#,
    );
    let wide = gate.variant("wide").unwrap();
    assert_eq!(
        crowd.try_spawn_as(board(), wide).unwrap_err().to_string(),
        "variant `wide` of `Gate` is none of `Door`, which has no variant of that name"
    );
    assert_eq!(crowd.len(), 3);
}

#[test]
#[should_panic(expected = "the blackboard was made for another machine than `Door`")]
fn code_5_spawn_panics_where_try_spawn_says_no() {
    let other = Machine::from_text("door.sw.json", &DOOR.replace("strength", "weakness")).unwrap();
    doors().spawn(Blackboard::new(&other));
}

#[test]
fn code_5_slices_follow_strict_writes_and_refuse_other_blackboards() {
    use statewright::{Instance, Instance128, Slices, SlicesError, SlicesOutput};
    // `first` sees in strict mode what was there before the tick; the write makes the `always` of
    // `wait` true.
    let text = r#"{ "machine": "Copy", "tier": "standard", "policies": { "strict_writes": true },
      "blackboard": { "source": { "type": "i32", "default": 1 }, "target": { "type": "i32" } },
      "initial": "first",
      "states": {
        "first": { "exit": ["source = 5", "target = source"], "transitions": [{ "when": "always", "to": "wait" }] },
        "wait": { "transitions": [{ "when": "always", "if": "source == 5", "to": "end" }] },
        "end": {} } }"#;
    let run = |text: &str| {
        let machine = Machine::from_text("copy.sw.json", text).unwrap();
        let program = machine.bind(Functions::<Blackboard, ()>::new()).unwrap();
        let rom = machine.rom();
        let mut instances: Vec<Instance128> = (0..3)
            .map(|agent| Instance128::new(&rom, 1, agent).unwrap())
            .collect();
        let mut boards = vec![Blackboard::new(&machine); 3];
        let mut output = SlicesOutput::default();
        let ids = [9, 2, 5].map(|index| AgentId::new(index, 3));
        let slices = |tick| Slices {
            tick,
            agents: &ids,
            ..Slices::default()
        };
        program
            .tick_slices(&mut instances, &mut boards, &(), slices(0), &mut output)
            .unwrap();
        let key = |name| machine.key(name).unwrap();
        let values = ["source", "target"].map(|name| boards[2].get::<i32>(key(name)).unwrap());
        let awake: Vec<u32> = output.awake_next().map(|(index, _)| index).collect();
        program
            .tick_slices(&mut instances, &mut boards, &(), slices(1), &mut output)
            .unwrap();
        let end = machine.state("end").unwrap();
        let ended = instances
            .iter()
            .filter(|one| statewright_kernel::is_active(&rom, *one, end.id()))
            .count();
        (values, awake, ended)
    };
    assert_eq!(run(text), ([5, 1], vec![0, 1, 2], 3));
    assert_eq!(
        run(&text.replace("true", "false")).0,
        [5, 5],
        "otherwise writes are seen at once"
    );

    let machine = door();
    let program = machine
        .bind(Functions::new().action("Burst", |_: &mut Blackboard, _: &(), _| {}))
        .unwrap();
    let mut doors = vec![statewright::Instance64::new(&machine.rom(), 1, 0).unwrap(); 2];
    let other = Machine::from_text("door.sw.json", &DOOR.replace("strength", "weakness")).unwrap();
    let mut boards = [board(), Blackboard::new(&other)];
    let mut output = SlicesOutput::default();
    let before = doors.clone();
    let all = program.tick_slices(&mut doors, &mut boards, &(), Slices::default(), &mut output);
    assert_eq!(all, Err(SlicesError::BoardDoesNotFit { index: 1 }));
    assert_eq!(doors, before);
    let first = Slices {
        awake: Some(&[0]),
        ..Slices::default()
    };
    assert_eq!(
        program.tick_slices(&mut doors, &mut boards, &(), first, &mut output),
        Ok(())
    );
}

#[test]
fn wake_1_one_deadline_is_enough_whatever_happens_to_an_agent() {
    const SLEEPER: &str = r#"{ "machine": "Sleeper", "events": ["Short", "Long", "Soon"], "initial": "short",
      "states": {
        "short": { "transitions": [{ "on": "Long", "to": "long" }, { "on": "Short", "to": "short" }, { "after": "7t", "to": "long" }] },
        "long": { "transitions": [
          { "on": "Short", "to": "short" }, { "on": "Soon", "do": { "start": "bell", "after": "2t" } },
          { "after": "40t", "to": "short" }, { "timer": "bell", "to": "rest" }],
          "timers": ["bell"] },
        "rest": { "transitions": [{ "on": "Long", "to": "long" }] } } }"#;
    let machine = Machine::from_text("sleeper.sw.json", SLEEPER).unwrap();
    let events = ["Short", "Long", "Soon"].map(|name| machine.event(name).unwrap());
    let crowd = || Crowd::new(machine.bind(Functions::<(), ()>::new()).unwrap(), 1);
    // Time passes the end of its low half.
    let first = u64::from(u32::MAX) - 300;
    let [mut one, mut other] = [crowd(), crowd()].map(|crowd| crowd.starting_at(first));
    other.set_sleeping(false);
    let mut saved = None;
    let mut slept = 0;
    for round in 0..1000_u32 {
        for crowd in [&mut one, &mut other] {
            // The same noise for both.
            let mut state = round.wrapping_mul(0x9E37_79B9) | 1;
            let mut below = |bound: usize| {
                state ^= state << 13;
                state ^= state >> 17;
                state ^= state << 5;
                state as usize % bound
            };
            if crowd.len() < 100 {
                crowd.spawn(());
            }
            let agents: Vec<AgentId> = crowd.agents().collect();
            for _ in 0..below(12) {
                let agent = agents[below(agents.len())];
                // Some are gone by now.
                let _ = match below(16) {
                    0 => crowd.despawn(agent),
                    1 => crowd.pause(agent),
                    2 | 3 => crowd.resume(agent),
                    4 => crowd.reset(agent),
                    number => {
                        let sent = crowd.send(agent, events[number % 3], ());
                        assert!(matches!(
                            sent,
                            Ok(()) | Err(statewright::SendError::Missing(_))
                        ));
                        Ok(())
                    }
                };
            }
            crowd.tick(&());
        }
        assert!(one.snapshot() == other.snapshot(), "round {round}");
        slept += one.len() - one.awake();
        match round % 50 {
            20 => saved = Some(one.snapshot()),
            45 if round % 3 == 0 => {
                let saved = saved.as_ref().unwrap();
                one.restore(saved).unwrap();
                other.restore(saved).unwrap();
            }
            _ => {}
        }
    }
    assert!(
        slept > 50_000 && one.now() > u64::from(u32::MAX),
        "{slept} {one:?}"
    );
}
