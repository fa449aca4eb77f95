//! What a tape says: inputs in their order, what changed, ticks (TAPE-1, TAPE-3).
//!
//! Each record is a byte for its kind and then as little as possible:
//!
//! ```text
//! Send      index, generation, event          7 to 11 bytes and the payload
//! Tick      a mask, digests, context          at most 22 bytes, 30 with a digest of the context
//! Changed   index, generation, two patches    what became of an agent's bytes in the tick
//! ```
//!
//! Numbers are as short as they can be. Agents are named by index and generation: the crowd is that
//! of the tape.

use std::fmt;

use statewright::ids::{EventId, ParameterId, VariantId};
use statewright::{
    AgentId, AnyValue, Class, CrowdNumber, Event, Input, Machine, Mismatch, ParameterChange, Saved,
    TickSettings, Type,
};
use statewright_bytes::{ReadError, Reader, Writer};
use statewright_rom::{Number, layout::PayloadKind};

/// The first byte of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Code {
    Tick,
    Send,
    Broadcast,
    Spawn,
    Despawn,
    Reset,
    Stop,
    Pause,
    Resume,
    Written,
    SetVariant,
    SetParameter,
    ClearFlags,
    Settings,
    StartAt,
    Number,
    Instance,
    ResetCounters,
    Changed,
}

impl Code {
    const ALL: [Self; 19] = [
        Self::Tick,
        Self::Send,
        Self::Broadcast,
        Self::Spawn,
        Self::Despawn,
        Self::Reset,
        Self::Stop,
        Self::Pause,
        Self::Resume,
        Self::Written,
        Self::SetVariant,
        Self::SetParameter,
        Self::ClearFlags,
        Self::Settings,
        Self::StartAt,
        Self::Number,
        Self::Instance,
        Self::ResetCounters,
        Self::Changed,
    ];
}

/// An agent of the tape's crowd.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TapeAgent {
    /// Its index.
    pub index: u32,
    /// Its generation; even where nobody is any more.
    pub generation: u32,
}

impl TapeAgent {
    /// Its id in a crowd.
    pub fn in_crowd(self, crowd: CrowdNumber) -> AgentId {
        AgentId::new(self.index, self.generation).in_crowd(crowd)
    }
}

impl From<AgentId> for TapeAgent {
    fn from(agent: AgentId) -> Self {
        Self {
            index: agent.index(),
            generation: agent.generation(),
        }
    }
}

impl fmt::Display for TapeAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "agent {}.{}", self.index, self.generation)
    }
}

/// One thing that a tape says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// Something entered the crowd.
    Input(TapeInput),
    /// An agent is another one after the tick that is told next.
    Changed(Changed),
    /// The crowd ticked.
    Tick(TickProof),
}

/// What happens to one agent without more words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentInput {
    /// It is taken away.
    Despawn,
    /// It is made as new.
    Reset,
    /// It ends in the next tick.
    Stop,
    /// Its time stops.
    Pause,
    /// Its time goes on.
    Resume,
    /// Its marks were seen.
    ClearFlags,
}

impl AgentInput {
    fn word(self) -> &'static str {
        match self {
            Self::Despawn => "despawn",
            Self::Reset => "reset",
            Self::Stop => "stop",
            Self::Pause => "pause",
            Self::Resume => "resume",
            Self::ClearFlags => "clear the flags of",
        }
    }
}

/// Something that entered a crowd from outside: [`Input`] as a tape holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TapeInput {
    /// An event for an agent.
    Send(TapeAgent, Event),
    /// An event for every agent.
    Broadcast(Event),
    /// An agent begins.
    Spawn {
        /// The variant of its parameters.
        variant: Option<VariantId>,
        /// Its blackboard, saved.
        board: Box<[u8]>,
    },
    /// Something without more words.
    Agent(AgentInput, TapeAgent),
    /// A blackboard was written; what it is now, saved.
    Written(TapeAgent, Box<[u8]>),
    /// An agent has other parameters.
    SetVariant(TapeAgent, VariantId),
    /// A parameter has another value.
    SetParameter(ParameterChange),
    /// Ticks are carried out in another way.
    Settings(RecordedSettings),
    /// The next tick of a crowd without agents.
    StartAt(u64),
    /// The number of a crowd without agents.
    Number(CrowdNumber),
    /// An instance becomes what these bytes say.
    Instance(TapeAgent, Box<[u8]>),
    /// Counters begin at zero.
    ResetCounters,
}

/// Settings that change what agents do. Sleeping and the size of chunks change nothing, so that
/// whoever replays has its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedSettings {
    /// [`TickSettings::mismatch`].
    pub mismatch: Mismatch,
    /// [`TickSettings::budget`].
    pub budget: Option<usize>,
    /// [`TickSettings::strict`].
    pub strict: Option<bool>,
    /// [`TickSettings::quarantine_overflow`].
    pub quarantine_overflow: bool,
    /// [`TickSettings::forgets_commands`].
    pub forgets_commands: bool,
}

impl RecordedSettings {
    /// Of settings.
    pub fn of(settings: &TickSettings) -> Self {
        Self {
            mismatch: settings.mismatch,
            budget: settings.budget,
            strict: settings.strict,
            quarantine_overflow: settings.quarantine_overflow,
            forgets_commands: settings.forgets_commands,
        }
    }

    /// In the place of those of others.
    pub fn over(self, settings: &TickSettings) -> TickSettings {
        TickSettings {
            mismatch: self.mismatch,
            budget: self.budget,
            strict: self.strict,
            quarantine_overflow: self.quarantine_overflow,
            forgets_commands: self.forgets_commands,
            ..*settings
        }
    }

    pub(crate) fn put(self, out: &mut Vec<u8>) {
        let mismatch = match self.mismatch {
            Mismatch::Quarantine => 0,
            Mismatch::Reset => 1,
        };
        let strict = match self.strict {
            None => 0,
            Some(false) => 1,
            Some(true) => 2,
        };
        let bits = mismatch
            | strict << 1
            | u8::from(self.quarantine_overflow) << 3
            | u8::from(self.forgets_commands) << 4;
        out.put_u8(bits);
        // A budget is at least 1.
        out.put_varint(self.budget.unwrap_or(0) as u64);
    }

    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self, Wrong> {
        let bits = reader.u8()?;
        let strict = match bits >> 1 & 3 {
            0 => None,
            1 => Some(false),
            2 => Some(true),
            _ => return Err(Wrong("settings")),
        };
        if bits >> 5 != 0 {
            return Err(Wrong("settings"));
        }
        let budget = usize::try_from(reader.varint()?).map_err(|_| Wrong("settings"))?;
        Ok(Self {
            mismatch: match bits & 1 {
                0 => Mismatch::Quarantine,
                _ => Mismatch::Reset,
            },
            budget: (budget != 0).then_some(budget),
            strict,
            quarantine_overflow: bits >> 3 & 1 == 1,
            forgets_commands: bits >> 4 & 1 == 1,
        })
    }
}

/// An agent whose bytes are others than after the tick before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// The agent; its generation is even if it is gone.
    pub agent: TapeAgent,
    /// Of its instance.
    pub instance: Patch,
    /// Of its blackboard, saved.
    pub board: Patch,
}

/// Bytes that changed: the new length, and runs of new bytes with their places.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patch {
    pub(crate) length: usize,
    pub(crate) runs: Vec<(usize, Box<[u8]>)>,
}

/// What a tick came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TickProof {
    /// Digests, if the tape has any.
    pub digests: Option<Digests>,
    /// What the host said of its context, if it did.
    pub context: Option<u64>,
}

/// Digests of a crowd after a tick (TAPE-3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digests {
    /// [`Crowd::digest`](statewright::Crowd::digest).
    pub crowd: u64,
    /// The low half of [`Crowd::commands_digest`](statewright::Crowd::commands_digest).
    pub commands: u32,
    /// [`Crowd::boards_digest`](statewright::Crowd::boards_digest).
    pub boards: u64,
}

/// What is wrong with a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wrong(pub(crate) &'static str);

impl From<ReadError> for Wrong {
    fn from(_: ReadError) -> Self {
        Self("a record that ends too early or has an impossible number")
    }
}

/// Writing.
fn put_agent(out: &mut impl Writer, agent: TapeAgent) {
    out.put_varint(agent.index.into());
    out.put_varint(agent.generation.into());
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    out.put_varint(bytes.len() as u64);
    out.put(bytes);
}

/// The bytes of an event for an agent, which are few: put together here, they go out in one piece.
struct Short {
    bytes: [u8; 48],
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

/// Kind, receiver, event: at most 1 + 5 + 5 + 3 + 1 + 6 + 16 bytes.
#[inline]
fn put_send(out: &mut Vec<u8>, to: TapeAgent, event: &Event) {
    let mut short = Short {
        bytes: [0; 48],
        length: 0,
    };
    short.put_u8(Code::Send as u8);
    put_agent(&mut short, to);
    put_event(&mut short, event);
    out.put(&short.bytes[..short.length]);
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
/// pages for commands are no agent's business, restores are checkpoints, and a reload ends the tape.
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
        Input::Send(envelope) => put_send(out, envelope.to.into(), &envelope.event),
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
    out.put_u8(u8::from(proof.digests.is_some()) | u8::from(proof.context.is_some()) << 1);
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

/// Reading: nothing is believed.
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
    if bits > 3 {
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

impl Patch {
    /// Changes bytes. What is new behind their old end is in the runs, so that no number in a tape
    /// makes anybody reserve more memory than the tape has bytes.
    pub(crate) fn apply(&self, bytes: &mut Vec<u8>) -> Result<(), Wrong> {
        let given: usize = self.runs.iter().map(|(_, run)| run.len()).sum();
        if self.length > bytes.len() + given {
            return Err(Wrong("changed bytes that are not there"));
        }
        bytes.resize(self.length, 0);
        for (start, run) in &self.runs {
            if let Some(place) = bytes.get_mut(*start..*start + run.len()) {
                place.copy_from_slice(run);
            }
        }
        Ok(())
    }
}

/// For people.
impl TapeInput {
    /// In words, with the names of a machine.
    pub fn told(&self, machine: &Machine) -> String {
        let event = |event: &Event| {
            let Some(id) = event.id() else {
                return format!("event {}", event.id.get());
            };
            let record = machine.rom();
            let carries = record.event(id);
            let kind = carries.map_or(PayloadKind::Empty, |record| record.carries());
            match AnyValue::new(machine, kind, event.words()) {
                AnyValue::Nothing => format!("`{}`", machine.event_name(id)),
                value => format!("`{}({value})`", machine.event_name(id)),
            }
        };
        match self {
            Self::Send(agent, sent) => format!("send {} to {agent}", event(sent)),
            Self::Broadcast(sent) => format!("send {} to all", event(sent)),
            Self::Spawn { variant, board } => match variant {
                Some(variant) => {
                    let name = machine.symbols().of(*variant).unwrap_or_default();
                    format!("spawn as `{name}`, blackboard of {} bytes", board.len())
                }
                None => format!("spawn, blackboard of {} bytes", board.len()),
            },
            Self::Agent(input, agent) => format!("{} {agent}", input.word()),
            Self::Written(agent, board) => {
                format!("write the blackboard of {agent}, {} bytes", board.len())
            }
            Self::SetVariant(agent, variant) => {
                let name = machine.symbols().of(*variant).unwrap_or_default();
                format!("give {agent} the variant `{name}`")
            }
            Self::SetParameter(change) => {
                let name = machine.symbols().of(change.parameter).unwrap_or_default();
                let [x, y, z] = change.words;
                let kind = PayloadKind::of_value(change.ty);
                let value = AnyValue::new(machine, kind, [x, y, z, 0]);
                format!("set the parameter `{name}` to {value}")
            }
            Self::Settings(_) => "change the settings".to_owned(),
            Self::StartAt(tick) => format!("begin at tick {tick}"),
            Self::Number(number) => format!("become crowd {number}"),
            Self::Instance(agent, _) => format!("replace the bytes of {agent}"),
            Self::ResetCounters => "reset the counters".to_owned(),
        }
    }
}
