//! History: what is recorded and what can be brought back (EXEC-4).

use statewright_rom::ids::*;
use statewright_rom::layout::*;

use crate::commit::exits::ExitOrder;
use crate::context::{Core, Leaves};
use crate::instance::ram::bit;
use crate::select::scope::Scope;

/// What a history point brings back: states that can be active together, in the order of the tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Remembered {
    pub(crate) states: Leaves,
}

/// Recording.
impl Core<'_> {
    /// Records the history points of every state that is about to be left.
    pub(crate) fn record_history(&mut self, scope: &Scope, leaves: &Leaves) {
        let mut order = ExitOrder::new(leaves, scope.leaves, Some(scope.domain), false);
        while let Some(state) = order.next(self.rom) {
            self.record_points(state);
        }
    }

    /// Records the points of one state. A state that forgets on completion remembers nothing while
    /// it is complete.
    pub(crate) fn record_points(&mut self, state: StateId) {
        let points = self.rom.history_of(state);
        if points.is_empty() {
            return;
        }
        if self.forgets(state) && self.is_complete(state) {
            return self.clear_history(state);
        }
        let alive = self.alive_below(state);
        for point in points {
            if point.deep == 1 {
                self.record_deep(point, state, &alive)
            } else {
                self.record_shallow(point, state, &alive)
            }
        }
    }

    pub(crate) fn forgets(&self, state: StateId) -> bool {
        self.rom
            .state(state)
            .is_some_and(|record| record.flags.get() & state_flag::HISTORY_RESET != 0)
    }

    fn record_shallow(&mut self, point: &HistoryRecord, owner: StateId, alive: &[u16; MAX_LEAVES]) {
        for (slot, region) in (point.slot..).zip(self.rom.region_ids_of(owner)) {
            let leaf = alive
                .iter()
                .filter_map(|&leaf| StateId::new(leaf))
                .find(|&leaf| self.lies_in(region, leaf));
            let child = leaf.and_then(|leaf| {
                self.rom
                    .path_up(leaf)
                    .take_while(|&state| state != owner)
                    .last()
            });
            self.ram.set_slot(slot, child.map_or(0, StateId::raw));
        }
    }

    fn record_deep(&mut self, point: &HistoryRecord, owner: StateId, alive: &[u16; MAX_LEAVES]) {
        let mut slot = point.slot;
        for (number, &leaf) in (0_u8..).zip(alive) {
            if self.rom.leaf_mask(owner) & u32::from(bit(number)) != 0 {
                self.ram
                    .set_slot(slot, StateId::new(leaf).map_or(0, StateId::raw));
                slot = slot.saturating_add(1);
            }
        }
    }

    fn lies_in(&self, region: RegionId, state: StateId) -> bool {
        self.rom
            .region_span(region)
            .is_some_and(|(first, end)| first <= state.raw() && state.raw() < end)
    }

    /// Leaves below a state by leaf number; a region with frames counts with its lowest frame
    /// (EXEC-8).
    fn alive_below(&self, state: StateId) -> [u16; MAX_LEAVES] {
        let mut alive = [NONE; MAX_LEAVES];
        for (number, leaf) in (0_u8..).zip(alive.iter_mut()) {
            *leaf = self
                .ram
                .leaf(number)
                .filter(|&leaf| self.rom.is_ancestor_or_self(state, leaf))
                .map_or(NONE, StateId::raw);
        }
        if self.ram.header().stack_depth > 0 {
            self.replace_by_lowest_frames(state, &mut alive);
        }
        alive
    }

    /// Regions lie in pre-order, so outer stacks come before those inside what they bring back.
    fn replace_by_lowest_frames(&self, state: StateId, alive: &mut [u16; MAX_LEAVES]) {
        for (region, stack) in self.stacked_regions() {
            let owner = self
                .rom
                .region(region)
                .and_then(|region| StateId::read(region.owner));
            let reached = owner.is_some_and(|owner| {
                self.rom.is_ancestor_or_self(state, owner)
                    && alive.iter().any(|&leaf| {
                        StateId::new(leaf).is_some_and(|leaf| self.lies_in(region, leaf))
                    })
            });
            if reached && self.frames_used(stack) > 0 {
                for (number, leaf) in self.frame_leaves(region, stack, 0) {
                    if let Some(place) = alive.get_mut(usize::from(number)) {
                        *place = leaf;
                    }
                }
            }
        }
    }

    /// Forgets what the points of a state remember.
    pub(crate) fn clear_history(&mut self, state: StateId) {
        for point in self.rom.history_of(state) {
            self.ram.clear_slots(point.slot, point.slot_count);
        }
    }
}

/// Bringing back.
impl Core<'_> {
    /// What a point remembers; `None` if that is nothing, or nothing that can be brought back.
    pub(crate) fn remembered(&self, point: &HistoryRecord) -> Option<Remembered> {
        let owner = StateId::read(point.owner)?;
        let states = if point.deep == 1 {
            self.deep_states(point, owner)?
        } else {
            self.shallow_states(point, owner)?
        };
        if states.len() == 0 || !self.are_concurrent(&states) {
            None
        } else {
            Some(Remembered { states })
        }
    }

    fn shallow_states(&self, point: &HistoryRecord, owner: StateId) -> Option<Leaves> {
        let mut states = Leaves::default();
        for (slot, region) in (point.slot..).zip(self.rom.region_ids_of(owner)) {
            let child =
                StateId::new(self.ram.slot(slot)).filter(|&child| child != StateId::ROOT)?;
            let record = self.rom.state(child)?;
            if RegionId::read(record.region) != Some(region) || record.kind == StateKind::Choice {
                return None;
            }
            states.insert(child);
        }
        Some(states)
    }

    fn deep_states(&self, point: &HistoryRecord, owner: StateId) -> Option<Leaves> {
        let (mut states, mut slot) = (Leaves::default(), point.slot);
        for number in (0..MAX_LEAVES as u8)
            .filter(|&number| self.rom.leaf_mask(owner) & u32::from(bit(number)) != 0)
        {
            let raw = self.ram.slot(slot);
            slot = slot.saturating_add(1);
            if raw == 0 {
                continue;
            }
            let leaf = StateId::new(raw)?;
            let record = self.rom.state(leaf)?;
            if record.row.get() == NONE || record.leaf != number || !self.rom.is_inside(leaf, owner)
            {
                return None;
            }
            states.insert(leaf);
        }
        Some(states)
    }

    /// Do neighbors lie in different regions of one state? Enough for states in the order of the
    /// tree.
    pub(crate) fn are_concurrent(&self, states: &Leaves) -> bool {
        let next = states.iter().skip(1);
        states.iter().zip(next).all(|((_, first), (_, second))| {
            let common = self
                .rom
                .path_up(first)
                .find(|&around| self.rom.is_ancestor_or_self(around, second));
            common.is_some_and(|common| {
                common != first
                    && common != second
                    && self.region_towards(common, first) != self.region_towards(common, second)
            })
        })
    }
}
