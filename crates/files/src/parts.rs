//! Parts of machines (LANG-5) on disk.

use std::fs::File;

use statewright_author::limits::MAX_TEXT_BYTES;
use statewright_author::parts::PartFiles;

use crate::input::read_limited;

/// Reads parts by their paths, which begin at the working folder as the path of the machine file
/// does.
#[derive(Clone, Copy, Debug)]
pub struct Disk;

impl PartFiles for Disk {
    fn read(&self, name: &str) -> Result<String, String> {
        let bytes = File::open(name)
            .and_then(read_limited)
            .map_err(|error| error.to_string())?;
        if bytes.len() > MAX_TEXT_BYTES {
            return Err(format!("it is longer than {MAX_TEXT_BYTES} bytes"));
        }
        String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())
    }
}
