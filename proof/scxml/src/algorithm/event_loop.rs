//! `interpret`, `mainEventLoop`, `exitInterpreter`.

use crate::happening::Happening;
use crate::interpreter::{Interpreter, MOST_MACROSTEPS, MOST_MICROSTEPS};

impl Interpreter<'_> {
    /// Variables were set up by `new`.
    pub(crate) fn interpret(&mut self) {
        self.running = true;
        let initial = self.document.states[0]
            .initial
            .expect("the reader gives every document an initial transition");
        let domains = self.domains(&[initial]);
        self.enter_states(&domains);
        self.main_event_loop();
    }

    /// Returns where the pseudo-code waits for an external event and there is none.
    pub(crate) fn main_event_loop(&mut self) {
        let mut macrosteps = 0;
        while self.running && !self.endless {
            self.complete_macrostep();
            if !self.running || self.endless {
                break;
            }
            let Some(external_event) = self.external_queue.pop_front() else {
                return;
            };
            macrosteps += 1;
            if macrosteps > MOST_MACROSTEPS {
                self.endless = true;
                return;
            }
            self.microsteps = 0;
            self.note_event(&external_event, false);
            let enabled_transitions = self.select_transitions(&external_event);
            if !enabled_transitions.is_empty() {
                self.bounded_microstep(&enabled_transitions);
            }
        }
        if !self.endless {
            self.exit_interpreter();
        }
    }

    /// The inner loop: eventless transitions and those triggered by internal events until the
    /// macrostep is complete.
    fn complete_macrostep(&mut self) {
        let mut macrostep_done = false;
        while self.running && !self.endless && !macrostep_done {
            let mut enabled_transitions = self.select_eventless_transitions();
            if enabled_transitions.is_empty() {
                match self.internal_queue.pop_front() {
                    None => macrostep_done = true,
                    Some(internal_event) => {
                        self.note_event(&internal_event, true);
                        enabled_transitions = self.select_transitions(&internal_event);
                    }
                }
            }
            if !enabled_transitions.is_empty() {
                self.bounded_microstep(&enabled_transitions);
            }
        }
    }

    /// A microstep, unless the macrostep has had its share.
    fn bounded_microstep(&mut self, enabled_transitions: &[usize]) {
        if self.microsteps == MOST_MICROSTEPS {
            self.endless = true;
            return;
        }
        self.microsteps += 1;
        self.peaks.microsteps = self.peaks.microsteps.max(self.microsteps);
        self.microstep(enabled_transitions);
    }

    fn exit_interpreter(&mut self) {
        self.last = self.configuration.clone();
        let states_to_exit: Vec<usize> = self.configuration.iter().rev().copied().collect();
        for s in states_to_exit {
            self.execute_onexit(s);
            self.configuration.remove(&s);
            self.note_exit(s);
        }
        self.pending.clear();
    }

    fn note_event(&mut self, name: &str, internal: bool) {
        self.log.push(Happening::Event {
            name: name.to_string(),
            internal,
        });
    }
}
