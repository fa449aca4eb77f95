//! `statewright lsp`, by a client of the protocol.

mod client;
mod features;
mod parts;
mod rust;
mod storm;
mod wire;
