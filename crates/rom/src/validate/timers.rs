//! Timers: kinds, places, columns and the transitions they belong to (EVT-7, EVT-9, RAM-2).

use super::durations::{Place, bad_word};
use super::tree::is_real;
use super::{Check, expected, presence, range, unknown};
use crate::error::{LoadError, Problem};
use crate::ids::{StateId, TransitionId};
use crate::layout::*;
use crate::view::Rom;

/// Timers that fire come first; each has places, a column if it fires, a transition if it belongs
/// to one.
pub(super) fn timers<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::Timers);
    let firing = usize::from(rom.header().firing_timers.get());
    for (i, timer) in rom.timers().iter().enumerate() {
        check.rule(timer.kind.is_known(), i, || unknown("kind", timer.kind))?;
        let fires = timer.kind.known().is_some_and(TimerKind::fires);
        check.rule(fires == (i < firing), i, || {
            Problem::Rule("timers that fire do not come first")
        })?;
        check.rule(timer.class.is_known(), i, || unknown("class", timer.class))?;
        check.rule(timer.reserved.get() == 0, i, || Problem::Reserved)?;
        owner_and_places(&mut check, rom, i, timer)?;
        column(&mut check, rom, i, timer)?;
        belongs(&mut check, rom, i, timer)?;
    }
    check.finish()
}

fn owner_and_places<const EXPLAIN: bool>(
    check: &mut Check<EXPLAIN>,
    rom: &Rom<'_>,
    i: usize,
    timer: &TimerRecord,
) -> Result<(), LoadError> {
    let owner = timer.owner.get();
    let machine = timer.kind == TimerKind::Machine;
    check.rule(is_real(rom, owner), i, || {
        range("owner", owner, rom.states().len())
    })?;
    check.rule(!machine || owner == 0, i, || {
        expected("owner of a timer of the machine", 0_u8, owner)
    })?;
    let instances = timer.instances;
    check.rule(instances == 1 || (machine && instances > 1), i, || {
        unknown("count of places", instances)
    })?;
    let end = u32::from(timer.place).wrapping_add(u32::from(instances));
    let places = rom.capacity().timers;
    check.rule(end <= u32::from(places), i, || {
        range("place", timer.place, usize::from(places))
    })
}

/// A timer that fires does so in its own column or that of an event; `after` and `every` in their own.
fn column<const EXPLAIN: bool>(
    check: &mut Check<EXPLAIN>,
    rom: &Rom<'_>,
    i: usize,
    timer: &TimerRecord,
) -> Result<(), LoadError> {
    let column = usize::from(timer.column.get());
    let own = column == rom.events().len().wrapping_add(i);
    let fits = match timer.kind.known() {
        Some(TimerKind::After | TimerKind::Every) => own,
        Some(TimerKind::State | TimerKind::Machine) => own || column < rom.events().len(),
        Some(TimerKind::Clock | TimerKind::Debounce) | None => timer.column.get() == NONE,
    };
    check.rule(fits, i, || unknown("column", timer.column))
}

/// An `after`, an `every` and a debounce belong to a transition of their owner that knows them; others to none.
/// A clock is the one its owner names.
fn belongs<const EXPLAIN: bool>(
    check: &mut Check<EXPLAIN>,
    rom: &Rom<'_>,
    i: usize,
    timer: &TimerRecord,
) -> Result<(), LoadError> {
    let on_entry = timer.kind.known().is_some_and(TimerKind::is_armed_on_entry);
    let timed = on_entry || timer.kind == TimerKind::Debounce;
    let (id, duration) = (TransitionId::read(timer.transition), timer.duration);
    check.rule(id.is_some() == timed, i, || presence("transition", timed))?;
    let problem = match (on_entry, timed) {
        (true, _) => bad_word(rom, duration, Place::Armed),
        (false, true) => bad_word(rom, duration, Place::Asked),
        (false, false) => duration
            .is_some()
            .then(|| unknown("duration", duration.raw())),
    };
    check.rule(problem.is_none(), i, || {
        problem.unwrap_or(Problem::Reserved)
    })?;
    let Some(id) = id else {
        let clock = StateId::read(timer.owner)
            .and_then(|owner| rom.state_extra(owner))
            .map(|extra| extra.clock);
        let known = timer.kind != TimerKind::Clock || clock == Some(timer.place);
        return check.rule(known, i, || {
            Problem::Rule("the owner does not refer back to its clock")
        });
    };
    let Some(transition) = rom.transition(id) else {
        return check.rule(false, i, || {
            range("transition", id.raw(), rom.transitions().len())
        });
    };
    check.rule(transition.source == timer.owner, i, || {
        expected("source of its transition", timer.owner, transition.source)
    })?;
    let known = if on_entry {
        transition.trigger == timer.column
    } else {
        let extra = rom.transition_extra(id);
        extra.is_some_and(|extra| {
            extra.debounce_timer == timer.place && extra.debounce_time == duration
        })
    };
    check.rule(known, i, || {
        Problem::Rule("the transition does not refer back to its timer")
    })
}

/// The timers of a state are its own.
pub(super) fn timers_of_states<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::States);
    if rom.timers().is_empty() {
        // Counts were checked against the table.
        return check.finish();
    }
    for (i, state) in rom
        .states()
        .iter()
        .enumerate()
        .filter(|(_, state)| state.timer_count > 0)
    {
        let timers = crate::view::run(
            rom.timers(),
            usize::from(state.first_timer.get()),
            usize::from(state.timer_count),
        );
        // Bound: a timer has one owner, so all runs that hold together are no longer than the
        // table.
        let own = timers
            .iter()
            .all(|timer| usize::from(timer.owner.get()) == i);
        check.rule(own, i, || {
            Problem::Rule("a timer of the state belongs to another one")
        })?;
    }
    check.finish()
}
