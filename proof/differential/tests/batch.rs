//! Many instances in one call (SYS-1, EVT-4), and instances of another machine (RAM-6).

mod common;

use common::Dice;
use statewright_kernel::{
    Batch, BatchError, Counters, Event, Fault, InboxEvent, Input, Instance, Instance64,
    Instance128, Mismatch, SortedInbox, Unsorted, Visit, flag, post, stop, tick, tick_batch,
};
use statewright_rom::OwnedRom;
use statewright_rom::ids::{EventId, VariantId};
use zerocopy::IntoBytes;

const COUNTER: &str = r#"{
  "machine": "Counter", "tier": "crowd", "initial": "idle",
  "events": { "Add": { "payload": "i32" } },
  "blackboard": { "sum": { "type": "i32" } },
  "parameters": { "step": { "type": "i32", "value": 1 } },
  "variants": { "fast": { "step": 10 } },
  "states": { "idle": { "transitions": [{ "on": "Add", "do": "Note" }] } }
}"#;

fn compiled(text: &str) -> OwnedRom {
    let options = statewright_compile::Options {
        strict: false,
        dev: false,
    };
    let (machine, problems) = statewright_author::text::read("test.sw.json", text);
    let (output, problems) = statewright_compile::compile_with(&machine, problems, &options);
    output
        .unwrap_or_else(|| {
            panic!(
                "{:?}",
                problems.iter().map(|p| &p.message).collect::<Vec<_>>()
            )
        })
        .rom
}

fn add(place: u32, value: i32) -> InboxEvent {
    let id = EventId::from_index(0).unwrap();
    InboxEvent {
        place,
        event: Event::new(id, statewright_kernel::Class::Normal).with_i32(value),
    }
}

fn batch<'b>(inbox: &'b [InboxEvent], variants: &'b [VariantId]) -> Batch<'b> {
    let inbox = SortedInbox::new(inbox).expect("the inbox is sorted");
    Batch {
        first_place: 0,
        first_agent: 100,
        tick: 1,
        variants,
        inbox,
        visit: Visit::All,
        mismatch: Mismatch::Quarantine,
    }
}

fn instances(rom: &OwnedRom, count: u64) -> Vec<Instance64> {
    (0..count)
        .map(|agent| Instance64::new(&rom.as_rom(), 5, 100 + agent).unwrap())
        .collect()
}

#[test]
fn sys_1_a_batch_does_what_single_ticks_do() {
    let rom = compiled(COUNTER);
    let rom = rom.as_rom();
    let (mut alone, mut together) = (
        instances(&compiled(COUNTER), 8),
        instances(&compiled(COUNTER), 8),
    );
    let inbox: Vec<InboxEvent> = [0, 0, 2, 3, 3, 3, 7].map(|place| add(place, 4)).to_vec();
    let mut counters = Counters::default();
    let mut host = Dice::new(3);
    tick_batch(
        &rom,
        &mut together,
        &mut host,
        &batch(&inbox, &[]),
        &mut counters,
        |_, _, left| assert!(left.is_empty()),
    )
    .unwrap();
    let mut counters_alone = Counters::default();
    let mut host_alone = Dice::new(3);
    for (place, instance) in alone.iter_mut().enumerate() {
        let own: Vec<Event> = inbox
            .iter()
            .filter(|e| e.place as usize == place)
            .map(|e| e.event)
            .collect();
        let input = Input {
            inbox: own.as_slice().into(),
            ..Input::new(100 + place as u64, 1)
        };
        tick(&rom, instance, &mut host_alone, &input, &mut counters_alone);
    }
    assert_eq!(alone, together);
    assert_eq!(counters, counters_alone);
    assert_eq!(
        (counters.events, counters.transitions, host.calls.get()),
        (7, 7, 7)
    );
}

#[test]
fn sys_1_two_parts_with_places_of_the_whole_do_what_one_batch_does() {
    let rom = compiled(COUNTER);
    let variants: Vec<VariantId> = (0..8)
        .map(|place| VariantId::from_index(place % 2).unwrap())
        .collect();
    let inbox: Vec<InboxEvent> = [0, 0, 2, 3, 3, 3, 7].map(|place| add(place, 4)).to_vec();
    let mut whole = instances(&rom, 8);
    let (mut host, mut counters) = (Dice::new(3), Counters::default());
    tick_batch(
        &rom.as_rom(),
        &mut whole,
        &mut host,
        &batch(&inbox, &variants),
        &mut counters,
        |_, _, _| {},
    )
    .unwrap();
    let mut parts = instances(&rom, 8);
    let (mut part_host, mut part_counters) = (Dice::new(3), Counters::default());
    let (low, high) = parts.split_at_mut(3);
    for (first_place, end, part, events) in [(0, 3, low, &inbox[..3]), (3, 8, high, &inbox[3..])] {
        let batch = Batch {
            first_place,
            ..batch(events, &variants[..end])
        };
        let done = |place: usize, _: &_, _: &_| assert!((first_place..end).contains(&place));
        tick_batch(
            &rom.as_rom(),
            part,
            &mut part_host,
            &batch,
            &mut part_counters,
            done,
        )
        .unwrap();
    }
    assert_eq!(parts, whole);
    assert_eq!(part_counters, counters);
    assert_eq!((part_host.calls.get(), host.calls.get()), (7, 7));
    let early = Batch {
        first_place: 3,
        ..batch(&inbox, &variants)
    };
    let refused = tick_batch(
        &rom.as_rom(),
        &mut parts[3..],
        &mut host,
        &early,
        &mut counters,
        |_, _, _| {},
    );
    assert_eq!(refused, Err(BatchError::NoSuchPlace { index: 0 }));
}

#[test]
fn evt_4_what_is_left_at_a_cap_comes_back_in_order() {
    let rom = compiled(COUNTER);
    let mut agents = instances(&rom, 2);
    let inbox: Vec<InboxEvent> = (0..7)
        .map(|value| add(0, value))
        .chain([add(1, 99)])
        .collect();
    let (mut host, mut counters) = (Dice::new(1), Counters::default());
    let mut left = Vec::new();
    let done = |place: usize, report: &statewright_kernel::Report, rest: &[InboxEvent]| {
        left.push((
            place,
            report.inbox_taken,
            report.clamped,
            rest.iter().map(|e| e.event.i32()).collect::<Vec<_>>(),
        ));
    };
    tick_batch(
        &rom.as_rom(),
        &mut agents,
        &mut host,
        &batch(&inbox, &[]),
        &mut counters,
        done,
    )
    .unwrap();
    // Four events per tick in this tier; the rest is neither dropped nor clamped.
    assert_eq!(left, [(0, 4, false, vec![4, 5, 6]), (1, 1, false, vec![])]);
    assert_eq!(counters.dropped(), 0);
}

#[test]
fn bad_batches_are_refused_before_anything_runs() {
    let rom = compiled(COUNTER);
    let variant = |number| VariantId::from_index(number).unwrap();
    let wrong: [(Vec<InboxEvent>, Vec<VariantId>, BatchError); 3] = [
        (
            vec![],
            vec![variant(0); 2],
            BatchError::Variants {
                found: 2,
                places: 3,
            },
        ),
        (
            vec![],
            vec![variant(0), variant(1), variant(2)],
            BatchError::UnknownVariant { place: 2 },
        ),
        (
            vec![add(0, 0), add(3, 0)],
            vec![],
            BatchError::NoSuchPlace { index: 1 },
        ),
    ];
    for (inbox, variants, error) in wrong {
        let mut agents = instances(&rom, 3);
        let before = agents.clone();
        let (mut host, mut counters) = (Dice::new(1), Counters::default());
        let result = tick_batch(
            &rom.as_rom(),
            &mut agents,
            &mut host,
            &batch(&inbox, &variants),
            &mut counters,
            |_, _, _| panic!("nothing runs"),
        );
        assert_eq!(result, Err(error));
        assert!(!error.to_string().is_empty());
        assert_eq!((agents, counters), (before, Counters::default()));
    }
    let unsorted = SortedInbox::new(&[add(1, 0), add(0, 0)]).map(|_| ());
    assert_eq!(unsorted, Err(Unsorted { index: 1 }));
    assert!(Unsorted { index: 1 }.to_string().contains("sort the inbox"));
}

#[test]
fn ram_6_an_instance_without_leaves_is_ended_however_its_events_reach_it() {
    let rom = compiled(COUNTER);
    let rom = rom.as_rom();
    let (mut host, mut counters) = (Dice::new(1), Counters::default());
    let mut healthy = instances(&compiled(COUNTER), 1)[0];
    tick(
        &rom,
        &mut healthy,
        &mut host,
        &Input::new(100, 0),
        &mut counters,
    );
    let mut bytes: [u8; 64] = zerocopy::transmute!(healthy);
    let leaves = healthy.header().as_bytes().len();
    assert_ne!(bytes[leaves..leaves + 2], [0xFF; 2], "a leaf is active");
    bytes[leaves..leaves + 2].fill(0xFF);
    for events in 1..=3 {
        let mut damaged: [Instance64; 1] = [zerocopy::transmute!(bytes)];
        let inbox = vec![add(0, 1); events];
        let mut faults = Vec::new();
        let done = |_: usize, report: &statewright_kernel::Report, _: &[InboxEvent]| {
            faults.extend(report.fault)
        };
        tick_batch(
            &rom,
            &mut damaged,
            &mut host,
            &batch(&inbox, &[]),
            &mut counters,
            done,
        )
        .unwrap();
        assert_eq!(faults.len(), 1, "{events} events");
        assert!(damaged[0].header().has(flag::QUARANTINED));
    }
}

#[test]
fn ram_6_an_instance_of_another_machine_is_never_run() {
    let (rom, other) = (
        compiled(COUNTER),
        compiled(&COUNTER.replace("idle", "waiting")),
    );
    let stranger = instances(&other, 1)[0];
    let (mut host, mut counters) = (Dice::new(1), Counters::default());

    let mut shipping = stranger;
    let report = tick(
        &rom.as_rom(),
        &mut shipping,
        &mut host,
        &Input::new(1, 1),
        &mut counters,
    );
    assert_eq!(report.fault, Some(Fault::WrongMachine));
    assert!(shipping.header().has(flag::QUARANTINED));
    assert_eq!((counters.quarantines, counters.resets), (1, 0));

    let mut development = stranger;
    let input = Input {
        mismatch: Mismatch::Reset,
        ..Input::new(1, 1)
    };
    let report = tick(
        &rom.as_rom(),
        &mut development,
        &mut host,
        &input,
        &mut counters,
    );
    assert_eq!(report.fault, None);
    assert_eq!(
        development.header().machine.get(),
        rom.as_rom().machine_id()
    );
    assert_eq!(development.header().generation.get(), 1);
    assert_eq!((counters.quarantines, counters.resets), (1, 1));
    tick(
        &rom.as_rom(),
        &mut development,
        &mut host,
        &input,
        &mut counters,
    );
    assert!(development.header().has(flag::STARTED));
    assert_eq!(host.calls.get(), 0, "no callback of a stranger");

    // Nor by anything else.
    let mut posted = stranger;
    let event = EventId::from_index(0).unwrap();
    assert_eq!(
        post(
            &rom.as_rom(),
            &mut posted,
            0,
            event,
            None,
            [0; 4],
            &mut counters
        ),
        Err(Fault::WrongMachine)
    );
    assert_eq!(
        stop(&rom.as_rom(), &mut posted, &mut host, &input, &mut counters),
        Err(Fault::WrongMachine)
    );
    statewright_kernel::pause(&rom.as_rom(), &mut posted, 0);
    assert_eq!(posted, stranger);
}

#[test]
fn ram_6_an_instance_of_another_tier_is_never_run() {
    let rom = compiled(COUNTER);
    let standard = compiled(&COUNTER.replace("crowd", "standard"));
    let mut instance = Instance128::new(&standard.as_rom(), 1, 1).unwrap();
    assert_eq!(Instance128::new(&rom.as_rom(), 1, 1), None);
    let (mut host, mut counters) = (Dice::new(1), Counters::default());
    let report = tick(
        &rom.as_rom(),
        &mut instance,
        &mut host,
        &Input::new(1, 1),
        &mut counters,
    );
    assert_eq!(report.fault, Some(Fault::WrongMachine));
}

#[test]
fn an_event_that_does_not_exist_changes_nothing() {
    let rom = compiled(COUNTER);
    let mut instance = instances(&rom, 1)[0];
    let (mut host, mut counters) = (Dice::new(1), Counters::default());
    tick(
        &rom.as_rom(),
        &mut instance,
        &mut host,
        &Input::new(1, 1),
        &mut counters,
    );
    let before = instance;
    let unknown = EventId::from_index(77).unwrap();
    let posted = post(
        &rom.as_rom(),
        &mut instance,
        1,
        unknown,
        None,
        [0; 4],
        &mut counters,
    );
    assert_eq!(posted, Ok(statewright_kernel::Admission::Dropped));
    let stray = [Event::new(unknown, statewright_kernel::Class::Critical)];
    let input = Input {
        inbox: stray.as_slice().into(),
        ..Input::new(1, 2)
    };
    let report = tick(
        &rom.as_rom(),
        &mut instance,
        &mut host,
        &input,
        &mut counters,
    );
    assert_eq!((report.inbox_taken, report.fault), (1, None));
    assert_eq!(instance, before);
    assert_eq!((counters.unhandled, counters.dropped_unknown), (0, 2));
}
