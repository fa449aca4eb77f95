//! What the instructions that need nothing but their operands do to a stack of words: the only
//! evaluator, for the kernel, the compiler's folding of constants, and the checked evaluator of
//! tests.
//!
//! Whoever has a stack of words implements [`WordStack`] and decides what an empty or a full one
//! means: the kernel, whose ROM was proved, goes on with 0; tests panic. Results are those of
//! [`arith`].

use super::{arith, op};
use crate::layout::ValueType;
use crate::number::Coded;

/// A stack of 32-bit words, the last one pushed on top.
pub trait WordStack {
    /// Puts a word on top.
    fn push(&mut self, word: u32);

    /// Takes the word on top.
    fn pop(&mut self) -> u32;

    /// Takes a bool.
    #[inline]
    fn pop_bool(&mut self) -> bool {
        self.pop() != 0
    }

    /// Takes a whole number.
    #[inline]
    fn pop_i32(&mut self) -> i32 {
        self.pop() as i32
    }

    /// Takes a float.
    #[inline]
    fn pop_f32(&mut self) -> f32 {
        f32::from_bits(self.pop())
    }

    /// Takes several words, in the order in which they were pushed.
    #[inline]
    fn pop_words<const N: usize>(&mut self) -> [u32; N] {
        let mut words = [0; N];
        words.iter_mut().rev().for_each(|word| *word = self.pop());
        words
    }

    /// Takes a vector.
    #[inline]
    fn pop_vec<const N: usize>(&mut self) -> [f32; N] {
        self.pop_words::<N>().map(f32::from_bits)
    }

    /// Puts a vector on top.
    #[inline]
    fn push_vec<const N: usize>(&mut self, parts: [f32; N]) {
        parts.iter().for_each(|part| self.push(part.to_bits()));
    }
}

/// Carries out an instruction that looks at nothing but the stack: a plain one, a `SELECT`, a
/// `CURVE`, or a component of a vector; `a` is the instruction's operand of that name. Any other number counts as
/// the last comparison, as code that the loader has proved contains none.
#[inline]
pub fn apply<S: WordStack>(op: u8, a: u8, stack: &mut S) {
    match op {
        op::SELECT => select(a, stack),
        op::VEC2_FIELD => component::<2, S>(a, stack),
        op::VEC3_FIELD => component::<3, S>(a, stack),
        op::VEC2_MAKE..=op::VEC2_DISTANCE_SQUARED => vector::<2, S>(op, stack),
        op::VEC3_MAKE..=op::VEC3_DISTANCE_SQUARED => {
            vector::<3, S>(op.wrapping_sub(op::VEC3_MAKE - op::VEC2_MAKE), stack);
        }
        op::I32_ADD..=op::I32_TO_F32 => whole(op, stack),
        op::F32_ADD..=op::F32_TO_I32 => float(op, stack),
        op::CURVE => curve(a, stack),
        op::F32_LERP => {
            let [from, to, part] = stack.pop_vec::<3>();
            stack.push(arith::f32_lerp(from, to, part).to_bits());
        }
        _ => same(op, stack),
    }
}

#[inline]
fn select<S: WordStack>(ty: u8, stack: &mut S) {
    match Coded::<ValueType>::from_raw(ty).get().words() {
        1 => select_words::<1, S>(stack),
        2 => select_words::<2, S>(stack),
        _ => select_words::<3, S>(stack),
    }
}

#[inline]
fn select_words<const N: usize, S: WordStack>(stack: &mut S) {
    let (otherwise, then) = (stack.pop_words::<N>(), stack.pop_words::<N>());
    let chosen = if stack.pop_bool() { then } else { otherwise };
    chosen.into_iter().for_each(|word| stack.push(word));
}

/// Rare and large, so apart from the others.
#[inline(never)]
fn curve<S: WordStack>(points: u8, stack: &mut S) {
    let mut list = [[0.0_f32; 2]; op::MAX_POINTS as usize];
    for point in list.iter_mut().take(usize::from(points)).rev() {
        *point = stack.pop_vec::<2>();
    }
    let list = list.get(..usize::from(points)).unwrap_or_default();
    let x = stack.pop_f32();
    stack.push(arith::curve(x, list).to_bits());
}

#[inline]
fn component<const N: usize, S: WordStack>(number: u8, stack: &mut S) {
    let parts = stack.pop_words::<N>();
    stack.push(parts.get(usize::from(number)).copied().unwrap_or(0));
}

#[inline]
fn same<S: WordStack>(op: u8, stack: &mut S) {
    let result = match op {
        op::NOT => !stack.pop_bool(),
        op::BOOL_EQ => stack.pop_bool() == stack.pop_bool(),
        op::BOOL_NE => stack.pop_bool() != stack.pop_bool(),
        op::SYMBOL_EQ => stack.pop() == stack.pop(),
        op::SYMBOL_NE => stack.pop() != stack.pop(),
        op::ENTITY_EQ => stack.pop_words::<2>() == stack.pop_words::<2>(),
        _ => stack.pop_words::<2>() != stack.pop_words::<2>(),
    };
    stack.push(u32::from(result));
}

#[inline]
fn whole<S: WordStack>(op: u8, stack: &mut S) {
    let b = stack.pop_i32();
    let result = match op {
        op::I32_NEG => arith::i32_neg(b),
        op::I32_ABS => arith::i32_abs(b),
        op::I32_TO_F32 => arith::i32_to_f32(b).to_bits() as i32,
        _ => whole_pair(op, stack, b),
    };
    stack.push(result as u32);
}

/// What a comparison of whole numbers says, from [`op::I32_EQ`] to [`op::I32_GE`].
#[inline]
pub fn compare_i32(op: u8, a: i32, b: i32) -> bool {
    match op {
        op::I32_EQ => a == b,
        op::I32_NE => a != b,
        op::I32_LT => a < b,
        op::I32_LE => a <= b,
        op::I32_GT => a > b,
        _ => a >= b,
    }
}

#[inline]
fn whole_pair<S: WordStack>(op: u8, stack: &mut S, b: i32) -> i32 {
    let a = stack.pop_i32();
    match op {
        op::I32_ADD => arith::i32_add(a, b),
        op::I32_SUB => arith::i32_sub(a, b),
        op::I32_MUL => arith::i32_mul(a, b),
        op::I32_DIV => arith::i32_div(a, b),
        op::I32_REM => arith::i32_rem(a, b),
        op::I32_MIN => a.min(b),
        op::I32_MAX => a.max(b),
        op::I32_CLAMP => arith::i32_clamp(stack.pop_i32(), a, b),
        _ => i32::from(compare_i32(op, a, b)),
    }
}

#[inline]
fn float<S: WordStack>(op: u8, stack: &mut S) {
    let b = stack.pop_f32();
    let bits = match op {
        op::F32_NEG => arith::f32_neg(b).to_bits(),
        op::F32_ABS => arith::f32_abs(b).to_bits(),
        op::F32_TO_I32 => arith::f32_to_i32(b) as u32,
        op::F32_EQ..=op::F32_GE => u32::from(compare_f32(op, stack.pop_f32(), b)),
        _ => float_pair(op, stack, b).to_bits(),
    };
    stack.push(bits);
}

/// What a comparison of floats says, from [`op::F32_EQ`] to [`op::F32_GE`].
#[inline]
pub fn compare_f32(op: u8, a: f32, b: f32) -> bool {
    match op {
        op::F32_EQ => a == b,
        op::F32_NE => a != b,
        op::F32_LT => a < b,
        op::F32_LE => a <= b,
        op::F32_GT => a > b,
        _ => a >= b,
    }
}

#[inline]
fn float_pair<S: WordStack>(op: u8, stack: &mut S, b: f32) -> f32 {
    let a = stack.pop_f32();
    match op {
        op::F32_ADD => arith::f32_add(a, b),
        op::F32_SUB => arith::f32_sub(a, b),
        op::F32_MUL => arith::f32_mul(a, b),
        op::F32_DIV => arith::f32_div(a, b),
        op::F32_REM => arith::f32_rem(a, b),
        op::F32_MIN => arith::f32_min(a, b),
        op::F32_MAX => arith::f32_max(a, b),
        _ => arith::f32_clamp(stack.pop_f32(), a, b),
    }
}

/// `op` is the instruction for two components, whatever `N` is.
#[inline]
fn vector<const N: usize, S: WordStack>(op: u8, stack: &mut S) {
    match op {
        // The numbers lie there as the components already.
        op::VEC2_MAKE => {}
        op::VEC2_NEG => {
            let parts = arith::vec_neg(stack.pop_vec::<N>());
            stack.push_vec(parts);
        }
        op::VEC2_LENGTH_SQUARED => {
            let length = arith::vec_length_squared(stack.pop_vec::<N>());
            stack.push(length.to_bits());
        }
        op::VEC2_SCALE | op::VEC2_DIV => {
            let (number, parts) = (stack.pop_f32(), stack.pop_vec::<N>());
            let scaled = if op == op::VEC2_DIV {
                arith::vec_div(parts, number)
            } else {
                arith::vec_scale(parts, number)
            };
            stack.push_vec(scaled);
        }
        op::VEC2_SCALE_BY => {
            let (parts, number) = (stack.pop_vec::<N>(), stack.pop_f32());
            stack.push_vec(arith::vec_scale(parts, number));
        }
        _ => vector_pair::<N, S>(op, stack),
    }
}

#[inline]
fn vector_pair<const N: usize, S: WordStack>(op: u8, stack: &mut S) {
    let (b, a) = (stack.pop_vec::<N>(), stack.pop_vec::<N>());
    match op {
        op::VEC2_ADD => stack.push_vec(arith::vec_add(a, b)),
        op::VEC2_SUB => stack.push_vec(arith::vec_sub(a, b)),
        op::VEC2_DOT => stack.push(arith::vec_dot(a, b).to_bits()),
        op::VEC2_DISTANCE_SQUARED => stack.push(arith::vec_distance_squared(a, b).to_bits()),
        op::VEC2_EQ => stack.push(u32::from(arith::vec_eq(a, b))),
        _ => stack.push(u32::from(!arith::vec_eq(a, b))),
    }
}
