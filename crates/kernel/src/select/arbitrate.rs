//! Which of the transitions found go together (SEL-4).

use statewright_rom::Rom;
use statewright_rom::layout::*;

use crate::context::Context;
use crate::fault::Fault;
use crate::host::Cause;
use crate::host::trace::{Reason, Trace};
use crate::instance::leaves::Leaves;
use crate::instance::ram::bit;
use crate::select::conditions::Candidate;
use crate::select::scope::Scope;
use crate::select::{Pick, Selection};
use crate::tick::Tick;

/// A transition that will be carried out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Accepted<'a> {
    pub(crate) candidate: Candidate<'a>,
    pub(crate) scope: Scope,
    pub(crate) cause: Cause,
}

/// What is kept of one: the rest is in the ROM.
#[derive(Clone, Copy, Debug)]
struct Brief {
    pick: Pick,
    scope: Scope,
}

/// Transitions that are carried out together, in the order of their effects. It lies on the stack
/// while user code runs: kept small.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step<'a> {
    rom: &'a Rom<'a>,
    /// What those that did not wait are carried out for.
    cause: Cause,
    accepted: [Option<Brief>; MAX_LEAVES],
    /// Places behind the last.
    end: u8,
}

impl<'a> Step<'a> {
    /// Nothing accepted yet.
    pub(crate) fn new(rom: &'a Rom<'a>, selection: &Selection) -> Self {
        Self {
            rom,
            cause: selection.cause,
            accepted: [None; MAX_LEAVES],
            end: 0,
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u8, Accepted<'a>)> {
        (0..self.end).filter_map(|place| Some((place, self.get(place)?)))
    }

    pub(crate) fn count(&self) -> usize {
        self.accepted.iter().flatten().count()
    }

    /// The regions that are left, in the order in which they stand in the tree. Transitions that
    /// leave several regions may have those of others between them.
    #[inline(never)]
    pub(crate) fn units(&self, cx: &Context<'_>, leaves: &Leaves) -> [Option<Unit>; MAX_LEAVES] {
        let mut units = [None; MAX_LEAVES];
        let moving = self
            .iter()
            .filter(|(_, one)| !one.candidate.has(transition_flag::INTERNAL));
        let all = moving.flat_map(|(place, one)| {
            let regions = (0_u8..).zip(cx.rom.region_ids_of(one.scope.domain));
            let left = regions.filter(move |&(number, _)| one.scope.regions & bit(number) != 0);
            left.map(move |(number, region)| {
                let span = cx.region_span(region).unwrap_or((0, 0));
                Unit {
                    place,
                    number,
                    first: span.0,
                    leaves: leaves.mask_in(span.0, span.1),
                }
            })
        });
        let mut cells = units.iter_mut();
        for unit in all {
            match cells.next() {
                Some(cell) => *cell = Some(unit),
                // More regions than leaves: some are left that are not active.
                None => cx.contradicts(),
            }
        }
        units.sort_unstable_by_key(|unit| unit.map_or(u16::MAX, |unit| unit.first));
        units
    }

    pub(crate) fn get(&self, place: u8) -> Option<Accepted<'a>> {
        let Brief { pick, scope } = (*self.accepted.get(usize::from(place))?)?;
        let candidate = Candidate::new(self.rom, pick.transition)?;
        Some(Accepted {
            candidate,
            scope,
            cause: pick.cause(self.rom, self.cause, candidate.record),
        })
    }

    /// Lost a conflict.
    fn remove(&mut self, cx: &Context<'_>, place: u8) {
        if let Some(cell) = cx.proved(self.accepted.get_mut(usize::from(place))) {
            *cell = None;
        }
    }
}

/// One region that a transition leaves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unit {
    /// The transition, by its place.
    pub(crate) place: u8,
    /// Number of the region in the domain.
    pub(crate) number: u8,
    first: u16,
    /// Active leaves in it, one bit per place.
    pub(crate) leaves: u8,
}

impl<'a> Tick<'_, 'a> {
    /// The only candidate, which nobody is in conflict with.
    pub(crate) fn accept_only(
        &mut self,
        selection: &Selection,
        pick: Pick,
    ) -> Result<Accepted<'a>, Fault> {
        let candidate = self.cx.candidate(pick.transition);
        let candidate = candidate.ok_or(Fault::Impossible)?;
        let scope = self.scope_of(pick, selection)?;
        if self.tracing {
            self.host.trace(&Trace::Taken(pick.transition));
        }
        Ok(Accepted {
            candidate,
            scope,
            cause: pick.cause(self.cx.rom, selection.cause, candidate.record),
        })
    }

    /// Accepts candidates by priority, then post-order of sources, as long as exit sets are
    /// disjoint.
    #[inline(never)]
    pub(crate) fn arbitrate(
        &mut self,
        step: &mut Step<'a>,
        selection: &Selection,
    ) -> Result<(), Fault> {
        for (cell, pick) in step.accepted.iter_mut().zip(selection.iter()) {
            let scope = self.scope_of(pick, selection)?;
            *cell = Some(Brief { pick, scope });
            step.end = step.end.saturating_add(1);
        }
        let mut left = 0_u8;
        let mut judged = 0_u8;
        // Bound: each round judges one candidate.
        for _ in 0..step.end {
            let next = self.cx.proved(step.first_unjudged(judged));
            let (place, one) = next.ok_or(Fault::Impossible)?;
            judged |= bit(place);
            if one.scope.leaves & left != 0 {
                step.remove(self.cx, place);
                self.reject(one.candidate.id, Reason::LostConflict);
            } else {
                left |= one.scope.leaves;
            }
        }
        if self.tracing {
            step.iter()
                .for_each(|(_, one)| self.host.trace(&Trace::Taken(one.candidate.id)));
        }
        Ok(())
    }

    fn scope_of(&self, pick: Pick, selection: &Selection) -> Result<Scope, Fault> {
        let scope = self.cx.scope(pick.transition, &selection.leaves);
        self.cx.proved(scope).ok_or(Fault::Impossible)
    }
}

impl<'a> Step<'a> {
    fn first_unjudged(&self, judged: u8) -> Option<(u8, Accepted<'a>)> {
        let open = self.iter().filter(|&(place, _)| judged & bit(place) == 0);
        open.reduce(|best, other| {
            if goes_before(self.rom, &other.1, &best.1) {
                other
            } else {
                best
            }
        })
    }
}

/// Priority, then post-order of the sources, then declaration.
fn goes_before(rom: &Rom<'_>, a: &Accepted<'_>, b: &Accepted<'_>) -> bool {
    let (first, second) = (a.candidate.priority(), b.candidate.priority());
    if first != second {
        return first > second;
    }
    let (x, y) = (a.candidate.source, b.candidate.source);
    if x == y {
        return a.candidate.id < b.candidate.id;
    }
    if rom.is_inside(x, y) {
        true
    } else if rom.is_inside(y, x) {
        false
    } else {
        x < y
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::panic::{AssertUnwindSafe, catch_unwind};

    use statewright_compile::{Options, compile_text};
    use statewright_rom::ids::{FunctionId, KeyId};

    use super::*;
    use crate::select::Ask;
    use crate::*;

    struct NoFunctions;
    impl Host for NoFunctions {
        fn guard(&self, _: FunctionId, _: GuardCx<'_, '_>) -> Verdict {
            Verdict::from(true)
        }
        fn score(&self, _: FunctionId, _: GuardCx<'_, '_>) -> f32 {
            0.0
        }
        fn value(&self, _: FunctionId, _: GuardCx<'_, '_>) -> [u32; 3] {
            [0; 3]
        }
        fn action(&mut self, _: FunctionId, _: ActionCx<'_, '_>) {}
        fn activity(&mut self, _: FunctionId, _: Mode, _: ActionCx<'_, '_>) -> Status {
            Status::Running
        }
        fn command(&mut self, _: &Command) -> bool {
            true
        }
        fn read_key(&self, _: KeyId) -> [u32; 3] {
            [0; 3]
        }
        fn write_key(&mut self, _: KeyId, _: [u32; 3]) {}
    }

    /// Two transitions in conflict, carried out together as if nobody had judged them: the second
    /// has lost its source to the first, and that is said.
    #[test]
    fn sel_4_an_accepted_transition_that_lost_its_source_raises_the_alarm() {
        let text = r#"{ "machine": "Torn", "tier": "standard", "initial": "both", "events": { "go": {} },
            "states": {
              "both": { "regions": {
                "left": { "initial": "a", "states": { "a": { "transitions": [{ "on": "go", "to": "b" }] }, "b": {} } },
                "right": { "initial": "c", "states": { "c": { "transitions": [{ "on": "go", "to": "out" }] } } } } },
              "out": {} } }"#;
        let (output, problems) = compile_text("torn.sw.json", text, &Options::default());
        let output = output.unwrap_or_else(|| panic!("{problems:?}"));
        let rom = output.rom.as_rom();
        let mut agent = Instance128::new(&rom, 1, 1).unwrap();
        let mut counters = Counters::default();
        tick(
            &rom,
            &mut agent,
            &mut NoFunctions,
            &Input::new(1, 0),
            &mut counters,
        );
        let mut blank = crate::instance::Header::default();
        let mut cx = Context::new(&rom, &mut counters, &mut blank, 1);
        cx.attach(agent.ram(), 0);
        let mut host = NoFunctions;
        let mut tick = Tick::new(&mut cx, &mut host, None);
        let go = statewright_rom::ids::EventId::from_index(0).unwrap();
        let ask = Ask {
            column: tick.cx.rom.event_column(go).unwrap(),
            cause: Cause::Event(go, [0; 4]),
            timer: false,
            latched: false,
            halt: None,
        };
        let selection = tick.select(&ask).unwrap();
        let mut step = Step::new(tick.cx.rom, &selection);
        for (cell, pick) in step.accepted.iter_mut().zip(selection.iter()) {
            let scope = tick.cx.scope(pick.transition, &selection.leaves).unwrap();
            *cell = Some(Brief { pick, scope });
            step.end += 1;
        }
        assert_eq!(step.end, 2, "both were found");
        let result = catch_unwind(AssertUnwindSafe(|| tick.commit(&step, &selection.leaves)));
        if cfg!(debug_assertions) {
            let message = result.unwrap_err();
            let message = message.downcast_ref::<std::string::String>().unwrap();
            assert!(message.starts_with("impossible: SEL-4"), "{message}");
        } else {
            assert_eq!(result.unwrap(), Err(Fault::Impossible));
            assert_eq!(cx.check_fault(), Err(Fault::Impossible));
        }
    }
}
