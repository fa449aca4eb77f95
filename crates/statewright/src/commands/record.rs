//! One command: a head of 24 bytes and its payload, little-endian.

use statewright_kernel::CommandKind;
use statewright_rom::Rom;
use statewright_rom::ids::*;
use statewright_rom::layout::{BuiltInLane, MAX_LANES, NONE};
use statewright_symbols::SymbolKind;
use xxhash_rust::const_xxh3::xxh3_64;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::agent_id::AgentId;
use crate::machine::Machine;
use crate::value::{Type, Value};

/// A lane that commands go to (CMD-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lane(u8);

impl Lane {
    /// Poses and clips.
    pub const ANIMATION: Self = Self(BuiltInLane::Animation.number());
    /// Where to go.
    pub const NAVIGATION: Self = Self(BuiltInLane::Navigation.number());
    /// Rules of the game.
    pub const GAMEPLAY: Self = Self(BuiltInLane::Gameplay.number());
    /// Staged writes.
    pub const BLACKBOARD: Self = Self(BuiltInLane::Blackboard.number());
    /// Sounds.
    pub const AUDIO: Self = Self(BuiltInLane::Audio.number());
    /// Effects.
    pub const VFX: Self = Self(BuiltInLane::Vfx.number());
    /// Events to other agents.
    pub const MESSAGE: Self = Self(BuiltInLane::Message.number());

    /// One that every machine has.
    pub const fn built_in(lane: BuiltInLane) -> Self {
        match lane {
            BuiltInLane::Animation => Self::ANIMATION,
            BuiltInLane::Navigation => Self::NAVIGATION,
            BuiltInLane::Gameplay => Self::GAMEPLAY,
            BuiltInLane::Blackboard => Self::BLACKBOARD,
            BuiltInLane::Audio => Self::AUDIO,
            BuiltInLane::Vfx => Self::VFX,
            BuiltInLane::Message => Self::MESSAGE,
        }
    }

    /// A lane of the machine's own, counted from 0.
    ///
    /// # Panics
    ///
    /// If no machine can have so many.
    pub const fn own(number: u8) -> Self {
        assert!(
            (number as usize) < MAX_LANES - BuiltInLane::COUNT,
            "a machine has at most 25 lanes of its own"
        );
        Self(BuiltInLane::COUNT as u8 + number)
    }

    /// The lane with a number, the built-in ones first.
    pub(crate) const fn at(number: u8) -> Self {
        Self(number)
    }

    /// The lane with a number, the built-in ones first; none if no machine has so many.
    pub fn numbered(number: u8) -> Option<Self> {
        (usize::from(number) < MAX_LANES).then_some(Self(number))
    }

    /// Lanes by the bits of their numbers.
    pub(crate) fn of_bits(bits: u32) -> impl Iterator<Item = Self> {
        (0..u32::BITS as u8)
            .filter(move |number| bits >> number & 1 != 0)
            .map(Self)
    }

    /// Its number, the built-in ones first.
    pub const fn number(self) -> u8 {
        self.0
    }
}

impl From<LaneId> for Lane {
    fn from(id: LaneId) -> Self {
        Self(id.raw())
    }
}

/// A command of the user's own: plain bytes with a name and a lane. `#[derive(Command)]` implements
/// it for structs whose fields are [`Field`](super::Field)s.
///
/// ```
/// use statewright::prelude::*;
///
/// #[derive(Clone, Copy, Command)]
/// #[command(lane = AUDIO)]
/// struct PlaySound { clip: u32, volume: f32 }
///
/// assert_eq!(PlaySound::NAME, "PlaySound");
/// assert_eq!(PlaySound::BYTES, 8);
/// ```
pub trait Command: Copy {
    /// Its name: commands of different types must have different ones.
    const NAME: &'static str;
    /// Where it goes.
    const LANE: Lane;
    /// How many bytes it has, at most 512.
    const BYTES: usize;

    /// Writes its bytes; `bytes` has room for exactly those.
    fn write(&self, bytes: &mut [u8]);

    /// Reads its bytes; `None` if there are too many or too few, or if they mean nothing.
    fn read(bytes: &[u8]) -> Option<Self>;

    /// Takes a later command of the same agent and tick into this one, in a lane that accumulates;
    /// `false` keeps both. A later command is offered to the earlier ones of its type in their
    /// order, until one takes it. The derive macro takes a function for it: `#[command(lane =
    /// own(0), merge = Self::add)]`.
    fn merge(&mut self, later: &Self) -> bool {
        let _ = later;
        false
    }
}

/// The number of a command's name.
pub(crate) const fn name_number(name: &str) -> u32 {
    xxh3_64(name.as_bytes()) as u32
}

/// State and transition that a command belongs to.
pub(crate) type Site = (StateId, Option<TransitionId>);

/// What a record says; numbers in [`Head::what`].
pub(crate) mod what {
    pub(crate) const TYPED: u8 = 0;
    pub(crate) const EMIT: u8 = 1;
    pub(crate) const RELEASE: u8 = 2;
    pub(crate) const SEND: u8 = 3;
    pub(crate) const WRITE: u8 = 4;
}

/// The head of a record: three words of eight bytes, little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) agent: AgentId,
    /// By `what`: number of the type's name, string, channel, event, key.
    pub(crate) name: u32,
    /// `NONE` without one.
    pub(crate) state: u16,
    /// `NONE` without one.
    pub(crate) transition: u16,
    /// Bytes of the payload.
    pub(crate) length: u16,
    pub(crate) lane: u8,
    pub(crate) what: u8,
    /// By `what`: type of the payload, or 0xFF.
    pub(crate) ty: u8,
}

impl Head {
    /// Bytes of a head.
    pub(crate) const BYTES: usize = 24;

    /// Writes it, word by word: small stores that a larger load follows would cost more than all
    /// the rest.
    #[inline]
    pub(crate) fn put(&self, bytes: &mut [u8; Self::BYTES]) {
        let who = u64::from(self.agent);
        let site = u64::from(self.transition) << 16 | u64::from(self.state);
        let name = site << 32 | u64::from(self.name);
        let kind =
            u64::from(self.ty) << 32 | u64::from(self.what) << 24 | u64::from(self.lane) << 16;
        let (words, _) = bytes.as_chunks_mut::<8>();
        for (bytes, word) in words
            .iter_mut()
            .zip([who, name, kind | u64::from(self.length)])
        {
            *bytes = word.to_le_bytes();
        }
    }

    /// Reads it.
    #[inline]
    pub(crate) fn get(bytes: &[u8; Self::BYTES]) -> Self {
        let word =
            |place: usize| u64::from_le_bytes(std::array::from_fn(|byte| bytes[place * 8 + byte]));
        let (who, name, kind) = (word(0), word(1), word(2));
        Self {
            agent: AgentId::from_bits(who),
            name: name as u32,
            state: (name >> 32) as u16,
            transition: (name >> 48) as u16,
            length: kind as u16,
            lane: (kind >> 16) as u8,
            what: (kind >> 24) as u8,
            ty: (kind >> 32) as u8,
        }
    }
}

/// The payload of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub(crate) struct Sent {
    pub(crate) to: [u32; 2],
    pub(crate) words: [u32; 4],
}

impl Sent {
    pub(crate) fn new(to: AgentId, words: [u32; 4]) -> Self {
        Self {
            to: [to.bits() as u32, (to.bits() >> 32) as u32].map(u32::to_le),
            words: words.map(u32::to_le),
        }
    }
}

impl Head {
    #[inline]
    fn new(agent: AgentId, state: StateId, transition: Option<TransitionId>) -> Self {
        Self {
            agent,
            name: 0,
            state: state.raw(),
            transition: TransitionId::to_raw(transition),
            length: 0,
            lane: 0,
            what: what::TYPED,
            ty: 0xFF,
        }
    }

    #[inline]
    pub(crate) fn typed<T: Command>(agent: AgentId, (state, transition): Site) -> Self {
        let length = const {
            assert!(T::BYTES <= 512, "a command has at most 512 bytes");
            T::BYTES as u16
        };
        let (name, lane) = const { (name_number(T::NAME), T::LANE.number()) };
        Self {
            name,
            length,
            lane,
            ..Self::new(agent, state, transition)
        }
    }

    /// The same of a type that nobody knows here: lane, number of its name, bytes.
    pub(crate) fn named(
        agent: AgentId,
        (state, transition): Site,
        (lane, name, length): (u8, u32, u16),
    ) -> Self {
        Self {
            name,
            length,
            lane,
            ..Self::new(agent, state, transition)
        }
    }

    /// Of nobody: only to compare with.
    pub(crate) fn like<T: Command>() -> Self {
        Self::typed::<T>(AgentId::default(), (StateId::ROOT, None))
    }

    pub(crate) fn send(agent: AgentId, (state, transition): Site, event: EventId) -> Self {
        Self {
            name: event.raw().into(),
            length: size_of::<Sent>() as u16,
            lane: Lane::MESSAGE.number(),
            what: what::SEND,
            ..Self::new(agent, state, transition)
        }
    }

    /// Of a staged write to the blackboard.
    pub(crate) fn write(agent: AgentId, key: KeyId) -> Self {
        let head = Self::new(agent, StateId::ROOT, None);
        let lane = Lane::BLACKBOARD.number();
        Self {
            state: NONE,
            name: key.raw().into(),
            length: 12,
            lane,
            what: what::WRITE,
            ..head
        }
    }

    /// What its command is, for people; `typed` names one of the user's own.
    pub(crate) fn named_as(&self, machine: &Machine, typed: impl FnOnce() -> String) -> String {
        let (number, rom) = (self.name as u16, machine.rom());
        let named = |kind| machine.symbols().shown(kind, number.into());
        match self.what {
            what::EMIT => {
                let name = StringId::new(number).and_then(|id| rom.string(id));
                name.unwrap_or("?").to_owned()
            }
            what::RELEASE => format!("release of {}", named(SymbolKind::Channel)),
            what::SEND => format!("message {}", named(SymbolKind::Event)),
            what::WRITE => format!("write of {}", named(SymbolKind::Key)),
            _ => typed(),
        }
    }

    /// Bytes that its command takes.
    pub(crate) fn size(&self) -> usize {
        Self::BYTES + usize::from(self.length).next_multiple_of(4)
    }

    /// Same lane, kind and name?
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        (self.lane, self.what, self.name) == (other.lane, other.what, other.name)
    }

    /// Is it what an agent says, not a release, a message or a staged write, which stand for
    /// themselves?
    pub(crate) fn is_said(&self) -> bool {
        matches!(self.what, what::TYPED | what::EMIT)
    }

    /// Does it replace an earlier one of its agent where the last writer wins (CMD-1)?
    pub(crate) fn takes_over(&self, earlier: &Self, by_name: bool) -> bool {
        let same_lane = self.lane == earlier.lane && self.is_said() && earlier.is_said();
        self.is_like(earlier) || (same_lane && !by_name)
    }

    /// Of a command that comes from the machine file, with its payload in little-endian words.
    pub(crate) fn built_in(
        agent: AgentId,
        command: &statewright_kernel::Command,
    ) -> (Self, [u32; 6], usize) {
        let head = Self {
            lane: command.lane.raw(),
            ..Self::new(agent, command.state, command.transition)
        };
        let mut payload = [0; 6];
        let (head, words) = match command.kind {
            CommandKind::Emit {
                name,
                ty,
                payload: words,
            } => {
                payload[..3].copy_from_slice(&words);
                let head = Self {
                    name: name.raw().into(),
                    what: what::EMIT,
                    ty: ty.map_or(0xFF, Type::number),
                    ..head
                };
                (head, if ty.is_some() { 3 } else { 0 })
            }
            CommandKind::Release { channel } => (
                Self {
                    name: channel.raw().into(),
                    what: what::RELEASE,
                    ..head
                },
                0,
            ),
            CommandKind::Send {
                to,
                event,
                payload: words,
            } => {
                payload[..2].copy_from_slice(&to);
                payload[2..].copy_from_slice(&words);
                (
                    Self {
                        name: event.raw().into(),
                        what: what::SEND,
                        ..head
                    },
                    6,
                )
            }
        };
        (
            Self {
                length: words as u16 * 4,
                ..head
            },
            payload.map(u32::to_le),
            words * 4,
        )
    }
}

/// What a command says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum What<'a> {
    /// A command of the user's own; [`CommandRef::get`] reads it.
    Typed,
    /// `emit` of the machine file.
    Emit {
        /// Its name.
        name: &'a str,
        /// Type and words of its payload.
        payload: Option<(Type, [u32; 3])>,
    },
    /// A channel is free again.
    Release {
        /// The channel.
        channel: ChannelId,
        /// Name of its release command.
        name: &'a str,
    },
    /// An event for another agent.
    Send {
        /// The receiver.
        to: AgentId,
        /// The event.
        event: EventId,
        /// Its payload.
        payload: [u32; 4],
    },
    /// A write to the blackboard, staged in strict mode and done at the end of the tick (CODE-5).
    Write {
        /// The key.
        key: KeyId,
        /// Its new words.
        words: [u32; 3],
    },
}

/// A command, as the host reads it.
#[derive(Clone, Copy, Debug)]
pub struct CommandRef<'a> {
    pub(crate) head: &'a [u8; Head::BYTES],
    pub(crate) payload: &'a [u8],
    pub(crate) tick: u64,
}

impl<'a> CommandRef<'a> {
    #[inline]
    pub(crate) fn head(&self) -> Head {
        Head::get(self.head)
    }

    /// Who wants it.
    #[inline]
    pub fn agent(&self) -> AgentId {
        self.head().agent
    }

    /// Its lane.
    #[inline]
    pub fn lane(&self) -> Lane {
        Lane(self.head().lane)
    }

    /// The state that it belongs to; none for staged writes.
    pub fn state(&self) -> Option<StateId> {
        StateId::new(self.head().state)
    }

    /// The region of that state; the root has none.
    pub fn region(&self, rom: &Rom<'_>) -> Option<RegionId> {
        RegionId::read(rom.state(self.state()?)?.region)
    }

    /// The tick that it was written in.
    pub fn tick(&self) -> u64 {
        self.tick
    }

    /// The transition that it belongs to.
    pub fn transition(&self) -> Option<TransitionId> {
        TransitionId::new(self.head().transition)
    }

    /// The command, if it is of this type.
    #[inline]
    pub fn get<T: Command>(&self) -> Option<T> {
        let head = self.head();
        let own = head.what == what::TYPED && head.name == const { name_number(T::NAME) };
        if own { T::read(self.payload) } else { None }
    }

    /// Bytes of its payload.
    pub fn bytes(&self) -> &'a [u8] {
        self.payload
    }

    /// All of it behind other bytes, for tools that write commands down ([`Self::read`]).
    pub fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.head);
        out.extend_from_slice(self.payload);
    }

    /// A command that was written down, and the tick that it was written in; nothing if the bytes are none.
    pub fn read(bytes: &'a [u8], tick: u64) -> Option<Self> {
        let (head, payload) = bytes.split_first_chunk()?;
        let read = Head::get(head);
        let is_whole = usize::from(read.length) == payload.len();
        let is_known = usize::from(read.lane) < MAX_LANES && read.what <= what::WRITE;
        (is_whole && is_known).then_some(Self {
            head,
            payload,
            tick,
        })
    }

    /// What it is, for people: as [`LostCommand::name`](super::LostCommand::name), where a type of the user's own
    /// is known by its number alone.
    pub fn name(&self, machine: &Machine) -> String {
        let head = self.head();
        head.named_as(machine, || format!("command {:08x}", head.name))
    }

    /// Key and words of a staged write; `None` for everything else.
    pub(crate) fn write(&self, rom: &Rom<'_>) -> Option<(KeyId, [u32; 3])> {
        match self.what(rom) {
            What::Write { key, words } => Some((key, words)),
            What::Typed | What::Emit { .. } | What::Release { .. } | What::Send { .. } => None,
        }
    }

    /// What it says.
    pub fn what<'r>(&self, rom: &Rom<'r>) -> What<'r> {
        let text = |id: u16| {
            StringId::new(id)
                .and_then(|id| rom.string(id))
                .unwrap_or("?")
        };
        let words = |place: usize| {
            let bytes = self.payload.get(place * 4..place * 4 + 4);
            bytes
                .and_then(|bytes| bytes.try_into().ok())
                .map_or(0, u32::from_le_bytes)
        };
        let number = self.head().name as u16;
        match self.head().what {
            what::EMIT => What::Emit {
                name: text(number),
                payload: Type::from_number(self.head().ty)
                    .map(|ty| (ty, [words(0), words(1), words(2)])),
            },
            what::RELEASE => match ChannelId::new(number as u8) {
                Some(channel) => What::Release {
                    channel,
                    name: rom
                        .channel(channel)
                        .map_or("?", |record| text(record.command.get())),
                },
                None => What::Typed,
            },
            what::SEND => match EventId::new(number) {
                Some(event) => What::Send {
                    to: AgentId::from_words([words(0), words(1), 0]),
                    event,
                    payload: [words(2), words(3), words(4), words(5)],
                },
                None => What::Typed,
            },
            what::WRITE => match KeyId::new(number) {
                Some(key) => What::Write {
                    key,
                    words: [words(0), words(1), words(2)],
                },
                None => What::Typed,
            },
            _ => What::Typed,
        }
    }
}
