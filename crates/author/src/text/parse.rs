//! Owns the step from text to a JSON tree with spans, and what is asked of that tree later.
//!
//! JSON with comments and trailing commas; every other extension of the parser is off (SW0001).

use std::borrow::Cow;

use jsonc_parser::ast::{Object, StringLit, Value};
use jsonc_parser::common::{Range, Ranged};
use jsonc_parser::errors::{ParseError, ParseErrorKind};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::shape::Json;
use crate::codes::DiagnosticCode;
use crate::diagnostic::{Diagnostic, Fix};
use crate::span::Span;

/// What the text form allows beyond JSON. The formatter must use the same.
pub fn options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// The tree of a text that [`scan`](super::scan::scan) has let through.
pub(crate) fn parse(text: &str) -> Result<Value<'_>, Box<Diagnostic>> {
    match parse_to_ast(text, &CollectOptions::default(), &options()) {
        Ok(result) => result.value.ok_or_else(|| Box::new(empty(text))),
        Err(error) => Err(Box::new(syntax(&error, text))),
    }
}

fn empty(text: &str) -> Diagnostic {
    Diagnostic::new(DiagnosticCode::Syntax, Span::bytes(text.len()..text.len()), "the file is empty")
        .help("the least machine is `{ \"machine\": \"Name\", \"initial\": \"a\", \"states\": { \"a\": {} } }`")
}

fn syntax(error: &ParseError, text: &str) -> Diagnostic {
    let range = error.range();
    let (message, help) = explain(error.kind(), text, range);
    let open = matches!(
        error.kind(),
        ParseErrorKind::UnterminatedObject | ParseErrorKind::UnterminatedArray
    );
    let span = if open {
        Span::bytes(range.start..range.start + 1)
    } else {
        span(range)
    };
    let mut problem = Diagnostic::new(DiagnosticCode::Syntax, span, message);
    if open {
        problem = problem
            .label("opened here")
            .related(Span::bytes(text.len()..text.len()), "the file ends here");
    }
    let problem = match help {
        Some(help) => problem.help(help),
        None => problem,
    };
    match mended(error.kind(), text, range) {
        Some(fix) => problem.fix(fix),
        None => problem,
    }
}

/// The change that mends a text whose mistake is plain.
fn mended(kind: &ParseErrorKind, text: &str, range: Range) -> Option<Fix> {
    use ParseErrorKind as Kind;
    let at = |place: usize| Span::bytes(place..place);
    let before = text.get(..range.start)?.trim_end().len();
    Some(match kind {
        Kind::ExpectedComma => Fix::replace("Add `,`", at(before), ","),
        Kind::ExpectedColonAfterObjectKey => Fix::replace("Add `:`", at(before), ":"),
        Kind::UnterminatedObject => {
            Fix::replace("Add `}` at the end", at(text.trim_end().len()), "}")
        }
        Kind::UnterminatedArray => {
            Fix::replace("Add `]` at the end", at(text.trim_end().len()), "]")
        }
        Kind::UnexpectedComma => Fix::replace("Remove `,`", span(range), ""),
        _ => return None,
    })
}

/// The parser's finding in our words, and what to write instead.
fn explain(
    kind: &ParseErrorKind,
    text: &str,
    range: Range,
) -> (Cow<'static, str>, Option<&'static str>) {
    use ParseErrorKind as Kind;
    let (message, help) = match kind {
        Kind::ExpectedComma => ("a comma is missing", "put `,` after the value"),
        Kind::ExpectedColonAfterObjectKey => {
            ("a colon is missing after the key", "write `\"key\": value`")
        }
        Kind::ExpectedObjectValue => (
            "a value is missing after the colon",
            "write `\"key\": value`",
        ),
        Kind::ExpectedStringObjectProperty => (
            "a key must stand in double quotes",
            "write `\"key\": value`",
        ),
        Kind::SingleQuotedStringsNotAllowed => ("text stands in double quotes", "write `\"text\"`"),
        Kind::HexadecimalNumbersNotAllowed => {
            ("numbers are decimal", "stable ids are text: `\"0x9f\"`")
        }
        Kind::UnaryPlusNumbersNotAllowed => ("a number has no plus sign", "leave `+` out"),
        Kind::BareDecimalPointNumbersNotAllowed => (
            "a number needs a digit on both sides of its point",
            "write `0.5` or `5.0`",
        ),
        Kind::MultipleRootJsonValues => (
            "something follows the end of the machine",
            "a file holds one machine",
        ),
        Kind::UnterminatedObject => ("`{` is never closed", "add `}`"),
        Kind::UnterminatedArray => ("`[` is never closed", "add `]`"),
        Kind::UnterminatedCommentBlock => ("`/*` is never closed", "add `*/`"),
        Kind::UnexpectedCloseBrace => ("`}` closes nothing here", "check the brackets before it"),
        Kind::UnexpectedCloseBracket => ("`]` closes nothing here", "check the brackets before it"),
        Kind::UnexpectedComma => ("a value is missing before the comma", "remove one `,`"),
        Kind::ExpectedDigit | Kind::ExpectedDigitFollowingNegativeSign => (
            "a digit is missing in this number",
            "numbers look like `-3`, `0.5` or `2e3`",
        ),
        Kind::ExpectedPlusMinusOrDigitInNumberLiteral => {
            ("the exponent of this number is missing", "write `2e3`")
        }
        Kind::NonFiniteNumbersNotAllowed => {
            ("a number must be finite", "write a large number instead")
        }
        Kind::UnexpectedColon => (
            "a `:` has no place here",
            "write `\"key\": value`, and lists without keys",
        ),
        Kind::NestingDepthExceeded => (
            "brackets are nested too deeply",
            "close what was opened by mistake",
        ),
        Kind::String(_) => {
            return (
                "the text has an escape that is not legal".into(),
                Some(
                    "escapes are `\\\"`, `\\\\`, `\\/`, `\\b`, `\\f`, `\\n`, `\\r`, `\\t` and `\\u` with four hexadecimal digits",
                ),
            );
        }
        Kind::UnexpectedWord | Kind::UnexpectedToken | Kind::UnexpectedTokenInObject => {
            return (unexpected(text, range), None);
        }
        other => return (format!("{other}").into(), None),
    };
    (message.into(), Some(help))
}

fn unexpected(text: &str, range: Range) -> Cow<'static, str> {
    const LONGEST: usize = 20;
    let found = text.get(range.start..range.end).unwrap_or_default();
    match found.chars().next() {
        None => "something is missing at the end".into(),
        Some(c) if c.is_control() => {
            format!("the character U+{:04X} has no place here", u32::from(c)).into()
        }
        Some(_) => format!(
            "`{}` has no place here",
            found.chars().take(LONGEST).collect::<String>()
        )
        .into(),
    }
}

/// The span of a range.
pub fn span(range: Range) -> Span {
    Span::bytes(range.start..range.end)
}

/// The kind of a value.
pub fn json(value: &Value) -> Json {
    match value {
        Value::StringLit(_) => Json::Text,
        Value::NumberLit(_) => Json::Number,
        Value::BooleanLit(_) => Json::Bool,
        Value::Object(_) => Json::Object,
        Value::Array(_) => Json::List,
        Value::NullKeyword(_) => Json::Null,
    }
}

/// Span of a string: of its content if that is written as it is, else of the whole literal.
pub fn string_span(text: &str, literal: &StringLit) -> Span {
    let range = literal.range();
    let inside = range.start + 1..range.end.saturating_sub(1);
    match text.get(inside.clone()) {
        Some(raw) if raw == literal.value => Span::bytes(inside),
        _ => span(range),
    }
}

/// Whether an object has a key.
pub(crate) fn has_key(object: &Object, key: &str) -> bool {
    object
        .properties
        .iter()
        .any(|property| property.name.as_str() == key)
}

/// A number as JSON data; `None` if not even a float can hold it.
pub(crate) fn number(raw: &str) -> Option<serde_json::Number> {
    if let Ok(int) = raw.parse::<i64>() {
        return Some(int.into());
    }
    if let Ok(int) = raw.parse::<u64>() {
        return Some(int.into());
    }
    raw.parse::<f64>()
        .ok()
        .and_then(serde_json::Number::from_f64)
}

/// A number that is whole, as written or by value.
pub(crate) fn whole(raw: &str) -> Option<i64> {
    if let Ok(int) = raw.parse::<i64>() {
        return Some(int);
    }
    let float: f64 = raw.parse().ok()?;
    let exact = float.fract() == 0.0 && float.abs() <= 9e15;
    exact.then_some(float as i64)
}

/// Whether a number is written as a whole number.
pub(crate) fn is_written_whole(raw: &str) -> bool {
    !raw.contains(['.', 'e', 'E'])
}

/// The same tree without spans; of keys given twice the first counts, numbers that do not fit
/// become null.
pub fn to_json(value: &Value) -> serde_json::Value {
    use serde_json::Value as Out;
    match value {
        Value::StringLit(text) => Out::String(text.value.clone().into_owned()),
        Value::NumberLit(raw) => number(raw.value).map_or(Out::Null, Out::Number),
        Value::BooleanLit(truth) => Out::Bool(truth.value),
        Value::NullKeyword(_) => Out::Null,
        Value::Array(list) => Out::Array(list.elements.iter().map(to_json).collect()),
        Value::Object(object) => {
            let mut map = serde_json::Map::new();
            for property in &object.properties {
                let key = property.name.as_str();
                if !map.contains_key(key) {
                    map.insert(key.to_owned(), to_json(&property.value));
                }
            }
            Out::Object(map)
        }
    }
}
