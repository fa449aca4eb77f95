//! ROM-5: where two machines have one structure hash, bytes mean the same in both. Random machines
//! are edited in every way that a designer edits them; agents of the first run into every situation,
//! and their bytes are read by the names of both.

mod common;

use std::collections::BTreeMap;
use std::fmt::Write;

use common::{Dice, random_tick};
use statewright_compile::symbols::{Symbol, SymbolTable};
use statewright_differential::bytes::Bytes;
use statewright_differential::edits::{EDITS, name_transitions};
use statewright_differential::machine::{CompiledCase, of_seed};
use statewright_generator::Rng;
use statewright_kernel::{Counters, Instance, with_tier};
use statewright_rom::Rom;
use zerocopy::IntoBytes;

/// In the quick run; ten times as many in `cargo xtask test --long`, which sets
/// `STATEWRIGHT_LONG`.
const PAIRS: u64 = 6_000;
const TICKS: u32 = 25;

/// An instance in words: every number in its bytes by the names of a machine.
fn reading(rom: &Rom<'_>, symbols: &SymbolTable, bytes: &[u8]) -> String {
    let snapshot = Bytes::new(rom, bytes).snapshot();
    // A number that leads nowhere is a difference like any other.
    let name = |list: &[Symbol], number: usize| {
        let symbol = list.get(number);
        symbol.map_or_else(|| "?".to_owned(), |symbol| symbol.name.clone())
    };
    let state = |number: usize| name(&symbols.states, number);
    let transition = |number: usize| {
        let source = rom.transitions().get(number).map(|record| record.source);
        let source = source.map_or(usize::MAX, |source| usize::from(source.get()));
        let own = name(&symbols.transitions, number);
        format!("{own} of {}", state(source))
    };
    let owns = |number: &usize| {
        let id = statewright_rom::ids::StateId::from_index(*number);
        let extra = id.and_then(|id| rom.state_extra(id));
        let owned = extra.map_or(0, |extra| extra.channels.get());
        let names = symbols.channels.iter().enumerate();
        let names = names.filter(move |(channel, _)| owned >> channel & 1 == 1);
        names.map(|(_, symbol)| symbol.name.clone()).collect()
    };
    let mut text = String::new();
    macro_rules! list {
        ($name:literal, $items:expr) => {
            let mut items: Vec<_> = $items.collect();
            items.sort();
            _ = writeln!(text, concat!($name, ": {:?}"), items);
        };
    }
    list!("leaves", snapshot.leaves.iter().map(|leaf| state(*leaf)));
    list!(
        "held channels",
        snapshot
            .leaves
            .iter()
            .map(|leaf| -> Vec<String> { owns(leaf) })
    );
    let points = snapshot.history.iter().enumerate();
    list!(
        "history",
        points.map(|(point, states)| {
            let states = states.iter().flatten().map(|number| state(*number));
            let owner = usize::from(rom.history()[point].owner.get());
            let states: Vec<String> = states.collect();
            (state(owner), name(&symbols.history, point), states)
        })
    );
    list!(
        "timers",
        snapshot.timers.iter().map(|&(timer, deadline)| {
            let owner = usize::from(rom.timers()[timer].owner.get());
            let owner = symbols.states.get(owner).map(|state| &state.name);
            (owner, name(&symbols.timers, timer), deadline)
        })
    );
    list!(
        "clocks",
        snapshot.clocks.iter().map(|&(s, tick)| (state(s), tick))
    );
    list!(
        "debounces",
        snapshot
            .debounces
            .iter()
            .map(|&(t, tick)| (transition(t), tick))
    );
    list!(
        "cooldowns",
        snapshot
            .cooldowns
            .iter()
            .map(|&(t, tick)| (transition(t), tick))
    );
    list!(
        "results",
        snapshot.results.iter().map(|&(s, result)| {
            let op = usize::from(rom.states()[s].activity.get());
            let function = usize::from(rom.ops()[op].a.get());
            let function = name(&symbols.functions, function);
            (state(s), function, format!("{result:?}"))
        })
    );
    list!(
        "latched",
        snapshot
            .latched
            .iter()
            .map(|&(s, t)| (state(s), transition(t)))
    );
    list!(
        "queue",
        snapshot.queue.iter().map(|event| {
            let kind = rom.events()[event.id].payload;
            let name = name(&symbols.events, event.id);
            (name, format!("{kind:?}"), event.stamp, event.payload)
        })
    );
    list!(
        "scratch",
        snapshot.scratch.iter().map(|(scratch, words)| {
            let owner = usize::from(rom.scratch()[*scratch].owner.get());
            let owner = symbols.states.get(owner).map(|state| &state.name);
            (owner, name(&symbols.scratch, *scratch), words.clone())
        })
    );
    list!(
        "frames",
        snapshot.frames.values().flatten().map(|frame| {
            let states = frame.states.iter().map(|number| state(*number));
            states.collect::<Vec<String>>()
        })
    );
    let rate = rom.header().tick_rate.get();
    _ = writeln!(text, "{:?} at {rate} ticks per second", snapshot.flags);
    // What crowds hold beside instances.
    let variants = symbols.variants.iter().map(|variant| variant.name.as_str());
    let keys = symbols.keys.iter().zip(rom.keys());
    let keys: Vec<_> = keys
        .map(|(key, record)| (key.name.as_str(), record.ty))
        .collect();
    _ = writeln!(
        text,
        "variants {:?}, keys {keys:?}",
        variants.collect::<Vec<_>>()
    );
    text
}

/// What was seen of one pair of machines.
#[derive(Default)]
struct Seen {
    readings: u64,
    latched: u64,
    cooling: u64,
    remembered: u64,
    stacked: u64,
}

fn compare<I: Instance + IntoBytes + zerocopy::Immutable>(
    before: &CompiledCase,
    after: &CompiledCase,
    seed: u64,
    what: &str,
    seen: &mut Seen,
) {
    let (old, new) = (before.output.rom.as_rom(), after.output.rom.as_rom());
    let (mut host, mut counters) = (Dice::new(seed), Counters::default());
    let mut instance = I::new(&old, seed, 3).expect("the tier fits");
    for now in 0..TICKS {
        random_tick(&old, &mut instance, &mut host, now, &mut counters);
        let bytes = instance.as_bytes();
        let one = reading(&old, &before.output.symbols, bytes);
        let other = reading(&new, &after.output.symbols, bytes);
        assert!(!one.contains("\"?\"") && !one.contains("? of"), "{one}");
        assert_eq!(one, other, "seed {seed}, {what}, tick {now}");
        let has = |list: &str| u64::from(!one.contains(&format!("{list}: []")));
        seen.readings += 1;
        seen.latched += has("latched");
        seen.cooling += has("cooldowns");
        seen.remembered += has("history");
        seen.stacked += has("frames");
    }
}

#[test]
fn hash_1_bytes_mean_the_same_where_the_structure_hash_is_the_same() {
    let long = std::env::var_os("STATEWRIGHT_LONG").is_some();
    let pairs = if long { 10 * PAIRS } else { PAIRS };
    let mut seen = Seen::default();
    // Of each edit: pairs of machines with the same hash, and with another one.
    let mut edits: BTreeMap<&str, [u64; 2]> = BTreeMap::new();
    for seed in 0..pairs {
        let (what, edit) = EDITS[seed as usize % EDITS.len()];
        // Machines come in an order of their own, so that each edit meets all kinds of them.
        let mut graph = of_seed(seed / EDITS.len() as u64 * 7 + seed);
        name_transitions(&mut graph);
        let Ok(before) = CompiledCase::new(graph.clone()) else {
            continue;
        };
        let mut rng = Rng::new(seed);
        if !edit(&mut graph, &mut rng) {
            continue;
        }
        // Not every edit leaves a machine behind.
        let Ok(after) = CompiledCase::new(graph) else {
            continue;
        };
        let (old, new) = (before.output.rom.as_rom(), after.output.rom.as_rom());
        let is_same = old.structure_hash() == new.structure_hash();
        let count = edits.entry(what).or_default();
        count[usize::from(!is_same)] += 1;
        if is_same {
            with_tier!(old, I => compare::<I>(&before, &after, seed, what, &mut seen));
        }
    }
    for (what, _) in EDITS {
        let [same, other] = edits.get(what).copied().unwrap_or_default();
        assert!(same + other > 5, "{what}: tried {} times", same + other);
    }
    // A test that never met a latch would prove nothing about it.
    for (situation, count) in [
        ("readings", seen.readings),
        ("latched", seen.latched),
        ("cooling down", seen.cooling),
        ("remembered", seen.remembered),
        ("stacked", seen.stacked),
    ] {
        assert!(count > 20, "{situation}: {count}");
    }
}
