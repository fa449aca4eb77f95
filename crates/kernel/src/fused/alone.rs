//! One agent that is ticked by itself, with one event, on nothing but its bytes: without anything that a batch makes
//! ready for many.

use statewright_rom::Rom;
use statewright_rom::ids::VariantId;

use super::Taking;
use super::bare::{AnyBare, Needs, Shared};
use crate::context::Context;
use crate::counters::{Counters, count};
use crate::fast::IdleMask;
use crate::instance::event::Event;
use crate::instance::{Header, Instance};

/// What is known before the tick of one agent: the tick, its variant and its only event.
#[derive(Clone, Copy, Debug)]
pub struct OneEvent<'a> {
    /// The tick.
    pub tick: u32,
    /// The variant of the agent's parameters.
    pub variant: &'a VariantId,
    /// The event.
    pub event: &'a Event,
}

/// Lets an agent that is at rest but for one event take it. `false` if nothing is done: more is needed than its
/// bytes. `code` is the machine as code ([`Host::bare`](crate::Host)), for its own tier.
#[inline(always)]
pub fn take_alone<'a, I: Instance>(
    rom: &'a Rom<'a>,
    instance: &'a mut I,
    one: OneEvent<'a>,
    counters: &'a mut Counters,
    code: impl FnOnce(AnyBare<'_, 'a>) -> Taking,
) -> bool {
    if !IdleMask::is_idle_by_code(rom, instance, one.tick) {
        return false;
    }
    let mut shared = Shared::new(rom, one.tick, core::slice::from_ref(one.variant));
    let lone = Lone {
        rom,
        instance,
        counters,
        tick: one.tick,
    };
    let bare = AnyBare::new(
        lone.instance.ram(),
        &mut shared,
        (0, Some(one.event)),
        Needs::ALL,
    );
    let taking = code(bare);
    if taking == Taking::Tables {
        core::mem::forget(lone);
        return false;
    }
    let counters = &mut *lone.counters;
    count(&mut counters.events);
    match taking {
        Taking::Rests | Taking::Taken | Taking::Carried => {
            count(&mut counters.microsteps);
            count(&mut counters.transitions);
        }
        Taking::Both => {
            count(&mut counters.microsteps);
            counters.transitions = counters.transitions.wrapping_add(2);
        }
        Taking::Ignored | Taking::Nobody => count(&mut counters.unhandled),
        // Whoever means to stay has taken it, and nothing else.
        Taking::Handled | Taking::Tables | Taking::Done => {}
    }
    core::mem::forget(lone);
    true
}

/// The turn of the agent: if user code unwinds, it ends (TICK-3).
struct Lone<'t, I: Instance> {
    rom: &'t Rom<'t>,
    instance: &'t mut I,
    counters: &'t mut Counters,
    tick: u32,
}

impl<I: Instance> Drop for Lone<'_, I> {
    #[cold]
    fn drop(&mut self) {
        let mut blank = Header::default();
        let mut cx = Context::new(self.rom, self.counters, &mut blank, self.tick);
        cx.attach(self.instance.ram(), 0);
        // It ends with this.
        cx.running = true;
    }
}
