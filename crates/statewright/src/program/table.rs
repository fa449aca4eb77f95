//! Callbacks by number, as the kernel asks for them.

use statewright_kernel::{Status, Verdict};
use statewright_rom::ids::{FunctionId, KeyId};

use crate::board::Board;
use crate::context::Context;
use crate::functions::{
    ActionFn, ActivityFn, AnyActionFn, AnyActivityFn, AnyGuardFn, AnyScorerFn, AnyValueFn,
    Callback, GuardFn, ScorerFn, ValueFn,
};
use crate::fused::{AnyAlone, BatchCode, Fused};

/// Callbacks by number of the function, and fields by number of the key. Numbers of another kind
/// lead to code that does nothing.
pub(crate) struct Table<B, C: Context + ?Sized> {
    guards: Box<[AnyGuardFn<B, C>]>,
    scorers: Box<[AnyScorerFn<B, C>]>,
    actions: Box<[AnyActionFn<B, C>]>,
    activities: Box<[AnyActivityFn<B, C>]>,
    values: Box<[AnyValueFn<B, C>]>,
    /// Field of the blackboard per key.
    fields: Box<[usize]>,
    /// The machine as code, if that was made of these very functions and fields.
    fused: Option<Fused<B, C>>,
}

/// A call that nothing answers to; unwinds to whoever ticks the agent.
pub(crate) struct UnboundCall(pub(crate) FunctionId);

impl UnboundCall {
    /// Not as a panic: the host is told of it in another way, and nothing is printed.
    fn unwind(self) -> ! {
        std::panic::resume_unwind(Box::new(self))
    }
}

impl<B: Board, C: Context + ?Sized> Table<B, C> {
    pub(super) fn new(functions: usize, fields: Vec<usize>) -> Self {
        let guard: AnyGuardFn<B, C> = |_, _, _| Verdict::from(false);
        let scorer: AnyScorerFn<B, C> = |_, _, _| 0.0;
        let action: AnyActionFn<B, C> = |_, _, _| {};
        let activity: AnyActivityFn<B, C> = |_, _, _, _| Status::Running;
        let value: AnyValueFn<B, C> = |_, _, _| [0; 3];
        Self {
            guards: vec![guard; functions].into(),
            scorers: vec![scorer; functions].into(),
            actions: vec![action; functions].into(),
            activities: vec![activity; functions].into(),
            values: vec![value; functions].into(),
            fields: fields.into(),
            fused: None,
        }
    }

    pub(super) fn put(&mut self, place: usize, code: Callback<B, C>) {
        fn set<T>(list: &mut [T], place: usize, code: T) {
            if let Some(cell) = list.get_mut(place) {
                *cell = code;
            }
        }
        match code {
            Callback::Guard(code) => set(&mut self.guards, place, code),
            Callback::Scorer(code) => set(&mut self.scorers, place, code),
            Callback::Action(code) => set(&mut self.actions, place, code),
            Callback::Activity(code) => set(&mut self.activities, place, code),
            Callback::Value(code) => set(&mut self.values, place, code),
        }
    }

    /// The machine is run by code, if its fields are those of the blackboard.
    pub(super) fn fuse(&mut self, fused: &Fused<B, C>) {
        let same = fused.fields.get(..self.fields.len()) == Some(&self.fields);
        self.fused = same.then_some(*fused);
    }

    /// Nothing answers to a function: whoever calls it ends.
    pub(super) fn bind_trap(&mut self, place: usize) {
        self.put(
            place,
            Callback::Guard(|_, _, cx| UnboundCall(cx.function()).unwind()),
        );
        self.put(
            place,
            Callback::Scorer(|_, _, cx| UnboundCall(cx.function()).unwind()),
        );
        self.put(
            place,
            Callback::Action(|_, _, cx| UnboundCall(cx.function()).unwind()),
        );
        self.put(
            place,
            Callback::Activity(|_, _, _, cx| UnboundCall(cx.function()).unwind()),
        );
        self.put(
            place,
            Callback::Value(|_, _, cx| UnboundCall(cx.function()).unwind()),
        );
    }

    /// The same for one tick: callbacks for a context of any lifetime are callbacks for this one.
    pub(crate) fn for_tick<'t, 'w>(&'t self) -> TickTable<'t, B, C::Of<'w>> {
        TickTable {
            guards: &self.guards,
            scorers: &self.scorers,
            actions: &self.actions,
            activities: &self.activities,
            values: &self.values,
            fields: &self.fields,
            fused: self
                .fused
                .map(|fused| fused.batch as BatchCode<B, C::Of<'w>>),
        }
    }

    pub(crate) fn field(&self, key: KeyId) -> usize {
        field(&self.fields, key)
    }
}

impl<B, C: Context + ?Sized> Table<B, C> {
    /// The machine as code for an agent that is ticked by itself.
    #[inline]
    pub(crate) fn alone(&self) -> Option<AnyAlone<B, C>> {
        self.fused.map(|fused| fused.alone)
    }

    /// Is the machine run by code?
    pub(super) fn is_fused(&self) -> bool {
        self.fused.is_some()
    }

    /// The machine is run by its tables.
    pub(super) fn interpret(&mut self) {
        self.fused = None;
    }
}

#[inline]
fn field(fields: &[usize], key: KeyId) -> usize {
    fields.get(key.index()).copied().unwrap_or(usize::MAX)
}

/// The table of one tick, whose context is a `C`.
pub(crate) struct TickTable<'t, B, C> {
    guards: &'t [GuardFn<B, C>],
    scorers: &'t [ScorerFn<B, C>],
    actions: &'t [ActionFn<B, C>],
    activities: &'t [ActivityFn<B, C>],
    values: &'t [ValueFn<B, C>],
    fields: &'t [usize],
    pub(crate) fused: Option<BatchCode<B, C>>,
}

impl<B, C> Clone for TickTable<'_, B, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<B, C> Copy for TickTable<'_, B, C> {}

/// A function by its number; whoever is not there does nothing.
impl<B: Board, C> TickTable<'_, B, C> {
    #[inline]
    pub(crate) fn guard(&self, function: FunctionId) -> GuardFn<B, C> {
        let none: GuardFn<B, C> = |_, _, _| Verdict::from(false);
        self.guards.get(function.index()).copied().unwrap_or(none)
    }

    #[inline]
    pub(crate) fn scorer(&self, function: FunctionId) -> ScorerFn<B, C> {
        let none: ScorerFn<B, C> = |_, _, _| 0.0;
        self.scorers.get(function.index()).copied().unwrap_or(none)
    }

    #[inline]
    pub(crate) fn value(&self, function: FunctionId) -> ValueFn<B, C> {
        let none: ValueFn<B, C> = |_, _, _| [0; 3];
        self.values.get(function.index()).copied().unwrap_or(none)
    }

    #[inline]
    pub(crate) fn action(&self, function: FunctionId) -> ActionFn<B, C> {
        let none: ActionFn<B, C> = |_, _, _| {};
        self.actions.get(function.index()).copied().unwrap_or(none)
    }

    #[inline]
    pub(crate) fn activity(&self, function: FunctionId) -> ActivityFn<B, C> {
        let none: ActivityFn<B, C> = |_, _, _, _| Status::Running;
        let activity = self.activities.get(function.index());
        activity.copied().unwrap_or(none)
    }
}

impl<B: Board, C> TickTable<'_, B, C> {
    /// The key that a field holds.
    pub(crate) fn key(&self, field: usize) -> Option<KeyId> {
        let place = self.fields.iter().position(|&own| own == field);
        place.and_then(KeyId::from_index)
    }

    #[inline]
    pub(crate) fn field(&self, key: KeyId) -> usize {
        field(self.fields, key)
    }
}
