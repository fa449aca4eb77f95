//! What is wrong with slices, found before anybody runs.

use std::fmt;

use statewright_kernel::Instance;
use statewright_rom::Rom;

use super::Slices;
use crate::board::Board;
use crate::commands::PoolTooSmall;
use crate::context::Context;
use crate::pipeline::{Segment, WrongSettings};
use crate::program::Program;
use crate::sealed::Sealed;

/// Why a tick over slices was refused before anybody ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlicesError {
    /// Not one blackboard per instance.
    Boards {
        /// How many blackboards there are.
        found: usize,
        /// How many instances there are.
        instances: usize,
    },
    /// A blackboard of another machine.
    BoardDoesNotFit {
        /// Index of the agent.
        index: usize,
    },
    /// Ids, but not one per instance.
    Agents {
        /// How many there are.
        found: usize,
        /// How many instances there are.
        instances: usize,
    },
    /// Variants, but not one per instance.
    Variants {
        /// How many there are.
        found: usize,
        /// How many instances there are.
        instances: usize,
    },
    /// A variant that the machine does not have.
    UnknownVariant {
        /// Index of the agent.
        index: usize,
    },
    /// Changed parameters of another machine.
    Parameters,
    /// The instances are of another tier than the machine.
    Tier,
    /// An event or an agent stands before an earlier one, or behind the last agent.
    Order {
        /// `inbox`, `awake`, `stopping`, `traced` or `sealed`.
        list: &'static str,
        /// Its index there.
        index: usize,
    },
    /// Agents of this program cannot have these settings.
    Settings(WrongSettings),
    /// The pool that the output was given has too few pages for this tick.
    Pool(PoolTooSmall),
}

impl fmt::Display for SlicesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boards { found, instances } => {
                write!(
                    f,
                    "{found} blackboards for {instances} instances: give one per instance"
                )
            }
            Self::BoardDoesNotFit { index } => {
                write!(
                    f,
                    "the blackboard of agent {index} was made for another machine, with other keys"
                )
            }
            Self::Agents { found, instances } => {
                write!(
                    f,
                    "{found} ids for {instances} instances: give one per instance, or none"
                )
            }
            Self::Variants { found, instances } => {
                write!(
                    f,
                    "{found} variants for {instances} instances: give one per instance, or none"
                )
            }
            Self::UnknownVariant { index } => {
                write!(
                    f,
                    "the variant of agent {index} does not exist in this machine"
                )
            }
            Self::Parameters => f.write_str(
                "the parameters are those of another machine, or of another version of it",
            ),
            Self::Tier => f.write_str("the instances are of another tier than the machine"),
            Self::Order { list, index } => write!(
                f,
                "entry {index} of `{list}` belongs to an earlier agent than the one before it, or to none: sort by place"
            ),
            Self::Settings(error) => error.fmt(f),
            Self::Pool(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SlicesError {}

impl From<PoolTooSmall> for SlicesError {
    fn from(error: PoolTooSmall) -> Self {
        Self::Pool(error)
    }
}

/// The first entry that is not in order, as an error.
fn check_order<T>(
    name: &'static str,
    list: &[T],
    index_of: impl Fn(&T) -> u32,
    agents: usize,
) -> Result<(), SlicesError> {
    let Some(last) = list.last() else {
        return Ok(());
    };
    if list.is_sorted_by_key(&index_of) && (index_of(last) as usize) < agents {
        return Ok(());
    }
    let mut last = 0;
    let wrong = |entry: &T| {
        let index = index_of(entry);
        std::mem::replace(&mut last, index) > index || index as usize >= agents
    };
    match list.iter().position(wrong) {
        Some(index) => Err(SlicesError::Order { list: name, index }),
        None => Ok(()),
    }
}

impl<B: Board, C: Context + ?Sized> Program<B, C> {
    /// Everything that could be wrong, before anything changes.
    pub(super) fn check_slices<I: Instance>(
        &self,
        segments: &[Segment<'_, I, B>],
        slices: &Slices<'_>,
        is_numbered: bool,
        rom: &Rom<'_>,
    ) -> Result<(), SlicesError> {
        let agents = check_lengths(segments, slices, is_numbered)?;
        if rom.header().tier != I::TIER {
            return Err(SlicesError::Tier);
        }
        if slices
            .parameters
            .is_some_and(|own| !own.fit(self.machine()))
        {
            return Err(SlicesError::Parameters);
        }
        let checked = slices.settings.check(self.strict);
        checked.map_err(SlicesError::Settings)?;
        let known = rom.variants().len().max(1);
        let unknown = |variant: &statewright_rom::ids::VariantId| variant.index() >= known;
        if let Some(index) = slices.variants.iter().position(unknown) {
            return Err(SlicesError::UnknownVariant { index });
        }
        check_lists(slices, agents)?;
        self.check_boards(segments, slices)
    }

    /// Blackboards of those who may run fit.
    fn check_boards<I>(
        &self,
        segments: &[Segment<'_, I, B>],
        slices: &Slices<'_>,
    ) -> Result<(), SlicesError> {
        // Each list ascends: the segment of an index is that of the one before, or a later one.
        let (mut place, mut first) = (0, 0);
        let mut fits = |index: usize| {
            if index < first {
                (place, first) = (0, 0);
            }
            // Bound: each round goes on to the next segment.
            while let Some(segment) = segments.get(place) {
                match segment.boards.get(index - first) {
                    Some(board) => return board.fits(self.machine()),
                    None => (place, first) = (place + 1, first + segment.boards.len()),
                }
            }
            true
        };
        let with_events = slices.inbox.iter().map(|event| event.place as usize);
        let stopping = slices.stopping.iter().map(|&index| index as usize);
        let misfit = match slices.awake {
            Some(awake) => awake
                .iter()
                .map(|&index| index as usize)
                .chain(with_events)
                .chain(stopping)
                .find(|&index| !fits(index)),
            None => {
                let agents = segments.iter().map(|segment| segment.boards.len()).sum();
                (0..agents).find(|&index| !fits(index))
            }
        };
        match misfit {
            Some(index) => Err(SlicesError::BoardDoesNotFit { index }),
            None => Ok(()),
        }
    }
}

/// How many agents there are.
fn check_lengths<I, B>(
    segments: &[Segment<'_, I, B>],
    slices: &Slices<'_>,
    is_numbered: bool,
) -> Result<usize, SlicesError> {
    let mut agents = 0;
    for segment in segments {
        let instances = segment.instances.len();
        agents += instances;
        let found = segment.boards.len();
        if found != instances {
            return Err(SlicesError::Boards { found, instances });
        }
        let found = segment.agents.len();
        if found != instances && !is_numbered {
            return Err(SlicesError::Agents { found, instances });
        }
    }
    let found = slices.agents.len();
    if found != 0 {
        // Each segment has its own.
        return Err(SlicesError::Agents {
            found,
            instances: 0,
        });
    }
    let found = slices.variants.len();
    if found != 0 && found != agents {
        return Err(SlicesError::Variants {
            found,
            instances: agents,
        });
    }
    Ok(agents)
}

fn check_lists(slices: &Slices<'_>, agents: usize) -> Result<(), SlicesError> {
    check_order("inbox", slices.inbox, |event| event.place, agents)?;
    check_order("awake", slices.awake.unwrap_or(&[]), |&index| index, agents)?;
    check_order("stopping", slices.stopping, |&index| index, agents)?;
    check_order(
        "traced",
        slices.traced.unwrap_or(&[]),
        |&index| index,
        agents,
    )?;
    if let Some(Sealed::Agents(sealed)) = slices.sealed {
        check_order("sealed", sealed, |&index| index, agents)?;
    }
    let twice = slices.stopping.windows(2).position(|two| two[0] == two[1]);
    match twice {
        Some(before) => Err(SlicesError::Order {
            list: "stopping",
            index: before + 1,
        }),
        None => Ok(()),
    }
}
