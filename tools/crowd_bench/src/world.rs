//! Three crowds in one world, beside the same three crowds that are ticked alone, with the same
//! inputs.
//!
//! In `Work::Events` the host sends to one agent in a hundred; in `Work::Messages` each of these
//! sends to its neighbor as well, who has it in the next tick. Both sides end with the same bytes,
//! or there is no figure.

use std::hint::black_box;

use statewright::prelude::*;
use statewright::{CrowdKey, EventHandle, Saved, World};

use crate::Figure;
use crate::scene::{Times, chosen, middle};

const ROUNDS: usize = 101;
/// A world costs at most this many times what its crowds cost alone.
const TARGET: f64 = 1.05;
const CROWDS: [&str; 3] = ["guards", "villagers", "bosses"];

/// What the agents do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// They get events.
    Events,
    /// They get events and send some.
    Messages,
}

/// Who an agent sends to, and the number of its crowd.
#[derive(Clone, Copy, Saved)]
struct Walker {
    neighbor: AgentId,
    crowd: u32,
}

impl Board for Walker {}

/// What each crowd sends.
type Told = Vec<EventHandle>;

fn machine(name: &str) -> Result<Machine, String> {
    let built = Machine::build(name, |m| {
        m.event("Go");
        m.event("Tell");
        m.event("Told");
        m.initial("idle");
        m.state("idle", |s| {
            s.on("Go").go("busy").run("Step");
            s.on("Tell").go("busy").run("Pass");
            s.on("Told").run("Step");
        });
        m.state("busy", |s| {
            s.on("Go").go("idle").run("Step");
            s.on("Tell").go("idle").run("Pass");
            s.on("Told").run("Step");
        });
    });
    built.map_err(|error| error.to_string())
}

/// A crowd of agents who know each other.
fn crowd(number: u32, name: &str, agents: u32) -> Result<Crowd<Walker, Told>, String> {
    let functions = Functions::new()
        .action("Step", |_: &mut Walker, _: &Told, cx| {
            black_box(cx.agent());
        })
        .action("Pass", |me, told, cx| {
            cx.send(me.neighbor, told[me.crowd as usize], ());
        });
    let program = machine(name)?.bind(functions);
    let mut crowd = Crowd::new(program.map_err(|error| error.to_string())?, 1);
    crowd.reserve(agents as usize);
    let neighbor = AgentId::default();
    let ids: Vec<AgentId> = (0..agents)
        .map(|_| {
            crowd.spawn(Walker {
                neighbor,
                crowd: number,
            })
        })
        .collect();
    for (index, &agent) in ids.iter().enumerate() {
        let board = crowd.board_mut(agent);
        board.map_err(|error| error.to_string())?.neighbor = ids[(index + 1) % ids.len()];
    }
    Ok(crowd)
}

/// The event of a name, of each crowd.
fn events(crowds: &[Crowd<Walker, Told>], name: &str) -> Result<Vec<EventHandle>, String> {
    let events = crowds.iter().map(|crowd| crowd.machine().event(name));
    events
        .collect::<Result<_, _>>()
        .map_err(|error| error.to_string())
}

/// The crowds of one side, and who gets which event in which round.
pub struct Scene {
    side: Side,
    /// By crowd.
    agents: Vec<Vec<AgentId>>,
    events: Vec<EventHandle>,
    told: Told,
}

enum Side {
    World(Box<World<Told>>, Vec<CrowdKey<Walker>>),
    Alone(Vec<Crowd<Walker, Told>>),
}

impl Scene {
    /// Three crowds of so many agents each, after their first tick.
    pub fn new(in_world: bool, work: Work, agents: u32) -> Result<Self, String> {
        let crowds = (0..)
            .zip(CROWDS)
            .map(|(number, name)| crowd(number, name, agents));
        let crowds: Vec<Crowd<Walker, Told>> = crowds.collect::<Result<_, _>>()?;
        let name = match work {
            Work::Events => "Go",
            Work::Messages => "Tell",
        };
        let (events, told) = (events(&crowds, name)?, events(&crowds, "Told")?);
        let agents = crowds
            .iter()
            .map(|crowd| crowd.agents().collect())
            .collect();
        let side = if in_world {
            let (mut world, mut keys) = (World::new(), Vec::new());
            for (name, crowd) in CROWDS.iter().zip(crowds) {
                keys.push(world.join(name, crowd).map_err(|error| error.to_string())?);
            }
            Side::World(Box::new(world), keys)
        } else {
            Side::Alone(crowds)
        };
        let mut scene = Self {
            side,
            agents,
            events,
            told,
        };
        scene.tick();
        Ok(scene)
    }

    /// Who gets an event in a round, by crowd; the same on both sides.
    pub fn receivers(&self, round: usize) -> Vec<Vec<AgentId>> {
        let of = |agents: &Vec<AgentId>| {
            let places = chosen(agents.len() as u32, round);
            places.map(|place| agents[place as usize]).collect()
        };
        self.agents.iter().map(of).collect()
    }

    /// Their events.
    pub fn send(&mut self, receivers: &[Vec<AgentId>]) {
        let Self { side, events, .. } = self;
        for (index, (receivers, &event)) in receivers.iter().zip(events.iter()).enumerate() {
            let crowd = match side {
                Side::World(world, keys) => &mut world[keys[index]],
                Side::Alone(crowds) => &mut crowds[index],
            };
            for &receiver in receivers {
                crowd.send(receiver, event, ()).expect("the agent exists");
            }
        }
    }

    /// One tick of all.
    pub fn tick(&mut self) {
        let told = &self.told;
        match &mut self.side {
            Side::World(world, _) => _ = world.tick(told),
            Side::Alone(crowds) => crowds.iter_mut().for_each(|crowd| _ = crowd.tick(told)),
        }
    }

    fn crowds(&self) -> Vec<&Crowd<Walker, Told>> {
        match &self.side {
            Side::World(world, keys) => keys.iter().map(|&key| &world[key]).collect(),
            Side::Alone(crowds) => crowds.iter().collect(),
        }
    }

    /// How many events had an effect.
    pub fn transitions(&self) -> u64 {
        let crowds = self.crowds().into_iter();
        crowds.map(|crowd| crowd.counters().transitions).sum()
    }

    /// Everything that there is, and how many events had an effect.
    fn outcome(&self) -> (Vec<Vec<u8>>, u64) {
        let crowds = self.crowds().into_iter();
        let snapshots = crowds.map(|crowd| crowd.snapshot()).collect();
        (snapshots, self.transitions())
    }
}

/// Transitions that so many rounds come to, of three crowds of so many agents.
pub fn expected(work: Work, agents: u32, rounds: usize) -> u64 {
    let events = u64::from(agents / 100) * CROWDS.len() as u64;
    let each = events * rounds as u64;
    match work {
        Work::Events => each,
        // What was sent in the last round is under way.
        Work::Messages => each + events * (rounds as u64 - 1),
    }
}

pub fn measure(agents: u32) -> Result<Vec<Figure>, String> {
    let mut figures = Vec::new();
    for work in [Work::Events, Work::Messages] {
        let [alone, world] = take_turns(work, agents / 3)?;
        figures.extend(work.figures(alone, world, "us"));
    }
    Ok(figures)
}

impl Work {
    /// What both sides cost, in some unit, and what that is as a ratio.
    pub fn figures(self, alone: f64, world: f64, unit: &'static str) -> [Figure; 3] {
        let names = match self {
            Self::Events => [
                "world: events for three crowds, each ticked alone",
                "world: the same in one world",
                "world: events, in a world over alone",
            ],
            Self::Messages => [
                "world: events and messages of three crowds, alone",
                "world: the same events and messages in one world",
                "world: messages, in a world over alone",
            ],
        };
        let ratio = Figure::new(names[2], world / alone, "x");
        [
            Figure::new(names[0], alone, unit),
            Figure::new(names[1], world, unit),
            ratio.at_most(TARGET),
        ]
    }
}

/// The middle times of both sides, in microseconds.
fn take_turns(work: Work, agents: u32) -> Result<[f64; 2], String> {
    let mut scenes = [false, true].map(|in_world| Scene::new(in_world, work, agents));
    let mut times = [const { Times(Vec::new()) }; 2];
    for round in 0..ROUNDS {
        for (scene, times) in scenes.iter_mut().zip(&mut times) {
            let scene = scene.as_mut().map_err(|error| error.clone())?;
            let receivers = scene.receivers(round);
            times.take(|| {
                scene.send(&receivers);
                scene.tick();
            });
        }
    }
    let [alone, world] = scenes.map(|scene| scene.map(|scene| scene.outcome()));
    let (alone, world) = (alone?, world?);
    if alone != world {
        return Err("crowds in a world did other things than crowds alone".to_owned());
    }
    let expected = expected(work, agents, ROUNDS);
    if alone.1 != expected {
        return Err(format!("{} transitions instead of {expected}", alone.1));
    }
    Ok(times.map(|times| middle(times.0)))
}
