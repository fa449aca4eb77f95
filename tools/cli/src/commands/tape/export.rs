//! `tape export`: a tape for other tools, by running it again with a trace, or as a picture.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};
use statewright::AgentId;
use statewright::trace::{Level, Settings, Writer};
use statewright_draw::{Track, timeline, visible};
use statewright_files::refuse_existing;
use statewright_tape::{Item, Record, ReplayError, SealedProgram, Tape, guessed};

use super::travel::{again, failed, sealed_bytes};
use crate::args::{TapeExport, TapeFormat};
use crate::commands::draw::colors;
use crate::commands::trace;
use crate::console::Console;
use crate::error::{CliError, Outcome};
use crate::progress::Ticks;

/// Agents that a picture shows unless told.
const SHOWN: usize = 24;

pub(super) fn export(args: &TapeExport, console: &Console) -> Result<Outcome, CliError> {
    if let Some(output) = &args.output {
        refuse_existing(output, args.force)?;
    }
    let bytes = match sealed_bytes(&args.path, args.of.crowd.as_deref(), console)? {
        Ok(bytes) => bytes,
        Err(outcome) => return Ok(outcome),
    };
    let tape = again(&args.path, &bytes)?;
    let made = match args.format {
        TapeFormat::Svg => svg(args, &tape, console)?,
        TapeFormat::Trace => traced(args, &tape, console).map(Some),
        TapeFormat::Json | TapeFormat::Perfetto => match traced(args, &tape, console) {
            Ok(bytes) => {
                let outputs = match args.format {
                    TapeFormat::Json => match outputs(args, &tape) {
                        Ok(outputs) => Some(outputs),
                        Err(error) => return Ok(failed(&args.path, &error, console)),
                    },
                    TapeFormat::Svg | TapeFormat::Trace | TapeFormat::Perfetto => None,
                };
                let name = args.path.display().to_string();
                Ok(trace::converted(&name, &bytes, outputs, console))
            }
            Err(error) => Err(error),
        },
    };
    let made = match made {
        Ok(Some(made)) => made,
        Ok(None) => return Ok(Outcome::Problems),
        Err(error) => return Ok(failed(&args.path, &error, console)),
    };
    match args.output.as_deref() {
        Some(path) if path != Path::new("-") => {
            statewright_files::write(path, &made)?;
            console.note(format_args!("wrote {}", path.display()));
        }
        _ => console.result(made),
    }
    Ok(Outcome::Fine)
}

/// The trace of a tape, as a file.
fn traced(args: &TapeExport, tape: &Tape<'_>, console: &Console) -> Result<Vec<u8>, ReplayError> {
    let sealed = SealedProgram::of(tape)?;
    let mut replay = sealed.replay(tape, args.from)?;
    let mut settings = Settings::new(Level::Steps);
    if !args.agents.is_empty() {
        settings = settings.agents(args.agents.iter().copied());
    }
    let wrong = |error: &dyn std::fmt::Display| ReplayError::Bind(error.to_string());
    let crowd = replay.crowd_mut();
    crowd
        .set_trace(Some(settings))
        .map_err(|error| wrong(&error))?;
    let mut writer = Writer::new(Vec::new(), &crowd.legend()).map_err(|error| wrong(&error))?;
    let last = args.to.unwrap_or(u64::MAX);
    let bar = Ticks::new(console, tape.index().map_or(0, |index| index.ticks));
    let mut done = 0;
    while replay.crowd().now() <= last && replay.step(|crowd| sealed.tick(crowd))? {
        done += 1;
        bar.show(done, String::new);
        if replay.crowd().now() > args.from {
            let written = replay.crowd().write_trace(&mut writer);
            written.map_err(|error| wrong(&error))?;
        }
    }
    writer.close().map_err(|error| wrong(&error))
}

/// Commands of lanes that the tape keeps, by the names of the machine that ran.
fn outputs(args: &TapeExport, tape: &Tape<'_>) -> Result<Vec<Value>, ReplayError> {
    let (mut player, mut tick, mut outputs) = (tape.play(), 0, Vec::new());
    let mut machine = tape.machine().map_err(ReplayError::Refused)?;
    let last = args.to.unwrap_or(u64::MAX);
    while let Some(item) = player.next_item().map_err(ReplayError::Damaged)? {
        match item {
            Item::Checkpoint(checkpoint) => tick = checkpoint.tick,
            Item::Reload(reload) => machine = reload.machine().map_err(ReplayError::Refused)?,
            Item::Record(Record::Tick(_)) => tick += 1,
            Item::Record(Record::Output(output)) => {
                // What is no command is no record of a tape.
                let Some(command) = output.command(tick) else {
                    continue;
                };
                let agent = command.agent().index();
                let wanted = args.agents.is_empty() || args.agents.contains(&agent);
                if wanted && (args.from..=last).contains(&tick) {
                    outputs.push(json!({
                        "tick": tick,
                        "agent": agent,
                        "lane": visible(machine.lane_name(command.lane())),
                        "command": visible(&output.said(&machine)),
                    }));
                }
            }
            Item::Record(_) => {}
        }
    }
    Ok(outputs)
}

/// Where agents of a tape were, tick by tick.
struct Rows {
    ticks: std::ops::Range<u64>,
    rows: BTreeMap<AgentId, Vec<(u64, String)>>,
    guessed: BTreeMap<u32, u64>,
}

fn rows(args: &TapeExport, tape: &Tape<'_>) -> Result<Rows, ReplayError> {
    let sealed = SealedProgram::of(tape)?;
    let mut replay = sealed.replay(tape, args.from)?;
    while replay.crowd().now() < args.from && replay.step(|crowd| sealed.tick(crowd))? {}
    let start = replay.crowd().now();
    let last = args.to.unwrap_or(u64::MAX);
    let mut rows: BTreeMap<AgentId, Vec<(u64, String)>> = BTreeMap::new();
    loop {
        let crowd = replay.crowd();
        let now = crowd.now();
        for agent in crowd.agents() {
            let wanted = args.agents.is_empty() || args.agents.contains(&agent.index());
            // Before its first tick and after its end an agent is in no state.
            let path = crowd.path(agent).ok().filter(|path| !path.is_empty());
            let path = path.unwrap_or_else(|| "(none)".to_owned());
            if !wanted {
                continue;
            }
            let row = rows.entry(agent).or_default();
            if row.last().is_none_or(|(_, leaf)| *leaf != path) {
                row.push((now, path));
            }
        }
        if now > last || !replay.step(|crowd| sealed.tick(crowd))? {
            return Ok(Rows {
                ticks: start..now,
                rows,
                guessed: guessed(tape)?,
            });
        }
    }
}

/// A picture: a row per agent, and one below it for the fork.
fn svg(
    args: &TapeExport,
    tape: &Tape<'_>,
    console: &Console,
) -> Result<Result<Option<Vec<u8>>, ReplayError>, CliError> {
    let fork = match &args.fork {
        None => None,
        Some(path) => match sealed_bytes(path, None, console)? {
            Ok(bytes) => Some((path, bytes)),
            Err(_) => return Ok(Ok(None)),
        },
    };
    let fork_tape = match &fork {
        Some((path, bytes)) => Some(again(path, bytes)?),
        None => None,
    };
    Ok(picture(args, tape, fork_tape.as_ref()).map(|text| Some(text.into_bytes())))
}

fn picture(
    args: &TapeExport,
    tape: &Tape<'_>,
    fork: Option<&Tape<'_>>,
) -> Result<String, ReplayError> {
    let own = rows(args, tape)?;
    let other = fork.map(|fork| rows(args, fork)).transpose()?;
    let moving = |(agent, row): &(&AgentId, &Vec<(u64, String)>)| {
        let differs = other.as_ref().is_some_and(|other| {
            let there = other.rows.get(agent);
            there.is_some_and(|there| {
                there.last().map(|(_, leaf)| leaf) != row.last().map(|(_, leaf)| leaf)
            })
        });
        (!differs, std::cmp::Reverse(row.len()))
    };
    let mut chosen: Vec<(&AgentId, &Vec<(u64, String)>)> = own.rows.iter().collect();
    // Those to whom most happened, and those who differ, are shown; then in their order.
    chosen.sort_by_key(moving);
    if args.agents.is_empty() {
        chosen.truncate(SHOWN);
    }
    chosen.sort_by_key(|(agent, _)| **agent);
    let mut tracks = Vec::new();
    for (agent, row) in chosen {
        let name = format!("agent {}.{}", agent.index(), agent.generation());
        tracks.push(Track {
            name: name.clone(),
            spans: row.clone(),
            ticks: own.ticks.clone(),
            is_fork: false,
            guessed: own.guessed.get(&agent.index()).copied(),
        });
        if let Some(other) = &other
            && let Some(row) = other.rows.get(agent)
        {
            tracks.push(Track {
                name: "fork".to_owned(),
                spans: row.clone(),
                ticks: other.ticks.clone(),
                is_fork: true,
                guessed: other.guessed.get(&agent.index()).copied(),
            });
        }
    }
    Ok(timeline(&tracks, colors(args.theme)))
}
