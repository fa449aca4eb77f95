//! Expressions (CODE-4): bounded code over a stack of 32 words. The loader has proved types, jumps
//! and depth; what a damaged ROM could still ask for gives 0.

use statewright_rom::Coded;
use statewright_rom::code::{arith, op};
use statewright_rom::ids::*;
use statewright_rom::layout::*;

use crate::context::{Core, Site};
use crate::host::cx::{View, parameter_words};
use crate::host::{Cause, Host};

const WORDS: usize = MAX_STACK_WORDS as usize;

struct Stack {
    words: [u32; WORDS],
    len: usize,
}

impl Stack {
    fn push(&mut self, word: u32) {
        if let Some(place) = self.words.get_mut(self.len) {
            *place = word;
            self.len = self.len.saturating_add(1);
        }
    }

    fn push_all(&mut self, words: &[u32]) {
        words.iter().for_each(|&word| self.push(word));
    }

    fn pop(&mut self) -> u32 {
        self.len = self.len.saturating_sub(1);
        self.words.get(self.len).copied().unwrap_or(0)
    }

    fn bool(&mut self) -> bool {
        self.pop() != 0
    }

    fn i32(&mut self) -> i32 {
        self.pop() as i32
    }

    fn f32(&mut self) -> f32 {
        f32::from_bits(self.pop())
    }

    fn take<const N: usize>(&mut self) -> [u32; N] {
        let mut words = [0; N];
        words.iter_mut().rev().for_each(|word| *word = self.pop());
        words
    }

    fn vec<const N: usize>(&mut self) -> [f32; N] {
        self.take::<N>().map(f32::from_bits)
    }

    fn push_vec<const N: usize>(&mut self, parts: [f32; N]) {
        parts.iter().for_each(|part| self.push(part.to_bits()));
    }
}

/// Words of an expression's result; unused ones are 0.
pub(crate) fn evaluate(
    core: &mut Core<'_>,
    host: &dyn Host,
    expression: ExpressionId,
    site: &Site,
) -> [u32; 3] {
    let rom = core.rom;
    let code = rom.code_of(expression);
    let mut stack = Stack {
        words: [0; WORDS],
        len: 0,
    };
    let mut at = 0_usize;
    // Bound: jumps go forward only.
    while let Some(instruction) = code.get(at) {
        at = at.saturating_add(1);
        if matches!(instruction.op, op::AND_JUMP | op::OR_JUMP) {
            let value = stack.bool();
            if value == (instruction.op == op::OR_JUMP) {
                stack.push(u32::from(value));
                at = at.max(instruction.c.get() as usize);
            }
        } else {
            step(core, host, instruction, &mut stack, site);
        }
    }
    let mut result = [0; 3];
    for (word, value) in result.iter_mut().zip(stack.words.iter().take(stack.len)) {
        *word = *value;
    }
    result
}

fn step(
    core: &mut Core<'_>,
    host: &dyn Host,
    instruction: &InstructionRecord,
    stack: &mut Stack,
    site: &Site,
) {
    let InstructionRecord { op, a, b, c } = *instruction;
    match op {
        op::PUSH => stack.push(c.get()),
        op::KEY => load(
            stack,
            a,
            &KeyId::read(b).map_or([0; 3], |key| host.read_key(key)),
        ),
        op::KEY_FIELD => field(
            stack,
            a,
            &KeyId::read(b).map_or([0; 3], |key| host.read_key(key)),
        ),
        op::PARAMETER => load(
            stack,
            a,
            &ParameterId::read(b).map_or([0; 3], |p| parameter_words(core, p)),
        ),
        op::PARAMETER_FIELD => field(
            stack,
            a,
            &ParameterId::read(b).map_or([0; 3], |p| parameter_words(core, p)),
        ),
        op::PAYLOAD => load(stack, a, &payload(site)),
        op::PAYLOAD_FIELD => field(stack, a, &payload(site)),
        op::TICKS_IN_STATE => {
            let ticks = StateId::read(b)
                .and_then(|state| core.ticks_in_state(state))
                .unwrap_or(0);
            stack.push(ticks.min(i32::MAX as u32));
        }
        op::IN_STATE => stack.push(u32::from(
            StateId::read(b).is_some_and(|state| core.is_active(state)),
        )),
        op::CALL_GUARD => stack.push(u32::from(call_guard(core, host, OpId::read(b), site))),
        op::SELECT => select(a, stack),
        op::VEC2_FIELD => {
            let parts = stack.take::<2>();
            stack.push(parts.get(usize::from(a)).copied().unwrap_or(0));
        }
        op::VEC3_FIELD => {
            let parts = stack.take::<3>();
            stack.push(parts.get(usize::from(a)).copied().unwrap_or(0));
        }
        op::VEC2_MAKE..=op::VEC2_DISTANCE_SQUARED => vector::<2>(op, stack),
        op::VEC3_MAKE..=op::VEC3_DISTANCE_SQUARED => {
            vector::<3>(op.wrapping_sub(op::VEC3_MAKE - op::VEC2_MAKE), stack);
        }
        op::I32_ADD..=op::I32_TO_F32 => whole(op, stack),
        op::F32_ADD..=op::F32_TO_I32 => float(op, stack),
        _ => same(op, stack),
    }
}

fn payload(site: &Site) -> [u32; 4] {
    if let Cause::Event(_, words) = site.cause {
        words
    } else {
        [0; 4]
    }
}

/// Pushes a value of a type; a bool from outside counts as 0 or 1.
fn load(stack: &mut Stack, ty: u8, source: &[u32]) {
    let ty = Coded::<ValueType>::from_raw(ty).get();
    for &word in source.iter().take(usize::from(ty.words())) {
        stack.push(if ty == ValueType::Bool {
            u32::from(word != 0)
        } else {
            word
        });
    }
}

fn field(stack: &mut Stack, number: u8, source: &[u32]) {
    stack.push(source.get(usize::from(number)).copied().unwrap_or(0));
}

fn call_guard(core: &mut Core<'_>, host: &dyn Host, op: Option<OpId>, site: &Site) -> bool {
    let function = op
        .and_then(|op| core.rom.op(op))
        .and_then(|op| core.aim(op, site));
    function.is_some_and(|function| host.guard(function, View::new(core)).holds)
}

fn select(ty: u8, stack: &mut Stack) {
    match Coded::<ValueType>::from_raw(ty).get().words() {
        1 => select_words::<1>(stack),
        2 => select_words::<2>(stack),
        _ => select_words::<3>(stack),
    }
}

fn select_words<const N: usize>(stack: &mut Stack) {
    let (otherwise, then) = (stack.take::<N>(), stack.take::<N>());
    let chosen = if stack.bool() { then } else { otherwise };
    stack.push_all(&chosen);
}

fn same(op: u8, stack: &mut Stack) {
    let result = match op {
        op::NOT => !stack.bool(),
        op::BOOL_EQ => stack.bool() == stack.bool(),
        op::BOOL_NE => stack.bool() != stack.bool(),
        op::SYMBOL_EQ => stack.pop() == stack.pop(),
        op::SYMBOL_NE => stack.pop() != stack.pop(),
        op::ENTITY_EQ => stack.take::<2>() == stack.take::<2>(),
        _ => stack.take::<2>() != stack.take::<2>(),
    };
    stack.push(u32::from(result));
}

fn whole(op: u8, stack: &mut Stack) {
    let b = stack.i32();
    let result = match op {
        op::I32_NEG => arith::i32_neg(b),
        op::I32_ABS => arith::i32_abs(b),
        op::I32_TO_F32 => arith::i32_to_f32(b).to_bits() as i32,
        _ => whole_pair(op, stack, b),
    };
    stack.push(result as u32);
}

fn whole_pair(op: u8, stack: &mut Stack, b: i32) -> i32 {
    let a = stack.i32();
    match op {
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
    }
}

fn float(op: u8, stack: &mut Stack) {
    let b = stack.f32();
    let bits = match op {
        op::F32_NEG => arith::f32_neg(b).to_bits(),
        op::F32_ABS => arith::f32_abs(b).to_bits(),
        op::F32_TO_I32 => arith::f32_to_i32(b) as u32,
        op::F32_EQ..=op::F32_GE => u32::from(compare(op, stack.f32(), b)),
        _ => float_pair(op, stack, b).to_bits(),
    };
    stack.push(bits);
}

fn compare(op: u8, a: f32, b: f32) -> bool {
    match op {
        op::F32_EQ => a == b,
        op::F32_NE => a != b,
        op::F32_LT => a < b,
        op::F32_LE => a <= b,
        op::F32_GT => a > b,
        _ => a >= b,
    }
}

fn float_pair(op: u8, stack: &mut Stack, b: f32) -> f32 {
    let a = stack.f32();
    match op {
        op::F32_ADD => arith::f32_add(a, b),
        op::F32_SUB => arith::f32_sub(a, b),
        op::F32_MUL => arith::f32_mul(a, b),
        op::F32_DIV => arith::f32_div(a, b),
        op::F32_REM => arith::f32_rem(a, b),
        op::F32_MIN => arith::f32_min(a, b),
        op::F32_MAX => arith::f32_max(a, b),
        _ => arith::f32_clamp(stack.f32(), a, b),
    }
}

/// `op` is the instruction for two components, whatever `N` is.
fn vector<const N: usize>(op: u8, stack: &mut Stack) {
    match op {
        op::VEC2_MAKE => {}
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
            let scaled = if op == op::VEC2_DIV {
                arith::vec_div(parts, number)
            } else {
                arith::vec_scale(parts, number)
            };
            stack.push_vec(scaled);
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
