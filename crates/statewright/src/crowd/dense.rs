//! Dense mode: one tick over slices that the host owns (SYS-1).

use std::fmt;
use std::sync::Arc;

use statewright_kernel::{Counters, Fault, InboxEvent, Instance, Mismatch, Sleep};
use statewright_rom::Rom;
use statewright_rom::ids::{FunctionId, VariantId};
use statewright_rom::layout::policy;

use super::part::{Job, Part, Shared};
use crate::board::Board;
use crate::commands::{CommandRef, Lane, Pool, Terms, What};
use crate::program::Program;
use crate::value::AgentId;

/// What a tick over slices is given besides them.
#[derive(Debug, Default)]
pub struct Slices<'s> {
    /// The tick.
    pub tick: u32,
    /// Number of the first agent; the others follow, up to 2^32.
    pub first_agent: u32,
    /// One variant per agent, or none for the plain parameters.
    pub variants: &'s [VariantId],
    /// Events, sorted by place in the slices; those of one agent in order.
    pub inbox: &'s [InboxEvent],
    /// Places of agents that are to be ticked besides those with events, ascending; `None` for
    /// all.
    pub awake: Option<&'s [u32]>,
    /// What happens to instances of another machine.
    pub mismatch: Mismatch,
}

/// What a tick over slices leaves behind. Used again, it needs no new memory.
#[derive(Debug, Default)]
pub struct SlicesOutput {
    part: Part,
    pool: Arc<Pool>,
}

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
        /// Place of the agent.
        place: usize,
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
        /// Place of the agent.
        place: usize,
    },
    /// The instances are of another tier than the machine.
    Tier,
    /// An event or a place stands before an earlier one, or behind the last agent.
    Order {
        /// `inbox` or `awake`.
        list: &'static str,
        /// Its index there.
        index: usize,
    },
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
            Self::BoardDoesNotFit { place } => {
                write!(
                    f,
                    "the blackboard of agent {place} was made for another machine, with other keys"
                )
            }
            Self::Variants { found, instances } => {
                write!(
                    f,
                    "{found} variants for {instances} instances: give one per instance, or none"
                )
            }
            Self::UnknownVariant { place } => {
                write!(
                    f,
                    "the variant of agent {place} does not exist in this machine"
                )
            }
            Self::Tier => f.write_str("the instances are of another tier than the machine"),
            Self::Order { list, index } => write!(
                f,
                "entry {index} of `{list}` belongs to an earlier agent than the one before it, or to none: sort by place"
            ),
        }
    }
}

impl std::error::Error for SlicesError {}

/// The index of the first place that is not in order.
fn disorder<T>(list: &[T], place: impl Fn(&T) -> u32, agents: usize) -> Option<usize> {
    let last = list.last()?;
    if list.is_sorted_by_key(&place) && (place(last) as usize) < agents {
        return None;
    }
    let mut last = 0;
    let wrong = |entry: &T| {
        std::mem::replace(&mut last, place(entry)) > place(entry) || place(entry) as usize >= agents
    };
    list.iter().position(wrong)
}

impl<B: Board, C> Program<B, C> {
    /// Runs one tick over slices that the host owns. A refused call has changed nothing. Where the
    /// machine file asks for strict writes (`strict_writes`), what its actions write to
    /// blackboards is done at the end of the tick, and whoever wrote is restless (CODE-5).
    pub fn tick_slices<I: Instance>(
        &self,
        instances: &mut [I],
        boards: &mut [B],
        context: &C,
        slices: Slices<'_>,
        output: &mut SlicesOutput,
    ) -> Result<(), SlicesError> {
        let rom = self.machine().rom();
        let count = instances.len();
        if boards.len() != count {
            return Err(SlicesError::Boards {
                found: boards.len(),
                instances: count,
            });
        }
        if !slices.variants.is_empty() && slices.variants.len() != count {
            return Err(SlicesError::Variants {
                found: slices.variants.len(),
                instances: count,
            });
        }
        let known = rom.variants().len().max(1);
        if let Some(place) = slices
            .variants
            .iter()
            .position(|variant| variant.index() >= known)
        {
            return Err(SlicesError::UnknownVariant { place });
        }
        if rom.header().tier != I::TIER {
            return Err(SlicesError::Tier);
        }
        if let Some(index) = disorder(slices.inbox, |event| event.place, count) {
            return Err(SlicesError::Order {
                list: "inbox",
                index,
            });
        }
        if let Some(index) = slices
            .awake
            .and_then(|awake| disorder(awake, |&place| place, count))
        {
            return Err(SlicesError::Order {
                list: "awake",
                index,
            });
        }
        let fits = |place: usize| {
            boards
                .get(place)
                .is_none_or(|board| board.fits(self.machine()))
        };
        let with_events = slices.inbox.iter().map(|event| event.place as usize);
        let misfit = match slices.awake {
            Some(awake) => awake
                .iter()
                .map(|&place| place as usize)
                .chain(with_events)
                .find(|&place| !fits(place)),
            None => (0..count).find(|&place| !fits(place)),
        };
        if let Some(place) = misfit {
            return Err(SlicesError::BoardDoesNotFit { place });
        }
        let SlicesOutput { part, pool } = output;
        part.writer.clear();
        let budget = usize::from(rom.header().command_bytes.get());
        let agents = slices
            .awake
            .map_or(count, |awake| count.min(awake.len() + slices.inbox.len()));
        let pages = Pool::pages_for(agents, budget);
        if pool.limit() < pages {
            Pool::grow(pool, pages);
        }
        let promised = pool.promise(pages, 0);
        debug_assert_eq!(promised, Ok(()), "nobody else has this pool");
        let strict = rom.header().policies & policy::STRICT_WRITES != 0;
        let (inbox, awake) = (slices.inbox, slices.awake);
        let job = Job {
            first: 0,
            instances,
            boards: &mut *boards,
            inbox,
            awake,
            stops: &[],
            reasons: &mut [],
            part,
        };
        let terms = Terms {
            pool,
            rules: &self.rules,
            budget,
            tick: slices.tick.into(),
            forgets: false,
        };
        let shared = Shared {
            program: self,
            rom: &rom,
            context,
            lives: &[],
            base: slices.first_agent as usize,
            variants: slices.variants,
            now: slices.tick,
            mismatch: slices.mismatch,
            terms,
            strict,
            sleeps: true,
        };
        job.run(&shared);
        pool.release(pages - part.writer.pages());
        if strict {
            self.write_staged(part, boards, slices.first_agent, &rom);
        }
        Ok(())
    }

    /// Does the writes that waited for the end of the tick. A condition that waits for such a key
    /// may hold now.
    fn write_staged(&self, part: &mut Part, boards: &mut [B], first_agent: u32, rom: &Rom<'_>) {
        let Part {
            writer, restless, ..
        } = part;
        for command in writer
            .iter()
            .filter(|command| command.lane() == Lane::BLACKBOARD)
        {
            let place = command.agent().index() - first_agent;
            if let (What::Write { key, words }, Some(board)) =
                (command.what(rom), boards.get_mut(place as usize))
            {
                board.write(self.table.field(key), words);
                restless.push((place, Sleep::Awake));
            }
        }
        // Once per place; to be awake comes before all else.
        restless.sort_by_key(|&(place, sleep)| (place, sleep != Sleep::Awake));
        restless.dedup_by_key(|(place, _)| *place);
    }
}

impl SlicesOutput {
    /// Commands, in the order of agents and of emission.
    pub fn commands(&self) -> impl Iterator<Item = CommandRef<'_>> {
        self.part.writer.iter()
    }

    /// What happened.
    pub fn counters(&self) -> &Counters {
        &self.part.counters
    }

    /// How many agents something happened to.
    pub fn turns(&self) -> usize {
        self.part.turns
    }

    /// Places of those of them that want their next tick, or a later one; all others sleep until
    /// they have an event.
    pub fn restless(&self) -> impl Iterator<Item = (u32, Sleep)> + '_ {
        self.part.restless.iter().copied()
    }

    /// Events that were not taken: to be offered again, first (EVT-4).
    pub fn left(&self) -> &[InboxEvent] {
        &self.part.left
    }

    /// Agents that a fault ended.
    pub fn faults(&self) -> impl Iterator<Item = (AgentId, Fault)> + '_ {
        self.part.faults.iter().copied()
    }

    /// Agents that a panic in user code ended.
    pub fn panicked(&self) -> impl Iterator<Item = AgentId> + '_ {
        self.part.panicked.iter().copied()
    }

    /// Agents that a call of a missing function ended, and the function
    /// ([`Machine::bind_for_development`](crate::Machine::bind_for_development)).
    pub fn unanswered(&self) -> impl Iterator<Item = (AgentId, FunctionId)> + '_ {
        self.part.unanswered.iter().copied()
    }
}
