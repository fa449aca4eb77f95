//! PlantUML state diagrams: boxes, arrows and their labels.
//!
//! Pictures that this project draws itself come back with their states, nesting, events, guards and
//! actions; the box around everything is the machine. PlantUML has no place for declarations, names
//! of regions and choices, or anything in marks such as cooldowns; names of history points come
//! back as their ids, or as `history` where the state has regions.

use statewright_author::diagnostic::Diagnostics;
use statewright_author::graph::Machine;
use statewright_author::span::{Name, Span};

use crate::diagram::{Arrow, Diagram, Dialect, colon, lines, lower, part};
use crate::graphs::read_with;
use crate::report::{ignored, refused, shown, syntax};

/// Reads a PlantUML state diagram. `name` is the file's name as messages show it.
pub fn read(name: &str, text: &str) -> (Machine, Diagnostics) {
    read_with(name, text, |text, out| {
        let mut reader = Reader {
            diagram: Diagram::default(),
            began: false,
            ended: false,
            until: None,
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
const LOOKS: [&str; 8] = [
    "hide",
    "show",
    "skinparam",
    "scale",
    "left",
    "top",
    "mainframe",
    "caption",
];
/// Words that begin text around the diagram.
const AROUND: [&str; 5] = ["header", "footer", "legend", "center", "right"];

struct Reader {
    diagram: Diagram,
    /// `@startuml` was seen.
    began: bool,
    /// `@enduml` was seen.
    ended: bool,
    /// A block that is left out, and what ends it.
    until: Option<(Vec<&'static str>, Name)>,
}

impl Reader {
    /// Reads a line; false if the file is no diagram.
    fn line(&mut self, line: &Name, out: &mut Diagnostics) -> bool {
        let text = line.value.as_str();
        if let Some((ends, _)) = &self.until {
            if ends
                .iter()
                .any(|end| text == *end || (*end == "'/" && text.ends_with(end)))
            {
                self.until = None;
            }
            return true;
        }
        if text.starts_with("/'") {
            self.until = (!text.ends_with("'/")).then(|| (vec!["'/"], line.clone()));
        } else if text.starts_with('\'') {
            // A comment.
        } else if self.ended {
            out.push(
                ignored(line.span, "only the first diagram of a file is read")
                    .label("after `@enduml`"),
            );
            self.until = Some((Vec::new(), line.clone()));
        } else if !self.began {
            return self.begin(line, out);
        } else if text == "@enduml" {
            self.ended = true;
        } else {
            self.inside(line, out);
        }
        true
    }

    fn begin(&mut self, line: &Name, out: &mut Diagnostics) -> bool {
        let Some(rest) = line.value.strip_prefix("@startuml") else {
            let message = format!(
                "a PlantUML diagram begins with `@startuml`, not with `{}`",
                shown(&line.value)
            );
            out.push(syntax(line.span, message).label("something else"));
            return false;
        };
        let name = part(line, line.value.len() - rest.len()..line.value.len());
        self.diagram.name = Some(name).filter(|name| !name.value.is_empty());
        self.began = true;
        true
    }

    fn inside(&mut self, line: &Name, out: &mut Diagnostics) {
        let text = line.value.as_str();
        let first = text.split([' ', '\t', ':', '<']).next().unwrap_or_default();
        let is_arrow = PlantUml.arrow(text).is_some();
        let alone = text.len() > first.len() && colon(text).is_none() && !is_arrow;
        match first {
            "--" | "||" if text == first => self.diagram.separate(),
            "title" if alone => {
                let name = part(line, first.len()..text.len());
                self.diagram.name = Some(Name::new(PlantUml.decoded(&name.value), name.span));
            }
            "title" if text == "title" => self.skip(line, &["end title", "endtitle"]),
            "note" if !is_arrow => self.note(line, out),
            _ if LOOKS.contains(&first) && alone => {
                if text.ends_with('{') {
                    self.skip(line, &["}"]);
                }
            }
            _ if AROUND.contains(&first) && !is_arrow && colon(text).is_none() => {
                out.push(
                    ignored(line.span, "text around the diagram is left out")
                        .label("has no effect"),
                );
                if text == first {
                    self.skip(
                        line,
                        &[
                            "end header",
                            "endheader",
                            "end footer",
                            "endfooter",
                            "end legend",
                            "endlegend",
                        ],
                    );
                }
            }
            "" if text.starts_with("<style>") => self.skip(line, &["</style>"]),
            _ if text.starts_with("!theme") || text.starts_with("!pragma") => {}
            _ if text.starts_with('!') => {
                let problem = refused(
                    line.span,
                    "instructions to the preprocessor cannot be imported",
                );
                out.push(
                    problem
                        .label("is not carried out")
                        .help("import the diagram that comes out of it"),
                );
            }
            _ if text.contains(" .. ") && !is_arrow => {
                out.push(ignored(line.span, "lines to notes are left out").label("has no effect"));
            }
            _ => self.diagram.line(line, &PlantUml, out),
        }
    }

    fn note(&mut self, line: &Name, out: &mut Diagnostics) {
        out.push(
            ignored(line.span, "notes are left out")
                .label("has no effect")
                .help("write `'` before it"),
        );
        if colon(&line.value).is_none() && !line.value.contains('"') {
            self.skip(line, &["end note", "endnote"]);
        }
    }

    fn skip(&mut self, line: &Name, ends: &[&'static str]) {
        self.until = Some((ends.to_vec(), line.clone()));
    }

    /// What must be there at the end; false if there is nothing to make a machine of.
    fn finish(&mut self, text: &str, out: &mut Diagnostics) -> bool {
        let end = Span::bytes(text.len()..text.len());
        if let Some((ends, line)) = self.until.as_ref().filter(|_| !self.ended) {
            let problem = syntax(line.span, "this is never closed").label("begins here");
            out.push(problem.help(format!(
                "add a line `{}`",
                ends.first().unwrap_or(&"@enduml")
            )));
        } else if self.began && !self.ended {
            out.push(
                syntax(end, "`@enduml` is missing at the end")
                    .help("add it: the file may have been cut off"),
            );
        }
        self.diagram.finish(text.len(), out);
        if self.diagram.too_deep {
            return false;
        }
        if !self.began || self.diagram.nodes.is_empty() {
            let problem = syntax(end, "there is no state in the file");
            out.push(problem.help(
                "the least diagram is `@startuml`, `[*] --> a` and `@enduml`, on three lines",
            ));
            return false;
        }
        true
    }
}

struct PlantUml;

impl Dialect for PlantUml {
    /// `-->`, `->`, `-up->`, `-[#red]->`, and all of them the other way round.
    fn arrow(&self, line: &str) -> Option<Arrow> {
        let stop = colon(line).unwrap_or(line.len());
        let mut quoted = false;
        for (start, c) in line[..stop].char_indices() {
            if c == '"' {
                quoted = !quoted;
            }
            // Inside of a run of dashes nothing new can begin.
            let in_run = line[..start].ends_with('-');
            let (end, reversed) = match c {
                '-' if !quoted && !in_run => (forward(&line[start..stop]), false),
                '<' if !quoted => (backward(&line[start..stop]), true),
                _ => (None, false),
            };
            if let Some(length) = end {
                return Some(Arrow {
                    start,
                    end: start + length,
                    reversed,
                });
            }
        }
        None
    }

    /// `<U+003A>` stands for `:`, and `\n` for a line end.
    fn decoded(&self, text: &str) -> String {
        let text = text.replace("\\n", " ");
        let mut out = String::with_capacity(text.len());
        let mut rest = text.as_str();
        while let Some(at) = rest.find("<U+") {
            out.push_str(&rest[..at]);
            let digits = rest[at + 3..]
                .bytes()
                .take(6)
                .take_while(u8::is_ascii_hexdigit)
                .count();
            let after = at + 3 + digits;
            let code = u32::from_str_radix(&rest[at + 3..after], 16)
                .ok()
                .and_then(char::from_u32);
            match code.filter(|_| rest[after..].starts_with('>')) {
                Some(c) => {
                    out.push(c);
                    rest = &rest[after + 1..];
                }
                None => {
                    out.push_str("<U+");
                    rest = &rest[at + 3..];
                }
            }
        }
        out.push_str(rest);
        out
    }

    /// Without a color such as `#red` or `#line.dashed`.
    fn bare<'l>(&self, text: &'l str) -> &'l str {
        match text.find(" #") {
            Some(at) if !text[..at].contains('"') || text[..at].matches('"').count() == 2 => {
                text[..at].trim_end()
            }
            _ => text,
        }
    }

    fn has_bare_ids(&self) -> bool {
        false
    }

    fn help(&self) -> &'static str {
        "lines look like `a --> b : event`, `state \"Name\" as a`, `a : text`"
    }
}

/// Longest style of an arrow, in bytes.
const MAX_STYLE: usize = 200;

/// Length of the shaft of an arrow: dashes, a style in brackets, a direction.
fn shaft(text: &str) -> Option<usize> {
    const DIRECTIONS: [&str; 14] = [
        "down", "left", "right", "up", "do", "le", "ri", "d", "l", "r", "u", "Down", "Left",
        "Right",
    ];
    let dashes = |text: &str| text.bytes().take_while(|&byte| byte == b'-').count();
    let mut at = dashes(text);
    if at == 0 {
        return None;
    }
    for _ in 0..2 {
        if text[at..].starts_with('[') {
            at += text
                .bytes()
                .skip(at)
                .take(MAX_STYLE)
                .position(|byte| byte == b']')?
                + 1;
        }
        if let Some(direction) = DIRECTIONS.iter().find(|word| {
            text[at..].starts_with(**word) && text[at + word.len()..].starts_with(['-', '['])
        }) {
            at += direction.len();
        }
    }
    Some(at + dashes(&text[at..]))
}

fn forward(text: &str) -> Option<usize> {
    let length = shaft(text)?;
    text[length..].starts_with('>').then_some(length + 1)
}

fn backward(text: &str) -> Option<usize> {
    let length = shaft(&text[1..])?;
    text[1..1 + length].ends_with('-').then_some(length + 1)
}
