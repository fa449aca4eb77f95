//! Walks a loaded ROM the way a kernel does and asserts that every step stays in range (ROM-2).
//!
//! For tests and fuzzers: damage bytes, [`seal`](crate::seal) them, load them, and hand what still
//! loads to [`walk_everything`]. It panics if loading let something through that it promised to
//! refuse. Nothing here shares code with `validate`.
#![expect(
    clippy::expect_used,
    reason = "this module is an alarm: it must panic when loading broke its promise"
)]

use crate::HeadError;
use crate::error::{LoadError, Problem};
use crate::ids::*;
use crate::layout::*;
use crate::load::read_frame;
use crate::validate::validate_slowly;
use crate::view::{Reaction, Rom, Target};

/// Calls every accessor with every index and follows every reference. The result only keeps the
/// work from being optimized away.
pub fn walk_everything(rom: &Rom<'_>) -> u64 {
    let mut walk = Walk { rom, sum: 0 };
    walk.whole();
    walk.tree();
    walk.state_parts();
    walk.transitions();
    walk.actions();
    walk.data();
    walk.default_entries();
    walk.choices();
    walk.dispatch();
    walk.plans();
    walk.polls();
    walk.sum
}

/// Asserts that the fast and the slow form of every proof agree about a ROM that went through
/// [`Rom::from_bytes`] with this result.
pub fn verdicts_agree(bytes: &[u8], result: &Result<Rom<'_>, LoadError>) {
    let Ok(rom) = read_frame(bytes) else {
        assert!(result.is_err(), "a broken frame was accepted");
        return;
    };
    if matches!(
        result,
        Err(LoadError {
            problem: Problem::Head(HeadError::Checksum { .. }),
            ..
        })
    ) {
        return;
    }
    let slowly = validate_slowly(&rom);
    assert_eq!(
        result.is_err(),
        slowly.is_err(),
        "fast: {:?}, slow: {slowly:?}",
        result.as_ref().err()
    );
    if let Err(LoadError {
        problem: Problem::Rule(text),
        ..
    }) = result
    {
        assert!(
            !text.starts_with("refused"),
            "no reason given, slow: {slowly:?}"
        );
    }
}

struct Walk<'r, 'a> {
    rom: &'r Rom<'a>,
    sum: u64,
}

/// A field that may be absent or names a record.
fn may_name(raw: u16, count: usize, what: &str) {
    assert!(
        raw == NONE || usize::from(raw) < count,
        "{what} {raw} of {count}"
    );
}

/// A field that names a record.
fn names(raw: u16, count: usize, what: &str) {
    assert!(usize::from(raw) < count, "{what} {raw} of {count}");
}

/// Ids of a table, and some past its end: those must not panic either.
fn probes<T>(count: usize, id: fn(usize) -> Option<T>) -> impl Iterator<Item = T> {
    (0..count.saturating_add(2))
        .chain([0xFFFE, 0x1_0000])
        .filter_map(id)
}

impl Walk<'_, '_> {
    fn note(&mut self, value: impl Into<u64>) {
        self.sum = self.sum.rotate_left(5) ^ value.into();
    }

    fn whole(&mut self) {
        let rom = self.rom;
        self.note(rom.machine_id());
        self.note(rom.structure_hash() ^ rom.parameter_hash());
        self.note(rom.capacity().bytes);
        assert!(rom.header().tier.is_known());
        for set in [rom.fail_safe(), rom.reload_entry()].into_iter().flatten() {
            self.target_set(set);
        }
        for &section in Section::ALL {
            self.note(rom.count(section) as u64);
        }
    }

    fn tree(&mut self) {
        let rom = self.rom;
        for id in probes(rom.states().len(), StateId::from_index) {
            let path = rom.path_up(id);
            let real = rom.state(id).is_some();
            assert_eq!(
                path.clone().last(),
                real.then_some(StateId::ROOT),
                "the way up from {id} ends at the root"
            );
            assert_eq!(
                rom.state(id).map(|state| usize::from(state.depth)),
                real.then(|| path.clone().count())
            );
            for around in path {
                assert!(rom.is_ancestor_or_self(around, id));
                assert!(around == id || rom.is_inside(id, around));
            }
            self.regions(id);
        }
    }

    fn regions(&mut self, owner: StateId) {
        let rom = self.rom;
        assert_eq!(
            rom.region_ids_of(owner).count(),
            rom.regions_of(owner).len()
        );
        let mut taken = 0;
        for id in rom.region_ids_of(owner) {
            let region = rom.region(id).expect("a region of a state exists");
            let mask = rom.region_leaf_mask(id);
            assert_eq!(
                mask & taken,
                0,
                "regions that are active together share a leaf"
            );
            assert!(mask < 1 << rom.capacity().leaves);
            taken |= mask;
            let mut children = 0_u32;
            for child in rom.children(id) {
                assert_eq!(rom.parent(child), Some(owner));
                let state = rom.state(child).expect("a child exists");
                assert_eq!((state.region.get(), state.leaf), (id.raw(), region.leaf));
                children = children.saturating_add(1);
            }
            assert!(children > 0, "a region without states");
            if let Some(stack) = rom.stack_of(id) {
                assert!(
                    u32::from(stack.first_slot).saturating_add(
                        u32::from(stack.depth).saturating_mul(stack.frame_slots.into())
                    ) <= u32::from(rom.capacity().slots)
                );
                assert!(region.leaf.saturating_add(stack.leaves) <= rom.capacity().leaves);
            }
        }
        self.note(taken);
    }

    fn state_parts(&mut self) {
        let rom = self.rom;
        for id in rom.state_ids() {
            let state = rom.state(id).expect("ids are in range");
            may_name(state.entry.get(), rom.action_lists().len(), "entry");
            may_name(state.exit.get(), rom.action_lists().len(), "exit");
            self.single(state.activity.get(), FunctionKind::Activity, None);
            assert_eq!(rom.timers_of(id).len(), usize::from(state.timer_count));
            assert!(
                rom.timers_of(id)
                    .iter()
                    .all(|timer| StateId::read(timer.owner) == Some(id))
            );
            assert!(
                rom.transitions_of(id)
                    .iter()
                    .all(|transition| StateId::read(transition.source) == Some(id))
            );
            assert!(
                rom.branches_of(id)
                    .iter()
                    .all(|branch| StateId::read(branch.owner) == Some(id))
            );
            assert!(
                rom.history_of(id)
                    .iter()
                    .all(|point| StateId::read(point.owner) == Some(id))
            );
            assert!(
                rom.deferrals_of(id)
                    .iter()
                    .all(|deferral| StateId::read(deferral.state) == Some(id))
            );
            if state.kind == StateKind::Choice {
                let branches = rom.branches_of(id);
                assert!(
                    branches.last().is_some_and(|last| last.guard.get() == NONE),
                    "choice {id} may find no way"
                );
            }
            if let Some(extra) = rom.state_extra(id) {
                assert_eq!(extra.state.get(), id.raw());
                self.state_extra(extra);
            }
        }
        for timer in rom.timers() {
            assert!(timer.place.saturating_add(timer.instances) <= rom.capacity().timers);
            names(timer.owner.get(), rom.states().len(), "owner");
            may_name(
                timer.transition.get(),
                rom.transitions().len(),
                "transition",
            );
            may_name(timer.column.get(), rom.columns(), "column");
        }
        for point in rom.history() {
            assert!(point.slot.saturating_add(point.slot_count) <= rom.capacity().slots);
            may_name(point.effect.get(), rom.action_lists().len(), "effect");
        }
    }

    fn state_extra(&mut self, extra: &StateExtra) {
        let rom = self.rom;
        may_name(extra.suspend.get(), rom.action_lists().len(), "suspend");
        may_name(extra.resume.get(), rom.action_lists().len(), "resume");
        may_name(extra.update.get(), rom.action_lists().len(), "update");
        may_name(
            extra.done_event.get(),
            rom.events().len(),
            "event of completion",
        );
        self.single(
            extra.exit_ready.get(),
            FunctionKind::Guard,
            Some(ValueType::Bool),
        );
        assert!(extra.clock == 0xFF || extra.clock < rom.capacity().timers);
        for slot in [extra.result_slot, extra.latch_slot] {
            assert!(slot == 0xFF || slot < rom.capacity().slots);
        }
        assert!(
            extra.scratch_slot == 0xFF
                || extra.scratch_slot.saturating_add(extra.scratch_count) <= rom.capacity().slots
        );
        for channel in (0..32).filter(|channel| extra.channels.get() >> channel & 1 == 1) {
            assert!(ChannelId::new(channel).is_some_and(|channel| rom.channel(channel).is_some()));
        }
    }

    /// A guard, a score or an activity.
    fn single(&mut self, raw: u16, function: FunctionKind, ty: Option<ValueType>) {
        let Some(id) = OpId::new(raw) else { return };
        let op = self.rom.op(id).expect("a single op exists");
        match op.kind.get() {
            ActionOp::Call | ActionOp::CallWith => {
                let entry = FunctionId::read(op.a)
                    .and_then(|id| self.rom.function(id))
                    .expect("the function exists");
                assert_eq!(entry.kind, function);
                self.arguments(op);
            }
            ActionOp::Evaluate => {
                let id = ExpressionId::read(op.a).expect("the expression exists");
                let expression = self.rom.expression(id).expect("the expression exists");
                assert_eq!(Some(expression.ty.get()), ty);
                assert!(!self.rom.code_of(id).is_empty());
            }
            kind @ (ActionOp::Set
            | ActionOp::Add
            | ActionOp::Raise
            | ActionOp::Send
            | ActionOp::Emit
            | ActionOp::StartTimer
            | ActionOp::StopTimer
            | ActionOp::ClearHistory
            | ActionOp::SetScratch
            | ActionOp::AddScratch
            | ActionOp::Unless
            | ActionOp::Skip) => misplaced("single op", kind),
        }
    }

    /// Arguments exist, and the computed ones have a place and an expression.
    fn arguments(&self, op: &OpRecord) {
        let run = self.rom.arguments_of(op);
        assert_eq!(run.len(), usize::from(op.count));
        let computed = run.iter().filter(|one| one.place().is_some());
        assert_eq!(computed.clone().count() > 0, op.kind == ActionOp::CallWith);
        for argument in computed {
            assert_eq!(argument.source, ArgumentSource::Expression);
            let code = argument.words[0].get() as usize;
            let expression = self.rom.expressions().get(code);
            assert_eq!(expression.map(|one| one.ty), Some(argument.ty));
        }
    }

    fn target_set(&mut self, id: TargetSetId) {
        let rom = self.rom;
        let targets = rom.targets_of(id);
        assert!(
            !targets.is_empty() && targets.len() <= usize::from(rom.capacity().leaves),
            "set {id}: {}",
            targets.len()
        );
        for record in targets {
            let target = Target::read(record).expect("the kind of a target is known");
            let anchor = rom
                .anchor(target)
                .and_then(|anchor| rom.state(anchor))
                .expect("a target stands in the tree");
            assert_eq!(
                anchor.kind == StateKind::Choice,
                matches!(target, Target::Choice(_))
            );
            self.note(anchor.depth);
        }
    }

    fn transitions(&mut self) {
        let rom = self.rom;
        for id in probes(rom.transitions().len(), TransitionId::from_index) {
            let Some(transition) = rom.transition(id) else {
                assert!(rom.transition_extra(id).is_none() && rom.transition_plan(id).is_none());
                continue;
            };
            let source = StateId::read(transition.source).expect("a source");
            let domain = StateId::read(transition.domain).expect("a domain");
            assert!(rom.is_ancestor_or_self(domain, source));
            self.single(
                transition.guard.get(),
                FunctionKind::Guard,
                Some(ValueType::Bool),
            );
            may_name(transition.effect.get(), rom.action_lists().len(), "effect");
            if let Some(set) = TargetSetId::read(transition.targets) {
                self.target_set(set);
            }
            let plan = rom
                .transition_plan(id)
                .expect("every transition has a record of plans");
            may_name(plan.plan.get(), rom.entry_plans().len(), "plan");
            if let Some(extra) = rom.transition_extra(id) {
                self.transition_extra(id, extra);
            }
        }
    }

    fn transition_extra(&mut self, id: TransitionId, extra: &TransitionExtra) {
        let rom = self.rom;
        assert_eq!(extra.transition.get(), id.raw());
        self.single(
            extra.score.get(),
            FunctionKind::Scorer,
            Some(ValueType::F32),
        );
        assert!(
            extra.cooldown_slot == 0xFF
                || extra.cooldown_slot.saturating_add(2) <= rom.capacity().slots
        );
        assert!(extra.debounce_timer == 0xFF || extra.debounce_timer < rom.capacity().timers);
        if let Some(stack) = StackId::new(extra.stack) {
            assert!(rom.stack(stack).is_some());
        }
    }

    fn actions(&mut self) {
        let rom = self.rom;
        for id in probes(rom.action_lists().len(), ListId::from_index) {
            let ops = rom.list(id);
            assert_eq!(ops.is_empty(), id.index() >= rom.action_lists().len());
            for (place, op) in ops.iter().enumerate() {
                self.action(op);
                if op.kind.get().leaves_out() {
                    assert!(
                        op.b.get() != 0 && (op.b.get() as usize) < ops.len().saturating_sub(place)
                    );
                }
            }
        }
        for observer in rom.observers() {
            names(observer.actions.get(), rom.action_lists().len(), "observer");
            assert!(
                SpecialTrigger::Any.is(observer.event)
                    || usize::from(observer.event.get()) < rom.events().len()
            );
        }
    }

    fn action(&mut self, op: &OpRecord) {
        let rom = self.rom;
        let (a, b) = (op.a.get(), op.b.get());
        let (low, high) = (b as u16, (b >> 16) as u16);
        let expressions = rom.expressions().len();
        match op.kind.get() {
            ActionOp::Call | ActionOp::CallWith => {
                let entry = FunctionId::new(a)
                    .and_then(|id| rom.function(id))
                    .expect("the function exists");
                assert_eq!(entry.kind, FunctionKind::Action);
                self.arguments(op);
            }
            ActionOp::SetScratch | ActionOp::AddScratch => {
                let scratch = rom.scratch().get(b as usize).expect("the scratch exists");
                let value = ExpressionId::new(a)
                    .and_then(|id| rom.expression(id))
                    .expect("the value exists");
                assert_eq!(scratch.ty.get().value_type(), Some(value.ty.get()));
            }
            ActionOp::Set | ActionOp::Add => {
                let key = u16::try_from(b)
                    .ok()
                    .and_then(KeyId::new)
                    .and_then(|id| rom.key(id))
                    .expect("the key exists");
                let value = ExpressionId::new(a)
                    .and_then(|id| rom.expression(id))
                    .expect("the value exists");
                assert_eq!(key.ty, value.ty);
            }
            ActionOp::Raise => {
                names(a, rom.events().len(), "event");
                may_name(low, expressions, "payload");
            }
            ActionOp::Send => {
                names(a, rom.events().len(), "event");
                may_name(low, expressions, "payload");
                may_name(high, expressions, "receiver");
            }
            ActionOp::Emit => {
                assert!(StringId::new(a).is_some_and(|id| rom.string(id).is_some()));
                may_name(low, expressions, "payload");
                names(high, rom.lane_count(), "lane");
            }
            ActionOp::StartTimer | ActionOp::StopTimer => names(a, rom.timers().len(), "timer"),
            ActionOp::ClearHistory => names(a, rom.states().len(), "state"),
            ActionOp::Unless => {
                let condition = ExpressionId::new(a)
                    .and_then(|id| rom.expression(id))
                    .expect("the condition exists");
                assert_eq!(condition.ty, ValueType::Bool);
            }
            ActionOp::Skip => assert_eq!(a, 0),
            kind @ ActionOp::Evaluate => misplaced("action", kind),
        }
    }

    fn data(&mut self) {
        let rom = self.rom;
        for id in probes(rom.strings().len(), StringId::from_index) {
            assert_eq!(rom.string(id).is_some(), id.index() < rom.strings().len());
        }
        let words = rom.blackboard_words();
        for key in rom.keys() {
            let end =
                usize::from(key.offset.get()).saturating_add(usize::from(key.ty.get().words()));
            assert!(end <= words);
        }
        for variant in probes(rom.variants().len(), VariantId::from_index) {
            for id in probes(rom.parameters().len(), ParameterId::from_index) {
                let value = rom.parameter_value(variant, id);
                let real = variant.index() < rom.variants().len();
                let words = rom
                    .parameter(id)
                    .map_or(0, |parameter| usize::from(parameter.ty.get().words()));
                assert_eq!(value.len(), if real { words } else { 0 });
                let first = rom.parameter(id).zip(value.first());
                let is_value =
                    first.is_none_or(|(one, value)| rom.is_value(one.ty.get(), value.word.get()));
                assert!(is_value);
            }
        }
        let values = rom.parameter_values();
        assert!(rom.with_parameter_values(values).is_some());
        assert!(values.is_empty() || rom.with_parameter_values(&[]).is_none());
        for id in probes(rom.expressions().len(), ExpressionId::from_index) {
            assert_eq!(rom.code_of(id).is_empty(), rom.expression(id).is_none());
        }
        for id in probes(rom.durations().len(), DurationId::from_index) {
            let word = DurationWord::computed(id);
            let record = rom.computed_duration(word);
            assert_eq!(record.is_some(), id.index() < rom.durations().len());
            self.note(rom.ticks_asked(word, VariantId::PLAIN));
            let Some(record) = record else { continue };
            match record.kind.get() {
                DurationKind::Parameter => {
                    names(record.index.get(), rom.parameters().len(), "parameter");
                }
                DurationKind::Expression => {
                    names(record.index.get(), rom.expressions().len(), "expression");
                }
                DurationKind::Range => assert!(record.low.get() <= record.high.get()),
            }
        }
        for channel in rom.channels() {
            names(channel.lane.get(), rom.lane_count(), "lane");
            names(channel.command.get(), rom.strings().len(), "command");
        }
        self.stable_ids();
    }

    fn stable_ids(&mut self) {
        use StableGroup::*;
        let groups = [
            Machine,
            States,
            Regions,
            Events,
            Timers,
            Transitions,
            History,
            Scratch,
        ];
        let total: usize = groups
            .map(|group| self.rom.stable_ids_of(group).len())
            .iter()
            .sum();
        assert_eq!(total, self.rom.stable_ids().len());
        assert_eq!(
            self.rom.stable_ids_of(States).len(),
            self.rom.states().len()
        );
        assert_eq!(
            self.rom.stable_ids_of(Scratch).len(),
            self.rom.scratch().len()
        );
    }

    /// Default entry of every region goes down and ends.
    fn default_entries(&mut self) {
        let rom = self.rom;
        for id in probes(rom.regions().len(), RegionId::from_index) {
            let Some(region) = rom.region(id) else {
                continue;
            };
            let owner = StateId::read(region.owner).expect("an owner");
            let initial = rom.initial_of(id).expect("a region has an initial");
            may_name(initial.effect.get(), rom.action_lists().len(), "effect");
            let set = TargetSetId::read(initial.targets).expect("an initial has targets");
            self.target_set(set);
            self.leads_inside(owner, set, true);
        }
        for point in rom.history() {
            if let Some(set) = TargetSetId::read(point.default) {
                self.target_set(set);
                self.leads_inside(StateId::read(point.owner).expect("an owner"), set, false);
            }
        }
    }

    /// Every target of a default lies inside the owner; a history point of the owner itself has a
    /// default.
    fn leads_inside(&mut self, owner: StateId, set: TargetSetId, own_history: bool) {
        let rom = self.rom;
        for target in rom.targets_of(set).iter().filter_map(Target::read) {
            let anchor = rom.anchor(target).expect("a target stands in the tree");
            let own = match target {
                Target::History(id) => {
                    let point = rom.history_point(id).expect("the point exists");
                    own_history && anchor == owner && point.default.get() != NONE
                }
                _ => false,
            };
            assert!(
                own || rom.is_inside(anchor, owner),
                "default entry of {owner} does not end"
            );
        }
    }

    /// Whatever guards say, a way through choices has at most 16 of them. Followed: first, last and
    /// longest branches.
    fn choices(&mut self) {
        let rom = self.rom;
        for id in rom
            .state_ids()
            .filter(|&id| !rom.branches_of(id).is_empty())
        {
            for pick in 0..rom.branches_of(id).len() {
                let mut at = id;
                let mut steps = 0;
                while let Some(next) = self.take_branch(at, pick) {
                    steps = u32::saturating_add(steps, 1);
                    assert!(steps < 16, "the way from choice {id} does not end");
                    at = next;
                }
            }
        }
    }

    /// Takes a branch of a choice; the next choice if it leads to one.
    fn take_branch(&mut self, choice: StateId, pick: usize) -> Option<StateId> {
        let rom = self.rom;
        let branches = rom.branches_of(choice);
        let branch = branches
            .get(pick)
            .or(branches.last())
            .expect("a choice has branches");
        self.single(
            branch.guard.get(),
            FunctionKind::Guard,
            Some(ValueType::Bool),
        );
        may_name(branch.effect.get(), rom.action_lists().len(), "effect");
        let set = TargetSetId::read(branch.targets).expect("a branch has targets");
        self.target_set(set);
        let targets = rom.targets_of(set);
        let choices = targets
            .iter()
            .filter_map(Target::read)
            .find_map(|target| match target {
                Target::Choice(state) => Some(state),
                _ => None,
            });
        assert!(choices.is_none() || targets.len() == 1);
        choices
    }

    fn dispatch(&mut self) {
        let rom = self.rom;
        for id in rom.state_ids() {
            let state = rom.state(id).expect("ids are in range");
            assert_eq!(rom.row_of(id).is_some(), state.kind.get().is_leaf());
            let Some(row) = rom.row_of(id) else { continue };
            assert_eq!(StateId::read(row.state), Some(id));
            for column in probes(rom.columns(), Column::from_index) {
                if let Some(list) = rom.candidate_list(row, column) {
                    assert!(column.index() < rom.columns());
                    self.candidates(list);
                }
            }
            for event in 0..rom.events().len() as u16 {
                if let Some(jump) = rom
                    .cell(id.raw(), event)
                    .and_then(|cell| rom.jump(cell.list.get()))
                {
                    self.jump(jump);
                }
            }
        }
    }

    /// Carrying out a jump stays in range.
    fn jump(&mut self, jump: &Jump) {
        let rom = self.rom;
        assert!(TransitionId::read(jump.transition).is_some_and(|id| rom.transition(id).is_some()));
        assert!(StateId::read(jump.leaf).is_some_and(|leaf| rom.row_of(leaf).is_some()));
        let steps = rom.jump_steps_of(jump).expect("the steps exist");
        assert_eq!(steps.len(), usize::from(jump.count.get()));
        assert!(jump.slot == 0xFF || jump.slot < rom.capacity().slots);
        for step in steps {
            assert!(StateId::read(step.state).is_some_and(|state| rom.state(state).is_some()));
            match FunctionId::read(step.function) {
                Some(function) => {
                    let record = rom.function(function).expect("the function exists");
                    assert_eq!(record.kind, FunctionKind::Action);
                    assert_eq!(
                        rom.argument_run(step.first.get(), step.count).len(),
                        usize::from(step.count)
                    );
                }
                None if step.kind == JumpStepKind::Remember => {
                    let (slot, state) = step.remembered();
                    assert!(slot < rom.capacity().slots);
                    assert!(usize::from(state) < rom.states().len());
                }
                None if step.kind != JumpStepKind::Op => assert_eq!(step.first.get(), 0),
                None => assert!((step.first.get() as usize) < rom.ops().len()),
            }
            self.note(step.state.get());
        }
    }

    fn candidates(&mut self, list: CandidateListId) {
        let rom = self.rom;
        let candidates = rom.candidates_of(list);
        assert!(
            candidates
                .interrupts
                .len()
                .saturating_add(candidates.others.len())
                > 0,
            "list {list} is empty"
        );
        for record in candidates.interrupts.iter().chain(candidates.others) {
            let source = match Reaction::read(record).expect("the kind of a candidate is known") {
                Reaction::Transition(id) => {
                    let transition = rom.transition(id).expect("the transition exists");
                    StateId::read(transition.source).expect("a source")
                }
                Reaction::Deferral(state) => {
                    assert!(!rom.deferrals_of(state).is_empty());
                    state
                }
            };
            self.note(source.raw());
        }
    }

    /// Carrying out a plan stays in range.
    fn plans(&mut self) {
        let rom = self.rom;
        for id in probes(rom.entry_plans().len(), PlanId::from_index) {
            let steps = rom.plan_steps(id);
            assert_eq!(steps.is_empty(), id.index() >= rom.entry_plans().len());
            for step in steps {
                let state = StateId::read(step.state)
                    .and_then(|id| rom.state(id))
                    .expect("the state exists");
                may_name(step.list.get(), rom.action_lists().len(), "entry");
                if let Some(leaf) = LeafId::new(step.leaf) {
                    assert!(leaf.raw() < rom.capacity().leaves && leaf.raw() == state.leaf);
                }
            }
        }
    }
}

/// What agents do by themselves.
impl Walk<'_, '_> {
    fn polls(&mut self) {
        let rom = self.rom;
        assert_eq!(rom.polls().len(), rom.leaf_rows().len());
        for poll in rom.polls() {
            let region = RegionId::read(poll.next).map(|id| rom.region(id).expect("it exists"));
            assert_eq!(poll.next_leaf, region.map_or(0xFF, |region| region.leaf));
            for (first, count) in [
                (poll.first_interrupt, poll.interrupts),
                (poll.first_ask, poll.asks),
            ] {
                let first = first.get() as usize;
                let run = rom
                    .candidates()
                    .get(first..first.wrapping_add(usize::from(count.get())));
                assert!(run.is_some(), "own candidates lie in their table");
            }
            // Each record leads to an earlier one, so that every walk ends.
            let mut next = poll.run.get();
            while next != NONE {
                let run = rom.runs().get(usize::from(next)).expect("it exists");
                assert!(run.next.get() == NONE || run.next.get() < next);
                let state = StateId::read(run.state).and_then(|id| rom.state(id));
                assert_eq!(state.expect("it exists").activity, run.activity);
                self.note(run.state.get());
                next = run.next.get();
            }
        }
        for (plan, transition) in rom.transition_plans().iter().zip(rom.transitions()) {
            assert_eq!(plan.source, transition.source);
            let guard = OpId::read(transition.guard).and_then(|op| rom.op(op));
            assert_eq!(plan.guard, guard.copied().unwrap_or_default());
        }
    }
}

fn misplaced(what: &str, kind: ActionOp) {
    assert!(kind.name().is_empty(), "{kind:?} as a {what}");
}
