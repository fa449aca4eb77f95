//! Transitions, and what is made of them: branches of choices, decisions, transitions for all
//! children.

use super::part::{Context, Part, fields, text};
use super::{
    BranchBuilder, DecisionBuilder, StateBuilder, Time, TransitionBuilder, TransitionSetBuilder,
};
use crate::duration::DurationSource;
use crate::graph::{
    AnyTransition, Branch, Decision, DecisionBranch, StackOperation, State, Transition,
    TransitionKind, TransitionSet, Trigger,
};
use crate::names::check_name;
use crate::span::{Name, Span, Spanned};

/// A trigger that has no span yet.
enum Start {
    Event(String),
    Events(Vec<String>),
    Any,
    After(Time),
    Every(Time),
    Timer(String),
    Always,
    Done,
    Failed,
}

impl Start {
    /// The trigger and the step that it begins; a bad duration is reported there.
    fn at_step(self, cx: &mut Context, parent: Span, prefix: &str) -> (Trigger, Span) {
        let step = |cx: &mut Context, kind: &str, name: &str| {
            cx.step(parent, &format!("{prefix}{kind}"), name)
        };
        match self {
            Self::Event(event) => {
                let span = step(cx, "on", &event);
                (Trigger::Event(text(event, span)), span)
            }
            Self::Events(events) => {
                let span = step(cx, "on", &events.join(" or "));
                let names = events.into_iter().map(|event| text(event, span));
                (Trigger::of_events(names.collect(), span), span)
            }
            Self::Timer(timer) => {
                let span = step(cx, "on timer", &timer);
                (Trigger::Timer(text(timer, span)), span)
            }
            Self::After(time) => {
                let span = step(cx, "after", &time.to_string());
                let duration = cx.duration(time, DurationSource::parse, span);
                (Trigger::After(duration), span)
            }
            Self::Every(time) => {
                let span = step(cx, "every", &time.to_string());
                let duration = cx.duration(time, DurationSource::parse, span);
                (Trigger::Every(duration), span)
            }
            Self::Any => after(step(cx, "on any event", ""), Trigger::Any),
            Self::Always => after(step(cx, "always", ""), Trigger::Always),
            Self::Done => after(step(cx, "on done", ""), Trigger::Done),
            Self::Failed => after(step(cx, "on failed", ""), Trigger::Failed),
        }
    }
}

fn after(span: Span, trigger: fn(Span) -> Trigger) -> (Trigger, Span) {
    (trigger(span), span)
}

/// One method per trigger.
macro_rules! triggers {
    ($self:ident: $this:ty => $out:ty) => {
        /// On an event.
        pub fn on($self: $this, event: impl Into<String>) -> $out {
            $self.begin(Start::Event(event.into()))
        }

        /// On any of several events: one transition for each, with one cooldown (LANG-1).
        pub fn on_one_of<E: Into<String>>(
            $self: $this,
            events: impl IntoIterator<Item = E>,
        ) -> $out {
            $self.begin(Start::Events(events.into_iter().map(Into::into).collect()))
        }

        /// On any event that is not a timer.
        pub fn on_any($self: $this) -> $out {
            $self.begin(Start::Any)
        }

        /// So long after entry.
        pub fn after($self: $this, time: impl Into<Time>) -> $out {
            $self.begin(Start::After(time.into()))
        }

        /// So long after entry, and again and again (LANG-2).
        pub fn every($self: $this, time: impl Into<Time>) -> $out {
            $self.begin(Start::Every(time.into()))
        }

        /// When a named timer fires.
        pub fn on_timer($self: $this, timer: impl Into<String>) -> $out {
            $self.begin(Start::Timer(timer.into()))
        }

        /// Whenever the guard holds.
        pub fn always($self: $this) -> $out {
            $self.begin(Start::Always)
        }

        /// While the state is complete or its activity has succeeded.
        pub fn on_done($self: $this) -> $out {
            $self.begin(Start::Done)
        }

        /// While the activity of the state has failed.
        pub fn on_failed($self: $this) -> $out {
            $self.begin(Start::Failed)
        }
    };
}

/// Transitions of the state.
impl StateBuilder<'_> {
    triggers!(self: &mut Self => TransitionBuilder<'_>);

    fn begin(&mut self, start: Start) -> TransitionBuilder<'_> {
        let (trigger, span) = start.at_step(self.cx, self.span, "");
        let transition = Transition {
            trigger,
            span,
            ..Transition::default()
        };
        Part::push(self.cx, &mut self.item.transitions, transition, span)
    }

    /// Begins a transition that all children of the state have (CODE-8).
    pub fn any_state(&mut self) -> AnyState<'_> {
        AnyState {
            cx: self.cx,
            state: self.item,
            span: self.span,
            include: Vec::new(),
            exclude: Vec::new(),
        }
    }

    /// Adds a decision: two transitions on one condition (CODE-8).
    pub fn decide(&mut self, condition: impl Into<String>) -> DecisionBuilder<'_> {
        let span = self
            .cx
            .step(self.span, "decision", self.item.decisions.len() + 1);
        let guard = text(condition, span);
        let decision = Decision {
            trigger: Trigger::Always(span),
            guard,
            span,
            ..Decision::default()
        };
        Part::push(self.cx, &mut self.item.decisions, decision, span)
    }

    /// Adds a guarded branch, which makes the state a choice (EXEC-7).
    pub fn when(&mut self, guard: impl Into<String>) -> BranchBuilder<'_> {
        let branch = self.otherwise();
        branch.item.guard = Some(text(guard, branch.span));
        branch
    }

    /// Adds the unguarded last branch, which makes the state a choice (EXEC-7).
    pub fn otherwise(&mut self) -> BranchBuilder<'_> {
        let branches = self.item.choice.get_or_insert_default();
        let span = self.cx.step(self.span, "branch", branches.len() + 1);
        Part::push(
            self.cx,
            branches,
            Branch {
                span,
                ..Branch::default()
            },
            span,
        )
    }
}

fields!(TransitionSet {
    names("Uses another transition set, after its own transitions (LANG-14).", uses: impl Into<String>),
});

/// Transitions of the set.
impl TransitionSetBuilder<'_> {
    triggers!(self: &mut Self => TransitionBuilder<'_>);

    fn begin(&mut self, start: Start) -> TransitionBuilder<'_> {
        let (trigger, span) = start.at_step(self.cx, self.span, "");
        let transition = Transition {
            trigger,
            span,
            ..Transition::default()
        };
        Part::push(self.cx, &mut self.item.transitions, transition, span)
    }
}

/// Begins a transition that all children of a state have: first say which, then the trigger.
#[derive(Debug)]
#[must_use = "it becomes a transition by its trigger, such as `.on(\"Hit\")`"]
pub struct AnyState<'a> {
    cx: &'a mut Context,
    state: &'a mut State,
    span: Span,
    include: Vec<String>,
    exclude: Vec<String>,
}

impl<'a> AnyState<'a> {
    /// Only this child and others so named.
    pub fn include(mut self, state: impl Into<String>) -> Self {
        self.include.push(state.into());
        self
    }

    /// Not this child.
    pub fn exclude(mut self, state: impl Into<String>) -> Self {
        self.exclude.push(state.into());
        self
    }

    triggers!(self: Self => TransitionBuilder<'a>);

    fn begin(self, start: Start) -> TransitionBuilder<'a> {
        let (trigger, span) = start.at_step(self.cx, self.span, "any state ");
        let names = |list: Vec<String>| {
            list.into_iter()
                .map(|name| text(name, span))
                .collect::<Vec<Name>>()
        };
        let transition = Transition {
            trigger,
            span,
            ..Transition::default()
        };
        let any = AnyTransition {
            transition,
            include: names(self.include),
            exclude: names(self.exclude),
        };
        let Part { cx, item, span } = Part::push(self.cx, &mut self.state.any_state, any, span);
        Part {
            cx,
            item: &mut item.transition,
            span,
        }
    }
}

fields!(Transition {
    id, doc, meta, muted, run, go,
    once("What must hold: an expression.", guard: impl Into<String>),
    once("0 to 15, higher first (SEL-3).", priority: u32),
    mark("It stands alone before all others (SEL-2).", interrupt: Span),
    once("Its score: an expression (SEL-3).", score: impl Into<String>),
    mark("If it wins, nothing happens (LANG-6).", stay: Span),
    any_time("Time before it may be taken again (SEL-6).", cooldown: impl Into<Time>),
    asked_time("Time its guard must stay true (SEL-6).", debounce: impl Into<Time>),
    mark("It waits until the source may be left (SEL-6).", latch: Span),
});

impl TransitionBuilder<'_> {
    /// The least score that counts.
    pub fn threshold(&mut self, least: f64) -> &mut Self {
        self.threshold_code(format!("{least}"))
    }

    /// The least score that counts: an expression over parameters (LANG-12).
    pub fn threshold_code(&mut self, code: impl Into<String>) -> &mut Self {
        let code = Spanned::new(code.into(), self.span);
        self.cx
            .set(&mut self.item.threshold, "threshold", code, self.span);
        self
    }

    /// Gives it a name.
    pub fn named(&mut self, name: impl Into<String>) -> &mut Self {
        let name = self
            .cx
            .declared("transition", check_name, name.into(), self.span);
        self.cx.set(&mut self.item.name, "name", name, self.span);
        self
    }

    /// Adds a region and a target in it, entered together with the others (EXEC-5).
    pub fn sync(&mut self, region: impl Into<String>, target: impl Into<String>) -> &mut Self {
        self.item
            .sync
            .push((text(region, self.span), text(target, self.span)));
        self
    }

    /// Runs the effect only (EXEC-2).
    pub fn internal(&mut self) -> &mut Self {
        self.kind(TransitionKind::Internal)
    }

    /// Leaves the source active (EXEC-2).
    pub fn local(&mut self) -> &mut Self {
        self.kind(TransitionKind::Local)
    }

    /// Exits the source and enters it again (EXEC-2).
    pub fn external(&mut self) -> &mut Self {
        self.kind(TransitionKind::External)
    }

    fn kind(&mut self, kind: TransitionKind) -> &mut Self {
        self.cx.set(
            &mut self.item.kind,
            "kind",
            Spanned::new(kind, self.span),
            self.span,
        );
        self
    }

    /// Suspends the region and enters the target (EXEC-8).
    pub fn push_to(&mut self, target: impl Into<String>) -> &mut Self {
        self.stack(StackOperation::Push).go(target)
    }

    /// Leaves the pushed state and resumes what was suspended (EXEC-8).
    pub fn pop(&mut self) -> &mut Self {
        self.stack(StackOperation::Pop)
    }

    fn stack(&mut self, operation: StackOperation) -> &mut Self {
        self.cx.set(
            &mut self.item.stack,
            "stack",
            Spanned::new(operation, self.span),
            self.span,
        );
        self
    }
}

fields!(Branch { run, go });

fields!(Decision {
    muted, run,
    once("0 to 15, for both ways (SEL-3).", priority: u32),
});

/// Where it goes. A branch to its own state means to stay (LANG-13).
impl DecisionBuilder<'_> {
    /// Where to go if the condition holds.
    pub fn then(&mut self, target: impl Into<String>) -> &mut Self {
        let branch = self.branch(target.into(), None);
        self.set_then(branch)
    }

    /// Where to go if it does not hold.
    pub fn otherwise(&mut self, target: impl Into<String>) -> &mut Self {
        let branch = self.branch(target.into(), None);
        self.set_otherwise(branch)
    }

    /// The same as [`Self::then`], but its own state is left and entered again.
    pub fn then_reenter(&mut self, target: impl Into<String>) -> &mut Self {
        let branch = self.branch(target.into(), Some(self.span));
        self.set_then(branch)
    }

    /// The same as [`Self::otherwise`], but its own state is left and entered again.
    pub fn otherwise_reenter(&mut self, target: impl Into<String>) -> &mut Self {
        let branch = self.branch(target.into(), Some(self.span));
        self.set_otherwise(branch)
    }

    fn branch(&self, target: String, reenter: Option<Span>) -> DecisionBranch {
        DecisionBranch {
            target: text(target, self.span),
            reenter,
        }
    }

    fn set_then(&mut self, branch: DecisionBranch) -> &mut Self {
        self.cx.set(&mut self.item.then, "then", branch, self.span);
        self
    }

    fn set_otherwise(&mut self, branch: DecisionBranch) -> &mut Self {
        self.cx
            .set(&mut self.item.otherwise, "otherwise", branch, self.span);
        self
    }
}

/// What starts the decision; always if not said.
impl DecisionBuilder<'_> {
    triggers!(self: &mut Self => &mut Self);

    fn begin(&mut self, start: Start) -> &mut Self {
        (self.item.trigger, _) = start.at_step(self.cx, self.span, "");
        self
    }
}
