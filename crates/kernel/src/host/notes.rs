//! What a tracer is told later, because it is not at hand where it happens (SYS-3).
//!
//! Events are lost while user code runs, and expressions read keys and ask guard functions while the
//! host is only looked at. Each leaves a note in a short list, and the tick hands the list over as
//! soon as it holds the host again: after a guard, a score or a list of actions, before a search,
//! and at the end. The list is there only in ticks that are traced in more than outline. It lies in
//! the context, below everything that calls user code; so it is small, and the words that were read
//! lie where a guard or a score is evaluated.

use statewright_rom::ids::{EventId, ExpressionId, FunctionId, KeyId};

use crate::code::eval::evaluate;
use crate::context::{Context, Site};
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
    /// Its words are in [`Reads`].
    Gave(FunctionId),
    /// Its words are in [`Reads`].
    Read(KeyId),
}

// All of them lie on the stack while user code runs.
const _: () = assert!(size_of::<Option<Note>>() <= 6);

/// Notes in their order.
#[derive(Debug)]
pub(crate) struct Notes {
    list: [Option<Note>; MOST],
    len: u8,
    /// Those that had no room.
    more: u32,
}

impl Notes {
    #[cold]
    pub(crate) fn new() -> Self {
        Self {
            list: [None; MOST],
            len: 0,
            more: 0,
        }
    }

    /// Adds one; whether there was room.
    fn add(&mut self, note: Note) -> bool {
        let cell = self.list.get_mut(usize::from(self.len));
        let has_room = cell.is_some();
        match cell {
            Some(cell) => {
                *cell = Some(note);
                self.len = self.len.saturating_add(1);
            }
            None => self.more = self.more.saturating_add(1),
        }
        has_room
    }
}

/// The words that a guard or a score has read or been given: one for each [`Note::Read`] and
/// [`Note::Gave`], in the same order.
#[derive(Debug)]
pub(crate) struct Reads {
    words: [[u32; 3]; MOST],
    len: usize,
}

impl Reads {
    const EMPTY: Self = Self {
        words: [[0; 3]; MOST],
        len: 0,
    };

    fn add(&mut self, words: [u32; 3]) {
        if let Some(cell) = self.words.get_mut(self.len) {
            *cell = words;
            self.len = self.len.saturating_add(1);
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

    /// An expression read a key. Only what guards and scores read is of interest.
    pub(crate) fn note_read(&mut self, key: KeyId, words: [u32; 3], reads: Option<&mut Reads>) {
        self.note_words(Note::Read(key), words, reads);
    }

    /// An expression asked a value function. Only what guards and scores ask is of interest.
    pub(crate) fn note_gave(
        &mut self,
        function: FunctionId,
        words: [u32; 3],
        reads: Option<&mut Reads>,
    ) {
        self.note_words(Note::Gave(function), words, reads);
    }

    fn note_words(&mut self, note: Note, words: [u32; 3], reads: Option<&mut Reads>) {
        if let Some((notes, reads)) = self.notes.as_mut().zip(reads)
            && notes.add(note)
        {
            reads.add(words);
        }
    }
}

impl Tick<'_, '_> {
    /// Evaluates a guard or a score, and tells what it read and asked. Kept apart, so that others
    /// need no stack for the words.
    #[cold]
    #[inline(never)]
    pub(crate) fn evaluate_noting(&mut self, expression: ExpressionId, site: &Site) -> [u32; 3] {
        let mut reads = Reads::EMPTY;
        let result = evaluate(self.cx, self.host, expression, site, Some(&mut reads));
        self.tell_all_notes(&reads);
        result
    }

    /// Hands the notes over.
    #[inline]
    pub(crate) fn tell_notes(&mut self) {
        if self.cx.notes.is_some() {
            self.tell_all_notes(&Reads::EMPTY);
        }
    }

    #[cold]
    #[inline(never)]
    fn tell_all_notes(&mut self, reads: &Reads) {
        let Some(notes) = &mut self.cx.notes else {
            return;
        };
        let (list, len, more) = (notes.list, notes.len, notes.more);
        (notes.len, notes.more) = (0, 0);
        let mut words = reads.words.iter();
        let mut next = || words.next().copied().unwrap_or_default();
        for note in list.into_iter().take(usize::from(len)).flatten() {
            self.host.trace(&match note {
                Note::Lost(event, loss) => Trace::Lost(EventId::new(event), loss),
                Note::Asked(function, holds, code) => Trace::Asked {
                    function,
                    holds,
                    code,
                },
                Note::Gave(function) => Trace::Gave(function, next()),
                Note::Read(key) => Trace::Read(key, next()),
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
