//! Builds typed nodes and computes on the way what is constant (CODE-4).
//!
//! The results are those of [`statewright_rom::code::apply`], so folding never changes one. A
//! result that no literal can say (NaN, infinity) is left to run time. Calls of the host and random
//! numbers are never dropped unless `&&` or `||` would skip them, too: they may use the rng (SEL-5).

use statewright_author::value::ValueType;
use statewright_rom::code::{WordStack, apply, op};

use super::node::{Constant, Logic, TypedExpr};
use crate::numbers;

/// A plain instruction on its operands.
pub(super) fn plain(op: u8, operands: Vec<TypedExpr>) -> TypedExpr {
    let ty = op::signature(op).map_or(ValueType::I32, |signature| {
        numbers::author_type(signature.output)
    });
    if let Some(constant) = evaluate(op, &operands) {
        return TypedExpr::Constant(constant);
    }
    match (op, operands.as_slice()) {
        (
            op::NOT,
            [
                TypedExpr::Op {
                    op: op::NOT,
                    operands: inner,
                    ..
                },
            ],
        ) if inner.len() == 1 => inner[0].clone(),
        _ => TypedExpr::Op {
            op,
            a: 0,
            ty,
            operands,
        },
    }
}

/// An i32 as f32; anything else as it is.
pub(super) fn widen(node: TypedExpr) -> TypedExpr {
    if node.ty() == ValueType::I32 {
        plain(op::I32_TO_F32, vec![node])
    } else {
        node
    }
}

/// A component of a vector.
pub(super) fn field(base: TypedExpr, index: u8) -> TypedExpr {
    let pick = |parts: &[f32]| parts.get(usize::from(index)).copied().unwrap_or(0.0);
    let op = if base.ty() == ValueType::Vec2 {
        op::VEC2_FIELD
    } else {
        op::VEC3_FIELD
    };
    let leaf = |op, b| TypedExpr::Leaf {
        op,
        a: index,
        b,
        ty: ValueType::F32,
    };
    match base {
        TypedExpr::Constant(Constant::Vec2(parts)) => {
            TypedExpr::Constant(Constant::F32(pick(&parts)))
        }
        TypedExpr::Constant(Constant::Vec3(parts)) => {
            TypedExpr::Constant(Constant::F32(pick(&parts)))
        }
        TypedExpr::Leaf { op: op::KEY, b, .. } => leaf(op::KEY_FIELD, b),
        TypedExpr::Leaf {
            op: op::PARAMETER,
            b,
            ..
        } => leaf(op::PARAMETER_FIELD, b),
        TypedExpr::Leaf {
            op: op::PAYLOAD, ..
        } => leaf(op::PAYLOAD_FIELD, 0),
        base => TypedExpr::Op {
            op,
            a: index,
            ty: ValueType::F32,
            operands: vec![base],
        },
    }
}

/// `select(condition, then, otherwise)` of two values of one type.
pub(super) fn select(condition: TypedExpr, then: TypedExpr, otherwise: TypedExpr) -> TypedExpr {
    let decided = condition.constant().and_then(Constant::as_bool);
    match decided {
        Some(true) if otherwise.is_pure() => return then,
        Some(false) if then.is_pure() => return otherwise,
        _ => {}
    }
    let ty = then.ty();
    TypedExpr::Op {
        op: op::SELECT,
        a: numbers::value_type(ty).number(),
        ty,
        operands: vec![condition, then, otherwise],
    }
}

/// `curve(x, x0, y0, …)`, not computed even if all is known: nobody writes that.
pub(super) fn curve(operands: Vec<TypedExpr>) -> TypedExpr {
    TypedExpr::Op {
        op: op::CURVE,
        a: (operands.len() / 2) as u8,
        ty: ValueType::F32,
        operands,
    }
}

/// `&&` or `||`: flat, without operands that cannot matter.
pub(super) fn logic(logic: Logic, operands: Vec<TypedExpr>) -> TypedExpr {
    let mut kept = Vec::new();
    for operand in flatten(logic, operands) {
        match operand.constant().and_then(Constant::as_bool) {
            Some(value) if value == logic.deciding() => {
                if kept.iter().all(TypedExpr::is_pure) {
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
        0 => TypedExpr::Constant(Constant::Bool(!logic.deciding())),
        1 => kept.remove(0),
        _ => TypedExpr::Logic {
            logic,
            operands: kept,
        },
    }
}

fn flatten(logic: Logic, operands: Vec<TypedExpr>) -> Vec<TypedExpr> {
    let mut flat = Vec::with_capacity(operands.len());
    for operand in operands {
        match operand {
            TypedExpr::Logic {
                logic: inner,
                operands,
            } if inner == logic => flat.extend(operands),
            other => flat.push(other),
        }
    }
    flat
}

/// The value of a plain instruction on constants, if it is one that can be written down.
fn evaluate(op: u8, operands: &[TypedExpr]) -> Option<Constant> {
    let constants = operands
        .iter()
        .map(TypedExpr::constant)
        .collect::<Option<Vec<_>>>()?;
    let output = numbers::author_type(op::signature(op)?.output);
    let mut stack = Words::default();
    for constant in constants {
        let words = constant.ty().words() as usize;
        stack.0.extend_from_slice(&constant.words()[..words]);
    }
    apply(op, 0, &mut stack);
    let result = Constant::from_words(output, &stack.0)?;
    let finite = match result {
        Constant::F32(value) => value.is_finite(),
        Constant::Vec2(parts) => parts.iter().all(|part| part.is_finite()),
        Constant::Vec3(parts) => parts.iter().all(|part| part.is_finite()),
        _ => true,
    };
    finite.then_some(result)
}

/// Constants on the stack of an instruction.
#[derive(Default)]
struct Words(Vec<u32>);

impl WordStack for Words {
    fn push(&mut self, word: u32) {
        self.0.push(word);
    }

    fn pop(&mut self) -> u32 {
        self.0.pop().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GUARD: TypedExpr = TypedExpr::Leaf {
        op: op::CALL_GUARD,
        a: 0,
        b: 7,
        ty: ValueType::Bool,
    };
    const KEY: TypedExpr = TypedExpr::Leaf {
        op: op::KEY,
        a: 2,
        b: 1,
        ty: ValueType::Bool,
    };

    fn bool(value: bool) -> TypedExpr {
        TypedExpr::Constant(Constant::Bool(value))
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
            TypedExpr::Logic {
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
            TypedExpr::Logic {
                logic: Logic::Or,
                operands: vec![KEY, KEY, GUARD]
            }
        );
        assert_eq!(plain(op::NOT, vec![plain(op::NOT, vec![KEY])]), KEY);
    }

    #[test]
    fn what_no_literal_can_say_is_left_to_run_time() {
        let number = |value| TypedExpr::Constant(Constant::F32(value));
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
