//! `statewright draw`: a machine as a picture, or as text that other tools draw.

use std::path::Path;

use statewright_draw::{
    Chart, Direction, Heat, Options, Theme, dot, mermaid, plantuml, svg, visible,
};
use statewright_files::{Input, Loaded, ROM_EXTENSION, refuse_own_source};
use statewright_symbols::SymbolTable;
use statewright_trace::{Legend, Totals, Transition};

use super::trace;
use crate::args::{DirectionChoice, Draw, Picture, ThemeChoice};
use crate::console::Console;
use crate::error::{CliError, Outcome};
use crate::load::load;
use crate::output;

pub(crate) fn run(args: &Draw, console: &Console) -> Result<Outcome, CliError> {
    let format = format(args)?;
    let input = Input::single(&args.path);
    refuse_own_source(args.output.as_deref(), &input)?;
    let loaded = match load(&input, console) {
        Ok(loaded) => loaded,
        Err(outcome) => return Ok(outcome),
    };
    let chart = chart(&loaded, &input)?;
    let mut options = options(&chart, args.theme, &args.active)?;
    options.direction = match args.direction {
        Some(DirectionChoice::Down) => Direction::Down,
        Some(DirectionChoice::Right) => Direction::Right,
        Some(DirectionChoice::Auto) | None => Direction::Auto,
    };
    let mut outcome = Outcome::Fine;
    if let Some(path) = &args.heat {
        match heat(path, &loaded, &input, console)? {
            Ok((heat, found)) => (options.heat, outcome) = (Some(heat), found),
            Err(refused) => return Ok(refused),
        }
    }
    let text = match format {
        Picture::Mermaid => mermaid(&chart),
        Picture::Dot => dot(&chart),
        Picture::Plantuml => plantuml(&chart),
        Picture::Svg => {
            let drawing = svg(&chart, &options);
            if drawing.written > 0 {
                console.note(format_args!(
                    "{} transitions are written in the boxes of their states: lines for all would hide each other",
                    drawing.written
                ));
            }
            drawing.svg
        }
    };
    output::deliver(args.output.as_deref(), text.as_bytes(), console)?;
    Ok(outcome)
}

/// How often everything happened in a trace; how much of the trace could be read. An error has been
/// said.
fn heat(
    path: &Path,
    loaded: &Loaded,
    input: &Input,
    console: &Console,
) -> Result<Result<(Heat, Outcome), Outcome>, CliError> {
    let name = path.display().to_string();
    let bytes = trace::read(path)?;
    let (reading, outcome) = match trace::open(&name, &bytes, console) {
        Ok(opened) => opened,
        Err(outcome) => return Ok(Err(outcome)),
    };
    // Of a trace with reloads, what happened in the versions that have these numbers.
    let drawn = Legend::new(&loaded.rom.as_rom(), SymbolTable::default());
    let versions = (0..=reading.reloads.len()).map(|version| reading.legend_of(version));
    let same: Vec<bool> = versions
        .map(|legend| is_same_machine(legend, &drawn))
        .collect();
    let Some(version) = same.iter().position(|&same| same) else {
        let legend = &reading.legend;
        let text = format!(
            "`{name}` is a trace of machine `{}`, not of `{}` as it is now",
            legend.symbols.machine,
            input.name()
        );
        return Err(
            CliError::new(text).help("draw the machine that was recorded, or record it again")
        );
    };
    let legend = reading.legend_of(version);
    let mut totals = Totals::new(legend.states.len(), legend.transitions.len());
    let stays = |number: u16| {
        legend
            .transitions
            .get(usize::from(number))
            .is_some_and(|found| found.is_internal)
    };
    reading
        .told()
        .filter(|&(version, ..)| same.get(version) == Some(&true))
        .for_each(|(_, _, record)| totals.count(record, stays));
    let heat = Heat {
        states: totals.visits(legend),
        transitions: totals.transitions,
    };
    Ok(Ok((heat, outcome)))
}

/// Whether numbers of states and transitions mean the same. Other constants and guards change
/// neither.
fn is_same_machine(recorded: &Legend, drawn: &Legend) -> bool {
    let same = |(a, b): (&Transition, &Transition)| {
        (a.source, a.trigger, a.is_internal, &a.targets)
            == (b.source, b.trigger, b.is_internal, &b.targets)
    };
    recorded.symbols.structure_hash == drawn.symbols.structure_hash
        && recorded.transitions.len() == drawn.transitions.len()
        && recorded
            .transitions
            .iter()
            .zip(&drawn.transitions)
            .all(same)
}

/// What to draw. A ROM without names would be a picture of numbers.
pub(super) fn chart(loaded: &Loaded, input: &Input) -> Result<Chart, CliError> {
    match &loaded.symbols {
        Some(symbols) => Ok(Chart::new(&loaded.rom.as_rom(), symbols)),
        None => {
            let text = format!("`{}` has no names to draw", input.name());
            Err(CliError::new(text).help(format!(
                "put the `*.swdbg` of the same build beside the `*.{ROM_EXTENSION}`, or draw the machine file itself"
            )))
        }
    }
}

/// Colors of a picture.
pub(super) fn colors(theme: Option<ThemeChoice>) -> Theme {
    match theme {
        Some(ThemeChoice::Light) => Theme::Light,
        Some(ThemeChoice::Dark) => Theme::Dark,
        Some(ThemeChoice::Auto) | None => Theme::Auto,
    }
}

/// Colors and lit states.
pub(super) fn options(
    chart: &Chart,
    theme: Option<ThemeChoice>,
    active: &[String],
) -> Result<Options, CliError> {
    let theme = colors(theme);
    let mut found = Vec::new();
    for name in active
        .iter()
        .map(|name| name.trim())
        .filter(|name| !name.is_empty())
    {
        let state = chart.find(name).map_err(|problem| {
            let names = chart.states.iter().map(|state| state.name.as_str());
            let nearest = statewright_author::similar::closest(name, names);
            let help = match nearest {
                Some(nearest) => format!("did you mean `{nearest}`?"),
                None => "name states as in the machine, such as `patrol` or `alive/idle/patrol`"
                    .to_owned(),
            };
            CliError::new(format!("`--active`: {problem}")).help(help)
        })?;
        found.push(state);
    }
    Ok(Options {
        theme,
        active: found,
        ..Options::default()
    })
}

/// The format that was asked for, or the one that the name of the file tells.
fn format(args: &Draw) -> Result<Picture, CliError> {
    let told = args
        .output
        .as_deref()
        .filter(|path| *path != Path::new("-"))
        .and_then(Path::extension);
    let told = told.map(|extension| extension.to_string_lossy().to_ascii_lowercase());
    let by_name = match told.as_deref() {
        Some("svg") => Some(Picture::Svg),
        Some("mmd" | "mermaid") => Some(Picture::Mermaid),
        Some("dot" | "gv") => Some(Picture::Dot),
        Some("puml" | "plantuml") => Some(Picture::Plantuml),
        _ => None,
    };
    let format = match (args.format, by_name, told) {
        (Some(format), ..) => format,
        (None, Some(format), _) => format,
        (None, None, None) => Picture::Svg,
        (None, None, Some(other)) => {
            let text = format!(
                "`*.{}` is no format of pictures that this command writes",
                visible(&other)
            );
            return Err(CliError::new(text).help(match other.as_str() {
                "png" | "jpg" | "jpeg" | "webp" | "pdf" => {
                    "write `*.svg` and convert it, for example with `resvg x.svg x.png`; `--theme light` or `dark` fixes the colors"
                }
                _ => "call it `*.svg`, `*.mmd`, `*.dot` or `*.puml`, or say which with `--format`",
            }));
        }
    };
    if format != Picture::Svg
        && (args.theme.is_some()
            || args.direction.is_some()
            || !args.active.is_empty()
            || args.heat.is_some())
    {
        let text = "`--theme`, `--direction`, `--active` and `--heat` are for SVG; in the other formats the tool that draws decides";
        return Err(CliError::new(text).help("leave them out, or write `*.svg`"));
    }
    Ok(format)
}
