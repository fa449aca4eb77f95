//! Activities: phase (3) of a tick, and the results they leave (TICK-5, TICK-6).

use statewright_rom::ids::*;
use statewright_rom::layout::*;

use crate::context::{Core, Site};
use crate::host::cx::Actor;
use crate::host::trace::Trace;
use crate::host::{Cause, Mode, Status};
use crate::tick::Run;

impl Run<'_, '_> {
    /// Runs the activities of all active states: leaf by leaf, each to the root, each state once.
    #[inline(never)]
    pub(crate) fn run_activities(&mut self) {
        let leaves = self.core.leaves();
        for (place, leaf) in leaves.iter() {
            for state in self.core.rom.path_up(leaf) {
                let rom = self.core.rom;
                if leaves
                    .iter()
                    .any(|(p, other)| p < place && rom.is_ancestor_or_self(state, other))
                {
                    break;
                }
                self.run_activity(state);
            }
        }
    }

    fn run_activity(&mut self, state: StateId) {
        let Some(record) = self
            .core
            .rom
            .state(state)
            .filter(|record| record.activity.get() != NONE)
        else {
            return;
        };
        let at_once = self.core.has_policy(policy::IMMEDIATE_UPDATE);
        let fresh = self.core.is_fresh(record) && !at_once;
        if fresh || self.core.result(state).is_some() {
            return;
        }
        let site = Site {
            state,
            transition: None,
            cause: Cause::None,
        };
        let status = self.call_activity(record, &site, Mode::Run);
        self.core.set_result(state, status);
    }

    pub(crate) fn call_activity(
        &mut self,
        record: &StateRecord,
        site: &Site,
        mode: Mode,
    ) -> Status {
        let op = OpId::read(record.activity).and_then(|op| self.core.rom.op(op));
        match op.and_then(|op| self.core.aim(op, site)) {
            Some(function) => {
                let status = self.host.activity(function, mode, Actor::new(self.core));
                if self.tracing {
                    self.host.trace(&Trace::Activity(site.state, mode, status));
                }
                status
            }
            None => Status::Running,
        }
    }
}

/// Results: two bits, 1 = succeeded, 2 = failed (RAM-7).
impl Core<'_> {
    fn result_place(&self, record: &StateRecord) -> Option<(u8, u32)> {
        let extra = self
            .rom
            .state_extras()
            .get(usize::from(record.extra.get()))?;
        self.ram
            .has_slot(extra.result_slot)
            .map(|_| (extra.result_slot, u32::from(extra.result_bit.min(14))))
    }

    /// Whether the activity of a state has succeeded (true) or failed (false).
    pub(crate) fn result(&self, state: StateId) -> Option<bool> {
        self.result_of(self.rom.state(state)?)
    }

    pub(crate) fn result_of(&self, record: &StateRecord) -> Option<bool> {
        let (slot, shift) = self.result_place(record)?;
        match self.ram.slot(slot).checked_shr(shift).unwrap_or(0) & 3 {
            0 => None,
            bits => Some(bits == 1),
        }
    }

    pub(crate) fn set_result(&mut self, state: StateId, status: Status) {
        let bits: u16 = match status {
            Status::Running => return,
            Status::Succeeded => 1,
            Status::Failed => 2,
        };
        if let Some((slot, shift)) = self
            .rom
            .state(state)
            .and_then(|record| self.result_place(record))
        {
            let value = self.ram.slot(slot) & !3_u16.checked_shl(shift).unwrap_or(0);
            self.ram
                .set_slot(slot, value | bits.checked_shl(shift).unwrap_or(0));
        }
    }

    pub(crate) fn clear_result(&mut self, state: StateId) {
        if let Some((slot, shift)) = self
            .rom
            .state(state)
            .and_then(|record| self.result_place(record))
        {
            let value = self.ram.slot(slot) & !3_u16.checked_shl(shift).unwrap_or(0);
            self.ram.set_slot(slot, value);
        }
    }
}
