//! `statewright save`: what is in a save, whether it is whole, and the same for another version of a
//! machine (SAVE-5).
//!
//! Names in a save come from whoever wrote it: the console makes them safe to show.

use std::ops::RangeInclusive;
use std::path::Path;

use serde_json::{Value, json};
use statewright::{
    Inspection, LoadError, Lost, Machine, Reload, ReloadReport, SavedCrowd, SavedSummary,
    SavedWorld,
};
use statewright_draw::visible;
use statewright_files::{Input, refuse_existing, refuse_own_source};
use statewright_save::{FORMAT, Save, Writer};
use statewright_simulate::report::number;

use super::run::machine_of;
use crate::args::{SaveCommand, SaveInspect, SaveMigrate, SaveVerify};
use crate::console::Console;
use crate::error::{CliError, Outcome};
use crate::load::{Most, load, read_format};
use crate::progress::Progress;

/// Most bytes of a save that these commands read: with all that is made of it they stay below
/// 256 MiB.
const MOST_BYTES: u64 = 40 << 20;

/// Most agents that are shown of a crowd.
const MOST_AGENTS: usize = 1000;

/// Who writes saves.
const WHERE_FROM: &str =
    "saves are written by `statewright run --save` and by `Writer` of `statewright-save`";

pub(crate) fn run(command: &SaveCommand, console: &Console) -> Result<Outcome, CliError> {
    match command {
        SaveCommand::Inspect(args) => inspect(args, console),
        SaveCommand::Verify(args) => verify(args, console),
        SaveCommand::Migrate(args) => migrate(args, console),
    }
}

/// The bytes of a save.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, CliError> {
    let most = Most {
        bytes: MOST_BYTES,
        help: "the game itself loads saves of any size",
    };
    read_format(path, &[FORMAT], most, WHERE_FROM)
}

/// Reads a save. Why it is refused has been said.
pub(crate) fn open<'b>(
    path: &Path,
    bytes: &'b [u8],
    console: &Console,
) -> Result<Save<'b>, Outcome> {
    Save::read(bytes).map_err(|refused| {
        let text = format!(
            "`{}` is not a save that can be read, {refused}",
            path.display()
        );
        console.error(&CliError::new(text).help(WHERE_FROM));
        Outcome::Problems
    })
}

/// Says that something in a save cannot be.
fn damaged(path: &Path, crowd: &str, error: &dyn std::error::Error, console: &Console) -> Outcome {
    let text = format!("`{}`, crowd `{crowd}`: {error}", path.display());
    console.error(&CliError::new(text));
    Outcome::Problems
}

fn inspect(args: &SaveInspect, console: &Console) -> Result<Outcome, CliError> {
    let bytes = read(&args.path)?;
    let save = match open(&args.path, &bytes, console) {
        Ok(save) => save,
        Err(outcome) => return Ok(outcome),
    };
    let progress = Progress::new(console, "reading", 1);
    let mut crowds = Vec::new();
    let wanted = save.crowds();
    for entry in wanted.filter(|entry| args.crowd.as_deref().is_none_or(|one| one == entry.name)) {
        let read = |crowd: &SavedCrowd<'_>| {
            let summary = crowd.summary()?;
            Ok::<_, LoadError>((summary, agents(crowd, &args.agents)?))
        };
        match read(&entry.crowd) {
            Ok((summary, agents)) => crowds.push((entry.name, &entry.crowd, summary, agents)),
            Err(error) => return Ok(damaged(&args.path, entry.name, &error, console)),
        }
    }
    drop(progress);
    check_found(args, &save, &crowds)?;
    if args.json {
        let crowds: Vec<Value> = crowds
            .iter()
            .map(|(name, crowd, summary, agents)| {
                let mut value = crowd_json(name, crowd, summary);
                value["shown_agents"] = agents.iter().map(agent_json).collect();
                value
            })
            .collect();
        console.json(&json!({
            "program": visible(save.program()),
            "library": visible(save.library()),
            "bytes": bytes.len(),
            "world": save.is_world(),
            "crowds": crowds,
        }));
        return Ok(Outcome::Fine);
    }
    let kind = if save.is_world() { "a world" } else { "crowds" };
    let mut text = format!(
        "{kind}, saved by {} (library {}), {} bytes\n",
        or_nameless(&visible(save.program())),
        visible(save.library()),
        number(bytes.len() as u64)
    );
    for (name, crowd, summary, agents) in &crowds {
        text += &crowd_text(name, crowd, summary);
        for agent in agents {
            for line in agent.to_string().lines() {
                text += &format!("  {}\n", visible(line));
            }
        }
    }
    console.result(text);
    Ok(Outcome::Fine)
}

/// Agents of a crowd that are wanted and there.
fn agents(
    crowd: &SavedCrowd<'_>,
    wanted: &[RangeInclusive<u32>],
) -> Result<Vec<Inspection>, LoadError> {
    let wanted = wanted.iter().cloned().flatten().take(MOST_AGENTS);
    let wanted: Vec<usize> = wanted.map(|index| index as usize).collect();
    match wanted.is_empty() {
        true => Ok(Vec::new()),
        false => crowd.inspect(&wanted),
    }
}

/// A crowd of a save, with the agents that are shown of it.
type Shown<'s> = (&'s str, &'s SavedCrowd<'s>, SavedSummary, Vec<Inspection>);

/// Refuses names and numbers that nobody has.
fn check_found(args: &SaveInspect, save: &Save<'_>, crowds: &[Shown<'_>]) -> Result<(), CliError> {
    let name = args.path.display();
    if let Some(wanted) = args.crowd.as_ref().filter(|_| crowds.is_empty()) {
        let known: Vec<String> = save.crowds().map(|one| format!("`{}`", one.name)).collect();
        let error = CliError::new(format!("`{name}` has no crowd `{wanted}`"));
        return Err(error.help(format!("it has {}", known.join(", "))));
    }
    let is_nobody = crowds.iter().all(|(.., agents)| agents.is_empty());
    if !args.agents.is_empty() && is_nobody {
        let error = CliError::new(format!("`{name}` has no agent of this number"));
        return Err(error.help("agents are numbered from 0 in the order in which they began"));
    }
    Ok(())
}

/// What an agent is, by name.
fn agent_json(agent: &Inspection) -> Value {
    let names = |list: &[String]| list.iter().map(|name| visible(name)).collect::<Vec<_>>();
    let board: serde_json::Map<String, Value> = agent
        .blackboard
        .iter()
        .map(|(key, value)| (visible(key), visible(&value.to_string()).into()))
        .collect();
    let timers = agent.timers.iter();
    let timers: Vec<Value> = timers
        .map(|one| json!({ "timer": visible(&one.timer), "owner": visible(&one.owner), "ticks_left": one.ticks_left }))
        .collect();
    let queue = agent.queue.iter();
    let queue: Vec<String> = queue.map(|event| visible(&event.to_string())).collect();
    json!({
        "agent": agent.agent.index(),
        "leaves": names(&agent.leaves),
        "suspended": names(&agent.suspended),
        "variant": visible(&agent.variant),
        "flags": agent.flags,
        "queue": queue,
        "timers": timers,
        "blackboard": board,
    })
}

fn or_nameless(program: &str) -> &str {
    if program.is_empty() {
        "a program without a name"
    } else {
        program
    }
}

fn crowd_text(name: &str, crowd: &SavedCrowd<'_>, summary: &SavedSummary) -> String {
    let [structure, parameters] = hashes(&crowd.machine);
    let mut text = format!(
        "{}: {} agents of {} before tick {}, {} events under way\n  structure {structure:016x}, parameters {parameters:016x}\n  blackboards: {}, {} bytes\n",
        visible(name),
        number(summary.agents as u64),
        visible(crowd.machine.name()),
        number(summary.now),
        number(summary.letters as u64),
        visible(&crowd.forms.words()),
        number(crowd.boards.len() as u64),
    );
    for (field, form) in crowd.forms.fields() {
        text += &format!("    {}: {}\n", visible(field), visible(&form));
    }
    if summary.damaged > 0 {
        text += &format!(
            "  {} agents are none that the machine could have made\n",
            number(summary.damaged as u64)
        );
    }
    text
}

fn crowd_json(name: &str, crowd: &SavedCrowd<'_>, summary: &SavedSummary) -> Value {
    let [structure, parameters] = hashes(&crowd.machine);
    let fields: Vec<Value> = crowd
        .forms
        .fields()
        .map(|(name, form)| json!({ "name": visible(name), "form": visible(&form) }))
        .collect();
    json!({
        "name": visible(name),
        "machine": visible(crowd.machine.name()),
        "structure_hash": format!("{structure:016x}"),
        "parameter_hash": format!("{parameters:016x}"),
        "agents": summary.agents,
        "damaged_agents": summary.damaged,
        "next_tick": summary.now,
        "events_under_way": summary.letters,
        "blackboards": { "form": visible(&crowd.forms.words()), "fields": fields, "bytes": crowd.boards.len() },
    })
}

fn hashes(machine: &Machine) -> [u64; 2] {
    let rom = machine.rom();
    [rom.structure_hash(), rom.parameter_hash()]
}

fn verify(args: &SaveVerify, console: &Console) -> Result<Outcome, CliError> {
    let bytes = read(&args.path)?;
    if args.json
        && let Err(refused) = Save::read(&bytes)
    {
        console.json(&json!({ "whole": false, "problems": [visible(&refused.to_string())] }));
        return Ok(Outcome::Problems);
    }
    let save = match open(&args.path, &bytes, console) {
        Ok(save) => save,
        Err(outcome) => return Ok(outcome),
    };
    let progress = Progress::new(console, "verifying", 1);
    let (mut agents, mut problems, mut unknown) = (0, Vec::new(), Vec::new());
    for entry in save.crowds() {
        match entry.crowd.summary() {
            Ok(summary) => {
                agents += summary.agents;
                if summary.damaged > 0 {
                    problems.push(format!(
                        "crowd `{}`: {} agents are none that the machine could have made",
                        entry.name,
                        number(summary.damaged as u64)
                    ));
                }
            }
            Err(error) => problems.push(format!("crowd `{}`: {error}", entry.name)),
        }
        match entry.crowd.check_boards() {
            Some(Ok(())) => {}
            Some(Err(error)) => problems.push(format!("crowd `{}`: {error}", entry.name)),
            None => unknown.push(entry.name),
        }
    }
    drop(progress);
    if args.json {
        let visible = |list: &[String]| list.iter().map(|text| visible(text)).collect::<Vec<_>>();
        let unknown: Vec<String> = unknown.iter().map(|name| (*name).to_owned()).collect();
        console.json(&json!({
            "whole": problems.is_empty(),
            "crowds": save.crowds().count(),
            "agents": agents,
            "problems": visible(&problems),
            "blackboards_of_their_own": visible(&unknown),
        }));
    } else {
        for problem in &problems {
            let text = format!("`{}`, {problem}", args.path.display());
            console.error(&CliError::new(text));
        }
        for name in &unknown {
            console.note(format_args!(
                "the blackboards of crowd `{name}` were written by hand: only the game can read them"
            ));
        }
        if problems.is_empty() && !console.is_quiet() {
            console.result(format!(
                "whole: {} crowds, {} agents\n",
                number(save.crowds().count() as u64),
                number(agents as u64)
            ));
        }
    }
    Ok(if problems.is_empty() {
        Outcome::Fine
    } else {
        Outcome::Problems
    })
}

fn migrate(args: &SaveMigrate, console: &Console) -> Result<Outcome, CliError> {
    let bytes = read(&args.path)?;
    let save = match open(&args.path, &bytes, console) {
        Ok(save) => save,
        Err(outcome) => return Ok(outcome),
    };
    let machine = match load(&Input::single(&args.machine), console) {
        Ok(loaded) => machine_of(loaded)?,
        Err(outcome) => return Ok(outcome),
    };
    if args.json && args.output == Path::new("-") {
        let error = CliError::new("standard output cannot hold both the save and the report");
        return Err(error.help("name a file with `-o`, or leave `--json` out"));
    }
    refuse_own_source(Some(&args.output), &Input::single(&args.machine))?;
    refuse_existing(&args.output, args.force)?;
    let chosen: Vec<&str> = chosen(args, &save, &machine)?;
    let progress = Progress::new(console, "migrating", 1);
    let (mut crowds, mut plans, mut reports) = (Vec::new(), Vec::new(), Vec::new());
    for entry in save.crowds() {
        if !chosen.contains(&entry.name) {
            crowds.push((entry.name.to_owned(), entry.crowd.clone()));
            plans.push(None);
            continue;
        }
        let plan = Reload::plan(&entry.crowd.machine, &machine);
        match entry.crowd.migrate(&plan) {
            Ok((crowd, report)) => {
                crowds.push((entry.name.to_owned(), crowd));
                reports.push((entry.name, report));
                plans.push(Some(plan));
            }
            Err(error) => return Ok(damaged(&args.path, entry.name, &error, console)),
        }
    }
    let migrated = put_together(&save, crowds, &plans)?;
    drop(progress);
    if args.output == Path::new("-") {
        console.result(migrated);
    } else {
        statewright_files::write(&args.output, &migrated)?;
    }
    tell(args, &reports, console);
    Ok(Outcome::Fine)
}

/// Which crowds become agents of the machine.
fn chosen<'s>(
    args: &SaveMigrate,
    save: &'s Save<'_>,
    machine: &Machine,
) -> Result<Vec<&'s str>, CliError> {
    let is_chosen = |name: &str, own: &Machine| match &args.crowd {
        Some(wanted) => name == wanted,
        None => !Reload::plan(own, machine).is_of_another_machine(),
    };
    let crowds = save.crowds();
    let chosen: Vec<&str> = crowds
        .filter(|entry| is_chosen(entry.name, &entry.crowd.machine))
        .map(|entry| entry.name)
        .collect();
    if !chosen.is_empty() {
        return Ok(chosen);
    }
    let known: Vec<String> = save
        .crowds()
        .map(|entry| format!("`{}` of {}", entry.name, entry.crowd.machine.name()))
        .collect();
    let text = match &args.crowd {
        Some(name) => format!("`{}` has no crowd `{name}`", args.path.display()),
        None => format!(
            "`{}` has no agents of an earlier version of {}",
            args.path.display(),
            machine.name()
        ),
    };
    Err(CliError::new(text).help(format!(
        "it has {}; `--crowd NAME` takes one of them anyway",
        known.join(", ")
    )))
}

/// The bytes of the new save.
fn put_together(
    save: &Save<'_>,
    crowds: Vec<(String, SavedCrowd<'_>)>,
    plans: &[Option<Reload>],
) -> Result<Vec<u8>, CliError> {
    let writer = Writer::new(save.program());
    let too_large = |error: statewright_save::TooLarge| CliError::new(error.to_string());
    let written = match save.world() {
        Some(world) => {
            let shared = world
                .reloaded_shared(plans)
                .map_err(|error| CliError::new(error.to_string()))?
                .into();
            writer.world(&SavedWorld { shared, crowds })
        }
        None => {
            let mut crowds = crowds.iter();
            crowds.try_fold(writer, |writer, (name, crowd)| writer.crowd(name, crowd))
        }
    };
    Ok(written.map_err(too_large)?.finish())
}

fn tell(args: &SaveMigrate, reports: &[(&str, ReloadReport)], console: &Console) {
    let to_stdout = args.output == Path::new("-");
    if args.json && !to_stdout {
        let crowds: Vec<Value> = reports
            .iter()
            .map(|(name, report)| {
                let mut value = report_json(report);
                value["crowd"] = visible(name).into();
                value
            })
            .collect();
        console.json(&json!({ "crowds": crowds }));
        return;
    }
    for (name, report) in reports {
        console.note(format_args!("{name}: {report}"));
    }
    if !to_stdout {
        console.note(format_args!("wrote {}", args.output.display()));
    }
}

/// What agents lost, by kind (LOAD-5).
fn lost_json(lost: &Lost) -> Value {
    json!({
        "timers": lost.timers,
        "history": lost.history,
        "cooldowns": lost.cooldowns,
        "latches": lost.latches,
        "results": lost.results,
        "scratch": lost.scratch,
        "events": lost.events,
    })
}

/// What became of agents.
pub(crate) fn report_json(report: &ReloadReport) -> Value {
    json!({
        "extent": format!("{:?}", report.extent).to_lowercase(),
        "kept": report.kept,
        "completed": report.completed_agents(),
        "anew": report.anew_agents(),
        "unstarted": report.unstarted,
        "ended": report.ended,
        "quarantined": report.quarantined.iter().map(|group| group.count).sum::<usize>(),
        "on_old_deadlines": report.on_old_deadlines,
        "lost": lost_json(&report.lost),
        "lost_keys": report.lost_keys.iter().map(|key| visible(key)).collect::<Vec<_>>(),
        "lost_letters": report.lost_letters,
        "lost_variants": report.lost_variants,
        "lost_parameters": report.lost_parameters,
    })
}
