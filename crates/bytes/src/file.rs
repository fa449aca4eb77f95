//! Files that are whole or not there: written beside what they replace, synced, then renamed.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Two threads that write one file must not write into one another's.
static WRITTEN: AtomicU64 = AtomicU64::new(0);

/// A file that was written under a temporary name. It goes away unless it is put in place; if the
/// process is killed, it stays beside the old file, which is untouched.
#[derive(Debug)]
pub struct Replacement {
    temporary: PathBuf,
    target: PathBuf,
    is_placed: bool,
}

impl Replacement {
    /// Writes the bytes beside the target and waits until they are on the disk.
    pub fn new(target: &Path, bytes: &[u8]) -> io::Result<Self> {
        // A link stays a link: what it points to is replaced.
        let target = fs::canonicalize(target).unwrap_or_else(|_| target.to_path_buf());
        let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
        let mut name = OsString::from(".");
        name.push(target.file_name().unwrap_or_default());
        name.push(std::format!(".{}.{number}.tmp", std::process::id()));
        let replacement = Self {
            temporary: folder_of(&target).join(name),
            target,
            is_placed: false,
        };
        replacement.fill(bytes)?;
        Ok(replacement)
    }

    fn fill(&self, bytes: &[u8]) -> io::Result<()> {
        let mut file = File::create(&self.temporary)?;
        file.write_all(bytes)?;
        if let Ok(old) = fs::metadata(&self.target) {
            file.set_permissions(old.permissions())?;
        }
        file.sync_all()
    }

    /// Gives it its name: from one moment to the next it is the new file.
    pub fn place(mut self) -> io::Result<()> {
        fs::rename(&self.temporary, &self.target)?;
        self.is_placed = true;
        sync_folder(folder_of(&self.target))
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if !self.is_placed {
            // Nothing more can be done about a file that cannot be removed.
            _ = fs::remove_file(&self.temporary);
        }
    }
}

/// The folder of a file.
pub fn folder_of(target: &Path) -> &Path {
    let folder = target.parent();
    let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// The new name is on the disk, too. Where folders cannot be opened the system sees to it.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(folder)?.sync_all()
    } else {
        Ok(())
    }
}
