//! A server process thinks, client processes on the loopback device show the same: also one that comes
//! late, one whose connection was lost, one that was killed, and all after a reload on the server.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use bevy_statewright_games::battle::{AGENTS, changed_fighter, fighter};

/// All of it.
const MOST: Duration = Duration::from_secs(60);

/// A process of the battle; it ends with this.
struct Process {
    name: &'static str,
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    end: Instant,
}

impl Process {
    fn start(name: &'static str, arguments: &[&str], end: Instant) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_battle"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the battle was built");
        let input = child.stdin.take().expect("it is piped");
        let output = child.stdout.take().expect("it is piped");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Self {
            name,
            child,
            input,
            lines,
            end,
        }
    }

    /// The lines of an answer.
    fn hear(&self) -> Vec<String> {
        let mut answer = Vec::new();
        // Bound: it takes no longer than the test may.
        loop {
            let left = self.end.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) if line == "." => return answer,
                Ok(line) => answer.push(line),
                Err(error) => panic!("{} says nothing: {error}", self.name),
            }
        }
    }

    fn ask(&mut self, line: &str) -> Vec<String> {
        writeln!(self.input, "{line}").unwrap_or_else(|error| panic!("{}: {error}", self.name));
        self.hear()
    }

    fn number(&mut self, line: &str, place: usize) -> u64 {
        let answer = self.ask(line);
        let word = answer[0].split(' ').nth(place);
        word.and_then(|word| word.parse().ok()).expect("a number")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// Waits until something holds.
#[track_caller]
fn until(what: &str, end: Instant, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        // A little earlier than everything else ends, so that it is this that is told.
        let left = end.saturating_duration_since(Instant::now());
        assert!(
            left > Duration::from_secs(2),
            "it never came to pass that {what}"
        );
        std::thread::sleep(Duration::from_millis(30));
    }
    eprintln!("{what}: {:?}", begun.elapsed());
}

/// The server stands still, and each client shows the same as it does.
fn all_show_the_same(
    server: &mut Process,
    clients: &mut [&mut Process],
    end: Instant,
) -> Vec<String> {
    server.ask("freeze");
    let paths = server.ask("paths");
    assert!(paths.len() > AGENTS as usize - 60, "{}", paths.len());
    assert!(
        paths.iter().all(|line| !line.ends_with("unknown")),
        "{paths:?}"
    );
    for client in clients {
        let what = format!("{} shows what the server does", client.name);
        until(&what, end, || client.ask("paths") == paths);
    }
    let still = server.ask("paths");
    assert_eq!(still, paths, "nothing moved meanwhile");
    server.ask("think");
    paths
}

/// The server has thought so much further.
fn think(server: &mut Process, ticks: u64, end: Instant) {
    let goal = server.number("report", 0) + ticks;
    until("the server thinks", end, || {
        server.number("report", 0) >= goal
    });
}

#[test]
fn clients_in_processes_of_their_own_show_what_the_server_thinks() {
    let end = Instant::now() + MOST;
    let mut server = Process::start("the server", &["server"], end);
    let port = server.hear()[0]
        .strip_prefix("port ")
        .expect("its port")
        .to_owned();

    let mut first = Process::start("the first client", &["client", &port], end);
    until("the first is connected", end, || {
        server.number("report", 1) == 1
    });
    think(&mut server, 60, end);
    let early = all_show_the_same(&mut server, &mut [&mut first], end);

    // One comes late.
    think(&mut server, 60, end);
    let mut late = Process::start("the late client", &["client", &port], end);
    until("the late one is connected", end, || {
        server.number("report", 1) == 2
    });
    let later = all_show_the_same(&mut server, &mut [&mut first, &mut late], end);
    assert_ne!(early, later, "agents went on");

    // One is cut off until the server gives it up, and connects again by itself.
    writeln!(first.input, "silence 4").unwrap();
    until("the server misses the first", end, || {
        server.number("report", 1) == 1
    });
    first.hear();
    until("the first is back", end, || server.number("report", 1) == 2);
    all_show_the_same(&mut server, &mut [&mut first, &mut late], end);

    // One is killed, and a new process takes its place.
    drop(late);
    until("the server misses the late one", end, || {
        server.number("report", 1) == 1
    });
    let mut late = Process::start("the new client", &["client", &port], end);
    until("the new one is connected", end, || {
        server.number("report", 1) == 2
    });
    all_show_the_same(&mut server, &mut [&mut first, &mut late], end);

    // The machine changes on the server.
    let (before, after) = (
        fighter().structure_hash(),
        changed_fighter().structure_hash(),
    );
    assert_ne!(before, after);
    assert_eq!(first.number("version", 0), before);
    server.ask("reload");
    think(&mut server, 60, end);
    let last = all_show_the_same(&mut server, &mut [&mut first, &mut late], end);
    for process in [&mut server, &mut first, &mut late] {
        assert_eq!(process.number("version", 0), after, "{}", process.name);
    }

    // It was worth looking at.
    let states: BTreeSet<&str> = last
        .iter()
        .filter_map(|line| line.splitn(3, ' ').nth(2))
        .collect();
    let came = last
        .iter()
        .filter(|line| line.split(' ').nth(1) != Some("1"));
    eprintln!(
        "{states:?}, {} came later, {:?}",
        came.clone().count(),
        server.ask("report")
    );
    assert!(states.len() >= 4, "{states:?}");
    assert!(came.count() > 3, "some of them came later");
    assert!(server.number("report", 2) > 500, "agents were busy");
}
