//! Lockstep: two processes have the same crowd, exchange nothing but what their players do, and
//! compare one number after each tick. One of them cheats. The two tapes say when, who and how.
//!
//! `cargo run --example lockstep` starts the other process itself; both speak over the loopback device.

use std::error::Error;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command};
use std::time::Duration;

use statewright::prelude::*;
use statewright::{Blackboard, Program};
use statewright_tape::{Proof, Recording, RecordingOptions, Tape, localize};

const TRADER: &str = r#"{ "machine": "Trader", "events": { "Earn": { "payload": "i32" }, "Spend": { "payload": "i32" } },
  "blackboard": { "gold": { "type": "i32", "default": 20 } },
  "initial": "trading",
  "states": {
    "trading": { "transitions": [
      { "on": "Earn", "do": "gold += event" },
      { "on": "Spend", "if": "gold >= event", "do": "gold -= event" },
      { "when": "always", "if": "gold < 5", "to": "begging" } ] },
    "begging": { "transitions": [{ "on": "Earn", "to": "trading", "do": "gold += event" }] } } }"#;

/// Traders of each player.
const TRADERS: usize = 4;
const TICKS: u64 = 60;
/// When the second player helps itself.
const CHEATS_AT: u64 = 33;
/// Nobody waits longer for the other.
const PATIENCE: Duration = Duration::from_secs(20);

type Traders = Crowd<Blackboard, ()>;
type AnyError = Box<dyn Error>;

/// What a player does before a tick: a trader, what it does, and for how much.
#[derive(Clone, Copy)]
struct Move {
    trader: u8,
    earns: bool,
    gold: u8,
}

impl Move {
    /// Players think, each for itself.
    fn of(player: usize, tick: u64) -> Self {
        let noise = (tick * 2 + player as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
        Self {
            trader: (player * TRADERS) as u8 + (noise % TRADERS as u64) as u8,
            earns: noise & 64 == 0,
            gold: 1 + (noise >> 8) as u8 % 9,
        }
    }

    fn bytes(self) -> [u8; 3] {
        [self.trader, self.earns.into(), self.gold]
    }

    fn read([trader, earns, gold]: [u8; 3]) -> Self {
        Self {
            trader,
            earns: earns != 0,
            gold,
        }
    }
}

/// One player's side of the game.
struct Game {
    crowd: Traders,
    agents: Vec<AgentId>,
    recording: Recording<Vec<u8>>,
}

fn program() -> Result<Program<Blackboard, ()>, AnyError> {
    let machine = Machine::from_text("trader.sw.json", TRADER)?;
    Ok(machine.bind(Functions::new())?)
}

impl Game {
    fn new() -> Result<Self, AnyError> {
        let mut crowd: Traders = Crowd::new(program()?, 7);
        crowd.keep_digest(true);
        let options = RecordingOptions {
            proof: Proof::Bytes,
            ..RecordingOptions::default()
        };
        let recording = Recording::begin(&mut crowd, Vec::new(), options)?;
        let machine = crowd.machine().clone();
        let agents = (0..2 * TRADERS).map(|_| crowd.spawn(Blackboard::new(&machine)));
        Ok(Self {
            agents: agents.collect(),
            crowd,
            recording,
        })
    }

    /// Both players' moves, in the same order on both sides, and a tick. What the crowd is then.
    fn play(&mut self, moves: [Move; 2]) -> Result<u64, AnyError> {
        for Move {
            trader,
            earns,
            gold,
        } in moves
        {
            let event = if earns { "Earn" } else { "Spend" };
            let event = self.crowd.machine().event(event)?;
            let agent = self.agents.get(usize::from(trader));
            let agent = *agent.ok_or("the other player has no such trader")?;
            self.crowd.send(agent, event, i32::from(gold))?;
        }
        self.crowd.tick(&());
        Ok(self.crowd.digest() ^ self.crowd.boards_digest().rotate_left(1))
    }

    /// A thousand pieces of gold that nobody earned.
    fn cheat(&mut self) -> Result<(), AnyError> {
        let gold = self.crowd.machine().key("gold")?;
        let mut board = self.crowd.board_mut(self.agents[TRADERS])?;
        let before: i32 = board.get(gold)?;
        board.set(gold, before + 1000)?;
        Ok(())
    }

    fn tape(mut self) -> Result<Vec<u8>, AnyError> {
        Ok(self.recording.finish(&mut self.crowd)?.0)
    }
}

/// Plays to the end, or to the first tick after which the two are not the same; that tick.
fn play(game: &mut Game, player: usize, other: &mut TcpStream) -> Result<Option<u64>, AnyError> {
    for tick in 0..TICKS {
        if player == 1 && tick == CHEATS_AT {
            game.cheat()?;
        }
        let own = Move::of(player, tick);
        other.write_all(&own.bytes())?;
        let mut bytes = [0; 3];
        other.read_exact(&mut bytes)?;
        let theirs = Move::read(bytes);
        let moves = if player == 0 {
            [own, theirs]
        } else {
            [theirs, own]
        };
        let digest = game.play(moves)?;
        other.write_all(&digest.to_le_bytes())?;
        let mut bytes = [0; 8];
        other.read_exact(&mut bytes)?;
        if u64::from_le_bytes(bytes) != digest {
            return Ok(Some(tick));
        }
    }
    Ok(None)
}

fn patient(stream: TcpStream) -> Result<TcpStream, AnyError> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// The second player: plays, and hands over its tape.
fn second(port: &str) -> Result<(), AnyError> {
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port.parse()?))?;
    let mut other = patient(stream)?;
    let mut game = Game::new()?;
    play(&mut game, 1, &mut other)?;
    let tape = game.tape()?;
    other.write_all(&(tape.len() as u32).to_le_bytes())?;
    other.write_all(&tape)?;
    Ok(())
}

/// The first player: starts the second, plays, and asks both tapes.
fn first() -> Result<(), AnyError> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let port = listener.local_addr()?.port().to_string();
    let peer = Command::new(std::env::current_exe()?).arg(port).spawn()?;
    let outcome = play_and_ask(&listener);
    let ended = end(peer);
    outcome.and(ended)
}

fn end(mut peer: Child) -> Result<(), AnyError> {
    let status = peer.wait()?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("the other player ended with {status}").into())
    }
}

fn play_and_ask(listener: &TcpListener) -> Result<(), AnyError> {
    let mut other = patient(listener.accept()?.0)?;
    let mut game = Game::new()?;
    let Some(tick) = play(&mut game, 0, &mut other)? else {
        println!("{TICKS} ticks, and both are the same");
        return Ok(());
    };
    println!("after tick {tick} the two are not the same any more");
    let mut length = [0; 4];
    other.read_exact(&mut length)?;
    let mut theirs = Vec::new();
    let length = u32::from_le_bytes(length);
    other.take(length.into()).read_to_end(&mut theirs)?;
    let own = game.tape()?;
    let tapes = [&Tape::read(&own)?, &Tape::read(&theirs)?];
    match localize(tapes, program()?, |crowd: &mut Traders| {
        crowd.tick(&());
        None
    })? {
        Some(desync) => println!("{desync}"),
        None => println!("the tapes do not say why"),
    }
    Ok(())
}

fn main() -> Result<(), AnyError> {
    match std::env::args().nth(1) {
        Some(port) if port.parse::<u16>().is_ok() => second(&port),
        Some(_) => Err("start it without arguments: it starts the other player itself".into()),
        None => first(),
    }
}
