//! Many instances in one call (SYS-1, EVT-4). Everything is checked before the first agent runs.

use core::fmt;

use statewright_rom::Rom;
use statewright_rom::ids::VariantId;

use crate::core_state::Core;
use crate::counters::Counters;
use crate::host::Hosts;
use crate::inbox::{Inbox, InboxEvent};
use crate::instance::Instance;
use crate::tick::{Input, Mismatch, Report, visit};

/// What a batch is given besides the instances.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'b> {
    /// Agent of the first instance; the others follow.
    pub first_agent: u64,
    /// The tick.
    pub tick: u32,
    /// One variant per instance, or empty for the plain parameters.
    pub variants: &'b [VariantId],
    /// Events sorted by place; those of one agent in order.
    pub inbox: &'b [InboxEvent],
    /// What happens to instances of another machine.
    pub mismatch: Mismatch,
}

/// Why a batch was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchError {
    /// There are variants, but not one per instance.
    Variants {
        /// How many there are.
        found: usize,
        /// How many instances there are.
        instances: usize,
    },
    /// A variant that the machine does not have.
    UnknownVariant {
        /// Place of the instance.
        place: usize,
    },
    /// The inbox is not sorted by place.
    Unsorted {
        /// Index of the event that stands too late.
        index: usize,
    },
    /// An event for a place behind the last instance.
    NoSuchPlace {
        /// Index of the event.
        index: usize,
    },
}

impl fmt::Display for BatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variants { found, instances } => {
                write!(f, "{found} variants for {instances} instances: give one per instance, or none")
            }
            Self::UnknownVariant { place } => {
                write!(f, "the variant of instance {place} does not exist in this machine")
            }
            Self::Unsorted { index } => {
                write!(
                    f,
                    "event {index} of the inbox belongs to an earlier instance than the one before it: sort the inbox"
                )
            }
            Self::NoSuchPlace { index } => write!(f, "event {index} of the inbox is for an instance behind the last"),
        }
    }
}

impl core::error::Error for BatchError {}

/// Runs one tick of every instance, in order. `done` hears what each agent left in the inbox, and its report.
pub fn tick_batch<I: Instance, H: Hosts>(
    rom: &Rom<'_>,
    instances: &mut [I],
    hosts: &mut H,
    batch: &Batch<'_>,
    counters: &mut Counters,
    mut done: impl FnMut(usize, &Report, &[InboxEvent]),
) -> Result<(), BatchError> {
    check(rom, instances.len(), batch)?;
    let mut inbox = batch.inbox;
    let mut core = Core::new(rom, counters, batch.tick);
    for (place, instance) in instances.iter_mut().enumerate() {
        let own = inbox.iter().take_while(|event| event.place as usize == place).count();
        let (events, rest) = inbox.split_at_checked(own).unwrap_or((&[], &[]));
        inbox = rest;
        let agent = batch.first_agent.wrapping_add(place as u64);
        let input = Input {
            agent,
            tick: batch.tick,
            variant: batch.variants.get(place).copied().unwrap_or(VariantId::PLAIN),
            inbox: Inbox::Part(events),
            mismatch: batch.mismatch,
        };
        let report = visit(&mut core, instance, &input, || hosts.of(place, agent));
        done(place, &report, events.get(report.inbox_taken..).unwrap_or(&[]));
    }
    Ok(())
}

fn check(rom: &Rom<'_>, instances: usize, batch: &Batch<'_>) -> Result<(), BatchError> {
    let found = batch.variants.len();
    if found != 0 && found != instances {
        return Err(BatchError::Variants { found, instances });
    }
    let variants = rom.variants().len().max(1);
    if let Some(place) = batch.variants.iter().position(|variant| variant.index() >= variants) {
        return Err(BatchError::UnknownVariant { place });
    }
    let mut last = 0;
    for (index, event) in batch.inbox.iter().enumerate() {
        if event.place < last {
            return Err(BatchError::Unsorted { index });
        }
        if event.place as usize >= instances {
            return Err(BatchError::NoSuchPlace { index });
        }
        last = event.place;
    }
    Ok(())
}
