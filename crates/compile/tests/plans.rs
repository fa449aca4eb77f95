//! Plans of random machines, against a slow computation from the graph by the words of the rules:
//! domains and entries (EXEC-1 to EXEC-3), dispatch rows (SEL-2, SEL-3, EVT-5), costs (EXEC-9).

use std::collections::{BTreeMap, BTreeSet};

use crate::common::compiled;
use crate::common::moves::{Columns, Move, moves};
use crate::common::tree::{Target, Tree};
use statewright_author::graph::{
    Action, ActionKind, Machine, StackOperation, StateKind, TransitionKind, Trigger,
};
use statewright_generator::{Size, machine};
use statewright_rom::Rom;
use statewright_rom::layout::*;

pub struct Case<'a> {
    pub tree: Tree<'a>,
    moves: Vec<Vec<Move>>,
    pub rom: Rom<'a>,
}

impl Case<'_> {
    /// Transitions in the order of the ROM.
    fn all(&self) -> impl Iterator<Item = (usize, &Move)> {
        self.moves.iter().flatten().enumerate()
    }
}

/// Compiles a machine and checks its plans.
fn with_plans(
    machine: &Machine,
    check: impl Fn(&Case<'_>) -> Result<(), String>,
) -> Result<(), String> {
    let output = compiled(machine)?;
    let tree = Tree::new(machine);
    let moves = moves(&tree);
    check(&Case {
        tree,
        moves,
        rom: output.rom.as_rom(),
    })
}

pub fn for_small_machines(check: impl Fn(&Case<'_>) -> Result<(), String> + Sync) {
    crate::common::for_small_machines(|machine| with_plans(machine, &check));
}

/// Whether source and targets lie in one region of a state: EXEC-2 as settled, where a region
/// counts as a compound.
fn in_one_region(tree: &Tree<'_>, m: &Move, outer: usize) -> bool {
    let own = tree.region_towards(outer, m.source);
    own.is_some()
        && m.targets
            .iter()
            .all(|&target| tree.region_towards(outer, tree.anchor(target)) == own)
}

/// EXEC-2: the state that stays active.
fn domain(tree: &Tree<'_>, m: &Move) -> usize {
    if let Some((_, region)) = m.stack {
        return tree.regions[region].owner;
    }
    if m.kind != TransitionKind::External {
        return m.source;
    }
    // A history point of a compound state brings back what is inside, so the state itself may stay.
    let restores = |outer: usize, target: &Target| matches!(*target, Target::Point(point) if tree.points[point].owner == outer && tree.kind(outer) == StateKind::Compound);
    let is_domain = |&outer: &usize| {
        let own = tree.region_towards(outer, m.source);
        let within = |target: &Target| {
            restores(outer, target) || tree.region_towards(outer, tree.anchor(*target)) == own
        };
        // In SCXML a region is a state, so an orthogonal state is never the one that stays.
        let details = tree
            .machine
            .policies
            .scxml_details
            .as_ref()
            .is_some_and(|on| on.value);
        let fits = !details || tree.kind(outer) == StateKind::Compound;
        tree.is_strictly_inside(m.source, outer)
            && (outer == 0 || fits && m.targets.iter().all(within))
    };
    // The innermost: in pre-order it comes last.
    (0..tree.states.len()).filter(is_domain).max().unwrap_or(0)
}

/// The regions of the domain that are exited and entered.
fn left_regions(tree: &Tree<'_>, m: &Move) -> Vec<usize> {
    let domain = domain(tree, m);
    let targeted = |region: &usize| {
        m.targets.iter().any(|&target| {
            tree.anchor(target) == domain
                || tree.region_towards(domain, tree.anchor(target)) == Some(*region)
        })
    };
    let all = tree.states[domain].regions.clone();
    match (m.kind, m.stack) {
        (_, Some((_, region))) => vec![region],
        (TransitionKind::Internal, _) => Vec::new(),
        (TransitionKind::Local, _) => all.into_iter().filter(targeted).collect(),
        (TransitionKind::External, _) if in_one_region(tree, m, domain) => {
            tree.region_towards(domain, m.source).into_iter().collect()
        }
        // The root, in several regions.
        (TransitionKind::External, _) => all,
    }
}

/// EXEC-2: which regions of the domain are exited and entered.
#[test]
fn exec_2_regions_that_are_left() {
    for_small_machines(|case| {
        let Case { tree, rom, .. } = case;
        for (index, m) in case.all() {
            let regions = &tree.states[domain(tree, m)].regions;
            let bit = |region: usize| {
                regions
                    .iter()
                    .position(|&own| own == region)
                    .map_or(0, |number| 1_u8 << number)
            };
            let wanted = left_regions(tree, m)
                .into_iter()
                .fold(0, |mask, region| mask | bit(region));
            let found = rom.transition_plans()[index].regions;
            if found != wanted {
                return Err(format!(
                    "transition {index} of state {}: regions {found:b}, wanted {wanted:b}",
                    m.source
                ));
            }
        }
        Ok(())
    });
}

#[test]
fn exec_2_domains() {
    for_small_machines(|case| {
        for (index, m) in case.all() {
            let found = usize::from(case.rom.transitions()[index].domain.get());
            let wanted = domain(&case.tree, m);
            if found != wanted {
                return Err(format!(
                    "transition {index} of state {}: domain {found}, wanted {wanted}",
                    m.source
                ));
            }
        }
        Ok(())
    });
}

/// What a step does.
#[derive(Debug, PartialEq)]
enum Step {
    Enter(usize),
    /// The initial effect of a region.
    Initial(usize),
}

/// EXEC-3: the states that a transition enters, in order; `None` if history or a choice decides it.
fn entries(tree: &Tree<'_>, m: &Move) -> Option<Vec<Step>> {
    if m.targets.is_empty() {
        return Some(Vec::new());
    }
    let domain = domain(tree, m);
    let mut entered: BTreeSet<usize> = BTreeSet::new();
    add_targets(tree, domain, &m.targets, &mut entered)?;
    // Regions that get a state: of everything entered, and of the domain as far as they are left.
    let mut by_default: BTreeSet<usize> = BTreeSet::new();
    loop {
        let inner = entered
            .iter()
            .flat_map(|&owner| tree.states[owner].regions.clone());
        let regions: Vec<usize> = inner.chain(left_regions(tree, m)).collect();
        let is_empty = |region: &usize| {
            !tree.regions[*region]
                .children
                .iter()
                .any(|child| entered.contains(child))
        };
        let Some(region) = regions.into_iter().find(is_empty) else {
            break;
        };
        let owner = tree.regions[region].owner;
        if tree.states[owner]
            .authored
            .history
            .iter()
            .any(|point| point.restore_on_entry)
        {
            return None;
        }
        by_default.insert(region);
        add_targets(tree, owner, &tree.initial(region), &mut entered)?;
    }
    let mut steps = Vec::new();
    for state in entered {
        let region = tree.states[state].region?;
        let effect = tree.regions[region]
            .authored
            .initial
            .as_ref()
            .map_or(&[][..], |initial| &initial.effect);
        if by_default.contains(&region) && does_something(effect) {
            steps.push(Step::Initial(region));
        }
        steps.push(Step::Enter(state));
    }
    Some(steps)
}

/// Targets and the states on the way to them; `None` if one is no state.
fn add_targets(
    tree: &Tree<'_>,
    below: usize,
    targets: &[Target],
    entered: &mut BTreeSet<usize>,
) -> Option<()> {
    for target in targets {
        let &Target::State(state) = target else {
            return None;
        };
        if tree.kind(state) == StateKind::Choice {
            return None;
        }
        entered.extend(tree.up(state).into_iter().take_while(|&at| at != below));
    }
    Some(())
}

/// The steps of a transition's plan in the ROM.
fn planned(rom: &Rom<'_>, index: usize) -> Option<Vec<PlanStep>> {
    let plan = rom.transition_plans()[index].plan.get();
    if plan == NONE {
        return None;
    }
    let plan = rom.entry_plans()[usize::from(plan)];
    let first = plan.first.get() as usize;
    Some(rom.entry_steps()[first..first + usize::from(plan.count.get())].to_vec())
}

#[test]
fn exec_3_entry_plans() {
    for_small_machines(|case| {
        let Case { tree, rom, .. } = case;
        for (index, m) in case.all() {
            let wanted = entries(tree, m).filter(|steps| !steps.is_empty());
            let found = planned(rom, index);
            let wanted: Option<Vec<PlanStep>> =
                wanted.map(|steps| steps.iter().map(|step| record(case, step)).collect());
            if found != wanted {
                return Err(format!(
                    "transition {index} of state {}: {found:?}, wanted {wanted:?}",
                    m.source
                ));
            }
        }
        Ok(())
    });
}

/// A step as it stands in the ROM.
fn record(case: &Case<'_>, step: &Step) -> PlanStep {
    let Case { tree, rom, .. } = case;
    let zero = zerocopy::byteorder::little_endian::U16::new;
    match *step {
        Step::Enter(state) => {
            let found = &rom.states()[state];
            let leaf = if tree.is_leaf(state) {
                found.leaf
            } else {
                0xFF
            };
            PlanStep {
                state: zero(state as u16),
                list: found.entry,
                kind: PlanStepKind::State.into(),
                leaf,
                reserved: zero(0),
            }
        }
        Step::Initial(region) => {
            let initial = usize::from(rom.regions()[region].initial.get());
            PlanStep {
                state: zero(tree.regions[region].owner as u16),
                list: rom.initials()[initial].effect,
                kind: PlanStepKind::Initial.into(),
                leaf: 0xFF,
                reserved: zero(0),
            }
        }
    }
}

/// Muted actions do nothing, nor does an `if` without any other.
fn does_something(actions: &[Action]) -> bool {
    let live = actions.iter().filter(|action| !action.muted);
    live.into_iter().any(|action| match &action.kind {
        ActionKind::If {
            then, otherwise, ..
        } => does_something(then) || does_something(otherwise),
        _ => true,
    })
}

#[test]
fn every_leaf_has_a_row_in_order() {
    for_small_machines(|case| {
        let Case { tree, rom, .. } = case;
        let leaves: Vec<usize> = (0..tree.states.len())
            .filter(|&state| tree.is_leaf(state))
            .collect();
        let rows: Vec<usize> = rom
            .leaf_rows()
            .iter()
            .map(|row| usize::from(row.state.get()))
            .collect();
        if leaves != rows {
            return Err(format!("rows {rows:?}, wanted {leaves:?}"));
        }
        Ok(())
    });
}

/// Who is asked about a column while a leaf is active.
#[derive(Clone, Debug, Default, PartialEq)]
struct Asked {
    interrupts: Vec<usize>,
    /// Transition, or state that defers.
    others: Vec<Result<usize, usize>>,
}

fn asked(case: &Case<'_>, columns: &Columns, leaf: usize) -> BTreeMap<usize, Asked> {
    let Case { tree, moves, .. } = case;
    let numbers: Vec<usize> = moves
        .iter()
        .scan(0, |next, own| {
            Some(std::mem::replace(next, *next + own.len()))
        })
        .collect();
    let mut rows: BTreeMap<usize, Asked> = BTreeMap::new();
    let way = tree.up(leaf);
    // SEL-2 a: interrupts of all active states in pre-order.
    for &state in way.iter().rev() {
        for (number, m) in (numbers[state]..)
            .zip(&moves[state])
            .filter(|(_, m)| m.authored.interrupt.is_some())
        {
            for column in columns.of(tree, m) {
                rows.entry(column).or_default().interrupts.push(number);
            }
        }
    }
    // SEL-2 b and EVT-5: from the leaf to the root, in each state its transitions, then its
    // deferral.
    for &state in &way {
        for (number, m) in (numbers[state]..)
            .zip(&moves[state])
            .filter(|(_, m)| m.authored.interrupt.is_none())
        {
            for column in columns.of(tree, m) {
                rows.entry(column).or_default().others.push(Ok(number));
            }
        }
        let deferred: BTreeSet<usize> = tree.states[state]
            .authored
            .defers
            .iter()
            .map(|event| tree.event(&event.value))
            .collect();
        for event in deferred {
            rows.entry(event).or_default().others.push(Err(state));
        }
    }
    rows
}

/// What the ROM has for a leaf and a column.
fn found(rom: &Rom<'_>, row: usize, column: usize) -> Asked {
    let record = &rom.leaf_rows()[row];
    let first = record.first_cell.get() as usize;
    let list = if rom.header().features.get() & feature::DENSE_ROWS != 0 {
        rom.dense_cells()[first + column].list.get()
    } else {
        let cells = &rom.sorted_cells()[first..first + record.cell_count.get() as usize];
        cells
            .iter()
            .find(|cell| usize::from(cell.column.get()) == column)
            .map_or(NO_LIST, |cell| cell.list.get())
    };
    if list == NO_LIST {
        return Asked::default();
    }
    let list = rom.jump(list).map_or(list, |jump| jump.list.get());
    let list = &rom.candidate_lists()[list as usize];
    let first = list.first.get() as usize;
    let middle = first + usize::from(list.interrupts.get());
    let end = middle + usize::from(list.others.get());
    let other = |candidate: &Candidate| match candidate.kind.get() {
        CandidateKind::Transition => Ok(usize::from(candidate.index.get())),
        _ => Err(usize::from(candidate.index.get())),
    };
    Asked {
        interrupts: rom.candidates()[first..middle]
            .iter()
            .map(|c| usize::from(c.index.get()))
            .collect(),
        others: rom.candidates()[middle..end].iter().map(other).collect(),
    }
}

fn check_rows(case: &Case<'_>) -> Result<(), String> {
    let Case { tree, rom, moves } = case;
    let columns = Columns::new(tree, moves);
    if usize::from(rom.header().columns.get()) != columns.count() {
        return Err(format!(
            "{} columns, wanted {}",
            rom.header().columns,
            columns.count()
        ));
    }
    if usize::from(rom.header().firing_timers.get()) != columns.timers().len() {
        return Err(format!(
            "{} timers fire, wanted {}",
            rom.header().firing_timers,
            columns.timers().len()
        ));
    }
    for (row, record) in rom.leaf_rows().iter().enumerate() {
        let leaf = usize::from(record.state.get());
        let wanted = asked(case, &columns, leaf);
        for column in 0..columns.count() {
            let (found, wanted) = (
                found(rom, row, column),
                wanted.get(&column).cloned().unwrap_or_default(),
            );
            if found != wanted {
                return Err(format!(
                    "leaf {leaf}, column {column}: {found:?}, wanted {wanted:?}"
                ));
            }
        }
    }
    Ok(())
}

#[test]
fn sel_2_dispatch_rows() {
    for_small_machines(check_rows);
}

/// Rows of a machine that is too large for one cell per leaf and column.
#[test]
fn sel_2_sorted_dispatch_rows() {
    let sorted = std::cell::Cell::new(0);
    for seed in 1..9 {
        let large = |case: &Case<'_>| {
            let dense = case.rom.header().features.get() & feature::DENSE_ROWS != 0;
            sorted.set(sorted.get() + u32::from(!dense));
            if dense { Ok(()) } else { check_rows(case) }
        };
        with_plans(&machine(seed, Size::HUGE), large).unwrap();
        if sorted.get() > 0 {
            return;
        }
    }
    panic!("no machine is that large");
}

/// RAM-3: a leaf polls if it or a state around it has an activity, update actions (LANG-10) or an
/// eventless trigger.
#[test]
fn ram_3_rows_say_who_polls() {
    for_small_machines(|case| {
        let Case { tree, rom, moves } = case;
        for row in rom.leaf_rows() {
            let way = tree.up(usize::from(row.state.get()));
            let activity = way
                .iter()
                .any(|&state| tree.states[state].authored.activity.is_some());
            let eventless = |m: &Move| {
                matches!(
                    m.authored.trigger,
                    Trigger::Always(_) | Trigger::Done(_) | Trigger::Failed(_)
                )
            };
            let update = |state: &usize| does_something(&tree.states[*state].authored.update);
            let runs = activity || way.iter().any(update);
            let polls = runs || way.iter().any(|&state| moves[state].iter().any(eventless));
            let wanted = if polls { row_flag::POLLS } else { 0 };
            if row.flags.get() != wanted {
                return Err(format!(
                    "leaf {}: flags {}, wanted {wanted}",
                    row.state, row.flags
                ));
            }
        }
        Ok(())
    });
}

/// EXEC-9: exits, entries and one more, in the worst configuration.
#[test]
fn exec_9_costs() {
    fn most_active(tree: &Tree<'_>, region: usize) -> usize {
        let inside = |&child: &usize| {
            1 + tree.states[child]
                .regions
                .iter()
                .map(|&region| most_active(tree, region))
                .sum::<usize>()
        };
        tree.regions[region]
            .children
            .iter()
            .filter(|&&c| tree.kind(c) != StateKind::Choice)
            .map(inside)
            .max()
            .unwrap_or(0)
    }
    /// The same while a state inside the region is active: everything else of its line is.
    fn most_active_with(tree: &Tree<'_>, region: usize, source: usize) -> usize {
        let holds = |&&child: &&usize| child == source || tree.is_strictly_inside(source, child);
        let Some(&child) = tree.regions[region].children.iter().find(holds) else {
            return most_active(tree, region);
        };
        let regions = tree.states[child].regions.iter();
        1 + regions
            .map(|&region| most_active_with(tree, region, source))
            .sum::<usize>()
    }
    for_small_machines(|case| {
        let Case { tree, rom, .. } = case;
        for (index, m) in case.all() {
            let left = left_regions(tree, m);
            let exits: usize = left
                .iter()
                .map(|&region| most_active_with(tree, region, m.source))
                .sum();
            let held: usize = left.iter().map(|&region| most_active(tree, region)).sum();
            let pops = matches!(m.stack, Some((StackOperation::Pop, _)));
            let entered = entries(tree, m).filter(|_| !pops);
            let entered = entered.map(|steps| {
                steps
                    .iter()
                    .filter(|step| matches!(step, Step::Enter(_)))
                    .count()
            });
            // What is known only in the run is at most what the regions hold.
            let wanted = exits + entered.unwrap_or(held) + 1;
            let found = usize::from(rom.transition_plans()[index].cost);
            if found != wanted {
                return Err(format!(
                    "transition {index} of state {}: cost {found}, wanted {wanted}",
                    m.source
                ));
            }
        }
        Ok(())
    });
}

/// EXEC-7: a branch may not lead out of what is entered on the way to its choice, by whatever way.
#[test]
fn exec_7_branches_stay_in_what_is_entered() {
    let codes = |text: &str| -> Vec<&'static str> {
        let (output, problems) =
            statewright_compile::compile_text("choice", text, &Default::default());
        assert_eq!(output.is_none(), problems.has_errors());
        let errors = problems
            .iter()
            .filter(|p| p.severity == statewright_author::diagnostic::Severity::Error);
        errors.map(|problem| problem.code.info().id).collect()
    };
    // Only region r1 is left.
    let other_region = r#"{ "machine": "A", "events": ["E"], "states": { "o": {
        "transitions": [{ "on": "E", "to": "c" }],
        "regions": {
            "r1": { "initial": "a", "states": { "a": {}, "c": { "choice": [{ "to": "b" }] } } },
            "r2": { "initial": "x", "states": { "b": {}, "x": {} } } } } } }"#;
    assert_eq!(codes(other_region), ["SW0209"]);
    let by_initial = r#"{ "machine": "B", "initial": "o", "states": { "z": {}, "o": { "initial": "c", "states": {
        "a": {}, "c": { "choice": [{ "if": "G", "to": "z" }, { "to": "a" }] } } } } }"#;
    assert_eq!(codes(by_initial), ["SW0209"]);
    let by_history = r#"{ "machine": "C", "events": ["E"], "initial": "o", "states": { "z": {}, "o": {
        "history": { "h": { "default": "c" } }, "initial": "a", "transitions": [{ "on": "E", "to": "h" }],
        "states": { "a": {}, "c": { "choice": [{ "if": "G", "to": "z" }, { "to": "a" }] } } } } }"#;
    assert_eq!(codes(by_history), ["SW0209"]);
    let one_of_several = r#"{ "machine": "D", "events": ["E"], "initial": "i", "states": {
        "i": { "transitions": [{ "on": "E", "to": ["c", "x"] }] },
        "o": { "regions": {
            "r1": { "initial": "a", "states": { "a": {}, "c": { "choice": [{ "to": "a" }] } } },
            "r2": { "states": { "x": {} } } } } } }"#;
    assert_eq!(codes(one_of_several), ["SW0210"]);
    let good = r#"{ "machine": "E", "events": ["E"], "initial": "o", "states": { "z": {}, "o": {
        "initial": "c", "transitions": [{ "on": "E", "to": "c2" }],
        "states": { "a": {}, "c": { "choice": [{ "to": "a" }] } } },
        "c2": { "choice": [{ "if": "G", "to": "z" }, { "to": "o" }] } } }"#;
    assert_eq!(codes(good), Vec::<&str>::new());
}
