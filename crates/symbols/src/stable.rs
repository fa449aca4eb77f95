//! What a thing is known by in every version of its machine (ROM-6, HASH-3): for whoever holds
//! something of a machine longer than the machine stays as it is.

use statewright_rom::Rom;
use statewright_rom::layout::StableGroup;

use crate::table::SymbolKind;

/// The machine's own stable id.
pub fn machine_id(rom: &Rom<'_>) -> u64 {
    let own = rom.stable_ids_of(StableGroup::Machine).first();
    own.map_or(0, |record| record.id.get())
}

/// The stable ids of all things of a kind, by number.
///
/// Keys, parameters, variants, lanes and channels have none of their own in the ROM: they are
/// known by name, and a name means something in its machine alone, so that `health` of a guard is
/// not `health` of an ogre. The plain variant has no name and is the same everywhere: 0.
pub fn stable_ids(rom: &Rom<'_>, kind: SymbolKind) -> Vec<u64> {
    let group = |group| {
        let records = rom.stable_ids_of(group).iter();
        records.map(|record| record.id.get()).collect()
    };
    let machine = machine_id(rom);
    let named = |hash: u64| match hash {
        0 => 0,
        hash => machine.rotate_left(1) ^ hash,
    };
    match kind {
        SymbolKind::State => group(StableGroup::States),
        SymbolKind::Region => group(StableGroup::Regions),
        SymbolKind::Event => group(StableGroup::Events),
        SymbolKind::Timer => group(StableGroup::Timers),
        SymbolKind::Transition => group(StableGroup::Transitions),
        SymbolKind::History => group(StableGroup::History),
        SymbolKind::Scratch => group(StableGroup::Scratch),
        SymbolKind::Function => {
            let hashes = rom.linker().iter();
            hashes.map(|one| named(one.hash.get().into())).collect()
        }
        SymbolKind::Key => {
            let hashes = rom.keys().iter();
            hashes.map(|one| named(one.name_hash.get())).collect()
        }
        SymbolKind::Parameter => {
            let hashes = rom.parameters().iter();
            hashes.map(|one| named(one.name_hash.get())).collect()
        }
        SymbolKind::Variant => {
            // A machine that declares none has the plain one all the same.
            let hashes = rom.variants().iter().map(|one| named(one.name_hash.get()));
            let plain = rom.variants().is_empty().then_some(0);
            hashes.chain(plain).collect()
        }
        SymbolKind::Lane => {
            let hashes = rom.lanes().iter();
            hashes.map(|one| named(one.name_hash.get())).collect()
        }
        SymbolKind::Channel => {
            let hashes = rom.channels().iter();
            hashes.map(|one| named(one.name_hash.get())).collect()
        }
    }
}
