//! Scripts: what happens to the agents of a run, and when.
//!
//! One thing per line: `at 10 send Alarm to all`, `every 30 send Noise 1,0,2 to 5%`, `at 100 set
//! health 10 to agent 7`.

use std::fmt;

use statewright::{EventHandle, KeyHandle, Machine, Payload};
use statewright_author::similar::closest;
use statewright_rom::layout::PayloadKind;
use statewright_step::{StepError, carried_type, key_type, parse_payload, parse_value};
use statewright_symbols::SymbolKind;

use crate::simulation::first_life;

/// When a line happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// In one tick.
    At(u64),
    /// In every so manieth tick from one on.
    Every(u64, u64),
}

impl When {
    /// Whether that is before this tick.
    pub fn is(self, tick: u64) -> bool {
        match self {
            Self::At(at) => tick == at,
            Self::Every(step, from) => tick >= from && (tick - from).is_multiple_of(step),
        }
    }
}

/// To recipients.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Recipients {
    /// Everybody.
    All,
    /// Each with this probability.
    Share(f64),
    /// The agent with this index.
    Agent(u32),
}

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ScriptAction {
    /// An event.
    Send(EventHandle, [u32; 4]),
    /// A key is written: it and its words.
    Set(KeyHandle, [u32; 3]),
}

/// One line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScriptLine {
    /// When.
    pub when: When,
    /// What.
    pub action: ScriptAction,
    /// To whom.
    pub recipients: Recipients,
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptError {
    /// From 1.
    pub line: usize,
    /// In words, with what to write instead.
    pub problem: String,
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.problem)
    }
}

/// What happens to the agents of a run, line by line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script {
    /// In the order in which they were written, which is that in which they happen.
    pub lines: Vec<ScriptLine>,
}

impl Script {
    /// Reads the script of a run of so many agents, or says everything that is wrong with it.
    pub fn parse(machine: &Machine, text: &str, agents: u32) -> Result<Self, Vec<ScriptError>> {
        let (mut lines, mut errors) = (Vec::new(), Vec::new());
        for (number, text) in (1..).zip(text.lines()) {
            let text = text.split('#').next().unwrap_or_default().trim();
            if text.is_empty() {
                continue;
            }
            match (Words {
                rest: text.split_whitespace().collect(),
                machine,
                agents,
            })
            .line()
            {
                Ok(line) => lines.push(line),
                Err(problem) => errors.push(ScriptError {
                    line: number,
                    problem,
                }),
            }
        }
        if errors.is_empty() {
            Ok(Self { lines })
        } else {
            Err(errors)
        }
    }

    /// What happens before a tick.
    pub fn due(&self, tick: u64) -> impl Iterator<Item = &ScriptLine> {
        self.lines.iter().filter(move |line| line.when.is(tick))
    }
}

/// The words of a line that are not yet read.
struct Words<'l> {
    rest: Vec<&'l str>,
    machine: &'l Machine,
    agents: u32,
}

const FORM: &str = "a line is `at TICK …` or `every TICKS [from TICK] …`, then `send EVENT [PAYLOAD]` or `set KEY VALUE`, then \
                    `to all`, `to 5%` or `to agent 7`";

impl<'l> Words<'l> {
    fn next(&mut self) -> Option<&'l str> {
        if self.rest.is_empty() {
            None
        } else {
            Some(self.rest.remove(0))
        }
    }

    fn number(&mut self, what: &str) -> Result<u64, String> {
        let word = self.next().unwrap_or_default();
        word.parse()
            .map_err(|_| format!("`{word}` is no {what}: {FORM}"))
    }

    fn line(mut self) -> Result<ScriptLine, String> {
        let when = match self.next() {
            Some("at") => When::At(self.number("tick")?),
            Some("every") => {
                let step = self.number("number of ticks")?;
                if step == 0 {
                    return Err("`every 0` would never end: say `every 1` for each tick".to_owned());
                }
                let from = if self.rest.first() == Some(&"from") {
                    self.next();
                    self.number("tick")?
                } else {
                    0
                };
                When::Every(step, from)
            }
            other => {
                return Err(format!(
                    "`{}` is no time: {FORM}",
                    other.unwrap_or_default()
                ));
            }
        };
        // Behind the last `to`.
        let recipients = match self.rest.iter().rposition(|word| *word == "to") {
            Some(place) => {
                let words = self.rest.split_off(place);
                self.recipients(&words[1..])?
            }
            None => Recipients::All,
        };
        let action = match self.next() {
            Some("send") => self.send()?,
            Some("set") => self.set()?,
            other => {
                return Err(format!(
                    "`{}` is nothing that can be done: {FORM}",
                    other.unwrap_or_default()
                ));
            }
        };
        Ok(ScriptLine {
            when,
            action,
            recipients,
        })
    }

    fn recipients(&self, words: &[&str]) -> Result<Recipients, String> {
        match words {
            ["all"] => Ok(Recipients::All),
            ["agent", place] => {
                let place: u32 = place
                    .parse()
                    .map_err(|_| format!("`{place}` is no number of an agent"))?;
                if place >= self.agents {
                    let last = self.agents.saturating_sub(1);
                    return Err(format!(
                        "there is no agent {place}: they are numbered from 0 to {last}"
                    ));
                }
                Ok(Recipients::Agent(place))
            }
            [share] if share.ends_with('%') => match share.trim_end_matches('%').parse::<f64>() {
                Ok(percent) if (0.0..=100.0).contains(&percent) => {
                    Ok(Recipients::Share(percent / 100.0))
                }
                _ => Err(format!("`{share}` is no share: say `5%`")),
            },
            _ => Err(format!(
                "`to {}` names nobody: say `to all`, `to 5%` or `to agent 7`",
                words.join(" ")
            )),
        }
    }

    fn send(&mut self) -> Result<ScriptAction, String> {
        let name = self.next().unwrap_or_default();
        let machine = self.machine;
        let event = machine
            .event(name)
            .map_err(|_| unknown("event", name, machine.symbols().names(SymbolKind::Event)))?;
        let rom = machine.rom();
        let words = parse_payload(&rom, event.id(), name, &self.rest.join(" ")).map_err(plain)?;
        Ok(ScriptAction::Send(
            event,
            of_first_life(carried_type(&rom, event.id()), words),
        ))
    }

    fn set(&mut self) -> Result<ScriptAction, String> {
        let name = self.next().unwrap_or_default();
        let machine = self.machine;
        let key = machine.key(name).map_err(|_| {
            unknown(
                "blackboard key",
                name,
                machine.symbols().names(SymbolKind::Key),
            )
        })?;
        let rom = machine.rom();
        let ty = key_type(&rom, key.id().index());
        let text = self.rest.join(" ");
        if text.is_empty() {
            return Err(format!("`set {name}` needs a value"));
        }
        let [x, y, z, _] = of_first_life(ty, parse_value(&rom, ty, &text).map_err(plain)?);
        Ok(ScriptAction::Set(key, [x, y, z]))
    }
}

/// An agent is written by its index alone: all of a run are in their first life.
fn of_first_life(ty: PayloadKind, words: [u32; 4]) -> [u32; 4] {
    if ty == PayloadKind::Entity {
        first_life(words[0]).words()
    } else {
        words
    }
}

fn plain(error: StepError) -> String {
    let help = error
        .help
        .map_or_else(String::new, |help| format!("; {help}"));
    error.message + &help
}

fn unknown<'k>(what: &str, name: &str, known: impl Iterator<Item = &'k str>) -> String {
    let meant = closest(name, known);
    let help = meant.map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"));
    format!("the machine has no {what} `{name}`{help}")
}
