//! The proof that an expression is sound (CODE-4, ROM-2).
//!
//! Comes in: any instructions at all. Goes out: nothing, or the first fault. One pass from the
//! first instruction to the last, no recursion, no allocation. The stack is followed as a list of
//! types. A jump keeps one bool and lands at a later instruction; until then the code may not touch
//! what lay below that bool and must bring exactly one bool of its own, so both ways arrive with
//! the same stack.

use super::fault::{CodeError, Fault, Operand};
use super::op;
use crate::layout::{
    ActionOp, ArgumentRecord, ArgumentSource, ExpressionRecord, FunctionKind, InstructionRecord,
    KeyRecord, LinkerRecord, MAX_CODE, MAX_STACK_WORDS, OpRecord, ParameterRecord, ScratchRecord,
    ScratchType, StringRecord, ValueType,
};
use crate::number::Coded;
use crate::symbol::is_symbol;

/// A type as instructions and tables name it: any byte at first.
type Type = Coded<ValueType>;

const BOOL: Type = ValueType::Bool.coded();
const F32: Type = ValueType::F32.coded();
const I32: Type = ValueType::I32.coded();

/// Words of an event payload (EVT-1).
pub const PAYLOAD_WORDS: u8 = 4;
/// Most jumps with different targets under way at once.
pub const MAX_JOINS: usize = 32;

const STACK: usize = MAX_STACK_WORDS as usize;

/// The tables that instructions refer to.
#[derive(Clone, Copy, Debug)]
pub struct CodeLimits<'a> {
    /// Blackboard keys.
    pub keys: &'a [KeyRecord],
    /// Parameters.
    pub parameters: &'a [ParameterRecord],
    /// How many states.
    pub states: usize,
    /// Ops, for calls.
    pub ops: &'a [OpRecord],
    /// Arguments, for calls.
    pub arguments: &'a [ArgumentRecord],
    /// User functions, for calls.
    pub linker: &'a [LinkerRecord],
    /// Scratch.
    pub scratch: &'a [ScratchRecord],
    /// Texts, for symbols.
    pub strings: &'a [StringRecord],
}

/// Proves that an expression can be run: known instructions, legal operands, forward jumps, right
/// types, a stack of exactly the declared size and one value of the declared type at the end.
pub fn verify(
    code: &[InstructionRecord],
    expression: &ExpressionRecord,
    limits: &CodeLimits<'_>,
) -> Result<(), CodeError> {
    verify_with(&mut Scratch::new(), code, expression, limits)
}

/// Room for what [`verify`] notes. What is left in it from another expression is never read: it is
/// made once for many of them, because filling it takes as long as a short expression.
pub(crate) struct Scratch {
    types: [Type; STACK],
    joins: [Join; MAX_JOINS],
}

impl Scratch {
    pub(crate) const fn new() -> Self {
        Self {
            types: [Type::from_raw(0); STACK],
            joins: [Join::NONE; MAX_JOINS],
        }
    }
}

/// [`verify`] in room that is already there.
#[inline(always)]
pub(crate) fn verify_with(
    scratch: &mut Scratch,
    code: &[InstructionRecord],
    expression: &ExpressionRecord,
    limits: &CodeLimits<'_>,
) -> Result<(), CodeError> {
    let count = expression.count.get();
    let at = |instruction: u16| move |fault: Fault| CodeError { instruction, fault };
    if count == 0 || count > MAX_CODE {
        return Err(at(0)(Fault::Length(count)));
    }
    let first = usize::try_from(expression.first.get()).unwrap_or(usize::MAX);
    let body = code
        .get(first..)
        .and_then(|rest| rest.get(..usize::from(count)))
        .ok_or_else(|| at(0)(Fault::OutsideCode))?;
    let mut checker = Checker {
        count,
        types: &mut scratch.types,
        values: 0,
        words: 0,
        peak: 0,
        joins: &mut scratch.joins,
        join_count: 0,
        inner: Join::NONE,
    };
    for (index, instruction) in (0u16..).zip(body) {
        checker
            .step(index, instruction, limits)
            .map_err(at(index))?;
    }
    checker.finish(expression).map_err(at(count))
}

/// A jump under way.
#[derive(Clone, Copy)]
struct Join {
    /// Where it lands.
    target: u16,
    /// Values on the stack below the bool it brings.
    values: u8,
}

/// What is known between two instructions. The tables are borrowed, and all of it is inlined, so
/// that the numbers can live in registers: with the tables inside, plain instructions took about a
/// third longer.
struct Checker<'a> {
    count: u16,
    types: &'a mut [Type; STACK],
    values: u8,
    words: u8,
    peak: u8,
    joins: &'a mut [Join; MAX_JOINS],
    join_count: u8,
    /// The innermost join; past the end and without values if there is none.
    inner: Join,
}

impl Join {
    const NONE: Self = Self {
        target: u16::MAX,
        values: 0,
    };
}

impl Checker<'_> {
    #[inline(always)]
    fn step(
        &mut self,
        index: u16,
        instruction: &InstructionRecord,
        limits: &CodeLimits<'_>,
    ) -> Result<(), Fault> {
        if self.inner.target == index {
            self.land(index)?;
        }
        match op::signature(instruction.op) {
            Some(signature) => self.plain(instruction, signature),
            None => self.special(index, instruction, limits),
        }
    }

    #[inline(always)]
    fn plain(
        &mut self,
        instruction: &InstructionRecord,
        signature: &op::Signature,
    ) -> Result<(), Fault> {
        unused(
            u32::from(instruction.a) | u32::from(instruction.b.get()) | instruction.c.get() == 0,
        )?;
        for &ty in signature.inputs.iter().rev() {
            self.pop(ty.coded())?;
        }
        self.push(signature.output.coded())
    }

    #[inline(always)]
    fn special(
        &mut self,
        index: u16,
        instruction: &InstructionRecord,
        limits: &CodeLimits<'_>,
    ) -> Result<(), Fault> {
        let InstructionRecord { op, a, b, c } = *instruction;
        let (b, c) = (b.get(), c.get());
        match op {
            op::AND_JUMP | op::OR_JUMP => {
                unused(a == 0 && b == 0)?;
                self.jump(index, c)
            }
            op::PUSH => {
                unused(b == 0)?;
                constant(a, c, limits)?;
                self.push(Type::from_raw(a))
            }
            op::SELECT => {
                unused(b == 0 && c == 0)?;
                let ty = Type::from_raw(a);
                self.pop(ty)?;
                self.pop(ty)?;
                self.pop(BOOL)?;
                self.push(ty)
            }
            op::VEC2_FIELD | op::VEC3_FIELD => {
                unused(b == 0 && c == 0)?;
                let vector = if op == op::VEC2_FIELD {
                    ValueType::Vec2.coded()
                } else {
                    ValueType::Vec3.coded()
                };
                component(a, vector)?;
                self.pop(vector)?;
                self.push(F32)
            }
            op::CALL_GUARD | op::CALL_VALUE => {
                unused(c == 0)?;
                self.call(op, a, b, limits)
            }
            op::RANDOM | op::RANDOM_I32 | op::RANDOM_F32 | op::CURVE => {
                unused(b == 0 && c == 0)?;
                self.numbers(op, a)
            }
            _ => {
                unused(c == 0)?;
                self.push(load(op, a, b, limits)?)
            }
        }
    }

    /// Chance and curves: numbers for a number.
    fn numbers(&mut self, op: u8, a: u8) -> Result<(), Fault> {
        let (ty, count) = match op {
            op::CURVE if a == 0 || a > op::MAX_POINTS => return Err(operand(Operand::Points, a)),
            op::CURVE => (F32, a.saturating_mul(2).saturating_add(1)),
            op::RANDOM_I32 => (I32, 2),
            op::RANDOM_F32 => (F32, 2),
            _ => (F32, 0),
        };
        unused(a == 0 || op == op::CURVE)?;
        for _ in 0..count {
            self.pop(ty)?;
        }
        self.push(ty)
    }

    /// A call of a guard or a value function: its computed arguments lie on the stack, the last on
    /// top (LANG-4).
    fn call(&mut self, op: u8, a: u8, b: u16, limits: &CodeLimits<'_>) -> Result<(), Fault> {
        let guard = op == op::CALL_GUARD;
        let bad = || {
            operand(
                if guard {
                    Operand::GuardCall
                } else {
                    Operand::ValueCall
                },
                b,
            )
        };
        let call = limits.ops.get(usize::from(b)).ok_or_else(bad)?;
        let kind = call.kind.known().filter(|kind| kind.calls());
        let entry = limits.linker.get(usize::from(call.a.get()));
        let (Some(kind), Some(entry)) = (kind, entry) else {
            return Err(bad());
        };
        let ty = match entry.kind.known() {
            Some(FunctionKind::Guard) if guard => {
                unused(a == 0)?;
                BOOL
            }
            Some(FunctionKind::Value) if !guard => same(a, entry.ty)?,
            _ => return Err(bad()),
        };
        if kind == ActionOp::CallWith {
            let first = usize::try_from(call.b.get()).unwrap_or(usize::MAX);
            let run = limits.arguments.get(first..);
            let run = run.and_then(|run| run.get(..usize::from(call.count)));
            self.take_arguments(run.ok_or_else(bad)?, bad)?;
        }
        self.push(ty)
    }

    fn take_arguments(
        &mut self,
        run: &[ArgumentRecord],
        bad: impl Fn() -> Fault + Copy,
    ) -> Result<(), Fault> {
        let computed = run.iter().filter(|one| one.place().is_some()).count();
        for place in (0..computed as u32).rev() {
            let argument = run.iter().find(|one| one.place() == Some(place));
            let argument = argument.filter(|one| one.source == ArgumentSource::Stack);
            let ty = argument.ok_or_else(bad)?.ty;
            if !ty.is_known() {
                return Err(bad());
            }
            self.pop(ty)?;
        }
        Ok(())
    }

    #[inline(always)]
    fn jump(&mut self, index: u16, target: u32) -> Result<(), Fault> {
        self.pop(BOOL)?;
        let last = self.inner.target.min(self.count);
        let target = match u16::try_from(target) {
            Ok(short) if short > index && short <= last => short,
            _ => return Err(Fault::Jump(target)),
        };
        let join = Join {
            target,
            values: self.values,
        };
        if self.inner.target == target && self.inner.values == self.values {
            return Ok(());
        }
        *self
            .joins
            .get_mut(usize::from(self.join_count))
            .ok_or(Fault::TooManyJoins)? = self.inner;
        self.join_count += 1;
        self.inner = join;
        Ok(())
    }

    /// Ends all jumps that land here.
    #[inline(always)]
    fn land(&mut self, index: u16) -> Result<(), Fault> {
        // Bound: each turn takes one join away.
        while self.inner.target == index {
            let top = usize::from(self.inner.values);
            if self.values != self.inner.values + 1 || self.types.get(top) != Some(&BOOL) {
                return Err(Fault::Join);
            }
            self.join_count = self.join_count.saturating_sub(1);
            self.inner = self
                .joins
                .get(usize::from(self.join_count))
                .copied()
                .ok_or(Fault::TooManyJoins)?;
        }
        Ok(())
    }

    #[inline(always)]
    fn pop(&mut self, expected: Type) -> Result<(), Fault> {
        if self.values <= self.inner.values {
            return Err(Fault::Underflow);
        }
        self.values -= 1;
        let found = self
            .types
            .get(usize::from(self.values))
            .copied()
            .ok_or(Fault::Underflow)?;
        if found != expected {
            return Err(Fault::Type { expected, found });
        }
        self.words -= words(found);
        Ok(())
    }

    #[inline(always)]
    fn push(&mut self, ty: Type) -> Result<(), Fault> {
        self.words += words(ty);
        if self.words > MAX_STACK_WORDS {
            return Err(Fault::Overflow);
        }
        *self
            .types
            .get_mut(usize::from(self.values))
            .ok_or(Fault::Overflow)? = ty;
        self.values += 1;
        self.peak = self.peak.max(self.words);
        Ok(())
    }

    fn finish(&mut self, expression: &ExpressionRecord) -> Result<(), Fault> {
        if self.inner.target == self.count {
            self.land(self.count)?;
        }
        if self.values != 1 {
            return Err(Fault::Leftover(self.values));
        }
        self.pop(expression.ty)?;
        if self.peak != expression.stack_words {
            return Err(Fault::StackWords {
                declared: expression.stack_words,
                found: self.peak,
            });
        }
        Ok(())
    }
}

/// Words of a type that is known to exist: one digit each, because this is asked for every
/// instruction.
fn words(ty: Type) -> u8 {
    (WORDS.wrapping_shr(4 * u32::from(ty.raw())) & 7) as u8
}

const WORDS: u32 = {
    assert!(ValueType::COUNT <= 8, "one digit each");
    let mut digits = 0;
    let mut at = 0;
    while at < ValueType::COUNT {
        let ty = ValueType::ALL[at];
        digits |= (ty.words() as u32) << (4 * ty.number() as u32);
        at += 1;
    }
    digits
};

fn unused(zero: bool) -> Result<(), Fault> {
    if zero {
        Ok(())
    } else {
        Err(Fault::UnusedField)
    }
}

/// Type pushed by an instruction that reads something.
fn load(op: u8, a: u8, b: u16, limits: &CodeLimits<'_>) -> Result<Type, Fault> {
    let index = usize::from(b);
    let key = || {
        limits
            .keys
            .get(index)
            .map(|key| key.ty)
            .ok_or(operand(Operand::Key, b))
    };
    let parameter = || {
        limits
            .parameters
            .get(index)
            .map(|parameter| parameter.ty)
            .ok_or(operand(Operand::Parameter, b))
    };
    match op {
        op::KEY => same(a, key()?),
        op::KEY_FIELD => component(a, key()?),
        op::PARAMETER => same(a, parameter()?),
        op::PARAMETER_FIELD => component(a, parameter()?),
        op::PAYLOAD => {
            unused(b == 0)?;
            let ty = Type::from_raw(a);
            if ty.is_known() {
                Ok(ty)
            } else {
                Err(operand(Operand::Type, a))
            }
        }
        op::PAYLOAD_FIELD => {
            unused(b == 0)?;
            if a < PAYLOAD_WORDS {
                Ok(F32)
            } else {
                Err(operand(Operand::PayloadWord, a))
            }
        }
        op::TICKS_IN_STATE | op::IN_STATE => {
            unused(a == 0)?;
            let ty = if op == op::IN_STATE { BOOL } else { I32 };
            if index < limits.states {
                Ok(ty)
            } else {
                Err(operand(Operand::State, b))
            }
        }
        op::SCRATCH => {
            let record = limits.scratch.get(index);
            let ty = record.and_then(|record| record.ty.known());
            let value = ty.and_then(ScratchType::value_type);
            value
                .filter(|_| ty.is_some_and(|ty| ty.number() == a))
                .map(ValueType::coded)
                .ok_or(operand(Operand::Scratch, b))
        }
        _ => Err(Fault::UnknownOp(op)),
    }
}

fn operand(what: Operand, found: impl Into<u32>) -> Fault {
    Fault::Operand {
        what,
        found: found.into(),
    }
}

/// The type in the instruction must be that of the table.
fn same(found: u8, expected: Type) -> Result<Type, Fault> {
    let found = Type::from_raw(found);
    // A table with an unknown type is refused elsewhere; here it must not count as zero words.
    if found == expected && found.is_known() {
        Ok(found)
    } else {
        Err(Fault::Type { expected, found })
    }
}

/// A component of a vector is a float.
fn component(index: u8, ty: Type) -> Result<Type, Fault> {
    let vector = ty.known().filter(|ty| ty.is_vector());
    if vector.is_some_and(|ty| index < ty.words()) {
        Ok(F32)
    } else {
        Err(operand(Operand::Component, index))
    }
}

fn constant(ty: u8, bits: u32, limits: &CodeLimits<'_>) -> Result<(), Fault> {
    let legal = match ValueType::from_number(ty) {
        Some(ValueType::I32) => true,
        Some(ValueType::F32) => f32::from_bits(bits).is_finite(),
        Some(ValueType::Bool) => bits <= 1,
        Some(ValueType::Symbol) => is_symbol(limits.strings, bits),
        Some(ValueType::Entity | ValueType::Vec2 | ValueType::Vec3) | None => {
            return Err(operand(Operand::ConstantType, ty));
        }
    };
    if legal {
        Ok(())
    } else {
        Err(operand(Operand::Constant, bits))
    }
}
