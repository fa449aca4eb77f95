//! Names of a machine file as constants of Rust.

use std::collections::HashMap;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use statewright_author::graph::{Event, Payload, State, Timer};
use statewright_author::place::Name;
use statewright_author::render::LineIndex;
use statewright_compile::symbols::Symbol;

use super::build::Built;
use super::doc;
use crate::spelling::constant;

/// One name of the file.
struct Entry {
    /// As it stands in the file.
    name: String,
    doc: Option<String>,
    /// More to be said.
    note: String,
    /// Its number.
    place: usize,
}

/// A module of constants.
struct Module {
    name: &'static str,
    /// What they are, for people.
    what: &'static str,
    ty: &'static str,
    entries: Vec<Entry>,
}

/// All modules.
pub fn modules(built: &Built) -> TokenStream {
    let graph = &built.graph;
    let states = Written::collect(built);
    let module = |name, what, ty, entries| Module { name, what, ty, entries };
    let modules = [
        module("states", "State", "StateId", states.states(&built.output.symbols.states)),
        module("events", "Event", "EventId", graph.events.iter().enumerate().map(event).collect()),
        module("keys", "Blackboard key", "KeyId", graph.blackboard.iter().map(|key| (&key.name, &key.doc)).numbered(0)),
        module(
            "parameters",
            "Parameter",
            "ParameterId",
            graph.parameters.iter().map(|parameter| (&parameter.name, &parameter.doc)).numbered(0),
        ),
        // The first one is plain and has no name.
        module("variants", "Variant", "VariantId", graph.variants.iter().map(|one| (&one.name, &one.doc)).numbered(1)),
        module("channels", "Channel", "ChannelId", graph.channels.iter().map(|one| (&one.name, &one.doc)).numbered(0)),
        module("timers", "Timer", "TimerId", states.timers(&built.output.symbols.timers)),
        module("lanes", "Lane", "Lane", graph.lanes.iter().map(|lane| (&lane.name, &lane.doc)).numbered(0)),
    ];
    modules.iter().map(Module::tokens).collect()
}

/// Named things in the order of their numbers.
trait Numbered<'a>: Iterator<Item = (&'a Name, &'a Option<String>)> + Sized {
    fn numbered(self, first: usize) -> Vec<Entry> {
        (first..).zip(self).map(|(place, (name, doc))| entry(place, &name.value, doc)).collect()
    }
}

impl<'a, I: Iterator<Item = (&'a Name, &'a Option<String>)>> Numbered<'a> for I {}

fn entry(place: usize, name: &str, doc: &Option<String>) -> Entry {
    Entry { name: name.to_owned(), doc: doc.clone(), note: String::new(), place }
}

fn event((place, event): (usize, &Event)) -> Entry {
    let payload = event.payload.as_ref().map(|payload| match payload.value {
        Payload::Value(ty) => ty.to_string(),
        Payload::U32 => "u32".to_owned(),
        Payload::U64 => "u64".to_owned(),
        Payload::Vec4 => "vec4".to_owned(),
        Payload::Bytes(count) => format!("{count} bytes"),
    });
    let note = payload.map(|payload| format!(", carries {payload}")).unwrap_or_default();
    Entry { note, ..entry(place, &event.name.value, &event.doc) }
}

impl Module {
    fn tokens(&self) -> TokenStream {
        let (name, doc) = (format_ident!("{}", self.name), self.doc());
        let constants = self.entries.iter().filter_map(|entry| self.constant(entry));
        quote! {
            #[doc = #doc]
            pub mod #name {
                #(#constants)*
            }
        }
    }

    fn constant(&self, entry: &Entry) -> Option<TokenStream> {
        let name = format_ident!("{}", self.only_name(entry)?);
        let what = format!("{} `{}`{}.", self.what, entry.name, entry.note);
        let (doc, place, ty) = (doc(entry.doc.as_deref(), &what), entry.place, format_ident!("{}", self.ty));
        let (ty, value) = if self.ty == "Lane" {
            let number = u8::try_from(place).ok()?;
            let ty = quote!(::statewright::commands::#ty);
            (ty.clone(), quote!(#ty::own(#number)))
        } else {
            let ty = quote!(::statewright::ids::#ty);
            (ty.clone(), quote!(::statewright::macros::id(#ty::from_index(#place))))
        };
        Some(quote! {
            #[doc = #doc]
            pub const #name: #ty = #value;
        })
    }

    /// The name of a constant, if Rust can spell it and no other one has it: a constant that means now one state and now
    /// another would be a trap.
    fn only_name(&self, entry: &Entry) -> Option<String> {
        let name = constant(&entry.name)?;
        let same = self.entries.iter().filter(|other| constant(&other.name).as_ref() == Some(&name));
        (same.count() == 1).then_some(name)
    }

    /// The documentation of the module names what has no constant.
    fn doc(&self) -> String {
        let left_out = self.entries.iter().filter(|entry| self.only_name(entry).is_none());
        let left_out: Vec<_> = left_out.map(|entry| format!("`{}`", entry.name)).collect();
        let doc = format!("Each {} by its name.", self.what.to_lowercase());
        if left_out.is_empty() {
            return doc;
        }
        format!("{doc}\n\nWithout a constant, because Rust cannot tell their names apart: {}.", left_out.join(", "))
    }
}

/// States and timers as written, by line and column of their names.
#[derive(Default)]
struct Written {
    docs: HashMap<(u32, u32), Option<String>>,
    /// Name and path of each timer.
    timers: HashMap<(u32, u32), (String, String)>,
    root: Option<String>,
}

impl Written {
    fn collect(built: &Built) -> Self {
        let lines = LineIndex::new(&built.text);
        let mut written = Self { root: built.graph.doc.clone(), ..Self::default() };
        written.add_timers(&lines, "", &built.graph.timers);
        written.add_state(&lines, "", &built.graph.root);
        written
    }

    /// Recursion ends where the compiler's limit of depth does.
    fn add_state(&mut self, lines: &LineIndex<'_>, path: &str, state: &State) {
        self.add_timers(lines, path, &state.timers);
        for child in state.regions.iter().flat_map(|region| &region.states) {
            let at = lines.position(child.name.place.start as usize);
            self.docs.insert((at.line, at.column), child.doc.clone());
            self.add_state(lines, &format!("{path}{}/", child.name.value), child);
        }
    }

    fn add_timers(&mut self, lines: &LineIndex<'_>, path: &str, timers: &[Timer]) {
        for timer in timers {
            let at = lines.position(timer.name.place.start as usize);
            let name = timer.name.value.clone();
            self.docs.insert((at.line, at.column), timer.doc.clone());
            self.timers.insert((at.line, at.column), (name.clone(), format!("{path}{name}")));
        }
    }

    fn states(&self, symbols: &[Symbol]) -> Vec<Entry> {
        let doc = |place: usize, symbol: &Symbol| match place {
            0 => self.root.clone(),
            _ => self.docs.get(&(symbol.line, symbol.column)).cloned().flatten(),
        };
        symbols.iter().enumerate().map(|(place, symbol)| entry(place, &symbol.name, &doc(place, symbol))).collect()
    }

    /// Timers with a name. If two states have timers of one name, their paths tell them apart.
    fn timers(&self, symbols: &[Symbol]) -> Vec<Entry> {
        let mut entries = Vec::new();
        for (place, symbol) in symbols.iter().enumerate() {
            let Some((name, path)) = self.timers.get(&(symbol.line, symbol.column)) else { continue };
            if *name != symbol.name {
                continue;
            }
            let is_only = self.timers.values().filter(|(other, _)| other == name).count() == 1;
            let shown = if is_only { name } else { path };
            entries.push(entry(place, shown, self.docs.get(&(symbol.line, symbol.column)).unwrap_or(&None)));
        }
        entries
    }
}
