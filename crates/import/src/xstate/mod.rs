//! XState v5 machine configurations as JSON: the part of them that is data.
//!
//! In comes the JSON that is given to `createMachine`, out goes the author graph. States,
//! transitions of all kinds, history, final and parallel states, delays, guards and actions by name
//! are mapped, named delays become parameters; actors and code are refused. The stages are the files: `tree` (states
//! and their kinds), `target` (what a target means), `transition`, `delays`, `call` (guards and actions),
//! `state` (the graph), `fields` (what an object may have).

mod call;
mod context;
mod delays;
mod fields;
mod parallel;
mod state;
mod target;
mod transition;
mod tree;

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;
use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::{Diagnostic, Diagnostics};
use statewright_author::graph::{Machine, Parameter, Policies};
use statewright_author::names::check_name;
use statewright_author::span::{Name, Span, Spanned};
use statewright_author::text::json;

use crate::graphs::{Events, Functions, policies, read_with};
use crate::report::{refused, shown, syntax};
use parallel::Heard;
use tree::Tree;

/// Reads a machine configuration of XState v5. `name` is the file's name as messages show it.
pub fn read(name: &str, text: &str) -> (Machine, Diagnostics) {
    read_with(name, text, |text, out| {
        let value = match json::parse(text) {
            Ok(value) => value,
            Err(problems) => {
                problems
                    .iter()
                    .for_each(|problem| out.push(recoded(problem)));
                return None;
            }
        };
        let Value::Object(object) = &value else {
            let problem = syntax(
                json::span(value.range()),
                "a machine of XState is an object",
            );
            out.push(
                problem
                    .label("not an object")
                    .help("the file holds what is given to `createMachine`"),
            );
            return None;
        };
        Some(machine(text, object, out))
    })
}

/// A problem of the JSON under the code of an imported file.
fn recoded(problem: &Diagnostic) -> Diagnostic {
    let code = if problem.code == DiagnosticCode::NestedTooDeeply {
        DiagnosticCode::ImportLimit
    } else {
        DiagnosticCode::ImportSyntax
    };
    let mut problem = Diagnostic {
        code,
        ..problem.clone()
    };
    if problem.message == "the file is empty" {
        problem.help =
            Some("the least machine is `{ \"initial\": \"a\", \"states\": { \"a\": {} } }`".into());
    }
    problem
}

fn machine(text: &str, object: &Object, out: &mut Diagnostics) -> Machine {
    let tree = Tree::new(text, object, out);
    let mut reader = Reader {
        text,
        tree: &tree,
        out,
        events: Events::default(),
        functions: Functions::default(),
        delays: Vec::new(),
        matches: 0,
        heard: Vec::new(),
    };
    reader.collect_events();
    let root = reader.state(0);
    let (blackboard, name) = (reader.context(object), reader.machine_name(object));
    let (events, functions) = (reader.events.declared(), reader.functions.declared());
    let parameters = std::mem::take(&mut reader.delays);
    let meta = root.meta.clone();
    let machine = Machine {
        name,
        doc: root.doc.clone(),
        policies: own_policies(json::span(object.range())),
        events,
        blackboard,
        parameters,
        functions,
        meta,
        ..Machine::default()
    };
    let root = statewright_author::graph::State {
        doc: None,
        meta: None,
        ..root
    };
    context::no_shared_names(&machine, out);
    delays::no_shared_names(&machine, out);
    Machine { root, ..machine }
}

/// The rules of imported charts, and that no transition leaves a single region: it leaves all
/// regions of a parallel state.
fn own_policies(span: Span) -> Policies {
    Policies {
        scxml_details: Some(Spanned::new(true, span)),
        ..policies(span)
    }
}

/// Reads values out of a configuration.
pub(super) struct Reader<'a, 'o> {
    text: &'a str,
    tree: &'a Tree<'a>,
    out: &'o mut Diagnostics,
    events: Events,
    functions: Functions,
    /// Delays that have a name: parameters that are durations.
    delays: Vec<Parameter>,
    /// Comparisons of wildcards with events so far.
    matches: usize,
    /// Transitions of the states made so far.
    heard: Vec<Heard>,
}

impl Reader<'_, '_> {
    /// Text with its span.
    fn name_of(&self, value: &Value) -> Option<Name> {
        let literal = value.as_string_lit()?;
        Some(Spanned::new(
            literal.value.clone().into_owned(),
            json::string_span(self.text, literal),
        ))
    }

    fn machine_name(&mut self, object: &Object) -> Name {
        let Some(id) = object
            .get("id")
            .and_then(|property| self.name_of(&property.value))
        else {
            return Name::default();
        };
        if let Err(reason) = check_name(&id.value) {
            let message = format!(
                "`{}` cannot be the name of a machine: {reason}",
                shown(&id.value)
            );
            self.out.push(refused(id.span, message).label("not a name"));
        }
        id
    }
}
