//! Text that people read, for whoever shows some: the reader of machine files, the decompiler, the
//! tools.
//!
//! [`quoted()`] puts code between back quotes, [`visible()`] spells out what could move a cursor or hide something, [`similar`] knows what was
//! probably meant, [`camel_case`] and [`snake_case`] spell one name in two ways
//! and [`answers_to`] knows both, [`written`] puts expressions together with as few parentheses as
//! possible. Knows neither machine files nor ROMs, so that both sides of the compiler can use it.
#![forbid(unsafe_code)]

mod quoted;
pub mod similar;
mod spelling;
mod visible;
pub mod written;

pub use quoted::quoted;
pub use spelling::{answers_to, camel_case, snake_case};
pub use visible::{is_hidden, is_invisible, visible, visible_lines};
