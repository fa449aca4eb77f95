//! What stands in for a game: blackboards as the machine declares them, and functions that nobody
//! provides.

use std::sync::atomic::{AtomicU64, Ordering};

use statewright::ids::FunctionId;
use statewright::prelude::*;
use statewright::{Key, Kind, Type};

use statewright_step::{Answer, mix};

/// Where the words of a blackboard lie: small ones beside each other, so that a large crowd has no
/// allocation per agent.
pub(crate) trait Room: Clone + Send + Sync + 'static {
    fn empty(words: usize) -> Self;
    fn words(&self) -> &[u32];
    fn words_mut(&mut self) -> &mut [u32];
    /// Bytes outside of itself.
    fn more_bytes(&self) -> usize;
}

impl<const N: usize> Room for [u32; N] {
    fn empty(_: usize) -> Self {
        [0; N]
    }

    fn words(&self) -> &[u32] {
        self
    }

    fn words_mut(&mut self) -> &mut [u32] {
        self
    }

    fn more_bytes(&self) -> usize {
        0
    }
}

impl Room for Box<[u32]> {
    fn empty(words: usize) -> Self {
        vec![0; words].into()
    }

    fn words(&self) -> &[u32] {
        self
    }

    fn words_mut(&mut self) -> &mut [u32] {
        self
    }

    fn more_bytes(&self) -> usize {
        size_of_val(&**self)
    }
}

/// A blackboard: words as the machine lays them out.
#[derive(Clone, Debug)]
pub(crate) struct Words<S>(S);

impl<S: Room> Words<S> {
    /// With the start values of a machine.
    pub(crate) fn new(machine: &Machine) -> Self {
        let rom = machine.rom();
        let mut room = S::empty(rom.blackboard_words());
        let words = room.words_mut();
        for key in rom.keys() {
            let cells = words.iter_mut().skip(usize::from(key.offset.get()));
            cells
                .zip(key.default)
                .for_each(|(cell, default)| *cell = default.get());
        }
        Self(room)
    }

    /// Bytes that it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.0.more_bytes() + size_of::<Self>()
    }
}

impl<S: Room> Board for Words<S> {
    /// Where the words of the key begin, and how many there are.
    fn locate(key: &Key<'_>) -> Result<usize, Option<Type>> {
        Ok(key.first_word * 4 + key.ty.words())
    }

    fn read(&self, field: usize) -> [u32; 3] {
        let mut words = [0; 3];
        let found = self.0.words().iter().skip(field / 4).take(field % 4);
        words
            .iter_mut()
            .zip(found)
            .for_each(|(word, found)| *word = *found);
        words
    }

    fn write(&mut self, field: usize, words: [u32; 3]) {
        let cells = self
            .0
            .words_mut()
            .iter_mut()
            .skip(field / 4)
            .take(field % 4);
        cells.zip(words).for_each(|(cell, word)| *cell = word);
    }
}

/// What functions look at that nobody provides.
pub(crate) struct World {
    seed: u64,
    guards: Answer,
    /// How often each function was called.
    calls: Box<[AtomicU64]>,
}

impl World {
    pub(crate) fn new(machine: &Machine, seed: u64, guards: Answer) -> Self {
        let calls = machine
            .rom()
            .linker()
            .iter()
            .map(|_| AtomicU64::new(0))
            .collect();
        Self {
            seed,
            guards,
            calls,
        }
    }

    /// Names, kinds and calls of all functions.
    pub(crate) fn calls(&self, machine: &Machine) -> Vec<(String, Kind, u64)> {
        let rom = machine.rom();
        let functions = rom.linker().iter().zip(&self.calls).enumerate();
        let named = functions.filter_map(|(place, (record, calls))| {
            let name = machine.function_name(FunctionId::from_index(place)?);
            Some((
                name,
                Kind::from_number(record.kind)?,
                calls.load(Ordering::Relaxed),
            ))
        });
        named.collect()
    }

    fn count(&self, function: FunctionId) {
        if let Some(calls) = self.calls.get(function.index()) {
            calls.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// A number that is the same for the same agent, tick and function, however many threads there
    /// are.
    fn dice(&self, agent: AgentId, tick: u32, function: FunctionId) -> u64 {
        let call = u64::from(tick) << 32 | u64::from(agent.index());
        mix(self.seed ^ mix(call ^ u64::from(function.raw()) << 48))
    }

    /// Whether a guard holds.
    fn holds(&self, cx: &GuardCx) -> bool {
        match self.guards {
            Answer::True => true,
            Answer::False => false,
            Answer::Random => self
                .dice(cx.agent(), cx.tick(), cx.function())
                .is_multiple_of(2),
        }
    }

    /// Activities go on; where guards are random, one in a hundred ticks ends one, and one end in
    /// four is a failure.
    fn goes_on(&self, cx: &ActionCx) -> Status {
        if self.guards != Answer::Random {
            return Status::Running;
        }
        match self.dice(cx.agent(), cx.tick(), cx.function()) % 400 {
            0..3 => Status::Succeeded,
            3 => Status::Failed,
            _ => Status::Running,
        }
    }
}

/// A function for every name of the machine: guards and activities as [`Answer`] asks for, scorers
/// say anything from 0 to 1, actions do nothing.
pub(crate) fn stubs<S: Room>(machine: &Machine) -> Functions<Words<S>, World> {
    let rom = machine.rom();
    let mut functions = Functions::new();
    for (place, record) in rom.linker().iter().enumerate() {
        let Some(id) = FunctionId::from_index(place) else {
            continue;
        };
        let name = machine.function_name(id);
        functions = match Kind::from_number(record.kind) {
            Some(Kind::Guard) => functions.guard(&name, |_: &Words<S>, world: &World, cx| {
                world.count(cx.function());
                Verdict::from(world.holds(cx))
            }),
            Some(Kind::Scorer) => functions.scorer(&name, |_, world, cx| {
                world.count(cx.function());
                (world.dice(cx.agent(), cx.tick(), cx.function()) % 1000) as f32 / 1000.0
            }),
            Some(Kind::Activity) => functions.activity(&name, |_, world, _, cx| {
                world.count(cx.function());
                world.goes_on(cx)
            }),
            _ => functions.action(&name, |_, world, cx| world.count(cx.function())),
        };
    }
    functions
}
