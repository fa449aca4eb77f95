//! What expressions read by a name: value functions say what they give, and no name means two things
//! (LANG-8, LANG-11).

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::{Diagnostic, Diagnostics};
use statewright_author::graph::{Function, Scratch};
use statewright_author::names::{check_key, is_built_in};
use statewright_author::span::{Name, Span};
use statewright_author::value::FunctionKind;

use crate::index::Index;
use crate::model::Model;

/// Checks value functions and scratch with a type.
pub fn check(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    for function in &model.machine.functions {
        check_type(function, diagnostics);
        if function.kind.value == FunctionKind::Value {
            check_name(model, &function.name, "value function", diagnostics);
        }
    }
    let scratch = model.tree.states.iter().flat_map(|s| &s.authored.scratch);
    for scratch in scratch.filter(|scratch| scratch.ty.is_some()) {
        check_scratch(model, scratch, diagnostics);
    }
}

/// A value function gives something, the others do not.
fn check_type(function: &Function, diagnostics: &mut Diagnostics) {
    let name = &function.name.value;
    let problem = match (function.kind.value, &function.returns) {
        (FunctionKind::Value, None) => Diagnostic::new(
            DiagnosticCode::ValueFunctionType,
            function.name.span,
            format!("value function `{name}` does not say what it gives"),
        )
        .label("no type")
        .help(format!(
            "write `\"{name}\": {{ \"kind\": \"value\", \"returns\": \"f32\" }}`"
        )),
        (FunctionKind::Value, Some(_)) | (_, None) => return,
        (kind, Some(returns)) => Diagnostic::new(
            DiagnosticCode::ValueFunctionType,
            returns.span,
            format!("`{name}` is of the kind {kind}, which gives no value"),
        )
        .label("gives nothing")
        .related(function.kind.span, "its kind")
        .help("remove `returns`, or make it a `value`"),
    };
    diagnostics.push(problem);
}

/// Scratch is read by its name, so the name must be one that expressions can read.
fn check_scratch(model: &Model<'_>, scratch: &Scratch, diagnostics: &mut Diagnostics) {
    match check_key(&scratch.name.value) {
        Ok(()) => check_name(model, &scratch.name, "scratch", diagnostics),
        Err(reason) => diagnostics.push(
            Diagnostic::new(DiagnosticCode::BadName, scratch.name.span, reason)
                .label("read by expressions")
                .help("give it another name, or slots instead of a type"),
        ),
    }
}

fn check_name(model: &Model<'_>, name: &Name, what: &str, diagnostics: &mut Diagnostics) {
    let Some((other, span)) = other_meaning(model, &name.value) else {
        return;
    };
    let text = format!("{what} `{}` has the name of {other}", name.value);
    let problem = Diagnostic::new(DiagnosticCode::NameHidden, name.span, text)
        .label("an expression could mean either")
        .help("give one of them another name");
    diagnostics.push(match span {
        Some(span) => problem.related(span, "declared here"),
        None => problem,
    });
}

/// What else a name means in expressions, and where it is declared.
fn other_meaning(model: &Model<'_>, name: &str) -> Option<(&'static str, Option<Span>)> {
    let (names, machine) = (&model.names, model.machine);
    let key = names
        .keys
        .get(name)
        .map(|key| machine.blackboard[key.position()].name.span);
    let parameter = names
        .parameters
        .get(name)
        .map(|parameter| machine.parameters[parameter.position()].name.span);
    let built_in = is_built_in(name) || name == "event";
    key.map(|span| ("a blackboard key", Some(span)))
        .or(parameter.map(|span| ("a parameter", Some(span))))
        .or(built_in.then_some(("a built-in function", None)))
}
