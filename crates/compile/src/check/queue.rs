//! What one microstep can raise and post at most, held against the room in the queue (LANG-9).
//!
//! Counted is what the file says: `raise` and `send` to the agent itself in exits, effects and
//! entries. What user functions post is not known here. Transitions of different regions that are
//! taken together count together, like this (one event, `a` and `b` are regions of `s`):
//!
//! ```text
//! s: the larger of  its own transition,  and  the largest of region a + the largest of region b
//! ```

use std::collections::{BTreeMap, BTreeSet};

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::{Diagnostic, Diagnostics};
use statewright_author::value::Class;
use statewright_describe::{OpBranches, op_branches};
use statewright_rom::ids::TransitionId;
use statewright_rom::layout::{ActionOp, OpRecord, TIERS};

use super::Planned;
use crate::actions::own_post;
use crate::allocate::tier_name;
use crate::index::{
    ActionListIndex, EventIndex, Index, IndexVec, RegionIndex, StateIndex, TransitionIndex,
};
use crate::model::{Entry, Model, Trigger};
use crate::tree::Target;

/// Choices in a row that are followed; behind them nothing is counted.
const MOST_CHOICES: usize = 8;

/// How often each event is posted. A coalescing event takes one place, however often it is posted.
type Posts = BTreeMap<EventIndex, u32>;

/// Warns of the microstep that posts most, if the queue has no room for it.
pub fn check(planned: &Planned<'_, '_>, tier: usize, diagnostics: &mut Diagnostics) {
    let queue = Queue::new(planned, tier);
    // Most machines post less in all their code together than their queue holds.
    if queue.fits(&queue.everything()) {
        return;
    }
    let start = queue.entered_by_default();
    if !queue.fits(&start) {
        diagnostics.push(queue.problem(planned, None, &start));
    }
    let worst = queue.worst(planned);
    if let Some((first, posts)) = worst.filter(|(_, posts)| !queue.fits(posts)) {
        diagnostics.push(queue.problem(planned, Some(first), &posts));
    }
}

/// What a microstep is for. All eventless transitions that are enabled go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Occasion {
    Trigger(Trigger),
    Eventless,
}

/// A transition and what it posts.
struct Step {
    transition: TransitionIndex,
    posts: Posts,
    scope: Scope,
}

/// What a transition has for itself: no other one can be taken there in the same microstep.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Scope {
    State(StateIndex),
    Region(RegionIndex),
}

struct Queue<'p, 'a> {
    model: &'p Model<'a>,
    tier: usize,
    /// A push can suspend instead of leaving, a pop resume instead of entering.
    has_stack: bool,
    /// Most that entering a region by default posts.
    default: IndexVec<RegionIndex, Posts>,
    /// Most that entering anything in a region posts: what history may bring back.
    any: IndexVec<RegionIndex, Posts>,
    /// Most that leaving a region posts.
    leaving: IndexVec<RegionIndex, Posts>,
}

impl<'p, 'a> Queue<'p, 'a> {
    fn new(planned: &'p Planned<'p, 'a>, tier: usize) -> Self {
        let model = planned.model;
        let regions = &model.tree.regions;
        let mut queue = Self {
            model,
            tier,
            has_stack: model.transitions.iter().any(|t| t.stack.is_some()),
            default: IndexVec::filled(Posts::new(), regions),
            any: IndexVec::filled(Posts::new(), regions),
            leaving: IndexVec::filled(Posts::new(), regions),
        };
        if queue.fits(&queue.everything()) {
            return queue;
        }
        // What is inside has higher numbers.
        for region in regions.indices().rev() {
            let children = regions[region].children.iter();
            let within = |state: StateIndex, of: &IndexVec<RegionIndex, Posts>, own: Posts| {
                let inner = model.tree.states[state].regions.clone();
                inner.fold(own, |posts, region| queue.sum(posts, &of[region]))
            };
            let left = children
                .clone()
                .map(|&child| within(child, &queue.leaving, queue.exit(child)));
            let entered = children.map(|&child| within(child, &queue.any, queue.entry(child)));
            let (left, entered) = (queue.largest(left), queue.largest(entered));
            queue.leaving[region] = left;
            queue.any[region] = entered;
            let owner = regions[region].owner;
            queue.default[region] = queue.by_entry(owner, &model.initials[region], 0);
        }
        queue
    }

    /// All that the code of the machine posts.
    fn everything(&self) -> Posts {
        let model = self.model;
        let states = model.resolved.iter();
        let of_states = states.flat_map(|s| [s.entry, s.exit, s.suspend, s.resume]);
        let transitions = model.transitions.iter().map(|t| t.effect);
        let branches = model.branches.iter().map(|branch| branch.entry.effect);
        let initials = model.initials.iter().map(|entry| entry.effect);
        let defaults = model.history_defaults.iter().map(|entry| entry.effect);
        let observers = model.observers.iter().map(|observer| observer.actions);
        let ways = branches.chain(initials).chain(defaults).chain(observers);
        let lists = of_states.chain(transitions).chain(ways).flatten();
        lists.fold(Posts::new(), |posts, list| {
            self.sum(posts, &self.posts(Some(list)))
        })
    }

    /// Whether the queue of the tier has room (EVT-3): one place is for urgent events.
    fn fits(&self, posts: &Posts) -> bool {
        let places = u32::from(TIERS[self.tier].events);
        let (ordinary, all) = self.size(posts);
        ordinary <= self.ordinary_room() && all <= places
    }

    /// Places for events of the classes low and normal.
    fn ordinary_room(&self) -> u32 {
        match u32::from(TIERS[self.tier].events) {
            1 => 1,
            places => places - 1,
        }
    }

    /// Events of the classes low and normal, and all.
    fn size(&self, posts: &Posts) -> (u32, u32) {
        let urgent = |event: EventIndex| {
            let class = self.model.machine.events[event.position()].class.as_ref();
            class.is_some_and(|class| match class.value {
                Class::Low | Class::Normal => false,
                Class::Interrupt | Class::Critical => true,
            })
        };
        let all = posts.values().sum();
        let ordinary = posts.iter().filter(|(event, _)| !urgent(**event));
        (ordinary.map(|(_, count)| count).sum(), all)
    }

    fn sum(&self, mut posts: Posts, more: &Posts) -> Posts {
        for (&event, &count) in more {
            let own = posts.entry(event).or_default();
            *own = own.saturating_add(count);
            if self.model.machine.events[event.position()].coalesce {
                *own = 1;
            }
        }
        posts
    }

    fn largest(&self, all: impl Iterator<Item = Posts>) -> Posts {
        let all = all.max_by_key(|posts| {
            let (ordinary, all) = self.size(posts);
            (all, ordinary)
        });
        all.unwrap_or_default()
    }

    /// Most that a list posts.
    fn posts(&self, list: Option<ActionListIndex>) -> Posts {
        let ops = list.map_or(&[][..], |list| self.model.actions.actions_of(list));
        self.of_ops(ops)
    }

    /// Most that some actions post: of the two lists of an `if` the one that posts more.
    fn of_ops(&self, ops: &[OpRecord]) -> Posts {
        let mut posts = Posts::new();
        let mut at = 0;
        while let Some(op) = ops.get(at) {
            if op.kind == ActionOp::Unless {
                let OpBranches { then, otherwise } = op_branches(ops, at);
                at = otherwise.end;
                let both = [then, otherwise].map(|branch| self.of_ops(&ops[branch]));
                posts = self.sum(posts, &self.largest(both.into_iter()));
                continue;
            }
            if let Some(event) = own_post(op) {
                posts = self.sum(posts, &Posts::from([(event, 1)]));
            }
            at += 1;
        }
        posts
    }

    fn entry(&self, state: StateIndex) -> Posts {
        let resolved = &self.model.resolved[state];
        let resume = resolved.resume.filter(|_| self.has_stack);
        let lists = [resolved.entry, resume];
        self.largest(lists.into_iter().map(|list| self.posts(list)))
    }

    fn exit(&self, state: StateIndex) -> Posts {
        let resolved = &self.model.resolved[state];
        let suspend = resolved.suspend.filter(|_| self.has_stack);
        let lists = [resolved.exit, suspend];
        self.largest(lists.into_iter().map(|list| self.posts(list)))
    }

    /// Most that the start of the machine posts.
    fn entered_by_default(&self) -> Posts {
        let root = self.entry(StateIndex::ROOT);
        let regions = self.model.tree.states[StateIndex::ROOT].regions.clone();
        regions.fold(root, |posts, region| self.sum(posts, &self.default[region]))
    }

    fn by_entry(&self, domain: StateIndex, entry: &Entry, choices: usize) -> Posts {
        let effect = self.posts(entry.effect);
        self.sum(effect, &self.entered(domain, &entry.targets, choices))
    }

    /// Most that entering targets posts, below the state that stays.
    fn entered(&self, domain: StateIndex, targets: &[Target], choices: usize) -> Posts {
        let tree = &self.model.tree;
        let is_choice = |target: &Target| match *target {
            Target::State(state) => !self.model.resolved[state].branches.is_empty(),
            Target::History(_) => false,
        };
        if let Some(at) = targets.iter().position(is_choice) {
            return match choices < MOST_CHOICES {
                true => self.chosen(domain, targets, at, choices + 1),
                false => Posts::new(),
            };
        }
        let mut entered: BTreeSet<StateIndex> = BTreeSet::new();
        let mut restored: BTreeSet<StateIndex> = BTreeSet::new();
        let mut posts = Posts::new();
        for &target in targets {
            let anchor = tree.anchor(target);
            if let Target::History(history) = target {
                restored.insert(anchor);
                let default = &self.model.history_defaults[history];
                posts = self.sum(posts, &self.posts(default.effect));
            }
            let way = std::iter::once(anchor).chain(tree.ancestors(anchor));
            entered.extend(way.take_while(|&state| tree.is_inside(state, domain)));
        }
        for &state in &entered {
            posts = self.sum(posts, &self.entry(state));
            for region in tree.states[state].regions.clone() {
                let is_named = |child: &StateIndex| entered.contains(child);
                if !tree.regions[region].children.iter().any(is_named) {
                    let all = if restored.contains(&state) {
                        &self.any
                    } else {
                        &self.default
                    };
                    posts = self.sum(posts, &all[region]);
                }
            }
        }
        posts
    }

    /// The same where one of the targets is a choice: of its branches the one that posts most.
    fn chosen(&self, domain: StateIndex, targets: &[Target], at: usize, choices: usize) -> Posts {
        let choice = self.model.tree.anchor(targets[at]);
        let branches = &self.model.branches[self.model.resolved[choice].branches.clone()];
        let posts = branches.iter().map(|branch| {
            let others = targets.iter().enumerate().filter(|(place, _)| *place != at);
            let others = others.map(|(_, &target)| target);
            let targets: Vec<Target> = others.chain(branch.entry.targets.iter().copied()).collect();
            let effect = self.posts(branch.entry.effect);
            self.sum(effect, &self.entered(domain, &targets, choices))
        });
        self.largest(posts)
    }

    /// Most that leaving some regions of a state posts while `source` is active.
    fn left(&self, domain: StateIndex, source: StateIndex, regions: u8) -> Posts {
        let tree = &self.model.tree;
        let own = tree.states[domain].regions.clone();
        let mut posts = Posts::new();
        let is_left = |place: usize| place < 8 && regions >> place & 1 != 0;
        for (_, region) in own.enumerate().filter(|(place, _)| is_left(*place)) {
            posts = self.sum(posts, &self.left_in(region, source));
        }
        posts
    }

    /// The same for one region.
    fn left_in(&self, region: RegionIndex, source: StateIndex) -> Posts {
        let tree = &self.model.tree;
        let towards = |&child: &StateIndex| tree.contains(child, source);
        let Some(&child) = tree.regions[region]
            .children
            .iter()
            .find(|child| towards(child))
        else {
            return self.leaving[region].clone();
        };
        let inner = tree.states[child].regions.clone();
        inner.fold(self.exit(child), |posts, region| {
            self.sum(posts, &self.left_in(region, source))
        })
    }

    /// All transitions that post something, by what they are for.
    fn steps(&self, planned: &Planned<'_, '_>) -> BTreeMap<Occasion, Vec<Step>> {
        let mut steps: BTreeMap<Occasion, Vec<Step>> = BTreeMap::new();
        for (id, &transition) in planned.order.enumerate() {
            let step = self.step(planned, id, transition);
            if step.posts.is_empty() {
                continue;
            }
            let occasion = match self.model.transitions[transition].trigger {
                trigger if trigger.is_eventless() => Occasion::Eventless,
                trigger => Occasion::Trigger(trigger),
            };
            steps.entry(occasion).or_default().push(step);
        }
        steps
    }

    fn step(
        &self,
        planned: &Planned<'_, '_>,
        id: TransitionId,
        transition: TransitionIndex,
    ) -> Step {
        let model = &self.model.transitions[transition];
        let (domain, regions) = (planned.domain(id), planned.plan(id).regions);
        let left = self.left(domain, model.source, regions);
        let posts = self.sum(left, &self.posts(model.effect));
        let posts = self.sum(posts, &self.entered(domain, &model.targets, 0));
        let mut own = self.model.tree.states[domain].regions.clone();
        let scope = match (
            regions.count_ones(),
            own.nth(regions.trailing_zeros() as usize),
        ) {
            (1, Some(region)) => Scope::Region(region),
            _ => Scope::State(domain),
        };
        Step {
            transition,
            posts,
            scope,
        }
    }

    /// The microstep that posts most, with one of its transitions.
    fn worst(&self, planned: &Planned<'_, '_>) -> Option<(TransitionIndex, Posts)> {
        let steps = self.steps(planned);
        let any = steps.get(&Occasion::Trigger(Trigger::Any));
        let any = any.map_or(&[][..], Vec::as_slice);
        let found = steps.iter().filter_map(|(occasion, own)| {
            let event = match occasion {
                Occasion::Trigger(trigger) => trigger.event(),
                Occasion::Eventless => None,
            };
            let all = own.iter().chain(any.iter().filter(|_| event.is_some()));
            let (first, posts) = self.together(all.collect())?;
            Some((first, self.sum(posts, &self.observed(event))))
        });
        found.max_by_key(|(_, posts)| {
            let (ordinary, all) = self.size(posts);
            (all, ordinary)
        })
    }

    /// What observers of an event post, which run in the same step (EVT-8).
    fn observed(&self, event: Option<EventIndex>) -> Posts {
        let observers = self.model.observers.iter();
        let of_event = observers.filter(|one| one.event.is_none() || one.event == event);
        let lists = of_event.filter(|_| event.is_some()).map(|one| one.actions);
        lists.fold(Posts::new(), |posts, list| {
            self.sum(posts, &self.posts(list))
        })
    }

    /// The most that transitions for one occasion post together, with the largest of them.
    fn together(&self, steps: Vec<&Step>) -> Option<(TransitionIndex, Posts)> {
        let largest = self.largest(steps.iter().map(|step| step.posts.clone()));
        let first = steps.iter().find(|step| step.posts == largest)?.transition;
        // Few are so many that it matters which of them exclude each other.
        let all = steps
            .iter()
            .fold(Posts::new(), |all, step| self.sum(all, &step.posts));
        if self.fits(&all) {
            return Some((first, all));
        }
        let mut own: BTreeMap<Scope, Posts> = BTreeMap::new();
        for step in steps {
            let most = own.remove(&step.scope).unwrap_or_default();
            own.insert(
                step.scope,
                self.largest([most, step.posts.clone()].into_iter()),
            );
        }
        let of = |scope: Scope| own.get(&scope).cloned().unwrap_or_default();
        let tree = &self.model.tree;
        let mut in_region: IndexVec<RegionIndex, Posts> =
            IndexVec::filled(Posts::new(), &tree.regions);
        let mut most = Posts::new();
        // What is inside has higher numbers.
        for state in tree.states.indices().rev() {
            let inner = tree.states[state].regions.clone();
            let inside = inner.fold(Posts::new(), |posts, region| {
                let both = [of(Scope::Region(region)), in_region[region].clone()];
                self.sum(posts, &self.largest(both.into_iter()))
            });
            most = self.largest([of(Scope::State(state)), inside].into_iter());
            if let Some(region) = tree.states[state].region {
                let known = std::mem::take(&mut in_region[region]);
                in_region[region] = self.largest([known, most.clone()].into_iter());
            }
        }
        Some((first, most))
    }

    fn problem(
        &self,
        planned: &Planned<'_, '_>,
        transition: Option<TransitionIndex>,
        posts: &Posts,
    ) -> Diagnostic {
        let (ordinary, all) = self.size(posts);
        let places = u32::from(TIERS[self.tier].events);
        let tier = tier_name(self.tier);
        let (count, room, what) = match all > places {
            true => (all, places, ""),
            false => (ordinary, self.ordinary_room(), " of class low or normal"),
        };
        let events = if count == 1 { "event" } else { "events" };
        let who = match transition {
            Some(_) => "one step from here",
            None => "the start of the machine",
        };
        let text = format!(
            "{who} can post {count} {events}{what}, but the queue of tier {tier} has room for {room}"
        );
        let span = match transition {
            Some(transition) => self.model.transitions[transition].span(),
            None => planned.model.machine.name.span,
        };
        let names: Vec<String> = posts
            .iter()
            .map(|(event, count)| {
                let name = &self.model.machine.events[event.position()].name.value;
                match count {
                    1 => format!("`{name}`"),
                    count => format!("`{name}` {count} times"),
                }
            })
            .collect();
        Diagnostic::new(DiagnosticCode::QueueTooSmall, span, text)
            .label("the rest would be dropped")
            .note(format!("exits, effects and entries of all regions together: {}", names.join(", ")))
            .help("post fewer, give events that replace each other `\"coalesce\": true`, or use a larger tier")
    }
}
