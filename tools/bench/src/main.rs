//! `bench`: arguments in, tables, JSON or curves out. Exit code 0 all is well, 1 a gate or a check
//! failed, 2 wrong arguments.
#![forbid(unsafe_code)]

mod arguments;

use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};

use arguments::{Arguments, Command};
use statewright_bench::contenders::Kind;
use statewright_bench::instructions::{COUNTED, COUNTED_KINDS, Counted, GATED, GATED_FUSED};
use statewright_bench::workload::Workload;
use statewright_bench::{commands, curves, gate, instructions, json, measure, plan, table};
use statewright_bench_features as features;
use statewright_bench_real as real;
use statewright_kernel::toggles::Optimization;
use statewright_measure::Gated;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("bench: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), String> {
    leave_out(&arguments.without)?;
    match &arguments.command {
        Some(Command::Once {
            contender,
            workload,
            agents,
            ticks,
        }) => {
            return instructions::once(*contender, *workload, *agents as usize, *ticks as usize);
        }
        Some(Command::RealOnce { contender }) => return real::count::once(contender),
        Some(Command::FeaturesOnce) => return features::once(),
        Some(Command::RealTransitions) => {
            for real in real::ALL {
                println!("{} {}", real.module(), real.transitions());
            }
            return Ok(());
        }
        None => {}
    }
    warn_if_slow();
    if arguments.gate || arguments.bless {
        return keep_gate(arguments.bless);
    }
    if arguments.instructions {
        let counted = count(&COUNTED, &COUNTED_KINDS)?;
        let text = instructions::table(&counted);
        return show(arguments.json, || json::instructions(&counted), &text);
    }
    if arguments.commands {
        print!("{}", commands::table(arguments.quick)?);
        return Ok(());
    }
    if arguments.real {
        return real_machines(arguments.quick);
    }
    if let Some(folder) = &arguments.curves {
        return draw(folder, arguments.quick);
    }
    times(arguments)
}

#[cfg(feature = "toggles")]
fn leave_out(optimizations: &[Optimization]) -> Result<(), String> {
    optimizations
        .iter()
        .for_each(|&optimization| statewright_kernel::toggles::set(optimization, false));
    Ok(())
}

#[cfg(not(feature = "toggles"))]
fn leave_out(optimizations: &[Optimization]) -> Result<(), String> {
    match optimizations {
        [] => Ok(()),
        _ => Err(
            "this build has no toggles: `cargo xtask bench --without …` makes one that has"
                .to_owned(),
        ),
    }
}

fn warn_if_slow() {
    if cfg!(debug_assertions) {
        eprintln!(
            "bench: not built in release: the figures mean nothing (use `cargo xtask bench`)"
        );
    }
}

/// The table of times.
fn times(arguments: &Arguments) -> Result<(), String> {
    let orders = plan::rows(arguments.quick);
    let progress = progress(orders.len());
    let mut rows = Vec::new();
    for order in &orders {
        progress.set_message(format!("{} with {} agents", order.workload, order.agents));
        rows.push(measure::measure(order)?);
        progress.inc(1);
    }
    progress.finish_and_clear();
    let text = table::table(&rows);
    show(arguments.json, || json::times(&rows), &text)
}

/// Times, then instructions.
fn real_machines(quick: bool) -> Result<(), String> {
    let progress = progress(real::ALL.len() * real::PERCENTS.len() + real::table::COLUMNS.len());
    let rows = real::table::measure(quick, &mut |name| {
        progress.set_message(name.to_owned());
        progress.inc(1);
    })?;
    progress.suspend(|| {
        println!(
            "{}\n{}",
            real::table::paths(&rows),
            real::table::times(&rows)
        )
    });
    let mut counted = Vec::new();
    for contender in real::table::COLUMNS {
        progress.set_message(format!("counting {contender}"));
        counted.extend(real::count::count(contender)?);
        progress.inc(1);
    }
    progress.finish_and_clear();
    println!("{}", real::table::instructions(&counted));
    print!("{}", features::table(&features::count()?));
    Ok(())
}

fn show(as_json: bool, value: impl Fn() -> serde_json::Value, text: &str) -> Result<(), String> {
    if as_json {
        println!("{:#}", value());
    } else {
        print!("{text}");
    }
    Ok(())
}

fn count(workloads: &[Workload], kinds: &[Kind]) -> Result<Vec<Counted>, String> {
    let able = |workload: &Workload| kinds.iter().filter(|kind| kind.can(*workload)).count();
    let progress = progress(workloads.iter().map(able).sum());
    let count = |&workload: &Workload| {
        progress.set_message(format!("counting {workload}"));
        instructions::count(workload, kinds, &mut || progress.inc(1))
    };
    let counted = workloads.iter().map(count).collect();
    progress.finish_and_clear();
    counted
}

/// Compares with the committed counts, or commits new ones.
fn keep_gate(bless: bool) -> Result<(), String> {
    let mut counted = count(&GATED, &[Kind::Inbox])?;
    // What a trace costs has a limit (SYS-3), and how much of it is inlined depends on little.
    counted.extend(count(&[Workload::W2], &[Kind::Traced])?);
    // Machines as code, and the typed layer beside the kernel.
    counted.extend(count(&GATED_FUSED, &[Kind::Fused])?);
    counted.extend(count(&[Workload::W2], &[Kind::Typed])?);
    let mut counted: Vec<Gated> = gate::workloads(&counted).collect();
    counted.extend(real::count::gated()?);
    counted.extend(features::gated()?);
    let path = gate::path();
    let shown = path.display();
    if bless {
        std::fs::write(&path, gate::to_text(&counted))
            .map_err(|error| format!("cannot write {shown}: {error}"))?;
        println!("wrote {shown}");
        return Ok(());
    }
    let text = std::fs::read_to_string(&path).map_err(|error| {
        format!("cannot read {shown}: {error}; `cargo xtask bench --bless` writes it")
    })?;
    let lines = gate::compare(&text, &counted)
        .map_err(|problems| format!("instruction gate\n{problems}"))?;
    print!("{lines}");
    Ok(())
}

fn draw(folder: &Path, quick: bool) -> Result<(), String> {
    let curves = curves::all();
    let progress = progress(curves.iter().map(|curve| curve.steps(quick)).sum());
    std::fs::create_dir_all(folder)
        .map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    for curve in &curves {
        progress.set_message(curve.title.to_owned());
        let path = folder.join(format!("{}.svg", curve.file));
        let svg = curve.draw(quick, &mut || progress.inc(1))?;
        std::fs::write(&path, svg)
            .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        progress.suspend(|| println!("wrote {}", path.display()));
    }
    progress.finish_and_clear();
    Ok(())
}

/// A line on standard error; nothing where that is no terminal.
fn progress(steps: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg} ({elapsed})");
    ProgressBar::new(steps as u64)
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
