//! What became of an agent, and what it lost on the way.

/// What became of an agent (LOAD-3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It goes on where it was.
    Kept,
    /// It keeps a part of its configuration; the next tick completes it.
    Completed(Completed),
    /// It starts again on its next tick.
    Anew(Anew),
    /// It has not started yet and starts as it would have.
    Unstarted,
    /// It has ended and stays so.
    Ended,
    /// Its bytes were none of an agent of the old machine: it is quarantined.
    Quarantined,
}

/// Why a configuration is completed; the first that holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Completed {
    /// A state in which it was is gone, or is a choice now.
    StateGone,
    /// A state in which it is has a region that has no leaf.
    RegionAdded,
    /// A state in which it is ends something now.
    NowFinal,
    /// A timer begins whose duration only a tick can find.
    TimerWaits,
    /// It was to be completed before.
    Before,
}

/// Why an agent starts again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Anew {
    /// The new machine is another one.
    AnotherMachine,
    /// The host asked for it.
    Asked,
    /// The new file says `"reload": "reset"`.
    File,
    /// States in which it was cannot be active together any more.
    Inconsistent,
    /// The new machine could not have suspended what is suspended.
    Stack,
    /// What is suspended and what stands over it would have one place in the new machine.
    Places,
    /// It was to start again before.
    Before,
}

/// What an agent had that the new machine has no place for, by kind (LOAD-5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// Timers and debounces that ran.
    pub timers: u64,
    /// History points that remembered something.
    pub history: u64,
    /// Cooldowns that had begun.
    pub cooldowns: u64,
    /// Transitions that waited.
    pub latches: u64,
    /// Results of activities.
    pub results: u64,
    /// Scratch that held something.
    pub scratch: u64,
    /// Queued events.
    pub events: u64,
}

impl Lost {
    /// Both together.
    pub fn add(&mut self, other: &Self) {
        self.timers += other.timers;
        self.history += other.history;
        self.cooldowns += other.cooldowns;
        self.latches += other.latches;
        self.results += other.results;
        self.scratch += other.scratch;
        self.events += other.events;
    }

    /// Nothing was lost.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

/// What became of one agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mapped {
    /// On the whole.
    pub fate: Fate,
    /// What it lost.
    pub lost: Lost,
    /// Channels that it held and owns no longer, one bit each, by their numbers in the old machine
    /// (CODE-7): whoever gave them takes them back.
    pub released: u32,
    /// A timer runs that would begin with another duration now (LOAD-4).
    pub on_old_deadline: bool,
}
