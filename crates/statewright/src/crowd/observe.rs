//! Who hears what enters a crowd and when it ticks: recorders ([`Observer`]), the digest that is
//! kept from tick to tick, and the frames that a crowd can go back to. A crowd that nobody watches pays one test per input and one per tick.

use std::fmt;

use statewright_kernel::InboxEvent;

use super::digest::Kept;
use super::frames::Frames;
use super::{Crowd, Input, Tick};
use crate::board::Board;
use crate::context::Context;

/// Hears what enters a crowd, and when it ticks. With that, a run can be written down and run again.
pub trait Observer<B, C: Context + ?Sized>: Send + Sync {
    /// An input was checked and is about to take effect; the crowd is as it was. Blackboards are
    /// written already when [`Input::Written`] says so. [`Input::Restore`] and [`Input::Rewind`] are told
    /// by [`Self::restored`] instead.
    fn entering(&mut self, crowd: &Crowd<B, C>, input: &Input<B>);

    /// The crowd has become what a snapshot held, or what it was before an earlier tick
    /// ([`Input::Rewind`]).
    fn restored(&mut self, crowd: &Crowd<B, C>);

    /// A tick is over; its commands are still there.
    fn ticked(&mut self, crowd: &Crowd<B, C>, tick: &Tick);
}

/// What is looked after at inputs and ticks.
pub(super) struct Watch<B, C: Context + ?Sized> {
    pub(super) digests: Option<Kept>,
    /// Earlier ticks to go back to.
    pub(super) frames: Option<Frames<B>>,
    observer: Option<Box<dyn Observer<B, C>>>,
}

impl<B, C: Context + ?Sized> Default for Watch<B, C> {
    fn default() -> Self {
        Self {
            digests: None,
            frames: None,
            observer: None,
        }
    }
}

impl<B, C: Context + ?Sized> fmt::Debug for Watch<B, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch")
            .field("digests", &self.digests.is_some())
            .field("frames", &self.frames.is_some())
            .field("observer", &self.observer.is_some())
            .finish()
    }
}

impl<B: Board, C: Context + ?Sized> Crowd<B, C> {
    /// Tells somebody of every input and every tick from now on; who heard of them before.
    ///
    /// The tick of a world takes the observer away: what other crowds send comes through no door of
    /// this one, so that the observer would miss it.
    pub fn set_observer(
        &mut self,
        observer: Option<Box<dyn Observer<B, C>>>,
    ) -> Option<Box<dyn Observer<B, C>>> {
        if observer.is_some() {
            return self
                .watch
                .get_or_insert_default()
                .observer
                .replace(observer?);
        }
        let mut before = None;
        self.forget_watch(|watch| before = watch.observer.take());
        before
    }

    /// Ends a part of the watch, and all of it if nothing is left.
    pub(super) fn forget_watch(&mut self, forget: impl FnOnce(&mut Watch<B, C>)) {
        if let Some(watch) = &mut self.watch {
            forget(watch);
            let is_over =
                watch.digests.is_none() && watch.frames.is_none() && watch.observer.is_none();
            if is_over {
                self.watch = None;
            }
        }
    }

    /// An input is about to take effect.
    #[cold]
    #[inline(never)]
    pub(super) fn tell_input(&mut self, input: &Input<B>) {
        let agents = &self.agents;
        if let Some(watch) = &mut self.watch {
            if let Some(kept) = &mut watch.digests {
                kept.note(input, || agents.next_id());
            }
            if let Some(frames) = &mut watch.frames {
                frames.note(agents, input);
            }
        }
        self.tell(|observer, crowd| observer.entering(crowd, input));
    }

    /// The crowd has become another one, or an earlier one.
    #[cold]
    #[inline(never)]
    pub(super) fn tell_restore(&mut self) {
        self.tell(|observer, crowd| observer.restored(crowd));
    }

    /// Any agent may be another one: after a restore, or a reload.
    #[cold]
    #[inline(never)]
    pub(super) fn look_at_everybody(&mut self) {
        if let Some(watch) = &mut self.watch
            && let Some(kept) = &mut watch.digests
        {
            *kept = Kept::of(&self.agents);
        }
    }

    fn tell(&mut self, tell: impl FnOnce(&mut dyn Observer<B, C>, &Self)) {
        // Taken out meanwhile: it looks at the whole crowd.
        let observer = self.watch.as_mut().and_then(|watch| watch.observer.take());
        if let Some(mut observer) = observer {
            tell(&mut *observer, self);
            if let Some(watch) = &mut self.watch {
                watch.observer = Some(observer);
            }
        }
    }

    /// Agents had their turns.
    pub(super) fn note_turns(&mut self, inbox: &[InboxEvent]) {
        let turns = &self.schedule.turns;
        if let Some(kept) = self.watch.as_mut().and_then(|watch| watch.digests.as_mut()) {
            kept.note_turns(turns, inbox);
        }
    }

    /// A tick is over.
    #[cold]
    pub(super) fn tell_tick(&mut self, tick: &Tick, in_world: bool) {
        if in_world {
            self.set_observer(None);
        }
        let agents = &self.agents;
        if let Some(kept) = self.watch.as_mut().and_then(|watch| watch.digests.as_mut()) {
            kept.refresh(agents);
        }
        self.tell(|observer, crowd| observer.ticked(crowd, tick));
    }
}
