//! Arguments of the commands for charts of other tools.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use statewright_import::Format;

use super::Compiling;

/// Arguments of `import`.
#[derive(Debug, Args)]
#[command(
    after_help = "`check`, `build`, `run`, `step`, `draw` and `docs` take such files directly, too.\n\nExamples:\n  \
statewright import door.scxml                    writes door.sw.json\n  statewright import door.scxml -o -               prints it\n  \
statewright import light.json --from xstate      a file whose name does not tell\n  \
statewright import door.scxml --function isLocked,ring=sound::Ring"
)]
pub(crate) struct Import {
    /// The chart, or `-` for standard input
    pub(crate) file: PathBuf,
    /// File to write, `-` for standard output [default: the chart's name with `.sw.json`]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// What the file is [default: what its name says: .scxml, .xstate.json, .mmd or .mermaid,
    /// .puml or .plantuml]
    #[arg(long, value_name = "FORMAT", value_parser = PossibleValuesParser::new(FORMATS.map(Format::as_str)).map(|name| format_of(&name)))]
    pub(crate) from: Option<Format>,
    /// A function of the game that the SCXML document may call, in conditions or in `<script>`;
    /// `NAME=FUNCTION` if the game calls it otherwise, several with commas
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) function: Vec<String>,
    /// Replace a file that exists
    #[arg(long, short)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) compiling: Compiling,
}

/// Arguments of `export`.
#[derive(Debug, Args)]
#[command(
    after_help = "A document is written only if it means the same as the machine; else everything that stands in the way is said, and \
nothing is written.\n\nExamples:\n  statewright export door.sw.json                  writes door.scxml\n  \
statewright export door.sw.json -o -             prints it\n  statewright export door.sw.json --force          replaces door.scxml"
)]
pub(crate) struct Export {
    /// The machine file, or `-` for standard input
    pub(crate) file: PathBuf,
    /// File to write, `-` for standard output [default: the machine's name with `.scxml`]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Replace a file that exists
    #[arg(long, short)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) compiling: Compiling,
}

const FORMATS: [Format; 4] = Format::ALL;

fn format_of(name: &str) -> Format {
    FORMATS
        .into_iter()
        .find(|format| format.as_str() == name)
        .unwrap_or(Format::Scxml)
}
