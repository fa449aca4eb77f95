//! Whether what is suspended and what is active have places of their own.
//!
//! The compiler lets states share a place if they can never be alive together (RAM-5); for suspended
//! states it follows the pushes of its machine. Another version may have other pushes, so that what was
//! suspended and what stands over it share places there: such an agent begins anew (LOAD-3).

use statewright_rom::Rom;
use statewright_rom::ids::{SlotId, StateId};
use statewright_rom::layout::{MAX_SLOTS, MAX_TIMERS, TimerKind};

use crate::levels::Levels;

/// Nobody has it.
const FREE: u8 = u8::MAX;
/// Bits of a slot: results have two each, everything else a whole one.
const BITS: usize = 16;

/// Which level a place belongs to.
struct Owners {
    timers: [u8; MAX_TIMERS],
    bits: [[u8; BITS]; MAX_SLOTS],
}

impl Owners {
    /// A place is one of a level; `false` if another one has it.
    fn claim(cell: Option<&mut u8>, level: u8) -> bool {
        let Some(cell) = cell else {
            return true;
        };
        let before = std::mem::replace(cell, level);
        before == FREE || before == level
    }

    fn slot(&mut self, slot: SlotId, bits: std::ops::Range<usize>, level: u8) -> bool {
        let Some(cells) = self.bits.get_mut(slot.index()) else {
            return true;
        };
        let mut own = cells.iter_mut().take(bits.end).skip(bits.start);
        own.all(|cell| Self::claim(Some(cell), level))
    }
}

/// Would two levels of an agent share a place, or a state?
pub(crate) fn are_shared(rom: &Rom<'_>, levels: &Levels) -> bool {
    if levels.iter().count() == 1 {
        return false;
    }
    is_twice(rom, levels) || !have_own(rom, levels)
}

/// Is a state alive on two levels?
fn is_twice(rom: &Rom<'_>, levels: &Levels) -> bool {
    let mut frames = levels.iter().enumerate().skip(1);
    frames.any(|(number, frame)| {
        let mut leaves = frame.raw_leaves().filter_map(StateId::new);
        leaves.any(|leaf| {
            let own = rom.path_up(leaf).filter(|state| state.raw() >= frame.floor);
            own.into_iter().any(|state| {
                let others = levels.iter().enumerate();
                let mut others = others.filter(|(other, _)| *other != number);
                others.any(|(_, other)| other.has_state(rom, state))
            })
        })
    })
}

/// Has each level places that no other one has?
fn have_own(rom: &Rom<'_>, levels: &Levels) -> bool {
    let mut owners = Owners {
        timers: [FREE; MAX_TIMERS],
        bits: [[FREE; BITS]; MAX_SLOTS],
    };
    let level_of = |state: Option<StateId>| {
        let level = state.and_then(|state| levels.find(rom, state));
        level.map(|level| level as u8)
    };
    let timers = rom.timers().iter().all(|record| {
        let owner = StateId::read(record.owner).filter(|_| record.kind != TimerKind::Machine);
        level_of(owner).is_none_or(|level| {
            let mut slots = record.timer_slots();
            slots.all(|slot| Owners::claim(owners.timers.get_mut(slot.index()), level))
        })
    });
    let scratch = rom.scratch().iter().all(|record| {
        level_of(StateId::read(record.owner)).is_none_or(|level| {
            let mut slots = record.slots();
            slots.all(|slot| owners.slot(slot, 0..BITS, level))
        })
    });
    let extras = rom.state_extras().iter().all(|extra| {
        level_of(StateId::read(extra.state)).is_none_or(|level| {
            let latch = extra.latch();
            let latch = latch.is_none_or(|slot| owners.slot(slot, 0..BITS, level));
            let result = extra.result().is_none_or(|(slot, bit)| {
                let bit = bit as usize;
                owners.slot(slot, bit..bit + 2, level)
            });
            latch && result
        })
    });
    timers && scratch && extras
}
