//! Cells of leaves, timers and slots of random machines, against a slow check of who can be alive
//! together (RAM-2, RAM-4, RAM-5, RAM-7).

use std::ops::Range;

use crate::common::alive::Alive;
use crate::common::compiled;
use crate::common::moves::{Firing, Move, entry_timer, moves};
use crate::common::tree::Tree;
use statewright_author::graph::{Machine, Trigger};
use statewright_compile::Output;
use statewright_rom::Rom;
use statewright_rom::layout::*;

/// Whether a transition shares the cooldown of the one before it in its list of events (LANG-1).
fn is_listed(rom: &Rom<'_>, extra: &TransitionExtra) -> bool {
    let transition = &rom.transitions()[usize::from(extra.transition.get())];
    transition.flags.get() & transition_flag::LISTED != 0
}

/// Somebody who uses cells.
#[derive(Debug)]
struct User {
    #[allow(dead_code, reason = "shown in messages")]
    what: String,
    /// `None`: as long as the machine lives.
    state: Option<usize>,
    cells: Range<u32>,
}

/// Everything that a check looks at.
struct Case<'a> {
    tree: Tree<'a>,
    moves: Vec<Vec<Move>>,
    alive: Alive,
    rom: Rom<'a>,
}

fn with_case(
    machine: &Machine,
    check: impl Fn(&Case<'_>) -> Result<(), String>,
) -> Result<(), String> {
    let output: Output = compiled(machine)?;
    let tree = Tree::new(machine);
    let moves = moves(&tree);
    let alive = Alive::new(&tree, &moves);
    check(&Case {
        tree,
        moves,
        alive,
        rom: output.rom.as_rom(),
    })
}

fn for_small_machines(check: impl Fn(&Case<'_>) -> Result<(), String> + Sync) {
    crate::common::for_small_machines(|machine| with_case(machine, &check));
}

/// Within capacity, and no two users that can be alive together share a cell.
fn no_overlap(case: &Case<'_>, users: &[User], capacity: u32) -> Result<(), String> {
    for (number, user) in users.iter().enumerate() {
        if user.cells.end > capacity {
            return Err(format!("{user:?} lies beyond {capacity}"));
        }
        for other in &users[..number] {
            let overlap = user.cells.start < other.cells.end && other.cells.start < user.cells.end;
            let together = match (user.state, other.state) {
                (Some(a), Some(b)) => case.alive.together(&case.tree, a, b),
                _ => true,
            };
            if overlap && together {
                return Err(format!("{user:?} and {other:?} share a cell"));
            }
        }
    }
    Ok(())
}

fn timer_users(rom: &Rom<'_>) -> Vec<User> {
    let user = |(index, timer): (usize, &TimerRecord)| {
        let first = u32::from(timer.place);
        let state = (timer.kind != TimerKind::Machine).then(|| usize::from(timer.owner.get()));
        User {
            what: format!("timer {index}"),
            state,
            cells: first..first + u32::from(timer.instances),
        }
    };
    rom.timers().iter().enumerate().map(user).collect()
}

/// Slots, counted in bits: a result has two of the sixteen.
fn slot_users(rom: &Rom<'_>) -> Vec<User> {
    let slots = |first: u8, count: u32| u32::from(first) * 16..(u32::from(first) + count) * 16;
    let mut users = Vec::new();
    let mut add = |what: String, state: Option<usize>, cells: Range<u32>| {
        users.push(User { what, state, cells })
    };
    for (index, point) in rom.history().iter().enumerate() {
        add(
            format!("history {index}"),
            None,
            slots(point.slot, point.slot_count.into()),
        );
    }
    for extra in rom
        .transition_extras()
        .iter()
        .filter(|extra| extra.cooldown_slot != 0xFF && !is_listed(rom, extra))
    {
        add(
            format!("cooldown of transition {}", extra.transition),
            None,
            slots(extra.cooldown_slot, 2),
        );
    }
    for (index, stack) in rom.stacks().iter().enumerate() {
        let count = u32::from(stack.depth) * u32::from(stack.frame_slots);
        add(
            format!("stack {index}"),
            None,
            slots(stack.first_slot, count),
        );
    }
    for extra in rom.state_extras() {
        let state = Some(usize::from(extra.state.get()));
        if extra.result_slot != 0xFF {
            let first = u32::from(extra.result_slot) * 16 + u32::from(extra.result_bit);
            add(
                format!("result of state {}", extra.state),
                state,
                first..first + 2,
            );
        }
        if extra.latch_slot != 0xFF {
            add(
                format!("latch of state {}", extra.state),
                state,
                slots(extra.latch_slot, 1),
            );
        }
    }
    for (index, scratch) in rom.scratch().iter().enumerate() {
        let state = Some(usize::from(scratch.owner.get()));
        add(
            format!("scratch {index}"),
            state,
            slots(scratch.slot, scratch.count.into()),
        );
    }
    users
}

#[test]
fn ram_5_timers_of_states_that_live_together_have_places_of_their_own() {
    for_small_machines(|case| {
        no_overlap(
            case,
            &timer_users(&case.rom),
            case.rom.capacity().timers.into(),
        )
    });
}

#[test]
fn ram_5_slots_of_states_that_live_together_have_places_of_their_own() {
    for_small_machines(|case| {
        no_overlap(
            case,
            &slot_users(&case.rom),
            u32::from(case.rom.capacity().slots) * 16,
        )
    });
}

/// RAM-7: each feature has exactly the cells that it pays for.
#[test]
fn ram_7_features_have_their_places() {
    for_small_machines(|case| {
        let Case {
            tree, moves, rom, ..
        } = case;
        let expect = |what: &str, wanted: usize, found: usize| match wanted == found {
            true => Ok(()),
            false => Err(format!("{what}: {wanted} wanted, {found} found")),
        };
        let all = || moves.iter().flatten();
        let of = |kind: TimerKind| {
            rom.timers()
                .iter()
                .filter(|timer| timer.kind == kind)
                .count()
        };
        let mut on_entry: Vec<Firing> = all().filter_map(|m| entry_timer(tree, m)).collect();
        on_entry.sort_by_key(|firing| format!("{firing:?}"));
        on_entry.dedup();
        let is_after = |firing: &&Firing| matches!(firing, Firing::After(..));
        let after = on_entry.iter().filter(is_after).count();
        expect("after", after, of(TimerKind::After))?;
        expect("every", on_entry.len() - after, of(TimerKind::Every))?;
        expect(
            "debounce",
            all().filter(|m| m.authored.debounce.is_some()).count(),
            of(TimerKind::Debounce),
        )?;
        let named = tree
            .states
            .iter()
            .map(|state| state.authored.timers.len())
            .sum();
        expect("timers of states", named, of(TimerKind::State))?;
        let cooldowns = rom
            .transition_extras()
            .iter()
            .filter(|extra| extra.cooldown_slot != 0xFF)
            .count();
        expect(
            "cooldowns",
            all().filter(|m| m.authored.cooldown.is_some()).count(),
            cooldowns,
        )?;
        for (index, own) in moves.iter().enumerate() {
            let record = rom
                .state_extras()
                .iter()
                .find(|extra| usize::from(extra.state.get()) == index);
            let has = |test: fn(&StateExtra) -> bool| usize::from(record.is_some_and(test));
            let latches = own.iter().any(|m| m.authored.latch.is_some());
            expect(
                "latch",
                latches.into(),
                has(|extra| extra.latch_slot != 0xFF),
            )?;
            let takes = own
                .iter()
                .any(|m| matches!(m.authored.trigger, Trigger::Done(_) | Trigger::Failed(_)));
            let result = takes && tree.states[index].authored.activity.is_some();
            expect(
                "result",
                result.into(),
                has(|extra| extra.result_slot != 0xFF),
            )?;
        }
        for (index, point) in rom.history().iter().enumerate() {
            let node = &tree.points[index];
            let owner = &tree.states[node.owner];
            let wanted = if node.authored.deep {
                most_leaves(tree, node.owner)
            } else {
                owner.regions.len()
            };
            expect("slots of a history point", wanted, point.slot_count.into())?;
        }
        for (region, record) in rom
            .regions()
            .iter()
            .enumerate()
            .filter(|(_, record)| record.stack != 0xFF)
        {
            let stack = &rom.stacks()[usize::from(record.stack)];
            let leaves = region_leaves(tree, region);
            expect("slots of a frame", leaves + 1, stack.frame_slots.into())?;
            let depth = tree.regions[region]
                .authored
                .stack_depth
                .as_ref()
                .map_or(0, |depth| depth.value);
            expect("depth of a stack", depth as usize, stack.depth.into())?;
        }
        Ok(())
    });
}

/// Most leaves that are active at once inside a state.
fn most_leaves(tree: &Tree<'_>, state: usize) -> usize {
    let regions = &tree.states[state].regions;
    if regions.is_empty() {
        1
    } else {
        regions
            .iter()
            .map(|&region| region_leaves(tree, region))
            .sum()
    }
}

fn region_leaves(tree: &Tree<'_>, region: usize) -> usize {
    tree.regions[region]
        .children
        .iter()
        .map(|&child| most_leaves(tree, child))
        .max()
        .unwrap_or(1)
}

#[test]
fn ram_4_leaves() {
    for_small_machines(|case| {
        let Case { tree, rom, .. } = case;
        let leaf = |region: usize| rom.regions()[region].leaf;
        for (index, region) in tree.regions.iter().enumerate() {
            let around = tree.states[region.owner].region.map_or(0, leaf);
            if tree.states[region.owner].regions[0] == index && leaf(index) != around {
                return Err(format!(
                    "region {index} has leaf {}, the one around it {around}",
                    leaf(index)
                ));
            }
        }
        let leaves: Vec<usize> = (0..tree.states.len())
            .filter(|&state| tree.is_leaf(state))
            .collect();
        for &a in &leaves {
            let number = rom.states()[a].leaf;
            if Some(number) != tree.states[a].region.map(leaf) || number >= rom.capacity().leaves {
                return Err(format!("state {a} has leaf {number}"));
            }
            for &b in leaves.iter().filter(|&&b| b < a) {
                if Alive::active_together(tree, a, b) && number == rom.states()[b].leaf {
                    return Err(format!("states {a} and {b} share leaf {number}"));
                }
            }
        }
        let used = leaves
            .iter()
            .map(|&state| usize::from(rom.states()[state].leaf) + 1)
            .max()
            .unwrap_or(1);
        let needed = most_leaves(tree, 0);
        if used == needed {
            Ok(())
        } else {
            Err(format!("{used} leaves used, {needed} needed"))
        }
    });
}

/// Nothing is wasted: without pushes, as many timers are used as can be alive at once.
#[test]
fn ram_5_timers_are_shared_where_they_can_be() {
    fn most(tree: &Tree<'_>, own: &[u32], state: usize) -> u32 {
        let region = |&region: &usize| {
            tree.regions[region]
                .children
                .iter()
                .map(|&child| most(tree, own, child))
                .max()
                .unwrap_or(0)
        };
        own[state] + tree.states[state].regions.iter().map(region).sum::<u32>()
    }
    for_small_machines(|case| {
        let Case { tree, rom, .. } = case;
        if !rom.stacks().is_empty() {
            return Ok(());
        }
        let users = timer_users(rom);
        let mut own = vec![0; tree.states.len()];
        for user in &users {
            own[user.state.unwrap_or(0)] += user.cells.len() as u32;
        }
        let used = users.iter().map(|user| user.cells.end).max().unwrap_or(0);
        let needed = most(tree, &own, 0);
        if used == needed {
            Ok(())
        } else {
            Err(format!("{used} timers used, {needed} needed"))
        }
    });
}

/// The smallest tier that holds everything, at least the one that was asked for (RAM-2, EXEC-9,
/// EVT-5).
#[test]
fn ram_2_the_smallest_tier_wins() {
    for_small_machines(|case| {
        let Case { tree, rom, .. } = case;
        let leaves = rom
            .regions()
            .iter()
            .map(|region| u32::from(region.leaf) + 1)
            .max()
            .unwrap_or(1);
        let timers = timer_users(rom)
            .iter()
            .map(|user| user.cells.end)
            .max()
            .unwrap_or(0);
        let slots = slot_users(rom)
            .iter()
            .map(|user| user.cells.end.div_ceil(16))
            .max()
            .unwrap_or(0);
        let cost = rom
            .transition_plans()
            .iter()
            .map(|plan| u16::from(plan.cost))
            .max()
            .unwrap_or(0);
        let fits = |tier: &TierCapacity| {
            leaves <= tier.leaves.into()
                && timers <= tier.timers.into()
                && slots <= tier.slots.into()
                && cost <= tier.cost
        };
        let needed = TIERS.iter().position(fits).ok_or("fits no tier")?;
        let needed = needed.max(usize::from(!rom.deferrals().is_empty()));
        let asked = tree
            .machine
            .tier
            .as_ref()
            .map_or(0, |tier| tier.value as usize);
        let found = usize::from(rom.tier().number());
        let wanted = needed.max(asked);
        if found == wanted {
            Ok(())
        } else {
            Err(format!("tier {found} chosen, {wanted} wanted"))
        }
    });
}
