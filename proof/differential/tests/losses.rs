//! Every event that is lost is counted by its cause, and the causes add up (SYS-8).

mod common;

use common::Dice;
use statewright_compile::{Options, compile_text};
use statewright_kernel::{
    Admission, Class, Counters, Event, Input, Instance, Instance128, flag, post, stop, tick,
};
use statewright_rom::ids::EventId;

/// Three places: two for general events, one kept for urgent ones.
const MACHINE: &str = r#"{ "machine": "Postbox", "tier": "standard", "initial": "shut",
    "events": { "letter": {}, "bulk": { "class": "low" }, "old": { "ttl": "2t" },
                "alarm": { "class": "critical" }, "note": { "coalesce": true } },
    "states": { "shut": { "defer": ["letter", "old"] } } }"#;

const LETTER: usize = 0;
const BULK: usize = 1;
const OLD: usize = 2;
const ALARM: usize = 3;
const NOTE: usize = 4;
/// No event of the machine.
const NOBODYS: usize = 77;

struct Bench {
    output: statewright_compile::Output,
    agent: Instance128,
    counters: Counters,
    now: u32,
}

impl Bench {
    fn new() -> Self {
        let (output, problems) = compile_text("postbox.sw.json", MACHINE, &Options::default());
        let output = output.unwrap_or_else(|| panic!("{problems:?}"));
        let agent = Instance128::new(&output.rom.as_rom(), 1, 1).unwrap();
        let counters = Counters::default();
        let mut bench = Self {
            output,
            agent,
            counters,
            now: 0,
        };
        bench.tick(&[]);
        bench
    }

    fn id(&self, event: usize) -> EventId {
        EventId::from_index(event).unwrap()
    }

    fn post(&mut self, event: usize) -> Admission {
        let (rom, id) = (self.output.rom.as_rom(), self.id(event));
        let (agent, counters) = (&mut self.agent, &mut self.counters);
        post(&rom, agent, self.now, id, None, [0; 4], counters).unwrap()
    }

    fn tick(&mut self, inbox: &[Event]) {
        self.now += 1;
        let input = Input {
            inbox: inbox.into(),
            ..Input::new(1, self.now)
        };
        let (rom, mut host) = (self.output.rom.as_rom(), Dice::new(1));
        tick(&rom, &mut self.agent, &mut host, &input, &mut self.counters);
    }
}

#[test]
fn sys_8_a_full_queue_counts_by_class() {
    let mut bench = Bench::new();
    let admitted = [LETTER, LETTER, BULK, LETTER, BULK].map(|event| bench.post(event));
    use Admission::{Admitted, Dropped};
    assert_eq!(admitted, [Admitted, Admitted, Dropped, Dropped, Dropped]);
    assert_eq!(bench.counters.dropped_overflow, [2, 1, 0, 0]);
    assert_eq!(bench.counters.dropped(), 3);
    assert_eq!([bench.post(ALARM), bench.post(ALARM)], [Admitted; 2]);
    assert_eq!(bench.counters.evicted, [0, 1, 0, 0]);
    assert_eq!(bench.counters.dropped(), 3, "an evicted one was let in");
}

#[test]
fn sys_8_deferral_without_room_is_a_cause_of_its_own() {
    let mut bench = Bench::new();
    let letter = Event::new(bench.id(LETTER), Class::Normal);
    bench.tick(&[letter; 3]);
    assert_eq!(bench.counters.deferred, 1);
    assert_eq!(bench.counters.deferrals_refused, 2);
    assert_eq!(bench.counters.dropped_overflow, [0; 4]);
    assert_eq!(bench.counters.dropped(), 2);
}

#[test]
fn sys_8_old_events_and_coalesced_ones_are_not_among_the_dropped() {
    let mut bench = Bench::new();
    bench.post(OLD);
    bench.tick(&[]);
    assert_eq!(bench.counters.deferred, 1, "it waits");
    bench.now += 2;
    bench.post(LETTER);
    bench.post(LETTER);
    assert_eq!(bench.counters.expired, 1, "its place was needed");
    let mut bench = Bench::new();
    assert_eq!(bench.post(NOTE), Admission::Admitted);
    assert_eq!(bench.post(NOTE), Admission::Coalesced);
    assert_eq!(bench.counters.coalesced, 1);
    assert_eq!(bench.counters.dropped(), 0);
}

#[test]
fn sys_8_unknown_events_are_named_so_by_either_way() {
    let mut bench = Bench::new();
    assert_eq!(bench.post(NOBODYS), Admission::Dropped);
    bench.tick(&[Event::new(bench.id(NOBODYS), Class::Normal)]);
    assert_eq!(bench.counters.dropped_unknown, 2);
    assert_eq!((bench.counters.dropped(), bench.counters.unhandled), (2, 0));
}

#[test]
fn sys_8_events_for_one_that_has_ended() {
    let mut bench = Bench::new();
    let (rom, mut host) = (bench.output.rom.as_rom(), Dice::new(1));
    let input = Input::new(1, 5);
    stop(
        &rom,
        &mut bench.agent,
        &mut host,
        &input,
        &mut bench.counters,
    )
    .unwrap();
    assert!(bench.agent.header().has(flag::TERMINATED));
    assert_eq!(bench.post(ALARM), Admission::Dropped);
    let letter = Event::new(bench.id(LETTER), Class::Normal);
    bench.tick(&[letter; 3]);
    assert_eq!(bench.counters.dropped_ended, 4);
    assert_eq!(bench.counters.dropped(), 4);
}
