//! States and history points by their names, which become ids: unique in the whole document,
//! without spaces.

use std::collections::HashMap;

use statewright_author::diagnostic::Diagnostics;
use statewright_author::graph::{Machine, State, StateKind};
use statewright_author::span::{Name, Source};

use super::problem::refused;

/// Deepest nesting that is looked at; a machine that compiles has 16 levels.
const MAX_DEPTH: usize = 64;

/// A state in its place.
#[derive(Debug)]
pub(super) struct ExportedState<'a> {
    pub(super) state: &'a State,
    pub(super) parent: Option<usize>,
    /// One past its last descendant.
    end: usize,
}

/// What a name means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExportTarget {
    State(usize),
    /// A history point of a state.
    History(usize),
}

/// All names of a machine, muted states left out.
#[derive(Debug)]
pub(super) struct ExportNames<'a> {
    source: &'a Source,
    /// In pre-order; the root is first.
    pub(super) states: Vec<ExportedState<'a>>,
    known: HashMap<&'a str, ExportTarget>,
}

impl<'a> ExportNames<'a> {
    /// Finds all names; those that are given twice cannot be ids.
    pub(super) fn read(machine: &'a Machine, out: &mut Diagnostics) -> Self {
        let mut names = Self {
            source: &machine.source,
            states: Vec::new(),
            known: HashMap::new(),
        };
        names.add(&machine.root, None, 0, out);
        names
    }

    fn add(
        &mut self,
        state: &'a State,
        parent: Option<usize>,
        depth: usize,
        out: &mut Diagnostics,
    ) {
        let index = self.states.len();
        self.states.push(ExportedState {
            state,
            parent,
            end: index + 1,
        });
        if parent.is_some() {
            self.name(&state.name, ExportTarget::State(index), out);
        }
        for point in &state.history {
            self.name(&point.name, ExportTarget::History(index), out);
        }
        if depth > MAX_DEPTH {
            out.push(refused(
                state.name.span,
                "states nested so deep",
                "a machine that compiles has 16 levels",
                "",
            ));
            return;
        }
        for child in state
            .regions
            .iter()
            .flat_map(|region| &region.states)
            .filter(|child| !child.muted)
        {
            self.add(child, Some(index), depth + 1, out);
        }
        self.states[index].end = self.states.len();
    }

    fn name(&mut self, name: &'a Name, node: ExportTarget, out: &mut Diagnostics) {
        if let Some(&first) = self.known.get(name.value.as_str()) {
            let first = match first {
                ExportTarget::State(state) => self.states[state].state.name.span,
                ExportTarget::History(owner) => self.states[owner].state.span,
            };
            let is_part = self.source.show_the_same(first, name.span);
            let problem = refused(
                name.span,
                format!("a second state or history point named `{}`", name.value),
                "names become ids, and an id is unique in the whole document",
                match is_part {
                    true => {
                        "a part can be used once there: write the states of the others out, with other names"
                    }
                    false => "give one of them another name",
                },
            );
            let shown = match is_part {
                true => self.source.use_apart(first, name.span),
                false => Some(first),
            };
            out.push(match shown {
                Some(span) => problem.related(span, "the first one"),
                None => problem,
            });
            return;
        }
        self.known.insert(&name.value, node);
    }

    /// What a name or path means. As names are unique, the last part of a path says it.
    pub(super) fn find(&self, name: &str) -> Option<ExportTarget> {
        self.known.get(last(name)).copied()
    }

    /// The same, as a word of a list of ids; what stands in the way is said.
    pub(super) fn id<'n>(&self, name: &'n Name, out: &mut Diagnostics) -> Option<&'n str> {
        let id = last(&name.value);
        let problem = match self.find(&name.value) {
            None if id == "root" => refused(
                name.span,
                "the root by name",
                "the document itself is no state and has no id",
                "put everything into one state, and name that",
            ),
            None => refused(
                name.span,
                format!("`{id}`, which is no state"),
                "it would lead nowhere",
                "",
            ),
            Some(_) if !is_id(id) => refused(
                name.span,
                format!("the name `{id}`"),
                "an id has no spaces: lists of ids are separated by them",
                "give it another name",
            ),
            Some(_) => return Some(id),
        };
        out.push(problem);
        None
    }

    /// Whether `inner` lies strictly inside `outer`.
    pub(super) fn is_inside(&self, inner: usize, outer: usize) -> bool {
        inner > outer && inner < self.states[outer].end
    }

    /// Whether a state can ever be complete (EXEC-6).
    pub(super) fn can_complete(&self, state: &State) -> bool {
        let mut regions = state.regions.iter();
        let ends = |state: &State| state.kind() == StateKind::Final || self.can_complete(state);
        match state.kind() {
            StateKind::Compound => regions.any(|region| {
                region
                    .states
                    .iter()
                    .any(|child| !child.muted && child.kind() == StateKind::Final)
            }),
            StateKind::Orthogonal => regions.all(|region| {
                region
                    .states
                    .iter()
                    .any(|child| !child.muted && ends(child))
            }),
            _ => false,
        }
    }
}

/// Whether a name can be an id.
pub(super) fn is_id(name: &str) -> bool {
    !name.is_empty() && !name.contains(char::is_whitespace)
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
