//! A tick of an agent as one of a batch: the loop over agents is on the way, and with it what only a batch
//! does (SYS-1).

use statewright_kernel::{
    Batch, Counters, Event, InboxEvent, Input, Instance, Report, SortedInbox, Visit, pause,
    tick_batch,
};
use statewright_rom::Rom;
use statewright_rom::ids::VariantId;

use crate::kernel_side::KernelHost;

/// How a batch of one agent and others that stand still looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Among {
    /// So many stand before the agent.
    pub before: usize,
    /// And so many behind it.
    pub behind: usize,
    /// Only agents with events and those in a list are visited.
    pub sparse: bool,
}

/// Runs one tick of an agent among others that are paused.
pub fn tick_among<I: Instance>(
    rom: &Rom<'_>,
    instance: &mut I,
    host: &mut KernelHost<'_>,
    input: &Input<'_>,
    counters: &mut Counters,
    among: Among,
) -> Report {
    let place = among.before;
    let mut other = I::of_machine(rom.machine_id(), 1, 0);
    pause(rom, &mut other, input.tick);
    let mut agents = vec![other; place + 1 + among.behind];
    agents[place] = *instance;
    let events = (0..).map_while(|number| input.inbox.get(number));
    let inbox: Vec<InboxEvent> = events
        .map(|&event: &Event| InboxEvent {
            place: place as u32,
            event,
        })
        .collect();
    let (listed, mut variants) = ([place as u32], vec![VariantId::PLAIN; agents.len()]);
    variants[place] = input.variant;
    let batch = Batch {
        first_place: 0,
        first_agent: input.agent - place as u64,
        tick: input.tick,
        variants: &variants,
        inbox: SortedInbox::new(&inbox).expect("all are of one agent"),
        visit: match among.sparse {
            true => Visit::WithEventsAnd(&listed),
            false => Visit::All,
        },
        mismatch: input.mismatch,
    };
    // Whoever is not reported has taken its events and rests.
    let mut own = Report {
        inbox_taken: inbox.len(),
        ..Report::default()
    };
    let done = |at: usize, report: &Report, left: &[InboxEvent]| {
        if at == place {
            assert_eq!(left.len(), inbox.len() - report.inbox_taken);
            own = *report;
        }
    };
    let ran = tick_batch(rom, &mut agents, host, &batch, counters, done);
    ran.expect("the batch is legal");
    *instance = agents[place];
    own
}
