//! Owns the reading of states and regions.

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;

use super::Reader;
use crate::graph::{HistoryPoint, Initial, PartUse, Region, Scratch, State, Timer};
use crate::span::{Name, Span, Spanned};
use crate::text::parse::span;
use crate::value::{Class, ScratchType};

impl Reader<'_> {
    /// The states of a map.
    fn states(&self, value: Option<&Value>) -> Vec<State> {
        let Some(map) = value.and_then(Value::as_object) else {
            return Vec::new();
        };
        let mut states = Vec::with_capacity(map.properties.len());
        for entry in self.entries(map) {
            let mut state = entry
                .object()
                .map_or_else(State::default, |object| self.state(object));
            state.name = self.key(&entry);
            state.span = entry.span();
            states.push(state);
        }
        states
    }

    /// A state of the nested shape, without its name.
    fn state(&self, object: &Object) -> State {
        State {
            id: self.id(object, "id"),
            doc: self.text(object, "doc"),
            is_final: self
                .boolean(object, "final")
                .filter(|is| is.value)
                .map(|is| is.span),
            choice: self
                .field(object, "choice")
                .map(|list| self.branches(Some(list))),
            timers: self.timers(object),
            meta: self.meta(object),
            ..self.behavior(object)
        }
    }

    /// The fields that the root has, too.
    pub(crate) fn behavior(&self, object: &Object) -> State {
        State {
            regions: self.regions(object),
            entry: self.actions(object, "entry"),
            exit: self.actions(object, "exit"),
            activity: self.code(object, "activity"),
            transitions: self.transitions(self.field(object, "transitions")),
            ..self.state_rest(object)
        }
    }

    /// The fields whose keys are the same in the nested and the flat shape.
    pub(crate) fn state_rest(&self, object: &Object) -> State {
        State {
            muted: self.flag(object, "muted"),
            history: self.history(object),
            history_reset_on_done: self.text(object, "history_reset").as_deref() == Some("on_done"),
            suspend: self.actions(object, "suspend"),
            resume: self.actions(object, "resume"),
            update: self.actions(object, "update"),
            decisions: self.decisions(self.field(object, "decisions")),
            uses: self.sets(object),
            part: self.part(object),
            any_state: self.any_transitions(self.field(object, "any_state")),
            defers: self.names(object, "defer"),
            owns: self.names(object, "owns"),
            scratch: self.scratch(object),
            exit_ready: self.code(object, "exit_ready"),
            min_active: self.asked_duration(object, "min_active"),
            clock: self.flag(object, "clock"),
            ..State::default()
        }
    }

    /// Transition sets: a list. A text is a part.
    fn sets(&self, object: &Object) -> Vec<crate::span::Name> {
        match self.field(object, "use") {
            Some(list @ Value::Array(_)) => self.names_of(list),
            _ => Vec::new(),
        }
    }

    fn part(&self, object: &Object) -> Option<Box<PartUse>> {
        let file = self.name(object, "use")?;
        let with = self.members(object, "with");
        let map = self.members(object, "map");
        Some(Box::new(PartUse {
            file,
            with: with
                .filter_map(|entry| Some((self.key(&entry), self.literal_of(entry.value())?)))
                .collect(),
            map: map
                .filter_map(|entry| Some((self.key(&entry), self.name_of(entry.value())?)))
                .collect(),
            joined: None,
        }))
    }

    /// The regions: those of `regions`, or the one that `states`, `initial` or `stack` speak of.
    fn regions(&self, object: &Object) -> Vec<Region> {
        if let Some(map) = self.field(object, "regions").and_then(Value::as_object) {
            return self.named_regions(map);
        }
        let given = ["states", "initial", "stack"]
            .iter()
            .find_map(|key| self.field(object, key));
        given
            .map(|value| self.region(object, span(value.range())))
            .into_iter()
            .collect()
    }

    fn named_regions(&self, map: &Object) -> Vec<Region> {
        let read = |entry: super::Entry| {
            let region = entry
                .object()
                .map(|object| self.region(object, entry.span()));
            let id = entry.object().and_then(|object| self.id(object, "id"));
            Region {
                name: Some(self.key(&entry)),
                id,
                span: entry.span(),
                ..region.unwrap_or_default()
            }
        };
        self.entries(map).map(read).collect()
    }

    fn region(&self, object: &Object, span: Span) -> Region {
        Region {
            name: None,
            id: None,
            span,
            initial: self.initial(object),
            stack_depth: self.count(object, "stack"),
            states: self.states(self.field(object, "states")),
        }
    }

    /// Where default entry goes.
    pub(crate) fn initial(&self, object: &Object) -> Option<Initial> {
        let value = self.field(object, "initial")?;
        let (targets, effect) = match value {
            Value::Object(full) => (self.names(full, "to"), self.actions(full, "do")),
            _ => (self.names_of(value), Vec::new()),
        };
        Some(Initial {
            targets,
            effect,
            span: span(value.range()),
        })
    }

    fn history(&self, object: &Object) -> Vec<HistoryPoint> {
        let Some(map) = self.field(object, "history").and_then(Value::as_object) else {
            return Vec::new();
        };
        let read = |entry: super::Entry| {
            let point = entry
                .object()
                .map_or_else(HistoryPoint::default, |object| self.history_point(object));
            HistoryPoint {
                name: self.key(&entry),
                span: entry.span(),
                ..point
            }
        };
        self.entries(map).map(read).collect()
    }

    fn history_point(&self, object: &Object) -> HistoryPoint {
        HistoryPoint {
            id: self.id(object, "id"),
            deep: self.flag(object, "deep"),
            default: self.names(object, "default"),
            effect: self.actions(object, "do"),
            restore_on_entry: self.text(object, "restore").as_deref() == Some("on_entry"),
            ..HistoryPoint::default()
        }
    }

    /// Timers: names only, or with fields.
    pub(crate) fn timers(&self, object: &Object) -> Vec<Timer> {
        match self.field(object, "timers") {
            Some(Value::Object(map)) => self.entries(map).map(|entry| self.timer(&entry)).collect(),
            Some(list) => self
                .names_of(list)
                .into_iter()
                .map(|name| Timer {
                    name,
                    ..Timer::default()
                })
                .collect(),
            None => Vec::new(),
        }
    }

    fn timer(&self, entry: &super::Entry) -> Timer {
        let name = self.key(entry);
        let Some(object) = entry.object() else {
            return Timer {
                name,
                ..Timer::default()
            };
        };
        Timer {
            name,
            id: self.id(object, "id"),
            doc: self.text(object, "doc"),
            instances: self.count(object, "instances"),
            class: self.word(object, "class", Class::parse),
            event: self.name(object, "event"),
        }
    }

    fn scratch(&self, object: &Object) -> Vec<Scratch> {
        let Some(map) = self.field(object, "scratch").and_then(Value::as_object) else {
            let names = self.names_anyhow(object, "scratch").into_iter();
            return names.map(unread_scratch).collect();
        };
        self.entries(map)
            .map(|entry| self.scratch_of(&entry))
            .collect()
    }

    fn scratch_of(&self, entry: &super::Entry) -> Scratch {
        let good = Some(entry.value()).filter(|value| self.good(value));
        let (id, slots, ty) = match entry.object() {
            Some(object) => (
                self.id(object, "id"),
                self.count(object, "slots"),
                self.word(object, "type", ScratchType::parse),
            ),
            None => (
                None,
                good.and_then(|value| self.count_of(value)),
                self.word_of(entry.value(), ScratchType::parse),
            ),
        };
        let name = self.key(entry);
        if good.is_none() {
            return unread_scratch(name);
        }
        let slots = slots.unwrap_or_else(|| Spanned::new(1, name.span));
        Scratch {
            name,
            id,
            slots,
            ty,
        }
    }
}

/// Scratch whose form has been reported: with a type, its uses are no mistakes.
fn unread_scratch(name: Name) -> Scratch {
    Scratch {
        id: None,
        slots: Spanned::new(1, name.span),
        ty: Some(Spanned::new(ScratchType::U16, name.span)),
        name,
    }
}
