//! Transitions whose way is found when they are taken: choices (EXEC-7) and history (EXEC-4).
//!
//! ```text
//!   take_3   way = slot 2, or the first branch whose guard holds      asked before anything is left
//!            leave_1
//!            effect
//!            match way { 5 => enter_4, enter_5   6 => enter_4, enter_6   _ => enter_4, enter_5 }
//! ```
//!
//! Only where one region is left and a line of states is entered, so that each way is a list of states. What a
//! point may remember besides is left to the tables.

use proc_macro2::TokenStream;
use quote::quote;
use statewright_rom::Target;
use statewright_rom::ids::*;
use statewright_rom::layout::*;

use crate::Fused;
use crate::call::{Place, do_apart};
use crate::take::enter_function;

/// A way that is found.
pub struct Found {
    /// The innermost state that stays (EXEC-2).
    pub domain: StateId,
    /// `let way = …`: what is asked before anything is left.
    pub asked: TokenStream,
    /// What is entered, by `way`.
    pub entries: TokenStream,
    /// Leaves that it may lead to.
    pub leaves: Vec<StateId>,
    /// Whether the way is one that only the tables know, if there are such.
    pub unknown: Option<TokenStream>,
}

impl<'m> Fused<'m> {
    /// The way of a transition to a choice or to a history point; `None` if only the tables know it.
    pub fn found(&self, id: TransitionId) -> Option<Found> {
        let record = self.rom.transition(id)?;
        let flags = record.flags.get();
        let [target] = self.targets(TargetSetId::read(record.targets)) else {
            return None;
        };
        if flags & (transition_flag::INTERNAL | transition_flag::LOCAL) != 0 {
            return None;
        }
        let found = match Target::read(target)? {
            Target::Choice(choice) => self.choice(id, record, choice),
            Target::History(point) => self.history(record, point),
            Target::State(_) => None,
        };
        found.filter(|found| {
            let domain = self.rom.state(found.domain);
            domain.is_some_and(|domain| domain.region_count == 1)
        })
    }

    fn targets(&self, targets: Option<TargetSetId>) -> &'m [TargetRecord] {
        targets.map_or(&[], |targets| self.rom.targets_of(targets))
    }

    /// The first branch whose guard holds.
    fn choice(
        &self,
        id: TransitionId,
        record: &TransitionRecord,
        choice: StateId,
    ) -> Option<Found> {
        let domain = StateId::read(record.domain)?;
        let place = Place {
            state: choice.raw(),
            transition: id.raw(),
        };
        let (mut asked, mut arms) = (TokenStream::new(), TokenStream::new());
        let mut leaves = Vec::new();
        let mut last = None;
        for (number, branch) in (0_u16..).zip(self.rom.branches_of(choice)) {
            let [target] = self.targets(TargetSetId::read(branch.targets)) else {
                return None;
            };
            let Target::State(target) = Target::read(target)? else {
                return None;
            };
            let effect = ListId::read(branch.effect);
            let effect = effect.map(|list| self.list(list, Place::of_state(choice.raw())));
            let (down, leaf) = self.line_down(domain, target)?;
            arms.extend(quote!(#number => { #effect #down }));
            leaves.push(leaf);
            match OpId::read(branch.guard) {
                Some(guard) => {
                    let guard = self.guard(self.rom.op(guard)?, place);
                    asked.extend(quote!(if #guard { break 'asked #number; }));
                }
                None => {
                    last = Some(number);
                    break;
                }
            }
        }
        let last = last?;
        Some(Found {
            domain,
            asked: quote!(let way: u16 = 'asked: { #asked #last };),
            entries: quote!(match way { #arms _ => {} }),
            leaves,
            unknown: None,
        })
    }

    /// What a point remembers, or its default.
    fn history(&self, record: &TransitionRecord, point: HistoryId) -> Option<Found> {
        let point = self.rom.history_point(point)?;
        let (owner, source) = (StateId::read(point.owner)?, StateId::read(record.source)?);
        let own = self.rom.state(owner)?;
        let mut regions = self.rom.region_ids_of(owner);
        // A point that is about to be written is left to the tables.
        let apart = !self.rom.is_ancestor_or_self(owner, source)
            && !self.rom.is_ancestor_or_self(source, owner);
        let plain = point.effect.get() == NONE
            && point.slot_count == 1
            && own.region_count == 1
            && own.flags.get() & state_flag::RESTORES == 0;
        if !apart || !plain {
            return None;
        }
        let mut around = self.rom.path_up(source).skip(1);
        let domain = around.find(|&around| self.rom.is_inside(owner, around))?;
        let default = match self.targets(TargetSetId::read(point.default)) {
            [] => owner,
            [target] => match Target::read(target)? {
                Target::State(state) => state,
                Target::Choice(_) | Target::History(_) => return None,
            },
            _ => return None,
        };
        let remembered: Vec<StateId> = match point.deep {
            0 => self.rom.children(regions.next()?).collect(),
            _ => self.states_in(owner).skip(1).collect(),
        };
        let fits = |state: &StateId| {
            self.rom
                .state(*state)
                .is_some_and(|record| match point.deep {
                    0 => record.kind != StateKind::Choice,
                    _ => record.row.get() != NONE,
                })
        };
        if !self.rom.is_ancestor_or_self(owner, default) {
            return None;
        }
        let (mut arms, mut leaves, mut unknown) = (TokenStream::new(), Vec::new(), Vec::new());
        for state in remembered.into_iter().filter(fits) {
            let number = state.raw();
            match self.line_down(domain, state) {
                Some((down, leaf)) => {
                    arms.extend(quote!(#number => { #down }));
                    leaves.push(leaf);
                }
                None => unknown.push(number),
            }
        }
        let (down, leaf) = self.line_down(domain, default)?;
        leaves.push(leaf);
        let slot = point.slot;
        Some(Found {
            domain,
            asked: quote!(let way: u16 = fuse.slot(#slot);),
            entries: quote!(match way { #arms _ => { #down } }),
            leaves,
            unknown: (!unknown.is_empty())
                .then(|| quote!(matches!(fuse.slot(#slot), #(#unknown)|*))),
        })
    }

    /// Enters the line from below a state down to another one, and on by initials; and the leaf at its end.
    fn line_down(&self, domain: StateId, target: StateId) -> Option<(TokenStream, StateId)> {
        let mut code = self.enter_line(domain, target)?;
        let mut at = target;
        // Bound: the depth of the tree.
        loop {
            let record = self.rom.state(at)?;
            if record.region_count == 0 {
                return Some((code, at));
            }
            if record.region_count > 1 || record.flags.get() & state_flag::RESTORES != 0 {
                return None;
            }
            let initial = self.rom.initial_of(self.rom.region_ids_of(at).next()?)?;
            let [target] = self.targets(TargetSetId::read(initial.targets)) else {
                return None;
            };
            let Target::State(inner) = Target::read(target)? else {
                return None;
            };
            let effect = ListId::read(initial.effect);
            code.extend(effect.map(|list| self.list(list, Place::of_state(at.raw()))));
            code.extend(self.enter_line(at, inner)?);
            at = inner;
        }
    }

    /// Enters the line from below a state down to another one.
    fn enter_line(&self, outer: StateId, inner: StateId) -> Option<TokenStream> {
        if !self.rom.is_inside(inner, outer) {
            return None;
        }
        let mut path: Vec<StateId> = self
            .rom
            .path_up(inner)
            .take_while(|&state| state != outer)
            .collect();
        let fits = |&state: &StateId| {
            let around = self
                .rom
                .parent(state)
                .and_then(|state| self.rom.state(state));
            let alone = around.is_some_and(|around| around.region_count == 1);
            let record = self.rom.state(state);
            alone
                && record.is_some_and(|record| {
                    !matches!(record.kind.get(), StateKind::Final | StateKind::Choice)
                })
        };
        if !path.iter().all(fits) {
            return None;
        }
        path.reverse();
        let steps = path.into_iter().map(enter_function);
        Some(quote!(#(#steps::<L, H, _>(fuse.again(), host);)*))
    }

    /// Records the history points of a state that is about to be left (EXEC-4).
    pub fn record(&self, state: StateId) -> TokenStream {
        let number = state.raw();
        self.recorded(state)
            .unwrap_or_else(|| do_apart(&quote!(fuse.record(#number))))
    }

    /// The same by code; `None` if what is remembered is more than what is active.
    fn recorded(&self, state: StateId) -> Option<TokenStream> {
        let (record, end) = (
            self.rom.state(state)?,
            self.rom.state(state)?.subtree_end.get(),
        );
        if self.rom.has(feature::STACK) || record.flags.get() & state_flag::HISTORY_RESET != 0 {
            return None;
        }
        let number = state.raw();
        let mut code = TokenStream::new();
        for point in self.rom.history_of(state) {
            let slots = point.slots().map(SlotId::raw);
            if point.deep == 0 {
                for (slot, region) in slots.zip(self.rom.region_ids_of(state)) {
                    let line = usize::from(self.rom.region(region)?.leaf);
                    let children = self.rom.children(region).map(|child| {
                        let (first, end) = (child.raw(), self.rom.state(child)?.subtree_end.get());
                        let last = end.checked_sub(1)?;
                        Some(quote!(#first..=#last => #first,))
                    });
                    let children: TokenStream = children.collect::<Option<_>>()?;
                    code.extend(quote! {{
                        let child = match fuse.leaf::<#line>() { #children _ => 0 };
                        fuse.put_slot(#slot, child);
                    }});
                }
                continue;
            }
            let mask = self.rom.leaf_mask(state);
            let lines = (0_usize..MAX_LEAVES).filter(|line| mask >> line & 1 != 0);
            for (slot, line) in slots.zip(lines) {
                code.extend(quote! {{
                    let leaf = fuse.leaf::<#line>();
                    let inside = fuse.is_in::<#line>(#number, #end);
                    fuse.put_slot(#slot, if inside { leaf } else { 0 });
                }});
            }
        }
        Some(code)
    }
}
