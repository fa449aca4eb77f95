//! Owns the context: numbers, truth values and text become blackboard keys.

use jsonc_parser::ast::Object;
use jsonc_parser::common::Ranged;
use statewright_author::diagnostic::Diagnostics;
use statewright_author::graph::{Key, Machine};
use statewright_author::names::check_key;
use statewright_author::span::Spanned;
use statewright_author::text::json;
use statewright_author::value::FunctionKind;

use super::call::literal;
use super::tree::key_name;
use super::{Reader, fields};
use crate::report::{ignored, refused, shown};

impl Reader<'_, '_> {
    /// The blackboard keys of a context. Nothing in the file reads them, so what has no counterpart
    /// is left out.
    pub(super) fn context(&mut self, object: &Object) -> Vec<Key> {
        let Some(context) = object.get("context") else {
            return Vec::new();
        };
        let Some(map) = context.value.as_object() else {
            self.out
                .push(fields::wrong_kind(&context.value, "`context`", "an object"));
            return Vec::new();
        };
        fields::check(map, "`context`", |_| true, self.out);
        let mut keys: Vec<Key> = Vec::new();
        for property in &map.properties {
            let name = key_name(self.text, property);
            let span = json::span(property.value.range());
            let value = literal(&property.value);
            let known = keys.iter().any(|key| key.name.value == name.value);
            match (check_key(&name.value), value) {
                _ if known => {}
                (Err(reason), _) => {
                    let message = format!(
                        "`{}` of the context is left out: {reason}",
                        shown(&name.value)
                    );
                    self.out
                        .push(ignored(name.span, message).label("cannot be a key"));
                }
                (Ok(()), None) => {
                    let message = format!("`{}` of the context is left out", name.value);
                    let problem =
                        ignored(span, message).label("not a number, `true`, `false` or text");
                    self.out
                        .push(problem.help("keep it in the data of the game"));
                }
                (Ok(()), Some(value)) => keys.push(Key {
                    // Code that was not imported may use it.
                    host: true,
                    name,
                    doc: None,
                    ty: Spanned::new(value.natural_type(), span),
                    default: Some(Spanned::new(value, span)),
                    meta: None,
                }),
            }
        }
        keys
    }
}

/// A guard of the name of a key would read the key instead of calling the function.
pub(super) fn no_shared_names(machine: &Machine, out: &mut Diagnostics) {
    for function in machine
        .functions
        .iter()
        .filter(|function| function.kind.value == FunctionKind::Guard)
    {
        if let Some(key) = machine
            .blackboard
            .iter()
            .find(|key| key.name.value == function.name.value)
        {
            let message = format!(
                "a guard and a value of the context are both called `{}`",
                key.name.value
            );
            let problem = refused(function.name.span, message).related(key.name.span, "the value");
            out.push(problem.help("rename one of them: an expression would read the value"));
        }
    }
}
