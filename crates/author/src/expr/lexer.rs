//! Source text to tokens.
//!
//! Owns which characters are a token and what is said about those that are not. Most slips of
//! people used to other languages (`and`, `=`, `&`, `?:`) are told apart here or in the parser and
//! get a hint.

use std::ops::Range;

use statewright_text::written::{is_name_part, is_name_start};

use super::SyntaxError;
use crate::limits::MAX_EXPRESSION_BYTES;

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Int(u64),
    Float(f64),
    Text(String),
    /// An identifier, several joined by `::`, or any name in back quotes.
    Name(String),
    /// An operator or a bracket, as it is written.
    Sign(&'static str),
    End,
}

/// A token and its bytes.
#[derive(Clone, Debug)]
pub(super) struct Lexeme {
    pub(super) token: Token,
    pub(super) range: Range<usize>,
}

/// Signs, longer ones first.
const SIGNS: [&str; 22] = [
    "&&", "||", "==", "!=", "<=", ">=", "+=", "-=", "(", ")", ",", ".", ":", "+", "-", "*", "/",
    "%", "!", "<", ">", "=",
];

/// What people write by habit, and what to write here.
const SLIPS: [(&str, &str); 18] = [
    ("===", "write `==`"),
    ("!==", "write `!=`"),
    ("=>", "write `>=`"),
    ("=<", "write `<=`"),
    ("<>", "write `!=`"),
    ("**", "there is no power operator; multiply"),
    ("++", "write `key += 1` as an action"),
    ("*=", "write `key = key * value`"),
    ("/=", "write `key = key / value`"),
    ("%=", "write `key = key % value`"),
    ("&", "write `&&` for `and`; there are no bit operations"),
    ("|", "write `||` for `or`; there are no bit operations"),
    ("?", "write `select(condition, a, b)`"),
    ("≤", "write `<=`"),
    ("≥", "write `>=`"),
    ("≠", "write `!=`"),
    ("“", "write plain quotes: `'text'`"),
    ("’", "write plain quotes: `'text'`"),
];

/// The sign that a help such as ``write `==` `` names and that can take the place of a slip.
fn operator(help: &str) -> Option<&str> {
    let rest = help.strip_prefix("write `")?;
    let (sign, _) = rest.split_once('`')?;
    SIGNS.contains(&sign).then_some(sign)
}

/// All tokens of a text, the end included.
pub(super) fn lex(text: &str) -> Result<Vec<Lexeme>, SyntaxError> {
    if text.len() > MAX_EXPRESSION_BYTES {
        let message = format!(
            "an expression has at most {MAX_EXPRESSION_BYTES} bytes, this one has {}",
            text.len()
        );
        return Err(SyntaxError::too_large(0..text.len(), message));
    }
    let mut lexer = Lexer { text, at: 0 };
    let mut lexemes = Vec::new();
    // Bound: every turn moves on by at least one byte.
    loop {
        lexer.skip_while(char::is_whitespace);
        let start = lexer.at;
        let token = lexer.token()?;
        let end = token == Token::End;
        lexemes.push(Lexeme {
            token,
            range: start..lexer.at,
        });
        if end {
            return Ok(lexemes);
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn skip_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.find(|c| !wanted(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn token(&mut self) -> Result<Token, SyntaxError> {
        match self.peek() {
            None => Ok(Token::End),
            Some(c) if c.is_ascii_digit() => self.number(),
            Some(c) if is_name_start(c) => Ok(Token::Name(self.name())),
            Some(quote @ ('"' | '\'')) => self.quoted(quote),
            Some('`') => self.quoted_name(),
            Some(c) => self.sign(c),
        }
    }

    fn sign(&mut self, first: char) -> Result<Token, SyntaxError> {
        let rest = self.rest();
        let sign = SIGNS.into_iter().find(|sign| rest.starts_with(sign));
        let slip = SLIPS.into_iter().find(|(slip, _)| rest.starts_with(slip));
        let start = self.at;
        match (sign, slip) {
            // A slip that is longer than the sign it starts with, such as `===`.
            (sign, Some((slip, help))) if sign.is_none_or(|sign| slip.len() > sign.len()) => {
                let error = SyntaxError::new(
                    start..start + slip.len(),
                    format!("`{slip}` is not an operator"),
                );
                Err(SyntaxError {
                    instead: operator(help).map(str::to_owned),
                    ..error.help(help)
                })
            }
            (Some(sign), _) => {
                self.at += sign.len();
                Ok(Token::Sign(sign))
            }
            (None, _) => {
                let shown = first.escape_debug();
                let range = start..start + first.len_utf8();
                Err(SyntaxError::new(
                    range,
                    format!("`{shown}` has no meaning in an expression"),
                ))
            }
        }
    }

    fn name(&mut self) -> String {
        let start = self.at;
        self.skip_while(is_name_part);
        while let Some(next) = self.rest().strip_prefix("::")
            && next.starts_with(is_name_start)
        {
            self.at += 2;
            self.skip_while(is_name_part);
        }
        self.text[start..self.at].to_owned()
    }

    /// A name that is no identifier, such as the parameter `fight/rage` of a part.
    fn quoted_name(&mut self) -> Result<Token, SyntaxError> {
        let start = self.at;
        let inner = &self.rest()[1..];
        match inner.find('`') {
            Some(length) if length > 0 => {
                self.at += length + 2;
                Ok(Token::Name(inner[..length].to_owned()))
            }
            Some(_) => Err(SyntaxError::new(
                start..start + 2,
                "a name is missing between the back quotes",
            )),
            None => Err(SyntaxError::new(
                start..self.text.len(),
                "the closing back quote of this name is missing",
            )),
        }
    }

    fn quoted(&mut self, quote: char) -> Result<Token, SyntaxError> {
        let start = self.at;
        self.at += 1;
        let mut content = String::new();
        let mut chars = self.rest().chars();
        while let Some(c) = chars.next() {
            self.at += c.len_utf8();
            match c {
                _ if c == quote => return Ok(Token::Text(content)),
                '\\' => match chars.next() {
                    Some(escaped @ ('\\' | '\'' | '"')) => {
                        self.at += 1;
                        content.push(escaped);
                    }
                    _ => {
                        let range = self.at - 1..self.at;
                        let error = SyntaxError::new(
                            range,
                            "`\\` stands only before a quote or another `\\`",
                        );
                        return Err(error.help("write `\\\\` for a backslash"));
                    }
                },
                _ if c.is_control() => {
                    let range = self.at - c.len_utf8()..self.at;
                    return Err(SyntaxError::new(
                        range,
                        "a text must not contain control characters",
                    ));
                }
                _ => content.push(c),
            }
        }
        Err(SyntaxError::new(
            start..self.text.len(),
            format!("the closing `{quote}` of this text is missing"),
        ))
    }

    fn number(&mut self) -> Result<Token, SyntaxError> {
        let start = self.at;
        let hex = self.rest().starts_with("0x");
        let token = if hex {
            self.hexadecimal(start)
        } else {
            self.decimal(start)
        }?;
        if self.peek().is_some_and(is_name_part) {
            self.skip_while(is_name_part);
            let range = start..self.at;
            let message = format!("`{}` is not a number", &self.text[range.clone()]);
            return Err(SyntaxError::new(range, message)
                .help("numbers have no unit or suffix here: write `5` or `5.0`"));
        }
        Ok(token)
    }

    fn hexadecimal(&mut self, start: usize) -> Result<Token, SyntaxError> {
        self.at += 2;
        let digits = self
            .skip_while(|c| c.is_ascii_hexdigit() || c == '_')
            .replace('_', "");
        if digits.is_empty() {
            return Err(
                SyntaxError::new(start..self.at, "digits are missing after `0x`")
                    .help("such as `0xFF`"),
            );
        }
        self.whole(u64::from_str_radix(&digits, 16).ok(), start)
    }

    fn decimal(&mut self, start: usize) -> Result<Token, SyntaxError> {
        let digit = |c: char| c.is_ascii_digit() || c == '_';
        self.skip_while(digit);
        let mut float = false;
        if self.follows('.', "") {
            float = true;
            self.at += 1;
            self.skip_while(digit);
        }
        if self.follows('e', "+-") || self.follows('E', "+-") {
            float = true;
            self.at += 2;
            self.skip_while(digit);
        }
        let digits = self.text[start..self.at].replace('_', "");
        if !float {
            return self.whole(digits.parse().ok(), start);
        }
        match digits.parse::<f64>() {
            Ok(value) if (value as f32).is_finite() => Ok(Token::Float(value)),
            _ => Err(
                SyntaxError::new(start..self.at, "this number is too large for f32")
                    .help("at most about 3.4e38"),
            ),
        }
    }

    /// Whether a mark comes next and then a digit, maybe after a sign.
    fn follows(&self, mark: char, signs: &str) -> bool {
        let Some(rest) = self.rest().strip_prefix(mark) else {
            return false;
        };
        let rest = rest.strip_prefix(|c| signs.contains(c)).unwrap_or(rest);
        rest.starts_with(|c: char| c.is_ascii_digit())
    }

    fn whole(&self, value: Option<u64>, start: usize) -> Result<Token, SyntaxError> {
        value
            .filter(|&value| i64::try_from(value).is_ok())
            .map(Token::Int)
            .ok_or_else(|| {
                SyntaxError::new(start..self.at, "this number is too large")
                    .help("i32 ends at 2147483647")
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<Token> {
        lex(text)
            .unwrap()
            .into_iter()
            .map(|lexeme| lexeme.token)
            .collect()
    }

    #[test]
    fn numbers_have_their_usual_forms() {
        use Token::{End, Float, Int, Name, Sign};
        assert_eq!(
            tokens("0 1_000 0xFF_ff"),
            [Int(0), Int(1000), Int(0xFFFF), End]
        );
        assert_eq!(
            tokens("1.5 2e3 2.5E-1"),
            [Float(1.5), Float(2000.0), Float(0.25), End]
        );
        assert_eq!(tokens("5.x"), [Int(5), Sign("."), Name("x".into()), End]);
        for bad in [
            "5s",
            "0x",
            "0xG",
            "1e99",
            "9223372036854775808",
            "1.5.5e",
            "2e",
            "1_000ms",
        ] {
            assert!(lex(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn texts_have_two_quotes_and_few_escapes() {
        assert_eq!(
            tokens(r#"'a' "b" 'it\'s \\'"#)[..3],
            ["a", "b", r"it's \"].map(|text| Token::Text(text.into()))
        );
        for bad in ["'a", "'\\n'", "'\\", "\"", "'\n'"] {
            assert!(lex(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn names_may_be_joined() {
        assert_eq!(
            tokens("ai::Fire power: 3")[..3],
            [
                Token::Name("ai::Fire".into()),
                Token::Name("power".into()),
                Token::Sign(":")
            ]
        );
    }

    #[test]
    fn slips_get_a_hint() {
        for (text, hint) in [
            ("a === b", "`==`"),
            ("a & b", "`&&`"),
            ("a | b", "`||`"),
            ("a ? b : c", "select"),
            ("a => b", "`>=`"),
        ] {
            let error = lex(text).unwrap_err();
            assert!(error.help.is_some_and(|help| help.contains(hint)), "{text}");
        }
        assert!(lex("a && b || c == d != e <= f >= g").is_ok());
    }
}
