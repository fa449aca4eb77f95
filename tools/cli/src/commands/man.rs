//! `statewright man`: manual pages, made from the help texts.

use clap::CommandFactory;
use clap_mangen::Man as Page;
use statewright_files::{Prepared, make_folder_of};

use super::summary::count;
use crate::args::{Cli, Man};
use crate::console::Console;
use crate::error::{CliError, Outcome};

pub(crate) fn run(args: &Man, console: &Console) -> Result<Outcome, CliError> {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let Some(folder) = &args.folder else {
        console.result(render(command)?.1);
        return Ok(Outcome::Fine);
    };
    let commands: Vec<clap::Command> = command.get_subcommands().cloned().collect();
    let mut pages = Vec::new();
    for command in std::iter::once(command).chain(commands) {
        let (name, page) = render(command)?;
        let path = folder.join(name);
        make_folder_of(&path)?;
        pages.push(Prepared::new(&path, &page)?);
    }
    let written = pages.len();
    pages.into_iter().try_for_each(Prepared::place)?;
    console.note(format_args!(
        "wrote {} to {}",
        count(written, "page"),
        folder.display()
    ));
    Ok(Outcome::Fine)
}

/// The file name and the text of a page.
fn render(command: clap::Command) -> Result<(String, Vec<u8>), CliError> {
    let page = Page::new(command);
    let mut text = Vec::new();
    page.render(&mut text)
        .map_err(|error| CliError::new(format!("cannot make a manual page: {error}")))?;
    Ok((page.get_filename(), text))
}
