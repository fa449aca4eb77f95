//! The alarm works: what the loader has ruled out, planted behind its back, is loud in debug builds
//! and in release ends the agent, counted. Never a silent tick (STYLE 9).
#![expect(
    unsafe_code,
    reason = "the loader refuses these ROMs; that it is gone around is the point"
)]

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};

use common::Dice;
use statewright_compile::{Options, compile_text};
use statewright_kernel::{
    Class, Counters, Event, Fault, Input, Instance, Instance64, Report, flag, tick,
};
use statewright_rom::Rom;
use statewright_rom::ids::EventId;
use statewright_rom::layout::Section;

const MACHINE: &str = r#"{ "machine": "Planted", "tier": "crowd", "initial": "rest",
    "events": { "plain": {}, "asked": {} },
    "states": {
      "rest": { "transitions": [
        { "on": "plain", "to": "done", "do": "Greet" },
        { "on": "asked", "to": "done", "if": "IsReady" } ] },
      "done": {} },
    "functions": { "Greet": { "kind": "action" }, "IsReady": { "kind": "guard" } } }"#;

/// The ROM with one number changed after it was proved.
fn planted(change: impl Fn(&Rom<'_>, &mut [u8])) -> Vec<u8> {
    let (output, problems) = compile_text("planted.sw.json", MACHINE, &Options::default());
    let output = output.unwrap_or_else(|| panic!("{problems:?}"));
    let rom = output.rom.as_rom();
    let mut bytes = output.rom.as_bytes().to_vec();
    change(&rom, &mut bytes);
    assert!(Rom::from_bytes(&bytes).is_err(), "the loader would see it");
    bytes
}

/// Where a record lies in the bytes of its ROM.
fn place_of<T>(rom: &Rom<'_>, record: &T) -> usize {
    std::ptr::from_ref(record).addr() - rom.bytes().as_ptr().addr()
}

/// One event for an agent at rest: what its tick reports, or the words of its panic.
fn run(bytes: &[u8], event: usize) -> (Result<Report, String>, Instance64, Counters) {
    // SAFETY: not what the function asks for: the bytes are damaged on purpose. Kernel and ROM have
    // no unsafe code that relies on it.
    let rom = unsafe { Rom::from_bytes_unchecked(bytes) }.expect("the frame is whole");
    let mut counters = Counters::default();
    let mut agent = Instance64::new(&rom, 1, 1).expect("a machine of the crowd tier");
    let mut host = Dice::new(3);
    tick(
        &rom,
        &mut agent,
        &mut host,
        &Input::new(1, 0),
        &mut counters,
    );
    assert!(
        !agent.header().has(flag::QUARANTINED),
        "not before the plant"
    );
    let events = [Event::new(
        EventId::from_index(event).unwrap(),
        Class::Normal,
    )];
    let input = Input {
        inbox: events.as_slice().into(),
        ..Input::new(1, 1)
    };
    let report = catch_unwind(AssertUnwindSafe(|| {
        tick(&rom, &mut agent, &mut host, &input, &mut counters)
    }));
    let words = |panic: Box<dyn std::any::Any + Send>| match panic.downcast::<String>() {
        Ok(words) => *words,
        Err(panic) => panic
            .downcast::<&str>()
            .map_or_else(|_| "no words".to_owned(), |words| (*words).to_owned()),
    };
    (report.map_err(words), agent, counters)
}

fn assert_alarm(bytes: &[u8], event: usize) {
    let (report, agent, counters) = run(bytes, event);
    assert!(agent.header().has(flag::QUARANTINED));
    assert_eq!(counters.quarantines, 1);
    match report {
        Err(words) if cfg!(debug_assertions) => {
            assert!(words.starts_with("impossible: "), "{words}");
        }
        Ok(report) if !cfg!(debug_assertions) => {
            assert_eq!(report.fault, Some(Fault::Impossible));
            assert_eq!(counters.impossible, 1);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn style_9_an_impossible_guard_is_an_alarm_on_the_slow_path() {
    let bytes = planted(|rom, bytes| {
        let guarded = |t: &&statewright_rom::layout::TransitionRecord| t.guard.get() != 0xFFFF;
        let transition = rom.transitions().iter().find(guarded).unwrap();
        let place = place_of(rom, &transition.guard);
        bytes[place..place + 2].copy_from_slice(&0x7000_u16.to_le_bytes());
        for jump in rom.jumps() {
            // The fast path would ask the same guard by a number of its own.
            if jump.guard.get() != 0xFFFF {
                let place = place_of(rom, &jump.guard);
                bytes[place..place + 2].copy_from_slice(&0x7000_u16.to_le_bytes());
            }
        }
        for plan in rom.transition_plans() {
            // Or it would find the guard in the plan of a transition of the same state.
            let place = place_of(rom, &plan.source);
            bytes[place..place + 2].copy_from_slice(&0x7000_u16.to_le_bytes());
        }
    });
    assert_alarm(&bytes, 1);
}

#[test]
fn style_9_impossible_steps_are_an_alarm_on_the_fast_path() {
    let bytes = planted(|rom, bytes| {
        assert!(rom.count(Section::Jumps) > 0, "the machine has jumps");
        for jump in rom.jumps() {
            let place = place_of(rom, &jump.first);
            bytes[place..place + 4].copy_from_slice(&0x00FF_0000_u32.to_le_bytes());
        }
    });
    assert_alarm(&bytes, 0);
}

#[test]
fn style_9_without_a_plant_there_is_no_alarm() {
    let (output, _) = compile_text("planted.sw.json", MACHINE, &Options::default());
    let output = output.unwrap();
    for event in 0..2 {
        let (report, agent, counters) = run(output.rom.as_bytes(), event);
        assert_eq!(report.map(|report| report.fault), Ok(None));
        assert!(!agent.header().has(flag::QUARANTINED));
        assert_eq!((counters.quarantines, counters.impossible), (0, 0));
    }
}
