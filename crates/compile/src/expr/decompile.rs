//! Bytecode to text: the canonical source of what a ROM really holds, for dumps and for
//! [`Compiled::text`].
//!
//! Compiling the text again gives the same instructions. Comes in: any instructions; those that do
//! not verify may give `None`, never a panic.
//!
//! [`Compiled::text`]: super::Compiled::text

use statewright_author::expr::{
    BinaryOp, CallArgument, Expr, ExprKind, LogicOp, StateQuery, UnaryOp,
};
use statewright_author::span::{Name, Span};
use statewright_author::value::Literal;
use statewright_rom::code::op;
use statewright_rom::layout::{ArgumentRecord, InstructionRecord, MAX_CODE, ValueType};

use super::Names;

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
    (reader.stack.is_empty() && reader.open.is_empty()).then(|| result.to_string())
}

/// The literal of an argument record; `string` gives the texts of the string table.
pub fn argument_literal(record: &ArgumentRecord, string: impl Fn(u16) -> String) -> Literal {
    let [x, y, z] = record.words.map(|word| word.get());
    let float = |bits: u32| readable(f32::from_bits(bits));
    match record.ty.get() {
        ValueType::F32 => Literal::Float(float(x)),
        ValueType::Bool => Literal::Bool(x != 0),
        ValueType::Symbol => Literal::Text(string(u16::try_from(x).unwrap_or(u16::MAX))),
        ValueType::Vec2 => Literal::Vector(vec![float(x), float(y)]),
        ValueType::Vec3 => Literal::Vector(vec![float(x), float(y), float(z)]),
        ValueType::Entity => Literal::Int((u64::from(y) << 32 | u64::from(x)) as i64),
        ValueType::I32 => Literal::Int(i64::from(x as i32)),
    }
}

/// A chain of `&&` or `||` that is not yet complete.
struct Open {
    op: LogicOp,
    target: usize,
    operands: Vec<Expr>,
}

struct Reader<'a> {
    names: &'a dyn Names,
    stack: Vec<Expr>,
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
            self.stack.push(expr(ExprKind::Logic { op, operands }));
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
            op::KEY => name(self.names.key_name(b)),
            op::KEY_FIELD => field(name(self.names.key_name(b)), a)?,
            op::PARAMETER => name(self.names.parameter_name(b)),
            op::PARAMETER_FIELD => field(name(self.names.parameter_name(b)), a)?,
            op::PAYLOAD => name("event".to_owned()),
            op::PAYLOAD_FIELD => field(name("event".to_owned()), a)?,
            op::TICKS_IN_STATE => self.state(StateQuery::Ticks, b),
            op::IN_STATE => self.state(StateQuery::In, b),
            op::CALL_GUARD => self.guard(b),
            op::SELECT => self.called("select", 3)?,
            op::VEC2_FIELD | op::VEC3_FIELD => field(self.stack.pop()?, a)?,
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

    fn constant(&self, ty: u8, bits: u32) -> Option<Expr> {
        Some(match ValueType::from_number(ty)? {
            ValueType::I32 => integer(i64::from(bits as i32)),
            ValueType::F32 => float(readable(f32::from_bits(bits))),
            ValueType::Bool => expr(ExprKind::Bool(bits != 0)),
            ValueType::Symbol => expr(ExprKind::Text(
                self.names.symbol_text(u16::try_from(bits).ok()?),
            )),
            ValueType::Entity | ValueType::Vec2 | ValueType::Vec3 => return None,
        })
    }

    fn state(&self, query: StateQuery, state: u16) -> Expr {
        expr(ExprKind::State {
            query,
            state: Some(unspanned(self.names.state_name(state))),
        })
    }

    fn guard(&self, op: u16) -> Expr {
        let call = self.names.guard_text(op);
        let argument = |(name, value): (Option<String>, Literal)| CallArgument {
            name: name.map(unspanned),
            value: literal(value),
        };
        let arguments = call.arguments.into_iter().map(argument).collect();
        expr(ExprKind::Call {
            function: unspanned(call.function),
            arguments,
        })
    }

    fn called(&mut self, function: &str, count: usize) -> Option<Expr> {
        let first = self.stack.len().checked_sub(count)?;
        let arguments = self
            .stack
            .drain(first..)
            .map(|value| CallArgument { name: None, value })
            .collect();
        Some(expr(ExprKind::Call {
            function: unspanned(function.to_owned()),
            arguments,
        }))
    }

    fn plain(&mut self, op: u8) -> Option<Expr> {
        if let Some(sign) = binary_sign(op) {
            let right = self.stack.pop()?;
            let left = self.stack.pop()?;
            return Some(self.binary(op, sign, left, right));
        }
        let sign = match op {
            op::NOT => UnaryOp::Not,
            op::I32_NEG | op::F32_NEG | op::VEC2_NEG | op::VEC3_NEG => UnaryOp::Neg,
            _ => {
                let count = op::signature(op)?.inputs.len();
                return self.called(function(op)?, count);
            }
        };
        let operand = Box::new(self.stack.pop()?);
        Some(expr(ExprKind::Unary { op: sign, operand }))
    }

    /// `f32(ticks_in_state(S)) / rate` is what `time_in_state(S)` compiles to, and reads better as
    /// that.
    fn binary(&self, op: u8, sign: BinaryOp, left: Expr, right: Expr) -> Expr {
        let rate = float(f64::from(self.names.tick_rate() as f32));
        if op == op::F32_DIV
            && right == rate
            && let ExprKind::Call {
                function,
                arguments,
            } = &left.kind
            && function.value == "f32"
            && let [
                CallArgument {
                    value:
                        Expr {
                            kind: ExprKind::State { query, state },
                            ..
                        },
                    ..
                },
            ] = arguments.as_slice()
            && *query == StateQuery::Ticks
        {
            return expr(ExprKind::State {
                query: StateQuery::Time,
                state: state.clone(),
            });
        }
        expr(ExprKind::Binary {
            op: sign,
            left: Box::new(left),
            right: Box::new(right),
        })
    }
}

fn expr(kind: ExprKind) -> Expr {
    Expr { kind, range: 0..0 }
}

fn unspanned(name: String) -> Name {
    Name::new(name, Span::default())
}

fn name(name: String) -> Expr {
    expr(ExprKind::Name(name))
}

fn field(base: Expr, index: u8) -> Option<Expr> {
    let field = ["x", "y", "z", "w"].get(usize::from(index))?;
    Some(expr(ExprKind::Field {
        base: Box::new(base),
        field: unspanned((*field).to_owned()),
    }))
}

fn negative(positive: Expr) -> Expr {
    expr(ExprKind::Unary {
        op: UnaryOp::Neg,
        operand: Box::new(positive),
    })
}

fn integer(value: i64) -> Expr {
    let size = expr(ExprKind::Int(value.unsigned_abs()));
    if value < 0 { negative(size) } else { size }
}

fn float(value: f64) -> Expr {
    let size = expr(ExprKind::Float(value.abs()));
    if value.is_sign_negative() {
        negative(size)
    } else {
        size
    }
}

/// The shortest number that reads as this f32: `0.1`, not `0.10000000149011612`.
fn readable(value: f32) -> f64 {
    let short: f64 = format!("{value:?}").parse().unwrap_or(f64::from(value));
    if short as f32 == value {
        short
    } else {
        f64::from(value)
    }
}

fn literal(value: Literal) -> Expr {
    match value {
        Literal::Int(value) => integer(value),
        Literal::Float(value) => float(value),
        Literal::Bool(value) => expr(ExprKind::Bool(value)),
        Literal::Text(text) => expr(ExprKind::Text(text)),
        Literal::Vector(parts) => {
            let function = if parts.len() == 2 { "vec2" } else { "vec3" };
            let arguments = parts
                .into_iter()
                .map(|part| CallArgument {
                    name: None,
                    value: float(part),
                })
                .collect();
            expr(ExprKind::Call {
                function: unspanned(function.to_owned()),
                arguments,
            })
        }
    }
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
