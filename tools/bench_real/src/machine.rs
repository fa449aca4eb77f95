//! What a machine of the table says of itself, and the same without its types.

use std::fmt::Debug;
use std::marker::PhantomData;

use statewright::commands::CommandRef;
use statewright::{Board, Functions, Instance, Machine, Saved};

use super::by_hand::{ByHand, Hand};
use super::compare::{self, Seen};
use super::contender::Contender;
use super::count;
use super::crowd::InCrowd;
use super::events::{self, Kind, Ticks};
use super::measure::{self, Times};
use super::paths::{self, Paths};
use super::slices::InSlices;

/// Seed of all agents.
pub const SEED: u64 = 1;

/// A behavior that is run by Statewright and by hand.
pub trait Real: Copy + Debug + PartialEq + 'static {
    /// Its name in the table.
    const NAME: &'static str;
    /// Its events, in the order of the file.
    const EVENTS: &'static [Kind];
    /// An agent of its tier.
    type Instance: Instance + Send;
    /// Its blackboard.
    type Board: Board + Saved + Clone + Debug + PartialEq;
    /// What its agents say.
    type Command: Copy + Debug + PartialEq;
    /// An agent written by hand.
    type Hand: Hand<Board = Self::Board, Command = Self::Command>;

    /// The machine.
    fn machine() -> Machine;

    /// Its user code.
    fn functions() -> Functions<Self::Board, ()>;

    /// The blackboard that an agent begins with.
    fn board(place: usize) -> Self::Board;

    /// A command of Statewright, as an agent written by hand would have said it.
    fn command(command: &CommandRef<'_>, machine: &Machine) -> Option<Self::Command>;

    /// Contenders that only some machines have.
    fn peer(_agents: usize) -> Option<Box<dyn Contender<Self>>> {
        None
    }
}

/// How many agents, and how they are driven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drive {
    /// How many agents there are.
    pub agents: usize,
    /// Ticks before anything is measured, with events for one agent in ten: they bring agents into
    /// mixed states.
    pub warm_up: usize,
    /// Ticks that are measured.
    pub ticks: usize,
    /// Of a hundred agents so many get an event in a measured tick.
    pub percent: u32,
}

/// Of a hundred agents so many get an event while they are brought into mixed states.
const WARM_UP_PERCENT: u32 = 10;

impl Drive {
    /// Agents times measured ticks.
    pub fn turns(&self) -> f64 {
        (self.agents * self.ticks) as f64
    }

    /// Events before anything is measured.
    pub fn warm_up_ticks<R: Real>(&self, machine: &Machine) -> Ticks {
        let size = (self.agents, self.warm_up);
        events::random(machine, R::EVENTS, size, WARM_UP_PERCENT, 1)
    }

    /// Events that are measured, and one tick before them that is not: whoever goes back to an
    /// earlier state may have to look at everybody once.
    pub fn measured_ticks<R: Real>(&self, machine: &Machine) -> Ticks {
        let size = (self.agents, self.ticks + 1);
        events::random(machine, R::EVENTS, size, self.percent, 2)
    }
}

/// Everybody who can run a machine: Statewright first, then by hand.
pub fn contenders<R: Real>(agents: usize) -> Result<Vec<Box<dyn Contender<R>>>, String> {
    let mut all: Vec<Box<dyn Contender<R>>> = vec![
        Box::new(InSlices::<R>::new(agents)?),
        Box::new(InCrowd::<R>::new(agents)?),
        Box::new(ByHand::<R>::new("hand", agents)),
    ];
    if let Some(fused) = InSlices::<R>::fused(agents)? {
        all.push(Box::new(fused));
    }
    all.extend(R::peer(agents));
    Ok(all)
}

/// A machine without its types.
pub trait AnyReal: Sync {
    /// Its name in the table.
    fn name(&self) -> &'static str;

    /// The module that its code lies in.
    fn module(&self) -> &'static str;

    /// How many transitions it has.
    fn transitions(&self) -> usize;

    /// Holds that all contenders have the same outcome after every tick.
    fn compare(&self, drive: &Drive) -> Result<Seen, String>;

    /// Times of all contenders in interleaved rounds.
    fn measure(&self, drive: &Drive, rounds: usize) -> Result<Times, String>;

    /// Which paths of the kernel its agents take.
    fn paths(&self, drive: &Drive) -> Result<Paths, String>;

    /// Who can run it.
    fn contenders(&self) -> Vec<String>;

    /// Runs what is counted of one contender: each rate once.
    fn count(&self, drive: &Drive, contender: &str) -> Result<(), String>;
}

/// The machine of a type.
#[derive(Clone, Copy, Debug)]
pub struct Of<R>(PhantomData<fn() -> R>);

impl<R> Of<R> {
    /// It has nothing of its own.
    pub const NEW: Self = Self(PhantomData);
}

impl<R: Real> AnyReal for Of<R> {
    fn name(&self) -> &'static str {
        R::NAME
    }

    fn module(&self) -> &'static str {
        R::NAME.split(' ').next_back().unwrap_or(R::NAME)
    }

    fn transitions(&self) -> usize {
        R::machine().rom().transitions().len()
    }

    fn compare(&self, drive: &Drive) -> Result<Seen, String> {
        compare::compare::<R>(drive)
    }

    fn measure(&self, drive: &Drive, rounds: usize) -> Result<Times, String> {
        measure::measure::<R>(drive, rounds)
    }

    fn paths(&self, drive: &Drive) -> Result<Paths, String> {
        paths::count::<R>(drive)
    }

    fn contenders(&self) -> Vec<String> {
        let all = contenders::<R>(0).unwrap_or_default();
        all.iter().map(|one| one.name().to_owned()).collect()
    }

    fn count(&self, drive: &Drive, contender: &str) -> Result<(), String> {
        count::run::<R>(drive, contender)
    }
}
