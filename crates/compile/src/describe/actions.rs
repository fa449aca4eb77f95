//! Ops as text: actions, guards, scores, activities (CODE-3, CODE-4).

use statewright_rom::code::op;
use statewright_rom::ids::{ExpressionId, FunctionId, ListId, OpId};
use statewright_rom::layout::{ArgumentRecord, InstructionRecord, NONE, OpRecord, op_kind};
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
            if op.kind != op_kind::UNLESS {
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
        Some(match op.kind {
            op_kind::CALL => call_text(self.call(op)),
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
        match op.kind {
            op_kind::CALL => call_text(self.call(op)),
            op_kind::SET => format!("{} = {}", self.key_name(low), self.expression(a)),
            op_kind::ADD => format!("{} += {}", self.key_name(low), self.expression(a)),
            op_kind::RAISE => format!("raise {}{}", self.event(a), self.payload(low)),
            op_kind::SEND if high == NONE => format!("send {}{}", self.event(a), self.payload(low)),
            op_kind::SEND => format!(
                "send {}{} to {}",
                self.event(a),
                self.payload(low),
                self.expression(high)
            ),
            op_kind::EMIT => {
                format!(
                    "emit {} {}{}",
                    self.lane(usize::from(high)),
                    self.string(a),
                    self.payload(low)
                )
            }
            op_kind::START_TIMER => format!("start {} {b}t", self.timer(usize::from(a))),
            op_kind::STOP_TIMER => format!("stop {}", self.timer(usize::from(a))),
            op_kind::CLEAR_HISTORY => format!("clear_history {}", self.state(a)),
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
