//! The screen as a picture for the docs, and tests of what it shows.

use std::fmt::Write;
use std::path::Path;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::{Buffer, Cell};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::style::{Color, Modifier};
use statewright_compile::{Options, compile_text};
use statewright_step::{Command, Session, Settings};

use super::app::App;
use super::draw::draw;

/// Pixels of a cell.
const CELL: (f32, f32) = (8.4, 17.0);

/// A screen that shows a sample after some commands.
fn screen(machine: &str, commands: &[&str], color: bool) -> App {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../machines")
        .join(machine);
    let text = std::fs::read_to_string(path).unwrap();
    let (output, _) = compile_text(machine, &text, &Options::default());
    let output = output.unwrap();
    let session = Session::new(output.rom, Some(output.symbols), Settings::default()).unwrap();
    let mut app = App::new(session, color);
    for line in commands {
        Command::parse(line, &app.session).unwrap_or_else(|error| panic!("{line}: {error}"));
        press(&mut app, KeyCode::Char(':'));
        line.chars().for_each(|c| press(&mut app, KeyCode::Char(c)));
        press(&mut app, KeyCode::Enter);
    }
    app
}

fn press(app: &mut App, code: KeyCode) {
    assert!(
        app.press(KeyEvent::new(code, KeyModifiers::NONE)),
        "{code:?} ends the session"
    );
}

fn drawn(app: &mut App, width: u16, height: u16) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw(frame, app)).unwrap();
    terminal.backend().buffer().clone()
}

fn text(buffer: &Buffer) -> String {
    let mut text = String::new();
    for y in 0..buffer.area.height {
        let row: String = (0..buffer.area.width)
            .map(|x| buffer[(x, y)].symbol())
            .collect();
        let _ = writeln!(text, "{}", row.trim_end());
    }
    text
}

fn ink(color: Color, otherwise: &'static str) -> &'static str {
    match color {
        Color::Black => "#10151c",
        Color::Green => "#5fc97b",
        Color::Red => "#e5776b",
        Color::Yellow => "#e3b95c",
        Color::Cyan => "#62c4d6",
        Color::DarkGray => "#768392",
        _ => otherwise,
    }
}

/// Foreground, background, weight, slant.
fn style(cell: &Cell) -> (&'static str, &'static str, bool, bool) {
    let (front, back) = (ink(cell.fg, "#d7dde5"), ink(cell.bg, "#10151c"));
    let has = |modifier| cell.modifier.contains(modifier);
    let (front, back) = if has(Modifier::REVERSED) {
        (back, front)
    } else {
        (front, back)
    };
    (front, back, has(Modifier::BOLD), has(Modifier::ITALIC))
}

fn svg(buffer: &Buffer) -> String {
    let (width, height) = (
        f32::from(buffer.area.width) * CELL.0 + 24.0,
        f32::from(buffer.area.height) * CELL.1 + 24.0,
    );
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.1} {height:.1}\" width=\"{width:.0}\" height=\"{height:.0}\" \
         font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace\" font-size=\"14\">\n\
         <title>statewright step --tui</title>\n<rect width=\"100%\" height=\"100%\" rx=\"10\" fill=\"#10151c\"/>\n"
    );
    for y in 0..buffer.area.height {
        let mut x = 0;
        while x < buffer.area.width {
            let first = style(&buffer[(x, y)]);
            let end = (x..buffer.area.width)
                .find(|&x| style(&buffer[(x, y)]) != first)
                .unwrap_or(buffer.area.width);
            run(
                &mut out,
                first,
                (x, y),
                (x..end).map(|x| buffer[(x, y)].symbol()).collect(),
            );
            x = end;
        }
    }
    out.push_str("</svg>\n");
    out
}

fn run(
    out: &mut String,
    (front, back, bold, italic): (&str, &str, bool, bool),
    (x, y): (u16, u16),
    words: String,
) {
    let (left, top) = (12.0 + f32::from(x) * CELL.0, 12.0 + f32::from(y) * CELL.1);
    let wide = words.chars().count() as f32 * CELL.0;
    if back != "#10151c" {
        let _ = writeln!(
            out,
            "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{wide:.1}\" height=\"{}\" fill=\"{back}\"/>",
            CELL.1
        );
    }
    if words.trim().is_empty() {
        return;
    }
    let words = words
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    let bold = if bold { " font-weight=\"bold\"" } else { "" };
    let italic = if italic { " font-style=\"italic\"" } else { "" };
    let _ = writeln!(
        out,
        "<text x=\"{left:.1}\" y=\"{:.1}\" textLength=\"{wide:.1}\" fill=\"{front}\"{bold}{italic} xml:space=\"preserve\">{words}</text>",
        top + 13.0
    );
}

#[test]
fn the_picture_in_the_docs_is_what_the_screen_shows() {
    let commands = [
        "send EnemySighted 7",
        "set suppressed true",
        "send Noise 4 0 2",
        "send InRange",
    ];
    let mut app = screen("soldier.sw.json", &commands, true);
    (0..5).for_each(|_| press(&mut app, KeyCode::Down));
    let picture = svg(&drawn(&mut app, 100, 34));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/pictures/step-tui.svg");
    if std::env::var_os("BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &picture).unwrap();
    }
    let kept = std::fs::read_to_string(&path)
        .unwrap_or_default()
        .replace("\r\n", "\n");
    assert!(
        kept == picture,
        "docs/pictures/step-tui.svg is old: run `cargo xtask bless` and look at it"
    );
}

#[test]
fn eighty_by_twenty_four_shows_every_part() {
    for machine in [
        "watchman.sw.json",
        "soldier.sw.json",
        "boss.sw.json",
        "pedestrian.sw.json",
        "traffic_light.sw.json",
    ] {
        let mut app = screen(machine, &["tick"], true);
        let text = text(&drawn(&mut app, 80, 24));
        for part in [
            "states",
            "events",
            "blackboard",
            "timers and queue",
            "what happened",
            "Enter send",
            "? help",
            "q quit",
            "●",
        ] {
            assert!(text.contains(part), "{machine}: no `{part}` in\n{text}");
        }
    }
}

#[test]
fn keys_send_tick_undo_and_redo() {
    let mut app = screen("watchman.sw.json", &[], false);
    press(&mut app, KeyCode::Enter);
    assert_eq!(app.session.configuration(), ["chase"]);
    press(&mut app, KeyCode::Char(' '));
    assert_eq!(app.session.tick(), 2);
    press(&mut app, KeyCode::Char('u'));
    press(&mut app, KeyCode::Char('u'));
    assert_eq!(
        (app.session.configuration(), app.session.tick()),
        (vec!["watch"], 0)
    );
    press(&mut app, KeyCode::Char('r'));
    assert_eq!(app.session.configuration(), ["chase"]);
    press(&mut app, KeyCode::Char('w'));
    assert!(
        text(&drawn(&mut app, 80, 24)).contains("why, in step 1"),
        "{}",
        text(&drawn(&mut app, 80, 24))
    );
    press(&mut app, KeyCode::Char('?'));
    assert!(text(&drawn(&mut app, 80, 24)).contains("run ten ticks"));
    press(&mut app, KeyCode::Esc);
    assert!(!app.press(KeyEvent::new(KeyCode::Char('q'), KeyModifiers::NONE)));
}

#[test]
fn events_with_a_payload_ask_for_it_and_mistakes_are_told() {
    let mut app = screen("soldier.sw.json", &[], false);
    press(&mut app, KeyCode::Enter);
    assert!(
        text(&drawn(&mut app, 80, 24)).contains(":send EnemySighted"),
        "{}",
        text(&drawn(&mut app, 80, 24))
    );
    press(&mut app, KeyCode::Char('x'));
    press(&mut app, KeyCode::Enter);
    assert!(text(&drawn(&mut app, 80, 24)).contains("`x` is no entity"));
    assert_eq!(
        (app.session.steps(), app.session.tick()),
        (0, 0),
        "nothing has changed"
    );
    press(&mut app, KeyCode::Enter);
    press(&mut app, KeyCode::Char('7'));
    press(&mut app, KeyCode::Enter);
    assert_eq!(
        app.session.configuration(),
        ["alive/combat/approach", "alive/combat/ready"]
    );
}

#[test]
fn a_small_window_says_so_and_any_size_is_drawn() {
    let mut app = screen("boss.sw.json", &["send PlayerNear 1"], true);
    assert!(text(&drawn(&mut app, 40, 10)).contains("make the window larger"));
    for (width, height) in [(1, 1), (60, 16), (61, 17), (200, 60), (300, 16)] {
        drawn(&mut app, width, height);
        press(&mut app, KeyCode::Char('?'));
        drawn(&mut app, width, height);
        press(&mut app, KeyCode::Esc);
    }
}
