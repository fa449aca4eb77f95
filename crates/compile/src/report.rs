//! Pass *report*: what the compiled machine is made of, who pays for what and why (RAM-7), and
//! facts worth knowing.

use std::fmt;

use serde::Serialize;
use statewright_rom::ids::TransitionId;
use statewright_rom::layout::TIERS;
use statewright_rom::{OwnedRom, Rom, Wakeful};
use statewright_text::quoted;

use crate::allocate::{Allocation, tier_name};
use crate::check::{Chains, Planned, chains};
use crate::index::{IndexVec, TransitionIndex};
use crate::model::Model;
use crate::tables::Tables;

/// One resource of the instance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ResourceUse {
    /// `leaves`, `timers` or `slots`.
    pub resource: &'static str,
    /// Needed.
    pub used: u32,
    /// There in the tier.
    pub capacity: u32,
}

/// What one state pays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StatePayment {
    /// Path of the state.
    pub state: String,
    /// `leaves`, `timers` or `slots`.
    pub resource: &'static str,
    /// The first of them.
    pub first: u32,
    /// How many.
    pub count: u32,
    /// Why.
    pub why: String,
    /// Other states may use the same ones while this one is not active.
    pub shared: bool,
}

/// The report of a compilation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Name of the machine.
    pub machine: String,
    /// Tier.
    pub tier: &'static str,
    /// Bytes of an instance.
    pub instance_bytes: u16,
    /// Bytes of the ROM.
    pub rom_bytes: usize,
    /// In hex.
    pub structure_hash: String,
    /// In hex.
    pub parameter_hash: String,
    /// Counts by name.
    pub counts: Vec<(&'static str, usize)>,
    /// Use of the instance.
    pub resources: Vec<ResourceUse>,
    /// Who pays.
    pub payments: Vec<StatePayment>,
    /// Structural cost of the most expensive transition, and the limit (EXEC-9).
    pub highest_cost: (u16, u16),
    /// Caps: events and microsteps per tick.
    pub caps: (u16, u16),
    /// Longest chain of eventless transitions.
    pub eventless_chain: String,
    /// Functions that use the rng (SEL-5), ranges of durations (LANG-3), and what expressions of the
    /// file draw from it (LANG-11).
    pub rng_functions: Vec<String>,
    /// States whose agents never sleep, and why (SYS-2).
    pub polling_states: Vec<String>,
}

impl Report {
    /// Collects the facts.
    pub fn new(
        model: &Model<'_>,
        allocation: &Allocation,
        tables: &Tables,
        order: &IndexVec<TransitionId, TransitionIndex>,
        rom: &OwnedRom,
    ) -> Self {
        let (rom, rom_bytes) = (&rom.as_rom(), rom.as_bytes().len());
        let planned = Planned {
            model,
            tables,
            order,
        };
        let capacity = allocation.capacity();
        let limits = [capacity.leaves, capacity.timers, capacity.slots];
        let resources = ["leaves", "timers", "slots"]
            .into_iter()
            .zip(allocation.need.into_iter().zip(limits));
        let resources = resources.map(|(resource, (used, limit))| ResourceUse {
            resource,
            used,
            capacity: u32::from(limit),
        });
        let payments = allocation.payments.iter().map(|payment| StatePayment {
            state: model.tree.path(payment.state),
            resource: payment.resource.as_str(),
            first: payment.first,
            count: payment.count,
            why: payment.why.clone(),
            shared: payment.shared,
        });
        let mut rng: Vec<String> = model
            .actions
            .functions()
            .iter()
            .filter(|f| f.rng)
            .map(|f| format!("{} {}", f.kind, f.name))
            .chain(model.usage.rng_ranges.iter().cloned())
            .collect();
        rng.sort();
        rng.extend(model.usage.random.iter().map(|text| quoted(text)));
        Self {
            machine: model.machine.name.value.clone(),
            tier: tier_name(allocation.tier),
            instance_bytes: TIERS[allocation.tier].bytes,
            rom_bytes,
            structure_hash: format!("{:016x}", tables.header.head.structure_hash.get()),
            parameter_hash: format!("{:016x}", tables.header.head.parameter_hash.get()),
            counts: vec![
                ("states", tables.states.len()),
                ("regions", tables.regions.len()),
                ("transitions", tables.transitions.len()),
                ("events", tables.events.len()),
                ("timers", tables.timers.len()),
                ("history points", tables.history.len()),
                ("functions", tables.linker.len()),
                ("expressions", tables.expressions.len()),
                ("blackboard keys", tables.keys.len()),
                ("parameters", tables.parameters.len()),
                ("variants", tables.variants.len().saturating_sub(1)),
            ],
            resources: resources.collect(),
            payments: payments.collect(),
            highest_cost: (planned.highest_cost(), capacity.cost),
            caps: (
                tables.header.events_per_tick.get(),
                tables.header.microsteps_per_tick.get(),
            ),
            eventless_chain: match chains(&planned) {
                Chains::Bounded(0) => "none".to_owned(),
                Chains::Bounded(length) => format!("at most {length}"),
                Chains::Circular => "decided by guards: some lead in a circle".to_owned(),
                Chains::Unknown => "not analyzed: too many".to_owned(),
            },
            rng_functions: rng,
            polling_states: polling(model, rom),
        }
    }
}

/// States whose agents never sleep, and why (SYS-2).
fn polling(model: &Model<'_>, rom: &Rom<'_>) -> Vec<String> {
    let functions = model.actions.linker_order();
    let why = |wakeful: Wakeful| {
        match wakeful {
        Wakeful::Activity => "it has an activity".to_owned(),
        Wakeful::Update => "it has `update` actions".to_owned(),
        Wakeful::Asks(function) => {
            let function = functions.get(function.index()).and_then(|&index| model.actions.functions().get(index));
            let name = function.map_or("?", |function| function.name.as_str());
            format!("an eventless transition asks the guard `{name}`")
        }
        Wakeful::Time => "an eventless transition asks how long a state is active".to_owned(),
        Wakeful::Chance => "an eventless transition depends on chance".to_owned(),
        Wakeful::Scratch => "an eventless transition looks at scratch".to_owned(),
        Wakeful::Payload => "an eventless transition looks at a payload".to_owned(),
        Wakeful::Unconditional => "an `always` transition has no condition".to_owned(),
        Wakeful::Timing => {
            "an eventless transition has a score, a cooldown, a debounce time, a stack or a choice, or may be stored"
                .to_owned()
        }
        Wakeful::ExitConditions => {
            "an eventless transition may have to wait for `min_active` or `exit_ready` of a state".to_owned()
        }
    }
    };
    let states = rom
        .state_ids()
        .filter_map(|state| Some((state, rom.wakeful(state)?)));
    states
        .map(|(state, wakeful)| format!("{}: {}", model.tree.path(state.into()), why(wakeful)))
        .collect()
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "machine {}: tier {} ({} bytes per agent)",
            self.machine, self.tier, self.instance_bytes
        )?;
        let counts: Vec<String> = self
            .counts
            .iter()
            .filter(|(_, count)| *count > 0)
            .map(|&(what, count)| counted(count, what))
            .collect();
        writeln!(
            f,
            "  ROM         {} bytes: {}",
            self.rom_bytes,
            counts.join(", ")
        )?;
        writeln!(
            f,
            "  hashes      structure {}, parameters {}",
            self.structure_hash, self.parameter_hash
        )?;
        for resource in &self.resources {
            let bar: String = (0..resource.capacity)
                .map(|n| if n < resource.used { '#' } else { '.' })
                .collect();
            writeln!(
                f,
                "  {:<11} {:>2} of {:>2}  {bar}",
                resource.resource, resource.used, resource.capacity
            )?;
        }
        let (cost, limit) = self.highest_cost;
        writeln!(
            f,
            "  cost        {cost} of {limit} states in the largest transition"
        )?;
        writeln!(
            f,
            "  caps        {} events and {} microsteps per tick",
            self.caps.0, self.caps.1
        )?;
        writeln!(f, "  eventless   {}", self.eventless_chain)?;
        if !self.rng_functions.is_empty() {
            writeln!(f, "  uses rng    {}", self.rng_functions.join(", "))?;
        }
        if !self.polling_states.is_empty() {
            writeln!(f, "  never sleep, because")?;
            self.polling_states
                .iter()
                .try_for_each(|state| writeln!(f, "    {state}"))?;
        }
        if self.payments.is_empty() {
            return Ok(());
        }
        writeln!(f, "  who pays for what:")?;
        let width = self
            .payments
            .iter()
            .map(|p| p.state.chars().count())
            .max()
            .unwrap_or(0)
            .min(40);
        for payment in &self.payments {
            let numbers = match payment.count {
                1 => format!("{} {}", singular(payment.resource), payment.first),
                count => format!(
                    "{} {}-{}",
                    payment.resource,
                    payment.first,
                    payment.first + count - 1
                ),
            };
            let shared = if payment.shared {
                ""
            } else {
                ", kept for the life of the machine"
            };
            writeln!(
                f,
                "    {:<width$}  {numbers:<12} {}{shared}",
                payment.state, payment.why
            )?;
        }
        Ok(())
    }
}

/// A count and its plural noun, made singular for one.
fn counted(count: usize, plural: &str) -> String {
    let noun = if count == 1 {
        plural.strip_suffix('s').unwrap_or(plural)
    } else {
        plural
    };
    format!("{count} {noun}")
}

fn singular(resource: &str) -> &str {
    match resource {
        "leaves" => "leaf",
        "timers" => "timer",
        _ => "slot",
    }
}
