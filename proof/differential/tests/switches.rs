//! The fast paths change no byte: every machine runs with each of them off and with all of them on,
//! as batches with inbox and queue.
#![cfg(feature = "switches")]

mod common;

use common::Dice;
use statewright_differential::machine::{CompiledCase, of_seed};
use statewright_kernel::switches::{Trick, set};
use statewright_kernel::{
    Batch, Class, Counters, Event, InboxEvent, Instance, Instance64, Instance128, Instance256,
    Mismatch, SortedInbox, Visit, post, tick_batch,
};
use statewright_rom::Rom;
use statewright_rom::ids::EventId;

const AGENTS: usize = 24;
const TICKS: u32 = 60;
const MACHINES: u64 = if cfg!(debug_assertions) { 400 } else { 1500 };

/// Everything that a run leaves behind.
#[derive(Debug, PartialEq)]
struct Outcome {
    bytes: Vec<u8>,
    counters: Counters,
    calls: u64,
}

fn run<I: Instance>(rom: &Rom<'_>, seed: u64, visit: Visit) -> Outcome {
    let mut agents: Vec<I> = (0..AGENTS)
        .map(|agent| I::new(rom, seed, agent as u64).expect("the tier"))
        .collect();
    let (mut host, mut counters, script) =
        (Dice::new(seed), Counters::default(), Dice::new(seed ^ 77));
    let events = rom.events().len() as u64;
    for tick in 0..TICKS {
        let mut inbox = Vec::new();
        for (place, agent) in (0_u32..).zip(&mut agents) {
            let (count, posts) = (script.below(5).saturating_sub(2), script.below(4) == 0);
            let event = || {
                let id =
                    EventId::from_index(script.below(events.max(1)) as usize).expect("an event");
                Event::new(id, Class::ALL[script.below(4) as usize])
                    .with_i32(script.below(7) as i32)
            };
            inbox.extend((0..count).map(|_| InboxEvent {
                place,
                event: event(),
            }));
            let posted = event();
            if let (Some(id), true) = (posted.id(), posts) {
                let _ = post(rom, agent, tick, id, None, posted.words(), &mut counters);
            }
        }
        let inbox = SortedInbox::new(if events == 0 { &[] } else { &inbox }).expect("sorted");
        let batch = Batch {
            first_place: 0,
            first_agent: 0,
            tick,
            variants: &[],
            inbox,
            visit,
            mismatch: Mismatch::Quarantine,
        };
        tick_batch(
            rom,
            &mut agents,
            &mut host,
            &batch,
            &mut counters,
            |_, _, _| {},
        )
        .expect("a legal batch");
    }
    let bytes = agents
        .iter()
        .flat_map(|agent| agent.as_bytes().to_vec())
        .collect();
    Outcome {
        bytes,
        counters,
        calls: host.calls.get(),
    }
}

fn run_any(rom: &Rom<'_>, seed: u64, visit: Visit) -> Outcome {
    match rom.tier() {
        Tier::Crowd => run::<Instance64>(rom, seed, visit),
        Tier::Standard => run::<Instance128>(rom, seed, visit),
        Tier::Hero => run::<Instance256>(rom, seed, visit),
    }
}

#[test]
fn fast_paths_change_no_byte() {
    let (mut with_jumps, mut transitions) = (0, 0);
    for seed in 0..MACHINES {
        let compiled = CompiledCase::new(of_seed(seed)).expect("machines of seeds compile");
        let rom = compiled.output.rom.as_rom();
        with_jumps += u64::from(!rom.jumps().is_empty());
        for visit in [Visit::All, Visit::WithEvents] {
            let all_on = run_any(&rom, seed, visit);
            transitions += all_on.counters.transitions;
            for off in Trick::ALL
                .map(|trick| vec![trick])
                .into_iter()
                .chain([Trick::ALL.to_vec()])
            {
                off.iter().for_each(|&trick| set(trick, false));
                let some_off = run_any(&rom, seed, visit);
                off.iter().for_each(|&trick| set(trick, true));
                assert_eq!(all_on, some_off, "seed {seed}, {visit:?}, without {off:?}");
            }
        }
    }
    assert!(
        with_jumps > MACHINES / 15,
        "{with_jumps} machines with jumps"
    );
    assert!(transitions > MACHINES * 66, "{transitions} transitions");
}
