//! Blackboards, to be changed by the host between ticks.

use std::ops::{Deref, DerefMut};

use super::{Crowd, Input, Missing};
use crate::agent_id::AgentId;
use crate::board::Board;
use crate::context::Context;

/// The blackboard of an agent, to be changed. When it goes, the crowd takes note: what was written
/// is an [`Input`], and the agent is awake. One that was only looked at changes nothing.
pub struct BoardMut<'c, B: Board, C: Context + ?Sized> {
    crowd: &'c mut Crowd<B, C>,
    agent: AgentId,
    written: bool,
}

impl<B: Board, C: Context + ?Sized> Deref for BoardMut<'_, B, C> {
    type Target = B;

    fn deref(&self) -> &B {
        &self.crowd.agents.boards[self.agent.index() as usize]
    }
}

impl<B: Board, C: Context + ?Sized> DerefMut for BoardMut<'_, B, C> {
    fn deref_mut(&mut self) -> &mut B {
        let index = self.agent.index() as usize;
        if !self.written {
            self.written = true;
            self.crowd.keep_agent(index);
        }
        &mut self.crowd.agents.boards[index]
    }
}

impl<B: Board, C: Context + ?Sized> Drop for BoardMut<'_, B, C> {
    fn drop(&mut self) {
        if self.written {
            self.crowd.enter(Input::Written(self.agent));
        }
    }
}

impl<B: Board, C: Context + ?Sized> Crowd<B, C> {
    /// Its blackboard, to be changed: wakes the agent. Whoever puts another one in its place must
    /// take one of the same machine, as for [`Self::spawn`]: nobody looks.
    pub fn board_mut(&mut self, agent: AgentId) -> Result<BoardMut<'_, B, C>, Missing> {
        self.agents.index(agent)?;
        Ok(BoardMut {
            crowd: self,
            agent,
            written: false,
        })
    }

    /// Changes its blackboard in one go: what [`Self::board_mut`] does for longer.
    ///
    /// ```
    /// use statewright::prelude::*;
    ///
    /// struct Dog { bones: u32 }
    /// impl Board for Dog {}
    ///
    /// let machine = Machine::build("Dog", |m| {
    ///     m.state("sit", |_| {});
    /// })?;
    /// let mut dogs = Crowd::new(machine.bind(Functions::<Dog, ()>::new())?, 1);
    /// let dog = dogs.spawn(Dog { bones: 1 });
    /// dogs.edit_board(dog, |dog| dog.bones += 1)?;
    /// assert_eq!(dogs.board(dog)?.bones, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn edit_board<R>(
        &mut self,
        agent: AgentId,
        edit: impl FnOnce(&mut B) -> R,
    ) -> Result<R, Missing> {
        Ok(edit(&mut *self.board_mut(agent)?))
    }
}
