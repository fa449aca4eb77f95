//! What stands in for the functions of a game. How often each was called the crowd counts, where
//! its threads share nothing.

use statewright::ids::FunctionId;
use statewright::prelude::*;
use statewright::{Kind, Type};
use statewright_step::{Answer, mix};

use crate::board::{BoardStorage, InlineBoard};
use crate::outcome::FunctionCalls;

/// What functions look at that nobody provides: a seed, and what guards are to answer.
pub struct StandIns {
    seed: u64,
    guards: Answer,
}

/// All functions of a machine with how often each was called, in the order of the machine.
pub(crate) fn named_calls(machine: &Machine, calls: &[u64]) -> Vec<FunctionCalls> {
    let rom = machine.rom();
    let named = rom
        .linker()
        .iter()
        .enumerate()
        .filter_map(|(index, record)| {
            Some(FunctionCalls {
                name: machine.function_name(FunctionId::from_index(index)?),
                kind: record.kind.get(),
                calls: calls.get(index).copied().unwrap_or(0),
            })
        });
    named.collect()
}

impl StandIns {
    pub(crate) fn new(seed: u64, guards: Answer) -> Self {
        Self { seed, guards }
    }

    /// A number that is the same for the same agent, tick and function, however many threads there
    /// are.
    fn draw(&self, agent: AgentId, tick: u32, function: FunctionId) -> u64 {
        let call = u64::from(tick) << 32 | u64::from(agent.index());
        mix(self.seed ^ mix(call ^ u64::from(function.raw()) << 48))
    }

    /// Whether a guard holds.
    fn holds(&self, cx: &GuardCx) -> bool {
        match self.guards {
            Answer::True => true,
            Answer::False => false,
            Answer::Random => self
                .draw(cx.agent(), cx.tick(), cx.function())
                .is_multiple_of(2),
        }
    }

    /// What a value function gives: numbers from 0 to 1 of 1000 steps, whole ones from 0 to 9, either
    /// truth value, and nobody and nothing of the rest.
    fn value(&self, cx: &GuardCx) -> [u32; 3] {
        let draw = self.draw(cx.agent(), cx.tick(), cx.function());
        let part = |shift: u32| ((draw >> shift) % 1000) as f32 / 1000.0;
        let ty = cx.rom().function(cx.function());
        match ty.map_or(Type::I32, |record| record.ty.get()) {
            Type::I32 => [(draw % 10) as u32, 0, 0],
            Type::F32 => [part(0).to_bits(), 0, 0],
            Type::Bool => [(draw % 2) as u32, 0, 0],
            Type::Vec2 => [part(0).to_bits(), part(16).to_bits(), 0],
            Type::Vec3 => [0, 16, 32].map(|shift| part(shift).to_bits()),
            Type::Entity | Type::Symbol => [0; 3],
        }
    }

    /// Activities go on; where guards are random, one in a hundred ticks ends one, and one end in
    /// four is a failure.
    fn goes_on(&self, cx: &ActionCx) -> Status {
        if self.guards != Answer::Random {
            return Status::Running;
        }
        match self.draw(cx.agent(), cx.tick(), cx.function()) % 400 {
            0..3 => Status::Succeeded,
            3 => Status::Failed,
            _ => Status::Running,
        }
    }
}

/// A function for every name of the machine: guards and activities as [`Answer`] asks for, scorers
/// and value functions say anything from 0 to 1, actions do nothing.
pub(crate) fn stubs<S: BoardStorage>(machine: &Machine) -> Functions<InlineBoard<S>, StandIns> {
    let rom = machine.rom();
    let mut functions = Functions::new();
    for (index, record) in rom.linker().iter().enumerate() {
        let Some(id) = FunctionId::from_index(index) else {
            continue;
        };
        let name = machine.function_name(id);
        functions = match record.kind.get() {
            Kind::Guard => functions.guard(&name, |_: &InlineBoard<S>, world: &StandIns, cx| {
                Verdict::from(world.holds(cx))
            }),
            Kind::Scorer => functions.scorer(&name, |_, world, cx| {
                (world.draw(cx.agent(), cx.tick(), cx.function()) % 1000) as f32 / 1000.0
            }),
            Kind::Activity => functions.activity(&name, |_, world, _, cx| world.goes_on(cx)),
            Kind::Value => {
                let ty = record.ty.get();
                functions.value(&name, ty, |_, world, cx| world.value(cx))
            }
            Kind::Action => functions.action(&name, |_, _, _| {}),
        };
    }
    functions
}
