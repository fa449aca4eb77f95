//! `statewright replay` and `statewright tape`: recordings of runs, once more and side by side.
//!
//! Names in a tape come from whoever wrote it: the console makes them safe to show.

mod export;
mod shrink;
mod travel;

use std::path::Path;

use serde_json::{Value, json};
use statewright::Machine;
use statewright_draw::visible;
use statewright_files::refuse_existing;
use statewright_simulate::report::number;
use statewright_simulate::{TapeError, replay as run_again};
use statewright_tape::{
    Damaged, Difference, Ending, FORMAT, Parting, ReplayError, Tape, TapeAgent, TapeReload,
    WORLD_FORMAT, WhatDiffers, WorldTape, compare, cut,
};

use crate::args::{Replay, TapeCommand, TapeCut, TapeDiff, TapeInfo};
use crate::console::Console;
use crate::error::{CliError, Outcome};
use crate::load::{Most, read_format};
use crate::progress::Ticks;

/// Most bytes of a tape that is read whole.
const MOST_BYTES: u64 = 192 << 20;

/// Who writes tapes.
const WHERE_FROM: &str =
    "tapes are written by `statewright run --record` and by `Recording` of `statewright-tape`";

pub(crate) fn run(command: &TapeCommand, console: &Console) -> Result<Outcome, CliError> {
    match command {
        TapeCommand::Info(args) => info(args, console),
        TapeCommand::Diff(args) => diff(args, console),
        TapeCommand::Cut(args) => cut_out(args, console),
        TapeCommand::Why(args) => travel::why(args, console),
        TapeCommand::Fork(args) => travel::fork(args, console),
        TapeCommand::Shrink(args) => shrink::shrink(args, console),
        TapeCommand::Export(args) => export::export(args, console),
    }
}

/// The bytes of a tape.
fn read(path: &Path) -> Result<Vec<u8>, CliError> {
    let most = Most {
        bytes: MOST_BYTES,
        help: "`statewright_tape` runs tapes of any size",
    };
    read_format(path, &[FORMAT, WORLD_FORMAT], most, WHERE_FROM)
}

/// Tapes of a file, with the names of their crowds if it is of a world.
type Opened<'b> = (Vec<(Option<String>, Tape<'b>)>, Outcome);

/// Reads a file and says how much of it could be read: one tape, or those of the crowds of a world, or
/// of one of them. Why it is refused has been said.
fn open_all<'b>(
    path: &Path,
    bytes: &'b [u8],
    crowd: Option<&str>,
    console: &Console,
) -> Result<Opened<'b>, Outcome> {
    let name = path.display();
    let read = match WorldTape::begins(bytes) {
        true => WorldTape::read(bytes).map(|world| {
            let crowds = world.into_crowds().into_iter();
            crowds.map(|(name, tape)| (Some(name), tape)).collect()
        }),
        false => Tape::read(bytes).map(|tape| vec![(None, tape)]),
    };
    let mut tapes: Vec<(Option<String>, Tape<'b>)> = read.map_err(|refused| {
        let text = format!("`{name}` is not a tape that can be read, {refused}");
        console.error(&CliError::new(text).help(WHERE_FROM));
        Outcome::Problems
    })?;
    if let Some(crowd) = crowd {
        let all = names(&tapes);
        tapes.retain(|(name, _)| name.as_deref() == Some(crowd));
        if tapes.is_empty() {
            let text = format!("`{name}` has no crowd `{crowd}`");
            let error = CliError::new(text);
            console.error(&match all.as_str() {
                "" => error.help("it is a tape of one crowd: leave `--crowd` out"),
                all => error.help(format!("it has {all}")),
            });
            return Err(Outcome::Problems);
        }
    }
    let Some(ending) = tapes.first().map(|(_, tape)| tape.ending()) else {
        console.error(&CliError::new(format!("`{name}` has no crowds")));
        return Err(Outcome::Problems);
    };
    let outcome = match ending {
        Ending::Closed(_) => Outcome::Fine,
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
    };
    Ok((tapes, outcome))
}

/// Crowds of a tape, for people.
fn names(tapes: &[(Option<String>, Tape<'_>)]) -> String {
    let names = tapes.iter().filter_map(|(name, _)| name.as_deref());
    let names: Vec<String> = names.map(|name| format!("`{}`", visible(name))).collect();
    names.join(", ")
}

/// The same for commands that take one tape.
fn open<'b>(
    path: &Path,
    bytes: &'b [u8],
    crowd: Option<&str>,
    console: &Console,
) -> Result<(Tape<'b>, Outcome), Outcome> {
    let (mut tapes, outcome) = open_all(path, bytes, crowd, console)?;
    let all = names(&tapes);
    match (tapes.pop(), tapes.is_empty()) {
        (Some((_, tape)), true) => Ok((tape, outcome)),
        _ => {
            let text = format!("`{}` is a tape of a world with {all}", path.display());
            console.error(&CliError::new(text).help("say which crowd is meant by `--crowd`"));
            Err(Outcome::Problems)
        }
    }
}

/// The machine of a tape. Why it is refused has been said.
fn machine(path: &Path, tape: &Tape<'_>, console: &Console) -> Result<Machine, Outcome> {
    tape.machine().map_err(|refused| {
        let text = format!("`{}`, {refused}", path.display());
        console.error(&CliError::new(text));
        Outcome::Problems
    })
}

/// Says that a block holds something that cannot be.
fn damaged(path: &Path, error: &Damaged, console: &Console) -> Outcome {
    let text = format!("`{}` is damaged: {error}", path.display());
    console.error(&CliError::new(text));
    Outcome::Problems
}

fn info(args: &TapeInfo, console: &Console) -> Result<Outcome, CliError> {
    let bytes = read(&args.path)?;
    let crowd = args.of.crowd.as_deref();
    let (tapes, outcome) = match open_all(&args.path, &bytes, crowd, console) {
        Ok(opened) => opened,
        Err(outcome) => return Ok(outcome),
    };
    let (mut all, mut text) = (Vec::new(), String::new());
    for (crowd, tape) in &tapes {
        let about = match about(&args.path, tape, bytes.len(), console) {
            Ok(about) => about,
            Err(outcome) => return Ok(outcome),
        };
        let (mut json, words) = about;
        if let Some(crowd) = crowd {
            json["crowd"] = visible(crowd).into();
            text += &format!("crowd `{}`: ", visible(crowd));
        }
        text += &words;
        all.push(json);
    }
    match (args.json, tapes.as_slice(), all.as_slice()) {
        (true, [(None, _)], [one]) => console.json(one),
        (true, _, _) => console.json(&json!({ "crowds": all })),
        (false, _, _) => console.result(text),
    }
    Ok(outcome)
}

/// What one tape of a file of so many bytes has. What is wrong with it has been said if there is nothing.
fn about(
    path: &Path,
    tape: &Tape<'_>,
    bytes: usize,
    console: &Console,
) -> Result<(Value, String), Outcome> {
    let said = |error: Damaged| damaged(path, &error, console);
    let index = tape.index().map_err(said)?;
    let machine = machine(path, tape, console)?;
    let reloads = tape.reloads().map_err(said)?;
    let checkpoints: Vec<u64> = tape.checkpoints().collect();
    let chosen = tape.chosen().map_err(said)?;
    let lanes = tape.outputs().map(|lane| visible(machine.lane_name(lane)));
    let lanes: Vec<String> = lanes.collect();
    let (name, program) = (visible(machine.name()), visible(&tape.origin().program));
    let [structure, parameters] = tape.hashes();
    let json = json!({
        "machine": name,
        "structure_hash": format!("{structure:016x}"),
        "parameter_hash": format!("{parameters:016x}"),
        "program": program,
        "library": tape.library(),
        "bytes": bytes,
        "ticks": index.ticks,
        "inputs": index.inputs,
        "checkpoints": checkpoints,
        "sealed": tape.seal().is_some(),
        "agents": chosen.as_ref().map(|agents| {
            let ids = agents.iter().map(|agent| json!({ "index": agent.index, "generation": agent.generation }));
            ids.collect::<Vec<Value>>()
        }),
        "outputs": lanes,
        "reloads": reloads.iter().map(reload_json).collect::<Vec<Value>>(),
        "complete": matches!(tape.ending(), Ending::Closed(_)),
        "ending": tape.ending().to_string(),
    });
    let program = if program.is_empty() {
        "a program without a name"
    } else {
        &program
    };
    let first = checkpoints.first().copied().unwrap_or(0);
    let told = |reload: &TapeReload| format!("  before tick {}: {}\n", reload.tick, reload.told());
    let reloads: String = reloads.iter().map(told).collect();
    let more = of_whom(tape, chosen.as_deref()) + &kept(&lanes);
    let text = format!(
        "{name}, recorded by {program} (library {})\n  {} ticks from tick {} on, {} inputs, {} checkpoints, {} bytes{}\n{more}  structure {structure:016x}, parameters {parameters:016x}\n{reloads}  {}\n",
        visible(tape.library()),
        number(index.ticks),
        number(first),
        number(index.inputs),
        number(checkpoints.len() as u64),
        number(bytes as u64),
        if tape.seal().is_some() {
            ", sealed"
        } else {
            ""
        },
        tape.ending(),
    );
    Ok((json, text))
}

/// Agents that are named one by one.
const NAMED: usize = 12;

/// Whom a tape is of, in a line; nothing if it is of everybody.
fn of_whom(tape: &Tape<'_>, chosen: Option<&[TapeAgent]>) -> String {
    let Some(agents) = chosen else {
        return String::new();
    };
    let named: Vec<String> = agents
        .iter()
        .take(NAMED)
        .map(|agent| format!("{}.{}", agent.index, agent.generation))
        .collect();
    let more = match agents.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let sealed = match tape.seal() {
        Some(_) => "; anybody can run them again",
        None => "",
    };
    format!(
        "  of {} chosen agents alone: {}{more}{sealed}\n",
        number(agents.len() as u64),
        named.join(", ")
    )
}

/// Lanes whose commands a tape keeps, in a line.
fn kept(lanes: &[String]) -> String {
    match lanes {
        [] => String::new(),
        lanes => format!("  with the commands of {}\n", lanes.join(", ")),
    }
}

fn reload_json(reload: &TapeReload) -> Value {
    let hashes = |[structure, parameters]: [u64; 2]| json!({ "structure_hash": format!("{structure:016x}"), "parameter_hash": format!("{parameters:016x}") });
    let [old, new] = reload.hashes.map(hashes);
    json!({ "tick": reload.tick, "old": old, "new": new, "all_anew": reload.all_anew, "restarted_timers": reload.restarts_timers })
}

fn diff(args: &TapeDiff, console: &Console) -> Result<Outcome, CliError> {
    let (first, second) = (read(&args.one)?, read(&args.two)?);
    let opened = [(&args.one, &first), (&args.two, &second)]
        .map(|(path, bytes)| open(path, bytes, args.of.crowd.as_deref(), console));
    let [Ok((one, left)), Ok((two, right))] = opened else {
        return Ok(Outcome::Problems);
    };
    let machine = match machine(&args.one, &one, console) {
        Ok(machine) => machine,
        Err(outcome) => return Ok(outcome),
    };
    let parting = match compare(&one, &two, &machine) {
        Ok(parting) => parting,
        Err(error) => return Ok(damaged(&args.one, &error, console)),
    };
    match (&parting, args.json) {
        (parting, true) => console.json(&parting_json(parting.as_ref())),
        (Some(parting), false) => console.result(format!("{}\n", lines(&parting.to_string()))),
        (None, false) => console.note("the tapes tell the same"),
    }
    Ok(match parting {
        Some(_) => Outcome::Problems,
        None => left.max(right),
    })
}

/// Text of a tape, line by line as it is, and nothing in it that a terminal obeys.
fn lines(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(visible).collect();
    lines.join("\n")
}

fn cut_out(args: &TapeCut, console: &Console) -> Result<Outcome, CliError> {
    let bytes = read(&args.path)?;
    let (tape, outcome) = match open(&args.path, &bytes, args.of.crowd.as_deref(), console) {
        Ok(opened) => opened,
        Err(outcome) => return Ok(outcome),
    };
    refuse_existing(&args.output, args.force)?;
    let last = args.to.unwrap_or(u64::MAX);
    if last < args.from {
        return Err(CliError::new("`--to` is before `--from`"));
    }
    let part = match cut(&tape, args.from..=last) {
        Ok(part) => part,
        Err(error) => return Ok(damaged(&args.path, &error, console)),
    };
    let Some(part) = part else {
        let text = format!("`{}` has none of these ticks", args.path.display());
        return Err(CliError::new(text).help("`statewright tape info` says which it has"));
    };
    if args.output == Path::new("-") {
        console.result(part);
        return Ok(outcome);
    }
    statewright_files::write(&args.output, &part)?;
    console.note(format_args!("wrote {}", args.output.display()));
    // What could be read is there; that something could not has been said.
    Ok(outcome)
}

pub(crate) fn replay(args: &Replay, console: &Console) -> Result<Outcome, CliError> {
    let bytes = read(&args.path)?;
    let crowd = args.of.crowd.as_deref();
    let (tapes, mut outcome) = match open_all(&args.path, &bytes, crowd, console) {
        Ok(opened) => opened,
        Err(outcome) => return Ok(outcome),
    };
    let mut all = Vec::new();
    for (crowd, tape) in &tapes {
        let (mut json, words, found) = match replay_one(args, tape, console)? {
            Ok(replayed) => replayed,
            Err(outcome) => return Ok(outcome),
        };
        let mut text = lines(&words) + "\n";
        if let Some(crowd) = crowd {
            json["crowd"] = visible(crowd).into();
            text = format!("crowd `{}`: {text}", visible(crowd));
        }
        outcome = outcome.max(found);
        all.push(json);
        // What is as it should be is no news to whoever wants to hear little.
        if !args.json && (found != Outcome::Fine || !console.is_quiet()) {
            console.result(text);
        }
    }
    match (args.json, tapes.as_slice(), all.as_slice()) {
        (true, [(None, _)], [one]) => console.json(one),
        (true, _, _) => console.json(&json!({ "crowds": all })),
        (false, _, _) => {}
    }
    Ok(outcome)
}

/// What came of one tape: as JSON, in words, whether it is the same. Nothing if it cannot be run, which
/// has been said.
type Replayed = Result<(Value, String, Outcome), Outcome>;

fn replay_one(args: &Replay, tape: &Tape<'_>, console: &Console) -> Result<Replayed, CliError> {
    let bar = Ticks::new(console, tape.index().map_or(0, |index| index.ticks));
    let ran = run_again(tape, args.from, args.threads, |ticks| {
        bar.show(ticks, String::new);
    });
    drop(bar);
    let name = args.path.display();
    match ran {
        Ok(verified) if verified.ticks == 0 && args.from > 0 => {
            let text = format!("`{name}` ends before tick {}: nothing was run", args.from);
            Err(CliError::new(text).help("`statewright tape info` says which ticks it has"))
        }
        Ok(verified) => {
            let json = json!({
                "same": true,
                "ticks": verified.ticks,
                "inputs": verified.inputs,
                "checkpoints": verified.checkpoints,
                "digests": verified.digests,
                "reloads": verified.reloads,
            });
            let reloads = match verified.reloads {
                0 => String::new(),
                1 => " and 1 reload".to_owned(),
                count => format!(" and {} reloads", number(count)),
            };
            let words = format!(
                "the same: {} ticks with {} inputs{reloads}; {} digests and {} checkpoints compared",
                number(verified.ticks),
                number(verified.inputs),
                number(verified.digests),
                number(verified.checkpoints),
            );
            Ok(Ok((json, words, Outcome::Fine)))
        }
        Err(TapeError::Replay(ReplayError::Difference(difference))) => {
            let json = json!({ "same": false, "difference": difference_json(&difference) });
            Ok(Ok((json, difference.to_string(), Outcome::Problems)))
        }
        Err(error @ TapeError::Foreign(_)) => Err(CliError::new(format!("`{name}`: {error}"))
            .help("`statewright_tape::Replay` runs it there; a sealed one is run by anybody")),
        Err(error @ TapeError::Simulation(_)) => Err(CliError::new(error.to_string())),
        Err(error @ (TapeError::Machine(_) | TapeError::Replay(_) | TapeError::Record(_))) => {
            console.error(&CliError::new(format!("`{name}`: {error}")));
            Ok(Err(Outcome::Problems))
        }
    }
}

fn difference_json(difference: &Difference) -> Value {
    let later = difference
        .later
        .as_ref()
        .map(|(tick, what)| json!({ "before_tick": tick, "what": what_json(what) }));
    json!({ "tick": difference.tick, "what": what_json(&difference.what), "at_checkpoint": later })
}

fn what_json(what: &WhatDiffers) -> Value {
    let agent = |agent: &statewright_tape::TapeAgent| json!({ "index": agent.index, "generation": agent.generation });
    match what {
        WhatDiffers::Context { recorded, replayed } => json!({
            "kind": "context", "recorded": format!("{recorded:016x}"), "replayed": format!("{replayed:016x}") }),
        WhatDiffers::Presence {
            agent: who,
            on_tape,
        } => {
            json!({ "kind": "presence", "agent": agent(who), "on_tape": on_tape })
        }
        WhatDiffers::Agent { agent: who, fields } => {
            let fields: Vec<Value> = fields
                .iter()
                .map(|field| json!({ "field": field.field, "recorded": field.recorded, "replayed": field.replayed }))
                .collect();
            json!({ "kind": "agent", "agent": agent(who), "fields": fields })
        }
        WhatDiffers::Other { agent: who } => {
            json!({ "kind": "agent", "agent": agent(who), "fields": [] })
        }
        WhatDiffers::Output { recorded, replayed } => {
            json!({ "kind": "output", "recorded": recorded, "replayed": replayed })
        }
        WhatDiffers::Commands => json!({ "kind": "commands" }),
        WhatDiffers::Blackboards => json!({ "kind": "blackboards" }),
        WhatDiffers::Crowd => json!({ "kind": "crowd" }),
    }
}

fn parting_json(parting: Option<&Parting>) -> Value {
    let Some(parting) = parting else {
        return json!({ "same": true });
    };
    let (kind, more) = match parting {
        Parting::Machine => ("machine", json!({})),
        Parting::Beginning { ticks } => ("beginning", json!({ "ticks": ticks })),
        Parting::Input { tick, same, inputs } => (
            "input",
            json!({ "tick": tick, "equal_inputs": same, "inputs": inputs }),
        ),
        Parting::Reload { tick, reloads } => {
            ("reload", json!({ "tick": tick, "reloads": reloads }))
        }
        Parting::Outcome(difference) => ("outcome", difference_json(difference)),
        Parting::Checkpoint { tick } => ("checkpoint", json!({ "tick": tick })),
        Parting::Length {
            ticks,
            first_is_longer,
        } => (
            "length",
            json!({ "ticks": ticks, "first_is_longer": first_is_longer }),
        ),
    };
    json!({ "same": false, "kind": kind, "parting": more })
}
