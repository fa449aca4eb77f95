//! Transitions of each state with all sugar expanded (CODE-8), resolved by the rules
//! alone.

use statewright_author::duration::DurationSource;
use statewright_author::graph::{
    Decision, DecisionBranch, StackOperation, StateKind, Transition, TransitionKind, Trigger,
};
use statewright_author::span::Spanned;
use statewright_author::value::ParameterType;

use super::tree::{Target, Tree};

/// A transition of one state.
pub struct Move {
    pub source: usize,
    pub authored: Transition,
    /// In the order of the tree.
    pub targets: Vec<Target>,
    pub kind: TransitionKind,
    /// The region whose stack it uses.
    pub stack: Option<(StackOperation, usize)>,
    /// Place among the transitions of the state as declared.
    pub declared: usize,
    /// Another event of its list stands before it (LANG-1).
    pub listed: bool,
}

impl Move {
    pub fn priority(&self) -> u32 {
        self.authored
            .priority
            .as_ref()
            .map_or(0, |priority| priority.value)
    }
}

/// Transitions of all states, each list in the order of selection (SEL-3).
pub fn moves(tree: &Tree<'_>) -> Vec<Vec<Move>> {
    (0..tree.states.len())
        .map(|state| of_state(tree, state))
        .collect()
}

fn of_state(tree: &Tree<'_>, source: usize) -> Vec<Move> {
    if matches!(tree.kind(source), StateKind::Final | StateKind::Choice) {
        return Vec::new();
    }
    let written = written(tree, source);
    let live = written
        .into_iter()
        .filter(|(transition, _)| !transition.muted);
    let single = live.flat_map(|(transition, scope)| {
        let events = one_per_event(transition).into_iter().enumerate();
        events.map(move |(place, transition)| (transition, scope, place > 0))
    });
    let mut moves: Vec<Move> = single
        .enumerate()
        .map(|(number, (transition, scope, listed))| Move {
            listed,
            ..resolve(tree, source, scope, transition, number)
        })
        .collect();
    moves.sort_by_key(|m| (15 - m.priority(), m.declared));
    moves
}

/// LANG-1: one transition per event, in the order of the list.
fn one_per_event(transition: Transition) -> Vec<Transition> {
    let Trigger::Events(events) = &transition.trigger else {
        return vec![transition];
    };
    let of_event = |event: &statewright_author::span::Name| Transition {
        trigger: Trigger::Event(event.clone()),
        ..transition.clone()
    };
    events.value.iter().map(of_event).collect()
}

/// What a state has, in order, each with the state from which its targets are named: its own,
/// decisions, sets, and what the state around it gives to all its children.
fn written(tree: &Tree<'_>, source: usize) -> Vec<(Transition, usize)> {
    let state = tree.states[source].authored;
    let mut list: Vec<(Transition, usize)> = state
        .transitions
        .iter()
        .map(|t| (t.clone(), source))
        .collect();
    for decision in state.decisions.iter().filter(|decision| !decision.muted) {
        let guard = &decision.guard.value;
        let then = decision.then.iter().map(|to| (to, guard.clone()));
        let otherwise = decision.otherwise.iter();
        let otherwise = otherwise.map(|to| (to, format!("!({guard})")));
        let ways = then.chain(otherwise);
        list.extend(ways.map(|(to, guard)| (way(tree, source, decision, to, guard), source)));
    }
    let mut sets: Vec<&str> = Vec::new();
    for name in &state.uses {
        reach(tree, &name.value, &mut sets);
    }
    for name in sets {
        let mut all = tree.machine.transition_sets.iter();
        let set = all.find(|set| set.name.value == name);
        let transitions = set.into_iter().flat_map(|set| &set.transitions);
        list.extend(transitions.map(|t| (t.clone(), source)));
    }
    if let Some(parent) = tree.states[source].parent {
        for any in &tree.states[parent].authored.any_state {
            let names = |list: &[statewright_author::span::Name]| tree.is_listed(source, list);
            if (any.include.is_empty() || names(&any.include)) && !names(&any.exclude) {
                list.push((any.transition.clone(), parent));
            }
        }
    }
    list
}

/// One way of a decision; to its own state without `reenter` it stays (LANG-13).
fn way(
    tree: &Tree<'_>,
    source: usize,
    decision: &Decision,
    to: &DecisionBranch,
    guard: String,
) -> Transition {
    let stays =
        to.reenter.is_none() && tree.find(source, &to.target.value) == Target::State(source);
    let external = to
        .reenter
        .map(|span| Spanned::new(TransitionKind::External, span));
    let moving = Transition {
        trigger: decision.trigger.clone(),
        guard: Some(Spanned::new(guard, Default::default())),
        priority: decision.priority.clone(),
        kind: external,
        stay: stays.then_some(to.target.span),
        ..Transition::default()
    };
    match stays {
        true => moving,
        false => Transition {
            targets: vec![to.target.clone()],
            effect: decision.effect.clone(),
            ..moving
        },
    }
}

/// A set, then the sets that it uses, each where it is reached first (LANG-14).
fn reach<'t>(tree: &Tree<'t>, name: &'t str, reached: &mut Vec<&'t str>) {
    if reached.contains(&name) {
        return;
    }
    reached.push(name);
    let sets = tree.machine.transition_sets.iter();
    for set in sets.filter(|set| set.name.value == name) {
        for used in &set.uses {
            reach(tree, &used.value, reached);
        }
    }
}

fn resolve(
    tree: &Tree<'_>,
    source: usize,
    scope: usize,
    authored: Transition,
    declared: usize,
) -> Move {
    let mut targets: Vec<Target> = authored
        .targets
        .iter()
        .map(|name| tree.find(scope, &name.value))
        .collect();
    targets.extend(authored.sync.iter().map(|(region, target)| {
        let own = tree.states[source].regions.iter().find(|&&r| {
            let name = tree.regions[r].authored.name.as_ref();
            name.is_some_and(|name| name.value == region.value)
        });
        tree.find_in_region(*own.expect("a region"), &target.value)
    }));
    let targets = tree.in_order(targets);
    let stack = authored
        .stack
        .as_ref()
        .map(|stack| (stack.value, stack_region(tree, source, &targets)));
    let kind = authored.kind.as_ref().map_or_else(
        || kind(tree, source, &targets, &authored),
        |kind| kind.value,
    );
    Move {
        source,
        authored,
        targets,
        kind,
        stack,
        declared,
        listed: false,
    }
}

/// EXEC-2: local if the targets lie inside the source, else external; without any, internal.
fn kind(
    tree: &Tree<'_>,
    source: usize,
    targets: &[Target],
    authored: &Transition,
) -> TransitionKind {
    let pops = matches!(&authored.stack, Some(stack) if stack.value == StackOperation::Pop);
    let inside = |&target: &Target| match target {
        Target::State(state) => tree.is_strictly_inside(state, source),
        // A history point of the source stands inside it, like a child.
        Target::Point(point) => tree.states[source]
            .inside
            .contains(&tree.points[point].owner),
    };
    match targets {
        [] if !pops => TransitionKind::Internal,
        [] => TransitionKind::External,
        targets if targets.iter().all(inside) => TransitionKind::Local,
        _ => TransitionKind::External,
    }
}

/// EXEC-8: the region in which source and target of a push lie; for a pop the nearest one with a
/// stack.
fn stack_region(tree: &Tree<'_>, source: usize, targets: &[Target]) -> usize {
    let way = tree.up(source);
    let has_stack = |&region: &usize| tree.regions[region].authored.stack_depth.is_some();
    let regions = way.iter().filter_map(|&at| tree.states[at].region);
    match targets {
        [] => regions
            .into_iter()
            .find(has_stack)
            .expect("a pop inside a region with a stack"),
        targets => {
            let inside = |region: &usize| {
                let owner = tree.regions[*region].owner;
                targets
                    .iter()
                    .all(|&t| tree.region_towards(owner, tree.anchor(t)) == Some(*region))
            };
            regions
                .into_iter()
                .find(inside)
                .expect("a push inside one region")
        }
    }
}

/// The columns of the dispatch rows: events, firing timers in order, one for what needs no event.
pub struct Columns {
    events: usize,
    /// In order.
    timers: Vec<Firing>,
}

/// A timer that fires.
#[derive(Clone, Debug, PartialEq)]
pub enum Firing {
    /// Owner (`None` = the machine) and name.
    Named(Option<usize>, String),
    /// Owner of an `after`, and what it waits for; equal ones share a timer.
    After(usize, Waits),
    /// The same of an `every`.
    Every(usize, Waits),
}

/// What an `after` or `every` waits for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Waits {
    /// So many ticks.
    Ticks(u32),
    /// A parameter that is a duration.
    Parameter(String),
    /// What is drawn or computed: its own, by its place among the transitions of the state.
    Own(usize),
}

/// The timer of an `after` or `every`.
pub fn entry_timer(tree: &Tree<'_>, transition: &Move) -> Option<Firing> {
    let waits = |duration: &DurationSource| match duration {
        DurationSource::Literal(time) => {
            Waits::Ticks(time.ticks(tree.tick_rate()).expect("a legal duration"))
        }
        DurationSource::Code(code) if is_duration(tree, code) => Waits::Parameter(code.clone()),
        DurationSource::Code(_) | DurationSource::Range(..) => Waits::Own(transition.declared),
    };
    match &transition.authored.trigger {
        Trigger::After(time) => Some(Firing::After(transition.source, waits(&time.value))),
        Trigger::Every(time) => Some(Firing::Every(transition.source, waits(&time.value))),
        _ => None,
    }
}

/// Is a text the name of a parameter that is a duration?
pub fn is_duration(tree: &Tree<'_>, code: &str) -> bool {
    let parameters = &tree.machine.parameters;
    parameters
        .iter()
        .any(|one| one.name.value == code && one.ty.value == ParameterType::Duration)
}

impl Columns {
    pub fn new(tree: &Tree<'_>, moves: &[Vec<Move>]) -> Self {
        let mut timers: Vec<Firing> = tree
            .machine
            .timers
            .iter()
            .map(|timer| Firing::Named(None, timer.name.value.clone()))
            .collect();
        for (state, own) in moves.iter().enumerate() {
            let named = tree.states[state].authored.timers.iter();
            timers.extend(named.map(|timer| Firing::Named(Some(state), timer.name.value.clone())));
            let mut on_entry: Vec<(usize, Firing)> = own
                .iter()
                .filter_map(|m| entry_timer(tree, m).map(|firing| (m.declared, firing)))
                .collect();
            on_entry.sort_by_key(|(declared, _)| *declared);
            for (_, firing) in on_entry {
                if !timers.contains(&firing) {
                    timers.push(firing);
                }
            }
        }
        Self {
            events: tree.machine.events.len(),
            timers,
        }
    }

    pub fn timers(&self) -> &[Firing] {
        &self.timers
    }

    pub fn count(&self) -> usize {
        self.events + self.timers.len() + 1
    }

    /// Columns that a transition reacts to.
    pub fn of(&self, tree: &Tree<'_>, transition: &Move) -> Vec<usize> {
        let timer = |wanted: Firing| {
            self.events
                + self
                    .timers
                    .iter()
                    .position(|timer| *timer == wanted)
                    .expect("a timer that fires")
        };
        match &transition.authored.trigger {
            Trigger::Event(name) => vec![tree.event(&name.value)],
            Trigger::Events(_) => unreachable!("one transition per event"),
            Trigger::Any(_) => (0..self.events).collect(),
            Trigger::After(_) | Trigger::Every(_) => {
                vec![timer(entry_timer(tree, transition).expect("one on entry"))]
            }
            Trigger::Timer(name) => {
                let (owner, _) = tree.timer(transition.source, &name.value);
                vec![timer(Firing::Named(owner, name.value.clone()))]
            }
            Trigger::Always(_) | Trigger::Done(_) | Trigger::Failed(_) => vec![self.count() - 1],
        }
    }
}
