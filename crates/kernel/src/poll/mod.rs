//! What an agent does by itself, tick after tick: it asks its eventless transitions, is told no, and
//! runs its update actions and activities (TICK-1, TICK-5).
//!
//! That is most of the ticks of most agents, so it has a plan in the ROM: per leaf the candidates to
//! ask and the activities to run, joined with what each takes ([`PollRecord`], [`RunRecord`],
//! [`TransitionPlan`]). A quiet tick follows it from end to end:
//!
//! ```text
//!   chain   who is active, and is that a configuration?                    no ─▶ slow path
//!   scan    ask leaf by leaf, from each to the root                  one may ─▶ slow path, from there on
//!   run     update actions and activities, in the same order
//! ```
//!
//! The slow path asks nobody again: a guard may draw random numbers. It goes on at the candidate at
//! which the scan [halted](Halt).

use statewright_rom::ids::*;
use statewright_rom::layout::*;

use crate::code::activity::bits_at;
use crate::context::{Context, Site};
use crate::fault::Fault;
use crate::host::{Cause, Host};
use crate::instance::event::event_flag;
use crate::instance::leaves::Rank;
use crate::select::conditions::Exit;
use crate::tick::Tick;

mod chain;

pub(crate) use chain::Chain;

/// Where a scan ended: the first candidate that may be taken. Everybody before it has said no.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Halt {
    /// The leaf that was asked.
    pub(crate) rank: Rank,
    /// Whether it was asked for its interrupts.
    pub(crate) interrupts: bool,
    /// Its transition; raw.
    pub(crate) transition: u16,
    /// Whether it was asked everything there is, and may be taken; otherwise it was not asked yet.
    pub(crate) enabled: bool,
}

/// What came of a quiet tick.
pub(crate) enum Polled {
    /// All of it is done.
    Done,
    /// Nothing eventless is enabled; the events of the tick are to be taken.
    Settled,
    /// Something may be enabled.
    Halted(Halt),
    /// Nothing is done: the slow path has to look closer.
    Slow,
    /// The agent has to end.
    Failed(Fault),
}

/// A tick of an agent whose header says that it only polls. With `has_events` it ends before they are
/// taken.
#[inline(never)]
pub(crate) fn poll(cx: &mut Context<'_>, host: &mut dyn Host, has_events: bool) -> Polled {
    let chain = match cx.chain() {
        Some(chain) if chain.is_polling() && !cx.has_latched_in(&chain) && cx.only_waits() => chain,
        _ => return Polled::Slow,
    };
    cx.running = true;
    let mut tick = Tick::new(cx, host, None);
    if let Some(halt) = tick.scan(&chain) {
        return Polled::Halted(halt);
    }
    if let Err(fault) = tick.cx.check_fault() {
        return Polled::Failed(fault);
    }
    if has_events {
        return Polled::Settled;
    }
    for poll in chain.polls() {
        for run in tick.cx.runs_from(poll.run) {
            tick.run_state(run);
        }
    }
    if let Err(fault) = cx.check_fault() {
        return Polled::Failed(fault);
    }
    if cx.ram.header().event_count != 0 {
        cx.show_posted();
    }
    cx.running = false;
    Polled::Done
}

impl Context<'_> {
    /// Do all queued events wait for another configuration, and are the frames what they should be?
    #[inline]
    fn only_waits(&self) -> bool {
        let events = self.ram.header().event_count;
        (events == 0 || self.has_only_deferred())
            && (!self.rom.has(feature::STACK) || self.are_frames())
    }

    #[inline(never)]
    fn has_only_deferred(&self) -> bool {
        let marks = event_flag::DEFERRED | event_flag::HIDDEN;
        self.check_queue().is_ok()
            && self
                .ram
                .queue()
                .iter()
                .all(|event| event.flags & marks == event_flag::DEFERRED)
    }
}

impl<'a> Tick<'_, 'a> {
    /// Asks the eventless transitions of all active states, each state once, until one may be taken.
    #[inline]
    pub(crate) fn scan(&mut self, chain: &Chain<'a>) -> Option<Halt> {
        if chain.has_interrupts() {
            for (rank, poll) in (0..).map(Rank::of_bit).zip(chain.polls()) {
                let (first, count) = (poll.first_interrupt, poll.interrupts);
                let halt = self.scan_list(first.get(), count.get(), (rank, true));
                if halt.is_some() {
                    return halt;
                }
            }
        }
        for (rank, poll) in (0..).map(Rank::of_bit).zip(chain.polls()) {
            let (first, count) = (poll.first_ask, poll.asks);
            let halt = self.scan_list(first.get(), count.get(), (rank, false));
            if halt.is_some() {
                return halt;
            }
        }
        None
    }

    /// The first candidate of a run that may be taken.
    #[inline]
    fn scan_list(
        &mut self,
        first: u32,
        count: u16,
        (rank, interrupts): (Rank, bool),
    ) -> Option<Halt> {
        let rom = self.cx.rom;
        let end = first.wrapping_add(u32::from(count));
        let list = rom.candidates().get(first as usize..end as usize);
        for candidate in list.unwrap_or(&[]) {
            let transition = candidate.index.get();
            let plan = rom.transition_plans().get(usize::from(transition));
            let quiet = plan.map_or(Quiet::AskOn, |plan| self.ask_quietly(transition, plan));
            let enabled = match quiet {
                Quiet::No => continue,
                Quiet::Enabled => true,
                Quiet::AskOn => false,
            };
            return Some(Halt {
                rank,
                interrupts,
                transition,
                enabled,
            });
        }
        None
    }

    #[inline(always)]
    fn ask_quietly(&mut self, id: u16, plan: &TransitionPlan) -> Quiet {
        let flags = plan.flags;
        if flags & (ask_flag::SUCCEEDED | ask_flag::FAILED) != 0 {
            let result = match bits_at(self.cx.ram.slots(), (plan.result_slot, plan.result_bit)) {
                0 => 0,
                1 => ask_flag::SUCCEEDED,
                _ => ask_flag::FAILED,
            };
            if flags & ask_flag::COMPLETED != 0 {
                return Quiet::AskOn;
            }
            if flags & result == 0 {
                return Quiet::No;
            }
        }
        if flags & ask_flag::WEIGHED != 0 {
            return Quiet::AskOn;
        }
        if flags & ask_flag::GUARDED != 0 {
            let site = Site {
                state: StateId::read(plan.source).unwrap_or(StateId::ROOT),
                transition: TransitionId::new(id),
                cause: Cause::None,
            };
            if !self.judge(&plan.guard, &site).holds {
                if flags & ask_flag::DEBOUNCED != 0 {
                    self.stop_waiting(id);
                }
                return Quiet::No;
            }
        }
        if flags & (ask_flag::DEBOUNCED | ask_flag::HELD) != 0 && !self.may_be_taken(id) {
            return Quiet::No;
        }
        Quiet::Enabled
    }

    /// The guard of a transition holds: has it waited, and may it leave what it would leave? One
    /// that may not and is to be kept for later is kept (SEL-6).
    #[inline(never)]
    fn may_be_taken(&mut self, id: u16) -> bool {
        let candidate = TransitionId::new(id).and_then(|id| self.cx.candidate(id));
        let leaves = self.cx.leaves();
        candidate.is_some_and(|candidate| {
            self.has_waited(&candidate)
                && self.may_leave(&candidate, Cause::None, &leaves) == Exit::Free
        })
    }

    /// The guard of a debounced transition does not hold.
    #[inline(never)]
    fn stop_waiting(&mut self, id: u16) {
        let candidate = TransitionId::new(id).and_then(|id| self.cx.candidate(id));
        if let Some(candidate) = candidate {
            self.cx.debounce_reason(&candidate, false);
        }
    }
}

/// What a candidate says.
enum Quiet {
    /// It is not enabled.
    No,
    /// It may be taken.
    Enabled,
    /// There is more to it than a guard; nothing was asked.
    AskOn,
}
