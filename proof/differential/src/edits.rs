//! What a designer does to a machine between two versions of it.

use statewright_author::graph::{Machine, Payload, StableId, State, Transition};
use statewright_author::span::{Name, Span, Spanned};
use statewright_author::value::{Duration, Tier, ValueType};
use statewright_generator::Rng;

/// Does something that a designer does; false if there is nothing to do it to.
pub type Edit = fn(&mut Machine, &mut Rng) -> bool;

/// Edits that leave states where they are, with what to call them.
pub const EDITS: [(&str, Edit); 22] = [
    ("priority", |machine, rng| {
        one_transition(machine, rng, |transition, rng| {
            transition.priority = Some(spanned(rng.below(16)));
        })
    }),
    ("order of transitions", |machine, rng| {
        one_state(machine, rng, |state, rng| swap(&mut state.transitions, rng))
    }),
    // Where something may wait in a latch: what it holds is a number.
    ("priority beside a latch", |machine, rng| {
        a_latching_state(machine, rng, |state, rng| {
            let place = rng.below(state.transitions.len() as u32) as usize;
            state.transitions[place].priority = Some(spanned(15));
            state.transitions.len() > 1
        })
    }),
    ("order beside a latch", |machine, rng| {
        a_latching_state(machine, rng, |state, rng| swap(&mut state.transitions, rng))
    }),
    ("without a transition", |machine, rng| {
        one_state(machine, rng, |state, rng| {
            remove(&mut state.transitions, rng)
        })
    }),
    ("latch", |machine, rng| {
        one_transition(machine, rng, |transition, _| {
            transition.latch = transition.latch.is_none().then(Span::default);
        })
    }),
    ("cooldown", |machine, rng| {
        one_transition(machine, rng, |transition, rng| {
            let ticks = Duration::Ticks(rng.between(1, 9).into());
            let is_there = transition.cooldown.is_some() && rng.chance(50);
            transition.cooldown = (!is_there).then(|| spanned(ticks.into()));
        })
    }),
    ("guard", |machine, rng| {
        one_transition(machine, rng, |transition, _| transition.guard = None)
    }),
    ("effect", |machine, rng| {
        one_transition(machine, rng, |transition, _| transition.effect.clear())
    }),
    ("order of variants", |machine, rng| {
        swap(&mut machine.variants, rng)
    }),
    ("without a variant", |machine, rng| {
        remove(&mut machine.variants, rng)
    }),
    ("order of events", |machine, rng| {
        swap(&mut machine.events, rng)
    }),
    ("payload", |machine, rng| {
        let count = machine.events.len() as u32;
        let kinds = [
            None,
            Some(Payload::U64),
            Some(Payload::Value(ValueType::F32)),
        ];
        let place = rng.below(count.max(1)) as usize;
        let kind = rng.one(&kinds);
        let event = machine.events.get_mut(place);
        event
            .map(|event| event.payload = kind.map(spanned))
            .is_some()
    }),
    ("tick rate", |machine, rng| {
        machine.tick_rate = Some(spanned(rng.between(1, 120)));
        true
    }),
    ("order of keys", |machine, rng| {
        swap(&mut machine.blackboard, rng)
    }),
    ("order of states", |machine, rng| {
        one_state(machine, rng, |state, rng| {
            let mut regions = state.regions.iter_mut();
            regions.any(|region| swap(&mut region.states, rng))
        })
    }),
    ("final", |machine, rng| {
        one_state(machine, rng, |state, _| {
            // A final state has nothing to do any more.
            let can_be = state.regions.is_empty() && state.choice.is_none();
            if can_be {
                state.transitions.clear();
                state.is_final = state.is_final.is_none().then(Span::default);
            }
            can_be
        })
    }),
    ("channels", |machine, rng| {
        one_state(machine, rng, |state, rng| remove(&mut state.owns, rng))
    }),
    ("order of channels", |machine, rng| {
        swap(&mut machine.channels, rng)
    }),
    ("history", |machine, rng| {
        one_state(machine, rng, |state, _| {
            let point = state.history.first_mut();
            point.map(|point| point.deep = !point.deep).is_some()
        })
    }),
    ("activity", |machine, rng| {
        one_state(machine, rng, |state, _| state.activity.take().is_some())
    }),
    ("another activity", |machine, rng| {
        let mut all = Vec::new();
        for_each_state(&mut machine.root, &mut |state| {
            all.extend(state.activity.clone())
        });
        one_state(machine, rng, |state, rng| {
            let other = rng.pick(&all).cloned();
            let is_there = state.activity.is_some() && state.activity != other;
            if is_there {
                state.activity = other;
            }
            is_there
        })
    }),
];

fn spanned<T>(value: T) -> Spanned<T> {
    Spanned::new(value, Span::default())
}

fn swap<T>(list: &mut [T], rng: &mut Rng) -> bool {
    let count = list.len() as u32;
    if count > 1 {
        let first = rng.below(count - 1) as usize;
        list.swap(first, first + 1);
    }
    count > 1
}

pub(crate) fn remove<T>(list: &mut Vec<T>, rng: &mut Rng) -> bool {
    let count = list.len() as u32;
    if count > 0 {
        list.remove(rng.below(count) as usize);
    }
    count > 0
}

/// Every state, the root first.
pub fn for_each_state(state: &mut State, visit: &mut dyn FnMut(&mut State)) {
    visit(state);
    for region in &mut state.regions {
        for child in &mut region.states {
            for_each_state(child, visit);
        }
    }
}

/// Some states in turn, until the edit found something to do.
fn one_state(
    machine: &mut Machine,
    rng: &mut Rng,
    mut edit: impl FnMut(&mut State, &mut Rng) -> bool,
) -> bool {
    let mut done = false;
    for_each_state(&mut machine.root, &mut |state| {
        if !done && rng.chance(40) {
            done = edit(state, rng);
        }
    });
    done
}

/// The first state in which something may wait and for which the edit has something to do.
fn a_latching_state(
    machine: &mut Machine,
    rng: &mut Rng,
    mut edit: impl FnMut(&mut State, &mut Rng) -> bool,
) -> bool {
    let mut done = false;
    for_each_state(&mut machine.root, &mut |state| {
        if !done && state.transitions.iter().any(|one| one.latch.is_some()) {
            done = edit(state, rng);
        }
    });
    done
}

fn one_transition(
    machine: &mut Machine,
    rng: &mut Rng,
    edit: impl Fn(&mut Transition, &mut Rng),
) -> bool {
    one_state(machine, rng, |state, rng| {
        let count = state.transitions.len() as u32;
        let place = rng.below(count.max(1)) as usize;
        let transition = state.transitions.get_mut(place);
        transition.map(|transition| edit(transition, rng)).is_some()
    })
}

/// Names by which this test knows transitions, whatever becomes of their numbers.
pub fn name_transitions(machine: &mut Machine) {
    let mut count = 0;
    for_each_state(&mut machine.root, &mut |state| {
        for transition in &mut state.transitions {
            count += 1;
            transition.name = Some(Name::new(format!("t{count}"), Span::default()));
        }
    });
}

/// Gives most things an id, so that it is known by that wherever it goes.
pub fn write_ids(machine: &mut Machine, rng: &mut Rng) {
    let mut next = 1_000;
    let mut give = |id: &mut StableId, rng: &mut Rng| {
        next += 1;
        if id.is_none() && rng.chance(60) {
            *id = Some(spanned(next));
        }
    };
    for_each_state(&mut machine.root, &mut |state| {
        give(&mut state.id, rng);
        for region in &mut state.regions {
            give(&mut region.id, rng);
        }
    });
    // The root has none of its own.
    machine.root.id = None;
}

/// Edits that need agents to be moved, with what to call them.
pub const MOVES: [(&str, Edit); 11] = [
    ("another state", |machine, rng| {
        let id = fresh(rng);
        one_inner_state(machine, rng, |state, _| {
            state.id = Some(spanned(id));
            true
        })
    }),
    ("another state among all alike", |machine, rng| {
        let id = fresh(rng);
        one_inner_state(machine, rng, |state, _| {
            let is_leaf = state.regions.is_empty() && state.choice.is_none();
            if is_leaf {
                state.id = Some(spanned(id));
            }
            is_leaf
        })
    }),
    ("another region", |machine, rng| {
        let id = fresh(rng);
        one_state(machine, rng, |state, rng| {
            let count = state.regions.len() as u32;
            let place = rng.below(count.max(1)) as usize;
            let region = state.regions.get_mut(place);
            region.map(|region| region.id = Some(spanned(id))).is_some()
        })
    }),
    ("another transition", |machine, rng| {
        let id = fresh(rng);
        one_transition(machine, rng, |transition, _| {
            transition.id = Some(spanned(id));
        })
    }),
    ("another event", |machine, rng| {
        let id = fresh(rng);
        let place = rng.below((machine.events.len() as u32).max(1)) as usize;
        let event = machine.events.get_mut(place);
        event.map(|event| event.id = Some(spanned(id))).is_some()
    }),
    ("another timer", |machine, rng| {
        let id = fresh(rng);
        one_state(machine, rng, |state, _| {
            let timer = state.timers.first_mut();
            timer.map(|timer| timer.id = Some(spanned(id))).is_some()
        })
    }),
    ("other scratch", |machine, rng| {
        one_state(machine, rng, |state, rng| {
            let scratch = state.scratch.first_mut();
            scratch
                .map(|scratch| scratch.id = Some(spanned(fresh(rng))))
                .is_some()
        })
    }),
    ("without a state", |machine, rng| {
        one_state(machine, rng, |state, rng| {
            let place = rng.below((state.regions.len() as u32).max(1)) as usize;
            let region = state.regions.get_mut(place);
            region.is_some_and(|region| remove(&mut region.states, rng))
        })
    }),
    ("one more state", |machine, rng| {
        one_state(machine, rng, |state, rng| {
            let name = format!("more{}", rng.below(1_000_000));
            let more = State {
                name: Name::new(name, Span::default()),
                ..State::default()
            };
            let place = rng.below((state.regions.len() as u32).max(1)) as usize;
            let region = state.regions.get_mut(place);
            let region = region.filter(|region| !region.states.is_empty());
            region.map(|region| region.states.insert(0, more)).is_some()
        })
    }),
    ("moved", |machine, rng| {
        let mut taken = None;
        one_state(machine, rng, |state, rng| {
            let place = rng.below((state.regions.len() as u32).max(1)) as usize;
            let region = state.regions.get_mut(place);
            taken = region
                .filter(|region| region.states.len() > 1)
                .and_then(|region| region.states.pop());
            taken.is_some()
        }) && one_state(machine, rng, |state, rng| {
            let place = rng.below((state.regions.len() as u32).max(1)) as usize;
            let region = state.regions.get_mut(place);
            region
                .map(|region| region.states.extend(taken.take()))
                .is_some()
        })
    }),
    ("tier", |machine, rng| {
        machine.tier = Some(spanned(rng.one(&[Tier::Crowd, Tier::Standard, Tier::Hero])));
        true
    }),
];

fn fresh(rng: &mut Rng) -> u64 {
    1_000_000 + u64::from(rng.below(1_000_000_000))
}

/// Some states below the root in turn, until the edit found something to do.
fn one_inner_state(
    machine: &mut Machine,
    rng: &mut Rng,
    mut edit: impl FnMut(&mut State, &mut Rng) -> bool,
) -> bool {
    let mut is_root = true;
    one_state(machine, rng, |state, rng| {
        let inner = !std::mem::replace(&mut is_root, false) || state.id.is_some();
        inner && edit(state, rng)
    })
}
