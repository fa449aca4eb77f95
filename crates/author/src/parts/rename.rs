//! What a part calls things, and what the machine that uses it calls them.
//!
//! ```text
//!   in the part          in the machine, used by the state `fight` with map { Hit: Damaged }
//!   state   idle         /fight/idle
//!   event   Hit          Damaged
//!   parameter rage       fight/rage, or the parameter of the machine that `with` names
//!   timer   alarm        fight/alarm (of the part as a whole; those of its states keep their names)
//! ```

use std::collections::HashMap;

use super::tree::{Found, PartTree};
use super::walk::{Refers, Visitor};
use crate::codes::DiagnosticCode;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::expr;
use crate::graph::{ExprSource, Machine};
use crate::span::{Name, Span};

/// Where a part is used.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// Segments of the path to the state, named regions included.
    pub(super) segments: Vec<String>,
    /// The path as people write it: what is the part's alone begins with it.
    pub(super) shown: String,
}

impl Place {
    /// The name of something that is the part's alone.
    pub(super) fn own(&self, name: &str) -> String {
        format!("{}/{name}", self.shown)
    }

    fn state(&self, below: &[String]) -> String {
        let segments = self.segments.iter().chain(below);
        segments.fold(String::new(), |path, segment| format!("{path}/{segment}"))
    }
}

/// New names by old ones.
pub(super) type Renames = HashMap<String, String>;

/// Gives everything in a part its name in the machine.
pub(super) struct Renamer<'r> {
    tree: PartTree,
    place: &'r Place,
    /// Parameters, with what `with` says of them.
    pub(super) parameters: Renames,
    /// Events, keys, channels and functions that `map` renames.
    pub(super) map: Renames,
    /// Timers of the part as a whole.
    timers: Vec<String>,
    /// The states that are open, the innermost last; in no state names are looked up from the root.
    open: Vec<usize>,
    entered: usize,
    region: Option<String>,
    diagnostics: &'r mut Diagnostics,
}

impl<'r> Renamer<'r> {
    pub(super) fn new(
        part: &Machine,
        place: &'r Place,
        (parameters, map): (Renames, Renames),
        diagnostics: &'r mut Diagnostics,
    ) -> Self {
        Self {
            tree: PartTree::new(part),
            place,
            parameters,
            map,
            timers: part
                .timers
                .iter()
                .map(|timer| timer.name.value.clone())
                .collect(),
            open: Vec::new(),
            entered: 0,
            region: None,
            diagnostics,
        }
    }

    fn scope(&self) -> usize {
        self.open.last().copied().unwrap_or(0)
    }

    /// The whole path of a state. One that is not found is reported here, where the part's own
    /// names are known, and stands for the part's root.
    fn state(&mut self, text: &str, span: Span) -> String {
        let found = match &self.region {
            Some(region) => self.tree.find_in_region(text, self.scope(), region),
            None => self.tree.find(text, self.scope()),
        };
        match found {
            Found::Path(path) => return self.place.state(&path),
            Found::Nothing => {
                let problem = Diagnostic::new(
                    DiagnosticCode::UnknownState,
                    span,
                    format!("no state named `{text}` in this part"),
                );
                let last = text.rsplit('/').next().unwrap_or_default();
                let problem = problem.label("not found").suggest(last, self.tree.names());
                self.diagnostics.push(match problem.help {
                    Some(_) => problem,
                    None => problem.help("a part sees its own states only"),
                });
            }
            Found::Several(paths) => {
                let paths: Vec<String> = paths.iter().map(|path| format!("`{path}`")).collect();
                let problem = Diagnostic::new(
                    DiagnosticCode::AmbiguousState,
                    span,
                    format!("several states of this part are named `{text}`"),
                );
                self.diagnostics.push(
                    problem
                        .label("which one?")
                        .help(format!("write one of {}", paths.join(", "))),
                );
            }
        }
        self.place.state(&[])
    }

    fn timer(&self, name: &str) -> Option<String> {
        let own = self.timers.iter().any(|timer| timer == name);
        (own && !self.tree.has_timer(name, self.scope())).then(|| self.place.own(name))
    }

    fn new_name(&mut self, to: Refers, name: &str, span: Span) -> Option<String> {
        match to {
            Refers::State => Some(self.state(name, span)),
            Refers::Timer => self.timer(name),
            Refers::TransitionSet => Some(self.place.own(name)),
            Refers::Parameter => self.parameters.get(name).cloned(),
            Refers::Event | Refers::Channel | Refers::Function => self.map.get(name).cloned(),
            Refers::Key => {
                let parameter = self.parameters.get(name);
                parameter.or_else(|| self.map.get(name)).cloned()
            }
            Refers::Lane | Refers::Local => None,
        }
    }
}

impl Visitor for Renamer<'_> {
    fn span(&mut self, _: &mut Span) {}

    fn refers(&mut self, to: Refers, name: &mut Name) {
        if let Some(new) = self.new_name(to, &name.value, name.span) {
            name.value = new;
        }
    }

    fn code(&mut self, code: &mut ExprSource) {
        let span = code.span;
        let renamed = expr::rename(&code.value, |kind, name| {
            self.new_name(kind.into(), name, span)
        });
        if let Some(text) = renamed {
            code.value = text;
        }
    }

    fn initial_of(&mut self, region: Option<&Name>) {
        self.region = region.map(|name| name.value.clone());
    }

    fn enter_state(&mut self) {
        self.open.push(self.entered);
        self.entered += 1;
    }

    fn leave_state(&mut self) {
        self.open.pop();
    }
}
