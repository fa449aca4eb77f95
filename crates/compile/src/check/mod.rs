//! Pass *check*: everything that is wrong or doubtful although every name is known.
//!
//! One file per subject. Checks before planning look at the resolved model; those after it also use
//! domains and entry plans. Each reports all it finds.

mod choices;
mod completion;
mod data;
mod eventless;
mod events;
mod queue;
mod raises;
mod reach;
mod selection;
mod shadowing;
mod sharing;
mod sizes;
mod steps;
mod targets;
mod values;

use statewright_author::diagnostic::{Diagnostic, Diagnostics};
use statewright_rom::ids::{StateId, TransitionId};
use statewright_rom::layout::TransitionPlan;

use crate::allocate::{Allocation, PushConflicts};
use crate::index::{IndexVec, StateIndex, TransitionIndex};
use crate::model::Model;
use crate::plan::PlanError;
use crate::tables::Tables;

pub use choices::choice_lengths;
pub use eventless::{Chains, chains};

/// A model with its planned tables.
pub struct Planned<'p, 'a> {
    /// The model.
    pub model: &'p Model<'a>,
    /// Tables with plans.
    pub tables: &'p Tables,
    /// For each transition of the tables the one of the model.
    pub order: &'p IndexVec<TransitionId, TransitionIndex>,
}

impl Planned<'_, '_> {
    /// The state that stays active while a transition is carried out (EXEC-2).
    pub fn domain(&self, transition: TransitionId) -> StateIndex {
        let record = &self.tables.transitions[transition.index()];
        StateId::read(record.domain).map_or(StateIndex::ROOT, StateIndex::from)
    }

    /// What was planned for a transition.
    pub fn plan(&self, transition: TransitionId) -> &TransitionPlan {
        &self.tables.transition_plans[transition.index()]
    }

    /// Cost of the most expensive transition (EXEC-9).
    pub fn highest_cost(&self) -> u16 {
        self.tables
            .transition_plans
            .iter()
            .map(|plan| u16::from(plan.cost))
            .max()
            .unwrap_or(0)
    }
}

/// Declarations: events, timers, data, stable ids, sizes.
pub fn declarations(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    events::check(model, diagnostics);
    data::check(model, diagnostics);
    values::check(model, diagnostics);
    sizes::check(model, diagnostics);
    // What could not be read or resolved is not in the model, so nothing certain can be said about
    // use.
    if !diagnostics.has_errors() {
        events::check_use(model, diagnostics);
        data::check_use(model, diagnostics);
    }
}

/// What states share: channels and blackboard keys.
pub fn sharing(model: &Model<'_>, conflicts: &PushConflicts, diagnostics: &mut Diagnostics) {
    sharing::check_channels(model, conflicts, diagnostics);
    sharing::check_writers(model, diagnostics);
    sharing::check_commands(model, diagnostics);
}

/// Transitions, as far as source, trigger and targets tell.
pub fn transitions(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    targets::check(model, diagnostics);
    targets::check_entries(model, diagnostics);
    choices::check_cycles(model, diagnostics);
    selection::check(model, diagnostics);
    completion::check(model, diagnostics);
}

/// What needs domains and plans.
pub fn planned(planned: &Planned<'_, '_>, diagnostics: &mut Diagnostics) {
    choices::check_domains(planned, diagnostics);
    reach::check(planned.model, diagnostics);
    shadowing::check(planned.model, diagnostics);
    selection::check_latches(planned, diagnostics);
    eventless::check(planned, diagnostics);
    raises::check(planned, diagnostics);
    steps::check(planned, diagnostics);
}

/// What the tier does not allow.
pub fn tier(planned: &Planned<'_, '_>, allocation: &Allocation, diagnostics: &mut Diagnostics) {
    eventless::check_length(planned, allocation.tier, diagnostics);
    sizes::check_costs(planned, allocation, diagnostics);
    events::check_deferral(planned.model, allocation, diagnostics);
    queue::check(planned, allocation.tier, diagnostics);
}

/// A plan that does not fit.
pub fn plan_error(model: &Model<'_>, error: PlanError) -> Diagnostic {
    sizes::plan_error(model, error)
}
