//! Reading records: nothing is believed.

use statewright::ids::{EventId, ParameterId, VariantId};
use statewright::{AgentId, Class, CrowdNumber, Event, ParameterChange, Type};
use statewright_bytes::Reader;
use statewright_rom::Number;

use crate::outputs::Output;

use super::{
    AgentHash, AgentInput, Changed, Code, Digests, Patch, Record, RecordedSettings, TapeAgent,
    TapeInput, TickProof, Wrong,
};

/// The receiver and the event of the next record and how many bytes it has, if it is a short
/// [`TapeInput::Send`]: nearly all of a tape is these. Nothing of any other, of one with something wrong, and of the last of
/// a block, which [`Record::read`] reads as it reads all.
#[inline]
pub(crate) fn read_short_send(bytes: &[u8]) -> Option<(TapeAgent, Event, usize)> {
    let head: &[u8; 12] = bytes.first_chunk()?;
    let word = u32::from_le_bytes([head[1], head[2], head[3], head[4]]);
    // The last byte of the index is below 128.
    let last = !word & 0x8080_8080;
    if head[0] != Code::Send as u8 || last == 0 {
        return None;
    }
    let count = last.trailing_zeros() as usize / 8 + 1;
    let word = word & (u32::MAX >> (32 - 8 * count));
    let seven = |at: u32| (word >> (8 * at) & 0x7F) << (7 * at);
    let index = seven(0) | seven(1) | seven(2) | seven(3);
    let (generation, id, class) = (head[1 + count], head[2 + count], head[3 + count]);
    // Longer numbers, a payload, or more than a class.
    if (generation | id) >= 0x80 || class > 3 {
        return None;
    }
    let mut event = Event::new(EventId::new(id.into())?, Class::Normal);
    event.class = class;
    let generation = generation.into();
    Some((TapeAgent { index, generation }, event, 4 + count))
}

impl Record {
    /// The next record of some bytes.
    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self, Wrong> {
        let code = reader.u8()?;
        let code = Code::ALL.get(usize::from(code)).copied();
        let input = match code.ok_or(Wrong("a record of an unknown kind"))? {
            Code::Tick => return read_tick(reader).map(Self::Tick),
            Code::Changed => return read_changed(reader).map(Self::Changed),
            Code::Send => TapeInput::Send(read_agent(reader)?, read_event(reader)?),
            Code::Broadcast => TapeInput::Broadcast(read_event(reader)?),
            Code::Spawn => TapeInput::Spawn {
                variant: match reader.varint()? {
                    0 => None,
                    raw => Some(variant(u16::try_from(raw - 1).ok())?),
                },
                board: read_board(reader)?,
            },
            Code::Despawn => TapeInput::Agent(AgentInput::Despawn, read_agent(reader)?),
            Code::Reset => TapeInput::Agent(AgentInput::Reset, read_agent(reader)?),
            Code::Stop => TapeInput::Agent(AgentInput::Stop, read_agent(reader)?),
            Code::Pause => TapeInput::Agent(AgentInput::Pause, read_agent(reader)?),
            Code::Resume => TapeInput::Agent(AgentInput::Resume, read_agent(reader)?),
            Code::ClearFlags => TapeInput::Agent(AgentInput::ClearFlags, read_agent(reader)?),
            Code::Written => TapeInput::Written(read_agent(reader)?, read_board(reader)?),
            Code::SetVariant => {
                TapeInput::SetVariant(read_agent(reader)?, variant(Some(reader.u16()?))?)
            }
            Code::SetParameter => TapeInput::SetParameter(read_change(reader)?),
            Code::Settings => TapeInput::Settings(RecordedSettings::read(reader)?),
            Code::StartAt => TapeInput::StartAt(reader.u64()?),
            Code::Number => {
                let number = CrowdNumber::new(reader.u32()?);
                TapeInput::Number(number.ok_or(Wrong("the number of a crowd"))?)
            }
            Code::Instance => TapeInput::Instance(read_agent(reader)?, read_bytes(reader)?),
            Code::ResetCounters => TapeInput::ResetCounters,
            Code::Message => {
                let is_own = match reader.u8()? {
                    0 => false,
                    1 => true,
                    _ => return Err(Wrong("a message of an unknown kind")),
                };
                let (to, event) = (read_agent(reader)?, read_event(reader)?);
                TapeInput::Message { to, event, is_own }
            }
            Code::Keys => return read_bytes(reader).map(Self::Keys),
            Code::Calls => return read_bytes(reader).map(Self::Calls),
            Code::Hash => {
                return Ok(Self::Hash(AgentHash {
                    agent: read_agent(reader)?,
                    instance: reader.u64()?,
                    board: reader.u64()?,
                }));
            }
            Code::Output => {
                let output = Output::read(&read_bytes(reader)?);
                return output
                    .map(Self::Output)
                    .ok_or(Wrong("a command that is none"));
            }
            Code::Guessed => return read_agent(reader).map(Self::Guessed),
        };
        Ok(Self::Input(input))
    }
}

fn read_agent(reader: &mut Reader<'_>) -> Result<TapeAgent, Wrong> {
    let (index, generation) = (reader.varint()?, reader.varint()?);
    let fits = index < AgentId::INDICES.into() && generation < AgentId::GENERATIONS.into();
    if !fits {
        return Err(Wrong("an agent that no crowd can have"));
    }
    Ok(TapeAgent {
        index: index as u32,
        generation: generation as u32,
    })
}

fn read_event(reader: &mut Reader<'_>) -> Result<Event, Wrong> {
    let id = u16::try_from(reader.varint()?).ok().and_then(EventId::new);
    let id = id.ok_or(Wrong("an event that no machine can have"))?;
    let bits = reader.u8()?;
    let used = usize::from(bits >> 3);
    if used > 4 {
        return Err(Wrong("an event with more than four words"));
    }
    let mut event = Event::new(id, Class::Normal);
    event.class = bits & 3;
    if bits >> 2 & 1 == 1 {
        (event.class, event.flags) = (reader.u8()?, reader.u8()?);
        event.stamp.set(reader.u32()?);
    }
    let mut words = [0; 4];
    for word in &mut words[..used] {
        *word = reader.u32()?;
    }
    Ok(event.with_words(words))
}

fn read_bytes(reader: &mut Reader<'_>) -> Result<Box<[u8]>, Wrong> {
    let length = reader.varint()?;
    let length = usize::try_from(length).map_err(|_| Wrong("bytes without end"))?;
    Ok(reader.take(length)?.into())
}

fn read_board(reader: &mut Reader<'_>) -> Result<Box<[u8]>, Wrong> {
    let length = reader.u32()? as usize;
    Ok(reader.take(length)?.into())
}

fn variant(raw: Option<u16>) -> Result<VariantId, Wrong> {
    raw.and_then(VariantId::new)
        .ok_or(Wrong("a variant that no machine can have"))
}

fn read_change(reader: &mut Reader<'_>) -> Result<ParameterChange, Wrong> {
    let variant = variant(Some(reader.u16()?))?;
    let parameter = ParameterId::new(reader.u16()?);
    let ty = Type::of_byte(reader.u8()?);
    Ok(ParameterChange {
        variant,
        parameter: parameter.ok_or(Wrong("a parameter that no machine can have"))?,
        ty: ty.ok_or(Wrong("a type that is none"))?,
        words: [reader.u32()?, reader.u32()?, reader.u32()?],
    })
}

fn read_tick(reader: &mut Reader<'_>) -> Result<TickProof, Wrong> {
    let bits = reader.u8()?;
    if bits > 7 {
        return Err(Wrong("a tick of an unknown kind"));
    }
    let mut proof = TickProof::default();
    if bits & 1 == 1 {
        proof.digests = Some(Digests {
            crowd: reader.u64()?,
            commands: reader.u32()?,
            boards: reader.u64()?,
        });
    }
    if bits & 2 == 2 {
        proof.context = Some(reader.u64()?);
    }
    proof.apart = bits & 4 == 4;
    Ok(proof)
}

fn read_changed(reader: &mut Reader<'_>) -> Result<Changed, Wrong> {
    Ok(Changed {
        agent: read_agent(reader)?,
        instance: read_patch(reader)?,
        board: read_patch(reader)?,
    })
}

fn read_patch(reader: &mut Reader<'_>) -> Result<Patch, Wrong> {
    const WRONG: Wrong = Wrong("changed bytes that lie nowhere");
    let (length, count) = (reader.varint()?, reader.varint()?);
    // No blackboard of a tape is longer than a block.
    let length = usize::try_from(length).ok();
    let length = length.filter(|&length| length <= crate::file::MOST_BLOCK);
    let length = length.ok_or(WRONG)?;
    let (mut runs, mut at) = (Vec::new(), 0_usize);
    for _ in 0..count {
        let skip = usize::try_from(reader.varint()?).map_err(|_| WRONG)?;
        let bytes = read_bytes(reader)?;
        let start = at.checked_add(skip).ok_or(WRONG)?;
        at = start.checked_add(bytes.len()).ok_or(WRONG)?;
        if at > length || bytes.is_empty() {
            return Err(WRONG);
        }
        runs.push((start, bytes));
    }
    Ok(Patch { length, runs })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_events_are_read_as_all_others() {
        let mut state = 1_u64;
        let mut short = 0;
        for _ in 0..200_000 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let mut bytes = [0; 16];
            bytes[..8].copy_from_slice(&(state ^ state >> 29).to_le_bytes());
            // A third of each: ones that end soon, ones with small numbers, anything.
            let mask = [0x7F, 0x83, 0xFF][(state >> 33) as usize % 3];
            bytes.iter_mut().for_each(|byte| *byte &= mask);
            bytes[0] = Code::Send as u8;
            let Some((agent, event, length)) = read_short_send(&bytes) else {
                continue;
            };
            short += 1;
            let mut reader = Reader::new(&bytes);
            let read = Record::read(&mut reader);
            assert_eq!(read, Ok(Record::Input(TapeInput::Send(agent, event))));
            assert_eq!(reader.offset(), length);
            assert!(
                read_short_send(&bytes[..11]).is_none(),
                "the last of a block"
            );
        }
        assert!(short > 10_000, "{short}");
    }
}
