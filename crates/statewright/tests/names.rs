//! Names beside a ROM: those of another machine are refused (ROM-7).

use statewright::prelude::*;
use statewright::symbols::{Symbol, SymbolKind};
use statewright::{MachineError, SymbolTable, WrongNames};

fn samples() -> Vec<Machine> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../machines");
    let mut machines: Vec<Machine> = ["boss", "pedestrian", "soldier", "traffic_light", "watchman"]
        .map(|name| Machine::from_file(format!("{folder}/{name}.sw.json")).unwrap())
        .into();
    // Something of everything.
    let text = r#"{ "machine": "All", "events": ["Go"], "timers": { "alarm": {} },
      "parameters": { "speed": 1 }, "variants": { "fast": { "speed": 3 } }, "blackboard": { "tired": { "type": "bool" } },
      "lanes": { "work": { "merge": "strict_order" } }, "channels": { "legs": { "lane": "work" } },
      "states": { "walk": { "owns": ["legs"], "scratch": { "steps": 1 }, "entry": "Begin" } } }"#;
    machines.push(Machine::from_text("all.sw.json", text).unwrap());
    machines
}

fn load(machine: &Machine, names: SymbolTable) -> Result<(), WrongNames> {
    match Machine::from_rom(machine.bytes().to_vec(), names) {
        Ok(_) => Ok(()),
        Err(MachineError::Names(error)) => Err(error),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn a_machine_has_its_own_names_or_none() {
    for machine in samples() {
        assert_eq!(
            load(&machine, machine.symbols().clone()),
            Ok(()),
            "{}",
            machine.name()
        );
        assert_eq!(
            load(&machine, SymbolTable::default()),
            Ok(()),
            "{}",
            machine.name()
        );
    }
}

#[test]
fn a_name_too_few_or_too_many_is_refused() {
    let mut seen = 0;
    for machine in samples() {
        for &kind in SymbolKind::ALL {
            let mut more = machine.symbols().clone();
            let (list, names) = (kind.list(), more.list_mut(kind));
            let expected = names.len();
            names.push(Symbol::named("other"));
            assert_eq!(
                load(&machine, more.clone()),
                Err(WrongNames::Count {
                    list,
                    found: expected + 1,
                    expected
                })
            );
            let names = more.list_mut(kind);
            names.truncate(expected.saturating_sub(1));
            let found = names.len();
            if found > 0 {
                seen += 1;
                assert_eq!(
                    load(&machine, more),
                    Err(WrongNames::Count {
                        list,
                        found,
                        expected
                    })
                );
            }
        }
    }
    assert!(seen > 20, "{seen}");
}

#[test]
fn a_wrong_name_is_refused_where_the_rom_knows_its_hash() {
    let machine = samples().pop().unwrap();
    for &kind in SymbolKind::ALL {
        let known = match kind {
            SymbolKind::State
            | SymbolKind::Region
            | SymbolKind::Event
            | SymbolKind::Timer
            | SymbolKind::Transition
            | SymbolKind::History
            | SymbolKind::Scratch => false,
            SymbolKind::Function
            | SymbolKind::Key
            | SymbolKind::Parameter
            | SymbolKind::Variant
            | SymbolKind::Lane
            | SymbolKind::Channel => true,
        };
        let mut names = machine.symbols().clone();
        let (list, own) = (kind.list(), names.list_mut(kind));
        let Some(last) = own.len().checked_sub(1) else {
            continue;
        };
        own[last] = Symbol::named("Other");
        let expected = if known {
            Err(WrongNames::Name {
                list,
                index: last,
                name: "Other".to_owned(),
            })
        } else {
            Ok(())
        };
        assert_eq!(load(&machine, names), expected, "{list}");
    }
    let names = SymbolTable {
        keys: vec![Symbol::named("Other")],
        ..SymbolTable::default()
    };
    assert_eq!(
        load(&machine, names).unwrap_err().to_string(),
        "the names belong to another machine or version: `Other` is not the name of number 0 of the keys in the ROM"
    );
}
