//! Renames something everywhere in a file, its parts and those that use it, so that it stays the
//! same thing.
//!
//! A state without an `id` is known by the hash of its name (ROM-6): saved games and reloads would
//! take a renamed one for another. So the id that it has is written into the file first, and those
//! of others that hang on its name. What comes out is compiled, and if one of the machines is not
//! the same, nothing is renamed.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::Diagnostic;
use statewright_author::format::{PathSegment, missing_ids, write_ids};
use statewright_author::graph::Machine;
use statewright_author::names::{check_event, check_function, check_key, check_name};
use statewright_author::text::read;
use statewright_author::text::shape::{Item, Role};
use statewright_compile::{Output, derived_id};

use crate::analysis::Analysis;
use crate::complete::escaped;
use crate::edit::{Edit, apply};
use crate::files::Files;
use crate::names::{Occurrence, Thing};
use crate::project::Project;

/// What a renaming changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Renaming {
    /// The edits of each file.
    pub files: Vec<(String, Vec<Edit>)>,
    /// The stable ids that were written, in hex.
    pub ids: Vec<String>,
}

impl Renaming {
    /// The edits of one file.
    pub fn edits(&self, file: &str) -> &[Edit] {
        let mut files = self.files.iter();
        files
            .find(|(name, _)| name == file)
            .map_or(&[], |(_, edits)| edits)
    }
}

/// Why something is not renamed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(
    /// One sentence.
    pub String,
);

fn refuse<T>(text: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal(text.into()))
}

impl Analysis {
    /// The name at a place, if it can be renamed.
    pub fn renamable(&self, place: usize) -> Result<(Range<usize>, &str), Refusal> {
        let Some(name) = self.occurrence(place) else {
            return refuse("there is no name here");
        };
        let thing = &self.names.things[name.thing];
        if thing.declared.is_none() && thing.elsewhere.is_none() && thing.item != Item::Function {
            return refuse(format!(
                "{} `{}` is not declared here",
                thing.item.word(),
                thing.name
            ));
        }
        Ok((name.range.clone(), &thing.name))
    }

    /// Renames what stands at a place, in this file and in all that know it.
    pub fn rename(&self, place: usize, new: &str, files: &dyn Files) -> Result<Renaming, Refusal> {
        self.renamable(place)?;
        let (Some(name), Some(symbol)) = (self.occurrence(place), self.symbol(place)) else {
            return refuse("there is no name here");
        };
        let thing = &self.names.things[name.thing];
        check(thing.item, new).map_err(Refusal)?;
        let mut renaming = Renaming::default();
        if new == thing.name {
            return Ok(renaming);
        }
        let project = Project::new(self, files);
        for file in project.all() {
            let found = project.occurrences(file, &symbol);
            if found.is_empty() {
                continue;
            }
            if file.tree().is_none() || file.is_broken() {
                return refuse(format!(
                    "{} is not JSON as it is; mend that first",
                    file.is_named()
                ));
            }
            let mut edits = file.name_edits(&found, new)?;
            let declares = |(name, _): &(&Occurrence, &Thing)| name.role == Role::Declares;
            if found.iter().any(declares) {
                renaming.ids.extend(file.keep_ids(&mut edits)?);
            }
            renaming.files.push((file.name.clone(), edits));
        }
        prove(&project, thing, &renaming, files)?;
        Ok(renaming)
    }

    /// What messages call the file.
    fn is_named(&self) -> String {
        let last = self.name.rsplit('/').next().unwrap_or_default();
        format!("`{last}`")
    }

    /// Another name at every place.
    fn name_edits(
        &self,
        places: &[(&Occurrence, &Thing)],
        new: &str,
    ) -> Result<Vec<Edit>, Refusal> {
        let places = places.iter();
        places
            .map(|(name, thing)| match self.text.get(name.range.clone()) {
                Some(old) if old == thing.name => Ok(Edit::new(name.range.clone(), escaped(new))),
                _ => refuse(format!(
                    "`{}` is written with escapes somewhere in {}; change that first",
                    thing.name,
                    self.is_named()
                )),
            })
            .collect()
    }

    /// Writes the ids that would be others by the new names.
    fn keep_ids(&self, edits: &mut Vec<Edit>) -> Result<Vec<String>, Refusal> {
        let renamed = read(&self.name, &apply(&self.text, edits)).0;
        let kept = changed_ids(&self.machine, &renamed);
        let written = write_ids(&self.machine, |missing| kept.get(&missing.path).copied());
        let Ok(written) = written else {
            return refuse("the file is not JSON as it is; mend that first");
        };
        let new = written.edits.into_iter();
        edits.extend(new.map(|(range, text)| self.in_file(Edit::new(range, text))));
        let ids = written.written.iter();
        let ids = ids.filter_map(|missing| kept.get(&missing.path));
        Ok(ids.map(|id| format!("{id:016x}")).collect())
    }
}

/// The ids that things have by names that `new` has no more, by their paths: of what is renamed, and
/// of children of one name in several regions, which are told apart by the names of the regions and
/// by who comes first (LANG-7).
fn changed_ids(old: &Machine, new: &Machine) -> BTreeMap<Vec<PathSegment>, u64> {
    let new = ids_by_name(new);
    let mut changed = BTreeMap::new();
    for (path, id) in ids_by_name(old) {
        // What is inside a state has its id by that of the state, which is kept.
        let is_inside = (0..path.len()).any(|len| {
            let outer = &path[..len];
            matches!(outer.last(), Some(PathSegment::State(_))) && changed.contains_key(outer)
        });
        if !is_inside && new.get(&path).is_some_and(|&other| other != id) {
            changed.insert(path, id);
        }
    }
    changed
}

/// The ids of everything that has one by its name. Paths are sorted: what is outside comes first.
fn ids_by_name(machine: &Machine) -> BTreeMap<Vec<PathSegment>, u64> {
    let missing = missing_ids(machine).into_iter();
    let ids = missing.filter_map(|missing| {
        let id = derived_id(machine, &missing)?;
        Some((missing.path, id))
    });
    ids.collect()
}

/// Whether all machines that know the name are the same ones as before.
fn prove(
    project: &Project,
    thing: &Thing,
    renaming: &Renaming,
    files: &dyn Files,
) -> Result<(), Refusal> {
    let mut renamed = Renamed {
        files,
        texts: BTreeMap::new(),
    };
    for (name, edits) in &renaming.files {
        if let Some(file) = project.get(name) {
            let text = apply(&file.text, edits);
            renamed.texts.insert(name.clone(), text.into());
        }
    }
    let changed: BTreeSet<String> = renamed.texts.keys().cloned().collect();
    for before in project.affected(&changed) {
        let text = match renamed.texts.get(&before.name) {
            Some(text) => Arc::clone(text),
            None => before.text.as_str().into(),
        };
        let after = Analysis::with(&before.name, &text, &renamed);
        same_machine(thing, before, &after)?;
    }
    Ok(())
}

fn same_machine(thing: &Thing, before: &Analysis, after: &Analysis) -> Result<(), Refusal> {
    let (old, new) = (before.compiled(), after.compiled());
    let refused = |why: &str| {
        refuse(format!(
            "`{}` cannot be renamed so in {}: {why}",
            thing.name,
            before.is_named()
        ))
    };
    if new.diagnostics.errors() > old.diagnostics.errors() {
        let is_new = |problem: &&Diagnostic| {
            let mut known = old.diagnostics.iter();
            !known.any(|known| known.message == problem.message)
        };
        // A name that exists already has many consequences and is the reason for all of them.
        let mut found = new.diagnostics.iter().filter(is_new);
        let taken = found
            .clone()
            .find(|problem| problem.code == DiagnosticCode::DuplicateName);
        let why = taken.or_else(|| found.next());
        return refused(why.map_or("it would not compile", |problem| problem.message.as_str()));
    }
    let same = match (&old.output, &new.output) {
        (Some(old), Some(new)) if names_parameters(thing, before) => hashes(old).0 == hashes(new).0,
        (Some(old), Some(new)) => !has_stable_id(thing.item) || hashes(old) == hashes(new),
        _ => true,
    };
    match same {
        true => Ok(()),
        false if is_of_part_alone(thing, before) => refused(
            "only a part declares it, and an id in the part's file would make it another event; declare it there, too",
        ),
        false => refused("names that mean something else now would make it another machine"),
    }
}

/// Whether it is an event that a machine has from a part alone. Its id comes from the names of event
/// and machine as long as none stands in the part's file (LANG-5), so that file cannot keep it.
fn is_of_part_alone(thing: &Thing, file: &Analysis) -> bool {
    let mut own = file.machine.events.iter();
    thing.item == Item::Event && !own.any(|event| event.name.value == thing.name)
}

/// Files with what a renaming makes of them.
struct Renamed<'f> {
    files: &'f dyn Files,
    texts: BTreeMap<String, Arc<str>>,
}

impl Files for Renamed<'_> {
    fn text(&self, name: &str) -> Option<Arc<str>> {
        self.texts
            .get(name)
            .cloned()
            .or_else(|| self.files.text(name))
    }

    fn machines(&self) -> Vec<String> {
        self.files.machines()
    }
}

/// Whether parameters are named after it, as those of a part after its state: `fight/rage`. They have
/// other names then, by which the game knows them, and so the machine has another parameter hash.
fn names_parameters(thing: &Thing, file: &Analysis) -> bool {
    let mut parameters = file.whole().parameters.iter();
    parameters.any(|each| {
        let mut path = each.name.value.split('/').rev().skip(1);
        path.any(|segment| segment == thing.name)
    })
}

fn hashes(output: &Output) -> (u64, u64) {
    let rom = output.rom.as_rom();
    (rom.structure_hash(), rom.parameter_hash())
}

/// Whether it is known by an id; the others are known by their names, to the game as well.
fn has_stable_id(item: Item) -> bool {
    match item {
        Item::State | Item::Region | Item::History | Item::Timer | Item::Scratch | Item::Event => {
            true
        }
        Item::Lane
        | Item::Channel
        | Item::TransitionSet
        | Item::Variant
        | Item::Key
        | Item::Parameter
        | Item::Function => false,
    }
}

fn check(item: Item, name: &str) -> Result<(), String> {
    match item {
        Item::State
        | Item::Region
        | Item::History
        | Item::Timer
        | Item::Scratch
        | Item::Lane
        | Item::Channel
        | Item::TransitionSet
        | Item::Variant => check_name(name),
        Item::Event => check_event(name),
        Item::Key | Item::Parameter => check_key(name),
        Item::Function => check_function(name),
    }
}
