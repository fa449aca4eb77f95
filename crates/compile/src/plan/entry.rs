//! Entry plans: the states a transition enters, in order, with the initial effects on the way
//! (EXEC-1, EXEC-3), and the structural cost of a transition in its worst configuration (EXEC-9).

use std::collections::HashMap;

use statewright_rom::ids::{PlanId, RegionId, StateId};
use statewright_rom::layout::*;
use zerocopy::IntoBytes;
use zerocopy::byteorder::little_endian::{U16, U32};

use super::domain::left_regions;
use super::shape::{Shape, state_in, targets};
use super::{PlanError, is_leaf};
use crate::index::IndexVec;
use crate::tables::Tables;

/// Gives every transition its plan and cost.
pub fn assign(tables: &mut Tables, shape: &Shape) -> Result<(), PlanError> {
    let worst = worst_regions(shape);
    let mut known: HashMap<Vec<u8>, PlanId> = HashMap::new();
    for id in tables.transition_ids() {
        let transition = *tables.transition(id);
        let steps = Planner { tables, shape }.steps(&transition);
        let cost = cost(tables, shape, &worst, &transition, steps.as_deref());
        if steps.is_none()
            && transition.flags.get() & (transition_flag::HISTORY | transition_flag::CHOICE) == 0
        {
            // History or choice on the way, not among the targets.
            tables.transitions[id.index()].flags |= transition_flag::HISTORY;
        }
        let plan = match steps.filter(|steps| !steps.is_empty()) {
            None => None,
            Some(steps) => match known.get(steps.as_slice().as_bytes()) {
                Some(&plan) => Some(plan),
                None => {
                    let plan = add_plan(tables, &steps)?;
                    known.insert(steps.as_slice().as_bytes().to_vec(), plan);
                    Some(plan)
                }
            },
        };
        // A cost over 255 is far over what any tier allows, so it is not told apart.
        let cost = u8::try_from(cost).unwrap_or(u8::MAX);
        let regions = left_regions(tables, shape, &transition);
        tables.transition_plans.push(TransitionPlan {
            plan: U16::new(PlanId::to_raw(plan)),
            cost,
            regions,
            ..TransitionPlan::default()
        });
    }
    Ok(())
}

fn add_plan(tables: &mut Tables, steps: &[PlanStep]) -> Result<PlanId, PlanError> {
    let count = tables.entry_plans.len();
    let plan = PlanId::from_index(count)
        .filter(|_| count < MAX_RECORDS)
        .ok_or(PlanError::Plans(count + 1))?;
    tables.entry_plans.push(EntryPlan {
        first: U32::new(tables.entry_steps.len() as u32),
        count: U16::new(steps.len() as u16),
        reserved: U16::new(0),
    });
    tables.entry_steps.extend_from_slice(steps);
    Ok(plan)
}

struct Planner<'t> {
    tables: &'t Tables,
    shape: &'t Shape,
}

impl Planner<'_> {
    /// Steps of a transition; `None` when they are known only at run time.
    fn steps(&self, transition: &TransitionRecord) -> Option<Vec<PlanStep>> {
        let targets = states_of(targets(self.tables, transition.targets))?;
        let mut steps = Vec::new();
        if targets.is_empty() {
            return Some(steps);
        }
        let domain = state_in(transition.domain);
        let left = left_regions(self.tables, self.shape, transition);
        for (number, region) in self.shape.regions(domain).enumerate() {
            if has_bit(left, number) {
                let inside = self.inside(&targets, domain, region);
                self.enter_region(domain, region, &inside, &mut steps)?;
            }
        }
        Some(steps)
    }

    /// Targets that lie in a region of a state.
    fn inside(&self, targets: &[StateId], owner: StateId, region: RegionId) -> Vec<StateId> {
        targets
            .iter()
            .copied()
            .filter(|&t| self.shape.region_towards(owner, t) == Some(region))
            .collect()
    }

    /// Enters a region towards its targets, or by its initial when there are none. Depth is bounded
    /// by the tree.
    fn enter_region(
        &self,
        owner: StateId,
        region: RegionId,
        targets: &[StateId],
        steps: &mut Vec<PlanStep>,
    ) -> Option<()> {
        if let Some(&first) = targets.first() {
            let child = *self.shape.path_down(owner, first).first()?;
            return self.enter_state(child, targets, steps);
        }
        let owner_record = self.tables.state(owner);
        if owner_record.flags.get() & state_flag::RESTORES != 0 {
            return None;
        }
        let initial = &self.tables.initials[usize::from(self.tables.region(region).initial.get())];
        if initial.effect.get() != NONE {
            steps.push(PlanStep {
                state: U16::new(owner.raw()),
                list: initial.effect,
                kind: PlanStepKind::Initial.into(),
                leaf: 0xFF,
                reserved: U16::new(0),
            });
        }
        let targets = states_of(super::shape::targets(self.tables, initial.targets))?;
        let child = *self.shape.path_down(owner, *targets.first()?).first()?;
        self.enter_state(child, &targets, steps)
    }

    fn enter_state(
        &self,
        state: StateId,
        targets: &[StateId],
        steps: &mut Vec<PlanStep>,
    ) -> Option<()> {
        let record = self.tables.state(state);
        steps.push(PlanStep {
            state: U16::new(state.raw()),
            list: record.entry,
            kind: PlanStepKind::State.into(),
            leaf: if is_leaf(record) { record.leaf } else { 0xFF },
            reserved: U16::new(0),
        });
        for region in self.shape.regions(state) {
            let inside = self.inside(targets, state, region);
            self.enter_region(state, region, &inside, steps)?;
        }
        Some(())
    }
}

/// The states of a target list; `None` if one of them is history or choice.
fn states_of(targets: &[TargetRecord]) -> Option<Vec<StateId>> {
    let state = |t: &TargetRecord| (t.kind == TargetKind::State).then_some(state_in(t.index));
    targets.iter().map(state).collect()
}

/// For each region, most states that can be active in it at once.
fn worst_regions(shape: &Shape) -> IndexVec<RegionId, u32> {
    let mut regions = shape.per_region(0);
    // Pre-order backwards: what is inside a state is known before the state.
    for state in shape.states().rev() {
        let active = 1 + shape
            .regions(state)
            .map(|region| regions[region])
            .sum::<u32>();
        if let Some(around) = shape.region_of(state) {
            regions[around] = active.max(regions[around]);
        }
    }
    regions
}

/// Most states that can be active in the region of a source inside the domain, while the source is.
fn active_with(
    shape: &Shape,
    worst: &IndexVec<RegionId, u32>,
    domain: StateId,
    source: StateId,
) -> u32 {
    let inside = |state: StateId, but: Option<RegionId>| {
        1 + shape
            .regions(state)
            .filter(|&region| Some(region) != but)
            .map(|region| worst[region])
            .sum::<u32>()
    };
    let mut count = inside(source, None);
    let mut below = source;
    while let Some(around) = shape.parent(below).filter(|&around| around != domain) {
        count += inside(around, shape.region_of(below));
        below = around;
    }
    count
}

fn has_bit(mask: u8, number: usize) -> bool {
    u32::try_from(number).is_ok_and(|number| mask & 1u8.checked_shl(number).unwrap_or(0) != 0)
}

/// Exits + entries + 1 in the worst configuration (EXEC-9).
fn cost(
    tables: &Tables,
    shape: &Shape,
    worst: &IndexVec<RegionId, u32>,
    transition: &TransitionRecord,
    steps: Option<&[PlanStep]>,
) -> u16 {
    if transition.flags.get() & transition_flag::INTERNAL != 0 {
        return 1;
    }
    let domain = state_in(transition.domain);
    let left = left_regions(tables, shape, transition);
    let source = state_in(transition.source);
    let own = shape.region_towards(domain, source);
    let regions = shape
        .regions(domain)
        .enumerate()
        .filter(|&(number, _)| has_bit(left, number))
        .map(|(_, region)| region);
    let active = |region| {
        if own == Some(region) {
            active_with(shape, worst, domain, source)
        } else {
            worst[region]
        }
    };
    let exits: u32 = regions.clone().map(active).sum();
    let entered = steps.map(|steps| {
        steps
            .iter()
            .filter(|step| step.kind == PlanStepKind::State)
            .count() as u32
    });
    // A pop enters what it restores; history and choice may enter anything in the regions.
    let entries = entered
        .filter(|&count| count > 0)
        .unwrap_or_else(|| regions.map(|region| worst[region]).sum());
    u16::try_from(exits + entries + 1).unwrap_or(u16::MAX)
}
