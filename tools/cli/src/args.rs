//! The arguments of every command and their help texts.

mod charts;
mod saves;
mod tapes;

pub(crate) use charts::{Export, Import};
pub(crate) use saves::{Save, SaveCommand, SaveInspect, SaveMigrate, SaveVerify};
pub(crate) use tapes::{
    RecordProof, Replay, Tape, TapeCommand, TapeCut, TapeDiff, TapeExport, TapeFork, TapeFormat,
    TapeInfo, TapeShrink, TapeWhy,
};

use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use statewright_step::Answer;

const EXIT_CODES: &str =
    "Exit codes: 0 all is well, 1 problems were found (or things differ), 2 wrong usage, or a file \
cannot be read or written.

A first machine in a minute:
  statewright new Guard
  statewright check guard.sw.json
  statewright build guard.sw.json
  statewright run guard.sw.json
  statewright step guard.sw.json
  statewright draw guard.sw.json -o guard.svg";

/// State machines for game AI: check, build, run, step, show, draw, compare and format machine
/// files.
#[derive(Debug, Parser)]
#[command(name = "statewright", version, after_help = EXIT_CODES, arg_required_else_help = true, max_term_width = 100)]
pub(crate) struct Cli {
    /// Say only what is wrong: no reports, no summary, no progress
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// When to use colors; `auto` looks at the terminal and at NO_COLOR
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub(crate) color: ColorChoice,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// When to use colors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write a commented sample machine to start from
    New(New),
    /// Look for mistakes in machine files and ROMs
    Check(Check),
    /// Compile machine files to ROMs
    Build(Build),
    /// Run a crowd of agents without a game, and see what they do
    Run(Run),
    /// Show what is in a ROM
    Dump(Dump),
    /// Draw a machine: SVG, or text for Mermaid, Graphviz and PlantUML
    Draw(Draw),
    /// Write one HTML page about a machine
    Docs(Docs),
    /// Run one agent step by step and see why it does what it does
    Step(Step),
    /// Say what changed between two machines and what a reload would do
    Diff(Diff),
    /// Format machine files, keeping every comment
    Fmt(Fmt),
    /// Make a machine file of a chart of another tool: SCXML, XState, Mermaid, PlantUML
    Import(Import),
    /// Write a machine as SCXML, if that means the same
    Export(Export),
    /// Show what agents did and why, from a trace that `run` or a program wrote
    Trace(Trace),
    /// Run a tape again, and say where it differs
    Replay(Replay),
    /// Look into tapes, ask why, fork and shrink them, export them
    Tape(Tape),
    /// Look into saves, bring them to another version of a machine
    Save(Save),
    /// Help an editor with machine files, as a language server
    Lsp(Lsp),
    /// Print the JSON Schema of machine files
    Schema(Schema),
    /// Explain a code such as SW0101, or list all of them
    Explain(Explain),
    /// Print a script that completes this command in a shell
    Completions(Completions),
    /// Write manual pages
    Man(Man),
}

/// Arguments of `new`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  statewright new Guard              writes guard.sw.json\n  \
statewright new Guard -o ai/g.sw.json\n  statewright new -o -               prints it"
)]
pub(crate) struct New {
    /// Name of the machine
    #[arg(default_value = "Guard")]
    pub(crate) name: String,
    /// File to write, `-` for standard output [default: the name in lower case, with `.sw.json`]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Replace a file that exists
    #[arg(long, short)]
    pub(crate) force: bool,
}

/// How machines are compiled and problems shown.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Compiling {
    /// Warnings are errors, and missing stable ids are shown
    #[arg(long)]
    pub(crate) strict: bool,
    /// Raise a tier that is too small instead of refusing the machine
    #[arg(long)]
    pub(crate) dev: bool,
    /// How to show problems: `text` on standard error, or one `json` document on standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    message_format: MessageFormat,
    /// The same as `--message-format json`
    #[arg(long, conflicts_with = "message_format")]
    json: bool,
}

impl Compiling {
    /// How to show problems.
    pub(crate) fn format(self) -> MessageFormat {
        if self.json {
            MessageFormat::Json
        } else {
            self.message_format
        }
    }
}

/// How problems are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum MessageFormat {
    /// For people
    #[default]
    Text,
    /// For tools
    Json,
}

/// Arguments of `check`.
#[derive(Debug, Args)]
#[command(
    after_help = "A folder stands for all `*.sw.json`, `*.scxml` and `*.swrom` in it and below, except hidden ones.\n\nExamples:\n  \
statewright check guard.sw.json\n  statewright check machines --strict\n  statewright check guard.swrom --deep\n  \
statewright check - < guard.sw.json\n  statewright check machines --json\n  \
statewright check machines --watch      checks again on every save"
)]
pub(crate) struct Check {
    /// Machine files, ROMs, folders, or `-` for standard input
    #[arg(required = true, value_name = "FILE|FOLDER")]
    pub(crate) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) compiling: Compiling,
    /// Prove that the plans in the ROM equal what follows from its other tables
    #[arg(long)]
    pub(crate) deep: bool,
    /// Print what each machine is made of and who pays for what
    #[arg(long)]
    pub(crate) report: bool,
    /// Check again whenever a file is saved, until Ctrl-C
    #[arg(long, short)]
    pub(crate) watch: bool,
}

/// Arguments of `build`.
#[derive(Debug, Args)]
#[command(
    after_help = "X.sw.json becomes X.swrom, with names and places in X.swdbg. A build that fails leaves old \
files as they are.\n\nExamples:\n  statewright build guard.sw.json\n  statewright build machines --out-dir assets/ai\n  \
statewright build guard.sw.json -o g.swrom --no-debug\n  statewright build - -o - < guard.sw.json > guard.swrom"
)]
pub(crate) struct Build {
    /// Machine files, folders, or `-` for standard input
    #[arg(required = true, value_name = "FILE|FOLDER")]
    pub(crate) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) compiling: Compiling,
    /// File to write, for a single machine; `-` for standard output
    #[arg(long, short, value_name = "FILE", conflicts_with = "out_dir")]
    pub(crate) output: Option<PathBuf>,
    /// Folder to write to; what lies below a folder keeps its place
    #[arg(long, value_name = "FOLDER")]
    pub(crate) out_dir: Option<PathBuf>,
    /// Do not write the debug sidecar (*.swdbg)
    #[arg(long)]
    pub(crate) no_debug: bool,
}

/// Arguments of `run`.
#[derive(Debug, Args)]
#[command(
    after_help = "Expressions and built-in actions of the machine really run. Functions that a game would provide are \
stood in for: actions do nothing, activities go on, guards say what --stub-guards asks for. The same arguments give the \
same run, on any number of threads.\n\nA script has one thing per line:\n  at 10 send Alarm to all\n  every 30 send \
Noise 1,0,2 to 5%\n  at 100 set health 10 to agent 7\n\nWeights have one event per line; `*` is whoever is not named, else \
1:\n  Died 0.01\n  Noise 5\nA machine may have them in its meta: \"meta\": { \"run\": { \"weights\": { \"Died\": 0.01 } } }\n\nExamples:\n  statewright run                             a \
sample: 100,000 soldiers\n  statewright run guard.sw.json --agents 1000000 --ticks 60\n  statewright run guard.sw.json \
--script fight.txt --html fight.html\n  statewright run guard.sw.json --rate 0.5 --json > run.json\n  \
statewright run guard.sw.json --trace guard.swtrace --trace-level 3 --trace-agents 0-3,77\n  \
statewright run guard.sw.json --agents 1000 --record guard.swtape\n  \
statewright run guard.sw.json --record few.swtape --seal 0-9 --outputs gameplay\n  \
statewright run guard.sw.json --agents 20 --watch    reloads on every save, until Ctrl-C\n  \
statewright run guard.sw.json --save monday.swsave\n  statewright run guard.sw.json --load monday.swsave"
)]
pub(crate) struct Run {
    /// Machine file or ROM, `-` for standard input [default: that of the save with --load, else a
    /// built-in sample]
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// How many agents
    #[arg(long, short, default_value = "100000", value_name = "N", value_parser = agents, allow_negative_numbers = true, conflicts_with = "load")]
    pub(crate) agents: u32,
    /// How many ticks [default: 600, and until Ctrl-C with --watch]
    #[arg(long, short, value_name = "T", value_parser = ticks, allow_negative_numbers = true)]
    pub(crate) ticks: Option<u64>,
    /// Reload the machine whenever its file is saved; ticks come as fast as its `tick_rate` says
    #[arg(long, short, requires = "file")]
    pub(crate) watch: bool,
    /// All randomness comes from this number
    #[arg(long, default_value = "1", value_name = "N", value_parser = seed, allow_negative_numbers = true)]
    pub(crate) seed: u64,
    /// Random events per agent and tick [default: 0.01, and none with a script]
    #[arg(long, value_name = "RATE", value_parser = rate, allow_negative_numbers = true)]
    pub(crate) rate: Option<f64>,
    /// How likely each random event is, from a file [default: what the machine's `meta` says, else
    /// all alike]
    #[arg(long, value_name = "FILE")]
    pub(crate) weights: Option<PathBuf>,
    /// What happens when, from a file
    #[arg(long, value_name = "FILE")]
    pub(crate) script: Option<PathBuf>,
    /// What guards say that a game would provide; with `random`, activities end now and then
    #[arg(long, default_value = "random", value_name = "ANSWER", value_parser = answers())]
    pub(crate) stub_guards: Answer,
    /// How many threads work [default: all cores]
    #[arg(long, value_name = "N", value_parser = threads, allow_negative_numbers = true)]
    pub(crate) threads: Option<u16>,
    /// Write the plot of where agents are, as SVG
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    /// Write the report as one page: plot, colored machine, tables
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Write what some agents did, tick by tick, for `statewright trace` and `draw --heat`
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// How much goes into the trace. 1: events, transitions, leaves; 2: entries, exits, timers as
    /// well; 3: reasons as well
    #[arg(long, value_name = "LEVEL", default_value_t = 1, requires = "trace", value_parser = clap::value_parser!(u8).range(1..=3))]
    pub(crate) trace_level: u8,
    /// Which agents the trace has: numbers and ranges with commas between [default: the first 16]
    #[arg(long, value_name = "AGENTS", requires = "trace", value_delimiter = ',', value_parser = places)]
    pub(crate) trace_agents: Vec<RangeInclusive<u32>>,
    /// Write everything that happens to the agents, for `statewright replay` and `tape`
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// What the tape says of the outcome of every tick
    #[arg(
        long,
        value_name = "LEVEL",
        value_enum,
        default_value_t,
        requires = "record"
    )]
    pub(crate) record_proof: RecordProof,
    /// Also write what functions of these agents say and do, so that anybody can run the tape again: numbers and
    /// ranges with commas between, or `all`. Unless it is all, the tape is of these agents alone
    #[arg(long, value_name = "AGENTS", requires = "record", value_delimiter = ',', value_parser = sealed_places)]
    pub(crate) seal: Vec<RangeInclusive<u32>>,
    /// Also write the commands of these lanes
    #[arg(long, value_name = "LANE", requires = "record", value_delimiter = ',')]
    pub(crate) outputs: Vec<String>,
    /// Go on with the agents of a save; another version of their machine takes them over as a reload
    /// does
    #[arg(long, value_name = "FILE")]
    pub(crate) load: Option<PathBuf>,
    /// Which crowd of the save, if it has several
    #[arg(long, value_name = "NAME", requires = "load")]
    pub(crate) crowd: Option<String>,
    /// Save the agents when the run is over
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Option<PathBuf>,
    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// A whole number of a range; `_` may stand between its digits.
fn whole<N: TryFrom<u64>>(text: &str, least: u64, most: u64) -> Result<N, String> {
    let number = text
        .replace('_', "")
        .parse::<u64>()
        .ok()
        .filter(|number| (least..=most).contains(number));
    number
        .and_then(|number| N::try_from(number).ok())
        .ok_or_else(|| match most {
            u64::MAX => format!("a whole number from {least} on is wanted"),
            most => format!("a whole number from {least} to {most} is wanted"),
        })
}

fn agents(text: &str) -> Result<u32, String> {
    whole(text, 1, 100_000_000)
}

fn ticks(text: &str) -> Result<u64, String> {
    whole(text, 1, u64::MAX)
}

fn seed(text: &str) -> Result<u64, String> {
    whole(text, 0, u64::MAX)
}

fn threads(text: &str) -> Result<u16, String> {
    whole(text, 1, 1024)
}

/// An agent, those from one to another, or `all`.
fn sealed_places(text: &str) -> Result<RangeInclusive<u32>, String> {
    match text {
        "all" => Ok(0..=u32::MAX),
        text => places(text).map_err(|error| format!("{error}, or `all`")),
    }
}

/// An agent, or those from one to another.
fn places(text: &str) -> Result<RangeInclusive<u32>, String> {
    let number = |text: &str| text.trim().parse::<u32>().ok();
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => Ok(first..=last),
        _ => Err("numbers of agents are wanted, such as 7 or 0-15".to_owned()),
    }
}

/// Events per agent and tick.
fn rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(rate) if (0.0..=16.0).contains(&rate) => Ok(rate),
        _ => Err("a number from 0 to 16 is wanted, such as 0.01 for one event per hundred agents and tick".to_owned()),
    }
}

/// Arguments of `dump`.
#[derive(Debug, Args)]
#[command(
    after_help = "Names come from the sidecar (*.swdbg) beside a ROM, if it belongs to it.\n\nExamples:\n  \
statewright dump guard.swrom\n  statewright dump guard.sw.json --json\n  statewright dump guard.swrom --tables | less"
)]
pub(crate) struct Dump {
    /// ROMs, machine files, folders, or `-` for standard input
    #[arg(required = true, value_name = "FILE|FOLDER")]
    pub(crate) paths: Vec<PathBuf>,
    /// Print JSON: one object, or a list of them for several files
    #[arg(long, conflicts_with = "tables")]
    pub(crate) json: bool,
    /// Show the raw records of every table, too
    #[arg(long)]
    pub(crate) tables: bool,
}

/// Arguments of `draw`.
#[derive(Debug, Args)]
#[command(
    after_help = "The format follows from the name of the file: *.svg, *.mmd, *.dot or *.gv, *.puml. States of --active \
are names or paths, with `/` or `.` between.\n\nExamples:\n  statewright draw guard.sw.json -o guard.svg\n  \
statewright draw guard.sw.json -o guard.svg --theme dark --active patrol\n  \
statewright draw guard.sw.json -o guard.svg --direction right\n  \
statewright draw guard.sw.json -o hot.svg --heat guard.swtrace\n  statewright draw guard.sw.json --format mermaid\n  \
statewright draw guard.swrom --format dot | dot -Tpng > guard.png"
)]
pub(crate) struct Draw {
    /// A machine file, a ROM with its sidecar, or `-` for standard input
    #[arg(value_name = "FILE")]
    pub(crate) path: PathBuf,
    /// What to write [default: by the name of the output file, else svg]
    #[arg(long, short = 'F', value_enum, value_name = "FORMAT")]
    pub(crate) format: Option<Picture>,
    /// File to write, `-` for standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Colors of an SVG; `auto` follows the reader's system
    #[arg(long, value_enum, value_name = "THEME")]
    pub(crate) theme: Option<ThemeChoice>,
    /// Which way an SVG runs; `auto` takes what makes it smaller
    #[arg(long, value_enum, value_name = "DIRECTION")]
    pub(crate) direction: Option<DirectionChoice>,
    /// States to light up in an SVG, with commas between
    #[arg(long, value_name = "STATES", value_delimiter = ',')]
    pub(crate) active: Vec<String>,
    /// Color an SVG by how often states were entered and transitions taken in a trace (*.swtrace)
    /// of this machine
    #[arg(long, value_name = "TRACE")]
    pub(crate) heat: Option<PathBuf>,
}

/// A format of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Picture {
    /// Drawn by this tool: one file, for browsers, documents and image tools
    Svg,
    /// Text that GitHub, GitLab and many editors draw
    Mermaid,
    /// Text for Graphviz
    Dot,
    /// Text for PlantUML
    Plantuml,
}

/// Which way a picture runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DirectionChoice {
    /// Whichever makes the picture smaller
    Auto,
    /// From top to bottom
    Down,
    /// From left to right
    Right,
}

/// Which colors a picture has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ThemeChoice {
    /// As the reader's system wants it
    Auto,
    /// Dark on white
    Light,
    /// Light on black
    Dark,
}

/// Arguments of `docs`.
#[derive(Debug, Args)]
#[command(
    after_help = "The page has a picture and tables of states, events, transitions, data, budgets and warnings. It needs \
nothing but itself.\n\nExamples:\n  statewright docs guard.sw.json -o guard.html\n  statewright docs guard.sw.json > guard.html"
)]
pub(crate) struct Docs {
    /// A machine file, a ROM with its sidecar, or `-` for standard input
    #[arg(value_name = "FILE")]
    pub(crate) path: PathBuf,
    /// File to write, `-` for standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Colors of the picture; `auto` follows the reader's system, as the page does
    #[arg(long, value_enum, value_name = "THEME")]
    pub(crate) theme: Option<ThemeChoice>,
    /// States to light up in the picture, with commas between
    #[arg(long, value_name = "STATES", value_delimiter = ',')]
    pub(crate) active: Vec<String>,
}

/// Arguments of `step`.
#[derive(Debug, Args)]
#[command(
    after_help = "Commands come from the keyboard, or line by line from standard input; `help` lists them. In a script `#` \
begins a comment, and the first mistake ends it with its line number and exit code 1.\n\nFunctions that the machine names are not \
there, so something stands in for them: actions and activities are shown, activities keep running, scorers and value functions say 0, and guards \
answer true, so that the machine moves. `guard`, `activity` and `score` change one of them at any time. Expressions and built-in \
actions really run.\n\nExamples:\n  statewright step guard.sw.json\n  statewright step guard.sw.json --tui\n  \
statewright step guard.sw.json --events SeesThief,LostThief\n  statewright step soldier.sw.json --events 'Damaged 30,Died' \
--json\n  printf 'send SeesThief\\nwhy\\nundo\\n' | statewright step guard.sw.json --stub-guards false"
)]
pub(crate) struct Step {
    /// A machine file or a ROM; `-` for standard input, with `--events`
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Send these, each with a tick: names with commas in between, each with its payload after a
    /// space
    #[arg(long, value_name = "EVENTS")]
    pub(crate) events: Option<String>,
    /// Print one line of JSON per step
    #[arg(long)]
    pub(crate) json: bool,
    /// Show everything on the whole screen
    #[arg(long, conflicts_with = "json")]
    pub(crate) tui: bool,
    /// What guards answer that nobody provides: `true` lets the machine move
    #[arg(long, default_value = "true", value_name = "ANSWER", value_parser = answers())]
    pub(crate) stub_guards: Answer,
    /// Where chance begins: the same seed gives the same story
    #[arg(long, default_value = "1", value_name = "NUMBER", value_parser = seed, allow_negative_numbers = true)]
    pub(crate) seed: u64,
    /// The variant of the machine's parameters
    #[arg(long, value_name = "NAME")]
    pub(crate) variant: Option<String>,
}

/// Reads what guards answer that nobody provides.
fn answers() -> impl TypedValueParser<Value = Answer> {
    let words = [
        ("true", "Yes"),
        ("false", "No"),
        ("random", "Either, as the seed says"),
    ];
    let values = words.map(|(word, help)| PossibleValue::new(word).help(help));
    PossibleValuesParser::new(values).map(|word| Answer::parse(&word).unwrap_or_default())
}

/// Arguments of `diff`.
#[derive(Debug, Args)]
#[command(
    after_help = "Each side is a machine file or a ROM. The exit code is 0 if they are the same and 1 if they \
differ.\n\nExamples:\n  statewright diff shipped.swrom guard.sw.json\n  git show HEAD:guard.sw.json | statewright \
diff - guard.sw.json"
)]
pub(crate) struct Diff {
    /// The old machine, `-` for standard input
    #[arg(value_name = "OLD")]
    pub(crate) old: PathBuf,
    /// The new machine, `-` for standard input
    #[arg(value_name = "NEW")]
    pub(crate) new: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `fmt`.
#[derive(Debug, Args)]
#[command(
    after_help = "Standard input is formatted to standard output.\n\nExamples:\n  statewright fmt machines\n  \
statewright fmt --check machines      for CI: lists files and exits with 1\n  statewright fmt --ids guard.sw.json   \
so that a state is the same after renaming"
)]
pub(crate) struct Fmt {
    /// Machine files, folders, or `-` for standard input
    #[arg(required = true, value_name = "FILE|FOLDER")]
    pub(crate) paths: Vec<PathBuf>,
    /// Change nothing; list the files that are not formatted and exit with 1 if there are any
    #[arg(long)]
    pub(crate) check: bool,
    /// Write the stable id of everything that has a name and none; this changes no hash
    #[arg(long)]
    pub(crate) ids: bool,
    /// Print what came of each file as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `trace`.
#[derive(Debug, Args)]
#[command(
    after_help = "Filters may be given several times or with commas. A state stands for all states inside it, an event for \
itself and what it leads to.\n\nExamples:\n  statewright trace guards.swtrace\n  statewright trace guards.swtrace --agent 7 --from 100 \
--to 120\n  statewright trace guards.swtrace --why 7 112         why agent 7 did what it did in tick 112\n  \
statewright trace guards.swtrace --export perfetto -o guards.pftrace    opens in https://ui.perfetto.dev"
)]
pub(crate) struct Trace {
    /// The trace (*.swtrace), `-` for standard input
    #[arg(value_name = "FILE")]
    pub(crate) path: PathBuf,
    /// Only these agents
    #[arg(long, value_name = "NUMBER", value_delimiter = ',')]
    pub(crate) agent: Vec<u32>,
    /// Of what has to do with states only that of these and of the states inside them
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) state: Vec<String>,
    /// Only these events and what they lead to
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) event: Vec<String>,
    /// From this tick on
    #[arg(long, value_name = "TICK")]
    pub(crate) from: Option<u64>,
    /// Up to this tick
    #[arg(long, value_name = "TICK")]
    pub(crate) to: Option<u64>,
    /// 1: events, transitions, leaves; 2: entries, exits, timers as well; 3: everything
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=3))]
    pub(crate) level: u8,
    /// Explain what an agent did in a tick: every candidate, and why it was not taken
    #[arg(long, num_args = 2, value_names = ["AGENT", "TICK"], conflicts_with_all = ["agent", "state", "event", "from", "to", "export"])]
    pub(crate) why: Option<Vec<u64>>,
    /// The machine that was recorded (*.swrom, *.sw.json), for the text of guards and scores; else one beside the trace
    #[arg(long, value_name = "FILE", requires = "why")]
    pub(crate) machine: Option<PathBuf>,
    /// Write another format
    #[arg(
        long,
        value_enum,
        value_name = "FORMAT",
        requires = "output",
        conflicts_with = "json"
    )]
    pub(crate) export: Option<TraceFormat>,
    /// Where the export goes, `-` for standard output
    #[arg(long, short, value_name = "FILE", requires = "export")]
    pub(crate) output: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Formats that traces are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TraceFormat {
    /// For https://ui.perfetto.dev: a track per agent and region
    Perfetto,
    /// JSON for chrome://tracing and other viewers
    Chrome,
    /// A table, one line per record
    Csv,
    /// The same as `--json`
    Json,
}

/// Arguments of `lsp`.
#[derive(Debug, Args)]
#[command(
    after_help = "An editor starts this, not a person. docs/editors.md says how to set up VS Code, Neovim, Helix and Zed.\n\n\
Examples:\n  statewright lsp                      what an editor runs"
)]
pub(crate) struct Lsp {
    /// Some editors pass this; there is no other way to talk
    #[arg(long, hide = true)]
    pub(crate) stdio: bool,
}

/// Arguments of `schema`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  statewright schema > statewright.schema.json\n  statewright schema --draft 07"
)]
pub(crate) struct Schema {
    /// Version of JSON Schema
    #[arg(long, value_enum, default_value_t)]
    pub(crate) draft: Draft,
}

/// A version of JSON Schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Draft {
    /// The current one
    #[default]
    #[value(name = "2020-12")]
    Draft202012,
    /// For older editors
    #[value(name = "07", alias = "7")]
    Draft07,
}

/// Arguments of `explain`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  statewright explain SW0101\n  statewright explain 101\n  statewright explain      \
lists all codes"
)]
pub(crate) struct Explain {
    /// Codes such as SW0101
    #[arg(value_name = "CODE")]
    pub(crate) codes: Vec<String>,
    /// Print JSON: a list of codes with their pages
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `completions`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  statewright completions bash > ~/.local/share/bash-completion/completions/\
statewright\n  statewright completions zsh  > ~/.zfunc/_statewright\n  statewright completions fish > \
~/.config/fish/completions/statewright.fish"
)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}

/// Arguments of `man`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  statewright man | man -l -                      shows the page of this command\n  \
statewright man ~/.local/share/man/man1         writes one page per command, for `man statewright-run`"
)]
pub(crate) struct Man {
    /// Folder for a page per command [default: the main page goes to standard output]
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: Option<PathBuf>,
}
