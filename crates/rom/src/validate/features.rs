//! Features: the header names everything the tables use, because the kernel skips what it does not
//! name (ROM-1).

use crate::error::{LoadError, Problem};
use crate::layout::*;
use crate::view::Rom;

/// What the functions below look for: every feature, but that of the rows, which the header decides.
const SHOWN: u32 = feature::REGIONS
    | feature::HISTORY
    | feature::CHOICE
    | feature::TIMERS
    | feature::DEFERRAL
    | feature::OBSERVERS
    | feature::INTERRUPTS
    | feature::EVENTLESS
    | feature::ACTIVITIES
    | feature::SCORES
    | feature::COOLDOWN
    | feature::DEBOUNCE
    | feature::EXIT_CONDITIONS
    | feature::LATCH
    | feature::STACK
    | feature::CHANNELS
    | feature::COALESCE
    | feature::TTL
    | feature::FINAL
    | feature::EXPRESSIONS
    | feature::SCRATCH
    | feature::VARIANTS
    | feature::UPDATES;
const _: () = assert!(SHOWN | feature::DENSE_ROWS == feature::ALL);

/// Refuses a header that keeps a used feature from the kernel.
pub(super) fn features<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let used =
        by_tables(rom) | by_tree(rom) | by_transitions(rom) | by_extras(rom) | by_events(rom);
    let missing = used & !rom.header().features.get();
    if missing == 0 {
        Ok(())
    } else {
        Err(LoadError::header(Problem::Features(missing)))
    }
}

fn when(used: bool, feature: u32) -> u32 {
    if used { feature } else { 0 }
}

/// A table with records is a feature in use.
fn by_tables(rom: &Rom<'_>) -> u32 {
    when(!rom.history().is_empty(), feature::HISTORY)
        | when(!rom.branches().is_empty(), feature::CHOICE)
        | when(!rom.timers().is_empty(), feature::TIMERS)
        | when(!rom.deferrals().is_empty(), feature::DEFERRAL)
        | when(!rom.observers().is_empty(), feature::OBSERVERS)
        | when(!rom.stacks().is_empty(), feature::STACK)
        | when(!rom.expressions().is_empty(), feature::EXPRESSIONS)
        | when(!rom.scratch().is_empty(), feature::SCRATCH)
        | when(rom.variants().len() > 1, feature::VARIANTS)
}

fn by_tree(rom: &Rom<'_>) -> u32 {
    let leaves = rom
        .regions()
        .iter()
        .fold(0, |any, region| any | region.leaf);
    let (mut finals, mut flags) = (false, 0);
    for state in rom.states() {
        finals |= state.kind == StateKind::Final;
        flags |= state.flags.get();
    }
    when(leaves > 0, feature::REGIONS)
        | when(finals, feature::FINAL)
        | when(flags & state_flag::ACTIVITY != 0, feature::ACTIVITIES)
        | when(flags & state_flag::UPDATE != 0, feature::UPDATES)
}

fn by_transitions(rom: &Rom<'_>) -> u32 {
    // The bits of all transitions, whole records at a time.
    let any = rom.transitions().iter().fold(0, |any, transition| {
        any | u128::from_le_bytes(zerocopy::transmute!(*transition))
    });
    let any: TransitionRecord = zerocopy::transmute!(any.to_le_bytes());
    let is_eventless = |transition: &TransitionRecord| {
        SpecialTrigger::read(transition.trigger).is_some_and(SpecialTrigger::is_eventless)
    };
    // Mostly the bits alone show that no trigger is that high.
    let may_be_eventless = any.trigger.get() >= SpecialTrigger::FIRST;
    let eventless = may_be_eventless && rom.transitions().iter().any(is_eventless);
    let flagged = |flag| any.flags.get() & flag != 0;
    when(flagged(transition_flag::INTERRUPT), feature::INTERRUPTS)
        | when(eventless, feature::EVENTLESS)
        | when(flagged(transition_flag::SCORED), feature::SCORES)
        | when(flagged(transition_flag::LATCH), feature::LATCH)
        | when(
            flagged(transition_flag::PUSH | transition_flag::POP),
            feature::STACK,
        )
}

fn by_extras(rom: &Rom<'_>) -> u32 {
    let mut used = 0;
    for extra in rom.transition_extras() {
        used |= when(extra.cooldown_time.is_some(), feature::COOLDOWN);
        used |= when(extra.debounce_time.is_some(), feature::DEBOUNCE);
    }
    for extra in rom.state_extras() {
        let held = extra.exit_ready.get() != NONE || extra.min_active.is_some();
        used |= when(held, feature::EXIT_CONDITIONS);
        used |= when(extra.channels.get() != 0, feature::CHANNELS);
        used |= when(extra.scratch_count > 0, feature::SCRATCH);
    }
    used
}

fn by_events(rom: &Rom<'_>) -> u32 {
    let mut used = 0;
    for event in rom.events() {
        used |= when(event.flags & event_flag::COALESCE != 0, feature::COALESCE);
        used |= when(event.ttl_ticks.get() > 0, feature::TTL);
    }
    used
}
