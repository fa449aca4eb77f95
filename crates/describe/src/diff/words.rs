//! A plan in words: what `statewright diff` prints, and its JSON.

use std::fmt;

use serde::Serialize;
use serde_json::Value as Json;
use statewright_rom::ids::StateId;

use super::fields::Fields;
use super::outlook::{Future, Outlook, outlook};
use super::plan::{Renames, diff};
use super::{Fate, KeyField, MachineDiff, Mapping, ReloadKind};
use crate::Description;
use crate::length::Length;
use crate::state::{Region, State, Transition};

/// The difference of two machines.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The machines behave the same and have the same names.
    pub same: bool,
    /// The structure hash differs: instance bytes mean something else (ROM-5).
    pub structure_changed: bool,
    /// The parameter hash differs (ROM-5).
    pub parameters_changed: bool,
    /// What is different.
    pub changes: Vec<Change>,
    /// What a hot reload would do.
    pub reload: Reload,
}

/// What a hot reload does with running agents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reload {
    /// How much is kept.
    pub kind: ReloadKind,
    /// In one sentence.
    pub summary: String,
    /// States that nothing in the new machine has the stable id of: their agents are completed.
    pub states_gone: Vec<String>,
    /// Agents that are not simply kept, by the states in which they are.
    pub outlook: Vec<Outlook>,
    /// What else is lost where it was in use.
    pub lost: Vec<String>,
    /// Timers that last another time now; those that run keep their deadline (LOAD-4).
    pub old_deadlines: Vec<String>,
}

/// One difference between two machines.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// What happened to it.
    pub kind: ChangeKind,
    /// What it is: `state`, `transition`, `event`, `policy`, …
    pub what: String,
    /// Its name or path; for a transition source, trigger and targets.
    pub name: String,
    /// What is different, for a changed one.
    pub fields: Vec<FieldChange>,
}

/// What happened to something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// Only in the second.
    Added,
    /// Only in the first.
    Removed,
    /// In both, but different.
    Changed,
    /// Same things in another order.
    Reordered,
}

/// One field of a changed thing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FieldChange {
    /// The key in the description.
    pub field: &'static str,
    /// In the first.
    pub before: Json,
    /// In the second.
    pub after: Json,
}

impl Comparison {
    /// Compares two machines.
    pub fn new(old: &Description, new: &Description) -> Self {
        Self::of(&diff(old, new), old, new)
    }

    /// The words of a plan for the machines it was made of.
    pub fn of(plan: &MachineDiff, old: &Description, new: &Description) -> Self {
        let named = &Renames::new(old, new).applied(new);
        let mut words = Words {
            plan,
            old,
            new: named,
            changes: Vec::new(),
        };
        words.settings();
        words.declarations();
        words.states();
        let changes = words.changes;
        let (structure_changed, parameters_changed) =
            (plan.structure_changed, plan.parameters_changed);
        Self {
            same: changes.is_empty() && !structure_changed && !parameters_changed,
            structure_changed,
            parameters_changed,
            changes,
            reload: reload(plan, old, new),
        }
    }
}

/// `: arms`, or nothing for the only region.
pub(super) fn region_shown(region: &Region) -> String {
    let name = region.name.as_ref();
    name.map_or(String::new(), |name| format!(": {name}"))
}

/// `: on Hit -> flee`
pub(super) fn transition_shown(transition: &Transition) -> String {
    format!(": {}", transition.shown())
}

/// A list of both machines.
struct Lists<'d, I, T> {
    old: &'d [T],
    new: &'d [T],
    id: fn(usize, &T) -> Option<I>,
}

/// Changes under construction.
struct Words<'d> {
    plan: &'d MachineDiff,
    old: &'d Description,
    /// The new machine in the words of the old one.
    new: &'d Description,
    changes: Vec<Change>,
}

impl<'d> Words<'d> {
    fn push(&mut self, kind: ChangeKind, what: &str, name: &str, fields: Vec<FieldChange>) {
        self.changes.push(Change {
            kind,
            what: what.to_owned(),
            name: name.to_owned(),
            fields,
        });
    }

    /// Single values of the machine.
    fn settings(&mut self) {
        let (a, b) = (&self.old.model, &self.new.model);
        let mut fields = changed(a, b, &self.plan.machine);
        fields.extend(changed(&a.policies, &b.policies, &self.plan.policies));
        fields.extend(changed(&a.budgets, &b.budgets, &self.plan.budgets));
        if !fields.is_empty() {
            let name = a.machine.clone().unwrap_or_default();
            self.push(ChangeKind::Changed, "machine", &name, fields);
        }
    }

    fn declarations(&mut self) {
        let (plan, a, b) = (self.plan, &self.old.model, &self.new.model);
        macro_rules! list {
            ($what:literal $key:literal $list:ident, $mapping:ident $id:expr, $name:expr) => {
                let lists = Lists {
                    old: &a.$list,
                    new: &b.$list,
                    id: $id,
                };
                self.list($what, &lists, &plan.$mapping, $name, $key, "");
            };
        }
        use statewright_rom::ids::*;
        list!("event" "events" events, events |_, event| Some(event.id), |e| e.name.clone());
        list!("blackboard key" "blackboard" blackboard, keys |i, _| KeyId::from_index(i), |k| k.name.clone());
        list!("parameter" "parameters" parameters, parameters |i, _| ParameterId::from_index(i), |p| p.name.clone());
        list!("variant" "variants" variants, variants |i, _| VariantId::from_index(i + 1), |v| v.name.clone());
        list!("channel" "channels" channels, channels |i, _| ChannelId::from_index(i), |c| c.name.clone());
        list!("lane" "lanes" lanes, lanes |_, lane| Some(lane.id), |l| l.name.clone());
        list!("timer" "timers" timers, machine_timers |_, timer| Some(timer.id), |t| t.name.clone());
        list!("observer" "observers" observers, observers |i, _| ObserverId::from_index(i), |o| o.shown());
        list!("function" "functions" functions, functions |_, function| Some(function.id), |f| f.name.clone());
    }

    fn states(&mut self) {
        let (plan, a, b) = (self.plan, &self.old.model, &self.new.model);
        let lists = Lists {
            old: &a.states,
            new: &b.states,
            id: |_, state| Some(state.id),
        };
        let path = |state: &State| state.path.clone();
        self.list("state", &lists, &plan.states, path, "states", "");
        let pairs: Vec<(&State, &State)> = plan
            .states
            .old
            .iter()
            .filter_map(|(id, fate)| {
                Some((state(self.old, *id)?, state(self.new, fate.kept()?.to)?))
            })
            .collect();
        for (old, new) in &pairs {
            let lists = Lists {
                old: &old.regions,
                new: &new.regions,
                id: |_, region: &Region| Some(region.id),
            };
            let shown = |region: &Region| format!("{}{}", old.path, region_shown(region));
            self.list(
                "region",
                &lists,
                &plan.regions,
                shown,
                "regions of",
                &old.path,
            );
        }
        for (old, new) in &pairs {
            let lists = Lists {
                old: &old.transitions,
                new: &new.transitions,
                id: |_, transition: &Transition| Some(transition.id),
            };
            let shown = |one: &Transition| format!("{}{}", old.path, transition_shown(one));
            let (plan, path) = (&plan.transitions, &old.path);
            self.list("transition", &lists, plan, shown, "transitions of", path);
        }
    }

    /// Changes of a list. What left it for another list is gone here and new there.
    fn list<I: Copy + Ord, T: Fields>(
        &mut self,
        what: &str,
        lists: &Lists<'_, I, T>,
        mapping: &Mapping<I, T::Field>,
        name: impl Fn(&T) -> String,
        order: &str,
        of: &str,
    ) {
        let id = |(index, item): (usize, &T)| (lists.id)(index, item);
        let new_ids: Vec<Option<I>> = lists.new.iter().enumerate().map(id).collect();
        let mut places = Vec::new();
        for (index, item) in lists.old.iter().enumerate() {
            let fate = (lists.id)(index, item).and_then(|id| mapping.fate(id));
            let kept = fate.and_then(Fate::kept);
            let place = kept.and_then(|kept| new_ids.iter().position(|id| *id == Some(kept.to)));
            let Some((kept, place)) = kept.zip(place) else {
                self.push(ChangeKind::Removed, what, &name(item), Vec::new());
                continue;
            };
            places.push(place);
            let fields = changed(item, &lists.new[place], &kept.changed);
            if !fields.is_empty() {
                self.push(ChangeKind::Changed, what, &name(item), fields);
            }
        }
        for (place, item) in lists.new.iter().enumerate() {
            if !places.contains(&place) {
                self.push(ChangeKind::Added, what, &name(item), Vec::new());
            }
        }
        if !places.is_sorted() {
            self.push(ChangeKind::Reordered, order, of, Vec::new());
        }
    }
}

fn state(side: &Description, id: StateId) -> Option<&State> {
    side.model.states.get(id.index())
}

fn changed<T: Fields>(old: &T, new: &T, fields: &[T::Field]) -> Vec<FieldChange> {
    let change = |&field: &T::Field| FieldChange {
        field: T::key(field),
        before: old.field(field),
        after: new.field(field),
    };
    fields.iter().map(change).collect()
}

fn reload(plan: &MachineDiff, old: &Description, new: &Description) -> Reload {
    let (kind, mut states_gone, mut losses) = (plan.kind, Vec::new(), Vec::new());
    let mut agents = Vec::new();
    let summary = match kind {
        ReloadKind::Nothing => "there would be nothing to do: the machine behaves the same",
        ReloadKind::Parameters => "every agent would go on where it is, with the new behavior",
        ReloadKind::Structure => {
            let gone = plan.states.lost().filter_map(|id| state(old, id));
            states_gone = gone.map(|state| state.path.clone()).collect();
            losses = lost(plan, old);
            let is_another = states_gone.iter().any(|path| path == "root");
            if !is_another && !plan.resets {
                agents = outlook(plan, old, new);
            }
            if is_another {
                "every agent would start anew: the machine has another stable id"
            } else if plan.resets {
                "every agent would start anew: the file says `\"reload\": \"reset\"`"
            } else if agents.is_empty() && states_gone.is_empty() {
                "every agent would be kept: all states are found again by their stable ids"
            } else if agents.is_empty() {
                "every agent would be kept: no agent is in a state that is gone, or the state around it is there without others in it"
            } else {
                "agents would be kept, but for those that are named here; those that are completed keep the states around theirs, and their next tick enters what is missing"
            }
        }
    };
    Reload {
        kind,
        summary: summary.to_owned(),
        states_gone,
        outlook: agents,
        lost: losses,
        old_deadlines: old_deadlines(plan, old, new),
    }
}

/// Timers that are in both machines and last another time now: those that run keep their deadline
/// (LOAD-4).
fn old_deadlines(plan: &MachineDiff, old: &Description, new: &Description) -> Vec<String> {
    let rates = [old, new].map(|one| u64::from(one.model.tick_rate.max(1)));
    let timers = plan.timers.old.iter().filter_map(|(id, fate)| {
        let (before, to) = (old.layout.timers.get(id.index())?, fate.by_stable_id()?);
        let after = new.layout.timers.get(to.index())?;
        (!lasts_as_long(before.length.as_ref(), after.length.as_ref(), rates)).then_some(before)
    });
    timers
        .map(|timer| format!("{}: {}", timer.owner, timer.purpose()))
        .collect()
}

/// Is a duration the same in seconds? Another tick rate scales it.
fn lasts_as_long(old: Option<&Length>, new: Option<&Length>, rates: [u64; 2]) -> bool {
    let [from, to] = rates;
    let same =
        |before: u32, after: u32| (u64::from(before) * to).div_ceil(from) == u64::from(after);
    match (old, new) {
        (Some(Length::Ticks(before)), Some(Length::Ticks(after))) => same(*before, *after),
        (Some(Length::Range(low, high)), Some(Length::Range(least, most))) => {
            same(*low, *least) && same(*high, *most)
        }
        (before, after) => before == after,
    }
}

/// What is lost besides states: queued events, running timers, history, values of keys.
fn lost(plan: &MachineDiff, old: &Description) -> Vec<String> {
    let mut lost = Vec::new();
    for event in plan.events.lost() {
        let event = old.model.events.get(event.index());
        lost.extend(event.map(|event| format!("queued event {}", event.name)));
    }
    for timer in plan.timers.lost() {
        let timer = old.layout.timers.get(timer.index());
        lost.extend(timer.map(|timer| format!("time of {}: {}", timer.owner, timer.purpose())));
    }
    match plan.history.lost().count() {
        0 => {}
        1 => lost.push("what 1 history point remembers".to_owned()),
        count => lost.push(format!("what {count} history points remember")),
    }
    let loses_value = |fate: &Fate<_, KeyField>| {
        let kept = fate.kept();
        kept.is_none_or(|kept| kept.changed.contains(&KeyField::Type))
    };
    let keys = plan.keys.old.iter().filter(|(_, fate)| loses_value(fate));
    let keys = keys.filter_map(|(id, _)| old.model.blackboard.get(id.index()));
    let mut keys: Vec<&str> = keys.map(|key| key.name.as_str()).collect();
    keys.sort_unstable();
    lost.extend(
        keys.iter()
            .map(|name| format!("value of blackboard key {name}")),
    );
    lost
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for change in &self.changes {
            writeln!(f, "{change}")?;
        }
        let what = match (self.structure_changed, self.parameters_changed) {
            (false, false) if self.changes.is_empty() => "the machines are the same",
            (false, false) => "only names differ: both hashes are the same",
            (false, true) => "parameters changed, the structure is the same",
            (true, _) => "the structure changed",
        };
        writeln!(f, "{what}")?;
        writeln!(f, "in a reload {}", self.reload.summary)?;
        let gone = self.reload.states_gone.iter();
        for state in gone.filter(|path| *path != "root") {
            writeln!(f, "  gone: state {state}")?;
        }
        for agents in &self.reload.outlook {
            writeln!(f, "  {agents}")?;
        }
        for lost in &self.reload.lost {
            writeln!(f, "  lost: {lost}")?;
        }
        for timer in &self.reload.old_deadlines {
            writeln!(f, "  runs on to its old deadline: {timer}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Outlook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (states, why) = (&self.states, &self.why);
        match self.fate {
            Future::Completed => write!(f, "completed: agents in {}: {why}", states.join(", ")),
            Future::Anew => write!(f, "anew: agents in {}: {why}", states.join(" and ")),
            Future::Depends if states.is_empty() => write!(f, "depends: {why}"),
            Future::Depends => write!(
                f,
                "completed, if nobody fills what is missing: agents in {}: {why}",
                states.join(", ")
            ),
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.kind {
            ChangeKind::Added => '+',
            ChangeKind::Removed => '-',
            ChangeKind::Changed => '~',
            ChangeKind::Reordered => '^',
        };
        let name = format!("{} {}", self.what, self.name);
        write!(f, "{sign} {}", name.trim_end())?;
        if self.kind == ChangeKind::Reordered {
            write!(f, ": in another order")?;
        }
        for change in &self.fields {
            let (before, after) = (shown(&change.before), shown(&change.after));
            write!(f, "\n    {}: {before} -> {after}", change.field)?;
        }
        Ok(())
    }
}

/// A value in few words.
fn shown(value: &Json) -> String {
    match value {
        Json::Null => "none".to_owned(),
        Json::String(text) => text.clone(),
        Json::Array(items) if items.is_empty() => "nothing".to_owned(),
        Json::Array(items) if items.iter().all(Json::is_string) => {
            let texts: Vec<&str> = items.iter().filter_map(Json::as_str).collect();
            texts.join("; ")
        }
        Json::Array(items) => items.iter().map(shown).collect::<Vec<_>>().join(" | "),
        Json::Object(members) => {
            let is_said = |value: &Json| {
                !matches!(value, Json::Null | Json::Bool(false)) && *value != Json::Array(vec![])
            };
            let said = members.iter().filter(|(_, value)| is_said(value));
            let said: Vec<String> = said
                .map(|(key, value)| format!("{key} {}", shown(value)))
                .collect();
            said.join(" ")
        }
        Json::Bool(_) | Json::Number(_) => value.to_string(),
    }
}
