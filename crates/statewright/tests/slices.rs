//! Slices of the host's own go through the same pipeline as a crowd (SYS-1): the same bytes,
//! commands, messages and traces, on any number of threads, with ids that the host gives.

use std::collections::{BTreeMap, BTreeSet};

use statewright::commands::{CommandRef, Pool, PoolTooSmall};
use statewright::prelude::*;
use statewright::trace::{Kind, Level, Record, Settings};
use statewright::{
    Envelope, EventHandle, InboxEvent, Instance, Instance64, RayonPool, Sleep, Slices, SlicesError,
    SlicesOutput, TickSettings, WrongBudget, WrongSettings, ids,
};
use zerocopy::IntoBytes;

const SQUAD: &str = r#"{ "machine": "Squad", "tier": "crowd",
  "events": { "Noise": { "payload": "i32" }, "Help": { "payload": "entity", "class": "interrupt" }, "Calm": {} },
  "lanes": { "sum": { "merge": "accumulate" } },
  "parameters": { "deaf": 3 }, "variants": { "sharp": { "deaf": 0 } },
  "blackboard": { "alarms": { "type": "i32" } },
  "channels": { "voice": { "lane": "audio" } },
  "initial": "idle",
  "states": {
    "idle": { "transitions": [
      { "on": "Noise", "if": "event > deaf", "to": "look", "do": ["Call", "alarms += 1"] },
      { "on": "Help", "if": "Dares", "to": "fight" } ] },
    "look": { "owns": ["voice"], "entry": { "emit": "Look", "lane": "sum", "payload": 1 }, "transitions": [
      { "after": "4t", "to": "idle", "do": { "emit": "Look", "lane": "sum", "payload": 2 } },
      { "on": "Help", "to": "fight" },
      { "when": "always", "if": "alarms > 5", "to": "fight" } ] },
    "fight": { "entry": "Draw", "exit": ["Sheathe", "alarms = 0"], "transitions": [
      { "on": "Noise", "do": "Call" }, { "on": "Calm", "to": "idle" }, { "after": "9t", "to": "idle" } ] } } }"#;

#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    zerocopy::FromBytes,
    zerocopy::IntoBytes,
    zerocopy::Immutable,
    statewright::Saved,
)]
#[saved(bytes)]
#[repr(C)]
struct Body {
    alarms: i32,
    swords: u32,
}

impl Board for Body {
    // What else it has is the test's own.
    const HIDDEN: Option<&'static [&'static str]> = Some(&[]);
    const FIELDS: &'static [(&'static str, statewright::Type)] =
        &[("alarms", statewright::Type::I32)];

    fn read(&self, _: usize) -> [u32; 3] {
        statewright::Value::to_words(self.alarms)
    }

    fn write(&mut self, _: usize, words: [u32; 3]) {
        self.alarms = statewright::Value::from_words(words);
    }
}

#[derive(Clone, Copy, Command)]
#[command(lane = NAVIGATION)]
struct Step(u32);

struct World {
    noise: EventHandle,
    help: EventHandle,
}

/// So many indices of the crowd were ever used.
const INDICES: u32 = 40;

fn machine() -> Machine {
    Machine::from_text("squad.sw.json", SQUAD).unwrap()
}

fn functions() -> Functions<Body, World> {
    Functions::new()
        .guard("Dares", |me: &Body, _: &World, cx| {
            Verdict::from(!(me.swords + cx.agent().index()).is_multiple_of(5))
        })
        .action("Call", |me, world, cx| {
            let (index, generation) = (cx.rng().below(INDICES), 1 + 2 * cx.rng().below(2));
            let to = AgentId::new(index, generation).in_crowd(cx.agent().crowd());
            cx.send(to, world.help, cx.agent());
            cx.send(to, world.noise, 2);
            assert_ne!(cx.rng().below(400), 0, "a soldier stumbles");
            me.swords ^= 1 << 31;
        })
        .action("Draw", |me, _, cx| {
            me.swords += cx.rng().below(3);
            cx.emit(Step(me.swords));
            cx.emit(Step(cx.agent().generation()));
        })
        .action("Sheathe", |me, _, _| me.swords += 100)
}

/// What the host does to one of its agents.
#[derive(Clone, Copy)]
enum Deed {
    Send(i32),
    Calm,
    Stop,
    Pause,
    Resume,
    Reset,
    Variant,
    Write,
}

const DEEDS: [Deed; 12] = [
    Deed::Send(1),
    Deed::Send(9),
    Deed::Send(4),
    Deed::Calm,
    Deed::Send(7),
    Deed::Pause,
    Deed::Resume,
    Deed::Stop,
    Deed::Reset,
    Deed::Variant,
    Deed::Write,
    Deed::Resume,
];

/// Small and good enough.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

/// What must be the same after a tick.
#[derive(Debug, PartialEq)]
struct Outcome {
    instances: Vec<Vec<u8>>,
    boards: Vec<Body>,
    commands: Vec<Vec<u8>>,
    merged: Vec<Vec<u8>>,
    messages: usize,
    trace: Vec<Record>,
    counters: statewright::Counters,
    ended: Vec<AgentId>,
}

fn bytes(command: CommandRef<'_>) -> Vec<u8> {
    let (agent, lane) = (u64::from(command.agent()), command.lane().number());
    let site = format!("{:?} {:?}", command.state(), command.transition());
    [
        &agent.to_le_bytes()[..],
        &[lane],
        site.as_bytes(),
        command.bytes(),
    ]
    .concat()
}

/// The crowd that the host is compared with. Its living agents have gaps between their indices, and
/// generations of their own.
struct Model {
    crowd: Crowd<Body, World>,
    agents: Vec<AgentId>,
}

impl Model {
    fn new(settings: TickSettings) -> Self {
        let mut crowd = Crowd::new(machine().bind(functions()).unwrap(), 7).starting_at(100);
        crowd.set_settings(settings).unwrap();
        let first: Vec<AgentId> = (0..INDICES).map(|_| crowd.spawn(Body::default())).collect();
        for agent in first.iter().step_by(3) {
            crowd.despawn(*agent).unwrap();
        }
        (0..7).for_each(|_| _ = crowd.spawn(Body::default()));
        let agents = crowd.agents().collect();
        Self { crowd, agents }
    }

    fn act(&mut self, agent: AgentId, deed: Deed, world: &World) {
        let crowd = &mut self.crowd;
        let calm = crowd.machine().event("Calm").unwrap();
        let sharp = crowd.machine().variant("sharp").unwrap();
        match deed {
            Deed::Send(loud) => crowd.send(agent, world.noise, loud).unwrap(),
            Deed::Calm => crowd.send(agent, calm, ()).unwrap(),
            Deed::Stop => crowd.stop(agent).unwrap(),
            Deed::Pause => crowd.pause(agent).unwrap(),
            Deed::Resume => crowd.resume(agent).unwrap(),
            Deed::Reset => crowd.reset(agent).unwrap(),
            Deed::Variant => crowd.set_variant(agent, sharp).unwrap(),
            Deed::Write => crowd.edit_board(agent, |me| me.alarms += 2).unwrap(),
        }
    }

    fn tick(&mut self, world: &World) -> Outcome {
        let before = *self.crowd.counters();
        self.crowd.tick(world);
        let crowd = &self.crowd;
        let snapshot = crowd.snapshot();
        let slots = INDICES as usize;
        let start = snapshot.len() - slots * (size_of::<Body>() + size_of::<Instance64>());
        let instance = |agent: &AgentId| {
            let at = start + agent.index() as usize * size_of::<Instance64>();
            snapshot[at..at + size_of::<Instance64>()].to_vec()
        };
        let mut counters = before.values();
        for (count, now) in counters.iter_mut().zip(crowd.counters().values()) {
            *count = now - *count;
        }
        Outcome {
            instances: self.agents.iter().map(instance).collect(),
            boards: self
                .agents
                .iter()
                .map(|&agent| *crowd.board(agent).unwrap())
                .collect(),
            commands: crowd.commands().map(bytes).collect(),
            merged: crowd
                .lanes()
                .flat_map(|lane| crowd.lane(lane))
                .map(bytes)
                .collect(),
            messages: crowd.lane(Lane::MESSAGE).count(),
            trace: crowd.trace().copied().collect(),
            counters: statewright::Counters::from_values(counters),
            ended: crowd.panicked().map(|one| one.agent).collect(),
        }
    }
}

/// A host that owns its agents, row by row.
struct Host {
    program: Program<Body, World>,
    instances: Vec<Instance64>,
    boards: Vec<Body>,
    agents: Vec<AgentId>,
    variants: Vec<ids::VariantId>,
    rows: BTreeMap<AgentId, u32>,
    inbox: Vec<InboxEvent>,
    stopping: BTreeSet<u32>,
    awake: BTreeSet<u32>,
    until: BTreeMap<u64, Vec<u32>>,
    output: SlicesOutput,
    settings: TickSettings,
    now: u64,
}

impl Host {
    /// The same agents as those of the model: the crowd counts agents as it spawns them.
    fn new(model: &Model) -> Self {
        let program = machine().bind(functions()).unwrap();
        let rom = program.machine().rom();
        let freed: Vec<u32> = (0..INDICES).step_by(3).collect();
        let number = |agent: &AgentId| match agent.generation() {
            1 => u64::from(agent.index()),
            // Freed last, used first.
            _ => {
                let later = freed.iter().rev().position(|&index| index == agent.index());
                u64::from(INDICES) + later.unwrap() as u64
            }
        };
        let agents = model.agents.clone();
        let instance = |agent| Instance64::new(&rom, 7, number(agent)).unwrap();
        Self {
            instances: agents.iter().map(instance).collect(),
            boards: vec![Body::default(); agents.len()],
            variants: vec![ids::VariantId::PLAIN; agents.len()],
            rows: agents.iter().copied().zip(0..).collect(),
            inbox: Vec::new(),
            stopping: BTreeSet::new(),
            awake: (0..agents.len() as u32).collect(),
            until: BTreeMap::new(),
            output: SlicesOutput::default(),
            settings: *model.crowd.settings(),
            now: model.crowd.now(),
            agents,
            program,
        }
    }

    fn send(&mut self, row: u32, event: EventHandle, payload: impl statewright::Payload) {
        let event = self.program.machine().make_event(event, payload).unwrap();
        self.inbox.push(InboxEvent { place: row, event });
    }

    fn act(&mut self, agent: AgentId, deed: Deed, world: &World) {
        let row = self.rows[&agent];
        let at = row as usize;
        let machine = self.program.machine().clone();
        match deed {
            Deed::Send(loud) => return self.send(row, world.noise, loud),
            Deed::Calm => return self.send(row, machine.event("Calm").unwrap(), ()),
            Deed::Stop => _ = self.stopping.insert(row),
            Deed::Pause => {
                machine.pause_instance(&mut self.instances[at], self.now);
                self.awake.remove(&row);
                return;
            }
            Deed::Resume => machine.resume_instance(&mut self.instances[at], self.now),
            Deed::Reset => {
                machine.reset_instance(&mut self.instances[at]);
                self.stopping.remove(&row);
            }
            Deed::Variant => self.variants[at] = machine.variant("sharp").unwrap().id(),
            Deed::Write => self.boards[at].alarms += 2,
        }
        self.awake.insert(row);
    }

    fn tick(&mut self, world: &World, threads: usize) -> Outcome {
        let mut inbox = std::mem::take(&mut self.inbox);
        inbox.sort_by_key(|event| event.place);
        while let Some(entry) = self
            .until
            .first_entry()
            .filter(|due| *due.key() <= self.now)
        {
            self.awake.extend(entry.remove());
        }
        let awake: Vec<u32> = std::mem::take(&mut self.awake).into_iter().collect();
        let stopping: Vec<u32> = std::mem::take(&mut self.stopping).into_iter().collect();
        let slices = Slices {
            tick: self.now,
            agents: &self.agents,
            variants: &self.variants,
            inbox: &inbox,
            awake: Some(&awake)
                .filter(|_| self.settings.sleeping)
                .map(Vec::as_slice),
            stopping: &stopping,
            settings: self.settings,
            ..Slices::default()
        };
        let (agents, boards, output) = (&mut self.instances, &mut self.boards, &mut self.output);
        match threads {
            0 => self
                .program
                .tick_slices(agents, boards, world, slices, output),
            _ => self
                .program
                .tick_slices_on(&RayonPool, agents, boards, world, slices, output),
        }
        .unwrap();
        let outcome = self.outcome();
        self.take_over();
        outcome
    }

    fn outcome(&self) -> Outcome {
        let output = &self.output;
        Outcome {
            instances: self
                .instances
                .iter()
                .map(|one| one.as_bytes().to_vec())
                .collect(),
            boards: self.boards.clone(),
            commands: output.commands().map(bytes).collect(),
            merged: output
                .lanes()
                .flat_map(|lane| output.lane(lane))
                .map(bytes)
                .collect(),
            messages: output.messages().len(),
            trace: output.trace().copied().collect(),
            counters: *output.counters(),
            ended: output.panicked().map(|one| one.agent).collect(),
        }
    }

    /// What a crowd does after a tick: who is awake, what is left, what goes to whom.
    fn take_over(&mut self) {
        for (row, sleep) in self.output.awake_next() {
            match sleep {
                Sleep::Awake => _ = self.awake.insert(row),
                Sleep::Until(deadline) => {
                    let ahead = deadline.wrapping_sub(self.now as u32);
                    self.until
                        .entry(self.now + u64::from(ahead))
                        .or_default()
                        .push(row);
                }
                Sleep::Asleep => unreachable!("sleepers are not listed"),
            }
        }
        self.inbox.extend(self.output.left());
        for &Envelope { to, event } in self.output.messages() {
            let row = self.rows.get(&to);
            self.inbox
                .extend(row.map(|&place| InboxEvent { place, event }));
        }
        self.now += 1;
    }
}

/// Runs crowd and host side by side. How much happened.
fn compare(settings: TickSettings, threads: usize, seed: u64) -> [usize; 4] {
    let mut model = Model::new(settings);
    let mut host = Host::new(&model);
    let machine = machine();
    let world = World {
        noise: machine.event("Noise").unwrap(),
        help: machine.event("Help").unwrap(),
    };
    if !settings.sleeping {
        let trace = Settings::new(Level::All);
        model.crowd.set_trace(Some(trace.clone())).unwrap();
        host.output.set_trace(&machine, Some(trace)).unwrap();
    }
    let mut dice = Dice(seed);
    let mut seen = [0; 4];
    for tick in 0..120 {
        for _ in 0..dice.below(9) {
            let agent = model.agents[dice.below(model.agents.len())];
            let deed = DEEDS[dice.below(DEEDS.len())];
            model.act(agent, deed, &world);
            host.act(agent, deed, &world);
        }
        if dice.below(6) == 0 {
            model.crowd.broadcast(world.noise, 5).unwrap();
            (0..host.agents.len() as u32).for_each(|row| host.send(row, world.noise, 5));
        }
        let (expected, found) = (model.tick(&world), host.tick(&world, threads));
        let happened = [
            expected.commands.len(),
            expected.messages,
            expected.trace.len(),
            expected.ended.len(),
        ];
        seen = std::array::from_fn(|index| seen[index] + happened[index]);
        assert_eq!(
            found, expected,
            "tick {tick}, {threads} threads, {settings:?}"
        );
    }
    seen
}

#[test]
fn sys_1_slices_do_what_a_crowd_does_on_any_number_of_threads() {
    let mut seen = [0; 4];
    for (number, threads) in [0, 1, 2, 5].into_iter().enumerate() {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        for (sleeping, strict, chunk_size) in [
            (false, false, 3),
            (true, false, 7),
            (false, true, 1),
            (true, true, 64),
        ] {
            let settings = TickSettings {
                sleeping,
                strict: Some(strict),
                chunk_size,
                budget: Some(if strict { 200 } else { 1024 }),
                ..TickSettings::default()
            };
            let happened = pool.install(|| compare(settings, threads, number as u64 + 3));
            seen = std::array::from_fn(|index| seen[index] + happened[index]);
        }
    }
    assert!(seen.iter().all(|&count| count > 0), "{seen:?}");
}

#[test]
fn sys_3_a_tick_that_is_left_out_tells_nothing_of_the_one_before() {
    let mut host = Host::new(&Model::new(TickSettings::default()));
    let machine = machine();
    let world = World {
        noise: machine.event("Noise").unwrap(),
        help: machine.event("Help").unwrap(),
    };
    let trace = Settings::new(Level::Outline);
    host.output.set_trace(&machine, Some(trace)).unwrap();
    host.tick(&world, 0);
    let despawned = |outcome: &Outcome| -> Vec<u32> {
        let all = outcome.trace.iter();
        let gone = all.filter(|record| record.kind() == Some(Kind::Despawned));
        gone.map(|record| record.agent.get()).collect()
    };
    let [one, other] = [host.agents[1], host.agents[2]];
    host.output.note_despawn(one);
    let told = host.tick(&world, 0);
    assert_eq!(despawned(&told), [one.index()]);
    host.output.note_despawn(other);
    host.output.clear();
    assert_eq!(host.output.trace().count(), 0);
    // What came meanwhile is told by the next tick that is not left out.
    let told = host.tick(&world, 0);
    assert_eq!(despawned(&told), [other.index()]);
}

#[test]
fn sys_1_slices_that_do_not_fit_are_refused_and_nothing_changes() {
    let program = machine().bind(functions()).unwrap();
    let rom = program.machine().rom();
    let world = World {
        noise: program.machine().event("Noise").unwrap(),
        help: program.machine().event("Help").unwrap(),
    };
    let before = vec![Instance64::new(&rom, 1, 0).unwrap(); 3];
    let mut instances = before.clone();
    let mut boards = [Body::default(); 3];
    let agents = [AgentId::new(4, 1), AgentId::new(2, 1)];
    let one_byte_too_many = TickSettings {
        budget: Some(4097),
        ..TickSettings::default()
    };
    let refused = [
        (
            Slices {
                agents: &agents,
                ..Slices::default()
            },
            SlicesError::Agents {
                found: 2,
                instances: 3,
            },
        ),
        (
            Slices {
                stopping: &[1, 1],
                ..Slices::default()
            },
            SlicesError::Order {
                list: "stopping",
                index: 1,
            },
        ),
        (
            Slices {
                stopping: &[3],
                ..Slices::default()
            },
            SlicesError::Order {
                list: "stopping",
                index: 0,
            },
        ),
        (
            Slices {
                settings: one_byte_too_many,
                ..Slices::default()
            },
            SlicesError::Settings(WrongSettings::Budget(WrongBudget(4097))),
        ),
    ];
    let mut output = SlicesOutput::default();
    for (slices, expected) in refused {
        let found = program.tick_slices(&mut instances, &mut boards, &world, slices, &mut output);
        assert_eq!(found, Err(expected));
    }
    let mut output = SlicesOutput::default().with_pool(std::sync::Arc::new(Pool::new(0)));
    let slices = Slices::default();
    let found = program.tick_slices(&mut instances, &mut boards, &world, slices, &mut output);
    let too_small = PoolTooSmall {
        needed: 1,
        free: 0,
        limit: 0,
    };
    assert_eq!(found, Err(SlicesError::Pool(too_small)));
    assert_eq!(instances, before);
}
