//! Entering the machine as a whole when it was clamped too often (TICK-4). At the start, and after a
//! reload: `partial`.

use statewright_rom::ids::*;
use statewright_rom::layout::*;

use crate::commit::entry_set::{EntryRequest, EntrySet};
use crate::commit::exits::Leave;
use crate::context::Context;
use crate::counters::count;
use crate::fault::Fault;
use crate::host::Cause;
use crate::host::trace::Trace;
use crate::instance::flag;
use crate::instance::leaves::Leaves;
use crate::tick::Tick;

impl Tick<'_, '_> {
    pub(crate) fn enter_found(&mut self, entries: &EntrySet, steps: core::ops::Range<u16>) {
        self.entered_finals = Leaves::default();
        self.may_complete = false;
        self.enter_span(entries, steps, None);
        self.cx.clear_marks();
    }

    /// Counts clamped ticks; too many in a row end the tick with the fail-safe (TICK-4). Whether
    /// they did.
    pub(crate) fn count_clamp(&mut self, clamped: bool) -> Result<bool, Fault> {
        if !clamped {
            self.cx.ram.header_mut().clamped = 0;
            return Ok(false);
        }
        count(&mut self.cx.counters.clamps);
        self.cx.ram.set_flag(flag::BUDGET_EXCEEDED);
        if self.tracing {
            self.host.trace(&Trace::Clamped);
        }
        let (before, limit) = (
            self.cx.ram.header().clamped,
            self.cx.rom.header().clamp_limit,
        );
        if before >= limit {
            return self.fail_safe().map(|()| true);
        }
        self.cx.ram.header_mut().clamped = before.saturating_add(1);
        Ok(false)
    }

    #[cold]
    fn fail_safe(&mut self) -> Result<(), Fault> {
        count(&mut self.cx.counters.fail_safes);
        if self.tracing {
            self.host.trace(&Trace::FailSafe);
        }
        self.enter_fail_safe()?;
        self.complete(Cause::None)?;
        self.cx.check_fault()
    }

    /// Kept apart so that nothing else pays for the buffer.
    #[inline(never)]
    fn enter_fail_safe(&mut self) -> Result<(), Fault> {
        let leaves = self.cx.leaves();
        let request = EntryRequest {
            domain: StateId::ROOT,
            regions: u8::MAX,
            targets: self.cx.rom.fail_safe(),
            transition: None,
            cause: Cause::None,
        };
        let scope = self.cx.whole_scope(&leaves);
        if self.cx.rom.has(feature::HISTORY) {
            self.cx.record_history(&scope, &leaves);
        }
        let mut entries = EntrySet::new();
        let span = self.find_entries(&mut entries, &request)?;
        let (domain, cause) = (Some(StateId::ROOT), Cause::None);
        self.leave(
            &leaves,
            &Leave {
                mask: scope.leaves,
                domain,
                keeps_frames: false,
                transition: None,
                cause,
            },
        )?;
        self.cx.forget_work();
        if self.tracing {
            self.mark_timers();
        }
        self.enter_found(&entries, span.first..span.end);
        Ok(())
    }
}

impl Context<'_> {
    /// What the fail-safe clears: queue, timers, latched transitions, counter.
    fn forget_work(&mut self) {
        self.ram.clear_queue();
        self.ram.header_mut().armed = 0;
        let clock = self.clock_of(StateId::ROOT);
        for slot in self.ram.timer_slots().filter(|&slot| Some(slot) != clock) {
            self.set_time(slot, 0);
        }
        if let Some(slot) = self.latch_slot(StateId::ROOT) {
            self.set_slot(slot, 0);
        }
        self.ram.header_mut().clamped = 0;
    }
}
