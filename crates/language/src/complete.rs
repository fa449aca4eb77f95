//! What could be written at a place: fields, names, words.
//!
//! A string is put where the cursor is, unless one is there already. The text is made JSON again, and
//! what the shapes allow where the string ended up is what is offered:
//!
//! ```text
//! { "on": "Hit", "to": | }        as typed, with the cursor
//! { "on": "Hit", "to": "⌖" }      so the value of `to` of a transition: states
//! ```

use std::ops::Range;

use jsonc_parser::ast::{Object, ObjectPropName, Value};
use jsonc_parser::common::Ranged;
use statewright_author::expr::StateQuery;
use statewright_author::graph::Parameter;
use statewright_author::names::BUILT_IN_FUNCTIONS;
use statewright_author::text::shape::{Field, Item, Map, NameKind, ObjectKind, Role, Rule, Type};
use statewright_author::text::{json, read};
use statewright_author::value::{BuiltInLane, FunctionKind, ParameterType};
use statewright_compile::lookup::States;

use crate::analysis::Analysis;
use crate::built_in::describe;
use crate::edit::Edit;
use crate::files::Files;
use crate::form::Form;
use crate::hover::detail;
use crate::names::key_of;
use crate::parts::{declarations, path_to, shared_item};
use crate::repair::{At, at, repair};
use crate::walk::{Frame, Keys, Listener, Spot, covers, has_key, text_field, walk};

/// Most that are offered at once; more come as more is typed.
const MOST: usize = 200;

/// Something that could be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// What is shown.
    pub label: String,
    /// What it is.
    pub kind: CompletionKind,
    /// Its type, or another word on it.
    pub detail: String,
    /// What it is for.
    pub doc: Option<String>,
    /// What is written; `$0` in the text of a snippet is where the cursor goes.
    pub edit: Edit,
    /// Whether the edit's text is a snippet.
    pub is_snippet: bool,
}

/// What a completion is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompletionKind {
    /// A field of an object.
    Field,
    /// A word that a field may hold.
    Word,
    /// Something of the machine.
    Item(Item),
    /// A function of the expression language.
    BuiltIn,
    /// A machine file.
    File,
}

/// All that could be written at a place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completions {
    /// In the order of the file or the shapes.
    pub items: Vec<Completion>,
    /// There are more than are offered.
    pub is_incomplete: bool,
}

impl Analysis {
    /// What could be written at a place.
    pub fn complete(&self, place: usize, files: &dyn Files) -> Completions {
        let place = self.text.floor_char_boundary(place.min(self.text.len()));
        let Some((cursor, spot)) = self.spot(place) else {
            return Completions::default();
        };
        let mut offer = Offer {
            analysis: self,
            files,
            cursor,
            wants_value: false,
            out: Completions::default(),
        };
        match spot {
            Found::Field(kind, object) => offer.fields(kind, &object),
            Found::Verb(tags) => offer.verbs(tags),
            Found::Name(map, given) => offer.map_keys(map, &given),
            Found::Argument(function) => offer.arguments(function.as_deref()),
            Found::Value(ty) => offer.value(ty),
            Found::OfPart(kind, path, given) => offer.part_names(kind, &path, &given),
            Found::ForPart(kind, path, key) => offer.for_part(kind, &path, &key),
        }
        offer.out
    }

    /// What may be written at a place.
    fn spot(&self, place: usize) -> Option<(Cursor, Found)> {
        let cursor = Cursor::new(&self.text, place)?;
        let (typed, inside) = match &cursor.token {
            Some(_) => (self.text.clone(), place),
            None => {
                let (before, after) = self.text.split_at(place);
                (format!("{before}\"\"{after}"), place + 1)
            }
        };
        let repaired = repair(&typed, 0);
        let tree = json::parse(&repaired.text).ok()?;
        let mut seeker = Seeker {
            byte: repaired.new_place(inside),
            found: None,
        };
        walk(&tree, &mut seeker);
        Some((cursor, seeker.found?))
    }
}

/// Where something is to be written.
struct Cursor {
    place: usize,
    /// The string or word at the place, quotes included.
    token: Option<Range<usize>>,
    has_quote: bool,
    /// What is typed of it up to the place.
    typed: String,
    /// The text between the quotes of a string, up to the place.
    before: String,
    /// Whether a colon follows, so that a key needs none.
    has_colon: bool,
}

impl Cursor {
    fn new(text: &str, place: usize) -> Option<Self> {
        let (token, has_quote) = match at(text, place) {
            At::Comment => return None,
            At::Text(range) => (Some(range), true),
            At::Word(range) => (Some(range), false),
            At::Space => (None, false),
        };
        let content = token
            .as_ref()
            .map_or(place, |range| range.start + usize::from(has_quote));
        let before = text.get(content..place).unwrap_or_default().to_owned();
        let end = token.as_ref().map_or(place, |range| range.end);
        Some(Self {
            place,
            has_quote,
            typed: before.clone(),
            before,
            has_colon: text.get(end..)?.trim_start().starts_with(':'),
            token,
        })
    }

    /// The bytes that a whole string or word replaces.
    fn whole(&self) -> Range<usize> {
        self.token.clone().unwrap_or(self.place..self.place)
    }

    /// The last word of what is typed in an expression.
    fn code_word(&self) -> &str {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
        let start = self.before.rfind(|c| !is_part(c)).map_or(0, |at| at + 1);
        self.before.get(start..).unwrap_or_default()
    }
}

/// What may be written at a place.
enum Found {
    /// A field of a kind; the object has these already.
    Field(ObjectKind, Vec<String>),
    Verb(&'static [(&'static str, ObjectKind)]),
    /// A name among others; these are given.
    Name(&'static Map, Vec<String>),
    /// The name of an argument of a function.
    Argument(Option<String>),
    Value(&'static Type),
    /// A name of the part with this path; these are given.
    OfPart(NameKind, String, Vec<String>),
    /// What stands for a name of the part with this path.
    ForPart(NameKind, String, String),
}

/// Finds the string that a byte lies in.
struct Seeker {
    byte: usize,
    found: Option<Found>,
}

impl<'v, 't> Listener<'v, 't> for Seeker {
    fn meet(&mut self, spot: Spot<'v, 't>, frames: &[Frame<'v, 't>]) {
        let found = match spot {
            Spot::Key(property) if is_in(&property.name, self.byte) => {
                key(frames, property.name.as_str())
            }
            Spot::Leaf(value, ty) | Spot::Wrong(value, ty) if is_in(value, self.byte) => {
                Some(for_part(frames, self.byte).unwrap_or(Found::Value(ty)))
            }
            Spot::Key(_) | Spot::Leaf(_, _) | Spot::Wrong(_, _) | Spot::Inside(_, _) => None,
        };
        self.found = found.or(self.found.take());
    }

    fn wants(&self, value: &Value<'t>) -> bool {
        covers(value, self.byte)
    }
}

/// Whether a byte lies between the ends of something.
fn is_in(value: &dyn Ranged, byte: usize) -> bool {
    value.start() < byte && byte < value.end()
}

/// The path of the part to whose names an object belongs.
fn part_path(frames: &[Frame]) -> Option<(NameKind, String)> {
    let mut around = frames.iter().rev();
    let Keys::Names(map) = around.next()?.keys else {
        return None;
    };
    let is_of_part = matches!(map.keys, NameKind::PartParameter | NameKind::PartName);
    let path = text_field(around.next()?.object, "use").filter(|_| is_of_part)?;
    Some((map.keys, path.to_owned()))
}

/// A value that stands under a name of a part.
fn for_part(frames: &[Frame], byte: usize) -> Option<Found> {
    let (kind, path) = part_path(frames)?;
    let key = key_of(frames.last()?.object, byte)?;
    Some(Found::ForPart(kind, path, key))
}

fn key(frames: &[Frame], typed: &str) -> Option<Found> {
    let frame = frames.last()?;
    let others = |object: &Object| {
        let names = object
            .properties
            .iter()
            .map(|property| match &property.name {
                ObjectPropName::String(name) => name.value.as_ref(),
                ObjectPropName::Word(word) => word.value,
            });
        names
            .filter(|name| *name != typed)
            .map(str::to_owned)
            .collect()
    };
    Some(match frame.keys {
        Keys::Fields(kind) => Found::Field(kind, others(frame.object)),
        Keys::Verbs(tags) => Found::Verb(tags),
        Keys::Names(map) if map.keys == NameKind::Identifier => {
            let call = frames
                .iter()
                .rev()
                .nth(1)
                .filter(|call| has_key(call.object, "call"));
            Found::Argument(
                call.and_then(|call| text_field(call.object, "call"))
                    .map(str::to_owned),
            )
        }
        Keys::Names(map) => match part_path(frames) {
            Some((kind, path)) => Found::OfPart(kind, path, others(frame.object)),
            None => Found::Name(map, others(frame.object)),
        },
    })
}

struct Offer<'a> {
    analysis: &'a Analysis,
    files: &'a dyn Files,
    cursor: Cursor,
    /// An expression is being written.
    wants_value: bool,
    out: Completions,
}

impl Offer<'_> {
    fn fields(&mut self, kind: ObjectKind, given: &[String]) {
        let is_given = |key: &str| given.iter().any(|given| given == key);
        let excluded = |key: &str| {
            kind.shape().groups.iter().any(|group| {
                matches!(group.rule, Rule::One | Rule::AtMostOne)
                    && group.keys.contains(&key)
                    && group.keys.iter().any(|other| is_given(other))
            })
        };
        for field in kind.shape().fields() {
            if !is_given(field.key) && !excluded(field.key) {
                self.field(field);
            }
        }
    }

    fn verbs(&mut self, tags: &'static [(&'static str, ObjectKind)]) {
        for (verb, kind) in tags {
            if let Some(field) = kind.shape().field(verb) {
                self.field(field);
            }
        }
    }

    fn field(&mut self, field: &'static Field) {
        let (text, is_snippet) = match self.cursor.has_colon {
            true => (quoted(field.key), false),
            false => (
                format!(
                    "{}: {}",
                    quoted(field.key),
                    Form::of(&field.ty).with_cursor()
                ),
                true,
            ),
        };
        let edit = Edit::new(self.cursor.whole(), text);
        self.push(Completion {
            label: field.key.to_owned(),
            kind: CompletionKind::Field,
            detail: field.ty.expected(),
            doc: Some(field.doc.to_owned()),
            edit,
            is_snippet,
        });
    }

    fn map_keys(&mut self, map: &'static Map, given: &[String]) {
        for field in map.fields {
            self.field(field);
        }
        if let Some((Role::Refers, item)) = map.keys.role() {
            self.items(item, &|name| given.iter().any(|given| given == name));
        }
    }

    fn arguments(&mut self, function: Option<&str>) {
        let functions = &self.analysis.machine.functions;
        let called = functions
            .iter()
            .find(|declared| Some(declared.name.value.as_str()) == function);
        let Some(called) = called else { return };
        for (name, ty) in &called.parameters {
            self.string(
                &name.value,
                CompletionKind::Word,
                ty.value.to_string(),
                None,
            );
        }
    }

    /// What a part has that can be set or get another name.
    fn part_names(&mut self, kind: NameKind, path: &str, given: &[String]) {
        let analysis = self.analysis;
        let Some(part) = analysis.parts.machine(&analysis.name, path) else {
            return;
        };
        let items: &[Item] = match kind {
            NameKind::PartParameter => &[Item::Parameter],
            _ => &[Item::Event, Item::Key, Item::Channel, Item::Function],
        };
        for &item in items {
            for (name, doc) in declarations(part, item) {
                if !given.contains(&name.value) {
                    let word = detail(part, item, &name.value);
                    let doc = doc.map(str::to_owned);
                    self.string(&name.value, CompletionKind::Item(item), word, doc);
                }
            }
        }
    }

    /// What can stand for something of a part: a parameter of the same type, a name of the same
    /// kind.
    fn for_part(&mut self, kind: NameKind, path: &str, key: &str) {
        let analysis = self.analysis;
        let Some(part) = analysis.parts.machine(&analysis.name, path) else {
            return;
        };
        if kind != NameKind::PartParameter {
            return self.items(shared_item(part, key), &|_| false);
        }
        let theirs = part.parameters.iter().find(|own| own.name.value == key);
        let fits = |own: &&Parameter| theirs.is_none_or(|one| one.ty.value == own.ty.value);
        for own in analysis.machine.parameters.iter().filter(fits) {
            let kind = CompletionKind::Item(Item::Parameter);
            self.string(
                &own.name.value,
                kind,
                own.ty.value.to_string(),
                own.doc.clone(),
            );
        }
    }

    /// The paths of machine files, from the folder of this one.
    fn part_files(&mut self) {
        let own = &self.analysis.name;
        for file in self.files.machines() {
            if file == *own {
                continue;
            }
            let text = self.files.text(&file);
            let doc = text.and_then(|text| read(&file, &text).0.doc);
            let path = path_to(own, &file);
            self.string(&path, CompletionKind::File, String::new(), doc);
        }
    }

    fn value(&mut self, ty: &'static Type) {
        match ty {
            Type::PartFile => self.part_files(),
            Type::AnyDuration => self.code(false),
            Type::AskedDuration => {
                let parameters = self.analysis.machine.parameters.iter();
                for own in parameters.filter(|own| own.ty.value == ParameterType::Duration) {
                    let kind = CompletionKind::Item(Item::Parameter);
                    let word = own.ty.value.to_string();
                    self.string(&own.name.value, kind, word, own.doc.clone());
                }
            }
            Type::Name(kind) => {
                if let Some((Role::Refers, item)) = kind.role() {
                    self.items(item, &|_| false);
                }
                if *kind == NameKind::EventOrAny {
                    self.string("*", CompletionKind::Word, "any event".to_owned(), None);
                }
            }
            Type::Word(words) => {
                for word in words.words {
                    self.string(word, CompletionKind::Word, String::new(), None);
                }
            }
            Type::Bool if !self.cursor.has_quote => {
                for word in ["true", "false"] {
                    self.plain(word);
                }
            }
            Type::Code => self.code(true),
            Type::Expression => self.code(false),
            Type::OneOf(types) => types.iter().for_each(|ty| self.value(ty)),
            Type::Bool
            | Type::Text
            | Type::Int { .. }
            | Type::OneInt(_)
            | Type::Number
            | Type::Duration
            | Type::StableId
            | Type::Literal
            | Type::Vector
            | Type::Any
            | Type::Object(_)
            | Type::Tagged(_)
            | Type::Map(_)
            | Type::List(_) => {}
        }
    }

    /// What the machine has of a kind.
    fn items(&mut self, item: Item, is_given: &dyn Fn(&str) -> bool) {
        if item == Item::State {
            return self.states();
        }
        if item == Item::Lane {
            for lane in BuiltInLane::WORDS {
                self.string(
                    lane,
                    CompletionKind::Item(item),
                    "built-in lane".to_owned(),
                    None,
                );
            }
        }
        for (name, doc) in self.named(item) {
            if !is_given(&name) && self.fits(item, &name) {
                let detail = self.analysis.detail(item, &name);
                self.string(&name, CompletionKind::Item(item), detail, doc);
            }
        }
    }

    /// Whether something can be meant where the cursor is: of functions, expressions call those that
    /// answer.
    fn fits(&self, item: Item, name: &str) -> bool {
        if item != Item::Function || !self.wants_value {
            return true;
        }
        let mut functions = self.analysis.whole().functions.iter();
        functions
            .find(|function| function.name.value == name)
            .is_none_or(|function| match function.kind.value {
                FunctionKind::Guard | FunctionKind::Scorer | FunctionKind::Value => true,
                FunctionKind::Action | FunctionKind::Activity => false,
            })
    }

    /// Names of a kind with their documentation, each once. What is only being typed is none.
    fn named(&self, item: Item) -> Vec<(String, Option<String>)> {
        let names = &self.analysis.names;
        let mut seen = std::collections::HashSet::new();
        let here = self.cursor.place;
        let mut uses = vec![0usize; names.things.len()];
        for name in &names.occurrences {
            if !(name.range.start..=name.range.end).contains(&here) {
                uses[name.thing] += 1;
            }
        }
        let things = names.things.iter().zip(uses);
        let wanted = things.filter(|(thing, uses)| thing.item == item && *uses > 0);
        let wanted = wanted.filter(|(thing, _)| thing.part.is_none());
        let wanted = wanted.filter(|(thing, _)| match &thing.declared {
            // Scratch is known to its state and below (LANG-8).
            Some(declared) => item != Item::Scratch || declared.owner.contains(&here),
            None => item == Item::Function,
        });
        wanted
            .filter(|(thing, _)| seen.insert(thing.name.as_str()))
            .map(|(thing, _)| {
                let doc = thing
                    .declared
                    .as_ref()
                    .and_then(|declared| declared.doc.clone());
                (thing.name.clone(), doc)
            })
            .chain(self.of_parts(item))
            .collect()
    }

    /// What parts declare and this file does not.
    fn of_parts(&self, item: Item) -> Vec<(String, Option<String>)> {
        let whole = self.analysis.whole();
        let all = declarations(whole, item).into_iter();
        all.filter(|(name, _)| whole.source.part_at(name.span).is_some())
            .map(|(name, doc)| (name.value.clone(), doc.map(str::to_owned)))
            .collect()
    }

    /// States by the shortest name that means them here.
    fn states(&mut self) {
        let analysis = self.analysis;
        let states = States::new(analysis.whole());
        let byte = u32::try_from(analysis.repaired.new_place(self.cursor.place)).unwrap_or(0);
        for landmark in states.landmarks() {
            let means = |path: &str| {
                let parts = states.parts(path, byte);
                parts.and_then(|parts| parts.last().copied()) == Some(landmark.span)
            };
            let shown = match means(&landmark.name) {
                true => &landmark.name,
                false => &landmark.path,
            };
            if self.is_wanted(shown) {
                let thing = analysis.names.things.iter().find(|thing| {
                    thing
                        .declared
                        .as_ref()
                        .is_some_and(|declared| declared.span == landmark.span)
                });
                let doc = thing.and_then(|thing| thing.declared.as_ref()?.doc.clone());
                let item = if landmark.kind.is_some() {
                    Item::State
                } else {
                    Item::History
                };
                self.string(
                    shown,
                    CompletionKind::Item(item),
                    landmark.path.clone(),
                    doc,
                );
            }
            if self.out.is_incomplete {
                return;
            }
        }
    }

    /// Names in an expression or an action.
    fn code(&mut self, is_action: bool) {
        let before = self.cursor.before.clone();
        if asks_for_state(&before) {
            self.cursor.typed = before
                .rsplit('(')
                .next()
                .unwrap_or_default()
                .trim()
                .to_owned();
            return self.states();
        }
        let word = self.cursor.code_word().to_owned();
        let is_first = before.trim() == word.trim();
        self.cursor.typed = word;
        let items: &[Item] = match (is_action, is_first) {
            (true, true) => &[Item::Function, Item::Scratch, Item::Key],
            (true, false) | (false, _) => {
                &[Item::Scratch, Item::Key, Item::Parameter, Item::Function]
            }
        };
        self.wants_value = !is_action || !is_first;
        for &item in items {
            self.items(item, &|_| false);
        }
        if !is_action || !is_first {
            for function in BUILT_IN_FUNCTIONS {
                let (call, doc) = describe(function).unwrap_or_default();
                let doc = Some(doc.to_owned());
                self.string(function, CompletionKind::BuiltIn, call.to_owned(), doc);
            }
            self.string(
                "event",
                CompletionKind::BuiltIn,
                "the payload".to_owned(),
                None,
            );
        }
    }

    /// Offers a text between quotes, or a word in code.
    fn string(&mut self, text: &str, kind: CompletionKind, detail: String, doc: Option<String>) {
        let cursor = &self.cursor;
        let in_code = cursor.typed.len() < cursor.before.len();
        let edit = match (&cursor.token, cursor.has_quote) {
            (Some(_), true) if in_code => Edit::new(
                cursor.place - cursor.typed.len()..cursor.place,
                escaped(&self.in_code(text)),
            ),
            _ => Edit::new(cursor.whole(), quoted(text)),
        };
        self.push(Completion {
            label: text.to_owned(),
            kind,
            detail,
            doc,
            edit,
            is_snippet: false,
        });
    }

    /// A name as expressions write it: one of a part stands in back quotes.
    fn in_code(&self, text: &str) -> String {
        match self.wants_value && text.contains('/') {
            true => format!("`{text}`"),
            false => text.to_owned(),
        }
    }

    /// Offers a word without quotes.
    fn plain(&mut self, word: &str) {
        let edit = Edit::new(self.cursor.whole(), word);
        self.push(Completion {
            label: word.to_owned(),
            kind: CompletionKind::Word,
            detail: String::new(),
            doc: None,
            edit,
            is_snippet: false,
        });
    }

    fn is_wanted(&self, label: &str) -> bool {
        let typed = self.cursor.typed.to_lowercase();
        label.to_lowercase().contains(&typed)
    }

    fn push(&mut self, completion: Completion) {
        if !self.is_wanted(&completion.label) {
            return;
        }
        match self.out.items.len() < MOST {
            true => self.out.items.push(completion),
            false => self.out.is_incomplete = true,
        }
    }
}

/// Whether the name of a state comes next: `in(comb`.
fn asks_for_state(before: &str) -> bool {
    let Some((head, inside)) = before.rsplit_once('(') else {
        return false;
    };
    let head = head.trim_end();
    let start = head
        .rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .map_or(0, |at| at + 1);
    !inside.contains(')') && head.get(start..).and_then(StateQuery::parse).is_some()
}

/// A text as JSON, with quotes.
pub(crate) fn quoted(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}

/// A text as it stands between the quotes of JSON. Names have no control characters.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
