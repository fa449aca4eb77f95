//! Where code stands, and the expressions that may stand there (CODE-4).
//!
//! Expressions are written in canonical form: everything that is constant is a literal, every
//! conversion is written out, chains of `&&` and `||` are flat. So what the compiler folds it
//! leaves alone, and the text of the compiled code can be compared with the text of the source.

use statewright_author::duration::DurationSource;
use statewright_author::expr::{
    BinaryOp, CallArgument, Expr, ExprKind, LogicOp, StateQuery, UnaryOp,
};
use statewright_author::graph::{Event, ExprSource, Payload};
use statewright_author::value::{Duration, FunctionKind, Literal, ParameterType, ValueType};

use crate::generator::Generator;
use crate::plan::Target;
use crate::text::{code, name};

/// Where code stands.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    /// The state from which names are looked up; `None` if there are several, so that names must
    /// be absolute.
    pub(crate) state: Option<usize>,
    /// Payload that can be read.
    pub(crate) payload: Option<Payload>,
    /// The blackboard may be written, timers started, history cleared.
    pub(crate) writes: bool,
}

impl Site {
    /// Code of one state.
    pub(crate) fn of(state: usize) -> Self {
        Self {
            state: Some(state),
            payload: None,
            writes: true,
        }
    }

    /// Code of several states.
    pub(crate) fn shared() -> Self {
        Self {
            state: None,
            payload: None,
            writes: true,
        }
    }

    /// Code of an observer.
    pub(crate) fn observer() -> Self {
        Self {
            state: Some(0),
            payload: None,
            writes: false,
        }
    }
}

fn node(kind: ExprKind) -> Expr {
    Expr { kind, range: 0..0 }
}

fn named(text: &str) -> Expr {
    node(ExprKind::Name(text.to_owned()))
}

fn unary(op: UnaryOp, operand: Expr) -> Expr {
    node(ExprKind::Unary {
        op,
        operand: Box::new(operand),
    })
}

fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    node(ExprKind::Binary {
        op,
        left: Box::new(left),
        right: Box::new(right),
    })
}

fn call(function: &str, arguments: Vec<Expr>) -> Expr {
    let arguments = arguments
        .into_iter()
        .map(|value| CallArgument { name: None, value })
        .collect();
    node(ExprKind::Call {
        function: name(function),
        arguments,
    })
}

fn field(base: Expr, field: &str) -> Expr {
    node(ExprKind::Field {
        base: Box::new(base),
        field: name(field),
    })
}

fn is_negation(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Unary { .. })
}

/// A literal as an expression.
pub(crate) fn literal(value: &Literal) -> Expr {
    let float = |value: f64| {
        let size = node(ExprKind::Float(value.abs()));
        if value.is_sign_negative() {
            unary(UnaryOp::Neg, size)
        } else {
            size
        }
    };
    match value {
        Literal::Int(value) => {
            let size = node(ExprKind::Int(value.unsigned_abs()));
            if *value < 0 {
                unary(UnaryOp::Neg, size)
            } else {
                size
            }
        }
        Literal::Float(value) => float(*value),
        Literal::Bool(value) => node(ExprKind::Bool(*value)),
        Literal::Text(text) => node(ExprKind::Text(text.clone())),
        Literal::Vector(parts) => call(
            if parts.len() == 2 { "vec2" } else { "vec3" },
            parts.iter().map(|&part| float(part)).collect(),
        ),
    }
}

impl Generator {
    /// The payload of an event, if an expression may read it.
    pub(crate) fn readable_payload(&self, event: &Event) -> Option<Payload> {
        event
            .payload
            .as_ref()
            .map(|payload| payload.value)
            .filter(|_| !event.indirect)
    }

    /// A condition that is never constant: as text, or a plain call of a guard.
    pub(crate) fn guard(&mut self, site: &Site) -> ExprSource {
        let depth = self.size.expression;
        let expr = if self.rng.chance(25) {
            None
        } else {
            self.condition(site, depth)
        };
        let expr = expr.unwrap_or_else(|| self.guard_call(site, depth));
        self.written(&expr)
    }

    /// A score: a scorer or an expression.
    pub(crate) fn score(&mut self, site: &Site) -> ExprSource {
        if self.rng.chance(60)
            && let Some(expr) = self.term(ValueType::F32, site, self.size.expression)
        {
            return self.written(&expr);
        }
        // A scorer stands alone: in parentheses it would be an expression, which has guards only.
        let depth = self.size.expression;
        code(
            self.function_call(FunctionKind::Scorer, site, depth)
                .to_string(),
        )
    }

    /// A duration of any form (LANG-3).
    pub(crate) fn delay(&mut self, site: &Site) -> DurationSource {
        let found = match self.rng.weighted(&[35, 25, 20, 20]) {
            1 => Some(self.range()),
            2 => self.duration_parameter(),
            3 => self.seconds(site),
            _ => None,
        };
        found.unwrap_or_else(|| self.duration().into())
    }

    /// A literal or a parameter.
    pub(crate) fn asked_delay(&mut self) -> DurationSource {
        let found = self.rng.chance(40).then(|| self.duration_parameter());
        let found = found.flatten();
        found.unwrap_or_else(|| self.duration().into())
    }

    fn range(&mut self) -> DurationSource {
        let (low, more) = (self.rng.between(0, 40), self.rng.between(0, 12));
        let (low, high) = (u64::from(low), u64::from(low + more));
        if self.rng.chance(50) {
            return DurationSource::Range(Duration::Ticks(low), Duration::Ticks(high));
        }
        let unit = 13_000_000;
        DurationSource::Range(Duration::Nanos(low * unit), Duration::Nanos(high * unit))
    }

    fn duration_parameter(&mut self) -> Option<DurationSource> {
        let durations: Vec<String> = self
            .declared
            .parameters
            .iter()
            .filter(|parameter| parameter.ty.value == ParameterType::Duration)
            .map(|parameter| parameter.name.value.clone())
            .collect();
        let name = self.rng.pick(&durations)?;
        Some(DurationSource::Code(name.clone()))
    }

    /// An expression in seconds; mostly a few ticks.
    fn seconds(&mut self, site: &Site) -> Option<DurationSource> {
        let term = self.term(ValueType::F32, site, self.size.expression)?;
        let expr = match self.rng.below(3) {
            0 => term,
            1 => {
                let scale = literal(&Literal::Float(self.rng.one(&[0.25, 0.5, 2.0])));
                binary(BinaryOp::Mul, scale, term)
            }
            _ => {
                let most = literal(&Literal::Float(self.rng.one(&[0.125, 0.5, 1.75])));
                call("clamp", vec![term, literal(&Literal::Float(0.0)), most])
            }
        };
        let written = self.written(&expr);
        Some(DurationSource::Code(written.value.trim().to_owned()))
    }

    /// A value of a type; `None` if there is no way to write one.
    pub(crate) fn value(&mut self, ty: ValueType, site: &Site) -> Option<ExprSource> {
        let expr = self.operand(ty, site, self.size.expression)?;
        Some(self.written(&expr))
    }

    /// The text of an expression, in parentheses now and then.
    pub(crate) fn written(&mut self, expr: &Expr) -> ExprSource {
        match self.rng.below(12) {
            0 => code(format!("({expr})")),
            1 => code(format!("  {expr} ")),
            _ => code(expr.to_string()),
        }
    }

    fn condition(&mut self, site: &Site, depth: u32) -> Option<Expr> {
        let weights = if depth == 0 {
            [0, 0, 0, 2, 1]
        } else {
            [3, 3, 1, 2, 1]
        };
        match self.rng.weighted(&weights) {
            0 => self.comparison(site, depth - 1),
            1 => self.chain(site, depth - 1, LogicOp::And),
            2 => self.chain(site, depth - 1, LogicOp::Or),
            3 => self.term(ValueType::Bool, site, depth.saturating_sub(1)),
            _ => Some(self.guard_call(site, depth)),
        }
    }

    /// `a && b`, where neither part is such a chain again.
    fn chain(&mut self, site: &Site, depth: u32, op: LogicOp) -> Option<Expr> {
        let mut operands = Vec::new();
        for _ in 0..self.rng.between(2, 3) {
            let part = self.condition(site, depth)?;
            let same = matches!(&part.kind, ExprKind::Logic { op: inner, .. } if *inner == op);
            operands.push(if same {
                unary(UnaryOp::Not, part)
            } else {
                part
            });
        }
        Some(node(ExprKind::Logic { op, operands }))
    }

    fn comparison(&mut self, site: &Site, depth: u32) -> Option<Expr> {
        use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
        let ty = self.rng.one(&ValueType::ALL);
        let ordered = matches!(ty, ValueType::I32 | ValueType::F32);
        let op = if ordered {
            self.rng.one(&[Eq, Ne, Lt, Le, Gt, Ge])
        } else {
            self.rng.one(&[Eq, Ne])
        };
        let left = self.term(ty, site, depth)?;
        let right = self.operand(ty, site, depth)?;
        Some(binary(op, left, right))
    }

    fn guard_call(&mut self, site: &Site, depth: u32) -> Expr {
        self.function_call(FunctionKind::Guard, site, depth)
    }

    /// Something of a type that is not constant.
    pub(crate) fn term(&mut self, ty: ValueType, site: &Site, depth: u32) -> Option<Expr> {
        let leaf = self.leaf(ty, site);
        if depth == 0 || self.rng.chance(35) {
            return leaf;
        }
        self.operation(ty, site, depth - 1).or(leaf)
    }

    /// Something of a type: a term, or a literal.
    fn operand(&mut self, ty: ValueType, site: &Site, depth: u32) -> Option<Expr> {
        if ty == ValueType::Entity || self.rng.chance(50) {
            let term = self.term(ty, site, depth);
            if term.is_some() || ty == ValueType::Entity {
                return term;
            }
        }
        Some(literal(&self.literal(ty)))
    }

    fn leaf(&mut self, ty: ValueType, site: &Site) -> Option<Expr> {
        let keys = self
            .declared
            .keys
            .iter()
            .filter(|key| key.ty.value == ty)
            .map(|key| named(&key.name.value));
        let parameters = self
            .declared
            .parameters
            .iter()
            .filter(|parameter| parameter.ty.value.value() == ty);
        let mut leaves: Vec<Expr> = keys
            .chain(parameters.map(|parameter| named(&parameter.name.value)))
            .collect();
        match site.payload {
            Some(Payload::Value(payload)) if payload == ty => leaves.push(named("event")),
            Some(Payload::U32) if ty == ValueType::I32 => leaves.push(named("event")),
            Some(Payload::Vec4) if ty == ValueType::F32 => {
                leaves.push(field(named("event"), self.rng.one(&["x", "y", "z", "w"])));
            }
            _ => {}
        }
        let query = match ty {
            ValueType::Bool => self.query(StateQuery::In, site),
            ValueType::I32 => self.query(StateQuery::Ticks, site),
            ValueType::F32 => self.query(StateQuery::Time, site),
            _ => None,
        };
        leaves.extend(query);
        for (scratch, of) in self.visible_scratch(site.state) {
            if of.value_type() == ty {
                leaves.push(named(&scratch));
            }
        }
        if self.rng.chance(50) {
            leaves.extend(self.value_call(ty, site, 0));
        }
        if ty == ValueType::F32 && self.rng.chance(20) {
            leaves.push(call("random", Vec::new()));
        }
        self.rng.pick(&leaves).cloned()
    }

    /// A question about a state; about its time only if it has a clock.
    fn query(&mut self, query: StateQuery, site: &Site) -> Option<Expr> {
        let timed = query != StateQuery::In;
        if let Some(own) = site
            .state
            .filter(|&own| timed && self.plan.nodes[own].clock && self.rng.chance(50))
        {
            debug_assert!(self.plan.nodes[own].clock);
            return Some(node(ExprKind::State { query, state: None }));
        }
        let good = |state: &usize| !timed || self.plan.nodes[*state].clock;
        let states: Vec<usize> = (0..self.plan.nodes.len()).filter(good).collect();
        let state = *self.rng.pick(&states)?;
        let text = self
            .plan
            .reference(&mut self.rng, site.state, Target::State(state))?;
        Some(node(ExprKind::State {
            query,
            state: Some(name(text)),
        }))
    }

    fn operation(&mut self, ty: ValueType, site: &Site, depth: u32) -> Option<Expr> {
        if self.rng.chance(10)
            && let Some(value) = self.value_call(ty, site, depth)
        {
            return Some(value);
        }
        if self.rng.chance(10) {
            let condition = self.condition(site, depth)?;
            let then = self.operand(ty, site, depth)?;
            return Some(call(
                "select",
                vec![condition, then, self.operand(ty, site, depth)?],
            ));
        }
        match ty {
            ValueType::Bool => self.not(site, depth),
            ValueType::I32 | ValueType::F32 => self.arithmetic(ty, site, depth),
            ValueType::Vec2 | ValueType::Vec3 => self.vector(ty, site, depth),
            ValueType::Entity | ValueType::Symbol => None,
        }
    }

    fn not(&mut self, site: &Site, depth: u32) -> Option<Expr> {
        let inner = self.condition(site, depth)?;
        (!is_negation(&inner)).then(|| unary(UnaryOp::Not, inner))
    }

    /// Random numbers, and numbers between others (LANG-11).
    fn chance_or_curve(&mut self, ty: ValueType, site: &Site, depth: u32) -> Option<Expr> {
        let other = |generator: &mut Self| generator.operand(ty, site, depth);
        if ty == ValueType::I32 || self.rng.chance(30) {
            return Some(call("random", vec![other(self)?, other(self)?]));
        }
        let first = self.term(ty, site, depth)?;
        if self.rng.chance(40) {
            return Some(call("lerp", vec![first, other(self)?, other(self)?]));
        }
        let mut parts = vec![first];
        let mut x = self.rng.below(8);
        for _ in 0..self.rng.between(1, 3) {
            parts.push(literal(&Literal::Float(f64::from(x) / 2.0)));
            parts.push(other(self)?);
            x += self.rng.between(1, 8);
        }
        Some(call("curve", parts))
    }

    fn arithmetic(&mut self, ty: ValueType, site: &Site, depth: u32) -> Option<Expr> {
        use BinaryOp::{Add, Div, Mul, Rem, Sub};
        if self.rng.chance(15) {
            return self.chance_or_curve(ty, site, depth);
        }
        let first = self.term(ty, site, depth)?;
        Some(match self.rng.below(9) {
            0 if !is_negation(&first) => unary(UnaryOp::Neg, first),
            1 => call("abs", vec![first]),
            2 => call(
                "clamp",
                vec![
                    first,
                    self.operand(ty, site, depth)?,
                    self.operand(ty, site, depth)?,
                ],
            ),
            3 => call(
                self.rng.one(&["min", "max"]),
                vec![first, self.operand(ty, site, depth)?],
            ),
            4 => self.converted(ty, site, depth)?,
            _ => binary(
                self.rng.one(&[Add, Sub, Mul, Div, Rem]),
                first,
                self.operand(ty, site, depth)?,
            ),
        })
    }

    /// A number made of something else.
    fn converted(&mut self, ty: ValueType, site: &Site, depth: u32) -> Option<Expr> {
        if ty == ValueType::I32 {
            return Some(call("i32", vec![self.term(ValueType::F32, site, depth)?]));
        }
        let vector = self.rng.one(&[ValueType::Vec2, ValueType::Vec3]);
        match self.rng.below(4) {
            0 => {
                let inner = self.term(ValueType::I32, site, depth)?;
                // The quotient of the ticks in a state and the tick rate would read as
                // `time_in_state`.
                let ticks = matches!(inner.kind, ExprKind::State { .. });
                (!ticks).then(|| call("f32", vec![inner]))
            }
            1 => Some(field(
                self.term(vector, site, depth)?,
                self.rng.one(&["x", "y"]),
            )),
            2 => Some(call(
                "length_squared",
                vec![self.term(vector, site, depth)?],
            )),
            _ => {
                let function = self.rng.one(&["dot", "distance_squared"]);
                let first = self.term(vector, site, depth)?;
                Some(call(
                    function,
                    vec![first, self.operand(vector, site, depth)?],
                ))
            }
        }
    }

    fn vector(&mut self, ty: ValueType, site: &Site, depth: u32) -> Option<Expr> {
        use BinaryOp::{Add, Div, Mul, Sub};
        let first = self.term(ty, site, depth);
        let scalar = self.term(ValueType::F32, site, depth);
        Some(match self.rng.below(6) {
            0 if first.as_ref().is_some_and(|first| !is_negation(first)) => {
                unary(UnaryOp::Neg, first?)
            }
            1 => binary(
                self.rng.one(&[Mul, Div]),
                first?,
                self.operand(ValueType::F32, site, depth)?,
            ),
            2 => binary(Mul, scalar?, self.operand(ty, site, depth)?),
            3 => {
                let mut parts = vec![scalar?, self.operand(ValueType::F32, site, depth)?];
                if ty == ValueType::Vec3 {
                    parts.insert(0, self.operand(ValueType::F32, site, depth)?);
                }
                call(
                    if ty == ValueType::Vec2 {
                        "vec2"
                    } else {
                        "vec3"
                    },
                    parts,
                )
            }
            _ => binary(
                self.rng.one(&[Add, Sub]),
                first?,
                self.operand(ty, site, depth)?,
            ),
        })
    }
}
