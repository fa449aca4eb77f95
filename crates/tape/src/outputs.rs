//! Commands of chosen lanes: what the host was given, kept on the tape and compared (TAPE-2).

use std::fmt;

use statewright::commands::{CommandRef, Lane, What};
use statewright::{AnyValue, Board, Context, Crowd, Machine, PayloadKind};
use statewright_rom::layout::LaneScope;

use crate::record::TapeAgent;

/// Lanes, a bit for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lanes(u32);

impl Lanes {
    pub(crate) fn of(lanes: &[Lane]) -> Self {
        Self(lanes.iter().fold(0, |bits, lane| bits | 1 << lane.number()))
    }

    pub(crate) fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    pub(crate) fn bits(self) -> u32 {
        self.0
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Those that are among others, too.
    pub(crate) fn both(self, others: Self) -> Self {
        Self(self.0 & others.0)
    }

    fn has(self, lane: Lane) -> bool {
        self.0 >> lane.number() & 1 == 1
    }

    /// By their numbers.
    pub(crate) fn iter(self) -> impl Iterator<Item = Lane> {
        let all = (0..=u8::MAX).map_while(Lane::numbered);
        all.filter(move |lane| self.has(*lane))
    }

    /// What the last tick of a crowd has in these lanes, lane by lane, after their merge rules. Of some agents alone
    /// a lane where equal commands of the whole crowd count once is as they wrote it: whose command remains is up to
    /// agents whom nobody looks at, and who are not there when the tape is run again.
    pub(crate) fn commands<B: Board, C: Context + ?Sized>(
        self,
        crowd: &Crowd<B, C>,
        is_part: bool,
    ) -> impl Iterator<Item = CommandRef<'_>> {
        let machine = crowd.machine();
        self.iter().flat_map(move |lane| {
            let as_written = is_part && is_of_crowd(machine, lane);
            let written =
                as_written.then(|| crowd.commands().filter(move |one| one.lane() == lane));
            let merged = (!as_written).then(|| crowd.lane(lane));
            let written = written.into_iter().flatten();
            written.chain(merged.into_iter().flatten())
        })
    }
}

/// Do equal commands of all agents count once in a lane?
fn is_of_crowd(machine: &Machine, lane: Lane) -> bool {
    let rom = machine.rom();
    let mut lanes = rom.lanes().iter().chain(rom.built_in_lanes());
    lanes.any(|one| one.number == lane.number() && one.scope == LaneScope::Crowd)
}

/// A command of a lane whose commands are kept.
#[derive(Clone, PartialEq, Eq)]
pub struct Output {
    /// As [`CommandRef::put`] writes it.
    bytes: Box<[u8]>,
}

impl Output {
    pub(crate) fn of(command: &CommandRef<'_>) -> Self {
        let mut bytes = Vec::new();
        command.put(&mut bytes);
        Self {
            bytes: bytes.into(),
        }
    }

    /// Nothing if these bytes are no command.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        CommandRef::read(bytes, 0)?;
        Some(Self {
            bytes: bytes.into(),
        })
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The command, written in a tick.
    pub fn command(&self, tick: u64) -> Option<CommandRef<'_>> {
        CommandRef::read(&self.bytes, tick)
    }

    /// Is it of one of these lanes?
    pub(crate) fn is_in(&self, lanes: Lanes) -> bool {
        self.command(0)
            .is_some_and(|command| lanes.has(command.lane()))
    }

    /// In words, with the names of a machine: `agent 3.1 says Bark(4) on audio`.
    pub fn told(&self, machine: &Machine) -> String {
        let Some(command) = self.command(0) else {
            return "a command".to_owned();
        };
        let (agent, lane) = (TapeAgent::from(command.agent()), command.lane());
        let lane = machine.lane_name(lane);
        format!("{agent} says {} on {lane}", self.said(machine))
    }

    /// The command alone, with what it carries: `Bark(4)`.
    pub fn said(&self, machine: &Machine) -> String {
        self.command(0)
            .map_or_else(String::new, |command| told(&command, machine))
    }
}

impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Output({} bytes)", self.bytes.len())
    }
}

/// Name and payload of a command.
fn told(command: &CommandRef<'_>, machine: &Machine) -> String {
    let name = command.name(machine);
    match command.what(&machine.rom()) {
        What::Emit {
            payload: Some((ty, [x, y, z])),
            ..
        } => {
            let kind = PayloadKind::of_value(ty);
            format!("{name}({})", AnyValue::new(machine, kind, [x, y, z, 0]))
        }
        What::Typed => format!("{name} ({} bytes)", command.bytes().len()),
        What::Send { to, event, payload } => {
            let record = machine.rom();
            let carries = record.event(event);
            let kind = carries.map_or(PayloadKind::Empty, |record| record.carries());
            let to = TapeAgent::from(to);
            match AnyValue::new(machine, kind, payload) {
                AnyValue::Nothing => format!("{name} for {to}"),
                value => format!("{name}({value}) for {to}"),
            }
        }
        What::Emit { payload: None, .. } | What::Release { .. } | What::Write { .. } => name,
    }
}
