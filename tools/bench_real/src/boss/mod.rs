//! R2, the boss of the samples: nested regions, a stack, deep history, a sync group, a choice,
//! scores, deferral, an exit that has to be ready, and timers of which some stand still.

pub mod functions;
pub mod hand;
mod limbs;

use statewright::Instance256;
use statewright::prelude::*;

use super::events::{Kind, whole};
use super::machine::Real;
use functions::{Adds, Colossus, Gnash, Ray, Strike};

statewright::machine!(
    /// The boss of the samples.
    pub mod file = "../../machines/boss.sw.json",
    functions = crate::boss::functions::Colossus,
    warnings = allow,
);

/// The machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BossMachine;

/// What a boss says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Word {
    /// From user code.
    Gnash(Gnash),
    /// From user code.
    Strike(Strike),
    /// From user code.
    Ray(Ray),
    /// From user code.
    Adds(Adds),
    /// A channel is free.
    Release(Channel),
    /// The fight stands still.
    Freeze,
    /// The fight goes on.
    Thaw,
    /// The last phase begins.
    RageTheme,
    /// It is over.
    VictoryTheme,
}

/// What limbs use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Channel {
    /// The left arm.
    Left,
    /// The right arm.
    Right,
    /// The eyes.
    Gaze,
}

impl Real for BossMachine {
    const NAME: &'static str = "R2 boss";
    const EVENTS: &'static [Kind] = &[
        Kind::new(10, |random| [random.below(1_000) + 1, 0, 0, 0]),
        Kind::plain(2),
        Kind::new(6, |random| whole(random.below(30) as i32 + 1)),
        Kind::new(6, |random| whole(random.below(30) as i32 + 1)),
        Kind::new(3, |random| whole(random.below(25) as i32 + 1)),
        Kind::plain(3),
        Kind::plain(8),
        Kind::plain(4),
        Kind::plain(3),
        Kind::plain(10),
        Kind::plain(3),
    ];
    type Instance = Instance256;
    type Board = Colossus;
    type Command = Word;
    type Hand = hand::HandBoss;

    fn machine() -> Machine {
        file::machine()
    }

    fn functions() -> Functions<Colossus, ()> {
        Colossus::functions()
    }

    fn board(place: usize) -> Colossus {
        Colossus {
            core: 150 + 200 * (place % 5) as i32,
            left: 200,
            right: 200,
            phase: Symbol::of("calm"),
            ..Colossus::default()
        }
    }

    fn command(command: &CommandRef<'_>, machine: &Machine) -> Option<Word> {
        let typed = command.get().map(Word::Gnash);
        let typed = typed.or_else(|| command.get().map(Word::Strike));
        let typed = typed.or_else(|| command.get().map(Word::Ray));
        let typed = typed.or_else(|| command.get().map(Word::Adds));
        typed.or_else(|| match command.what(&machine.rom()) {
            What::Emit { name: "Freeze", .. } => Some(Word::Freeze),
            What::Emit { name: "Thaw", .. } => Some(Word::Thaw),
            What::Emit {
                name: "RageTheme", ..
            } => Some(Word::RageTheme),
            What::Emit {
                name: "VictoryTheme",
                ..
            } => Some(Word::VictoryTheme),
            What::Release { channel, .. } => {
                let channels = [Channel::Left, Channel::Right, Channel::Gaze];
                channels.get(channel.index()).copied().map(Word::Release)
            }
            _ => None,
        })
    }
}
