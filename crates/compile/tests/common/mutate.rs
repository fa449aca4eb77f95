//! Small changes to the JSON of a machine: what an author might write by mistake.

use serde_json::Value;
use statewright_author::graph::{
    Machine, StackOperation, State, Transition, TransitionKind, Trigger,
};
use statewright_author::span::{Name, Span, Spanned};
use statewright_generator::Rng;

use super::tree::{Target, Tree};

/// Changes a value in one to three places.
pub fn mutate(rng: &mut Rng, value: &mut Value) {
    let mut texts = Vec::new();
    collect(value, &mut texts);
    for _ in 0..rng.between(1, 3) {
        let mut left = rng.below(size(value));
        change(rng, value, &mut left, &texts);
    }
}

/// All texts: names, keys, code.
fn collect(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
        Value::Object(map) => map.iter().for_each(|(key, inner)| {
            texts.push(key.clone());
            collect(inner, texts);
        }),
        _ => {}
    }
}

fn size(value: &Value) -> u32 {
    1 + match value {
        Value::Array(items) => items.iter().map(size).sum(),
        Value::Object(map) => map.values().map(size).sum(),
        _ => 0,
    }
}

/// Changes the value that comes after so many others.
fn change(rng: &mut Rng, value: &mut Value, left: &mut u32, texts: &[String]) {
    if *left == 0 {
        replace(rng, value, texts);
    }
    *left = left.wrapping_sub(1);
    match value {
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| change(rng, item, left, texts)),
        Value::Object(map) => map
            .values_mut()
            .for_each(|inner| change(rng, inner, left, texts)),
        _ => {}
    }
}

fn replace(rng: &mut Rng, value: &mut Value, texts: &[String]) {
    match value {
        Value::String(text) => *text = rng.pick(texts).cloned().unwrap_or_default(),
        Value::Bool(truth) => *truth = !*truth,
        Value::Number(_) => {
            *value = Value::from(rng.one(&[0_i64, 1, 2, 15, 16, 255, 256, 4096, -1]))
        }
        Value::Array(items) if !items.is_empty() => {
            let at = rng.below(items.len() as u32) as usize;
            match rng.below(3) {
                0 => drop(items.remove(at)),
                1 => items.push(items[at].clone()),
                _ => items.rotate_left(1),
            }
        }
        Value::Object(map) if !map.is_empty() => {
            let keys: Vec<String> = map.keys().cloned().collect();
            let (from, to) = (rng.pick(&keys).cloned(), rng.pick(&keys).cloned());
            let (from, to) = (from.unwrap_or_default(), to.unwrap_or_default());
            match rng.below(3) {
                0 => drop(map.shift_remove(&from)),
                // One part twice, or a part in the place of another.
                1 => drop(map.insert(format!("{from}_2"), map[&from].clone())),
                _ => drop(map.insert(to, map[&from].clone())),
            }
        }
        _ => {}
    }
}

/// Sends one to three targets of a machine elsewhere, and changes what transitions do there.
pub fn retarget(rng: &mut Rng, machine: &mut Machine) {
    let paths: Vec<String> = {
        let tree = Tree::new(machine);
        let states = (1..tree.states.len()).map(Target::State);
        let points = (0..tree.points.len()).map(Target::Point);
        states
            .chain(points)
            .map(|target| format!("/{}", tree.target_path(target)))
            .collect()
    };
    for _ in 0..rng.between(1, 3) {
        let mut transitions = Vec::new();
        let mut targets = Vec::new();
        let mut stacks = Vec::new();
        visit(
            &mut machine.root,
            &mut transitions,
            &mut targets,
            &mut stacks,
        );
        match rng.below(5) {
            0 | 2 => {
                let transition = pick(rng.below(transitions.len() as u32), &mut transitions);
                change_transition(rng, transition, &paths);
            }
            1 => {
                if let Some(depth) = pick(rng.below(stacks.len() as u32), &mut stacks) {
                    *depth = rng.chance(70).then(|| Spanned::new(1, Span::default()));
                }
            }
            _ => {
                let at = rng.below(targets.len() as u32);
                let Some(list) = pick(at, &mut targets) else {
                    continue;
                };
                let path = Spanned::new(
                    rng.pick(&paths).cloned().unwrap_or_default(),
                    Span::default(),
                );
                match rng.below(4) {
                    0 => list.push(path),
                    1 => drop(list.pop()),
                    _ => *list = vec![path],
                }
            }
        }
    }
}

fn toggle(mark: &mut Option<Span>, span: Span) {
    *mark = mark.is_none().then_some(span);
}

fn pick<T>(at: u32, list: &mut Vec<T>) -> Option<T> {
    ((at as usize) < list.len()).then(|| list.swap_remove(at as usize))
}

fn change_transition(rng: &mut Rng, transition: Option<&mut Transition>, paths: &[String]) {
    let Some(transition) = transition else { return };
    let span = Span::default();
    match rng.below(6) {
        0 => {
            let kinds = [
                TransitionKind::Internal,
                TransitionKind::Local,
                TransitionKind::External,
            ];
            transition.kind = rng.chance(80).then(|| Spanned::new(rng.one(&kinds), span));
        }
        1 => {
            let operations = [StackOperation::Push, StackOperation::Pop];
            transition.stack = rng
                .chance(80)
                .then(|| Spanned::new(rng.one(&operations), span));
        }
        2 => {
            transition.trigger = rng.one(&[
                Trigger::Always,
                Trigger::Done,
                Trigger::Failed,
                Trigger::Any,
            ])(span)
        }
        3 => toggle(&mut transition.interrupt, span),
        4 => toggle(&mut transition.latch, span),
        _ => {
            transition.targets = vec![Spanned::new(
                rng.pick(paths).cloned().unwrap_or_default(),
                span,
            )]
        }
    }
}

fn visit<'m>(
    state: &'m mut State,
    transitions: &mut Vec<&'m mut Transition>,
    targets: &mut Vec<&'m mut Vec<Name>>,
    stacks: &mut Vec<&'m mut Option<Spanned<u32>>>,
) {
    transitions.extend(state.transitions.iter_mut());
    transitions.extend(state.any_state.iter_mut().map(|any| &mut any.transition));
    targets.extend(
        state
            .choice
            .iter_mut()
            .flatten()
            .map(|branch| &mut branch.targets),
    );
    targets.extend(state.history.iter_mut().map(|point| &mut point.default));
    for region in &mut state.regions {
        targets.extend(
            region
                .initial
                .iter_mut()
                .map(|initial| &mut initial.targets),
        );
        stacks.push(&mut region.stack_depth);
        for child in &mut region.states {
            visit(child, transitions, targets, stacks);
        }
    }
}
