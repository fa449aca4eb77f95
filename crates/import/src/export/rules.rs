//! What the parts of a machine say that a document cannot: everything but actions, events and
//! expressions, which have files of their own.

use statewright_author::diagnostic::Diagnostics;
use statewright_author::graph::{Action, Machine, Policies, State, StateKind, Transition, Trigger};
use statewright_author::span::{Span, Spanned};
use statewright_author::value::Class;

use super::problem::refused;

/// How a machine can use what its rules stand in the way of.
pub(super) const POLICIES_HELP: &str = "run by SCXML's rules: policies `internal_first`, `done_events`, `scxml_details` and `\"exit_order\": \"reverse\"`";

/// Whether a machine runs by the rules of SCXML, as imported ones do.
pub(super) fn follows_w3c(policies: &Policies) -> bool {
    let on = |policy: &Option<Spanned<bool>>| policy.as_ref().is_some_and(|on| on.value);
    on(&policies.reverse_exit_order)
        && on(&policies.internal_first)
        && on(&policies.done_events)
        && on(&policies.scxml_details)
}

/// The machine itself, without its states.
pub(super) fn machine(machine: &Machine, out: &mut Diagnostics) {
    let mut no = |span: Span, what: &str, why: &str, instead: &str| {
        out.push(refused(span, what, why, instead))
    };
    let Policies {
        strict_writes,
        posted_next_tick,
        // `follows_w3c` looks at these.
        reverse_exit_order: _,
        internal_first: _,
        done_events: _,
        scxml_details: _,
        // Activities, which it is about, are refused.
        immediate_update: _,
        // SCXML knows no reload.
        reload_resets: _,
    } = &machine.policies;
    if let Some(on) = strict_writes.as_ref().filter(|on| on.value) {
        no(
            on.span,
            "`strict_writes`",
            "an assignment is seen at once there",
            "turn the policy off",
        );
    }
    if let Some(on) = posted_next_tick.as_ref().filter(|on| on.value) {
        no(
            on.span,
            "`\"posted\": \"next_tick\"`",
            "what is raised comes before all else there",
            "turn the policy off",
        );
    }
    if let Some(name) = &machine.fail_safe {
        no(
            name.span,
            "`fail_safe`",
            "a document that runs too long has no state to go to",
            "leave it out",
        );
    }
    for observer in &machine.observers {
        no(
            observer.span,
            "an observer",
            "only transitions hear events there",
            "let transitions do it",
        );
    }
    for event in &machine.events {
        let class = event
            .class
            .as_ref()
            .filter(|class| class.value != Class::Normal);
        if let Some(class) = class {
            no(
                class.span,
                "the class of an event",
                "events come in the order they were sent",
                "leave `class` out",
            );
        }
        if let Some(ttl) = &event.ttl {
            no(
                ttl.span,
                "an event that grows old",
                "an event waits until its turn comes there",
                "leave `ttl` out",
            );
        }
        if event.coalesce {
            no(
                event.name.span,
                "an event that replaces a waiting one",
                "all of them come there",
                "leave `coalesce` out",
            );
        }
    }
    for class in machine
        .timers
        .iter()
        .filter_map(|timer| timer.class.as_ref())
    {
        if class.value != Class::Normal {
            no(
                class.span,
                "the class of a timer",
                "events come in the order they were sent",
                "leave `class` out",
            );
        }
    }
    root(&machine.root, machine.name.span, out);
    parts(&machine.root, out);
}

/// What a document cannot have outside its states.
fn root(root: &State, span: Span, out: &mut Diagnostics) {
    let wrap = "put everything into one state, and this there";
    let why = "the document itself is no state";
    let mut no = |found: Option<Span>, what: &str| {
        if let Some(span) = found {
            out.push(refused(span, what, why, wrap));
        }
    };
    let first = |list: &[Action]| {
        list.iter()
            .find(|action| !action.muted)
            .map(|action| action.span)
    };
    no(first(&root.entry), "entry actions of the root");
    no(first(&root.exit), "exit actions of the root");
    no(
        (root.kind() == StateKind::Orthogonal).then_some(span),
        "regions of the root",
    );
    no(
        root.history.first().map(|point| point.name.span),
        "history of the root",
    );
    let own = root
        .transitions
        .iter()
        .find(|transition| !transition.muted)
        .map(|transition| transition.span);
    let decides = root
        .decisions
        .iter()
        .find(|decision| !decision.muted)
        .map(|decision| decision.span);
    let uses = root.uses.first().map(|name| name.span);
    no(own.or(decides).or(uses), "transitions of the root");
    if let Some(effect) = root
        .regions
        .first()
        .and_then(|region| region.initial.as_ref()?.effect.first())
    {
        out.push(refused(
            effect.span,
            "an effect of the machine's start",
            why,
            wrap,
        ));
    }
}

/// A state, without its transitions and actions.
pub(super) fn state(state: &State, follows_w3c: bool, out: &mut Diagnostics) {
    parts(state, out);
    let at = state.name.span;
    let mut no = |span: Span, what: &str, why: &str, instead: &str| {
        out.push(refused(span, what, why, instead))
    };
    if state.choice.is_some() {
        no(
            at,
            "a choice",
            "a state that is never active has no counterpart",
            "use a state with `always` transitions",
        );
    }
    if state.history_reset_on_done {
        no(
            at,
            "a history that is forgotten",
            "a history is only ever overwritten there",
            "leave it out",
        );
    }
    if !follows_w3c && state.kind() == StateKind::Orthogonal {
        no(
            at,
            "regions, in a machine with other rules",
            "regions are left, and events raised, in another order there",
            POLICIES_HELP,
        );
    }
    for point in &state.history {
        let span = point.name.span;
        if !follows_w3c {
            no(
                span,
                "a history point, in a machine with other rules",
                "its effect runs in other cases there",
                POLICIES_HELP,
            );
        }
        if point.default.is_empty() {
            no(
                span,
                "a history point without a default",
                "every history says where it leads first",
                "add `default`",
            );
        }
        if point.restore_on_entry {
            no(
                span,
                "`restore: on_entry`",
                "only transitions lead to a history there",
                "name the history point as initial",
            );
        }
    }
}

/// What belongs to a state, or to the machine, and to a game.
fn parts(state: &State, out: &mut Diagnostics) {
    let mut no = |span: Span, what: &str, why: &str, instead: &str| {
        out.push(refused(span, what, why, instead))
    };
    if let Some(activity) = &state.activity {
        no(
            activity.span,
            "an activity",
            "nothing runs there between events",
            "let the game do it, and send an event",
        );
    }
    if let Some(action) = state.update.first() {
        no(
            action.span,
            "update actions",
            "nothing runs there between events",
            "let the game do it, and send an event",
        );
    }
    if let Some(name) = state.defers.first() {
        no(
            name.span,
            "deferred events",
            "an event that nobody hears is lost there",
            "leave `defer` out",
        );
    }
    if let Some(timer) = state.timers.first() {
        let why = "a delayed `<send>` outlives the state that sent it";
        no(
            timer.name.span,
            "a timer of a state",
            why,
            "use a timer of the machine that fires as an event",
        );
    }
    if let Some(name) = state.owns.first() {
        no(
            name.span,
            "a channel",
            "nobody there owns channels of a game",
            "leave `owns` out",
        );
    }
    if let Some(scratch) = state.scratch.first() {
        let (why, instead) = match scratch.ty {
            Some(_) => (
                "data there belongs to the whole document and lives as long",
                "use a blackboard key, set on entry",
            ),
            None => ("only functions of the game use them", "leave `scratch` out"),
        };
        no(scratch.name.span, "scratch slots", why, instead);
    }
    if let Some(code) = &state.exit_ready {
        no(
            code.span,
            "`exit_ready`",
            "a state can always be left there",
            "put the condition on the transitions",
        );
    }
    if let Some(time) = &state.min_active {
        no(
            time.span,
            "`min_active`",
            "a state can always be left there",
            "use a timer and a condition",
        );
    }
}

/// A transition, without its trigger's event, its targets, its guard and its effect.
pub(super) fn transition(transition: &Transition, follows_w3c: bool, out: &mut Diagnostics) {
    let mut no = |span: Span, what: &str, why: &str, instead: &str| {
        out.push(refused(span, what, why, instead))
    };
    match &transition.trigger {
        Trigger::After(time) => {
            let why = "a delayed `<send>` outlives the state that sent it";
            no(
                time.span,
                "`after`",
                why,
                "use a timer of the machine that fires as an event",
            );
        }
        Trigger::Every(time) => {
            let why = "a delayed `<send>` comes once, and outlives the state that sent it";
            no(
                time.span,
                "`every`",
                why,
                "use a timer of the machine that fires as an event, and start it again",
            );
        }
        Trigger::Timer(name) => {
            let why = "a delayed `<send>` always sends an event";
            no(
                name.span,
                "a timer that fires as itself",
                why,
                "let it fire as an event, and hear that",
            );
        }
        Trigger::Done(span) => {
            let why = "there, completion is an event that comes once";
            no(
                *span,
                "`done`",
                why,
                "use the policy `done_events` and the event `done.state.NAME`",
            );
        }
        Trigger::Failed(span) => no(
            *span,
            "`failed`",
            "nothing can fail there",
            "let the game send an event",
        ),
        Trigger::Always(span) if !follows_w3c => {
            let why = "by the rules of this machine a chain of them ends at the limit of a tick";
            no(
                *span,
                "`always`, in a machine with other rules",
                why,
                POLICIES_HELP,
            );
        }
        Trigger::Event(_) | Trigger::Events(_) | Trigger::Any(_) | Trigger::Always(_) => {}
    }
    if let Some(priority) = transition
        .priority
        .as_ref()
        .filter(|priority| priority.value != 0)
    {
        no(
            priority.span,
            "a priority",
            "the order in the document decides",
            "put what comes first before the others",
        );
    }
    if let Some(span) = transition.interrupt {
        no(
            span,
            "an interrupt",
            "inner states come first there",
            "repeat the transition in the inner states",
        );
    }
    if let Some(score) = &transition.score {
        no(
            score.span,
            "a score",
            "the first transition whose condition holds is taken",
            "use conditions",
        );
    }
    if let Some(time) = &transition.cooldown {
        no(
            time.span,
            "a cooldown",
            "a transition can be taken at any time there",
            "use a timer and a condition",
        );
    }
    if let Some(time) = &transition.debounce {
        no(
            time.span,
            "a debounce",
            "a condition counts at once there",
            "use a timer",
        );
    }
    if let Some(span) = transition.stay {
        no(
            span,
            "`stay`, or a branch that names its own state",
            "a transition that is chosen is taken there, and an eventless one again and again",
            "use conditions",
        );
    }
    if let Some(span) = transition.latch {
        no(
            span,
            "a latch",
            "a transition is taken at once there, or never",
            "leave `latch` out",
        );
    }
    if let Some(stack) = &transition.stack {
        no(
            stack.span,
            "a push or pop",
            "no state is suspended there",
            "use a history point",
        );
    }
    if let Some((region, _)) = transition.sync.first() {
        let why = "a transition of a `<parallel>` leaves all its regions";
        no(
            region.span,
            "a sync group",
            why,
            "use a transition in each region",
        );
    }
}
