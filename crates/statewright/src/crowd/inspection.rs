//! Everything that an agent is, by name: [`Crowd::inspect`].

use std::fmt;

use statewright_kernel::{self as kernel, Class, Event, Instance, Status, event_flag, flag};
use statewright_rom::Rom;
use statewright_rom::ids::*;
use statewright_rom::layout::{PayloadKind, transition_flag};
use statewright_symbols::SymbolKind;

use super::instances::with_instances;
use super::{Crowd, Input, Missing};
use crate::agent_id::AgentId;
use crate::any_value::AnyValue;
use crate::board::Board;
use crate::context::Context;
use crate::machine::Machine;

/// Everything that an agent is between two ticks, by name. `Display` writes it in lines.
#[derive(Clone, Debug, PartialEq)]
pub struct Inspection {
    /// The agent.
    pub agent: AgentId,
    /// Name of its machine.
    pub machine: String,
    /// The tick that comes.
    pub tick: u64,
    /// Paths of its active states, outer ones before inner ones.
    pub active: Vec<String>,
    /// Paths of its active leaves.
    pub leaves: Vec<String>,
    /// Paths of leaves that a push suspended, bottom frame first.
    pub suspended: Vec<String>,
    /// Events in its queue, in the order of arrival.
    pub queue: Vec<QueuedEvent>,
    /// Timers that will fire.
    pub timers: Vec<RunningTimer>,
    /// Active states with a clock, and ticks since they were entered.
    pub clocks: Vec<(String, u32)>,
    /// Transitions that have to wait, and how many ticks.
    pub cooldowns: Vec<(String, u32)>,
    /// Transitions whose condition has to last, and how many ticks yet.
    pub debounces: Vec<(String, u32)>,
    /// Transitions that wait for their state to be ready, and the state.
    pub latched: Vec<(String, String)>,
    /// Results of activities that nothing has taken yet.
    pub results: Vec<(String, Status)>,
    /// History points that remember something, and what.
    pub history: Vec<(String, Vec<String>)>,
    /// Scratch of active and suspended states: owner, name, words.
    pub scratch: Vec<(String, String, Vec<u16>)>,
    /// Channels that its active states own.
    pub channels: Vec<String>,
    /// Keys of its blackboard that the machine declares, and their values.
    pub blackboard: Vec<(String, AnyValue)>,
    /// The variant of its parameters; empty for the plain one.
    pub variant: String,
    /// What the kernel marked it with.
    pub flags: Vec<&'static str>,
    /// Why it is quarantined, if a panic of user code ended it: function, state and message.
    pub panicked: Option<String>,
    /// Raised by reset and reload (EVT-7).
    pub generation: u16,
    /// State of its random numbers (CODE-6).
    pub rng: u32,
    /// How many of them it drew since it is traced at level 3 ([`Crowd::draws`]); `None` if it is not.
    pub draws: Option<u64>,
    /// Clamped ticks in a row (TICK-4).
    pub clamped_ticks: u8,
    /// Frames in use, of all stacks (EXEC-8).
    pub stack_depth: u8,
}

/// An event in the queue of an agent.
#[derive(Clone, Debug, PartialEq)]
pub struct QueuedEvent {
    /// Its name.
    pub event: String,
    /// How urgent it is.
    pub class: Class,
    /// What it carries.
    pub payload: AnyValue,
    /// It waits until its agent is elsewhere (EVT-5).
    pub deferred: bool,
    /// It is internal (EVT-10).
    pub internal: bool,
    /// The tick in which it came.
    pub since: u32,
}

/// A timer of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunningTimer {
    /// Its name, or what it is for.
    pub timer: String,
    /// The state that it belongs to.
    pub owner: String,
    /// Ticks until it fires: 0 in the tick that comes.
    pub ticks_left: u32,
}

/// Seeing everything.
impl<B: Board, C: Context + ?Sized> Crowd<B, C> {
    /// Everything that an agent is, by name: for debuggers, tests and error reports. Not for every
    /// frame: it makes texts.
    ///
    /// ```
    /// use statewright::prelude::*;
    ///
    /// let machine = Machine::from_text("lamp", r#"{ "machine": "Lamp", "tick_rate": 10,
    ///   "events": ["Press"], "initial": "off", "states": {
    ///     "off": { "transitions": [{ "on": "Press", "to": "on" }] },
    ///     "on": { "transitions": [{ "after": "3s", "to": "off" }] } } }"#)?;
    /// let mut lamps = Crowd::new(machine.bind(Functions::<(), ()>::new())?, 1);
    /// let lamp = lamps.spawn(());
    /// lamps.tick(&());
    /// lamps.send(lamp, machine.event("Press")?, ())?;
    /// lamps.tick(&());
    ///
    /// let seen = lamps.inspect(lamp)?;
    /// assert_eq!(seen.leaves, ["on"]);
    /// assert_eq!(seen.timers[0].ticks_left, 29);
    /// println!("{seen}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn inspect(&self, agent: AgentId) -> Result<Inspection, Missing> {
        let (index, machine) = (self.agents.index(agent)?, self.machine());
        let rom = machine.rom();
        let seer = Seer {
            machine,
            rom: &rom,
            now: self.schedule.now as u32,
        };
        let mut seen =
            with_instances!(&self.agents.instances, list => seer.see(agent, &list[index]));
        seen.tick = self.schedule.now;
        seen.variant = seer.variant(self.agents.variant(index));
        seen.draws = self.draws(agent);
        seen.panicked = self.panics.of(agent).map(ToString::to_string);
        let board = &self.agents.boards[index];
        seen.blackboard = seer.keys(|key| board.read(self.program.table.field(key)));
        Ok(seen)
    }

    /// All agents with their blackboards, by index.
    pub fn iter(&self) -> impl Iterator<Item = (AgentId, &B)> {
        let agents = &self.agents;
        agents
            .ids()
            .map(|agent| (agent, &agents.boards[agent.index() as usize]))
    }

    /// Changes the blackboards of all agents, by index: what [`Self::edit_board`] does for each.
    /// All agents are awake afterwards.
    pub fn edit_boards(&mut self, mut edit: impl FnMut(AgentId, &mut B)) {
        for index in 0..self.agents.slots() as u32 {
            if let Some(agent) = self.agent_at(index) {
                self.keep_agent(index as usize);
                edit(agent, &mut self.agents.boards[index as usize]);
                self.enter(Input::Written(agent));
            }
        }
    }
}

/// Reads instances of a machine.
pub(super) struct Seer<'s> {
    pub(super) machine: &'s Machine,
    pub(super) rom: &'s Rom<'s>,
    /// The tick that comes.
    pub(super) now: u32,
}

impl Seer<'_> {
    /// Keys with what they hold.
    pub(super) fn keys(&self, read: impl Fn(KeyId) -> [u32; 3]) -> Vec<(String, AnyValue)> {
        let keys = self.rom.keys().iter().enumerate();
        let seen = keys.filter_map(|(number, key)| {
            let [x, y, z] = read(KeyId::from_index(number)?);
            let kind = PayloadKind::of_value(key.ty.get());
            let value = AnyValue::new(self.machine, kind, [x, y, z, 0]);
            Some((self.name(SymbolKind::Key, number), value))
        });
        seen.collect()
    }

    /// The name of a variant; none for the plain one.
    pub(super) fn variant(&self, variant: VariantId) -> String {
        let symbols = self.machine.symbols();
        let name = symbols.name(SymbolKind::Variant, variant.index());
        name.unwrap_or_default().to_owned()
    }

    pub(super) fn see<I: Instance>(&self, agent: AgentId, instance: &I) -> Inspection {
        let (rom, header) = (self.rom, instance.header());
        let mut leaves: Vec<StateId> = kernel::active_leaves(instance).collect();
        leaves.sort_unstable();
        let mut active: Vec<StateId> = leaves.iter().flat_map(|&leaf| rom.path_up(leaf)).collect();
        active.sort_unstable();
        active.dedup();
        let suspended: Vec<StateId> = kernel::suspended_leaves(rom, instance).collect();
        let mut alive: Vec<StateId> = suspended
            .iter()
            .flat_map(|&leaf| rom.path_up(leaf))
            .collect();
        alive.extend(&active);
        alive.sort_unstable();
        alive.dedup();
        let names = |states: &[StateId]| states.iter().map(|&state| self.state(state)).collect();
        Inspection {
            agent,
            machine: self.machine.name().to_owned(),
            tick: 0,
            active: names(&active),
            leaves: names(&leaves),
            suspended: names(&suspended),
            queue: kernel::queued_events(instance)
                .iter()
                .map(|event| self.queued(event))
                .collect(),
            timers: self.timers(instance),
            clocks: self.clocks(instance, &active),
            cooldowns: self.waits(
                |transition| {
                    let ready = kernel::ready_tick(rom, instance, transition);
                    // A list of events has one cooldown (LANG-1).
                    ready.filter(|_| !self.is_listed(transition))
                },
                instance,
            ),
            debounces: self.waits(
                |transition| self.debounce(instance, transition, &active),
                instance,
            ),
            latched: self.latched(instance, &alive),
            results: self.results(instance, &alive),
            history: self.history(instance),
            scratch: self.scratch(instance, &alive),
            channels: self.channels(instance),
            blackboard: Vec::new(),
            variant: String::new(),
            flags: flag::TABLE
                .iter()
                .filter(|(bit, _)| header.has(*bit))
                .map(|(_, word)| *word)
                .collect(),
            panicked: None,
            generation: header.generation.get(),
            rng: header.rng.get(),
            draws: None,
            clamped_ticks: header.clamped,
            stack_depth: header.stack_depth,
        }
    }

    /// Of something with a number; the number if it has no name.
    fn name(&self, kind: SymbolKind, number: usize) -> String {
        let name = self.machine.symbols().name(kind, number);
        match name.filter(|name| !name.is_empty()) {
            Some(name) => name.to_owned(),
            None => format!("{} {number}", kind.word()),
        }
    }

    fn state(&self, state: StateId) -> String {
        self.name(SymbolKind::State, state.index())
    }

    /// A transition by its name, or by where it goes.
    fn transition(&self, transition: TransitionId) -> String {
        let name = self.machine.symbols().of(transition);
        if let Some(name) = name.filter(|name| !name.is_empty()) {
            return name.to_owned();
        }
        let source = self.rom.transitions().get(transition.index());
        let source = source.and_then(|record| StateId::read(record.source));
        let source = source.map_or_else(String::new, |state| self.state(state));
        format!("transition {transition} of {source}")
    }

    fn queued(&self, event: &Event) -> QueuedEvent {
        let id = event.id();
        let record = id.and_then(|id| self.rom.event(id));
        let kind = record.map_or(PayloadKind::Empty, |record| record.carries());
        let words = event.payload.map(|word| word.get());
        QueuedEvent {
            event: id.map_or_else(String::new, |id| self.name(SymbolKind::Event, id.index())),
            class: event.class(),
            payload: AnyValue::new(self.machine, kind, words),
            deferred: event.flags & event_flag::DEFERRED != 0,
            internal: event.flags & event_flag::INTERNAL != 0,
            since: event.stamp.get(),
        }
    }

    /// Ticks from the one that comes to a deadline; of a paused agent times are distances already
    /// (SYS-9).
    fn left<I: Instance>(&self, instance: &I, deadline: u32) -> u32 {
        let left = if instance.header().has(flag::PAUSED) {
            0_u32.wrapping_sub(deadline)
        } else {
            deadline.wrapping_sub(self.now)
        };
        // Deadlines that have passed are due.
        if left >> 31 == 1 { 0 } else { left }
    }

    fn timers<I: Instance>(&self, instance: &I) -> Vec<RunningTimer> {
        let timer = |wait: kernel::Wait| {
            let record = self.rom.timers().get(wait.timer.index());
            let owner = record.and_then(|record| StateId::read(record.owner));
            RunningTimer {
                timer: self.name(SymbolKind::Timer, wait.timer.index()),
                owner: owner.map_or_else(String::new, |owner| self.state(owner)),
                ticks_left: self.left(instance, wait.deadline),
            }
        };
        kernel::running_timers(self.rom, instance)
            .map(timer)
            .collect()
    }

    fn clocks<I: Instance>(&self, instance: &I, active: &[StateId]) -> Vec<(String, u32)> {
        let clock = |&state: &StateId| {
            let ticks = kernel::ticks_in_state(self.rom, instance, state, self.now)?;
            Some((self.state(state), ticks))
        };
        active.iter().filter_map(clock).collect()
    }

    /// Transitions that wait until some tick which has not come yet.
    fn waits<I: Instance>(
        &self,
        until: impl Fn(TransitionId) -> Option<u32>,
        instance: &I,
    ) -> Vec<(String, u32)> {
        let transitions = 0..self.rom.transitions().len();
        let wait = |number: usize| {
            let transition = TransitionId::from_index(number)?;
            let left = self.left(instance, until(transition)?);
            (left > 0).then(|| (self.transition(transition), left))
        };
        transitions.filter_map(wait).collect()
    }

    /// Whether a transition was written in one list of events with the one before it.
    fn is_listed(&self, transition: TransitionId) -> bool {
        let record = self.rom.transitions().get(transition.index());
        record.is_some_and(|record| record.flags.get() & transition_flag::LISTED != 0)
    }

    /// A debounce counts only while the source is active: its timer may be another's otherwise.
    fn debounce<I: Instance>(
        &self,
        instance: &I,
        transition: TransitionId,
        active: &[StateId],
    ) -> Option<u32> {
        let source = self.rom.transitions().get(transition.index())?.source;
        let is_active = active.contains(&StateId::read(source)?);
        is_active.then(|| kernel::debounce_deadline(self.rom, instance, transition))?
    }

    fn latched<I: Instance>(&self, instance: &I, alive: &[StateId]) -> Vec<(String, String)> {
        let latched = |&state: &StateId| {
            let transition = kernel::latched_transition(self.rom, instance, state)?;
            Some((self.transition(transition), self.state(state)))
        };
        alive.iter().filter_map(latched).collect()
    }

    fn results<I: Instance>(&self, instance: &I, alive: &[StateId]) -> Vec<(String, Status)> {
        let result = |&state: &StateId| {
            let result = kernel::activity_result(self.rom, instance, state);
            (result != Status::Running).then(|| (self.state(state), result))
        };
        alive.iter().filter_map(result).collect()
    }

    fn history<I: Instance>(&self, instance: &I) -> Vec<(String, Vec<String>)> {
        let points = (0..self.rom.history().len()).filter_map(HistoryId::from_index);
        let point = |point: HistoryId| {
            let states = kernel::remembered(self.rom, instance, point);
            let states: Vec<String> = states.map(|state| self.state(state)).collect();
            (!states.is_empty()).then(|| (self.name(SymbolKind::History, point.index()), states))
        };
        points.filter_map(point).collect()
    }

    fn scratch<I: Instance>(
        &self,
        instance: &I,
        alive: &[StateId],
    ) -> Vec<(String, String, Vec<u16>)> {
        let all = self.rom.scratch().iter().enumerate();
        let scratch = |(number, record): (usize, &statewright_rom::layout::ScratchRecord)| {
            let owner = StateId::read(record.owner).filter(|owner| alive.contains(owner))?;
            let words = kernel::scratch_words(self.rom, instance, ScratchId::from_index(number)?);
            Some((
                self.state(owner),
                self.name(SymbolKind::Scratch, number),
                words.collect(),
            ))
        };
        all.filter_map(scratch).collect()
    }

    fn channels<I: Instance>(&self, instance: &I) -> Vec<String> {
        let held = kernel::held_channels(self.rom, instance);
        let channels = crate::slices::channels(self.machine, held);
        channels
            .map(|channel| self.name(SymbolKind::Channel, channel.id().index()))
            .collect()
    }
}

impl fmt::Display for Inspection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} of `{}` before tick {}",
            self.agent, self.machine, self.tick
        )?;
        let mut line = |what: &str, items: Vec<String>| {
            if items.is_empty() {
                return Ok(());
            }
            writeln!(f, "  {what:<11} {}", items.join("; "))
        };
        line("active", vec![self.active.join(", ")])?;
        line("suspended", self.suspended.clone())?;
        line(
            "flags",
            self.flags.iter().map(ToString::to_string).collect(),
        )?;
        line("panicked", self.panicked.iter().cloned().collect())?;
        line(
            "queue",
            self.queue.iter().map(ToString::to_string).collect(),
        )?;
        let timers = self.timers.iter();
        line(
            "timers",
            timers
                .map(|one| format!("{} in {}t", one.timer, one.ticks_left))
                .collect(),
        )?;
        let in_ticks = |(name, ticks): &(String, u32)| format!("{name} {ticks}t");
        line("clocks", self.clocks.iter().map(in_ticks).collect())?;
        line("cooldowns", self.cooldowns.iter().map(in_ticks).collect())?;
        line("debounces", self.debounces.iter().map(in_ticks).collect())?;
        let latched = self.latched.iter();
        line(
            "latched",
            latched
                .map(|(what, state)| format!("{what} in {state}"))
                .collect(),
        )?;
        let results = self.results.iter();
        line(
            "results",
            results
                .map(|(state, result)| format!("{state} {result:?}"))
                .collect(),
        )?;
        let history = self.history.iter();
        line(
            "history",
            history
                .map(|(point, states)| format!("{point}: {}", states.join(", ")))
                .collect(),
        )?;
        let scratch = self.scratch.iter();
        line(
            "scratch",
            scratch
                .map(|(_, name, words)| format!("{name} {words:?}"))
                .collect(),
        )?;
        line("channels", self.channels.clone())?;
        let keys = self.blackboard.iter();
        line(
            "blackboard",
            keys.map(|(key, value)| format!("{key} = {value}"))
                .collect(),
        )?;
        line(
            "variant",
            Some(&self.variant)
                .filter(|name| !name.is_empty())
                .into_iter()
                .cloned()
                .collect(),
        )?;
        writeln!(
            f,
            "  generation {}, rng {:08x}, {} clamped ticks, stack depth {}",
            self.generation, self.rng, self.clamped_ticks, self.stack_depth
        )
    }
}

impl fmt::Display for QueuedEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.event)?;
        if self.payload != AnyValue::Nothing {
            write!(f, "({})", self.payload)?;
        }
        if self.deferred {
            f.write_str(", deferred")?;
        }
        if self.internal {
            f.write_str(", internal")?;
        }
        Ok(())
    }
}
