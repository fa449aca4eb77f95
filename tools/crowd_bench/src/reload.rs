//! Another version of the machine for everybody (LOAD-2): there and back.

use std::time::Instant;

use statewright::prelude::*;
use statewright::{Extent, Reload};

use crate::Figure;

const ROUNDS: usize = 9;

/// Two versions of a walker of the crowd tier, with timers that run and one state more in the second.
pub struct Versions {
    machines: [Machine; 2],
    crowd: Crowd<(), ()>,
    /// Which one runs.
    runs: usize,
}

impl Versions {
    /// Everybody walks, half of them after an event.
    pub fn new(agents: u32) -> Result<Self, String> {
        let machine = |more: bool| {
            let machine = Machine::build("Walker", |m| {
                m.event("Go");
                m.initial("idle");
                if more {
                    m.state("asleep", |_| {});
                }
                m.state("idle", |s| {
                    s.on("Go").go("busy");
                    s.after("3600s").go("busy");
                });
                m.state("busy", |s| {
                    s.after("1800s").go("idle");
                });
            });
            machine.map_err(|error| error.to_string())
        };
        let machines = [machine(false)?, machine(true)?];
        let program = machines[0].bind(Functions::new());
        let mut crowd = Crowd::new(program.map_err(|error| error.to_string())?, 1);
        crowd.reserve(agents as usize);
        let ids: Vec<AgentId> = (0..agents).map(|_| crowd.spawn(())).collect();
        crowd.tick(&());
        let go = machines[0].event("Go").map_err(|error| error.to_string())?;
        for &agent in ids.iter().step_by(2) {
            let sent = crowd.send(agent, go, ());
            sent.map_err(|error| error.to_string())?;
        }
        crowd.tick(&());
        let runs = 0;
        Ok(Self {
            machines,
            crowd,
            runs,
        })
    }

    /// A reload to the other one; how many agents were kept.
    pub fn reload(&mut self) -> Result<usize, String> {
        let (old, new) = (&self.machines[self.runs], &self.machines[1 - self.runs]);
        let plan = Reload::plan(old, new);
        if plan.extent() != Extent::Structure || new.rom().capacity().bytes != 64 {
            return Err("not what is to be measured".to_owned());
        }
        let program = new.bind(Functions::new());
        let program = program.map_err(|error| error.to_string())?;
        let report = self.crowd.reload(program, plan);
        self.runs = 1 - self.runs;
        Ok(report.map_err(|error| error.to_string())?.kept)
    }
}

pub fn measure(agents: u32) -> Result<Vec<Figure>, String> {
    let mut versions = Versions::new(agents)?;
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let kept = versions.reload()?;
        times.push(start.elapsed().as_secs_f64() * 1e9 / f64::from(agents));
        if kept != agents as usize {
            return Err(format!("{kept} of {agents} agents were kept"));
        }
    }
    let time = crate::scene::middle(times);
    let name = "reload: an agent of the crowd tier, one thread";
    Ok(vec![Figure::new(name, time, "ns").at_most(150.0)])
}
