//! A million agents of which one in a hundred gets an event, and a million who sleep.

use std::hint::black_box;
use std::time::Instant;

use statewright::prelude::*;
use statewright::{Event, InboxEvent, Instance, Instance64, Slices, SlicesOutput, ids};

use crate::{Bound, Figure};

const ROUNDS: usize = 101;

/// Idle and busy, to and fro, with a call on the way.
pub fn machine() -> Machine {
    Machine::build("Walker", |m| {
        m.event("Go");
        m.initial("idle");
        m.state("idle", |s| {
            s.on("Go").go("busy").run("Step");
        });
        m.state("busy", |s| {
            s.on("Go").go("idle").run("Step");
        });
    })
    .expect("the machine is right")
}

/// Its functions.
pub fn functions() -> Functions<(), ()> {
    Functions::new().action("Step", |_, _, cx| {
        black_box(cx.agent());
    })
}

/// A crowd that has started.
pub fn crowd(agents: u32) -> Crowd<(), ()> {
    let mut crowd = Crowd::new(machine().bind(functions()).expect("functions fit"), 1);
    crowd.reserve(agents as usize);
    for _ in 0..agents {
        crowd.spawn(());
    }
    crowd.tick(&());
    crowd
}

/// One agent in a hundred, others each round.
pub fn chosen(agents: u32, round: usize) -> impl Iterator<Item = u32> {
    let mut state = round as u64 + 1;
    (0..agents / 100).map(move |hundred| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        hundred * 100 + (state >> 33) as u32 % 100
    })
}

/// The middle one of all rounds.
pub fn middle(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Times of a piece of work, in microseconds.
#[derive(Default)]
pub struct Times(pub Vec<f64>);

impl Times {
    /// Of one round.
    pub fn take(&mut self, work: impl FnOnce()) {
        let start = Instant::now();
        work();
        self.0.push(start.elapsed().as_secs_f64() * 1e6);
    }
}

pub fn measure(agents: u32) -> Result<Vec<Figure>, String> {
    let mut lines = vec![[0_u64; 8]; agents as usize];
    let mut sent = crowd(agents);
    let go = sent
        .machine()
        .event("Go")
        .map_err(|error| error.to_string())?;
    let handles: Vec<AgentId> = sent.agents().collect();
    let mut dense = Dense::new(agents, go.id())?;
    let [mut touch, mut slices, mut send, mut sleep, mut sweep] = [const { Times(Vec::new()) }; 5];
    for round in 0..ROUNDS {
        let places: Vec<u32> = chosen(agents, round).collect();
        let receivers: Vec<AgentId> = places
            .iter()
            .map(|&place| handles[place as usize])
            .collect();
        touch.take(|| {
            places
                .iter()
                .for_each(|&place| lines[place as usize][0] += 1)
        });
        slices.take(|| dense.tick(&places));
        send.take(|| {
            for &receiver in &receivers {
                sent.send(receiver, go, ()).expect("the agent exists");
            }
            sent.tick(&());
        });
        sleep.take(|| {
            sent.tick(&());
        });
        sweep.take(|| {
            black_box(lines.iter().filter(|line| line[0] == u64::MAX).count());
        });
    }
    let expected = u64::from(agents / 100) * ROUNDS as u64;
    let touched: u64 = lines.iter().map(|line| line[0]).sum();
    let counts = [touched, dense.transitions, sent.counters().transitions];
    if counts != [expected; 3] {
        return Err(format!(
            "not the same work: {counts:?} instead of {expected}"
        ));
    }
    if sent.awake() != 0 {
        return Err("somebody does not sleep".to_owned());
    }
    let [touch, slices, send, sleep, sweep] =
        [touch, slices, send, sleep, sweep].map(|times| middle(times.0));
    let figure = |name, value, unit, target| Figure {
        name,
        value,
        unit,
        target,
    };
    Ok(vec![
        figure(
            "W5: touching the lines of one agent in a hundred",
            touch,
            "us",
            None,
        ),
        figure("W5: an event for each of these, inbox", slices, "us", None),
        figure("W5: the same, sent to a crowd", send, "us", None),
        figure(
            "W5: inbox over touching",
            slices / touch,
            "x",
            Some((Bound::AtMost, 4.0)),
        ),
        figure(
            "W5: sent over touching",
            send / touch,
            "x",
            Some((Bound::AtMost, 6.0)),
        ),
        figure("sleep: a tick in which all sleep", sleep, "us", None),
        figure("sleep: a sweep over their lines", sweep, "us", None),
        figure(
            "sleep: tick over sweep",
            sleep / sweep,
            "x",
            Some((Bound::AtMost, 0.01)),
        ),
    ])
}

/// Agents in slices of the host's own.
struct Dense {
    program: Program<(), ()>,
    instances: Vec<Instance64>,
    boards: Vec<()>,
    inbox: Vec<InboxEvent>,
    output: SlicesOutput,
    event: Event,
    tick: u64,
    transitions: u64,
}

impl Dense {
    fn new(agents: u32, go: ids::EventId) -> Result<Self, String> {
        let program = machine()
            .bind(functions())
            .map_err(|error| error.to_string())?;
        let rom = program.machine().rom();
        let instances = (0..agents)
            .filter_map(|agent| Instance64::new(&rom, 1, agent.into()))
            .collect();
        let event = Event::new(go, Class::Normal);
        let (boards, inbox, output) = (
            vec![(); agents as usize],
            Vec::new(),
            SlicesOutput::default(),
        );
        let mut dense = Self {
            program,
            instances,
            boards,
            inbox,
            output,
            event,
            tick: 0,
            transitions: 0,
        };
        dense.run(None);
        Ok(dense)
    }

    fn tick(&mut self, places: &[u32]) {
        self.inbox.clear();
        self.inbox.extend(places.iter().map(|&place| InboxEvent {
            place,
            event: self.event,
        }));
        self.run(Some(&[]));
    }

    fn run(&mut self, awake: Option<&[u32]>) {
        let Self {
            program,
            instances,
            boards,
            inbox,
            output,
            tick,
            ..
        } = self;
        let slices = Slices {
            tick: *tick,
            inbox: inbox.as_slice(),
            awake,
            ..Slices::default()
        };
        program
            .tick_slices(instances, boards, &(), slices, output)
            .expect("the slices are in order");
        self.tick += 1;
        self.transitions += output.counters().transitions;
    }
}
