//! The view of a loaded ROM: one borrowed slice per table and the questions that a kernel asks
//! (ROM-1, ROM-2).
//!
//! Comes from [`Rom::from_bytes`]; copies nothing. Every answer is a slice or an option: no
//! accessor panics, whatever number it is given (`tests/damage.rs` calls all of them over damaged
//! ROMs).

use zerocopy::byteorder::little_endian::U16;
use zerocopy::{FromBytes, IntoBytes};

use crate::ids::*;
use crate::layout::*;
use crate::symbol::{find_symbol, is_symbol};
use crate::validate;

macro_rules! define_rom {
    ($($number:literal $name:ident $field:ident $record:ident $origin:ident,)+) => {
        /// A compiled machine, read in place.
        #[derive(Clone, Copy)]
        pub struct Rom<'a> {
            bytes: &'a [u8],
            header: &'a Header,
            /// What the host asks for besides (EVT-3).
            quarantines_overflow: bool,
            /// Those of the header: asked for every event, and beside the tables it stays in a
            /// register.
            columns: usize,
            $($field: &'a [$record],)+
        }

        impl<'a> Rom<'a> {
            /// A view without any table; [`Rom::put`] adds them.
            pub(crate) fn empty(bytes: &'a [u8], header: &'a Header) -> Self {
                let columns = usize::from(header.columns.get());
                Self { bytes, header, quarantines_overflow: false, columns, $($field: &[],)+ }
            }

            /// Sets the table of a section; `None` if the bytes are no whole number of records.
            pub(crate) fn put(&mut self, section: Section, bytes: &'a [u8]) -> Option<()> {
                match section {
                    $(Section::$name => self.$field = FromBytes::ref_from_bytes(bytes).ok()?,)+
                }
                Some(())
            }

            /// The view of bytes whose tables were found before. One that does not lie inside is
            /// empty: the bytes are others then.
            #[cfg(feature = "alloc")]
            #[inline]
            pub(crate) fn at(bytes: &'a [u8], header: &'a Header, places: &Places) -> Self {
                let columns = usize::from(header.columns.get());
                Self {
                    bytes,
                    header,
                    quarantines_overflow: false,
                    columns,
                    $($field: match places.$field {
                        // Most machines need half of the tables.
                        Place { count: 0, .. } => &[],
                        Place { start, count } => {
                            let records = bytes.get(start as usize..).unwrap_or(&[]);
                            let records = <[$record]>::ref_from_prefix_with_elems(records, count as usize);
                            records.map_or(&[], |(records, _)| records)
                        }
                    },)+
                }
            }

            /// How many records a section has.
            pub fn count(&self, section: Section) -> usize {
                match section {
                    $(Section::$name => self.$field.len(),)+
                }
            }

            $(
                #[doc = concat!("All records of [`Section::", stringify!($name), "`].")]
                #[inline]
                pub const fn $field(&self) -> &'a [$record] {
                    self.$field
                }
            )+
        }

        /// Where the tables of a ROM lie in its bytes, as its directory says.
        #[cfg(feature = "alloc")]
        #[derive(Clone, PartialEq, Eq, Default)]
        pub(crate) struct Places {
            $($field: Place,)+
        }

        #[cfg(feature = "alloc")]
        impl Places {
            /// Sets that of a section.
            pub(crate) fn put(&mut self, section: Section, place: Place) {
                match section {
                    $(Section::$name => self.$field = place,)+
                }
            }
        }
    };
}
crate::for_each_section!(define_rom);

/// Where a table lies.
#[cfg(feature = "alloc")]
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Place {
    /// First byte.
    pub(crate) start: u32,
    /// Records.
    pub(crate) count: u32,
}

impl core::fmt::Debug for Rom<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Rom")
            .field("length", &self.bytes.len())
            .field("header", self.header)
            .finish_non_exhaustive()
    }
}

/// A run of a table; empty if it does not lie inside.
#[inline]
pub(crate) fn run<T>(table: &[T], first: usize, count: usize) -> &[T] {
    first
        .checked_add(count)
        .and_then(|end| table.get(first..end))
        .unwrap_or(&[])
}

/// The ids of consecutive records.
#[inline]
fn ids<T>(first: usize, count: usize, id: fn(usize) -> Option<T>) -> impl Iterator<Item = T> + Clone
where
    T: Clone,
{
    (first..first.saturating_add(count)).map_while(id)
}

/// What a target set names (EXEC-3, EXEC-4, EXEC-7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A state.
    State(StateId),
    /// A history point.
    History(HistoryId),
    /// A choice state.
    Choice(StateId),
}

impl Target {
    /// The meaning of a record; `None` if it names nothing.
    #[inline]
    pub fn read(record: &TargetRecord) -> Option<Self> {
        match record.kind.get() {
            TargetKind::State => StateId::read(record.index).map(Self::State),
            TargetKind::History => HistoryId::read(record.index).map(Self::History),
            TargetKind::Choice => StateId::read(record.index).map(Self::Choice),
        }
    }
}

/// Who may react (SEL-2, EVT-5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// A transition.
    Transition(TransitionId),
    /// A state that defers the event.
    Deferral(StateId),
}

impl Reaction {
    /// The meaning of a record; `None` if it names nothing.
    #[inline]
    pub fn read(record: &Candidate) -> Option<Self> {
        match record.kind.get() {
            CandidateKind::Transition => TransitionId::read(record.index).map(Self::Transition),
            CandidateKind::Deferral => StateId::read(record.index).map(Self::Deferral),
        }
    }
}

/// The two halves of a candidate list (SEL-2).
#[derive(Clone, Copy, Debug, Default)]
pub struct Candidates<'a> {
    /// Interrupt transitions, root to leaf.
    pub interrupts: &'a [Candidate],
    /// Other transitions and deferrals, leaf to root.
    pub others: &'a [Candidate],
}

/// The whole.
impl<'a> Rom<'a> {
    /// The bytes it was read from.
    pub const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The header.
    #[inline]
    pub const fn header(&self) -> &'a Header {
        self.header
    }

    /// Hash of everything instance bytes refer to (ROM-5).
    #[inline]
    pub fn structure_hash(&self) -> u64 {
        self.header.head.structure_hash.get()
    }

    /// Hash of everything else that changes behavior (ROM-5).
    pub fn parameter_hash(&self) -> u64 {
        self.header.head.parameter_hash.get()
    }

    /// What an instance of this machine carries in its first four bytes (RAM-3).
    #[inline]
    pub fn machine_id(&self) -> u32 {
        self.structure_hash() as u32
    }

    /// The machine's tier (RAM-2).
    #[inline]
    pub fn tier(&self) -> Tier {
        self.header.tier.get()
    }

    /// Capacities of the machine's tier (RAM-2).
    #[inline]
    pub fn capacity(&self) -> &'static TierCapacity {
        self.tier().capacity()
    }

    /// Does the machine use all of these [`feature`] bits?
    #[inline]
    pub fn has(&self, features: u32) -> bool {
        self.header.features.get() & features == features
    }

    /// Target set of the fail-safe (TICK-4); `None` = the root's initial.
    pub fn fail_safe(&self) -> Option<TargetSetId> {
        TargetSetId::read(self.header.fail_safe)
    }

    /// Target set of the reload entry (SYS-5); `None` = the root's initial.
    pub fn reload_entry(&self) -> Option<TargetSetId> {
        TargetSetId::read(self.header.reload_entry)
    }
}

/// The tree.
impl<'a> Rom<'a> {
    /// A state.
    #[inline]
    pub fn state(&self, id: StateId) -> Option<&'a StateRecord> {
        self.states.get(id.index())
    }

    /// Ids of all states, in pre-order.
    pub fn state_ids(&self) -> impl Iterator<Item = StateId> + Clone + use<> {
        ids(0, self.states.len(), StateId::from_index)
    }

    /// The state around a state; `None` for the root.
    #[inline]
    pub fn parent(&self, id: StateId) -> Option<StateId> {
        StateId::read(self.state(id)?.parent)
    }

    /// The state, the state around it, and so on up to the root. At most [`MAX_DEPTH`] of them.
    #[inline]
    pub fn path_up(&self, id: StateId) -> impl Iterator<Item = StateId> + Clone + use<'a> {
        let states = self.states;
        let parent = move |at: &StateId| StateId::read(states.get(at.index())?.parent);
        core::iter::successors(self.state(id).map(|_| id), parent).take(MAX_DEPTH)
    }

    /// Is `outer` the same state as `inner` or around it?
    #[inline]
    pub fn is_ancestor_or_self(&self, outer: StateId, inner: StateId) -> bool {
        self.state(outer)
            .is_some_and(|state| outer <= inner && inner.raw() < state.subtree_end.get())
    }

    /// Does `inner` lie strictly inside `outer`?
    #[inline]
    pub fn is_inside(&self, inner: StateId, outer: StateId) -> bool {
        inner != outer && self.is_ancestor_or_self(outer, inner)
    }

    /// What only some states have.
    #[inline]
    pub fn state_extra(&self, id: StateId) -> Option<&'a StateExtra> {
        self.state_extras
            .get(StateExtraId::read(self.state(id)?.extra)?.index())
    }

    /// The event that a state raises when it completes (EVT-10).
    #[inline]
    pub fn done_event(&self, id: StateId) -> Option<EventId> {
        EventId::read(self.state_extra(id)?.done_event)
    }

    /// A region.
    #[inline]
    pub fn region(&self, id: RegionId) -> Option<&'a RegionRecord> {
        self.regions.get(id.index())
    }

    /// Regions of a state.
    #[inline]
    pub fn regions_of(&self, id: StateId) -> &'a [RegionRecord] {
        self.state(id).map_or(&[], |s| {
            run(
                self.regions,
                usize::from(s.first_region.get()),
                usize::from(s.region_count),
            )
        })
    }

    /// Ids of the regions of a state.
    #[inline]
    pub fn region_ids_of(&self, id: StateId) -> impl Iterator<Item = RegionId> + Clone + use<> {
        let (first, count) = self.state(id).map_or((0, 0), |s| {
            (
                usize::from(s.first_region.get()),
                usize::from(s.region_count),
            )
        });
        ids(first, count, RegionId::from_index)
    }

    /// First state of a region, and one past its last descendant.
    #[inline]
    pub fn region_span(&self, id: RegionId) -> Option<(u16, u16)> {
        let region = self.region(id)?;
        let next = id
            .index()
            .checked_add(1)
            .and_then(|next| self.regions.get(next));
        let end = match next {
            Some(next) if next.owner == region.owner => next.first_child,
            _ => self.state(StateId::read(region.owner)?)?.subtree_end,
        };
        Some((region.first_child.get(), end.get()))
    }

    /// Children of a region, in order.
    pub fn children(&self, id: RegionId) -> impl Iterator<Item = StateId> + Clone + use<'a> {
        let (first, end) = self.region_span(id).unwrap_or((0, 0));
        let states = self.states;
        let inside = move |raw: u16| if raw < end { StateId::new(raw) } else { None };
        core::iter::successors(inside(first), move |&child| {
            let next = states.get(child.index())?.subtree_end.get();
            if next > child.raw() {
                inside(next)
            } else {
                None
            }
        })
    }

    /// Where default entry of a region goes.
    #[inline]
    pub fn initial_of(&self, id: RegionId) -> Option<&'a InitialRecord> {
        self.initials
            .get(InitialId::read(self.region(id)?.initial)?.index())
    }

    /// The frames that a push may save in a region.
    pub fn stack_of(&self, id: RegionId) -> Option<&'a StackRecord> {
        self.stack(StackId::new(self.region(id)?.stack)?)
    }

    /// A record of the stacks table.
    pub fn stack(&self, id: StackId) -> Option<&'a StackRecord> {
        self.stacks.get(id.index())
    }

    /// Leaf numbers used in a state and below it, one bit each (RAM-4).
    pub fn leaf_mask(&self, id: StateId) -> u32 {
        let Some(state) = self.state(id) else {
            return 0;
        };
        bit(state.leaf) | self.leaf_mask_of_owners(id.raw(), state.subtree_end.get())
    }

    /// Leaf numbers used in a region, one bit each.
    pub fn region_leaf_mask(&self, id: RegionId) -> u32 {
        let (Some(region), Some((first, end))) = (self.region(id), self.region_span(id)) else {
            return 0;
        };
        bit(region.leaf) | self.leaf_mask_of_owners(first, end)
    }

    /// Leaf numbers of all regions whose owners lie in a range of states.
    fn leaf_mask_of_owners(&self, first: u16, end: u16) -> u32 {
        let start = self
            .regions
            .partition_point(|region| region.owner.get() < first);
        let inside = self
            .regions
            .get(start..)
            .unwrap_or(&[])
            .iter()
            .take_while(|region| region.owner.get() < end);
        inside.fold(0, |mask, region| mask | bit(region.leaf))
    }

    /// History points of a state.
    #[inline]
    pub fn history_of(&self, id: StateId) -> &'a [HistoryRecord] {
        self.state_extra(id).map_or(&[], |extra| {
            run(
                self.history,
                usize::from(extra.first_history.get()),
                usize::from(extra.history_count),
            )
        })
    }

    /// A history point.
    pub fn history_point(&self, id: HistoryId) -> Option<&'a HistoryRecord> {
        self.history.get(id.index())
    }

    /// Events that a state keeps for later.
    pub fn deferrals_of(&self, id: StateId) -> &'a [DeferralRecord] {
        self.state_extra(id).map_or(&[], |extra| {
            run(
                self.deferrals,
                usize::from(extra.first_deferral.get()),
                usize::from(extra.deferral_count.get()),
            )
        })
    }

    /// Timers of a state.
    #[inline]
    pub fn timers_of(&self, id: StateId) -> &'a [TimerRecord] {
        self.state(id).map_or(&[], |state| self.timers_in(state))
    }

    /// Timers of a state by its record.
    #[inline]
    pub fn timers_in(&self, state: &StateRecord) -> &'a [TimerRecord] {
        run(
            self.timers,
            usize::from(state.first_timer.get()),
            usize::from(state.timer_count),
        )
    }

    /// A timer.
    #[inline]
    pub fn timer(&self, id: TimerId) -> Option<&'a TimerRecord> {
        self.timers.get(id.index())
    }
}

/// One bit; none for a number past the word.
#[inline]
pub(crate) fn bit(number: u8) -> u32 {
    1_u32.checked_shl(u32::from(number)).unwrap_or(0)
}

/// Transitions, targets and choices.
impl<'a> Rom<'a> {
    /// A transition.
    #[inline]
    pub fn transition(&self, id: TransitionId) -> Option<&'a TransitionRecord> {
        self.transitions.get(id.index())
    }

    /// Transitions of a state, in selection order. A choice has none.
    pub fn transitions_of(&self, id: StateId) -> &'a [TransitionRecord] {
        match self.state(id) {
            Some(state) if state.kind != StateKind::Choice => self.run_of(self.transitions, state),
            _ => &[],
        }
    }

    /// Branches of a choice. Other states have none.
    pub fn branches_of(&self, id: StateId) -> &'a [BranchRecord] {
        match self.state(id) {
            Some(state) if state.kind == StateKind::Choice => self.run_of(self.branches, state),
            _ => &[],
        }
    }

    fn run_of<T>(&self, table: &'a [T], state: &StateRecord) -> &'a [T] {
        run(
            table,
            usize::from(state.first_transition.get()),
            usize::from(state.transition_count.get()),
        )
    }

    /// What only some transitions have.
    #[inline]
    pub fn transition_extra(&self, id: TransitionId) -> Option<&'a TransitionExtra> {
        self.transition_extras
            .get(TransitionExtraId::read(self.transition(id)?.extra)?.index())
    }

    /// What is precomputed for a transition.
    #[inline]
    pub fn transition_plan(&self, id: TransitionId) -> Option<&'a TransitionPlan> {
        self.transition_plans.get(id.index())
    }

    /// Targets of a set, in the order of the tree.
    #[inline]
    pub fn targets_of(&self, id: TargetSetId) -> &'a [TargetRecord] {
        self.target_sets.get(id.index()).map_or(&[], |set| {
            run(
                self.targets,
                set.first.get() as usize,
                usize::from(set.count.get()),
            )
        })
    }

    /// The state at which a target stands in the tree: itself, or the owner of a history point.
    pub fn anchor(&self, target: Target) -> Option<StateId> {
        match target {
            Target::State(state) | Target::Choice(state) => Some(state),
            Target::History(history) => StateId::read(self.history_point(history)?.owner),
        }
    }
}

/// Priority of a transition (SEL-3).
#[inline]
pub fn priority(flags: U16) -> u8 {
    (flags.get() >> PRIORITY_SHIFT) as u8
}

/// Actions, functions and data.
impl<'a> Rom<'a> {
    /// Ops of an action list.
    #[inline]
    pub fn list(&self, id: ListId) -> &'a [OpRecord] {
        self.action_lists.get(id.index()).map_or(&[], |list| {
            run(
                self.ops,
                list.first.get() as usize,
                usize::from(list.count.get()),
            )
        })
    }

    /// A single op: a guard, a score or an activity.
    #[inline]
    pub fn op(&self, id: OpId) -> Option<&'a OpRecord> {
        self.ops.get(id.index())
    }

    /// Arguments of a call.
    pub fn arguments_of(&self, call: &OpRecord) -> &'a [ArgumentRecord] {
        if !call.kind.known().is_some_and(ActionOp::calls) {
            return &[];
        }
        self.argument_run(call.b.get(), call.count)
    }

    /// Consecutive arguments.
    #[inline]
    pub fn argument_run(&self, first: u32, count: u8) -> &'a [ArgumentRecord] {
        run(self.arguments, first as usize, usize::from(count))
    }

    /// An event type.
    #[inline]
    pub fn event(&self, id: EventId) -> Option<&'a EventRecord> {
        self.events.get(id.index())
    }

    /// A user function.
    pub fn function(&self, id: FunctionId) -> Option<&'a LinkerRecord> {
        self.linker.get(id.index())
    }

    /// A blackboard key.
    pub fn key(&self, id: KeyId) -> Option<&'a KeyRecord> {
        self.keys.get(id.index())
    }

    /// Words of a dense blackboard.
    pub fn blackboard_words(&self) -> usize {
        self.keys
            .last()
            .map_or(0, |key| end_of(key.offset, key.ty.get()))
    }

    /// A parameter.
    pub fn parameter(&self, id: ParameterId) -> Option<&'a ParameterRecord> {
        self.parameters.get(id.index())
    }

    /// Words of a row of parameter values.
    pub fn parameter_words(&self) -> usize {
        self.parameters
            .last()
            .map_or(0, |parameter| end_of(parameter.offset, parameter.ty.get()))
    }

    /// The same machine with other parameter values, of which there must be as many (CODE-3).
    /// Whoever makes them asks [`Self::is_value`] about each.
    pub fn with_parameter_values(mut self, values: &'a [WordRecord]) -> Option<Self> {
        if values.len() != self.parameter_values.len() {
            return None;
        }
        self.parameter_values = values;
        Some(self)
    }

    /// Whether a word is the first of a value of this type: truth values are 0 or 1, symbols are those
    /// of this machine, anything else is free.
    pub fn is_value(&self, ty: ValueType, word: u32) -> bool {
        validate::is_value(self, ty, word)
    }

    /// The same machine, and an event for which there is no room in the queue ends its agent (EVT-3):
    /// what a host asks for while a game is made.
    #[must_use]
    pub fn quarantining_overflow(mut self, quarantines: bool) -> Self {
        self.quarantines_overflow = quarantines;
        self
    }

    /// Whether an event for which there is no room ends its agent, whatever the machine says.
    #[inline]
    pub fn quarantines_overflow(&self) -> bool {
        self.quarantines_overflow
    }

    /// Parameter values of a variant.
    pub fn parameter_row(&self, id: VariantId) -> &'a [WordRecord] {
        let words = self.parameter_words();
        run(
            self.parameter_values,
            id.index().saturating_mul(words),
            words,
        )
    }

    /// Words of a parameter in a variant.
    pub fn parameter_value(&self, variant: VariantId, id: ParameterId) -> &'a [WordRecord] {
        let row = self.parameter_row(variant);
        self.parameter(id).map_or(&[], |p| {
            run(
                row,
                usize::from(p.offset.get()),
                usize::from(p.ty.get().words()),
            )
        })
    }

    /// First word of a parameter in a variant.
    #[inline]
    pub fn parameter_word(&self, variant: VariantId, id: ParameterId) -> Option<u32> {
        let offset = usize::from(self.parameter(id)?.offset.get());
        let row = match variant.index() {
            0 => 0,
            row => row.saturating_mul(self.parameter_words()),
        };
        let word = self.parameter_values.get(row.saturating_add(offset))?;
        Some(word.word.get())
    }

    /// Instructions of an expression.
    #[inline]
    pub fn code_of(&self, id: ExpressionId) -> &'a [InstructionRecord] {
        let record = self.expressions.get(id.index());
        record.map_or(&[], |record| self.code_in(record))
    }

    /// Instructions of an expression by its record.
    #[inline]
    pub fn code_in(&self, record: &ExpressionRecord) -> &'a [InstructionRecord] {
        run(
            self.code,
            record.first.get() as usize,
            usize::from(record.count.get()),
        )
    }

    /// An expression.
    #[inline]
    pub fn expression(&self, id: ExpressionId) -> Option<&'a ExpressionRecord> {
        self.expressions.get(id.index())
    }

    /// A duration that is found where it is needed.
    #[inline]
    pub fn duration(&self, id: DurationId) -> Option<&'a DurationRecord> {
        self.durations.get(id.index())
    }

    /// A string. Not for the hot path: it looks at the bytes once more.
    pub fn string(&self, id: StringId) -> Option<&'a str> {
        let string = self.strings.get(id.index())?;
        let bytes = run(
            self.text.as_bytes(),
            string.offset.get() as usize,
            string.length.get() as usize,
        );
        if bytes.len() == string.length.get() as usize {
            core::str::from_utf8(bytes).ok()
        } else {
            None
        }
    }

    /// The text of a symbol by its number (HASH-2); `None` if this machine has no such text. Not
    /// for the hot path.
    pub fn symbol(&self, number: u32) -> Option<&'a str> {
        match find_symbol(self.strings, number) {
            Some(string) => self.string(StringId::from_index(string)?),
            None => is_symbol(self.strings, number).then_some(""),
        }
    }

    /// Lanes, the built-in ones included.
    pub fn lane_count(&self) -> usize {
        BuiltInLane::COUNT.saturating_add(self.lanes.len())
    }

    /// What the machine declares of a lane; `None` for a built-in one that it leaves as it is.
    pub fn lane(&self, id: LaneId) -> Option<&'a LaneRecord> {
        match id.index().checked_sub(BuiltInLane::COUNT) {
            Some(own) => self.lanes.get(own),
            None => self
                .built_in_lanes
                .iter()
                .find(|lane| lane.number == id.raw()),
        }
    }

    /// May commands of a lane use the reserved part of the budget (CMD-2)?
    pub fn is_critical_lane(&self, id: LaneId) -> bool {
        match self.lane(id) {
            Some(lane) => lane.critical == 1,
            None => BuiltInLane::from_number(id.raw()).is_some_and(BuiltInLane::is_critical),
        }
    }

    /// A channel.
    pub fn channel(&self, id: ChannelId) -> Option<&'a ChannelRecord> {
        self.channels.get(id.index())
    }

    /// Stable ids of a group, in table order (ROM-6).
    pub fn stable_ids_of(&self, group: StableGroup) -> &'a [StableIdRecord] {
        let counts = self.stable_id_counts();
        let place = group as usize;
        let first = counts.iter().take(place).sum();
        run(
            self.stable_ids,
            first,
            counts.get(place).copied().unwrap_or(0),
        )
    }

    /// How many stable ids each group has.
    pub(crate) fn stable_id_counts(&self) -> [usize; StableGroup::COUNT] {
        StableGroup::ALL.map(|group| match group {
            StableGroup::Machine => 1,
            StableGroup::States => self.states.len(),
            StableGroup::Regions => self.regions.len(),
            StableGroup::Events => self.events.len(),
            StableGroup::Timers => self.timers.len(),
            StableGroup::Transitions => self.transitions.len(),
            StableGroup::History => self.history.len(),
            StableGroup::Scratch => self.scratch.len(),
        })
    }
}

/// One past the last word of a value.
fn end_of(offset: U16, ty: ValueType) -> usize {
    usize::from(offset.get()).saturating_add(usize::from(ty.words()))
}

/// Dispatch and plans.
impl<'a> Rom<'a> {
    /// Columns of the dispatch tables: events, timers that fire, and one for the eventless.
    #[inline]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The column of an event type.
    #[inline]
    pub fn event_column(&self, id: EventId) -> Option<Column> {
        if id.index() < self.events.len() {
            Column::from_index(id.index())
        } else {
            None
        }
    }

    /// The column of a timer that fires by itself.
    pub fn timer_column(&self, id: TimerId) -> Option<Column> {
        if id.raw() >= self.header.firing_timers.get() {
            return None;
        }
        self.events
            .len()
            .checked_add(id.index())
            .and_then(Column::from_index)
    }

    /// The column of the eventless triggers.
    #[inline]
    pub fn eventless_column(&self) -> Option<Column> {
        self.columns().checked_sub(1).and_then(Column::from_index)
    }

    /// A leaf row.
    #[inline]
    pub fn row(&self, id: RowId) -> Option<&'a LeafRow> {
        self.leaf_rows.get(id.index())
    }

    /// The row of an atomic or final state.
    #[inline]
    pub fn row_of(&self, id: StateId) -> Option<&'a LeafRow> {
        self.row(RowId::read(self.state(id)?.row)?)
    }

    /// The candidate list of a row and a column; `None` = nobody here cares.
    #[inline]
    pub fn candidate_list(&self, row: &LeafRow, column: Column) -> Option<CandidateListId> {
        if self.has(feature::DENSE_ROWS) {
            self.dense_list(row, column)
        } else {
            self.sorted_list(row, column)
        }
    }

    #[inline]
    fn dense_list(&self, row: &LeafRow, column: Column) -> Option<CandidateListId> {
        if column.index() >= self.columns() {
            return None;
        }
        let place = (row.first_cell.get() as usize).checked_add(column.index())?;
        let cell = self.dense_cells.get(place)?.list;
        CandidateListId::read(self.jump(cell.get()).map_or(cell, |jump| jump.list))
    }

    /// What a state and an event of a dense machine lead to: a list, a jump or nobody.
    ///
    /// Dense rows lie back to back, so the place follows from the number of the row.
    #[inline]
    pub fn cell(&self, leaf: u16, event: u16) -> Option<&'a DenseCell> {
        let row = self.states.get(usize::from(leaf))?.row.get();
        let inside = usize::from(event) < self.events.len();
        let place = usize::from(row)
            .wrapping_mul(self.columns())
            .wrapping_add(usize::from(event));
        if inside {
            self.dense_cells.get(place)
        } else {
            None
        }
    }

    /// What a state and a timer of a dense machine lead to: a list, a jump or nobody.
    #[inline]
    pub fn timer_cell(&self, leaf: u16, column: Column) -> Option<&'a DenseCell> {
        let row = self.states.get(usize::from(leaf))?.row.get();
        let inside = column.index() >= self.events.len() && column.index() < self.columns();
        let place = usize::from(row)
            .wrapping_mul(self.columns())
            .wrapping_add(column.index());
        if inside {
            self.dense_cells.get(place)
        } else {
            None
        }
    }

    /// Is an event of this number told to an observer (EVT-8)?
    #[inline]
    pub fn is_observed(&self, event: u16) -> bool {
        self.has(feature::OBSERVERS)
            && self.observers.iter().any(|observer| {
                observer.event.get() == event || SpecialTrigger::Any.is(observer.event)
            })
    }

    /// The jump that a cell names.
    #[inline]
    pub fn jump(&self, cell: u32) -> Option<&'a Jump> {
        if cell & JUMP != 0 {
            self.jumps.get((cell & !JUMP) as usize)
        } else {
            None
        }
    }

    /// Steps of a jump.
    #[inline]
    pub fn jump_steps_of(&self, jump: &Jump) -> Option<&'a [JumpStep]> {
        let first = jump.first.get() as usize;
        self.jump_steps
            .get(first..first.wrapping_add(usize::from(jump.count.get())))
    }

    fn sorted_list(&self, row: &LeafRow, column: Column) -> Option<CandidateListId> {
        let cells = self.sorted_cells_of(row);
        let place = cells
            .binary_search_by_key(&column.raw(), |cell| cell.column.get())
            .ok()?;
        CandidateListId::read(cells.get(place)?.list)
    }

    /// Cells of a sorted row.
    pub fn sorted_cells_of(&self, row: &LeafRow) -> &'a [SortedCell] {
        run(
            self.sorted_cells,
            row.first_cell.get() as usize,
            row.cell_count.get() as usize,
        )
    }

    /// Cells of a dense row.
    pub fn dense_cells_of(&self, row: &LeafRow) -> &'a [DenseCell] {
        run(
            self.dense_cells,
            row.first_cell.get() as usize,
            row.cell_count.get() as usize,
        )
    }

    /// The candidates of a list.
    #[inline]
    pub fn candidates_of(&self, id: CandidateListId) -> Candidates<'a> {
        let Some(list) = self.candidate_lists.get(id.index()) else {
            return Candidates::default();
        };
        let (interrupts, others) = (
            usize::from(list.interrupts.get()),
            usize::from(list.others.get()),
        );
        let all = run(
            self.candidates,
            list.first.get() as usize,
            interrupts.saturating_add(others),
        );
        match all.split_at_checked(interrupts) {
            Some((interrupts, others)) => Candidates { interrupts, others },
            None => Candidates::default(),
        }
    }

    /// Steps of an entry plan.
    #[inline]
    pub fn plan_steps(&self, id: PlanId) -> &'a [PlanStep] {
        self.entry_plans.get(id.index()).map_or(&[], |plan| {
            run(
                self.entry_steps,
                plan.first.get() as usize,
                usize::from(plan.count.get()),
            )
        })
    }
}
