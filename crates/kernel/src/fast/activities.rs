//! An instance that has nothing to do but its activities.

use statewright_rom::ids::*;

use crate::context::{Core, Site};
use crate::fault::Fault;
use crate::host::cx::Actor;
use crate::host::{Cause, Host, Mode};

/// Runs the activities of an instance that has nothing else to do: phase (3) alone (TICK-5). The
/// instance is attached, and its only leaf is this one. Whether user code caused a fault.
pub(crate) fn run_activities<H: Host>(
    core: &mut Core<'_>,
    host: &mut H,
    leaf: StateId,
) -> Result<(), Fault> {
    let rom = core.rom;
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
    result
}
