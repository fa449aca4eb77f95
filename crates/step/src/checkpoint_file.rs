//! A point of the history as bytes, for files: versioned, checked, and only for the machine it was
//! made from.

use statewright::{Blackboard, Machine, Saved};
use xxhash_rust::xxh3::xxh3_64;

use crate::checkpoint::Checkpoint;
use crate::error::StepError;

/// First bytes of a snapshot.
const MAGIC: [u8; 4] = *b"SWSS";
/// Version of its shape.
const VERSION: u32 = 1;

/// The bytes: magic, version, structure hash, steps, tick, length of the instance, instance,
/// blackboard, hash of all before.
pub(crate) fn to_bytes(machine: &Machine, checkpoint: &Checkpoint) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend(machine.rom().structure_hash().to_le_bytes());
    bytes.extend(checkpoint.steps.to_le_bytes());
    bytes.extend(checkpoint.tick.to_le_bytes());
    bytes.extend((checkpoint.agent.bytes().len() as u32).to_le_bytes());
    bytes.extend(checkpoint.agent.bytes());
    checkpoint.board.save(&mut bytes);
    bytes.extend(xxh3_64(&bytes).to_le_bytes());
    bytes
}

/// Reads such bytes; `like` gives tier and answers of functions, which snapshots do not hold.
pub(crate) fn from_bytes(
    machine: &Machine,
    like: &Checkpoint,
    bytes: &[u8],
) -> Result<Checkpoint, StepError> {
    if !bytes.starts_with(&MAGIC) {
        return Err(StepError::new("this is no snapshot of `statewright step`")
            .help("make one with `snapshot FILE`"));
    }
    let damaged =
        || StepError::new("the snapshot is damaged").help("make it again with `snapshot FILE`");
    let (all, sum) = bytes.split_last_chunk::<8>().ok_or_else(damaged)?;
    if xxh3_64(all) != u64::from_le_bytes(*sum) {
        return Err(damaged());
    }
    let mut rest = &all[MAGIC.len()..];
    let version = u32::from_le_bytes(take(&mut rest).ok_or_else(damaged)?);
    if version != VERSION {
        let text =
            format!("the snapshot has version {version}, but this program reads version {VERSION}");
        return Err(StepError::new(text).help("make it again with `snapshot FILE`"));
    }
    if u64::from_le_bytes(take(&mut rest).ok_or_else(damaged)?) != machine.rom().structure_hash() {
        return Err(StepError::new(
            "the snapshot belongs to another machine, or to another version of this one",
        )
        .help("step the file that it was made from"));
    }
    read(machine, like, rest).ok_or_else(damaged)
}

fn read(machine: &Machine, like: &Checkpoint, mut rest: &[u8]) -> Option<Checkpoint> {
    let steps = u64::from_le_bytes(take(&mut rest)?);
    let tick = u32::from_le_bytes(take(&mut rest)?);
    let length = u32::from_le_bytes(take(&mut rest)?) as usize;
    let agent = like.agent.with_bytes(rest.split_off(..length)?)?;
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

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    rest.split_off(..N)?.first_chunk().copied()
}
