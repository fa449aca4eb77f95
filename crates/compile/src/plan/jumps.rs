//! Jumps: for a leaf and an event, everything that always happens, as one list of ops (EXEC-1).
//!
//! A jump exists where nothing is left to decide or to keep: a transition that is the first to be
//! asked and has no condition (or the only one, with a guard), and states on the way that are of
//! one region, neither remember nor hold back. The kernel carries it out without looking anything
//! else up, if no other region has something to say to the event. States that have more than
//! actions (timers, activities, scratch) are left and entered by the general means on the way.
//! Everything else goes the general way.

use statewright_rom::layout::*;
use zerocopy::byteorder::little_endian::{U16, U32};

use crate::tables::Tables;

/// What a transition must not have.
const SPECIAL: u16 = transition_flag::SCORED
    | transition_flag::PUSH
    | transition_flag::POP
    | transition_flag::LATCH
    | transition_flag::HISTORY
    | transition_flag::CHOICE;

/// Turns cells of dense rows into jumps where that is possible.
pub fn assign(tables: &mut Tables) {
    let features = tables.header.features.get();
    // Observers are told of every event, also where nobody reacts.
    if features & (feature::DENSE_ROWS | feature::OBSERVERS) != feature::DENSE_ROWS {
        return;
    }
    let columns = usize::from(tables.header.columns.get());
    for row in 0..tables.leaf_rows.len() {
        let leaf = tables.leaf_rows[row].state.get();
        for column in 0..tables.events.len() {
            let cell = row * columns + column;
            let list = tables.dense_cells[cell].list.get();
            let Some((jump, steps)) = jump(tables, leaf, list) else {
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

fn jump(tables: &Tables, leaf: u16, list: u32) -> Option<(Jump, Vec<JumpStep>)> {
    let (number, guard) = first_candidate(tables, list)?;
    let transition = &tables.transitions[usize::from(number)];
    let line = tables.states[usize::from(leaf)].leaf;
    let mut way = Way {
        tables,
        steps: Vec::new(),
        active: leaf,
        line,
        polls: false,
    };
    let internal = transition.flags.get() & transition_flag::INTERNAL != 0;
    if !internal {
        let regions = tables.transition_plans[usize::from(number)].regions;
        let domain = &tables.states[usize::from(transition.domain.get())];
        let left = (0..domain.region_count)
            .filter(|region| regions >> region & 1 != 0)
            .count();
        way.exit_to(transition.domain.get())
            .filter(|()| left == 1)?;
    }
    way.run(transition.effect.get(), transition.source.get())?;
    if !internal {
        way.enter(tables.transition_plans[usize::from(number)].plan.get())?;
    }
    let jump = Jump {
        list: U32::new(list),
        first: U32::new(tables.jump_steps.len() as u32),
        transition: U16::new(number),
        leaf: U16::new(way.active),
        count: U16::new(u16::try_from(way.steps.len()).ok()?),
        guard: U16::new(guard),
        flags: U16::new(way.flags(guard)),
        reserved: [U16::new(0); 3],
    };
    Some((jump, way.steps))
}

/// The transition that a list always comes to, with its guard: one without conditions at its head,
/// or one that is alone.
fn first_candidate(tables: &Tables, list: u32) -> Option<(u16, u16)> {
    let list = tables.candidate_lists.get(list as usize)?;
    let candidate = &tables.candidates[list.first.get() as usize];
    if candidate.kind != CandidateKind::Transition {
        return None;
    }
    let transition = &tables.transitions[usize::from(candidate.index.get())];
    let alone = list.interrupts.get() + list.others.get() == 1;
    let plain = transition.flags.get() & SPECIAL == 0 && transition.extra.get() == NONE;
    let guard = transition.guard.get();
    (plain && (guard == NONE || alone)).then_some((candidate.index.get(), guard))
}

/// A jump under construction.
struct Way<'t> {
    tables: &'t Tables,
    steps: Vec<JumpStep>,
    /// The innermost active state.
    active: u16,
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

impl<'t> Way<'t> {
    /// Exits up to a state.
    fn exit_to(&mut self, domain: u16) -> Option<()> {
        while self.active != domain {
            let record = self.free_state(self.active)?;
            if is_plain(record) {
                self.run(record.exit.get(), self.active)?;
            } else {
                self.step(JumpStepKind::Exit, self.active);
            }
            self.active = record.parent.get();
        }
        Some(())
    }

    /// Enters by a plan; what completes is left to the general way.
    fn enter(&mut self, plan: u16) -> Option<()> {
        let plan = self.tables.entry_plans.get(usize::from(plan))?;
        let first = plan.first.get() as usize;
        for step in &self.tables.entry_steps[first..first + usize::from(plan.count.get())] {
            if step.kind == PlanStepKind::State {
                self.active = step.state.get();
                let record = self.free_state(self.active)?;
                if record.kind == StateKind::Final {
                    return None;
                }
                if !is_plain(record) {
                    self.step(JumpStepKind::Enter, self.active);
                    continue;
                }
            }
            self.run(step.list.get(), step.state.get())?;
        }
        let row = self.tables.leaf_rows.get(usize::from(
            self.tables.states[usize::from(self.active)].row.get(),
        ))?;
        self.polls = row.flags.get() & row_flag::POLLS != 0;
        Some(())
    }

    fn flags(&self, guard: u16) -> u16 {
        let mixed = guard != NONE
            || self.line != 0
            || self.steps.iter().any(|step| step.function.get() == NONE);
        let flag = |on: bool, flag: u16| if on { flag } else { 0 };
        flag(mixed, jump_flag::MIXED) | flag(self.polls, jump_flag::POLLS)
    }

    /// A state of this region alone that neither remembers what was active in it nor has conditions
    /// on leaving it.
    fn free_state(&self, state: u16) -> Option<&'t StateRecord> {
        let record = self.tables.states.get(usize::from(state))?;
        if record.kind == StateKind::Orthogonal || record.leaf != self.line {
            return None;
        }
        let free = self
            .tables
            .state_extras
            .get(usize::from(record.extra.get()))
            .is_none_or(|extra| {
                extra.history_count == 0
                    && extra.exit_ready.get() == NONE
                    && extra.min_active_ticks.get() == 0
            });
        free.then_some(record)
    }

    /// Leaves or enters the innermost active state by the general means.
    fn step(&mut self, kind: JumpStepKind, state: u16) {
        let (function, state) = (U16::new(NONE), U16::new(state));
        self.steps.push(JumpStep {
            function,
            state,
            first: U32::new(0),
            leaf: state,
            count: 0,
            kind: kind.into(),
        });
    }

    /// Runs an action list that belongs to a state. A list with conditions is left to the general
    /// way.
    fn run(&mut self, list: u16, state: u16) -> Option<()> {
        let Some(list) = self.tables.action_lists.get(usize::from(list)) else {
            return Some(());
        };
        let first = list.first.get();
        for op in first..first + u32::from(list.count.get()) {
            let record = &self.tables.ops[op as usize];
            if record.kind.get().leaves_out() {
                return None;
            }
            let call = record.kind == ActionOp::Call;
            self.steps.push(JumpStep {
                function: if call { record.a } else { U16::new(NONE) },
                state: U16::new(state),
                first: if call { record.b } else { U32::new(op) },
                leaf: U16::new(self.active),
                count: if call { record.count } else { 0 },
                kind: JumpStepKind::Op.into(),
            });
        }
        Some(())
    }
}
