//! Builds typed nodes and computes on the way what is constant (CODE-4).
//!
//! The arithmetic is that of [`statewright_rom::code::arith`], so folding never changes a result. A
//! result that no literal can say (NaN, infinity) is left to run time. Guard calls of the host are
//! never dropped unless `&&` or `||` would skip them, too: they may use the rng (SEL-5).

use statewright_author::value::ValueType;
use statewright_rom::code::{arith, op};

use super::node::{Constant, Logic, Node};
use crate::numbers;

/// A plain instruction on its operands.
pub(super) fn plain(op: u8, operands: Vec<Node>) -> Node {
    let ty = op::signature(op).map_or(ValueType::I32, |signature| {
        numbers::author_type(signature.output)
    });
    if let Some(constant) = evaluate(op, &operands) {
        return Node::Constant(constant);
    }
    match (op, operands.as_slice()) {
        (
            op::NOT,
            [
                Node::Op {
                    op: op::NOT,
                    operands: inner,
                    ..
                },
            ],
        ) if inner.len() == 1 => inner[0].clone(),
        _ => Node::Op {
            op,
            a: 0,
            ty,
            operands,
        },
    }
}

/// An i32 as f32; anything else as it is.
pub(super) fn widen(node: Node) -> Node {
    if node.ty() == ValueType::I32 {
        plain(op::I32_TO_F32, vec![node])
    } else {
        node
    }
}

/// A component of a vector.
pub(super) fn field(base: Node, index: u8) -> Node {
    let pick = |parts: &[f32]| parts.get(usize::from(index)).copied().unwrap_or(0.0);
    let op = if base.ty() == ValueType::Vec2 {
        op::VEC2_FIELD
    } else {
        op::VEC3_FIELD
    };
    let leaf = |op, b| Node::Leaf {
        op,
        a: index,
        b,
        ty: ValueType::F32,
    };
    match base {
        Node::Constant(Constant::Vec2(parts)) => Node::Constant(Constant::F32(pick(&parts))),
        Node::Constant(Constant::Vec3(parts)) => Node::Constant(Constant::F32(pick(&parts))),
        Node::Leaf { op: op::KEY, b, .. } => leaf(op::KEY_FIELD, b),
        Node::Leaf {
            op: op::PARAMETER,
            b,
            ..
        } => leaf(op::PARAMETER_FIELD, b),
        Node::Leaf {
            op: op::PAYLOAD, ..
        } => leaf(op::PAYLOAD_FIELD, 0),
        base => Node::Op {
            op,
            a: index,
            ty: ValueType::F32,
            operands: vec![base],
        },
    }
}

/// `select(condition, then, otherwise)` of two values of one type.
pub(super) fn select(condition: Node, then: Node, otherwise: Node) -> Node {
    let decided = condition.constant().and_then(Constant::as_bool);
    match decided {
        Some(true) if otherwise.is_pure() => return then,
        Some(false) if then.is_pure() => return otherwise,
        _ => {}
    }
    let ty = then.ty();
    Node::Op {
        op: op::SELECT,
        a: numbers::value_type(ty).number(),
        ty,
        operands: vec![condition, then, otherwise],
    }
}

/// `&&` or `||`: flat, without operands that cannot matter.
pub(super) fn logic(logic: Logic, operands: Vec<Node>) -> Node {
    let mut kept = Vec::new();
    for operand in flatten(logic, operands) {
        match operand.constant().and_then(Constant::as_bool) {
            Some(value) if value == logic.deciding() => {
                if kept.iter().all(Node::is_pure) {
                    return operand;
                }
                kept.push(operand);
                // Nothing after it is ever asked.
                break;
            }
            Some(_) => {}
            None => kept.push(operand),
        }
    }
    match kept.len() {
        0 => Node::Constant(Constant::Bool(!logic.deciding())),
        1 => kept.remove(0),
        _ => Node::Logic {
            logic,
            operands: kept,
        },
    }
}

fn flatten(logic: Logic, operands: Vec<Node>) -> Vec<Node> {
    let mut flat = Vec::with_capacity(operands.len());
    for operand in operands {
        match operand {
            Node::Logic {
                logic: inner,
                operands,
            } if inner == logic => flat.extend(operands),
            other => flat.push(other),
        }
    }
    flat
}

/// The value of a plain instruction on constants, if it is one that can be written down.
fn evaluate(op: u8, operands: &[Node]) -> Option<Constant> {
    let constants = operands
        .iter()
        .map(Node::constant)
        .collect::<Option<Vec<_>>>()?;
    let result = match *constants.as_slice() {
        [a] => unary(op, a),
        [a, b] => binary(op, a, b),
        [a, b, c] => ternary(op, a, b, c),
        _ => None,
    }?;
    let finite = match result {
        Constant::F32(value) => value.is_finite(),
        Constant::Vec2(parts) => parts.iter().all(|part| part.is_finite()),
        Constant::Vec3(parts) => parts.iter().all(|part| part.is_finite()),
        _ => true,
    };
    finite.then_some(result)
}

fn unary(op: u8, a: Constant) -> Option<Constant> {
    use Constant::{Bool, F32, I32, Vec2, Vec3};
    Some(match (op, a) {
        (op::NOT, Bool(a)) => Bool(!a),
        (op::I32_NEG, I32(a)) => I32(arith::i32_neg(a)),
        (op::I32_ABS, I32(a)) => I32(arith::i32_abs(a)),
        (op::I32_TO_F32, I32(a)) => F32(arith::i32_to_f32(a)),
        (op::F32_NEG, F32(a)) => F32(arith::f32_neg(a)),
        (op::F32_ABS, F32(a)) => F32(arith::f32_abs(a)),
        (op::F32_TO_I32, F32(a)) => I32(arith::f32_to_i32(a)),
        (op::VEC2_NEG, Vec2(a)) => Vec2(arith::vec_neg(a)),
        (op::VEC3_NEG, Vec3(a)) => Vec3(arith::vec_neg(a)),
        (op::VEC2_LENGTH_SQUARED, Vec2(a)) => F32(arith::vec_length_squared(a)),
        (op::VEC3_LENGTH_SQUARED, Vec3(a)) => F32(arith::vec_length_squared(a)),
        _ => return None,
    })
}

fn binary(op: u8, a: Constant, b: Constant) -> Option<Constant> {
    use Constant::{Bool, F32, I32, Symbol, Vec2, Vec3};
    match (a, b) {
        (I32(a), I32(b)) => i32_pair(op, a, b),
        (F32(a), F32(b)) => f32_pair(op, a, b),
        (Bool(a), Bool(b)) => equality(op, op::BOOL_EQ, op::BOOL_NE, a == b),
        (Symbol(a), Symbol(b)) => equality(op, op::SYMBOL_EQ, op::SYMBOL_NE, a == b),
        (Vec2(a), F32(b)) => match op {
            op::VEC2_SCALE => Some(Vec2(arith::vec_scale(a, b))),
            op::VEC2_DIV => Some(Vec2(arith::vec_div(a, b))),
            _ => None,
        },
        (Vec3(a), F32(b)) => match op {
            op::VEC3_SCALE => Some(Vec3(arith::vec_scale(a, b))),
            op::VEC3_DIV => Some(Vec3(arith::vec_div(a, b))),
            _ => None,
        },
        (F32(a), Vec2(b)) if op == op::VEC2_SCALE_BY => Some(Vec2(arith::vec_scale(b, a))),
        (F32(a), Vec3(b)) if op == op::VEC3_SCALE_BY => Some(Vec3(arith::vec_scale(b, a))),
        (Vec2(a), Vec2(b)) => match op {
            op::VEC2_ADD => Some(Vec2(arith::vec_add(a, b))),
            op::VEC2_SUB => Some(Vec2(arith::vec_sub(a, b))),
            op::VEC2_DOT => Some(F32(arith::vec_dot(a, b))),
            op::VEC2_DISTANCE_SQUARED => Some(F32(arith::vec_distance_squared(a, b))),
            _ => equality(op, op::VEC2_EQ, op::VEC2_NE, arith::vec_eq(a, b)),
        },
        (Vec3(a), Vec3(b)) => match op {
            op::VEC3_ADD => Some(Vec3(arith::vec_add(a, b))),
            op::VEC3_SUB => Some(Vec3(arith::vec_sub(a, b))),
            op::VEC3_DOT => Some(F32(arith::vec_dot(a, b))),
            op::VEC3_DISTANCE_SQUARED => Some(F32(arith::vec_distance_squared(a, b))),
            _ => equality(op, op::VEC3_EQ, op::VEC3_NE, arith::vec_eq(a, b)),
        },
        _ => None,
    }
}

fn equality(op: u8, eq: u8, ne: u8, equal: bool) -> Option<Constant> {
    match op {
        _ if op == eq => Some(Constant::Bool(equal)),
        _ if op == ne => Some(Constant::Bool(!equal)),
        _ => None,
    }
}

fn i32_pair(op: u8, a: i32, b: i32) -> Option<Constant> {
    use Constant::{Bool, I32};
    Some(match op {
        op::I32_ADD => I32(arith::i32_add(a, b)),
        op::I32_SUB => I32(arith::i32_sub(a, b)),
        op::I32_MUL => I32(arith::i32_mul(a, b)),
        op::I32_DIV => I32(arith::i32_div(a, b)),
        op::I32_REM => I32(arith::i32_rem(a, b)),
        op::I32_MIN => I32(a.min(b)),
        op::I32_MAX => I32(a.max(b)),
        op::I32_EQ => Bool(a == b),
        op::I32_NE => Bool(a != b),
        op::I32_LT => Bool(a < b),
        op::I32_LE => Bool(a <= b),
        op::I32_GT => Bool(a > b),
        op::I32_GE => Bool(a >= b),
        _ => return None,
    })
}

fn f32_pair(op: u8, a: f32, b: f32) -> Option<Constant> {
    use Constant::{Bool, F32, Vec2};
    Some(match op {
        op::F32_ADD => F32(arith::f32_add(a, b)),
        op::F32_SUB => F32(arith::f32_sub(a, b)),
        op::F32_MUL => F32(arith::f32_mul(a, b)),
        op::F32_DIV => F32(arith::f32_div(a, b)),
        op::F32_REM => F32(arith::f32_rem(a, b)),
        op::F32_MIN => F32(arith::f32_min(a, b)),
        op::F32_MAX => F32(arith::f32_max(a, b)),
        op::F32_EQ => Bool(a == b),
        op::F32_NE => Bool(a != b),
        op::F32_LT => Bool(a < b),
        op::F32_LE => Bool(a <= b),
        op::F32_GT => Bool(a > b),
        op::F32_GE => Bool(a >= b),
        op::VEC2_MAKE => Vec2([a, b]),
        _ => return None,
    })
}

fn ternary(op: u8, a: Constant, b: Constant, c: Constant) -> Option<Constant> {
    use Constant::{F32, I32, Vec3};
    Some(match (op, a, b, c) {
        (op::I32_CLAMP, I32(a), I32(b), I32(c)) => I32(arith::i32_clamp(a, b, c)),
        (op::F32_CLAMP, F32(a), F32(b), F32(c)) => F32(arith::f32_clamp(a, b, c)),
        (op::VEC3_MAKE, F32(a), F32(b), F32(c)) => Vec3([a, b, c]),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GUARD: Node = Node::Leaf {
        op: op::CALL_GUARD,
        a: 0,
        b: 7,
        ty: ValueType::Bool,
    };
    const KEY: Node = Node::Leaf {
        op: op::KEY,
        a: 2,
        b: 1,
        ty: ValueType::Bool,
    };

    fn bool(value: bool) -> Node {
        Node::Constant(Constant::Bool(value))
    }

    #[test]
    fn sel_5_guard_calls_are_kept_unless_skipped() {
        assert_eq!(logic(Logic::And, vec![bool(false), GUARD]), bool(false));
        assert_eq!(logic(Logic::Or, vec![bool(true), GUARD]), bool(true));
        assert_eq!(
            logic(Logic::And, vec![KEY, bool(false), GUARD]),
            bool(false)
        );
        let kept = logic(Logic::And, vec![GUARD, bool(false), KEY]);
        assert_eq!(
            kept,
            Node::Logic {
                logic: Logic::And,
                operands: vec![GUARD, bool(false)]
            }
        );
        assert!(!select(bool(true), KEY, GUARD).is_pure());
        assert_eq!(select(bool(false), KEY, GUARD), GUARD);
    }

    #[test]
    fn neutral_operands_vanish_and_chains_are_flat() {
        assert_eq!(logic(Logic::And, vec![bool(true), KEY, bool(true)]), KEY);
        assert_eq!(
            logic(Logic::Or, vec![bool(false), bool(false)]),
            bool(false)
        );
        let inner = logic(Logic::Or, vec![KEY, GUARD]);
        assert_eq!(
            logic(Logic::Or, vec![KEY, inner]),
            Node::Logic {
                logic: Logic::Or,
                operands: vec![KEY, KEY, GUARD]
            }
        );
        assert_eq!(plain(op::NOT, vec![plain(op::NOT, vec![KEY])]), KEY);
    }

    #[test]
    fn what_no_literal_can_say_is_left_to_run_time() {
        let number = |value| Node::Constant(Constant::F32(value));
        assert!(
            plain(op::F32_DIV, vec![number(1.0), number(0.0)])
                .constant()
                .is_none()
        );
        assert!(
            plain(op::F32_MUL, vec![number(1e38), number(1e38)])
                .constant()
                .is_none()
        );
        assert_eq!(
            plain(op::F32_DIV, vec![number(1.0), number(4.0)]),
            number(0.25)
        );
    }
}
