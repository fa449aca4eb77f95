//! Exact instruction counts: this program runs itself under callgrind, twice with different numbers
//! of ticks.
//!
//! Both runs prepare the same; so the difference is what the additional ticks cost, and nothing
//! else.

use std::hint::black_box;

use statewright_measure::callgrind::{instructions, without};
use statewright_measure::text::{aligned, short_number};

use crate::contenders::Kind;
use crate::measure::ready;
use crate::targets::instruction_target;
use crate::workload::Workload;

/// Instructions per agent and tick, of one workload.
#[derive(Clone, Debug)]
pub struct Counted {
    /// What happens.
    pub workload: Workload,
    /// How many agents.
    pub agents: usize,
    /// Counts by contender.
    pub counts: Vec<(Kind, f64)>,
}

/// What is counted.
pub const COUNTED: [Workload; 8] = [
    Workload::W1,
    Workload::W2,
    Workload::W3,
    Workload::W4,
    Workload::W6,
    Workload::W1Timer,
    Workload::W1Activity,
    Workload::W2Regions,
];
/// What has a limit in CI.
pub const GATED: [Workload; 7] = [
    Workload::W1,
    Workload::W2,
    Workload::W3,
    Workload::W4,
    Workload::W6,
    Workload::W1Activity,
    Workload::W2Regions,
];
/// What has a limit in CI as code, too.
pub const GATED_FUSED: [Workload; 6] = [
    Workload::W2,
    Workload::W3,
    Workload::W4,
    Workload::W6,
    Workload::W1Activity,
    Workload::W2Regions,
];
/// Who is counted.
pub const COUNTED_KINDS: [Kind; 8] = [
    Kind::Inbox,
    Kind::Queue,
    Kind::Typed,
    Kind::Fused,
    Kind::Traced,
    Kind::Hand64,
    Kind::HandCall,
    Kind::Statig,
];

/// W4 is about one agent.
fn agents(workload: Workload) -> usize {
    if workload == Workload::W4 { 1 } else { 1_000 }
}

/// Ticks of the short and of the long run; W6 has 16 different ticks.
fn ticks(workload: Workload) -> (usize, usize) {
    if workload == Workload::W4 {
        (1_000, 9_000)
    } else {
        (2, 16)
    }
}

/// What the program does under callgrind: everything once.
pub fn once(kind: Kind, workload: Workload, agents: usize, ticks: usize) -> Result<(), String> {
    if !kind.can(workload) {
        return Err(format!("{} cannot do {workload}", kind.name()));
    }
    let mut contender = ready(kind, workload, agents, &workload.warm_up(agents))?;
    contender.load(&workload.script(agents, 0));
    contender.run(ticks);
    black_box(contender.totals());
    Ok(())
}

/// Counts contenders in a workload.
pub fn count(
    workload: Workload,
    kinds: &[Kind],
    step: &mut dyn FnMut(),
) -> Result<Counted, String> {
    let agents = agents(workload);
    let (short, long) = ticks(workload);
    let able = kinds.iter().filter(|kind| kind.can(workload));
    let count = |&kind: &Kind| {
        let instructions = |ticks| callgrind(kind, workload, agents, ticks);
        let more = instructions(long)?.saturating_sub(instructions(short)?);
        step();
        Ok((kind, more as f64 / (agents * (long - short)) as f64))
    };
    Ok(Counted {
        workload,
        agents,
        counts: able.map(count).collect::<Result<_, String>>()?,
    })
}

/// Instructions of one whole run.
fn callgrind(kind: Kind, workload: Workload, agents: usize, ticks: usize) -> Result<u64, String> {
    use clap::ValueEnum;
    let name = |value: Option<clap::builder::PossibleValue>| {
        value.map_or(String::new(), |v| v.get_name().to_owned())
    };
    let mut arguments = vec![
        "once".to_owned(),
        format!("--contender={}", name(kind.to_possible_value())),
        format!("--workload={}", name(workload.to_possible_value())),
        format!("--agents={agents}"),
        format!("--ticks={ticks}"),
    ];
    arguments.extend(without());
    instructions(&format!("{} in {workload}", kind.name()), arguments)
}

/// The counts for people.
pub fn table(counted: &[Counted]) -> String {
    let mut lines = vec![vec!["workload".to_owned(), "agents".to_owned()]];
    lines[0].extend(
        COUNTED_KINDS
            .iter()
            .map(|kind| kind.name().to_owned())
            .chain(["at most".to_owned()]),
    );
    for Counted {
        workload,
        agents,
        counts,
    } in counted
    {
        let of = |kind: &Kind| {
            counts
                .iter()
                .find(|(found, _)| found == kind)
                .map(|(_, count)| *count)
        };
        let mut line = vec![workload.to_string(), agents.to_string()];
        line.extend(
            COUNTED_KINDS
                .iter()
                .map(|kind| of(kind).map_or("-".to_owned(), |count| format!("{count:.1}"))),
        );
        line.push(instruction_target(*workload).map_or(String::new(), short_target));
        lines.push(line);
    }
    aligned(&lines)
        + "\nInstructions per agent and tick (callgrind). `at most` is the target of the inbox.\n"
}

fn short_target(count: f64) -> String {
    short_number(count).trim_end_matches(".0").to_owned()
}
