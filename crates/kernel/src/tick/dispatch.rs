//! Taking one event: select, tell observers, then commit, defer or drop (EVT-5, EVT-8).

use statewright_rom::ids::*;
use statewright_rom::layout::*;

use crate::batch::inbox::Inbox;
use crate::commit::line::Line;
use crate::context::Site;
use crate::counters::{Loss, count};
use crate::events::queue::{Next, known_event};
use crate::fault::Fault;
use crate::host::Cause;
use crate::host::trace::Trace;
use crate::instance::event::{Class, Event};
use crate::select::arbitrate::Step;
use crate::select::{Ask, Pick, Selection};
use crate::tick::Tick;

impl<'a> Tick<'_, 'a> {
    /// Takes one event; whether something was carried out.
    pub(super) fn run_event(
        &mut self,
        next: Next,
        inbox: Inbox<'_>,
        taken: &mut usize,
    ) -> Result<bool, Fault> {
        count(&mut self.cx.counters.events);
        match next {
            Next::Timer(timer, slot) => self.run_timer(timer, slot),
            Next::Queued(position) => {
                let event = self.cx.proved(self.cx.ram.queue().get(position).copied());
                let event = event.ok_or(Fault::Impossible)?;
                self.dispatch(&event, Some(position))
            }
            Next::Inbox => {
                let event = self.cx.proved(inbox.get(*taken).copied());
                let mut event = event.ok_or(Fault::Impossible)?;
                *taken = taken.saturating_add(1);
                event.stamp.set(self.cx.now);
                event.class = event.class.min(Class::Critical as u8);
                event.flags = 0;
                self.dispatch(&event, None)
            }
        }
    }

    /// A due timer (EVT-7). Observers do not see it and nobody defers it.
    #[inline(never)]
    fn run_timer(&mut self, timer: TimerId, slot: TimerSlot) -> Result<bool, Fault> {
        let record = self.cx.proved(self.cx.rom.timer(timer));
        let record = record.ok_or(Fault::Impossible)?;
        let goes_on = record.kind == TimerKind::Every;
        if goes_on {
            self.move_on(timer, record, slot);
        } else {
            self.cx.take_timer(timer, slot);
        }
        if self.tracing {
            self.mark_timers();
            self.host.trace(&Trace::Fired(timer));
            if goes_on {
                self.trace_moved_on(timer, slot);
            }
        }
        let event =
            EventId::read(record.column).filter(|&event| self.cx.rom.event(event).is_some());
        let cause = event.map_or(Cause::Timer(timer), |event| Cause::Event(event, [0; 4]));
        let Some(column) = self.cx.proved(Column::read(record.column)) else {
            return Ok(false);
        };
        let selection = self.select_event(&Ask {
            column,
            cause,
            timer: true,
            latched: false,
            halt: None,
        })?;
        if selection.is_empty() && !selection.handled {
            count(&mut self.cx.counters.unhandled);
        }
        self.commit_selection(&selection)
    }

    /// An event of queue or inbox: select, observe, then commit, defer or drop.
    fn dispatch(&mut self, event: &Event, queued_at: Option<usize>) -> Result<bool, Fault> {
        match self.select_for(event, queued_at)? {
            Some((selection, id)) => self.commit_observed(&selection, Some(id)),
            None => Ok(false),
        }
    }

    /// What an event leads to; `None` if it was deferred or does not exist. Kept apart: what it
    /// needs of the stack is free again when user code is called.
    #[inline(never)]
    fn select_for(
        &mut self,
        event: &Event,
        queued_at: Option<usize>,
    ) -> Result<Option<(Selection, EventId)>, Fault> {
        let Some(id) = known_event(self.cx, event) else {
            self.cx.lose(event, Loss::Unknown);
            return Ok(None);
        };
        let column = self.cx.proved(self.cx.rom.event_column(id));
        let column = column.ok_or(Fault::Impossible)?;
        let cause = Cause::Event(id, event.words());
        let selection = self.select_event(&Ask {
            column,
            cause,
            timer: false,
            latched: false,
            halt: None,
        })?;
        if selection.is_empty() && selection.deferred && !selection.handled {
            let kept = self.cx.defer(*event, queued_at);
            if self.tracing && kept {
                self.host.trace(&Trace::Deferred(id));
            }
            return Ok(None);
        }
        queued_at.map(|position| self.cx.remove_event(position));
        if selection.is_empty() && !selection.handled {
            count(&mut self.cx.counters.unhandled);
            if self.tracing {
                self.host.trace(&Trace::Unhandled(id));
            }
        }
        Ok(Some((selection, id)))
    }

    /// Carries out one transition that is known to be enabled.
    pub(crate) fn commit_found(&mut self, id: TransitionId, cause: Cause) -> Result<(), Fault> {
        let selection = Selection::of_one(self.cx, id, cause);
        self.commit_selection(&selection).map(|_| ())
    }

    pub(super) fn commit_selection(&mut self, selection: &Selection) -> Result<bool, Fault> {
        self.commit_observed(selection, None)
    }

    /// Decides who goes together, tells observers of an event, and carries it out; whether there
    /// was something.
    fn commit_observed(
        &mut self,
        selection: &Selection,
        event: Option<EventId>,
    ) -> Result<bool, Fault> {
        if let Some(line) = self.only_line(selection) {
            self.commit_alone(selection, &line, event)?;
        } else if let Some(pick) = selection.only() {
            self.commit_one(selection, pick, event)?;
        } else if selection.is_empty() {
            self.run_observers_of(selection, event);
        } else if !self.commit_apart(selection, event)? {
            self.commit_together(selection, event)?;
        }
        self.cx.check_fault()?;
        Ok(!selection.is_empty())
    }

    /// One transition that leaves one leaf.
    #[inline(never)]
    fn commit_alone(
        &mut self,
        selection: &Selection,
        line: &Line<'a>,
        event: Option<EventId>,
    ) -> Result<(), Fault> {
        if self.tracing {
            self.host.trace(&Trace::Taken(line.candidate.id));
        }
        self.run_observers_of(selection, event);
        self.commit_line(line)
    }

    #[inline(never)]
    fn commit_one(
        &mut self,
        selection: &Selection,
        pick: Pick,
        event: Option<EventId>,
    ) -> Result<(), Fault> {
        let one = self.accept_only(selection, pick)?;
        self.run_observers_of(selection, event);
        self.commit_only(&one, &selection.leaves)
    }

    /// Several transitions along their lines; whether they have some.
    #[inline(never)]
    fn commit_apart(
        &mut self,
        selection: &Selection,
        event: Option<EventId>,
    ) -> Result<bool, Fault> {
        let Some(lines) = self.lines_of(selection) else {
            return Ok(false);
        };
        if self.tracing {
            let picks = selection.iter();
            picks.for_each(|pick| self.host.trace(&Trace::Taken(pick.transition)));
        }
        self.run_observers_of(selection, event);
        self.commit_lines(&lines, selection.cause)?;
        Ok(true)
    }

    /// Several transitions that may meet. Kept apart so that others do not pay for its means.
    #[inline(never)]
    fn commit_together(
        &mut self,
        selection: &Selection,
        event: Option<EventId>,
    ) -> Result<(), Fault> {
        let mut step = Step::new(self.cx.rom, selection);
        self.arbitrate(&mut step, selection)?;
        self.run_observers_of(selection, event);
        self.commit(&step, &selection.leaves)
    }

    fn run_observers_of(&mut self, selection: &Selection, event: Option<EventId>) {
        if let Some(event) = event.filter(|_| self.cx.rom.has(feature::OBSERVERS)) {
            self.run_observers(event, selection.cause);
        }
    }

    /// EVT-8.
    #[inline(never)]
    fn run_observers(&mut self, event: EventId, cause: Cause) {
        let site = Site {
            state: StateId::ROOT,
            transition: None,
            cause,
        };
        self.cx.observing = true;
        for observer in self.cx.rom.observers() {
            if observer.event.get() == event.raw() || SpecialTrigger::Any.is(observer.event) {
                self.run_list(ListId::read(observer.actions), &site);
            }
        }
        self.cx.observing = false;
    }
}
