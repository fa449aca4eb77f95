//! R1, the soldier of the samples: feet and weapon at once, activities, guards in the file and in
//! Rust, latch, debounce, minimum time, history, deferral, interrupts and an observer.

pub mod functions;
pub mod hand;

use statewright::prelude::*;
use statewright::{Entity, Instance128};

use super::events::{Kind, floats, whole};
use super::machine::Real;
use functions::{Say, Shot, Soldier, Walk};

statewright::machine!(
    /// The soldier of the samples.
    pub mod file = "../../machines/soldier.sw.json",
    functions = crate::soldier::functions::Soldier,
);

/// The machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoldierMachine;

/// What a soldier says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Word {
    /// From user code.
    Walk(Walk),
    /// From user code.
    Say(Say),
    /// From user code.
    Shot(Shot),
    /// The feet are free.
    StopMoving,
    /// The weapon is free.
    LowerWeapon,
    /// Somebody dies.
    DeathCry,
    /// Somebody is dead.
    Ragdoll,
}

impl Real for SoldierMachine {
    const NAME: &'static str = "R1 soldier";
    // The weights of the file, times a hundred.
    const EVENTS: &'static [Kind] = &[
        Kind::new(100, |random| [random.below(1_000) + 1, 0, 0, 0]),
        Kind::plain(100),
        Kind::plain(100),
        Kind::plain(100),
        Kind::new(100, |random| {
            floats([
                random.below(100) as f32 - 20.0,
                random.below(100) as f32,
                0.0,
            ])
        }),
        Kind::new(30, |random| whole(random.below(30) as i32 + 1)),
        Kind::plain(2),
    ];
    type Instance = Instance128;
    type Board = Soldier;
    type Command = Word;
    type Hand = hand::HandSoldier;

    fn machine() -> Machine {
        file::machine()
    }

    fn functions() -> Functions<Soldier, ()> {
        Soldier::functions()
    }

    fn board(place: usize) -> Soldier {
        Soldier {
            health: 100,
            ammo: 30,
            target: Entity(0),
            waypoint: place as u32 % 8,
            ..Soldier::default()
        }
    }

    fn command(command: &CommandRef<'_>, machine: &Machine) -> Option<Word> {
        let typed = command
            .get()
            .map(Word::Walk)
            .or_else(|| command.get().map(Word::Say))
            .or_else(|| command.get().map(Word::Shot));
        typed.or_else(|| match command.what(&machine.rom()) {
            What::Release { name, .. } | What::Emit { name, .. } => match name {
                "StopMoving" => Some(Word::StopMoving),
                "LowerWeapon" => Some(Word::LowerWeapon),
                "DeathCry" => Some(Word::DeathCry),
                "Ragdoll" => Some(Word::Ragdoll),
                _ => None,
            },
            _ => None,
        })
    }
}
