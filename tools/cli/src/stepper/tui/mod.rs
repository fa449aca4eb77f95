//! The whole screen: states, events, blackboard, timers, queue and what happened, with a key for
//! everything.
//!
//! `app` is what is on the screen and what keys do, `draw` puts it there, `tree` are the states as
//! rows. The terminal is put back in order when the session ends, also by a panic.

mod app;
mod draw;
#[cfg(test)]
mod picture;
mod tree;

use ratatui::crossterm::event::{self, Event, KeyEventKind};
use statewright_step::Session;

use crate::error::{CliError, Outcome};
use app::App;

/// Shows the session until the person has had enough.
pub(crate) fn run(session: Session, color: bool) -> Result<Outcome, CliError> {
    let unusable = |error: std::io::Error| {
        CliError::new(format!("the terminal cannot be used: {error}"))
            .help("leave out `--tui` to work line by line")
    };
    let mut app = App::new(session, color);
    let mut terminal = ratatui::try_init().map_err(unusable)?;
    let shown = loop {
        if let Err(error) = terminal.draw(|frame| draw::draw(frame, &mut app)) {
            break Err(error);
        }
        match event::read() {
            Ok(Event::Key(key)) if key.kind != KeyEventKind::Release => {
                if !app.press(key) {
                    break Ok(());
                }
            }
            Ok(_) => {}
            Err(error) => break Err(error),
        }
    };
    ratatui::restore();
    shown.map(|()| Outcome::Fine).map_err(unusable)
}
