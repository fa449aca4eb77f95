//! The proof that tables are safe to run (ROM-2): one function per table, in a written order.
//!
//! Every function reads its table in one loop. It runs up to twice: first as a fast pass that only
//! notes whether all rules hold, without a branch per rule; if one does not, a second pass names
//! the first record that breaks one and the rule. For most tables both are the same code. The
//! largest ones have a fast form of their own for records of the common kind; `tests/damage.rs`
//! compares the verdicts of both over all its damaged ROMs. Lookups into other tables are total,
//! loops are bounded by table sizes or by [`MAX_DEPTH`](crate::layout::MAX_DEPTH), and a function
//! only walks what an earlier one proved.

mod data;
mod dispatch;
mod durations;
mod features;
mod frame;
mod functions;
mod plans;
mod polls;
mod targets;
mod timers;
mod transitions;
mod tree;

use crate::error::{LoadError, Problem};
use crate::layout::{NONE, Section, ValueType};
use crate::view::Rom;

/// All passes over tables. The order matters: a later one walks what an earlier one proved.
macro_rules! in_order {
    ($run:ident, $rom:ident) => {
        $run! { $rom,
            data::strings,
            data::linker,
            data::events,
            data::keys,
            data::parameters,
            data::variants,
            data::parameter_values,
            data::arguments,
            data::lanes,
            data::built_in_lanes,
            data::channels,
            // The tree: from here on parents, subtrees and regions can be walked.
            tree::states,
            tree::regions,
            tree::leaves,
            tree::scratch,
            // Functions: from here on every op and every list is what its place says.
            functions::expressions,
            durations::durations,
            functions::action_lists,
            functions::ops,
            tree::state_parts,
            tree::state_extras,
            tree::observers,
            tree::deferrals,
            // Targets: from here on entry by target, initial and history ends, and no choice leads back to itself.
            targets::history_shape,
            targets::targets,
            targets::target_sets,
            targets::history,
            targets::initials,
            targets::region_initials,
            targets::stacks,
            targets::branches,
            targets::branch_levels,
            transitions::transitions,
            transitions::transition_extras,
            timers::timers,
            timers::timers_of_states,
            // From here on a feature that the header does not name is not there.
            features::features,
            // What is precomputed.
            plans::entry_plans,
            plans::entry_steps,
            plans::transition_plans,
            dispatch::leaf_rows,
            dispatch::candidates,
            dispatch::candidate_lists,
            plans::jump_steps,
            plans::jumps,
            dispatch::dense_cells,
            dispatch::sorted_cells,
            polls::runs,
            polls::polls,
        }
    };
}

/// All proofs.
pub(crate) fn validate(rom: &Rom<'_>) -> Result<(), LoadError> {
    macro_rules! prove {
        ($rom:ident, $($module:ident::$pass:ident,)+) => {
            $(if $module::$pass::<false>($rom).is_err() {
                $module::$pass::<true>($rom)?;
                // Not reached: the second pass tests the same rules. Refusing is right in any case.
                return Err(LoadError::header(Problem::Rule(concat!("refused by ", stringify!($pass)))));
            })+
        };
    }
    frame::counts(rom)?;
    frame::header(rom)?;
    data::text(rom)?;
    in_order!(prove, rom);
    frame::wholes(rom)
}

/// All proofs in their slow form only, to compare its verdict with that of [`validate`].
pub(crate) fn validate_slowly(rom: &Rom<'_>) -> Result<(), LoadError> {
    macro_rules! explain {
        ($rom:ident, $($module:ident::$pass:ident,)+) => { $($module::$pass::<true>($rom)?;)+ };
    }
    frame::counts(rom)?;
    frame::header(rom)?;
    data::text(rom)?;
    in_order!(explain, rom);
    frame::wholes(rom)
}

/// Collects whether rules hold; with `EXPLAIN` it stops at the first that does not.
struct Check<const EXPLAIN: bool> {
    section: Section,
    good: bool,
}

impl<const EXPLAIN: bool> Check<EXPLAIN> {
    fn new(section: Section) -> Self {
        Self {
            section,
            good: true,
        }
    }

    /// A rule about one record.
    #[inline(always)]
    fn rule(
        &mut self,
        holds: bool,
        record: usize,
        problem: impl FnOnce() -> Problem,
    ) -> Result<(), LoadError> {
        if EXPLAIN {
            if !holds {
                let record = u32::try_from(record).unwrap_or(LoadError::WHOLE);
                return Err(LoadError {
                    section: Some(self.section),
                    record,
                    problem: problem(),
                });
            }
        } else {
            self.good &= holds;
        }
        Ok(())
    }

    /// A rule about the whole table.
    fn whole(&mut self, holds: bool, problem: impl FnOnce() -> Problem) -> Result<(), LoadError> {
        self.rule(holds, usize::MAX, problem)
    }

    fn finish(self) -> Result<(), LoadError> {
        if self.good {
            Ok(())
        } else {
            Err(LoadError::whole(self.section, Problem::Rule("refused")))
        }
    }
}

/// A reference that may be absent.
#[inline(always)]
fn optional(raw: u16, count: usize) -> bool {
    (raw == NONE) | (usize::from(raw) < count)
}

fn range(what: &'static str, found: impl Into<u64>, limit: usize) -> Problem {
    Problem::Range {
        what,
        found: found.into(),
        limit: limit as u64,
    }
}

fn expected(what: &'static str, expected: impl Into<u64>, found: impl Into<u64>) -> Problem {
    Problem::Expected {
        what,
        expected: expected.into(),
        found: found.into(),
    }
}

fn unknown(what: &'static str, found: impl Into<u64>) -> Problem {
    Problem::Unknown {
        what,
        found: found.into(),
    }
}

fn presence(what: &'static str, required: bool) -> Problem {
    Problem::Presence { what, required }
}

/// Runs of a table of records that must lie back to back: where the next one starts.
#[derive(Default)]
struct Runs {
    next: u64,
}

impl Runs {
    /// Takes the next run; false if it does not start where the last one ended, or is empty.
    #[inline(always)]
    fn take(&mut self, first: u32, count: u32) -> bool {
        let fits = (u64::from(first) == self.next) & (count > 0);
        self.next = self.next.wrapping_add(u64::from(count));
        fits
    }

    /// Is the whole table used up?
    fn is_all(&self, count: usize) -> bool {
        self.next == count as u64
    }
}

/// Whether a word that comes from elsewhere is the first of a value of this type.
pub(crate) fn is_value(rom: &Rom<'_>, ty: ValueType, word: u32) -> bool {
    data::is_word(ty.into(), word, rom.strings())
}

#[cfg(test)]
mod tests {
    extern crate std;
    use std::vec::Vec;

    use super::*;

    /// The pass that proves a section. A section that nobody proves does not compile here.
    fn proof_of(section: Section) -> fn(&Rom<'_>) -> Result<(), LoadError> {
        match section {
            Section::States => tree::states::<true>,
            Section::StateExtras => tree::state_extras::<true>,
            Section::Regions => tree::regions::<true>,
            Section::Initials => targets::initials::<true>,
            Section::Stacks => targets::stacks::<true>,
            Section::Transitions => transitions::transitions::<true>,
            Section::TransitionExtras => transitions::transition_extras::<true>,
            Section::TransitionPlans => plans::transition_plans::<true>,
            Section::TargetSets => targets::target_sets::<true>,
            Section::Targets => targets::targets::<true>,
            Section::History => targets::history::<true>,
            Section::Branches => targets::branches::<true>,
            Section::Events => data::events::<true>,
            Section::Timers => timers::timers::<true>,
            Section::Deferrals => tree::deferrals::<true>,
            Section::Observers => tree::observers::<true>,
            Section::Linker => data::linker::<true>,
            Section::ActionLists => functions::action_lists::<true>,
            Section::Ops => functions::ops::<true>,
            Section::Arguments => data::arguments::<true>,
            Section::Strings => data::strings::<true>,
            Section::Text => data::text,
            Section::Keys => data::keys::<true>,
            Section::Parameters => data::parameters::<true>,
            Section::Variants => data::variants::<true>,
            Section::ParameterValues => data::parameter_values::<true>,
            Section::Expressions => functions::expressions::<true>,
            Section::Durations => durations::durations::<true>,
            Section::Code => functions::expressions::<true>,
            Section::Lanes => data::lanes::<true>,
            Section::BuiltInLanes => data::built_in_lanes::<true>,
            Section::Channels => data::channels::<true>,
            Section::Scratch => tree::scratch::<true>,
            Section::StableIds => frame::wholes,
            Section::LeafRows => dispatch::leaf_rows::<true>,
            Section::DenseCells => dispatch::dense_cells::<true>,
            Section::SortedCells => dispatch::sorted_cells::<true>,
            Section::CandidateLists => dispatch::candidate_lists::<true>,
            Section::Candidates => dispatch::candidates::<true>,
            Section::EntryPlans => plans::entry_plans::<true>,
            Section::EntrySteps => plans::entry_steps::<true>,
            Section::Jumps => plans::jumps::<true>,
            Section::JumpSteps => plans::jump_steps::<true>,
            Section::Polls => polls::polls::<true>,
            Section::Runs => polls::runs::<true>,
        }
    }

    #[test]
    fn every_section_is_proved() {
        let proofs: Vec<_> = Section::ALL
            .iter()
            .map(|&section| proof_of(section))
            .collect();
        assert_eq!(proofs.len(), Section::ALL.len());
    }
}
