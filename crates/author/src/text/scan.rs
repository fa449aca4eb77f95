//! Owns the first look at a file's text, before any parser: size, nesting, strings that are not
//! closed.
//!
//! The parser recurses and reads a line break inside a string as part of it; both are settled here,
//! in one pass without recursion.

use crate::codes::DiagnosticCode;
use crate::diagnostic::{Diagnostic, Diagnostics, Fix};
use crate::limits::{MAX_NESTING, MAX_TEXT_BYTES};
use crate::span::Span;

/// Whether the text may go on to the parser. What stands in the way is reported.
pub(crate) fn scan(text: &str, out: &mut Diagnostics) -> bool {
    if text.len() > MAX_TEXT_BYTES {
        out.push(too_large(text.len()));
        return false;
    }
    let mut scanner = Scanner {
        bytes: text.as_bytes(),
        at: 0,
        depth: 0,
        out,
    };
    while let Some(&byte) = scanner.bytes.get(scanner.at) {
        if !scanner.step(byte) {
            return false;
        }
    }
    true
}

/// The report on a file over the limit.
pub(crate) fn too_large(bytes: usize) -> Diagnostic {
    let message = format!("the file has {bytes} bytes, at most {MAX_TEXT_BYTES} are read");
    Diagnostic::new(DiagnosticCode::FileTooLarge, Span::default(), message)
        .label("too much")
        .help("split the machine into several, or keep editor data (`meta`) in a file of its own")
}

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: usize,
    out: &'a mut Diagnostics,
}

impl Scanner<'_> {
    /// Moves past one bracket, string, comment or other byte; false ends the scan.
    fn step(&mut self, byte: u8) -> bool {
        match byte {
            b'"' => return self.string(),
            b'/' => self.comment(),
            b'{' | b'[' => return self.open(),
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                self.at += 1;
            }
            _ => self.at += 1,
        }
        true
    }

    fn open(&mut self) -> bool {
        self.depth += 1;
        self.at += 1;
        if self.depth <= MAX_NESTING {
            return true;
        }
        let message = format!("brackets are nested more than {MAX_NESTING} deep");
        let span = Span::bytes(self.at - 1..self.at);
        let problem =
            Diagnostic::new(DiagnosticCode::NestedTooDeeply, span, message).label("one too many");
        self.out.push(
            problem
                .help("close what was opened by mistake, or keep such data in a file of its own"),
        );
        false
    }

    fn comment(&mut self) {
        let rest = &self.bytes[self.at..];
        let length = match rest.get(1) {
            Some(b'/') => rest
                .iter()
                .position(|&b| b == b'\n' || b == b'\r')
                .unwrap_or(rest.len()),
            Some(b'*') => rest[2..]
                .windows(2)
                .position(|pair| pair == b"*/")
                .map_or(rest.len(), |end| end + 4),
            _ => 1,
        };
        self.at += length;
    }

    fn string(&mut self) -> bool {
        let start = self.at;
        self.at += 1;
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'"' => {
                    self.at += 1;
                    return true;
                }
                b'\n' | b'\r' => {
                    self.unclosed(start);
                    return false;
                }
                // A backslash takes the next byte with it, but not a line break, which is never
                // legal.
                b'\\' if !matches!(self.bytes.get(self.at + 1), Some(b'\n' | b'\r')) => {
                    self.at += 2
                }
                0..=0x1f => self.raw_control(byte),
                _ => self.at += 1,
            }
        }
        self.unclosed(start);
        false
    }

    fn unclosed(&mut self, start: usize) {
        let span = Span::bytes(start..self.at.min(self.bytes.len()));
        let problem = Diagnostic::new(
            DiagnosticCode::Syntax,
            span,
            "the text is not closed on its line",
        );
        self.out.push(
            problem
                .label("begins here")
                .fix(Fix::replace(
                    "Add `\"`",
                    Span {
                        start: span.end,
                        ..span
                    },
                    "\"",
                ))
                .help("end it with `\"`; write a line break inside text as `\\n`"),
        );
    }

    fn raw_control(&mut self, byte: u8) {
        let span = Span::bytes(self.at..self.at + 1);
        let escape = if byte == b'\t' {
            "\\t".into()
        } else {
            format!("\\u{byte:04x}")
        };
        let message = format!("the control character U+{byte:04X} must not stand in text as it is");
        self.out.push(
            Diagnostic::new(DiagnosticCode::Syntax, span, message)
                .help(format!(
                    "remove it: no name may have it; in other text write `{escape}`"
                ))
                .fix(Fix::replace("Remove it", span, ""))
                .fix(Fix::name(span, escape)),
        );
        self.at += 1;
    }
}
