//! The tables of a ROM as growable lists, and their bytes.
//!
//! Comes in from the lowering pass, or from a ROM that is to be checked; goes out as the final
//! block of bytes. Record meaning is in [`statewright_rom::layout`].

use statewright_rom::ids::{RegionId, StateId, TransitionId};
use statewright_rom::layout::*;
use statewright_rom::{Rom, for_each_section, seal};
use zerocopy::IntoBytes;
use zerocopy::byteorder::little_endian::{U16, U32};

macro_rules! define_tables {
    ($($number:literal $name:ident $field:ident $record:ident $origin:ident,)+) => {
        /// Every table of a ROM.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct Tables {
            /// The header; its directory, length and checksum are set when bytes are written.
            pub header: Header,
            $(#[doc = concat!("Records of section `", stringify!($field), "`.")] pub $field: Vec<$record>,)+
        }

        impl Tables {
            /// The tables of a loaded ROM.
            pub fn from_rom(rom: &Rom<'_>) -> Self {
                Self { header: *rom.header(), $($field: rom.$field().to_vec(),)+ }
            }

            /// Bytes of a section.
            pub fn section_bytes(&self, section: Section) -> &[u8] {
                match section { $(Section::$name => self.$field.as_slice().as_bytes(),)+ }
            }

            /// Takes all records of a section away.
            pub fn clear_section(&mut self, section: Section) {
                match section { $(Section::$name => self.$field.clear(),)+ }
            }

            /// Records of a section.
            pub fn section_len(&self, section: Section) -> usize {
                match section { $(Section::$name => self.$field.len(),)+ }
            }
        }
    };
}
for_each_section!(define_tables);

impl Tables {
    /// The record of a state.
    pub fn state(&self, id: StateId) -> &StateRecord {
        &self.states[id.index()]
    }

    /// The record of a region.
    pub fn region(&self, id: RegionId) -> &RegionRecord {
        &self.regions[id.index()]
    }

    /// The record of a transition.
    pub fn transition(&self, id: TransitionId) -> &TransitionRecord {
        &self.transitions[id.index()]
    }

    /// All transitions, in their order.
    pub fn transition_ids(&self) -> impl Iterator<Item = TransitionId> + use<> {
        (0..self.transitions.len()).filter_map(TransitionId::from_index)
    }

    /// All states, in their order.
    pub fn state_ids(&self) -> impl Iterator<Item = StateId> + use<> {
        (0..self.states.len()).filter_map(StateId::from_index)
    }

    /// The whole ROM (ROM-1). Nothing here depends on anything but the tables (ROM-4).
    pub fn to_bytes(&self) -> Vec<u8> {
        let sections: Vec<Section> = Section::ALL
            .iter()
            .copied()
            .filter(|&s| self.section_len(s) > 0)
            .collect();
        let directory_end = size_of::<Header>() + sections.len() * size_of::<DirectoryEntry>();
        let mut bytes = vec![0; directory_end];
        let mut directory = Vec::new();
        for section in sections {
            bytes.resize(bytes.len().next_multiple_of(SECTION_ALIGNMENT), 0);
            directory.push(DirectoryEntry {
                kind: U16::new(section as u16),
                record_size: U16::new(section.record_size() as u16),
                offset: U32::new(bytes.len() as u32),
                count: U32::new(self.section_len(section) as u32),
            });
            bytes.extend_from_slice(self.section_bytes(section));
        }
        let header = Header {
            head: FORMAT.head(self.header.head.hashes()),
            length: U32::new(bytes.len() as u32),
            directory_offset: U16::new(size_of::<Header>() as u16),
            directory_count: U16::new(directory.len() as u16),
            ..self.header
        };
        bytes[..size_of::<Header>()].copy_from_slice(header.as_bytes());
        bytes[size_of::<Header>()..directory_end].copy_from_slice(directory.as_slice().as_bytes());
        seal(&mut bytes);
        bytes
    }
}
