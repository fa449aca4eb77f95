//! Commands through a whole crowd: order, budget, lanes, pages, strict mode (CMD-1 to CMD-4,
//! CODE-5, CODE-7).

use std::sync::Arc;

use statewright::EventHandle;
use statewright::commands::{Merge, Pool, PoolTooSmall};
use statewright::prelude::*;
use statewright::{Tick, WrongBudget};

/// Lanes of its own, in this order: sum, last, once, all, alarm.
const MACHINE: &str = r#"{ "machine": "Speaker", "tier": "crowd", "events": { "Go": {}, "Leave": {}, "Sum": {}, "Far": {}, "Tell": {} },
  "lanes": { "sum": { "merge": "accumulate" }, "last": { "merge": "last_writer_wins" }, "once": { "merge": "deduplicate" },
             "all": { "merge": "strict_order" }, "alarm": { "merge": "strict_order", "critical": true }, "gameplay": { "critical": false } },
  "blackboard": { "count": { "type": "i32" }, "seen": { "type": "i32" }, "friend": { "type": "entity" } },
  "channels": { "weapon": { "lane": "animation", "release": "LowerWeapon" } },
  "initial": "calm",
  "states": {
    "calm": { "owns": ["weapon"], "exit": "Say", "transitions": [
      { "on": "Go", "do": "Say" },
      { "on": "Leave", "to": "gone" },
      { "on": "Tell", "do": { "send": "Go", "to": "friend" } },
      { "on": "Far", "do": [{ "emit": "far", "lane": "sum", "payload": "3e38" }, { "emit": "far", "lane": "sum", "payload": "3e38" }] },
      { "on": "Sum", "do": [
        { "emit": "hurt", "lane": "sum", "payload": 2000000000 }, { "emit": "push", "lane": "sum", "payload": "vec2(1.0, 2.0)" },
        { "emit": "hurt", "lane": "sum", "payload": 7 }, { "emit": "push", "lane": "sum", "payload": "vec2(0.5, -2.0)" },
        { "emit": "mark", "lane": "sum", "payload": true }, { "emit": "mark", "lane": "sum", "payload": true },
        { "emit": "heal", "lane": "sum", "payload": 1 }, { "emit": "hurt", "lane": "sum", "payload": 2000000000 } ] } ] },
    "gone": {} } }"#;

/// A command of so many numbers, in a lane.
macro_rules! commands {
    ($($name:ident $words:literal ($($options:tt)+);)+) => {
        $(
            #[derive(Clone, Copy, Debug, PartialEq, Command)]
            #[command($($options)+)]
            struct $name([u32; $words]);
        )+
    };
}

commands! {
    Note 4 (lane = GAMEPLAY);
    Clip 1 (lane = ANIMATION);
    Sound 1 (lane = AUDIO);
    Wish 1 (lane = own(1));
    Once 1 (lane = own(2));
    Every 1 (lane = own(3));
    Alarm 4 (lane = own(4));
    Unknown 1 (lane = own(9));
    Large 128 (lane = own(4));
    Damage 2 (lane = own(0), merge = Self::add);
    Keep 1 (lane = own(0));
}

impl Damage {
    /// The first number is a kind; amounts of one kind are added.
    fn add(&mut self, later: &Self) -> bool {
        let same = self.0[0] == later.0[0];
        self.0[1] += if same { later.0[1] } else { 0 };
        same
    }
}

/// What an agent says.
#[derive(Clone, Copy, Debug)]
enum Say {
    Note(u32),
    Clip(u32),
    Sound(u32),
    Wish(u32),
    Once(u32),
    Every(u32),
    Alarm(u32),
    Unknown(u32),
    Large,
    Damage(u32, u32),
    Keep(u32),
    Panic,
}

#[derive(Clone, Debug)]
struct Speaker {
    lines: Vec<Say>,
    /// How many of them found room.
    said: usize,
    count: i32,
    seen: i32,
    friend: [u32; 3],
}

impl Board for Speaker {
    // What else it has is the test's own.
    const HIDDEN: Option<&'static [&'static str]> = Some(&[]);
    const FIELDS: &'static [(&'static str, statewright::Type)] = &[
        ("count", statewright::Type::I32),
        ("seen", statewright::Type::I32),
        ("friend", statewright::Type::Entity),
    ];

    fn read(&self, field: usize) -> [u32; 3] {
        [
            [self.count as u32, 0, 0],
            [self.seen as u32, 0, 0],
            self.friend,
        ][field]
    }

    fn write(&mut self, field: usize, words: [u32; 3]) {
        match field {
            0 => self.count = words[0] as i32,
            1 => self.seen = words[0] as i32,
            _ => self.friend = words,
        }
    }
}

fn say(me: &mut Speaker, (): &(), cx: &mut ActionCx<'_, '_, '_>) {
    me.said = 0;
    for line in &me.lines {
        me.said += usize::from(match *line {
            Say::Note(number) => cx.emit(Note([number; 4])),
            Say::Clip(number) => cx.emit(Clip([number])),
            Say::Sound(number) => cx.emit(Sound([number])),
            Say::Wish(number) => cx.emit(Wish([number])),
            Say::Once(number) => cx.emit(Once([number])),
            Say::Every(number) => cx.emit(Every([number])),
            Say::Alarm(number) => cx.emit(Alarm([number; 4])),
            Say::Unknown(number) => cx.emit(Unknown([number])),
            Say::Large => cx.emit(Large([1; 128])),
            Say::Damage(kind, amount) => cx.emit(Damage([kind, amount])),
            Say::Keep(number) => cx.emit(Keep([number])),
            Say::Panic => panic!("as the test wants"),
        });
    }
}

type Crowded = Crowd<Speaker, ()>;

fn speaker(lines: &[Say]) -> Speaker {
    Speaker {
        lines: lines.to_vec(),
        said: 0,
        count: 0,
        seen: 0,
        friend: [0; 3],
    }
}

/// Agents that have started.
fn crowd(agents: impl IntoIterator<Item = Speaker>) -> (Crowded, Vec<AgentId>) {
    crowd_of(MACHINE, Functions::new().action("Say", say), agents)
}

fn crowd_of(
    machine: &str,
    functions: Functions<Speaker, ()>,
    agents: impl IntoIterator<Item = Speaker>,
) -> (Crowded, Vec<AgentId>) {
    let machine =
        Machine::from_text("speaker.sw.json", machine).unwrap_or_else(|error| panic!("{error}"));
    let mut crowd = Crowd::new(machine.bind(functions).unwrap(), 1);
    let agents = agents.into_iter().map(|agent| crowd.spawn(agent)).collect();
    crowd.tick(&());
    (crowd, agents)
}

fn event(crowd: &Crowded, name: &str) -> EventHandle {
    crowd.machine().event(name).unwrap()
}

/// Sends an event to all and runs a tick.
fn all(crowd: &mut Crowded, name: &str) -> Tick {
    let event = event(crowd, name);
    crowd.broadcast(event, ()).unwrap();
    crowd.tick(&())
}

/// All commands with everything that is known about them, in order.
fn everything(crowd: &Crowded) -> Vec<String> {
    let machine = crowd.machine().clone();
    let rom = machine.rom();
    let tell = |command: statewright::commands::CommandRef<'_>| {
        let known = (
            command.agent(),
            command.tick(),
            command.lane(),
            command.state(),
            command.transition(),
        );
        format!(
            "{known:?} {:?} {:?} {:?}",
            command.region(&rom),
            command.what(&rom),
            command.bytes()
        )
    };
    let written = crowd.commands().map(tell);
    let merged = crowd
        .lanes()
        .flat_map(|lane| crowd.lane(lane).map(tell).collect::<Vec<_>>());
    written.chain(merged).collect()
}

/// The commands of a type in its lane.
fn in_lane<T: Command>(crowd: &Crowded) -> Vec<T> {
    crowd
        .lane(T::LANE)
        .filter_map(|command| command.get())
        .collect()
}

#[test]
fn cmd_3_the_order_is_that_of_agents_and_emission_whatever_the_parts() {
    let lines = |agent: u32| {
        let many =
            (0..agent % 40).map(|number| [Say::Note(agent * 100 + number), Say::Clip(number / 2)]);
        speaker(&many.flatten().collect::<Vec<_>>())
    };
    let run = |tick: &mut dyn FnMut(&mut Crowded) -> Tick| {
        let (mut crowd, _) = crowd((0..500).map(lines));
        let go = event(&crowd, "Go");
        crowd.broadcast(go, ()).unwrap();
        let ran = tick(&mut crowd);
        let boards: Vec<usize> = crowd
            .agents()
            .map(|agent| crowd.board(agent).unwrap().said)
            .collect();
        (ran, everything(&crowd), boards, *crowd.counters())
    };
    let expected = run(&mut |crowd| crowd.tick(&()));
    assert!(
        expected.0.dropped_commands > 0 && expected.1.len() > 10_000,
        "{:?}",
        expected.0
    );
    for part_size in [1, 3, 64, 499, 1_000] {
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            let found = run(&mut |crowd| {
                crowd.set_chunk_size(part_size);
                pool.install(|| crowd.tick_parallel(&()))
            });
            assert!(
                found == expected,
                "{part_size} agents per part, {threads} threads"
            );
        }
    }
}

#[test]
fn cmd_2_the_last_quarter_is_for_critical_lanes() {
    // 40 bytes each: 19 notes in 768 bytes, then 6 alarms in the 264 bytes that are left.
    let lines = [
        [Say::Note(1); 30].as_slice(),
        &[Say::Alarm(2); 10],
        &[Say::Note(3); 2],
    ]
    .concat();
    let (mut crowd, agents) = crowd([speaker(&lines), speaker(&[Say::Note(9)])]);
    let tick = all(&mut crowd, "Go");
    assert_eq!(crowd.board(agents[0]).unwrap().said, 19 + 6);
    assert_eq!(
        (
            in_lane::<Note>(&crowd).len(),
            in_lane::<Alarm>(&crowd).len()
        ),
        (20, 6),
        "others have their own budget"
    );
    assert_eq!(tick.dropped_commands, 11 + 4 + 2);
    assert_eq!(crowd.counters().commands_dropped, tick.dropped_commands);
    assert_eq!(
        crowd.path(agents[0]).unwrap(),
        "calm",
        "the transition is complete"
    );
    assert_eq!(
        all(&mut crowd, "Go").dropped_commands,
        17,
        "each tick has its budget"
    );
}

#[test]
fn cmd_2_a_command_is_whole_or_not_there() {
    // 536 bytes: the second does not fit, a small one behind it does.
    let (mut crowd, agents) = crowd([speaker(&[Say::Large, Say::Large, Say::Alarm(7)])]);
    assert_eq!(all(&mut crowd, "Go").dropped_commands, 1);
    assert_eq!(crowd.board(agents[0]).unwrap().said, 2);
    assert_eq!(
        crowd
            .commands()
            .map(|command| command.bytes().len())
            .collect::<Vec<_>>(),
        [512, 16]
    );
    crowd.set_budget(535).unwrap();
    assert_eq!(
        all(&mut crowd, "Go").dropped_commands,
        2,
        "larger than the whole budget"
    );
    assert_eq!(in_lane::<Alarm>(&crowd), [Alarm([7; 4])]);
    crowd.set_budget(4096).unwrap();
    assert_eq!(all(&mut crowd, "Go").dropped_commands, 0);
    for wrong in [0, 4097] {
        assert_eq!(crowd.set_budget(wrong), Err(WrongBudget(wrong)));
    }
}

#[test]
fn code_7_releases_may_use_the_last_quarter() {
    let (mut crowd, _) = crowd([speaker(&[Say::Note(1); 30])]);
    all(&mut crowd, "Leave");
    let machine = crowd.machine().clone();
    let rom = machine.rom();
    let released: Vec<_> = crowd
        .lane(Lane::ANIMATION)
        .map(|command| command.what(&rom))
        .collect();
    assert!(
        matches!(
            released[..],
            [What::Release {
                name: "LowerWeapon",
                ..
            }]
        ),
        "{released:?}"
    );
    assert_eq!(
        in_lane::<Note>(&crowd).len(),
        19,
        "760 bytes: plain commands have 8 more, the release has 264"
    );
    assert_eq!(
        crowd.commands().last().unwrap().lane(),
        Lane::ANIMATION,
        "after the exit action"
    );
}

#[test]
fn cmd_1_last_writer_wins_per_lane_and_agent() {
    let lines = [
        Say::Wish(1),
        Say::Clip(1),
        Say::Wish(2),
        Say::Clip(2),
        Say::Clip(3),
        Say::Wish(3),
    ];
    let (mut crowd, agents) = crowd([speaker(&lines), speaker(&[Say::Wish(9)])]);
    all(&mut crowd, "Go");
    let wishes: Vec<_> = crowd
        .lane(Wish::LANE)
        .map(|command| (command.agent(), command.get::<Wish>().unwrap().0[0]))
        .collect();
    assert_eq!(wishes, [(agents[0], 3), (agents[1], 9)]);
    assert_eq!(in_lane::<Clip>(&crowd), [Clip([3])]);
    assert_eq!(crowd.commands().count(), 7, "what was written is all there");
}

#[test]
fn cmd_1_equal_commands_once() {
    let lines = [
        Say::Once(1),
        Say::Once(2),
        Say::Sound(5),
        Say::Once(1),
        Say::Sound(5),
        Say::Once(3),
        Say::Once(2),
    ];
    let (mut crowd, _) = crowd([speaker(&lines), speaker(&lines)]);
    all(&mut crowd, "Go");
    assert_eq!(in_lane::<Once>(&crowd).map_numbers(), [1, 2, 3, 1, 2, 3]);
    assert_eq!(in_lane::<Sound>(&crowd), [Sound([5]); 2]);
}

#[test]
fn cmd_1_strict_order_keeps_all_and_so_do_lanes_that_nobody_declared() {
    let lines = [
        Say::Every(1),
        Say::Unknown(1),
        Say::Every(1),
        Say::Unknown(1),
        Say::Every(2),
    ];
    let (mut crowd, _) = crowd([speaker(&lines)]);
    all(&mut crowd, "Go");
    assert_eq!(
        in_lane::<Every>(&crowd),
        [Every([1]), Every([1]), Every([2])]
    );
    assert_eq!(in_lane::<Unknown>(&crowd), [Unknown([1]); 2]);
    assert_eq!(
        crowd.lanes().collect::<Vec<_>>(),
        [Lane::own(3), Lane::own(9)]
    );
}

#[test]
fn cmd_1_numbers_of_the_machine_file_are_summed_up_to_their_ends() {
    let (mut crowd, _) = crowd([speaker(&[])]);
    all(&mut crowd, "Sum");
    let machine = crowd.machine().clone();
    let rom = machine.rom();
    let sums: Vec<_> = crowd
        .lane(Lane::own(0))
        .filter_map(|command| match command.what(&rom) {
            What::Emit { name, payload } => Some((name, payload.unwrap().1)),
            _ => None,
        })
        .collect();
    let push = [1.5_f32.to_bits(), 0, 0];
    let expected = [
        ("hurt", [i32::MAX as u32, 0, 0]),
        ("push", push),
        ("mark", [1, 0, 0]),
        ("mark", [1, 0, 0]),
        ("heal", [1, 0, 0]),
    ];
    assert_eq!(
        sums, expected,
        "integers stop at their end, truth values have no sum"
    );
    all(&mut crowd, "Far");
    let what = crowd.lane(Lane::own(0)).next().unwrap().what(&rom);
    assert_eq!(
        what,
        What::Emit {
            name: "far",
            payload: Some((statewright::Type::F32, [f32::MAX.to_bits(), 0, 0]))
        }
    );
}

#[test]
fn cmd_1_own_commands_are_summed_by_their_own_rule() {
    let lines = [
        Say::Damage(1, 5),
        Say::Keep(1),
        Say::Damage(2, 7),
        Say::Damage(1, 3),
        Say::Keep(1),
        Say::Damage(2, 1),
    ];
    let (mut crowd, _) = crowd([speaker(&lines), speaker(&[Say::Damage(1, 100)])]);
    all(&mut crowd, "Go");
    assert_eq!(
        in_lane::<Damage>(&crowd),
        [Damage([1, 8]), Damage([2, 8]), Damage([1, 100])]
    );
    assert_eq!(
        in_lane::<Keep>(&crowd).len(),
        2,
        "without a rule of their own both remain"
    );
    // Sums need room once.
    let (mut crowd, _) = crowd_of(
        MACHINE,
        Functions::new().action("Say", say),
        [speaker(&[Say::Damage(1, 1); 1_000])],
    );
    assert_eq!(all(&mut crowd, "Go").dropped_commands, 0);
    assert_eq!(in_lane::<Damage>(&crowd), [Damage([1, 1_000])]);
}

#[test]
fn cmd_1_rules_of_all_lanes() {
    let machine = Machine::from_text("speaker.sw.json", MACHINE).unwrap();
    let program = machine.bind(Functions::new().action("Say", say)).unwrap();
    let rules: Vec<Merge> = [
        "animation",
        "navigation",
        "gameplay",
        "blackboard",
        "audio",
        "vfx",
        "message",
        "sum",
        "once",
    ]
    .into_iter()
    .map(|name| program.merge(machine.lane(name).unwrap()))
    .collect();
    use Merge::*;
    let expected = [
        LastWriterWins,
        LastWriterWins,
        StrictOrder,
        LastWriterWins,
        Deduplicate,
        Deduplicate,
        StrictOrder,
    ];
    assert_eq!(rules[..7], expected);
    assert_eq!(rules[7..], [Accumulate, Deduplicate]);
}

#[test]
fn cmd_3_commit_hands_over_lane_by_lane_once() {
    let lines = |agent| {
        speaker(&[
            Say::Alarm(agent),
            Say::Clip(agent),
            Say::Note(agent),
            Say::Clip(agent + 1),
        ])
    };
    let (mut crowd, _) = crowd((0..50).map(lines));
    all(&mut crowd, "Go");
    let expected: Vec<(Lane, u32)> = [(Lane::ANIMATION, 1), (Lane::GAMEPLAY, 0), (Alarm::LANE, 0)]
        .into_iter()
        .flat_map(|(lane, more)| (0..50).map(move |agent| (lane, agent + more)))
        .collect();
    let number = |bytes: &[u8]| u32::from_le_bytes(bytes[..4].try_into().unwrap());
    let mut found = Vec::new();
    crowd.commit(|command| found.push((command.lane(), number(command.bytes()))));
    assert_eq!(found, expected);
    assert_eq!(
        (
            crowd.commands().count(),
            crowd.lanes().count(),
            crowd.pool().in_use()
        ),
        (0, 0, 0)
    );
    crowd.commit(|_| panic!("there is nothing left"));

    all(&mut crowd, "Go");
    let found = std::sync::Mutex::new(std::collections::BTreeMap::new());
    crowd.commit_parallel(|lane, commands| {
        let numbers: Vec<u32> = commands.map(|command| number(command.bytes())).collect();
        assert!(found.lock().unwrap().insert(lane, numbers).is_none());
    });
    let found = found.into_inner().unwrap();
    let found: Vec<(Lane, u32)> = found
        .into_iter()
        .flat_map(|(lane, numbers)| numbers.into_iter().map(move |number| (lane, number)))
        .collect();
    assert_eq!(found, expected);
    assert_eq!(crowd.commands().count(), 0);
}

#[test]
fn cmd_2_a_pool_that_is_too_small_refuses_the_tick_before_anybody_runs() {
    // Four agents fill a page.
    let pool = Arc::new(Pool::new(3));
    let (crowd, agents) = crowd((0..13).map(|agent| speaker(&[Say::Note(agent); 19])));
    let mut crowd = crowd.with_pool(Arc::clone(&pool));
    let go = event(&crowd, "Go");
    agents[..12]
        .iter()
        .for_each(|&agent| crowd.send(agent, go, ()).unwrap());
    assert_eq!(crowd.try_tick(&()).unwrap().ran, 12, "just large enough");
    let before = everything(&crowd);
    crowd.broadcast(go, ()).unwrap();
    crowd.send(agents[0], go, ()).unwrap();
    let gone = crowd.spawn(speaker(&[]));
    crowd.send(gone, go, ()).unwrap();
    crowd.despawn(gone).unwrap();
    let now = crowd.now();
    assert_eq!(
        crowd.try_tick(&()),
        Err(PoolTooSmall {
            needed: 4,
            free: 3,
            limit: 3
        })
    );
    assert_eq!(
        crowd.try_tick_parallel(&()),
        Err(PoolTooSmall {
            needed: 4,
            free: 3,
            limit: 3
        })
    );
    assert_eq!(
        (crowd.now(), crowd.counters().events),
        (now, 12),
        "nothing ran"
    );
    assert_eq!(
        crowd.lost_messages(),
        0,
        "nothing was delivered, so nothing was lost"
    );
    assert!(
        everything(&crowd) == before,
        "the last commands are still there"
    );
    // The events wait: with a smaller budget there is room for them.
    crowd.set_budget(512).unwrap();
    assert_eq!(crowd.try_tick(&()).unwrap().ran, 13);
    assert_eq!(
        (crowd.counters().events, crowd.lost_messages()),
        (12 + 14, 1)
    );
    // Each part may need a page of its own.
    crowd.set_chunk_size(1);
    crowd.broadcast(go, ()).unwrap();
    assert_eq!(crowd.try_tick_parallel(&()).unwrap_err().needed, 13);
}

#[test]
#[should_panic(
    expected = "the pool of command pages is too small: this tick may need 1, but 0 of 0 are free"
)]
fn cmd_2_a_plain_tick_says_so_by_a_panic() {
    let (crowd, _) = crowd([speaker(&[])]);
    all(&mut crowd.with_pool(Arc::new(Pool::new(0))), "Go");
}

#[test]
fn cmd_2_crowds_share_a_pool() {
    let pool = Arc::new(Pool::new(1));
    let [mut one, mut two] = [1, 2].map(|number| {
        let (crowd, _) = crowd([speaker(&[Say::Note(number)])]);
        crowd.with_pool(Arc::clone(&pool))
    });
    all(&mut one, "Go");
    assert_eq!(pool.in_use(), 1);
    let go = event(&two, "Go");
    two.broadcast(go, ()).unwrap();
    assert!(
        two.try_tick(&()).is_err(),
        "the page holds commands of the other crowd"
    );
    one.commit(|command| assert_eq!(command.get(), Some(Note([1; 4]))));
    assert!(two.try_tick(&()).is_ok());
    assert_eq!(in_lane::<Note>(&two), [Note([2; 4])]);
    drop(two);
    assert_eq!((pool.in_use(), pool.made()), (0, 1));
}

#[test]
fn cmd_2_a_crowd_that_outgrows_a_shared_pool_leaves_it_to_the_others() {
    let speakers = |count, number| crowd((0..count).map(|_| speaker(&[Say::Note(number); 19]))).0;
    let notes = |crowd: &Crowded| in_lane::<Note>(crowd).len();
    let mut owner = speakers(12, 1);
    all(&mut owner, "Go");
    let pool = Arc::clone(owner.pool());
    let (limit, go) = (pool.limit(), event(&owner, "Go"));
    let mut guest =
        speakers(4 * (limit as u32 - pool.in_use() as u32), 2).with_pool(Arc::clone(&pool));
    all(&mut guest, "Go");
    let (held, said) = (pool.in_use(), notes(&guest));
    assert!(
        held > limit / 2 && said > 0,
        "{held} of {limit} pages, {said} notes"
    );
    // More than is left, though not more than the pool could hold; then more than that.
    for more in [0, 500] {
        for _ in 0..more {
            owner.spawn(speaker(&[Say::Note(3); 19]));
        }
        owner.broadcast(go, ()).unwrap();
        owner.try_tick(&()).expect("its own pool grows");
        assert_eq!(notes(&owner), (12 + more) * 19);
        assert_eq!(notes(&guest), said, "nobody else lost anything");
        assert!(
            owner.pool().made() <= owner.pool().limit() && pool.made() <= pool.limit(),
            "{pool:?}"
        );
    }
    assert!(!Arc::ptr_eq(owner.pool(), &pool));
    let of_guest = pool.in_use();
    guest.commit(|_| {});
    assert_eq!(
        (pool.limit(), pool.in_use()),
        (limit, 0),
        "{of_guest} pages were the guest's"
    );
    guest.broadcast(go, ()).unwrap();
    guest.try_tick(&()).expect("all of its limit is free");
    assert_eq!(notes(&guest), said);
    drop(owner);
    assert!(pool.made() <= limit);
}

#[test]
fn cmd_2_the_pool_does_not_grow_after_a_while() {
    let (mut crowd, _) = crowd((0..200).map(|agent| speaker(&[Say::Note(agent); 19])));
    all(&mut crowd, "Go");
    assert_eq!(
        crowd.pool().made(),
        (200 * 19_usize).div_ceil(102),
        "102 notes of 40 bytes fill a page"
    );
    let go = event(&crowd, "Go");
    crowd.set_chunk_size(40);
    for round in 0..20 {
        crowd.broadcast(go, ()).unwrap();
        let tick = if round % 2 == 0 {
            crowd.tick_parallel(&())
        } else {
            crowd.tick(&())
        };
        assert_eq!((tick.ran, tick.dropped_commands), (200, 0));
        assert_eq!(crowd.commands().count(), 200 * 19);
        assert_eq!(
            crowd.pool().made(),
            5 * 8,
            "five parts of eight pages each, used again and again"
        );
    }
}

#[test]
fn tick_3_a_panic_takes_the_commands_of_its_agent_along() {
    let lines = [[Say::Note(1); 18].as_slice(), &[Say::Panic]].concat();
    let agents = (0..30).map(|agent| {
        if agent % 3 == 1 {
            speaker(&lines)
        } else {
            speaker(&[Say::Note(2), Say::Wish(2)])
        }
    });
    let (mut crowd, agents) = crowd(agents);
    let tick = all(&mut crowd, "Go");
    assert_eq!(tick.panicked, 10);
    assert_eq!(in_lane::<Note>(&crowd), [Note([2; 4]); 20]);
    assert!(
        crowd
            .commands()
            .all(|command| command.agent().index() % 3 != 1)
    );
    assert!(crowd.has_ended(agents[1]).unwrap());
}

#[test]
fn cmd_4_messages_arrive_in_the_next_tick_and_are_counted_when_nobody_is_there() {
    let (mut crowd, agents) = crowd([speaker(&[]), speaker(&[Say::Note(4)]), speaker(&[])]);
    let friend = |agent: AgentId| statewright::Value::to_words(agent);
    crowd.board_mut(agents[0]).unwrap().friend = friend(agents[1]);
    crowd.board_mut(agents[2]).unwrap().friend = friend(agents[1]);
    all(&mut crowd, "Tell");
    let sent: Vec<AgentId> = crowd
        .lane(Lane::MESSAGE)
        .map(|command| command.agent())
        .collect();
    assert_eq!(sent, agents, "the third friend is nobody");
    crowd.tick(&());
    assert_eq!(in_lane::<Note>(&crowd).len(), 2);
    assert_eq!(crowd.lost_messages(), 1, "nobody is no agent");
    let tell = event(&crowd, "Tell");
    crowd.send(agents[0], tell, ()).unwrap();
    crowd.tick(&());
    crowd.despawn(agents[1]).unwrap();
    crowd.tick(&());
    assert_eq!(crowd.lost_messages(), 2);
    // A number that is between two agents of one place is nobody, too.
    crowd.board_mut(agents[0]).unwrap().friend = friend(
        AgentId::new(agents[1].index(), agents[1].generation() + 1).in_crowd(crowd.number()),
    );
    crowd.send(agents[0], tell, ()).unwrap();
    crowd.tick(&());
    crowd.tick(&());
    assert_eq!(crowd.lost_messages(), 3);
}

/// Two reads of a key that was written in the same tick, and a condition that waits for the write.
const WRITER: &str = r#"{ "machine": "Writer", "tier": "crowd", "events": { "Go": {}, "Leave": {} },
  "blackboard": { "count": { "type": "i32" }, "seen": { "type": "i32" }, "friend": { "type": "entity" } },
  "initial": "calm",
  "states": {
    "calm": { "transitions": [
      { "on": "Go", "do": ["count += 1", "count += 1", "seen = count"] },
      { "on": "Leave", "do": ["Say", "count = 50", "seen = 51", "count = 52"] },
      { "when": "always", "if": "count > 40", "to": "done" } ] },
    "done": {} } }"#;

#[test]
fn code_5_strict_reads_see_the_values_from_before_the_tick() {
    let run = |strict: bool| {
        let (mut crowd, agents) =
            crowd_of(WRITER, Functions::new().action("Say", say), [speaker(&[])]);
        crowd.set_strict(strict).unwrap();
        let seen = |crowd: &Crowded| {
            let board = crowd.board(agents[0]).unwrap();
            (board.count, board.seen, crowd.path(agents[0]).unwrap())
        };
        all(&mut crowd, "Go");
        let first = seen(&crowd);
        crowd.tick(&());
        all(&mut crowd, "Leave");
        let second = seen(&crowd);
        crowd.tick(&());
        (first, second, seen(&crowd))
    };
    let calm = |count, seen| (count, seen, "calm".to_owned());
    let done = |count, seen| (count, seen, "done".to_owned());
    assert_eq!(run(false), (calm(2, 2), done(52, 51), done(52, 51)));
    assert_eq!(
        run(true),
        (calm(1, 0), calm(52, 51), done(52, 51)),
        "the writer wakes and its condition holds"
    );
}

#[test]
fn code_5_staged_writes_stand_in_their_lane_once_per_key() {
    let (mut crowd, agents) = crowd_of(WRITER, Functions::new().action("Say", say), [speaker(&[])]);
    crowd.set_strict(true).unwrap();
    all(&mut crowd, "Leave");
    let machine = crowd.machine().clone();
    let rom = machine.rom();
    let writes: Vec<_> = crowd
        .lane(Lane::BLACKBOARD)
        .map(|command| (command.agent(), command.what(&rom)))
        .collect();
    let write = |key: &str, value| What::Write {
        key: machine.key(key).unwrap().id(),
        words: [value, 0, 0],
    };
    assert_eq!(
        writes,
        [
            (agents[0], write("count", 52)),
            (agents[0], write("seen", 51))
        ]
    );
}

#[test]
fn code_5_a_staged_write_without_room_is_counted_and_not_done() {
    // 960 bytes are used: one write of 36 bytes has room, the other key has none.
    let lines = [[Say::Note(1); 19].as_slice(), &[Say::Alarm(1); 5]].concat();
    let (mut crowd, agents) = crowd_of(
        &WRITER.replace(
            r#""initial""#,
            r#""lanes": { "a": { "merge": "strict_order" },
        "b": { "merge": "strict_order" }, "c": { "merge": "strict_order" }, "d": { "merge": "strict_order" },
        "e": { "merge": "strict_order", "critical": true } }, "initial""#,
        ),
        Functions::new().action("Say", say),
        [speaker(&lines)],
    );
    crowd.set_strict(true).unwrap();
    let tick = all(&mut crowd, "Leave");
    let board = crowd.board(agents[0]).unwrap();
    assert_eq!(
        (board.said, board.count, board.seen, tick.dropped_commands),
        (24, 52, 0, 1)
    );
    assert_eq!(crowd.counters().commands_dropped, 1);
}

#[test]
fn cmd_3_commands_know_where_they_come_from() {
    let (mut crowd, agents) = crowd([speaker(&[Say::Note(1)])]);
    all(&mut crowd, "Go");
    let machine = crowd.machine().clone();
    let command = crowd.commands().next().unwrap();
    assert_eq!(
        (command.agent(), command.tick(), command.state()),
        (
            agents[0],
            1,
            machine.state("calm").ok().map(|calm| calm.id())
        )
    );
    assert!(command.transition().is_some() && command.region(&machine.rom()).is_some());
}

/// First numbers of commands.
trait Numbers {
    fn map_numbers(self) -> Vec<u32>;
}

impl Numbers for Vec<Once> {
    fn map_numbers(self) -> Vec<u32> {
        self.into_iter().map(|one| one.0[0]).collect()
    }
}

#[test]
fn cmd_2_a_machine_that_asks_for_more_than_a_page_is_refused() {
    let build = |bytes| {
        Machine::build("Loud", |m| {
            m.command_bytes(bytes);
            m.state("cry", |_| {});
        })
    };
    assert!(build(4096).is_ok());
    let error = build(4097).unwrap_err().to_string();
    assert!(
        error.contains("`command_bytes` is 4097") && error.contains("64 to 4096"),
        "{error}"
    );
}

const NOISY: &str = r#"{ "machine": "Noisy", "events": ["Go"], "blackboard": { "count": { "type": "i32" } },
  "lanes": { "orders": { "merge": "strict_order", "cap": 2 } },
  "states": { "calm": { "transitions": [{ "on": "Go", "do": "Shout" }] } } }"#;

#[derive(Clone, Copy, Debug, PartialEq, Command)]
#[command(lane = own(0))]
struct Order {
    number: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Command)]
#[command(lane = AUDIO)]
struct Noise([u32; 20]);

#[derive(Clone, Copy, Debug, PartialEq, Command)]
#[command(lane = NAVIGATION)]
struct Walk([u32; 20]);

/// A crowd in which every second agent loses commands of all kinds.
fn noisy(chunk_size: usize) -> Crowd<statewright::Blackboard, EventHandle> {
    let machine = Machine::from_text("noisy.sw.json", NOISY).unwrap();
    let shout = Functions::new().action(
        "Shout",
        |_: &mut statewright::Blackboard, go: &EventHandle, cx| {
            let me = cx.agent();
            if me.index() % 2 == 0 {
                (0..3).for_each(|number| _ = cx.emit(Order { number }));
                (0..8).for_each(|_| _ = cx.emit(Noise([0; 20])));
                (0..4).for_each(|_| _ = cx.emit(Walk([0; 20])));
                cx.send(me, *go, ());
            }
        },
    );
    let mut crowd = Crowd::new(machine.bind(shout).unwrap(), 1);
    crowd.set_chunk_size(chunk_size);
    (0..6).for_each(|_| _ = crowd.spawn(statewright::Blackboard::new(&machine)));
    let go = machine.event("Go").unwrap();
    crowd.tick(&go);
    crowd.broadcast(go, ()).unwrap();
    crowd.tick(&go);
    crowd
}

#[test]
fn cmd_2_lost_commands_are_listed_with_agent_lane_name_size_and_reason() {
    use statewright::commands::WhyLost;
    let crowd = noisy(100);
    let machine = crowd.machine().clone();
    let lost: Vec<_> = crowd.lost_commands().collect();
    let dropped = crowd.counters().commands_dropped;
    assert_eq!(lost.len() as u64, dropped, "as many as are counted");
    assert!(lost.iter().all(|one| one.agent().index() % 2 == 0));
    let first: Vec<_> = lost
        .iter()
        .filter(|one| one.agent().index() == 2)
        .map(|one| {
            (
                one.name(&machine),
                machine.lane_name(one.lane()).to_owned(),
                one.bytes(),
                one.why(),
            )
        })
        .collect();
    let one = |name: &str, lane: &str, bytes, why| (name.to_owned(), lane.to_owned(), bytes, why);
    // 768 bytes for everybody: two orders of 28, six noises of 104. Three walks more fit into 1024.
    assert_eq!(
        first,
        [
            one("Order", "orders", 4, WhyLost::Cap),
            one("Noise", "audio", 80, WhyLost::Reserved),
            one("Noise", "audio", 80, WhyLost::Reserved),
            one("Walk", "navigation", 80, WhyLost::Budget),
            one("message Go", "message", 24, WhyLost::Budget),
        ]
    );
    assert_eq!(
        (lost[1].cost(), lost[1].state()),
        (104, Some(machine.state("calm").unwrap().id()))
    );
    assert!(lost[0].told(&machine).ends_with(
        "lost `Order` (4 bytes) for lane orders: the agent's cap of the lane is reached"
    ));
}

#[test]
fn cmd_2_the_list_of_lost_commands_is_that_of_the_last_tick_on_any_chunks() {
    let mut crowd = noisy(100);
    let lost: Vec<_> = crowd.lost_commands().collect();
    assert_eq!(lost.len(), 15);
    for size in [1, 2, 5] {
        assert!(
            noisy(size).lost_commands().eq(lost.iter().copied()),
            "{size}"
        );
    }
    // Reading commands leaves it; the next tick begins anew.
    crowd.commit(|_| {});
    assert!(crowd.lost_commands().eq(lost));
    let go = crowd.machine().event("Go").unwrap();
    crowd.tick(&go);
    assert_eq!(crowd.lost_commands().count(), 0);
}

/// One that says more than fits, wherever it lives.
fn shouter() -> Program<(), ()> {
    let text = r#"{ "machine": "Shouter", "tier": "crowd", "events": ["Go"],
      "states": { "calm": { "transitions": [{ "on": "Go", "do": "Shout" }] } } }"#;
    let machine = Machine::from_text("shouter.sw.json", text).unwrap();
    let shout = Functions::new().action("Shout", |(): &mut (), (): &(), cx| {
        (0..9).for_each(|_| _ = cx.emit(Noise([0; 20])));
    });
    machine.bind(shout).unwrap()
}

/// Seven noises of 104 bytes fit into the 768 that are for everybody.
fn is_shouted(lost: &[statewright::commands::LostCommand], machine: &Machine) -> bool {
    let is_noise = |one: &statewright::commands::LostCommand| one.name(machine) == "Noise";
    lost.len() == 2 && lost.iter().all(is_noise)
}

#[test]
fn cmd_2_slices_list_lost_commands_with_the_ids_of_the_host() {
    use statewright::{InboxEvent, Instance, Instance64, Slices, SlicesOutput};
    let program = shouter();
    let machine = program.machine().clone();
    let go = machine.event("Go").unwrap();
    let instance = |agent| Instance64::new(&machine.rom(), 7, agent).unwrap();
    let mut instances = [0, 1, 2].map(instance);
    let (mut boards, mut output, mut now) = ([(); 3], SlicesOutput::default(), 0..);
    let ids: Vec<AgentId> = [40, 7, 12].map(|index| AgentId::new(index, 5)).to_vec();
    let mut tick = |inbox: &[InboxEvent], output: &mut SlicesOutput| {
        let slices = Slices {
            tick: now.next().unwrap(),
            agents: &ids,
            inbox,
            ..Slices::default()
        };
        program
            .tick_slices(&mut instances, &mut boards, &(), slices, output)
            .unwrap();
        output.lost_commands().collect::<Vec<_>>()
    };
    assert!(tick(&[], &mut output).is_empty());
    let event = machine.make_event(go, ()).unwrap();
    let inbox = [InboxEvent { place: 1, event }];
    let lost = tick(&inbox, &mut output);
    assert!(is_shouted(&lost, &machine), "{lost:?}");
    assert!(lost.iter().all(|one| one.agent() == AgentId::new(7, 5)));
    assert!(tick(&[], &mut output).is_empty(), "that of the last tick");
}

#[test]
fn cmd_2_each_crowd_of_a_world_lists_its_own_lost_commands() {
    let mut world = statewright::World::new();
    let program = shouter();
    let machine = program.machine().clone();
    let loud = world.join("loud", Crowd::new(program, 1)).unwrap();
    let mute = world.join("mute", Crowd::new(shouter(), 2)).unwrap();
    let shouting = world[loud].spawn(());
    world[mute].spawn(());
    world.tick(&());
    let go = machine.event("Go").unwrap();
    world.send(shouting, go, ()).unwrap();
    world.tick(&());
    let lost: Vec<_> = world[loud].lost_commands().collect();
    assert!(is_shouted(&lost, &machine), "{lost:?}");
    assert!(lost.iter().all(|one| one.agent() == shouting));
    assert_eq!(world[mute].lost_commands().count(), 0);
    assert_eq!(world[loud].counters().commands_dropped, 2);
    world.tick(&());
    assert_eq!(world[loud].lost_commands().count(), 0);
}
