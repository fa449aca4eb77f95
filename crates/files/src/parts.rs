//! Parts of machines (LANG-5) on disk.

use std::path::Path;

use statewright_author::limits::MAX_TEXT_BYTES;
use statewright_author::parts::{NOT_UTF8, PartFiles};

use crate::error::reason;
use crate::input::{open_regular, read_limited};

/// Reads parts by their paths, which begin at the working folder as the path of the machine file
/// does.
#[derive(Clone, Copy, Debug)]
pub struct Disk;

impl PartFiles for Disk {
    fn read(&self, name: &str) -> Result<String, String> {
        let bytes = open_regular(Path::new(name))
            .and_then(read_limited)
            .map_err(|error| reason(&error))?;
        if bytes.len() > MAX_TEXT_BYTES {
            return Err(format!("it is longer than {MAX_TEXT_BYTES} bytes"));
        }
        String::from_utf8(bytes).map_err(|_| NOT_UTF8.to_owned())
    }
}
