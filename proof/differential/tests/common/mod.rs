//! A host that keeps nothing but numbers: no allocation, answers from chance.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::cell::Cell;

use statewright_kernel::{
    ActionCx, Class, Command, Counters, GuardCx, Host, Input, Instance, Mode, Status, Trace,
    Verdict, tick,
};
use statewright_rom::Rom;
use statewright_rom::ids::*;

/// Most blackboard keys of a machine here.
const KEYS: usize = 64;

/// User code that says and does things by chance.
#[derive(Clone)]
pub struct Dice {
    state: Cell<u64>,
    /// Calls of user code and commands so far.
    pub calls: Cell<u64>,
    /// Panics at this call.
    pub panics_at: Option<u64>,
    /// Whether ticks are traced.
    pub tracing: bool,
    /// Traces heard so far.
    pub traced: u64,
    /// Timers that fired in traced ticks.
    pub fired: u64,
    keys: [[u32; 3]; KEYS],
}

impl Dice {
    /// A host of a seed.
    pub fn new(seed: u64) -> Self {
        Self {
            state: Cell::new(seed | 1),
            calls: Cell::new(0),
            panics_at: None,
            tracing: false,
            traced: 0,
            fired: 0,
            keys: [[0; 3]; KEYS],
        }
    }

    /// The next number below a bound.
    pub fn below(&self, bound: u64) -> u64 {
        let mut x = self.state.get();
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        self.state.set(x);
        if bound == 0 { 0 } else { x % bound }
    }

    fn count(&self) {
        let calls = self.calls.get() + 1;
        self.calls.set(calls);
        if self.panics_at == Some(calls) {
            panic!("call {calls} panics");
        }
    }

    fn act(&self, actor: &mut ActionCx<'_, '_>) {
        let rom = actor.rom();
        match self.below(12) {
            0 | 1 if !rom.events().is_empty() => {
                let event = EventId::from_index(self.below(rom.events().len() as u64) as usize);
                let class = Class::ALL[self.below(4) as usize];
                if let Some(event) = event {
                    actor.post(event, Some(class), [self.below(9) as u32, 0, 0, 0]);
                }
            }
            2 if !rom.timers().is_empty() => {
                let timer = TimerId::from_index(self.below(rom.timers().len() as u64) as usize);
                if let Some(timer) = timer {
                    actor.start_timer(timer, self.below(9) as u32);
                }
            }
            3 => {
                actor.rng().next_u32();
            }
            4 if !rom.scratch().is_empty() => {
                let scratch =
                    ScratchId::from_index(self.below(rom.scratch().len() as u64) as usize);
                if let Some(scratch) = scratch {
                    actor.set_scratch(scratch, 0, self.below(99) as u16);
                }
            }
            _ => {}
        }
    }
}

impl Host for Dice {
    fn guard(&self, _: FunctionId, mut view: GuardCx<'_, '_>) -> Verdict {
        self.count();
        if let Some(mut rng) = view.rng() {
            rng.next_u32();
        }
        Verdict::from(self.below(100) < 60)
    }

    fn score(&self, _: FunctionId, _: GuardCx<'_, '_>) -> f32 {
        self.count();
        self.below(5) as f32
    }

    fn value(&self, _: FunctionId, _: GuardCx<'_, '_>) -> [u32; 3] {
        self.count();
        [self.below(5) as u32, 0, 0]
    }

    fn action(&mut self, _: FunctionId, mut actor: ActionCx<'_, '_>) {
        self.count();
        self.act(&mut actor);
    }

    fn activity(&mut self, _: FunctionId, _: Mode, mut actor: ActionCx<'_, '_>) -> Status {
        self.count();
        self.act(&mut actor);
        [
            Status::Running,
            Status::Running,
            Status::Succeeded,
            Status::Failed,
        ][self.below(4) as usize]
    }

    fn command(&mut self, _: &Command) -> bool {
        self.count();
        self.below(20) != 0
    }

    fn read_key(&self, key: KeyId) -> [u32; 3] {
        self.keys.get(key.index()).copied().unwrap_or_default()
    }

    fn write_key(&mut self, key: KeyId, words: [u32; 3]) {
        if let Some(place) = self.keys.get_mut(key.index()) {
            *place = words;
        }
    }

    fn is_tracing(&self) -> bool {
        self.tracing
    }

    fn trace(&mut self, trace: &Trace) {
        self.traced += 1;
        self.fired += u64::from(matches!(trace, Trace::Fired(_)));
    }
}

/// An event and a class of chance; none if the machine has no events.
pub fn random_event(rom: &Rom<'_>, host: &Dice) -> Option<(EventId, Class)> {
    let events = rom.events().len() as u64;
    let id = EventId::from_index(host.below(events) as usize).filter(|_| events > 0)?;
    Some((id, Class::ALL[host.below(4) as usize]))
}

/// One tick with up to three events of chance.
pub fn random_tick<I: Instance>(
    rom: &Rom<'_>,
    instance: &mut I,
    host: &mut Dice,
    now: u32,
    counters: &mut Counters,
) -> statewright_kernel::Report {
    let mut inbox = [statewright_kernel::Event::default(); 3];
    let mut count = 0;
    let events = rom.events().len() as u64;
    while count < 3 && events > 0 && host.below(2) == 0 {
        if let Some(id) = EventId::from_index(host.below(events) as usize) {
            let class = Class::ALL[host.below(4) as usize];
            inbox[count] = statewright_kernel::Event::new(id, class).with_i32(host.below(7) as i32);
            count += 1;
        }
    }
    let input = Input {
        inbox: (&inbox[..count]).into(),
        ..Input::new(3, now)
    };
    let report = tick(rom, instance, host, &input, counters);
    assert!(report.inbox_taken <= count);
    report
}
