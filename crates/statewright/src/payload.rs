//! What events carry: Rust types on one side, kinds of payloads of the machine file on the other
//! (EVT-1).

use statewright_rom::layout::PayloadKind;

use crate::agent_id::AgentId;
use crate::value::Value;

/// Kinds of payloads as types, for [`TypedEvent`](crate::TypedEvent).
macro_rules! kinds {
    ($($kind:ident $what:literal: $($ty:ty),+;)+) => {
        $(
            #[doc = concat!("The kind of payload that the machine file calls ", $what, ".")]
            #[derive(Clone, Copy, Debug)]
            pub enum $kind {}
            $(impl PayloadOf<$kind> for $ty {})+
        )+

        /// Every kind of the ROM has a type here, and every type says its kind.
        #[cfg(test)]
        mod kinds_test {
            use super::*;

            #[test]
            fn every_kind_of_payload_has_types_that_say_so() {
                let kinds = [$((PayloadKind::$kind, &[$(<$ty as Payload>::KIND),+][..])),+];
                assert_eq!(kinds.map(|(kind, _)| kind), PayloadKind::ALL);
                for (kind, said) in kinds {
                    assert!(said.iter().all(|said| *said == Some(kind)), "{kind:?} {said:?}");
                }
            }
        }
    };
}

kinds! {
    I32 "`i32`": i32;
    F32 "`f32`": f32;
    Bool "`bool`": bool;
    Entity "`entity`": AgentId, crate::value::Entity, crate::world::GroupId;
    Vec2 "`vec2`": [f32; 2];
    Vec3 "`vec3`": [f32; 3];
    Symbol "`symbol`": crate::value::Symbol;
    U32 "`u32`": u32;
    U64 "`u64`": u64;
    Vec4 "`vec4`": [f32; 4];
    Bytes "`bytes`": [u8; 16];
    Empty "nothing: the event carries none": ();
}

#[cfg(feature = "glam")]
mod of_glam {
    use super::{PayloadOf, Vec2, Vec3};

    impl PayloadOf<Vec2> for glam::Vec2 {}
    impl PayloadOf<Vec3> for glam::Vec3 {}
    impl PayloadOf<Vec3> for glam::Vec3A {}
}

/// Any payload as its words, whatever the event carries. Hosts that write events down and send them
/// again need it; it is the one type that nobody checks.
impl<K> PayloadOf<K> for [u32; 4] {}

/// A type that a kind of payload is written and read as: what a [`TypedEvent`](crate::TypedEvent)
/// can be sent with.
#[diagnostic::on_unimplemented(
    message = "an event that carries `{K}` cannot be sent with `{Self}`",
    label = "the event carries another type",
    note = "the machine file says what an event carries: `\"Hit\": {{ \"payload\": \"i32\" }}`; without `payload` it carries `()`"
)]
pub trait PayloadOf<K>: Payload {}

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
    /// What it is in the machine file; `None` for whatever the event carries.
    const KIND: Option<PayloadKind>;

    /// Its words.
    fn words(self) -> [u32; 4];

    /// From its words; unused ones are not looked at.
    fn from_payload(words: [u32; 4]) -> Self;
}

impl<T: Value> Payload for T {
    const KIND: Option<PayloadKind> = Some(PayloadKind::of_value(T::TYPE));

    fn words(self) -> [u32; 4] {
        let [x, y, z] = self.to_words();
        [x, y, z, 0]
    }

    fn from_payload([x, y, z, _]: [u32; 4]) -> Self {
        T::from_words([x, y, z])
    }
}

impl Payload for () {
    const KIND: Option<PayloadKind> = Some(PayloadKind::Empty);

    fn words(self) -> [u32; 4] {
        [0; 4]
    }

    fn from_payload(_: [u32; 4]) {}
}

impl Payload for u32 {
    const KIND: Option<PayloadKind> = Some(PayloadKind::U32);

    fn words(self) -> [u32; 4] {
        [self, 0, 0, 0]
    }

    fn from_payload([word, ..]: [u32; 4]) -> Self {
        word
    }
}

impl Payload for u64 {
    const KIND: Option<PayloadKind> = Some(PayloadKind::U64);

    fn words(self) -> [u32; 4] {
        [self as u32, (self >> 32) as u32, 0, 0]
    }

    fn from_payload([low, high, ..]: [u32; 4]) -> Self {
        Self::from(high) << 32 | Self::from(low)
    }
}

impl Payload for [u32; 4] {
    const KIND: Option<PayloadKind> = None;

    fn words(self) -> [u32; 4] {
        self
    }

    fn from_payload(words: [u32; 4]) -> Self {
        words
    }
}

impl Payload for [f32; 4] {
    const KIND: Option<PayloadKind> = Some(PayloadKind::Vec4);

    fn words(self) -> [u32; 4] {
        self.map(f32::to_bits)
    }

    fn from_payload(words: [u32; 4]) -> Self {
        words.map(f32::from_bits)
    }
}

impl Payload for [u8; 16] {
    const KIND: Option<PayloadKind> = Some(PayloadKind::Bytes);

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
