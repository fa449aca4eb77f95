//! `statewright step`: one agent, step by step, by keyboard, by script or on the whole screen.

use std::io::{self, BufRead, IsTerminal};

use statewright_files::Input;
use statewright_step::ids::EventId;
use statewright_step::{Command, Session, Settings, StepError, json};

use crate::args::Step;
use crate::console::Console;
use crate::error::{CliError, Outcome};
use crate::load::load;
use crate::stepper::{Talk, prompt, tui};

pub(crate) fn run(args: &Step, console: &Console) -> Result<Outcome, CliError> {
    let input = Input::single(&args.file);
    if input.path.is_none() && args.events.is_none() {
        return Err(CliError::new(
            "the machine and the commands cannot both come from standard input",
        )
        .help("name the machine's file, or give the events with `--events`"));
    }
    if args.tui && !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
        return Err(CliError::new("`--tui` needs a terminal")
            .help("leave it out to read commands line by line"));
    }
    let loaded = match load(&input, console) {
        Ok(loaded) => loaded,
        Err(outcome) => return Ok(outcome),
    };
    let settings = Settings {
        guards: args.stub_guards,
        seed: args.seed,
        variant: args.variant.clone(),
    };
    let session = Session::new(loaded.rom, loaded.symbols, settings)
        .map_err(|error| CliError::from(&error))?;
    let mut talk = Talk::new(session, console, args.json);
    if args.tui {
        let given = args.events.as_deref().unwrap_or_default();
        return match send_all(&mut talk.session, given, |_, _| {}) {
            Ok(()) => tui::run(talk.session, console.paints()),
            Err(error) => refuse(console, &error),
        };
    }
    talk.begin();
    match &args.events {
        Some(events) => send_list(&mut talk, events, console),
        None if io::stdin().is_terminal() && !args.json => prompt::run(&mut talk),
        None => script(&mut talk, console),
    }
}

/// A mistake in what was to be done: nothing after it is done.
fn refuse(console: &Console, error: &CliError) -> Result<Outcome, CliError> {
    console.error(error);
    Ok(Outcome::Problems)
}

/// Lines of standard input.
fn script(talk: &mut Talk<'_>, console: &Console) -> Result<Outcome, CliError> {
    for (number, line) in (1_u64..).zip(io::stdin().lock().lines()) {
        let line = line.map_err(|error| CliError::read("standard input", error))?;
        let line = line
            .split_once('#')
            .map_or(line.as_str(), |(before, _)| before)
            .trim();
        if line.is_empty() {
            continue;
        }
        match talk.take(line) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => {
                let placed = StepError {
                    message: format!("line {number}: {}", error.message),
                    help: error.help,
                };
                return refuse(console, &CliError::from(&placed));
            }
        }
    }
    Ok(Outcome::Fine)
}

/// The events of `--events`.
fn send_list(talk: &mut Talk<'_>, events: &str, console: &Console) -> Result<Outcome, CliError> {
    let mut shown = Vec::new();
    let sent = send_all(&mut talk.session, events, |session, steps| {
        shown.extend(
            steps
                .into_iter()
                .map(|step| (json::step(session, &step), step)),
        );
    });
    talk.print_steps(&shown);
    match sent {
        Ok(()) => Ok(Outcome::Fine),
        Err(error) => refuse(console, &error),
    }
}

type Steps = Vec<std::sync::Arc<statewright_step::Step>>;

fn send_all(
    session: &mut Session,
    events: &str,
    mut done: impl FnMut(&Session, Steps),
) -> Result<(), CliError> {
    for (number, event) in (1_u64..).zip(split(events)) {
        let placed = |error: StepError| {
            let message = format!("event {number} of `--events`: {}", error.message);
            CliError::from(&StepError {
                message,
                help: error.help,
            })
        };
        let waits = event.starts_with("after ")
            && session.names().symbols.find::<EventId>("after").is_err();
        let line = if waits {
            event.to_owned()
        } else {
            format!("send {event}")
        };
        let command = Command::parse(&line, session).map_err(placed)?;
        let steps = session.carry_out(&command).map_err(placed)?;
        done(session, steps);
    }
    Ok(())
}

/// Parts between commas that are not inside brackets.
fn split(list: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_i32;
    let parts = list.split(move |c: char| {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            _ => {}
        }
        c == ',' && depth <= 0
    });
    parts.map(str::trim).filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_in_brackets_belong_to_the_payload() {
        let parts: Vec<&str> = split("A, Noise [1,2, 3],B 4,,").collect();
        assert_eq!(parts, ["A", "Noise [1,2, 3]", "B 4"]);
    }
}
