//! From what the kernel tells to records.

use std::sync::Arc;

use statewright_kernel::{Cause, Command, CommandKind, Event, Loss, Mode, Reason, Status, Trace};
use statewright_rom::ids::{EventId, FunctionId, KeyId, StateId, TimerId, TransitionId};
use statewright_rom::layout::PayloadKind;

use crate::filter::{Filter, Level};
use crate::reasons::Reasons;
use crate::record::{Kind, LEADS, NO_ROOM, NO_TRANSITION, Record, reason_number};
use crate::ring::Ring;
use crate::totals::Totals;

/// Records what the kernel tells of agents, one after the other. Hosts hand it everything that they
/// are told.
#[derive(Clone, Debug)]
pub struct Tracer {
    filter: Arc<Filter>,
    ring: Ring,
    /// What is left of records that are not kept, and those that are.
    totals: Option<Box<Digest>>,
    tick: u32,
    /// First half of the records of this agent: tick and agent.
    head: u64,
    life: u32,
    /// What happens now is for: second half of a record of a transition.
    cause: u64,
    /// What happens now was caused by an event that is recorded.
    open: bool,
    /// Bytes of commands that this agent is known to have written.
    written: usize,
    /// How much is recorded of this agent.
    level: Level,
    /// Level 1 without states or events that are chosen.
    plain: bool,
    /// The same for all agents.
    all_plain: bool,
    /// Most records of one agent in one tick.
    most: usize,
}

/// Records that were taken out of a ring.
#[derive(Clone, Debug, Default)]
struct Digest {
    totals: Totals,
    kept: Vec<Record>,
}

/// The second half of a record.
#[inline(always)]
const fn half(kind: Kind, detail: u8, subject: u16, value: u32) -> u64 {
    kind as u64 | (detail as u64) << 8 | (subject as u64) << 16 | (value as u64) << 32
}

/// The part of a transition in the second half of its record.
#[inline(always)]
const fn half_of(transition: u16) -> u64 {
    (transition as u64) << 16
}

/// The same for one that leads to a leaf.
#[inline(always)]
const fn half_of_jump(transition: u16, leaf: u16) -> u64 {
    half_of(transition) | (LEADS as u64) << 8 | (leaf as u64) << 48
}

fn digest(filter: &Filter) -> Option<Box<Digest>> {
    let made = || {
        Box::new(Digest {
            totals: filter.empty_totals(),
            kept: Vec::new(),
        })
    };
    filter.settings().totals.then(made)
}

impl Tracer {
    /// With an empty ring, which grows between agents.
    pub fn new(filter: Arc<Filter>) -> Self {
        let (level, plain) = (
            filter.highest_level(),
            filter.is_plain(filter.highest_level()),
        );
        let ring = Ring::default();
        let totals = digest(&filter);
        let most = filter.settings().most_per_agent.into();
        Self {
            filter,
            ring,
            totals,
            tick: 0,
            head: 0,
            life: 0,
            cause: 0,
            open: true,
            written: 0,
            level,
            plain,
            all_plain: plain,
            most,
        }
    }

    /// Records by other settings from now on.
    pub fn set_filter(&mut self, filter: &Arc<Filter>) {
        if !Arc::ptr_eq(&self.filter, filter) {
            self.level = filter.highest_level();
            self.plain = filter.is_plain(self.level);
            (self.all_plain, self.open) = (self.plain, true);
            self.most = filter.settings().most_per_agent.into();
            self.filter = filter.clone();
            self.totals = self
                .totals
                .take()
                .filter(|_| filter.settings().totals)
                .or_else(|| digest(filter));
        }
    }

    /// What it records by.
    #[inline]
    pub fn filter(&self) -> &Filter {
        &self.filter
    }

    /// What was recorded in this tick, the oldest first.
    pub fn records(&self) -> impl Iterator<Item = &Record> {
        self.totals
            .iter()
            .flat_map(|digest| &digest.kept)
            .chain(self.ring.iter())
    }

    /// What was counted instead since the settings ask for it.
    pub fn totals(&self) -> Option<&Totals> {
        self.totals.as_ref().map(|digest| &digest.totals)
    }

    /// Counts of calls, for whoever calls functions: by number, none unless the settings ask for
    /// totals. Guards cannot change a tracer while they answer, so that calls are counted beside
    /// it, and put back.
    pub fn take_calls(&mut self) -> Vec<u64> {
        let digest = self.totals.as_mut();
        digest.map_or_else(Vec::new, |digest| std::mem::take(&mut digest.totals.calls))
    }

    /// Gives back what [`Self::take_calls`] gave, with more in it.
    pub fn put_calls(&mut self, calls: Vec<u64>) {
        if let Some(digest) = &mut self.totals {
            digest.totals.calls = calls;
        }
    }

    /// Forgets what was recorded; a tick begins.
    pub fn begin_tick(&mut self, tick: u32) {
        self.ring.clear();
        if let Some(digest) = &mut self.totals {
            digest.kept.clear();
        }
        self.tick = tick;
    }

    /// The turn of an agent that the filter has begins.
    #[inline(always)]
    pub fn begin(&mut self, agent: u32) {
        self.end();
        // Where the turn before left nothing, its room is that of this one.
        if !self.ring.is_open_for(self.most) {
            if !self.ring.has_room(self.most) {
                self.make_room(self.most);
            }
            self.ring.open_turn(self.most);
        }
        self.head = u64::from(self.tick) | u64::from(agent) << 32;
        if !self.all_plain {
            self.level = self.filter.level_of(agent);
            self.plain = self.filter.is_plain(self.level);
            self.open = true;
            self.written = 0;
        }
    }

    /// Counts records that are not kept, or grows.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self, most: usize) {
        self.digest();
        if !self.ring.has_room(most) {
            self.ring.grow(most);
        }
    }

    /// Takes everything out of the ring that is only counted, and what is kept besides.
    fn digest(&mut self) {
        let Some(digest) = &mut self.totals else {
            return;
        };
        for record in self.ring.iter() {
            digest
                .totals
                .count(record, |transition| self.filter.stays(transition));
            if self.filter.keeps(record.agent.get()) {
                digest.kept.push(*record);
            }
        }
        self.ring.clear();
    }

    /// How often the place of the agent was used, for the record of its start.
    #[inline]
    pub fn set_life(&mut self, life: u32) {
        self.life = life;
    }

    /// Whether the kernel may take its fast paths for the agent whose turn it is.
    #[inline]
    pub fn is_outline(&self) -> bool {
        self.level == Level::Outline
    }

    /// The same for the agent at a place.
    #[inline]
    pub fn is_outline_of(&self, agent: u32) -> bool {
        self.all_plain || self.filter.level_of(agent) == Level::Outline
    }

    /// Whether everybody is recorded in outline, and nothing is chosen: then there is nothing to ask
    /// about an agent.
    #[inline]
    pub fn is_outline_of_all(&self) -> bool {
        self.all_plain && self.filter.settings().agents.is_none()
    }

    /// Nobody handled the event of an agent, whose host was not asked for.
    #[inline(always)]
    pub fn pass(&mut self, event: &Event) {
        if let Some(id) = event.id() {
            self.select(id, || event.words());
            self.subject(Kind::Unhandled, id.raw());
        }
    }

    /// Takes what the kernel tells. Level 3 needs the memory of the agent, else it records each
    /// reason again.
    #[inline(always)]
    pub fn trace(&mut self, trace: &Trace, reasons: Option<&mut Reasons>) {
        match *trace {
            Trace::Select(Cause::Event(event, ref payload)) => self.select(event, || *payload),
            Trace::Jumped(transition, leaf) => self.jumped(transition, leaf),
            Trace::Unhandled(event) => self.subject(Kind::Unhandled, event.raw()),
            _ => self.trace_more(trace, reasons),
        }
    }

    #[inline(never)]
    fn trace_more(&mut self, trace: &Trace, reasons: Option<&mut Reasons>) {
        match *trace {
            Trace::Taken(transition) => self.taken(transition, reasons),
            Trace::Leaf(leaf) => self.leaf(leaf),
            Trace::Select(Cause::None | Cause::Event(..)) => self.select_by(0, 0),
            Trace::Select(Cause::Timer(timer)) => self.select_by(2, timer.raw()),
            Trace::Latched(transition) => self.latched(transition),
            Trace::Deferred(event) => self.subject(Kind::Deferred, event.raw()),
            Trace::Started => self.always(Kind::Started, self.life),
            Trace::Terminated => self.always(Kind::Terminated, 0),
            Trace::Faulted(fault) => self.push(half(Kind::Faulted, fault.number(), 0, 0)),
            Trace::Clamped => self.always(Kind::Clamped, 0),
            Trace::FailSafe => {
                self.open = true;
                self.always(Kind::FailSafe, 0);
            }
            _ if self.level < Level::Steps => {}
            Trace::Fired(timer) => {
                self.select_by(2, timer.raw());
                self.timer(Kind::Timer, timer, 0);
            }
            Trace::Entered(state) => self.state(Kind::Entered, state),
            Trace::Exited(state) => self.state(Kind::Exited, state),
            Trace::Suspended(state) => self.state(Kind::Suspended, state),
            Trace::Resumed(state) => self.state(Kind::Resumed, state),
            Trace::TimerSet(timer, deadline) => self.timer(Kind::TimerSet, timer, deadline),
            Trace::TimerStopped(timer) => self.timer(Kind::TimerStopped, timer, 0),
            Trace::Lost(event, loss) => self.event_lost(event, loss),
            _ if self.level < Level::All => {}
            Trace::Guard {
                state,
                transition,
                holds,
                code,
            } => self.guard(state, transition, holds, code),
            Trace::Activity(state, mode, status) => self.activity(state, mode, status),
            Trace::Rejected(transition, reason) => self.rejected(transition, reason, reasons),
            Trace::Read(key, words) => self.key_value(Kind::Read, key, words),
            Trace::Asked {
                function,
                holds,
                code,
            } => self.if_open(half(
                Kind::Asked,
                u8::from(holds),
                function.raw(),
                code.into(),
            )),
            Trace::Scored(transition, score) => {
                self.if_open(half(Kind::Score, 0, transition.raw(), score.to_bits()));
            }
            Trace::Drew(function, draws) => {
                if let Some(reasons) = reasons {
                    reasons.drew(draws);
                }
                self.if_open(half(Kind::Drew, 0, FunctionId::to_raw(function), draws));
            }
            Trace::Gave(function, words) => {
                let ty = self.filter.function_kind(function);
                self.typed(Kind::Gave, ty, function.raw(), words);
            }
            Trace::LostNotes(count) => self.push(half(Kind::Lost, 0, 0, count)),
            // Not recorded; and what `trace` took already.
            Trace::Action(_) | Trace::Called(_) | Trace::Jumped(..) | Trace::Unhandled(_) => {}
        }
    }

    /// The search begins for an event.
    #[inline(always)]
    fn select(&mut self, event: EventId, payload: impl FnOnce() -> [u32; 4]) {
        self.cause = half(Kind::Transition, 1, 0, event.raw() as u32);
        if !self.plain {
            self.open = self.filter.has_event(event);
            if self.level == Level::All {
                self.event(event, &payload());
            }
        }
    }

    /// An event with its payload.
    #[cold]
    fn event(&mut self, event: EventId, payload: &[u32; 4]) {
        if self.open {
            let kind = self.filter.payload_kind(event);
            let [first, rest @ ..] = payload;
            let first = if kind == PayloadKind::Empty {
                0
            } else {
                *first
            };
            self.push(half(Kind::Event, kind.number(), event.raw(), first));
            self.more(kind, rest);
        }
    }

    /// The words of a value behind its first.
    fn more(&mut self, kind: PayloadKind, rest: &[u32]) {
        let words = match kind {
            PayloadKind::Empty => 0,
            PayloadKind::Bytes => 4,
            _ => usize::from(kind.bytes().unwrap_or(4)) / 4,
        };
        for (number, &word) in (1_u16..).zip(rest).take(words.saturating_sub(1)) {
            self.push(half(Kind::More, kind.number(), number, word));
        }
    }

    fn key_value(&mut self, kind: Kind, key: KeyId, words: [u32; 3]) {
        self.typed(kind, self.filter.key_kind(key), key.raw(), words);
    }

    /// A value of a type, in as many records as it has words.
    fn typed(&mut self, kind: Kind, ty: PayloadKind, subject: u16, words: [u32; 3]) {
        if self.open {
            let [first, rest @ ..] = words;
            self.push(half(kind, ty.number(), subject, first));
            self.more(ty, &rest);
        }
    }

    fn if_open(&mut self, half: u64) {
        if self.open {
            self.push(half);
        }
    }

    /// An event that never arrived is told whatever goes on now, if it is among those chosen.
    fn event_lost(&mut self, event: Option<EventId>, loss: Loss) {
        if event.is_none_or(|event| self.filter.has_event(event)) {
            let (number, event) = (loss.number(), EventId::to_raw(event));
            self.push(half(Kind::EventLost, number, event, 0));
        }
    }

    /// The search begins for a timer or nothing.
    fn select_by(&mut self, detail: u8, number: u16) {
        self.cause = half(Kind::Transition, detail, 0, number.into());
        self.open = !self.filter.chooses_events();
    }

    /// A transition and where it leads are one record if nothing is chosen.
    #[inline(always)]
    fn jumped(&mut self, transition: TransitionId, leaf: StateId) {
        if self.plain {
            self.push(self.cause | half_of_jump(transition.raw(), leaf.raw()));
        } else {
            self.taken(transition, None);
            self.leaf(leaf);
        }
    }

    fn taken(&mut self, transition: TransitionId, reasons: Option<&mut Reasons>) {
        if let Some(reasons) = reasons {
            reasons.forget(transition);
        }
        if self.open && self.filter.has_source_of(transition) {
            self.push(self.cause | half_of(transition.raw()));
        }
    }

    /// The first leaf that a transition leads to stands in its record.
    fn leaf(&mut self, leaf: StateId) {
        let head = self.head;
        match self.ring.last_mut() {
            Some(last) if self.plain && last.leads_nowhere(head) => last.lead_to(leaf.raw()),
            _ => self.state(Kind::Leaf, leaf),
        }
    }

    fn latched(&mut self, transition: TransitionId) {
        if self.open && self.filter.has_source_of(transition) {
            self.push(self.cause & !0xFF | half(Kind::Latched, 0, transition.raw(), 0));
        }
    }

    #[inline(always)]
    fn state(&mut self, kind: Kind, state: StateId) {
        if self.plain || self.filter.has_state(state.raw()) {
            self.subject(kind, state.raw());
        }
    }

    fn timer(&mut self, kind: Kind, timer: TimerId, value: u32) {
        if self.open {
            self.push(half(kind, 0, timer.raw(), value));
        }
    }

    fn guard(&mut self, state: StateId, transition: Option<TransitionId>, holds: bool, code: u16) {
        if self.open && self.filter.has_state(state.raw()) {
            let subject = transition.map_or(NO_TRANSITION, TransitionId::raw);
            self.push(half(
                Kind::Guard,
                u8::from(holds),
                subject,
                u32::from(state.raw()) | u32::from(code) << 16,
            ));
        }
    }

    /// Only a new reason is recorded (SEL-7). What the filter leaves out stays news.
    fn rejected(
        &mut self,
        transition: TransitionId,
        reason: Reason,
        reasons: Option<&mut Reasons>,
    ) {
        let passes = self.open && self.filter.has_source_of(transition);
        if passes && reasons.is_none_or(|reasons| reasons.note(transition, reason)) {
            let (number, code) = reason_number(reason);
            self.push(half(Kind::Rejected, number, transition.raw(), code.into()));
        }
    }

    fn activity(&mut self, state: StateId, mode: Mode, status: Status) {
        let detail = match (mode, status) {
            (Mode::Cancel, _) => 3,
            (Mode::Run, Status::Running) => 0,
            (Mode::Run, Status::Succeeded) => 1,
            (Mode::Run, Status::Failed) => 2,
        };
        if self.open && self.filter.has_state(state.raw()) {
            self.push(half(Kind::Activity, detail, state.raw(), 0));
        }
    }

    #[inline(always)]
    fn subject(&mut self, kind: Kind, subject: u16) {
        if self.plain || self.open {
            self.push(half(kind, 0, subject, 0));
        }
    }

    /// Whatever is filtered, the life of an agent is told.
    fn always(&mut self, kind: Kind, value: u32) {
        self.push(half(kind, 0, 0, value));
    }

    #[inline(always)]
    fn push(&mut self, half: u64) {
        self.ring.push(Record::from_halves(self.head, half));
    }
}

/// What hosts see of user code. Nothing of it is recorded at level 1.
impl Tracer {
    /// The machine file or a function wrote a key.
    pub fn wrote(&mut self, key: KeyId, words: [u32; 3]) {
        if self.level >= Level::Steps {
            self.key_value(Kind::Wrote, key, words);
        }
    }

    /// A command of the machine file; whether there was room for it, and how many bytes its agent
    /// has written in this tick with it.
    pub fn command(&mut self, command: &Command, had_room: bool, written: usize) {
        self.written = written;
        if self.level < Level::Steps || !self.open {
            return;
        }
        let lane = command.lane.raw().into();
        let room = if had_room { 0 } else { NO_ROOM };
        match command.kind {
            CommandKind::Emit { name, ty, payload } => {
                self.push(half(Kind::Command, room, lane, name.raw().into()));
                let ty = ty.map_or(PayloadKind::Empty, PayloadKind::of_value);
                self.words(ty, &payload);
            }
            CommandKind::Release { channel } => {
                self.push(half(Kind::Command, room | 1, lane, channel.raw().into()));
            }
            CommandKind::Send { to, event, payload } => {
                self.push(half(Kind::Command, room | 2, lane, event.raw().into()));
                self.words(PayloadKind::Entity, &to);
                self.words(self.filter.payload_kind(event), &payload);
            }
        }
    }

    /// A function emitted a command of a type of its own, by the number of its name.
    pub fn emitted(&mut self, lane: u8, name: u32, had_room: bool) {
        if self.level >= Level::Steps {
            let room = if had_room { 0 } else { NO_ROOM };
            self.if_open(half(Kind::Command, room | 4, lane.into(), name));
        }
    }

    fn words(&mut self, kind: PayloadKind, words: &[u32]) {
        if let ([first, rest @ ..], true) = (words, kind != PayloadKind::Empty) {
            self.push(half(Kind::More, kind.number(), 0, *first));
            self.more(kind, rest);
        }
    }

    /// A function has returned, and its agent has written so many bytes of commands in this tick.
    pub fn called(&mut self, function: FunctionId, written: usize) {
        let bytes = written.saturating_sub(self.written);
        self.written = written;
        if bytes > 0 && self.level >= Level::Steps {
            self.if_open(half(Kind::Command, 3, function.raw(), bytes as u32));
        }
    }
}

/// What is known of an agent only outside of its tick. These records always have room.
impl Tracer {
    /// A part of a tick ends.
    pub fn end_tick(&mut self) {
        self.end();
        self.digest();
    }

    /// The last turn ends: says so if some of its records were lost.
    #[inline(always)]
    pub fn end(&mut self) {
        if self.ring.has_lost() {
            self.tell_lost();
        }
    }

    #[cold]
    #[inline(never)]
    fn tell_lost(&mut self) {
        let lost = self.ring.take_lost();
        self.ring
            .push_last(Record::from_halves(self.head, half(Kind::Lost, 0, 0, lost)));
    }

    /// An event of an agent never got to the kernel.
    pub fn lose(&mut self, agent: u32, event: &Event, loss: Loss) {
        let known = event.id().is_none_or(|event| self.filter.has_event(event));
        if known && self.filter.has_agent(agent) && self.filter.level_of(agent) >= Level::Steps {
            self.end();
            let head = u64::from(self.tick) | u64::from(agent) << 32;
            let half = half(Kind::EventLost, loss.number(), event.id.get(), 0);
            self.ring.push_last(Record::from_halves(head, half));
        }
    }

    /// Something is said of an agent, about a state or nothing (0).
    pub fn say(&mut self, agent: u32, kind: Kind, subject: u16) {
        self.end();
        let head = u64::from(self.tick) | u64::from(agent) << 32;
        self.ring
            .push_last(Record::from_halves(head, half(kind, 0, subject, 0)));
    }
}
