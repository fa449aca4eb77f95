//! Names of a machine file as constants of Rust.

use std::collections::HashMap;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use statewright_author::graph::{Event, Payload, Region, State, Timer};
use statewright_author::render::LineIndex;
use statewright_author::span::Name;
use statewright_rom::layout::PayloadKind;
use statewright_symbols::{Symbol, SymbolKind, machine_id, stable_ids};

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
    index: usize,
    /// What the type of an event has besides.
    carries: Option<PayloadKind>,
}

/// A module of constants.
struct Module {
    name: &'static str,
    /// What they are, for people.
    what: &'static str,
    ty: Ty,
    entries: Vec<Entry>,
}

/// What constants are.
enum Ty {
    /// Handles of things with such numbers: these know their machine (HASH-3).
    Handle(&'static str, SymbolKind),
    /// Symbols, which are the same everywhere (HASH-2).
    Symbol,
    /// Lanes.
    Lane,
}

/// All modules.
pub fn modules(built: &Built) -> TokenStream {
    let graph = &built.graph;
    let states = Written::collect(built);
    let module = |name, what, ty, entries| Module {
        name,
        what,
        ty,
        entries,
    };
    let modules = [
        module(
            "states",
            "State",
            Ty::Handle("StateId", SymbolKind::State),
            states.states(&built.output.symbols.states),
        ),
        module(
            "events",
            "Event",
            Ty::Handle("EventId", SymbolKind::Event),
            events(built),
        ),
        module(
            "keys",
            "Blackboard key",
            Ty::Handle("KeyId", SymbolKind::Key),
            graph
                .blackboard
                .iter()
                .map(|key| (&key.name, &key.doc))
                .numbered(0),
        ),
        module(
            "parameters",
            "Parameter",
            Ty::Handle("ParameterId", SymbolKind::Parameter),
            graph
                .parameters
                .iter()
                .map(|parameter| (&parameter.name, &parameter.doc))
                .numbered(0),
        ),
        // The first one is plain and has no name.
        module(
            "variants",
            "Variant",
            Ty::Handle("VariantId", SymbolKind::Variant),
            graph
                .variants
                .iter()
                .map(|one| (&one.name, &one.doc))
                .numbered(1),
        ),
        module(
            "channels",
            "Channel",
            Ty::Handle("ChannelId", SymbolKind::Channel),
            graph
                .channels
                .iter()
                .map(|one| (&one.name, &one.doc))
                .numbered(0),
        ),
        module(
            "timers",
            "Timer",
            Ty::Handle("TimerId", SymbolKind::Timer),
            states.timers(&built.output.symbols.timers),
        ),
        module("symbols", "Symbol", Ty::Symbol, {
            let texts = built.output.symbol_texts.iter().enumerate();
            texts.map(|(i, text)| entry(i, text, &None)).collect()
        }),
        module(
            "scratch",
            "Scratch",
            Ty::Handle("ScratchId", SymbolKind::Scratch),
            states.scratch(&built.output.symbols.scratch),
        ),
        module(
            "lanes",
            "Lane",
            Ty::Lane,
            graph
                .lanes
                .iter()
                .map(|lane| (&lane.name, &lane.doc))
                .numbered(0),
        ),
    ];
    modules.iter().map(|module| module.tokens(built)).collect()
}

/// Named things in the order of their numbers.
trait Numbered<'a>: Iterator<Item = (&'a Name, &'a Option<String>)> + Sized {
    fn numbered(self, first: usize) -> Vec<Entry> {
        (first..)
            .zip(self)
            .map(|(index, (name, doc))| entry(index, &name.value, doc))
            .collect()
    }
}

impl<'a, I: Iterator<Item = (&'a Name, &'a Option<String>)>> Numbered<'a> for I {}

fn entry(index: usize, name: &str, doc: &Option<String>) -> Entry {
    Entry {
        name: name.to_owned(),
        doc: doc.clone(),
        note: String::new(),
        index,
        carries: None,
    }
}

/// Events know what they carry, so that the compiler does, too.
fn events(built: &Built) -> Vec<Entry> {
    let rom = built.output.rom.as_rom();
    let entry = |(index, written): (usize, &Event)| Entry {
        carries: rom.events().get(index).map(|record| record.carries()),
        ..event((index, written))
    };
    built.graph.events.iter().enumerate().map(entry).collect()
}

fn event((index, event): (usize, &Event)) -> Entry {
    let payload = event.payload.as_ref().map(|payload| match payload.value {
        Payload::Value(ty) => ty.to_string(),
        Payload::U32 => "u32".to_owned(),
        Payload::U64 => "u64".to_owned(),
        Payload::Vec4 => "vec4".to_owned(),
        Payload::Bytes(count) => format!("{count} bytes"),
    });
    let note = payload
        .map(|payload| format!(", carries {payload}"))
        .unwrap_or_default();
    Entry {
        note,
        ..entry(index, &event.name.value, &event.doc)
    }
}

impl Module {
    fn tokens(&self, built: &Built) -> TokenStream {
        let stable = match self.ty {
            Ty::Handle(_, kind) => stable_ids(&built.output.rom.as_rom(), kind),
            Ty::Symbol | Ty::Lane => Vec::new(),
        };
        let (names, mut left_out) = (self.names(), Vec::new());
        let mut constants = TokenStream::new();
        for (entry, name) in self.entries.iter().zip(names) {
            let stable = stable.get(entry.index).copied().unwrap_or(0);
            match name.and_then(|name| self.constant(&name, entry, built, stable)) {
                Some(constant) => constants.extend(constant),
                None => left_out.push(format!("`{}`", entry.name)),
            }
        }
        let (name, doc) = (format_ident!("{}", self.name), self.doc(&left_out));
        quote! {
            #[doc = #doc]
            pub mod #name {
                #constants
            }
        }
    }

    /// Names of the constants, where Rust can spell them and no two are the same: a constant that
    /// means now one state and now another would be a trap.
    fn names(&self) -> Vec<Option<String>> {
        let names: Vec<_> = self
            .entries
            .iter()
            .map(|entry| constant(&entry.name))
            .collect();
        let counts = counts(names.iter().flatten().cloned());
        names
            .into_iter()
            .map(|name| name.filter(|name| counts.get(name) == Some(&1)))
            .collect()
    }

    fn constant(
        &self,
        name: &str,
        entry: &Entry,
        built: &Built,
        stable: u64,
    ) -> Option<TokenStream> {
        let (name, index) = (format_ident!("{name}"), entry.index);
        let doc = doc(
            entry.doc.as_deref(),
            &format!("{} `{}`{}.", self.what, entry.name, entry.note),
        );
        let (ty, value) = match self.ty {
            Ty::Lane => {
                let ty = quote!(::statewright::commands::Lane);
                let number = u8::try_from(index).ok()?;
                (ty.clone(), quote!(#ty::own(#number)))
            }
            Ty::Symbol => {
                let (ty, text) = (quote!(::statewright::Symbol), &entry.name);
                (ty.clone(), quote!(#ty::of(#text)))
            }
            Ty::Handle(id, _) => handle(id, entry, built, stable),
        };
        Some(quote! {
            #[doc = #doc]
            pub const #name: #ty = #value;
        })
    }

    /// The documentation of the module names what has no constant.
    fn doc(&self, left_out: &[String]) -> String {
        let doc = format!("Each {} by its name.", self.what.to_lowercase());
        if left_out.is_empty() {
            return doc;
        }
        format!(
            "{doc}\n\nWithout a constant, because Rust cannot spell their names or tell them apart: {}.",
            left_out.join(", ")
        )
    }
}

/// Type and value of a handle.
fn handle(id: &str, entry: &Entry, built: &Built, stable: u64) -> (TokenStream, TokenStream) {
    let (id, index, own) = (format_ident!("{id}"), entry.index, &entry.name);
    let (machine, rom) = (&built.graph.name.value, built.output.rom.as_rom());
    let (id, of) = (quote!(::statewright::ids::#id), machine_id(&rom));
    let (ty, call) = match entry.carries {
        Some(kind) => {
            let kind = format_ident!("{}", format!("{kind:?}"));
            let ty = quote!(::statewright::TypedEvent<::statewright::payload::#kind>);
            (ty, quote!(::statewright::TypedEvent::of_macro))
        }
        None => {
            let ty = quote!(::statewright::Handle<#id>);
            (ty, quote!(::statewright::Handle::of_macro))
        }
    };
    let value = quote! {
        #call(
            ::statewright::macros::id(#id::from_index(#index)),
            #stable,
            &::statewright::macros::Origin { name: #own, machine: #machine, stable: #of },
        )
    };
    (ty, value)
}

/// How often each name is there.
fn counts(names: impl Iterator<Item = String>) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    for name in names {
        *counts.entry(name).or_default() += 1;
    }
    counts
}

/// States and timers as written, by line and column of their names.
#[derive(Default)]
struct Written {
    docs: HashMap<(u32, u32), Option<String>>,
    /// Name and path of each timer.
    timers: HashMap<(u32, u32), (String, String)>,
    /// Name and path of each scratch.
    scratch: HashMap<(u32, u32), (String, String)>,
    root: Option<String>,
}

/// A child as it stands in paths: with its region where those of the machine have it (LANG-7).
fn child_path(parent: &State, region: &Region, child: &State) -> String {
    let name = child.name.value.as_str();
    let namesakes = |name: &str| {
        let has = |region: &&Region| {
            let mut live = region.states.iter().filter(|state| !state.muted);
            live.any(|state| state.name.value == name)
        };
        parent.regions.iter().filter(has).count() > 1
    };
    let is_region = |region: &Region| region.name.as_ref().is_some_and(|own| own.value == name);
    let mut all = parent.regions.iter().flat_map(|region| &region.states);
    let needed = namesakes(name)
        || parent.regions.iter().any(is_region) && all.any(|state| namesakes(&state.name.value));
    match &region.name {
        Some(region) if needed => format!("{}/{name}", region.value),
        _ => name.to_owned(),
    }
}

impl Written {
    fn collect(built: &Built) -> Self {
        let lines = LineIndex::new(&built.text);
        let mut written = Self {
            root: built.graph.doc.clone(),
            ..Self::default()
        };
        written.add_timers(&lines, "", &built.graph.timers);
        written.add_state(&lines, "", &built.graph.root);
        written
    }

    /// Recursion ends where the compiler's limit of depth does.
    fn add_state(&mut self, lines: &LineIndex<'_>, path: &str, state: &State) {
        self.add_timers(lines, path, &state.timers);
        for scratch in &state.scratch {
            let at = lines.position(scratch.name.span.start as usize);
            let name = scratch.name.value.clone();
            self.scratch.insert(
                (at.line, at.column),
                (name.clone(), format!("{path}{name}")),
            );
        }
        for region in &state.regions {
            for child in &region.states {
                let at = lines.position(child.name.span.start as usize);
                self.docs.insert((at.line, at.column), child.doc.clone());
                let name = child_path(state, region, child);
                self.add_state(lines, &format!("{path}{name}/"), child);
            }
        }
    }

    fn add_timers(&mut self, lines: &LineIndex<'_>, path: &str, timers: &[Timer]) {
        for timer in timers {
            let at = lines.position(timer.name.span.start as usize);
            let name = timer.name.value.clone();
            self.docs.insert((at.line, at.column), timer.doc.clone());
            self.timers.insert(
                (at.line, at.column),
                (name.clone(), format!("{path}{name}")),
            );
        }
    }

    fn states(&self, symbols: &[Symbol]) -> Vec<Entry> {
        let doc = |index: usize, symbol: &Symbol| match index {
            0 => self.root.clone(),
            _ => self
                .docs
                .get(&(symbol.line, symbol.column))
                .cloned()
                .flatten(),
        };
        symbols
            .iter()
            .enumerate()
            .map(|(index, symbol)| entry(index, &symbol.name, &doc(index, symbol)))
            .collect()
    }

    /// Timers with a name.
    fn timers(&self, symbols: &[Symbol]) -> Vec<Entry> {
        self.of_states(&self.timers, symbols)
    }

    fn scratch(&self, symbols: &[Symbol]) -> Vec<Entry> {
        self.of_states(&self.scratch, symbols)
    }

    /// Things that states have. If two states have some of one name, their paths tell them apart.
    fn of_states(
        &self,
        written: &HashMap<(u32, u32), (String, String)>,
        symbols: &[Symbol],
    ) -> Vec<Entry> {
        let counts = counts(written.values().map(|(name, _)| name.clone()));
        let entry = |(index, symbol): (usize, &Symbol)| {
            let at = (symbol.line, symbol.column);
            // Unnamed timers stand at transitions, where none is written.
            let (name, path) = written.get(&at)?;
            let shown = if counts.get(name) == Some(&1) {
                name
            } else {
                path
            };
            Some(entry(index, shown, self.docs.get(&at).unwrap_or(&None)))
        };
        symbols.iter().enumerate().filter_map(entry).collect()
    }
}
