//! The border to the kernel: user code of one agent.

use statewright_kernel::{
    ActionCx as Actor, Command, GuardCx as View, Host, Mode, Status, Verdict,
};
use statewright_rom::ids::{FunctionId, KeyId};
use zerocopy::IntoBytes;

use crate::board::Board;
use crate::calls::{Act, See};
use crate::commands::{self, Head, Writer};
use crate::program::Table;
use crate::value::AgentId;

/// Whose turn it is, and where its commands go.
#[derive(Debug)]
pub(crate) struct Turn<'p> {
    pub(crate) out: &'p mut Writer,
    pub(crate) lives: &'p [u32],
    /// Number of the agent at place 0.
    pub(crate) first: usize,
    /// Place of the agent.
    pub(crate) place: usize,
}

impl Turn<'_> {
    /// The agent. Seldom asked for, so not kept: its life is a look into memory that nobody else
    /// needs.
    #[inline]
    pub(crate) fn agent(&self) -> AgentId {
        agent_at(self.lives, self.place, self.first)
    }
}

/// The agent at a place; those that no crowd owns have no successors.
#[inline]
pub(crate) fn agent_at(lives: &[u32], place: usize, first: usize) -> AgentId {
    AgentId::new(
        (first + place) as u32,
        lives.get(place).copied().unwrap_or(1),
    )
}

/// User code of all agents of a run.
pub(crate) struct Code<'p, B, C> {
    pub(crate) table: &'p Table<B, C>,
    pub(crate) context: &'p C,
    /// Writes to the blackboard wait for the end of the tick (CODE-5).
    pub(crate) strict: bool,
    pub(crate) turn: Turn<'p>,
}

/// User code of one agent.
pub(crate) struct AgentHost<'h, 'p, B, C> {
    pub(crate) board: &'h mut B,
    pub(crate) code: &'h mut Code<'p, B, C>,
}

impl<B: Board, C> AgentHost<'_, '_, B, C> {
    /// Puts a write off until the end of the tick. Only the last write of a key counts, so it takes
    /// the place of an earlier one.
    #[cold]
    fn stage(&mut self, key: KeyId, words: [u32; 3]) {
        let turn = &mut self.code.turn;
        let (head, words) = (Head::write(turn.agent(), key), words.map(u32::to_le));
        let overwritten = turn.out.merge(&head, |earlier| {
            earlier.copy_from_slice(words.as_bytes());
            true
        });
        // A write that is lost does more harm than a sound: all of them are critical.
        if !overwritten && !turn.out.write(&head, words.as_bytes(), true) {
            turn.out.lost_writes.push(turn.agent().index());
        }
    }
}

impl<B: Board, C> Host for AgentHost<'_, '_, B, C> {
    #[inline]
    fn guard(&self, function: FunctionId, view: View<'_, '_>) -> Verdict {
        self.code.table.guard(
            function,
            self.board,
            self.code.context,
            See::new(view, &self.code.turn),
        )
    }

    #[inline]
    fn score(&self, function: FunctionId, view: View<'_, '_>) -> f32 {
        self.code.table.score(
            function,
            self.board,
            self.code.context,
            See::new(view, &self.code.turn),
        )
    }

    #[inline]
    fn action(&mut self, function: FunctionId, actor: Actor<'_, '_>) {
        let Code {
            table,
            context,
            turn,
            ..
        } = &mut *self.code;
        table.action(function, self.board, context, Act::new(actor, turn));
    }

    #[inline]
    fn activity(&mut self, function: FunctionId, mode: Mode, actor: Actor<'_, '_>) -> Status {
        let Code {
            table,
            context,
            turn,
            ..
        } = &mut *self.code;
        table.activity(function, mode, (self.board, context), Act::new(actor, turn))
    }

    fn command(&mut self, command: &Command) -> bool {
        let turn = &mut self.code.turn;
        let (head, words, bytes) = Head::built_in(turn.agent(), command);
        let payload = words.as_bytes().get(..bytes).unwrap_or(&[]);
        let added = turn.out.accumulates(head.lane)
            && turn
                .out
                .merge(&head, |earlier| commands::add(head.ty, earlier, payload));
        added || turn.out.write(&head, payload, command.critical)
    }

    fn read_key(&self, key: KeyId) -> [u32; 3] {
        self.board.read(self.code.table.field(key))
    }

    fn write_key(&mut self, key: KeyId, words: [u32; 3]) {
        if self.code.strict {
            self.stage(key, words);
        } else {
            self.board.write(self.code.table.field(key), words);
        }
    }
}
