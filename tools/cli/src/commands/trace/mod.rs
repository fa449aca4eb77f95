//! `statewright trace`: what agents did and why, as text, JSON or for other tools.
//!
//! Names in a trace come from whoever wrote it. They are cleaned once, when it is read, so that
//! nothing of them is a command to a terminal or a page.

mod chrome;
mod conditions;
mod configuration;
mod csv;
mod filter;
mod json;
mod perfetto;
mod slices;
mod text;
mod why;

use std::io::{self, Read};
use std::path::Path;

use serde_json::Value;
use statewright_draw::visible;
use statewright_files::open_file;
use statewright_trace::Legend;
use statewright_trace::Record;
use statewright_trace::file::{Ending, Reading, Reload};

use self::conditions::Conditions;
use crate::args::{Trace, TraceFormat};
use crate::console::Console;
use crate::error::{CliError, Outcome};

/// A record and its whole tick.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// The version of the machine that it is of: how many reloads came before.
    pub(crate) version: usize,
    pub(crate) tick: u64,
    pub(crate) record: Record,
}

/// What is shown of a trace.
pub(crate) struct Shown<'t> {
    pub(crate) reading: &'t Reading<'t>,
    pub(crate) entries: Vec<Entry>,
}

impl Shown<'_> {
    /// The names behind the numbers of a record.
    fn legend(&self, entry: &Entry) -> &Legend {
        self.reading.legend_of(entry.version)
    }

    /// Entries with the reloads that came since the entry before, whatever was chosen.
    fn with_reloads(&self) -> impl Iterator<Item = (&[Reload], &Entry)> {
        let mut told = 0;
        self.entries.iter().map(move |entry| {
            let from = told;
            told = told.max(entry.version);
            let reloads = self.reading.reloads.get(from..told);
            (reloads.unwrap_or_default(), entry)
        })
    }

    /// Reloads behind the last entry.
    fn last_reloads(&self) -> &[Reload] {
        let told = self.entries.iter().map(|entry| entry.version).max();
        let rest = self.reading.reloads.get(told.unwrap_or(0)..);
        rest.unwrap_or_default()
    }
}

pub(crate) fn run(args: &Trace, console: &Console) -> Result<Outcome, CliError> {
    let name = args.path.display().to_string();
    let bytes = read(&args.path)?;
    let (reading, outcome) = match open(&name, &bytes, console) {
        Ok(opened) => opened,
        Err(outcome) => return Ok(outcome),
    };
    if let Some(why) = &args.why {
        let (agent, tick) = (
            why.first().copied().unwrap_or(0),
            why.get(1).copied().unwrap_or(0),
        );
        let legend = reading.legend_of(why::version_at(&reading, tick));
        let conditions = match &args.machine {
            None => Conditions::beside(&args.path, legend),
            Some(path) => match Conditions::named(path, legend, console)? {
                Ok(conditions) => conditions,
                Err(outcome) => return Ok(outcome),
            },
        };
        let answer = why::explain(&reading, conditions, agent, tick)?;
        match args.json {
            true => console.json(&answer.to_json()),
            false => console.result(answer.to_text(console.paints())),
        }
        return Ok(outcome);
    }
    let entries = filter::Chosen::new(args, &reading)?.entries(&reading);
    let shown = Shown {
        reading: &reading,
        entries,
    };
    match args.export {
        Some(format) => export(&shown, format, args, console)?,
        None if args.json => console.json(&json::document(&shown)),
        None => console.result(text::lines(&shown, console.paints())),
    }
    Ok(outcome)
}

/// Reads a trace, with names that are safe to show, and says how much of it could be read. Why it
/// is refused has been said.
pub(super) fn open<'b>(
    name: &str,
    bytes: &'b [u8],
    console: &Console,
) -> Result<(Reading<'b>, Outcome), Outcome> {
    let read = Reading::new(bytes).map_err(|refused| {
        let error = CliError::new(format!(
            "`{name}` is not a trace that can be read, {refused}"
        ));
        console.error(&error.help(WHERE_FROM));
        Outcome::Problems
    })?;
    let reading = read.map_names(visible);
    let outcome = tell_ending(name, &reading, console);
    Ok((reading, outcome))
}

/// The bytes of a trace for Perfetto, or as JSON with the commands that a tape keeps; nothing if they are refused,
/// which has been said.
pub(super) fn converted(
    name: &str,
    bytes: &[u8],
    outputs: Option<Vec<Value>>,
    console: &Console,
) -> Option<Vec<u8>> {
    let (reading, _) = open(name, bytes, console).ok()?;
    let entries = reading.told().map(|(version, tick, record)| Entry {
        version,
        tick,
        record: *record,
    });
    let shown = Shown {
        reading: &reading,
        entries: entries.collect(),
    };
    let Some(outputs) = outputs else {
        return Some(perfetto::bytes(&shown));
    };
    let mut document = json::document(&shown);
    if !outputs.is_empty() {
        document["outputs"] = outputs.into();
    }
    Some(format!("{document:#}\n").into_bytes())
}

/// Who writes traces.
const WHERE_FROM: &str = "traces are written by `statewright run --trace` and by `Crowd::write_trace`; see docs/guide/tracing.md";

/// The bytes of a trace.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, CliError> {
    let mut bytes = Vec::new();
    let read = match path == Path::new("-") {
        true => io::stdin().lock().read_to_end(&mut bytes),
        false => open_file(path).and_then(|mut file| file.read_to_end(&mut bytes)),
    };
    match read {
        Ok(_) => Ok(bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let text = format!(
                "cannot read `{}`: there is no such file or folder",
                path.display()
            );
            Err(CliError::new(text).help(format!("check the path; {WHERE_FROM}")))
        }
        Err(error) => Err(CliError::read(&path.display().to_string(), error)),
    }
}

/// Says how much of a file could be read.
fn tell_ending(name: &str, reading: &Reading<'_>, console: &Console) -> Outcome {
    let ending = &reading.ending;
    match ending {
        Ending::Closed => Outcome::Fine,
        Ending::Open => {
            console.note(format_args!("`{name}`: {ending}"));
            Outcome::Fine
        }
        Ending::CutOff { .. } => {
            console.warning(format_args!("`{name}`: {ending}"));
            Outcome::Fine
        }
        Ending::Damaged { .. } => {
            console.error(&CliError::new(format!("`{name}`: {ending}")));
            Outcome::Problems
        }
    }
}

fn export(
    shown: &Shown<'_>,
    format: TraceFormat,
    args: &Trace,
    console: &Console,
) -> Result<(), CliError> {
    let bytes = match format {
        TraceFormat::Perfetto => perfetto::bytes(shown),
        TraceFormat::Chrome => format!("{:#}\n", chrome::document(shown)).into_bytes(),
        TraceFormat::Csv => csv::text(shown).into_bytes(),
        TraceFormat::Json => format!("{:#}\n", json::document(shown)).into_bytes(),
    };
    match args.output.as_deref() {
        Some(path) if path != Path::new("-") => {
            statewright_files::write(path, &bytes)?;
            console.note(format_args!("wrote {}", path.display()));
        }
        _ => console.result(bytes),
    }
    Ok(())
}
