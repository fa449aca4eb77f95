//! Runs a machine on kernel and oracle and finds the first difference.

use std::fmt::{Debug, Display};

use statewright_generator::Rng;
use statewright_kernel::fused::{OneEvent, Phase, take_alone};
use statewright_kernel::{
    Counters, Event, Host, Inbox, Input, Instance, Mismatch, Report, Sleep, pause, post, reset,
    resume, sleep, stop, with_tier,
};
use statewright_oracle::{Oracle, Snapshot};
use statewright_rom::Rom;
use statewright_rom::ids::*;

use crate::batch::{Among, tick_among};
use crate::bytes::Bytes;
use crate::depth::measured_tick;
use crate::kernel_side::{self, ByCode, FusedCode, KernelHost};
use crate::log::{Entry, Selection};
use crate::machine::CompiledCase;
use crate::neighbors::{Neighbors, Together};
use crate::oracle_side::{self, OracleWorld};
use crate::script::{Outside, Script, ScriptStep};
use crate::scripted_user_code::{ScriptedUserCode, Tools, UserCodeConfig};

const AGENT: u64 = 77;

/// What one run did: a run in which nothing happens proves nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Ticks run.
    pub ticks: u64,
    /// Calls, commands and writes compared.
    pub entries: u64,
    /// What the kernel counted.
    pub counters: Counters,
    /// Most bytes of stack that a tick used.
    pub deepest_stack: usize,
    /// Ticks that went by the machine as code.
    pub fused: ByCode,
    /// The same of agents that stand beside each other.
    pub neighbors: ByCode,
}

/// The first difference between the two.
#[derive(Clone, Debug)]
pub struct Difference {
    /// Ticks that went well before.
    pub after_ticks: u64,
    /// What happened, the last thing at the end; not more than [`SHOWN`] of it.
    pub script: Vec<ScriptStep>,
    /// What differs.
    pub what: String,
}

/// How much of the script a difference shows.
pub const SHOWN: usize = 8;

/// What a machine offers to user code.
pub(crate) fn tools(rom: &Rom<'_>) -> Tools {
    let timers = rom
        .timers()
        .iter()
        .enumerate()
        .filter(|(_, timer)| timer.kind.get().is_named());
    Tools {
        events: rom.events().len() as u32,
        timers: timers.map(|(number, _)| number).collect(),
        scratch: rom.scratch().iter().map(|scratch| scratch.count).collect(),
        remembering: rom
            .history()
            .iter()
            .map(|point| usize::from(point.owner.get()))
            .collect(),
        keys: rom.keys().iter().map(|key| key.ty.get()).collect(),
    }
}

/// Runs so many ticks of the script of a seed.
pub fn run(compiled: &CompiledCase, seed: u64, ticks: u64) -> Result<Tally, Box<Difference>> {
    run_with(compiled, seed, ticks, None)
}

/// The same with the machine as code: the fast side goes by it in every other tick or so.
pub fn run_fused(
    compiled: &CompiledCase,
    seed: u64,
    ticks: u64,
    code: FusedCode,
) -> Result<Tally, Box<Difference>> {
    run_with(compiled, seed, ticks, Some(code))
}

fn run_with(
    compiled: &CompiledCase,
    seed: u64,
    ticks: u64,
    code: Option<FusedCode>,
) -> Result<Tally, Box<Difference>> {
    let rom = compiled.output.rom.as_rom();
    let mut script = Script::new(seed, rom.events().len() as u32);
    let mut user_code = ScriptedUserCode::new(
        seed,
        UserCodeConfig::of_seed(seed),
        tools(&rom),
        compiled.blackboard(),
    );
    user_code.plain = compiled.functions_of(code.map_or(0, |code| code.plain));
    let script = (0..ticks).flat_map(|_| script.next_tick());
    run_script_with(compiled, seed, user_code, script, code)
}

/// Runs any script.
pub fn run_script(
    compiled: &CompiledCase,
    seed: u64,
    user_code: ScriptedUserCode,
    script: impl Iterator<Item = ScriptStep>,
) -> Result<Tally, Box<Difference>> {
    run_script_with(compiled, seed, user_code, script, None)
}

fn run_script_with(
    compiled: &CompiledCase,
    seed: u64,
    user_code: ScriptedUserCode,
    script: impl Iterator<Item = ScriptStep>,
    code: Option<FusedCode>,
) -> Result<Tally, Box<Difference>> {
    let all = std::panic::AssertUnwindSafe(
        || with_tier!(compiled.output.rom.as_rom(), I => run_tier::<I>(compiled, seed, user_code, script, code)),
    );
    std::panic::catch_unwind(all).unwrap_or_else(|panic| {
        let what = panic_text(panic.as_ref());
        Err(Box::new(Difference {
            after_ticks: 0,
            script: Vec::new(),
            what,
        }))
    })
}

fn run_tier<I: Instance>(
    compiled: &CompiledCase,
    seed: u64,
    user_code: ScriptedUserCode,
    script: impl Iterator<Item = ScriptStep>,
    code: Option<FusedCode>,
) -> Result<Tally, Box<Difference>> {
    let rom = compiled.output.rom.as_rom();
    let mut comparison = Comparison::<I>::new(compiled, &rom, seed, user_code);
    comparison.code = code.map(|code| (code, Rng::new(seed)));
    let mut last: Vec<ScriptStep> = Vec::new();
    for step in script {
        if last.len() == SHOWN {
            last.remove(0);
        }
        last.push(step.clone());
        let done =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| comparison.step(&step)));
        let problem = match done {
            Ok(Ok(())) => {
                if matches!(step, ScriptStep::Tick(..)) {
                    comparison.end_of_tick();
                }
                continue;
            }
            Ok(Err(what)) => what,
            Err(panic) => panic_text(panic.as_ref()),
        };
        return Err(Box::new(Difference {
            after_ticks: comparison.tally.ticks,
            script: last,
            what: problem,
        }));
    }
    comparison.tally.counters = comparison.traced.counters;
    comparison.tally.fused = comparison.fast.host.by_code();
    comparison.tally.neighbors = comparison.neighbors.by_code;
    comparison.tally.deepest_stack = comparison
        .traced
        .host
        .depth
        .deepest()
        .max(comparison.fast.host.depth.deepest());
    Ok(comparison.tally)
}

pub(crate) fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied());
    format!("panic: {}", text.unwrap_or("?"))
}

/// One instance in the hands of the kernel.
pub(crate) struct Side<'s, I> {
    pub(crate) instance: I,
    host: KernelHost<'s>,
    pub(crate) counters: Counters,
}

impl<I: Instance> Side<'_, I> {
    /// Runs a tick.
    fn tick(&mut self, rom: &Rom<'_>, input: &Input<'_>, manner: Manner) -> Report {
        if manner == Manner::OnBytes
            && let Some(report) = self.tick_on_bytes(rom, input)
        {
            return report;
        }
        let Self {
            instance,
            host,
            counters,
        } = self;
        match manner {
            Manner::Among(among) => tick_among(rom, instance, host, input, counters, among),
            Manner::ByItself | Manner::OnBytes => {
                measured_tick(rom, instance, host, input, counters)
            }
        }
    }

    /// The only event of an agent at rest, by code on nothing but its bytes; `None` if nothing is done.
    fn tick_on_bytes(&mut self, rom: &Rom<'_>, input: &Input<'_>) -> Option<Report> {
        let event = input.inbox.get(0).filter(|_| input.inbox.len() == 1)?;
        let Self {
            instance,
            host,
            counters,
        } = self;
        let one = OneEvent {
            tick: input.tick,
            variant: &input.variant,
            event,
        };
        let taken = take_alone(rom, instance, one, counters, |bare| {
            host.bare(bare, Phase::Event(event)).taking()
        });
        host.by_code.alone += u64::from(taken);
        taken.then(|| Report {
            inbox_taken: 1,
            ..Report::default()
        })
    }
}

/// How a tick is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manner {
    ByItself,
    /// By itself, on nothing but bytes if code can.
    OnBytes,
    /// As one of a batch.
    Among(Among),
}

impl Manner {
    fn any(rng: &mut Rng) -> Self {
        match rng.chance(50) {
            true => Self::Among(Among {
                before: rng.below(3) as usize,
                behind: 1,
                sparse: rng.chance(30),
            }),
            false if rng.chance(50) => Self::OnBytes,
            false => Self::ByItself,
        }
    }
}

pub(crate) struct Comparison<'s, I> {
    rom: &'s Rom<'s>,
    /// Traced, so that it takes the slow path.
    pub(crate) traced: Side<'s, I>,
    /// Not traced: the fast paths.
    pub(crate) fast: Side<'s, I>,
    pub(crate) oracle: Oracle,
    world: OracleWorld<'s>,
    pub(crate) variant: usize,
    ended_for: u32,
    tally: Tally,
    /// The machine as code, and what decides which ticks go by it.
    code: Option<(FusedCode, Rng)>,
    /// The same agent at earlier moments, for batches by code.
    neighbors: Neighbors<I>,
}

impl<'s, I: Instance> Comparison<'s, I> {
    pub(crate) fn new(
        compiled: &'s CompiledCase,
        rom: &'s Rom<'s>,
        seed: u64,
        user_code: ScriptedUserCode,
    ) -> Self {
        let instance = I::new(rom, seed, AGENT).expect("the tier fits");
        let side = |tracing: bool| {
            let host = KernelHost {
                tracing,
                ..KernelHost::new(compiled, user_code.clone())
            };
            Side {
                instance,
                host,
                counters: Counters::default(),
            }
        };
        let oracle = Oracle::new(
            &compiled.graph,
            compiled.tier(),
            AGENT,
            instance.header().rng.get(),
        );
        let variants = rom.variants().len().max(1);
        Self {
            rom,
            traced: side(true),
            fast: side(false),
            oracle,
            world: OracleWorld {
                compiled,
                user_code,
            },
            variant: seed as usize % variants,
            ended_for: 0,
            tally: Tally::default(),
            code: None,
            neighbors: Neighbors::new(seed),
        }
    }

    /// An ended instance is reset after a while, so that runs go on.
    pub(crate) fn end_of_tick(&mut self) {
        self.tally.ticks += 1;
        let ended = self.traced.instance.header().flags.get() & 0b1010 != 0;
        self.ended_for = if ended { self.ended_for + 1 } else { 0 };
        if self.ended_for > 3 {
            self.reset();
        }
    }

    fn reset(&mut self) {
        for side in [&mut self.traced, &mut self.fast] {
            reset(self.rom, &mut side.instance);
        }
        self.oracle.reset();
        self.ended_for = 0;
    }

    pub(crate) fn step(&mut self, step: &ScriptStep) -> Result<(), String> {
        match step {
            ScriptStep::Tick(now, inbox) => self.tick(*now, inbox)?,
            ScriptStep::Post(now, outside) => self.post(*now, outside)?,
            ScriptStep::Pause(now) => {
                for side in [&mut self.traced, &mut self.fast] {
                    pause(self.rom, &mut side.instance, *now);
                }
                self.oracle.pause(*now);
            }
            ScriptStep::Resume(now) => {
                for side in [&mut self.traced, &mut self.fast] {
                    resume(self.rom, &mut side.instance, *now);
                }
                self.oracle.resume(*now);
            }
            ScriptStep::Stop(now) => {
                let input = self.input(*now, &[]);
                for side in [&mut self.traced, &mut self.fast] {
                    let _ = stop(
                        self.rom,
                        &mut side.instance,
                        &mut side.host,
                        &input,
                        &mut side.counters,
                    );
                }
                self.oracle.stop(&mut self.world, *now, self.variant);
            }
            ScriptStep::Reset => self.reset(),
        }
        self.compare()
    }

    fn input<'i>(&self, tick: u32, inbox: &'i [Event]) -> Input<'i> {
        let variant = VariantId::from_index(self.variant).unwrap_or(VariantId::PLAIN);
        Input {
            agent: AGENT,
            tick,
            variant,
            inbox: Inbox::Own(inbox),
            mismatch: Mismatch::Quarantine,
        }
    }

    fn tick(&mut self, now: u32, inbox: &[Outside]) -> Result<(), String> {
        let class_of = |outside: &Outside| {
            let declared = self.rom.events()[outside.event].class;
            outside.class.unwrap_or(declared.get())
        };
        let for_kernel: Vec<Event> = inbox
            .iter()
            .map(|outside| {
                let id = EventId::from_index(outside.event).expect("an event");
                Event::new(id, class_of(outside)).with_words(outside.payload)
            })
            .collect();
        let for_oracle: Vec<statewright_oracle::Event> = inbox
            .iter()
            .map(|outside| statewright_oracle::Event {
                id: outside.event,
                class: oracle_side::class(class_of(outside)),
                payload: outside.payload,
                ..Default::default()
            })
            .collect();
        self.traced.host.selections.clear();
        let mut manner = Manner::ByItself;
        if let Some((code, rng)) = &mut self.code {
            let mut code = *code;
            // Either loop over agents that poll is right for every machine.
            code.needs.calls = rng.chance(50);
            self.fast.host.fused = rng.chance(70).then_some(code);
            manner = Manner::any(rng);
        }
        self.tick_neighbors(now, &for_kernel)?;
        let input = self.input(now, &for_kernel);
        let mine = self.traced.tick(self.rom, &input, Manner::ByItself);
        let fast = self.fast.tick(self.rom, &input, manner);
        let theirs = self
            .oracle
            .tick(&mut self.world, now, self.variant, &for_oracle);
        self.compare_log()?;
        self.compare_reports(&mine, &fast, now)?;
        let bytes = Bytes::new(self.rom, self.traced.instance.as_bytes());
        // One that is paused may still have to be completed (LOAD-3).
        if !bytes.flags().incomplete {
            same("leaves", &self.oracle.leaves(), &bytes.leaves())?;
        }
        same_selections(
            &oracle_side::selections(&theirs.selections),
            &self.traced.host.selections,
        )?;
        same("inbox taken", &theirs.inbox_taken, &mine.inbox_taken)?;
        same("clamped", &theirs.clamped, &mine.clamped)?;
        same(
            "quarantine",
            &theirs.quarantine.map(oracle_side::fault),
            &mine.fault,
        )
    }

    /// Agents beside each other: this one at several moments.
    fn tick_neighbors(&mut self, tick: u32, events: &[Event]) -> Result<(), String> {
        let Some((code, _)) = &self.code else {
            return Ok(());
        };
        let user_code = self.fast.host.user_code.borrow();
        self.neighbors.note(self.fast.instance, &user_code);
        self.neighbors.tick(&mut Together {
            compiled: self.world.compiled,
            rom: self.rom,
            tick,
            events,
            code: *code,
        })
    }

    fn post(&mut self, now: u32, outside: &Outside) -> Result<(), String> {
        let id = EventId::from_index(outside.event).expect("an event");
        let theirs = self.oracle.post(
            now,
            outside.event,
            outside.class.map(oracle_side::class),
            outside.payload,
        );
        for side in [&mut self.traced, &mut self.fast] {
            let Side {
                instance, counters, ..
            } = side;
            if let Ok(mine) = post(
                self.rom,
                instance,
                now,
                id,
                outside.class,
                outside.payload,
                counters,
            ) {
                same(
                    "post",
                    &oracle_side::posted(&theirs),
                    &kernel_side::posted(mine),
                )?;
            }
        }
        Ok(())
    }

    /// Both are told the same, but that an agent rests, which is not looked for on every path: whoever is
    /// said to rest may sleep.
    fn compare_reports(&self, mine: &Report, fast: &Report, now: u32) -> Result<(), String> {
        let seen = Report {
            rests: mine.rests,
            ..*fast
        };
        same("report of the fast paths", mine, &seen)?;
        let asleep = sleep(self.rom, &self.fast.instance, now) == Sleep::Asleep;
        same("at rest only if asleep", &true, &(asleep || !fast.rests))
    }

    fn compare_log(&mut self) -> Result<(), String> {
        let theirs = self.world.user_code.take_log();
        let mine = self.traced.host.user_code.get_mut().take_log();
        let fast = self.fast.host.user_code.get_mut().take_log();
        self.tally.entries += mine.len() as u64;
        same("log of the fast paths", &mine, &fast)?;
        if let Some(place) = theirs.iter().zip(&mine).position(|(a, b)| a != b) {
            return Err(format!(
                "entry {place} of the log\n{}",
                around(&theirs, &mine, place)
            ));
        }
        if theirs.len() != mine.len() {
            let place = theirs.len().min(mine.len());
            return Err(format!(
                "one log ends early\n{}",
                around(&theirs, &mine, place)
            ));
        }
        Ok(())
    }

    pub(crate) fn compare(&mut self) -> Result<(), String> {
        self.compare_log()?;
        let mut mine = Bytes::new(self.rom, self.traced.instance.as_bytes()).snapshot();
        let theirs = self.oracle.snapshot();
        if theirs.flags.incomplete {
            // A leaf place holds any state: what counts is which are active (LOAD-3).
            let leaves = mine
                .leaves
                .iter()
                .filter_map(|&leaf| StateId::from_index(leaf));
            let states = leaves
                .flat_map(|leaf| self.rom.path_up(leaf))
                .map(StateId::index);
            same("active states", self.oracle.active(), &states.collect())?;
            mine.leaves.clone_from(&theirs.leaves);
        }
        same_snapshot(&theirs, &mine)?;
        same_counters(self.oracle.counters(), &self.traced.counters)?;
        same(
            "bytes after the fast paths",
            &self.traced.instance.as_bytes(),
            &self.fast.instance.as_bytes(),
        )?;
        same(
            "counters of the fast paths",
            &self.traced.counters,
            &self.fast.counters,
        )
    }
}

/// What is compared is put into words only if it differs: this is asked millions of times.
fn same<T: PartialEq + Debug>(what: impl Display, theirs: &T, mine: &T) -> Result<(), String> {
    if theirs == mine {
        Ok(())
    } else {
        Err(format!("{what}\n  oracle: {theirs:?}\n  kernel: {mine:?}"))
    }
}

/// Selections in which nobody cared say nothing.
fn same_selections(theirs: &[Selection], mine: &[Selection]) -> Result<(), String> {
    fn told(list: &[Selection]) -> impl Iterator<Item = &Selection> {
        list.iter()
            .filter(|selection| !selection.outcomes.is_empty())
    }
    for (place, (theirs, mine)) in told(theirs).zip(told(mine)).enumerate() {
        same(format_args!("selection {place}"), theirs, mine)?;
    }
    same(
        "how many selections",
        &told(theirs).count(),
        &told(mine).count(),
    )
}

fn around(theirs: &[Entry], mine: &[Entry], place: usize) -> String {
    let mut text = String::new();
    for entry in &theirs[place.saturating_sub(3)..place.min(theirs.len())] {
        text += &format!("  both:   {entry:?}\n");
    }
    let show = |log: &[Entry]| {
        log.get(place)
            .map_or("(nothing)".to_owned(), |entry| format!("{entry:?}"))
    };
    text + &format!("  oracle: {}\n  kernel: {}", show(theirs), show(mine))
}

fn same_snapshot(theirs: &Snapshot, mine: &Snapshot) -> Result<(), String> {
    same("flags", &theirs.flags, &mine.flags)?;
    same("leaves", &theirs.leaves, &mine.leaves)?;
    same("history", &theirs.history, &mine.history)?;
    same("timers", &theirs.timers, &mine.timers)?;
    same("clocks", &theirs.clocks, &mine.clocks)?;
    same("debounces", &theirs.debounces, &mine.debounces)?;
    same("cooldowns", &theirs.cooldowns, &mine.cooldowns)?;
    same("results", &theirs.results, &mine.results)?;
    same("latched", &theirs.latched, &mine.latched)?;
    same("scratch", &theirs.scratch, &mine.scratch)?;
    same("queue", &theirs.queue, &mine.queue)?;
    same("frames", &theirs.frames, &mine.frames)?;
    same("rng", &theirs.rng, &mine.rng)?;
    same("generation", &theirs.generation, &mine.generation)?;
    same("clamped ticks", &theirs.clamped, &mine.clamped)
}

fn same_counters(theirs: &statewright_oracle::Counters, mine: &Counters) -> Result<(), String> {
    let both = oracle_side::counted(theirs)
        .into_iter()
        .zip(kernel_side::counted(mine));
    for ((what, theirs), (_, mine)) in both {
        same(format_args!("counter {what}"), &theirs, &mine)?;
    }
    Ok(())
}
