//! The kernel's host: [`ScriptedUserCode`] behind [`Host`].

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use statewright_kernel as kernel;
use statewright_kernel::fused::{
    AnyBare, AnyCalling, CallSite, Fuse, Needs, Phase, Polled, Quiet, Step, Taking,
};
use statewright_kernel::{
    ActionCx, Admission, Call, Command, CommandKind, GuardCx, Host, Mode, Status, Trace, Verdict,
};
use statewright_rom::ids::*;

use crate::depth::Depth;
use crate::log::{Called, Cause, Entry, Kind, Outcome, Posted, Selection, StateSet};
use crate::machine::CompiledCase;
use crate::scripted_user_code::{ScriptedUserCode, UserAction};

/// User code for the kernel.
pub struct KernelHost<'s> {
    /// The machine.
    pub compiled: &'s CompiledCase,
    /// What user code does. Guards get `&self`, so it lies in a cell.
    pub user_code: RefCell<ScriptedUserCode>,
    /// Selections of this tick.
    pub selections: Vec<Selection>,
    /// Whether selections are traced.
    pub tracing: bool,
    /// How much stack ticks used.
    pub depth: Depth,
    /// The machine as code, if this tick goes by it.
    pub fused: Option<FusedCode>,
    /// What it did, but for calls.
    pub(crate) by_code: ByCode,
    /// Calls on nothing but bytes.
    pub(crate) called_bare: Cell<u64>,
}

/// A machine as code, for this host.
#[derive(Clone, Copy, Debug)]
pub struct FusedCode {
    /// A part of a tick.
    pub run: for<'s> fn(Fuse<'_, '_>, &mut KernelHost<'s>, Phase<'_>) -> Step,
    /// The same on nothing but the bytes of an agent.
    pub bare: for<'s> fn(AnyBare<'_, '_>, &mut KernelHost<'s>, Phase<'_>) -> Step,
    /// A tick of an agent that polls and is attached where that is needed.
    pub calling: for<'s> fn(AnyCalling<'_, '_>, &mut KernelHost<'s>, Phase<'_>) -> Step,
    /// All of a tick of such an agent, if it only polls.
    pub polls: for<'s> fn(AnyCalling<'_, '_>, &mut KernelHost<'s>) -> Quiet,
    /// What it asks of an agent besides its bytes.
    pub needs: Needs,
    /// Timer places that the machine uses, a bit each.
    pub timers: u8,
    /// Functions that look at nothing but the blackboard, a bit each.
    pub plain: u64,
}

/// How often code did what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByCode {
    /// Ticks that began with it.
    pub polls: u64,
    /// Transitions without event.
    pub eventless: u64,
    /// Events of the inbox, whatever came of them.
    pub events: u64,
    /// Timers.
    pub timers: u64,
    /// Transitions of events and timers.
    pub transitions: u64,
    /// Parts of ticks on nothing but bytes, of which something came.
    pub bare: u64,
    /// Transitions that were carried out on nothing but bytes.
    pub taken_bare: u64,
    /// Twos of them that were carried out together, in regions that react to one event.
    pub together: u64,
    /// Calls of user code on nothing but bytes.
    pub called_bare: u64,
    /// Events of an agent by itself, on nothing but bytes.
    pub alone: u64,
    /// Parts of ticks of agents that poll and are attached for calls.
    pub calling: u64,
}

impl ByCode {
    fn note_bare(&mut self, step: Step) {
        self.taken_bare += u64::from(step.taking().is_taken());
        self.together += u64::from(step.taking() == Taking::Both);
        self.bare += u64::from(match step {
            Step::Took(taking) => taking != Taking::Tables,
            Step::Polled(_) | Step::Done => true,
            Step::Tables => false,
        });
    }

    /// Adds what another run did.
    pub fn add(&mut self, other: &Self) {
        self.polls += other.polls;
        self.eventless += other.eventless;
        self.events += other.events;
        self.timers += other.timers;
        self.transitions += other.transitions;
        self.bare += other.bare;
        self.taken_bare += other.taken_bare;
        self.together += other.together;
        self.called_bare += other.called_bare;
        self.alone += other.alone;
        self.calling += other.calling;
    }

    fn note(&mut self, phase: Phase<'_>, step: Step) {
        let (done, taken) = match step {
            Step::Took(taking) => (taking != Taking::Tables, taking.is_taken()),
            Step::Polled(polled) => (!matches!(polled, Polled::Slow), false),
            Step::Done => (true, false),
            Step::Tables => (false, false),
        };
        let (done, taken) = (u64::from(done), u64::from(taken));
        match phase {
            Phase::Poll { .. } => self.polls += done,
            Phase::Take(_) => self.eventless += taken,
            Phase::Event(_) | Phase::OneEvent(_) => {
                self.events += done;
                self.transitions += taken;
            }
            Phase::Timer(_) => {
                self.timers += done;
                self.transitions += taken;
            }
            Phase::Check | Phase::Ask | Phase::Run | Phase::RunAll => {}
        }
    }
}

impl<'s> KernelHost<'s> {
    /// A host with its user code.
    pub fn new(compiled: &'s CompiledCase, user_code: ScriptedUserCode) -> Self {
        Self {
            compiled,
            user_code: RefCell::new(user_code),
            selections: Vec::new(),
            tracing: true,
            depth: Depth::default(),
            fused: None,
            by_code: ByCode::default(),
            called_bare: Cell::new(0),
        }
    }

    /// What the machine as code did.
    pub fn by_code(&self) -> ByCode {
        ByCode {
            called_bare: self.called_bare.get(),
            ..self.by_code
        }
    }

    fn called(&self, kind: Kind, call: &Call<'_>, seen: Seen) -> Called {
        let argument = |record: &statewright_rom::layout::ArgumentRecord| {
            let name =
                StringId::read(record.name).map(|id| self.compiled.texts[id.index()].clone());
            (name, record.ty.raw(), record.words.map(|word| word.get()))
        };
        Called {
            kind,
            function: self.compiled.function_names[call.function.index()].clone(),
            arguments: call.arguments.iter().map(argument).collect(),
            agent: call.agent,
            tick: call.tick,
            variant: call.variant.index(),
            state: call.state.index(),
            region: call.region.map(RegionId::index),
            transition: call.transition.map(TransitionId::index),
            cause: cause(call.cause),
            ticks_in_state: seen.ticks_in_state,
            rng: seen.rng,
            active: seen.active,
        }
    }

    /// A call of a function that looks at nothing but the blackboard.
    pub(crate) fn called_plainly(&self, kind: Kind, function: u16, call: &CallSite) -> Called {
        let number = call.function().index();
        assert_eq!(number, usize::from(function), "a call of another function");
        let name = self.compiled.function_names[number].clone();
        let is_plain = self.user_code.borrow().is_plain(&name);
        assert!(is_plain, "`{name}` has to see its agent");
        self.called_bare.set(self.called_bare.get() + 1);
        Called::plain(kind, name, call.state().index())
    }

    fn act(&mut self, called: Called, actor: &mut ActionCx<'_, '_>) {
        let actions = self.user_code.get_mut().act(called);
        for action in actions {
            self.carry_out(action, actor);
        }
    }

    fn carry_out(&mut self, action: UserAction, actor: &mut ActionCx<'_, '_>) {
        match action {
            UserAction::Post {
                event,
                class,
                payload,
                internal,
            } => {
                let id = EventId::from_index(event).expect("an event");
                let admission = match internal {
                    true => actor.raise(id, payload),
                    false => actor.post(id, class, payload),
                };
                self.user_code
                    .get_mut()
                    .log
                    .push(Entry::Posted(event, posted(admission)));
            }
            UserAction::Start(timer, ticks) => {
                actor.start_timer(TimerId::from_index(timer).expect("a timer"), ticks)
            }
            UserAction::Stop(timer) => {
                actor.stop_timer(TimerId::from_index(timer).expect("a timer"))
            }
            UserAction::Draw => {
                actor.rng().next_u32();
            }
            UserAction::Scratch(number, word, value) => {
                actor.set_scratch(ScratchId::from_index(number).expect("scratch"), word, value);
            }
            UserAction::Forget(state) => {
                actor.clear_history(StateId::from_index(state).expect("a state"))
            }
            UserAction::Set(key, words) => self.user_code.get_mut().keys[key] = words,
        }
    }
}

/// What an activity is called for.
pub(crate) fn kind_of(mode: Mode) -> Kind {
    match mode {
        Mode::Run => Kind::Activity,
        Mode::Cancel => Kind::Cancel,
    }
}

/// What an activity says, by its number.
pub(crate) fn status_of(number: u8) -> Status {
    match number {
        0 => Status::Running,
        1 => Status::Succeeded,
        _ => Status::Failed,
    }
}

/// In the form of both.
pub fn posted(admission: Admission) -> Posted {
    match admission {
        Admission::Admitted => Posted::Admitted,
        Admission::Coalesced => Posted::Coalesced,
        Admission::Dropped => Posted::Dropped,
    }
}

/// Counters with their names, the same list on both sides. Resets are missing: the engines count
/// different ones.
pub fn counted(counters: &kernel::Counters) -> [(&'static str, u64); 22] {
    let [overflow, evicted] = [counters.dropped_overflow, counters.evicted];
    [
        ("events", counters.events),
        ("unhandled", counters.unhandled),
        ("deferred", counters.deferred),
        ("deferrals refused", counters.deferrals_refused),
        ("expired", counters.expired),
        ("coalesced", counters.coalesced),
        ("dropped: ended", counters.dropped_ended),
        ("dropped low", overflow[0]),
        ("dropped normal", overflow[1]),
        ("dropped interrupt", overflow[2]),
        ("dropped critical", overflow[3]),
        ("evicted low", evicted[0]),
        ("evicted normal", evicted[1]),
        ("evicted interrupt", evicted[2]),
        ("evicted critical", evicted[3]),
        ("microsteps", counters.microsteps),
        ("transitions", counters.transitions),
        ("clamps", counters.clamps),
        ("fail-safes", counters.fail_safes),
        ("terminations", counters.terminations),
        ("quarantines", counters.quarantines),
        ("commands dropped", counters.commands_dropped),
    ]
}

fn cause(cause: kernel::Cause) -> Cause {
    match cause {
        kernel::Cause::None => Cause::None,
        kernel::Cause::Event(id, payload) => Cause::Event(id.index(), payload),
        kernel::Cause::Timer(timer) => Cause::Timer(timer.index()),
    }
}

/// What lies on the stack is noted first; what the host itself needs is kept apart and does not
/// count.
impl Host for KernelHost<'_> {
    fn guard(&self, _: FunctionId, view: GuardCx<'_, '_>) -> Verdict {
        self.depth.note();
        self.judge(view)
    }

    fn score(&self, _: FunctionId, view: GuardCx<'_, '_>) -> f32 {
        self.depth.note();
        self.rate(view)
    }

    fn value(&self, _: FunctionId, view: GuardCx<'_, '_>) -> [u32; 3] {
        self.depth.note();
        self.value_of(view)
    }

    fn action(&mut self, _: FunctionId, actor: ActionCx<'_, '_>) {
        self.depth.note();
        self.run_action(actor);
    }

    fn activity(&mut self, _: FunctionId, mode: Mode, actor: ActionCx<'_, '_>) -> Status {
        self.depth.note();
        self.run_activity(mode, actor)
    }

    fn command(&mut self, command: &Command) -> bool {
        self.depth.note();
        self.take_command(command)
    }

    fn read_key(&self, key: KeyId) -> [u32; 3] {
        self.depth.note();
        self.user_code.borrow().keys[key.index()]
    }

    fn write_key(&mut self, key: KeyId, words: [u32; 3]) {
        self.depth.note();
        self.keep_key(key, words);
    }

    fn is_tracing(&self) -> bool {
        self.depth.note();
        self.tracing
    }

    fn is_fused(&self) -> bool {
        self.fused.is_some()
    }

    fn fused(&mut self, fuse: Fuse<'_, '_>, phase: Phase<'_>) -> Step {
        let Some(code) = self.fused else {
            return Step::Tables;
        };
        let step = (code.run)(fuse, self, phase);
        self.by_code.note(phase, step);
        step
    }

    fn needs(&self) -> Needs {
        self.fused.map_or(Needs::ALL, |code| code.needs)
    }

    fn timers(&self) -> u8 {
        self.fused.map_or(u8::MAX, |code| code.timers)
    }

    fn bare(&mut self, bare: AnyBare<'_, '_>, phase: Phase<'_>) -> Step {
        let Some(code) = self.fused else {
            return Step::Tables;
        };
        let step = (code.bare)(bare, self, phase);
        self.by_code.note(phase, step);
        self.by_code.note_bare(step);
        step
    }

    fn calling(&mut self, agent: AnyCalling<'_, '_>, phase: Phase<'_>) -> Step {
        let Some(code) = self.fused else {
            return Step::Tables;
        };
        let step = (code.calling)(agent, self, phase);
        self.by_code.note(phase, step);
        let slow = matches!(step, Step::Tables | Step::Polled(Polled::Slow));
        self.by_code.calling += u64::from(!slow);
        step
    }

    fn polls(&mut self, agent: AnyCalling<'_, '_>) -> Quiet {
        let Some(code) = self.fused else {
            return Quiet::Slow;
        };
        let quiet = (code.polls)(agent, self);
        let done = u64::from(quiet != Quiet::Slow);
        self.by_code.polls += done;
        self.by_code.calling += done;
        quiet
    }

    fn trace(&mut self, trace: &Trace) {
        self.depth.note();
        self.note_trace(trace);
    }
}

/// What user code sees of its agent.
struct Seen {
    ticks_in_state: Option<u32>,
    rng: u32,
    active: StateSet,
}

/// Looks through either kind of view.
macro_rules! seen {
    ($view:ident) => {{
        let states = $view.rom().state_ids();
        Seen {
            ticks_in_state: $view.ticks_in_state($view.call().state),
            rng: $view.peek_rng(),
            active: states
                .filter(|&state| $view.is_active(state))
                .map(StateId::index)
                .collect(),
        }
    }};
}

impl KernelHost<'_> {
    #[inline(never)]
    fn judge(&self, mut view: GuardCx<'_, '_>) -> Verdict {
        let call = view.call();
        let called = self.called(Kind::Guard, &call, seen!(view));
        let result = self.user_code.borrow_mut().guard(called);
        if result.draws
            && let Some(mut rng) = view.rng()
        {
            rng.next_u32();
        }
        Verdict {
            holds: result.holds,
            code: result.code,
        }
    }

    #[inline(never)]
    fn rate(&self, mut view: GuardCx<'_, '_>) -> f32 {
        let call = view.call();
        let called = self.called(Kind::Score, &call, seen!(view));
        let (score, draws) = self.user_code.borrow_mut().score(called);
        if draws && let Some(mut rng) = view.rng() {
            rng.next_u32();
        }
        score
    }

    #[inline(never)]
    fn value_of(&self, mut view: GuardCx<'_, '_>) -> [u32; 3] {
        let call = view.call();
        let called = self.called(Kind::Value, &call, seen!(view));
        let record = view.rom().function(call.function).expect("the function");
        let (words, draws) = self.user_code.borrow_mut().value(called, record.ty.get());
        if draws && let Some(mut rng) = view.rng() {
            rng.next_u32();
        }
        words
    }

    #[inline(never)]
    fn run_action(&mut self, mut actor: ActionCx<'_, '_>) {
        let call = actor.call();
        let called = self.called(Kind::Action, &call, seen!(actor));
        self.act(called, &mut actor);
    }

    #[inline(never)]
    fn run_activity(&mut self, mode: Mode, mut actor: ActionCx<'_, '_>) -> Status {
        let call = actor.call();
        let called = self.called(kind_of(mode), &call, seen!(actor));
        let function = called.function.clone();
        self.act(called, &mut actor);
        status_of(self.user_code.get_mut().activity(&function))
    }

    #[inline(never)]
    fn take_command(&mut self, command: &Command) -> bool {
        let (state, transition) = (
            command.state.index(),
            command.transition.map(TransitionId::index),
        );
        let entry = match command.kind {
            CommandKind::Emit { name, ty, payload } => {
                let words = ty.map_or(0, |ty| usize::from(ty.words()));
                let name = self.compiled.texts[name.index()].clone();
                Entry::Emitted(
                    command.lane.index(),
                    name,
                    ty.map(|ty| ty.number()),
                    payload[..words].to_vec(),
                    state,
                    transition,
                )
            }
            CommandKind::Release { channel } => Entry::Released(channel.index(), state, transition),
            CommandKind::Send { to, event, payload } => {
                Entry::Sent(to, event.index(), payload, state, transition)
            }
        };
        let user_code = self.user_code.get_mut();
        user_code.log.push(entry);
        !user_code.drops()
    }

    #[inline(never)]
    fn keep_key(&mut self, key: KeyId, words: [u32; 3]) {
        let user_code = self.user_code.get_mut();
        user_code.keys[key.index()] = words;
        user_code.log.push(Entry::Wrote(key.index(), words));
    }

    #[inline(never)]
    fn note_trace(&mut self, trace: &Trace) {
        match *trace {
            Trace::Select(from) => {
                self.selections.push(Selection {
                    cause: cause(from),
                    outcomes: BTreeMap::new(),
                });
            }
            Trace::Rejected(id, reason) => self.outcome(id, Outcome::Rejected(reason)),
            Trace::Taken(id) => self.outcome(id, Outcome::Taken),
            _ => {}
        }
    }

    fn outcome(&mut self, id: TransitionId, outcome: Outcome) {
        let selection = self
            .selections
            .last_mut()
            .expect("a selection begins before its outcomes");
        let before = selection.outcomes.insert(id.index(), outcome);
        assert!(
            before.is_none(),
            "transition {id} has two outcomes in one selection: {before:?} and {outcome:?}"
        );
    }
}
