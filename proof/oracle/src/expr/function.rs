//! Built-in functions of expressions.

use statewright_author::expr::BinaryOp;

use super::number::{SIGN, arithmetic, binary};
use super::value::Value;

const BUILT_IN: [&str; 12] = [
    "i32",
    "f32",
    "vec2",
    "vec3",
    "min",
    "max",
    "abs",
    "clamp",
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
