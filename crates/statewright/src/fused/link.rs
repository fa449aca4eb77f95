//! From the numbers of a machine to the functions and fields of a type, while the user's program is
//! compiled.

use std::marker::PhantomData;

use statewright_kernel::fused::{
    AnyBare, AnyCalling, CallSite, Fuse, Linkage, Needs, Phase, Quiet, Step,
};
use statewright_kernel::{self as kernel, Host, Mode, Status, Verdict};
use statewright_rom::ids::KeyId;

use super::{AnyFused, Fused, FusedBy, PlainHost};
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

/// The same of one that needs no view of its agent.
pub type NamedPlainCallback<B, C> = (&'static str, PlainCallback<B, C>);

/// Functions of a type as constants: the `functions` macro implements it.
pub trait Linked {
    /// Their blackboard.
    type Board: 'static;
    /// Their context.
    type Context: Context + ?Sized + 'static;
    /// Names and functions; one that answers to two spellings stands here twice.
    const CALLBACKS: &'static [NamedCallback<Self::Board, Self::Context>];
    /// Those of them that look at nothing but blackboard and context.
    const PLAIN: &'static [NamedPlainCallback<Self::Board, Self::Context>];
}

/// User code that needs no view of its agent.
pub enum PlainCallback<B, C: Context + ?Sized> {
    /// Answers yes or no.
    Guard(for<'w> fn(&B, &<C as Context>::Of<'w>) -> Verdict),
    /// Answers how good something is.
    Scorer(for<'w> fn(&B, &<C as Context>::Of<'w>) -> f32),
    /// Does something at once.
    Action(for<'w> fn(&mut B, &<C as Context>::Of<'w>)),
    /// Does something over time.
    Activity(for<'w> fn(&mut B, &<C as Context>::Of<'w>, Mode) -> Status),
    /// Gives the words of a value.
    Value(for<'w> fn(&B, &<C as Context>::Of<'w>) -> [u32; 3]),
}

impl<B, C: Context + ?Sized> Clone for PlainCallback<B, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<B, C: Context + ?Sized> Copy for PlainCallback<B, C> {}

/// A machine as code: `machine!` implements it.
pub trait FusedMachine {
    /// The type of its instances.
    type Instance: kernel::Instance;
    /// Names of its functions, by number.
    const FUNCTIONS: &'static [&'static str];
    /// Names and types of its keys, by number.
    const KEYS: &'static [(&'static str, Type)];

    /// Timer places that it uses, a bit each.
    const TIMERS: u8;

    /// What it asks of an agent besides its bytes.
    const NEEDS: Needs;

    /// Functions that polling may call, by number.
    const POLLED: &'static [u16];

    /// A part of a tick on nothing but the bytes of an agent.
    fn bare<L: Linkage<H>, H: Host>(bytes: AnyBare<'_, '_>, host: &mut H, phase: Phase<'_>)
    -> Step;

    /// The same for an agent that polls and is attached where that is needed.
    fn calling<L: Linkage<H>, H: Host>(
        agent: AnyCalling<'_, '_>,
        host: &mut H,
        phase: Phase<'_>,
    ) -> Step;

    /// All of a tick of such an agent, if it only polls.
    fn polls<L: Linkage<H>, H: Host>(agent: AnyCalling<'_, '_>, host: &mut H) -> Quiet;

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
                alone: |bare, mut host, event| {
                    let phase = Phase::OneEvent(event);
                    M::bare::<Linker<T, M>, _>(bare, &mut host, phase).taking()
                },
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
    fn needs(self) -> Needs {
        const { Linker::<T, M>::NEEDS }
    }

    #[inline(always)]
    fn timers(self) -> u8 {
        M::TIMERS
    }

    #[inline(always)]
    fn run_bare(
        self,
        bare: AnyBare<'_, '_>,
        host: &mut PlainHost<'_, T::Board, <T::Context as Context>::Of<'w>>,
        phase: Phase<'_>,
    ) -> Step {
        M::bare::<Linker<T, M>, _>(bare, host, phase)
    }

    #[inline(always)]
    fn run_calling(
        self,
        agent: AnyCalling<'_, '_>,
        host: &mut FusedHost<'_, '_, T::Board, <T::Context as Context>::Of<'w>>,
        phase: Phase<'_>,
    ) -> Step {
        match const { Linker::<T, M>::NEEDS.calls } {
            true => M::calling::<Linker<T, M>, _>(agent, host, phase),
            false => Step::Tables,
        }
    }

    #[inline(always)]
    fn run_polls(
        self,
        agent: AnyCalling<'_, '_>,
        host: &mut FusedHost<'_, '_, T::Board, <T::Context as Context>::Of<'w>>,
    ) -> Quiet {
        match const { Linker::<T, M>::NEEDS.calls } {
            true => M::polls::<Linker<T, M>, _>(agent, host),
            false => Quiet::Slow,
        }
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

    /// What the code needs with these functions.
    const NEEDS: Needs = {
        let mut needs = M::NEEDS;
        let mut at = 0;
        while at < M::POLLED.len() {
            if Self::plain(M::POLLED[at]).is_none() {
                needs.calls = true;
            }
            at += 1;
        }
        needs
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

    /// The function of a number, if it is plain.
    const fn plain(number: u16) -> Option<PlainCallback<T::Board, T::Context>> {
        if number as usize >= M::FUNCTIONS.len() {
            return None;
        }
        let (name, mut at) = (M::FUNCTIONS[number as usize], 0);
        while at < T::PLAIN.len() {
            if is_same(T::PLAIN[at].0, name) {
                return Some(T::PLAIN[at].1);
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

/// Calls of functions that need no view of their agent, for a type of host.
macro_rules! plain_calls {
    ($host:ty) => {
        #[inline(always)]
        fn is_plain<const N: u16>() -> bool {
            const { Self::plain(N).is_some() }
        }

        #[inline(always)]
        fn plain_guard<const N: u16>(host: &$host, call: &'static CallSite) -> Verdict {
            match const { Self::plain(N) } {
                Some(PlainCallback::Guard(guard)) => host.ask_plain(call, guard),
                _ => Verdict::from(false),
            }
        }

        #[inline(always)]
        fn plain_score<const N: u16>(host: &$host, call: &'static CallSite) -> f32 {
            match const { Self::plain(N) } {
                Some(PlainCallback::Scorer(scorer)) => host.ask_plain(call, scorer),
                _ => 0.0,
            }
        }

        #[inline(always)]
        fn plain_value<const N: u16>(host: &$host, call: &'static CallSite) -> [u32; 3] {
            match const { Self::plain(N) } {
                Some(PlainCallback::Value(value)) => host.ask_plain(call, value),
                _ => [0; 3],
            }
        }

        #[inline(always)]
        fn plain_action<const N: u16>(host: &mut $host, call: &'static CallSite) {
            if let Some(PlainCallback::Action(action)) = const { Self::plain(N) } {
                host.act_plain(call, action);
            }
        }

        #[inline(always)]
        fn plain_activity<const N: u16>(
            host: &mut $host,
            mode: Mode,
            call: &'static CallSite,
        ) -> Status {
            match const { Self::plain(N) } {
                Some(PlainCallback::Activity(activity)) => {
                    host.act_plain(call, |me, context| activity(me, context, mode))
                }
                _ => Status::Running,
            }
        }
    };
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

    plain_calls!(FusedHost<'h, 'p, T::Board, <T::Context as Context>::Of<'w>>);

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

/// On nothing but bytes: whoever needs a view is not called.
impl<'h, 'w, T: Linked, M: FusedMachine>
    Linkage<PlainHost<'h, T::Board, <T::Context as Context>::Of<'w>>> for Linker<T, M>
where
    T::Board: Board,
{
    plain_calls!(PlainHost<'h, T::Board, <T::Context as Context>::Of<'w>>);

    #[inline(always)]
    fn guard<const N: u16>(
        _: &PlainHost<'h, T::Board, <T::Context as Context>::Of<'w>>,
        _: kernel::GuardCx<'_, '_>,
    ) -> Verdict {
        Verdict::from(false)
    }

    #[inline(always)]
    fn score<const N: u16>(
        _: &PlainHost<'h, T::Board, <T::Context as Context>::Of<'w>>,
        _: kernel::GuardCx<'_, '_>,
    ) -> f32 {
        0.0
    }

    #[inline(always)]
    fn value<const N: u16>(
        _: &PlainHost<'h, T::Board, <T::Context as Context>::Of<'w>>,
        _: kernel::GuardCx<'_, '_>,
    ) -> [u32; 3] {
        [0; 3]
    }

    #[inline(always)]
    fn action<const N: u16>(
        _: &mut PlainHost<'h, T::Board, <T::Context as Context>::Of<'w>>,
        _: kernel::ActionCx<'_, '_>,
    ) {
    }

    #[inline(always)]
    fn activity<const N: u16>(
        _: &mut PlainHost<'h, T::Board, <T::Context as Context>::Of<'w>>,
        _: Mode,
        _: kernel::ActionCx<'_, '_>,
    ) -> Status {
        Status::Running
    }

    #[inline(always)]
    fn read_key<const N: u16>(
        host: &PlainHost<'h, T::Board, <T::Context as Context>::Of<'w>>,
    ) -> [u32; 3] {
        host.board
            .read(const { Self::FIELDS[N as usize % MAX_KEYS] })
    }

    #[inline(always)]
    fn write_key<const N: u16>(
        host: &mut PlainHost<'h, T::Board, <T::Context as Context>::Of<'w>>,
        words: [u32; 3],
    ) {
        let field = const { Self::FIELDS[N as usize % MAX_KEYS] };
        host.board.write(field, words);
    }
}
