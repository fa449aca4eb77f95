//! What it takes to explain records: the symbol table of the machine, and as much of its shape as
//! their words need.

use std::collections::BTreeMap;
use std::sync::Arc;

use statewright_rom::Rom;
use statewright_rom::Target;
use statewright_rom::ids::{FunctionId, OpId, StateId, StringId, TargetSetId};
use statewright_rom::layout::{ActionOp, NONE, SpecialTrigger, TransitionRecord, transition_flag};
use statewright_symbols::{SymbolKind, SymbolTable};

/// A state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// The state around it.
    pub parent: Option<u16>,
    /// The region that it is a child of.
    pub region: Option<u16>,
    /// Whether it has no children.
    pub is_leaf: bool,
}

/// What a transition waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// An event.
    Event(u16),
    /// A timer.
    Timer(u16),
    /// Any event.
    Any,
    /// Nothing.
    Always,
    /// The completion of its source.
    Done,
    /// The failure of its source.
    Failed,
}

/// What guards a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// Nothing.
    None,
    /// An expression of the machine file.
    Expression,
    /// A function.
    Function(u16),
}

/// A transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// The state that it belongs to.
    pub source: u16,
    /// What it waits for.
    pub trigger: Trigger,
    /// What guards it.
    pub guard: Guard,
    /// Whether it enters and leaves nothing.
    pub is_internal: bool,
    /// Whether it is a candidate for staying: nothing happens if it wins (LANG-6).
    pub is_stay: bool,
    /// Whether it goes back to what was suspended.
    pub is_pop: bool,
    /// Whether it was written in one list of events with the one before it (LANG-1).
    pub is_listed: bool,
    /// Where it leads.
    pub targets: Vec<u16>,
}

/// Names and structure of a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Legend {
    /// Names, hashes and what codes of guards mean. States, events, timers and functions all have a
    /// name.
    pub symbols: SymbolTable,
    /// Ticks per second.
    pub tick_rate: u16,
    /// States in pre-order.
    pub states: Vec<State>,
    /// Owner of each region.
    pub regions: Vec<u16>,
    /// Transitions.
    pub transitions: Vec<Transition>,
    /// Texts of the machine: names of commands, symbols.
    pub texts: Vec<String>,
    /// Types of commands that functions emitted, by the number of their name: as far as they are
    /// known, see [`Self::with_commands`]. They are no machine's, so that all legends of a file share them.
    pub commands: Arc<BTreeMap<u32, String>>,
}

impl Legend {
    /// The legend of a machine. What has no name is called by its number.
    pub fn new(rom: &Rom<'_>, symbols: SymbolTable) -> Self {
        let some = |raw: u16| if raw == NONE { None } else { Some(raw) };
        let states = rom.states().iter().map(|record| State {
            parent: some(record.parent.get()),
            region: some(record.region.get()),
            is_leaf: record.region_count == 0,
        });
        let symbols = SymbolTable {
            structure_hash: rom.structure_hash(),
            parameter_hash: rom.parameter_hash(),
            ..symbols
        };
        Self {
            symbols: symbols
                .with_numbers(SymbolKind::State, rom.states().len())
                .with_numbers(SymbolKind::Event, rom.events().len())
                .with_numbers(SymbolKind::Timer, rom.timers().len())
                .with_numbers(SymbolKind::Function, rom.linker().len())
                .with_numbers(SymbolKind::Key, rom.keys().len()),
            tick_rate: rom.header().tick_rate.get(),
            states: states.collect(),
            regions: rom
                .regions()
                .iter()
                .map(|region| region.owner.get())
                .collect(),
            transitions: rom
                .transitions()
                .iter()
                .map(|record| transition(rom, record))
                .collect(),
            texts: (0..rom.strings().len())
                .filter_map(StringId::from_index)
                .map(|id| rom.string(id).unwrap_or("").to_owned())
                .collect(),
            commands: Arc::default(),
        }
    }

    /// The same with names of command types. No machine has them: they are known when a traced agent
    /// has emitted such a command.
    pub fn with_commands<'n>(mut self, names: impl IntoIterator<Item = (u32, &'n str)>) -> Self {
        let commands = Arc::make_mut(&mut self.commands);
        for (number, name) in names {
            commands.entry(number).or_insert_with(|| name.to_owned());
        }
        self
    }

    /// Structure and parameter hash of the machine.
    pub fn hashes(&self) -> [u64; 2] {
        [self.symbols.structure_hash, self.symbols.parameter_hash]
    }

    /// The name of a command type, or its number.
    pub(crate) fn command(&self, number: u32) -> String {
        let name = self.commands.get(&number);
        name.map_or_else(|| format!("command {number:08x}"), Clone::clone)
    }

    /// The path of a state.
    pub fn state(&self, state: u16) -> &str {
        self.name(SymbolKind::State, state)
    }

    /// The name of an event.
    pub fn event(&self, event: u16) -> &str {
        self.name(SymbolKind::Event, event)
    }

    /// The name of a timer.
    pub fn timer(&self, timer: u16) -> &str {
        self.name(SymbolKind::Timer, timer)
    }

    /// The name of a function.
    pub fn function(&self, function: u16) -> &str {
        self.name(SymbolKind::Function, function)
    }

    /// The name of a blackboard key.
    pub fn key(&self, key: u16) -> &str {
        self.name(SymbolKind::Key, key)
    }

    /// A text of the machine, or its number.
    pub(crate) fn text(&self, number: u32) -> String {
        let text = self.texts.get(number as usize);
        text.map_or_else(|| format!("text {number}"), Clone::clone)
    }

    fn name(&self, kind: SymbolKind, number: u16) -> &str {
        let mut names = self.symbols.names(kind);
        names.nth(usize::from(number)).unwrap_or("?")
    }

    /// A timer in words: its name, or what it is for.
    pub fn timer_words(&self, timer: u16) -> String {
        let name = self.timer(timer);
        if name.contains(' ') {
            name.to_owned()
        } else {
            format!("timer {name}")
        }
    }

    /// Is a state another one or around it?
    pub fn is_around(&self, outer: u16, inner: u16) -> bool {
        // Bound: parents have smaller numbers.
        let mut at = Some(inner);
        while let Some(state) = at {
            if state == outer {
                return true;
            }
            at = self
                .states
                .get(usize::from(state))
                .and_then(|state| state.parent)
                .filter(|&parent| parent < state);
        }
        false
    }

    /// Where a transition leads, for people: `a -> b`, `a (internal)`, or `a (stays)` for a candidate
    /// for staying.
    pub fn way(&self, transition: u16) -> String {
        let Some(transition) = self.transitions.get(usize::from(transition)) else {
            return "?".to_owned();
        };
        let source = self.state(transition.source);
        match (transition.is_stay, transition.is_internal) {
            (true, _) => return format!("{source} (stays)"),
            (false, true) => return format!("{source} (internal)"),
            (false, false) => {}
        }
        if transition.is_pop {
            return format!("{source} -> back");
        }
        let targets: Vec<&str> = transition
            .targets
            .iter()
            .map(|&target| self.state(target))
            .collect();
        format!("{source} -> {}", targets.join(" + "))
    }

    /// The transitions as they were written: those of one list of events together (LANG-1).
    pub fn written(&self) -> Vec<std::ops::Range<usize>> {
        let mut lists: Vec<std::ops::Range<usize>> = Vec::new();
        for (number, transition) in self.transitions.iter().enumerate() {
            match lists.last_mut().filter(|_| transition.is_listed) {
                Some(list) => list.end = number + 1,
                None => lists.push(number..number + 1),
            }
        }
        lists
    }

    /// What all of one list of events wait for, for people: `Hit, Noise`.
    pub fn triggers(&self, first: u16) -> String {
        let mut all = self.transitions.iter().skip(usize::from(first));
        let head = all.next().map(|one| self.trigger(one.trigger));
        let rest = all.take_while(|one| one.is_listed);
        let words = rest.map(|one| self.trigger(one.trigger));
        Vec::from_iter(head.into_iter().chain(words)).join(", ")
    }

    /// What a transition waits for, for people.
    pub fn trigger(&self, trigger: Trigger) -> String {
        match trigger {
            Trigger::Event(event) => self.event(event).to_owned(),
            Trigger::Timer(timer) => self.timer_words(timer),
            Trigger::Any => "any event".to_owned(),
            Trigger::Always => "always".to_owned(),
            Trigger::Done => "done".to_owned(),
            Trigger::Failed => "failed".to_owned(),
        }
    }

    /// What a code of the guard of a transition means, if somebody said so.
    pub fn code(&self, transition: u16, code: u16) -> Option<&str> {
        let Guard::Function(function) = self.transitions.get(usize::from(transition))?.guard else {
            return None;
        };
        self.symbols.guard_code(FunctionId::new(function)?, code)
    }
}

fn transition(rom: &Rom<'_>, record: &TransitionRecord) -> Transition {
    let flags = record.flags.get();
    let targets = TargetSetId::read(record.targets).map_or(&[][..], |set| rom.targets_of(set));
    let anchors = targets
        .iter()
        .filter_map(|target| rom.anchor(Target::read(target)?))
        .map(StateId::raw);
    let raw = record.trigger.get();
    let events = rom.events().len();
    let guard = OpId::read(record.guard).and_then(|op| rom.op(op));
    Transition {
        source: record.source.get(),
        trigger: match SpecialTrigger::from_number(raw) {
            Some(SpecialTrigger::Any) => Trigger::Any,
            Some(SpecialTrigger::Always) => Trigger::Always,
            Some(SpecialTrigger::Done) => Trigger::Done,
            Some(SpecialTrigger::Failed) => Trigger::Failed,
            None if usize::from(raw) < events => Trigger::Event(raw),
            // Columns of timers stand behind those of events.
            None => Trigger::Timer(raw.saturating_sub(events as u16)),
        },
        guard: match guard {
            None => Guard::None,
            Some(op) if op.kind == ActionOp::Evaluate => Guard::Expression,
            Some(op) => Guard::Function(op.a.get()),
        },
        is_internal: flags & transition_flag::INTERNAL != 0,
        is_stay: flags & transition_flag::STAY != 0,
        is_pop: flags & transition_flag::POP != 0,
        is_listed: flags & transition_flag::LISTED != 0,
        targets: anchors.collect(),
    }
}
