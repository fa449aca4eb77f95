//! Records in words, for people.

use std::collections::BTreeMap;
use std::sync::Arc;

use statewright_kernel::{Loss, Reason};
use statewright_rom::layout::{BuiltInLane, PayloadKind};

use crate::legend::{Guard, Legend};
use crate::record::{Cause, CommandSaid, Kind, NO_FUNCTION, NO_TRANSITION, Record};
use statewright_rom::ids::FunctionId;
use statewright_text::quoted;

impl Kind {
    /// Its name in exports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Present => "present",
            Self::Started => "started",
            Self::Latched => "latched",
            Self::Unhandled => "unhandled",
            Self::Deferred => "deferred",
            Self::Transition => "transition",
            Self::Leaf => "leaf",
            Self::Terminated => "terminated",
            Self::Faulted => "faulted",
            Self::Panicked => "panicked",
            Self::Clamped => "clamped",
            Self::FailSafe => "fail_safe",
            Self::Lost => "lost",
            Self::Despawned => "despawned",
            Self::Timer => "timer",
            Self::Entered => "entered",
            Self::Exited => "exited",
            Self::Suspended => "suspended",
            Self::Resumed => "resumed",
            Self::TimerSet => "timer_set",
            Self::TimerStopped => "timer_stopped",
            Self::EventLost => "event_lost",
            Self::Wrote => "wrote",
            Self::Command => "command",
            Self::Event => "event",
            Self::Guard => "guard",
            Self::Activity => "activity",
            Self::Rejected => "rejected",
            Self::More => "more",
            Self::Read => "read",
            Self::Asked => "asked",
            Self::Score => "score",
            Self::Drew => "drew",
            Self::Gave => "gave",
        }
    }
}

/// A reason in one word, for exports.
pub fn reason_name(reason: Reason) -> &'static str {
    match reason {
        Reason::Cooldown => "cooldown",
        Reason::StackFull => "stack_full",
        Reason::StackEmpty => "stack_empty",
        Reason::GuardFalse(_) => "guard_false",
        Reason::Debounce => "debounce",
        Reason::BelowThreshold => "below_threshold",
        Reason::MinActive => "min_active",
        Reason::ExitNotReady => "exit_not_ready",
        Reason::NotReached => "not_reached",
        Reason::LostConflict => "lost_conflict",
        Reason::Outranked => "outranked",
        Reason::Stays => "stays",
    }
}

/// A reason in words.
pub fn reason_words(reason: Reason) -> &'static str {
    match reason {
        Reason::Cooldown => "its cooldown runs",
        Reason::StackFull => "the stack is full",
        Reason::StackEmpty => "nothing is suspended",
        Reason::GuardFalse(_) => "its guard says no",
        Reason::Debounce => "its guard has not been true for long enough",
        Reason::BelowThreshold => "its score is below the threshold",
        Reason::MinActive => "a state that it would leave has not been active for long enough",
        Reason::ExitNotReady => "a state that it would leave is not ready",
        Reason::NotReached => "another one was found first",
        Reason::LostConflict => "another one leaves the same states",
        Reason::Outranked => "an interrupt came first",
        Reason::Stays => "it won, and says that nothing happens",
    }
}

/// The words of a reason where it is about an expression, parted where its text goes.
fn whose(reason: Reason) -> Option<(&'static str, &'static str)> {
    let words = reason_words(reason);
    ["its guard", "its score"].into_iter().find_map(|whose| {
        let rest = words.strip_prefix(whose)?;
        Some((whose, rest.trim_start()))
    })
}

impl Legend {
    /// What a record says, without tick and agent.
    pub fn words(&self, record: &Record) -> String {
        let subject = record.subject.get();
        let value = record.value.get();
        let Some(kind) = record.kind() else {
            return format!("record of kind {}", record.kind);
        };
        match kind {
            Kind::Present => format!("is in {}", self.state(subject)),
            Kind::Started => "starts".to_owned(),
            Kind::Latched => format!(
                "{}: {}, as soon as it may leave",
                self.cause(record),
                self.way(subject)
            ),
            Kind::Unhandled => format!("{}: nobody handles it", self.event(subject)),
            Kind::Deferred => format!("{}: waits for another state", self.event(subject)),
            Kind::Transition => self.transition_words(record),
            Kind::Leaf => format!("now in {}", self.state(subject)),
            Kind::Terminated => "has come to its end".to_owned(),
            Kind::Faulted => {
                let fault = record
                    .fault()
                    .map_or_else(|| "unknown".to_owned(), |fault| fault.to_string());
                format!("ended by a fault: {fault}")
            }
            Kind::Panicked => "ended by a panic in user code".to_owned(),
            Kind::Clamped => "reached a cap of its tick".to_owned(),
            Kind::FailSafe => "goes to its fail-safe state".to_owned(),
            Kind::Lost => format!("{value} more records had no room"),
            Kind::Despawned => "was taken away".to_owned(),
            Kind::Timer => format!("{} is due", self.timer_words(subject)),
            Kind::Entered => format!("enters {}", self.state(subject)),
            Kind::Exited => format!("leaves {}", self.state(subject)),
            Kind::Suspended => format!("suspends {}", self.state(subject)),
            Kind::Resumed => format!("resumes {}", self.state(subject)),
            Kind::TimerSet => format!("{} runs until tick {value}", self.timer_words(subject)),
            Kind::TimerStopped => format!("{} is stopped", self.timer_words(subject)),
            Kind::EventLost => {
                let why = record.loss().map_or("?", Loss::name);
                let what = match record.loss() {
                    Some(Loss::Coalesced) => "joined another",
                    _ => "lost",
                };
                format!("{} {what}: {why}", self.event(subject))
            }
            Kind::Wrote => format!("{} = {}", self.key(subject), self.value(record)),
            Kind::Command => self.command_words(record),
            Kind::Event => match record.value_kind() {
                None | Some(PayloadKind::Empty) => {
                    format!("{}: who takes it?", self.event(subject))
                }
                Some(_) => format!(
                    "{}({}): who takes it?",
                    self.event(subject),
                    self.value(record)
                ),
            },
            Kind::More => format!("and {}", self.value(record)),
            Kind::Read => format!("{} is {}", self.key(subject), self.value(record)),
            Kind::Asked => {
                let answer = if record.detail == 0 { "no" } else { "yes" };
                format!("guard {} says {answer}", self.asked(record))
            }
            Kind::Score => format!("{} scores {}", self.way(subject), f32::from_bits(value)),
            Kind::Drew => {
                let who = if subject == NO_FUNCTION {
                    "an expression"
                } else {
                    self.function(subject)
                };
                let plural = if value == 1 { "" } else { "s" };
                format!("{who} drew {value} random number{plural}")
            }
            Kind::Gave => format!("{} gives {}", self.function(subject), self.value(record)),
            Kind::Guard => self.guard_words(record),
            Kind::Activity => {
                let status = ["goes on", "succeeded", "failed", "canceled"];
                let status = status.get(usize::from(record.detail)).unwrap_or(&"?");
                format!("activity of {}: {status}", self.state(subject))
            }
            Kind::Rejected => {
                let reason = record
                    .reason()
                    .map_or_else(|| "?".to_owned(), |reason| self.reason(subject, reason));
                format!("not {}: {reason}", self.way(subject))
            }
        }
    }

    /// A guard function of a condition with several, with what its code means.
    pub fn asked(&self, record: &Record) -> String {
        let (function, code) = (record.subject.get(), record.value.get() as u16);
        let name = self.function(function);
        let text = FunctionId::new(function).and_then(|id| self.symbols.guard_code(id, code));
        match (code, text) {
            (_, Some(text)) => format!("{name} ({text}, code {code})"),
            (0, None) => name.to_owned(),
            (_, None) => format!("{name} (code {code})"),
        }
    }

    /// The word of a record as its type is written.
    pub fn value(&self, record: &Record) -> String {
        let word = record.value.get();
        match record.value_kind() {
            Some(PayloadKind::I32) => (word as i32).to_string(),
            Some(PayloadKind::F32 | PayloadKind::Vec2 | PayloadKind::Vec3 | PayloadKind::Vec4) => {
                f32::from_bits(word).to_string()
            }
            Some(PayloadKind::Bool) => (word != 0).to_string(),
            Some(PayloadKind::Symbol) => self.text(word),
            Some(PayloadKind::Bytes) => format!("{:08x}", word.swap_bytes()),
            Some(PayloadKind::Entity | PayloadKind::U32 | PayloadKind::U64) => word.to_string(),
            Some(PayloadKind::Empty) | None => String::new(),
        }
    }

    fn command_words(&self, record: &Record) -> String {
        let Some((said, had_room)) = record.command() else {
            return "an unknown command".to_owned();
        };
        let lane = |lane: u16| match BuiltInLane::NAMES.get(usize::from(lane)) {
            Some(name) => (*name).to_owned(),
            None => format!("lane {lane}"),
        };
        let words = match said {
            CommandSaid::Emit { lane: on, name } => {
                format!("emits {} {}", lane(on), self.text(name.into()))
            }
            CommandSaid::Release { lane: on, channel } => {
                format!("emits {}: channel {channel} is free", lane(on))
            }
            CommandSaid::Send { event } => format!("sends {} to another", self.event(event)),
            CommandSaid::Typed { lane: on, name } => {
                format!("emits {} {}", lane(on), self.command(name))
            }
            CommandSaid::ByFunction { function, bytes } => {
                format!(
                    "{} wrote {bytes} bytes of commands",
                    self.function(function)
                )
            }
        };
        if had_room {
            words
        } else {
            format!("{words}: no room, dropped")
        }
    }

    fn transition_words(&self, record: &Record) -> String {
        let transition = record.subject.get();
        let way = format!("{}: {}", self.cause(record), self.way(transition));
        let target = self
            .transitions
            .get(usize::from(transition))
            .filter(|known| !known.is_internal);
        match record.leaf() {
            Some(leaf) if target.is_some_and(|known| known.targets != [leaf]) => {
                format!("{way}, now in {}", self.state(leaf))
            }
            _ => way,
        }
    }

    /// What a transition was taken for.
    pub fn cause(&self, record: &Record) -> String {
        match record.cause() {
            Some(Cause::Event(event)) => self.event(event).to_owned(),
            Some(Cause::Timer(timer)) => self.timer_words(timer),
            _ => "by itself".to_owned(),
        }
    }

    /// A reason of a transition in words, with what the code of its guard means.
    pub fn reason(&self, transition: u16, reason: Reason) -> String {
        self.reason_about(transition, reason, None)
    }

    /// The same with the text of the expression that the reason is about, its guard or its score,
    /// for those who know it: "its guard `health <= 25` says no".
    pub fn reason_about(&self, transition: u16, reason: Reason, text: Option<&str>) -> String {
        let words = match (whose(reason), text) {
            (Some((whose, rest)), Some(text)) => format!("{whose} {} {rest}", quoted(text)),
            (Some(_) | None, Some(_) | None) => reason_words(reason).to_owned(),
        };
        let Reason::GuardFalse(code) = reason else {
            return words;
        };
        let guard = self
            .transitions
            .get(usize::from(transition))
            .map_or(Guard::None, |known| known.guard);
        let who = match guard {
            Guard::Function(function) => {
                format!("guard {} says no", self.function(function))
            }
            Guard::None | Guard::Expression => words,
        };
        match (code, self.code(transition, code)) {
            (_, Some(text)) => format!("{who}: {text} (code {code})"),
            (0, None) => who,
            (_, None) => format!("{who} (code {code})"),
        }
    }

    fn guard_words(&self, record: &Record) -> String {
        let (state, code) = record.guard();
        let transition = record.subject.get();
        let place = match transition {
            NO_TRANSITION => format!("guard in {}", self.state(state)),
            _ => format!("guard of {}", self.way(transition)),
        };
        let answer = if record.detail == 0 { "no" } else { "yes" };
        match (code, self.code(transition, code)) {
            (_, Some(text)) => format!("{place}: {answer}, {text} (code {code})"),
            (0, None) => format!("{place}: {answer}"),
            (_, None) => format!("{place}: {answer} (code {code})"),
        }
    }

    /// The same with other names: for readers that must not show everything that stands in a file.
    /// [`Reading::map_names`](crate::file::Reading::map_names) does it for all legends of a file.
    pub fn map_names(self, map: impl Fn(&str) -> String) -> Self {
        let commands = Arc::new(self.mapped_commands(&map));
        self.map_own_names(map, commands)
    }

    /// Names of types of commands as others.
    pub(crate) fn mapped_commands(&self, map: impl Fn(&str) -> String) -> BTreeMap<u32, String> {
        let commands = self.commands.iter();
        commands
            .map(|(&number, name)| (number, map(name)))
            .collect()
    }

    /// The same, where those of commands are known.
    pub(crate) fn map_own_names(
        mut self,
        map: impl Fn(&str) -> String,
        commands: Arc<BTreeMap<u32, String>>,
    ) -> Self {
        for text in &mut self.texts {
            *text = map(text);
        }
        self.commands = commands;
        self.symbols = self.symbols.map_names(map);
        self
    }
}
