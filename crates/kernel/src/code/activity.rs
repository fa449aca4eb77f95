//! Update actions and activities: phase (3) of a tick, and the results they leave (TICK-5, TICK-6,
//! LANG-10).

use statewright_rom::Rom;
use statewright_rom::ids::*;
use statewright_rom::layout::*;
use zerocopy::byteorder::little_endian::U16;

use crate::context::{Context, Site};
use crate::host::cx::ActionCx;
use crate::host::trace::Trace;
use crate::host::{Cause, Mode, Status};
use crate::tick::Tick;

impl Tick<'_, '_> {
    /// Runs update actions and activities of all active states: leaf by leaf, each to the root, each state once.
    #[inline(never)]
    pub(crate) fn run_activities(&mut self) {
        let leaves = self.cx.leaves();
        for (rank, leaf) in leaves.iter() {
            for state in self.cx.rom.path_up(leaf) {
                let rom = self.cx.rom;
                if leaves
                    .iter()
                    .any(|(r, other)| r < rank && rom.is_ancestor_or_self(state, other))
                {
                    break;
                }
                self.run_state(state);
            }
        }
    }

    /// What one state does in phase (3): its update actions, then its activity.
    fn run_state(&mut self, state: StateId) {
        const RUNS: u16 = state_flag::ACTIVITY | state_flag::UPDATE;
        let Some(record) = self
            .cx
            .state(state)
            .filter(|record| record.flags.get() & RUNS != 0)
        else {
            return;
        };
        let at_once = self.cx.has_policy(policy::IMMEDIATE_UPDATE);
        if self.cx.is_fresh(record) && !at_once {
            return;
        }
        let site = Site {
            state,
            transition: None,
            cause: Cause::None,
        };
        if record.flags.get() & state_flag::UPDATE != 0 {
            self.run_update(&site);
        }
        self.run_activity(record, &site);
    }

    /// LANG-10. An activity that has a result has nothing to do with it.
    #[inline(never)]
    fn run_update(&mut self, site: &Site) {
        let extra = self.cx.proved(self.cx.rom.state_extra(site.state));
        self.run_list(extra.and_then(|extra| ListId::read(extra.update)), site);
    }

    fn run_activity(&mut self, record: &StateRecord, site: &Site) {
        let state = site.state;
        if record.activity.get() == NONE || self.cx.result(state).is_some() {
            return;
        }
        let status = self.call_activity(record, site, Mode::Run);
        self.cx.set_result(state, status);
    }

    pub(crate) fn call_activity(
        &mut self,
        record: &StateRecord,
        site: &Site,
        mode: Mode,
    ) -> Status {
        let op = self.cx.proved(OpId::read(record.activity));
        let op = op.and_then(|op| self.cx.op(op));
        if let Some(op) = op.filter(|op| op.kind == ActionOp::CallWith) {
            self.compute_arguments(op, site);
        }
        match op.and_then(|op| self.cx.prepare_call(op, site)) {
            Some(function) => {
                let rng = self.rng_before();
                let status = self.host.activity(function, mode, ActionCx::new(self.cx));
                if self.tracing {
                    self.tell_notes();
                    self.tell_called(function, rng);
                    self.host.trace(&Trace::Activity(site.state, mode, status));
                }
                status
            }
            None => Status::Running,
        }
    }
}

/// Results: two bits, 1 = succeeded, 2 = failed (RAM-7).
impl Context<'_> {
    fn result_slot(&self, state: StateId) -> Option<(SlotId, u32)> {
        self.rom.state_extra(state)?.result()
    }

    /// Whether the activity of a state has succeeded (true) or failed (false).
    pub(crate) fn result(&self, state: StateId) -> Option<bool> {
        result_in(self.rom, self.ram.slots(), self.state(state)?)
    }

    pub(crate) fn set_result(&mut self, state: StateId, status: Status) {
        let bits: u16 = match status {
            Status::Running => return,
            Status::Succeeded => 1,
            Status::Failed => 2,
        };
        self.put_result(state, bits);
    }

    pub(crate) fn clear_result(&mut self, state: StateId) {
        self.put_result(state, 0);
    }

    fn put_result(&mut self, state: StateId, bits: u16) {
        if let Some((slot, shift)) = self.result_slot(state) {
            let others = self.slot(slot) & !3_u16.checked_shl(shift).unwrap_or(0);
            self.set_slot(slot, others | bits.checked_shl(shift).unwrap_or(0));
        }
    }
}

/// Whether the activity of a state has succeeded (true) or failed (false), by the slots of an
/// instance.
pub(crate) fn result_in(rom: &Rom<'_>, slots: &[U16], record: &StateRecord) -> Option<bool> {
    let extra = rom.state_extras().get(usize::from(record.extra.get()))?;
    let (slot, shift) = extra.result()?;
    let slot = slots.get(slot.index())?.get();
    match slot.checked_shr(shift).unwrap_or(0) & 3 {
        0 => None,
        bits => Some(bits == 1),
    }
}
