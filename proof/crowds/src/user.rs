//! User code for random machines: pseudo-random, but always the same for the same agent, tick,
//! function and blackboard.

use statewright::prelude::*;
use statewright::symbols::SymbolKind;
use statewright::{Blackboard, CrowdNumber, EventHandle, KeyHandle, Type, ids};
use statewright_generator::Rng;
use statewright_rom::layout::FunctionKind;

/// A crowd of a random machine.
pub type Crowd = statewright::Crowd<Blackboard, World>;

/// What user code looks at besides its agent.
pub struct World {
    /// Changes what user code does.
    pub seed: u64,
    /// What agents of each crowd know; of the first, if theirs is none of these.
    crowds: Vec<(CrowdNumber, Known)>,
    agents: u32,
}

/// What there is in a machine.
struct Known {
    events: Vec<EventHandle>,
    keys: Vec<(KeyHandle, Type)>,
}

impl Known {
    fn of(machine: &Machine) -> Self {
        let rom = machine.rom();
        let events = (0..rom.events().len())
            .filter_map(ids::EventId::from_index)
            .filter_map(|event| machine.handle(event))
            .collect();
        let keys = rom.keys().iter().enumerate().filter_map(|(place, key)| {
            let id = ids::KeyId::from_index(place)?;
            Some((machine.handle(id)?, key.ty.get()))
        });
        Self {
            events,
            keys: keys.collect(),
        }
    }
}

impl World {
    /// For a machine and so many agents, who send messages to others of their crowd.
    pub fn new(machine: &Machine, seed: u64, agents: u32) -> Self {
        Self {
            seed,
            crowds: vec![(CrowdNumber::NONE, Known::of(machine))],
            agents,
        }
    }

    /// For crowds of machines, with so many agents each, who send messages to all of them.
    pub fn of_crowds<'m>(
        crowds: impl Iterator<Item = (CrowdNumber, &'m Machine)>,
        seed: u64,
        agents: u32,
    ) -> Self {
        let crowds = crowds.map(|(number, machine)| (number, Known::of(machine)));
        Self {
            seed,
            crowds: crowds.collect(),
            agents,
        }
    }

    fn known(&self, agent: AgentId) -> &Known {
        let mut crowds = self.crowds.iter();
        let own = crowds.find(|(number, _)| *number == agent.crowd());
        &own.unwrap_or(&self.crowds[0]).1
    }

    /// The crowd that a message of an agent goes to.
    fn receivers(&self, agent: AgentId, dice: &mut Rng) -> CrowdNumber {
        match self.crowds.as_slice() {
            [_] => agent.crowd(),
            crowds => dice
                .pick(crowds)
                .map_or(agent.crowd(), |(number, _)| *number),
        }
    }

    fn dice(&self, agent: AgentId, tick: u32, function: ids::FunctionId) -> Rng {
        let call =
            u64::from(tick) << 32 | u64::from(agent.index()) << 16 | u64::from(function.raw());
        Rng::new(call ^ self.seed.rotate_left(17))
    }
}

/// What user code says when it panics.
const BUG: &str = "a bug of this world";

/// Panics of user code are part of the proof and not shown.
pub fn hush_panics() {
    let show = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if panic.payload_as_str() != Some(BUG) {
            show(panic);
        }
    }));
}

/// All functions of a machine.
pub fn functions(machine: &Machine) -> Functions<Blackboard, World> {
    let rom = machine.rom();
    let mut functions = Functions::new();
    for (record, name) in rom
        .linker()
        .iter()
        .zip(machine.symbols().names(SymbolKind::Function))
    {
        functions = match record.kind.get() {
            FunctionKind::Guard => functions.guard(name, guard),
            FunctionKind::Scorer => functions.scorer(name, scorer),
            FunctionKind::Activity => functions.activity(name, activity),
            FunctionKind::Action => functions.action(name, action),
            FunctionKind::Value => functions.value(name, record.ty.get(), value),
        };
    }
    functions
}

fn guard(_: &Blackboard, world: &World, cx: &mut GuardCx) -> Verdict {
    let mut dice = world.dice(cx.agent(), cx.tick(), cx.function());
    let drawn = cx.rng().map_or(0, |mut rng| rng.next_u32());
    Verdict::from((dice.next_u64() ^ u64::from(drawn)).is_multiple_of(3))
}

fn scorer(_: &Blackboard, world: &World, cx: &mut GuardCx) -> f32 {
    world.dice(cx.agent(), cx.tick(), cx.function()).below(8) as f32 / 4.0
}

fn value(_: &Blackboard, world: &World, cx: &mut GuardCx) -> [u32; 3] {
    let mut dice = world.dice(cx.agent(), cx.tick(), cx.function());
    let drawn = cx.rng().map_or(0, |mut rng| rng.next_u32() % 2);
    // 0 and 1 are values of every type.
    [dice.below(2) ^ drawn, 0, 0]
}

fn activity(board: &mut Blackboard, world: &World, mode: Mode, cx: &mut ActionCx) -> Status {
    action(board, world, cx);
    let mut dice = world.dice(cx.agent(), cx.tick() ^ mode as u32, cx.function());
    match dice.below(6) {
        0 => Status::Succeeded,
        1 => Status::Failed,
        _ => Status::Running,
    }
}

fn action(board: &mut Blackboard, world: &World, cx: &mut ActionCx) {
    let mut dice = world.dice(cx.agent(), cx.tick(), cx.function());
    let known = world.known(cx.agent());
    let Some(&event) = dice.pick(&known.events) else {
        return;
    };
    let number = dice.below(5);
    // Whatever the event carries.
    let payload = [number, 0, 0, 0];
    // Some worlds have bugs.
    assert!(
        !world.seed.is_multiple_of(4) || dice.below(200) != 0,
        "{BUG}"
    );
    match dice.below(12) {
        0 => drop(cx.post(event, payload)),
        1 => drop(cx.raise(event, payload)),
        2 | 3 => {
            // Its first agent, its second one, or one that never was.
            let to = AgentId::new(dice.below(world.agents), 1 + 2 * dice.below(2));
            let to = to.in_crowd(world.receivers(cx.agent(), &mut dice));
            cx.send(to, event, payload);
        }
        4 => {
            let drawn = cx.rng().below(9);
            cx.emit(Noise { level: drawn });
        }
        5 | 6 => {
            if let Some(&(key, ty)) = dice.pick(&known.keys) {
                write(board, key, ty, number as i32);
            }
        }
        _ => {}
    }
}

fn write(board: &mut Blackboard, key: KeyHandle, ty: Type, value: i32) {
    let written = match ty {
        Type::I32 => board.set(key, value),
        Type::F32 => board.set(key, value as f32 / 2.0),
        Type::Bool => board.set(key, value % 2 == 0),
        Type::Vec2 => board.set(key, [value as f32; 2]),
        Type::Vec3 => board.set(key, [value as f32; 3]),
        Type::Entity | Type::Symbol => Ok(()),
    };
    assert_eq!(written, Ok(()), "the key has this type");
}

/// A command of its own.
#[derive(Clone, Copy, Command)]
#[command(lane = AUDIO)]
pub struct Noise {
    level: u32,
}
