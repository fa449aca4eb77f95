//! `tape why` and `tape fork`: what asks a tape more than to be run again. It is run
//! without its game, so that it must be sealed; tapes of `run` are sealed on the way.

use std::borrow::Cow;
use std::path::Path;

use serde_json::{Value, json};
use statewright::Board;
use statewright::prelude::*;
use statewright_files::{Input, refuse_existing};
use statewright_simulate::report::number;
use statewright_simulate::{Recipients, Script, ScriptAction, TapeError, seal};
use statewright_tape::{
    Answers, Divergence, Fork, ForkError, ReplayError, SealedProgram, Tape, TapeAgent, TapeInput,
    WorldTape, diverge, guessed, rewrite,
};

use super::{lines, open, read};
use crate::args::{TapeFork, TapeWhy};
use crate::commands::run::machine_of;
use crate::console::Console;
use crate::error::{CliError, Outcome};
use crate::load::load;
use crate::progress::Ticks;

/// Agents and moves that are shown as text.
const SHOWN: usize = 20;

pub(super) type Agents = Crowd<statewright::Blackboard, Answers>;

/// The bytes of a tape that can be run without its game. Why there are none has been said.
pub(super) fn sealed_bytes(
    path: &Path,
    crowd: Option<&str>,
    console: &Console,
) -> Result<Result<Vec<u8>, Outcome>, CliError> {
    let bytes = read(path)?;
    let sealed = {
        let (tape, _) = match open(path, &bytes, crowd, console) {
            Ok(opened) => opened,
            Err(outcome) => return Ok(Err(outcome)),
        };
        if tape.seal().is_some() && !WorldTape::begins(&bytes) {
            None
        } else if tape.seal().is_some() {
            // Out of the world, a tape of its own.
            let own = rewrite(&tape, &(0..=u64::MAX), |_, _| None);
            let own = own.map_err(|error| TapeError::Replay(error.into()));
            Some(own.map(|(bytes, _)| bytes))
        } else {
            let bar = Ticks::new(console, tape.index().map_or(0, |index| index.ticks));
            Some(seal(&tape, |ticks| bar.show(ticks, String::new)))
        }
    };
    match sealed {
        None => Ok(Ok(bytes)),
        Some(Ok(bytes)) => Ok(Ok(bytes)),
        Some(Err(error @ TapeError::Foreign(_))) => {
            let text = format!("`{}`: {error}", path.display());
            Err(CliError::new(text).help(
                "record it with `RecordingOptions { sealed: true, .. }`, and anybody can ask it",
            ))
        }
        Some(Err(error)) => {
            console.error(&CliError::new(format!("`{}`: {error}", path.display())));
            Ok(Err(Outcome::Problems))
        }
    }
}

/// Reads a tape that was opened before.
pub(super) fn again<'b>(path: &Path, bytes: &'b [u8]) -> Result<Tape<'b>, CliError> {
    Tape::read(bytes).map_err(|error| CliError::new(format!("`{}`: {error}", path.display())))
}

/// Says why a tape could not be run.
pub(super) fn failed(path: &Path, error: &dyn std::fmt::Display, console: &Console) -> Outcome {
    let text = lines(&format!("`{}`: {error}", path.display()));
    console.error(&CliError::new(text));
    Outcome::Problems
}

/// A word for whose answers are guesses.
fn guess_words(since: Option<&u64>) -> Cow<'static, str> {
    match since {
        Some(tick) => Cow::Owned(format!(" (guessed since tick {tick})")),
        None => Cow::Borrowed(""),
    }
}

pub(super) fn agent_json(agent: TapeAgent) -> Value {
    json!({ "index": agent.index, "generation": agent.generation })
}

pub(super) fn why(args: &TapeWhy, console: &Console) -> Result<Outcome, CliError> {
    let bytes = match sealed_bytes(&args.path, args.of.crowd.as_deref(), console)? {
        Ok(bytes) => bytes,
        Err(outcome) => return Ok(outcome),
    };
    let tape = again(&args.path, &bytes)?;
    match explain(args, &tape) {
        Ok(Ok(answer)) => {
            match args.json {
                true => console.json(&answer.json()),
                false => console.result(lines(&answer.text()) + "\n"),
            }
            Ok(Outcome::Fine)
        }
        Ok(Err(error)) => Err(error),
        Err(error) => Ok(failed(&args.path, &error, console)),
    }
}

/// What an agent did in a tick, and why.
struct Explained {
    agent: TapeAgent,
    tick: u64,
    leaves: [Vec<String>; 2],
    words: Vec<String>,
    guessed: Option<u64>,
}

impl Explained {
    fn text(&self) -> String {
        let Self {
            agent,
            tick,
            leaves: [before, after],
            words,
            guessed,
        } = self;
        let guessed = guess_words(guessed.as_ref());
        let mut text = format!(
            "{agent}{guessed} before tick {tick}: {}",
            before.join(" + ")
        );
        if words.is_empty() {
            text += "\n  nothing happened to it";
        }
        for line in words {
            text += &format!("\n  {line}");
        }
        text + &format!("\nafter it: {}", after.join(" + "))
    }

    fn json(&self) -> Value {
        let [before, after] = &self.leaves;
        json!({ "agent": agent_json(self.agent), "tick": self.tick, "before": before, "after": after,
            "trace": self.words, "guessed_since": self.guessed })
    }
}

fn explain(args: &TapeWhy, tape: &Tape<'_>) -> Result<Result<Explained, CliError>, ReplayError> {
    let sealed = SealedProgram::of(tape)?;
    let mut timeline = sealed.timeline(tape)?;
    let missing = |text: String| {
        Ok(Err(
            CliError::new(text).help("`statewright tape info` says what a tape has")
        ))
    };
    let tick = args.tick;
    if !timeline.seek(tick)? {
        let name = args.path.display();
        return missing(format!("`{name}` ends before tick {}", timeline.now()));
    }
    let Some(agent) = timeline.crowd().agent_at(args.agent) else {
        let index = args.agent;
        return missing(format!("before tick {tick} there is no agent {index}"));
    };
    let leaves =
        |seen: Option<statewright::Inspection>| seen.map_or(Vec::new(), |seen| seen.leaves);
    let before = leaves(timeline.agent(agent).ok());
    let words = timeline.why(agent)?;
    if timeline.now() == tick {
        return missing(format!("`{}` ends before tick {tick}", args.path.display()));
    }
    let after = leaves(timeline.agent(agent).ok());
    let guesses = guessed(tape)?;
    let since = guesses.get(&args.agent).copied();
    Ok(Ok(Explained {
        agent: agent.into(),
        tick,
        leaves: [before, after],
        words,
        guessed: since.filter(|&since| since <= tick),
    }))
}

/// What a person wrote after `--drop`: a tick, and the index of an agent.
#[derive(Clone, Copy, Debug)]
struct Drop {
    tick: u64,
    agent: Option<u32>,
}

impl Drop {
    fn parse(text: &str) -> Result<Self, CliError> {
        let wrong = || {
            let text = format!("`--drop {text}` is neither `TICK` nor `TICK:AGENT`");
            CliError::new(text)
                .help("`--drop 130:17` leaves out what agent 17 gets before tick 130")
        };
        let (tick, agent) = match text.split_once(':') {
            Some((tick, agent)) => (tick, Some(agent)),
            None => (text, None),
        };
        Ok(Self {
            tick: tick.parse().map_err(|_| wrong())?,
            agent: agent.map(str::parse).transpose().map_err(|_| wrong())?,
        })
    }

    /// Whether it leaves an input out.
    fn takes(self, tick: u64, input: &TapeInput) -> bool {
        let to = match input {
            TapeInput::Send(to, _)
            | TapeInput::Message { to, .. }
            | TapeInput::Agent(_, to)
            | TapeInput::Written(to, _)
            | TapeInput::SetVariant(to, _)
            | TapeInput::Instance(to, _) => Some(to.index),
            TapeInput::Broadcast(_)
            | TapeInput::Spawn { .. }
            | TapeInput::SetParameter(_)
            | TapeInput::Settings(_)
            | TapeInput::StartAt(_)
            | TapeInput::Number(_)
            | TapeInput::ResetCounters => None,
        };
        self.tick == tick && (self.agent.is_none() || self.agent == to)
    }
}

/// Does what a line of a script says.
fn act(crowd: &mut Agents, script: &Script) {
    let now = crowd.now();
    for line in script.due(now) {
        let agents: Vec<AgentId> = match line.recipients {
            Recipients::All | Recipients::Share(_) => crowd.agents().collect(),
            Recipients::Agent(index) => crowd.agent_at(index).into_iter().collect(),
        };
        for agent in agents {
            match line.action {
                // Who is listed is there.
                ScriptAction::Send(event, words) => _ = crowd.send(agent, event, words),
                ScriptAction::Set(key, words) => {
                    if let Ok(field) = crowd.program().field(key) {
                        _ = crowd.edit_board(agent, |board| board.write(field, words));
                    }
                }
            }
        }
    }
}

/// Reads what else happens in a fork.
fn script(machine: &Machine, text: &str) -> Result<Script, CliError> {
    let parsed = Script::parse(machine, text, u32::MAX).map_err(|errors| {
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        CliError::new(format!("`--do`: {}", errors.join("; ")))
    })?;
    let shares = |line: &statewright_simulate::ScriptLine| matches!(line.recipients, Recipients::Share(share) if share < 1.0);
    if parsed.lines.iter().any(shares) {
        let text = "`--do` takes `to all` or `to agent 7`: a fork draws no lots";
        return Err(CliError::new(text));
    }
    Ok(parsed)
}

pub(super) fn fork(args: &TapeFork, console: &Console) -> Result<Outcome, CliError> {
    let drops = args.drop.iter().map(|text| Drop::parse(text));
    let drops: Vec<Drop> = drops.collect::<Result<_, _>>()?;
    refuse_existing(&args.output, args.force)?;
    let bytes = match sealed_bytes(&args.path, args.of.crowd.as_deref(), console)? {
        Ok(bytes) => bytes,
        Err(outcome) => return Ok(outcome),
    };
    let tape = again(&args.path, &bytes)?;
    let machine = match tape.machine_before(args.at) {
        Ok(machine) => machine,
        Err(refused) => return Ok(failed(&args.path, &refused, console)),
    };
    let other = match &args.machine {
        Some(path) => match load(&Input::single(path), console) {
            Ok(loaded) => Some(machine_of(loaded)?),
            Err(outcome) => return Ok(outcome),
        },
        None => None,
    };
    let named = other.as_ref().unwrap_or(&machine);
    let script = script(named, &args.actions.join("\n"))?;
    let bar = Ticks::new(console, tape.index().map_or(0, |index| index.ticks));
    let run = Fork {
        at: args.at,
        to: args.to,
        machine: other.as_ref(),
        prepare: &mut |_| (),
        keep: &mut |tick, input| {
            let dropped = drops.iter().any(|drop| drop.takes(tick, &input));
            (!dropped).then_some(input)
        },
        before: &mut |crowd| act(crowd, &script),
        ticked: &mut |ticks| bar.show(ticks, || "forking".to_owned()),
    };
    let forked = match run.run(&tape) {
        Ok(forked) => forked,
        Err(error @ ForkError::Ended { .. }) => {
            let text = format!("`{}`: {error}", args.path.display());
            return Err(CliError::new(text).help("`statewright tape info` says which ticks it has"));
        }
        Err(error) => return Ok(failed(&args.path, &error, console)),
    };
    let other = again(&args.output, &forked.tape)?;
    let compared = diverge(&tape, &other, |ticks| {
        bar.show(ticks, || "comparing".to_owned());
    });
    drop(bar);
    let divergence = match compared {
        Ok(divergence) => divergence,
        Err(error) => return Ok(failed(&args.path, &error, console)),
    };
    write(&args.output, &forked.tape, console)?;
    if let Some(tick) = forked.others_at {
        console.note(format_args!(
            "the fork ends before tick {tick}: other agents are chosen there"
        ));
    }
    match args.json {
        true => console.json(&divergence_json(&divergence, &forked.guessed)),
        false => console.result(lines(&divergence_text(&divergence, &forked.guessed)) + "\n"),
    }
    Ok(Outcome::Fine)
}

pub(super) fn write(path: &Path, bytes: &[u8], console: &Console) -> Result<(), CliError> {
    statewright_files::write(path, bytes)?;
    console.note(format_args!("wrote {}", path.display()));
    Ok(())
}

type Guesses = std::collections::BTreeMap<u32, u64>;

fn divergence_text(divergence: &Divergence, guesses: &Guesses) -> String {
    let Divergence {
        ticks,
        agents,
        differing,
        moved,
    } = divergence;
    let shown = |place: &Option<String>| place.clone().unwrap_or_else(|| "nowhere".to_owned());
    let Some(first) = differing.first() else {
        return format!("{} ticks, and no agent differs", number(*ticks));
    };
    let mut text = format!(
        "{} ticks; {} of {} agents differ, the first after tick {}",
        number(*ticks),
        number(differing.len() as u64),
        number(*agents),
        first.tick
    );
    for one in differing.iter().take(SHOWN) {
        let guessed = guess_words(guesses.get(&one.agent.index));
        let ([left, right], [end, fork_end]) = (&one.leaves, &one.end);
        text += &format!(
            "\n  {}{guessed} since tick {}, in {} ticks: {} on the tape, {} in the fork; at the end {} and {}",
            one.agent,
            one.tick,
            number(one.ticks),
            shown(left),
            shown(right),
            shown(end),
            shown(fork_end)
        );
    }
    if differing.len() > SHOWN {
        text += &format!("\n  and {} more", number((differing.len() - SHOWN) as u64));
    }
    text += &format!("\n{} moves differ", number(moved.len() as u64));
    for one in moved.iter().take(SHOWN) {
        let went = |to: &Option<String>| match to {
            Some(to) => format!("goes to {to}"),
            None => "stays".to_owned(),
        };
        let [left, right] = &one.to;
        text += &format!(
            "\n  tick {}: {} {} on the tape, {} in the fork",
            one.tick,
            one.agent,
            went(left),
            went(right)
        );
    }
    if moved.len() > SHOWN {
        text += &format!("\n  and {} more", number((moved.len() - SHOWN) as u64));
    }
    text
}

fn divergence_json(divergence: &Divergence, guesses: &Guesses) -> Value {
    let differing: Vec<Value> = divergence
        .differing
        .iter()
        .map(|one| {
            json!({ "agent": agent_json(one.agent), "since_tick": one.tick, "ticks": one.ticks,
                "leaves": { "tape": one.leaves[0], "fork": one.leaves[1] },
                "end": { "tape": one.end[0], "fork": one.end[1] },
                "guessed_since": guesses.get(&one.agent.index) })
        })
        .collect();
    let moved: Vec<Value> = divergence
        .moved
        .iter()
        .map(|one| json!({ "tick": one.tick, "agent": agent_json(one.agent), "tape": one.to[0], "fork": one.to[1] }))
        .collect();
    json!({ "ticks": divergence.ticks, "agents": divergence.agents, "differing": differing, "moves": moved })
}
