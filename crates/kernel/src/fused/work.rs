//! What fused code works on: an agent that is attached to everything else ([`Fuse`]), or nothing but its bytes
//! ([`Bare`](super::Bare)).
//!
//! The code is written once and compiled for both. Where only bytes are changed and functions are called that
//! look at nothing but the blackboard, there is no need of the rest: no place in memory says whose turn it is,
//! which call is going on and why, and the bytes are known by their type. Whoever needs more leaves before
//! anything is done ([`Leaving`]), and is asked once more with everything attached.

use statewright_rom::ids::{TimerId, TransitionId};
use statewright_rom::layout::NONE;
use zerocopy::byteorder::little_endian::U16;

use super::{Asked, CallSite, Fuse, Host, Linkage, Mode, Quiet, Status, Step, Taking};
use crate::code::activity::bits_at;
use crate::context::TakenFor;
use crate::events::time::is_due;
use crate::host::Verdict;
use crate::instance::leaves::Rank;
use crate::instance::rng::Rng;
use crate::instance::{Instance, RawParts, flag};
use crate::poll::{Halt, has_only_deferred};

/// What code comes to that needs more than it has: nothing is done.
pub trait Leaving {
    /// Nothing is done.
    fn leave() -> Self;
}

impl Leaving for Quiet {
    #[inline(always)]
    fn leave() -> Self {
        Self::Slow
    }
}

impl Leaving for Taking {
    #[inline(always)]
    fn leave() -> Self {
        Self::Tables
    }
}

impl Leaving for Step {
    #[inline(always)]
    fn leave() -> Self {
        Self::Tables
    }
}

/// Code that cannot leave is not entered by those who would have to.
impl Leaving for () {
    #[inline(always)]
    fn leave() -> Self {}
}

/// One bit of a byte; none past the eighth.
#[inline(always)]
fn bit(number: u8) -> u8 {
    1_u8.checked_shl(number.into()).unwrap_or(0)
}

/// What fused code works on.
pub trait Work<I: Instance>: Sized {
    /// Is it nothing but bytes?
    const BARE: bool;

    /// The same once more, for a function that is called.
    type Again<'x>: Work<I>
    where
        Self: 'x;

    /// The same once more, for a function that is called.
    fn again(&mut self) -> Self::Again<'_>;

    /// The bytes.
    fn bytes(&self) -> Option<&I>;

    /// Works on the bytes. Code that works on another tier has come to no configuration before: nothing is
    /// written then, and no alarm is needed at every place that writes.
    fn with_parts(&mut self, work: impl FnOnce(RawParts<'_>));

    /// What needs everything else; something else where that is not there.
    fn apart<R>(&mut self, otherwise: R, work: impl FnOnce(Fuse<'_, '_>) -> R) -> R;

    /// The tick.
    fn now(&self) -> u32;

    /// Is every event of a queue that is not empty deferred?
    fn has_only_deferred(&self) -> bool;

    /// A word of the parameters in the agent's variant, of so many words each.
    fn parameter(&self, word: usize, words: usize) -> u32;

    /// Words of the event that is taken; 0 without one.
    fn payload(&self) -> [u32; 3];

    /// User code may run from now on.
    fn begin(&mut self);

    /// Did something go wrong so far? Otherwise nobody may be taken.
    fn failure(&self) -> Quiet;

    /// Everything is done.
    fn finish(&mut self) -> Quiet;

    /// Asking ends here.
    fn stop_asking(&mut self, halt: Halt);

    /// A transition is carried out from now on.
    fn taking(&mut self, transition: u16);

    /// It is done. Deferred events may be taken again.
    fn taken(&mut self, moved: bool);

    /// A timer is why.
    fn because_of_timer(&mut self, timer: u16);

    /// A state on a line counts as entered in this tick (TICK-5).
    fn mark_fresh(&mut self, line: u8, depth: u8);

    /// Asks a guard.
    fn ask_guard<L: Linkage<H>, H: Host, const N: u16>(
        &mut self,
        host: &H,
        call: &'static CallSite,
    ) -> Verdict;

    /// Asks a scorer.
    fn ask_score<L: Linkage<H>, H: Host, const N: u16>(
        &mut self,
        host: &H,
        call: &'static CallSite,
    ) -> f32;

    /// Asks a value function.
    fn ask_value<L: Linkage<H>, H: Host, const N: u16>(
        &mut self,
        host: &H,
        call: &'static CallSite,
    ) -> [u32; 3];

    /// Runs an action.
    fn run_action<L: Linkage<H>, H: Host, const N: u16>(
        &mut self,
        host: &mut H,
        call: &'static CallSite,
    );

    /// Runs or cancels an activity.
    fn run_activity<L: Linkage<H>, H: Host, const N: u16>(
        &mut self,
        host: &mut H,
        mode: Mode,
        call: &'static CallSite,
    ) -> Status;

    /// A leaf as it lies in the bytes.
    #[inline(always)]
    fn leaf<const N: usize>(&self) -> u16 {
        let leaves = self.bytes().map(Instance::raw_leaves);
        let leaf = leaves.and_then(|leaves| leaves.get(N));
        leaf.map_or(NONE, |leaf| leaf.get())
    }

    /// Is nothing to be done but to poll, as far as the queue can tell?
    #[inline(always)]
    fn is_quiet(&self) -> bool {
        let empty = |instance: &I| instance.header().event_count == 0;
        self.bytes().is_some_and(empty) || self.has_only_deferred()
    }

    /// Are there no other leaves than those of a mask?
    #[inline(always)]
    fn is_whole(&self, used: u8) -> bool {
        self.bytes()
            .is_some_and(|instance| instance.has_no_leaf_but(used))
    }

    /// Is the leaf of a number one of the states from one on, up to another?
    #[inline(always)]
    fn is_in<const N: usize>(&self, first: u16, end: u16) -> bool {
        (first..end).contains(&self.leaf::<N>())
    }

    /// What a slot holds.
    #[inline(always)]
    fn slot(&self, slot: u8) -> u16 {
        let slots = self.bytes().map_or(&[][..], Instance::raw_slots);
        slots.get(usize::from(slot)).map_or(0, |slot| slot.get())
    }

    /// The result of an activity: 0 while it runs, 1 for success, else failure.
    #[inline(always)]
    fn result(&self, slot: u8, bit: u8) -> u16 {
        let slots = self.bytes().map_or(&[][..], Instance::raw_slots);
        bits_at(slots, (slot, bit))
    }

    /// Keeps what an activity says, in bits of a slot.
    #[inline(always)]
    fn keep(&mut self, slot: u8, bit: u8, status: Status) {
        let result: u16 = match status {
            Status::Running => return,
            Status::Succeeded => 1,
            Status::Failed => 2,
        };
        let shifted = |bits: u16| bits.checked_shl(bit.into()).unwrap_or(0);
        self.with_parts(|parts| {
            if let Some(cell) = parts.slots.get_mut(usize::from(slot)) {
                cell.set(cell.get() & !shifted(3) | shifted(result));
            }
        });
    }

    /// A candidate may be taken (`enabled`), or there is more to ask it than fused code knows.
    #[inline]
    fn halt(&mut self, at: Asked, transition: u16, enabled: bool) -> Quiet {
        self.stop_asking(Halt {
            rank: Rank::of_bit(at.rank.into()),
            interrupts: at.interrupts,
            transition,
            enabled,
            before: NONE,
            before_rank: Rank::FIRST,
        });
        Quiet::Halted
    }

    /// Ticks since a state was entered whose clock is in a timer slot; 0 while it is not active.
    #[inline]
    fn ticks_since(&self, slot: u8, is_active: bool) -> i32 {
        let timers = self.bytes().map_or(&[][..], Instance::raw_timers);
        match timers.get(usize::from(slot)) {
            Some(time) if is_active => {
                let ticks = self.now().wrapping_sub(time.get());
                ticks.min(i32::MAX as u32) as i32
            }
            _ => 0,
        }
    }

    /// One draw of the agent's random numbers.
    #[inline]
    fn draw<R>(&mut self, zero: R, draw: impl FnOnce(Rng<'_>) -> R) -> R {
        let mut drawn = zero;
        self.with_parts(|parts| drawn = draw(Rng::new(&mut parts.header.rng)));
        drawn
    }

    /// Are there fewer frames than so many, on all stacks together?
    #[inline]
    fn has_room_for_frames(&self, depth: u8) -> bool {
        self.bytes()
            .is_some_and(|instance| instance.header().stack_depth < depth)
    }

    /// Is a frame on any stack?
    #[inline]
    fn has_frames(&self) -> bool {
        self.bytes()
            .is_some_and(|instance| instance.header().stack_depth != 0)
    }

    /// Is a cooldown over whose ready tick is in two slots?
    #[inline]
    fn has_cooled(&self, slot: u8) -> bool {
        let (low, high) = (self.slot(slot), self.slot(slot.saturating_add(1)));
        let ready = u32::from(low) | u32::from(high) << 16;
        ready == 0 || is_due(ready, self.now())
    }

    /// Its guard holds: does it have to wait still? Only the plans know what comes after waiting.
    #[inline]
    fn waits(&self, timer: u8) -> bool {
        self.bytes().is_some_and(|instance| {
            let time = instance.raw_timers().get(usize::from(timer));
            let armed = instance.header().armed & bit(timer) != 0;
            armed && time.is_some_and(|time| !is_due(time.get(), self.now()))
        })
    }

    /// Starts, goes on or ends the wait of a candidate whose guard was asked; whether it is over.
    #[inline]
    fn debounce(&mut self, timer: u8, ticks: u32, holds: bool) -> bool {
        if !holds {
            self.disarm(bit(timer));
            return false;
        }
        let armed = self.bytes().map_or(0, |instance| instance.header().armed);
        if armed & bit(timer) == 0 {
            self.arm(timer, ticks);
        }
        !self.waits(timer)
    }

    /// Was a state entered less than so many ticks ago whose clock is in a timer slot?
    #[inline(always)]
    fn is_young(&self, clock: u8, ticks: u32) -> bool {
        let timers = self.bytes().map_or(&[][..], Instance::raw_timers);
        let entered = timers.get(usize::from(clock));
        entered.is_some_and(|entered| self.now().wrapping_sub(entered.get()) < ticks)
    }

    /// Keeps a transition in the slot of its source, unless another one waits there (SEL-6); whether it
    /// does.
    #[inline]
    fn latch(&mut self, slot: u8, transition: u16) -> bool {
        if self.slot(slot) != 0 {
            return false;
        }
        self.put_slot(slot, transition.saturating_add(1));
        true
    }

    /// What is the innermost active state on a line.
    #[inline(always)]
    fn put_leaf<const N: usize>(&mut self, leaf: u16) {
        self.with_parts(|parts| {
            if let Some(cell) = parts.leaves.get_mut(N) {
                cell.set(leaf);
            }
        });
    }

    /// Clears bits of a slot.
    #[inline(always)]
    fn clear_bits(&mut self, slot: u8, bits: u16) {
        self.with_parts(|parts| {
            if let Some(cell) = parts.slots.get_mut(usize::from(slot)) {
                cell.set(cell.get() & !bits);
            }
        });
    }

    /// Clears slots.
    #[inline(always)]
    fn clear_slots(&mut self, first: u8, count: u8) {
        let first = usize::from(first);
        self.with_parts(|parts| {
            let slots = parts.slots.get_mut(first..first.wrapping_add(count.into()));
            slots.unwrap_or_default().fill(U16::new(0));
        });
    }

    /// Writes a slot.
    #[inline(always)]
    fn put_slot(&mut self, slot: u8, value: u16) {
        self.with_parts(|parts| {
            if let Some(cell) = parts.slots.get_mut(usize::from(slot)) {
                cell.set(value);
            }
        });
    }

    /// The clock of a state begins.
    #[inline(always)]
    fn start_clock(&mut self, timer: u8) {
        let now = self.now();
        self.with_parts(|parts| {
            if let Some(cell) = parts.timers.get_mut(usize::from(timer)) {
                cell.set(now);
            }
        });
    }

    /// A timer runs so many ticks.
    #[inline(always)]
    fn arm(&mut self, timer: u8, ticks: u32) {
        let deadline = self.now().wrapping_add(ticks);
        self.with_parts(|parts| {
            if let Some(cell) = parts.timers.get_mut(usize::from(timer)) {
                cell.set(deadline);
                parts.header.armed |= bit(timer);
            }
        });
    }

    /// Timers and clocks of a mask end.
    #[inline(always)]
    fn disarm(&mut self, mask: u8) {
        self.with_parts(|parts| {
            parts.header.armed &= !mask;
            for (number, cell) in (0_u8..).zip(parts.timers) {
                if mask & bit(number) != 0 {
                    cell.set(0);
                }
            }
        });
    }

    /// An `every` is taken: its deadline moves on by so many ticks, past now (LANG-2).
    #[inline(always)]
    fn move_on(&mut self, timer: u8, ticks: u32) {
        let now = self.now();
        self.with_parts(|parts| {
            if let Some(cell) = parts.timers.get_mut(usize::from(timer)) {
                let late = now.wrapping_sub(cell.get());
                let missed = late.wrapping_sub(late.checked_rem(ticks).unwrap_or(0));
                let next = cell.get().wrapping_add(missed).wrapping_add(ticks);
                cell.set(next);
                parts.header.armed |= bit(timer);
            }
        });
    }
}

impl<'a, I: Instance> Work<I> for Fuse<'_, 'a> {
    const BARE: bool = false;

    type Again<'x>
        = Fuse<'x, 'a>
    where
        Self: 'x;

    #[inline(always)]
    fn again(&mut self) -> Fuse<'_, 'a> {
        Fuse { cx: self.cx }
    }

    #[inline(always)]
    fn bytes(&self) -> Option<&I> {
        I::view(&self.cx.ram)
    }

    #[inline(always)]
    fn with_parts(&mut self, work: impl FnOnce(RawParts<'_>)) {
        let _ = I::with(&mut self.cx.ram, |instance| work(instance.raw_parts()));
    }

    #[inline(always)]
    fn apart<R>(&mut self, _: R, work: impl FnOnce(Fuse<'_, '_>) -> R) -> R {
        work(Fuse { cx: self.cx })
    }

    #[inline(always)]
    fn now(&self) -> u32 {
        self.cx.now
    }

    #[inline(always)]
    fn has_only_deferred(&self) -> bool {
        let rom = self.cx.rom;
        I::view(&self.cx.ram).is_some_and(|instance| has_only_deferred(rom, instance))
    }

    #[inline]
    fn parameter(&self, word: usize, words: usize) -> u32 {
        let row = self.cx.variant().index().wrapping_mul(words);
        let value = self.cx.rom.parameter_values().get(row.wrapping_add(word));
        value.map_or(0, |value| value.word.get())
    }

    #[inline]
    fn payload(&self) -> [u32; 3] {
        match self.cx.fixed_cause {
            TakenFor::Event(event) => {
                let [x, y, z, _] = event.words();
                [x, y, z]
            }
            TakenFor::Nothing | TakenFor::Timer(_) => [0; 3],
        }
    }

    #[inline(always)]
    fn begin(&mut self) {
        self.cx.running = true;
    }

    #[inline(always)]
    fn failure(&self) -> Quiet {
        match self.cx.check_fault() {
            Ok(()) => Quiet::Settled,
            Err(_) => Quiet::Failed,
        }
    }

    #[inline]
    fn finish(&mut self) -> Quiet {
        if self.cx.check_fault().is_err() {
            return Quiet::Failed;
        }
        if self.cx.ram.has(flag::WORK) {
            self.cx.show_posted();
        }
        self.cx.running = false;
        Quiet::Done
    }

    #[inline]
    fn stop_asking(&mut self, halt: Halt) {
        self.cx.halt = halt;
    }

    #[inline(always)]
    fn taking(&mut self, transition: u16) {
        self.cx.fixed_transition = TransitionId::new(transition);
    }

    #[inline(always)]
    fn taken(&mut self, moved: bool) {
        self.cx.fixed_transition = None;
        let queued = |instance: &I| instance.header().event_count != 0;
        if moved && I::view(&self.cx.ram).is_none_or(queued) {
            self.cx.clear_marks();
        }
    }

    #[inline(always)]
    fn because_of_timer(&mut self, timer: u16) {
        self.cx.fixed_cause = TimerId::new(timer).map_or(TakenFor::Nothing, TakenFor::Timer);
    }

    #[inline(always)]
    fn mark_fresh(&mut self, line: u8, depth: u8) {
        self.cx.mark_fresh_at(line, depth);
    }

    #[inline(always)]
    fn ask_guard<L: Linkage<H>, H: Host, const N: u16>(
        &mut self,
        host: &H,
        call: &'static CallSite,
    ) -> Verdict {
        L::guard::<N>(host, self.look(call))
    }

    #[inline(always)]
    fn ask_score<L: Linkage<H>, H: Host, const N: u16>(
        &mut self,
        host: &H,
        call: &'static CallSite,
    ) -> f32 {
        L::score::<N>(host, self.look(call))
    }

    #[inline(always)]
    fn ask_value<L: Linkage<H>, H: Host, const N: u16>(
        &mut self,
        host: &H,
        call: &'static CallSite,
    ) -> [u32; 3] {
        L::value::<N>(host, self.look(call))
    }

    #[inline(always)]
    fn run_action<L: Linkage<H>, H: Host, const N: u16>(
        &mut self,
        host: &mut H,
        call: &'static CallSite,
    ) {
        L::action::<N>(host, self.act(call));
    }

    #[inline(always)]
    fn run_activity<L: Linkage<H>, H: Host, const N: u16>(
        &mut self,
        host: &mut H,
        mode: Mode,
        call: &'static CallSite,
    ) -> Status {
        L::activity::<N>(host, mode, self.act(call))
    }
}
