//! Other names in a text: what a part calls things becomes what the machine around it calls them
//! (LANG-5).
//!
//! Works on tokens, so that expressions, actions and calls are all the same to it:
//!
//! ```text
//!   rage > 3 && in(idle)   →   `fight/rage` > 3 && in('/fight/idle')
//! ```

use std::ops::Range;

use statewright_text::written::{StateQuery, Written};

use super::lexer::{Lexeme, Token, lex};
use crate::names::{is_built_in, is_reserved};

/// What a name in a text may mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameUse {
    /// A key, a parameter or another value; a function without arguments looks the same.
    Value,
    /// A function that is called with arguments.
    Function,
    /// A state, by name or path.
    State,
}

/// The text with other names; `None` if it stays as it is, also because it cannot be read: whoever
/// reads it next says so.
pub fn rename(
    text: &str,
    mut new_name: impl FnMut(NameUse, &str) -> Option<String>,
) -> Option<String> {
    let tokens = lex(text).ok()?;
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let (range, found) = name_at(&tokens, at);
        let Some((kind, name)) = found else {
            at += 1;
            continue;
        };
        let bytes = tokens[range.start].range.start..tokens[range.end - 1].range.end;
        at = range.end;
        if let Some(new) = new_name(kind, &name) {
            let written = match kind {
                NameUse::State => Written::quoted(&new),
                NameUse::Value | NameUse::Function => Written::name(new),
            };
            edits.push((bytes, written.into()));
        }
    }
    if edits.is_empty() {
        return None;
    }
    let mut out = text.to_owned();
    for (range, new) in edits.into_iter().rev() {
        out.replace_range(range, &new);
    }
    Some(out)
}

/// The name that begins at a token, with the tokens that it takes.
fn name_at(tokens: &[Lexeme], at: usize) -> (Range<usize>, Option<(NameUse, String)>) {
    let sign = |at: Option<usize>, sign: &'static str| {
        at.and_then(|at| tokens.get(at))
            .is_some_and(|lexeme| lexeme.token == Token::Sign(sign))
    };
    let one = at..at + 1;
    let before = at.checked_sub(1);
    // `in(combat/idle)`: what stands in the parentheses is a state.
    let asks = before.and_then(|open| open.checked_sub(1)).is_some_and(|word| {
        matches!(&tokens[word].token, Token::Name(name) if StateQuery::parse(name).is_some())
    });
    if asks && sign(before, "(") {
        return state_at(tokens, at);
    }
    let Token::Name(name) = &tokens[at].token else {
        return (one, None);
    };
    let is_argument = sign(Some(at + 1), ":") && (sign(before, "(") || sign(before, ","));
    let called = sign(Some(at + 1), "(");
    if sign(before, ".") || is_argument || is_reserved(name) || (called && is_built_in(name)) {
        return (one, None);
    }
    let kind = if called {
        NameUse::Function
    } else {
        NameUse::Value
    };
    (one, Some((kind, name.clone())))
}

/// A quoted path, or names with `/` between.
fn state_at(tokens: &[Lexeme], at: usize) -> (Range<usize>, Option<(NameUse, String)>) {
    let mut path = match &tokens[at].token {
        Token::Text(text) => return (at..at + 1, Some((NameUse::State, text.clone()))),
        Token::Name(name) => name.clone(),
        _ => return (at..at + 1, None),
    };
    let mut end = at + 1;
    while let Some(
        [
            slash,
            Lexeme {
                token: Token::Name(name),
                ..
            },
        ],
    ) = tokens.get(end..end + 2)
        && slash.token == Token::Sign("/")
    {
        path = format!("{path}/{name}");
        end += 2;
    }
    (at..end, Some((NameUse::State, path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn renamed(text: &str) -> Option<String> {
        rename(text, |kind, name| match (kind, name) {
            (NameUse::Value, "rage") => Some("fight/rage".into()),
            (NameUse::Value, "health") => Some("hp".into()),
            (NameUse::Function, "Near") => Some("ai::Close".into()),
            (NameUse::State, path) => Some(format!("/fight/{path}")),
            _ => None,
        })
    }

    #[test]
    fn every_kind_of_name_is_found_and_nothing_else() {
        for (text, expected) in [
            ("rage > 3", "`fight/rage` > 3"),
            ("health = health - event.rage", "hp = hp - event.rage"),
            (
                "Near(rage, rage: health)",
                "ai::Close(`fight/rage`, rage: hp)",
            ),
            (
                "in(idle) && in(a/b)",
                "in('/fight/idle') && in('/fight/a/b')",
            ),
            (
                "time_in_state('x y') > 1",
                "time_in_state('/fight/x y') > 1",
            ),
            ("`rage` + 1", "`fight/rage` + 1"),
            ("min(health, 3)", "min(hp, 3)"),
        ] {
            assert_eq!(renamed(text).as_deref(), Some(expected), "{text}");
        }
        for text in [
            "time_in_state() > 3",
            "'rage' == mood",
            "event.health",
            "rage >",
            "§",
        ] {
            let unread = lex(text).is_err();
            assert!(
                unread || renamed(text).is_none() || text == "rage >",
                "{text}"
            );
        }
    }
}
