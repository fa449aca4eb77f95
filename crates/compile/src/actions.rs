//! Everything callable, interned: functions, conditions, lists of actions, arguments, texts,
//! expressions.
//!
//! Equal content gets one index, in the order of first use, so the same machine always gives the
//! same tables (ROM-4). Guards, scores and activities are records like actions, but are numbered
//! apart from those of the lists, because they are referred to by u16.

use std::collections::HashMap;

use statewright_author::span::Span;
use statewright_author::value::{FunctionKind, ValueType};
use statewright_describe::{ArgumentText, CallText, Value, op_branches};
use statewright_rom::ids::DurationId;
use statewright_rom::layout::*;
use statewright_rom::symbol_number;
use xxhash_rust::xxh3::xxh3_64;
use zerocopy::IntoBytes;
use zerocopy::byteorder::little_endian::{U16, U32};

use crate::expr::Compiled;
use crate::index::{
    ActionListIndex, ConditionIndex, DurationIndex, EventIndex, ExpressionIndex, FunctionIndex,
    Index, IndexVec, StringIndex, TimerIndex,
};
use crate::numbers;

/// A user function and where it is used (ROM-8).
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionUse {
    /// Its name.
    pub name: String,
    /// What it is used as.
    pub kind: FunctionKind,
    /// Declared to use the rng.
    pub rng: bool,
    /// What a value function gives (LANG-11).
    pub returns: Option<ValueType>,
    /// Everywhere it is used.
    pub spans: Vec<Span>,
}

impl FunctionUse {
    /// The hash in the linker table.
    pub fn hash(&self) -> u32 {
        function_hash(&self.name)
    }
}

/// Hash of a function's name (ROM-8): the low half of its xxh3.
pub fn function_hash(name: &str) -> u32 {
    xxh3_64(name.as_bytes()) as u32
}

/// A text of the string table.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    /// The text.
    pub value: String,
    /// Where it is used first.
    pub span: Span,
    /// Is it the value of a symbol somewhere?
    pub is_symbol: bool,
}

impl Text {
    /// Its symbol (HASH-2).
    pub fn number(&self) -> u32 {
        symbol_number(&self.value)
    }
}

/// A list that gives equal content one index.
#[derive(Debug)]
struct Interned<I, T> {
    items: IndexVec<I, T>,
    indices: HashMap<Vec<u8>, I>,
}

impl<I, T> Default for Interned<I, T> {
    fn default() -> Self {
        Self {
            items: IndexVec::default(),
            indices: HashMap::new(),
        }
    }
}

impl<I: Index, T> Interned<I, T> {
    fn add(&mut self, key: Vec<u8>, item: T) -> I {
        *self
            .indices
            .entry(key)
            .or_insert_with(|| self.items.push(item))
    }
}

/// The tables of everything callable.
#[derive(Debug, Default)]
pub struct ActionTables {
    functions: IndexVec<FunctionIndex, FunctionUse>,
    by_name: HashMap<String, FunctionIndex>,
    conditions: Interned<ConditionIndex, OpRecord>,
    lists: Interned<ActionListIndex, Vec<OpRecord>>,
    arguments: Vec<ArgumentRecord>,
    argument_runs: HashMap<Vec<u8>, usize>,
    strings: Interned<StringIndex, Text>,
    expressions: Interned<ExpressionIndex, Compiled>,
    durations: Interned<DurationIndex, DurationRecord>,
}

impl ActionTables {
    /// The function of a name; `Err` with its other kind if it is already used as something else. A
    /// value function has the type that it gives.
    pub fn function(
        &mut self,
        name: &str,
        kind: FunctionKind,
        (rng, returns): (bool, Option<ValueType>),
        span: Span,
    ) -> Result<FunctionIndex, FunctionUse> {
        if let Some(&index) = self.by_name.get(name) {
            let function = &mut self.functions[index];
            if function.kind != kind {
                return Err(function.clone());
            }
            function.spans.push(span);
            return Ok(index);
        }
        let index = self.functions.push(FunctionUse {
            name: name.to_owned(),
            kind,
            rng,
            returns,
            spans: vec![span],
        });
        self.by_name.insert(name.to_owned(), index);
        Ok(index)
    }

    /// Whether a function has been used before.
    pub fn knows(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// Functions, in order of first use.
    pub fn functions(&self) -> &IndexVec<FunctionIndex, FunctionUse> {
        &self.functions
    }

    /// A text of the string table that stands at a span.
    pub fn string(&mut self, text: &str, span: Span) -> StringIndex {
        let found = Text {
            value: text.to_owned(),
            span,
            is_symbol: false,
        };
        self.strings.add(text.as_bytes().to_vec(), found)
    }

    /// The symbol of a text (HASH-2), which the string table has from now on.
    pub fn symbol(&mut self, text: &str, span: Span) -> u32 {
        if !text.is_empty() {
            let index = self.string(text, span);
            self.strings.items[index].is_symbol = true;
        }
        symbol_number(text)
    }

    /// All texts, in order of first use.
    pub fn texts(&self) -> impl Iterator<Item = &Text> {
        (&self.strings.items).into_iter()
    }

    /// Texts that are values of symbols, in order of first use.
    pub fn symbol_texts(&self) -> Vec<String> {
        let symbols = self.texts().filter(|text| text.is_symbol);
        symbols.map(|text| text.value.clone()).collect()
    }

    /// The text of a symbol.
    pub fn symbol_text(&self, number: u32) -> &str {
        self.texts()
            .find(|text| text.number() == number)
            .map_or("", |text| &text.value)
    }

    /// Texts in the order of the strings table: by number.
    fn string_order(&self) -> Vec<StringIndex> {
        let mut order: Vec<StringIndex> = self.strings.items.indices().collect();
        order.sort_by_key(|&text| self.strings.items[text].number());
        order
    }

    /// Where each text is in the strings table.
    pub fn string_numbers(&self) -> IndexVec<StringIndex, u16> {
        let mut numbers = IndexVec::filled(0, &self.strings.items);
        for (to, from) in self.string_order().into_iter().enumerate() {
            numbers[from] = to as u16;
        }
        numbers
    }

    /// A run of arguments; equal runs share an index.
    fn arguments(&mut self, run: &[ArgumentRecord]) -> usize {
        let next = self.arguments.len();
        let index = *self
            .argument_runs
            .entry(run.as_bytes().to_vec())
            .or_insert(next);
        if index == next {
            self.arguments.extend_from_slice(run);
        }
        index
    }

    /// A call.
    pub fn call(&mut self, function: FunctionIndex, arguments: &[ArgumentRecord]) -> OpRecord {
        let first = if arguments.is_empty() {
            0
        } else {
            self.arguments(arguments)
        };
        let computed = arguments.iter().any(|one| one.place().is_some());
        let kind = if computed {
            ActionOp::CallWith
        } else {
            ActionOp::Call
        };
        action(kind, arguments.len(), narrow(function), first as u32)
    }

    /// The same call of a guard with these expressions instead of what an expression has on its stack.
    pub fn direct_call(
        &mut self,
        call: ConditionIndex,
        arguments: &[ExpressionIndex],
    ) -> ConditionIndex {
        let call = self.conditions.items[call];
        let first = call.b.get() as usize;
        let mut run = self.arguments[first..first + usize::from(call.count)].to_vec();
        for argument in &mut run {
            let place = argument.place().map(|place| place as usize);
            if let Some(&code) = place.and_then(|place| arguments.get(place)) {
                argument.source = ArgumentSource::Expression.into();
                argument.words[0] = U32::new(narrow(code).into());
            }
        }
        let first = self.arguments(&run) as u32;
        self.condition(OpRecord {
            b: U32::new(first),
            ..call
        })
    }

    /// A call of a guard or a value function as it is written, by the number of its condition.
    pub fn call_text(&self, condition: ConditionIndex) -> Option<CallText> {
        let call = self.conditions.items.get(condition)?;
        let function = self
            .functions
            .get(FunctionIndex::new(usize::from(call.a.get())))?;
        let first = call.b.get() as usize;
        let run = self.arguments.get(first..first + usize::from(call.count))?;
        let mut run: Vec<&ArgumentRecord> = run.iter().collect();
        run.sort_by_key(|one| one.place());
        let text = |one: &&ArgumentRecord| {
            let name = (one.name.get() != NONE)
                .then(|| StringIndex::new(usize::from(one.name.get())))
                .and_then(|name| self.strings.items.get(name))
                .map(|name| name.value.clone());
            let value = match one.place() {
                Some(_) => ArgumentText::OnStack,
                None => {
                    let symbol = |number| self.symbol_text(number).to_owned();
                    Value::of_argument(one, symbol).into()
                }
            };
            (name, value)
        };
        Some(CallText {
            function: function.name.clone(),
            arguments: run.iter().map(text).collect(),
        })
    }

    /// An expression.
    pub fn expression(&mut self, compiled: Compiled) -> ExpressionIndex {
        let mut key = compiled.instructions.as_slice().as_bytes().to_vec();
        key.push(numbers::value_type(compiled.ty).number());
        self.expressions.add(key, compiled)
    }

    /// A compiled expression by its index.
    pub fn compiled(&self, index: ExpressionIndex) -> Option<&Compiled> {
        self.expressions.items.get(index)
    }

    /// A duration that is found where it is needed.
    pub fn duration(&mut self, record: DurationRecord) -> DurationWord {
        let index = self.durations.add(record.as_bytes().to_vec(), record);
        // Too many are reported, and then no ROM is written.
        let id = DurationId::from_index(index.position());
        id.map_or(DurationWord::ticks(1), DurationWord::computed)
    }

    /// Do all who ask at the same time get the same answer?
    pub fn is_same_every_time(&self, word: DurationWord) -> bool {
        match word.read() {
            HowLong::Nothing | HowLong::Ticks(_) => true,
            HowLong::Computed(id) => self
                .durations
                .items
                .get(DurationIndex::new(id.index()))
                .is_some_and(|record| record.kind == DurationKind::Parameter),
        }
    }

    /// A condition: guard, score or activity.
    pub fn condition(&mut self, action: OpRecord) -> ConditionIndex {
        self.conditions.add(action.as_bytes().to_vec(), action)
    }

    /// The record of a condition.
    pub fn condition_action(&self, index: ConditionIndex) -> Option<&OpRecord> {
        self.conditions.items.get(index)
    }

    /// An action list; `None` when it is empty.
    pub fn list(&mut self, actions: Vec<OpRecord>) -> Option<ActionListIndex> {
        if actions.is_empty() {
            return None;
        }
        Some(
            self.lists
                .add(actions.as_slice().as_bytes().to_vec(), actions),
        )
    }

    /// The actions of a list.
    pub fn actions_of(&self, index: ActionListIndex) -> &[OpRecord] {
        self.lists.items.get(index).map_or(&[], Vec::as_slice)
    }

    /// Gives the timers of start and stop actions their final numbers.
    pub fn renumber_timers(&mut self, renumbered: &IndexVec<TimerIndex, TimerIndex>) {
        for action in (&mut self.lists.items).into_iter().flatten() {
            if matches!(
                action.kind.get(),
                ActionOp::StartTimer | ActionOp::StopTimer
            ) && let Some(&to) = renumbered.get(TimerIndex::new(usize::from(action.a.get())))
            {
                action.a = U16::new(narrow(to));
            }
        }
    }

    /// Sizes of the tables that are referred to by u16.
    pub fn sizes(&self) -> [(&'static str, usize); 7] {
        [
            ("functions", self.functions.len()),
            (
                "different guards, scores and activities",
                self.conditions.items.len(),
            ),
            ("different action lists", self.lists.items.len()),
            ("texts", self.strings.items.len()),
            ("different expressions", self.expressions.items.len()),
            ("different durations", self.durations.items.len()),
            ("arguments of calls", self.arguments.len()),
        ]
    }

    /// Functions in the order of the linker table: by kind, then hash.
    pub fn linker_order(&self) -> Vec<FunctionIndex> {
        let mut order: Vec<FunctionIndex> = self.functions.indices().collect();
        order.sort_by_key(|&f| (self.functions[f].kind, self.functions[f].hash()));
        order
    }

    /// Writes the tables.
    pub fn emit(&self, tables: &mut crate::tables::Tables) {
        let order = self.linker_order();
        let mut renumbered = IndexVec::filled(0, &self.functions);
        for (to, &from) in order.iter().enumerate() {
            renumbered[from] = to;
        }
        let strings = self.string_numbers();
        let string = |index: U16| U16::new(strings[StringIndex::new(usize::from(index.get()))]);
        let relink = |action: &OpRecord| match action.kind.get() {
            ActionOp::Emit => OpRecord {
                a: string(action.a),
                ..*action
            },
            ActionOp::Call | ActionOp::CallWith => OpRecord {
                a: U16::new(renumbered[FunctionIndex::new(usize::from(action.a.get()))] as u16),
                ..*action
            },
            ActionOp::Evaluate
            | ActionOp::Set
            | ActionOp::Add
            | ActionOp::SetScratch
            | ActionOp::AddScratch
            | ActionOp::Raise
            | ActionOp::Send
            | ActionOp::StartTimer
            | ActionOp::StopTimer
            | ActionOp::ClearHistory
            | ActionOp::Unless
            | ActionOp::Skip => *action,
        };
        tables.linker = order
            .iter()
            .map(|&f| linker_record(&self.functions[f]))
            .collect();
        tables.ops = self.conditions.items.iter().map(relink).collect();
        for list in &self.lists.items {
            tables.action_lists.push(ActionList {
                first: U32::new(tables.ops.len() as u32),
                count: U16::new(list.len() as u16),
                reserved: U16::new(0),
            });
            tables.ops.extend(list.iter().map(relink));
        }
        let name = |argument: &ArgumentRecord| match argument.name.get() {
            NONE => *argument,
            _ => ArgumentRecord {
                name: string(argument.name),
                ..*argument
            },
        };
        tables.arguments = self.arguments.iter().map(name).collect();
        self.emit_strings(tables);
        for compiled in &self.expressions.items {
            tables.expressions.push(ExpressionRecord {
                first: U32::new(tables.code.len() as u32),
                count: U16::new(compiled.instructions.len() as u16),
                stack_words: compiled.stack_words,
                ty: numbers::value_type(compiled.ty).into(),
            });
            tables.code.extend_from_slice(&compiled.instructions);
        }
        tables.durations = self.durations.items.iter().copied().collect();
    }

    fn emit_strings(&self, tables: &mut crate::tables::Tables) {
        for index in self.string_order() {
            let text = &self.strings.items[index].value;
            tables.strings.push(StringRecord {
                number: U32::new(symbol_number(text)),
                offset: U32::new(tables.text.len() as u32),
                length: U32::new(text.len() as u32),
            });
            tables
                .text
                .extend(text.bytes().map(|byte| ByteRecord { byte }));
        }
    }
}

/// An index in a field of a record. What does not fit has been reported (SW0504), and then no ROM
/// is written.
pub fn narrow(index: impl Index) -> u16 {
    index.position() as u16
}

/// The record of an action.
pub fn action(kind: ActionOp, count: usize, a: u16, b: u32) -> OpRecord {
    OpRecord {
        kind: kind.into(),
        count: count as u8,
        a: U16::new(a),
        b: U32::new(b),
    }
}

/// The actions of a list that run in any case.
pub fn certain(actions: &[OpRecord]) -> impl Iterator<Item = &OpRecord> {
    let mut next = 0;
    std::iter::from_fn(move || {
        while let Some(action) = actions.get(next) {
            next += 1;
            if action.kind != ActionOp::Unless {
                return Some(action);
            }
            next = op_branches(actions, next - 1).otherwise.end;
        }
        None
    })
}

/// The event that an action posts to the agent itself.
pub fn own_post(action: &OpRecord) -> Option<EventIndex> {
    let to_itself = match action.kind.get() {
        ActionOp::Raise => true,
        ActionOp::Send => action.b.get() >> 16 == u32::from(NONE),
        ActionOp::Call
        | ActionOp::CallWith
        | ActionOp::SetScratch
        | ActionOp::AddScratch
        | ActionOp::Evaluate
        | ActionOp::Set
        | ActionOp::Add
        | ActionOp::Emit
        | ActionOp::StartTimer
        | ActionOp::StopTimer
        | ActionOp::ClearHistory
        | ActionOp::Unless
        | ActionOp::Skip => false,
    };
    to_itself.then(|| EventIndex::new(usize::from(action.a.get())))
}

/// A payload and another number in one u32: low half, high half; `None` becomes [`NONE`].
pub fn halves(payload: Option<ExpressionIndex>, high: Option<u16>) -> u32 {
    let low = payload.map_or(NONE, narrow);
    u32::from(low) | (u32::from(high.unwrap_or(NONE)) << 16)
}

fn linker_record(function: &FunctionUse) -> LinkerRecord {
    LinkerRecord {
        hash: U32::new(function.hash()),
        kind: numbers::function_kind(function.kind).into(),
        rng: u8::from(function.rng),
        ty: function
            .returns
            .map_or_else(Default::default, |ty| numbers::value_type(ty).into()),
        reserved: 0,
    }
}
