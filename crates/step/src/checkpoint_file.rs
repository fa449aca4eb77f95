//! A point of the history as bytes, for files: versioned, checked, and only for the machine it was
//! made from.

use statewright::{Blackboard, Machine, Saved};
use statewright_bytes::{ByteOrder, Format, HeadError, Reader, Writer, seal};

use crate::checkpoint::Checkpoint;
use crate::error::StepError;

/// First bytes and version of every checkpoint.
pub const FORMAT: Format = Format {
    magic: *b"SWSS",
    version: 2,
    byte_order: ByteOrder::Little,
    former: &[],
};

/// The bytes: head, steps, tick, length of the instance, instance, blackboard.
pub(crate) fn to_bytes(machine: &Machine, checkpoint: &Checkpoint) -> Vec<u8> {
    let rom = machine.rom();
    let head = FORMAT.head([rom.structure_hash(), rom.parameter_hash()]);
    let mut bytes = head.to_bytes().to_vec();
    bytes.put_u64(checkpoint.steps);
    bytes.put_u32(checkpoint.tick);
    bytes.put_u32(checkpoint.agent.bytes().len() as u32);
    bytes.put(checkpoint.agent.bytes());
    checkpoint.board.save(&mut bytes);
    seal(&mut bytes);
    bytes
}

/// Reads such bytes; `like` gives tier and answers of functions, which checkpoints do not hold.
pub(crate) fn from_bytes(
    machine: &Machine,
    like: &Checkpoint,
    bytes: &[u8],
) -> Result<Checkpoint, StepError> {
    let again = "make it again with `snapshot FILE`";
    let damaged = || StepError::new("the snapshot is damaged").help(again);
    let (head, content) = FORMAT.open(bytes).map_err(|error| match error {
        HeadError::Magic(_) => StepError::new("this is no snapshot of `statewright step`")
            .help("make one with `snapshot FILE`"),
        HeadError::Version { found, expected } => {
            let text = format!(
                "the snapshot has version {found}, but this program reads version {expected}"
            );
            StepError::new(text).help(again)
        }
        HeadError::Truncated { .. } | HeadError::ByteOrder { .. } | HeadError::Checksum { .. } => {
            damaged()
        }
    })?;
    if head.structure_hash.get() != machine.rom().structure_hash() {
        return Err(StepError::new(
            "the snapshot belongs to another machine, or to another version of this one",
        )
        .help("step the file that it was made from"));
    }
    read(machine, like, Reader::new(content)).ok_or_else(damaged)
}

fn read(machine: &Machine, like: &Checkpoint, mut from: Reader<'_>) -> Option<Checkpoint> {
    let steps = from.u64().ok()?;
    let tick = from.u32().ok()?;
    let length = from.u32().ok()? as usize;
    let agent = like.agent.with_bytes(from.take(length).ok()?)?;
    let mut rest = from.rest();
    let board = Blackboard::load(machine, &mut rest)?;
    let stubs = like.stubs.clone();
    rest.is_empty().then(|| Checkpoint {
        agent,
        board,
        tick,
        steps,
        stubs,
        last: None,
        ended_in: Vec::new(),
    })
}
