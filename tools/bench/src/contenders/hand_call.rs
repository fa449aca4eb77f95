//! `hand-call`: the hand-written machine with callbacks that are real calls, as user code in
//! another crate is.

use crate::board::Board;
use crate::callbacks;
use crate::contenders::Contender;
use crate::contenders::hand::{Agents, Calls};
use crate::workload::Workload;

struct Called;

impl Calls for Called {
    #[inline(never)]
    fn exit<const STATE: u8>(board: &mut Board) {
        callbacks::exit::<STATE>(board);
    }

    #[inline(never)]
    fn effect<const EVENT: u8>(board: &mut Board) {
        callbacks::effect::<EVENT>(board);
    }

    #[inline(never)]
    fn enter<const STATE: u8>(board: &mut Board) {
        callbacks::enter::<STATE>(board);
    }

    #[inline(never)]
    fn aim(board: &mut Board) {
        callbacks::aim(board);
    }

    #[inline(never)]
    fn ready(board: &Board) -> bool {
        callbacks::ready(board)
    }
}

/// New agents, idle.
pub fn agents(agents: usize, workload: Workload) -> Box<dyn Contender> {
    let timer = workload == Workload::W1Timer;
    match workload {
        Workload::W2Regions => Box::new(Agents::<Called, true, false>::new(agents, timer)),
        Workload::W1Activity => Box::new(Agents::<Called, false, true>::new(agents, timer)),
        _ => Box::new(Agents::<Called, false, false>::new(agents, timer)),
    }
}
