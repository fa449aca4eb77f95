//! Records in words, for people.

use statewright_kernel::Reason;

use crate::legend::{Guard, Legend};
use crate::record::{Cause, Kind, NO_TRANSITION, Record};

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
            Self::Event => "event",
            Self::Guard => "guard",
            Self::Activity => "activity",
            Self::Rejected => "rejected",
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
    }
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
            Kind::Event => format!("{}: who takes it?", self.event(subject)),
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
        let Reason::GuardFalse(code) = reason else {
            return reason_words(reason).to_owned();
        };
        let guard = self
            .transitions
            .get(usize::from(transition))
            .map_or(Guard::None, |known| known.guard);
        let who = match guard {
            Guard::Function(function) => {
                format!("guard {} says no", self.function(function))
            }
            _ => reason_words(reason).to_owned(),
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
    pub fn map_names(mut self, map: impl Fn(&str) -> String) -> Self {
        self.symbols = self.symbols.map_names(map);
        self
    }
}
