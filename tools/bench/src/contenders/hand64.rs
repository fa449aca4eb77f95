//! `hand64`: the hand-written machine with callbacks that the compiler sees through.

use crate::board::Board;
use crate::callbacks;
use crate::contenders::Contender;
use crate::contenders::hand::{Agents, Calls};
use crate::workload::Workload;

struct Inlined;

impl Calls for Inlined {
    #[inline(always)]
    fn exit<const STATE: u8>(board: &mut Board) {
        callbacks::exit::<STATE>(board);
    }

    #[inline(always)]
    fn effect<const EVENT: u8>(board: &mut Board) {
        callbacks::effect::<EVENT>(board);
    }

    #[inline(always)]
    fn enter<const STATE: u8>(board: &mut Board) {
        callbacks::enter::<STATE>(board);
    }

    #[inline(always)]
    fn aim(board: &mut Board) {
        callbacks::aim(board);
    }

    #[inline(always)]
    fn ready(board: &Board) -> bool {
        callbacks::ready(board)
    }
}

/// New agents, idle.
pub fn agents(agents: usize, workload: Workload) -> Box<dyn Contender> {
    let timer = workload == Workload::W1Timer;
    match workload {
        Workload::W2Regions => Box::new(Agents::<Inlined, true, false>::new(agents, timer)),
        Workload::W1Activity => Box::new(Agents::<Inlined, false, true>::new(agents, timer)),
        _ => Box::new(Agents::<Inlined, false, false>::new(agents, timer)),
    }
}
