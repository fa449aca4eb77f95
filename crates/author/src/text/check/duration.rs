//! Owns the check of durations and what to write for those that are wrong: a unit, a point, a tick.

use jsonc_parser::ast::StringLit;
use jsonc_parser::common::Ranged;

use super::Checker;
use crate::codes::DiagnosticCode;
use crate::diagnostic::{Diagnostic, Fix};
use crate::duration::DurationSource;
use crate::text::parse::string_span;
use crate::text::shape::Type;
use crate::value::{Duration, DurationError};

/// Units and what they count.
const UNITS: [(&str, &str); 3] = [("s", "seconds"), ("ms", "milliseconds"), ("t", "ticks")];

impl Checker<'_> {
    pub(super) fn duration(&mut self, text: &StringLit, ty: &'static Type) {
        let Err(problem) = read(&text.value, ty) else {
            return;
        };
        // With units it may still be wrong, such as a range where none may be: that is what to say.
        let mended = mended(&text.value, "s").and_then(|mended| read(&mended, ty).err());
        let problem = mended.unwrap_or(problem);
        self.bad.insert(text.start());
        let span = string_span(self.text, text);
        self.report(DiagnosticCode::BadDuration, span, |bare| {
            let bare = Diagnostic {
                message: problem.message().into(),
                ..bare
            };
            let (written, meant) = (text.value.trim(), meant(&text.value, ty));
            let label = match () {
                _ if written.contains(',') => "a comma, where a point is needed",
                _ if meant.is_some() => "the unit is missing",
                _ => problem.label(),
            };
            let labeled = bare.label(label);
            match meant {
                Some(meant) => meant.offered(labeled, ""),
                None => labeled.help(problem.help()),
            }
        });
    }
}

/// What to write for a number where a duration must be.
pub(super) fn for_number(problem: Diagnostic, number: &str, ty: &'static Type) -> Diagnostic {
    match meant(number, ty) {
        Some(meant) => meant.offered(problem, "\""),
        None => match read(&format!("{number}s"), ty) {
            Err(why) => problem.help(why.help()),
            Ok(_) => problem,
        },
    }
}

/// Is it a duration of any form?
pub(super) fn is_duration(ty: &Type) -> bool {
    matches!(ty, Type::Duration | Type::AnyDuration | Type::AskedDuration)
}

fn read(text: &str, ty: &Type) -> Result<DurationSource, DurationError> {
    match ty {
        Type::AnyDuration => DurationSource::parse(text),
        Type::AskedDuration => DurationSource::parse_asked(text),
        _ => Duration::parse(text).map(DurationSource::from),
    }
}

/// What a text that is no duration was probably meant as.
enum Meant {
    /// No time at all.
    Nothing,
    /// This.
    One(String),
    /// One of these, with what their units count.
    InUnits(Vec<(String, &'static str)>),
}

impl Meant {
    /// Says what to write and offers it; `quote` stands around it if none stand there yet.
    fn offered(self, problem: Diagnostic, quote: &str) -> Diagnostic {
        let (help, written) = match self {
            Self::Nothing => (
                "write at least \"1t\", one tick".to_owned(),
                vec!["1t".to_owned()],
            ),
            Self::One(written) => (format!("write \"{written}\""), vec![written]),
            Self::InUnits(all) => {
                let said: Vec<_> = all
                    .iter()
                    .map(|(written, unit)| format!("\"{written}\" for {unit}"))
                    .collect();
                let help = format!("write {}", one_of(&said));
                (help, all.into_iter().map(|(written, _)| written).collect())
            }
        };
        let span = problem.span;
        written
            .into_iter()
            .fold(problem.help(help), |problem, written| {
                problem.fix(Fix::replace(
                    format!("Write `\"{written}\"`"),
                    span,
                    format!("{quote}{written}{quote}"),
                ))
            })
    }
}

/// Mends commas and missing units; none if that makes nothing legal here.
fn meant(text: &str, ty: &Type) -> Option<Meant> {
    let is_legal = |(written, _): &(String, &str)| read(written, ty).is_ok();
    let mut all: Vec<_> = UNITS
        .iter()
        .filter_map(|(unit, counted)| Some((mended(text, unit)?, *counted)))
        .filter(is_legal)
        .collect();
    all.dedup_by(|(second, _), (first, _)| first == second);
    let is_nothing = |(written, _): &(String, &str)| is_zero(written);
    match all.len() {
        0 => None,
        _ if all.iter().all(is_nothing) => Some(Meant::Nothing),
        1 => all.pop().map(|(written, _)| Meant::One(written)),
        _ => Some(Meant::InUnits(all)),
    }
}

/// The text with points for commas and a unit for each end that has none: the one of the other end,
/// if that has one.
fn mended(text: &str, unit: &str) -> Option<String> {
    let text = text.trim().replace(',', ".");
    let ends: Vec<&str> = text.split("..").map(str::trim).collect();
    let unit = ends.iter().find_map(|end| unit_of(end)).unwrap_or(unit);
    let ends = ends.iter().map(|end| with_unit(end, unit));
    Some(ends.collect::<Option<Vec<_>>>()?.join(".."))
}

fn unit_of(end: &str) -> Option<&str> {
    Duration::parse(end).ok()?;
    let digits = |c: char| c.is_ascii_digit() || c == '.';
    Some(end.trim_start_matches(digits).trim())
}

/// None if it is no number.
fn with_unit(end: &str, unit: &str) -> Option<String> {
    if unit_of(end).is_some() {
        return Some(end.to_owned());
    }
    let number: f64 = end.parse().ok().filter(|number: &f64| number.is_finite())?;
    // Durations have no exponents, and a float prints without one.
    Some(match end.contains(['e', 'E']) {
        true => format!("{number}{unit}"),
        false => format!("{end}{unit}"),
    })
}

fn is_zero(written: &str) -> bool {
    matches!(
        Duration::parse(written),
        Ok(Duration::Nanos(0) | Duration::Ticks(0))
    )
}

/// `a, b or c`.
fn one_of(all: &[String]) -> String {
    match all {
        [rest @ .., last] if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => all.join(", "),
    }
}
