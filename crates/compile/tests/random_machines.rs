//! Random machines: what `compile` emits always loads, equals its derivation, and is the same again (ROM-2, ROM-4).

mod common;

use common::project::project;
use common::{OPTIONS, compiled, explain, for_each_seed, machines, random, shallow};
use serde_json::Value;
use statewright_author::graph::Machine;
use statewright_author::value::Tier;
use statewright_compile::compile;
use statewright_compile::describe::describe;
use statewright_forge::{to_text, without_places};

/// Loading is part of compiling: a ROM that is refused is error SW0901.
#[test]
fn rom_2_every_machine_compiles_and_its_rom_loads() {
    for_each_seed(machines(2000), |seed| {
        let machine = random(seed);
        compiled(&machine)?;
        explain(&machine, |m| shallow(&compiled(m)?))
    });
}

#[test]
fn a_machine_that_is_written_and_read_is_the_same() {
    fn same(machine: &Machine) -> Result<(), String> {
        let text = to_text(machine);
        let (read, problems) = statewright_author::text::read("random.sw.json", &text);
        if !problems.is_empty() {
            return Err(problems.iter().map(|problem| format!("{}\n", problem.message)).collect());
        }
        if without_places(machine) != without_places(&read) {
            return Err(format!("not the same graph\n{}\n{}", without_places(machine), without_places(&read)));
        }
        let bytes = |m: &Machine| compile(m, &OPTIONS).0.map(|output| output.rom.as_bytes().to_vec());
        if bytes(machine) == bytes(&read) { Ok(()) } else { Err("not the same ROM".to_owned()) }
    }
    for_each_seed(machines(2000), |seed| explain(&random(seed), same));
}

#[test]
fn rom_4_the_same_machine_gives_the_same_bytes() {
    for_each_seed(machines(1000), |seed| {
        explain(&random(seed), |m| {
            let (first, second) = (compiled(m)?, compiled(m)?);
            let same = first.rom.as_bytes() == second.rom.as_bytes();
            if same { Ok(()) } else { Err("compiled twice, not the same".to_owned()) }
        })
    });
}

/// `dump --json` of the ROM equals the source model, which is projected from the graph by other code.
#[test]
fn what_a_rom_says_is_what_the_machine_means() {
    for_each_seed(machines(2000), |seed| {
        explain(&random(seed), |m| {
            let output = compiled(m)?;
            let tier = [Tier::Crowd, Tier::Standard, Tier::Hero][usize::from(output.rom.as_rom().header().tier)];
            let said = describe(&output.rom.as_rom(), Some(&output.symbols));
            same_value("model", &project(m, tier), &said["model"])
        })
    });
}

/// The first place at which two values differ.
fn same_value(path: &str, meant: &Value, said: &Value) -> Result<(), String> {
    match (meant, said) {
        (Value::Object(a), Value::Object(b)) if a.keys().eq(b.keys()) => {
            a.iter().zip(b.values()).try_for_each(|((key, a), b)| same_value(&format!("{path}.{key}"), a, b))
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let numbered = a.iter().zip(b).enumerate();
            numbered.into_iter().try_for_each(|(index, (a, b))| same_value(&format!("{path}[{index}]"), a, b))
        }
        _ if meant == said => Ok(()),
        _ => Err(format!("{path}: the machine means {meant}, the ROM says {said}")),
    }
}
