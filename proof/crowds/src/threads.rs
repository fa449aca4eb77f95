//! Ten thousand agents on any number of threads in chunks of any size: commands, counters and
//! snapshots are the same.

use statewright::prelude::*;
use statewright::{EventHandle, SendError, Value};
use statewright_generator::Rng;
use xxhash_rust::xxh3::Xxh3;

/// Numbers of threads.
pub const THREADS: [usize; 7] = [1, 2, 3, 4, 7, 8, 16];
/// Sizes of chunks.
pub const CHUNKS: [usize; 4] = [1, 7, 64, 1024];
/// Agents at the start.
const AGENTS: u32 = 10_000;

const SQUAD: &str = r#"{ "machine": "Squad", "tier": "crowd",
  "events": { "Noise": { "payload": "i32" }, "Help": { "payload": "entity", "class": "interrupt" }, "Calm": {}, "Hit": {} },
  "blackboard": { "alarms": { "type": "i32" } },
  "initial": "idle",
  "states": {
    "idle": { "transitions": [
      { "on": "Noise", "if": "Hears(3)", "to": "look", "do": ["Call", "alarms += 1"] },
      { "on": "Help", "to": "fight" } ] },
    "look": { "entry": { "emit": "LookAround", "lane": "animation" }, "transitions": [
      { "after": "4t", "to": "idle" }, { "on": "Help", "to": "fight" }, { "when": "always", "if": "alarms > 5", "to": "fight" } ] },
    "fight": { "entry": "Draw", "exit": ["Sheathe", { "emit": "Rest", "lane": "animation" }], "transitions": [
      { "on": "Hit", "do": "Call" }, { "on": "Calm", "to": "idle" }, { "after": "9t", "to": "idle", "do": "alarms = 0" } ] } } }"#;

#[derive(
    Clone,
    Copy,
    Default,
    statewright::Saved,
    zerocopy::FromBytes,
    zerocopy::IntoBytes,
    zerocopy::Immutable,
)]
#[saved(bytes)]
#[repr(C)]
struct Body {
    alarms: i32,
    swords: u32,
}

impl Board for Body {
    const FIELDS: &'static [(&'static str, statewright::Type)] =
        &[("alarms", statewright::Type::I32)];

    fn read(&self, _: usize) -> [u32; 3] {
        self.alarms.to_words()
    }

    fn write(&mut self, _: usize, words: [u32; 3]) {
        self.alarms = i32::from_words(words);
    }
}

struct World {
    help: EventHandle,
    events: [EventHandle; 3],
}

fn functions() -> Functions<Body, World> {
    Functions::new()
        .guard("Hears", |_: &Body, _: &World, cx| {
            Verdict::from(cx.payload::<i32>() > cx.argument(0))
        })
        .action("Call", |me, world, cx| {
            let to = AgentId::new(cx.rng().below(AGENTS + 50), 1).in_crowd(cx.agent().crowd());
            cx.send(to, world.help, cx.agent());
            me.swords ^= 1 << 31;
        })
        .action("Draw", |me, world, cx| {
            me.swords += cx.rng().below(3);
            cx.post(world_hit(cx, world), [0; 4]);
        })
        .action("Sheathe", |me, _, _| me.swords += 100)
}

fn world_hit(cx: &ActionCx, world: &World) -> EventHandle {
    // The event after the one that the agent reacts to, wherever it stands.
    let events = &world.events;
    let next = cx.event().map_or(0, |event| event.id().index() + 1);
    events[next % events.len()]
}

/// A hash of everything that a run of a seed leaves behind, tick after tick, and how much happened.
pub fn run(seed: u64, ticks: u64, threads: usize, chunk: usize) -> Result<(u64, u64, u64), String> {
    let machine = Machine::from_text("squad.sw.json", SQUAD).map_err(|error| error.to_string())?;
    let [noise, help, calm] =
        ["Noise", "Help", "Calm"].map(|name| machine.event(name).expect("the machine has it"));
    let mut crowd = Crowd::new(
        machine
            .bind(functions())
            .map_err(|error| error.to_string())?,
        seed,
    );
    let world = World {
        help,
        events: [noise, help, calm],
    };
    let mut agents: Vec<AgentId> = (0..AGENTS).map(|_| crowd.spawn(Body::default())).collect();
    crowd.set_chunk_size(chunk);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| error.to_string())?;
    let (mut rng, mut hash, mut snapshot, mut commands) =
        (Rng::new(seed), Xxh3::new(), Vec::new(), 0);
    for _ in 0..ticks {
        for _ in 0..100 {
            let agent = agents[rng.below(agents.len() as u32) as usize];
            // Some are gone: an error, and nothing else.
            let _: Result<(), SendError> = match rng.below(20) {
                0 => crowd.despawn(agent).map_err(SendError::from),
                1 => {
                    agents.push(crowd.spawn(Body::default()));
                    Ok(())
                }
                2 => crowd.send(agent, calm, ()),
                3 => crowd.send(agent, help, agent),
                4 => crowd.stop(agent).map_err(SendError::from),
                _ => crowd.send(agent, noise, rng.below(8) as i32),
            };
        }
        pool.install(|| crowd.tick_parallel(&world));
        for command in crowd.commands() {
            commands += 1;
            hash.update(&command.agent().index().to_le_bytes());
            hash.update(&command.agent().generation().to_le_bytes());
            hash.update(&[command.lane().number()]);
            hash.update(command.bytes());
        }
        crowd.snapshot_into(&mut snapshot);
        hash.update(&snapshot);
    }
    Ok((hash.digest(), crowd.counters().transitions, commands))
}
