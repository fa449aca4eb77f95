//! Entering the machine as a whole: at the start (TICK-1), and when it was clamped too often
//! (TICK-4).

use statewright_rom::ids::*;
use statewright_rom::layout::*;

use crate::commit::entry_set::{Settled, Way};
use crate::commit::exits::Leave;
use crate::context::{Core, Leaves};
use crate::counters::count;
use crate::fault::Fault;
use crate::host::Cause;
use crate::host::trace::Trace;
use crate::instance::flag;
use crate::tick::Run;

impl Run<'_, '_> {
    /// Enters the initial configuration (TICK-1).
    #[cold]
    pub(crate) fn start(&mut self) -> Result<(), Fault> {
        self.core.check_queue()?;
        self.core.ram.clear_leaves();
        self.core.ram.disarm_all(u8::MAX);
        self.core.clear_frames();
        self.core.ram.set_flag(flag::STARTED);
        if self.tracing {
            self.mark_timers();
            self.host.trace(&Trace::Started);
        }
        self.enter_initial()?;
        self.complete(Cause::None)?;
        self.core.check_fault()
    }

    /// Kept apart so that nothing else pays for the buffer.
    #[inline(never)]
    fn enter_initial(&mut self) -> Result<(), Fault> {
        let way = Way {
            domain: StateId::ROOT,
            regions: u8::MAX,
            targets: None,
            transition: None,
            cause: Cause::None,
        };
        let mut settled = Settled::new();
        let span = self.settle_start(&mut settled, &way)?;
        self.enter_settled(&settled, span.first..span.end);
        Ok(())
    }

    fn enter_settled(&mut self, settled: &Settled, steps: core::ops::Range<u16>) {
        self.entered_finals = Leaves::default();
        self.may_complete = false;
        for step in steps.filter_map(|at| settled.get(at)) {
            self.enter_step(step, None, Cause::None);
        }
        self.core.clear_marks();
    }

    /// Counts clamped ticks; too many in a row end the tick with the fail-safe (TICK-4). Whether
    /// they did.
    pub(crate) fn settle_clamp(&mut self, clamped: bool) -> Result<bool, Fault> {
        if !clamped {
            self.core.ram.header_mut().clamped = 0;
            return Ok(false);
        }
        count(&mut self.core.counters.clamps);
        self.core.ram.set_flag(flag::BUDGET_EXCEEDED);
        if self.tracing {
            self.host.trace(&Trace::Clamped);
        }
        let (before, limit) = (
            self.core.ram.header().clamped,
            self.core.rom.header().clamp_limit,
        );
        if before >= limit {
            return self.fail_safe().map(|()| true);
        }
        self.core.ram.header_mut().clamped = before.saturating_add(1);
        Ok(false)
    }

    #[cold]
    fn fail_safe(&mut self) -> Result<(), Fault> {
        count(&mut self.core.counters.fail_safes);
        if self.tracing {
            self.host.trace(&Trace::FailSafe);
        }
        self.enter_fail_safe()?;
        self.complete(Cause::None)?;
        self.core.check_fault()
    }

    /// Kept apart so that nothing else pays for the buffer.
    #[inline(never)]
    fn enter_fail_safe(&mut self) -> Result<(), Fault> {
        let leaves = self.core.leaves();
        let way = Way {
            domain: StateId::ROOT,
            regions: u8::MAX,
            targets: self.core.rom.fail_safe(),
            transition: None,
            cause: Cause::None,
        };
        let scope = self.core.whole_scope(&leaves);
        if self.core.rom.has(feature::HISTORY) {
            self.core.record_history(&scope, &leaves);
        }
        let mut settled = Settled::new();
        let span = self.settle(&mut settled, &way)?;
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
        self.core.forget_work();
        if self.tracing {
            self.mark_timers();
        }
        self.enter_settled(&settled, span.first..span.end);
        Ok(())
    }
}

impl Core<'_> {
    /// What the fail-safe clears: queue, timers, latched transitions, counter.
    fn forget_work(&mut self) {
        self.ram.clear_queue();
        self.ram.header_mut().armed = 0;
        let clock = self.clock_of(StateId::ROOT);
        for place in (0..self.ram.timers().len() as u8).filter(|&place| Some(place) != clock) {
            self.ram.set_time(place, 0);
        }
        if let Some(slot) = self.latch_slot(StateId::ROOT) {
            self.ram.set_slot(slot, 0);
        }
        self.ram.header_mut().clamped = 0;
    }
}
