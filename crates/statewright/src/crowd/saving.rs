//! A crowd as a save keeps it (SAVE-1, SAVE-2): with the machine that gives its bytes a meaning, and
//! with the form of its blackboards. So it can be loaded by another version of the game.
//!
//! ```text
//!  agents ── read under their own machine ──▶ mapped to the machine of today (LOAD-1 to LOAD-7) ─┐
//!  boards ── keys by name and type, fields by name and type ─────────────────────────────────────┴▶ Input::Restore
//! ```

use std::borrow::Cow;
use std::fmt;

use statewright_bytes::Reader;
use statewright_kernel::{self as kernel, Event};
use statewright_rom::layout::event_flag;

use super::agents::Agents;
use super::inspection::{Inspection, Seer};
use super::instances::with_instances;
use super::reload::{Before, letter, map_variants};
use super::snapshot::{Parts, Restored, SnapshotError};
use super::{Crowd, Input};
use crate::agent_id::CrowdNumber;
use crate::blackboard::Blackboard;
use crate::board::Board;
use crate::context::Context;
use crate::machine::Machine;
use crate::parameters::hashes;
use crate::reload::{Extent, Reload, ReloadError, ReloadReport};
use crate::saved::Saved;
use crate::saved::convert::{Converter, FormError, FormProblem};
use crate::saved::form::{Form, Forms};
use crate::saved::many::save_all;

/// A crowd with everything that is needed to read it again.
#[derive(Clone, Debug)]
pub struct SavedCrowd<'b> {
    /// The machine that its agents are of.
    pub machine: Machine,
    /// All but the blackboards, of version [`SNAPSHOT_FORMAT`](crate::SNAPSHOT_FORMAT).
    pub agents: Cow<'b, [u8]>,
    /// What the bytes of a blackboard mean.
    pub forms: Forms,
    /// All blackboards, one behind the other.
    pub boards: Cow<'b, [u8]>,
}

/// What is known of a saved crowd without its blackboards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SavedSummary {
    /// How many agents there are.
    pub agents: usize,
    /// Of these, how many are none that the machine could have made: a tick would quarantine them.
    pub damaged: usize,
    /// The next tick.
    pub now: u64,
    /// What ids of its agents know it by.
    pub number: CrowdNumber,
    /// Events under way.
    pub letters: usize,
}

/// Why a save was not loaded; everything is as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadError {
    /// The agents cannot be read.
    Agents(SnapshotError),
    /// The plan is one of other machines.
    Plan(ReloadError),
    /// A blackboard does not become one of today's.
    Board {
        /// Index of the agent.
        agent: usize,
        /// Why.
        error: FormError,
    },
    /// The blackboards end too early, or do not end where they should.
    Length,
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Agents(SnapshotError::Length) => {
                f.write_str("the agents are damaged: they have another length than they say")
            }
            Self::Agents(SnapshotError::Content(what)) => {
                write!(f, "the agents are damaged: {what}")
            }
            Self::Agents(error) => error.fmt(f),
            Self::Plan(error) => error.fmt(f),
            Self::Board { agent, error } => write!(f, "agent {agent}: {error}"),
            Self::Length => f.write_str("the blackboards have another length than they should"),
        }
    }
}

impl std::error::Error for LoadError {}

impl From<SnapshotError> for LoadError {
    fn from(error: SnapshotError) -> Self {
        Self::Agents(error)
    }
}

/// Saves.
impl<B: Board + Saved, C: Context + ?Sized> Crowd<B, C> {
    /// The whole crowd for a save.
    pub fn to_saved(&self) -> SavedCrowd<'static> {
        let (mut agents, mut boards) = (Vec::new(), Vec::new());
        self.put_agents(&mut agents);
        save_all(&self.agents.boards, &mut boards);
        let saved = SavedCrowd {
            machine: self.machine().clone(),
            agents: agents.into(),
            forms: Forms::of::<B>(),
            boards: boards.into(),
        };
        saved.without_ephemeral()
    }

    /// Becomes what a save holds, by a plan from the machine of the save to that of the crowd. If it is
    /// refused, nothing changes. With equal machines this is a plain restore.
    pub fn load_saved(
        &mut self,
        saved: &SavedCrowd<'_>,
        plan: &Reload,
    ) -> Result<ReloadReport, LoadError> {
        let (restored, report) = self.read_saved(saved, plan)?;
        self.enter(Input::Restore(Box::new(restored)));
        Ok(report)
    }

    /// What [`Self::load_saved`] would do. Nothing changes.
    pub fn preview_saved(
        &self,
        saved: &SavedCrowd<'_>,
        plan: &Reload,
    ) -> Result<ReloadReport, LoadError> {
        self.read_saved(saved, plan).map(|(_, report)| report)
    }

    /// Reads a save into the memory that is kept for a restore; the crowd is as it was.
    pub(crate) fn prepare_saved(
        &mut self,
        saved: &SavedCrowd<'_>,
        plan: &Reload,
    ) -> Result<(CrowdNumber, u64, ReloadReport), LoadError> {
        let (restored, report) = self.read_saved(saved, plan)?;
        let (number, now) = (restored.agents.number, restored.now);
        self.spare = Some(Box::new(restored));
        Ok((number, now, report))
    }

    fn read_saved(
        &self,
        saved: &SavedCrowd<'_>,
        plan: &Reload,
    ) -> Result<(Restored<B>, ReloadReport), LoadError> {
        let (plan_hashes, own) = (plan.hashes(), hashes(self.machine()));
        if plan_hashes != [hashes(&saved.machine), own] {
            return Err(LoadError::Plan(ReloadError::Plan {
                plan: plan_hashes,
                found: [hashes(&saved.machine), own],
            }));
        }
        let (restored, report) = saved.reloaded(plan)?;
        let boards = saved.boards_of::<B>(plan, restored.agents.slots())?;
        Ok((restored.with_boards(boards), report))
    }
}

impl SavedCrowd<'_> {
    /// The same with bytes of its own.
    pub fn into_owned(self) -> SavedCrowd<'static> {
        SavedCrowd {
            machine: self.machine,
            agents: self.agents.into_owned().into(),
            forms: self.forms,
            boards: self.boards.into_owned().into(),
        }
    }

    /// Reads all but the blackboards, and looks at every agent.
    pub fn summary(&self) -> Result<SavedSummary, LoadError> {
        let restored = self.read()?;
        let rom = self.machine.rom();
        let damaged = with_instances!(&restored.agents.instances, list => {
            let present = restored.agents.present(list);
            present.filter(|instance| kernel::check(&rom, *instance).is_err()).count()
        });
        Ok(SavedSummary {
            agents: restored.agents.len(),
            damaged,
            now: restored.now,
            number: restored.agents.number,
            letters: restored.envelopes.len(),
        })
    }

    /// Everything that agents are, by name and with the values of their blackboards if these have the keys
    /// of the machine; indices where nobody is are left out.
    pub fn inspect(&self, indices: &[usize]) -> Result<Vec<Inspection>, LoadError> {
        let restored = self.read()?;
        let (agents, rom) = (&restored.agents, self.machine.rom());
        let seer = Seer {
            machine: &self.machine,
            rom: &rom,
            now: restored.now as u32,
        };
        let mut boards = Vec::new();
        let last = indices.iter().max().map_or(0, |last| last + 1);
        if has_keys(&self.forms) {
            let mut bytes = &*self.boards;
            for _ in 0..last.min(agents.slots()) {
                boards.push(self.next_board(&mut bytes)?);
            }
        }
        let is_there = |index: &usize| {
            agents
                .generations
                .get(*index)
                .is_some_and(|one| one % 2 == 1)
        };
        let see = |index: usize| {
            let id = agents.roster().at(index);
            let mut seen = with_instances!(&agents.instances, list => seer.see(id, &list[index]));
            seen.tick = restored.now;
            seen.variant = seer.variant(agents.variant(index));
            let board = boards.get(index);
            seen.blackboard =
                board.map_or_else(Vec::new, |board| seer.keys(|key| board.read(key.index())));
            seen
        };
        Ok(indices.iter().copied().filter(is_there).map(see).collect())
    }

    /// The next of the blackboards that have the keys of the machine.
    fn next_board(&self, bytes: &mut &[u8]) -> Result<Blackboard, LoadError> {
        let board = match *self.forms.root() {
            Form::KeyWords(words) => Blackboard::load_words(&self.machine, words, bytes),
            _ => Blackboard::load(&self.machine, bytes),
        };
        board.ok_or(LoadError::Length)
    }

    /// Without events that mean something for a moment only (EVT-1).
    fn without_ephemeral(self) -> Self {
        let rom = self.machine.rom();
        let is_ephemeral = |event: &Event| {
            let record = event.id().and_then(|id| rom.event(id));
            record.is_some_and(|record| record.flags & event_flag::EPHEMERAL != 0)
        };
        let mut types = rom.events().iter();
        if !types.any(|record| record.flags & event_flag::EPHEMERAL != 0) {
            return self;
        }
        let Ok(mut restored) = self.read() else {
            return self;
        };
        with_instances!(&mut restored.agents.instances, list => {
            list.iter_mut().for_each(|one| kernel::forget_events(one, is_ephemeral));
        });
        restored.envelopes.retain(|one| !is_ephemeral(&one.event));
        let mut agents = Vec::new();
        restored.put(&mut agents);
        Self {
            agents: agents.into(),
            ..self
        }
    }

    /// The same crowd for another version of its machine. Blackboards with the keys of the machine go
    /// by name and type; types of the user's own are left alone (LOAD-6).
    pub fn migrate(&self, plan: &Reload) -> Result<(SavedCrowd<'static>, ReloadReport), LoadError> {
        let (restored, report) = self.reloaded(plan)?;
        let slots = restored.agents.slots();
        let mut agents = Vec::new();
        restored.put(&mut agents);
        let forms = match *self.forms.root() {
            // Other words than before, perhaps.
            Form::KeyWords(_) => Forms::just(Form::KeyWords(0)),
            _ => self.forms.clone(),
        };
        let boards = match has_keys(&forms) {
            true => self.keys_in(&forms, plan, slots)?,
            false => self.boards.to_vec(),
        };
        let migrated = SavedCrowd {
            machine: plan.new.clone(),
            agents: agents.into(),
            forms,
            boards: boards.into(),
        };
        Ok((migrated, report))
    }

    /// Are the blackboards as their form says? `None` if only the program that saved them can tell.
    pub fn check_boards(&self) -> Option<Result<(), LoadError>> {
        if !self.forms.is_known() {
            return None;
        }
        let slots = match self.read() {
            Ok(restored) => restored.agents.slots(),
            Err(error) => return Some(Err(error)),
        };
        let mut converter = self.converter(&self.machine, &self.forms);
        let mut bytes = &*self.boards;
        for agent in 0..slots {
            if let Err(error) = converter.skip_board(&mut bytes) {
                return Some(Err(LoadError::Board { agent, error }));
            }
        }
        Some(if bytes.is_empty() {
            Ok(())
        } else {
            Err(LoadError::Length)
        })
    }

    /// Agents of its own machine.
    fn read(&self) -> Result<Restored<()>, LoadError> {
        let mut restored = Restored::empty(&self.machine);
        let mut reader = Reader::new(&self.agents);
        restored.read_agents(&mut reader, &self.machine)?;
        reader.end().map_err(SnapshotError::from)?;
        let slots = restored.agents.slots();
        restored.agents.boards.resize(slots, ());
        Ok(restored)
    }

    /// Agents of the new machine.
    fn reloaded(&self, plan: &Reload) -> Result<(Restored<()>, ReloadReport), LoadError> {
        let mut restored = self.read()?;
        let report = restored.reload(plan);
        Ok((restored, report))
    }

    fn converter<'f>(&'f self, machine: &'f Machine, new: &'f Forms) -> Converter<'f> {
        Converter {
            machine,
            old: &self.forms,
            new,
            // Each step but a few takes a byte, or is one of those that a form has.
            steps: self.boards.len() as u64 * 8 + (1 << 20),
        }
    }

    /// Blackboards of a type, in the new machine.
    fn boards_of<B: Saved>(&self, plan: &Reload, slots: usize) -> Result<Vec<B>, LoadError> {
        let forms = Forms::of::<B>();
        let keys = match has_keys(&self.forms) && has_keys(&forms) {
            true => Some(self.keys_in(&forms, plan, slots)?),
            false => None,
        };
        let is_same = keys.is_some() || forms.to_bytes() == self.forms.to_bytes();
        let mut bytes = keys.as_deref().unwrap_or(&self.boards);
        let mut converter = self.converter(&plan.old, &forms);
        let (mut boards, mut converted) = (Vec::new(), Vec::new());
        for agent in 0..slots {
            let damaged = || LoadError::Board {
                agent,
                error: FormError {
                    field: String::new(),
                    problem: FormProblem::Damaged,
                },
            };
            let board = if is_same {
                B::load(&plan.new, &mut bytes)
            } else {
                converted.clear();
                let done = converter.board(&mut bytes, &mut converted);
                done.map_err(|error| LoadError::Board { agent, error })?;
                let mut own = &converted[..];
                let board = B::load(&plan.new, &mut own);
                board.filter(|_| own.is_empty())
            };
            boards.push(board.ok_or_else(damaged)?);
        }
        if bytes.is_empty() {
            Ok(boards)
        } else {
            Err(LoadError::Length)
        }
    }

    /// Blackboards with the keys of the machine, in the new one and in another layout.
    fn keys_in(&self, forms: &Forms, plan: &Reload, slots: usize) -> Result<Vec<u8>, LoadError> {
        let mut bytes = &*self.boards;
        let mut out = Vec::new();
        for _ in 0..slots {
            let mut board = self.next_board(&mut bytes)?;
            board.reload(&plan.keys);
            match *forms.root() {
                Form::KeyWords(words) => board.save_words(words, &mut out),
                _ => board.save(&mut out),
            }
        }
        if bytes.is_empty() {
            Ok(out)
        } else {
            Err(LoadError::Length)
        }
    }
}

impl Reload {
    /// A blackboard of a save as one of today, by name and type (SAVE-2, LOAD-6): for hosts that keep agents
    /// and blackboards themselves. The bytes are those that a value of this form had while its agent ran
    /// the old machine of the plan.
    pub fn saved_board<B: Saved>(&self, forms: &Forms, bytes: &[u8]) -> Result<B, LoadError> {
        let saved = SavedCrowd {
            machine: self.old.clone(),
            agents: Cow::Borrowed(&[]),
            forms: forms.clone(),
            boards: Cow::Borrowed(bytes),
        };
        let boards = saved.boards_of(self, 1)?;
        boards.into_iter().next().ok_or(LoadError::Length)
    }
}

/// Does a blackboard hold the keys of the machine, and nothing else?
fn has_keys(forms: &Forms) -> bool {
    matches!(forms.root(), Form::Keys | Form::KeyWords(_))
}

impl Restored<()> {
    /// Agents of the old machine become those of the new one.
    fn reload(&mut self, plan: &Reload) -> ReloadReport {
        let before = Before {
            agents: &self.agents,
            parameters: &self.parameters,
            now: self.now,
            spread: false,
        };
        let (instances, mut report) = before.prepare(plan);
        let parameters = before.parameters_of(plan);
        if let Some(instances) = instances {
            let letters = self.envelopes.len();
            let kept = std::mem::take(&mut self.envelopes);
            let kept = kept.into_iter();
            self.envelopes = kept.filter_map(|one| letter(plan, one)).collect();
            report.lost_letters = letters - self.envelopes.len();
            self.agents.instances = instances;
            map_variants(&mut self.agents, plan);
        } else if plan.extent() == Extent::Parameters {
            self.find_work(&plan.new);
        }
        self.parameters.replace(&plan.new, &parameters);
        self.hashes = hashes(&plan.new);
        report
    }

    /// Everybody finds out anew what it has to do (LOAD-2).
    fn find_work(&mut self, machine: &Machine) {
        let rom = machine.rom();
        let Agents {
            instances,
            generations,
            ..
        } = &mut self.agents;
        with_instances!(instances, list => {
            let all = list.iter_mut().zip(generations);
            let present = all.filter(|(_, generation)| **generation % 2 == 1);
            present.for_each(|(instance, _)| kernel::renew(&rom, instance));
        });
    }

    fn put(&self, bytes: &mut Vec<u8>) {
        let parts = Parts {
            agents: &self.agents,
            now: self.now,
            stopping: &self.stopping,
            parameters: &self.parameters,
            totals: &self.totals,
        };
        let envelopes = self.envelopes.iter().copied();
        parts.put(bytes, self.envelopes.len(), envelopes);
    }
}
