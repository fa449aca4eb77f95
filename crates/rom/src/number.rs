//! Numbers with a meaning: enums whose variants have a number and a name, the byte of a record that
//! holds one, and sets of bits.
//!
//! Each list is written once, by [`numbers!`](crate::numbers) or [`flags!`](crate::flags): number
//! and name of a variant stand side by side, so there is no second table that could forget one.
//! Matches over these enums have no `_` arm; a new variant is a compile error wherever it matters.

use core::fmt;
use core::marker::PhantomData;

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// A number that means nothing in the enum it was read for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownNumber {
    /// The enum.
    pub what: &'static str,
    /// The number.
    pub found: u16,
}

impl core::error::Error for UnknownNumber {}

impl fmt::Display for UnknownNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} has no meaning as a {}", self.found, self.what)
    }
}

/// Defines an enum whose variants have a number and a name: `Atomic = 0 "atomic"`.
#[macro_export]
#[doc(hidden)]
macro_rules! numbers {
    ($(#[$meta:meta])* $name:ident: $raw:ident {
        $($(#[$item:meta])* $variant:ident = $number:literal $word:literal,)+
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr($raw)]
        pub enum $name { $($(#[$item])* $variant = $number,)+ }

        impl $name {
            /// How many there are.
            pub const COUNT: usize = [$($number),+].len();
            /// All of them, in the order of the list.
            pub const ALL: [Self; Self::COUNT] = [$(Self::$variant),+];

            /// Their names, in the same order.
            pub const NAMES: [&'static str; Self::COUNT] = [$($word),+];

            /// The one with a number.
            #[inline]
            pub const fn from_number(number: $raw) -> Option<Self> {
                match number {
                    $($number => Some(Self::$variant),)+
                    _ => None,
                }
            }

            /// Its number.
            #[inline]
            pub const fn number(self) -> $raw {
                self as $raw
            }

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }
        }

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl TryFrom<$raw> for $name {
            type Error = $crate::UnknownNumber;

            fn try_from(number: $raw) -> Result<Self, $crate::UnknownNumber> {
                let unknown = $crate::UnknownNumber { what: stringify!($name), found: number.into() };
                Self::from_number(number).ok_or(unknown)
            }
        }

        $crate::numbers!(@byte $raw $name { $($variant)+ });
    };
    (@byte u8 $name:ident { $first:ident $($variant:ident)* }) => {
        impl $name {
            /// The byte of a record that holds it.
            #[inline]
            pub const fn coded(self) -> $crate::Coded<Self> {
                $crate::Coded::from_raw(self as u8)
            }
        }

        impl $crate::Number for $name {
            const FIRST: Self = Self::$first;

            #[inline]
            fn of_byte(byte: u8) -> Option<Self> {
                Self::from_number(byte)
            }

            #[inline]
            fn byte(self) -> u8 {
                self.number()
            }
        }
    };
    (@byte u16 $name:ident { $($variant:ident)+ }) => {};
}

/// Defines a module of bits with names: `REGIONS = 0 "regions"` is bit 0. After `with` may stand
/// what is made of them.
#[macro_export]
#[doc(hidden)]
macro_rules! flags {
    ($(#[$meta:meta])* $name:ident: $raw:ident {
        $($(#[$item:meta])* $flag:ident = $bit:literal $word:literal,)+
    } $(with { $($more:item)+ })?) => {
        $(#[$meta])*
        pub mod $name {
            $($(#[$item])* pub const $flag: $raw = 1 << $bit;)+
            /// Every bit that has a meaning.
            pub const ALL: $raw = $($flag)|+;
            /// Every bit with its name, in the order of the list.
            pub const TABLE: [($raw, &str); [$($bit),+].len()] = [$(($flag, $word)),+];
            // No two flags share a bit.
            const _: () = assert!(ALL.count_ones() as usize == TABLE.len());
            $($($more)+)?
        }
    };
}

/// An enum of [`numbers!`](crate::numbers) that fits into a byte.
pub trait Number: Copy + Eq + fmt::Debug + 'static {
    /// The first of the list.
    const FIRST: Self;

    /// The one with a number.
    fn of_byte(byte: u8) -> Option<Self>;

    /// Its number.
    fn byte(self) -> u8;
}

/// The byte of a record that holds the number of a `T`. Any byte may stand there until the loader
/// has looked at it.
#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(transparent)]
pub struct Coded<T>(u8, PhantomData<T>);

impl<T> Coded<T> {
    /// The byte.
    #[inline]
    pub const fn raw(self) -> u8 {
        self.0
    }

    /// A byte that may mean nothing.
    #[inline]
    pub const fn from_raw(byte: u8) -> Self {
        Self(byte, PhantomData)
    }
}

impl<T: Number> Coded<T> {
    /// What it means, of a byte that the loader has proved to mean something.
    #[inline(always)]
    pub fn get(self) -> T {
        let known = T::of_byte(self.0);
        debug_assert!(known.is_some(), "the loader lets no other byte pass");
        known.unwrap_or(T::FIRST)
    }

    /// What it means, if anything.
    #[inline(always)]
    pub fn known(self) -> Option<T> {
        T::of_byte(self.0)
    }

    /// Does it mean anything?
    #[inline(always)]
    pub fn is_known(self) -> bool {
        self.known().is_some()
    }
}

impl<T> Clone for Coded<T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Coded<T> {}

/// The number 0.
impl<T> Default for Coded<T> {
    fn default() -> Self {
        Self::from_raw(0)
    }
}

impl<T> PartialEq for Coded<T> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<T> Eq for Coded<T> {}

impl<T: Number> PartialEq<T> for Coded<T> {
    #[inline]
    fn eq(&self, other: &T) -> bool {
        self.0 == other.byte()
    }
}

impl<T: Number> From<T> for Coded<T> {
    #[inline]
    fn from(value: T) -> Self {
        Self::from_raw(value.byte())
    }
}

impl<T> From<Coded<T>> for u64 {
    #[inline]
    fn from(coded: Coded<T>) -> Self {
        coded.0.into()
    }
}

impl<T: Number> fmt::Debug for Coded<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.known() {
            Some(value) => value.fmt(f),
            None => write!(f, "unknown {}", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{PayloadKind, SpecialTrigger, StateKind, event_flag};

    #[test]
    fn numbers_and_variants_find_each_other() {
        for kind in StateKind::ALL {
            assert_eq!(StateKind::try_from(kind.number()), Ok(kind));
            assert_eq!(Coded::from(kind).get(), kind);
        }
        assert_eq!(PayloadKind::from_number(0xFF), Some(PayloadKind::Empty));
        assert_eq!(
            SpecialTrigger::from_number(0xFFF3),
            Some(SpecialTrigger::Failed)
        );
        assert_eq!(SpecialTrigger::from_number(0xFFF4), None);
    }

    #[test]
    fn a_byte_without_meaning_stays_what_it_is() {
        let byte = Coded::<StateKind>::from_raw(5);
        assert_eq!((byte.known(), byte.raw()), (None, 5));
        assert!(byte != StateKind::Atomic && !byte.is_known());
        let error = StateKind::try_from(5).unwrap_err();
        assert_eq!((error.what, error.found), ("StateKind", 5));
    }

    #[test]
    fn flags_have_a_name_each() {
        assert_eq!(
            event_flag::TABLE,
            [(1, "coalesce"), (2, "indirect"), (4, "ephemeral")]
        );
        assert_eq!(event_flag::ALL, 7);
    }
}
