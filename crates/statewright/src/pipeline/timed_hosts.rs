//! The same user code with a clock beside it, traced or not. Ticks that nobody measures have hosts
//! that know nothing of one.

use std::cell::RefCell;

use statewright_kernel::{
    ActionCx, Command, Event, GuardCx, Host, Hosts, Mode, Status, Trace, Verdict,
};
use statewright_rom::ids::{FunctionId, KeyId};

use super::hosts::ChunkHosts;
use super::timing::{CallTimes, SlowCall, Timing};
use super::traced_hosts::{Traced, TracedHost, TracedHosts};
use crate::board::Board;
use crate::host::AgentHost;

/// User code of all agents of a run, with a clock.
pub(super) struct TimedHosts<'t, 'p, B, C> {
    hosts: AnyHosts<'t, 'p, B, C>,
    clock: Clock<'t>,
}

enum AnyHosts<'t, 'p, B, C> {
    Plain(&'t mut ChunkHosts<'p, B, C>),
    Traced(TracedHosts<'t, 'p, B, C>),
}

/// User code of one agent, with a clock.
pub(super) struct TimedHost<'h, 'p, B, C> {
    host: AnyHost<'h, 'p, B, C>,
    clock: Clock<'h>,
}

enum AnyHost<'h, 'p, B, C> {
    Plain(AgentHost<'h, 'p, B, C>),
    Traced(TracedHost<'h, 'p, B, C>),
}

/// What measures, and where it is noted. Guards cannot be changed while they answer, so that notes
/// are taken from beside.
#[derive(Clone, Copy)]
struct Clock<'t> {
    timing: &'t Timing,
    times: &'t RefCell<CallTimes>,
    tick: u32,
}

impl<'t, 'p, B: Board, C> TimedHosts<'t, 'p, B, C> {
    pub(super) fn new(
        hosts: &'t mut ChunkHosts<'p, B, C>,
        traced: Option<Traced<'t>>,
        (timing, tick): (&'t Timing, u32),
        times: &'t RefCell<CallTimes>,
    ) -> Self {
        let hosts = match traced {
            None => AnyHosts::Plain(hosts),
            Some(traced) => AnyHosts::Traced(TracedHosts::new(hosts, traced)),
        };
        let clock = Clock {
            timing,
            times,
            tick,
        };
        Self { hosts, clock }
    }
}

impl<'p, B: Board, C> Hosts for TimedHosts<'_, 'p, B, C> {
    type Host<'h>
        = TimedHost<'h, 'p, B, C>
    where
        Self: 'h;

    fn of(&mut self, index: usize, agent: u64) -> TimedHost<'_, 'p, B, C> {
        let clock = self.clock;
        let host = match &mut self.hosts {
            AnyHosts::Plain(hosts) => AnyHost::Plain(hosts.of(index, agent)),
            AnyHosts::Traced(hosts) => AnyHost::Traced(hosts.of(index, agent)),
        };
        TimedHost { host, clock }
    }

    fn again(&mut self, index: usize, agent: u64) -> TimedHost<'_, 'p, B, C> {
        let clock = self.clock;
        let host = match &mut self.hosts {
            AnyHosts::Plain(hosts) => AnyHost::Plain(hosts.again(index, agent)),
            AnyHosts::Traced(hosts) => AnyHost::Traced(hosts.again(index, agent)),
        };
        TimedHost { host, clock }
    }

    fn fetch(&self, index: usize) {
        match &self.hosts {
            AnyHosts::Plain(hosts) => hosts.fetch(index),
            AnyHosts::Traced(hosts) => hosts.fetch(index),
        }
    }

    fn traces_steps(&self, index: usize) -> bool {
        match &self.hosts {
            AnyHosts::Plain(hosts) => hosts.traces_steps(index),
            AnyHosts::Traced(hosts) => hosts.traces_steps(index),
        }
    }

    fn pass(&mut self, index: usize, agent: u64, event: &Event) {
        match &mut self.hosts {
            AnyHosts::Plain(hosts) => hosts.pass(index, agent, event),
            AnyHosts::Traced(hosts) => hosts.pass(index, agent, event),
        }
    }
}

/// Asks the host inside.
macro_rules! inside {
    ($any:expr, $host:ident => $work:expr) => {
        match $any {
            AnyHost::Plain($host) => $work,
            AnyHost::Traced($host) => $work,
        }
    };
}

impl<B: Board, C> TimedHost<'_, '_, B, C> {
    /// A call that began then ends now.
    fn note(&self, function: FunctionId, began: u64) {
        let Clock {
            timing,
            times,
            tick,
        } = self.clock;
        let time = timing.now().saturating_sub(began);
        let agent = match &self.host {
            AnyHost::Plain(host) => host.env.caller.agent(),
            AnyHost::Traced(host) => host.agent(),
        };
        let call = SlowCall {
            tick,
            agent,
            function,
            time,
        };
        times.borrow_mut().note(timing, call);
    }
}

impl<B: Board, C> Host for TimedHost<'_, '_, B, C> {
    fn guard(&self, function: FunctionId, view: GuardCx<'_, '_>) -> Verdict {
        let began = self.clock.timing.now();
        let verdict = inside!(&self.host, host => host.guard(function, view));
        self.note(function, began);
        verdict
    }

    fn score(&self, function: FunctionId, view: GuardCx<'_, '_>) -> f32 {
        let began = self.clock.timing.now();
        let score = inside!(&self.host, host => host.score(function, view));
        self.note(function, began);
        score
    }

    fn value(&self, function: FunctionId, view: GuardCx<'_, '_>) -> [u32; 3] {
        let began = self.clock.timing.now();
        let words = inside!(&self.host, host => host.value(function, view));
        self.note(function, began);
        words
    }

    fn action(&mut self, function: FunctionId, actor: ActionCx<'_, '_>) {
        let began = self.clock.timing.now();
        inside!(&mut self.host, host => host.action(function, actor));
        self.note(function, began);
    }

    fn activity(&mut self, function: FunctionId, mode: Mode, actor: ActionCx<'_, '_>) -> Status {
        let began = self.clock.timing.now();
        let status = inside!(&mut self.host, host => host.activity(function, mode, actor));
        self.note(function, began);
        status
    }

    fn command(&mut self, command: &Command) -> bool {
        inside!(&mut self.host, host => host.command(command))
    }

    fn read_key(&self, key: KeyId) -> [u32; 3] {
        inside!(&self.host, host => host.read_key(key))
    }

    fn write_key(&mut self, key: KeyId, words: [u32; 3]) {
        inside!(&mut self.host, host => host.write_key(key, words));
    }

    fn is_tracing(&self) -> bool {
        inside!(&self.host, host => host.is_tracing())
    }

    fn is_outline(&self) -> bool {
        inside!(&self.host, host => host.is_outline())
    }

    fn trace(&mut self, trace: &Trace) {
        inside!(&mut self.host, host => host.trace(trace));
    }
}
