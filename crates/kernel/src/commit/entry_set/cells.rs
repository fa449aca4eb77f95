//! The entries of a microstep as they are found, in a buffer of a fixed size: steps from the front,
//! effects that wait for their moment from the back.

use core::ops::{Deref, DerefMut};

use statewright_rom::ids::*;
use statewright_rom::layout::*;

use crate::fault::Fault;

/// Room for the steps of one microstep; the compiler refuses machines that need more (SW0505). It
/// lies on the stack, of which a tick uses less than 5 KiB (`proof/differential/src/depth.rs`).
const MAX_STEPS: u16 = statewright_rom::layout::MAX_STEPS as u16;
/// Goals that are open at once: they can be active together, so there is one per leaf at most.
const MAX_GOALS: usize = MAX_LEAVES;
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
pub(crate) struct EntrySpan {
    pub(crate) first: u16,
    pub(crate) entries: u16,
    pub(crate) end: u16,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Goal {
    state: StateId,
    /// Entered by its initials, whatever its history says.
    pub(super) by_initial: bool,
}

/// Where an effect found on the way belongs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum EffectTiming {
    /// To the effects of the transition.
    Effects,
    /// Before the first entry.
    Start,
    /// After the entry of this state.
    At(StateId),
    /// Here.
    Now,
}

impl EffectTiming {
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
pub(crate) struct EntrySet {
    /// Steps from the front; from the back effects that wait, two cells each: what for, and the
    /// effect.
    cells: [Cell; MAX_STEPS as usize],
    len: u16,
    /// Effects that wait; those before the last may have found their place already.
    waiting: u16,
    pub(crate) spans: [EntrySpan; MAX_LEAVES],
}

impl EntrySet {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self {
            cells: [Cell::EMPTY; MAX_STEPS as usize],
            len: 0,
            waiting: 0,
            spans: [EntrySpan::default(); MAX_LEAVES],
        }
    }

    pub(crate) fn get(&self, at: u16) -> Option<Entry> {
        self.cells.get(usize::from(at))?.entry()
    }

    /// Steps so far.
    pub(super) fn len(&self) -> u16 {
        self.len
    }

    pub(super) fn push(&mut self, step: Entry) -> Result<(), Fault> {
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

    pub(super) fn effect(
        &mut self,
        timing: EffectTiming,
        state: StateId,
        list: Option<ListId>,
    ) -> Result<(), Fault> {
        let Some(list) = list else {
            return Ok(());
        };
        if matches!(timing, EffectTiming::Effects | EffectTiming::Now) {
            return self.push(Entry::Effect(state, list));
        }
        self.check_room(2)?;
        let [waits_for, effect] = self
            .waiting_cells(self.waiting)
            .ok_or(Fault::TooManySteps)?;
        *waits_for = Cell {
            state: timing.raw(),
            list: NONE,
        };
        *effect = Cell::new(Entry::Effect(state, list));
        self.waiting = self.waiting.saturating_add(1);
        Ok(())
    }

    /// Puts effects that waited for this moment into the steps, in the order in which they were
    /// found.
    pub(super) fn flush(&mut self, timing: EffectTiming) -> Result<(), Fault> {
        // How many are left if those at the end are gone.
        let mut left = 0_u16;
        for number in 0..self.waiting {
            let Some([waits_for, effect]) = self.waiting_cells(number) else {
                continue;
            };
            let Some(entry) = effect.entry() else {
                continue;
            };
            if waits_for.state == timing.raw() {
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

/// The entries of one request while they are found. Goals are open only so long: they lie in the frame
/// that finds them, and not beside user code.
pub(super) struct EntrySearch<'e> {
    set: &'e mut EntrySet,
    goals: [Option<Goal>; MAX_GOALS],
}

impl<'e> EntrySearch<'e> {
    /// No goal, nothing waits.
    pub(super) fn new(set: &'e mut EntrySet) -> Self {
        set.waiting = 0;
        Self {
            set,
            goals: [None; MAX_GOALS],
        }
    }

    pub(super) fn add_goal(&mut self, state: StateId, by_initial: bool) -> Result<(), Fault> {
        let free = self
            .goals
            .iter_mut()
            .find(|goal| goal.is_none())
            .ok_or(Fault::BadPlan)?;
        *free = Some(Goal { state, by_initial });
        Ok(())
    }

    /// The first goal in a range of states.
    pub(super) fn goal_in(&self, first: u16, end: u16) -> Option<StateId> {
        let inside = |goal: &&Goal| first <= goal.state.raw() && goal.state.raw() < end;
        self.goals
            .iter()
            .flatten()
            .filter(inside)
            .map(|goal| goal.state)
            .min()
    }

    /// A state is reached: takes its goal away.
    pub(super) fn take_goal(&mut self, state: StateId) -> Option<Goal> {
        self.goals
            .iter_mut()
            .find(|goal| goal.is_some_and(|goal| goal.state == state))?
            .take()
    }

    /// What lies in a range of states is active already.
    pub(super) fn drop_goals_in(&mut self, first: u16, end: u16) {
        let range = first..end;
        for goal in &mut self.goals {
            if goal.is_some_and(|goal| range.contains(&goal.state.raw())) {
                *goal = None;
            }
        }
    }

    /// A target outside of the domain is never reached: only a ROM that no compiler made has one.
    pub(super) fn check_reached(&self) -> Result<(), Fault> {
        let open = self.goals.iter().any(Option::is_some) || self.waiting > 0;
        if open { Err(Fault::BadPlan) } else { Ok(()) }
    }
}

impl Deref for EntrySearch<'_> {
    type Target = EntrySet;

    fn deref(&self) -> &EntrySet {
        self.set
    }
}

impl DerefMut for EntrySearch<'_> {
    fn deref_mut(&mut self) -> &mut EntrySet {
        self.set
    }
}
