//! Values that snapshots and saves can hold: how each is written and read (SYS-6, SAVE-2).
//!
//! Numbers are little-endian. What a value does not use is not written, and what no value looks like
//! is refused: a truth value is 0 or 1, a text is UTF-8.
//!
//! - `many` values side by side, in one piece where each takes as many bytes as the next
//! - `form` what the bytes mean, by name; saves carry it
//! - `convert` bytes of one form as bytes of another
//! - `serde` (a feature) types that others describe

pub(crate) mod convert;
pub mod form;
pub(crate) mod many;
#[cfg(feature = "serde")]
pub mod serde;

use std::borrow::Cow;

use statewright_bytes::Writer;

use form::{Form, Forms};

use crate::agent_id::AgentId;
use crate::machine::Machine;
use crate::value::{Entity, Symbol};
use crate::world::GroupId;

/// A blackboard that snapshots can hold, or a part of one. `#[derive(Saved)]` implements it for
/// structs and enums of such parts; other types say how they are written and read.
#[diagnostic::on_unimplemented(
    message = "snapshots cannot hold `{Self}`",
    label = "not saved",
    note = "write `#[derive(Saved)]` before it, implement `statewright::Saved`, or leave the field out with `#[saved(skip)]`"
)]
pub trait Saved: Sized {
    /// The version of its bytes, for types that say by hand how they are written: raise it when they
    /// mean something else, and read the earlier ones in [`Self::load_version`].
    const VERSION: u32 = 0;

    /// How many bytes [`Self::save`] writes, if they are as many for every value: blackboards of a crowd
    /// are then written and read in one piece.
    const BYTES: Option<usize> = None;

    /// Writes it behind what is there.
    fn save(&self, bytes: &mut Vec<u8>);

    /// Writes the same into a place that has just as many bytes. Nobody asks for it but where
    /// [`Self::BYTES`] says how many.
    fn save_into(&self, place: &mut [u8]) {
        let mut bytes = Vec::with_capacity(place.len());
        self.save(&mut bytes);
        place.copy_from_slice(&bytes);
    }

    /// Reads it from the head of the bytes and moves them on; `None` if they are none.
    fn load(machine: &Machine, bytes: &mut &[u8]) -> Option<Self>;

    /// The same in the place of one that nobody needs any more, whose memory may be used again. What
    /// it becomes if the bytes are none does not matter, as long as it can be loaded over.
    ///
    /// [`Crowd::restore`](crate::Crowd::restore) calls it; types with memory of their own save
    /// allocations by it.
    fn load_over(&mut self, machine: &Machine, bytes: &mut &[u8]) -> Option<()> {
        *self = Self::load(machine, bytes)?;
        Some(())
    }

    /// The same from a save that another version of the type wrote; `None` if it is not read any
    /// more.
    fn load_version(machine: &Machine, version: u32, bytes: &mut &[u8]) -> Option<Self> {
        if version == Self::VERSION {
            Self::load(machine, bytes)
        } else {
            None
        }
    }

    /// What its bytes mean, so that saves can be read by another version of the program (SAVE-2).
    /// `#[derive(Saved)]` says it field by field; a type that is written by hand is known by its
    /// [`Self::VERSION`] alone.
    fn form(forms: &mut Forms) -> Form {
        let _ = forms;
        Form::own::<Self>()
    }
}

macro_rules! numbers {
    ($($number:ident)+) => {
        $(impl Saved for $number {
            const BYTES: Option<usize> = Some(size_of::<Self>());

            #[inline]
            fn save(&self, bytes: &mut Vec<u8>) {
                bytes.put(&self.to_le_bytes());
            }

            #[inline]
            fn save_into(&self, place: &mut [u8]) {
                place.copy_from_slice(&self.to_le_bytes());
            }

            #[inline]
            fn load(_: &Machine, bytes: &mut &[u8]) -> Option<Self> {
                let own = bytes.split_off(..size_of::<Self>())?;
                Some(Self::from_le_bytes(*own.first_chunk()?))
            }

            fn form(_: &mut Forms) -> Form {
                Form::value(stringify!($number), size_of::<Self>())
            }
        })+
    };
}

numbers! { u8 u16 u32 u64 u128 i8 i16 i32 i64 i128 f32 f64 }

/// Types that are saved as another one, which may have more values.
macro_rules! as_others {
    ($($ty:ty as $other:ty: $name:literal, $bytes:literal, $to:expr, $from:expr;)+) => {
        $(impl Saved for $ty {
            const BYTES: Option<usize> = <$other>::BYTES;

            #[inline]
            fn save(&self, bytes: &mut Vec<u8>) {
                let to: fn(Self) -> $other = $to;
                to(*self).save(bytes);
            }

            #[inline]
            fn save_into(&self, place: &mut [u8]) {
                let to: fn(Self) -> $other = $to;
                to(*self).save_into(place);
            }

            #[inline]
            fn load(machine: &Machine, bytes: &mut &[u8]) -> Option<Self> {
                let from: fn($other) -> Option<Self> = $from;
                from(<$other>::load(machine, bytes)?)
            }

            fn form(_: &mut Forms) -> Form {
                Form::value($name, $bytes)
            }
        })+
    };
}

as_others! {
    bool as u8: "bool", 1, u8::from, |byte| (byte < 2).then_some(byte == 1);
    char as u32: "char", 4, u32::from, |number| char::from_u32(number);
    // Snapshots are for computers of any width.
    usize as u64: "usize", 8, |number| number as u64, |number| usize::try_from(number).ok();
    isize as i64: "isize", 8, |number| number as i64, |number| isize::try_from(number).ok();
    AgentId as u64: "agent", 8, AgentId::bits, |bits| Some(AgentId::from_bits(bits));
    GroupId as AgentId: "group", 8, GroupId::receiver, GroupId::of;
    Entity as u64: "entity", 8, |entity| entity.0, |number| Some(Entity(number));
    Symbol as u32: "symbol", 4, |symbol| symbol.0, |number| Some(Symbol(number));
}

#[cfg(feature = "glam")]
as_others! {
    glam::Vec2 as [f32; 2]: "vec2", 8, |vector| vector.to_array(), |array| Some(array.into());
    glam::Vec3 as [f32; 3]: "vec3", 12, |vector| vector.to_array(), |array| Some(array.into());
    glam::Vec3A as [f32; 3]: "vec3", 12, |vector| vector.to_array(), |array| Some(array.into());
}

macro_rules! tuples {
    ($(($($name:ident)*))+) => {
        $(
            // Each name is that of a type and of a part.
            #[allow(non_snake_case, unused_variables)]
            impl<$($name: Saved),*> Saved for ($($name,)*) {
                const BYTES: Option<usize> = many::sum(&[$($name::BYTES),*]);

                fn save(&self, bytes: &mut Vec<u8>) {
                    let ($($name,)*) = self;
                    $($name.save(bytes);)*
                }

                #[inline]
                fn save_into(&self, place: &mut [u8]) {
                    let ($($name,)*) = self;
                    $(let place = many::save_part($name, place);)*
                }

                fn load(machine: &Machine, bytes: &mut &[u8]) -> Option<Self> {
                    Some(($($name::load(machine, bytes)?,)*))
                }

                fn load_over(&mut self, machine: &Machine, bytes: &mut &[u8]) -> Option<()> {
                    let ($($name,)*) = self;
                    $($name.load_over(machine, bytes)?;)*
                    Some(())
                }

                fn form(forms: &mut Forms) -> Form {
                    Form::Tuple(vec![$($name::form(forms)),*])
                }
            }
        )+
    };
}

tuples! { () (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) }

impl<T: Saved, const N: usize> Saved for [T; N] {
    const BYTES: Option<usize> = many::sum(&[T::BYTES; N]);

    fn save(&self, bytes: &mut Vec<u8>) {
        self.iter().for_each(|item| item.save(bytes));
    }

    #[inline]
    fn save_into(&self, place: &mut [u8]) {
        let mut rest = place;
        for item in self {
            rest = many::save_part(item, rest);
        }
    }

    fn load(machine: &Machine, bytes: &mut &[u8]) -> Option<Self> {
        let mut items: [Option<T>; N] = std::array::from_fn(|_| T::load(machine, bytes));
        let are_there = items.iter().all(Option::is_some);
        are_there.then(|| std::array::from_fn(|place| items[place].take().expect("each is there")))
    }

    fn load_over(&mut self, machine: &Machine, bytes: &mut &[u8]) -> Option<()> {
        self.iter_mut()
            .try_for_each(|item| item.load_over(machine, bytes))
    }

    fn form(forms: &mut Forms) -> Form {
        Form::Array(N as u32, Box::new(T::form(forms)))
    }
}

impl<T: Saved> Saved for Option<T> {
    fn save(&self, bytes: &mut Vec<u8>) {
        self.is_some().save(bytes);
        self.iter().for_each(|value| value.save(bytes));
    }

    fn load(machine: &Machine, bytes: &mut &[u8]) -> Option<Self> {
        Some(if bool::load(machine, bytes)? {
            Some(T::load(machine, bytes)?)
        } else {
            None
        })
    }

    fn load_over(&mut self, machine: &Machine, bytes: &mut &[u8]) -> Option<()> {
        match (bool::load(machine, bytes)?, &mut *self) {
            (true, Some(value)) => value.load_over(machine, bytes)?,
            (true, None) => *self = Some(T::load(machine, bytes)?),
            (false, _) => *self = None,
        }
        Some(())
    }

    fn form(forms: &mut Forms) -> Form {
        Form::Maybe(Box::new(T::form(forms)))
    }
}

impl<T: Saved> Saved for Box<T> {
    const BYTES: Option<usize> = T::BYTES;

    fn save(&self, bytes: &mut Vec<u8>) {
        (**self).save(bytes);
    }

    #[inline]
    fn save_into(&self, place: &mut [u8]) {
        (**self).save_into(place);
    }

    fn load(machine: &Machine, bytes: &mut &[u8]) -> Option<Self> {
        T::load(machine, bytes).map(Self::new)
    }

    fn load_over(&mut self, machine: &Machine, bytes: &mut &[u8]) -> Option<()> {
        (**self).load_over(machine, bytes)
    }

    fn form(forms: &mut Forms) -> Form {
        T::form(forms)
    }
}

impl<T: Saved> Saved for Vec<T> {
    fn save(&self, bytes: &mut Vec<u8>) {
        self.len().save(bytes);
        for item in self {
            let before = bytes.len();
            item.save(bytes);
            if bytes.len() == before {
                bytes.put(&[0]);
            }
        }
    }

    fn load(machine: &Machine, bytes: &mut &[u8]) -> Option<Self> {
        let mut list = Self::new();
        list.load_over(machine, bytes)?;
        Some(list)
    }

    fn load_over(&mut self, machine: &Machine, bytes: &mut &[u8]) -> Option<()> {
        let count = usize::load(machine, bytes)?;
        self.truncate(count);
        for item in self.iter_mut() {
            at_least_a_byte(bytes, |bytes| item.load_over(machine, bytes))?;
        }
        while self.len() < count {
            self.push(at_least_a_byte(bytes, |bytes| T::load(machine, bytes))?);
        }
        Some(())
    }

    fn form(forms: &mut Forms) -> Form {
        Form::List(Box::new(T::form(forms)))
    }
}

/// Reads an item of a list. One that has no bytes takes one nevertheless, so that a count that is not
/// true runs into the end of the bytes before it costs much.
fn at_least_a_byte<T>(bytes: &mut &[u8], load: impl FnOnce(&mut &[u8]) -> Option<T>) -> Option<T> {
    let before = bytes.len();
    let item = load(bytes)?;
    if bytes.len() == before && *bytes.split_off_first()? != 0 {
        return None;
    }
    Some(item)
}

impl Saved for String {
    fn save(&self, bytes: &mut Vec<u8>) {
        self.len().save(bytes);
        bytes.put(self.as_bytes());
    }

    fn load(machine: &Machine, bytes: &mut &[u8]) -> Option<Self> {
        let mut text = Self::new();
        text.load_over(machine, bytes)?;
        Some(text)
    }

    fn load_over(&mut self, machine: &Machine, bytes: &mut &[u8]) -> Option<()> {
        let count = usize::load(machine, bytes)?;
        let text = std::str::from_utf8(bytes.split_off(..count)?).ok()?;
        self.clear();
        self.push_str(text);
        Some(())
    }

    fn form(_: &mut Forms) -> Form {
        Form::Counted(Cow::Borrowed("a text"))
    }
}
