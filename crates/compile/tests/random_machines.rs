//! Random machines: what `compile` emits always loads, equals its derivation, and is the same again (ROM-2, ROM-4).

mod common;

use common::{OPTIONS, compiled, explain, for_each_seed, machines, random, shallow};
use statewright_author::graph::Machine;
use statewright_compile::compile;
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
