//! What is recorded: a level, and which agents, states and events.

use std::fmt;

use statewright_rom::Rom;
use statewright_rom::ids::{EventId, FunctionId, KeyId, StateId, TransitionId};
use statewright_rom::layout::{EventRecord, PayloadKind, event_flag, transition_flag};

use crate::totals::Totals;

/// How much is recorded; each level has everything of the ones below (SYS-3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Level 1: events, transitions, leaves.
    #[default]
    Outline = 1,
    /// Level 2: entries, exits, timers as well.
    Steps = 2,
    /// Level 3: guards, activities and the reasons of rejected candidates as well.
    All = 3,
}

impl Level {
    /// The level with a number.
    pub fn new(number: u8) -> Option<Self> {
        [Self::Outline, Self::Steps, Self::All]
            .into_iter()
            .find(|level| *level as u8 == number)
    }
}

/// What to record; may be changed whenever no tick runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How much.
    pub level: Level,
    /// Places of the agents; `None` for all.
    pub agents: Option<Vec<u32>>,
    /// Of what has to do with a state only that of these and of the states inside them; empty for
    /// all.
    pub states: Vec<StateId>,
    /// Only these events and what they lead to; empty for all.
    pub events: Vec<EventId>,
    /// Agents that are recorded at a higher level than all others.
    pub closer: Option<(Level, Vec<u32>)>,
    /// Records of all other agents are only counted ([`Totals`]).
    pub totals: bool,
    /// Most records of one agent in one tick; what is past that is lost, and the loss is recorded.
    pub most_per_agent: u16,
}

impl Default for Settings {
    fn default() -> Self {
        Self::new(Level::Outline)
    }
}

impl Settings {
    /// Everything of a level.
    pub fn new(level: Level) -> Self {
        Self {
            level,
            agents: None,
            states: Vec::new(),
            events: Vec::new(),
            closer: None,
            totals: false,
            most_per_agent: 256,
        }
    }

    /// Only these agents.
    pub fn agents(self, places: impl IntoIterator<Item = impl Into<u32>>) -> Self {
        Self {
            agents: Some(places.into_iter().map(Into::into).collect()),
            ..self
        }
    }

    /// Only these states and those inside them.
    pub fn states(self, states: impl IntoIterator<Item = StateId>) -> Self {
        Self {
            states: states.into_iter().collect(),
            ..self
        }
    }

    /// Only these events and what they lead to.
    pub fn events(self, events: impl IntoIterator<Item = impl Into<EventId>>) -> Self {
        Self {
            events: events.into_iter().map(Into::into).collect(),
            ..self
        }
    }

    /// These agents at a higher level than all others. They are recorded even if
    /// [`agents`](Self::agents) does not have them.
    pub fn closer(self, level: Level, places: impl IntoIterator<Item = impl Into<u32>>) -> Self {
        Self {
            closer: Some((level, places.into_iter().map(Into::into).collect())),
            ..self
        }
    }

    /// Keeps no records but those of agents that are looked at [`closer`](Self::closer): all others
    /// are only counted, which takes hardly any memory.
    pub fn totals(self) -> Self {
        Self {
            totals: true,
            ..self
        }
    }

    /// At most so many records of one agent in one tick.
    pub fn most_per_agent(self, records: u16) -> Self {
        Self {
            most_per_agent: records,
            ..self
        }
    }
}

/// A state or an event that the machine does not have: the number is of another machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownNumber {
    /// A state.
    State(StateId),
    /// An event.
    Event(EventId),
}

impl fmt::Display for UnknownNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, number) = match self {
            Self::State(state) => ("state", state.raw()),
            Self::Event(event) => ("event", event.raw()),
        };
        write!(
            f,
            "the trace filter names {what} {number}, which the machine does not have: it is of another machine"
        )
    }
}

impl std::error::Error for UnknownNumber {}

/// One bit per number.
#[derive(Clone, Debug, Default)]
struct Bits(Vec<u64>);

impl FromIterator<usize> for Bits {
    fn from_iter<T: IntoIterator<Item = usize>>(numbers: T) -> Self {
        let mut bits = Self::default();
        numbers.into_iter().for_each(|number| bits.set(number));
        bits
    }
}

impl Bits {
    fn of(numbers: &[u32]) -> Self {
        numbers.iter().map(|&number| number as usize).collect()
    }

    fn set(&mut self, number: usize) {
        let word = number / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (number % 64);
    }

    #[inline]
    fn has(&self, number: usize) -> bool {
        self.0
            .get(number / 64)
            .is_some_and(|word| word >> (number % 64) & 1 != 0)
    }
}

/// Settings made ready for one machine.
#[derive(Clone, Debug)]
pub struct Filter {
    settings: Settings,
    agents: Option<Bits>,
    /// The same, with those who are looked at closer, ascending.
    chosen: Option<Box<[u32]>>,
    /// Agents with a level of their own.
    closer: Option<(Level, Bits)>,
    states: Option<Bits>,
    events: Option<Bits>,
    /// Types of the blackboard keys, of what value functions give and of what events carry.
    keys: Box<[PayloadKind]>,
    functions: Box<[PayloadKind]>,
    payloads: Box<[PayloadKind]>,
    /// Source of each transition.
    sources: Vec<u16>,
    /// Transitions that enter and leave nothing.
    staying: Bits,
    state_count: usize,
    /// Neither states nor events are chosen.
    whole: bool,
}

impl Filter {
    /// Makes settings ready for a machine.
    pub fn new(rom: &Rom<'_>, settings: Settings) -> Result<Self, UnknownNumber> {
        let mut states = Bits::default();
        for &state in &settings.states {
            let record = rom.state(state).ok_or(UnknownNumber::State(state))?;
            (state.index()..usize::from(record.subtree_end.get()))
                .for_each(|inside| states.set(inside));
        }
        let mut events = Bits::default();
        for &event in &settings.events {
            rom.event(event).ok_or(UnknownNumber::Event(event))?;
            events.set(event.index());
        }
        let agents = settings.agents.as_deref().map(Bits::of);
        let closer = settings
            .closer
            .as_ref()
            .map(|(level, places)| (*level, Bits::of(places)));
        Ok(Self {
            agents,
            chosen: chosen(&settings),
            closer,
            states: (!settings.states.is_empty()).then_some(states),
            events: (!settings.events.is_empty()).then_some(events),
            sources: rom
                .transitions()
                .iter()
                .map(|transition| transition.source.get())
                .collect(),
            staying: Bits::from_iter(rom.transitions().iter().enumerate().filter_map(
                |(number, transition)| {
                    (transition.flags.get() & transition_flag::INTERNAL != 0).then_some(number)
                },
            )),
            keys: rom
                .keys()
                .iter()
                .map(|key| PayloadKind::of_value(key.ty.get()))
                .collect(),
            functions: rom
                .linker()
                .iter()
                .map(|function| PayloadKind::of_value(function.ty.get()))
                .collect(),
            payloads: rom.events().iter().map(carried).collect(),
            state_count: rom.states().len(),
            whole: settings.states.is_empty() && settings.events.is_empty(),
            settings,
        })
    }

    /// What it was made from.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// How much is recorded of the agent at a place.
    #[inline]
    pub fn level_of(&self, place: u32) -> Level {
        match &self.closer {
            Some((level, places)) if places.has(place as usize) => self.settings.level.max(*level),
            _ => self.settings.level,
        }
    }

    /// How much is recorded of those of whom most is.
    pub fn highest_level(&self) -> Level {
        self.closer
            .as_ref()
            .map_or(self.settings.level, |(level, _)| {
                self.settings.level.max(*level)
            })
    }

    /// How many transitions the machine has.
    pub fn transitions(&self) -> usize {
        self.sources.len()
    }

    /// Totals of the machine that nothing was added to yet.
    pub(crate) fn empty_totals(&self) -> Totals {
        Totals {
            calls: vec![0; self.functions.len()],
            ..Totals::new(self.state_count, self.transitions())
        }
    }

    /// Whether a transition enters and leaves nothing.
    pub(crate) fn stays(&self, transition: u16) -> bool {
        self.staying.has(transition.into())
    }

    /// Are records of an agent kept, or only counted?
    pub(crate) fn keeps(&self, place: u32) -> bool {
        !self.settings.totals || self.is_closer(place)
    }

    fn is_closer(&self, place: u32) -> bool {
        self.closer
            .as_ref()
            .is_some_and(|(_, places)| places.has(place as usize))
    }

    /// Is an agent recorded?
    #[inline]
    pub fn has_agent(&self, place: u32) -> bool {
        self.agents
            .as_ref()
            .is_none_or(|agents| agents.has(place as usize) || self.is_closer(place))
    }

    /// Places of all agents that are recorded, ascending; `None` if everybody is.
    pub fn chosen(&self) -> Option<&[u32]> {
        self.chosen.as_deref()
    }

    /// Level 1, and neither states nor events are chosen: the cheapest trace.
    #[inline]
    pub(crate) fn is_plain(&self, level: Level) -> bool {
        self.whole && level == Level::Outline
    }

    /// The type of a blackboard key.
    pub(crate) fn key_kind(&self, key: KeyId) -> PayloadKind {
        let kind = self.keys.get(key.index()).copied();
        kind.unwrap_or(PayloadKind::Bytes)
    }

    /// The type of what a value function gives.
    pub(crate) fn function_kind(&self, function: FunctionId) -> PayloadKind {
        let kind = self.functions.get(function.index()).copied();
        kind.unwrap_or(PayloadKind::Bytes)
    }

    /// What an event carries.
    pub(crate) fn payload_kind(&self, event: EventId) -> PayloadKind {
        let kind = self.payloads.get(event.index()).copied();
        kind.unwrap_or(PayloadKind::Empty)
    }

    /// Whether events are chosen.
    pub(crate) fn chooses_events(&self) -> bool {
        self.events.is_some()
    }

    pub(crate) fn has_event(&self, event: EventId) -> bool {
        self.events
            .as_ref()
            .is_none_or(|events| events.has(event.index()))
    }

    pub(crate) fn has_state(&self, state: u16) -> bool {
        self.states
            .as_ref()
            .is_none_or(|states| states.has(usize::from(state)))
    }

    pub(crate) fn has_source_of(&self, transition: TransitionId) -> bool {
        self.sources
            .get(transition.index())
            .is_none_or(|&source| self.has_state(source))
    }
}

/// Places of those who are recorded, if not everybody is.
fn chosen(settings: &Settings) -> Option<Box<[u32]>> {
    let closer = settings.closer.iter().flat_map(|(_, places)| places);
    let mut all: Vec<u32> = settings
        .agents
        .as_ref()?
        .iter()
        .chain(closer)
        .copied()
        .collect();
    all.sort_unstable();
    all.dedup();
    Some(all.into())
}

/// What an event carries: its payload, or an index of it (EVT-6).
fn carried(event: &EventRecord) -> PayloadKind {
    if event.flags & event_flag::INDIRECT != 0 {
        PayloadKind::U32
    } else {
        event.payload.get()
    }
}
