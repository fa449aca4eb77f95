//! Cases written by hand from the recommendation: a document, and either what is wrong with it or
//! what it does.
//!
//! ```text
//! == name of the case
//! <scxml …>…</scxml>
//! -- problems
//! SW0802 3:5 `<script>`
//! -- script
//! start = a
//! send go = b c : -a label label(3) x=3 +b +c
//! after 100 = ended f
//! ```
//!
//! A line of a script is a command, the active leaves after it in document order, and after a
//! colon, if the order matters, everything that happened: `-a` an exit, `+a` an entry, `label` or
//! `label(value)` a log, `!f(1)` a call, `x=3` an assignment, `nothing`. `-- import: why` in place
//! of `-- script` asks the imported machine alone, where the other reader of documents does not
//! know the element or has no such limit.

use statewright_author::diagnostic::Severity;
use statewright_compile::{Options, compile_with};
use statewright_scxml_oracle::{Document, Interpreter};

use crate::machine::{Imported, import, import_through_text};
use crate::order::{of_document, of_machine};

/// A case.
#[derive(Clone, Debug, Default)]
pub struct Case {
    /// Its name.
    pub name: String,
    /// The document.
    pub document: String,
    /// What is said about it: code, line, column and message.
    pub problems: Vec<String>,
    /// What it does.
    pub script: Vec<Line>,
    /// Whether the interpreter of the document is asked, too.
    pub asks_document: bool,
}

/// A line of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// `start`, `send EVENT` or `after MILLISECONDS`.
    pub command: String,
    /// The active leaves afterwards; `ended` stands before them after the end, `stopped` alone for
    /// an agent that a limit stopped.
    pub active: String,
    /// What happened, if the case says.
    pub deeds: Option<String>,
}

/// Reads a file of cases.
pub fn parse(text: &str) -> Result<Vec<Case>, String> {
    let mut cases: Vec<Case> = Vec::new();
    let mut part = Part::Document;
    for (number, line) in text.lines().enumerate() {
        if let Some(name) = line.strip_prefix("== ") {
            cases.push(Case {
                name: name.trim().to_owned(),
                ..Case::default()
            });
            part = Part::Document;
            continue;
        }
        let Some(case) = cases.last_mut() else {
            continue;
        };
        let is_blank = line.trim().is_empty();
        match (part, line) {
            (_, "-- problems") => part = Part::Problems,
            (_, "-- script") => (part, case.asks_document) = (Part::Script, true),
            (_, other) if other.starts_with("-- import: ") => part = Part::Script,
            (_, other) if other.starts_with("-- ") => {
                return Err(format!("line {}: `{other}`", number + 1));
            }
            (Part::Document, line) if !is_blank || !case.document.is_empty() => {
                case.document += &format!("{line}\n")
            }
            (Part::Problems, line) if !is_blank => case.problems.push(line.trim().to_owned()),
            (Part::Script, line) if !is_blank => {
                let line =
                    read_line(line).ok_or_else(|| format!("line {}: `{line}`", number + 1))?;
                case.script.push(line);
            }
            _ => {}
        }
    }
    let empty = cases
        .iter()
        .find(|case| case.problems.is_empty() && case.script.is_empty());
    empty.map_or(Ok(()), |case| {
        Err(format!("`{}` expects nothing", case.name))
    })?;
    Ok(cases)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Document,
    Problems,
    Script,
}

fn read_line(line: &str) -> Option<Line> {
    let (command, rest) = line.split_once(" = ")?;
    let (active, deeds) = match rest.split_once(" : ") {
        Some((active, deeds)) => (active, Some(deeds.trim().to_owned())),
        None => (rest, None),
    };
    Some(Line {
        command: command.trim().to_owned(),
        active: active.trim().to_owned(),
        deeds,
    })
}

/// Checks a case in every way that it allows.
pub fn check(case: &Case) -> Result<(), String> {
    let found = problems(&case.document);
    if found != case.problems {
        return Err(format!(
            "problems\nexpected:\n  {}\nfound:\n  {}",
            case.problems.join("\n  "),
            found.join("\n  ")
        ));
    }
    let Some(first) = case.script.first() else {
        return Ok(());
    };
    if first.command != "start" {
        return Err("a script begins with `start`".to_owned());
    }
    on_machine(case, import("case.scxml", &case.document)?)
        .map_err(|words| format!("imported: {words}"))?;
    on_machine(case, import_through_text("case.scxml", &case.document)?)
        .map_err(|words| format!("imported, written as a native file and read again: {words}"))?;
    if case.asks_document {
        on_document(case).map_err(|words| format!("by the document: {words}"))?;
    }
    Ok(())
}

/// Errors of import and of the compiler, and warnings of import.
fn problems(text: &str) -> Vec<String> {
    let (machine, found) = statewright_import::scxml::read("case.scxml", text);
    let (_, found) = compile_with(&machine, found, &Options::default());
    let told = found
        .iter()
        .filter(|one| one.severity == Severity::Error || one.code.info().id.starts_with("SW08"));
    let line = |one: &statewright_author::diagnostic::Diagnostic| {
        let (line, column) = machine.source.line_column(one.span.start).unwrap_or((1, 1));
        format!("{} {line}:{column} {}", one.code.info().id, one.message)
    };
    told.map(line).collect()
}

fn on_machine(case: &Case, mut machine: Imported) -> Result<(), String> {
    for line in &case.script {
        let deeds = match line.command.as_str() {
            "start" => of_machine(&machine, &std::sync::Arc::clone(machine.session().start())),
            command => machine.happened(command)?,
        };
        let session = machine.session();
        let active = match (session.look().quarantined, session.has_ended()) {
            (true, _) => "stopped".to_owned(),
            (false, true) => format!("ended {}", machine.configuration().join(" ")),
            (false, false) => machine.configuration().join(" "),
        };
        compare(line, &active, &deeds)?;
    }
    Ok(())
}

/// A tick is a millisecond, and an event takes one.
fn on_document(case: &Case) -> Result<(), String> {
    let document = Document::parse(&case.document)?;
    let mut run = Interpreter::new(&document);
    for line in &case.script {
        let _ = match line.command.split_once(' ') {
            Some(("send", event)) => {
                let _ = run.advance(1);
                run.send(event)
            }
            Some(("after", milliseconds)) => {
                run.advance(milliseconds.parse().map_err(|_| line.command.clone())?)
            }
            _ => run.start(),
        };
        let active = match run.terminated() {
            true => format!("ended {}", run.ended_in().join(" ")),
            false => run.configuration().join(" "),
        };
        compare(line, &active, &of_document(&run.take_log()))?;
    }
    Ok(())
}

fn compare(line: &Line, active: &str, deeds: &[String]) -> Result<(), String> {
    let deeds = if deeds.is_empty() {
        "nothing".to_owned()
    } else {
        deeds
            .iter()
            .map(|deed| word(deed))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let expected = line.deeds.as_deref().unwrap_or(&deeds);
    if (line.active.as_str(), expected) == (active, deeds.as_str()) {
        return Ok(());
    }
    Err(format!(
        "`{}`\nexpected: {} : {expected}\nfound:    {active} : {deeds}",
        line.command, line.active
    ))
}

/// What happened, in one word.
fn word(deed: &str) -> String {
    let marks = [
        ("exit ", "-"),
        ("enter ", "+"),
        ("log ", ""),
        ("call ", "!"),
    ];
    let marked = marks
        .iter()
        .find_map(|(start, mark)| Some(format!("{mark}{}", deed.strip_prefix(start)?)));
    marked.unwrap_or_else(|| deed.replace(" = ", "="))
}
