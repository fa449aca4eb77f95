//! What an event or a timer leads to: the candidates of a list in order, the first that is enabled is
//! taken (SEL-2, SEL-3).
//!
//! Events are a `match` over event and leaves. Where leaves of two lines react to one event with transitions that
//! ask nobody and leave a region each, both are carried out together; whatever else several leaves do, the
//! tables do.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use statewright_rom::ids::*;
use statewright_rom::layout::*;
use statewright_rom::{Candidates, Reaction};

use crate::Fused;
use crate::call::{Place, apart, do_apart, plain_call};
use crate::poll::Leaf;
use crate::take::FOUND;

/// A list of candidates, for an event or for a timer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct List {
    id: CandidateListId,
    timer: bool,
}

impl List {
    fn function(self) -> Ident {
        let what = if self.timer { "on_timer" } else { "on_event" };
        format_ident!("{what}_{}", self.id.raw())
    }
}

impl Fused<'_> {
    /// `event`, `timer` and the functions of their lists.
    pub fn reactions(&self) -> TokenStream {
        let instance = &self.instance;
        let mut lists = BTreeSet::new();
        let mut pairs = BTreeSet::new();
        let event = self.event(&mut lists, &mut pairs);
        let timer = match self.has_one_line() {
            true => self.timer_of_one(&mut lists),
            false => self.timer_of_many(&mut lists),
        };
        let pairs = pairs.into_iter().filter_map(|pair| self.take_both(pair));
        let functions = lists.into_iter().filter_map(|list: List| {
            let (name, body) = (list.function(), self.react(list)?);
            Some(quote! {
                #[inline]
                fn #name<L: Linkage<H>, H: Host, W: Work<#instance>>(
                    mut fuse: W, host: &mut H, event: &Event
                ) -> Taking {
                    in_order!();
                    #body
                    Taking::Ignored
                }
            })
        });
        quote!(#event #timer #(#functions)* #(#pairs)*)
    }

    /// Has every configuration one leaf?
    pub fn has_one_line(&self) -> bool {
        !self.rom.has(feature::REGIONS)
    }

    /// `is_configuration`: each leaf names the region of the next (`PollRecord`).
    pub fn configurations(&self) -> TokenStream {
        let instance = &self.instance;
        let rest = |leaf: Leaf<'_>, used: TokenStream| match leaf.next() {
            None => quote!(fuse.is_whole(#used)),
            Some(region) => {
                let function = whole_function(region);
                quote!(#function(fuse, #used))
            }
        };
        let first = self
            .first_leaves()
            .map(|leaf| (leaf.state.raw(), rest(leaf, quote!(1))));
        let first = match_groups(&quote!(fuse.leaf::<0>()), first, &quote!(false));
        let others = self.next_regions().into_iter().map(|region| {
            let (name, line) = (whole_function(region), self.line_of(region));
            let bit = 1_u8.checked_shl(line as u32).unwrap_or(0);
            let leaves = self
                .leaves_in(region)
                .map(|leaf| (leaf.state.raw(), rest(leaf, quote!(used | #bit))));
            let leaves = match_groups(&quote!(fuse.leaf::<#line>()), leaves, &quote!(false));
            quote! {
                #[inline]
                fn #name<W: Work<#instance>>(fuse: &W, used: u8) -> bool { #leaves }
            }
        });
        quote! {
            /// Are the active leaves a configuration?
            #[inline]
            fn is_configuration<W: Work<#instance>>(fuse: &W) -> bool { #first }
            #(#others)*
        }
    }

    /// `hears`: events that somebody may handle, a bit each, per leaf. Unknown events, and those that do not fit
    /// into the bits, count as heard.
    pub fn hears(&self) -> TokenStream {
        let quiet = self.quiet_events();
        let known = quiet.iter().filter(|event| event.index() < 64);
        let known: Vec<EventId> = known.copied().filter(|_| self.takes_events()).collect();
        let alone = self.first_leaves().filter(|leaf| leaf.next().is_none());
        let masks = alone.map(|leaf| {
            let heard = |event: &EventId| {
                let column = self.rom.event_column(*event);
                let list = column.and_then(|column| self.list_of(leaf.state, column));
                list.is_some()
            };
            let unheard = known.iter().filter(|event| !heard(event));
            let mask = unheard.fold(u64::MAX, |mask, event| mask & !(1 << event.index()));
            (leaf.state.raw(), quote!(#mask))
        });
        let mask = match_groups(&quote!(leaf), masks, &quote!(u64::MAX));
        quote! {
            /// Who may handle an event while a state alone is the innermost one?
            #[inline(always)]
            pub fn hears(leaf: u16, event: u16) -> Heard {
                let mask: u64 = #mask;
                match event >= 64 || mask >> event & 1 != 0 {
                    true => Heard::BySomebody,
                    false => Heard::ByNobody,
                }
            }
        }
    }

    /// The number of a region's leaf.
    fn line_of(&self, region: RegionId) -> usize {
        let record = self.rom.region(region);
        record.map_or(0, |record| usize::from(record.leaf))
    }

    /// Do events and timers come in the usual order, and may code take them?
    fn takes_events(&self) -> bool {
        self.is_usual() && self.rom.header().policies & policy::INTERNAL_FIRST == 0
    }

    /// Events that observers do not see.
    fn quiet_events(&self) -> Vec<EventId> {
        let seen = |event: &EventId| {
            self.rom.observers().iter().any(|observer| {
                observer.event.get() == event.raw() || SpecialTrigger::Any.is(observer.event)
            })
        };
        let events = (0..self.rom.events().len()).filter_map(EventId::from_index);
        events.filter(|event| !seen(event)).collect()
    }

    /// The list of a leaf for a column.
    fn list_of(&self, leaf: StateId, column: Column) -> Option<CandidateListId> {
        self.rom.candidate_list(self.rom.row_of(leaf)?, column)
    }

    /// Do two lists have the same candidates? Leaves that have share the states in them, which are asked
    /// once.
    fn is_same(&self, one: CandidateListId, other: CandidateListId) -> bool {
        let (one, other) = (self.rom.candidates_of(one), self.rom.candidates_of(other));
        one.interrupts == other.interrupts && one.others == other.others
    }

    /// The call of a list's function, or what leaves it to the tables.
    fn call_list(&self, list: List, lists: &mut BTreeSet<List>) -> TokenStream {
        if self.react(list).is_none() {
            return quote!(Taking::Tables);
        }
        lists.insert(list);
        let name = list.function();
        quote!(#name::<L, H, _>(fuse.again(), host, event))
    }

    /// What a column comes to in every configuration: a `match` over the first leaf, and over those behind
    /// it only where it depends on them. `outcome` writes what lists come to: one, none, or those of several leaves.
    fn by_leaves(
        &self,
        column: Option<Column>,
        outcome: &mut dyn FnMut(&[CandidateListId]) -> TokenStream,
    ) -> TokenStream {
        self.by_leaf(0, self.first_leaves().collect(), &[], column, outcome)
    }

    fn by_leaf(
        &self,
        line: usize,
        leaves: Vec<Leaf<'_>>,
        found: &[CandidateListId],
        column: Option<Column>,
        outcome: &mut dyn FnMut(&[CandidateListId]) -> TokenStream,
    ) -> TokenStream {
        let mut arms = Vec::new();
        for leaf in leaves {
            let own = column.and_then(|column| self.list_of(leaf.state, column));
            let own = own.filter(|&own| !found.iter().any(|&found| self.is_same(found, own)));
            let lists: Vec<CandidateListId> = found.iter().copied().chain(own).collect();
            let code = match leaf.next() {
                None => outcome(&lists),
                Some(region) => {
                    let leaves = self.leaves_in(region).collect();
                    self.by_leaf(self.line_of(region), leaves, &lists, column, outcome)
                }
            };
            arms.push((leaf.state.raw(), code));
        }
        let mut groups = grouped(arms.into_iter());
        // They are a configuration, so that the last group needs no question; where that was not asked before, only
        // the last group has to ask.
        groups.sort_by_key(|(_, leaves)| leaves.len());
        let last = groups
            .pop()
            .map_or_else(|| quote!(Taking::Tables), |(code, _)| code);
        let last = match self.has_one_line() {
            true => {
                quote!(match is_configuration(&fuse) { true => #last, false => Taking::Tables })
            }
            false => last,
        };
        if groups.is_empty() {
            return last;
        }
        let arms = groups
            .iter()
            .map(|(code, leaves)| quote!(#(#leaves)|* => #code,));
        quote!(match fuse.leaf::<#line>() { #(#arms)* _ => #last })
    }

    fn event(
        &self,
        lists: &mut BTreeSet<List>,
        pairs: &mut BTreeSet<(TransitionId, TransitionId)>,
    ) -> TokenStream {
        let instance = &self.instance;
        let mut arms = Vec::new();
        let events = self.quiet_events().into_iter();
        for event in events.filter(|_| self.takes_events()) {
            let code = self.by_leaves(self.rom.event_column(event), &mut |found| match *found {
                [] => quote!(Taking::Nobody),
                [id] => self.call_list(List { id, timer: false }, lists),
                [first, second] => self.call_both((first, second), pairs),
                // Arbitration (SEL-4).
                _ => quote!(Taking::Tables),
            });
            arms.push((event.raw(), code));
        }
        let body = match_groups(
            &quote!(event.id.get()),
            arms.into_iter(),
            &quote!(Taking::Tables),
        );
        // Of one line the leaf is asked where that decides something.
        let known = match self.has_one_line() {
            true => quote!(fuse.is_whole(1)),
            false => quote!(is_configuration(&fuse)),
        };
        quote! {
            /// An event of the inbox.
            #[inline(always)]
            fn event<L: Linkage<H>, H: Host, W: Work<#instance>>(
                mut fuse: W, host: &mut H, event: &Event
            ) -> Taking {
                if !#known {
                    return Taking::Tables;
                }
                #body
            }

            /// The same, of an agent with everything attached.
            #[inline(never)]
            fn event_attached<L: Linkage<H>, H: Host>(
                fuse: Fuse<'_, '_>, host: &mut H, happened: &Event
            ) -> Taking {
                event::<L, H, _>(fuse, host, happened)
            }
        }
    }

    fn timer_function(&self, body: &TokenStream) -> TokenStream {
        let instance = &self.instance;
        quote! {
            /// One of the timers of these slots.
            #[inline]
            fn timer<L: Linkage<H>, H: Host, W: Work<#instance>>(
                mut fuse: W, host: &mut H, due: u8
            ) -> Taking {
                if !is_configuration(&fuse) {
                    return Taking::Tables;
                }
                let event = &Event::default();
                #body
            }
        }
    }

    fn timer_of_one(&self, lists: &mut BTreeSet<List>) -> TokenStream {
        let mut arms = TokenStream::new();
        let of_the_machine = |timer: &TimerRecord| timer.kind == TimerKind::Machine;
        let fires = self.takes_events() && !self.rom.timers().iter().any(of_the_machine);
        for leaf in self.first_leaves().filter(|_| fires) {
            let leaf = leaf.state;
            let mut timers: Vec<(TimerId, &TimerRecord)> = Vec::new();
            for state in self.rom.path_up(leaf) {
                let record = self.rom.state(state);
                let first = record.map_or(0, |record| usize::from(record.first_timer.get()));
                let own = (first..).filter_map(TimerId::from_index);
                timers.extend(own.zip(self.rom.timers_of(state)));
            }
            // The highest class first, then in the order of declaration (EVT-2).
            timers.sort_by_key(|(id, timer)| (std::cmp::Reverse(timer.class.raw()), *id));
            let checks = timers.into_iter().filter_map(|(id, timer)| {
                let bit = 1_u8.checked_shl(timer.place.into()).unwrap_or(0);
                let fire = match timer.kind.get() {
                    TimerKind::After | TimerKind::Every => {
                        let column = Column::read(timer.column);
                        let list = column.and_then(|column| self.list_of(leaf, column));
                        self.fire(id, timer, list, lists)
                    }
                    TimerKind::State | TimerKind::Machine => quote!(Taking::Tables),
                    TimerKind::Clock | TimerKind::Debounce => return None,
                };
                Some(quote!(if due & #bit != 0 { return #fire; }))
            });
            let checks: Vec<TokenStream> = checks.collect();
            let leaf = leaf.raw();
            arms.extend(quote!(#leaf => { #(#checks)* Taking::Done }));
        }
        self.timer_function(&quote!(match fuse.leaf::<0>() { #arms _ => Taking::Tables }))
    }

    fn timer_of_many(&self, lists: &mut BTreeSet<List>) -> TokenStream {
        if !self.takes_events() {
            return self.timer_function(&quote!(Taking::Tables));
        }
        let mut arms = TokenStream::new();
        let timers = (0..).filter_map(TimerId::from_index).zip(self.rom.timers());
        for (id, timer) in timers {
            let (TimerKind::After | TimerKind::Every) = timer.kind.get() else {
                continue;
            };
            let column = Column::read(timer.column);
            let code = self.by_leaves(column, &mut |found| match *found {
                [] => self.fire(id, timer, None, lists),
                [list] => self.fire(id, timer, Some(list), lists),
                _ => quote!(Taking::Tables),
            });
            let number = id.raw();
            arms.extend(quote!(#number => #code,));
        }
        let due = apart(&quote!(0xFFFF), &quote!(fuse.due_timer(due)));
        let waits = |timer: &&TimerRecord| {
            matches!(timer.kind.get(), TimerKind::Clock | TimerKind::Debounce)
        };
        let firing = self.rom.timers().iter().filter(|timer| !waits(timer));
        // A timer may have more places than its first.
        let firing = firing.flat_map(TimerRecord::timer_slots);
        let firing = firing.fold(0_u8, |places, slot| {
            places | 1_u8.checked_shl(slot.raw().into()).unwrap_or(0)
        });
        self.timer_function(&quote! {
            // Whoever only waits does not fire.
            if due & #firing == 0 {
                return Taking::Done;
            }
            match #due {
                #arms
                0xFFFF => Taking::Done,
                _ => Taking::Tables,
            }
        })
    }

    /// A timer fires: it ends or goes on, and its list is asked (EVT-7).
    fn fire(
        &self,
        id: TimerId,
        timer: &TimerRecord,
        list: Option<CandidateListId>,
        lists: &mut BTreeSet<List>,
    ) -> TokenStream {
        let of_event =
            EventId::read(timer.column).is_some_and(|event| self.rom.event(event).is_some());
        let call = match list {
            Some(id) => {
                let list = List { id, timer: true };
                if self.react(list).is_none() {
                    return quote!(Taking::Tables);
                }
                self.call_list(list, lists)
            }
            None => quote!(Taking::Ignored),
        };
        if of_event {
            return quote!(Taking::Tables);
        }
        let (slot, number) = (timer.place, id.raw());
        // The timer is over before the list is asked: nobody leaves after that.
        let stays = list.map(|id| {
            let whole = List { id, timer: true }.function();
            quote!(plain_or_leave!(#whole);)
        });
        let bit = 1_u8.checked_shl(slot.into()).unwrap_or(0);
        let time = match (timer.kind == TimerKind::Every, timer.duration.known()) {
            (false, _) => quote!(fuse.disarm(#bit);),
            (true, Some(ticks)) => {
                let ticks = ticks.max(1);
                quote!(fuse.move_on(#slot, #ticks);)
            }
            (true, None) => do_apart(&quote!(fuse.move_on_computed(host, #number))),
        };
        quote!({
            #stays
            #time
            fuse.because_of_timer(#number);
            #call
        })
    }

    /// May an event lead to a history point or to a choice whose way only the tables know, in a machine in which
    /// nobody polls? Code would find the transition and leave the rest of it to the slow path; the tables have a
    /// jump for the whole of it, a sixth as dear.
    fn has_jump_of_tables(&self, list: List) -> bool {
        let Candidates { interrupts, others } = self.rom.candidates_of(list.id);
        let is_found = |member: &Candidate| match Reaction::read(member) {
            Some(Reaction::Transition(id)) => self.rom.transition(id).is_some_and(|record| {
                let is_known = self.parts(id).is_some() && self.unknown_way(id).is_none();
                record.flags.get() & FOUND != 0 && !is_known
            }),
            Some(Reaction::Deferral(_)) | None => false,
        };
        !list.timer
            && !self.leaves().any(|leaf| leaf.polls())
            && interrupts.iter().chain(others).any(is_found)
    }

    /// What two leaves come to that react to the same event: both, if nobody is asked and they do not meet (SEL-4).
    /// On bytes alone, where nobody looks which of them is carried out.
    fn call_both(
        &self,
        (first, second): (CandidateListId, CandidateListId),
        pairs: &mut BTreeSet<(TransitionId, TransitionId)>,
    ) -> TokenStream {
        let pair = self.leaves_alone(first).zip(self.leaves_alone(second));
        let Some((first, second)) = pair.filter(|(first, second)| self.are_apart(*first, *second))
        else {
            return quote!(Taking::Tables);
        };
        pairs.insert((first, second));
        let name = both_function(first, second);
        quote!({
            never_attached!();
            plain_or_leave!(#name);
            #name::<L, H, _>(fuse.again(), host);
            Taking::Both
        })
    }

    /// The transition that a list always comes to, if it leaves one region for a leaf that does not poll.
    fn leaves_alone(&self, list: CandidateListId) -> Option<TransitionId> {
        let Candidates { interrupts, others } = self.rom.candidates_of(list);
        let Reaction::Transition(id) = Reaction::read(others.first()?)? else {
            return None;
        };
        let (record, plan) = (self.rom.transition(id)?, self.rom.transition_plan(id)?);
        let special = transition_flag::SCORED | transition_flag::INTERRUPT | FOUND;
        let plain = plan.flags == 0
            && record.flags.get() & special == 0
            && self.stack(id, record).is_none()
            && interrupts.is_empty();
        let alone = self.regions_left(id)?.len() == 1 && self.rests_after(id);
        (plain && alone && self.parts(id).is_some()).then_some(id)
    }

    /// Does neither of two transitions leave anything that the other one leaves, and does the first one stand before
    /// the second in the tree?
    fn are_apart(&self, first: TransitionId, second: TransitionId) -> bool {
        let span = |id: TransitionId| self.rom.region_span(*self.regions_left(id)?.first()?);
        let spans = span(first).zip(span(second));
        spans.is_some_and(|((_, end), (begin, _))| end <= begin)
    }

    /// The function that carries two transitions out together: exits of both, effects, entries.
    fn take_both(&self, (first, second): (TransitionId, TransitionId)) -> Option<TokenStream> {
        let (one, other) = (self.parts(first)?, self.parts(second)?);
        let (name, instance) = (both_function(first, second), &self.instance);
        let parts = [
            [one.records, other.records],
            [one.exits, other.exits],
            [one.effect, other.effect],
            [one.entries, other.entries],
        ];
        let parts = parts.iter().flatten();
        Some(quote! {
            #[inline]
            fn #name<L: Linkage<H>, H: Host, W: Work<#instance>>(mut fuse: W, host: &mut H) {
                #(#parts)*
            }
        })
    }

    /// Asks a list; `None` if the tables have to.
    fn react(&self, list: List) -> Option<TokenStream> {
        if self.has_jump_of_tables(list) {
            return None;
        }
        let candidates = self.rom.candidates_of(list.id);
        let first = self.part(candidates.interrupts, list, true)?;
        let others = self.part(candidates.others, list, false)?;
        Some(quote!(#first #others))
    }

    /// One part of a list: from the first to the last.
    fn part(&self, members: &[Candidate], list: List, interrupts: bool) -> Option<TokenStream> {
        let mut code = TokenStream::new();
        let mut judged: BTreeSet<TransitionId> = BTreeSet::new();
        for member in members {
            let id = match Reaction::read(member)? {
                Reaction::Transition(id) => id,
                // A timer is not put off.
                Reaction::Deferral(_) if list.timer => continue,
                Reaction::Deferral(_) => {
                    let defer = do_apart(&quote!(fuse.defer(event)));
                    code.extend(quote!(#defer return Taking::Handled;));
                    return Some(code);
                }
            };
            let record = self.rom.transition(id)?;
            let any = SpecialTrigger::Any.is(record.trigger);
            if judged.contains(&id) || any && list.timer {
                continue;
            }
            if record.flags.get() & transition_flag::SCORED == 0 {
                code.extend(self.candidate(id, interrupts)?);
                continue;
            }
            let group: Vec<TransitionId> = members
                .iter()
                .filter_map(Reaction::read)
                .filter_map(|reaction| match reaction {
                    Reaction::Transition(other) => Some(other),
                    Reaction::Deferral(_) => None,
                })
                .filter(|other| self.is_rival(record, *other))
                .collect();
            code.extend(self.group(&group, interrupts)?);
            judged.extend(group);
        }
        Some(code)
    }

    /// Is another transition scored with this one (SEL-3)?
    fn is_rival(&self, first: &TransitionRecord, other: TransitionId) -> bool {
        self.rom.transition(other).is_some_and(|other| {
            let flags = other.flags.get();
            other.source == first.source
                && flags & transition_flag::SCORED != 0
                && other.trigger == first.trigger
                && flags & PRIORITY_MASK == first.flags.get() & PRIORITY_MASK
        })
    }

    /// A candidate without a score: whether it is enabled, and what it comes to.
    fn candidate(&self, id: TransitionId, interrupts: bool) -> Option<TokenStream> {
        let flags = self.rom.transition_plan(id)?.flags;
        let mut enabled = self.enabled(id)?;
        if flags & ask_flag::DEBOUNCED != 0 {
            let (early, guard) = self.conditions(id)?;
            let debounced = self.debounced(id, &quote!(holds))?;
            enabled = quote!((#early && { let holds = #guard; #debounced }));
        }
        let outcome = self.outcome(id, interrupts)?;
        if flags & ask_flag::HELD == 0 {
            return Some(quote!(if #enabled { #outcome }));
        }
        let (free, latch) = (self.may_leave(id)?, self.latch(id));
        // An interrupt that is kept ends the search of interrupts alone.
        if interrupts && latch.is_some() {
            return None;
        }
        // What is kept takes the event (SEL-6).
        let otherwise = latch.map(|latch| {
            // Only the tables know that somebody waits from now on.
            quote!(else if { never_bare!(); #latch } { return Taking::Handled; })
        });
        Some(quote!(if #enabled { if #free { #outcome } #otherwise }))
    }

    /// What is asked of a candidate before its guard, and its guard.
    fn conditions(&self, id: TransitionId) -> Option<(TokenStream, TokenStream)> {
        let (plan, record) = (self.rom.transition_plan(id)?, self.rom.transition(id)?);
        let place = Place {
            state: plan.source.get(),
            transition: id.raw(),
        };
        let early: Vec<TokenStream> = self
            .cooldown(id, plan.flags)
            .into_iter()
            .chain(self.stack(id, record))
            .collect();
        let early = match early.as_slice() {
            [] => quote!(true),
            early => quote!(#(#early)&&*),
        };
        let guard = match plan.flags & ask_flag::GUARDED != 0 {
            true => self.guard(&plan.guard, place),
            false => quote!(true),
        };
        Some((early, guard))
    }

    /// Whether a candidate is enabled, but for its score and for what it has to wait for.
    fn enabled(&self, id: TransitionId) -> Option<TokenStream> {
        let (early, guard) = self.conditions(id)?;
        Some(quote!((#early && #guard)))
    }

    /// What an enabled candidate comes to. One that means to stay takes the event (LANG-6).
    fn outcome(&self, id: TransitionId, interrupts: bool) -> Option<TokenStream> {
        let stays = self.rom.transition(id)?.flags.get() & transition_flag::STAY != 0;
        if stays {
            return (!interrupts).then(|| quote!(return Taking::Handled;));
        }
        let (take, step) = self.taking(id)?;
        Some(quote!(#take return #step;))
    }

    /// Scored candidates: all guards, then all scores, then the best.
    fn group(&self, group: &[TransitionId], interrupts: bool) -> Option<TokenStream> {
        let (mut guards, mut scores, mut arms) = <[TokenStream; 3]>::default().into();
        let mut members = Vec::new();
        for (place, &id) in group.iter().enumerate() {
            let extra = self.rom.transition_extra(id)?;
            let waits =
                self.rom.transition_plan(id)?.flags & (ask_flag::DEBOUNCED | ask_flag::HELD);
            if ExpressionId::read(extra.threshold_code).is_some() || waits != 0 {
                return None;
            }
            let (enabled, score) = (format_ident!("enabled_{id}"), format_ident!("score_{id}"));
            let (asked, outcome) = (self.enabled(id)?, self.outcome(id, interrupts)?);
            let value = self.score(id, extra)?;
            let threshold = extra.threshold.get().to_bits();
            guards.extend(quote!(let #enabled = #asked;));
            scores.extend(quote!(let #score = if #enabled { #value } else { 0.0 };));
            members.push(quote! {
                Scored { enabled: #enabled, score: #score, threshold: f32::from_bits(#threshold) }
            });
            arms.extend(quote!(Some(#place) => { #outcome }));
        }
        Some(quote! {{
            #guards
            #scores
            match best(&[#(#members),*]) { #arms _ => {} }
        }})
    }

    fn score(&self, id: TransitionId, extra: &TransitionExtra) -> Option<TokenStream> {
        let op = self.rom.op(OpId::read(extra.score)?)?;
        let source = self.rom.transition(id)?.source.get();
        let place = Place {
            state: source,
            transition: id.raw(),
        };
        if op.kind == ActionOp::Evaluate {
            let expression = op.a.get();
            let piece = ExpressionId::new(expression).and_then(|id| self.expression(id, place));
            return Some(match piece.filter(|piece| piece.ty == ValueType::F32) {
                Some(piece) => piece.code,
                None => {
                    let site = place.site();
                    let words = quote!(fuse.evaluate(&*host, #expression, #site));
                    let words = apart(&quote!([0; 3]), &words);
                    quote!(f32::from_bits((#words)[0]))
                }
            });
        }
        let (call, function) = (place.call(op), op.a.get());
        let compute = self.computed_arguments(op, place);
        let score = quote!(fuse.ask_score::<L, H, #function>(&*host, #call));
        let score = plain_call(function, &score);
        Some(quote!({ #compute #score }))
    }
}

/// The function that carries two transitions out together.
fn both_function(first: TransitionId, second: TransitionId) -> Ident {
    format_ident!("take_{first}_and_{second}")
}

/// The function that looks whether the leaves from a region on are what they have to be.
fn whole_function(region: RegionId) -> Ident {
    format_ident!("whole_{region}")
}

/// Numbers whose code is the same together, in the order of their first.
fn grouped(arms: impl Iterator<Item = (u16, TokenStream)>) -> Vec<(TokenStream, Vec<u16>)> {
    let mut groups: Vec<(TokenStream, Vec<u16>)> = Vec::new();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for (number, code) in arms {
        let at = *known.entry(code.to_string()).or_insert(groups.len());
        match groups.get_mut(at) {
            Some((_, numbers)) => numbers.push(number),
            None => groups.push((code, vec![number])),
        }
    }
    groups
}

/// A `match` over a number with code for some, the same code once.
fn match_groups(
    over: &TokenStream,
    arms: impl Iterator<Item = (u16, TokenStream)>,
    otherwise: &TokenStream,
) -> TokenStream {
    let groups = grouped(arms);
    let arms = groups
        .iter()
        .map(|(code, numbers)| quote!(#(#numbers)|* => #code,));
    quote!(match #over { #(#arms)* _ => #otherwise })
}
