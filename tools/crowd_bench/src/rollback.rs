//! What it costs to go back: whole snapshots and frames, beside a plain copy of the same bytes.

use std::hint::black_box;
use std::sync::Arc;

use statewright::prelude::*;
use statewright::{EventHandle, Saved};

use crate::Figure;
use crate::counted::{equal, rounds_that_count};
use crate::scene::{Times, chosen, middle};

const ROUNDS: usize = 101;
/// How far games go back that predict what others do.
const BACK: u64 = 8;

/// What each agent remembers: plain numbers.
#[derive(Clone, Board, Saved)]
struct Memory {
    steps: i32,
    place: [f32; 2],
    health: i32,
}

/// Everybody is busy all the time, or one in a hundred gets an event.
#[derive(Clone, Copy, PartialEq)]
enum Load {
    Busy,
    Quiet,
}

fn machine(load: Load) -> Machine {
    Machine::build("Walker", |m| {
        m.event("Go");
        m.initial("idle");
        m.state("idle", |s| {
            if load == Load::Busy {
                s.update("Step");
            }
            s.on("Go").go("busy").run("Step");
        });
        m.state("busy", |s| {
            if load == Load::Busy {
                s.update("Step");
            }
            s.on("Go").go("idle").run("Step");
        });
    })
    .expect("the machine is right")
}

/// A crowd, and whom it sends events.
struct Scene {
    crowd: Crowd<Memory, ()>,
    agents: Vec<AgentId>,
    go: EventHandle,
    rounds: usize,
}

impl Scene {
    fn new(load: Load, agents: u32, frames: usize) -> Result<Self, String> {
        let functions = Functions::new().action("Step", |me: &mut Memory, (): &(), _| {
            me.steps += 1;
            me.place[0] += 0.5;
        });
        let program = machine(load).bind(functions);
        let program = Arc::new(program.map_err(|error| error.to_string())?);
        let mut crowd = Crowd::new(program, 1);
        let memory = Memory {
            steps: 0,
            place: [0.0; 2],
            health: 100,
        };
        let agents = (0..agents).map(|_| crowd.spawn(memory.clone())).collect();
        crowd.tick(&());
        crowd.keep_frames(frames);
        let go = crowd.machine().event("Go");
        let go = go.map_err(|error| error.to_string())?;
        let rounds = 0;
        Ok(Self {
            crowd,
            agents,
            go,
            rounds,
        })
    }

    /// Events for one in a hundred, and a tick.
    fn round(&mut self) {
        for index in chosen(self.agents.len() as u32, self.rounds) {
            let agent = self.agents[index as usize];
            self.crowd
                .send(agent, self.go, ())
                .expect("the agent is there");
        }
        self.crowd.tick(&());
        self.rounds += 1;
    }

    /// Back so many ticks, and the same again.
    fn again(&mut self) {
        self.rounds -= BACK as usize;
        let tick = self.crowd.now() - BACK;
        self.crowd.rewind(tick).expect("the tick is kept");
        for _ in 0..BACK {
            self.round();
        }
    }
}

/// Something whose instructions are counted.
#[derive(Clone, Copy)]
pub enum Back {
    Copy,
    Save,
    Restore,
    Frame,
    Tick,
    TickKept,
}

impl Back {
    /// So often.
    pub fn count(self, agents: u32, rounds: usize) -> Result<(), String> {
        let frames = match self {
            Self::Frame | Self::TickKept => BACK as usize,
            Self::Copy | Self::Save | Self::Restore | Self::Tick => 0,
        };
        let mut scene = Scene::new(Load::Busy, agents, frames)?;
        // Memory that is used again is as large as it gets.
        (0..=BACK).for_each(|_| scene.round());
        let mut saved = scene.crowd.snapshot();
        scene.crowd.restore(&saved).expect("its own snapshot");
        (0..=BACK * frames.min(1) as u64).for_each(|_| scene.round());
        let (now, mut plain) = (scene.crowd.now(), saved.clone());
        for _ in 0..rounds {
            match self {
                Self::Copy => rounds_that_count(|| black_box(&mut plain).copy_from_slice(&saved)),
                Self::Save => rounds_that_count(|| scene.crowd.snapshot_into(&mut saved)),
                Self::Restore => rounds_that_count(|| {
                    scene.crowd.restore(&plain).expect("its own snapshot");
                }),
                Self::Tick | Self::TickKept => rounds_that_count(|| scene.round()),
                Self::Frame => {
                    rounds_that_count(|| scene.crowd.rewind(now - 1).expect("it is kept"));
                    scene.rounds -= 1;
                    scene.round();
                }
            }
        }
        let ticks = match self {
            Self::Tick | Self::TickKept => rounds as u64,
            Self::Copy | Self::Save | Self::Frame => 0,
            // Back to before the one round.
            Self::Restore => return equal(scene.crowd.now() + 1, now),
        };
        equal(scene.crowd.now() - now, ticks)
    }
}

pub fn measure(agents: u32) -> Result<Vec<Figure>, String> {
    let mut figures = whole(agents)?;
    for load in [Load::Busy, Load::Quiet] {
        figures.extend(frames(load, agents)?);
    }
    Ok(figures)
}

/// Snapshots of the whole crowd.
fn whole(agents: u32) -> Result<Vec<Figure>, String> {
    let mut scene = Scene::new(Load::Busy, agents, 0)?;
    let crowd = &mut scene.crowd;
    let mut saved = crowd.snapshot();
    let (source, mut plain) = (saved.clone(), saved.clone());
    let [mut copy, mut save, mut restore] = [const { Times(Vec::new()) }; 3];
    for _ in 0..ROUNDS {
        copy.take(|| black_box(&mut plain).copy_from_slice(black_box(&source)));
        save.take(|| crowd.snapshot_into(&mut saved));
        restore.take(|| crowd.restore(&saved).expect("its own snapshot"));
    }
    if crowd.snapshot() != source {
        return Err("a snapshot that was restored is another one".to_owned());
    }
    let [copy, save, restore] = [copy, save, restore].map(|times| middle(times.0));
    let at_most = |name, value, target| Figure::new(name, value, "x").at_most(target);
    Ok(vec![
        Figure::new("rollback: a plain copy of a snapshot's bytes", copy, "us"),
        at_most("rollback: a snapshot, over that", save / copy, 2.5),
        at_most("rollback: restoring it, over that", restore / copy, 4.0),
    ])
}

/// Frames: what keeping them adds to a tick, and what going back takes.
fn frames(load: Load, agents: u32) -> Result<Vec<Figure>, String> {
    let mut plain = Scene::new(load, agents, 0)?;
    let mut kept = Scene::new(load, agents, BACK as usize)?;
    let bytes = agents as usize * (64 + size_of::<Memory>());
    let (source, mut target) = (vec![1_u8; bytes], vec![0_u8; bytes]);
    let [mut copy, mut tick, mut framed, mut back, mut again] = [const { Times(Vec::new()) }; 5];
    for _ in 0..BACK {
        plain.round();
        kept.round();
    }
    for _ in 0..ROUNDS {
        tick.take(|| plain.round());
        framed.take(|| kept.round());
        copy.take(|| black_box(&mut target).copy_from_slice(black_box(&source)));
        again.take(|| kept.again());
        // One tick back, which changed whoever had a turn; and on again, which nobody measures.
        let before = kept.crowd.now() - 1;
        back.take(|| kept.crowd.rewind(before).expect("the tick is kept"));
        kept.rounds -= 1;
        kept.round();
    }
    if plain.crowd.snapshot() != kept.crowd.snapshot() {
        return Err("a crowd that went back is another one".to_owned());
    }
    let [copy, tick, framed, back, again] =
        [copy, tick, framed, back, again].map(|times| middle(times.0));
    Ok(match load {
        Load::Busy => vec![
            Figure::new("frames: a tick in which everybody changes", tick, "us"),
            Figure::new("frames: the same, kept, over that", framed / tick, "x"),
            Figure::new("frames: a plain copy of agents and blackboards", copy, "us"),
            Figure::new("frames: back over such a tick, over that", back / copy, "x").at_most(1.5),
            Figure::new("frames: 8 such ticks back and run again", again, "us"),
        ],
        Load::Quiet => vec![
            Figure::new(
                "frames: a tick with events for one in a hundred",
                tick,
                "us",
            ),
            Figure::new("frames: the same, kept, over that", framed / tick, "x"),
            Figure::new("frames: back over such a tick", back, "us"),
            Figure::new("frames: 8 such ticks back and run again", again, "us"),
        ],
    })
}
