//! Transitions that leave one leaf each: along the line from the leaf up to the domain.
//!
//! There is nobody beside it. So nothing has to be merged or put in order: what is left are the
//! states from the leaf up to the domain. What is entered stands in the plan, or it is a line, too,
//! down to a leaf that a choice or a history point names:
//!
//! ```text
//!   root ── fight ── aim ── steady        `aim` to `rest`, domain root:
//!        └─ rest  ── sit                  exit steady, aim, fight │ effect │ enter rest, sit
//! ```
//!
//! Several of them, in different regions, do not meet (SEL-4): exits, effects and entries of all go one
//! after the other, in the order of their leaves.
//!
//! What leads elsewhere (into several regions, on to initials, to what a deep history remembers)
//! and stacks are left to the general way.

use statewright_rom::Target;
use statewright_rom::ids::*;
use statewright_rom::layout::*;

use crate::commit::entry_set::Entry;
use crate::commit::exits::Leave;
use crate::commit::stack::saved_state;
use crate::context::{Context, Site};
use crate::counters::count;
use crate::fault::Fault;
use crate::host::Cause;
use crate::instance::leaves::{Leaves, Rank};
use crate::select::conditions::Candidate;
use crate::select::{Pick, Selection};
use crate::tick::Tick;
use crate::toggles::{self, Optimization};

/// A transition, and the leaf whose line it is carried out along.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'a> {
    pub(crate) candidate: Candidate<'a>,
    cause: Cause,
    leaf: StateId,
    domain: StateId,
    down: Down,
}

impl Line<'_> {
    fn is_internal(&self) -> bool {
        self.candidate.has(transition_flag::INTERNAL)
    }
}

/// What is kept of a line that is one of several: the rest is in the ROM.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Brief {
    pick: Pick,
    leaf: StateId,
    domain: StateId,
}

/// Lines in the order of their effects.
pub(crate) type Lines = [Option<Brief>; MAX_LEAVES];

/// What is entered.
#[derive(Clone, Copy, Debug)]
enum Down {
    /// What the plan says.
    Plan,
    /// The line down to a leaf.
    Leaf(StateId),
    /// The line down to a leaf that a choice will name.
    Choice(StateId),
}

impl<'a> Tick<'_, 'a> {
    /// The line of what was found, if that is one transition that leaves one leaf.
    pub(crate) fn only_line(&self, selection: &Selection) -> Option<Line<'a>> {
        self.line(selection, selection.only()?)
    }

    /// The lines of all that was found, if each leaves a leaf behind that of the one before and enters
    /// by its plan.
    pub(crate) fn lines_of(&self, selection: &Selection) -> Option<Lines> {
        let mut lines = Lines::default();
        let mut last = None;
        for (cell, pick) in lines.iter_mut().zip(selection.iter()) {
            let line = self.line(selection, pick)?;
            if !line.is_internal() {
                if last >= Some(line.leaf) || !matches!(line.down, Down::Plan) {
                    return None;
                }
                last = Some(line.leaf);
            }
            *cell = Some(Brief {
                pick,
                leaf: line.leaf,
                domain: line.domain,
            });
        }
        let reverse = self.cx.has_policy(policy::REVERSE_EXIT_ORDER);
        if reverse { None } else { Some(lines) }
    }

    /// The line that one transition is carried out along.
    fn line(&self, selection: &Selection, pick: Pick) -> Option<Line<'a>> {
        let leaves = &selection.leaves;
        let candidate = self.cx.candidate(pick.transition)?;
        let leaf = match leaves.len() {
            1 => leaves.get(Rank::FIRST)?,
            _ => self.cx.only_leaf_left(&candidate, leaves)?,
        };
        let (domain, down) = self.cx.way_down(&candidate, leaf, leaves)?;
        let line = Line {
            candidate,
            cause: pick.cause(self.cx.rom, selection.cause, candidate.record),
            leaf,
            domain,
            down,
        };
        let planned = !candidate.has(transition_flag::PUSH | transition_flag::POP)
            && toggles::has(Optimization::Lines);
        let along = planned && self.cx.ram.header().stack_depth == 0;
        if along { Some(line) } else { None }
    }

    /// Carries out several transitions along their lines.
    pub(crate) fn commit_lines(&mut self, lines: &Lines, cause: Cause) -> Result<(), Fault> {
        self.entered_finals = Leaves::default();
        self.may_complete = false;
        if self.cx.rom.has(feature::HISTORY) {
            self.for_each_moving(lines, cause, |tick, line| tick.cx.record_line(line));
        }
        self.for_each_moving(lines, cause, |tick, line| tick.exit_line(line));
        let mut first_cause = None;
        let mut transitions = 0_u64;
        for brief in lines.iter().flatten() {
            if let Some(line) = self.cx.line_of(brief, cause) {
                self.run_effect_of(&line);
                first_cause = first_cause.or(Some(line.cause));
                transitions = transitions.wrapping_add(1);
            }
        }
        let moved = self.for_each_moving(lines, cause, |tick, line| tick.enter_line(line, None));
        if moved {
            self.cx.clear_marks();
        }
        self.complete(first_cause.unwrap_or_default())?;
        count(&mut self.cx.counters.microsteps);
        self.cx.counters.transitions = self.cx.counters.transitions.wrapping_add(transitions);
        Ok(())
    }

    /// Does something with every line that leaves its leaf, in the order of the leaves; whether
    /// there is one.
    #[inline(always)]
    fn for_each_moving(
        &mut self,
        lines: &Lines,
        cause: Cause,
        mut act: impl FnMut(&mut Self, &Line<'a>),
    ) -> bool {
        let mut moved = false;
        for brief in lines.iter().flatten() {
            let line = self.cx.line_of(brief, cause);
            if let Some(line) = line.filter(|line| !line.is_internal()) {
                act(self, &line);
                moved = true;
            }
        }
        moved
    }

    /// What begins with a transition, and its effect.
    fn run_effect_of(&mut self, line: &Line<'a>) {
        self.begin(&line.candidate, line.cause);
        let effect = ListId::read(line.candidate.record.effect);
        self.run_list(effect, &line.candidate.site(line.cause));
    }

    /// Carries out a transition along a line.
    pub(crate) fn commit_line(&mut self, line: &Line<'a>) -> Result<(), Fault> {
        self.entered_finals = Leaves::default();
        self.may_complete = false;
        let internal = line.is_internal();
        if self.cx.rom.has(feature::HISTORY) && !internal {
            self.cx.record_line(line);
        }
        // Guards of branches see what is active before anything is left.
        let (leaf, branch) = self.way_of_branch(line)?;
        if !internal {
            self.exit_line(line);
        }
        self.run_effect_of(line);
        if let Some(effect) = branch {
            self.enter_step(effect, Some(line.candidate.id), line.cause);
        }
        if !internal {
            self.enter_line(line, leaf);
            self.cx.clear_marks();
        }
        self.complete(line.cause)?;
        count(&mut self.cx.counters.microsteps);
        count(&mut self.cx.counters.transitions);
        Ok(())
    }

    /// The leaf that is aimed at, if it is not in the plan, and the effect of the branch that names
    /// it.
    #[inline]
    fn way_of_branch(
        &mut self,
        line: &Line<'a>,
    ) -> Result<(Option<StateId>, Option<Entry>), Fault> {
        match line.down {
            Down::Plan => Ok((None, None)),
            Down::Leaf(leaf) => Ok((Some(leaf), None)),
            Down::Choice(choice) => self.ask_branches(line, choice),
        }
    }

    /// EXEC-7: the first branch whose guard holds.
    #[inline(never)]
    fn ask_branches(
        &mut self,
        line: &Line<'a>,
        choice: StateId,
    ) -> Result<(Option<StateId>, Option<Entry>), Fault> {
        let site = Site {
            state: choice,
            transition: Some(line.candidate.id),
            cause: line.cause,
        };
        for branch in self.cx.rom.branches_of(choice) {
            if self.guard(OpId::read(branch.guard), &site).holds {
                let effect = ListId::read(branch.effect).map(|list| Entry::Effect(choice, list));
                return Ok((self.cx.branch_leaf(branch), effect));
            }
        }
        Err(Fault::BadPlan)
    }

    /// Leaves the states of the line below the domain, the leaf first.
    fn exit_line(&mut self, line: &Line<'a>) {
        let leave = Leave {
            mask: 0,
            domain: Some(line.domain),
            keeps_frames: true,
            transition: Some(line.candidate.id),
            cause: line.cause,
        };
        for state in self.cx.states_below(line.leaf, line.domain) {
            self.exit_state(state, false, &leave);
        }
    }

    /// Enters the line down to a leaf, or what the plan says.
    fn enter_line(&mut self, line: &Line<'a>, leaf: Option<StateId>) {
        let (id, cause) = (line.candidate.id, line.cause);
        if let Some(leaf) = leaf {
            let mut path = [None; MAX_DEPTH];
            let below = self.cx.states_below(leaf, line.domain);
            path.iter_mut()
                .zip(below)
                .for_each(|(cell, state)| *cell = Some(state));
            for state in path.into_iter().rev().flatten() {
                self.enter_step(Entry::State(state), Some(id), cause);
            }
            return;
        }
        let plan = self.cx.proved(self.cx.rom.transition_plan(id));
        let plan = plan.and_then(|plan| PlanId::read(plan.plan));
        for step in plan.map_or(&[][..], |plan| self.cx.rom.plan_steps(plan)) {
            if let Some(entry) = Entry::planned(self.cx, step) {
                self.enter_step(entry, Some(id), cause);
            }
        }
    }
}

impl<'a> Context<'a> {
    /// A line of which the rest is looked up.
    fn line_of(&self, brief: &Brief, asked: Cause) -> Option<Line<'a>> {
        let candidate = self.candidate(brief.pick.transition)?;
        Some(Line {
            candidate,
            cause: brief.pick.cause(self.rom, asked, candidate.record),
            leaf: brief.leaf,
            domain: brief.domain,
            down: Down::Plan,
        })
    }

    /// The only active leaf that a transition leaves; any where it leaves none.
    fn only_leaf_left(&self, candidate: &Candidate<'_>, leaves: &Leaves) -> Option<StateId> {
        if candidate.has(transition_flag::INTERNAL) {
            return leaves.get(Rank::FIRST);
        }
        let domain = StateId::read(candidate.record.domain)?;
        let regions = self.rom.transition_plan(candidate.id)?.regions;
        let mask = self.leaves_in(domain, regions, leaves);
        let only = mask.count_ones() == 1;
        leaves
            .get(Rank::of_bit(mask.trailing_zeros()))
            .filter(|_| only)
    }

    /// A state and those around it, below another one. Bound: the depth of the tree.
    #[inline]
    fn states_below(
        &self,
        inner: StateId,
        outer: StateId,
    ) -> impl Iterator<Item = StateId> + use<'a> {
        let rom = self.rom;
        let next = move |&state: &StateId| rom.parent(state).filter(|&around| around != outer);
        core::iter::successors(Some(inner), next).take(MAX_DEPTH)
    }

    /// Records the history points of all states that are about to be left (EXEC-4).
    fn record_line(&mut self, line: &Line<'_>) {
        for state in self.states_below(line.leaf, line.domain) {
            self.record_points(state);
        }
    }

    /// The domain of a transition and what it enters, if that is a line or a plan.
    #[inline]
    fn way_down(
        &self,
        candidate: &Candidate<'_>,
        leaf: StateId,
        leaves: &Leaves,
    ) -> Option<(StateId, Down)> {
        let domain = StateId::read(candidate.record.domain)?;
        if !candidate.has(transition_flag::HISTORY | transition_flag::CHOICE) {
            Some((domain, Down::Plan))
        } else if leaves.len() == 1 {
            self.way_to_target(candidate, domain, leaf)
        } else {
            None
        }
    }

    #[inline(never)]
    fn way_to_target(
        &self,
        candidate: &Candidate<'_>,
        domain: StateId,
        leaf: StateId,
    ) -> Option<(StateId, Down)> {
        let [target] = self.targets(TargetSetId::read(candidate.record.targets)) else {
            return None;
        };
        match Target::read(target)? {
            Target::Choice(choice) => {
                let mut branches = self.rom.branches_of(choice).iter();
                let down = |branch| self.leads_down(domain, self.branch_leaf(branch));
                branches.all(down).then_some((domain, Down::Choice(choice)))
            }
            Target::History(point) => self.way_to_history(candidate, point, leaf),
            Target::State(_) => None,
        }
    }

    /// The state that is the only target of a branch.
    fn branch_leaf(&self, branch: &BranchRecord) -> Option<StateId> {
        match self.targets(TargetSetId::read(branch.targets)) {
            [target] => match Target::read(target)? {
                Target::State(state) => Some(state),
                Target::Choice(_) | Target::History(_) => None,
            },
            _ => None,
        }
    }

    /// Is a state a leaf, and is there nothing beside the line from another one down to it?
    fn leads_down(&self, domain: StateId, leaf: Option<StateId>) -> bool {
        let Some(leaf) = leaf.filter(|&leaf| self.rom.is_inside(leaf, domain)) else {
            return false;
        };
        let alone = |state: StateId| {
            let around = self
                .rom
                .parent(state)
                .and_then(|around| self.rom.state(around));
            around.is_some_and(|around| around.region_count == 1)
        };
        self.rom.row_of(leaf).is_some() && self.states_below(leaf, domain).all(alone)
    }

    /// A shallow history of one region, which is not about to be recorded anew, that remembers a
    /// leaf. The domain is the innermost state around both (EXEC-2).
    fn way_to_history(
        &self,
        candidate: &Candidate<'_>,
        point: HistoryId,
        leaf: StateId,
    ) -> Option<(StateId, Down)> {
        let point = self.rom.history_point(point)?;
        let owner = StateId::read(point.owner)?;
        let plain = point.deep == 0
            && !self.rom.is_ancestor_or_self(owner, leaf)
            && !self.has_policy(policy::SCXML_DETAILS);
        let [region] = self.rom.regions_of(owner) else {
            return None;
        };
        let child = saved_state(self.slot(point.slots().next().filter(|_| plain)?))?;
        let own = self.rom.parent(child) == Some(owner) && region.owner == point.owner;
        let domain = if candidate.has(transition_flag::LOCAL) {
            candidate.source
        } else {
            let mut around = self.rom.path_up(candidate.source).skip(1);
            around.find(|&around| self.rom.is_inside(child, around))?
        };
        let along = own && self.leads_down(domain, Some(child));
        along.then_some((domain, Down::Leaf(child)))
    }
}
