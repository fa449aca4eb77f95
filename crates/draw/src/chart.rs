//! What there is to draw: a compiled machine as states, regions, history points and transitions,
//! with their words.
//!
//! Comes in: a ROM with its names. Who belongs where is read from the ROM alone, words from the
//! names, so names of any kind cannot bend the picture. Everything that is text here can be shown:
//! control characters are spelled out ([`visible`]).

use serde_json::Value;
use statewright_compile::describe::describe_model;
use statewright_rom::Rom;
use statewright_symbols::SymbolTable;

use crate::escape::visible;
use crate::words::{Label, action, marks, trigger};

/// A machine, ready to be drawn. States and transitions have their numbers in the ROM.
#[derive(Clone, Debug)]
pub struct Chart {
    /// Name of the machine.
    pub name: String,
    /// All states in pre-order; the first is the root.
    pub states: Vec<State>,
    /// All regions, in the order of their owners.
    pub regions: Vec<Region>,
    /// All history points.
    pub histories: Vec<History>,
    /// All transitions.
    pub transitions: Vec<Transition>,
    /// The description the chart was made from, for tables.
    pub(crate) model: Value,
}

/// What a state is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// No children.
    Atomic,
    /// One region.
    Compound,
    /// Several regions.
    Orthogonal,
    /// Completes its parent.
    Final,
    /// Chooses a branch.
    Choice,
}

/// A state.
#[derive(Clone, Debug)]
pub struct State {
    /// Its name.
    pub name: String,
    /// Names from the top, with `/` between; `root` for the root.
    pub path: String,
    /// What it is.
    pub kind: Kind,
    /// The region it lies in; the root lies in none.
    pub region: Option<usize>,
    /// Its regions.
    pub regions: Vec<usize>,
    /// Its history points.
    pub histories: Vec<usize>,
    /// What it does, one line each: `entry / …`, `do / …`.
    pub lines: Vec<String>,
    /// Branches of a choice.
    pub branches: Vec<Branch>,
}

/// A region.
#[derive(Clone, Debug)]
pub struct Region {
    /// Its name, if it is one of several.
    pub name: Option<String>,
    /// The state around it.
    pub owner: usize,
    /// Where it starts.
    pub initial: Vec<Node>,
    /// What happens on the way there.
    pub effects: Vec<String>,
    /// The states in it.
    pub children: Vec<usize>,
}

/// A history point.
#[derive(Clone, Debug)]
pub struct History {
    /// Its name.
    pub name: String,
    /// The state whose past it knows.
    pub owner: usize,
    /// Whether it remembers leaves.
    pub deep: bool,
    /// Where it leads while nothing is remembered; empty is the initial state.
    pub default: Vec<Node>,
}

/// What a transition can lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Node {
    /// A state.
    State(usize),
    /// A history point.
    History(usize),
}

/// A transition.
#[derive(Clone, Debug)]
pub struct Transition {
    /// The state it belongs to.
    pub source: usize,
    /// Where it leads; none if it only does something.
    pub targets: Vec<Node>,
    /// Its words.
    pub label: Label,
    /// Stands before all others.
    pub interrupt: bool,
}

/// A branch of a choice.
#[derive(Clone, Debug)]
pub struct Branch {
    /// Where it leads.
    pub targets: Vec<Node>,
    /// Its words.
    pub label: Label,
}

impl Chart {
    /// Reads a ROM. The names should belong to it: ask [`SymbolTable::belongs_to`] first.
    pub fn new(rom: &Rom<'_>, symbols: &SymbolTable) -> Self {
        let shape = describe_model(rom, None);
        let mut model = describe_model(rom, Some(symbols));
        clean(&mut model);
        let rate = model["tick_rate"].as_u64().unwrap_or(60).max(1);
        let mut chart = Self {
            name: text(&model["machine"]),
            states: Vec::new(),
            regions: Vec::new(),
            histories: Vec::new(),
            transitions: Vec::new(),
            model: Value::Null,
        };
        for (shaped, named) in list(&shape["states"]).iter().zip(list(&model["states"])) {
            chart.read_state(shaped, named, rate);
        }
        for region in 0..chart.regions.len() {
            for child in chart.regions[region].children.clone() {
                if let Some(state) = chart.states.get_mut(child) {
                    state.region = Some(region);
                }
            }
        }
        chart.mark_kinds(&model);
        chart.model = model;
        chart
    }

    /// Says that a transition into its own source leaves it, which is not the rule (EXEC-2).
    fn mark_kinds(&mut self, model: &Value) {
        let described = list(&model["states"])
            .iter()
            .flat_map(|state| list(&state["transitions"]));
        let is_external: Vec<bool> = described
            .map(|transition| transition["kind"] == "external")
            .collect();
        for (number, is_external) in is_external.into_iter().enumerate() {
            let transition = &self.transitions[number];
            let leads_in = |&target: &Node| match target {
                Node::State(state) => self.is_inside(state, transition.source),
                Node::History(history) => {
                    let owner = self.histories[history].owner;
                    owner == transition.source || self.is_inside(owner, transition.source)
                }
            };
            if is_external
                && !transition.targets.is_empty()
                && transition.targets.iter().all(leads_in)
            {
                self.transitions[number]
                    .label
                    .marks
                    .push("external".to_owned());
            }
        }
    }

    fn read_state(&mut self, shaped: &Value, named: &Value, rate: u64) {
        let number = self.states.len();
        let path = text(&named["path"]);
        let own = |words: String| words.replace(&format!("({path})"), "()");
        let regions =
            (self.regions.len()..self.regions.len() + list(&shaped["regions"]).len()).collect();
        let histories =
            (self.histories.len()..self.histories.len() + list(&shaped["history"]).len()).collect();
        for (shape, name) in list(&shaped["regions"]).iter().zip(list(&named["regions"])) {
            self.regions.push(Region {
                name: name["name"].as_str().map(str::to_owned),
                owner: number,
                initial: nodes(&shape["initial"]["to"]),
                effects: actions(&name["initial"]["do"], rate),
                children: list(&shape["children"])
                    .iter()
                    .filter_map(|child| numbered(child, "state_"))
                    .collect(),
            });
        }
        for (shape, name) in list(&shaped["history"]).iter().zip(list(&named["history"])) {
            let deep = shape["deep"] == true;
            let default = nodes(&shape["default"]);
            self.histories.push(History {
                name: text(&name["name"]),
                owner: number,
                deep,
                default,
            });
        }
        for (shape, name) in list(&shaped["transitions"])
            .iter()
            .zip(list(&named["transitions"]))
        {
            let label = Label {
                trigger: trigger(&text(&name["trigger"]), name["if"].is_null(), rate),
                guard: name["if"].as_str().map(|guard| own(guard.to_owned())),
                effects: actions(&name["do"], rate),
                marks: marks(name, rate).into_iter().map(own).collect(),
            };
            let interrupt = shape["interrupt"] == true;
            self.transitions.push(Transition {
                source: number,
                targets: nodes(&shape["to"]),
                label,
                interrupt,
            });
        }
        let branches = list(&shaped["branches"])
            .iter()
            .zip(list(&named["branches"]))
            .map(|(shape, name)| {
                let guard = Some(name["if"].as_str().unwrap_or("else").to_owned());
                let (effects, marks) = (actions(&name["do"], rate), Vec::new());
                Branch {
                    targets: nodes(&shape["to"]),
                    label: Label {
                        trigger: String::new(),
                        guard,
                        effects,
                        marks,
                    },
                }
            });
        self.states.push(State {
            name: path.rsplit('/').next().unwrap_or_default().to_owned(),
            kind: kind(&shaped["kind"]),
            region: None,
            regions,
            histories,
            lines: crate::words::lines(named, rate)
                .into_iter()
                .map(own)
                .collect(),
            branches: branches.collect(),
            path,
        });
    }

    /// The name of a target, as short as it is clear: with the state before it for history points.
    pub fn node_name(&self, node: Node) -> String {
        match node {
            Node::State(state) => self.states[state].name.clone(),
            Node::History(history) => {
                let history = &self.histories[history];
                format!("{}/{}", self.states[history.owner].name, history.name)
            }
        }
    }

    /// The state of this name or path. Levels may be separated by `/` or `.`; the error says what
    /// is wrong.
    pub fn find(&self, wanted: &str) -> Result<usize, String> {
        let by_path = |path: &str| self.states.iter().position(|state| state.path == path);
        if let Some(found) = by_path(wanted).or_else(|| by_path(&wanted.replace('.', "/"))) {
            return Ok(found);
        }
        let ends = format!("/{}", wanted.replace('.', "/"));
        let fits = |state: &&State| state.name == wanted || state.path.ends_with(&ends);
        let found: Vec<&State> = self.states.iter().filter(fits).collect();
        match found[..] {
            [only] => by_path(&only.path).ok_or_else(String::new),
            [] => Err(format!("no state named `{}`", visible(wanted))),
            [first, second, ..] => Err(format!(
                "`{}` could be `{}` or `{}`",
                visible(wanted),
                first.path,
                second.path
            )),
        }
    }

    /// Whether one state lies inside another, at any depth.
    pub(crate) fn is_inside(&self, mut state: usize, around: usize) -> bool {
        while let Some(region) = self.states[state].region {
            state = self.regions[region].owner;
            if state == around {
                return true;
            }
        }
        false
    }
}

/// Spells out what cannot be seen, in every text of a description.
fn clean(value: &mut Value) {
    match value {
        Value::String(text) => *text = visible(text),
        Value::Array(items) => items.iter_mut().for_each(clean),
        Value::Object(fields) => fields.values_mut().for_each(clean),
        _ => {}
    }
}

pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn actions(value: &Value, rate: u64) -> Vec<String> {
    list(value)
        .iter()
        .map(|one| action(&text(one), rate))
        .collect()
}

fn numbered(value: &Value, prefix: &str) -> Option<usize> {
    match value.as_str()? {
        "root" if prefix == "state_" => Some(0),
        name => name.strip_prefix(prefix)?.parse().ok(),
    }
}

fn nodes(value: &Value) -> Vec<Node> {
    let node = |target: &Value| {
        let state = numbered(target, "state_").map(Node::State);
        state.or_else(|| numbered(target, "history_").map(Node::History))
    };
    list(value).iter().filter_map(node).collect()
}

fn kind(value: &Value) -> Kind {
    match value.as_str() {
        Some("compound") => Kind::Compound,
        Some("orthogonal") => Kind::Orthogonal,
        Some("final") => Kind::Final,
        Some("choice") => Kind::Choice,
        _ => Kind::Atomic,
    }
}
