//! There and back: a document becomes a machine file, that becomes a document again, and all of
//! them must do the same.

use std::sync::Arc;

use statewright_author::render::{Style, render_text};
use statewright_author::text::{read, write};
use statewright_scxml_oracle::{Limits, Step, random_document, random_events};

use crate::compare::{Difference, Tally, compare_document, is_size};
use crate::machine::{Imported, import};
use crate::order::of_machine;

/// Takes the random document of a seed there and back and runs it for so many steps.
pub fn compare_export(seed: u64, limits: &Limits, steps: usize) -> Result<Tally, Difference> {
    let document = random_document(seed, limits);
    let steps = random_events(seed, &document, steps);
    compare_back(&document, &steps)
}

/// Runs a document, and what it becomes by import and export: the machine of one against that of
/// the other, then the new document by the letter of the recommendation against its machine.
pub fn compare_back(text: &str, steps: &[Step]) -> Result<Tally, Difference> {
    let differ = |step: usize, words: String, document: &str| Difference {
        step,
        words,
        document: document.to_owned(),
        steps: steps[..step.min(steps.len())].to_vec(),
    };
    // What ends early ends at a limit, or at a tie: which of two sends comes first then depends on
    // where they stand in the document.
    let tally = compare_document(text, steps)?;
    if tally.documents == 0 {
        return Ok(tally);
    }
    let mut first = match import("random.scxml", text) {
        Ok(machine) => machine,
        Err(words) if is_size(&words) => {
            return Ok(Tally {
                refused: 1,
                ..Tally::default()
            });
        }
        Err(words) => return Err(differ(0, format!("import refuses it: {words}"), text)),
    };
    let back = export(text).map_err(|words| differ(0, words, text))?;
    let mut second = import("back.scxml", &back).map_err(|words| {
        differ(
            0,
            format!("import refuses what export wrote: {words}"),
            &back,
        )
    })?;
    if let Some((step, words)) = lockstep(&mut first, &mut second, steps) {
        return Err(differ(step, words, &format!("{text}\n\n{back}")));
    }
    compare_document(&back, steps)
}

/// The document that import and export make of another, by way of a machine file.
pub fn export(text: &str) -> Result<String, String> {
    let (machine, _) = statewright_import::scxml::read("random.scxml", text);
    let file = write(&machine);
    let (machine, problems) = read("random.sw.json", &file);
    let told = |problems, words: &str| {
        Err(format!(
            "{words}:\n{}",
            render_text(problems, &machine.source, Style::default())
        ))
    };
    if problems.has_errors() {
        return told(&problems, "the machine file cannot be read");
    }
    match statewright_import::export::scxml(&machine) {
        Ok(text) => Ok(text),
        Err(problems) => told(&problems, "export refuses it"),
    }
}

/// Where two machines part.
fn lockstep(
    first: &mut Imported,
    second: &mut Imported,
    steps: &[Step],
) -> Option<(usize, String)> {
    let start = |machine: &Imported| {
        let start = Arc::clone(machine.session().start());
        of_machine(machine, &start)
    };
    let mut happened = (Ok(start(first)), Ok(start(second)));
    for at in 0..=steps.len() {
        let (a, b) = &happened;
        if a != b {
            return Some((at, format!("there: {a:?}\nback:  {b:?}")));
        }
        let (a, b) = (first.configuration(), second.configuration());
        let ended = [first.session(), second.session()]
            .map(|session| (session.has_ended(), session.look().quarantined));
        if a != b || ended[0] != ended[1] {
            return Some((
                at,
                format!("active there: {a:?}, back: {b:?}; ended and stopped: {ended:?}"),
            ));
        }
        let line = match steps.get(at)? {
            Step::Send(event) => format!("send {event}"),
            Step::Advance(milliseconds) => format!("after {milliseconds}"),
        };
        happened = (first.happened(&line), second.happened(&line));
    }
    None
}
