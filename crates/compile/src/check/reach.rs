//! States that no run can enter.

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::{Diagnostic, Diagnostics};
use statewright_author::graph::StateKind;

use crate::index::{HistoryIndex, IndexVec, RegionIndex, StateIndex};
use crate::model::{Entry, Model};
use crate::tree::Target;

struct Reach<'m, 'a> {
    model: &'m Model<'a>,
    active: IndexVec<StateIndex, bool>,
    entered: IndexVec<StateIndex, bool>,
    /// Regions whose initial was followed, and history points whose default was: once each, so
    /// that the walk ends.
    started: IndexVec<RegionIndex, bool>,
    restored: IndexVec<HistoryIndex, bool>,
    open: Vec<Pending>,
}

/// What is still to be followed.
enum Pending {
    /// Towards a target.
    Target(Target),
    /// By default.
    Default(StateIndex),
    /// A region by its initial.
    Region(RegionIndex),
}

/// Reports states that are never entered; of a nest of them only the outermost.
pub fn check(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    let mut reach = Reach {
        model,
        active: IndexVec::filled(false, &model.tree.states),
        entered: IndexVec::filled(false, &model.tree.states),
        started: IndexVec::filled(false, &model.tree.regions),
        restored: IndexVec::filled(false, &model.tree.histories),
        open: Vec::new(),
    };
    reach.open.push(Pending::Default(StateIndex::ROOT));
    reach.open.extend(
        model
            .fail_safe
            .into_iter()
            .chain(model.reload_entry)
            .map(Pending::Target),
    );
    while let Some(step) = reach.open.pop() {
        match step {
            Pending::Target(target) => reach.target(target),
            Pending::Default(state) => reach.default(state),
            Pending::Region(region) => reach.region(region),
        }
    }
    for state in model.tree.states.indices().skip(1) {
        let parent_active = model.tree.states[state]
            .parent
            .is_some_and(|parent| reach.active[parent]);
        if !reach.active[state] && parent_active {
            let name = &model.tree.states[state].authored.name;
            let text = format!("state `{}` can never be entered", model.tree.path(state));
            diagnostics.push(
                Diagnostic::new(DiagnosticCode::Unreachable, name.span, text)
                    .label("no transition and no initial leads here")
                    .help("add a transition to it, or remove it"),
            );
        }
    }
}

impl Reach<'_, '_> {
    fn region(&mut self, region: RegionIndex) {
        if !std::mem::replace(&mut self.started[region], true) {
            self.entry(&self.model.initials[region]);
        }
    }

    fn entry(&mut self, entry: &Entry) {
        self.open
            .extend(entry.targets.iter().copied().map(Pending::Target));
    }

    fn target(&mut self, target: Target) {
        match target {
            Target::State(state) => {
                self.ancestors(state);
                self.open.push(Pending::Default(state));
            }
            Target::History(history) if std::mem::replace(&mut self.restored[history], true) => {}
            Target::History(history) => {
                let owner = self.model.tree.histories[history].owner;
                self.ancestors(owner);
                let default = &self.model.history_defaults[history];
                if default.targets.is_empty() {
                    self.open.push(Pending::Default(owner));
                } else {
                    self.activate(owner);
                    self.entry(default);
                }
            }
        }
    }

    /// States around a target become active; the other regions of orthogonal ones by default.
    fn ancestors(&mut self, state: StateIndex) {
        let mut at = state;
        while let Some(parent) = self.model.tree.states[at].parent {
            self.activate(parent);
            let node = &self.model.tree.states[parent];
            if node.kind == StateKind::Orthogonal && !self.entered[parent] {
                let others = node
                    .regions
                    .clone()
                    .filter(|&region| self.model.tree.states[at].region != Some(region));
                self.open.extend(others.map(Pending::Region));
            }
            at = parent;
        }
    }

    fn default(&mut self, state: StateIndex) {
        if std::mem::replace(&mut self.entered[state], true) {
            return;
        }
        self.activate(state);
        self.open.extend(
            self.model.tree.states[state]
                .regions
                .clone()
                .map(Pending::Region),
        );
        for branch in &self.model.branches[self.model.resolved[state].branches.clone()] {
            self.open
                .extend(branch.entry.targets.iter().copied().map(Pending::Target));
        }
    }

    /// The first time a state is active, its transitions may be taken.
    fn activate(&mut self, state: StateIndex) {
        if std::mem::replace(&mut self.active[state], true) {
            return;
        }
        for transition in &self.model.transitions[self.model.resolved[state].transitions.clone()] {
            if !transition.never {
                self.open
                    .extend(transition.targets.iter().copied().map(Pending::Target));
            }
        }
    }
}
