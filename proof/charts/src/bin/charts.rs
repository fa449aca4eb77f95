//! `cargo xtask charts`: random SCXML documents, imported and by the letter of the recommendation,
//! or one seed again.

use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use statewright_charts::{Difference, Tally, compare, compare_export};
use statewright_scxml_oracle::{Limits, Step};

#[derive(Parser)]
#[command(name = "cargo xtask charts", bin_name = "cargo xtask charts")]
struct Arguments {
    /// First seed.
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// How many documents.
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    documents: u64,
    /// Steps of each.
    #[arg(long, default_value_t = 50)]
    steps: usize,
    /// Most states of a document.
    #[arg(long)]
    states: Option<usize>,
    /// Takes each document through import and export first, and compares what came back, too.
    #[arg(long)]
    export: bool,
    /// Goes on after a difference, and counts.
    #[arg(long)]
    all: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut limits = Limits::default();
    limits.states = arguments.states.unwrap_or(limits.states);
    let run = if arguments.export {
        compare_export
    } else {
        compare
    };
    let (start, mut tally, mut differences) = (Instant::now(), Tally::default(), 0);
    for seed in arguments.first..arguments.first.saturating_add(arguments.documents) {
        match run(seed, &limits, arguments.steps) {
            Ok(one) => tally += one,
            Err(difference) => {
                differences += 1;
                if differences <= 3 {
                    show(seed, &difference);
                }
                if !arguments.all {
                    return ExitCode::FAILURE;
                }
            }
        }
    }
    let Tally {
        documents,
        limited,
        refused,
        events,
        milliseconds,
        deeds,
        ended,
    } = tally;
    println!(
        "seeds {}..{}: {} difference{}. {documents} documents, {events} events, {milliseconds} ms, {deeds} exits, entries and actions compared in order, \
         {ended} ended; {limited} more stopped at the engine's limits, {refused} refused by the compiler for their size or an endless loop; {:.0} s",
        arguments.first,
        arguments.first.saturating_add(arguments.documents),
        if differences == 0 {
            "no".to_owned()
        } else {
            differences.to_string()
        },
        if differences == 1 { "" } else { "s" },
        start.elapsed().as_secs_f64(),
    );
    if differences == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn show(seed: u64, difference: &Difference) {
    let step = |step: &Step| match step {
        Step::Send(event) => event.clone(),
        Step::Advance(milliseconds) => format!("after {milliseconds}"),
    };
    let steps: Vec<String> = difference.steps.iter().map(step).collect();
    eprintln!(
        "seed {seed}, after {} steps [{}]:\n{}\n{}",
        difference.step,
        steps.join(", "),
        difference.words,
        difference.document
    );
}
