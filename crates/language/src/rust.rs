//! From the name of a function to its code in Rust. Sidecars know the place (`*.swdbg`): a program
//! that binds a machine writes one beside the machine's file.
//!
//! ```text
//!  machines/soldier.sw.json ─ beside it ─▶ machines/soldier.swdbg: Fire is in src/soldier.rs:12
//!        │ uses, map { Shoot: Fire }                  │ the folder around it that has this file
//!        ▼                                            ▼
//!  machines/parts/fight.sw.json: Shoot         src/soldier.rs
//! ```
//!
//! A sidecar is asked for the name of a function alone, so that one of an older version of the machine
//! still helps. One of another machine knows nothing, nor does one that is damaged. A part is bound by
//! those who use it, under the names that they have for its functions.

use std::ops::Range;

use statewright_author::parts::path_from;
use statewright_author::text::MACHINE_SUFFIX;
use statewright_author::text::shape::Item;
use statewright_symbols::{RustPlace, SIDECAR_EXTENSION, SymbolTable, visible};

use crate::analysis::Analysis;
use crate::files::Files;
use crate::names::{Target, Thing};

/// How names of files end that places in Rust lead to: a sidecar may come from anybody, and has no
/// business anywhere else.
const RUST_SUFFIX: &str = ".rs";

/// What Cargo keeps in the folder of a workspace, at which the paths of the compiler begin.
const LOCK_FILE: &str = "Cargo.lock";

/// How wide the Rust compiler counts a tab.
const TAB_COLUMNS: u32 = 4;

/// The code of a function.
pub(crate) struct Code {
    pub(crate) target: Target,
    /// For people: `src/guard.rs:12`.
    pub(crate) shown: String,
}

/// A function, as one machine calls it.
#[derive(Clone, PartialEq, Eq)]
struct Called {
    file: String,
    machine: String,
    function: String,
}

impl Analysis {
    /// Where the code of something stands, if it is a function and a sidecar knows.
    pub(crate) fn code_of(&self, thing: &Thing, files: &dyn Files) -> Vec<Code> {
        let mut found: Vec<Code> = Vec::new();
        if thing.item != Item::Function {
            return found;
        }
        for called in self.callers(thing, files) {
            for code in called.code(files) {
                if found.iter().all(|known| known.target != code.target) {
                    found.push(code);
                }
            }
        }
        found
    }

    /// The machines that call a function, each by its own name for it: this one, and all that use it
    /// as a part.
    fn callers(&self, thing: &Thing, files: &dyn Files) -> Vec<Called> {
        let mut callers = self.names_of(thing);
        let machines = files.machines();
        let mut next = 0;
        while let Some(called) = callers.get(next).cloned() {
            next += 1;
            for user in users(&called.file, &machines, files) {
                let uses = user.parts.uses.iter();
                for used in uses.filter(|used| used.file == called.file) {
                    let caller = user.called(used.name_here(&called.function));
                    if !callers.contains(&caller) {
                        callers.push(caller);
                    }
                }
            }
        }
        callers
    }

    fn called(&self, function: &str) -> Called {
        Called {
            file: self.name.clone(),
            machine: self.machine.name.value.clone(),
            function: function.to_owned(),
        }
    }

    /// A function as this machine calls it. One that stands under `map` by the name of a part may have
    /// another name here for each use of the part.
    fn names_of(&self, thing: &Thing) -> Vec<Called> {
        let Some(part) = &thing.part else {
            return vec![self.called(&thing.name)];
        };
        let uses = self.parts.uses.iter().filter(|used| used.file == *part);
        uses.map(|used| self.called(used.name_here(&thing.name)))
            .collect()
    }
}

/// The machines that use a file as a part. Whoever does has its name in the text.
fn users(file: &str, machines: &[String], files: &dyn Files) -> Vec<Analysis> {
    let own = file.rsplit('/').next().unwrap_or(file);
    let others = machines.iter().filter(|name| *name != file);
    others
        .filter_map(|name| Some((name, files.text(name)?)))
        .filter(|(_, text)| text.contains(own))
        .map(|(name, text)| Analysis::new(name, &text))
        .collect()
}

impl Called {
    /// What the sidecar beside the machine says, if it is that of the machine.
    fn code(&self, files: &dyn Files) -> Vec<Code> {
        let Some(symbols) = self.symbols(files) else {
            return Vec::new();
        };
        let places = symbols.rust_places(&self.function);
        places
            .filter_map(|place| code(place, &self.file, files))
            .collect()
    }

    fn symbols(&self, files: &dyn Files) -> Option<SymbolTable> {
        let stem = self.file.strip_suffix(MACHINE_SUFFIX)?;
        let text = files.text(&format!("{stem}.{SIDECAR_EXTENSION}"))?;
        let symbols = SymbolTable::from_json(&text).ok()?;
        (symbols.machine == self.machine).then_some(symbols)
    }
}

fn code(place: &RustPlace, machine: &str, files: &dyn Files) -> Option<Code> {
    let file = locate(&place.file, machine, files)?;
    let range = name_at(&files.text(&file)?, place);
    Some(Code {
        target: Target {
            file: Some(file),
            whole: range.clone(),
            range,
        },
        shown: format!("{}:{}", visible(&place.file), place.line),
    })
}

/// A file of a sidecar. Its path begins at the folder of the workspace, which is around the machine:
/// the one that Cargo knows, else the nearest that has such a file.
fn locate(path: &str, machine: &str, files: &dyn Files) -> Option<String> {
    if !path.ends_with(RUST_SUFFIX) {
        return None;
    }
    if is_absolute(path) {
        return files.exists(path).then(|| path.to_owned());
    }
    let around = machine.rmatch_indices('/').map(|(end, _)| &machine[..=end]);
    let folders = around.chain((!is_absolute(machine)).then_some(""));
    let is_workspace = |folder: &&str| files.exists(&format!("{folder}{LOCK_FILE}"));
    let mut candidates = folders.clone().filter(is_workspace).chain(folders);
    candidates.find_map(|folder| {
        let file = path_from(folder, path);
        files.exists(&file).then_some(file)
    })
}

fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || path.as_bytes().get(1) == Some(&b':')
}

/// The name at a place. In a file that was changed since there may be nothing; then it is as near as
/// possible.
fn name_at(text: &str, place: &RustPlace) -> Range<usize> {
    let before = (place.line as usize).saturating_sub(1);
    let lines = text.split_inclusive('\n');
    let start: usize = lines.take(before).map(str::len).sum();
    let line = text[start..].lines().next().unwrap_or_default();
    let mut column = 1;
    let inside = line.char_indices().find(|(_, character)| {
        let is_there = column >= place.column;
        column += if *character == '\t' { TAB_COLUMNS } else { 1 };
        is_there
    });
    let start = start + inside.map_or(line.len(), |(at, _)| at);
    let is_other = |character: char| character != '_' && !character.is_alphanumeric();
    let rest = text[start..].find(is_other);
    start..rest.map_or(text.len(), |end| start + end)
}
