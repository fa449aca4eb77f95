//! Values that machine files, payloads, arguments and blackboard keys hold: up to three words of a
//! type (CODE-5).

use std::fmt;

pub use statewright_rom::layout::ValueType as Type;
use statewright_rom::symbol_number;

/// A Rust type that one [`Type`] of the machine file is read as.
pub trait Value: Copy {
    /// The type.
    const TYPE: Type;

    /// From its words; unused ones are not looked at.
    fn from_words(words: [u32; 3]) -> Self;

    /// To its words; unused ones are 0.
    fn to_words(self) -> [u32; 3];
}

impl Value for i32 {
    const TYPE: Type = Type::I32;

    fn from_words([word, ..]: [u32; 3]) -> Self {
        word.cast_signed()
    }

    fn to_words(self) -> [u32; 3] {
        [self.cast_unsigned(), 0, 0]
    }
}

impl Value for f32 {
    const TYPE: Type = Type::F32;

    fn from_words([word, ..]: [u32; 3]) -> Self {
        Self::from_bits(word)
    }

    fn to_words(self) -> [u32; 3] {
        [self.to_bits(), 0, 0]
    }
}

impl Value for bool {
    const TYPE: Type = Type::Bool;

    fn from_words([word, ..]: [u32; 3]) -> Self {
        word != 0
    }

    fn to_words(self) -> [u32; 3] {
        [u32::from(self), 0, 0]
    }
}

impl Value for [f32; 2] {
    const TYPE: Type = Type::Vec2;

    fn from_words([x, y, _]: [u32; 3]) -> Self {
        [x, y].map(f32::from_bits)
    }

    fn to_words(self) -> [u32; 3] {
        let [x, y] = self.map(f32::to_bits);
        [x, y, 0]
    }
}

impl Value for [f32; 3] {
    const TYPE: Type = Type::Vec3;

    fn from_words(words: [u32; 3]) -> Self {
        words.map(f32::from_bits)
    }

    fn to_words(self) -> [u32; 3] {
        self.map(f32::to_bits)
    }
}

/// An agent. Handles of agents that are gone never mean their successors: the generation tells them
/// apart. Crowds give ids to their agents; a host that owns its memory gives its own
/// ([`Slices::agents`](crate::Slices::agents)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AgentId {
    index: u32,
    generation: u32,
}

impl AgentId {
    /// The id with this index and generation.
    pub const fn new(index: u32, generation: u32) -> Self {
        Self { index, generation }
    }

    /// Its index in the crowd, free again after its end.
    pub fn index(self) -> u32 {
        self.index
    }

    /// Tells it from those who had this index before it: 1 for the first, 3 for the second, and so
    /// on.
    pub fn generation(self) -> u32 {
        self.generation
    }
}

/// Its index, for filters of traces.
impl From<AgentId> for u32 {
    fn from(agent: AgentId) -> Self {
        agent.index()
    }
}

/// All of it, generation above index: how records of commands have it.
impl From<AgentId> for u64 {
    fn from(agent: AgentId) -> Self {
        Self::from(agent.generation) << 32 | Self::from(agent.index)
    }
}

impl fmt::Display for AgentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "agent {}.{}", self.index, self.generation)
    }
}

impl Value for AgentId {
    const TYPE: Type = Type::Entity;

    fn from_words([index, generation, _]: [u32; 3]) -> Self {
        Self { index, generation }
    }

    fn to_words(self) -> [u32; 3] {
        [self.index, self.generation, 0]
    }
}

/// An entity of the host that is no agent: any 64 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Entity(pub u64);

impl Value for Entity {
    const TYPE: Type = Type::Entity;

    fn from_words([low, high, _]: [u32; 3]) -> Self {
        Self(u64::from(high) << 32 | u64::from(low))
    }

    fn to_words(self) -> [u32; 3] {
        [self.0 as u32, (self.0 >> 32) as u32, 0]
    }
}

/// A text by its number: the low half of its xxh3, 0 for the empty text (HASH-2). So a symbol means
/// the same text in every machine and after every edit; a machine that has two texts of one number
/// is refused by the compiler. [`Machine::symbol`](crate::Machine::symbol) finds the symbol of a
/// text that a machine has, [`Machine::symbol_text`](crate::Machine::symbol_text) goes back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(pub u32);

impl Symbol {
    /// No symbol: the empty text.
    pub const NONE: Self = Self(0);

    /// The symbol of any text, whether or not a machine has it.
    ///
    /// ```
    /// use statewright::Symbol;
    ///
    /// const SAD: Symbol = Symbol::of("sad");
    /// assert_ne!(SAD, Symbol::of("glad"));
    /// assert_eq!(Symbol::of(""), Symbol::NONE);
    /// ```
    pub const fn of(text: &str) -> Self {
        Self(symbol_number(text))
    }
}

impl Value for Symbol {
    const TYPE: Type = Type::Symbol;

    fn from_words([word, ..]: [u32; 3]) -> Self {
        Self(word)
    }

    fn to_words(self) -> [u32; 3] {
        [self.0, 0, 0]
    }
}

/// What an event may carry: nothing, any [`Value`], or another type of up to four words. Bytes are
/// little-endian in each word, so that they are the same everywhere.
///
/// ```
/// use statewright::Payload;
///
/// assert_eq!(7_u64.words(), [7, 0, 0, 0]);
/// assert_eq!(<[f32; 4]>::from_payload([1.0, 2.0, 3.0, 4.0].words()), [1.0, 2.0, 3.0, 4.0]);
/// assert_eq!(*b"sixteen letters!", <[u8; 16]>::from_payload(b"sixteen letters!".words()));
/// ```
pub trait Payload: Sized {
    /// Its words.
    fn words(self) -> [u32; 4];

    /// From its words; unused ones are not looked at.
    fn from_payload(words: [u32; 4]) -> Self;
}

impl<T: Value> Payload for T {
    fn words(self) -> [u32; 4] {
        let [x, y, z] = self.to_words();
        [x, y, z, 0]
    }

    fn from_payload([x, y, z, _]: [u32; 4]) -> Self {
        T::from_words([x, y, z])
    }
}

impl Payload for () {
    fn words(self) -> [u32; 4] {
        [0; 4]
    }

    fn from_payload(_: [u32; 4]) {}
}

impl Payload for u32 {
    fn words(self) -> [u32; 4] {
        [self, 0, 0, 0]
    }

    fn from_payload([word, ..]: [u32; 4]) -> Self {
        word
    }
}

impl Payload for u64 {
    fn words(self) -> [u32; 4] {
        [self as u32, (self >> 32) as u32, 0, 0]
    }

    fn from_payload([low, high, ..]: [u32; 4]) -> Self {
        Self::from(high) << 32 | Self::from(low)
    }
}

impl Payload for [u32; 4] {
    fn words(self) -> [u32; 4] {
        self
    }

    fn from_payload(words: [u32; 4]) -> Self {
        words
    }
}

impl Payload for [f32; 4] {
    fn words(self) -> [u32; 4] {
        self.map(f32::to_bits)
    }

    fn from_payload(words: [u32; 4]) -> Self {
        words.map(f32::from_bits)
    }
}

impl Payload for [u8; 16] {
    fn words(self) -> [u32; 4] {
        let (words, _) = self.as_chunks::<4>();
        std::array::from_fn(|place| u32::from_le_bytes(words[place]))
    }

    fn from_payload(words: [u32; 4]) -> Self {
        let mut bytes = [0; 16];
        let (chunks, _) = bytes.as_chunks_mut::<4>();
        chunks
            .iter_mut()
            .zip(words)
            .for_each(|(chunk, word)| *chunk = word.to_le_bytes());
        bytes
    }
}
