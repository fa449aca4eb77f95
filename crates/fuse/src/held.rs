//! Transitions that have to wait: `debounce`, `min_active` and `exit_ready` of what they leave, and `latch`
//! (SEL-6).

use proc_macro2::TokenStream;
use quote::quote;
use statewright_rom::code::op;
use statewright_rom::ids::*;
use statewright_rom::layout::*;

use crate::Fused;
use crate::call::Place;

impl Fused<'_> {
    /// Whether a debounced candidate has waited, now that its guard says `holds`; the wait begins, goes on
    /// or ends. `None` if only the tables know how long it is.
    pub fn debounced(&self, id: TransitionId, holds: &TokenStream) -> Option<TokenStream> {
        let extra = self.rom.transition_extra(id)?;
        let (timer, ticks) = (extra.debounce()?.raw(), extra.debounce_time.known()?);
        Some(quote!(fuse.debounce(#timer, #ticks, #holds)))
    }

    /// Whether a candidate may leave what it would leave: all `min_active` first, then all `exit_ready`,
    /// both in the order of exits. `None` if only the tables know.
    pub fn may_leave(&self, id: TransitionId) -> Option<TokenStream> {
        let young = self.young(id, &quote!(break 'leaving false;))?;
        let transition = id.raw();
        let ready = self.for_each_left(id, &|state| {
            let extra = self.rom.state_extra(state)?;
            let guard = self.rom.op(OpId::read(extra.exit_ready)?)?;
            let state = state.raw();
            let asked = self.guard(guard, Place { state, transition });
            Some(quote!(if !#asked { break 'leaving false; }))
        })?;
        Some(match young.is_empty() && ready.is_empty() {
            true => quote!(true),
            false => quote!('leaving: { #young #ready true }),
        })
    }

    /// What happens if a state that is left was entered too short a time ago.
    fn young(&self, id: TransitionId, then: &TokenStream) -> Option<TokenStream> {
        let computed = |state: StateId| {
            let extra = self.rom.state_extra(state);
            extra.is_some_and(|extra| {
                extra.min_active.is_some() && extra.min_active.known().is_none()
            })
        };
        if self.rom.state_ids().any(computed) {
            return None;
        }
        self.for_each_left(id, &|state| {
            let extra = self.rom.state_extra(state)?;
            let ticks = extra
                .min_active
                .known()
                .filter(|_| extra.min_active.is_some())?;
            let clock = extra.clock_slot()?.raw();
            Some(quote!(if fuse.is_young(#clock, #ticks) { #then }))
        })
    }

    /// Code for each state that a transition leaves, in the order of exits.
    fn for_each_left(
        &self,
        id: TransitionId,
        of: &dyn Fn(StateId) -> Option<TokenStream>,
    ) -> Option<TokenStream> {
        let mut code = TokenStream::new();
        for region in self.regions_left(id)? {
            code.extend(self.on_the_way_up(region, of)?);
        }
        Some(code)
    }

    /// Where a transition of a state waits, if it may.
    fn latch_slot(&self, id: TransitionId) -> Option<u8> {
        let record = self.rom.transition(id)?;
        let source = StateId::read(record.source)?;
        let slot = self.rom.state_extra(source)?.latch()?.raw();
        (record.flags.get() & transition_flag::LATCH != 0).then_some(slot)
    }

    /// Keeps a candidate that may not leave yet for later, if it may wait; whether it was kept.
    pub fn latch(&self, id: TransitionId) -> Option<TokenStream> {
        let (slot, number) = (self.latch_slot(id)?, id.raw());
        Some(quote!(fuse.latch(#slot, #number)))
    }

    /// The `exit_ready` of a state, if it asks nobody: it may be asked at any time.
    fn plain_exit_ready(&self, state: StateId, id: TransitionId) -> Option<TokenStream> {
        let extra = self.rom.state_extra(state)?;
        let guard = self.rom.op(OpId::read(extra.exit_ready)?)?;
        let expression = ExpressionId::new(guard.a.get())?;
        let asks_nobody = |instruction: &InstructionRecord| {
            let code = instruction.op;
            let known = [op::PUSH, op::PARAMETER, op::TICKS_IN_STATE, op::IN_STATE];
            let joins = [op::AND_JUMP, op::OR_JUMP, op::SELECT];
            known.contains(&code) || joins.contains(&code) || op::PLAIN.contains(&code)
        };
        let plain = guard.kind == ActionOp::Evaluate
            && self.rom.code_of(expression).iter().all(asks_nobody);
        let (state, transition) = (state.raw(), id.raw());
        let piece = self.expression(expression, Place { state, transition });
        let piece = piece.filter(|piece| plain && piece.ty == ValueType::Bool)?;
        let code = piece.code;
        Some(quote!((#code)))
    }

    /// Whether what a slot holds has to wait on, so that nobody need ask it: a transition of an event or a
    /// timer that would leave a state too early, or one that is not ready and asks nobody.
    pub fn waits_on(&self, leaf: StateId, slot: u8) -> TokenStream {
        let ids = (0..self.rom.transitions().len()).filter_map(TransitionId::from_index);
        let arms = ids.filter_map(|id| {
            let record = self.rom.transition(id)?;
            let source = StateId::read(record.source)?;
            let eventless =
                SpecialTrigger::read(record.trigger).is_some_and(SpecialTrigger::is_eventless);
            let own = self.rom.is_ancestor_or_self(source, leaf);
            if self.latch_slot(id)? != slot || eventless || !own {
                return None;
            }
            let young = self.young(id, &quote!(break 'waiting true;))?;
            let ready = self.for_each_left(id, &|state| {
                let ready = self.plain_exit_ready(state, id)?;
                Some(quote!(if !#ready { break 'waiting true; }))
            })?;
            if young.is_empty() && ready.is_empty() {
                return None;
            }
            let stored = id.raw().saturating_add(1);
            Some(quote!(#stored => 'waiting: { #young #ready false }))
        });
        quote!((match fuse.slot(#slot) { 0 => true, #(#arms,)* _ => false }))
    }
}
