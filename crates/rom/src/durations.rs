//! Durations that are asked rather than armed: ticks, or the value of a parameter (LANG-3).

use crate::ids::{ParameterId, VariantId};
use crate::layout::{DurationRecord, DurationWord, HowLong, ticks_of_seconds};
use crate::view::Rom;

impl<'a> Rom<'a> {
    /// The record that a word names; `None` if it is ticks or nothing.
    #[inline]
    pub fn computed_duration(&self, word: DurationWord) -> Option<&'a DurationRecord> {
        match word.read() {
            HowLong::Computed(id) => self.duration(id),
            HowLong::Nothing | HowLong::Ticks(_) => None,
        }
    }

    /// Ticks of a debounce or a min-active time for agents of a variant; 0 for none.
    #[inline]
    pub fn ticks_asked(&self, word: DurationWord, variant: VariantId) -> u32 {
        match word.known() {
            Some(ticks) => ticks,
            None => {
                let record = self.computed_duration(word);
                record.map_or(1, |record| self.parameter_ticks(record, variant))
            }
        }
    }

    /// Ticks of a duration that is a parameter.
    #[cold]
    pub fn parameter_ticks(&self, record: &DurationRecord, variant: VariantId) -> u32 {
        let value = ParameterId::read(record.index)
            .and_then(|parameter| self.parameter_value(variant, parameter).first());
        let seconds = value.map_or(0, |value| value.word.get());
        self.ticks_of(f32::from_bits(seconds))
    }

    /// Ticks of a time in seconds (LANG-3).
    pub fn ticks_of(&self, seconds: f32) -> u32 {
        ticks_of_seconds(seconds, self.header().tick_rate.get())
    }
}
