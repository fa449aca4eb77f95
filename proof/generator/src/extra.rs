//! States that some machines have beside what chance grows, because chance hardly ever grows what they are for: the
//! last children of the root.

use statewright_author::graph::StateKind;

use crate::plan::{Node, Plan, Point, RegionPlan};
use crate::rng::Rng;
use crate::size::Size;

/// What a machine has beside the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extra {
    /// A state with history and scores (`nest`).
    Nest,
    /// A state with regions that react to one event (`together`).
    Pen,
}

/// Names that no other state has.
const NEST: &str = "nest";
const POINT: &str = "last chick";
const CHICKS: [&str; 3] = ["eldest", "middle", "youngest"];
const PEN: &str = "pen";
const SIDES: [&str; 3] = ["left", "right", "far"];
const SHEEP: [&str; 2] = ["ewe", "ram"];

impl Extra {
    /// What the machine of a seed has.
    pub fn of_seed(seed: u64) -> Option<Self> {
        match seed % 32 {
            6 | 14 => Some(Self::Nest),
            5 | 29 => Some(Self::Pen),
            _ => None,
        }
    }
}

impl Plan {
    /// The state with history and scores.
    pub fn nest(&self) -> Option<usize> {
        self.extra_of(Extra::Nest)
    }

    /// The state with regions that react to one event.
    pub fn pen(&self) -> Option<usize> {
        self.extra_of(Extra::Pen)
    }

    fn extra_of(&self, wanted: Extra) -> Option<usize> {
        let found = self.extra.filter(|(extra, _)| *extra == wanted);
        found.map(|(_, state)| state)
    }

    /// Is a state a sibling of such a state, in which an agent may be and from which it may go there?
    pub fn is_beside(&self, state: usize, extra: Option<usize>) -> bool {
        let node = &self.nodes[state];
        let active = !matches!(node.kind, StateKind::Final | StateKind::Choice);
        extra.is_some_and(|extra| {
            let other = &self.nodes[extra];
            state != extra
                && node.parent == other.parent
                && node.region == other.region
                && node.overlay.is_none()
                && active
        })
    }

    /// Adds such a state, if there is room for it.
    pub fn add_extra(&mut self, rng: &mut Rng, size: Size, extra: Extra) {
        let added = match extra {
            Extra::Nest => self.add_nest(rng),
            // The leaves of the regions of an orthogonal root are shared out already.
            Extra::Pen => (self.nodes[0].kind == StateKind::Compound).then(|| {
                let count = size.leaves.clamp(2, SIDES.len() as u32);
                let count = rng.between(2, count) as usize;
                let regions = SIDES.map(|side| (Some(side), &SHEEP[..]));
                self.add_last(rng, PEN, StateKind::Orthogonal, &regions[..count])
            }),
        };
        self.extra = added.map(|state| (extra, state));
    }

    fn add_nest(&mut self, rng: &mut Rng) -> Option<usize> {
        self.lasting_slots = self.lasting_slots.checked_sub(1)?;
        let nest = self.add_last(rng, NEST, StateKind::Compound, &[(None, &CHICKS)]);
        self.nodes[nest].points.push(self.points.len());
        self.points.push(Point {
            name: POINT.to_owned(),
            owner: nest,
            deep: rng.chance(50),
        });
        Some(nest)
    }

    /// The last child of the last region of the root: states stay in pre-order.
    fn add_last(
        &mut self,
        rng: &mut Rng,
        name: &str,
        kind: StateKind,
        regions: &[(Option<&str>, &[&str])],
    ) -> usize {
        let (state, last) = (self.nodes.len(), self.nodes[0].regions.len() - 1);
        self.nodes
            .push(Node::new(state, name.to_owned(), kind, Some((0, last))));
        self.nodes[0].regions[last].children.push(state);
        for (number, (region, children)) in regions.iter().enumerate() {
            let first = self.nodes.len();
            for (index, name) in (first..).zip(*children) {
                let place = Some((state, number));
                self.nodes.push(Node {
                    activity: rng.chance(15),
                    ..Node::new(index, (*name).to_owned(), StateKind::Atomic, place)
                });
            }
            let region = RegionPlan {
                name: region.map(str::to_owned),
                children: (first..self.nodes.len()).collect(),
                ..RegionPlan::default()
            };
            self.nodes[state].regions.push(region);
        }
        let end = self.nodes.len();
        (self.nodes[state].end, self.nodes[0].end) = (end, end);
        state
    }
}
