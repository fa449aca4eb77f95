//! Owns the list of what a graph can hold and the nested shape cannot say.

use crate::graph::{Action, ActionKind, Machine, State};

/// What [`write`](super::write) leaves out of this machine, one sentence each. The reader never
/// makes such a graph from a nested file; the flat shape and the builder can.
///
/// What no compiler accepts is written all the same, and reading the text reports it: names that
/// are given twice or not legal, a transition with `to` and `sync`, brackets deeper than
/// [`MAX_NESTING`](crate::limits::MAX_NESTING), numbers that are not finite.
pub fn left_out(machine: &Machine) -> Vec<String> {
    let mut out = Vec::new();
    let root = &machine.root;
    let of_root = [
        ("stable id", root.id.is_some()),
        ("documentation", root.doc.is_some()),
        ("editor data", root.meta.is_some()),
        ("timers", !root.timers.is_empty()),
        ("mark as final", root.is_final.is_some()),
        ("branches", root.choice.is_some()),
    ];
    for (what, _) in of_root.into_iter().filter(|(_, given)| *given) {
        out.push(format!(
            "the root's own {what}: in the nested shape the root has only what the machine has"
        ));
    }
    state(root, "the root", &mut out);
    out
}

fn state(each: &State, shown: &str, out: &mut Vec<String>) {
    if let [only] = &each.regions[..]
        && only.name.is_none()
        && only.id.is_some()
    {
        out.push(format!(
            "the stable id of the only region of {shown}: it has no object of its own"
        ));
    }
    let lists = [
        &each.entry,
        &each.exit,
        &each.suspend,
        &each.resume,
        &each.update,
    ];
    let muted_text = |action: &&Action| action.muted && matches!(action.kind, ActionKind::Text(_));
    let transitions = each
        .transitions
        .iter()
        .chain(each.any_state.iter().map(|any| &any.transition));
    let effects = transitions.map(|transition| &transition.effect);
    let muted = lists
        .into_iter()
        .chain(effects)
        .flatten()
        .any(|action| muted_text(&action));
    if muted {
        out.push(format!(
            "muted actions of {shown}: an action that is text cannot be muted"
        ));
    }
    for child in each.regions.iter().flat_map(|region| &region.states) {
        state(child, &format!("`{}`", child.name.value), out);
    }
}
