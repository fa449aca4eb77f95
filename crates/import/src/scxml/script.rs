//! `<script>`, of which only calls of functions of the game can be imported.

use roxmltree::Node as Xml;
use statewright_author::diagnostic::{Diagnostic, Diagnostics};
use statewright_author::expr::parse_call;
use statewright_author::graph::{Action, ActionKind, Code};
use statewright_author::place::{Name, Place, Spanned};
use statewright_author::value::Literal;

use super::expression::{BIND_IT, LITERALS};
use super::functions::Callable;
use super::problem;
use super::xml::{attribute, elements, place_within, tag_place};
use crate::report::shown;

/// The calls in a `<script>`, in order; what else stands in it is refused.
pub(super) fn calls(xml: Xml<'_, '_>, functions: &Callable, out: &mut Diagnostics) -> Vec<Action> {
    let place = tag_place(xml);
    if let Some(other) = attribute(xml, "src").map(|src| src.place).or_else(|| elements(xml).next().map(tag_place)) {
        out.push(refused(other));
        return Vec::new();
    }
    let mut actions = Vec::new();
    for text in xml.children().filter(Xml::is_text) {
        let source = Code::new(text.text().unwrap_or_default().to_owned(), Place::bytes(text.range()));
        for statement in statements(&source, xml.document().input_text()) {
            match call(&statement, functions) {
                Ok(kind) => actions.push(Action { kind, muted: false, place: statement.place }),
                Err(problem) => out.push(*problem),
            }
        }
    }
    if actions.is_empty() && !out.has_errors() {
        out.push(problem::ignored(place, "a `<script>` that does nothing"));
    }
    actions
}

/// A `<script>` that cannot be imported.
pub(super) fn refused(place: Place) -> Diagnostic {
    let why = "a machine holds no program text; what it does is in its actions";
    problem::refused(place, "`<script>`", why, "use `<assign>` and `<if>`, or call a function of the game")
}

fn call(statement: &Code, functions: &Callable) -> Result<ActionKind, Box<Diagnostic>> {
    let has_parentheses = statement.value.contains('(');
    let Some(call) = parse_call(&statement.value).ok().filter(|_| has_parentheses) else {
        let note = "only calls of functions of the game can stand in it: `open(2)`";
        return Err(Box::new(refused(statement.place).note(note)));
    };
    let (name, arguments) = call.placed(statement);
    let Some(function) = functions.call(&name.value) else {
        let message = format!("import cannot call `{}`", shown(&name.value));
        let why = "what a function does is not in the document";
        return Err(Box::new(problem::unlike(name.place, message, why, BIND_IT)));
    };
    let is_vector = |value: &Literal| matches!(value, Literal::Vector(_));
    let unlike = arguments.iter().find(|argument| argument.name.is_some() || is_vector(&argument.value.value));
    if let Some(other) = unlike {
        let message = format!("an argument of `{}` must be computed", name.value);
        let why = "a call never computes anything";
        return Err(Box::new(problem::unlike(other.value.place, message, why, LITERALS)));
    }
    Ok(ActionKind::Call { function: Name::new(function.to_owned(), name.place), arguments })
}

/// What stands between semicolons and ends of lines, without remarks.
fn statements(source: &Code, document: &str) -> Vec<Code> {
    let text = source.value.as_str();
    let (mut start, mut quote, mut open) = (0, None, 0_usize);
    let mut ends = Vec::new();
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, '\'' | '"') => quote = Some(c),
            (Some(mark), c) if c == mark || c == '\n' => quote = None,
            (None, '(') => open += 1,
            (None, ')') => open = open.saturating_sub(1),
            (None, ';') | (None, '\n') if open == 0 => ends.push(std::mem::replace(&mut start, at + 1)..at),
            _ => {}
        }
    }
    ends.push(start..text.len());
    let statement = |range: std::ops::Range<usize>| {
        let part = text.get(range.clone())?;
        let (trimmed, before) = (part.trim(), part.len() - part.trim_start().len());
        let begin = range.start + before;
        let is_code = !trimmed.is_empty() && !trimmed.starts_with("//");
        is_code.then(|| {
            Spanned::new(trimmed.to_owned(), place_within(document, source.place, begin..begin + trimmed.len()))
        })
    };
    ends.into_iter().filter_map(statement).collect()
}
