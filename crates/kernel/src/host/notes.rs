//! What a tracer is told later, because it is not at hand where it happens (SYS-3).
//!
//! Events are lost while user code runs, and expressions read keys and ask guard functions while the
//! host is only looked at. Each leaves a note in a short list, and the tick hands the list over as
//! soon as it holds the host again: after a guard, a score or a list of actions, before a search,
//! and at the end. The list is there only in ticks that are traced in more than outline.

use statewright_rom::ids::{EventId, FunctionId, KeyId};

use crate::context::Context;
use crate::counters::Loss;
use crate::host::trace::Trace;
use crate::instance::event::Event;
use crate::instance::rng::draws_between;
use crate::tick::Tick;

/// Most notes between two chances to hand them over.
const MOST: usize = 12;

/// Something that a tracer is to be told.
#[derive(Clone, Copy, Debug)]
enum Note {
    Lost(u16, Loss),
    Asked(FunctionId, bool, u16),
    Gave(FunctionId, [u32; 3]),
    Read(KeyId, [u32; 3]),
}

/// Notes in their order.
#[derive(Debug)]
pub(crate) struct Notes {
    list: [Option<Note>; MOST],
    len: usize,
    /// Those that had no room.
    more: u32,
    /// A guard or a score is evaluated: what it reads is of interest.
    pub(crate) judging: bool,
}

impl Notes {
    #[cold]
    pub(crate) fn new() -> Self {
        Self {
            list: [None; MOST],
            len: 0,
            more: 0,
            judging: false,
        }
    }

    fn add(&mut self, note: Note) {
        match self.list.get_mut(self.len) {
            Some(cell) => {
                *cell = Some(note);
                self.len = self.len.saturating_add(1);
            }
            None => self.more = self.more.saturating_add(1),
        }
    }
}

impl Context<'_> {
    /// An event is lost, and counted.
    pub(crate) fn lose(&mut self, event: &Event, loss: Loss) {
        self.counters.lose(loss, event.class());
        if loss == Loss::Overflow {
            self.note_overflow();
        }
        if let Some(notes) = &mut self.notes {
            notes.add(Note::Lost(event.id.get(), loss));
        }
    }

    /// Notes are taken from now on. Apart from its caller, because ticks without a tracer never come
    /// here.
    #[cold]
    #[inline(never)]
    pub(crate) fn begin_notes(&mut self) {
        self.notes = Some(Notes::new());
    }

    /// An expression asked a guard function.
    pub(crate) fn note_asked(&mut self, function: FunctionId, holds: bool, code: u16) {
        if let Some(notes) = &mut self.notes {
            notes.add(Note::Asked(function, holds, code));
        }
    }

    /// An expression asked a value function.
    pub(crate) fn note_gave(&mut self, function: FunctionId, words: [u32; 3]) {
        if let Some(notes) = &mut self.notes {
            notes.add(Note::Gave(function, words));
        }
    }

    /// An expression read a key.
    pub(crate) fn note_read(&mut self, key: KeyId, words: [u32; 3]) {
        if let Some(notes) = &mut self.notes
            && notes.judging
        {
            notes.add(Note::Read(key, words));
        }
    }
}

impl Tick<'_, '_> {
    /// Begins or ends the evaluation of a guard or a score.
    pub(crate) fn set_judging(&mut self, judging: bool) {
        if let Some(notes) = &mut self.cx.notes {
            notes.judging = judging;
        }
    }

    /// Hands the notes over.
    #[inline]
    pub(crate) fn tell_notes(&mut self) {
        if self.cx.notes.is_some() {
            self.tell_all_notes();
        }
    }

    #[cold]
    #[inline(never)]
    fn tell_all_notes(&mut self) {
        let Some(notes) = &mut self.cx.notes else {
            return;
        };
        let (list, len, more) = (notes.list, notes.len, notes.more);
        (notes.len, notes.more) = (0, 0);
        for note in list.into_iter().take(len).flatten() {
            self.host.trace(&match note {
                Note::Lost(event, loss) => Trace::Lost(EventId::new(event), loss),
                Note::Asked(function, holds, code) => Trace::Asked {
                    function,
                    holds,
                    code,
                },
                Note::Gave(function, words) => Trace::Gave(function, words),
                Note::Read(key, words) => Trace::Read(key, words),
            });
        }
        if more > 0 {
            self.host.trace(&Trace::LostNotes(more));
        }
    }

    /// What the rng holds before a call of user code; only if somebody wants to know how often it
    /// is drawn.
    #[inline]
    pub(crate) fn rng_before(&self) -> Option<u32> {
        if self.cx.notes.is_some() {
            Some(self.cx.ram.header().rng.get())
        } else {
            None
        }
    }

    /// Tells that an action or activity has returned, and how often it has drawn.
    #[inline]
    pub(crate) fn tell_called(&mut self, function: FunctionId, before: Option<u32>) {
        if before.is_some() {
            self.host.trace(&Trace::Called(function));
            self.tell_draws(Some(function), before);
        }
    }

    /// Tells how often user code has drawn random numbers since (CODE-6).
    #[inline]
    pub(crate) fn tell_draws(&mut self, function: Option<FunctionId>, before: Option<u32>) {
        if let Some(before) = before
            && before != self.cx.ram.header().rng.get()
        {
            let draws = draws_between(before, self.cx.ram.header().rng.get());
            self.host.trace(&Trace::Drew(function, draws));
        }
    }
}
