//! Functions of the game, which a document calls by names in its table.

use std::cell::RefCell;
use std::collections::BTreeMap;

use statewright_author::diagnostic::Diagnostics;
use statewright_author::span::{Name, Span};
use statewright_author::value::Literal;

use super::expression::{Data, check_text};
use super::problem::refused;

/// The functions that a document calls, found while it is written.
#[derive(Debug, Default)]
pub(super) struct Functions {
    names: RefCell<BTreeMap<String, String>>,
}

impl Functions {
    /// The name of a function in the document: its own, unless that cannot be one or means
    /// something else.
    pub(super) fn name(&self, function: &str, data: &Data<'_>) -> String {
        if let Some(known) = self.names.borrow().get(function) {
            return known.clone();
        }
        let mut name = function.replace("::", "_");
        while !data.is_free(&name) || self.names.borrow().values().any(|taken| *taken == name) {
            name.push('_');
        }
        self.names
            .borrow_mut()
            .insert(function.to_owned(), name.clone());
        name
    }

    /// The table of the document.
    pub(super) fn table(&self) -> String {
        let names = self.names.borrow();
        let words = names.iter().map(|(function, name)| match function == name {
            true => name.clone(),
            false => format!("{name}={function}"),
        });
        words.collect::<Vec<_>>().join(" ")
    }

    /// Says what stands in the way of an argument.
    pub(super) fn check_argument(
        &self,
        name: Option<&Name>,
        value: Option<&Literal>,
        span: Span,
        out: &mut Diagnostics,
    ) {
        if let Some(name) = name {
            let why = "arguments have no names there";
            out.push(refused(
                span,
                format!("the argument `{}` by name", name.value),
                why,
                "give it by its place",
            ));
        }
        match value {
            Some(Literal::Text(text)) => check_text(text, span, out),
            Some(Literal::Int(_) | Literal::Float(_) | Literal::Bool(_)) => {}
            _ => {
                let why = "there are numbers, truth values and texts there";
                out.push(refused(
                    span,
                    "this argument",
                    why,
                    "give its parts one by one",
                ));
            }
        }
    }
}
