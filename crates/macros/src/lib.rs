//! Macros of Statewright. Use them through the crate `statewright`.
//!
//! Each macro reads what the user wrote, notes every mistake at its place (`problems`), and writes
//! code that names everything by its whole path. Macros see names, not types (`shape`); what they
//! cannot see the compiler checks, at the user's own words.
#![forbid(unsafe_code)]

mod arguments;
mod board;
mod command;
mod fields;
mod functions;
mod machine;
mod problems;
mod shape;
mod spelling;

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
/// `#[guard]` answers `bool` or `Verdict`, `#[scorer]` answers `f32`; both only look, so they take
/// `&self`. `#[action]` returns nothing, `#[activity]` returns `Status`; they take `&self` or `&mut
/// self`. Machine files call a function by its name in either spelling (`IsHurt` or `is_hurt`), or
/// by `name = "…"`. A guard or scorer that draws random numbers says `rng`.
///
/// # Parameters
///
/// Behind the receiver, in any order:
///
/// - `&GuardCx` or `&mut GuardCx` for guards and scorers, `&mut ActionCx` for actions and activities,
/// - the context by reference; it is what `context = …` says, or `()`,
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
///
/// #[functions(board = Vec<i32>)]
/// mod numbers {
///     #[guard]
///     fn has(me: &Vec<i32>, number: i32) -> bool {
///         me.contains(&number)
///     }
///
///     #[action]
///     fn add(me: &mut Vec<i32>, number: i32) {
///         me.push(number);
///     }
/// }
///
/// assert_eq!(numbers::functions().names().collect::<Vec<_>>(), ["has", "add"]);
/// ```
#[proc_macro_attribute]
pub fn functions(options: TokenStream, item: TokenStream) -> TokenStream {
    functions::expand(options.into(), item.into()).into()
}

/// Shows the fields of a blackboard to machine files, by their names.
///
/// Fields of type `i32`, `f32`, `bool`, `AgentId`, `Entity`, `Symbol`, `[f32; 2]` and `[f32; 3]`
/// are shown, others are not. `#[board(skip)]` hides a field, `#[board(name = "…")]` shows it under
/// another name; with a name, any type with `Value` is shown.
///
/// ```
/// use statewright::prelude::*;
///
/// #[derive(Board)]
/// struct Body {
///     health: i32,
///     #[board(name = "speed")]
///     current_speed: f32,
///     #[board(skip)]
///     frames: i32,
///     path: Vec<[f32; 3]>,
/// }
///
/// let names: Vec<&str> = Body::FIELDS.iter().map(|(name, _)| *name).collect();
/// assert_eq!(names, ["health", "speed"]);
/// ```
#[proc_macro_derive(Board, attributes(board))]
pub fn board(input: TokenStream) -> TokenStream {
    board::expand(&parse_macro_input!(input as DeriveInput)).into()
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
/// of another kind, or with arguments that it does not take.
///
/// ```
/// use statewright::prelude::*;
///
/// #[derive(Board)]
/// struct Light;
///
/// #[functions]
/// impl Light {}
///
/// // This machine calls nothing: all is well.
/// statewright::machine!(mod light = "../../machines/traffic_light.sw.json", functions = Light);
/// ```
#[proc_macro]
pub fn machine(input: TokenStream) -> TokenStream {
    machine::expand(input.into()).into()
}
