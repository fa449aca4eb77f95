//! What a designer does to a machine when it is built anew between two versions: regions, keys, variants
//! and stacks come and go, leaves get children. Each is there because agents in just that place go
//! another way (LOAD-2 to LOAD-6).

use statewright_author::graph::{
    Initial, Key, Machine, Region, StackOperation, State, Trigger, Variant,
};
use statewright_author::span::{Name, Span, Spanned};
use statewright_author::value::{Duration, ValueType};
use statewright_generator::Rng;

use crate::edits::{Edit, for_each_state, remove};

/// All of them, with what to call them.
pub const REWORKS: [(&str, Edit); 18] = [
    ("agents begin anew", |machine, rng| {
        // It would hide what becomes of all others.
        machine.policies.reload_resets = Some(spanned(true));
        rng.chance(15)
    }),
    ("regions as one", |machine, rng| {
        one_of(machine, rng, is_orthogonal, |state, _| {
            let mut regions = state.regions.drain(..);
            let Some(mut all) = regions.next() else {
                return false;
            };
            all.states.extend(regions.flat_map(|region| region.states));
            all.name = None;
            state.regions = vec![all];
            true
        })
    }),
    ("without a region", |machine, rng| {
        one_of(machine, rng, is_orthogonal, |state, rng| {
            let place = rng.below(state.regions.len() as u32) as usize;
            state.regions.remove(place);
            if let [only] = &mut state.regions[..] {
                only.name = None;
            }
            true
        })
    }),
    ("one more region", |machine, rng| {
        one_of(machine, rng, is_orthogonal, |state, rng| {
            let mut region = region_of(leaf(rng));
            region.name = Some(word("region", rng));
            let place = rng.below(state.regions.len() as u32 + 1) as usize;
            state.regions.insert(place, region);
            true
        })
    }),
    ("a leaf has children", |machine, rng| {
        one_of(machine, rng, is_plain_leaf, |state, rng| {
            state.regions = vec![region_of(leaf(rng))];
            true
        })
    }),
    ("a leaf ends something", |machine, rng| {
        one_of(machine, rng, is_plain_leaf, |state, _| {
            let is_kept = state.history.is_empty() && state.activity.is_none();
            state.transitions.clear();
            state.decisions.clear();
            state.uses.clear();
            state.is_final = Some(Span::default());
            is_kept
        })
    }),
    ("a final leaf goes on", |machine, rng| {
        let is_final = |state: &State| state.is_final.is_some();
        one_of(machine, rng, is_final, |state, _| {
            state.is_final = None;
            true
        })
    }),
    ("without a push", |machine, rng| {
        one_of(machine, rng, pushes, |state, _| {
            let mut pushes = state.transitions.iter_mut().filter(|one| is_push(one));
            let first = pushes.next();
            first.map(|one| one.stack = None).is_some()
        })
    }),
    ("without pushes", |machine, _| {
        let mut found = false;
        for_each_state(&mut machine.root, &mut |state| {
            for one in state.transitions.iter_mut().filter(|one| is_push(one)) {
                one.stack = None;
                found = true;
            }
        });
        found
    }),
    ("a smaller stack", |machine, rng| {
        let has_stack = |state: &State| {
            state
                .regions
                .iter()
                .any(|region| region.stack_depth.is_some())
        };
        one_of(machine, rng, has_stack, |state, _| {
            let depths = state.regions.iter_mut();
            let deep = depths.filter_map(|region| region.stack_depth.as_mut());
            let mut deep = deep.filter(|depth| depth.value > 1);
            deep.next().map(|depth| depth.value -= 1).is_some()
        })
    }),
    // What waits is a number: it moves if there are fewer before it.
    ("fewer transitions before a latch", |machine, _| {
        let mut latches = 0;
        for_each_state(&mut machine.root, &mut |state| {
            latches += state
                .transitions
                .iter()
                .filter(|one| one.latch.is_some())
                .count();
        });
        let mut found = false;
        for_each_state(&mut machine.root, &mut |state| {
            let is_free = state.transitions.iter().all(|one| one.latch.is_none());
            if latches > 0 && !found && is_free && !state.transitions.is_empty() {
                state.transitions.remove(0);
                found = true;
            }
        });
        found
    }),
    ("scratch of the root has another size", |machine, _| {
        let scratch = machine.root.scratch.iter_mut();
        let mut scratch = scratch.filter(|one| one.ty.is_none());
        let first = scratch.next();
        first.map(|one| one.slots.value += 1).is_some()
    }),
    ("more scratch of the root", |machine, rng| {
        let other = machine.root.scratch.first().cloned();
        let more = other.map(|other| statewright_author::graph::Scratch {
            name: word("scratch", rng),
            id: None,
            ..other
        });
        more.map(|more| machine.root.scratch.insert(0, more))
            .is_some()
    }),
    ("other durations", |machine, rng| {
        let mut found = false;
        for_each_state(&mut machine.root, &mut |state| {
            for one in &mut state.transitions {
                if let Trigger::After(time) | Trigger::Every(time) = &mut one.trigger {
                    time.value = Duration::Ticks(rng.between(2, 40).into()).into();
                    found = true;
                }
            }
        });
        found
    }),
    ("without a key", |machine, rng| {
        remove(&mut machine.blackboard, rng)
    }),
    ("one more key", |machine, rng| {
        let key = Key {
            name: word("key", rng),
            ty: spanned(rng.one(&[ValueType::Bool, ValueType::I32, ValueType::Vec2])),
            host: true,
            doc: None,
            default: None,
            meta: Default::default(),
        };
        machine.blackboard.insert(0, key);
        true
    }),
    ("another type of key", |machine, rng| {
        let count = machine.blackboard.len() as u32;
        let key = machine.blackboard.get_mut(rng.below(count.max(1)) as usize);
        key.map(|key| {
            key.ty = spanned(rng.one(&[ValueType::Bool, ValueType::I32, ValueType::F32]));
            key.default = None;
        })
        .is_some()
    }),
    ("one more variant", |machine, rng| {
        let variant = Variant {
            name: word("variant", rng),
            doc: None,
            values: Vec::new(),
        };
        machine.variants.insert(0, variant);
        !machine.parameters.is_empty()
    }),
];

fn is_orthogonal(state: &State) -> bool {
    state.regions.len() > 1
}

fn is_plain_leaf(state: &State) -> bool {
    state.regions.is_empty()
        && state.choice.is_none()
        && state.is_final.is_none()
        && state.part.is_none()
}

fn is_push(transition: &statewright_author::graph::Transition) -> bool {
    let stack = transition.stack.as_ref();
    stack.is_some_and(|stack| stack.value == StackOperation::Push)
}

fn pushes(state: &State) -> bool {
    state.transitions.iter().any(is_push)
}

fn spanned<T>(value: T) -> Spanned<T> {
    Spanned::new(value, Span::default())
}

fn word(what: &str, rng: &mut Rng) -> Name {
    Name::new(format!("{what}{}", rng.below(1_000_000)), Span::default())
}

fn leaf(rng: &mut Rng) -> State {
    State {
        name: word("leaf", rng),
        ..State::default()
    }
}

/// A region with one state, in which it begins.
fn region_of(state: State) -> Region {
    Region {
        initial: Some(Initial {
            targets: vec![state.name.clone()],
            ..Initial::default()
        }),
        states: vec![state],
        ..Region::default()
    }
}

/// One of the states that are so.
fn one_of(
    machine: &mut Machine,
    rng: &mut Rng,
    is_so: fn(&State) -> bool,
    edit: impl Fn(&mut State, &mut Rng) -> bool,
) -> bool {
    let mut count = 0;
    for_each_state(&mut machine.root, &mut |state| {
        count += u32::from(is_so(state))
    });
    if count == 0 {
        return false;
    }
    let (chosen, mut number, mut done) = (rng.below(count), 0, false);
    for_each_state(&mut machine.root, &mut |state| {
        if is_so(state) {
            number += 1;
            if number == chosen + 1 {
                done = edit(state, rng);
            }
        }
    });
    done
}
