//! Ops as text: actions, guards, scores, activities (CODE-3, CODE-4).

use statewright_rom::code::op;
use statewright_rom::ids::{ExpressionId, FunctionId, ListId, OpId};
use statewright_rom::layout::{ActionOp, ArgumentRecord, InstructionRecord, NONE, OpRecord};
use zerocopy::byteorder::little_endian::{U16, U32};

use super::names::NameTable;
use crate::actions::IfLists;
use crate::expr::{GuardText, Names, decompile};

impl NameTable<'_> {
    /// Texts of an action list; nothing for `NONE`.
    pub(super) fn actions(&self, list: U16) -> Vec<String> {
        let ops = ListId::read(list).map_or(&[][..], |id| self.rom.list(id));
        self.texts(ops)
    }

    /// Texts of ops; an `if` is one text with the texts of its lists.
    fn texts(&self, ops: &[OpRecord]) -> Vec<String> {
        let mut texts = Vec::new();
        let mut at = 0;
        while let Some(op) = ops.get(at) {
            at += 1;
            if op.kind != ActionOp::Unless {
                texts.push(self.action(op));
                continue;
            }
            let parts = IfLists::of(ops, at - 1);
            at = parts.otherwise.end;
            let list = |range: std::ops::Range<usize>| self.texts(&ops[range]).join("; ");
            let mut text = format!(
                "if {} {{ {} }}",
                self.expression(op.a.get()),
                list(parts.then)
            );
            if !parts.otherwise.is_empty() {
                text.push_str(&format!(" else {{ {} }}", list(parts.otherwise)));
            }
            texts.push(text);
        }
        texts
    }

    /// Text of a guard, a score or an activity; `None` for `NONE`.
    pub(super) fn condition(&self, op: U16) -> Option<String> {
        let op = self.rom.op(OpId::read(op)?)?;
        Some(match op.kind.get() {
            ActionOp::Call => call_text(self.call(op)),
            _ => self.expression(op.a.get()),
        })
    }

    /// Text of an expression.
    pub(super) fn expression(&self, expression: u16) -> String {
        let code = ExpressionId::new(expression).map_or(&[][..], |id| self.rom.code_of(id));
        decompile(code, self).unwrap_or_else(|| format!("expression_{expression}"))
    }

    /// Text of an action.
    pub(super) fn action(&self, op: &OpRecord) -> String {
        let (a, b) = (op.a.get(), op.b.get());
        let (low, high) = ((b & 0xFFFF) as u16, (b >> 16) as u16);
        match op.kind.get() {
            ActionOp::Call => call_text(self.call(op)),
            ActionOp::Set => format!("{} = {}", self.key_name(low), self.expression(a)),
            ActionOp::Add => format!("{} += {}", self.key_name(low), self.expression(a)),
            ActionOp::Raise => format!("raise {}{}", self.event(a), self.payload(low)),
            ActionOp::Send if high == NONE => {
                format!("send {}{}", self.event(a), self.payload(low))
            }
            ActionOp::Send => format!(
                "send {}{} to {}",
                self.event(a),
                self.payload(low),
                self.expression(high)
            ),
            ActionOp::Emit => {
                format!(
                    "emit {} {}{}",
                    self.lane(usize::from(high)),
                    self.string(a),
                    self.payload(low)
                )
            }
            ActionOp::StartTimer => format!("start {} {b}t", self.timer(usize::from(a))),
            ActionOp::StopTimer => format!("stop {}", self.timer(usize::from(a))),
            ActionOp::ClearHistory => format!("clear_history {}", self.state(a)),
            _ => self.expression(a),
        }
    }

    /// Text of a call that was made.
    pub(super) fn called(&self, function: FunctionId, arguments: &[ArgumentRecord]) -> String {
        call_text(self.call_of(function.index(), arguments))
    }

    fn payload(&self, expression: u16) -> String {
        if expression == NONE {
            String::new()
        } else {
            format!("({})", self.expression(expression))
        }
    }
}

/// A call as expressions write it. One printer for all: the decompiler's.
fn call_text(call: GuardText) -> String {
    let instruction = InstructionRecord {
        op: op::CALL_GUARD,
        a: 0,
        b: U16::new(0),
        c: U32::new(0),
    };
    let function = call.function.clone();
    decompile(&[instruction], &OneCall(call)).unwrap_or(function)
}

/// Names for a single call.
struct OneCall(GuardText);

impl Names for OneCall {
    fn tick_rate(&self) -> u32 {
        1
    }

    fn guard_text(&self, _: u16) -> GuardText {
        self.0.clone()
    }
}
