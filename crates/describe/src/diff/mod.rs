//! Two machines side by side: what became of everything, by stable id, and what a hot reload would
//! do with running agents (SYS-5, LOAD-1).
//!
//! Comes in: two descriptions. Goes out: a [`MachineDiff`], a plan with numbers of both machines, for
//! whoever maps agents from one to the other. [`Comparison`] is the same in words and as JSON. Things
//! are matched by stable id, then by name; a state or event that only has another name is renamed,
//! and what refers to it does not count as changed.
//!
//! `plan` makes the plan, `outlook` says which agents are not simply kept, `matching` pairs two lists, `fields` knows what can change of each kind,
//! `words` says it.

mod fields;
mod matching;
mod outlook;
mod plan;
mod words;

use statewright_rom::ids::*;

pub use fields::{
    BudgetField, ChannelField, EventField, FunctionField, HistoryField, KeyField, LaneField,
    MachineField, MachineTimerField, ObserverField, ParameterField, PolicyField, RegionField,
    ScratchField, StateField, TimerField, TransitionField, VariantField,
};
pub use outlook::{Future, Outlook};
pub use plan::diff;
pub use words::{Change, ChangeKind, Comparison, FieldChange, Reload};

use serde::Serialize;

/// How much a hot reload changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReloadKind {
    /// Nothing to do.
    Nothing,
    /// New behavior, same instance bytes.
    Parameters,
    /// Instances are mapped by stable id or reset.
    Structure,
}

/// How something was found again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchedBy {
    /// By its stable id: agents keep what they have of it.
    StableId,
    /// By its name. Of states, regions, timers, history points, scratch, transitions and events this
    /// is for people only: their stable ids differ, so agents do not keep what they have of it.
    Name,
}

/// Something that is in both machines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept<I, F> {
    /// Its number in the new machine.
    pub to: I,
    /// How it was found.
    pub by: MatchedBy,
    /// It has another number, or belongs to something else.
    pub moved: bool,
    /// What of it is different; nothing if it is the same.
    pub changed: Vec<F>,
}

/// What became of something of the old machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate<I, F> {
    /// The new machine does not have it.
    Gone,
    /// The new machine has it.
    Kept(Kept<I, F>),
}

impl<I: Copy, F> Fate<I, F> {
    /// What it is in the new machine.
    pub fn kept(&self) -> Option<&Kept<I, F>> {
        match self {
            Self::Gone => None,
            Self::Kept(kept) => Some(kept),
        }
    }

    /// Its number in the new machine, if its stable id is there: what a reload maps.
    pub fn by_stable_id(&self) -> Option<I> {
        let kept = self.kept()?;
        (kept.by == MatchedBy::StableId).then_some(kept.to)
    }
}

/// What became of everything of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping<I, F> {
    /// By number in the old machine.
    pub old: Vec<(I, Fate<I, F>)>,
    /// Numbers of what only the new machine has.
    pub new: Vec<I>,
}

impl<I, F> Default for Mapping<I, F> {
    fn default() -> Self {
        Self {
            old: Vec::new(),
            new: Vec::new(),
        }
    }
}

impl<I: Copy + PartialEq, F> Mapping<I, F> {
    /// What became of one.
    pub fn fate(&self, id: I) -> Option<&Fate<I, F>> {
        let found = self.old.iter().find(|(old, _)| *old == id);
        found.map(|(_, fate)| fate)
    }

    /// Those that the new machine does not have, by stable id.
    pub fn lost(&self) -> impl Iterator<Item = I> {
        let lost = self
            .old
            .iter()
            .filter(|(_, fate)| fate.by_stable_id().is_none());
        lost.map(|(id, _)| *id)
    }
}

/// What became of everything in a machine: the plan of a reload (LOAD-1). Of states, regions, timers,
/// history points, scratch, transitions and events the stable id decides; keys, parameters,
/// variants, channels, lanes and functions go by name. Symbols are texts of the ROM and need no mapping
/// once their numbers are hashes of them; until then whoever maps them goes by text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineDiff {
    /// The whole.
    pub kind: ReloadKind,
    /// The structure hash differs: instance bytes mean something else (ROM-5).
    pub structure_changed: bool,
    /// The parameter hash differs (ROM-5).
    pub parameters_changed: bool,
    /// The new file says that agents begin anew (LOAD-3).
    pub resets: bool,
    /// The new machine has another stable id: no agent is kept.
    pub is_another_machine: bool,
    /// Settings of the machine.
    pub machine: Vec<MachineField>,
    /// Policies.
    pub policies: Vec<PolicyField>,
    /// Budgets.
    pub budgets: Vec<BudgetField>,
    /// Events.
    pub events: Mapping<EventId, EventField>,
    /// Blackboard keys.
    pub keys: Mapping<KeyId, KeyField>,
    /// Parameters.
    pub parameters: Mapping<ParameterId, ParameterField>,
    /// Variants without the plain one, which is always there.
    pub variants: Mapping<VariantId, VariantField>,
    /// Channels.
    pub channels: Mapping<ChannelId, ChannelField>,
    /// Lanes of the machine's own.
    pub lanes: Mapping<LaneId, LaneField>,
    /// Timers of the machine, as they are declared.
    pub machine_timers: Mapping<TimerId, MachineTimerField>,
    /// Observers.
    pub observers: Mapping<ObserverId, ObserverField>,
    /// Functions.
    pub functions: Mapping<FunctionId, FunctionField>,
    /// States.
    pub states: Mapping<StateId, StateField>,
    /// Regions.
    pub regions: Mapping<RegionId, RegionField>,
    /// All timers: named ones, those of `after`, clocks and debounces.
    pub timers: Mapping<TimerId, TimerField>,
    /// History points.
    pub history: Mapping<HistoryId, HistoryField>,
    /// Scratch.
    pub scratch: Mapping<ScratchId, ScratchField>,
    /// Transitions: what latches and cooldowns refer to.
    pub transitions: Mapping<TransitionId, TransitionField>,
}
