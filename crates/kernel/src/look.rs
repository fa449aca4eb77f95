//! Looking at an instance from outside of its ticks: what is active, and whether it may sleep
//! (SYS-2).

use statewright_rom::Rom;
use statewright_rom::ids::StateId;
use statewright_rom::layout::NONE;

use crate::instance::{Instance, flag};
use crate::time::is_due;

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
const BUSY: u16 = flag::BUDGET_EXCEEDED | flag::WORK | flag::POLLS;

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
    let clock = rom
        .state_extra(state)
        .map(|extra| extra.clock)
        .filter(|&clock| clock != 0xFF)?;
    let entered = instance
        .raw_timers()
        .get(usize::from(clock))
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
