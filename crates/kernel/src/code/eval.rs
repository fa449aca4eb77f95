//! Expressions (CODE-4): bounded code over a stack of 32 words. The loader has proved types, jumps
//! and depth.

use statewright_rom::Coded;
use statewright_rom::code::{WordStack, apply, arith, op};
use statewright_rom::ids::*;
use statewright_rom::layout::*;
use zerocopy::byteorder::little_endian::U16;

use crate::context::{Arguments, Context, Site};
use crate::host::cx::{GuardCx, parameter_words, scratch_slots};
use crate::host::notes::Reads;
use crate::host::{Cause, Host, Verdict};
use crate::instance::rng::Rng;

const WORDS: usize = MAX_STACK_WORDS as usize;

struct Stack {
    words: [u32; WORDS],
    len: usize,
    /// It was too full or too empty, which the loader has ruled out.
    broken: bool,
}

impl WordStack for Stack {
    #[inline]
    fn push(&mut self, word: u32) {
        if let Some(cell) = self.words.get_mut(self.len) {
            *cell = word;
            self.len = self.len.saturating_add(1);
        } else {
            self.broken = true;
        }
    }

    #[inline]
    fn pop(&mut self) -> u32 {
        let top = self.len.checked_sub(1);
        let word = top.and_then(|top| self.words.get(top));
        self.broken |= word.is_none();
        self.len = top.unwrap_or(0);
        word.copied().unwrap_or(0)
    }
}

/// Words of an expression's result; unused ones are 0. What it reads is kept for a tracer, if
/// somebody wants to know.
pub(crate) fn evaluate(
    cx: &mut Context<'_>,
    host: &dyn Host,
    expression: ExpressionId,
    site: &Site,
    mut reads: Option<&mut Reads>,
) -> [u32; 3] {
    let rom = cx.rom;
    let code = rom.code_of(expression);
    let mut stack = Stack {
        words: [0; WORDS],
        len: 0,
        broken: false,
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
            let reads = reads.as_deref_mut();
            step(cx, host, instruction, &mut stack, site, reads);
        }
    }
    if stack.broken {
        cx.impossible("the loader has proved the depth of the stack");
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
    reads: Option<&mut Reads>,
) {
    let InstructionRecord { op, a, b, c } = *instruction;
    match op {
        op::PUSH => stack.push(c.get()),
        op::KEY => load(stack, a, &key_words(cx, host, b, reads)),
        op::KEY_FIELD => {
            let words = key_words(cx, host, b, reads);
            field(cx, stack, a, &words);
        }
        op::PARAMETER => load(stack, a, &parameter_of(cx, b)),
        op::PARAMETER_FIELD => field(cx, stack, a, &parameter_of(cx, b)),
        op::PAYLOAD => load(stack, a, &payload(site)),
        op::PAYLOAD_FIELD => field(cx, stack, a, &payload(site)),
        op::TICKS_IN_STATE => {
            let state = cx.proved(StateId::read(b));
            let ticks = state.and_then(|state| cx.ticks_in_state(state));
            stack.push(cx.proved(ticks).unwrap_or(0).min(i32::MAX as u32));
        }
        op::IN_STATE => {
            let state = cx.proved(StateId::read(b));
            stack.push(u32::from(state.is_some_and(|state| cx.is_active(state))));
        }
        op::CALL_GUARD => {
            let holds = call_guard(cx, host, OpId::read(b), stack, site);
            stack.push(u32::from(holds));
        }
        op::CALL_VALUE => {
            let words = call_value(cx, host, OpId::read(b), stack, site, reads);
            load(stack, a, &words);
        }
        op::RANDOM | op::RANDOM_I32 | op::RANDOM_F32 => random(cx, op, stack),
        op::SCRATCH => stack.push(scratch(cx, a, b)),
        _ => apply(op, a, stack),
    }
}

/// One draw, whatever is asked for (CODE-6).
#[inline(never)]
fn random(cx: &mut Context<'_>, op: u8, stack: &mut Stack) {
    let mut rng = Rng::new(&mut cx.ram.header_mut().rng);
    let word = match op {
        op::RANDOM_I32 => {
            let (b, a) = (stack.pop_i32(), stack.pop_i32());
            arith::i32_random(rng.next_u32(), a, b) as u32
        }
        op::RANDOM_F32 => {
            let (b, a) = (stack.pop_f32(), stack.pop_f32());
            arith::f32_lerp(a, b, rng.float()).to_bits()
        }
        _ => rng.float().to_bits(),
    };
    stack.push(word);
}

/// What an expression reads in scratch (LANG-8); 0 while its owner is not active.
fn scratch(cx: &Context<'_>, ty: u8, scratch: U16) -> u32 {
    let ty = Coded::<ScratchType>::from_raw(ty).get();
    let slot = cx
        .proved(ScratchId::read(scratch))
        .and_then(|scratch| scratch_slots(cx, scratch).next());
    slot.map_or(0, |slot| ty.read(cx.slot(slot)))
}

fn key_words(
    cx: &mut Context<'_>,
    host: &dyn Host,
    key: U16,
    reads: Option<&mut Reads>,
) -> [u32; 3] {
    let Some(key) = cx.proved(KeyId::read(key)) else {
        return [0; 3];
    };
    let words = host.read_key(key);
    cx.note_read(key, words, reads);
    words
}

fn parameter_of(cx: &Context<'_>, parameter: U16) -> [u32; 3] {
    let parameter = cx.proved(ParameterId::read(parameter));
    parameter.map_or([0; 3], |parameter| parameter_words(cx, parameter))
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

fn field(cx: &Context<'_>, stack: &mut Stack, number: u8, source: &[u32]) {
    let word = cx.proved(source.get(usize::from(number)));
    stack.push(word.copied().unwrap_or(0));
}

fn call_guard(
    cx: &mut Context<'_>,
    host: &dyn Host,
    op: Option<OpId>,
    stack: &mut Stack,
    site: &Site,
) -> bool {
    let Some(function) = prepare(cx, op, stack, site) else {
        return false;
    };
    let Verdict { holds, code } = host.guard(function, GuardCx::new(cx));
    cx.note_asked(function, holds, code);
    holds
}

/// Words of a value function's answer (LANG-11).
fn call_value(
    cx: &mut Context<'_>,
    host: &dyn Host,
    op: Option<OpId>,
    stack: &mut Stack,
    site: &Site,
    reads: Option<&mut Reads>,
) -> [u32; 3] {
    let Some(function) = prepare(cx, op, stack, site) else {
        return [0; 3];
    };
    let words = host.value(function, GuardCx::new(cx));
    cx.note_gave(function, words, reads);
    words
}

/// Prepares a call whose computed arguments lie on the stack.
fn prepare(
    cx: &mut Context<'_>,
    op: Option<OpId>,
    stack: &mut Stack,
    site: &Site,
) -> Option<FunctionId> {
    let op = cx.proved(op).and_then(|op| cx.op(op))?;
    if op.kind == ActionOp::CallWith {
        take_arguments(cx, op, stack);
    }
    cx.prepare_call(op, site)
}

/// Takes the computed arguments of a call from the stack, the last one first (LANG-4).
#[inline(never)]
fn take_arguments(cx: &mut Context<'_>, op: &OpRecord, stack: &mut Stack) {
    let run = cx.rom.arguments_of(op);
    let mut values = Arguments::default();
    for (value, argument) in values.iter_mut().zip(run) {
        *value = *argument;
    }
    for place in (0..u32::from(MAX_ARGUMENTS)).rev() {
        let argument = values.iter_mut().find(|one| one.place() == Some(place));
        if let Some(argument) = argument {
            let mut words = [0; 3];
            let used = usize::from(argument.ty.get().words());
            let pushed = words.iter_mut().take(used).rev();
            pushed.for_each(|word| *word = stack.pop());
            *argument = argument.with_words(words);
        }
    }
    cx.computed = Some(values);
}
