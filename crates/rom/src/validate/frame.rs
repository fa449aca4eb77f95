//! What is not about single records: how many there are, the header's own numbers, sizes that
//! follow from others.

use super::{expected, optional, range, unknown};
use crate::error::{LoadError, Problem};
use crate::layout::*;
use crate::view::Rom;

const USER_LANES: usize = MAX_LANES - BuiltInLane::COUNT;

/// Most records of a section (ROM-3): as many as its kind of reference can name.
fn limit(section: Section) -> usize {
    match section {
        // Each takes slots of its own.
        Section::Stacks | Section::History => MAX_SLOTS,
        Section::Lanes => USER_LANES,
        Section::BuiltInLanes => BuiltInLane::COUNT,
        Section::Channels => MAX_CHANNELS,
        Section::DenseCells | Section::Jumps => MAX_DENSE_CELLS,
        Section::JumpSteps => MAX_JUMP_STEPS,
        Section::Targets
        | Section::Ops
        | Section::Arguments
        | Section::Text
        | Section::ParameterValues
        | Section::Code
        | Section::StableIds
        | Section::SortedCells
        | Section::CandidateLists
        | Section::Candidates
        | Section::EntrySteps => u32::MAX as usize,
        Section::States
        | Section::StateExtras
        | Section::Regions
        | Section::Initials
        | Section::Transitions
        | Section::TransitionExtras
        | Section::TransitionPlans
        | Section::TargetSets
        | Section::Branches
        | Section::Events
        | Section::Timers
        | Section::Deferrals
        | Section::Observers
        | Section::Linker
        | Section::ActionLists
        | Section::Strings
        | Section::Keys
        | Section::Parameters
        | Section::Variants
        | Section::Expressions
        | Section::Scratch
        | Section::LeafRows
        | Section::Polls
        | Section::Runs
        | Section::Durations
        | Section::EntryPlans => MAX_RECORDS,
    }
}

/// No table is larger than its references can name, and those that a machine cannot be without are
/// there.
pub(super) fn counts(rom: &Rom<'_>) -> Result<(), LoadError> {
    for &section in Section::ALL {
        let (found, limit) = (rom.count(section), limit(section));
        if found > limit {
            let problem = Problem::TooMany {
                found: found as u64,
                limit: limit as u64,
            };
            return Err(LoadError::whole(section, problem));
        }
    }
    for section in [Section::States, Section::Regions, Section::LeafRows] {
        if rom.count(section) == 0 {
            return Err(LoadError::whole(
                section,
                Problem::Rule("a machine cannot be without these"),
            ));
        }
    }
    Ok(())
}

/// The header's own numbers.
pub(super) fn header(rom: &Rom<'_>) -> Result<(), LoadError> {
    let header = rom.header();
    let cap = |what, found: u16| (found == 0 || found > MAX_CAP).then(|| unknown(what, found));
    let set = |what, raw| {
        (!optional(raw, rom.target_sets().len())).then(|| range(what, raw, rom.target_sets().len()))
    };
    let problem = unknown_bits(header)
        .or_else(|| (!header.tier.is_known()).then(|| range("tier", header.tier, Tier::COUNT)))
        .or_else(|| {
            let depth = header.max_depth;
            (depth == 0 || usize::from(depth) > MAX_DEPTH).then(|| unknown("deepest state", depth))
        })
        .or_else(|| (header.tick_rate.get() == 0).then(|| unknown("tick rate", 0_u8)))
        .or_else(|| cap("cap of events", header.events_per_tick.get()))
        .or_else(|| cap("cap of microsteps", header.microsteps_per_tick.get()))
        .or_else(|| {
            let bytes = header.command_bytes.get();
            (bytes == 0 || bytes > MAX_COMMAND_BYTES)
                .then(|| unknown("budget of command bytes", bytes))
        })
        .or_else(|| (header.clamp_limit == 0).then(|| unknown("clamp limit", 0_u8)))
        .or_else(|| set("fail-safe target set", header.fail_safe.get()))
        .or_else(|| set("reload-entry target set", header.reload_entry.get()))
        .or_else(|| columns(rom));
    problem.map_or(Ok(()), |problem| Err(LoadError::header(problem)))
}

/// Every bit of the policies is one.
const _: () = assert!(policy::ALL == u8::MAX);

fn unknown_bits(header: &Header) -> Option<Problem> {
    let features = header.features.get() & !feature::ALL;
    (features != 0).then(|| unknown("feature bits", features))
}

/// Columns are events, timers that fire, and one for the eventless; all below the special triggers.
fn columns(rom: &Rom<'_>) -> Option<Problem> {
    let (events, timers) = (rom.events().len(), rom.timers().len());
    let firing = rom.header().firing_timers.get();
    if usize::from(firing) > timers {
        return Some(range(
            "count of firing timers",
            firing,
            timers.saturating_add(1),
        ));
    }
    let columns = events.saturating_add(usize::from(firing)).saturating_add(1);
    if columns > usize::from(SpecialTrigger::FIRST) {
        return Some(range(
            "count of columns",
            columns as u64,
            usize::from(SpecialTrigger::FIRST),
        ));
    }
    let found = rom.header().columns.get();
    (usize::from(found) != columns).then(|| expected("count of columns", columns as u64, found))
}

/// Tables whose size follows from others.
pub(super) fn wholes(rom: &Rom<'_>) -> Result<(), LoadError> {
    let ids = rom
        .stable_id_counts()
        .iter()
        .fold(0_usize, |sum, count| sum.saturating_add(*count));
    let found = rom.stable_ids().len();
    if found != ids {
        return Err(LoadError::whole(
            Section::StableIds,
            expected("count", ids as u64, found as u64),
        ));
    }
    Ok(())
}
