//! The tier of a machine: the smallest that everything fits, or the one that the machine asks for,
//! and who uses up what where that is too small (RAM-2, RAM-7).

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::{Diagnostic, Diagnostics};
use statewright_author::value::Tier;
use statewright_rom::layout::TIERS;

use super::{Allocation, Payment, Resource};
use crate::Options;
use crate::model::Model;
use crate::numbers;

impl Allocation {
    /// Whether the machine fits a tier; `cost` is that of its most expensive transition (EXEC-9).
    fn fits(&self, tier: usize, cost: u16) -> bool {
        let capacity = &TIERS[tier];
        let limits = [capacity.leaves, capacity.timers, capacity.slots];
        self.need
            .iter()
            .zip(limits)
            .all(|(&need, limit)| need <= u32::from(limit))
            && cost <= capacity.cost
    }

    /// The smallest tier that fits, unless the machine asks for one. Deferral needs more than the
    /// smallest (EVT-5).
    pub fn choose_tier(
        &mut self,
        model: &Model<'_>,
        cost: u16,
        options: &Options,
        diagnostics: &mut Diagnostics,
    ) {
        let asked = model.machine.tier.as_ref();
        let defers = model.resolved.iter().any(|state| !state.defers.is_empty());
        // With a given tier, costs and deferral are reported where they stand.
        let (cost, first) = if asked.is_some() && !options.dev {
            (0, 0)
        } else {
            (cost, usize::from(defers))
        };
        let smallest = (first..TIERS.len()).find(|&tier| self.fits(tier, cost));
        let largest = (first..TIERS.len()).find(|&tier| self.fits(tier, 0));
        self.tier = match (asked, smallest.or(largest)) {
            (None, Some(_)) => smallest.unwrap_or(TIERS.len() - 1),
            (Some(asked), Some(tier)) if tier <= number(asked.value) => number(asked.value),
            (Some(asked), Some(tier)) if options.dev => {
                let text = format!(
                    "the machine needs tier {}, not {}",
                    tier_name(tier),
                    asked.value
                );
                let problem = Diagnostic::new(DiagnosticCode::TierPromoted, asked.span, text)
                    .label(format!("raised to {}", tier_name(tier)));
                let problem = self.with_users(problem, model, number(asked.value));
                let problem = match problem.notes.is_empty() {
                    true if defers => {
                        problem.note("deferred events need a queue of more than one place")
                    }
                    true => problem
                        .note("one of the transitions exits and enters too many states for it"),
                    false => problem,
                };
                diagnostics
                    .push(problem.help(format!("write `\"tier\": \"{}\"`", tier_name(tier))));
                tier
            }
            (asked, smallest) => {
                diagnostics.push(self.too_small(model, asked.map(|tier| tier.value), smallest));
                TIERS.len() - 1
            }
        };
    }

    fn too_small(
        &self,
        model: &Model<'_>,
        asked: Option<Tier>,
        smallest: Option<usize>,
    ) -> Diagnostic {
        let span = model
            .machine
            .tier
            .as_ref()
            .map_or(model.machine.name.span, |tier| tier.span);
        let tier = match (asked, smallest) {
            (Some(asked), Some(_)) => number(asked),
            _ => TIERS.len() - 1,
        };
        let text = match smallest {
            Some(_) => format!(
                "the machine does not fit tier {} ({} bytes)",
                tier_name(tier),
                TIERS[tier].bytes
            ),
            None => {
                format!(
                    "the machine fits no tier: the largest is {} ({} bytes)",
                    tier_name(tier),
                    TIERS[tier].bytes
                )
            }
        };
        let problem = Diagnostic::new(DiagnosticCode::TierTooSmall, span, text).label("too small");
        self.with_users(problem, model, tier).help(match smallest {
            Some(tier) => format!(
                "write `\"tier\": \"{}\"`, or remove some of these",
                tier_name(tier)
            ),
            None => "remove some of these, or split the machine into several".to_owned(),
        })
    }

    /// Adds tables of who uses what, one for each resource that does not fit.
    fn with_users(&self, mut problem: Diagnostic, model: &Model<'_>, tier: usize) -> Diagnostic {
        let capacity = &TIERS[tier];
        let limits = [capacity.leaves, capacity.timers, capacity.slots];
        let resources = [Resource::Leaves, Resource::Timers, Resource::Slots];
        for ((resource, need), limit) in resources.into_iter().zip(self.need).zip(limits) {
            if need > u32::from(limit) {
                let title = format!(
                    "{need} {} are needed at once, tier {} has {limit}:",
                    resource.as_str(),
                    tier_name(tier)
                );
                problem = problem.note(format!("{title}\n{}", self.users(model, resource)));
            }
        }
        problem
    }

    /// Who uses a resource: how many, which state, what for.
    fn users(&self, model: &Model<'_>, resource: Resource) -> String {
        const MOST_LINES: usize = 16;
        const MOST_CHARACTERS: usize = 32;
        let all: Vec<&Payment> = self
            .payments
            .iter()
            .filter(|payment| payment.resource == resource)
            .collect();
        let shown = &all[..all.len().min(MOST_LINES)];
        let paths: Vec<String> = shown
            .iter()
            .map(|payment| model.tree.path(payment.state))
            .collect();
        let width = paths
            .iter()
            .map(|path| path.chars().count())
            .max()
            .unwrap_or(0)
            .min(MOST_CHARACTERS);
        let line = |(payment, path): (&&Payment, &String)| {
            let shared = if payment.shared {
                ""
            } else {
                ", kept for the life of the machine"
            };
            format!(
                "{:>4}  {path:width$}  {}{shared}",
                payment.count, payment.why
            )
        };
        let mut lines: Vec<String> = shown.iter().zip(&paths).map(line).collect();
        // The first leaf belongs to the machine itself and has no payment.
        if resource == Resource::Leaves {
            lines.insert(
                0,
                format!("{:>4}  {:width$}  the machine itself", 1, "root"),
            );
        }
        if all.len() > MOST_LINES {
            lines.push(format!("      and {} more", all.len() - MOST_LINES));
        }
        if shown.iter().any(|payment| payment.shared) && resource != Resource::Leaves {
            lines.push("states that are never active together share".to_owned());
        }
        lines.join("\n")
    }
}

/// The place of a tier among [`TIERS`].
fn number(tier: Tier) -> usize {
    usize::from(numbers::tier(tier).number())
}

/// Name of a tier by its number.
pub fn tier_name(tier: usize) -> &'static str {
    Tier::WORDS.get(tier).copied().unwrap_or("?")
}
