//! A batch of agents by code, each of which has something to do: what becomes of one must not depend on who stands
//! beside it (SYS-1).
//!
//! They are one agent at several moments of its life, each with the user code of that moment:
//!
//! ```text
//!   moments   7   31   40   52  ─┬─▶ each by itself, by the tables ─┐ bytes, calls, blackboard, report
//!   events    x        x    x    └─▶ all in one batch, by code ─────┘ of each; counters of all together
//! ```

use statewright_generator::Rng;
use statewright_kernel::fused::Needs;
use statewright_kernel::{
    Batch, Counters, Event, Hosts, Inbox, InboxEvent, Input, Instance, Mismatch, Report,
    SortedInbox, Visit, tick, tick_batch,
};
use statewright_rom::Rom;
use statewright_rom::ids::VariantId;

use crate::kernel_side::{ByCode, FusedCode, KernelHost};
use crate::log::Entry;
use crate::machine::CompiledCase;
use crate::scripted_user_code::ScriptedUserCode;

/// So many moments are known; later ones take the place of earlier ones.
const MOMENTS: usize = 8;
/// The number of the first agent of a batch.
const FIRST_AGENT: u64 = 500;

/// An agent at a moment of its life.
#[derive(Clone)]
struct Moment<I> {
    instance: I,
    user_code: ScriptedUserCode,
}

/// What became of an agent.
#[derive(Debug, PartialEq)]
struct Outcome {
    report: Report,
    bytes: Vec<u8>,
    log: Vec<Entry>,
    keys: Vec<[u32; 3]>,
}

impl Outcome {
    /// Who rests is not looked for on every path.
    fn new<I: Instance>(instance: &I, host: &mut KernelHost<'_>, report: &Report) -> Self {
        let user_code = host.user_code.get_mut();
        Self {
            report: Report {
                rests: false,
                ..*report
            },
            bytes: instance.as_bytes().to_vec(),
            log: user_code.take_log(),
            keys: user_code.keys.clone(),
        }
    }
}

/// Agents that may stand beside each other.
pub(crate) struct Neighbors<I> {
    rng: Rng,
    moments: Vec<Moment<I>>,
    /// What they did by code.
    pub(crate) by_code: ByCode,
}

/// A tick of all of them.
pub(crate) struct Together<'t> {
    pub(crate) compiled: &'t CompiledCase,
    pub(crate) rom: &'t Rom<'t>,
    pub(crate) tick: u32,
    /// What comes to them: to each all of it, the first of it or nothing.
    pub(crate) events: &'t [Event],
    pub(crate) code: FusedCode,
}

/// What one of them is given.
struct Turn<'t> {
    variant: VariantId,
    events: &'t [Event],
}

impl<I: Instance> Neighbors<I> {
    /// Nobody yet. Chance is its own, so that nothing else depends on what is done here.
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            rng: Rng::new(seed ^ 0x0B51_DE5E),
            moments: Vec::new(),
            by_code: ByCode::default(),
        }
    }

    /// Keeps a moment now and then, in the place of any other one if there are enough.
    pub(crate) fn note(&mut self, instance: I, user_code: &ScriptedUserCode) {
        if !self.rng.chance(20) {
            return;
        }
        let moment = Moment {
            instance,
            user_code: user_code.clone(),
        };
        if self.moments.len() < MOMENTS {
            self.moments.push(moment);
        } else {
            self.moments[self.rng.below(MOMENTS as u32) as usize] = moment;
        }
    }

    /// Runs one tick of all moments now and then, which stay what they are; the first difference between the two ways.
    pub(crate) fn tick(&mut self, together: &mut Together<'_>) -> Result<(), String> {
        if !self.rng.chance(10) {
            return Ok(());
        }
        // Either loop over agents that poll is right for every machine.
        together.code.needs.calls = self.rng.chance(50);
        let sparse = self.rng.chance(30);
        let rng = &mut self.rng;
        let variants = together.rom.variants().len().max(1) as u32;
        let turn = |_: &Moment<I>| Turn {
            variant: VariantId::from_index(rng.below(variants) as usize)
                .unwrap_or(VariantId::PLAIN),
            events: match rng.below(4) {
                0 => &[],
                1 => together.events,
                _ => &together.events[..together.events.len().min(1)],
            },
        };
        let turns: Vec<Turn<'_>> = self.moments.iter().map(turn).collect();
        let (mut alone, mut batch) = (Counters::default(), Counters::default());
        let each = self.each_alone(together, &turns, &mut alone);
        let all = self.all_in_one(together, &turns, sparse, &mut batch);
        for (place, (alone, batch)) in each.iter().zip(&all).enumerate() {
            if alone != batch {
                return Err(format!(
                    "agent {place} of {}\n  by itself:  {alone:?}\n  in a batch: {batch:?}",
                    all.len()
                ));
            }
        }
        match alone == batch {
            true => Ok(()),
            false => Err(format!(
                "counters of {} agents\n  each by itself: {alone:?}\n  in a batch:     {batch:?}",
                all.len()
            )),
        }
    }

    fn each_alone(
        &self,
        together: &Together<'_>,
        turns: &[Turn<'_>],
        counters: &mut Counters,
    ) -> Vec<Outcome> {
        let agents = (FIRST_AGENT..).zip(&self.moments).zip(turns);
        let outcome = |((agent, moment), turn): ((u64, &Moment<I>), &Turn<'_>)| {
            let mut instance = moment.instance;
            let mut host = moment.host(together.compiled, None);
            let input = Input {
                variant: turn.variant,
                inbox: Inbox::Own(turn.events),
                mismatch: Mismatch::Quarantine,
                ..Input::new(agent, together.tick)
            };
            let report = tick(together.rom, &mut instance, &mut host, &input, counters);
            Outcome::new(&instance, &mut host, &report)
        };
        agents.map(outcome).collect()
    }

    fn all_in_one(
        &mut self,
        together: &Together<'_>,
        turns: &[Turn<'_>],
        sparse: bool,
        counters: &mut Counters,
    ) -> Vec<Outcome> {
        let code = together.code;
        let mut instances: Vec<I> = self.moments.iter().map(|moment| moment.instance).collect();
        let host = |moment: &Moment<I>| moment.host(together.compiled, Some(code));
        let mut hosts: Vec<KernelHost<'_>> = self.moments.iter().map(host).collect();
        let variants: Vec<VariantId> = turns.iter().map(|turn| turn.variant).collect();
        let inbox: Vec<InboxEvent> = (0_u32..)
            .zip(turns)
            .flat_map(|(place, turn)| {
                let to_it = move |&event: &Event| InboxEvent { place, event };
                turn.events.iter().map(to_it)
            })
            .collect();
        let places: Vec<u32> = (0..turns.len() as u32).collect();
        let batch = Batch {
            first_place: 0,
            first_agent: FIRST_AGENT,
            tick: together.tick,
            variants: &variants,
            inbox: SortedInbox::new(&inbox).expect("they come in order"),
            visit: match sparse {
                true => Visit::WithEventsAnd(&places),
                false => Visit::All,
            },
            mismatch: Mismatch::Quarantine,
        };
        // Whoever is not reported has taken its events and rests.
        let taken = |turn: &Turn<'_>| Report {
            inbox_taken: turn.events.len(),
            ..Report::default()
        };
        let mut reports: Vec<Report> = turns.iter().map(taken).collect();
        let done = |at: usize, report: &Report, left: &[InboxEvent]| {
            assert_eq!(left.len() + report.inbox_taken, turns[at].events.len());
            reports[at] = *report;
        };
        let own = &mut EachOwn {
            hosts: &mut hosts,
            code,
        };
        let ran = tick_batch(together.rom, &mut instances, own, &batch, counters, done);
        ran.expect("the batch is legal");
        for host in &hosts {
            self.by_code.add(&host.by_code());
        }
        let agents = instances.iter().zip(&mut hosts).zip(&reports);
        agents
            .map(|((instance, host), report)| Outcome::new(instance, host, report))
            .collect()
    }
}

impl<I> Moment<I> {
    /// Its user code, for one tick.
    fn host<'s>(&self, compiled: &'s CompiledCase, fused: Option<FusedCode>) -> KernelHost<'s> {
        KernelHost {
            tracing: false,
            fused,
            ..KernelHost::new(compiled, self.user_code.clone())
        }
    }
}

/// A host for each.
struct EachOwn<'h, 's> {
    hosts: &'h mut [KernelHost<'s>],
    code: FusedCode,
}

impl<'s> Hosts for EachOwn<'_, 's> {
    type Host<'h>
        = &'h mut KernelHost<'s>
    where
        Self: 'h;

    fn of(&mut self, place: usize, _: u64) -> &mut KernelHost<'s> {
        &mut self.hosts[place]
    }

    fn are_fused(&self) -> bool {
        true
    }

    fn timers(&self) -> u8 {
        self.code.timers
    }

    fn needs(&self) -> Needs {
        self.code.needs
    }
}
