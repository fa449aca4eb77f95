//! Values of blackboard keys, parameters and variants (CODE-3, CODE-5).

use std::collections::HashSet;

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::Diagnostic;
use statewright_author::span::Spanned;
use statewright_author::value::{Literal, ParameterType, ValueType};

use super::Resolver;
use crate::index::{Index, IndexVec, ParameterIndex};
use crate::model::Data;
use crate::names::with_article;

impl Resolver<'_> {
    /// Parameters that are given to parts are in use, whatever the part does with them (LANG-14).
    pub(super) fn parameters_given(&mut self) {
        let parts = self.tree.states.iter();
        let parts = parts.filter_map(|state| state.authored.part.as_ref());
        let given: HashSet<&str> = parts
            .flat_map(|part| &part.with)
            .filter_map(|(_, value)| match &value.value {
                Literal::Text(name) => Some(name.as_str()),
                Literal::Bool(_) | Literal::Int(_) | Literal::Float(_) | Literal::Vector(_) => None,
            })
            .collect();
        let names = self.names.parameters.names().iter().enumerate();
        // In a part that uses another one, the names of its own parameters come after its path.
        let is_given = |name: &str| given.contains(name.rsplit('/').next().unwrap_or(name));
        let used = names.filter(|(_, name)| is_given(name));
        let used: Vec<ParameterIndex> = used.map(|(at, _)| ParameterIndex::new(at)).collect();
        self.usage.parameters.get_mut().extend(used);
    }
}

impl Resolver<'_> {
    pub(super) fn data(&mut self) -> Data {
        let machine = self.machine;
        let mut data = Data::default();
        for key in &machine.blackboard {
            let value = match &key.default {
                Some(literal) => self.literal(literal, key.ty.value, "default"),
                None => Some([0; 3]),
            };
            data.keys.push(value.unwrap_or_default());
        }
        let plain: IndexVec<ParameterIndex, [u32; 3]> = machine
            .parameters
            .iter()
            .map(|p| {
                self.parameter_value(&p.value, p.ty.value)
                    .unwrap_or_default()
            })
            .collect();
        data.parameters.push(plain.clone());
        for variant in &machine.variants {
            let mut values = plain.clone();
            for (name, literal) in &variant.values {
                if let Some(parameter) = self.names.parameters.find(name, &mut self.diagnostics) {
                    let ty = machine.parameters[parameter.position()].ty.value;
                    values[parameter] = self.parameter_value(literal, ty).unwrap_or_default();
                }
            }
            data.parameters.push(values);
        }
        data
    }

    fn parameter_value(
        &mut self,
        literal: &Spanned<Literal>,
        ty: ParameterType,
    ) -> Option<[u32; 3]> {
        let ty = match ty {
            ParameterType::Value(ty) => return self.literal(literal, ty, "parameter"),
            ParameterType::Duration => ty,
        };
        let seconds = match &literal.value {
            Literal::Text(text) => self.parameter_seconds(text, literal.span),
            _ => None,
        };
        if seconds.is_none() {
            let text = format!(
                "this parameter must be {}, but it is {}",
                with_article(ty.as_str()),
                describe(&literal.value)
            );
            self.report(
                Diagnostic::new(DiagnosticCode::LiteralType, literal.span, text)
                    .label(format!("not {}", with_article(ty.as_str())))
                    .help("write a number with a unit, such as \"1.5s\", \"200ms\" or \"30t\""),
            );
        }
        seconds.map(|seconds| [seconds, 0, 0])
    }

    /// Words of a literal of a type.
    pub(super) fn literal(
        &mut self,
        literal: &Spanned<Literal>,
        ty: ValueType,
        what: &str,
    ) -> Option<[u32; 3]> {
        let words = match (&literal.value, ty) {
            (Literal::Int(value), ValueType::I32) => {
                i32::try_from(*value).ok().map(|v| [v as u32, 0, 0])
            }
            (Literal::Int(value), ValueType::F32) => float(*value as f64).map(|v| [v, 0, 0]),
            (Literal::Float(value), ValueType::F32) => float(*value).map(|v| [v, 0, 0]),
            (Literal::Bool(value), ValueType::Bool) => Some([u32::from(*value), 0, 0]),
            (Literal::Text(text), ValueType::Symbol) => {
                Some([self.actions.symbol(text, literal.span), 0, 0])
            }
            (Literal::Vector(parts), ValueType::Vec2) => vector(parts, 2),
            (Literal::Vector(parts), ValueType::Vec3) => vector(parts, 3),
            _ => None,
        };
        if words.is_none() {
            let text = format!(
                "this {what} must be {}, but it is {}",
                with_article(ty.as_str()),
                describe(&literal.value)
            );
            self.report(
                Diagnostic::new(DiagnosticCode::LiteralType, literal.span, text)
                    .label(format!("not {}", with_article(ty.as_str())))
                    .help(example(ty)),
            );
        }
        words
    }
}

fn float(value: f64) -> Option<u32> {
    let value = value as f32;
    value.is_finite().then(|| value.to_bits())
}

fn vector(parts: &[f64], count: usize) -> Option<[u32; 3]> {
    if parts.len() != count {
        return None;
    }
    let mut words = [0; 3];
    for (word, &part) in words.iter_mut().zip(parts) {
        *word = float(part)?;
    }
    Some(words)
}

fn describe(literal: &Literal) -> String {
    match literal {
        Literal::Int(value) => format!("the whole number {value}"),
        Literal::Float(value) => format!("the number {value}"),
        Literal::Bool(value) => format!("{value}"),
        Literal::Text(text) => format!("the text \"{text}\""),
        Literal::Vector(parts) => format!("a list of {} numbers", parts.len()),
    }
}

fn example(ty: ValueType) -> &'static str {
    match ty {
        ValueType::I32 => "write a whole number from -2147483648 to 2147483647, such as 30",
        ValueType::F32 => "write a number that fits into 32 bits, such as 1.5",
        ValueType::Bool => "write true or false",
        ValueType::Entity => "an entity is known only at run time; leave the value out",
        ValueType::Vec2 => "write two numbers, such as [1, 2]",
        ValueType::Vec3 => "write three numbers, such as [1, 2, 3]",
        ValueType::Symbol => "write a text, such as \"grunt\"",
    }
}
