//! A plain evaluator of expressions for tests: every access is checked and every broken promise
//! panics.
//!
//! Also used by the tests of the compiler. The real one is in the kernel.
#![allow(dead_code)]

use statewright_rom::code::{arith, op};
use statewright_rom::layout::{InstructionRecord, ValueType};

/// What expressions look at.
pub(crate) trait World {
    /// Words of a key.
    fn key(&self, key: u16) -> [u32; 3];
    /// Words of a parameter.
    fn parameter(&self, parameter: u16) -> [u32; 3];
    /// Words of the payload.
    fn payload(&self) -> [u32; 4];
    /// Ticks in a state.
    fn ticks(&self, state: u16) -> i32;
    /// Whether a state is active.
    fn active(&self, state: u16) -> bool;
    /// Asks a guard.
    fn guard(&mut self, op: u16) -> bool;
}

/// Runs an expression; gives the words left on the stack.
pub(crate) fn run(code: &[InstructionRecord], stack_words: u8, world: &mut dyn World) -> Vec<u32> {
    let mut stack = Stack {
        words: Vec::new(),
        limit: usize::from(stack_words),
    };
    let mut at = 0;
    while at < code.len() {
        let instruction = &code[at];
        at += 1;
        if matches!(instruction.op, op::AND_JUMP | op::OR_JUMP) {
            let value = stack.bool();
            if value == (instruction.op == op::OR_JUMP) {
                stack.push(u32::from(value));
                let target = instruction.c.get() as usize;
                assert!(target >= at && target <= code.len(), "a jump to {target}");
                at = target;
            }
        } else {
            step(instruction, &mut stack, world);
        }
    }
    stack.words
}

struct Stack {
    words: Vec<u32>,
    limit: usize,
}

impl Stack {
    fn push(&mut self, word: u32) {
        self.words.push(word);
        assert!(self.words.len() <= self.limit, "stack overflow");
    }

    fn pop(&mut self) -> u32 {
        self.words.pop().expect("stack underflow")
    }

    fn bool(&mut self) -> bool {
        let word = self.pop();
        assert!(word <= 1, "not a bool: {word}");
        word == 1
    }

    fn i32(&mut self) -> i32 {
        self.pop() as i32
    }

    fn f32(&mut self) -> f32 {
        f32::from_bits(self.pop())
    }

    fn vec<const N: usize>(&mut self) -> [f32; N] {
        let mut parts = [0.0; N];
        parts.iter_mut().rev().for_each(|part| *part = self.f32());
        parts
    }

    fn push_vec<const N: usize>(&mut self, parts: [f32; N]) {
        parts.iter().for_each(|part| self.push(part.to_bits()));
    }

    fn take(&mut self, count: usize) -> Vec<u32> {
        let first = self
            .words
            .len()
            .checked_sub(count)
            .expect("stack underflow");
        self.words.split_off(first)
    }
}

fn step(instruction: &InstructionRecord, stack: &mut Stack, world: &mut dyn World) {
    let InstructionRecord { op, a, b, c } = *instruction;
    let b = b.get();
    let words = |ty: u8| ValueType::from_number(ty).map_or(0, |ty| usize::from(ty.words()));
    let mut load = |source: &[u32]| {
        for &word in &source[..words(a)] {
            stack.push(if a == ValueType::Bool.number() {
                u32::from(word != 0)
            } else {
                word
            });
        }
    };
    match op {
        op::PUSH => stack.push(c.get()),
        op::KEY => load(&world.key(b)),
        op::PARAMETER => load(&world.parameter(b)),
        op::PAYLOAD => load(&world.payload()),
        op::KEY_FIELD => stack.push(world.key(b)[usize::from(a)]),
        op::PARAMETER_FIELD => stack.push(world.parameter(b)[usize::from(a)]),
        op::PAYLOAD_FIELD => stack.push(world.payload()[usize::from(a)]),
        op::TICKS_IN_STATE => stack.push(world.ticks(b) as u32),
        op::IN_STATE => stack.push(u32::from(world.active(b))),
        op::CALL_GUARD => stack.push(u32::from(world.guard(b))),
        op::SELECT => {
            let otherwise = stack.take(words(a));
            let then = stack.take(words(a));
            let chosen = if stack.bool() { then } else { otherwise };
            chosen.into_iter().for_each(|word| stack.push(word));
        }
        op::VEC2_FIELD => {
            let parts = stack.vec::<2>();
            stack.push(parts[usize::from(a)].to_bits());
        }
        op::VEC3_FIELD => {
            let parts = stack.vec::<3>();
            stack.push(parts[usize::from(a)].to_bits());
        }
        op::VEC2_MAKE..=op::VEC2_DISTANCE_SQUARED => vector::<2>(op, stack),
        op::VEC3_MAKE..=op::VEC3_DISTANCE_SQUARED => {
            vector::<3>(op - (op::VEC3_MAKE - op::VEC2_MAKE), stack);
        }
        op::I32_ADD..=op::I32_TO_F32 => whole(op, stack),
        op::F32_ADD..=op::F32_TO_I32 => float(op, stack),
        _ => same(op, stack),
    }
}

fn same(op: u8, stack: &mut Stack) {
    let result = match op {
        op::NOT => !stack.bool(),
        op::BOOL_EQ => stack.bool() == stack.bool(),
        op::BOOL_NE => stack.bool() != stack.bool(),
        op::SYMBOL_EQ => stack.pop() == stack.pop(),
        op::SYMBOL_NE => stack.pop() != stack.pop(),
        op::ENTITY_EQ => stack.take(2) == stack.take(2),
        op::ENTITY_NE => stack.take(2) != stack.take(2),
        _ => panic!("no instruction {op}"),
    };
    stack.push(u32::from(result));
}

fn whole(op: u8, stack: &mut Stack) {
    if matches!(op, op::I32_NEG | op::I32_ABS | op::I32_TO_F32) {
        let a = stack.i32();
        return stack.push(match op {
            op::I32_NEG => arith::i32_neg(a) as u32,
            op::I32_ABS => arith::i32_abs(a) as u32,
            _ => arith::i32_to_f32(a).to_bits(),
        });
    }
    let (b, a) = (stack.i32(), stack.i32());
    let result = match op {
        op::I32_ADD => arith::i32_add(a, b),
        op::I32_SUB => arith::i32_sub(a, b),
        op::I32_MUL => arith::i32_mul(a, b),
        op::I32_DIV => arith::i32_div(a, b),
        op::I32_REM => arith::i32_rem(a, b),
        op::I32_MIN => a.min(b),
        op::I32_MAX => a.max(b),
        op::I32_CLAMP => arith::i32_clamp(stack.i32(), a, b),
        op::I32_EQ => i32::from(a == b),
        op::I32_NE => i32::from(a != b),
        op::I32_LT => i32::from(a < b),
        op::I32_LE => i32::from(a <= b),
        op::I32_GT => i32::from(a > b),
        _ => i32::from(a >= b),
    };
    stack.push(result as u32);
}

fn float(op: u8, stack: &mut Stack) {
    if matches!(op, op::F32_NEG | op::F32_ABS | op::F32_TO_I32) {
        let a = stack.f32();
        return stack.push(match op {
            op::F32_NEG => arith::f32_neg(a).to_bits(),
            op::F32_ABS => arith::f32_abs(a).to_bits(),
            _ => arith::f32_to_i32(a) as u32,
        });
    }
    let (b, a) = (stack.f32(), stack.f32());
    let result = match op {
        op::F32_ADD => arith::f32_add(a, b),
        op::F32_SUB => arith::f32_sub(a, b),
        op::F32_MUL => arith::f32_mul(a, b),
        op::F32_DIV => arith::f32_div(a, b),
        op::F32_REM => arith::f32_rem(a, b),
        op::F32_MIN => arith::f32_min(a, b),
        op::F32_MAX => arith::f32_max(a, b),
        op::F32_CLAMP => arith::f32_clamp(stack.f32(), a, b),
        _ => {
            let compared = match op {
                op::F32_EQ => a == b,
                op::F32_NE => a != b,
                op::F32_LT => a < b,
                op::F32_LE => a <= b,
                op::F32_GT => a > b,
                _ => a >= b,
            };
            return stack.push(u32::from(compared));
        }
    };
    stack.push(result.to_bits());
}

/// `op` is the instruction for two components, whatever `N` is.
fn vector<const N: usize>(op: u8, stack: &mut Stack) {
    match op {
        op::VEC2_MAKE => {
            let parts = stack.vec::<N>();
            stack.push_vec(parts);
        }
        op::VEC2_NEG => {
            let parts = arith::vec_neg(stack.vec::<N>());
            stack.push_vec(parts);
        }
        op::VEC2_LENGTH_SQUARED => {
            let length = arith::vec_length_squared(stack.vec::<N>());
            stack.push(length.to_bits());
        }
        op::VEC2_SCALE | op::VEC2_DIV => {
            let (number, parts) = (stack.f32(), stack.vec::<N>());
            stack.push_vec(if op == op::VEC2_DIV {
                arith::vec_div(parts, number)
            } else {
                arith::vec_scale(parts, number)
            });
        }
        op::VEC2_SCALE_BY => {
            let (parts, number) = (stack.vec::<N>(), stack.f32());
            stack.push_vec(arith::vec_scale(parts, number));
        }
        _ => vector_pair::<N>(op, stack),
    }
}

fn vector_pair<const N: usize>(op: u8, stack: &mut Stack) {
    let (b, a) = (stack.vec::<N>(), stack.vec::<N>());
    match op {
        op::VEC2_ADD => stack.push_vec(arith::vec_add(a, b)),
        op::VEC2_SUB => stack.push_vec(arith::vec_sub(a, b)),
        op::VEC2_DOT => stack.push(arith::vec_dot(a, b).to_bits()),
        op::VEC2_DISTANCE_SQUARED => stack.push(arith::vec_distance_squared(a, b).to_bits()),
        op::VEC2_EQ => stack.push(u32::from(arith::vec_eq(a, b))),
        _ => stack.push(u32::from(!arith::vec_eq(a, b))),
    }
}
