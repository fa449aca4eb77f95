//! Transitions: what is left, the effect, what is entered (EXEC-1).
//!
//! A function per transition, and one per state that is left or entered, so that each is written once:
//!
//! ```text
//!   take_7   leave_2 ─▶ match leaf { steady => exit_5, exit_4   aim => exit_4 … }
//!            effect
//!            enter_1, enter_3
//! ```
//!
//! Carried out by the tables: stacks, final states, whatever choices and history lead to beside a line (`found`). Left to them altogether: machines whose
//! policies change the order of things.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use statewright_rom::ids::*;
use statewright_rom::layout::*;

use crate::Fused;
use crate::call::{Place, do_apart, plain_call};
use crate::found::Found;
use crate::poll::Leaf;

/// Shapes that are found or carried out at run time.
const DYNAMIC: u16 = transition_flag::PUSH | transition_flag::POP | transition_flag::STAY;

/// Ways that are found when a transition is taken.
pub const FOUND: u16 = transition_flag::HISTORY | transition_flag::CHOICE;

/// What a transition does, part by part (EXEC-1).
pub struct Parts {
    /// What states that are left will remember.
    pub records: TokenStream,
    /// What the way depends on.
    asked: TokenStream,
    /// What is left.
    pub exits: TokenStream,
    /// What begins with it, and its effect.
    pub effect: TokenStream,
    /// What is entered.
    pub entries: TokenStream,
}

impl<'m> Fused<'m> {
    /// Are transitions of this machine carried out in the usual order?
    pub fn is_usual(&self) -> bool {
        let unusual = policy::SCXML_DETAILS | policy::REVERSE_EXIT_ORDER;
        self.rom.header().policies & unusual == 0
    }

    /// The call that carries a transition out: as code, or by the tables where its way is found at run time.
    /// What comes of it, too; `None` if only the tables know what it means.
    pub fn taking(&self, id: TransitionId) -> Option<(TokenStream, TokenStream)> {
        let number = id.raw();
        if self.take(id).is_some() {
            let take = Self::take_function(id);
            let step = match self.rests_after(id) {
                true => quote!(Taking::Rests),
                false => quote!(Taking::Taken),
            };
            // Where there are only bytes, nobody goes on after it.
            let stays = match self.rests_after(id) {
                true => quote!(plain_or_leave!(#take);),
                false => quote!(never_bare!();),
            };
            let code = quote!(#stays #take::<L, H, _>(fuse.again(), host););
            let Some(unknown) = self.unknown_way(id) else {
                return Some((code, step));
            };
            let carried = do_apart(&quote!(fuse.carry_out(host, #number)));
            let code = quote! {
                let step = match #unknown {
                    true => { #carried Taking::Carried }
                    false => { #code #step }
                };
            };
            return Some((code, quote!(step)));
        }
        let stays = self.rom.transition(id)?.flags.get() & transition_flag::STAY != 0;
        let carried = self.is_usual() && !stays;
        carried.then(|| {
            (
                do_apart(&quote!(fuse.carry_out(host, #number))),
                quote!(Taking::Carried),
            )
        })
    }

    /// Whether only the tables know the way of a transition that code takes otherwise.
    pub fn unknown_way(&self, id: TransitionId) -> Option<TokenStream> {
        let record = self.rom.transition(id)?;
        match record.flags.get() & FOUND {
            0 => None,
            _ => self.found(id)?.unknown,
        }
    }

    /// Does no state poll that a transition enters?
    pub fn rests_after(&self, id: TransitionId) -> bool {
        let is_found = |record: &TransitionRecord| record.flags.get() & FOUND != 0;
        if self.rom.transition(id).is_some_and(is_found) {
            let polling = |leaf: &Leaf<'_>| leaf.polls();
            let polling: Vec<StateId> = self
                .leaves()
                .filter(polling)
                .map(|leaf| leaf.state)
                .collect();
            let rests = |found: Found| found.leaves.iter().all(|leaf| !polling.contains(leaf));
            return self.found(id).is_some_and(rests);
        }
        let plan = self.rom.transition_plan(id);
        let plan = plan.and_then(|plan| PlanId::read(plan.plan));
        let steps = plan.map_or(&[][..], |plan| self.rom.plan_steps(plan));
        let entered = |state: StateId| steps.iter().any(|step| step.state.get() == state.raw());
        let internal = self
            .rom
            .transition(id)
            .is_some_and(|record| record.flags.get() & transition_flag::INTERNAL != 0);
        internal
            || !self
                .leaves()
                .any(|leaf| leaf.polls() && entered(leaf.state))
    }

    /// The function that carries a transition out.
    pub fn take_function(id: TransitionId) -> Ident {
        format_ident!("take_{id}")
    }

    /// All functions of transitions, with those that they call.
    pub fn takes(&self) -> Vec<(Ident, TokenStream)> {
        let ids = (0..self.rom.transitions().len()).filter_map(TransitionId::from_index);
        let takes = ids.filter_map(|id| Some((Self::take_function(id), self.take(id)?)));
        let regions = (0..self.rom.regions().len()).filter_map(RegionId::from_index);
        let leaves =
            regions.filter_map(|region| Some((leave_function(region), self.leave(region)?)));
        let states = self.rom.state_ids();
        let exits = states
            .clone()
            .filter_map(|state| Some((exit_function(state), self.exit(state)?)));
        let enters = states.filter_map(|state| Some((enter_function(state), self.enter(state)?)));
        takes.chain(leaves).chain(exits).chain(enters).collect()
    }

    /// What a transition does; `None` if only the tables know.
    pub fn parts(&self, id: TransitionId) -> Option<Parts> {
        let (record, plan) = (self.rom.transition(id)?, self.rom.transition_plan(id)?);
        let flags = record.flags.get();
        if !self.is_usual() || flags & DYNAMIC != 0 {
            return None;
        }
        let (source, domain) = (StateId::read(record.source)?, StateId::read(record.domain)?);
        let internal = flags & transition_flag::INTERNAL != 0;
        let [mut records, mut asked, mut exits, mut entries] = <[TokenStream; 4]>::default();
        if flags & FOUND != 0 {
            let found = self.found(id)?;
            let left: Vec<RegionId> = self.rom.region_ids_of(found.domain).collect();
            records = self.records(&left, source, found.domain)?;
            for region in left {
                exits.extend(self.leave_from(region, source)?);
            }
            (asked, entries) = (found.asked, found.entries);
        } else if !internal {
            let left = self.regions_left(id)?;
            records = self.records(&left, source, domain)?;
            for region in left {
                exits.extend(self.leave_from(region, source)?);
            }
            entries = self.entries(PlanId::read(plan.plan)?)?;
        }
        let mut effect = self.begin(id, record, internal)?;
        let place = Place {
            state: source.raw(),
            transition: id.raw(),
        };
        effect.extend(ListId::read(record.effect).map(|list| self.list(list, place)));
        Some(Parts {
            records,
            asked,
            exits,
            effect,
            entries,
        })
    }

    fn take(&self, id: TransitionId) -> Option<TokenStream> {
        let Parts {
            records,
            asked,
            exits,
            effect,
            entries,
        } = self.parts(id)?;
        let record = self.rom.transition(id)?;
        let (name, instance, number) = (Self::take_function(id), &self.instance, id.raw());
        let moved = record.flags.get() & transition_flag::INTERNAL == 0;
        let doc = format!(" From {}.", self.path(StateId::read(record.source)?));
        Some(quote! {
            #[doc = #doc]
            fn #name<L: Linkage<H>, H: Host, W: Work<#instance>>(mut fuse: W, host: &mut H) {
                fuse.taking(#number);
                #records
                #asked
                #exits
                #effect
                #entries
                fuse.taken(#moved);
            }
        })
    }

    /// Regions of its domain that a transition leaves; none if it is internal.
    pub fn regions_left(&self, id: TransitionId) -> Option<Vec<RegionId>> {
        let (record, plan) = (self.rom.transition(id)?, self.rom.transition_plan(id)?);
        if record.flags.get() & transition_flag::INTERNAL != 0 {
            return Some(Vec::new());
        }
        let regions = (0_u8..8).zip(self.rom.region_ids_of(StateId::read(record.domain)?));
        let left = regions.filter(|(number, _)| plan.regions >> number & 1 != 0);
        Some(left.map(|(_, region)| region).collect())
    }

    /// What begins with a transition, before its effect. Whoever leaves its source has forgotten what the
    /// source kept.
    fn begin(
        &self,
        id: TransitionId,
        record: &TransitionRecord,
        internal: bool,
    ) -> Option<TokenStream> {
        let source = StateId::read(record.source)?;
        let stays = internal || StateId::read(record.domain) == Some(source);
        let extra = self.rom.transition_extra(id);
        let keeps = self.rom.state_extra(source);
        let cools = extra.is_some_and(|extra| extra.cooldown().is_some());
        let waits = extra.is_some_and(|extra| extra.debounce().is_some())
            || keeps.is_some_and(|keeps| keeps.latch().is_some());
        if cools || stays && waits {
            return Some(do_apart(&quote!(fuse.begin_transition(host))));
        }
        let ends = matches!(
            SpecialTrigger::read(record.trigger),
            Some(SpecialTrigger::Done | SpecialTrigger::Failed)
        );
        let clear = keeps
            .filter(|_| stays && ends)
            .map(|keeps| self.clear_result(keeps));
        Some(quote!(#clear))
    }

    /// Records history points of what is left, if any of it may have some (EXEC-4).
    fn records(&self, left: &[RegionId], source: StateId, domain: StateId) -> Option<TokenStream> {
        let remembers = |state: StateId| !self.rom.history_of(state).is_empty();
        let alone = |state: &StateId| {
            let record = self.rom.state(*state);
            record.is_some_and(|record| record.region_count <= 1)
        };
        let mut around = self
            .rom
            .path_up(source)
            .skip(1)
            .take_while(|&up| up != domain);
        let is_line = source != domain && around.clone().all(|up| alone(&up)) && left.len() == 1;
        let needed = if is_line {
            around.any(remembers) || self.states_in(source).any(remembers)
        } else {
            self.rom.state_ids().any(remembers)
        };
        let mut code = TokenStream::new();
        for &region in left.iter().filter(|_| needed) {
            code.extend(self.on_the_way_up(region, &|state| {
                remembers(state).then(|| self.record(state))
            })?);
        }
        Some(code)
    }

    /// A state and those inside it.
    pub fn states_in(&self, state: StateId) -> impl Iterator<Item = StateId> + use<'m> {
        let end = self
            .rom
            .state(state)
            .map_or(0, |record| record.subtree_end.get());
        (state.raw()..end).filter_map(StateId::new)
    }

    /// The leaves that may be active on the line of a region, each with the states that are left with it,
    /// innermost first; a region stands where it is left as a whole.
    fn ways_up(&self, region: RegionId) -> Option<Vec<(StateId, Vec<Way>)>> {
        let record = self.rom.region(region)?;
        let (first, end) = self.rom.region_span(region)?;
        let owner = StateId::read(record.owner)?;
        let mut ways = Vec::new();
        for leaf in (first..end).filter_map(StateId::new) {
            let state = self.rom.state(leaf)?;
            if state.row.get() == NONE || state.leaf != record.leaf {
                continue;
            }
            let (mut way, mut at) = (Vec::new(), leaf);
            // Bound: the depth of the tree.
            loop {
                way.push(Way::State(at));
                let around = self.rom.parent(at)?;
                if around == owner {
                    break;
                }
                let mut regions = self.rom.region_ids_of(around);
                if regions.next() != RegionId::read(self.rom.state(at)?.region) {
                    return None;
                }
                for other in regions {
                    self.ways_up(other)?;
                    way.push(Way::Region(other));
                }
                at = around;
            }
            ways.push((leaf, way));
        }
        Some(ways)
    }

    /// Code for each state of a region that is active, in the order in which they are left.
    pub fn on_the_way_up(
        &self,
        region: RegionId,
        of: &dyn Fn(StateId) -> Option<TokenStream>,
    ) -> Option<TokenStream> {
        let line = usize::from(self.rom.region(region)?.leaf);
        let mut arms = TokenStream::new();
        let mut any = false;
        for (leaf, way) in self.ways_up(region)? {
            let mut code = TokenStream::new();
            for step in way {
                code.extend(match step {
                    Way::State(state) => of(state),
                    Way::Region(region) => Some(self.on_the_way_up(region, of)?),
                });
            }
            let leaf = leaf.raw();
            if !code.is_empty() {
                arms.extend(quote!(#leaf => { #code }));
                any = true;
            }
        }
        if !any {
            return Some(TokenStream::new());
        }
        Some(quote!(match fuse.leaf::<#line>() { #arms _ => {} }))
    }

    /// Leaves all that is active in a region, where a state in it is: written out for a leaf or two in that
    /// state, else by the function of the region.
    fn leave_from(&self, region: RegionId, source: StateId) -> Option<TokenStream> {
        let ways = self.ways_up(region)?;
        let line = usize::from(self.rom.region(region)?.leaf);
        let first = self
            .rom
            .state(source)
            .map(|record| usize::from(record.leaf));
        let inside = |leaf: StateId| self.rom.is_ancestor_or_self(source, leaf);
        let own: Vec<_> = ways.iter().filter(|(leaf, _)| inside(*leaf)).collect();
        let leave = |way: &[Way]| {
            let steps = way.iter().map(Way::function);
            quote!(#(#steps::<L, H, _>(fuse.again(), host);)*)
        };
        Some(match own.as_slice() {
            [(_, way)] if first == Some(line) => leave(way),
            [(leaf, way), (_, other)] if first == Some(line) => {
                let (leaf, way, other) = (leaf.raw(), leave(way), leave(other));
                quote!(match fuse.leaf::<#line>() { #leaf => { #way } _ => { #other } })
            }
            _ => {
                let leave = leave_function(region);
                quote!(#leave::<L, H, _>(fuse.again(), host);)
            }
        })
    }

    /// The function that leaves all that is active in a region.
    fn leave(&self, region: RegionId) -> Option<TokenStream> {
        let (name, instance) = (leave_function(region), &self.instance);
        let line = usize::from(self.rom.region(region)?.leaf);
        let arms = self.ways_up(region)?.into_iter().map(|(leaf, way)| {
            let steps = way.iter().map(Way::function);
            let leaf = leaf.raw();
            quote!(#leaf => { #(#steps::<L, H, _>(fuse.again(), host);)* })
        });
        Some(quote! {
            fn #name<L: Linkage<H>, H: Host, W: Work<#instance>>(mut fuse: W, host: &mut H) {
                match fuse.leaf::<#line>() { #(#arms)* _ => {} }
            }
        })
    }

    fn entries(&self, plan: PlanId) -> Option<TokenStream> {
        let mut code = TokenStream::new();
        for step in self.rom.plan_steps(plan) {
            let state = StateId::read(step.state)?;
            if self.rom.state(state)?.kind == StateKind::Final {
                return None;
            }
            let list = ListId::read(step.list);
            code.extend(match (step.kind.get(), list) {
                (PlanStepKind::Initial, Some(list)) => {
                    self.list(list, Place::of_state(state.raw()))
                }
                (PlanStepKind::Initial, None) | (PlanStepKind::State, _) => {
                    let enter = enter_function(state);
                    quote!(#enter::<L, H, _>(fuse.again(), host);)
                }
            });
        }
        Some(code)
    }

    /// The function that leaves a state: activity, exit actions, channels, whatever it keeps.
    fn exit(&self, state: StateId) -> Option<TokenStream> {
        let (record, extra) = (self.rom.state(state)?, self.rom.state_extra(state));
        let (instance, place) = (&self.instance, Place::of_state(state.raw()));
        let activity = OpId::read(record.activity).and_then(|op| self.rom.op(op));
        let cancel = activity.map(|op| self.cancel(op, extra, place));
        let list = ListId::read(record.exit).map(|list| self.list(list, place));
        let site = place.site();
        let owns = extra.is_some_and(|extra| extra.channels.get() != 0);
        let release = owns.then(|| do_apart(&quote!(fuse.release(host, #site))));
        let timers = record.timer_mask;
        let disarm = (timers != 0).then(|| quote!(fuse.disarm(#timers);));
        let result = extra.map(|extra| self.clear_result(extra));
        let latch = extra.map(|extra| self.clear_latch(extra));
        let (line, around) = (usize::from(record.leaf), StateId::read(record.parent));
        let around = around.filter(|&around| {
            let around = self.rom.state(around);
            around.is_some_and(|around| around.leaf == record.leaf)
        });
        let (name, leaf, doc) = (
            exit_function(state),
            StateId::to_raw(around),
            format!(" Leaves {}.", self.path(state)),
        );
        Some(quote! {
            #[doc = #doc]
            fn #name<L: Linkage<H>, H: Host, W: Work<#instance>>(mut fuse: W, host: &mut H) {
                #cancel
                #list
                #release
                #disarm
                #result
                #latch
                fuse.put_leaf::<#line>(#leaf);
            }
        })
    }

    /// Tells the activity of a state that is left, unless it has a result (TICK-6).
    fn cancel(&self, op: &OpRecord, extra: Option<&StateExtra>, place: Place) -> TokenStream {
        let (call, function) = (place.call(op), op.a.get());
        let compute = self.computed_arguments(op, place);
        let tell = quote!(fuse.run_activity::<L, H, #function>(host, Mode::Cancel, #call));
        let tell = plain_call(function, &tell);
        let tell = quote! {
            #compute
            let _: Status = #tell;
        };
        match extra.filter(|extra| extra.result_slot != 0xFF) {
            Some(extra) => {
                let (slot, bit) = (extra.result_slot, extra.result_bit);
                quote!(if fuse.result(#slot, #bit) == 0 { #tell })
            }
            None => quote!({ #tell }),
        }
    }

    fn clear_result(&self, extra: &StateExtra) -> TokenStream {
        let slot = extra.result_slot;
        let bits = 3_u16.checked_shl(extra.result_bit.into()).unwrap_or(0);
        match slot {
            0xFF => TokenStream::new(),
            slot => quote!(fuse.clear_bits(#slot, #bits);),
        }
    }

    fn clear_latch(&self, extra: &StateExtra) -> TokenStream {
        let slot = extra.latch_slot;
        match slot {
            0xFF => TokenStream::new(),
            slot => quote!(fuse.clear_slots(#slot, 1);),
        }
    }

    /// The function that enters a state: everything it keeps begins anew (RAM-7).
    fn enter(&self, state: StateId) -> Option<TokenStream> {
        let record = self.rom.state(state)?;
        let (instance, place) = (&self.instance, Place::of_state(state.raw()));
        let (line, number, depth) = (record.leaf, usize::from(record.leaf), record.depth);
        let keeps = self
            .rom
            .state_extra(state)
            .map(|extra| self.begin_anew(extra));
        let mut arms = TokenStream::new();
        let mut computed = false;
        for timer in self.rom.timers_of(state) {
            if !timer.kind.get().is_armed_on_entry() {
                continue;
            }
            match timer.duration.known() {
                Some(ticks) => {
                    let (slot, ticks) = (timer.place, ticks.max(1));
                    arms.extend(quote!(fuse.arm(#slot, #ticks);));
                }
                None => computed = true,
            }
        }
        let runs = feature::ACTIVITIES | feature::UPDATES;
        let runs = self.rom.header().features.get() & runs != 0;
        let fresh = runs.then(|| quote!(fuse.mark_fresh(#line, #depth);));
        let site = place.site();
        let arms_late = computed.then(|| do_apart(&quote!(fuse.arm_computed(host, #site))));
        let list = ListId::read(record.entry).map(|list| self.list(list, place));
        let (name, leaf, doc) = (
            enter_function(state),
            state.raw(),
            format!(" Enters {}.", self.path(state)),
        );
        Some(quote! {
            #[doc = #doc]
            fn #name<L: Linkage<H>, H: Host, W: Work<#instance>>(mut fuse: W, host: &mut H) {
                fuse.put_leaf::<#number>(#leaf);
                #fresh
                #keeps
                #arms
                #arms_late
                #list
            }
        })
    }

    fn begin_anew(&self, extra: &StateExtra) -> TokenStream {
        let (result, latch) = (self.clear_result(extra), self.clear_latch(extra));
        let scratch = extra.scratch().map(|_| {
            let (first, count) = (extra.scratch_slot, extra.scratch_count);
            quote!(fuse.clear_slots(#first, #count);)
        });
        let clock = extra.clock_slot().map(|clock| {
            let clock = clock.raw();
            quote!(fuse.start_clock(#clock);)
        });
        quote!(#result #scratch #latch #clock)
    }
}

/// What is left with a leaf.
enum Way {
    State(StateId),
    Region(RegionId),
}

impl Way {
    /// The function that leaves it.
    fn function(&self) -> Ident {
        match self {
            Self::State(state) => exit_function(*state),
            Self::Region(region) => leave_function(*region),
        }
    }
}

fn exit_function(state: StateId) -> Ident {
    format_ident!("exit_{state}")
}

pub fn enter_function(state: StateId) -> Ident {
    format_ident!("enter_{state}")
}

fn leave_function(region: RegionId) -> Ident {
    format_ident!("leave_{region}")
}
