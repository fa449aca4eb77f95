//! Who is awake, and who wakes when (SYS-2).

use std::collections::BTreeMap;

use statewright_kernel::Sleep;

/// The wake set: a bit per agent, and an index of deadlines.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wake {
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

impl Wake {
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    pub(crate) fn wake(&mut self, place: usize) {
        let (word, bit) = (place / 64, 1_u64 << (place % 64));
        if self.bits.len() <= word {
            self.bits.resize(word + 1, 0);
        }
        self.count += usize::from(self.bits[word] & bit == 0);
        self.bits[word] |= bit;
    }

    pub(crate) fn put_to_sleep(&mut self, place: usize) {
        let (word, bit) = (place / 64, 1_u64 << (place % 64));
        if let Some(bits) = self.bits.get_mut(word) {
            self.count -= usize::from(*bits & bit != 0);
            *bits &= !bit;
        }
    }

    /// After a tick of an agent.
    pub(crate) fn settle(&mut self, place: usize, sleep: Sleep, now: u64) {
        match sleep {
            Sleep::Awake => self.wake(place),
            Sleep::Asleep => self.put_to_sleep(place),
            Sleep::Until(deadline) => {
                self.put_to_sleep(place);
                self.list(
                    place,
                    now.wrapping_add(deadline.wrapping_sub(now as u32).into()),
                );
            }
        }
    }

    fn list(&mut self, place: usize, tick: u64) {
        if self.listed.len() <= place {
            self.listed.resize(place + 1, 0);
        }
        let low = tick as u32;
        if self.listed[place] == low && low != 0 {
            return;
        }
        self.listed[place] = low;
        let spare = &mut self.spare;
        self.by_tick
            .entry(tick)
            .or_insert_with(|| spare.pop().unwrap_or_default())
            .push(place as u32);
    }

    /// Wakes everybody whose time has come; who is gone stays so.
    pub(crate) fn wake_due(&mut self, now: u64, is_alive: impl Fn(usize) -> bool) {
        while let Some(entry) = self
            .by_tick
            .first_entry()
            .filter(|entry| *entry.key() <= now)
        {
            let tick = *entry.key();
            let mut places = entry.remove();
            for place in places.drain(..) {
                if self.listed[place as usize] == tick as u32 {
                    self.listed[place as usize] = 0;
                }
                if is_alive(place as usize) {
                    self.wake(place as usize);
                }
            }
            self.spare.push(places);
        }
    }

    /// Everybody who is awake, in order.
    pub(crate) fn collect(&self, places: &mut Vec<u32>) {
        places.clear();
        if self.count == 0 {
            return;
        }
        for (word, &bits) in self.bits.iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                places.push(word as u32 * 64 + bits.trailing_zeros());
                bits &= bits - 1;
            }
        }
    }

    /// Nobody is awake; those who wait go on waiting.
    pub(crate) fn put_all_to_sleep(&mut self) {
        if self.count != 0 {
            self.bits.fill(0);
            self.count = 0;
        }
    }

    /// Nobody is awake and nobody waits.
    pub(crate) fn clear(&mut self) {
        *self = Self {
            spare: std::mem::take(&mut self.spare),
            ..Self::default()
        };
    }
}
