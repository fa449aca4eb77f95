//! Running a list of steps one after the other: how many there are, which one runs, and at the end
//! what each took and what was left out.

use std::process::Command;
use std::time::{Duration, Instant};

use crate::ahead::Ahead;
use crate::needs::Need;
use crate::repository::root;

/// One piece of work with a name that people can choose it by.
pub struct Step {
    /// Shown, and matched by `--only`.
    pub name: &'static str,
    /// What it holds, in one line.
    pub about: &'static str,
    /// What must be installed for it, beyond the toolchain.
    pub needs: Option<Need>,
    pub(crate) work: Work,
    /// Whether it begins before the first step, where a core is idle.
    pub(crate) is_ahead: bool,
}

pub(crate) enum Work {
    Command(Box<Command>),
    Check(fn() -> Result<(), String>),
}

impl Step {
    /// A cargo command. Nothing of it is built again step by step, so nothing is kept for that: it
    /// would take as much disk as all the rest. And a crate in one unit takes a quarter less than cut
    /// in sixteen; cores have enough other crates to build.
    pub fn cargo(name: &'static str, arguments: &[&str]) -> Self {
        let mut command = cargo();
        command
            .args(arguments)
            .env("CARGO_INCREMENTAL", "0")
            .env("CARGO_PROFILE_DEV_CODEGEN_UNITS", "1");
        Self::new(name, Work::Command(Box::new(command)))
    }

    /// A check of this program itself.
    pub fn check(name: &'static str, check: fn() -> Result<(), String>) -> Self {
        Self::new(name, Work::Check(check))
    }

    fn new(name: &'static str, work: Work) -> Self {
        Self {
            name,
            about: "",
            needs: None,
            work,
            is_ahead: false,
        }
    }

    /// Says in one line what it holds.
    pub fn about(mut self, about: &'static str) -> Self {
        self.about = about;
        self
    }

    /// Says what must be installed for it.
    pub fn needs(mut self, need: Need) -> Self {
        self.needs = Some(need);
        self
    }

    /// It is begun before the first step, and takes what processor time the others leave: nobody waits for it
    /// before its turn.
    pub fn ahead(mut self) -> Self {
        self.is_ahead = true;
        self
    }

    /// Adds a variable to its environment.
    pub fn env(mut self, key: &str, value: &str) -> Self {
        if let Work::Command(command) = &mut self.work {
            command.env(key, value);
        }
        self
    }

    fn run(&mut self, begun: Option<Ahead>) -> Result<(), String> {
        let status = match (&mut self.work, begun) {
            (_, Some(begun)) => begun.wait(),
            (Work::Check(check), None) => return check(),
            (Work::Command(command), None) => command.status(),
        };
        match status {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!("{}: see above ({status})", self.name)),
            Err(error) => Err(format!("{}: cannot start: {error}", self.name)),
        }
    }
}

/// The cargo that runs this program, in the folder of the repository.
pub fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root());
    cargo
}

/// What became of a step that did not fail.
enum Outcome {
    Ok(Duration),
    LeftOut(String),
}

/// Runs the steps; stops at the first that fails. What is missing for a step is installed if asked
/// for, else the step is left out aloud.
pub fn run(steps: Vec<Step>, install: bool) -> Result<(), String> {
    let (count, start) = (steps.len(), Instant::now());
    let names: Vec<&str> = steps.iter().map(|step| step.name).collect();
    println!(
        "==> {count} step{}: {}",
        plural(count),
        quoted(&names).join(", ")
    );
    let mut begun: Vec<Option<Ahead>> = steps.iter().enumerate().map(Ahead::begin).collect();
    let mut outcomes = Vec::new();
    for (index, mut step) in steps.into_iter().enumerate() {
        let head = format!("==> [{}/{count}] {}", index + 1, step.name);
        println!("{head}: {}", step.about);
        let outcome = one(&mut step, begun[index].take(), install).map_err(|error| {
            format!(
                "{}\n{head} failed\n{error}\n    again: cargo xtask test --only '{}'",
                summary(&outcomes, start.elapsed()),
                step.name
            )
        })?;
        match &outcome {
            Outcome::Ok(time) => println!("{head}: ok ({})", words(*time)),
            Outcome::LeftOut(why) => println!("{head}: left out, {why}"),
        }
        outcomes.push((step.name, outcome));
    }
    println!("{}", summary(&outcomes, start.elapsed()));
    Ok(())
}

fn one(step: &mut Step, begun: Option<Ahead>, install: bool) -> Result<Outcome, String> {
    if let Some(need) = &step.needs
        && let Err(why) = need.have(install)
    {
        return Ok(Outcome::LeftOut(why));
    }
    let start = Instant::now();
    step.run(begun)?;
    Ok(Outcome::Ok(start.elapsed()))
}

fn summary(outcomes: &[(&'static str, Outcome)], all: Duration) -> String {
    let mut text = String::from("==> summary");
    let width = outcomes.iter().map(|(name, _)| name.len()).max();
    let width = width.unwrap_or_default().max("all".len());
    for (name, outcome) in outcomes {
        let told = match outcome {
            Outcome::Ok(time) => format!("{:>9}", words(*time)),
            Outcome::LeftOut(why) => format!("LEFT OUT: {why}"),
        };
        text.push_str(&format!("\n    {name:<width$}  {told}"));
    }
    text.push_str(&format!("\n    {:<width$}  {:>9}", "all", words(all)));
    text
}

/// A duration as people say it.
fn words(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 60.0 {
        format!("{seconds:.1} s")
    } else {
        let whole = seconds.round() as u64;
        format!("{} min {:02} s", whole / 60, whole % 60)
    }
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// Names with quotes where they have spaces, to be copied behind `--only`.
pub fn quoted(names: &[&str]) -> Vec<String> {
    let quote = |name: &&str| match name.contains(' ') {
        true => format!("'{name}'"),
        false => (*name).to_owned(),
    };
    names.iter().map(quote).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fails() -> Result<(), String> {
        Err("this is wrong".to_owned())
    }

    #[test]
    fn the_first_failure_ends_the_run_and_says_how_to_repeat_it() {
        let steps = vec![
            Step::check("first", || Ok(())),
            Step::check("second thing", fails),
            Step::check("third", || panic!("it must not run")),
        ];
        let error = run(steps, false).unwrap_err();
        assert!(error.contains("==> [2/3] second thing failed"), "{error}");
        assert!(error.contains("this is wrong"), "{error}");
        assert!(error.contains("--only 'second thing'"), "{error}");
        assert!(error.contains("first"), "{error}");
    }

    #[test]
    fn what_is_missing_is_left_out() {
        let step = Step::check("odd", fails).needs(Need::Program {
            probe: &["statewright-no-such-program"],
            install: &[],
            hint: "cannot be had",
        });
        assert_eq!(run(vec![step], true), Ok(()));
    }

    #[cfg(unix)]
    #[test]
    fn what_is_begun_ahead_is_judged_at_its_turn() {
        let program = |name: &'static str| {
            let command = Work::Command(Box::new(Command::new(name)));
            Step::new(name, command).ahead()
        };
        let first = || Step::check("first", || Ok(()));
        assert_eq!(run(vec![first(), program("true")], false), Ok(()));
        let error = run(vec![first(), program("false")], false).unwrap_err();
        assert!(error.contains("==> [2/2] false failed"), "{error}");
    }

    #[test]
    fn durations_are_short() {
        assert_eq!(words(Duration::from_millis(1234)), "1.2 s");
        assert_eq!(words(Duration::from_millis(119_600)), "2 min 00 s");
    }
}
