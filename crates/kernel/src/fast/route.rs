//! Which way a tick of one agent goes: the one place that decides.
//!
//! `tick` and the loop of a batch ask before anything is done, and match on the answer. There are
//! two questions, because most agents that get an event need only the first, and its answer stays
//! in registers:
//!
//! ```text
//!  single: the only event of an agent; inlined into the loop over agents
//!    the header says idle?                  ─▶ cell (leaf, event) ─▶ Ignore | Jump
//!    else, or the cell does not know        ─▶ Slow: ask on
//!
//!  route: everything else
//!    nothing to do?                         ─▶ Resting
//!    idle but for the inbox?                ─▶ Run(JumpInbox)         unless
//!    idle but for one event in the queue?   ─▶ Run(JumpQueued)        every step
//!    idle but for a timer that is due?      ─▶ Run(JumpTimer)         is traced
//!    at rest but for polling?               ─▶ Run(Poll)
//!      (timers may run in the others, too; a polling agent takes what is due after it has polled)
//!    not alive?                             ─▶ Foreign | Ended | Paused
//!    else                                   ─▶ Run(Slow)
//! ```
//!
//! A fast path is a prefix of the slow path: what it leaves undone, the slow path does. So a wrong
//! `Slow` costs time only; every other answer has to be right.

use statewright_rom::Rom;
use statewright_rom::ids::Column;
use statewright_rom::layout::*;
use zerocopy::byteorder::little_endian::U16;

use crate::batch::inbox::Inbox;
use crate::fast::IdleMask;
use crate::instance::event::{Class, Event, event_flag};
use crate::instance::{Instance, flag};
use crate::life;
use crate::toggles::{self, Optimization};

/// The way of a tick.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Route<'a> {
    /// The instance belongs to another machine and never runs (RAM-6).
    Foreign,
    /// It has ended: its events are dropped (SYS-10).
    Ended,
    /// It is paused: its events wait in the inbox (SYS-9).
    Paused,
    /// A tick would change nothing (RAM-3).
    Resting,
    /// Its host is needed.
    Run(Start<'a>),
}

/// How a tick begins that needs its host; the slow path does the rest.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Start<'a> {
    /// Events of the inbox, as far as they lead to jumps or to nobody.
    JumpInbox,
    /// The only event of the queue: a jump, or `None` if nobody handles it.
    JumpQueued(Option<&'a Jump>),
    /// The only thing that is due: a timer, if it leads to a jump.
    JumpTimer,
    /// Asking and running along the plans of the leaves.
    Poll,
    /// The slow path from its first phase on.
    Slow,
}

/// What an event comes to in a leaf that is looked up.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FastPath<'a> {
    /// Nobody handles it.
    Ignore,
    /// It always leads the same way, but for guards.
    Jump(&'a Jump),
    /// Several leaves react, each by a jump that asks nobody.
    Together,
    /// Only the slow path knows.
    Slow,
}

/// So many agents are asked at once whether they are at rest.
const GROUP: usize = 4;

/// Chooses the way of every agent of a batch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Router<'a> {
    pub(crate) rom: &'a Rom<'a>,
    pub(crate) idle: IdleMask,
    pub(crate) now: u32,
}

impl<'a> Router<'a> {
    /// What the only event of an agent comes to. `traces_steps`: every step of it is traced, so
    /// nothing may be left out.
    #[inline(always)]
    pub(crate) fn single<I: Instance>(
        &self,
        instance: &I,
        event: &Event,
        traces_steps: bool,
    ) -> FastPath<'a> {
        if !traces_steps && self.idle.may_jump(instance.header()) {
            FastPath::of(self.rom, instance.only_leaf(), event)
        } else {
            FastPath::Slow
        }
    }

    /// The same where it may have several leaves and running timers, and observers may hear of other events.
    #[inline]
    pub(crate) fn beside_others<I: Instance>(
        &self,
        instance: &I,
        event: &Event,
        traces_steps: bool,
    ) -> FastPath<'a> {
        if !traces_steps && self.idle.may_jump_beside_timers(instance, self.now) {
            FastPath::of_all(self.rom, instance.raw_leaves(), event)
        } else {
            FastPath::Slow
        }
    }

    /// The way of the next tick of an instance with these events. What the mask calls idle is alive
    /// and of this machine, so the rest is asked only of the others.
    #[inline(always)]
    pub(crate) fn route<I: Instance>(
        &self,
        instance: &I,
        inbox: Inbox<'_>,
        traces_steps: bool,
    ) -> Route<'a> {
        if inbox.is_empty() && self.idle.is_at_rest(instance, self.now) {
            return Route::Resting;
        }
        let start = if traces_steps {
            Start::Slow
        } else {
            self.start(instance, inbox)
        };
        if let Start::Slow = start {
            self.route_of_life(instance)
        } else {
            Route::Run(start)
        }
    }

    /// The way of an instance that no fast path is for.
    fn route_of_life<I: Instance>(&self, instance: &I) -> Route<'a> {
        let flags = instance.header().flags.get();
        if !life::belongs(self.rom, instance) {
            Route::Foreign
        } else if flags & flag::ENDED != 0 {
            Route::Ended
        } else if flags & flag::PAUSED != 0 {
            Route::Paused
        } else {
            Route::Run(Start::Slow)
        }
    }

    /// How many agents at the head of a list have the way [`Route::Resting`], of so many without
    /// events: the same question, asked of many at once. Kept apart, so that the loop over agents has its
    /// registers for itself.
    #[inline(never)]
    pub(crate) fn count_resting<I: Instance>(&self, agents: &[I], limit: usize) -> usize {
        if !toggles::has(Optimization::IdleMask) {
            return 0;
        }
        let agents = agents.get(..limit).unwrap_or(agents);
        // Where the first one is not, or has a timer, most others have, too.
        let resting = match agents.first() {
            Some(first) if self.idle.are_at_rest(core::slice::from_ref(first)) => {
                let (groups, _) = agents.as_chunks::<GROUP>();
                let at_rest = |group: &&[I; GROUP]| self.idle.are_at_rest(*group);
                let groups = groups.iter().take_while(at_rest);
                groups.count().wrapping_mul(GROUP)
            }
            Some(_) | None => 0,
        };
        // Whoever has a timer is looked at closer, one by one.
        let rest = agents.get(resting..).unwrap_or(&[]);
        let busy = |agent: &I| !self.idle.is_at_rest(agent, self.now);
        let more = rest.iter().position(busy).unwrap_or(rest.len());
        resting.wrapping_add(more)
    }

    /// May any agent of the machine poll?
    #[inline(always)]
    pub(crate) fn polls_ever(&self) -> bool {
        self.idle.polls_ever()
    }

    /// Would a tick without events change nothing?
    #[inline]
    pub(crate) fn is_at_rest<I: Instance>(&self, instance: &I) -> bool {
        toggles::has(Optimization::IdleMask) && self.idle.is_at_rest(instance, self.now)
    }

    /// May an instance have nothing to do but to poll?
    #[inline]
    pub(crate) fn polls<I: Instance>(&self, instance: &I) -> bool {
        self.idle.polls(instance, self.now)
    }

    /// Is an instance at rest but for timers, one of which may lead to a jump?
    #[inline]
    pub(crate) fn waits_for_timer<I: Instance>(&self, instance: &I) -> bool {
        self.idle.may_jump_by_timer(instance.header()) && instance.header().clamped == 0
    }

    /// Is an instance at rest but for polling, timers and events that wait? Then fused code may take
    /// what comes.
    #[inline]
    pub(crate) fn is_quiet<I: Instance>(&self, instance: &I) -> bool {
        self.idle.is_quiet(instance.header())
    }

    /// Is an instance at rest, with an empty queue, so that code may take an event or a timer that is due?
    #[inline]
    pub(crate) fn waits_by_code<I: Instance>(&self, instance: &I) -> bool {
        let header = instance.header();
        self.idle.waits_by_code(header) && header.last_word() == 0
    }

    /// Has an instance of this machine ended?
    #[inline]
    pub(crate) fn has_ended<I: Instance>(&self, instance: &I) -> bool {
        self.idle.has_ended(instance.header())
    }

    /// How an instance that has something to do begins.
    fn start<I: Instance>(&self, instance: &I, inbox: Inbox<'_>) -> Start<'a> {
        if !inbox.is_empty() && self.idle.may_jump_beside_timers(instance, self.now) {
            Start::JumpInbox
        } else if inbox.is_empty() && self.idle.may_jump_by_queue(instance, self.now) {
            self.start_queued(instance)
        } else if self.idle.may_poll(instance.header()) {
            Start::Poll
        } else if inbox.is_empty() && self.idle.may_jump_by_timer(instance.header()) {
            Start::JumpTimer
        } else {
            Start::Slow
        }
    }

    /// One event is queued and nothing else is to be done. Deferred, hidden and aging events need
    /// the slow path.
    fn start_queued<I: Instance>(&self, instance: &I) -> Start<'a> {
        let plain = |event: &&Event| {
            event.flags & !event_flag::INTERNAL == 0 && event.class <= Class::Critical as u8
        };
        let event = instance.raw_events().first().filter(plain);
        match event.filter(|_| !self.rom.has(feature::TTL)) {
            Some(event) => match FastPath::of_all(self.rom, instance.raw_leaves(), event) {
                FastPath::Ignore => Start::JumpQueued(None),
                FastPath::Jump(jump) => Start::JumpQueued(Some(jump)),
                FastPath::Together | FastPath::Slow => Start::Slow,
            },
            None => Start::Slow,
        }
    }
}

impl<'a> FastPath<'a> {
    /// What an event comes to for an instance that may jump and has no other leaf: one look.
    #[inline(always)]
    pub(crate) fn of(rom: &'a Rom<'a>, leaf: Option<u16>, event: &Event) -> Self {
        let Some(cell) = leaf.and_then(|leaf| rom.cell(leaf, event.id.get())) else {
            return Self::Slow;
        };
        Self::in_cell(rom, cell)
    }

    /// The same for an instance with any number of leaves.
    pub(crate) fn of_all(rom: &'a Rom<'a>, leaves: &[U16], event: &Event) -> Self {
        if rom.is_observed(event.id.get()) {
            return Self::Slow;
        }
        Self::of_each(rom, leaves, |leaf| Self::of(rom, Some(leaf), event))
    }

    /// What a timer comes to that has a column of its own.
    pub(crate) fn of_timer(rom: &'a Rom<'a>, leaves: &[U16], column: Column) -> Self {
        Self::of_each(rom, leaves, |leaf| {
            let cell = rom.timer_cell(leaf, column);
            cell.map_or(Self::Slow, |cell| Self::in_cell(rom, cell))
        })
    }

    #[inline(always)]
    fn in_cell(rom: &'a Rom<'a>, cell: &DenseCell) -> Self {
        match cell.list.get() {
            NO_LIST => Self::Ignore,
            cell => rom.jump(cell).map_or(Self::Slow, Self::Jump),
        }
    }

    /// What all active leaves come to.
    ///
    /// Leaves that share a list of candidates share the states that have them: these are asked once.
    #[inline(always)]
    fn of_each(rom: &Rom<'_>, leaves: &[U16], path: impl Fn(u16) -> Self) -> Self {
        let mut found = None;
        for leaf in leaves.iter().filter(|leaf| leaf.get() != NONE) {
            found = Some(match (path(leaf.get()), found) {
                (Self::Ignore, Some(found)) => found,
                (path, None | Some(Self::Ignore)) => path,
                (Self::Jump(jump), Some(Self::Jump(first))) if jump.list == first.list => {
                    Self::Jump(first)
                }
                (Self::Jump(jump), Some(Self::Jump(first)))
                    if goes_together(rom, first) && goes_together(rom, jump) =>
                {
                    Self::Together
                }
                (Self::Jump(jump), Some(Self::Together)) if goes_together(rom, jump) => {
                    Self::Together
                }
                _ => return Self::Slow,
            });
        }
        // An instance without leaves is damaged: the slow path says so.
        found.unwrap_or(Self::Slow)
    }
}

/// May a jump be taken beside jumps of other leaves? Whoever asks nobody ends the search of its leaf
/// where it begins, and does not meet the others, which stay in their regions. An interrupt goes
/// alone (SEL-2), and what all of them will remember is written before the first of them leaves (EXEC-4).
fn goes_together(rom: &Rom<'_>, jump: &Jump) -> bool {
    let transition = rom.transitions().get(usize::from(jump.transition.get()));
    let interrupts =
        transition.is_none_or(|record| record.flags.get() & transition_flag::INTERRUPT != 0);
    let reverse = rom.header().policies & policy::REVERSE_EXIT_ORDER != 0;
    let asks = jump_flag::REMEMBERS | jump_flag::SCORED | jump_flag::STAYS;
    let free = jump.guard.get() == NONE && jump.slot == 0xFF && jump.flags.get() & asks == 0;
    free && !interrupts && !reverse
}
