//! A machine bound to user functions: complete, or an error that lists everything that is wrong
//! (ROM-8).

use std::fmt;

use statewright_kernel::{
    Instance, Mode, Sleep, Status, Verdict, active_leaves, flag, sleep, sleep_though_polling,
};
use statewright_rom::Rom;
use statewright_rom::ids::*;
use statewright_rom::layout::ActionOp;
use statewright_trace::{Legend, Names as TraceNames};
use xxhash_rust::xxh3::xxh3_64;

use crate::board::{Board, Key};
use crate::commands::{Lane, LaneRules, Merge};
use crate::cx::{ActionCx, GuardCx};
use crate::functions::{
    ActionFn, ActivityFn, Callback, Function, Functions, GuardFn, Kind, ScorerFn, camel_case,
};
use crate::machine::Machine;
use crate::value::Type;

/// A machine bound to functions.
pub struct Program<B, C> {
    machine: Machine,
    pub(crate) table: Table<B, C>,
    pub(crate) rules: LaneRules,
    /// By number of the state: an agent may sleep in this leaf although it polls (SYS-2).
    pub(crate) may_sleep_while_polling: Box<[bool]>,
    /// Functions, codes of theirs and what these mean.
    codes: Vec<(u16, u16, &'static str)>,
}

/// Callback by number of the function, and fields by number of the key. Numbers of another kind lead to
/// code that does nothing.
pub(crate) struct Table<B, C> {
    guards: Box<[GuardFn<B, C>]>,
    scorers: Box<[ScorerFn<B, C>]>,
    actions: Box<[ActionFn<B, C>]>,
    activities: Box<[ActivityFn<B, C>]>,
    /// Field of the blackboard per key.
    fields: Box<[usize]>,
}

impl<B, C> fmt::Debug for Program<B, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program")
            .field("machine", &self.machine.name())
            .finish_non_exhaustive()
    }
}

/// Something that keeps a machine and its functions apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BindProblem {
    /// The machine calls a function that nobody wrote.
    Missing {
        /// Its name.
        name: String,
        /// What it should be.
        kind: Kind,
        /// A function that was perhaps meant.
        closest: Option<String>,
    },
    /// A function of this name is something else.
    WrongKind {
        /// Its name.
        name: String,
        /// What the machine wants.
        wanted: Kind,
        /// What it is.
        found: Kind,
    },
    /// The machine never calls it.
    Unused {
        /// Its name.
        name: String,
        /// What it is.
        kind: Kind,
    },
    /// Two functions answer to one name.
    Twice {
        /// The name.
        name: String,
    },
    /// A call in the machine has other arguments than the function takes.
    Arguments {
        /// Name of the function.
        name: String,
        /// Types that it takes.
        takes: Vec<Type>,
        /// Types of the call.
        given: Vec<Type>,
    },
    /// It draws random numbers, but the machine does not say so (SEL-5).
    UsesRng {
        /// Its name.
        name: String,
    },
    /// Codes are explained of a guard that the machine does not have.
    NoGuard {
        /// Its name.
        name: String,
    },
    /// The blackboard has no field for a key that the machine declares.
    NoField {
        /// Name of the key.
        key: String,
        /// Its type.
        ty: Type,
    },
    /// A field has another type than the key.
    FieldType {
        /// Name of the key.
        key: String,
        /// Type of the key.
        wanted: Type,
        /// Type of the field.
        found: Type,
    },
}

impl fmt::Display for BindProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |types: &[Type]| {
            types
                .iter()
                .map(|ty| ty.name())
                .collect::<Vec<_>>()
                .join(", ")
        };
        match self {
            Self::Missing {
                name,
                kind,
                closest,
            } => {
                write!(f, "{kind} `{name}` is missing")?;
                closest
                    .as_ref()
                    .map_or(Ok(()), |closest| write!(f, "; did you mean `{closest}`?"))
            }
            Self::WrongKind {
                name,
                wanted,
                found,
            } => {
                let (wanted, found) = (with_article(*wanted), with_article(*found));
                write!(
                    f,
                    "`{name}` must be {wanted} (it takes that place in the machine), but it is {found}"
                )
            }
            Self::Unused { name, kind } => {
                write!(f, "{kind} `{name}` is called nowhere in the machine")
            }
            Self::Twice { name } => write!(f, "two functions answer to `{name}`"),
            Self::Arguments { name, takes, given } => {
                write!(
                    f,
                    "`{name}` takes ({}), but the machine calls it with ({})",
                    list(takes),
                    list(given)
                )
            }
            Self::UsesRng { name } => write!(
                f,
                "`{name}` draws random numbers: write `\"rng\": true` for it under \"functions\" in the machine file"
            ),
            Self::NoGuard { name } => write!(
                f,
                "codes of `{name}` are explained, which is no guard of the machine"
            ),
            Self::NoField { key, ty } => {
                write!(
                    f,
                    "the blackboard has no field `{key}` of type {ty}, which the machine declares"
                )
            }
            Self::FieldType { key, wanted, found } => {
                write!(
                    f,
                    "the machine declares `{key}` as {wanted}, but the blackboard's field is {found}"
                )
            }
        }
    }
}

fn with_article(kind: Kind) -> String {
    let article = if matches!(kind, Kind::Action | Kind::Activity) {
        "an"
    } else {
        "a"
    };
    format!("{article} {kind}")
}

/// Why a machine could not be bound: everything at once.
#[derive(Clone, PartialEq, Eq)]
pub struct BindError {
    /// Name of the machine.
    pub machine: String,
    /// What does not fit.
    pub problems: Vec<BindProblem>,
}

impl fmt::Display for BindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "machine `{}` does not fit its functions:", self.machine)?;
        self.problems
            .iter()
            .try_for_each(|problem| write!(f, "\n  {problem}"))
    }
}

/// The same text: a `main` that ends with this error shows it so.
impl fmt::Debug for BindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for BindError {}

impl Machine {
    /// Binds the machine to functions.
    pub fn bind<B: Board, C>(
        &self,
        functions: Functions<B, C>,
    ) -> Result<Program<B, C>, BindError> {
        let (program, problems) = self.bind_for_development(functions)?;
        if problems.is_empty() {
            Ok(program)
        } else {
            Err(BindError {
                machine: self.name().to_owned(),
                problems,
            })
        }
    }

    /// Binds the machine although its functions do not fit, and says what is wrong with them: for
    /// hosts that show it to the developer and let the rest run. A call of a function that is
    /// missing or does not fit ends its agent alone, as a panic does;
    /// [`Crowd::unbound_calls`](crate::Crowd::unbound_calls) tells who called what. Such a call is caught
    /// by unwinding: a program that is built with `panic = "abort"` ends.
    ///
    /// A blackboard that does not fit is an error here, too: nobody could say what its missing
    /// fields hold.
    ///
    /// ```
    /// use statewright::prelude::*;
    ///
    /// let machine = Machine::build("Bell", |m| {
    ///     m.event("Pull");
    ///     m.state("still", |s| {
    ///         s.on("Pull").run("Ring");
    ///     });
    /// })?;
    /// let (program, problems) = machine.bind_for_development(Functions::<(), ()>::new())?;
    /// assert_eq!(problems[0].to_string(), "action `Ring` is missing");
    ///
    /// let mut bells = Crowd::new(program, 1);
    /// let [first, second] = [bells.spawn(()), bells.spawn(())];
    /// bells.tick(&());
    /// bells.send(first, machine.event("Pull")?, ())?;
    /// bells.tick(&());
    /// let (agent, function) = bells.unbound_calls().next().expect("nobody can ring");
    /// assert_eq!((agent, machine.function_name(function).as_str()), (first, "Ring"));
    /// assert_eq!((bells.has_ended(first)?, bells.has_ended(second)?), (true, false));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn bind_for_development<B: Board, C>(
        &self,
        functions: Functions<B, C>,
    ) -> Result<(Program<B, C>, Vec<BindProblem>), BindError> {
        let rom = self.rom();
        let mut problems = Vec::new();
        let mut chosen = choose(self, &rom, &functions, &mut problems);
        check_calls(&rom, &functions, &mut chosen, &mut problems);
        let before = problems.len();
        let fields = fields::<B>(self, &rom, &mut problems);
        if problems.len() > before {
            return Err(BindError {
                machine: self.name().to_owned(),
                problems,
            });
        }
        let mut table = Table::new(rom.linker().len(), fields);
        for (place, choice) in chosen.iter().enumerate() {
            match choice
                .function
                .filter(|_| choice.fits)
                .and_then(|function| functions.list.get(function))
            {
                Some(function) => table.put(place, function.callback),
                None => table.bind_trap(place),
            }
        }
        let may_sleep_while_polling = rom.state_ids().map(|leaf| rom.may_sleep_in(leaf)).collect();
        let codes = codes(&functions, &chosen, &mut problems);
        Ok((
            Program {
                machine: self.clone(),
                table,
                rules: LaneRules::new(&rom),
                may_sleep_while_polling,
                codes,
            },
            problems,
        ))
    }
}

/// What answers to a function of the machine.
#[derive(Clone, Copy, Default)]
struct Choice {
    /// Place in the list of functions; none if there is no such function, or more than one.
    function: Option<usize>,
    /// Whether it can be called.
    fits: bool,
}

/// Which function is whose code, by number of the machine's functions.
fn choose<B, C>(
    machine: &Machine,
    rom: &Rom<'_>,
    functions: &Functions<B, C>,
    problems: &mut Vec<BindProblem>,
) -> Vec<Choice> {
    let mut used = vec![false; functions.list.len()];
    let mut chosen = Vec::with_capacity(rom.linker().len());
    for (place, record) in rom.linker().iter().enumerate() {
        let kind = record.kind.get();
        let name =
            FunctionId::from_index(place).map_or_else(String::new, |id| machine.function_name(id));
        let fits = |function: &Function<B, C>| match machine.names().functions.get(place) {
            Some(name) => function.answers_to(name),
            // Without names their hashes have to do (ROM-8).
            None => [function.name.clone(), camel_case(&function.name)]
                .iter()
                .any(|name| xxh3_64(name.as_bytes()) as u32 == record.hash.get()),
        };
        let found: Vec<usize> = (0..)
            .zip(&functions.list)
            .filter(|(_, f)| fits(f))
            .map(|(place, _)| place)
            .collect();
        let right = found
            .iter()
            .copied()
            .filter(|&place| functions.list.get(place).is_some_and(|f| f.kind() == kind));
        let right: Vec<usize> = right.collect();
        // Those of another kind are not called here; the first of them stands in the error if there
        // is no right one.
        for &place in if right.is_empty() {
            found.get(..1).unwrap_or_default()
        } else {
            &right
        } {
            if let Some(used) = used.get_mut(place) {
                *used = true;
            }
        }
        match (
            right.as_slice(),
            found.first().and_then(|&place| functions.list.get(place)),
        ) {
            ([one], _) => {
                let draws = functions.list.get(*one).is_some_and(|f| f.rng)
                    && record.rng == 0
                    && kind != Kind::Action;
                if draws {
                    problems.push(BindProblem::UsesRng { name });
                }
                chosen.push(Choice {
                    function: Some(*one),
                    fits: !draws,
                });
                continue;
            }
            ([], Some(other)) => problems.push(BindProblem::WrongKind {
                name,
                wanted: kind,
                found: other.kind(),
            }),
            ([], None) => {
                let closest = closest(&name, functions);
                problems.push(BindProblem::Missing {
                    name,
                    kind,
                    closest,
                });
            }
            _ => problems.push(BindProblem::Twice { name }),
        }
        chosen.push(Choice::default());
    }
    let unused = functions.list.iter().zip(used).filter(|(_, used)| !used);
    problems.extend(unused.map(|(f, _)| BindProblem::Unused {
        name: f.name.clone(),
        kind: f.kind(),
    }));
    chosen
}

fn closest<B, C>(name: &str, functions: &Functions<B, C>) -> Option<String> {
    #[cfg(feature = "compile")]
    return statewright_author::similar::closest(name, functions.names()).map(str::to_owned);
    #[cfg(not(feature = "compile"))]
    functions
        .names()
        .find(|known| known.eq_ignore_ascii_case(name))
        .map(str::to_owned)
}

/// Every call has the arguments that its function takes.
fn check_calls<B, C>(
    rom: &Rom<'_>,
    functions: &Functions<B, C>,
    chosen: &mut [Choice],
    problems: &mut Vec<BindProblem>,
) {
    for op in rom.ops().iter().filter(|op| op.kind == ActionOp::Call) {
        let Some(choice) = chosen.get_mut(usize::from(op.a.get())) else {
            continue;
        };
        let Some(function) = choice
            .function
            .and_then(|function| functions.list.get(function))
        else {
            continue;
        };
        let given: Vec<Type> = rom
            .arguments_of(op)
            .iter()
            .map(|argument| argument.ty.get())
            .collect();
        let Some(takes) = function.arguments.as_ref().filter(|takes| **takes != given) else {
            continue;
        };
        choice.fits = false;
        let problem = BindProblem::Arguments {
            name: function.name.clone(),
            takes: takes.clone(),
            given,
        };
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }
}

/// What codes of guards mean, by number of the function.
fn codes<B, C>(
    functions: &Functions<B, C>,
    chosen: &[Choice],
    problems: &mut Vec<BindProblem>,
) -> Vec<(u16, u16, &'static str)> {
    let mut codes = Vec::new();
    for (name, code, meaning) in &functions.codes {
        let explained = |place: usize| {
            let function = functions.list.get(place)?;
            (function.kind() == Kind::Guard && function.answers_to(name)).then_some(())
        };
        let number = chosen
            .iter()
            .position(|choice| choice.function.and_then(explained).is_some());
        match number.and_then(|number| u16::try_from(number).ok()) {
            Some(number) => codes.push((number, *code, *meaning)),
            None => problems.push(BindProblem::NoGuard { name: name.clone() }),
        }
    }
    codes
}

/// The field of the blackboard per key.
fn fields<B: Board>(
    machine: &Machine,
    rom: &Rom<'_>,
    problems: &mut Vec<BindProblem>,
) -> Vec<usize> {
    let mut fields = Vec::with_capacity(rom.keys().len());
    for (place, record) in rom.keys().iter().enumerate() {
        let Some(id) = KeyId::from_index(place) else {
            continue;
        };
        let name = machine.names().keys.get(place).map_or("", String::as_str);
        let ty = record.ty.get();
        let shown = || {
            if name.is_empty() {
                format!("key {place}")
            } else {
                name.to_owned()
            }
        };
        let first_word = record.offset.get().into();
        let located = B::locate(&Key {
            id,
            name,
            name_hash: record.name_hash.get(),
            ty,
            first_word,
        });
        match located {
            Ok(_) => {}
            Err(None) => problems.push(BindProblem::NoField { key: shown(), ty }),
            Err(Some(found)) => problems.push(BindProblem::FieldType {
                key: shown(),
                wanted: ty,
                found,
            }),
        }
        fields.push(located.unwrap_or(usize::MAX));
    }
    fields
}

impl<B, C> Program<B, C> {
    /// The machine.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// The field of the blackboard that holds a key: what [`Board::read`] and `write` are given.
    pub fn field(&self, key: KeyId) -> usize
    where
        B: Board,
    {
        self.table.field(key)
    }

    /// The names behind the numbers of a trace, with the meaning of guards' codes.
    pub fn legend(&self) -> Legend {
        let names = self.machine.names();
        let names = TraceNames {
            machine: &names.machine,
            states: &names.states,
            events: &names.events,
            timers: &names.timers,
            functions: &names.functions,
        };
        let legend = Legend::new(&self.machine.rom(), &names);
        self.codes
            .iter()
            .fold(legend, |legend, &(function, code, text)| {
                legend.with_code(function, code, text)
            })
    }

    /// What becomes of several commands of one agent in a lane (CMD-1). A lane that the machine
    /// does not have keeps everything.
    pub fn merge(&self, lane: impl Into<Lane>) -> Merge {
        self.rules.merge(lane.into())
    }

    /// May an agent sleep after the tick `now`? One that polls may, if nothing that its eventless
    /// transitions look at can change.
    pub(crate) fn sleep<I: Instance>(&self, rom: &Rom<'_>, instance: &I, now: u32) -> Sleep {
        let polls = instance.header().has(flag::POLLS);
        let may_sleep_while_polling = |leaf: StateId| {
            self.may_sleep_while_polling
                .get(leaf.index())
                .copied()
                .unwrap_or(false)
        };
        if polls && active_leaves(instance).all(may_sleep_while_polling) {
            sleep_though_polling(rom, instance, now)
        } else {
            sleep(rom, instance, now)
        }
    }
}

/// A call that nothing answers to; unwinds to whoever ticks the agent.
pub(crate) struct UnboundCall(pub(crate) FunctionId);

impl UnboundCall {
    /// Not as a panic: the host is told of it in another way, and nothing is printed.
    fn unwind(self) -> ! {
        std::panic::resume_unwind(Box::new(self))
    }
}

impl<B: Board, C> Table<B, C> {
    fn new(functions: usize, fields: Vec<usize>) -> Self {
        let guard: GuardFn<B, C> = |_, _, _| Verdict::from(false);
        let scorer: ScorerFn<B, C> = |_, _, _| 0.0;
        let action: ActionFn<B, C> = |_, _, _| {};
        let activity: ActivityFn<B, C> = |_, _, _, _| Status::Running;
        Self {
            guards: vec![guard; functions].into(),
            scorers: vec![scorer; functions].into(),
            actions: vec![action; functions].into(),
            activities: vec![activity; functions].into(),
            fields: fields.into(),
        }
    }

    fn put(&mut self, place: usize, code: Callback<B, C>) {
        fn set<T>(list: &mut [T], place: usize, code: T) {
            if let Some(cell) = list.get_mut(place) {
                *cell = code;
            }
        }
        match code {
            Callback::Guard(code) => set(&mut self.guards, place, code),
            Callback::Scorer(code) => set(&mut self.scorers, place, code),
            Callback::Action(code) => set(&mut self.actions, place, code),
            Callback::Activity(code) => set(&mut self.activities, place, code),
        }
    }

    /// Nothing answers to a function: whoever calls it ends.
    fn bind_trap(&mut self, place: usize) {
        self.put(
            place,
            Callback::Guard(|_, _, cx| UnboundCall(cx.function()).unwind()),
        );
        self.put(
            place,
            Callback::Scorer(|_, _, cx| UnboundCall(cx.function()).unwind()),
        );
        self.put(
            place,
            Callback::Action(|_, _, cx| UnboundCall(cx.function()).unwind()),
        );
        self.put(
            place,
            Callback::Activity(|_, _, _, cx| UnboundCall(cx.function()).unwind()),
        );
    }

    #[inline]
    pub(crate) fn guard(
        &self,
        function: FunctionId,
        board: &B,
        context: &C,
        mut cx: GuardCx<'_, '_, '_>,
    ) -> Verdict {
        self.guards
            .get(function.index())
            .map_or(Verdict::from(false), |code| code(board, context, &mut cx))
    }

    #[inline]
    pub(crate) fn score(
        &self,
        function: FunctionId,
        board: &B,
        context: &C,
        mut cx: GuardCx<'_, '_, '_>,
    ) -> f32 {
        self.scorers
            .get(function.index())
            .map_or(0.0, |code| code(board, context, &mut cx))
    }

    #[inline]
    pub(crate) fn action(
        &self,
        function: FunctionId,
        board: &mut B,
        context: &C,
        mut cx: ActionCx<'_, '_, '_>,
    ) {
        if let Some(code) = self.actions.get(function.index()) {
            code(board, context, &mut cx);
        }
    }

    #[inline]
    pub(crate) fn activity(
        &self,
        function: FunctionId,
        mode: Mode,
        (board, context): (&mut B, &C),
        mut cx: ActionCx<'_, '_, '_>,
    ) -> Status {
        self.activities
            .get(function.index())
            .map_or(Status::Running, |code| code(board, context, mode, &mut cx))
    }

    pub(crate) fn field(&self, key: KeyId) -> usize {
        self.fields.get(key.index()).copied().unwrap_or(usize::MAX)
    }
}
