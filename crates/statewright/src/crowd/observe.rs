//! Who hears what enters a crowd and when it ticks: recorders ([`Observer`]), the digest that is
//! kept from tick to tick, and the frames that a crowd can go back to. A crowd that nobody watches pays one test per input and one per tick.

use std::fmt;

use statewright_kernel::InboxEvent;

use super::agent_set::AgentSet;
use super::digest::Kept;
use super::frames::Frames;
use super::{Crowd, Envelope, Input, Message, Sent, Tick};
use crate::agent_id::AgentId;
use crate::board::Board;
use crate::context::Context;
use crate::sealed::Sealed;

/// Hears what enters a crowd, and when it ticks. With that, a run can be written down and run again.
pub trait Observer<B, C: Context + ?Sized>: Send + Sync {
    /// An input was checked and is about to take effect; the crowd is as it was. Blackboards are
    /// written already when [`Input::Written`] says so. [`Input::Restore`] and [`Input::Rewind`] are told
    /// by [`Self::restored`] instead, [`Input::Send`] by [`Self::sent`].
    fn entering(&mut self, crowd: &Crowd<B, C>, input: &Input<B>);

    /// Events were sent to agents, in this order, and are in the mailbox: all since the last input or
    /// tick was told, or some of them. They are told before anything else is.
    fn sent(&mut self, crowd: &Crowd<B, C>, events: Sent<'_>) {
        events.for_each(|envelope| self.entering(crowd, &Input::Send(envelope)));
    }

    /// Another version of the machine has taken the place of the one that ran: [`Input::Reload`] was told
    /// before it, this comes when the crowd is as it will be.
    fn reloaded(&mut self, crowd: &Crowd<B, C>) {
        let _ = crowd;
    }

    /// The crowd has become what a snapshot held, or what it was before an earlier tick
    /// ([`Input::Rewind`]).
    fn restored(&mut self, crowd: &Crowd<B, C>);

    /// A tick is over; its commands are still there.
    fn ticked(&mut self, crowd: &Crowd<B, C>, tick: &Tick);

    /// In a world, after the tick of all crowds: a message was put into the mailbox of this one. It
    /// came straight from an agent of this crowd, or by a group or from another crowd. Where a crowd
    /// ticks alone, its messages stay among its agents and are not told.
    fn received(&mut self, crowd: &Crowd<B, C>, message: &Envelope, is_own: bool) {
        let _ = (crowd, message, is_own);
    }

    /// Between two ticks: the host has something for it ([`Crowd::call_observer`]).
    fn called(&mut self, crowd: &Crowd<B, C>) {
        let _ = crowd;
    }
}

/// Sealing: what user code says and does is written down, call by call (TAPE-2).
impl<B: Board, C: Context + ?Sized> Crowd<B, C> {
    /// Whose user code is written down from now on. Sealed agents go by the tables of their machine,
    /// call by call; every byte of everybody stays what it would have been.
    pub fn set_sealed(&mut self, sealed: Option<Sealed>) {
        match sealed {
            Some(sealed) => self.watch.get_or_insert_default().sealed = Some(sealed),
            None => self.forget_watch(|watch| watch.sealed = None),
        }
    }

    /// Whose user code is written down.
    pub fn sealed(&self) -> Option<&Sealed> {
        self.watch.as_ref()?.sealed.as_ref()
    }

    /// Calls of sealed agents in the last tick, as [`Turns`](crate::sealed::Turns) reads them: the
    /// parts one after the other are all of them, in the order of agents.
    pub fn sealed_calls(&self) -> impl Iterator<Item = &[u8]> {
        self.last.sealed_calls()
    }

    /// For these agents messages are told ([`Observer::received`]) wherever they come from, also where the crowd
    /// ticks alone; for all others none are. Events that the host sends are told of these agents and of whoever came in
    /// the place of one. Only what one of these agents sent another counts as the crowd's own.
    pub fn set_heard(&mut self, agents: Option<&[AgentId]>) {
        self.tell_sent();
        match agents {
            Some(agents) => {
                let heard = Heard::of(agents);
                self.watch.get_or_insert_default().heard = Some(heard);
            }
            None => self.forget_watch(|watch| watch.heard = None),
        }
        self.pass_over_mailbox();
    }

    /// Calls whoever hears the crowd ([`Observer::called`]).
    pub fn call_observer(&mut self) {
        self.tell_sent();
        self.tell(|observer, crowd| observer.called(crowd));
    }

    /// Keeps messages of agents to agents out of its mailbox: somebody else brings them
    /// ([`Self::receive`]), as a world does. For tools that run a crowd of a world again without it.
    pub fn set_apart(&mut self, is_apart: bool) {
        self.is_apart = is_apart;
    }

    /// Whether messages of its last tick were left to a world, or to whoever plays one.
    pub fn ticked_apart(&self) -> bool {
        self.ticked_apart
    }

    /// A message for an agent of this crowd, who may be gone, as if somebody had sent it in the tick
    /// before: an agent of this crowd, or somebody outside.
    pub fn receive(&mut self, message: Envelope, is_own: bool) {
        // Who brings a message of one of these agents knows of no other.
        self.deliver_message(message, is_own.then_some(message.to));
    }

    /// Blackboards by index, also where nobody is any more.
    pub fn slot_boards(&self) -> &[B] {
        &self.agents.boards
    }
}

/// What is looked after at inputs and ticks.
pub(super) struct Watch<B, C: Context + ?Sized> {
    pub(super) digests: Option<Kept>,
    /// Earlier ticks to go back to.
    pub(super) frames: Option<Frames<B>>,
    observer: Option<Box<dyn Observer<B, C>>>,
    /// Whose user code is written down.
    pub(super) sealed: Option<Sealed>,
    /// Whose messages are told, if not all that a world brings.
    heard: Option<Heard>,
    /// How many events in the mailbox the observer knows of, or need not know of.
    told: usize,
    /// With so many there are enough new ones to tell of: then they are still in the caches.
    tell_at: usize,
}

/// Agents whose messages are told.
#[derive(Debug, Default)]
struct Heard {
    /// Their indices.
    agents: AgentSet,
    /// Their ids, sorted: who came in the place of one is none of them.
    ids: Vec<AgentId>,
    /// Where events for them stand that are about to be told; kept for its memory.
    places: Vec<usize>,
    /// Messages of the tick that is being finished; kept for its memory.
    messages: Vec<Message>,
}

impl Heard {
    fn of(agents: &[AgentId]) -> Self {
        let mut heard = Self {
            ids: agents.to_vec(),
            ..Self::default()
        };
        heard.ids.sort_unstable();
        for agent in agents {
            heard.agents.insert(agent.index() as usize);
        }
        heard
    }

    #[inline(always)]
    fn has(&self, agent: AgentId) -> bool {
        // Most messages are for others: one look at a bit.
        self.agents.contains(agent.index() as usize) && self.ids.binary_search(&agent).is_ok()
    }
}

/// Events that are told at once, at most.
const MANY_SENT: usize = 1024;

impl<B, C: Context + ?Sized> Default for Watch<B, C> {
    fn default() -> Self {
        Self {
            digests: None,
            frames: None,
            observer: None,
            sealed: None,
            heard: None,
            told: 0,
            tell_at: MANY_SENT,
        }
    }
}

impl<B, C: Context + ?Sized> fmt::Debug for Watch<B, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch")
            .field("digests", &self.digests.is_some())
            .field("frames", &self.frames.is_some())
            .field("observer", &self.observer.is_some())
            .field("sealed", &self.sealed)
            .field("heard", &self.heard.is_some())
            .finish()
    }
}

impl<B: Board, C: Context + ?Sized> Crowd<B, C> {
    /// Tells somebody of every input and every tick from now on; who heard of them before.
    pub fn set_observer(
        &mut self,
        observer: Option<Box<dyn Observer<B, C>>>,
    ) -> Option<Box<dyn Observer<B, C>>> {
        self.tell_sent();
        let mut before = None;
        if observer.is_some() {
            let watch = self.watch.get_or_insert_default();
            before = std::mem::replace(&mut watch.observer, observer);
        } else {
            self.forget_watch(|watch| before = watch.observer.take());
        }
        self.pass_over_mailbox();
        before
    }

    /// Ends a part of the watch, and all of it if nothing is left.
    pub(super) fn forget_watch(&mut self, forget: impl FnOnce(&mut Watch<B, C>)) {
        if let Some(watch) = &mut self.watch {
            forget(watch);
            let rests =
                watch.digests.is_none() && watch.frames.is_none() && watch.observer.is_none();
            if rests && watch.sealed.is_none() && watch.heard.is_none() {
                self.watch = None;
            }
        }
    }

    /// An event was sent; if there are many by now, they are told.
    #[inline(always)]
    pub(super) fn tell_many_sent(&mut self) {
        if let Some(watch) = &self.watch
            && self.mailbox.len() >= watch.tell_at
        {
            self.tell_sent();
        }
    }

    /// Tells of events that were sent and not told yet.
    #[cold]
    #[inline(never)]
    pub(super) fn tell_sent(&mut self) {
        let told = self.watch.as_ref().map_or(0, |watch| watch.told);
        if told < self.mailbox.len() {
            let heard = self.watch.as_mut().and_then(|watch| watch.heard.as_mut());
            if let Some(Heard { agents, places, .. }) = heard {
                self.mailbox.find(told, agents, places);
            }
            self.tell(|observer, crowd| {
                let sent = crowd.mailbox.envelopes_from(told, crowd.agents.roster());
                let heard = crowd.watch.as_ref().and_then(|watch| watch.heard.as_ref());
                match heard {
                    Some(heard) => observer.sent(crowd, sent.limited_to(&heard.places)),
                    None => observer.sent(crowd, sent),
                }
            });
            self.pass_over_mailbox();
        }
    }

    /// Nobody has to hear of what is in the mailbox now.
    pub(super) fn pass_over_mailbox(&mut self) {
        let count = self.mailbox.len();
        if let Some(watch) = &mut self.watch {
            // Those for a few are found sooner among all of a tick.
            let most = watch.heard.as_ref().map_or(MANY_SENT, |_| usize::MAX);
            (watch.told, watch.tell_at) = (count, count.saturating_add(most));
        }
    }

    /// An input is about to take effect.
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
    pub(super) fn tell_restore(&mut self) {
        self.tell(|observer, crowd| observer.restored(crowd));
    }

    /// The crowd goes on in another version of its machine.
    pub(super) fn tell_reload(&mut self) {
        self.tell(|observer, crowd| observer.reloaded(crowd));
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

    /// A message of a world was put into the mailbox; from whom, if from an agent of this crowd.
    #[cold]
    pub(super) fn tell_message(&mut self, message: &Envelope, from: Option<AgentId>) {
        let heard = self.watch.as_ref().and_then(|watch| watch.heard.as_ref());
        if heard.is_some_and(|heard| !heard.has(message.to)) {
            return;
        }
        let is_own = from.is_some_and(|from| heard.is_none_or(|heard| heard.has(from)));
        self.tell(|observer, crowd| observer.received(crowd, message, is_own));
    }

    /// Where messages of a tick of a crowd that ticks alone go, if some are to be told: as in a world, they are
    /// told and delivered when the tick is.
    pub(super) fn messages_to_tell(&mut self, in_world: bool) -> Option<Vec<Message>> {
        let heard = self.watch.as_mut()?.heard.as_mut()?;
        (!in_world && !self.is_apart).then(|| std::mem::take(&mut heard.messages))
    }

    /// They are told and delivered.
    pub(super) fn deliver_told(&mut self, mut messages: Vec<Message>) {
        for Message { from, envelope } in messages.drain(..) {
            match envelope.to.crowd() == self.agents.number {
                true => self.deliver_message(envelope, Some(from)),
                false => self.totals.lost_messages += 1,
            }
        }
        // Its memory is kept.
        if let Some(heard) = self.watch.as_mut().and_then(|watch| watch.heard.as_mut()) {
            heard.messages = messages;
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
    pub(super) fn tell_tick(&mut self, tick: &Tick) {
        let agents = &self.agents;
        if let Some(kept) = self.watch.as_mut().and_then(|watch| watch.digests.as_mut()) {
            kept.refresh(agents);
        }
        self.tell(|observer, crowd| observer.ticked(crowd, tick));
    }
}
