//! Expressions (CODE-4): bounded code over a stack of 32 words. The loader has proved types, jumps
//! and depth.

use statewright_rom::Coded;
use statewright_rom::code::{WordStack, apply, arith, compare_f32, compare_i32, op};
use statewright_rom::ids::*;
use statewright_rom::layout::*;
use zerocopy::byteorder::little_endian::U16;

use crate::code::straight::straight;
use crate::context::{Arguments, Context, Site};
use crate::host::cx::{GuardCx, parameter_word, parameter_words, scratch_slots};
use crate::host::notes::Reads;
use crate::host::{Cause, Host, Verdict};
use crate::instance::rng::Rng;
use crate::toggles::{self, Optimization};

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
#[inline]
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
        && toggles::has(Optimization::Straight)
        && let Some(word) = straight_word(cx, host, record, site)
    {
        return [word, 0, 0];
    }
    evaluate_from(cx, host, record, site, reads, Start::FIRST)
}

/// The result of a straight expression. Kept apart: what it needs of the stack is free again where
/// user code is called.
#[inline(never)]
fn straight_word(
    cx: &Context<'_>,
    host: &dyn Host,
    record: &ExpressionRecord,
    site: &Site,
) -> Option<u32> {
    match straight(cx, host, cx.rom.code_in(record), site)? {
        (word, []) => Some(word),
        _ => None,
    }
}

/// Where an evaluation begins.
#[derive(Clone, Copy)]
struct Start {
    /// The first instruction.
    at: usize,
    /// What lies on the stack.
    value: Option<bool>,
}

impl Start {
    const FIRST: Self = Self { at: 0, value: None };
}

fn evaluate_from(
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

/// What a condition says: the first word of [`evaluate`] without a stack, as far as that goes.
///
/// Most conditions are [straight](straight()) comparisons, states and calls, joined by `&&`, `||` and `!`.
/// Between those nothing lies on the stack but the truth so far:
///
/// ```text
///   health < flee_below && !BraveEnough      KEY PARAMETER I32_LT │ AND_JUMP │ CALL_GUARD │ NOT
///                                            └ one comparison     └ goes on or ends     └ end
/// ```
#[inline(never)]
pub(crate) fn test(
    cx: &mut Context<'_>,
    host: &dyn Host,
    expression: ExpressionId,
    site: &Site,
) -> bool {
    let Some(record) = cx.proved(cx.rom.expression(expression)) else {
        return false;
    };
    let code = cx.rom.code_in(record);
    match decided_early(cx, host, code) {
        Some(holds) if toggles::has(Optimization::Straight) => holds,
        Some(_) | None => test_on(cx, host, record, code, site),
    }
}

/// The truth of a condition whose first comparison or state decides it: it stands alone, or what is
/// joined to it cannot change it any more. Most conditions are asked in vain, and end here.
#[inline(always)]
fn decided_early(cx: &Context<'_>, host: &dyn Host, code: &[InstructionRecord]) -> Option<bool> {
    let (holds, after) = match code {
        [first, after @ ..] if first.op == op::IN_STATE => {
            (cx.is_active(StateId::read(first.b)?), after)
        }
        [first, second, compare, after @ ..] => {
            (compared(cx, host, (first, second), compare.op)?, after)
        }
        _ => return None,
    };
    let Some(join) = after.first() else {
        return Some(holds);
    };
    let ending = if holds { op::OR_JUMP } else { op::AND_JUMP };
    let ends = join.op == ending && join.c.get() as usize >= code.len();
    ends.then_some(holds)
}

/// Conditions that are more.
#[inline(never)]
fn test_on<'a>(
    cx: &mut Context<'a>,
    host: &dyn Host,
    record: &ExpressionRecord,
    code: &'a [InstructionRecord],
    site: &Site,
) -> bool {
    let go_on = |cx: &mut Context<'_>, after: &[InstructionRecord], value: Option<bool>| {
        let at = code.len().wrapping_sub(after.len());
        let start = Start { at, value };
        evaluate_from(cx, host, record, site, None, start)[0] != 0
    };
    if !toggles::has(Optimization::Straight) {
        return go_on(cx, code, None);
    }
    let mut rest = code;
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

/// A comparison of two words, if that is what stands there. Nothing that is read twice would be
/// another one.
#[inline(always)]
fn compared(
    cx: &Context<'_>,
    host: &dyn Host,
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
fn word(cx: &Context<'_>, host: &dyn Host, instruction: &InstructionRecord) -> Option<u32> {
    match instruction.op {
        op::PUSH => Some(instruction.c.get()),
        op::KEY => Some(host.read_key(KeyId::read(instruction.b)?)[0]),
        op::PARAMETER => Some(parameter_word(cx, ParameterId::read(instruction.b)?)),
        _ => None,
    }
}

/// The truth of the first few instructions and what comes after them, if it is found without a stack.
#[inline(always)]
fn test_one<'a>(
    cx: &mut Context<'a>,
    host: &dyn Host,
    code: &'a [InstructionRecord],
    site: &Site,
) -> Option<(bool, &'a [InstructionRecord])> {
    let [first, after @ ..] = code else {
        return None;
    };
    if first.op == op::CALL_GUARD {
        return Some((ask_plainly(cx, host, first, site)?, after));
    }
    if first.op == op::IN_STATE {
        let state = StateId::read(first.b)?;
        return Some((cx.is_active(state), after));
    }
    if let [second, compare, after @ ..] = after
        && let Some(holds) = compared(cx, host, (first, second), compare.op)
    {
        return Some((holds, after));
    }
    let (value, after) = straight_apart(cx, host, code, site)?;
    Some((value != 0, after))
}

/// What a guard without computed arguments says. Kept apart, so that a comparison does not pay for it.
#[inline(never)]
fn ask_plainly(
    cx: &mut Context<'_>,
    host: &dyn Host,
    instruction: &InstructionRecord,
    site: &Site,
) -> Option<bool> {
    let op = cx.rom.ops().get(usize::from(instruction.b.get()))?;
    if op.kind != ActionOp::Call {
        return None;
    }
    let function = cx.prepare_call(op, site)?;
    Some(host.guard(function, GuardCx::new(cx)).holds)
}

/// Kept apart, so that a comparison needs no room for it.
#[inline(never)]
fn straight_apart<'a>(
    cx: &Context<'a>,
    host: &dyn Host,
    code: &'a [InstructionRecord],
    site: &Site,
) -> Option<(u32, &'a [InstructionRecord])> {
    straight(cx, host, code, site)
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
