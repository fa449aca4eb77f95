//! Regions and what stands in them beside states: default entries, history points, scratch.

use super::declarations::declare;
use super::part::{Context, Part, fields, text};
use super::{InitialBuilder, RegionBuilder, StateBuilder};
use crate::graph::{HistoryPoint, Initial, Region, Scratch, State};
use crate::names::check_name;
use crate::span::Span;

fields!(Region { id, once("How many frames a push may save here (EXEC-8).", stack_depth: u32) });

impl RegionBuilder<'_> {
    /// Says where default entry goes.
    pub fn initial(&mut self, target: impl Into<String>) -> InitialBuilder<'_> {
        set_initial(self.cx, self.item, target.into(), self.span)
    }

    /// Adds a state.
    pub fn state(
        &mut self,
        name: impl Into<String>,
        describe: impl FnOnce(&mut StateBuilder<'_>),
    ) -> &mut Self {
        describe(&mut add_state(self.cx, self.item, name.into(), self.span));
        self
    }

    /// Adds a final state.
    pub fn final_state(&mut self, name: impl Into<String>) -> &mut Self {
        add_state(self.cx, self.item, name.into(), self.span).completes();
        self
    }
}

pub(super) fn set_initial<'a>(
    cx: &'a mut Context,
    region: &'a mut Region,
    target: String,
    parent: Span,
) -> InitialBuilder<'a> {
    let span = cx.step(parent, "initial", "");
    let initial = Initial {
        targets: vec![text(target, span)],
        effect: Vec::new(),
        span,
    };
    cx.set(&mut region.initial, "initial", initial, span);
    Part {
        cx,
        item: region.initial.get_or_insert_default(),
        span,
    }
}

pub(super) fn add_state<'a>(
    cx: &'a mut Context,
    region: &'a mut Region,
    name: String,
    parent: Span,
) -> StateBuilder<'a> {
    let (name, span) = declare(cx, parent, "state", check_name, name);
    Part::push(
        cx,
        &mut region.states,
        State {
            name,
            span,
            ..State::default()
        },
        span,
    )
}

fields!(Initial { run });

impl InitialBuilder<'_> {
    /// Adds a target, in another region below.
    pub fn and(&mut self, target: impl Into<String>) -> &mut Self {
        self.item.targets.push(text(target, self.span));
        self
    }
}

fields!(HistoryPoint {
    id, run,
    flag("Remembers leaves instead of direct children.", deep: bool),
    names("Where to go while nothing is remembered; the state's initial if not given.", default: impl Into<String>),
    flag("Every default entry uses it, too (EXEC-4).", restore_on_entry: bool),
});

fields!(Scratch { id });
