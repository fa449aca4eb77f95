//! What cannot happen, and what becomes of an agent if it does.
//!
//! The loader has proved that every number in a ROM leads somewhere, and an instance is checked
//! before it runs; so most lookups of the kernel cannot fail. A lookup that fails all the same is
//! said to one of two functions, each one short line at the place:
//!
//! | | when | debug, tests, fuzzing | release |
//! | --- | --- | --- | --- |
//! | `proved` | the loader or the check has ruled it out | panics with the place and the reason | [`Fault::Impossible`] |
//! | `contradicts` | a ROM that loads but that no compiler made can get here | [`Fault::BadPlan`] | the same |
//!
//! Either way the tick goes on with a harmless value to the end of the microstep, where the fault
//! is found and quarantines the instance, counted. Nobody pays for it on the way: both look at what
//! is at hand anyway, and what follows is cold and called through `&self`. The fast paths need no
//! look either: an alarm takes their idle mask away, so that the agent does not count as idle and
//! goes on to the slow path, whose first question is the fault.

use statewright_rom::ids::*;
use statewright_rom::layout::*;

use crate::context::Context;
use crate::fast::IdleMask;
use crate::fault::Fault;

impl<'a> Context<'a> {
    /// What was looked up where it has to be.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn proved<T>(&self, found: Option<T>) -> Option<T> {
        if found.is_none() {
            self.impossible("a lookup that the loader or the check has proved found nothing");
        }
        found
    }

    /// Says that something happened that cannot.
    #[cold]
    #[inline(never)]
    #[track_caller]
    pub(crate) fn impossible(&self, what: &'static str) {
        debug_assert!(false, "impossible: {what}");
        self.raise(Fault::Impossible);
    }

    /// What was looked up where a ROM of the compiler has it.
    #[inline(always)]
    pub(crate) fn expected<T>(&self, found: Option<T>) -> Option<T> {
        if found.is_none() {
            self.contradicts();
        }
        found
    }

    /// Says that the tables of the ROM contradict each other.
    #[cold]
    #[inline(never)]
    pub(crate) fn contradicts(&self) {
        self.raise(Fault::BadPlan);
    }

    /// Something went wrong that ends the instance after the microstep; the first fault counts.
    #[cold]
    pub(crate) fn raise(&self, fault: Fault) {
        self.fault.set(self.fault.get().or(Some(fault)));
        self.idle.set(IdleMask::BLIND);
    }

    /// What went wrong so far. Looked at after the microstep (TICK-3).
    #[inline]
    pub(crate) fn check_fault(&self) -> Result<(), Fault> {
        self.fault.get().map_or(Ok(()), Err)
    }

    /// The fault is dealt with.
    #[cold]
    pub(crate) fn clear_fault(&mut self) {
        self.fault.set(None);
        if self.ticks {
            self.idle.set(IdleMask::new(self.rom, self.rom.tier()));
        }
    }
}

/// Records that the loader has proved to be there.
impl<'a> Context<'a> {
    #[inline]
    #[track_caller]
    pub(crate) fn state(&self, state: StateId) -> Option<&'a StateRecord> {
        self.proved(self.rom.state(state))
    }

    #[track_caller]
    pub(crate) fn region(&self, region: RegionId) -> Option<&'a RegionRecord> {
        self.proved(self.rom.region(region))
    }

    /// First state of a region and the one behind its last.
    #[track_caller]
    pub(crate) fn region_span(&self, region: RegionId) -> Option<(u16, u16)> {
        self.proved(self.rom.region_span(region))
    }

    #[track_caller]
    pub(crate) fn stack(&self, stack: StackId) -> Option<&'a StackRecord> {
        self.proved(self.rom.stack(stack))
    }

    #[track_caller]
    pub(crate) fn op(&self, op: OpId) -> Option<&'a OpRecord> {
        self.proved(self.rom.op(op))
    }

    #[track_caller]
    pub(crate) fn event(&self, event: EventId) -> Option<&'a EventRecord> {
        self.proved(self.rom.event(event))
    }
}
