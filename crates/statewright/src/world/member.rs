//! A crowd of a world whose blackboards are not known any more.

use std::any::Any;

use statewright_kernel::{Counters, Event};

use crate::agent_id::{AgentId, CrowdNumber};
use crate::board::Board;
use crate::commands::{CommandRef, Lane, PoolTooSmall};
use crate::context::Context;
use crate::crowd::{
    Crowd, Envelope, Input, InputError, Inspection, LoadError, LookError, Message, Missing,
    RewindError, SavedCrowd, SnapshotError, Tick, VariantError,
};
use crate::event::{SendError, WrongEvent};
use crate::handle::{StateHandle, VariantHandle};
use crate::machine::Machine;
use crate::pipeline::{ErasedWorkers, LaneCommands, Lent};
use crate::reload::{Reload, ReloadReport};
use crate::saved::Saved;

/// A crowd under its name.
pub(super) struct Member<C: Context + ?Sized> {
    pub(super) name: String,
    crowd: Box<dyn AnyCrowd<C>>,
    /// `None` if its blackboards cannot be saved.
    saving: Option<Saving<C>>,
    /// Pages that are set aside for the tick that comes.
    pub(super) promised: usize,
    /// What its last tick came to.
    pub(super) last: Tick,
}

/// Number and next tick of a crowd that was read from a snapshot.
type Prepared = Result<(CrowdNumber, u64), SnapshotError>;

/// The same of one that was read from a save, with what becomes of its agents.
type PreparedSaved = Result<(CrowdNumber, u64, ReloadReport), LoadError>;

/// How a crowd is saved and restored. Beside the crowd, because not every crowd can be.
struct Saving<C: Context + ?Sized> {
    save: fn(&dyn AnyCrowd<C>, &mut Vec<u8>),
    /// Reads a snapshot and keeps what it holds; nothing changes yet. The number that the crowd
    /// will have.
    prepare: fn(&mut dyn AnyCrowd<C>, &[u8]) -> Prepared,
    /// What was read takes effect.
    complete: fn(&mut dyn AnyCrowd<C>),
    /// The crowd for a save.
    to_saved: fn(&dyn AnyCrowd<C>) -> SavedCrowd<'static>,
    /// As `prepare`, from a save.
    prepare_saved: fn(&mut dyn AnyCrowd<C>, &SavedCrowd<'_>, &Reload) -> PreparedSaved,
}

impl<C: Context + ?Sized> Clone for Saving<C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C: Context + ?Sized> Copy for Saving<C> {}

impl<C: Context + ?Sized + 'static> Member<C> {
    pub(super) fn unsaved<B: Board + Send + Sync + 'static>(
        name: &str,
        crowd: Crowd<B, C>,
    ) -> Self {
        Self {
            name: name.to_owned(),
            crowd: Box::new(crowd),
            saving: None,
            promised: 0,
            last: Tick::default(),
        }
    }

    pub(super) fn saved<B: Board + Saved + Send + Sync + 'static>(
        name: &str,
        crowd: Crowd<B, C>,
    ) -> Self {
        let saving = Saving {
            save: |crowd, bytes| {
                let crowd = crowd.as_any().downcast_ref::<Crowd<B, C>>();
                crowd.expect("made for its type").snapshot_into(bytes);
            },
            prepare: |crowd, snapshot| {
                let crowd = crowd.as_any_mut().downcast_mut::<Crowd<B, C>>();
                let crowd = crowd.expect("made for its type");
                crowd.prepare_restore(snapshot)
            },
            complete: |crowd| {
                let crowd = crowd.as_any_mut().downcast_mut::<Crowd<B, C>>();
                crowd.expect("made for its type").complete_restore();
            },
            to_saved: |crowd| {
                let crowd = crowd.as_any().downcast_ref::<Crowd<B, C>>();
                crowd.expect("made for its type").to_saved()
            },
            prepare_saved: |crowd, saved, plan| {
                let crowd = crowd.as_any_mut().downcast_mut::<Crowd<B, C>>();
                let crowd = crowd.expect("made for its type");
                crowd.prepare_saved(saved, plan)
            },
        };
        Self {
            saving: Some(saving),
            ..Self::unsaved(name, crowd)
        }
    }

    pub(super) fn crowd<B: 'static>(&self) -> Option<&Crowd<B, C>> {
        self.crowd.as_any().downcast_ref()
    }

    pub(super) fn crowd_mut<B: 'static>(&mut self) -> Option<&mut Crowd<B, C>> {
        self.crowd.as_any_mut().downcast_mut()
    }

    pub(super) fn into_crowd<B: 'static>(self) -> Option<Crowd<B, C>> {
        self.crowd.into_any().downcast().ok().map(|crowd| *crowd)
    }
}

/// Saving.
impl<C: Context + ?Sized> Member<C> {
    /// Writes a snapshot; `false` if there is none.
    pub(super) fn save(&self, bytes: &mut Vec<u8>) -> bool {
        let saving = self.saving.as_ref();
        saving
            .map(|saving| (saving.save)(&*self.crowd, bytes))
            .is_some()
    }

    /// Reads a snapshot; nothing changes yet. Number and next tick that it will have; `None` if it
    /// has no snapshots.
    pub(super) fn prepare(&mut self, snapshot: &[u8]) -> Option<Prepared> {
        let saving = self.saving?;
        Some((saving.prepare)(&mut *self.crowd, snapshot))
    }

    /// The crowd for a save; `None` if it cannot be saved.
    pub(super) fn to_saved(&self) -> Option<SavedCrowd<'static>> {
        let saving = self.saving.as_ref()?;
        Some((saving.to_saved)(&*self.crowd))
    }

    /// Reads a save; nothing changes yet. `None` if it cannot be saved.
    pub(super) fn prepare_saved(
        &mut self,
        saved: &SavedCrowd<'_>,
        plan: &Reload,
    ) -> Option<PreparedSaved> {
        let saving = self.saving?;
        Some((saving.prepare_saved)(&mut *self.crowd, saved, plan))
    }

    /// What was read takes effect.
    pub(super) fn complete(&mut self) {
        if let Some(saving) = self.saving {
            (saving.complete)(&mut *self.crowd);
        }
    }
}

/// What a world asks of its crowds.
impl<C: Context + ?Sized> std::ops::Deref for Member<C> {
    type Target = dyn AnyCrowd<C>;

    fn deref(&self) -> &Self::Target {
        &*self.crowd
    }
}

impl<C: Context + ?Sized> std::ops::DerefMut for Member<C> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut *self.crowd
    }
}

/// A crowd of any blackboards.
pub(super) trait AnyCrowd<C: Context + ?Sized>: Send + Sync {
    fn machine(&self) -> &Machine;
    fn number(&self) -> CrowdNumber;
    fn now(&self) -> u64;
    fn len(&self) -> usize;
    fn contains(&self, agent: AgentId) -> bool;
    fn path(&self, agent: AgentId) -> Result<String, Missing>;
    fn is_in(&self, agent: AgentId, state: StateHandle) -> Result<bool, LookError>;
    fn inspect(&self, agent: AgentId) -> Result<Inspection, Missing>;
    fn counters(&self) -> Counters;
    fn despawn(&mut self, agent: AgentId) -> Result<(), Missing>;
    fn variant(&self, agent: AgentId) -> Result<VariantHandle, Missing>;
    fn set_variant(&mut self, agent: AgentId, variant: VariantHandle) -> Result<(), VariantError>;
    fn check_variant(&self, agent: AgentId, variant: VariantHandle) -> Result<(), VariantError>;
    fn stop(&mut self, agent: AgentId) -> Result<(), Missing>;
    fn reset(&mut self, agent: AgentId) -> Result<(), Missing>;

    /// Sets aside the pages of a tick, on the host's threads or on this one. How many.
    fn prepare_tick(&mut self, spread: bool) -> Result<usize, PoolTooSmall>;

    /// There will be no such tick.
    fn abandon_tick(&mut self, promised: usize);

    /// A prepared tick on this thread. Messages are put behind what is there.
    fn tick(&mut self, promised: usize, context: &C::Of<'_>, messages: &mut Vec<Message>) -> Tick;

    /// A prepared tick on the threads of somebody.
    fn tick_on<'w>(
        &mut self,
        promised: usize,
        workers: &dyn ErasedWorkers,
        context: &C::Of<'w>,
        messages: &mut Vec<Message>,
    ) -> Tick
    where
        C::Of<'w>: Sync;

    /// An event for an agent of this crowd, who may be gone.
    fn deliver(&mut self, envelope: Envelope);

    /// Messages of agents of this crowd for others of it, who may be gone.
    fn deliver_own(&mut self, messages: &[Message]);

    /// Messages of a tick are delivered: what comes next happens to another frame.
    fn begin_frame(&mut self);

    /// Can it go back to before a tick?
    fn check_rewind(&self, tick: u64) -> Result<(), RewindError>;

    /// It is again what it was before a tick.
    fn rewind(&mut self, tick: u64) -> Result<(), RewindError>;

    /// Rises whenever an agent goes.
    fn departures(&self) -> u64;

    /// Rises whenever its machine changes.
    fn reloads(&self) -> u64;

    /// Does its machine have such an event?
    fn check_number(&self, event: &Event) -> Result<(), WrongEvent>;

    /// May an [`Input`] enter? `None` if it is one of other blackboards.
    fn check_any(&self, input: &(dyn Any + Send)) -> Option<Result<(), InputError>>;

    /// Lets an [`Input`] enter that was checked. The agent that it spawned.
    fn enter_any(&mut self, input: Box<dyn Any + Send>) -> Option<AgentId>;

    /// An event from the host.
    fn send_event(&mut self, envelope: Envelope) -> Result<(), SendError>;

    /// An event from the host for all agents.
    fn broadcast(&mut self, event: Event);

    fn lane(&self, lane: Lane) -> LaneCommands<'_>;
    fn commit(&mut self, take: &mut dyn FnMut(CommandRef<'_>));

    fn as_any(&self) -> &dyn Any;
    fn as_any_mut(&mut self) -> &mut dyn Any;
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
}

impl<B, C> AnyCrowd<C> for Crowd<B, C>
where
    B: Board + Send + Sync + 'static,
    C: Context + ?Sized + 'static,
{
    fn machine(&self) -> &Machine {
        self.machine()
    }

    fn number(&self) -> CrowdNumber {
        self.number()
    }

    fn now(&self) -> u64 {
        self.now()
    }

    fn len(&self) -> usize {
        self.len()
    }

    fn contains(&self, agent: AgentId) -> bool {
        self.contains(agent)
    }

    fn path(&self, agent: AgentId) -> Result<String, Missing> {
        self.path(agent)
    }

    fn is_in(&self, agent: AgentId, state: StateHandle) -> Result<bool, LookError> {
        self.is_in(agent, state)
    }

    fn inspect(&self, agent: AgentId) -> Result<Inspection, Missing> {
        self.inspect(agent)
    }

    fn counters(&self) -> Counters {
        *self.counters()
    }

    fn despawn(&mut self, agent: AgentId) -> Result<(), Missing> {
        self.despawn(agent)
    }

    fn variant(&self, agent: AgentId) -> Result<VariantHandle, Missing> {
        self.variant(agent)
    }

    fn set_variant(&mut self, agent: AgentId, variant: VariantHandle) -> Result<(), VariantError> {
        self.set_variant(agent, variant)
    }

    fn check_variant(&self, agent: AgentId, variant: VariantHandle) -> Result<(), VariantError> {
        self.checked_variant(agent, variant).map(drop)
    }

    fn stop(&mut self, agent: AgentId) -> Result<(), Missing> {
        self.stop(agent)
    }

    fn reset(&mut self, agent: AgentId) -> Result<(), Missing> {
        self.reset(agent)
    }

    fn prepare_tick(&mut self, spread: bool) -> Result<usize, PoolTooSmall> {
        self.prepare_world_tick(spread)
    }

    fn abandon_tick(&mut self, promised: usize) {
        Crowd::abandon_tick(self, promised);
    }

    fn tick(&mut self, promised: usize, context: &C::Of<'_>, messages: &mut Vec<Message>) -> Tick {
        self.tick_in_world(promised, context, messages)
    }

    fn tick_on<'w>(
        &mut self,
        promised: usize,
        workers: &dyn ErasedWorkers,
        context: &C::Of<'w>,
        messages: &mut Vec<Message>,
    ) -> Tick
    where
        C::Of<'w>: Sync,
    {
        self.tick_in_world_on(promised, &Lent(workers), context, messages)
    }

    fn deliver(&mut self, envelope: Envelope) {
        self.deliver_message(envelope, None);
    }

    fn deliver_own(&mut self, messages: &[Message]) {
        let own = messages.iter();
        own.for_each(|message| self.deliver_message(message.envelope, Some(message.from)));
    }

    fn begin_frame(&mut self) {
        Crowd::begin_frame(self);
    }

    fn check_rewind(&self, tick: u64) -> Result<(), RewindError> {
        Crowd::check_rewind(self, tick)
    }

    fn rewind(&mut self, tick: u64) -> Result<(), RewindError> {
        Crowd::rewind(self, tick)
    }

    fn departures(&self) -> u64 {
        self.departures
    }

    fn reloads(&self) -> u64 {
        self.reloads
    }

    fn check_number(&self, event: &Event) -> Result<(), WrongEvent> {
        Crowd::check_number(self, event)
    }

    fn check_any(&self, input: &(dyn Any + Send)) -> Option<Result<(), InputError>> {
        let input = input.downcast_ref::<Input<B>>()?;
        Some(self.check(input).map(drop))
    }

    fn enter_any(&mut self, input: Box<dyn Any + Send>) -> Option<AgentId> {
        let input = input.downcast::<Input<B>>().ok()?;
        // What was checked is not refused; asked again for the id of the agent that begins.
        self.apply(*input).ok().flatten()
    }

    fn send_event(&mut self, envelope: Envelope) -> Result<(), SendError> {
        self.send_event(envelope.to, envelope.event)
    }

    fn broadcast(&mut self, event: Event) {
        let entered = self.apply(Input::Broadcast(event));
        debug_assert!(entered.is_ok(), "it was checked: {entered:?}");
    }

    fn lane(&self, lane: Lane) -> LaneCommands<'_> {
        self.lane(lane)
    }

    fn commit(&mut self, take: &mut dyn FnMut(CommandRef<'_>)) {
        self.commit(take);
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
