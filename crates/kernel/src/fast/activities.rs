//! An instance that has nothing to do but its activities.

use statewright_rom::ids::*;
use statewright_rom::layout::*;

use crate::context::{Core, Site};
use crate::fault::Fault;
use crate::host::cx::Actor;
use crate::host::{Cause, Host, Mode};

impl Core<'_> {
    /// The leaf of an instance that polls, if nothing eventless can be enabled: there is no
    /// `always` on the way, no final state, and no activity has a result.
    pub(super) fn waiting_leaf(&self) -> Option<StateId> {
        let leaf = self.ram.only_leaf().and_then(StateId::new)?;
        let always = self.rom.row_of(leaf)?.flags.get() & row_flag::ALWAYS != 0;
        let mut record = self.rom.state(leaf)?;
        let is_final = record.kind == StateKind::Final;
        // Bound: parents have smaller numbers.
        let mut results = false;
        loop {
            results |= record.activity.get() != NONE && self.result_of(record).is_some();
            match self.rom.states().get(usize::from(record.parent.get())) {
                Some(around) => record = around,
                None => break,
            }
        }
        if always || is_final || results {
            None
        } else {
            Some(leaf)
        }
    }
}

/// Runs the activities of an instance that has nothing else to do: phase (3) alone (TICK-5). The
/// instance is attached. `None` if there is something else, else whether user code caused a fault.
pub(crate) fn run_activities<H: Host>(
    core: &mut Core<'_>,
    host: &mut H,
) -> Option<Result<(), Fault>> {
    let rom = core.rom;
    let leaf = core.waiting_leaf()?;
    core.running = true;
    for state in rom.path_up(leaf) {
        let activity = rom
            .state(state)
            .and_then(|record| OpId::read(record.activity));
        let site = Site {
            state,
            transition: None,
            cause: Cause::None,
        };
        if let Some(function) = activity
            .and_then(|op| rom.op(op))
            .and_then(|op| core.aim(op, &site))
        {
            let status = host.activity(function, Mode::Run, Actor::new(core));
            core.set_result(state, status);
        }
    }
    let result = core.check_fault();
    if result.is_ok() {
        core.show_posted();
        core.running = false;
    }
    Some(result)
}
