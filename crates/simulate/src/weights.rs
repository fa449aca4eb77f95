//! How likely each event is where events come by chance.
//!
//! One event per line, `Died 0.01`, or the same as an object in the machine's `meta`: `{ "run": {
//! "weights": { "Died": 0.01 } } }`. An event that is not named has the weight of `*`, which is 1
//! unless it is given. Weights are kept as whole millionths, so that the same ones choose the same
//! events on every platform.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value;
use statewright::Machine;
use statewright::ids::EventId;
use statewright_author::similar::closest;
use statewright_symbols::SymbolKind;

/// The whole number that stands for a weight of 1.
const ONE: f64 = 1e6;
/// The largest weight.
const MOST: f64 = 1e6;
/// Whoever is not named.
const OTHERS: &str = "*";
const FORM: &str = "a weight is a number from 0 (never) to 1000000, such as `0.5`";

/// How likely each event of a machine is, by number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights {
    millionths: Vec<u64>,
}

/// What is wrong with weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeightsError {
    /// Where: `line 3`, or `meta.run.weights`. Empty if it is about all of them.
    pub place: String,
    /// In words, with what to write instead.
    pub problem: String,
}

impl fmt::Display for WeightsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place.as_str() {
            "" => f.write_str(&self.problem),
            place => write!(f, "{place}: {}", self.problem),
        }
    }
}

impl std::error::Error for WeightsError {}

/// Whether others can send an event: what the machine raises itself is not for them.
pub(crate) fn is_sent(name: &str) -> bool {
    !name.starts_with("done.") && !name.starts_with("error.")
}

impl Weights {
    /// Reads a file with one event per line, or says everything that is wrong with it.
    pub fn parse(machine: &Machine, text: &str) -> Result<Self, Vec<WeightsError>> {
        let mut reader = Reader::new(machine);
        for (number, line) in (1..).zip(text.lines()) {
            let words: Vec<&str> = uncommented(line).split_whitespace().collect();
            let place = format!("line {number}");
            match words[..] {
                [] => {}
                [name, weight] => reader.read(&place, name, weight),
                _ => reader.refuse(&place, "a line is an event and its weight: `Died 0.01`"),
            }
        }
        reader.finish(
            "",
            "no event has a weight: write one per line, such as `Died 0.01`",
        )
    }

    /// Reads what a machine says of itself under `run.weights`; `None` if it says nothing.
    pub fn of_meta(machine: &Machine, meta: &Value) -> Result<Option<Self>, Vec<WeightsError>> {
        let Some(found) = meta.get("run").and_then(|run| run.get("weights")) else {
            return Ok(None);
        };
        const PLACE: &str = "`meta.run.weights`";
        let mut reader = Reader::new(machine);
        match found {
            Value::Object(weights) => {
                for (name, weight) in weights {
                    reader.read(PLACE, name, &weight.to_string());
                }
            }
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_) => {
                let problem = "an object with one number per event is wanted: `{ \"Died\": 0.01 }`";
                reader.refuse(PLACE, problem);
            }
        }
        reader
            .finish(
                PLACE,
                "no event has a weight: give one, such as `\"Died\": 0.01`",
            )
            .map(Some)
    }

    /// The weight of an event in whole numbers; those without weights all have the same.
    pub(crate) fn of(weights: Option<&Self>, event: EventId) -> u64 {
        weights.map_or(1, |weights| {
            weights.millionths.get(event.index()).copied().unwrap_or(0)
        })
    }
}

/// A line without its comment.
fn uncommented(line: &str) -> &str {
    line.split('#').next().unwrap_or_default()
}

/// Weights while they are read.
struct Reader<'m> {
    machine: &'m Machine,
    /// Those that are named, in millionths.
    named: BTreeMap<String, u64>,
    errors: Vec<WeightsError>,
}

impl<'m> Reader<'m> {
    fn new(machine: &'m Machine) -> Self {
        Self {
            machine,
            named: BTreeMap::new(),
            errors: Vec::new(),
        }
    }

    fn names(&self) -> impl Iterator<Item = &'m str> + use<'m> {
        self.machine.symbols().names(SymbolKind::Event)
    }

    fn refuse(&mut self, place: &str, problem: impl Into<String>) {
        self.errors.push(WeightsError {
            place: place.to_owned(),
            problem: problem.into(),
        });
    }

    fn read(&mut self, place: &str, name: &str, weight: &str) {
        let known = self.known(name).and_then(|()| millionths(name, weight));
        match known {
            Err(problem) => self.refuse(place, problem),
            Ok(_) if self.named.contains_key(name) => {
                self.refuse(place, format!("`{name}` has a weight already"));
            }
            Ok(weight) => _ = self.named.insert(name.to_owned(), weight),
        }
    }

    /// Whether an event can have a weight.
    fn known(&self, name: &str) -> Result<(), String> {
        if name == OTHERS {
            return Ok(());
        }
        if !self.names().any(|known| known == name) {
            let meant = closest(name, self.names().filter(|name| is_sent(name)));
            let help = meant.map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"));
            return Err(format!("the machine has no event `{name}`{help}"));
        }
        match is_sent(name) {
            true => Ok(()),
            false => Err(format!(
                "`{name}` is raised by the machine itself and never comes by chance: leave it out"
            )),
        }
    }

    fn finish(mut self, place: &str, empty: &str) -> Result<Weights, Vec<WeightsError>> {
        let others = self.named.get(OTHERS).copied().unwrap_or(ONE as u64);
        let weight = |name: &str| self.named.get(name).copied().unwrap_or(others);
        let millionths: Vec<u64> = self
            .names()
            .map(|name| if is_sent(name) { weight(name) } else { 0 })
            .collect();
        if self.errors.is_empty() && self.named.is_empty() {
            self.refuse(place, empty);
        } else if self.errors.is_empty() && millionths.iter().all(|&weight| weight == 0) {
            let problem =
                "every event has weight 0, so none can come: use `--rate 0` if that is meant";
            self.refuse(place, problem);
        }
        match self.errors.is_empty() {
            true => Ok(Weights { millionths }),
            false => Err(self.errors),
        }
    }
}

/// A weight as a whole number; what is above 0 stays above 0.
fn millionths(name: &str, text: &str) -> Result<u64, String> {
    match text.parse::<f64>() {
        Ok(weight) if weight.is_nan() => Err(format!("`{name}`: `{text}` is no number: {FORM}")),
        Ok(weight) if weight < 0.0 => Err(format!("`{name}`: `{text}` is negative: {FORM}")),
        Ok(weight) if weight > MOST => Err(format!("`{name}`: `{text}` is too large: {FORM}")),
        Ok(0.0) => Ok(0),
        Ok(weight) => Ok(((weight * ONE).round() as u64).max(1)),
        Err(_) => Err(format!("`{name}`: `{text}` is no number: {FORM}")),
    }
}
