//! Mermaid state diagrams (`stateDiagram-v2`): boxes, arrows and their labels.
//!
//! Pictures that this project draws itself come back with their states, nesting, events, guards and
//! actions. Mermaid has no place for declarations, names of regions and choices, what states with
//! others inside do, or anything in marks such as cooldowns; history points come back from their
//! boxes `H name`.

use statewright_author::diagnostic::Diagnostics;
use statewright_author::graph::Machine;
use statewright_author::span::Name;

use crate::diagram::{Arrow, Diagram, Dialect, lines, lower, part};
use crate::graphs::read_with;
use crate::report::{ignored, shown, syntax};

/// Reads a Mermaid state diagram. `name` is the file's name as messages show it.
pub fn read(name: &str, text: &str) -> (Machine, Diagnostics) {
    read_with(name, text, |text, out| {
        let mut reader = Reader {
            diagram: Diagram::default(),
            began: false,
            until: None,
            front: false,
        };
        for line in lines(text).filter(|line| !line.value.is_empty()) {
            if !reader.line(&line, out) {
                return None;
            }
        }
        reader.finish(text, out).then(|| lower(reader.diagram, out))
    })
}

/// Words that begin a line about looks.
const LOOKS: [&str; 10] = [
    "direction",
    "classDef",
    "class",
    "style",
    "linkStyle",
    "scale",
    "hide",
    "click",
    "accTitle",
    "accDescr",
];

struct Reader {
    diagram: Diagram,
    /// The first line was seen.
    began: bool,
    /// A block that is left out, and what ends it.
    until: Option<(&'static str, Name)>,
    /// Inside of the lines between `---` at the top.
    front: bool,
}

impl Reader {
    /// Reads a line; false if the file is no state diagram.
    fn line(&mut self, line: &Name, out: &mut Diagnostics) -> bool {
        let text = line.value.as_str();
        if let Some((end, _)) = &self.until {
            if text == *end {
                self.until = None;
            }
            return true;
        }
        if !self.began {
            return self.begin(line, out);
        }
        let first = text.split([' ', '\t', ':']).next().unwrap_or_default();
        if text.starts_with("%%") || text == "accDescr {" {
            self.until = text.starts_with("accDescr").then(|| ("}", line.clone()));
        } else if text == "--" {
            self.diagram.separate();
        } else if LOOKS.contains(&first) && !text.contains("-->") && text.len() > first.len() {
            // Nothing that a machine has.
        } else if first == "note" && !text.contains("-->") && text.len() > first.len() {
            out.push(
                ignored(line.span, "notes are left out")
                    .label("has no effect")
                    .help("write `%%` before it"),
            );
            self.until = (!text.contains(':')).then(|| ("end note", line.clone()));
        } else if text.contains("->")
            && !text.contains("-->")
            && crate::diagram::colon(text).is_none_or(|colon| text.find("->") < Some(colon))
        {
            out.push(
                syntax(line.span, "an arrow of Mermaid is written `-->`")
                    .label("another arrow")
                    .help("write `a --> b`"),
            );
        } else {
            self.diagram.line(line, &Mermaid, out);
        }
        true
    }

    /// Everything up to the line that says what the file is.
    fn begin(&mut self, line: &Name, out: &mut Diagnostics) -> bool {
        let text = line.value.as_str();
        if text == "---" {
            self.front = !self.front;
        } else if self.front {
            if let Some(title) = text.strip_prefix("title:") {
                let mut name = part(line, text.len() - title.len()..text.len());
                name.value = name.value.trim_matches('"').to_owned();
                self.diagram.name = Some(name);
            }
        } else if text == "stateDiagram-v2" || text == "stateDiagram" {
            self.began = true;
        } else if !text.starts_with("%%") {
            let message = format!(
                "a Mermaid state diagram begins with `stateDiagram-v2`, not with `{}`",
                shown(text)
            );
            out.push(syntax(line.span, message).label("something else"));
            return false;
        }
        true
    }

    /// What must be there at the end; false if there is nothing to make a machine of.
    fn finish(&mut self, text: &str, out: &mut Diagnostics) -> bool {
        if let Some((end, line)) = &self.until {
            let problem = syntax(line.span, "this is never closed").label("begins here");
            out.push(problem.help(format!("add a line `{end}`")));
        }
        self.diagram.finish(text.len(), out);
        if self.diagram.too_deep {
            return false;
        }
        if !self.began || self.diagram.nodes.is_empty() {
            let span = statewright_author::span::Span::bytes(text.len()..text.len());
            let problem = syntax(span, "there is no state in the file");
            out.push(
                problem.help("the least diagram is `stateDiagram-v2` and below it `[*] --> a`"),
            );
            return false;
        }
        true
    }
}

struct Mermaid;

impl Dialect for Mermaid {
    fn arrow(&self, line: &str) -> Option<Arrow> {
        let start = line.find("-->")?;
        let before_text = crate::diagram::colon(line).is_none_or(|colon| start < colon);
        before_text.then_some(Arrow {
            start,
            end: start + 3,
            reversed: false,
        })
    }

    /// `#58;` stands for `:`, and `<br/>` for a line end.
    fn decoded(&self, text: &str) -> String {
        let text = text
            .replace("<br/>", " ")
            .replace("<br>", " ")
            .replace("\\n", " ");
        let mut out = String::with_capacity(text.len());
        let mut rest = text.as_str();
        while let Some(at) = rest.find('#') {
            out.push_str(&rest[..at]);
            let digits: usize = rest[at + 1..]
                .bytes()
                .take(8)
                .take_while(u8::is_ascii_digit)
                .count();
            let after = at + 1 + digits;
            let code = rest[at + 1..after].parse().ok().and_then(char::from_u32);
            match code.filter(|_| rest[after..].starts_with(';')) {
                Some(c) => {
                    out.push(c);
                    rest = &rest[after + 1..];
                }
                None => {
                    out.push('#');
                    rest = &rest[at + 1..];
                }
            }
        }
        out.push_str(rest);
        out
    }

    fn bare<'l>(&self, text: &'l str) -> &'l str {
        text.split(":::").next().unwrap_or_default().trim_end()
    }

    fn has_bare_ids(&self) -> bool {
        true
    }

    fn help(&self) -> &'static str {
        "lines look like `a --> b : event`, `state \"Name\" as a`, `a : text`"
    }
}
