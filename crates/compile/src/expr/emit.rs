//! Typed tree to instructions, operands before their operator.
//!
//! `a && b && c` becomes `a, jump, b, jump, c` where both jumps go to the end:
//! [`statewright_rom::code::verify`] counts them as one. What does not fit the limits of the ROM is
//! refused here, so what comes out always verifies.

use statewright_rom::code::{MAX_JOINS, op};
use statewright_rom::layout::{InstructionRecord, MAX_CODE, MAX_STACK_WORDS, ValueType};
use zerocopy::byteorder::little_endian::{U16, U32};

use super::node::{Constant, Logic, TypedExpr};
use crate::numbers;

/// Instructions and the stack they need.
pub(super) struct Emitted {
    pub(super) instructions: Vec<InstructionRecord>,
    pub(super) stack_words: u8,
}

/// Which limit an expression exceeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TooLarge {
    Code(usize),
    Stack(usize),
    Joins(usize),
}

/// Writes the instructions of a tree.
pub(super) fn emit(node: &TypedExpr) -> Result<Emitted, TooLarge> {
    let mut emitter = Emitter::default();
    emitter.node(node, 0);
    if emitter.instructions.len() > usize::from(MAX_CODE) {
        return Err(TooLarge::Code(emitter.instructions.len()));
    }
    if emitter.joins > MAX_JOINS {
        return Err(TooLarge::Joins(emitter.joins));
    }
    match u8::try_from(emitter.peak) {
        Ok(stack_words) if stack_words <= MAX_STACK_WORDS => Ok(Emitted {
            instructions: emitter.instructions,
            stack_words,
        }),
        _ => Err(TooLarge::Stack(emitter.peak)),
    }
}

#[derive(Default)]
struct Emitter {
    instructions: Vec<InstructionRecord>,
    words: usize,
    peak: usize,
    joins: usize,
}

impl Emitter {
    /// `around` is how many jumps are under way.
    fn node(&mut self, node: &TypedExpr, around: usize) {
        match node {
            TypedExpr::Constant(constant) => self.constant(*constant),
            TypedExpr::Leaf { op, a, b, ty } => {
                self.write(*op, *a, *b, 0);
                self.grow(ty.words() as usize);
            }
            TypedExpr::Op {
                op,
                a,
                ty,
                operands,
            } => {
                let below = self.words;
                operands
                    .iter()
                    .for_each(|operand| self.node(operand, around));
                self.write(*op, *a, 0, 0);
                self.words = below;
                self.grow(ty.words() as usize);
            }
            TypedExpr::Call {
                op,
                a,
                b,
                ty,
                operands,
            } => {
                let below = self.words;
                operands
                    .iter()
                    .for_each(|operand| self.node(operand, around));
                self.write(*op, *a, *b, 0);
                self.words = below;
                self.grow(ty.words() as usize);
            }
            TypedExpr::Logic { logic, operands } => self.logic(*logic, operands, around),
        }
    }

    fn constant(&mut self, constant: Constant) {
        let ty = numbers::value_type(constant.ty());
        let push = |emitter: &mut Self, ty: ValueType, bits: u32| {
            emitter.write(op::PUSH, ty.number(), 0, bits);
            emitter.grow(1);
        };
        match constant {
            Constant::Vec2(parts) => {
                parts
                    .iter()
                    .for_each(|part| push(self, ValueType::F32, part.to_bits()));
                self.write(op::VEC2_MAKE, 0, 0, 0);
            }
            Constant::Vec3(parts) => {
                parts
                    .iter()
                    .for_each(|part| push(self, ValueType::F32, part.to_bits()));
                self.write(op::VEC3_MAKE, 0, 0, 0);
            }
            scalar => push(self, ty, scalar.words()[0]),
        }
    }

    fn logic(&mut self, logic: Logic, operands: &[TypedExpr], around: usize) {
        let below = self.words;
        let mut jumps = Vec::with_capacity(operands.len());
        for (index, operand) in operands.iter().enumerate() {
            let under_way = around + usize::from(index > 0);
            self.joins = self.joins.max(under_way);
            self.node(operand, under_way);
            if index + 1 < operands.len() {
                jumps.push(self.instructions.len());
                self.write(logic.jump(), 0, 0, 0);
                self.words = below;
            }
        }
        let end = U32::new(self.instructions.len() as u32);
        for jump in jumps {
            self.instructions[jump].c = end;
        }
    }

    fn write(&mut self, op: u8, a: u8, b: u16, c: u32) {
        self.instructions.push(InstructionRecord {
            op,
            a,
            b: U16::new(b),
            c: U32::new(c),
        });
    }

    fn grow(&mut self, words: usize) {
        self.words += words;
        self.peak = self.peak.max(self.words);
    }
}
