//! A small world for expressions: two keys of most types, a few parameters, three states, guards by
//! any name.

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::{Diagnostic, Diagnostics};
use statewright_author::graph::{ExprSource, Payload};
use statewright_author::span::{Name, Span};
use statewright_author::value::{FunctionKind, Literal, ScratchType, ValueType};
use statewright_compile::expr::{
    ArgumentText, CallText, Compiled, Expected, HostArgument, HostValue, Names, NoPayload,
    Scope, compile_code,
};
use statewright_describe::Value;
use statewright_rom::{Coded, symbol_number};
use statewright_rom::code::{CodeError, CodeLimits, verify};
use statewright_rom::layout::*;
use zerocopy::byteorder::little_endian::{U16, U32};

use crate::evaluator::{World, run};

pub(crate) const KEYS: [(&str, ValueType); 10] = [
    ("health", ValueType::I32),
    ("ammo", ValueType::I32),
    ("speed", ValueType::F32),
    ("fear", ValueType::F32),
    ("fleeing", ValueType::Bool),
    ("target", ValueType::Entity),
    ("leader", ValueType::Entity),
    ("aim", ValueType::Vec2),
    ("position", ValueType::Vec3),
    ("kind", ValueType::Symbol),
];
pub(crate) const PARAMETERS: [(&str, ValueType); 4] = [
    ("max_health", ValueType::I32),
    ("reach", ValueType::F32),
    ("offset", ValueType::Vec2),
    ("home", ValueType::Vec3),
];
pub(crate) const STATES: [&str; 3] = ["idle", "combat", "combat/attack"];
pub(crate) const TICK_RATE: u32 = 60;

#[derive(Default)]
pub(crate) struct TestScope {
    pub(crate) payload: Option<Payload>,
    pub(crate) strings: Vec<String>,
    pub(crate) guards: Vec<CallText>,
    unknown: Vec<Diagnostic>,
}

impl Names for TestScope {
    fn tick_rate(&self) -> u32 {
        TICK_RATE
    }
    fn key_name(&self, key: u16) -> String {
        KEYS[usize::from(key)].0.to_owned()
    }
    fn parameter_name(&self, parameter: u16) -> String {
        PARAMETERS[usize::from(parameter)].0.to_owned()
    }
    fn state_name(&self, state: u16) -> String {
        STATES[usize::from(state)].to_owned()
    }
    fn symbol_text(&self, number: u32) -> String {
        let known = self.strings.iter();
        let mut known = known.filter(|text| symbol_number(text) == number);
        known.next().expect("a text").clone()
    }
    fn guard_text(&self, op: u16) -> CallText {
        self.guards[usize::from(op)].clone()
    }
}

/// A literal as a call in a ROM has it.
fn value(literal: &Literal) -> Value {
    match literal {
        Literal::Int(value) => Value::Int(*value as i32),
        Literal::Float(value) => Value::Float(*value),
        Literal::Bool(value) => Value::Bool(*value),
        Literal::Text(text) => Value::Symbol(text.clone()),
        Literal::Vector(parts) => Value::Vector(parts.clone()),
    }
}

fn find(table: &[(&str, ValueType)], name: &str) -> Option<(u16, ValueType)> {
    let index = table.iter().position(|entry| entry.0 == name)?;
    Some((index as u16, table[index].1))
}

fn intern<T: PartialEq>(list: &mut Vec<T>, item: T) -> u16 {
    let index = list
        .iter()
        .position(|known| *known == item)
        .unwrap_or_else(|| {
            list.push(item);
            list.len() - 1
        });
    index as u16
}

impl Scope for TestScope {
    fn key(&self, name: &str) -> Option<(u16, ValueType)> {
        find(&KEYS, name)
    }
    fn parameter(&self, name: &str) -> Option<(u16, ValueType)> {
        find(&PARAMETERS, name)
    }
    fn names(&self) -> Vec<String> {
        KEYS.iter()
            .chain(&PARAMETERS)
            .map(|entry| entry.0.to_owned())
            .collect()
    }
    fn declaration(&self, name: &str, wanted: Option<ValueType>) -> String {
        let ty = wanted.unwrap_or(ValueType::I32);
        format!(
            "add `\"{name}\": \"{ty}\"` to `\"blackboard\"`, or a value to `\"parameters\"`; a text needs quotes: `'{name}'`"
        )
    }
    fn unreadable(&self, _: &Name) -> Option<Diagnostic> {
        None
    }
    fn payload(&self) -> Option<Payload> {
        self.payload
    }
    fn no_payload(&self) -> NoPayload {
        NoPayload::none("an entry action runs for any event")
    }
    fn state(&mut self, name: &Name) -> Option<u16> {
        let found = STATES.iter().position(|state| *state == name.value);
        if found.is_none() {
            self.unknown.push(Diagnostic::new(
                DiagnosticCode::UnknownState,
                name.span,
                "no such state",
            ));
        }
        found.map(|index| index as u16)
    }
    fn own_state(&self) -> u16 {
        1
    }
    fn scratch(&self, _: &str) -> Option<(u16, ScratchType)> {
        None
    }
    fn value_function(&self, _: &str) -> Option<ValueType> {
        None
    }
    fn parameters(&self, _: &str) -> Option<Vec<(String, ValueType)>> {
        None
    }
    fn host_call(
        &mut self,
        function: &Name,
        _: FunctionKind,
        arguments: &[HostArgument],
    ) -> Option<u16> {
        let argument = |argument: &HostArgument| {
            let name = argument.name.as_ref().map(|name| name.value.clone());
            let HostValue::Literal(literal) = &argument.value else {
                panic!("these expressions call with literals only");
            };
            (name, value(literal).into())
        };
        let arguments: Vec<(Option<String>, ArgumentText)> =
            arguments.iter().map(argument).collect();
        Some(intern(
            &mut self.guards,
            CallText {
                function: function.value.clone(),
                arguments,
            },
        ))
    }
    fn symbol(&mut self, text: &Name) -> u32 {
        intern(&mut self.strings, text.value.clone());
        symbol_number(&text.value)
    }
}

impl TestScope {
    pub(crate) fn with_payload(payload: Payload) -> Self {
        Self {
            payload: Some(payload),
            ..Self::default()
        }
    }

    /// Compiles a text that stands at byte 100 of its file.
    pub(crate) fn compile(
        &mut self,
        text: &str,
        expected: Expected,
    ) -> (Option<Compiled>, Diagnostics) {
        let mut diagnostics = Diagnostics::default();
        let code = ExprSource::new(text.to_owned(), Span::bytes(100..100 + text.len()));
        let compiled = compile_code(&code, expected, self, &mut diagnostics);
        self.unknown
            .drain(..)
            .for_each(|diagnostic| diagnostics.push(diagnostic));
        (compiled, diagnostics)
    }

    /// Compiles a text that must be right.
    #[track_caller]
    pub(crate) fn good(&mut self, text: &str, expected: Expected) -> Compiled {
        let (compiled, diagnostics) = self.compile(text, expected);
        compiled.unwrap_or_else(|| panic!("{text}: {diagnostics:?}"))
    }

    /// The verifier's word on instructions, as an expression of these tables.
    pub(crate) fn verify(
        &self,
        code: &[InstructionRecord],
        stack_words: u8,
        ty: u8,
    ) -> Result<(), CodeError> {
        let keys = KEYS.map(|(_, ty)| KeyRecord {
            ty: Coded::from_raw(ty as u8),
            ..Default::default()
        });
        let parameters = PARAMETERS.map(|(_, ty)| ParameterRecord {
            ty: Coded::from_raw(ty as u8),
            ..Default::default()
        });
        let ops = vec![
            OpRecord {
                kind: ActionOp::Call.into(),
                ..Default::default()
            };
            self.guards.len()
        ];
        let linker = [LinkerRecord {
            kind: statewright_rom::layout::FunctionKind::Guard.into(),
            ..Default::default()
        }];
        let mut strings: Vec<StringRecord> = self.strings.iter().map(string).collect();
        strings.sort_by_key(|string| string.number.get());
        let limits = CodeLimits {
            keys: &keys,
            parameters: &parameters,
            states: STATES.len(),
            ops: &ops,
            arguments: &[],
            scratch: &[],
            linker: &linker,
            strings: &strings,
        };
        let count = U16::new(u16::try_from(code.len()).unwrap_or(u16::MAX));
        verify(
            code,
            &ExpressionRecord {
                first: U32::new(0),
                count,
                stack_words,
                ty: Coded::from_raw(ty),
            },
            &limits,
        )
    }
}

/// A text of the strings table, as far as the verifier looks.
fn string(text: &String) -> StringRecord {
    StringRecord {
        number: U32::new(symbol_number(text)),
        ..Default::default()
    }
}

/// Values to run on, and a log of the guards asked.
#[derive(Clone, Debug, Default)]
pub(crate) struct TestWorld {
    pub(crate) words: Vec<u32>,
    pub(crate) asked: Vec<u16>,
}

impl TestWorld {
    fn word(&self, index: usize) -> u32 {
        if self.words.is_empty() {
            0
        } else {
            self.words[index % self.words.len()]
        }
    }

    fn value(&self, first: usize, ty: ValueType) -> [u32; 3] {
        let word = |at: usize| self.word(first + at);
        if ty == ValueType::Bool {
            [word(0) & 1, 0, 0]
        } else {
            [word(0), word(1), word(2)]
        }
    }
}

impl World for TestWorld {
    fn key(&self, key: u16) -> [u32; 3] {
        self.value(3 * usize::from(key), KEYS[usize::from(key)].1)
    }
    fn parameter(&self, parameter: u16) -> [u32; 3] {
        self.value(
            31 + 3 * usize::from(parameter),
            PARAMETERS[usize::from(parameter)].1,
        )
    }
    fn payload(&self) -> [u32; 4] {
        [50, 51, 52, 53].map(|at| self.word(at))
    }
    fn ticks(&self, state: u16) -> i32 {
        (self.word(60 + usize::from(state)) >> 1) as i32
    }
    fn active(&self, state: u16) -> bool {
        self.word(70 + usize::from(state)).is_multiple_of(3)
    }
    fn guard(&mut self, op: u16) -> bool {
        self.asked.push(op);
        // Answers change with every question, as with an rng.
        self.word(80 + self.asked.len() + usize::from(op))
            .is_multiple_of(2)
    }
}

/// Runs a compiled expression.
pub(crate) fn evaluate(compiled: &Compiled, world: &mut TestWorld) -> Vec<u32> {
    run(&compiled.instructions, compiled.stack_words, world)
}
