//! Owns transitions: what starts them, where they go, and what they leave.

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;
use statewright_author::duration::DurationSource;
use statewright_author::graph::{Transition, TransitionKind, Trigger};
use statewright_author::names::check_event;
use statewright_author::span::{Name, Span, Spanned};
use statewright_author::text::json;
use statewright_author::value::Duration;

use super::tree::{NodeKind, key_name};
use super::{Reader, fields};
use crate::limits::{MAX_MATCHES, MAX_TRANSITIONS};
use crate::report::{illegal, limit, refused, shown};

impl<'a> Reader<'a, '_> {
    /// A field of a state.
    pub(super) fn field(&self, index: usize, key: &str) -> Option<&'a Value<'a>> {
        self.tree.nodes[index]
            .object
            .get(key)
            .map(|property| &property.value)
    }

    /// Notes every event that a state waits for, in the order of the file, before transitions are
    /// made: wildcards need them.
    pub(super) fn collect_events(&mut self) {
        for index in 0..self.tree.nodes.len() {
            let Some(on) = self.field(index, "on") else {
                continue;
            };
            let Some(map) = on.as_object() else {
                self.out.push(fields::wrong_kind(
                    on,
                    "`on`",
                    "an object with transitions under each event",
                ));
                continue;
            };
            fields::check(map, "`on`", |_| true, self.out);
            for property in &map.properties {
                let key = key_name(self.text, property);
                if key.value != "*" && self.is_event(&key) {
                    self.events.add(&key);
                }
            }
        }
    }

    fn is_event(&mut self, key: &Name) -> bool {
        let before_end = key
            .value
            .char_indices()
            .next_back()
            .map_or("", |(end, _)| &key.value[..end]);
        let problem = if key.value.is_empty() {
            illegal(key.span, "an event needs a name")
                .help("transitions without an event stand in `always`")
        } else if key.value.starts_with("xstate.") || key.value.starts_with("done.") {
            refused(
                key.span,
                format!("`{}` is an event of XState itself", shown(&key.value)),
            )
            .label("not an event here")
            .help("use `onDone` for completion and `after` for delays")
        } else if before_end.contains('*') {
            illegal(key.span, "a wildcard stands alone or at the end").label("a `*` before the end")
        } else if let Err(reason) = check_event(&key.value) {
            refused(
                key.span,
                format!(
                    "`{}` cannot be the name of an event: {reason}",
                    shown(&key.value)
                ),
            )
        } else {
            return true;
        };
        self.out.push(problem);
        false
    }

    /// All transitions of a state, each list in the order of the file.
    pub(super) fn transitions(&mut self, index: usize) -> Vec<Transition> {
        let mut list = Vec::new();
        let node = &self.tree.nodes[index];
        for property in &node.object.properties {
            let span = json::span(property.name.range());
            match property.name.as_str() {
                "on" => self.on(index, &mut list),
                "after" => self.after(index, &property.value, &mut list),
                "always" => {
                    self.configured(index, &property.value, &Trigger::Always(span), &mut list)
                }
                "onDone" if index == 0 => self.out.push(
                    crate::report::ignored(
                        span,
                        "the machine ends when it is done: `onDone` of the machine is left out",
                    )
                    .label("never taken"),
                ),
                "onDone" => {
                    self.configured(index, &property.value, &Trigger::Done(span), &mut list)
                }
                _ => {}
            }
        }
        list
    }

    /// Transitions on events: exact names, then wildcards from the longest to `*`, as XState tries
    /// them.
    fn on(&mut self, index: usize, list: &mut Vec<Transition>) {
        let Some(map) = self.field(index, "on").and_then(Value::as_object) else {
            return;
        };
        let mut wildcards = Vec::new();
        for property in &map.properties {
            let key = key_name(self.text, property);
            if key.value == "*" || key.value.ends_with(".*") {
                wildcards.push((key, &property.value));
            } else if self.events.has(&key.value) {
                self.configured(index, &property.value, &Trigger::Event(key), list);
            }
        }
        wildcards.sort_by_key(|(key, _)| std::cmp::Reverse(key.value.len()));
        for (key, value) in wildcards {
            if key.value == "*" {
                self.configured(index, value, &Trigger::Any(key.span), list);
                continue;
            }
            self.matches += self.events.names().len();
            if self.matches > MAX_MATCHES {
                let message =
                    format!("wildcards and events are compared more than {MAX_MATCHES} times");
                self.out
                    .push(limit(key.span, message).label("too many of both"));
                return;
            }
            let matching: Vec<Name> = self
                .events
                .names()
                .iter()
                .filter(|event| matches(&key.value, &event.value))
                .cloned()
                .collect();
            for event in matching {
                if list.len() > MAX_TRANSITIONS {
                    let message = format!(
                        "wildcards make more than {MAX_TRANSITIONS} transitions of one state"
                    );
                    self.out
                        .push(limit(key.span, message).label("too many events match"));
                    return;
                }
                self.configured(
                    index,
                    value,
                    &Trigger::Event(Spanned::new(event.value, key.span)),
                    list,
                );
            }
        }
    }

    fn after(&mut self, index: usize, value: &Value, list: &mut Vec<Transition>) {
        let Some(map) = value.as_object() else {
            self.out.push(fields::wrong_kind(
                value,
                "`after`",
                "an object with transitions under each delay",
            ));
            return;
        };
        fields::check(map, "`after`", |_| true, self.out);
        for property in &map.properties {
            let key = key_name(self.text, property);
            let digits =
                !key.value.is_empty() && key.value.bytes().all(|byte| byte.is_ascii_digit());
            let nanos = key
                .value
                .parse::<u64>()
                .ok()
                .filter(|_| digits)
                .and_then(|ms| ms.checked_mul(1_000_000));
            let time = match nanos {
                Some(nanos) => Duration::Nanos(nanos).into(),
                None => match self.named_delay(&key) {
                    Some(name) => DurationSource::Code(name),
                    None => continue,
                },
            };
            let trigger = Trigger::After(Spanned::new(time, key.span));
            self.configured(index, &property.value, &trigger, list);
        }
    }

    /// What stands under a trigger: a target, an object, or a list of both.
    fn configured(
        &mut self,
        index: usize,
        value: &Value,
        trigger: &Trigger,
        list: &mut Vec<Transition>,
    ) {
        match value {
            Value::Array(several) => {
                several
                    .elements
                    .iter()
                    .for_each(|each| list.extend(self.transition(index, each, trigger)));
            }
            single => list.extend(self.transition(index, single, trigger)),
        }
    }

    fn transition(&mut self, index: usize, value: &Value, trigger: &Trigger) -> Option<Transition> {
        let span = json::span(value.range());
        let mut made = Transition {
            trigger: trigger.clone(),
            span,
            ..Transition::default()
        };
        match value {
            // The event is taken, and nothing happens.
            Value::NullKeyword(_) => return Some(made),
            Value::StringLit(_) => self.aim(index, value, None, &mut made)?,
            Value::Object(object) => self.filled(index, object, &mut made)?,
            other => {
                self.out.push(fields::wrong_kind(
                    other,
                    "a transition",
                    "a target, an object, or a list of them",
                ));
                return None;
            }
        }
        Some(made)
    }

    fn filled(&mut self, index: usize, object: &Object, made: &mut Transition) -> Option<()> {
        fields::check(
            object,
            "a transition",
            |key| fields::OF_TRANSITION.contains(&key),
            self.out,
        );
        let get = |key: &str| object.get(key).map(|property| &property.value);
        if let Some(guard) = get("guard") {
            made.guard = Some(self.guard(guard, index)?);
        }
        made.effect = self.actions(get("actions"));
        made.doc = get("description")
            .and_then(|text| self.name_of(text))
            .map(|text| text.value);
        made.meta = get("meta").map(json::to_json);
        let reenter = match get("reenter") {
            Some(Value::BooleanLit(truth)) => truth.value.then(|| json::span(truth.range)),
            Some(other) => {
                self.out
                    .push(fields::wrong_kind(other, "`reenter`", "`true` or `false`"));
                None
            }
            None => None,
        };
        match get("target") {
            Some(target) => self.aim(index, target, reenter, made),
            None => Some(()),
        }
    }

    /// Sets targets and kind; `None` if a target is not there.
    fn aim(
        &mut self,
        source: usize,
        value: &Value,
        reenter: Option<Span>,
        made: &mut Transition,
    ) -> Option<()> {
        let mut targets = Vec::new();
        let mut good = true;
        for name in self.target_names(value)? {
            match self.tree.resolve(source, &name) {
                Ok(state) => targets.push((state, name.span)),
                Err(problem) => {
                    self.out.push(*problem);
                    good = false;
                }
            }
        }
        if !good || targets.is_empty() {
            return good.then_some(());
        }
        let all_here = targets
            .iter()
            .all(|&(state, _)| state == source || self.tree.is_inside(state, source));
        if all_here && reenter.is_none() {
            self.stay(source, targets, made);
            return Some(());
        }
        if all_here && let Some(span) = reenter {
            self.leave(source, span, made);
        }
        self.check_regions(source, &targets);
        self.leave_regions_of_root(source, &mut targets);
        let targets = targets
            .into_iter()
            .flat_map(|(state, span)| self.not_root(state, span));
        made.targets = targets
            .map(|(state, span)| self.tree.reference(state, span))
            .collect();
        Some(())
    }

    /// One target or a list of targets.
    pub(super) fn target_names(&mut self, value: &Value) -> Option<Vec<Name>> {
        let names = match value {
            Value::Array(list) => list
                .elements
                .iter()
                .map(|item| self.name_of(item))
                .collect(),
            single => self.name_of(single).map(|name| vec![name]),
        };
        if names.is_none() {
            self.out.push(fields::wrong_kind(
                value,
                "a target",
                "text, or a list of texts",
            ));
        }
        names
    }

    /// A transition that stays inside its source: what is inside is left, the source is not.
    fn stay(&mut self, source: usize, targets: Vec<(usize, Span)>, made: &mut Transition) {
        let span = targets[0].1;
        let mut inside: Vec<_> = targets
            .into_iter()
            .filter(|&(state, _)| state != source)
            .collect();
        match self.tree.nodes[source].kind {
            NodeKind::Parallel => {
                self.enter_all_regions(source, &mut inside, span);
            }
            NodeKind::Compound if inside.is_empty() => {
                inside.extend(self.tree.initial_of(source).map(|initial| (initial, span)));
            }
            _ => {}
        }
        made.targets = inside
            .into_iter()
            .map(|(state, span)| self.tree.reference(state, span))
            .collect();
    }

    /// All regions begin again, also those without a target.
    fn enter_all_regions(&self, parallel: usize, targets: &mut Vec<(usize, Span)>, span: Span) {
        for region in self.tree.states_of(parallel) {
            let has =
                |&(state, _): &(usize, Span)| state == region || self.tree.is_inside(state, region);
            if !targets.iter().any(has) {
                targets.push((region, span));
            }
        }
    }

    /// A transition that leaves a region of the machine itself leaves all of them, as in every
    /// parallel state.
    fn leave_regions_of_root(&self, source: usize, targets: &mut Vec<(usize, Span)>) {
        let stays_in = |region: usize| {
            let inside = |state: usize| self.tree.is_inside(state, region);
            inside(source) && targets.iter().all(|&(state, _)| inside(state))
        };
        let is_parallel = self.tree.nodes[0].kind == NodeKind::Parallel;
        if is_parallel
            && !self.tree.states_of(0).into_iter().any(stays_in)
            && !targets.iter().any(|&(state, _)| state == 0)
        {
            let span = targets[0].1;
            self.enter_all_regions(0, targets, span);
        }
    }

    /// A transition into its source that leaves it. The machine itself is never left.
    fn leave(&mut self, source: usize, span: Span, made: &mut Transition) {
        if source != 0 {
            made.kind = Some(Spanned::new(TransitionKind::External, span));
        } else if self.field(0, "entry").is_some() || self.field(0, "exit").is_some() {
            let problem = refused(span, "the machine itself cannot be left and entered again")
                .label("reenters");
            self.out
                .push(problem.help("put its `entry` and `exit` into a state around all others"));
        }
    }

    /// The machine as a target means where it starts.
    fn not_root(&self, state: usize, span: Span) -> Vec<(usize, Span)> {
        match (state, self.tree.nodes[state].kind) {
            (0, NodeKind::Parallel) => self
                .tree
                .states_of(0)
                .into_iter()
                .map(|region| (region, span))
                .collect(),
            (0, _) => self
                .tree
                .initial_of(0)
                .map(|initial| (initial, span))
                .into_iter()
                .collect(),
            other => vec![(other.0, span)],
        }
    }

    /// A transition that leaves a region leaves all regions of its parallel state. XState keeps the
    /// parallel state itself active, which is not possible here: its own actions would run.
    fn check_regions(&mut self, source: usize, targets: &[(usize, Span)]) {
        let mut around = self.tree.nodes[source].parent;
        while let Some(outer) = around {
            if targets
                .iter()
                .all(|&(state, _)| self.tree.is_inside(state, outer))
            {
                break;
            }
            around = self.tree.nodes[outer].parent;
        }
        let Some(outer) =
            around.filter(|&outer| outer != 0 && self.tree.nodes[outer].kind == NodeKind::Parallel)
        else {
            return;
        };
        if ["entry", "exit", "after"]
            .iter()
            .any(|key| self.field(outer, key).is_some())
        {
            let name = &self.tree.nodes[outer].key.value;
            let message = format!(
                "a transition that leaves a region of `{name}` leaves and enters `{name}` itself here"
            );
            let problem = refused(targets[0].1, message).label("not inside the region");
            self.out.push(problem.help(format!(
                "remove `entry`, `exit` and `after` of `{name}`, or aim at it from outside"
            )));
        }
    }
}

/// Whether a wildcard such as `mouse.*` matches an event.
fn matches(wildcard: &str, event: &str) -> bool {
    let prefix = wildcard.trim_end_matches(".*");
    event == prefix
        || event
            .strip_prefix(prefix)
            .is_some_and(|rest| rest.starts_with('.'))
}
