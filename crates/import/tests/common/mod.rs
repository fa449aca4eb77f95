//! Helpers of the tests of import.

use statewright_author::diagnostic::{Diagnostics, Severity};
use statewright_author::graph::{Machine, State, Transition, Trigger};
use statewright_author::render::{Style, render_text};
use statewright_compile::{Options, Output, compile_with};
use statewright_step::{Command, Session, Settings};

/// The reader of a format.
pub type Read = fn(&str, &str) -> (Machine, Diagnostics);

/// Chance that is the same in every run.
pub struct Rng(pub u64);

impl Rng {
    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end.max(1)
    }
}

/// A text that must be read without a word.
#[track_caller]
pub fn quiet(read: Read, text: &str) -> Machine {
    let (machine, problems) = read("test", text);
    assert!(
        problems.is_empty(),
        "{}",
        render_text(&problems, &machine.source, Style::default())
    );
    machine
}

/// The codes and messages of what is wrong with a text, without what only the compiler says.
pub fn said(read: Read, text: &str) -> Vec<String> {
    let (_, problems) = read("test", text);
    problems
        .iter()
        .map(|problem| format!("{} {}", problem.code.info().id, problem.message))
        .collect()
}

/// A text that must compile; warnings of the compiler are allowed.
#[track_caller]
pub fn compiled(read: Read, text: &str) -> Output {
    let (machine, found) = read("test", text);
    let (output, problems) = compile_with(
        &machine,
        found,
        &Options {
            strict: false,
            dev: true,
        },
    );
    output.unwrap_or_else(|| {
        panic!(
            "{}",
            render_text(&problems, &machine.source, Style::default())
        )
    })
}

/// Runs an agent: after each command its active leaves. An empty command is the start.
#[track_caller]
pub fn runs(read: Read, text: &str, script: &[(&str, &[&str])]) -> Vec<String> {
    let output = compiled(read, text);
    let mut session = Session::new(output.rom, Some(output.symbols), Settings::default()).unwrap();
    let mut happened = Vec::new();
    let mut note = |session: &Session, step: &statewright_step::Step| {
        happened.extend(
            statewright_step::text::step_events(session, step)
                .iter()
                .map(|line| line.plain()),
        );
    };
    note(&session, &session.start().clone());
    for (command, expected) in script {
        if !command.is_empty() {
            let command = Command::parse(command, &session)
                .unwrap_or_else(|error| panic!("{command}: {error}"));
            let steps = session.carry_out(&command).unwrap();
            steps.iter().for_each(|step| note(&session, step));
        }
        assert_eq!(
            session.configuration(),
            *expected,
            "after `{command}`\n{text}"
        );
    }
    happened
}

/// The actions that ran, in order.
pub fn deeds(happened: &[String]) -> Vec<&str> {
    happened
        .iter()
        .filter_map(|line| line.trim().strip_prefix("action"))
        .map(str::trim)
        .collect()
}

/// States as `name(children)`, `name{region|region}` with marks for what they are.
pub fn outline(state: &State) -> String {
    let mut text = state.name.value.clone();
    if state.is_final.is_some() {
        text.push('!');
    }
    if state.choice.is_some() {
        text.push('?');
    }
    for point in &state.history {
        text.push_str(if point.deep { "+H*" } else { "+H" });
    }
    let regions: Vec<String> = state
        .regions
        .iter()
        .map(|region| {
            region
                .states
                .iter()
                .map(outline)
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect();
    match &regions[..] {
        [] => {}
        [only] => text.push_str(&format!("({only})")),
        several => text.push_str(&format!("{{{}}}", several.join("|"))),
    }
    text
}

/// Every state with its path.
pub fn all_states(machine: &Machine) -> Vec<(String, &State)> {
    fn add<'m>(state: &'m State, path: &str, list: &mut Vec<(String, &'m State)>) {
        for child in state.regions.iter().flat_map(|region| &region.states) {
            let path = format!("{path}/{}", child.name.value);
            list.push((path.clone(), child));
            add(child, &path, list);
        }
    }
    let mut list = vec![(String::new(), &machine.root)];
    add(&machine.root, "", &mut list);
    list
}

/// The words of a trigger.
pub fn trigger(transition: &Transition) -> String {
    match &transition.trigger {
        Trigger::Event(name) => name.value.clone(),
        Trigger::Events(names) => {
            let names = names.value.iter().map(|name| name.value.as_str());
            names.collect::<Vec<_>>().join(", ")
        }
        Trigger::Any(_) => "*".into(),
        Trigger::After(duration) => format!("after {}", duration.value),
        Trigger::Every(duration) => format!("every {}", duration.value),
        Trigger::Timer(name) => format!("timer {}", name.value),
        Trigger::Always(_) => "always".into(),
        Trigger::Done(_) => "done".into(),
        Trigger::Failed(_) => "failed".into(),
    }
}

/// Every transition as `source: trigger [guard] -> targets`.
pub fn arrows(machine: &Machine) -> Vec<String> {
    let mut list = Vec::new();
    for (path, state) in all_states(machine) {
        for transition in &state.transitions {
            let guard = transition
                .guard
                .as_ref()
                .map_or(String::new(), |guard| format!(" [{}]", guard.value));
            let targets: Vec<&str> = transition
                .targets
                .iter()
                .map(|target| target.value.as_str())
                .collect();
            list.push(format!(
                "{path}: {}{guard} -> {}",
                trigger(transition),
                targets.join(" ")
            ));
        }
    }
    list
}

/// Whether there are errors.
pub fn has_errors(problems: &Diagnostics) -> bool {
    problems
        .iter()
        .any(|problem| problem.severity == Severity::Error)
}
