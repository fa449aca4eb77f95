//! A ring of records: room for a fixed number, the oldest make place.

use crate::record::Record;

/// Records in the order in which they came. One per thread or part; never shared while it is
/// written.
#[derive(Clone, Debug, Default)]
pub struct Ring {
    /// A power of two, or none.
    records: Box<[Record]>,
    /// Records ever written and ever forgotten.
    written: usize,
    forgotten: usize,
    /// Records of this turn end here.
    end: usize,
    /// Records of this turn that had no room.
    lost: u32,
}

impl Ring {
    /// A ring with room for so many records, rounded up to a power of two.
    pub fn new(room: usize) -> Self {
        let records = vec![Record::default(); room.max(1).next_power_of_two()].into_boxed_slice();
        Self {
            records,
            end: usize::MAX,
            ..Self::default()
        }
    }

    /// Adds a record. Without room the oldest one goes; past the end of a turn the new one does.
    #[inline(always)]
    pub fn push(&mut self, record: Record) {
        if self.written >= self.end {
            self.lost = self.lost.saturating_add(1);
            return;
        }
        let mask = self.records.len().wrapping_sub(1);
        if let Some(place) = self.records.get_mut(self.written & mask) {
            *place = record;
            self.written = self.written.wrapping_add(1);
        }
    }

    /// Begins a turn of at most so many records, and makes room for all of them: the only moment at
    /// which a ring grows.
    #[inline(always)]
    pub fn begin_turn(&mut self, most: usize) {
        if !self.has_room(most) {
            self.grow(most);
        }
        self.open_turn(most);
    }

    /// Whether so many more records need no growth.
    #[inline(always)]
    pub(crate) fn has_room(&self, most: usize) -> bool {
        self.written - self.forgotten + most <= self.records.len()
    }

    /// Whether a turn of so many records has begun, and none is written.
    #[inline(always)]
    pub(crate) fn is_open_for(&self, most: usize) -> bool {
        self.end.wrapping_sub(self.written) == most
    }

    /// Begins a turn that has room.
    #[inline(always)]
    pub(crate) fn open_turn(&mut self, most: usize) {
        self.end = self.written + most;
    }

    /// Whether records had no room since [`Self::take_lost`].
    #[inline(always)]
    pub fn has_lost(&self) -> bool {
        self.lost != 0
    }

    /// How many records had no room since the last time this was asked.
    #[inline]
    pub fn take_lost(&mut self) -> u32 {
        std::mem::take(&mut self.lost)
    }

    /// Adds a record that has room in any turn: what ends it.
    pub fn push_last(&mut self, record: Record) {
        self.end = self.end.max(self.written + 1);
        if self.len() >= self.records.len() {
            self.grow(1);
        }
        self.push(record);
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn grow(&mut self, more: usize) {
        let len = self.len();
        let mut records = Vec::with_capacity((len + more + 1).next_power_of_two().max(64));
        records.extend(self.iter().copied());
        records.resize(records.capacity().next_power_of_two(), Record::default());
        (self.records, self.written, self.forgotten) = (records.into_boxed_slice(), len, 0);
    }

    /// The newest record.
    pub(crate) fn last_mut(&mut self) -> Option<&mut Record> {
        let at = self
            .written
            .checked_sub(1)
            .filter(|_| self.written > self.forgotten)?;
        self.records
            .get_mut(at & self.records.len().wrapping_sub(1))
    }

    /// How many records there are.
    #[inline]
    pub fn len(&self) -> usize {
        (self.written - self.forgotten).min(self.records.len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many records were overwritten by newer ones since [`Self::clear`].
    pub fn overwritten(&self) -> usize {
        (self.written - self.forgotten).saturating_sub(self.records.len())
    }

    /// All records, the oldest first: two runs.
    pub fn runs(&self) -> (&[Record], &[Record]) {
        let (len, mask) = (self.len(), self.records.len().wrapping_sub(1));
        let first = (self.written - len) & mask;
        let end = (first + len).min(self.records.len());
        let older = self.records.get(first..end).unwrap_or(&[]);
        (older, self.records.get(..len - older.len()).unwrap_or(&[]))
    }

    /// All records, the oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &Record> {
        let (older, newer) = self.runs();
        older.iter().chain(newer)
    }

    /// Forgets all records, keeps the memory.
    pub fn clear(&mut self) {
        (self.written, self.forgotten) = (0, 0);
        self.end = usize::MAX;
        self.lost = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zerocopy::byteorder::little_endian::U32;

    fn record(value: u32) -> Record {
        Record {
            value: U32::new(value),
            ..Record::default()
        }
    }

    fn values(ring: &Ring) -> Vec<u32> {
        ring.iter().map(|record| record.value.get()).collect()
    }

    #[test]
    fn the_oldest_make_place() {
        let mut ring = Ring::new(3);
        assert!(ring.is_empty());
        (0..11).for_each(|value| ring.push(record(value)));
        assert_eq!(
            (values(&ring), ring.len(), ring.overwritten()),
            (vec![7, 8, 9, 10], 4, 7)
        );
        ring.clear();
        assert_eq!((values(&ring), ring.overwritten()), (vec![], 0));
        ring.push(record(5));
        assert_eq!(values(&ring), [5]);
    }

    #[test]
    fn a_turn_has_room_for_all_that_it_may_write_and_no_more() {
        let mut ring = Ring::default();
        for turn in 0..40 {
            ring.begin_turn(3);
            (0..5).for_each(|value| ring.push(record(turn * 10 + value)));
            assert_eq!((ring.take_lost(), ring.take_lost()), (2, 0));
            ring.push_last(record(999));
        }
        assert_eq!(ring.overwritten(), 0);
        let expected: Vec<u32> = (0..40)
            .flat_map(|turn| [turn * 10, turn * 10 + 1, turn * 10 + 2, 999])
            .collect();
        assert_eq!(values(&ring), expected);
    }

    #[test]
    fn a_ring_without_room_takes_nothing() {
        let mut ring = Ring::default();
        ring.push(record(1));
        assert!(ring.is_empty());
    }
}
