//! A version of a machine as tapes hold it: with its names, and what is said for whoever has no game.
//! The first stands in the beginning; each reload brings another (LOAD-7).

use statewright::commands::LaneRule;
use statewright::{Machine, Reload, SymbolTable};
use statewright_bytes::{HeadError, ReadError, ReadProblem, Reader, Writer};
use statewright_rom::layout::FORMAT as ROM_FORMAT;

use super::block::Kind;
use super::read::{Damaged, Refused, refused};
use super::write::{WriteError, put_long};

/// Most bytes of a machine with its names before it is compressed.
pub(super) const MOST: usize = 32 << 20;

/// What a sealed tape says so that nobody needs the game (TAPE-2).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seal {
    /// What holds of each lane, with what the host said of it.
    pub lanes: Vec<LaneRule>,
}

/// A machine with its names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Version {
    pub(crate) rom: Vec<u8>,
    /// Names, as a sidecar.
    pub(crate) names: String,
    pub(crate) hashes: [u64; 2],
    /// If agents are sealed.
    pub(crate) seal: Option<Seal>,
}

impl Version {
    pub(crate) fn of(machine: &Machine, seal: Option<Seal>) -> Self {
        let rom = machine.rom();
        Self {
            rom: machine.bytes().to_vec(),
            names: machine.symbols().to_json(),
            hashes: [rom.structure_hash(), rom.parameter_hash()],
            seal,
        }
    }

    pub(super) fn put(&self, raw: &mut Vec<u8>) {
        for part in [&self.rom, self.names.as_bytes()] {
            raw.put_u64(part.len() as u64);
            raw.put(part);
        }
        raw.put_u8(self.seal.is_some().into());
        if let Some(seal) = &self.seal {
            raw.put_list(&seal.lanes, |out, lane| {
                out.put_u8(lane.critical.unwrap_or(false).into());
                out.put_u16(lane.cap.unwrap_or(0));
            });
        }
    }

    pub(super) fn read(reader: &mut Reader<'_>, hashes: [u64; 2]) -> Result<Self, ReadError> {
        let mut part = || {
            let length = reader.count(1)?;
            reader.take(length)
        };
        let (rom, names) = (part()?.to_vec(), part()?);
        let wrong = reader.wrong(ReadProblem::Text);
        let names = str::from_utf8(names).map_err(|_| wrong)?.to_owned();
        let seal = match reader.u8()? {
            0 => None,
            _ => Some(Seal {
                lanes: reader.list(|reader| {
                    Ok::<_, ReadError>(LaneRule {
                        critical: Some(reader.u8()? != 0),
                        cap: Some(reader.u16()?),
                    })
                })?,
            }),
        };
        Ok(Self {
            rom,
            names,
            hashes,
            seal,
        })
    }

    /// The machine, after all its proofs; `at` is where it stands in the file.
    pub(crate) fn machine(&self, at: usize) -> Result<Machine, Refused> {
        let wrong = |what: String| refused(at, what);
        if let Err(HeadError::Version { found, expected }) = ROM_FORMAT.read_head(&self.rom) {
            return Err(wrong(format!(
                "its machine is a ROM of version {found}, this program reads version {expected}: record it again, or run it with the version of Statewright that recorded it"
            )));
        }
        let names = SymbolTable::from_json(&self.names)
            .map_err(|error| wrong(format!("the names of its machine: {error}")))?;
        let machine = Machine::from_rom(self.rom.clone(), names)
            .map_err(|error| wrong(format!("its machine: {error}")))?;
        let rom = machine.rom();
        if [rom.structure_hash(), rom.parameter_hash()] != self.hashes {
            return Err(wrong("its machine is not the one that it names".to_owned()));
        }
        Ok(machine)
    }
}

/// Another version of the machine took the place of the one that ran (LOAD-7).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TapeReload {
    /// The tick that came next.
    pub tick: u64,
    /// Structure and parameter hash of both machines, the old one first.
    pub hashes: [[u64; 2]; 2],
    /// All agents began anew ([`Reload::with_all_anew`]).
    pub all_anew: bool,
    /// Timers that last another time began anew ([`Reload::with_restarted_timers`]).
    pub restarts_timers: bool,
    pub(crate) version: Version,
    /// Where it stands in the file.
    pub(super) offset: usize,
}

impl TapeReload {
    /// Of a plan that is carried out before a tick; the version is known when it has been.
    pub(crate) fn of(tick: u64, plan: &Reload, version: Version) -> Self {
        Self {
            tick,
            hashes: plan.hashes(),
            all_anew: plan.begins_all_anew(),
            restarts_timers: plan.restarts_timers(),
            version,
            offset: 0,
        }
    }

    /// The new machine, with its names.
    pub fn machine(&self) -> Result<Machine, Refused> {
        self.version.machine(self.offset)
    }

    /// The plan by which it was done.
    pub fn plan(&self, old: &Machine, new: &Machine) -> Reload {
        let mut plan = Reload::plan(old, new);
        if self.all_anew {
            plan = plan.with_all_anew();
        }
        if self.restarts_timers {
            plan = plan.with_restarted_timers();
        }
        plan
    }

    /// In words.
    pub fn told(&self) -> String {
        let [old, new] = self
            .hashes
            .map(|[structure, parameters]| format!("{structure:016x}/{parameters:016x}"));
        let mut words = format!("reload the machine, {old} becomes {new}");
        if self.all_anew {
            words += ", all agents anew";
        }
        if self.restarts_timers {
            words += ", changed timers anew";
        }
        words
    }

    /// As blocks.
    pub(crate) fn blocks(&self) -> Result<Vec<(Kind, Vec<u8>)>, WriteError> {
        let mut first = vec![u8::from(self.all_anew) | u8::from(self.restarts_timers) << 1];
        for hash in self.hashes.as_flattened() {
            first.put_u64(*hash);
        }
        let mut version = Vec::new();
        self.version.put(&mut version);
        if version.len() > MOST {
            return Err(WriteError::Machine);
        }
        let mut blocks = Vec::new();
        put_long(&mut blocks, Kind::Reload, first, &version);
        Ok(blocks)
    }

    /// The first bytes of its first block: what is not the version.
    pub(super) fn read_head(reader: &mut Reader<'_>) -> Result<(u8, [[u64; 2]; 2]), ReadError> {
        let bits = reader.u8()?;
        let mut hash = || reader.u64();
        Ok((bits, [[hash()?, hash()?], [hash()?, hash()?]]))
    }

    /// From its head and the bytes of its version.
    pub(super) fn read(
        (tick, offset): (u64, usize),
        (bits, hashes): (u8, [[u64; 2]; 2]),
        version: &[u8],
    ) -> Result<Self, Damaged> {
        let wrong = || Damaged {
            offset,
            reason: "a reload that is none",
        };
        let mut reader = Reader::new(version);
        let read = Version::read(&mut reader, hashes[1]).and_then(|version| {
            reader.end()?;
            Ok(version)
        });
        if bits > 3 {
            return Err(wrong());
        }
        Ok(Self {
            tick,
            hashes,
            all_anew: bits & 1 == 1,
            restarts_timers: bits & 2 == 2,
            version: read.map_err(|_| wrong())?,
            offset,
        })
    }
}
