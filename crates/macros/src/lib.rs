//! Macros of Statewright. Use them through the crate `statewright`.
//!
//! Each macro reads what the user wrote, notes every mistake at its place (`problems`), and writes
//! code that names everything by its whole path. Macros see names, not types (`shape`); what they
//! cannot see the compiler checks, at the user's own words.
#![forbid(unsafe_code)]

mod arguments;
mod board;
mod command;
mod context;
mod fields;
mod functions;
mod machine;
mod problems;
mod saved;
mod shape;
mod spelling;
mod value;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Collects the functions that machine files call.
///
/// Before an `impl` block: each method with a mark becomes a function of the machine, everything
/// else stays as it is, and the type gets `Body::functions()`.
///
/// ```
/// use statewright::prelude::*;
///
/// #[derive(Board)]
/// struct Body {
///     health: i32,
/// }
///
/// struct World {
///     is_night: bool,
/// }
///
/// #[derive(Clone, Copy, Command)]
/// #[command(lane = AUDIO)]
/// struct Cry {
///     power: i32,
/// }
///
/// #[functions(context = World)]
/// impl Body {
///     #[guard]
///     fn is_hurt(&self, below: i32) -> bool {
///         self.health < below
///     }
///
///     #[guard(rng)]
///     fn is_lucky(&self, cx: &mut GuardCx) -> bool {
///         cx.rng().is_some_and(|mut rng| rng.next_u32() % 2 == 0)
///     }
///
///     #[scorer]
///     fn danger(&self, world: &World) -> f32 {
///         if world.is_night { 1.0 } else { 0.5 }
///     }
///
///     #[action(name = "voice::Cry")]
///     fn cry(&self, cx: &mut ActionCx, power: i32) {
///         cx.emit(Cry { power });
///     }
///
///     #[activity]
///     fn rest(&mut self, mode: Mode) -> Status {
///         match mode {
///             Mode::Run if self.health < 100 => self.health += 1,
///             Mode::Run => return Status::Succeeded,
///             Mode::Cancel => {}
///         }
///         Status::Running
///     }
/// }
///
/// assert_eq!(Body::functions().names().count(), 5);
/// ```
///
/// # Marks
///
/// `#[guard]` answers `bool` or `Verdict`, `#[scorer]` answers `f32`, `#[value]` answers any value of
/// machine files, which expressions there read; all three only look, so they take `&self`. `#[action]` returns nothing, `#[activity]` returns `Status`; they take `&self` or `&mut
/// self`. Machine files call a function by its name in either spelling (`IsHurt` or `is_hurt`), or
/// by `name = "…"`. A function that only looks and draws random numbers says `rng`.
///
/// # Parameters
///
/// Behind the receiver, in any order:
///
/// - `&GuardCx` or `&mut GuardCx` for guards, scorers and value functions, `&mut ActionCx` for actions and activities,
/// - the context by reference; it is what `context = …` says, or `()`. With `context = Town<'_>` it
///   borrows the world for one tick ([`borrowed!`](macro@borrowed)),
/// - `Mode` for activities; one without it is not called when its state is left,
/// - literals of the machine file, in their order: `i32`, `f32`, `bool`, `[f32; 2]`, `[f32; 3]`,
///   `AgentId`, `Entity`, `Symbol`, `&str`, and structs of them with
///   [`derive(Arguments)`](macro@Arguments).
///
/// # Modules
///
/// Functions of a type from elsewhere stand in a module, with the blackboard as their first
/// parameter. The module gets `functions()`, and the type `List`, which stands for them in
/// [`machine!`].
///
/// ```
/// use statewright::prelude::*;
/// use statewright::{Blackboard, KeyHandle};
///
/// #[functions(board = Blackboard, context = KeyHandle)]
/// mod numbers {
///     use statewright::{Blackboard, KeyHandle};
///
///     #[guard]
///     fn is_hurt(me: &Blackboard, health: &KeyHandle, below: i32) -> bool {
///         me.get(*health).is_ok_and(|health: i32| health < below)
///     }
///
///     #[action]
///     fn heal(me: &mut Blackboard, health: &KeyHandle) {
///         _ = me.set(*health, 100);
///     }
/// }
///
/// assert_eq!(numbers::functions().names().collect::<Vec<_>>(), ["is_hurt", "heal"]);
/// ```
#[proc_macro_attribute]
pub fn functions(options: TokenStream, item: TokenStream) -> TokenStream {
    functions::expand(options.into(), item.into()).into()
}

/// The context of functions that borrow the world for one tick.
///
/// A crowd lives long and borrows of the world are short: what stays the same from tick to tick is
/// the type with any lifetime. `#[functions(context = Town<'_>)]` says so for functions, and where
/// the type of a crowd is written it is `Crowd<Guard, borrowed!(Town<'_>)>`.
///
/// ```
/// use statewright::prelude::*;
///
/// struct Town<'w> {
///     walls: &'w [f32],
///     is_night: &'w bool,
/// }
///
/// #[derive(Board)]
/// struct Guard {
///     post: i32,
/// }
///
/// #[functions(context = Town<'_>)]
/// impl Guard {
///     #[guard]
///     fn is_safe(&self, town: &Town) -> bool {
///         !*town.is_night && town.walls[self.post as usize] > 2.0
///     }
/// }
///
/// struct Game {
///     guards: Crowd<Guard, borrowed!(Town<'_>)>,
///     walls: Vec<f32>,
///     is_night: bool,
/// }
///
/// impl Game {
///     fn update(&mut self) {
///         self.guards.tick(&Town { walls: &self.walls, is_night: &self.is_night });
///     }
/// }
/// ```
#[proc_macro]
pub fn borrowed(input: TokenStream) -> TokenStream {
    context::expand(input.into()).into()
}

/// Shows the fields of a blackboard to machine files, by their names.
///
/// Fields whose type has `Value` are shown, others are not: `i32`, `f32`, `bool`, `AgentId`,
/// `Entity`, `Symbol`, `[f32; 2]` and `[f32; 3]` by whatever name, vectors of `glam` with the feature
/// of that name, and types of your own ([`derive(Value)`](macro@Value)). A type parameter is shown if
/// the struct says that it has `Value`. `#[board(skip)]` hides a field, `#[board(name = "…")]` shows
/// it under another name; its type must have `Value` then.
///
/// ```
/// use statewright::prelude::*;
///
/// type Meters = f32;
///
/// #[derive(Clone, Copy, statewright::Value)]
/// struct Health(i32);
///
/// #[derive(Board)]
/// struct Body {
///     health: Health,
///     #[board(name = "speed")]
///     current_speed: Meters,
///     #[board(skip)]
///     frames: i32,
///     path: Vec<[f32; 3]>,
/// }
///
/// use statewright::Type;
/// assert_eq!(Body::FIELDS, [("health", Type::I32), ("speed", Type::F32)]);
/// ```
#[proc_macro_derive(Board, attributes(board))]
pub fn board(input: TokenStream) -> TokenStream {
    board::expand(&parse_macro_input!(input as DeriveInput)).into()
}

/// Makes a type around one value a value of machine files itself.
///
/// ```
/// use statewright::{Type, Value};
///
/// #[derive(Clone, Copy, Debug, PartialEq, Value)]
/// struct Health(i32);
///
/// #[derive(Clone, Copy, Value)]
/// struct Place {
///     meters: [f32; 2],
/// }
///
/// assert_eq!((Health::TYPE, Place::TYPE), (Type::I32, Type::Vec2));
/// assert_eq!(Health::from_words(Health(7).to_words()), Health(7));
/// ```
#[proc_macro_derive(Value)]
pub fn value(input: TokenStream) -> TokenStream {
    value::expand(&parse_macro_input!(input as DeriveInput)).into()
}

/// Lets snapshots hold a struct or an enum: field by field, in their order, and of an enum the number
/// of the variant before.
///
/// Fields are numbers, `bool`, `char`, `String`, `AgentId`, `Entity`, `Symbol`, other types with
/// `Saved`, and `Option`, `Vec`, `Box`, arrays and tuples of them. A field with `#[saved(skip)]` is left out
/// and begins with its default. Bytes that no such value has written are refused.
///
/// ```
/// use statewright::{Machine, Saved};
///
/// #[derive(Debug, PartialEq, Saved)]
/// enum Goal {
///     None,
///     Walk { to: [f32; 2], fast: bool },
/// }
///
/// #[derive(Debug, PartialEq, Saved)]
/// struct Body {
///     health: i32,
///     goal: Goal,
///     friends: Vec<u32>,
///     #[saved(skip)]
///     frames: u64,
/// }
///
/// let machine = Machine::build("Body", |m| {
///     m.state("idle", |_| {});
/// })?;
/// let goal = Goal::Walk { to: [1.0, 2.0], fast: true };
/// let body = Body { health: 7, goal, friends: vec![3], frames: 0 };
/// let mut bytes = Vec::new();
/// body.save(&mut bytes);
/// assert_eq!(Body::load(&machine, &mut &bytes[..]), Some(body));
/// assert_eq!(Body::load(&machine, &mut &bytes[1..]), None);
/// # Ok::<(), statewright::MachineError>(())
/// ```
///
/// A type with the traits `FromBytes`, `IntoBytes` and `Immutable` of the crate `zerocopy` may be saved as it
/// lies in memory, with `#[saved(bytes)]`: as fast as can be, and only for computers of one byte
/// order.
#[proc_macro_derive(Saved, attributes(saved))]
pub fn saved(input: TokenStream) -> TokenStream {
    saved::expand(&parse_macro_input!(input as DeriveInput)).into()
}

/// Makes a plain struct a command.
///
/// Its lane is a constant of `Lane` such as `AUDIO`, `own(0)` for the first of the machine's own
/// lanes, or a longer path to a `Lane` (`guard::lanes::QUEST` of [`machine!`]). Its name is that of
/// the struct unless `name = "…"` says otherwise. Fields are numbers of a fixed size, `bool`,
/// `AgentId`, `Entity`, `Symbol` and arrays of them, 512 bytes at most; they are written in their
/// order, little-endian and without gaps, so that the bytes are the same on every machine. In a
/// lane that accumulates, `merge = Self::add` names the function that takes a later command into an
/// earlier one (`Command::merge`).
///
/// ```
/// use statewright::prelude::*;
///
/// #[derive(Clone, Copy, Debug, PartialEq, Command)]
/// #[command(lane = AUDIO)]
/// struct PlaySound {
///     clip: u16,
///     volume: f32,
/// }
///
/// let mut bytes = [0; PlaySound::BYTES];
/// PlaySound { clip: 7, volume: 1.0 }.write(&mut bytes);
/// assert_eq!(bytes, [7, 0, 0, 0, 0x80, 0x3F]);
/// assert_eq!(PlaySound::read(&bytes), Some(PlaySound { clip: 7, volume: 1.0 }));
/// ```
#[proc_macro_derive(Command, attributes(command))]
pub fn command(input: TokenStream) -> TokenStream {
    command::expand(&parse_macro_input!(input as DeriveInput)).into()
}

/// Reads literal arguments of a call into a struct, by the order of its fields.
///
/// ```
/// use statewright::prelude::*;
///
/// #[derive(Arguments)]
/// struct Burst {
///     rounds: i32,
///     spread: f32,
/// }
///
/// #[derive(Board)]
/// struct Body {
///     ammo: i32,
/// }
///
/// #[functions]
/// impl Body {
///     /// `Fire(3, 0.5)` in the machine file.
///     #[action]
///     fn fire(&mut self, burst: Burst) {
///         self.ammo -= burst.rounds + (burst.spread > 1.0) as i32;
///     }
/// }
///
/// assert_eq!(Burst::TYPES, [statewright::Type::I32, statewright::Type::F32]);
/// ```
#[proc_macro_derive(Arguments)]
pub fn arguments(input: TokenStream) -> TokenStream {
    arguments::expand(&parse_macro_input!(input as DeriveInput)).into()
}

/// Compiles a machine file together with the program.
///
/// The path begins at the folder of the package's `Cargo.toml`. Mistakes in the file are errors of
/// the build, all at once, and the build notices when the file changes. The module has `machine()`,
/// and the names of the file as constants: `states::COMBAT_FIRE` for the path `combat/fire`,
/// `events`, `keys`, `parameters`, `variants`, `channels`, `timers`, `scratch`, `lanes` and
/// `symbols` (`symbols::SAD` for the text `'sad'`), with the file's own documentation.
///
/// ```
/// statewright::machine!(pub mod light = "../../machines/traffic_light.sw.json");
///
/// let machine = light::machine();
/// assert_eq!(machine.state("working/green").unwrap(), light::states::WORKING_GREEN);
/// ```
///
/// What the compiler only warns of is a warning of the build (as the use of something deprecated:
/// Rust has no other way). `warnings = allow` keeps them quiet, also where warnings are errors;
/// `machine().warnings()` has them in any case.
///
/// With `functions = Body` (or a list, `functions = [Body, others::List]`) the build also fails if
/// the machine calls a function that [`#[functions]`](macro@functions) did not find there, or one
/// of another kind, or with arguments that it does not take; and if it declares a blackboard key for
/// which `Body` has no field, or one of another type. `board = Body` checks the keys alone.
///
/// With the functions of one type the machine is written as Rust, too: what agents do by themselves
/// in every tick, with functions called directly. `Program::is_fused` says whether a program takes
/// it; `fused = false` leaves it out.
///
/// ```
/// use statewright::prelude::*;
///
/// #[derive(Board)]
/// struct Light {
///     lamp: Symbol,
///     requests: i32,
/// }
///
/// #[functions]
/// impl Light {}
///
/// // This machine calls nothing, and its keys are there: all is well.
/// statewright::machine!(mod light = "../../machines/traffic_light.sw.json", functions = Light);
/// ```
#[proc_macro]
pub fn machine(input: TokenStream) -> TokenStream {
    machine::expand(input.into()).into()
}
