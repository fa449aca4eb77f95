//! Everything that enters a crowd from outside: one enum, one door.
//!
//! ```text
//!  send, spawn, stop, board_mut, …  ── checked ──▶ Input ──▶ Crowd::enter ──▶ agents, schedule,
//!  Crowd::apply (any Input)         ── checked ──▶                            mailbox, settings
//! ```
//!
//! Between ticks nothing else changes a crowd. So whoever wants to see what entered, to write it
//! down or to bring it in again ([`Observer`](super::Observer)), stands at one place: `enter` sees each input that takes effect,
//! once, in order, before it is carried out, with the crowd as it was; what was refused never comes
//! that far. Events that are sent lie in the mailbox, in their order: of them it tells many at once, and all before anything
//! else enters. Ticks are no inputs, nor is who looks and listens: commands, traces.

use std::fmt;
use std::sync::Arc;

use statewright_kernel::{self as kernel, Event, Sleep, flag};
use statewright_rom::Rom;
use statewright_rom::ids::VariantId;

use super::agent_set::AgentSet;
use super::frames::RewindError;
use super::instances::with_instances;
use super::mailbox::Envelope;
use super::reload::Reloaded;
use super::snapshot::Restored;
use super::{Crowd, InstanceError, Missing, SpawnError, Totals, VariantError};
use crate::agent_id::{AgentId, CrowdNumber};
use crate::board::Board;
use crate::commands::Pool;
use crate::context::Context;
use crate::event::WrongEvent;
use crate::parameters::{ParameterChange, ParameterError};
use crate::pipeline::{PageSupply, TickSettings, WrongSettings};
use crate::reload::ReloadError;

/// Something that enters a crowd from outside. [`Crowd::apply`] takes any of them; the methods of a
/// crowd that change it each make one.
#[derive(Debug)]
pub enum Input<B> {
    /// An agent begins. It gets the index that was freed last, or the next one.
    Spawn {
        /// Its blackboard.
        board: B,
        /// The variant of its parameters; `None` for the plain one.
        variant: Option<VariantId>,
    },
    /// An agent is taken away.
    Despawn(AgentId),
    /// An agent is made as new (SYS-10).
    Reset(AgentId),
    /// An agent's exits run in the next tick, and it ends (SYS-10).
    Stop(AgentId),
    /// Time stops for an agent (SYS-9).
    Pause(AgentId),
    /// Time goes on for an agent.
    Resume(AgentId),
    /// An event for an agent.
    Send(Envelope),
    /// An event for every agent.
    Broadcast(Event),
    /// The blackboard of an agent was written: what it is now, the crowd has.
    Written(AgentId),
    /// An agent has other parameters from now on (CODE-3).
    SetVariant(AgentId, VariantId),
    /// A parameter has another value from now on (CODE-3).
    SetParameter(ParameterChange),
    /// The host has seen an agent's marks (SYS-2).
    ClearFlags(AgentId),
    /// How ticks are carried out.
    Settings(TickSettings),
    /// Where pages for commands come from.
    Pool(Arc<Pool>),
    /// The next tick of a crowd without agents.
    StartAt(u64),
    /// What ids of a crowd without agents know it by.
    Number(CrowdNumber),
    /// The instance of an agent becomes what these bytes say.
    Instance(AgentId, Box<[u8]>),
    /// Counters begin at zero.
    ResetCounters,
    /// The crowd becomes what a snapshot holds ([`Crowd::read_snapshot`]).
    Restore(Box<Restored<B>>),
    /// Another version of the machine takes the place of the one that runs ([`Crowd::reload`], which
    /// also brings its program).
    Reload(Box<Reloaded>),
    /// The crowd is again what it was before an earlier tick ([`Crowd::rewind`]).
    Rewind(u64),
}

/// Why an input was refused; the crowd is as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputError {
    /// There is no such agent.
    Missing(Missing),
    /// The machine has no such event.
    Event(WrongEvent),
    /// The agent cannot become what the bytes say.
    Instance(InstanceError),
    /// It cannot be an agent of this crowd.
    Spawn(SpawnError),
    /// The agent cannot have this variant.
    Variant(VariantError),
    /// The parameter cannot have this value.
    Parameter(ParameterError),
    /// The crowd cannot have these settings.
    Settings(WrongSettings),
    /// Time cannot begin there: the crowd has or had agents, or the tick is above 2^62.
    StartAt(u64),
    /// The crowd cannot have this number: it has or had agents, whose ids know it.
    Number(CrowdNumber),
    /// The snapshot is of another machine, or of another version of the machine.
    Restore,
    /// The machine cannot take the place of the one that runs.
    Reload(ReloadError),
    /// The crowd cannot go back that far.
    Rewind(RewindError),
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(error) => error.fmt(f),
            Self::Event(error) => error.fmt(f),
            Self::Instance(error) => error.fmt(f),
            Self::Spawn(error) => error.fmt(f),
            Self::Variant(error) => error.fmt(f),
            Self::Parameter(error) => error.fmt(f),
            Self::Settings(error) => error.fmt(f),
            Self::StartAt(tick) => write!(
                f,
                "time cannot begin at tick {tick}: that is for crowds that never had an agent, and at most 2^62"
            ),
            Self::Number(number) => write!(
                f,
                "the crowd cannot become crowd {number}: ids of its agents know the number that it has"
            ),
            Self::Restore => f.write_str("the snapshot was read by a crowd of another machine"),
            Self::Reload(error) => error.fmt(f),
            Self::Rewind(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for InputError {}

macro_rules! from_errors {
    ($($error:ident => $variant:ident),*) => {
        $(impl From<$error> for InputError {
            fn from(error: $error) -> Self {
                Self::$variant(error)
            }
        })*
    };
}

from_errors!(Missing => Missing, WrongEvent => Event, InstanceError => Instance, SpawnError => Spawn, VariantError => Variant, ParameterError => Parameter, WrongSettings => Settings, RewindError => Rewind);

/// The door.
impl<B: Board, C: Context + ?Sized> Crowd<B, C> {
    /// Lets an input of any kind enter, as the method of its kind would. The agent that a
    /// [`Input::Spawn`] added.
    pub fn apply(&mut self, input: Input<B>) -> Result<Option<AgentId>, InputError> {
        let spawned = self.check(&input)?;
        self.enter(input);
        Ok(spawned)
    }

    /// What [`Self::apply`] does with an [`Input::Send`]: most of a run is these, and whoever runs it again
    /// knows it.
    #[inline]
    pub fn apply_event(&mut self, envelope: Envelope) -> Result<(), InputError> {
        self.check_sent(&envelope)?;
        self.enter_sent(envelope);
        Ok(())
    }

    #[inline]
    fn check_sent(&self, Envelope { to, event }: &Envelope) -> Result<(), InputError> {
        self.agents.index(*to)?;
        Ok(self.check_number(event)?)
    }

    /// May an input enter? The id of the agent that it would spawn.
    pub(crate) fn check(&self, input: &Input<B>) -> Result<Option<AgentId>, InputError> {
        match input {
            Input::Spawn { board, variant } => {
                return Ok(Some(self.check_spawn(board, *variant)?));
            }
            Input::Despawn(agent)
            | Input::Reset(agent)
            | Input::Stop(agent)
            | Input::Pause(agent)
            | Input::Resume(agent)
            | Input::Written(agent)
            | Input::ClearFlags(agent) => drop(self.agents.index(*agent)?),
            Input::Send(envelope) => self.check_sent(envelope)?,
            Input::Broadcast(event) => self.check_number(event)?,
            Input::SetVariant(agent, variant) => self.check_variant(*agent, *variant)?,
            Input::Instance(agent, bytes) => self.check_instance(*agent, bytes)?,
            Input::SetParameter(change) => self.parameters.check(self.machine(), change)?,
            Input::Settings(settings) => settings.check(self.program.strict)?,
            Input::StartAt(tick) if !self.can_start_at(*tick) => {
                return Err(InputError::StartAt(*tick));
            }
            Input::Restore(restored) if !restored.is_of(self.machine()) => {
                return Err(InputError::Restore);
            }
            Input::Number(number) if self.agents.slots() > 0 => {
                return Err(InputError::Number(*number));
            }
            Input::Reload(_) if self.incoming.is_none() => {
                return Err(InputError::Reload(ReloadError::NoProgram));
            }
            Input::Rewind(tick) => self.check_rewind(*tick)?,
            Input::StartAt(_) | Input::Number(_) | Input::Restore(_) | Input::Reload(_) => {}
            Input::Pool(_) | Input::ResetCounters => {}
        }
        Ok(None)
    }

    /// Does the machine have such an event? What it carries are bytes here, of whatever type.
    pub(crate) fn check_number(&self, event: &Event) -> Result<(), WrongEvent> {
        let machine = self.machine();
        match event.id() {
            Some(id) => machine.event_type(id).map(drop),
            None => Err(machine.unknown_event(event.id.get())),
        }
    }

    /// Carries out an input that was checked. Inlined, so that a caller who knows the kind pays for
    /// that kind alone.
    #[inline(always)]
    pub(super) fn enter(&mut self, input: Input<B>) {
        if let Input::Send(envelope) = input {
            self.enter_sent(envelope);
        } else if self.watch.is_some() {
            self.enter_watched(input);
        } else {
            self.carry_out(input);
        }
    }

    /// The same with an [`Input::Send`]: sending is as short as if it stood there.
    #[inline(always)]
    pub(super) fn enter_sent(&mut self, envelope: Envelope) {
        self.deliver_later(envelope);
        self.tell_many_sent();
    }

    /// The same where somebody hears of it; events that are sent are told otherwise.
    #[inline(never)]
    fn enter_watched(&mut self, input: Input<B>) {
        let is_told_after = matches!(input, Input::Restore(_) | Input::Rewind(_));
        let is_reload = matches!(input, Input::Reload(_));
        self.tell_sent();
        if !is_told_after {
            self.tell_input(&input);
        }
        self.carry_out(input);
        // What lies in the mailbox now was told, or is there because of the input.
        self.pass_over_mailbox();
        if is_told_after {
            self.tell_restore();
        }
        if is_reload {
            self.tell_reload();
        }
    }

    #[inline(always)]
    pub(super) fn carry_out(&mut self, input: Input<B>) {
        match input {
            Input::Send(envelope) => self.deliver_later(envelope),
            Input::Broadcast(event) => self.deliver_to_all(event),
            Input::Spawn { board, variant } => self.add(board, variant),
            Input::Despawn(agent) => self.remove(agent),
            Input::Reset(agent) => self.make_new(index_of(agent)),
            Input::Stop(agent) => self.schedule.stop(index_of(agent)),
            Input::Pause(agent) => self.halt(index_of(agent)),
            Input::Resume(agent) => self.go_on(index_of(agent)),
            // A condition that waits for a key may hold now.
            Input::Written(agent) => self.schedule.wake(index_of(agent)),
            Input::SetVariant(agent, variant) => self.change_variant(index_of(agent), variant),
            Input::SetParameter(change) => self.change_parameter(change),
            Input::ClearFlags(agent) => self.forget_flags(index_of(agent)),
            Input::Instance(agent, bytes) => self.replace_instance(index_of(agent), &bytes),
            Input::Settings(settings) => self.take_settings(settings),
            Input::Pool(pool) => self.take_pool(pool),
            Input::StartAt(tick) => self.schedule.now = tick,
            Input::Number(number) => self.agents.number = number,
            Input::ResetCounters => self.totals = Totals::default(),
            Input::Restore(restored) => self.become_restored(restored),
            Input::Reload(reloaded) => self.become_reloaded(*reloaded),
            Input::Rewind(tick) => self.become_earlier(tick),
        }
    }
}

/// The index of an agent that was checked.
#[inline]
fn index_of(agent: AgentId) -> usize {
    agent.index() as usize
}

/// Events.
impl<B: Board, C: Context + ?Sized> Crowd<B, C> {
    #[inline(always)]
    fn deliver_later(&mut self, envelope: Envelope) {
        // Its turn comes soon: memory is slow, and there is other work meanwhile.
        self.agents.instances.fetch(index_of(envelope.to));
        self.mailbox.send(envelope);
    }

    fn deliver_to_all(&mut self, event: Event) {
        let Self {
            agents, mailbox, ..
        } = self;
        agents
            .ids()
            .for_each(|to| mailbox.send(Envelope { to, event }));
    }
}

/// Life.
impl<B: Board, C: Context + ?Sized> Crowd<B, C> {
    fn add(&mut self, board: B, variant: Option<VariantId>) {
        let index = self.agents.spawn(self.program.machine(), board, variant);
        self.schedule.wake(index);
    }

    fn remove(&mut self, agent: AgentId) {
        let index = index_of(agent);
        self.mailbox.doubt(self.agents.roster());
        self.agents.despawn(index);
        self.schedule.do_not_stop(index);
        self.schedule.put_to_sleep(index);
        self.owed.remove(index);
        self.tracing.note_despawn(agent);
        self.departures += 1;
    }

    fn make_new(&mut self, index: usize) {
        let rom = self.program.machine().rom();
        with_instances!(&mut self.agents.instances, list => kernel::reset(&rom, &mut list[index]));
        self.schedule.do_not_stop(index);
        self.schedule.wake(index);
        self.panics.forget(|other| other == index);
    }

    fn halt(&mut self, index: usize) {
        let (rom, now) = (self.program.machine().rom(), self.schedule.now as u32);
        with_instances!(&mut self.agents.instances, list => kernel::pause(&rom, &mut list[index], now));
        self.schedule.put_to_sleep(index);
    }

    fn go_on(&mut self, index: usize) {
        let (rom, now) = (self.program.machine().rom(), self.schedule.now as u32);
        with_instances!(&mut self.agents.instances, list => kernel::resume(&rom, &mut list[index], now));
        self.schedule.wake(index);
    }

    /// Conditions over parameters may hold now, so that the agent gets a turn.
    fn change_variant(&mut self, index: usize, variant: VariantId) {
        self.agents.set_variant(index, variant);
        self.schedule.wake(index);
    }

    /// It gets a turn: what it waits for may be there.
    fn replace_instance(&mut self, index: usize, bytes: &[u8]) {
        self.agents.instances.replace(index, bytes);
        self.panics.forget(|other| other == index);
        self.schedule.wake(index);
    }

    fn forget_flags(&mut self, index: usize) {
        with_instances!(&mut self.agents.instances, list => {
            let flags = &mut kernel::Instance::header_mut(&mut list[index]).flags;
            flags.set(flags.get() & !flag::STICKY);
        });
    }
}

/// The crowd as a whole.
impl<B: Board, C: Context + ?Sized> Crowd<B, C> {
    fn take_settings(&mut self, settings: TickSettings) {
        let before = std::mem::replace(&mut self.settings, settings);
        if before.sleeping != settings.sleeping {
            self.wake_by_state();
        }
    }

    fn take_pool(&mut self, pool: Arc<Pool>) {
        // The old pages belong to the old pool.
        self.last.clear();
        self.pages = PageSupply::shared(pool);
    }

    /// What was before stays as memory for the next restore.
    fn become_restored(&mut self, mut restored: Box<Restored<B>>) {
        std::mem::swap(&mut self.agents, &mut restored.agents);
        std::mem::swap(&mut self.schedule.stopping, &mut restored.stopping);
        (self.schedule.now, self.totals) = (restored.now, restored.totals);
        std::mem::swap(&mut self.parameters, &mut restored.parameters);
        self.mailbox.replace(restored.envelopes.drain(..));
        self.spare = Some(restored);
        self.departures += 1;
        self.last.forget();
        self.panics.clear();
        self.owed.clear();
        self.wake_by_state();
        self.restart_trace();
        self.forget_frames();
        self.look_at_everybody();
    }

    /// Finds out anew who is awake: that follows from the agents.
    pub(super) fn wake_by_state(&mut self) {
        let rom = self.program.machine().rom();
        let (sleeping, last) = (self.settings.sleeping, self.schedule.now.wrapping_sub(1));
        let Self {
            agents, schedule, ..
        } = self;
        with_instances!(&agents.instances, list => {
            let all = list.iter().zip(&agents.generations).enumerate();
            let there = all.filter(|(_, (_, generation))| *generation % 2 == 1);
            schedule.wake_by_state(there.map(|(index, (instance, _))| {
                (index, sleep_of(&rom, instance, last, sleeping))
            }));
        });
    }

    /// The same after time went back to when others were awake: some have become what they were.
    pub(super) fn wake_again(&mut self, some: &AgentSet, awake: &AgentSet) {
        if !self.settings.sleeping || !self.schedule.can_go_back() {
            return self.wake_by_state();
        }
        self.schedule.awake_again(awake);
        if !self.schedule.knows_deadlines() {
            return;
        }
        // Who slept then may have waited for a tick that it does not wait for now.
        let rom = self.program.machine().rom();
        let last = self.schedule.now.wrapping_sub(1) as u32;
        let Self {
            agents, schedule, ..
        } = self;
        with_instances!(&agents.instances, list => {
            for index in some.iter().map(|index| index as usize) {
                if agents.generations[index].is_multiple_of(2) {
                    schedule.put_to_sleep(index);
                } else if !awake.contains(index) {
                    schedule.settle(index, kernel::sleep_though_polling(&rom, &list[index], last));
                }
            }
        });
    }
}

/// Whether an agent sleeps, by its bytes. Whoever polls gets a turn: a blackboard may have been
/// written since the last one.
fn sleep_of<I: kernel::Instance>(rom: &Rom<'_>, instance: &I, last: u64, sleeping: bool) -> Sleep {
    if sleeping {
        kernel::sleep(rom, instance, last as u32)
    } else {
        Sleep::Awake
    }
}
