//! `statewright run`: a crowd of agents without a game, and what they did.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use statewright::trace::{Level, WriteError};
use statewright::{Machine, SymbolTable};
use statewright_draw::{Chart, Heat, Options, svg};

use crate::args::Run;
use crate::console::Console;
use crate::error::{CliError, Outcome};
use crate::input::{Input, read_limited};
use crate::load::{Loaded, load, load_sample};
use crate::output::{self, Prepared};
use crate::progress::Ticks;
use crate::running::{
    self, Chosen, Failed, Outcome as Ran, Plan, Recorder, ScriptError, json_report, number, page,
    plot, read_script, text_report,
};

/// Random events per agent and tick unless told.
const RATE: f64 = 0.01;
/// Agents in a trace unless told.
const TRACED: u32 = 16;

pub(crate) fn run(args: &Run, console: &Console) -> Result<Outcome, CliError> {
    let loaded = match &args.file {
        Some(path) => match load(&Input::single(path), console) {
            Ok(loaded) => loaded,
            Err(outcome) => return Ok(outcome),
        },
        None => load_sample(),
    };
    let symbols = loaded.symbols.clone();
    let machine = machine(loaded)?;
    let script = match &args.script {
        Some(path) => match script(path, &machine, args.agents, console)? {
            Some(script) => script,
            None => return Ok(Outcome::Problems),
        },
        None => Vec::new(),
    };
    let outputs = [
        ("--svg", &args.svg),
        ("--html", &args.html),
        ("--trace", &args.trace),
    ];
    outputs
        .into_iter()
        .try_for_each(|(option, path)| check_output(option, path.as_deref(), args))?;
    let rate = args
        .rate
        .unwrap_or(if args.script.is_some() { 0.0 } else { RATE });
    let plan = Plan {
        agents: args.agents,
        ticks: args.ticks,
        seed: args.seed,
        rate,
        script,
        stub_guards: args.stub_guards,
        threads: args.threads,
        recorder: recorder(args)?,
    };
    let stop = Arc::new(AtomicBool::new(false));
    let heard = Arc::clone(&stop);
    // Without it Ctrl-C ends the run without a report: worth a warning, not an error.
    if let Err(error) = ctrlc::set_handler(move || heard.store(true, Ordering::Relaxed)) {
        console.warning(format_args!(
            "Ctrl-C will end the run without a report: {error}"
        ));
    }
    let ran = drive(&machine, plan, &stop, console)?;
    write_pictures(args, &machine, symbols.as_ref(), &ran)?;
    if let (Some(path), Some(records)) = (&args.trace, ran.traced) {
        console.note(format_args!(
            "wrote {} records to {}",
            number(records),
            path.display()
        ));
    }
    if args.json {
        console.json(&json_report(&ran));
    } else {
        console.result(text_report(&ran));
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
    for source in [&args.file, &args.script].into_iter().flatten() {
        output::refuse_own_source(Some(path), &Input::single(source))?;
    }
    if option == "--trace" {
        Ok(())
    } else {
        Prepared::new(path, b"").map(drop)
    }
}

/// Where the trace goes, and what it has.
fn recorder(args: &Run) -> Result<Option<Recorder>, CliError> {
    let Some(path) = &args.trace else {
        return Ok(None);
    };
    let mut agents: Vec<u32> = Vec::new();
    for range in &args.trace_agents {
        if *range.end() >= args.agents {
            let text = format!("`--trace-agents`: there is no agent {}", range.end());
            return Err(CliError::new(text)
                .help(format!("they are numbered from 0 to {}", args.agents - 1)));
        }
        agents.extend(range.clone());
    }
    if agents.is_empty() {
        agents.extend(0..args.agents.min(TRACED));
    }
    agents.sort_unstable();
    agents.dedup();
    let chosen = Chosen {
        level: Level::new(args.trace_level).unwrap_or_default(),
        agents,
    };
    let file = output::create(path)?;
    Ok(Some(Recorder {
        chosen,
        path: path.clone(),
        file,
    }))
}

/// The machine that the kernel runs.
fn machine(loaded: Loaded) -> Result<Machine, CliError> {
    let symbols = loaded.symbols.unwrap_or_default();
    Machine::from_rom(loaded.rom.into_bytes().into_vec(), symbols)
        .map_err(|error| CliError::new(error.to_string()))
}

/// Reads a script; nothing if it has mistakes, which have been said.
fn script(
    path: &Path,
    machine: &Machine,
    agents: u32,
    console: &Console,
) -> Result<Option<Vec<running::Line>>, CliError> {
    let name = path.display().to_string();
    let bytes = std::fs::File::open(path)
        .and_then(read_limited)
        .map_err(|error| CliError::read(&name, &error))?;
    let text = String::from_utf8(bytes).map_err(|_| {
        CliError::new(format!("`{name}` is not UTF-8 text"))
            .help("a script is plain text: `at 10 send Alarm`")
    })?;
    let say = |error: &ScriptError| console.error(&CliError::new(format!("`{name}`, {error}")));
    match read_script(machine, &text, agents) {
        Ok(script) => Ok(Some(script)),
        Err(errors) => {
            errors.iter().for_each(say);
            Ok(None)
        }
    }
}

fn drive(
    machine: &Machine,
    plan: Plan,
    stop: &AtomicBool,
    console: &Console,
) -> Result<Ran, CliError> {
    let (agents, bar) = (plan.agents, Ticks::new(console, plan.ticks));
    let show = |ticks: u64, ticking: Duration| {
        let seconds = ticking.as_secs_f64().max(1e-9);
        let rate = ticks as f64 / seconds;
        bar.show(ticks, || {
            format!(
                "{} ticks/s, {} agents/s",
                number(rate as u64),
                number((rate * f64::from(agents)) as u64)
            )
        });
    };
    running::run(machine, plan, stop, show).map_err(|failed| match failed {
        Failed::NoTrace(path, WriteError::Io(error)) => {
            CliError::write(&path.display().to_string(), &error)
        }
        Failed::Trace(path, WriteError::Io(error)) => {
            CliError::write(&path.display().to_string(), &error)
                .help("the run was ended; what the trace has so far can be read")
        }
        Failed::NoTrace(_, error) | Failed::Trace(_, error) => CliError::new(error.to_string()),
        Failed::Other(text) => CliError::new(text),
    })
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
    prepared.into_iter().try_for_each(Prepared::place)
}
