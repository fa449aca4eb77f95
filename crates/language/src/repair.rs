//! Makes JSON of a text that is being typed.
//!
//! Half of what a person types is not JSON: a comma is missing, a quote is open, a field has no value
//! yet. Everything that stands there stays at its place; what has none is blanked out, and what is
//! missing is put in:
//!
//! ```text
//! { "on": "Hit" "to":  }      as typed
//! { "on": "Hit", "to":null  } as read: `,` and `null` were put in
//! ```
//!
//! One pass over the tokens with a stack of open brackets; any text comes to an end, and a text that
//! is JSON stays as it is.

use std::ops::Range;

/// A text that is JSON, and how its bytes relate to those of the text as it was typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Repaired {
    /// The new text.
    pub(crate) text: String,
    /// Bytes that the file has before the text: a byte order mark.
    before: usize,
    /// Where bytes were put in, in the old text, and how many until there, these included.
    insertions: Vec<(usize, usize)>,
}

impl Repaired {
    /// A text that is right as it is.
    pub(crate) fn intact(text: &str, before: usize) -> Self {
        Self {
            text: text.to_owned(),
            before,
            insertions: Vec::new(),
        }
    }

    /// The place in the old text of one in the new.
    pub(crate) fn old(&self, new: usize) -> usize {
        let known = self
            .insertions
            .partition_point(|&(at, count)| at + count <= new);
        let (last, next) = (known.checked_sub(1), self.insertions.get(known));
        let shifted = last.map_or(0, |last| self.insertions[last].1);
        let old = new.saturating_sub(shifted);
        // Inside what was put in: the place where it was.
        self.before + next.map_or(old, |&(at, _)| old.min(at))
    }

    /// The range in the old text of one in the new.
    pub(crate) fn old_range(&self, new: Range<usize>) -> Range<usize> {
        let start = self.old(new.start);
        start..self.old(new.end).max(start)
    }

    /// The place in the new text of one in the old.
    pub(crate) fn new_place(&self, old: usize) -> usize {
        let old = old.saturating_sub(self.before);
        let known = self.insertions.partition_point(|&(at, _)| at < old);
        let shifted = known
            .checked_sub(1)
            .map_or(0, |last| self.insertions[last].1);
        (old + shifted).min(self.text.len())
    }
}

/// What stands at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    Open(u8),
    Close(u8),
    Colon,
    Comma,
    /// A string with both quotes.
    Text,
    /// A string without its second one.
    OpenText,
    /// A number, `true`, `false` or `null`.
    Scalar,
    /// A word without quotes.
    Word,
    /// Nothing that JSON knows.
    Junk,
}

/// What may come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expect {
    /// A value of the whole text, of a list or after a colon.
    Value,
    Key,
    Colon,
    Comma,
    /// Nothing: the text is complete.
    Nothing,
}

/// Makes JSON of a text; `before` bytes of the file stand before it.
pub(crate) fn repair(text: &str, before: usize) -> Repaired {
    let tokens = tokens(text);
    let mut repair = Repair {
        text,
        out: String::with_capacity(text.len() + 16),
        insertions: Vec::new(),
        inserted: 0,
        copied: 0,
        end: 0,
        open: Vec::new(),
        expect: Expect::Value,
    };
    for (at, (token, range)) in tokens.iter().enumerate() {
        let next = tokens.get(at + 1).map(|(token, _)| *token);
        repair.take(*token, range.clone(), next);
    }
    repair.finish(before)
}

struct Repair<'t> {
    text: &'t str,
    out: String,
    insertions: Vec<(usize, usize)>,
    inserted: usize,
    /// So many bytes of the old text have been dealt with.
    copied: usize,
    /// Where the last token that counts ended.
    end: usize,
    open: Vec<u8>,
    expect: Expect,
}

impl Repair<'_> {
    fn take(&mut self, token: Token, range: Range<usize>, next: Option<Token>) {
        match token {
            Token::Open(bracket) => self.open(bracket, range),
            Token::Close(bracket) => self.close(bracket, range),
            Token::Colon if self.expect == Expect::Colon => self.keep(range, Expect::Value),
            Token::Comma => self.comma(range),
            Token::Colon | Token::Junk => self.blank(range),
            Token::Text | Token::OpenText | Token::Word => self.word(token, range, next),
            Token::Scalar => self.scalar(range),
        }
    }

    fn open(&mut self, bracket: u8, range: Range<usize>) {
        self.make_room_for_value();
        match self.expect {
            Expect::Nothing => return self.blank(range),
            Expect::Key => self.insert(range.start, "\"\":"),
            Expect::Value | Expect::Colon | Expect::Comma => {}
        }
        self.open.push(bracket);
        let inside = if bracket == b'{' {
            Expect::Key
        } else {
            Expect::Value
        };
        self.keep(range, inside);
    }

    fn close(&mut self, bracket: u8, range: Range<usize>) {
        let opener = if bracket == b'}' { b'{' } else { b'[' };
        let Some(depth) = self.open.iter().rposition(|&open| open == opener) else {
            return self.blank(range);
        };
        while self.open.len() > depth + 1 {
            self.close_one();
        }
        self.complete_member();
        self.open.pop();
        self.keep(range, Expect::Comma);
        self.settle();
    }

    /// Closes the innermost bracket that nobody closed.
    fn close_one(&mut self) {
        self.complete_member();
        let bracket = if self.open.pop() == Some(b'{') {
            "}"
        } else {
            "]"
        };
        self.insert(self.end, bracket);
        self.expect = Expect::Comma;
    }

    /// A key without a value gets one.
    fn complete_member(&mut self) {
        match self.expect {
            Expect::Colon => self.insert(self.end, ":null"),
            Expect::Value if self.is_object() => self.insert(self.end, "null"),
            Expect::Value | Expect::Key | Expect::Comma | Expect::Nothing => {}
        }
    }

    fn comma(&mut self, range: Range<usize>) {
        self.complete_member();
        let in_list = self.expect == Expect::Value && !self.is_object();
        if self.open.is_empty() || in_list || self.expect == Expect::Key {
            return self.blank(range);
        }
        self.keep(range, Expect::Comma);
        self.next_item();
    }

    /// A string, or a word that should be one.
    fn word(&mut self, token: Token, range: Range<usize>, next: Option<Token>) {
        // `"to" "if": …` and `"to": "if": …`: the second is a key, the first has no value.
        if self.is_object() && next == Some(Token::Colon) {
            let missing = match self.expect {
                Expect::Colon => ":null,",
                Expect::Value => "null,",
                Expect::Key | Expect::Comma | Expect::Nothing => "",
            };
            if !missing.is_empty() {
                self.insert(self.end, missing);
                self.expect = Expect::Key;
            }
        }
        self.make_room_for_value();
        if self.expect == Expect::Nothing {
            return self.blank(range);
        }
        let after = if self.expect == Expect::Key {
            Expect::Colon
        } else {
            Expect::Comma
        };
        if token == Token::Word {
            self.insert(range.start, "\"");
        }
        let end = range.end;
        self.copy_to(range.start);
        self.out.push_str(&legal(&self.text[range.clone()]));
        self.copied = end;
        self.keep(range, after);
        if token != Token::Text {
            self.insert(end, "\"");
        }
        self.settle();
    }

    fn scalar(&mut self, range: Range<usize>) {
        self.make_room_for_value();
        match self.expect {
            Expect::Value => self.keep(range, Expect::Comma),
            Expect::Key => {
                self.insert(range.start, "\"\":");
                self.keep(range, Expect::Comma);
            }
            Expect::Colon | Expect::Comma | Expect::Nothing => self.blank(range),
        }
        self.settle();
    }

    /// Puts in the comma or colon that should have stood before something.
    fn make_room_for_value(&mut self) {
        match self.expect {
            Expect::Comma => {
                self.insert(self.end, ",");
                self.next_item();
            }
            Expect::Colon => {
                self.insert(self.end, ":");
                self.expect = Expect::Value;
            }
            Expect::Value | Expect::Key | Expect::Nothing => {}
        }
    }

    fn next_item(&mut self) {
        self.expect = if self.is_object() {
            Expect::Key
        } else {
            Expect::Value
        };
    }

    /// After the outermost value nothing may come.
    fn settle(&mut self) {
        if self.open.is_empty() && self.expect == Expect::Comma {
            self.expect = Expect::Nothing;
        }
    }

    fn is_object(&self) -> bool {
        self.open.last() == Some(&b'{')
    }

    fn keep(&mut self, range: Range<usize>, expect: Expect) {
        self.copy_to(range.end);
        self.end = range.end;
        self.expect = expect;
    }

    /// Spaces instead of what has no place here.
    fn blank(&mut self, range: Range<usize>) {
        self.copy_to(range.start);
        self.out.extend(std::iter::repeat_n(' ', range.len()));
        self.copied = range.end;
    }

    fn copy_to(&mut self, end: usize) {
        self.out.push_str(&self.text[self.copied..end]);
        self.copied = end;
    }

    /// Puts text in, before or at what is copied next. Between the last token and here are only
    /// spaces and comments, which move behind it.
    fn insert(&mut self, at: usize, text: &str) {
        if at >= self.copied {
            self.copy_to(at);
            self.out.push_str(text);
            self.note(at, text.len());
            return;
        }
        // What was blanked out since has been written; it stays behind.
        let place = self.out.len() - (self.copied - at);
        self.out.insert_str(place, text);
        self.note(at, text.len());
    }

    fn note(&mut self, at: usize, bytes: usize) {
        self.inserted += bytes;
        match self.insertions.last_mut() {
            Some((last, count)) if *last == at => *count = self.inserted,
            _ => self.insertions.push((at, self.inserted)),
        }
    }

    fn finish(mut self, before: usize) -> Repaired {
        while !self.open.is_empty() {
            self.close_one();
        }
        if self.expect == Expect::Value {
            self.insert(self.end, "{}");
        }
        self.copy_to(self.text.len());
        // A comment that is never closed would take the end with it.
        if let Some(open) = unclosed_comment(self.text) {
            let shift = self.out.len() - self.text.len();
            self.out.replace_range(open + shift.., "");
            let blanks = self.text.len() - open;
            self.out.extend(std::iter::repeat_n(' ', blanks));
        }
        Repaired {
            text: self.out,
            before,
            insertions: self.insertions,
        }
    }
}

/// What a place of a text lies in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum At {
    /// A string, quotes included.
    Text(Range<usize>),
    /// A word without quotes, or right behind it.
    Word(Range<usize>),
    Comment,
    /// Between tokens.
    Space,
}

/// What a place of a text lies in.
pub(crate) fn at(text: &str, place: usize) -> At {
    let mut scanner = Scanner { text, at: 0 };
    // Bound: every turn moves on by at least one byte.
    loop {
        scanner.blanks();
        let start = scanner.at;
        if start >= place || start >= text.len() {
            return At::Space;
        }
        if let Some(comment) = scanner.comment() {
            let ends_with_line = text[start..].starts_with("//");
            let is_last = place == scanner.at && (ends_with_line || !comment.is_closed);
            if place < scanner.at || is_last {
                return At::Comment;
            }
            continue;
        }
        let token = scanner.token();
        let range = start..scanner.at;
        match token {
            Token::Text if place < range.end => return At::Text(range),
            Token::OpenText if place <= range.end => return At::Text(range),
            Token::Word | Token::Scalar if place <= range.end => return At::Word(range),
            _ => {}
        }
    }
}

/// Where a block comment begins that does not end.
fn unclosed_comment(text: &str) -> Option<usize> {
    let mut scanner = Scanner { text, at: 0 };
    while scanner.at < text.len() {
        match scanner.space() {
            Some(open) => return Some(open),
            None if scanner.at < text.len() => _ = scanner.token(),
            None => {}
        }
    }
    None
}

fn tokens(text: &str) -> Vec<(Token, Range<usize>)> {
    let mut scanner = Scanner { text, at: 0 };
    let mut tokens = Vec::new();
    // Bound: every turn moves on by at least one byte.
    while scanner.at < text.len() {
        if scanner.space().is_some() || scanner.at >= text.len() {
            break;
        }
        let start = scanner.at;
        let token = scanner.token();
        tokens.push((token, start..scanner.at));
    }
    tokens
}

/// A comment that was moved over.
struct Comment {
    /// It has an end, or ends with its line.
    is_closed: bool,
}

struct Scanner<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Scanner<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// Moves over spaces and comments; where a comment begins that does not end.
    fn space(&mut self) -> Option<usize> {
        loop {
            self.blanks();
            let start = self.at;
            match self.comment() {
                Some(comment) if comment.is_closed => {}
                Some(_) => return Some(start),
                None => return None,
            }
        }
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
    }

    /// Moves over a comment.
    fn comment(&mut self) -> Option<Comment> {
        let rest = self.rest();
        let (length, is_closed) = if rest.starts_with("//") {
            (rest.find(['\n', '\r']).unwrap_or(rest.len()), true)
        } else if let Some(inside) = rest.strip_prefix("/*") {
            match inside.find("*/") {
                Some(end) => (end + 4, true),
                None => (rest.len(), false),
            }
        } else {
            return None;
        };
        self.at += length;
        Some(Comment { is_closed })
    }

    fn token(&mut self) -> Token {
        let first = self.rest().as_bytes()[0];
        if first == b'"' {
            return self.string();
        }
        if let Some(token) = sign(first) {
            self.at += 1;
            return token;
        }
        let is_part = |c: char| c.is_alphanumeric() || "_-+.$".contains(c);
        let rest = self.rest();
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        if length == 0 {
            self.at += rest.chars().next().map_or(1, char::len_utf8);
            return Token::Junk;
        }
        self.at += length;
        match &rest[..length] {
            "true" | "false" | "null" => Token::Scalar,
            number if is_number(number) => Token::Scalar,
            _ => Token::Word,
        }
    }

    /// A string ends on its line. One that does not is taken to its last letter before something that
    /// looks like the rest of the line: `"to": "pat },`.
    fn string(&mut self) -> Token {
        let rest = self.rest();
        let mut escaped = false;
        for (at, byte) in rest.bytes().enumerate().skip(1) {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => {
                    self.at += at + 1;
                    return Token::Text;
                }
                b'\n' | b'\r' => return self.open_string(at),
                _ => {}
            }
        }
        self.open_string(rest.len())
    }

    fn open_string(&mut self, length: usize) -> Token {
        let line = &self.rest()[..length];
        let end = line[1..]
            .find([',', '{', '}', '[', ']', '\\'])
            .map_or(length, |at| at + 1);
        self.at += line[..end].trim_end().len().max(1);
        Token::OpenText
    }
}

/// A string with spaces for what JSON does not allow in one; it stays as long as it is.
fn legal(string: &str) -> String {
    let mut out = String::with_capacity(string.len());
    let mut rest = string;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '\\' => escape(rest).unwrap_or_else(|bad| {
                out.extend(std::iter::repeat_n(' ', bad));
                rest = &rest[bad..];
                0
            }),
            first if first < ' ' => {
                out.push(' ');
                rest = &rest[1..];
                0
            }
            first => first.len_utf8(),
        };
        out.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    out
}

/// The length of an escape that is legal, or of one that is not. Halves of pairs count as illegal.
fn escape(text: &str) -> Result<usize, usize> {
    let Some(second) = text[1..].chars().next() else {
        return Err(1);
    };
    let digits = text
        .get(2..6)
        .filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
    match (second, digits) {
        ('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't', _) => Ok(2),
        ('u', Some(digits)) if !digits.starts_with(['d', 'D']) => Ok(6),
        _ => Err(1 + second.len_utf8()),
    }
}

fn sign(byte: u8) -> Option<Token> {
    Some(match byte {
        b'{' | b'[' => Token::Open(byte),
        b'}' | b']' => Token::Close(byte),
        b':' => Token::Colon,
        b',' => Token::Comma,
        _ => return None,
    })
}

/// A number as JSON writes it.
fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let starts = digits.starts_with(|c: char| c.is_ascii_digit());
    let leading_zero =
        digits.len() > 1 && digits.starts_with('0') && digits.as_bytes()[1].is_ascii_digit();
    starts
        && !leading_zero
        && !text.ends_with('.')
        && !text.contains(".e")
        && text.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(typed: &str, read: &str) {
        assert_eq!(repair(typed, 0).text, read);
    }

    #[test]
    fn what_is_missing_is_put_in() {
        check(
            r#"{"a": 1, // x
"b": [2,]}"#,
            r#"{"a": 1, // x
"b": [2,]}"#,
        );
        check(
            r#"{ "on": "Hit" "to":  }"#,
            r#"{ "on": "Hit", "to":null  }"#,
        );
        check(r#"{ "a" "b": 1 }"#, r#"{ "a":null, "b": 1 }"#);
        check(r#"{ "a": "b": 1 }"#, r#"{ "a":null, "b": 1 }"#);
        check(r#"{ "a": [1 2"#, r#"{ "a": [1, 2]}"#);
        check(r#"{ tra }"#, r#"{ "tra":null }"#);
        check(r#"{ "to": pat }"#, r#"{ "to": "pat" }"#);
        check(
            "{ \"to\": \"pat },\n \"b\": 1 }",
            "{ \"to\": \"pat\" } \n         ",
        );
        check("", "{}");
        check("{ \"a\": 1 } /* b", "{ \"a\": 1 }     ");
        check("}]{", "  {}");
        check("{,,\"a\":1,,}", "{  \"a\":1, }");
        check("{ @ }", "{   }");
        check(r#"{ "a": "\q\n\u12" "#, r#"{ "a": "  \n  12"} "#);
    }

    #[test]
    fn places_go_both_ways() {
        let typed = r#"{ "a" "b": 1 }"#;
        let repaired = repair(typed, 0);
        let new = repaired.text.find("\"b\"").unwrap();
        assert_eq!(repaired.old(new), typed.find("\"b\"").unwrap());
        assert_eq!(repaired.new_place(typed.find("\"b\"").unwrap()), new);
        for old in 0..=typed.len() {
            assert_eq!(repaired.old(repaired.new_place(old)), old);
        }
    }

    #[test]
    fn every_beginning_of_a_text_becomes_json() {
        let text = r#"{ "m": "x", // c
            "s": { "a": [ { "on": "é\"", "to": ["b", 1.5e3, -2, true] } ], "d": {} /* e */ } }"#;
        for end in (0..=text.len()).filter(|&end| text.is_char_boundary(end)) {
            let repaired = repair(&text[..end], 0);
            let read = statewright_author::text::json::parse(&repaired.text);
            assert!(
                read.is_ok(),
                "{}\n{}\n{read:?}",
                &text[..end],
                repaired.text
            );
        }
    }
}
