//! A behaviour tree of another crate (bonsai-bt) inside one state: the machine decides what the
//! agent is about, the tree how it does it.

use bonsai_bt::{Action, BT, Event, Sequence, UpdateArgs, Wait, WaitForever, While};
use statewright::prelude::*;
use statewright::{Brain, think};

#[derive(Clone, Debug)]
enum Step {
    Chop,
    Carry,
}

/// The tree as a brain. It keeps its own place in the tree, and what it has done.
struct Woodwork {
    tree: BT<Step, ()>,
    done: Vec<Step>,
}

impl Woodwork {
    fn new() -> Self {
        let work = Sequence(vec![
            Action(Step::Chop),
            Wait(0.3),
            Action(Step::Carry),
            Wait(0.1),
        ]);
        Self {
            tree: BT::new(While(Box::new(WaitForever), vec![work]), ()),
            done: Vec::new(),
        }
    }
}

impl Brain<()> for Woodwork {
    fn step(&mut self, _: &(), _: &mut ActionCx) -> Status {
        let (done, time) = (&mut self.done, UpdateArgs { dt: 0.1 });
        let answer = self.tree.tick(&Event::from(time), &mut |call, _| {
            done.push(call.action.clone());
            (bonsai_bt::Success, call.dt)
        });
        match answer.map(|(status, _)| status) {
            Some(bonsai_bt::Status::Failure) | None => Status::Failed,
            Some(bonsai_bt::Status::Success) => Status::Succeeded,
            Some(bonsai_bt::Status::Running) => Status::Running,
        }
    }

    fn cancel(&mut self) {
        self.tree.reset_bt();
    }
}

struct Worker {
    brain: Woodwork,
}

impl Board for Worker {}

#[functions]
impl Worker {
    #[activity]
    fn work(&mut self, mode: Mode, cx: &mut ActionCx) -> Status {
        think(&mut self.brain, mode, &(), cx)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let machine = Machine::build("Woodcutter", |m| {
        m.tick_rate(10);
        m.event("Rain");
        m.event("Sun");
        m.initial("work");
        m.state("work", |s| {
            s.activity("Work");
            s.on("Rain").go("shelter");
        });
        m.state("shelter", |s| {
            s.on("Sun").go("work");
        });
    })?;
    let mut crowd = Crowd::new(machine.bind(Worker::functions())?, 1);
    let worker = crowd.spawn(Worker {
        brain: Woodwork::new(),
    });
    for tick in 0..30 {
        match tick {
            12 => crowd.send(worker, machine.event("Rain")?, ())?,
            20 => crowd.send(worker, machine.event("Sun")?, ())?,
            _ => {}
        }
        crowd.tick(&());
        let done = std::mem::take(&mut crowd.board_mut(worker)?.brain.done);
        if !done.is_empty() {
            println!("tick {tick:>2}: {done:?}");
        }
    }
    Ok(())
}
