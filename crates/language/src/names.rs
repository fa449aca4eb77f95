//! Every name of a text: where it stands, what it names, and where that is declared.
//!
//! Which fields hold names is what the shapes say ([`NameKind::role`]); names in conditions and
//! actions come from their syntax trees; what the name of a state means where it stands is asked of
//! the compiler. Everything else is found in the innermost object around it that declares it.
//!
//! [`NameKind::role`]: statewright_author::text::shape::NameKind::role

use std::collections::HashMap;
use std::ops::Range;

use jsonc_parser::ast::{Object, ObjectProp, ObjectPropName, StringLit, Value};
use jsonc_parser::common::Ranged;
use statewright_author::expr::{ActionText, Expr, ExprKind, parse, parse_action};
use statewright_author::graph::Machine;
use statewright_author::names::is_built_in;
use statewright_author::span::{Name, Span};
use statewright_author::text::json;
use statewright_author::text::shape::{Field, Item, NameKind, Role, Type};
use statewright_author::value::Duration;
use statewright_compile::lookup::States;

use crate::analysis::Analysis;
use crate::repair::Repaired;
use crate::walk::{Frame, Keys, Listener, Spot, field_of, text_field, walk};

/// What something in a text is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    /// All names, by their place.
    pub(crate) occurrences: Vec<Occurrence>,
    /// What they name.
    pub(crate) things: Vec<Thing>,
    /// Keys that are fields.
    pub(crate) fields: Vec<(Range<usize>, &'static Field)>,
    /// Durations.
    pub(crate) durations: Vec<(Range<usize>, Duration)>,
}

/// A name at a place of the text.
#[derive(Clone, Debug)]
pub(crate) struct Occurrence {
    /// The name without quotes; in what the file spells with escapes, all of it.
    pub(crate) range: Range<usize>,
    /// Which of the things.
    pub(crate) thing: usize,
    /// Whether it is declared here.
    pub(crate) role: Role,
}

/// Something that has a name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Thing {
    pub(crate) item: Item,
    pub(crate) name: String,
    /// Where it is declared: in the text as typed, and as repaired.
    pub(crate) declared: Option<Declared>,
}

/// A declaration.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Declared {
    /// The name.
    pub(crate) range: Range<usize>,
    /// Name and value.
    pub(crate) whole: Range<usize>,
    /// The name in the repaired text, as spans of the graph have it.
    pub(crate) span: Span,
    /// What the author says about it.
    pub(crate) doc: Option<String>,
}

/// A place of the text that means something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The name.
    pub range: Range<usize>,
    /// With what belongs to it.
    pub whole: Range<usize>,
}

impl Analysis {
    /// The name at a place.
    pub(crate) fn occurrence(&self, place: usize) -> Option<&Occurrence> {
        let all = &self.names.occurrences;
        let after = all.partition_point(|name| name.range.start <= place);
        let name = &all[after.checked_sub(1)?];
        (place <= name.range.end).then_some(name)
    }

    /// Where what stands at a place is declared.
    pub fn definition(&self, place: usize) -> Option<Target> {
        let name = self.occurrence(place)?;
        let declared = self.names.things[name.thing].declared.as_ref()?;
        Some(Target {
            range: declared.range.clone(),
            whole: declared.whole.clone(),
        })
    }

    /// Every place of the name that stands at a place, and whether it is declared there.
    pub fn references(&self, place: usize) -> Vec<(Range<usize>, Role)> {
        let Some(name) = self.occurrence(place) else {
            return Vec::new();
        };
        let same = self
            .names
            .occurrences
            .iter()
            .filter(|other| other.thing == name.thing);
        same.map(|other| (other.range.clone(), other.role))
            .collect()
    }
}

impl Names {
    /// Finds all names of a text.
    pub(crate) fn new(repaired: &Repaired, machine: &Machine) -> Self {
        let Ok(tree) = json::parse(&repaired.text) else {
            return Self::default();
        };
        let mut finder = Finder {
            text: &repaired.text,
            found: Vec::new(),
            fields: Vec::new(),
            durations: Vec::new(),
        };
        walk(&tree, &mut finder);
        let Finder {
            found,
            fields,
            durations,
            ..
        } = finder;
        let states = States::new(machine);
        let mut resolver = Resolver::new(&found, repaired);
        let mut occurrences: Vec<Occurrence> = found
            .iter()
            .flat_map(|found| resolver.resolve(found, &states))
            .map(|occurrence| Occurrence {
                range: repaired.old_range(occurrence.range),
                ..occurrence
            })
            .collect();
        occurrences.sort_by_key(|name| (name.range.start, name.range.end));
        let old = |range: Range<usize>| repaired.old_range(range);
        Self {
            occurrences,
            things: resolver.things,
            fields: fields
                .into_iter()
                .map(|(range, field)| (old(range), field))
                .collect(),
            durations: durations
                .into_iter()
                .map(|(range, duration)| (old(range), duration))
                .collect(),
        }
    }
}

/// What a name could be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Item(Item),
    /// A name in an expression: a key, a parameter or a function without arguments.
    Value,
}

/// A name before it is known what it means; ranges are of the repaired text.
#[derive(Clone, Debug)]
struct Found {
    range: Range<usize>,
    name: String,
    meaning: Meaning,
    role: Role,
    /// Name and value of a declaration.
    whole: Range<usize>,
    /// The object that declares it for everything inside.
    owner: Range<usize>,
    /// What the author says about it.
    doc: Option<String>,
}

struct Finder<'t> {
    text: &'t str,
    found: Vec<Found>,
    fields: Vec<(Range<usize>, &'static Field)>,
    durations: Vec<(Range<usize>, Duration)>,
}

impl<'v, 't> Listener<'v, 't> for Finder<'_> {
    fn meet(&mut self, spot: Spot<'v, 't>, frames: &[Frame<'v, 't>]) {
        match spot {
            Spot::Key(property) => self.key(property, frames),
            Spot::Leaf(Value::StringLit(literal), ty) => self.leaf(literal, ty, frames),
            Spot::Leaf(_, _) | Spot::Inside(_, _) | Spot::Wrong(_, _) => {}
        }
    }
}

impl Finder<'_> {
    fn key(&mut self, property: &ObjectProp, frames: &[Frame]) {
        let Some(frame) = frames.last() else { return };
        let ObjectPropName::String(literal) = &property.name else {
            return;
        };
        let range = self.content(literal);
        if let Some(field) = field_of(frame.keys, &literal.value) {
            return self.fields.push((range, field));
        }
        if let Keys::Names(map) = frame.keys {
            let whole = property.start()..property.end();
            self.name(map.keys, range, &literal.value, whole, frames);
            let doc = property.value.as_object().and_then(doc);
            if let Some(found) = self.found.last_mut().filter(|_| doc.is_some()) {
                found.doc = doc;
            }
        }
    }

    fn leaf(&mut self, literal: &StringLit, ty: &'static Type, frames: &[Frame]) {
        let range = self.content(literal);
        match ty {
            Type::Name(kind) => {
                // A name that is a field of what it names stands for the whole object.
                let is_field = frames.last().is_some_and(|frame| {
                    matches!(frame.keys, Keys::Fields(_)) && !is_in_list(frame, literal)
                });
                let whole = match frames.last() {
                    Some(frame) if is_field => frame.object.start()..frame.object.end(),
                    _ => literal.start()..literal.end(),
                };
                self.name(*kind, range, &literal.value, whole, frames);
                let doc = frames.last().and_then(|frame| doc(frame.object));
                if let Some(found) = self.found.last_mut().filter(|_| is_field && doc.is_some()) {
                    found.doc = doc;
                }
            }
            Type::Duration => {
                if let Ok(duration) = Duration::parse(&literal.value) {
                    self.durations
                        .push((literal.start()..literal.end(), duration));
                }
            }
            Type::Code => self.code(range, &literal.value, true, frames),
            Type::Expression => self.code(range, &literal.value, false, frames),
            _ => {}
        }
    }

    /// The bytes between the quotes.
    fn content(&self, literal: &StringLit) -> Range<usize> {
        let span = json::string_span(self.text, literal);
        span.start as usize..span.end as usize
    }

    fn name(
        &mut self,
        kind: NameKind,
        range: Range<usize>,
        name: &str,
        whole: Range<usize>,
        frames: &[Frame],
    ) {
        if let Some((role, item)) = kind.role()
            && !name.is_empty()
            && !(kind == NameKind::EventOrAny && name == "*")
        {
            self.found.push(Found {
                range,
                name: name.to_owned(),
                meaning: Meaning::Item(item),
                role,
                whole,
                owner: owner(frames),
                doc: None,
            });
        }
    }

    /// The names in a condition or an action. If the file spells it with escapes, places are not
    /// known.
    fn code(&mut self, range: Range<usize>, code: &str, is_action: bool, frames: &[Frame]) {
        if range.len() != code.len() {
            return;
        }
        let mut names = Vec::new();
        if is_action {
            match parse_action(code) {
                Ok(ActionText::Call(call)) => names.push(named(&call.name, Item::Function)),
                Ok(ActionText::Set { key, value } | ActionText::Add { key, value }) => {
                    names.push(named(&key, Item::Key));
                    names_of(&value, code, &mut names);
                }
                Err(_) => {}
            }
        } else if let Ok(expr) = parse(code) {
            names_of(&expr, code, &mut names);
        }
        for (bytes, name, meaning) in names {
            let place = range.start + bytes.start..range.start + bytes.end;
            self.found.push(Found {
                whole: place.clone(),
                range: place,
                name,
                meaning,
                role: Role::Refers,
                owner: owner(frames),
                doc: None,
            });
        }
    }
}

/// The documentation of an object.
fn doc(object: &Object) -> Option<String> {
    let text = text_field(object, "doc").or_else(|| text_field(object, "$doc"))?;
    Some(text.to_owned())
}

/// Whether a text stands in a list of a field rather than being its value.
fn is_in_list(frame: &Frame, literal: &StringLit) -> bool {
    !frame
        .object
        .properties
        .iter()
        .any(|property| property.value.start() == literal.start())
}

/// The innermost object with fields.
fn owner(frames: &[Frame]) -> Range<usize> {
    let owner = frames
        .iter()
        .rfind(|frame| matches!(frame.keys, Keys::Fields(_)));
    owner.map_or(0..usize::MAX, |frame| {
        frame.object.start()..frame.object.end()
    })
}

type CodeName = (Range<usize>, String, Meaning);

fn named(name: &Name, item: Item) -> CodeName {
    let range = name.span.start as usize..name.span.end as usize;
    (range, name.value.clone(), Meaning::Item(item))
}

/// The names in an expression. Recursion ends at the depth that the parser allows.
fn names_of(expr: &Expr, code: &str, out: &mut Vec<CodeName>) {
    match &expr.kind {
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_) | ExprKind::Text(_) => {}
        ExprKind::Name(name) if name == "event" => {}
        ExprKind::Name(name) => {
            // The range has the parentheses around it.
            let inner = code
                .get(expr.range.clone())
                .and_then(|text| text.find(name.as_str()));
            let start = expr.range.start + inner.unwrap_or(0);
            out.push((start..start + name.len(), name.clone(), Meaning::Value));
        }
        ExprKind::Field { base, field: _ } => names_of(base, code, out),
        ExprKind::Unary { op: _, operand } => names_of(operand, code, out),
        ExprKind::Binary { op: _, left, right } => {
            names_of(left, code, out);
            names_of(right, code, out);
        }
        ExprKind::Logic { op: _, operands } => {
            operands
                .iter()
                .for_each(|operand| names_of(operand, code, out));
        }
        ExprKind::Call {
            function,
            arguments,
        } => {
            if !is_built_in(&function.value) {
                out.push(named(function, Item::Function));
            }
            arguments
                .iter()
                .for_each(|argument| names_of(&argument.value, code, out));
        }
        ExprKind::State { query: _, state } => {
            out.extend(state.iter().map(|state| named(state, Item::State)));
        }
    }
}

/// Finds out what names mean.
struct Resolver {
    things: Vec<Thing>,
    /// Declarations by the first byte of their names.
    by_place: HashMap<usize, usize>,
    /// Declarations by what they declare: the object they count in, and which thing.
    by_name: HashMap<(Item, String), Vec<(Range<usize>, usize)>>,
    /// Names that nothing declares.
    undeclared: HashMap<(Item, String), usize>,
}

impl Resolver {
    fn new(found: &[Found], repaired: &Repaired) -> Self {
        let mut resolver = Self {
            things: Vec::new(),
            by_place: HashMap::new(),
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
                }),
            });
            resolver.by_place.insert(found.range.start, thing);
            let named = resolver.by_name.entry((item, found.name.clone()));
            named.or_default().push((found.owner.clone(), thing));
        }
        resolver
    }

    /// What a name means: one thing, or one for each part of a path.
    fn resolve(&mut self, found: &Found, states: &States) -> Vec<Occurrence> {
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
        match found.meaning {
            Meaning::Item(Item::State) => self.path(found, states),
            Meaning::Item(item) => one(self.nearest(item, found)),
            Meaning::Value => {
                let known = [Item::Scratch, Item::Key, Item::Parameter, Item::Function]
                    .into_iter()
                    .find(|&item| self.by_name.contains_key(&(item, found.name.clone())));
                one(self.nearest(known.unwrap_or(Item::Function), found))
            }
        }
    }

    /// The declaration in the innermost object around a name; if there is none around it, the first.
    fn nearest(&mut self, item: Item, found: &Found) -> usize {
        let key = (item, found.name.clone());
        let declared = self.by_name.get(&key).map_or(&[][..], Vec::as_slice);
        let around = declared
            .iter()
            .filter(|(owner, _)| owner.contains(&found.range.start));
        let nearest = around.min_by_key(|(owner, thing)| (owner.len(), *thing));
        match nearest.or(declared.first()) {
            Some(&(_, thing)) => thing,
            None => self.unknown(key),
        }
    }

    fn unknown(&mut self, key: (Item, String)) -> usize {
        *self.undeclared.entry(key.clone()).or_insert_with(|| {
            self.things.push(Thing {
                item: key.0,
                name: key.1,
                declared: None,
            });
            self.things.len() - 1
        })
    }

    /// The states and regions that the parts of a path name.
    fn path(&mut self, found: &Found, states: &States) -> Vec<Occurrence> {
        let whole = |thing| {
            vec![Occurrence {
                range: found.range.clone(),
                thing,
                role: Role::Refers,
            }]
        };
        let byte = u32::try_from(found.range.start).unwrap_or(u32::MAX);
        let Some(spans) = states.parts(&found.name, byte) else {
            // A muted state is not in the tree.
            return whole(self.nearest(Item::State, found));
        };
        let things: Option<Vec<usize>> = spans
            .iter()
            .map(|span| self.by_place.get(&(span.start as usize)).copied())
            .collect();
        let Some(things) = things else {
            return whole(self.unknown((Item::State, found.name.clone())));
        };
        if found.range.len() != found.name.len() {
            return things.last().map_or_else(Vec::new, |&thing| whole(thing));
        }
        let mut at =
            found.range.start + found.name.len() - found.name.trim_start_matches('/').len();
        let parts = found.name.trim_start_matches('/').split('/').zip(things);
        let occurrences = parts.map(|(part, thing)| {
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
