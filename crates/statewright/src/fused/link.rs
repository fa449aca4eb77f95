//! From the numbers of a machine to the functions and fields of a type, while the user's program is
//! compiled.

use std::marker::PhantomData;

use statewright_kernel::fused::{Fuse, Linkage, Phase, Step};
use statewright_kernel::{self as kernel, Host, Mode, Status, Verdict};
use statewright_rom::ids::KeyId;

use super::{AnyFused, Fused, FusedBy};
use crate::board::Board;
use crate::context::Context;
use crate::functions::{
    AnyActionFn, AnyActivityFn, AnyGuardFn, AnyScorerFn, AnyValueFn, Callback, Kind,
};
use crate::host::FusedHost;
use crate::macros::is_same;
use crate::value::Type;

/// A function with one of its names.
pub type NamedCallback<B, C> = (&'static str, Callback<B, C>);

/// Functions of a type as constants: the `functions` macro implements it.
pub trait Linked {
    /// Their blackboard.
    type Board: 'static;
    /// Their context.
    type Context: Context + ?Sized + 'static;
    /// Names and functions; one that answers to two spellings stands here twice.
    const CALLBACKS: &'static [NamedCallback<Self::Board, Self::Context>];
}

/// A machine as code: `machine!` implements it.
pub trait FusedMachine {
    /// The type of its instances.
    type Instance: kernel::Instance;
    /// Names of its functions, by number.
    const FUNCTIONS: &'static [&'static str];
    /// Names and types of its keys, by number.
    const KEYS: &'static [(&'static str, Type)];

    /// May anybody handle an event while a state alone is the innermost one?
    fn hears(leaf: u16, event: u16) -> bool;

    /// A part of a tick.
    fn fused<L: Linkage<H>, H: Host>(fuse: Fuse<'_, '_>, host: &mut H, phase: Phase<'_>) -> Step;
}

/// Code for a machine with the functions of a type; `CODE` of one without any is none
/// ([`Unfused`]).
pub struct FusedWith<T, M>(PhantomData<(T, M)>);

impl<T: Linked, M: FusedMachine> FusedWith<T, M>
where
    T::Board: Board,
{
    /// The code.
    pub const CODE: Option<AnyFused> = Some(
        const {
            &Fused::<T::Board, T::Context> {
                batch: |batch| batch.run::<M::Instance, _>(Known::<T, M>(PhantomData)),
                fields: &Linker::<T, M>::FIELDS,
            }
        },
    );
}

/// The code of a machine with the functions of a type: known by its type, so that each part of it is
/// inlined where it is called.
struct Known<T, M>(PhantomData<(T, M)>);

impl<T, M> Clone for Known<T, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, M> Copy for Known<T, M> {}

impl<'w, T: Linked, M: FusedMachine> FusedBy<T::Board, <T::Context as Context>::Of<'w>>
    for Known<T, M>
where
    T::Board: Board,
{
    const IS_THERE: bool = true;

    #[inline(always)]
    fn hears(self, leaf: u16, event: u16) -> bool {
        M::hears(leaf, event)
    }

    #[inline(always)]
    fn run(
        self,
        fuse: Fuse<'_, '_>,
        host: &mut FusedHost<'_, '_, T::Board, <T::Context as Context>::Of<'w>>,
        phase: Phase<'_>,
    ) -> Step {
        M::fused::<Linker<T, M>, _>(fuse, host, phase)
    }
}

/// What types without functions that can be linked have instead.
pub trait Unfused {
    /// No code.
    const CODE: Option<AnyFused> = None;
}

impl<T, M> Unfused for FusedWith<T, M> {}

/// Code of a machine together with the functions that the user named: `machine!` implements it where
/// the user's type has its name.
pub trait Tied {
    /// The code; none if the functions cannot be linked.
    const CODE: Option<AnyFused>;
}

/// Most keys that a machine may have to be fused.
const MAX_KEYS: usize = 256;

/// Leads from numbers to functions and fields.
struct Linker<T, M>(PhantomData<(T, M)>);

impl<T: Linked, M: FusedMachine> Linker<T, M>
where
    T::Board: Board,
{
    const FIELDS: [usize; MAX_KEYS] = {
        let mut fields = [usize::MAX; MAX_KEYS];
        let mut key = 0;
        while key < M::KEYS.len() && key < MAX_KEYS {
            fields[key] = field(<T::Board as Board>::FIELDS, M::KEYS[key]);
            key += 1;
        }
        fields
    };

    /// The function of a number.
    const fn callback(number: u16, kind: Kind) -> Option<Callback<T::Board, T::Context>> {
        if number as usize >= M::FUNCTIONS.len() {
            return None;
        }
        let (name, mut at) = (M::FUNCTIONS[number as usize], 0);
        while at < T::CALLBACKS.len() {
            let (known, callback) = &T::CALLBACKS[at];
            if is_same(known, name) && callback.kind() as u8 == kind as u8 {
                return Some(*callback);
            }
            at += 1;
        }
        None
    }

    const fn guard(number: u16) -> AnyGuardFn<T::Board, T::Context> {
        match Self::callback(number, Kind::Guard) {
            Some(Callback::Guard(guard)) => guard,
            _ => |_, _, _| Verdict {
                holds: false,
                code: 0,
            },
        }
    }

    const fn scorer(number: u16) -> AnyScorerFn<T::Board, T::Context> {
        match Self::callback(number, Kind::Scorer) {
            Some(Callback::Scorer(scorer)) => scorer,
            _ => |_, _, _| 0.0,
        }
    }

    const fn value(number: u16) -> AnyValueFn<T::Board, T::Context> {
        match Self::callback(number, Kind::Value) {
            Some(Callback::Value(value)) => value,
            _ => |_, _, _| [0; 3],
        }
    }

    const fn action(number: u16) -> AnyActionFn<T::Board, T::Context> {
        match Self::callback(number, Kind::Action) {
            Some(Callback::Action(action)) => action,
            _ => |_, _, _| {},
        }
    }

    const fn activity(number: u16) -> AnyActivityFn<T::Board, T::Context> {
        match Self::callback(number, Kind::Activity) {
            Some(Callback::Activity(activity)) => activity,
            _ => |_, _, _, _| Status::Running,
        }
    }
}

/// The field with a name and a type; one that no board has if there is none.
const fn field(fields: &[(&str, Type)], (name, ty): (&str, Type)) -> usize {
    let mut at = 0;
    while at < fields.len() {
        if is_same(fields[at].0, name) && fields[at].1 as u8 == ty as u8 {
            return at;
        }
        at += 1;
    }
    usize::MAX
}

impl<'h, 'p, 'w, T: Linked, M: FusedMachine>
    Linkage<FusedHost<'h, 'p, T::Board, <T::Context as Context>::Of<'w>>> for Linker<T, M>
where
    T::Board: Board,
{
    #[inline(always)]
    fn guard<const N: u16>(
        host: &FusedHost<'h, 'p, T::Board, <T::Context as Context>::Of<'w>>,
        view: kernel::GuardCx<'_, '_>,
    ) -> Verdict {
        host.ask(const { Self::guard(N) }, view)
    }

    #[inline(always)]
    fn score<const N: u16>(
        host: &FusedHost<'h, 'p, T::Board, <T::Context as Context>::Of<'w>>,
        view: kernel::GuardCx<'_, '_>,
    ) -> f32 {
        host.ask(const { Self::scorer(N) }, view)
    }

    #[inline(always)]
    fn value<const N: u16>(
        host: &FusedHost<'h, 'p, T::Board, <T::Context as Context>::Of<'w>>,
        view: kernel::GuardCx<'_, '_>,
    ) -> [u32; 3] {
        host.ask(const { Self::value(N) }, view)
    }

    #[inline(always)]
    fn action<const N: u16>(
        host: &mut FusedHost<'h, 'p, T::Board, <T::Context as Context>::Of<'w>>,
        actor: kernel::ActionCx<'_, '_>,
    ) {
        host.act(actor, const { Self::action(N) });
    }

    #[inline(always)]
    fn activity<const N: u16>(
        host: &mut FusedHost<'h, 'p, T::Board, <T::Context as Context>::Of<'w>>,
        mode: Mode,
        actor: kernel::ActionCx<'_, '_>,
    ) -> Status {
        let activity = const { Self::activity(N) };
        host.act(actor, |me, context, cx| activity(me, context, mode, cx))
    }

    #[inline(always)]
    fn read_key<const N: u16>(
        host: &FusedHost<'h, 'p, T::Board, <T::Context as Context>::Of<'w>>,
    ) -> [u32; 3] {
        host.board
            .read(const { Self::FIELDS[N as usize % MAX_KEYS] })
    }

    #[inline(always)]
    fn write_key<const N: u16>(
        host: &mut FusedHost<'h, 'p, T::Board, <T::Context as Context>::Of<'w>>,
        words: [u32; 3],
    ) {
        let field = const { Self::FIELDS[N as usize % MAX_KEYS] };
        if let Some(key) = const { KeyId::new(N) } {
            host.write_field(key, field, words);
        }
    }
}
