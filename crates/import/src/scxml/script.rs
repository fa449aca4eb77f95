//! `<script>`, of which only calls of functions of the game can be imported.

use roxmltree::Node as Xml;
use statewright_author::diagnostic::{Diagnostic, Diagnostics};
use statewright_author::expr::{code_span, parse_call};
use statewright_author::graph::{Action, ActionKind, ExprSource};
use statewright_author::span::{Name, Span, Spanned};
use statewright_author::value::Literal;

use super::expression::{BIND_IT, LITERALS, other_meaning};
use super::functions::Callable;
use super::problem;
use super::xml::{Spelling, attribute, elements, tag_span};
use crate::report::shown;

/// The calls in a `<script>`, in order; what else stands in it is refused.
pub(super) fn calls(xml: Xml<'_, '_>, functions: &Callable, out: &mut Diagnostics) -> Vec<Action> {
    let span = tag_span(xml);
    if let Some(other) = attribute(xml, "src")
        .map(|src| src.span)
        .or_else(|| elements(xml).next().map(tag_span))
    {
        out.push(refused(other));
        return Vec::new();
    }
    let mut actions = Vec::new();
    for text in xml.children().filter(Xml::is_text) {
        let source = ExprSource::new(
            text.text().unwrap_or_default().to_owned(),
            Span::bytes(text.range()),
        );
        for statement in statements(&source, xml.document().input_text()) {
            match call(&statement, functions) {
                Ok(kind) => actions.push(Action {
                    kind,
                    muted: false,
                    span: statement.span,
                }),
                Err(problem) => out.push(*problem),
            }
        }
    }
    if actions.is_empty() && !out.has_errors() {
        out.push(problem::ignored(span, "a `<script>` that does nothing"));
    }
    actions
}

/// A `<script>` that cannot be imported.
pub(super) fn refused(span: Span) -> Diagnostic {
    let why = "a machine holds no program text; what it does is in its actions";
    problem::refused(
        span,
        "`<script>`",
        why,
        "use `<assign>` and `<if>`, or call a function of the game",
    )
}

fn call(statement: &ExprSource, functions: &Callable) -> Result<ActionKind, Box<Diagnostic>> {
    let has_parentheses = statement.value.contains('(');
    let Some(call) = parse_call(&statement.value)
        .ok()
        .filter(|_| has_parentheses)
    else {
        let note = "only calls of functions of the game can stand in it: `open(2)`";
        return Err(Box::new(refused(statement.span).note(note)));
    };
    if let Some((range, message)) = other_meaning(&statement.value) {
        let why = "a call must mean the same here as in ECMAScript";
        let span = code_span(statement, range);
        return Err(Box::new(problem::unlike(
            span,
            message,
            why,
            "write it in another way",
        )));
    }
    let (name, arguments) = call.spanned(statement);
    let Some(function) = functions.call(&name.value) else {
        let message = format!("import cannot call `{}`", shown(&name.value));
        let why = "what a function does is not in the document";
        return Err(Box::new(problem::unlike(name.span, message, why, BIND_IT)));
    };
    let is_value = |value: Option<&Spanned<Literal>>| {
        value.is_some_and(|value| !matches!(value.value, Literal::Vector(_)))
    };
    let unlike = arguments
        .iter()
        .find(|argument| argument.name.is_some() || !is_value(argument.value.literal()));
    if let Some(other) = unlike {
        let message = format!("an argument of `{}` is more than a value", name.value);
        let why = "a call never computes anything";
        return Err(Box::new(problem::unlike(
            other.value.span(),
            message,
            why,
            LITERALS,
        )));
    }
    Ok(ActionKind::Call {
        function: Name::new(function.to_owned(), name.span),
        arguments,
    })
}

/// What stands between semicolons and ends of lines, without remarks.
fn statements(source: &ExprSource, document: &str) -> Vec<ExprSource> {
    let text = source.value.as_str();
    let (mut start, mut quote, mut open, mut remark) = (0, None, 0_usize, false);
    let mut parts = Vec::new();
    for (at, c) in text.char_indices() {
        match (quote, c) {
            _ if remark && c != '\n' => {}
            (Some(mark), c) if c == mark => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '(') => open += 1,
            (None, ')') => open = open.saturating_sub(1),
            (None, '/') if text[at..].starts_with("//") => {
                parts.push(start..at);
                remark = true;
            }
            (None, '\n') if remark => (remark, start) = (false, at + 1),
            (None, ';' | '\n') if open == 0 => {
                parts.push(std::mem::replace(&mut start, at + 1)..at)
            }
            _ => {}
        }
    }
    if !remark {
        parts.push(start..text.len());
    }
    let mut spelling = Spelling::new(document, source.span);
    let statement = |range: std::ops::Range<usize>| {
        let part = text.get(range.clone())?;
        let (trimmed, before) = (part.trim(), part.len() - part.trim_start().len());
        let begin = range.start + before;
        (!trimmed.is_empty()).then(|| {
            Spanned::new(
                trimmed.to_owned(),
                spelling.span(begin..begin + trimmed.len()),
            )
        })
    };
    parts.into_iter().filter_map(statement).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Statements of a script, each as it is spelled in the document.
    fn spelled(script: &str) -> Vec<String> {
        let text = format!("<script>{script}</script>");
        let document = roxmltree::Document::parse(&text).expect("well-formed");
        let inside = document.root_element().first_child().expect("a text");
        let source = ExprSource::new(
            inside.text().unwrap_or_default().to_owned(),
            Span::bytes(inside.range()),
        );
        let spell =
            |one: &ExprSource| text[one.span.start as usize..one.span.end as usize].to_owned();
        statements(&source, &text).iter().map(spell).collect()
    }

    #[test]
    fn statements_end_at_semicolons_and_lines() {
        for (script, expected) in [
            (
                " a() ;b(1)\n c('x;y', 2);",
                vec!["a()", "b(1)", "c('x;y', 2)"],
            ),
            ("a(\n1)", vec!["a(\n1)"]),
            ("// it's\na() // b();\n//", vec!["a()"]),
            (
                "a('&lt;é&amp;'); b(&quot;//&quot;); c()",
                vec!["a('&lt;é&amp;')", "b(&quot;//&quot;)", "c()"],
            ),
            ("<![CDATA[ a('<'); b() ]]>", vec!["a('<')", "b()"]),
            (" ; ", vec![]),
        ] {
            assert_eq!(spelled(script), expected, "{script}");
        }
    }
}
