//! A world that writes down what happens, in order, and a machine that tells every entry and exit.

use std::collections::BTreeMap;

use statewright_author::graph::{Action, ActionKind, Machine, State};
use statewright_author::span::{Name, Span};
use statewright_author::text;
use statewright_oracle::{
    Actor, Call, Cause, Class, Command, Event, Mode, Oracle, Outcome, Posted, Rng, Status,
    TickReport, Tier, ValueType, Verdict, World,
};

/// Answers of user functions by name; everything is written into `log`.
#[derive(Default)]
pub struct Notes {
    pub log: Vec<String>,
    /// Guards that do not hold, with their code; all others hold.
    pub no: BTreeMap<String, u16>,
    pub scores: BTreeMap<String, f32>,
    pub statuses: BTreeMap<String, Status>,
    pub keys: Vec<[u32; 3]>,
    pub budget: Option<usize>,
    pub causes: Vec<(String, Cause, Option<usize>)>,
    pub clocks: Vec<(String, Option<u32>)>,
    /// Machine-level things that actions of a name do.
    pub hooks: BTreeMap<String, Hook>,
}

pub type Hook = fn(&mut Actor<'_>);

impl World for Notes {
    fn guard(&mut self, call: &Call<'_>, _: &mut Rng) -> Verdict {
        self.log.push(format!("?{}", call.function));
        self.causes.push((
            format!("?{}", call.function),
            call.cause.clone(),
            call.transition,
        ));
        self.clocks
            .push((call.function.to_owned(), call.ticks_in_state));
        match self.no.get(call.function) {
            Some(&code) => Verdict { holds: false, code },
            None => Verdict {
                holds: true,
                code: 0,
            },
        }
    }

    fn score(&mut self, call: &Call<'_>, _: &mut Rng) -> f32 {
        self.log.push(format!("#{}", call.function));
        self.scores.get(call.function).copied().unwrap_or(0.0)
    }

    fn value(&mut self, call: &Call<'_>, ty: ValueType, _: &mut Rng) -> Vec<u32> {
        self.log.push(format!("={}", call.function));
        vec![0; ty.words() as usize]
    }

    fn action(&mut self, call: &Call<'_>, actor: &mut Actor<'_>) {
        self.log.push(call.function.to_owned());
        self.causes.push((
            call.function.to_owned(),
            call.cause.clone(),
            call.transition,
        ));
        self.clocks
            .push((call.function.to_owned(), call.ticks_in_state));
        if let Some(hook) = self.hooks.get(call.function) {
            hook(actor);
        }
    }

    fn activity(&mut self, call: &Call<'_>, mode: Mode, _: &mut Actor<'_>) -> Status {
        let word = if mode == Mode::Run { "run" } else { "cancel" };
        self.log.push(format!("{word}:{}", call.function));
        self.statuses
            .get(call.function)
            .copied()
            .unwrap_or(Status::Running)
    }

    fn command(&mut self, command: &Command) -> bool {
        let text = match command {
            Command::Emit { name, payload, .. } => format!("emit:{name}{payload:?}"),
            Command::Release { channel, .. } => format!("release:{channel}"),
            Command::Send {
                to, event, payload, ..
            } => format!("send:{event}{payload:?}to{to:?}"),
        };
        self.log.push(text);
        match &mut self.budget {
            Some(0) => false,
            Some(left) => {
                *left -= 1;
                true
            }
            None => true,
        }
    }

    fn read_key(&mut self, key: usize) -> [u32; 3] {
        self.keys.get(key).copied().unwrap_or_default()
    }

    fn write_key(&mut self, key: usize, words: [u32; 3]) {
        if self.keys.len() <= key {
            self.keys.resize(key + 1, [0; 3]);
        }
        self.keys[key] = words;
    }
}

/// A machine, its world and its clock.
pub struct Bench {
    pub oracle: Oracle,
    pub notes: Notes,
    pub now: u32,
    pub names: Vec<String>,
    pub events: Vec<String>,
    pub last: TickReport,
}

impl Bench {
    /// A machine of the standard tier; entries are `+name`, exits `-name`, suspensions `~name`,
    /// resumptions `^name`.
    pub fn new(source: &str) -> Self {
        Self::with_tier(source, Tier::Standard)
    }

    pub fn with_tier(source: &str, tier: Tier) -> Self {
        let mut machine = read(source);
        tell(&mut machine.root, true);
        let mut names = Vec::new();
        collect(&machine.root, &mut names);
        let events = machine
            .events
            .iter()
            .map(|event| event.name.value.clone())
            .collect();
        let oracle = Oracle::new(&machine, tier, 7, 1);
        Self {
            oracle,
            notes: Notes::default(),
            now: 100,
            names,
            events,
            last: TickReport::default(),
        }
    }

    /// Runs one tick and returns what happened.
    pub fn tick(&mut self) -> String {
        self.tick_with(&[])
    }

    pub fn tick_with(&mut self, inbox: &[Event]) -> String {
        self.notes.log.clear();
        self.last = self.oracle.tick(&mut self.notes, self.now, 0, inbox);
        self.now = self.now.wrapping_add(1);
        self.notes.log.join(" ")
    }

    /// Posts events, then runs one tick.
    pub fn send(&mut self, events: &[&str]) -> String {
        for event in events {
            self.post(event);
        }
        self.tick()
    }

    pub fn event(&self, name: &str) -> usize {
        self.events.iter().position(|event| event == name).unwrap()
    }

    pub fn post(&mut self, name: &str) -> Posted {
        self.oracle.post(self.now, self.event(name), None, [0; 4])
    }

    pub fn inbox(&self, name: &str) -> Event {
        Event {
            id: self.event(name),
            class: Class::Normal,
            ..Event::default()
        }
    }

    pub fn skip(&mut self, ticks: u32) {
        self.now = self.now.wrapping_add(ticks);
    }

    /// Names of the active leaves.
    pub fn leaves(&self) -> String {
        let names: Vec<&str> = self
            .oracle
            .snapshot()
            .leaves
            .iter()
            .map(|&leaf| self.names[leaf].as_str())
            .collect();
        names.join(" ")
    }

    /// Queued events by name, deferred ones with `*`.
    pub fn queue(&self) -> String {
        let queue = self.oracle.snapshot().queue;
        let name = |event: &Event| {
            format!(
                "{}{}",
                self.events[event.id],
                if event.deferred { "*" } else { "" }
            )
        };
        queue.iter().map(name).collect::<Vec<_>>().join(" ")
    }

    /// Outcome of a transition in the n-th selection of the last tick.
    pub fn outcome(&self, selection: usize, transition: usize) -> Option<Outcome> {
        self.last.selections[selection]
            .outcomes
            .get(&transition)
            .copied()
    }
}

pub fn read(source: &str) -> Machine {
    let (machine, problems) = text::read("test", source);
    let messages: Vec<String> = problems
        .iter()
        .map(|problem| format!("{problem:?}"))
        .collect();
    assert!(!problems.has_errors(), "{messages:?}");
    machine
}

fn call(name: String) -> Action {
    let function = Name::new(name, Span::default());
    Action {
        kind: ActionKind::Call {
            function,
            arguments: Vec::new(),
        },
        muted: false,
        span: Span::default(),
    }
}

fn tell(state: &mut State, root: bool) {
    let name = if root {
        "root".to_owned()
    } else {
        state.name.value.clone()
    };
    if state.choice.is_none() {
        state.entry.insert(0, call(format!("+{name}")));
        state.exit.insert(0, call(format!("-{name}")));
        state.suspend.insert(0, call(format!("~{name}")));
        state.resume.insert(0, call(format!("^{name}")));
    }
    for region in &mut state.regions {
        region
            .states
            .iter_mut()
            .for_each(|child| tell(child, false));
    }
}

fn collect(state: &State, names: &mut Vec<String>) {
    names.push(if names.is_empty() {
        "root".to_owned()
    } else {
        state.name.value.clone()
    });
    for child in state
        .regions
        .iter()
        .flat_map(|region| &region.states)
        .filter(|child| !child.muted)
    {
        collect(child, names);
    }
}
