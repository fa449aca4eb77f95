//! Which rows are counted, what runs under callgrind for them, and what came out.

use statewright_measure::Gated;
use statewright_measure::sections::{self, counted};

use super::contender::Contender;
use super::events::Ticks;
use super::machine::{AnyReal, Drive, Real, contenders};
use super::{ALL, DRIVE, PERCENTS};

/// Whose counts have a limit in CI, and what their rows say behind the rate.
const GATED: [(&str, &str); 2] = [("slices", ""), ("fused", " fused")];

/// Instructions per agent and tick of one row.
#[derive(Clone, Debug, PartialEq)]
pub struct Counted {
    /// Name of the machine.
    pub name: &'static str,
    /// Of a hundred agents so many get an event in a tick.
    pub percent: u32,
    /// Who was counted.
    pub contender: String,
    /// Instructions.
    pub count: f64,
}

/// What the program does under callgrind: every machine of this contender at every rate.
pub fn once(contender: &str) -> Result<(), String> {
    able(contender).try_for_each(|real| real.count(&DRIVE, contender))
}

/// The machines that a contender can run.
fn able(contender: &str) -> impl Iterator<Item = &'static dyn AnyReal> {
    let can = move |real: &&dyn AnyReal| real.contenders().contains(&contender.to_owned());
    ALL.iter()
        .copied()
        .filter(can)
        .collect::<Vec<_>>()
        .into_iter()
}

/// Brings a contender into the situation, then runs each rate from there, counted.
pub fn run<R: Real>(drive: &Drive, contender: &str) -> Result<(), String> {
    let machine = R::machine();
    let mut all = contenders::<R>(drive.agents)?;
    let found = all.iter_mut().find(|other| other.name() == contender);
    let Some(contender) = found else {
        return Err(format!("{} has no {contender}", R::NAME));
    };
    let warm_up = drive.warm_up_ticks::<R>(&machine);
    warm_up.iter().for_each(|inbox| contender.tick(inbox));
    contender.keep();
    for percent in PERCENTS {
        let ticks = Drive { percent, ..*drive }.measured_ticks::<R>(&machine);
        contender.go_back();
        run_counted(contender.as_mut(), &ticks);
    }
    Ok(())
}

fn run_counted<R: Real>(contender: &mut dyn Contender<R>, ticks: &Ticks) {
    if let Some((first, rest)) = ticks.split_first() {
        contender.tick(first);
        counted(&mut || rest.iter().for_each(|inbox| contender.tick(inbox)));
    }
}

/// Counts one contender in all machines that it can run.
pub fn count(contender: &str) -> Result<Vec<Counted>, String> {
    let arguments = ["real-once".to_owned(), format!("--contender={contender}")];
    let counts = sections::count(contender, arguments.to_vec())?;
    let rows = able(contender).flat_map(|real| PERCENTS.map(|percent| (real.name(), percent)));
    let rows: Vec<_> = rows.collect();
    if rows.len() != counts.len() {
        return Err(format!(
            "{contender}: {} counts for {} rows",
            counts.len(),
            rows.len()
        ));
    }
    let turns = DRIVE.turns();
    let counted = |((name, percent), count): (_, u64)| Counted {
        name,
        percent,
        contender: contender.to_owned(),
        count: count as f64 / turns,
    };
    Ok(rows.into_iter().zip(counts).map(counted).collect())
}

/// What has a limit in CI: real machines over slices by tables and by code.
pub fn gated() -> Result<Vec<Gated>, String> {
    let mut gated: Vec<Gated> = Vec::new();
    for (contender, words) in GATED {
        let rows = count(contender)?.into_iter();
        gated.extend(rows.map(|row| {
            let name = format!("{} {} %{words}", row.name, row.percent);
            (name, row.count)
        }));
    }
    Ok(gated)
}
