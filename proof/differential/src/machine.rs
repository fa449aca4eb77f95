//! A machine ready for both engines: its graph, its ROM, and the names behind its numbers.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use statewright_author::graph::Machine;
use statewright_author::value::Tier;
use statewright_compile::{Options, Output, compile};

pub use statewright_generator::of_seed;

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

    /// The names of the functions of a mask.
    pub fn functions_of(&self, mask: u64) -> BTreeSet<Rc<str>> {
        let names = (0..u64::BITS).zip(&self.function_names);
        let chosen = names.filter(|(number, _)| mask >> number & 1 == 1);
        chosen.map(|(_, name)| name.clone()).collect()
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
