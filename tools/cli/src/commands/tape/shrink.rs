//! `tape shrink`: the smallest tape that still shows something, and a test of it.

use std::path::Path;

use serde_json::json;
use statewright::Tick;
use statewright::prelude::*;
use statewright_files::{open_file, read_limited, refuse_existing};
use statewright_simulate::report::number;
use statewright_tape::{
    Damaged, FixtureError, ReplayError, SealedProgram, Shrunk, Tape, TapeAgent, cut, fixture,
    shrink as make_smaller,
};

use super::travel::{Agents, again, agent_json, failed, sealed_bytes, write};
use crate::args::TapeShrink;
use crate::console::Console;
use crate::error::{CliError, Outcome};
use crate::progress::Ticks;

/// What a tape is made smaller for.
enum Until {
    /// Somebody, or the agent at an index, is in a state of this name, in whatever version of the machine.
    State(String, Option<u32>),
    Fault,
    Difference,
}

impl Until {
    fn parse(text: &str, machine: &Machine) -> Result<Self, CliError> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let state = |name: &str| match machine.state(name) {
            Ok(_) => Ok(name.to_owned()),
            Err(error) => Err(CliError::new(error.to_string())),
        };
        match words.as_slice() {
            ["fault"] => Ok(Self::Fault),
            ["difference"] => Ok(Self::Difference),
            ["state", name] => Ok(Self::State(state(name)?, None)),
            ["agent", index, "in", name] => {
                let index = index
                    .parse()
                    .map_err(|_| CliError::new(format!("`{index}` is no index of an agent")))?;
                Ok(Self::State(state(name)?, Some(index)))
            }
            _ => Err(CliError::new(format!("`--until {text}` is no condition"))
                .help("it is `state NAME`, `agent INDEX in NAME`, `fault` or `difference`")),
        }
    }

    /// Whether it is so after a tick, and who shows it.
    fn is(&self, crowd: &Agents, tick: &Tick) -> Option<Option<AgentId>> {
        match self {
            Self::State(state, Some(index)) => {
                let (agent, state) = (crowd.agent_at(*index)?, crowd.machine().state(state));
                let is_in = crowd.is_in(agent, state.ok()?).unwrap_or(false);
                is_in.then_some(Some(agent))
            }
            Self::State(state, None) => {
                let state = crowd.machine().state(state).ok()?;
                let all = crowd.all_in(state).unwrap_or_default();
                all.first().map(|&agent| Some(agent))
            }
            Self::Fault => {
                let panicked = crowd.panicked().next().map(|one| one.agent);
                let agent = panicked.or_else(|| crowd.faults().next().map(|(agent, _)| agent));
                (tick.faults + tick.panicked > 0).then_some(agent)
            }
            Self::Difference => None,
        }
    }
}

pub(super) fn shrink(args: &TapeShrink, console: &Console) -> Result<Outcome, CliError> {
    refuse_existing(&args.output, args.force)?;
    if let Some(fixture) = &args.fixture {
        refuse_existing(fixture, args.force)?;
    }
    let bytes = match sealed_bytes(&args.path, args.of.crowd.as_deref(), console)? {
        Ok(bytes) => bytes,
        Err(outcome) => return Ok(outcome),
    };
    let tape = again(&args.path, &bytes)?;
    let machine = match super::machine(&args.path, &tape, console) {
        Ok(machine) => machine,
        Err(outcome) => return Ok(outcome),
    };
    let until = Until::parse(&args.until, &machine)?;
    let source = match &args.machine {
        Some(path) => Some(source_of(path, &machine)?),
        None => None,
    };
    if let Until::Difference = until {
        return shrink_difference(args, &tape, console);
    }
    let bar = Ticks::new(console, 0);
    let shrunk = make_smaller(
        &tape,
        &mut |crowd, tick| until.is(crowd, tick),
        // A test begins with the first tick.
        if source.is_some() {
            u64::MAX
        } else {
            args.before
        },
        |tried| bar.show(tried, || "runs tried".to_owned()),
    );
    drop(bar);
    let shrunk = match shrunk {
        Ok(Some(shrunk)) => shrunk,
        Ok(None) => return never(args, console),
        Err(error) => return Ok(failed(&args.path, &error, console)),
    };
    write(&args.output, &shrunk.tape, console)?;
    if let (Some(path), Some(source)) = (&args.fixture, &source) {
        match case(args, &shrunk, source) {
            Ok(case) => write(path, case.as_bytes(), console)?,
            Err(error) => return Ok(failed(&args.path, &error, console)),
        }
    }
    let agent = shrunk.agent.map(TapeAgent::from);
    if args.json {
        console.json(
            &json!({ "tick": shrunk.tick, "agent": agent.map(agent_json), "agents": shrunk.agents,
            "ticks": shrunk.ticks, "inputs": shrunk.inputs, "zeroed_payloads": shrunk.payloads }),
        );
        return Ok(Outcome::Fine);
    }
    if console.is_quiet() {
        return Ok(Outcome::Fine);
    }
    let of = |[before, now]: [u64; 2]| format!("{} of {}", number(now), number(before));
    let who = agent.map_or_else(String::new, |agent| format!(" by {agent}"));
    console.result(format!(
        "shown{who} after tick {}\n  {} agents, {} ticks, {} inputs, {} payloads became 0\n",
        shrunk.tick,
        of(shrunk.agents),
        of(shrunk.ticks),
        of(shrunk.inputs),
        number(shrunk.payloads),
    ));
    Ok(Outcome::Fine)
}

/// The text that the machine of a tape was made from.
fn source_of(path: &Path, machine: &Machine) -> Result<String, CliError> {
    let name = path.display().to_string();
    let bytes = open_file(path)
        .and_then(read_limited)
        .map_err(|error| CliError::read(&name, error))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| CliError::new(format!("`{name}` is not UTF-8 text")))?;
    let own = Machine::from_text(&name, &text).map_err(|error| {
        let help = format!("`statewright check {name}` says what is wrong");
        CliError::new(format!("`{name}`: {error}")).help(help)
    })?;
    let hashes = |machine: &Machine| {
        let rom = machine.rom();
        [rom.structure_hash(), rom.parameter_hash()]
    };
    if hashes(&own) != hashes(machine) {
        let text = format!("`{name}` is another machine or version than that of the tape");
        return Err(CliError::new(text).help("a fixture needs the file that was recorded"));
    }
    Ok(text)
}

/// The test that a smaller tape comes to.
fn case(args: &TapeShrink, shrunk: &Shrunk, source: &str) -> Result<String, FixtureError> {
    let tape = Tape::read(&shrunk.tape)
        .map_err(|error| FixtureError::Replay(ReplayError::Refused(error)))?;
    let agent = shrunk.agent.ok_or(FixtureError::Missing)?;
    fixture(&tape, agent, &args.until, source)
}

/// The tape never shows it.
fn never(args: &TapeShrink, console: &Console) -> Result<Outcome, CliError> {
    let text = format!("in `{}`, `{}` is never so", args.path.display(), args.until);
    console.error(&CliError::new(text));
    Ok(Outcome::Problems)
}

/// The ticks from the last checkpoint before a difference on, up to it: digests are of all agents.
fn shrink_difference(
    args: &TapeShrink,
    tape: &Tape<'_>,
    console: &Console,
) -> Result<Outcome, CliError> {
    let differs = || -> Result<Option<u64>, ReplayError> {
        let sealed = SealedProgram::of(tape)?;
        let mut replay = sealed.replay(tape, 0)?;
        match replay.run(|crowd| sealed.tick(crowd)) {
            Ok(_) => Ok(None),
            Err(ReplayError::Difference(difference)) => Ok(Some(difference.tick)),
            Err(ReplayError::Answers { tick, .. }) => Ok(Some(tick)),
            Err(error) => Err(error),
        }
    };
    let tick = match differs() {
        Ok(Some(tick)) => tick,
        Ok(None) => return never(args, console),
        Err(error) => return Ok(failed(&args.path, &error, console)),
    };
    let part: Result<Option<Vec<u8>>, Damaged> = cut(tape, tick..=tick);
    match part {
        Ok(Some(part)) => write(&args.output, &part, console)?,
        Ok(None) => return never(args, console),
        Err(error) => return Ok(failed(&args.path, &error, console)),
    }
    match args.json {
        true => console.json(&json!({ "tick": tick })),
        false => console.result(format!("differs after tick {tick}\n")),
    }
    Ok(Outcome::Fine)
}
