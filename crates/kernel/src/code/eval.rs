//! Expressions (CODE-4): bounded code over a stack of 32 words. The loader has proved types, jumps
//! and depth; what a damaged ROM could still ask for gives 0.

use statewright_rom::Coded;
use statewright_rom::code::{WordStack, apply, op};
use statewright_rom::ids::*;
use statewright_rom::layout::*;

use crate::context::{Context, Site};
use crate::host::cx::{GuardCx, parameter_words};
use crate::host::{Cause, Host};

const WORDS: usize = MAX_STACK_WORDS as usize;

struct Stack {
    words: [u32; WORDS],
    len: usize,
}

impl WordStack for Stack {
    #[inline]
    fn push(&mut self, word: u32) {
        if let Some(cell) = self.words.get_mut(self.len) {
            *cell = word;
            self.len = self.len.saturating_add(1);
        } else {
            debug_assert!(false, "the loader has proved the depth of the stack");
        }
    }

    #[inline]
    fn pop(&mut self) -> u32 {
        debug_assert!(self.len > 0, "the loader has proved the depth of the stack");
        self.len = self.len.saturating_sub(1);
        self.words.get(self.len).copied().unwrap_or(0)
    }
}

/// Words of an expression's result; unused ones are 0.
pub(crate) fn evaluate(
    cx: &mut Context<'_>,
    host: &dyn Host,
    expression: ExpressionId,
    site: &Site,
) -> [u32; 3] {
    let rom = cx.rom;
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
            let value = stack.pop_bool();
            if value == (instruction.op == op::OR_JUMP) {
                stack.push(u32::from(value));
                at = at.max(instruction.c.get() as usize);
            }
        } else {
            step(cx, host, instruction, &mut stack, site);
        }
    }
    let mut result = [0; 3];
    for (word, value) in result.iter_mut().zip(stack.words.iter().take(stack.len)) {
        *word = *value;
    }
    result
}

fn step(
    cx: &mut Context<'_>,
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
            &ParameterId::read(b).map_or([0; 3], |p| parameter_words(cx, p)),
        ),
        op::PARAMETER_FIELD => field(
            stack,
            a,
            &ParameterId::read(b).map_or([0; 3], |p| parameter_words(cx, p)),
        ),
        op::PAYLOAD => load(stack, a, &payload(site)),
        op::PAYLOAD_FIELD => field(stack, a, &payload(site)),
        op::TICKS_IN_STATE => {
            let ticks = StateId::read(b)
                .and_then(|state| cx.ticks_in_state(state))
                .unwrap_or(0);
            stack.push(ticks.min(i32::MAX as u32));
        }
        op::IN_STATE => stack.push(u32::from(
            StateId::read(b).is_some_and(|state| cx.is_active(state)),
        )),
        op::CALL_GUARD => stack.push(u32::from(call_guard(cx, host, OpId::read(b), site))),
        _ => apply(op, a, stack),
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

fn call_guard(cx: &mut Context<'_>, host: &dyn Host, op: Option<OpId>, site: &Site) -> bool {
    let function = op
        .and_then(|op| cx.rom.op(op))
        .and_then(|op| cx.prepare_call(op, site));
    function.is_some_and(|function| host.guard(function, GuardCx::new(cx)).holds)
}
