//! States: their own fields, and the children they contain.

use super::action::{Action, append};
use super::declarations::declare;
use super::part::{Part, fields};
use super::region::{add_state, set_initial};
use super::{
    HistoryBuilder, InitialBuilder, PartUseBuilder, RegionBuilder, ScratchBuilder, StateBuilder,
    Time, TimerBuilder,
};
use crate::codes::DiagnosticCode;
use crate::diagnostic::Diagnostic;
use crate::graph::{HistoryPoint, PartUse, Region, Scratch, State, Timer};
use crate::names::check_name;
use crate::span::Spanned;
use crate::value::{Literal, ScratchType};

fields!(State {
    id, doc, meta, muted,
    flag("Forgets history when it completes (EXEC-4).", history_reset_on_done: bool),
    once("Runs every tick while it is active (TICK-6): a call such as `Patrol` or `Patrol(3)`.", activity: impl Into<String>),
    names("Uses a transition set, after its own transitions (CODE-8).", uses: impl Into<String>),
    names("Keeps an event for later (EVT-5).", defers: impl Into<String>),
    names("Owns a channel (CODE-7).", owns: impl Into<String>),
    once("Must hold before it may be left: an expression (SEL-6).", exit_ready: impl Into<String>),
    asked_time("Time before it may be left (SEL-6).", min_active: impl Into<Time>),
    flag("Keeps its time in state even if no expression reads it.", clock: bool),
});

/// Methods that add to an action list.
macro_rules! action_lists {
    ($($doc:literal $name:ident)+) => {
        $(#[doc = $doc]
        pub fn $name(&mut self, action: impl Into<Action>) -> &mut Self {
            append(self.cx, &mut self.item.$name, stringify!($name), action.into(), self.span);
            self
        })+
    };
}

impl StateBuilder<'_> {
    action_lists! {
        "Adds an entry action." entry
        "Adds an exit action." exit
        "Adds an action for when a push suspends the state (EXEC-8)." suspend
        "Adds an action for when a pop resumes the state (EXEC-8)." resume
        "Adds an action of every tick while the state is active (LANG-10)." update
    }

    /// Makes it a final state, which completes its parent (EXEC-6).
    pub fn completes(&mut self) -> &mut Self {
        self.item.is_final = Some(self.span);
        self
    }

    /// Adds a child.
    pub fn state(
        &mut self,
        name: impl Into<String>,
        describe: impl FnOnce(&mut StateBuilder<'_>),
    ) -> &mut Self {
        let children = self.children();
        describe(&mut add_state(
            children.cx,
            children.item,
            name.into(),
            children.span,
        ));
        self
    }

    /// Adds a final child.
    pub fn final_state(&mut self, name: impl Into<String>) -> &mut Self {
        let children = self.children();
        add_state(children.cx, children.item, name.into(), children.span).completes();
        self
    }

    /// Says where default entry goes.
    pub fn initial(&mut self, target: impl Into<String>) -> InitialBuilder<'_> {
        let children = self.children();
        set_initial(children.cx, children.item, target.into(), children.span)
    }

    /// How many frames a push among the children may save (EXEC-8).
    pub fn stack_depth(&mut self, depth: u32) -> &mut Self {
        self.children().stack_depth(depth);
        self
    }

    /// The only region of a compound state, made when its first child is.
    pub fn children(&mut self) -> RegionBuilder<'_> {
        let at = self
            .item
            .regions
            .iter()
            .position(|region| region.name.is_none())
            .unwrap_or_else(|| {
                self.forbid_mixture(!self.item.regions.is_empty());
                self.item.regions.push(Region {
                    span: self.span,
                    ..Region::default()
                });
                self.item.regions.len() - 1
            });
        Part {
            cx: self.cx,
            item: &mut self.item.regions[at],
            span: self.span,
        }
    }

    /// Makes it the root of a part: of another machine file, by its path (LANG-5).
    pub fn part(&mut self, file: impl Into<String>) -> PartUseBuilder<'_> {
        let part = PartUse {
            file: Spanned::new(file.into(), self.span),
            ..PartUse::default()
        };
        self.cx
            .set(&mut self.item.part, "part", Box::new(part), self.span);
        Part {
            cx: self.cx,
            item: self.item.part.get_or_insert_default(),
            span: self.span,
        }
    }

    /// Adds a region, which makes the state orthogonal; it needs two or more, with
    /// [`Policy::ScxmlDetails`](super::Policy::ScxmlDetails) one.
    pub fn region(
        &mut self,
        name: impl Into<String>,
        describe: impl FnOnce(&mut RegionBuilder<'_>),
    ) -> &mut Self {
        self.forbid_mixture(matches!(self.item.regions.as_slice(), [only] if only.name.is_none()));
        let (name, span) = declare(self.cx, self.span, "region", check_name, name.into());
        let region = Region {
            name: Some(name),
            span,
            ..Region::default()
        };
        describe(&mut Part::push(
            self.cx,
            &mut self.item.regions,
            region,
            span,
        ));
        self
    }

    fn forbid_mixture(&mut self, mixed: bool) {
        if mixed {
            let message = "a state has either children of its own or regions";
            let problem = Diagnostic::new(DiagnosticCode::FieldsExclude, self.span, message);
            self.cx
                .diagnostics
                .push(problem.help("put all children into regions"));
        }
    }

    /// Adds a history point (EXEC-4).
    pub fn history(&mut self, name: impl Into<String>) -> HistoryBuilder<'_> {
        let (name, span) = declare(self.cx, self.span, "history", check_name, name.into());
        Part::push(
            self.cx,
            &mut self.item.history,
            HistoryPoint {
                name,
                span,
                ..HistoryPoint::default()
            },
            span,
        )
    }

    /// Adds a timer that is disarmed when the state is left (EVT-7).
    pub fn timer(&mut self, name: impl Into<String>) -> TimerBuilder<'_> {
        let (name, span) = declare(self.cx, self.span, "timer", check_name, name.into());
        Part::push(
            self.cx,
            &mut self.item.timers,
            Timer {
                name,
                ..Timer::default()
            },
            span,
        )
    }

    /// Adds so many 16-bit slots that are zeroed on entry (RAM-7).
    pub fn scratch(&mut self, name: impl Into<String>, slots: u32) -> ScratchBuilder<'_> {
        let (name, span) = declare(self.cx, self.span, "scratch", check_name, name.into());
        let scratch = Scratch {
            name,
            id: None,
            slots: Spanned::new(slots, span),
            ty: None,
        };
        Part::push(self.cx, &mut self.item.scratch, scratch, span)
    }

    /// Adds one slot that is zeroed on entry and that expressions of this state and of those below
    /// read and write (LANG-8).
    pub fn typed_scratch(
        &mut self,
        name: impl Into<String>,
        ty: ScratchType,
    ) -> ScratchBuilder<'_> {
        let scratch = self.scratch(name, 1);
        scratch.item.ty = Some(Spanned::new(ty, scratch.span));
        scratch
    }
}

impl PartUseBuilder<'_> {
    /// Sets a parameter of the part: to a constant, or to a parameter of this machine by its name.
    pub fn with(&mut self, parameter: impl Into<String>, value: impl Into<Literal>) -> &mut Self {
        let value = Spanned::new(value.into(), self.span);
        let name = Spanned::new(parameter.into(), self.span);
        self.item.with.push((name, value));
        self
    }

    /// Gives an event, key, channel or function of the part another name.
    pub fn map(&mut self, from: impl Into<String>, to: impl Into<String>) -> &mut Self {
        let named = |name: String| Spanned::new(name, self.span);
        let renamed = (named(from.into()), named(to.into()));
        self.item.map.push(renamed);
        self
    }
}
