//! Blocks: bytes of one kind, compressed, with their length before them.

use lz4_flex::block::{compress, decompress_into};
use statewright_bytes::frames::CLOSING;
use statewright_bytes::{Reader, Writer};

use super::MOST_BLOCK;

/// What a block holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Kind {
    /// A checkpoint, or the first part of one.
    Checkpoint = 1,
    /// Another part of the checkpoint before.
    Part = 2,
    /// Records.
    Records = 3,
    /// What the tape has, at its end.
    Index = 4,
    /// Keys of all blackboards of the checkpoint before, or their first part.
    Keys = 5,
    /// Another version of the machine, or the first part of one.
    Reload = 6,
}

const _: () = assert!(Kind::Checkpoint as u32 != CLOSING);

impl Kind {
    /// In a frame: with the crowd of a world that it is of, which is 0 where there is one.
    pub(super) fn of_crowd(self, crowd: u16) -> u32 {
        self as u32 | u32::from(crowd) << 16
    }

    /// The kind in a frame, and the crowd.
    pub(super) fn parted(kind: u32) -> (u32, usize) {
        (kind & 0xFFFF, (kind >> 16) as usize)
    }

    /// The kind of a number.
    pub(crate) fn of(number: u32) -> Option<Self> {
        let all = [
            Self::Checkpoint,
            Self::Part,
            Self::Records,
            Self::Index,
            Self::Keys,
            Self::Reload,
        ];
        all.into_iter().find(|&kind| kind as u32 == number)
    }
}

/// Most bytes of a compressed block: what cannot be compressed grows a little.
pub(super) const LONGEST: usize = 4 + lz4_flex::block::get_maximum_output_size(MOST_BLOCK);

/// Compresses bytes behind others.
pub(super) fn pack(raw: &[u8], out: &mut Vec<u8>) {
    out.put_u32(raw.len() as u32);
    out.put(&compress(raw));
}

/// The bytes again; `None` if they are damaged or more than `most`.
pub(super) fn unpack(packed: &[u8], most: usize) -> Option<Vec<u8>> {
    let mut reader = Reader::new(packed);
    let length = reader.u32().ok()? as usize;
    // LZ4 makes at most 255 bytes of one: no short block takes much memory.
    let possible = reader.rest().len().saturating_mul(255);
    if length > most.min(possible) {
        return None;
    }
    let mut raw = vec![0; length];
    let written = decompress_into(reader.rest(), &mut raw).ok()?;
    (written == length).then_some(raw)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_and_damage_is_noticed_or_harmless() {
        let mut sizes = vec![vec![], vec![7], vec![0; 100_000]];
        sizes.push((0..5000_u32).flat_map(|n| (n * n).to_le_bytes()).collect());
        for raw in sizes {
            let mut packed = Vec::new();
            pack(&raw, &mut packed);
            assert_eq!(unpack(&packed, MOST_BLOCK).as_deref(), Some(&raw[..]));
            for end in 0..packed.len().min(200) {
                let cut = unpack(&packed[..end], MOST_BLOCK);
                assert!(cut.is_none_or(|cut| cut == raw));
            }
            assert!(raw.is_empty() || unpack(&packed, raw.len() - 1).is_none());
        }
        assert_eq!(
            unpack(&[255, 255, 255, 255, 0], usize::MAX),
            None,
            "no such length"
        );
    }
}
