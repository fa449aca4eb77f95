//! A blackboard as the machine file declares it, for agents without one of your own.

use std::borrow::Cow;

use bevy_ecs::component::Component;
use statewright::form::{Form, Forms};
use statewright::{
    Blackboard, Board, Key, KeyHandle, KeyPlan, Machine, Saved, Type, TypedWords, Value, WrongKey,
};

/// The schema-checked blackboard: it has the keys that the machine file declares, with their defaults,
/// from the moment on in which the agent begins.
///
/// ```
/// use bevy_ecs::prelude::*;
/// use bevy_statewright::{Agent, MachineAsset, SchemaBoard};
///
/// fn spawn(mut commands: Commands, server: Res<bevy_asset::AssetServer>) {
///     let machine = server.load::<MachineAsset>("guard.sw.json");
///     // This one begins with other values than the file says.
///     commands.spawn((Agent::<SchemaBoard>::new(machine), SchemaBoard::default().with("health", 30)));
/// }
/// # bevy_ecs::system::assert_is_system(spawn);
/// ```
#[derive(Component, Clone, Debug, Default)]
pub struct SchemaBoard {
    /// Nothing until the machine is there.
    board: Option<Blackboard>,
    /// Values that the agent begins with.
    overrides: Vec<(Cow<'static, str>, Type, [u32; 3])>,
}

impl SchemaBoard {
    /// Begins with this value instead of the default of the file.
    #[must_use]
    pub fn with(mut self, key: impl Into<Cow<'static, str>>, value: impl TypedWords) -> Self {
        let (ty, words) = value.typed_words();
        self.overrides.push((key.into(), ty, words));
        self
    }

    /// The blackboard, once the agent has begun.
    pub fn blackboard(&self) -> Option<&Blackboard> {
        self.board.as_ref()
    }

    /// The same, to be changed.
    pub fn blackboard_mut(&mut self) -> Option<&mut Blackboard> {
        self.board.as_mut()
    }

    /// The value of a key; `None` before the agent has begun.
    pub fn get<T: Value>(&self, key: KeyHandle) -> Option<Result<T, WrongKey>> {
        Some(self.board.as_ref()?.get(key))
    }

    /// Changes the value of a key; `None` before the agent has begun.
    pub fn set<T: Value>(&mut self, key: KeyHandle, value: T) -> Option<Result<(), WrongKey>> {
        Some(self.board.as_mut()?.set(key, value))
    }

    /// With the values of another one; what it would begin anew with stays.
    pub(crate) fn take_values(&mut self, other: &Self) {
        self.board.clone_from(&other.board);
    }

    /// The machine is there. Overrides that it does not have, or has with another type.
    pub(crate) fn begin(&mut self, machine: &Machine) -> Vec<String> {
        let mut refused = Vec::new();
        if self.fits(machine) {
            return refused;
        }
        let mut board = Blackboard::new(machine);
        let rom = machine.rom();
        for (name, ty, words) in &self.overrides {
            let key = machine
                .key(name)
                .ok()
                .and_then(|key| machine.resolve(key).ok());
            let key = key.filter(|key| {
                rom.keys()
                    .get(key.index())
                    .is_some_and(|one| one.ty.get() == *ty)
            });
            match key {
                Some(key) => board.write(key.index(), *words),
                None => refused.push(name.clone().into_owned()),
            }
        }
        self.board = Some(board);
        refused
    }
}

/// Its values, by the keys of the machine.
impl Saved for SchemaBoard {
    fn save(&self, bytes: &mut Vec<u8>) {
        debug_assert!(self.board.is_some(), "snapshots leave it out before that");
        self.board.iter().for_each(|board| board.save(bytes));
    }

    fn load(machine: &Machine, bytes: &mut &[u8]) -> Option<Self> {
        Some(Self {
            board: Some(Blackboard::load(machine, bytes)?),
            overrides: Vec::new(),
        })
    }

    fn form(forms: &mut Forms) -> Form {
        Blackboard::form(forms)
    }
}

impl Board for SchemaBoard {
    const ANY_KEY: bool = true;

    fn locate(key: &Key<'_>) -> Result<usize, Option<Type>> {
        Blackboard::locate(key)
    }

    fn fits(&self, machine: &Machine) -> bool {
        self.board.as_ref().is_some_and(|board| board.fits(machine))
    }

    fn reload(&mut self, keys: &KeyPlan) {
        if let Some(board) = &mut self.board {
            board.reload(keys);
        }
    }

    fn read(&self, field: usize) -> [u32; 3] {
        self.board
            .as_ref()
            .map_or([0; 3], |board| board.read(field))
    }

    fn write(&mut self, field: usize, words: [u32; 3]) {
        if let Some(board) = &mut self.board {
            board.write(field, words);
        }
    }
}
