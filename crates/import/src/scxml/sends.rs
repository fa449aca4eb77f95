//! Delayed sends become timers of the machine (EVT-9): they outlive the state that sent them, end
//! by `<cancel>` or by firing, and several may wait under one name.

use std::collections::{HashMap, HashSet};

use roxmltree::Node as Xml;
use statewright_author::graph::Timer;
use statewright_author::span::{Name, Spanned};
use statewright_author::value::{Duration, DurationError};

use super::chart::Chart;
use super::xml::attribute;

/// Timers of the largest tier (RAM-2).
pub(super) const MOST_TIMERS: usize = 8;
/// Most delayed events that wait under one name.
const MOST_INSTANCES: usize = 4;

/// Event and id of a delayed send.
type Sent = (String, Option<String>);

/// All delayed sends of a document.
#[derive(Debug, Default)]
pub(super) struct Sends {
    pub(super) timers: Vec<Timer>,
    names: HashMap<Sent, Name>,
    by_id: HashMap<String, Vec<Name>>,
    taken: HashSet<String>,
}

/// How long a `<send>` waits.
#[derive(Clone, Debug)]
pub(super) enum Delay {
    /// So long.
    Time(Spanned<Duration>),
    /// What an expression gives, times a unit: `patience + 's'`.
    Computed(Spanned<String>, Unit),
}

/// What the text behind a number says.
#[derive(Clone, Copy, Debug)]
pub(super) enum Unit {
    /// `s`
    Seconds,
    /// `ms`
    Milliseconds,
}

/// The delay of a `<send>`; `None` without one or with none to wait for.
pub(super) fn delay(xml: Xml<'_, '_>) -> Result<Option<Delay>, (Spanned<String>, DurationError)> {
    if let Some(text) = attribute(xml, "delayexpr") {
        return computed(text);
    }
    match attribute(xml, "delay") {
        Some(text) => time(text),
        None => Ok(None),
    }
}

/// A text, `'1.5s'`, or a number with a unit behind it, `patience + 's'`. A number alone has no
/// unit.
fn computed(text: Spanned<String>) -> Result<Option<Delay>, (Spanned<String>, DurationError)> {
    let inside = |part: &str| {
        let part = part.trim();
        let quoted = |quote: char| part.strip_prefix(quote)?.strip_suffix(quote);
        quoted('\'').or_else(|| quoted('"')).map(str::to_owned)
    };
    if let Some(literal) = inside(&text.value) {
        return time(Spanned::new(literal, text.span));
    }
    let parts = text.value.rsplit_once('+');
    let unit = parts.and_then(|(_, unit)| match inside(unit)?.trim() {
        "s" => Some(Unit::Seconds),
        "ms" => Some(Unit::Milliseconds),
        _ => None,
    });
    match parts.zip(unit) {
        Some(((number, _), unit)) => {
            let number = number.trim().to_owned();
            Ok(Some(Delay::Computed(Spanned::new(number, text.span), unit)))
        }
        None => Err((text, DurationError::Form)),
    }
}

fn time(text: Spanned<String>) -> Result<Option<Delay>, (Spanned<String>, DurationError)> {
    let number = text.value.trim();
    let whole = if number.starts_with('.') {
        format!("0{number}")
    } else {
        number.to_owned()
    };
    match Duration::parse(&whole) {
        Ok(Duration::Nanos(0)) => Ok(None),
        Ok(duration @ Duration::Nanos(_)) => {
            Ok(Some(Delay::Time(Spanned::new(duration, text.span))))
        }
        Ok(Duration::Ticks(_)) => Err((text, DurationError::Form)),
        Err(error) => Err((text, error)),
    }
}

impl Sends {
    /// Finds all delayed sends.
    pub(super) fn read(chart: &Chart<'_>) -> Self {
        let mut sends = Self::default();
        let Some(root) = chart.nodes.first() else {
            return sends;
        };
        let (mut found, mut known): (Vec<(Sent, Name)>, HashSet<Sent>) = Default::default();
        for xml in root
            .xml
            .descendants()
            .filter(|xml| xml.is_element() && xml.tag_name().name() == "send")
        {
            let Some(event) = attribute(xml, "event") else {
                continue;
            };
            if !matches!(delay(xml), Ok(Some(_))) {
                continue;
            }
            let sent = (event.value.clone(), attribute(xml, "id").map(|id| id.value));
            if known.insert(sent.clone()) {
                found.push((sent, event));
            }
        }
        let instances = (MOST_TIMERS / found.len().max(1)).clamp(1, MOST_INSTANCES) as u32;
        for ((event, id), first) in found {
            let name = sends.free_name(id.as_deref().unwrap_or(&event), &event);
            let name = Name::new(name, first.span);
            sends.timers.push(Timer {
                name: name.clone(),
                instances: (instances > 1).then(|| Spanned::new(instances, first.span)),
                event: Some(first),
                ..Timer::default()
            });
            if let Some(id) = &id {
                sends
                    .by_id
                    .entry(id.clone())
                    .or_default()
                    .push(name.clone());
            }
            sends.names.insert((event, id), name);
        }
        sends
    }

    /// A name for a timer that no other has.
    fn free_name(&mut self, wanted: &str, event: &str) -> String {
        let mut name = wanted.to_owned();
        if self.taken.contains(&name) {
            name = format!("{wanted} ({event})");
        }
        while self.taken.contains(&name) {
            name.push('\'');
        }
        self.taken.insert(name.clone());
        name
    }

    /// The timer of a delayed send.
    pub(super) fn timer(&self, event: &str, id: Option<&str>) -> Option<&Name> {
        self.names.get(&(event.to_owned(), id.map(str::to_owned)))
    }

    /// The timers of an id.
    pub(super) fn with_id(&self, id: &str) -> &[Name] {
        self.by_id.get(id).map_or(&[], Vec::as_slice)
    }
}
