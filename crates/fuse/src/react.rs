//! What an event or a timer leads to: the candidates of a list in order, the first that is enabled is
//! taken (SEL-2, SEL-3).
//!
//! A machine with one line of leaves has a `match` over leaf and event. Where there are several lines, the
//! tables say which list the active leaves have; if it is one, it is asked here.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use statewright_rom::Reaction;
use statewright_rom::ids::*;
use statewright_rom::layout::*;

use crate::Fused;
use crate::call::Place;

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
        let mut lists = BTreeSet::new();
        let (event, timer) = if self.has_one_line() {
            (self.event_of_one(&mut lists), self.timer_of_one(&mut lists))
        } else {
            (
                self.event_of_many(&mut lists),
                self.timer_of_many(&mut lists),
            )
        };
        let functions = lists.into_iter().filter_map(|list: List| {
            let (name, body) = (list.function(), self.react(list)?);
            Some(quote! {
                fn #name<L: Linkage<H>, H: Host>(
                    fuse: &mut Fuse<'_, '_>, host: &mut H, event: &Event
                ) -> Step {
                    #body
                    Step::Ignored
                }
            })
        });
        quote!(#event #timer #(#functions)*)
    }

    /// Has every configuration one leaf?
    pub fn has_one_line(&self) -> bool {
        !self.rom.has(feature::REGIONS)
    }

    /// `check`: is one leaf active, and is that a configuration?
    pub fn check(&self) -> TokenStream {
        let alone = |leaf: &StateId| {
            let row = self
                .rom
                .state(*leaf)
                .map_or(NONE, |record| record.row.get());
            let poll = self.rom.polls().get(usize::from(row));
            poll.is_some_and(|poll| poll.first_of.get() == NONE && poll.next.get() == NONE)
        };
        let leaves = self
            .leaf_states()
            .into_iter()
            .filter(alone)
            .map(StateId::raw);
        let (instance, leaves): (_, Vec<u16>) = (&self.instance, leaves.collect());
        let arm = (!leaves.is_empty())
            .then(|| quote!(#(#leaves)|* if fuse.is_whole::<#instance>(1) => Step::Done,));
        quote! {
            /// Is one leaf active, and is that a configuration?
            #[inline(always)]
            fn check(fuse: &Fuse<'_, '_>) -> Step {
                match fuse.leaf::<#instance, 0>() {
                    #arm
                    _ => Step::Tables,
                }
            }
        }
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

    /// All leaves.
    pub fn leaf_states(&self) -> Vec<StateId> {
        let is_leaf = |state: &StateId| self.rom.row_of(*state).is_some();
        self.rom.state_ids().filter(is_leaf).collect()
    }

    /// The list of a leaf for a column.
    fn list_of(&self, leaf: StateId, column: Column) -> Option<CandidateListId> {
        self.rom.candidate_list(self.rom.row_of(leaf)?, column)
    }

    /// The call of a list's function, or what leaves it to the tables.
    fn call_list(&self, list: List, lists: &mut BTreeSet<List>) -> TokenStream {
        if self.react(list).is_none() {
            return quote!(Step::Tables);
        }
        lists.insert(list);
        let name = list.function();
        quote!(#name::<L, H>(fuse, host, event))
    }

    fn event_of_one(&self, lists: &mut BTreeSet<List>) -> TokenStream {
        let (instance, events) = (&self.instance, self.quiet_events());
        let mut arms = TokenStream::new();
        for leaf in self
            .leaf_states()
            .into_iter()
            .filter(|_| self.takes_events())
        {
            let mut inner = TokenStream::new();
            let mut ignored = Vec::new();
            for &event in &events {
                let column = self.rom.event_column(event);
                let number = event.raw();
                match column.and_then(|column| self.list_of(leaf, column)) {
                    Some(id) => {
                        let call = self.call_list(List { id, timer: false }, lists);
                        inner.extend(quote!(#number => #call,));
                    }
                    None => ignored.push(number),
                }
            }
            let ignored = (!ignored.is_empty()).then(|| quote!(#(#ignored)|* => Step::Nobody,));
            let leaf = leaf.raw();
            arms.extend(
                quote!(#leaf => match event.id.get() { #inner #ignored _ => Step::Tables },),
            );
        }
        quote! {
            /// An event of the inbox.
            #[inline]
            fn event<L: Linkage<H>, H: Host>(
                fuse: &mut Fuse<'_, '_>, host: &mut H, event: &Event
            ) -> Step {
                match fuse.leaf::<#instance, 0>() { #arms _ => Step::Tables }
            }
        }
    }

    fn event_of_many(&self, lists: &mut BTreeSet<List>) -> TokenStream {
        let mut arms = TokenStream::new();
        let mut quiet = Vec::new();
        let mut known = BTreeSet::new();
        for event in self
            .quiet_events()
            .into_iter()
            .filter(|_| self.takes_events())
        {
            quiet.push(event.raw());
            let column = self.rom.event_column(event);
            for leaf in self.leaf_states() {
                known.extend(column.and_then(|column| self.list_of(leaf, column)));
            }
        }
        for id in known {
            let call = self.call_list(List { id, timer: false }, lists);
            let number = id.raw();
            arms.extend(quote!(Candidates::List(#number) => #call,));
        }
        let asked = quote! {
            match fuse.candidates(event.id.get()) {
                #arms
                Candidates::None => Step::Nobody,
                Candidates::List(_) | Candidates::Tables => Step::Tables,
            }
        };
        let body = match quiet.as_slice() {
            [] => quote!(Step::Tables),
            quiet => quote!(match event.id.get() { #(#quiet)|* => #asked, _ => Step::Tables }),
        };
        quote! {
            /// An event of the inbox.
            fn event<L: Linkage<H>, H: Host>(
                fuse: &mut Fuse<'_, '_>, host: &mut H, event: &Event
            ) -> Step {
                #body
            }
        }
    }

    fn timer_function(&self, body: &TokenStream) -> TokenStream {
        quote! {
            /// One of the timers of these slots.
            #[inline]
            fn timer<L: Linkage<H>, H: Host>(
                fuse: &mut Fuse<'_, '_>, host: &mut H, due: u8
            ) -> Step {
                let event = &Event::default();
                #body
            }
        }
    }

    fn timer_of_one(&self, lists: &mut BTreeSet<List>) -> TokenStream {
        let instance = &self.instance;
        let mut arms = TokenStream::new();
        let of_the_machine = |timer: &TimerRecord| timer.kind == TimerKind::Machine;
        let fires = self.takes_events() && !self.rom.timers().iter().any(of_the_machine);
        for leaf in self.leaf_states().into_iter().filter(|_| fires) {
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
                    TimerKind::State | TimerKind::Machine => quote!(Step::Tables),
                    TimerKind::Clock | TimerKind::Debounce => return None,
                };
                Some(quote!(if due & #bit != 0 { return #fire; }))
            });
            let checks: Vec<TokenStream> = checks.collect();
            let leaf = leaf.raw();
            arms.extend(quote!(#leaf => { #(#checks)* Step::Done }));
        }
        self.timer_function(&quote!(match fuse.leaf::<#instance, 0>() { #arms _ => Step::Tables }))
    }

    fn timer_of_many(&self, lists: &mut BTreeSet<List>) -> TokenStream {
        if !self.takes_events() {
            return self.timer_function(&quote!(Step::Tables));
        }
        let mut arms = TokenStream::new();
        let timers = (0..).filter_map(TimerId::from_index).zip(self.rom.timers());
        for (id, timer) in timers {
            let (TimerKind::After | TimerKind::Every) = timer.kind.get() else {
                continue;
            };
            let column = Column::read(timer.column);
            let of_leaf = |leaf: StateId| self.list_of(leaf, column?);
            let known: BTreeSet<_> = self.leaf_states().into_iter().filter_map(of_leaf).collect();
            let mut inner = TokenStream::new();
            for list in known {
                let fire = self.fire(id, timer, Some(list), lists);
                let number = list.raw();
                inner.extend(quote!(Candidates::List(#number) => #fire,));
            }
            let none = self.fire(id, timer, None, lists);
            let (number, column) = (id.raw(), timer.column.get());
            arms.extend(quote! {
                #number => match fuse.candidates(#column) {
                    #inner
                    Candidates::None => #none,
                    Candidates::List(_) | Candidates::Tables => Step::Tables,
                },
            });
        }
        self.timer_function(&quote! {
            match fuse.due_timer(due) {
                #arms
                0xFFFF => Step::Done,
                _ => Step::Tables,
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
                    return quote!(Step::Tables);
                }
                self.call_list(list, lists)
            }
            None => quote!(Step::Ignored),
        };
        if of_event {
            return quote!(Step::Tables);
        }
        let (instance, slot, number) = (&self.instance, timer.place, id.raw());
        let bit = 1_u8.checked_shl(slot.into()).unwrap_or(0);
        let time = match (timer.kind == TimerKind::Every, timer.duration.known()) {
            (false, _) => quote!(fuse.disarm::<#instance>(#bit);),
            (true, Some(ticks)) => {
                let ticks = ticks.max(1);
                quote!(fuse.move_on::<#instance>(#slot, #ticks);)
            }
            (true, None) => quote!(fuse.move_on_computed(host, #number);),
        };
        quote!({
            #time
            fuse.because_of_timer(#number);
            #call
        })
    }

    /// Asks a list; `None` if the tables have to.
    fn react(&self, list: List) -> Option<TokenStream> {
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
                    code.extend(quote!(fuse.defer(event); return Step::Handled;));
                    return Some(code);
                }
            };
            let record = self.rom.transition(id)?;
            let any = SpecialTrigger::Any.is(record.trigger);
            if judged.contains(&id) || any && list.timer {
                continue;
            }
            if record.flags.get() & transition_flag::SCORED == 0 {
                let (enabled, outcome) = (self.enabled(id)?, self.outcome(id, interrupts)?);
                code.extend(quote!(if #enabled { #outcome }));
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

    /// Whether a candidate is enabled, but for its score.
    fn enabled(&self, id: TransitionId) -> Option<TokenStream> {
        let (plan, record) = (self.rom.transition_plan(id)?, self.rom.transition(id)?);
        let left = ask_flag::DEBOUNCED | ask_flag::HELD;
        let stacks = transition_flag::PUSH | transition_flag::POP;
        if plan.flags & left != 0 || record.flags.get() & stacks != 0 {
            return None;
        }
        let place = Place {
            state: plan.source.get(),
            transition: id.raw(),
        };
        let cooldown = self.cooldown(id, plan.flags);
        let guarded = plan.flags & ask_flag::GUARDED != 0;
        let guard = guarded.then(|| self.guard(&plan.guard, place));
        let conditions: Vec<TokenStream> = cooldown.into_iter().chain(guard).collect();
        Some(match conditions.as_slice() {
            [] => quote!(true),
            conditions => quote!(#(#conditions)&&*),
        })
    }

    /// What an enabled candidate comes to. One that means to stay takes the event (LANG-6).
    fn outcome(&self, id: TransitionId, interrupts: bool) -> Option<TokenStream> {
        let stays = self.rom.transition(id)?.flags.get() & transition_flag::STAY != 0;
        if stays {
            return (!interrupts).then(|| quote!(return Step::Handled;));
        }
        let take = Self::take_function(id);
        self.is_taken_by_code(id)
            .then(|| quote!(#take::<L, H>(fuse, host); return Step::Taken;))
    }

    /// Scored candidates: all guards, then all scores, then the best.
    fn group(&self, group: &[TransitionId], interrupts: bool) -> Option<TokenStream> {
        let (mut guards, mut scores, mut arms) = <[TokenStream; 3]>::default().into();
        let mut members = Vec::new();
        for (place, &id) in group.iter().enumerate() {
            let extra = self.rom.transition_extra(id)?;
            if ExpressionId::read(extra.threshold_code).is_some() {
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
                    quote!(f32::from_bits(fuse.evaluate(&*host, #expression, #site)[0]))
                }
            });
        }
        let (call, function) = (place.call(op), op.a.get());
        let compute = self.computed_arguments(op, place);
        Some(quote!({ #compute L::score::<#function>(&*host, fuse.look(#call)) }))
    }
}
