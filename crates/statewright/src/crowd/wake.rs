//! Who is awake, and who wakes when (SYS-2).

use std::collections::BTreeMap;

use statewright_kernel::Sleep;

/// The wake set: a bit per agent, and an index of deadlines.
#[derive(Clone, Debug, Default)]
pub(super) struct WakeSet {
    /// One bit per agent.
    bits: Vec<u64>,
    /// Bits that are set.
    count: usize,
    /// Agents by the tick that wakes them. An entry may be of the past: waking somebody for
    /// nothing changes nothing.
    by_tick: BTreeMap<u64, Vec<u32>>,
    /// Low half of the tick that an agent is listed under; keeps lists short. 0 is none, or a tick
    /// that ends in 0: listing twice does no harm.
    listed: Vec<u32>,
    /// Lists to be used again.
    spare: Vec<Vec<u32>>,
}

impl WakeSet {
    pub(super) fn count(&self) -> usize {
        self.count
    }

    pub(super) fn wake(&mut self, index: usize) {
        let (word, bit) = (index / 64, 1_u64 << (index % 64));
        if self.bits.len() <= word {
            self.bits.resize(word + 1, 0);
        }
        self.count += usize::from(self.bits[word] & bit == 0);
        self.bits[word] |= bit;
    }

    pub(super) fn put_to_sleep(&mut self, index: usize) {
        let (word, bit) = (index / 64, 1_u64 << (index % 64));
        if let Some(bits) = self.bits.get_mut(word) {
            self.count -= usize::from(*bits & bit != 0);
            *bits &= !bit;
        }
    }

    /// After a tick of an agent.
    pub(super) fn settle(&mut self, index: usize, sleep: Sleep, now: u64) {
        match sleep {
            Sleep::Awake => self.wake(index),
            Sleep::Asleep => self.put_to_sleep(index),
            Sleep::Until(deadline) => {
                self.put_to_sleep(index);
                self.list(
                    index,
                    now.wrapping_add(deadline.wrapping_sub(now as u32).into()),
                );
            }
        }
    }

    fn list(&mut self, index: usize, tick: u64) {
        if self.listed.len() <= index {
            self.listed.resize(index + 1, 0);
        }
        let low = tick as u32;
        if self.listed[index] == low && low != 0 {
            return;
        }
        self.listed[index] = low;
        let spare = &mut self.spare;
        self.by_tick
            .entry(tick)
            .or_insert_with(|| spare.pop().unwrap_or_default())
            .push(index as u32);
    }

    /// Wakes everybody whose time has come; who is gone stays so.
    pub(super) fn wake_due(&mut self, now: u64, is_alive: impl Fn(usize) -> bool) {
        while let Some(entry) = self
            .by_tick
            .first_entry()
            .filter(|entry| *entry.key() <= now)
        {
            let tick = *entry.key();
            let mut indices = entry.remove();
            for index in indices.drain(..) {
                if self.listed[index as usize] == tick as u32 {
                    self.listed[index as usize] = 0;
                }
                if is_alive(index as usize) {
                    self.wake(index as usize);
                }
            }
            self.spare.push(indices);
        }
    }

    /// Everybody who is awake, in order.
    pub(super) fn collect(&self, indices: &mut Vec<u32>) {
        indices.clear();
        if self.count == 0 {
            return;
        }
        for (word, &bits) in self.bits.iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                indices.push(word as u32 * 64 + bits.trailing_zeros());
                bits &= bits - 1;
            }
        }
    }

    /// Nobody is awake; those who wait go on waiting.
    pub(super) fn put_all_to_sleep(&mut self) {
        if self.count != 0 {
            self.bits.fill(0);
            self.count = 0;
        }
    }

    /// Nobody is awake and nobody waits.
    pub(super) fn clear(&mut self) {
        *self = Self {
            spare: std::mem::take(&mut self.spare),
            ..Self::default()
        };
    }
}
