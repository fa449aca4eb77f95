//! Keys of a blackboard that a machine declares, by name and type (LOAD-6).

use std::sync::Arc;

use statewright_rom::Rom;
use statewright_rom::ids::KeyId;

use crate::blackboard::{Blackboard, Shape};
use crate::board::Board;
use crate::machine::Machine;

/// What becomes of the keys of a machine.
#[derive(Clone, Debug)]
pub struct KeyPlan {
    pub(crate) shape: Arc<Shape>,
    old_shape: Arc<Shape>,
    /// By new key, the old one of the same name and type.
    pub(crate) from: Vec<Option<usize>>,
    /// Names of keys that have another type now.
    retyped: Vec<String>,
    /// Names of keys that only the old machine has.
    gone: Vec<String>,
}

impl KeyPlan {
    pub(super) fn new(old: &Machine, new: &Machine) -> Self {
        let (old_rom, new_rom) = (old.rom(), new.rom());
        let keys = |rom: &Rom<'_>| -> Vec<_> {
            let keys = rom.keys().iter();
            keys.map(|key| (key.name_hash.get(), key.ty.get()))
                .collect()
        };
        let (before, after) = (keys(&old_rom), keys(&new_rom));
        let from = after
            .iter()
            .map(|key| before.iter().position(|one| one == key));
        let name = |machine: &Machine, place: usize| {
            let id = KeyId::from_index(place);
            let name = id.and_then(|id| machine.symbols().of(id).map(str::to_owned));
            name.unwrap_or_else(|| format!("key_{place}"))
        };
        let is_retyped = |&(hash, ty): &_| {
            let mut same_name = before.iter().filter(|one| one.0 == hash);
            same_name.any(|one| one.1 != ty)
        };
        let places = |list: Vec<usize>, machine| {
            list.into_iter().map(|place| name(machine, place)).collect()
        };
        let retyped = (0..after.len()).filter(|&place| is_retyped(&after[place]));
        let is_gone = |&place: &usize| !after.iter().any(|one| one.0 == before[place].0);
        let gone = (0..before.len()).filter(is_gone);
        Self {
            shape: Arc::clone(new.shape()),
            old_shape: Arc::clone(old.shape()),
            from: from.collect(),
            retyped: places(retyped.collect(), new),
            gone: places(gone.collect(), old),
        }
    }

    /// Words of a blackboard that is laid out as the old machine says, as the new one lays it out.
    pub fn words(&self, old: &[u32]) -> Vec<u32> {
        let mut board = Blackboard::of_words(Arc::clone(&self.old_shape), old);
        board.reload(self);
        board.into_words()
    }

    /// Keys that have another type now: they begin with their default.
    pub fn retyped(&self) -> impl Iterator<Item = &str> {
        self.retyped.iter().map(String::as_str)
    }

    /// Keys that the new machine does not have: their values are lost.
    pub fn gone(&self) -> impl Iterator<Item = &str> {
        self.gone.iter().map(String::as_str)
    }
}
