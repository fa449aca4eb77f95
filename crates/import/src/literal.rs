//! Literals as expressions spell them.

use statewright_author::value::Literal;

/// The text of a number, a truth value or a text; `None` for vectors, and for texts with quotes,
/// backslashes or ends of lines.
pub(crate) fn literal_text(value: &Literal) -> Option<String> {
    match value {
        Literal::Int(number) => Some(number.to_string()),
        Literal::Float(number) => Some(serde_json::Value::from(*number).to_string()),
        Literal::Bool(truth) => Some(truth.to_string()),
        Literal::Text(text) => {
            (!text.contains(['\'', '\\', '\n', '\r'])).then(|| format!("'{text}'"))
        }
        Literal::Vector(_) => None,
    }
}
