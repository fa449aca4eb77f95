//! What agents do by themselves, worked out once more: the join of transitions with what asking them
//! takes, what states run, and the chain of leaves.

use statewright_rom::code::term_of;
use statewright_rom::layout::*;
use zerocopy::byteorder::little_endian::U16;

use super::Tables;

impl Tables {
    /// Fills in transition plans, runs and polls; everything else is there.
    pub fn derive_polls(&mut self) {
        let joined: Vec<_> = (0..self.transitions.len())
            .map(|place| self.joined(place))
            .collect();
        self.transition_plans = joined;
        self.runs = Vec::new();
        let mut numbers = vec![NONE; self.states.len()];
        for state in 0..self.states.len() {
            let flags = self.states[state].flags.get();
            if flags & (state_flag::ACTIVITY | state_flag::UPDATE) == 0 {
                continue;
            }
            let around = self.own_line(state);
            let next = around[1..].iter().map(|&outer| numbers[outer]);
            let next = next.into_iter().find(|&run| run != NONE);
            numbers[state] = self.runs.len() as u16;
            let run = self.run(state, next.unwrap_or(NONE));
            self.runs.push(run);
        }
        self.polls = (0..self.leaf_rows.len())
            .map(|row| self.poll(row, &numbers))
            .collect();
    }

    fn state_extra(&self, state: usize) -> Option<&StateExtra> {
        self.state_extras
            .get(usize::from(self.states[state].extra.get()))
    }

    /// A state and those around it, up to the first that lies behind the first region of another.
    fn own_line(&self, inner: usize) -> Vec<usize> {
        let mut line = vec![inner];
        let mut at = inner;
        while self.number(at) == 0 && self.states[at].parent.get() != NONE {
            at = usize::from(self.states[at].parent.get());
            line.push(at);
        }
        line
    }

    /// Which region of the state around it a state lies in.
    fn number(&self, state: usize) -> u16 {
        match self
            .states
            .get(usize::from(self.states[state].parent.get()))
        {
            Some(parent) => self.states[state].region.get() - parent.first_region.get(),
            None => 0,
        }
    }

    fn run(&self, state: usize, next: u16) -> RunRecord {
        let record = &self.states[state];
        let extra = self.state_extra(state);
        RunRecord {
            state: (state as u16).into(),
            next: next.into(),
            update: extra.map_or(NONE.into(), |extra| extra.update),
            activity: record.activity,
            result_slot: extra.map_or(0xFF, |extra| extra.result_slot),
            result_bit: extra.map_or(0, |extra| extra.result_bit),
            depth: record.depth,
            leaf: record.leaf,
            call: self.op(record.activity),
        }
    }

    fn op(&self, op: U16) -> OpRecord {
        let op = self.ops.get(usize::from(op.get()));
        op.copied().unwrap_or_default()
    }

    fn term(&self, op: &OpRecord) -> Term {
        if op.kind != ActionOp::Evaluate {
            return Term::default();
        }
        let record = &self.expressions[usize::from(op.a.get())];
        let first = record.first.get() as usize;
        term_of(&self.code[first..first + usize::from(record.count.get())])
    }

    fn joined(&self, place: usize) -> TransitionPlan {
        let record = &self.transitions[place];
        let source = usize::from(record.source.get());
        let extra = self.transition_extras.get(usize::from(record.extra.get()));
        let mut flags = 0;
        if record.guard.get() != NONE {
            flags |= ask_flag::GUARDED;
        }
        let trigger = record.trigger.get();
        let (done, failed) = (
            trigger == SpecialTrigger::Done.number(),
            trigger == SpecialTrigger::Failed.number(),
        );
        if done {
            flags |= ask_flag::SUCCEEDED;
        }
        if failed {
            flags |= ask_flag::FAILED;
        }
        if done && self.states[source].region_count > 0 {
            flags |= ask_flag::COMPLETED;
        }
        let weighs = transition_flag::SCORED | transition_flag::PUSH | transition_flag::POP;
        if record.flags.get() & weighs != 0 || extra.is_some_and(|x| x.cooldown_slot != 0xFF) {
            flags |= ask_flag::WEIGHED;
        }
        if extra.is_some_and(|extra| extra.debounce_timer != 0xFF) {
            flags |= ask_flag::DEBOUNCED;
        }
        let waits = self.state_extra(source).filter(|_| done || failed);
        TransitionPlan {
            source: record.source,
            flags,
            result_slot: waits.map_or(0xFF, |extra| extra.result_slot),
            result_bit: waits.map_or(0, |extra| extra.result_bit),
            guard: self.op(record.guard),
            term: self.term(&self.op(record.guard)),
            ..self.transition_plans[place]
        }
    }

    /// Asks are left out: which there are is not proved by loading.
    fn poll(&self, row: usize, runs: &[u16]) -> PollRecord {
        let leaf = usize::from(self.leaf_rows[row].state.get());
        let line = self.own_line(leaf);
        let outermost = line[line.len() - 1];
        let first_of = match self.number(outermost) {
            0 => NONE,
            _ => self.states[outermost].region.get(),
        };
        let mut next = NONE;
        let mut at = leaf;
        while next == NONE && self.states[at].parent.get() != NONE {
            let parent = usize::from(self.states[at].parent.get());
            if self.number(at) + 1 < u16::from(self.states[parent].region_count) {
                next = self.states[at].region.get() + 1;
            }
            at = parent;
        }
        let slots = line.iter().filter_map(|&state| self.state_extra(state));
        let latches = slots.fold(0_u32, |mask, extra| {
            mask | 1_u32.checked_shl(extra.latch_slot.into()).unwrap_or(0)
        });
        let own = line.iter().map(|&state| runs[state]);
        let run = own.into_iter().find(|&run| run != NONE);
        let region = self.regions.get(usize::from(next));
        PollRecord {
            first_of: first_of.into(),
            next: next.into(),
            latches: latches.into(),
            run: run.unwrap_or(NONE).into(),
            next_leaf: region.map_or(0xFF, |region| region.leaf),
            ..PollRecord::default()
        }
    }
}
