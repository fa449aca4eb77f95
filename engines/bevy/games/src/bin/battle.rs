//! A process of the replicated battle: `battle server`, or `battle client PORT`. It is told what to
//! do by lines on its standard input, and answers in lines; the network is the game's own.

use std::io::{BufRead, Write};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant};

use bevy_app::prelude::*;
use bevy_replicon::prelude::*;
use bevy_state::prelude::*;
use bevy_statewright_games::replication;

/// Nobody lives longer, whatever the one who started it forgets.
const MOST: Duration = Duration::from_secs(90);
/// Between two attempts to join.
const RETRY: Duration = Duration::from_secs(2);
/// Between two updates.
const PAUSE: Duration = Duration::from_millis(10);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (mut app, joined) = match words[..] {
        ["server"] => {
            let (app, port) = replication::server();
            say(&[format!("port {port}")]);
            (app, None)
        }
        ["client", port] => {
            let port = port.parse().expect("a port is a number");
            (replication::client(port), Some(port))
        }
        _ => panic!("what to be: `server`, or `client PORT`"),
    };
    let lines = listen();
    let end = Instant::now() + MOST;
    let mut tried = Instant::now();
    // Bound: the process has an end.
    while Instant::now() < end {
        app.update();
        if let Some(port) = joined {
            reconnect(&mut app, port, &mut tried);
        }
        match lines.try_recv() {
            Ok(line) => obey(&mut app, &line),
            Err(TryRecvError::Empty) => {}
            // Whoever started it is gone.
            Err(TryRecvError::Disconnected) => return,
        }
        std::thread::sleep(PAUSE);
    }
}

fn listen() -> Receiver<String> {
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    lines
}

/// An answer ends with a line `.`.
fn say(lines: &[String]) {
    let mut out = std::io::stdout().lock();
    for line in lines {
        writeln!(out, "{line}").expect("somebody listens");
    }
    writeln!(out, ".").expect("somebody listens");
    out.flush().expect("somebody listens");
}

/// Whoever lost the connection joins again, and waits a while for it before the next attempt.
fn reconnect(app: &mut App, port: u16, tried: &mut Instant) {
    let state = app.world().resource::<State<ClientState>>();
    if *state == ClientState::Disconnected && tried.elapsed() > RETRY {
        replication::connect(app.world_mut(), port);
        *tried = Instant::now();
    }
}

fn obey(app: &mut App, line: &str) {
    let world = app.world_mut();
    match line.split(' ').collect::<Vec<_>>()[..] {
        ["think"] => world.resource_mut::<replication::Thinks>().0 = true,
        ["freeze"] => world.resource_mut::<replication::Thinks>().0 = false,
        ["reload"] => replication::reload(world),
        ["report"] => return say(&[replication::report(world)]),
        ["version"] => return say(&[replication::version(world).to_string()]),
        // Says nothing to anybody, as on a line that was cut.
        ["silence", seconds] => {
            let seconds = seconds.parse().expect("seconds are a number");
            std::thread::sleep(Duration::from_secs(seconds));
        }
        ["paths"] => {
            let paths = replication::paths(world);
            let lines = paths.iter().map(|(id, path)| format!("{id} {path}"));
            return say(&lines.collect::<Vec<_>>());
        }
        _ => panic!("nobody knows `{line}`"),
    }
    say(&[]);
}
