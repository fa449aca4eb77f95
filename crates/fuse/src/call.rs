//! Where calls of user code stand.

use proc_macro2::TokenStream;
use quote::quote;
use statewright_rom::layout::{ActionOp, NONE, OpRecord};

/// A call of a function: where there are only bytes, it has to be plain.
pub fn plain_call(function: u16, call: &TokenStream) -> TokenStream {
    quote!({ plain_call!(#function); #call })
}

/// What needs more than bytes; it comes to something else where there is no more, and never gets there.
pub fn apart(otherwise: &TokenStream, code: &TokenStream) -> TokenStream {
    quote!({ never_bare!(); fuse.apart(#otherwise, |mut fuse| #code) })
}

/// The same where it comes to nothing.
pub fn do_apart(code: &TokenStream) -> TokenStream {
    let apart = apart(&quote!(()), code);
    quote!(#apart;)
}

/// Where code stands: a state, and a transition or `NONE`.
#[derive(Clone, Copy)]
pub struct Place {
    pub state: u16,
    pub transition: u16,
}

impl Place {
    /// In a state, of no transition.
    pub fn of_state(state: u16) -> Self {
        Self {
            state,
            transition: NONE,
        }
    }

    /// Code that is no call.
    pub fn site(self) -> TokenStream {
        let Self { state, transition } = self;
        quote!(const { &CallSite::new(#state, #transition) })
    }

    /// A call with the arguments of an op.
    pub fn call(self, op: &OpRecord) -> TokenStream {
        let Self { state, transition } = self;
        let (function, first, count) = (op.a.get(), op.b.get(), op.count);
        let computed = (op.kind == ActionOp::CallWith).then(|| quote!(.computed()));
        quote!(const { &CallSite::new(#state, #transition).calling(#function, #first, #count) #computed })
    }
}
