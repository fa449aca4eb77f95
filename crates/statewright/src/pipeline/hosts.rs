//! User code of all agents of a chunk, as the kernel asks for it.

use std::cell::Cell;

use statewright_kernel::{Hosts, prefetch};

use super::env::TickEnv;
use super::panicked::CallPlace;
use crate::board::Board;
use crate::commands::Writer;
use crate::host::{AgentHost, Caller, HostEnv};

/// User code of all agents of a run; `STRICT` as in [`AgentHost`].
pub(super) struct ChunkHosts<'c, B, C, const STRICT: bool = true> {
    /// Index of the first blackboard.
    pub(super) first: usize,
    boards: &'c mut [B],
    pub(super) env: HostEnv<'c, B, C>,
}

impl<'c, B, C, const STRICT: bool> ChunkHosts<'c, B, C, STRICT> {
    /// For agents from an index on, who write their commands here.
    pub(super) fn new(
        env: &TickEnv<'c, B, C>,
        boards: &'c mut [B],
        first: usize,
        out: &'c mut Writer,
    ) -> Self {
        let caller = Caller {
            machine: env.machine,
            out,
            ids: env.ids,
            index: first,
            unwound: Cell::new(None),
        };
        debug_assert!(STRICT || !env.strict, "nobody would ask");
        let env = HostEnv {
            table: env.table,
            context: env.context,
            strict: env.strict,
            caller,
        };
        Self { first, boards, env }
    }

    /// Whose turn it is, or was last.
    pub(super) fn index(&self) -> usize {
        self.env.caller.index
    }

    /// The call that unwound.
    pub(super) fn unwound(&self) -> Option<CallPlace> {
        self.env.caller.unwound.take()
    }
}

impl<'c, B: Board, C, const STRICT: bool> Hosts for ChunkHosts<'c, B, C, STRICT> {
    type Host<'h>
        = AgentHost<'h, 'c, B, C, STRICT>
    where
        Self: 'h;

    #[inline]
    fn of(&mut self, index: usize, _: u64) -> AgentHost<'_, 'c, B, C, STRICT> {
        self.env.caller.index = index;
        self.env.caller.out.begin();
        self.again(index, 0)
    }

    #[inline]
    fn again(&mut self, index: usize, _: u64) -> AgentHost<'_, 'c, B, C, STRICT> {
        AgentHost {
            board: &mut self.boards[index - self.first],
            env: &mut self.env,
        }
    }

    #[inline]
    fn fetch(&self, index: usize) {
        if let Some(board) = self.boards.get(index - self.first) {
            prefetch(board);
        }
    }
}
