//! Operators between two values: i32 wraps, division by zero gives 0, f32 is IEEE with one NaN.

use statewright_author::expr::BinaryOp;

use super::value::Value;

/// Every operation that gives NaN gives the same bits.
/// Where a float has its sign.
pub(crate) const SIGN: u32 = 1 << 31;

/// The sign turned, whatever the rest is.
pub(crate) fn flipped(value: f32) -> f32 {
    f32::from_bits(value.to_bits() ^ SIGN)
}

pub(crate) fn canonical(value: f32) -> f32 {
    if value.is_nan() {
        f32::from_bits(0x7FC0_0000)
    } else {
        value
    }
}

pub(crate) fn binary(op: BinaryOp, left: Value, right: Value) -> Value {
    match (left, right) {
        (Value::I32(a), Value::I32(b)) => whole(op, a, b),
        (Value::I32(_) | Value::F32(_), Value::I32(_) | Value::F32(_)) => {
            float(op, left.float(), right.float())
        }
        (a, b) if a.is_vector() && b.is_vector() => vectors(op, a.parts(), b.parts()),
        (vector, number) if vector.is_vector() => {
            let parts: Vec<f32> = vector
                .parts()
                .iter()
                .map(|&part| arithmetic(op, part, number.float()))
                .collect();
            Value::with_parts(&parts)
        }
        (number, vector) if vector.is_vector() => {
            let parts: Vec<f32> = vector
                .parts()
                .iter()
                .map(|&part| arithmetic(op, number.float(), part))
                .collect();
            Value::with_parts(&parts)
        }
        // Truth values, entities, symbols: only compared.
        (a, b) => match op {
            BinaryOp::Eq => Value::Bool(a == b),
            BinaryOp::Ne => Value::Bool(a != b),
            _ => panic!("`{}` between {a:?} and {b:?}", op.as_str()),
        },
    }
}

fn whole(op: BinaryOp, a: i32, b: i32) -> Value {
    match op {
        BinaryOp::Add => Value::I32(a.wrapping_add(b)),
        BinaryOp::Sub => Value::I32(a.wrapping_sub(b)),
        BinaryOp::Mul => Value::I32(a.wrapping_mul(b)),
        BinaryOp::Div => Value::I32(if b == 0 { 0 } else { a.wrapping_div(b) }),
        BinaryOp::Rem => Value::I32(if b == 0 { 0 } else { a.wrapping_rem(b) }),
        _ => Value::Bool(compare(op, a, b)),
    }
}

fn float(op: BinaryOp, a: f32, b: f32) -> Value {
    if op.compares() {
        Value::Bool(compare(op, a, b))
    } else {
        Value::F32(arithmetic(op, a, b))
    }
}

/// `!=` is the opposite of `==`; every other comparison with NaN is false.
fn compare<T: PartialOrd>(op: BinaryOp, a: T, b: T) -> bool {
    match op {
        BinaryOp::Eq => a == b,
        BinaryOp::Ne => a != b,
        BinaryOp::Lt => a < b,
        BinaryOp::Le => a <= b,
        BinaryOp::Gt => a > b,
        BinaryOp::Ge => a >= b,
        _ => panic!("`{}` does not compare", op.as_str()),
    }
}

pub(crate) fn arithmetic(op: BinaryOp, a: f32, b: f32) -> f32 {
    canonical(match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => a * b,
        BinaryOp::Div => a / b,
        BinaryOp::Rem => a % b,
        _ => panic!("`{}` gives no number", op.as_str()),
    })
}

fn vectors(op: BinaryOp, a: &[f32], b: &[f32]) -> Value {
    let equal = a.iter().zip(b).all(|(x, y)| x == y);
    match op {
        BinaryOp::Eq => Value::Bool(equal),
        BinaryOp::Ne => Value::Bool(!equal),
        _ => {
            let parts: Vec<f32> = a
                .iter()
                .zip(b)
                .map(|(&x, &y)| arithmetic(op, x, y))
                .collect();
            Value::with_parts(&parts)
        }
    }
}
