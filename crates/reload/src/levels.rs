//! What is alive in an instance: its active leaves, and those of every frame (EXEC-8).
//!
//! Everything else that an instance keeps belongs to a state, and means something while that state is
//! alive. So the first question of each part is on which level its owner lives.

use statewright_kernel::{Event, Header, Instance};
use statewright_rom::Rom;
use statewright_rom::ids::{RegionId, StackId, StateId};
use statewright_rom::layout::{MAX_LEAVES, MAX_SLOTS, NONE};
use zerocopy::byteorder::little_endian::{U16, U32};

/// The active states, and at most one frame for every two slots.
const MAX_LEVELS: usize = MAX_SLOTS / 2 + 1;

/// The parts of an instance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'i> {
    pub(crate) header: &'i Header,
    pub(crate) leaves: &'i [U16],
    pub(crate) timers: &'i [U32],
    pub(crate) slots: &'i [U16],
    pub(crate) events: &'i [Event],
}

impl<'i> View<'i> {
    pub(crate) fn of<I: Instance>(instance: &'i I) -> Self {
        Self {
            header: instance.header(),
            leaves: instance.raw_leaves(),
            timers: instance.raw_timers(),
            slots: instance.raw_slots(),
            events: instance.raw_events(),
        }
    }

    pub(crate) fn slot(&self, slot: usize) -> u16 {
        self.slots.get(slot).map_or(0, |slot| slot.get())
    }

    pub(crate) fn time(&self, slot: usize) -> u32 {
        self.timers.get(slot).map_or(0, |time| time.get())
    }
}

/// States that are alive together: the active ones, or those of a frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Level {
    /// Raw, by leaf number; `NONE` where there is none.
    pub(crate) leaves: [u16; MAX_LEAVES],
    /// Timers that run, or ran when it was suspended.
    pub(crate) armed: u8,
    /// States before this one are not on the level: they are around its region.
    pub(crate) floor: u16,
    /// The region and the number of the frame; `None` for the active states.
    pub(crate) frame: Option<(RegionId, u8)>,
}

impl Level {
    const NONE: Self = Self {
        leaves: [NONE; MAX_LEAVES],
        armed: 0,
        floor: 0,
        frame: None,
    };

    /// Its leaves, raw.
    pub(crate) fn raw_leaves(&self) -> impl Iterator<Item = u16> + Clone + use<> {
        self.leaves.into_iter().filter(|&leaf| leaf != NONE)
    }

    pub(crate) fn is_active(&self) -> bool {
        self.frame.is_none()
    }

    /// Is a state alive on it?
    pub(crate) fn has_state(&self, rom: &Rom<'_>, state: StateId) -> bool {
        let end = rom.state(state).map(|record| record.subtree_end.get());
        end.is_some_and(|end| self.has(state.raw(), end))
    }

    /// Is a state with this number and subtree alive on it?
    fn has(&self, first: u16, end: u16) -> bool {
        first >= self.floor && self.leaves.iter().any(|leaf| (first..end).contains(leaf))
    }
}

/// All that is alive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Levels {
    levels: [Level; MAX_LEVELS],
    count: usize,
}

impl Levels {
    /// Nothing is active, and nothing is suspended.
    pub(crate) fn new() -> Self {
        Self {
            levels: [Level::NONE; MAX_LEVELS],
            count: 1,
        }
    }

    /// What is alive in an instance of a machine.
    pub(crate) fn of(rom: &Rom<'_>, view: &View<'_>) -> Self {
        let mut all = Self::new();
        let active = all.active_mut();
        active.armed = view.header.armed;
        for (cell, leaf) in active.leaves.iter_mut().zip(view.leaves) {
            *cell = leaf.get();
        }
        if view.header.stack_depth > 0 {
            all.add_frames(rom, view);
        }
        all
    }

    fn add_frames(&mut self, rom: &Rom<'_>, view: &View<'_>) {
        for (index, region) in rom.regions().iter().enumerate() {
            let stack = StackId::new(region.stack).and_then(|stack| rom.stack(stack));
            let (Some(stack), Some(id)) = (stack, RegionId::from_index(index)) else {
                continue;
            };
            for frame in 0..stack.depth {
                let first = usize::from(stack.first_slot)
                    + usize::from(frame) * usize::from(stack.frame_slots);
                if view.slot(first) == 0 {
                    break;
                }
                let mut level = Level {
                    armed: view.slot(first + usize::from(stack.leaves)) as u8,
                    floor: region.owner.get() + 1,
                    frame: Some((id, frame)),
                    ..Level::NONE
                };
                for by in 0..usize::from(stack.leaves) {
                    let leaf = view.slot(first + by);
                    if let Some(cell) = level.leaves.get_mut(usize::from(region.leaf) + by) {
                        *cell = if leaf == 0 { NONE } else { leaf };
                    }
                }
                self.push(level);
            }
        }
    }

    /// Adds a frame; one past the last is left out, which no instance that was checked has.
    pub(crate) fn push(&mut self, level: Level) {
        if let Some(cell) = self.levels.get_mut(self.count) {
            *cell = level;
            self.count += 1;
        }
    }

    pub(crate) fn active(&self) -> &Level {
        &self.levels[0]
    }

    pub(crate) fn active_mut(&mut self) -> &mut Level {
        &mut self.levels[0]
    }

    /// The active states first, then frames by region and from the bottom.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Level> {
        self.levels.iter().take(self.count)
    }

    /// The level on which a state is alive.
    pub(crate) fn find(&self, rom: &Rom<'_>, state: StateId) -> Option<usize> {
        let end = rom.state(state)?.subtree_end.get();
        self.iter().position(|level| level.has(state.raw(), end))
    }

    pub(crate) fn get(&self, index: usize) -> Option<&Level> {
        self.levels.get(index).filter(|_| index < self.count)
    }

    pub(crate) fn get_mut(&mut self, index: usize) -> Option<&mut Level> {
        self.levels.get_mut(index)
    }
}
