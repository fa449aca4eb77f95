//! Exact instruction counts of many rows in one run under callgrind.
//!
//! Counting a whole program twice and taking the difference would warm every machine up twice, which
//! is most of the work here. Instead callgrind counts only inside [`counted`] and tells after each
//! call of it what it counted: nothing else is in the sum.

use super::contender::Contender;
use super::machine::{Drive, Real, contenders};

/// Runs what callgrind counts. Its name stands in the arguments of callgrind.
#[inline(never)]
pub fn counted(run: &mut dyn FnMut()) {
    run();
}

/// Brings a contender into the situation, then runs each of these rates from there, counted.
pub fn run<R: Real>(drive: &Drive, contender: &str, percents: &[u32]) -> Result<(), String> {
    let machine = R::machine();
    let mut all = contenders::<R>(drive.agents)?;
    let found = all.iter_mut().find(|other| other.name() == contender);
    let Some(contender) = found else {
        return Err(format!("{} has no {contender}", R::NAME));
    };
    let warm_up = drive.warm_up_ticks::<R>(&machine);
    warm_up.iter().for_each(|inbox| contender.tick(inbox));
    contender.keep();
    for &percent in percents {
        let ticks = Drive { percent, ..*drive }.measured_ticks::<R>(&machine);
        contender.go_back();
        run_counted(contender.as_mut(), &ticks);
    }
    Ok(())
}

fn run_counted<R: Real>(contender: &mut dyn Contender<R>, ticks: &super::events::Ticks) {
    if let Some((first, rest)) = ticks.split_first() {
        contender.tick(first);
        counted(&mut || rest.iter().for_each(|inbox| contender.tick(inbox)));
    }
}
