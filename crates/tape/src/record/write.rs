//! Writing records: each as short as it can be.

use statewright::commands::CommandRef;
use statewright::{AgentId, Envelope, Event, Input, Saved};
use statewright_bytes::Writer;

use crate::outputs::Output;

use super::{AgentHash, Code, RecordedSettings, TapeAgent, TickProof};

fn put_agent(out: &mut impl Writer, agent: TapeAgent) {
    out.put_varint(agent.index.into());
    out.put_varint(agent.generation.into());
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    out.put_varint(bytes.len() as u64);
    out.put(bytes);
}

/// Bytes that are few: put together here, they go out in one piece.
struct Short {
    bytes: [u8; LONGEST_SEND],
    length: usize,
}

impl Writer for Short {
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        let end = self.length + bytes.len();
        if let Some(place) = self.bytes.get_mut(self.length..end) {
            place.copy_from_slice(bytes);
            self.length = end;
        }
    }
}

/// Kind, receiver, event take at most 1 + 4 + 3 + 3 + 1 + 6 + 16 bytes; with some room behind them, into
/// which short ones are written in steps of four bytes.
pub(crate) const LONGEST_SEND: usize = 40;

/// Events that were sent, in pieces: most runs have more of these than of all else. How many they are.
pub(crate) fn put_sends(out: &mut Vec<u8>, sent: impl Iterator<Item = Envelope>) -> u64 {
    let (mut piece, mut end, mut count) = ([0; 4096], 0, 0);
    for Envelope { to, event } in sent {
        count += 1;
        if piece.len() - end < LONGEST_SEND {
            out.put(&piece[..end]);
            end = 0;
        }
        if let Some(place) = piece[end..].first_chunk_mut() {
            end += put_send(place, to.into(), &event);
        }
    }
    out.put(&piece[..end]);
    count
}

/// How many bytes it took.
#[inline]
fn put_send(place: &mut [u8; LONGEST_SEND], to: TapeAgent, event: &Event) -> usize {
    let [one, two, three, four] = event.words();
    let (id, stamp) = (u32::from(event.id.get()), event.stamp.get());
    let flags = u32::from(event.flags) | u32::from(event.class >> 2);
    // One look at all that would make it longer.
    if (to.generation | id) >> 7 | flags | stamp | one | two | three | four != 0 {
        return put_long_send(place, to, event);
    }
    let (index, count) = varint_of_index(to.index);
    place[0] = Code::Send as u8;
    place[1..5].copy_from_slice(&index.to_le_bytes());
    // What `put_agent` and `put_event` write of a generation, an event and a class.
    let rest = [to.generation as u8, event.id.get() as u8, event.class, 0];
    place[1 + count..5 + count].copy_from_slice(&rest);
    4 + count
}

#[inline(never)]
fn put_long_send(place: &mut [u8; LONGEST_SEND], to: TapeAgent, event: &Event) -> usize {
    let mut short = Short {
        bytes: [0; LONGEST_SEND],
        length: 0,
    };
    short.put_u8(Code::Send as u8);
    put_agent(&mut short, to);
    put_event(&mut short, event);
    *place = short.bytes;
    short.length
}

/// What [`Writer::put_varint`] writes of an index, which has at most 28 bits: its bytes, and how many.
#[inline]
fn varint_of_index(index: u32) -> (u32, usize) {
    const { assert!(AgentId::INDICES <= 1 << 28) };
    let count = 1
        + usize::from(index >= 1 << 7)
        + usize::from(index >= 1 << 14)
        + usize::from(index >= 1 << 21);
    // Two times fourteen bits, then four times seven.
    let halves = index & 0x3FFF | (index & 0x3FFF << 14) << 2;
    let sevens = halves & 0x007F_007F | (halves & 0x007F_007F << 7) << 1;
    // All but the last say that there is more.
    let more = 0x0080_8080 & ((1 << (8 * (count - 1))) - 1);
    (sevens | more, count)
}

/// Class below 4, whether there is more than class and payload, and words of the payload: one byte.
#[inline]
fn put_event(out: &mut impl Writer, event: &Event) {
    let words = event.words();
    let used = 4 - words.iter().rev().take_while(|&&word| word == 0).count();
    let is_plain = event.class < 4 && event.flags == 0 && event.stamp.get() == 0;
    out.put_varint(event.id.get().into());
    let class = if is_plain { event.class } else { 0 };
    out.put_u8(class | u8::from(!is_plain) << 2 | (used as u8) << 3);
    if !is_plain {
        out.put(&[event.class, event.flags]);
        out.put_u32(event.stamp.get());
    }
    words[..used].iter().for_each(|&word| out.put_u32(word));
}

/// A blackboard with its length before it. The length is known afterwards: it has four bytes.
fn put_board<B: Saved>(out: &mut Vec<u8>, board: &B) {
    let at = out.len();
    out.put_u32(0);
    board.save(out);
    let length = (out.len() - at - 4) as u32;
    if let Some(place) = out.get_mut(at..at + 4) {
        place.copy_from_slice(&length.to_le_bytes());
    }
}

/// Writes an input; `board` has the blackboard of an agent. `false` if there is nothing to be written:
/// pages for commands are no agent's business, restores are checkpoints, and a reload is a
/// block of its own.
pub(crate) fn put_input<'b, B: Saved + 'b>(
    out: &mut Vec<u8>,
    input: &Input<B>,
    board: impl FnOnce(AgentId) -> Option<&'b B>,
) -> bool {
    let of = |out: &mut Vec<u8>, code: Code, agent: AgentId| {
        out.put_u8(code as u8);
        put_agent(out, agent.into());
    };
    match input {
        Input::Send(envelope) => {
            put_sends(out, [*envelope].into_iter());
        }
        Input::Broadcast(event) => {
            out.put_u8(Code::Broadcast as u8);
            put_event(out, event);
        }
        Input::Spawn { board, variant } => {
            out.put_u8(Code::Spawn as u8);
            // None and the plain variant differ in what they leave in the crowd.
            out.put_varint(variant.map_or(0, |variant| u64::from(variant.raw()) + 1));
            put_board(out, board);
        }
        Input::Despawn(agent) => of(out, Code::Despawn, *agent),
        Input::Reset(agent) => of(out, Code::Reset, *agent),
        Input::Stop(agent) => of(out, Code::Stop, *agent),
        Input::Pause(agent) => of(out, Code::Pause, *agent),
        Input::Resume(agent) => of(out, Code::Resume, *agent),
        Input::ClearFlags(agent) => of(out, Code::ClearFlags, *agent),
        Input::Written(agent) => {
            let Some(board) = board(*agent) else {
                return false;
            };
            of(out, Code::Written, *agent);
            put_board(out, board);
        }
        Input::SetVariant(agent, variant) => {
            of(out, Code::SetVariant, *agent);
            out.put_u16(variant.raw());
        }
        Input::SetParameter(change) => {
            out.put_u8(Code::SetParameter as u8);
            out.put_u16(change.variant.raw());
            out.put_u16(change.parameter.raw());
            out.put_u8(change.ty.number());
            change.words.iter().for_each(|&word| out.put_u32(word));
        }
        Input::Settings(settings) => {
            out.put_u8(Code::Settings as u8);
            RecordedSettings::of(settings).put(out);
        }
        Input::StartAt(tick) => {
            out.put_u8(Code::StartAt as u8);
            out.put_u64(*tick);
        }
        Input::Number(number) => {
            out.put_u8(Code::Number as u8);
            out.put_u32(number.get());
        }
        Input::Instance(agent, bytes) => {
            of(out, Code::Instance, *agent);
            put_bytes(out, bytes);
        }
        Input::ResetCounters => out.put_u8(Code::ResetCounters as u8),
        Input::Pool(_) | Input::Restore(_) | Input::Rewind(_) | Input::Reload(_) => return false,
    }
    true
}

/// Writes what a tick came to.
pub(crate) fn put_tick(out: &mut Vec<u8>, proof: &TickProof) {
    out.put_u8(Code::Tick as u8);
    let bits = u8::from(proof.digests.is_some())
        | u8::from(proof.context.is_some()) << 1
        | u8::from(proof.apart) << 2;
    out.put_u8(bits);
    if let Some(digests) = proof.digests {
        out.put_u64(digests.crowd);
        out.put_u32(digests.commands);
        out.put_u64(digests.boards);
    }
    if let Some(context) = proof.context {
        out.put_u64(context);
    }
}

/// Writes what became of an agent: its bytes before and now.
pub(crate) fn put_changed(
    out: &mut Vec<u8>,
    agent: TapeAgent,
    instance: (&[u8], &[u8]),
    board: (&[u8], &[u8]),
) {
    out.put_u8(Code::Changed as u8);
    put_agent(out, agent);
    put_patch(out, instance);
    put_patch(out, board);
}

/// Runs of bytes that differ; behind the end of the old ones all do.
fn put_patch(out: &mut Vec<u8>, (old, new): (&[u8], &[u8])) {
    let differs = |at: usize| old.get(at) != new.get(at);
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for at in (0..new.len()).filter(|&at| differs(at)) {
        match runs.last_mut() {
            // Two bytes between are cheaper than another run.
            Some((_, end)) if at <= *end + 2 => *end = at + 1,
            _ => runs.push((at, at + 1)),
        }
    }
    out.put_varint(new.len() as u64);
    out.put_varint(runs.len() as u64);
    let mut before = 0;
    for (start, end) in runs {
        out.put_varint((start - before) as u64);
        put_bytes(out, &new[start..end]);
        before = end;
    }
}

/// Writes a message that a crowd of a world received.
pub(crate) fn put_message(out: &mut Vec<u8>, to: TapeAgent, event: &Event, is_own: bool) {
    out.put_u8(Code::Message as u8);
    out.put_u8(is_own.into());
    put_agent(out, to);
    put_event(out, event);
}

/// Writes the keys of the blackboard that comes with the next input.
pub(crate) fn put_keys(out: &mut Vec<u8>, keys: &[u8]) {
    out.put_u8(Code::Keys as u8);
    put_bytes(out, keys);
}

/// Writes what user code of sealed agents said and did.
pub(crate) fn put_calls(out: &mut Vec<u8>, calls: &[u8]) {
    out.put_u8(Code::Calls as u8);
    put_bytes(out, calls);
}

/// Writes a command of a lane whose commands are kept.
pub(crate) fn put_output(out: &mut Vec<u8>, command: &CommandRef<'_>) {
    out.put_u8(Code::Output as u8);
    put_bytes(out, Output::of(command).bytes());
}

/// Writes what an agent comes to.
pub(crate) fn put_hash(out: &mut Vec<u8>, hash: &AgentHash) {
    out.put_u8(Code::Hash as u8);
    put_agent(out, hash.agent);
    out.put_u64(hash.instance);
    out.put_u64(hash.board);
}

/// Writes that answers of an agent are guesses from here on.
pub(crate) fn put_guessed(out: &mut Vec<u8>, agent: TapeAgent) {
    out.put_u8(Code::Guessed as u8);
    put_agent(out, agent);
}

#[cfg(test)]
mod tests {
    use statewright::Class;
    use statewright::ids::EventId;

    use super::*;

    #[test]
    fn short_events_are_written_as_all_others() {
        let indices = [
            0,
            1,
            0x7F,
            0x80,
            0x3FFF,
            0x4000,
            0x1F_FFFF,
            0x20_0000,
            AgentId::INDICES - 1,
        ];
        for index in indices {
            for (generation, id) in [(1, 0), (0x7F, 0x7E), (0x80, 3), (3, 0x80), (5, 5)] {
                let agent = TapeAgent { index, generation };
                let id = EventId::from_index(id).unwrap();
                for class in [Class::Low, Class::Normal, Class::Critical] {
                    let event = Event::new(id, class);
                    for event in [event, event.with_i32(7)] {
                        let mut places = [[0; LONGEST_SEND]; 2];
                        let [one, other] = &mut places;
                        let length = put_send(one, agent, &event);
                        assert_eq!(length, put_long_send(other, agent, &event));
                        assert_eq!(one[..length], other[..length]);
                    }
                }
            }
        }
    }
}
