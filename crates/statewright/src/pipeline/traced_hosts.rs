//! The same user code with a tracer beside it (SYS-3). Ticks without a trace have hosts that know
//! nothing of one.

use std::cell::Cell;

use statewright_kernel::{
    ActionCx, Command, Event, GuardCx, Host, Hosts, Mode, Status, Trace, Verdict,
};
use statewright_rom::ids::{FunctionId, KeyId};
use statewright_trace::{Reasons, Tracer};

use super::hosts::ChunkHosts;
use crate::agent_id::AgentId;
use crate::board::Board;
use crate::host::{AgentHost, HostEnv};

/// Where what agents of a run do is written down.
pub(super) struct Traced<'t> {
    pub(super) tracer: &'t mut Tracer,
    /// From the first agent of the run on, or none.
    pub(super) reasons: &'t mut [Reasons],
    /// How often each function was called; none if nobody counts.
    pub(super) calls: &'t [Cell<u64>],
}

/// User code of all agents of a run, with a tracer.
pub(super) struct TracedHosts<'t, 'p, B, C> {
    hosts: &'t mut ChunkHosts<'p, B, C>,
    traced: Traced<'t>,
    /// Everybody is recorded, in outline: there is nothing to ask about an agent.
    is_plain: bool,
}

/// User code of one agent, with a tracer.
pub(super) struct TracedHost<'h, 'p, B, C> {
    host: AgentHost<'h, 'p, B, C>,
    tracer: &'h mut Tracer,
    reasons: Option<&'h mut Reasons>,
    /// Whether this agent is recorded.
    is_on: bool,
    /// How often each function was called, if this agent is recorded.
    calls: &'h [Cell<u64>],
}

impl<'t, 'p, B: Board, C> TracedHosts<'t, 'p, B, C> {
    pub(super) fn new(hosts: &'t mut ChunkHosts<'p, B, C>, traced: Traced<'t>) -> Self {
        let is_plain = traced.tracer.is_outline_of_all() && traced.reasons.is_empty();
        Self {
            hosts,
            traced,
            is_plain,
        }
    }

    /// Number of the agent at an index.
    #[inline]
    fn agent(&self, index: usize) -> u32 {
        self.hosts.env.caller.ids.number(index)
    }

    #[inline(never)]
    fn host(&mut self, index: usize, is_on: bool, host: HostOf<B, C>) -> TracedHost<'_, 'p, B, C> {
        let first = self.hosts.first;
        let Traced {
            tracer,
            reasons,
            calls,
        } = &mut self.traced;
        let reasons = reasons
            .get_mut(index - first)
            .filter(|reasons| is_on && !reasons.is_empty());
        TracedHost {
            host: host(self.hosts, index),
            tracer,
            reasons,
            is_on,
            calls: if is_on { calls } else { &[] },
        }
    }
}

/// How the host of an agent is had: for its turn, or once more.
type HostOf<B, C> = for<'h, 'p> fn(&'h mut ChunkHosts<'p, B, C>, usize) -> AgentHost<'h, 'p, B, C>;

impl<'p, B: Board, C> Hosts for TracedHosts<'_, 'p, B, C> {
    type Host<'h>
        = TracedHost<'h, 'p, B, C>
    where
        Self: 'h;

    #[inline]
    fn of(&mut self, index: usize, _: u64) -> TracedHost<'_, 'p, B, C> {
        let agent = self.agent(index);
        if self.is_plain {
            let Traced { tracer, calls, .. } = &mut self.traced;
            tracer.begin(agent);
            return TracedHost {
                host: self.hosts.of(index, 0),
                tracer,
                reasons: None,
                is_on: true,
                calls,
            };
        }
        let is_on = self.traced.tracer.filter().has_agent(agent);
        if is_on {
            self.traced.tracer.begin(agent);
        }
        self.host(index, is_on, |hosts, index| hosts.of(index, 0))
    }

    #[inline]
    fn again(&mut self, index: usize, _: u64) -> TracedHost<'_, 'p, B, C> {
        let is_on = self.traced.tracer.filter().has_agent(self.agent(index));
        self.host(index, is_on, |hosts, index| hosts.again(index, 0))
    }

    #[inline]
    fn fetch(&self, index: usize) {
        self.hosts.fetch(index);
    }

    #[inline]
    fn traces_steps(&self, index: usize) -> bool {
        if self.is_plain {
            return false;
        }
        let agent = self.agent(index);
        !self.traced.tracer.is_outline_of(agent) && self.traced.tracer.filter().has_agent(agent)
    }

    #[inline]
    fn pass(&mut self, index: usize, _: u64, event: &Event) {
        let agent = self.agent(index);
        if self.traced.tracer.filter().has_agent(agent) {
            self.traced.tracer.begin(agent);
            self.traced.tracer.pass(event);
        }
    }
}

impl<'p, B: Board, C> TracedHost<'_, 'p, B, C> {
    /// The agent.
    pub(super) fn agent(&self) -> AgentId {
        self.host.env.caller.agent()
    }

    /// A function is called. Nobody else counts in these numbers while the run lasts.
    #[inline]
    fn count(&self, function: FunctionId) {
        if let Some(calls) = self.calls.get(function.index()) {
            calls.set(calls.get().wrapping_add(1));
        }
    }

    /// Lets a function run, and records what it wrote to the blackboard, those keys that the machine
    /// declares, and which typed commands it emitted. At level 1 nobody looks.
    #[inline]
    fn call<R>(&mut self, call: impl FnOnce(&mut AgentHost<'_, 'p, B, C>) -> R) -> R {
        if self.is_on && !self.tracer.is_outline() {
            self.call_seen(call)
        } else {
            call(&mut self.host)
        }
    }

    #[cold]
    fn call_seen<R>(&mut self, call: impl FnOnce(&mut AgentHost<'_, 'p, B, C>) -> R) -> R {
        self.host.env.caller.out.note_names(true);
        let AgentHost { board, env, code } = &mut self.host;
        let result = if env.strict {
            // Writes that wait are noted already.
            call(&mut self.host)
        } else {
            let mut staging = std::mem::take(&mut env.caller.out.staging);
            let result = board.change_seen(&mut staging, |board| {
                call(&mut AgentHost {
                    board,
                    env,
                    code: *code,
                })
            });
            env.caller.out.staging = staging;
            result
        };
        let HostEnv { table, caller, .. } = &mut *self.host.env;
        caller.out.note_names(false);
        for &(field, words) in &caller.out.staging.writes {
            if let Some(key) = table.key(field) {
                self.tracer.wrote(key, words);
            }
        }
        for said in &caller.out.naming.said {
            self.tracer.emitted(said.lane, said.name, said.had_room);
        }
        result
    }
}

impl<B: Board, C> Host for TracedHost<'_, '_, B, C> {
    #[inline]
    fn guard(&self, function: FunctionId, view: GuardCx<'_, '_>) -> Verdict {
        self.count(function);
        self.host.guard(function, view)
    }

    #[inline]
    fn score(&self, function: FunctionId, view: GuardCx<'_, '_>) -> f32 {
        self.count(function);
        self.host.score(function, view)
    }

    fn value(&self, function: FunctionId, view: GuardCx<'_, '_>) -> [u32; 3] {
        self.count(function);
        self.host.value(function, view)
    }

    #[inline]
    fn action(&mut self, function: FunctionId, actor: ActionCx<'_, '_>) {
        self.count(function);
        self.call(|host| host.action(function, actor));
    }

    #[inline]
    fn activity(&mut self, function: FunctionId, mode: Mode, actor: ActionCx<'_, '_>) -> Status {
        self.count(function);
        self.call(|host| host.activity(function, mode, actor))
    }

    fn command(&mut self, command: &Command) -> bool {
        let had_room = self.host.command(command);
        if self.is_on {
            let written = self.host.env.caller.out.spent();
            self.tracer.command(command, had_room, written);
        }
        had_room
    }

    fn read_key(&self, key: KeyId) -> [u32; 3] {
        self.host.read_key(key)
    }

    fn write_key(&mut self, key: KeyId, words: [u32; 3]) {
        self.host.write_key(key, words);
        if self.is_on {
            self.tracer.wrote(key, words);
        }
    }

    #[inline]
    fn is_tracing(&self) -> bool {
        self.is_on
    }

    #[inline]
    fn is_outline(&self) -> bool {
        self.tracer.is_outline()
    }

    #[inline(always)]
    fn trace(&mut self, trace: &Trace) {
        if let Trace::Started = trace {
            self.tracer.set_life(self.agent().generation());
        }
        if let Trace::Called(function) = *trace {
            let written = self.host.env.caller.out.spent();
            self.tracer.called(function, written);
        }
        self.tracer.trace(trace, self.reasons.as_deref_mut());
    }
}
