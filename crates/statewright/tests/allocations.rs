//! Commands of a crowd in its stride: not one allocation, neither for pages nor for lanes (CMD-2).

#![cfg(feature = "compile")]

use statewright::prelude::*;
use statewright_memory::{Counting, allocations, peak_of};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const MACHINE: &str = r#"{ "machine": "Speaker", "tier": "crowd", "events": ["Go"],
  "lanes": { "sum": { "merge": "accumulate" } }, "blackboard": { "count": { "type": "i32" } },
  "initial": "calm",
  "states": { "calm": { "transitions": [{ "on": "Go", "do": [
    "Say", "count += 1", { "emit": "a", "lane": "sum", "payload": 1 }, { "emit": "a", "lane": "sum", "payload": "count" },
    { "emit": "b", "lane": "audio" }, { "emit": "b", "lane": "audio" } ] }] } } }"#;

#[derive(Clone, Copy, Command)]
#[command(lane = NAVIGATION)]
struct Note([u32; 4]);

struct Speaker {
    count: i32,
}

impl Board for Speaker {
    // What else it has is the test's own.
    const HIDDEN: Option<&'static [&'static str]> = Some(&[]);
    const FIELDS: &'static [(&'static str, statewright::Type)] =
        &[("count", statewright::Type::I32)];

    fn read(&self, _: usize) -> [u32; 3] {
        statewright::Value::to_words(self.count)
    }

    fn write(&mut self, _: usize, words: [u32; 3]) {
        self.count = statewright::Value::from_words(words);
    }
}

/// The same without memory of its own, to be copied.
#[derive(Clone, Copy, Board)]
struct Plain {
    count: i32,
}

#[test]
fn cmd_2_nothing_is_allocated_after_a_while() {
    let machine = Machine::from_text("speaker.sw.json", MACHINE).unwrap();
    let functions = Functions::new().action("Say", |me: &mut Speaker, (): &(), cx| {
        // More or less from tick to tick, sometimes more than fits.
        for number in 0..(me.count as u32 * 7 + cx.agent().index()) % 25 {
            cx.emit(Note([number; 4]));
        }
    });
    let mut crowd = Crowd::new(machine.bind(functions).unwrap(), 3);
    for _ in 0..500 {
        crowd.spawn(Speaker { count: 0 });
    }
    crowd.set_strict(true).unwrap();
    let go = machine.event("Go").unwrap();
    let (mut commands, mut lanes) = (0, 0);
    let mut round = |crowd: &mut Crowd<Speaker, ()>| {
        crowd.broadcast(go, ()).unwrap();
        crowd.tick(&());
        commands += crowd.lane(Lane::NAVIGATION).count();
        crowd.commit(|_| lanes += 1);
        crowd.broadcast(go, ()).unwrap();
        crowd.tick(&());
    };
    (0..30).for_each(|_| round(&mut crowd));
    let (before, made) = (allocations(), crowd.pool().made());
    assert!(before > 100, "the allocator counts");
    (0..200).for_each(|_| round(&mut crowd));
    assert_eq!(allocations() - before, 0);
    assert_eq!(crowd.pool().made(), made);
    assert!(commands > 50_000 && lanes > 300_000, "{commands} {lanes}");
    assert!(
        crowd.counters().commands_dropped > 0 || made > 50,
        "{crowd:?}"
    );
}

#[test]
fn cmd_2_the_list_of_lost_commands_allocates_nothing() {
    let machine = Machine::from_text("speaker.sw.json", MACHINE).unwrap();
    let functions = Functions::new().action("Say", |_: &mut Speaker, (): &(), cx| {
        // 40 bytes each, 768 for everybody: the last of them find no room.
        (0..25).for_each(|number| _ = cx.emit(Note([number; 4])));
    });
    let mut crowd = Crowd::new(machine.bind(functions).unwrap(), 3);
    (0..300).for_each(|_| _ = crowd.spawn(Speaker { count: 0 }));
    let go = machine.event("Go").unwrap();
    let mut lost = 0;
    let mut round = |crowd: &mut Crowd<Speaker, ()>| {
        crowd.broadcast(go, ()).unwrap();
        crowd.tick(&());
        lost += crowd.lost_commands().count();
    };
    (0..3).for_each(|_| round(&mut crowd));
    let before = allocations();
    (0..50).for_each(|_| round(&mut crowd));
    assert_eq!(allocations() - before, 0);
    assert!(lost > 50 * 300, "{lost}");
}

#[test]
fn sys_3_a_trace_in_its_stride_allocates_nothing() {
    use statewright::trace::{Level, Settings};
    let machine = Machine::from_text("speaker.sw.json", MACHINE).unwrap();
    let functions = Functions::new().action("Say", |me: &mut Speaker, (): &(), _| me.count += 1);
    let mut crowd = Crowd::new(machine.bind(functions).unwrap(), 3);
    (0..500).for_each(|_| _ = crowd.spawn(Speaker { count: 0 }));
    let go = machine.event("Go").unwrap();
    for level in [Level::Outline, Level::Steps, Level::All] {
        crowd.set_trace(Some(Settings::new(level))).unwrap();
        let round = |crowd: &mut Crowd<Speaker, ()>| {
            crowd.broadcast(go, ()).unwrap();
            crowd.tick(&());
            assert!(crowd.trace().count() >= 500);
        };
        (0..3).for_each(|_| round(&mut crowd));
        let before = allocations();
        (0..20).for_each(|_| round(&mut crowd));
        assert_eq!(allocations() - before, 0, "{level:?}");
    }
}

/// Waits for an hour, and for another one with each event.
const WAITER: &str = r#"{ "machine": "Waiter", "tier": "crowd", "tick_rate": 60, "events": ["Go"], "initial": "wait",
  "states": { "wait": { "transitions": [{ "on": "Go", "to": "wait" }, { "after": "3600s", "to": "done" }] }, "done": {} } }"#;

#[test]
fn wake_1_rearming_timers_does_not_grow_memory() {
    let machine = Machine::from_text("waiter.sw.json", WAITER).unwrap();
    let mut crowd = Crowd::new(machine.bind(Functions::<(), ()>::new()).unwrap(), 3);
    (0..10_000).for_each(|_| _ = crowd.spawn(()));
    let go = machine.event("Go").unwrap();
    let round = |crowd: &mut Crowd<(), ()>| {
        crowd.broadcast(go, ()).unwrap();
        assert_eq!(crowd.tick(&()).ran, 10_000);
        assert_eq!(crowd.awake(), 0, "all wait");
    };
    (0..3).for_each(|_| round(&mut crowd));
    let before = allocations();
    // The rule is 10,000; that takes a while without optimization.
    let ticks = if cfg!(debug_assertions) { 300 } else { 10_000 };
    (0..ticks).for_each(|_| round(&mut crowd));
    assert_eq!(allocations() - before, 0);
}

/// What all threads of the pool have asked for. Asking them costs something, too: always the same.
#[cfg(feature = "parallel")]
fn of_all_threads() -> u64 {
    rayon::broadcast(|_| allocations()).into_iter().sum()
}

#[cfg(feature = "parallel")]
#[test]
fn sys_1_a_tick_on_several_threads_allocates_nothing() {
    let machine = Machine::from_text("waiter.sw.json", WAITER).unwrap();
    let mut crowd = Crowd::new(machine.bind(Functions::<(), ()>::new()).unwrap(), 3);
    (0..2000).for_each(|_| _ = crowd.spawn(()));
    crowd.set_chunk_size(20);
    let go = machine.event("Go").unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build();
    // Inside of the pool, where its own queue of strangers' jobs is not used.
    let allocated = pool.unwrap().install(|| {
        let round = |crowd: &mut Crowd<(), ()>| {
            crowd.broadcast(go, ()).unwrap();
            assert_eq!(crowd.tick_parallel(&()).ran, 2000);
        };
        (0..3).for_each(|_| round(&mut crowd));
        let asking = of_all_threads();
        let before = of_all_threads();
        (0..100).for_each(|_| round(&mut crowd));
        of_all_threads() - before - (before - asking)
    });
    // A hundred parts in a hundred ticks.
    assert_eq!(allocated, 0);
}

#[cfg(feature = "parallel")]
#[test]
fn sys_7_committing_on_many_threads_allocates_nothing() {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    const BAND: &str = r#"{ "machine": "Band", "events": ["Play"], "states": { "stage": { "transitions": [
      { "on": "Play", "do": [{ "emit": "Sound", "lane": "audio" }, { "emit": "Light", "lane": "vfx" },
        { "emit": "Pose", "lane": "animation" }, { "emit": "Step", "lane": "navigation" }] }] } } }"#;
    let machine = Machine::from_text("band.sw.json", BAND).unwrap();
    let mut crowd = Crowd::new(machine.bind(Functions::<(), ()>::new()).unwrap(), 1);
    (0..50).for_each(|_| _ = crowd.spawn(()));
    crowd.tick(&());
    let play = machine.event("Play").unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build();
    let taken = AtomicU64::new(0);
    // Inside of the pool, where its own queue of strangers' jobs is not used.
    let allocated = pool.unwrap().install(|| {
        let mut round = || {
            crowd.broadcast(play, ()).unwrap();
            crowd.tick(&());
            let before = of_all_threads();
            crowd.commit_parallel(|_, commands| {
                taken.fetch_add(commands.count() as u64, Relaxed);
            });
            of_all_threads() - before
        };
        (0..3).for_each(|_| _ = round());
        let asking = of_all_threads();
        let asked = of_all_threads() - asking;
        (0..100).map(|_| round() - asked).sum::<u64>()
    });
    assert_eq!((allocated, taken.into_inner()), (0, 103 * 50 * 4));
}

#[test]
fn sys_6_going_back_again_and_again_allocates_nothing() {
    use statewright::Blackboard;
    const DOOR: &str = r#"{ "machine": "Door", "tier": "crowd", "events": ["Knock"], "parameters": { "weight": 1 },
      "variants": { "heavy": { "weight": 9 } }, "blackboard": { "knocks": { "type": "i32" }, "at": { "type": "vec3" } },
      "initial": "closed",
      "states": { "closed": { "transitions": [{ "on": "Knock", "to": "open" }] },
        "open": { "entry": "knocks += 1", "transitions": [{ "on": "Knock", "to": "open" }, { "after": "3t", "to": "closed" }] } } }"#;
    let machine = Machine::from_text("door.sw.json", DOOR).unwrap();
    let knock = machine.event("Knock").unwrap();
    let mut doors = Crowd::new(machine.bind(Functions::<Blackboard, ()>::new()).unwrap(), 1);
    let heavy = machine.variant("heavy").unwrap();
    let agents: Vec<AgentId> = (0..1000)
        .map(|_| doors.spawn_as(Blackboard::new(&machine), heavy))
        .collect();
    let weight = machine.parameter("weight").unwrap();
    doors.set_parameter(weight, 5).unwrap();
    doors.tick(&());
    for some in agents.chunks(5) {
        doors.despawn(some[0]).unwrap();
        doors.stop(some[1]).unwrap();
        doors.send(some[2], knock, ()).unwrap();
    }
    let saved = doors.snapshot();
    doors.restore(&saved).unwrap();
    let first = allocations();
    doors.restore(&saved).unwrap();
    assert_eq!(allocations() - first, 0, "the second time");
    let [mut before, mut after] = [Vec::new(), Vec::new()];
    let mut damaged = saved.clone();
    *damaged.last_mut().unwrap() ^= 1;
    let mut round = |doors: &mut Crowd<Blackboard, ()>| {
        doors.restore(&saved).unwrap();
        for _ in 0..5 {
            doors.broadcast(knock, ()).unwrap();
            doors.tick(&());
        }
        assert!(doors.restore(&damaged).is_err());
        std::mem::swap(&mut before, &mut after);
        doors.snapshot_into(&mut after);
        before == after
    };
    // And with ticks between, each of which needs memory once.
    (0..4).for_each(|_| _ = round(&mut doors));
    let allocated = allocations();
    let same = (0..20).filter(|_| round(&mut doors)).count();
    assert_eq!((allocations() - allocated, same), (0, 20));
}

#[test]
fn sys_6_going_back_by_frames_allocates_nothing() {
    let machine = Machine::from_text("speaker.sw.json", MACHINE).unwrap();
    let functions = Functions::new().action("Say", |_: &mut Plain, (): &(), _| {});
    let mut crowd = Crowd::new(machine.bind(functions).unwrap(), 3);
    let agents: Vec<AgentId> = (0..500).map(|_| crowd.spawn(Plain { count: 0 })).collect();
    let go = machine.event("Go").unwrap();
    crowd.keep_frames(8);
    crowd.keep_digest(true);
    let mut again = 0;
    let mut round = |crowd: &mut Crowd<Plain, ()>| {
        let digests = [(); 2].map(|()| {
            for step in 0..6 {
                crowd.send(agents[step * 7 + 1], go, ()).unwrap();
                crowd.broadcast(go, ()).unwrap();
                crowd.pause(agents[step]).unwrap();
                crowd.tick(&());
            }
            let digest = crowd.digest();
            crowd.rewind(crowd.now() - 6).unwrap();
            digest
        });
        again += usize::from(digests[0] == digests[1]);
    };
    (0..4).for_each(|_| round(&mut crowd));
    let allocated = allocations();
    (0..20).for_each(|_| round(&mut crowd));
    assert_eq!((allocations() - allocated, again), (0, 24));
}

/// SAVE-5: an agent at the highest index that a part may have takes no more memory than its bound, whatever takes it:
/// instances, blackboards and their own memory, ids.
#[test]
fn tape_2_the_farthest_agent_of_a_part_takes_no_more_memory_than_its_bound() {
    use statewright::Blackboard;
    let machine = Machine::from_text("speaker.sw.json", MACHINE).unwrap();
    let program = machine.bind(Functions::new().action("Say", |_: &mut Blackboard, (): &(), _| {}));
    let program = std::sync::Arc::new(program.unwrap());
    let mut crowd: Crowd<Blackboard, ()> = Crowd::new(program.clone(), 1);
    let agent = crowd.spawn(Blackboard::new(&machine));
    let mut part = Vec::new();
    crowd.part_into(&[agent], &mut part);
    // Its index stands behind time, number and counts.
    let at = 32 + 8 + 4 * 4;
    let mut index = AgentId::INDICES - 1;
    let (most, restored) = loop {
        part[at..at + 4].copy_from_slice(&index.to_le_bytes());
        statewright_bytes::seal(&mut part);
        let mut far: Crowd<Blackboard, ()> = Crowd::new(program.clone(), 1);
        let (most, read) = peak_of(|| far.restore_part(&part));
        match read {
            Ok(()) => break (most, far),
            Err(_) => assert!(most < 8 << 20, "refused before it is made: {most} bytes"),
        }
        index -= index / 20;
    };
    assert_eq!(
        (restored.len(), restored.agents().last().unwrap().index()),
        (1, index)
    );
    assert!((60 << 20..100 << 20).contains(&most), "{most} bytes");
}
