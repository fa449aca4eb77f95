//! Functions that look at nothing but their blackboard are called on the bytes of an agent alone: the same as the
//! tables to the last byte, and whoever panics ends alone.

use statewright::prelude::*;
use statewright::{
    Counters, Event, InboxEvent, Instance, Instance64, Sleep, Slices, SlicesOutput, Turn,
};

/// The blackboard.
#[derive(Clone, Debug, Default, PartialEq, Board)]
pub struct Turnstile {
    coins: i32,
    passed: i32,
    #[board(skip)]
    rattled: i32,
    #[board(skip)]
    locks: u32,
    #[board(skip)]
    spins: u32,
    #[board(skip)]
    reports: Vec<String>,
}

/// What somebody says.
#[derive(Clone, Copy, Debug, PartialEq, Command)]
#[command(lane = GAMEPLAY)]
pub struct Checked {
    /// How much there is.
    pub coins: i32,
}

#[functions]
impl Turnstile {
    #[action]
    fn lock(&mut self) {
        self.locks += 1;
    }

    #[action]
    fn unlock(&mut self) {
        self.locks += 100;
    }

    #[action]
    fn rattle(&mut self) {
        self.rattled += 1;
        assert!(self.rattled < 1_000, "it breaks");
    }

    #[guard]
    fn is_bent(&self) -> bool {
        self.rattled % 3 == 2
    }

    #[activity]
    fn spin(&mut self, mode: Mode) -> Status {
        if mode == Mode::Cancel {
            return Status::Running;
        }
        self.spins += 1;
        assert!(self.spins < 1_000, "it spins off");
        match self.spins.is_multiple_of(4) {
            true => Status::Succeeded,
            false => Status::Running,
        }
    }

    /// Looks further: everything has to be there for it.
    #[action]
    fn report(&mut self, cx: &mut ActionCx) {
        let told = format!("{:?} {} {:?}", cx.state(), cx.tick(), cx.event());
        self.reports.push(told);
        cx.emit(Checked { coins: self.coins });
    }

    #[guard]
    fn is_late(&self, cx: &GuardCx) -> bool {
        cx.tick().is_multiple_of(5)
    }
}

statewright::machine!(
    mod turnstile = "tests/machines/turnstile.sw.json",
    functions = Turnstile,
    warnings = allow,
);

fn program() -> Program<Turnstile, ()> {
    let program = turnstile::machine().bind(Turnstile::functions()).unwrap();
    assert!(program.is_fused());
    program
}

/// Some event or none for an agent in a tick: all combinations come.
fn event(machine: &Machine, tick: u64, agent: u64) -> Option<Event> {
    let (coin, push) = (turnstile::events::COIN, turnstile::events::PUSH);
    let (kick, check) = (turnstile::events::KICK, turnstile::events::CHECK);
    let number = (tick * 31 + agent * 17 + tick * agent % 11) % 13;
    Some(match number {
        0 | 1 => machine.make_event(coin, (tick % 4) as i32).unwrap(),
        2..=4 => machine.make_event(push, ()).unwrap(),
        5 => machine.make_event(kick, ()).unwrap(),
        6 => machine.make_event(check, ()).unwrap(),
        _ => return None,
    })
}

/// What is left of a run.
#[derive(Debug, PartialEq)]
struct Ran {
    instances: Vec<Instance64>,
    boards: Vec<Turnstile>,
    counters: Counters,
    turns: usize,
    awake: Vec<(u32, Sleep)>,
    commands: Vec<(u32, Checked)>,
}

const AGENTS: usize = 30;

fn run(ticks: u64, fused: impl Fn(u64) -> bool) -> Ran {
    let programs = [program(), program().interpreted()];
    let machine = turnstile::machine();
    let rom = machine.rom();
    let new = |agent| Instance64::new(&rom, 3, agent).unwrap();
    let mut ran = Ran {
        instances: (0..AGENTS as u64).map(new).collect(),
        boards: vec![Turnstile::default(); AGENTS],
        counters: Counters::default(),
        turns: 0,
        awake: Vec::new(),
        commands: Vec::new(),
    };
    let mut output = SlicesOutput::default();
    for tick in 0..ticks {
        let events = (0..AGENTS as u32).filter_map(|place| {
            let event = event(&machine, tick, place.into())?;
            Some(InboxEvent { place, event })
        });
        let inbox: Vec<InboxEvent> = events.collect();
        let slices = Slices {
            tick,
            inbox: &inbox,
            ..Slices::default()
        };
        let program = &programs[usize::from(!fused(tick))];
        let (instances, boards) = (&mut ran.instances, &mut ran.boards);
        let done = program.tick_slices(instances, boards, &(), slices, &mut output);
        done.unwrap();
        ran.counters.add(output.counters());
        ran.turns += output.turns();
        ran.awake.extend(output.awake_next());
        let said = output.commands().filter_map(|command| {
            let checked = command.get::<Checked>()?;
            Some((command.agent().index(), checked))
        });
        ran.commands.extend(said);
    }
    ran
}

#[test]
fn on_bytes_alone_and_by_tables_all_is_the_same() {
    let by_tables = run(600, |_| false);
    assert!(by_tables.counters.transitions > 3_000);
    assert!(by_tables.commands.len() > 100);
    assert!(by_tables.boards.iter().any(|board| board.passed > 25));
    assert!(by_tables.boards.iter().all(|board| board.spins > 20));
    assert!(run(600, |_| true) == by_tables);
    assert!(run(600, |tick| tick * tick % 5 < 2) == by_tables);
}

/// One tick of agents, everybody with the same event or none; who panicked, in words.
fn tick(
    program: &Program<Turnstile, ()>,
    (instances, boards): (&mut [Instance64], &mut [Turnstile]),
    output: &mut SlicesOutput,
    (tick, event): (u64, Option<Event>),
) -> Vec<String> {
    let events = event.into_iter().flat_map(|event| {
        let to = move |place| InboxEvent { place, event };
        (0..instances.len() as u32).map(to)
    });
    let inbox: Vec<InboxEvent> = events.collect();
    let slices = Slices {
        tick,
        inbox: &inbox,
        ..Slices::default()
    };
    let done = program.tick_slices(instances, boards, &(), slices, output);
    done.unwrap();
    output.panicked().map(ToString::to_string).collect()
}

/// Three agents after two ticks, the second of them in its last tick of whatever it does.
fn three(program: &Program<Turnstile, ()>) -> ([Instance64; 3], [Turnstile; 3], SlicesOutput) {
    let rom = program.machine().rom();
    let mut instances = [0, 1, 2].map(|agent| Instance64::new(&rom, 3, agent).unwrap());
    let mut boards = [(); 3].map(|()| Turnstile::default());
    (boards[1].rattled, boards[1].spins) = (999, 999);
    let mut output = SlicesOutput::default();
    let all = (&mut instances[..], &mut boards[..]);
    assert!(tick(program, all, &mut output, (0, None)).is_empty());
    (instances, boards, output)
}

#[test]
fn tick_3_whoever_panics_on_bytes_ends_alone_and_is_named() {
    for program in [program(), program().interpreted()] {
        let machine = program.machine().clone();
        let (mut instances, mut boards, mut output) = three(&program);
        let kick = machine.make_event(turnstile::events::KICK, ()).unwrap();
        let all = (&mut instances[..], &mut boards[..]);
        let told = tick(&program, all, &mut output, (1, Some(kick)));
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].contains("attle") && told[0].contains("it breaks"));
        let ended = |instance: &Instance64| instance.header().has(statewright::flag::QUARANTINED);
        assert_eq!(instances.each_ref().map(ended), [false, true, false]);
        assert_eq!(boards.each_ref().map(|board| board.rattled), [1, 1_000, 1]);
        assert_eq!(output.counters().quarantines, 1);
    }
}

#[test]
fn tick_3_the_same_while_it_polls() {
    for program in [program(), program().interpreted()] {
        let machine = program.machine().clone();
        let (mut instances, mut boards, mut output) = three(&program);
        let coin = machine.make_event(turnstile::events::COIN, 5).unwrap();
        let push = machine.make_event(turnstile::events::PUSH, ()).unwrap();
        let mut told = Vec::new();
        for (now, event) in [(1, Some(coin)), (2, Some(push)), (3, None)] {
            let all = (&mut instances[..], &mut boards[..]);
            told.extend(tick(&program, all, &mut output, (now, event)));
        }
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].contains("pin") && told[0].contains("it spins off"));
        let spins = boards.each_ref().map(|board| board.spins);
        assert_eq!(spins, [1, 1_000, 1]);
    }
}

/// One agent by itself for so many ticks; `fused` says by tick which way it goes. What it is after each.
fn alone(ticks: u64, fused: impl Fn(u64) -> bool) -> Vec<(Instance64, Turnstile, bool)> {
    let machine = turnstile::machine();
    let programs = [program(), program().interpreted()];
    let mut solos = programs.each_ref().map(Program::solo);
    let mut instance = Instance64::new(&machine.rom(), 3, 0).unwrap();
    let mut board = Turnstile::default();
    let mut all = Vec::new();
    for tick in 0..ticks {
        let events: Vec<Event> = event(&machine, tick, 4).into_iter().collect();
        let turn = Turn {
            tick,
            events: &events,
            ..Turn::default()
        };
        let solo = &mut solos[usize::from(!fused(tick))];
        let done = solo.tick(&mut instance, &mut board, &(), turn).unwrap();
        assert!(done.left.is_empty() && done.fault.is_none());
        all.push((instance, board.clone(), done.unwound));
    }
    let mut counters = Counters::default();
    solos.iter().for_each(|solo| counters.add(&solo.counters()));
    assert!(counters.transitions > 100 && counters.unhandled > 0);
    all
}

#[test]
fn one_agent_by_itself_is_the_same_by_code_and_wherever_it_changes() {
    let by_tables = alone(800, |_| false);
    assert!(alone(800, |_| true) == by_tables);
    assert!(alone(800, |tick| tick * tick % 5 < 2) == by_tables);
}

#[test]
fn tick_3_one_agent_by_itself_ends_and_is_named() {
    let machine = turnstile::machine();
    let kick = machine.make_event(turnstile::events::KICK, ()).unwrap();
    for program in [program(), program().interpreted()] {
        let mut solo = program.solo();
        let mut instance = Instance64::new(&machine.rom(), 3, 0).unwrap();
        let mut board = Turnstile::default();
        let mut unwound = Vec::new();
        for tick in 0..3 {
            if tick == 1 {
                board.rattled = 999;
            }
            let turn = Turn {
                tick,
                events: if tick == 1 { &[kick][..] } else { &[] },
                ..Turn::default()
            };
            let done = solo.tick(&mut instance, &mut board, &(), turn).unwrap();
            unwound.push(done.unwound);
            if done.unwound {
                let told = solo.panicked().unwrap().to_string();
                assert!(
                    told.contains("attle") && told.contains("it breaks"),
                    "{told}"
                );
            }
        }
        assert_eq!(unwound, [false, true, false]);
        assert!(instance.header().has(statewright::flag::QUARANTINED));
        assert_eq!(solo.counters().quarantines, 1);
    }
}
