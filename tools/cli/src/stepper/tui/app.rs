//! What is on the screen, and what keys do.

use std::path::Path;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use statewright_step::ids::EventId;
use statewright_step::text::{self, Line};
use statewright_step::{Command, Session, StepError, payload_type};

use crate::stepper::files;

/// Most lines of the past that are kept.
const MOST_LINES: usize = 2_000;

/// Ticks of the key for many.
const MANY_TICKS: u32 = 10;

/// Who gets the keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Focus {
    /// The list of events.
    Events,
    /// A line that is being written: what comes before it, and what is there already.
    Writing { before: String, written: String },
    /// The page of keys.
    Help,
}

/// The screen.
pub(crate) struct App {
    pub(crate) session: Session,
    pub(crate) color: bool,
    pub(crate) selected: usize,
    /// What happened, oldest first.
    pub(crate) past: Vec<Line>,
    /// Lines that the view of the past was moved up by.
    pub(crate) scroll: usize,
    /// Whether the reasons of the last tick are shown instead of the past.
    pub(crate) shows_why: bool,
    pub(crate) focus: Focus,
    /// What went wrong with the last key, or what it did.
    pub(crate) message: Option<(String, bool)>,
}

impl App {
    pub(crate) fn new(session: Session, color: bool) -> Self {
        let mut app = Self {
            color,
            selected: 0,
            past: Vec::new(),
            scroll: 0,
            shows_why: false,
            focus: Focus::Events,
            message: None,
            session,
        };
        app.past.extend(text::greeting(&app.session));
        let start = app.session.start().clone();
        app.note(&start);
        if let Some(last) = app.session.last().cloned().filter(|last| last.number > 0) {
            app.note(&last);
        }
        app
    }

    /// Lines of the lower pane.
    pub(crate) fn lower(&self) -> Vec<Line> {
        if self.shows_why {
            text::why(&self.session)
        } else {
            self.past.clone()
        }
    }

    fn note(&mut self, step: &statewright_step::Step) {
        self.past.extend(text::step_lines(&self.session, step));
        let surplus = self.past.len().saturating_sub(MOST_LINES);
        self.past.drain(..surplus);
        self.scroll = 0;
    }

    /// One key; whether the session goes on.
    pub(crate) fn press(&mut self, key: KeyEvent) -> bool {
        if key.modifiers.contains(KeyModifiers::CONTROL)
            && matches!(key.code, KeyCode::Char('c' | 'd'))
        {
            return false;
        }
        match std::mem::replace(&mut self.focus, Focus::Events) {
            Focus::Events => self.press_in_events(key.code),
            Focus::Help => true,
            Focus::Writing { before, written } => {
                self.write(key.code, before, written);
                true
            }
        }
    }

    fn press_in_events(&mut self, code: KeyCode) -> bool {
        self.message = None;
        match code {
            KeyCode::Char('q') => return false,
            KeyCode::Esc if self.shows_why => self.shows_why = false,
            KeyCode::Char('?' | 'h') | KeyCode::F(1) => self.focus = Focus::Help,
            KeyCode::Up | KeyCode::Char('k') => self.selected = self.selected.saturating_sub(1),
            KeyCode::Down | KeyCode::Char('j') => {
                let last = self.session.names().symbols.events.len().saturating_sub(1);
                self.selected = last.min(self.selected + 1);
            }
            KeyCode::Enter => self.send(),
            KeyCode::Char(' ') => self.carry_out(&Command::Tick(1)),
            KeyCode::Char('t') => self.carry_out(&Command::Tick(MANY_TICKS)),
            KeyCode::Char('u') => self.carry_out(&Command::Undo(1)),
            KeyCode::Char('r') => self.carry_out(&Command::Redo(1)),
            KeyCode::Char('w') => {
                self.shows_why = !self.shows_why;
                self.scroll = 0;
            }
            KeyCode::Char(':') => {
                self.focus = Focus::Writing {
                    before: String::new(),
                    written: String::new(),
                }
            }
            KeyCode::PageUp => self.scroll = (self.scroll + 5).min(self.lower().len()),
            KeyCode::PageDown => self.scroll = self.scroll.saturating_sub(5),
            _ => self.message = Some(("? shows what the keys do".to_owned(), false)),
        }
        true
    }

    /// Sends the selected event, after asking for its payload if it has one.
    fn send(&mut self) {
        let Some(event) = EventId::from_index(self.selected) else {
            return;
        };
        let names = &self.session.names().symbols;
        let Some(name) = names.of(event).map(str::to_owned) else {
            self.message = Some((
                "this machine has no events; space lets time pass".to_owned(),
                true,
            ));
            return;
        };
        match payload_type(&self.session.machine().rom(), event) {
            Some(_) => {
                self.focus = Focus::Writing {
                    before: format!("send {name} "),
                    written: String::new(),
                }
            }
            None => self.carry_out(&Command::Send(event, [0; 4])),
        }
    }

    fn write(&mut self, code: KeyCode, before: String, mut written: String) {
        match code {
            KeyCode::Esc => return,
            KeyCode::Enter => return self.obey(&format!("{before}{written}")),
            KeyCode::Backspace if written.is_empty() => return,
            KeyCode::Backspace => _ = written.pop(),
            KeyCode::Char(c) if !c.is_control() => written.push(c),
            _ => {}
        }
        self.focus = Focus::Writing { before, written };
    }

    /// Carries out a line.
    fn obey(&mut self, line: &str) {
        if line.trim().is_empty() {
            return;
        }
        match Command::parse(line, &self.session) {
            Ok(command) => self.carry_out(&command),
            Err(error) => self.complain(&error),
        }
    }

    fn complain(&mut self, error: &StepError) {
        self.message = Some((error.to_string(), true));
    }

    fn carry_out(&mut self, command: &Command) {
        let done = match command {
            Command::Quit => {
                self.message = Some(("q ends".to_owned(), false));
                return;
            }
            Command::Help => {
                self.focus = Focus::Help;
                return;
            }
            Command::Why => {
                self.shows_why = true;
                return;
            }
            Command::Show => return self.append(text::show(&self.session)),
            Command::Events => return self.append(text::events(&self.session)),
            Command::In(state) => return self.append(text::is_in(&self.session, *state)),
            Command::Snapshot(file) => {
                files::snapshot(&mut self.session, file.as_deref().map(Path::new)).map(|()| {
                    self.message = Some((format!("kept step {}", self.session.steps()), false));
                })
            }
            Command::Restore(Some(file)) => {
                files::restore(&mut self.session, Path::new(file)).map(|step| self.note(&step))
            }
            command => self.session.carry_out(command).map(|steps| {
                let last = steps.len().saturating_sub(1);
                for (place, step) in steps.iter().enumerate() {
                    if place == last || !step.is_quiet() {
                        self.note(step);
                    }
                }
            }),
        };
        if let Err(error) = done {
            self.complain(&error);
        }
    }

    fn append(&mut self, lines: Vec<Line>) {
        self.past.extend(lines);
        self.shows_why = false;
        self.scroll = 0;
    }
}
