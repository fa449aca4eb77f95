//! What the fields of a command may be, and their bytes: little-endian, without gaps, the same on
//! every machine.

use crate::agent_id::AgentId;
use crate::value::{Entity, Symbol};

/// A type that a field of a command may have.
#[diagnostic::on_unimplemented(
    message = "a command cannot carry `{Self}`",
    label = "not plain bytes",
    note = "fields of a command are numbers of a fixed size (`u8` to `u64`, `i8` to `i64`, `f32`, `f64`), `bool`, `AgentId`, `Entity`, `Symbol`, and arrays of them"
)]
pub trait Field: Copy {
    /// How many bytes it has.
    const BYTES: usize;
    /// All bytes zero.
    const ZERO: Self;

    /// Writes its bytes; `bytes` has room for exactly those.
    fn write(self, bytes: &mut [u8]);

    /// Reads its bytes; `None` if there are too many or too few, or if they mean nothing.
    fn read(bytes: &[u8]) -> Option<Self>;

    /// Writes it in front; gives what is behind it.
    #[inline]
    fn put(self, bytes: &mut [u8]) -> &mut [u8] {
        let (own, rest) = bytes.split_at_mut(Self::BYTES);
        self.write(own);
        rest
    }

    /// Reads it in front, and moves on behind it.
    #[inline]
    fn take(bytes: &mut &[u8]) -> Option<Self> {
        let (own, rest) = bytes.split_at_checked(Self::BYTES)?;
        *bytes = rest;
        Self::read(own)
    }
}

macro_rules! numbers {
    ($($number:ident)+) => {$(
        impl Field for $number {
            const BYTES: usize = size_of::<Self>();
            const ZERO: Self = 0 as Self;

            #[inline]
            fn write(self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.to_le_bytes());
            }

            #[inline]
            fn read(bytes: &[u8]) -> Option<Self> {
                Some(Self::from_le_bytes(bytes.try_into().ok()?))
            }
        }
    )+};
}

numbers! { u8 u16 u32 u64 i8 i16 i32 i64 f32 f64 }

impl Field for bool {
    const BYTES: usize = 1;
    const ZERO: Self = false;

    #[inline]
    fn write(self, bytes: &mut [u8]) {
        u8::from(self).write(bytes);
    }

    #[inline]
    fn read(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0] => Some(false),
            [1] => Some(true),
            _ => None,
        }
    }
}

impl Field for AgentId {
    const BYTES: usize = 8;
    const ZERO: Self = Self::from_bits(0);

    #[inline]
    fn write(self, bytes: &mut [u8]) {
        self.bits().write(bytes);
    }

    #[inline]
    fn read(bytes: &[u8]) -> Option<Self> {
        Field::read(bytes).map(Self::from_bits)
    }
}

impl Field for Entity {
    const BYTES: usize = 8;
    const ZERO: Self = Self(0);

    #[inline]
    fn write(self, bytes: &mut [u8]) {
        self.0.write(bytes);
    }

    #[inline]
    fn read(bytes: &[u8]) -> Option<Self> {
        Some(Self(Field::read(bytes)?))
    }
}

impl Field for Symbol {
    const BYTES: usize = 4;
    const ZERO: Self = Self(0);

    #[inline]
    fn write(self, bytes: &mut [u8]) {
        self.0.write(bytes);
    }

    #[inline]
    fn read(bytes: &[u8]) -> Option<Self> {
        Some(Self(Field::read(bytes)?))
    }
}

impl<T: Field, const N: usize> Field for [T; N] {
    const BYTES: usize = T::BYTES * N;
    const ZERO: Self = [T::ZERO; N];

    #[inline]
    fn write(self, bytes: &mut [u8]) {
        let mut rest = bytes;
        for item in self {
            rest = item.put(rest);
        }
    }

    #[inline]
    fn read(bytes: &[u8]) -> Option<Self> {
        let (mut items, mut rest) = (Self::ZERO, bytes);
        for item in &mut items {
            *item = T::take(&mut rest)?;
        }
        rest.is_empty().then_some(items)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round<T: Field + PartialEq + std::fmt::Debug>(value: T, wanted: &[u8]) {
        let mut bytes = vec![0; T::BYTES];
        value.write(&mut bytes);
        assert_eq!(bytes, wanted);
        assert_eq!(T::read(&bytes), Some(value));
        bytes.push(0);
        assert_eq!(T::read(&bytes), None, "one byte too many");
    }

    #[test]
    fn bytes_are_little_endian_without_gaps() {
        round(0x0102_u16, &[2, 1]);
        round(-2_i64, &[0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]);
        round(1.0_f32, &[0, 0, 0x80, 0x3F]);
        round(true, &[1]);
        round(AgentId::from_bits(2 << 32 | 1), &[1, 0, 0, 0, 2, 0, 0, 0]);
        round(Entity(3), &[3, 0, 0, 0, 0, 0, 0, 0]);
        round(Symbol(4), &[4, 0, 0, 0]);
        round([[1_u8, 2], [3, 4]], &[1, 2, 3, 4]);
        round([0_u64; 0], &[]);
    }

    #[test]
    fn a_bool_is_0_or_1() {
        assert_eq!(bool::read(&[2]), None);
    }
}
