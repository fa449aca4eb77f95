//! Values that snapshots can hold: how each is written and read (SYS-6).
//!
//! Numbers are little-endian. What a value does not use is not written, and what no value looks like
//! is refused: a truth value is 0 or 1, a text is UTF-8.

use statewright_bytes::Writer;

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
    /// Writes it behind what is there.
    fn save(&self, bytes: &mut Vec<u8>);

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
}

macro_rules! numbers {
    ($($number:ty)+) => {
        $(impl Saved for $number {
            #[inline]
            fn save(&self, bytes: &mut Vec<u8>) {
                bytes.put(&self.to_le_bytes());
            }

            #[inline]
            fn load(_: &Machine, bytes: &mut &[u8]) -> Option<Self> {
                let own = bytes.split_off(..size_of::<Self>())?;
                Some(Self::from_le_bytes(*own.first_chunk()?))
            }
        })+
    };
}

numbers! { u8 u16 u32 u64 u128 i8 i16 i32 i64 i128 f32 f64 }

/// Types that are saved as another one, which may have more values.
macro_rules! as_others {
    ($($ty:ty as $other:ty: $to:expr, $from:expr;)+) => {
        $(impl Saved for $ty {
            #[inline]
            fn save(&self, bytes: &mut Vec<u8>) {
                let to: fn(Self) -> $other = $to;
                to(*self).save(bytes);
            }

            #[inline]
            fn load(machine: &Machine, bytes: &mut &[u8]) -> Option<Self> {
                let from: fn($other) -> Option<Self> = $from;
                from(<$other>::load(machine, bytes)?)
            }
        })+
    };
}

as_others! {
    bool as u8: u8::from, |byte| (byte < 2).then_some(byte == 1);
    char as u32: u32::from, |number| char::from_u32(number);
    // Snapshots are for computers of any width.
    usize as u64: |number| number as u64, |number| usize::try_from(number).ok();
    isize as i64: |number| number as i64, |number| isize::try_from(number).ok();
    AgentId as u64: AgentId::bits, |bits| Some(AgentId::from_bits(bits));
    GroupId as AgentId: GroupId::receiver, GroupId::of;
    Entity as u64: |entity| entity.0, |number| Some(Entity(number));
    Symbol as u32: |symbol| symbol.0, |number| Some(Symbol(number));
}

#[cfg(feature = "glam")]
as_others! {
    glam::Vec2 as [f32; 2]: |vector| vector.to_array(), |array| Some(array.into());
    glam::Vec3 as [f32; 3]: |vector| vector.to_array(), |array| Some(array.into());
    glam::Vec3A as [f32; 3]: |vector| vector.to_array(), |array| Some(array.into());
}

macro_rules! tuples {
    ($(($($name:ident)*))+) => {
        $(
            // Each name is that of a type and of a part.
            #[allow(non_snake_case, unused_variables)]
            impl<$($name: Saved),*> Saved for ($($name,)*) {
                fn save(&self, bytes: &mut Vec<u8>) {
                    let ($($name,)*) = self;
                    $($name.save(bytes);)*
                }

                fn load(machine: &Machine, bytes: &mut &[u8]) -> Option<Self> {
                    Some(($($name::load(machine, bytes)?,)*))
                }

                fn load_over(&mut self, machine: &Machine, bytes: &mut &[u8]) -> Option<()> {
                    let ($($name,)*) = self;
                    $($name.load_over(machine, bytes)?;)*
                    Some(())
                }
            }
        )+
    };
}

tuples! { () (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) }

impl<T: Saved, const N: usize> Saved for [T; N] {
    fn save(&self, bytes: &mut Vec<u8>) {
        self.iter().for_each(|item| item.save(bytes));
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
}

impl<T: Saved> Saved for Box<T> {
    fn save(&self, bytes: &mut Vec<u8>) {
        (**self).save(bytes);
    }

    fn load(machine: &Machine, bytes: &mut &[u8]) -> Option<Self> {
        T::load(machine, bytes).map(Self::new)
    }

    fn load_over(&mut self, machine: &Machine, bytes: &mut &[u8]) -> Option<()> {
        (**self).load_over(machine, bytes)
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
}
