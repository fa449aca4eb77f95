//! The symbol table of a compiled machine: names and spans behind the numbers of its ROM, never
//! needed to run (ROM-7).

use std::collections::BTreeMap;

use statewright_author::render::Locator;
use statewright_author::span::{Source, Span};
use statewright_rom::ids::TransitionId;
use statewright_symbols::SharedTransitions;
pub use statewright_symbols::{Symbol, SymbolTable};

use crate::allocate::timer_shown;
use crate::index::{Index, TransitionIndex};
use crate::model::{Model, Shared};
use crate::tables::Tables;
use crate::tree::Target;

/// Collects the names of a compiled machine.
pub(crate) fn collect(
    model: &Model<'_>,
    order: &[TransitionIndex],
    tables: &Tables,
) -> SymbolTable {
    let machine = model.machine;
    let locate = Locate::new(&machine.source);
    let tree = &model.tree;
    let at = |name: &str, span: Span| locate.symbol(name, span);
    let named = |name: &statewright_author::span::Name| at(&name.value, name.span);
    let states = tree
        .states
        .enumerate()
        .map(|(s, state)| at(&tree.path(s), state.authored.name.span));
    let regions = tree.regions.iter().map(|r| match &r.authored.name {
        Some(name) => named(name),
        None => at("", r.authored.span),
    });
    let timers = model
        .timers
        .iter()
        .map(|timer| match (timer.authored, timer.transition) {
            (Some(authored), _) => named(&authored.name),
            (None, Some(t)) => at(&timer_shown(model, timer), model.transitions[t].span()),
            (None, None) => at(
                &timer_shown(model, timer),
                tree.states[timer.owner].authored.name.span,
            ),
        });
    let transitions = order.iter().map(|&t| {
        let transition = &model.transitions[t];
        let name = transition
            .authored
            .name
            .as_ref()
            .map_or("", |name| name.value.as_str());
        at(name, transition.span())
    });
    let history = tree.histories.enumerate().map(|(h, point)| {
        let path = tree.target_path(Target::History(h));
        at(&path, point.authored.name.span)
    });
    let scratch = tree.states.iter().flat_map(|s| &s.authored.scratch);
    let functions = model.actions.linker_order().into_iter().map(|f| {
        let function = &model.actions.functions()[f];
        at(&function.name, function.spans[0])
    });
    let plain_variant = (!tables.variants.is_empty()).then(Symbol::default);
    SymbolTable {
        machine: machine.name.value.clone(),
        file: locate.file(),
        parts: locate.parts.clone(),
        structure_hash: tables.header.head.structure_hash.get(),
        parameter_hash: tables.header.head.parameter_hash.get(),
        states: states.collect(),
        regions: regions.collect(),
        events: machine.events.iter().map(|e| named(&e.name)).collect(),
        timers: timers.collect(),
        transitions: transitions.collect(),
        history: history.collect(),
        scratch: scratch.map(|s| named(&s.name)).collect(),
        functions: functions.collect(),
        keys: machine.blackboard.iter().map(|k| named(&k.name)).collect(),
        parameters: machine.parameters.iter().map(|p| named(&p.name)).collect(),
        variants: plain_variant
            .into_iter()
            .chain(machine.variants.iter().map(|v| named(&v.name)))
            .collect(),
        lanes: machine.lanes.iter().map(|l| named(&l.name)).collect(),
        channels: machine.channels.iter().map(|c| named(&c.name)).collect(),
        guard_codes: Vec::new(),
        rust_places: Vec::new(),
        shared: shared(model, order),
    }
}

/// Which transitions were written once for several states, in the order of their numbers.
fn shared(model: &Model<'_>, order: &[TransitionIndex]) -> Vec<SharedTransitions> {
    let mut lists: BTreeMap<Shared, Vec<TransitionId>> = BTreeMap::new();
    for (number, &transition) in order.iter().enumerate() {
        let shared = model.transitions[transition].shared;
        if let (Some(shared), Some(id)) = (shared, TransitionId::from_index(number)) {
            lists.entry(shared).or_default().push(id);
        }
    }
    let made = |(shared, transitions): (Shared, Vec<TransitionId>)| SharedTransitions {
        set: match shared {
            Shared::Set(set) => {
                let set = &model.machine.transition_sets[set.position()];
                Some(set.name.value.clone())
            }
            Shared::Any(_) => None,
        },
        transitions,
    };
    lists.into_iter().map(made).collect()
}

/// Turns spans into lines and columns.
struct Locate<'a> {
    source: &'a Source,
    locator: Locator<'a>,
    /// The files of parts, each once, from the folder of the machine's own.
    parts: Vec<String>,
}

impl<'a> Locate<'a> {
    fn new(source: &'a Source) -> Self {
        let mut parts: Vec<String> = Vec::new();
        for part in source.parts() {
            let name = beside(source.name(), &part.name);
            if !parts.contains(&name) {
                parts.push(name);
            }
        }
        Self {
            source,
            locator: Locator::new(source),
            parts,
        }
    }

    /// Only the last part of the name: the same machine gives the same sidecar from any folder
    /// (ROM-4).
    fn file(&self) -> String {
        match self.source {
            Source::File { name, .. } => {
                let last = name.rsplit(['/', '\\']).next();
                last.unwrap_or_default().to_owned()
            }
            Source::Builder { .. } => String::new(),
        }
    }

    fn symbol(&self, name: &str, span: Span) -> Symbol {
        let located = self.locator.locate(span).filter(|_| !span.is_step());
        let (line, column, part) = located.map_or((0, 0, 0), |located| {
            let position = located.position();
            (position.line, position.column, self.part(span))
        });
        Symbol {
            name: name.to_owned(),
            line,
            column,
            part,
        }
    }

    fn part(&self, span: Span) -> u32 {
        let Some(part) = self.source.part_at(span) else {
            return 0;
        };
        let name = beside(self.source.name(), &self.source.parts()[part].name);
        let at = self.parts.iter().position(|other| *other == name);
        at.map_or(0, |at| at as u32 + 1)
    }
}

/// The name of a part without the folder of the file that uses it.
fn beside(user: &str, part: &str) -> String {
    let folder = user.rfind(['/', '\\']).map_or("", |end| &user[..=end]);
    part.strip_prefix(folder).unwrap_or(part).to_owned()
}
