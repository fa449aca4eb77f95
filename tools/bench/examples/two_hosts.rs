//! Two hosts that have nothing in common, each run alone and in a batch: `cargo xtask bench
//! --symbols` looks at what was compiled.

use std::hint::black_box;

use statewright_compile::{Options, compile_text};
use statewright_kernel::*;
use statewright_rom::Rom;
use statewright_rom::ids::{FunctionId, KeyId};

const MACHINE: &str = r#"{ "machine": "Door", "tier": "crowd", "initial": "shut", "events": ["Push"], "states": {
    "shut": { "transitions": [{ "on": "Push", "to": "open" }] }, "open": { "entry": "Creak" } } }"#;

/// Counts calls.
#[derive(Default)]
struct First {
    calls: u64,
}

/// Keeps a blackboard.
#[derive(Default)]
struct Second {
    keys: [[u32; 3]; 4],
    heard: Vec<FunctionId>,
}

impl Host for First {
    fn guard(&self, _: FunctionId, _: GuardCx<'_, '_>) -> Verdict {
        Verdict::from(self.calls.is_multiple_of(2))
    }

    fn score(&self, _: FunctionId, _: GuardCx<'_, '_>) -> f32 {
        self.calls as f32
    }

    fn value(&self, _: FunctionId, _: GuardCx<'_, '_>) -> [u32; 3] {
        [0; 3]
    }
    fn action(&mut self, _: FunctionId, _: ActionCx<'_, '_>) {
        self.calls += 1;
    }

    fn activity(&mut self, _: FunctionId, _: Mode, _: ActionCx<'_, '_>) -> Status {
        self.calls += 1;
        Status::Running
    }

    fn command(&mut self, _: &Command) -> bool {
        false
    }

    fn read_key(&self, _: KeyId) -> [u32; 3] {
        [0; 3]
    }

    fn write_key(&mut self, _: KeyId, _: [u32; 3]) {}
}

impl Host for Second {
    fn guard(&self, function: FunctionId, _: GuardCx<'_, '_>) -> Verdict {
        Verdict::from(self.heard.contains(&function))
    }

    fn score(&self, _: FunctionId, _: GuardCx<'_, '_>) -> f32 {
        self.heard.len() as f32
    }

    fn value(&self, _: FunctionId, _: GuardCx<'_, '_>) -> [u32; 3] {
        [0; 3]
    }
    fn action(&mut self, function: FunctionId, _: ActionCx<'_, '_>) {
        self.heard.push(function);
    }

    fn activity(&mut self, function: FunctionId, mode: Mode, _: ActionCx<'_, '_>) -> Status {
        self.heard.push(function);
        if mode == Mode::Run {
            Status::Succeeded
        } else {
            Status::Failed
        }
    }

    fn command(&mut self, _: &Command) -> bool {
        true
    }

    fn read_key(&self, key: KeyId) -> [u32; 3] {
        self.keys.get(key.index()).copied().unwrap_or_default()
    }

    fn write_key(&mut self, key: KeyId, words: [u32; 3]) {
        if let Some(place) = self.keys.get_mut(key.index()) {
            *place = words;
        }
    }
}

fn main() {
    let (output, _) = compile_text("door.sw.json", MACHINE, &Options::default());
    let output = output.expect("the machine compiles");
    let rom = output.rom.as_rom();
    let (mut first, mut second) = (First::default(), Second::default());
    let mut agents = [Instance64::new(&rom, 1, 7).expect("it is a crowd machine"); 2];
    for now in 0..3 {
        alone(&rom, &mut agents, &mut first, now);
        together(&rom, &mut agents, &mut first, now);
        alone(&rom, &mut agents, &mut second, now);
        together(&rom, &mut agents, &mut second, now);
    }
    black_box((first.calls, second.heard));
}

#[inline(never)]
fn alone<H: Host>(rom: &Rom<'_>, agents: &mut [Instance64], host: &mut H, now: u32) {
    for agent in agents {
        tick(
            rom,
            agent,
            host,
            &Input::new(7, now),
            &mut Counters::default(),
        );
    }
}

#[inline(never)]
fn together<H: Host>(rom: &Rom<'_>, agents: &mut [Instance64], host: &mut H, now: u32) {
    let batch = Batch {
        first_place: 0,
        first_agent: 7,
        tick: now,
        variants: &[],
        inbox: SortedInbox::new(&[]).expect("nothing is sorted"),
        visit: Visit::All,
        mismatch: Mismatch::Quarantine,
    };
    let done = tick_batch(
        rom,
        agents,
        host,
        &batch,
        &mut Counters::default(),
        |_, _, _| {},
    );
    done.expect("the batch is in order");
}
