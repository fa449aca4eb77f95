//! A world that goes back to before an earlier tick: each crowd by its own frames, and what is the
//! world's, its groups and what was not delivered, by copies of them.

use std::collections::VecDeque;
use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

use super::groups::Groups;
use super::undelivered::Failures;
use super::{World, WorldInput};
use crate::context::Context;
use crate::crowd::RewindError;

/// Why a world did not go back; it is as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorldRewindError {
    /// The world does not keep this tick.
    World(RewindError),
    /// A crowd does not.
    Crowd {
        /// Its name.
        crowd: String,
        /// What it keeps.
        error: RewindError,
    },
}

impl fmt::Display for WorldRewindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::World(error) => write!(f, "the world: {error}"),
            Self::Crowd { crowd, error } => write!(f, "crowd `{crowd}`: {error}"),
        }
    }
}

impl std::error::Error for WorldRewindError {}

/// What is the world's between two ticks. Shared with the frame before, where nothing changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Rest {
    groups: Groups,
    failed: Failures,
}

/// Earlier ticks of a world, the oldest first.
#[derive(Debug)]
pub(super) struct WorldFrames {
    ticks: usize,
    ring: VecDeque<(u64, Arc<Rest>)>,
}

impl WorldFrames {
    fn kept(&self) -> Option<RangeInclusive<u64>> {
        Some(self.ring.front()?.0..=self.ring.back()?.0)
    }

    fn begin(&mut self, now: u64, groups: &Groups, failed: &Failures) {
        if self.ring.len() > self.ticks {
            self.ring.pop_front();
        }
        let before = self.ring.back().map(|(_, rest)| rest);
        let same = before.filter(|rest| rest.groups == *groups && rest.failed == *failed);
        let rest = same.cloned().unwrap_or_else(|| {
            Arc::new(Rest {
                groups: groups.clone(),
                failed: failed.clone(),
            })
        });
        self.ring.push_back((now, rest));
    }
}

/// Going back.
impl<C: Context + ?Sized> World<C> {
    /// From now on the world can [go back](Self::rewind) so many ticks, if each of its crowds can: call
    /// [`Crowd::keep_frames`](crate::Crowd::keep_frames) of each as well. 0 ends it.
    pub fn keep_frames(&mut self, ticks: usize) {
        self.frames = (ticks > 0).then(|| WorldFrames {
            ticks,
            ring: VecDeque::new(),
        });
        self.begin_frame();
    }

    /// The world is again what it was before a tick, with all its crowds: see
    /// [`Crowd::rewind`](crate::Crowd::rewind). Either all of them go back or nothing changes. After a restore, a reload, and after crowds joined or
    /// left, there is nothing to go back to before the next tick.
    ///
    /// ```
    /// use statewright::prelude::*;
    /// use statewright::World;
    ///
    /// let machine = Machine::from_text("ant", r#"{ "machine": "Ant", "states": { "walk": {} } }"#)?;
    /// let mut world: World<()> = World::new();
    /// let ants = world.join("ants", Crowd::new(machine.bind(Functions::<(), ()>::new())?, 1))?;
    /// world.keep_frames(8);
    /// world.tick(&());
    /// assert_eq!(
    ///     world.rewind(0).unwrap_err().to_string(),
    ///     "crowd `ants`: there is no way back to before tick 0: no tick is kept; `keep_frames` begins it, and restores and reloads begin it anew",
    /// );
    ///
    /// world[ants].keep_frames(8);
    /// let ant = world[ants].spawn(());
    /// world.tick(&());
    /// world.rewind(1)?;
    /// assert_eq!((world.now(), world.contains(ant)), (1, false));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rewind(&mut self, tick: u64) -> Result<(), WorldRewindError> {
        self.check_rewind(tick)?;
        self.enter(WorldInput::Rewind(tick));
        Ok(())
    }

    pub(super) fn check_rewind(&self, tick: u64) -> Result<(), WorldRewindError> {
        let kept = self.frames.as_ref().and_then(WorldFrames::kept);
        if !kept.as_ref().is_some_and(|kept| kept.contains(&tick)) {
            return Err(WorldRewindError::World(RewindError { tick, kept }));
        }
        for (_, member) in self.members() {
            member
                .check_rewind(tick)
                .map_err(|error| WorldRewindError::Crowd {
                    crowd: member.name.clone(),
                    error,
                })?;
        }
        Ok(())
    }

    /// It is what it was then; it was checked.
    pub(super) fn become_earlier(&mut self, tick: u64) {
        let frames = self.frames.as_mut();
        let Some(frames) = frames else {
            return debug_assert!(false, "frames are kept");
        };
        while frames.ring.back().is_some_and(|(now, _)| *now > tick) {
            frames.ring.pop_back();
        }
        if let Some((now, rest)) = frames.ring.back() {
            self.now = *now;
            self.groups.clone_from(&rest.groups);
            self.failed.clone_from(&rest.failed);
        }
        for member in self.members.iter_mut().flatten() {
            let gone_back = member.rewind(tick);
            debug_assert!(gone_back.is_ok(), "it was checked: {gone_back:?}");
        }
    }

    /// A tick is over and its messages are delivered.
    pub(super) fn begin_frame(&mut self) {
        if let Some(frames) = &mut self.frames {
            frames.begin(self.now, &self.groups, &self.failed);
        }
    }

    /// Crowds of then are not those of now.
    pub(super) fn forget_frames(&mut self) {
        if let Some(frames) = &mut self.frames {
            frames.ring.clear();
        }
    }
}
