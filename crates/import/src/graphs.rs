//! Owns what every format makes in the same way: the machine around the states, events, functions,
//! small values.

use std::collections::HashMap;

use statewright_author::diagnostic::{Diagnostic, Diagnostics};
use statewright_author::graph::{Event, Function, Machine, Policies};
use statewright_author::names::{check_function, check_name};
use statewright_author::span::{Name, Source, Span, Spanned};
use statewright_author::value::{FunctionKind, ValueType};

use crate::bytes::too_long;
use crate::report::{refused, shown};

/// Reads a text with the reader of a format: length, byte order mark, source and order of problems
/// are the same for all.
pub(crate) fn read_with(
    name: &str,
    text: &str,
    read: impl FnOnce(&str, &mut Diagnostics) -> Option<Machine>,
) -> (Machine, Diagnostics) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut out = Diagnostics::default();
    if let Some(problem) = too_long(text) {
        out.push(problem);
        return (
            Machine {
                source: Source::file(name, ""),
                ..Machine::default()
            },
            out,
        );
    }
    let mut machine = read(text, &mut out).unwrap_or_default();
    if machine.name.value.is_empty() {
        machine.name.value = name_of_file(name);
    }
    machine.source = Source::file(name, text);
    out.sort();
    (machine, out)
}

/// The name of a machine whose file gives it none: the file's own, without folders and endings.
fn name_of_file(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = last.split('.').next().unwrap_or_default().trim();
    if check_name(stem).is_ok() {
        stem.to_owned()
    } else {
        "Imported".to_owned()
    }
}

/// The rules that imported charts run by: internal events first, exits in reverse order (EVT-10,
/// EXEC-1).
pub(crate) fn policies(span: Span) -> Policies {
    let on = Some(Spanned::new(true, span));
    Policies {
        reverse_exit_order: on.clone(),
        internal_first: on,
        ..Policies::default()
    }
}

/// Events in the order in which they are first named.
#[derive(Default)]
pub(crate) struct Events {
    list: Vec<Name>,
    known: HashMap<String, usize>,
}

impl Events {
    /// Adds an event, once.
    pub(crate) fn add(&mut self, name: &Name) {
        if !self.known.contains_key(&name.value) {
            self.known.insert(name.value.clone(), self.list.len());
            self.list.push(name.clone());
        }
    }

    /// Whether it was added.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.known.contains_key(name)
    }

    /// All of them.
    pub(crate) fn names(&self) -> &[Name] {
        &self.list
    }

    /// Their declarations.
    pub(crate) fn declared(self) -> Vec<Event> {
        self.list
            .into_iter()
            .map(|name| Event {
                name,
                ..Event::default()
            })
            .collect()
    }
}

/// Functions in the order in which they are first called.
#[derive(Default)]
pub(crate) struct Functions {
    list: Vec<Function>,
    known: HashMap<String, usize>,
}

/// Parameters of a call, by name.
pub(crate) type Parameters = Vec<(Name, Spanned<ValueType>)>;

impl Functions {
    /// Notes a call. The problem is a name that no function can have, or parameters that differ
    /// from those before.
    pub(crate) fn call(
        &mut self,
        name: &Name,
        kind: FunctionKind,
        parameters: Parameters,
    ) -> Result<(), Box<Diagnostic>> {
        check_function(&name.value).map_err(|reason| {
            let message = format!(
                "`{}` cannot be the name of a function: {reason}",
                shown(&name.value)
            );
            Box::new(
                refused(name.span, message)
                    .label("not a function name")
                    .help("rename it in the chart"),
            )
        })?;
        let Some(&at) = self.known.get(&name.value) else {
            self.known.insert(name.value.clone(), self.list.len());
            let kind = Spanned::new(kind, name.span);
            self.list.push(Function {
                name: name.clone(),
                doc: None,
                kind,
                returns: None,
                rng: false,
                parameters,
            });
            return Ok(());
        };
        let first = &mut self.list[at];
        if first.kind.value != kind {
            let message = format!("`{}` is used both as an action and as a guard", name.value);
            let problem = refused(name.span, message).related(first.name.span, "first used here");
            return Err(Box::new(problem.help("give them different names")));
        }
        let same = first.parameters.len() == parameters.len()
            && first
                .parameters
                .iter()
                .zip(&parameters)
                .all(|(a, b)| a.0.value == b.0.value && fits(a.1.value, b.1.value));
        if !same {
            let message = format!(
                "`{}` is called with other parameters than before",
                name.value
            );
            let problem = refused(name.span, message).related(first.name.span, "first called here");
            return Err(Box::new(problem.help(
                "a function has the same parameters in every call, in the same order",
            )));
        }
        for (known, new) in first.parameters.iter_mut().zip(parameters) {
            if new.1.value == ValueType::F32 {
                known.1 = new.1;
            }
        }
        Ok(())
    }

    /// Their declarations.
    pub(crate) fn declared(self) -> Vec<Function> {
        self.list
    }
}

/// Whole numbers and others may stand for one parameter.
fn fits(a: ValueType, b: ValueType) -> bool {
    let number = |ty: ValueType| matches!(ty, ValueType::I32 | ValueType::F32);
    a == b || (number(a) && number(b))
}
