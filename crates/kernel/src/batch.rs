//! Many instances in one call (SYS-1, EVT-4). Everything is checked before the first agent runs.

use core::fmt;

use statewright_rom::Rom;
use statewright_rom::ids::VariantId;

use crate::core_state::Core;
use crate::counters::Counters;
use crate::event::Event;
use crate::fast::{self, Glance, Outlook};
use crate::host::{Host, Hosts};
use crate::inbox::{Inbox, InboxEvent, SortedInbox};
use crate::instance::Instance;
use crate::prefetch;
use crate::switches::{self, Trick};
use crate::tick::{Input, Mismatch, Report, Used, run, visit};

/// Which agents of a batch are visited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Visit {
    /// All of them.
    #[default]
    All,
    /// Those with events in the inbox. For callers that know that all others are at rest (SYS-2).
    WithEvents,
}

/// What a batch is given besides the instances.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'b> {
    /// Agent of the first instance; the others follow.
    pub first_agent: u64,
    /// The tick.
    pub tick: u32,
    /// One variant per instance, or empty for the plain parameters.
    pub variants: &'b [VariantId],
    /// Events for the agents.
    pub inbox: SortedInbox<'b>,
    /// Which agents are visited.
    pub visit: Visit,
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
            Self::NoSuchPlace { index } => write!(f, "event {index} of the inbox is for an instance behind the last"),
        }
    }
}

impl core::error::Error for BatchError {}

/// Runs one tick of every instance that is visited, in order. `done` hears the report of each agent that had something to do, and
/// what it left in the inbox.
pub fn tick_batch<'a, I: Instance, H: Hosts>(
    rom: &'a Rom<'a>,
    instances: &'a mut [I],
    hosts: &mut H,
    batch: &Batch<'a>,
    counters: &'a mut Counters,
    done: impl FnMut(usize, &Report, &[InboxEvent]),
) -> Result<(), BatchError> {
    check(rom, instances.len(), batch)?;
    match batch.visit {
        Visit::All => run_batch::<false, I, H>(rom, instances, hosts, batch, counters, done),
        Visit::WithEvents => run_batch::<true, I, H>(rom, instances, hosts, batch, counters, done),
    }
    Ok(())
}

/// Either form of a batch; `SPARSE` runs agents with events only, and fetches them before their turn.
fn run_batch<'a, const SPARSE: bool, I: Instance, H: Hosts>(
    rom: &'a Rom<'a>,
    instances: &'a mut [I],
    hosts: &mut H,
    batch: &Batch<'a>,
    counters: &'a mut Counters,
    mut done: impl FnMut(usize, &Report, &[InboxEvent]),
) {
    let mut core = Core::for_ticks(rom, counters, batch.tick, I::TIER);
    core.set_agents(batch.first_agent, batch.variants);
    if hosts.is_tracing() {
        core.glance.forbid_jumps();
    }
    let glance = core.glance;
    let mut agents = instances.iter_mut();
    let mut inbox = Feed::new(batch.inbox.events());
    let mut place = 0_usize;
    loop {
        // Agents without events. Bound: the instances.
        while place != inbox.next {
            let ahead = inbox.next.wrapping_sub(place);
            let resting = if SPARSE { ahead } else { count_resting(agents.as_slice(), ahead, &glance, batch.tick) };
            if let Some(last) = resting.checked_sub(1) {
                if agents.nth(last).is_none() {
                    return;
                }
                place = place.wrapping_add(resting);
                continue;
            }
            let Some(instance) = agents.next() else { return };
            let report = visit_place(&mut core, instance, hosts, batch, (place, &[]));
            done(place, &report, &[]);
            place = place.wrapping_add(1);
        }
        // An agent with events.
        if SPARSE
            && switches::has(Trick::Prefetch)
            && let Some(coming) = inbox.rest.as_slice().get(prefetch::AHEAD)
        {
            let coming = coming.place as usize;
            if let Some(instance) = agents.as_slice().get(coming.wrapping_sub(place)) {
                prefetch::prefetch(instance);
                hosts.fetch(coming);
            }
        }
        let all = inbox.rest.clone();
        let (Some(event), Some(instance)) = (inbox.take_first(), agents.next()) else { return };
        let is_only = inbox.next != place;
        if glance.may_jump(instance.header()) {
            match fast::look_up(rom, instance.only_leaf(), event) {
                Outlook::Nobody if is_only => {
                    core.nobodys = core.nobodys.wrapping_add(1);
                    done(place, &Report::taken(1), &[]);
                    place = place.wrapping_add(1);
                    continue;
                }
                Outlook::Jump(jump) => {
                    core.attach(instance.ram(), place);
                    let mut host = hosts.of(place, batch.agent(place));
                    let jumped = fast::take_jump::<I, H::Host<'_>>(&mut core, &mut host, jump, Some(event));
                    if is_only && jumped.idle {
                        done(place, &Report::taken(1), &[]);
                    } else {
                        let events = inbox.take_rest(all, place);
                        let report = run_rest(&mut core, &mut host, batch, (place, events), jumped.microsteps);
                        done(place, &report, events.get(report.inbox_taken..).unwrap_or(&[]));
                    }
                    place = place.wrapping_add(1);
                    continue;
                }
                _ => {}
            }
        }
        let events = inbox.take_rest(all, place);
        let report = visit_place(&mut core, instance, hosts, batch, (place, events));
        done(place, &report, events.get(report.inbox_taken..).unwrap_or(&[]));
        place = place.wrapping_add(1);
    }
}

/// One agent the general way.
#[inline(never)]
fn visit_place<'a, I: Instance, H: Hosts>(
    core: &mut Core<'a>,
    instance: &'a mut I,
    hosts: &mut H,
    batch: &Batch<'a>,
    (place, events): (usize, &'a [InboxEvent]),
) -> Report {
    visit(core, instance, place, &batch.input(place, events), || hosts.of(place, batch.agent(place)))
}

/// What is left to do of a tick that began with a jump.
#[cold]
fn run_rest<'a>(
    core: &mut Core<'a>,
    host: &mut dyn Host,
    batch: &Batch<'a>,
    (place, events): (usize, &'a [InboxEvent]),
    microsteps: u16,
) -> Report {
    run(core, host, &batch.input(place, events), Used::one(microsteps))
}

/// How many agents at the head of a list are at rest, of so many.
#[inline]
fn count_resting<I: Instance>(agents: &[I], limit: usize, glance: &Glance, now: u32) -> usize {
    let agents = agents.get(..limit).unwrap_or(agents);
    agents.iter().position(|agent| !glance.is_at_rest(agent, now)).unwrap_or(agents.len())
}

impl<'b> Batch<'b> {
    #[inline]
    fn agent(&self, place: usize) -> u64 {
        self.first_agent.wrapping_add(place as u64)
    }

    fn input(&self, place: usize, events: &'b [InboxEvent]) -> Input<'b> {
        let agent = self.agent(place);
        let variant = self.variants.get(place).copied().unwrap_or(VariantId::PLAIN);
        Input { agent, tick: self.tick, variant, inbox: Inbox::Part(events), mismatch: self.mismatch }
    }
}

/// The inbox of a batch, from agent to agent.
struct Feed<'b> {
    rest: core::slice::Iter<'b, InboxEvent>,
    /// The place that the next event is for; none has it if there is no event.
    next: usize,
}

impl<'b> Feed<'b> {
    #[inline]
    fn new(events: &'b [InboxEvent]) -> Self {
        Self { rest: events.iter(), next: place_of(events) }
    }

    /// Takes the next event.
    #[inline(always)]
    fn take_first(&mut self) -> Option<&'b Event> {
        let event = self.rest.next()?;
        self.next = place_of(self.rest.as_slice());
        Some(&event.event)
    }

    /// Takes all further events for a place; gives the part of all events from the first one for it.
    #[inline(never)]
    fn take_rest(&mut self, all: core::slice::Iter<'b, InboxEvent>, place: usize) -> &'b [InboxEvent] {
        let all = all.as_slice();
        let own = all.iter().take_while(|event| event.place as usize == place).count();
        let (events, rest) = all.split_at_checked(own).unwrap_or((&[], &[]));
        *self = Self::new(rest);
        events
    }
}

/// The place of the first event.
#[inline(always)]
fn place_of(events: &[InboxEvent]) -> usize {
    events.first().map_or(usize::MAX, |event| event.place as usize)
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
    let events = batch.inbox.events();
    match events.last() {
        Some(last) if last.place as usize >= instances => {
            let index = events.partition_point(|event| (event.place as usize) < instances);
            Err(BatchError::NoSuchPlace { index })
        }
        _ => Ok(()),
    }
}
