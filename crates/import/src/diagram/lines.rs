//! Owns the lines that both formats write alike: boxes, arrows, text in boxes.

use statewright_author::diagnostic::Diagnostics;
use statewright_author::names::is_hidden;
use statewright_author::span::Name;

use super::{BoxKind, Diagram, Edge, End, part};
use crate::report::{ignored, illegal, refused, shown, syntax};

/// How a format differs in these lines.
pub(crate) trait Dialect {
    /// The arrow in a line, outside of quotes.
    fn arrow(&self, line: &str) -> Option<Arrow>;
    /// What marks of the format stand for in text.
    fn decoded(&self, text: &str) -> String;
    /// Takes away what only says how something looks, such as a color.
    fn bare<'l>(&self, text: &'l str) -> &'l str;
    /// An id alone declares a box.
    fn has_bare_ids(&self) -> bool;
    /// What to write instead of a line that cannot be read.
    fn help(&self) -> &'static str;
}

/// An arrow in a line.
pub(crate) struct Arrow {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// It points to its left end.
    pub(crate) reversed: bool,
}

impl Diagram {
    /// Reads a line that is neither a comment nor about looks.
    pub(crate) fn line(&mut self, line: &Name, dialect: &dyn Dialect, out: &mut Diagnostics) {
        let text = line.value.as_str();
        if let Some(c) = text.chars().find(|&c| is_hidden(c) && c != '\t') {
            let message = format!(
                "the line has the character U+{:04X}, which cannot be seen",
                u32::from(c)
            );
            out.push(syntax(line.span, message).label("in this line"));
        } else if text == "}" {
            self.end(line.span, out);
        } else if let Some(rest) = word(text, "state") {
            self.box_line(line, rest, dialect, out);
        } else if let Some(arrow) = dialect.arrow(text) {
            self.arrow_line(line, &arrow, dialect, out);
        } else if let Some(colon) = colon(text) {
            self.text_line(line, 0, colon, dialect, out);
        } else {
            let id = part(line, 0..dialect.bare(text).len());
            if dialect.has_bare_ids() && self.check_id(&id, out) {
                self.declare(&id);
            } else if !dialect.has_bare_ids() {
                let problem = syntax(line.span, format!("`{}` cannot be read", shown(text)));
                out.push(
                    problem
                        .label("not a line of a state diagram")
                        .help(dialect.help()),
                );
            }
        }
    }

    /// `state "Name" as id <<kind>> {`, in any part of it.
    fn box_line(
        &mut self,
        line: &Name,
        start: usize,
        dialect: &dyn Dialect,
        out: &mut Diagnostics,
    ) {
        let mut end = line.value.len();
        let opens = line.value.ends_with('{');
        let closes = line.value.ends_with('}') && line.value[..end - 1].trim_end().ends_with('{');
        if closes {
            end = line.value[..end - 1].trim_end().len();
        }
        if opens || closes {
            end -= 1;
        }
        let head = part(line, start..end);
        if let Some(colon) = colon(&head.value).filter(|_| !opens && !closes) {
            return self.text_line(line, start, offset(line, &head) + colon, dialect, out);
        }
        let (head, kind) = self.stereotype(&head, out);
        let head_text = dialect.bare(&head.value).to_owned();
        let head = part(&head, 0..head_text.len());
        let Some((id, label)) = self.alias(&head, dialect, out) else {
            return;
        };
        let at = self.declare(&id);
        if let Some(label) = label {
            self.nodes[at].label = Some(label);
        }
        if let Some(kind) = kind {
            self.nodes[at].kind = kind;
        }
        if opens || closes {
            let bracket = line.span.within(end..end + 1);
            self.begin(at, bracket, out);
        }
        if closes {
            self.end(line.span, out);
        }
    }

    /// The mark `<<kind>>` or `[[kind]]` at the end of a box, and what is left without it.
    fn stereotype(&mut self, head: &Name, out: &mut Diagnostics) -> (Name, Option<BoxKind>) {
        let found = [("<<", ">>"), ("[[", "]]")]
            .iter()
            .find_map(|(open, close)| {
                let start = head.value.find(open)?;
                let end = start + head.value[start..].find(close)?;
                Some((start, end))
            });
        let Some((start, end)) = found else {
            return (head.clone(), None);
        };
        let word = part(head, start + 2..end);
        let rest = part(head, 0..start);
        let kind = match word.value.as_str() {
            "choice" => BoxKind::Choice,
            "history" => BoxKind::History { deep: false },
            "history*" => BoxKind::History { deep: true },
            "end" => BoxKind::Final,
            "fork" | "join" => {
                let problem =
                    refused(word.span, "forks and joins are no states here").label("a bar");
                out.push(
                    problem.help(
                        "a state with regions (`--`) starts all of them at once and is done when all of them are",
                    ),
                );
                BoxKind::State
            }
            "start" | "entryPoint" | "exitPoint" | "inputPin" | "outputPin" | "expansionInput"
            | "expansionOutput" => {
                let message = format!("`{}` has no counterpart", word.value);
                out.push(
                    refused(word.span, message)
                        .label("not a state")
                        .help("draw the arrow to the state itself"),
                );
                BoxKind::State
            }
            other => {
                let message = format!("the mark `{}` is left out", shown(other));
                out.push(ignored(word.span, message).label("has no effect"));
                return (rest, None);
            }
        };
        (rest, Some(kind))
    }

    /// `"Name" as id`, `id as "Name"`, `"Name"` or `id`.
    fn alias(
        &mut self,
        head: &Name,
        dialect: &dyn Dialect,
        out: &mut Diagnostics,
    ) -> Option<(Name, Option<Name>)> {
        let text = head.value.as_str();
        if let Some(quoted) = text.strip_prefix('"') {
            let Some(close) = quoted.find('"') else {
                out.push(
                    syntax(head.span, "the name is not closed")
                        .label("begins here")
                        .help("end it with `\"`"),
                );
                return None;
            };
            let mut label = part(head, 1..close + 1);
            label.value = dialect.decoded(&label.value);
            let rest = part(head, close + 2..text.len());
            let Some(after) = word(&rest.value, "as") else {
                if rest.value.is_empty() {
                    let id = label.clone();
                    return Some((id, None));
                }
                let problem = syntax(
                    rest.span,
                    format!("`{}` has no place here", shown(&rest.value)),
                );
                out.push(problem.help("write `state \"Name\" as id`"));
                return None;
            };
            let id = part(&rest, after..rest.value.len());
            return self.check_id(&id, out).then_some((id, Some(label)));
        }
        if let Some(at) = text.find(" as ") {
            let id = part(head, 0..at);
            let mut label = part(head, at + 4..text.len());
            label.value = dialect.decoded(label.value.trim_matches('"'));
            return self.check_id(&id, out).then_some((id, Some(label)));
        }
        self.check_id(head, out).then(|| (head.clone(), None))
    }

    fn check_id(&mut self, id: &Name, out: &mut Diagnostics) -> bool {
        let bad = |c: char| c.is_whitespace() || "{}[]<>\":;|".contains(c);
        if !id.value.is_empty() && !id.value.contains(bad) && !id.value.starts_with("--") {
            return true;
        }
        let message = match id.value.as_str() {
            "" => "the name of a state is missing".to_owned(),
            other => format!("`{}` is no name of a state", shown(other)),
        };
        out.push(
            syntax(id.span, message)
                .label("not a name")
                .help("write `state \"Long name\" as id`"),
        );
        false
    }

    /// `from --> to : label`.
    fn arrow_line(
        &mut self,
        line: &Name,
        arrow: &Arrow,
        dialect: &dyn Dialect,
        out: &mut Diagnostics,
    ) {
        let text = line.value.as_str();
        let label_at = colon(&text[arrow.end..]).map(|at| arrow.end + at);
        let left = part(line, 0..arrow.start);
        let right = part(line, arrow.end..label_at.unwrap_or(text.len()));
        let (Some(left), Some(right)) = (
            self.arrow_end(&left, dialect, out),
            self.arrow_end(&right, dialect, out),
        ) else {
            return;
        };
        let label = label_at
            .map(|at| part(line, at + 1..text.len()))
            .filter(|label| !label.value.is_empty());
        let label = label.map(|label| Name::new(dialect.decoded(&label.value), label.span));
        let (from, to) = if arrow.reversed {
            (right, left)
        } else {
            (left, right)
        };
        self.edges.push(Edge {
            from,
            to,
            label,
            scope: self.scope(),
            span: line.span,
        });
    }

    fn arrow_end(
        &mut self,
        text: &Name,
        dialect: &dyn Dialect,
        out: &mut Diagnostics,
    ) -> Option<End> {
        let (text, kind) = self.stereotype(text, out);
        let bare = part(&text, 0..dialect.bare(&text.value).len());
        let past = |owner: Option<usize>, deep: bool| {
            Some(End::Past {
                owner,
                deep,
                span: bare.span,
            })
        };
        match bare.value.as_str() {
            "[*]" => return Some(End::Star(bare.span)),
            "[H]" => return past(self.scope().owner, false),
            "[H*]" => return past(self.scope().owner, true),
            _ => {}
        }
        for (mark, deep) in [("[H]", false), ("[H*]", true)] {
            if let Some(owner) = bare.value.strip_suffix(mark) {
                let owner = part(&bare, 0..owner.len());
                return self
                    .check_id(&owner, out)
                    .then(|| self.mention(&owner))
                    .and_then(|owner| past(Some(owner), deep));
            }
        }
        let quoted =
            bare.value.len() > 2 && bare.value.starts_with('"') && bare.value.ends_with('"');
        let id = if quoted {
            part(&bare, 1..bare.value.len() - 1)
        } else {
            bare
        };
        if !quoted && !self.check_id(&id, out) {
            return None;
        }
        let at = self.mention(&id);
        if let Some(kind) = kind {
            self.nodes[at].kind = kind;
        }
        Some(End::Node(at, id.span))
    }

    /// `id : text`.
    fn text_line(
        &mut self,
        line: &Name,
        start: usize,
        colon: usize,
        dialect: &dyn Dialect,
        out: &mut Diagnostics,
    ) {
        let id = part(line, start..colon);
        let id = part(&id, 0..dialect.bare(&id.value).len());
        if !self.check_id(&id, out) {
            return;
        }
        let at = self.declare_text(&id);
        let text = part(line, colon + 1..line.value.len());
        if text.value.is_empty() {
            out.push(illegal(line.span, "the text is missing after `:`").label("nothing follows"));
            return;
        }
        self.nodes[at]
            .lines
            .push(Name::new(dialect.decoded(&text.value), text.span));
    }

    /// Text about a box that exists does not move it.
    fn declare_text(&mut self, id: &Name) -> usize {
        if self.ids.contains_key(&id.value) {
            self.mention(id)
        } else {
            self.declare(id)
        }
    }
}

fn offset(outer: &Name, inner: &Name) -> usize {
    (inner.span.start - outer.span.start) as usize
}

/// Where the rest begins if a text begins with a word.
pub(crate) fn word(text: &str, wanted: &str) -> Option<usize> {
    let rest = text.strip_prefix(wanted)?;
    rest.starts_with(char::is_whitespace)
        .then_some(wanted.len())
}

/// The first `:` outside of quotes that is not part of `::`.
pub(crate) fn colon(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut quoted = false;
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => quoted = !quoted,
            b':' if !quoted => {
                let run = bytes[at..].iter().take_while(|&&byte| byte == b':').count();
                if run == 1 {
                    return Some(at);
                }
                at += run - 1;
            }
            _ => {}
        }
        at += 1;
    }
    None
}
