//! What tools show of an instance between its ticks: queue, timers, waits and suspended states.
//! Allocates nothing, decides nothing.

use statewright_rom::Rom;
use statewright_rom::ids::{StackId, StateId, TimerId, TransitionId};
use statewright_rom::layout::{TimerKind, TransitionExtra};

use crate::event::Event;
use crate::instance::Instance;
use crate::look::is_active;
use crate::ram::bit;

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
            TimerKind::After | TimerKind::State => {
                StateId::read(timer.1.owner).is_some_and(|owner| is_active(rom, instance, owner))
            }
            TimerKind::Clock | TimerKind::Debounce => false,
        };
    rom.timers()
        .iter()
        .enumerate()
        .filter(fires)
        .flat_map(move |(index, record)| {
            let places = record.place..record.place.saturating_add(record.instances);
            places.filter_map(move |place| {
                Some(Wait {
                    timer: TimerId::from_index(index)?,
                    deadline: armed_until(instance, place)?,
                })
            })
        })
}

fn armed_until<I: Instance>(instance: &I, place: u8) -> Option<u32> {
    let time = instance.raw_timers().get(usize::from(place))?;
    (instance.header().armed & bit(place) != 0).then(|| time.get())
}

/// The tick at which the cooldown of a transition ends; `None` if it never began (SEL-6).
pub fn ready_tick<I: Instance>(
    rom: &Rom<'_>,
    instance: &I,
    transition: TransitionId,
) -> Option<u32> {
    let slot = usize::from(rom.transition_extra(transition)?.cooldown_slot);
    let half = |slot: usize| {
        instance
            .raw_slots()
            .get(slot)
            .map(|half| u32::from(half.get()))
    };
    let ready = half(slot)? | half(slot.checked_add(1)?)? << 16;
    if ready == 0 { None } else { Some(ready) }
}

/// The tick at which the debounce of a transition is over; `None` if it does not run (SEL-6).
pub fn debounce_deadline<I: Instance>(
    rom: &Rom<'_>,
    instance: &I,
    transition: TransitionId,
) -> Option<u32> {
    let extra: &TransitionExtra = rom.transition_extra(transition)?;
    armed_until(instance, extra.debounce_timer)
}

/// Leaves that a push suspended, bottom frame first (EXEC-8).
pub fn suspended_leaves<I: Instance>(rom: &Rom<'_>, instance: &I) -> impl Iterator<Item = StateId> {
    let stacks = rom
        .regions()
        .iter()
        .filter_map(|region| rom.stack(StackId::new(region.stack)?));
    let slot = move |slot: u8| {
        instance
            .raw_slots()
            .get(usize::from(slot))
            .map_or(0, |slot| slot.get())
    };
    stacks.flat_map(move |stack| {
        let first = move |frame: u8| {
            stack
                .first_slot
                .saturating_add(frame.saturating_mul(stack.frame_slots))
        };
        let used = (0..stack.depth)
            .map(first)
            .take_while(move |&first| slot(first) != 0);
        let saved = used
            .flat_map(move |first| (0..stack.leaves).map(move |leaf| first.saturating_add(leaf)));
        saved.filter_map(move |place| {
            StateId::new(slot(place)).filter(|&leaf| leaf != StateId::ROOT)
        })
    })
}
