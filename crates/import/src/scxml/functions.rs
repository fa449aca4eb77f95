//! Functions of the game that a document may call: an explicit table, because a document does not
//! say what its functions are.
//!
//! A name in it can be asked in conditions (`cond="isReady()"`) and called in `<script>`;
//! everything else that a script could be stays refused. The table comes with the call of
//! [`read_with`](super::read_with), or stands in the document itself, in the attribute `functions`
//! of [`OWN_NAMESPACE`].

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use roxmltree::Node as Xml;
use statewright_author::diagnostic::Diagnostics;
use statewright_author::names::{check_function, check_key, is_built_in};
use statewright_author::span::{Span, Spanned};

use super::problem::{ignored, illegal};
use super::xml::{tag_span, words};
use crate::report::shown;

/// The namespace of what a document says to this engine alone.
pub const OWN_NAMESPACE: &str = "urn:statewright";

/// The attribute with the table.
pub const ATTRIBUTE: &str = "functions";

/// Names in documents, and the functions of the game that they stand for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Functions {
    bound: BTreeMap<String, String>,
}

impl Functions {
    /// Adds `NAME`, or `NAME=FUNCTION` if the game calls it otherwise; in words what is wrong with
    /// it.
    pub fn bind(&mut self, text: &str) -> Result<(), String> {
        let (name, function) = text.split_once('=').unwrap_or((text, text));
        let is_word =
            |name: &str| name != "In" && !name.contains("::") && check_function(name).is_ok();
        if !is_word(name) {
            return Err(format!("`{}` cannot be called in a document", shown(name)));
        }
        check_function(function).map_err(|problem| format!("`{}`: {problem}", shown(function)))?;
        if is_built_in(function)
            || check_key(function.rsplit("::").next().unwrap_or_default()).is_err()
        {
            let instead = if function == name {
                format!("; name another: `{name}=FUNCTION`")
            } else {
                String::new()
            };
            return Err(format!(
                "`{function}` means something else in expressions{instead}"
            ));
        }
        match self.bound.insert(name.to_owned(), function.to_owned()) {
            Some(before) if before != function => Err(format!(
                "`{name}` stands for `{before}` and for `{function}`"
            )),
            _ => Ok(()),
        }
    }
}

/// The table while a document is read.
#[derive(Debug, Default)]
pub(super) struct Callable {
    functions: Functions,
    spans: BTreeMap<String, Span>,
    called: RefCell<BTreeSet<String>>,
}

impl Callable {
    /// The given table and the document's own; for a name in both the given one counts.
    pub(super) fn read(root: Xml<'_, '_>, given: &Functions, out: &mut Diagnostics) -> Self {
        let mut own = Functions::default();
        let mut spans: BTreeMap<String, Span> = given
            .bound
            .keys()
            .map(|name| (name.clone(), tag_span(root)))
            .collect();
        for attribute in root
            .attributes()
            .filter(|attribute| attribute.namespace() == Some(OWN_NAMESPACE))
        {
            let span = Span::bytes(attribute.range_value());
            if attribute.name() != ATTRIBUTE {
                let message = format!("`{}` means nothing here", shown(attribute.name()));
                out.push(ignored(span, message).suggest(attribute.name(), [ATTRIBUTE]));
                continue;
            }
            for word in words(&Spanned::new(attribute.value().to_owned(), span)) {
                match own.bind(&word.value) {
                    Ok(()) => {
                        let name = word.value.split('=').next().unwrap_or_default();
                        spans.entry(name.to_owned()).or_insert(word.span);
                    }
                    Err(problem) => {
                        let help = "write `NAME`, or `NAME=FUNCTION`, with spaces between them";
                        out.push(illegal(word.span, problem).help(help));
                    }
                }
            }
        }
        own.bound.extend(given.bound.clone());
        Self {
            functions: own,
            spans,
            called: RefCell::default(),
        }
    }

    /// The function of the game that a name stands for.
    pub(super) fn call(&self, name: &str) -> Option<&str> {
        let function = self.functions.bound.get(name)?;
        self.called.borrow_mut().insert(name.to_owned());
        Some(function)
    }

    /// Names in the table that nothing calls may be misspelled.
    pub(super) fn report_unused(&self, out: &mut Diagnostics) {
        for (name, span) in &self.spans {
            if self.functions.bound.contains_key(name) && !self.called.borrow().contains(name) {
                out.push(ignored(
                    *span,
                    format!("nothing calls the function `{name}`"),
                ));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_for_what() {
        let mut table = Functions::default();
        for text in ["isReady", "open=door::Open", "isReady"] {
            assert_eq!(table.bind(text), Ok(()), "{text}");
        }
        assert_eq!(table.bound["open"], "door::Open");
        for wrong in [
            "",
            "=",
            "a=",
            "=b",
            "In",
            "a b",
            "a::b",
            "min",
            "min=max",
            "open=Close",
            "x=1",
            "a.b",
            "é!",
        ] {
            assert!(table.clone().bind(wrong).is_err(), "{wrong}");
        }
        assert_eq!(table.bind("min=Smallest"), Ok(()));
    }
}
