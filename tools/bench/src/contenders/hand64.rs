//! `hand64`: the hand-written machine with callbacks that the compiler sees through.

use crate::board::Board;
use crate::callbacks;
use crate::contenders::Contender;
use crate::contenders::hand::{Agents, Calls};

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
    fn ready(board: &Board) -> bool {
        callbacks::ready(board)
    }
}

/// New agents, idle.
pub fn agents(agents: usize, regions: bool, timer: bool) -> Box<dyn Contender> {
    match regions {
        false => Box::new(Agents::<Inlined, false>::new(agents, timer)),
        true => Box::new(Agents::<Inlined, true>::new(agents, timer)),
    }
}
