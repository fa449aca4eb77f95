//! Several machines in one world: villagers, guards and bosses of one town.
//!
//! Bosses scare villagers, villagers call the patrol of their street (a group of guards), guards
//! strike the boss and tell the villager when it is over. Everybody is in a crowd of its own
//! machine and speaks to the others by messages. The context is borrowed from the town for one
//! tick. The run is repeated on several threads, and from a snapshot in its middle: every byte is
//! the same.

use statewright::prelude::*;
use statewright::{CrowdKey, GroupId, Saved, World, WorldTick};

const VILLAGERS: usize = 996;
const GUARDS: usize = 1_000;
const BOSSES: usize = 4;
const STREETS: usize = 20;
pub(crate) const TICKS: u64 = 240;

const VILLAGER: &str = r#"{ "machine": "Villager", "tier": "crowd",
  "events": { "Scare": {}, "Help": { "payload": "entity", "sent": true }, "AllClear": {} },
  "initial": "work",
  "states": {
    "work": { "transitions": [{ "on": "Scare", "to": "hide", "do": "CallPatrol" }] },
    "hide": { "transitions": [{ "on": "AllClear", "to": "work" }, { "after": "4s", "to": "work" }] } } }"#;

const GUARD: &str = r#"{ "machine": "Guard", "tier": "standard",
  "events": { "Help": { "payload": "entity" }, "Roar": {},
    "Hit": { "payload": "i32", "sent": true }, "AllClear": { "sent": true } },
  "blackboard": { "caller": "entity" },
  "initial": "patrol",
  "states": {
    "patrol": { "transitions": [{ "on": "Help", "if": "random() < 0.1", "to": "fight", "do": ["caller = event", "Strike"] }] },
    "fight": { "transitions": [
      { "after": "1s", "to": "patrol", "do": { "send": "AllClear", "to": "caller" } },
      { "on": "Roar", "to": "rest" } ] },
    "rest": { "transitions": [{ "after": "2s", "to": "patrol" }] } } }"#;

const BOSS: &str = r#"{ "machine": "Boss", "tier": "hero",
  "blackboard": { "health": "i32" },
  "parameters": { "fury": 400 },
  "events": { "Hit": { "payload": "i32" }, "Scare": { "sent": true }, "Roar": { "sent": true } },
  "transitions": [{ "on": "Hit", "do": "health -= event" }, { "every": "1t..7t", "if": "health > 0", "do": "Hunt" }],
  "initial": "roam",
  "states": {
    "roam": { "transitions": [{ "when": "always", "if": "health < fury", "to": "rage" }] },
    "rage": { "entry": "Bellow", "transitions": [{ "when": "always", "if": "health <= 0", "to": "gone" }] },
    "gone": {} } }"#;

/// What agents see of the town in one tick.
pub(crate) struct Town<'t> {
    villagers: &'t [AgentId],
    patrols: &'t [GroupId],
    bosses: &'t [AgentId],
    words: &'t Words,
}

/// Events by name, once.
pub(crate) struct Words {
    scare: statewright::EventHandle,
    help: statewright::EventHandle,
    hit: statewright::EventHandle,
    roar: statewright::EventHandle,
}

#[derive(Board, Saved)]
pub(crate) struct Villager {
    #[board(skip)]
    street: u32,
}

#[functions(context = Town<'_>)]
impl Villager {
    #[action]
    fn call_patrol(&mut self, town: &Town, cx: &mut ActionCx) {
        let patrol = town.patrols[self.street as usize];
        cx.send(patrol.receiver(), town.words.help, cx.agent());
    }
}

#[derive(Board, Saved)]
pub(crate) struct Guard {
    /// Who called.
    caller: AgentId,
}

#[functions(context = Town<'_>)]
impl Guard {
    #[action]
    fn strike(&mut self, town: &Town, cx: &mut ActionCx) {
        let boss = cx.rng().pick(town.bosses).copied().unwrap_or_default();
        cx.send(boss, town.words.hit, 1 + cx.agent().index() as i32 % 3);
    }
}

#[derive(Board, Saved)]
pub(crate) struct Boss {
    health: i32,
}

#[functions(context = Town<'_>)]
impl Boss {
    #[action]
    fn hunt(&mut self, town: &Town, cx: &mut ActionCx) {
        if let Some(&villager) = cx.rng().pick(town.villagers) {
            cx.send(villager, town.words.scare, ());
        }
    }

    #[action]
    fn bellow(&mut self, town: &Town, cx: &mut ActionCx) {
        for patrol in town.patrols {
            cx.send(patrol.receiver(), town.words.roar, ());
        }
    }
}

pub(crate) struct Game {
    pub(crate) world: World<borrowed!(Town<'_>)>,
    pub(crate) villagers: CrowdKey<Villager>,
    pub(crate) guards: CrowdKey<Guard>,
    pub(crate) bosses: CrowdKey<Boss>,
    all_villagers: Vec<AgentId>,
    all_bosses: Vec<AgentId>,
    patrols: Vec<GroupId>,
    words: Words,
    messages: usize,
}

impl Game {
    pub(crate) fn new() -> Result<Self, Box<dyn std::error::Error>> {
        let [villager, guard, boss] = [VILLAGER, GUARD, BOSS]
            .map(|text| Machine::from_text("town", text).expect("the machines are right"));
        for machine in [&villager, &guard, &boss] {
            assert_eq!(machine.warnings(), [""; 0], "what is only sent says so");
        }
        let mut world = World::new();
        let villagers = world.join(
            "villagers",
            Crowd::new(villager.bind(Villager::functions())?, 1),
        )?;
        let guards = world.join("guards", Crowd::new(guard.bind(Guard::functions())?, 1))?;
        let bosses = world.join("bosses", Crowd::new(boss.bind(Boss::functions())?, 1))?;
        let patrols = (0..STREETS)
            .map(|_| world.new_group())
            .collect::<Result<Vec<GroupId>, _>>()?;
        for number in 0..GUARDS {
            let guard = world[guards].spawn(Guard {
                caller: AgentId::default(),
            });
            world.join_group(patrols[number % STREETS], guard)?;
        }
        let street = |number| (number % STREETS) as u32;
        let spawn = |number| {
            world[villagers].spawn(Villager {
                street: street(number),
            })
        };
        let all_villagers = (0..VILLAGERS).map(spawn).collect();
        let spawn = |_| world[bosses].spawn(Boss { health: 700 });
        let all_bosses = (0..BOSSES).map(spawn).collect();
        Ok(Self {
            // Each agent sends events of its own machine; the world knows which is which.
            words: Words {
                scare: boss.event("Scare")?,
                help: villager.event("Help")?,
                hit: guard.event("Hit")?,
                roar: boss.event("Roar")?,
            },
            world,
            villagers,
            guards,
            bosses,
            all_villagers,
            all_bosses,
            patrols,
            messages: 0,
        })
    }

    pub(crate) fn tick(&mut self, threads: usize) -> WorldTick {
        let town = Town {
            villagers: &self.all_villagers,
            patrols: &self.patrols,
            bosses: &self.all_bosses,
            words: &self.words,
        };
        let done = match threads {
            1 => self.world.tick(&town),
            _ => self.world.tick_parallel(&town),
        };
        self.messages += done.messages;
        done
    }

    fn run(&mut self, ticks: u64, threads: usize) -> Vec<u8> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("threads can be had").install(|| {
            (0..ticks).for_each(|_| _ = self.tick(threads));
        });
        self.world.snapshot().expect("all crowds can be saved")
    }
}

/// How many agents of a crowd are in a state.
fn count_in<B: Board>(crowd: &Crowd<B, borrowed!(Town<'_>)>, state: &str) -> usize {
    let state = crowd
        .machine()
        .state(state)
        .expect("a state of the machine");
    let all = crowd.all_in(state).expect("a state of the machine");
    all.len()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut game = Game::new()?;
    let middle = game.run(TICKS / 2, 1);
    let end = game.run(TICKS / 2, 1);
    println!(
        "{} agents in {} crowds, {} patrols, {TICKS} ticks",
        game.world.len(),
        game.world.names().count(),
        game.patrols.len(),
    );
    println!("messages: {}", game.messages);
    let (villagers, guards) = (&game.world[game.villagers], &game.world[game.guards]);
    let bosses = &game.world[game.bosses];
    println!("villagers who hide: {}", count_in(villagers, "hide"));
    println!("guards who fight: {}", count_in(guards, "fight"));
    println!("guards who rest: {}", count_in(guards, "rest"));
    println!("bosses in rage: {}", count_in(bosses, "rage"));
    println!("bosses who are gone: {}", count_in(bosses, "gone"));
    let lost: Vec<_> = game.world.undelivered().collect();
    assert!(lost.is_empty(), "{lost:?}");

    for threads in [2, 7] {
        let mut again = Game::new()?;
        again.run(TICKS / 2, threads);
        assert!(again.run(TICKS / 2, threads) == end, "{threads} threads");
        println!("the same bytes on {threads} threads");
    }
    game.world.restore(&middle)?;
    assert!(game.run(TICKS / 2, 2) == end);
    println!("the same bytes from the snapshot in the middle");
    Ok(())
}
