//! One file of each format and version: today's is read and written byte for byte, earlier ones are
//! read if they still are, or refused for their version.
//!
//! Whoever changes what bytes mean raises the version of the format and runs this test with
//! `BLESS=1`: that writes the file of the new version beside the old ones. No file is ever written
//! twice. (What the bytes of a ROM mean is in `crates/rom/tests/layouts/`, likewise.)
//!
//! All but ROMs have the hashes of one, so there is a file of each version *and* version of the ROM:
//! `snapshot-3-rom-2.bin` is of a ROM of version 2. Names without it are of version 1.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use statewright::trace::{Level, Reading, Settings as TraceSettings, Writer};
use statewright::{
    AgentId, Blackboard, Crowd, CrowdKey, Extent, Functions, Machine, PART_FORMAT, SNAPSHOT_FORMAT,
    WORLD_FORMAT, World,
};
use statewright_rom::{OwnedRom, Rom, layout};
use statewright_save::{FORMAT as SAVE_FORMAT, Save, Writer as SaveWriter};
use statewright_step::{CHECKPOINT_FORMAT, Command, Session, Settings};
use statewright_symbols::{SIDECAR_VERSION, SymbolTable};
use statewright_tape::{
    FORMAT as TAPE_FORMAT, Proof, Recording, RecordingOptions, Replay, SealedProgram, Tape,
    WORLD_FORMAT as WORLD_TAPE_FORMAT, WorldRecorder, WorldTape,
};

const MACHINE: &str = include_str!("formats/sentry.sw.json");

/// Calls somebody who is not there, so that a world has a message that nobody gets.
const CRIER: &str = r#"{ "machine": "Crier", "events": ["Call"], "blackboard": { "whom": { "type": "entity" } },
  "initial": "cry", "states": { "cry": { "entry": { "send": "Call", "to": "whom" } } } }"#;

/// A format of files.
struct Kind {
    name: &'static str,
    extension: &'static str,
    /// The first version of which there is a file here.
    first: u32,
    version: u32,
    /// The earliest version that is read.
    read_since: u32,
    write: fn() -> Vec<u8>,
    read: fn(&[u8]) -> Result<(), String>,
}

const ROM: Kind = Kind {
    name: "rom",
    extension: "swrom",
    first: 1,
    version: layout::FORMAT.version as u32,
    read_since: layout::FORMAT.version as u32,
    write: || compiled().bytes().to_vec(),
    read: |bytes| Rom::from_bytes(bytes).map(drop).map_err(text),
};

const SIDECAR: Kind = Kind {
    name: "sidecar",
    extension: "swdbg",
    first: 1,
    version: SIDECAR_VERSION,
    read_since: SIDECAR_VERSION,
    write: || compiled().symbols().to_json().into_bytes(),
    read: |bytes| SymbolTable::from_json(str::from_utf8(bytes).unwrap()).map(drop),
};

const SNAPSHOT: Kind = Kind {
    name: "snapshot",
    extension: "bin",
    first: 2,
    version: SNAPSHOT_FORMAT.version as u32,
    read_since: SNAPSHOT_FORMAT.version as u32,
    write: || sentries(&mut |_| ()).snapshot(),
    read: |bytes| new_crowd().restore(bytes).map_err(text),
};

/// Two agents of a crowd, as tapes of chosen agents have them.
const PART: Kind = Kind {
    name: "part",
    extension: "bin",
    first: 1,
    version: PART_FORMAT.version as u32,
    read_since: PART_FORMAT.version as u32,
    write: || {
        let crowd = sentries(&mut |_| ());
        let agents = crowd.agents().filter(|agent| agent.index() % 2 == 0);
        let (agents, mut part) = (agents.collect::<Vec<_>>(), Vec::new());
        crowd.part_into(&agents, &mut part);
        part
    },
    read: |bytes| new_crowd().restore_part(bytes).map_err(text),
};

const CHECKPOINT: Kind = Kind {
    name: "checkpoint",
    extension: "bin",
    first: 1,
    version: CHECKPOINT_FORMAT.version as u32,
    read_since: CHECKPOINT_FORMAT.version as u32,
    write: || {
        let mut session = new_session();
        for line in ["send Hit 4", "tick 6", "post Noise", "send Relief"] {
            let command = Command::parse(line, &session).unwrap();
            session.carry_out(&command).unwrap();
        }
        session.to_bytes()
    },
    read: |bytes| new_session().restore_bytes(bytes).map(drop).map_err(text),
};

const TRACE: Kind = Kind {
    name: "trace",
    extension: "swtrace",
    first: 1,
    version: statewright_trace::file::FORMAT.version as u32,
    read_since: 4,
    write: || {
        let mut writer = Writer::new(Vec::new(), &new_crowd().legend()).unwrap();
        sentries(&mut |crowd| crowd.write_trace(&mut writer).unwrap());
        writer.close().unwrap()
    },
    read: |bytes| Reading::new(bytes).map(drop).map_err(text),
};

const WORLD: Kind = Kind {
    name: "world",
    extension: "bin",
    first: 1,
    version: WORLD_FORMAT.version as u32,
    read_since: WORLD_FORMAT.version as u32,
    write: || {
        let (mut world, criers) = new_world(sentries(&mut |_| ()));
        let board = Blackboard::new(world[criers].machine());
        world[criers].spawn(board);
        world.tick(&());
        assert_eq!(world.undelivered().count(), 1);
        let (squad, ended) = (world.new_group().unwrap(), world.new_group().unwrap());
        world.dissolve_group(ended).unwrap();
        let crowd = sentries(&mut |_| ());
        for agent in crowd.agents() {
            world.join_group(squad, agent).unwrap();
        }
        world.snapshot().unwrap()
    },
    read: |bytes| new_world(new_crowd()).0.restore(bytes).map_err(text),
};

/// What a compressor makes of bytes is its own affair: a tape is what it holds, not byte for byte.
const TAPE: Kind = Kind {
    name: "tape",
    extension: "swtape",
    first: 1,
    version: TAPE_FORMAT.version as u32,
    read_since: 2,
    write: || {
        let mut crowd = sentries(&mut |_| ());
        let options = RecordingOptions {
            proof: Proof::Bytes,
            ..RecordingOptions::default()
        };
        let recording = Recording::begin(&mut crowd, Vec::new(), options).unwrap();
        let noise = crowd.machine().event("Noise").unwrap();
        for _ in 0..90 {
            crowd.tick(&());
            crowd.broadcast(noise, ()).unwrap();
        }
        recording.finish(&mut crowd).unwrap().0
    },
    read: |bytes| {
        let tape = Tape::read(bytes).map_err(text)?;
        let program = machine().bind(Functions::<Blackboard, ()>::new()).unwrap();
        let mut replay = Replay::new(&tape, program).map_err(text)?;
        let verified = replay
            .run(|crowd| (crowd.tick(&()), None).1)
            .map_err(text)?;
        assert_eq!((verified.ticks, verified.inputs), (90, 90));
        assert_eq!((verified.checkpoints, verified.digests), (9, 90));
        Ok(())
    },
};

/// It says which version of the library wrote it: a save is what it holds, not byte for byte.
const SAVE: Kind = Kind {
    name: "save",
    extension: "swsave",
    first: 1,
    version: SAVE_FORMAT.version as u32,
    read_since: SAVE_FORMAT.version as u32,
    write: || {
        let saved = sentries(&mut |_| ()).to_saved();
        let writer = SaveWriter::new("formats").crowd("sentries", &saved);
        writer.unwrap().finish()
    },
    read: |bytes| {
        let mut crowd = new_crowd();
        let save = Save::read(bytes).map_err(text)?;
        let report = save.load("sentries", &mut crowd).map_err(text)?;
        assert_eq!(report.extent, Extent::Nothing);
        assert_eq!(crowd.snapshot(), sentries(&mut |_| ()).snapshot());
        Ok(())
    },
};

/// Two crowds in one file, one of which cries for the other.
const WORLD_TAPE: Kind = Kind {
    name: "world-tape",
    extension: "swtape",
    first: 1,
    version: WORLD_TAPE_FORMAT.version as u32,
    read_since: WORLD_TAPE_FORMAT.version as u32,
    write: || {
        let (mut world, criers) = new_world(sentries(&mut |_| ()));
        let options = RecordingOptions {
            sealed: true,
            ..RecordingOptions::default()
        };
        let recorder = WorldRecorder::new(options).with(criers);
        let recording = recorder.begin(&mut world, Vec::new()).unwrap();
        let board = Blackboard::new(world[criers].machine());
        world[criers].spawn(board);
        for _ in 0..40 {
            world.tick(&());
        }
        recording.finish(&mut world).unwrap().0
    },
    read: |bytes| {
        let world = WorldTape::read(bytes).map_err(text)?;
        let tape = world.crowd("criers").ok_or("no criers")?;
        let sealed = SealedProgram::of(tape).map_err(text)?;
        let mut replay = sealed.replay(tape, 0).map_err(text)?;
        let verified = replay.run(|crowd| sealed.tick(crowd)).map_err(text)?;
        assert_eq!((verified.ticks, verified.inputs), (40, 1));
        Ok(())
    },
};

const KINDS: [Kind; 10] = [
    ROM, SIDECAR, SNAPSHOT, PART, CHECKPOINT, TRACE, WORLD, TAPE, WORLD_TAPE, SAVE,
];

fn text(error: impl std::error::Error) -> String {
    error.to_string()
}

impl Kind {
    /// The file of a version, made with a ROM of a version.
    fn path(&self, version: u32, rom: u32) -> PathBuf {
        let of_rom = match rom {
            _ if self.name == ROM.name => String::new(),
            1 => String::new(),
            rom => format!("-rom-{rom}"),
        };
        let name = format!("{}-{version}{of_rom}.{}", self.name, self.extension);
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/formats");
        PathBuf::from(folder).join(name)
    }

    /// The file of today's version, made with a ROM of today's.
    fn kept(&self) -> Vec<u8> {
        let path = self.path(self.version, ROM.version);
        let is_blessed = std::env::var_os("BLESS").is_some_and(|bless| bless == "1");
        if is_blessed && !path.exists() {
            std::fs::write(&path, (self.write)()).unwrap();
        }
        std::fs::read(&path).unwrap_or_else(|_| {
            panic!("there is no {}: make it with BLESS=1", path.display());
        })
    }

    /// Files of a version made with ROMs of some versions.
    fn of_roms(&self, version: u32, roms: RangeInclusive<u32>) -> Vec<Vec<u8>> {
        let mut paths: Vec<PathBuf> = roms.map(|rom| self.path(version, rom)).collect();
        paths.dedup();
        paths
            .iter()
            .filter_map(|path| std::fs::read(path).ok())
            .collect()
    }
}

fn compiled() -> Machine {
    Machine::from_text("sentry.sw.json", MACHINE).unwrap()
}

/// From the files that are kept, so that nothing but the formats decides about the others.
fn machine() -> Machine {
    let symbols = String::from_utf8(SIDECAR.kept()).unwrap();
    let symbols = SymbolTable::from_json(&symbols).unwrap();
    Machine::from_rom(ROM.kept(), symbols).unwrap()
}

fn new_crowd() -> Crowd<Blackboard, ()> {
    Crowd::new(machine().bind(Functions::new()).unwrap(), 7)
}

/// A crowd at the time that it has, and one without agents.
fn new_world(crowd: Crowd<Blackboard, ()>) -> (World<()>, CrowdKey<Blackboard>) {
    let mut world = World::new().starting_at(crowd.now());
    world.join("sentries", crowd).unwrap();
    let crier = Machine::from_text("crier.sw.json", CRIER).unwrap();
    let criers = Crowd::new(crier.bind(Functions::new()).unwrap(), 7);
    let criers = world.join("criers", criers).unwrap();
    (world, criers)
}

fn new_session() -> Session {
    let machine = machine();
    let rom = OwnedRom::from_vec(machine.bytes().to_vec()).unwrap();
    Session::new(rom, Some(machine.symbols().clone()), Settings::default()).unwrap()
}

/// Five sentries after thirty ticks of trouble: one is gone, one paused, one stops, messages are
/// under way.
fn sentries(each: &mut dyn FnMut(&Crowd<Blackboard, ()>)) -> Crowd<Blackboard, ()> {
    let mut crowd = new_crowd();
    // Who sleeps when is no part of any format, but shows in traces.
    crowd.set_sleeping(false);
    let machine = crowd.machine().clone();
    let [hit, noise, relief, order] =
        ["Hit", "Noise", "Relief", "Order"].map(|name| machine.event(name).unwrap());
    crowd
        .set_trace(Some(TraceSettings::new(Level::All)))
        .unwrap();
    let mut agents: Vec<AgentId> = (0..4)
        .map(|_| crowd.spawn(Blackboard::new(&machine)))
        .collect();
    let veteran = machine.variant("veteran").unwrap();
    agents.push(crowd.spawn_as(Blackboard::new(&machine), veteran));
    for tick in 0..30 {
        match tick % 7 {
            1 => crowd.send(agents[tick % 4], hit, 3_i32).unwrap(),
            2 => crowd.broadcast(noise, ()).unwrap(),
            4 => crowd.send(agents[4], relief, ()).unwrap(),
            6 => crowd.broadcast(order, ()).unwrap(),
            _ => {}
        }
        match tick {
            11 => crowd.despawn(agents.remove(1)).unwrap(),
            13 => crowd.pause(agents[0]).unwrap(),
            17 => agents.push(crowd.spawn(Blackboard::new(&machine))),
            _ => {}
        }
        crowd.tick(&());
        each(&crowd);
    }
    crowd.send(agents[1], hit, 1_i32).unwrap();
    crowd.stop(agents[2]).unwrap();
    crowd
}

#[test]
fn each_version_has_a_file_and_each_file_a_version() {
    for kind in KINDS {
        assert!(!kind.kept().is_empty());
        for version in kind.first..kind.version {
            let kept = kind.of_roms(version, 1..=ROM.version);
            assert!(!kept.is_empty(), "{} {version}", kind.name);
        }
        let later = kind.path(kind.version + 1, ROM.version);
        assert!(!later.exists(), "{} is of no version", later.display());
    }
}

/// The format is what the kept file is. If this fails, the bytes mean something else now: raise the
/// version of the format, and make the new file with `BLESS=1`.
#[test]
fn what_is_written_today_is_the_file_of_its_version() {
    // The names of a machine as it was kept: what the compiler makes of it today is its own affair.
    let written = [
        (SIDECAR, machine().symbols().to_json().into_bytes()),
        (SNAPSHOT, (SNAPSHOT.write)()),
        (PART, (PART.write)()),
        (CHECKPOINT, (CHECKPOINT.write)()),
        (TRACE, (TRACE.write)()),
        (WORLD, (WORLD.write)()),
    ];
    for (kind, bytes) in written {
        assert!(
            bytes == kind.kept(),
            "the bytes of a {} are other ones than those of version {}: raise the version, keep the old file",
            kind.name,
            kind.version
        );
    }
}

#[test]
fn files_of_this_version_are_read() {
    for kind in KINDS {
        let read = (kind.read)(&kind.kept());
        assert_eq!(read, Ok(()), "{}", kind.name);
    }
}

#[test]
fn files_of_earlier_versions_that_are_still_read_are() {
    let mut read = 0;
    for kind in KINDS {
        for version in kind.read_since..kind.version {
            for file in kind.of_roms(version, ROM.version..=ROM.version) {
                assert_eq!((kind.read)(&file), Ok(()), "{} {version}", kind.name);
                read += 1;
            }
        }
    }
    assert!(read > 1, "tapes of version 2 and traces of version 4");
}

#[test]
fn files_of_other_versions_are_refused_for_their_version() {
    let mut earlier = 0;
    for kind in KINDS {
        let versions = kind.first..kind.read_since;
        let files = |version| {
            kind.of_roms(version, 1..=ROM.version)
                .into_iter()
                .map(move |file| (version, file))
        };
        for (version, file) in versions.flat_map(files) {
            let error = (kind.read)(&file).unwrap_err();
            let (found, read) = (format!("version {version}"), kind.version.to_string());
            assert!(
                error.contains(&found) && error.contains(&read),
                "{}: {error}",
                kind.name
            );
            earlier += 1;
        }
    }
    assert!(earlier >= 4, "{earlier} files of earlier versions");
}

/// What a ROM of an earlier version meant by its numbers is not what today's means: symbols were
/// places in a list once (HASH-2).
#[test]
fn what_is_of_a_rom_of_an_earlier_version_is_of_another_machine() {
    let mut earlier = 0;
    for kind in [SNAPSHOT, CHECKPOINT] {
        for file in kind.of_roms(kind.version, 1..=ROM.version - 1) {
            let error = (kind.read)(&file).unwrap_err();
            assert!(error.contains("another machine"), "{}: {error}", kind.name);
            earlier += 1;
        }
    }
    assert!(earlier > 0, "there is a file of an earlier ROM");
}

/// What was saved goes on as if it had never been away.
#[test]
fn a_kept_snapshot_runs_on() {
    let (mut restored, mut original) = (new_crowd(), sentries(&mut |_| ()));
    restored.restore(&SNAPSHOT.kept()).unwrap();
    for tick in 0..50 {
        let noise = restored.machine().event("Noise").unwrap();
        if tick % 8 == 3 {
            restored.broadcast(noise, ()).unwrap();
            original.broadcast(noise, ()).unwrap();
        }
        restored.tick(&());
        original.tick(&());
        assert_eq!(restored.snapshot(), original.snapshot(), "tick {tick}");
    }
}

/// SAVE-4: last year's save in today's machine, which has another state and another tick rate.
#[test]
fn a_kept_save_goes_on_in_a_patched_machine() {
    let patched = MACHINE.replacen("\"states\": {", "\"states\": { \"patched\": {},", 1);
    assert_ne!(patched, MACHINE);
    let patched = Machine::from_text("sentry.sw.json", &patched).unwrap();
    let mut crowd: Crowd<Blackboard, ()> = Crowd::new(patched.bind(Functions::new()).unwrap(), 1);
    let bytes = SAVE.kept();
    let save = Save::read(&bytes).unwrap();
    let report = save.load("sentries", &mut crowd).unwrap();
    assert_eq!(report.extent, Extent::Structure);
    assert_eq!((crowd.len(), report.anew_agents()), (5, 0));
    for _ in 0..50 {
        crowd.tick(&());
    }
    assert_eq!(crowd.counters().quarantines, 0);
}

/// First bytes of saves and tapes are known here, so that one in the place of a machine is called what it is.
#[test]
fn a_save_and_a_tape_are_no_machines() {
    use statewright_files::{Content, FileError};
    for (kind, what) in [
        (&SAVE, "a save"),
        (&TAPE, "a tape"),
        (&WORLD_TAPE, "a tape"),
    ] {
        let error = Content::new("odd.sw.json", kind.kept()).unwrap_err();
        assert!(matches!(error, FileError::Save(_) | FileError::Tape(_)));
        assert_eq!(
            error.to_string(),
            format!("`odd.sw.json` is {what}, not a machine")
        );
        assert!(
            error
                .help()
                .is_some_and(|help| help.contains("statewright "))
        );
    }
}
