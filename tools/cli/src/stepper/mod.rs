//! A session with a person or a script: commands in, words or JSON out. [`prompt`] reads a
//! keyboard, [`tui`] has the whole screen.

pub(crate) mod files;
pub(crate) mod paint;
pub(crate) mod prompt;
pub(crate) mod tui;

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use statewright_author::names::visible;
use statewright_step::{Command, Session, Step, StepError, json, text};

use crate::console::Console;

/// One side of the conversation.
pub(crate) struct Talk<'c> {
    pub(crate) session: Session,
    console: &'c Console,
    json: bool,
}

impl<'c> Talk<'c> {
    pub(crate) fn new(session: Session, console: &'c Console, json: bool) -> Self {
        Self {
            session,
            console,
            json,
        }
    }

    /// Says what the start did.
    pub(crate) fn begin(&self) {
        let start = Arc::clone(self.session.start());
        if !self.json && !self.console.is_quiet() {
            self.print(&text::greeting(&self.session));
        }
        self.print_steps(&[(json::step(&self.session, &start), start)]);
    }

    /// Carries out one line; whether there is more to come.
    pub(crate) fn take(&mut self, line: &str) -> Result<bool, StepError> {
        let command = Command::parse(line, &self.session)?;
        match &command {
            Command::Quit => return Ok(false),
            Command::Help => self.print(&text::help()),
            Command::Why if !self.json => self.print(&text::why(&self.session)),
            Command::Show if !self.json => self.print(&text::show(&self.session)),
            Command::Events if !self.json => self.print(&text::events(&self.session)),
            Command::In(state) if !self.json => self.print(&text::is_in(&self.session, *state)),
            Command::Snapshot(file) => {
                files::snapshot(&mut self.session, file.as_deref().map(Path::new))?;
                let place = file
                    .as_ref()
                    .map_or(String::new(), |file| format!(" in {}", visible(file)));
                self.console
                    .note(format_args!("kept step {}{place}", self.session.steps()));
            }
            Command::Restore(Some(file)) => {
                let step = files::restore(&mut self.session, Path::new(file))?;
                self.print_steps(&[(json::step(&self.session, &step), step)]);
            }
            command => self.change(command)?,
        }
        Ok(true)
    }

    /// Where to go from here.
    pub(crate) fn hint(&self) {
        self.console
            .note("`help` lists the commands, `events` what can be sent, `quit` ends");
    }

    /// Says what is wrong with a command.
    pub(crate) fn complain(&self, error: &StepError) {
        self.console.error(&error.into());
    }

    fn change(&mut self, command: &Command) -> Result<(), StepError> {
        if let Some(answer) = json::answer(&self.session, command) {
            self.console.json_lines([&answer]);
            return Ok(());
        }
        let steps = self.session.carry_out(command)?;
        let shown: Vec<(Value, Arc<Step>)> = match self.json {
            true => steps
                .into_iter()
                .map(|step| (json::step(&self.session, &step), step))
                .collect(),
            false => steps.into_iter().map(|step| (Value::Null, step)).collect(),
        };
        self.print_steps(&shown);
        Ok(())
    }

    /// Steps of one command. Of several, those in which nothing happened are only counted.
    pub(crate) fn print_steps(&self, steps: &[(Value, Arc<Step>)]) {
        if self.json {
            return self
                .console
                .json_lines(steps.iter().map(|(value, _)| value));
        }
        let mut quiet = 0_u32;
        for (place, (_, step)) in steps.iter().enumerate() {
            let is_last = place + 1 == steps.len();
            if step.is_quiet() && !is_last {
                quiet += 1;
                continue;
            }
            self.print_quiet(&mut quiet);
            self.print(&text::step_lines(&self.session, step));
        }
    }

    fn print_quiet(&self, quiet: &mut u32) {
        match std::mem::take(quiet) {
            0 => {}
            1 => self.print(&[text::Line {
                tone: text::Tone::Dim,
                label: "…",
                words: "1 quiet tick".to_owned(),
            }]),
            many => self.print(&[text::Line {
                tone: text::Tone::Dim,
                label: "…",
                words: format!("{many} quiet ticks"),
            }]),
        }
    }

    fn print(&self, lines: &[text::Line]) {
        self.console
            .result(paint::lines(lines, self.console.paints()));
    }
}
