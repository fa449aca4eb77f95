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

/// Reproduction: symbols were numbered in the order of their first use, so an edit of the file
/// changed what stored ones meant.
#[test]
fn hash_2_a_symbol_means_the_same_after_every_edit() {
    let machine = |states: &str| {
        let text = format!(
            r#"{{ "machine": "M", "events": ["Go"], "blackboard": {{ "mood": {{ "type": "symbol" }} }}, "initial": "a", "states": {{ {states} }} }}"#
        );
        Machine::from_text("m.sw.json", &text).unwrap()
    };
    let sad = r#""a": { "transitions": [{ "on": "Go", "if": "mood == 'sad'", "to": "a" }] }"#;
    let glad = r#""b": { "transitions": [{ "on": "Go", "if": "mood == 'glad'", "to": "a" }] }"#;
    let (before, after) = (machine(sad), machine(&format!("{sad}, {glad}")));
    let symbol = before.symbol("sad").unwrap();
    assert_eq!(after.symbol("sad").unwrap(), symbol);
    assert_eq!(symbol, statewright::Symbol::of("sad"));
    assert_eq!(symbol.0, 0x3077_c5ce);
    assert_eq!(after.symbol_text(symbol), Some("sad"));
    assert_eq!(before.symbol_text(statewright::Symbol::NONE), Some(""));
    assert_eq!(before.symbol_text(statewright::Symbol(77)), None);
    let error = before.symbol("sat").unwrap_err().to_string();
    assert_eq!(
        error,
        "the machine has no symbol named `sat`; did you mean `sad`?"
    );
}

/// Issue line 18: what the compiler warns of stays with the machine, and is no part of a ROM.
#[test]
fn line_18_a_machine_keeps_the_warnings_of_its_compiler() {
    let text = "{ \"machine\": \"M\",\n  \"events\": [\"Sound\"], \"states\": { \"a\": {} } }";
    let machine = Machine::from_text("m.sw.json", text).unwrap();
    let line = "m.sw.json:2:15: event `Sound` is never used [SW0402]";
    assert_eq!(machine.warnings(), [line]);
    let loaded = Machine::from_rom(machine.bytes().to_vec(), machine.symbols().clone()).unwrap();
    assert!(loaded.warnings().is_empty());
    let built = Machine::build("Dog", |m| {
        m.event("Bark");
        m.state("yard", |_| {});
    });
    let built = built.unwrap();
    assert_eq!(built.warnings().len(), 1, "{:?}", built.warnings());
    assert!(built.warnings()[0].contains("`Bark`"));
    let shipped = &samples()[..5];
    assert!(shipped.iter().all(|sample| sample.warnings().is_empty()));
}

#[test]
fn lang_7_paths_may_name_regions() {
    let text = r#"{ "machine": "Fight", "initial": "combat", "states": { "combat": { "regions": {
        "legs": { "initial": "idle", "states": { "idle": {}, "run": { "states": { "fast": {} } } } },
        "arms": { "states": { "idle": {} } } } } } }"#;
    let machine = Machine::from_text("fight.sw.json", text).unwrap();
    let same = |a: &str, b: &str| assert_eq!(machine.state(a).unwrap(), machine.state(b).unwrap());
    same("legs/idle", "combat/legs/idle");
    same("run", "combat/legs/run");
    same("legs/run/fast", "combat/run/fast");
    assert_ne!(
        machine.state("legs/idle").unwrap(),
        machine.state("arms/idle").unwrap()
    );
    assert_eq!(
        machine.state("idle").unwrap_err().to_string(),
        "the machine has several states named `idle`: `combat/legs/idle`, `combat/arms/idle`"
    );
    assert!(machine.state("arms/run").is_err());
    assert!(machine.state("legs").is_err());
}
