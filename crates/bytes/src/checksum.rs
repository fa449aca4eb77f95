//! The checksum of a file: notices damage, not malice (ROM-2).
//!
//! `xxh3_64(bytes[32..], seed = xxh3_64(bytes[..24]))`: every byte but the checksum's own eight,
//! which lie between. Rejected: one hash with the field taken as zero. It needs a copy or the
//! streaming form, which is slower.

use core::mem::offset_of;

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::head::Head;

/// First byte of the stored checksum.
const FIELD: usize = offset_of!(Head, checksum);
/// First byte after the stored checksum.
const AFTER: usize = size_of::<Head>();
const _: () = assert!(FIELD == 24 && AFTER == 32);

/// The checksum that the head of these bytes must hold.
pub fn checksum(bytes: &[u8]) -> u64 {
    let before = bytes.get(..FIELD).unwrap_or(bytes);
    let after = bytes.get(AFTER..).unwrap_or(&[]);
    xxh3_64_with_seed(after, xxh3_64(before))
}

/// Writes the right checksum into the head and returns it. Bytes too short for a head are left
/// alone.
pub fn seal(bytes: &mut [u8]) -> u64 {
    let sum = checksum(bytes);
    if let Some(field) = bytes.get_mut(FIELD..AFTER) {
        field.copy_from_slice(&sum.to_le_bytes());
    }
    sum
}
