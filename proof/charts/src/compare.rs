//! One document against itself.

use std::ops::AddAssign;

use statewright_scxml_oracle::{
    Document, Interpreter, Limits, Outcome, Step, random_document, random_events,
};

use crate::machine::{Imported, import};
use crate::order::{of_document, of_machine};

/// What was compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Documents that ran to their end.
    pub documents: u64,
    /// Documents whose run ended because the engine's sizes did not allow it to go on, as it said
    /// (EVT-10).
    pub limited: u64,
    /// Documents that the compiler refused for a loop that never ends, or for their size.
    pub refused: u64,
    /// Events sent.
    pub events: u64,
    /// Milliseconds that passed.
    pub milliseconds: u64,
    /// Exits, entries and actions compared.
    pub deeds: u64,
    /// Runs that reached a top-level final.
    pub ended: u64,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.documents += other.documents;
        self.limited += other.limited;
        self.refused += other.refused;
        self.events += other.events;
        self.milliseconds += other.milliseconds;
        self.deeds += other.deeds;
        self.ended += other.ended;
    }
}

/// Where the two sides part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Steps before it.
    pub step: usize,
    /// What differs, in words.
    pub words: String,
    /// The document.
    pub document: String,
    /// The steps up to it.
    pub steps: Vec<Step>,
}

/// Runs the random document of a seed for so many steps.
pub fn compare(seed: u64, limits: &Limits, steps: usize) -> Result<Tally, Difference> {
    let document = random_document(seed, limits);
    let steps = random_events(seed, &document, steps);
    compare_document(&document, &steps)
}

/// Runs a document both ways.
pub fn compare_document(text: &str, steps: &[Step]) -> Result<Tally, Difference> {
    let differ = |step: usize, words: String| Difference {
        step,
        words,
        document: text.to_owned(),
        steps: steps[..step.min(steps.len())].to_vec(),
    };
    let document = Document::parse(text)
        .map_err(|error| differ(0, format!("the oracle refuses it: {error}")))?;
    let mut oracle = Interpreter::new(&document);
    let mut tally = Tally::default();
    let mut machine = match import("random.scxml", text) {
        Ok(machine) => machine,
        Err(words) if is_size(&words) => {
            return Ok(Tally {
                refused: 1,
                ..tally
            });
        }
        Err(words) => return Err(differ(0, format!("import refuses it: {words}"))),
    };
    let start = std::sync::Arc::clone(machine.session().start());
    let outcome = oracle.start();
    let mut happened = of_machine(&machine, &start);
    for at in 0..=steps.len() {
        let told = of_document(&oracle.take_log());
        if let Some(reason) = limited(&machine, &oracle, outcome) {
            return match reason {
                Ok(()) => Ok(Tally {
                    limited: 1,
                    ..tally
                }),
                Err(words) => Err(differ(at, words)),
            };
        }
        if told != happened {
            return Err(differ(at, parted(&told, &happened)));
        }
        tally.deeds += told.len() as u64;
        let (wanted, found) = (oracle.configuration(), machine.configuration());
        let wanted = if oracle.terminated() {
            oracle.ended_in()
        } else {
            wanted
        };
        if wanted != found {
            return Err(differ(
                at,
                format!("active: {wanted:?} by the document, {found:?} by the machine"),
            ));
        }
        if oracle.terminated() != machine.session().has_ended() {
            return Err(differ(
                at,
                format!("ended: {} by the document", oracle.terminated()),
            ));
        }
        if oracle.terminated() {
            tally.ended += 1;
            break;
        }
        let Some(step) = steps.get(at) else { break };
        happened = carry_out(&mut oracle, &mut machine, step, &mut tally)
            .map_err(|words| differ(at, words))?;
    }
    tally.documents = 1;
    Ok(tally)
}

/// Most milliseconds that an event waits for timers.
const MOST_WAITS: u32 = 100;

/// A step on both sides. A tick is a millisecond, and an event takes one.
fn carry_out(
    oracle: &mut Interpreter<'_>,
    machine: &mut Imported,
    step: &Step,
    tally: &mut Tally,
) -> Result<Vec<String>, String> {
    let mut happened = Vec::new();
    let line = match step {
        Step::Send(event) => {
            // Which of a delayed event and one from outside comes first in the same millisecond is
            // nobody's promise.
            for _ in 0..MOST_WAITS {
                if !machine.is_timer_due() {
                    break;
                }
                oracle.advance(1);
                happened.extend(machine.happened("after 1")?);
            }
            if oracle.terminated() || machine.session().has_ended() {
                return Ok(happened);
            }
            oracle.advance(1);
            if !oracle.terminated() {
                oracle.send(event);
            }
            tally.events += 1;
            format!("send {event}")
        }
        Step::Advance(milliseconds) => {
            oracle.advance(*milliseconds);
            tally.milliseconds += milliseconds;
            format!("after {milliseconds}")
        }
    };
    happened.extend(machine.happened(&line)?);
    Ok(happened)
}

/// Whether the engine stopped for lack of room, and whether it was right to (EVT-10): a full queue,
/// too many timers, a macrostep without end.
fn limited(
    machine: &Imported,
    oracle: &Interpreter<'_>,
    outcome: Outcome,
) -> Option<Result<(), String>> {
    let stopped = machine.session().look().quarantined;
    let peaks = oracle.peaks();
    let needs_more = peaks.queued > 6
        || peaks.pending_of_one_name > 1
        || peaks.microsteps > 250
        || outcome == Outcome::Endless;
    match (stopped, needs_more) {
        (true, true) => Some(Ok(())),
        (true, false) => {
            let notes = machine
                .session()
                .last()
                .map_or(Vec::new(), |step| step.notes.clone());
            Some(Err(format!(
                "the machine stopped: {notes:?}; the document needed {peaks:?}"
            )))
        }
        (false, _) if peaks.microsteps > 250 || peaks.ties > 0 => Some(Ok(())),
        _ => None,
    }
}

/// What the compiler may refuse although the document is legal.
pub(crate) fn is_size(words: &str) -> bool {
    ["SW0310", "SW0501", "SW0503", "SW0505"]
        .iter()
        .any(|code| words.contains(code))
}

fn parted(told: &[String], happened: &[String]) -> String {
    let same = told
        .iter()
        .zip(happened)
        .take_while(|(a, b)| a == b)
        .count();
    let show = |list: &[String]| match list.get(same..) {
        Some([]) | None => "nothing more".to_owned(),
        Some(rest) => rest[..rest.len().min(6)].join(", "),
    };
    let before = told[same.saturating_sub(3)..same].join(", ");
    format!(
        "after [{before}]\n  the document: {}\n  the machine:  {}",
        show(told),
        show(happened)
    )
}
