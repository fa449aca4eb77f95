//! What an editor asks, on texts that people type.

mod common;

mod broken;
mod complete;
mod names;
mod parts;
mod rust;
mod shows;
