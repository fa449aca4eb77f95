//! The text form of a machine, `*.sw.json`: JSON with comments and trailing commas.
//!
//! In comes text, out go a [`Machine`] and everything that is wrong with the text. The stages are
//! the files: `scan` (size, nesting), `parse` (JSON tree with spans), `check` (against the
//! [`shape`]), `extract` (nested shape) or `flat` (flat shape) into the graph. What is well-formed
//! is in the graph even if the rest is not, so that later passes can report, too. The way back,
//! from a graph to text, is `write`.

mod check;
mod describe;
mod extract;
mod flat;
pub mod json;
mod name;
mod parse;
mod scan;
mod schema;
pub mod shape;
mod shapes;
mod write;

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;

use crate::codes::DiagnosticCode;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::graph::Machine;
use crate::limits::MAX_TEXT_BYTES;
use crate::span::{Source, Span};
use extract::Reader;
use shape::{Json, ObjectKind, file_kind};

pub use parse::options as parse_options;
pub use schema::{Draft, schema};
pub use shape::key_order;
pub(crate) use write::Fields;
pub use write::{left_out, write, write_with};

/// How the names of machine files end.
pub const MACHINE_SUFFIX: &str = ".sw.json";

/// Reads a machine file. `name` is the file's name as messages show it.
pub fn read(name: &str, text: &str) -> (Machine, Diagnostics) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut out = Diagnostics::default();
    let mut machine = read_text(text, &mut out).unwrap_or_default();
    let kept = if text.len() > MAX_TEXT_BYTES {
        ""
    } else {
        text
    };
    machine.source = Source::file(name, kept);
    out.sort();
    (machine, out)
}

/// Reads a machine file from bytes, which must be UTF-8.
pub fn read_bytes(name: &str, bytes: &[u8]) -> (Machine, Diagnostics) {
    match std::str::from_utf8(bytes) {
        Ok(text) => read(name, text),
        Err(error) => unreadable(name, bytes, error.valid_up_to()),
    }
}

fn read_text(text: &str, out: &mut Diagnostics) -> Option<Machine> {
    if !scan::scan(text, out) {
        return None;
    }
    let tree = match parse::parse(text) {
        Ok(tree) => tree,
        Err(problem) => {
            out.push(*problem);
            return None;
        }
    };
    let Value::Object(object) = &tree else {
        out.push(not_an_object(&tree));
        return None;
    };
    let kind = kind_of(object);
    let bad = check::check(text, object, kind, out);
    let reader = Reader { text, bad };
    Some(match kind {
        ObjectKind::FlatMachine => flat::machine(&reader, object, out),
        _ => reader.nested_machine(object),
    })
}

/// Which shape a file has.
fn kind_of(object: &Object) -> ObjectKind {
    file_kind(
        object
            .get("states")
            .map(|property| parse::json(&property.value)),
    )
}

fn not_an_object(tree: &Value) -> Diagnostic {
    let found = parse::json(tree);
    let message = format!(
        "a machine must be {}, found {}",
        Json::Object.words(),
        found.words()
    );
    Diagnostic::new(
        DiagnosticCode::WrongType,
        parse::span(tree.range()),
        message,
    )
    .label(format!("this is {}", found.words()))
}

/// The report on bytes that are not text. The spans refer to the text with `�` for what could not
/// be read.
fn unreadable(name: &str, bytes: &[u8], offset: usize) -> (Machine, Diagnostics) {
    let mut out = Diagnostics::default();
    let mut text = String::new();
    if bytes.len() > MAX_TEXT_BYTES {
        out.push(scan::too_large(bytes.len()));
    } else {
        text = String::from_utf8_lossy(bytes).into_owned();
        let shown = char::REPLACEMENT_CHARACTER.len_utf8();
        let message = format!("the file is not UTF-8 text: byte {offset} cannot be read");
        let problem = Diagnostic::new(
            DiagnosticCode::Syntax,
            Span::bytes(offset..offset + shown),
            message,
        );
        let utf_16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
        let help = if utf_16 {
            "it looks like UTF-16; save it as UTF-8"
        } else {
            "save it as UTF-8"
        };
        out.push(problem.label("not UTF-8").help(help));
    }
    (
        Machine {
            source: Source::file(name, text),
            ..Machine::default()
        },
        out,
    )
}

/// The JSON of a machine file without its comments; `None` if it is not JSON.
pub fn to_json(text: &str) -> Option<serde_json::Value> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if !scan::scan(text, &mut Diagnostics::default()) {
        return None;
    }
    parse::parse(text).ok().map(|tree| parse::to_json(&tree))
}
