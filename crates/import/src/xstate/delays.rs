//! Owns delays with names: how long they are is code there, a parameter here (LANG-3).

use statewright_author::diagnostic::Diagnostics;
use statewright_author::graph::{Machine, Parameter};
use statewright_author::names::check_key;
use statewright_author::span::{Name, Spanned};
use statewright_author::value::{Literal, ParameterType};

use super::Reader;
use crate::report::{ignored, refused, shown};

/// How long a delay is until somebody says it.
const UNKNOWN: &str = "1s";

impl Reader<'_, '_> {
    /// The parameter of a delay that has a name; `None` if it cannot have it.
    pub(super) fn named_delay(&mut self, name: &Name) -> Option<String> {
        if let Err(reason) = check_key(&name.value) {
            let message = format!(
                "`{}` is no delay in milliseconds, and no name of a parameter: {reason}",
                shown(&name.value)
            );
            let problem = refused(name.span, message).label("an expression");
            self.out.push(problem.help("write the number"));
            return None;
        }
        let known = self
            .delays
            .iter()
            .any(|delay| delay.name.value == name.value);
        if !known {
            let message = format!("how long `{}` is, is left out: it is code", name.value);
            let problem = ignored(name.span, message).label("one second until somebody says it");
            self.out.push(problem.help(format!(
                "give the parameter `{}` its value in the machine file, or set it from the game",
                name.value
            )));
            self.delays.push(Parameter {
                host: false,
                name: name.clone(),
                doc: None,
                ty: Spanned::new(ParameterType::Duration, name.span),
                value: Spanned::new(Literal::Text(UNKNOWN.to_owned()), name.span),
                meta: None,
            });
        }
        Some(name.value.clone())
    }
}

/// A delay of the name of a key would read the key.
pub(super) fn no_shared_names(machine: &Machine, out: &mut Diagnostics) {
    for delay in &machine.parameters {
        let key = machine
            .blackboard
            .iter()
            .find(|key| key.name.value == delay.name.value);
        if let Some(key) = key {
            let message = format!(
                "`{}` is a delay and a value of the context",
                delay.name.value
            );
            let problem = refused(delay.name.span, message).label("a delay");
            let problem = problem.related(key.name.span, "a value of the context");
            out.push(problem.help("rename one of them"));
        }
    }
}
