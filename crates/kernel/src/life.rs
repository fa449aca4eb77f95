//! Life of an instance outside of its ticks: posts, pause, stop, reset (SYS-9, SYS-10).

use statewright_rom::Rom;
use statewright_rom::ids::EventId;
use statewright_rom::layout::{NONE, TransitionExtra, feature, policy, transition_flag};
use zerocopy::byteorder::little_endian::{U16, U32};

use crate::context::Context;
use crate::counters::{Counters, count};
use crate::events::queue::Admission;
use crate::fault::Fault;
use crate::host::trace::Trace;
use crate::host::trace_timers::TracedTimers;
use crate::host::{Cause, Host};
use crate::instance::event::{Class, Event, event_flag};
use crate::instance::{Header, Instance, flag};
use crate::tick::{Input, Tick};
use crate::toggles::{self, Optimization};

/// What became of an event that the host posted.
pub type Posted = Result<Admission, Fault>;

/// Does an instance belong to a machine?
pub(crate) fn belongs<I: Instance>(rom: &Rom<'_>, instance: &I) -> bool {
    rom.header().tier == I::TIER && instance.header().machine.get() == rom.machine_id()
}

/// Posts an external event; the class is the type's unless given (EVT-1). An instance of another
/// machine is left alone.
pub fn post<I: Instance>(
    rom: &Rom<'_>,
    instance: &mut I,
    now: u32,
    event: EventId,
    class: Option<Class>,
    payload: [u32; 4],
    counters: &mut Counters,
) -> Posted {
    if !belongs(rom, instance) {
        return Err(Fault::WrongMachine);
    }
    let header = instance.header();
    let runs = header.flags.get() & (flag::ENDED | flag::PAUSED) == 0;
    if toggles::has(Optimization::Post)
        && runs
        && header.event_count == 0
        && let Some(record) = rom.event(event)
    {
        // An empty queue has room for any class, and nothing to coalesce with or to evict.
        let normal = rom.header().policies & policy::INTERNAL_FIRST != 0;
        let class = if normal {
            Class::Normal
        } else {
            class.unwrap_or(record.class.get())
        };
        let mut ram = instance.ram();
        let queued = ram.push_event(Event {
            stamp: U32::new(now),
            ..Event::new(event, class).with_words(payload)
        });
        ram.set_flag(flag::WORK);
        debug_assert!(queued, "impossible: every tier has a place for an event");
        return if queued {
            Ok(Admission::Admitted)
        } else {
            Err(Fault::Impossible)
        };
    }
    let mut blank = Header::default();
    let mut cx = Context::new(rom, counters, &mut blank, now);
    cx.attach(instance.ram(), 0);
    cx.check_queue()
        .inspect_err(|&fault| cx.quarantine(fault))?;
    let admission = cx.post_from_outside(event, class, payload);
    cx.check_fault()
        .inspect_err(|&fault| cx.quarantine(fault))?;
    Ok(admission)
}

impl Context<'_> {
    fn post_from_outside(
        &mut self,
        id: EventId,
        class: Option<Class>,
        payload: [u32; 4],
    ) -> Admission {
        let declared = self
            .rom
            .event(id)
            .map_or(Class::Normal, |record| record.class.get());
        let mut event = Event::new(id, class.unwrap_or(declared)).with_words(payload);
        // The stamps of a paused instance are ages (SYS-9).
        event.stamp.set(if self.ram.has(flag::PAUSED) {
            0
        } else {
            self.now
        });
        self.admit(event)
    }
}

/// Stops time for an instance: every running time `x` becomes `now - x` (SYS-9). One that does not
/// run is left alone.
pub fn pause<I: Instance>(rom: &Rom<'_>, instance: &mut I, now: u32) {
    let ended = instance.header().flags.get() & (flag::ENDED | flag::PAUSED) != 0;
    if belongs(rom, instance) && !ended {
        turn_times(rom, instance, now, 0);
        instance.ram().set_flag(flag::PAUSED);
    }
}

/// Lets time go on: all times are shifted by the pause.
pub fn resume<I: Instance>(rom: &Rom<'_>, instance: &mut I, now: u32) {
    if belongs(rom, instance) && instance.header().has(flag::PAUSED) {
        // A ready tick of 0 would be none.
        turn_times(rom, instance, now, 1);
        instance.ram().clear_flag(flag::PAUSED);
    }
}

/// Replaces every running deadline, clock, cooldown and stamp `x` by `now - x`. What lies in frames
/// stands still already.
fn turn_times<I: Instance>(rom: &Rom<'_>, instance: &mut I, now: u32, least_ready: u32) {
    let mut counters = Counters::default();
    let mut blank = Header::default();
    let mut cx = Context::new(rom, &mut counters, &mut blank, now);
    cx.attach(instance.ram(), 0);
    let running = cx.ram.header().armed | cx.running_clocks();
    cx.ram.turn_times(running, now);
    cx.turn_cooldowns(least_ready);
    for event in cx.ram.queue_mut() {
        event.stamp.set(now.wrapping_sub(event.stamp.get()));
    }
}

impl Context<'_> {
    /// The clocks of active states, one bit per timer slot.
    fn running_clocks(&self) -> u8 {
        let leaves = self.leaves();
        let states = leaves.iter().flat_map(|(_, leaf)| self.rom.path_up(leaf));
        states
            .filter_map(|state| self.clock_of(state))
            .fold(0, |clocks, clock| clocks | clock.bit())
    }

    fn turn_cooldowns(&mut self, least_ready: u32) {
        if !self.rom.has(feature::COOLDOWN) {
            return;
        }
        let rom = self.rom;
        // A list of events has one cooldown, which must not be turned back by its next one (LANG-1).
        let is_first = |extra: &&TransitionExtra| {
            let transition = rom.transitions().get(usize::from(extra.transition.get()));
            transition.is_none_or(|record| record.flags.get() & transition_flag::LISTED == 0)
        };
        let slots = rom.transition_extras().iter().filter(is_first);
        for slot in slots.filter_map(TransitionExtra::cooldown) {
            let ready = self.wide_slot(slot);
            if ready != 0 {
                let turned = self.now.wrapping_sub(ready).max(least_ready);
                self.set_wide_slot(slot, turned);
            }
        }
    }
}

/// Runs all exits and ends an instance (SYS-10). One that has not started runs nothing; one that
/// has ended is left alone.
pub fn stop<I: Instance, H: Host>(
    rom: &Rom<'_>,
    instance: &mut I,
    host: &mut H,
    input: &Input<'_>,
    counters: &mut Counters,
) -> Result<(), Fault> {
    if !belongs(rom, instance) {
        return Err(Fault::WrongMachine);
    }
    if instance.header().flags.get() & flag::ENDED != 0 {
        return Ok(());
    }
    resume(rom, instance, input.tick);
    let variants = core::slice::from_ref(&input.variant);
    let mut blank = Header::default();
    let mut cx = Context::new(rom, counters, &mut blank, input.tick);
    cx.set_agents(input.agent, variants);
    cx.attach(instance.ram(), 0);
    cx.begin();
    let mut traced_timers = TracedTimers::new(&cx);
    let tracing = if host.is_tracing() {
        Some(&mut traced_timers)
    } else {
        None
    };
    let result = Tick::new(&mut cx, host, tracing).stop();
    match result {
        Ok(()) => cx.finish(),
        Err(fault) => {
            cx.quarantine(fault);
            if host.is_tracing() {
                host.trace(&Trace::Faulted(fault));
            }
        }
    }
    result
}

impl Tick<'_, '_> {
    fn stop(&mut self) -> Result<(), Fault> {
        if self.cx.ram.has(flag::STARTED) {
            self.cx.check_instance()?;
            self.terminate(Cause::None)?;
            return self.cx.check_fault();
        }
        self.cx.ram.clear_queue();
        self.cx.ram.clear_flag(flag::INCOMPLETE);
        self.cx.ram.set_flag(flag::TERMINATED);
        count(&mut self.cx.counters.terminations);
        if self.tracing {
            self.host.trace(&Trace::Terminated);
        }
        Ok(())
    }
}

/// What an agent must find out anew because its machine was changed (LOAD-2): deferred events are
/// offered again, and whether it has work and polls follows from its configuration.
pub fn renew<I: Instance>(rom: &Rom<'_>, instance: &mut I) {
    let flags = instance.header().flags.get();
    if !belongs(rom, instance) || flags & flag::ENDED != 0 {
        return;
    }
    let mut counters = Counters::default();
    let mut blank = Header::default();
    let mut cx = Context::new(rom, &mut counters, &mut blank, 0);
    cx.attach(instance.ram(), 0);
    cx.clear_marks();
    cx.show_posted();
    let chain = if cx.is_whole_by_flags() {
        cx.chain()
    } else {
        None
    };
    cx.update_polls(chain.as_ref());
}

/// Takes events out of the queue; the others stay in their order. Runs nothing.
pub fn forget_events<I: Instance>(instance: &mut I, is_forgotten: impl Fn(&Event) -> bool) {
    let parts = instance.raw_parts();
    let count = usize::from(parts.header.event_count).min(parts.events.len());
    let (mut kept, mut work) = (0, false);
    for at in 0..count {
        let Some(event) = parts.events.get(at).copied() else {
            break;
        };
        if !is_forgotten(&event)
            && let Some(cell) = parts.events.get_mut(kept)
        {
            *cell = event;
            work |= !event.has(event_flag::DEFERRED);
            kept = kept.saturating_add(1);
        }
    }
    if kept < count {
        let rest = parts.events.iter_mut().take(count).skip(kept);
        rest.for_each(|cell| *cell = Event::default());
        parts.header.event_count = kept as u8;
        let flags = parts.header.flags.get();
        let without = if work { flags } else { flags & !flag::WORK };
        parts.header.flags.set(without);
    }
}

/// Makes an instance as new, with its rng kept and its generation raised (SYS-10). Runs nothing.
pub fn reset<I: Instance>(rom: &Rom<'_>, instance: &mut I) {
    let mut ram = instance.ram();
    let generation = ram.header().generation.get().wrapping_add(1);
    *ram.header_mut() = Header {
        machine: U32::new(rom.machine_id()),
        rng: ram.header().rng,
        generation: U16::new(generation),
        ..Header::default()
    };
    ram.leaves_mut().fill(U16::new(NONE));
    ram.timers_mut().fill(U32::new(0));
    ram.slots_mut().fill(U16::new(0));
    ram.events_mut().fill(Event::default());
}
