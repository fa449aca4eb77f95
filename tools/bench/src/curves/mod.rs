//! How costs grow: pictures of ratios, each measured beside `hand64` in the same run.

mod generate;
mod list;
mod svg;

use statewright_measure::clock;

use crate::contenders::{Contender, Kind, statewright_machine};
use crate::measure::{Order, measure, ready};
use crate::row::Cell;
use crate::script::Script;
use crate::workload::Workload;

/// What is run for a point.
enum Task {
    /// A generated machine beside one hand-written transition between siblings.
    Generated {
        text: String,
        warm_up: Script,
        script: Script,
        moves: bool,
    },
    /// A row of the table.
    Table { workload: Workload, agents: usize },
}

struct Point {
    x: usize,
    task: Task,
}

/// One line of a picture.
struct Series {
    name: &'static str,
    points: Vec<Point>,
}

struct Axes {
    x: &'static str,
    /// What a cost of 1 is.
    unit: &'static str,
    log_x: bool,
    log_y: bool,
}

/// One picture.
pub struct Curve {
    /// Name of its file, without ending.
    pub file: &'static str,
    /// What it shows.
    pub title: &'static str,
    axes: Axes,
    series: Vec<Series>,
}

/// How often a curve is gone through.
fn passes(quick: bool) -> usize {
    if quick { 1 } else { 4 }
}

/// All pictures.
pub fn all() -> Vec<Curve> {
    list::all()
}

impl Curve {
    /// How many measurements it takes.
    pub fn steps(&self, quick: bool) -> usize {
        self.points().count() * passes(quick)
    }

    fn points(&self) -> impl Iterator<Item = &Point> {
        self.series.iter().flat_map(|series| &series.points)
    }

    /// Measures all points and draws the picture; `step` is called after each measurement. The
    /// curve is gone through several times, so that a slow phase of the computer does not
    /// become a bump.
    pub fn draw(&self, quick: bool, step: &mut dyn FnMut()) -> Result<String, String> {
        let mut costs: Vec<Cost> = self
            .points()
            .map(|_| Cost {
                own: f64::INFINITY,
                hand: f64::INFINITY,
            })
            .collect();
        for _ in 0..passes(quick) {
            for (best, point) in costs.iter_mut().zip(self.points()) {
                let cost = point
                    .task
                    .measure(quick)
                    .map_err(|problem| format!("{}: {problem}", self.title))?;
                *best = Cost {
                    own: best.own.min(cost.own),
                    hand: best.hand.min(cost.hand),
                };
                step();
            }
        }
        let best_hand = costs
            .iter()
            .map(|cost| cost.hand)
            .fold(f64::INFINITY, f64::min);
        let mut costs = costs.into_iter();
        let lines = self.series.iter().map(|series| {
            let point = |(point, cost): (&Point, Cost)| {
                let hand = if point.task.is_generated() {
                    best_hand
                } else {
                    cost.hand
                };
                (point.x as f64, cost.own / hand)
            };
            (
                series.name,
                series
                    .points
                    .iter()
                    .zip(costs.by_ref())
                    .map(point)
                    .collect(),
            )
        });
        Ok(svg::picture(
            self.title,
            &self.axes,
            &lines.collect::<Vec<_>>(),
        ))
    }
}

/// Best rounds of the kernel and of `hand64`.
struct Cost {
    own: f64,
    hand: f64,
}

impl Task {
    /// Beside generated machines `hand64` does always the same, so the whole curve is compared with
    /// its best round.
    fn is_generated(&self) -> bool {
        matches!(self, Self::Generated { .. })
    }

    fn measure(&self, quick: bool) -> Result<Cost, String> {
        match self {
            Self::Generated {
                text,
                warm_up,
                script,
                moves,
            } => {
                let mut machine =
                    statewright_machine("generated", text, Kind::Inbox, list::AGENTS)?;
                machine.load(warm_up);
                machine.run(warm_up.ticks.len());
                beside_hand(machine.as_mut(), script, *moves, if quick { 5 } else { 11 })
            }
            &Self::Table { workload, agents } => {
                let rounds = if quick || agents >= 1_000_000 { 5 } else { 11 };
                let row = measure(&Order {
                    workload,
                    agents,
                    rounds,
                    kinds: vec![Kind::Inbox, Kind::Hand64],
                })?;
                let best = |kind: Kind| {
                    let cell = row
                        .cell(kind)
                        .ok_or_else(|| format!("{} cannot do {workload}", kind.name()))?;
                    Ok::<f64, String>(cell.min)
                };
                Ok(Cost {
                    own: best(Kind::Inbox)?,
                    hand: best(Kind::Hand64)?,
                })
            }
        }
    }
}

/// Both take turns. The best rounds count, because bumps of the machine would hide those of the
/// kernel.
fn beside_hand(
    machine: &mut dyn Contender,
    script: &Script,
    moves: bool,
    rounds: usize,
) -> Result<Cost, String> {
    let agents = list::AGENTS;
    let mut hand = ready(
        Kind::Hand64,
        Workload::W4,
        agents,
        &Workload::W4.warm_up(agents),
    )?;
    hand.load(&Workload::W4.script(agents, 0));
    machine.load(script);
    let before = machine.totals();
    let ticks = Workload::W4.ticks(agents);
    let (mut times, mut hand_times) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        times.push(timed(machine, ticks));
        hand_times.push(timed(hand.as_mut(), ticks));
    }
    let moved = matches!((before, machine.totals()), (Some(before), Some(after)) if after.effects > before.effects);
    if moved != moves {
        return Err("a generated machine did not do its work".to_owned());
    }
    Ok(Cost {
        own: Cell::new(times, 0).min,
        hand: Cell::new(hand_times, 0).min,
    })
}

fn timed(contender: &mut dyn Contender, ticks: usize) -> f64 {
    let start = clock::now();
    contender.run(ticks);
    (clock::now() - start).as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_generated_machine_compiles() {
        for point in all()
            .iter()
            .flat_map(|curve| &curve.series)
            .flat_map(|series| &series.points)
        {
            if let Task::Generated { text, .. } = &point.task {
                statewright_machine("generated", text, Kind::Inbox, 1).unwrap();
            }
        }
    }
}
