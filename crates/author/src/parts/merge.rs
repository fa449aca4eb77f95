//! The root of a part becomes the state that uses it.
//!
//! The state is around the part as a parent is around its child: what it does on entry comes first,
//! on exit last, and of transitions alike its own are asked first.

use crate::codes::DiagnosticCode;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::graph::State;
use crate::span::{Span, Spanned};

/// Moves what the root of a part has into a state.
pub(super) fn root_into(state: &mut State, root: State, used_at: Span, out: &mut Diagnostics) {
    if let Some(span) = state.is_final {
        let problem = Diagnostic::new(
            DiagnosticCode::FieldsExclude,
            span,
            format!("the final state `{}` cannot be a part", state.name.value),
        );
        out.push(
            problem
                .label("nothing happens in a final state")
                .related(used_at, "the part would be inside")
                .help("remove `final`, or go to a final state when the part is done"),
        );
        return;
    }
    if let Some(span) = children_of(state) {
        let problem = Diagnostic::new(
            DiagnosticCode::FieldsExclude,
            span,
            format!(
                "state `{}` has children of its own and uses a part",
                state.name.value
            ),
        );
        out.push(
            problem
                .label("children of its own")
                .related(used_at, "the part's children would stand here, too")
                .help("put the part into a child of its own"),
        );
        return;
    }
    // Taken apart, so that a new field of states is a compile error here.
    let State {
        name: _,
        span: _,
        id: _,
        doc,
        muted: _,
        is_final: _,
        choice: _,
        regions,
        history,
        history_reset_on_done,
        entry,
        exit,
        suspend,
        resume,
        update,
        activity,
        transitions,
        decisions,
        uses,
        part: _,
        any_state,
        defers,
        timers,
        owns,
        scratch,
        exit_ready,
        min_active,
        clock,
        meta: _,
    } = root;
    let own = std::mem::take(state);
    let mut both = Both { used_at, out };
    *state = State {
        doc: own.doc.or(doc),
        regions,
        history: joined(own.history, history),
        history_reset_on_done: own.history_reset_on_done || history_reset_on_done,
        entry: joined(own.entry, entry),
        exit: joined(exit, own.exit),
        suspend: joined(suspend, own.suspend),
        resume: joined(own.resume, resume),
        // From the inside out, like everything of phase (3).
        update: joined(update, own.update),
        activity: both.one("activity", own.activity, activity),
        transitions: joined(own.transitions, transitions),
        decisions: joined(own.decisions, decisions),
        uses: joined(own.uses, uses),
        any_state: joined(own.any_state, any_state),
        defers: joined(own.defers, defers),
        timers: joined(own.timers, timers),
        owns: joined(own.owns, owns),
        scratch: joined(own.scratch, scratch),
        exit_ready: both.one("exit_ready", own.exit_ready, exit_ready),
        min_active: both.one("min_active", own.min_active, min_active),
        clock: own.clock || clock,
        ..own
    };
}

fn joined<T>(mut first: Vec<T>, second: Vec<T>) -> Vec<T> {
    first.extend(second);
    first
}

/// Where a state says that it has children, or is a choice, which has none.
fn children_of(state: &State) -> Option<Span> {
    let branch = state.choice.as_ref().and_then(|branches| branches.first());
    state
        .regions
        .first()
        .map(|region| region.span)
        .or(branch.map(|branch| branch.span))
}

/// What can be given only once.
struct Both<'o> {
    used_at: Span,
    out: &'o mut Diagnostics,
}

impl Both<'_> {
    fn one<T>(
        &mut self,
        word: &str,
        own: Option<Spanned<T>>,
        theirs: Option<Spanned<T>>,
    ) -> Option<Spanned<T>> {
        if let (Some(own), Some(theirs)) = (&own, &theirs) {
            let problem = Diagnostic::new(
                DiagnosticCode::PartConflict,
                own.span,
                format!("the state and its part both have `{word}`"),
            );
            self.out.push(
                problem
                    .label("of the state")
                    .related(theirs.span, "of the part")
                    .related(self.used_at, "the part is used here")
                    .help("remove one, or put the part into a child of the state"),
            );
        }
        own.or(theirs)
    }
}
