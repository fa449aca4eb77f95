//! Damaged, cut off, foreign and later files: never a panic, never a wrong record without a word.

use statewright_author::text;
use statewright_compile::symbols::Symbol;
use statewright_compile::{Options, compile_with};
use statewright_rom::ids::FunctionId;
use statewright_trace::file::{Ending, FORMAT, Reading, Writer};
use statewright_trace::{GuardCode, Kind, Legend, Record, SymbolTable};
use zerocopy::byteorder::little_endian::{U16, U32};

const MACHINE: &str = r#"{
  "machine": "Door",
  "events": ["Open", "Close"],
  "initial": "shut",
  "states": {
    "shut": { "transitions": [{ "on": "Open", "to": "open", "if": "CanOpen" }] },
    "open": { "transitions": [{ "on": "Close", "to": "shut" }, { "after": "2s", "to": "shut" }] },
  },
}"#;

fn legend() -> Legend {
    legend_of(MACHINE)
}

/// A door with one more state, first of all.
fn other_legend() -> Legend {
    legend_of(&MACHINE.replacen("\"states\": {", "\"states\": { \"ajar\": {},", 1))
}

fn legend_of(machine: &str) -> Legend {
    let (graph, problems) = text::read("door", machine);
    let (output, _) = compile_with(&graph, problems, &Options::default());
    let output = output.expect("the machine compiles");
    let names = |symbols: &[Symbol]| -> Vec<Symbol> {
        let named = symbols.iter().map(|symbol| symbol.name.as_str());
        named.map(Symbol::named).collect()
    };
    // What a file holds: no spans, and no names that no record has numbers of.
    let symbols = SymbolTable {
        machine: output.symbols.machine.clone(),
        states: names(&output.symbols.states),
        events: names(&output.symbols.events),
        timers: names(&output.symbols.timers),
        functions: names(&output.symbols.functions),
        guard_codes: vec![GuardCode {
            function: FunctionId::from_index(0).unwrap(),
            code: 7,
            text: "somebody leans on it".to_owned(),
        }],
        ..SymbolTable::default()
    };
    Legend::new(&output.rom.as_rom(), symbols)
}

fn record(tick: u32, agent: u32, kind: Kind, detail: u8, subject: u16, value: u32) -> Record {
    let (tick, agent) = (U32::new(tick), U32::new(agent));
    Record {
        tick,
        agent,
        kind: kind as u8,
        detail,
        subject: U16::new(subject),
        value: U32::new(value),
    }
}

/// Seven frames: one of them names a type of commands, one is a reload, the last one says that the trace is
/// complete.
fn sample() -> (Vec<Record>, Vec<u8>) {
    let ticks: [&[Record]; 4] = [
        &[
            record(0, 0, Kind::Started, 0, 0, 1),
            record(0, 0, Kind::Leaf, 0, 1, 0),
            record(0, 3, Kind::Started, 0, 0, 1),
        ],
        &[
            record(1, 0, Kind::Rejected, 4, 0, 7),
            record(1, 0, Kind::Unhandled, 0, 0, 0),
        ],
        &[
            record(2, 3, Kind::Transition, 0x81, 0, 2 << 16),
            record(2, 3, Kind::TimerSet, 0, 0, 122),
        ],
        &[
            record(3, 0, Kind::Present, 0, 2, 0),
            record(3, 3, Kind::Present, 0, 3, 0),
        ],
    ];
    let mut writer = Writer::new(Vec::new(), &legend()).unwrap();
    for (tick, records) in (0..).zip(ticks) {
        if tick == 3 {
            writer.reload(tick, &other_legend()).unwrap();
        }
        writer.add(tick, records).unwrap();
        writer.name_commands([(7, "Creak")]).unwrap();
        writer.flush().unwrap();
    }
    (ticks.concat(), writer.close().unwrap())
}

/// Bytes before the first frame.
fn head_length() -> usize {
    Writer::new(Vec::new(), &legend())
        .unwrap()
        .into_inner()
        .len()
}

fn records(reading: &Reading<'_>) -> Vec<Record> {
    reading.records().map(|(_, record)| *record).collect()
}

#[test]
fn what_was_written_is_read() {
    let (written, bytes) = sample();
    let reading = Reading::new(&bytes).unwrap();
    assert_eq!(
        (records(&reading), &reading.ending),
        (written, &Ending::Closed)
    );
    assert_eq!(reading.legend, legend().with_commands([(7, "Creak")]));
    assert_eq!(reading.legend.way(0), "shut -> open");
    assert_eq!(reading.legend.code(0, 7), Some("somebody leans on it"));
    assert_eq!(
        reading.records().map(|(tick, _)| tick).collect::<Vec<_>>(),
        [0, 0, 0, 1, 1, 2, 2, 3, 3]
    );
}

#[test]
fn load_7_records_behind_a_reload_have_the_names_of_the_new_machine() {
    let (_, bytes) = sample();
    let reading = Reading::new(&bytes).unwrap();
    let [reload] = reading.reloads.as_slice() else {
        panic!("{:?}", reading.reloads);
    };
    assert_eq!(reload.tick, 3);
    assert_eq!(reload.hashes, [legend().hashes(), other_legend().hashes()]);
    assert_ne!(reload.hashes[0], reload.hashes[1]);
    let told: Vec<(usize, String)> = reading
        .told()
        .map(|(version, _, record)| (version, reading.legend_of(version).words(record)))
        .collect();
    assert_eq!(told[1], (0, "now in shut".to_owned()));
    assert_eq!(told[7], (1, "is in shut".to_owned()));
    assert_eq!(told[8], (1, "is in open".to_owned()));
    // Names of command types are no machine's.
    assert_eq!(reload.legend, other_legend().with_commands([(7, "Creak")]));
    // The same machine is no other one.
    let mut writer = Writer::new(Vec::new(), &legend()).unwrap();
    writer.reload(3, &legend()).unwrap();
    let bytes = writer.close().unwrap();
    assert!(Reading::new(&bytes).unwrap().reloads.is_empty());
}

#[test]
fn every_cut_leaves_whole_frames_or_is_refused() {
    let (written, bytes) = sample();
    let (mut refused, mut open, mut cut_off) = (0, 0, 0);
    for end in 0..bytes.len() {
        match Reading::new(&bytes[..end]) {
            Err(error) => {
                assert!(error.offset <= end, "{error}");
                refused += 1;
            }
            Ok(reading) => {
                assert!(written.starts_with(&records(&reading)));
                match reading.ending {
                    Ending::Open => open += 1,
                    Ending::CutOff { offset } => {
                        assert!(offset < end);
                        cut_off += 1;
                    }
                    other => panic!("cut at {end}: {other:?}"),
                }
            }
        }
    }
    // Cut between frames: after the names, and after each of six frames.
    assert_eq!(open, 7);
    assert!(
        refused > 100 && cut_off > 100,
        "{refused} refused, {cut_off} cut off"
    );
}

#[test]
fn no_flipped_bit_passes() {
    let (written, bytes) = sample();
    let mut damaged = bytes.clone();
    let mut read = 0;
    for bit in 0..bytes.len() * 8 {
        damaged[bit / 8] ^= 1 << (bit % 8);
        if let Ok(reading) = Reading::new(&damaged) {
            let found = records(&reading);
            assert!(written.starts_with(&found), "bit {bit}");
            assert_ne!(reading.ending, Ending::Closed, "bit {bit}");
            assert_ne!(reading.ending, Ending::Open, "bit {bit}");
            assert!(
                found.len() < written.len() || matches!(reading.ending, Ending::Damaged { .. }),
                "bit {bit}"
            );
            read += 1;
        }
        damaged[bit / 8] ^= 1 << (bit % 8);
    }
    assert!(read > 1000, "{read}");
}

#[test]
fn foreign_and_later_files_are_refused_with_place_and_reason() {
    let refuse = |bytes: &[u8]| Reading::new(bytes).unwrap_err().to_string();
    assert_eq!(refuse(b""), "at byte 0: the file is empty");
    assert_eq!(
        refuse(b"{ \"machine\": 1 }"),
        "at byte 0: this is not a trace: it does not begin like one"
    );
    assert_eq!(
        refuse(&FORMAT.magic[..3]),
        "at byte 3: cut off within its head of 36 bytes"
    );
    let (_, mut later) = sample();
    later[4] = 6;
    assert_eq!(
        refuse(&later),
        "at byte 4: it is of version 6, this program reads version 5"
    );
    assert_eq!(
        refuse(b"SWTR\r\n\x1a\n\x01\0\0\0"),
        "at byte 4: it is of version 1, this program reads version 5"
    );
    let (_, mut long) = sample();
    long[35] = 0xFF;
    assert!(refuse(&long).starts_with("at byte 32: its names take"));
}

#[test]
fn frames_of_another_file_and_bytes_behind_the_end_are_damage() {
    let (written, bytes) = sample();
    let mut gate = legend();
    gate.symbols.machine = "Gate".to_owned();
    let mut other = Writer::new(Vec::new(), &gate).unwrap();
    other.add(0, &written[..1]).unwrap();
    let other = other.close().unwrap();
    // The names differ in nothing but their first four letters, so both heads are of one length.
    let head = head_length();
    let mixed = [&bytes[..head], &other[head..]].concat();
    let reading = Reading::new(&mixed).unwrap();
    assert!(reading.frames.is_empty());
    assert!(
        matches!(reading.ending, Ending::Damaged { offset, .. } if offset == head),
        "{:?}",
        reading.ending
    );
    let more = [&bytes[..], b"x"].concat();
    let reading = Reading::new(&more).unwrap();
    assert_eq!(records(&reading), written);
    assert_eq!(
        reading.ending.to_string(),
        format!(
            "damaged at byte {}: 1 bytes behind the end; everything before it is whole",
            bytes.len()
        )
    );
}

#[test]
fn a_full_disk_is_an_error_and_what_went_out_before_can_be_read() {
    /// Takes so many bytes.
    struct Disk(Vec<u8>, usize);
    impl std::io::Write for &mut Disk {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            let taken = bytes.len().min(self.1 - self.0.len());
            if taken == 0 {
                return Err(std::io::ErrorKind::StorageFull.into());
            }
            self.0.extend_from_slice(&bytes[..taken]);
            Ok(taken)
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let (written, _) = sample();
    // Room for a frame of three records, and for a part of the next one.
    let mut disk = Disk(Vec::new(), head_length() + 40 + 3 * 16 + 60);
    let mut writer = Writer::new(&mut disk, &legend()).unwrap();
    writer.add(0, &written[..3]).unwrap();
    writer.flush().unwrap();
    writer.add(1, &written[3..]).unwrap();
    let first = writer.flush().unwrap_err().to_string();
    assert!(
        first.starts_with("the trace cannot be written: "),
        "{first}"
    );
    writer.add(2, &written[..1]).unwrap();
    assert!(
        writer
            .flush()
            .unwrap_err()
            .to_string()
            .contains("an earlier write failed")
    );
    let reading = Reading::new(&disk.0).unwrap();
    assert_eq!(records(&reading), written[..3]);
    assert!(matches!(reading.ending, Ending::CutOff { .. }));
}

#[test]
fn ticks_go_on_past_32_bits() {
    let tick = u64::from(u32::MAX);
    let records = [
        record(u32::MAX, 0, Kind::Clamped, 0, 0, 0),
        record(0, 0, Kind::Clamped, 0, 0, 0),
    ];
    let mut writer = Writer::new(Vec::new(), &legend()).unwrap();
    writer.add(tick, &records).unwrap();
    let bytes = writer.close().unwrap();
    let ticks: Vec<u64> = Reading::new(&bytes)
        .unwrap()
        .records()
        .map(|(tick, _)| tick)
        .collect();
    assert_eq!(ticks, [tick, tick + 1]);
}

#[test]
fn ticks_may_go_back() {
    let mut writer = Writer::new(Vec::new(), &legend()).unwrap();
    for tick in [7, 8, 3] {
        writer
            .add(tick, [&record(tick as u32, 0, Kind::Clamped, 0, 0, 0)])
            .unwrap();
    }
    let bytes = writer.close().unwrap();
    let ticks: Vec<u64> = Reading::new(&bytes)
        .unwrap()
        .records()
        .map(|(tick, _)| tick)
        .collect();
    assert_eq!(ticks, [7, 8, 3]);
}
