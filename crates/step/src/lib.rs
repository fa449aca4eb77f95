//! One agent of a machine, step by step: the teaching and debugging tool behind `statewright step`.
//!
//! A [`Session`] owns a machine, one instance, its blackboard and the tick. It takes [`Command`]s,
//! gives back [`Step`]s that say what happened in order, and goes back and forth in its history.
//! Functions that the machine names and nobody provides are [`Stubs`]: actions are recorded,
//! guards, scorers and activities answer what they are told to. Expressions and built-in actions
//! really run.
//!
//! Comes in: a ROM with its names, lines of text. Goes out: records, lines of words ([`text`]) and
//! of JSON ([`json`]). No files and no terminal: those are the program's.
//!
//! - `session` the agent and its history, `checkpoint` one point of it, `checkpoint_file` such a point as bytes
//! - `command` a line of text, `value` values as people write them, `stubs` answers of functions
//!   that nobody provides
//! - `host` the border to the kernel, `record` what it saw, `why` reasons in plain words
//!   ([SEL-7](statewright_rom::rules#SEL-7))
//! - `names` words for everything, `text` and [`json`] what people and programs read
//!
//! ```
//! use statewright_compile::{Options, compile_text};
//! use statewright_step::{Command, Session, Settings};
//!
//! let text = r#"{ "machine": "Dog", "events": ["Whistle"], "initial": "sit", "states": {
//!     "sit": { "transitions": [{ "on": "Whistle", "if": "HearsIt", "to": "run", "do": "Bark" }] }, "run": {} } }"#;
//! let (output, _) = compile_text("dog.sw.json", text, &Options::default());
//! let output = output.unwrap();
//! let mut session = Session::new(output.rom, Some(output.symbols), Settings::default()).unwrap();
//!
//! let command = Command::parse("guard HearsIt false", &session).unwrap();
//! session.carry_out(&command).unwrap();
//! let steps = session.carry_out(&Command::parse("send Whistle", &session).unwrap()).unwrap();
//! assert_eq!(session.configuration(), ["sit"]);
//! assert_eq!(steps[0].candidates[0].words, "its guard `HearsIt` said no");
//!
//! session.carry_out(&Command::parse("undo 2", &session).unwrap()).unwrap();
//! session.carry_out(&Command::parse("send Whistle", &session).unwrap()).unwrap();
//! assert_eq!(session.configuration(), ["run"]);
//! ```
#![forbid(unsafe_code)]

mod checkpoint;
mod checkpoint_file;
mod command;
mod error;
mod host;
pub mod json;
mod names;
mod record;
mod session;
mod stubs;
pub mod text;
mod value;
mod why;

pub use checkpoint_file::FORMAT as CHECKPOINT_FORMAT;
pub use command::{COMMANDS, Command, Help};
pub use error::StepError;
pub use names::{Names, TransitionWords};
pub use record::{ActionKind, AgentState, Candidate, CommandKind, Step, StepEvent};
pub use session::{MOST_TICKS, Session, Settings};
pub use statewright_rom::ids;
pub use stubs::{Answer, Stubs, mix};
pub use value::{
    carried_type, key_type, parse_payload, parse_value, payload_type, payload_words, value_words,
};

/// The example of the README runs, too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
