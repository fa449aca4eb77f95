//! Which states can push: a frame is kept only where the new machine has a push from one of its states
//! (LOAD-3). What stands over it may be another child than was pushed: a local transition of the region's
//! owner leaves and enters children of the region, and the frames stay.

use statewright_rom::Rom;
use statewright_rom::ids::*;
use statewright_rom::layout::*;

/// Sources of the pushes of a region.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pushes {
    sources: Vec<StateId>,
}

impl Pushes {
    /// The pushes of all regions, by number of the region.
    pub(crate) fn all(rom: &Rom<'_>) -> Vec<Self> {
        let pushes = |region: &RegionRecord| {
            let stack = StackId::new(region.stack);
            let own = rom.transition_extras().iter().filter_map(|extra| {
                let transition = rom.transition(TransitionId::read(extra.transition)?)?;
                let is_push = transition.flags.get() & transition_flag::PUSH != 0;
                let is_own = stack.is_some() && StackId::new(extra.stack) == stack;
                StateId::read(transition.source).filter(|_| is_push && is_own)
            });
            Self {
                sources: own.collect(),
            }
        };
        rom.regions().iter().map(pushes).collect()
    }

    /// Can a state push that is alive with these leaves?
    pub(crate) fn can_push(
        &self,
        rom: &Rom<'_>,
        leaves: impl Iterator<Item = u16> + Clone,
    ) -> bool {
        self.sources.iter().any(|&source| {
            let mut leaves = leaves.clone().filter_map(StateId::new);
            leaves.any(|leaf| rom.is_ancestor_or_self(source, leaf))
        })
    }
}
