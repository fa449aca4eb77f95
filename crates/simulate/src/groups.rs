//! States of which an agent is in one at most: what shares add up in.
//!
//! Outside of regions that run at once an agent is in one leaf. A state with several regions counts
//! as one there, and each of its regions is a group of its own. So no group has more agents than
//! there are: `combat` is one of the states of the machine, and `combat: movement` says where its
//! feet are.

use statewright::trace::Legend;
use statewright_symbols::SymbolKind;

use crate::outcome::{Outcome, Series};

/// Where agents are, in states that exclude each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group<'o> {
    /// The region, `combat: movement`; `None` for what lies in none of several.
    pub region: Option<String>,
    /// How many agents are in one of these states or have ended, over time: what shares are shares
    /// of.
    pub whole: Vec<u64>,
    /// Leaves, and states with several regions as one, by their share at the end, most first; those
    /// where nobody ever was are left out.
    pub series: Vec<Series<'o>>,
}

impl Outcome {
    /// Where agents are: the machine as a whole, then each of several regions.
    pub fn groups(&self) -> Vec<Group<'_>> {
        let tree = Tree::new(&self.legend);
        let counts = self.counts(&tree);
        let regions = tree.several.iter().map(|&region| Some(region));
        let groups = std::iter::once(None).chain(regions).map(|region| Group {
            region: region.map(|region| tree.name(region)),
            whole: match region {
                Some(region) => sum(self.samples.len(), tree.members(Some(region)), &counts),
                None => vec![self.agents.into(); self.samples.len()],
            },
            series: self.members(&tree, region, &counts),
        });
        // Those who have ended are shown with the machine, even if nobody is left beside them.
        let is_shown = |group: &Group<'_>| {
            !group.series.is_empty() || (group.region.is_none() && self.ended != 0)
        };
        groups.filter(is_shown).collect()
    }

    /// How many agents are in each state of a group, over time.
    fn counts(&self, tree: &Tree<'_>) -> Vec<Vec<u64>> {
        let leaf = |state: usize| {
            let samples = self.samples.iter();
            samples
                .map(|sample| sample.leaves.get(state).copied().unwrap_or(0))
                .collect()
        };
        let mut counts: Vec<Vec<u64>> = (0..tree.legend.states.len()).map(leaf).collect();
        // Children have higher numbers: what is inside is known when its turn comes.
        for state in (0..counts.len()).rev() {
            if let Some(&first) = tree
                .regions_of(state)
                .first()
                .filter(|_| tree.is_split(state))
            {
                counts[state] = sum(self.samples.len(), tree.members(Some(first)), &counts);
            }
        }
        counts
    }

    fn members(
        &self,
        tree: &Tree<'_>,
        region: Option<u16>,
        counts: &[Vec<u64>],
    ) -> Vec<Series<'_>> {
        let mut series: Vec<Series<'_>> = tree
            .members(region)
            // That everybody is in the machine is not worth a line.
            .filter(|&state| state > 0 || !tree.is_split(state))
            .filter(|&state| counts[state].iter().any(|&count| count != 0))
            .filter_map(|state| {
                let number = u16::try_from(state).ok()?;
                Some(Series {
                    state: number,
                    name: self.legend.state(number),
                    counts: counts[state].clone(),
                })
            })
            .collect();
        series.sort_by_key(Series::rank);
        series
    }
}

impl Group<'_> {
    /// The name of one of its states without what its region says already.
    pub fn short_name<'n>(&self, name: &'n str) -> &'n str {
        let owner = self
            .region
            .as_deref()
            .and_then(|region| region.split(": ").next());
        let rest = owner.and_then(|owner| name.strip_prefix(owner)?.strip_prefix('/'));
        rest.unwrap_or(name)
    }

    /// So many agents at the end as a share of all that are in one of these states, in percent.
    pub fn percent(&self, count: u64) -> f64 {
        percent(count, self.whole.last().copied().unwrap_or(0))
    }
}

/// A share of a whole in percent; of nobody it is 0.
pub(crate) fn percent(count: u64, whole: u64) -> f64 {
    100.0 * count as f64 / whole.max(1) as f64
}

/// How many agents are in some states together, over time.
fn sum(samples: usize, states: impl Iterator<Item = usize>, counts: &[Vec<u64>]) -> Vec<u64> {
    let mut sums = vec![0; samples];
    for state in states {
        let both = sums.iter_mut().zip(&counts[state]);
        both.for_each(|(sum, count)| *sum += count);
    }
    sums
}

/// Which state lies in which of several regions.
struct Tree<'o> {
    legend: &'o Legend,
    /// The regions of each state.
    regions: Vec<Vec<u16>>,
    /// The innermost of several regions around each state.
    lanes: Vec<Option<u16>>,
    /// All regions that are one of several.
    several: Vec<u16>,
}

impl<'o> Tree<'o> {
    fn new(legend: &'o Legend) -> Self {
        let mut regions = vec![Vec::new(); legend.states.len()];
        for (region, &owner) in (0_u16..).zip(&legend.regions) {
            if let Some(list) = regions.get_mut(usize::from(owner)) {
                list.push(region);
            }
        }
        let is_one_of_several = |region: u16| {
            let owner = legend.regions.get(usize::from(region));
            owner
                .and_then(|&owner| regions.get(usize::from(owner)))
                .is_some_and(|regions| regions.len() > 1)
        };
        let mut lanes: Vec<Option<u16>> = Vec::new();
        for state in &legend.states {
            let own = state.region.filter(|&region| is_one_of_several(region));
            let around = state
                .parent
                .and_then(|parent| lanes.get(usize::from(parent)));
            lanes.push(own.or_else(|| around.copied().flatten()));
        }
        let several = (0_u16..)
            .zip(&legend.regions)
            .map(|(region, _)| region)
            .filter(|&region| is_one_of_several(region))
            .collect();
        Self {
            legend,
            regions,
            lanes,
            several,
        }
    }

    fn regions_of(&self, state: usize) -> &[u16] {
        &self.regions[state]
    }

    /// Whether an agent is in several places in a state at once.
    fn is_split(&self, state: usize) -> bool {
        self.regions[state].len() > 1
    }

    /// The states of a group: leaves, and what is split further.
    fn members(&self, region: Option<u16>) -> impl Iterator<Item = usize> {
        (0..self.lanes.len()).filter(move |&state| {
            let is_member = self.legend.states[state].is_leaf || self.is_split(state);
            is_member && self.lanes[state] == region
        })
    }

    /// `combat: movement`.
    fn name(&self, region: u16) -> String {
        let owner = self.legend.regions.get(usize::from(region)).copied();
        let owner = owner.map_or("", |owner| self.legend.state(owner));
        let name = self.legend.symbols.shown(SymbolKind::Region, region.into());
        format!("{owner}: {name}")
    }
}
