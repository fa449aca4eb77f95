//! What is entered, found before the first exit: history, initials, choices (EXEC-3, EXEC-4,
//! EXEC-7).
//!
//! Transitions whose entry is known in advance have a plan in the ROM; all others come here, because
//! where they lead depends on the instance: on what a history point remembers, on the guard of a
//! branch. Nothing is entered yet: guards of branches must see the configuration as it was.
//!
//! First targets become **goals**: states that must be active in the end, at most one per leaf.
//! Then a **walk** goes down from the domain in pre-order. A region with a goal in it is entered
//! towards the goal, any other by its initial. Example: a transition of `A` to the choice `C`, whose
//! first branch that holds leads to `D2`:
//!
//! ```text
//!   root                      EntryRequest { domain: root, targets: {C} }
//!   ├── A   (active)
//!   └── P   (orthogonal)      resolve  C is a choice: ask its branches; the second holds.
//!       ├── region 1                   Its effect belongs to the transition: EffectTiming::Effects.
//!       │   ├── C  (choice)            It leads to D2: goal D2.
//!       │   └── D  (compound)
//!       │       ├── D1        walk     P   D2 lies in it
//!       │       └── D2                 D   region 1: D2 lies in it
//!       └── region 2                   D2  the goal; reached, taken off the list
//!           ├── E1 (initial)           E1  region 2: no goal, so its initial
//!           └── E2
//!
//!   EntrySet: │ effect of the branch │ P │ D │ D2 │ E1 │ … free … │ effects that wait │
//!             └ run with the effects └ the entries, in pre-order  └ from the back, two cells each
//! ```
//!
//! An effect found on the way may belong later than where it was found: that of a history's default
//! runs right after the entry of the history's owner. It waits at the back of the set until the
//! walk gets there (`EffectTiming`).

use statewright_rom::Target;
use statewright_rom::ids::*;
use statewright_rom::layout::*;

use crate::context::Site;
use crate::fault::Fault;
use crate::host::Cause;
use crate::instance::leaves::Leaves;
use crate::instance::ram::bit;
use crate::tick::Tick;

mod cells;

use cells::EffectTiming;
use cells::EntrySearch;
pub(crate) use cells::{Entry, EntrySet, EntrySpan};

/// Target sets that are not yet finished: one per level of nested history points. A choice is the
/// last of its set.
const MAX_CHAIN: usize = MAX_DEPTH + 2;

/// Targets that one set may lead to, through choices and defaults.
const MAX_TARGETS: usize = 1024;

/// What to enter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EntryRequest {
    /// The state that is active already; everything is entered below it.
    pub(crate) domain: StateId,
    /// Regions of it, one bit each.
    pub(crate) regions: u8,
    /// Targets; `None` = by the initials.
    pub(crate) targets: Option<TargetSetId>,
    pub(crate) transition: Option<TransitionId>,
    pub(crate) cause: Cause,
}

impl Tick<'_, '_> {
    /// Finds what one request enters; gives its steps.
    pub(crate) fn find_entries(
        &mut self,
        entries: &mut EntrySet,
        request: &EntryRequest,
    ) -> Result<EntrySpan, Fault> {
        let entries = &mut EntrySearch::new(entries);
        let first = entries.len();
        if let Some(set) = request.targets {
            self.resolve(entries, request, set, EffectTiming::Effects, request.domain)?;
        }
        let after_effects = entries.len();
        entries.flush(EffectTiming::Start)?;
        self.walk(entries, request)?;
        entries.check_reached()?;
        Ok(EntrySpan {
            first,
            entries: after_effects,
            end: entries.len(),
        })
    }

    /// Finds the entry of the whole machine, the root included.
    #[inline(never)]
    pub(crate) fn find_first_entries(
        &mut self,
        entries: &mut EntrySet,
        request: &EntryRequest,
    ) -> Result<EntrySpan, Fault> {
        let entries = &mut EntrySearch::new(entries);
        entries.push(Entry::State(StateId::ROOT))?;
        match request.targets {
            Some(set) => {
                self.resolve(entries, request, set, EffectTiming::Now, StateId::ROOT)?;
            }
            None => self.restore(entries, request, StateId::ROOT, EffectTiming::Now)?,
        }
        self.walk(entries, request)?;
        entries.check_reached()?;
        Ok(EntrySpan {
            first: 0,
            entries: 0,
            end: entries.len(),
        })
    }

    /// Finds the default entry of every region that must be active and has no leaf, in the order of
    /// the tree (LOAD-3). Bound: each region lies behind the one before.
    #[inline(never)]
    pub(crate) fn find_missing_entries(
        &mut self,
        entries: &mut EntrySet,
        active: &Leaves,
    ) -> Result<EntrySpan, Fault> {
        let entries = &mut EntrySearch::new(entries);
        let mut behind = 0;
        while let Some(missing) = self.cx.missing_region(active, behind) {
            let request = EntryRequest {
                domain: missing.owner,
                regions: bit(missing.number),
                targets: None,
                transition: None,
                cause: Cause::None,
            };
            if missing.is_first {
                // Its state stays active: the effect of a default comes before the first entry, if
                // at all.
                self.restore(entries, &request, missing.owner, EffectTiming::Start)?;
                entries.flush(EffectTiming::Start)?;
                // What it remembers of regions that are active does not matter.
                for region in self.cx.rom.region_ids_of(missing.owner) {
                    let (first, end) = self.cx.rom.region_span(region).ok_or(Fault::BadPlan)?;
                    if active.mask_in(first, end) != 0 {
                        entries.drop_goals_in(first, end);
                    }
                }
            }
            self.walk(entries, &request)?;
            behind = missing.first_child.saturating_add(1);
        }
        entries.check_reached()?;
        Ok(EntrySpan {
            first: 0,
            entries: 0,
            end: entries.len(),
        })
    }

    /// Enters regions in pre-order. Bound: every round enters a state or ends one; steps are
    /// limited.
    fn walk(&mut self, entries: &mut EntrySearch<'_>, request: &EntryRequest) -> Result<(), Fault> {
        // State, next region of it, and which of them are entered.
        let mut path: [(StateId, u8, u8); MAX_DEPTH] =
            [(request.domain, 0, request.regions); MAX_DEPTH];
        let mut depth = 1_usize;
        while let Some(place) = depth.checked_sub(1) {
            let (owner, next, mask) = path.get_mut(place).ok_or(Fault::BadPlan)?;
            let number = *next;
            let Some(region) = self.cx.rom.region_ids_of(*owner).nth(usize::from(number)) else {
                depth = place;
                continue;
            };
            *next = number.saturating_add(1);
            if *mask & bit(number) == 0 {
                continue;
            }
            let owner = *owner;
            let child = self.enter_region(entries, request, owner, region)?;
            if !self.cx.rom.regions_of(child).is_empty() {
                *path.get_mut(depth).ok_or(Fault::BadPlan)? = (child, 0, u8::MAX);
                depth = depth.saturating_add(1);
            }
        }
        Ok(())
    }

    /// Enters the child of a region that leads to its goals, or the one its initial names.
    fn enter_region(
        &mut self,
        entries: &mut EntrySearch<'_>,
        request: &EntryRequest,
        owner: StateId,
        region: RegionId,
    ) -> Result<StateId, Fault> {
        let (first, end) = self.cx.rom.region_span(region).ok_or(Fault::BadPlan)?;
        if entries.goal_in(first, end).is_none() {
            let initial = self.cx.rom.initial_of(region).ok_or(Fault::BadPlan)?;
            entries.effect(EffectTiming::Now, owner, ListId::read(initial.effect))?;
            let set = TargetSetId::read(initial.targets).ok_or(Fault::BadPlan)?;
            self.resolve(entries, request, set, EffectTiming::Now, owner)?;
        }
        let goal = entries.goal_in(first, end).ok_or(Fault::BadPlan)?;
        let child = self
            .cx
            .rom
            .path_up(goal)
            .take_while(|&state| state != owner)
            .last()
            .ok_or(Fault::BadPlan)?;
        if self
            .cx
            .rom
            .state(child)
            .is_none_or(|record| record.kind == StateKind::Choice)
        {
            return Err(Fault::BadPlan);
        }
        entries.push(Entry::State(child))?;
        self.reach(entries, request, child)?;
        Ok(child)
    }

    /// A state is entered: effects that wait for it, and its history if nothing inside it is aimed
    /// at.
    fn reach(
        &mut self,
        entries: &mut EntrySearch<'_>,
        request: &EntryRequest,
        state: StateId,
    ) -> Result<(), Fault> {
        entries.flush(EffectTiming::At(state))?;
        let goal = entries.take_goal(state);
        let end = self
            .cx
            .state(state)
            .map_or(0, |record| record.subtree_end.get());
        let aimed = entries
            .goal_in(state.raw().saturating_add(1), end)
            .is_some();
        if aimed || goal.is_some_and(|goal| goal.by_initial) {
            return Ok(());
        }
        self.restore(entries, request, state, EffectTiming::Now)
    }

    /// Default entry of a state that restores its history (EXEC-4).
    fn restore(
        &mut self,
        entries: &mut EntrySearch<'_>,
        request: &EntryRequest,
        state: StateId,
        timing: EffectTiming,
    ) -> Result<(), Fault> {
        let restores = self
            .cx
            .state(state)
            .is_some_and(|s| s.flags.get() & state_flag::RESTORES != 0);
        if !restores {
            return Ok(());
        }
        let mut points = self.cx.rom.history_of(state).iter();
        let point = points.find(|point| point.restore == 1);
        let point = point.ok_or(Fault::BadPlan)?;
        if let Some(set) = self.enter_history(entries, point, timing, state)? {
            self.resolve(entries, request, set.0, set.1, state)?;
        }
        Ok(())
    }

    /// Turns targets into goals, through choices and history. `alive` is the innermost state known
    /// to be active or entered.
    fn resolve(
        &mut self,
        entries: &mut EntrySearch<'_>,
        request: &EntryRequest,
        set: TargetSetId,
        timing: EffectTiming,
        alive: StateId,
    ) -> Result<(), Fault> {
        let mut chain: [Option<(TargetSetId, u16, EffectTiming)>; MAX_CHAIN] = [None; MAX_CHAIN];
        *chain.first_mut().ok_or(Fault::BadPlan)? = Some((set, 0, timing));
        let mut depth = 1_usize;
        for _ in 0..MAX_TARGETS {
            let Some(place) = depth.checked_sub(1) else {
                return Ok(());
            };
            let (set, next, timing) = chain
                .get_mut(place)
                .and_then(Option::as_mut)
                .ok_or(Fault::BadPlan)?;
            let Some(target) = self.cx.rom.targets_of(*set).get(usize::from(*next)) else {
                depth = place;
                continue;
            };
            *next = next.saturating_add(1);
            let (is_last, timing) = (
                usize::from(*next) >= self.cx.rom.targets_of(*set).len(),
                *timing,
            );
            let leads_to = match Target::read(target).ok_or(Fault::BadPlan)? {
                Target::State(state) => {
                    entries.add_goal(state, false)?;
                    None
                }
                Target::Choice(choice) => Some(self.choose(entries, request, choice, timing)?),
                Target::History(point) => {
                    let point = self.cx.rom.history_point(point).ok_or(Fault::BadPlan)?;
                    self.enter_history(entries, point, timing, alive)?
                }
            };
            if is_last {
                depth = place;
            }
            if let Some((set, timing)) = leads_to {
                *chain.get_mut(depth).ok_or(Fault::BadPlan)? = Some((set, 0, timing));
                depth = depth.saturating_add(1);
            }
        }
        // A circle through choices and history points, which no compiler lets pass.
        Err(Fault::BadPlan)
    }

    /// The branch of a choice: the first whose guard holds (EXEC-7).
    fn choose(
        &mut self,
        entries: &mut EntrySearch<'_>,
        request: &EntryRequest,
        choice: StateId,
        timing: EffectTiming,
    ) -> Result<(TargetSetId, EffectTiming), Fault> {
        let site = Site {
            state: choice,
            transition: request.transition,
            cause: request.cause,
        };
        let branches = self.cx.rom.branches_of(choice);
        let mut taken = None;
        for branch in branches {
            if self.guard(OpId::read(branch.guard), &site).holds {
                taken = Some(branch);
                break;
            }
        }
        let branch = taken.ok_or(Fault::BadPlan)?;
        entries.effect(timing, choice, ListId::read(branch.effect))?;
        Ok((
            TargetSetId::read(branch.targets).ok_or(Fault::BadPlan)?,
            timing,
        ))
    }

    /// What a history point remembers becomes goals; else its default comes next (EXEC-4).
    #[inline(never)]
    fn enter_history(
        &mut self,
        entries: &mut EntrySearch<'_>,
        point: &HistoryRecord,
        timing: EffectTiming,
        alive: StateId,
    ) -> Result<Option<(TargetSetId, EffectTiming)>, Fault> {
        if let Some(remembered) = self.cx.remembered(point) {
            for (_, state) in remembered.states.iter() {
                entries.add_goal(state, false)?;
            }
            return Ok(None);
        }
        let owner = StateId::read(point.owner).ok_or(Fault::BadPlan)?;
        let active = self.cx.rom.is_ancestor_or_self(owner, alive);
        let timing = match timing {
            EffectTiming::Effects | EffectTiming::Start if active => EffectTiming::Start,
            EffectTiming::Now if active => EffectTiming::Now,
            _ => EffectTiming::At(owner),
        };
        // In SCXML it belongs to the entry of the owner.
        if timing != EffectTiming::Start || !self.cx.has_policy(policy::SCXML_DETAILS) {
            entries.effect(timing, owner, ListId::read(point.effect))?;
        }
        match TargetSetId::read(point.default) {
            Some(set) => Ok(Some((set, timing))),
            None if active => Ok(None),
            None => entries.add_goal(owner, true).map(|()| None),
        }
    }
}
