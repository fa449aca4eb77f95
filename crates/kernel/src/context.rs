//! Everything one call works on, except the host: ROM, instance, time, counters.
//!
//! Dropping it before the end of the call, as a panic in a callback does, quarantines the instance
//! (TICK-3).

use core::cell::Cell;

use statewright_rom::ids::*;
use statewright_rom::layout::*;
use statewright_rom::{Coded, Rom};
use zerocopy::byteorder::little_endian::U16;

use crate::counters::{Counters, count};
use crate::fast::{IdleMask, Router};
use crate::fault::Fault;
use crate::fused::CallSite;
use crate::host::notes::Notes;
use crate::host::{Call, Cause};
use crate::instance::event::Event;
use crate::instance::ram::{AnyTier, Ram, Seen};
use crate::instance::{Header, flag};
use crate::poll::Halt;

/// Where a piece of code stands: what its callbacks are told (CODE-1).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site {
    pub(crate) state: StateId,
    pub(crate) transition: Option<TransitionId>,
    pub(crate) cause: Cause,
}

/// What fused code takes: an event is looked into when somebody asks.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TakenFor<'a> {
    Nothing,
    Event(&'a Event),
    Timer(TimerId),
}

impl TakenFor<'_> {
    pub(crate) fn cause(self) -> Cause {
        match self {
            Self::Nothing => Cause::None,
            Self::Event(event) => {
                let id = event.id();
                id.map_or(Cause::None, |id| Cause::Event(id, event.words()))
            }
            Self::Timer(timer) => Cause::Timer(timer),
        }
    }
}

/// A call that stands in the ROM with all that is known of it: nothing is copied unless user code asks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Planned<'a> {
    /// Calls a function with literal arguments.
    pub(crate) op: &'a OpRecord,
    pub(crate) state: U16,
    /// `NONE` if there is none.
    pub(crate) transition: U16,
    /// Whether the jump that is going on makes it; else nothing has caused it.
    pub(crate) by_jump: bool,
}

impl<'a> Planned<'a> {
    /// For the state that asks a jump's guard or score.
    #[inline(always)]
    pub(crate) fn by_jump(op: &'a OpRecord, jump: &Jump) -> Self {
        Self {
            op,
            state: jump.asker,
            transition: jump.transition,
            by_jump: true,
        }
    }

    /// For a state that does something by itself, or asks a transition.
    #[inline(always)]
    pub(crate) fn eventless(op: &'a OpRecord, state: U16, transition: u16) -> Self {
        Self {
            op,
            state,
            transition: U16::new(transition),
            by_jump: false,
        }
    }
}

/// Arguments of one call, all with their values (LANG-4).
pub(crate) type Arguments = [ArgumentRecord; MAX_ARGUMENTS as usize];

/// Depth that no state has.
const NOT_FRESH: u8 = u8::MAX;

/// What the kernel works on: for one call, or for a whole batch with one agent after the other.
#[derive(Debug)]
pub(crate) struct Context<'a> {
    pub(crate) rom: &'a Rom<'a>,
    pub(crate) ram: Ram<'a>,
    pub(crate) counters: &'a mut Counters,
    /// Taken away by whatever goes wrong (`impossible`).
    pub(crate) idle: Cell<IdleMask>,
    /// Agents of the machine's tier are ticked: the mask sees them.
    pub(crate) ticks: bool,
    pub(crate) now: u32,
    /// Place of the agent in its batch.
    place: usize,
    first_agent: u64,
    variants: &'a [VariantId],
    /// Events taken by jumps, and events that nobody handled; not yet in the counters.
    pub(crate) jumped: u64,
    pub(crate) unhandled: u64,
    /// The call that is going on, unless it is a step of a jump.
    pub(crate) call_site: CallSite,
    /// The same, if a record of the ROM says all of it; only while it is going on.
    planned: Option<Planned<'a>>,
    /// The same, if fused code made it; what is prepared later comes first.
    pub(crate) fixed_call: Option<&'a CallSite>,
    /// What fused code takes: why, and by which transition; nothing while it polls.
    pub(crate) fixed_cause: TakenFor<'a>,
    pub(crate) fixed_transition: Option<TransitionId>,
    /// Where asking by fused code ended last.
    pub(crate) halt: Halt,
    /// The arguments of the last call that had computed ones.
    pub(crate) computed: Option<Arguments>,
    /// The call of a jump that is going on. Its leaf is what is active in its region: the instance
    /// itself changes later.
    pub(crate) step: Option<&'a JumpStep>,
    /// The jump, and the event of the inbox that made it.
    pub(crate) jump: Option<(&'a Jump, Option<&'a Event>)>,
    /// The event of the queue that made it, if there is none of the inbox.
    pub(crate) queued: Event,
    /// The timer that made it, if no event did.
    pub(crate) fired: Option<TimerId>,
    /// What went wrong; looked at after the microstep (TICK-3).
    pub(crate) fault: Cell<Option<Fault>>,
    /// For a tracer, if there is one that wants to know everything.
    pub(crate) notes: Option<Notes>,
    /// Place of the agent whose queue had no room last, so that nobody has to reset it.
    overflowed: usize,
    /// An observer runs: it may post and emit, nothing else (EVT-8).
    pub(crate) observing: bool,
    /// Per leaf number: states at this depth or deeper were entered in this tick (TICK-5).
    fresh: [u8; MAX_LEAVES],
    /// User code may run: if it panics, the instance is quarantined (TICK-3).
    pub(crate) running: bool,
}

impl<'a> Context<'a> {
    /// Ready for the first agent, outside of ticks. `blank` is what stands for its header until then.
    pub(crate) fn new(
        rom: &'a Rom<'a>,
        counters: &'a mut Counters,
        blank: &'a mut Header,
        now: u32,
    ) -> Self {
        Self::with_mask(rom, counters, (blank, now), IdleMask::BLIND)
    }

    /// Ready for the first agent of a tier that is to be ticked. Inlined: an agent that is ticked
    /// alone pays for it in every tick, and what the caller knows is then written once.
    #[inline(always)]
    pub(crate) fn for_ticks(
        rom: &'a Rom<'a>,
        counters: &'a mut Counters,
        blank: &'a mut Header,
        (now, tier): (u32, Tier),
    ) -> Self {
        let mut cx = Self::with_mask(rom, counters, (blank, now), IdleMask::new(rom, tier));
        cx.ticks = rom.header().tier == tier;
        cx
    }

    #[inline(always)]
    fn with_mask(
        rom: &'a Rom<'a>,
        counters: &'a mut Counters,
        (blank, now): (&'a mut Header, u32),
        idle: IdleMask,
    ) -> Self {
        Self {
            rom,
            ram: Ram::Detached(blank),
            counters,
            idle: Cell::new(idle),
            ticks: false,
            now,
            place: 0,
            first_agent: 0,
            variants: &[],
            jumped: 0,
            unhandled: 0,
            computed: None,
            call_site: const { CallSite::new(0, NONE) },
            planned: None,
            fixed_call: None,
            fixed_cause: TakenFor::Nothing,
            fixed_transition: None,
            halt: Halt::NONE,
            step: None,
            jump: None,
            queued: Event::default(),
            fired: None,
            fault: Cell::new(None),
            notes: None,
            overflowed: usize::MAX,
            observing: false,
            fresh: [NOT_FRESH; MAX_LEAVES],
            running: false,
        }
    }

    /// What chooses the way of its agents.
    #[inline]
    pub(crate) fn router(&self) -> Router<'a> {
        Router {
            rom: self.rom,
            idle: self.idle.get(),
            now: self.now,
        }
    }

    /// Do events that user code posts wait for the next tick (TICK-7)?
    pub(crate) fn hides_posts(&self) -> bool {
        self.ticks && self.has_policy(policy::POSTED_NEXT_TICK)
    }

    /// Whose ticks they are: the agent of the first place, and the variants of all.
    #[inline]
    pub(crate) fn set_agents(&mut self, first_agent: u64, variants: &'a [VariantId]) {
        (self.first_agent, self.variants) = (first_agent, variants);
    }

    /// Goes on to another agent.
    #[inline(always)]
    pub(crate) fn attach(&mut self, ram: Ram<'a>, place: usize) {
        self.ram = ram;
        self.place = place;
    }

    /// It is the turn of an agent that is attached only if somebody asks.
    #[inline(always)]
    pub(crate) fn go_to(&mut self, place: usize) {
        self.place = place;
    }

    /// The place of the agent whose turn it is.
    #[inline(always)]
    pub(crate) fn place(&self) -> usize {
        self.place
    }

    /// The queue of the agent had no room for an event.
    pub(crate) fn note_overflow(&mut self) {
        self.overflowed = self.place;
    }

    /// Had it none in this tick?
    #[inline]
    pub(crate) fn has_overflowed(&self) -> bool {
        self.overflowed == self.place
    }

    /// The agent.
    #[inline]
    pub(crate) fn agent(&self) -> u64 {
        self.first_agent.wrapping_add(self.place as u64)
    }

    /// The variant of its parameters.
    #[inline]
    pub(crate) fn variant(&self) -> VariantId {
        self.variants
            .get(self.place)
            .copied()
            .unwrap_or(VariantId::PLAIN)
    }

    /// User code may run from now on.
    pub(crate) fn begin(&mut self) {
        self.running = true;
    }

    /// The call ends as it should.
    pub(crate) fn finish(&mut self) {
        self.fresh = [NOT_FRESH; MAX_LEAVES];
        self.running = false;
    }

    /// Ends the instance, frames included (TICK-3).
    pub(crate) fn quarantine(&mut self, fault: Fault) {
        self.clear_frames();
        self.ram.quarantine();
        count(&mut self.counters.quarantines);
        if fault == Fault::Impossible {
            count(&mut self.counters.impossible);
        }
        self.clear_fault();
        self.running = false;
    }

    /// Has the instance ended, so that only reset helps?
    pub(crate) fn has_ended(&self) -> bool {
        self.ram.header().flags.get() & flag::ENDED != 0
    }

    /// Empties all stacks.
    pub(crate) fn clear_frames(&mut self) {
        for stack in self.rom.stacks() {
            if let Some(first) = self.proved(stack.frame_slot(0)) {
                let count = stack.depth.saturating_mul(stack.frame_slots);
                self.clear_slots(first, count);
            }
        }
        self.ram.header_mut().stack_depth = 0;
    }

    pub(crate) fn has_policy(&self, policy: u8) -> bool {
        self.rom.header().policies & policy != 0
    }

    /// Prepares a call of user code; computed arguments are there.
    #[inline]
    pub(crate) fn prepare_call(&mut self, op: &OpRecord, site: &Site) -> Option<FunctionId> {
        let function = self.proved(FunctionId::read(op.a))?;
        self.fixed_call = None;
        self.call_site = CallSite {
            kind: op.kind,
            function: op.a,
            arguments: (op.b, op.count),
            site: *site,
        };
        Some(function)
    }

    /// Makes a call as a record of the ROM says.
    #[inline(always)]
    pub(crate) fn call_planned<R>(
        &mut self,
        planned: Planned<'a>,
        call: impl FnOnce(FunctionId, &mut Self) -> R,
    ) -> R {
        self.planned = Some(planned);
        let result = call(FunctionId::read_proved(planned.op.a), self);
        self.planned = None;
        result
    }

    /// The call that is going on.
    pub(crate) fn call(&self) -> Call<'_> {
        let CallSite {
            kind,
            function,
            arguments: (first, count),
            site,
        } = self.call_site();
        Call {
            function: self
                .proved(FunctionId::read(function))
                .unwrap_or(FunctionId::FIRST),
            arguments: self.arguments(kind, first.get(), count),
            agent: self.agent(),
            tick: self.now,
            variant: self.variant(),
            state: site.state,
            region: self
                .state(site.state)
                .and_then(|record| RegionId::read(record.region)),
            transition: site.transition,
            cause: site.cause,
        }
    }

    fn arguments(&self, kind: Coded<ActionOp>, first: u32, count: u8) -> &[ArgumentRecord] {
        match &self.computed {
            Some(computed) if kind == ActionOp::CallWith => self
                .proved(computed.get(..usize::from(count)))
                .unwrap_or_default(),
            _ => self.rom.argument_run(first, count),
        }
    }

    /// State and transition of the call, without all the rest: for every command that user code
    /// writes.
    #[inline]
    pub(crate) fn site_of_call(&self) -> (StateId, Option<TransitionId>) {
        match (self.step, self.jump) {
            (Some(step), Some((jump, _))) => (
                self.proved(StateId::read(step.state))
                    .unwrap_or(StateId::ROOT),
                TransitionId::read(jump.transition),
            ),
            _ => match (self.planned, self.fixed_call) {
                (Some(planned), _) => (
                    self.proved(StateId::read(planned.state))
                        .unwrap_or(StateId::ROOT),
                    TransitionId::read(planned.transition),
                ),
                (None, Some(call)) => {
                    let transition = call.site.transition.or(self.fixed_transition);
                    (call.site.state, transition)
                }
                (None, None) => (self.call_site.site.state, self.call_site.site.transition),
            },
        }
    }

    /// The function of the call that is going on.
    #[inline]
    pub(crate) fn function_of_call(&self) -> FunctionId {
        let function = match (self.step, self.planned) {
            (Some(step), _) => step.function,
            (None, Some(planned)) => planned.op.a,
            (None, None) => self.fixed_call.unwrap_or(&self.call_site).function,
        };
        self.proved(FunctionId::read(function))
            .unwrap_or(FunctionId::FIRST)
    }

    /// The arguments of the call that is going on.
    #[inline]
    pub(crate) fn arguments_of_call(&self) -> &[ArgumentRecord] {
        let (kind, first, count) = match (self.step, self.planned) {
            (Some(step), _) => (ActionOp::Call.coded(), step.first, step.count),
            (None, Some(planned)) => (planned.op.kind, planned.op.b, planned.op.count),
            (None, None) => {
                let call = self.fixed_call.unwrap_or(&self.call_site);
                (call.kind, call.arguments.0, call.arguments.1)
            }
        };
        self.arguments(kind, first.get(), count)
    }

    fn call_site(&self) -> CallSite {
        if let Some(planned) = self.planned {
            return self.planned_site(&planned);
        }
        let Some((step, (jump, _))) = self.step.zip(self.jump) else {
            return match self.fixed_call {
                Some(call) => CallSite {
                    site: self.fixed_site(call),
                    ..*call
                },
                None => self.call_site,
            };
        };
        let site = self.jump_site(step.state, jump);
        CallSite {
            kind: ActionOp::Call.coded(),
            function: step.function,
            arguments: (step.first, step.count),
            site,
        }
    }

    fn planned_site(&self, planned: &Planned<'_>) -> CallSite {
        let op = planned.op;
        CallSite {
            kind: op.kind,
            function: op.a,
            arguments: (op.b, op.count),
            site: Site {
                state: self
                    .proved(StateId::read(planned.state))
                    .unwrap_or(StateId::ROOT),
                transition: TransitionId::read(planned.transition),
                cause: match planned.by_jump {
                    true => self.cause_of_jump(),
                    false => Cause::None,
                },
            },
        }
    }

    /// Where a call of fused code stands while something is taken.
    #[inline]
    pub(crate) fn fixed_site(&self, call: &CallSite) -> Site {
        Site {
            state: call.site.state,
            transition: call.site.transition.or(self.fixed_transition),
            cause: self.fixed_cause.cause(),
        }
    }

    /// Where code of the jump that is going on stands.
    pub(crate) fn jump_site(&self, state: U16, jump: &Jump) -> Site {
        Site {
            state: self.proved(StateId::read(state)).unwrap_or(StateId::ROOT),
            transition: self.proved(TransitionId::read(jump.transition)),
            cause: self.cause_of_jump(),
        }
    }

    /// What made the jump that is going on.
    fn cause_of_jump(&self) -> Cause {
        if let Some(timer) = self.fired {
            return Cause::Timer(timer);
        }
        let event = self.jump.and_then(|(_, event)| event);
        let event = event.unwrap_or(&self.queued);
        let id = self.proved(event.id());
        id.map_or(Cause::None, |id| Cause::Event(id, event.words()))
    }
}

impl Drop for Context<'_> {
    fn drop(&mut self) {
        let (jumped, unhandled, counters) = (self.jumped, self.unhandled, &mut self.counters);
        counters.events = counters.events.wrapping_add(jumped).wrapping_add(unhandled);
        counters.unhandled = counters.unhandled.wrapping_add(unhandled);
        counters.microsteps = counters.microsteps.wrapping_add(jumped);
        counters.transitions = counters.transitions.wrapping_add(jumped);
        if self.running {
            self.quarantine(Fault::Panic);
        } else if let Some(fault) = self.fault.get() {
            // Outside of ticks nobody else looks.
            self.quarantine(fault);
        }
    }
}

/// The configuration (RAM-4).
impl Context<'_> {
    /// Is a state active?
    #[inline]
    pub(crate) fn is_active(&self, state: StateId) -> bool {
        self.is_active_in::<AnyTier>(state)
    }

    /// The same where the type of the instance may be known.
    #[inline(always)]
    pub(crate) fn is_active_in<S: Seen>(&self, state: StateId) -> bool {
        if self.step.is_some() {
            return self.is_active_in_jump(state);
        }
        let end = self
            .state(state)
            .map_or(0, |record| record.subtree_end.get());
        let own = state.raw()..end;
        let mut leaves = S::leaves(&self.ram).iter();
        leaves.any(|leaf| own.contains(&leaf.get()))
    }

    #[inline(never)]
    fn is_active_in_jump(&self, state: StateId) -> bool {
        // What is left or entered by a jump is not yet in the instance.
        let stepping = self.step.and_then(|step| StateId::read(step.leaf));
        // Not the number of that state: between exits and entries it is the one around the region, which
        // may have the number of another region.
        let line = self.jump.and_then(|(jump, _)| self.line_of_jump(jump));
        self.ram
            .leaf_ids()
            .filter(|&id| Some(id) != line)
            .filter_map(|id| self.leaf(id))
            .chain(stepping)
            .any(|leaf| self.rom.is_ancestor_or_self(state, leaf))
    }

    /// Ticks since a state with a clock was entered; 0 while it is not active.
    pub(crate) fn ticks_in_state(&self, state: StateId) -> Option<u32> {
        let clock = self.clock_of(state)?;
        Some(if self.is_active(state) {
            self.now.wrapping_sub(self.time(clock))
        } else {
            0
        })
    }

    /// Where a state's clock is kept.
    pub(crate) fn clock_of(&self, state: StateId) -> Option<TimerSlot> {
        self.rom.state_extra(state).and_then(StateExtra::clock_slot)
    }

    /// A state stops being active; the state around it stays the innermost one if it has the same
    /// line.
    pub(crate) fn deactivate(&mut self, state: StateId) {
        let Some(record) = self.state(state) else {
            return;
        };
        let parent = StateId::read(record.parent).filter(|&parent| {
            self.state(parent)
                .is_some_and(|around| around.leaf == record.leaf)
        });
        self.put_leaf(record, parent);
    }

    /// What is the innermost active state where a state stands.
    pub(crate) fn put_leaf(&mut self, record: &StateRecord, leaf: Option<StateId>) {
        if let Some(id) = self.proved(record.leaf_id()) {
            self.set_leaf(id, leaf);
        }
    }

    /// A state counts as entered in this tick (TICK-5).
    pub(crate) fn mark_fresh(&mut self, record: &StateRecord) {
        self.mark_fresh_at(record.leaf, record.depth);
    }

    /// The same by its leaf number and depth.
    #[inline(always)]
    pub(crate) fn mark_fresh_at(&mut self, leaf: u8, depth: u8) {
        match self.fresh.get_mut(usize::from(leaf)) {
            Some(fresh) => *fresh = (*fresh).min(depth),
            None => self.impossible("a state with a leaf number behind the last"),
        }
    }

    /// Was any state entered in this tick?
    #[inline]
    pub(crate) fn has_fresh(&self) -> bool {
        self.fresh != [NOT_FRESH; MAX_LEAVES]
    }

    /// Was a state at this place of the tree entered in this tick?
    pub(crate) fn is_fresh(&self, leaf: u8, depth: u8) -> bool {
        self.proved(self.fresh.get(usize::from(leaf)))
            .is_some_and(|&fresh| depth >= fresh)
    }
}
