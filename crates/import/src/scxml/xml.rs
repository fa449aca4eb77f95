//! XML that is safe to look at: bounded in size and nesting, UTF-8, without a DTD, so that nothing
//! is ever expanded or fetched.

use std::ops::Range;

use roxmltree::{Document, Error, Node, ParsingOptions, TextPos};
use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::{Diagnostic, Diagnostics};
use statewright_author::span::{Span, Spanned};

use super::problem::too_large;
use crate::bytes::too_long;

/// Deepest nesting of elements; states alone may nest 16 deep.
const MAX_DEPTH: usize = 256;
/// Most attributes of an element: each is compared with all others.
const MAX_ATTRIBUTES: usize = 256;
/// Most declarations of namespaces, and most around one element: each is compared with all others.
const MAX_NAMESPACES: usize = 4096;
const MAX_NAMESPACES_AROUND: usize = 64;
/// Longest message of the parser that is shown.
const MAX_WORDS: usize = 120;
/// Most elements, attributes not counted.
const MAX_NODES: u32 = 1 << 20;

/// Parses a document; what is wrong with it goes to `out`.
pub(super) fn parse<'t>(text: &'t str, out: &mut Diagnostics) -> Option<Document<'t>> {
    if let Some(problem) = too_long(text) {
        out.push(problem);
        return None;
    }
    if let Some((span, encoding)) = other_encoding(text) {
        let message =
            format!("the document says that it is written in `{encoding}`, but only UTF-8 is read");
        let problem =
            Diagnostic::new(DiagnosticCode::ImportSyntax, span, message).label("not UTF-8");
        out.push(problem.help("save it as UTF-8 and remove `encoding`"));
        return None;
    }
    if let Some(problem) = excess(text) {
        out.push(problem);
        return None;
    }
    let options = ParsingOptions {
        allow_dtd: false,
        nodes_limit: MAX_NODES,
        ..ParsingOptions::default()
    };
    match Document::parse_with_options(text, options) {
        Ok(document) => Some(document),
        Err(error) => {
            out.push(broken(text, &error));
            None
        }
    }
}

fn broken(text: &str, error: &Error) -> Diagnostic {
    let start = match error {
        Error::UnexpectedEndOfStream => text.len(),
        error => offset(text, error.pos()),
    };
    let end = text[start..]
        .chars()
        .next()
        .map_or(start, |c| start + c.len_utf8());
    let span = Span::bytes(start..end);
    match error {
        Error::DtdDetected => {
            let at = text.find("<!DOCTYPE").unwrap_or(start);
            Diagnostic::new(DiagnosticCode::ImportSyntax, Span::bytes(at..at + 9), "the document has a DTD, which is not read")
                .label("not read")
                .note("entities of a DTD can name other files or grow without end; they are never expanded or fetched")
                .help("remove the `<!DOCTYPE …>`")
        }
        Error::NodesLimitReached => too_large(
            span,
            format!("the document has more than {MAX_NODES} elements"),
        ),
        error => {
            // The place is shown anyway.
            let at = format!(" at {}", error.pos());
            let words = error.to_string();
            let words = shown_words(words.strip_suffix(&at).unwrap_or(&words));
            let problem = Diagnostic::new(
                DiagnosticCode::ImportSyntax,
                span,
                format!("this is not well-formed XML: {words}"),
            )
            .label("here");
            match error {
                Error::MalformedEntityReference(_) | Error::UnknownEntityReference(..) => problem
                    .help("write `&amp;` where `&` itself is meant, in conditions `&amp;&amp;`"),
                Error::InvalidChar(..) | Error::InvalidChar2(..)
                    if text[start..].starts_with('<') =>
                {
                    problem.help("in an attribute, write `&lt;` for `<`")
                }
                _ => problem,
            }
        }
    }
}

/// What the parser says, without what a document put into it: names may be long, or hide something.
fn shown_words(words: &str) -> String {
    let visible = |c: char| {
        if statewright_author::names::is_hidden(c) {
            '\u{fffd}'
        } else {
            c
        }
    };
    let mut out: String = words.chars().take(MAX_WORDS).map(visible).collect();
    if words.chars().nth(MAX_WORDS).is_some() {
        out.push('…');
    }
    out
}

/// The byte at a line and column.
fn offset(text: &str, at: TextPos) -> usize {
    let line = text
        .split_inclusive('\n')
        .take(at.row.saturating_sub(1) as usize)
        .map(str::len)
        .sum::<usize>();
    let rest = text.get(line..).unwrap_or_default();
    let column = rest
        .char_indices()
        .nth(at.col.saturating_sub(1) as usize)
        .map_or(rest.len(), |(at, _)| at);
    (line + column).min(text.len())
}

/// An encoding in the XML declaration that is not UTF-8 or a part of it.
fn other_encoding(text: &str) -> Option<(Span, &str)> {
    let declaration = text.strip_prefix("<?xml")?.split_once("?>")?.0;
    let after = declaration
        .split_once("encoding")?
        .1
        .trim_start()
        .strip_prefix('=')?
        .trim_start();
    let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let encoding = after[1..].split_once(quote)?.0;
    let start = text.find(encoding).unwrap_or(0);
    let fits = ["utf-8", "utf8", "us-ascii", "ascii"]
        .iter()
        .any(|known| encoding.eq_ignore_ascii_case(known));
    (!fits).then_some((Span::bytes(start..start + encoding.len()), encoding))
}

/// Elements nested too deeply, too many attributes or namespaces: no later pass needs to fear them.
fn excess(text: &str) -> Option<Diagnostic> {
    let (mut at, mut nesting) = (0, Nesting::default());
    let past = |from: usize, end: &str| {
        text[from..]
            .find(end)
            .map_or(text.len(), |found| from + found + end.len())
    };
    while let Some(found) = text.get(at..).and_then(|rest| rest.find('<')) {
        let open = at + found;
        let rest = &text[open..];
        at = if rest.starts_with("<!--") {
            past(open + 4, "-->")
        } else if rest.starts_with("<![CDATA[") {
            past(open + 9, "]]>")
        } else if rest.starts_with("<?") {
            past(open + 2, "?>")
        } else {
            let tag = Tag::at(rest);
            if let Some((message, help)) = nesting.pass(rest, &tag) {
                let problem = too_large(Span::bytes(open..open + 1), message);
                return Some(if help.is_empty() {
                    problem
                } else {
                    problem.help(help)
                });
            }
            open + tag.length
        };
    }
    None
}

/// Elements that are open.
#[derive(Default)]
struct Nesting {
    /// Namespaces that are declared in and around each.
    open: Vec<usize>,
    /// All declarations so far.
    namespaces: usize,
}

impl Nesting {
    /// Goes past a tag; what is too much is said, with a way out.
    fn pass(&mut self, text: &str, tag: &Tag) -> Option<(String, &'static str)> {
        if text.starts_with("</") {
            self.open.pop();
        }
        if text.starts_with("</") || text.starts_with("<!") {
            return None;
        }
        let around = self.open.last().copied().unwrap_or_default() + tag.namespaces;
        self.namespaces += tag.namespaces;
        if !tag.is_empty {
            self.open.push(around);
        }
        let declare = "declare namespaces once, in the document's element";
        if self.open.len() > MAX_DEPTH {
            let message = format!("elements are nested more than {MAX_DEPTH} deep");
            return Some((message, "states may nest 16 deep, the root included"));
        }
        if tag.attributes > MAX_ATTRIBUTES {
            return Some((
                format!("an element has more than {MAX_ATTRIBUTES} attributes"),
                "",
            ));
        }
        if around > MAX_NAMESPACES_AROUND {
            return Some((
                format!("an element has more than {MAX_NAMESPACES_AROUND} namespaces around it"),
                declare,
            ));
        }
        let message = || format!("the document declares more than {MAX_NAMESPACES} namespaces");
        (self.namespaces > MAX_NAMESPACES).then(|| (message(), declare))
    }
}

/// What a look at a tag tells before anything is parsed.
struct Tag {
    /// Bytes up to the `>`, that included.
    length: usize,
    /// Signs of equality outside quotes.
    attributes: usize,
    /// Declarations of namespaces, or what looks like one.
    namespaces: usize,
    /// It ends in `/>`.
    is_empty: bool,
}

impl Tag {
    /// The tag that a text begins with; quotes may hold other brackets.
    fn at(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut tag = Self {
            length: bytes.len(),
            attributes: 0,
            namespaces: 0,
            is_empty: false,
        };
        let mut quote = None;
        for (at, &byte) in bytes.iter().enumerate().skip(1) {
            match (quote, byte) {
                (None, b'>') => {
                    (tag.length, tag.is_empty) = (at + 1, bytes[at - 1] == b'/');
                    break;
                }
                (None, b'"' | b'\'') => quote = Some(byte),
                (None, b'=') => tag.attributes += 1,
                (None, b'x') => tag.namespaces += usize::from(bytes[at..].starts_with(b"xmlns")),
                (Some(open), _) if open == byte => quote = None,
                _ => {}
            }
        }
        tag
    }
}

/// Where an element begins: its opening tag up to the first space.
pub(super) fn tag_span(node: Node<'_, '_>) -> Span {
    let range = node.range();
    let text = &node.document().input_text()[range.clone()];
    let end = text
        .find(|c: char| c.is_whitespace() || matches!(c, '>' | '/'))
        .unwrap_or(text.len());
    Span::bytes(range.start..range.start + end.max(1))
}

/// An attribute's value with its span. Attributes of other namespaces are somebody else's.
pub(super) fn attribute(node: Node<'_, '_>, name: &str) -> Option<Spanned<String>> {
    let found = node
        .attributes()
        .find(|attribute| attribute.name() == name && attribute.namespace().is_none())?;
    Some(Spanned::new(
        found.value().to_owned(),
        Span::bytes(found.range_value()),
    ))
}

/// How a document spells the value of an attribute or a text: maybe with escapes, so that spans
/// must be searched.
pub(super) struct Spelling<'d> {
    whole: Span,
    /// The value as it is spelled.
    raw: &'d str,
    /// Bytes passed of the spelling, and of the value.
    at: usize,
    passed: usize,
}

impl<'d> Spelling<'d> {
    /// Of the value at a span of a document.
    pub(super) fn new(document: &'d str, whole: Span) -> Self {
        const SECTION: &str = "<![CDATA[";
        let raw = document
            .get(whole.start as usize..whole.end as usize)
            .unwrap_or_default();
        let is_plain = raw.starts_with(SECTION);
        let start = if is_plain { SECTION.len() } else { 0 };
        let whole = whole.within(start..raw.len());
        // Nothing is escaped in such a section.
        let raw = if is_plain { "" } else { raw };
        Self {
            whole,
            raw,
            at: 0,
            passed: 0,
        }
    }

    /// The span of a range of the value. Fast if ranges come in order.
    pub(super) fn span(&mut self, range: Range<usize>) -> Span {
        let (start, end) = (self.offset(range.start), self.offset(range.end));
        self.whole.within(start..end)
    }

    fn offset(&mut self, wanted: usize) -> usize {
        if wanted < self.passed {
            (self.at, self.passed) = (0, 0);
        }
        while self.passed < wanted {
            let rest = self.raw.get(self.at..).unwrap_or_default();
            let Some(next) = rest.chars().next() else {
                return self.at + wanted - self.passed;
            };
            let escape = rest
                .strip_prefix('&')
                .and_then(|rest| rest.split(';').next());
            let (raw, meant) = match escape {
                Some(name) => (name.len() + 2, escaped_length(name)),
                None => (next.len_utf8(), next.len_utf8()),
            };
            self.at = (self.at + raw).min(self.raw.len());
            self.passed += meant;
        }
        self.at
    }
}

/// Bytes that an escape stands for.
fn escaped_length(name: &str) -> usize {
    let number = match name.strip_prefix("#x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => name
            .strip_prefix('#')
            .and_then(|digits| digits.parse().ok()),
    };
    number.and_then(char::from_u32).map_or(1, char::len_utf8)
}

/// The words of an attribute that is a list, each with its span.
pub(super) fn words(list: &Spanned<String>) -> Vec<Spanned<String>> {
    let base = list.value.as_ptr() as usize;
    let word = |word: &str| {
        let start = word.as_ptr() as usize - base;
        Spanned::new(word.to_owned(), list.span.within(start..start + word.len()))
    };
    list.value.split_whitespace().map(word).collect()
}

/// The elements inside an element.
pub(super) fn elements<'a, 'd>(node: Node<'a, 'd>) -> impl Iterator<Item = Node<'a, 'd>> {
    node.children().filter(Node::is_element)
}

/// Whether an element is of another namespace than the document.
pub(super) fn is_foreign(node: Node<'_, '_>) -> bool {
    node.tag_name().namespace() != node.document().root_element().tag_name().namespace()
}

/// The name of an element of SCXML; nothing for those of others.
pub(super) fn own_name<'a>(node: Node<'a, '_>) -> &'a str {
    if is_foreign(node) {
        ""
    } else {
        node.tag_name().name()
    }
}
