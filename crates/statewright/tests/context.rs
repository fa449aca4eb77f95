//! A context may borrow the world for one tick, in crowds and in slices (CODE-1).

use std::cell::Cell;

use statewright::prelude::*;
use statewright::{Callback, Instance, Instance64, Slices, SlicesOutput, Status};

const WALKER: &str = r#"{ "machine": "Walker", "tier": "crowd", "initial": "home",
  "states": {
    "home": { "activity": "Wait", "transitions": [{ "when": "always", "if": "IsOpen", "to": "street" }] },
    "street": { "entry": "Count", "transitions": [{ "when": "always", "score": "Fear", "to": "home", "if": "IsNight" }] } } }"#;

/// A world that somebody else owns, as a tick sees it.
struct Town<'w> {
    gates: &'w [bool],
    is_night: &'w bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Board)]
struct Walker {
    gate: i32,
    walks: i32,
    waits: i32,
}

#[functions(context = Town<'_>)]
impl Walker {
    #[guard]
    fn is_open(&self, town: &Town) -> bool {
        town.gates[self.gate as usize]
    }

    #[guard]
    fn is_night(&self, town: &Town<'_>) -> bool {
        *town.is_night
    }

    #[scorer]
    fn fear<'w>(&self, town: &Town<'w>) -> f32 {
        let gates: &'w [bool] = town.gates;
        gates.len() as f32
    }

    #[action]
    fn count(&mut self, town: &Town, _cx: &mut ActionCx) {
        self.walks += town.gates.len() as i32;
    }

    #[activity]
    fn wait(&mut self, _town: &Town) -> Status {
        self.waits += 1;
        Status::Running
    }
}

struct Game {
    walkers: Crowd<Walker, borrowed!(Town<'_>)>,
    gates: Vec<bool>,
    is_night: bool,
}

impl Game {
    fn new() -> Self {
        let machine = Machine::from_text("walker.sw.json", WALKER).unwrap();
        let program = machine.bind(Walker::functions()).unwrap();
        let mut walkers = Crowd::new(program, 7);
        for gate in [0, 1, 0, 1] {
            walkers.spawn(Walker {
                gate,
                ..Walker::default()
            });
        }
        Self {
            walkers,
            gates: vec![true, false],
            is_night: false,
        }
    }

    fn tick(&mut self, parallel: bool) {
        let town = Town {
            gates: &self.gates,
            is_night: &self.is_night,
        };
        if parallel {
            self.walkers.tick_parallel(&town);
        } else {
            self.walkers.tick(&town);
        }
    }
}

#[test]
fn code_1_a_crowd_borrows_the_world_anew_in_every_tick() {
    let mut game = Game::new();
    let agents: Vec<AgentId> = game.walkers.agents().collect();
    game.tick(false);
    assert_eq!(game.walkers.path(agents[0]).unwrap(), "street");
    assert_eq!(game.walkers.path(agents[1]).unwrap(), "home");
    assert_eq!(game.walkers.board(agents[0]).unwrap().walks, 2);
    // The host changes what was borrowed, between two ticks.
    game.gates = vec![false, true, true];
    game.is_night = true;
    game.tick(false);
    assert_eq!(game.walkers.path(agents[0]).unwrap(), "home");
    assert_eq!(game.walkers.board(agents[1]).unwrap().walks % 3, 0);
}

#[test]
fn code_1_threads_share_what_is_borrowed() {
    let [mut one, mut many] = [Game::new(), Game::new()];
    many.walkers.set_chunk_size(1);
    for tick in 0..12 {
        for (game, parallel) in [(&mut one, false), (&mut many, true)] {
            game.gates = vec![tick % 2 == 0, tick % 3 == 0];
            game.is_night = tick % 4 == 0;
            game.tick(parallel);
        }
        let boards = |game: &Game| -> Vec<Walker> {
            let agents = game.walkers.agents();
            agents
                .map(|agent| *game.walkers.board(agent).unwrap())
                .collect()
        };
        assert_eq!(boards(&one), boards(&many), "tick {tick}");
    }
    let walks = |game: &Game| {
        game.walkers
            .agents()
            .map(|agent| game.walkers.board(agent).unwrap().walks)
            .sum::<i32>()
    };
    assert!(walks(&one) > 0, "somebody went out");
}

#[test]
fn code_1_slices_borrow_as_well() {
    let machine = Machine::from_text("walker.sw.json", WALKER).unwrap();
    let program = machine.bind(Walker::functions()).unwrap();
    let mut instances = [Instance64::new(&machine.rom(), 1, 0).unwrap()];
    let (mut boards, mut output) = ([Walker::default()], SlicesOutput::default());
    {
        let (gates, is_night) = ([true], false);
        let town = Town {
            gates: &gates,
            is_night: &is_night,
        };
        let slices = Slices::default();
        let ran = program.tick_slices(&mut instances, &mut boards, &town, slices, &mut output);
        assert_eq!(ran, Ok(()));
    }
    assert_eq!(boards[0].walks, 1);
}

/// A cell cannot be seen with a shorter lifetime than its own: the functions take every lifetime.
struct Ledger<'w> {
    last: Cell<&'w str>,
    entry: &'w str,
}

#[test]
fn code_1_what_is_borrowed_may_hold_cells() {
    let machine = Machine::build("Clerk", |m| {
        m.state("desk", |s| {
            s.entry("Write");
        });
    })
    .unwrap();
    let functions = Functions::<(), borrowed!(Ledger<'_>)>::new().add(
        "Write",
        Callback::Action(|_, ledger, _| ledger.last.set(ledger.entry)),
    );
    let mut clerks = Crowd::new(machine.bind(functions).unwrap(), 1);
    clerks.spawn(());
    let entry = "three apples".to_owned();
    let ledger = Ledger {
        last: Cell::new(""),
        entry: &entry,
    };
    clerks.tick(&ledger);
    assert_eq!(ledger.last.get(), "three apples");
}
