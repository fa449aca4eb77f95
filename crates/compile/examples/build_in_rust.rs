//! A machine written in Rust instead of a file, with regions, history and a push: compile it and
//! print the report.
//!
//! `cargo run -p statewright-compile --example build_in_rust`

use std::process::ExitCode;

use statewright_author::builder::action;
use statewright_author::graph::Machine;
use statewright_author::render::{Style, render_text};
use statewright_author::value::{Class, ValueType};
use statewright_compile::{Options, compile_with};

fn main() -> ExitCode {
    let (machine, problems) = Machine::build("Sentry", |m| {
        m.event("Sight")
            .payload(ValueType::Entity)
            .class(Class::Interrupt);
        m.event("Lost");
        m.event("Stunned");
        m.key("battery", 100);
        m.key_of("target", ValueType::Entity);
        m.parameter("low", 20);
        m.initial("on");
        m.root().stack_depth(1);

        m.state("on", |on| {
            on.history("last").deep();
            on.on("Stunned").push_to("stunned");
            on.always().guard("battery < low").go("charging");
            on.region("turret", |r| {
                r.initial("scan");
                r.state("scan", |s| {
                    s.activity("Sweep");
                    s.on("Sight").run("target = event").go("track");
                });
                r.state("track", |s| {
                    s.activity("Aim");
                    s.on("Lost").go("scan");
                });
            });
            on.region("weapon", |r| {
                r.initial("cold");
                r.state("cold", |s| {
                    s.always().guard("in(track) && HasLineOfFire").go("hot");
                });
                r.state("hot", |s| {
                    s.entry(action::emit("Fire", "gameplay"));
                    s.exit("battery -= 5");
                    s.after("0.5s").go("cold");
                });
            });
        });
        m.state("stunned", |s| {
            s.after("2s").pop();
        });
        m.state("charging", |s| {
            s.after("30s").run("battery = 100").go("on/last");
        });
    });

    let (output, problems) = compile_with(&machine, problems, &Options::default());
    eprint!(
        "{}",
        render_text(&problems, &machine.source, Style::default())
    );
    match output {
        Some(output) => {
            print!("{}", output.report);
            ExitCode::SUCCESS
        }
        None => ExitCode::FAILURE,
    }
}
