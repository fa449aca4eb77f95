//! User code of all agents of a chunk, as the kernel asks for it.

use std::cell::{Cell, RefCell};

use statewright_kernel::fused::{AnyBare, Needs, Phase, Step};
use statewright_kernel::{BareCode, BareTurns, CallingTurns, Hosts, prefetch};

use super::env::{AgentIds, TickEnv};
use super::panicked::CallPlace;
use crate::board::Board;
use crate::commands::Writer;
use crate::fused::{ByTables, FusedBy, PlainHost};
use crate::host::{AgentHost, Caller, HostEnv};
use crate::sealed::SealLog;

/// User code of all agents of a run.
pub(crate) struct ChunkHosts<'c, B, C> {
    /// Index of the first blackboard.
    pub(super) first: usize,
    boards: &'c mut [B],
    pub(super) env: HostEnv<'c, B, C>,
}

impl<'c, B, C> ChunkHosts<'c, B, C> {
    /// For agents from an index on, who write their commands here.
    pub(super) fn new(
        env: &TickEnv<'c, B, C>,
        ids: AgentIds<'c>,
        (first, boards): (usize, &'c mut [B]),
        out: &'c mut Writer,
    ) -> Self {
        let caller = Caller {
            machine: env.machine,
            out,
            ids,
            index: first,
            unwound: Cell::new(None),
            sealed: RefCell::new(None),
        };
        let env = HostEnv {
            table: env.table,
            context: env.context,
            strict: env.strict,
            sealing: false,
            caller,
        };
        Self { first, boards, env }
    }

    /// What user code says and does from now on is written down.
    pub(super) fn seal(&mut self, log: Box<SealLog>) {
        self.env.sealing = true;
        self.env.caller.out.set_sealing(true);
        *self.env.caller.sealed.get_mut() = Some(log);
    }

    /// No longer; what was written.
    pub(super) fn unseal(&mut self) -> Option<Box<SealLog>> {
        let log = self.env.caller.sealed.get_mut().take();
        if log.is_some() {
            self.env.sealing = false;
            self.env.caller.out.set_sealing(false);
        }
        log
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

/// The host of one agent, before and in its turn.
impl<'c, B, C> ChunkHosts<'c, B, C> {
    #[inline(always)]
    fn begin<const STRICT: bool, F>(
        &mut self,
        index: usize,
        code: F,
    ) -> AgentHost<'_, 'c, B, C, STRICT, F> {
        self.env.caller.index = index;
        self.env.caller.out.begin();
        self.go_on(index, code)
    }

    #[inline(always)]
    fn go_on<const STRICT: bool, F>(
        &mut self,
        index: usize,
        code: F,
    ) -> AgentHost<'_, 'c, B, C, STRICT, F> {
        AgentHost {
            board: &mut self.boards[index - self.first],
            env: &mut self.env,
            code,
        }
    }

    #[inline]
    fn fetch_board(&self, index: usize) {
        if let Some(board) = self.boards.get(index - self.first) {
            prefetch(board);
        }
    }
}

impl<'c, B: Board, C> Hosts for ChunkHosts<'c, B, C> {
    type Host<'h>
        = AgentHost<'h, 'c, B, C>
    where
        Self: 'h;

    #[inline]
    fn of(&mut self, index: usize, _: u64) -> AgentHost<'_, 'c, B, C> {
        self.begin(index, ByTables)
    }

    #[inline]
    fn again(&mut self, index: usize, _: u64) -> AgentHost<'_, 'c, B, C> {
        self.go_on(index, ByTables)
    }

    #[inline]
    fn fetch(&self, index: usize) {
        self.fetch_board(index);
    }
}

/// The turn of an agent whose code writes no command: dropped only if that unwinds. Whose turn it was, and that it
/// wrote nothing, is noted then.
struct Unwinding<'t> {
    out: &'t mut Writer,
    turn: &'t mut usize,
    index: usize,
}

impl Drop for Unwinding<'_> {
    #[cold]
    fn drop(&mut self) {
        *self.turn = self.index;
        self.out.begin();
    }
}

/// The turn of an agent on nothing but its bytes.
struct PlainCode<'t, B, C, F> {
    host: PlainHost<'t, B, C>,
    code: F,
    out: &'t mut Writer,
    turn: &'t mut usize,
    index: usize,
}

impl<B: Board, C, F: FusedBy<B, C>> BareCode for PlainCode<'_, B, C, F> {
    #[inline(always)]
    fn timers(&self) -> u8 {
        self.code.timers()
    }

    #[inline(always)]
    fn run(&mut self, bare: AnyBare<'_, '_>, phase: Phase<'_>) -> Step {
        let unwinding = Unwinding {
            out: &mut *self.out,
            turn: &mut *self.turn,
            index: self.index,
        };
        let step = self.code.run_bare(bare, &mut self.host, phase);
        std::mem::forget(unwinding);
        step
    }
}

/// The same where nobody traces or measures and no write waits, with whatever code there is for the
/// machine.
pub(crate) struct CodeHosts<'f, 'c, B, C, F> {
    pub(super) hosts: &'f mut ChunkHosts<'c, B, C>,
    pub(super) code: F,
}

impl<'c, B: Board, C, F: FusedBy<B, C>> Hosts for CodeHosts<'_, 'c, B, C, F> {
    type Host<'h>
        = AgentHost<'h, 'c, B, C, false, F>
    where
        Self: 'h;

    #[inline(always)]
    fn of(&mut self, index: usize, _: u64) -> Self::Host<'_> {
        self.hosts.begin(index, self.code)
    }

    #[inline]
    fn again(&mut self, index: usize, _: u64) -> Self::Host<'_> {
        self.hosts.go_on(index, self.code)
    }

    #[inline(always)]
    fn each_bare<X, T: BareTurns<X>>(
        &mut self,
        (begin, _): (usize, u64),
        items: impl Iterator<Item = X>,
        mut turns: T,
    ) -> T {
        let code = self.code;
        let ChunkHosts { first, boards, env } = &mut *self.hosts;
        let boards = boards.get_mut(begin - *first..).unwrap_or_default();
        let context = env.context;
        let Caller {
            out,
            index: turn,
            unwound,
            ..
        } = &mut env.caller;
        for (index, (board, item)) in (begin..).zip(boards.iter_mut().zip(items)) {
            let code = PlainCode {
                host: PlainHost {
                    board,
                    context,
                    unwound,
                },
                code,
                out,
                turn: &mut *turn,
                index,
            };
            if !turns.turn(index, item, code) {
                break;
            }
        }
        turns
    }

    #[inline(always)]
    fn each_calling<X, T: CallingTurns<X>>(
        &mut self,
        (begin, _, count): (usize, u64, usize),
        items: impl Iterator<Item = X>,
        mut turns: T,
    ) -> T {
        let code = self.code;
        let ChunkHosts { first, boards, env } = &mut *self.hosts;
        let boards = boards.get_mut(begin - *first..).unwrap_or_default();
        let boards = boards.get_mut(..count).unwrap_or_default();
        let (mut items, mut index) = (items, begin);
        for board in boards {
            let Some(item) = items.next() else {
                break;
            };
            env.caller.index = index;
            env.caller.out.begin();
            let host = AgentHost::<'_, '_, B, C, false, F> {
                board,
                env: &mut *env,
                code,
            };
            if !turns.turn(index, item, host) {
                break;
            }
            index += 1;
        }
        turns
    }

    #[inline(always)]
    fn are_fused(&self) -> bool {
        F::IS_THERE
    }

    #[inline(always)]
    fn needs(&self) -> Needs {
        self.code.needs()
    }

    #[inline(always)]
    fn timers(&self) -> u8 {
        self.code.timers()
    }

    #[inline]
    fn fetch(&self, index: usize) {
        self.hosts.fetch_board(index);
    }
}
