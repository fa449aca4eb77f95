//! SCXML read a second time: what a document means by the letter of the W3C recommendation, and
//! random documents to ask it about.
//!
//! The importer maps a document to an ordinary machine; this crate walks the document itself, by
//! the pseudo-code of Appendix D. It shares no code with the product, so that agreement between the
//! two says something. Slow and obvious on purpose.
//!
//! ```
//! use statewright_scxml_oracle::{Document, Interpreter, Outcome};
//!
//! let text = r#"<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0">
//!     <state id="closed"><transition event="open" target="ajar"/></state>
//!     <state id="ajar"/>
//! </scxml>"#;
//! let document = Document::parse(text).unwrap();
//! let mut door = Interpreter::new(&document);
//! assert_eq!(door.start(), Outcome::Stable);
//! door.send("open.slowly");
//! assert_eq!(door.configuration(), ["ajar"]);
//! ```
//!
//! # The interpreter
//!
//! [`Document::parse`] reads and checks; what this crate does not know is an error with a place,
//! never ignored. [`Interpreter`] runs: [`start`](Interpreter::start), [`send`](Interpreter::send),
//! [`advance`](Interpreter::advance), then look at [`configuration`](Interpreter::configuration),
//! [`value`](Interpreter::value) and [`take_log`](Interpreter::take_log).
//!
//! - Functions below `algorithm` bear the names of the pseudo-code, in its order of statements, to
//!   be compared line by line.
//! - Where prose and pseudo-code disagree about done events the prose wins: a parallel is done when
//!   all its children are, and so is a parallel around it (section 3.4); the pseudo-code looks one
//!   level up only.
//! - States that are still active are not entered again (prose of section 3.13), where a transition
//!   from deep inside the parent of a history leads to that history and the pseudo-code would do
//!   so.
//! - A transition has one domain, that of before its exits: what was left is entered again (prose
//!   of section 3.13). The pseudo-code asks for the domain again after histories were recorded; in
//!   a parallel with a single child it may then be another.
//! - The content of a history's default transition runs only if the history's parent is entered, as
//!   the pseudo-code has it. A transition from inside the parent to its history therefore runs
//!   none.
//! - A state is active (`In`) from before its onentry until after its onexit. [`Happening::Enter`]
//!   is noted before the onentry blocks, [`Happening::Exit`] after the onexit blocks.
//! - A state without an id is called `(state 7)`, where 7 counts state, parallel, final and history
//!   elements in document order from 1.
//! - Data are 32-bit integers that wrap, booleans and strings. Types are checked when the document
//!   is read, so nothing can fail later and there are no `error.*` events.
//! - Time is virtual. A delayed send that comes due is an external event with a macrostep of its
//!   own.
//! - Nothing runs forever: see [`Outcome::Endless`].
//! - After a top-level final the configuration is empty, as the pseudo-code has it;
//!   [`ended_in`](Interpreter::ended_in) has the last one.
//!
//! # Random documents
//!
//! [`random_document`] gives the text of a seed, [`random_events`] steps to drive it.
//! [`Interpreter::peaks`] says what a run needed (places in queues, waiting sends, ties), so that a
//! comparison with an engine of fixed size can tell what that engine may refuse.
//!
//! # Code map
//!
//! `document` what a document holds · `read` from XML, with all checks · `expression` conditions
//! and values · `algorithm` Appendix D · `interpreter` its state and the way in · `happening` what
//! is noted · `random` documents and steps by chance.
#![forbid(unsafe_code)]

mod algorithm;
mod document;
mod expression;
mod happening;
mod interpreter;
mod random;
mod read;

pub use document::Document;
pub use expression::Value;
pub use happening::{Happening, Outcome, Peaks};
pub use interpreter::Interpreter;
pub use random::{Limits, Step, random_document, random_events};
