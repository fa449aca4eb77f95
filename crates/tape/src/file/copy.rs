//! A part of a tape as a tape of its own.

use std::ops::RangeInclusive;

use super::Beginning;
use super::block::Kind;
use super::read::{CheckpointReason, Damaged, Item, Tape};
use super::write::{CheckpointBlocks, Counts, EndReason, TapeWriter, WriteError};
use crate::record::Record;

/// Records are gathered up to so many bytes.
const GATHERED: usize = 64 << 10;

/// Why a tape cannot be copied: what is in it, or what it is written to.
fn impossible(error: WriteError, offset: usize) -> Damaged {
    let reason = match error {
        WriteError::Io(_) => "something that memory has no room for",
        WriteError::Machine => "a machine that is too large",
        WriteError::Checkpoint(_) => "a checkpoint that is too large",
        WriteError::Record(_) => "a record that is too large",
    };
    Damaged { offset, reason }
}

/// The ticks of a range, as a tape of its own. It begins with the last checkpoint before the first of
/// them, so that it may have earlier ticks, too; `None` if the tape has no tick of the range.
pub fn cut(tape: &Tape<'_>, ticks: RangeInclusive<u64>) -> Result<Option<Vec<u8>>, Damaged> {
    let (bytes, copied) = rewrite(tape, &ticks, |_, _| None)?;
    Ok((copied > 0).then_some(bytes))
}

/// A copy in which records may be others: `edit` gets each record with its bytes and gives other bytes
/// in their place, or none to leave it. For tools and tests: what it makes is a whole tape, but nobody
/// says that it tells of anything that ever was. The bytes, and how many ticks of the range there are.
pub fn rewrite(
    tape: &Tape<'_>,
    ticks: &RangeInclusive<u64>,
    mut edit: impl FnMut(&Record, &[u8]) -> Option<Vec<u8>>,
) -> Result<(Vec<u8>, u64), Damaged> {
    let failed = |error| impossible(error, 0);
    let start = tape.start_before(*ticks.start());
    // It begins with the version of the machine that ran there.
    let beginning = Beginning {
        version: tape.version_at(start)?,
        ..tape.beginning.clone()
    };
    let mut writer = TapeWriter::new(Vec::new(), &beginning).map_err(failed)?;
    let mut player = tape.play_from(start);
    let (mut gathered, mut counts, mut copied) = (Vec::new(), Counts::default(), 0);
    // The tick that comes, and that of the first record gathered.
    let (mut now, mut since) = (0, 0);
    let flush = |writer: &mut TapeWriter<Vec<u8>>,
                 gathered: &mut Vec<u8>,
                 counts: &mut Counts,
                 since: u64| {
        if gathered.is_empty() {
            return Ok(());
        }
        let done = writer.block(Kind::Records, since, gathered, std::mem::take(counts));
        gathered.clear();
        done.map_err(failed)
    };
    while let Some((item, bytes)) = player.next_raw()? {
        match item {
            Item::Checkpoint(checkpoint) => {
                if checkpoint.tick > *ticks.end() && checkpoint.why == CheckpointReason::Regular {
                    break;
                }
                flush(&mut writer, &mut gathered, &mut counts, since)?;
                (now, since) = (checkpoint.tick, checkpoint.tick);
                let blocks = CheckpointBlocks {
                    why: checkpoint.why,
                    settings: checkpoint.settings,
                    snapshot: &checkpoint.snapshot,
                    keys: checkpoint.keys.as_ref(),
                };
                for (kind, raw) in blocks.cut().map_err(failed)? {
                    let written = writer.block(kind, now, &raw, Counts::default());
                    written.map_err(failed)?;
                }
            }
            Item::Reload(reload) => {
                flush(&mut writer, &mut gathered, &mut counts, since)?;
                since = now;
                for (kind, raw) in reload.blocks().map_err(failed)? {
                    let written = writer.block(kind, now, &raw, Counts::default());
                    written.map_err(failed)?;
                }
            }
            Item::Record(record) => {
                match edit(&record, bytes) {
                    Some(other) => gathered.extend(other),
                    None => gathered.extend_from_slice(bytes),
                }
                match record {
                    Record::Input(_) => counts.inputs += 1,
                    Record::Changed(_)
                    | Record::Keys(_)
                    | Record::Calls(_)
                    | Record::Guessed(_)
                    | Record::Output(_)
                    | Record::Hash(_) => {}
                    Record::Tick(_) => {
                        counts.ticks += 1;
                        copied += u64::from(ticks.contains(&now));
                        now += 1;
                        if now > *ticks.end() {
                            break;
                        }
                    }
                }
                if gathered.len() > GATHERED {
                    flush(&mut writer, &mut gathered, &mut counts, since)?;
                    since = now;
                }
            }
        }
    }
    flush(&mut writer, &mut gathered, &mut counts, since)?;
    let closed = writer.close(EndReason::Cut, now).map_err(failed)?;
    Ok((closed.0, copied))
}
