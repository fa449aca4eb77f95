//! Durations as `describe` must say them (LANG-3).

use statewright_author::duration::DurationSource;
use statewright_author::graph::Parameter;
use statewright_author::value::{Duration, Literal, ParameterType};

use super::moves::is_duration;
use super::tree::Tree;

/// The text of a duration that is no expression.
pub fn fixed_length(tree: &Tree<'_>, duration: &DurationSource) -> Option<String> {
    let ticks = |time: &Duration| time.ticks(tree.tick_rate()).unwrap_or(0);
    match duration {
        DurationSource::Literal(time) => Some(format!("{}t", ticks(time))),
        DurationSource::Range(low, high) => Some(format!("{}t..{}t", ticks(low), ticks(high))),
        DurationSource::Code(code) => is_duration(tree, code).then(|| code.clone()),
    }
}

/// A value of a parameter; of a duration its seconds.
pub fn parameter_value(tree: &Tree<'_>, parameter: &Parameter, value: &Literal) -> Literal {
    match value {
        Literal::Text(text) if parameter.ty.value == ParameterType::Duration => {
            seconds(text, tree.tick_rate())
        }
        value => value.clone(),
    }
}

/// The f32 nearest to a duration that lasts as long.
fn seconds(text: &str, rate: u32) -> Literal {
    let time = Duration::parse(text).expect("a duration");
    let wanted = time.ticks(rate).expect("a legal duration");
    let exact = match time {
        Duration::Nanos(nanos) => nanos as f64 / 1e9,
        Duration::Ticks(ticks) => ticks as f64 / f64::from(rate),
    };
    let lasts = |seconds: f32| (seconds * rate as f32).ceil().max(1.0) as u32;
    let nearest = (exact as f32).to_bits();
    let near = (0..=4).flat_map(|away| [nearest.saturating_sub(away), nearest + away]);
    let found = near.map(f32::from_bits).find(|&it| lasts(it) == wanted);
    // The shortest text of the f32, as descriptions have it.
    let shown = found.unwrap_or(exact as f32).to_string();
    Literal::Float(shown.parse().expect("a number"))
}
