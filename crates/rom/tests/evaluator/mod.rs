//! A plain evaluator of expressions for tests: every access is checked and every broken promise
//! panics.
//!
//! Also used by the tests of the compiler. What instructions do to the stack is
//! [`statewright_rom::code::apply`], as in the kernel; here the stack and the world are strict.
#![allow(dead_code)]

use statewright_rom::code::{WordStack, apply, op};
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
    /// Words that the call of a value function takes, and those that it gives.
    fn value(&mut self, op: u16) -> (usize, [u32; 3]) {
        panic!("op {op} is no call here")
    }
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
            let value = stack.pop_bool();
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

impl WordStack for Stack {
    fn push(&mut self, word: u32) {
        self.words.push(word);
        assert!(self.words.len() <= self.limit, "stack overflow");
    }

    fn pop(&mut self) -> u32 {
        self.words.pop().expect("stack underflow")
    }

    fn pop_bool(&mut self) -> bool {
        let word = self.pop();
        assert!(word <= 1, "not a bool: {word}");
        word == 1
    }
}

fn step(instruction: &InstructionRecord, stack: &mut Stack, world: &mut dyn World) {
    let InstructionRecord { op, a, b, c } = *instruction;
    let b = b.get();
    if op == op::CALL_VALUE {
        let (taken, words) = world.value(b);
        (0..taken).for_each(|_| _ = stack.pop());
        return words[..usize::from(ValueType::from_number(a).unwrap().words())]
            .iter()
            .for_each(|&word| stack.push(word));
    }
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
        op::RANDOM | op::SCRATCH => stack.push(1),
        op::RANDOM_I32 | op::RANDOM_F32 => _ = stack.pop(),
        _ => {
            let known = op::signature(op).is_some();
            assert!(
                known || matches!(op, op::SELECT | op::VEC2_FIELD | op::VEC3_FIELD | op::CURVE),
                "no instruction {op}"
            );
            apply(op, a, stack);
        }
    }
}
