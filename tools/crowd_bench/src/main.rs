//! `cargo xtask bench --crowd`: what crowds cost, as ratios to loops over plain memory, measured in
//! one run.
#![forbid(unsafe_code)]

mod memory;
mod scene;
mod threads;

use std::process::ExitCode;

use clap::Parser;

/// What crowds cost, beside loops over plain memory.
///
/// Contenders take turns round by round; a figure is the middle round. Before a time is shown, the
/// transitions that it stands for were counted.
#[derive(Parser)]
#[command(
    name = "cargo xtask bench --crowd",
    bin_name = "cargo xtask bench --crowd"
)]
struct Arguments {
    /// A tenth of the agents: a few seconds.
    #[arg(long)]
    quick: bool,
    /// Figures as JSON on standard output.
    #[arg(long)]
    json: bool,
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
    fn line(&self) -> String {
        let target = self.target.map_or(String::new(), |(bound, target)| {
            let (word, met) = match bound {
                Bound::AtMost => ("at most", self.value <= target),
                Bound::AtLeast => ("at least", self.value >= target),
            };
            format!("  {word} {target}: {}", if met { "met" } else { "missed" })
        });
        format!(
            "  {:<58} {:>12.3} {}{target}",
            self.name, self.value, self.unit
        )
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let agents = if arguments.quick { 100_000 } else { 1_000_000 };
    match measure(agents) {
        Ok(figures) if arguments.json => {
            let fields = figures
                .iter()
                .map(|figure| (figure.name.to_owned(), figure.value.into()));
            println!("{:#}", serde_json::Value::Object(fields.collect()));
            ExitCode::SUCCESS
        }
        Ok(figures) => {
            println!("crowds of {agents} agents");
            figures
                .iter()
                .for_each(|figure| println!("{}", figure.line()));
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("crowd-bench: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn measure(agents: u32) -> Result<Vec<Figure>, String> {
    let mut figures = memory::measure(agents)?;
    figures.extend(scene::measure(agents)?);
    figures.extend(threads::measure(agents)?);
    Ok(figures)
}
