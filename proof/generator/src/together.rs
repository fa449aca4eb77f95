//! Regions that react to one event at once, without guards (EXEC-1): random transitions hardly ever do. Only
//! some machines have it, and their other parts are those that they have without; some of these have a state of
//! such regions that was made for it (`Extra::Pen`).

use statewright_author::graph::{Event, State, StateKind, Transition, Trigger};

use crate::code::Site;
use crate::generator::Generator;
use crate::plan::Target;
use crate::rng::Rng;
use crate::text::name;

/// The event that they react to; it leads to a state that was made for it, too.
const EVENT: &str = "Both";

/// Which regions react to it.
#[derive(Clone, Debug)]
pub(crate) struct Together {
    /// Chance of its own, so that the rest of the machine is as it is.
    rng: Rng,
    /// The state with the regions.
    owner: usize,
    /// It reacts, too, for all leaves that do not themselves.
    shared: bool,
    /// Whether the children of each region react.
    regions: Vec<bool>,
}

impl Together {
    /// The event, as it is declared.
    pub(crate) fn event(&self) -> Event {
        Event {
            name: name(EVENT),
            ..Event::default()
        }
    }
}

impl Generator {
    /// Regions of a state of the plan; none in most machines.
    pub(crate) fn choose_together(&self, seed: u64) -> Option<Together> {
        let mut rng = Rng::new(seed ^ 0xB07);
        let nodes = &self.plan.nodes;
        let several = |&state: &usize| nodes[state].regions.len() > 1;
        let owners: Vec<usize> = (0..nodes.len()).filter(several).collect();
        let chosen = rng.pick(&owners).filter(|_| seed % 8 == 5);
        let owner = self.plan.pen().or(chosen.copied())?;
        let shared = rng.chance(50);
        // Two that share what their owner does need a third that does something else.
        let percent = if shared { 40 } else { 80 };
        let regions = nodes[owner].regions.iter();
        Some(Together {
            shared,
            regions: regions.map(|_| rng.chance(percent)).collect(),
            owner,
            rng,
        })
    }

    /// Lets a state react, if it is one of those.
    pub(crate) fn react_together(&mut self, index: usize, state: &mut State) {
        let Some(mut together) = self.together.take() else {
            return;
        };
        std::mem::swap(&mut self.rng, &mut together.rng);
        let node = &self.plan.nodes[index];
        let reacts = node.parent == Some(together.owner) && together.regions[node.region];
        if reacts && let Some(target) = self.target_beside(index) {
            let targets = self.names_of(Some(index), &[target]);
            let transition = self.reaction(index);
            state.transitions.insert(
                0,
                Transition {
                    targets,
                    ..transition
                },
            );
        } else if index == together.owner && together.shared {
            let transition = self.reaction(index);
            state.transitions.insert(0, transition);
        } else if self.plan.is_beside(index, self.plan.pen()) {
            let targets = self.names_of(Some(index), &[Target::State(together.owner)]);
            let transition = self.reaction(index);
            state.transitions.push(Transition {
                targets,
                ..transition
            });
        }
        std::mem::swap(&mut self.rng, &mut together.rng);
        self.together = Some(together);
    }

    /// An effect without guard and target.
    fn reaction(&mut self, index: usize) -> Transition {
        Transition {
            trigger: Trigger::Event(name(EVENT)),
            effect: self.some_actions(&Site::of(index)),
            ..Transition::default()
        }
    }

    /// Another child of the region of an atomic state, or itself.
    fn target_beside(&mut self, index: usize) -> Option<Target> {
        let node = &self.plan.nodes[index];
        let region = &self.plan.nodes[node.parent?].regions[node.region];
        let is_plain = |&child: &usize| {
            let child = &self.plan.nodes[child];
            child.kind == StateKind::Atomic && child.overlay.is_none()
        };
        let children: Vec<usize> = region.children.iter().copied().filter(is_plain).collect();
        let atomic = children.contains(&index);
        let target = self.rng.pick(&children).filter(|_| atomic)?;
        Some(Target::State(*target))
    }
}
