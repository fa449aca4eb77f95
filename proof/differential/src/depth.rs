//! How deep the stack is when the kernel calls user code.
//!
//! Places on the stack are taken as plain numbers: before a tick, and at the beginning of every
//! call of user code. What lies between them is what the kernel uses, and a little of the host: the
//! figure is never too small.

use std::cell::Cell;

use statewright_kernel::{Counters, Input, Instance, Report, tick};
use statewright_rom::Rom;

use crate::kernel_side::KernelHost;

/// A tick must use less stack than this, traced or not.
pub const LIMIT: usize = 5_376;

/// Where the stack was before the tick, and the most that was used since.
#[derive(Clone, Debug, Default)]
pub struct Depth {
    before: Cell<usize>,
    deepest: Cell<usize>,
}

impl Depth {
    /// A tick begins.
    pub fn begin(&self) {
        self.before.set(place());
    }

    /// User code is called. Stacks grow towards 0; outside of a tick nothing is measured.
    #[inline(always)]
    pub fn note(&self) {
        let used = self.before.get().saturating_sub(place());
        self.deepest.set(self.deepest.get().max(used));
    }

    /// Most bytes used by a tick so far.
    pub fn deepest(&self) -> usize {
        self.deepest.get()
    }
}

/// A place on the stack, below all of the caller's.
#[inline(never)]
fn place() -> usize {
    let local = 0_u8;
    std::hint::black_box(&raw const local).addr()
}

/// Runs a tick and measures it. Kept apart from the caller, so that nothing of the kernel lies in a
/// frame above the first place.
#[inline(never)]
pub fn measured_tick<I: Instance>(
    rom: &Rom<'_>,
    instance: &mut I,
    host: &mut KernelHost<'_>,
    input: &Input<'_>,
    counters: &mut Counters,
) -> Report {
    host.depth.begin();
    tick_apart(rom, instance, host, input, counters)
}

#[inline(never)]
fn tick_apart<I: Instance>(
    rom: &Rom<'_>,
    instance: &mut I,
    host: &mut KernelHost<'_>,
    input: &Input<'_>,
    counters: &mut Counters,
) -> Report {
    let report = tick(rom, instance, host, input, counters);
    host.depth.before.set(0);
    report
}
