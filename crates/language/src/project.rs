//! What belongs together across files: a file, its parts, and the files that use it (LANG-5).
//!
//! A state, a timer or a parameter is declared in one file; whatever else names it says so by its
//! place. Events, keys, channels and functions are one in a file and its parts if they have the same
//! name, unless `map` says another:
//!
//! ```text
//!  soldier: Hurt, EnemyGone ── uses, map { Hit: Hurt } ──▶ fight: Hit, EnemyGone
//!           EnemyGone is one event, and Hurt and Hit are two names
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use statewright_author::text::shape::{Item, Role};

use crate::analysis::Analysis;
use crate::files::Files;
use crate::names::{Occurrence, Thing};
use crate::parts::SHARED;

/// Where a name stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reference {
    /// The file.
    pub file: String,
    /// First byte of the name.
    pub start: usize,
    /// One past the last.
    pub end: usize,
    /// Whether it is declared there.
    pub declares: bool,
}

impl Reference {
    /// The bytes of the name.
    pub fn range(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// What a name means, whichever file it stands in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Symbol {
    /// Something that is declared once: in this file at this byte of the text that spans count in.
    Declared(String, usize),
    /// Something that several files may declare: by a name of this file.
    Shared(String, Item, String),
}

/// The files that could know a name.
pub(crate) struct Project<'a> {
    own: &'a Analysis,
    others: BTreeMap<String, Arc<Analysis>>,
}

impl Analysis {
    /// Every place of the name that stands at a place, in all files that know it. At the name of the
    /// machine: every use of the file as a part.
    pub fn references(&self, place: usize, files: &dyn Files) -> Vec<Reference> {
        if self.occurrence(place).is_none() {
            return self.uses_of_file(place, files);
        }
        let Some(symbol) = self.symbol(place) else {
            return self.local(place);
        };
        let project = Project::new(self, files);
        let mut found = Vec::new();
        for analysis in project.all() {
            for (occurrence, _) in project.occurrences(analysis, &symbol) {
                found.push(analysis.reference(occurrence));
            }
        }
        found.sort();
        found.dedup();
        found
    }

    fn reference(&self, name: &Occurrence) -> Reference {
        Reference {
            file: self.name.clone(),
            start: name.range.start,
            end: name.range.end,
            declares: name.role == Role::Declares,
        }
    }

    /// The places of something that is nowhere declared.
    fn local(&self, place: usize) -> Vec<Reference> {
        let Some(thing) = self.occurrence(place).map(|name| name.thing) else {
            return Vec::new();
        };
        let names = self.names.occurrences.iter();
        names
            .filter(|name| name.thing == thing)
            .map(|name| self.reference(name))
            .collect()
    }

    /// The paths in other files that lead to this one, if the place is in its name.
    fn uses_of_file(&self, place: usize, files: &dyn Files) -> Vec<Reference> {
        let name = self.range(self.machine.name.span);
        if !(name.start..=name.end).contains(&place) {
            return Vec::new();
        }
        let project = Project::new(self, files);
        let mut found = Vec::new();
        for user in project.all() {
            let uses = user.parts.uses.iter();
            for used in uses.filter(|used| used.file == self.name) {
                let range = user
                    .repaired
                    .old_range(used.path.span.start as usize..used.path.span.end as usize);
                found.push(Reference {
                    file: user.name.clone(),
                    start: range.start,
                    end: range.end,
                    declares: false,
                });
            }
        }
        found.sort();
        found
    }

    /// What stands at a place, if other files could know it.
    pub(crate) fn symbol(&self, place: usize) -> Option<Symbol> {
        let name = self.occurrence(place)?;
        self.symbol_of(&self.names.things[name.thing])
    }

    fn symbol_of(&self, thing: &Thing) -> Option<Symbol> {
        if SHARED.contains(&thing.item) {
            let file = thing.part.as_ref().unwrap_or(&self.name).clone();
            return Some(Symbol::Shared(file, thing.item, thing.name.clone()));
        }
        if let Some(declared) = &thing.declared {
            let at = declared.span.start as usize;
            return Some(Symbol::Declared(self.name.clone(), at));
        }
        let place = thing.elsewhere.as_ref()?;
        Some(Symbol::Declared(place.file.clone(), place.start))
    }
}

impl<'a> Project<'a> {
    /// Reads every file that uses parts, and those parts.
    pub(crate) fn new(own: &'a Analysis, files: &dyn Files) -> Self {
        let mut others = BTreeMap::new();
        let mut wanted: Vec<String> = files.machines();
        wanted.extend(own.part_files().map(str::to_owned));
        wanted.sort();
        wanted.dedup();
        let mut parts = BTreeSet::new();
        for name in wanted {
            if name == own.name {
                continue;
            }
            let Some(text) = files.text(&name) else {
                continue;
            };
            let is_part = own.part_files().any(|part| part == name);
            // Most machines use no parts, and need not be read.
            if is_part || text.contains("\"use\"") {
                let analysis = Analysis::with(&name, &text, files);
                parts.extend(analysis.part_files().map(str::to_owned));
                others.insert(name, Arc::new(analysis));
            }
        }
        for name in parts {
            if name != own.name
                && !others.contains_key(&name)
                && let Some(text) = files.text(&name)
            {
                let analysis = Analysis::with(&name, &text, files);
                others.insert(name, Arc::new(analysis));
            }
        }
        Self { own, others }
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Analysis> {
        std::iter::once(self.own).chain(self.others.values().map(Arc::as_ref))
    }

    pub(crate) fn get(&self, file: &str) -> Option<&Analysis> {
        self.all().find(|analysis| analysis.name == file)
    }

    /// The places of a symbol in one file, each with what it is there.
    pub(crate) fn occurrences<'f>(
        &self,
        file: &'f Analysis,
        symbol: &Symbol,
    ) -> Vec<(&'f Occurrence, &'f Thing)> {
        let same: Vec<Symbol> = match symbol {
            Symbol::Declared(..) => vec![symbol.clone()],
            Symbol::Shared(start, item, name) => {
                let files = self.connected(start, name).into_iter();
                files
                    .map(|file| Symbol::Shared(file, *item, name.clone()))
                    .collect()
            }
        };
        let names = file.names.occurrences.iter();
        names
            .map(|name| (name, &file.names.things[name.thing]))
            .filter(|(_, thing)| {
                file.symbol_of(thing)
                    .is_some_and(|symbol| same.contains(&symbol))
            })
            .collect()
    }

    /// The files in which a shared name is the same thing as in one of them: those that are reached
    /// over uses whose `map` leaves it as it is.
    fn connected(&self, start: &str, name: &str) -> BTreeSet<String> {
        let mut reached = BTreeSet::from([start.to_owned()]);
        let mut edges = Vec::new();
        for user in self.all() {
            for used in &user.parts.uses {
                if !used.map.iter().any(|(from, _)| from == name) {
                    edges.push((user.name.as_str(), used.file.as_str()));
                }
            }
        }
        loop {
            let before = reached.len();
            for (user, part) in &edges {
                if reached.contains(*user) || reached.contains(*part) {
                    reached.insert((*user).to_owned());
                    reached.insert((*part).to_owned());
                }
            }
            if reached.len() == before {
                return reached;
            }
        }
    }

    /// The files that a change of some files may change: these, and all that use them.
    pub(crate) fn affected(&self, changed: &BTreeSet<String>) -> Vec<&Analysis> {
        self.all()
            .filter(|analysis| {
                changed.contains(&analysis.name)
                    || analysis.part_files().any(|part| changed.contains(part))
            })
            .collect()
    }
}
