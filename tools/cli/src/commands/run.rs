//! `statewright run`: a crowd of agents without a game, and what they did.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use statewright::{Machine, Names};
use statewright_compile::symbols::Symbols;
use statewright_draw::{Chart, Heat, Options, svg};

use crate::args::Run;
use crate::console::Console;
use crate::error::{CliError, Outcome};
use crate::input::{Input, read_limited};
use crate::load::{Loaded, load, load_sample};
use crate::output::Prepared;
use crate::progress::Ticks;
use crate::running::{
    self, Outcome as Ran, Plan, ScriptError, json_report, number, page, plot, read_script, text_report,
};

/// Random events per agent and tick unless told.
const RATE: f64 = 0.01;

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
    let rate = args.rate.unwrap_or(if args.script.is_some() { 0.0 } else { RATE });
    let plan = Plan {
        agents: args.agents,
        ticks: args.ticks,
        seed: args.seed,
        rate,
        script,
        stub_guards: args.stub_guards,
        threads: args.threads,
    };
    let stop = Arc::new(AtomicBool::new(false));
    let heard = Arc::clone(&stop);
    // Without it Ctrl-C ends the run without a report: worth a warning, not an error.
    if let Err(error) = ctrlc::set_handler(move || heard.store(true, Ordering::Relaxed)) {
        console.warning(format_args!("Ctrl-C will end the run without a report: {error}"));
    }
    let ran = drive(&machine, plan, &stop, console)?;
    write_pictures(args, &machine, symbols.as_ref(), &ran)?;
    if args.json {
        console.json(&json_report(&ran));
    } else {
        console.result(text_report(&ran));
    }
    Ok(Outcome::Fine)
}

/// The machine that the kernel runs.
fn machine(loaded: Loaded) -> Result<Machine, CliError> {
    let names = loaded.symbols.as_ref().map_or_else(Names::default, Names::from);
    Machine::from_rom(loaded.rom.into_bytes().into_vec(), names).map_err(|error| CliError::new(error.to_string()))
}

/// Reads a script; nothing if it has mistakes, which have been said.
fn script(
    path: &Path,
    machine: &Machine,
    agents: u32,
    console: &Console,
) -> Result<Option<Vec<running::Line>>, CliError> {
    let name = path.display().to_string();
    let bytes = std::fs::File::open(path).and_then(read_limited).map_err(|error| CliError::read(&name, &error))?;
    let text = String::from_utf8(bytes).map_err(|_| {
        CliError::new(format!("`{name}` is not UTF-8 text")).help("a script is plain text: `at 10 send Alarm`")
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

fn drive(machine: &Machine, plan: Plan, stop: &AtomicBool, console: &Console) -> Result<Ran, CliError> {
    let (agents, bar) = (plan.agents, Ticks::new(console, plan.ticks));
    let show = |ticks: u64, ticking: Duration| {
        let seconds = ticking.as_secs_f64().max(1e-9);
        let rate = ticks as f64 / seconds;
        bar.show(ticks, || {
            format!("{} ticks/s, {} agents/s", number(rate as u64), number((rate * f64::from(agents)) as u64))
        });
    };
    running::run(machine, plan, stop, show).map_err(CliError::new)
}

/// Writes what was asked for: all files, or none if one cannot be written.
fn write_pictures(args: &Run, machine: &Machine, symbols: Option<&Symbols>, ran: &Ran) -> Result<(), CliError> {
    let mut prepared = Vec::new();
    if let Some(path) = &args.svg {
        prepared.push(Prepared::new(path, plot(ran).as_bytes())?);
    }
    if let Some(path) = &args.html {
        let heat = Heat { states: ran.visits.clone(), transitions: ran.transitions.clone() };
        let drawn = symbols.map(|symbols| {
            let chart = Chart::new(&machine.rom(), symbols);
            svg(&chart, &Options { heat: Some(heat), ..Options::default() }).svg
        });
        prepared.push(Prepared::new(path, page(ran, &drawn.unwrap_or_default()).as_bytes())?);
    }
    prepared.into_iter().try_for_each(Prepared::place)
}
