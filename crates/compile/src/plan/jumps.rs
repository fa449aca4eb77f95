//! Jumps: for a leaf and an event, everything that always happens, as one list of steps (EXEC-1).
//!
//! A jump exists where nothing is left to decide but by guards and history: transitions
//! without other conditions, and states on the way that are of one region and do not hold
//! back. The kernel carries it out without looking anything
//! else up, if no other region has something to say to the event.
//!
//! ```text
//! root                    Damage, while `patrol` is active: the first candidate is
//! ├── idle  exit: Rest    the transition of `idle` to `fight`.
//! │   └── patrol
//! │       exit: Stop      1  exit `patrol`            call Stop    innermost first,
//! └── fight               2  exit `idle`              call Rest    up to the domain (root)
//!     entry: Draw         3  effect                   call Shout
//!     └── aim             4  enter `fight`            call Draw    by the entry plan,
//!         clock           5  enter `aim`              ENTER aim    outermost first
//!
//! jump of (patrol, Damage): [Stop, Rest, Shout, Draw, ENTER aim], leaf afterwards: aim
//! ```
//!
//! A state that has nothing but actions melts into its calls: the kernel need not know that it was
//! there. `aim` has a clock to start, so its entry stays a step of its own, which the kernel carries
//! out by the slow path's means. The leaf that is active while a step runs is in the step, because
//! user code may ask for it.
//!
//! Several candidates with guards, and the branches of a choice, are a ladder of jumps, each tried
//! if the guard of the one before it says no:
//!
//! ```text
//! on Sight: if "ammo > 0" to fight, else to flee     [ammo > 0: Shout, ENTER fight] ─no─▶ [ENTER flee]
//! ```
//!
//! History is a ladder, too: one jump per state that its point may remember, and one for nothing
//! (`history`). What a point of a state that is left will remember is known beforehand, because the
//! leaf is: it is a step.
//!
//! Jumps with scores stand side by side in their ladder, and the kernel takes the best of them (SEL-3).
//!
//! Whatever does not fit (several groups of scores, pushes, regions that are left, conditions on leaving, lists
//! with `if`, a final state at the end) has no jump, and the kernel takes the slow path: it goes by
//! the candidate list, whose number the jump keeps.

use statewright_rom::Target;
use statewright_rom::ids::{
    CandidateListId, ListId, OpId, PlanId, RowId, StateExtraId, StateId, TransitionExtraId,
    TransitionId,
};
use statewright_rom::layout::*;
use zerocopy::byteorder::little_endian::{U16, U32};

use super::history::{Memory, memories, points_of, ways};
use super::shape::{state_in, targets};
use crate::tables::Tables;

/// What a transition must not have.
const SPECIAL: u16 = transition_flag::PUSH | transition_flag::POP | transition_flag::LATCH;

/// Most ways of one leaf and event.
const MAX_RUNGS: usize = 16;

/// Turns cells of dense rows into jumps where that is possible: those of events and of timers.
pub fn assign(tables: &mut Tables) {
    if tables.header.features.get() & feature::DENSE_ROWS == 0 {
        return;
    }
    let columns = usize::from(tables.header.columns.get());
    // The last column is the eventless one: there several are asked, one after the other.
    let triggers = 0..columns.saturating_sub(1);
    let jumping: Vec<usize> = triggers.filter(|&c| !is_observed(tables, c)).collect();
    for row in 0..tables.leaf_rows.len() {
        let leaf = state_in(tables.leaf_rows[row].state);
        for &column in &jumping {
            let cell = row * columns + column;
            let list = CandidateListId::read(tables.dense_cells[cell].list);
            let Some(jumps) = list.and_then(|list| ladder(tables, leaf, list)) else {
                continue;
            };
            let steps: usize = jumps.iter().map(|(_, steps)| steps.len()).sum();
            if (tables.jump_steps.len() + steps).max(tables.jumps.len() + jumps.len())
                > MAX_JUMP_STEPS
            {
                return;
            }
            tables.dense_cells[cell].list = U32::new(JUMP | tables.jumps.len() as u32);
            for (jump, steps) in jumps {
                tables.jumps.push(jump);
                tables.jump_steps.extend(steps);
            }
        }
    }
}

/// Observers are told of an event before it is carried out, also where nobody reacts.
fn is_observed(tables: &Tables, column: usize) -> bool {
    let of_column = |observer: &ObserverRecord| {
        SpecialTrigger::Any.is(observer.event) || usize::from(observer.event.get()) == column
    };
    column < tables.events.len() && tables.observers.iter().any(of_column)
}

/// One of the ways that a leaf can go, with the guard that is asked first.
struct Rung {
    transition: TransitionId,
    guard: Option<OpId>,
    /// The slot that has to hold the state that asks.
    slot: Option<u8>,
    /// Flags that it has from its transition.
    flags: u16,
    /// Who asks the guard.
    asker: StateId,
    /// How the steps end.
    entry: RungEntry,
}

impl Rung {
    /// Is there something to ask before it?
    fn is_conditional(&self) -> bool {
        self.guard.is_some() || self.slot.is_some() || self.flags & jump_flag::SCORED != 0
    }
}

/// What is entered.
enum RungEntry {
    /// What the plan of the transition says.
    Planned,
    /// The target of a branch, after its effect.
    Branch(BranchRecord),
    /// A state below another one, which stays, and what its initials lead to.
    Down(StateId, StateId),
}

/// The jumps of a list, each tried if the guard of the one before it says no; with their steps.
fn ladder(
    tables: &Tables,
    leaf: StateId,
    list: CandidateListId,
) -> Option<Vec<(Jump, Vec<JumpStep>)>> {
    let rungs = rungs(tables, leaf, list)?;
    let mut first = tables.jump_steps.len();
    let mut jumps = Vec::new();
    for (place, rung) in rungs.iter().enumerate() {
        let (mut jump, steps) = jump(tables, leaf, rung)?;
        let next = tables.jumps.len() + place + 1;
        let last = place + 1 == rungs.len();
        jump.list = U32::new(list.raw());
        jump.first = U32::new(first as u32);
        jump.otherwise = U32::new(if last { NO_LIST } else { next as u32 });
        first += steps.len();
        jumps.push((jump, steps));
    }
    Some(jumps)
}

/// What a list can come to: up to the first way without a guard.
fn rungs(tables: &Tables, leaf: StateId, list: CandidateListId) -> Option<Vec<Rung>> {
    let list = tables.candidate_lists.get(list.index())?;
    let first = list.first.get() as usize;
    let count = usize::from(list.interrupts.get()) + usize::from(list.others.get());
    let mut rungs = Vec::new();
    for candidate in &tables.candidates[first..first + count] {
        if candidate.kind != CandidateKind::Transition {
            return None;
        }
        let transition = TransitionId::read(candidate.index)?;
        rungs.extend(rungs_of(tables, transition, leaf)?);
        if rungs.len() > MAX_RUNGS {
            return None;
        }
        if rungs
            .last()
            .is_some_and(|rung: &Rung| !rung.is_conditional())
        {
            break;
        }
    }
    compete(tables, &rungs).then_some(rungs)
}

/// The ways of one transition: one, or one per branch of its choice or per state that is remembered.
fn rungs_of(tables: &Tables, id: TransitionId, leaf: StateId) -> Option<Vec<Rung>> {
    let transition = tables.transition(id);
    if transition.flags.get() & SPECIAL != 0 || !is_asked_at_once(tables, transition) {
        return None;
    }
    let elsewhere = transition_flag::HISTORY | transition_flag::CHOICE;
    if transition.flags.get() & transition_flag::SCORED != 0
        && transition.flags.get() & elsewhere != 0
    {
        return None;
    }
    let guard = OpId::read(transition.guard);
    if transition.flags.get() & transition_flag::HISTORY != 0 {
        return rungs_of_history(tables, id, leaf).filter(|_| guard.is_none());
    }
    if transition.flags.get() & transition_flag::CHOICE == 0 {
        return Some(vec![Rung {
            transition: id,
            guard,
            slot: None,
            flags: flags_of(transition),
            asker: state_in(transition.source),
            entry: RungEntry::Planned,
        }]);
    }
    let [target] = targets(tables, transition.targets) else {
        return None;
    };
    let Some(Target::Choice(asker)) = Target::read(target).filter(|_| guard.is_none()) else {
        return None;
    };
    let of_branch = |branch: &BranchRecord| Rung {
        transition: id,
        guard: OpId::read(branch.guard),
        slot: None,
        flags: 0,
        asker,
        entry: RungEntry::Branch(*branch),
    };
    Some(branches(tables, asker).iter().map(of_branch).collect())
}

/// What a jump has from its transition.
fn flags_of(transition: &TransitionRecord) -> u16 {
    let flag = |has: u16, flag: u16| match transition.flags.get() & has {
        0 => 0,
        _ => flag,
    };
    flag(transition_flag::SCORED, jump_flag::SCORED) | flag(transition_flag::STAY, jump_flag::STAYS)
}

/// Has a transition neither cooldown nor debounce nor stack?
fn is_asked_at_once(tables: &Tables, transition: &TransitionRecord) -> bool {
    let extra = TransitionExtraId::read(transition.extra);
    extra.is_none_or(|extra| {
        let extra = &tables.transition_extras[extra.index()];
        [extra.cooldown_slot, extra.debounce_timer, extra.stack] == [0xFF; 3]
    })
}

/// Do the rungs with scores stand side by side, and do all of them compete (SEL-3)?
fn compete(tables: &Tables, rungs: &[Rung]) -> bool {
    let scored = |rung: &Rung| {
        let transition = tables.transition(rung.transition);
        let flags = transition.flags.get();
        let rivals = (
            transition.source,
            transition.trigger,
            flags >> PRIORITY_SHIFT,
            flags & transition_flag::INTERRUPT,
        );
        (flags & transition_flag::SCORED != 0).then_some(rivals)
    };
    let mut groups = rungs.chunk_by(|a, b| scored(a) == scored(b));
    let Some(group) = groups.by_ref().find(|group| scored(&group[0]).is_some()) else {
        return true;
    };
    group.len() <= MAX_JUMP_SCORES && groups.all(|group| scored(&group[0]).is_none())
}

/// The ways of a transition to a history point: one per state that it may remember, and one for nothing.
fn rungs_of_history(tables: &Tables, id: TransitionId, leaf: StateId) -> Option<Vec<Rung>> {
    let transition = tables.transition(id);
    let rung = |memory: Memory| {
        let state = memory.remembered;
        Rung {
            transition: id,
            guard: None,
            slot: state.map(|_| memory.slot),
            flags: 0,
            asker: state.unwrap_or(state_in(transition.source)),
            entry: RungEntry::Down(memory.domain, memory.target),
        }
    };
    let memories = memories(tables, transition, leaf)?;
    Some(memories.into_iter().map(rung).collect())
}

fn branches(tables: &Tables, choice: StateId) -> &[BranchRecord] {
    let state = tables.state(choice);
    let first = usize::from(state.first_transition.get());
    &tables.branches[first..first + usize::from(state.transition_count.get())]
}

/// One jump without its places in the tables, and its steps.
fn jump(tables: &Tables, leaf: StateId, rung: &Rung) -> Option<(Jump, Vec<JumpStep>)> {
    let transition = tables.transition(rung.transition);
    let plan = &tables.transition_plans[rung.transition.index()];
    let line = tables.state(leaf).leaf;
    let mut builder = JumpBuilder {
        tables,
        steps: Vec::new(),
        active: leaf,
        line,
        polls: false,
    };
    let internal = transition.flags.get() & transition_flag::INTERNAL != 0;
    let (domain, regions) = match rung.entry {
        RungEntry::Down(domain, _) => (domain, u8::MAX),
        RungEntry::Planned | RungEntry::Branch(_) => (state_in(transition.domain), plan.regions),
    };
    if !internal {
        let left = (0..tables.state(domain).region_count)
            .filter(|region| regions >> region & 1 != 0)
            .count();
        builder.remember_below(domain)?;
        builder.exit_to(domain).filter(|()| left == 1)?;
    }
    let exits = builder.steps.len();
    let between = Some(builder.active).filter(|&state| tables.state(state).leaf == line);
    builder.run(transition.effect, state_in(transition.source))?;
    if let RungEntry::Branch(branch) = &rung.entry {
        builder.run(branch.effect, rung.asker)?;
    }
    let effects = builder.steps.len();
    match &rung.entry {
        RungEntry::Branch(branch) => builder.enter_branch(domain, branch)?,
        RungEntry::Down(domain, target) => builder.enter_down(*domain, *target)?,
        RungEntry::Planned if internal => {}
        RungEntry::Planned => builder.enter(PlanId::read(plan.plan)?)?,
    }
    let number = |count: usize| u16::try_from(count).ok().map(U16::new);
    let jump = Jump {
        list: U32::new(0),
        first: U32::new(0),
        transition: U16::new(rung.transition.raw()),
        leaf: U16::new(builder.active.raw()),
        count: number(builder.steps.len())?,
        guard: U16::new(OpId::to_raw(rung.guard)),
        flags: U16::new(builder.flags(rung)),
        asker: U16::new(rung.asker.raw()),
        otherwise: U32::new(NO_LIST),
        exits: number(exits)?,
        effects: number(effects)?,
        between: U16::new(StateId::to_raw(between)),
        slot: rung.slot.unwrap_or(0xFF),
        reserved: 0,
    };
    Some((jump, builder.steps))
}

/// A jump under construction.
struct JumpBuilder<'t> {
    tables: &'t Tables,
    steps: Vec<JumpStep>,
    /// The innermost active state.
    active: StateId,
    /// The leaf number of all states on the way (RAM-4).
    line: u8,
    /// What is entered polls.
    polls: bool,
}

/// A state that has nothing but actions and history.
fn is_plain(tables: &Tables, record: &StateRecord) -> bool {
    let timers = record.timer_mask != 0 || record.timer_count != 0;
    let bare = extra_of(tables, record).is_none_or(|extra| {
        let places = [extra.clock, extra.result_slot, extra.latch_slot];
        extra.channels.get() == 0
            && extra.update.get() == NONE
            && extra.scratch_count == 0
            && places == [0xFF; 3]
    });
    record.activity.get() == NONE && bare && !timers
}

fn extra_of<'t>(tables: &'t Tables, record: &StateRecord) -> Option<&'t StateExtra> {
    let extra = StateExtraId::read(record.extra)?;
    tables.state_extras.get(extra.index())
}

impl<'t> JumpBuilder<'t> {
    /// What states from the leaf up to another one will remember. All of it before the first exit: what
    /// user code forgets while it is left stays forgotten.
    fn remember_below(&mut self, domain: StateId) -> Option<()> {
        let leaf = self.active;
        for (owner, slot, state) in points_of(self.tables, leaf, domain)? {
            self.steps.push(JumpStep {
                function: U16::new(NONE),
                state: U16::new(owner.raw()),
                first: U32::new(u32::from(slot) | u32::from(state) << 16),
                leaf: U16::new(leaf.raw()),
                count: 0,
                kind: JumpStepKind::Remember.into(),
            });
        }
        Some(())
    }

    /// Exits up to a state.
    fn exit_to(&mut self, domain: StateId) -> Option<()> {
        while self.active != domain {
            let record = self.free_state(self.active)?;
            if is_plain(self.tables, record) {
                self.run(record.exit, self.active)?;
            } else {
                self.step(JumpStepKind::Exit, self.active);
            }
            self.active = StateId::read(record.parent)?;
        }
        Some(())
    }

    /// Enters by a plan.
    fn enter(&mut self, plan: PlanId) -> Option<()> {
        let plan = self.tables.entry_plans.get(plan.index())?;
        let first = plan.first.get() as usize;
        for step in &self.tables.entry_steps[first..first + usize::from(plan.count.get())] {
            match step.kind.get() {
                PlanStepKind::State => self.enter_state(state_in(step.state), step.list)?,
                PlanStepKind::Initial => self.run(step.list, state_in(step.state))?,
            }
        }
        self.arrive()
    }

    /// Enters the line from a state down to the target of a branch, which is a leaf.
    fn enter_branch(&mut self, domain: StateId, branch: &BranchRecord) -> Option<()> {
        let [target] = targets(self.tables, branch.targets) else {
            return None;
        };
        let Target::State(leaf) = Target::read(target)? else {
            return None;
        };
        self.enter_line(domain, leaf)?;
        self.arrive()
    }

    /// Enters the line from a state down to another one, and from there by initials.
    fn enter_down(&mut self, domain: StateId, target: StateId) -> Option<()> {
        self.enter_line(domain, target)?;
        for way in ways(self.tables, target)? {
            self.run(way.effect, way.owner)?;
            self.enter_line(way.owner, way.target)?;
        }
        self.arrive()
    }

    /// Enters the line from a state down to another one.
    fn enter_line(&mut self, domain: StateId, inner: StateId) -> Option<()> {
        let around = |&state: &StateId| StateId::read(self.tables.state(state).parent);
        let mut path: Vec<StateId> = std::iter::successors(Some(inner), around)
            .take_while(|&state| state != domain)
            .collect();
        let alone = |&state: &StateId| {
            around(&state).is_some_and(|outer| self.tables.state(outer).region_count == 1)
        };
        if path.is_empty() || !path.iter().all(alone) {
            return None;
        }
        path.reverse();
        for state in path {
            self.enter_state(state, self.tables.state(state).entry)?;
        }
        Some(())
    }

    /// Enters one state; what completes is left to the slow path.
    fn enter_state(&mut self, state: StateId, entry: U16) -> Option<()> {
        self.active = state;
        let record = self.free_state(state)?;
        if record.kind == StateKind::Final {
            return None;
        }
        if is_plain(self.tables, record) {
            return self.run(entry, state);
        }
        self.step(JumpStepKind::Enter, state);
        Some(())
    }

    /// The last state that was entered is a leaf.
    fn arrive(&mut self) -> Option<()> {
        let row = RowId::read(self.tables.state(self.active).row)?;
        let row = self.tables.leaf_rows.get(row.index())?;
        self.polls = row.flags.get() & row_flag::POLLS != 0;
        Some(())
    }

    fn flags(&self, rung: &Rung) -> u16 {
        let mixed = rung.is_conditional()
            || rung.flags != 0
            || self.line != 0
            || self.steps.iter().any(|step| step.function.get() == NONE);
        let flag = |on: bool, flag: u16| if on { flag } else { 0 };
        let mut kinds = self.steps.iter().map(|step| step.kind);
        let remembers = kinds.any(|kind| kind == JumpStepKind::Remember);
        flag(mixed, jump_flag::MIXED)
            | flag(self.polls, jump_flag::POLLS)
            | flag(remembers, jump_flag::REMEMBERS)
            | rung.flags
    }

    /// A state of this region alone that has no conditions on leaving it.
    fn free_state(&self, state: StateId) -> Option<&'t StateRecord> {
        let record = self.tables.states.get(state.index())?;
        if record.kind == StateKind::Orthogonal || record.leaf != self.line {
            return None;
        }
        let free = extra_of(self.tables, record)
            .is_none_or(|extra| extra.exit_ready.get() == NONE && !extra.min_active.is_some());
        free.then_some(record)
    }

    /// Leaves or enters the innermost active state by the means of the slow path.
    fn step(&mut self, kind: JumpStepKind, state: StateId) {
        let (function, state) = (U16::new(NONE), U16::new(state.raw()));
        self.steps.push(JumpStep {
            function,
            state,
            first: U32::new(0),
            leaf: state,
            count: 0,
            kind: kind.into(),
        });
    }

    /// Runs an action list that belongs to a state. A list with conditions is left to the slow
    /// path.
    fn run(&mut self, list: U16, state: StateId) -> Option<()> {
        let Some(list) = ListId::read(list) else {
            return Some(());
        };
        let list = &self.tables.action_lists[list.index()];
        let first = list.first.get();
        for action in first..first + u32::from(list.count.get()) {
            let record = &self.tables.ops[action as usize];
            if record.kind.get().leaves_out() {
                return None;
            }
            let call = record.kind == ActionOp::Call;
            self.steps.push(JumpStep {
                function: if call { record.a } else { U16::new(NONE) },
                state: U16::new(state.raw()),
                first: if call { record.b } else { U32::new(action) },
                leaf: U16::new(self.active.raw()),
                count: if call { record.count } else { 0 },
                kind: JumpStepKind::Op.into(),
            });
        }
        Some(())
    }
}
