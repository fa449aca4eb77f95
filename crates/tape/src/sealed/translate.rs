//! Answers of one machine for another version of it (TAPE-8): everything by its name.

use statewright::ids::FunctionId;
use statewright::sealed::{Deed, Question};
use statewright::{Machine, SymbolId};

/// What numbers of the machine that was recorded mean in the one that runs.
#[derive(Debug)]
pub(crate) struct Translation {
    recorded: Machine,
    running: Machine,
}

impl Translation {
    pub(crate) fn new(recorded: &Machine, running: &Machine) -> Self {
        let [recorded, running] = [recorded, running].map(Machine::clone);
        Self { recorded, running }
    }

    /// Is it the question that was recorded? States and transitions have other numbers, so that it is if the
    /// same function is called in the same way.
    pub(crate) fn is_same(&self, recorded: &Question, asked: &Question) -> bool {
        let name = |machine: &Machine, function: FunctionId| machine.function_name(function);
        recorded.kind == asked.kind
            && name(&self.recorded, recorded.function) == name(&self.running, asked.function)
    }

    /// What a call did, in the machine that runs; nothing if that has no such thing.
    pub(crate) fn deed<'b>(&self, deed: &Deed<'b>) -> Option<Deed<'b>> {
        Some(match *deed {
            Deed::Post(event, class, words) => Deed::Post(self.id(event)?, class, words),
            Deed::Raise(event, words) => Deed::Raise(self.id(event)?, words),
            Deed::Send(to, event, words, had_room) => {
                Deed::Send(to, self.id(event)?, words, had_room)
            }
            Deed::StartTimer(timer, ticks) => Deed::StartTimer(self.id(timer)?, ticks),
            Deed::StopTimer(timer) => Deed::StopTimer(self.id(timer)?),
            Deed::SetScratch(scratch, word, value) => {
                Deed::SetScratch(self.id(scratch)?, word, value)
            }
            Deed::ClearHistory(state) => Deed::ClearHistory(self.id(state)?),
            Deed::WriteKey(key, words) => Deed::WriteKey(self.id(key)?, words),
            Deed::Emit { .. } | Deed::Merge { .. } | Deed::Rng(_) => *deed,
        })
    }

    /// The number of the same name.
    fn id<I: SymbolId>(&self, id: I) -> Option<I> {
        let name = self.recorded.symbols().of(id)?;
        let mut there = self.running.symbols().names(I::KIND).enumerate();
        let mut places = there.by_ref().filter(|(_, other)| *other == name);
        // Two of one name are nobody's.
        let (place, more) = (places.next()?.0, places.next());
        more.is_none().then(|| I::from_index(place)).flatten()
    }
}
