//! A machine bound to user functions: complete, or an error that lists everything that is wrong
//! (ROM-8).
//!
//! - `problem` what does not fit, in words
//! - `symbols` the names of the machine with what only user code knows, and the sidecar
//! - `table` callbacks by number, as the kernel asks for them
//! - `uses` where a machine calls a function

mod problem;
mod symbols;
mod table;
mod uses;

use std::fmt;

use statewright_kernel::{Instance, Sleep, active_leaves, flag, sleep, sleep_though_polling};
use statewright_rom::Rom;
use statewright_rom::ids::*;
use statewright_rom::layout::policy;
use statewright_symbols::{GuardCode, SymbolKind, similar};
use statewright_text::camel_case;
use xxhash_rust::xxh3::xxh3_64;

use crate::board::{Board, Key, NotStrict, check_strict};
use crate::commands::{Lane, LaneRule, LaneRules, Merge};
use crate::context::Context;
use crate::functions::{Function, Functions, Kind};
use crate::fused::Fused;
use crate::handle::{KeyHandle, WrongHandle};
use crate::machine::Machine;
use crate::value::Type;

pub use problem::{BindError, BindProblem};
use symbols::Place;
pub(crate) use table::{Table, TickTable, UnboundCall};

/// A machine bound to functions.
pub struct Program<B, C: Context + ?Sized> {
    machine: Machine,
    pub(crate) table: Table<B, C>,
    pub(crate) rules: LaneRules,
    pub(crate) sleepers: Sleepers,
    /// Whether writes of its functions can wait for the end of the tick (CODE-5).
    pub(crate) strict: Result<(), NotStrict>,
    /// What codes of guards mean.
    codes: Vec<GuardCode>,
    /// Where all functions that were given stand in Rust.
    places: Vec<Place>,
    /// Functions that the machine does not call.
    unused: Vec<(String, Kind)>,
}

impl<B, C: Context + ?Sized> fmt::Debug for Program<B, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program")
            .field("machine", &self.machine.name())
            .finish_non_exhaustive()
    }
}

impl Machine {
    /// Binds the machine to functions.
    pub fn bind<B: Board, C: Context + ?Sized>(
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
    /// assert!(problems[0].to_string().starts_with("action `Ring` is missing"));
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
    pub fn bind_for_development<B: Board, C: Context + ?Sized>(
        &self,
        functions: Functions<B, C>,
    ) -> Result<(Program<B, C>, Vec<BindProblem>), BindError> {
        let rom = self.rom();
        let mut problems = Vec::new();
        let (mut chosen, unused) = choose(self, &rom, &functions, &mut problems);
        check_calls((self, &rom), &functions, &mut chosen, &mut problems);
        let before = problems.len();
        let fields = fields::<B>(self, &rom, &mut problems);
        let strict = strict::<B>(&rom);
        if let Err(problem) = strict
            && rom.header().policies & policy::STRICT_WRITES != 0
        {
            problems.push(BindProblem::NotStrict(problem));
        }
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
        if problems.is_empty()
            && let Some(fused) = fused(self, &functions, &chosen)
        {
            table.fuse(&fused);
        }
        let codes = codes(&functions, &chosen, &mut problems);
        Ok((
            Program {
                machine: self.clone(),
                table,
                rules: LaneRules::new(&rom),
                sleepers: Sleepers::new(&rom),
                strict,
                codes,
                places: symbols::places(&functions),
                unused,
            },
            problems,
        ))
    }
}

/// The machine as code, if all its functions are those of the type that it was made with.
fn fused<B, C: Context + ?Sized>(
    machine: &Machine,
    functions: &Functions<B, C>,
    chosen: &[Choice],
) -> Option<Fused<B, C>> {
    let fusing = functions.fusing?;
    let own = |choice: &Choice| choice.function.is_some_and(|place| place < fusing.own);
    let fused = (fusing.find)(machine.fused()?)?;
    chosen.iter().all(own).then_some(fused)
}

/// What answers to a function of the machine.
#[derive(Clone, Copy, Default)]
struct Choice {
    /// Place in the list of functions; none if there is no such function, or more than one.
    function: Option<usize>,
    /// Whether it can be called.
    fits: bool,
}

/// Which function is whose code, by number of the machine's functions, and those that are nobody's.
fn choose<B, C: Context + ?Sized>(
    machine: &Machine,
    rom: &Rom<'_>,
    functions: &Functions<B, C>,
    problems: &mut Vec<BindProblem>,
) -> (Vec<Choice>, Vec<(String, Kind)>) {
    let mut used = vec![false; functions.list.len()];
    let mut chosen = Vec::with_capacity(rom.linker().len());
    for (place, record) in rom.linker().iter().enumerate() {
        let kind = record.kind.get();
        let name =
            FunctionId::from_index(place).map_or_else(String::new, |id| machine.function_name(id));
        let fits =
            |function: &Function<B, C>| match machine.symbols().name(SymbolKind::Function, place) {
                Some(name) => function.answers_to(name),
                // Without names their hashes have to do (ROM-8), or their numbers: who answers to
                // whatever a machine calls knows no more.
                None => {
                    function.name == name
                        || [function.name.clone(), camel_case(&function.name)]
                            .iter()
                            .any(|name| xxh3_64(name.as_bytes()) as u32 == record.hash.get())
                }
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
                let wanted = record.ty.get();
                let other = functions
                    .list
                    .get(*one)
                    .and_then(|function| function.returns)
                    .filter(|found| kind == Kind::Value && *found != wanted);
                if let Some(found) = other {
                    let name = name.clone();
                    problems.push(BindProblem::Returns {
                        name,
                        wanted,
                        found,
                    });
                }
                if draws {
                    problems.push(BindProblem::UsesRng { name });
                }
                chosen.push(Choice {
                    function: Some(*one),
                    fits: !draws && other.is_none(),
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
                let is_unnamed = machine
                    .symbols()
                    .name(SymbolKind::Function, place)
                    .is_none();
                let id = FunctionId::from_index(place);
                problems.push(BindProblem::Missing {
                    name,
                    kind,
                    closest,
                    hash: is_unnamed.then(|| record.hash.get()),
                    uses: id.map_or_else(Vec::new, |id| uses::uses(machine, id)),
                });
            }
            _ => problems.push(BindProblem::Twice { name }),
        }
        chosen.push(Choice::default());
    }
    let unused = functions.list.iter().zip(used).filter(|(_, used)| !used);
    let unused = unused.map(|(f, _)| (f.name.clone(), f.kind())).collect();
    (chosen, unused)
}

fn closest<B, C: Context + ?Sized>(name: &str, functions: &Functions<B, C>) -> Option<String> {
    similar::closest(name, functions.names()).map(str::to_owned)
}

/// Every call has the arguments that its function takes.
fn check_calls<B, C: Context + ?Sized>(
    (machine, rom): (&Machine, &Rom<'_>),
    functions: &Functions<B, C>,
    chosen: &mut [Choice],
    problems: &mut Vec<BindProblem>,
) {
    for op in rom.ops().iter().filter(|op| op.kind.get().calls()) {
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
            uses: FunctionId::read(op.a).map_or_else(Vec::new, |id| uses::uses(machine, id)),
        };
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }
}

/// What codes of guards mean, by number of the function.
fn codes<B, C: Context + ?Sized>(
    functions: &Functions<B, C>,
    chosen: &[Choice],
    problems: &mut Vec<BindProblem>,
) -> Vec<GuardCode> {
    let mut codes = Vec::new();
    for (name, code, meaning) in &functions.codes {
        let explained = |place: usize| {
            let function = functions.list.get(place)?;
            (function.kind() == Kind::Guard && function.answers_to(name)).then_some(())
        };
        let number = chosen
            .iter()
            .position(|choice| choice.function.and_then(explained).is_some());
        match number.and_then(FunctionId::from_index) {
            Some(function) => codes.push(GuardCode {
                function,
                code: *code,
                text: (*meaning).to_owned(),
            }),
            // Those of a guard that this machine does not call explain nothing here.
            None if (0..functions.list.len()).any(|place| explained(place).is_some()) => {}
            None => problems.push(BindProblem::NoGuard { name: name.clone() }),
        }
    }
    codes
}

/// Whether writes of the functions that a machine calls can wait for the end of the tick.
fn strict<B: Board>(rom: &Rom<'_>) -> Result<(), NotStrict> {
    let writes = |kind| matches!(kind, Kind::Action | Kind::Activity);
    if rom.linker().iter().any(|record| writes(record.kind.get())) {
        check_strict::<B>()
    } else {
        Ok(())
    }
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
        let name = machine.symbols().name(SymbolKind::Key, place).unwrap_or("");
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
            Err(None) => problems.push(BindProblem::NoField {
                key: shown(),
                ty,
                skipped: B::SKIPPED.contains(&name),
            }),
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

impl<B, C: Context + ?Sized> Program<B, C> {
    /// The machine.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Whether the machine runs as code that was generated for it: it is one of `machine!(…, functions
    /// = T)` and bound to the functions of that very type. Agents that are traced or measured go by
    /// the tables all the same, and what comes out is the same to the last byte.
    pub fn is_fused(&self) -> bool {
        self.table.is_fused()
    }

    /// The same program going by the tables of its machine alone.
    #[must_use]
    pub fn interpreted(mut self) -> Self {
        self.table.interpret();
        self
    }

    /// Functions that were given and that the machine does not call, by name and kind: a library of
    /// functions may serve several machines. What is called by another name is here as well.
    ///
    /// ```
    /// use statewright::Kind;
    /// use statewright::prelude::*;
    ///
    /// let machine = Machine::build("Bell", |m| {
    ///     m.event("Pull");
    ///     m.state("still", |s| {
    ///         s.on("Pull").run("Ring");
    ///     });
    /// })?;
    /// let functions = Functions::<(), ()>::new()
    ///     .action("Ring", |_, _, _| {})
    ///     .action("Knock", |_, _, _| {});
    /// let program = machine.bind(functions)?;
    /// assert_eq!(program.unused(), [("Knock".to_owned(), Kind::Action)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn unused(&self) -> &[(String, Kind)] {
        &self.unused
    }

    /// The field of the blackboard that holds a key: what [`Board::read`] and `write` are given.
    pub fn field(&self, key: KeyHandle) -> Result<usize, WrongHandle>
    where
        B: Board,
    {
        Ok(self.table.field(self.machine.resolve(key)?))
    }

    /// What becomes of several commands of one agent in a lane (CMD-1). A lane that the machine
    /// does not have keeps everything.
    pub fn merge(&self, lane: impl Into<Lane>) -> Merge {
        self.rules.merge(lane.into())
    }

    /// What holds of a lane, with what a host said of it ([`Self::set_lane`]).
    pub fn lane_rule(&self, lane: impl Into<Lane>) -> LaneRule {
        self.rules.rule(lane.into())
    }

    /// Says of a lane what the machine does not know, or knows otherwise: whether it is critical, and
    /// how many commands an agent may write into it per tick (CMD-2). Before there are crowds of the
    /// program.
    ///
    /// ```
    /// use statewright::prelude::*;
    /// use statewright::commands::{Lane, LaneRule};
    ///
    /// let machine = Machine::build("Dog", |m| {
    ///     m.state("yard", |_| {});
    /// })?;
    /// let mut program = machine.bind(Functions::<(), ()>::new())?;
    /// program.set_lane(Lane::AUDIO, LaneRule { cap: Some(4), ..LaneRule::default() });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_lane(&mut self, lane: impl Into<Lane>, rule: LaneRule) {
        self.rules.set(lane.into(), rule);
    }
}

/// Who may sleep although it polls (SYS-2).
pub(crate) struct Sleepers {
    /// By number of the state: whether an agent may sleep in this leaf.
    may_sleep_while_polling: Box<[bool]>,
    /// Flags of an agent that stays awake wherever it is, and which of them are looked at.
    stays_awake: u16,
    looked_at: u16,
}

impl Sleepers {
    fn new(rom: &Rom<'_>) -> Self {
        let may_sleep_while_polling: Box<[bool]> =
            rom.state_ids().map(|leaf| rom.may_sleep_in(leaf)).collect();
        // In many machines whoever polls does so for something that keeps everybody awake: an
        // activity, a guard in Rust. There nobody who polls has to be asked where it is.
        let any_may = rom.state_ids().zip(&may_sleep_while_polling);
        let any_may = any_may
            .filter(|(_, may_sleep)| **may_sleep)
            .any(|(leaf, _)| rom.polls_in(leaf));
        let (stays_awake, looked_at) = match any_may {
            false => (flag::POLLS, flag::POLLS | flag::ENDED | flag::PAUSED),
            // No flags are these.
            true => (flag::POLLS, 0),
        };
        Self {
            may_sleep_while_polling,
            stays_awake,
            looked_at,
        }
    }

    /// Does everybody who polls stay awake, wherever it is?
    pub(crate) fn all_pollers_stay_awake(&self) -> bool {
        self.looked_at != 0
    }

    /// May an agent sleep after the tick `now`? One that polls may, if nothing that its eventless
    /// transitions look at can change.
    #[inline]
    pub(crate) fn sleep<I: Instance>(&self, rom: &Rom<'_>, instance: &I, now: u32) -> Sleep {
        let flags = instance.header().flags.get();
        if flags & self.looked_at == self.stays_awake {
            return Sleep::Awake;
        }
        self.ask(rom, instance, now)
    }

    #[inline(never)]
    fn ask<I: Instance>(&self, rom: &Rom<'_>, instance: &I, now: u32) -> Sleep {
        let polls = instance.header().flags.get() & flag::POLLS != 0;
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
