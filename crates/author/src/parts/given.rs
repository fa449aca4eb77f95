//! What a state gives its part: values for parameters (`with`) and other names (`map`), each checked
//! against what the part has.

use std::collections::BTreeSet;

use super::rename::{Place, Renames};
use super::walk::{self, Refers, Visitor};
use crate::codes::DiagnosticCode;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::expr::{self, NameUse};
use crate::graph::{ExprSource, Machine, Parameter, PartUse};
use crate::span::{Name, Span};
use crate::value::{Duration, Literal, ParameterType, ValueType};

/// Up to so many names are listed where one is unknown.
const MOST_LISTED: usize = 12;

/// What becomes of the part's parameters: constants are set in the part, names are those of the
/// machine.
pub(super) fn parameters(
    machine: &Machine,
    part: &mut Machine,
    part_use: &PartUse,
    place: &Place,
    out: &mut Diagnostics,
) -> Renames {
    let mut names: Renames = part
        .parameters
        .iter()
        .map(|each| (each.name.value.clone(), place.own(&each.name.value)))
        .collect();
    for (name, value) in &part_use.with {
        let Some(at) = position(&part.parameters, &name.value) else {
            let known = part.parameters.iter().map(|each| each.name.value.as_str());
            out.push(unknown("parameter", name, known));
            continue;
        };
        let theirs = &mut part.parameters[at];
        let outer = match &value.value {
            Literal::Text(text) => position(&machine.parameters, text),
            _ => None,
        };
        match outer.map(|at| &machine.parameters[at]) {
            Some(outer) if outer.ty.value == theirs.ty.value => {
                names.insert(name.value.clone(), outer.name.value.clone());
            }
            Some(outer) => out.push(other_type(theirs, outer, value.span)),
            None => match &value.value {
                Literal::Text(text) if !takes_text(theirs.ty.value, text) => {
                    out.push(no_parameter(machine, theirs, text, value.span));
                }
                _ => theirs.value = value.clone(),
            },
        }
    }
    names
}

/// What becomes of the part's events, keys, channels and functions.
pub(super) fn names(part: &mut Machine, part_use: &PartUse, out: &mut Diagnostics) -> Renames {
    if part_use.map.is_empty() {
        return Renames::new();
    }
    let mut called = Called::default();
    walk::machine(part, &mut called);
    let known = mappable_names(part, &called);
    for (from, _) in &part_use.map {
        if known.contains(from.value.as_str()) {
            continue;
        }
        let problem = unknown(
            "event, key, channel or function",
            from,
            known.iter().copied(),
        );
        out.push(match position(&part.parameters, &from.value) {
            Some(_) => problem.help(format!(
                "`{0}` is a parameter: set it with `\"with\": {{ \"{0}\": … }}`",
                from.value
            )),
            None => problem,
        });
    }
    let renamed = part_use.map.iter();
    renamed
        .map(|(from, to)| (from.value.clone(), to.value.clone()))
        .collect()
}

/// What `map` may rename: functions need no declaration, so those that are called count, too.
fn mappable_names<'p>(part: &'p Machine, called: &'p Called) -> BTreeSet<&'p str> {
    let events = part.events.iter().map(|each| &each.name.value);
    let keys = part.blackboard.iter().map(|each| &each.name.value);
    let channels = part.channels.iter().map(|each| &each.name.value);
    let functions = part.functions.iter().map(|each| &each.name.value);
    let values = called.or_values.iter();
    let undeclared = values.filter(|name| position(&part.parameters, name).is_none());
    let declared = events.chain(keys).chain(channels).chain(functions);
    let all = declared.chain(&called.functions).chain(undeclared);
    all.map(String::as_str).collect()
}

/// The functions that code calls.
#[derive(Default)]
struct Called {
    functions: BTreeSet<String>,
    /// Without arguments a function looks like any other value.
    or_values: BTreeSet<String>,
}

impl Visitor for Called {
    fn span(&mut self, _: &mut Span) {}

    fn refers(&mut self, to: Refers, name: &mut Name) {
        if to == Refers::Function {
            self.functions.insert(name.value.clone());
        }
    }

    fn code(&mut self, code: &mut ExprSource) {
        expr::rename(&code.value, |kind, name| {
            match kind {
                NameUse::Function => self.functions.insert(name.to_owned()),
                NameUse::Value => self.or_values.insert(name.to_owned()),
                NameUse::State => false,
            };
            None
        });
    }
}

/// Whether a text can be a constant of a type.
fn takes_text(ty: ParameterType, text: &str) -> bool {
    match ty {
        ParameterType::Duration => Duration::parse(text).is_ok(),
        ParameterType::Value(ty) => ty == ValueType::Symbol,
    }
}

/// A text that is neither a constant of the type nor a parameter.
fn no_parameter(machine: &Machine, theirs: &Parameter, text: &str, span: Span) -> Diagnostic {
    let ty = theirs.ty.value;
    let problem = Diagnostic::new(
        DiagnosticCode::LiteralType,
        span,
        format!(
            "parameter `{}` of the part is {ty}, but `{text}` is no such value",
            theirs.name.value
        ),
    );
    let problem = problem
        .label(format!("not {ty}"))
        .related(theirs.name.span, "declared here in the part")
        .note(format!(
            "the machine has no parameter `{text}` of type {ty}"
        ));
    let alike = machine.parameters.iter();
    let alike = alike.filter(|outer| outer.ty.value == ty);
    let problem = problem.suggest(text, alike.map(|outer| outer.name.value.as_str()));
    match problem.help {
        Some(_) => problem,
        None => problem.help(format!(
            "write a value of type {ty}, or a parameter that is one"
        )),
    }
}

fn position(parameters: &[Parameter], name: &str) -> Option<usize> {
    parameters.iter().position(|each| each.name.value == name)
}

/// Without a name that is meant instead, all that there are.
fn unknown<'n>(
    what: &str,
    name: &Name,
    known: impl Iterator<Item = &'n str> + Clone,
) -> Diagnostic {
    let problem = Diagnostic::new(
        DiagnosticCode::UnknownInPart,
        name.span,
        format!("the part has no {what} named `{}`", name.value),
    );
    let problem = problem.label("not found in the part");
    let problem = problem.suggest(&name.value, known.clone());
    match problem.help {
        Some(_) => problem,
        None => problem.help(listed(what, known)),
    }
}

fn listed<'n>(what: &str, known: impl Iterator<Item = &'n str> + Clone) -> String {
    let shown: Vec<String> = known.clone().map(|name| format!("`{name}`")).collect();
    let more = match shown.len().checked_sub(MOST_LISTED) {
        None | Some(0) => String::new(),
        Some(more) => format!(" and {more} more"),
    };
    match &shown[..] {
        [] => format!("it has no {what} at all"),
        names => {
            let first = &names[..names.len().min(MOST_LISTED)];
            format!("it has {}{more}", first.join(", "))
        }
    }
}

fn other_type(theirs: &Parameter, outer: &Parameter, span: Span) -> Diagnostic {
    Diagnostic::new(
        DiagnosticCode::PartConflict,
        span,
        format!(
            "parameter `{}` of the part is {}, but `{}` is {}",
            theirs.name.value, theirs.ty.value, outer.name.value, outer.ty.value
        ),
    )
    .label("of another type")
    .related(theirs.name.span, "declared here in the part")
    .related(outer.name.span, "declared here")
    .help("give it a constant, or a parameter of the same type")
}
