//! The oracle's world: [`ScriptedUserCode`] behind [`World`].

use std::rc::Rc;

use statewright_kernel::{Fault, Reason};
use statewright_oracle as oracle;
use statewright_oracle::{Actor, Call, Command, Mode, Rng, Status, Verdict, World};
use statewright_rom::layout::ValueType;

use crate::log::{Called, Cause, Entry, Kind, Outcome, Posted, Selection};
use crate::machine::CompiledCase;
use crate::scripted_user_code::{ScriptedUserCode, UserAction};

/// User code for the oracle.
pub struct OracleWorld<'s> {
    /// The machine.
    pub compiled: &'s CompiledCase,
    /// What user code does.
    pub user_code: ScriptedUserCode,
}

/// In the form of both.
pub fn posted(posted: &oracle::Posted) -> Posted {
    match posted {
        oracle::Posted::Admitted { .. } => Posted::Admitted,
        oracle::Posted::Coalesced => Posted::Coalesced,
        oracle::Posted::Dropped => Posted::Dropped,
    }
}

/// Counters with their names, the same list on both sides. Resets are missing: the engines count
/// different ones.
pub fn counted(counters: &oracle::Counters) -> [(&'static str, u64); 22] {
    let [overflow, evicted] = [counters.dropped_overflow, counters.evicted];
    [
        ("events", counters.events),
        ("unhandled", counters.unhandled),
        ("deferred", counters.deferred),
        ("deferrals refused", counters.deferral_refused),
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
        ("commands dropped", counters.command_drops),
    ]
}

/// In the form of both.
pub fn fault(quarantine: oracle::Quarantine) -> Fault {
    match quarantine {
        oracle::Quarantine::QueueOverflow => Fault::QueueOverflow,
        oracle::Quarantine::TimerOverflow => Fault::TimerOverflow,
        oracle::Quarantine::MicrostepCap => Fault::MicrostepCap,
    }
}

/// In the form of both.
pub fn cause(cause: &oracle::Cause) -> Cause {
    match cause {
        oracle::Cause::None => Cause::None,
        oracle::Cause::Event { id, payload } => Cause::Event(*id, *payload),
        oracle::Cause::Timer(timer) => Cause::Timer(*timer),
    }
}

/// In the form of both.
pub fn class(class: statewright_kernel::Class) -> oracle::Class {
    match class {
        statewright_kernel::Class::Low => oracle::Class::Low,
        statewright_kernel::Class::Normal => oracle::Class::Normal,
        statewright_kernel::Class::Interrupt => oracle::Class::Interrupt,
        statewright_kernel::Class::Critical => oracle::Class::Critical,
    }
}

/// In the form of both.
pub fn selections(found: &[oracle::Selection]) -> Vec<Selection> {
    let one = |selection: &oracle::Selection| Selection {
        cause: cause(&selection.cause),
        outcomes: selection
            .outcomes
            .iter()
            .map(|(&id, &what)| (id, outcome(what)))
            .collect(),
    };
    found.iter().map(one).collect()
}

fn outcome(outcome: oracle::Outcome) -> Outcome {
    use oracle::Outcome as From;
    Outcome::Rejected(match outcome {
        From::Taken => return Outcome::Taken,
        From::Cooldown => Reason::Cooldown,
        From::StackFull => Reason::StackFull,
        From::StackEmpty => Reason::StackEmpty,
        From::GuardFalse(code) => Reason::GuardFalse(code),
        From::Debounce => Reason::Debounce,
        From::BelowThreshold => Reason::BelowThreshold,
        From::MinActive => Reason::MinActive,
        From::ExitNotReady => Reason::ExitNotReady,
        From::NotReached => Reason::NotReached,
        From::LostConflict => Reason::LostConflict,
        From::Outranked => Reason::Outranked,
        From::Stayed => Reason::Stays,
    })
}

impl OracleWorld<'_> {
    fn called(&self, kind: Kind, call: &Call<'_>, rng: u32) -> Called {
        let argument = |argument: &oracle::Argument| {
            let mut words = [0; 3];
            words[..argument.words.len()].copy_from_slice(&argument.words);
            (argument.name.clone(), argument.ty as u8, words)
        };
        Called {
            kind,
            function: self.known(call.function),
            arguments: call.arguments.iter().map(argument).collect(),
            agent: call.agent,
            tick: call.tick,
            variant: call.variant,
            state: call.state,
            region: call.region,
            transition: call.transition,
            cause: cause(&call.cause),
            ticks_in_state: call.ticks_in_state,
            rng,
            active: call.active.iter().copied().collect(),
        }
    }

    fn known(&self, function: &str) -> Rc<str> {
        self.compiled
            .functions
            .get_key_value(function)
            .map_or_else(|| function.into(), |(name, _)| name.clone())
    }

    fn draw(&self, function: &str, draws: bool, rng: &mut Rng) {
        if draws && self.compiled.functions.get(function) == Some(&true) {
            rng.next_u32();
        }
    }

    fn act(&mut self, called: Called, actor: &mut Actor<'_>) {
        for action in self.user_code.act(called) {
            self.carry_out(action, actor);
        }
    }

    fn carry_out(&mut self, action: UserAction, actor: &mut Actor<'_>) {
        match action {
            UserAction::Post {
                event,
                class: given,
                payload,
                internal,
            } => {
                let given = if internal { None } else { given.map(class) };
                let result = actor.post(event, given, payload, internal);
                self.user_code
                    .log
                    .push(Entry::Posted(event, posted(&result)));
            }
            UserAction::Start(timer, ticks) => actor.start_timer(timer, ticks),
            UserAction::Stop(timer) => actor.stop_timer(timer),
            UserAction::Draw => {
                actor.rng().next_u32();
            }
            UserAction::Scratch(number, word, value) => {
                actor.set_scratch(number, usize::from(word), value)
            }
            UserAction::Forget(state) => actor.clear_history(state),
            UserAction::Set(key, words) => self.user_code.keys[key] = words,
        }
    }
}

impl World for OracleWorld<'_> {
    fn guard(&mut self, call: &Call<'_>, rng: &mut Rng) -> Verdict {
        let called = self.called(Kind::Guard, call, rng.0);
        let result = self.user_code.guard(called);
        self.draw(call.function, result.draws, rng);
        Verdict {
            holds: result.holds,
            code: result.code,
        }
    }

    fn score(&mut self, call: &Call<'_>, rng: &mut Rng) -> f32 {
        let called = self.called(Kind::Score, call, rng.0);
        let (score, draws) = self.user_code.score(called);
        self.draw(call.function, draws, rng);
        score
    }

    fn value(&mut self, call: &Call<'_>, ty: oracle::ValueType, rng: &mut Rng) -> Vec<u32> {
        let called = self.called(Kind::Value, call, rng.0);
        let rom_type = ValueType::from_number(ty as u8).expect("types have one order");
        let (words, draws) = self.user_code.value(called, rom_type);
        self.draw(call.function, draws, rng);
        words[..usize::from(rom_type.words())].to_vec()
    }

    fn action(&mut self, call: &Call<'_>, actor: &mut Actor<'_>) {
        let called = self.called(Kind::Action, call, actor.rng().0);
        self.act(called, actor);
    }

    fn activity(&mut self, call: &Call<'_>, mode: Mode, actor: &mut Actor<'_>) -> Status {
        let kind = if mode == Mode::Run {
            Kind::Activity
        } else {
            Kind::Cancel
        };
        let called = self.called(kind, call, actor.rng().0);
        self.act(called, actor);
        match self.user_code.activity(call.function) {
            0 => Status::Running,
            1 => Status::Succeeded,
            _ => Status::Failed,
        }
    }

    fn command(&mut self, command: &Command) -> bool {
        let entry = match command {
            Command::Emit {
                lane,
                name,
                ty,
                payload,
                state,
                transition,
            } => Entry::Emitted(
                *lane,
                name.clone(),
                ty.map(|ty| ty as u8),
                payload.clone(),
                *state,
                *transition,
            ),
            Command::Release {
                channel,
                state,
                transition,
                ..
            } => Entry::Released(*channel, *state, *transition),
            Command::Send {
                to,
                event,
                payload,
                state,
                transition,
            } => Entry::Sent(*to, *event, *payload, *state, *transition),
        };
        self.user_code.log.push(entry);
        !self.user_code.drops()
    }

    fn read_key(&mut self, key: usize) -> [u32; 3] {
        self.user_code.keys[key]
    }

    fn write_key(&mut self, key: usize, words: [u32; 3]) {
        self.user_code.keys[key] = words;
        self.user_code.log.push(Entry::Wrote(key, words));
    }
}
