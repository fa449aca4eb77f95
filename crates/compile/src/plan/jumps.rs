//! Jumps: for a leaf and an event, everything that always happens, as one list of steps (EXEC-1).
//!
//! A jump exists where nothing is left to decide or to keep: a transition that is the first to be
//! asked and has no condition (or the only one, with a guard), and states on the way that are of
//! one region, neither remember nor hold back. The kernel carries it out without looking anything
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
//! Whatever does not fit (scores, `stay`, pushes, history, choices, regions, conditions on leaving, lists
//! with `if`, a final state at the end) has no jump, and the kernel takes the slow path: it goes by
//! the candidate list, whose number the jump keeps for the case that its guard says no.

use statewright_rom::ids::{
    CandidateListId, ListId, OpId, PlanId, RowId, StateExtraId, StateId, TransitionId,
};
use statewright_rom::layout::*;
use zerocopy::byteorder::little_endian::{U16, U32};

use super::shape::state_in;
use crate::tables::Tables;

/// What a transition must not have.
const SPECIAL: u16 = transition_flag::SCORED
    | transition_flag::PUSH
    | transition_flag::POP
    | transition_flag::LATCH
    | transition_flag::HISTORY
    | transition_flag::CHOICE
    | transition_flag::STAY;

/// Turns cells of dense rows into jumps where that is possible.
pub fn assign(tables: &mut Tables) {
    let features = tables.header.features.get();
    // Observers are told of every event, also where nobody reacts.
    if features & (feature::DENSE_ROWS | feature::OBSERVERS) != feature::DENSE_ROWS {
        return;
    }
    let columns = usize::from(tables.header.columns.get());
    for row in 0..tables.leaf_rows.len() {
        let leaf = state_in(tables.leaf_rows[row].state);
        for column in 0..tables.events.len() {
            let cell = row * columns + column;
            let list = CandidateListId::read(tables.dense_cells[cell].list);
            let Some((jump, steps)) = list.and_then(|list| jump(tables, leaf, list)) else {
                continue;
            };
            if tables.jump_steps.len() + steps.len() > MAX_JUMP_STEPS {
                return;
            }
            tables.dense_cells[cell].list = U32::new(JUMP | tables.jumps.len() as u32);
            tables.jumps.push(jump);
            tables.jump_steps.extend(steps);
        }
    }
}

fn jump(tables: &Tables, leaf: StateId, list: CandidateListId) -> Option<(Jump, Vec<JumpStep>)> {
    let (id, guard) = first_candidate(tables, list)?;
    let transition = tables.transition(id);
    let plan = &tables.transition_plans[id.index()];
    let line = tables.state(leaf).leaf;
    let mut builder = JumpBuilder {
        tables,
        steps: Vec::new(),
        active: leaf,
        line,
        polls: false,
    };
    let internal = transition.flags.get() & transition_flag::INTERNAL != 0;
    if !internal {
        let domain = state_in(transition.domain);
        let left = (0..tables.state(domain).region_count)
            .filter(|region| plan.regions >> region & 1 != 0)
            .count();
        builder.exit_to(domain).filter(|()| left == 1)?;
    }
    builder.run(transition.effect, state_in(transition.source))?;
    if !internal {
        builder.enter(PlanId::read(plan.plan)?)?;
    }
    let jump = Jump {
        list: U32::new(list.raw()),
        first: U32::new(tables.jump_steps.len() as u32),
        transition: U16::new(id.raw()),
        leaf: U16::new(builder.active.raw()),
        count: U16::new(u16::try_from(builder.steps.len()).ok()?),
        guard: U16::new(OpId::to_raw(guard)),
        flags: U16::new(builder.flags(guard)),
        reserved: [U16::new(0); 3],
    };
    Some((jump, builder.steps))
}

/// The transition that a list always comes to, with its guard: one without conditions at its head,
/// or one that is alone.
fn first_candidate(tables: &Tables, list: CandidateListId) -> Option<(TransitionId, Option<OpId>)> {
    let list = tables.candidate_lists.get(list.index())?;
    let candidate = &tables.candidates[list.first.get() as usize];
    if candidate.kind != CandidateKind::Transition {
        return None;
    }
    let id = TransitionId::read(candidate.index)?;
    let transition = tables.transition(id);
    let alone = list.interrupts.get() + list.others.get() == 1;
    let plain = transition.flags.get() & SPECIAL == 0 && transition.extra.get() == NONE;
    let guard = OpId::read(transition.guard);
    (plain && (guard.is_none() || alone)).then_some((id, guard))
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

/// A state that has nothing but actions.
fn is_plain(record: &StateRecord) -> bool {
    let timers = record.timer_mask != 0 || record.timer_count != 0;
    record.activity.get() == NONE && record.extra.get() == NONE && !timers
}

impl<'t> JumpBuilder<'t> {
    /// Exits up to a state.
    fn exit_to(&mut self, domain: StateId) -> Option<()> {
        while self.active != domain {
            let record = self.free_state(self.active)?;
            if is_plain(record) {
                self.run(record.exit, self.active)?;
            } else {
                self.step(JumpStepKind::Exit, self.active);
            }
            self.active = StateId::read(record.parent)?;
        }
        Some(())
    }

    /// Enters by a plan; what completes is left to the slow path.
    fn enter(&mut self, plan: PlanId) -> Option<()> {
        let plan = self.tables.entry_plans.get(plan.index())?;
        let first = plan.first.get() as usize;
        for step in &self.tables.entry_steps[first..first + usize::from(plan.count.get())] {
            if step.kind == PlanStepKind::State {
                self.active = state_in(step.state);
                let record = self.free_state(self.active)?;
                if record.kind == StateKind::Final {
                    return None;
                }
                if !is_plain(record) {
                    self.step(JumpStepKind::Enter, self.active);
                    continue;
                }
            }
            self.run(step.list, state_in(step.state))?;
        }
        let row = RowId::read(self.tables.state(self.active).row)?;
        let row = self.tables.leaf_rows.get(row.index())?;
        self.polls = row.flags.get() & row_flag::POLLS != 0;
        Some(())
    }

    fn flags(&self, guard: Option<OpId>) -> u16 {
        let mixed = guard.is_some()
            || self.line != 0
            || self.steps.iter().any(|step| step.function.get() == NONE);
        let flag = |on: bool, flag: u16| if on { flag } else { 0 };
        flag(mixed, jump_flag::MIXED) | flag(self.polls, jump_flag::POLLS)
    }

    /// A state of this region alone that neither remembers what was active in it nor has conditions
    /// on leaving it.
    fn free_state(&self, state: StateId) -> Option<&'t StateRecord> {
        let record = self.tables.states.get(state.index())?;
        if record.kind == StateKind::Orthogonal || record.leaf != self.line {
            return None;
        }
        let extra = StateExtraId::read(record.extra);
        let free = extra
            .and_then(|extra| self.tables.state_extras.get(extra.index()))
            .is_none_or(|extra| {
                extra.history_count == 0
                    && extra.exit_ready.get() == NONE
                    && !extra.min_active.is_some()
            });
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
