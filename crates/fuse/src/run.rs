//! What a state does in every tick: its update actions, then its activity (TICK-6, LANG-10).

use proc_macro2::TokenStream;
use quote::quote;
use statewright_rom::ids::{ExpressionId, KeyId, ListId};
use statewright_rom::layout::*;

use crate::Fused;
use crate::call::{Place, do_apart, plain_call};
use crate::expression::from_words;

impl Fused<'_> {
    /// What a leaf and the states around it run that belong to it; with `late` without those that were
    /// entered in this tick (TICK-5).
    pub fn runs(&self, poll: &PollRecord, late: bool) -> TokenStream {
        let late = late && self.rom.header().policies & policy::IMMEDIATE_UPDATE == 0;
        let mut code = TokenStream::new();
        let mut next = poll.run;
        // Bound: each record names an earlier one.
        while let Some(run) = self.rom.runs().get(usize::from(next.get())) {
            let (own, line, depth) = (self.run(run), run.leaf, run.depth);
            code.extend(match late {
                true => {
                    let fresh = quote!(fuse.apart(false, |fuse| fuse.is_fresh(#line, #depth)));
                    quote!(if !#fresh { #own })
                }
                false => own,
            });
            next = run.next;
        }
        code
    }

    fn run(&self, run: &RunRecord) -> TokenStream {
        let place = Place::of_state(run.state.get());
        let update = ListId::read(run.update).map(|list| self.list(list, place));
        let activity = (run.activity.get() != NONE).then(|| self.activity(run, place));
        quote!(#update #activity)
    }

    fn activity(&self, run: &RunRecord, place: Place) -> TokenStream {
        let op = &run.call;
        let (call, function) = (place.call(op), op.a.get());
        let compute = self.computed_arguments(op, place);
        let run_it = quote!(fuse.run_activity::<L, H, #function>(host, Mode::Run, #call));
        let run_it = plain_call(function, &run_it);
        if run.result_slot == 0xFF {
            // Whatever it says is not looked at.
            return quote!({ #compute let _: Status = #run_it; });
        }
        let (slot, bit) = (run.result_slot, run.result_bit);
        quote! {
            if fuse.result(#slot, #bit) == 0 {
                #compute
                let status = #run_it;
                fuse.keep(#slot, #bit, status);
            }
        }
    }

    /// What computes the arguments of a call, if that is needed.
    pub fn computed_arguments(&self, op: &OpRecord, place: Place) -> Option<TokenStream> {
        let index = self.rom.ops().iter().position(|other| other == op)? as u16;
        let site = place.site();
        (op.kind == ActionOp::CallWith)
            .then(|| do_apart(&quote!(fuse.compute_arguments(host, #index, #site))))
    }

    /// A list of actions.
    pub fn list(&self, id: ListId, place: Place) -> TokenStream {
        let record = self.rom.action_lists().get(id.index());
        let first = record.map_or(0, |record| record.first.get() as usize);
        let whole = record.and_then(|record| {
            let end = first + usize::from(record.count.get());
            self.ops(first, end, place)
        });
        whole.unwrap_or_else(|| {
            let (list, site) = (id.raw(), place.site());
            do_apart(&quote!(fuse.run_list(host, #list, #site)))
        })
    }

    /// Ops from one on, up to another; `None` if they leave out others in a way that is no `if`.
    fn ops(&self, mut at: usize, end: usize, place: Place) -> Option<TokenStream> {
        let mut code = TokenStream::new();
        while at < end {
            let op = self.rom.ops().get(at)?;
            match op.kind.get() {
                ActionOp::Unless => {
                    let (branch, next) = self.branch(at, end, place)?;
                    code.extend(branch);
                    at = next;
                }
                ActionOp::Skip => return None,
                ActionOp::Call
                | ActionOp::Evaluate
                | ActionOp::Set
                | ActionOp::Add
                | ActionOp::Raise
                | ActionOp::Send
                | ActionOp::Emit
                | ActionOp::StartTimer
                | ActionOp::StopTimer
                | ActionOp::ClearHistory
                | ActionOp::CallWith
                | ActionOp::SetScratch
                | ActionOp::AddScratch => {
                    code.extend(self.op(at as u16, op, place));
                    at += 1;
                }
            }
        }
        Some(code)
    }

    /// `if`, and `else` where the last op left out leaves out others.
    fn branch(&self, at: usize, end: usize, place: Place) -> Option<(TokenStream, usize)> {
        let unless = self.rom.ops().get(at)?;
        let condition = self.condition(unless.a.get(), place);
        let (first, close) = (at + 1, at + 1 + unless.b.get() as usize);
        let last = self.rom.ops().get(close.checked_sub(1)?)?;
        if close > end {
            return None;
        }
        if last.kind != ActionOp::Skip {
            let then = self.ops(first, close, place)?;
            return Some((quote!(if #condition { #then }), close));
        }
        let otherwise_end = close + last.b.get() as usize;
        if otherwise_end > end {
            return None;
        }
        let then = self.ops(first, close - 1, place)?;
        let otherwise = self.ops(close, otherwise_end, place)?;
        let code = quote!(if #condition { #then } else { #otherwise });
        Some((code, otherwise_end))
    }

    fn op(&self, index: u16, op: &OpRecord, place: Place) -> TokenStream {
        let known = match op.kind.get() {
            ActionOp::Call => {
                let (call, function) = (place.call(op), op.a.get());
                let action = quote!(fuse.run_action::<L, H, #function>(host, #call));
                Some(plain_call(function, &action))
            }
            ActionOp::CallWith => {
                let (call, function, site) = (place.call(op), op.a.get(), place.site());
                let compute = do_apart(&quote!(fuse.compute_arguments(host, #index, #site)));
                Some(quote! {
                    #compute
                    fuse.run_action::<L, H, #function>(host, #call);
                })
            }
            ActionOp::Set | ActionOp::Add => self.write(op, place),
            ActionOp::Evaluate
            | ActionOp::Raise
            | ActionOp::Send
            | ActionOp::Emit
            | ActionOp::StartTimer
            | ActionOp::StopTimer
            | ActionOp::ClearHistory
            | ActionOp::Unless
            | ActionOp::Skip
            | ActionOp::SetScratch
            | ActionOp::AddScratch => None,
        };
        known.unwrap_or_else(|| {
            let site = place.site();
            do_apart(&quote!(fuse.run_op(host, #index, #site)))
        })
    }

    /// Writes a blackboard key.
    fn write(&self, op: &OpRecord, place: Place) -> Option<TokenStream> {
        let value = self.expression(ExpressionId::read(op.a)?, place)?;
        let key = op.b.get() as u16;
        let ty = self.rom.key(KeyId::new(key)?)?.ty.get();
        if value.ty != ty {
            return None;
        }
        if op.kind == ActionOp::Set {
            let words = value.words()?;
            return Some(quote!({ let words = #words; L::write_key::<#key>(host, words); }));
        }
        let code = &value.code;
        let read = quote!(L::read_key::<#key>(&*host));
        let before = from_words(ty, &read)?.code;
        let sum = match ty {
            ValueType::I32 => quote!(arith::i32_add(before, value) as u32),
            ValueType::F32 => quote!(arith::f32_add(before, value).to_bits()),
            ValueType::Bool
            | ValueType::Entity
            | ValueType::Symbol
            | ValueType::Vec2
            | ValueType::Vec3 => return None,
        };
        Some(quote! {{
            let value = #code;
            let before = #before;
            L::write_key::<#key>(host, [#sum, 0, 0]);
        }})
    }
}
