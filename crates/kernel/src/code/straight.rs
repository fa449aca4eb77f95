//! Straight expressions: one word that is changed step by step, without a stack.
//!
//! Most expressions of games are of this kind. A word is fetched, and each following step takes it
//! alone, or with one more word:
//!
//! ```text
//!   min(hunger + 0.004, 1.0)          KEY │ PUSH F32_ADD │ PUSH F32_MIN
//!   time_in_state() >= pause          TICKS_IN_STATE │ I32_TO_F32 │ PUSH F32_DIV │ PARAMETER F32_GE
//!                                     └ the word     └ what is done to it, with a word or without
//! ```
//!
//! Whoever meets anything else begins again on a stack (`eval`): nothing here draws, calls or
//! writes, and what is read twice is the same.

use statewright_rom::code::{arith, compare_f32, compare_i32, op};
use statewright_rom::ids::{KeyId, ParameterId, StateId};
use statewright_rom::layout::{ExpressionRecord, InstructionRecord, ValueType};

use crate::context::{Context, Site};
use crate::host::cx::parameter_word;
use crate::host::{AnyHost, Cause};
use crate::toggles::{self, Optimization};

/// The word that a piece of code comes to, and what stands behind it: nothing, a jump, or `!`.
///
/// Kept apart: a comparison needs no room for it, and what it needs of the stack is free again where user
/// code is called.
#[inline(never)]
pub(super) fn straight<'a, H: AnyHost + ?Sized>(
    cx: &Context<'a>,
    host: &H,
    code: &'a [InstructionRecord],
    site: &Site,
) -> Option<(u32, &'a [InstructionRecord])> {
    walk(cx, host, code, site)
}

/// The same, inlined.
#[inline(always)]
fn walk<'c, H: AnyHost + ?Sized>(
    cx: &Context<'_>,
    host: &H,
    code: &'c [InstructionRecord],
    site: &Site,
) -> Option<(u32, &'c [InstructionRecord])> {
    let [first, after @ ..] = code else {
        return None;
    };
    let mut rest = after;
    let mut value = word(cx, host, first, site)?;
    // Bound: the instructions.
    while let [next, after @ ..] = rest {
        let other = match next.op {
            op::PUSH => next.c.get(),
            op::AND_JUMP | op::OR_JUMP | op::NOT => break,
            op::I32_TO_F32 | op::F32_TO_I32 => {
                value = converted(next.op, value);
                rest = after;
                continue;
            }
            _ => word(cx, host, next, site)?,
        };
        let [step, after @ ..] = after else {
            return None;
        };
        value = joined(step.op, value, other)?;
        rest = after;
    }
    Some((value, rest))
}

/// The result of a straight expression; `None` if it is none.
#[inline]
pub(crate) fn straight_word<H: AnyHost + ?Sized>(
    cx: &Context<'_>,
    host: &H,
    record: &ExpressionRecord,
    site: &Site,
) -> Option<u32> {
    if !toggles::has(Optimization::Straight) {
        return None;
    }
    match straight(cx, host, cx.rom.code_in(record), site)? {
        (word, []) => Some(word),
        _ => None,
    }
}

/// The same, inlined.
#[inline(always)]
pub(crate) fn straight_word_here<H: AnyHost + ?Sized>(
    cx: &Context<'_>,
    host: &H,
    record: &ExpressionRecord,
    site: &Site,
) -> Option<u32> {
    if !toggles::has(Optimization::Straight) {
        return None;
    }
    match walk(cx, host, cx.rom.code_in(record), site)? {
        (word, []) => Some(word),
        _ => None,
    }
}

/// One word that an instruction pushes without taking any.
#[inline(always)]
fn word<H: AnyHost + ?Sized>(
    cx: &Context<'_>,
    host: &H,
    instruction: &InstructionRecord,
    site: &Site,
) -> Option<u32> {
    let InstructionRecord { op, a, b, c } = *instruction;
    let word = match op {
        op::PUSH => return Some(c.get()),
        op::KEY => host.read_word(KeyId::read(b)?),
        op::PARAMETER => parameter_word(cx, ParameterId::read(b)?),
        op::PAYLOAD => match site.cause {
            Cause::Event(_, [word, ..]) => word,
            Cause::None | Cause::Timer(_) => 0,
        },
        op::TICKS_IN_STATE => {
            let ticks = cx.ticks_in_state(StateId::read(b)?)?;
            return Some(ticks.min(i32::MAX as u32));
        }
        _ => return None,
    };
    // By number: the loader has proved the type, and every other way to tell it takes a table.
    if a == ValueType::Bool.number() {
        Some(u32::from(word != 0))
    } else {
        Some(word).filter(|_| a <= ValueType::F32.number() || a == ValueType::Symbol.number())
    }
}

fn converted(op: u8, value: u32) -> u32 {
    if op == op::I32_TO_F32 {
        arith::i32_to_f32(value as i32).to_bits()
    } else {
        arith::f32_to_i32(f32::from_bits(value)) as u32
    }
}

/// What an instruction makes of two words; `None` if it is not one that takes two and gives one.
#[inline(always)]
fn joined(op: u8, a: u32, b: u32) -> Option<u32> {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    Some(match op {
        op::F32_ADD => arith::f32_add(x, y).to_bits(),
        op::F32_SUB => arith::f32_sub(x, y).to_bits(),
        op::F32_MUL => arith::f32_mul(x, y).to_bits(),
        op::F32_DIV => arith::f32_div(x, y).to_bits(),
        op::F32_MIN => arith::f32_min(x, y).to_bits(),
        op::F32_MAX => arith::f32_max(x, y).to_bits(),
        op::F32_EQ..=op::F32_GE => u32::from(compare_f32(op, x, y)),
        op::I32_ADD => arith::i32_add(a as i32, b as i32) as u32,
        op::I32_SUB => arith::i32_sub(a as i32, b as i32) as u32,
        op::I32_MUL => arith::i32_mul(a as i32, b as i32) as u32,
        op::I32_MIN => (a as i32).min(b as i32) as u32,
        op::I32_MAX => (a as i32).max(b as i32) as u32,
        op::I32_EQ..=op::I32_GE => u32::from(compare_i32(op, a as i32, b as i32)),
        op::BOOL_EQ | op::SYMBOL_EQ => u32::from(a == b),
        op::BOOL_NE | op::SYMBOL_NE => u32::from(a != b),
        _ => return None,
    })
}
