//! `statewright run`: a crowd of agents without a game, and what they did.

mod clock;
mod recorder;
mod report;
mod saves;
mod versions;

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use statewright::commands::Lane;
use statewright::trace::Level;
use statewright::{Machine, SymbolTable};
use statewright_draw::{Chart, Heat, Options, svg, visible};
use statewright_files::{
    Input, Loaded, Prepared, create, is_same_file, open_file, read_limited, refuse_own_source,
};
use statewright_simulate::report::{json, number, page, plot};
use statewright_simulate::{
    Outcome as Ran, Plan, Recorded, RunError, Script, ScriptError, SealedAgents, Traced, Weights,
    WeightsError,
};

use super::save::report_json;
use super::watch::Watched;
use crate::args::Run;
use crate::console::Console;
use crate::error::{CliError, Outcome};
use crate::load::{load, load_sample, load_with};
use crate::progress::Ticks;
use recorder::{Recorder, Trace, Watcher};
use versions::Versions;

/// Random events per agent and tick unless told.
const RATE: f64 = 0.01;
/// Ticks unless told.
const TICKS: u64 = 600;
/// Agents in a trace unless told.
const TRACED: u32 = 16;

pub(crate) fn run(args: &Run, console: &Console) -> Result<Outcome, CliError> {
    if args.watch && args.file.as_deref() == Some(Path::new("-")) {
        let error = CliError::new("standard input cannot be watched");
        return Err(error.help("name the machine file, or leave `--watch` out"));
    }
    let saved = match &args.load {
        Some(path) => match saves::load(args, path, console)? {
            Ok(saved) => Some(saved),
            Err(outcome) => return Ok(outcome),
        },
        None => None,
    };
    let agents = saved.as_ref().map_or(args.agents, |(_, agents)| *agents);
    // Looked at before it is read: what is saved meanwhile is reloaded.
    let watched: Vec<PathBuf> = args.file.iter().cloned().collect();
    let watched = Watched::new(&watched);
    let (machine, symbols, meta) = match (&args.file, &saved) {
        (Some(path), _) => {
            let loaded = match args.watch {
                true => load_with(&Input::single(path), watched.parts(), console),
                false => load(&Input::single(path), console),
            };
            match loaded {
                Ok(loaded) => with_names(loaded)?,
                Err(outcome) => return Ok(outcome),
            }
        }
        (None, Some((saved, _))) => {
            let symbols = saved.machine.symbols().clone();
            (saved.machine.clone(), Some(symbols), None)
        }
        (None, None) => with_names(load_sample())?,
    };
    if let Some((saved, _)) = &saved {
        saves::refuse_another_machine(args, saved, &machine)?;
        if args.file.is_none() && args.weights.is_none() && !console.is_quiet() {
            console.note("saves have no weights of events: random ones are all alike; name the machine file for those that it has");
        }
    }
    let weights = match weights(args, &machine, meta.as_ref(), console)? {
        Ok(weights) => weights,
        Err(refused) => return Ok(refused),
    };
    let script = match &args.script {
        Some(path) => match script(path, &machine, agents, console)? {
            Some(script) => script,
            None => return Ok(Outcome::Problems),
        },
        None => Script::default(),
    };
    let outputs = [
        ("--svg", &args.svg),
        ("--html", &args.html),
        ("--trace", &args.trace),
        ("--record", &args.record),
        ("--save", &args.save),
    ];
    outputs
        .into_iter()
        .try_for_each(|(option, path)| check_output(option, path.as_deref(), args))?;
    refuse_same_output(&outputs)?;
    let rate = args
        .rate
        .unwrap_or(if args.script.is_some() { 0.0 } else { RATE });
    let ticks = args
        .ticks
        .unwrap_or(if args.watch { u64::MAX } else { TICKS });
    let begun = Instant::now();
    let plan = Plan {
        agents,
        ticks,
        seed: args.seed,
        rate,
        weights,
        script,
        stub_guards: args.stub_guards,
        threads: args.threads,
        traced: traced(args, agents)?,
        recorded: recorded(args, &machine, agents)?,
        loaded: saved.map(|(saved, _)| saved),
        saves: args.save.is_some(),
        clock: Box::new(move || begun.elapsed()),
        processor_clock: clock::processor(),
    };
    let versions = args
        .file
        .clone()
        .filter(|_| args.watch)
        .map(|path| Versions::new(args, console, path, &machine, agents, watched));
    let watcher = Watcher {
        agents,
        trace: recorder(args)?.map(Trace::Wanted),
        bar: Ticks::new(console, ticks),
        console,
        versions,
    };
    let stop = Arc::new(AtomicBool::new(false));
    let heard = Arc::clone(&stop);
    // Without it Ctrl-C ends the run without a report: worth a warning, not an error.
    if let Err(error) = ctrlc::set_handler(move || heard.store(true, Ordering::Relaxed)) {
        console.warning(format_args!(
            "Ctrl-C will end the run without a report: {error}"
        ));
    }
    let (ran, records) = drive(&machine, plan, &stop, watcher)?;
    if let (Some(path), Some(saved)) = (&args.save, &ran.saved) {
        saves::write(path, saved, ran.agents, console)?;
    }
    write_pictures(args, &machine, symbols.as_ref(), &ran)?;
    if let (Some(path), Some(records)) = (&args.trace, records) {
        console.note(format_args!(
            "wrote {} records to {}",
            number(records),
            path.display()
        ));
    }
    if let (Some(path), Some(tape)) = (&args.record, &ran.tape) {
        console.note(format_args!(
            "wrote a tape of {} ticks and {} inputs to {}, {} bytes",
            number(tape.ticks),
            number(tape.inputs),
            path.display(),
            number(tape.bytes)
        ));
    }
    if args.json {
        let mut value = json(&ran);
        value["loaded"] = ran.loaded.as_ref().map(report_json).into();
        console.json(&value);
    } else if console.is_quiet() {
        console.result(report::troubles(&ran));
    } else {
        console.result(report::report(&ran));
    }
    Ok(Outcome::Fine)
}

/// Refuses what cannot be written before anything runs, and what must not be replaced.
fn check_output(option: &str, path: Option<&Path>, args: &Run) -> Result<(), CliError> {
    let Some(path) = path else { return Ok(()) };
    if path == Path::new("-") {
        return Err(CliError::new(format!(
            "`{option}` needs the name of a file: the report has standard output"
        )));
    }
    // A save may take the place of the one that was loaded.
    let load = if option == "--save" {
        &None
    } else {
        &args.load
    };
    for source in [&args.file, &args.script, &args.weights, load]
        .into_iter()
        .flatten()
    {
        refuse_own_source(Some(path), &Input::single(source))?;
    }
    if option == "--trace" || option == "--record" {
        Ok(())
    } else {
        Ok(Prepared::new(path, b"").map(drop)?)
    }
}

/// Refuses two results in one file.
fn refuse_same_output(outputs: &[(&str, &Option<PathBuf>)]) -> Result<(), CliError> {
    let named: Vec<(&str, &Path)> = outputs
        .iter()
        .filter_map(|(option, path)| Some((*option, path.as_deref()?)))
        .collect();
    for (place, (one, path)) in named.iter().enumerate() {
        let mut before = named[..place].iter();
        if let Some((other, _)) =
            before.find(|(_, other)| other == path || is_same_file(other, path))
        {
            let text = format!(
                "`{other}` and `{one}` would both write `{}`",
                path.display()
            );
            return Err(CliError::new(text).help("choose another name for one of them"));
        }
    }
    Ok(())
}

/// Who is in the trace, if one is wanted.
fn traced(args: &Run, all: u32) -> Result<Option<Traced>, CliError> {
    if args.trace.is_none() {
        return Ok(None);
    }
    let mut agents = chosen("--trace-agents", &args.trace_agents, all)?;
    if agents.is_empty() {
        agents.extend(0..all.min(TRACED));
    }
    let level = Level::new(args.trace_level).unwrap_or_default();
    Ok(Some(Traced { level, agents }))
}

/// Where the tape goes, if one is wanted.
fn recorded(args: &Run, machine: &Machine, all: u32) -> Result<Option<Recorded>, CliError> {
    let Some(path) = &args.record else {
        return Ok(None);
    };
    let lane = |name: &String| {
        machine.lane(name).map(Lane::from).map_err(|error| {
            let text = format!("`--outputs`: there is no lane `{}`", visible(name));
            match error.closest {
                Some(closest) => CliError::new(text).help(format!("did you mean `{closest}`?")),
                None => CliError::new(text),
            }
        })
    };
    let outputs = args.outputs.iter().map(lane).collect::<Result<_, _>>()?;
    let is_all = args.seal.contains(&(0..=u32::MAX));
    let sealed = match args.seal.is_empty() {
        true => None,
        false if is_all => Some(SealedAgents::All),
        false => Some(SealedAgents::Some(chosen("--seal", &args.seal, all)?)),
    };
    Ok(Some(Recorded {
        out: Box::new(create(path)?),
        proof: args.record_proof.into(),
        sealed,
        outputs,
    }))
}

/// Agents that were named, in order.
fn chosen(option: &str, ranges: &[RangeInclusive<u32>], all: u32) -> Result<Vec<u32>, CliError> {
    let mut agents: Vec<u32> = Vec::new();
    for range in ranges {
        if *range.end() >= all {
            let text = format!("`{option}`: there is no agent {}", range.end());
            return Err(
                CliError::new(text).help(format!("they are numbered from 0 to {}", all - 1))
            );
        }
        agents.extend(range.clone());
    }
    agents.sort_unstable();
    agents.dedup();
    Ok(agents)
}

/// Where the trace goes.
fn recorder(args: &Run) -> Result<Option<Recorder>, CliError> {
    let Some(path) = args.trace.clone() else {
        return Ok(None);
    };
    let file = create(&path)?;
    Ok(Some(Recorder { path, file }))
}

/// A machine with its names, and what it says of itself for tools.
type Named = (Machine, Option<SymbolTable>, Option<serde_json::Value>);

fn with_names(loaded: Loaded) -> Result<Named, CliError> {
    let (symbols, meta) = (loaded.symbols.clone(), loaded.meta.clone());
    Ok((machine_of(loaded)?, symbols, meta))
}

/// The machine that the kernel runs.
pub(super) fn machine_of(loaded: Loaded) -> Result<Machine, CliError> {
    let symbols = loaded.symbols.unwrap_or_default();
    Machine::from_rom(loaded.rom.into_bytes().into_vec(), symbols)
        .map_err(|error| CliError::new(error.to_string()))
}

/// The text of a file that a person wrote.
fn text_of(path: &Path, help: &str) -> Result<String, CliError> {
    let name = path.display().to_string();
    let bytes = open_file(path)
        .and_then(read_limited)
        .map_err(|error| CliError::read(&name, error))?;
    String::from_utf8(bytes)
        .map_err(|_| CliError::new(format!("`{name}` is not UTF-8 text")).help(help))
}

/// How likely events are: as a file says, else as the machine says of itself. What is wrong with
/// them has been said when this answers with an outcome.
fn weights(
    args: &Run,
    machine: &Machine,
    meta: Option<&serde_json::Value>,
    console: &Console,
) -> Result<Result<Option<Weights>, Outcome>, CliError> {
    let (name, read) = match (&args.weights, meta) {
        (Some(path), _) => {
            let text = text_of(path, "weights are plain text: `Died 0.01`")?;
            (
                path.display().to_string(),
                Weights::parse(machine, &text).map(Some),
            )
        }
        (None, Some(meta)) => {
            let file = args.file.as_ref().map(|path| path.display().to_string());
            (file.unwrap_or_default(), Weights::of_meta(machine, meta))
        }
        (None, None) => return Ok(Ok(None)),
    };
    let say = |error: &WeightsError| {
        let between = if error.place.is_empty() { ":" } else { "," };
        console.error(&CliError::new(format!("`{name}`{between} {error}")));
    };
    Ok(read.map_err(|errors| {
        errors.iter().for_each(say);
        Outcome::Problems
    }))
}

/// Reads a script; nothing if it has mistakes, which have been said.
fn script(
    path: &Path,
    machine: &Machine,
    agents: u32,
    console: &Console,
) -> Result<Option<Script>, CliError> {
    let name = path.display().to_string();
    let text = text_of(path, "a script is plain text: `at 10 send Alarm`")?;
    let say = |error: &ScriptError| console.error(&CliError::new(format!("`{name}`, {error}")));
    match Script::parse(machine, &text, agents) {
        Ok(script) => Ok(Some(script)),
        Err(errors) => {
            errors.iter().for_each(say);
            Ok(None)
        }
    }
}

/// Runs it; what came of it, and how many records the trace has.
fn drive(
    machine: &Machine,
    plan: Plan,
    stop: &AtomicBool,
    mut watcher: Watcher<'_>,
) -> Result<(Ran, Option<u64>), CliError> {
    let mut ran = statewright_simulate::run(machine, plan, stop, &mut watcher).map_err(
        |error| match error {
            RunError::Simulation(error) => CliError::new(error.to_string()),
            RunError::Monitor(error) => error,
            RunError::Tape(error) => CliError::new(error.to_string())
                .help("the run was ended; what the tape has so far can be read"),
        },
    )?;
    let records = watcher.close()?;
    ran.peak_bytes = peak_memory();
    Ok((ran, records))
}

/// Most memory of this process so far, in bytes; `None` where the system does not tell.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
}

/// Writes what was asked for: all files, or none if one cannot be written.
fn write_pictures(
    args: &Run,
    machine: &Machine,
    symbols: Option<&SymbolTable>,
    ran: &Ran,
) -> Result<(), CliError> {
    let mut prepared = Vec::new();
    if let Some(path) = &args.svg {
        prepared.push(Prepared::new(path, plot(ran).as_bytes())?);
    }
    if let Some(path) = &args.html {
        let heat = Heat {
            states: ran.visits.clone(),
            transitions: ran.transitions.clone(),
        };
        let drawn = symbols.map(|symbols| {
            let chart = Chart::new(&machine.rom(), symbols);
            svg(
                &chart,
                &Options {
                    heat: Some(heat),
                    ..Options::default()
                },
            )
            .svg
        });
        prepared.push(Prepared::new(
            path,
            page(ran, &drawn.unwrap_or_default()).as_bytes(),
        )?);
    }
    Ok(prepared.into_iter().try_for_each(Prepared::place)?)
}
