//! RAM-6: an instance of another machine is never run. No fixture can show it: the oracle has no
//! bytes that could belong to another.

use std::collections::BTreeMap;

use statewright_differential::kernel_side::KernelHost;
use statewright_differential::machine::CompiledCase;
use statewright_differential::scripted_user_code::ScriptedUserCode;
use statewright_kernel::{
    Class, Counters, Event, Fault, Input, Instance, Instance64, Mismatch, flag, pause, post, stop,
    tick,
};
use statewright_rom::ids::EventId;
use zerocopy::IntoBytes;

fn machine(name: &str) -> CompiledCase {
    let text = r#"{
        "machine": "NAME", "tier": "crowd", "events": ["Hit"], "timers": ["fuse"], "initial": "a",
        "states": { "a": {
            "entry": ["EnterA", { "start": "fuse", "after": "9t" }], "exit": "ExitA",
            "transitions": [{ "on": "Hit", "do": "Count" }, { "timer": "fuse", "do": "Bang" }]
        } }
    }"#;
    let (graph, problems) =
        statewright_author::text::read("test.sw.json", &text.replace("NAME", name));
    assert!(!problems.has_errors());
    CompiledCase::new(graph).expect("a legal machine")
}

fn host(compiled: &CompiledCase) -> KernelHost<'_> {
    KernelHost::new(
        compiled,
        ScriptedUserCode::given(BTreeMap::new(), Vec::new()),
    )
}

fn hit() -> EventId {
    EventId::from_index(0).expect("an event")
}

/// An instance of the first machine that has started and has a queued event.
fn foreign(first: &CompiledCase) -> Instance64 {
    let rom = first.output.rom.as_rom();
    let mut instance = Instance64::new(&rom, 1, 1).expect("the tier fits");
    let mut counters = Counters::default();
    let _ = tick(
        &rom,
        &mut instance,
        &mut host(first),
        &Input::new(1, 1),
        &mut counters,
    );
    post(&rom, &mut instance, 1, hit(), None, [0; 4], &mut counters).expect("there is a place");
    instance
}

#[test]
fn ram_6_for_shipping_it_is_quarantined_and_counted_once() {
    let (first, second) = (machine("First"), machine("Second"));
    let mut instance = foreign(&first);
    let rng = instance.header().rng;
    let rom = second.output.rom.as_rom();
    let (mut host, mut counters) = (host(&second), Counters::default());
    let input = Input {
        mismatch: Mismatch::Quarantine,
        ..Input::new(1, 2)
    };
    let report = tick(&rom, &mut instance, &mut host, &input, &mut counters);
    assert_eq!(report.fault, Some(Fault::WrongMachine));
    assert!(instance.header().has(flag::QUARANTINED));
    assert_eq!(
        (instance.header().armed, instance.header().event_count),
        (0, 0),
        "no timers, an empty queue (TICK-3)"
    );
    assert_eq!(instance.header().rng, rng);
    let report = tick(&rom, &mut instance, &mut host, &input, &mut counters);
    assert_eq!((report.fault, counters.quarantines), (None, 1));
    assert!(
        host.user_code.get_mut().take_log().is_empty(),
        "no callback ran"
    );
}

#[test]
fn ram_6_for_development_it_is_reset_and_starts_on_its_next_tick() {
    let (first, second) = (machine("First"), machine("Second"));
    let mut instance = foreign(&first);
    let rom = second.output.rom.as_rom();
    let (mut host, mut counters) = (host(&second), Counters::default());
    let events = [Event::new(hit(), Class::Normal)];
    let input = Input {
        mismatch: Mismatch::Reset,
        inbox: events.as_slice().into(),
        ..Input::new(1, 2)
    };
    let report = tick(&rom, &mut instance, &mut host, &input, &mut counters);
    assert_eq!(
        (report.fault, report.inbox_taken, counters.resets),
        (None, 0, 1),
        "the inbox is offered again"
    );
    assert!(!instance.header().has(flag::STARTED));
    assert_eq!(instance.header().generation.get(), 1);
    assert!(
        host.user_code.get_mut().take_log().is_empty(),
        "no callback ran"
    );
    let report = tick(
        &rom,
        &mut instance,
        &mut host,
        &Input { tick: 3, ..input },
        &mut counters,
    );
    assert_eq!((report.inbox_taken, counters.resets), (1, 1));
    assert!(instance.header().has(flag::STARTED));
}

#[test]
fn ram_6_posts_pause_and_stop_leave_it_alone() {
    let (first, second) = (machine("First"), machine("Second"));
    let mut instance = foreign(&first);
    let before = instance;
    let rom = second.output.rom.as_rom();
    let (mut host, mut counters) = (host(&second), Counters::default());
    let posted = post(&rom, &mut instance, 2, hit(), None, [0; 4], &mut counters);
    assert_eq!(posted, Err(Fault::WrongMachine));
    pause(&rom, &mut instance, 2);
    let stopped = stop(
        &rom,
        &mut instance,
        &mut host,
        &Input::new(1, 2),
        &mut counters,
    );
    assert_eq!(stopped, Err(Fault::WrongMachine));
    assert_eq!(instance.as_bytes(), before.as_bytes());
    assert!(
        host.user_code.get_mut().take_log().is_empty(),
        "no callback ran"
    );
}
