//! The names in conditions and actions, from their syntax trees.

use std::ops::Range;

use statewright_author::expr::{ActionText, Expr, ExprKind, parse, parse_action};
use statewright_author::graph::ArgumentValue;
use statewright_author::names::BUILT_IN_FUNCTIONS;
use statewright_author::span::Name;
use statewright_author::text::shape::Item;

use crate::resolve::Meaning;

/// The names in code. Ranges are bytes of its text.
#[derive(Default)]
pub(crate) struct CodeNames {
    pub(crate) found: Vec<(Range<usize>, String, Meaning)>,
    pub(crate) built_ins: Vec<(Range<usize>, &'static str)>,
}

impl CodeNames {
    fn named(&mut self, name: &Name, item: Item, at: usize) {
        let mut range = at + name.span.start as usize..at + name.span.end as usize;
        // A name that is no identifier stands between back quotes.
        if range.len() == name.value.len() + 2 {
            range = range.start + 1..range.end - 1;
        }
        self.found
            .push((range, name.value.clone(), Meaning::Item(item)));
    }

    pub(crate) fn action(&mut self, code: &str) {
        match parse_action(code) {
            Ok(ActionText::Call(call)) => {
                self.named(&call.name, Item::Function, 0);
                for argument in &call.arguments {
                    if let ArgumentValue::Code(inner) = &argument.value
                        && let Ok(expr) = parse(&inner.value)
                    {
                        self.expression(&expr, &inner.value, inner.span.start as usize);
                    }
                }
            }
            Ok(ActionText::Set { key, value } | ActionText::Add { key, value }) => {
                self.named(&key, Item::Key, 0);
                self.expression(&value, code, 0);
            }
            Err(_) => {}
        }
    }

    /// The names in an expression whose text begins at a byte. Recursion ends at the depth that the
    /// parser allows.
    pub(crate) fn expression(&mut self, expr: &Expr, code: &str, at: usize) {
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_) | ExprKind::Text(_) => {}
            ExprKind::Name(name) if name == "event" => {}
            ExprKind::Name(name) => {
                // The range has the parentheses around it.
                let inner = code
                    .get(expr.range.clone())
                    .and_then(|text| text.find(name.as_str()));
                let start = at + expr.range.start + inner.unwrap_or(0);
                let range = start..start + name.len();
                self.found.push((range, name.clone(), Meaning::Value));
            }
            ExprKind::Field { base, field: _ } => self.expression(base, code, at),
            ExprKind::Unary { op: _, operand } => self.expression(operand, code, at),
            ExprKind::Binary { op: _, left, right } => {
                self.expression(left, code, at);
                self.expression(right, code, at);
            }
            ExprKind::Logic { op: _, operands } => {
                operands
                    .iter()
                    .for_each(|operand| self.expression(operand, code, at));
            }
            ExprKind::Call {
                function,
                arguments,
            } => {
                self.function(function, at);
                arguments
                    .iter()
                    .for_each(|argument| self.expression(&argument.value, code, at));
            }
            ExprKind::State { query: _, state } => {
                if let Some(state) = state {
                    self.named(state, Item::State, at);
                }
            }
        }
    }

    fn function(&mut self, function: &Name, at: usize) {
        let mut all = BUILT_IN_FUNCTIONS.into_iter();
        match all.find(|&name| name == function.value) {
            Some(name) => {
                let start = at + function.span.start as usize;
                self.built_ins.push((start..start + name.len(), name));
            }
            None => self.named(function, Item::Function, at),
        }
    }
}
