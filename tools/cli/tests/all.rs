//! The command line, as people and scripts use it: one program, one module per command.

mod common;

mod basics;
mod build;
mod check;
mod draw;
mod export;
mod fmt;
mod import;
mod lsp;
mod recording;
mod run;
mod save;
mod sealed;
mod show;
mod step;
mod step_tui;
mod tape;
mod trace;
mod trace_reload;
mod watch;
mod why;
