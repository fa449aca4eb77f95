//! Traces of crowds: what is recorded, when, and that it changes nothing (SYS-3, SEL-7).

use std::sync::atomic::{AtomicU64, Ordering};

use statewright::prelude::*;
use statewright::trace::{Legend, Level, Record, Settings, Totals};
use statewright::{Blackboard, Kind};

const GUARD: &str = r#"{ "machine": "Guard", "events": ["Noise", "Calm", "Hit"],
  "blackboard": { "health": { "type": "i32", "default": 5 } },
  "initial": "post",
  "transitions": [{ "on": "Hit", "if": "IsTough", "do": "health -= 1" }],
  "states": {
    "post": { "initial": "bored", "transitions": [{ "on": "Noise", "to": "alert", "if": "Hears" }],
      "states": { "bored": { "activity": "Yawn" }, "fed_up": {} } },
    "alert": { "transitions": [{ "on": "Calm", "to": "post" }, { "after": "3t", "to": "fed_up" }, { "when": "always", "if": "health < 1", "to": "down" }] },
    "down": { "final": true } } }"#;

struct Body {
    health: i32,
    deaf: bool,
}

impl Board for Body {
    const FIELDS: &'static [(&'static str, statewright::Type)] =
        &[("health", statewright::Type::I32)];

    fn read(&self, _: usize) -> [u32; 3] {
        statewright::Value::to_words(self.health)
    }

    fn write(&mut self, _: usize, words: [u32; 3]) {
        self.health = statewright::Value::from_words(words);
    }
}

fn guards(count: u32) -> (Crowd<Body, ()>, [statewright::EventHandle; 3]) {
    let machine = Machine::from_text("guard.sw.json", GUARD).unwrap();
    let functions = Functions::new()
        .guard("Hears", |me: &Body, (): &(), _| Verdict {
            holds: !me.deaf,
            code: if me.deaf { 3 } else { 0 },
        })
        .guard("IsTough", |me, (), _| Verdict::from(me.health > 0))
        .activity("Yawn", |_, (), _, _| Status::Running)
        .guard_code("Hears", 3, "it is deaf");
    let mut crowd = Crowd::new(machine.bind(functions).unwrap(), 1);
    for number in 0..count {
        crowd.spawn(Body {
            health: 5,
            deaf: number % 2 == 1,
        });
    }
    let events = ["Noise", "Calm", "Hit"].map(|name| machine.event(name).unwrap());
    (crowd, events)
}

/// The last tick in words.
fn words(crowd: &Crowd<Body, ()>) -> Vec<String> {
    let legend = crowd.legend();
    crowd
        .trace()
        .map(|record| format!("{} {}", record.agent, legend.words(record)))
        .collect()
}

#[test]
fn level_1_is_events_transitions_and_leaves() {
    let (mut crowd, [noise, calm, hit]) = guards(2);
    crowd
        .set_trace(Some(Settings::new(Level::Outline)))
        .unwrap();
    crowd.tick(&());
    assert_eq!(
        words(&crowd),
        [
            "0 starts",
            "0 now in post/bored",
            "1 starts",
            "1 now in post/bored"
        ]
    );
    crowd.broadcast(noise, ()).unwrap();
    crowd.tick(&());
    assert_eq!(
        words(&crowd),
        ["0 Noise: post -> alert", "1 Noise: nobody handles it"]
    );
    crowd.broadcast(hit, ()).unwrap();
    crowd.tick(&());
    assert_eq!(
        words(&crowd),
        ["0 Hit: root (internal)", "1 Hit: root (internal)"]
    );
    crowd.tick(&());
    assert_eq!(words(&crowd), [] as [&str; 0]);
    crowd.tick(&());
    assert_eq!(
        words(&crowd),
        ["0 after 3t to `post/fed_up`: alert -> post/fed_up"]
    );
    crowd.broadcast(calm, ()).unwrap();
    crowd.tick(&());
    assert_eq!(
        words(&crowd),
        ["0 Calm: nobody handles it", "1 Calm: nobody handles it"]
    );
}

#[test]
fn some_agents_are_recorded_closer_than_the_others() {
    let record = |settings: Settings| {
        let (mut crowd, [noise, ..]) = guards(4);
        crowd.set_trace(Some(settings)).unwrap();
        let mut all = Vec::new();
        for _ in 0..4 {
            crowd.tick(&());
            all.push(words(&crowd));
            crowd.broadcast(noise, ()).unwrap();
        }
        all
    };
    let of = |all: &[Vec<String>], agents: &[char]| -> Vec<String> {
        all.iter()
            .flatten()
            .filter(|line| agents.iter().any(|&agent| line.starts_with(agent)))
            .cloned()
            .collect()
    };
    let (outline, everything) = (
        record(Settings::new(Level::Outline)),
        record(Settings::new(Level::All)),
    );
    let mixed = record(Settings::new(Level::Outline).closer(Level::All, [1_u32, 2]));
    assert_eq!(of(&mixed, &['0', '3']), of(&outline, &['0', '3']));
    assert_eq!(of(&mixed, &['1', '2']), of(&everything, &['1', '2']));
    assert!(
        mixed
            .iter()
            .flatten()
            .any(|line| line.contains("it is deaf")),
        "{mixed:?}"
    );
    // A lower level takes nothing away, and those that are looked at closer are recorded in any
    // case.
    assert_eq!(
        record(Settings::new(Level::All).closer(Level::Outline, [1_u32])),
        everything
    );
    let alone = record(
        Settings::new(Level::Outline)
            .agents([0_u32])
            .closer(Level::All, [1_u32]),
    );
    assert_eq!(of(&alone, &['0']), of(&outline, &['0']));
    assert_eq!(of(&alone, &['1']), of(&everything, &['1']));
    assert_eq!(of(&alone, &['2', '3']), [] as [&str; 0]);
}

#[test]
fn totals_count_what_records_would_have_said() {
    let run = |settings: Settings| {
        let (mut crowd, [noise, calm, hit]) = guards(3000);
        crowd.set_trace(Some(settings)).unwrap();
        let legend = crowd.legend();
        let mut counted = Totals::new(legend.states.len(), legend.transitions.len());
        let mut kept = Vec::new();
        for event in [noise, hit, calm, noise, noise, hit] {
            crowd.tick(&());
            for record in crowd.trace() {
                counted.count(record, |transition| {
                    legend.transitions[usize::from(transition)].is_internal
                });
                kept.push((record.agent.get(), legend.words(record)));
            }
            crowd.broadcast(event, ()).unwrap();
        }
        // Calls are in no record.
        let calls = Vec::new();
        let totals = crowd.trace_totals();
        (counted, kept, Totals { calls, ..totals })
    };
    let (counted, all, none) = run(Settings::new(Level::Outline));
    assert_eq!(none, Totals::default(), "nobody asked for totals");
    let (_, kept, totals) = run(Settings::new(Level::Outline).totals());
    assert_eq!((kept.len(), &totals), (0, &counted));
    assert!(totals.transitions.iter().sum::<u64>() > 3000, "{totals:?}");
    // Those that are looked at closer are counted, too, and their records are kept.
    let closer = Settings::new(Level::Outline)
        .totals()
        .closer(Level::Outline, [7_u32, 2999]);
    let (_, kept, totals) = run(closer);
    let expected: Vec<(u32, String)> = all
        .into_iter()
        .filter(|(agent, _)| matches!(agent, 7 | 2999))
        .collect();
    assert_eq!((kept, totals), (expected, counted));
}

/// What functions count that are asked by many threads.
#[derive(Default)]
struct Asked([AtomicU64; 2]);

/// A crowd whose guard and activity count their calls of some agents themselves.
fn counting(agents: u32) -> (Crowd<(), Asked>, statewright::EventHandle) {
    let machine = Machine::from_text(
        "m",
        r#"{ "machine": "M", "events": ["Go"], "initial": "a",
        "states": { "a": { "activity": "Hum", "transitions": [{ "on": "Go", "if": "May", "to": "b" }] }, "b": {} } }"#,
    );
    let machine = machine.unwrap();
    let functions = Functions::new()
        .activity("Hum", |(), asked: &Asked, _, _| {
            asked.0[0].fetch_add(1, Ordering::Relaxed);
            Status::Running
        })
        .guard("May", |(), asked, cx| {
            asked.0[1].fetch_add(1, Ordering::Relaxed);
            Verdict::from(cx.agent().index().is_multiple_of(3))
        });
    let mut crowd = Crowd::new(machine.bind(functions).unwrap(), 1);
    crowd.set_chunk_size(64);
    (0..agents).for_each(|_| _ = crowd.spawn(()));
    (crowd, machine.event("Go").unwrap())
}

#[test]
fn sys_3_totals_count_calls_of_functions_on_any_threads() {
    let run = |settings: Settings, parallel: bool| {
        let ((mut crowd, go), asked) = (counting(1000), Asked::default());
        crowd.set_trace(Some(settings)).unwrap();
        for tick in 0..6 {
            if parallel {
                crowd.tick_parallel(&asked);
            } else {
                crowd.tick(&asked);
            }
            if tick % 2 == 0 {
                crowd.broadcast(go, ()).unwrap();
            }
        }
        let symbols = crowd.machine().symbols();
        let number = |name: &str| symbols.functions.iter().position(|one| one.name == name);
        let calls = crowd.trace_totals().calls;
        let counted = ["Hum", "May"].map(|name| calls[number(name).unwrap()]);
        (counted, asked.0.map(AtomicU64::into_inner))
    };
    let outline = || Settings::new(Level::Outline).totals();
    for parallel in [false, true] {
        let (counted, asked) = run(outline(), parallel);
        assert_eq!(counted, asked);
        assert!(asked.iter().all(|&calls| calls > 2000), "{asked:?}");
        let (closer, _) = run(outline().closer(Level::All, [3_u32]), parallel);
        assert_eq!(closer, asked, "those who are looked at closer, too");
        let (some, _) = run(outline().agents([0_u32, 1]), parallel);
        assert_eq!(some[1], 4, "one asks once, the other three times");
    }
}

#[test]
fn level_2_adds_entries_exits_and_timers() {
    let (mut crowd, [noise, calm, _]) = guards(1);
    crowd.set_trace(Some(Settings::new(Level::Steps))).unwrap();
    crowd.tick(&());
    assert_eq!(
        words(&crowd),
        [
            "0 starts",
            "0 enters root",
            "0 enters post",
            "0 enters post/bored",
            "0 now in post/bored"
        ]
    );
    crowd.broadcast(noise, ()).unwrap();
    crowd.tick(&());
    let expected = [
        "0 Noise: post -> alert",
        "0 leaves post/bored",
        "0 leaves post",
        "0 enters alert",
        "0 now in alert",
        "0 after 3t to `post/fed_up` runs until tick 4",
    ];
    assert_eq!(words(&crowd), expected);
    crowd.broadcast(calm, ()).unwrap();
    crowd.tick(&());
    // Leaving a state ends its timers: that has no record of its own.
    assert_eq!(
        words(&crowd)[..2],
        ["0 Calm: alert -> post", "0 leaves alert"]
    );
    crowd.broadcast(noise, ()).unwrap();
    crowd.tick(&());
    (0..2).for_each(|_| _ = crowd.tick(&()));
    crowd.tick(&());
    assert_eq!(
        words(&crowd)[..2],
        [
            "0 after 3t to `post/fed_up` is due",
            "0 after 3t to `post/fed_up`: alert -> post/fed_up"
        ]
    );
}

#[test]
fn sel_7_level_3_adds_guards_activities_and_reasons_when_they_change() {
    let (mut crowd, [noise, ..]) = guards(2);
    crowd
        .set_trace(Some(Settings::new(Level::All).agents([1_u32])))
        .unwrap();
    crowd.tick(&());
    crowd.broadcast(noise, ()).unwrap();
    crowd.tick(&());
    let expected = [
        "1 Noise: who takes it?",
        "1 guard of post -> alert: no, it is deaf (code 3)",
        "1 not post -> alert: guard Hears says no: it is deaf (code 3)",
        "1 Noise: nobody handles it",
        "1 activity of post/bored: goes on",
    ];
    assert_eq!(words(&crowd), expected);
    // The same reason once more is no news.
    crowd.broadcast(noise, ()).unwrap();
    crowd.tick(&());
    assert_eq!(
        words(&crowd),
        [expected[0], expected[1], expected[3], expected[4]]
    );
    // It is taken, and news again afterwards.
    let agent = crowd.agents().nth(1).unwrap();
    crowd.board_mut(agent).unwrap().deaf = false;
    crowd.broadcast(noise, ()).unwrap();
    crowd.tick(&());
    assert!(words(&crowd).contains(&"1 Noise: post -> alert".to_owned()));
    assert_eq!(
        words(&crowd).last().unwrap(),
        "1 not alert -> down: its guard says no"
    );
    crowd.tick(&());
    assert_eq!(
        words(&crowd),
        [] as [&str; 0],
        "it sleeps until its blackboard is written"
    );
    crowd.board_mut(agent).unwrap().deaf = true;
    (0..3).for_each(|_| _ = crowd.tick(&()));
    crowd.broadcast(noise, ()).unwrap();
    crowd.tick(&());
    assert_eq!(words(&crowd).last().unwrap(), "1 Noise: nobody handles it");
}

#[test]
fn filters_may_change_between_ticks() {
    let (mut crowd, [noise, calm, hit]) = guards(3);
    crowd.tick(&());
    crowd.broadcast(noise, ()).unwrap();
    crowd.tick(&());
    let machine = crowd.machine().clone();
    // Whoever is recorded from now on begins with where it is.
    let agents: Vec<AgentId> = crowd.agents().collect();
    crowd
        .set_trace(Some(Settings::default().agents([agents[0], agents[1]])))
        .unwrap();
    crowd.broadcast(hit, ()).unwrap();
    crowd.tick(&());
    assert_eq!(
        words(&crowd),
        [
            "0 is in alert",
            "1 is in post/bored",
            "0 Hit: root (internal)",
            "1 Hit: root (internal)"
        ]
    );
    crowd
        .set_trace(Some(Settings::default().events([calm.id()])))
        .unwrap();
    crowd.broadcast(hit, ()).unwrap();
    crowd.broadcast(calm, ()).unwrap();
    crowd.tick(&());
    let expected = [
        "2 is in alert",
        "0 Calm: alert -> post",
        "0 now in post/bored",
    ];
    assert_eq!(words(&crowd)[..3], expected);
    assert!(words(&crowd).iter().all(|line| !line.contains("Hit")));
    // A state stands for everything inside it.
    crowd
        .set_trace(Some(
            Settings::new(Level::Steps).states([machine.state("post").unwrap().id()]),
        ))
        .unwrap();
    crowd.broadcast(noise, ()).unwrap();
    crowd.tick(&());
    let expected = [
        "0 Noise: post -> alert",
        "0 leaves post/bored",
        "0 leaves post",
        "0 after 3t to `post/fed_up` runs until tick 7",
    ];
    assert_eq!(words(&crowd)[..4], expected);
    crowd.despawn(agents[2]).unwrap();
    crowd.tick(&());
    assert_eq!(words(&crowd), ["2 was taken away"]);
    crowd.set_trace(None).unwrap();
    crowd.broadcast(calm, ()).unwrap();
    crowd.tick(&());
    assert_eq!((words(&crowd).len(), crowd.trace_settings()), (0, None));
}

#[test]
fn a_crowd_that_goes_back_tells_where_it_is() {
    let (mut crowd, [noise, calm, _]) = calm_guards();
    crowd.set_trace(Some(Settings::default())).unwrap();
    crowd.tick(&());
    let saved = crowd.snapshot();
    crowd.broadcast(noise, ()).unwrap();
    crowd.tick(&());
    crowd.restore(&saved).unwrap();
    crowd.broadcast(calm, ()).unwrap();
    crowd.tick(&());
    let legend = crowd.legend();
    let words: Vec<String> = crowd
        .trace()
        .map(|record| format!("{} {}", record.tick, legend.words(record)))
        .collect();
    assert_eq!(words, ["1 is in post/bored", "1 Calm: nobody handles it"]);
}

/// One guard without anything of its own.
fn calm_guards() -> (Crowd<Blackboard, ()>, [statewright::EventHandle; 3]) {
    let machine = Machine::from_text("guard.sw.json", GUARD).unwrap();
    let functions = Functions::new()
        .guard("Hears", |_: &Blackboard, (): &(), _| Verdict::from(true))
        .guard("IsTough", |_, (), _| Verdict::from(true))
        .activity("Yawn", |_, (), _, _| Status::Running);
    let mut crowd = Crowd::new(machine.bind(functions).unwrap(), 1);
    crowd.spawn(Blackboard::new(&machine));
    let events = ["Noise", "Calm", "Hit"].map(|name| machine.event(name).unwrap());
    (crowd, events)
}

#[test]
fn settings_of_another_machine_are_refused_and_change_nothing() {
    let (mut crowd, _) = guards(1);
    crowd.set_trace(Some(Settings::default())).unwrap();
    let foreign = statewright::ids::StateId::new(77).unwrap();
    let refused = crowd
        .set_trace(Some(Settings::default().states([foreign])))
        .unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the trace filter names state 77, which the machine does not have: it is of another machine"
    );
    assert_eq!(crowd.trace_settings(), Some(&Settings::default()));
}

#[test]
fn codes_of_a_guard_that_is_none_are_a_misfit() {
    let machine = Machine::from_text(
        "m",
        r#"{ "machine": "M", "initial": "a", "states": { "a": {} } }"#,
    )
    .unwrap();
    let error = machine
        .bind(Functions::<(), ()>::new().guard_code("Hears", 1, "too far"))
        .unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("codes of `Hears` are explained, but there is no such guard"),
        "{error}"
    );
}

#[test]
fn what_has_no_room_is_counted_and_panics_are_told() {
    let (mut crowd, [noise, ..]) = guards(2);
    crowd
        .set_trace(Some(Settings::new(Level::All).most_per_agent(2)))
        .unwrap();
    crowd.tick(&());
    crowd.broadcast(noise, ()).unwrap();
    crowd.tick(&());
    assert_eq!(
        words(&crowd)[..3],
        [
            "0 Noise: who takes it?",
            "0 guard of post -> alert: yes",
            "0 10 more records had no room"
        ]
    );
    let machine = Machine::from_text(
        "m",
        r#"{ "machine": "M", "events": ["Go"], "initial": "a",
        "states": { "a": { "transitions": [{ "on": "Go", "do": "Burst" }] } } }"#,
    );
    let machine = machine.unwrap();
    let burst = Functions::new().action("Burst", |_: &mut (), (): &(), cx| {
        assert_ne!(cx.agent().index(), 1, "bursts")
    });
    let mut crowd = Crowd::new(machine.bind(burst).unwrap(), 1);
    (0..3).for_each(|_| _ = crowd.spawn(()));
    crowd.set_trace(Some(Settings::default())).unwrap();
    crowd.tick(&());
    crowd.broadcast(machine.event("Go").unwrap(), ()).unwrap();
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    crowd.tick(&());
    std::panic::set_hook(hook);
    let legend = crowd.legend();
    let words: Vec<String> = crowd
        .trace()
        .map(|r| format!("{} {}", r.agent, legend.words(r)))
        .collect();
    assert_eq!(
        words,
        [
            "0 Go: a (internal)",
            "1 Go: a (internal)",
            "1 ended by a panic in user code",
            "2 Go: a (internal)"
        ]
    );
}

#[test]
fn sys_10_stopping_is_told_with_all_exits() {
    let (mut crowd, _) = guards(2);
    crowd.set_trace(Some(Settings::new(Level::Steps))).unwrap();
    crowd.tick(&());
    let agent = crowd.agents().next().unwrap();
    crowd.stop(agent).unwrap();
    crowd.tick(&());
    let expected = [
        "0 leaves post/bored",
        "0 leaves post",
        "0 leaves root",
        "0 has come to its end",
    ];
    assert_eq!(words(&crowd), expected);
}

/// Ten ticks of the samples of the repository under events that come at random; gives the trace of
/// each tick and a snapshot of the end.
fn run(
    file: &str,
    level: Option<Level>,
    part_size: Option<usize>,
) -> (Vec<Vec<Record>>, Vec<u8>, Legend) {
    let path = format!("{}/../../machines/{file}", env!("CARGO_MANIFEST_DIR"));
    let machine = Machine::from_file(path).unwrap();
    let mut functions = Functions::<Blackboard, ()>::new();
    let rom = machine.rom();
    for (number, record) in rom.linker().iter().enumerate() {
        let name = &machine.symbols().functions[number].name;
        functions = match record.kind.get() {
            Kind::Guard => functions.guard(name, |_, (), cx| {
                let odd = (cx.agent().index() + cx.tick()) % 3;
                Verdict {
                    holds: odd != 0,
                    code: odd as u16,
                }
            }),
            Kind::Action => functions.action(name, |_, (), _| {}),
            Kind::Activity => functions.activity(name, |_, (), _, cx| {
                if cx.tick() % 4 == 3 {
                    Status::Succeeded
                } else {
                    Status::Running
                }
            }),
            Kind::Scorer => functions.scorer(name, |_, (), cx| (cx.agent().index() % 5) as f32),
            Kind::Value => functions.value(name, record.ty.get(), |_, (), cx| {
                [cx.agent().index() % 5, 0, 0]
            }),
        };
    }
    let mut crowd = Crowd::new(machine.bind(functions).unwrap(), 7);
    let agents: Vec<AgentId> = (0..200)
        .map(|_| crowd.spawn(Blackboard::new(&machine)))
        .collect();
    crowd.set_trace(level.map(Settings::new)).unwrap();
    if let Some(size) = part_size {
        crowd.set_chunk_size(size);
    }
    let events = rom.events().len() as u32;
    let (mut random, mut ticks) = (12_345_u32, Vec::new());
    for _ in 0..10 {
        for &agent in &agents {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if random >> 30 != 0 {
                let event =
                    statewright::ids::EventId::new(((random >> 8) % events) as u16).unwrap();
                let event = crowd.machine().handle(event).unwrap();
                crowd.send(agent, event, [0; 4]).unwrap();
            }
        }
        match part_size {
            Some(_) => crowd.tick_parallel(&()),
            None => crowd.tick(&()),
        };
        ticks.push(crowd.trace().copied().collect());
    }
    (ticks, crowd.snapshot(), crowd.legend())
}

const SAMPLES: [&str; 5] = [
    "soldier.sw.json",
    "pedestrian.sw.json",
    "boss.sw.json",
    "traffic_light.sw.json",
    "watchman.sw.json",
];

#[test]
fn the_trace_is_the_same_for_any_threads_and_changes_no_byte() {
    for file in SAMPLES {
        let (_, plain, _) = run(file, None, None);
        for level in [Level::Outline, Level::Steps, Level::All] {
            let (trace, bytes, _) = run(file, Some(level), None);
            assert_eq!(bytes, plain, "{file} at {level:?}");
            assert!(
                trace.iter().map(Vec::len).sum::<usize>() > 1000,
                "{file} at {level:?}"
            );
            for size in [1, 7, 64] {
                assert!(
                    run(file, Some(level), Some(size)).0 == trace,
                    "{file} at {level:?} in parts of {size}"
                );
            }
        }
    }
}

/// Level 1 alone: transitions without where they lead, leaves on their own.
fn outline(trace: &[Record], legend: &Legend) -> Vec<String> {
    let mut lines = Vec::new();
    for record in trace
        .iter()
        .filter(|record| record.kind().unwrap().level() == Level::Outline)
    {
        let mut alone = *record;
        if let Some(leaf) = record.leaf() {
            alone.detail &= 0x7F;
            alone.value.set(record.value.get() & 0xFFFF);
            lines.push(format!("{} {}", record.agent, legend.words(&alone)));
            let stays = legend.transitions[usize::from(record.subject.get())].is_internal;
            if !stays {
                lines.push(format!("{} now in {}", record.agent, legend.state(leaf)));
            }
            continue;
        }
        lines.push(format!("{} {}", record.agent, legend.words(&alone)));
    }
    lines
}

#[test]
fn fast_paths_tell_what_the_general_way_tells() {
    for file in SAMPLES {
        let (fast, _, legend) = run(file, Some(Level::Outline), None);
        let (general, ..) = run(file, Some(Level::All), None);
        for (tick, (fast, general)) in fast.iter().zip(&general).enumerate() {
            assert_eq!(
                outline(fast, &legend),
                outline(general, &legend),
                "{file}, tick {tick}"
            );
        }
    }
}
