//! Random machines: what `compile` emits always loads, equals its derivation, and is the same again
//! (ROM-2, ROM-4).

use std::sync::atomic::{AtomicU64, Ordering};

use crate::common::mutate::{mutate, retarget};
use crate::common::project::project;
use crate::common::{
    OPTIONS, caught, compiled, equals_derivation, explain, for_each_seed, machines, random, varied,
};
use serde_json::Value;
use statewright_author::codes::DiagnosticCode;
use statewright_author::graph::Machine;
use statewright_author::value as author;
use statewright_compile::{compile, compile_with};
use statewright_describe::Description;
use statewright_generator::shrink::shrink;
use statewright_generator::{Rng, Size, to_text};
use statewright_rom::code::op;
use statewright_rom::exercise::walk_everything;
use statewright_rom::layout::{
    ActionOp, BuiltInLane, DurationKind, MergeRule, PayloadKind, StateKind, Tier, TimerKind,
    ValueType, feature, policy,
};

/// Loading is part of compiling: a ROM that is refused is error SW0901.
#[test]
fn rom_2_every_machine_compiles_and_its_rom_loads() {
    for_each_seed(machines(2000), |seed| {
        let machine = random(seed);
        compiled(&machine)?;
        explain(&machine, |m| {
            let output = compiled(m)?;
            caught(|| walk_everything(&output.rom.as_rom()))?;
            equals_derivation(&output)
        })
    });
}

#[test]
fn rom_4_the_same_machine_gives_the_same_bytes() {
    for_each_seed(machines(1000), |seed| {
        explain(&random(seed), |m| {
            let (first, second) = (compiled(m)?, compiled(m)?);
            let same = first.rom.as_bytes() == second.rom.as_bytes();
            if same {
                Ok(())
            } else {
                Err("compiled twice, not the same".to_owned())
            }
        })
    });
}

/// `dump --json` of the ROM equals the source model, which is projected from the graph by other
/// code.
#[test]
fn what_a_rom_says_is_what_the_machine_means() {
    for_each_seed(machines(2000), |seed| {
        explain(&varied(seed, Size::of_seed(seed)), |m| {
            let output = compiled(m)?;
            let tier = author::Tier::ALL[usize::from(output.rom.as_rom().tier().number())];
            let said = described(&output);
            same_value("model", &project(m, tier), &said["model"])
        })
    });
}

/// What `dump --json` says.
fn described(output: &statewright_compile::Output) -> Value {
    Description::new(&output.rom.as_rom(), Some(&output.symbols)).to_json()
}

/// The first place at which two values differ.
fn same_value(path: &str, meant: &Value, said: &Value) -> Result<(), String> {
    match (meant, said) {
        (Value::Object(a), Value::Object(b)) if a.keys().eq(b.keys()) => a
            .iter()
            .zip(b.values())
            .try_for_each(|((key, a), b)| same_value(&format!("{path}.{key}"), a, b)),
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let numbered = a.iter().zip(b).enumerate();
            numbered
                .into_iter()
                .try_for_each(|(index, (a, b))| same_value(&format!("{path}[{index}]"), a, b))
        }
        _ if meant == said => Ok(()),
        _ => Err(format!(
            "{path}: the machine means {meant}, the ROM says {said}"
        )),
    }
}

/// The alarm works: a model that differs anywhere is noticed.
#[test]
fn a_changed_model_is_noticed() {
    let output = compiled(&random(1)).unwrap();
    let said = described(&output)["model"].clone();
    let mut changed = said.clone();
    changed["states"][0]["transitions"] = Value::Array(vec![Value::Null]);
    assert_eq!(same_value("model", &said, &said), Ok(()));
    assert!(same_value("model", &said, &changed).is_err());
}

/// Random machines use every feature of a ROM and every instruction.
#[test]
fn random_machines_reach_every_feature_and_instruction() {
    let (mut features, mut instructions) = (0, std::collections::BTreeSet::new());
    for seed in 0..600 {
        let output = compiled(&random(seed)).unwrap();
        features |= output.rom.as_rom().header().features.get();
        instructions.extend(
            output
                .rom
                .as_rom()
                .code()
                .iter()
                .map(|instruction| instruction.op),
        );
    }
    assert_eq!(
        features,
        feature::ALL,
        "features never used: {:b}",
        !features & feature::ALL
    );
    let known = (op::PUSH..=op::VEC3_FIELD).chain(op::PLAIN.iter().copied());
    let missing: Vec<u8> = known.filter(|op| !instructions.contains(op)).collect();
    assert!(missing.is_empty(), "instructions never used: {missing:?}");
}

/// Random machines have every kind of thing that a machine can have. What the generator does not
/// know of, no proof looks at.
#[test]
fn random_machines_reach_every_kind() {
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..600 {
        let output = compiled(&random(seed)).unwrap();
        let rom = output.rom.as_rom();
        seen.insert(("tier", rom.tier().name()));
        seen.extend(rom.states().iter().map(|s| ("state", s.kind.get().name())));
        seen.extend(rom.timers().iter().map(|t| ("timer", t.kind.get().name())));
        let durations = rom.durations().iter().map(|one| one.kind.get().name());
        seen.extend(durations.map(|name| ("duration", name)));
        seen.extend(rom.keys().iter().map(|key| ("key", key.ty.get().name())));
        seen.extend(rom.lanes().iter().map(|l| ("merge", l.merge.get().name())));
        let payloads = rom.events().iter().map(|event| event.payload.get().name());
        seen.extend(payloads.map(|name| ("payload", name)));
        for op in rom.ops() {
            seen.insert(("op", op.kind.get().name()));
            if op.kind == ActionOp::Emit {
                let lane = BuiltInLane::NAMES.get((op.b.get() >> 16) as usize);
                seen.extend(lane.map(|name| ("lane", *name)));
            }
        }
        let policies = policy::TABLE.iter();
        let on = policies.filter(|(bit, _)| rom.header().policies & bit != 0);
        seen.extend(on.map(|(_, name)| ("policy", *name)));
    }
    let all = [
        ("tier", &Tier::NAMES[..]),
        ("state", &StateKind::NAMES),
        ("timer", &TimerKind::NAMES),
        ("duration", &DurationKind::NAMES),
        ("key", &ValueType::NAMES),
        ("merge", &MergeRule::NAMES),
        ("payload", &PayloadKind::NAMES),
        ("op", &ActionOp::NAMES),
        ("lane", &BuiltInLane::NAMES),
        ("policy", &policy::TABLE.map(|(_, name)| name)),
    ];
    for (what, names) in all {
        let missing: Vec<_> = names
            .iter()
            .filter(|&name| !seen.contains(&(what, *name)))
            .collect();
        assert!(missing.is_empty(), "{what} never used: {missing:?}");
    }
}

/// Machines with mistakes in them: each is refused with a reason, or what comes out loads. Never a
/// panic, never SW0901.
#[test]
fn machines_with_mistakes_are_refused_with_a_reason() {
    let refused = AtomicU64::new(0);
    let seeds = machines(2500);
    let count = seeds.end - seeds.start;
    for_each_seed(seeds, |seed| {
        let mut rng = Rng::new(seed ^ 0x5EED);
        let mut value: Value = serde_json::from_str(&to_text(&random(seed))).unwrap();
        let text = if seed.is_multiple_of(2) {
            mutate(&mut rng, &mut value);
            serde_json::to_string_pretty(&value).unwrap()
        } else {
            let mut machine = random(seed);
            retarget(&mut rng, &mut machine);
            to_text(&machine)
        };
        let (machine, problems) = statewright_author::text::read("mistake.sw.json", &text);
        let (output, problems) = caught(|| compile_with(&machine, problems, &OPTIONS))
            .map_err(|e| format!("{e}\n{text}"))?;
        refused.fetch_add(u64::from(output.is_none()), Ordering::Relaxed);
        if let Some(problem) = problems
            .iter()
            .find(|problem| problem.code == DiagnosticCode::Internal)
        {
            let same = |m: &Machine| {
                compile(m, &OPTIONS)
                    .1
                    .iter()
                    .any(|p| p.code == DiagnosticCode::Internal)
            };
            let small = if same(&machine) {
                shrink(&machine, same)
            } else {
                machine
            };
            return Err(format!("{}\n{}", problem.message, to_text(&small)));
        }
        assert_eq!(
            output.is_none(),
            problems.has_errors(),
            "a ROM comes out exactly if there are no errors"
        );
        let Some(output) = output else { return Ok(()) };
        caught(|| walk_everything(&output.rom.as_rom())).map_err(|e| format!("{e}\n{text}"))?;
        caught(|| described(&output)).map_err(|e| format!("{e}\n{text}"))?;
        equals_derivation(&output).map_err(|e| format!("{e}\n{text}"))
    });
    let refused = refused.into_inner();
    assert!(
        refused * 10 > count && refused < count,
        "{refused} of {count} refused: the mistakes are too small or too large"
    );
}
