//! User functions by name, typed over a blackboard `B` and a context `C` (CODE-1). The context may
//! borrow for the time of a tick ([`Context`]).

use std::fmt;
use std::panic::Location;

use statewright_kernel::{Mode, Status, Verdict};
pub use statewright_rom::layout::FunctionKind as Kind;
use statewright_text::answers_to;

use crate::context::Context;
use crate::cx::{ActionCx, GuardCx};
use crate::fused::Fusing;
use crate::value::Type;

/// Answers yes or no, changes nothing.
pub type GuardFn<B, C> = fn(&B, &C, &mut GuardCx<'_, '_, '_>) -> Verdict;
/// Answers how good something is, changes nothing.
pub type ScorerFn<B, C> = fn(&B, &C, &mut GuardCx<'_, '_, '_>) -> f32;
/// Gives expressions of the machine file the words of a value, changes nothing (LANG-11).
pub type ValueFn<B, C> = fn(&B, &C, &mut GuardCx<'_, '_, '_>) -> [u32; 3];
/// Does something at once.
pub type ActionFn<B, C> = fn(&mut B, &C, &mut ActionCx<'_, '_, '_>);
/// Does something over time.
pub type ActivityFn<B, C> = fn(&mut B, &C, Mode, &mut ActionCx<'_, '_, '_>) -> Status;

/// A [`GuardFn`] for a context of any lifetime.
pub(crate) type AnyGuardFn<B, C> =
    for<'w> fn(&B, &<C as Context>::Of<'w>, &mut GuardCx<'_, '_, '_>) -> Verdict;
/// A [`ScorerFn`] for a context of any lifetime.
pub(crate) type AnyScorerFn<B, C> =
    for<'w> fn(&B, &<C as Context>::Of<'w>, &mut GuardCx<'_, '_, '_>) -> f32;
/// A [`ValueFn`] for a context of any lifetime.
pub(crate) type AnyValueFn<B, C> =
    for<'w> fn(&B, &<C as Context>::Of<'w>, &mut GuardCx<'_, '_, '_>) -> [u32; 3];
/// An [`ActionFn`] for a context of any lifetime.
pub(crate) type AnyActionFn<B, C> =
    for<'w> fn(&mut B, &<C as Context>::Of<'w>, &mut ActionCx<'_, '_, '_>);
/// An [`ActivityFn`] for a context of any lifetime.
pub(crate) type AnyActivityFn<B, C> =
    for<'w> fn(&mut B, &<C as Context>::Of<'w>, Mode, &mut ActionCx<'_, '_, '_>) -> Status;

/// User code that machines call, for a context that may borrow.
pub enum Callback<B, C: Context + ?Sized> {
    /// Answers yes or no, changes nothing.
    Guard(AnyGuardFn<B, C>),
    /// Answers how good something is, changes nothing.
    Scorer(AnyScorerFn<B, C>),
    /// Does something at once.
    Action(AnyActionFn<B, C>),
    /// Does something over time.
    Activity(AnyActivityFn<B, C>),
    /// Gives the words of a value; [`Functions::returns`] says of which type.
    Value(AnyValueFn<B, C>),
}

impl<B, C: Context + ?Sized> fmt::Debug for Callback<B, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind().fmt(f)
    }
}

impl<B, C: Context + ?Sized> Callback<B, C> {
    pub(crate) const fn kind(&self) -> Kind {
        match self {
            Self::Guard(_) => Kind::Guard,
            Self::Scorer(_) => Kind::Scorer,
            Self::Action(_) => Kind::Action,
            Self::Activity(_) => Kind::Activity,
            Self::Value(_) => Kind::Value,
        }
    }
}

impl<B, C: Context + ?Sized> Clone for Callback<B, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<B, C: Context + ?Sized> Copy for Callback<B, C> {}

/// One function with all that binding wants to know about it.
pub(crate) struct Function<B, C: Context + ?Sized> {
    pub(crate) name: String,
    pub(crate) callback: Callback<B, C>,
    /// Types of its arguments; `None` if it looks at them itself.
    pub(crate) arguments: Option<Vec<Type>>,
    /// What a value function gives; `None` if it gives whatever the machine asks for.
    pub(crate) returns: Option<Type>,
    pub(crate) rng: bool,
    /// Where it was added: for code that a macro writes, the place of the user's function.
    pub(crate) place: &'static Location<'static>,
}

impl<B, C: Context + ?Sized> Clone for Function<B, C> {
    fn clone(&self) -> Self {
        Self {
            name: self.name.clone(),
            callback: self.callback,
            arguments: self.arguments.clone(),
            returns: self.returns,
            rng: self.rng,
            place: self.place,
        }
    }
}

impl<B, C: Context + ?Sized> Function<B, C> {
    pub(crate) fn kind(&self) -> Kind {
        self.callback.kind()
    }

    /// Does it answer to a name of the machine file: its own, or that in the other spelling?
    pub(crate) fn answers_to(&self, name: &str) -> bool {
        answers_to(&self.name, name)
    }
}

/// User functions by name. Each knows where it was written, or by hand where it was added
/// ([`Program::symbols`](crate::Program::symbols)). The `functions` macro makes them from an `impl`
/// block; by hand it is
///
/// ```
/// use statewright::prelude::*;
///
/// struct Body { health: i32 }
///
/// let functions = Functions::new()
///     .guard("IsHurt", |me: &Body, _: &(), _| Verdict::from(me.health < 30))
///     .action("Heal", |me, _, cx| me.health += cx.argument::<i32>(0));
/// assert_eq!(functions.names().collect::<Vec<_>>(), ["IsHurt", "Heal"]);
/// ```
pub struct Functions<B, C: Context + ?Sized> {
    pub(crate) list: Vec<Function<B, C>>,
    /// Guards, their codes and what these mean.
    pub(crate) codes: Vec<(String, u16, &'static str)>,
    /// Which machines are fused with them, if they are those of a type.
    pub(crate) fusing: Option<Fusing<B, C>>,
}

impl<B, C: Context + ?Sized> Default for Functions<B, C> {
    fn default() -> Self {
        Self {
            list: Vec::new(),
            codes: Vec::new(),
            fusing: None,
        }
    }
}

impl<B, C: Context + ?Sized> Clone for Functions<B, C> {
    fn clone(&self) -> Self {
        Self {
            list: self.list.clone(),
            codes: self.codes.clone(),
            fusing: self.fusing,
        }
    }
}

impl<B, C: Context + ?Sized> fmt::Debug for Functions<B, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(
                self.list
                    .iter()
                    .map(|function| (&function.name, function.kind())),
            )
            .finish()
    }
}

impl<B, C: Context + ?Sized> Functions<B, C> {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a function of any kind, whose context may borrow the world for a tick.
    ///
    /// ```
    /// use statewright::prelude::*;
    /// use statewright::{Callback, borrowed};
    ///
    /// /// What agents see of a world that somebody else owns.
    /// struct Town<'w> { names: &'w [String] }
    /// struct Body { friends: usize }
    /// impl Board for Body {}
    ///
    /// let machine = Machine::build("Shy", |m| {
    ///     m.state("home", |s| {
    ///         s.entry("Count");
    ///     });
    /// })?;
    /// let functions = Functions::<Body, borrowed!(Town<'_>)>::new()
    ///     .add("Count", Callback::Action(|me, town, _| me.friends = town.names.len()));
    /// let mut crowd = Crowd::new(machine.bind(functions)?, 1);
    /// let shy = crowd.spawn(Body { friends: 0 });
    /// {
    ///     let names = vec!["Ada".to_owned(), "Bo".to_owned()];
    ///     crowd.tick(&Town { names: &names });
    /// }
    /// assert_eq!(crowd.board(shy)?.friends, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn add(mut self, name: &str, callback: Callback<B, C>) -> Self {
        self.list.push(Function {
            name: name.to_owned(),
            callback,
            arguments: None,
            returns: None,
            rng: false,
            place: Location::caller(),
        });
        self
    }

    /// The value function added last gives a value of this type: binding checks that the machine
    /// declares it so.
    pub fn returns(mut self, ty: Type) -> Self {
        if let Some(function) = self.list.last_mut() {
            function.returns = Some(ty);
        }
        self
    }

    /// The function added last takes arguments of these types: binding checks every call in the
    /// machine.
    pub fn arguments(mut self, types: &[Type]) -> Self {
        if let Some(function) = self.list.last_mut() {
            function.arguments = Some(types.to_vec());
        }
        self
    }

    /// The function added last draws random numbers: the machine must allow it to (SEL-5).
    pub fn uses_rng(mut self) -> Self {
        if let Some(function) = self.list.last_mut() {
            function.rng = true;
        }
        self
    }

    /// Says what a code of a guard means, for whoever reads a trace (SEL-7). The guard itself gives
    /// only the number, so this costs nothing while it runs.
    pub fn guard_code(mut self, guard: &str, code: u16, meaning: &'static str) -> Self {
        self.codes.push((guard.to_owned(), code, meaning));
        self
    }

    /// All functions of another list behind these.
    pub fn and(mut self, others: Self) -> Self {
        self.list.extend(others.list);
        self.codes.extend(others.codes);
        self
    }

    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|function| function.name.as_str())
    }
}

/// By the kind of the function, for a context that owns what it shows: so the compiler finds out
/// which it is. [`Functions::add`] takes any.
impl<B, C> Functions<B, C> {
    /// Adds a guard.
    #[track_caller]
    pub fn guard(self, name: &str, guard: GuardFn<B, C>) -> Self {
        self.add(name, Callback::<B, C>::Guard(guard))
    }

    /// Adds a scorer.
    #[track_caller]
    pub fn scorer(self, name: &str, scorer: ScorerFn<B, C>) -> Self {
        self.add(name, Callback::<B, C>::Scorer(scorer))
    }

    /// Adds a value function (LANG-11): the words of a value of this type.
    ///
    /// ```
    /// use statewright::prelude::*;
    /// use statewright::{Type, Value};
    ///
    /// struct Body { fear: f32 }
    ///
    /// let functions = Functions::new()
    ///     .value("danger", Type::F32, |me: &Body, _: &(), _| (me.fear * 2.0).to_words());
    /// assert_eq!(functions.names().collect::<Vec<_>>(), ["danger"]);
    /// ```
    #[track_caller]
    pub fn value(self, name: &str, ty: Type, value: ValueFn<B, C>) -> Self {
        self.add(name, Callback::<B, C>::Value(value)).returns(ty)
    }

    /// Adds an action.
    #[track_caller]
    pub fn action(self, name: &str, action: ActionFn<B, C>) -> Self {
        self.add(name, Callback::<B, C>::Action(action))
    }

    /// Adds an activity.
    #[track_caller]
    pub fn activity(self, name: &str, activity: ActivityFn<B, C>) -> Self {
        self.add(name, Callback::<B, C>::Activity(activity))
    }
}

/// A type whose `impl` block gives the functions of its machines; the `functions` macro implements
/// it.
pub trait Behavior<C: Context + ?Sized>: Sized {
    /// The functions.
    fn functions() -> Functions<Self, C>;
}

/// What functions a type has, known while the user's program is compiled: the `functions` macro
/// implements it, and `machine!(…, functions = T)` asks it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no list of functions",
    note = "write `#[functions]` before its `impl` block"
)]
pub trait Named {
    /// The functions; one that answers to two spellings stands here twice.
    const FUNCTIONS: &'static [Signature];
}

/// What is known of a function while the user's program is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub kind: Kind,
    /// Types of its arguments, per parameter: a struct takes several.
    pub arguments: &'static [&'static [Type]],
    /// What a value function gives.
    pub returns: Option<Type>,
}
