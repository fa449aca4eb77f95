//! What a transition leaves: its domain, the regions of it, and the active leaves in them (EXEC-2).

use statewright_rom::Target;
use statewright_rom::ids::*;
use statewright_rom::layout::*;

use crate::commit::history::Remembered;
use crate::context::Context;
use crate::instance::leaves::Leaves;
use crate::instance::ram::bit;

/// What a transition leaves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope {
    /// The state that stays active.
    pub(crate) domain: StateId,
    /// Regions of the domain that are left, one bit each.
    pub(crate) regions: u8,
    /// Active leaves in them, one bit per place in the order of the tree. Two exit sets intersect
    /// exactly if these do: with a state, all active leaves below it are left.
    pub(crate) leaves: u8,
    /// Source and targets lie in the region that is left: its frames stay (EXEC-8).
    pub(crate) stays: bool,
}

/// Where a target leads, as far as the domain is concerned.
#[derive(Clone, Copy, Debug)]
enum Goal {
    /// To a state.
    State(StateId),
    /// To all regions of a state by their initials.
    Whole(StateId),
}

impl Context<'_> {
    /// Where a target lies.
    fn anchor(&self, target: &TargetRecord) -> Option<StateId> {
        self.proved(Target::read(target).and_then(|target| self.rom.anchor(target)))
    }

    /// What a transition leaves in the current configuration.
    pub(crate) fn scope(&self, id: TransitionId, leaves: &Leaves) -> Option<Scope> {
        let record = self.rom.transition(id)?;
        let (source, domain) = (StateId::read(record.source)?, StateId::read(record.domain)?);
        if record.flags.get() & transition_flag::INTERNAL != 0 {
            return Some(Scope {
                domain,
                regions: 0,
                leaves: 0,
                stays: true,
            });
        }
        let regions = self.rom.transition_plan(id)?.regions;
        let (domain, regions) = if self.has_history_target(record) {
            self.history_domain(record, source)
        } else {
            (domain, regions)
        };
        let stays = self.rom.has(feature::STACK) && self.stays(record, source, domain);
        Some(Scope {
            domain,
            regions,
            leaves: self.leaves_in(domain, regions, leaves),
            stays,
        })
    }

    /// Everything below the root.
    pub(crate) fn whole_scope(&self, leaves: &Leaves) -> Scope {
        let (domain, regions) = (StateId::ROOT, u8::MAX);
        Scope {
            domain,
            regions,
            leaves: self.leaves_in(domain, regions, leaves),
            stays: false,
        }
    }

    /// Active leaves in some regions of a state.
    pub(crate) fn leaves_in(&self, domain: StateId, regions: u8, leaves: &Leaves) -> u8 {
        // The domain is around what is left: with one leaf, around that.
        if leaves.len() == 1 && !self.rom.has(feature::REGIONS) {
            return 1;
        }
        let mut mask = 0;
        for (number, region) in (0_u8..).zip(self.rom.region_ids_of(domain)) {
            if let Some((first, end)) = self
                .region_span(region)
                .filter(|_| regions & bit(number) != 0)
            {
                mask |= leaves.mask_in(first, end);
            }
        }
        mask
    }

    fn has_history_target(&self, record: &TransitionRecord) -> bool {
        record.flags.get() & transition_flag::HISTORY != 0
            && self
                .targets(TargetSetId::read(record.targets))
                .iter()
                .any(|target| target.kind == TargetKind::History)
    }

    pub(crate) fn targets(&self, set: Option<TargetSetId>) -> &'_ [TargetRecord] {
        set.map_or(&[], |set| self.rom.targets_of(set))
    }

    /// Frames of a region stay if source and targets lie in it; a history point lies where its
    /// owner does (EXEC-8).
    fn stays(&self, record: &TransitionRecord, source: StateId, domain: StateId) -> bool {
        let own = self.region_towards(domain, source);
        let same = |anchor: StateId| anchor != domain && self.region_towards(domain, anchor) == own;
        own.is_some()
            && self
                .targets(TargetSetId::read(record.targets))
                .iter()
                .all(|target| self.anchor(target).is_some_and(same))
    }
}

/// History targets: the domain follows from what is remembered.
impl Context<'_> {
    fn history_domain(&self, record: &TransitionRecord, source: StateId) -> (StateId, u8) {
        let set = TargetSetId::read(record.targets);
        if record.flags.get() & transition_flag::LOCAL != 0 && self.stays_local(set, source) {
            return (source, self.goal_regions(set, source));
        }
        let mut at = self.rom.parent(source).unwrap_or(StateId::ROOT);
        // Bound: the depth of the tree.
        while at != StateId::ROOT
            && !self.all_goals(set, |goal| self.is_within_reach(goal, source, at))
        {
            at = self.proved(self.rom.parent(at)).unwrap_or(StateId::ROOT);
        }
        let own = self.region_towards(at, source).map_or(u8::MAX, bit);
        let regions = if self.goal_regions(set, at) & !own == 0 {
            own
        } else {
            u8::MAX
        };
        (at, regions)
    }

    /// In SCXML what is remembered decides whether all targets lie inside the source; otherwise the
    /// transition is external.
    fn stays_local(&self, set: Option<TargetSetId>, source: StateId) -> bool {
        !self.has_policy(policy::SCXML_DETAILS)
            || self.all_goals(set, |goal| match goal {
                Goal::State(state) => self.rom.is_inside(state, source),
                Goal::Whole(owner) => self.rom.is_ancestor_or_self(source, owner),
            })
    }

    /// Does a goal lie inside a state around the source, in the source's own region of it?
    fn is_within_reach(&self, goal: Goal, source: StateId, outer: StateId) -> bool {
        let is_compound = self
            .state(outer)
            .is_some_and(|record| record.kind == StateKind::Compound);
        if self.has_policy(policy::SCXML_DETAILS) && !is_compound {
            return false;
        }
        match goal {
            Goal::Whole(owner) if owner == outer => is_compound,
            Goal::Whole(state) | Goal::State(state) => {
                self.rom.is_inside(state, outer)
                    && self.region_towards(outer, state) == self.region_towards(outer, source)
            }
        }
    }

    /// Regions of a state that the goals lie in.
    fn goal_regions(&self, set: Option<TargetSetId>, domain: StateId) -> u8 {
        let mut regions = 0;
        self.all_goals(set, |goal| {
            let (Goal::State(state) | Goal::Whole(state)) = goal;
            regions |= self.region_towards(domain, state).map_or(u8::MAX, bit);
            true
        });
        regions
    }

    /// Number of the region of a state in which another one lies.
    pub(crate) fn region_towards(&self, outer: StateId, inner: StateId) -> Option<u8> {
        let inside = |region: RegionId| {
            self.region_span(region)
                .is_some_and(|(first, end)| first <= inner.raw() && inner.raw() < end)
        };
        (0_u8..)
            .zip(self.rom.region_ids_of(outer))
            .find(|&(_, region)| inside(region))
            .map(|(number, _)| number)
    }

    /// Does a test hold for every goal of a target set?
    fn all_goals(&self, set: Option<TargetSetId>, mut test: impl FnMut(Goal) -> bool) -> bool {
        for target in self.targets(set) {
            let good = match self.proved(Target::read(target)) {
                Some(Target::State(state) | Target::Choice(state)) => test(Goal::State(state)),
                Some(Target::History(point)) => self.all_history_goals(point, &mut test),
                None => false,
            };
            if !good {
                return false;
            }
        }
        true
    }

    fn all_history_goals(&self, point: HistoryId, test: &mut impl FnMut(Goal) -> bool) -> bool {
        let Some(record) = self.proved(self.rom.history_point(point)) else {
            return false;
        };
        if let Some(Remembered { states }) = self.remembered(record) {
            return states.iter().all(|(_, state)| test(Goal::State(state)));
        }
        let Some(owner) = self.proved(StateId::read(record.owner)) else {
            return false;
        };
        let default = self.targets(TargetSetId::read(record.default));
        // Where a choice will lead is not known yet, only that it stays inside the owner.
        if default.is_empty()
            || default
                .iter()
                .any(|target| target.kind == TargetKind::Choice)
        {
            return test(Goal::Whole(owner));
        }
        default
            .iter()
            .all(|target| self.anchor(target).is_some_and(|s| test(Goal::State(s))))
    }
}
