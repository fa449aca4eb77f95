//! Commands as lines of text.

use statewright_author::names::event_class;
use statewright_author::names::visible;
use statewright_author::similar;
use statewright_author::value::Duration;
use statewright_kernel::Status;
use statewright_rom::ids::*;
use statewright_rom::layout::FunctionKind;
use statewright_symbols::SymbolKind;

use crate::error::StepError;
use crate::session::{MOST_TICKS, Session};
use crate::stubs::Answer;
use crate::value::{key_type, parse_payload, parse_value, value_type};

/// What to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Sends an event and runs a tick.
    Send(EventId, [u32; 4]),
    /// Queues an event for the next tick.
    Post(EventId, [u32; 4]),
    /// Runs so many ticks, each a step.
    Tick(u32),
    /// Runs so many ticks as one step.
    After(u32),
    /// Writes a blackboard key.
    Set(KeyId, [u32; 3]),
    /// Tells a guard what to answer, with the code of its no.
    Guard(FunctionId, Answer, u16),
    /// Tells all guards that were told nothing else.
    Guards(Answer),
    /// Tells an activity what to say.
    Activity(FunctionId, Status),
    /// Tells a scorer what to say.
    Score(FunctionId, f32),
    /// Tells a value function what to give.
    Value(FunctionId, [u32; 3]),
    /// Takes back so many commands.
    Undo(u32),
    /// Carries out so many again that were taken back.
    Redo(u32),
    /// Keeps this point, in a file if one is named.
    Snapshot(Option<String>),
    /// Goes to the point that was kept.
    Restore(Option<String>),
    /// Why every candidate of the last tick was taken or not.
    Why,
    /// Whether a state is active.
    In(StateId),
    /// Everything about the agent.
    Show,
    /// What can be sent.
    Events,
    /// The list of commands.
    Help,
    /// The end.
    Quit,
}

/// A command in the list of commands.
#[derive(Clone, Copy, Debug)]
pub struct Help {
    /// Its first word.
    pub word: &'static str,
    /// What comes after it.
    pub rest: &'static str,
    /// What it does.
    pub does: &'static str,
}

const fn help(word: &'static str, rest: &'static str, does: &'static str) -> Help {
    Help { word, rest, does }
}

/// All commands.
pub const COMMANDS: [Help; 20] = [
    help("send", "EVENT [PAYLOAD]", "send an event and run one tick"),
    help(
        "post",
        "EVENT [PAYLOAD]",
        "put an event into the queue; the next tick takes it",
    ),
    help("tick", "[N]", "run one tick, or N"),
    help(
        "after",
        "TIME",
        "let time pass: 100 (milliseconds), 1.5s, 30t (ticks)",
    ),
    help("set", "KEY VALUE", "write a blackboard key"),
    help(
        "why",
        "",
        "every candidate of the last tick, and why it was or was not taken",
    ),
    help(
        "show",
        "",
        "configuration, queue, timers, keys, scratch, parameters, answers of functions",
    ),
    help(
        "events",
        "",
        "events, what they carry, and whether anybody here listens",
    ),
    help("in", "STATE", "is a state active? a path, or its last part"),
    help(
        "guard",
        "NAME true|false|random [CODE]",
        "what a guard answers; CODE is the number of its no",
    ),
    help(
        "guards",
        "true|false|random",
        "what all other guards answer",
    ),
    help(
        "activity",
        "NAME running|succeeded|failed",
        "what an activity says",
    ),
    help("score", "NAME NUMBER", "what a scorer says"),
    help("value", "NAME VALUE", "what a value function gives"),
    help("undo", "[N]", "take back the last command, or N"),
    help("redo", "[N]", "do again what was taken back"),
    help(
        "snapshot",
        "[FILE]",
        "keep this point of the story, in a file if named",
    ),
    help("restore", "[FILE]", "go back to what was kept"),
    help("help", "", "this list"),
    help("quit", "", "the end"),
];

/// Other words for the same.
const SHORT: [(&str, &str); 4] = [
    ("?", "help"),
    ("exit", "quit"),
    ("q", "quit"),
    ("t", "tick"),
];

impl Command {
    /// Reads a line. Names are looked up, values read by their types; nothing is done yet.
    pub fn parse(line: &str, session: &Session) -> Result<Self, StepError> {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let word = SHORT
            .iter()
            .find(|(short, _)| *short == word)
            .map_or(word, |(_, long)| long);
        let alone = |command: Self| match rest {
            "" => Ok(command),
            _ => Err(StepError::new(format!(
                "`{word}` takes nothing after it, but found `{}`",
                visible(rest)
            ))),
        };
        match word {
            "send" => event(session, word, rest).map(|(event, payload)| Self::Send(event, payload)),
            "post" => event(session, word, rest).map(|(event, payload)| Self::Post(event, payload)),
            "tick" => count(word, rest, MOST_TICKS).map(Self::Tick),
            "after" => time(session, rest).map(Self::After),
            "set" => set(session, rest),
            "guard" => guard(session, rest),
            "guards" => answer(rest, "guards").map(Self::Guards),
            "activity" => activity(session, rest),
            "score" => score(session, rest),
            "value" => value(session, rest),
            "undo" => count(word, rest, u32::MAX).map(Self::Undo),
            "redo" => count(word, rest, u32::MAX).map(Self::Redo),
            "in" => state(session, rest).map(Self::In),
            "snapshot" => Ok(Self::Snapshot((!rest.is_empty()).then(|| rest.to_owned()))),
            "restore" => Ok(Self::Restore((!rest.is_empty()).then(|| rest.to_owned()))),
            "why" => alone(Self::Why),
            "show" => alone(Self::Show),
            "events" => alone(Self::Events),
            "help" => alone(Self::Help),
            "quit" => alone(Self::Quit),
            word => Err(unknown_command(session, word)),
        }
    }
}

fn unknown_command(session: &Session, word: &str) -> StepError {
    let error = StepError::new(format!("there is no command `{}`", visible(word)));
    if session.names().symbols.find::<EventId>(word).is_ok() {
        return error.help(format!("to send the event write `send {word}`"));
    }
    match similar::closest(word, COMMANDS.iter().map(|command| command.word)) {
        Some(closest) => error.help(format!("did you mean `{closest}`?")),
        None => error.help("`help` lists all commands"),
    }
}

/// The first word of a rest, or what is missing.
fn first<'l>(rest: &'l str, usage: &str) -> Result<(&'l str, &'l str), StepError> {
    let (word, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    if word.is_empty() {
        Err(StepError::new(format!("write `{usage}`")))
    } else {
        Ok((word, rest.trim()))
    }
}

fn event(session: &Session, word: &str, rest: &str) -> Result<(EventId, [u32; 4]), StepError> {
    let (name, payload) = first(rest, &format!("{word} EVENT [PAYLOAD]"))?;
    let names = session.names();
    let events = names.symbols.names(SymbolKind::Event);
    let known = |name: &str| events.clone().find(|known| *known == name);
    let class = event_class(name, known);
    let place = events.clone().position(|event| Some(event) == class);
    let event = place
        .and_then(EventId::from_index)
        .ok_or_else(|| StepError::unknown("event", name, events, "`events` lists them"))?;
    Ok((
        event,
        parse_payload(&session.machine().rom(), event, name, payload)?,
    ))
}

fn count(word: &str, rest: &str, most: u32) -> Result<u32, StepError> {
    if rest.is_empty() {
        return Ok(1);
    }
    let number = rest.parse::<u32>().ok().filter(|&number| number > 0);
    let number = number.ok_or_else(|| {
        StepError::new(format!("`{}` is no number of times", visible(rest)))
            .help(format!("write something like `{word} 10`"))
    })?;
    if number > most {
        Err(too_long(u64::from(number)))
    } else {
        Ok(number)
    }
}

fn too_long(ticks: u64) -> StepError {
    StepError::new(format!(
        "{ticks} ticks at once are more than the {MOST_TICKS} that one command may run"
    ))
    .help("`statewright run` is made for long runs")
}

fn time(session: &Session, rest: &str) -> Result<u32, StepError> {
    let wrong = || {
        StepError::new(format!("`{}` is no time", visible(rest)))
            .help("write `after 100` (milliseconds), `after 1.5s` or `after 30t` (ticks)")
    };
    let with_unit = if rest.ends_with(|c: char| c.is_ascii_digit()) {
        format!("{rest}ms")
    } else {
        rest.to_owned()
    };
    let ticks = match Duration::parse(&with_unit).map_err(|_| wrong())? {
        Duration::Ticks(ticks) => ticks,
        // The same rule as in machine files: up to whole ticks, at least one (SEL-1).
        Duration::Nanos(nanos) => {
            let ticks =
                (u128::from(nanos) * u128::from(session.tick_rate())).div_ceil(1_000_000_000);
            u64::try_from(ticks).unwrap_or(u64::MAX)
        }
    };
    match u32::try_from(ticks.max(1)) {
        Ok(ticks) if ticks <= MOST_TICKS => Ok(ticks),
        _ => Err(too_long(ticks)),
    }
}

fn set(session: &Session, rest: &str) -> Result<Command, StepError> {
    let (name, value) = first(rest, "set KEY VALUE")?;
    let symbols = &session.names().symbols;
    let key: KeyId = symbols.find(name).map_err(|unknown| {
        let known = symbols.names(SymbolKind::Key);
        StepError::unknown(unknown.what, name, known, "`show` lists them")
    })?;
    if value.is_empty() {
        return Err(StepError::new(format!("there is no value for `{name}`"))
            .help(format!("write `set {name} VALUE`")));
    }
    let rom = session.machine().rom();
    let ty = key_type(&rom, key.index());
    let [x, y, z, _] = parse_value(&rom, ty, value.strip_prefix("= ").unwrap_or(value))?;
    Ok(Command::Set(key, [x, y, z]))
}

fn function(
    session: &Session,
    kind: FunctionKind,
    what: &str,
    name: &str,
) -> Result<FunctionId, StepError> {
    let rom = session.machine().rom();
    let of_kind = rom
        .linker()
        .iter()
        .zip(session.names().symbols.names(SymbolKind::Function))
        .enumerate()
        .filter(|(_, (f, _))| f.kind == kind);
    let named = of_kind
        .map(|(index, (_, name))| (index, name))
        .collect::<Vec<_>>();
    let place = named
        .iter()
        .find(|(_, known)| *known == name)
        .and_then(|(index, _)| FunctionId::from_index(*index));
    place.ok_or_else(|| {
        StepError::unknown(
            what,
            name,
            named.iter().map(|(_, name)| *name),
            "`show` lists them",
        )
    })
}

fn answer(word: &str, before: &str) -> Result<Answer, StepError> {
    Answer::parse(word).ok_or_else(|| {
        let found = if word.is_empty() {
            "nothing".to_owned()
        } else {
            format!("`{}`", visible(word))
        };
        StepError::new(format!(
            "a guard answers `true`, `false` or `random`, but found {found}"
        ))
        .help(format!("write `{before} false`"))
    })
}

fn guard(session: &Session, rest: &str) -> Result<Command, StepError> {
    let (name, rest) = first(rest, "guard NAME true|false|random [CODE]")?;
    let guard = function(session, FunctionKind::Guard, "guard function", name)?;
    let (word, code) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let answer = answer(word, &format!("guard {name}"))?;
    let code = match code.trim() {
        "" => 0,
        code => code.parse().map_err(|_| {
            StepError::new(format!("`{}` is no code of a guard", visible(code)))
                .help("a code is a number up to 65535")
        })?,
    };
    Ok(Command::Guard(guard, answer, code))
}

fn activity(session: &Session, rest: &str) -> Result<Command, StepError> {
    let (name, word) = first(rest, "activity NAME running|succeeded|failed")?;
    let activity = function(session, FunctionKind::Activity, "activity function", name)?;
    let status = match word {
        "running" => Status::Running,
        "succeeded" => Status::Succeeded,
        "failed" => Status::Failed,
        _ => {
            return Err(
                StepError::new("an activity says `running`, `succeeded` or `failed`")
                    .help(format!("write `activity {name} succeeded`")),
            );
        }
    };
    Ok(Command::Activity(activity, status))
}

fn score(session: &Session, rest: &str) -> Result<Command, StepError> {
    let (name, number) = first(rest, "score NAME NUMBER")?;
    let scorer = function(session, FunctionKind::Scorer, "scorer function", name)?;
    let score = number.parse().map_err(|_| {
        StepError::new(format!("`{}` is no score", visible(number)))
            .help(format!("write `score {name} 0.5`"))
    })?;
    Ok(Command::Score(scorer, score))
}

fn value(session: &Session, rest: &str) -> Result<Command, StepError> {
    let (name, given) = first(rest, "value NAME VALUE")?;
    let value = function(session, FunctionKind::Value, "value function", name)?;
    if given.is_empty() {
        return Err(StepError::new(format!("there is no value for `{name}`"))
            .help(format!("write `value {name} VALUE`")));
    }
    let rom = session.machine().rom();
    let [x, y, z, _] = parse_value(&rom, value_type(&rom, value), given)?;
    Ok(Command::Value(value, [x, y, z]))
}

/// A state by its path, or by the end of it.
fn state(session: &Session, rest: &str) -> Result<StateId, StepError> {
    let (name, _) = first(rest, "in STATE")?;
    let symbols = &session.names().symbols;
    if let Ok(found) = symbols.find_state_in(&session.machine().rom(), name) {
        return Ok(found);
    }
    let states: Vec<&str> = symbols.names(SymbolKind::State).collect();
    let ends = |path: &str| {
        path.strip_suffix(name)
            .is_some_and(|before| before.ends_with('/'))
    };
    let found: Vec<usize> = states
        .iter()
        .enumerate()
        .filter(|(_, path)| ends(path))
        .map(|(at, _)| at)
        .collect();
    match found[..] {
        [only] => StateId::from_index(only).ok_or_else(|| StepError::new("there is no such state")),
        [] => {
            let short = states
                .iter()
                .map(|path| path.rsplit('/').next().unwrap_or(path));
            let all: Vec<&str> = states.iter().copied().chain(short).collect();
            Err(StepError::unknown(
                "state",
                name,
                all,
                "`show` names those that are active",
            ))
        }
        _ => {
            let paths: Vec<&str> = found.iter().map(|&at| states[at]).collect();
            Err(StepError::new(format!(
                "several states are called `{name}`: {}",
                paths.join(", ")
            ))
            .help("write the whole path"))
        }
    }
}
