//! What the bytes of a ROM mean, as a list that is kept per version: `layouts/VERSION.txt`.
//!
//! Whoever changes a record, a number or a bit raises the version of the format and runs this test
//! with `BLESS=1`, which writes the list of the new version. No list is ever written twice. A policy bit
//! that was free may get a meaning, with a line added by hand: whoever does not know it refuses a ROM that
//! has it, and all others mean what they meant.
//!
//! `docs/rom-format.md`, the page for readers in other languages, has the same records, numbers and
//! bits.

use std::fmt::Write;
use std::path::PathBuf;

use statewright_rom::code::op;
use statewright_rom::for_each_section;
use statewright_rom::layout::*;

type Fields = &'static [(&'static str, usize, &'static str)];

fn record(list: &mut String, heading: &str, size: usize, fields: Fields) {
    writeln!(list, "\n{heading}: {size} bytes").unwrap();
    for (name, offset, kind) in fields {
        writeln!(list, "  {offset:>3} {name}: {kind}").unwrap();
    }
}

macro_rules! records {
    ($($number:literal $name:ident $field:ident $record:ident $origin:ident,)+) => {
        /// Sections with the name and the fields of their records.
        const RECORDS: &[(Section, &str, Fields)] =
            &[$((Section::$name, stringify!($record), $record::FIELDS),)+];
    };
}
for_each_section!(records);

fn records(list: &mut String) {
    for (section, name, fields) in RECORDS {
        let heading = format!("section {} {}, {name}", *section as u16, section.name());
        record(list, &heading, section.record_size(), fields);
    }
    record(
        list,
        "Term, inside of others",
        size_of::<Term>(),
        Term::FIELDS,
    );
}

/// Numbers or bits, and their names.
type Table = (&'static str, Vec<(u32, &'static str)>);

macro_rules! enums {
    ($($name:ident)+) => {
        fn enums() -> Vec<Table> {
            vec![$((
                stringify!($name),
                $name::ALL.map(|one| (one.number().into(), one.name())).to_vec(),
            ),)+]
        }
    };
}
enums! {
    Tier StateKind SpecialTrigger TargetKind EventClass PayloadKind ValueType TimerKind DurationKind FunctionKind ActionOp MergeRule LaneKey LaneScope BuiltInLane
    StableGroup CandidateKind PlanStepKind JumpStepKind ArgumentSource ScratchType TermKind
}

macro_rules! bits {
    ($($name:ident)+) => {
        fn bits() -> Vec<Table> {
            vec![$((
                stringify!($name),
                $name::TABLE.map(|(bit, name)| (bit.into(), name)).to_vec(),
            ),)+]
        }
    };
}
bits! { feature policy state_flag transition_flag event_flag row_flag jump_flag ask_flag term_flag }

fn numbers(list: &mut String) {
    for (name, numbers) in enums() {
        writeln!(list, "\n{name}").unwrap();
        for (number, word) in numbers {
            writeln!(list, "  {number} {word}").unwrap();
        }
    }
    for (name, bits) in bits() {
        writeln!(list, "\n{name}").unwrap();
        for (bit, word) in bits {
            writeln!(list, "  {bit:#x} {word}").unwrap();
        }
    }
}

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
        ("CALL_VALUE", op::CALL_VALUE),
        ("RANDOM", op::RANDOM),
        ("RANDOM_I32", op::RANDOM_I32),
        ("RANDOM_F32", op::RANDOM_F32),
        ("CURVE", op::CURVE),
        ("SCRATCH", op::SCRATCH),
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
    numbers(&mut list);
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
            enums().iter().any(|(listed, _)| *listed == name),
            "{name} is not on the list of this test"
        );
        count += 1;
    }
    assert!(count > 10, "{count} fields");
}

/// Cells of the first table behind a line of the page.
fn table(line: &str) -> Vec<Vec<&'static str>> {
    let page = include_str!("../../../docs/rom-format.md");
    let (_, behind) = page
        .split_once(&format!("\n{line}\n"))
        .unwrap_or_else(|| panic!("docs/rom-format.md has no line `{line}`"));
    let rows = behind.lines().skip_while(|line| !line.starts_with('|'));
    rows.take_while(|line| line.starts_with('|'))
        .skip(2)
        .map(|row| row.split('|').map(str::trim).skip(1).collect())
        .collect()
}

#[track_caller]
fn page_has_fields(line: &str, fields: Fields, first: usize) {
    let type_word = |ty: &str| match ty.trim_matches(['[', ']']).split_once("; ") {
        Some((item, count)) => format!("{} × {count}", item.to_lowercase()),
        None if ty.starts_with("Coded<") => "u8".to_owned(),
        None if ty == "DurationWord" => "u32".to_owned(),
        None => ty.to_lowercase(),
    };
    let meant = fields.iter().filter(|(_, offset, _)| *offset >= first);
    let meant: Vec<_> = meant
        .map(|(name, offset, ty)| vec![offset.to_string(), (*name).to_owned(), type_word(ty)])
        .collect();
    let said = table(line).into_iter().map(|row| row[..3].to_vec());
    let said: Vec<_> = said
        .filter(|row| row[0].parse::<usize>().is_ok_and(|offset| offset >= first))
        .collect();
    assert_eq!(said, meant, "{line}");
}

#[test]
fn the_page_has_every_section_and_field() {
    // What is common to all files comes first: `crates/bytes` has it.
    let head = size_of::<statewright_bytes::Head>();
    page_has_fields("## Header", Header::FIELDS, head);
    page_has_fields("## Directory", DirectoryEntry::FIELDS, 0);
    for (section, _, fields) in RECORDS {
        let (number, size) = (*section as u16, section.record_size());
        let bytes = if size == 1 { "byte" } else { "bytes" };
        let heading = format!("### {number} {} ({size} {bytes})", section.name());
        page_has_fields(&heading, fields, 0);
    }
}

/// `StateKind` is `state_kind` on the page.
fn snake(name: &str) -> String {
    let parts = name.split_inclusive(char::is_lowercase);
    let mut snake = String::new();
    for part in parts {
        if part.starts_with(char::is_uppercase) && !snake.is_empty() {
            snake.push('_');
        }
        snake += &part.to_lowercase();
    }
    snake
}

#[test]
fn the_page_has_every_number_and_bit() {
    // Tiers have a table of their own, with what they have room for.
    let enums = enums().into_iter().filter(|(name, _)| *name != "Tier");
    for (name, numbers) in enums {
        let said = table(&format!("`{}`:", snake(name)));
        let said = said.iter().map(|row| {
            let value = row[1].trim_matches('`');
            let number = match value.strip_prefix("0x") {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => value.parse(),
            };
            (number.expect("a number"), row[0].to_lowercase())
        });
        let meant = numbers
            .into_iter()
            .map(|(number, word)| (number, word.to_owned()));
        assert_eq!(
            said.collect::<Vec<_>>(),
            meant.collect::<Vec<_>>(),
            "{name}"
        );
    }
    for (name, bits) in bits() {
        let said = table(&format!("`{name}`:")).into_iter();
        let said: Vec<_> = said
            .map(|row| (row[1].to_owned(), row[0].to_lowercase()))
            .collect();
        let meant = bits.into_iter();
        let meant: Vec<_> = meant
            .map(|(bit, word)| (format!("`1 << {}`", bit.trailing_zeros()), word.to_owned()))
            .collect();
        assert_eq!(said, meant, "{name}");
    }
}

#[test]
fn the_page_has_tiers_words_and_limits() {
    let tiers = Tier::ALL.map(|tier| {
        let has = tier.capacity();
        let counts = [has.leaves, has.timers, has.slots, has.events].map(u16::from);
        let mut row = vec![format!("{} {tier}", tier.number()), has.bytes.to_string()];
        row.extend(counts.iter().chain([&has.cost]).map(u16::to_string));
        row
    });
    let said = table("### Tiers").into_iter();
    let said: Vec<_> = said.map(|row| row[..7].to_vec()).collect();
    assert_eq!(said, tiers);
    let words = table("`value_type`:").into_iter().map(|row| row[2]);
    let meant = ValueType::ALL.map(|ty| ty.words().to_string());
    assert_eq!(words.collect::<Vec<_>>(), meant);

    let page = include_str!("../../../docs/rom-format.md");
    let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
    let own_lanes = MAX_LANES - BuiltInLane::COUNT;
    for sentence in [
        format!("its number is {} + its index", BuiltInLane::COUNT),
        format!("lanes at most {own_lanes}, channels {MAX_CHANNELS},"),
        format!("history points and stacks {MAX_SLOTS},"),
    ] {
        assert!(page.contains(&sentence), "{sentence}");
    }
}
