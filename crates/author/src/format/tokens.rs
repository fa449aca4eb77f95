//! A file as a list of tokens, each with the comments before it. Commas are left out: they follow
//! from the rest.

use jsonc_parser::common::Range;
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, parse_to_ast};

use crate::codes::DiagnosticCode;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::limits::{MAX_NESTING, MAX_TEXT_BYTES};
use crate::span::Span;
use crate::text;

/// What a token is to the formatter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// `{` or `[`.
    Open,
    /// `}` or `]`.
    Close,
    Colon,
    /// Text, a number or a word.
    Scalar,
    /// The end of the file, always the last token.
    End,
}

/// A token and what stands before it.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) kind: TokenKind,
    pub(super) start: usize,
    pub(super) end: usize,
    /// Comments between the token before, or its comma, and this one.
    pub(super) comments: Vec<Comment>,
    /// Line ends directly before it.
    pub(super) gap: Gap,
}

impl Item {
    /// The token as it is written.
    pub(super) fn of<'a>(&self, text: &'a str) -> &'a str {
        &text[self.start..self.end]
    }
}

/// A comment.
#[derive(Debug)]
pub(super) struct Comment {
    pub(super) start: usize,
    pub(super) end: usize,
    /// It ends with its line.
    pub(super) is_line: bool,
    /// It stands after a bracket or comma, so it may speak of what follows.
    pub(super) after_separator: bool,
    /// Line ends directly before it.
    pub(super) gap: Gap,
}

/// How many line ends there are between two things: 0, 1, or more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gap {
    #[default]
    None,
    Line,
    Blank,
}

/// The tokens of a text that the reader would accept as JSON.
pub(super) fn tokens(text: &str) -> Result<Vec<Item>, Diagnostics> {
    if text.len() > MAX_TEXT_BYTES {
        return Err(refusal(text));
    }
    let collect = CollectOptions {
        comments: CommentCollectionStrategy::AsTokens,
        tokens: true,
    };
    let parsed = parse_to_ast(text, &collect, &text::parse_options());
    let Ok(jsonc_parser::ParseResult {
        value: Some(_),
        tokens: Some(tokens),
        ..
    }) = parsed
    else {
        return Err(refusal(text));
    };
    if !tokens.iter().all(|token| is_on_one_line(text, token)) || depth(&tokens) > MAX_NESTING {
        return Err(refusal(text));
    }
    Ok(items(text, &tokens))
}

/// The reader's own words on why it refuses a text.
fn refusal(text: &str) -> Diagnostics {
    let (_, mut problems) = text::read("", text);
    if !problems.has_errors() {
        problems.push(Diagnostic::new(
            DiagnosticCode::Syntax,
            Span::default(),
            "the file cannot be formatted",
        ));
    }
    problems
}

/// The reader forbids line ends in text, the parser does not.
fn is_on_one_line(text: &str, token: &TokenAndRange<'_>) -> bool {
    !matches!(token.token, Token::String(_))
        || !text[token.range.start..token.range.end].contains(['\n', '\r'])
}

fn depth(tokens: &[TokenAndRange<'_>]) -> usize {
    let mut deepest = 0;
    let mut depth = 0usize;
    for token in tokens {
        match token.token {
            Token::OpenBrace | Token::OpenBracket => depth += 1,
            Token::CloseBrace | Token::CloseBracket => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

fn items(text: &str, tokens: &[TokenAndRange<'_>]) -> Vec<Item> {
    let mut collector = Collector {
        text,
        items: Vec::new(),
        comments: Vec::new(),
        end: 0,
        gap: Gap::default(),
    };
    for token in tokens {
        collector.take(&token.token, token.range);
    }
    let end = text.len();
    collector.take_item(TokenKind::End, Range { start: end, end });
    collector.items
}

struct Collector<'a> {
    text: &'a str,
    items: Vec<Item>,
    /// Since the last item.
    comments: Vec<Comment>,
    /// Of the last token.
    end: usize,
    /// Since the last item or comment, commas aside.
    gap: Gap,
}

impl Collector<'_> {
    fn take(&mut self, token: &Token<'_>, range: Range) {
        match token {
            Token::Comma => {
                self.cross(range);
                self.comments
                    .iter_mut()
                    .for_each(|comment| comment.after_separator = false);
            }
            Token::CommentLine(_) => self.take_comment(true, range),
            Token::CommentBlock(_) => self.take_comment(false, range),
            Token::OpenBrace | Token::OpenBracket => self.take_item(TokenKind::Open, range),
            Token::CloseBrace | Token::CloseBracket => self.take_item(TokenKind::Close, range),
            Token::Colon => self.take_item(TokenKind::Colon, range),
            _ => self.take_item(TokenKind::Scalar, range),
        }
    }

    /// Moves over the space before a token.
    fn cross(&mut self, range: Range) {
        self.gap = self.gap.max(gap(&self.text[self.end..range.start]));
        self.end = range.end;
    }

    fn take_comment(&mut self, is_line: bool, range: Range) {
        self.cross(range);
        let gap = std::mem::take(&mut self.gap);
        self.comments.push(Comment {
            start: range.start,
            end: range.end,
            is_line,
            after_separator: true,
            gap,
        });
    }

    fn take_item(&mut self, kind: TokenKind, range: Range) {
        self.cross(range);
        let (comments, gap) = (
            std::mem::take(&mut self.comments),
            std::mem::take(&mut self.gap),
        );
        self.items.push(Item {
            kind,
            start: range.start,
            end: range.end,
            comments,
            gap,
        });
    }
}

/// Counts line ends: `\n`, `\r\n` or `\r`.
fn gap(space: &str) -> Gap {
    let returns = space.matches('\r').count();
    match space.matches('\n').count() + returns - space.matches("\r\n").count() {
        0 => Gap::None,
        1 => Gap::Line,
        _ => Gap::Blank,
    }
}
