//! Where things lie in an instance: the narrow fields of records as typed ids.
//!
//! A record keeps a byte whose greatest value means "nothing"; readers get an option. So nobody
//! compares with that byte, and a timer slot is never taken for a slot.

use crate::ids::{LeafId, SlotId, TimerSlot};
use crate::layout::*;

impl StateRecord {
    /// Where the state stands among the leaves of an instance (RAM-4).
    #[inline]
    pub fn leaf_id(&self) -> Option<LeafId> {
        LeafId::new(self.leaf)
    }
}

impl StateExtra {
    /// Where its entry tick is kept.
    #[inline]
    pub fn clock_slot(&self) -> Option<TimerSlot> {
        TimerSlot::new(self.clock)
    }

    /// Where a transition waits that may not leave it yet (SEL-6).
    #[inline]
    pub fn latch(&self) -> Option<SlotId> {
        SlotId::new(self.latch_slot)
    }

    /// Where the result of its activity is kept, and the first of its two bits there.
    #[inline]
    pub fn result(&self) -> Option<(SlotId, u32)> {
        Some((
            SlotId::new(self.result_slot)?,
            u32::from(self.result_bit.min(14)),
        ))
    }

    /// The first slot of its scratch.
    #[inline]
    pub fn scratch(&self) -> Option<SlotId> {
        SlotId::new(self.scratch_slot)
    }
}

impl RegionRecord {
    /// Where its leaf stands among the leaves of an instance (RAM-4).
    #[inline]
    pub fn leaf_id(&self) -> Option<LeafId> {
        LeafId::new(self.leaf)
    }
}

impl StackRecord {
    /// The first slot of a frame, counted from the bottom.
    #[inline]
    pub fn frame_slot(&self, frame: u8) -> Option<SlotId> {
        let first = SlotId::new(self.first_slot)?;
        Some(first.offset(frame.saturating_mul(self.frame_slots)))
    }
}

impl TransitionExtra {
    /// The first of two slots with the tick at which its cooldown ends (SEL-6).
    #[inline]
    pub fn cooldown(&self) -> Option<SlotId> {
        SlotId::new(self.cooldown_slot)
    }

    /// The timer of its debounce (SEL-6).
    #[inline]
    pub fn debounce(&self) -> Option<TimerSlot> {
        TimerSlot::new(self.debounce_timer)
    }
}

impl HistoryRecord {
    /// The slots that remember, in order.
    #[inline]
    pub fn slots(&self) -> impl Iterator<Item = SlotId> + Clone + use<> {
        SlotId::run(self.slot, self.slot_count)
    }
}

impl TimerRecord {
    /// Its timer slots: several only for machine-level timers (EVT-9).
    #[inline]
    pub fn timer_slots(&self) -> impl Iterator<Item = TimerSlot> + Clone + use<> {
        TimerSlot::run(self.place, self.instances)
    }
}

impl ScratchRecord {
    /// Its slots, in order.
    #[inline]
    pub fn slots(&self) -> impl Iterator<Item = SlotId> + Clone + use<> {
        SlotId::run(self.slot, self.count)
    }
}
