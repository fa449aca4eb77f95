//! A machine ready for both engines: its graph, its ROM, and the names behind its numbers.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use statewright_author::graph::{Event, Machine};
use statewright_author::span::{Name, Span, Spanned};
use statewright_author::value::Tier;
use statewright_compile::{Options, Output, compile};
use statewright_generator::{Rng, Size};

/// Tiers that are too small are raised: a random machine does not know how large it gets.
pub const OPTIONS: Options = Options {
    strict: false,
    dev: true,
};

/// A machine and what is known about it.
pub struct CompiledCase {
    /// As authored.
    pub graph: Machine,
    /// As compiled.
    pub output: Output,
    /// Texts of the ROM, by number.
    pub texts: Vec<String>,
    /// Functions and whether each may use the rng, by name.
    pub functions: BTreeMap<Rc<str>, bool>,
    /// Names of functions in the order of the ROM.
    pub function_names: Vec<Rc<str>>,
}

/// The machine of a seed, with caps low enough that a machine that never rests is clamped soon: a
/// tick that repeats itself a thousand times proves no more than one that does so ten times. One in
/// 32 keeps what was generated.
pub fn of_seed(seed: u64) -> Machine {
    // Mostly small: what goes wrong in a large machine goes wrong in a small one, and ten of them
    // run in the same time.
    let size = match seed % 64 {
        0..54 => Size::SMALL,
        54..60 => Size::MEDIUM,
        60..63 => Size::random(&mut Rng::new(!seed)),
        _ => Size::LARGE,
    };
    let mut machine = statewright_generator::machine(seed, size);
    if seed % 32 != 30 {
        let mut rng = Rng::new(seed ^ 0xCA9);
        let mut cap = |most: u32| Some(Spanned::new(rng.between(1, most), Span::default()));
        machine.budgets.events_per_tick = cap(5);
        machine.budgets.microsteps_per_tick = cap(7);
        machine.budgets.clamp_limit = cap(6);
    }
    if seed % 8 == 3 {
        announce_completion(&mut machine);
    }
    machine
}

/// Declares the events of completed states (EVT-10), which random machines cannot name.
fn announce_completion(machine: &mut Machine) {
    machine.policies.done_events = Some(Spanned::new(true, Span::default()));
    let mut names = BTreeSet::new();
    let mut open: Vec<_> = machine
        .root
        .regions
        .iter()
        .flat_map(|region| &region.states)
        .collect();
    while let Some(state) = open.pop() {
        if !state.regions.is_empty() {
            names.insert(format!("done.state.{}", state.name.value));
        }
        open.extend(state.regions.iter().flat_map(|region| &region.states));
    }
    let event = |name| Event {
        name: Name::new(name, Span::default()),
        ..Event::default()
    };
    machine.events.extend(names.into_iter().take(6).map(event));
}

impl CompiledCase {
    /// Compiles a machine; the problem is its errors.
    pub fn new(graph: Machine) -> Result<Self, String> {
        let (output, diagnostics) = compile(&graph, &OPTIONS);
        let Some(output) = output.filter(|_| !diagnostics.has_errors()) else {
            return Err(diagnostics
                .iter()
                .map(|d| format!("{} {}\n", d.code.info().id, d.message))
                .collect());
        };
        let rom = output.rom.as_rom();
        let ids = (0..rom.strings().len()).filter_map(statewright_rom::ids::StringId::from_index);
        let texts = ids
            .map(|id| rom.string(id).unwrap_or_default().to_owned())
            .collect();
        let functions = output.symbols.functions.iter().zip(rom.linker());
        let functions: Vec<(Rc<str>, bool)> = functions
            .map(|(symbol, record)| (symbol.name.as_str().into(), record.rng != 0))
            .collect();
        let function_names = functions.iter().map(|(name, _)| name.clone()).collect();
        Ok(Self {
            graph,
            output,
            texts,
            functions: functions.into_iter().collect(),
            function_names,
        })
    }

    /// The tier that the compiler chose.
    pub fn tier(&self) -> Tier {
        match self.output.rom.as_rom().tier() {
            statewright_rom::layout::Tier::Crowd => Tier::Crowd,
            statewright_rom::layout::Tier::Standard => Tier::Standard,
            statewright_rom::layout::Tier::Hero => Tier::Hero,
        }
    }

    /// Words of the blackboard before the first tick.
    pub fn blackboard(&self) -> Vec<[u32; 3]> {
        self.output
            .rom
            .as_rom()
            .keys()
            .iter()
            .map(|key| key.default.map(|word| word.get()))
            .collect()
    }
}
