//! Writing: a turn begins with its first call, so that agents who ask nothing leave nothing.

use statewright_bytes::Writer;
use statewright_kernel::{Class, Status, Verdict};
use statewright_rom::ids::*;

use super::{CallKind, Deed, Question, code};
use crate::agent_id::AgentId;
use crate::board::Staging;

/// Calls of the sealed agents of a chunk in one tick.
#[derive(Debug, Default)]
pub(crate) struct SealLog {
    bytes: Vec<u8>,
    /// Whose turn is being written, and where its length stands.
    open: Option<(u32, usize)>,
    /// What the call that runs wrote to the blackboard; kept for its memory.
    pub(crate) staging: Staging,
}

/// Turns.
impl SealLog {
    /// A tick begins.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.open = None;
    }

    /// All turns so far; the last one is over.
    pub(crate) fn close(&mut self) {
        if let Some((_, at)) = self.open.take() {
            let length = (self.bytes.len() - at - 4) as u32;
            if let Some(place) = self.bytes.get_mut(at..at + 4) {
                place.copy_from_slice(&length.to_le_bytes());
            }
        }
    }

    /// All turns of the tick.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn turn(&mut self, index: u32) {
        if self.open.is_none_or(|(open, _)| open != index) {
            self.close();
            self.bytes.put_varint(index.into());
            self.open = Some((index, self.bytes.len()));
            self.bytes.put_u32(0);
        }
    }
}

/// Calls.
impl SealLog {
    /// User code is called.
    pub(crate) fn begin(&mut self, index: u32, asked: Question) {
        self.turn(index);
        self.bytes.put_u8(asked.kind as u8);
        self.bytes.put_u16(asked.function.raw());
        self.bytes.put_u32(asked.question);
    }

    /// It has answered.
    pub(crate) fn answer(&mut self, answer: &impl Answer) {
        self.bytes.put_u8(code::ANSWER);
        answer.put(&mut self.bytes);
    }

    /// It has panicked.
    pub(crate) fn panic(&mut self, message: &str) {
        self.bytes.put_u8(code::PANIC);
        self.text(message.as_bytes());
    }

    fn text(&mut self, bytes: &[u8]) {
        self.bytes.put_varint(bytes.len() as u64);
        self.bytes.put(bytes);
    }

    fn words(&mut self, words: &[u32]) {
        words.iter().for_each(|&word| self.bytes.put_u32(word));
    }
}

/// What a call does.
impl SealLog {
    pub(crate) fn post(&mut self, event: EventId, class: Option<Class>, words: [u32; 4]) {
        self.bytes.put_u8(code::POST);
        self.bytes.put_u16(event.raw());
        self.bytes.put_u8(class.map_or(u8::MAX, Class::number));
        self.words(&words);
    }

    pub(crate) fn raise(&mut self, event: EventId, words: [u32; 4]) {
        self.bytes.put_u8(code::RAISE);
        self.bytes.put_u16(event.raw());
        self.words(&words);
    }

    pub(crate) fn send(&mut self, to: AgentId, event: EventId, words: [u32; 4], had_room: bool) {
        self.bytes.put_u8(code::SEND);
        self.bytes.put_u64(to.bits());
        self.bytes.put_u16(event.raw());
        self.words(&words);
        self.bytes.put_u8(had_room.into());
    }

    pub(crate) fn emit(&mut self, lane: u8, name: u32, payload: &[u8], had_room: bool) {
        self.bytes.put_u8(code::EMIT);
        self.bytes.put_u8(lane);
        self.bytes.put_u32(name);
        self.bytes.put_u8(had_room.into());
        self.text(payload);
    }

    /// A command was taken into earlier ones of its kind; what they became, by their order.
    pub(crate) fn merge(&mut self, lane: u8, name: u32, length: usize, became: &[(usize, &[u8])]) {
        self.bytes.put_u8(code::MERGE);
        self.bytes.put_u8(lane);
        self.bytes.put_u32(name);
        self.bytes.put_varint(length as u64);
        self.bytes.put_varint(became.len() as u64);
        for (place, bytes) in became {
            self.bytes.put_varint(*place as u64);
            self.text(bytes);
        }
    }

    pub(crate) fn start_timer(&mut self, timer: TimerId, ticks: u32) {
        self.bytes.put_u8(code::START_TIMER);
        self.bytes.put_u16(timer.raw());
        self.bytes.put_u32(ticks);
    }

    pub(crate) fn stop_timer(&mut self, timer: TimerId) {
        self.bytes.put_u8(code::STOP_TIMER);
        self.bytes.put_u16(timer.raw());
    }

    pub(crate) fn set_scratch(&mut self, scratch: ScratchId, word: u8, value: u16) {
        self.bytes.put_u8(code::SET_SCRATCH);
        self.bytes.put_u16(scratch.raw());
        self.bytes.put_u8(word);
        self.bytes.put_u16(value);
    }

    pub(crate) fn clear_history(&mut self, state: StateId) {
        self.bytes.put_u8(code::CLEAR_HISTORY);
        self.bytes.put_u16(state.raw());
    }

    pub(crate) fn write_key(&mut self, key: KeyId, words: [u32; 3]) {
        self.bytes.put_u8(code::WRITE_KEY);
        self.bytes.put_u16(key.raw());
        self.words(&words);
    }

    pub(crate) fn rng(&mut self, state: u32) {
        self.bytes.put_u8(code::RNG);
        self.bytes.put_u32(state);
    }
}

impl SealLog {
    /// What a call did that is done again. What it wrote to the blackboard and how often it drew is
    /// found out as of any call.
    pub(crate) fn deed(&mut self, deed: &Deed<'_>) {
        match *deed {
            Deed::Post(event, class, words) => self.post(event, class, words),
            Deed::Raise(event, words) => self.raise(event, words),
            Deed::Send(to, event, words, had_room) => self.send(to, event, words, had_room),
            Deed::Emit {
                lane,
                name,
                payload,
                had_room,
            } => self.emit(lane, name, payload, had_room),
            Deed::Merge {
                lane,
                name,
                length,
                count,
                became,
            } => {
                self.bytes.put_u8(code::MERGE);
                self.bytes.put_u8(lane);
                self.bytes.put_u32(name);
                self.bytes.put_varint(length.into());
                self.bytes.put_varint(count as u64);
                self.bytes.put(became);
            }
            Deed::StartTimer(timer, ticks) => self.start_timer(timer, ticks),
            Deed::StopTimer(timer) => self.stop_timer(timer),
            Deed::SetScratch(scratch, word, value) => self.set_scratch(scratch, word, value),
            Deed::ClearHistory(state) => self.clear_history(state),
            Deed::WriteKey(..) | Deed::Rng(_) => {}
        }
    }
}

/// What user code says.
pub(crate) trait Answer {
    /// Writes it.
    fn put(&self, out: &mut Vec<u8>);
}

impl Answer for () {
    fn put(&self, _: &mut Vec<u8>) {}
}

impl Answer for Verdict {
    fn put(&self, out: &mut Vec<u8>) {
        out.put_u8(self.holds.into());
        out.put_u16(self.code);
    }
}

impl Answer for f32 {
    fn put(&self, out: &mut Vec<u8>) {
        out.put_u32(self.to_bits());
    }
}

impl Answer for [u32; 3] {
    fn put(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|&word| out.put_u32(word));
    }
}

impl Answer for Status {
    fn put(&self, out: &mut Vec<u8>) {
        out.put_u8(match self {
            Status::Running => 0,
            Status::Succeeded => 1,
            Status::Failed => 2,
        });
    }
}

/// What a call of a kind is known by.
impl CallKind {
    pub(crate) fn asks(self, function: FunctionId, question: u32) -> Question {
        Question {
            kind: self,
            function,
            question,
        }
    }
}
