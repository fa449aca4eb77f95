//! An instance that has nothing to do but its activities.

use statewright_rom::ids::*;
use statewright_rom::layout::ActionOp;

use crate::context::{Context, Site};
use crate::fault::Fault;
use crate::host::cx::ActionCx;
use crate::host::{Cause, Host, Mode};
use crate::tick::Tick;

/// Runs the activities of an instance that has nothing else to do: phase (3) alone (TICK-5). The
/// instance is attached, and its only leaf is this one. Whether user code caused a fault.
pub(crate) fn run_activities<H: Host>(
    cx: &mut Context<'_>,
    host: &mut H,
    leaf: StateId,
) -> Result<(), Fault> {
    let rom = cx.rom;
    cx.running = true;
    for state in rom.path_up(leaf) {
        let activity = cx
            .state(state)
            .and_then(|record| OpId::read(record.activity));
        let site = Site {
            state,
            transition: None,
            cause: Cause::None,
        };
        let activity = activity.and_then(|op| cx.op(op));
        if let Some(op) = activity.filter(|op| op.kind == ActionOp::CallWith) {
            Tick::new(cx, host, None).compute_arguments(op, &site);
        }
        if let Some(function) = activity.and_then(|op| cx.prepare_call(op, &site)) {
            let status = host.activity(function, Mode::Run, ActionCx::new(cx));
            cx.set_result(state, status);
        }
    }
    let result = cx.check_fault();
    if result.is_ok() {
        cx.show_posted();
        cx.running = false;
    }
    result
}
