//! Transitions: owners, order, kinds, domains and what only some of them have (SEL-3, EXEC-2).

use super::targets::{Span, anchor, span};
use super::tree::{range_of_slots, slots_fit};
use super::{Check, MAX_TICKS, optional, presence, range, unknown};
use crate::error::{LoadError, Problem};
use crate::ids::{RegionId, StateId, TargetSetId};
use crate::layout::*;
use crate::validate::functions::{self, Role};
use crate::view::{Rom, bit};

/// Flags that say how a transition moves.
mod group {
    use super::transition_flag::*;

    /// Without targets.
    pub(super) const STILL: u16 = INTERNAL | POP;
    /// The source stays.
    pub(super) const STAYS: u16 = INTERNAL | LOCAL;
    /// Not together with internal.
    pub(super) const MOVES: u16 = LOCAL | PUSH | POP | HISTORY | CHOICE;
    /// Not together with pop.
    pub(super) const ENTERS: u16 = LOCAL | PUSH | HISTORY | CHOICE;
}

/// Transitions belong to their states, in selection order, and go where their domain allows.
pub(super) fn transitions<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::Transitions);
    let limits = Limits { lists: rom.action_lists().len(), triggers: rom.columns().saturating_sub(1) as u16 };
    // The transition before: the order inside a state.
    let mut last = 0;
    for (i, transition) in rom.transitions().iter().enumerate() {
        let order = order(transition);
        check.rule(order >= last, i, || Problem::Rule("not in the order of sources and priorities"))?;
        last = order;
        if EXPLAIN || !is_simple(rom, &limits, i, transition) {
            full(&mut check, rom, &limits, i, transition)?;
        }
    }
    check.finish()
}

struct Limits {
    lists: usize,
    triggers: u16,
}

/// Ascends over the table: sources in order, inside a source the priority descends.
#[inline(always)]
fn order(transition: &TransitionRecord) -> u32 {
    let priority = transition.flags.get() >> transition_flag::PRIORITY_SHIFT;
    u32::from(transition.source.get()) << 4 | u32::from(priority ^ 0xF)
}

#[inline(always)]
fn is_trigger(limits: &Limits, trigger: u16) -> bool {
    let special = trigger.wrapping_sub(trigger::ANY) <= trigger::FAILED - trigger::ANY;
    (trigger < limits.triggers) | special
}

/// Is this a transition of the common kind to which all rules of [`full`] apply? External or local, unguarded or with
/// a called guard, one state as target, a domain with one region. Without branches except for what is absent.
#[inline(always)]
fn is_simple(rom: &Rom<'_>, limits: &Limits, i: usize, transition: &TransitionRecord) -> bool {
    use transition_flag::{INTERRUPT, LOCAL, PRIORITY_SHIFT};
    let (source, domain, flags) = (transition.source.get(), transition.domain.get(), transition.flags.get());
    let states = rom.states();
    let (Some(state), Some(around)) = (states.get(usize::from(source)), states.get(usize::from(domain))) else {
        return false;
    };
    let Some(set) = rom.target_sets().get(usize::from(transition.targets.get())) else { return false };
    let Some(target) = rom.targets().get(set.first.get() as usize) else { return false };
    let place = (i as u16).wrapping_sub(state.first_transition.get());
    let own = (place < state.transition_count.get()) & (state.kind != state_kind::CHOICE);
    let local = flags & LOCAL != 0;
    let plain = (flags & !(INTERRUPT | LOCAL | 0xF << PRIORITY_SHIFT) == 0) & (transition.extra.get() == NONE);
    let (end, to) = (around.subtree_end.get(), target.index.get());
    let moves = (domain <= source) & (source < end) & (local == (domain == source));
    let aims = (set.count.get() == 1) & (target.kind == target_kind::STATE) & (domain < to) & (to < end);
    let runs = is_trigger(limits, transition.trigger.get()) & optional(transition.effect.get(), limits.lists);
    let simple = own & plain & moves & aims & runs & (around.region_count == 1);
    simple && functions::plays(rom, transition.guard.get(), Role::Guard)
}

/// All rules, one by one.
#[cold]
#[inline(never)]
fn full<const EXPLAIN: bool>(
    check: &mut Check<EXPLAIN>,
    rom: &Rom<'_>,
    limits: &Limits,
    i: usize,
    transition: &TransitionRecord,
) -> Result<(), LoadError> {
    let (source, flags, trigger) = (transition.source.get(), transition.flags.get(), transition.trigger.get());
    let Some(state) = rom.states().get(usize::from(source)) else {
        return check.rule(false, i, || range("source", source, rom.states().len()));
    };
    let place = i.wrapping_sub(usize::from(state.first_transition.get()));
    let own = (place < usize::from(state.transition_count.get())) & (state.kind != state_kind::CHOICE);
    check.rule(own, i, || Problem::Rule("the transition is not among those of its source"))?;
    check.rule(flags & !transition_flag::ALL == 0, i, || unknown("flags", flags))?;
    check.rule(is_trigger(limits, trigger), i, || unknown("trigger", trigger))?;
    let guard = transition.guard.get();
    check.rule(functions::plays(rom, guard, Role::Guard), i, || Role::Guard.problem(guard))?;
    let effect = transition.effect.get();
    check.rule(optional(effect, limits.lists), i, || range("effect", effect, limits.lists))?;
    movement(check, rom, i, transition)?;
    extra_of(check, rom, i, transition, state)
}

/// Kind, domain and targets fit together (EXEC-2).
fn movement<const EXPLAIN: bool>(
    check: &mut Check<EXPLAIN>,
    rom: &Rom<'_>,
    i: usize,
    transition: &TransitionRecord,
) -> Result<(), LoadError> {
    let (source, domain, flags) = (transition.source.get(), transition.domain.get(), transition.flags.get());
    let internal = flags & transition_flag::INTERNAL != 0;
    let pop = flags & transition_flag::POP != 0;
    let apart = (!internal | (flags & group::MOVES == 0)) & (!pop | (flags & group::ENTERS == 0));
    check.rule(apart, i, || unknown("flags", flags))?;
    let sets = rom.target_sets().len();
    let targets = transition.targets.get();
    let aimed = flags & group::STILL == 0;
    check.rule(aimed == (targets != NONE), i, || presence("target set", aimed))?;
    check.rule(optional(targets, sets), i, || range("target set", targets, sets))?;

    let Some(around) = rom.states().get(usize::from(domain)) else {
        return check.rule(false, i, || range("domain", domain, rom.states().len()));
    };
    let end = around.subtree_end.get();
    let stays = flags & group::STAYS != 0;
    let fits = (domain <= source) & (source < end) & ((stays == (domain == source)) | (source == 0));
    check.rule(fits, i, || Problem::Domain { domain, source })?;
    let span = span(rom, targets);
    check.rule(span.is_in(domain.wrapping_add(1), end), i, || {
        let outside = if span.low <= domain { span.low } else { span.high };
        Problem::NotInside { what: "target", inner: outside, outer: domain }
    })?;
    // Rare from here on.
    if span.kinds & !bit(target_kind::STATE) != 0 {
        found_at_run_time(check, rom, i, transition, &span)?;
    }
    if (around.region_count > 1) & aimed {
        regions_of_domain(check, rom, i, transition, &span)?;
    }
    Ok(())
}

/// Targets that are history points or choices have their flag; a history point lies on the way of the domain.
fn found_at_run_time<const EXPLAIN: bool>(
    check: &mut Check<EXPLAIN>,
    rom: &Rom<'_>,
    i: usize,
    transition: &TransitionRecord,
    span: &Span,
) -> Result<(), LoadError> {
    let flags = transition.flags.get();
    let marked = |kind, flag| !span.has(kind) || flags & flag != 0;
    check.rule(marked(target_kind::CHOICE, transition_flag::CHOICE), i, || presence("the choice flag", true))?;
    check.rule(marked(target_kind::HISTORY, transition_flag::HISTORY), i, || presence("the history flag", true))?;
    let Some(domain) = StateId::read(transition.domain) else { return Ok(()) };
    let targets = TargetSetId::read(transition.targets).map_or(&[][..], |set| rom.targets_of(set));
    for target in targets.iter().filter(|target| target.kind == target_kind::HISTORY) {
        let owner = anchor(rom, target);
        let related = StateId::new(owner)
            .is_some_and(|owner| rom.is_ancestor_or_self(domain, owner) || rom.is_ancestor_or_self(owner, domain));
        check.rule(related, i, || Problem::NotInside { what: "history owner", inner: owner, outer: domain.raw() })?;
    }
    Ok(())
}

/// The child of `outer` that is `inner` or around it.
fn child_around(rom: &Rom<'_>, outer: StateId, inner: StateId) -> Option<StateId> {
    rom.path_up(inner).find(|&state| rom.parent(state) == Some(outer))
}

/// Below an orthogonal domain, a transition either stays in one region, or is local and names the regions it leaves;
/// only the root may be left as a whole.
fn regions_of_domain<const EXPLAIN: bool>(
    check: &mut Check<EXPLAIN>,
    rom: &Rom<'_>,
    i: usize,
    transition: &TransitionRecord,
    span: &Span,
) -> Result<(), LoadError> {
    let (Some(domain), Some(source)) = (StateId::read(transition.domain), StateId::read(transition.source)) else {
        return Ok(());
    };
    if transition.flags.get() & transition_flag::LOCAL != 0 {
        let extra = rom.transition_extras().get(usize::from(transition.extra.get()));
        let mask = extra.map_or(0, |extra| extra.region_mask);
        check.rule(u32::from(mask) & touched(rom, domain, transition) == touched(rom, domain, transition), i, || {
            Problem::Rule("a target lies in a region that is not left")
        })
    } else {
        let child = child_around(rom, domain, source).and_then(|child| rom.state(child));
        let region = child.and_then(|child| RegionId::read(child.region));
        let (first, end) = region.and_then(|region| rom.region_span(region)).unwrap_or((0, 0));
        let run_time = transition.flags.get() & transition_flag::HISTORY != 0;
        let fits = span.is_in(first, end) || run_time || domain == StateId::ROOT;
        check.rule(fits, i, || Problem::Rule("source and targets lie in different regions of the domain"))
    }
}

/// Regions of an orthogonal domain in which targets lie, one bit each; all of them for a history point of its own.
fn touched(rom: &Rom<'_>, domain: StateId, transition: &TransitionRecord) -> u32 {
    let targets = TargetSetId::read(transition.targets).map_or(&[][..], |set| rom.targets_of(set));
    let mut mask = 0;
    for target in targets {
        let inner = StateId::new(anchor(rom, target));
        for (number, region) in (0_u8..).zip(rom.region_ids_of(domain)) {
            let (first, end) = rom.region_span(region).unwrap_or((0, 0));
            let inside = inner.is_some_and(|inner| inner == domain || (first <= inner.raw() && inner.raw() < end));
            mask |= if inside { bit(number) } else { 0 };
        }
    }
    mask
}

/// The extra record is there where a flag needs it, and is the transition's own.
fn extra_of<const EXPLAIN: bool>(
    check: &mut Check<EXPLAIN>,
    rom: &Rom<'_>,
    i: usize,
    transition: &TransitionRecord,
    source: &StateRecord,
) -> Result<(), LoadError> {
    use transition_flag::{LATCH, LOCAL, POP, PUSH, SCORED};
    let flags = transition.flags.get();
    let raw = transition.extra.get();
    let needs = (flags & (SCORED | PUSH | POP) != 0) | ((flags & LOCAL != 0) & (source.region_count > 1));
    check.rule(!needs | (raw != NONE), i, || presence("extra record", true))?;
    if raw != NONE {
        let extra = rom.transition_extras().get(usize::from(raw));
        let own = extra.is_some_and(|extra| usize::from(extra.transition.get()) == i);
        check.rule(own, i, || Problem::Rule("the extra record is not that of the transition"))?;
    }
    if flags & LATCH != 0 {
        let slot = rom.state_extras().get(usize::from(source.extra.get())).map_or(0xFF, |extra| extra.latch_slot);
        check.rule(slot != 0xFF, i, || presence("latch slot of the source", true))?;
    }
    Ok(())
}

/// What only some transitions have.
pub(super) fn transition_extras<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::TransitionExtras);
    for (i, extra) in rom.transition_extras().iter().enumerate() {
        let Some(transition) = rom.transitions().get(usize::from(extra.transition.get())) else {
            check.rule(false, i, || range("transition", extra.transition, rom.transitions().len()))?;
            continue;
        };
        let back = usize::from(transition.extra.get()) == i;
        check.rule(back, i, || Problem::Rule("the transition does not refer back to its extra record"))?;
        check.rule(extra.reserved == [0; 12], i, || Problem::Reserved)?;
        score(&mut check, rom, i, extra, transition)?;
        times(&mut check, rom, i, extra)?;
        mask(&mut check, rom, i, extra, transition)?;
        stack(&mut check, rom, i, extra, transition)?;
    }
    check.finish()
}

fn score<const EXPLAIN: bool>(
    check: &mut Check<EXPLAIN>,
    rom: &Rom<'_>,
    i: usize,
    extra: &TransitionExtra,
    transition: &TransitionRecord,
) -> Result<(), LoadError> {
    let op = extra.score.get();
    let scored = transition.flags.get() & transition_flag::SCORED != 0;
    check.rule(scored == (op != NONE), i, || presence("score", scored))?;
    check.rule(functions::plays(rom, op, Role::Score), i, || Role::Score.problem(op))?;
    check.rule(!extra.threshold.get().is_nan(), i, || Problem::Rule("the threshold is not a number"))
}

/// Cooldown and debounce have a place exactly if they have a time (SEL-6).
fn times<const EXPLAIN: bool>(
    check: &mut Check<EXPLAIN>,
    rom: &Rom<'_>,
    i: usize,
    extra: &TransitionExtra,
) -> Result<(), LoadError> {
    let (cooldown, debounce) = (extra.cooldown_ticks.get(), extra.debounce_ticks.get());
    check.rule(cooldown <= MAX_TICKS && debounce <= MAX_TICKS, i, || {
        range("cooldown or debounce", cooldown.max(debounce), 1 << 31)
    })?;
    let (slot, timer) = (extra.cooldown_slot, extra.debounce_timer);
    check.rule((cooldown > 0) == (slot != 0xFF), i, || presence("cooldown slot", cooldown > 0))?;
    check.rule(slot == 0xFF || slots_fit(rom, slot, 2), i, || range_of_slots(rom, slot))?;
    check.rule((debounce > 0) == (timer != 0xFF), i, || presence("debounce timer", debounce > 0))?;
    let places = rom.tier().timers;
    check.rule(timer == 0xFF || timer < places, i, || range("debounce timer", timer, usize::from(places)))
}

/// Only a local transition of an orthogonal source leaves some of its regions (EXEC-2).
fn mask<const EXPLAIN: bool>(
    check: &mut Check<EXPLAIN>,
    rom: &Rom<'_>,
    i: usize,
    extra: &TransitionExtra,
    transition: &TransitionRecord,
) -> Result<(), LoadError> {
    let regions = StateId::read(transition.source).map_or(0, |source| rom.regions_of(source).len());
    let local = transition.flags.get() & transition_flag::LOCAL != 0 && regions > 1;
    let all = if local { 1_u32.wrapping_shl(regions as u32).wrapping_sub(1) } else { 0 };
    let mask = u32::from(extra.region_mask);
    let fits = mask & !all == 0 && (mask != 0) == local;
    check.rule(fits, i, || unknown("region mask", extra.region_mask))
}

/// A push or pop works on the stack of a region of its domain; source and targets lie in that region (EXEC-8).
fn stack<const EXPLAIN: bool>(
    check: &mut Check<EXPLAIN>,
    rom: &Rom<'_>,
    i: usize,
    extra: &TransitionExtra,
    transition: &TransitionRecord,
) -> Result<(), LoadError> {
    let flags = transition.flags.get();
    let stacked = flags & (transition_flag::PUSH | transition_flag::POP) != 0;
    check.rule(stacked == (extra.stack != 0xFF), i, || presence("stack", stacked))?;
    if !stacked {
        return Ok(());
    }
    let (source, domain) = (transition.source.get(), StateId::read(transition.domain));
    let span = span(rom, transition.targets.get());
    let mut regions = domain.into_iter().flat_map(|domain| rom.region_ids_of(domain));
    let region = regions.find(|&region| rom.region(region).is_some_and(|region| region.stack == extra.stack));
    let (first, end) = region.and_then(|region| rom.region_span(region)).unwrap_or((0, 0));
    let inside = (first <= source && source < end) || transition.source == transition.domain;
    let fits = region.is_some() && inside && span.is_in(first, end);
    check.rule(fits, i, || Problem::Rule("source and targets do not lie in the region of the stack"))
}
