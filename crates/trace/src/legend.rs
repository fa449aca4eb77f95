//! The names behind the numbers of records, and as much of the machine as it takes to explain them.

use statewright_rom::Rom;
use statewright_rom::Target;
use statewright_rom::ids::{OpId, StateId, TargetSetId};
use statewright_rom::layout::{ActionOp, NONE, SpecialTrigger, TransitionRecord, transition_flag};

/// Names of a machine, in the order of their numbers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Names<'n> {
    /// The machine.
    pub machine: &'n str,
    /// Paths of states.
    pub states: &'n [String],
    /// Events.
    pub events: &'n [String],
    /// Timers.
    pub timers: &'n [String],
    /// Functions.
    pub functions: &'n [String],
}

/// A state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// Its path.
    pub name: String,
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
    /// Whether it goes back to what was suspended.
    pub is_pop: bool,
    /// Where it leads.
    pub targets: Vec<u16>,
}

/// What a code of a guard means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// The guard.
    pub function: u16,
    /// The code.
    pub code: u16,
    /// What it means.
    pub text: String,
}

/// Names and structure of a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Legend {
    /// Name of the machine.
    pub machine: String,
    /// Hash of its structure (ROM-5).
    pub structure_hash: u64,
    /// Hash of everything else that changes behavior (ROM-5).
    pub parameter_hash: u64,
    /// Ticks per second.
    pub tick_rate: u16,
    /// States in pre-order.
    pub states: Vec<State>,
    /// Owner of each region.
    pub regions: Vec<u16>,
    /// Names of events.
    pub events: Vec<String>,
    /// Names of timers.
    pub timers: Vec<String>,
    /// Names of functions.
    pub functions: Vec<String>,
    /// Transitions.
    pub transitions: Vec<Transition>,
    /// What codes of guards mean.
    pub codes: Vec<Code>,
}

/// As many names as there are things; what has none is called by its number.
fn names(known: &[String], count: usize, what: &str) -> Vec<String> {
    let name = |number: usize| {
        known
            .get(number)
            .cloned()
            .unwrap_or_else(|| format!("{what}_{number}"))
    };
    (0..count).map(name).collect()
}

impl Legend {
    /// The legend of a machine.
    pub fn new(rom: &Rom<'_>, given: &Names<'_>) -> Self {
        let paths = names(given.states, rom.states().len(), "state");
        let some = |raw: u16| if raw == NONE { None } else { Some(raw) };
        let states = rom.states().iter().zip(paths).map(|(record, name)| State {
            name,
            parent: some(record.parent.get()),
            region: some(record.region.get()),
            is_leaf: record.region_count == 0,
        });
        Self {
            machine: given.machine.to_owned(),
            structure_hash: rom.structure_hash(),
            parameter_hash: rom.parameter_hash(),
            tick_rate: rom.header().tick_rate.get(),
            states: states.collect(),
            regions: rom
                .regions()
                .iter()
                .map(|region| region.owner.get())
                .collect(),
            events: names(given.events, rom.events().len(), "event"),
            timers: names(given.timers, rom.timers().len(), "timer"),
            functions: names(given.functions, rom.linker().len(), "function"),
            transitions: rom
                .transitions()
                .iter()
                .map(|record| transition(rom, record))
                .collect(),
            codes: Vec::new(),
        }
    }

    /// With the meaning of a guard's code.
    pub fn with_code(mut self, function: u16, code: u16, text: &str) -> Self {
        self.codes.push(Code {
            function,
            code,
            text: text.to_owned(),
        });
        self
    }

    /// The path of a state.
    pub fn state(&self, state: u16) -> &str {
        self.states
            .get(usize::from(state))
            .map_or("?", |state| &state.name)
    }

    /// The name of an event.
    pub fn event(&self, event: u16) -> &str {
        self.events
            .get(usize::from(event))
            .map_or("?", String::as_str)
    }

    /// The name of a timer.
    pub fn timer(&self, timer: u16) -> &str {
        self.timers
            .get(usize::from(timer))
            .map_or("?", String::as_str)
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

    /// Where a transition leads, for people: `a -> b`.
    pub fn way(&self, transition: u16) -> String {
        let Some(transition) = self.transitions.get(usize::from(transition)) else {
            return "?".to_owned();
        };
        let source = self.state(transition.source);
        if transition.is_internal {
            return format!("{source} (stays)");
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
        let meant = self
            .codes
            .iter()
            .find(|known| known.function == function && known.code == code)?;
        Some(&meant.text)
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
        is_pop: flags & transition_flag::POP != 0,
        targets: anchors.collect(),
    }
}
