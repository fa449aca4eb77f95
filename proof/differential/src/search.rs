//! Many machines on all processors.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::compare::{self, Tally};
use crate::machine::{CompiledCase, of_seed};

/// What many runs did.
#[derive(Clone, Copy, Debug, Default)]
pub struct Total {
    /// Machines.
    pub machines: u64,
    /// Ticks.
    pub ticks: u64,
    /// Calls, commands and writes compared.
    pub entries: u64,
    /// Events taken.
    pub events: u64,
    /// Transitions carried out.
    pub transitions: u64,
    /// Clamped ticks.
    pub clamps: u64,
    /// Fail-safes.
    pub fail_safes: u64,
    /// Instances that ended.
    pub terminations: u64,
    /// Most bytes of stack that a tick used.
    pub deepest_stack: usize,
}

impl Total {
    fn add(&mut self, tally: &Tally) {
        self.machines += 1;
        self.ticks += tally.ticks;
        self.entries += tally.entries;
        self.events += tally.counters.events;
        self.transitions += tally.counters.transitions;
        self.clamps += tally.counters.clamps;
        self.fail_safes += tally.counters.fail_safes;
        self.terminations += tally.counters.terminations;
        self.deepest_stack = self.deepest_stack.max(tally.deepest_stack);
    }
}

/// Runs the machines of some seeds, so many ticks each, until one differs. `progress` hears how
/// many are done.
///
/// The seed that differs is one of the first, not always the very first.
pub fn search(
    seeds: std::ops::Range<u64>,
    ticks: u64,
    progress: impl Fn(u64) + Sync,
) -> Result<Total, u64> {
    let next = AtomicU64::new(seeds.start);
    let failed = AtomicBool::new(false);
    let total = Mutex::new(Total::default());
    let first_failure = Mutex::new(None::<u64>);
    let work = || {
        while !failed.load(Ordering::Relaxed) {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                return;
            }
            match run_seed(seed, ticks) {
                Some(tally) => {
                    let mut total = total.lock().expect("no thread panics");
                    total.add(&tally);
                    progress(total.machines);
                }
                None => {
                    failed.store(true, Ordering::Relaxed);
                    let mut first = first_failure.lock().expect("no thread panics");
                    *first = Some(first.map_or(seed, |other| other.min(seed)));
                }
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    match first_failure.into_inner().expect("no thread panics") {
        Some(seed) => Err(seed),
        None => Ok(total.into_inner().expect("no thread panics")),
    }
}

/// What the machine of a seed did; `None` if kernel and oracle differ or it does not compile.
fn run_seed(seed: u64, ticks: u64) -> Option<Tally> {
    let compiled = CompiledCase::new(of_seed(seed)).ok()?;
    compare::run(&compiled, seed, ticks).ok()
}

/// Keeps the panics of a run, which are differences like others, off the screen.
pub fn silence_panics() {
    std::panic::set_hook(Box::new(|_| {}));
}
