//! Puts the screen together.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Clear, Paragraph};
use statewright_step::ids::EventId;
use statewright_step::payload_type;
use statewright_step::text::{self, Tone};
use statewright_symbols::SymbolKind;

use super::app::{App, Focus};
use super::tree::{self, Row};

/// Smallest screen that shows something useful.
const SMALLEST: (u16, u16) = (60, 16);

/// Keys in the last line.
const KEYS: [(&str, &str); 8] = [
    ("↑↓", "choose"),
    ("Enter", "send"),
    ("Space", "tick"),
    ("u", "undo"),
    ("r", "redo"),
    ("w", "why"),
    ("?", "help"),
    ("q", "quit"),
];

/// The page of keys.
const PAGE: [&str; 14] = [
    "↑ ↓        choose an event",
    "Enter      send it and run one tick",
    "Space      run one tick",
    "t          run ten ticks",
    "u  r       undo, redo",
    "w          why the last tick went as it did",
    "PgUp PgDn  look further back",
    ":          write a command, such as",
    "           :set health 20",
    "           :guard IsBrave false",
    "           :activity Patrol succeeded",
    "           :after 1.5s",
    "q          quit",
    "(any key closes this page)",
];

/// Colors, or weights where there are none.
#[derive(Clone, Copy)]
struct Look {
    color: bool,
}

impl Look {
    fn ink(self, color: Color, otherwise: Modifier) -> Style {
        if self.color {
            Style::new().fg(color)
        } else {
            Style::new().add_modifier(otherwise)
        }
    }

    fn tone(self, tone: Tone) -> Style {
        match tone {
            Tone::Head => Style::new().add_modifier(Modifier::BOLD),
            Tone::Plain => Style::new(),
            Tone::Good => self.ink(Color::Green, Modifier::empty()),
            Tone::Left => self.ink(Color::Red, Modifier::empty()),
            Tone::Dim => self.ink(Color::DarkGray, Modifier::DIM),
            Tone::Now => self
                .ink(Color::Cyan, Modifier::BOLD)
                .add_modifier(Modifier::BOLD),
            Tone::Warning => self.ink(Color::Yellow, Modifier::BOLD),
        }
    }

    fn lit(self) -> Style {
        let style = if self.color {
            Style::new().fg(Color::Black).bg(Color::Green)
        } else {
            Style::new().reversed()
        };
        style.add_modifier(Modifier::BOLD)
    }

    fn block(self, title: &str) -> Block<'static> {
        let title = Line::styled(
            format!(" {title} "),
            Style::new().fg(Color::Reset).add_modifier(Modifier::BOLD),
        );
        Block::bordered()
            .border_type(BorderType::Rounded)
            .border_style(self.tone(Tone::Dim))
            .title(title)
    }
}

/// Draws everything.
pub(crate) fn draw(frame: &mut Frame<'_>, app: &mut App) {
    let look = Look { color: app.color };
    let area = frame.area();
    if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
        let words = format!(
            "make the window larger: at least {} x {}",
            SMALLEST.0, SMALLEST.1
        );
        return frame.render_widget(Paragraph::new(words), area);
    }
    let lower = (area.height * 2 / 5).max(6);
    let [title, upper, past, keys] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Fill(1),
        Constraint::Length(lower),
        Constraint::Length(1),
    ])
    .areas(area);
    let [states, events, right] = Layout::horizontal([
        Constraint::Fill(11),
        Constraint::Fill(9),
        Constraint::Fill(10),
    ])
    .areas(upper);
    draw_title(frame, app, look, title);
    draw_states(frame, app, look, states);
    draw_events(frame, app, look, events);
    draw_right(frame, app, look, right);
    draw_past(frame, app, look, past);
    draw_keys(frame, app, look, keys);
    if app.focus == Focus::Help {
        draw_page(frame, look, area);
    }
}

fn draw_title(frame: &mut Frame<'_>, app: &App, look: Look, area: Rect) {
    let session = &app.session;
    let (undo, redo) = session.depths();
    let end = if session.has_ended() { "  ended" } else { "" };
    let facts = format!(
        "  step {}  tick {} ({:.2}s)  undo {undo}  redo {redo}{end}",
        session.steps(),
        session.tick(),
        f64::from(session.tick()) / f64::from(session.tick_rate().max(1)),
    );
    let name = Span::styled(format!(" {} ", session.names().symbols.machine), look.lit());
    frame.render_widget(Line::from(vec![name, Span::raw(facts)]), area);
}

fn draw_states(frame: &mut Frame<'_>, app: &App, look: Look, area: Rect) {
    let block = look.block("states");
    let inner = block.inner(area);
    let height = usize::from(inner.height);
    let rows = tree::rows(&app.session, height);
    // The first active leaf and what is around it stay in sight.
    let first_active = rows.iter().position(Row::is_leaf).unwrap_or(0);
    let skip = first_active
        .saturating_sub(height / 2)
        .min(rows.len().saturating_sub(height));
    let lines: Vec<Line<'_>> = rows
        .iter()
        .skip(skip)
        .take(height)
        .map(|row| state_line(row, look))
        .collect();
    frame.render_widget(Paragraph::new(lines).block(block), area);
}

fn state_line(row: &Row, look: Look) -> Line<'static> {
    match row {
        Row::Region {
            depth,
            name,
            active,
        } => {
            let style = if *active {
                look.tone(Tone::Plain)
            } else {
                look.tone(Tone::Dim)
            };
            Line::styled(
                format!("{}┄ {name}", "  ".repeat(*depth)),
                style.add_modifier(Modifier::ITALIC),
            )
        }
        Row::State {
            depth,
            name,
            active,
            leaf,
            folded,
            suspended,
        } => {
            let (mark, style) = match (leaf, active, suspended, folded) {
                (true, ..) => ("●", look.lit()),
                (_, true, ..) => ("▾", look.tone(Tone::Good).add_modifier(Modifier::BOLD)),
                (_, _, true, _) => ("‖", look.tone(Tone::Warning)),
                (_, _, _, true) => ("▸", look.tone(Tone::Dim)),
                _ => ("·", look.tone(Tone::Dim)),
            };
            let space = Span::raw("  ".repeat(*depth));
            Line::from(vec![
                space,
                Span::styled(
                    format!("{mark} {name}{}", if *leaf { " " } else { "" }),
                    style,
                ),
            ])
        }
    }
}

fn draw_events(frame: &mut Frame<'_>, app: &App, look: Look, area: Rect) {
    let block = look.block("events");
    let height = usize::from(block.inner(area).height);
    let rom = app.session.machine().rom();
    let skip = (app.selected + 1).saturating_sub(height);
    let events = app
        .session
        .names()
        .symbols
        .names(SymbolKind::Event)
        .enumerate()
        .skip(skip)
        .take(height);
    let lines: Vec<Line<'_>> = events
        .filter_map(|(index, name)| {
            let event = EventId::from_index(index)?;
            let heard = text::listens(&app.session, event);
            let style = look.tone(if heard { Tone::Plain } else { Tone::Dim });
            let chosen = index == app.selected;
            let style = if chosen {
                style.add_modifier(Modifier::REVERSED)
            } else {
                style
            };
            let payload = payload_type(&rom, event).map_or(String::new(), |ty| format!(" {ty}"));
            let mark = if chosen { "▸" } else { " " };
            let name = Span::styled(format!("{mark} {name}"), style);
            Some(Line::from(vec![
                name,
                Span::styled(payload, look.tone(Tone::Dim)),
            ]))
        })
        .collect();
    let lines = if lines.is_empty() {
        vec![Line::styled("none", look.tone(Tone::Dim))]
    } else {
        lines
    };
    frame.render_widget(Paragraph::new(lines).block(block), area);
}

fn draw_right(frame: &mut Frame<'_>, app: &App, look: Look, area: Rect) {
    let after = app.session.look();
    let keys: Vec<Line<'_>> = after
        .board
        .iter()
        .enumerate()
        .map(|(key, words)| Line::raw(text::key_words(&app.session, key, *words)))
        .collect();
    let mut waits: Vec<Line<'_>> = after
        .queue
        .iter()
        .map(|event| Line::raw(format!("▪ {}", text::queued_words(&app.session, event))))
        .collect();
    let tick = app.session.tick();
    waits.extend(after.timers.iter().map(|wait| {
        Line::raw(text::short_wait(
            &app.session,
            wait.timer,
            wait.deadline,
            tick,
        ))
    }));
    let or_none = |lines: Vec<Line<'static>>| {
        if lines.is_empty() {
            vec![Line::styled("none", look.tone(Tone::Dim))]
        } else {
            lines
        }
    };
    let wanted = (keys.len().max(1) as u16 + 2).min(area.height.saturating_sub(5));
    let [board, below] =
        Layout::vertical([Constraint::Length(wanted), Constraint::Fill(1)]).areas(area);
    frame.render_widget(
        Paragraph::new(or_none(keys)).block(look.block("blackboard")),
        board,
    );
    frame.render_widget(
        Paragraph::new(or_none(waits)).block(look.block("timers and queue")),
        below,
    );
}

fn draw_past(frame: &mut Frame<'_>, app: &mut App, look: Look, area: Rect) {
    let block = look.block(if app.shows_why {
        "why (w goes back)"
    } else {
        "what happened"
    });
    let height = usize::from(block.inner(area).height);
    let lines = app.lower();
    app.scroll = app.scroll.min(lines.len().saturating_sub(height));
    let end = lines.len() - app.scroll;
    let start = if app.shows_why && app.scroll == 0 && lines.len() > height {
        0
    } else {
        end.saturating_sub(height)
    };
    let shown = lines[start..]
        .iter()
        .take(height)
        .map(|line| past_line(line, look))
        .collect::<Vec<_>>();
    frame.render_widget(Paragraph::new(shown).block(block), area);
}

fn past_line(line: &text::Line, look: Look) -> Line<'static> {
    match line.tone {
        Tone::Head => Line::styled(line.words.clone(), look.tone(Tone::Head)),
        Tone::Plain if line.label.is_empty() => Line::raw(line.plain()),
        tone => {
            let label = Span::styled(format!("  {:<9} ", line.label), look.tone(Tone::Dim));
            Line::from(vec![
                label,
                Span::styled(line.words.clone(), look.tone(tone)),
            ])
        }
    }
}

fn draw_keys(frame: &mut Frame<'_>, app: &App, look: Look, area: Rect) {
    let line = match (&app.focus, &app.message) {
        (Focus::Writing { before, written }, _) => {
            let x = area.x + (1 + before.chars().count() + written.chars().count()) as u16;
            frame.set_cursor_position((x.min(area.right().saturating_sub(1)), area.y));
            let hint = if before.is_empty() {
                ""
            } else {
                "    (Enter sends, Esc does not)"
            };
            let words = Span::raw(format!(":{before}{written}"));
            Line::from(vec![words, Span::styled(hint, look.tone(Tone::Dim))])
        }
        (_, Some((message, wrong))) => Line::styled(
            format!(" {message}"),
            look.tone(if *wrong { Tone::Warning } else { Tone::Plain }),
        ),
        _ => {
            let spans = KEYS.iter().flat_map(|(key, does)| {
                [
                    Span::styled(format!(" {key}"), look.tone(Tone::Now)),
                    Span::raw(format!(" {does} ")),
                ]
            });
            Line::from(spans.collect::<Vec<_>>())
        }
    };
    frame.render_widget(line, area);
}

fn draw_page(frame: &mut Frame<'_>, look: Look, area: Rect) {
    let (width, height) = (48.min(area.width), (PAGE.len() as u16 + 2).min(area.height));
    let place = Rect::new(
        (area.width - width) / 2,
        (area.height - height) / 2,
        width,
        height,
    );
    frame.render_widget(Clear, place);
    let lines: Vec<Line<'_>> = PAGE
        .iter()
        .map(|line| Line::raw(format!(" {line}")))
        .collect();
    frame.render_widget(Paragraph::new(lines).block(look.block("keys")), place);
}
