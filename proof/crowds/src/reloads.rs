//! What a crowd makes of blackboards, variants and letters in a reload (LOAD-6, LOAD-7), beside what the two
//! files say by name; that a reload on all cores is the same; and that its report is what `diff` says of the two
//! files beforehand (LOAD-8).

use std::collections::BTreeMap;

use statewright::prelude::*;
use statewright::{Extent, Machine, Reload, ReloadReport, ids};
use statewright_describe::{Comparison, Description, Future, ReloadKind, diff};
use statewright_differential::graph::{self, Event};
use statewright_differential::machine::CompiledCase;
use statewright_differential::reload::versions;
use statewright_generator::Rng;

use crate::outside::Outside;
use crate::user::{Crowd, World, functions};
use crate::wake::crowd_of;

/// What was compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct Total {
    /// Reloads that changed something.
    pub reloads: u64,
    /// Of these, those in which no byte of an agent changed.
    pub parameters: u64,
    /// Values of keys that stayed.
    pub values: u64,
    /// Values that began with their default.
    pub defaults: u64,
    /// Agents with a variant that stayed.
    pub variants: u64,
    /// Agents whose variant is gone.
    pub lost_variants: u64,
    /// Letters that arrive, of those that are known by name.
    pub letters: u64,
    /// Letters that are lost, of these.
    pub lost_letters: u64,
    /// Agents of whom `diff` said that they begin anew.
    pub said_anew: u64,
    /// Agents of whom it said that they are completed.
    pub said_completed: u64,
    /// Agents of whom it said nothing, so that they are kept.
    pub said_kept: u64,
}

impl Total {
    /// Both together.
    pub fn add(&mut self, other: &Self) {
        self.reloads += other.reloads;
        self.parameters += other.parameters;
        self.values += other.values;
        self.defaults += other.defaults;
        self.variants += other.variants;
        self.lost_variants += other.lost_variants;
        self.letters += other.letters;
        self.lost_letters += other.lost_letters;
        self.said_anew += other.said_anew;
        self.said_completed += other.said_completed;
        self.said_kept += other.said_kept;
    }
}

/// Keys with their values, and the variant, by name.
type Seen = (BTreeMap<String, String>, String);

fn seen(crowd: &Crowd) -> Result<BTreeMap<AgentId, Seen>, String> {
    let look = |agent: AgentId| {
        let seen = crowd.inspect(agent).map_err(|error| error.to_string())?;
        let board = seen.blackboard.into_iter();
        let board = board.map(|(key, value)| (key, format!("{value:?}")));
        Ok((agent, (board.collect(), seen.variant)))
    };
    crowd.agents().map(look).collect()
}

/// Runs the case of a seed.
pub fn run(seed: u64) -> Result<Total, String> {
    let Some((old, new, edits)) = versions(seed) else {
        return Ok(Total::default());
    };
    let graphs = [old.graph.clone(), new.graph.clone()];
    let [old, new] = [old, new].map(|one: CompiledCase| Machine::from(one.output));
    let plan = Reload::plan(&old, &new);
    if plan.extent() == Extent::Nothing {
        return Ok(Total::default());
    }
    compare(seed, &graphs, &old, &new).map_err(|what| format!("seed {seed}: {edits}: {what}"))
}

fn compare(
    seed: u64,
    graphs: &[graph::Machine; 2],
    old: &Machine,
    new: &Machine,
) -> Result<Total, String> {
    let mut crowd = [crowd_of(old, seed)?];
    let world = World::new(old, seed, 12);
    let (mut outside, mut rng) = (Outside::new(seed), Rng::new(seed ^ 0x10AD));
    outside.know(crowd[0].agents().collect::<Vec<_>>());
    for _ in 0..rng.below(30) {
        outside.happen(&mut crowd);
        crowd[0].tick(&world);
    }
    let [mut crowd] = crowd;
    let sent = send_some(&mut crowd, &mut rng);
    let (before, snapshot) = (seen(&crowd)?, crowd.snapshot());
    let mut other = crowd_of(old, seed)?;
    other
        .restore(&snapshot)
        .map_err(|error| error.to_string())?;

    let bind = || new.bind(functions(new)).map_err(|error| error.to_string());
    let plan = Reload::plan(old, new);
    let extent = plan.extent();
    let said = Said::of(&crowd, new);
    let report = crowd
        .reload(bind()?, plan.clone())
        .map_err(|error| error.to_string())?;
    let again = other
        .reload_parallel(bind()?, plan)
        .map_err(|error| error.to_string())?;
    if report != again || crowd.snapshot() != other.snapshot() {
        return Err("on all cores it is another one".to_owned());
    }
    let said = said?;
    let mut total = Total {
        reloads: 1,
        parameters: u64::from(extent == Extent::Parameters),
        ..Total::default()
    };
    said.compare(&report, &mut total)?;
    boards(graphs, new, &before, &crowd, &report, &mut total)?;
    if extent == Extent::Structure {
        letters(graphs, &sent, &report, &mut total)?;
    }
    let world = World::new(new, seed, 12);
    for _ in 0..5 {
        crowd.tick(&world);
    }
    Ok(total)
}

/// Sends events; which, by number.
fn send_some(crowd: &mut Crowd, rng: &mut Rng) -> Vec<usize> {
    let machine = crowd.machine().clone();
    let agents: Vec<AgentId> = crowd.agents().collect();
    let mut sent = Vec::new();
    for _ in 0..rng.below(6) {
        let number = rng.below(machine.rom().events().len() as u32) as usize;
        let event = ids::EventId::from_index(number).and_then(|event| machine.handle(event));
        let (Some(&agent), Some(event)) = (rng.pick(&agents), event) else {
            continue;
        };
        if crowd.send(agent, event, [0; 4]).is_ok() {
            sent.push(number);
        }
    }
    sent
}

/// Values by name and type, variants by name (LOAD-6).
fn boards(
    [old, new]: &[graph::Machine; 2],
    machine: &Machine,
    before: &BTreeMap<AgentId, Seen>,
    crowd: &Crowd,
    report: &ReloadReport,
    total: &mut Total,
) -> Result<(), String> {
    let fresh = seen(&crowd_of(machine, 0)?)?;
    let (defaults, _) = fresh.values().next().ok_or("somebody is there")?;
    let after = seen(crowd)?;
    if after.keys().ne(before.keys()) {
        return Err("other agents are there".to_owned());
    }
    let has_variant = |name: &String| new.variants.iter().any(|one| one.name.value == *name);
    let mut gone = 0;
    for (agent, (values, variant)) in &after {
        let (old_values, old_variant) = &before[agent];
        for key in &new.blackboard {
            let name = &key.name.value;
            let same = old
                .blackboard
                .iter()
                .any(|one| one.name.value == *name && one.ty.value == key.ty.value);
            let expected = match same {
                true => &old_values[name],
                false => &defaults[name],
            };
            if values[name] != *expected {
                return Err(format!(
                    "{agent}: key {name} is {}, not {expected}",
                    values[name]
                ));
            }
            match same {
                true => total.values += 1,
                false => total.defaults += 1,
            }
        }
        let is_gone = !old_variant.is_empty() && !has_variant(old_variant);
        let expected = if is_gone { "" } else { old_variant.as_str() };
        if variant != expected {
            return Err(format!("{agent}: variant `{variant}`, not `{expected}`"));
        }
        gone += usize::from(is_gone);
        total.variants += u64::from(!expected.is_empty());
    }
    total.lost_variants += gone as u64;
    match report.lost_variants == gone {
        true => Ok(()),
        false => Err(format!(
            "{} variants lost, not {gone}",
            report.lost_variants
        )),
    }
}

/// Letters of the same event, by id or name, that carries the same (LOAD-7).
fn letters(
    [old, new]: &[graph::Machine; 2],
    sent: &[usize],
    report: &ReloadReport,
    total: &mut Total,
) -> Result<(), String> {
    let known = |event: &Event| match &event.id {
        Some(id) => format!("#{}", id.value),
        None => event.name.value.clone(),
    };
    let carries = |event: &Event| event.payload.as_ref().map(|payload| payload.value);
    let arrives = |number: usize| {
        let event = &old.events[number];
        let mut events = new.events.iter();
        events.any(|one| known(one) == known(event) && carries(one) == carries(event))
    };
    let arrived = sent.iter().filter(|&&number| arrives(number)).count();
    let lost = sent.len() - arrived;
    total.letters += arrived as u64;
    total.lost_letters += lost as u64;
    // Agents have sent some, too, of which nobody knows the names.
    let all_arrive = (0..old.events.len()).all(arrives);
    let is_right = match all_arrive {
        true => report.lost_letters == 0,
        false => report.lost_letters >= lost,
    };
    match is_right {
        true => Ok(()),
        false => Err(format!(
            "{} letters lost, {lost} of those that were sent",
            report.lost_letters
        )),
    }
}

/// What `diff` says of the agents of a crowd before they are reloaded.
#[derive(Debug, Default)]
struct Said {
    extent: Option<ReloadKind>,
    /// Whether timers may run on to an old deadline.
    deadlines: bool,
    /// Whether it says anything of agents in single states.
    is_told: bool,
    anew: usize,
    completed: usize,
    kept: usize,
    /// Of whom it says that it depends, and those of whom it says nothing: not started, ended, not whole, suspended.
    open: usize,
}

impl Said {
    fn of(crowd: &Crowd, new: &Machine) -> Result<Self, String> {
        let described =
            |machine: &Machine| Description::new(&machine.rom(), Some(machine.symbols()));
        let [old, new] = [crowd.machine(), new].map(described);
        let (said, found) = (Comparison::new(&old, &new).reload, diff(&old, &new));
        let mut all = Self {
            extent: Some(said.kind),
            deadlines: !said.old_deadlines.is_empty(),
            is_told: said.kind == ReloadKind::Structure && !found.is_another_machine,
            ..Self::default()
        };
        for agent in crowd.agents() {
            let seen = crowd.inspect(agent).map_err(|error| error.to_string())?;
            let has = |flag: &'static str| seen.flags.contains(&flag);
            let is_in = |state: &String| seen.leaves.contains(state);
            let is = |fate: Future| {
                let mut own = said.outlook.iter().filter(|one| one.fate == fate);
                own.any(|one| match fate {
                    Future::Anew => one.states.iter().all(is_in),
                    Future::Completed | Future::Depends => one.states.iter().any(is_in),
                })
            };
            let is_over = ["terminated", "quarantined", "incomplete"]
                .into_iter()
                .any(has);
            let is_plain = has("started") && !is_over && seen.stack_depth == 0;
            let place = if !is_plain {
                &mut all.open
            } else if found.resets || is(Future::Anew) {
                &mut all.anew
            } else if is(Future::Completed) {
                &mut all.completed
            } else if is(Future::Depends) {
                &mut all.open
            } else {
                &mut all.kept
            };
            *place += 1;
        }
        Ok(all)
    }

    /// Is it what the report says?
    fn compare(&self, report: &ReloadReport, total: &mut Total) -> Result<(), String> {
        let extent = match report.extent {
            Extent::Nothing => ReloadKind::Nothing,
            Extent::Parameters => ReloadKind::Parameters,
            Extent::Structure => ReloadKind::Structure,
        };
        let is_near = |said: usize, found: usize| (said..=said + self.open).contains(&found);
        let agents = !self.is_told
            || is_near(self.anew, report.anew_agents())
                && is_near(self.completed, report.completed_agents())
                && is_near(self.kept, report.kept);
        let deadlines = self.deadlines || report.on_old_deadlines == 0;
        if self.extent != Some(extent) || !agents || !deadlines {
            return Err(format!("`diff` says {self:?}, the report {report:?}"));
        }
        if self.is_told {
            total.said_anew += self.anew as u64;
            total.said_completed += self.completed as u64;
            total.said_kept += self.kept as u64;
        }
        Ok(())
    }
}
