//! Expressions (CODE-4): bounded code over a stack of 32 words. The loader has proved types, jumps
//! and depth.

use statewright_rom::Coded;
use statewright_rom::code::{WordStack, apply, arith, compare_i32, op};
use statewright_rom::ids::*;
use statewright_rom::layout::*;
use zerocopy::byteorder::little_endian::U16;

use crate::code::straight::straight_word;
use crate::context::{Arguments, Context, Site};
use crate::host::cx::{GuardCx, parameter_words, scratch_slots};
use crate::host::notes::Reads;
use crate::host::{Cause, Host, Verdict};
use crate::instance::rng::Rng;

/// Words of the large stack, and of the one that most expressions get along with. Powers of two, so
/// that a place in them is a mask.
const LARGE: usize = MAX_STACK_WORDS as usize;
const SMALL: usize = 8;
const _: () = assert!(LARGE.is_power_of_two() && SMALL.is_power_of_two());

/// The loader has proved that no expression takes more than it has pushed or pushes more than there
/// is room for; a stack that ends with another number of words than the result has was misused.
struct Stack<const N: usize> {
    words: [u32; N],
    len: usize,
}

impl<const N: usize> Stack<N> {
    const MASK: usize = N.wrapping_sub(1);

    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "masked to the size of the array")]
    fn at(&mut self, place: usize) -> &mut u32 {
        &mut self.words[place & Self::MASK]
    }
}

impl<const N: usize> WordStack for Stack<N> {
    #[inline(always)]
    fn push(&mut self, word: u32) {
        *self.at(self.len) = word;
        self.len = self.len.wrapping_add(1);
    }

    #[inline(always)]
    fn pop(&mut self) -> u32 {
        self.len = self.len.wrapping_sub(1);
        *self.at(self.len)
    }
}

/// Words of an expression's result; unused ones are 0. What it reads is kept for a tracer, if
/// somebody wants to know.
#[inline(always)]
pub(crate) fn evaluate(
    cx: &mut Context<'_>,
    host: &dyn Host,
    expression: ExpressionId,
    site: &Site,
    reads: Option<&mut Reads>,
) -> [u32; 3] {
    let Some(record) = cx.proved(cx.rom.expression(expression)) else {
        return [0; 3];
    };
    if reads.is_none()
        && let Some(word) = straight_word(cx, host, record, site)
    {
        return [word, 0, 0];
    }
    evaluate_from(cx, host, record, site, reads, Start::FIRST)
}

/// Where an evaluation begins.
#[derive(Clone, Copy)]
pub(super) struct Start {
    /// The first instruction.
    pub(super) at: usize,
    /// What lies on the stack.
    pub(super) value: Option<bool>,
}

impl Start {
    const FIRST: Self = Self { at: 0, value: None };
}

/// The same from somewhere on.
#[inline(always)]
pub(super) fn evaluate_from(
    cx: &mut Context<'_>,
    host: &dyn Host,
    record: &ExpressionRecord,
    site: &Site,
    reads: Option<&mut Reads>,
    start: Start,
) -> [u32; 3] {
    if usize::from(record.stack_words) <= SMALL && reads.is_none() {
        evaluate_on::<SMALL>(cx, host, record, site, None, start)
    } else {
        evaluate_on::<LARGE>(cx, host, record, site, reads, start)
    }
}

/// The same on a stack of so many words.
#[inline(never)]
fn evaluate_on<const N: usize>(
    cx: &mut Context<'_>,
    host: &dyn Host,
    record: &ExpressionRecord,
    site: &Site,
    mut reads: Option<&mut Reads>,
    start: Start,
) -> [u32; 3] {
    let code = cx.rom.code_in(record);
    let mut stack = Stack::<N> {
        words: [0; N],
        len: 0,
    };
    if let Some(value) = start.value {
        stack.push(u32::from(value));
    }
    let mut rest = code.get(start.at..).unwrap_or(&[]);
    // Bound: jumps go forward only.
    while let [instruction, after @ ..] = rest {
        rest = after;
        let InstructionRecord { op, a, b, c } = *instruction;
        match op {
            op::PUSH => stack.push(c.get()),
            op::KEY => {
                let words = key_words(cx, host, b, reads.as_deref_mut());
                load(&mut stack, a, &words);
            }
            op::PARAMETER => load(&mut stack, a, &parameter_of(cx, b)),
            op::AND_JUMP | op::OR_JUMP => {
                let value = stack.pop_bool();
                if value == (op == op::OR_JUMP) {
                    stack.push(u32::from(value));
                    let from = code.len().wrapping_sub(rest.len());
                    rest = code.get(from.max(c.get() as usize)..).unwrap_or(&[]);
                }
            }
            op::IN_STATE => {
                let state = cx.proved(StateId::read(b));
                stack.push(u32::from(state.is_some_and(|state| cx.is_active(state))));
            }
            op::NOT => {
                let value = stack.pop_bool();
                stack.push(u32::from(!value));
            }
            op::I32_EQ..=op::I32_GE => {
                let (b, a) = (stack.pop_i32(), stack.pop_i32());
                stack.push(u32::from(compare_i32(op, a, b)));
            }
            _ if op >= op::FIRST_PLAIN => apply(op, a, &mut stack),
            _ => step(
                cx,
                host,
                instruction,
                &mut stack,
                site,
                reads.as_deref_mut(),
            ),
        }
    }
    if stack.len != usize::from(record.ty.get().words()) {
        cx.impossible("the loader has proved what an expression leaves on the stack");
    }
    match stack.len {
        1 => [*stack.at(0), 0, 0],
        2 => [*stack.at(0), *stack.at(1), 0],
        _ => [*stack.at(0), *stack.at(1), *stack.at(2)],
    }
}

/// Instructions that are rare. Kept apart, so that the loop stays small.
#[inline(never)]
fn step<const N: usize>(
    cx: &mut Context<'_>,
    host: &dyn Host,
    instruction: &InstructionRecord,
    stack: &mut Stack<N>,
    site: &Site,
    reads: Option<&mut Reads>,
) {
    let InstructionRecord { op, a, b, .. } = *instruction;
    match op {
        op::KEY_FIELD => {
            let words = key_words(cx, host, b, reads);
            field(cx, stack, a, &words);
        }
        op::PARAMETER_FIELD => field(cx, stack, a, &parameter_of(cx, b)),
        op::PAYLOAD => load(stack, a, &payload(site)),
        op::PAYLOAD_FIELD => field(cx, stack, a, &payload(site)),
        op::TICKS_IN_STATE => {
            let state = cx.proved(StateId::read(b));
            let ticks = state.and_then(|state| cx.ticks_in_state(state));
            stack.push(cx.proved(ticks).unwrap_or(0).min(i32::MAX as u32));
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
fn random<const N: usize>(cx: &mut Context<'_>, op: u8, stack: &mut Stack<N>) {
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
#[inline(always)]
fn load<const N: usize, const W: usize>(stack: &mut Stack<N>, ty: u8, source: &[u32; W]) {
    let [first, others @ ..] = source.as_slice() else {
        return;
    };
    match Coded::<ValueType>::from_raw(ty).get() {
        ValueType::Bool => stack.push(u32::from(*first != 0)),
        ValueType::I32 | ValueType::F32 | ValueType::Symbol => stack.push(*first),
        ty @ (ValueType::Entity | ValueType::Vec2 | ValueType::Vec3) => {
            stack.push(*first);
            let others = others
                .iter()
                .take(usize::from(ty.words()).saturating_sub(1));
            others.for_each(|&word| stack.push(word));
        }
    }
}

fn field<const N: usize>(cx: &Context<'_>, stack: &mut Stack<N>, number: u8, source: &[u32]) {
    let word = cx.proved(source.get(usize::from(number)));
    stack.push(word.copied().unwrap_or(0));
}

fn call_guard<const N: usize>(
    cx: &mut Context<'_>,
    host: &dyn Host,
    op: Option<OpId>,
    stack: &mut Stack<N>,
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
fn call_value<const N: usize>(
    cx: &mut Context<'_>,
    host: &dyn Host,
    op: Option<OpId>,
    stack: &mut Stack<N>,
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
fn prepare<const N: usize>(
    cx: &mut Context<'_>,
    op: Option<OpId>,
    stack: &mut Stack<N>,
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
fn take_arguments<const N: usize>(cx: &mut Context<'_>, op: &OpRecord, stack: &mut Stack<N>) {
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
