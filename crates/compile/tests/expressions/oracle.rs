//! An interpreter of the syntax tree: no types ahead of time, no folding, no bytecode. Shares only
//! scalar rules.

use statewright_author::expr::{
    BinaryOp, CallArgument, Expr, ExprKind, LogicOp, StateQuery, UnaryOp,
};
use statewright_author::span::Name;
use statewright_author::value::{FunctionKind, ValueType};
use statewright_compile::expr::{HostArgument, HostValue, Scope};
use statewright_rom::code::arith;

use crate::evaluator::World;
use crate::scope::{TICK_RATE, TestScope, TestWorld};

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    I(i32),
    F(f32),
    B(bool),
    /// Entities and symbols: words that are only compared.
    Words(Vec<u32>),
    V(Vec<f32>),
}

impl Value {
    pub(crate) fn words(&self) -> Vec<u32> {
        match self {
            Self::I(value) => vec![*value as u32],
            Self::F(value) => vec![value.to_bits()],
            Self::B(value) => vec![u32::from(*value)],
            Self::Words(words) => words.clone(),
            Self::V(parts) => parts.iter().map(|part| part.to_bits()).collect(),
        }
    }

    pub(crate) fn float(&self) -> f32 {
        match self {
            Self::I(value) => *value as f32,
            Self::F(value) => *value,
            other => panic!("{other:?} is not a number"),
        }
    }

    fn truth(&self) -> bool {
        if let Self::B(value) = self {
            *value
        } else {
            panic!("{self:?} is not a bool")
        }
    }

    fn parts(&self) -> &[f32] {
        if let Self::V(parts) = self {
            parts
        } else {
            panic!("{self:?} is not a vector")
        }
    }
}

pub(crate) struct Oracle<'a> {
    pub(crate) scope: &'a mut TestScope,
    pub(crate) world: &'a mut TestWorld,
}

impl Oracle<'_> {
    pub(crate) fn value(&mut self, expr: &Expr) -> Value {
        match &expr.kind {
            ExprKind::Int(value) => Value::I(*value as u32 as i32),
            ExprKind::Float(value) => Value::F(*value as f32),
            ExprKind::Bool(value) => Value::B(*value),
            ExprKind::Text(text) => Value::Words(vec![u32::from(self.scope.symbol(text))]),
            ExprKind::Name(name) => self.name(name),
            ExprKind::Field { base, field } => self.field(base, &field.value),
            ExprKind::Unary {
                op: UnaryOp::Not,
                operand,
            } => Value::B(!self.value(operand).truth()),
            ExprKind::Unary {
                op: UnaryOp::Neg,
                operand,
            } => match self.value(operand) {
                Value::I(value) => Value::I(value.wrapping_neg()),
                Value::F(value) => Value::F(-value),
                other => Value::V(other.parts().iter().map(|part| -part).collect()),
            },
            ExprKind::Binary { op, left, right } => {
                let (left, right) = (self.value(left), self.value(right));
                binary(*op, left, right)
            }
            ExprKind::Logic { op, operands } => {
                let deciding = *op == LogicOp::Or;
                let decided = operands
                    .iter()
                    .any(|operand| self.value(operand).truth() == deciding);
                Value::B(decided == deciding)
            }
            ExprKind::Call {
                function,
                arguments,
            } => self.call(function, arguments),
            ExprKind::State { query, state } => self.state(*query, state.as_ref()),
        }
    }

    fn name(&mut self, name: &str) -> Value {
        let (words, ty) = if let Some((key, ty)) = self.scope.key(name) {
            (self.world.key(key), ty)
        } else if let Some((parameter, ty)) = self.scope.parameter(name) {
            (self.world.parameter(parameter), ty)
        } else {
            return self.guard(&Name::new(name.to_owned(), Default::default()), &[]);
        };
        let floats = |count: usize| {
            words[..count]
                .iter()
                .map(|&word| f32::from_bits(word))
                .collect()
        };
        match ty {
            ValueType::I32 => Value::I(words[0] as i32),
            ValueType::F32 => Value::F(f32::from_bits(words[0])),
            ValueType::Bool => Value::B(words[0] != 0),
            ValueType::Entity => Value::Words(words[..2].to_vec()),
            ValueType::Symbol => Value::Words(words[..1].to_vec()),
            ValueType::Vec2 => Value::V(floats(2)),
            ValueType::Vec3 => Value::V(floats(3)),
        }
    }

    fn field(&mut self, base: &Expr, field: &str) -> Value {
        let index = "xyzw".find(field).unwrap();
        if matches!(&base.kind, ExprKind::Name(name) if name == "event") {
            return Value::F(f32::from_bits(self.world.payload()[index]));
        }
        Value::F(self.value(base).parts()[index])
    }

    fn state(&mut self, query: StateQuery, state: Option<&Name>) -> Value {
        let state = match state {
            Some(name) => self.scope.state(name).unwrap(),
            None => self.scope.own_state(),
        };
        match query {
            StateQuery::In => Value::B(self.world.active(state)),
            StateQuery::Ticks => Value::I(self.world.ticks(state)),
            StateQuery::Time => Value::F(self.world.ticks(state) as f32 / TICK_RATE as f32),
        }
    }

    fn guard(&mut self, function: &Name, arguments: &[CallArgument]) -> Value {
        let argument = |argument: &CallArgument| HostArgument {
            name: argument.name.clone(),
            span: Default::default(),
            value: HostValue::Literal(argument.value.literal().unwrap()),
        };
        let arguments: Vec<_> = arguments.iter().map(argument).collect();
        let kind = FunctionKind::Guard;
        let op = self.scope.host_call(function, kind, &arguments).unwrap();
        Value::B(self.world.guard(op))
    }

    fn call(&mut self, function: &Name, arguments: &[CallArgument]) -> Value {
        if function.value.starts_with(char::is_uppercase) {
            return self.guard(function, arguments);
        }
        let values: Vec<_> = arguments
            .iter()
            .map(|argument| self.value(&argument.value))
            .collect();
        let whole = values.iter().all(|value| matches!(value, Value::I(_)));
        match (function.value.as_str(), values.as_slice()) {
            ("i32", [value]) if !whole => Value::I(value.float() as i32),
            ("i32", [value]) => value.clone(),
            ("f32", [value]) => Value::F(value.float()),
            ("vec2" | "vec3", parts) => Value::V(parts.iter().map(Value::float).collect()),
            ("abs", [Value::I(a)]) => Value::I(a.wrapping_abs()),
            ("abs", [a]) => Value::F(a.float().abs()),
            ("min" | "max" | "clamp", parts) => bounds(&function.value, parts, whole),
            ("select", [condition, a, b]) => {
                let mixed = matches!(
                    (a, b),
                    (Value::I(_), Value::F(_)) | (Value::F(_), Value::I(_))
                );
                let chosen = if condition.truth() { a } else { b };
                if mixed {
                    Value::F(chosen.float())
                } else {
                    chosen.clone()
                }
            }
            ("dot", [a, b]) => dot(a.parts(), b.parts()),
            ("length_squared", [a]) => dot(a.parts(), a.parts()),
            ("distance_squared", [a, b]) => {
                let difference = binary(BinaryOp::Sub, a.clone(), b.clone());
                dot(difference.parts(), difference.parts())
            }
            other => panic!("{other:?}"),
        }
    }
}

fn bounds(function: &str, parts: &[Value], whole: bool) -> Value {
    if let (true, [Value::I(a), Value::I(b), rest @ ..]) = (whole, parts) {
        return Value::I(match (function, rest) {
            ("min", _) => *a.min(b),
            ("clamp", [Value::I(high)]) => *a.max(b).min(high),
            _ => *a.max(b),
        });
    }
    let parts: Vec<_> = parts.iter().map(Value::float).collect();
    let least = |a: f32, b: f32| if b < a { b } else { a };
    let most = |a: f32, b: f32| if b > a { b } else { a };
    Value::F(match function {
        "min" => least(parts[0], parts[1]),
        "max" => most(parts[0], parts[1]),
        _ => least(most(parts[0], parts[1]), parts[2]),
    })
}

fn dot(a: &[f32], b: &[f32]) -> Value {
    let mut products = a.iter().zip(b).map(|(x, y)| arith::f32_mul(*x, *y));
    let first = products.next().unwrap();
    Value::F(products.fold(first, arith::f32_add))
}

fn binary(op: BinaryOp, left: Value, right: Value) -> Value {
    match (&left, &right) {
        (Value::I(a), Value::I(b)) => whole(op, *a, *b),
        (Value::V(a), Value::V(b)) => match op {
            BinaryOp::Eq => Value::B(a == b),
            BinaryOp::Ne => Value::B(a != b),
            _ => Value::V(a.iter().zip(b).map(|(x, y)| number(op, *x, *y)).collect()),
        },
        (Value::V(a), b) => Value::V(a.iter().map(|part| number(op, *part, b.float())).collect()),
        (a, Value::V(b)) => Value::V(b.iter().map(|part| number(op, *part, a.float())).collect()),
        (Value::F(_) | Value::I(_), _) if op.compares() => {
            let (a, b) = (left.float(), right.float());
            Value::B(match op {
                BinaryOp::Eq => a == b,
                BinaryOp::Ne => a != b,
                BinaryOp::Lt => a < b,
                BinaryOp::Le => a <= b,
                BinaryOp::Gt => a > b,
                _ => a >= b,
            })
        }
        (Value::F(_) | Value::I(_), _) => Value::F(number(op, left.float(), right.float())),
        _ => Value::B((left == right) == (op == BinaryOp::Eq)),
    }
}

fn number(op: BinaryOp, a: f32, b: f32) -> f32 {
    match op {
        BinaryOp::Add => arith::f32_add(a, b),
        BinaryOp::Sub => arith::f32_sub(a, b),
        BinaryOp::Mul => arith::f32_mul(a, b),
        BinaryOp::Div => arith::f32_div(a, b),
        _ => arith::f32_rem(a, b),
    }
}

fn whole(op: BinaryOp, a: i32, b: i32) -> Value {
    Value::I(match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::Div => a.checked_div(b).unwrap_or(if b == 0 { 0 } else { a }),
        BinaryOp::Rem => a.checked_rem(b).unwrap_or(0),
        BinaryOp::Eq => return Value::B(a == b),
        BinaryOp::Ne => return Value::B(a != b),
        BinaryOp::Lt => return Value::B(a < b),
        BinaryOp::Le => return Value::B(a <= b),
        BinaryOp::Gt => return Value::B(a > b),
        BinaryOp::Ge => return Value::B(a >= b),
    })
}
