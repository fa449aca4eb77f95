//! Formatting, as the one edit that it comes to.

use statewright_author::format::format;

use crate::analysis::Analysis;
use crate::edit::{Edit, difference};

impl Analysis {
    /// What formatting would change; nothing in a text that is not JSON, which cannot be formatted.
    pub fn format(&self) -> Option<Edit> {
        difference(&self.text, &format(&self.text).ok()?)
    }
}
