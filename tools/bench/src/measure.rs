//! Timing: all contenders of a row take turns round by round, so that a slow phase of the machine
//! hits all of them.

use statewright_measure::clock;

use crate::board::Totals;
use crate::contenders::{Contender, Kind};
use crate::row::{Cell, Row};
use crate::script::Script;
use crate::workload::Workload;

/// What to measure.
#[derive(Clone, Debug)]
pub struct Order {
    /// What happens.
    pub workload: Workload,
    /// How many agents.
    pub agents: usize,
    /// How often everybody takes a turn.
    pub rounds: usize,
    /// Who takes part, if able to.
    pub kinds: Vec<Kind>,
}

/// A contender at work.
struct Entrant {
    kind: Kind,
    contender: Box<dyn Contender>,
    before: Option<Totals>,
    times: Vec<f64>,
}

/// Measures one row, then checks that everybody did the same work.
pub fn measure(order: &Order) -> Result<Row, String> {
    let Order {
        workload,
        agents,
        rounds,
        ..
    } = *order;
    let mut entrants = enter(order)?;
    let ticks = workload.ticks(agents);
    for round in 0..rounds {
        let script = workload.script(agents, round as u64);
        let first = round % entrants.len();
        entrants.rotate_left(first);
        entrants
            .iter_mut()
            .for_each(|entrant| entrant.take_turn(&script, ticks, scale(workload, agents, ticks)));
    }
    entrants.sort_by_key(|entrant| entrant.kind);
    let events = same_work(workload, agents, &entrants)?;
    let cell = |entrant: Entrant| {
        (
            entrant.kind,
            Cell::new(entrant.times, entrant.contender.bytes_per_agent()),
        )
    };
    Ok(Row {
        workload,
        agents,
        events,
        cells: entrants.into_iter().map(cell).collect(),
    })
}

/// Makes the contenders and brings them into the situation; what that did is not counted.
fn enter(order: &Order) -> Result<Vec<Entrant>, String> {
    let warm_up = order.workload.warm_up(order.agents);
    let able = order.kinds.iter().filter(|kind| kind.can(order.workload));
    let enter = |&kind: &Kind| {
        let contender = ready(kind, order.workload, order.agents, &warm_up)?;
        let before = contender.totals();
        Ok(Entrant {
            kind,
            contender,
            before,
            times: Vec::new(),
        })
    };
    able.map(enter).collect()
}

/// A contender in the situation that a workload starts from.
pub fn ready(
    kind: Kind,
    workload: Workload,
    agents: usize,
    warm_up: &Script,
) -> Result<Box<dyn Contender>, String> {
    let mut contender = kind.make(workload, agents)?;
    contender.load(warm_up);
    contender.run(warm_up.ticks.len());
    Ok(contender)
}

/// From seconds of a round to the unit of the row.
fn scale(workload: Workload, agents: usize, ticks: usize) -> f64 {
    if workload == Workload::W5 {
        1e6 / ticks as f64
    } else {
        1e9 / (agents * ticks) as f64
    }
}

impl Entrant {
    fn take_turn(&mut self, script: &Script, ticks: usize, scale: f64) {
        self.contender.load(script);
        let start = clock::now();
        self.contender.run(ticks);
        let time = clock::now() - start;
        self.times.push(time.as_secs_f64() * scale);
    }
}

/// Events that each took, if all have the same totals and the work has happened.
fn same_work(workload: Workload, agents: usize, entrants: &[Entrant]) -> Result<u64, String> {
    let of =
        |entrant: &Entrant| Some((entrant.kind, entrant.contender.totals()? - entrant.before?));
    let all: Vec<(Kind, Totals)> = entrants.iter().filter_map(of).collect();
    let Some(&(first, expected)) = all.first() else {
        return Ok(0);
    };
    let place = format!("{workload} with {agents} agents");
    if let Some((kind, found)) = all.iter().find(|(_, totals)| *totals != expected) {
        let (kind, first) = (kind.name(), first.name());
        return Err(format!(
            "{place}: {kind} did other work than {first}: {found:?}, not {expected:?}"
        ));
    }
    if !workload.has_happened(&expected) {
        return Err(format!("{place}: the work did not happen: {expected:?}"));
    }
    Ok(expected.events)
}
