//! Renames something everywhere in a file, its parts and those that use it, so that it stays the
//! same thing.
//!
//! A state without an `id` is known by the hash of its name (ROM-6): saved games and reloads would
//! take a renamed one for another. So the id that it has is written into the file first. What comes
//! out is compiled, and if one of the machines is not the same, nothing is renamed.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use jsonc_parser::ast::{Array, Value};
use jsonc_parser::common::Ranged;
use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::Diagnostic;
use statewright_author::format::{MissingId, missing_ids, write_ids};
use statewright_author::names::{check_event, check_function, check_key, check_name};
use statewright_author::text::shape::{Item, Role};
use statewright_compile::{Output, derived_id};

use crate::analysis::Analysis;
use crate::complete::escaped;
use crate::edit::{Edit, apply};
use crate::files::Files;
use crate::names::{Occurrence, Thing};
use crate::project::Project;
use crate::walk::{Frame, Listener, Spot, walk};

/// What a renaming changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Renaming {
    /// The edits of each file.
    pub files: Vec<(String, Vec<Edit>)>,
    /// The stable id that was written, in hex.
    pub id: Option<String>,
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
            let declared = found.iter().filter(|(name, _)| name.role == Role::Declares);
            for (_, thing) in declared {
                let id = file.keep_id(thing, &mut edits)?;
                renaming.id = renaming.id.or(id);
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

    /// Writes the id that something has by its name, if it can have one and has none.
    fn keep_id(&self, thing: &Thing, edits: &mut Vec<Edit>) -> Result<Option<String>, Refusal> {
        let Some(declared) = &thing.declared else {
            return Ok(None);
        };
        let is_this = |missing: &MissingId| missing.name.span == declared.span;
        let Some(missing) = missing_ids(&self.machine).into_iter().find(is_this) else {
            return Ok(None);
        };
        let Some(id) = derived_id(&self.machine, &missing) else {
            return Ok(None);
        };
        let hex = format!("{id:016x}");
        let written = write_ids(&self.machine, |missing| is_this(missing).then_some(id));
        let Ok(written) = written else {
            return refuse("the file is not JSON as it is; mend that first");
        };
        if written.skipped.is_empty() {
            let inserted = written.insertions.into_iter();
            let inserted = inserted.map(|(at, text)| self.in_file(Edit::new(at..at, text)));
            edits.extend(inserted);
        } else {
            let spelled_out = self.spell_out(declared.span.start as usize, &hex);
            edits.extend(spelled_out.into_iter().map(|edit| self.in_file(edit)));
        }
        Ok(Some(hex))
    }

    /// Gives something that is written in a short form an object with its id: an item of a list of
    /// names, whose list becomes an object, or a number of slots.
    fn spell_out(&self, name: usize, id: &str) -> Vec<Edit> {
        let Some(tree) = self.tree() else {
            return Vec::new();
        };
        let mut seeker = Seeker {
            byte: name,
            edits: Vec::new(),
            id,
        };
        walk(&tree, &mut seeker);
        seeker.edits
    }
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
        false => refused("names that mean something else now would make it another machine"),
    }
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

/// Finds a short form by the place of its name and spells it out.
struct Seeker<'i> {
    byte: usize,
    edits: Vec<Edit>,
    id: &'i str,
}

impl<'v, 't> Listener<'v, 't> for Seeker<'_> {
    fn meet(&mut self, spot: Spot<'v, 't>, _frames: &[Frame<'v, 't>]) {
        match spot {
            Spot::Inside(Value::Array(list), _) if self.is_in(list) => self.list(list),
            Spot::Key(property) if self.covers(&property.name) => {
                if let Value::NumberLit(slots) = &property.value {
                    let object =
                        format!("{{ \"id\": \"{}\", \"slots\": {} }}", self.id, slots.value);
                    self.edits
                        .push(Edit::new(slots.start()..slots.end(), object));
                }
            }
            Spot::Inside(..) | Spot::Key(_) | Spot::Leaf(..) | Spot::Wrong(..) => {}
        }
    }
}

impl Seeker<'_> {
    fn covers(&self, value: &dyn Ranged) -> bool {
        (value.start()..value.end()).contains(&self.byte)
    }

    fn is_in(&self, list: &Array) -> bool {
        let is_name = |item: &Value| matches!(item, Value::StringLit(_)) && self.covers(item);
        list.elements.iter().any(is_name)
    }

    fn list(&mut self, list: &Array) {
        let sign = |at: usize, sign: &str| Edit::new(at..at + 1, sign);
        self.edits.push(sign(list.start(), "{"));
        self.edits.push(sign(list.end() - 1, "}"));
        for item in &list.elements {
            let object = match self.covers(item) {
                true => format!(": {{ \"id\": \"{}\" }}", self.id),
                false => ": {}".to_owned(),
            };
            self.edits.push(Edit::new(item.end()..item.end(), object));
        }
    }
}
