//! Expressions over the author's syntax tree (CODE-4): names, state queries, logic; no types ahead
//! of time.

mod function;
mod number;
mod value;

use statewright_author::expr::{CallArgument, Expr, ExprKind, LogicOp, StateQuery, UnaryOp};
use statewright_author::graph::Payload;
use statewright_author::value::{ScratchType, ValueType};

use crate::code::{Evaluated, match_arguments};
use crate::model::{CallSite, Code, GivenValue};
use crate::oracle::{Env, Oracle, Site};
use crate::world::{Argument, Cause, Verdict};

pub(crate) use value::{Value, symbol};

/// What a `!` stands before.
fn negated(expr: &Expr) -> Option<&Expr> {
    match &expr.kind {
        ExprKind::Unary {
            op: UnaryOp::Not,
            operand,
        } => Some(operand),
        _ => None,
    }
}

impl Oracle {
    /// A guard. One that is just a call gives the function's own code, any other 0.
    pub(crate) fn guard(&mut self, env: &mut Env<'_>, code: &Code, site: &Site) -> Verdict {
        // A guard that is negated twice, as in the second half of a decision, is that guard.
        let mut expr = &code.expr;
        while let Some(inner) = negated(expr).and_then(negated) {
            expr = inner;
        }
        if let Some((function, arguments)) = self.user_call(expr, code.scope)
            && !self.model.values.contains_key(function)
        {
            return self.call_guard(env, function, arguments, code.scope, site);
        }
        Verdict {
            holds: self.value(env, code, site).truth(),
            code: 0,
        }
    }

    /// A score: a scorer function, or an expression.
    pub(crate) fn score(&mut self, env: &mut Env<'_>, code: &Code, site: &Site) -> f32 {
        if let Some((function, arguments)) = self.user_call(&code.expr, code.scope)
            && !self.model.values.contains_key(function)
        {
            let arguments = self.arguments(env, function, arguments, code.scope, site);
            let call = self.call(env, function, &arguments, site);
            return env.world.score(&call, &mut self.rng);
        }
        self.value(env, code, site).float()
    }

    /// The value of an expression.
    pub(crate) fn value(&mut self, env: &mut Env<'_>, code: &Code, site: &Site) -> Value {
        self.evaluate(env, &code.expr, code.scope, site)
    }

    /// If an expression is nothing but a call of a user function: its name and arguments.
    fn user_call<'e>(&self, expr: &'e Expr, scope: usize) -> Option<(&'e str, &'e [CallArgument])> {
        match &expr.kind {
            ExprKind::Name(name)
                if name != "event"
                    && self.scratch_of(name, scope).is_none()
                    && self.key(name).is_none()
                    && self.parameter(name).is_none() =>
            {
                Some((name, &[]))
            }
            ExprKind::Call {
                function,
                arguments,
            } if !function::is_built_in(&function.value) => Some((&function.value, arguments)),
            _ => None,
        }
    }

    fn key(&self, name: &str) -> Option<usize> {
        self.model.keys.iter().position(|key| key.name == name)
    }

    fn parameter(&self, name: &str) -> Option<usize> {
        self.model
            .parameters
            .iter()
            .position(|parameter| parameter.name == name)
    }

    fn call_guard(
        &mut self,
        env: &mut Env<'_>,
        function: &str,
        arguments: &[CallArgument],
        scope: usize,
        site: &Site,
    ) -> Verdict {
        let arguments = self.arguments(env, function, arguments, scope, site);
        let call = self.call(env, function, &arguments, site);
        env.world.guard(&call, &mut self.rng)
    }

    /// Arguments of a call in an expression, from left to right (LANG-4).
    fn arguments(
        &mut self,
        env: &mut Env<'_>,
        function: &str,
        arguments: &[CallArgument],
        scope: usize,
        site: &Site,
    ) -> Vec<Argument> {
        let mut written = Vec::new();
        for argument in arguments {
            let name = argument.name.as_ref().map(|name| name.value.clone());
            let value = match argument.value.literal() {
                Some(literal) => Evaluated::Literal(literal),
                None => Evaluated::Value(self.evaluate(env, &argument.value, scope, site)),
            };
            written.push((name, value));
        }
        match_arguments(&self.model.functions, function, written)
    }

    /// Arguments of an action or an activity, likewise.
    pub(crate) fn given(
        &mut self,
        env: &mut Env<'_>,
        call: &CallSite,
        site: &Site,
    ) -> Vec<Argument> {
        let mut written = Vec::new();
        for argument in &call.arguments {
            let value = match &argument.value {
                GivenValue::Literal(literal) => Evaluated::Literal(literal.clone()),
                GivenValue::Code(code) => Evaluated::Value(self.value(env, code, site)),
            };
            written.push((argument.name.clone(), value));
        }
        match_arguments(&self.model.functions, &call.function, written)
    }

    /// The scratch of a name that code sees from a state (LANG-8).
    fn scratch_of(&self, name: &str, scope: usize) -> Option<usize> {
        self.model.up(scope).find_map(|owner| {
            let own = |one: &&usize| {
                let scratch = &self.model.scratch[**one];
                scratch.name == name && scratch.ty.is_some()
            };
            self.model.states[owner].scratch.iter().find(own).copied()
        })
    }

    /// Zero while its owner is not active.
    fn read_scratch(&self, scratch: usize) -> Value {
        let record = &self.model.scratch[scratch];
        let slot = match self.active.contains(&record.owner) {
            true => self.scratch[scratch][0],
            false => 0,
        };
        match record.ty {
            Some(ScratchType::U16) => Value::I32(i32::from(slot)),
            Some(ScratchType::I16) => Value::I32(i32::from(slot.cast_signed())),
            Some(ScratchType::Bool) => Value::Bool(slot != 0),
            None => panic!("scratch without a type is not read"),
        }
    }

    fn evaluate(&mut self, env: &mut Env<'_>, expr: &Expr, scope: usize, site: &Site) -> Value {
        if let Some((function, arguments)) = self.user_call(expr, scope) {
            let Some(&ty) = self.model.values.get(function) else {
                let verdict = self.call_guard(env, function, arguments, scope, site);
                return Value::Bool(verdict.holds);
            };
            let arguments = self.arguments(env, function, arguments, scope, site);
            let call = self.call(env, function, &arguments, site);
            return Value::from_words(ty, &env.world.value(&call, ty, &mut self.rng));
        }
        match &expr.kind {
            ExprKind::Int(value) => Value::I32(*value as i32),
            ExprKind::Float(value) => Value::F32(*value as f32),
            ExprKind::Bool(value) => Value::Bool(*value),
            ExprKind::Text(text) => Value::Symbol(symbol(text)),
            ExprKind::Name(name) => match self.scratch_of(name, scope) {
                Some(scratch) => self.read_scratch(scratch),
                None => self.named(env, name, site),
            },
            ExprKind::Field { base, field } => {
                let part = "xyzw".find(&field.value).expect("a field of a vector");
                if matches!(&base.kind, ExprKind::Name(name) if name == "event") {
                    return Value::F32(f32::from_bits(payload_of(site)[part]));
                }
                Value::F32(self.evaluate(env, base, scope, site).parts()[part])
            }
            ExprKind::Unary { op, operand } => {
                let operand = self.evaluate(env, operand, scope, site);
                match op {
                    UnaryOp::Not => Value::Bool(!operand.truth()),
                    UnaryOp::Neg => operand.negated(),
                }
            }
            ExprKind::Binary { op, left, right } => {
                let left = self.evaluate(env, left, scope, site);
                let right = self.evaluate(env, right, scope, site);
                number::binary(*op, left, right)
            }
            ExprKind::Logic { op, operands } => {
                // A later operand is only asked if the ones before do not decide.
                let decides = *op == LogicOp::Or;
                for operand in operands {
                    if self.evaluate(env, operand, scope, site).truth() == decides {
                        return Value::Bool(decides);
                    }
                }
                Value::Bool(!decides)
            }
            ExprKind::Call {
                function,
                arguments,
            } => {
                let mut values = Vec::new();
                for argument in arguments {
                    values.push(self.evaluate(env, &argument.value, scope, site));
                }
                match function.value.as_str() {
                    "random" => function::random(&values, &mut self.rng),
                    name => function::call(name, &values),
                }
            }
            ExprKind::State { query, state } => {
                let state = match state {
                    Some(name) => self.model.named_states[&(scope, name.value.clone())],
                    None => site.state,
                };
                // At most the largest i32.
                let ticks = i32::try_from(self.ticks_in_state(state, env.tick)).unwrap_or(i32::MAX);
                match query {
                    StateQuery::In => Value::Bool(self.active.contains(&state)),
                    StateQuery::Ticks => Value::I32(ticks),
                    StateQuery::Time => Value::F32(ticks as f32 / self.model.tick_rate as f32),
                }
            }
        }
    }

    /// `event`, a key or a parameter.
    fn named(&mut self, env: &mut Env<'_>, name: &str, site: &Site) -> Value {
        if name == "event" {
            let words = payload_of(site);
            let Cause::Event { id, .. } = site.cause else {
                panic!("`event` is read where there is none")
            };
            return match self.model.events[id].payload {
                Some(Payload::Value(ty)) => Value::from_words(ty, &words),
                Some(Payload::U32) => Value::from_words(ValueType::I32, &words),
                other => panic!("a payload {other:?} cannot be read"),
            };
        }
        if let Some(key) = self.key(name) {
            return self.read_key(env, key);
        }
        let parameter = self
            .parameter(name)
            .unwrap_or_else(|| panic!("no key or parameter `{name}`"));
        let model = self.model.clone();
        let record = &model.parameters[parameter];
        let literal = record.values.get(env.variant).unwrap_or(&record.values[0]);
        Value::from_literal(record.ty, literal)
    }

    /// The value of a blackboard key.
    pub(crate) fn read_key(&mut self, env: &mut Env<'_>, key: usize) -> Value {
        Value::from_words(self.model.keys[key].ty, &env.world.read_key(key))
    }
}

/// The payload of the event that runs the code; empty if there is none.
fn payload_of(site: &Site) -> [u32; 4] {
    match site.cause {
        Cause::Event { payload, .. } => payload,
        _ => [0; 4],
    }
}
