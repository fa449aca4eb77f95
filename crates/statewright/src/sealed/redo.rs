//! Doing again what a call did: through the same doors, so that whatever follows from it follows again.

use std::fmt;

use statewright_bytes::Reader;

use super::read::{Deed, Malformed, read_text};
use super::{CallKind, Question, question};
use crate::commands::{Head, Sent, WhyLost};
use crate::cx::{ActionCx, GuardCx};

/// Something that a call did cannot be done again here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused(pub &'static str);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for Refused {}

impl From<Malformed> for Refused {
    fn from(_: Malformed) -> Self {
        Self("it is none")
    }
}

/// For whoever answers in the place of a game.
impl GuardCx<'_, '_, '_> {
    /// What is asked.
    pub fn question(&self, kind: CallKind) -> Question {
        kind.asks(self.function(), question(&self.view.call()))
    }

    /// Random numbers go on as after the draws that were made.
    pub fn redo_rng(&mut self, state: u32) {
        if let Some(mut rng) = self.rng() {
            rng.go_on_from(state);
        }
    }
}

/// For whoever acts in the place of a game.
impl ActionCx<'_, '_, '_> {
    /// What is asked.
    pub fn question(&self, kind: CallKind) -> Question {
        kind.asks(self.function(), question(&self.actor.call()))
    }

    /// Does again what a call did; a key is written by who has the blackboard.
    pub fn redo(&mut self, deed: &Deed<'_>) -> Result<(), Refused> {
        let rom = self.rom();
        match *deed {
            Deed::Post(event, class, words) => {
                known(event.index() < rom.events().len())?;
                self.actor.post(event, class, words);
            }
            Deed::Raise(event, words) => {
                known(event.index() < rom.events().len())?;
                self.actor.raise(event, words);
            }
            Deed::Send(to, event, words, had_room) => {
                known(event.index() < rom.events().len())?;
                let head = Head::send(self.agent(), self.actor.site(), event);
                let sent = Sent::new(to, words);
                self.rewrite(&head, zerocopy::IntoBytes::as_bytes(&sent), had_room)?;
            }
            Deed::Emit {
                lane,
                name,
                payload,
                had_room,
            } => {
                let head = self.head_of(lane, name, payload.len())?;
                self.rewrite(&head, payload, had_room)?;
            }
            Deed::Merge {
                lane,
                name,
                length,
                count,
                became,
            } => {
                let head = self.head_of(lane, name, length.into())?;
                self.remerge(&head, count, became)?;
            }
            Deed::StartTimer(timer, ticks) => {
                known(timer.index() < rom.timers().len())?;
                self.actor.start_timer(timer, ticks);
            }
            Deed::StopTimer(timer) => {
                known(timer.index() < rom.timers().len())?;
                self.actor.stop_timer(timer);
            }
            Deed::SetScratch(scratch, word, value) => {
                self.actor.set_scratch(scratch, word, value);
            }
            Deed::ClearHistory(state) => {
                known(state.index() < rom.states().len())?;
                self.actor.clear_history(state);
            }
            Deed::Rng(state) => self.actor.rng().go_on_from(state),
            Deed::WriteKey(..) => {}
        }
        // Who runs it again may be recorded, too.
        self.seal(|log| log.deed(deed));
        Ok(())
    }

    fn head_of(&self, lane: u8, name: u32, length: usize) -> Result<Head, Refused> {
        let wrong = Refused("a command is longer than any");
        let length = u16::try_from(length).ok().filter(|&length| length <= 512);
        let length = length.ok_or(wrong)?;
        Ok(Head::named(
            self.agent(),
            self.actor.site(),
            (lane, name, length),
        ))
    }

    /// A command that found room, or did not.
    fn rewrite(&mut self, head: &Head, payload: &[u8], had_room: bool) -> Result<(), Refused> {
        let critical = self.caller.out.is_critical(head.lane);
        if had_room {
            let written = self.caller.out.write(head, payload, critical);
            return match written {
                true => Ok(()),
                false => Err(Refused("a command finds no room that found some")),
            };
        }
        self.caller.out.lose(head, "", WhyLost::Budget);
        self.actor.command_dropped(critical);
        Ok(())
    }

    /// Earlier commands that took one in.
    fn remerge(&mut self, head: &Head, count: usize, became: &[u8]) -> Result<(), Refused> {
        let mut reader = Reader::new(became);
        for _ in 0..count {
            let wanted = reader.varint().map_err(Malformed::from)?;
            let bytes = read_text(&mut reader)?;
            let (mut place, mut done) = (0, false);
            self.caller.out.merge(head, |earlier| {
                if place == wanted && earlier.len() == bytes.len() {
                    earlier.copy_from_slice(bytes);
                    done = true;
                }
                place += 1;
                done
            });
            if !done {
                return Err(Refused("a command has no earlier one that takes it in"));
            }
        }
        Ok(())
    }
}

/// Is a number one that the machine has?
fn known(is_there: bool) -> Result<(), Refused> {
    match is_there {
        true => Ok(()),
        false => Err(Refused("it names something that the machine does not have")),
    }
}
