//! What an event or a timer leads to where one active leaf alone has candidates: no search, because
//! no two leaves can share a state that reacts.
//!
//! Its list is asked from the first to the last with what the ROM has joined. The search goes on in
//! the general way from the first candidate that may be taken, or that takes more to ask.

use statewright_rom::ids::*;
use statewright_rom::layout::*;
use statewright_rom::{Candidates, Reaction};

use crate::context::Context;
use crate::fault::Fault;
use crate::instance::leaves::Rank;
use crate::poll::{Halt, Quiet};
use crate::select::{Ask, Member, Selection};
use crate::tick::Tick;
use crate::toggles::{self, Optimization};

/// What asking the only leaf with candidates came to.
enum Asked {
    /// Nobody reacts.
    Nobody,
    /// A state defers the event.
    Deferred,
    /// The search goes on from here.
    Halted(Halt),
    /// Nobody was asked: several leaves have candidates, or every step is told.
    NotAsked,
}

impl<'a> Tick<'_, 'a> {
    /// Finds the transitions for an event or a timer.
    pub(crate) fn select_event(&mut self, ask: &Ask) -> Result<Selection, Fault> {
        let deferred = match self.ask_only_leaf(ask) {
            Asked::NotAsked => return self.select(ask),
            Asked::Halted(halt) => {
                let halt = Some(halt);
                return self.select(&Ask { halt, ..*ask });
            }
            Asked::Nobody => false,
            Asked::Deferred => true,
        };
        self.tell_selection(ask.cause);
        let mut selection = Selection::new(ask.cause, self.cx.leaves());
        selection.deferred = deferred;
        Ok(selection)
    }

    /// Kept apart: what it needs of the stack is free again when user code is called.
    #[inline(never)]
    fn ask_only_leaf(&mut self, ask: &Ask) -> Asked {
        if self.tells_steps || !toggles::has(Optimization::Polling) {
            return Asked::NotAsked;
        }
        match self.cx.only_list(ask.column) {
            OnlyList::None => Asked::Nobody,
            OnlyList::Several => Asked::NotAsked,
            OnlyList::One(rank, list) => {
                let halt = self.ask_list(ask, list.interrupts, (rank, true));
                match halt {
                    Asked::Nobody => self.ask_list(ask, list.others, (rank, false)),
                    found => found,
                }
            }
        }
    }

    fn ask_list(&mut self, ask: &Ask, list: &[Member], (rank, interrupts): (Rank, bool)) -> Asked {
        let rom = self.cx.rom;
        for member in list {
            let Some(Reaction::Transition(id)) = Reaction::read(member) else {
                // A timer is not put off.
                if ask.timer {
                    continue;
                }
                return Asked::Deferred;
            };
            // A timer that stands for an event is not any event.
            let any = |id| {
                rom.transition(id)
                    .map(|t| SpecialTrigger::Any.is(t.trigger))
            };
            if ask.timer && any(id) == Some(true) {
                continue;
            }
            let plan = rom.transition_plan(id);
            let quiet = match plan {
                Some(plan) if plan.flags & LATER == 0 => {
                    self.ask_quietly(id.raw(), plan, &ask.cause)
                }
                _ => Quiet::AskOn,
            };
            let enabled = match quiet {
                Quiet::No => continue,
                Quiet::Enabled => true,
                Quiet::AskOn => false,
            };
            return Asked::Halted(Halt {
                rank,
                interrupts,
                transition: id.raw(),
                enabled,
            });
        }
        Asked::Nobody
    }
}

/// What a candidate may have that takes an event although it is not carried out, or waits.
const LATER: u8 = ask_flag::HELD | ask_flag::DEBOUNCED;

/// The lists that active leaves have for a column.
enum OnlyList<'a> {
    None,
    One(Rank, Candidates<'a>),
    Several,
}

impl<'a> Context<'a> {
    fn only_list(&self, column: Column) -> OnlyList<'a> {
        let mut only = None;
        for (rank, leaf) in self.leaves().iter() {
            let row = self.rom.row_of(leaf);
            let list = row.and_then(|row| self.rom.candidate_list(row, column));
            match (list, only) {
                (None, _) => {}
                (Some(list), None) => only = Some((rank, list)),
                (Some(_), Some(_)) => return OnlyList::Several,
            }
        }
        only.map_or(OnlyList::None, |(rank, list)| {
            OnlyList::One(rank, self.rom.candidates_of(list))
        })
    }
}
