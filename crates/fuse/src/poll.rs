//! A tick of an agent that only polls: its leaves in the order of the tree, as `PollRecord` draws
//! them. Functions of a region go on to the region of the next leaf.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use statewright_rom::ids::{RegionId, StateId, TransitionId};
use statewright_rom::layout::{NONE, PollRecord, SpecialTrigger, feature, transition_flag};

use crate::Fused;

/// A leaf and what it polls and runs.
#[derive(Clone, Copy)]
pub struct Leaf<'m> {
    pub state: StateId,
    poll: &'m PollRecord,
}

impl<'m> Leaf<'m> {
    /// Region in which the next active leaf lies.
    pub fn next(self) -> Option<RegionId> {
        RegionId::read(self.poll.next)
    }

    /// Does it have to be looked at in every tick (RAM-3)?
    pub fn polls(self) -> bool {
        let asks = self.poll.asks.get() | self.poll.interrupts.get();
        asks != 0 || self.poll.run.get() != NONE
    }
}

/// Who is asked after a leaf that has found a transition.
enum Later {
    /// It is the last one.
    Nobody,
    /// Those behind it, each with what it alone asks.
    Own,
    /// It is the first one, and the other one lies in this region.
    In(RegionId),
    /// More than one, or it depends.
    Many,
}

/// What a function of a region does.
#[derive(Clone, Copy)]
enum Pass {
    Chain,
    Interrupt,
    Ask,
    Run,
    /// Runs what was not entered in this tick.
    Late,
}

impl Pass {
    fn function(self, region: RegionId) -> Ident {
        match self {
            Self::Chain => format_ident!("chain_{region}"),
            Self::Interrupt => format_ident!("interrupt_{region}"),
            Self::Ask => format_ident!("ask_{region}"),
            Self::Run => format_ident!("run_{region}"),
            Self::Late => format_ident!("late_{region}"),
        }
    }
}

impl<'m> Fused<'m> {
    /// `poll` and the functions that it calls.
    pub fn poll(&self) -> TokenStream {
        let mut functions = TokenStream::new();
        let (mut arms, mut settles) = (TokenStream::new(), TokenStream::new());
        for leaf in self.first_leaves() {
            let number = leaf.state.raw();
            let [name, settle] =
                ["poll", "settle"].map(|what| self.leaf_function(what, leaf.state));
            arms.extend(quote!(#number => #name::<L, H, _>(fuse.again(), host),));
            settles.extend(quote!(#number => #settle::<L, H, _>(fuse.again(), host),));
            functions.extend(self.first_leaf([&name, &settle], leaf));
        }
        for region in self.next_regions() {
            functions.extend(self.region(region));
        }
        let rounds = self.rounds();
        let instance = &self.instance;
        let frames = self.rom.has(feature::STACK);
        let frames = frames.then(|| quote!(|| !fuse.apart(true, |fuse| fuse.are_frames())));
        quote! {
            /// A tick of an agent that only polls.
            #[inline(always)]
            pub fn poll<L: Linkage<H>, H: Host, W: Work<#instance>>(mut fuse: W, host: &mut H) -> Quiet {
                match fuse.is_quiet() {
                    true => poll_alone::<L, H, _>(fuse.again(), host),
                    false => Quiet::Slow,
                }
            }

            /// The same where no event is queued.
            #[inline(always)]
            pub fn poll_alone<L: Linkage<H>, H: Host, W: Work<#instance>>(mut fuse: W, host: &mut H) -> Quiet {
                match fuse.leaf::<0>() {
                    #arms
                    _ => Quiet::Slow,
                }
            }

            /// The same up to the events that it takes.
            pub fn settle<L: Linkage<H>, H: Host, W: Work<#instance>>(mut fuse: W, host: &mut H) -> Quiet {
                if !fuse.is_quiet() #frames {
                    return Quiet::Slow;
                }
                match fuse.leaf::<0>() {
                    #settles
                    _ => Quiet::Slow,
                }
            }
            #rounds
            #functions
        }
    }

    pub fn leaves(&self) -> impl Iterator<Item = Leaf<'m>> + use<'m> {
        let rows = self.rom.leaf_rows().iter().zip(self.rom.polls());
        rows.filter_map(|(row, poll)| {
            let state = StateId::read(row.state)?;
            Some(Leaf { state, poll })
        })
    }

    pub fn first_leaves(&self) -> impl Iterator<Item = Leaf<'m>> + use<'m> {
        self.leaves()
            .filter(|leaf| leaf.poll.first_of.get() == NONE)
    }

    /// The first leaves that a region may have.
    pub fn leaves_in(&self, region: RegionId) -> impl Iterator<Item = Leaf<'m>> + use<'m> {
        let is_first = move |leaf: &Leaf<'_>| leaf.poll.first_of.get() == region.raw();
        self.leaves().filter(is_first)
    }

    /// Regions in which a leaf behind another lies.
    pub fn next_regions(&self) -> BTreeSet<RegionId> {
        let mut regions: BTreeSet<RegionId> = BTreeSet::new();
        let mut open: Vec<RegionId> = self.first_leaves().filter_map(Leaf::next).collect();
        while let Some(region) = open.pop() {
            if regions.insert(region) {
                open.extend(self.leaves_in(region).filter_map(Leaf::next));
            }
        }
        regions
    }

    /// What a leaf runs in a pass.
    fn runs_in(&self, leaf: Leaf<'_>, pass: Pass) -> TokenStream {
        let late = matches!(pass, Pass::Late);
        self.runs(leaf.poll, late)
    }

    /// `ask`: one more round of transitions without event; `run`: what was not entered in this tick.
    fn rounds(&self) -> TokenStream {
        let instance = &self.instance;
        let late = self.first_leaves().filter_map(|leaf| {
            let (own, on) = (self.runs_in(leaf, Pass::Late), self.go_on(leaf, Pass::Late));
            let number = leaf.state.raw();
            self.is_needed(leaf, Pass::Late)
                .then(|| quote!(#number => { #own #on }))
        });
        let all = self.first_leaves().filter_map(|leaf| {
            let (number, name) = (leaf.state.raw(), self.leaf_function("runs", leaf.state));
            self.is_needed(leaf, Pass::Run)
                .then(|| quote!(#number => #name::<L, H, _>(fuse.again(), host),))
        });
        let arms = self.first_leaves().filter_map(|leaf| {
            let asks = [Pass::Interrupt, Pass::Ask];
            let needed = asks.iter().any(|&pass| self.is_needed(leaf, pass));
            let (number, name) = (leaf.state.raw(), self.leaf_function("ask", leaf.state));
            needed.then(|| quote!(#number => #name::<L, H, _>(fuse.again(), host),))
        });
        quote! {
            /// One more round of transitions without event.
            #[inline]
            fn ask<L: Linkage<H>, H: Host, W: Work<#instance>>(mut fuse: W, host: &mut H) -> Quiet {
                match fuse.leaf::<0>() {
                    #(#arms)*
                    _ => Quiet::Settled,
                }
            }

            /// All update actions and activities of an agent that only polls.
            fn run_all<L: Linkage<H>, H: Host, W: Work<#instance>>(mut fuse: W, host: &mut H) -> Quiet {
                match fuse.leaf::<0>() { #(#all)* _ => {} }
                fuse.finish()
            }

            /// Update actions and activities of what was not entered in this tick.
            fn run<L: Linkage<H>, H: Host, W: Work<#instance>>(mut fuse: W, host: &mut H) {
                match fuse.leaf::<0>() { #(#late)* _ => {} }
            }
        }
    }

    /// `take`: a transition without event that may be taken, and what asks later leaves.
    pub fn takes_found(&self) -> TokenStream {
        let instance = &self.instance;
        let ids = (0..self.rom.transitions().len()).filter_map(TransitionId::from_index);
        let mut functions = TokenStream::new();
        let mut arms = TokenStream::new();
        for id in ids {
            let (Some(record), Some((take, step))) = (self.rom.transition(id), self.taking(id))
            else {
                continue;
            };
            let trigger = SpecialTrigger::read(record.trigger);
            let (Some(source), true) = (
                StateId::read(record.source),
                trigger.is_some_and(SpecialTrigger::is_eventless),
            ) else {
                continue;
            };
            let number = id.raw();
            let take = quote!({ #take #step });
            let interrupt = record.flags.get() & transition_flag::INTERRUPT != 0;
            match self.later_leaves(source) {
                _ if interrupt => arms.extend(quote!(#number if halt.is_interrupt() => #take,)),
                Later::Nobody => arms.extend(quote!(#number => #take,)),
                later @ (Later::In(_) | Later::Own) => {
                    let (later, function) = match later {
                        Later::In(region) => self.later(id, source, region),
                        _ => self.later_own(id, source),
                    };
                    functions.extend(function);
                    arms.extend(quote! {
                        #number => {
                            let at = Asked::behind(&halt);
                            if let Quiet::Halted = #later::<L, H, _>(fuse.again(), host, at) {
                                return fuse.apart(Step::Tables, |mut fuse| fuse.halted_after(halt));
                            }
                            #take
                        }
                    });
                }
                Later::Many => {}
            }
        }
        quote! {
            /// A transition without event that may be taken.
            #[inline]
            fn take<L: Linkage<H>, H: Host, W: Work<#instance>>(
                mut fuse: W, host: &mut H, halt: Halt
            ) -> Step {
                Step::Took(match halt.transition() {
                    #arms
                    _ => Taking::Tables,
                })
            }
            #functions
        }
    }

    /// Who is asked after the leaf that has found a transition of a state (SEL-2).
    fn later_leaves(&self, source: StateId) -> Later {
        let inside = |leaf: &Leaf<'_>| self.rom.is_ancestor_or_self(source, leaf.state);
        let leaves: Vec<Leaf<'_>> = self.leaves().filter(inside).collect();
        let mut next: BTreeSet<RegionId> = leaves.iter().copied().filter_map(Leaf::next).collect();
        if next.is_empty() {
            return Later::Nobody;
        }
        if !self.leaves_more_to_ask(source) {
            return Later::Own;
        }
        let (Some(region), true) = (next.pop_first(), next.is_empty()) else {
            return match next.is_empty() {
                true => Later::Nobody,
                false => Later::Many,
            };
        };
        let known = |leaf: &Leaf<'_>| {
            let of = leaf.poll.first_of.get();
            of == NONE || of == region.raw()
        };
        let last = self.leaves_in(region).all(|leaf| leaf.next().is_none());
        match last && leaves.iter().all(known) {
            true => Later::In(region),
            false => Later::Many,
        }
    }

    /// Does the leaf that finds a transition of a state leave states around it unasked that it would have
    /// asked as the first of their leaves? A later leaf asks these.
    fn leaves_more_to_ask(&self, source: StateId) -> bool {
        let mut at = source;
        // Bound: the depth of the tree.
        while let Some(around) = self.rom.parent(at) {
            let region = self
                .rom
                .state(at)
                .and_then(|record| RegionId::read(record.region));
            if self.rom.region_ids_of(around).next() != region {
                return false;
            }
            if self.asks_without_event(around) {
                return true;
            }
            at = around;
        }
        false
    }

    /// Has a state transitions without event that are no interrupts?
    fn asks_without_event(&self, state: StateId) -> bool {
        self.rom.transitions().iter().any(|record| {
            let trigger = SpecialTrigger::read(record.trigger);
            record.source.get() == state.raw()
                && trigger.is_some_and(SpecialTrigger::is_eventless)
                && record.flags.get() & transition_flag::INTERRUPT == 0
        })
    }

    /// What asks the leaves behind the one that has found a transition of a state, each what it alone asks.
    fn later_own(&self, id: TransitionId, source: StateId) -> (Ident, TokenStream) {
        let (name, instance) = (format_ident!("later_{id}"), &self.instance);
        let line = self
            .rom
            .state(source)
            .map_or(0, |record| usize::from(record.leaf));
        let own = self.leaves().filter(|leaf| {
            let record = self.rom.state(leaf.state);
            let on_line = record.is_some_and(|record| usize::from(record.leaf) == line);
            on_line && self.rom.is_ancestor_or_self(source, leaf.state)
        });
        let arms = own.filter_map(|leaf| {
            let region = leaf
                .next()
                .filter(|&next| self.is_needed_in(next, Pass::Ask))?;
            let (number, ask) = (leaf.state.raw(), Pass::Ask.function(region));
            Some(quote!(#number => #ask::<L, H, _>(fuse.again(), host, at),))
        });
        let function = quote! {
            fn #name<L: Linkage<H>, H: Host, W: Work<#instance>>(
                mut fuse: W, host: &mut H, at: Asked
            ) -> Quiet {
                match fuse.leaf::<#line>() { #(#arms)* _ => Quiet::Settled }
            }
        };
        (name, function)
    }

    /// What asks the leaf of a region after the first leaf has found a transition of a state: everything that is not
    /// that state or around it, if it lies in it.
    fn later(&self, id: TransitionId, source: StateId, region: RegionId) -> (Ident, TokenStream) {
        let (name, instance) = (format_ident!("later_{id}"), &self.instance);
        let record = self.rom.region(region);
        let line = record.map_or(0, |record| usize::from(record.leaf));
        let owner = record.and_then(|record| StateId::read(record.owner));
        let contains = owner.is_some_and(|owner| self.rom.is_ancestor_or_self(source, owner));
        let asked = |state: StateId| !contains || self.rom.is_inside(state, source);
        let arms = self.leaves_in(region).map(|leaf| {
            let column = self.rom.eventless_column();
            let row = self.rom.row_of(leaf.state);
            let list = row
                .zip(column)
                .and_then(|(row, column)| self.rom.candidate_list(row, column));
            let members = list.map_or(&[][..], |list| self.rom.candidates_of(list).others);
            let asks: TokenStream = members
                .iter()
                .filter_map(|member| TransitionId::read(member.index))
                .filter(|&id| {
                    let record = self.rom.transition(id);
                    let state = record.and_then(|record| StateId::read(record.source));
                    state.is_some_and(asked)
                })
                .filter_map(|id| self.ask(id))
                .collect();
            let number = leaf.state.raw();
            quote!(#number => { #asks })
        });
        let function = quote! {
            fn #name<L: Linkage<H>, H: Host, W: Work<#instance>>(
                mut fuse: W, host: &mut H, at: Asked
            ) -> Quiet {
                match fuse.leaf::<#line>() { #(#arms)* _ => {} }
                Quiet::Settled
            }
        };
        (name, function)
    }

    /// Does a test hold for a leaf and whatever may lie behind it?
    fn all_behind(&self, leaf: Leaf<'_>, test: &dyn Fn(Leaf<'_>) -> bool) -> bool {
        test(leaf)
            && leaf.next().is_none_or(|region| {
                self.leaves_in(region)
                    .all(|leaf| self.all_behind(leaf, test))
            })
    }

    /// Is there something to do in a pass for a leaf, or for one that may lie behind it?
    fn is_needed(&self, leaf: Leaf<'_>, pass: Pass) -> bool {
        !self.all_behind(leaf, &|leaf| match pass {
            Pass::Chain => false,
            Pass::Interrupt => leaf.poll.interrupts.get() == 0,
            Pass::Ask => leaf.poll.asks.get() == 0,
            Pass::Run | Pass::Late => leaf.poll.run.get() == NONE,
        })
    }

    fn is_needed_in(&self, region: RegionId, pass: Pass) -> bool {
        self.leaves_in(region)
            .any(|leaf| self.is_needed(leaf, pass))
    }

    /// A function for agents whose first leaf this is.
    fn first_leaf(&self, [name, settle]: [&Ident; 2], leaf: Leaf<'m>) -> TokenStream {
        let instance = &self.instance;
        let doc = format!(" {}", self.path(leaf.state));
        let whole = self.whole(leaf, &quote!(1), &quote!(false), &quote!(&fuse));
        let passes = [Pass::Interrupt, Pass::Ask].map(|pass| {
            let (own, on) = (self.asks(leaf, pass), self.go_on(leaf, pass));
            let interrupts = matches!(pass, Pass::Interrupt);
            self.is_needed(leaf, pass).then(|| {
                quote! {{
                    let at = Asked { rank: 0, interrupts: #interrupts };
                    #own
                    #on
                }}
            })
        });
        let (runs, runs_on) = (self.call_own_runs(leaf), self.go_on(leaf, Pass::Run));
        let (own_runs, runs_plainly) =
            (self.own_runs(leaf), self.runs_plainly(leaf, &quote!(&fuse)));
        let runs_name = self.leaf_function("runs", leaf.state);
        let (run_function, run_it) = match self.is_needed(leaf, Pass::Run) {
            true => (
                Some(quote! {
                    #own_runs
                    #[inline(always)]
                    fn #runs_name<L: Linkage<H>, H: Host, W: Work<#instance>>(mut fuse: W, host: &mut H) {
                        #runs
                        #runs_on
                    }
                }),
                Some(quote! {
                    if W::BARE && !(#runs_plainly) {
                        return Quiet::Settled;
                    }
                    #runs_name::<L, H, _>(fuse.again(), host);
                }),
            ),
            false => (None, None),
        };
        let asks = passes.iter().any(Option::is_some);
        let round = self.leaf_function("ask", leaf.state);
        let (ask, checked) = if asks {
            let ask = quote! {
                #[inline]
                fn #round<L: Linkage<H>, H: Host, W: Work<#instance>>(
                    mut fuse: W, host: &mut H
                ) -> Quiet {
                    #(#passes)*
                    fuse.failure()
                }
            };
            let checked = quote! {
                match #round::<L, H, _>(fuse.again(), host) {
                    Quiet::Settled => {}
                    stopped => return stopped,
                }
            };
            (Some(ask), Some(checked))
        } else {
            (None, None)
        };
        quote! {
            #ask
            #run_function

            #[doc = #doc]
            #[inline]
            fn #settle<L: Linkage<H>, H: Host, W: Work<#instance>>(mut fuse: W, host: &mut H) -> Quiet {
                if !(#whole) {
                    return Quiet::Slow;
                }
                fuse.begin();
                #checked
                fuse.failure()
            }

            #[doc = #doc]
            #[inline]
            fn #name<L: Linkage<H>, H: Host, W: Work<#instance>>(mut fuse: W, host: &mut H) -> Quiet {
                in_order!();
                if !(#whole) {
                    return Quiet::Slow;
                }
                fuse.begin();
                #checked
                #run_it
                fuse.finish()
            }
        }
    }

    /// Is the rest of the configuration what has to lie behind a leaf, does nothing wait in its
    /// states, and does a leaf poll? `before`: whether an earlier one does; `fuse`: what is looked at.
    fn whole(
        &self,
        leaf: Leaf<'_>,
        used: &TokenStream,
        before: &TokenStream,
        fuse: &TokenStream,
    ) -> TokenStream {
        let polls = match leaf.polls() {
            true => quote!(true),
            false => before.clone(),
        };
        let latches = leaf.poll.latches.get();
        let waits = (0..u8::MAX)
            .take(32)
            .filter(|slot| latches >> slot & 1 != 0);
        let waits = waits.map(|slot| {
            let waits = self.waits_on(leaf.state, slot);
            quote!(#waits &&)
        });
        let rest = match leaf.next() {
            None => quote!(#polls && fuse.is_whole(#used)),
            Some(region) => {
                let chain = Pass::Chain.function(region);
                quote!(#chain(#fuse, #used, #polls))
            }
        };
        quote!(#(#waits)* #rest)
    }

    /// Asks the candidates of a leaf; `at` is in scope.
    fn asks(&self, leaf: Leaf<'_>, pass: Pass) -> TokenStream {
        let (first, count) = match pass {
            Pass::Interrupt => (leaf.poll.first_interrupt, leaf.poll.interrupts),
            Pass::Ask | Pass::Chain | Pass::Run | Pass::Late => {
                (leaf.poll.first_ask, leaf.poll.asks)
            }
        };
        let list = self.rom.candidates().iter().skip(first.get() as usize);
        list.take(usize::from(count.get()))
            .filter_map(|candidate| self.ask(TransitionId::read(candidate.index)?))
            .collect()
    }

    /// Goes on to the region of the next leaf.
    fn go_on(&self, leaf: Leaf<'_>, pass: Pass) -> Option<TokenStream> {
        let region = leaf.next()?;
        let function = pass.function(region);
        let call = match pass {
            Pass::Interrupt | Pass::Ask => quote! {
                match #function::<L, H, _>(fuse.again(), host, at.next()) {
                    Quiet::Settled => {}
                    stopped => return stopped,
                }
            },
            Pass::Run | Pass::Late => quote!(#function::<L, H, _>(fuse.again(), host);),
            Pass::Chain => return None,
        };
        self.is_needed_in(region, pass).then_some(call)
    }

    /// The functions of a region that holds the leaf behind another.
    fn region(&self, region: RegionId) -> TokenStream {
        let instance = &self.instance;
        let line = self.rom.region(region).map_or(0, |record| record.leaf);
        let (number, bit) = (
            usize::from(line),
            1_u8.checked_shl(line.into()).unwrap_or(0),
        );
        let leaves = || self.leaves_in(region);
        let chain = leaves().map(|leaf| {
            let (state, used) = (leaf.state.raw(), quote!(used | #bit));
            let whole = self.whole(leaf, &used, &quote!(polls), &quote!(fuse));
            quote!(#state => #whole,)
        });
        let name = Pass::Chain.function(region);
        let mut functions = quote! {
            #[inline]
            fn #name<W: Work<#instance>>(fuse: &W, used: u8, polls: bool) -> bool {
                match fuse.leaf::<#number>() { #(#chain)* _ => false }
            }
        };
        for pass in [Pass::Interrupt, Pass::Ask] {
            let arms = leaves().map(|leaf| {
                let state = leaf.state.raw();
                let (own, on) = (self.asks(leaf, pass), self.go_on(leaf, pass));
                quote!(#state => { #own #on })
            });
            let name = pass.function(region);
            functions.extend(self.is_needed_in(region, pass).then(|| {
                quote! {
                    #[inline]
                    fn #name<L: Linkage<H>, H: Host, W: Work<#instance>>(
                        mut fuse: W, host: &mut H, at: Asked
                    ) -> Quiet {
                        match fuse.leaf::<#number>() { #(#arms)* _ => {} }
                        Quiet::Settled
                    }
                }
            }));
        }
        for pass in [Pass::Run, Pass::Late] {
            let runs = leaves().map(|leaf| {
                let own = match pass {
                    Pass::Run => self.call_own_runs(leaf),
                    _ => Some(self.runs_in(leaf, pass)),
                };
                let state = leaf.state.raw();
                let on = self.go_on(leaf, pass);
                quote!(#state => { #own #on })
            });
            let name = pass.function(region);
            functions.extend(self.is_needed_in(region, pass).then(|| {
                quote! {
                    #[inline]
                    fn #name<L: Linkage<H>, H: Host, W: Work<#instance>>(mut fuse: W, host: &mut H) {
                        match fuse.leaf::<#number>() { #(#runs)* _ => {} }
                    }
                }
            }));
        }
        if self.is_needed_in(region, Pass::Run) {
            let arms = leaves().map(|leaf| {
                let (state, plainly) = (leaf.state.raw(), self.runs_plainly(leaf, &quote!(fuse)));
                quote!(#state => #plainly,)
            });
            let name = plainly_function(region);
            functions.extend(leaves().filter_map(|leaf| self.own_runs(leaf)));
            functions.extend(quote! {
                #[inline]
                fn #name<L: Linkage<H>, H: Host, W: Work<#instance>>(fuse: &W) -> bool {
                    match fuse.leaf::<#number>() { #(#arms)* _ => true }
                }
            });
        }
        functions
    }

    /// The function that runs what a leaf runs, without those behind it; none if it runs nothing.
    fn own_runs(&self, leaf: Leaf<'_>) -> Option<TokenStream> {
        let (name, instance) = (self.own_runs_function(leaf)?, &self.instance);
        let runs = self.runs_in(leaf, Pass::Run);
        Some(quote! {
            #[inline(always)]
            fn #name<L: Linkage<H>, H: Host, W: Work<#instance>>(mut fuse: W, host: &mut H) { #runs }
        })
    }

    fn own_runs_function(&self, leaf: Leaf<'_>) -> Option<Ident> {
        let (runs, state) = (leaf.poll.run.get() != NONE, leaf.state);
        runs.then(|| format_ident!("run_own_{state}"))
    }

    fn call_own_runs(&self, leaf: Leaf<'_>) -> Option<TokenStream> {
        let name = self.own_runs_function(leaf)?;
        Some(quote!(#name::<L, H, _>(fuse.again(), host);))
    }

    /// Does everything need no more than bytes that a leaf and those behind it run?
    fn runs_plainly(&self, leaf: Leaf<'_>, fuse: &TokenStream) -> TokenStream {
        let own = self
            .own_runs_function(leaf)
            .map(|own| quote!(all_plain!(#own)));
        let next = leaf
            .next()
            .filter(|&region| self.is_needed_in(region, Pass::Run));
        let behind = next.map(|region| {
            let name = plainly_function(region);
            quote!(#name::<L, H, W>(#fuse))
        });
        let parts: Vec<TokenStream> = own.into_iter().chain(behind).collect();
        match parts.as_slice() {
            [] => quote!(true),
            parts => quote!(#(#parts)&&*),
        }
    }
}

/// The function that knows whether all runs plainly from the leaf of a region on.
fn plainly_function(region: RegionId) -> Ident {
    format_ident!("plainly_{region}")
}
