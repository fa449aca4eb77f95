//! Owns the step from bytes to text, which is the same for every format.

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::{Diagnostic, Diagnostics};
use statewright_author::graph::Machine;
use statewright_author::span::{Source, Span};

use crate::limits::MAX_BYTES;

/// Reads bytes, which must be UTF-8, with the reader of a format.
pub fn read_bytes(
    name: &str,
    bytes: &[u8],
    read: impl FnOnce(&str, &str) -> (Machine, Diagnostics),
) -> (Machine, Diagnostics) {
    match std::str::from_utf8(bytes) {
        Ok(text) => read(name, text),
        Err(error) => unreadable(name, bytes, error.valid_up_to()),
    }
}

/// The report on a text that is too long; a reader asks before it does anything else.
pub fn too_long(text: &str) -> Option<Diagnostic> {
    let size = text.len();
    (size > MAX_BYTES).then(|| {
        let message = format!("the file has {size} bytes; import reads at most {MAX_BYTES}");
        Diagnostic::new(DiagnosticCode::ImportLimit, Span::default(), message).label("too long")
    })
}

/// The report on bytes that are not text. The spans refer to the text with `�` for what could not
/// be read.
fn unreadable(name: &str, bytes: &[u8], offset: usize) -> (Machine, Diagnostics) {
    let mut out = Diagnostics::default();
    let shown = &bytes[..bytes.len().min(MAX_BYTES)];
    let text = String::from_utf8_lossy(shown).into_owned();
    let message = format!("the file is not UTF-8 text: byte {offset} cannot be read");
    let span = Span::bytes(offset..offset + char::REPLACEMENT_CHARACTER.len_utf8());
    let utf_16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    let help = if utf_16 {
        "it looks like UTF-16; save it as UTF-8"
    } else {
        "save it as UTF-8"
    };
    out.push(
        Diagnostic::new(DiagnosticCode::ImportSyntax, span, message)
            .label("not UTF-8")
            .help(help),
    );
    (
        Machine {
            source: Source::file(name, text),
            ..Machine::default()
        },
        out,
    )
}
