//! Where texts come from: whoever asks knows which files are open in an editor and which are on a
//! disk, or that there is none.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use statewright_author::parts::PartFiles;

/// Files by name. The names are paths with `/`, so that the name of a part follows from that of the
/// file that uses it.
pub trait Files {
    /// The text of a file as it is now: what an editor shows, else what is stored. `None` if there is
    /// no such file, or if it is not text.
    fn text(&self, name: &str) -> Option<Arc<str>>;

    /// Whether there is such a file.
    fn exists(&self, name: &str) -> bool {
        self.text(name).is_some()
    }

    /// The names of all machine files, wherever names may be that belong together.
    fn machines(&self) -> Vec<String>;
}

/// For a text that stands alone.
#[derive(Clone, Copy, Debug)]
pub struct NoFiles;

impl Files for NoFiles {
    fn text(&self, _: &str) -> Option<Arc<str>> {
        None
    }

    fn machines(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Files as those who join parts ask for them. It keeps in mind what was asked for, also in vain:
/// a file that is made later changes the machine.
pub(crate) struct Asked<'f> {
    pub(crate) files: &'f dyn Files,
    pub(crate) names: RefCell<BTreeSet<String>>,
}

impl<'f> Asked<'f> {
    pub(crate) fn new(files: &'f dyn Files) -> Self {
        Self {
            files,
            names: RefCell::default(),
        }
    }
}

impl PartFiles for Asked<'_> {
    fn read(&self, name: &str) -> Result<String, String> {
        self.names.borrow_mut().insert(name.to_owned());
        let text = self.files.text(name).map(|text| text.to_string());
        text.ok_or_else(|| "there is no such text file".to_owned())
    }
}
