//! Running a list of commands one after the other, with a line for each.

use std::process::Command;
use std::time::Instant;

/// One command with a name that people can choose it by.
pub struct Step {
    /// Shown, and matched by `--only`.
    pub name: &'static str,
    /// What to run.
    pub command: Command,
}

impl Step {
    /// A cargo command. Nothing of it is built again step by step, so nothing is kept for that: it
    /// would take as much disk as all the rest.
    pub fn cargo(name: &'static str, arguments: &[&str]) -> Self {
        let mut command = cargo();
        command.args(arguments).env("CARGO_INCREMENTAL", "0");
        Self { name, command }
    }

    /// Adds a variable to its environment.
    pub fn env(mut self, key: &str, value: &str) -> Self {
        self.command.env(key, value);
        self
    }
}

/// The cargo that runs this program.
pub fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs the steps; stops at the first that fails.
pub fn run(steps: Vec<Step>) -> Result<(), String> {
    for mut step in steps {
        println!("==> {}", step.name);
        let start = Instant::now();
        let status = step
            .command
            .status()
            .map_err(|error| format!("{}: cannot start: {error}", step.name))?;
        if !status.success() {
            return Err(format!("==> {} failed", step.name));
        }
        println!(
            "==> {} ok ({:.0} s)",
            step.name,
            start.elapsed().as_secs_f64()
        );
    }
    Ok(())
}
