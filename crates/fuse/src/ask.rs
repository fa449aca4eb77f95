//! One eventless candidate: is it enabled?

use proc_macro2::TokenStream;
use quote::quote;
use statewright_rom::ids::{ExpressionId, TransitionId};
use statewright_rom::layout::*;

use crate::Fused;
use crate::call::{Place, apart, plain_call};

impl Fused<'_> {
    /// Asks a candidate; ends the function with a halt if it may be taken, or if there is more to ask
    /// than is known here. `at` is in scope: who is asked.
    pub fn ask(&self, id: TransitionId) -> Option<TokenStream> {
        let (plan, record) = (self.rom.transition_plan(id)?, self.rom.transition(id)?);
        let (flags, number) = (plan.flags, id.raw());
        if record.flags.get() & transition_flag::SCORED != 0 {
            return Some(self.left_to_the_tables(plan, number));
        }
        let place = Place {
            state: plan.source.get(),
            transition: number,
        };
        let waited_for = self.waited_for(plan);
        let guard = (flags & ask_flag::GUARDED != 0).then(|| self.guard(&plan.guard, place));
        let taken = self.taken(id, flags);
        let asked = match guard {
            None => taken,
            Some(guard) => {
                let stop = self.stop_waiting(id, flags);
                quote!(if #guard { #taken } #stop)
            }
        };
        let (cooldown, stack) = (self.cooldown(id, flags), self.stack(id, record));
        let conditions = waited_for.into_iter().chain(cooldown).chain(stack);
        let conditions: Vec<TokenStream> = conditions.collect();
        Some(match conditions.as_slice() {
            [] => asked,
            conditions => quote!(if #(#conditions)&&* { #asked }),
        })
    }

    /// Whether a cooldown is over, if there is one.
    pub fn cooldown(&self, id: TransitionId, flags: u8) -> Option<TokenStream> {
        let extra = self.rom.transition_extra(id)?;
        let slot = extra.cooldown()?.raw();
        (flags & ask_flag::WEIGHED != 0).then(|| quote!(fuse.has_cooled(#slot)))
    }

    /// The slow path asks, unless a result that is waited for says no.
    fn left_to_the_tables(&self, plan: &TransitionPlan, number: u16) -> TokenStream {
        let halt = quote!(return fuse.halt(at, #number, false););
        match self.waited_for(plan) {
            Some(result) => quote!(if #result { #halt }),
            None => halt,
        }
    }

    /// Whether the result of an activity or the end of a state is there that a candidate waits for.
    fn waited_for(&self, plan: &TransitionPlan) -> Option<TokenStream> {
        let (slot, bit) = (plan.result_slot, plan.result_bit);
        let result = quote!(fuse.result(#slot, #bit));
        if plan.flags & ask_flag::SUCCEEDED != 0 {
            let source = plan.source.get();
            let complete = (plan.flags & ask_flag::COMPLETED != 0).then(|| {
                let complete = apart(&quote!(false), &quote!(fuse.is_complete(#source)));
                quote!(|| #complete)
            });
            Some(quote!((#result == 1 #complete)))
        } else if plan.flags & ask_flag::FAILED != 0 {
            Some(quote!((#result > 1)))
        } else {
            None
        }
    }

    /// Everything that was asked holds.
    fn taken(&self, id: TransitionId, flags: u8) -> TokenStream {
        let number = id.raw();
        let halt = quote!(return fuse.halt(at, #number, true););
        if flags & (ask_flag::DEBOUNCED | ask_flag::HELD) == 0 {
            return halt;
        }
        if let Some(waited) = self.waited(id, flags, &halt) {
            return waited;
        }
        let checked = apart(&quote!(false), &quote!(fuse.may_be_taken(host, #number)));
        let checked = quote!(if #checked { #halt });
        match self
            .debounce_timer(id)
            .filter(|_| flags & ask_flag::DEBOUNCED != 0)
        {
            Some(timer) => quote!(if !fuse.waits(#timer) { #checked }),
            None => checked,
        }
    }

    /// The same where code knows how long it waits, and what for. A candidate that may not leave yet is kept
    /// if it may wait; the search goes on (SEL-6).
    fn waited(&self, id: TransitionId, flags: u8, halt: &TokenStream) -> Option<TokenStream> {
        let held = match flags & ask_flag::HELD != 0 {
            true => {
                let (free, latch) = (self.may_leave(id)?, self.latch(id));
                let otherwise = latch.map(|latch| quote!(else { #latch; }));
                quote!(if #free { #halt } #otherwise)
            }
            false => halt.clone(),
        };
        if flags & ask_flag::DEBOUNCED == 0 {
            return Some(held);
        }
        let waited = self.debounced(id, &quote!(true))?;
        Some(quote!(if #waited { #held }))
    }

    fn stop_waiting(&self, id: TransitionId, flags: u8) -> Option<TokenStream> {
        let timer = self.debounce_timer(id)?;
        let bit = 1_u8.checked_shl(timer.into()).unwrap_or(0);
        (flags & ask_flag::DEBOUNCED != 0).then(|| quote!(else { fuse.disarm(#bit); }))
    }

    fn debounce_timer(&self, id: TransitionId) -> Option<u8> {
        Some(self.rom.transition_extra(id)?.debounce()?.raw())
    }

    /// A condition: an expression, or a function.
    pub fn guard(&self, op: &OpRecord, place: Place) -> TokenStream {
        if op.kind == ActionOp::Evaluate {
            return self.condition(op.a.get(), place);
        }
        let (call, function) = (place.call(op), op.a.get());
        let ask = quote!(fuse.ask_guard::<L, H, #function>(&*host, #call).holds);
        let ask = plain_call(function, &ask);
        match self.computed_arguments(op, place) {
            Some(compute) => quote!({ #compute #ask }),
            None => ask,
        }
    }

    /// Whether an expression holds.
    pub fn condition(&self, expression: u16, place: Place) -> TokenStream {
        let piece = ExpressionId::new(expression)
            .and_then(|id| self.expression(id, place))
            .filter(|piece| piece.ty == ValueType::Bool);
        match piece {
            Some(piece) => piece.code,
            None => {
                let site = place.site();
                apart(
                    &quote!(false),
                    &quote!(fuse.test(&*host, #expression, #site)),
                )
            }
        }
    }

    /// Whether a stack has room or a frame, if the transition needs one.
    pub fn stack(&self, id: TransitionId, record: &TransitionRecord) -> Option<TokenStream> {
        let (number, flags) = (id.raw(), record.flags.get());
        // All frames are of the only stack.
        let only = match self.rom.stacks() {
            [only] => Some(only.depth),
            _ => None,
        };
        let allows = apart(&quote!(false), &quote!(fuse.stack_allows(#number)));
        if flags & transition_flag::POP != 0 {
            Some(match only {
                Some(_) => quote!(fuse.has_frames()),
                None => quote!(fuse.has_frames() && #allows),
            })
        } else if flags & transition_flag::PUSH != 0 {
            Some(match only {
                Some(depth) => quote!(fuse.has_room_for_frames(#depth)),
                None => allows,
            })
        } else {
            None
        }
    }
}
