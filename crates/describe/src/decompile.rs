//! Bytecode to text: the canonical source of what a ROM really holds (CODE-4).
//!
//! Compiling the text again gives the same instructions. Comes in: any instructions; those that do
//! not verify may give `None`, never a panic.

use statewright_rom::code::op;
use statewright_rom::layout::{InstructionRecord, MAX_CODE, ValueType};
use statewright_text::written::{BinaryOp, LogicOp, StateQuery, UnaryOp, Written};

use crate::value::{Value, float, integer, readable, unknown_symbol};

/// The names behind the numbers of compiled code. Needed for its text only; the defaults are for
/// whoever has none.
pub trait Names {
    /// Ticks per second of the machine.
    fn tick_rate(&self) -> u32;

    /// Name of a blackboard key.
    fn key_name(&self, key: u16) -> String {
        format!("key_{key}")
    }

    /// Name of a parameter.
    fn parameter_name(&self, parameter: u16) -> String {
        format!("parameter_{parameter}")
    }

    /// Name or path of a state that finds it from anywhere in the machine.
    fn state_name(&self, state: u16) -> String {
        format!("state_{state}")
    }

    /// Text of a symbol.
    fn symbol_text(&self, number: u32) -> String {
        unknown_symbol(number)
    }

    /// Name of scratch.
    fn scratch_name(&self, scratch: u16) -> String {
        format!("scratch_{scratch}")
    }

    /// Function and arguments of a call of a guard or a value function, by the number of its op.
    fn guard_text(&self, op: u16) -> CallText {
        CallText {
            function: format!("guard_{op}"),
            arguments: Vec::new(),
        }
    }
}

/// A call as it is written.
#[derive(Clone, Debug, PartialEq)]
pub struct CallText {
    /// The function.
    pub function: String,
    /// Names, where given, and values. Computed ones stand in the order of their evaluation.
    pub arguments: Vec<(Option<String>, ArgumentText)>,
}

/// An argument of a call as it is written (LANG-4).
#[derive(Clone, Debug, PartialEq)]
pub enum ArgumentText {
    /// A literal.
    Value(Value),
    /// The next value that the expression around the call has computed.
    OnStack,
    /// An expression.
    Code(String),
}

impl From<Value> for ArgumentText {
    fn from(value: Value) -> Self {
        Self::Value(value)
    }
}

impl CallText {
    /// As it stands in expressions, with what they have computed for it.
    pub fn written(&self, computed: impl IntoIterator<Item = Written>) -> Written {
        let mut computed = computed.into_iter();
        let mut argument = |(name, argument): &(Option<String>, ArgumentText)| {
            let text = match argument {
                ArgumentText::Value(value) => value.written(),
                ArgumentText::OnStack => computed.next().unwrap_or_else(|| Written::code("?")),
                ArgumentText::Code(code) => Written::code(code),
            };
            (name.clone(), text)
        };
        let arguments: Vec<_> = self.arguments.iter().map(&mut argument).collect();
        Written::call(&self.function, arguments)
    }

    /// How many arguments the expression around it computes.
    fn on_stack(&self) -> usize {
        let on_stack = |(_, argument): &&(Option<String>, ArgumentText)| {
            matches!(argument, ArgumentText::OnStack)
        };
        self.arguments.iter().filter(on_stack).count()
    }
}

/// The text of the instructions of one expression.
pub fn decompile(instructions: &[InstructionRecord], names: &dyn Names) -> Option<String> {
    if instructions.len() > usize::from(MAX_CODE) {
        return None;
    }
    let mut reader = Reader {
        names,
        stack: Vec::new(),
        open: Vec::new(),
    };
    for (index, instruction) in instructions.iter().enumerate() {
        reader.land(index)?;
        reader.step(instruction)?;
    }
    reader.land(instructions.len())?;
    let result = reader.stack.pop()?;
    (reader.stack.is_empty() && reader.open.is_empty()).then(|| result.text.into())
}

/// What is taken away by an expression that is added, for `ammo -= 1`; `None` if it adds. Writing
/// `+= -1` compiles to the same, so both are shown the way most people write it.
pub fn decompile_taken(instructions: &[InstructionRecord], names: &dyn Names) -> Option<String> {
    let (last, rest) = instructions.split_last()?;
    match last.op {
        op::I32_NEG | op::F32_NEG | op::VEC2_NEG | op::VEC3_NEG => decompile(rest, names),
        op::PUSH if rest.is_empty() => positive(last.a, last.c.get()).map(String::from),
        _ => None,
    }
}

/// The size of a number below 0, if it can be written.
fn positive(ty: u8, bits: u32) -> Option<Written> {
    match ValueType::from_number(ty)? {
        ValueType::I32 => {
            let size = (bits as i32).checked_neg().filter(|&size| size > 0)?;
            Some(integer(size.into()))
        }
        ValueType::F32 => {
            let value = readable(f32::from_bits(bits));
            value.is_sign_negative().then(|| float(-value))
        }
        ValueType::Bool
        | ValueType::Symbol
        | ValueType::Entity
        | ValueType::Vec2
        | ValueType::Vec3 => None,
    }
}

/// What is known of a part besides its text, as far as something else reads better because of it.
#[derive(Clone, Copy, PartialEq)]
enum Known {
    Nothing,
    /// `ticks_in_state(S)`, by the number of the state.
    Ticks(u16),
    /// `f32(ticks_in_state(S))`.
    FloatTicks(u16),
    /// A number.
    Float(f64),
}

struct Part {
    text: Written,
    known: Known,
}

impl From<Written> for Part {
    fn from(text: Written) -> Self {
        Self {
            text,
            known: Known::Nothing,
        }
    }
}

/// A chain of `&&` or `||` that is not yet complete.
struct Open {
    op: LogicOp,
    target: usize,
    operands: Vec<Part>,
}

struct Reader<'a> {
    names: &'a dyn Names,
    stack: Vec<Part>,
    open: Vec<Open>,
}

impl Reader<'_> {
    /// Completes the chains that end here.
    fn land(&mut self, index: usize) -> Option<()> {
        while self.open.last().is_some_and(|open| open.target == index) {
            let Open {
                op, mut operands, ..
            } = self.open.pop()?;
            operands.push(self.stack.pop()?);
            let operands = operands.into_iter().map(|part| part.text);
            self.stack.push(Written::logic(op, operands).into());
        }
        Some(())
    }

    fn step(&mut self, instruction: &InstructionRecord) -> Option<()> {
        let InstructionRecord { op, a, b, c } = *instruction;
        let b = b.get();
        let result = match op {
            op::AND_JUMP => return self.jump(LogicOp::And, c.get() as usize),
            op::OR_JUMP => return self.jump(LogicOp::Or, c.get() as usize),
            op::PUSH => self.constant(a, c.get())?,
            op::KEY => Written::name(self.names.key_name(b)).into(),
            op::KEY_FIELD => field(Written::name(self.names.key_name(b)), a)?,
            op::PARAMETER => Written::name(self.names.parameter_name(b)).into(),
            op::PARAMETER_FIELD => field(Written::name(self.names.parameter_name(b)), a)?,
            op::PAYLOAD => Written::name("event").into(),
            op::PAYLOAD_FIELD => field(Written::name("event"), a)?,
            op::TICKS_IN_STATE => Part {
                text: self.state(StateQuery::Ticks, b),
                known: Known::Ticks(b),
            },
            op::IN_STATE => self.state(StateQuery::In, b).into(),
            op::CALL_GUARD | op::CALL_VALUE => self.host_call(b)?,
            op::RANDOM => self.called("random", 0)?,
            op::RANDOM_I32 | op::RANDOM_F32 => self.called("random", 2)?,
            op::CURVE => self.called("curve", 1 + 2 * usize::from(a))?,
            op::SCRATCH => Written::name(self.names.scratch_name(b)).into(),
            op::SELECT => self.called("select", 3)?,
            op::VEC2_FIELD | op::VEC3_FIELD => field(self.stack.pop()?.text, a)?,
            _ => self.plain(op)?,
        };
        self.stack.push(result);
        Some(())
    }

    fn jump(&mut self, op: LogicOp, target: usize) -> Option<()> {
        let operand = self.stack.pop()?;
        match self.open.last_mut() {
            Some(open) if open.op == op && open.target == target => open.operands.push(operand),
            _ => self.open.push(Open {
                op,
                target,
                operands: vec![operand],
            }),
        }
        Some(())
    }

    fn constant(&self, ty: u8, bits: u32) -> Option<Part> {
        Some(match ValueType::from_number(ty)? {
            ValueType::I32 => integer(i64::from(bits as i32)).into(),
            ValueType::F32 => {
                let value = readable(f32::from_bits(bits));
                Part {
                    text: float(value),
                    known: Known::Float(value),
                }
            }
            ValueType::Bool => Written::bool(bits != 0).into(),
            ValueType::Symbol => Written::quoted(&self.names.symbol_text(bits)).into(),
            ValueType::Entity | ValueType::Vec2 | ValueType::Vec3 => return None,
        })
    }

    fn state(&self, query: StateQuery, state: u16) -> Written {
        Written::state(query, Some(&self.names.state_name(state)))
    }

    fn called(&mut self, function: &str, count: usize) -> Option<Part> {
        let first = self.stack.len().checked_sub(count)?;
        let arguments: Vec<Part> = self.stack.drain(first..).collect();
        let known = match (function, arguments.as_slice()) {
            ("f32", [only]) => match only.known {
                Known::Ticks(state) => Known::FloatTicks(state),
                Known::Nothing | Known::FloatTicks(_) | Known::Float(_) => Known::Nothing,
            },
            _ => Known::Nothing,
        };
        let arguments = arguments.into_iter().map(|part| (None, part.text));
        Some(Part {
            text: Written::call(function, arguments),
            known,
        })
    }

    fn host_call(&mut self, op: u16) -> Option<Part> {
        let call = self.names.guard_text(op);
        let first = self.stack.len().checked_sub(call.on_stack())?;
        let computed: Vec<Part> = self.stack.drain(first..).collect();
        let computed = computed.into_iter().map(|part| part.text);
        Some(call.written(computed).into())
    }

    fn plain(&mut self, op: u8) -> Option<Part> {
        if let Some(sign) = binary_sign(op) {
            let right = self.stack.pop()?;
            let left = self.stack.pop()?;
            return Some(self.binary(op, sign, left, right).into());
        }
        let sign = match op {
            op::NOT => UnaryOp::Not,
            op::I32_NEG | op::F32_NEG | op::VEC2_NEG | op::VEC3_NEG => UnaryOp::Neg,
            _ => {
                let count = op::signature(op)?.inputs.len();
                return self.called(function(op)?, count);
            }
        };
        Some(Written::unary(sign, self.stack.pop()?.text).into())
    }

    /// `f32(ticks_in_state(S)) / rate` is what `time_in_state(S)` compiles to, and reads better as
    /// that.
    fn binary(&self, op: u8, sign: BinaryOp, left: Part, right: Part) -> Written {
        let rate = f64::from(self.names.tick_rate() as f32);
        match left.known {
            Known::FloatTicks(state) if op == op::F32_DIV && right.known == Known::Float(rate) => {
                self.state(StateQuery::Time, state)
            }
            _ => Written::binary(sign, left.text, right.text),
        }
    }
}

fn field(base: Written, index: u8) -> Option<Part> {
    let field = ["x", "y", "z", "w"].get(usize::from(index))?;
    Some(Written::field(base, field).into())
}

fn binary_sign(op: u8) -> Option<BinaryOp> {
    Some(match op {
        op::I32_ADD | op::F32_ADD | op::VEC2_ADD | op::VEC3_ADD => BinaryOp::Add,
        op::I32_SUB | op::F32_SUB | op::VEC2_SUB | op::VEC3_SUB => BinaryOp::Sub,
        op::I32_MUL | op::F32_MUL => BinaryOp::Mul,
        op::VEC2_SCALE | op::VEC2_SCALE_BY | op::VEC3_SCALE | op::VEC3_SCALE_BY => BinaryOp::Mul,
        op::I32_DIV | op::F32_DIV | op::VEC2_DIV | op::VEC3_DIV => BinaryOp::Div,
        op::I32_REM | op::F32_REM => BinaryOp::Rem,
        op::BOOL_EQ
        | op::SYMBOL_EQ
        | op::ENTITY_EQ
        | op::I32_EQ
        | op::F32_EQ
        | op::VEC2_EQ
        | op::VEC3_EQ => BinaryOp::Eq,
        op::BOOL_NE
        | op::SYMBOL_NE
        | op::ENTITY_NE
        | op::I32_NE
        | op::F32_NE
        | op::VEC2_NE
        | op::VEC3_NE => BinaryOp::Ne,
        op::I32_LT | op::F32_LT => BinaryOp::Lt,
        op::I32_LE | op::F32_LE => BinaryOp::Le,
        op::I32_GT | op::F32_GT => BinaryOp::Gt,
        op::I32_GE | op::F32_GE => BinaryOp::Ge,
        _ => return None,
    })
}

fn function(op: u8) -> Option<&'static str> {
    Some(match op {
        op::I32_ABS | op::F32_ABS => "abs",
        op::I32_MIN | op::F32_MIN => "min",
        op::I32_MAX | op::F32_MAX => "max",
        op::I32_CLAMP | op::F32_CLAMP => "clamp",
        op::F32_LERP => "lerp",
        op::I32_TO_F32 => "f32",
        op::F32_TO_I32 => "i32",
        op::VEC2_MAKE => "vec2",
        op::VEC3_MAKE => "vec3",
        op::VEC2_DOT | op::VEC3_DOT => "dot",
        op::VEC2_LENGTH_SQUARED | op::VEC3_LENGTH_SQUARED => "length_squared",
        op::VEC2_DISTANCE_SQUARED | op::VEC3_DISTANCE_SQUARED => "distance_squared",
        _ => return None,
    })
}
