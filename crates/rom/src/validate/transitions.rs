//! Transitions: owners, order, kinds, domains and what only some of them have (SEL-3, EXEC-2).

use super::durations::{Place, bad_optional};
use super::targets::{Span, anchor, span};
use super::tree::{range_of_slots, slots_fit};
use super::{Check, Runs, expected, optional, presence, range, unknown};
use crate::error::{LoadError, Problem};
use crate::ids::{StateId, TargetSetId};
use crate::layout::*;
use crate::validate::functions::{self, Role};
use crate::view::Rom;

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
    let limits = Limits {
        lists: rom.action_lists().len() as u16,
        sets: rom.target_sets().len() as u16,
        triggers: rom.columns().saturating_sub(1) as u16,
        guards: leading_guards(rom),
    };
    let common = Common::of(&limits);
    let mut runs = Runs::default();
    for (source, state) in (0_u16..).zip(rom.states()) {
        let (first, count) = (state.first_transition.get(), state.transition_count.get());
        if (state.kind == StateKind::Choice) | (count == 0) {
            continue;
        }
        let next = runs.next as usize;
        let placed = runs.take(u32::from(first), u32::from(count));
        check.rule(placed, next, || {
            Problem::Rule("the transition is not among those of its source")
        })?;
        let own = crate::view::run(rom.transitions(), usize::from(first), usize::from(count));
        // Most states have transitions of the common kind only; those have targets.
        if EXPLAIN || limits.sets == 0 || !are_common(rom, &limits, &common, source, own) {
            explain(&mut check, rom, &limits, (source, state), own)?;
        }
    }
    let total = rom.transitions().len();
    check.whole(runs.is_all(total), || {
        expected("sum of transitions of states", runs.next, total as u64)
    })?;
    check.finish()
}

/// All transitions of a state, rule by rule.
#[cold]
#[inline(never)]
fn explain<const EXPLAIN: bool>(
    check: &mut Check<EXPLAIN>,
    rom: &Rom<'_>,
    limits: &Limits,
    (source, state): (u16, &StateRecord),
    own: &[TransitionRecord],
) -> Result<(), LoadError> {
    let mut last = 0xF;
    for (i, transition) in (usize::from(state.first_transition.get())..).zip(own) {
        let found = transition.source.get();
        check.rule(found == source, i, || {
            Problem::Rule("the transition is not among those of its source")
        })?;
        let priority = transition.flags.get() >> PRIORITY_SHIFT;
        check.rule(priority <= last, i, || {
            Problem::Rule("not in the order of priorities")
        })?;
        last = priority;
        full(check, rom, limits, i, transition)?;
    }
    lists(check, rom, usize::from(state.first_transition.get()), own)
}

/// A transition of a list of events is like the one before it in all but the event, and has the
/// same cooldown (LANG-1).
fn lists<const EXPLAIN: bool>(
    check: &mut Check<EXPLAIN>,
    rom: &Rom<'_>,
    first: usize,
    own: &[TransitionRecord],
) -> Result<(), LoadError> {
    use transition_flag::LISTED;
    let is_listed = |one: &TransitionRecord| one.flags.get() & LISTED != 0;
    let is_event = |one: &TransitionRecord| usize::from(one.trigger.get()) < rom.events().len();
    let cooldown = |one: &TransitionRecord| {
        let extra = rom.transition_extras().get(usize::from(one.extra.get()));
        extra.map_or(0xFF, |extra| extra.cooldown_slot)
    };
    let alike = |a: &TransitionRecord, b: &TransitionRecord| {
        (a.targets == b.targets)
            & (a.guard == b.guard)
            & (a.effect == b.effect)
            & (a.domain == b.domain)
            & (a.flags.get() | LISTED == b.flags.get())
            & is_event(a)
            & is_event(b)
            & (cooldown(a) == cooldown(b))
    };
    let head = own.first().is_none_or(|one| !is_listed(one));
    let rule = || Problem::Rule("not like the transition before it in its list");
    check.rule(head, first, rule)?;
    let pairs = own.iter().zip(own.iter().skip(1));
    for (i, (before, one)) in (first.saturating_add(1)..).zip(pairs) {
        check.rule(!is_listed(one) || alike(before, one), i, rule)?;
    }
    Ok(())
}

struct Limits {
    lists: u16,
    sets: u16,
    triggers: u16,
    /// So many ops from the first on are guards. There may be more further on.
    guards: u16,
}

#[inline(always)]
fn is_trigger(limits: &Limits, trigger: u16) -> bool {
    (trigger < limits.triggers) | SpecialTrigger::from_number(trigger).is_some()
}

#[inline(always)]
fn is_guard(rom: &Rom<'_>, limits: &Limits, guard: u16) -> bool {
    may_be(guard, limits.guards) || plays_guard(rom, guard)
}

#[inline(never)]
fn plays_guard(rom: &Rom<'_>, op: u16) -> bool {
    functions::plays(rom, op, Role::Guard)
}

/// How many ops from the first on are guards, as far as a u16 can name them.
fn leading_guards(rom: &Rom<'_>) -> u16 {
    (0..NONE)
        .find(|&op| !functions::plays(rom, op, Role::Guard))
        .unwrap_or(NONE)
}

/// The fields of a transition in their order, to compare all of them at once.
#[inline(always)]
fn fields(transition: &TransitionRecord) -> Fields {
    let TransitionRecord {
        source,
        targets,
        trigger,
        guard,
        effect,
        flags,
        domain,
        extra,
    } = transition;
    [
        source, targets, trigger, guard, effect, flags, domain, extra,
    ]
    .map(|field| field.get())
}

const FIELDS: usize = size_of::<TransitionRecord>() / 2;
type Fields = [u16; FIELDS];

/// What each field of a transition of the common kind can be: its bits of `mask` are `first` or one
/// of the `more` numbers after it. [`NONE`] is the number before 0.
struct Common {
    mask: Fields,
    first: Fields,
    more: Fields,
    /// None is above this.
    most: Fields,
    /// Ones where the number of the source is added to `first`.
    first_is_source: Fields,
    /// Ones where the number of the source is added to `more`.
    more_is_source: Fields,
}

impl Common {
    fn of(limits: &Limits) -> Self {
        use transition_flag::{INTERRUPT, LOCAL};
        let rare = !(INTERRUPT | LOCAL | PRIORITY_MASK);
        let targets = limits.sets.saturating_sub(1);
        // The special ones are the first of the numbers before 0.
        let triggers = limits
            .triggers
            .wrapping_sub(SpecialTrigger::FIRST)
            .wrapping_sub(1);
        // In the order of `fields`. A guard takes more than a comparison.
        Self {
            mask: [!0, !0, !0, 0, !0, rare, !0, !0],
            first: [0, 0, SpecialTrigger::FIRST, 0, NONE, 0, 0, NONE],
            more: [0, targets, triggers, 0, limits.lists, 0, 0, 0],
            most: [!0, !0, SpecialTrigger::LAST, !0, !0, !0, !0, !0],
            first_is_source: [!0, 0, 0, 0, 0, 0, 0, 0],
            more_is_source: [0, 0, 0, 0, 0, 0, !0, 0],
        }
    }

    /// The same for the transitions of one state: it is their source, and their domain is not after
    /// it.
    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "all arrays are of the same length")]
    fn of_state(&self, source: u16) -> Self {
        let with_source = |numbers: &Fields, ones: &Fields| {
            core::array::from_fn(|i| numbers[i].wrapping_add(source & ones[i]))
        };
        Self {
            first: with_source(&self.first, &self.first_is_source),
            more: with_source(&self.more, &self.more_is_source),
            ..*self
        }
    }

    /// Are all fields in their ranges? Written so that all of them are compared at once.
    #[inline(always)]
    #[expect(
        clippy::indexing_slicing,
        clippy::needless_range_loop,
        reason = "all arrays are of the same length"
    )]
    fn has(&self, fields: &Fields) -> bool {
        let mut excess = 0;
        for i in 0..FIELDS {
            excess |= (fields[i] & self.mask[i])
                .wrapping_sub(self.first[i])
                .saturating_sub(self.more[i]);
            excess |= fields[i].saturating_sub(self.most[i]);
        }
        excess == 0
    }
}

/// Are all transitions of a state of the common kind, to which all rules of [`full`] apply?
/// External or local, with targets, in the order of priorities, without anything rare.
///
/// Not inlined: with the constants of [`Common::of`] in sight, the fields are compared one by one.
#[inline(never)]
fn are_common(
    rom: &Rom<'_>,
    limits: &Limits,
    common: &Common,
    source: u16,
    own: &[TransitionRecord],
) -> bool {
    use transition_flag::LOCAL;
    let common = common.of_state(source);
    let mut last = u16::MAX;
    own.iter().all(|transition| {
        let (domain, flags) = (transition.domain.get(), transition.flags.get());
        let priority = flags >> PRIORITY_SHIFT;
        let ordered = priority <= last;
        last = priority;
        common.has(&fields(transition))
            && rom
                .states()
                .get(usize::from(domain))
                .is_some_and(|around| source < around.subtree_end.get())
            && (flags & LOCAL != 0) == (domain == source)
            && ordered
            && is_guard(rom, limits, transition.guard.get())
    })
}

/// A reference that may be absent: [`NONE`] is the number below the first.
#[inline(always)]
fn may_be(raw: u16, count: u16) -> bool {
    raw.wrapping_add(1) <= count
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
    let (source, flags, trigger) = (
        transition.source.get(),
        transition.flags.get(),
        transition.trigger.get(),
    );
    let Some(state) = rom.states().get(usize::from(source)) else {
        return check.rule(false, i, || range("source", source, rom.states().len()));
    };
    let place = i.wrapping_sub(usize::from(state.first_transition.get()));
    let own =
        (place < usize::from(state.transition_count.get())) & (state.kind != StateKind::Choice);
    check.rule(own, i, || {
        Problem::Rule("the transition is not among those of its source")
    })?;
    check.rule(
        flags & !(transition_flag::ALL | PRIORITY_MASK) == 0,
        i,
        || unknown("flags", flags),
    )?;
    check.rule(is_trigger(limits, trigger), i, || {
        unknown("trigger", trigger)
    })?;
    let guard = transition.guard.get();
    check.rule(functions::plays(rom, guard, Role::Guard), i, || {
        Role::Guard.problem(guard)
    })?;
    let effect = transition.effect.get();
    check.rule(may_be(effect, limits.lists), i, || {
        range("effect", effect, usize::from(limits.lists))
    })?;
    stay(check, rom, i, transition)?;
    movement(check, rom, i, transition)?;
    extra_of(check, rom, i, transition, state)
}

/// Nothing happens when one wins that means to stay (LANG-6): it has nothing that would.
fn stay<const EXPLAIN: bool>(
    check: &mut Check<EXPLAIN>,
    rom: &Rom<'_>,
    i: usize,
    transition: &TransitionRecord,
) -> Result<(), LoadError> {
    use transition_flag::{INTERNAL, INTERRUPT, LATCH, STAY};
    let flags = transition.flags.get();
    if flags & STAY == 0 {
        return Ok(());
    }
    let still = flags & (INTERNAL | INTERRUPT | LATCH) == INTERNAL;
    check.rule(still, i, || unknown("flags", flags))?;
    let effect = transition.effect.get();
    check.rule(effect == NONE, i, || presence("effect", false))?;
    let extra = rom
        .transition_extras()
        .get(usize::from(transition.extra.get()));
    let waits =
        extra.is_some_and(|extra| extra.cooldown_time.is_some() || extra.debounce_time.is_some());
    check.rule(!waits, i, || presence("cooldown or debounce", false))?;
    let ends = SpecialTrigger::Done.is(transition.trigger)
        || SpecialTrigger::Failed.is(transition.trigger);
    check.rule(!ends, i, || unknown("trigger", transition.trigger))
}

/// Kind, domain and targets fit together (EXEC-2).
fn movement<const EXPLAIN: bool>(
    check: &mut Check<EXPLAIN>,
    rom: &Rom<'_>,
    i: usize,
    transition: &TransitionRecord,
) -> Result<(), LoadError> {
    let (source, domain, flags) = (
        transition.source.get(),
        transition.domain.get(),
        transition.flags.get(),
    );
    let internal = flags & transition_flag::INTERNAL != 0;
    let pop = flags & transition_flag::POP != 0;
    let apart = (!internal | (flags & group::MOVES == 0)) & (!pop | (flags & group::ENTERS == 0));
    check.rule(apart, i, || unknown("flags", flags))?;
    let sets = rom.target_sets().len();
    let targets = transition.targets.get();
    let aimed = flags & group::STILL == 0;
    check.rule(aimed == (targets != NONE), i, || {
        presence("target set", aimed)
    })?;
    check.rule(optional(targets, sets), i, || {
        range("target set", targets, sets)
    })?;

    let Some(around) = rom.states().get(usize::from(domain)) else {
        return check.rule(false, i, || range("domain", domain, rom.states().len()));
    };
    let end = around.subtree_end.get();
    let stays = flags & group::STAYS != 0;
    let fits =
        (domain <= source) & (source < end) & ((stays == (domain == source)) | (source == 0));
    check.rule(fits, i, || Problem::Domain { domain, source })?;
    // Any other transition enters by its plan.
    if flags & (transition_flag::HISTORY | transition_flag::CHOICE) != 0 {
        let span = span(rom, targets);
        check.rule(span.is_in(domain.wrapping_add(1), end), i, || {
            let outside = if span.low <= domain {
                span.low
            } else {
                span.high
            };
            Problem::NotInside {
                what: "target",
                inner: outside,
                outer: domain,
            }
        })?;
        found_at_run_time(check, rom, i, transition, &span)?;
    }
    Ok(())
}

/// Targets that are history points or choices have their flag; a history point lies on the way of
/// the domain.
fn found_at_run_time<const EXPLAIN: bool>(
    check: &mut Check<EXPLAIN>,
    rom: &Rom<'_>,
    i: usize,
    transition: &TransitionRecord,
    span: &Span,
) -> Result<(), LoadError> {
    let flags = transition.flags.get();
    let marked = |kind, flag| !span.has(kind) || flags & flag != 0;
    check.rule(
        marked(TargetKind::Choice, transition_flag::CHOICE),
        i,
        || presence("the choice flag", true),
    )?;
    check.rule(
        marked(TargetKind::History, transition_flag::HISTORY),
        i,
        || presence("the history flag", true),
    )?;
    let Some(domain) = StateId::read(transition.domain) else {
        return Ok(());
    };
    let targets = TargetSetId::read(transition.targets).map_or(&[][..], |set| rom.targets_of(set));
    for target in targets
        .iter()
        .filter(|target| target.kind == TargetKind::History)
    {
        let owner = anchor(rom, target);
        let related = StateId::new(owner).is_some_and(|owner| {
            rom.is_ancestor_or_self(domain, owner) || rom.is_ancestor_or_self(owner, domain)
        });
        check.rule(related, i, || Problem::NotInside {
            what: "history owner",
            inner: owner,
            outer: domain.raw(),
        })?;
    }
    Ok(())
}

/// The extra record is there where a flag needs it, and is the transition's own.
fn extra_of<const EXPLAIN: bool>(
    check: &mut Check<EXPLAIN>,
    rom: &Rom<'_>,
    i: usize,
    transition: &TransitionRecord,
    source: &StateRecord,
) -> Result<(), LoadError> {
    use transition_flag::{LATCH, POP, PUSH, SCORED};
    let flags = transition.flags.get();
    let raw = transition.extra.get();
    let needs = flags & (SCORED | PUSH | POP) != 0;
    check.rule(!needs | (raw != NONE), i, || presence("extra record", true))?;
    if raw != NONE {
        let extra = rom.transition_extras().get(usize::from(raw));
        let own = extra.is_some_and(|extra| usize::from(extra.transition.get()) == i);
        check.rule(own, i, || {
            Problem::Rule("the extra record is not that of the transition")
        })?;
    }
    if flags & LATCH != 0 {
        let slot = rom
            .state_extras()
            .get(usize::from(source.extra.get()))
            .map_or(0xFF, |extra| extra.latch_slot);
        check.rule(slot != 0xFF, i, || {
            presence("latch slot of the source", true)
        })?;
    }
    Ok(())
}

/// What only some transitions have.
pub(super) fn transition_extras<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::TransitionExtras);
    for (i, extra) in rom.transition_extras().iter().enumerate() {
        let Some(transition) = rom.transitions().get(usize::from(extra.transition.get())) else {
            check.rule(false, i, || {
                range("transition", extra.transition, rom.transitions().len())
            })?;
            continue;
        };
        let back = usize::from(transition.extra.get()) == i;
        check.rule(back, i, || {
            Problem::Rule("the transition does not refer back to its extra record")
        })?;
        check.rule((extra.zero == 0) & (extra.reserved == [0; 10]), i, || {
            Problem::Reserved
        })?;
        score(&mut check, rom, i, extra, transition)?;
        times(&mut check, rom, i, extra)?;
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
    check.rule(functions::plays(rom, op, Role::Score), i, || {
        Role::Score.problem(op)
    })?;
    check.rule(!extra.threshold.get().is_nan(), i, || {
        Problem::Rule("the threshold is not a number")
    })?;
    let code = extra.threshold_code.get();
    let number = rom.expressions().get(usize::from(code));
    let computed = number.is_some_and(|expression| expression.ty == ValueType::F32);
    check.rule((code == NONE) | (scored & computed), i, || {
        range("expression of the threshold", code, rom.expressions().len())
    })
}

/// Cooldown and debounce have a place exactly if they have a time (SEL-6).
fn times<const EXPLAIN: bool>(
    check: &mut Check<EXPLAIN>,
    rom: &Rom<'_>,
    i: usize,
    extra: &TransitionExtra,
) -> Result<(), LoadError> {
    let problem = bad_optional(rom, extra.cooldown_time, Place::Armed)
        .or_else(|| bad_optional(rom, extra.debounce_time, Place::Asked));
    check.rule(problem.is_none(), i, || {
        problem.unwrap_or(Problem::Reserved)
    })?;
    let (cooldown, debounce) = (extra.cooldown_time.is_some(), extra.debounce_time.is_some());
    let (slot, timer) = (extra.cooldown_slot, extra.debounce_timer);
    check.rule(cooldown == (slot != 0xFF), i, || {
        presence("cooldown slot", cooldown)
    })?;
    check.rule(slot == 0xFF || slots_fit(rom, slot, 2), i, || {
        range_of_slots(rom, slot)
    })?;
    check.rule(debounce == (timer != 0xFF), i, || {
        presence("debounce timer", debounce)
    })?;
    let places = rom.capacity().timers;
    check.rule(timer == 0xFF || timer < places, i, || {
        range("debounce timer", timer, usize::from(places))
    })
}

/// A push or pop works on the stack of a region of its domain; source and targets lie in that
/// region (EXEC-8).
fn stack<const EXPLAIN: bool>(
    check: &mut Check<EXPLAIN>,
    rom: &Rom<'_>,
    i: usize,
    extra: &TransitionExtra,
    transition: &TransitionRecord,
) -> Result<(), LoadError> {
    let flags = transition.flags.get();
    let stacked = flags & (transition_flag::PUSH | transition_flag::POP) != 0;
    check.rule(stacked == (extra.stack != 0xFF), i, || {
        presence("stack", stacked)
    })?;
    if !stacked {
        return Ok(());
    }
    let (source, domain) = (transition.source.get(), StateId::read(transition.domain));
    let span = span(rom, transition.targets.get());
    let mut regions = domain
        .into_iter()
        .flat_map(|domain| rom.region_ids_of(domain));
    let region = regions.find(|&region| {
        rom.region(region)
            .is_some_and(|region| region.stack == extra.stack)
    });
    let (first, end) = region
        .and_then(|region| rom.region_span(region))
        .unwrap_or((0, 0));
    let inside = (first <= source && source < end) || transition.source == transition.domain;
    let fits = region.is_some() && inside && span.is_in(first, end);
    check.rule(fits, i, || {
        Problem::Rule("source and targets do not lie in the region of the stack")
    })
}
