//! The text of an expression, cut into words.

/// A word of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// Digits. One more than the largest integer is fine after a minus.
    Integer(i64),
    Text(String),
    Name(String),
    /// An operator or a parenthesis.
    Sign(&'static str),
}

/// Longer signs come before their beginnings.
const SIGNS: [&str; 18] = [
    "===", "!==", "==", "!=", "<=", ">=", "&&", "||", "<", ">", "!", "+", "-", "*", "(", ")", ",",
    ";",
];

pub(super) fn words(text: &str) -> Result<Vec<Word>, String> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (word, length) = match first {
            '0'..='9' => integer(rest)?,
            '\'' | '"' => quoted(rest, first)?,
            'a'..='z' | 'A'..='Z' | '_' | '$' => name(rest),
            _ => sign(rest)?,
        };
        words.push(word);
        rest = rest[length..].trim_start();
    }
    Ok(words)
}

fn integer(rest: &str) -> Result<(Word, usize), String> {
    let length = rest
        .find(|c: char| !is_name(c) && c != '.')
        .unwrap_or(rest.len());
    let digits = &rest[..length];
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit())
        && (length == 1 || !digits.starts_with('0'));
    let number = digits
        .parse::<i64>()
        .ok()
        .filter(|&number| plain && number <= 1 << 31);
    number
        .map(|number| (Word::Integer(number), length))
        .ok_or_else(|| format!("`{digits}` is not a 32-bit integer"))
}

fn quoted(rest: &str, quote: char) -> Result<(Word, usize), String> {
    let inner = &rest[1..];
    let length = inner
        .find(quote)
        .ok_or_else(|| format!("a string has no closing {quote}"))?;
    if inner[..length].contains('\\') {
        return Err("escapes in strings are not supported".into());
    }
    Ok((Word::Text(inner[..length].to_string()), length + 2))
}

fn name(rest: &str) -> (Word, usize) {
    let length = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
    (Word::Name(rest[..length].to_string()), length)
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

fn sign(rest: &str) -> Result<(Word, usize), String> {
    let found = SIGNS.iter().find(|sign| rest.starts_with(**sign));
    let sign = found
        .ok_or_else(|| format!("`{}` is not supported", rest.chars().next().unwrap_or(' ')))?;
    Ok((Word::Sign(sign), sign.len()))
}
