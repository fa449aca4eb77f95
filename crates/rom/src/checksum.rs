//! The checksum of a ROM: notices damage, not malice (ROM-2).
//!
//! `xxh3_64(bytes[32..], seed = xxh3_64(bytes[..24]))`: every byte but the checksum's own eight,
//! which lie between. Rejected: one hash with the field taken as zero. It needs a copy or the
//! streaming form, which is slower.

use core::mem::offset_of;

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::layout::Header;

/// First byte of the stored checksum.
const FIELD: usize = offset_of!(Header, checksum);
/// First byte after the stored checksum.
const AFTER: usize = FIELD + size_of::<u64>();
const _: () = assert!(FIELD == 24 && AFTER == 32);

/// The checksum that the header of these bytes must hold.
pub fn checksum(bytes: &[u8]) -> u64 {
    let before = bytes.get(..FIELD).unwrap_or(bytes);
    let after = bytes.get(AFTER..).unwrap_or(&[]);
    xxh3_64_with_seed(after, xxh3_64(before))
}

/// Writes the right checksum into the header. Bytes too short for a header are left alone.
pub fn seal(bytes: &mut [u8]) {
    let sum = checksum(bytes).to_le_bytes();
    if let Some(field) = bytes.get_mut(FIELD..AFTER) {
        field.copy_from_slice(&sum);
    }
}
