//! The names of everything in a ROM: from the sidecar, or made from numbers.

use statewright_rom::Rom;
use statewright_rom::ids::{HistoryId, StateId, StringId};
use statewright_rom::layout::{BuiltInLane, StateKind, TimerKind, ValueType};
use zerocopy::byteorder::little_endian::{U16, U32};

use crate::expr::{GuardText, Names, argument_literal};
use crate::symbols::{Symbol, SymbolTable};

/// Names of one ROM.
pub(super) struct NameTable<'a> {
    /// The ROM.
    pub(super) rom: &'a Rom<'a>,
    symbols: Option<&'a SymbolTable>,
}

impl<'a> NameTable<'a> {
    pub(super) fn new(rom: &'a Rom<'a>, symbols: Option<&'a SymbolTable>) -> Self {
        Self { rom, symbols }
    }

    /// The name of record `index`, if the sidecar has a list with one.
    fn given(&self, list: fn(&SymbolTable) -> &Vec<Symbol>, index: usize) -> Option<String> {
        let symbol = list(self.symbols?).get(index)?;
        (!symbol.name.is_empty()).then(|| symbol.name.clone())
    }

    fn named(&self, list: fn(&SymbolTable) -> &Vec<Symbol>, index: usize, what: &str) -> String {
        self.given(list, index)
            .unwrap_or_else(|| format!("{what}_{index}"))
    }

    pub(super) fn machine(&self) -> Option<String> {
        self.symbols.map(|symbols| symbols.machine.clone())
    }

    /// Path of a state.
    pub(super) fn state(&self, state: u16) -> String {
        match state {
            0 => "root".to_owned(),
            state => self.named(|s| &s.states, usize::from(state), "state"),
        }
    }

    /// Path of a history point.
    pub(super) fn history(&self, point: usize) -> String {
        self.named(|s| &s.history, point, "history")
    }

    /// Name of a history point in its state.
    pub(super) fn history_name(&self, point: usize) -> String {
        let path = self.history(point);
        path.rsplit('/').next().unwrap_or_default().to_owned()
    }

    /// Name of a region; the only one of a compound has none.
    pub(super) fn region(&self, region: usize) -> Option<String> {
        let record = self.rom.regions().get(region)?;
        let owner = self.rom.state(StateId::read(record.owner)?)?;
        if owner.kind == StateKind::Compound {
            None
        } else {
            Some(self.named(|s| &s.regions, region, "region"))
        }
    }

    /// Name of a transition, if it has one.
    pub(super) fn transition(&self, transition: usize) -> Option<String> {
        self.given(|s| &s.transitions, transition)
    }

    pub(super) fn event(&self, event: u16) -> String {
        self.named(|s| &s.events, usize::from(event), "event")
    }

    /// Name of a named timer; what a timer without a name is for is known from its kind.
    pub(super) fn timer(&self, timer: usize) -> String {
        let is_named = self
            .rom
            .timers()
            .get(timer)
            .is_some_and(|t| matches!(t.kind.get(), TimerKind::State | TimerKind::Machine));
        match self.given(|s| &s.timers, timer) {
            Some(name) if is_named => name,
            _ => format!("timer_{timer}"),
        }
    }

    pub(super) fn scratch(&self, scratch: usize) -> String {
        self.named(|s| &s.scratch, scratch, "scratch")
    }

    pub(super) fn function(&self, function: usize) -> String {
        self.named(|s| &s.functions, function, "function")
    }

    pub(super) fn variant(&self, variant: usize) -> String {
        self.named(|s| &s.variants, variant, "variant")
    }

    pub(super) fn channel(&self, channel: usize) -> String {
        self.named(|s| &s.channels, channel, "channel")
    }

    /// A lane by number, the built-in ones first.
    pub(super) fn lane(&self, lane: usize) -> String {
        match BuiltInLane::NAMES.get(lane) {
            Some(name) => (*name).to_owned(),
            None => self.user_lane(lane - BuiltInLane::COUNT),
        }
    }

    pub(super) fn user_lane(&self, lane: usize) -> String {
        self.named(|s| &s.lanes, lane, "lane")
    }

    /// A text of the ROM itself.
    pub(super) fn string(&self, string: u16) -> String {
        StringId::new(string)
            .and_then(|id| self.rom.string(id))
            .unwrap_or_default()
            .to_owned()
    }

    /// A target of a set.
    pub(super) fn target(&self, target: statewright_rom::Target) -> String {
        use statewright_rom::Target;
        match target {
            Target::State(state) | Target::Choice(state) => self.state(state.raw()),
            Target::History(point) => self.history(HistoryId::index(point)),
        }
    }

    /// Function and arguments of a call.
    pub(super) fn call(&self, call: &statewright_rom::layout::OpRecord) -> GuardText {
        self.call_of(usize::from(call.a.get()), self.rom.arguments_of(call))
    }

    /// The same for a call without its op.
    pub(super) fn call_of(
        &self,
        function: usize,
        arguments: &[statewright_rom::layout::ArgumentRecord],
    ) -> GuardText {
        let argument = |record: &statewright_rom::layout::ArgumentRecord| {
            let name = StringId::read(record.name).map(|_| self.string(record.name.get()));
            (name, argument_literal(record, |string| self.string(string)))
        };
        let arguments = arguments.iter().map(argument).collect();
        GuardText {
            function: self.function(function),
            arguments,
        }
    }

    /// Words of a value as JSON.
    pub(super) fn value(&self, ty: ValueType, words: [u32; 3]) -> serde_json::Value {
        use statewright_author::value::Literal;
        let record = statewright_rom::layout::ArgumentRecord {
            ty: ty.into(),
            reserved: 0,
            name: U16::new(0),
            words: words.map(U32::new),
        };
        match argument_literal(&record, |string| self.string(string)) {
            Literal::Int(value) if ty == ValueType::Entity => (value as u64).into(),
            Literal::Int(value) => value.into(),
            Literal::Float(value) => value.into(),
            Literal::Bool(value) => value.into(),
            Literal::Text(text) => text.into(),
            Literal::Vector(parts) => parts.into(),
        }
    }
}

impl Names for NameTable<'_> {
    fn tick_rate(&self) -> u32 {
        u32::from(self.rom.header().tick_rate.get())
    }

    fn key_name(&self, key: u16) -> String {
        self.named(|s| &s.keys, usize::from(key), "key")
    }

    fn parameter_name(&self, parameter: u16) -> String {
        self.named(|s| &s.parameters, usize::from(parameter), "parameter")
    }

    fn state_name(&self, state: u16) -> String {
        self.state(state)
    }

    fn symbol_text(&self, string: u16) -> String {
        self.string(string)
    }

    fn guard_text(&self, op: u16) -> GuardText {
        match self.rom.ops().get(usize::from(op)) {
            Some(call) => self.call(call),
            None => GuardText {
                function: format!("guard_{op}"),
                arguments: Vec::new(),
            },
        }
    }
}
