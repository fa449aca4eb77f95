//! An event: 24 plain bytes with a 16-byte payload (EVT-1).

use zerocopy::byteorder::little_endian::{U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use statewright_rom::ids::EventId;
pub use statewright_rom::layout::EventClass as Class;

statewright_rom::flags! {
    /// Bits of [`Event::flags`].
    event_flag: u8 {
        /// Waits for a change of configuration (EVT-5).
        DEFERRED = 0 "deferred",
        /// Posted by `raise` (EVT-10).
        INTERNAL = 1 "internal",
        /// Not to be taken before the next tick (TICK-7).
        HIDDEN = 2 "hidden",
    }
}

/// An event as it lies in a queue or an inbox.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout,
)]
#[repr(C)]
pub struct Event {
    /// Its type.
    pub id: U16,
    /// [`Class`] as a number.
    pub class: u8,
    /// [`event_flag`] bits.
    pub flags: u8,
    /// Tick of admission or delivery.
    pub stamp: U32,
    /// Up to four words.
    pub payload: [U32; 4],
}

const _: () = assert!(size_of::<Event>() == 24);

/// Building.
impl Event {
    /// An event without payload.
    #[inline]
    pub fn new(id: EventId, class: Class) -> Self {
        Self {
            id: U16::new(id.raw()),
            class: class as u8,
            ..Self::default()
        }
    }

    /// The same with a payload of up to four words.
    #[must_use]
    #[inline]
    pub fn with_words(mut self, words: [u32; 4]) -> Self {
        self.payload = words.map(U32::new);
        self
    }

    /// The same with a whole number.
    #[must_use]
    #[inline]
    pub fn with_i32(self, value: i32) -> Self {
        self.with_words([value as u32, 0, 0, 0])
    }

    /// The same with a number.
    #[must_use]
    #[inline]
    pub fn with_f32(self, value: f32) -> Self {
        self.with_words([value.to_bits(), 0, 0, 0])
    }

    /// The same with a long number or an entity.
    #[must_use]
    pub fn with_u64(self, value: u64) -> Self {
        self.with_words([value as u32, (value >> 32) as u32, 0, 0])
    }

    /// The same with up to four numbers.
    #[must_use]
    pub fn with_vec(self, [x, y, z, w]: [f32; 4]) -> Self {
        self.with_words([x.to_bits(), y.to_bits(), z.to_bits(), w.to_bits()])
    }
}

/// Reading.
impl Event {
    /// Its type.
    #[inline]
    pub fn id(&self) -> Option<EventId> {
        EventId::read(self.id)
    }

    /// Its class; numbers past the last are Critical.
    #[inline]
    pub fn class(&self) -> Class {
        Class::from_number(self.class).unwrap_or(Class::Critical)
    }

    /// The payload as words.
    #[inline]
    pub fn words(&self) -> [u32; 4] {
        self.payload.map(U32::get)
    }

    /// The payload as a whole number.
    pub fn i32(&self) -> i32 {
        self.words()[0] as i32
    }

    /// The payload as an unsigned number.
    pub fn u32(&self) -> u32 {
        self.words()[0]
    }

    /// The payload as a number.
    pub fn f32(&self) -> f32 {
        f32::from_bits(self.words()[0])
    }

    /// The payload as a long number or an entity.
    pub fn u64(&self) -> u64 {
        let [low, high, ..] = self.words();
        u64::from(low) | u64::from(high) << 32
    }

    /// The payload as four numbers; a vec2 or vec3 is the first two or three.
    pub fn vec4(&self) -> [f32; 4] {
        self.words().map(f32::from_bits)
    }

    /// The payload as bytes.
    pub fn bytes(&self) -> &[u8] {
        self.payload.as_bytes()
    }

    /// Does it have this flag?
    #[inline]
    pub fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}
