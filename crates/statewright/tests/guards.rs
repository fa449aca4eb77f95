//! Guards of production: how long user functions take, and agents whose queue overflows (SYS-8,
//! EVT-3).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use statewright::prelude::*;
use statewright::{Fault, InboxEvent, Instance, Instance64, Slices, SlicesOutput, Timing, flag};

const WORKER: &str = r#"{ "machine": "Worker", "events": ["Go", "Think", "Leave"],
  "functions": { "Dig": "action", "Rest": "activity", "IsTired": "guard", "Wish": "scorer", "Bow": "action" },
  "initial": "work",
  "states": {
    "work": { "exit": "Bow", "transitions": [
      { "on": "Go", "if": "IsTired", "to": "sleep" },
      { "on": "Go", "do": "Dig" },
      { "on": "Think", "score": "Wish", "to": "sleep" } ] },
    "sleep": { "activity": "Rest" } } }"#;

/// A clock that a function moves on: by so much as the agent takes.
#[derive(Clone, Default)]
struct Time(Arc<AtomicU64>);

impl Time {
    fn pass(&self, time: u64) {
        self.0.fetch_add(time, Ordering::Relaxed);
    }

    fn timing(&self) -> Timing {
        let own = self.clone();
        Timing::new(move || own.0.load(Ordering::Relaxed))
    }
}

struct Work(u64);

impl Board for Work {}

fn functions() -> Functions<Work, Time> {
    Functions::new()
        .action("Dig", |me: &mut Work, time: &Time, _| time.pass(me.0))
        .action("Bow", |_, time, _| time.pass(2))
        .activity("Rest", |_, time, _, _| {
            time.pass(5);
            Status::Running
        })
        .guard("IsTired", |me, time, _| {
            time.pass(1);
            Verdict::from(me.0 > 100)
        })
        .scorer("Wish", |_, time, _| {
            time.pass(7);
            1.0
        })
}

fn workers(count: u64) -> (Crowd<Work, Time>, Vec<AgentId>) {
    let machine = Machine::from_text("worker.sw.json", WORKER).unwrap();
    let mut crowd = Crowd::new(machine.bind(functions()).unwrap(), 1);
    let agents = (0..count).map(|number| crowd.spawn(Work(number * 10)));
    let agents = agents.collect();
    (crowd, agents)
}

/// Name, calls, total, worst.
fn times<B: Board, C>(crowd: &Crowd<B, C>) -> Vec<(String, u64, u64, u64)> {
    let mut all: Vec<_> = crowd
        .function_times()
        .map(|(function, time)| {
            let name = crowd.machine().function_name(function);
            (name, time.calls, time.total, time.worst)
        })
        .collect();
    all.sort();
    all
}

#[test]
fn sys_8_user_functions_are_measured_by_the_clock_of_the_host() {
    let (mut crowd, agents) = workers(12);
    let time = Time::default();
    let [go, think] = ["Go", "Think"].map(|name| crowd.machine().event(name).unwrap());
    crowd.tick(&time);
    crowd.broadcast(go, ()).unwrap();
    crowd.tick(&time);
    assert_eq!(times(&crowd), [], "nobody measured");

    crowd.set_timing(Some(time.timing().with_budget(90)));
    crowd.broadcast(go, ()).unwrap();
    crowd.tick(&time);
    let named = |name: &str, calls, total, worst| (name.to_owned(), calls, total, worst);
    // The last of them sleeps since the first tick.
    let digging = named("Dig", 11, (0..11).map(|number| number * 10).sum(), 100);
    let resting = named("Rest", 1, 5, 5);
    assert_eq!(
        times(&crowd),
        [digging.clone(), named("IsTired", 11, 11, 1), resting]
    );
    let slow = crowd.slow_calls();
    assert_eq!((slow.len(), crowd.slow_call_count()), (1, 1));
    assert_eq!(
        (slow[0].agent, slow[0].tick, slow[0].time),
        (agents[10], 2, 100)
    );
    let dig = crowd.machine().function_name(slow[0].function);
    assert_eq!(dig, "Dig");

    crowd.send(agents[0], think, ()).unwrap();
    crowd.stop(agents[1]).unwrap();
    crowd.tick(&time);
    let all = times(&crowd);
    assert_eq!(all[0], named("Bow", 2, 4, 2), "an exit and a stop");
    assert_eq!(all[4], named("Wish", 1, 7, 7));
    crowd.set_timing(None);
    crowd.tick(&time);
    assert_eq!(times(&crowd), all, "what was found stays");
    crowd.reset_timing();
    assert_eq!((times(&crowd), crowd.slow_call_count()), (Vec::new(), 0));
}

#[test]
fn sys_8_slices_are_measured_as_crowds_are() {
    let (mut crowd, _) = workers(12);
    let (crowd_time, time) = (Time::default(), Time::default());
    let machine = crowd.machine().clone();
    let program = machine.bind(functions()).unwrap();
    let rom = machine.rom();
    let agents = (0..12).map(|agent| Instance64::new(&rom, 1, agent).unwrap());
    let mut instances: Vec<Instance64> = agents.collect();
    let mut boards: Vec<Work> = (0..12).map(|number| Work(number * 10)).collect();
    let mut output = SlicesOutput::default();
    let [go, think] = ["Go", "Think"].map(|name| machine.event(name).unwrap());
    for (tick, event) in [None, Some(go), Some(go), Some(think)]
        .into_iter()
        .enumerate()
    {
        let timed = tick > 1;
        let budget = 90;
        crowd.set_timing(timed.then(|| crowd_time.timing().with_budget(budget)));
        output.set_timing(timed.then(|| time.timing().with_budget(budget)));
        let inbox = event.map(|event| {
            crowd.broadcast(event, ()).unwrap();
            let event = machine.make_event(event, ()).unwrap();
            (0..12).map(move |place| InboxEvent { place, event })
        });
        let inbox: Vec<InboxEvent> = inbox.into_iter().flatten().collect();
        let slices = Slices {
            tick: tick as u64,
            inbox: &inbox,
            ..Slices::default()
        };
        crowd.tick(&crowd_time);
        let done = program.tick_slices(&mut instances, &mut boards, &time, slices, &mut output);
        done.unwrap();
        let found = output.function_times().collect::<Vec<_>>();
        assert_eq!(
            found,
            crowd.function_times().collect::<Vec<_>>(),
            "tick {tick}"
        );
        assert_eq!(found.is_empty(), !timed);
    }
    let calls = |calls: &[statewright::SlowCall]| {
        let calls = calls
            .iter()
            .map(|call| (call.agent.index(), call.tick, call.time));
        calls.collect::<Vec<_>>()
    };
    assert_eq!(calls(output.slow_calls()), [(10, 2, 100)]);
    assert_eq!(calls(crowd.slow_calls()), calls(output.slow_calls()));
    assert_eq!(output.slow_call_count(), 1);
    output.reset_timing();
    assert_eq!(
        (output.function_times().count(), output.slow_call_count()),
        (0, 0)
    );
}

#[cfg(feature = "parallel")]
#[test]
fn sys_8_a_clock_changes_no_byte_and_no_record() {
    let run = |timed: bool, traced: bool, size: Option<usize>| {
        let (mut crowd, _) = workers(40);
        let time = Time::default();
        crowd.set_timing(timed.then(|| time.timing().with_budget(0)));
        let settings = statewright::trace::Settings::new(statewright::trace::Level::All);
        crowd.set_trace(traced.then_some(settings)).unwrap();
        crowd.set_chunk_size(size.unwrap_or(1));
        let [go, think] = ["Go", "Think"].map(|name| crowd.machine().event(name).unwrap());
        let mut seen = Vec::new();
        for tick in 0..6 {
            crowd
                .broadcast(if tick % 3 == 2 { think } else { go }, ())
                .unwrap();
            match size {
                Some(_) => crowd.tick_parallel(&time),
                None => crowd.tick(&time),
            };
            let records: Vec<_> = crowd.trace().copied().collect();
            let paths: Vec<_> = crowd
                .agents()
                .map(|agent| crowd.path(agent).unwrap())
                .collect();
            seen.push((paths, *crowd.counters(), records));
        }
        let calls = times(&crowd)
            .into_iter()
            .map(|(name, calls, ..)| (name, calls));
        (seen, calls.collect::<Vec<_>>())
    };
    for traced in [false, true] {
        let (plain, none) = run(false, traced, None);
        assert_eq!(none, []);
        let (timed, calls) = run(true, traced, None);
        assert!(timed == plain && calls.len() == 5, "{traced}");
        for size in [1, 7] {
            let (spread, again) = run(true, traced, Some(size));
            assert!(spread == plain && again == calls, "{traced} {size}");
        }
    }
}

#[test]
fn sys_8_a_function_that_panics_does_not_stop_the_clock() {
    let machine = Machine::from_text("worker.sw.json", WORKER).unwrap();
    let functions = Functions::new()
        .action("Dig", |me: &mut Work, _: &Time, _| {
            assert!(me.0 != 1, "as the test wants")
        })
        .action("Bow", |_, _, _| {})
        .activity("Rest", |_, _, _, _| Status::Running)
        .guard("IsTired", |_, _, _| Verdict::from(false))
        .scorer("Wish", |_, _, _| 1.0);
    let mut crowd = Crowd::new(machine.bind(functions).unwrap(), 1);
    (0..3).for_each(|number| _ = crowd.spawn(Work(number)));
    let time = Time::default();
    crowd.set_timing(Some(time.timing()));
    crowd.tick(&time);
    crowd.broadcast(machine.event("Go").unwrap(), ()).unwrap();
    assert_eq!(crowd.tick(&time).panicked, 1);
    let calls: Vec<_> = times(&crowd)
        .into_iter()
        .map(|(name, calls, ..)| (name, calls))
        .collect();
    assert_eq!(calls, [("Dig".to_owned(), 2), ("IsTired".to_owned(), 3)]);
}

/// Whoever is pushed posts more to itself than its queue holds, or just as much as it holds.
const CROWDED: &str = r#"{ "machine": "Crowded", "events": ["Push", "Fill", "Note"],
  "initial": "still",
  "states": { "still": { "defer": ["Note"], "transitions": [
    { "on": "Push", "do": "Post(20)" }, { "on": "Fill", "do": "Post(1)" } ] } } }"#;

fn crowded(
    count: usize,
) -> (
    Crowd<(), statewright::EventHandle>,
    Vec<AgentId>,
    [statewright::EventHandle; 3],
) {
    let machine = Machine::from_text("crowded.sw.json", CROWDED).unwrap();
    let post = |(): &mut (), note: &_, cx: &mut ActionCx<'_, '_, '_>| {
        for _ in 0..cx.argument::<i32>(0) {
            cx.post(*note, ());
        }
    };
    let functions = Functions::new().action("Post", post);
    let mut crowd = Crowd::new(machine.bind(functions).unwrap(), 1);
    let agents = (0..count).map(|_| crowd.spawn(())).collect();
    let events = ["Push", "Fill", "Note"].map(|name| machine.event(name).unwrap());
    crowd.tick(&events[2]);
    (crowd, agents, events)
}

#[test]
fn evt_3_an_overflow_ends_its_agent_if_the_host_asks_for_it() {
    let (mut crowd, agents, [push, fill, note]) = crowded(3);
    crowd.set_quarantine_overflow(true);
    crowd.send(agents[0], fill, ()).unwrap();
    crowd.send(agents[1], push, ()).unwrap();
    let tick = crowd.tick(&note);
    assert_eq!((tick.faults, crowd.counters().quarantines), (1, 1));
    let faults: Vec<_> = crowd.faults().collect();
    assert_eq!(faults, [(agents[1], Fault::QueueOverflow)]);
    let ended = |agent| crowd.has_ended(agent).unwrap();
    assert_eq!(
        agents.iter().map(|&agent| ended(agent)).collect::<Vec<_>>(),
        [false, true, false]
    );

    let (mut calm, agents, [push, _, note]) = crowded(3);
    calm.send(agents[1], push, ()).unwrap();
    assert_eq!(
        calm.tick(&note).faults,
        0,
        "without it events are dropped and counted"
    );
    assert!(calm.counters().dropped() > 0);
    assert!(calm.flags(agents[1]).unwrap() & flag::QUEUE_OVERFLOW != 0);
    // Who overflowed before is not ended for that.
    calm.set_quarantine_overflow(true);
    assert_eq!(calm.tick(&note).faults, 0);
    // A refused deferral is no overflow (EVT-5).
    (0..20).for_each(|_| calm.send(agents[2], note, ()).unwrap());
    assert_eq!(calm.tick(&note).faults, 0);
    assert!(calm.counters().deferrals_refused > 0);
}

#[cfg(feature = "parallel")]
#[test]
fn evt_3_who_is_ended_by_an_overflow_does_not_depend_on_threads_or_sleep() {
    let run = |size: Option<usize>, sleeping: bool| {
        let (mut crowd, agents, [push, fill, note]) = crowded(30);
        crowd.set_quarantine_overflow(true);
        crowd.set_sleeping(sleeping);
        crowd.set_chunk_size(size.unwrap_or(1));
        let mut seen = Vec::new();
        for tick in 0..12 {
            for (number, &agent) in agents.iter().enumerate() {
                let event = if (number * 7 + tick) % 11 == 0 {
                    push
                } else {
                    fill
                };
                crowd.send(agent, event, ()).unwrap();
            }
            match size {
                Some(_) => crowd.tick_parallel(&note),
                None => crowd.tick(&note),
            };
            seen.push((crowd.faults().collect::<Vec<_>>(), crowd.snapshot()));
        }
        seen
    };
    let expected = run(None, true);
    assert!(expected.iter().any(|(faults, _)| faults.len() > 1));
    for (size, sleeping) in [(1, true), (7, false), (100, true)] {
        assert!(run(Some(size), sleeping) == expected, "{size}");
    }
}
