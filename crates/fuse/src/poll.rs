//! A tick of an agent that only polls: its leaves in the order of the tree, as `PollRecord` draws
//! them. Functions of a region go on to the region of the next leaf.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use statewright_rom::ids::{RegionId, StateId, TransitionId};
use statewright_rom::layout::{NONE, PollRecord};

use crate::Fused;

/// A leaf and what it polls and runs.
#[derive(Clone, Copy)]
struct Leaf<'m> {
    state: StateId,
    poll: &'m PollRecord,
}

impl<'m> Leaf<'m> {
    /// Region in which the next active leaf lies.
    fn next(self) -> Option<RegionId> {
        RegionId::read(self.poll.next)
    }
}

/// What a function of a region does.
#[derive(Clone, Copy)]
enum Pass {
    Chain,
    Ask,
    Run,
}

impl Pass {
    fn function(self, region: RegionId) -> Ident {
        match self {
            Self::Chain => format_ident!("chain_{region}"),
            Self::Ask => format_ident!("ask_{region}"),
            Self::Run => format_ident!("run_{region}"),
        }
    }
}

impl<'m> Fused<'m> {
    /// `poll` and the functions that it calls.
    pub fn poll(&self) -> TokenStream {
        let mut functions = TokenStream::new();
        let mut arms = TokenStream::new();
        for leaf in self.first_leaves().filter(|&leaf| self.is_worth_it(leaf)) {
            let (number, name) = (leaf.state.raw(), self.leaf_function("poll", leaf.state));
            arms.extend(quote!(#number => #name::<L, H>(fuse, host, has_events),));
            functions.extend(self.first_leaf(&name, leaf));
        }
        for region in self.next_regions() {
            functions.extend(self.region(region));
        }
        let instance = &self.instance;
        quote! {
            /// A tick of an agent that only polls.
            pub fn poll<L: Linkage<H>, H: Host>(
                fuse: &mut Fuse<'_, '_>, host: &mut H, has_events: bool
            ) -> Option<Polled> {
                if !fuse.is_quiet::<#instance>() {
                    return None;
                }
                match fuse.leaf::<#instance, 0>() {
                    #arms
                    _ => None,
                }
            }
            #functions
        }
    }

    fn leaves(&self) -> impl Iterator<Item = Leaf<'m>> + use<'m> {
        let rows = self.rom.leaf_rows().iter().zip(self.rom.polls());
        rows.filter_map(|(row, poll)| {
            let state = StateId::read(row.state)?;
            Some(Leaf { state, poll })
        })
    }

    fn first_leaves(&self) -> impl Iterator<Item = Leaf<'m>> + use<'m> {
        self.leaves()
            .filter(|leaf| leaf.poll.first_of.get() == NONE)
    }

    /// The first leaves that a region may have.
    fn leaves_in(&self, region: RegionId) -> impl Iterator<Item = Leaf<'m>> + use<'m> {
        let is_first = move |leaf: &Leaf<'_>| leaf.poll.first_of.get() == region.raw();
        self.leaves().filter(is_first)
    }

    /// Regions in which a leaf behind another lies.
    fn next_regions(&self) -> BTreeSet<RegionId> {
        let worth = |leaf: &Leaf<'_>| self.is_worth_it(*leaf);
        let mut regions: BTreeSet<RegionId> = BTreeSet::new();
        let mut open: Vec<RegionId> =
            self.first_leaves().filter(worth).filter_map(Leaf::next).collect();
        while let Some(region) = open.pop() {
            if regions.insert(region) {
                open.extend(self.leaves_in(region).filter_map(Leaf::next));
            }
        }
        regions
    }

    /// Whether an agent whose first leaf this is may poll by code: interrupts are left to the tables.
    fn is_worth_it(&self, leaf: Leaf<'_>) -> bool {
        self.all_behind(leaf, &|leaf| leaf.poll.interrupts.get() == 0)
    }

    /// Does a test hold for a leaf and whatever may lie behind it?
    fn all_behind(&self, leaf: Leaf<'_>, test: &dyn Fn(Leaf<'_>) -> bool) -> bool {
        test(leaf)
            && leaf
                .next()
                .is_none_or(|region| self.leaves_in(region).all(|leaf| self.all_behind(leaf, test)))
    }

    /// Does a leaf, or one that may lie behind it, ask anything?
    fn asks_behind(&self, leaf: Leaf<'_>) -> bool {
        !self.all_behind(leaf, &|leaf| leaf.poll.asks.get() == 0)
    }

    fn runs_behind(&self, leaf: Leaf<'_>) -> bool {
        !self.all_behind(leaf, &|leaf| leaf.poll.run.get() == NONE)
    }

    fn region_asks(&self, region: RegionId) -> bool {
        self.leaves_in(region).any(|leaf| self.asks_behind(leaf))
    }

    fn region_runs(&self, region: RegionId) -> bool {
        self.leaves_in(region).any(|leaf| self.runs_behind(leaf))
    }

    /// A function for agents whose first leaf this is.
    fn first_leaf(&self, name: &Ident, leaf: Leaf<'m>) -> TokenStream {
        let doc = format!(" {}", self.path(leaf.state));
        let whole = self.whole(leaf, &quote!(1), &quote!(false));
        let (asks, runs) = (self.asks(leaf), self.runs(leaf.poll));
        let asks_on = self.go_on(leaf, Pass::Ask);
        let runs_on = self.go_on(leaf, Pass::Run);
        let rank = (!asks.is_empty()).then(|| quote!(let rank = 0_u8;));
        let checked = self.asks_behind(leaf).then(|| {
            quote! {
                if let Some(failure) = fuse.failure() {
                    return Some(failure);
                }
            }
        });
        quote! {
            #[doc = #doc]
            #[inline]
            fn #name<L: Linkage<H>, H: Host>(
                fuse: &mut Fuse<'_, '_>, host: &mut H, has_events: bool
            ) -> Option<Polled> {
                if !(#whole) {
                    return None;
                }
                fuse.begin();
                #rank
                #asks
                #asks_on
                #checked
                if has_events {
                    return fuse.settle();
                }
                #runs
                #runs_on
                fuse.finish()
            }
        }
    }

    /// Is the rest of the configuration what has to lie behind a leaf, does nothing wait in its
    /// states, and does a leaf poll? `before`: whether an earlier one does.
    fn whole(&self, leaf: Leaf<'_>, used: &TokenStream, before: &TokenStream) -> TokenStream {
        let instance = &self.instance;
        let own = leaf.poll.asks.get() != 0 || leaf.poll.run.get() != NONE;
        let polls = if own { quote!(true) } else { before.clone() };
        let latches = leaf.poll.latches.get();
        let waits = (0..u8::MAX).take(32).filter(|slot| latches >> slot & 1 != 0);
        let waits = waits.map(|slot| quote!(!fuse.holds::<#instance>(#slot) &&));
        let rest = match leaf.next() {
            None => quote!(#polls && fuse.is_whole::<#instance>(#used)),
            Some(region) => {
                let chain = Pass::Chain.function(region);
                quote!(#chain(fuse, #used, #polls))
            }
        };
        quote!(#(#waits)* #rest)
    }

    /// Asks the candidates of a leaf; `rank` is in scope.
    fn asks(&self, leaf: Leaf<'_>) -> TokenStream {
        let first = leaf.poll.first_ask.get() as usize;
        let list = self.rom.candidates().iter().skip(first);
        let own = list.take(usize::from(leaf.poll.asks.get()));
        own.filter_map(|candidate| self.ask(TransitionId::read(candidate.index)?))
            .collect()
    }

    /// Goes on to the region of the next leaf.
    fn go_on(&self, leaf: Leaf<'_>, pass: Pass) -> Option<TokenStream> {
        let region = leaf.next()?;
        let function = pass.function(region);
        let first = leaf.poll.first_of.get() == NONE;
        let rank = if first { quote!(1) } else { quote!(rank + 1) };
        match pass {
            Pass::Ask => self.region_asks(region).then(|| {
                quote! {
                    if let Some(halt) = #function::<L, H>(fuse, host, #rank) {
                        return Some(halt);
                    }
                }
            }),
            Pass::Run => self
                .region_runs(region)
                .then(|| quote!(#function::<L, H>(fuse, host);)),
            Pass::Chain => None,
        }
    }

    /// The functions of a region that holds the leaf behind another.
    fn region(&self, region: RegionId) -> TokenStream {
        let instance = &self.instance;
        let line = self.rom.region(region).map_or(0, |record| record.leaf);
        let (number, bit) = (usize::from(line), 1_u8.checked_shl(line.into()).unwrap_or(0));
        let mut chain = TokenStream::new();
        let mut asks = TokenStream::new();
        let mut runs = TokenStream::new();
        for leaf in self.leaves_in(region) {
            let state = leaf.state.raw();
            let whole = self.whole(leaf, &quote!(used | #bit), &quote!(polls));
            chain.extend(quote!(#state => #whole,));
            let (own, on) = (self.asks(leaf), self.go_on(leaf, Pass::Ask));
            asks.extend(quote!(#state => { #own #on }));
            let (own, on) = (self.runs(leaf.poll), self.go_on(leaf, Pass::Run));
            runs.extend(quote!(#state => { #own #on }));
        }
        let name = Pass::Chain.function(region);
        let chain = quote! {
            #[inline]
            fn #name(fuse: &Fuse<'_, '_>, used: u8, polls: bool) -> bool {
                match fuse.leaf::<#instance, #number>() { #chain _ => false }
            }
        };
        let name = Pass::Ask.function(region);
        let asks = self.region_asks(region).then(|| {
            quote! {
                #[inline]
                fn #name<L: Linkage<H>, H: Host>(
                    fuse: &mut Fuse<'_, '_>, host: &mut H, rank: u8
                ) -> Option<Polled> {
                    match fuse.leaf::<#instance, #number>() { #asks _ => {} }
                    None
                }
            }
        });
        let name = Pass::Run.function(region);
        let runs = self.region_runs(region).then(|| {
            quote! {
                #[inline]
                fn #name<L: Linkage<H>, H: Host>(fuse: &mut Fuse<'_, '_>, host: &mut H) {
                    match fuse.leaf::<#instance, #number>() { #runs _ => {} }
                }
            }
        });
        quote!(#chain #asks #runs)
    }
}
