//! Which row everything in a region stands in, and on which side lines leave and enter its items.
//!
//! Comes in: chart and links. Goes out: one plan per region. Rows do not depend on sizes, so plans
//! are made from the outermost region inward: the row of two items decides whether a line between
//! them leaves downward or upward, and that decides at which border the regions inside those items
//! see it.

use std::collections::BTreeMap;

use super::rows::{Step, fold, rows, stand_in_columns, without_circles};
use crate::chart::Chart;
use crate::scene::{Course, End, Item, Scene, chain, holder, items as items_of};

/// A border of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Side {
    Top,
    Bottom,
}

/// A line between two items of a region.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Local {
    pub(crate) link: usize,
    /// Places of the items in the plan.
    pub(crate) upper: usize,
    pub(crate) lower: usize,
    /// Row of the label, if it has one.
    pub(crate) label: Option<usize>,
    /// Whether it starts at the upper item.
    pub(crate) is_down: bool,
}

/// A line between an item of a region and the border around it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crossing {
    pub(crate) link: usize,
    pub(crate) item: usize,
    pub(crate) side: Side,
    pub(crate) label: Option<usize>,
    /// Whether the link itself runs from the top down here.
    pub(crate) is_down: bool,
}

/// The rows of a region.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    pub(crate) items: Vec<Item>,
    /// Row of each item.
    pub(crate) rows: Vec<usize>,
    pub(crate) locals: Vec<Local>,
    pub(crate) crossings: Vec<Crossing>,
    /// How many rows there are.
    pub(crate) count: usize,
}

/// All plans, and which lines end where.
pub(crate) struct Plans {
    pub(crate) regions: Vec<Plan>,
    /// The links that end at each border of each item.
    pub(crate) ends: BTreeMap<(Item, Side), Vec<usize>>,
    /// The links that lead to each history point, and from which side.
    pub(crate) histories: BTreeMap<usize, Vec<(usize, Side)>>,
    /// The loop of each state that has one.
    pub(crate) loops: BTreeMap<usize, usize>,
}

/// A line that a region is asked to bring to its border.
#[derive(Clone, Copy)]
struct Demand {
    link: usize,
    item: Item,
    side: Side,
    is_labeled: bool,
    /// Whether the link starts inside.
    is_leaving: bool,
}

/// `columns` says into how many columns each region is cut.
pub(crate) fn plans(chart: &Chart, scene: &Scene, columns: &[usize]) -> Plans {
    let count = chart.regions.len();
    let (mut locals, mut demands, mut loops) = (
        vec![Vec::new(); count],
        vec![Vec::new(); count],
        BTreeMap::new(),
    );
    for (number, link) in scene.links.iter().enumerate() {
        match link.course {
            Course::Between(region) => locals[region].push(number),
            Course::Inward(region) => {
                let first = Demand {
                    link: number,
                    item: Item::Dot,
                    side: Side::Top,
                    is_labeled: true,
                    is_leaving: false,
                };
                demand(chart, first, link.to, region, &mut demands);
            }
            Course::Outward(region) => {
                let first = Demand {
                    link: number,
                    item: Item::Dot,
                    side: Side::Bottom,
                    is_labeled: true,
                    is_leaving: true,
                };
                demand(chart, first, link.from, region, &mut demands);
            }
            Course::Loop(state) => _ = loops.insert(state, number),
        }
    }
    let mut plans = Plans {
        regions: Vec::new(),
        ends: BTreeMap::new(),
        histories: BTreeMap::new(),
        loops,
    };
    // Regions are numbered from the outside in.
    for region in 0..count {
        let plan = plan(
            chart,
            scene,
            region,
            columns[region],
            &locals[region],
            &demands[region],
        );
        for local in &plan.locals {
            let link = &scene.links[local.link];
            let (upper, lower) = if local.is_down {
                (link.from, link.to)
            } else {
                (link.to, link.from)
            };
            for (end, side) in [(upper, Side::Bottom), (lower, Side::Top)] {
                let is_leaving = local.is_down == (side == Side::Bottom);
                plans.note_end(chart, local.link, end, region, side);
                demand_inside(
                    chart,
                    (local.link, is_leaving),
                    end,
                    region,
                    side,
                    &mut demands,
                );
            }
        }
        for crossing in &plan.crossings {
            let link = &scene.links[crossing.link];
            for end in [link.from, link.to] {
                if chain(chart, end)
                    .last()
                    .is_some_and(|&last| last == (region, plan.items[crossing.item]))
                {
                    plans.note_end(chart, crossing.link, end, region, crossing.side);
                }
            }
        }
        plans.regions.push(plan);
    }
    plans
}

impl Plans {
    fn note_end(&mut self, chart: &Chart, link: usize, end: End, region: usize, side: Side) {
        if let End::Shared(place) = end {
            if chart.shared[place].region == region {
                let ends = self.ends.entry((Item::Shared(place), side));
                ends.or_default().push(link);
            }
            return;
        }
        let Some(state) =
            holder(chart, end).filter(|&state| chart.states[state].region == Some(region))
        else {
            return;
        };
        match end {
            End::History(history) => self
                .histories
                .entry(history)
                .or_default()
                .push((link, side)),
            _ => {
                let ends = self.ends.entry((Item::State(state), side));
                ends.or_default().push(link);
            }
        }
    }
}

/// Asks a region and those inside it, down to the end of a link, to bring it to their border.
fn demand(chart: &Chart, first: Demand, end: End, outermost: usize, demands: &mut [Vec<Demand>]) {
    let inner = chain(chart, end)
        .into_iter()
        .skip_while(|&(region, _)| region != outermost);
    for (place, (region, item)) in inner.enumerate() {
        demands[region].push(Demand {
            item,
            is_labeled: first.is_labeled && place == 0,
            ..first
        });
    }
}

fn demand_inside(
    chart: &Chart,
    (link, is_leaving): (usize, bool),
    end: End,
    region: usize,
    side: Side,
    demands: &mut [Vec<Demand>],
) {
    let next = chain(chart, end)
        .into_iter()
        .skip_while(|&(at, _)| at != region)
        .nth(1);
    if let Some((inner, item)) = next {
        demand(
            chart,
            Demand {
                link,
                item,
                side,
                is_labeled: false,
                is_leaving,
            },
            end,
            inner,
            demands,
        );
    }
}

fn plan(
    chart: &Chart,
    scene: &Scene,
    region: usize,
    columns: usize,
    links: &[usize],
    demands: &[Demand],
) -> Plan {
    let mut items = vec![Item::Dot];
    items.extend(items_of(chart, region));
    let places: BTreeMap<Item, usize> = items
        .iter()
        .enumerate()
        .map(|(place, &item)| (item, place))
        .collect();
    let item_of = |end: End| {
        let found = chain(chart, end).into_iter().find(|&(at, _)| at == region);
        found
            .and_then(|(_, item)| places.get(&item).copied())
            .unwrap_or(0)
    };
    let is_labeled = |link: usize| !scene.links[link].label.is_empty();
    let ends: Vec<(usize, usize)> = links
        .iter()
        .map(|&link| {
            (
                item_of(scene.links[link].from),
                item_of(scene.links[link].to),
            )
        })
        .collect();
    let is_down = without_circles(items.len(), &ends);
    let step = |((&(from, to), &link), &is_down): ((&(usize, usize), &usize), &bool)| {
        let (upper, lower) = if is_down { (from, to) } else { (to, from) };
        Step {
            upper,
            lower,
            length: 1 + usize::from(is_labeled(link)),
        }
    };
    let steps: Vec<Step> = ends.iter().zip(links).zip(&is_down).map(step).collect();
    let mut least =
        vec![usize::from(demands.iter().any(|demand| demand.side == Side::Top)); items.len()];
    for demand in demands
        .iter()
        .filter(|demand| demand.side == Side::Top && demand.is_labeled)
    {
        least[places[&demand.item]] = 2;
    }
    let mut rows = rows(&least, &steps);
    fold(&mut rows, &least, &steps, columns);
    // What is cut may lead up.
    let is_down: Vec<bool> = ends
        .iter()
        .map(|&(from, to)| rows[from] < rows[to])
        .collect();
    let steps: Vec<Step> = ends.iter().zip(links).zip(&is_down).map(step).collect();
    let mut is_joined = vec![false; items.len()];
    steps
        .iter()
        .for_each(|step| (is_joined[step.upper], is_joined[step.lower]) = (true, true));
    demands
        .iter()
        .for_each(|demand| is_joined[places[&demand.item]] = true);
    stand_in_columns(&mut rows, &is_joined);
    let bottom = demands
        .iter()
        .filter(|demand| demand.side == Side::Bottom)
        .map(|demand| {
            rows[places[&demand.item]]
                + 1
                + usize::from(demand.is_labeled && is_labeled(demand.link))
        });
    let last = rows.iter().copied().max().unwrap_or(0);
    let bottom = bottom.max().map(|row| row.max(last + 1));
    let locals = steps
        .iter()
        .zip(links)
        .zip(&is_down)
        .map(|((step, &link), &is_down)| {
            let row = if is_down {
                rows[step.upper] + 1
            } else {
                rows[step.lower] - 1
            };
            Local {
                link,
                upper: step.upper,
                lower: step.lower,
                label: is_labeled(link).then_some(row),
                is_down,
            }
        });
    let crossings = demands.iter().map(|demand| {
        let item = places[&demand.item];
        let row = if demand.side == Side::Top {
            rows[item] - 1
        } else {
            rows[item] + 1
        };
        let label = (demand.is_labeled && is_labeled(demand.link)).then_some(row);
        let is_down = demand.is_leaving == (demand.side == Side::Bottom);
        Crossing {
            link: demand.link,
            item,
            side: demand.side,
            label,
            is_down,
        }
    });
    let (locals, crossings) = (locals.collect(), crossings.collect());
    let count = bottom.unwrap_or(last) + 1;
    let mut plan = Plan {
        items,
        rows,
        locals,
        crossings,
        count,
    };
    plan.drop_empty_rows();
    plan
}

impl Plan {
    /// Rows in which there is neither an item nor a label nor a border go away.
    fn drop_empty_rows(&mut self) {
        let mut is_used = vec![false; self.count];
        self.rows.iter().for_each(|&row| is_used[row] = true);
        let labels = self
            .locals
            .iter()
            .map(|local| local.label)
            .chain(self.crossings.iter().map(|one| one.label));
        labels.flatten().for_each(|row| is_used[row] = true);
        for crossing in &self.crossings {
            is_used[if crossing.side == Side::Top {
                0
            } else {
                self.count - 1
            }] = true;
        }
        let mut next = 0;
        let new: Vec<usize> = is_used
            .iter()
            .map(|&used| {
                next += usize::from(used);
                next.max(1) - 1
            })
            .collect();
        let moved = |row: &mut usize| *row = new[*row];
        self.rows.iter_mut().for_each(moved);
        self.locals
            .iter_mut()
            .filter_map(|local| local.label.as_mut())
            .for_each(moved);
        self.crossings
            .iter_mut()
            .filter_map(|one| one.label.as_mut())
            .for_each(moved);
        self.count = next;
    }
}
