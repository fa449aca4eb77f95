//! What recording costs beside the run that it records, and replay beside both (TAPE-1 to TAPE-5).

use std::hint::black_box;
use std::sync::Arc;

use statewright::EventHandle;
use statewright::prelude::*;
use statewright_tape::{
    FlightOptions, FlightRecorder, Proof, Recording, RecordingOptions, Replay, Tape, Timeline,
};

use crate::counted::{equal, rounds_that_count};
use crate::scene::{Times, middle};
use crate::{Bound, Figure};

const ROUNDS: usize = 41;

/// Mixed states: each event means something in some of them.
fn machine() -> Machine {
    Machine::build("Mixed", |m| {
        ["A", "B", "C", "D"].iter().for_each(|name| {
            m.event(*name);
        });
        m.initial("rest");
        m.state("rest", |s| {
            s.on("A").go("walk").run("Step");
            s.on("B").go("fight").run("Step");
        });
        m.state("walk", |s| {
            s.on("B").go("fight").run("Step");
            s.on("C").go("rest").run("Step");
        });
        m.state("fight", |s| {
            s.on("C").go("walk").run("Step");
            s.on("D").go("rest").run("Step");
        });
    })
    .expect("the machine is right")
}

fn functions() -> Functions<(), ()> {
    Functions::new().action("Step", |_, _, cx| {
        black_box(cx.agent());
    })
}

/// A crowd, and what is sent to whom in a round.
struct Scene {
    crowd: Crowd<(), ()>,
    agents: Vec<AgentId>,
    events: [EventHandle; 4],
}

impl Scene {
    fn new(program: &Arc<Program<(), ()>>, agents: u32) -> Self {
        let mut crowd = Crowd::new(Arc::clone(program), 1);
        let agents = (0..agents).map(|_| crowd.spawn(())).collect();
        crowd.tick(&());
        let machine = crowd.machine().clone();
        let events = ["A", "B", "C", "D"].map(|name| machine.event(name).expect("it has it"));
        Self {
            crowd,
            agents,
            events,
        }
    }

    /// A random event for everybody, and a tick.
    fn round(&mut self, round: usize) {
        let mut state = round as u64 + 1;
        for &agent in &self.agents {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let event = self.events[(state >> 62) as usize];
            self.crowd
                .send(agent, event, ())
                .expect("the agent is there");
        }
        self.crowd.tick(&());
    }
}

/// What is kept of a run.
#[derive(Clone, Copy)]
pub enum Kept {
    Nothing,
    Inputs,
    Digests,
    Sealed,
    Flight,
}

impl Kept {
    /// So many rounds, whose instructions are counted.
    pub fn count(self, agents: u32, rounds: usize) -> Result<(), String> {
        let mut scene = Scene::new(&program()?, agents);
        let (proof, sealed) = match self {
            Self::Nothing => return scene.count(rounds),
            Self::Flight => return scene.count_in_flight(rounds),
            Self::Inputs => (Proof::None, false),
            Self::Digests => (Proof::Ticks, false),
            Self::Sealed => (Proof::None, true),
        };
        let recording = recorded(&mut scene, proof, sealed)?;
        scene.count(rounds)?;
        let finished = recording.finish(&mut scene.crowd);
        let (_, summary) = finished.map_err(|error| error.to_string())?;
        equal(summary.inputs, rounds as u64 * u64::from(agents))
    }
}

impl Scene {
    fn count(&mut self, rounds: usize) -> Result<(), String> {
        let before = self.crowd.now();
        rounds_that_count(|| (0..rounds).for_each(|round| self.round(round)));
        equal(self.crowd.now() - before, rounds as u64)
    }

    fn count_in_flight(&mut self, rounds: usize) -> Result<(), String> {
        let flight = in_flight(self)?;
        self.count(rounds)?;
        flight.finish(&mut self.crowd);
        Ok(())
    }
}

/// The tape of so many rounds, whose instructions are counted when it is run again.
pub fn count_replay(agents: u32, rounds: usize) -> Result<(), String> {
    let program = program()?;
    let mut scene = Scene::new(&program, agents);
    let recording = recorded(&mut scene, Proof::None, false)?;
    (0..rounds).for_each(|round| scene.round(round));
    let finished = recording.finish(&mut scene.crowd);
    let (bytes, _) = finished.map_err(|error| error.to_string())?;
    let tape = Tape::read(&bytes).map_err(|error| error.to_string())?;
    let mut replay = Replay::new(&tape, program).map_err(|error| error.to_string())?;
    let mut ran = Ok(statewright_tape::Verified::default());
    rounds_that_count(|| ran = replay.run(|crowd| (crowd.tick(&()), None).1));
    let ran = ran.map_err(|error| error.to_string())?;
    equal(ran.ticks, rounds as u64)?;
    equal(replay.crowd().digest(), scene.crowd.digest())
}

fn program() -> Result<Arc<Program<(), ()>>, String> {
    let bound = machine().bind(functions());
    bound.map(Arc::new).map_err(|error| error.to_string())
}

/// The flight recorder of everybody, with room for all.
fn in_flight(scene: &mut Scene) -> Result<FlightRecorder, String> {
    let options = FlightOptions {
        budget: 256 << 20,
        ..FlightOptions::default()
    };
    FlightRecorder::begin(&mut scene.crowd, options).map_err(|error| error.to_string())
}

/// The flight recorder of a hundred of all, wherever they are.
fn few_in_flight(scene: &mut Scene) -> Result<FlightRecorder, String> {
    let apart = scene.agents.len().div_ceil(100);
    let options = FlightOptions {
        sealed: true,
        agents: Some(scene.agents.iter().copied().step_by(apart).collect()),
        ..FlightOptions::default()
    };
    FlightRecorder::begin(&mut scene.crowd, options).map_err(|error| error.to_string())
}

fn recorded(scene: &mut Scene, proof: Proof, sealed: bool) -> Result<Recording<Vec<u8>>, String> {
    let options = RecordingOptions {
        proof,
        sealed,
        ..RecordingOptions::default()
    };
    Recording::begin(&mut scene.crowd, Vec::new(), options).map_err(|error| error.to_string())
}

pub fn measure(agents: u32) -> Result<Vec<Figure>, String> {
    let program = program()?;
    let mut scenes: [Scene; 6] = std::array::from_fn(|_| Scene::new(&program, agents));
    let inputs = recorded(&mut scenes[1], Proof::None, false)?;
    let digests = recorded(&mut scenes[2], Proof::Ticks, false)?;
    let sealed = recorded(&mut scenes[4], Proof::None, true)?;
    let flight = in_flight(&mut scenes[3])?;
    let few = few_in_flight(&mut scenes[5])?;
    let mut times = [const { Times(Vec::new()) }; 6];
    for round in 0..ROUNDS {
        for (scene, times) in scenes.iter_mut().zip(&mut times) {
            times.take(|| scene.round(round));
        }
    }
    let digest = scenes[0].crowd.digest();
    if scenes.iter().any(|scene| scene.crowd.digest() != digest) {
        return Err("recording changed what agents do".to_owned());
    }
    let finish = |recording: Recording<Vec<u8>>, scene: &mut Scene| {
        recording
            .finish(&mut scene.crowd)
            .map_err(|error| error.to_string())
    };
    let (bytes, _) = finish(inputs, &mut scenes[1])?;
    finish(digests, &mut scenes[2])?;
    finish(sealed, &mut scenes[4])?;
    flight.finish(&mut scenes[3].crowd);
    few.finish(&mut scenes[5].crowd);
    let mut replayed = Times(Vec::new());
    let tape = Tape::read(&bytes).map_err(|error| error.to_string())?;
    let mut replay = Replay::new(&tape, program.clone()).map_err(|error| error.to_string())?;
    for _ in 0..ROUNDS {
        let mut stepped = Ok(false);
        replayed.take(|| stepped = replay.step(|crowd| (crowd.tick(&()), None).1));
        if !stepped.map_err(|error| error.to_string())? {
            return Err("the tape is too short".to_owned());
        }
    }
    let [plain, inputs, digests, flight, sealed, few] = times.map(|times| middle(times.0));
    let replayed = middle(replayed.0);
    let at_most = |name, value, target| Figure::new(name, value, "x").at_most(target);
    Ok(vec![
        Figure::new("tape: W6, a random event for everybody", plain, "us"),
        at_most(
            "tape: recorded without digests, over that",
            inputs / plain,
            1.15,
        ),
        at_most(
            "tape: recorded with digests, over that",
            digests / plain,
            1.6,
        ),
        at_most(
            "tape: recorded and everybody sealed, over that",
            sealed / plain,
            2.5,
        ),
        Figure::new(
            "tape: flight recorder of the whole crowd, over that",
            flight / plain,
            "x",
        ),
        at_most(
            "tape: flight recorder of a hundred, sealed, over that",
            few / plain,
            1.05,
        ),
        Figure {
            target: Some((Bound::AtLeast, 0.7)),
            ..Figure::new(
                "tape: speed of replay, over that of the run",
                plain / replayed,
                "x",
            )
        },
        seek()?,
        size(&program, 2000, 0)?,
        size(&program, 0, 100)?,
    ])
}

/// Bytes before compression: of an event without a payload, or of a tick with digests.
fn size(program: &Arc<Program<(), ()>>, events: usize, ticks: usize) -> Result<Figure, String> {
    let mut scene = Scene::new(program, 2000);
    let recording = recorded(&mut scene, Proof::Ticks, false)?;
    for &agent in scene.agents.iter().take(events) {
        let sent = scene.crowd.send(agent, scene.events[0], ());
        sent.map_err(|error| error.to_string())?;
    }
    for _ in 0..ticks {
        scene.crowd.tick(&());
    }
    let (bytes, _) = recording
        .finish(&mut scene.crowd)
        .map_err(|error| error.to_string())?;
    let tape = Tape::read(&bytes).map_err(|error| error.to_string())?;
    let bytes = tape.record_bytes().map_err(|error| error.to_string())? as f64;
    Ok(match events {
        0 => Figure::new("tape: bytes of a tick", bytes / ticks as f64, "B").at_most(24.0),
        _ => {
            let name = "tape: bytes of an event sent, besides its payload";
            Figure::new(name, bytes / events as f64, "B").at_most(12.0)
        }
    })
}

/// To any tick of ten minutes of a thousand agents.
fn seek() -> Result<Figure, String> {
    const TICKS: u64 = 36_000;
    let program = program()?;
    let mut scene = Scene::new(&program, 1000);
    let recording = recorded(&mut scene, Proof::Ticks, false)?;
    for tick in 0..TICKS as usize {
        let (agent, event) = (scene.agents[tick * 7 % 1000], scene.events[tick % 4]);
        scene
            .crowd
            .send(agent, event, ())
            .map_err(|error| error.to_string())?;
        scene.crowd.tick(&());
    }
    let (bytes, _) = recording
        .finish(&mut scene.crowd)
        .map_err(|error| error.to_string())?;
    let tape = Tape::read(&bytes).map_err(|error| error.to_string())?;
    let tick = |crowd: &mut Crowd<(), ()>| (crowd.tick(&()), None).1;
    let timeline = Timeline::open(&tape, program, tick);
    let mut timeline = timeline.map_err(|error| error.to_string())?;
    let mut times = Times(Vec::new());
    for step in 0..51_u64 {
        let mut found = Ok(false);
        times.take(|| found = timeline.seek(1 + step * 7919 % TICKS));
        if !found.map_err(|error| error.to_string())? {
            return Err("the tape is too short".to_owned());
        }
    }
    let milliseconds = middle(times.0) / 1e3;
    Ok(Figure::new(
        "tape: to any tick of ten minutes of 1,000 agents",
        milliseconds,
        "ms",
    )
    .at_most(100.0))
}
