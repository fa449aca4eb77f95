//! Declared things that nobody uses, hashes of functions and texts, and states without stable ids (ROM-6, ROM-8).

use std::collections::HashMap;

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::{Diagnostic, Diagnostics};
use statewright_author::span::Name;

use crate::actions::{FunctionUse, Text};
use crate::index::{
    ChannelIndex, DeclaredFunctionIndex, Index, KeyIndex, ParameterIndex, TransitionSetIndex,
};
use crate::model::Model;

/// Checks the declarations.
pub fn check(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    check_hashes(model, diagnostics);
    check_texts(model, diagnostics);
    check_stable_ids(model, diagnostics);
}

/// Reports what is declared and never used.
pub fn check_use(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    for (index, set) in model.machine.transition_sets.iter().enumerate() {
        if !model.usage.sets.contains(&TransitionSetIndex::new(index)) {
            diagnostics.push(unused("transition set", &set.name));
        }
    }
    for (index, function) in model.machine.functions.iter().enumerate() {
        if !model
            .usage
            .functions
            .contains(&DeclaredFunctionIndex::new(index))
        {
            diagnostics.push(unused("function", &function.name));
        }
    }
    for (index, key) in model.machine.blackboard.iter().enumerate() {
        let is_used = model.usage.keys.borrow().contains(&KeyIndex::new(index));
        if !is_used && !key.host {
            diagnostics.push(unused_data("blackboard key", &key.name));
        }
    }
    for (index, parameter) in model.machine.parameters.iter().enumerate() {
        let used = model.usage.parameters.borrow();
        if !used.contains(&ParameterIndex::new(index)) && !parameter.host {
            diagnostics.push(unused_data("parameter", &parameter.name));
        }
    }
    for (index, channel) in model.machine.channels.iter().enumerate() {
        let owned = model.resolved.iter().any(|state| {
            state
                .owns
                .iter()
                .any(|&(owned, _)| owned == ChannelIndex::new(index))
        });
        if !owned {
            diagnostics.push(unused("channel", &channel.name));
        }
    }
}

fn unused(what: &str, name: &Name) -> Diagnostic {
    let text = format!("{what} `{}` is never used", name.value);
    Diagnostic::new(DiagnosticCode::UnusedDeclaration, name.span, text)
        .label("declared only")
        .help("use it, or remove it")
}

/// What user code may use as well says so (LANG-14).
fn unused_data(what: &str, name: &Name) -> Diagnostic {
    unused(what, name)
        .help("use it, or remove it; if only user code uses it, give it `\"host\": true`")
}

/// Texts are known by their number, so no two may meet (HASH-2); 0 belongs to the empty one.
fn check_texts(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    let mut seen: HashMap<u32, Option<&Text>> = HashMap::from([(0, None)]);
    for text in model.actions.texts() {
        let Some(first) = seen.insert(text.number(), Some(text)) else {
            continue;
        };
        let other = first.map_or("", |first| first.value.as_str());
        if other == text.value {
            continue;
        }
        let message = format!(
            "the texts `{other}` and `{}` have the same number {:08x}",
            text.value,
            text.number()
        );
        let problem = Diagnostic::new(DiagnosticCode::TextNumberCollision, text.span, message)
            .label("used here")
            .help("write one of them in another way");
        diagnostics.push(match first {
            Some(first) => problem.related(first.span, "the other one"),
            None => problem,
        });
    }
}

/// Functions are found by the hash of their name, so no two may meet.
fn check_hashes(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    let mut seen: HashMap<u32, &FunctionUse> = HashMap::new();
    for function in model.actions.functions() {
        if let Some(first) = seen.insert(function.hash(), function) {
            let text = format!(
                "functions `{}` and `{}` have the same hash {:08x}",
                first.name,
                function.name,
                function.hash()
            );
            diagnostics.push(
                Diagnostic::new(
                    DiagnosticCode::FunctionHashCollision,
                    function.spans[0],
                    text,
                )
                .label("used here")
                .related(first.spans[0], "the other one")
                .help("rename one of them"),
            );
        }
    }
}

/// A state without an id of its own loses its identity when it is renamed.
fn check_stable_ids(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    let missing: Vec<_> = model
        .tree
        .states
        .iter()
        .skip(1)
        .filter(|state| state.authored.id.is_none())
        .collect();
    if let Some(first) = missing.first() {
        let name = &first.authored.name;
        let text = match missing.len() {
            1 => format!("state `{}` has no stable id", name.value),
            count => format!(
                "{count} states have no stable id; the first is `{}`",
                name.value
            ),
        };
        diagnostics.push(
            Diagnostic::new(DiagnosticCode::MissingStableId, name.span, text)
                .label("without an `id`, it is another state after renaming")
                .help("run `statewright fmt --ids` on the file"),
        );
    }
}
