//! What the bytes of a ROM mean, as a list that is kept per version: `layouts/VERSION.txt`.
//!
//! Whoever changes a record, a number or a bit raises the version of the format and runs this test
//! with `BLESS=1`, which writes the list of the new version. No list is ever written twice.

use std::fmt::Write;
use std::path::PathBuf;

use statewright_rom::code::op;
use statewright_rom::for_each_section;
use statewright_rom::layout::*;

fn record(list: &mut String, heading: &str, size: usize, fields: &[(&str, usize, &str)]) {
    writeln!(list, "\n{heading}: {size} bytes").unwrap();
    for (name, offset, kind) in fields {
        writeln!(list, "  {offset:>3} {name}: {kind}").unwrap();
    }
}

macro_rules! records {
    ($($number:literal $name:ident $field:ident $record:ident $origin:ident,)+) => {
        fn records(list: &mut String) {
            $(record(
                list,
                concat!("section ", $number, " ", stringify!($field), ", ", stringify!($record)),
                size_of::<$record>(),
                $record::FIELDS,
            );)+
        }
    };
}
for_each_section!(records);

macro_rules! enums {
    ($($name:ident)+) => {
        const ENUMS: &[&str] = &[$(stringify!($name)),+];

        fn enums(list: &mut String) {
            $(
                writeln!(list, "\n{}", stringify!($name)).unwrap();
                for one in $name::ALL {
                    writeln!(list, "  {} {one}", one.number()).unwrap();
                }
            )+
        }
    };
}
enums! {
    Tier StateKind SpecialTrigger TargetKind EventClass PayloadKind ValueType TimerKind FunctionKind ActionOp MergeRule BuiltInLane
    StableGroup CandidateKind PlanStepKind JumpStepKind
}

macro_rules! bits {
    ($($name:ident)+) => {
        fn bits(list: &mut String) {
            $(
                writeln!(list, "\n{}", stringify!($name)).unwrap();
                for (bit, word) in $name::TABLE {
                    writeln!(list, "  {bit:#x} {word}").unwrap();
                }
            )+
        }
    };
}
bits! { feature policy state_flag transition_flag event_flag row_flag jump_flag }

fn instructions(list: &mut String) {
    writeln!(list, "\ninstructions").unwrap();
    let special = [
        ("PUSH", op::PUSH),
        ("KEY", op::KEY),
        ("KEY_FIELD", op::KEY_FIELD),
        ("PARAMETER", op::PARAMETER),
        ("PARAMETER_FIELD", op::PARAMETER_FIELD),
        ("PAYLOAD", op::PAYLOAD),
        ("PAYLOAD_FIELD", op::PAYLOAD_FIELD),
        ("TICKS_IN_STATE", op::TICKS_IN_STATE),
        ("IN_STATE", op::IN_STATE),
        ("CALL_GUARD", op::CALL_GUARD),
        ("AND_JUMP", op::AND_JUMP),
        ("OR_JUMP", op::OR_JUMP),
        ("SELECT", op::SELECT),
        ("VEC2_FIELD", op::VEC2_FIELD),
        ("VEC3_FIELD", op::VEC3_FIELD),
    ];
    for (name, number) in special {
        writeln!(list, "  {number} {name}").unwrap();
    }
    for number in 0..=u8::MAX {
        if let Some(signature) = op::signature(number) {
            let inputs = signature.inputs.iter().map(ToString::to_string);
            let inputs: Vec<String> = inputs.collect();
            let output = signature.output;
            writeln!(list, "  {number} ({} -> {output})", inputs.join(" ")).unwrap();
        }
    }
}

fn layout() -> String {
    let mut list = format!("The bytes of a ROM, version {}\n", FORMAT.version);
    let head = statewright_bytes::Head::default();
    let parts = [size_of_val(&head), size_of::<Header>()];
    writeln!(list, "\nhead {} of {} bytes", parts[0], parts[1]).unwrap();
    record(&mut list, "header", size_of::<Header>(), Header::FIELDS);
    let size = size_of::<DirectoryEntry>();
    record(&mut list, "directory entry", size, DirectoryEntry::FIELDS);
    records(&mut list);
    enums(&mut list);
    bits(&mut list);
    instructions(&mut list);
    list
}

#[test]
fn the_bytes_mean_what_their_version_says() {
    let file = format!("tests/layouts/{}.txt", FORMAT.version);
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(&file);
    let is_blessed = std::env::var_os("BLESS").is_some_and(|bless| bless == "1");
    if is_blessed && !path.exists() {
        std::fs::write(&path, layout()).unwrap();
    }
    let kept = std::fs::read_to_string(&path)
        .unwrap_or_else(|_| panic!("there is no {file}: make it with BLESS=1"));
    let (found, kept): (Vec<_>, Vec<_>) = (
        layout().lines().map(str::to_owned).collect(),
        kept.lines().map(str::to_owned).collect(),
    );
    let differs = found.iter().zip(&kept).find(|(found, kept)| found != kept);
    assert!(
        found == kept,
        "the layout is not that of version {} any more ({differs:?}): raise the version in FORMAT, keep the old list",
        FORMAT.version
    );
}

/// An enum that a record holds is on the list above.
#[test]
fn no_number_is_forgotten() {
    let list = layout();
    let mut count = 0;
    for (_, rest) in list
        .match_indices("Coded<")
        .map(|(at, _)| list.split_at(at + 6))
    {
        let name = rest.split('>').next().unwrap();
        assert!(
            ENUMS.contains(&name),
            "{name} is not on the list of this test"
        );
        count += 1;
    }
    assert!(count > 10, "{count} fields");
}
