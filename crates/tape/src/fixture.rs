//! One agent of a sealed tape as a fixture: its machine, what its functions answered, what happened to it, and
//! where it was after every tick (TAPE-9, `docs/fixtures.md`).

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use statewright::commands::{Lane, What};
use statewright::ids::{FunctionId, KeyId};
use statewright::sealed::{CallKind, Calls, Deed, Outcome, Step, Turns};
use statewright::{
    AgentId, Blackboard, Board, Class, Crowd, Event, Machine, PayloadKind, Status, Verdict, flag,
};

use crate::file::{Damaged, Item, Tape};
use crate::record::{AgentInput, Record, TapeAgent, TapeInput};
use crate::replay::ReplayError;
use crate::sealed::{Answers, SealedProgram};

/// Why there is no fixture.
#[derive(Debug)]
pub enum FixtureError {
    /// The tape cannot be run.
    Replay(ReplayError),
    /// The agent is not there, or not to the end.
    Missing,
    /// It runs when the tape begins: a fixture begins with an agent that did not start.
    Runs,
    /// Something happens to it that fixtures have no words for.
    NoWords(String),
}

impl fmt::Display for FixtureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Replay(error) => error.fmt(f),
            Self::Missing => f.write_str("the agent is not there to the end of the tape"),
            Self::Runs => f.write_str(
                "the agent runs when the tape begins, and a fixture begins with one that did not start: record it from its first tick on",
            ),
            Self::NoWords(what) => write!(f, "fixtures have no words for this: {what}"),
        }
    }
}

impl std::error::Error for FixtureError {}

impl From<ReplayError> for FixtureError {
    fn from(error: ReplayError) -> Self {
        Self::Replay(error)
    }
}

impl From<Damaged> for FixtureError {
    fn from(error: Damaged) -> Self {
        Self::Replay(error.into())
    }
}

/// What one agent of a sealed tape does, from its start to the end of the tape, as a case of a fixture.
/// `machine` is the text of the file that the tape's machine was made from.
pub fn fixture(
    tape: &Tape<'_>,
    agent: AgentId,
    title: &str,
    machine: &str,
) -> Result<String, FixtureError> {
    let mut writer = Writer {
        machine: tape.machine().map_err(ReplayError::Refused)?,
        agent: agent.into(),
        script: String::new(),
        answers: BTreeMap::new(),
    };
    writer.run(tape)?;
    let mut text = format!(
        "A case that was made smaller.\n\n== {title}\n{}\n",
        machine.trim_end()
    );
    if !writer.answers.is_empty() {
        text += "-- host\n";
    }
    for ((word, function), mut answers) in writer.answers {
        // The last answer is given again and again.
        while let [.., before, last] = answers.as_slice()
            && before == last
        {
            answers.pop();
        }
        _ = writeln!(text, "{word} {function} {}", answers.join(", "));
    }
    Ok(text + "-- script\n" + &writer.script)
}

type Agents = Crowd<Blackboard, Answers>;

/// Writes the script and the answers.
struct Writer {
    machine: Machine,
    agent: TapeAgent,
    script: String,
    /// By kind and name of the function, in the order of calls.
    answers: BTreeMap<(&'static str, String), Vec<String>>,
}

impl Writer {
    fn run(&mut self, tape: &Tape<'_>) -> Result<(), FixtureError> {
        let sealed = SealedProgram::of(tape)?;
        let mut replay = sealed.replay(tape, 0)?;
        let mut player = tape.play();
        let crowd = replay.crowd();
        let there = crowd.agent_at(self.agent.index).map(TapeAgent::from);
        let mut known = (there == Some(self.agent)).then(|| self.first_keys());
        if known.is_some() && self.has_started(crowd) {
            return Err(FixtureError::Runs);
        }
        if known.is_some() {
            self.variant(crowd);
        }
        // Messages of the tick before, to the agent itself or from others of its crowd.
        let (mut events, mut spawned) = (Vec::new(), false);
        while let Some(item) = player.next_item()? {
            match item {
                Item::Checkpoint(_) => {}
                Item::Reload(_) => return Err(no_words("a reload of the machine")),
                Item::Record(Record::Input(input)) => {
                    spawned |= matches!(input, TapeInput::Spawn { .. });
                    // What comes for all before anybody is there is not for it.
                    if known.is_some() || spawned {
                        events.extend(self.input(&input)?);
                    }
                }
                Item::Record(Record::Calls(calls)) => self.calls(&calls)?,
                Item::Record(
                    Record::Changed(_)
                    | Record::Keys(_)
                    | Record::Guessed(_)
                    | Record::Output(_)
                    | Record::Hash(_),
                ) => {}
                Item::Record(Record::Tick(_)) => {
                    let id = self.agent.in_crowd(replay.crowd().number());
                    let before = std::mem::take(&mut events);
                    spawned = false;
                    let (mut keys, mut began) = (None, false);
                    let fresh = self.first_keys();
                    let more = replay.step(|crowd| {
                        began = known.is_none() && crowd.contains(id);
                        keys = crowd.board(id).ok().map(|board| self.keys(board));
                        sealed.tick(crowd)
                    })?;
                    if !more {
                        break;
                    }
                    let crowd = replay.crowd();
                    if began {
                        known = Some(fresh);
                        self.variant(crowd);
                    }
                    if let (Some(known), Some(keys)) = (&mut known, keys) {
                        self.written(known, &keys);
                        // Time stands still for it: what came waits outside.
                        let waits = crowd.flags(id).unwrap_or(0) & flag::PAUSED != 0;
                        match waits {
                            true => {
                                self.tick(crowd, id, &[])?;
                                events = before;
                            }
                            false => self.tick(crowd, id, &before)?,
                        }
                        if let Ok(board) = crowd.board(id) {
                            *known = self.keys(board);
                        }
                    }
                    if !crowd.ticked_apart() {
                        events.extend(self.messages(crowd, id));
                    }
                }
            }
        }
        match known {
            Some(_) if !self.script.is_empty() => Ok(()),
            _ => Err(FixtureError::Missing),
        }
    }

    fn has_started(&self, crowd: &Agents) -> bool {
        let id = self.agent.in_crowd(crowd.number());
        let flags = crowd.flags(id).unwrap_or(0);
        flags & flag::STARTED != 0
    }

    fn variant(&mut self, crowd: &Agents) {
        let id = self.agent.in_crowd(crowd.number());
        let seen = crowd.inspect(id).map(|seen| seen.variant);
        if let Ok(name) = seen
            && !name.is_empty()
        {
            _ = writeln!(self.script, "variant {name}\n  ...");
        }
    }

    /// Keys of a blackboard as the machine declares them.
    fn first_keys(&self) -> Vec<[u32; 3]> {
        self.keys(&Blackboard::new(&self.machine))
    }

    fn keys(&self, board: &Blackboard) -> Vec<[u32; 3]> {
        let count = self.machine.rom().keys().len();
        (0..count).map(|key| board.read(key)).collect()
    }

    /// What the host wrote since the last tick.
    fn written(&mut self, known: &[[u32; 3]], now: &[[u32; 3]]) {
        for (key, (before, after)) in known.iter().zip(now).enumerate() {
            if before != after
                && let Some(id) = KeyId::from_index(key)
            {
                let set = self.set(id, *after);
                _ = writeln!(self.script, "{set}\n  ...");
            }
        }
    }

    fn set(&self, key: KeyId, words: [u32; 3]) -> String {
        let rom = self.machine.rom();
        let ty = rom.keys().get(key.index()).map(|record| record.ty.get());
        let name = self.machine.symbols().of(key).unwrap_or_default();
        let Some(ty) = ty else { return String::new() };
        let kind = PayloadKind::of_value(ty);
        let words = words.iter().take(ty.words().into());
        let words: Vec<String> = words.map(|&word| word_text(kind, word)).collect();
        format!("set {name} {}", words.join(" "))
    }

    /// A tick with its events, and where the agent is afterwards.
    fn tick(&mut self, crowd: &Agents, id: AgentId, events: &[Event]) -> Result<(), FixtureError> {
        self.script += "tick";
        for event in events {
            let event = self.event(event, None)?;
            _ = write!(self.script, " {event}");
        }
        let seen = crowd.inspect(id).map_err(|_| FixtureError::Missing)?;
        let leaves = match seen.leaves.as_slice() {
            [] => "(none)".to_owned(),
            leaves => leaves.join(", "),
        };
        _ = writeln!(self.script, "\n  ...\n  = {leaves}...\n  ...");
        Ok(())
    }

    /// `Hit(3)!critical`; a class that is given stands there if the event has another one.
    fn event(&self, event: &Event, given: Option<Class>) -> Result<String, FixtureError> {
        let unknown = || no_words("an event of no machine");
        let rom = self.machine.rom();
        let id = event.id().ok_or_else(unknown)?;
        let record = rom.event(id).ok_or_else(unknown)?;
        let mut text = self.machine.event_name(id).to_owned();
        let (kind, words) = (record.carries(), event.words());
        let used = usize::from(record.payload_bytes).div_ceil(4).min(4);
        if used > 0 {
            let words = words[..used].iter().map(|&word| word_text(kind, word));
            text += &format!("({})", words.collect::<Vec<_>>().join(","));
        }
        let class = given.or_else(|| Class::from_number(event.class));
        if let Some(class) = class.filter(|&class| class != record.class.get()) {
            text += match class {
                Class::Low => "!low",
                Class::Normal => "!normal",
                Class::Interrupt => "!interrupt",
                Class::Critical => "!critical",
            };
        }
        Ok(text)
    }

    /// What an input is to the agent: an event, or a command of its own.
    fn input(&mut self, input: &TapeInput) -> Result<Option<Event>, FixtureError> {
        let own = |agent: &TapeAgent| *agent == self.agent;
        match input {
            TapeInput::Send(to, event) | TapeInput::Message { to, event, .. } if own(to) => {
                Ok(Some(*event))
            }
            TapeInput::Broadcast(event) => Ok(Some(*event)),
            TapeInput::Agent(what, agent) if own(agent) => {
                let word = match what {
                    AgentInput::Reset => "reset",
                    AgentInput::Stop => "stop",
                    AgentInput::Pause => "pause",
                    AgentInput::Resume => "resume",
                    AgentInput::ClearFlags => return Ok(None),
                    AgentInput::Despawn => return Err(no_words("an agent that is taken away")),
                };
                _ = writeln!(self.script, "{word}\n  ...");
                Ok(None)
            }
            TapeInput::SetVariant(agent, variant) if own(agent) => {
                let name = self.machine.symbols().of(*variant).unwrap_or_default();
                let name = if name.is_empty() { "0" } else { name };
                _ = writeln!(self.script, "variant {name}\n  ...");
                Ok(None)
            }
            TapeInput::Instance(agent, _) if own(agent) => {
                Err(no_words("bytes that take the place of the agent's"))
            }
            TapeInput::SetParameter(_) => Err(no_words("a parameter that is changed")),
            TapeInput::Send(..)
            | TapeInput::Message { .. }
            | TapeInput::Agent(..)
            | TapeInput::SetVariant(..)
            | TapeInput::Instance(..)
            // What was written shows in the blackboard.
            | TapeInput::Written(..)
            | TapeInput::Spawn { .. }
            | TapeInput::Settings(_)
            | TapeInput::StartAt(_)
            | TapeInput::Number(_)
            | TapeInput::ResetCounters => Ok(None),
        }
    }

    /// Messages of the last tick to the agent, where no world carries them.
    fn messages(&self, crowd: &Agents, id: AgentId) -> Vec<Event> {
        let rom = crowd.machine().rom();
        let messages = crowd.lane(Lane::MESSAGE).filter_map(|command| {
            let What::Send { to, event, payload } = command.what(&rom) else {
                return None;
            };
            let class = rom.event(event)?.class.get();
            (to == id).then(|| Event::new(event, class).with_words(payload))
        });
        messages.collect()
    }

    /// What the agent's functions said and did in a tick.
    fn calls(&mut self, calls: &[u8]) -> Result<(), FixtureError> {
        let malformed = || no_words("answers that are none");
        let mut turns = Turns::new(calls);
        while let Some((index, turn)) = turns.next_turn().map_err(|_| malformed())? {
            if index != self.agent.index {
                continue;
            }
            let mut calls = Calls::new(turn, 0);
            while let Some(call) = calls.next_call().map_err(|_| malformed())? {
                let mut deeds = Vec::new();
                let outcome = loop {
                    match calls.next_step(call.kind).map_err(|_| malformed())? {
                        Step::Did(deed) => deeds.push(deed),
                        Step::Answered(outcome) => break outcome,
                        Step::Panicked(_) => return Err(no_words("a function that panics")),
                    }
                };
                self.answer(call.kind, call.function, &deeds, outcome)?;
            }
        }
        Ok(())
    }

    fn answer(
        &mut self,
        kind: CallKind,
        function: FunctionId,
        deeds: &[Deed<'_>],
        outcome: Outcome,
    ) -> Result<(), FixtureError> {
        let name = self.machine.function_name(function);
        let draws = deeds.iter().any(|deed| matches!(deed, Deed::Rng(_)));
        let answer = match outcome {
            Outcome::Verdict(Verdict { holds: true, .. }) if draws => Some("yes draws".to_owned()),
            Outcome::Verdict(Verdict { holds: true, .. }) => Some("yes".to_owned()),
            Outcome::Verdict(Verdict { code, .. }) => {
                let draws = if draws { " draws" } else { "" };
                Some(format!("no({code}){draws}"))
            }
            Outcome::Score(score) => Some(score.to_string()),
            Outcome::Value(words) => Some(self.value(function, words)),
            Outcome::Done => None,
            Outcome::Status(status) => Some(
                match status {
                    Status::Running => "running",
                    Status::Succeeded => "succeeded",
                    Status::Failed => "failed",
                }
                .to_owned(),
            ),
        };
        let word = match kind {
            CallKind::Guard => "guard",
            CallKind::Scorer => "score",
            CallKind::Value => "value",
            CallKind::Action => "action",
            CallKind::Run | CallKind::Cancel => "activity",
        };
        // What is said to an activity that is canceled counts for nobody.
        if let Some(answer) = answer.filter(|_| kind != CallKind::Cancel) {
            self.note(word, &name, answer);
        }
        if matches!(kind, CallKind::Action | CallKind::Run | CallKind::Cancel) {
            let deeds = deeds.iter().map(|deed| self.deed(deed));
            let deeds: Vec<String> = deeds
                .filter_map(Result::transpose)
                .collect::<Result<_, _>>()?;
            let done = match deeds.as_slice() {
                [] => "nothing".to_owned(),
                deeds => deeds.join(" then "),
            };
            self.note("action", &name, done);
        }
        Ok(())
    }

    fn note(&mut self, word: &'static str, function: &str, answer: String) {
        let key = (word, function.to_owned());
        self.answers.entry(key).or_default().push(answer);
    }

    /// What a value function gives, by its type.
    fn value(&self, function: FunctionId, words: [u32; 3]) -> String {
        let rom = self.machine.rom();
        let record = rom.linker().get(function.index());
        let ty = record.map(|record| record.ty.get());
        let (kind, used) = ty.map_or((PayloadKind::U32, 3), |ty| {
            (PayloadKind::of_value(ty), usize::from(ty.words()))
        });
        let words = words.iter().take(used);
        let words: Vec<String> = words.map(|&word| word_text(kind, word)).collect();
        match words.as_slice() {
            [one] => one.clone(),
            words => format!("({})", words.join(", ")),
        }
    }

    /// What a function did, as far as it is the agent's own business: commands are the host's.
    fn deed(&self, deed: &Deed<'_>) -> Result<Option<String>, FixtureError> {
        let names = self.machine.symbols();
        Ok(Some(match *deed {
            Deed::Post(event, class, words) => {
                let event = self.event(&self.own_event(event, words), class)?;
                format!("post {event}")
            }
            Deed::Raise(event, words) => {
                let event = self.event(&self.own_event(event, words), None)?;
                format!("raise {event}")
            }
            Deed::StartTimer(timer, ticks) => {
                format!("start {} {ticks}", names.of(timer).unwrap_or_default())
            }
            Deed::StopTimer(timer) => format!("stop {}", names.of(timer).unwrap_or_default()),
            Deed::SetScratch(scratch, word, value) => {
                let name = names.of(scratch).unwrap_or_default();
                format!("scratch {name} {word} {value}")
            }
            Deed::ClearHistory(state) => {
                format!("forget {}", names.of(state).unwrap_or_default())
            }
            Deed::WriteKey(key, words) => self.set(key, words),
            Deed::Rng(_) => "draw".to_owned(),
            Deed::Send(..) | Deed::Emit { .. } | Deed::Merge { .. } => return Ok(None),
        }))
    }

    fn own_event(&self, event: statewright::ids::EventId, words: [u32; 4]) -> Event {
        let rom = self.machine.rom();
        let class = rom
            .event(event)
            .map_or(Class::Normal, |record| record.class.get());
        Event::new(event, class).with_words(words)
    }
}

/// One word of a value, as fixtures read it.
fn word_text(kind: PayloadKind, word: u32) -> String {
    match kind {
        PayloadKind::F32 | PayloadKind::Vec2 | PayloadKind::Vec3 | PayloadKind::Vec4 => {
            f32::from_bits(word).to_string()
        }
        PayloadKind::Bool => (word != 0).to_string(),
        PayloadKind::I32 => (word as i32).to_string(),
        PayloadKind::Entity
        | PayloadKind::Symbol
        | PayloadKind::U32
        | PayloadKind::U64
        | PayloadKind::Bytes
        | PayloadKind::Empty => word.to_string(),
    }
}

fn no_words(what: &str) -> FixtureError {
    FixtureError::NoWords(what.to_owned())
}
