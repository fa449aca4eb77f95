//! What conditions say: expressions whose result is a truth, without a stack as far as that goes.
//!
//! Most conditions are [straight](straight()) comparisons, flags, states and calls, joined by `&&`, `||` and `!`.
//! Between those nothing lies on the stack but the truth so far:
//!
//! ```text
//!   health < flee_below && !BraveEnough      KEY PARAMETER I32_LT │ AND_JUMP │ CALL_GUARD │ NOT
//!                                            └ one comparison     └ goes on or ends     └ end
//! ```
//!
//! Whoever knows the type of the host has keys read and guards called without a detour.

use statewright_rom::code::{compare_f32, compare_i32, op};
use statewright_rom::ids::*;
use statewright_rom::layout::*;

use crate::code::eval::{Start, evaluate_from};
use crate::code::straight::straight;
use crate::context::{Context, Planned, Site};
use crate::host::cx::{GuardCx, parameter_word};
use crate::host::{AnyHost, Cause, Host};
use crate::instance::ram::Seen;
use crate::toggles::{self, Optimization};

/// What a condition says, for whatever host.
#[inline(never)]
pub(crate) fn test_any(
    cx: &mut Context<'_>,
    host: &dyn Host,
    expression: ExpressionId,
    site: &Site,
) -> bool {
    match begun(cx, host, expression) {
        Begun::Decided(holds) => holds,
        Begun::Open(record, code) => test_on(cx, host, (record, code, 0), site),
    }
}

/// What a first look at a condition comes to.
enum Begun<'a> {
    Decided(bool),
    Open(&'a ExpressionRecord, &'a [InstructionRecord]),
}

#[inline(always)]
fn begun<'a, H: AnyHost + ?Sized>(
    cx: &Context<'a>,
    host: &H,
    expression: ExpressionId,
) -> Begun<'a> {
    let Some(record) = cx.proved(cx.rom.expression(expression)) else {
        return Begun::Decided(false);
    };
    let code = cx.rom.code_in(record);
    match decided_early(cx, host, code) {
        Some(holds) if toggles::has(Optimization::Straight) => Begun::Decided(holds),
        Some(_) | None => Begun::Open(record, code),
    }
}

/// What a condition says whose term is known, if that decides it; reading nothing but the record and one
/// or two words of the host.
#[inline(always)]
pub(crate) fn by_term<S: Seen, H: AnyHost + ?Sized>(
    cx: &Context<'_>,
    host: &H,
    term: &Term,
) -> Option<bool> {
    if term.kind == TermKind::None || !toggles::has(Optimization::Straight) {
        return None;
    }
    let outcome = if term.kind == TermKind::State {
        u8::from(cx.is_active_in::<S>(StateId::read(term.a)?)).wrapping_add(1)
    } else {
        let a = host.read_word(KeyId::read(term.a)?);
        let b = if term.flags & (term_flag::PARAMETER | term_flag::KEY) == 0 {
            term.b.get()
        } else {
            other_side(cx, host, term)?
        };
        match term.kind == TermKind::Whole {
            true => outcome_of_i32(a as i32, b as i32),
            false => outcome_of_f32(f32::from_bits(a), f32::from_bits(b)),
        }
    };
    let holds = term.flags.checked_shr(outcome.into()).unwrap_or(0) & 1 != 0;
    let decides = match holds {
        true => term_flag::DECIDES_YES,
        false => term_flag::DECIDES_NO,
    };
    (term.flags & decides != 0).then_some(holds)
}

/// The right side of a term that is no number.
#[inline(always)]
fn other_side<H: AnyHost + ?Sized>(cx: &Context<'_>, host: &H, term: &Term) -> Option<u32> {
    let number = term.b.get() as u16;
    Some(match term.flags & term_flag::PARAMETER {
        0 => host.read_word(KeyId::new(number)?),
        _ => parameter_word(cx, ParameterId::new(number)?),
    })
}

/// The bit of [`term_flag`] that belongs to a comparison.
#[inline(always)]
fn outcome_of_i32(a: i32, b: i32) -> u8 {
    u8::from(a >= b).wrapping_add(u8::from(a > b))
}

#[inline(always)]
fn outcome_of_f32(a: f32, b: f32) -> u8 {
    match a.partial_cmp(&b) {
        Some(core::cmp::Ordering::Less) => 0,
        Some(core::cmp::Ordering::Equal) => 1,
        Some(core::cmp::Ordering::Greater) => 2,
        None => 3,
    }
}

/// What a condition says whose term does not decide it. `term` is the term, if it has one.
#[inline(never)]
pub(crate) fn test_beyond<H: AnyHost + ?Sized>(
    cx: &mut Context<'_>,
    host: &H,
    (expression, term): (ExpressionId, &Term),
    site: &Site,
) -> bool {
    let Some(record) = cx.proved(cx.rom.expression(expression)) else {
        return false;
    };
    let code = cx.rom.code_in(record);
    let asked = match term.kind == TermKind::None {
        true => 0,
        false => behind_term(code),
    };
    test_on(cx, host, (record, code, asked), site)
}

/// Where a condition goes on whose term did not decide it: behind the join that follows the term, with nothing
/// on the stack.
#[inline]
fn behind_term(code: &[InstructionRecord]) -> usize {
    let joins = |instruction: &InstructionRecord| {
        instruction.op == op::AND_JUMP || instruction.op == op::OR_JUMP
    };
    let join = code.iter().position(joins);
    join.map_or(0, |join| join.saturating_add(1))
}

/// What the op of a guard says, if its first comparison, flag or state decides it.
#[inline]
pub(crate) fn decided<H: AnyHost + ?Sized>(
    cx: &Context<'_>,
    host: &H,
    op: &OpRecord,
) -> Option<bool> {
    if !toggles::has(Optimization::Straight) {
        return None;
    }
    let record = cx.rom.expression(ExpressionId::read(op.a)?)?;
    decided_early(cx, host, cx.rom.code_in(record))
}

/// The truth of a condition whose first comparison, flag or state decides it: it stands alone, or what
/// is joined to it cannot change it any more. Most conditions are asked in vain, and end here.
#[inline(always)]
fn decided_early<H: AnyHost + ?Sized>(
    cx: &Context<'_>,
    host: &H,
    code: &[InstructionRecord],
) -> Option<bool> {
    let (mut holds, mut after) = plain_term(cx, host, code)?;
    if let [not, rest @ ..] = after
        && not.op == op::NOT
    {
        (holds, after) = (!holds, rest);
    }
    let Some(join) = after.first() else {
        return Some(holds);
    };
    let ending = if holds { op::OR_JUMP } else { op::AND_JUMP };
    let ends = join.op == ending && join.c.get() as usize >= code.len();
    ends.then_some(holds)
}

/// A comparison of two words, a flag of the blackboard or a state, and what comes after it. Nothing that
/// is read twice would be another one.
#[inline(always)]
fn plain_term<'a, H: AnyHost + ?Sized>(
    cx: &Context<'_>,
    host: &H,
    code: &'a [InstructionRecord],
) -> Option<(bool, &'a [InstructionRecord])> {
    let [first, after @ ..] = code else {
        return None;
    };
    if first.op == op::IN_STATE {
        return Some((cx.is_active(StateId::read(first.b)?), after));
    }
    if let [second, compare, after @ ..] = after
        && let Some(holds) = compared(cx, host, (first, second), compare.op)
    {
        return Some((holds, after));
    }
    let alone = match after {
        [next, ..] => next.op == op::NOT || next.op == op::AND_JUMP || next.op == op::OR_JUMP,
        [] => true,
    };
    if alone && first.op == op::KEY {
        return Some((host.read_word(KeyId::read(first.b)?) != 0, after));
    }
    None
}

/// Conditions that are more, from an instruction on.
#[inline(never)]
fn test_on<'a, H: AnyHost + ?Sized>(
    cx: &mut Context<'a>,
    host: &H,
    (record, code, asked): (&ExpressionRecord, &'a [InstructionRecord], usize),
    site: &Site,
) -> bool {
    let go_on = |cx: &mut Context<'_>, after: &[InstructionRecord], value: Option<bool>| {
        let at = code.len().wrapping_sub(after.len());
        let start = Start { at, value };
        evaluate_from(cx, host.any(), record, site, None, start)[0] != 0
    };
    if !toggles::has(Optimization::Straight) {
        return go_on(cx, code, None);
    }
    let mut rest = code.get(asked..).unwrap_or(&[]);
    // Bound: jumps go forward only.
    loop {
        let Some((mut value, mut after)) = test_one(cx, host, rest, site) else {
            return go_on(cx, rest, None);
        };
        rest = loop {
            let [instruction, more @ ..] = after else {
                return value;
            };
            after = match instruction.op {
                op::NOT => {
                    value = !value;
                    more
                }
                op::AND_JUMP | op::OR_JUMP if value != (instruction.op == op::OR_JUMP) => {
                    break more;
                }
                op::AND_JUMP | op::OR_JUMP => {
                    let to = instruction.c.get() as usize;
                    if to >= code.len() {
                        return value;
                    }
                    let from = code.len().wrapping_sub(more.len());
                    code.get(from.max(to)..).unwrap_or(&[])
                }
                _ => return go_on(cx, after, Some(value)),
            };
        };
    }
}

/// A comparison of two words, if that is what stands there.
#[inline(always)]
fn compared<H: AnyHost + ?Sized>(
    cx: &Context<'_>,
    host: &H,
    (first, second): (&InstructionRecord, &InstructionRecord),
    compare: u8,
) -> Option<bool> {
    let (a, b) = match compare {
        op::I32_EQ..=op::I32_GE | op::F32_EQ..=op::F32_GE => {
            (word(cx, host, first)?, word(cx, host, second)?)
        }
        _ => return None,
    };
    Some(if compare <= op::I32_GE {
        compare_i32(compare, a as i32, b as i32)
    } else {
        compare_f32(compare, f32::from_bits(a), f32::from_bits(b))
    })
}

/// One word that an instruction pushes without taking any, if it is found quickly.
#[inline(always)]
fn word<H: AnyHost + ?Sized>(
    cx: &Context<'_>,
    host: &H,
    instruction: &InstructionRecord,
) -> Option<u32> {
    match instruction.op {
        op::PUSH => Some(instruction.c.get()),
        op::KEY => Some(host.read_word(KeyId::read(instruction.b)?)),
        op::PARAMETER => Some(parameter_word(cx, ParameterId::read(instruction.b)?)),
        _ => None,
    }
}

/// The truth of the first few instructions and what comes after them, if it is found without a stack.
#[inline(always)]
fn test_one<'a, H: AnyHost + ?Sized>(
    cx: &mut Context<'a>,
    host: &H,
    code: &'a [InstructionRecord],
    site: &Site,
) -> Option<(bool, &'a [InstructionRecord])> {
    let [first, after @ ..] = code else {
        return None;
    };
    if first.op == op::CALL_GUARD {
        return Some((ask_plainly(cx, host, first, site)?, after));
    }
    if let Some(term) = plain_term(cx, host, code) {
        return Some(term);
    }
    let (value, after) = straight(cx, host, code, site)?;
    Some((value != 0, after))
}

/// What a guard without computed arguments says.
#[inline(always)]
fn ask_plainly<'a, H: AnyHost + ?Sized>(
    cx: &mut Context<'a>,
    host: &H,
    instruction: &InstructionRecord,
    site: &Site,
) -> Option<bool> {
    let op = cx.rom.ops().get(usize::from(instruction.b.get()))?;
    if op.kind != ActionOp::Call {
        return None;
    }
    if matches!(site.cause, Cause::None) {
        let transition = TransitionId::to_raw(site.transition);
        let call = Planned::eventless(op, site.state.raw().into(), transition);
        return Some(cx.call_planned(call, |function, cx| {
            host.guard(function, GuardCx::new(cx)).holds
        }));
    }
    let function = cx.prepare_call(op, site)?;
    Some(host.guard(function, GuardCx::new(cx)).holds)
}
