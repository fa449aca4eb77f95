//! What machine files see of a blackboard, as words: for whoever has no blackboards of its type.

use statewright::ids::KeyId;
use statewright::{AgentId, Blackboard, Board, Context, Crowd, Machine, Program, Saved};
use statewright_bytes::{Head, seal};

use crate::file::{Checkpoint, Keys};

/// Bytes of a snapshot before its content: with a checksum over all of it.
pub(crate) const SNAPSHOT_HEAD: usize = size_of::<Head>();

/// Where the keys of a machine lie, in its own layout and in a blackboard.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// Words of one blackboard.
    words: usize,
    /// First word, number of words, field of the blackboard.
    keys: Vec<(usize, usize, usize)>,
}

impl Layout {
    /// In blackboards of a program.
    pub(crate) fn of<B: Board, C: Context + ?Sized>(program: &Program<B, C>) -> Self {
        let machine = program.machine();
        let rom = machine.rom();
        let keys = rom.keys().iter().enumerate().filter_map(|(place, record)| {
            let handle = machine.handle(KeyId::from_index(place)?)?;
            let (first, words) = (record.offset.get().into(), record.ty.get().words().into());
            Some((first, words, program.field(handle).ok()?))
        });
        Self {
            words: rom.blackboard_words(),
            keys: keys.collect(),
        }
    }

    /// Bytes of the keys of one blackboard.
    pub(crate) fn bytes(&self) -> usize {
        self.words * 4
    }

    /// Writes the keys of a blackboard behind what is there.
    pub(crate) fn put<B: Board>(&self, board: &B, out: &mut Vec<u8>) {
        let start = out.len();
        out.resize(start + self.bytes(), 0);
        for &(first, count, field) in &self.keys {
            let words = board.read(field);
            for (place, word) in (first..).zip(words).take(count) {
                let at = start + place * 4;
                if let Some(bytes) = out.get_mut(at..at + 4) {
                    bytes.copy_from_slice(&word.to_le_bytes());
                }
            }
        }
    }

    /// A blackboard gets its keys; `false` if these are not so many.
    pub(crate) fn fill<B: Board>(&self, board: &mut B, bytes: &[u8]) -> bool {
        if bytes.len() != self.bytes() {
            return false;
        }
        for &(first, count, field) in &self.keys {
            let mut words = [0; 3];
            for (word, place) in words.iter_mut().zip(first..).take(count) {
                if let Some(bytes) = bytes.get(place * 4..).and_then(<[u8]>::first_chunk) {
                    *word = u32::from_le_bytes(*bytes);
                }
            }
            board.write(field, words);
        }
        true
    }

    /// A blackboard with these keys, saved; nothing if these are not so many.
    pub(crate) fn board(&self, machine: &Machine, keys: &[u8]) -> Option<Vec<u8>> {
        let mut board = Blackboard::new(machine);
        let mut saved = Vec::new();
        self.fill(&mut board, keys)
            .then(|| board.save(&mut saved))
            .map(|()| saved)
    }

    /// The snapshot of a checkpoint, with plain blackboards in the place of those that it has.
    pub(crate) fn snapshot_of(
        &self,
        machine: &Machine,
        checkpoint: &Checkpoint,
    ) -> Option<Vec<u8>> {
        let keys = checkpoint.keys.as_ref()?;
        let mut snapshot = checkpoint.snapshot.get(..keys.boards_at)?.to_vec();
        if keys.words.len() != keys.slots.checked_mul(self.bytes())? {
            return None;
        }
        for place in 0..keys.slots {
            let start = place * self.bytes();
            let words = keys.words.get(start..start + self.bytes())?;
            snapshot.extend(self.board(machine, words)?);
        }
        if snapshot.len() < SNAPSHOT_HEAD {
            return None;
        }
        seal(&mut snapshot);
        Some(snapshot)
    }

    /// Keys of all blackboards of a crowd whose snapshot has this length; `saved` takes blackboards
    /// as snapshots hold them.
    pub(crate) fn of_crowd<B: Board + Saved, C: Context + ?Sized>(
        &self,
        crowd: &Crowd<B, C>,
        snapshot: usize,
        saved: &mut Vec<u8>,
    ) -> Keys {
        self.of_boards(crowd.slot_boards().iter(), (snapshot, saved))
    }

    /// The same of a part of a crowd, with these agents.
    pub(crate) fn of_part<B: Board + Saved, C: Context + ?Sized>(
        &self,
        crowd: &Crowd<B, C>,
        agents: impl Iterator<Item = AgentId>,
        at: (usize, &mut Vec<u8>),
    ) -> Keys {
        let boards = crowd.slot_boards();
        self.of_boards(
            agents.filter_map(|agent| boards.get(agent.index() as usize)),
            at,
        )
    }

    fn of_boards<'b, B: Board + Saved + 'b>(
        &self,
        boards: impl Iterator<Item = &'b B>,
        (snapshot, saved): (usize, &mut Vec<u8>),
    ) -> Keys {
        let mut keys = Keys {
            boards_at: snapshot,
            slots: 0,
            words: Vec::with_capacity(boards.size_hint().0 * self.bytes()),
        };
        for board in boards {
            saved.clear();
            board.save(saved);
            keys.slots += 1;
            keys.boards_at = keys.boards_at.saturating_sub(saved.len());
            self.put(board, &mut keys.words);
        }
        keys
    }
}
