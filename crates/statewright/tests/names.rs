//! Names beside a ROM: those of another machine are refused (ROM-7).

use statewright::prelude::*;
use statewright::{MachineError, Names, WrongNames};

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

/// All lists of names.
fn lists(names: &mut Names) -> [(&'static str, &mut Vec<String>); 10] {
    [
        ("states", &mut names.states),
        ("events", &mut names.events),
        ("functions", &mut names.functions),
        ("keys", &mut names.keys),
        ("parameters", &mut names.parameters),
        ("variants", &mut names.variants),
        ("timers", &mut names.timers),
        ("lanes", &mut names.lanes),
        ("channels", &mut names.channels),
        ("scratch", &mut names.scratch),
    ]
}

fn load(machine: &Machine, names: Names) -> Result<(), WrongNames> {
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
            load(&machine, machine.names().clone()),
            Ok(()),
            "{}",
            machine.name()
        );
        assert_eq!(
            load(&machine, Names::default()),
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
        for place in 0..10 {
            let mut more = machine.names().clone();
            let (list, names) = &mut lists(&mut more)[place];
            let (list, expected) = (*list, names.len());
            names.push("other".to_owned());
            assert_eq!(
                load(&machine, more.clone()),
                Err(WrongNames::Count {
                    list,
                    found: expected + 1,
                    expected
                })
            );
            let names = &mut lists(&mut more)[place].1;
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
    for (place, known) in [
        false, false, true, true, true, true, false, true, true, false,
    ]
    .into_iter()
    .enumerate()
    {
        let mut names = machine.names().clone();
        let (list, own) = &mut lists(&mut names)[place];
        let (list, last) = (*list, own.len() - 1);
        own[last] = "Other".to_owned();
        let expected = if known {
            Err(WrongNames::Name {
                list,
                place: last,
                name: "Other".to_owned(),
            })
        } else {
            Ok(())
        };
        assert_eq!(load(&machine, names), expected, "{list}");
    }
    let names = Names {
        keys: vec!["Other".to_owned()],
        ..Names::default()
    };
    assert_eq!(
        load(&machine, names).unwrap_err().to_string(),
        "the names belong to another machine or version: `Other` is not the name of number 0 of the keys in the ROM"
    );
}
