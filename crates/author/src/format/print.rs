//! Prints tokens with new space between them. Two passes without recursion: the first decides which
//! brackets could stay on one line, the second prints.

use super::tokens::{Comment, Gap, Item, TokenKind};

/// Longest line that a list or object is kept on.
const MAX_COLUMNS: usize = 100;
const INDENT: &str = "  ";

/// The text of the tokens.
pub(super) fn print(text: &str, items: &[Item]) -> String {
    let widths = one_line_widths(text, items);
    let mut printer = Printer::new(text);
    for (item, width) in items.iter().zip(widths) {
        printer.print(item, width);
    }
    printer.out.push('\n');
    printer.out
}

/// For each opening bracket the columns that it takes up to its partner; `None` if they are not on
/// one line or have comments between them.
fn one_line_widths(text: &str, items: &[Item]) -> Vec<Option<usize>> {
    let mut widths = vec![None; items.len()];
    let mut open: Vec<OneLine> = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let same_line = item.comments.is_empty() && item.gap == Gap::None;
        let mut element = (item.kind == TokenKind::Scalar).then(|| columns(item.of(text)));
        if item.kind == TokenKind::Close
            && let Some(closed) = open.pop()
        {
            element = Some(closed.width(item.of(text) == "}"));
            widths[closed.at] = element.filter(|_| closed.possible && same_line);
        }
        if let Some(parent) = open.last_mut() {
            parent.possible &= same_line || item.kind == TokenKind::Close;
            parent.colons += usize::from(item.kind == TokenKind::Colon);
            parent.elements += usize::from(element.is_some());
            parent.columns += element.unwrap_or(0);
        }
        if item.kind == TokenKind::Open {
            open.push(OneLine {
                at,
                possible: true,
                columns: 0,
                elements: 0,
                colons: 0,
            });
        }
    }
    widths
}

/// What is known of an opening bracket whose partner has not come yet.
struct OneLine {
    at: usize,
    possible: bool,
    columns: usize,
    elements: usize,
    colons: usize,
}

impl OneLine {
    fn width(&self, brace: bool) -> usize {
        let members = if brace { self.colons } else { self.elements };
        let padding = if brace && members > 0 { 2 } else { 0 };
        2 + padding + self.columns + 2 * self.colons + 2 * members.saturating_sub(1)
    }
}

/// Space that the structure asks for; comments may ask for more.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Separator {
    None,
    Space,
    Line,
}

/// An open bracket.
struct Level {
    one_line: bool,
    brace: bool,
    empty: bool,
}

struct Printer<'a> {
    text: &'a str,
    out: String,
    open: Vec<Level>,
    after_colon: bool,
    /// Length of the output after the last opening bracket.
    opened: usize,
}

impl<'a> Printer<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            out: String::with_capacity(text.len()),
            open: Vec::new(),
            after_colon: false,
            opened: 0,
        }
    }

    fn print(&mut self, item: &Item, one_line_width: Option<usize>) {
        match item.kind {
            TokenKind::Scalar => self.begin_value(item),
            TokenKind::Open => {
                self.begin_value(item);
                self.open_bracket(item, one_line_width);
            }
            TokenKind::Colon => {
                self.space(item, Separator::None, self.open.len() + 1);
                self.after_colon = true;
            }
            TokenKind::Close => self.close_bracket(item),
            TokenKind::End => self.space(item, Separator::None, 0),
        }
        self.out.push_str(item.of(self.text));
        if item.kind == TokenKind::Open {
            self.opened = self.out.len();
        }
    }

    /// The comma of the member before and the space before a member, or the space after its colon.
    fn begin_value(&mut self, item: &Item) {
        if std::mem::take(&mut self.after_colon) {
            return self.space(item, Separator::Space, self.open.len() + 1);
        }
        let Some(level) = self.open.last_mut() else {
            return self.space(item, Separator::None, 0);
        };
        let first = std::mem::take(&mut level.empty);
        let separator = match (level.one_line, first, level.brace) {
            (false, ..) => Separator::Line,
            (true, true, false) => Separator::None,
            (true, ..) => Separator::Space,
        };
        if !first {
            self.out.push(',');
        }
        self.space(item, separator, self.open.len());
    }

    fn open_bracket(&mut self, item: &Item, one_line_width: Option<usize>) {
        let inherited = self.open.last().is_some_and(|level| level.one_line);
        let line = &self.out[self.out.rfind('\n').map_or(0, |at| at + 1)..];
        let fits = |width: usize| columns(line) + width < MAX_COLUMNS;
        let one_line = inherited || one_line_width.is_some_and(fits);
        self.open.push(Level {
            one_line,
            brace: item.of(self.text) == "{",
            empty: true,
        });
    }

    fn close_bracket(&mut self, item: &Item) {
        let Some(level) = self.open.pop() else { return };
        let separator = match (level.one_line, level.empty, level.brace) {
            (_, true, _) if item.comments.is_empty() => Separator::None,
            (true, _, false) => Separator::None,
            (true, _, true) => Separator::Space,
            (false, ..) => Separator::Line,
        };
        self.space(item, separator, self.open.len());
    }

    /// The comments before a token and the space around them. Comments stay on the line they are
    /// on.
    fn space(&mut self, item: &Item, separator: Separator, depth: usize) {
        let comment_depth = if item.kind == TokenKind::Close {
            depth + 1
        } else {
            depth
        };
        let leading = if separator == Separator::Line {
            leading_comments(item)
        } else {
            item.comments.len()
        };
        for (at, comment) in item.comments.iter().enumerate() {
            if at == leading || (at < leading && comment.gap != Gap::None) {
                self.new_line(comment.gap, comment_depth);
            } else if !self.out.is_empty() {
                self.out.push(' ');
            }
            self.comment(comment);
        }
        let last = item.comments.last();
        let forced = last.is_some_and(|last| last.is_line || item.gap != Gap::None);
        if leading < item.comments.len() {
            self.out.push(' ');
        } else if item.kind == TokenKind::End {
            // The final line end follows.
        } else if separator == Separator::Line || forced {
            let gap = if item.kind == TokenKind::Close {
                Gap::Line
            } else {
                item.gap
            };
            self.new_line(gap, depth);
        } else if separator == Separator::Space || (last.is_some() && item.kind != TokenKind::Colon)
        {
            self.out.push(' ');
        }
    }

    /// A new line, after a blank one if the author had one; but not at the start of the file or of
    /// a bracket.
    fn new_line(&mut self, gap: Gap, depth: usize) {
        if self.out.is_empty() {
            return;
        }
        if gap == Gap::Blank && self.opened != self.out.len() {
            self.out.push('\n');
        }
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n(INDENT, depth));
    }

    fn comment(&mut self, comment: &Comment) {
        let text = &self.text[comment.start..comment.end];
        if comment.is_line {
            self.out.push_str(text.trim_end());
        } else {
            self.out
                .push_str(&text.replace("\r\n", "\n").replace('\r', "\n"));
        }
    }
}

/// The first of the comments that belong to the member after them: those right before it on its
/// line.
fn leading_comments(item: &Item) -> usize {
    if item.kind == TokenKind::Close {
        return item.comments.len();
    }
    let mut gap_after = item.gap;
    let mut first = item.comments.len();
    for (at, comment) in item.comments.iter().enumerate().rev() {
        if comment.is_line || !comment.after_separator || gap_after != Gap::None {
            break;
        }
        first = at;
        gap_after = comment.gap;
    }
    first
}

fn columns(text: &str) -> usize {
    text.chars().count()
}
