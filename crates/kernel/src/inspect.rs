//! What hosts and tools see of an instance between its ticks: what is active, whether it may sleep
//! (SYS-2), its queue, timers, waits and suspended states. Allocates nothing, decides nothing.

use statewright_rom::Rom;
use statewright_rom::ids::{
    HistoryId, ScratchId, SlotId, StackId, StateId, TimerId, TimerSlot, TransitionId,
};
use statewright_rom::layout::{NONE, TimerKind};

use crate::commit::stack::saved_state;
use crate::context::Context;
use crate::counters::Counters;
use crate::events::time::is_due;
use crate::fault::Fault;
use crate::host::Status;
use crate::instance::event::Event;
use crate::instance::{Header, Instance, flag};
use crate::life::belongs;

/// Whether an instance has something to do without being told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sleep {
    /// It wants its next tick.
    Awake,
    /// A tick changes nothing before this one.
    Until(u32),
    /// Only an event wakes it.
    Asleep,
}

/// Bits that keep an instance awake (RAM-3).
const BUSY: u16 = flag::BUDGET_EXCEEDED | flag::WORK | flag::POLLS | flag::INCOMPLETE;

/// May an instance sleep after the tick `now`, until the host does something to it? One that polls
/// may not.
#[inline]
pub fn sleep<I: Instance>(rom: &Rom<'_>, instance: &I, now: u32) -> Sleep {
    sleep_but_for(rom, instance, now, 0)
}

/// The same, where the caller knows that polling comes to nothing.
#[inline]
pub fn sleep_though_polling<I: Instance>(rom: &Rom<'_>, instance: &I, now: u32) -> Sleep {
    sleep_but_for(rom, instance, now, flag::POLLS)
}

#[inline]
fn sleep_but_for<I: Instance>(rom: &Rom<'_>, instance: &I, now: u32, ignored: u16) -> Sleep {
    let header = instance.header();
    let flags = header.flags.get() & !ignored;
    let foreign = header.machine.get() != rom.machine_id() || rom.header().tier != I::TIER;
    if foreign && !header.has(flag::QUARANTINED) {
        return Sleep::Awake;
    }
    if flags & (flag::ENDED | flag::PAUSED) != 0 {
        return Sleep::Asleep;
    }
    if flags & (BUSY | flag::STARTED) != flag::STARTED || header.clamped != 0 {
        return Sleep::Awake;
    }
    match instance.first_deadline(now) {
        Some(deadline) if is_due(deadline, now.wrapping_add(1)) => Sleep::Awake,
        Some(deadline) => Sleep::Until(deadline),
        None => Sleep::Asleep,
    }
}

/// The active leaves of an instance, by leaf number.
pub fn active_leaves<I: Instance>(instance: &I) -> impl Iterator<Item = StateId> + '_ {
    instance
        .raw_leaves()
        .iter()
        .filter(|leaf| leaf.get() != NONE)
        .filter_map(|&leaf| StateId::read(leaf))
}

/// Is a state of an instance active?
pub fn is_active<I: Instance>(rom: &Rom<'_>, instance: &I, state: StateId) -> bool {
    active_leaves(instance).any(|leaf| rom.is_ancestor_or_self(state, leaf))
}

/// Ticks since a state was entered, 0 while it is not active; `None` if it has no clock. Of a
/// paused instance: up to the pause.
pub fn ticks_in_state<I: Instance>(
    rom: &Rom<'_>,
    instance: &I,
    state: StateId,
    now: u32,
) -> Option<u32> {
    let clock = rom.state_extra(state)?.clock_slot()?;
    let entered = instance
        .raw_timers()
        .get(clock.index())
        .map_or(0, |time| time.get());
    let paused = instance.header().has(flag::PAUSED);
    Some(match is_active(rom, instance, state) {
        // The times of a paused instance are ages (SYS-9).
        true if paused => entered,
        true => now.wrapping_sub(entered),
        false => 0,
    })
}

/// Channels that the active states of an instance own, one bit each (CODE-7).
pub fn held_channels<I: Instance>(rom: &Rom<'_>, instance: &I) -> u32 {
    let owned = |state| {
        rom.state_extra(state)
            .map_or(0, |extra| extra.channels.get())
    };
    let paths = active_leaves(instance).flat_map(|leaf| rom.path_up(leaf));
    paths.fold(0, |held, state| held | owned(state))
}

/// A timer that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The timer.
    pub timer: TimerId,
    /// The tick at which it is due.
    pub deadline: u32,
}

/// Events that wait in the queue, in the order of their arrival.
pub fn queued_events<I: Instance>(instance: &I) -> &[Event] {
    let count = usize::from(instance.header().event_count);
    instance.raw_events().get(..count).unwrap_or(&[])
}

/// Timers that will fire, in the order of their declaration. Those of suspended states stand still
/// and are not among them.
pub fn running_timers<I: Instance>(rom: &Rom<'_>, instance: &I) -> impl Iterator<Item = Wait> {
    let fires =
        move |timer: &(usize, &statewright_rom::layout::TimerRecord)| match timer.1.kind.get() {
            TimerKind::Machine => true,
            TimerKind::After | TimerKind::Every | TimerKind::State => {
                StateId::read(timer.1.owner).is_some_and(|owner| is_active(rom, instance, owner))
            }
            TimerKind::Clock | TimerKind::Debounce => false,
        };
    rom.timers()
        .iter()
        .enumerate()
        .filter(fires)
        .flat_map(move |(index, record)| {
            record.timer_slots().filter_map(move |slot| {
                Some(Wait {
                    timer: TimerId::from_index(index)?,
                    deadline: armed_until(instance, slot)?,
                })
            })
        })
}

fn armed_until<I: Instance>(instance: &I, slot: TimerSlot) -> Option<u32> {
    let time = instance.raw_timers().get(slot.index())?;
    (instance.header().armed & slot.bit() != 0).then(|| time.get())
}

/// The tick at which the cooldown of a transition ends; `None` if it never began (SEL-6).
pub fn ready_tick<I: Instance>(
    rom: &Rom<'_>,
    instance: &I,
    transition: TransitionId,
) -> Option<u32> {
    let slot = rom.transition_extra(transition)?.cooldown()?;
    let half = |slot: SlotId| {
        let half = instance.raw_slots().get(slot.index())?;
        Some(u32::from(half.get()))
    };
    let ready = half(slot)? | half(slot.offset(1))? << 16;
    if ready == 0 { None } else { Some(ready) }
}

/// The tick at which the debounce of a transition is over; `None` if it does not run (SEL-6).
pub fn debounce_deadline<I: Instance>(
    rom: &Rom<'_>,
    instance: &I,
    transition: TransitionId,
) -> Option<u32> {
    armed_until(instance, rom.transition_extra(transition)?.debounce()?)
}

/// Leaves that a push suspended, bottom frame first (EXEC-8).
pub fn suspended_leaves<I: Instance>(rom: &Rom<'_>, instance: &I) -> impl Iterator<Item = StateId> {
    let stacks = rom
        .regions()
        .iter()
        .filter_map(|region| rom.stack(StackId::new(region.stack)?));
    let saved = move |slot: SlotId| {
        let slot = instance.raw_slots().get(slot.index())?;
        saved_state(slot.get())
    };
    stacks.flat_map(move |stack| {
        let frames = (0..stack.depth).filter_map(move |frame| stack.frame_slot(frame));
        let used = frames.take_while(move |&first| saved(first).is_some());
        let slots = used.flat_map(move |first| (0..stack.leaves).map(move |by| first.offset(by)));
        slots.filter_map(saved)
    })
}

/// The transition that a state has latched, if any (SEL-6).
pub fn latched_transition<I: Instance>(
    rom: &Rom<'_>,
    instance: &I,
    state: StateId,
) -> Option<TransitionId> {
    let slot = SlotId::new(rom.state_extra(state)?.latch_slot)?;
    let raw = instance.raw_slots().get(slot.index())?.get();
    TransitionId::new(raw.checked_sub(1)?)
}

/// The result of a state's activity that is kept for its `done` and `failed` transitions (TICK-6);
/// `Running` while there is none.
pub fn activity_result<I: Instance>(rom: &Rom<'_>, instance: &I, state: StateId) -> Status {
    let bits = || {
        let extra = rom.state_extra(state)?;
        let slot = SlotId::new(extra.result_slot)?;
        let raw = instance.raw_slots().get(slot.index())?.get();
        raw.checked_shr(extra.result_bit.into())
    };
    match bits().unwrap_or(0) & 3 {
        0 => Status::Running,
        1 => Status::Succeeded,
        _ => Status::Failed,
    }
}

/// What a history point remembers; nothing if it was never recorded (EXEC-4).
pub fn remembered<'i, I: Instance>(
    rom: &Rom<'_>,
    instance: &'i I,
    point: HistoryId,
) -> impl Iterator<Item = StateId> + use<'i, I> {
    let slots = rom.history_point(point).map(|record| record.slots());
    slots
        .into_iter()
        .flatten()
        .filter_map(|slot| saved_state(instance.raw_slots().get(slot.index())?.get()))
}

/// The words of some scratch; what they mean is known only while its owner is active or suspended.
pub fn scratch_words<'i, I: Instance>(
    rom: &Rom<'_>,
    instance: &'i I,
    scratch: ScratchId,
) -> impl Iterator<Item = u16> + use<'i, I> {
    let record = rom.scratch().get(scratch.index());
    let slots = record.map(|record| record.slots());
    slots
        .into_iter()
        .flatten()
        .filter_map(|slot| Some(instance.raw_slots().get(slot.index())?.get()))
}

/// Can bytes from elsewhere be an instance of this machine? What a tick would find out later
/// (SYS-10): a foreign machine, leaves, frames or a queue that no agent of it has.
pub fn check<I: Instance>(rom: &Rom<'_>, instance: &I) -> Result<(), Fault> {
    if !belongs(rom, instance) {
        return Err(Fault::WrongMachine);
    }
    let flags = instance.header().flags.get();
    let mut copy = *instance;
    let mut counters = Counters::default();
    let mut blank = Header::default();
    let mut cx = Context::new(rom, &mut counters, &mut blank, 0);
    cx.attach(copy.ram(), 0);
    if flags & (flag::STARTED | flag::ENDED) == flag::STARTED {
        cx.check_instance()
    } else {
        cx.check_queue()
    }
}
