//! What the shape of a tree may not be, and what is said about it: what a state of its kind can have
//! (EXEC-3, EXEC-4, EXEC-6), depth (EXEC-9), names that are given twice.

use std::collections::HashMap;

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::{Diagnostic, Diagnostics, Severity};
use statewright_author::graph::{Machine, PartUse, Region, State, StateKind};
use statewright_author::span::{Name, Span};
use statewright_rom::layout::MAX_DEPTH;

/// `TableFull` for a table.
pub fn too_many(what: &str, count: usize, most: usize, span: Span) -> Diagnostic {
    Diagnostic::new(
        DiagnosticCode::TableFull,
        span,
        format!("{count} {what}, but at most {most} fit"),
    )
    .help("split the machine into several")
}

pub(super) fn too_deep(state: &State) -> Diagnostic {
    let text = format!(
        "state `{}` has children at depth {}",
        state.name.value,
        MAX_DEPTH + 1
    );
    Diagnostic::new(DiagnosticCode::TooDeep, state.name.span, text)
        .label("its children are too deep")
        .note(format!(
            "a machine may be {MAX_DEPTH} states deep, root included"
        ))
        .help("flatten some levels, or move the inner part to a machine of its own")
}

/// Whether an error lies in a state of a file: then it may be empty because its states could not be
/// read.
pub(super) fn was_reported(state: &State, diagnostics: &Diagnostics) -> bool {
    let within = |d: &Diagnostic| state.span.start <= d.span.start && d.span.end <= state.span.end;
    !state.span.is_step()
        && diagnostics
            .iter()
            .any(|d| d.severity == Severity::Error && within(d))
}

pub(super) fn empty_region(owner: &State, region: &Region) -> Diagnostic {
    let (what, span) = match &region.name {
        Some(name) => (format!("region `{}`", name.value), name.span),
        None => (format!("state `{}`", shown(owner)), region.span),
    };
    let muted = if region.states.is_empty() {
        ""
    } else {
        ": all of them are muted"
    };
    Diagnostic::new(DiagnosticCode::EmptyRegion, span, format!("{what} has no states inside{muted}"))
        .label("nothing inside")
        .help(match region.name {
            Some(_) => "add a state to it, or remove the region",
            None => "add a state to `states`, or remove `states`, `initial` and `stack` to make it a plain state",
        })
}

/// Name of a state as messages show it.
pub fn shown(state: &State) -> &str {
    if state.name.value.is_empty() {
        "root"
    } else {
        &state.name.value
    }
}

/// `DuplicateName` with both spans.
pub fn duplicate_name(what: &str, name: &Name, first: Span) -> Diagnostic {
    Diagnostic::new(
        DiagnosticCode::DuplicateName,
        name.span,
        format!("{what} `{}` is declared twice", name.value),
    )
    .label("declared again")
    .related(first, "first declared here")
    .help("give one of them another name")
}

/// Children of one region have different names, and history points other names than all children.
pub(super) fn check_siblings(state: &State, diagnostics: &mut Diagnostics) {
    let points = state.history.iter().map(|point| &point.name);
    let mut of_points: HashMap<&str, &Name> = HashMap::new();
    let mut all: HashMap<&str, &Name> = HashMap::new();
    for region in &state.regions {
        let mut of_region: HashMap<&str, &Name> = HashMap::new();
        for child in region.states.iter().filter(|child| !child.muted) {
            let name = &child.name;
            match of_region.get(name.value.as_str()) {
                Some(first) => diagnostics.push(duplicate_name("child", name, first.span)),
                None => _ = of_region.insert(&name.value, name),
            }
        }
        for (text, name) in of_region {
            all.entry(text).or_insert(name);
        }
    }
    for name in points {
        let first = all.get(name.value.as_str());
        match first.or_else(|| of_points.get(name.value.as_str())) {
            Some(first) => diagnostics.push(duplicate_name("child", name, first.span)),
            None => _ = of_points.insert(&name.value, name),
        }
    }
}

/// Warns when two names of one scope differ only in case: generated code could not tell them apart.
pub fn check_case<'a>(
    folded: &mut HashMap<String, &'a Name>,
    name: &'a Name,
    diagnostics: &mut Diagnostics,
) {
    let key = name.value.to_lowercase();
    match folded.get(&key) {
        Some(first) if first.value != name.value => diagnostics.push(
            Diagnostic::new(
                DiagnosticCode::NamesDifferInCase,
                name.span,
                format!("`{}` and `{}` differ only in case", first.value, name.value),
            )
            .label("easy to mistake")
            .related(first.span, "for this one")
            .help("rename one of them"),
        ),
        Some(_) => {}
        None => {
            folded.insert(key, name);
        }
    }
}

pub(super) fn check_root(machine: &Machine, diagnostics: &mut Diagnostics) {
    let root = &machine.root;
    let named = if root.name.value.is_empty() {
        machine.name.span
    } else {
        root.name.span
    };
    let unread = diagnostics.has_errors();
    let mut refuse = |what: &str, span: Span, help: &str| {
        let text = format!("the root cannot be {what}");
        diagnostics.push(
            Diagnostic::new(DiagnosticCode::RootHas, span, text)
                .label("this is the root")
                .help(help),
        );
    };
    if let Some(span) = root.is_final {
        refuse("final", span, "make a state inside it final");
    }
    if root.choice.is_some() {
        refuse(
            "a choice",
            named,
            "put the choice inside, and name it in `initial`",
        );
    }
    if root.muted {
        refuse(
            "muted",
            named,
            "remove `muted`; to leave out a part, mute the states inside",
        );
    }
    let conditions = [
        ("exit_ready", root.exit_ready.as_ref().map(|c| c.span)),
        ("min_active", root.min_active.as_ref().map(|d| d.span)),
    ];
    for (field, span) in conditions {
        let Some(span) = span else { continue };
        diagnostics.push(
            Diagnostic::new(
                DiagnosticCode::RootStays,
                span,
                format!("`{field}` of the root has no effect"),
            )
            .label("the root is never left")
            .help("remove it, or put it into the states inside that are left"),
        );
    }
    // A file that could not be read has no states either.
    if root.regions.is_empty() && root.choice.is_none() && root.is_final.is_none() && !unread {
        diagnostics.push(
            Diagnostic::new(
                DiagnosticCode::EmptyRegion,
                machine.name.span,
                "the machine has no states",
            )
            .label("nothing inside")
            .help("add `\"states\": { … }` with at least one state, and `\"initial\"`"),
        );
    }
}

/// Whether the details are those of SCXML, where a `<parallel>` may have a single child.
pub fn follows_scxml(machine: &Machine) -> bool {
    machine
        .policies
        .scxml_details
        .as_ref()
        .is_some_and(|on| on.value)
}

/// What a state of its kind may not have.
pub(super) fn check_kind(state: &State, allows_one_region: bool, diagnostics: &mut Diagnostics) {
    match state.kind() {
        StateKind::Choice => check_choice(state, diagnostics),
        StateKind::Final => check_final(state, diagnostics),
        StateKind::Atomic => check_history(state, diagnostics),
        StateKind::Orthogonal if !allows_one_region => check_single_region(state, diagnostics),
        StateKind::Compound | StateKind::Orthogonal => {}
    }
}

fn check_history(state: &State, diagnostics: &mut Diagnostics) {
    for point in &state.history {
        let text = format!(
            "history point `{}` in state `{}`, which has no children",
            point.name.value,
            shown(state)
        );
        diagnostics.push(
            Diagnostic::new(
                DiagnosticCode::HistoryWithoutChildren,
                point.name.span,
                text,
            )
            .label("nothing to remember")
            .help("move it to a state with `states` or `regions`"),
        );
    }
}

fn check_single_region(state: &State, diagnostics: &mut Diagnostics) {
    if let [only] = &state.regions[..]
        && let Some(name) = &only.name
    {
        let text = format!(
            "state `{}` has only the region `{}`",
            shown(state),
            name.value
        );
        diagnostics.push(
            Diagnostic::new(DiagnosticCode::SingleRegion, name.span, text)
                .label("the only region")
                .help("write its states under `states`, or add a second region"),
        );
    }
}

/// Parts of a state that only an active, non-final state can have.
fn content(state: &State) -> Vec<&'static str> {
    let parts = [
        ("entry actions", !state.entry.is_empty()),
        ("exit actions", !state.exit.is_empty()),
        ("`update`", !state.update.is_empty()),
        ("an activity", state.activity.is_some()),
        (
            "transitions",
            !state.transitions.is_empty() || !state.decisions.is_empty() || !state.uses.is_empty(),
        ),
        ("children", !state.regions.is_empty()),
        ("history points", !state.history.is_empty()),
        ("deferred events", !state.defers.is_empty()),
        ("timers", !state.timers.is_empty()),
        ("channels", !state.owns.is_empty()),
        ("scratch", !state.scratch.is_empty()),
        (
            "conditions for leaving",
            state.exit_ready.is_some() || state.min_active.is_some(),
        ),
        (
            "suspend or resume steps",
            !state.suspend.is_empty() || !state.resume.is_empty(),
        ),
        ("a clock", state.clock),
        ("`history_reset`", state.history_reset_on_done),
        ("`any_state`", !state.any_state.is_empty()),
    ];
    parts
        .into_iter()
        .filter(|&(_, has)| has)
        .map(|(what, _)| what)
        .collect()
}

/// `a, b and c`.
fn and_list(words: &[&str]) -> String {
    match words.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

fn check_final(state: &State, diagnostics: &mut Diagnostics) {
    let wrong: Vec<_> = content(state)
        .into_iter()
        .filter(|what| !what.ends_with("actions"))
        .collect();
    if !wrong.is_empty() {
        let text = format!("final state `{}` has {}", shown(state), and_list(&wrong));
        let problem = Diagnostic::new(DiagnosticCode::FinalWithContent, state.name.span, text)
            .label("cannot have them");
        let problem = match state.is_final {
            Some(span) => problem.related(span, "makes it final"),
            None => problem,
        };
        diagnostics.push(
            problem
                .note("a final state ends its region; it may have entry and exit actions only")
                .help("remove `final`, or what the state cannot have"),
        );
    }
}

fn check_choice(state: &State, diagnostics: &mut Diagnostics) {
    let mut wrong = content(state);
    if state.is_final.is_some() {
        wrong.insert(0, "`final`");
    }
    if !wrong.is_empty() {
        let text = format!("choice `{}` has {}", shown(state), and_list(&wrong));
        diagnostics.push(
            Diagnostic::new(DiagnosticCode::ChoiceWithContent, state.name.span, text)
                .label("is a choice and cannot have them")
                .note("a choice is passed through and never active; it has branches only")
                .help("put effects on the branches (`do`), or make it a state with `always` transitions"),
        );
    }
    let branches = state.choice.as_deref().unwrap_or_default();
    match branches.last() {
        None => diagnostics.push(
            Diagnostic::new(
                DiagnosticCode::EmptyChoice,
                state.name.span,
                format!("choice `{}` has no branches", shown(state)),
            )
            .label("leads nowhere")
            .help("add `{ \"to\": \"…\" }` as its last branch"),
        ),
        Some(last) => {
            if let Some(guard) = &last.guard {
                diagnostics.push(
                    Diagnostic::new(
                        DiagnosticCode::ChoiceLastGuarded,
                        guard.span,
                        format!("the last branch of choice `{}` has a guard", shown(state)),
                    )
                    .label("what if this does not hold?")
                    .help("remove this guard, or add a last branch without `if`"),
                );
            }
        }
    }
}

/// A part that nobody read: the machine came from where no other files can be found.
pub(super) fn unread_part(part: &PartUse) -> Diagnostic {
    let text = format!("the part `{}` was not read", part.file.value);
    Diagnostic::new(DiagnosticCode::PartUnreadable, part.file.span, text)
        .label("used here")
        .help("give the compiler a way to read files: `statewright_author::parts::join`")
}
