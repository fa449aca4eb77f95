//! Bytecode as a Rust expression.
//!
//! The code of an expression is a stack machine's; here what lies on its stack are pieces of Rust, so
//! that the last piece is the whole:
//!
//! ```text
//!   KEY health │ PARAMETER flee_below │ I32_LT │ AND_JUMP │ CALL_GUARD │ NOT
//!   health       health, flee_below     health < flee_below
//!                                       health < flee_below && ( !BraveEnough )
//! ```
//!
//! Rust evaluates operands from left to right, as the stack machine does, so draws and calls keep
//! their order. Numbers are computed by the same functions that the kernel uses (`arith`).

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use statewright_rom::Coded;
use statewright_rom::code::op;
use statewright_rom::ids::{ExpressionId, OpId, ParameterId, StateId};
use statewright_rom::layout::{ActionOp, InstructionRecord, ScratchType, ValueType};

use crate::Fused;
use crate::call::{Place, apart, plain_call};

/// Operand `b` of an instruction.
fn raw(instruction: &InstructionRecord) -> u16 {
    instruction.b.get()
}

/// A piece of Rust with the type of its value: `bool`, `i32`, `f32`, `u32` for a symbol, `[u32; 2]`
/// for an entity, `[u32; 3]` for a vector.
pub struct Piece {
    pub ty: ValueType,
    pub code: TokenStream,
}

impl Piece {
    fn new(ty: ValueType, code: TokenStream) -> Self {
        Self { ty, code }
    }

    /// Its three words, as blackboards take them.
    pub fn words(&self) -> Option<TokenStream> {
        let code = &self.code;
        Some(match self.ty {
            ValueType::Bool => quote!([u32::from(#code), 0, 0]),
            ValueType::I32 => quote!([(#code) as u32, 0, 0]),
            ValueType::F32 => quote!([(#code).to_bits(), 0, 0]),
            ValueType::Symbol => quote!([#code, 0, 0]),
            ValueType::Entity => quote!({ let [low, high] = #code; [low, high, 0] }),
            ValueType::Vec2 | ValueType::Vec3 => quote!(#code),
        })
    }
}

/// A value of a type from words of it.
pub fn from_words(ty: ValueType, words: &TokenStream) -> Option<Piece> {
    let code = match ty {
        ValueType::Bool => quote!(((#words)[0] != 0)),
        ValueType::I32 => quote!(((#words)[0] as i32)),
        ValueType::F32 => quote!(f32::from_bits((#words)[0])),
        ValueType::Symbol => quote!((#words)[0]),
        ValueType::Entity => quote!({ let [low, high, _] = #words; [low, high] }),
        // What it does not use is 0 in a key; a payload may have anything there.
        ValueType::Vec2 => quote!({ let [x, y, _] = #words; [x, y, 0] }),
        ValueType::Vec3 => quote!(#words),
    };
    Some(Piece::new(ty, code))
}

impl Fused<'_> {
    /// An expression as Rust; `None` if it has something that only the tables know.
    pub fn expression(&self, id: ExpressionId, place: Place) -> Option<Piece> {
        let code = self.rom.code_of(id);
        let mut writer = Writer {
            machine: self,
            code,
            place,
            stack: Vec::new(),
        };
        writer.block(0, code.len())?;
        match writer.stack.len() {
            1 => writer.stack.pop(),
            _ => None,
        }
    }
}

/// What has been written so far.
struct Writer<'w> {
    machine: &'w Fused<'w>,
    code: &'w [InstructionRecord],
    place: Place,
    stack: Vec<Piece>,
}

impl Writer<'_> {
    /// Writes the instructions from one on, up to another.
    fn block(&mut self, mut at: usize, end: usize) -> Option<()> {
        while at < end {
            let instruction = self.code.get(at)?;
            at += 1;
            if matches!(instruction.op, op::AND_JUMP | op::OR_JUMP) {
                let target = instruction.c.get() as usize;
                if target < at || target > end {
                    return None;
                }
                self.join(instruction.op, at, target)?;
                at = target;
            } else {
                self.step(instruction)?;
            }
        }
        Some(())
    }

    /// What stands on the stack, and the instructions up to the target of its jump.
    fn join(&mut self, op: u8, at: usize, target: usize) -> Option<()> {
        let first = self.pop(ValueType::Bool)?;
        let below = self.stack.len();
        self.block(at, target)?;
        let second = self.pop(ValueType::Bool)?;
        let code = match op {
            op::AND_JUMP => quote!((#first && #second)),
            _ => quote!((#first || #second)),
        };
        self.push(ValueType::Bool, code);
        (self.stack.len() == below + 1).then_some(())
    }

    fn push(&mut self, ty: ValueType, code: TokenStream) {
        self.stack.push(Piece::new(ty, code));
    }

    fn pop(&mut self, ty: ValueType) -> Option<TokenStream> {
        let piece = self.stack.pop()?;
        (piece.ty == ty).then_some(piece.code)
    }

    fn pair(&mut self, ty: ValueType) -> Option<(TokenStream, TokenStream)> {
        let second = self.pop(ty)?;
        Some((self.pop(ty)?, second))
    }

    fn step(&mut self, instruction: &InstructionRecord) -> Option<()> {
        match instruction.op {
            op::PUSH => self.constant(instruction),
            op::KEY => {
                let (ty, key) = (
                    Coded::<ValueType>::from_raw(instruction.a).get(),
                    raw(instruction),
                );
                let words = quote!(L::read_key::<#key>(&*host));
                self.stack.push(from_words(ty, &words)?);
                Some(())
            }
            op::KEY_FIELD => {
                let (component, key) = (usize::from(instruction.a), raw(instruction));
                self.push(
                    ValueType::F32,
                    quote!(f32::from_bits(L::read_key::<#key>(&*host)[#component])),
                );
                Some(())
            }
            op::PAYLOAD => {
                let ty = Coded::<ValueType>::from_raw(instruction.a).get();
                self.stack.push(from_words(ty, &quote!(fuse.payload()))?);
                Some(())
            }
            op::PAYLOAD_FIELD => {
                let component = usize::from(instruction.a);
                self.push(
                    ValueType::F32,
                    quote!(f32::from_bits(fuse.payload()[#component])),
                );
                Some(())
            }
            op::PARAMETER => self.parameter(instruction),
            op::IN_STATE => self.in_state(raw(instruction)),
            op::TICKS_IN_STATE => self.ticks_in_state(raw(instruction)),
            op::CALL_GUARD => self.call_guard(raw(instruction)),
            op::CALL_VALUE => self.call_value(instruction),
            op::SCRATCH => self.scratch(instruction),
            op::RANDOM | op::RANDOM_I32 | op::RANDOM_F32 => self.random(instruction.op),
            op::SELECT => self.select(),
            _ => self.plain(instruction.op),
        }
    }

    fn constant(&mut self, instruction: &InstructionRecord) -> Option<()> {
        let (ty, bits) = (
            Coded::<ValueType>::from_raw(instruction.a).get(),
            instruction.c.get(),
        );
        let code = match ty {
            ValueType::Bool => {
                let value = bits != 0;
                quote!(#value)
            }
            ValueType::I32 => {
                let value = bits as i32;
                quote!((#value))
            }
            ValueType::F32 => float(bits),
            ValueType::Symbol => quote!(#bits),
            ValueType::Entity | ValueType::Vec2 | ValueType::Vec3 => return None,
        };
        self.push(ty, code);
        Some(())
    }

    /// Never folded: a host may change it.
    fn parameter(&mut self, instruction: &InstructionRecord) -> Option<()> {
        let ty = Coded::<ValueType>::from_raw(instruction.a).get();
        let id = ParameterId::read(instruction.b)?;
        let offset = usize::from(self.machine.rom.parameter(id)?.offset.get());
        let row = self.machine.rom.parameter_words();
        let words = quote!([fuse.parameter(#offset, #row)]);
        match ty {
            ValueType::Bool | ValueType::I32 | ValueType::F32 | ValueType::Symbol => {
                self.stack.push(from_words(ty, &words)?);
                Some(())
            }
            ValueType::Entity | ValueType::Vec2 | ValueType::Vec3 => None,
        }
    }

    fn is_active(&self, state: u16) -> Option<TokenStream> {
        let record = self.machine.rom.state(StateId::new(state)?)?;
        let line = usize::from(record.leaf);
        let end = record.subtree_end.get();
        Some(quote!(fuse.is_in::<#line>(#state, #end)))
    }

    fn in_state(&mut self, state: u16) -> Option<()> {
        let code = self.is_active(state)?;
        self.push(ValueType::Bool, code);
        Some(())
    }

    fn ticks_in_state(&mut self, state: u16) -> Option<()> {
        let extra = self.machine.rom.state_extra(StateId::new(state)?)?;
        let (clock, is_active) = (extra.clock_slot()?.raw(), self.is_active(state)?);
        self.push(
            ValueType::I32,
            quote!({ let is_active = #is_active; fuse.ticks_since(#clock, is_active) }),
        );
        Some(())
    }

    fn call_guard(&mut self, op: u16) -> Option<()> {
        let op = self.machine.rom.op(OpId::new(op)?)?;
        if op.kind != ActionOp::Call {
            return None;
        }
        let (call, function) = (self.place.call(op), op.a.get());
        self.push(
            ValueType::Bool,
            plain_call(
                function,
                &quote!(fuse.ask_guard::<L, H, #function>(&*host, #call).holds),
            ),
        );
        Some(())
    }

    fn call_value(&mut self, instruction: &InstructionRecord) -> Option<()> {
        let op = self.machine.rom.op(OpId::new(raw(instruction))?)?;
        if op.kind != ActionOp::Call {
            return None;
        }
        let (call, function) = (self.place.call(op), op.a.get());
        let words = quote!(fuse.ask_value::<L, H, #function>(&*host, #call));
        let words = plain_call(function, &words);
        let ty = Coded::<ValueType>::from_raw(instruction.a).get();
        self.stack.push(from_words(ty, &words)?);
        Some(())
    }

    fn scratch(&mut self, instruction: &InstructionRecord) -> Option<()> {
        let scratch = raw(instruction);
        let word = apart(&quote!(0), &quote!(fuse.scratch(#scratch)));
        let (ty, code) = match Coded::<ScratchType>::from_raw(instruction.a).get() {
            ScratchType::U16 => (ValueType::I32, quote!(i32::from(#word))),
            ScratchType::I16 => (ValueType::I32, quote!(i32::from((#word) as i16))),
            ScratchType::Bool => (ValueType::Bool, quote!(((#word) != 0))),
            ScratchType::Raw => return None,
        };
        self.push(ty, code);
        Some(())
    }

    /// One draw, after what it is drawn from.
    fn random(&mut self, op: u8) -> Option<()> {
        match op {
            op::RANDOM_I32 => {
                let (a, b) = self.pair(ValueType::I32)?;
                let draw = quote!(arith::i32_random(
                    fuse.draw(0, |mut rng| rng.next_u32()),
                    a,
                    b
                ));
                self.push(ValueType::I32, quote!({ let (a, b) = (#a, #b); #draw }));
            }
            op::RANDOM_F32 => {
                let (a, b) = self.pair(ValueType::F32)?;
                let draw = quote!(arith::f32_lerp(a, b, fuse.draw(0.0, |mut rng| rng.float())));
                self.push(ValueType::F32, quote!({ let (a, b) = (#a, #b); #draw }));
            }
            _ => self.push(
                ValueType::F32,
                quote!(fuse.draw(0.0, |mut rng| rng.float())),
            ),
        }
        Some(())
    }

    /// Both values are computed, whichever is taken.
    fn select(&mut self) -> Option<()> {
        let otherwise = self.stack.pop()?;
        let (ty, otherwise) = (otherwise.ty, otherwise.code);
        let then = self.pop(ty)?;
        let condition = self.pop(ValueType::Bool)?;
        self.push(
            ty,
            quote!({
                let (condition, then, otherwise) = (#condition, #then, #otherwise);
                if condition { then } else { otherwise }
            }),
        );
        Some(())
    }

    fn plain(&mut self, op: u8) -> Option<()> {
        match op {
            op::NOT => {
                let value = self.pop(ValueType::Bool)?;
                self.push(ValueType::Bool, quote!((!#value)));
            }
            op::BOOL_EQ | op::BOOL_NE => self.equal(ValueType::Bool, op == op::BOOL_EQ)?,
            op::SYMBOL_EQ | op::SYMBOL_NE => self.equal(ValueType::Symbol, op == op::SYMBOL_EQ)?,
            op::ENTITY_EQ | op::ENTITY_NE => self.equal(ValueType::Entity, op == op::ENTITY_EQ)?,
            op::I32_EQ..=op::I32_GE => {
                let (a, b) = self.pair(ValueType::I32)?;
                let compare = comparison(op - op::I32_EQ)?;
                self.push(ValueType::Bool, quote!((#a #compare #b)));
            }
            op::F32_EQ..=op::F32_GE => {
                let (a, b) = self.pair(ValueType::F32)?;
                let compare = comparison(op - op::F32_EQ)?;
                self.push(ValueType::Bool, quote!((#a #compare #b)));
            }
            op::I32_ADD..=op::I32_TO_F32 => self.whole(op)?,
            op::F32_ADD..=op::F32_TO_I32 => self.float(op)?,
            op::F32_LERP => {
                let part = self.pop(ValueType::F32)?;
                let (from, to) = self.pair(ValueType::F32)?;
                self.push(ValueType::F32, quote!(arith::f32_lerp(#from, #to, #part)));
            }
            // Vectors and curves.
            _ => return None,
        }
        Some(())
    }

    fn equal(&mut self, ty: ValueType, equal: bool) -> Option<()> {
        let (a, b) = self.pair(ty)?;
        let code = match equal {
            true => quote!((#a == #b)),
            false => quote!((#a != #b)),
        };
        self.push(ValueType::Bool, code);
        Some(())
    }

    fn whole(&mut self, op: u8) -> Option<()> {
        let b = self.pop(ValueType::I32)?;
        let (ty, code) = match op {
            op::I32_NEG => (ValueType::I32, quote!(arith::i32_neg(#b))),
            op::I32_ABS => (ValueType::I32, quote!(arith::i32_abs(#b))),
            op::I32_TO_F32 => (ValueType::F32, quote!(arith::i32_to_f32(#b))),
            _ => (ValueType::I32, self.whole_pair(op, &b)?),
        };
        self.push(ty, code);
        Some(())
    }

    fn whole_pair(&mut self, op: u8, b: &TokenStream) -> Option<TokenStream> {
        let a = self.pop(ValueType::I32)?;
        Some(match op {
            op::I32_ADD => quote!(arith::i32_add(#a, #b)),
            op::I32_SUB => quote!(arith::i32_sub(#a, #b)),
            op::I32_MUL => quote!(arith::i32_mul(#a, #b)),
            op::I32_DIV => quote!(arith::i32_div(#a, #b)),
            op::I32_REM => quote!(arith::i32_rem(#a, #b)),
            op::I32_MIN => quote!(i32::min(#a, #b)),
            op::I32_MAX => quote!(i32::max(#a, #b)),
            op::I32_CLAMP => {
                let value = self.pop(ValueType::I32)?;
                quote!(arith::i32_clamp(#value, #a, #b))
            }
            _ => return None,
        })
    }

    fn float(&mut self, op: u8) -> Option<()> {
        let b = self.pop(ValueType::F32)?;
        let (ty, code) = match op {
            op::F32_NEG => (ValueType::F32, quote!(arith::f32_neg(#b))),
            op::F32_ABS => (ValueType::F32, quote!(arith::f32_abs(#b))),
            op::F32_TO_I32 => (ValueType::I32, quote!(arith::f32_to_i32(#b))),
            _ => (ValueType::F32, self.float_pair(op, &b)?),
        };
        self.push(ty, code);
        Some(())
    }

    fn float_pair(&mut self, op: u8, b: &TokenStream) -> Option<TokenStream> {
        let a = self.pop(ValueType::F32)?;
        Some(match op {
            op::F32_ADD => quote!(arith::f32_add(#a, #b)),
            op::F32_SUB => quote!(arith::f32_sub(#a, #b)),
            op::F32_MUL => quote!(arith::f32_mul(#a, #b)),
            op::F32_DIV => quote!(arith::f32_div(#a, #b)),
            op::F32_REM => quote!(arith::f32_rem(#a, #b)),
            op::F32_MIN => quote!(arith::f32_min(#a, #b)),
            op::F32_MAX => quote!(arith::f32_max(#a, #b)),
            op::F32_CLAMP => {
                let value = self.pop(ValueType::F32)?;
                quote!(arith::f32_clamp(#value, #a, #b))
            }
            _ => return None,
        })
    }
}

/// Comparisons have the same order in all types.
fn comparison(number: u8) -> Option<TokenStream> {
    Some(match number {
        0 => quote!(==),
        1 => quote!(!=),
        2 => quote!(<),
        3 => quote!(<=),
        4 => quote!(>),
        5 => quote!(>=),
        _ => return None,
    })
}

/// A number as a person writes it, where that is the same number.
fn float(bits: u32) -> TokenStream {
    let value = f32::from_bits(bits);
    if value.is_finite() && value.is_sign_positive() {
        let literal = Literal::f32_suffixed(value);
        quote!(#literal)
    } else {
        quote!(f32::from_bits(#bits))
    }
}
