//! Owns the reading of the machine itself: its own fields, policies, budgets, and the root.

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;

use super::Reader;
use crate::graph::{Budgets, Lane, Machine, Policies, State};
use crate::span::Spanned;
use crate::text::parse::{span, whole};
use crate::value::{BuiltInLane, Tier};

impl Reader<'_> {
    /// A machine of the nested shape.
    pub(crate) fn nested_machine(&self, object: &Object) -> Machine {
        let root = State {
            span: span(object.range()),
            ..self.behavior(object)
        };
        Machine {
            root,
            ..self.machine_head(object)
        }
    }

    /// Everything but the root: the same in both shapes.
    pub(crate) fn machine_head(&self, object: &Object) -> Machine {
        let is_built_in = |lane: &Lane| BuiltInLane::parse(&lane.name.value).is_some();
        let (built_in_lanes, lanes) = self.lanes(object).into_iter().partition(is_built_in);
        Machine {
            name: self.name(object, "machine").unwrap_or_default(),
            id: self.id(object, "id"),
            doc: self.text(object, "doc"),
            tier: self.tier(object),
            tick_rate: self.count(object, "tick_rate"),
            policies: self.policies(object),
            budgets: self.budgets(object),
            fail_safe: self.name(object, "fail_safe"),
            reload_entry: self.name(object, "reload_entry"),
            events: self.events(object),
            blackboard: self.blackboard(object),
            parameters: self.parameters(object),
            variants: self.variants(object),
            channels: self.channels(object),
            lanes,
            built_in_lanes,
            timers: self.timers(object),
            observers: self.observers(object),
            functions: self.functions(object),
            transition_sets: self.transition_sets(object),
            meta: self.meta(object),
            ..Machine::default()
        }
    }

    fn tier(&self, object: &Object) -> Option<Spanned<Tier>> {
        match self.field(object, "tier")? {
            Value::NumberLit(raw) => {
                let tier = match whole(raw.value)? {
                    64 => Tier::Crowd,
                    128 => Tier::Standard,
                    256 => Tier::Hero,
                    _ => return None,
                };
                Some(Spanned::new(tier, span(raw.range)))
            }
            word => self.word_of(word, tier),
        }
    }

    fn policies(&self, object: &Object) -> Policies {
        let Some(given) = self.field(object, "policies").and_then(Value::as_object) else {
            return Policies::default();
        };
        Policies {
            reverse_exit_order: self.word(given, "exit_order", |word| Some(word == "reverse")),
            immediate_update: self.boolean(given, "immediate_update"),
            posted_next_tick: self.word(given, "posted", |word| Some(word == "next_tick")),
            internal_first: self.boolean(given, "internal_first"),
            done_events: self.boolean(given, "done_events"),
            strict_writes: self.boolean(given, "strict_writes"),
            scxml_details: self.boolean(given, "scxml_details"),
            reload_resets: self.word(given, "reload", |word| Some(word == "reset")),
        }
    }

    fn budgets(&self, object: &Object) -> Budgets {
        let Some(given) = self.field(object, "budgets").and_then(Value::as_object) else {
            return Budgets::default();
        };
        Budgets {
            events_per_tick: self.count(given, "events_per_tick"),
            microsteps_per_tick: self.count(given, "microsteps_per_tick"),
            clamp_limit: self.count(given, "clamp_limit"),
            command_bytes: self.count(given, "command_bytes"),
        }
    }
}

/// Reads a tier: a plain word, or the word with its size.
fn tier(word: &str) -> Option<Tier> {
    match word {
        "Crowd_64B" => Some(Tier::Crowd),
        "Standard_128B" => Some(Tier::Standard),
        "Hero_256B" => Some(Tier::Hero),
        word => Tier::parse(word),
    }
}
