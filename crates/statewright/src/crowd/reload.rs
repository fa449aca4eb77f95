//! A crowd under another version of its machine (LOAD-1 to LOAD-7).

use std::ops::Range;
use std::sync::Arc;

use statewright_kernel::{self as kernel, ByTier, Instance, Tier, flag};
use statewright_reload::{Extent, Mapped, Mapper, Quick};
use statewright_rom::Rom;
use statewright_trace::{Filter, Settings};

use super::agents::{Agents, Roster};
use super::instances::{Instances, with_instances};
use super::mailbox::Envelope;
use super::{Crowd, Input};
use crate::board::Board;
use crate::context::Context;
use crate::parameters::{ParameterChange, Parameters, hashes};
use crate::program::Program;
use crate::reload::{Reload, ReloadError, ReloadReport};
use crate::slices::channels;

/// What a reload is about to put in place: found before anything changes.
#[derive(Debug)]
pub struct Reloaded {
    reload: Box<Reload>,
    /// Instances of the new machine; `None` if bytes stay as they are.
    instances: Option<Instances>,
    report: ReloadReport,
}

impl Reloaded {
    /// By which plan.
    pub fn plan(&self) -> &Reload {
        &self.reload
    }

    /// What becomes of the agents.
    pub fn report(&self) -> &ReloadReport {
        &self.report
    }
}

/// Reloads.
impl<B: Board, C: Context + ?Sized> Crowd<B, C> {
    /// What a reload by this plan would do to the agents of this crowd. Nothing changes.
    pub fn preview(&self, plan: &Reload) -> Result<ReloadReport, ReloadError> {
        let own = hashes(self.machine());
        self.check_plan(plan, [own, plan.hashes()[1]])?;
        Ok(self.prepare_reload(plan, false).1)
    }

    /// Another version of the machine takes the place of the one that runs, with its functions. Either
    /// everything is done or nothing changes.
    ///
    /// Commands and records of the last tick end. If the structure changed, tokens given out before are void,
    /// and numbers in records are others: [`Self::write_trace`] says so in the file.
    pub fn reload(
        &mut self,
        program: impl Into<Arc<Program<B, C>>>,
        plan: Reload,
    ) -> Result<ReloadReport, ReloadError> {
        self.reload_by(program.into(), plan, false)
    }

    /// The same with agents on all cores: the same bytes and the same report, however many there are.
    #[cfg(feature = "parallel")]
    pub fn reload_parallel(
        &mut self,
        program: impl Into<Arc<Program<B, C>>>,
        plan: Reload,
    ) -> Result<ReloadReport, ReloadError> {
        self.reload_by(program.into(), plan, true)
    }

    fn reload_by(
        &mut self,
        program: Arc<Program<B, C>>,
        plan: Reload,
        spread: bool,
    ) -> Result<ReloadReport, ReloadError> {
        self.check_plan(&plan, [hashes(self.machine()), hashes(program.machine())])?;
        self.settings.check(program.strict)?;
        let (instances, report) = self.prepare_reload(&plan, spread);
        self.incoming = Some(program);
        self.enter(Input::Reload(Box::new(Reloaded {
            reload: Box::new(plan),
            instances,
            report: report.clone(),
        })));
        Ok(report)
    }

    fn check_plan(&self, plan: &Reload, found: [[u64; 2]; 2]) -> Result<(), ReloadError> {
        if plan.hashes() == found {
            return Ok(());
        }
        Err(ReloadError::Plan {
            plan: plan.hashes(),
            found,
        })
    }

    /// Everything that is found without a change.
    fn prepare_reload(&self, plan: &Reload, spread: bool) -> (Option<Instances>, ReloadReport) {
        let before = Before {
            spread,
            ..self.before()
        };
        let (mapped, mut report) = before.prepare(plan);
        if mapped.is_some() {
            report.lost_letters = self.mailbox.len() - self.letters(plan).count();
        }
        report.trace_ended = self.trace_settings().is_some() && self.filter_of(plan).is_none();
        (mapped, report)
    }

    fn before(&self) -> Before<'_, B> {
        Before {
            agents: &self.agents,
            parameters: &self.parameters,
            now: self.schedule.now,
            spread: false,
        }
    }

    /// Letters under way that arrive (LOAD-7).
    fn letters<'c>(&'c self, plan: &'c Reload) -> impl Iterator<Item = Envelope> + 'c {
        let envelopes = self.mailbox.envelopes(self.agents.roster());
        envelopes.filter_map(|envelope| letter(plan, envelope))
    }

    /// What is recorded from now on; `None` if nothing is, or if all that was named is gone.
    fn filter_of(&self, plan: &Reload) -> Option<Arc<Filter>> {
        let settings = self.trace_settings()?;
        let states = settings.states.iter();
        let events = settings.events.iter();
        let moved = Settings {
            states: states.filter_map(|&state| plan.plan.state(state)).collect(),
            events: events.filter_map(|&event| plan.plan.event(event)).collect(),
            ..settings.clone()
        };
        let is_empty = |before: usize, after: usize| before > 0 && after == 0;
        let ends = is_empty(settings.states.len(), moved.states.len())
            || is_empty(settings.events.len(), moved.events.len());
        let filter = Filter::new(&plan.new.rom(), moved).ok();
        filter.filter(|_| !ends).map(Arc::new)
    }
}

/// A letter under way in the new machine, if it arrives (LOAD-7).
pub(crate) fn letter(plan: &Reload, mut envelope: Envelope) -> Option<Envelope> {
    let event = plan.plan.event(envelope.event.id()?)?;
    envelope.event.id.set(event.raw());
    Some(envelope)
}

/// What a reload maps: the agents of a crowd, or those of a save.
pub(super) struct Before<'c, B> {
    pub(super) agents: &'c Agents<B>,
    pub(super) parameters: &'c Parameters,
    /// The next tick.
    pub(super) now: u64,
    /// On all cores.
    #[cfg_attr(not(feature = "parallel"), expect(dead_code, reason = "there is one"))]
    pub(super) spread: bool,
}

/// Agents that are mapped in one go where several threads do it.
#[cfg(feature = "parallel")]
const PART: usize = 4096;

impl<B> Before<'_, B> {
    /// Instances of the new machine, `None` if bytes stay as they are; and what becomes of the agents.
    pub(super) fn prepare(&self, plan: &Reload) -> (Option<Instances>, ReloadReport) {
        let mut report = ReloadReport::new(plan.extent(), plan.hashes());
        let (old, new) = (plan.old.rom(), plan.new.rom());
        let Some(mapper) = Mapper::new(&plan.plan, &old, &new, self.now as u32) else {
            return (None, report);
        };
        let is_structure = plan.extent() == Extent::Structure;
        let mapped = is_structure.then(|| {
            Instances(match new.tier() {
                Tier::Crowd => ByTier::Crowd(self.mapped(&mapper, plan, &mut report)),
                Tier::Standard => ByTier::Standard(self.mapped(&mapper, plan, &mut report)),
                Tier::Hero => ByTier::Hero(self.mapped(&mapper, plan, &mut report)),
            })
        });
        if !is_structure {
            self.count_unmapped(&mapper, plan, &mut report);
        }
        let indices = self.agents.ids().map(|agent| agent.index() as usize);
        let is_gone = |&index: &usize| plan.plan.variant(self.agents.variant(index)).is_none();
        let keys = plan.keys().retyped().chain(plan.keys().gone());
        report.lost_keys = keys.map(str::to_owned).collect();
        report.lost_variants = indices.filter(is_gone).count();
        report.lost_parameters = self.parameters.changes().len() - self.parameters_of(plan).len();
        (mapped, report)
    }

    /// Agents whose bytes stay as they are. Who runs on an old deadline is looked for only if a timer
    /// lasts another time now.
    fn count_unmapped(&self, mapper: &Mapper<'_>, plan: &Reload, report: &mut ReloadReport) {
        let looks = plan.plan.changes_timers();
        for agent in self.agents.ids() {
            let index = agent.index() as usize;
            let flags = self.agents.flags(index);
            if flags & flag::ENDED != 0 {
                report.ended += 1;
            } else if flags & flag::STARTED == 0 {
                report.unstarted += 1;
            } else {
                report.kept += 1;
                // The tier is the same, or the structure would have changed.
                let is_old = looks
                    && with_instances!(&self.agents.instances, list => {
                        let one = list[index];
                        same_tier(mapper, &one).on_old_deadline
                    });
                report.on_old_deadlines += usize::from(is_old);
            }
        }
    }

    /// All instances in the new machine, at the same indices.
    fn mapped<N: Instance + Send + Sync>(
        &self,
        mapper: &Mapper<'_>,
        plan: &Reload,
        report: &mut ReloadReport,
    ) -> Vec<N> {
        let all = 0..self.agents.slots();
        // Looking at every leaf first pays if there are more agents than that.
        let quick = match all.len() > plan.old.rom().states().len() {
            true => Quick::new(*mapper),
            false => Quick::of_few(*mapper),
        };
        #[cfg(feature = "parallel")]
        if self.spread {
            return self.mapped_in_parallel(&quick, plan, report);
        }
        self.source().mapped(all, &quick, plan, report)
    }

    /// The part of the agents that is mapped.
    fn source(&self) -> Source<'_> {
        Source {
            instances: &self.agents.instances,
            generations: &self.agents.generations,
            roster: self.agents.roster(),
        }
    }

    /// The same on all cores: what a part came to is put together in the order of agents, so that it is
    /// the same on any number of threads.
    #[cfg(feature = "parallel")]
    fn mapped_in_parallel<N: Instance + Send + Sync>(
        &self,
        quick: &Quick<'_, N>,
        plan: &Reload,
        report: &mut ReloadReport,
    ) -> Vec<N> {
        use rayon::prelude::*;
        let (slots, source) = (self.agents.slots(), self.source());
        let parts = (0..slots.div_ceil(PART)).into_par_iter().map(|part| {
            let mut report = ReloadReport::new(plan.extent(), plan.hashes());
            let range = part * PART..slots.min((part + 1) * PART);
            let list: Vec<N> = source.mapped(range, quick, plan, &mut report);
            (list, report)
        });
        let parts: Vec<(Vec<N>, ReloadReport)> = parts.collect();
        let mut all = Vec::with_capacity(slots);
        for (list, part) in parts {
            all.extend(list);
            report.add(part);
        }
        all
    }

    /// Changed parameters of the new machine, by name and type.
    pub(super) fn parameters_of(&self, plan: &Reload) -> Vec<ParameterChange> {
        let (old, new) = (plan.old.rom(), plan.new.rom());
        let moved = |change: &ParameterChange| {
            let name = old.parameter(change.parameter)?.name_hash;
            let mut parameters = new.parameters().iter();
            let place = parameters.position(|one| one.name_hash == name && one.ty == change.ty)?;
            Some(ParameterChange {
                variant: plan.plan.variant(change.variant)?,
                parameter: statewright_rom::ids::ParameterId::from_index(place)?,
                ..*change
            })
        };
        let changes = self.parameters.changes().iter();
        let mut changes: Vec<ParameterChange> = changes.filter_map(moved).collect();
        changes.sort_by_key(ParameterChange::place);
        changes
    }
}

/// Instances with who is there: all that mapping looks at, whatever blackboards there are.
#[derive(Clone, Copy)]
struct Source<'c> {
    instances: &'c Instances,
    generations: &'c [u32],
    roster: Roster<'c>,
}

impl Source<'_> {
    /// Instances of some indices in the new machine.
    fn mapped<N: Instance>(
        self,
        range: Range<usize>,
        quick: &Quick<'_, N>,
        plan: &Reload,
        report: &mut ReloadReport,
    ) -> Vec<N> {
        let nobody = N::of_machine(plan.new.id(), 0, 0);
        let mut map = |index: usize, mapped: (N, Mapped)| {
            let ((new, mapped), agent) = (mapped, self.roster.at(index));
            report.count(agent, &mapped);
            if mapped.released != 0 {
                let released = channels(&plan.old, mapped.released);
                report
                    .released
                    .extend(released.map(|channel| (agent, channel)));
            }
            new
        };
        with_instances!(self.instances, list => {
            range.map(|index| match self.generations[index] % 2 {
                0 => nobody,
                _ => map(index, quick.map(&list[index])),
            })
            .collect()
        })
    }
}

/// What becomes of an instance in a machine of its own tier.
fn same_tier<I: Instance>(mapper: &Mapper<'_>, instance: &I) -> Mapped {
    mapper.map::<I, I>(instance).1
}

/// Variants by name; one that is gone becomes the plain one (LOAD-6).
pub(super) fn map_variants<B>(agents: &mut Agents<B>, reload: &Reload) {
    for variant in &mut agents.variants {
        let to = reload.plan.variant(*variant);
        *variant = to.unwrap_or(statewright_rom::ids::VariantId::PLAIN);
    }
}

/// Carrying it out.
impl<B: Board, C: Context + ?Sized> Crowd<B, C> {
    /// What was prepared takes effect.
    pub(super) fn become_reloaded(&mut self, reloaded: Reloaded) {
        let Some(program) = self.incoming.take() else {
            return;
        };
        let Reloaded {
            reload, instances, ..
        } = reloaded;
        let parameters = self.before().parameters_of(&reload);
        let filter = self.filter_of(&reload);
        self.last.forget();
        self.spare = None;
        if let Some(instances) = instances {
            let letters: Vec<Envelope> = self.letters(&reload).collect();
            self.mailbox.replace(letters);
            self.agents.instances = instances;
            map_variants(&mut self.agents, &reload);
            for board in &mut self.agents.boards {
                board.reload(&reload.keys);
            }
        }
        if self.trace_settings().is_some() {
            self.tracing.set_filter(filter, self.schedule.now as u32);
        }
        self.program = program;
        self.parameters.replace(&reload.new, &parameters);
        self.command_bytes = self.settings.budget_for(&self.program.machine().rom());
        self.reloads += 1;
        match reload.extent() {
            Extent::Structure => {
                self.owed.clear();
                self.wake_by_state();
                self.restart_trace();
            }
            Extent::Parameters => self.owe_turns(),
            Extent::Nothing => {}
        }
        self.look_at_everybody();
    }

    /// Every agent has a turn in the next tick, in which it finds out anew what it has to do (LOAD-2).
    fn owe_turns(&mut self) {
        let Self {
            agents,
            schedule,
            owed,
            ..
        } = self;
        for agent in agents.ids() {
            let index = agent.index() as usize;
            owed.insert(index);
            schedule.wake(index);
        }
    }

    /// Those who are owed a turn find out anew what they have to do; whoever is paused does it when its time goes on,
    /// but its bytes say so from now on, as in a snapshot: so a crowd that was restored is the same.
    pub(super) fn pay_turns(&mut self, rom: &Rom<'_>) {
        if self.owed.len() == 0 {
            return;
        }
        let Self { agents, owed, .. } = self;
        with_instances!(&mut agents.instances, list => {
            owed.iter().for_each(|index| kernel::renew(rom, &mut list[index as usize]));
        });
        if let Some(kept) = self.watch.as_mut().and_then(|watch| watch.digests.as_mut()) {
            kept.note_some(owed);
        }
        owed.clear();
    }
}
