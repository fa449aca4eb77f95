//! The border to the kernel: user code of one agent.

use std::cell::{Cell, RefCell};

use statewright_kernel::fused::{AnyCalling, CallSite, Fuse, Phase, Quiet, Step};
use statewright_kernel::{self as kernel, Command, CommandKind, Host, Mode, Status, Verdict};
use statewright_rom::Rom;
use statewright_rom::ids::{FunctionId, KeyId, LaneId};
use zerocopy::IntoBytes;

use crate::agent_id::AgentId;
use crate::board::Board;
use crate::commands::{self, Head, Writer};
use crate::cx::{ActionCx, GuardCx};
use crate::fused::{ByTables, FusedBy, call_plain};
use crate::machine::Machine;
use crate::pipeline::{AgentIds, CallPlace};
use crate::program::TickTable;
use crate::sealed::{Answer, CallKind, Question, SealLog, question};

/// Whose turn it is, and where its commands go.
#[derive(Debug)]
pub(crate) struct Caller<'p> {
    pub(crate) machine: &'p Machine,
    pub(crate) out: &'p mut Writer,
    pub(crate) ids: AgentIds<'p>,
    /// Index of the agent.
    pub(crate) index: usize,
    /// The call that unwound.
    pub(crate) unwound: Cell<Option<CallPlace>>,
    /// Where everything that user code says and does is written down, for sealed agents. Guards
    /// cannot be changed while they answer, so that notes are taken from beside.
    pub(crate) sealed: RefCell<Option<Box<SealLog>>>,
}

impl Caller<'_> {
    /// The agent.
    #[inline]
    pub(crate) fn agent(&self) -> AgentId {
        self.ids.at(self.index)
    }
}

/// User code of all agents of a run.
pub(crate) struct HostEnv<'p, B, C> {
    pub(crate) table: TickTable<'p, B, C>,
    pub(crate) context: &'p C,
    /// Writes to the blackboard wait for the end of the tick (CODE-5).
    pub(crate) strict: bool,
    /// Agents are sealed.
    pub(crate) sealing: bool,
    pub(crate) caller: Caller<'p>,
}

/// User code of one agent. `STRICT` says whether writes may have to wait for the end of the tick, so that
/// ticks in which none does never ask.
pub(crate) struct AgentHost<'h, 'p, B, C, const STRICT: bool = true, F = ByTables> {
    pub(crate) board: &'h mut B,
    pub(crate) env: &'h mut HostEnv<'p, B, C>,
    /// How it gets at the machine as code.
    pub(crate) code: F,
}

/// The host that fused code works with: nothing that it writes has to wait.
pub(crate) type FusedHost<'h, 'p, B, C> = AgentHost<'h, 'p, B, C, false>;

impl<B: Board, C, const STRICT: bool, F> AgentHost<'_, '_, B, C, STRICT, F> {
    /// Puts a write off until the end of the tick. Only the last write of a key counts, so it takes
    /// the place of an earlier one.
    #[cold]
    fn stage(&mut self, key: KeyId, words: [u32; 3]) {
        let caller = &mut self.env.caller;
        let (head, words) = (Head::write(caller.agent(), key), words.map(u32::to_le));
        let overwritten = caller.out.merge(&head, |earlier| {
            earlier.copy_from_slice(words.as_bytes());
            true
        });
        if overwritten {
            return;
        }
        // A write that is lost does more harm than a sound: all of them are critical.
        let written = caller
            .out
            .write_or_lose(&head, words.as_bytes(), true, false);
        let list = if written {
            &mut caller.out.staged
        } else {
            &mut caller.out.lost_writes
        };
        list.push(caller.index as u32);
    }
}

/// Functions in Rust, in strict mode.
impl<B: Board, C, const STRICT: bool, F> AgentHost<'_, '_, B, C, STRICT, F> {
    /// Lets user code run, and puts off what it writes to the blackboard: until the end of the tick
    /// the blackboard is what it was before.
    #[cold]
    fn change_later<R>(&mut self, change: impl FnOnce(&mut B, &mut HostEnv<'_, B, C>) -> R) -> R {
        let mut staging = std::mem::take(&mut self.env.caller.out.staging);
        let env = &mut *self.env;
        let result = self
            .board
            .change_later(&mut staging, |board| change(board, env));
        for &(field, words) in &staging.writes {
            match self.env.table.key(field) {
                Some(key) => self.stage(key, words),
                // Machine files cannot see it, so that nobody else writes it.
                None => {
                    let caller = &mut self.env.caller;
                    caller.out.stage_field(caller.index as u32, field, words);
                }
            }
        }
        self.env.caller.out.staging = staging;
        result
    }
}

/// Calls.
impl<B: Board, C, const STRICT: bool, F> AgentHost<'_, '_, B, C, STRICT, F> {
    /// Asks a function that changes nothing.
    #[inline(always)]
    pub(crate) fn ask<R>(
        &self,
        code: fn(&B, &C, &mut GuardCx<'_, '_, '_>) -> R,
        view: kernel::GuardCx<'_, '_>,
    ) -> R {
        let mut cx = GuardCx::new(view, &self.env.caller);
        let answer = code(self.board, self.env.context, &mut cx);
        cx.returned();
        answer
    }

    /// Lets a function act; what it writes may have to wait.
    #[inline(always)]
    pub(crate) fn act<R>(
        &mut self,
        actor: kernel::ActionCx<'_, '_>,
        code: impl FnOnce(&mut B, &C, &mut ActionCx<'_, '_, '_>) -> R,
    ) -> R {
        if STRICT && self.env.strict {
            return self.change_later(|board, env| {
                let mut cx = ActionCx::new(actor, &mut env.caller);
                let result = code(board, env.context, &mut cx);
                cx.returned();
                result
            });
        }
        let HostEnv {
            context, caller, ..
        } = &mut *self.env;
        let mut cx = ActionCx::new(actor, caller);
        let result = code(self.board, context, &mut cx);
        cx.returned();
        result
    }

    #[cfg_attr(
        not(feature = "macros"),
        allow(dead_code, reason = "only what `machine!` writes makes use of it")
    )]
    /// Asks a function that needs no view of the agent.
    #[inline(always)]
    pub(crate) fn ask_plain<R>(&self, call: &'static CallSite, code: fn(&B, &C) -> R) -> R {
        let HostEnv {
            context, caller, ..
        } = &*self.env;
        call_plain(&caller.unwound, call, || code(self.board, context))
    }

    #[cfg_attr(
        not(feature = "macros"),
        allow(dead_code, reason = "only what `machine!` writes makes use of it")
    )]
    /// Lets a function act that needs no view of the agent. No write has to wait where such functions are
    /// called.
    #[inline(always)]
    pub(crate) fn act_plain<R>(
        &mut self,
        call: &'static CallSite,
        code: impl FnOnce(&mut B, &C) -> R,
    ) -> R {
        let HostEnv {
            context, caller, ..
        } = &*self.env;
        call_plain(&caller.unwound, call, || code(self.board, context))
    }

    /// Writes a field that holds a key.
    #[inline]
    pub(crate) fn write_field(&mut self, key: KeyId, field: usize, words: [u32; 3]) {
        if STRICT && self.env.strict {
            self.stage(key, words);
        } else {
            self.board.write(field, words);
        }
    }
}

/// Functions in Rust, of sealed agents (TAPE-2).
impl<B: Board, C, const STRICT: bool, F> AgentHost<'_, '_, B, C, STRICT, F> {
    fn seal(&self, write: impl FnOnce(&mut SealLog)) {
        if let Some(log) = &mut *self.env.caller.sealed.borrow_mut() {
            write(log);
        }
    }

    fn begin_sealed(&self, asked: Question) {
        let index = self.env.caller.index as u32;
        self.seal(|log| log.begin(index, asked));
    }

    /// Asks a function that changes nothing.
    #[cold]
    fn ask_sealed<R: Answer>(
        &self,
        kind: CallKind,
        code: fn(&B, &C, &mut GuardCx<'_, '_, '_>) -> R,
        view: kernel::GuardCx<'_, '_>,
    ) -> R {
        let before = view.peek_rng();
        self.begin_sealed(kind.asks(view.function(), question(&view.call())));
        let mut cx = GuardCx::new(view, &self.env.caller);
        let answer = code(self.board, self.env.context, &mut cx);
        let after = cx.view.peek_rng();
        cx.returned();
        self.seal(|log| {
            if after != before {
                log.rng(after);
            }
            log.answer(&answer);
        });
        answer
    }

    /// Lets a function act.
    #[cold]
    fn act_sealed<R: Answer>(
        &mut self,
        kind: CallKind,
        actor: kernel::ActionCx<'_, '_>,
        code: impl FnOnce(&mut B, &C, &mut ActionCx<'_, '_, '_>) -> R,
    ) -> R {
        let before = actor.peek_rng();
        self.begin_sealed(kind.asks(actor.function(), question(&actor.call())));
        let mut after = before;
        let act = |board: &mut B, context: &C, cx: &mut ActionCx<'_, '_, '_>| {
            let result = code(board, context, cx);
            after = cx.actor.peek_rng();
            result
        };
        // What it wrote to the blackboard is noted in either way.
        let (result, staging) = if self.env.strict {
            let result = self.act(actor, act);
            (result, std::mem::take(&mut self.env.caller.out.staging))
        } else {
            let log = self.env.caller.sealed.get_mut().as_mut();
            let mut staging =
                log.map_or_else(Default::default, |log| std::mem::take(&mut log.staging));
            let HostEnv {
                context, caller, ..
            } = &mut *self.env;
            let result = self.board.change_seen(&mut staging, |board| {
                let mut cx = ActionCx::new(actor, caller);
                let result = act(board, context, &mut cx);
                cx.returned();
                result
            });
            (result, staging)
        };
        let table = &self.env.table;
        self.seal(|log| {
            for &(field, words) in &staging.writes {
                if let Some(key) = table.key(field) {
                    log.write_key(key, words);
                }
            }
            if after != before {
                log.rng(after);
            }
            log.answer(&result);
        });
        if self.env.strict {
            self.env.caller.out.staging = staging;
        } else {
            self.seal(|log| log.staging = staging);
        }
        result
    }
}

impl<B: Board, C, const STRICT: bool, F: FusedBy<B, C>> Host
    for AgentHost<'_, '_, B, C, STRICT, F>
{
    #[inline]
    fn guard(&self, function: FunctionId, view: kernel::GuardCx<'_, '_>) -> Verdict {
        let guard = self.env.table.guard(function);
        if STRICT && self.env.sealing {
            return self.ask_sealed(CallKind::Guard, guard, view);
        }
        self.ask(guard, view)
    }

    #[inline]
    fn score(&self, function: FunctionId, view: kernel::GuardCx<'_, '_>) -> f32 {
        let scorer = self.env.table.scorer(function);
        if STRICT && self.env.sealing {
            return self.ask_sealed(CallKind::Scorer, scorer, view);
        }
        self.ask(scorer, view)
    }

    fn value(&self, function: FunctionId, view: kernel::GuardCx<'_, '_>) -> [u32; 3] {
        let value = self.env.table.value(function);
        if STRICT && self.env.sealing {
            return self.ask_sealed(CallKind::Value, value, view);
        }
        self.ask(value, view)
    }

    #[inline]
    fn action(&mut self, function: FunctionId, actor: kernel::ActionCx<'_, '_>) {
        let action = self.env.table.action(function);
        if STRICT && self.env.sealing {
            return self.act_sealed(CallKind::Action, actor, action);
        }
        self.act(actor, action);
    }

    #[inline]
    fn activity(
        &mut self,
        function: FunctionId,
        mode: Mode,
        actor: kernel::ActionCx<'_, '_>,
    ) -> Status {
        let activity = self.env.table.activity(function);
        if STRICT && self.env.sealing {
            let kind = CallKind::of_mode(mode);
            return self.act_sealed(kind, actor, |me, context, cx| {
                activity(me, context, mode, cx)
            });
        }
        self.act(actor, |me, context, cx| activity(me, context, mode, cx))
    }

    #[inline]
    fn is_fused(&self) -> bool {
        !STRICT && F::IS_THERE
    }

    #[inline(always)]
    fn fused(&mut self, fuse: Fuse<'_, '_>, phase: Phase<'_>) -> Step {
        if STRICT {
            return Step::Tables;
        }
        let mut host = FusedHost {
            board: &mut *self.board,
            env: &mut *self.env,
            code: ByTables,
        };
        self.code.run(fuse, &mut host, phase)
    }

    #[inline(always)]
    fn calling(&mut self, agent: AnyCalling<'_, '_>, phase: Phase<'_>) -> Step {
        if STRICT {
            return Step::Tables;
        }
        let mut host = FusedHost {
            board: &mut *self.board,
            env: &mut *self.env,
            code: ByTables,
        };
        self.code.run_calling(agent, &mut host, phase)
    }

    #[inline(always)]
    fn timers(&self) -> u8 {
        self.code.timers()
    }

    #[inline(always)]
    fn polls(&mut self, agent: AnyCalling<'_, '_>) -> Quiet {
        if STRICT {
            return Quiet::Slow;
        }
        let mut host = FusedHost {
            board: &mut *self.board,
            env: &mut *self.env,
            code: ByTables,
        };
        self.code.run_polls(agent, &mut host)
    }

    fn command(&mut self, command: &Command) -> bool {
        let caller = &mut self.env.caller;
        let (head, words, bytes) = Head::built_in(caller.agent(), command);
        let payload = words.as_bytes().get(..bytes).unwrap_or(&[]);
        let added = caller.out.accumulates(head.lane)
            && caller
                .out
                .merge(&head, |earlier| commands::add(head.ty, earlier, payload));
        // A channel whose release is lost would stay taken for ever.
        let capped = !matches!(command.kind, CommandKind::Release { .. });
        added
            || caller
                .out
                .write_or_lose(&head, payload, command.critical, capped)
    }

    fn is_critical(&self, _: &Rom<'_>, lane: LaneId) -> bool {
        self.env.caller.out.is_critical(lane.raw())
    }

    #[inline]
    fn read_key(&self, key: KeyId) -> [u32; 3] {
        self.board.read(self.env.table.field(key))
    }

    #[inline(always)]
    fn read_word(&self, key: KeyId) -> u32 {
        self.board.read(self.env.table.field(key))[0]
    }

    #[inline]
    fn write_key(&mut self, key: KeyId, words: [u32; 3]) {
        let field = self.env.table.field(key);
        self.write_field(key, field, words);
    }
}
