//! Every diagnostic code has a machine that provokes it, the exact text it gives, and a page whose
//! examples are true.
//!
//! `diagnostics/SWxxxx.sw.json` is compiled and its rendered problems are compared with
//! `SWxxxx.txt`. A first line `// strict` or `// dev` chooses the compile options. The pages are
//! `crates/author/errors/SWxxxx.md`; their blocks marked `jsonc wrong` and `jsonc right` are compiled, too.
//! `BLESS=1` rewrites the texts and the index of the pages. Codes of imported files are proved the
//! same way in `crates/import/tests/diagnostics.rs`.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::Diagnostics;
use statewright_author::graph::Machine;
use statewright_author::limits::MAX_TEXT_BYTES;
use statewright_author::parts;
use statewright_author::render::{Style, render_text};
use statewright_author::span::Source;
use statewright_compile::{Options, compile_with};

/// Codes that no file of a reasonable size provokes; each has a test of its own below.
const WITHOUT_FILE: [DiagnosticCode; 3] = [
    DiagnosticCode::FileTooLarge,
    DiagnosticCode::TooManySteps,
    DiagnosticCode::Internal,
];

/// Groups of codes by how they start, as the index shows them.
const GROUPS: [(&str, &str); 10] = [
    ("SW00", "The file as text"),
    ("SW01", "Names"),
    ("SW02", "The tree of states"),
    ("SW03", "Transitions"),
    ("SW04", "Events and timers"),
    ("SW05", "Sizes"),
    ("SW06", "Expressions and actions"),
    ("SW07", "Data"),
    ("SW08", "Import"),
    ("SW09", "The compiler itself"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn fixtures() -> PathBuf {
    root().join("crates/compile/tests/diagnostics")
}

fn pages() -> PathBuf {
    root().join("crates/author/errors")
}

fn blessing() -> bool {
    std::env::var_os("BLESS").is_some()
}

fn has_file(code: DiagnosticCode) -> bool {
    !WITHOUT_FILE.contains(&code) && !is_import(code)
}

/// Codes of files in formats of others.
fn is_import(code: DiagnosticCode) -> bool {
    code.info().id.starts_with("SW08")
}

/// What the compiler says about a text.
struct Said {
    codes: BTreeSet<&'static str>,
    errors: usize,
    text: String,
}

fn compile(name: &str, text: &str) -> Said {
    let first = text.lines().next().unwrap_or_default();
    let options = Options {
        strict: first == "// strict",
        dev: first == "// dev",
    };
    let (machine, found) = parts::read(name, text, &Parts);
    let (_, problems) = compile_with(&machine, found, &options);
    said(&problems, &machine.source)
}

/// The files in `diagnostics/parts`, which fixtures and pages may use.
struct Parts;

impl parts::PartFiles for Parts {
    fn read(&self, name: &str) -> Result<String, String> {
        fs::read_to_string(fixtures().join(name)).map_err(|error| error.kind().to_string())
    }
}

fn said(problems: &Diagnostics, source: &Source) -> Said {
    Said {
        codes: problems
            .iter()
            .map(|problem| problem.code.info().id)
            .collect(),
        errors: problems.errors(),
        text: render_text(problems, source, Style::default()),
    }
}

/// Compares a text with a file, or writes the file; what differs is added to the list.
fn compare(path: &Path, text: &str, wrong: &mut String) {
    if blessing() {
        return fs::write(path, text).expect("can be written");
    }
    let expected = fs::read_to_string(path).unwrap_or_default();
    if expected != text {
        let name = path.file_name().unwrap_or_default().display();
        let _ = writeln!(
            wrong,
            "--- {name}: expected\n{expected}\n+++ {name}: found\n{text}"
        );
    }
}

#[test]
fn every_code_is_provoked_alone_and_says_exactly_this() {
    let mut wrong = String::new();
    for code in DiagnosticCode::ALL
        .iter()
        .copied()
        .filter(|&code| has_file(code))
    {
        let id = code.info().id;
        let name = format!("{id}.sw.json");
        let Ok(text) = fs::read_to_string(fixtures().join(&name)) else {
            let _ = writeln!(wrong, "{name} is missing");
            continue;
        };
        let said = compile(&name, &text);
        if said.codes != BTreeSet::from([id]) {
            let _ = writeln!(wrong, "{name} gives {:?}", said.codes);
        }
        compare(
            &fixtures().join(format!("{id}.txt")),
            &said.text,
            &mut wrong,
        );
    }
    assert!(wrong.is_empty(), "{wrong}\nBLESS=1 accepts the texts");
}

/// Mistakes that people made and were told too little about: `messages/NAME.sw.json` and `NAME.txt`.
#[test]
fn mistakes_of_people_are_answered_like_this() {
    let mut wrong = String::new();
    let folder = root().join("crates/compile/tests/messages");
    let stems = stems(&folder, ".sw.json");
    assert!(stems.len() >= 4, "{stems:?}");
    for stem in stems {
        let name = format!("{stem}.sw.json");
        let text = fs::read_to_string(folder.join(&name)).expect("a fixture");
        let said = compile(&name, &text);
        assert!(!said.codes.is_empty(), "{name} is no mistake");
        compare(&folder.join(format!("{stem}.txt")), &said.text, &mut wrong);
    }
    assert!(wrong.is_empty(), "{wrong}\nBLESS=1 accepts the texts");
}

#[test]
fn sw0009_a_file_that_is_too_large() {
    let text = " ".repeat(MAX_TEXT_BYTES + 1);
    let (machine, problems) = statewright_author::text::read("SW0009.sw.json", &text);
    let said = said(&problems, &machine.source);
    assert_eq!(said.codes, BTreeSet::from(["SW0009"]));
    let mut wrong = String::new();
    compare(&fixtures().join("SW0009.txt"), &said.text, &mut wrong);
    assert!(wrong.is_empty(), "{wrong}");
}

/// Six regions, each behind a history point with sixteen choices.
#[test]
fn sw0505_entering_takes_too_many_steps() {
    let choice = |r: usize, c: usize| {
        let next = if c < 15 {
            format!("c{r}_{}", c + 1)
        } else {
            format!("b{r}")
        };
        format!(r#""c{r}_{c}": {{ "choice": [{{ "to": "{next}", "do": "Branch" }}] }}"#)
    };
    let region = |r: usize| {
        let choices = (0..16).map(|c| choice(r, c)).collect::<Vec<_>>().join(", ");
        format!(
            r#""r{r}": {{ "states": {{ "x{r}": {{ "initial": "a{r}", "history": {{ "h{r}": {{ "default": "c{r}_0" }} }},
            "states": {{ "a{r}": {{}}, "b{r}": {{}}, {choices} }} }} }} }}"#
        )
    };
    let list = |item: fn(usize) -> String| (0..6).map(item).collect::<Vec<_>>().join(", ");
    let (regions, to) = (
        (0..6).map(region).collect::<Vec<_>>().join(",\n"),
        list(|r| format!(r#""o/x{r}/h{r}""#)),
    );
    let text = format!(
        r#"{{
  "machine": "Boss", "events": ["Go"], "initial": "idle",
  "states": {{
    "idle": {{ "transitions": [{{ "on": "Go", "to": [{to}] }}] }},
    "o": {{ "regions": {{ {regions} }} }} }} }}"#
    );
    let said = compile("SW0505.sw.json", &text);
    assert_eq!(said.codes, BTreeSet::from(["SW0505"]), "{}", said.text);
    let mut wrong = String::new();
    compare(&fixtures().join("SW0505.txt"), &said.text, &mut wrong);
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn sw0901_a_mistake_of_the_compiler() {
    let text = r#"{ "machine": "Guard", "states": { "Patrol": {} } }"#;
    let (machine, mut problems) = statewright_author::text::read("SW0901.sw.json", text);
    problems.push(statewright_compile::internal(
        &machine,
        "states record 3: parent out of range",
    ));
    let said = said(&problems, &machine.source);
    assert_eq!(said.codes, BTreeSet::from(["SW0901"]));
    let mut wrong = String::new();
    compare(&fixtures().join("SW0901.txt"), &said.text, &mut wrong);
    assert!(wrong.is_empty(), "{wrong}");
}

/// Problems of a machine built in Rust have a path instead of a line.
#[test]
fn problems_of_a_builder_name_their_step() {
    let (machine, found) = Machine::build("Guard", |m| {
        m.event("Noise");
        m.state("Patrol", |s| {
            s.on("Noise").go("Serach");
        });
        m.state("Search", |s| {
            s.after("5s").go("Patrol");
        });
    });
    let (_, problems) = compile_with(&machine, found, &Options::default());
    let mut wrong = String::new();
    compare(
        &fixtures().join("builder.txt"),
        &said(&problems, &machine.source).text,
        &mut wrong,
    );
    assert!(wrong.is_empty(), "{wrong}");
}

/// Names of the files of a folder that end in this.
fn stems(folder: &Path, end: &str) -> BTreeSet<String> {
    let files = fs::read_dir(folder).expect("the folder is there");
    let names = files.map(|file| {
        file.expect("can be read")
            .file_name()
            .to_string_lossy()
            .into_owned()
    });
    names
        .filter_map(|name| name.strip_suffix(end).map(str::to_owned))
        .collect()
}

#[test]
fn no_fixture_or_page_is_missing_or_too_much() {
    let all: BTreeSet<String> = DiagnosticCode::ALL
        .iter()
        .map(|code| code.info().id.to_owned())
        .collect();
    let with_file = DiagnosticCode::ALL
        .iter()
        .filter(|&&code| has_file(code))
        .map(|code| code.info().id.to_owned());
    assert_eq!(stems(&fixtures(), ".sw.json"), with_file.collect());
    let mut texts = all.clone();
    texts.retain(|id| DiagnosticCode::find(id).is_some_and(|code| !is_import(code)));
    texts.insert("builder".to_owned());
    assert_eq!(stems(&fixtures(), ".txt"), texts);
    let mut documents = all;
    documents.insert("README".to_owned());
    assert_eq!(stems(&pages(), ".md"), documents);
}

#[test]
fn every_page_has_the_title_of_its_code() {
    for code in DiagnosticCode::ALL {
        let info = code.info();
        let title = format!("# {}: {}", info.id, info.title);
        assert_eq!(info.page.lines().next(), Some(title.as_str()));
    }
}

#[test]
fn the_index_lists_every_code_by_group() {
    let mut index = String::from(
        "# Diagnostics of the compiler\n\n\
         Every problem that the compiler reports has a code. `statewright explain SW0101` shows the page of a code.\n\
         An error stops the compilation; a warning does not, except in strict mode; a hint is shown in strict mode only.\n",
    );
    let mut listed = 0;
    for (start, title) in GROUPS {
        let _ = write!(index, "\n## {title}\n\n| code | | |\n| --- | --- | --- |\n");
        for info in DiagnosticCode::ALL
            .iter()
            .map(|code| code.info())
            .filter(|info| info.id.starts_with(start))
        {
            let _ = writeln!(
                index,
                "| [{0}]({0}.md) | {1} | {2} |",
                info.id,
                info.severity.as_str(),
                info.title
            );
            listed += 1;
        }
    }
    assert_eq!(listed, DiagnosticCode::ALL.len());
    let mut wrong = String::new();
    compare(&pages().join("README.md"), &index, &mut wrong);
    assert!(wrong.is_empty(), "{wrong}\nBLESS=1 writes the index");
}

/// Contents of the blocks of a page that are marked so.
fn blocks<'p>(page: &'p str, mark: &str) -> Vec<&'p str> {
    let start = format!("```jsonc {mark}\n");
    page.split(start.as_str())
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect()
}

#[test]
fn the_examples_of_every_page_are_true() {
    let mut wrong = String::new();
    for code in DiagnosticCode::ALL
        .iter()
        .copied()
        .filter(|&code| has_file(code))
    {
        let info = code.info();
        let (bad, good) = (blocks(info.page, "wrong"), blocks(info.page, "right"));
        if bad.is_empty() || good.is_empty() {
            let _ = writeln!(
                wrong,
                "{}: {} wrong and {} right examples",
                info.id,
                bad.len(),
                good.len()
            );
        }
        for text in bad {
            let said = compile("wrong", text);
            if said.codes != BTreeSet::from([info.id]) {
                let _ = writeln!(
                    wrong,
                    "{}: the wrong example gives {:?}\n{}",
                    info.id, said.codes, said.text
                );
            }
        }
        for text in good {
            let said = compile("right", text);
            if said.errors > 0 || !said.codes.is_empty() {
                let _ = writeln!(
                    wrong,
                    "{}: the right example gives {:?}\n{}",
                    info.id, said.codes, said.text
                );
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
