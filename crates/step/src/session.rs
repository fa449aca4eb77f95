//! The agent, its history, and what commands do to it.

use std::collections::VecDeque;
use std::sync::Arc;

use statewright::{Blackboard, Board, Machine};
use statewright_kernel::{Admission, Counters, Input, flag};
use statewright_rom::ids::*;
use statewright_rom::{OwnedRom, Rom};
use statewright_symbols::{SymbolKind, SymbolTable};

use crate::checkpoint::{Agent, Checkpoint};
use crate::checkpoint_file;
use crate::command::Command;
use crate::error::StepError;
use crate::host::StepHost;
use crate::names::Names;
use crate::record::{CommandKind, Step, StepEvent};
use crate::stubs::{Answer, Stubs};
use crate::value::{key_type, value_type, value_words};
use crate::why::Judge;

/// Most commands that can be undone; older ones are forgotten.
const MOST_UNDO: usize = 10_000;

/// Most ticks of one command.
pub const MOST_TICKS: u32 = 100_000;

/// How a session begins.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// What guards answer that nobody provides.
    pub guards: Answer,
    /// Where chance begins, of the agent and of guards that answer at random.
    pub seed: u64,
    /// The variant of the agent's parameters; the plain one if none is named.
    pub variant: Option<String>,
}

/// One agent under observation.
#[derive(Debug)]
pub struct Session {
    machine: Machine,
    names: Names,
    variant: VariantId,
    now: Checkpoint,
    past: VecDeque<Checkpoint>,
    future: Vec<Checkpoint>,
    /// What `snapshot` without a file keeps.
    kept: Option<Checkpoint>,
    start: Arc<Step>,
}

impl Session {
    /// A new agent, which has run its first tick.
    pub fn new(
        rom: OwnedRom,
        symbols: Option<SymbolTable>,
        settings: Settings,
    ) -> Result<Self, StepError> {
        let given = symbols.clone().unwrap_or_default();
        let machine = Machine::from_rom(rom.as_bytes().to_vec(), given)
            .map_err(|error| StepError::new(error.to_string()))?;
        let names = Names::new(&machine, symbols);
        let variant = match &settings.variant {
            None => VariantId::PLAIN,
            Some(name) => find_variant(&names, name)?,
        };
        let (agent, functions) = {
            let rom = machine.rom();
            (Agent::new(&rom, settings.seed), rom.linker().len())
        };
        let stubs = Stubs::new(functions, settings.guards, settings.seed);
        let board = Blackboard::new(&machine);
        let now = Checkpoint {
            agent,
            board,
            tick: u32::MAX,
            steps: 0,
            stubs,
            last: None,
            ended_in: Vec::new(),
        };
        let empty = Step {
            number: 0,
            kind: CommandKind::Start,
            tick: 0,
            event: None,
            log: Vec::new(),
            candidates: Vec::new(),
            notes: Vec::new(),
            after: crate::record::AgentState::default(),
        };
        let (past, future) = (VecDeque::new(), Vec::new());
        let mut session = Self {
            machine,
            names,
            variant,
            now,
            past,
            future,
            kept: None,
            start: Arc::new(empty),
        };
        session.start = session.run_tick(CommandKind::Start, None);
        // The start is step 0.
        session.now.steps = 0;
        Ok(session)
    }

    /// What the start did.
    pub fn start(&self) -> &Arc<Step> {
        &self.start
    }

    /// The machine.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Words for everything in it.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// What functions answer.
    pub fn stubs(&self) -> &Stubs {
        &self.now.stubs
    }

    /// Steps so far.
    pub fn steps(&self) -> u64 {
        self.now.steps
    }

    /// The tick that ran last.
    pub fn tick(&self) -> u32 {
        self.now.tick
    }

    /// Ticks per second.
    pub fn tick_rate(&self) -> u32 {
        u32::from(self.machine.rom().header().tick_rate.get())
    }

    /// Paths of the active leaves; of those that it ended in, once the agent has ended by itself.
    pub fn configuration(&self) -> Vec<&str> {
        self.now
            .leaves()
            .into_iter()
            .map(|leaf| self.names.state(leaf))
            .collect()
    }

    /// Is a state active?
    pub fn is_active(&self, state: StateId) -> bool {
        self.now.agent.is_active(&self.machine.rom(), state)
    }

    /// Has the agent ended?
    pub fn has_ended(&self) -> bool {
        self.now.agent.has(flag::TERMINATED) || self.now.agent.has(flag::QUARANTINED)
    }

    /// The agent as it is now.
    pub fn look(&self) -> crate::record::AgentState {
        self.now.after(&self.machine.rom())
    }

    /// The scratch of active states (LANG-8) and its words, in the order of the tree.
    pub fn scratch(&self) -> Vec<(ScratchId, Vec<u16>)> {
        self.now.agent.scratch(&self.machine.rom())
    }

    /// The variant of the agent's parameters.
    pub fn variant(&self) -> VariantId {
        self.variant
    }

    /// The last step that ran a tick.
    pub fn last(&self) -> Option<&Arc<Step>> {
        self.now.last.as_ref()
    }

    /// How many commands can be undone and redone.
    pub fn depths(&self) -> (usize, usize) {
        (self.past.len(), self.future.len())
    }

    /// The bytes of a snapshot.
    pub fn to_bytes(&self) -> Vec<u8> {
        checkpoint_file::to_bytes(&self.machine, &self.now)
    }

    /// Goes to a snapshot; what it was made of is checked first.
    pub fn restore_bytes(&mut self, bytes: &[u8]) -> Result<Arc<Step>, StepError> {
        let checkpoint = checkpoint_file::from_bytes(&self.machine, &self.now, bytes)?;
        self.remember();
        self.now = checkpoint;
        Ok(self.still(CommandKind::Restore, Vec::new()))
    }

    /// Carries out a command that changes something; those that only ask give no steps. A command
    /// that fails changes nothing.
    pub fn carry_out(&mut self, command: &Command) -> Result<Vec<Arc<Step>>, StepError> {
        match *command {
            Command::Send(event, payload) => Ok(vec![self.send(event, payload)]),
            Command::Post(event, payload) => Ok(vec![self.post(event, payload)]),
            Command::Tick(count) => Ok(self.ticks(count)),
            Command::After(count) => Ok(vec![self.pass(count)]),
            Command::Set(key, words) => Ok(vec![self.set(key, words)]),
            Command::Guard(function, answer, code) => {
                let words = format!(
                    "guard {} answers {}",
                    self.names.function(function),
                    answer.word()
                );
                let words = if code == 0 {
                    words
                } else {
                    format!("{words} with code {code}")
                };
                Ok(vec![self.stub(words, |stubs| {
                    stubs.tell_guard(function, answer, code)
                })])
            }
            Command::Guards(answer) => {
                let words = format!(
                    "guards that were told nothing else answer {}",
                    answer.word()
                );
                Ok(vec![self.stub(words, |stubs| stubs.guards = answer)])
            }
            Command::Activity(function, status) => {
                let words = format!(
                    "activity {} says {}",
                    self.names.function(function),
                    crate::text::status_word(status)
                );
                Ok(vec![self.stub(words, |stubs| {
                    stubs.tell_activity(function, status)
                })])
            }
            Command::Score(function, score) => {
                let words = format!("scorer {} says {score}", self.names.function(function));
                Ok(vec![
                    self.stub(words, |stubs| stubs.tell_scorer(function, score)),
                ])
            }
            Command::Value(function, words) => {
                let rom = self.machine.rom();
                let [x, y, z] = words;
                let shown = value_words(&rom, value_type(&rom, function), [x, y, z, 0]);
                let words_of = format!("value {} gives {shown}", self.names.function(function));
                Ok(vec![
                    self.stub(words_of, |stubs| stubs.tell_value(function, words)),
                ])
            }
            Command::Undo(count) => self.undo(count).map(|step| vec![step]),
            Command::Redo(count) => self.redo(count).map(|step| vec![step]),
            Command::Snapshot(None) => {
                self.kept = Some(self.now.clone());
                Ok(Vec::new())
            }
            Command::Restore(None) => self.restore().map(|step| vec![step]),
            _ => Ok(Vec::new()),
        }
    }

    fn remember(&mut self) {
        self.past.push_back(self.now.clone());
        if self.past.len() > MOST_UNDO {
            self.past.pop_front();
        }
        self.future.clear();
    }

    fn send(&mut self, event: EventId, payload: [u32; 4]) -> Arc<Step> {
        self.remember();
        self.run_tick(CommandKind::Send, Some((event, payload)))
    }

    fn post(&mut self, event: EventId, payload: [u32; 4]) -> Arc<Step> {
        self.remember();
        let mut counters = Counters::default();
        let note = self.admit(event, payload, &mut counters);
        let mut notes: Vec<String> = note.into_iter().collect();
        notes.extend(lost(&counters));
        let mut step = self.blank(CommandKind::Post, notes);
        step.event = Some((event, payload));
        self.count(step)
    }

    /// Puts an event into the queue, to be taken in the next tick.
    fn admit(
        &mut self,
        event: EventId,
        payload: [u32; 4],
        counters: &mut Counters,
    ) -> Option<String> {
        if self.has_ended() {
            return Some("the agent has ended: nobody takes the event".to_owned());
        }
        let rom = self.machine.rom();
        let posted = self.now.agent.post(
            &rom,
            self.now.tick.wrapping_add(1),
            event,
            payload,
            counters,
        );
        match posted {
            Ok(Admission::Admitted) => None,
            Ok(Admission::Coalesced) => {
                Some("it took the place of a queued event of its kind".to_owned())
            }
            Ok(Admission::Dropped) => Some("the queue had no room for it".to_owned()),
            Err(fault) => Some(format!("the agent was quarantined: {fault}")),
        }
    }

    fn ticks(&mut self, count: u32) -> Vec<Arc<Step>> {
        self.remember();
        (0..count)
            .map(|_| self.run_tick(CommandKind::Tick, None))
            .collect()
    }

    /// Runs ticks and tells them as one step.
    fn pass(&mut self, count: u32) -> Arc<Step> {
        self.remember();
        let before = self.now.steps;
        let mut whole = self.blank(CommandKind::After, Vec::new());
        for _ in 0..count {
            let searches = whole.candidates.last().map_or(0, |last| last.search + 1);
            let one = self.run_tick(CommandKind::Tick, None);
            let mut candidates = one.candidates.clone();
            candidates
                .iter_mut()
                .for_each(|last| last.search += searches);
            whole.candidates.extend(candidates);
            whole.log.extend(one.log.iter().cloned());
            whole.notes.extend(one.notes.iter().cloned());
        }
        self.now.steps = before;
        (whole.tick, whole.after) = (self.now.tick, self.look());
        let whole = self.count(whole);
        self.now.last = Some(Arc::clone(&whole));
        whole
    }

    /// Runs one whole tick and records it.
    fn run_tick(&mut self, kind: CommandKind, event: Option<(EventId, [u32; 4])>) -> Arc<Step> {
        let mut counters = Counters::default();
        let note = event.and_then(|(event, payload)| self.admit(event, payload, &mut counters));
        let mut notes: Vec<String> = note.into_iter().collect();
        self.now.tick = self.now.tick.wrapping_add(1);
        let rom = self.machine.rom();
        let before = self.now.agent.leaves();
        let input = Input {
            variant: self.variant,
            ..Input::new(0, self.now.tick)
        };
        let (log, report) = {
            let Checkpoint {
                agent,
                board,
                stubs,
                ..
            } = &mut self.now;
            let mut host = StepHost::new(&rom, &self.names, stubs, board);
            let report = agent.tick(&rom, &mut host, &input, &mut counters);
            (host.finish(), report)
        };
        if self.now.agent.has(flag::TERMINATED) && log.contains(&StepEvent::Terminated) {
            self.now.ended_in = ended_in(&rom, &log);
        }
        notes.extend(lost(&counters));
        notes.extend(
            report
                .fault
                .map(|fault| format!("the agent was quarantined: {fault}")),
        );
        let judge = Judge {
            rom: &rom,
            names: &self.names,
            variant: self.variant,
            checkpoint: &self.now,
            before: &before,
            log: &log,
        };
        let candidates = judge.candidates();
        let after = self.now.after(&rom);
        let number = if kind == CommandKind::Start {
            0
        } else {
            self.now.steps + 1
        };
        let step = Arc::new(Step {
            number,
            kind,
            tick: self.now.tick,
            event,
            log,
            candidates,
            notes,
            after,
        });
        self.now.steps = number;
        self.now.last = Some(Arc::clone(&step));
        step
    }

    /// A step without a tick.
    fn blank(&self, kind: CommandKind, notes: Vec<String>) -> Step {
        let (log, candidates) = (Vec::new(), Vec::new());
        Step {
            number: self.now.steps,
            kind,
            tick: self.now.tick,
            event: None,
            log,
            candidates,
            notes,
            after: self.look(),
        }
    }

    /// The same, where the history itself moved.
    fn still(&self, kind: CommandKind, notes: Vec<String>) -> Arc<Step> {
        Arc::new(self.blank(kind, notes))
    }

    /// Counts a step that was made without a tick.
    fn count(&mut self, mut step: Step) -> Arc<Step> {
        self.now.steps += 1;
        step.number = self.now.steps;
        Arc::new(step)
    }

    fn set(&mut self, key: KeyId, words: [u32; 3]) -> Arc<Step> {
        self.remember();
        self.now.board.write(key.index(), words);
        let note = {
            let rom = self.machine.rom();
            let [x, y, z] = words;
            let ty = key_type(&rom, key.index());
            format!(
                "{} = {}",
                self.names.key(key),
                value_words(&rom, ty, [x, y, z, 0])
            )
        };
        let step = self.blank(CommandKind::Set, vec![note]);
        self.count(step)
    }

    fn stub(&mut self, words: String, tell: impl FnOnce(&mut Stubs)) -> Arc<Step> {
        self.remember();
        tell(&mut self.now.stubs);
        let step = self.blank(CommandKind::Stub, vec![words]);
        self.count(step)
    }

    fn undo(&mut self, count: u32) -> Result<Arc<Step>, StepError> {
        let has = self.past.len();
        if has < count as usize {
            return Err(too_far("undo", has));
        }
        for _ in 0..count {
            if let Some(before) = self.past.pop_back() {
                self.future.push(std::mem::replace(&mut self.now, before));
            }
        }
        Ok(self.still(CommandKind::Undo, Vec::new()))
    }

    fn redo(&mut self, count: u32) -> Result<Arc<Step>, StepError> {
        let has = self.future.len();
        if has < count as usize {
            return Err(too_far("redo", has));
        }
        for _ in 0..count {
            if let Some(after) = self.future.pop() {
                self.past.push_back(std::mem::replace(&mut self.now, after));
            }
        }
        Ok(self.still(CommandKind::Redo, Vec::new()))
    }

    fn restore(&mut self) -> Result<Arc<Step>, StepError> {
        let Some(kept) = self.kept.clone() else {
            return Err(StepError::new("there is no snapshot yet")
                .help("`snapshot` makes one, `restore FILE` reads one"));
        };
        self.remember();
        self.now = kept;
        Ok(self.still(CommandKind::Restore, Vec::new()))
    }
}

fn find_variant(names: &Names, name: &str) -> Result<VariantId, StepError> {
    let known = names.symbols.names(SymbolKind::Variant).skip(1);
    let place = known.clone().position(|known| known == name);
    place
        .and_then(|place| VariantId::from_index(place + 1))
        .ok_or_else(|| StepError::unknown("variant", name, known, "`statewright dump` lists them"))
}

fn too_far(what: &str, has: usize) -> StepError {
    match has {
        0 => StepError::new(format!("there is nothing to {what}")),
        1 => StepError::new(format!("there is only 1 command to {what}")),
        has => StepError::new(format!("there are only {has} commands to {what}")),
    }
}

/// Leaves among the states that the end exited.
fn ended_in(rom: &Rom<'_>, log: &[StepEvent]) -> Vec<StateId> {
    let exits = log
        .iter()
        .rev()
        .take_while(|event| !matches!(event, StepEvent::Entered(_)));
    let exited = exits.filter_map(|event| {
        if let StepEvent::Exited(state) = event {
            Some(*state)
        } else {
            None
        }
    });
    let is_leaf = |state: &StateId| {
        rom.state(*state)
            .is_some_and(|record| record.kind.get().is_leaf())
    };
    let mut leaves: Vec<StateId> = exited.filter(is_leaf).collect();
    leaves.sort_unstable();
    leaves
}

/// What got lost, in words.
fn lost(counters: &Counters) -> Vec<String> {
    let mut notes = Vec::new();
    let mut say = |count: u64, words: &str| {
        if count > 0 {
            let plural = if count == 1 { "" } else { "s" };
            notes.push(format!("{count} event{plural} {words}"));
        }
    };
    say(
        counters.dropped_overflow.iter().sum(),
        "dropped: no room in the queue",
    );
    say(counters.dropped_ended, "dropped: the agent has ended");
    say(
        counters.dropped_unknown,
        "dropped: the machine does not know it",
    );
    say(
        counters.dropped_surplus,
        "dropped: more than one tick takes",
    );
    say(
        counters.evicted.iter().sum(),
        "pushed out of the queue by a more urgent one",
    );
    say(counters.expired, "too old and removed");
    say(
        counters.deferrals_refused,
        "not deferred for lack of room, and lost",
    );
    notes
}
