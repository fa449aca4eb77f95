//! Files that are old or whole, never half (SAVE-3).

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use statewright_bytes::file::Replacement;

/// Most bytes that [`read_file`] takes: 4 GiB would be more than any game keeps of its agents.
pub const MOST_BYTES: u64 = 1 << 32;

/// Writes a save beside the file that it replaces, waits until it is on the disk, and gives it its
/// name. Whatever happens meanwhile, the file is the old one or the new one.
pub fn write_file(path: impl AsRef<Path>, bytes: &[u8]) -> io::Result<()> {
    Replacement::new(path.as_ref(), bytes)?.place()
}

/// The bytes of a file.
pub fn read_file(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let mut bytes = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}
