//! The parts that a file uses (LANG-5): which file each use means, and what that file declares.
//!
//! Names of a part stand in the file that uses it under `with` and `map`, and in paths such as
//! `fight/aim`. What they mean is in the part's own file:
//!
//! ```text
//!  "fight": { "use": "parts/fight.sw.json",   the file
//!             "with": { "rage": 40 },         its parameter
//!             "map": { "Hit": "Hurt" } }      its event, and one of this file
//! ```

use std::collections::BTreeMap;
use std::ops::Range;

use statewright_author::graph::{Machine, PartUse, State};
use statewright_author::parts::{path_from, read};
use statewright_author::span::{Name, Span};
use statewright_author::text::shape::Item;

use crate::files::Asked;

/// Kinds of things that a file and its parts have in common, by name.
pub(crate) const SHARED: [Item; 5] = [
    Item::Event,
    Item::Key,
    Item::Channel,
    Item::Function,
    Item::Lane,
];

/// A use of a part.
#[derive(Clone, Debug)]
pub(crate) struct Use {
    /// The path, as it is written.
    pub(crate) path: Name,
    /// The file.
    pub(crate) file: String,
    /// What it calls things, each with the name of this file.
    pub(crate) map: Vec<(String, String)>,
}

/// A place in another file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Elsewhere {
    pub(crate) file: String,
    /// Bytes of its text.
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Use {
    /// What this file calls something that the part has by a name.
    pub(crate) fn name_here<'u>(&'u self, name: &'u str) -> &'u str {
        let mut pairs = self.map.iter();
        pairs
            .find(|(from, _)| from == name)
            .map_or(name, |(_, to)| to)
    }
}

impl Elsewhere {
    pub(crate) fn range(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// The parts of one file.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    pub(crate) uses: Vec<Use>,
    /// Each file that is used as the machine that it is on its own, parts of its own joined in.
    machines: BTreeMap<String, Machine>,
}

impl Parts {
    /// Reads the parts of a machine that are not joined in yet.
    pub(crate) fn new(name: &str, machine: &Machine, files: &Asked) -> Self {
        let mut uses = Vec::new();
        collect(&machine.root, name, &mut uses);
        let mut machines = BTreeMap::new();
        for used in &uses {
            if !machines.contains_key(&used.file)
                && let Some(text) = files.files.text(&used.file)
            {
                let part = read(&used.file, &text, files).0;
                machines.insert(used.file.clone(), part);
            }
        }
        Self { uses, machines }
    }

    /// What a path in this file leads to.
    pub(crate) fn machine(&self, user: &str, path: &str) -> Option<&Machine> {
        self.machines.get(&path_from(user, path))
    }

    /// The machine of a file.
    pub(crate) fn of_file(&self, file: &str) -> Option<&Machine> {
        self.machines.get(file)
    }
}

/// Recursion ends at the depth of the reader.
fn collect(state: &State, name: &str, out: &mut Vec<Use>) {
    if let Some(part) = &state.part {
        let PartUse {
            file: path,
            with: _,
            map,
            joined: _,
        } = part.as_ref();
        let pairs = map.iter();
        out.push(Use {
            file: path_from(name, &path.value),
            path: path.clone(),
            map: pairs
                .map(|(from, to)| (from.value.clone(), to.value.clone()))
                .collect(),
        });
    }
    for child in state.regions.iter().flat_map(|region| &region.states) {
        collect(child, name, out);
    }
}

/// Where a span of a machine lies that is not in its own file.
pub(crate) fn elsewhere(machine: &Machine, span: Span) -> Option<Elsewhere> {
    let part = &machine.source.parts()[machine.source.part_at(span)?];
    Some(Elsewhere {
        file: part.name.clone(),
        start: (span.start - part.start) as usize,
        end: (span.end.max(span.start) - part.start) as usize,
    })
}

/// The same of a machine that is itself a part: its own file counts as well.
pub(crate) fn in_part(machine: &Machine, span: Span) -> Elsewhere {
    elsewhere(machine, span).unwrap_or_else(|| Elsewhere {
        file: machine.source.name().to_owned(),
        start: span.start as usize,
        end: span.end as usize,
    })
}

/// What a machine declares under a name, of one kind: the name, its type in words, and what it is
/// for.
pub(crate) fn declaration<'m>(
    machine: &'m Machine,
    item: Item,
    name: &str,
) -> Option<(&'m Name, Option<&'m str>)> {
    declarations(machine, item)
        .into_iter()
        .find(|(declared, _)| declared.value == name)
}

/// All that a machine declares of a kind for the whole file, with what each is for.
pub(crate) fn declarations(machine: &Machine, item: Item) -> Vec<(&Name, Option<&str>)> {
    macro_rules! all {
        ($list:ident) => {{
            let list = machine.$list.iter();
            list.map(|each| (&each.name, each.doc.as_deref())).collect()
        }};
    }
    match item {
        Item::Event => all!(events),
        Item::Key => all!(blackboard),
        Item::Channel => all!(channels),
        Item::Function => all!(functions),
        Item::Lane => all!(lanes),
        Item::Parameter => all!(parameters),
        Item::State
        | Item::Region
        | Item::History
        | Item::Timer
        | Item::Scratch
        | Item::TransitionSet
        | Item::Variant => Vec::new(),
    }
}

/// What a part calls by a name that `map` may change.
pub(crate) fn shared_item(part: &Machine, name: &str) -> Item {
    let mut kinds = SHARED.into_iter();
    // Functions need no declaration.
    kinds
        .find(|&item| declaration(part, item, name).is_some())
        .unwrap_or(Item::Function)
}

/// The path of a file from the folder of another one: the opposite of [`path_from`].
pub(crate) fn path_to(user: &str, file: &str) -> String {
    let folder: Vec<&str> = user.split('/').collect();
    let folder = &folder[..folder.len() - 1];
    let target: Vec<&str> = file.split('/').collect();
    let names = &target[..target.len() - 1];
    let same = folder.iter().zip(names).take_while(|(a, b)| a == b).count();
    let up = folder[same..].iter().map(|_| "..");
    let path: Vec<&str> = up.chain(target[same..].iter().copied()).collect();
    path.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_leads_back() {
        for (user, file, path) in [
            ("/a/m.sw.json", "/a/p/f.sw.json", "p/f.sw.json"),
            ("/a/b/m.sw.json", "/a/p/f.sw.json", "../p/f.sw.json"),
            ("/a/b/m.sw.json", "/a/b/f.sw.json", "f.sw.json"),
            ("m.sw.json", "p/f.sw.json", "p/f.sw.json"),
        ] {
            assert_eq!(path_to(user, file), path);
            assert_eq!(path_from(user, path), file);
        }
    }
}
