//! Mistakes on purpose: does the alarm work? A copy of kernel, compiler and author makes one of the
//! mistakes of `mistakes.md` at a time, and the proof must see it.
//!
//! They themselves have no trace of this: the mistakes are edits of their text, all
//! applied together to one copy under `target/`, each behind a number that the copy reads from its
//! environment. So one build serves all of them.
//!
//! # Code map
//!
//! [`list`] reads `mistakes.md` · [`edit`] finds the place of each edit and applies them ·
//! [`copy`] writes the copies. The program `mistakes` builds it into the prover
//! and runs that once per mistake; the test `edits` says whether all edits still apply.
#![forbid(unsafe_code)]

pub mod copy;
pub mod edit;
pub mod list;

use std::path::{Path, PathBuf};

use list::List;

/// All mistakes.
pub fn all() -> Result<List, String> {
    list::parse(include_str!("../mistakes.md"))
}

/// The folder of the workspace.
pub fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.ancestors().nth(2).unwrap_or(own).to_owned()
}
