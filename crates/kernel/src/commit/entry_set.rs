//! What is entered, settled before the first exit: history, initials, choices (EXEC-3, EXEC-4,
//! EXEC-7).
//!
//! Transitions whose entry is known in advance have a plan in the ROM; all others come here.
//! Targets become goals; a walk in pre-order enters regions towards their goals, or by default
//! where there are none.

use statewright_rom::Target;
use statewright_rom::ids::*;
use statewright_rom::layout::*;

use crate::context::Site;
use crate::fault::Fault;
use crate::host::Cause;
use crate::instance::ram::bit;
use crate::tick::Run;

/// Room for the steps of one microstep; the compiler refuses machines that need more (SW0505). It
/// lies on the stack, of which a tick uses less than 4 KiB (`proof/differential/src/depth.rs`).
const MAX_STEPS: u16 = statewright_rom::layout::MAX_STEPS as u16;
/// Goals that are open at once: they can be active together, so there is one per leaf at most.
const MAX_GOALS: usize = MAX_LEAVES;
/// Target sets that are not yet finished: one per level of nested history points. A choice is the
/// last of its set.
const MAX_CHAIN: usize = MAX_DEPTH + 2;

/// Targets that one set may lead to, through choices and defaults.
const MAX_TARGETS: usize = 1024;

/// One step of an entry.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Entry {
    /// Enters a state.
    State(StateId),
    /// Runs an effect that belongs to a state.
    Effect(StateId, ListId),
}

/// Steps of one accepted transition: branch effects that run with its own, then entries.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Span {
    pub(crate) first: u16,
    pub(crate) entries: u16,
    pub(crate) end: u16,
}

#[derive(Clone, Copy, Debug)]
struct Goal {
    state: StateId,
    /// Entered by its initials, whatever its history says.
    by_initial: bool,
}

/// Where an effect found on the way belongs.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Sink {
    /// To the effects of the transition.
    Effects,
    /// Before the first entry.
    Start,
    /// After the entry of this state.
    At(StateId),
    /// Here.
    Now,
}

impl Sink {
    /// What an effect waits for, as its cell keeps it.
    fn raw(self) -> u16 {
        if let Self::At(state) = self {
            state.raw()
        } else {
            NONE
        }
    }
}

/// A step in four bytes: a state, and the effect that runs for it or the mark below.
#[derive(Clone, Copy, Debug)]
struct Cell {
    state: u16,
    list: u16,
}

/// The state is entered. No list has this number (ROM-3).
const ENTERS: u16 = NONE;
const _: () = assert!(MAX_RECORDS <= ENTERS as usize);

impl Cell {
    const EMPTY: Self = Self {
        state: NONE,
        list: NONE,
    };

    fn new(step: Entry) -> Self {
        match step {
            Entry::State(state) => Self {
                state: state.raw(),
                list: ENTERS,
            },
            Entry::Effect(state, list) => Self {
                state: state.raw(),
                list: list.raw(),
            },
        }
    }

    fn entry(self) -> Option<Entry> {
        let state = StateId::new(self.state)?;
        Some(match self.list {
            ENTERS => Entry::State(state),
            list => Entry::Effect(state, ListId::new(list)?),
        })
    }
}

/// Entries of all transitions of a microstep. It is large: functions that hold one are kept apart
/// from all others.
#[derive(Debug)]
pub(crate) struct Settled {
    /// Steps from the front; from the back effects that wait, two cells each: what for, and the
    /// effect.
    cells: [Cell; MAX_STEPS as usize],
    len: u16,
    /// Effects that wait; those before the last may have found their place already.
    waiting: u16,
    goals: [Option<Goal>; MAX_GOALS],
    pub(crate) spans: [Span; MAX_LEAVES],
}

/// What to enter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    /// The state that is active already; everything is entered below it.
    pub(crate) domain: StateId,
    /// Regions of it, one bit each.
    pub(crate) regions: u8,
    /// Targets; `None` = by the initials.
    pub(crate) targets: Option<TargetSetId>,
    pub(crate) transition: Option<TransitionId>,
    pub(crate) cause: Cause,
}

impl Settled {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self {
            cells: [Cell::EMPTY; MAX_STEPS as usize],
            len: 0,
            waiting: 0,
            goals: [None; MAX_GOALS],
            spans: [Span::default(); MAX_LEAVES],
        }
    }

    pub(crate) fn get(&self, place: u16) -> Option<Entry> {
        self.cells.get(usize::from(place))?.entry()
    }

    fn push(&mut self, step: Entry) -> Result<(), Fault> {
        self.check_room(1)?;
        *self
            .cells
            .get_mut(usize::from(self.len))
            .ok_or(Fault::TooManySteps)? = Cell::new(step);
        self.len = self.len.saturating_add(1);
        Ok(())
    }

    /// Are so many cells free between steps and effects that wait?
    fn check_room(&self, cells: u16) -> Result<(), Fault> {
        let used = self.len.saturating_add(self.waiting.saturating_mul(2));
        if used.saturating_add(cells) <= MAX_STEPS {
            Ok(())
        } else {
            Err(Fault::TooManySteps)
        }
    }

    /// The cells of an effect that waits: what for, and the effect.
    fn waiting_cells(&mut self, number: u16) -> Option<&mut [Cell; 2]> {
        let end = MAX_STEPS.checked_sub(number.checked_mul(2)?)?;
        self.cells.get_mut(..usize::from(end))?.last_chunk_mut()
    }

    fn add_goal(&mut self, state: StateId, by_initial: bool) -> Result<(), Fault> {
        let free = self
            .goals
            .iter_mut()
            .find(|goal| goal.is_none())
            .ok_or(Fault::BadPlan)?;
        *free = Some(Goal { state, by_initial });
        Ok(())
    }

    /// The first goal in a range of states.
    fn goal_in(&self, first: u16, end: u16) -> Option<StateId> {
        let inside = |goal: &&Goal| first <= goal.state.raw() && goal.state.raw() < end;
        self.goals
            .iter()
            .flatten()
            .filter(inside)
            .map(|goal| goal.state)
            .min()
    }

    /// A state is reached: takes its goal away.
    fn take_goal(&mut self, state: StateId) -> Option<Goal> {
        self.goals
            .iter_mut()
            .find(|goal| goal.is_some_and(|goal| goal.state == state))?
            .take()
    }

    /// A target outside of the domain is never reached: only a ROM that no compiler made has one.
    fn check_reached(&self) -> Result<(), Fault> {
        let open = self.goals.iter().any(Option::is_some) || self.waiting > 0;
        if open { Err(Fault::BadPlan) } else { Ok(()) }
    }

    fn effect(&mut self, sink: Sink, state: StateId, list: u16) -> Result<(), Fault> {
        let Some(list) = ListId::new(list) else {
            return Ok(());
        };
        if matches!(sink, Sink::Effects | Sink::Now) {
            return self.push(Entry::Effect(state, list));
        }
        self.check_room(2)?;
        let [waits_for, effect] = self
            .waiting_cells(self.waiting)
            .ok_or(Fault::TooManySteps)?;
        *waits_for = Cell {
            state: sink.raw(),
            list: NONE,
        };
        *effect = Cell::new(Entry::Effect(state, list));
        self.waiting = self.waiting.saturating_add(1);
        Ok(())
    }

    /// Puts effects that waited for this moment into the steps, in the order in which they were
    /// found.
    fn flush(&mut self, sink: Sink) -> Result<(), Fault> {
        // How many are left if those at the end are gone.
        let mut left = 0_u16;
        for number in 0..self.waiting {
            let Some([waits_for, effect]) = self.waiting_cells(number) else {
                continue;
            };
            let Some(entry) = effect.entry() else {
                continue;
            };
            if waits_for.state == sink.raw() {
                *effect = Cell::EMPTY;
                self.push(entry)?;
            } else {
                left = number.saturating_add(1);
            }
        }
        self.waiting = left;
        Ok(())
    }
}

impl Run<'_, '_> {
    /// Settles one way; gives its steps.
    pub(crate) fn settle(&mut self, settled: &mut Settled, way: &Way) -> Result<Span, Fault> {
        settled.goals = [None; MAX_GOALS];
        settled.waiting = 0;
        let first = settled.len;
        if let Some(set) = way.targets {
            self.resolve(settled, way, set, Sink::Effects, way.domain)?;
        }
        let entries = settled.len;
        settled.flush(Sink::Start)?;
        self.walk(settled, way)?;
        settled.check_reached()?;
        Ok(Span {
            first,
            entries,
            end: settled.len,
        })
    }

    /// Settles the entry of the whole machine, the root included.
    pub(crate) fn settle_start(&mut self, settled: &mut Settled, way: &Way) -> Result<Span, Fault> {
        settled.push(Entry::State(StateId::ROOT))?;
        if way.targets.is_none() {
            self.restore(settled, way, StateId::ROOT)?;
        }
        self.walk(settled, way)?;
        settled.check_reached()?;
        Ok(Span {
            first: 0,
            entries: 0,
            end: settled.len,
        })
    }

    /// Enters regions in pre-order. Bound: every round enters a state or ends one; steps are
    /// limited.
    fn walk(&mut self, settled: &mut Settled, way: &Way) -> Result<(), Fault> {
        // State, next region of it, and which of them are entered.
        let mut path: [(StateId, u8, u8); MAX_DEPTH] = [(way.domain, 0, way.regions); MAX_DEPTH];
        let mut depth = 1_usize;
        while let Some(place) = depth.checked_sub(1) {
            let (owner, next, mask) = path.get_mut(place).ok_or(Fault::BadPlan)?;
            let number = *next;
            let Some(region) = self.core.rom.region_ids_of(*owner).nth(usize::from(number)) else {
                depth = place;
                continue;
            };
            *next = number.saturating_add(1);
            if *mask & bit(number) == 0 {
                continue;
            }
            let owner = *owner;
            let child = self.enter_region(settled, way, owner, region)?;
            if !self.core.rom.regions_of(child).is_empty() {
                *path.get_mut(depth).ok_or(Fault::BadPlan)? = (child, 0, u8::MAX);
                depth = depth.saturating_add(1);
            }
        }
        Ok(())
    }

    /// Enters the child of a region that leads to its goals, or the one its initial names.
    fn enter_region(
        &mut self,
        settled: &mut Settled,
        way: &Way,
        owner: StateId,
        region: RegionId,
    ) -> Result<StateId, Fault> {
        let (first, end) = self.core.rom.region_span(region).ok_or(Fault::BadPlan)?;
        if settled.goal_in(first, end).is_none() {
            let initial = self.core.rom.initial_of(region).ok_or(Fault::BadPlan)?;
            settled.effect(Sink::Now, owner, initial.effect.get())?;
            let set = TargetSetId::read(initial.targets).ok_or(Fault::BadPlan)?;
            self.resolve(settled, way, set, Sink::Now, owner)?;
        }
        let goal = settled.goal_in(first, end).ok_or(Fault::BadPlan)?;
        let child = self
            .core
            .rom
            .path_up(goal)
            .take_while(|&state| state != owner)
            .last()
            .ok_or(Fault::BadPlan)?;
        if self
            .core
            .rom
            .state(child)
            .is_none_or(|record| record.kind == StateKind::Choice)
        {
            return Err(Fault::BadPlan);
        }
        settled.push(Entry::State(child))?;
        self.reach(settled, way, child)?;
        Ok(child)
    }

    /// A state is entered: effects that wait for it, and its history if nothing inside it is aimed
    /// at.
    fn reach(&mut self, settled: &mut Settled, way: &Way, state: StateId) -> Result<(), Fault> {
        settled.flush(Sink::At(state))?;
        let goal = settled.take_goal(state);
        let end = self
            .core
            .rom
            .state(state)
            .map_or(0, |record| record.subtree_end.get());
        let aimed = settled
            .goal_in(state.raw().saturating_add(1), end)
            .is_some();
        if aimed || goal.is_some_and(|goal| goal.by_initial) {
            return Ok(());
        }
        self.restore(settled, way, state)
    }

    /// Default entry of a state that restores its history (EXEC-4).
    fn restore(&mut self, settled: &mut Settled, way: &Way, state: StateId) -> Result<(), Fault> {
        let restores = self
            .core
            .rom
            .state(state)
            .is_some_and(|s| s.flags.get() & state_flag::RESTORES != 0);
        if !restores {
            return Ok(());
        }
        let Some(point) = self
            .core
            .rom
            .history_of(state)
            .iter()
            .find(|point| point.restore == 1)
        else {
            return Ok(());
        };
        if let Some(set) = self.enter_history(settled, point, Sink::Now, state)? {
            self.resolve(settled, way, set.0, set.1, state)?;
        }
        Ok(())
    }

    /// Turns targets into goals, through choices and history. `alive` is the innermost state known
    /// to be active or entered.
    fn resolve(
        &mut self,
        settled: &mut Settled,
        way: &Way,
        set: TargetSetId,
        sink: Sink,
        alive: StateId,
    ) -> Result<(), Fault> {
        let mut chain: [Option<(TargetSetId, u16, Sink)>; MAX_CHAIN] = [None; MAX_CHAIN];
        *chain.first_mut().ok_or(Fault::BadPlan)? = Some((set, 0, sink));
        let mut depth = 1_usize;
        for _ in 0..MAX_TARGETS {
            let Some(place) = depth.checked_sub(1) else {
                return Ok(());
            };
            let (set, next, sink) = chain
                .get_mut(place)
                .and_then(Option::as_mut)
                .ok_or(Fault::BadPlan)?;
            let Some(target) = self.core.rom.targets_of(*set).get(usize::from(*next)) else {
                depth = place;
                continue;
            };
            *next = next.saturating_add(1);
            let (is_last, sink) = (
                usize::from(*next) >= self.core.rom.targets_of(*set).len(),
                *sink,
            );
            let leads_to = match Target::read(target).ok_or(Fault::BadPlan)? {
                Target::State(state) => {
                    settled.add_goal(state, false)?;
                    None
                }
                Target::Choice(choice) => Some(self.choose(settled, way, choice, sink)?),
                Target::History(point) => {
                    let point = self.core.rom.history_point(point).ok_or(Fault::BadPlan)?;
                    self.enter_history(settled, point, sink, alive)?
                }
            };
            if is_last {
                depth = place;
            }
            if let Some((set, sink)) = leads_to {
                *chain.get_mut(depth).ok_or(Fault::BadPlan)? = Some((set, 0, sink));
                depth = depth.saturating_add(1);
            }
        }
        // A circle through choices and history points, which no compiler lets pass.
        Err(Fault::BadPlan)
    }

    /// The branch of a choice: the first whose guard holds (EXEC-7).
    fn choose(
        &mut self,
        settled: &mut Settled,
        way: &Way,
        choice: StateId,
        sink: Sink,
    ) -> Result<(TargetSetId, Sink), Fault> {
        let site = Site {
            state: choice,
            transition: way.transition,
            cause: way.cause,
        };
        let branches = self.core.rom.branches_of(choice);
        let mut taken = None;
        for branch in branches {
            if self.guard(branch.guard.get(), &site).holds {
                taken = Some(branch);
                break;
            }
        }
        let branch = taken.ok_or(Fault::BadPlan)?;
        settled.effect(sink, choice, branch.effect.get())?;
        Ok((
            TargetSetId::read(branch.targets).ok_or(Fault::BadPlan)?,
            sink,
        ))
    }

    /// What a history point remembers becomes goals; else its default comes next (EXEC-4).
    #[inline(never)]
    fn enter_history(
        &mut self,
        settled: &mut Settled,
        point: &HistoryRecord,
        sink: Sink,
        alive: StateId,
    ) -> Result<Option<(TargetSetId, Sink)>, Fault> {
        if let Some(remembered) = self.core.remembered(point) {
            for (_, state) in remembered.states.iter() {
                settled.add_goal(state, false)?;
            }
            return Ok(None);
        }
        let owner = StateId::read(point.owner).ok_or(Fault::BadPlan)?;
        let active = self.core.rom.is_ancestor_or_self(owner, alive);
        let sink = match sink {
            Sink::Effects | Sink::Start if active => Sink::Start,
            Sink::Now if active => Sink::Now,
            _ => Sink::At(owner),
        };
        // In SCXML it belongs to the entry of the owner.
        if sink != Sink::Start || !self.core.has_policy(policy::SCXML_DETAILS) {
            settled.effect(sink, owner, point.effect.get())?;
        }
        match TargetSetId::read(point.default) {
            Some(set) => Ok(Some((set, sink))),
            None if active => Ok(None),
            None => settled.add_goal(owner, true).map(|()| None),
        }
    }
}
