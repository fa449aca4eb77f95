//! What agents do by themselves: the plan of each leaf, worked out from what active leaves share.

use statewright_rom::Rom;
use statewright_rom::ids::{Column, RowId};
use statewright_rom::layout::*;

use crate::common::tree::Tree;
use crate::plans::{Case, for_small_machines};

/// Leaves of a configuration with a given leaf, in the order of the tree: everywhere else the first
/// leaf there is.
fn configuration(tree: &Tree<'_>, leaf: usize) -> Vec<usize> {
    let way = tree.up(leaf);
    let mut leaves = Vec::new();
    let mut open = vec![0];
    while let Some(state) = open.pop() {
        if tree.is_leaf(state) {
            leaves.push(state);
        }
        for &region in &tree.states[state].regions {
            let children = &tree.regions[region].children;
            let wanted = children.iter().find(|child| way.contains(child));
            let can_be =
                |child: &&usize| tree.is_leaf(**child) || !tree.states[**child].regions.is_empty();
            open.extend(wanted.or_else(|| children.iter().find(can_be)));
        }
    }
    leaves.sort_unstable();
    leaves
}

/// States around a leaf that no earlier leaf of its configuration lies in, from the leaf on.
fn own_states(tree: &Tree<'_>, leaf: usize) -> Vec<usize> {
    let all = configuration(tree, leaf);
    let earlier: Vec<_> = all.into_iter().filter(|&other| other < leaf).collect();
    let shared = |state: usize| earlier.iter().any(|&other| tree.up(other).contains(&state));
    let way = tree.up(leaf).into_iter();
    way.filter(|&state| !shared(state)).collect()
}

fn poll_of<'a>(rom: &Rom<'a>, leaf: usize) -> &'a PollRecord {
    let row = rom.states()[leaf].row.get();
    &rom.polls()[usize::from(row)]
}

/// RAM-4: the leaves of a configuration lead to each other, from the first to the last.
#[test]
fn ram_4_leaves_form_a_chain() {
    for_small_machines(|Case { tree, rom, .. }| {
        for leaf in (0..tree.states.len()).filter(|&state| tree.is_leaf(state)) {
            let leaves = configuration(tree, leaf);
            let (mut region, mut place) = (NONE, 0);
            for &leaf in &leaves {
                let (poll, state) = (poll_of(rom, leaf), &rom.states()[leaf]);
                if (poll.first_of.get(), state.leaf) != (region, place) {
                    return Err(format!("{leaves:?} breaks at {leaf}: {poll:?}"));
                }
                (region, place) = (poll.next.get(), poll.next_leaf);
            }
            if (region, place) != (NONE, 0xFF) {
                return Err(format!("{leaves:?} does not end: region {region}"));
            }
        }
        Ok(())
    });
}

/// SEL-2: a leaf asks the eventless transitions of its own states, in the order of its list.
#[test]
fn sel_2_leaves_ask_their_own_states() {
    for_small_machines(|Case { tree, rom, .. }| {
        let eventless = rom.columns() - 1;
        for leaf in (0..tree.states.len()).filter(|&state| tree.is_leaf(state)) {
            let own = own_states(tree, leaf);
            let row = RowId::read(rom.states()[leaf].row).unwrap();
            let list = rom
                .candidate_list(
                    rom.row(row).unwrap(),
                    Column::from_index(eventless).unwrap(),
                )
                .map(|list| rom.candidates_of(list))
                .unwrap_or_default();
            let is_own = |candidate: &&Candidate| {
                let transition = &rom.transitions()[usize::from(candidate.index.get())];
                own.contains(&usize::from(transition.source.get()))
            };
            let numbers = |list: &[Candidate]| -> Vec<u16> {
                list.iter().map(|candidate| candidate.index.get()).collect()
            };
            let wanted = |list: &[Candidate]| -> Vec<u16> {
                let own = list.iter().filter(is_own);
                own.map(|candidate| candidate.index.get()).collect()
            };
            let poll = poll_of(rom, leaf);
            let found = |first: u32, count: u16| {
                let first = first as usize;
                numbers(&rom.candidates()[first..first + usize::from(count)])
            };
            let asks = found(poll.first_ask.get(), poll.asks.get());
            let interrupts = found(poll.first_interrupt.get(), poll.interrupts.get());
            if asks != wanted(list.others) || interrupts != wanted(list.interrupts) {
                return Err(format!(
                    "leaf {leaf} asks {interrupts:?} and {asks:?}: {list:?}"
                ));
            }
        }
        Ok(())
    });
}

/// TICK-5, LANG-10: a leaf runs what its own states have, from the leaf on.
#[test]
fn tick_5_leaves_run_what_their_own_states_have() {
    for_small_machines(|Case { tree, rom, .. }| {
        for leaf in (0..tree.states.len()).filter(|&state| tree.is_leaf(state)) {
            let runs = |state: &usize| {
                let flags = rom.states()[*state].flags.get();
                flags & (state_flag::ACTIVITY | state_flag::UPDATE) != 0
            };
            let wanted: Vec<_> = own_states(tree, leaf).into_iter().filter(runs).collect();
            let mut found = Vec::new();
            let mut next = poll_of(rom, leaf).run.get();
            while next != NONE {
                let run = &rom.runs()[usize::from(next)];
                found.push(usize::from(run.state.get()));
                next = run.next.get();
            }
            if found != wanted {
                return Err(format!("leaf {leaf} runs {found:?}, not {wanted:?}"));
            }
        }
        Ok(())
    });
}
