//! Where a machine calls a function, in words: for errors of binding (ROM-8).

use statewright_rom::Rom;
use statewright_rom::code::op::{CALL_GUARD, CALL_VALUE};
use statewright_rom::ids::*;
use statewright_rom::layout::{ActionOp, ArgumentRecord, ArgumentSource, OpRecord, SpecialTrigger};
use statewright_symbols::SymbolKind;
use zerocopy::byteorder::little_endian::U16;

use crate::machine::Machine;

/// Every place of a machine that calls a function, each once, in the order of the tree.
pub(super) fn uses(machine: &Machine, function: FunctionId) -> Vec<String> {
    let rom = machine.rom();
    let search = Search {
        machine,
        rom: &rom,
        function,
    };
    let mut found = Vec::new();
    search.states(&mut found);
    search.transitions(&mut found);
    search.rest(&mut found);
    found
}

struct Search<'m> {
    machine: &'m Machine,
    rom: &'m Rom<'m>,
    function: FunctionId,
}

impl Search<'_> {
    fn states(&self, found: &mut Vec<String>) {
        for state in self.rom.state_ids() {
            let Some(record) = self.rom.state(state) else {
                continue;
            };
            let of = |what: &str| self.named(what, SymbolKind::State, state.index());
            let mut note = |is_used: bool, what: &str| found.extend(is_used.then(|| of(what)));
            note(self.list(record.entry), "entry of");
            note(self.list(record.exit), "exit of");
            note(self.op(record.activity), "activity of");
            if let Some(extra) = self.rom.state_extra(state) {
                note(self.list(extra.suspend), "suspend of");
                note(self.list(extra.resume), "resume of");
                note(self.list(extra.update), "update of");
                note(self.op(extra.exit_ready), "exit condition of");
            }
            let branches = self.rom.branches_of(state);
            let is_in_a_branch = |branch: &statewright_rom::layout::BranchRecord| {
                self.op(branch.guard) || self.list(branch.effect)
            };
            note(branches.iter().any(is_in_a_branch), "a branch of");
            let points = self.rom.history_of(state);
            note(
                points.iter().any(|point| self.list(point.effect)),
                "history of",
            );
            let mut regions = self.rom.region_ids_of(state);
            let initial = |region| self.rom.initial_of(region);
            note(
                regions.any(|region| initial(region).is_some_and(|one| self.list(one.effect))),
                "the initial transition of",
            );
        }
    }

    fn transitions(&self, found: &mut Vec<String>) {
        let ids = (0..self.rom.transitions().len()).filter_map(TransitionId::from_index);
        for (id, record) in ids.zip(self.rom.transitions()) {
            let score = self.rom.transition_extra(id).map(|extra| extra.score);
            if self.op(record.guard)
                || self.list(record.effect)
                || score.is_some_and(|score| self.op(score))
            {
                let source = usize::from(record.source.get());
                let source = self.machine.symbols().shown(SymbolKind::State, source);
                let what = format!("a transition of `{source}`");
                found.push(what + &self.span(SymbolKind::Transition, id.index()));
            }
        }
    }

    fn rest(&self, found: &mut Vec<String>) {
        for observer in self.rom.observers() {
            if self.list(observer.actions) {
                let event = EventId::new(observer.event.get())
                    .filter(|_| observer.event.get() < SpecialTrigger::FIRST);
                let name = event.map_or("any event", |event| self.machine.event_name(event));
                found.push(format!("the observer of {name}"));
            }
        }
    }

    /// A thing of a kind as people know it: `entry of `fight` (guard.sw.json:12:5)`.
    fn named(&self, what: &str, kind: SymbolKind, index: usize) -> String {
        let name = self.machine.symbols().shown(kind, index);
        format!("{what} `{name}`{}", self.span(kind, index))
    }

    /// Where it was written, if anybody knows.
    fn span(&self, kind: SymbolKind, index: usize) -> String {
        let symbols = self.machine.symbols();
        match symbols.list(kind).get(index) {
            Some(symbol) if symbol.line > 0 => {
                format!(" ({}:{}:{})", symbols.file, symbol.line, symbol.column)
            }
            _ => String::new(),
        }
    }

    fn list(&self, list: U16) -> bool {
        let ops = ListId::read(list).map_or(&[][..], |list| self.rom.list(list));
        ops.iter().any(|op| self.calls(op))
    }

    fn op(&self, op: U16) -> bool {
        let op = OpId::read(op).and_then(|op| self.rom.op(op));
        op.is_some_and(|op| self.calls(op))
    }

    fn calls(&self, op: &OpRecord) -> bool {
        let [low, high] = [op.b.get() as u16, (op.b.get() >> 16) as u16];
        match op.kind.get() {
            ActionOp::Call | ActionOp::CallWith => {
                let computed = |one: &ArgumentRecord| {
                    one.source == ArgumentSource::Expression
                        && self.expression(one.words[0].get() as u16)
                };
                FunctionId::read(op.a) == Some(self.function)
                    || self.rom.arguments_of(op).iter().any(computed)
            }
            ActionOp::Evaluate
            | ActionOp::Set
            | ActionOp::Add
            | ActionOp::SetScratch
            | ActionOp::AddScratch
            | ActionOp::Unless => self.expression(op.a.get()),
            ActionOp::Raise | ActionOp::Emit => self.expression(low),
            ActionOp::Send => self.expression(low) || self.expression(high),
            ActionOp::StartTimer
            | ActionOp::StopTimer
            | ActionOp::ClearHistory
            | ActionOp::Skip => false,
        }
    }

    /// Guards and value functions of the host are asked within expressions, too.
    fn expression(&self, expression: u16) -> bool {
        let Some(expression) = ExpressionId::new(expression) else {
            return false;
        };
        let code = self.rom.code_of(expression);
        code.iter()
            .any(|step| matches!(step.op, CALL_GUARD | CALL_VALUE) && self.op(step.b))
    }
}
