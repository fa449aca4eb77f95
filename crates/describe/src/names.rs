//! The names of everything in a ROM: from its symbol table, or made from numbers. Nothing is kept:
//! this is a view of both.

use statewright_rom::Rom;
use statewright_rom::ids::*;
use statewright_rom::layout::{
    ActionOp, ArgumentRecord, ArgumentSource, BuiltInLane, DurationWord, NONE, OpRecord,
    SpecialTrigger, TransitionRecord,
};
use statewright_symbols::{SymbolKind, SymbolTable, visible};
use zerocopy::byteorder::little_endian::U16;

use crate::action::Action;
use crate::decompile::{ArgumentText, CallText, Names, decompile, decompile_taken};
use crate::kinds::{StateKind, TimerKind, ValueType};
use crate::length::Length;
use crate::model::Trigger;
use crate::refer::{EventRef, Named, StateRef, Target, joined};
use crate::value::{Value, unknown_symbol};

/// Names of one ROM.
pub(crate) struct NameTable<'a> {
    /// The ROM.
    pub(crate) rom: &'a Rom<'a>,
    symbols: Option<&'a SymbolTable>,
    /// What becomes of every text on its way out.
    show: fn(&str) -> String,
}

impl<'a> NameTable<'a> {
    /// Names as they are.
    pub(crate) fn new(rom: &'a Rom<'a>, symbols: Option<&'a SymbolTable>) -> Self {
        Self {
            rom,
            symbols,
            show: str::to_owned,
        }
    }

    /// Names and texts that are safe to show: both may come from anybody.
    pub(crate) fn visible(rom: &'a Rom<'a>, symbols: Option<&'a SymbolTable>) -> Self {
        Self {
            show: visible,
            ..Self::new(rom, symbols)
        }
    }

    /// A text on its way out.
    pub(crate) fn shown(&self, text: &str) -> String {
        (self.show)(text)
    }

    /// The name of record `index`, if there is one.
    fn given(&self, kind: SymbolKind, index: usize) -> Option<&'a str> {
        self.symbols?.name(kind, index)
    }

    fn raw(&self, kind: SymbolKind, index: usize) -> String {
        let given = self.given(kind, index);
        given.map_or_else(|| format!("{}_{index}", kind.stem()), str::to_owned)
    }

    /// The name of record `index`, or its number.
    pub(crate) fn named(&self, kind: SymbolKind, index: usize) -> String {
        self.shown(&self.raw(kind, index))
    }

    pub(crate) fn machine(&self) -> Option<String> {
        self.symbols.map(|symbols| self.shown(&symbols.machine))
    }

    fn raw_state(&self, state: usize) -> String {
        match state {
            0 => "root".to_owned(),
            state => self.raw(SymbolKind::State, state),
        }
    }

    /// A state by its path.
    pub(crate) fn state(&self, id: StateId) -> StateRef {
        let name = self.shown(&self.raw_state(id.index()));
        Named { id, name }
    }

    /// The state of a record's field; the loader lets no field without one pass.
    pub(crate) fn state_of(&self, field: U16) -> StateRef {
        self.state(StateId::read(field).unwrap_or(StateId::ROOT))
    }

    /// A history point by its path.
    pub(crate) fn history(&self, id: HistoryId) -> Named<HistoryId> {
        let name = self.named(SymbolKind::History, id.index());
        Named { id, name }
    }

    /// Name of a history point in its state.
    pub(crate) fn history_name(&self, id: HistoryId) -> String {
        let path = self.history(id).name;
        path.rsplit('/').next().unwrap_or_default().to_owned()
    }

    /// Name of a region; the only one of a compound has none.
    pub(crate) fn region(&self, region: usize) -> Option<String> {
        let record = self.rom.regions().get(region)?;
        let owner = self.rom.state(StateId::read(record.owner)?)?;
        (owner.kind != StateKind::Compound).then(|| self.named(SymbolKind::Region, region))
    }

    /// Name of a transition, if it has one.
    pub(crate) fn transition(&self, transition: usize) -> Option<String> {
        let given = self.given(SymbolKind::Transition, transition);
        given.map(|name| self.shown(name))
    }

    pub(crate) fn event(&self, id: EventId) -> EventRef {
        let name = self.named(SymbolKind::Event, id.index());
        Named { id, name }
    }

    /// A named timer; what a timer without a name is for is known from its kind.
    pub(crate) fn timer(&self, id: TimerId) -> Named<TimerId> {
        let kind = self.rom.timer(id).map(|timer| timer.kind.get());
        let name = match kind {
            Some(TimerKind::State | TimerKind::Machine) => {
                self.named(SymbolKind::Timer, id.index())
            }
            Some(TimerKind::After | TimerKind::Every | TimerKind::Clock | TimerKind::Debounce)
            | None => {
                format!("timer_{id}")
            }
        };
        Named { id, name }
    }

    pub(crate) fn key(&self, id: KeyId) -> Named<KeyId> {
        let name = self.named(SymbolKind::Key, id.index());
        Named { id, name }
    }

    pub(crate) fn scratch(&self, scratch: u16) -> Named<ScratchId> {
        let id = known(ScratchId::new(scratch), ScratchId::from_index(0));
        let name = self.named(SymbolKind::Scratch, id.index());
        Named { id, name }
    }

    /// A lane by number, the built-in ones first.
    pub(crate) fn lane(&self, lane: usize) -> String {
        match BuiltInLane::NAMES.get(lane) {
            Some(name) => (*name).to_owned(),
            None => self.named(SymbolKind::Lane, lane - BuiltInLane::COUNT),
        }
    }

    fn raw_string(&self, string: u16) -> String {
        let text = StringId::new(string).and_then(|id| self.rom.string(id));
        text.unwrap_or_default().to_owned()
    }

    /// The text of a symbol; its number if the machine has none: hosts may store any.
    fn raw_symbol(&self, number: u32) -> String {
        match self.rom.symbol(number) {
            Some(text) => text.to_owned(),
            None => unknown_symbol(number),
        }
    }

    /// A text of the ROM itself.
    pub(crate) fn string(&self, string: u16) -> String {
        self.shown(&self.raw_string(string))
    }

    /// Where a target set leads; nowhere for `NONE`.
    pub(crate) fn targets(&self, set: U16) -> Vec<Target> {
        use statewright_rom::Target as Record;
        let records = TargetSetId::read(set).map_or(&[][..], |id| self.rom.targets_of(id));
        let target = |target: Record| match target {
            Record::State(state) | Record::Choice(state) => Target::State(self.state(state)),
            Record::History(point) => Target::History(self.history(point)),
        };
        records
            .iter()
            .filter_map(Record::read)
            .map(target)
            .collect()
    }

    /// Words of a value.
    pub(crate) fn value(&self, ty: ValueType, words: [u32; 3]) -> Value {
        Value::read(ty, words, |symbol| self.shown(&self.raw_symbol(symbol)))
    }

    /// Function and arguments of a call, as they are.
    fn call_of(&self, function: usize, arguments: &[ArgumentRecord]) -> CallText {
        let argument = |record: &ArgumentRecord| {
            let name = StringId::read(record.name).map(|_| self.raw_string(record.name.get()));
            (name, self.argument(record))
        };
        // Those that are not in the order of their evaluation have names, so any order will do.
        let mut ordered: Vec<&ArgumentRecord> = arguments.iter().collect();
        ordered.sort_by_key(|record| record.place().map_or(0, |place| place + 1));
        let moved = arguments.iter().filter_map(ArgumentRecord::place);
        let ordered = if moved.is_sorted() {
            arguments.iter().collect()
        } else {
            ordered
        };
        CallText {
            function: self.raw(SymbolKind::Function, function),
            arguments: ordered.into_iter().map(argument).collect(),
        }
    }

    fn argument(&self, record: &ArgumentRecord) -> ArgumentText {
        match record.source.get() {
            ArgumentSource::Literal => {
                Value::of_argument(record, |symbol| self.raw_symbol(symbol)).into()
            }
            ArgumentSource::Expression => {
                ArgumentText::Code(self.raw_expression(record.words[0].get() as u16))
            }
            ArgumentSource::Stack => ArgumentText::OnStack,
        }
    }

    fn call(&self, call: &OpRecord) -> CallText {
        self.call_of(usize::from(call.a.get()), self.rom.arguments_of(call))
    }

    /// Text of a call that was made.
    pub(crate) fn called(&self, function: FunctionId, arguments: &[ArgumentRecord]) -> String {
        let call = self.call_of(function.index(), arguments);
        self.shown(&call.written([]).to_string())
    }

    /// Text of a guard, a score or an activity; `None` for `NONE`.
    pub(crate) fn condition(&self, op: U16) -> Option<String> {
        let op = self.rom.op(OpId::read(op)?)?;
        Some(match op.kind.get() {
            ActionOp::Call | ActionOp::CallWith => {
                self.shown(&self.call(op).written([]).to_string())
            }
            ActionOp::Evaluate
            | ActionOp::SetScratch
            | ActionOp::AddScratch
            | ActionOp::Set
            | ActionOp::Add
            | ActionOp::Raise
            | ActionOp::Send
            | ActionOp::Emit
            | ActionOp::StartTimer
            | ActionOp::StopTimer
            | ActionOp::ClearHistory
            | ActionOp::Unless
            | ActionOp::Skip => self.expression(op.a.get()),
        })
    }

    /// Text of an expression.
    pub(crate) fn expression(&self, expression: u16) -> String {
        self.shown(&self.raw_expression(expression))
    }

    fn raw_expression(&self, expression: u16) -> String {
        let code = ExpressionId::new(expression).map_or(&[][..], |id| self.rom.code_of(id));
        decompile(code, self).unwrap_or_else(|| format!("expression_{expression}"))
    }

    /// Text of what an expression takes away that is added; `None` if it adds.
    fn taken(&self, expression: u16) -> Option<String> {
        let code = self.rom.code_of(ExpressionId::new(expression)?);
        decompile_taken(code, self).map(|text| self.shown(&text))
    }

    fn some_expression(&self, expression: u16) -> Option<String> {
        (expression != NONE).then(|| self.expression(expression))
    }

    /// An action list; nothing for `NONE`.
    pub(crate) fn actions(&self, list: U16) -> Vec<Action> {
        self.list(ListId::read(list).map_or(&[][..], |id| self.rom.list(id)))
    }

    // Bound: the lists of an `if` are shorter than the list it stands in.
    fn list(&self, ops: &[OpRecord]) -> Vec<Action> {
        let mut actions = Vec::new();
        let mut at = 0;
        while let Some(op) = ops.get(at) {
            at += 1;
            if op.kind != ActionOp::Unless {
                actions.push(self.action(op));
                continue;
            }
            let branches = op_branches(ops, at - 1);
            at = branches.otherwise.end;
            actions.push(Action::If {
                condition: self.expression(op.a.get()),
                then: self.list(&ops[branches.then]),
                otherwise: self.list(&ops[branches.otherwise]),
            });
        }
        actions
    }

    /// An action that is no `if`.
    pub(crate) fn action(&self, op: &OpRecord) -> Action {
        let (a, b) = (op.a.get(), op.b.get());
        let (low, high) = ((b & 0xFFFF) as u16, (b >> 16) as u16);
        let key = || self.key(known(KeyId::new(low), KeyId::from_index(0)));
        let event = || self.event(known(EventId::new(a), EventId::from_index(0)));
        let timer = || self.timer(known(TimerId::new(a), TimerId::from_index(0)));
        match op.kind.get() {
            ActionOp::Call | ActionOp::CallWith => {
                Action::Call(self.shown(&self.call(op).written([]).to_string()))
            }
            ActionOp::SetScratch => Action::SetScratch {
                scratch: self.scratch(low),
                value: self.expression(a),
            },
            ActionOp::AddScratch => match self.taken(a) {
                Some(value) => Action::TakeScratch {
                    scratch: self.scratch(low),
                    value,
                },
                None => Action::AddScratch {
                    scratch: self.scratch(low),
                    value: self.expression(a),
                },
            },
            ActionOp::Set => Action::Set {
                key: key(),
                value: self.expression(a),
            },
            ActionOp::Add => match self.taken(a) {
                Some(value) => Action::Take { key: key(), value },
                None => Action::Add {
                    key: key(),
                    value: self.expression(a),
                },
            },
            ActionOp::Raise => Action::Raise {
                event: event(),
                payload: self.some_expression(low),
            },
            ActionOp::Send => Action::Send {
                event: event(),
                payload: self.some_expression(low),
                to: self.some_expression(high),
            },
            ActionOp::Emit => Action::Emit {
                lane: self.lane(usize::from(high)),
                command: self.string(a),
                payload: self.some_expression(low),
            },
            ActionOp::StartTimer => Action::StartTimer {
                timer: timer(),
                after: self
                    .length(DurationWord::from_raw(b))
                    .unwrap_or(Length::Ticks(0)),
            },
            ActionOp::StopTimer => Action::StopTimer { timer: timer() },
            ActionOp::ClearHistory => Action::ClearHistory {
                state: self.state_of(op.a),
            },
            // What stands in no list of actions is an expression.
            ActionOp::Evaluate | ActionOp::Unless | ActionOp::Skip => {
                Action::Call(self.expression(a))
            }
        }
    }

    /// What a transition waits for.
    pub(crate) fn trigger(&self, column: u16) -> Trigger {
        let events = self.rom.events().len();
        if let Some(special) = SpecialTrigger::from_number(column) {
            return match special {
                SpecialTrigger::Any => Trigger::Any,
                SpecialTrigger::Always => Trigger::Always,
                SpecialTrigger::Done => Trigger::Done,
                SpecialTrigger::Failed => Trigger::Failed,
            };
        }
        match column {
            column if usize::from(column) < events => {
                let id = EventId::new(column);
                Trigger::Event(self.event(known(id, EventId::from_index(0))))
            }
            // Columns of timers stand behind those of events.
            column => {
                let id = TimerId::from_index(usize::from(column) - events);
                let timer = self.timer(known(id, TimerId::from_index(0)));
                let record = self.rom.timer(timer.id);
                let length = record.and_then(|record| self.length(record.duration));
                match (record.map(|record| record.kind.get()), length) {
                    (Some(TimerKind::After), Some(length)) => Trigger::After {
                        timer: timer.id,
                        length,
                    },
                    (Some(TimerKind::Every), Some(length)) => Trigger::Every {
                        timer: timer.id,
                        length,
                    },
                    _ => Trigger::Timer(timer),
                }
            }
        }
    }

    /// A transition in a few words, for lists.
    pub(crate) fn transition_shown(&self, record: &TransitionRecord) -> String {
        let to = self.targets(record.targets);
        let trigger = self.trigger(record.trigger.get());
        if to.is_empty() {
            trigger.to_string()
        } else {
            format!("{trigger} -> {}", joined(&to))
        }
    }
}

/// An id that the loader has proved to be there.
#[expect(clippy::expect_used, reason = "0 is an id of every table")]
fn known<I>(id: Option<I>, first: Option<I>) -> I {
    id.or(first).expect("there is a first one")
}

/// Where the two lists of an `if` lie.
pub struct OpBranches {
    /// What runs if the condition holds.
    pub then: std::ops::Range<usize>,
    /// What runs if it does not.
    pub otherwise: std::ops::Range<usize>,
}

/// The lists of the `if` that begins at `at`. A list never ends with a skip but for the one that
/// leads over the second.
pub fn op_branches(ops: &[OpRecord], at: usize) -> OpBranches {
    let first = at + 1;
    let count = |at: usize| ops.get(at).map_or(0, |op| op.b.get() as usize);
    let end = first.saturating_add(count(at)).min(ops.len());
    let skip = end
        .checked_sub(1)
        .filter(|&last| last >= first && ops[last].kind == ActionOp::Skip);
    match skip {
        Some(skip) => OpBranches {
            then: first..skip,
            otherwise: end..end.saturating_add(count(skip)).min(ops.len()),
        },
        None => OpBranches {
            then: first..end,
            otherwise: end..end,
        },
    }
}

impl Names for NameTable<'_> {
    fn tick_rate(&self) -> u32 {
        u32::from(self.rom.header().tick_rate.get())
    }

    fn key_name(&self, key: u16) -> String {
        self.raw(SymbolKind::Key, usize::from(key))
    }

    fn parameter_name(&self, parameter: u16) -> String {
        self.raw(SymbolKind::Parameter, usize::from(parameter))
    }

    fn state_name(&self, state: u16) -> String {
        self.raw_state(usize::from(state))
    }

    fn symbol_text(&self, number: u32) -> String {
        self.raw_symbol(number)
    }

    fn scratch_name(&self, scratch: u16) -> String {
        self.raw(SymbolKind::Scratch, usize::from(scratch))
    }

    fn guard_text(&self, op: u16) -> CallText {
        match self.rom.ops().get(usize::from(op)) {
            Some(call) => self.call(call),
            None => CallText {
                function: format!("guard_{op}"),
                arguments: Vec::new(),
            },
        }
    }
}
