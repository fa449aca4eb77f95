//! The border to the kernel: user code of one agent.

use statewright_kernel::{Actor, Command, Host, Mode, Status, Verdict, View};
use statewright_rom::ids::{FunctionId, KeyId};
use zerocopy::IntoBytes;

use crate::board::Board;
use crate::calls::{Act, See};
use crate::commands::{self, Head, Writer};
use crate::program::Table;
use crate::value::AgentId;

/// User code of one agent.
pub(crate) struct AgentHost<'h, B, C> {
    pub(crate) table: &'h Table<B, C>,
    pub(crate) board: &'h mut B,
    pub(crate) context: &'h C,
    pub(crate) out: &'h mut Writer,
    pub(crate) agent: AgentId,
    /// Writes to the blackboard wait for the end of the tick (CODE-5).
    pub(crate) strict: bool,
}

impl<B: Board, C> AgentHost<'_, B, C> {
    /// Puts a write off until the end of the tick. Only the last write of a key counts, so it takes the place of an earlier one.
    #[cold]
    fn stage(&mut self, key: KeyId, words: [u32; 3]) {
        let (head, words) = (Head::write(self.agent, key), words.map(u32::to_le));
        let overwritten = self.out.merge(&head, |earlier| {
            earlier.copy_from_slice(words.as_bytes());
            true
        });
        // A write that is lost does more harm than a sound: all of them are critical.
        if !overwritten && !self.out.write(&head, words.as_bytes(), true) {
            self.out.lost_writes.push(self.agent.index());
        }
    }
}

impl<B: Board, C> Host for AgentHost<'_, B, C> {
    #[inline]
    fn guard(&self, function: FunctionId, view: View<'_, '_>) -> Verdict {
        self.table.guard(function, self.board, self.context, See::new(view, self.agent))
    }

    #[inline]
    fn score(&self, function: FunctionId, view: View<'_, '_>) -> f32 {
        self.table.score(function, self.board, self.context, See::new(view, self.agent))
    }

    #[inline]
    fn action(&mut self, function: FunctionId, actor: Actor<'_, '_>) {
        self.table.action(function, self.board, self.context, Act::new(actor, self.agent, self.out));
    }

    #[inline]
    fn activity(&mut self, function: FunctionId, mode: Mode, actor: Actor<'_, '_>) -> Status {
        let act = Act::new(actor, self.agent, self.out);
        self.table.activity(function, mode, (self.board, self.context), act)
    }

    fn command(&mut self, command: &Command) -> bool {
        let (head, words, bytes) = Head::built_in(self.agent, command);
        let payload = words.as_bytes().get(..bytes).unwrap_or(&[]);
        let added = self.out.accumulates(head.lane)
            && self.out.merge(&head, |earlier| commands::add(head.ty, earlier, payload));
        added || self.out.write(&head, payload, command.critical)
    }

    fn read_key(&self, key: KeyId) -> [u32; 3] {
        self.board.read(self.table.field(key))
    }

    fn write_key(&mut self, key: KeyId, words: [u32; 3]) {
        if self.strict {
            self.stage(key, words);
        } else {
            self.board.write(self.table.field(key), words);
        }
    }
}
