//! `run --watch`: whenever the machine file is saved, the agents go on in its new version (LOAD-8). A
//! broken file is told once, and everything goes on as it was.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use statewright::{Machine, ReloadReport};
use statewright_files::Input;
use statewright_simulate::{Script, SimulationError, Version};

use super::{machine_of, script, weights};
use crate::args::Run;
use crate::commands::watch::{PAUSE, Watched};
use crate::console::Console;
use crate::error::CliError;
use crate::load::load_with;

/// The versions of a machine file, as they are saved.
pub(super) struct Versions<'a> {
    args: &'a Run,
    console: &'a Console,
    paths: [PathBuf; 1],
    agents: u32,
    seen: Watched,
    /// When it was looked at the files.
    looked: Instant,
    /// How long a tick lasts, and when the next one is due.
    tick: Duration,
    due: Instant,
}

impl<'a> Versions<'a> {
    /// From the version on that runs, which was read from the files as they were `seen`.
    pub(super) fn new(
        args: &'a Run,
        console: &'a Console,
        path: PathBuf,
        machine: &Machine,
        agents: u32,
        seen: Watched,
    ) -> Self {
        console.note(format_args!("watching {}; Ctrl-C ends", path.display()));
        let now = Instant::now();
        Self {
            args,
            console,
            paths: [path],
            agents,
            seen,
            looked: now,
            tick: tick_of(machine),
            due: now,
        }
    }

    /// Waits until the next tick is due; the version that was saved meanwhile, if it is right.
    pub(super) fn next(&mut self) -> Option<Version> {
        self.due += self.tick;
        let now = Instant::now();
        match self.due.checked_duration_since(now) {
            Some(early) => std::thread::sleep(early),
            // Too slow for the tick rate: time is not made up for.
            None => self.due = now,
        }
        if self.looked.elapsed() < PAUSE {
            return None;
        }
        self.looked = Instant::now();
        if !self.seen.have_changed(&self.paths) {
            return None;
        }
        self.seen = Watched::new(&self.paths);
        let version = self.read();
        if let Some(version) = &version {
            self.tick = tick_of(&version.machine);
        }
        version
    }

    /// Reads what is there; what is wrong with it has been said if there is nothing.
    fn read(&self) -> Option<Version> {
        let [path] = &self.paths;
        let read = || -> Result<Option<Version>, CliError> {
            let Ok(loaded) = load_with(&Input::single(path), self.seen.parts(), self.console)
            else {
                return Ok(None);
            };
            let meta = loaded.meta.clone();
            let machine = machine_of(loaded)?;
            let weights = weights(self.args, &machine, meta.as_ref(), self.console)?;
            let script = match &self.args.script {
                Some(path) => script(path, &machine, self.agents, self.console)?,
                None => Some(Script::default()),
            };
            Ok(weights.ok().zip(script).map(|(weights, script)| Version {
                machine,
                weights,
                script,
            }))
        };
        let version = read().unwrap_or_else(|error| {
            self.console.error(&error);
            None
        });
        if version.is_none() {
            self.console
                .note("the agents go on in the version that runs");
        }
        version
    }

    /// One line for each reload.
    pub(super) fn tell(&self, outcome: Result<&ReloadReport, &SimulationError>) {
        let name = self.paths[0].display();
        match outcome {
            Ok(report) => self.console.note(format_args!("reloaded {name}: {report}")),
            Err(error) => self
                .console
                .error(&CliError::new(format!("`{name}` is not reloaded: {error}"))),
        }
    }
}

/// How long a tick lasts.
fn tick_of(machine: &Machine) -> Duration {
    let rate = machine.rom().header().tick_rate.get().max(1);
    Duration::from_secs(1) / u32::from(rate)
}
