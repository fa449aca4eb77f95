//! Where texts come from: whoever asks knows which files are open in an editor and which are on a
//! disk, or that there is none.

use std::sync::Arc;

/// Files by name.
pub trait Files {
    /// The text of a file as it is now: what an editor shows, else what is stored. `None` if there is
    /// no such file, or if it is not text.
    fn text(&self, name: &str) -> Option<Arc<str>>;
}
