//! Action lists: calls of user code and built-in actions (CODE-3, CODE-4).

use statewright_rom::code::arith;
use statewright_rom::ids::*;
use statewright_rom::layout::*;

use crate::code::eval::evaluate;
use crate::code::straight::straight_word_here;
use crate::context::{Arguments, Context, Site};
use crate::host::cx::{ActionCx, scratch_slots};
use crate::host::trace::Trace;
use crate::host::{AnyHost, Command, CommandKind, Host};
use crate::instance::event::event_flag;
use crate::tick::Tick;

/// The lane that carries events to other agents (CMD-1).
const MESSAGE_LANE: u16 = BuiltInLane::Message.number() as u16;

impl Tick<'_, '_> {
    /// Runs a list, if there is one.
    pub(crate) fn run_list(&mut self, list: Option<ListId>, site: &Site) {
        if let Some(list) = list {
            self.run_ops(self.cx.rom.list(list), site);
        }
    }

    /// Runs the ops of a list, or the last of them.
    fn run_ops(&mut self, ops: &[OpRecord], site: &Site) {
        let mut ops = ops.iter();
        while let Some(op) = ops.next() {
            match op.kind.get() {
                ActionOp::Unless | ActionOp::Skip => {
                    let skips =
                        op.kind == ActionOp::Skip || self.value_apart(op.a.get(), site)[0] == 0;
                    if skips && let Some(last) = (op.b.get() as usize).checked_sub(1) {
                        let _ = ops.nth(last);
                    }
                }
                ActionOp::Set | ActionOp::Add => {
                    self.write_key(op, site);
                    self.tell_notes();
                }
                ActionOp::Call
                | ActionOp::Evaluate
                | ActionOp::Raise
                | ActionOp::Send
                | ActionOp::Emit
                | ActionOp::StartTimer
                | ActionOp::StopTimer
                | ActionOp::ClearHistory
                | ActionOp::CallWith
                | ActionOp::SetScratch
                | ActionOp::AddScratch => self.run_op(op, site),
            }
        }
    }

    pub(crate) fn run_op(&mut self, op: &OpRecord, site: &Site) {
        self.run_one(op, site);
        self.tell_notes();
    }

    #[inline(always)]
    fn run_one(&mut self, op: &OpRecord, site: &Site) {
        match op.kind.get() {
            ActionOp::Call => {
                if let Some(function) = self.cx.prepare_call(op, site) {
                    let rng = self.rng_before();
                    self.host.action(function, ActionCx::new(self.cx));
                    self.tell_called(function, rng);
                }
            }
            ActionOp::CallWith => {
                self.compute_arguments(op, site);
                if let Some(function) = self.cx.prepare_call(op, site) {
                    let rng = self.rng_before();
                    self.host.action(function, ActionCx::new(self.cx));
                    self.tell_called(function, rng);
                }
            }
            ActionOp::Set | ActionOp::Add => self.write_key(op, site),
            ActionOp::SetScratch | ActionOp::AddScratch => self.write_scratch(op, site),
            ActionOp::Raise => {
                let payload = self.payload(op.b.get() as u16, site);
                self.trace_action(op);
                if let Some(event) = self.cx.proved(EventId::read(op.a)) {
                    self.cx.post_own(event, None, payload, event_flag::INTERNAL);
                }
            }
            ActionOp::Send => self.send(op, site),
            ActionOp::Emit => self.emit(op, site),
            ActionOp::StartTimer => {
                self.trace_action(op);
                if let Some(timer) = self.cx.proved(TimerId::read(op.a)) {
                    let ticks = self.ticks(DurationWord::from_raw(op.b.get()), site);
                    self.cx.start_timer(timer, ticks);
                }
            }
            ActionOp::StopTimer => {
                self.trace_action(op);
                if let Some(timer) = self.cx.proved(TimerId::read(op.a)) {
                    self.cx.stop_timer(timer);
                }
            }
            ActionOp::ClearHistory => {
                self.trace_action(op);
                if let Some(state) = self.cx.proved(StateId::read(op.a)) {
                    self.cx.clear_history(state);
                }
            }
            // No action; and what leaves out ops is taken care of by the list.
            ActionOp::Evaluate | ActionOp::Unless | ActionOp::Skip => {}
        }
    }

    /// Tells the tracer what no call of the host tells. Kept apart, so that others need no stack
    /// for it.
    #[inline(never)]
    fn trace_action(&mut self, op: &OpRecord) {
        if self.tracing {
            self.host.trace(&Trace::Action(*op));
        }
    }

    /// What an expression of an action gives. Kept apart, so that others need no stack for it.
    #[inline(never)]
    fn value_apart(&mut self, expression: u16, site: &Site) -> [u32; 3] {
        self.value(expression, site)
    }

    /// What an expression of an action gives. Chance in it is told, as that of guards is (CODE-6).
    #[inline(always)]
    fn value(&mut self, expression: u16, site: &Site) -> [u32; 3] {
        let Some(expression) = ExpressionId::new(expression) else {
            return [0; 3];
        };
        let rng = self.rng_before();
        let words = evaluate(self.cx, self.host, expression, site, None);
        self.tell_draws(None, rng);
        words
    }

    /// Computes the arguments of a call, from left to right as they are written (LANG-4).
    #[inline(never)]
    pub(crate) fn compute_arguments(&mut self, op: &OpRecord, site: &Site) {
        let run = self.cx.rom.arguments_of(op);
        let mut values = Arguments::default();
        for (value, argument) in values.iter_mut().zip(run) {
            *value = *argument;
        }
        for place in 0..u32::from(MAX_ARGUMENTS) {
            let argument = values.iter_mut().find(|one| one.place() == Some(place));
            let Some(argument) = argument else {
                break;
            };
            let words = self.value(argument.words[0].get() as u16, site);
            *argument = argument.with_words(words);
        }
        // Functions that the expressions called have left theirs.
        self.cx.computed = Some(values);
    }

    /// Writes scratch: the low bits, while its owner is active (LANG-8). Observers write none.
    #[inline(never)]
    fn write_scratch(&mut self, op: &OpRecord, site: &Site) {
        let [value, ..] = self.value_apart(op.a.get(), site);
        self.trace_action(op);
        let scratch = self.cx.proved(ScratchId::new(op.b.get() as u16));
        let slot = scratch.and_then(|scratch| scratch_slots(self.cx, scratch).next());
        let Some(slot) = slot.filter(|_| !self.cx.observing) else {
            return;
        };
        let added = if op.kind == ActionOp::AddScratch {
            self.cx.slot(slot)
        } else {
            0
        };
        self.cx.set_slot(slot, added.wrapping_add(value as u16));
    }

    fn payload(&mut self, expression: u16, site: &Site) -> [u32; 4] {
        let [x, y, z] = self.value_apart(expression, site);
        [x, y, z, 0]
    }

    #[inline(never)]
    fn write_key(&mut self, op: &OpRecord, site: &Site) {
        let value = self.value(op.a.get(), site);
        assign(self.cx, self.host, op, value);
    }

    #[inline(never)]
    fn send(&mut self, op: &OpRecord, site: &Site) {
        let (payload, receiver) = (op.b.get() as u16, (op.b.get() >> 16) as u16);
        let payload = self.payload(payload, site);
        let Some(event) = self.cx.proved(EventId::read(op.a)) else {
            return;
        };
        if receiver == NONE {
            self.trace_action(op);
            self.cx.post_own(event, None, payload, 0);
            return;
        }
        let [low, high, _] = self.value_apart(receiver, site);
        let critical = self.is_critical(MESSAGE_LANE);
        self.command(
            MESSAGE_LANE,
            critical,
            CommandKind::Send {
                to: [low, high],
                event,
                payload,
            },
            site,
        );
    }

    #[inline(never)]
    fn emit(&mut self, op: &OpRecord, site: &Site) {
        let (expression, lane) = (op.b.get() as u16, (op.b.get() >> 16) as u16);
        let payload = self.value_apart(expression, site);
        let ty = ExpressionId::new(expression)
            .and_then(|e| self.cx.rom.expression(e))
            .map(|record| record.ty.get());
        let critical = self.is_critical(lane);
        if let Some(name) = self.cx.proved(StringId::read(op.a)) {
            self.command(
                lane,
                critical,
                CommandKind::Emit { name, ty, payload },
                site,
            );
        }
    }

    /// The host may say otherwise than the machine.
    fn is_critical(&self, lane: u16) -> bool {
        let lane = LaneId::from_index(usize::from(lane));
        lane.is_some_and(|lane| self.host.is_critical(self.cx.rom, lane))
    }

    /// Hands a command to the host; a dropped one sets a flag and is counted (CMD-2). Kept apart, so
    /// that others need no stack for it.
    #[inline(never)]
    pub(crate) fn command(&mut self, lane: u16, critical: bool, kind: CommandKind, site: &Site) {
        let Some(lane) = self.cx.proved(LaneId::from_index(usize::from(lane))) else {
            return;
        };
        let agent = self.cx.agent();
        let command = Command {
            agent,
            lane,
            critical,
            state: site.state,
            transition: site.transition,
            kind,
        };
        if !self.host.command(&command) {
            self.cx.command_dropped(critical);
        }
    }
}

/// The list of an update, as [`Tick::run_list`] runs it where nobody is told: what a known host is to assign
/// is found without a detour.
#[inline(never)]
pub(crate) fn run_quiet_list<H: AnyHost + ?Sized>(
    cx: &mut Context<'_>,
    host: &mut H,
    list: ListId,
    site: &Site,
) {
    let mut ops = cx.rom.list(list);
    while let [op, rest @ ..] = ops {
        if let Some(word) = assigned(cx, host, op, site) {
            assign(cx, host, op, [word, 0, 0]);
        } else if op.kind.get().leaves_out() {
            return Tick::new(cx, host.any_mut(), None).run_ops(ops, site);
        } else {
            Tick::new(cx, host.any_mut(), None).run_op(op, site);
        }
        ops = rest;
    }
}

/// The word that an op assigns or adds, if it is found without a stack.
#[inline(always)]
fn assigned<H: AnyHost + ?Sized>(
    cx: &Context<'_>,
    host: &H,
    op: &OpRecord,
    site: &Site,
) -> Option<u32> {
    if op.kind != ActionOp::Set && op.kind != ActionOp::Add {
        return None;
    }
    let record = cx.rom.expression(ExpressionId::read(op.a)?)?;
    straight_word_here(cx, host, record, site)
}

/// Writes a value to the key of an op, or adds it.
#[inline(always)]
fn assign<H: AnyHost + ?Sized>(cx: &Context<'_>, host: &mut H, op: &OpRecord, value: [u32; 3]) {
    let Some(key) = cx.proved(KeyId::new(op.b.get() as u16)) else {
        return;
    };
    let words = if op.kind == ActionOp::Add {
        let Some(record) = cx.proved(cx.rom.key(key)) else {
            return;
        };
        add(record.ty.get(), host.read_key(key), value)
    } else {
        value
    };
    host.write_key(key, words);
}

/// The sum of two values of a type.
fn add(ty: ValueType, a: [u32; 3], b: [u32; 3]) -> [u32; 3] {
    let mut sum = a;
    let words = usize::from(ty.words());
    for ((sum, a), b) in sum.iter_mut().zip(a).zip(b).take(words) {
        *sum = match ty {
            ValueType::I32 => arith::i32_add(a as i32, b as i32) as u32,
            ValueType::F32 | ValueType::Vec2 | ValueType::Vec3 => {
                arith::f32_add(f32::from_bits(a), f32::from_bits(b)).to_bits()
            }
            // The loader lets nobody add these.
            ValueType::Bool | ValueType::Entity | ValueType::Symbol => b,
        };
    }
    sum
}
