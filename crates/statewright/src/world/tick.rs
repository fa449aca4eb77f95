//! One tick of a world: all crowds, then the post.

use std::fmt;

use super::World;
use super::member::Member;
use crate::agent_id::CrowdNumber;
use crate::commands::{CommandRef, Lane, PoolTooSmall};
use crate::context::Context;
use crate::crowd::{Message, Tick};
#[cfg(feature = "parallel")]
use crate::pipeline::RayonPool;
use crate::pipeline::{ErasedWorkers, Workers};

/// What one tick of all crowds came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorldTick {
    /// Sums over all crowds; [`World::last_ticks`] has each.
    pub all: Tick,
    /// Messages that were put into mailboxes.
    pub messages: usize,
    /// Messages that nobody will get; [`World::undelivered`] names them.
    pub undelivered: u64,
}

/// Why there was no tick; no agent ran and no event was delivered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorldError {
    /// The pool of a crowd has too few pages (CMD-2).
    Pool {
        /// Name of the crowd.
        crowd: String,
        /// How many.
        error: PoolTooSmall,
    },
    /// A crowd was ticked or restored alone.
    OtherTime {
        /// Its name.
        crowd: String,
        /// Its next tick.
        at: u64,
        /// That of the world.
        world: u64,
    },
    /// Two crowds have one number: one was restored alone.
    SameNumber {
        /// The number.
        number: CrowdNumber,
        /// One of the crowds.
        crowd: String,
    },
}

impl fmt::Display for WorldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pool { crowd, error } => write!(f, "crowd `{crowd}`: {error}"),
            Self::OtherTime { crowd, at, world } => write!(
                f,
                "the next tick of crowd `{crowd}` is {at}, that of the world {world}: crowds of a world are ticked and restored by it alone"
            ),
            Self::SameNumber { number, crowd } => write!(
                f,
                "crowd `{crowd}` has number {number}, as another crowd of the world has: crowds of a world are restored by it alone"
            ),
        }
    }
}

impl std::error::Error for WorldError {}

/// Ticks.
impl<C: Context + ?Sized> World<C> {
    /// Runs one tick of all crowds on this thread, in the order in which they joined.
    ///
    /// # Panics
    ///
    /// If [`Self::try_tick`] would refuse it.
    pub fn tick(&mut self, context: &C::Of<'_>) -> WorldTick {
        self.try_tick(context)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// Runs one tick of all crowds on this thread, or nothing if one of them cannot. Commands of the
    /// last tick end in either case.
    pub fn try_tick(&mut self, context: &C::Of<'_>) -> Result<WorldTick, WorldError> {
        self.run(false, |member, promised, messages| {
            member.tick(promised, context, messages)
        })
    }

    /// Runs one tick of all crowds on the threads of a pool of the host's choice: crowd after crowd,
    /// each on all threads. Every byte, all commands and messages are those of [`Self::tick`].
    ///
    /// # Panics
    ///
    /// If [`Self::try_tick_on`] would refuse it.
    pub fn tick_on<'w>(&mut self, workers: &impl Workers, context: &C::Of<'w>) -> WorldTick
    where
        C::Of<'w>: Sync,
    {
        self.try_tick_on(workers, context)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// The same, or nothing if one of the crowds cannot.
    pub fn try_tick_on<'w>(
        &mut self,
        workers: &impl Workers,
        context: &C::Of<'w>,
    ) -> Result<WorldTick, WorldError>
    where
        C::Of<'w>: Sync,
    {
        let workers: &dyn ErasedWorkers = workers;
        self.run(true, |member, promised, messages| {
            member.tick_on(promised, workers, context, messages)
        })
    }

    /// Runs one tick of all crowds on all threads of rayon's pool.
    ///
    /// # Panics
    ///
    /// If [`Self::try_tick_on`] would refuse it.
    #[cfg(feature = "parallel")]
    pub fn tick_parallel<'w>(&mut self, context: &C::Of<'w>) -> WorldTick
    where
        C::Of<'w>: Sync,
    {
        self.tick_on(&RayonPool, context)
    }

    fn run(
        &mut self,
        spread: bool,
        mut tick: impl FnMut(&mut Member<C>, usize, &mut Vec<Message>) -> Tick,
    ) -> Result<WorldTick, WorldError> {
        self.check_time()?;
        self.link_reloaded();
        self.prepare(spread)?;
        let mut sum = Tick {
            tick: self.now,
            ..Tick::default()
        };
        self.post.begin(self.members.len());
        for &index in &self.order {
            let Some(Some(member)) = self.members.get_mut(index) else {
                continue;
            };
            let promised = member.promised;
            let done = tick(member, promised, self.post.of(index));
            member.last = done;
            add(&mut sum, &done);
        }
        self.now += 1;
        let delivered = self.deliver();
        self.begin_frames();
        Ok(WorldTick {
            all: sum,
            messages: delivered.messages,
            undelivered: delivered.undelivered,
        })
    }

    /// Messages are delivered: what comes next happens to other frames.
    fn begin_frames(&mut self) {
        let members = self.members.iter_mut().flatten();
        members.for_each(|member| member.begin_frame());
        self.begin_frame();
    }

    /// All crowds live in the time of the world, and none can be taken for another.
    fn check_time(&self) -> Result<(), WorldError> {
        for (place, (_, member)) in self.members().enumerate() {
            let (at, world) = (member.now(), self.now);
            let crowd = || member.name.clone();
            if at != world {
                return Err(WorldError::OtherTime {
                    crowd: crowd(),
                    at,
                    world,
                });
            }
            let number = member.number();
            let mut before = self.members().take(place);
            if before.any(|(_, one)| one.number() == number) {
                return Err(WorldError::SameNumber {
                    number,
                    crowd: crowd(),
                });
            }
        }
        Ok(())
    }

    /// Pages for all crowds, or for none.
    fn prepare(&mut self, spread: bool) -> Result<(), WorldError> {
        let mut refused = None;
        for (place, &index) in self.order.iter().enumerate() {
            let Some(Some(member)) = self.members.get_mut(index) else {
                continue;
            };
            match member.prepare_tick(spread) {
                Ok(promised) => member.promised = promised,
                Err(error) => {
                    let crowd = member.name.clone();
                    refused = Some((place, WorldError::Pool { crowd, error }));
                    break;
                }
            }
        }
        let Some((first, error)) = refused else {
            return Ok(());
        };
        for &index in self.order.iter().take(first) {
            if let Some(Some(member)) = self.members.get_mut(index) {
                let promised = member.promised;
                member.abandon_tick(promised);
            }
        }
        Err(error)
    }

    /// What the last tick of each crowd came to, in the order in which they run.
    pub fn last_ticks(&self) -> impl Iterator<Item = (&str, Tick)> {
        self.members()
            .map(|(_, member)| (member.name.as_str(), member.last))
    }
}

fn add(sum: &mut Tick, one: &Tick) {
    let Tick {
        tick: _,
        ran,
        clamped,
        faults,
        panicked,
        unbound_calls,
        dropped_commands,
    } = one;
    sum.ran += ran;
    sum.clamped += clamped;
    sum.faults += faults;
    sum.panicked += panicked;
    sum.unbound_calls += unbound_calls;
    sum.dropped_commands += dropped_commands;
}

/// Commands.
impl<C: Context + ?Sized> World<C> {
    /// What the merge rules leave of a lane of the last tick, crowd by crowd in the order in which
    /// they run, each in the order of agents and of emission. Meant for built-in lanes: a lane
    /// of a machine's own has its number in that machine alone.
    pub fn lane(&self, lane: impl Into<Lane>) -> impl Iterator<Item = CommandRef<'_>> {
        let lane = lane.into();
        self.members()
            .flat_map(move |(_, member)| member.lane(lane))
    }

    /// Hands all commands of the last tick over, crowd by crowd in the order in which they run,
    /// each lane by lane ([`Crowd::commit`](crate::Crowd::commit)). `take` is given the name of the
    /// crowd, too. After it there are none.
    pub fn commit(&mut self, mut take: impl FnMut(&str, CommandRef<'_>)) {
        for &index in &self.order {
            let Some(Some(member)) = self.members.get_mut(index) else {
                continue;
            };
            let Member { name, .. } = member;
            let name = std::mem::take(name);
            member.commit(&mut |command| take(&name, command));
            member.name = name;
        }
    }
}
