//! `statewright step --tui` in a terminal of its own: what a person sees after each key.

use std::io::{Read, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use crate::common::Folder;
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// Longest time until the screen shows something.
const PATIENCE: Duration = Duration::from_secs(60);

/// A program with a screen of its own.
struct Screen {
    master: Box<dyn MasterPty + Send>,
    child: Box<dyn Child + Send + Sync>,
    keys: Box<dyn Write + Send>,
    bytes: Receiver<Vec<u8>>,
    seen: vt100::Parser,
    raw: Vec<u8>,
}

impl Screen {
    /// In a window of 80 x 24.
    fn new(folder: &Folder, args: &[&str]) -> Self {
        Self::with_rows(folder, args, 24)
    }

    fn with_rows(folder: &Folder, args: &[&str], rows: u16) -> Self {
        let pair = native_pty_system()
            .openpty(PtySize {
                rows,
                cols: 80,
                pixel_width: 0,
                pixel_height: 0,
            })
            .unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_statewright"));
        command.args(args);
        command.cwd(&folder.path);
        command.env("TERM", "xterm-256color");
        command.env_remove("NO_COLOR");
        command.env_remove("COLUMNS");
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().unwrap();
        let (send, bytes) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            // A terminal whose program has ended reads as an error.
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                if send.send(buffer[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        let keys = pair.master.take_writer().unwrap();
        Self {
            master: pair.master,
            child,
            keys,
            bytes,
            seen: vt100::Parser::new(rows, 80, 0),
            raw: Vec::new(),
        }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Waits until the screen shows what is wanted.
    #[track_caller]
    fn wait(&mut self, what: &str, wanted: impl Fn(&vt100::Screen) -> bool) {
        let end = Instant::now() + PATIENCE;
        while !wanted(self.seen.screen()) {
            match self
                .bytes
                .recv_timeout(end.saturating_duration_since(Instant::now()))
            {
                Ok(bytes) => {
                    self.raw.extend(&bytes);
                    self.seen.process(&bytes);
                }
                Err(RecvTimeoutError::Timeout) => {
                    panic!("never seen: {what}\n{}", self.seen.screen().contents())
                }
                Err(RecvTimeoutError::Disconnected) => {
                    panic!("ended before: {what}\n{}", self.seen.screen().contents())
                }
            }
        }
    }

    /// Waits until a line contains a text.
    #[track_caller]
    fn shows(&mut self, text: &str) {
        self.wait(text, |screen| screen.contents().contains(text));
    }

    /// Waits for the end and gives the exit code.
    fn end(mut self) -> (u32, Vec<u8>) {
        let code = self.child.wait().unwrap().exit_code();
        drop(self.keys);
        drop(self.master);
        while let Ok(bytes) = self.bytes.recv_timeout(PATIENCE) {
            self.raw.extend(&bytes);
        }
        (code, self.raw)
    }
}

/// The background of the cell where a text begins.
fn background(screen: &vt100::Screen, text: &str) -> vt100::Color {
    let (rows, columns) = screen.size();
    for row in 0..rows {
        let line: Vec<String> = (0..columns)
            .map(|c| {
                screen
                    .cell(row, c)
                    .map_or(String::new(), |c| c.contents().to_owned())
            })
            .collect();
        for column in 0..columns {
            if line[usize::from(column)..].concat().starts_with(text) {
                return screen.cell(row, column).unwrap().bgcolor();
            }
        }
    }
    panic!("no `{text}` in\n{}", screen.contents());
}

fn watchman() -> Folder {
    let folder = Folder::new();
    let sample = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../machines/watchman.sw.json"
    );
    folder.write("watchman.sw.json", std::fs::read(sample).unwrap());
    folder
}

#[test]
fn send_undo_quit() {
    let folder = watchman();
    let mut screen = Screen::new(&folder, &["step", "watchman.sw.json", "--tui"]);
    screen.shows("● watch");
    screen.shows("step 0  tick 0");
    screen.shows("▸ SeesThief");
    screen.shows("stamina = 20");
    screen.wait("the active state is lit", |seen| {
        background(seen, "● watch") == vt100::Color::Idx(2)
    });

    screen.press("\r");
    screen.shows("● chase");
    screen.shows("step 1  tick 1");
    screen.shows("Shout(loudness: 3)");
    screen.wait("only one is lit", |seen| {
        background(seen, "● chase") == vt100::Color::Idx(2)
            && background(seen, "· watch") == vt100::Color::Default
    });

    screen.press("u");
    screen.shows("● watch");
    screen.shows("undo 0  redo 1");
    screen.press("r");
    screen.shows("● chase");
    screen.press(" ");
    screen.shows("step 2  tick 2");
    screen.press("\x1b[B\r");
    screen.shows("● rest");
    screen.shows("1.5s  after 1.5s in rest");
    screen.press("w");
    screen.shows("why (w goes back)");
    screen.press("?");
    screen.shows("run ten ticks");
    screen.press("x");
    screen.press(":set stamina 3\r");
    screen.shows("stamina = 3");
    screen.press(":sed stamina 3\r");
    screen.shows("did you mean `send`?");

    screen.press("q");
    let (code, raw) = screen.end();
    assert_eq!(code, 0);
    let text = String::from_utf8_lossy(&raw);
    assert!(
        text.contains("\x1b[?1049h") && text.contains("\x1b[?1049l"),
        "the other screen is shown and left again"
    );
    assert!(
        text.rfind("\x1b[?25h") > text.rfind("\x1b[?25l"),
        "the cursor is back"
    );
}

#[test]
fn control_c_ends_it_too_and_no_name_reaches_the_terminal_raw() {
    let folder = Folder::new();
    // A ROM whose sidecar was changed by somebody else.
    let sample = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../machines/watchman.sw.json"
    );
    folder.run(&["build", sample, "-o", "w.swrom"]).code(0);
    let names = folder
        .text("w.swdbg")
        .replace("\"watch\"", "\"wa\\u001b]0;owned\\u0007tch\"");
    assert!(names.contains("owned"));
    folder.write("w.swdbg", names);
    let mut screen = Screen::new(&folder, &["step", "w.swrom", "--tui"]);
    screen.shows("owned");
    screen.press("\x03");
    let (code, raw) = screen.end();
    assert_eq!(code, 0);
    let text = String::from_utf8_lossy(&raw);
    assert!(!text.contains("\x1b]0;owned"), "{text:?}");
    let piped = folder
        .run(&["step", "w.swrom", "--events", "SeesThief"])
        .code(0);
    assert!(
        piped.out.contains("\\u{1b}]0;owned") && !piped.out.contains('\x1b'),
        "{}",
        piped.out
    );
}

#[test]
fn the_prompt_takes_commands_and_survives_mistakes() {
    let folder = watchman();
    // All of it fits, so that nothing scrolls away.
    let mut screen = Screen::with_rows(&folder, &["step", "watchman.sw.json"], 60);
    let tell = |screen: &mut Screen, keys: &str, answer: &str| {
        screen.press(keys);
        let row = screen.seen.screen().cursor_position().0;
        screen.shows(answer);
        // The prompt is written when the terminal is ready for keys.
        screen.wait("the next prompt", |seen| {
            seen.cursor_position().0 > row && seen.cursor_position().1 == 2
        });
    };
    screen.wait("the first prompt", |seen| seen.cursor_position().1 == 2);
    tell(&mut screen, "send SeesThief\r", "now in    chase");
    tell(&mut screen, "sned LostThief\r", "did you mean `send`?");
    tell(&mut screen, "undo\r", "step 0, tick 0: undo");
    tell(&mut screen, "quit\x03", "`quit` ends");
    tell(&mut screen, "in watch\r", "watch is active");
    screen.press("quit\r");
    assert_eq!(screen.end().0, 0);
}

#[test]
fn without_a_terminal_it_says_so() {
    watchman()
        .run(&["step", "watchman.sw.json", "--tui"])
        .code(2)
        .says("`--tui` needs a terminal");
}
