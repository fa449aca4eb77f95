//! Runs a document: `scxml_run FILE a,b.c,+10` sends `a` and `b.c` and then lets 10 milliseconds
//! pass. Prints what happened and the configuration after the start and after each step.

use std::error::Error;

use statewright_scxml_oracle::{Document, Happening, Interpreter, Outcome};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments
        .next()
        .ok_or("usage: scxml_run FILE [event,event,+milliseconds]")?;
    let steps = arguments.next().unwrap_or_default();
    let document = Document::parse(&std::fs::read_to_string(&file)?)
        .map_err(|error| format!("{file}:{error}"))?;
    let mut run = Interpreter::new(&document);
    let outcome = run.start();
    show("start", outcome, &mut run);
    for step in steps.split(',').filter(|step| !step.is_empty()) {
        let outcome = match step.strip_prefix('+') {
            Some(milliseconds) => run.advance(milliseconds.parse()?),
            None => run.send(step),
        };
        show(step, outcome, &mut run);
    }
    Ok(())
}

fn show(step: &str, outcome: Outcome, run: &mut Interpreter) {
    println!("{step}:");
    for happening in run.take_log() {
        println!("    {}", spell(&happening));
    }
    let configuration = if run.terminated() {
        run.ended_in()
    } else {
        run.configuration()
    };
    println!("  {outcome:?} {}", configuration.join(" "));
}

fn spell(happening: &Happening) -> String {
    match happening {
        Happening::Event { name, internal } => {
            format!("event {name}{}", if *internal { " (internal)" } else { "" })
        }
        Happening::Take(id) => format!("transition of {id}"),
        Happening::Enter(id) => format!("enter {id}"),
        Happening::Exit(id) => format!("exit {id}"),
        Happening::Restore(id) => format!("restore {id}"),
        Happening::Log {
            label,
            value: Some(value),
        } => format!("log {label}: {value}"),
        Happening::Log { label, value: None } => format!("log {label}"),
        Happening::Assign { name, value } => format!("{name} = {value}"),
        Happening::Call(call) => format!("call {call}"),
        Happening::Raise(name) => format!("raise {name}"),
        Happening::Send { name, delay_ms } => format!("send {name} in {delay_ms} ms"),
        Happening::Cancel(id) => format!("cancel {id}"),
    }
}
