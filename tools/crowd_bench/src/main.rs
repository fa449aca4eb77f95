//! `cargo xtask bench --crowd`: what crowds cost, as ratios to loops over plain memory, measured in
//! one run.
#![forbid(unsafe_code)]

mod counted;
mod memory;
mod reload;
mod rollback;
mod scene;
mod tape;
mod threads;
mod world;

use std::process::ExitCode;

use clap::Parser;

/// What crowds cost, beside loops over plain memory.
///
/// Contenders take turns round by round; a figure is the middle round. Before a time is shown, the
/// transitions that it stands for were counted. Rows: memory of an agent; W5, an event for one agent
/// in a hundred; sleep, a tick in which nothing happens; threads, the gain of a second one; world,
/// three crowds in one world beside the same three ticked alone; reload, another version of the
/// machine for everybody.
#[derive(Parser)]
#[command(
    name = "cargo xtask bench --crowd",
    bin_name = "cargo xtask bench --crowd",
    args_conflicts_with_subcommands = true
)]
struct Arguments {
    /// A tenth of the agents: a few seconds.
    #[arg(long)]
    quick: bool,
    /// What a reload costs, alone: times and instructions.
    #[arg(long, conflicts_with_all = ["gate", "instructions", "tape"])]
    reload: bool,
    /// What recording and replay cost, alone; with `--instructions` counted.
    #[arg(long, conflicts_with = "gate")]
    tape: bool,
    /// What snapshots and going back cost, alone, for 10,000 agents; with `--instructions` counted.
    #[arg(long, conflicts_with_all = ["gate", "tape", "quick"])]
    rollback: bool,
    /// Figures as JSON on standard output.
    #[arg(long)]
    json: bool,
    /// Instructions instead of times, counted with valgrind: W5, a command, a reload, and the rows
    /// `world`.
    #[arg(long, conflicts_with = "quick")]
    instructions: bool,
    /// Counts the instructions of W5 and of the rows `world` and is an error if one misses its limit.
    #[arg(long, conflicts_with_all = ["quick", "json", "instructions"])]
    gate: bool,
    #[command(subcommand)]
    command: Option<Subcommand>,
}

#[derive(clap::Subcommand)]
enum Subcommand {
    /// Does something once: what runs under valgrind.
    #[command(hide = true)]
    Once {
        /// What.
        what: counted::Counted,
        /// How often.
        rounds: usize,
    },
}

/// One figure with its target.
pub struct Figure {
    name: &'static str,
    value: f64,
    unit: &'static str,
    /// At most, or at least for speed-ups.
    target: Option<(Bound, f64)>,
}

/// Which side of a target is good.
#[derive(Clone, Copy)]
pub enum Bound {
    /// Less is better.
    AtMost,
    /// More is better.
    AtLeast,
}

impl Figure {
    fn new(name: &'static str, value: f64, unit: &'static str) -> Self {
        Self {
            name,
            value,
            unit,
            target: None,
        }
    }

    fn at_most(self, target: f64) -> Self {
        let target = Some((Bound::AtMost, target));
        Self { target, ..self }
    }

    fn is_met(&self) -> bool {
        self.target.is_none_or(|(bound, target)| match bound {
            Bound::AtMost => self.value <= target,
            Bound::AtLeast => self.value >= target,
        })
    }

    fn line(&self) -> String {
        let target = self.target.map_or(String::new(), |(bound, target)| {
            let word = match bound {
                Bound::AtMost => "at most",
                Bound::AtLeast => "at least",
            };
            let met = if self.is_met() { "met" } else { "missed" };
            format!("  {word} {target}: {met}")
        });
        format!(
            "  {:<58} {:>12.3} {}{target}",
            self.name, self.value, self.unit
        )
    }
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("crowd-bench: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let agents = if arguments.quick { 100_000 } else { 1_000_000 };
    let (head, figures) = match arguments {
        Arguments {
            command: Some(Subcommand::Once { what, rounds }),
            ..
        } => return what.once(*rounds),
        Arguments { gate: true, .. } => ("crowds and worlds".to_owned(), counted::gated()?),
        Arguments {
            instructions: true,
            tape: true,
            ..
        } => ("instructions of tapes".to_owned(), counted::tapes()?),
        Arguments {
            instructions: true,
            rollback: true,
            ..
        } => (
            "instructions of going back".to_owned(),
            counted::rollbacks()?,
        ),
        Arguments {
            instructions: true, ..
        } => ("instructions".to_owned(), counted::measure()?),
        Arguments { reload: true, .. } => {
            let mut figures = reload::measure(agents)?;
            figures.push(counted::reload()?);
            (format!("reload of {agents} agents"), figures)
        }
        Arguments { tape: true, .. } => {
            let agents = agents / 10;
            (format!("tapes of {agents} agents"), tape::measure(agents)?)
        }
        Arguments { rollback: true, .. } => {
            let agents = 10_000;
            (
                format!("going back, {agents} agents"),
                rollback::measure(agents)?,
            )
        }
        _ => (format!("crowds of {agents} agents"), measure(agents)?),
    };
    if arguments.json {
        let fields = figures
            .iter()
            .map(|figure| (figure.name.to_owned(), figure.value.into()));
        println!("{:#}", serde_json::Value::Object(fields.collect()));
        return Ok(());
    }
    println!("{head}");
    figures
        .iter()
        .for_each(|figure| println!("{}", figure.line()));
    if arguments.gate && !figures.iter().all(Figure::is_met) {
        return Err(
            "an event of a crowd, or a world beside its crowds alone, costs more than it may"
                .to_owned(),
        );
    }
    Ok(())
}

fn measure(agents: u32) -> Result<Vec<Figure>, String> {
    let mut figures = memory::measure(agents)?;
    figures.extend(scene::measure(agents)?);
    figures.extend(threads::measure(agents)?);
    figures.extend(world::measure(agents)?);
    figures.extend(reload::measure(agents)?);
    Ok(figures)
}
