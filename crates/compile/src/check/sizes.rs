//! Limits of tables and tiers (ROM-3, EXEC-9).

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::{Diagnostic, Diagnostics};
use statewright_author::span::Span;
use statewright_rom::layout::{MAX_CAP, MAX_COMMAND_BYTES, MAX_RECORDS, TIERS};

use super::Planned;
use crate::allocate::{Allocation, tier_name};
use crate::model::Model;
use crate::plan::{MAX_CANDIDATES, PlanError};
use crate::tree::too_many;

/// Counts of everything that is referred to by u16, and the caps.
pub fn check(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    let span = model.machine.name.span;
    let counts = [
        ("regions", model.tree.regions.len()),
        ("transitions", model.transitions.len()),
        ("branches of choices", model.branches.len()),
        ("history points", model.tree.histories.len()),
        ("observers", model.observers.len()),
        (
            "deferrals",
            model.resolved.iter().map(|state| state.defers.len()).sum(),
        ),
    ];
    for (what, count) in counts.into_iter().chain(model.actions.sizes()) {
        if count > MAX_RECORDS {
            diagnostics.push(too_many(what, count, MAX_RECORDS, span));
        }
    }
    check_caps(model, diagnostics);
}

/// Caps given by the author (the text form has checked them already, the builder has not).
fn check_caps(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    let budgets = &model.machine.budgets;
    let given = [
        (
            "events_per_tick",
            &budgets.events_per_tick,
            1,
            u32::from(MAX_CAP),
        ),
        (
            "microsteps_per_tick",
            &budgets.microsteps_per_tick,
            1,
            u32::from(MAX_CAP),
        ),
        ("clamp_limit", &budgets.clamp_limit, 1, 255),
        (
            "command_bytes",
            &budgets.command_bytes,
            64,
            u32::from(MAX_COMMAND_BYTES),
        ),
        ("tick_rate", &model.machine.tick_rate, 1, 65_535),
    ];
    for (what, value, least, most) in given {
        if let Some(value) = value
            .as_ref()
            .filter(|value| !(least..=most).contains(&value.value))
        {
            diagnostics.push(out_of_range(what, value.value, least, most, value.span));
        }
    }
    for transition in model.transitions.iter().filter(|t| !t.is_repeated()) {
        if let Some(priority) = transition
            .authored
            .priority
            .as_ref()
            .filter(|priority| priority.value > 15)
        {
            diagnostics.push(out_of_range(
                "priority",
                priority.value,
                0,
                15,
                priority.span,
            ));
        }
    }
}

fn out_of_range(what: &str, value: u32, least: u32, most: u32, span: Span) -> Diagnostic {
    Diagnostic::new(
        DiagnosticCode::BadValue,
        span,
        format!("`{what}` is {value}"),
    )
    .label(format!("must be {least} to {most}"))
    .help(format!("write a number from {least} to {most}"))
}

/// Structural cost of each transition (EXEC-9).
pub fn check_costs(
    planned: &Planned<'_, '_>,
    allocation: &Allocation,
    diagnostics: &mut Diagnostics,
) {
    let limit = allocation.capacity().cost;
    for (index, &from) in planned.order.enumerate() {
        let cost = u16::from(planned.plan(index).cost);
        if cost <= limit {
            continue;
        }
        let transition = &planned.model.transitions[from];
        let text = format!(
            "this transition may exit and enter {} states at once",
            cost - 1
        );
        let larger = (allocation.tier + 1..TIERS.len()).find(|&tier| TIERS[tier].cost >= cost);
        diagnostics.push(
            Diagnostic::new(
                DiagnosticCode::CostTooHigh,
                transition
                    .target_spans()
                    .first()
                    .copied()
                    .unwrap_or(transition.span()),
                text,
            )
            .label(format!(
                "costs {cost}, tier {} allows {limit}",
                tier_name(allocation.tier)
            ))
            .help(match larger {
                Some(tier) => format!(
                    "use tier {}, or target a state that is nearer",
                    tier_name(tier)
                ),
                None => "target a state that is nearer, or have fewer regions".to_owned(),
            }),
        );
    }
}

/// A plan that does not fit.
pub fn plan_error(model: &Model<'_>, error: PlanError) -> Diagnostic {
    let text = match error {
        PlanError::Cells(count) => format!("the dispatch table needs more than {count} cells"),
        PlanError::Candidates(count) => {
            let text = format!(
                "the lists of transitions by event need {count} places or more, but at most {MAX_CANDIDATES} fit"
            );
            let problem = Diagnostic::new(DiagnosticCode::TableFull, model.machine.name.span, text);
            return problem.help(
                "use fewer transitions on any event: each stands in the list of every event",
            );
        }
        PlanError::Plans(count) => {
            format!("{count} different ways of entering, but at most {MAX_RECORDS} fit")
        }
    };
    Diagnostic::new(DiagnosticCode::TableFull, model.machine.name.span, text)
        .help("split the machine into several")
}
