//! What there is to draw: a compiled machine as states, regions, history points and transitions,
//! with their words.
//!
//! Comes in: a ROM with its names. Who belongs where is read from the ROM alone, words from the
//! names, so names of any kind cannot bend the picture. Everything that is text here can be shown:
//! control characters are spelled out ([`visible`]).

use statewright_describe::{self as described, Action, Description, Model, StateKind, Target};
use statewright_rom::Rom;
use statewright_symbols::SymbolTable;

use crate::escape::visible;
use crate::shared::{Shared, shared};
use crate::short::shorten;
use crate::words::{Label, action, lines, marks, trigger};

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
    /// What was written once for several states.
    pub shared: Vec<Shared>,
    /// The description the chart was made from, for tables.
    pub(crate) model: Model,
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
    /// What it alone waits for: its label names all events of its list (LANG-1).
    pub trigger: String,
    /// The others of its list of events, by number; those are drawn with it.
    pub also: Vec<usize>,
    /// Drawn with the first of its list.
    pub is_listed: bool,
    /// The list in which it was written for several states, by its place in the chart.
    pub shared: Option<usize>,
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
        let model = Description::visible(rom, Some(symbols)).model;
        let rate = u64::from(model.tick_rate.max(1));
        let mut chart = Self {
            name: model.machine.clone().unwrap_or_default(),
            states: Vec::new(),
            regions: Vec::new(),
            histories: Vec::new(),
            transitions: Vec::new(),
            shared: Vec::new(),
            model: model.clone(),
        };
        for state in &model.states {
            chart.read_state(state, rate);
        }
        for region in 0..chart.regions.len() {
            for child in chart.regions[region].children.clone() {
                if let Some(state) = chart.states.get_mut(child) {
                    state.region = Some(region);
                }
            }
        }
        chart.join_lists();
        chart.mark_kinds(&model);
        shorten(&mut chart);
        chart.shared = shared(&chart, symbols);
        for (place, shared) in chart.shared.iter().enumerate() {
            for &number in shared.transitions.iter().flatten() {
                chart.transitions[number].shared = Some(place);
            }
        }
        chart
    }

    /// Gives the first transition of each list of events the words of all (LANG-1).
    fn join_lists(&mut self) {
        let mut first = 0;
        for number in 0..self.transitions.len() {
            if !self.transitions[number].is_listed {
                first = number;
                continue;
            }
            let more = format!(", {}", self.transitions[number].trigger);
            let head = &mut self.transitions[first];
            head.label.trigger.push_str(&more);
            head.also.push(number);
        }
    }

    /// The transitions that are drawn, with the first number of each.
    pub(crate) fn drawn(&self) -> impl Iterator<Item = (usize, &Transition)> {
        let all = self.transitions.iter().enumerate();
        all.filter(|(_, transition)| !transition.is_listed)
    }

    /// The numbers of a transition that is drawn: one for each event of its list.
    pub(crate) fn numbers(&self, first: usize) -> Vec<usize> {
        let also = &self.transitions[first].also;
        std::iter::once(first).chain(also.iter().copied()).collect()
    }

    /// Says that a transition into its own source leaves it, which is not the rule (EXEC-2).
    fn mark_kinds(&mut self, model: &Model) {
        let all = model.states.iter().flat_map(|state| &state.transitions);
        let is_external: Vec<bool> = all
            .map(|transition| transition.kind == described::TransitionKind::External)
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

    fn read_state(&mut self, state: &described::State, rate: u64) {
        let number = self.states.len();
        let path = &state.path;
        let own = |words: String| words.replace(&format!("({path})"), "()");
        let regions = (self.regions.len()..self.regions.len() + state.regions.len()).collect();
        let histories =
            (self.histories.len()..self.histories.len() + state.history.len()).collect();
        self.regions.extend(state.regions.iter().map(|region| {
            Region {
                name: region.name.clone(),
                owner: number,
                initial: nodes(&region.initial.to),
                effects: actions(&region.initial.actions, rate),
                children: region
                    .children
                    .iter()
                    .map(|child| child.id.index())
                    .collect(),
            }
        }));
        self.histories
            .extend(state.history.iter().map(|point| History {
                name: point.name.clone(),
                owner: number,
                deep: point.deep,
                default: nodes(&point.default),
            }));
        self.transitions
            .extend(state.transitions.iter().map(|one| Transition {
                source: number,
                targets: nodes(&one.to),
                label: Label {
                    trigger: trigger(&one.trigger, one.guard.is_none(), rate),
                    guard: one.guard.clone().map(own),
                    effects: actions(&one.actions, rate),
                    marks: marks(one, rate).into_iter().map(own).collect(),
                },
                interrupt: one.interrupt,
                trigger: trigger(&one.trigger, one.guard.is_none(), rate),
                also: Vec::new(),
                is_listed: one.listed,
                shared: None,
            }));
        let branch = |branch: &described::Branch| Branch {
            targets: nodes(&branch.to),
            label: Label {
                trigger: String::new(),
                guard: Some(branch.guard.clone().unwrap_or_else(|| "else".to_owned())),
                effects: actions(&branch.actions, rate),
                marks: Vec::new(),
            },
        };
        self.states.push(State {
            name: state.name().to_owned(),
            kind: kind(state.kind.0),
            region: None,
            regions,
            histories,
            lines: lines(state, rate).into_iter().map(own).collect(),
            branches: state.branches.iter().map(branch).collect(),
            path: path.clone(),
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

fn actions(actions: &[Action], rate: u64) -> Vec<String> {
    actions.iter().map(|one| action(one, rate)).collect()
}

fn nodes(targets: &[Target]) -> Vec<Node> {
    let node = |target: &Target| match target {
        Target::State(state) => Node::State(state.id.index()),
        Target::History(point) => Node::History(point.id.index()),
    };
    targets.iter().map(node).collect()
}

fn kind(kind: StateKind) -> Kind {
    match kind {
        StateKind::Atomic => Kind::Atomic,
        StateKind::Compound => Kind::Compound,
        StateKind::Orthogonal => Kind::Orthogonal,
        StateKind::Final => Kind::Final,
        StateKind::Choice => Kind::Choice,
    }
}
