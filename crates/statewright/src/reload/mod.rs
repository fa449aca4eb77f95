//! A machine changes while its agents live (LOAD-1 to LOAD-7).
//!
//! - `keys` what becomes of blackboards with the keys of a machine
//! - `report` what became of agents
//!
//! The mapping of one agent is in the crate `statewright-reload`; crowds carry it out
//! (`crowd/reload.rs`), and hosts that own their instances do it themselves ([`Reload::instance`]).

mod keys;
mod report;

use std::fmt;

use statewright_kernel::{Event, Instance};
use statewright_reload::{Mapper, Plan};
use statewright_rom::ids::VariantId;

use crate::agent_id::AgentId;
use crate::crowd::{Envelope, letter};
use crate::machine::Machine;
use crate::pipeline::WrongSettings;
use crate::slices::channels;

pub use keys::KeyPlan;
pub use report::{Group, ReloadReport};
pub use statewright_reload::{Anew, Completed, Extent, Fate, Lost, Mapped};

/// What becomes of everything in a machine when another version takes its place: by stable id, and by
/// name where there is none (LOAD-1). Made once, without agents.
///
/// ```
/// use statewright::prelude::*;
/// use statewright::{Extent, Reload};
///
/// let text = |seconds| format!(r#"{{ "machine": "Lamp", "initial": "on", "states": {{
///     "on": {{ "transitions": [{{ "after": "{seconds}s", "to": "off" }}] }}, "off": {{}} }} }}"#);
/// let [old, new] = [1, 2].map(|seconds| Machine::from_text("lamp.sw.json", &text(seconds)).unwrap());
/// let mut lamps = Crowd::new(old.bind(Functions::<(), ()>::new())?, 1);
/// let lamp = lamps.spawn(());
/// lamps.tick(&());
///
/// let plan = Reload::plan(&old, &new);
/// assert_eq!(plan.extent(), Extent::Parameters);
/// let report = lamps.reload(new.bind(Functions::new())?, plan)?;
/// assert_eq!((report.kept, lamps.path(lamp)?.as_str()), (1, "on"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Reload {
    pub(crate) plan: Plan,
    pub(crate) old: Machine,
    pub(crate) new: Machine,
    pub(crate) keys: KeyPlan,
}

impl Reload {
    /// Compares two machines.
    pub fn plan(old: &Machine, new: &Machine) -> Self {
        Self {
            plan: Plan::new(&old.rom(), &new.rom()),
            keys: KeyPlan::new(old, new),
            old: old.clone(),
            new: new.clone(),
        }
    }

    /// All agents start again, whatever they were doing.
    #[must_use]
    pub fn with_all_anew(mut self) -> Self {
        self.plan = self.plan.with_all_anew();
        self
    }

    /// Timers whose duration is another one now begin anew; without this they keep their deadline
    /// (LOAD-4).
    #[must_use]
    pub fn with_restarted_timers(mut self) -> Self {
        self.plan = self.plan.with_restarted_timers();
        self
    }

    /// Whether [`Self::with_all_anew`] was asked for.
    pub fn begins_all_anew(&self) -> bool {
        self.plan.is_asked_anew()
    }

    /// Whether [`Self::with_restarted_timers`] was asked for.
    pub fn restarts_timers(&self) -> bool {
        self.plan.restarts_timers()
    }

    /// How much changes.
    pub fn extent(&self) -> Extent {
        self.plan.extent()
    }

    /// Is the new machine no version of the old one? Then all agents begin anew.
    pub fn is_of_another_machine(&self) -> bool {
        self.plan.is_another_machine()
    }

    /// Structure and parameter hash of both machines, the old one first.
    pub fn hashes(&self) -> [[u64; 2]; 2] {
        self.plan.hashes()
    }

    /// What an instance of the host's own becomes before the tick `next`; `None` if one of the types
    /// is of another tier than its machine. With [`Extent::Parameters`] it has the same bytes but for
    /// what it has to find out anew.
    pub fn instance<O: Instance, N: Instance>(&self, old: &O, next: u64) -> Option<(N, Mapped)> {
        let (old_rom, new_rom) = (self.old.rom(), self.new.rom());
        if old_rom.tier() != O::TIER || new_rom.tier() != N::TIER {
            return None;
        }
        let mapper = Mapper::new(&self.plan, &old_rom, &new_rom, next as u32)?;
        if self.extent() == Extent::Structure {
            return Some(mapper.map(old));
        }
        let mut new = N::read_from_bytes(old.as_bytes()).ok()?;
        statewright_kernel::renew(&new_rom, &mut new);
        let mapped = Mapped {
            fate: Fate::Kept,
            ..mapper.map::<O, N>(old).1
        };
        Some((new, mapped))
    }

    /// A report of no agents yet, for hosts that map their instances themselves.
    pub fn report(&self) -> ReloadReport {
        let mut report = ReloadReport::new(self.extent(), self.hashes());
        let keys = self.keys.retyped().chain(self.keys.gone());
        report.lost_keys = keys.map(str::to_owned).collect();
        report
    }

    /// Adds what became of an agent to a report.
    pub fn note(&self, report: &mut ReloadReport, agent: AgentId, mapped: &Mapped) {
        report.count(agent, mapped);
        let released = channels(&self.old, mapped.released);
        report
            .released
            .extend(released.map(|channel| (agent, channel)));
    }

    /// An event under way in the new machine; `None` if it does not arrive (LOAD-7).
    pub fn event(&self, event: Event) -> Option<Event> {
        let to = AgentId::default();
        letter(self, Envelope { to, event }).map(|letter| letter.event)
    }

    /// A variant in the new machine; `None` if it is gone (LOAD-6).
    pub fn variant(&self, variant: VariantId) -> Option<VariantId> {
        self.plan.variant(variant)
    }

    /// What becomes of blackboards with the keys of the machine.
    pub fn keys(&self) -> &KeyPlan {
        &self.keys
    }
}

/// Why nothing was reloaded; everything is as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReloadError {
    /// The plan was made for another machine than that of the crowd, or leads to another one than that
    /// of the program.
    Plan {
        /// Structure and parameter hash that the plan has, of the old and the new machine.
        plan: [[u64; 2]; 2],
        /// Those of the crowd and of the program.
        found: [[u64; 2]; 2],
    },
    /// The crowd has settings that the new program cannot have.
    Settings(WrongSettings),
    /// An [`Input::Reload`](crate::Input::Reload) came without a program: `Crowd::reload` brings one.
    NoProgram,
    /// The crowd is not in this world.
    NotHere,
}

impl fmt::Display for ReloadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plan { plan, found } => {
                let which = if plan[0] == found[0] {
                    "leads to another machine than that of the program"
                } else {
                    "was made for another machine than that of the crowd"
                };
                write!(f, "the plan {which}: make it with the machines of both")
            }
            Self::Settings(error) => error.fmt(f),
            Self::NoProgram => f.write_str("a reload needs a program: call `Crowd::reload`"),
            Self::NotHere => crate::world::NotHere.fmt(f),
        }
    }
}

impl std::error::Error for ReloadError {}

impl From<WrongSettings> for ReloadError {
    fn from(error: WrongSettings) -> Self {
        Self::Settings(error)
    }
}
