//! Actions (CODE-3, CODE-4).

use statewright_author::graph::Payload;

use crate::actor::Actor;
use crate::expr::Value;
use crate::model::{Action, Code};
use crate::oracle::{Env, Oracle, Site};
use crate::world::Command;

/// The last of the built-in ones.
const MESSAGE_LANE: usize = 6;

impl Oracle {
    /// Runs a list of actions in order.
    pub(crate) fn run_actions(&mut self, env: &mut Env<'_>, actions: &[Action], site: &Site) {
        for action in actions {
            self.run_action(env, action, site);
        }
    }

    fn run_action(&mut self, env: &mut Env<'_>, action: &Action, site: &Site) {
        match action {
            Action::Call(target) => {
                let arguments = self.given(env, target, site);
                let call = self.call(env, &target.function, &arguments, site);
                env.world.action(
                    &call,
                    &mut Actor {
                        oracle: self,
                        tick: env.tick,
                    },
                );
            }
            Action::Set { key, value } => {
                let value = self.value(env, value, site);
                self.write_key(env, *key, value);
            }
            Action::Add { key, value } => {
                let added = self.value(env, value, site);
                let old = self.read_key(env, *key);
                self.write_key(env, *key, old.plus(added));
            }
            Action::SetScratch { scratch, value } => {
                let [low] = self.value(env, value, site).words()[..] else {
                    panic!("scratch holds one word");
                };
                self.write_scratch(*scratch, low as u16);
            }
            Action::AddScratch { scratch, value } => {
                let [low] = self.value(env, value, site).words()[..] else {
                    panic!("scratch holds one word");
                };
                let old = self.scratch[*scratch][0];
                self.write_scratch(*scratch, old.wrapping_add(low as u16));
            }
            Action::Raise { event, payload } => {
                let payload = self.payload(env, *event, payload, site);
                self.admit(env.tick, *event, None, payload, true, self.hides_posts());
            }
            Action::Send { event, payload, to } => {
                let words = self.payload(env, *event, payload, site);
                match to {
                    None => {
                        self.admit(env.tick, *event, None, words, false, self.hides_posts());
                    }
                    Some(to) => {
                        let to = self.value(env, to, site).entity();
                        let command = Command::Send {
                            to,
                            event: *event,
                            payload: words,
                            state: site.state,
                            transition: site.transition,
                        };
                        let critical = self.model.critical_lanes[MESSAGE_LANE];
                        self.emit(env, &command, critical);
                    }
                }
            }
            Action::Emit {
                name,
                lane,
                payload,
            } => {
                let value = payload
                    .as_ref()
                    .map(|payload| self.value(env, payload, site));
                let command = Command::Emit {
                    lane: *lane,
                    name: name.clone(),
                    ty: value.as_ref().map(Value::ty),
                    payload: value.map_or_else(Vec::new, |value| value.words()),
                    state: site.state,
                    transition: site.transition,
                };
                let critical = self.model.critical_lanes[*lane];
                self.emit(env, &command, critical);
            }
            Action::StartTimer { timer, after } => {
                let ticks = self.delay(env, after, site);
                self.start_timer(*timer, ticks, env.tick);
            }
            Action::StopTimer { timer } => self.stop_timer(*timer),
            Action::ClearHistory { state } => self.clear_history(*state),
            Action::If {
                condition,
                then,
                otherwise,
            } => {
                let holds = self.value(env, condition, site).truth();
                self.run_actions(env, if holds { then } else { otherwise }, site);
            }
        }
    }

    /// The low bits are kept, while the owner is active (LANG-8).
    fn write_scratch(&mut self, scratch: usize, value: u16) {
        let owner = self.model.scratch[scratch].owner;
        if self.active.contains(&owner) && !self.observing {
            self.scratch[scratch][0] = value;
        }
    }

    /// Gives a command to the host.
    pub(crate) fn emit(&mut self, env: &mut Env<'_>, command: &Command, critical: bool) {
        if !env.world.command(command) {
            self.note_dropped_command(critical);
        }
    }

    fn write_key(&mut self, env: &mut Env<'_>, key: usize, value: Value) {
        let words = value.widened(self.model.keys[key].ty).words();
        let mut three = [0; 3];
        three[..words.len()].copy_from_slice(&words);
        env.world.write_key(key, three);
    }

    /// The payload of an event that an action posts, as 16 bytes.
    fn payload(
        &mut self,
        env: &mut Env<'_>,
        event: usize,
        code: &Option<Code>,
        site: &Site,
    ) -> [u32; 4] {
        let mut four = [0; 4];
        if let Some(code) = code {
            let value = self.value(env, code, site);
            let value = match self.model.events[event].payload {
                Some(Payload::Value(ty)) => value.widened(ty),
                _ => value,
            };
            let words = value.words();
            four[..words.len()].copy_from_slice(&words);
        }
        four
    }
}
