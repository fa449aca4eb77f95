//! History: what is recorded and what can be brought back (EXEC-4).

use statewright_rom::ids::*;
use statewright_rom::layout::*;

use crate::commit::exits::ExitOrder;
use crate::commit::stack::saved_state;
use crate::context::Context;
use crate::instance::leaves::Leaves;
use crate::select::scope::Scope;

/// What a history point brings back: states that can be active together, in the order of the tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Remembered {
    pub(crate) states: Leaves,
}

/// Leaves by leaf id.
type Alive = [Option<StateId>; MAX_LEAVES];

/// Recording.
impl Context<'_> {
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
        self.state(state)
            .is_some_and(|record| record.flags.get() & state_flag::HISTORY_RESET != 0)
    }

    fn record_shallow(&mut self, point: &HistoryRecord, owner: StateId, alive: &Alive) {
        for (slot, region) in point.slots().zip(self.rom.region_ids_of(owner)) {
            let mut leaves = alive.iter().copied().flatten();
            let child = leaves
                .find(|&leaf| self.lies_in(region, leaf))
                .and_then(|leaf| self.child_towards(owner, leaf));
            self.set_slot(slot, child.map_or(0, StateId::raw));
        }
    }

    /// The child of a state that is another one or around it.
    fn child_towards(&self, owner: StateId, inner: StateId) -> Option<StateId> {
        let below = self.rom.path_up(inner);
        below.take_while(|&state| state != owner).last()
    }

    fn record_deep(&mut self, point: &HistoryRecord, owner: StateId, alive: &Alive) {
        for (slot, id) in point.slots().zip(self.leaf_ids_below(owner)) {
            let leaf = self.proved(alive.get(id.index())).copied().flatten();
            self.set_slot(slot, leaf.map_or(0, StateId::raw));
        }
    }

    /// Leaf ids that a state and what lies in it may use.
    fn leaf_ids_below(&self, state: StateId) -> impl Iterator<Item = LeafId> + use<> {
        let mask = self.rom.leaf_mask(state);
        LeafId::run(0, MAX_LEAVES as u8).filter(move |id| mask & u32::from(id.bit()) != 0)
    }

    fn lies_in(&self, region: RegionId, state: StateId) -> bool {
        self.region_span(region)
            .is_some_and(|(first, end)| first <= state.raw() && state.raw() < end)
    }

    /// Leaves below a state; a region with frames counts with its lowest frame
    /// (EXEC-8).
    fn alive_below(&self, state: StateId) -> Alive {
        let mut alive = [None; MAX_LEAVES];
        for (id, leaf) in self.ram.leaf_ids().zip(alive.iter_mut()) {
            *leaf = self
                .leaf(id)
                .filter(|&leaf| self.rom.is_ancestor_or_self(state, leaf));
        }
        if self.ram.header().stack_depth > 0 {
            self.replace_by_lowest_frames(state, &mut alive);
        }
        alive
    }

    /// Regions lie in pre-order, so outer stacks come before those inside what they bring back.
    fn replace_by_lowest_frames(&self, state: StateId, alive: &mut Alive) {
        for (region, stack) in self.stacked_regions() {
            let reached = self.owner_of(region).is_some_and(|owner| {
                self.rom.is_ancestor_or_self(state, owner)
                    && alive
                        .iter()
                        .flatten()
                        .any(|&leaf| self.lies_in(region, leaf))
            });
            if reached && self.frames_used(stack) > 0 {
                for (id, leaf) in self.frame_leaves(region, stack, 0) {
                    if let Some(cell) = self.proved(alive.get_mut(id.index())) {
                        *cell = leaf;
                    }
                }
            }
        }
    }

    /// Forgets what the points of a state remember.
    pub(crate) fn clear_history(&mut self, state: StateId) {
        for point in self.rom.history_of(state) {
            point.slots().for_each(|slot| self.set_slot(slot, 0));
        }
    }
}

/// Bringing back.
impl Context<'_> {
    /// What a point remembers; `None` if that is nothing, or nothing that can be brought back.
    pub(crate) fn remembered(&self, point: &HistoryRecord) -> Option<Remembered> {
        let owner = self.proved(StateId::read(point.owner))?;
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
        for (slot, region) in point.slots().zip(self.rom.region_ids_of(owner)) {
            let child = saved_state(self.slot(slot))?;
            let record = self.rom.state(child)?;
            if RegionId::read(record.region) != Some(region) || record.kind == StateKind::Choice {
                return None;
            }
            states.insert(child);
        }
        Some(states)
    }

    fn deep_states(&self, point: &HistoryRecord, owner: StateId) -> Option<Leaves> {
        let mut states = Leaves::default();
        for (slot, id) in point.slots().zip(self.leaf_ids_below(owner)) {
            let raw = self.slot(slot);
            if raw == 0 {
                continue;
            }
            let leaf = StateId::new(raw)?;
            let record = self.rom.state(leaf)?;
            if record.row.get() == NONE
                || record.leaf_id() != Some(id)
                || !self.rom.is_inside(leaf, owner)
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
