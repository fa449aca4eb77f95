//! Steps that the kernel finds at run time and holds until they are carried out: states entered,
//! effects on the way (EXEC-3, EXEC-9).
//!
//! The bound is that of the worst microstep: everything is entered by default, and the targets of
//! transitions that come on top are as long as any. A machine below it is never quarantined for its
//! steps.

use std::collections::BTreeMap;

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::{Diagnostic, Diagnostics};
use statewright_rom::ids::{ListId, RegionId, StateId};
use statewright_rom::layout::*;
use zerocopy::byteorder::little_endian::U16;

use super::Planned;
use crate::index::IndexVec;
use crate::plan::{Shape, anchor, state_in, targets};
use crate::tables::Tables;

/// Room for an effect that waits for its owner's entry: two cells that may stay taken when it has
/// become a step.
const WAITING: u64 = 3;

/// Reports a machine that could need more steps than the kernel holds.
pub fn check(planned: &Planned<'_, '_>, diagnostics: &mut Diagnostics) {
    let steps = worst(planned.tables);
    if steps <= MAX_STEPS as u64 {
        return;
    }
    let text = format!("entering may take {steps} steps at once, but the kernel holds {MAX_STEPS}");
    diagnostics.push(
        Diagnostic::new(DiagnosticCode::TooManySteps, planned.model.machine.name.span, text)
            .label("each state entered is a step, and each effect of an initial, a branch or a default on the way")
            .help("have fewer effects on the way (several actions in one list are one), fewer choices in a row or fewer regions"),
    );
}

/// Most steps of a microstep.
fn worst(tables: &Tables) -> u64 {
    let ways = Ways::new(tables);
    let sets = tables
        .transitions
        .iter()
        .map(|transition| transition.targets);
    let others = [tables.header.fail_safe, tables.header.reload_entry];
    // Targets that are entered together have leaf numbers of their own (RAM-4).
    let mut longest = BTreeMap::new();
    for target in sets.chain(others).flat_map(|set| targets(tables, set)) {
        let most = longest.entry(leaf(tables, target)).or_insert(0);
        *most = ways.of(target, Sink::Now).max(*most);
    }
    entries(tables, &ways) + longest.values().sum::<u64>()
}

/// Leaf number of a target, or of the state that has the history point.
fn leaf(tables: &Tables, target: &TargetRecord) -> u8 {
    tables.state(anchor(tables, target)).leaf
}

/// Most steps of entering the whole machine by default.
fn entries(tables: &Tables, ways: &Ways) -> u64 {
    let shape = Shape::new(tables);
    let mut regions = shape.per_region(0);
    let restored = |state: StateId| {
        let own = |point: &HistoryRecord| state_in(point.owner) == state && point.restore == 1;
        tables
            .history
            .iter()
            .zip(&ways.history)
            .filter(|(point, _)| own(point))
            .map(|(_, &steps)| steps)
            .sum::<u64>()
    };
    let entered = |state: StateId, regions: &IndexVec<RegionId, u64>| {
        1 + restored(state)
            + shape
                .regions(state)
                .map(|region| regions[region] + initial(tables, ways, region))
                .sum::<u64>()
    };
    // Pre-order backwards: what is inside a state is known before the state.
    for state in shape.states().skip(1).rev() {
        if let Some(around) = shape.region_of(state) {
            regions[around] = entered(state, &regions).max(regions[around]);
        }
    }
    entered(StateId::ROOT, &regions)
}

/// Most effects on the way of a region's initial.
fn initial(tables: &Tables, ways: &Ways, region: RegionId) -> u64 {
    let initial = &tables.initials[usize::from(tables.region(region).initial.get())];
    effect(initial.effect, Sink::Now) + ways.of_set(tables, initial.targets, Sink::Now)
}

/// Whether effects become steps when they are found, or wait: those behind a history point.
#[derive(Clone, Copy)]
enum Sink {
    Now,
    Later,
}

fn effect(list: U16, sink: Sink) -> u64 {
    match sink {
        _ if ListId::read(list).is_none() => 0,
        Sink::Now => 1,
        Sink::Later => WAITING,
    }
}

/// Most room for effects behind choices and history points.
struct Ways {
    /// By state, for choices: found now, and found later.
    choices: Vec<[u64; 2]>,
    history: Vec<u64>,
}

impl Ways {
    fn new(tables: &Tables) -> Self {
        let mut ways = Self {
            choices: vec![[0; 2]; tables.states.len()],
            history: vec![0; tables.history.len()],
        };
        // Choices and history points lead to each other without circles (EXEC-7), at most so many
        // of each in a row.
        for _ in 0..2 * MAX_DEPTH {
            if !ways.lengthen(tables) {
                break;
            }
        }
        ways
    }

    /// One more choice or history point in a row. Whether any way got longer.
    fn lengthen(&mut self, tables: &Tables) -> bool {
        let mut longer = false;
        for branch in &tables.branches {
            for sink in [Sink::Now, Sink::Later] {
                let found = effect(branch.effect, sink) + self.of_set(tables, branch.targets, sink);
                let most = &mut self.choices[usize::from(branch.owner.get())][sink as usize];
                longer |= found > *most;
                *most = found.max(*most);
            }
        }
        for (at, point) in tables.history.iter().enumerate() {
            let own = effect(point.effect, Sink::Later);
            let found = own + self.of_set(tables, point.default, Sink::Later);
            longer |= found > self.history[at];
            self.history[at] = found;
        }
        longer
    }

    fn of_set(&self, tables: &Tables, set: U16, sink: Sink) -> u64 {
        targets(tables, set)
            .iter()
            .map(|target| self.of(target, sink))
            .sum()
    }

    fn of(&self, target: &TargetRecord, sink: Sink) -> u64 {
        let index = usize::from(target.index.get());
        match target.kind.get() {
            TargetKind::Choice => self.choices[index][sink as usize],
            TargetKind::History => self.history[index],
            TargetKind::State => 0,
        }
    }
}
