//! The debug sidecar (`*.swdbg`): names and spans behind the numbers of a ROM, never needed to run
//! (ROM-7).

use serde::{Deserialize, Serialize};
use statewright_author::render::LineIndex;
use statewright_author::span::{Source, Span};

use crate::allocate::timer_shown;
use crate::index::TransitionIndex;
use crate::model::Model;
use crate::tables::Tables;
use crate::tree::Target;

/// Version of the sidecar's shape.
pub const SYMBOLS_VERSION: u32 = 1;

/// A name and where it was written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symbol {
    /// Name, path or short description.
    pub name: String,
    /// Line of the file, from 1; 0 when unknown.
    #[serde(default)]
    pub line: u32,
    /// Column of the line, from 1; 0 when unknown.
    #[serde(default)]
    pub column: u32,
}

/// Names for every table of a ROM, in table order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symbols {
    /// [`SYMBOLS_VERSION`].
    pub version: u32,
    /// Name of the machine.
    pub machine: String,
    /// Name of the file, without folders; empty for a builder.
    pub file: String,
    /// Structure hash of the ROM it belongs to, in hex.
    pub structure_hash: String,
    /// Parameter hash of the ROM it belongs to, in hex.
    pub parameter_hash: String,
    /// Paths of states.
    pub states: Vec<Symbol>,
    /// Names of regions; empty for the only region of a compound.
    pub regions: Vec<Symbol>,
    /// Events.
    pub events: Vec<Symbol>,
    /// Timers: names, or what they are for.
    pub timers: Vec<Symbol>,
    /// Transitions: names; empty without one.
    pub transitions: Vec<Symbol>,
    /// Paths of history points.
    pub history: Vec<Symbol>,
    /// Names of scratch.
    pub scratch: Vec<Symbol>,
    /// Functions, in linker order, with their first use.
    pub functions: Vec<Symbol>,
    /// Blackboard keys.
    pub keys: Vec<Symbol>,
    /// Parameters.
    pub parameters: Vec<Symbol>,
    /// Variants; the first is the plain one.
    pub variants: Vec<Symbol>,
    /// User lanes.
    pub lanes: Vec<Symbol>,
    /// Channels.
    pub channels: Vec<Symbol>,
}

impl Symbols {
    /// Collects the names of a compiled machine.
    pub fn new(model: &Model<'_>, order: &[TransitionIndex], tables: &Tables) -> Self {
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
        Self {
            version: SYMBOLS_VERSION,
            machine: machine.name.value.clone(),
            file: locate.file.clone(),
            structure_hash: format!("{:016x}", tables.header.structure_hash.get()),
            parameter_hash: format!("{:016x}", tables.header.parameter_hash.get()),
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
        }
    }

    /// The bytes of a sidecar file.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Reads a sidecar file; the error says what is wrong.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let symbols: Self =
            serde_json::from_str(text).map_err(|error| format!("not a debug sidecar: {error}"))?;
        if symbols.version != SYMBOLS_VERSION {
            return Err(format!(
                "sidecar version {}, but this tool reads version {SYMBOLS_VERSION}",
                symbols.version
            ));
        }
        Ok(symbols)
    }

    /// Whether the sidecar was written for these tables.
    pub fn belongs_to(&self, rom: &statewright_rom::Rom<'_>) -> bool {
        self.structure_hash == format!("{:016x}", rom.structure_hash())
            && self.parameter_hash == format!("{:016x}", rom.parameter_hash())
    }
}

/// Turns spans into lines and columns.
struct Locate<'a> {
    file: String,
    lines: Option<LineIndex<'a>>,
}

impl<'a> Locate<'a> {
    fn new(source: &'a Source) -> Self {
        match source {
            Source::File { name, text } => {
                // Only the last part of the name: the same machine gives the same sidecar from any
                // folder (ROM-4).
                let file = name
                    .rsplit(['/', '\\'])
                    .next()
                    .unwrap_or_default()
                    .to_owned();
                Self {
                    file,
                    lines: Some(LineIndex::new(text)),
                }
            }
            Source::Builder { .. } => Self {
                file: String::new(),
                lines: None,
            },
        }
    }

    fn symbol(&self, name: &str, span: Span) -> Symbol {
        let (line, column) = match &self.lines {
            Some(lines) if !span.is_step() => {
                let position = lines.position(span.start as usize);
                (position.line, position.column)
            }
            _ => (0, 0),
        };
        Symbol {
            name: name.to_owned(),
            line,
            column,
        }
    }
}
