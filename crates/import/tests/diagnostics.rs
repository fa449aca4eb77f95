//! Every code of imported files has files that provoke it and the exact text they give; the
//! examples of its page are true.
//!
//! `diagnostics/NAME.ENDING` is read by the format of its ending and compiled; the rendered
//! problems are compared with `NAME.txt`. Names begin with the code in small letters. `BLESS=1`
//! rewrites the texts. What the compiler says later is part of the text.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::Read;
use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::Diagnostics;
use statewright_author::graph::Machine;
use statewright_author::render::{Style, render_text};
use statewright_compile::{Options, compile_with};
use statewright_import::{export, mermaid, plantuml, scxml, xstate};

/// Formats by the endings of their fixtures, and what code blocks of the pages call them.
const FORMATS: [(&str, &str, Read); 5] = [
    ("scxml", "xml", scxml::read),
    ("xstate.json", "json", xstate::read),
    ("mmd", "mermaid", mermaid::read),
    ("puml", "plantuml", plantuml::read),
    ("sw.json", "jsonc", exported),
];

/// A machine file, and what stands in the way of its export.
fn exported(name: &str, text: &str) -> (Machine, Diagnostics) {
    let (machine, mut problems) = statewright_author::text::read(name, text);
    if let Err(found) = export::scxml(&machine) {
        problems.append(found);
    }
    (machine, problems)
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diagnostics")
}

/// The codes and the rendered text of a file.
fn compile(read: Read, name: &str, text: &str) -> (BTreeSet<&'static str>, String) {
    let (machine, found) = read(name, text);
    let (_, problems) = compile_with(&machine, found, &Options::default());
    let codes = problems
        .iter()
        .map(|problem| problem.code.info().id)
        .collect();
    (
        codes,
        render_text(&problems, &machine.source, Style::default()),
    )
}

fn import_codes() -> impl Iterator<Item = DiagnosticCode> {
    DiagnosticCode::ALL
        .iter()
        .copied()
        .filter(|code| code.info().id.starts_with("SW08"))
}

#[test]
fn every_fixture_says_exactly_this() {
    let (mut wrong, mut provoked) = (String::new(), BTreeSet::new());
    let files = fs::read_dir(folder())
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut files: Vec<String> = files.filter(|name| !name.ends_with(".txt")).collect();
    files.sort();
    for name in &files {
        let found = FORMATS
            .iter()
            .find_map(|(ending, _, read)| Some((name.strip_suffix(&format!(".{ending}"))?, read)));
        let (stem, read) = found.unwrap_or_else(|| panic!("{name} is of no format"));
        let (codes, text) = compile(
            *read,
            name,
            &fs::read_to_string(folder().join(name)).unwrap(),
        );
        let code = stem[..6].to_uppercase();
        assert_eq!(codes, BTreeSet::from([code.as_str()]), "{name}\n{text}");
        provoked.insert(code);
        let path = folder().join(format!("{stem}.txt"));
        if std::env::var_os("BLESS").is_some() {
            fs::write(&path, &text).unwrap();
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        if expected != text {
            wrong.push_str(&format!(
                "--- {name}: expected\n{expected}\n+++ {name}: found\n{text}\n"
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong}BLESS=1 accepts the texts");
    assert_eq!(
        provoked,
        import_codes()
            .map(|code| code.info().id.to_owned())
            .collect::<BTreeSet<_>>()
    );
}

#[test]
fn the_examples_of_every_page_are_true() {
    let mut seen = 0;
    for info in import_codes().map(DiagnosticCode::info) {
        for (_, word, read) in FORMATS {
            for (mark, expected) in [
                ("wrong", BTreeSet::from([info.id])),
                ("right", BTreeSet::new()),
            ] {
                let start = format!("```{word} {mark}\n");
                for block in info
                    .page
                    .split(start.as_str())
                    .skip(1)
                    .filter_map(|rest| rest.split("```").next())
                {
                    let (codes, text) = compile(read, mark, block);
                    assert_eq!(codes, expected, "{}: the {mark} example\n{text}", info.id);
                    seen += 1;
                }
            }
        }
    }
    assert!(seen >= 8, "{seen} examples");
}
