//! Steps and answers as lines of words. Colors are the program's business: a line only says what
//! tone it has.

use statewright_kernel::{Cause, Event, Mode, Status, event_flag};
use statewright_rom::ids::*;
use statewright_rom::layout::FunctionKind;
use statewright_symbols::SymbolKind;

use crate::command::COMMANDS;
use crate::record::{ActionKind, AgentState, Candidate, CommandKind, Step, StepEvent};
use crate::session::Session;
use crate::stubs::Answer;
use crate::value::{
    key_type, parameter_words, payload_type, payload_words, scratch_words, value_type, value_words,
};
use crate::why::{ticks_words, time_words};

/// How a line is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Begins something.
    Head,
    /// As it is.
    Plain,
    /// A transition that was taken, a state that was entered.
    Good,
    /// A state that was left.
    Left,
    /// Not so important.
    Dim,
    /// Where the agent is now.
    Now,
    /// Needs attention.
    Warning,
}

/// One line: a short label and the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// How it is meant.
    pub tone: Tone,
    /// What it is about; empty for lines that stand alone.
    pub label: &'static str,
    /// The words.
    pub words: String,
}

impl Line {
    fn new(tone: Tone, label: &'static str, words: impl Into<String>) -> Self {
        Self {
            tone,
            label,
            words: words.into(),
        }
    }

    /// The line without colors.
    pub fn plain(&self) -> String {
        match (self.tone, self.label) {
            (Tone::Head, _) => self.words.clone(),
            (Tone::Plain, "") => format!("  {}", self.words),
            (_, label) => format!("  {label:<9} {}", self.words).trim_end().to_owned(),
        }
    }
}

/// What an activity said.
pub(crate) fn status_word(status: Status) -> &'static str {
    match status {
        Status::Running => "running",
        Status::Succeeded => "succeeded",
        Status::Failed => "failed",
    }
}

/// An event with its payload.
pub fn event_words(session: &Session, event: EventId, payload: [u32; 4]) -> String {
    let value = payload_words(&session.machine().rom(), event, payload);
    let name = session.names().event(event);
    if value.is_empty() {
        name.to_owned()
    } else {
        format!("{name} {value}")
    }
}

/// The first line of a step.
pub fn head(session: &Session, step: &Step) -> String {
    let event = step
        .event
        .map(|(event, payload)| format!(" {}", event_words(session, event, payload)));
    let time = ticks_at(session, step.tick);
    format!(
        "step {}, tick {time}: {}{}",
        step.number,
        step.kind.word(),
        event.unwrap_or_default()
    )
}

fn ticks_at(session: &Session, tick: u32) -> String {
    if tick == 0 {
        tick.to_string()
    } else {
        format!("{tick} ({})", time_words(tick, session.tick_rate()))
    }
}

/// A step in words: what happened, then where the agent is.
pub fn step_lines(session: &Session, step: &Step) -> Vec<Line> {
    let mut lines = vec![Line::new(Tone::Head, "", head(session, step))];
    lines.extend(step_events(session, step));
    lines.extend(step.notes.iter().map(|note| match step.kind {
        CommandKind::Set | CommandKind::Stub => Line::new(Tone::Plain, "now", note),
        _ => Line::new(Tone::Warning, "note", note),
    }));
    if !matches!(step.kind, CommandKind::Set | CommandKind::Stub) {
        lines.extend(whereabouts(session, &step.after, step.tick));
    }
    lines
}

/// Everything that happened in a step, in order.
pub fn step_events(session: &Session, step: &Step) -> Vec<Line> {
    let mut sent = step.event.map(|(event, _)| event);
    step.log
        .iter()
        .filter_map(|seen| event_line(session, seen, &mut sent))
        .collect()
}

fn event_line(session: &Session, seen: &StepEvent, sent: &mut Option<EventId>) -> Option<Line> {
    let names = session.names();
    let transition = |id: TransitionId| {
        names
            .transition(id)
            .map_or("?", |words| words.line.as_str())
    };
    Some(match seen {
        StepEvent::Select(Cause::Event(event, payload)) if *sent != Some(*event) => {
            Line::new(Tone::Plain, "event", event_words(session, *event, *payload))
        }
        StepEvent::Select(Cause::Event(..)) => {
            *sent = None;
            return None;
        }
        StepEvent::Select(_)
        | StepEvent::Rejected(..)
        | StepEvent::Read { .. }
        | StepEvent::Score(..) => return None,
        StepEvent::Drew(function, draws) => {
            let who = function.map_or("an expression", |function| names.function(function));
            let plural = if *draws == 1 { "" } else { "s" };
            let words = format!("{who} drew {draws} random number{plural}");
            Line::new(Tone::Plain, "rng", words)
        }
        StepEvent::Lost(event, loss) => {
            let event = event.map_or("an unknown event", |event| names.event(event));
            Line::new(Tone::Warning, "lost", format!("{event}: {loss}"))
        }
        StepEvent::Asked {
            call,
            holds,
            code: 0,
        } => Line::new(Tone::Dim, "guard", format!("{call}: {holds}")),
        StepEvent::Asked { call, holds, code } => {
            Line::new(Tone::Dim, "guard", format!("{call}: {holds}, code {code}"))
        }
        StepEvent::Scored { call, score } => {
            Line::new(Tone::Dim, "score", format!("{call}: {score}"))
        }
        StepEvent::Gave { call, value } => {
            Line::new(Tone::Dim, "value", format!("{call}: {value}"))
        }
        StepEvent::Taken(id) => Line::new(Tone::Good, "taken", transition(*id)),
        StepEvent::Deferred(event) => Line::new(
            Tone::Warning,
            "deferred",
            format!("{} waits for another state", names.event(*event)),
        ),
        StepEvent::Unhandled(event) => Line::new(
            Tone::Warning,
            "unheard",
            format!("nobody takes {} here; `why` says more", names.event(*event)),
        ),
        StepEvent::Entered(state) => Line::new(Tone::Good, "entered", names.state(*state)),
        StepEvent::Exited(state) => Line::new(Tone::Left, "left", names.state(*state)),
        StepEvent::Fired(timer) => Line::new(Tone::Plain, "timer", names.timer(*timer)),
        StepEvent::Did { kind, words, .. } => Line::new(
            Tone::Plain,
            if *kind == ActionKind::Command {
                "command"
            } else {
                "action"
            },
            words,
        ),
        StepEvent::Activity {
            call,
            mode: Mode::Cancel,
            ..
        } => Line::new(Tone::Dim, "activity", format!("{call}: canceled")),
        StepEvent::Activity { call, status, .. } => Line::new(
            Tone::Dim,
            "activity",
            format!("{call}: {}", status_word(*status)),
        ),
        StepEvent::Clamped => Line::new(
            Tone::Warning,
            "clamped",
            "the tick reached a cap; the rest waits for the next one",
        ),
        StepEvent::FailSafe => Line::new(
            Tone::Warning,
            "failsafe",
            "too many clamped ticks in a row: the fail-safe state is entered",
        ),
        StepEvent::Terminated => Line::new(Tone::Warning, "end", "the agent has ended"),
    })
}

/// Where the agent is, what it waits for.
pub fn whereabouts(session: &Session, after: &AgentState, tick: u32) -> Vec<Line> {
    let names = session.names();
    let mut lines = Vec::new();
    let paths = |states: &[StateId]| {
        states
            .iter()
            .map(|&state| names.state(state))
            .collect::<Vec<_>>()
            .join(" + ")
    };
    match (after.leaves.is_empty(), after.terminated, after.quarantined) {
        (false, true, _) => lines.push(Line::new(Tone::Now, "ended in", paths(&after.leaves))),
        (false, ..) => lines.push(Line::new(Tone::Now, "now in", paths(&after.leaves))),
        (_, true, _) => lines.push(Line::new(
            Tone::Now,
            "now in",
            "nothing: the agent has ended",
        )),
        (_, _, true) => lines.push(Line::new(
            Tone::Warning,
            "now in",
            "nothing: the agent is quarantined",
        )),
        _ => {}
    }
    if !after.suspended.is_empty() {
        lines.push(Line::new(Tone::Dim, "suspended", paths(&after.suspended)));
    }
    lines.extend(
        after
            .queue
            .iter()
            .map(|event| Line::new(Tone::Plain, "queue", queued_words(session, event))),
    );
    for wait in &after.timers {
        lines.push(Line::new(
            Tone::Plain,
            "waits",
            wait_words(session, wait.timer, wait.deadline, tick),
        ));
    }
    lines
}

/// A queued event in words.
pub fn queued_words(session: &Session, event: &Event) -> String {
    let Some(id) = event.id() else {
        return "?".to_owned();
    };
    let deferred = if event.has(event_flag::DEFERRED) {
        " (deferred)"
    } else {
        ""
    };
    format!("{}{deferred}", event_words(session, id, event.words()))
}

/// A running timer in words.
pub fn wait_words(session: &Session, timer: TimerId, deadline: u32, tick: u32) -> String {
    let left = deadline.wrapping_sub(tick);
    let name = session.names().timer(timer);
    if left == 0 || left > i32::MAX as u32 {
        return format!("{name}: due now");
    }
    format!("{name}: in {}", ticks_words(left, session.tick_rate()))
}

/// A blackboard key in words.
pub fn key_words(session: &Session, key: usize, words: [u32; 3]) -> String {
    let rom = session.machine().rom();
    let [x, y, z] = words;
    let ty = key_type(&rom, key);
    let name = KeyId::from_index(key).map_or("?", |key| session.names().key(key));
    format!("{name} = {}", value_words(&rom, ty, [x, y, z, 0]))
}

/// Everything about the agent.
pub fn show(session: &Session) -> Vec<Line> {
    let after = session.look();
    let title = format!(
        "{}, step {}, tick {}",
        session.names().symbols.machine,
        session.steps(),
        ticks_at(session, session.tick())
    );
    let mut lines = vec![Line::new(Tone::Head, "", title)];
    lines.extend(whereabouts(session, &after, session.tick()));
    if after.queue.is_empty() {
        lines.push(Line::new(Tone::Dim, "queue", "empty"));
    }
    if after.timers.is_empty() {
        lines.push(Line::new(Tone::Dim, "waits", "for no timer"));
    }
    for (key, words) in after.board.iter().enumerate() {
        lines.push(Line::new(
            Tone::Plain,
            "key",
            key_words(session, key, *words),
        ));
    }
    lines.extend(scratch(session));
    lines.extend(parameters(session));
    lines.extend(answers(session));
    let (undo, redo) = session.depths();
    lines.push(Line::new(
        Tone::Dim,
        "history",
        format!("{undo} to undo, {redo} to redo"),
    ));
    lines
}

/// Scratch of active states, by its owner (LANG-8).
fn scratch(session: &Session) -> Vec<Line> {
    let (rom, names) = (session.machine().rom(), session.names());
    let line = |(id, slots): (ScratchId, Vec<u16>)| {
        let owner = rom.scratch().get(id.index());
        let owner = owner.and_then(|record| StateId::read(record.owner));
        let owner = owner.map_or("?", |owner| names.state(owner));
        let value = scratch_words(&rom, id, &slots);
        let words = format!("{owner}: {} = {value}", names.scratch(id));
        Line::new(Tone::Plain, "scratch", words)
    };
    session.scratch().into_iter().map(line).collect()
}

/// Parameters as the agent has them (CODE-3).
fn parameters(session: &Session) -> Vec<Line> {
    let (rom, names) = (session.machine().rom(), session.names());
    let variant = names.variant(session.variant());
    let variant = variant.map(|name| Line::new(Tone::Dim, "variant", name));
    let all = (0..rom.parameters().len()).filter_map(ParameterId::from_index);
    let line = |id: ParameterId| {
        let value = parameter_words(&rom, session.variant(), id);
        let words = format!("{} = {value}", names.parameter(id));
        Line::new(Tone::Dim, "parameter", words)
    };
    variant.into_iter().chain(all.map(line)).collect()
}

/// What functions answer that nobody provides.
fn answers(session: &Session) -> Vec<Line> {
    let rom = session.machine().rom();
    let stubs = session.stubs();
    let line = |(index, record): (usize, &statewright_rom::layout::LinkerRecord)| {
        let function = FunctionId::from_index(index)?;
        let name = session.names().function(function);
        match record.kind.get() {
            FunctionKind::Guard => {
                let (answer, code) = stubs.guard(function);
                let code = if code == 0 {
                    String::new()
                } else {
                    format!(", code {code}")
                };
                Some(Line::new(
                    Tone::Dim,
                    "guard",
                    format!("{name} answers {}{code}", answer.word()),
                ))
            }
            FunctionKind::Activity => Some(Line::new(
                Tone::Dim,
                "activity",
                format!("{name} says {}", status_word(stubs.activity(function))),
            )),
            FunctionKind::Scorer => Some(Line::new(
                Tone::Dim,
                "score",
                format!("{name} says {}", stubs.score(function)),
            )),
            FunctionKind::Value => {
                let [x, y, z] = stubs.value(function);
                let value = value_words(&rom, value_type(&rom, function), [x, y, z, 0]);
                Some(Line::new(
                    Tone::Dim,
                    "value",
                    format!("{name} gives {value}"),
                ))
            }
            FunctionKind::Action => None,
        }
    };
    rom.linker().iter().enumerate().filter_map(line).collect()
}

/// Do two searches come to the same, for the same reasons?
fn is_same_answer(one: &[Candidate], other: &[Candidate]) -> bool {
    let told = |candidate: &Candidate| (candidate.transition, candidate.reason);
    let causes = one.first().map(|c| &c.cause) == other.first().map(|c| &c.cause);
    causes && one.iter().map(told).eq(other.iter().map(told))
}

/// A search, with everyone who could have been found; what changed until the last of its kind.
fn search_lines(session: &Session, first: &[Candidate], last: &[Candidate]) -> Vec<Line> {
    let cause = first.first().map_or("", |candidate| &candidate.cause);
    let mut lines = vec![Line::new(Tone::Plain, "search", cause)];
    for (candidate, later) in first.iter().zip(last) {
        let words = session.names().transition(candidate.transition);
        let name = words
            .and_then(|words| words.name.as_ref())
            .map_or(String::new(), |name| format!(" `{name}`"));
        let line = words.map_or("?", |words| words.line.as_str());
        let (tone, label) = if candidate.reason.is_none() {
            (Tone::Good, "taken")
        } else {
            (Tone::Left, "not")
        };
        lines.push(Line::new(tone, label, format!("{line}{name}")));
        if candidate.reason.is_some() {
            let because = format!("because {}", candidate.words);
            lines.push(Line::new(Tone::Dim, "", because));
            if later.words != candidate.words {
                let in_the_end = format!("in the end {}", later.words);
                lines.push(Line::new(Tone::Dim, "", in_the_end));
            }
        }
    }
    lines
}

/// Every candidate of the last tick.
pub fn why(session: &Session) -> Vec<Line> {
    let Some(step) = session.last() else {
        return vec![Line::new(
            Tone::Plain,
            "",
            "nothing has run since the snapshot",
        )];
    };
    let mut lines = vec![Line::new(
        Tone::Head,
        "",
        format!("why, in {}", head(session, step)),
    )];
    let searches: Vec<&[Candidate]> = step
        .candidates
        .chunk_by(|one, next| one.search == next.search)
        .collect();
    // What says the same again is said once.
    for same in searches.chunk_by(|one, next| is_same_answer(one, next)) {
        let (Some(first), Some(last)) = (same.first(), same.last()) else {
            continue;
        };
        lines.extend(search_lines(session, first, last));
        let more = same.len() - 1;
        if more > 0 {
            let times = match step.kind {
                CommandKind::After => format!("the same for {more} ticks"),
                _ => format!("the same {more} times more"),
            };
            lines.push(Line::new(Tone::Plain, "", times));
        }
    }
    if step.candidates.is_empty() {
        let words = match step.event {
            Some((event, _)) => format!("no active state has a transition for {}", session.names().event(event)),
            None => {
                "no transition was looked at: nothing was due and no active state has one without an event".to_owned()
            }
        };
        lines.push(Line::new(Tone::Plain, "nobody", words));
    }
    lines
}

/// What can be sent.
pub fn events(session: &Session) -> Vec<Line> {
    let rom = session.machine().rom();
    let mut lines = vec![Line::new(
        Tone::Head,
        "",
        format!("events of {}", session.names().symbols.machine),
    )];
    let names = session.names().symbols.names(SymbolKind::Event);
    for (index, name) in names.enumerate() {
        let Some(event) = EventId::from_index(index) else {
            continue;
        };
        let payload =
            payload_type(&rom, event).map_or(String::new(), |ty| format!(" {}", ty.to_uppercase()));
        let heard = listens(session, event);
        let (tone, words) = if heard {
            (Tone::Good, "")
        } else {
            (Tone::Dim, "   (nobody here listens)")
        };
        lines.push(Line::new(tone, "send", format!("{name}{payload}{words}")));
    }
    if session.names().symbols.events.is_empty() {
        lines.push(Line::new(
            Tone::Plain,
            "",
            "this machine has none; `tick` lets time pass",
        ));
    }
    lines
}

/// Whether an active state has a transition for an event, or defers it.
pub fn listens(session: &Session, event: EventId) -> bool {
    let rom = session.machine().rom();
    let Some(column) = rom.event_column(event) else {
        return false;
    };
    let leaves = session.look().leaves;
    leaves.iter().any(|&leaf| {
        rom.row_of(leaf)
            .and_then(|row| rom.candidate_list(row, column))
            .is_some()
    })
}

/// Whether a state is active.
pub fn is_in(session: &Session, state: StateId) -> Vec<Line> {
    let path = session.names().state(state);
    match session.is_active(state) {
        true => vec![Line::new(Tone::Good, "yes", format!("{path} is active"))],
        false => vec![Line::new(Tone::Left, "no", format!("{path} is not active"))],
    }
}

/// The list of commands.
pub fn help() -> Vec<Line> {
    let width = COMMANDS
        .iter()
        .map(|c| c.word.len() + 1 + c.rest.len())
        .max()
        .unwrap_or(0);
    let mut lines = vec![Line::new(Tone::Head, "", "commands")];
    for command in &COMMANDS {
        let usage = format!("{} {}", command.word, command.rest);
        lines.push(Line::new(
            Tone::Plain,
            "",
            format!("{usage:<width$}  {}", command.does),
        ));
    }
    lines
}

/// What a session says first: the machine and what stands in for missing functions.
pub fn greeting(session: &Session) -> Vec<Line> {
    let rom = session.machine().rom();
    let count = |kind: FunctionKind| {
        rom.linker()
            .iter()
            .filter(|function| function.kind == kind)
            .count()
    };
    let mut lines = Vec::new();
    let some = |number: usize, what: &str, plural: &str| match number {
        0 => None,
        1 => Some(format!("1 {what}")),
        number => Some(format!("{number} {plural}")),
    };
    let guards = match session.stubs().guards {
        Answer::True => "answering true",
        Answer::False => "answering false",
        Answer::Random => "answering at random",
    };
    let parts: Vec<String> = [
        some(count(FunctionKind::Guard), "guard", "guards")
            .map(|words| format!("{words} {guards}")),
        some(count(FunctionKind::Action), "action", "actions")
            .map(|words| format!("{words} only shown")),
        some(count(FunctionKind::Activity), "activity", "activities")
            .map(|words| format!("{words} always running")),
        some(count(FunctionKind::Scorer), "scorer", "scorers")
            .map(|words| format!("{words} saying 0")),
        some(
            count(FunctionKind::Value),
            "value function",
            "value functions",
        )
        .map(|words| format!("{words} giving 0")),
    ]
    .into_iter()
    .flatten()
    .collect();
    if !parts.is_empty() {
        lines.push(Line::new(Tone::Dim, "stand-ins", parts.join(", ")));
    }
    lines
}

/// A running timer in few words, the time that is left first.
pub fn short_wait(session: &Session, timer: TimerId, deadline: u32, tick: u32) -> String {
    let left = deadline.wrapping_sub(tick).cast_signed();
    let name = session.names().timer(timer);
    if left <= 0 {
        format!("due  {name}")
    } else {
        format!(
            "{}  {name}",
            time_words(left.cast_unsigned(), session.tick_rate())
        )
    }
}
