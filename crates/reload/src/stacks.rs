//! Which pushes a machine knows: a frame is kept only where the new machine could have what stands over
//! it (LOAD-3).
//!
//! What was pushed may have been replaced since: a local transition of the region's owner leaves and
//! enters children of the region, and its frames stay.

use std::collections::BTreeSet;

use statewright_rom::ids::*;
use statewright_rom::layout::*;
use statewright_rom::{Rom, Target};

/// Who can push what in a region.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pushes {
    /// Sources, and the child of the region that is entered over them.
    known: BTreeSet<(u16, u16)>,
    /// Children that take the place of what was pushed.
    replacing: BTreeSet<u16>,
}

impl Pushes {
    /// The pushes of all regions with a stack, by number of the region.
    pub(crate) fn all(rom: &Rom<'_>) -> Vec<Self> {
        let mut all = vec![Self::default(); rom.regions().len()];
        for record in rom.transitions() {
            let (Some(source), Some(set)) = (
                StateId::read(record.source),
                TargetSetId::read(record.targets),
            ) else {
                continue;
            };
            let flags = record.flags.get();
            for target in targets(rom, set) {
                if flags & transition_flag::PUSH != 0 {
                    if let Some((region, child)) = common_region(rom, source, target)
                        && let Some(pushes) = all.get_mut(region.index())
                    {
                        pushes.known.insert((source.raw(), child.raw()));
                    }
                } else if flags & transition_flag::LOCAL != 0 {
                    add_replacing(rom, &mut all, source, target);
                }
            }
        }
        all
    }

    /// Can a state that is alive with these leaves push a child of the region?
    pub(crate) fn can_push(
        &self,
        rom: &Rom<'_>,
        below: impl Iterator<Item = u16> + Clone,
        child: StateId,
    ) -> bool {
        let is_alive = |source: u16| {
            let source = StateId::new(source);
            let leaves = below.clone().filter_map(StateId::new);
            source.is_some_and(|source| {
                leaves
                    .into_iter()
                    .any(|leaf| rom.is_ancestor_or_self(source, leaf))
            })
        };
        let replaces = self.replacing.contains(&child.raw());
        let known = self.known.iter();
        let mut fitting = known.filter(|(_, to)| replaces || *to == child.raw());
        fitting.any(|&(source, _)| is_alive(source))
    }
}

/// Children of a state that a local transition of it enters; what a history point of it remembers may
/// be any of them.
fn add_replacing(rom: &Rom<'_>, all: &mut [Pushes], owner: StateId, target: StateId) {
    for region in rom.region_ids_of(owner) {
        let Some(pushes) = all.get_mut(region.index()) else {
            continue;
        };
        let leads_to = |child: &StateId| target == owner || rom.is_ancestor_or_self(*child, target);
        let children = rom.children(region).filter(leads_to);
        pushes.replacing.extend(children.map(StateId::raw));
    }
}

/// All states that targets can lead to, through choices and history.
fn targets(rom: &Rom<'_>, set: TargetSetId) -> BTreeSet<StateId> {
    let mut found = BTreeSet::new();
    let (mut open, mut seen) = (vec![set], BTreeSet::new());
    while let Some(set) = open.pop() {
        if !seen.insert(set.raw()) {
            continue;
        }
        for target in rom.targets_of(set).iter().filter_map(Target::read) {
            match target {
                Target::State(state) => _ = found.insert(state),
                Target::Choice(choice) => {
                    let branches = rom.branches_of(choice).iter();
                    open.extend(branches.filter_map(|branch| TargetSetId::read(branch.targets)));
                }
                Target::History(point) => found.extend(
                    rom.history_point(point)
                        .and_then(|point| StateId::read(point.owner)),
                ),
            }
        }
    }
    found
}

/// The region in which two states lie in different children, and the child of the second.
fn common_region(rom: &Rom<'_>, source: StateId, target: StateId) -> Option<(RegionId, StateId)> {
    let mut up = rom.path_up(target);
    let child = up.find(|&child| {
        let parent = rom.parent(child);
        parent.is_some_and(|parent| rom.is_ancestor_or_self(parent, source))
    })?;
    Some((RegionId::read(rom.state(child)?.region)?, child))
}
