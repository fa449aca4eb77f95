//! `executeContent`, and the queues that content fills.

use crate::document::Content;
use crate::happening::Happening;
use crate::interpreter::{Interpreter, MOST_PENDING, Pending};

impl Interpreter<'_> {
    pub(crate) fn execute_content(&mut self, block: &[Content]) {
        for content in block {
            match content {
                Content::Raise(event) => self.enqueue_internal(event.clone()),
                Content::Send {
                    event,
                    delay_ms,
                    id,
                } => self.execute_send(event, *delay_ms, id.as_deref()),
                Content::Cancel(id) => {
                    self.pending.retain(|one| one.id.as_deref() != Some(id));
                    self.log.push(Happening::Cancel(id.clone()));
                }
                Content::Log { label, expr } => {
                    let value = expr.as_ref().map(|expr| expr.evaluate(self));
                    self.log.push(Happening::Log {
                        label: label.clone(),
                        value,
                    });
                }
                Content::Assign { variable, expr } => {
                    let value = expr.evaluate(self);
                    let name = self.document.data[*variable].id.clone();
                    self.log.push(Happening::Assign {
                        name,
                        value: value.clone(),
                    });
                    self.datamodel[*variable] = value;
                }
                Content::Call(calls) => self.log.extend(calls.iter().cloned().map(Happening::Call)),
                Content::If(parts) => {
                    let holds = |cond: &Option<crate::expression::Expression>| {
                        cond.as_ref().is_none_or(|cond| cond.truth(self))
                    };
                    if let Some((_, inner)) = parts.iter().find(|(cond, _)| holds(cond)) {
                        self.execute_content(inner);
                    }
                }
            }
        }
    }

    fn execute_send(&mut self, event: &str, delay_ms: u64, id: Option<&str>) {
        self.log.push(Happening::Send {
            name: event.to_string(),
            delay_ms,
        });
        if delay_ms == 0 {
            self.enqueue_external(event.to_string());
            return;
        }
        let due_ms = self.now_ms.saturating_add(delay_ms);
        self.pending.push(Pending {
            due_ms,
            order: self.sends,
            event: event.to_string(),
            id: id.map(String::from),
        });
        self.sends += 1;
        let same = self.pending.iter().filter(|one| one.event == event).count();
        self.peaks.pending = self.peaks.pending.max(self.pending.len());
        self.peaks.pending_of_one_name = self.peaks.pending_of_one_name.max(same);
        self.endless |= self.pending.len() > MOST_PENDING;
    }

    pub(crate) fn enqueue_internal(&mut self, event: String) {
        self.log.push(Happening::Raise(event.clone()));
        self.internal_queue.push_back(event);
        self.note_queues();
    }

    pub(crate) fn enqueue_external(&mut self, event: String) {
        self.external_queue.push_back(event);
        self.note_queues();
    }

    fn note_queues(&mut self) {
        self.peaks.internal = self.peaks.internal.max(self.internal_queue.len());
        self.peaks.queued = self
            .peaks
            .queued
            .max(self.internal_queue.len() + self.external_queue.len());
    }
}
