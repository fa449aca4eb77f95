//! A world as a save keeps it (SAVE-1): each crowd with its machine and the form of its blackboards, so
//! that it can be loaded by another version of the game.

use std::borrow::Cow;

use statewright_bytes::Reader;
use statewright_rom::ids::EventId;

use super::snapshot::{Shared, WorldSnapshotError};
use super::undelivered::{CrowdIndex, Failure, Failures};
use super::{World, WorldInput};
use crate::context::Context;
use crate::crowd::SavedCrowd;
use crate::reload::{Reload, ReloadReport};

/// A world with everything that is needed to read it again.
#[derive(Clone, Debug)]
pub struct SavedWorld<'b> {
    /// Time, groups, and messages that nobody got, of version [`WORLD_FORMAT`](crate::WORLD_FORMAT).
    pub shared: Cow<'b, [u8]>,
    /// Its crowds by name, in the order in which they run.
    pub crowds: Vec<(String, SavedCrowd<'b>)>,
}

impl SavedWorld<'_> {
    /// What its crowds share, after some of them went on in other machines: `plans` by place of the
    /// crowd.
    pub fn reloaded_shared(&self, plans: &[Option<Reload>]) -> Result<Vec<u8>, WorldSnapshotError> {
        let mut reader = Reader::new(&self.shared);
        let mut shared = Shared::read(&mut reader)?;
        reader.end()?;
        shared.failed = reloaded(&shared.failed, plans);
        let mut bytes = Vec::new();
        shared.put(&mut bytes);
        Ok(bytes)
    }
}

impl<C: Context + ?Sized> World<C> {
    /// The whole world for a save.
    pub fn to_saved(&self) -> Result<SavedWorld<'static>, WorldSnapshotError> {
        let mut shared = Vec::new();
        self.put_shared(&mut shared);
        let mut crowds = Vec::new();
        for (_, member) in self.members() {
            let name = member.name.clone();
            match member.to_saved() {
                Some(saved) => crowds.push((name, saved)),
                None => return Err(WorldSnapshotError::Unsaved(name)),
            }
        }
        let shared = shared.into();
        Ok(SavedWorld { shared, crowds })
    }

    /// Becomes what a save holds: each crowd by a plan from the machine of the save to its own. The world
    /// must have exactly the crowds of the save, by name. If anything is refused, nothing changes. What
    /// became of the agents of each crowd.
    pub fn load_saved(
        &mut self,
        saved: &SavedWorld<'_>,
    ) -> Result<Vec<(String, ReloadReport)>, WorldSnapshotError> {
        let mut reader = Reader::new(&saved.shared);
        let shared = Shared::read(&mut reader)?;
        reader.end()?;
        let names: Vec<&str> = saved.crowds.iter().map(|(name, _)| name.as_str()).collect();
        let is_double = |place: usize| names[..place].contains(&names[place]);
        if (1..names.len()).any(is_double) {
            return Err(WorldSnapshotError::Content("two crowds have one name"));
        }
        self.check_names(&names)?;
        let (mut prepared, mut reports, mut plans) = (Vec::new(), Vec::new(), Vec::new());
        for (name, crowd) in &saved.crowds {
            let (place, plan, report) = self.prepare_saved_crowd(name, crowd)?;
            prepared.push(place);
            plans.push(plan);
            reports.push((name.clone(), report));
        }
        let plans: Vec<Option<Reload>> = plans.into_iter().map(Some).collect();
        let failed = reloaded(&shared.failed, &plans);
        let failed = self.place_failures(&failed, &names)?;
        self.keep_shared(shared, failed, &names, &prepared)?;
        self.enter(WorldInput::Load);
        Ok(reports)
    }

    fn prepare_saved_crowd(
        &mut self,
        name: &str,
        saved: &SavedCrowd<'_>,
    ) -> Result<((crate::CrowdNumber, u64), Reload, ReloadReport), WorldSnapshotError> {
        let mut members = self.members.iter_mut().flatten();
        let member = members.find(|member| member.name == name);
        let Some(member) = member else {
            return Err(WorldSnapshotError::MissingCrowd(name.to_owned()));
        };
        let plan = Reload::plan(&saved.machine, member.machine());
        match member.prepare_saved(saved, &plan) {
            Some(Ok((number, now, report))) => Ok(((number, now), plan, report)),
            Some(Err(error)) => Err(WorldSnapshotError::Load {
                crowd: name.to_owned(),
                error,
            }),
            None => Err(WorldSnapshotError::Unsaved(name.to_owned())),
        }
    }
}

/// Messages that nobody got, with the numbers of the new machines. Those of events that are gone are
/// forgotten.
fn reloaded(failed: &Failures, plans: &[Option<Reload>]) -> Failures {
    let mut moved = Failures::new();
    for (failure, count) in failed {
        let plan = match failure.from {
            CrowdIndex::At(place) => plans.get(place).and_then(Option::as_ref),
            CrowdIndex::Left => None,
        };
        let event = match (EventId::new(failure.event), plan) {
            (Some(event), Some(plan)) => plan.plan.event(event).map(EventId::raw),
            _ => Some(failure.event),
        };
        if let Some(event) = event {
            *moved.entry(Failure { event, ..*failure }).or_default() += count;
        }
    }
    moved
}
