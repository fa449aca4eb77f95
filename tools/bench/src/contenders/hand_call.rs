//! `hand-call`: the hand-written machine with callbacks that are real calls, as user code in another crate is.

use crate::board::Board;
use crate::callbacks;
use crate::contenders::Contender;
use crate::contenders::hand::{Agents, Calls};

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
    fn ready(board: &Board) -> bool {
        callbacks::ready(board)
    }
}

/// New agents, idle.
pub fn agents(agents: usize, regions: bool, timer: bool) -> Box<dyn Contender> {
    match regions {
        false => Box::new(Agents::<Called, false>::new(agents, timer)),
        true => Box::new(Agents::<Called, true>::new(agents, timer)),
    }
}
