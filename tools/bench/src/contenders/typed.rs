//! Statewright through its typed API: functions bound by name, a tick over slices of the host's
//! own.

use statewright::ids::EventId;
use statewright::{
    Class, Counters, Event, Functions, InboxEvent, Instance, Instance64, Machine, Program, Slices,
    SlicesOutput,
};

use crate::board::{Board, Totals};
use crate::callbacks::{effect, enter, exit, state};
use crate::contenders::Contender;
use crate::script::{Script, Tick, event};

/// The machine file sees nothing of the blackboard.
impl statewright::Board for Board {}

/// Binds each callback under its name.
macro_rules! functions {
    ($($name:literal $function:ident $number:path;)+) => {
        Functions::new()$(.action($name, |board: &mut Board, _: &(), _| $function::<{ $number }>(board)))+
    };
}

fn functions() -> Functions<Board, ()> {
    functions! {
        "ExitIdle" exit state::IDLE;
        "ExitPatrol" exit state::PATROL;
        "ExitCombat" exit state::COMBAT;
        "ExitApproach" exit state::APPROACH;
        "ExitAttack" exit state::ATTACK;
        "ExitWindup" exit state::WINDUP;
        "ExitStrike" exit state::STRIKE;
        "ExitRetreat" exit state::RETREAT;
        "ExitDead" exit state::DEAD;
        "EnterIdle" enter state::IDLE;
        "EnterPatrol" enter state::PATROL;
        "EnterCombat" enter state::COMBAT;
        "EnterApproach" enter state::APPROACH;
        "EnterAttack" enter state::ATTACK;
        "EnterWindup" enter state::WINDUP;
        "EnterStrike" enter state::STRIKE;
        "EnterRetreat" enter state::RETREAT;
        "EnterDead" enter state::DEAD;
        "OnSight" effect event::SIGHT;
        "OnLost" effect event::LOST;
        "OnInRange" effect event::IN_RANGE;
        "OnSwing" effect event::SWING;
        "OnLowHp" effect event::LOW_HP;
        "OnHealed" effect event::HEALED;
        "OnDie" effect event::DIE;
    }
}

/// Agents in slices.
pub struct Typed {
    program: Program<Board, ()>,
    instances: Vec<Instance64>,
    boards: Vec<Board>,
    ticks: Vec<Vec<InboxEvent>>,
    output: SlicesOutput,
    now: u64,
    counters: Counters,
}

impl Typed {
    /// Agents of a machine of 64 bytes, started.
    pub fn new(text: &str, agents: usize) -> Result<Self, String> {
        let machine = Machine::from_text("benchmark", text).map_err(|error| error.to_string())?;
        let program = machine
            .bind(functions())
            .map_err(|error| error.to_string())?;
        Self::of(program, agents)
    }

    /// Agents of a program, started.
    pub fn of(program: Program<Board, ()>, agents: usize) -> Result<Self, String> {
        let machine = program.machine().clone();
        let rom = machine.rom();
        let instances = (0..agents as u64)
            .filter_map(|agent| Instance64::new(&rom, 1, agent))
            .collect();
        let mut typed = Self {
            program,
            instances,
            boards: vec![Board::default(); agents],
            ticks: Vec::new(),
            output: SlicesOutput::default(),
            now: 0,
            counters: Counters::default(),
        };
        typed.tick(&[], None);
        Ok(typed)
    }

    fn tick(&mut self, inbox: &[InboxEvent], awake: Option<&[u32]>) {
        let slices = Slices {
            tick: self.now,
            inbox,
            awake,
            ..Slices::default()
        };
        let done = self.program.tick_slices(
            &mut self.instances,
            &mut self.boards,
            &(),
            slices,
            &mut self.output,
        );
        done.expect("scripts are sorted");
        self.counters.add(self.output.counters());
        self.now += 1;
    }
}

impl Contender for Typed {
    fn bytes_per_agent(&self) -> usize {
        size_of::<Instance64>() + size_of::<Board>()
    }

    fn load(&mut self, script: &Script) {
        let event = |number: u8| {
            Event::new(
                EventId::new(number.into()).expect("event numbers are small"),
                Class::Normal,
            )
        };
        self.ticks.clear();
        self.ticks.extend(script.ticks.iter().map(|tick| {
            match tick {
                Tick::Quiet => Vec::new(),
                Tick::All(events) => (0..)
                    .zip(events)
                    .map(|(place, &e)| InboxEvent {
                        place,
                        event: event(e),
                    })
                    .collect(),
                Tick::Some(events) => events
                    .iter()
                    .map(|&(place, e)| InboxEvent {
                        place,
                        event: event(e),
                    })
                    .collect(),
            }
        }));
    }

    fn run(&mut self, ticks: usize) {
        let script = std::mem::take(&mut self.ticks);
        let count = script.len();
        for tick in 0..ticks {
            self.tick(&script[tick % count], None);
        }
        self.ticks = script;
    }

    fn totals(&self) -> Option<Totals> {
        Some(Totals::of(self.boards.iter(), self.counters.events))
    }
}
