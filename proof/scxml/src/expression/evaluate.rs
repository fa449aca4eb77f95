//! What an expression is worth now. Types were checked when it was read.

use super::{Expression, Operator, Value};

/// What an expression can see.
pub(crate) trait Surroundings {
    fn variable(&self, variable: usize) -> Value;
    fn is_active(&self, state: usize) -> bool;
}

impl Expression {
    pub(crate) fn evaluate(&self, around: &dyn Surroundings) -> Value {
        match self {
            Expression::Constant(value) => value.clone(),
            Expression::Variable(variable) => around.variable(*variable),
            Expression::Ask => Value::Boolean(true),
            Expression::In(state) => Value::Boolean(around.is_active(*state)),
            Expression::Negate(inner) => Value::Integer(inner.integer(around).wrapping_neg()),
            Expression::Not(inner) => Value::Boolean(!inner.truth(around)),
            Expression::Pair(operator, left, right) => pair(*operator, left, right, around),
        }
    }

    pub(crate) fn truth(&self, around: &dyn Surroundings) -> bool {
        self.evaluate(around) == Value::Boolean(true)
    }

    fn integer(&self, around: &dyn Surroundings) -> i32 {
        match self.evaluate(around) {
            Value::Integer(number) => number,
            other => unreachable!("{other} is no integer, though its type was checked"),
        }
    }
}

fn pair(
    operator: Operator,
    left: &Expression,
    right: &Expression,
    around: &dyn Surroundings,
) -> Value {
    let numbers = || (left.integer(around), right.integer(around));
    let compare = |test: fn(&i32, &i32) -> bool| {
        let (left, right) = numbers();
        Value::Boolean(test(&left, &right))
    };
    let compute = |work: fn(i32, i32) -> i32| {
        let (left, right) = numbers();
        Value::Integer(work(left, right))
    };
    match operator {
        Operator::Or => Value::Boolean(left.truth(around) || right.truth(around)),
        Operator::And => Value::Boolean(left.truth(around) && right.truth(around)),
        Operator::Equal => Value::Boolean(left.evaluate(around) == right.evaluate(around)),
        Operator::NotEqual => Value::Boolean(left.evaluate(around) != right.evaluate(around)),
        Operator::Less => compare(i32::lt),
        Operator::LessOrEqual => compare(i32::le),
        Operator::Greater => compare(i32::gt),
        Operator::GreaterOrEqual => compare(i32::ge),
        Operator::Add => compute(i32::wrapping_add),
        Operator::Subtract => compute(i32::wrapping_sub),
        Operator::Multiply => compute(i32::wrapping_mul),
    }
}
