//! Built-in functions of expressions.

use statewright_author::expr::BinaryOp;

use super::number::{SIGN, arithmetic, binary};
use super::value::Value;
use crate::world::Rng;

const BUILT_IN: [&str; 15] = [
    "i32",
    "f32",
    "vec2",
    "vec3",
    "min",
    "max",
    "abs",
    "clamp",
    "lerp",
    "curve",
    "random",
    "select",
    "dot",
    "length_squared",
    "distance_squared",
];

pub(crate) fn is_built_in(name: &str) -> bool {
    BUILT_IN.contains(&name)
}

pub(crate) fn call(function: &str, values: &[Value]) -> Value {
    match (function, values) {
        // Toward zero, the nearest if out of range, NaN is 0: what `as` does.
        ("i32", [Value::F32(value)]) => Value::I32(*value as i32),
        ("i32", [whole]) => *whole,
        ("f32", [value]) => Value::F32(value.float()),
        ("vec2", [x, y]) => Value::Vec2([x.float(), y.float()]),
        ("vec3", [x, y, z]) => Value::Vec3([x.float(), y.float(), z.float()]),
        ("abs", [Value::I32(value)]) => Value::I32(value.wrapping_abs()),
        ("abs", [value]) => Value::F32(f32::from_bits(value.float().to_bits() & !SIGN)),
        ("min", [a, b]) => least(*a, *b),
        ("max", [a, b]) => most(*a, *b),
        ("clamp", [value, low, high]) => {
            let any_float = values.iter().any(|value| matches!(value, Value::F32(_)));
            let same = |value: Value| {
                if any_float {
                    Value::F32(value.float())
                } else {
                    value
                }
            };
            least(most(same(*value), same(*low)), same(*high))
        }
        ("lerp", [from, to, part]) => Value::F32(lerp(from.float(), to.float(), part.float())),
        ("curve", [x, points @ ..]) => {
            let points: Vec<(f32, f32)> = points
                .chunks(2)
                .map(|point| (point[0].float(), point[1].float()))
                .collect();
            Value::F32(curve(x.float(), &points))
        }
        ("select", [condition, a, b]) => {
            let mixed = matches!(
                (a, b),
                (Value::I32(_), Value::F32(_)) | (Value::F32(_), Value::I32(_))
            );
            let chosen = if condition.truth() { *a } else { *b };
            if mixed {
                Value::F32(chosen.float())
            } else {
                chosen
            }
        }
        ("dot", [a, b]) => dot(a.parts(), b.parts()),
        ("length_squared", [a]) => dot(a.parts(), a.parts()),
        ("distance_squared", [a, b]) => {
            let difference = binary(BinaryOp::Sub, *a, *b);
            dot(difference.parts(), difference.parts())
        }
        _ => panic!("`{function}` of {values:?}"),
    }
}

/// Compares, so that NaN as the later argument has no effect.
fn least(a: Value, b: Value) -> Value {
    match (a, b) {
        (Value::I32(a), Value::I32(b)) => Value::I32(a.min(b)),
        (a, b) => {
            let (a, b) = (a.float(), b.float());
            Value::F32(if b < a { b } else { a })
        }
    }
}

fn most(a: Value, b: Value) -> Value {
    match (a, b) {
        (Value::I32(a), Value::I32(b)) => Value::I32(a.max(b)),
        (a, b) => {
            let (a, b) = (a.float(), b.float());
            Value::F32(if b > a { b } else { a })
        }
    }
}

/// From the first component to the last.
fn dot(a: &[f32], b: &[f32]) -> Value {
    let mut sum = arithmetic(BinaryOp::Mul, a[0], b[0]);
    for (x, y) in a.iter().zip(b).skip(1) {
        sum = arithmetic(BinaryOp::Add, sum, arithmetic(BinaryOp::Mul, *x, *y));
    }
    Value::F32(sum)
}

fn lerp(from: f32, to: f32, part: f32) -> f32 {
    let way = arithmetic(BinaryOp::Mul, arithmetic(BinaryOp::Sub, to, from), part);
    arithmetic(BinaryOp::Add, from, way)
}

/// Straight from point to point, flat outside; what is no number lies left of all points.
fn curve(x: f32, points: &[(f32, f32)]) -> f32 {
    let (first, last) = (points[0], points[points.len() - 1]);
    if x.is_nan() || x <= first.0 {
        return first.1;
    }
    let Some(right) = (1..points.len()).find(|&at| x < points[at].0) else {
        return last.1;
    };
    let ((x0, y0), (x1, y1)) = (points[right - 1], points[right]);
    let part = arithmetic(
        BinaryOp::Div,
        arithmetic(BinaryOp::Sub, x, x0),
        arithmetic(BinaryOp::Sub, x1, x0),
    );
    lerp(y0, y1, part)
}

/// One draw: in `[0, 1)`, a whole number between two with both ends, or a number between two.
pub(crate) fn random(values: &[Value], rng: &mut Rng) -> Value {
    let bits = rng.next_u32();
    // 24 bits, which a float holds exactly.
    let part = (bits >> 8) as f32 / 16_777_216.0;
    match values {
        [] => Value::F32(part),
        [Value::I32(a), Value::I32(b)] => {
            let (low, high) = (i64::from(*a.min(b)), i64::from(*a.max(b)));
            let count = i128::from(high - low + 1);
            let chosen = (i128::from(bits) * count) >> 32;
            Value::I32((low + chosen as i64) as i32)
        }
        [a, b] => Value::F32(lerp(a.float(), b.float(), part)),
        _ => panic!("random of {values:?}"),
    }
}
