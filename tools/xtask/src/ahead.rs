//! A step that is begun before its turn: it gets the processor time that the steps before it leave.
//!
//! Builds and tests leave much: a large crate, a link or a long test keeps one core waiting. What a step tells
//! meanwhile is kept, and shown when its turn comes.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::process::{Child, Command, ExitStatus, Stdio};

use crate::steps::{Step, Work};

/// Lowest priority: nothing that runs in its turn waits for it.
const NICE: [&str; 3] = ["nice", "-n", "19"];

/// One that runs.
pub struct Ahead {
    child: Child,
    told: File,
}

impl Ahead {
    /// Begins a step that wants it, unless it is its turn anyway. Where programs cannot be started with low
    /// priority it runs when its turn comes.
    pub fn begin((index, step): (usize, &Step)) -> Option<Self> {
        let Work::Command(command) = &step.work else {
            return None;
        };
        if !step.is_ahead || index == 0 || !cfg!(unix) {
            return None;
        }
        Self::start(command, step.name).ok()
    }

    fn start(command: &Command, name: &str) -> io::Result<Self> {
        let path = std::env::temp_dir().join(format!("xtask-{}-{name}", std::process::id()));
        let told = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(&path)?;
        let mut nice = Command::new(NICE[0]);
        nice.args(&NICE[1..])
            .arg(command.get_program())
            .args(command.get_args())
            .stdin(Stdio::null())
            .stdout(told.try_clone()?)
            .stderr(told.try_clone()?);
        if let Some(folder) = command.get_current_dir() {
            nice.current_dir(folder);
        }
        for (key, value) in command.get_envs() {
            match value {
                Some(value) => nice.env(key, value),
                None => nice.env_remove(key),
            };
        }
        let child = nice.spawn();
        // It is open; nobody needs its name.
        std::fs::remove_file(&path)?;
        Ok(Self {
            child: child?,
            told,
        })
    }

    /// Its turn has come: waits for its end, and shows what it told.
    pub fn wait(mut self) -> io::Result<ExitStatus> {
        let status = self.child.wait()?;
        let mut told = String::new();
        self.told.rewind()?;
        self.told.read_to_string(&mut told)?;
        print!("{told}");
        Ok(status)
    }
}

impl Drop for Ahead {
    /// A step before it has failed: nobody waits for it any more.
    fn drop(&mut self) {
        // One that has ended cannot be stopped, which is all right.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
