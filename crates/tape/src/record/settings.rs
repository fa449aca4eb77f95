//! Settings of a crowd as tapes hold them.

use statewright::{Mismatch, TickSettings};
use statewright_bytes::{Reader, Writer};

use super::Wrong;

/// Settings that change what agents do. Sleeping and the size of chunks change nothing, so that
/// whoever replays has its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedSettings {
    /// [`TickSettings::mismatch`].
    pub mismatch: Mismatch,
    /// [`TickSettings::budget`].
    pub budget: Option<usize>,
    /// [`TickSettings::strict`].
    pub strict: Option<bool>,
    /// [`TickSettings::quarantine_overflow`].
    pub quarantine_overflow: bool,
    /// [`TickSettings::forgets_commands`].
    pub forgets_commands: bool,
}

impl RecordedSettings {
    /// Of settings.
    pub fn of(settings: &TickSettings) -> Self {
        Self {
            mismatch: settings.mismatch,
            budget: settings.budget,
            strict: settings.strict,
            quarantine_overflow: settings.quarantine_overflow,
            forgets_commands: settings.forgets_commands,
        }
    }

    /// In the place of those of others.
    pub fn over(self, settings: &TickSettings) -> TickSettings {
        TickSettings {
            mismatch: self.mismatch,
            budget: self.budget,
            strict: self.strict,
            quarantine_overflow: self.quarantine_overflow,
            forgets_commands: self.forgets_commands,
            ..*settings
        }
    }

    pub(crate) fn put(self, out: &mut Vec<u8>) {
        let mismatch = match self.mismatch {
            Mismatch::Quarantine => 0,
            Mismatch::Reset => 1,
        };
        let strict = match self.strict {
            None => 0,
            Some(false) => 1,
            Some(true) => 2,
        };
        let bits = mismatch
            | strict << 1
            | u8::from(self.quarantine_overflow) << 3
            | u8::from(self.forgets_commands) << 4;
        out.put_u8(bits);
        // A budget is at least 1.
        out.put_varint(self.budget.unwrap_or(0) as u64);
    }

    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self, Wrong> {
        let bits = reader.u8()?;
        let strict = match bits >> 1 & 3 {
            0 => None,
            1 => Some(false),
            2 => Some(true),
            _ => return Err(Wrong("settings")),
        };
        if bits >> 5 != 0 {
            return Err(Wrong("settings"));
        }
        let budget = usize::try_from(reader.varint()?).map_err(|_| Wrong("settings"))?;
        Ok(Self {
            mismatch: match bits & 1 {
                0 => Mismatch::Quarantine,
                _ => Mismatch::Reset,
            },
            budget: (budget != 0).then_some(budget),
            strict,
            quarantine_overflow: bits >> 3 & 1 == 1,
            forgets_commands: bits >> 4 & 1 == 1,
        })
    }
}
