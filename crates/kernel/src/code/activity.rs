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
use crate::poll::Chain;
use crate::tick::Tick;

impl<'a> Tick<'_, 'a> {
    /// Runs update actions and activities of all active states: leaf by leaf, each to the root, each state once.
    /// What was entered in this tick waits for the next, unless the machine says otherwise.
    #[inline(never)]
    pub(crate) fn run_activities(&mut self, chain: &Chain<'a>) {
        let at_once = self.cx.has_policy(policy::IMMEDIATE_UPDATE);
        let mut leaf = Some(chain.first);
        while let Some(poll) = leaf {
            for run in self.cx.runs_from(poll.run) {
                if at_once || !self.cx.is_fresh(run.leaf, run.depth) {
                    self.run_state(run);
                }
            }
            leaf = self.cx.after(poll);
        }
    }

    /// What one state does in phase (3): its update actions, then its activity. An activity that has
    /// a result has nothing to do with the update (LANG-10).
    #[inline]
    pub(crate) fn run_state(&mut self, run: &'a RunRecord) {
        if run.update.get() != NONE {
            let site = self.site_of_run(run);
            self.run_list(ListId::read(run.update), &site);
        }
        let result = (run.result_slot, run.result_bit);
        if run.activity.get() != NONE && bits_at(self.cx.ram.slots(), result) == 0 {
            self.run_activity(run);
        }
    }

    /// Calls the activity of a state.
    pub(crate) fn run_activity(&mut self, run: &'a RunRecord) {
        let site = self.site_of_run(run);
        let status = self.call_activity(&run.call, &site, Mode::Run);
        self.cx.set_result(site.state, status);
    }

    fn site_of_run(&self, run: &RunRecord) -> Site {
        let state = self.cx.proved(StateId::read(run.state));
        Site {
            state: state.unwrap_or(StateId::ROOT),
            transition: None,
            cause: Cause::None,
        }
    }

    /// Tells the activity of a state that is left, unless it has a result (TICK-6).
    #[inline(never)]
    pub(crate) fn cancel_activity(&mut self, record: &StateRecord, site: &Site) {
        let op = self.cx.proved(OpId::read(record.activity));
        if self.cx.result(site.state).is_none()
            && let Some(op) = op.and_then(|op| self.cx.op(op))
        {
            self.call_activity(op, site, Mode::Cancel);
        }
    }

    #[inline]
    fn call_activity(&mut self, op: &OpRecord, site: &Site, mode: Mode) -> Status {
        if op.kind == ActionOp::CallWith {
            self.compute_arguments(op, site);
        }
        let Some(function) = self.cx.prepare_call(op, site) else {
            return Status::Running;
        };
        let rng = self.rng_before();
        let status = self.host.activity(function, mode, ActionCx::new(self.cx));
        if self.tracing {
            self.tell_notes();
            self.tell_called(function, rng);
            self.host.trace(&Trace::Activity(site.state, mode, status));
        }
        status
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
    match bits_at(slots, (extra.result_slot, extra.result_bit)) {
        0 => None,
        bits => Some(bits == 1),
    }
}

/// The two bits of a result, by its slot and the first bit there.
#[inline]
pub(crate) fn bits_at(slots: &[U16], (slot, bit): (u8, u8)) -> u16 {
    let slot = slots.get(usize::from(slot)).map_or(0, |slot| slot.get());
    slot.checked_shr(bit.into()).unwrap_or(0) & 3
}
