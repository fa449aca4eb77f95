//! Every name of a text: where it stands, what it names, and where that is declared.
//!
//! Which fields hold names is what the shapes say ([`NameKind::role`]); names in conditions and
//! actions come from their syntax trees; what the name of a state means where it stands is asked of
//! the compiler. Everything else is found in the innermost object around it that declares it, or in
//! the file of a part.
//!
//! [`NameKind::role`]: statewright_author::text::shape::NameKind::role

use std::ops::Range;

use jsonc_parser::ast::{Object, ObjectProp, ObjectPropName, StringLit, Value};
use jsonc_parser::common::Ranged;
use statewright_author::duration::DurationSource;
use statewright_author::expr::parse;
use statewright_author::span::Span;
use statewright_author::text::json;
use statewright_author::text::shape::{Field, Item, NameKind, ObjectKind, Role, Type};
use statewright_author::value::Duration;
use statewright_compile::lookup::States;

use crate::analysis::Analysis;
use crate::code::CodeNames;
use crate::files::Files;
use crate::parts::Elsewhere;
use crate::repair::Repaired;
use crate::resolve::{Found, Meaning, Resolver, Whole};
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
    /// Durations that are known: literals and ranges.
    pub(crate) durations: Vec<(Range<usize>, DurationSource)>,
    /// Functions of the expression language.
    pub(crate) built_ins: Vec<(Range<usize>, &'static str)>,
    /// Paths of parts.
    pub(crate) part_paths: Vec<(Range<usize>, String)>,
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
    /// Where it is declared in the file of a part.
    pub(crate) elsewhere: Option<Elsewhere>,
    /// The part whose name it is: what stands on the left in `map`.
    pub(crate) part: Option<String>,
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
    /// The object that declares it for everything inside.
    pub(crate) owner: Range<usize>,
}

/// A place that means something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The file, if it is another one.
    pub file: Option<String>,
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

    /// Where what stands at a place is declared, and then, for a function, where its code stands in
    /// Rust, as far as sidecars know.
    pub fn definition(&self, place: usize, files: &dyn Files) -> Vec<Target> {
        let Some(name) = self.occurrence(place) else {
            return Vec::from_iter(self.part_at(place));
        };
        let thing = &self.names.things[name.thing];
        let code = self.code_of(thing, files).into_iter();
        let code = code.map(|code| code.target);
        self.declaration_of(thing).into_iter().chain(code).collect()
    }

    fn declaration_of(&self, thing: &Thing) -> Option<Target> {
        if let Some(declared) = &thing.declared {
            return Some(Target {
                file: None,
                range: declared.range.clone(),
                whole: declared.whole.clone(),
            });
        }
        let found = thing.elsewhere.as_ref()?;
        Some(Target {
            file: Some(found.file.clone()),
            range: found.range(),
            whole: found.range(),
        })
    }

    /// The file of the part whose path stands at a place: the name of its machine.
    fn part_at(&self, place: usize) -> Option<Target> {
        let mut paths = self.names.part_paths.iter();
        let (_, path) = paths.find(|(range, _)| (range.start..=range.end).contains(&place))?;
        let part = self.parts.machine(&self.name, path)?;
        let span = part.name.span;
        let range = span.start as usize..span.end.max(span.start) as usize;
        Some(Target {
            file: Some(part.source.name().to_owned()),
            range: range.clone(),
            whole: range,
        })
    }
}

impl Names {
    /// Finds all names of a text.
    pub(crate) fn new(repaired: &Repaired, whole: &Whole) -> Self {
        let Ok(tree) = json::parse(&repaired.text) else {
            return Self::default();
        };
        let mut finder = Finder {
            text: &repaired.text,
            found: Vec::new(),
            fields: Vec::new(),
            durations: Vec::new(),
            built_ins: Vec::new(),
            part_paths: Vec::new(),
        };
        walk(&tree, &mut finder);
        let Finder {
            text: _,
            found,
            fields,
            durations,
            built_ins,
            part_paths,
        } = finder;
        let states = States::new(whole.machine);
        let mut resolver = Resolver::new(&found, repaired, whole);
        let mut occurrences: Vec<Occurrence> = found
            .iter()
            .flat_map(|found| resolver.resolve(found, &states))
            .map(|occurrence| Occurrence {
                range: repaired.old_range(occurrence.range),
                ..occurrence
            })
            .collect();
        occurrences.sort_by_key(|name| (name.range.start, name.range.end));
        fn old<T>(repaired: &Repaired, list: Vec<(Range<usize>, T)>) -> Vec<(Range<usize>, T)> {
            let list = list.into_iter();
            list.map(|(range, value)| (repaired.old_range(range), value))
                .collect()
        }
        Self {
            occurrences,
            things: resolver.things,
            fields: old(repaired, fields),
            durations: old(repaired, durations),
            built_ins: old(repaired, built_ins),
            part_paths: old(repaired, part_paths),
        }
    }
}

struct Finder<'t> {
    text: &'t str,
    found: Vec<Found>,
    fields: Vec<(Range<usize>, &'static Field)>,
    durations: Vec<(Range<usize>, DurationSource)>,
    built_ins: Vec<(Range<usize>, &'static str)>,
    part_paths: Vec<(Range<usize>, String)>,
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
            Type::Duration | Type::AnyDuration | Type::AskedDuration => {
                self.duration(literal, range, frames);
            }
            Type::PartFile => self.part_paths.push((range, literal.value.to_string())),
            Type::Literal => self.literal(literal, range, frames),
            Type::Code => self.code(range, &literal.value, true, frames),
            Type::Expression => self.code(range, &literal.value, false, frames),
            _ => {}
        }
    }

    fn duration(&mut self, literal: &StringLit, range: Range<usize>, frames: &[Frame]) {
        match DurationSource::parse(&literal.value) {
            Ok(DurationSource::Code(_)) => self.code(range, &literal.value, false, frames),
            Ok(known) => self.durations.push((literal.start()..literal.end(), known)),
            Err(_) => {}
        }
    }

    /// The value of a key or parameter. One that is given to a part may be the name of a parameter;
    /// one of a parameter may be a duration.
    fn literal(&mut self, literal: &StringLit, range: Range<usize>, frames: &[Frame]) {
        let is_parameter = match frames.last().map(|frame| frame.keys) {
            Some(Keys::Names(map)) if map.keys == NameKind::PartParameter => {
                self.push(Meaning::Given, range, &literal.value, frames);
                true
            }
            Some(Keys::Names(map)) => map.keys == NameKind::ParameterReference,
            Some(Keys::Fields(kind)) => kind == ObjectKind::Parameter,
            Some(Keys::Verbs(_)) | None => false,
        };
        if is_parameter && let Ok(duration) = Duration::parse(&literal.value) {
            self.durations
                .push((literal.start()..literal.end(), duration.into()));
        }
    }

    /// A name that is not declared here and stands alone.
    fn push(&mut self, meaning: Meaning, range: Range<usize>, name: &str, frames: &[Frame]) {
        if !name.is_empty() {
            self.found.push(Found {
                whole: range.clone(),
                range,
                name: name.to_owned(),
                meaning,
                role: Role::Refers,
                owner: owner(frames),
                doc: None,
            });
        }
    }

    /// A name of a part, or one that something of a part gets. `false` for all others.
    fn of_part(
        &mut self,
        kind: NameKind,
        range: Range<usize>,
        name: &str,
        frames: &[Frame],
    ) -> bool {
        let of_part = [
            NameKind::PartParameter,
            NameKind::PartName,
            NameKind::NameOfPart,
        ];
        if !of_part.contains(&kind) {
            return false;
        }
        let mut around = frames.iter().rev();
        let (Some(map), Some(state)) = (around.next(), around.next()) else {
            return true;
        };
        let Some(part) = text_field(state.object, "use").map(str::to_owned) else {
            return true;
        };
        let meaning = match kind {
            NameKind::PartParameter => Meaning::ParameterOf(part),
            NameKind::PartName => Meaning::NameIn(part),
            _ => match key_of(map.object, range.start) {
                Some(name) => Meaning::NameFor { part, name },
                None => return true,
            },
        };
        self.push(meaning, range, name, frames);
        true
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
        if self.of_part(kind, range.clone(), name, frames) {
            return;
        }
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
        let mut names = CodeNames::default();
        if is_action {
            names.action(code);
        } else if let Ok(expr) = parse(code) {
            names.expression(&expr, code, 0);
        }
        let place = |bytes: Range<usize>| range.start + bytes.start..range.start + bytes.end;
        for (bytes, name, meaning) in names.found {
            self.push(meaning, place(bytes), &name, frames);
        }
        for (bytes, name) in names.built_ins {
            self.built_ins.push((place(bytes), name));
        }
    }
}

/// The documentation of an object.
fn doc(object: &Object) -> Option<String> {
    let text = text_field(object, "doc").or_else(|| text_field(object, "$doc"))?;
    Some(text.to_owned())
}

/// The key under which the value stands that a byte lies in.
pub(crate) fn key_of(object: &Object, byte: usize) -> Option<String> {
    let mut properties = object.properties.iter();
    let holds =
        |property: &&ObjectProp| (property.value.start()..=property.value.end()).contains(&byte);
    let property = properties.find(holds)?;
    Some(property.name.as_str().to_owned())
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
