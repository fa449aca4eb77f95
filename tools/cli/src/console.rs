//! What people see: results on standard output, everything else on standard error, colors only on a
//! terminal.
//!
//! A closed pipe ends the output, not the command: its exit code still says what it found. Any
//! other failure to write results is remembered and ends the command with an error.

use std::cell::{Cell, RefCell};
use std::fmt::{Display, Write as _};
use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Mutex, PoisonError};

use indicatif::ProgressBar;
use statewright_author::diagnostic::Diagnostics;
use statewright_author::names::{is_hidden, visible_lines};
use statewright_author::render::{Style, render_text};
use statewright_author::span::Source;

use crate::args::ColorChoice;
use crate::error::CliError;

/// Widest text where the terminal does not say its size.
const DEFAULT_COLUMNS: usize = 120;

/// The two outputs of the command.
pub(crate) struct Console {
    quiet: bool,
    style: Style,
    /// Whether results may have colors.
    paints: bool,
    /// The bar that is drawn now, shared with the thread that starts it.
    pub(crate) bar: Arc<Mutex<Option<ProgressBar>>>,
    closed: Cell<bool>,
    failed: RefCell<Option<io::Error>>,
}

impl Console {
    pub(crate) fn new(quiet: bool, color: ColorChoice) -> Self {
        let style = Style {
            color: has_color(color, io::stderr().is_terminal()),
            width: columns(),
        };
        let paints = has_color(color, io::stdout().is_terminal());
        Self {
            quiet,
            style,
            paints,
            bar: Arc::default(),
            closed: Cell::new(false),
            failed: RefCell::new(None),
        }
    }

    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Whether results go to somebody who sees colors.
    pub(crate) fn paints(&self) -> bool {
        self.paints
    }

    /// A result. Nothing is added to it.
    pub(crate) fn result(&self, bytes: impl AsRef<[u8]>) {
        if self.closed.get() {
            return;
        }
        let written = self.aside(|| {
            let mut out = io::stdout().lock();
            out.write_all(bytes.as_ref()).and_then(|()| out.flush())
        });
        if let Err(error) = written {
            self.closed.set(true);
            if error.kind() != io::ErrorKind::BrokenPipe {
                self.failed.replace(Some(error));
            }
        }
    }

    /// A result that is JSON. What a reader could not see is escaped, as JSON does it.
    pub(crate) fn json(&self, value: &serde_json::Value) {
        self.result(escaped(&format!("{value:#}\n")));
    }

    /// The same, one line each.
    pub(crate) fn json_lines<'v>(&self, values: impl IntoIterator<Item = &'v serde_json::Value>) {
        let lines: String = values
            .into_iter()
            .map(|value| format!("{value}\n"))
            .collect();
        self.result(escaped(&lines));
    }

    /// Something good to know: not with `--quiet`.
    pub(crate) fn note(&self, text: impl Display) {
        if !self.quiet {
            self.say(format_args!("{}", visible_lines(&text.to_string())));
        }
    }

    /// An empty screen, if there is one.
    pub(crate) fn clear(&self) {
        if io::stderr().is_terminal() {
            // Everything, what has scrolled away, and the cursor to its corner.
            _ = self.aside(|| io::stderr().lock().write_all(b"\x1b[2J\x1b[3J\x1b[H"));
        }
    }

    /// A problem of the command itself.
    pub(crate) fn error(&self, error: &CliError) {
        let error = visible_lines(&error.to_string());
        if self.style.color {
            self.say(format_args!("\x1b[1m\x1b[91merror\x1b[0m: {error}"));
        } else {
            self.say(format_args!("error: {error}"));
        }
    }

    /// Something that needs attention but stops nothing.
    pub(crate) fn warning(&self, text: impl Display) {
        let text = visible_lines(&text.to_string());
        if self.style.color {
            self.say(format_args!("\x1b[1m\x1b[33mwarning\x1b[0m: {text}"));
        } else {
            self.say(format_args!("warning: {text}"));
        }
    }

    /// Problems of a machine, without their count: the summary has it.
    pub(crate) fn problems(&self, diagnostics: &Diagnostics, source: &Source) {
        let text = render_text(diagnostics, source, self.style);
        if let Some((problems, _count)) = text.rsplit_once("\n\n") {
            self.say(format_args!("{problems}\n"));
        }
    }

    /// Why results could not be written, if so.
    pub(crate) fn lost_output(&self) -> Option<CliError> {
        let error = self.failed.take()?;
        Some(CliError::write("standard output", error))
    }

    fn say(&self, text: std::fmt::Arguments<'_>) {
        // Nobody is left to be told if this fails.
        self.aside(|| _ = writeln!(io::stderr().lock(), "{text}"));
    }

    /// Writes while the progress bar is out of the way.
    fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        let bar = self
            .bar
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        match bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }
}

/// JSON in which everything is seen: only texts have hidden characters, and there JSON has escapes
/// for them.
fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if c != '\n' && is_hidden(c) {
            // Writing to a string cannot fail.
            c.encode_utf16(&mut [0; 2])
                .iter()
                .for_each(|unit| _ = write!(out, "\\u{unit:04x}"));
        } else {
            out.push(c);
        }
    }
    out
}

/// Whether an output shows colors.
fn has_color(choice: ColorChoice, is_terminal: bool) -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => {
            is_terminal
                && !is_set("NO_COLOR")
                && std::env::var_os("TERM").is_none_or(|t| t != "dumb")
        }
    }
}

/// Columns of the terminal, from the shell if it says.
fn columns() -> usize {
    let given = std::env::var("COLUMNS")
        .ok()
        .and_then(|columns| columns.parse().ok());
    given
        .filter(|columns| (40..=400).contains(columns))
        .unwrap_or(DEFAULT_COLUMNS)
}
