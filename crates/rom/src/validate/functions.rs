//! Expressions, ops and action lists: everything that runs is used as what it is (CODE-1, CODE-4).
//!
//! Single ops (guards, scores, activities) come first in the ops table; then the action lists, back
//! to back. So the place of an op says what it must be, and no list has to be walked to prove it.

use super::durations::{Place, bad_word};
use super::{Check, Runs, expected, presence, range, unknown};
use crate::code::{self, CodeLimits};
use crate::error::{LoadError, Problem};
use crate::layout::*;
use crate::number::Coded;
use crate::view::Rom;

/// What a single op is used as.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Guard,
    Activity,
    Score,
}

impl Role {
    pub(super) fn problem(self, op: u16) -> Problem {
        let what = match self {
            Self::Guard => "a guard",
            Self::Activity => "an activity",
            Self::Score => "a score",
        };
        Problem::Use { what, op }
    }

    /// Kind of function that a call must have, and type that an expression must have, where it may be
    /// one.
    #[inline(always)]
    fn demands(self) -> (FunctionKind, Option<ValueType>) {
        match self {
            Self::Guard => (FunctionKind::Guard, Some(ValueType::Bool)),
            Self::Activity => (FunctionKind::Activity, None),
            Self::Score => (FunctionKind::Scorer, Some(ValueType::F32)),
        }
    }
}

/// Is this op absent or fit for its use?
#[inline(always)]
pub(super) fn plays(rom: &Rom<'_>, op: u16, role: Role) -> bool {
    if op == NONE {
        return true;
    }
    let Some(op) = rom.ops().get(usize::from(op)) else {
        return false;
    };
    let (function, ty) = role.demands();
    let a = usize::from(op.a.get());
    if op.kind.known().is_some_and(ActionOp::calls) {
        rom.linker()
            .get(a)
            .is_some_and(|entry| entry.kind == function)
            && source_of(rom, op) != Some(ArgumentSource::Stack)
    } else {
        (op.kind == ActionOp::Evaluate)
            & rom
                .expressions()
                .get(a)
                .is_some_and(|expression| ty.is_some_and(|ty| expression.ty == ty))
    }
}

/// Expressions lie back to back and are sound.
pub(super) fn expressions<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::Expressions);
    let limits = CodeLimits {
        keys: rom.keys(),
        parameters: rom.parameters(),
        states: rom.states().len(),
        ops: rom.ops(),
        arguments: rom.arguments(),
        linker: rom.linker(),
        scratch: rom.scratch(),
        strings: rom.strings(),
    };
    let (mut runs, mut scratch) = (Runs::default(), code::Scratch::new());
    for (i, expression) in rom.expressions().iter().enumerate() {
        let next = runs.next;
        let placed = runs.take(expression.first.get(), u32::from(expression.count.get()));
        check.rule(placed, i, || {
            expected("first instruction", next, expression.first)
        })?;
        if placed {
            let sound = code::verify_with(&mut scratch, rom.code(), expression, &limits);
            check.rule(sound.is_ok(), i, || {
                sound.map_or_else(Problem::Code, |()| Problem::Rule("sound"))
            })?;
        }
    }
    let length = rom.code().len();
    check.whole(runs.is_all(length), || {
        expected("sum of instructions", length as u64, runs.next)
    })?;
    check.finish()
}

/// First op that belongs to a list.
pub(super) fn first_listed(rom: &Rom<'_>) -> usize {
    rom.action_lists()
        .first()
        .map_or(rom.ops().len(), |list| list.first.get() as usize)
}

/// Lists lie back to back up to the end of the ops.
pub(super) fn action_lists<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::ActionLists);
    let mut runs = Runs {
        next: first_listed(rom) as u64,
    };
    for (i, list) in rom.action_lists().iter().enumerate() {
        let next = runs.next;
        let placed = runs.take(list.first.get(), u32::from(list.count.get()));
        check.rule(placed, i, || {
            if list.count.get() == 0 {
                unknown("count", 0_u8)
            } else {
                expected("first op", next, list.first)
            }
        })?;
        check.rule(list.reserved.get() == 0, i, || Problem::Reserved)?;
    }
    let ops = rom.ops().len();
    check.whole(runs.is_all(ops), || {
        expected("sum of ops", ops as u64, runs.next)
    })?;
    check.finish()
}

/// Ops: known kinds, operands in range, actions in lists and nothing else there.
pub(super) fn ops<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::Ops);
    let listed = first_listed(rom);
    let (linker, arguments) = (rom.linker(), rom.arguments().len() as u64);
    for (i, op) in rom.ops().iter().enumerate() {
        let a = op.a.get();
        if op.kind.known().is_some_and(ActionOp::calls) {
            let Some(function) = linker.get(usize::from(a)) else {
                check.rule(false, i, || range("function", a, linker.len()))?;
                continue;
            };
            let action = function.kind == FunctionKind::Action;
            check.rule(action == (i >= listed), i, || misplaced(action))?;
            let end = u64::from(op.b.get()).wrapping_add(u64::from(op.count));
            check.rule(end <= arguments, i, || {
                range(
                    "end of arguments",
                    end,
                    rom.arguments().len().wrapping_add(1),
                )
            })?;
            let run = rom.argument_run(op.b.get(), op.count);
            let fits = if op.kind == ActionOp::Call {
                run.iter().all(|one| one.place().is_none())
            } else {
                computes(run, function.kind)
            };
            check.rule(fits, i, || {
                Problem::Rule("the arguments are not computed as the call says")
            })?;
        } else {
            built_in(&mut check, rom, i, op)?;
            let leaves_out = op.kind.known().is_some_and(ActionOp::leaves_out);
            let inside = !leaves_out || stays_in_list(rom, i, op.b.get());
            check.rule(inside, i, || unknown("number of ops left out", op.b))?;
            let action = op.kind != ActionOp::Evaluate;
            check.rule(action == (i >= listed), i, || misplaced(action))?;
        }
    }
    check.finish()
}

/// Where the computed arguments of a call come from; all are of one source.
fn source_of(rom: &Rom<'_>, op: &OpRecord) -> Option<ArgumentSource> {
    if op.kind != ActionOp::CallWith {
        return None;
    }
    let run = rom.arguments_of(op).iter();
    let mut computed = run.filter(|one| one.place().is_some());
    computed.next().and_then(|one| one.source.known())
}

/// Whether a call with computed arguments has some, each with a place of its own, all of one source:
/// expressions have those of the functions that they call on their stack, and an action is called by
/// none.
fn computes(run: &[ArgumentRecord], function: Coded<FunctionKind>) -> bool {
    let computed = run.iter().filter(|one| one.place().is_some());
    let count = computed.clone().count();
    let Some(source) = computed.clone().next().map(|one| one.source) else {
        return false;
    };
    let has = |place: u32| run.iter().any(|one| one.place() == Some(place));
    let fits = match function.known() {
        Some(FunctionKind::Guard) => true,
        Some(FunctionKind::Value) => source == ArgumentSource::Stack,
        Some(FunctionKind::Action | FunctionKind::Activity | FunctionKind::Scorer) | None => {
            source == ArgumentSource::Expression
        }
    };
    fits && run.len() <= usize::from(MAX_ARGUMENTS)
        && computed.clone().all(|one| one.source == source)
        && (0..count as u32).all(has)
}

/// Whether the list of an op goes on for so many ops after it, at least one.
fn stays_in_list(rom: &Rom<'_>, op: usize, skipped: u32) -> bool {
    let lists = rom.action_lists();
    let after = lists.partition_point(|list| list.first.get() as usize <= op);
    let list = after.checked_sub(1).and_then(|list| lists.get(list));
    let end = list.map_or(0, |list| {
        u64::from(list.first.get()).wrapping_add(u64::from(list.count.get()))
    });
    let next = (op as u64).wrapping_add(1);
    skipped != 0 && next.wrapping_add(u64::from(skipped)) <= end
}

fn misplaced(action: bool) -> Problem {
    Problem::Rule(if action {
        "an action outside of the lists"
    } else {
        "no action, but in a list"
    })
}

/// Ops other than calls.
fn built_in<const EXPLAIN: bool>(
    check: &mut Check<EXPLAIN>,
    rom: &Rom<'_>,
    i: usize,
    op: &OpRecord,
) -> Result<(), LoadError> {
    check.rule(op.kind.is_known(), i, || unknown("kind", op.kind))?;
    check.rule(op.count == 0, i, || Problem::Reserved)?;
    let Some(kind) = op.kind.known() else {
        return Ok(());
    };
    let (what, limit) = operand(rom, kind);
    let a = op.a.get();
    check.rule(usize::from(a) < limit, i, || range(what, a, limit))?;
    let problem = second_operand(rom, op, kind);
    check.rule(problem.is_none(), i, || {
        problem.unwrap_or(Problem::Reserved)
    })
}

/// What the first operand refers to, and how many there are.
fn operand(rom: &Rom<'_>, kind: ActionOp) -> (&'static str, usize) {
    match kind {
        ActionOp::Evaluate
        | ActionOp::Set
        | ActionOp::Add
        | ActionOp::SetScratch
        | ActionOp::AddScratch
        | ActionOp::Unless => ("expression", rom.expressions().len()),
        ActionOp::Raise | ActionOp::Send => ("event", rom.events().len()),
        ActionOp::Emit => ("command", rom.strings().len()),
        ActionOp::StartTimer | ActionOp::StopTimer => ("timer", rom.timers().len()),
        ActionOp::ClearHistory => ("state", rom.states().len()),
        ActionOp::Skip => ("operand", 1),
        // Have rules of their own.
        ActionOp::Call | ActionOp::CallWith => ("operand", 0),
    }
}

/// What is wrong with the rest of a built-in op.
fn second_operand(rom: &Rom<'_>, op: &OpRecord, kind: ActionOp) -> Option<Problem> {
    let b = op.b.get();
    let (low, high) = (b as u16, (b >> 16) as u16);
    match kind {
        ActionOp::Evaluate => result(rom, op).or_else(|| unused(b)),
        ActionOp::Set | ActionOp::Add => write(rom, op),
        ActionOp::SetScratch | ActionOp::AddScratch => write_scratch(rom, op),
        ActionOp::Raise => payload_expression(rom, low).or_else(|| unused(u32::from(high))),
        ActionOp::Send => payload_expression(rom, low).or_else(|| receiver(rom, high)),
        ActionOp::Emit => payload_expression(rom, low).or_else(|| {
            (usize::from(high) >= rom.lane_count()).then(|| range("lane", high, rom.lane_count()))
        }),
        ActionOp::StartTimer => {
            named_timer(rom, op).or_else(|| bad_word(rom, DurationWord::from_raw(b), Place::Armed))
        }
        ActionOp::StopTimer => named_timer(rom, op).or_else(|| unused(b)),
        ActionOp::Unless => {
            let ty = expression_type(rom, op.a.get());
            (ty != ValueType::Bool).then(|| unknown("type of a condition,", ty))
        }
        ActionOp::Skip => None,
        ActionOp::ClearHistory => unused(b),
        // Have rules of their own.
        ActionOp::Call | ActionOp::CallWith => None,
    }
}

fn unused(b: u32) -> Option<Problem> {
    (b != 0).then_some(Problem::Reserved)
}

/// An evaluated expression is a guard or a score.
fn result(rom: &Rom<'_>, op: &OpRecord) -> Option<Problem> {
    let ty = expression_type(rom, op.a.get());
    (ty != ValueType::Bool && ty != ValueType::F32)
        .then(|| unknown("type of a guard or score,", ty))
}

/// No type if there is no such expression.
fn expression_type(rom: &Rom<'_>, expression: u16) -> Coded<ValueType> {
    rom.expressions()
        .get(usize::from(expression))
        .map_or(NO_TYPE, |expression| expression.ty)
}

const NO_TYPE: Coded<ValueType> = Coded::from_raw(ValueType::COUNT as u8);
const _: () = assert!(ValueType::from_number(NO_TYPE.raw()).is_none());

/// A write has the type of its key; only numbers are added.
fn write(rom: &Rom<'_>, op: &OpRecord) -> Option<Problem> {
    let b = op.b.get();
    let Some(key) = rom.keys().get(b as usize) else {
        return Some(range("key", b, rom.keys().len()));
    };
    let ty = expression_type(rom, op.a.get());
    let adds = ty.known().is_some_and(ValueType::adds);
    if ty != key.ty {
        Some(expected("type of the value", key.ty, ty))
    } else if op.kind == ActionOp::Add && !adds {
        Some(unknown("sum of values of type", ty))
    } else {
        None
    }
}

/// A write has the type of its scratch; only numbers are added (LANG-8).
fn write_scratch(rom: &Rom<'_>, op: &OpRecord) -> Option<Problem> {
    let b = op.b.get();
    let Some(scratch) = rom.scratch().get(b as usize) else {
        return Some(range("scratch", b, rom.scratch().len()));
    };
    let ty = expression_type(rom, op.a.get());
    let wanted = scratch.ty.known().and_then(ScratchType::value_type);
    let Some(wanted) = wanted else {
        return Some(unknown("scratch of type", scratch.ty));
    };
    if ty != wanted {
        Some(expected("type of the value", wanted.coded(), ty))
    } else if op.kind == ActionOp::AddScratch && wanted != ValueType::I32 {
        Some(unknown("sum of values of type", ty))
    } else {
        None
    }
}

fn payload_expression(rom: &Rom<'_>, expression: u16) -> Option<Problem> {
    let count = rom.expressions().len();
    (!super::optional(expression, count)).then(|| range("payload", expression, count))
}

fn receiver(rom: &Rom<'_>, expression: u16) -> Option<Problem> {
    let ty = expression_type(rom, expression);
    (expression != NONE && ty != ValueType::Entity)
        .then(|| expected("type of the receiver", ValueType::Entity.coded(), ty))
}

/// Only named timers are started and stopped.
fn named_timer(rom: &Rom<'_>, op: &OpRecord) -> Option<Problem> {
    let kind = rom
        .timers()
        .get(usize::from(op.a.get()))
        .and_then(|timer| timer.kind.known());
    let named = kind.is_some_and(TimerKind::is_named);
    (!named).then(|| presence("a name of the timer", true))
}
