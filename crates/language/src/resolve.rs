//! What a name means where it stands: a declaration of this file, one of a part, or nothing.

use std::collections::HashMap;
use std::ops::Range;

use statewright_author::graph::Machine;
use statewright_author::parts::path_from;
use statewright_author::span::Span;
use statewright_author::text::shape::{Item, Role};
use statewright_compile::lookup::States;

use crate::names::{Declared, Occurrence, Thing};
use crate::parts::{Elsewhere, Parts, declaration, elsewhere, in_part, shared_item};
use crate::repair::Repaired;

/// What a file and its parts make together.
#[derive(Clone, Copy)]
pub(crate) struct Whole<'a> {
    /// The name of the file.
    pub(crate) name: &'a str,
    /// The machine, parts joined in.
    pub(crate) machine: &'a Machine,
    pub(crate) parts: &'a Parts,
}

/// What a name could be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    Item(Item),
    /// A name in an expression: scratch, a key, a parameter or a function without arguments.
    Value,
    /// A parameter of the part that this path leads to.
    ParameterOf(String),
    /// An event, key, channel or function of that part.
    NameIn(String),
    /// What something of that part is called here.
    NameFor {
        part: String,
        name: String,
    },
    /// The value of a parameter of a part: a parameter of this file, or just a text.
    Given,
}

/// A name before it is known what it means; ranges are of the repaired text.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) range: Range<usize>,
    pub(crate) name: String,
    pub(crate) meaning: Meaning,
    pub(crate) role: Role,
    /// Name and value of a declaration.
    pub(crate) whole: Range<usize>,
    /// The object that declares it for everything inside.
    pub(crate) owner: Range<usize>,
    /// What the author says about it.
    pub(crate) doc: Option<String>,
}

/// The object that a declaration counts in, and which thing it declares.
type Scoped = (Range<usize>, usize);

/// Finds out what names mean.
pub(crate) struct Resolver<'a> {
    whole: &'a Whole<'a>,
    pub(crate) things: Vec<Thing>,
    /// Declarations by the first byte of their names.
    by_place: HashMap<usize, usize>,
    /// Declarations in the files of parts.
    by_elsewhere: HashMap<(Item, Elsewhere), usize>,
    /// Declarations by what they declare.
    by_name: HashMap<(Item, String), Vec<Scoped>>,
    /// Names that this file does not declare, and those of parts.
    undeclared: HashMap<(Option<String>, Item, String), usize>,
}

impl<'a> Resolver<'a> {
    pub(crate) fn new(found: &[Found], repaired: &Repaired, whole: &'a Whole<'a>) -> Self {
        let mut resolver = Self {
            whole,
            things: Vec::new(),
            by_place: HashMap::new(),
            by_elsewhere: HashMap::new(),
            by_name: HashMap::new(),
            undeclared: HashMap::new(),
        };
        for found in found.iter().filter(|found| found.role == Role::Declares) {
            let Meaning::Item(item) = found.meaning else {
                continue;
            };
            let thing = resolver.things.len();
            resolver.things.push(Thing {
                item,
                name: found.name.clone(),
                declared: Some(Declared {
                    range: repaired.old_range(found.range.clone()),
                    whole: repaired.old_range(found.whole.clone()),
                    span: Span::bytes(found.range.clone()),
                    doc: found.doc.clone(),
                    owner: repaired.old_range(found.owner.clone()),
                }),
                elsewhere: None,
                part: None,
            });
            resolver.by_place.insert(found.range.start, thing);
            let named = resolver.by_name.entry((item, found.name.clone()));
            named.or_default().push((found.owner.clone(), thing));
        }
        resolver
    }

    /// What a name means: one thing, or one for each part of a path.
    pub(crate) fn resolve(&mut self, found: &Found, states: &States) -> Vec<Occurrence> {
        let one = |thing| {
            vec![Occurrence {
                range: found.range.clone(),
                thing,
                role: found.role,
            }]
        };
        if let (Role::Declares, Some(&thing)) = (found.role, self.by_place.get(&found.range.start))
        {
            return one(thing);
        }
        match &found.meaning {
            Meaning::Item(Item::State) => self.path(found, states),
            Meaning::Item(Item::Parameter) => self.parameter(found, states),
            Meaning::Item(Item::Key) => one(self.value(found, &[Item::Scratch, Item::Key])),
            Meaning::Item(item) => one(self.nearest(*item, found)),
            Meaning::Value if self.is_path(found) => self.parameter(found, states),
            Meaning::Value => {
                let kinds = [Item::Scratch, Item::Key, Item::Parameter, Item::Function];
                one(self.value(found, &kinds))
            }
            Meaning::ParameterOf(part) => one(self.parameter_of(part, &found.name)),
            Meaning::NameIn(part) => one(self.name_in(part, &found.name)),
            Meaning::NameFor { part, name } => {
                let machine = self.whole.parts.machine(self.whole.name, part);
                let item = machine.map_or(Item::Function, |part| shared_item(part, name));
                one(self.nearest(item, found))
            }
            Meaning::Given if self.is_declared(Item::Parameter, &found.name) => {
                one(self.nearest(Item::Parameter, found))
            }
            Meaning::Given => Vec::new(),
        }
    }

    fn is_declared(&self, item: Item, name: &str) -> bool {
        self.by_name.contains_key(&(item, name.to_owned()))
    }

    /// Whether it is a parameter of a part: `fight/rage`.
    fn is_path(&self, found: &Found) -> bool {
        found.name.contains('/')
    }

    /// The first of some kinds that a name means where it stands; the last if it means nothing.
    fn value(&mut self, found: &Found, kinds: &[Item]) -> usize {
        let mut last = Item::Function;
        for &item in kinds {
            last = item;
            // Scratch is known to its state and below (LANG-8).
            let is_known = match item {
                Item::Scratch => self.is_around(item, found),
                _ => {
                    self.is_declared(item, &found.name)
                        || declaration(self.whole.machine, item, &found.name).is_some()
                }
            };
            if is_known {
                break;
            }
        }
        self.nearest(last, found)
    }

    fn is_around(&self, item: Item, found: &Found) -> bool {
        let key = (item, found.name.clone());
        let mut declared = self.by_name.get(&key).into_iter().flatten();
        declared.any(|(owner, _)| owner.contains(&found.range.start))
    }

    /// The declaration in the innermost object around a name; if there is none around it, the first;
    /// if there is none in this file, that of a part.
    fn nearest(&mut self, item: Item, found: &Found) -> usize {
        let key = (item, found.name.clone());
        let declared = self.by_name.get(&key).map_or(&[][..], Vec::as_slice);
        let around = declared
            .iter()
            .filter(|(owner, _)| owner.contains(&found.range.start));
        let nearest = around.min_by_key(|(owner, thing)| (owner.len(), *thing));
        match nearest.or(declared.first()) {
            Some(&(_, thing)) => thing,
            None => {
                let machine = self.whole.machine;
                let declared = declaration(machine, item, &found.name);
                let place = declared.and_then(|(name, _)| elsewhere(machine, name.span));
                self.unknown(None, key, place)
            }
        }
    }

    /// Something that this file does not declare.
    fn unknown(
        &mut self,
        part: Option<String>,
        (item, name): (Item, String),
        elsewhere: Option<Elsewhere>,
    ) -> usize {
        let key = (part.clone(), item, name.clone());
        let things = &mut self.things;
        *self.undeclared.entry(key).or_insert_with(|| {
            things.push(Thing {
                item,
                name,
                declared: None,
                elsewhere,
                part,
            });
            things.len() - 1
        })
    }

    /// Something that is declared in the file of a part and is that one alone.
    fn foreign(&mut self, item: Item, name: &str, at: Elsewhere) -> usize {
        let things = &mut self.things;
        let entry = self.by_elsewhere.entry((item, at.clone()));
        *entry.or_insert_with(|| {
            things.push(Thing {
                item,
                name: name.to_owned(),
                declared: None,
                elsewhere: Some(at),
                part: None,
            });
            things.len() - 1
        })
    }

    fn parameter_of(&mut self, part: &str, name: &str) -> usize {
        let machine = self.whole.parts.machine(self.whole.name, part);
        let declared = machine.and_then(|machine| {
            let (declared, _) = declaration(machine, Item::Parameter, name)?;
            Some(in_part(machine, declared.span))
        });
        let own = name.rsplit('/').next().unwrap_or(name);
        match declared {
            Some(at) => self.foreign(Item::Parameter, own, at),
            None => self.unknown(
                Some(part.to_owned()),
                (Item::Parameter, name.to_owned()),
                None,
            ),
        }
    }

    /// Something of a part by the part's name for it.
    fn name_in(&mut self, part: &str, name: &str) -> usize {
        let machine = self.whole.parts.machine(self.whole.name, part);
        let item = machine.map_or(Item::Function, |part| shared_item(part, name));
        let declared = machine.and_then(|machine| {
            let (declared, _) = declaration(machine, item, name)?;
            Some(in_part(machine, declared.span))
        });
        let file = path_from(self.whole.name, part);
        self.unknown(Some(file), (item, name.to_owned()), declared)
    }

    /// A parameter: of this file, or `fight/rage`, whose beginning is the path of a state.
    fn parameter(&mut self, found: &Found, states: &States) -> Vec<Occurrence> {
        let one = |range: Range<usize>, thing| Occurrence {
            range,
            thing,
            role: Role::Refers,
        };
        let Some((path, own)) = found.name.rsplit_once('/') else {
            let thing = self.nearest(Item::Parameter, found);
            return vec![one(found.range.clone(), thing)];
        };
        let machine = self.whole.machine;
        let declared = declaration(machine, Item::Parameter, &found.name)
            .and_then(|(name, _)| elsewhere(machine, name.span));
        let Some(at) = declared.filter(|_| found.range.len() == found.name.len()) else {
            let key = (Item::Parameter, found.name.clone());
            return vec![one(found.range.clone(), self.unknown(None, key, None))];
        };
        let end = found.range.start + path.len();
        let state = Found {
            range: found.range.start..end,
            name: path.to_owned(),
            ..found.clone()
        };
        // The path of a parameter begins at the root, wherever it stands.
        let mut occurrences = match states.parts(path, 0) {
            Some(spans) => self.segments(&state, &spans),
            None => Vec::new(),
        };
        let thing = self.foreign(Item::Parameter, own, at);
        occurrences.push(one(end + 1..found.range.end, thing));
        occurrences
    }

    /// The states and regions that the parts of a path name.
    fn path(&mut self, found: &Found, states: &States) -> Vec<Occurrence> {
        let byte = u32::try_from(found.range.start).unwrap_or(u32::MAX);
        match states.parts(&found.name, byte) {
            Some(spans) => self.segments(found, &spans),
            // A muted state is not in the tree.
            None => {
                let thing = self.nearest(Item::State, found);
                vec![Occurrence {
                    range: found.range.clone(),
                    thing,
                    role: Role::Refers,
                }]
            }
        }
    }

    fn segments(&mut self, found: &Found, spans: &[Span]) -> Vec<Occurrence> {
        let whole = |thing| {
            vec![Occurrence {
                range: found.range.clone(),
                thing,
                role: Role::Refers,
            }]
        };
        let names = found.name.trim_start_matches('/').split('/');
        let things: Option<Vec<usize>> = spans
            .iter()
            .zip(names.clone())
            .map(|(span, name)| match elsewhere(self.whole.machine, *span) {
                Some(at) => Some(self.foreign(Item::State, name, at)),
                None => self.by_place.get(&(span.start as usize)).copied(),
            })
            .collect();
        let Some(things) = things else {
            let key = (Item::State, found.name.clone());
            return whole(self.unknown(None, key, None));
        };
        if found.range.len() != found.name.len() {
            return things.last().map_or_else(Vec::new, |&thing| whole(thing));
        }
        let mut at =
            found.range.start + found.name.len() - found.name.trim_start_matches('/').len();
        let occurrences = names.zip(things).map(|(part, thing)| {
            let range = at..at + part.len();
            at = range.end + 1;
            Occurrence {
                range,
                thing,
                role: Role::Refers,
            }
        });
        occurrences.collect()
    }
}
