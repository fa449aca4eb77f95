//! The byte layout of a ROM: header, section directory and the records of every table (ROM-1).
//!
//! This module owns what the bytes mean, one file per subject; `load` proves that given bytes
//! follow it. All numbers are little-endian and unaligned types, so a ROM is read in place from any
//! address of any machine. `NONE` in an index field means "nothing". Every reserved byte is zero.
//! A byte that stands for a kind is a [`Coded`](crate::Coded).
//!
//! States lie in pre-order, so the descendants of state `s` are exactly `s+1 .. subtree_end`.
//! Regions, leaves, transitions and timers follow the order of the tree.

/// Defines a record: plain little-endian bytes of an exact size.
macro_rules! record {
    ($(#[$meta:meta])* $name:ident: $size:literal { $($(#[$field_meta:meta])* $field:ident: $type:ty,)+ }) => {
        $(#[$meta])*
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, zerocopy::FromBytes, zerocopy::IntoBytes, zerocopy::Immutable,
            zerocopy::KnownLayout, zerocopy::Unaligned,
        )]
        #[repr(C)]
        pub struct $name { $($(#[$field_meta])* pub $field: $type,)+ }
        const _: () = assert!(size_of::<$name>() == $size && align_of::<$name>() == 1);

        impl $name {
            /// Name, offset and type of each field; `tests/layout.rs` keeps them per version.
            #[doc(hidden)]
            pub const FIELDS: &'static [(&'static str, usize, &'static str)] =
                &[$((stringify!($field), core::mem::offset_of!($name, $field), stringify!($type)),)+];
        }
    };
}

mod actions;
mod data;
mod dispatch;
mod durations;
mod events;
mod frame;
mod lanes;
mod limits;
mod sections;
mod transitions;
mod tree;
mod values;

pub use actions::*;
pub use data::*;
pub use dispatch::*;
pub use durations::*;
pub use events::*;
pub use frame::*;
pub use lanes::*;
pub use limits::*;
pub use sections::*;
pub use transitions::*;
pub use tree::*;
pub use values::*;
