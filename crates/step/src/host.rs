//! The border to the kernel: answers for functions that nobody provides, and a record of
//! everything.

use std::cell::RefCell;

use statewright::{Blackboard, Board};
use statewright_author::names::visible;
use statewright_describe as describe;
use statewright_kernel::{
    ActionCx, Call, Command, CommandKind, GuardCx, Host, Mode, Status, Trace, Verdict,
};
use statewright_rom::Rom;
use statewright_rom::ids::*;
use statewright_rom::layout::{BuiltInLane, PayloadKind, policy};
use statewright_symbols::SymbolKind;

use crate::names::{Names, bare};
use crate::record::{ActionKind, StepEvent};
use crate::stubs::Stubs;
use crate::value::{key_type, payload_words, value_type, value_words};

/// User code of the one agent.
pub(crate) struct StepHost<'s> {
    rom: &'s Rom<'s>,
    names: &'s Names,
    stubs: &'s Stubs,
    board: &'s mut Blackboard,
    /// Writes that wait for the end of the tick (CODE-5).
    staged: Vec<(KeyId, [u32; 3])>,
    /// Guards get `&self`, so it lies in a cell.
    log: RefCell<Vec<StepEvent>>,
}

impl<'s> StepHost<'s> {
    pub(crate) fn new(
        rom: &'s Rom<'s>,
        names: &'s Names,
        stubs: &'s Stubs,
        board: &'s mut Blackboard,
    ) -> Self {
        Self {
            rom,
            names,
            stubs,
            board,
            staged: Vec::new(),
            log: RefCell::default(),
        }
    }

    /// The record of a tick that is over. Staged writes are done now.
    pub(crate) fn finish(mut self) -> Vec<StepEvent> {
        for (key, words) in std::mem::take(&mut self.staged) {
            self.board.write(key.index(), words);
        }
        self.log.into_inner()
    }

    fn note(&self, event: StepEvent) {
        self.log.borrow_mut().push(event);
    }

    fn words_of(&self, call: &Call<'_>) -> String {
        bare(&describe::call_text(
            self.rom,
            Some(&self.names.symbols),
            call.function,
            call.arguments,
        ))
    }

    fn did(&self, kind: ActionKind, words: String, state: Option<StateId>) {
        self.note(StepEvent::Did { kind, words, state });
    }

    fn command_words(&self, command: &Command) -> String {
        match command.kind {
            CommandKind::Emit {
                name,
                ty,
                payload: [x, y, z],
            } => {
                let name = visible(self.rom.string(name).unwrap_or("?"));
                let value = ty.map(|ty| {
                    format!(
                        "({})",
                        value_words(self.rom, PayloadKind::of_value(ty), [x, y, z, 0])
                    )
                });
                format!(
                    "emit {} {name}{}",
                    self.lane(command.lane),
                    value.unwrap_or_default()
                )
            }
            CommandKind::Release { channel } => {
                let text = self
                    .rom
                    .channel(channel)
                    .and_then(|record| StringId::read(record.command));
                let text = visible(text.and_then(|text| self.rom.string(text)).unwrap_or("?"));
                format!("emit {} {text} (channel free)", self.lane(command.lane))
            }
            CommandKind::Send {
                to: [low, high],
                event,
                payload,
            } => {
                let (to, value) = (
                    u64::from(low) | u64::from(high) << 32,
                    payload_words(self.rom, event, payload),
                );
                let value = if value.is_empty() {
                    value
                } else {
                    format!("({value})")
                };
                format!("send {}{value} to {to}", self.names.event(event))
            }
        }
    }

    fn lane(&self, lane: LaneId) -> String {
        let own = || {
            lane.index()
                .checked_sub(BuiltInLane::COUNT)
                .and_then(|own| self.names.symbols.name(SymbolKind::Lane, own))
        };
        match BuiltInLane::NAMES.get(lane.index()) {
            Some(name) => (*name).to_owned(),
            None => own().map_or_else(|| format!("lane_{lane}"), str::to_owned),
        }
    }
}

impl Host for StepHost<'_> {
    fn guard(&self, function: FunctionId, view: GuardCx<'_, '_>) -> Verdict {
        let verdict = self.stubs.ask_guard(function);
        let Verdict { holds, code } = verdict;
        self.note(StepEvent::Asked {
            call: self.words_of(&view.call()),
            holds,
            code,
        });
        verdict
    }

    fn score(&self, function: FunctionId, view: GuardCx<'_, '_>) -> f32 {
        let score = self.stubs.score(function);
        self.note(StepEvent::Scored {
            call: self.words_of(&view.call()),
            score,
        });
        score
    }

    fn value(&self, function: FunctionId, view: GuardCx<'_, '_>) -> [u32; 3] {
        let words = self.stubs.value(function);
        let [x, y, z] = words;
        self.note(StepEvent::Gave {
            call: self.words_of(&view.call()),
            value: value_words(self.rom, value_type(self.rom, function), [x, y, z, 0]),
        });
        words
    }

    fn action(&mut self, _: FunctionId, actor: ActionCx<'_, '_>) {
        let call = actor.call();
        self.did(ActionKind::Call, self.words_of(&call), Some(call.state));
    }

    fn activity(&mut self, function: FunctionId, mode: Mode, actor: ActionCx<'_, '_>) -> Status {
        let status = self.stubs.activity(function);
        let call = actor.call();
        self.note(StepEvent::Activity {
            call: self.words_of(&call),
            mode,
            status,
            state: call.state,
        });
        status
    }

    fn command(&mut self, command: &Command) -> bool {
        self.did(
            ActionKind::Command,
            self.command_words(command),
            Some(command.state),
        );
        true
    }

    fn read_key(&self, key: KeyId) -> [u32; 3] {
        self.board.read(key.index())
    }

    fn write_key(&mut self, key: KeyId, words: [u32; 3]) {
        let [x, y, z] = words;
        let ty = key_type(self.rom, key.index());
        let value = value_words(self.rom, ty, [x, y, z, 0]);
        let strict = self.rom.header().policies & policy::STRICT_WRITES != 0;
        let later = if strict { " (after the tick)" } else { "" };
        self.did(
            ActionKind::Write,
            format!("{} = {value}{later}", self.names.key(key)),
            None,
        );
        match strict {
            true => self.staged.push((key, words)),
            false => self.board.write(key.index(), words),
        }
    }

    fn is_tracing(&self) -> bool {
        true
    }

    fn trace(&mut self, trace: &Trace) {
        let event = match *trace {
            Trace::Select(cause) => StepEvent::Select(cause),
            Trace::Rejected(id, reason) => StepEvent::Rejected(id, reason),
            Trace::Taken(id) => StepEvent::Taken(id),
            Trace::Deferred(event) => StepEvent::Deferred(event),
            Trace::Unhandled(event) => StepEvent::Unhandled(event),
            Trace::Entered(state) => StepEvent::Entered(state),
            Trace::Exited(state) => StepEvent::Exited(state),
            Trace::Fired(timer) => StepEvent::Fired(timer),
            Trace::Lost(event, loss) => StepEvent::Lost(event, loss),
            Trace::Read(key, words) => {
                let [x, y, z] = words;
                StepEvent::Read {
                    name: self.names.key(key).to_owned(),
                    value: value_words(self.rom, key_type(self.rom, key.index()), [x, y, z, 0]),
                }
            }
            Trace::Scored(id, score) => StepEvent::Score(id, score),
            Trace::Drew(function, draws) => StepEvent::Drew(function, draws),
            Trace::Clamped => StepEvent::Clamped,
            Trace::FailSafe => StepEvent::FailSafe,
            Trace::Terminated => StepEvent::Terminated,
            Trace::Action(op) => {
                debug_assert!(!op.kind.get().calls(), "calls reach the host themselves");
                let words = visible(&describe::action_text(
                    self.rom,
                    Some(&self.names.symbols),
                    &op,
                ));
                return self.did(ActionKind::BuiltIn, words, None);
            }
            // What the record says in another way: calls reach the host themselves, and the
            // instance shows leaves and timers.
            Trace::Jumped(..)
            | Trace::Latched(_)
            | Trace::Leaf(_)
            | Trace::Suspended(_)
            | Trace::Resumed(_)
            | Trace::TimerSet(..)
            | Trace::TimerStopped(_)
            | Trace::Guard { .. }
            | Trace::Asked { .. }
            | Trace::Gave(..)
            | Trace::Called(_)
            | Trace::LostNotes(_)
            | Trace::Activity(..)
            | Trace::Started
            | Trace::Faulted(_) => return,
        };
        self.note(event);
    }
}
