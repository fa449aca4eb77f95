//! Declared things that nobody uses, hashes of functions and texts, and states without stable ids (ROM-6, ROM-8).

use std::collections::HashMap;

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::{Diagnostic, Diagnostics};
use statewright_author::span::Name;

use crate::actions::{FunctionUse, Text};
use crate::index::{ChannelIndex, DeclaredFunctionIndex, Index, TransitionSetIndex};
use crate::model::Model;

/// Checks the declarations.
pub fn check(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    check_hashes(model, diagnostics);
    check_texts(model, diagnostics);
    check_stable_ids(model, diagnostics);
}

/// Reports what is declared and never used.
pub fn check_use(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    let mut unused = |what: &str, name: &Name| {
        diagnostics.push(
            Diagnostic::new(
                DiagnosticCode::UnusedDeclaration,
                name.span,
                format!("{what} `{}` is never used", name.value),
            )
            .label("declared only")
            .help("use it, or remove it"),
        );
    };
    for (index, set) in model.machine.transition_sets.iter().enumerate() {
        if !model.usage.sets.contains(&TransitionSetIndex::new(index)) {
            unused("transition set", &set.name);
        }
    }
    for (index, function) in model.machine.functions.iter().enumerate() {
        if !model
            .usage
            .functions
            .contains(&DeclaredFunctionIndex::new(index))
        {
            unused("function", &function.name);
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
            unused("channel", &channel.name);
        }
    }
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
